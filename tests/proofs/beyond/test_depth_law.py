"""GEN-3, GEN-4 and the remark after Theorem 2: verdicts that are computed, and arguments that can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.numeric.spectra.toeplitz import count_below
from resproof.proofs.beyond.depth_evidence import LINEAR, measured_blocks, signs
from resproof.proofs.beyond.depth_instances import GENERAL_INSTANCES
from resproof.proofs.beyond.depth_law import GEN_3
from resproof.proofs.beyond.depth_spectrum import GEN_4
from resproof.proofs.demystifying_resnet.after_theorem2 import T2_3X
from resproof.proofs.statement import Citation, Context, Data
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.matrices import add, block_toeplitz, eye, inertia, matrix, scale, transpose
from tests.proofs.offered import offered

STATEMENTS = (T2_3X, GEN_3, GEN_4)


def test_the_exceptions_are_a_null_set(statement_result: RunOnce) -> None:
    (reading,) = (one.reading for one in statement_result(T2_3X, "exact").clauses if one.reading)
    assert reading.kind == "exception"
    assert [step.outcome for step in reading.steps] == ["passed", "passed"]


def test_the_trace_of_a_where_the_data_are_fitted() -> None:
    # Two units f + V pre(f), pre(t) = t + t^2, squared loss: central differences in one entry of each weight.
    x, step = np.array([[1.0, 2.0, 0.5], [-1.0, 3.0, 0.25]]), 1e-3

    def loss(i: int, j: int, s: float, t: float) -> float:
        v, w = np.zeros((2, 2)), np.zeros((2, 2))
        v[i, j], w[i, j] = s, t
        f = x + v @ (x + x**2)
        f = f + w @ (f + f**2)
        return float(((f - x) ** 2).sum() / 6)

    mixed = [
        sum(s * t * loss(i, j, s * step, t * step) for s in (-1, 1) for t in (-1, 1)) / (4 * step**2)
        for i in range(2)
        for j in range(2)
    ]
    assert sum(mixed) == pytest.approx(2 * ((x + x**2) ** 2).sum() / 3, rel=1e-3)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_determinant_takes_the_symmetric_and_the_skew_part(symmetric: bool) -> None:
    """A = W - K holds for W = A and K = 0 too, and the product of determinants is then another number."""
    d, a, z = np.array([[2.0, 1.0], [1.0, -3.0]]), np.array([[1.0, 4.0], [-2.0, 5.0]]), 0.3
    w, k = ((a + a.T) / 2, (a.T - a) / 2) if symmetric else (a, np.zeros((2, 2)))
    c = first = d - w - z * np.eye(2)
    found = 1.0
    for _ in range(2):
        found *= np.linalg.det(c + first)
        c = c - (c - k) @ np.linalg.inv(c + first) @ (c + k)
    whole = np.block([[d, a.T, a.T], [a, d, a.T], [a, a, d]]) - z * np.eye(6)
    expected = np.linalg.det(whole)
    assert bool(abs(found * np.linalg.det(w + c) - expected) < 1e-9 * abs(expected)) is symmetric


@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 0)])
def test_an_entry_of_a_for_a_loss_with_any_curvature(i: int, j: int) -> None:
    # f = U_2(U_1(x)), loss f^T Q f / 2 + g^T f: quadratic in an entry of either weight, so that differences are exact.
    q, g = np.array([[2, 1], [1, 3]]), np.array([5, -7])
    x = np.array([[1, 2, 0], [-1, 3, 4]])

    def loss(s: int, t: int) -> Fraction:
        step = np.zeros((2, 2), dtype=int)
        step[i, j] = 1
        f = (np.eye(2, dtype=int) + t * step) @ (np.eye(2, dtype=int) + s * step) @ x
        return Fraction(int(np.sum(f * (q @ f)) + 2 * np.sum(g @ f)), 2 * x.shape[1])

    mixed = sum(s * t * loss(s, t) for s in (1, -1) for t in (1, -1)) / 4
    assert mixed == Fraction(int(q[i, i] * np.sum(x[j] ** 2)), x.shape[1])


def test_a_wrong_claim_fails_the_statement() -> None:
    falsehood = GENERAL_INSTANCES.neighbours[r"$R$ in place of $\lfloor R/2\rfloor$"]
    wrong = replace(GENERAL_INSTANCES, claim=falsehood, neighbours={"none": None})
    first, *others = GEN_3.clauses
    arguments = tuple(wrong if one is GENERAL_INSTANCES else one for one in first.arguments)
    assert wrong in arguments
    result = run(replace(GEN_3, clauses=(replace(first, arguments=arguments), *others)), parts=("exact",))
    assert result.verdict == "FAILED"
    assert "cond(H_R)" in result.reason


def test_the_citations_check_their_hypotheses() -> None:
    citations = [one for one in offered(GEN_3) if isinstance(one, Citation)]
    assert {one.theorem for one in citations} == {"courant-fischer", "singular-interlacing"}
    for check in (check for one in citations for check in one.hypotheses.values()):
        assert check.holds(check.of())
        assert not check.holds(check.fails_on())


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 3), st.integers(2, 6), st.integers(0, 10**6))
def test_the_lower_bound_on_random_matrices(p: int, units: int, seed: int) -> None:
    """GEN-3 knows nothing of networks: any D = D^T and A."""
    d, a = np.random.default_rng(seed).normal(size=(2, p, p))
    d = d + d.T
    below = np.tril(np.ones((units, units)), -1)
    h = np.kron(np.eye(units), d) + np.kron(below, a) + np.kron(below.T, a.T)
    singular = np.linalg.svd(h, compute_uv=False)
    norms = [float(np.linalg.norm(m, 2)) for m in (a, d - a)]
    assert singular[0] >= (units // 2) * norms[0] * (1 - 1e-12)
    assert np.sum(singular <= norms[1] * (1 + 1e-12)) >= p * (units // 2)


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(-20, 20), st.integers(0, 10**6))
def test_floating_and_exact_counts_agree(p: int, units: int, shift: int, seed: int) -> None:
    """Both sides on the same dyadic matrices: the float count lies between exact ones within its own error."""
    entries = np.random.default_rng(seed).integers(-8, 9, size=(2, p, p)) / 4.0
    d, a = entries[0] + entries[0].T, entries[1]
    z = shift / 4.0 + 1.0 / 64.0
    count, error = count_below(d, a, units, z)
    exact_d, exact_a = (matrix([[Fraction(float(x)) for x in row] for row in one]) for one in (d, a))
    assert exact_d == transpose(exact_d)
    h = block_toeplitz(exact_d, exact_a, units)
    ends = [inertia(add(h, scale(-(Fraction(z) + s * Fraction(error)), eye(len(h))))) for s in (-1, 1)]
    assert ends[0].negative <= count <= ends[1].negative + ends[1].zero


def test_what_is_as_large_as_the_bound_is_zero() -> None:
    assert signs(np.array([-1.0, 0.5]), 1.0) == (0, 2, 0)


def test_evidence_is_within_its_bounds() -> None:
    for statement in STATEMENTS:
        quick = tuple(one for one in statement.evidence if not one.deep)
        assert quick
        result = run(replace(statement, evidence=quick), parts=("evidence",))
        assert result.measurements
        assert all(one.value <= one.bound for one in result.measurements)


def test_long_evidence_is_marked_as_such() -> None:
    deep = [one for statement in STATEMENTS for one in statement.evidence if one.deep]
    assert [one.title.partition(",")[0] for one in deep]
    assert all(not one.exact for one in deep)


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 3), st.integers(2, 4), st.integers(0, 10**6))
def test_a_null_vector_beside_the_common_kernel(d: int, units: int, seed: int) -> None:
    """Linear units, one sample: V = M c b^T with b^T x = 0 lies in N^perp and e_1 (x) V is mapped to zero.

    D V = V S, A V = V S + M V^T and A^T V = V S + V^T M, read off from the loss for V in two units.
    """
    draw = np.random.default_rng(seed)
    x, y = draw.integers(-3, 4, size=(2, d)).astype(float)
    x[0] = 1.0
    s, m = np.outer(x, x), np.outer(x - y, x)

    def matrix_of(form: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        basis = np.eye(d * d).reshape(d * d, d, d)
        return np.stack([form(one).reshape(-1) for one in basis], axis=1)

    below = matrix_of(lambda v: v @ s + m @ v.T)
    diagonal, transposed = matrix_of(lambda v: v @ s), matrix_of(lambda v: v @ s + v.T @ m)
    assert np.array_equal(below.T, transposed)
    lower = np.tril(np.ones((units, units)), -1)
    h = np.kron(np.eye(units), diagonal) + np.kron(lower, below) + np.kron(lower.T, below.T)
    b = draw.integers(-3, 4, size=d).astype(float)
    b -= x * (b @ x) / (x @ x)
    v = np.outer(m @ draw.integers(1, 4, size=d), b).reshape(-1)
    first = np.eye(units)[0]
    assert np.max(np.abs(h @ np.kron(first, v))) < 1e-9
    kernel = np.linalg.svd(np.vstack([diagonal, below, below.T]))[2]
    rank = np.linalg.matrix_rank(np.vstack([diagonal, below, below.T]))
    assert np.max(np.abs(kernel[rank:] @ v), initial=0.0) < 1e-9


def test_blocks_of_two_running_units() -> None:
    """D and A of linear units by products are those of S and M."""
    x, y = np.random.default_rng(1).standard_normal((2, 3, 20))
    one = measured_blocks(LINEAR, 3, Context(load=lambda: Data(x, y, "random")))
    s, m = x @ x.T / 20, (x - y) @ x.T / 20
    v = np.random.default_rng(2).standard_normal((3, 3))
    flat = v.T.reshape(-1)
    assert np.allclose(one.diagonal @ flat, (v @ s).T.reshape(-1))
    assert np.allclose(one.below @ flat, (v @ s + m @ v.T).T.reshape(-1))
