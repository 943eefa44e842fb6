"""Minors and kernels of exact matrices: rank by determinants, and a basis of the kernel by elimination.

A matrix has rank at least k exactly when one of its k x k minors is nonzero. Entries may be rational or elements of any
commutative ring: the determinant is expanded along the first row, so for small matrices only. Source: Horn and
Johnson, Matrix Analysis, 2nd ed., Sections 0.3.1 and 0.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from resproof.symbolic.algebra.matrices import Matrix


def minors(a: Matrix, size: int) -> Iterator[Any]:
    """The determinants of all size x size submatrices; none where the matrix is too small."""
    for rows in combinations(range(len(a)), size):
        for columns in combinations(range(len(a[0])), size):
            yield _determinant([[a[i][j] for j in columns] for i in rows])


def rank_by_minors(a: Matrix) -> int:
    """The greatest size of a minor that does not vanish."""
    largest = min(len(a), len(a[0]))
    return next((size for size in range(largest, 0, -1) if any(minors(a, size))), 0)


def kernel(a: Matrix) -> tuple[tuple[Fraction, ...], ...]:
    """A basis of {u : a u = 0} for a rational matrix, by elimination."""
    rows, columns = [[Fraction(x) for x in row] for row in a], len(a[0])
    pivots = list[int]()
    for column in range(columns):
        done = len(pivots)
        found = next((i for i in range(done, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        pivot = rows[done]
        rows[done] = [x / pivot[column] for x in pivot]
        for i, row in enumerate(rows):
            if i != done and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[done], strict=True)]
        pivots.append(column)
    return tuple(_solution(rows, pivots, free, columns) for free in range(columns) if free not in pivots)


def _solution(
    rows: Sequence[Sequence[Fraction]], pivots: Sequence[int], free: int, columns: int
) -> tuple[Fraction, ...]:
    """The kernel vector with a one at the free column and zeros at the other free ones."""
    vector = [Fraction(int(j == free)) for j in range(columns)]
    for i, pivot in enumerate(pivots):
        vector[pivot] = -rows[i][free]
    return tuple(vector)


def _determinant(a: Sequence[Sequence[Any]]) -> Any:
    if len(a) == 1:
        return a[0][0]
    parts = [
        (-1) ** j * x * _determinant([[*row[:j], *row[j + 1 :]] for row in a[1:]]) for j, x in enumerate(a[0]) if x
    ]
    # The empty sum is a zero of the entries' own ring.
    return sum(parts[1:], parts[0]) if parts else a[0][0]
