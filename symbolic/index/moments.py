"""Expectations of sums of index terms over random matrices with independent centred Gaussian entries.

By Isserlis' theorem the expectation of a product of entries of W is the sum over all pairings,

    E W[i1,j1] ... W[i2k,j2k] = sum over pairings of prod over pairs v delta_{i i'} delta_{j j'},

and zero for an odd number. With no more than two factors of W only the mean and the variance v enter, so that the
result holds for every distribution with uncorrelated centred entries of variance v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from resproof.architectures.forms.terms import Delta, Factor, Tensor
from resproof.symbolic.index.series import Sum, add, collect, multiply

Item = TypeVar("Item")


def expectation(summand: Sum, matrix: Tensor, variance: Sum) -> Sum:
    """E of the sum over a matrix with independent entries N(0, variance); the variance is free of indices.

    Raises:
        ValueError: the tensor is no matrix.
    """
    if len(matrix.dims) != 2:
        raise ValueError(f"expectation: {matrix.label} has {len(matrix.dims)} indices; expected a matrix")
    total: Sum = {}
    for (scalars, factors), coefficient in summand.items():
        slots = [indices for tensor, indices in factors if tensor == matrix]
        rest = tuple(factor for factor in factors if factor[0] != matrix)
        paired = collect((coefficient, scalars, (*rest, *_deltas(matrix, pairs))) for pairs in pairings(slots))
        for _ in range(len(slots) // 2):
            paired = multiply(variance, paired)
        total = add(total, paired)
    return total


def pairings(items: Sequence[Item]) -> Iterator[list[tuple[Item, Item]]]:
    """Every way to split the items into pairs; none for an odd number."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for k, partner in enumerate(rest):
        for others in pairings([*rest[:k], *rest[k + 1 :]]):
            yield [(first, partner), *others]


def gaussian_moment(power: int) -> int:
    """E z^power for z of mean zero and variance one: (power - 1)!! for even powers."""
    return 0 if power % 2 else sum(1 for _ in pairings(range(power)))


def _deltas(matrix: Tensor, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Iterator[Factor]:
    rows, cols = matrix.dims
    for (row, col), (other_row, other_col) in pairs:
        yield Delta((rows, rows)), (row, other_row)
        yield Delta((cols, cols)), (col, other_col)
