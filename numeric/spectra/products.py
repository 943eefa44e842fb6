"""Products of arrays with labelled axes, summed over labels, in any arithmetic that has a matrix product.

This is einsum with two liberties it lacks: a label may occur in any number of factors (the sample index does), and
the arithmetic may be that of residues. Factors are contracted in pairs (`architectures.contraction`); each pair is one
batched matrix product with the axes

    (labels still needed) x (left only) x (summed)   @   (labels still needed) x (summed) x (right only),

so that permute, reshape and matmul are all that is asked of the array library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from resproof.architectures.contraction import pairwise
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import IndexSum, Tensor, Term
from resproof.numeric.backend import Array
from resproof.numeric.data import DataError, size_of
from resproof.numeric.network.series import Arithmetic

POINT, TANGENT, UNIT = -10001, -10002, -10003
"""Labels of the axes in front: independent points, tangents of a block, units."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An array and the label of each of its axes."""

    array: Array
    labels: tuple[int, ...]

    def size(self, label: int) -> int:
        """The length of a labelled axis."""
        return int(self.array.shape[self.labels.index(label)])


class NumberSource(Protocol):
    """Where a sum of index terms finds its numbers."""

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the arrays."""
        ...

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of every dimension name, "m" included."""
        ...

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        """The array of a tensor, and the labels of the axes in front of its slots."""
        ...

    def symbol(self, name: str) -> Labelled:
        """The value of a scalar symbol that is no dimension."""
        ...


def sum_of_terms(source: NumberSource, index_sum: IndexSum, front: Mapping[int, int]) -> Array:
    """The array of a sum, of shape (sizes of `front`, sizes of the free indices in their order)."""
    shape = {**front, **{index: size_of(dimension, source.sizes) for index, dimension in index_sum.free}}
    arithmetic = source.arithmetic
    total: Array | None = None
    for term in index_sum.terms:
        summand = _spread(arithmetic, _term(source, term, tuple(shape)), tuple(shape))
        total = summand if total is None else arithmetic.add(total, summand)
    if total is None:
        return arithmetic.ops.zeros(tuple(shape.values()))
    full = tuple(shape.values())
    return total if tuple(total.shape) == full else arithmetic.ops.xp.broadcast_to(total, full)


def _term(source: NumberSource, term: Term, output: tuple[int, ...]) -> Labelled:
    arithmetic, coefficient, factors = source.arithmetic, term.coefficient, []
    for symbol, power in term.scalars:
        if symbol in source.sizes:
            coefficient *= Fraction(source.sizes[symbol]) ** power
        elif power < 0:
            raise DataError(f"contract: {symbol} has the power {power}; expected a positive one")
        else:
            factors += [source.symbol(symbol)] * power
    for tensor, indices in term.factors:
        array, front = source.tensor(tensor)
        factors.append(Labelled(array, (*front, *indices)))
    product = product_of(arithmetic, factors, output)
    if coefficient == 1:
        return product
    scale = arithmetic.ops.full((), arithmetic.rational(coefficient))
    return Labelled(arithmetic.multiply(product.array, scale), product.labels)


def product_of(arithmetic: Arithmetic, factors: Sequence[Labelled], output: tuple[int, ...]) -> Labelled:
    """The product of the factors, summed over every label that is not in `output`."""
    if not factors:
        return Labelled(arithmetic.ops.full((), 1.0), ())
    left = [_diagonal(arithmetic, factor) for factor in factors]
    # A label that nothing else needs goes at once; later none becomes one, for a pair is summed over what only it has.
    left = [_without_lone(arithmetic, f, {*output, *_labels(left, but=k)}) for k, f in enumerate(left)]
    for i, j in pairwise(tuple(tuple(zip(f.labels, map(int, f.array.shape), strict=True)) for f in left), output):
        a, b = left[i], left[j]
        left = [f for k, f in enumerate(left) if k not in {i, j}]
        left.append(_pair(arithmetic, a, b, {*output, *_labels(left)}))
    return left[0]


def _labels(factors: Sequence[Labelled], but: int = -1) -> Iterable[int]:
    return (label for k, factor in enumerate(factors) if k != but for label in factor.labels)


def _pair(arithmetic: Arithmetic, a: Labelled, b: Labelled, needed: set[int]) -> Labelled:
    shared = [label for label in a.labels if label in b.labels]
    batch, summed = [s for s in shared if s in needed], [s for s in shared if s not in needed]
    left = [label for label in a.labels if label not in shared]
    right = [label for label in b.labels if label not in shared]
    labels = (*batch, *left, *right)
    if not summed:
        return Labelled(arithmetic.multiply(_aligned(arithmetic, a, labels), _aligned(arithmetic, b, labels)), labels)
    shape = [(a if label in a.labels else b).size(label) for label in labels]
    first = _grouped(arithmetic, a, (batch, left, summed))
    second = _grouped(arithmetic, b, (batch, summed, right))
    product = arithmetic.matmul(first, second)
    return Labelled(arithmetic.ops.xp.reshape(product, tuple(shape)), labels)


def _grouped(arithmetic: Arithmetic, a: Labelled, groups: Sequence[Sequence[int]]) -> Array:
    """The axes permuted into three groups, each made one axis; without a batch, a matrix."""
    order = tuple(a.labels.index(label) for group in groups for label in group)
    shape = [math.prod(a.size(label) for label in group) for group in groups]
    return arithmetic.ops.xp.reshape(arithmetic.ops.permute(a.array, order), tuple(shape if groups[0] else shape[1:]))


def _aligned(arithmetic: Arithmetic, a: Labelled, labels: Sequence[int]) -> Array:
    """The axes in the order of `labels`, with length 1 for those it lacks."""
    present = [label for label in labels if label in a.labels]
    moved = arithmetic.ops.permute(a.array, tuple(a.labels.index(label) for label in present)) if present else a.array
    return arithmetic.ops.xp.reshape(moved, tuple(a.size(label) if label in a.labels else 1 for label in labels))


def _spread(arithmetic: Arithmetic, a: Labelled, labels: tuple[int, ...]) -> Array:
    return _aligned(arithmetic, a, labels)


def _without_lone(arithmetic: Arithmetic, a: Labelled, needed: set[int]) -> Labelled:
    """The sum over the labels that nothing else needs."""
    array, labels = a.array, list(a.labels)
    for label in a.labels:
        if label not in needed:
            array = arithmetic.total(array, labels.index(label))
            labels.remove(label)
    return a if len(labels) == len(a.labels) else Labelled(array, tuple(labels))


def _diagonal(arithmetic: Arithmetic, a: Labelled) -> Labelled:
    """T_aa as a vector in a, for every label that a factor carries more than once."""
    repeated = next((label for label in a.labels if a.labels.count(label) > 1), None)
    if repeated is None:
        return a
    i, j = [k for k, label in enumerate(a.labels) if label == repeated][:2]
    rest = tuple(k for k in range(len(a.labels)) if k not in {i, j})
    n, ops = int(a.array.shape[i]), arithmetic.ops
    flat = ops.xp.reshape(ops.permute(a.array, (*rest, i, j)), (*(a.array.shape[k] for k in rest), n * n))
    diagonal = flat[..., :: n + 1]
    return _diagonal(arithmetic, Labelled(diagonal, (*(a.labels[k] for k in rest), repeated)))


def slot_shape(dims: Sequence[Dimension], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The lengths of a tensor's slots."""
    return tuple(size_of(dimension, sizes) for dimension in dims)
