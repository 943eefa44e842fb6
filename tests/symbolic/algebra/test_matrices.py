"""Exact matrices: printed permutation, block structure, verified spectra, inertia."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures import catalogue
from resproof.architectures.activations import polynomial
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.algebra.matrices import (
    Inertia,
    Matrix,
    Vector,
    add,
    any_entry,
    block_diagonal,
    block_toeplitz,
    cayley,
    characteristic_polynomial,
    commutation_matrix,
    determinant,
    eye,
    inertia,
    inverse,
    kronecker,
    matrix,
    multiply,
    prove_commutation,
    rank,
    scale,
    transpose,
)
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point
from tests.oracles import determinant_by_permutations

SEEDS = st.integers(0, 10**6)


def vec(a: Matrix) -> Vector:
    return tuple(x for column in transpose(a) for x in column)


def random_matrix(r: random.Random, rows: int, cols: int) -> Matrix:
    return matrix([[Fraction(r.randint(-5, 5), r.randint(1, 3)) for _ in range(cols)] for _ in range(rows)])


def random_orthogonal(r: random.Random, d: int) -> Matrix:
    a = random_matrix(r, d, d)
    return cayley(add(a, scale(-1, transpose(a))))


@settings(deadline=None)
@given(st.integers(1, 6), SEEDS)
def test_the_printed_permutation_commutes(d: int, seed: int) -> None:
    v = random_matrix(random.Random(seed), d, d)
    assert multiply(commutation_matrix(d), transpose((vec(v),))) == transpose((vec(transpose(v)),))


def test_the_proof_for_all_sizes() -> None:
    at = any_entry()
    steps = prove_commutation(at)
    assert steps[-1] == "hence (P vec V)_i = V_rc = (V^T)_cr = vec(V^T)_i"
    at = any_entry()
    assert at.sizes.free == ("d",)
    assert replace(at, d=at.ring.number(Fraction(3))).sizes.free == ()


@pytest.mark.parametrize(
    "row",
    [
        lambda remainder, ceiling, d: remainder * d + ceiling - 1,
        lambda remainder, ceiling, d: (ceiling - 1) * d + remainder + 1,
        lambda remainder, ceiling, d: remainder * (d + 1) + ceiling,
        lambda remainder, ceiling, d: remainder + ceiling,
    ],
)
def test_neighbouring_permutations_are_rejected(row: object) -> None:
    assert callable(row)
    with pytest.raises(AssertionError, match="fails by"):
        _ = prove_commutation(any_entry(), row)


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), SEEDS)
def test_kronecker_products_act_on_vec(p: int, q: int, seed: int) -> None:
    """(B^T (x) A) vec(X) = vec(A X B)."""
    r = random.Random(seed)
    a, x, b = random_matrix(r, p, q), random_matrix(r, q, p), random_matrix(r, p, q)
    left = multiply(kronecker(transpose(b), a), transpose((vec(x),)))
    assert left == transpose((vec(multiply(multiply(a, x), b)),))


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 4), SEEDS)
def test_block_toeplitz_entry_by_entry(p: int, units: int, seed: int) -> None:
    r = random.Random(seed)
    d, a = random_matrix(r, p, p), random_matrix(r, p, p)
    t = block_toeplitz(d, a, units)
    for i in range(units * p):
        for j in range(units * p):
            (r1, k), (r2, q) = divmod(i, p), divmod(j, p)
            assert t[i][j] == (d[k][q] if r1 == r2 else a[k][q] if r1 > r2 else a[q][k])


def test_block_diagonal_of_rectangles() -> None:
    assert block_diagonal(matrix([[1, 2]]), matrix([[3], [4]])) == matrix([[1, 2, 0], [0, 0, 3], [0, 0, 4]])


# The Hessian block of a 2-shortcut unit, its eigenvectors in closed form.


@dataclass(frozen=True, slots=True)
class Eigenpair:
    """A vector claimed to be an eigenvector, with its eigenvalue."""

    value: Any
    vector: Vector


def spectrum(h: Matrix, pairs: Sequence[Eigenpair]) -> Counter[Any]:
    """The eigenvalues of h with their multiplicities, each pair verified and the vectors verified to span the space.

    Raises:
        AssertionError: a pair is none, or the vectors are no basis.
    """
    for pair in pairs:
        image = tuple(sum(x * y for x, y in zip(row, pair.vector, strict=True)) for row in h)
        if any(x != pair.value * y for x, y in zip(image, pair.vector, strict=True)):
            raise AssertionError(f"spectrum: {pair.vector} is no eigenvector with eigenvalue {pair.value}")
    if len(pairs) != len(h) or rank(tuple(pair.vector for pair in pairs)) != len(h):
        raise AssertionError(f"spectrum: {len(pairs)} vectors do not form a basis of a space of dimension {len(h)}")
    return Counter(pair.value for pair in pairs)


def two_shortcut_unit(m: Matrix, c: Any = 1) -> Matrix:
    """[[0, A^T], [A, 0]] with A = c blockdiag(M, ..., M) P^T: the Hessian block of one 2-shortcut unit.

    Source: Demystifying ResNet, Eq. 8, 23-25.
    """
    d = len(m)
    a = scale(c, multiply(block_diagonal(*[m] * d), transpose(matrix(commutation_matrix(d)))))
    zeros = matrix([[0] * d**2] * d**2)
    return tuple(x + y for x, y in zip(zeros, transpose(a), strict=True)) + tuple(
        x + y for x, y in zip(a, zeros, strict=True)
    )


def two_shortcut_eigenpairs(u: Matrix, s: Sequence[Any], v: Matrix, c: Any = 1) -> tuple[Eigenpair, ...]:
    """(W1, W2) = (a v_i^T, +-u_i a^T) with eigenvalue +-c s_i, for M = U diag(s) V^T and a = e_1, ..., e_d.

    2 d^2 vectors, each (vec W1, vec W2). Source: Demystifying ResNet, Eq. 22 and 26.
    """
    d = len(u)
    return tuple(
        Eigenpair(sign * c * s[i], vec(outer(e, v_i)) + tuple(sign * x for x in vec(outer(u_i, e))))
        for i, (u_i, v_i) in enumerate(zip(transpose(u), transpose(v), strict=True))
        for e in eye(d)
        for sign in (1, -1)
    )


def outer(a: Vector, b: Vector) -> Matrix:
    return tuple(tuple(x * y for y in b) for x in a)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 3), SEEDS)
def test_the_spectrum_of_a_two_shortcut_unit(d: int, seed: int) -> None:
    r = random.Random(seed)
    u, v, c = random_orthogonal(r, d), random_orthogonal(r, d), Fraction(r.randint(1, 4), 3)
    s = [Fraction(r.randint(0, 4), 2) for _ in range(d)]
    m = multiply(multiply(u, block_diagonal(*(matrix([[x]]) for x in s))), transpose(v))
    assert multiply(u, transpose(u)) == eye(d)
    h, pairs = two_shortcut_unit(m, c), two_shortcut_eigenpairs(u, s, v, c)
    expected: Counter[Fraction] = Counter()
    for x in s:
        expected[c * x] += d
        expected[-c * x] += d
    assert spectrum(h, pairs) == expected
    negative, zero = (sum(k for x, k in expected.items() if test(x)) for test in (lambda x: x < 0, lambda x: x == 0))
    assert inertia(h) == Inertia(negative, zero, negative)


def test_the_network_has_that_spectrum() -> None:
    """R = 2 units: every multiplicity is R d."""
    d, u, v, s = 2, cayley(matrix([[0, 1], [-1, 0]])), cayley(matrix([[0, 2], [-2, 0]])), [Fraction(3), Fraction(1, 2)]
    m = multiply(multiply(u, block_diagonal(matrix([[s[0]]]), matrix([[s[1]]]))), transpose(v))
    # X = sqrt(m) I in two samples gives M = (X - Y) X^T / 2; with X = 2 I it is X - Y.
    x = [[2, 0], [0, 2]]
    y = [[x[i][j] - m[i][j] for j in range(d)] for i in range(d)]
    net = Network(ResidualUnit(catalogue.n_shortcut(2, mid=polynomial(0, 3, 1))), 2)
    found = hessian_at_initial_point(net, {"d": d}, data=Instance(x, y))
    h = matrix([[found.ring.plain(found[a, b]).get((), Fraction(0)) for b in range(16)] for a in range(16)])
    unit = two_shortcut_unit(m, 3)
    assert h == block_diagonal(unit, unit)
    zeros = (Fraction(0),) * 8
    pairs = [
        Eigenpair(pair.value, vector)
        for pair in two_shortcut_eigenpairs(u, s, v, 3)
        for vector in (pair.vector + zeros, zeros + pair.vector)
    ]
    assert spectrum(h, pairs) == Counter({3 * s[0]: 4, -3 * s[0]: 4, 3 * s[1]: 4, -3 * s[1]: 4})


def test_wrong_eigenpairs_are_rejected() -> None:
    h = matrix([[0, 1], [1, 0]])
    with pytest.raises(AssertionError, match="no eigenvector"):
        _ = spectrum(h, [Eigenpair(1, (1, 1)), Eigenpair(1, (1, -1))])
    with pytest.raises(AssertionError, match="do not form a basis"):
        _ = spectrum(h, [Eigenpair(1, (1, 1)), Eigenpair(1, (2, 2))])


@pytest.mark.parametrize("d", [1, 2])
def test_the_characteristic_polynomial_for_symbolic_m(d: int) -> None:
    """det(t - H) = det(t^2 - c^2 M^T M)^d: the eigenvalues are +- c sigma_i(M), d times each."""
    t, c = sympy.symbols("t c")
    m = tuple(tuple(sympy.Symbol(f"m{i}{j}") for j in range(d)) for i in range(d))
    left = characteristic_polynomial(two_shortcut_unit(m, c), t)
    square = characteristic_polynomial(scale(c**2, multiply(transpose(m), m)), t).subs(t, t**2)
    assert sympy.expand(left - square**d) == 0


@settings(deadline=None)
@given(st.integers(1, 5), SEEDS)
def test_determinant_and_rank(n: int, seed: int) -> None:
    r = random.Random(seed)
    a = random_matrix(r, n, n)
    assert determinant(a) == determinant_by_permutations(a)
    assert (rank(a) == n) == (determinant(a) != 0)
    thin = multiply(random_matrix(r, n, 1), random_matrix(r, 1, n))
    assert rank(thin) <= 1
    if determinant(a):
        assert multiply(a, inverse(a)) == eye(n)


@settings(deadline=None)
@given(st.lists(st.integers(-2, 2), min_size=1, max_size=5), SEEDS)
def test_inertia_by_sylvesters_law(diagonal: list[int], seed: int) -> None:
    n = len(diagonal)
    s = add(random_orthogonal(random.Random(seed), n), eye(n))
    if determinant(s) == 0:
        s = eye(n)
    a = multiply(multiply(transpose(s), block_diagonal(*(matrix([[x]]) for x in diagonal))), s)
    signs = [sum(test(x) for x in diagonal) for test in (lambda x: x < 0, lambda x: x == 0, lambda x: x > 0)]
    found = inertia(a)
    assert found == Inertia(*signs)
    assert found.indefinite == (min(diagonal) < 0 < max(diagonal))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="not symmetric"):
        _ = inertia(matrix([[0, 1], [0, 0]]))
    with pytest.raises(ValueError, match="not skew-symmetric"):
        _ = cayley(eye(2))
    with pytest.raises(ValueError, match="rows of lengths"):
        _ = matrix([[1], [1, 2]])
    with pytest.raises(ZeroDivisionError):
        _ = inverse(matrix([[0]]))
