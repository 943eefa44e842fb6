"""Sums of index terms in any arithmetic that has a matrix product: products of arrays with labelled axes, added up.

This is einsum in an arithmetic that may be that of residues. Factors are contracted in pairs
(`architectures.contraction`); each pair is one batched matrix product (`numeric.network.contraction`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias, get_args

from resproof.architectures.contraction import pairwise
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import Delta, IndexSum, Pattern, Perturbation, Secant, Tensor, Term
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import DataError, size_of
from resproof.numeric.network.contraction import contract, contraction_of, permuted
from resproof.numeric.network.program import pattern
from resproof.numeric.network.series import Arithmetic

POINT, TANGENT, UNIT = -10001, -10002, -10003
"""Labels of the axes in front: independent points, tangents of a block, units."""

KINDS: tuple[type, ...] = get_args(Tensor)


class Labelled(NamedTuple):
    """An array and the label of each of its axes."""

    array: Array
    labels: tuple[int, ...]


Function: TypeAlias = Callable[..., Labelled]
"""Of a tensor of one kind: its array, and the labels of the axes in front of its slots."""


@dataclass(frozen=True, slots=True)
class NumberSource:
    """Where a sum of index terms finds its numbers: a function for each kind of tensor, one for symbols.

    What it finds it keeps by the tensor's key: in `known`, which others may share, or, where it depends on the
    direction, in `moving`.
    """

    arithmetic: Arithmetic
    sizes: Mapping[str, int]
    kinds: Mapping[type, Function]
    symbol: Callable[[str], Labelled]
    known: dict[str, Labelled] = field(default_factory=dict, repr=False, compare=False)
    moving: dict[str, Labelled] = field(default_factory=dict, repr=False, compare=False)

    def tensor(self, tensor: Tensor) -> Labelled:
        """The array of a tensor with an axis for each slot, and the labels of the axes in front of these."""
        known = self.moving if isinstance(tensor, Perturbation | Secant) else self.known
        if tensor.key not in known:
            array, front = self.kinds[type(tensor)](tensor)
            shape = (*array.shape[: len(front)], *slot_shape(tensor.dims, self.sizes))
            known[tensor.key] = Labelled(self.arithmetic.ops.reshape(array, shape), front)
        return known[tensor.key]


def patterns(ops: Ops, sizes: Mapping[str, int]) -> dict[type, Function]:
    """The tensors that are the same in every arithmetic: patterns of zeros and ones."""

    def shaped(name: str, shape: Sequence[Dimension]) -> Labelled:
        return Labelled(ops.asarray(pattern(name, slot_shape(shape, sizes))), ())

    return {
        Delta: lambda tensor: shaped("identity", tensor.dims),
        Pattern: lambda tensor: shaped(tensor.pattern, tensor.shape),
    }


def slot_shape(dims: Sequence[Dimension], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The lengths of a tensor's slots."""
    return tuple(size_of(dimension, sizes) for dimension in dims)


def sum_of_terms(source: NumberSource, index_sum: IndexSum, front: Mapping[int, int]) -> Array:
    """The array of a sum, of shape (sizes of `front`, sizes of the free indices in their order).

    Raises:
        DataError: a scalar that is no size has a negative power.
    """
    shape = {**front, **{index: size_of(dimension, source.sizes) for index, dimension in index_sum.free}}
    full, ops = tuple(shape.values()), source.arithmetic.ops
    total: Array | None = None
    for term in index_sum.terms:
        summand = _term(source, term, tuple(shape))
        total = summand if total is None else source.arithmetic.add(total, summand)
    if total is None:
        return ops.zeros(full)
    return total if tuple(total.shape) == full else ops.xp.broadcast_to(total, full)


def _term(source: NumberSource, term: Term, output: tuple[int, ...]) -> Array:
    arithmetic, coefficient, factors = source.arithmetic, term.coefficient, list[Labelled]()
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
    array = product_of(arithmetic, factors, output)
    if coefficient == 1:
        return array
    return arithmetic.multiply(array, arithmetic.ops.full((), arithmetic.rational(coefficient)))


def product_of(arithmetic: Arithmetic, factors: Sequence[Labelled], output: tuple[int, ...]) -> Array:
    """The product of the factors with the axes of `output`, summed over every other label.

    An axis of the output that no factor has has length 1.
    """
    ops, one = arithmetic.ops, Labelled(arithmetic.ops.full((), 1.0), ())
    left = [_diagonal(arithmetic, factor) for factor in factors] or [one]
    # A label that nothing else needs goes at once; later none becomes one, for a pair is summed over what only it has.
    left = [_without_lone(arithmetic, f, {*output, *_labels(left, but=k)}) for k, f in enumerate(left)]
    for i, j in pairwise(tuple(tuple(zip(f.labels, map(int, f.array.shape), strict=True)) for f in left), output):
        a, b = left[i], left[j]
        left = [f for k, f in enumerate(left) if k not in {i, j}]
        left.append(_pair(arithmetic, a, b, {*output, *_labels(left)}))
    ((array, labels),) = left
    there = tuple(label for label in output if label in labels)
    sizes = dict(zip(labels, map(int, array.shape), strict=True))
    return ops.reshape(permuted(ops, array, labels, there), tuple(sizes.get(label, 1) for label in output))


def _labels(factors: Sequence[Labelled], but: int = -1) -> Iterable[int]:
    return (label for k, factor in enumerate(factors) if k != but for label in factor.labels)


def _pair(arithmetic: Arithmetic, a: Labelled, b: Labelled, needed: set[int]) -> Labelled:
    """The product, summed over what is not needed."""
    shared = [label for label in a.labels if label in b.labels]
    alone = (label for label in (*a.labels, *b.labels) if label not in shared)
    labels = (*(label for label in shared if label in needed), *alone)
    how = contraction_of(a.labels, b.labels, labels)
    return Labelled(contract(how, arithmetic.ops, arithmetic.matmul, arithmetic.multiply, a.array, b.array), labels)


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
    flat = ops.reshape(ops.permute(a.array, (*rest, i, j)), (*(a.array.shape[k] for k in rest), n * n))
    return _diagonal(arithmetic, Labelled(flat[..., :: n + 1], (*(a.labels[k] for k in rest), repeated)))
