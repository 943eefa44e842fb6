"""Section 4 of Rethinking skip connections: verdicts that are computed, and second derivations of what they rest on."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy

from resproof.proofs.formulas import plain
from resproof.proofs.rethinking_skips.condition_of_products import CONDITION_FACTORS, DEPTH_SERIES, FactorCounts
from resproof.proofs.rethinking_skips.growth_of_products import stacked, substituted
from resproof.proofs.rethinking_skips.independent_layers import (
    MEAN_PRODUCTS,
    RANDOM,
    ROOT_BELOW,
    SIGNED_LAYERS,
    _bounded_with_second_moment,
    _fills_an_interval,
    _normal_about_zero,
    changing,
    condition_shares,
    drawn,
    error_shares,
    repeated,
)
from resproof.proofs.rethinking_skips.joint_evidence import digamma_difference, gapped_network, inputs
from resproof.proofs.rethinking_skips.joint_families import (
    dominant_term,
    family,
    in_the_eigenbasis,
    squared_relative_error,
    undamped_form,
)
from resproof.proofs.rethinking_skips.joint_products import R2, R3, STATEMENTS, T2, T3
from resproof.proofs.rethinking_skips.plain_products import R1, T1
from resproof.proofs.rethinking_skips.random_matrices import (
    ENTRY,
    POINT_MASS,
    Density,
    densities,
    kernel_vector,
    pseudo_inverse,
)
from resproof.proofs.statement import Argument, Context, Data, Unsuited
from resproof.proofs.theory.linear_networks import outputs
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.matrices import matrix, multiply, transpose
from resproof.symbolic.algebra.rings import flint_ring
from tests.proofs.offered import arguments, rejects_neighbours

EXPECTED = {
    "RS-E3": "PROVED",
    "RS-P1": "PROVED",
    "RS-P2": "PROVED",
    "RS-E12": "PROVED",
    "RS-T1": "REPAIRED",
    "RS-R1": "REPAIRED",
    "RS-L1": "PROVED",
    "RS-A1": "PROVED",
    "RS-T2": "REPAIRED",
    "RS-R2": "PROVED",
    "RS-T3": "REPAIRED",
    "RS-R3": "PROVED",
}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_verdicts_of_the_exact_parts(statement, statement_result: RunOnce) -> None:
    result = statement_result(statement, "exact")
    assert (result.verdict, result.all_sizes) == (EXPECTED[statement.id], True)
    added = "under a hypothesis that is not printed: the layers are independent; the layers have one law"
    data = "; X has rank d, so that m ≥ d"
    assert result.reason == {"RS-T1": added, "RS-R1": added + data}.get(statement.id, "")


OTHER_READINGS = {
    "RS-T1": ("REPAIRED",),
    "RS-R1": ("REPAIRED",) * 4,
    "RS-T2": ("REFUTED",),
    "RS-R2": ("REPAIRED", "REPAIRED"),
    "RS-T3": ("REFUTED",),
    "RS-R3": ("REPAIRED",),
}
READINGS = {"RS-T1": "exception", "RS-R1": "sense", "RS-R2": "exception", "RS-T3": "erratum", "RS-R3": "exception"}


@pytest.mark.parametrize("statement", [T1, R1, T2, R2, T3, R3], ids=lambda one: one.id)
def test_each_reading_has_its_verdict(statement, statement_result: RunOnce) -> None:
    (clause,) = statement_result(statement, "exact").clauses
    assert tuple(one.verdict for one in clause.other_readings) == OTHER_READINGS[statement.id]
    assert (clause.reading.kind if clause.reading else None) == READINGS.get(statement.id)


@pytest.mark.parametrize("statement", [T1, R1, T2, R2, T3, R3], ids=lambda one: one.id)
def test_counterexamples_satisfy_every_hypothesis_and_need_each(statement, statement_result: RunOnce) -> None:
    (clause,) = statement_result(statement, "exact").clauses
    found = [one.counterexample for one in (clause, *clause.other_readings) if one.counterexample]
    assert found
    for one in found:
        assert len(one.hypotheses) >= 3
        assert all(held for _, held in one.hypotheses)
        assert {"as printed"} <= set.intersection(*(set(s.rejected) for s in one.steps))


def test_hypotheses_can_fail() -> None:
    """Each predicate refuses a network that it should refuse."""
    shear = matrix([[1, 1], [0, 1]])
    literal = T1.clauses[0].other_readings[0]
    assert literal.counterexample is not None
    cases = {
        "a linear plain network": family([[2, 1]], shortcut=True),
        "Definition 1": family([[2, 1]], shortcut=False, vectors=shear),
        "Corollary 1": family([[2, 0]], shortcut=False),
        r"$\lvert\lambda_1^l\rvert": family([[1, -1]], shortcut=False),
        "Assumption 1": replace(family([[2, 1]], shortcut=False), vectors=shear),
        "the weights are real square": replace(family([[2, 1]], shortcut=False), weights=(matrix([[2, 0, 0]] * 2),)),
    }
    for start, one in cases.items():
        (hypothesis,) = [h for h in literal.hypotheses if h.sentence.startswith(start)]
        assert not hypothesis.predicate(one)
        assert hypothesis.predicate(literal.counterexample.instance)
    dependent = replace(family([[2, 1]], shortcut=False), vectors=matrix([[1, 1], [1, 1]]))
    (joint,) = [h for h in literal.hypotheses if h.sentence.startswith("Assumption 1")]
    assert not joint.predicate(dependent)
    with pytest.raises(ZeroDivisionError):
        _ = family([[2, 1]], shortcut=False, vectors=dependent.vectors)


def test_a_counterexample_that_breaks_a_hypothesis_fails() -> None:
    (clause,) = T2.clauses
    assert clause.counterexample is not None
    certain, reversed_order = (
        drawn({values: Fraction(1)}, shortcut=True)
        for values in ((Fraction(3, 4), Fraction(1, 2)), (Fraction(1, 2), Fraction(3, 4)))
    )
    for wrong in (certain, reversed_order, replace(SIGNED_LAYERS, shortcut=False)):
        other = replace(clause, counterexample=replace(clause.counterexample, instance=wrong))
        result = run(replace(T2, clauses=(other,)), parts=("exact",))
        assert (result.verdict, "the instance does not satisfy" in result.reason) == ("FAILED", True)


def test_independence_and_one_law_are_not_printed_and_credited_to_no_counterexample(statement_result: RunOnce) -> None:
    assert [one.printed for one in RANDOM] == [True, True, False, False]
    for statement in (T2, R2, T3, R3):
        (whole,) = statement_result(statement, "exact").clauses
        clause = whole.other_readings[0] if statement.id in {"RS-R2", "RS-R3"} else whole
        assert clause.counterexample is not None
        assert not {one.sentence for one in RANDOM if not one.printed} & {
            s for s, _ in clause.counterexample.hypotheses
        }
        assert all(one.printed for one in clause.hypotheses)
    for wrong in (repeated(SIGNED_LAYERS), changing(SIGNED_LAYERS)):
        for compute in (error_shares, condition_shares):
            with pytest.raises(ValueError, match="independent layers with one law"):
                _ = compute(wrong)(Context())


def test_the_form_of_theorem_2_holds_where_its_other_coordinates_are_missing() -> None:
    """With alpha_2 = 0 nothing is left out, however the layers grow: the repair asks for alpha_i != 0."""
    for alpha, least in (((Fraction(1), Fraction(0)), 0), ((Fraction(1), Fraction(1)), 1)):
        one = family([[Fraction(-1, 2), Fraction(2, 5)]], shortcut=True, alpha=alpha)
        assert (squared_relative_error(one, undamped_form, 8) > least) == bool(least)
        assert (squared_relative_error(one, undamped_form, 8) == 0) == (not least)


def test_densities_by_their_conditions() -> None:
    u, bell = densities()
    exponential, root = (
        Density(value, sympy.Integer(0), high)
        for value, high in ((sympy.exp(-ENTRY), sympy.oo), (1 / (2 * sympy.sqrt(ENTRY)), sympy.Integer(1)))
    )
    assert [_bounded_with_second_moment(one) for one in (u, bell, exponential, root)] == [True, True, True, False]
    assert [_fills_an_interval(one) for one in (u, bell, POINT_MASS)] == [True, True, False]
    assert [_normal_about_zero(one) for one in (u, bell, exponential)] == [False, False, False]


def test_layers_of_shrinking_spread_stay_well_conditioned() -> None:
    """I + W^l with entries N(0, 16^-l): independent, without one law, and kappa stays."""
    rng, a = np.random.default_rng(5), np.eye(3)
    for layer in range(1, 60):
        a = (np.eye(3) + 4.0**-layer * rng.normal(size=(3, 3))) @ a
    assert np.linalg.cond(a) < 20


def test_a_wrong_claim_fails() -> None:
    wrong = replace(
        CONDITION_FACTORS, claim=FactorCounts("+1 D", {"V": 1, "X": 1}, {"V": 1, "X": 1}), neighbours={"x": None}
    )
    (clause,) = R1.clauses
    offered = tuple(wrong if one is CONDITION_FACTORS else one for one in clause.arguments)
    result = run(replace(R1, clauses=(replace(clause, arguments=offered),)), parts=("exact",))
    assert result.verdict == "FAILED"


@pytest.mark.parametrize(
    "argument",
    arguments(*STATEMENTS),
    ids=lambda one: plain(one.title)[:40],
)
def test_a_neighbour_in_place_of_the_claim_fails(argument: Argument) -> None:
    rejects_neighbours(argument)


@pytest.mark.parametrize("vectors", [None, matrix([[1, 1], [-1, 2]])])
@pytest.mark.parametrize("shortcut", [False, True])
def test_printed_forms_by_numpy(vectors, *, shortcut: bool) -> None:
    one = family([[Fraction(1, 2), Fraction(-1, 3)], [Fraction(1, 5), 1]], shortcut=shortcut, vectors=vectors)
    v = np.array([[float(x) for x in row] for row in one.vectors])
    mu = np.array([0.5 + 0.2, -1 / 3 + 1]) + shortcut
    layer = v @ np.diag(mu) @ np.linalg.inv(v)
    h = np.linalg.matrix_power(layer, 4) @ v.sum(axis=1)
    np.testing.assert_allclose([float(x) for x in one.hidden(4)], h)
    np.testing.assert_allclose([float(x) for x in in_the_eigenbasis(one, 4)], h)
    np.testing.assert_allclose([float(x) for x in dominant_term(one, 4)], mu[0] ** 4 * v[:, 0])
    np.testing.assert_allclose([float(x) for x in undamped_form(one, 4)], v.sum(axis=1) + (mu[0] ** 4 - 1) * v[:, 0])


def test_the_network_run_on_symbols_has_the_layers_in_order() -> None:
    """W2_1 W1_1 x: the monomial W2_1[1,2] W1_1[2,1] x_1_1 occurs in the first row, the exchanged one does not."""
    first = outputs(stacked(2, 1, shortcut=False), 2)[0][0]
    assert (("W1_1[2,1]", 1), ("W2_1[1,2]", 1), ("x_1_1", 1)) in first
    assert (("W1_1[1,2]", 1), ("W2_1[2,1]", 1), ("x_1_1", 1)) not in first


def test_a_square_is_substituted_as_one() -> None:
    ring = flint_ring(["a"])
    assert substituted({(("a", 2),): Fraction(1)}, ring, {"a": ring.symbol("a")}) == ring.symbol("a") ** 2


def test_the_depth_invariant_bound_in_numbers() -> None:
    values = [depth * math.log((1 + 1 / depth) / (1 - 1 / depth)) for depth in range(2, 200)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 2 > values[-1] - 1e-4
    assert DEPTH_SERIES.claim.coefficient(Fraction(3)) == Fraction(2, 7)


def test_products_of_norms_in_numbers() -> None:
    """kappa <= prod (1 + w)/(1 - w) for layers drawn at random, and the same for several paths."""
    rng = np.random.default_rng(0)
    for depth in (1, 3, 10):
        a, bound = np.eye(4), 1.0
        for _ in range(depth):
            w = rng.normal(size=(4, 4))
            w *= rng.uniform(0.05, 0.6) / np.linalg.norm(w, 2)
            a, norm = (np.eye(4) + w) @ a, np.linalg.norm(w, 2)
            bound *= (1 + norm) / (1 - norm)
        assert np.linalg.cond(a) <= bound * (1 + 1e-10)


def test_roots_below_the_parabola() -> None:
    for x in np.linspace(-1, 56 / 25, 400):
        assert math.sqrt(1 + x) <= 1 + x / 2 - x**2 / 16 + 1e-12
    assert ROOT_BELOW.claim(Fraction(3)) < 2


def test_layers_with_random_signs_by_sampling() -> None:
    """The exact probabilities of a great error and of a great condition number against 20000 draws."""
    rng, depth, draws = np.random.default_rng(1), 64, 20_000
    signs = rng.choice([-1.0, 1.0], size=(2, draws, depth))
    p1, p2 = (np.prod(1 + value * s, axis=1) for value, s in zip((0.75, 0.5), signs, strict=True))
    great = float(np.mean(np.abs(p2 - 1) >= np.hypot(p1, 1) / 2))
    conditioned = float(np.mean(np.maximum(p1, p2) >= 10 * np.minimum(p1, p2)))
    for compute, measured in ((error_shares, great), (condition_shares, conditioned)):
        exact = float(compute(SIGNED_LAYERS)(Context()).value[depth])
        assert abs(measured - exact) < 5 * math.sqrt(exact * (1 - exact) / draws)


def test_means_of_products_by_sampling() -> None:
    values, mean = MEAN_PRODUCTS.compute(Context()).value
    rng = np.random.default_rng(2)
    ratios = rng.choice([1 / 2, 1 / 6, 9 / 10], p=[1 / 2, 1 / 4, 1 / 4], size=(200_000, 5))
    assert float(mean) == pytest.approx(float(np.mean(ratios)), abs=3e-3)
    assert float(values[5][0]) == pytest.approx(float(np.mean(np.prod(ratios, axis=1))), rel=0.05)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_rate_of_gaussian_layers(d: int) -> None:
    """The two logarithms behind it against their means, and kappa above what they give."""
    rng, depth, x = np.random.default_rng(d), 4000, np.eye(d)[:, 0]
    longest = volume = 0.0
    h, q, above = x, np.eye(d), np.zeros(d)
    for _ in range(depth):
        w = rng.normal(size=(d, d))
        h = w @ h
        longest += math.log(np.linalg.norm(h))
        h /= np.linalg.norm(h)
        volume += np.linalg.slogdet(w)[1]
        q, r = np.linalg.qr(w @ q)
        above += np.log(np.abs(np.diag(r)))
    psi = [float(sympy.digamma(sympy.Rational(k, 2))) for k in range(1, d + 1)]
    expected = sum(psi[-1] - p for p in psi[:-1]) / 2
    assert (d * longest - volume) / depth == pytest.approx(expected, abs=0.15 * d)
    # The diagonal of R measures the rates of growth; kappa's is the difference of the first and the last one.
    assert (above[0] - above[-1]) / depth >= expected / (d - 1) - 0.1


def test_gaussian_layers_become_ill_conditioned_with_and_without_shortcut() -> None:
    """Without Assumption 1 as well, and in both kinds of network."""
    for shortcut in (0.0, 1.0):
        rng, a, logs = np.random.default_rng(3), np.eye(3), []
        for _ in range(40):
            a = (shortcut * np.eye(3) + rng.normal(size=(3, 3))) @ a
            a /= np.linalg.norm(a, 2)
            logs.append(math.log(np.linalg.cond(a)))
        assert logs[19] > 5
        assert logs[9] < logs[19]


def test_digamma_difference_by_sympy() -> None:
    for d in range(1, 13):
        expected = sympy.N(sympy.digamma(sympy.Rational(d, 2)) - sympy.digamma(sympy.Rational(1, 2)))
        assert digamma_difference(d) == pytest.approx(float(expected), abs=1e-12)


def test_pseudo_inverse_and_kernel_by_penrose() -> None:
    for entries in product((-1, 0, 2), repeat=4):
        m = matrix([entries[:2], entries[2:]])
        g = pseudo_inverse(m)
        assert multiply(multiply(m, g), m) == m
        assert multiply(multiply(g, m), g) == g
        for square in (multiply(m, g), multiply(g, m)):
            assert square == transpose(square)
        kernel = kernel_vector(m)
        assert (kernel is None) == (entries[0] * entries[3] != entries[1] * entries[2])


@pytest.mark.parametrize("x", [np.ones((2, 3)), np.ones((1, 3)), np.eye(3)[:, :2]])
def test_data_that_do_not_span_are_unsuited(x: np.ndarray) -> None:
    with pytest.raises(Unsuited):
        _ = inputs(Context(load=lambda: Data(x, x, "own")))


def test_samples_that_are_zero_are_left_out() -> None:
    x = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    context = Context(load=lambda: Data(x, x, "own"))
    assert inputs(context).shape == (2, 2)
    found = gapped_network(5, 0.5)(context).value
    assert np.all(np.isfinite(found.coordinates))


def test_evidence_is_within_its_bounds(statement_result: RunOnce) -> None:
    for statement in STATEMENTS:
        result = statement_result(statement, "evidence")
        assert all(step.outcome == "passed" for step in result.evidence)
        assert all(one.value <= one.bound for one in result.measurements)
