"""A unit with one thing changed: a weight that starts elsewhere, or names in place of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from architectures.expressions import Constant, Dimension, Initial, Input, Weight
from architectures.networks import ResidualUnit
from architectures.rebuild import Leaf, rebuilt


def starting_at(unit: ResidualUnit, name: str, initial: Initial) -> ResidualUnit:
    """The unit with the weight of this name starting at `initial`; all names stay.

    Raises:
        KeyError: no weight has this name.
    """
    chosen = {known: weight for weight, known in unit.names.items()}[name]
    changed = replace(chosen, initial=initial, name=name)
    return _rebuilt(unit, lambda leaf: changed if leaf is chosen else leaf)


def with_named_dimensions(unit: ResidualUnit) -> ResidualUnit:
    """The unit with a name in place of every number above 1 among its dimensions: 4 becomes dim4.

    Whatever holds of it for every size holds of the unit itself.
    """

    def named(dimension: Dimension) -> Dimension:
        return f"dim{dimension}" if isinstance(dimension, int) and dimension > 1 else dimension

    def leaf(node: Leaf) -> Leaf:
        match node:
            case Input():
                return Input(named(node.rows), named(node.columns))
            case Weight():
                return replace(node, rows=named(node.rows), cols=named(node.cols), name=unit.names[node])
            case Constant():
                return Constant(node.value, named(node.rows), named(node.cols))
            case _:
                assert_never(node)

    return _rebuilt(unit, leaf)


def _rebuilt(unit: ResidualUnit, leaf: Callable[[Leaf], Leaf]) -> ResidualUnit:
    """The unit with its leaves replaced; a weight keeps its name."""
    names: dict[Weight, str] = {}

    def named(node: Leaf) -> Leaf:
        new = leaf(node)
        if isinstance(node, Weight):
            assert isinstance(new, Weight)
            names[new] = unit.names[node]
        return new

    return ResidualUnit(rebuilt(unit.expression, named), names)
