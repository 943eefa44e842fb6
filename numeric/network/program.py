"""A unit ready to be read with arrays: its nodes in order, the sizes of its dimensions, its constants.

Layout. Every array has an axis for samples in front, (m, d, t), of length 1 where the value does not depend on the
sample (weights, constants). To a unit that never mixes columns all samples are the columns of one: (1, d, m). Further
axes in front are batches (tangents, points), and everything broadcasts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from resproof.architectures.nodes import (
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
    operands,
)
from resproof.architectures.properties import the_input
from resproof.architectures.stages import Stage
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import SAMPLES, DataError, size_of
from resproof.numeric.network.parameters import as_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A unit's nodes, operands first, with the shape of each value, the constants and what the adjoint needs.

    The same unit with the same sizes is read once: programs are compared by identity.

    `shapes` are without batch axes. `kept` are the nodes whose values the adjoint needs, `active` those that depend
    on the input or a parameter.
    """

    unit: Stage
    ops: Ops
    sizes: Mapping[str, int]
    order: tuple[Expression, ...]
    shapes: Mapping[Expression, tuple[int, ...]]
    constants: Mapping[Constant, tuple[Array]]
    kept: frozenset[Expression]
    active: frozenset[Expression]

    @property
    def root(self) -> Expression:
        """The unit's output."""
        return self.unit.expression

    def with_axes(self, node: Weight, a: Array | None) -> Array | None:
        """A weight's matrix with all its axes."""
        if a is None or len(node.shape) == 2:
            return a
        return self.ops.reshape(a, (*a.shape[:-2], *self.shapes[node][1:]))

    def matrix(self, node: Weight) -> tuple[int, int]:
        """Rows and columns of a weight's matrix."""
        return as_matrix(self.shapes[node][1:])

    def as_matrix(self, node: Weight, a: Array | None) -> Array | None:
        """A weight, or its cotangent, with all its axes as a matrix."""
        if a is None or len(node.shape) == 2:
            return a
        return self.ops.reshape(a, (*a.shape[: len(a.shape) - len(node.shape)], *self.matrix(node)))

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.sizes[SAMPLES]


def program(
    unit: Stage, ops: Ops, sizes: Mapping[str, int], rational: Callable[[Fraction | int], float] = float
) -> Program:
    """The unit with these sizes; `rational` gives the entries of constants."""
    return _program(unit, tuple(unit.every_name.values()), ops, tuple(sizes.items()), rational)


@lru_cache(maxsize=8)
def _program(
    unit: Stage,
    names: tuple[str, ...],
    ops: Ops,
    given: tuple[tuple[str, int], ...],
    rational: Callable[[Fraction | int], float],
) -> Program:
    del names  # units that differ in their weights' names alone are equal
    sizes, (order, mixes) = dict(given), _order(unit)
    fixed = {
        node: (ops.asarray(matrix(node, sizes, rational)[None, ...]),) for node in order if isinstance(node, Constant)
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
    )


@lru_cache(maxsize=64)
def _order(unit: Stage) -> tuple[tuple[Expression, ...], bool]:
    """The nodes, operands first, and whether columns are mixed."""
    return nodes(unit.expression), unit.mixes_columns


def _shapes(
    unit: Stage, order: tuple[Expression, ...], sizes: Mapping[str, int], mixes: bool
) -> dict[Expression, tuple[int, ...]]:
    columns, samples = the_input(unit.expression).columns, sizes[SAMPLES]
    of_sample: set[Expression] = set()
    shapes: dict[Expression, tuple[int, ...]] = {}
    for node in order:
        if isinstance(node, Input) or any(operand in of_sample for operand in operands(node)):
            of_sample.add(node)
        axes, front = tuple(size_of(n, sizes) for n in node.shape[:-1]), 1
        if mixes and node in of_sample:
            front = samples
        if not mixes and node in of_sample and node.shape[-1:] == (columns,):
            shapes[node] = (front, *axes, samples)
        else:
            shapes[node] = (front, *axes, *(size_of(n, sizes) for n in node.shape[-1:]))
    return shapes


def _kept(order: tuple[Expression, ...]) -> set[Expression]:
    """A product's adjoint needs its operands, a softmax's and a normalisation's its value."""
    kept: set[Expression] = set()
    for node in order:
        if isinstance(node, Multiply) or (isinstance(node, Einsum) and len(node.operands) == 2):
            kept |= {*node.operands}
        elif isinstance(node, Softmax | Normalize):
            kept.add(node)
    return kept


def _active(order: tuple[Expression, ...]) -> set[Expression]:
    active: set[Expression] = set()
    for node in order:
        if is_variable(node) or any(operand in active for operand in operands(node)):
            active.add(node)
    return active


def is_variable(node: Expression) -> bool:
    """Whether a derivative by this node is asked for: the input, or a trainable weight."""
    return isinstance(node, Input) or (isinstance(node, Weight) and node.trainable)


def matrix(node: Constant, sizes: Mapping[str, int], rational: Callable[[Fraction | int], float] = float) -> np.ndarray:
    """A constant as an array.

    Raises:
        DataError: an unknown pattern.
    """
    shape = tuple(size_of(n, sizes) for n in node.shape)
    if node.value == "mean":
        return np.full(shape, rational(Fraction(1, math.prod(shape))))
    return pattern(node.value, shape) if isinstance(node.value, str) else np.full(shape, rational(node.value))


def pattern(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A pattern of `architectures.patterns`.

    Raises:
        DataError: an unknown pattern.
    """
    match name.split(" "):
        case ["identity"]:
            return np.eye(shape[0], shape[1])
        case ["causal"]:
            return np.triu(np.ones(shape))
        case ["shift", steps]:
            return np.eye(shape[0], shape[1], k=int(steps))
        case ["split"]:
            return np.eye(shape[0]).reshape(shape)
        case ["take", start, step]:
            return (np.arange(shape[0])[:, None] == int(start) + int(step) * np.arange(shape[1])).astype(float)
        case ["window", stride, padding]:
            s, t, a = np.ogrid[: shape[0], : shape[1], : shape[2]]
            return (s == int(stride) * t + a - int(padding)).astype(float)
        case _:
            raise DataError(f"constant: the pattern {name!r} is unknown; expected identity, causal or shift k")


def on_slots(name: str, lengths: tuple[int, ...], places: tuple[int, ...]) -> np.ndarray:
    """A matrix pattern on two of several slots, the others of length 1; that of its rows comes first."""
    rows, columns = places
    shape = tuple(n if k in places else 1 for k, n in enumerate(lengths))
    return pattern(name, (lengths[rows], lengths[columns])).reshape(shape)


def described(node: Any) -> str:
    """A node's kind in words, for a refusal."""
    return {Softmax: "softmax", Normalize: "normalisation"}.get(type(node), type(node).__name__)
