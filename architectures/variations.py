"""A unit with one thing changed: a weight that starts elsewhere, or names in place of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, assert_never

from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Dimension,
    Expression,
    Initial,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
    read,
)
from architectures.networks import ResidualUnit


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


Leaf: TypeAlias = Input | Weight | Constant


def _rebuilt(unit: ResidualUnit, leaf: Callable[[Leaf], Leaf]) -> ResidualUnit:
    """The unit with its leaves replaced; a weight keeps its name."""
    names: dict[Weight, str] = {}

    def case(node: Expression, recurse: Callable[[Expression], Expression]) -> Expression:
        match node:
            case Input() | Constant():
                return leaf(node)
            case Weight():
                new = leaf(node)
                assert isinstance(new, Weight)
                names[new] = unit.names[node]
                return new
            case MatMul() | Add() | Multiply():
                return type(node)(recurse(node.left), recurse(node.right))
            case Apply():
                return Apply(node.activation, recurse(node.operand))
            case Softmax():
                mask = None if node.mask is None else recurse(node.mask)
                assert mask is None or isinstance(mask, Constant)
                return Softmax(recurse(node.operand), node.axis, mask)
            case Normalize():
                return Normalize(recurse(node.operand), node.axis, node.centred, node.epsilon)
            case Transpose():
                return Transpose(recurse(node.operand))
            case _:
                assert_never(node)

    return ResidualUnit(read(unit.expression, case), names)
