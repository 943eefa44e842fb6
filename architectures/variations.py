"""A unit with one thing changed: a weight that starts elsewhere, or names in place of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from resproof.architectures.dimensions import Dimension, factors, names, product_of
from resproof.architectures.nodes import Constant, Input, Weight, nodes
from resproof.architectures.patterns import relates_sizes
from resproof.architectures.properties import the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.architectures.values import Initial

AnyStage = TypeVar("AnyStage", bound=Stage)


def held_fixed(stage: AnyStage) -> AnyStage:
    """The stage with all its weights frozen where they start; all names stay."""

    def leaf(node: Leaf) -> Leaf:
        return replace(node, trainable=False, name=stage.every_name[node]) if isinstance(node, Weight) else node

    return _rebuilt(stage, leaf)


def taking(stage: AnyStage, unit: Stage) -> AnyStage:
    """The stage with the numbers that a unit has for the dimensions of its input."""
    own, given = the_input(stage.expression).shape, the_input(unit.expression).shape
    return at_sizes(stage, {str(n): size for n, size in zip(own, given, strict=True) if isinstance(size, int)})


def starting_at(unit: ResidualUnit, name: str, initial: Initial) -> ResidualUnit:
    """The unit with the weight of this name starting at `initial`; all names stay.

    Raises:
        KeyError: no weight has this name.
    """
    chosen = {known: weight for weight, known in unit.names.items()}[name]
    changed = replace(chosen, initial=initial)
    return _rebuilt(unit, lambda leaf: changed if leaf is chosen else leaf)


def with_sized_constants(unit: ResidualUnit, sizes: Mapping[str, int]) -> ResidualUnit:
    """The unit with numbers for the dimensions that neither data nor weights size, as the c of A @ B with A (t, c)."""
    h = the_input(unit.expression)
    told = {*h.shape, *(n for weight in unit.every_name for n in weight.shape)}
    known = {name: sizes[name] for name in unit.dimensions if name not in told and name in sizes}
    return at_sizes(unit, known)


def at_sizes(unit: AnyStage, sizes: Mapping[str, int]) -> AnyStage:
    """The unit with numbers in place of the names among its dimensions; itself where it has none of them."""
    if sizes.keys().isdisjoint(unit.dimensions):
        return unit

    def sized(dimension: Dimension) -> Dimension:
        known = {name: sizes[name] for name in names(dimension) if name in sizes and name in unit.dimensions}
        return product_of([known.get(str(n), n) for n in factors(dimension)]) if known else dimension

    return _resized(unit, sized)


def with_named_dimensions(unit: ResidualUnit) -> ResidualUnit:
    """The unit with a name in place of every number above 1 among its dimensions: 4 becomes dim4.

    Whatever holds of it for every size holds of the unit itself. Numbers that a constant relates to each other stay.
    """
    constants = [node for node in nodes(unit.expression) if isinstance(node, Constant)]
    related = {n for node in constants if relates_sizes(str(node.value), node.shape) for n in node.shape}
    fixed = {number for dimension in related for number in factors(dimension)}

    def named(dimension: Dimension) -> Dimension:
        return (
            f"dim{dimension}" if isinstance(dimension, int) and dimension > 1 and dimension not in fixed else dimension
        )

    return _resized(unit, named)


def _resized(unit: AnyStage, change: Callable[[Dimension], Dimension]) -> AnyStage:
    """The unit with other dimensions; all names stay."""

    def leaf(node: Leaf) -> Leaf:
        shape = tuple(map(change, node.shape))
        match node:
            case Input():
                return Input(*shape)
            case Weight():
                return replace(node, shape=shape)
            case Constant():
                return Constant(node.value, shape)
            case _:
                assert_never(node)

    return _rebuilt(unit, leaf)


def _rebuilt(unit: AnyStage, leaf: Callable[[Leaf], Leaf]) -> AnyStage:
    """The unit with its leaves replaced; a weight keeps its name."""

    def named(node: Leaf) -> Leaf:
        new = leaf(node)
        return replace(new, name=unit.every_name[node]) if isinstance(node, Weight) and isinstance(new, Weight) else new

    return type(unit)(rebuilt(unit.expression, named), tokens=unit.tokens)
