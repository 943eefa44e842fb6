"""Products of two arrays with labelled axes: transposes, reshapes and one matrix product, whatever the arithmetic.

The axes of two operands fall into those that the result shares with both (a batch), those that it has from one, and
those that are summed over. With each group made one axis, (batch, left, summed) @ (batch, summed, right) is the sum of
products. A matrix product goes as it is. Axes in front of those that are named (tangents, points, samples) broadcast.
The adjoint of a contraction c = sum a b is one again: of a, the sum of g b over the axes that a lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from resproof.architectures.dimensions import read_pattern
from resproof.numeric.backend import Array, Ops

Labels: TypeAlias = tuple[str | int, ...]
Product: TypeAlias = Callable[[Array, Array], Array]

SAMPLES = "*"
"""The axis of the samples, where it is summed over as well."""


@dataclass(frozen=True)
class Contraction:
    """sum of left[...] right[...] with result axes `output`; each axis is in two of the three at least."""

    left: Labels
    right: Labels
    output: Labels

    @cached_property
    def groups(self) -> tuple[Labels, Labels, Labels, Labels]:
        """The axes of all three, those that the result has from left and from right alone, and those summed over."""
        left, right, output = self.left, self.right, self.output
        return (
            tuple(a for a in output if a in left and a in right),
            tuple(a for a in output if a not in right),
            tuple(a for a in output if a not in left),
            tuple(a for a in left if a not in output),
        )

    @cached_property
    def is_product(self) -> bool:
        """Whether it is a matrix product as it stands."""
        shared, left, right, summed = self.groups
        return (
            not shared
            and (self.left, self.right, self.output) == (left + summed, summed + right, left + right)
            and (len(left) == len(right) == len(summed) == 1)
        )

    def to_left(self, *front: str) -> Contraction:
        """The left operand's cotangent from the result's and the right operand's value, summed over axes in front."""
        return contraction_of((*front, *self.output), (*front, *self.right), self.left)

    def to_right(self, *front: str) -> Contraction:
        """The right operand's cotangent from the left operand's value and the result's, summed over axes in front."""
        return contraction_of((*front, *self.left), (*front, *self.output), self.right)


@lru_cache(maxsize=1024)
def contraction_of(left: Labels, right: Labels, output: Labels) -> Contraction:
    """The contraction of axes so called, remembered."""
    return Contraction(left, right, output)


@lru_cache(maxsize=1024)
def contraction(pattern: str) -> Contraction:
    """That of a pattern with two operands."""
    (left, right), output = read_pattern(pattern)
    return contraction_of(left, right, output)


def contract(how: Contraction, ops: Ops, matmul: Product, multiply: Product, a: Array, b: Array) -> Array:
    """The contraction of two arrays, in the arithmetic of the two products."""
    if how.is_product:
        return matmul(a, b)
    shared, left, right, summed = how.groups
    order = (*shared, *left, *right)
    if not summed:
        found = multiply(_spread(ops, a, how.left, order), _spread(ops, b, how.right, order))
        return permuted(ops, found, order, how.output)
    found = matmul(_matrix(ops, a, how.left, shared, left, summed), _matrix(ops, b, how.right, shared, summed, right))
    sizes = {**_sizes(a, how.left), **_sizes(b, how.right)}
    front = len(found.shape) - 2 - bool(shared)
    found = ops.reshape(found, (*found.shape[:front], *(sizes[axis] for axis in order)))
    return permuted(ops, found, order, how.output)


def permuted(ops: Ops, a: Array, given: Labels, wanted: Labels) -> Array:
    """The last axes, named as given, in the wanted order."""
    return a if given == wanted else ops.permute(a, _places(given, wanted, len(a.shape) - len(given)))


@lru_cache(maxsize=1024)
def _places(given: Labels, wanted: Labels, front: int) -> tuple[int, ...]:
    """Where the axes come from, those in front staying."""
    return (*range(front), *(front + given.index(axis) for axis in wanted))


def _sizes(a: Array, names: Labels) -> dict[str | int, int]:
    return dict(zip(names, map(int, a.shape[len(a.shape) - len(names) :]), strict=True))


def _matrix(ops: Ops, a: Array, given: Labels, batch: Labels, rows: Labels, columns: Labels) -> Array:
    """The last axes as (batch, rows, columns), without the first where it has none; the last one stays in its place."""
    if given[-1:] and given[-1] in rows:
        return ops.transpose(_matrix(ops, a, given, batch, columns, rows))
    moved = permuted(ops, a, given, (*batch, *rows, *columns))
    front, sizes = len(a.shape) - len(given), _sizes(a, given)
    lengths = [math.prod(sizes[axis] for axis in group) for group in (batch, rows, columns)]
    return ops.reshape(moved, (*moved.shape[:front], *lengths[not batch :]))


def _spread(ops: Ops, a: Array, given: Labels, order: Labels) -> Array:
    """The last axes in this order, those that are not there of length 1."""
    there = tuple(axis for axis in order if axis in given)
    moved, front, sizes = permuted(ops, a, given, there), len(a.shape) - len(given), _sizes(a, given)
    return ops.reshape(moved, (*moved.shape[:front], *(sizes.get(axis, 1) for axis in order)))
