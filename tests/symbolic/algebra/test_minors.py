"""Minors and kernels of rational matrices, against FLINT's rank and determinant and against the definition."""

from fractions import Fraction
from random import Random

import pytest

from resproof.symbolic.algebra.matrices import Matrix, determinant, matrix, multiply, rank
from resproof.symbolic.algebra.minors import kernel, minors, rank_by_minors


def drawn(rows: int, columns: int, seed: int) -> Matrix:
    draw = Random(seed)
    return matrix(
        [[Fraction(draw.randrange(-2, 3), draw.randrange(1, 3)) for _ in range(columns)] for _ in range(rows)]
    )


MATRICES = [
    *(drawn(rows, columns, seed) for rows in (1, 2, 3) for columns in (1, 2, 3, 4) for seed in range(6)),
    matrix([[0, 0], [0, 0]]),
    matrix([[0, 1, 2], [0, 2, 4]]),
]


@pytest.mark.parametrize("a", MATRICES, ids=str)
def test_rank_and_kernel(a: Matrix) -> None:
    assert rank_by_minors(a) == rank(a)
    basis = kernel(a)
    assert len(basis) == len(a[0]) - rank(a)
    assert all(not any(row[0] for row in multiply(a, tuple((x,) for x in u))) for u in basis)
    if basis:
        assert rank(basis) == len(basis)


def test_the_greatest_minor_is_the_determinant() -> None:
    for seed in range(5):
        a = drawn(3, 3, seed)
        assert list(minors(a, 3)) == [determinant(a)]
    assert not list(minors(drawn(2, 3, 0), 3))
    assert len(list(minors(drawn(3, 4, 0), 2))) == 18
