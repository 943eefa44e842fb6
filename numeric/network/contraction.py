"""An `Einsum` on arrays: transposes, reshapes and one matrix product, whatever the arithmetic.

The axes of two operands fall into those that the result shares with both (a batch), those that it has from one, and
those that are summed over. With each group made one axis, (batch, left, summed) @ (batch, summed, right) is the sum of
products. A matrix product goes as it is. Axes in front of those that the pattern names (tangents, points, samples)
broadcast. The adjoint of a contraction c = sum a b is one again: of a, the sum of g b over the axes that a lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from resproof.architectures.dimensions import Axes, read_pattern
from resproof.numeric.backend import Array, Ops

Product: TypeAlias = Callable[[Array, Array], Array]

SAMPLES = "*"
"""The axis of the samples, where it is summed over as well."""


@dataclass(frozen=True)
class Contraction:
    """sum of left[...] right[...] with result axes `output`; each axis is in two of the three at least."""

    left: Axes
    right: Axes
    output: Axes

    @cached_property
    def shared(self) -> Axes:
        """The axes of all three."""
        return tuple(a for a in self.output if a in self.left and a in self.right)

    @cached_property
    def summed(self) -> Axes:
        """The axes that the result lacks."""
        return tuple(a for a in self.left if a not in self.output)

    @cached_property
    def from_left(self) -> Axes:
        """The axes of the result that the left operand alone has."""
        return tuple(a for a in self.output if a not in self.right)

    @cached_property
    def from_right(self) -> Axes:
        """The axes of the result that the right operand alone has."""
        return tuple(a for a in self.output if a not in self.left)

    @cached_property
    def is_product(self) -> bool:
        """Whether it is a matrix product as it stands."""
        return (
            len(self.left) == len(self.right) == len(self.output) == 2
            and self.left[1] == self.right[0]
            and self.output == (self.left[0], self.right[1])
            and not self.shared
        )

    @cached_property
    def order(self) -> Axes:
        """The axes of the result as the matrix product has them."""
        return (*self.shared, *self.from_left, *self.from_right)

    @cached_property
    def keeps_axes(self) -> bool:
        """Whether each group but the summed one is one axis, or there is no batch: the product needs no other shape."""
        return len(self.shared) <= 1 and len(self.from_left) == len(self.from_right) == 1

    def to_left(self, *front: str) -> Contraction:
        """The left operand's cotangent from the result's and the right operand's value, summed over axes in front."""
        return _contraction((*front, *self.output), (*front, *self.right), self.left)

    def to_right(self, *front: str) -> Contraction:
        """The right operand's cotangent from the left operand's value and the result's, summed over axes in front."""
        return _contraction((*front, *self.left), (*front, *self.output), self.right)


@lru_cache(maxsize=1024)
def _contraction(left: Axes, right: Axes, output: Axes) -> Contraction:
    return Contraction(left, right, output)


@lru_cache(maxsize=1024)
def contraction(pattern: str) -> Contraction:
    """That of a pattern with two operands."""
    (left, right), output = read_pattern(pattern)
    return _contraction(left, right, output)


def contract(how: Contraction, ops: Ops, matmul: Product, multiply: Product, a: Array, b: Array) -> Array:
    """The contraction of two arrays, in the arithmetic of the two products."""
    if how.is_product:
        return matmul(a, b)
    shared, summed, left, right = how.shared, how.summed, how.from_left, how.from_right
    if not summed:
        found = multiply(_spread(ops, a, how.left, how.order), _spread(ops, b, how.right, how.order))
        return permuted(ops, found, how.order, how.output)
    found = matmul(_matrix(ops, a, how.left, shared, left, summed), _matrix(ops, b, how.right, shared, summed, right))
    if not how.keeps_axes:
        sizes = {**_sizes(a, how.left), **_sizes(b, how.right)}
        front = len(found.shape) - 2 - bool(shared)
        found = ops.reshape(found, (*found.shape[:front], *(sizes[axis] for axis in how.order)))
    return permuted(ops, found, how.order, how.output)


def permuted(ops: Ops, a: Array, given: Axes, wanted: Axes) -> Array:
    """The last axes, named as given, in the wanted order."""
    return a if given == wanted else ops.permute(a, _places(given, wanted, len(a.shape) - len(given)))


@lru_cache(maxsize=1024)
def _places(given: Axes, wanted: Axes, front: int) -> tuple[int, ...]:
    """Where the axes come from, those in front staying."""
    return (*range(front), *(front + given.index(axis) for axis in wanted))


def _sizes(a: Array, names: Axes) -> dict[str, int]:
    return dict(zip(names, map(int, a.shape[len(a.shape) - len(names) :]), strict=True))


def _matrix(ops: Ops, a: Array, given: Axes, batch: Axes, rows: Axes, columns: Axes) -> Array:
    """The last axes as (batch, rows, columns), without the first where it has none; the last one stays in its place."""
    if given[-1:] and given[-1] in rows:
        return ops.transpose(_matrix(ops, a, given, batch, columns, rows))
    moved = permuted(ops, a, given, (*batch, *rows, *columns))
    if len(batch) <= 1 and len(rows) == len(columns) == 1:
        return moved
    front, sizes = len(a.shape) - len(given), _sizes(a, given)
    lengths = [math.prod(sizes[axis] for axis in group) for group in (batch, rows, columns)]
    return ops.reshape(moved, (*moved.shape[:front], *lengths[not batch :]))


def _spread(ops: Ops, a: Array, given: Axes, order: Axes) -> Array:
    """The last axes in this order, those that are not there of length 1."""
    there = tuple(axis for axis in order if axis in given)
    moved, front = permuted(ops, a, given, there), len(a.shape) - len(given)
    sizes = _sizes(moved, there)
    return ops.reshape(moved, (*moved.shape[:front], *(sizes.get(axis, 1) for axis in order)))
