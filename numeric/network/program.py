"""A unit ready to be read with arrays: its nodes in order, the sizes of its dimensions, its constants.

Layout. A unit that never mixes columns works on (d, m): the columns are the samples. Otherwise every array has a
sample axis in front, (m, d, t), of length 1 where the value does not depend on the sample (weights, constants).
Further axes in front are batches (tangents, points), and everything broadcasts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from architectures.expressions import (
    Constant,
    Expression,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
    operands,
)
from architectures.networks import ResidualUnit
from architectures.properties import the_input
from numeric.backend import Array, Ops
from numeric.data import SAMPLES, DataError, size_of


@dataclass(frozen=True, slots=True)
class Program:
    """A unit's nodes, operands first, with the shape of each value, the constants and what the adjoint needs.

    `shapes` are without batch axes. `kept` are the nodes whose values the adjoint needs, `active` those that depend
    on the input or a weight; `rank` is the number of axes without batches, 3 with a sample axis, else 2.
    """

    unit: ResidualUnit
    ops: Ops
    sizes: Mapping[str, int]
    order: tuple[Expression, ...]
    shapes: Mapping[Expression, tuple[int, ...]]
    constants: Mapping[Constant, tuple[Array]]
    kept: frozenset[Expression]
    active: frozenset[Expression]
    rank: int

    @property
    def root(self) -> Expression:
        """The unit's output."""
        return self.unit.expression

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.sizes[SAMPLES]


def program(
    unit: ResidualUnit, ops: Ops, sizes: Mapping[str, int], rational: Callable[[Fraction | int], float] = float
) -> Program:
    """The unit with these sizes; `rational` gives the entries of constants."""
    order, mixes = _order(unit)
    fixed = {
        node: (_lift(mixes, ops.asarray(matrix(node, sizes, rational))),)
        for node in order
        if isinstance(node, Constant)
    }
    return Program(
        unit,
        ops,
        sizes,
        order,
        _shapes(unit, order, sizes, mixes),
        fixed,
        kept=frozenset(_kept(order)),
        active=frozenset(_active(order)),
        rank=3 if mixes else 2,
    )


@lru_cache(maxsize=64)
def _order(unit: ResidualUnit) -> tuple[tuple[Expression, ...], bool]:
    """The nodes, operands first, and whether columns are mixed."""
    return nodes(unit.expression), unit.mixes_columns


def _lift(mixes: bool, array: Array) -> Array:
    return array[None, ...] if mixes else array


def _shapes(
    unit: ResidualUnit, order: tuple[Expression, ...], sizes: Mapping[str, int], mixes: bool
) -> dict[Expression, tuple[int, ...]]:
    columns, samples = the_input(unit.expression).columns, sizes[SAMPLES]
    of_sample: set[Expression] = set()
    shapes: dict[Expression, tuple[int, ...]] = {}
    for node in order:
        if isinstance(node, Input) or any(operand in of_sample for operand in operands(node)):
            of_sample.add(node)
        rows, cols = node.shape
        if mixes:
            shapes[node] = (samples if node in of_sample else 1, size_of(rows, sizes), size_of(cols, sizes))
        else:
            across = node in of_sample and cols == columns
            shapes[node] = (size_of(rows, sizes), samples if across else size_of(cols, sizes))
    return shapes


def _kept(order: tuple[Expression, ...]) -> set[Expression]:
    """A product's adjoint needs its operands, a softmax's and a normalisation's its value."""
    kept: set[Expression] = set()
    for node in order:
        if isinstance(node, MatMul | Multiply):
            kept |= {node.left, node.right}
        elif isinstance(node, Softmax | Normalize):
            kept.add(node)
    return kept


def _active(order: tuple[Expression, ...]) -> set[Expression]:
    active: set[Expression] = set()
    for node in order:
        if isinstance(node, Input | Weight) or any(operand in active for operand in operands(node)):
            active.add(node)
    return active


def matrix(node: Constant, sizes: Mapping[str, int], rational: Callable[[Fraction | int], float] = float) -> np.ndarray:
    """A constant as a matrix.

    Raises:
        DataError: an unknown pattern.
    """
    shape = (size_of(node.rows, sizes), size_of(node.cols, sizes))
    return pattern(node.value, shape) if isinstance(node.value, str) else np.full(shape, rational(node.value))


def pattern(name: str, shape: tuple[int, int]) -> np.ndarray:
    """A named pattern: "identity", "causal" (s <= t), "shift k" (t = s + k).

    Raises:
        DataError: an unknown pattern.
    """
    word, _, steps = name.partition(" ")
    rows, cols = shape
    match word:
        case "identity":
            return np.eye(rows, cols)
        case "causal":
            return np.triu(np.ones(shape))
        case "shift":
            return np.eye(rows, cols, k=int(steps))
        case _:
            raise DataError(f"constant: the pattern {name!r} is unknown; expected identity, causal or shift k")


def described(node: Any) -> str:
    """A node's kind in words, for a refusal."""
    return {Softmax: "softmax", Normalize: "normalisation"}.get(type(node), type(node).__name__)
