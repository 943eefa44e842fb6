"""A residual unit made ready for evaluation with explicit sizes: which nodes, in which order, to which degree.

Parameters are numbered in the papers' order, lexicographic in (r, l, j, i) for w^{r,l}_{i,j}: unit by unit, weight by
weight, each weight column by column.

A sum may grow inside one of its operands, so that the residual stream is never copied, where that operand is a fresh
matrix (the result of a product, a sum or an activation) of the sum's shape that nothing reads afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias

from resproof.architectures.dimensions import Dimension, Shape, factors
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Add, Apply, Einsum, Expression, Input, Multiply, Weight, operands
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.orders import needed_orders

Sizes: TypeAlias = Mapping[str, int]
Exact: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """Rational data: `x` and `y` are d rows of m entries, or m samples of d rows of t entries.

    The latter where columns mix or are given by a number; all axes of a sample but the first are its entries' columns.

    `initial`: numbers in place of the symbols of random initial weights, by entry (`forward.entry_name`).
    """

    x: Sequence[Sequence[Exact]] | Sequence[Sequence[Sequence[Exact]]]
    y: Sequence[Sequence[Exact]] | Sequence[Sequence[Sequence[Exact]]]
    initial: Mapping[str, Fraction] = field(default_factory=dict[str, Fraction])

    def number(self, side: str, row: int, rest: Sequence[int]) -> Fraction:
        """An entry of "x" or "y" at its ([column,] sample)."""
        data: Any = self.x if side == "x" else self.y
        *column, sample = rest
        if isinstance(data[0][0], Sequence):
            return Fraction(data[sample][row][column[0] if column else 0])
        return Fraction(data[row][sample])


@dataclass(frozen=True, slots=True)
class NodeStep:
    """One node to evaluate up to degree `order`; an operand without a place is zero up to there.

    The result may be built in the matrix at the place `takes`.
    """

    node: Expression
    operands: tuple[int | None, ...]
    order: int
    shape: tuple[int, ...]
    takes: int | None = None


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """A unit's steps, the place of its result, and where each weight's parameters start.

    `shape` is that of the input; `by_sample`: each sample has columns of its own.
    """

    unit: ResidualUnit
    steps: tuple[NodeStep, ...]
    result: int | None
    shape: tuple[int, ...]
    samples: int
    by_sample: bool
    offsets: Mapping[Weight, int]
    parameters: int


def plan(unit: ResidualUnit, sizes: Sizes, order: int, samples: int) -> UnitPlan:
    """The plan of a unit for jets of this order.

    Raises:
        ArchitectureError: a size is missing or no positive int.
    """
    h = the_input(unit.expression)
    by_sample = isinstance(h.columns, int) or unit.mixes_columns
    known = dict(sizes) if by_sample else {**sizes, str(h.columns): samples}
    steps, result = _steps(unit.expression, tuple(known.items()), order)
    offsets, parameters = weight_offsets(unit, sizes)
    return UnitPlan(unit, steps, result, _shape(h.shape, known), samples, by_sample, offsets, parameters)


@lru_cache(maxsize=256)
def _steps(root: Expression, sizes: tuple[tuple[str, int], ...], order: int) -> tuple[tuple[NodeStep, ...], int | None]:
    """The steps, and the place of the result, None where it is zero; small networks are asked for again and again."""
    need, known = needed_orders(root, order), dict(sizes)
    places = {node: place for place, node in enumerate(need)}
    steps = tuple(
        NodeStep(node, tuple(map(places.get, operands(node))), need[node], _shape(node.shape, known)) for node in need
    )
    result = places.get(root)
    return _take_over(steps, result), result


def weight_offsets(unit: ResidualUnit, sizes: Sizes) -> tuple[dict[Weight, int], int]:
    """The number of each weight's first parameter within a unit, and the number of a unit's parameters.

    Raises:
        ArchitectureError: a size is missing or no positive int.
    """
    offsets, parameters = {}, 0
    for weight in unit.weights:
        offsets[weight] = parameters
        parameters += prod(_shape(weight.shape, sizes))
    return offsets, parameters


def parameter_number(place: Sequence[int], shape: Sequence[int]) -> int:
    """Where an entry stands among its weight's parameters: the first axis runs fastest, of the others the last."""
    found = 0
    for index, length in zip((*place[1:], *place[:1]), (*shape[1:], *shape[:1]), strict=True):
        found = found * length + index
    return found


def size(dimension: Dimension, sizes: Sizes) -> int:
    """The size of a dimension, given by its name or as a number.

    Raises:
        ArchitectureError: it is missing or no positive int.
    """
    parts = factors(dimension)
    if len(parts) > 1:
        return prod(size(part, sizes) for part in parts)
    found = sizes.get(dimension) if isinstance(dimension, str) else dimension
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ArchitectureError(f"sizes: dimension {dimension!r} has size {found!r}; expected a positive int")
    return found


def _shape(shape: Shape, sizes: Sizes) -> tuple[int, ...]:
    return tuple(size(dimension, sizes) for dimension in shape)


def _take_over(steps: tuple[NodeStep, ...], result: int | None) -> tuple[NodeStep, ...]:
    last_use = {place: number for number, step in enumerate(steps) for place in step.operands if place is not None}
    moved = (step for step in steps if isinstance(step.node, Einsum) and len(step.operands) == 1)
    shared = {place for step in moved for place in step.operands}
    # The stream that enters is the result of the unit before, and fresh if that is.
    fresh_input = result is not None and _is_fresh(steps[result].node)

    def may_take(number: int, place: int) -> bool:
        node = steps[place].node
        fresh = _is_fresh(node) or (fresh_input and isinstance(node, Input))
        free = last_use[place] == number and place not in shared
        return fresh and free and steps[place].shape == steps[number].shape

    def taken(number: int, step: NodeStep) -> int | None:
        if not isinstance(step.node, Add) or step.operands[0] == step.operands[1]:
            return None
        return next((place for place in step.operands if place is not None and may_take(number, place)), None)

    takes = map(taken, range(len(steps)), steps)
    return tuple(
        step if place is None else replace(step, takes=place) for step, place in zip(steps, takes, strict=True)
    )


def _is_fresh(node: Expression) -> bool:
    """Whether the value is made of new jets."""
    return isinstance(node, Add | Multiply | Apply) or (isinstance(node, Einsum) and len(node.operands) == 2)
