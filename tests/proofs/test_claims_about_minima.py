"""The claims about minima, saddles and representation, and the pieces of their proofs derived a second time."""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from resproof.architectures.activations import sigmoid
from resproof.proofs.demystifying_resnet.admissible import _coefficients
from resproof.proofs.demystifying_resnet.escape_times import (
    _RATE,
    _TO,
    EscapeRun,
    clock,
    escapes_on_digits,
    steps_within,
)
from resproof.proofs.identity_matters.residual_shapes import _rows
from resproof.proofs.registry import find
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Disagreement, Measurement, within
from resproof.proofs.theory.critical_points import Small, chain_rays, sign_rays
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.rings import value_at

VERDICTS = {
    "EX-1": "PROVED",
    "EX-2": "PROVED",
    "EX-3": "REPAIRED",
    "EX-5": "PROVED",
    "EX-9": "REPAIRED",
    "EX-10": "PROVED",
    "EX-12": "PROVED",
}
STATEMENTS = find([*VERDICTS])
NEGATIVE = "under a hypothesis that is not printed: h takes negative values"


@pytest.fixture(scope="module")
def exact(statement_result: RunOnce) -> Mapping[str, Result]:
    return {statement.id: statement_result(statement, "exact") for statement in STATEMENTS}


@pytest.mark.parametrize("id_", VERDICTS)
def test_verdicts(exact: Mapping[str, Result], id_: str) -> None:
    assert exact[id_].reason == ("" if id_ != "EX-3" else NEGATIVE)
    assert exact[id_].verdict == VERDICTS[id_]
    assert exact[id_].all_sizes
    assert exact[id_].assumptions == ()


@pytest.mark.parametrize("id_", ["EX-9"])
def test_counterexamples_satisfy_the_hypotheses(exact: Mapping[str, Result], id_: str) -> None:
    (clause,) = exact[id_].clauses
    found = clause.counterexample
    assert found is not None
    assert found.outcome == "passed"
    assert found.hypotheses
    assert all(held for _, held in found.hypotheses)


def test_with_a_longer_shortcut_zero_is_critical(exact: Mapping[str, Result]) -> None:
    (clause,) = exact["EX-1"].clauses
    (other,) = clause.other_readings
    assert (clause.verdict, clause.reading) == ("PROVED", None)
    assert (other.verdict, other.all_sizes) == ("REPAIRED", True)
    assert other.counterexample is not None
    assert all(held for _, held in other.counterexample.hypotheses)


def test_zero_is_no_minimum_where_it_is_a_strict_saddle(statement_result: RunOnce) -> None:
    (statement,) = find(["DR-spur"])
    result = statement_result(statement, "exact")
    assert [one.verdict for one in result.clauses] == ["REPAIRED", "PROVED", "PROVED"]
    assert [[other.verdict for other in one.other_readings] for one in result.clauses] == [[], ["REFUTED"], []]
    found = result.clauses[0].counterexample
    assert found is not None
    assert all(held for _, held in found.hypotheses)
    grid = [Fraction(k, 4) for k in range(-8, 9)]
    losses = {(a, b): Fraction(1 + b * max(a, 0) - 2) ** 2 / 2 for a in grid for b in grid}
    assert {value for (a, _), value in losses.items() if a < 0} == {Fraction(1, 2)}
    assert min(losses.values()) == 0
    assert min(losses[Fraction(s, 4), Fraction(t, 4)] for s, t in product((-1, 1), repeat=2)) < losses[grid[8], grid[8]]


@pytest.mark.parametrize(("x", "y"), [(1, 0), (2, -1), (-1, -3)])
def test_zero_is_a_spurious_minimum_with_a_flat_post(x: int, y: int) -> None:
    def loss(w1: float, w2: float) -> float:
        u = w2 * w1 * x
        return (x + u**2 - u**3 - y) ** 2 / 2

    grid = np.linspace(-0.5, 0.5, 41)
    assert min(loss(v, w) for v in grid for w in grid) == loss(0, 0) > 0
    assert min(loss(1, u / x) for u in np.linspace(1, 1 + x - y, 2001)) < 1e-4


def test_a_linear_network_without_spurious_minima_by_descent() -> None:
    generator = np.random.default_rng(3)
    for w in generator.normal(size=(20, 2)):
        for _ in range(2000):
            w = w - 0.05 * (w[0] * w[1] - 1) * w[::-1]
        assert abs(w[0] * w[1] - 1) < 1e-6


NETS = [
    Small((3,), ((1,),), ((2,),)),
    Small((2,), ((1, 2), (0, 1)), ((1, 0), (3, 1))),
    Small((1, 1), ((1, 2), (0, 1)), ((1, 0), (3, 1)), shortcut=True),
    Small((2, 2), ((2,),), ((-1,),), shortcut=True),
]


def plain_loss(net: Small, weights: list[Fraction]) -> Fraction:
    """The loss with NumPy's object arrays."""
    d, place = net.d, 0
    h = np.array(net.x, dtype=object)
    for layers in net.units:
        path = h
        for _ in range(layers):
            path = np.array(weights[place : place + d * d], dtype=object).reshape(d, d).T @ path
            place += d * d
        h = h + path if net.shortcut else path
    return Fraction(np.sum((np.array(net.y, dtype=object) - h) ** 2)) / (2 * h.shape[1])


@pytest.mark.parametrize("net", NETS, ids=str)
def test_gradients_are_differences_of_the_loss(net: Small) -> None:
    # Quadratic in every single weight: central differences are exact.
    generator = np.random.default_rng(0)
    weights = [Fraction(int(v), 2) for v in generator.integers(-4, 5, size=len(net.names))]
    assert net.loss(weights) == plain_loss(net, weights)
    found = [value_at(slope, dict(zip(net.names, weights, strict=True))) for slope in net.gradient()]
    expected = []
    for k in range(len(weights)):
        up, down = ([w + s * (i == k) for i, w in enumerate(weights)] for s in (1, -1))
        expected.append((plain_loss(net, up) - plain_loss(net, down)) / 2)
    assert found == expected


def test_rays() -> None:
    assert len({*sign_rays(3)}) == 8
    for ray in chain_rays(2, 2):
        first, second = (np.array(ray[k : k + 4]).reshape(2, 2).T for k in (0, 4))
        assert np.count_nonzero(first) <= 1
        assert np.count_nonzero(second) <= 1
        if first.any() and second.any():
            assert (second @ first).any()


def test_layers_that_move_without_moving_the_product() -> None:
    # P_1 = W_1 is singular; u_j^T P_j = 0. The alternating sum over the changes is the coefficient of all of them.
    d, k = 3, 2
    generator = np.random.default_rng(1)
    first = np.array([[1, 2, 3], [2, 4, 6], [0, 1, 1]])
    second = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    last = generator.integers(-3, 4, size=(k, d))
    u = {1: np.array([2, -1, 0])}
    u[2] = np.linalg.solve(second.T, u[1]) * 2
    assert not (u[1] @ first).any()
    np.testing.assert_allclose(u[2] @ second @ first, 0, atol=1e-12)
    w = {2: u[2] / (u[2] @ u[2]), 3: generator.integers(-3, 4, size=k)}
    top = np.zeros((k, d))
    for a, b in product((0, 1), repeat=2):
        later = (last + a * np.outer(w[3], u[2])) @ (second + b * np.outer(w[2], u[1]))
        np.testing.assert_allclose(later @ first, last @ second @ first, atol=1e-12)
        top += (-1) ** (a + b) * later
    np.testing.assert_allclose(top, np.outer(w[3], u[1]), atol=1e-12)


@pytest.mark.parametrize(("n", "start"), [(2, 0.1), (3, 0.1), (3, 0.05), (4, 0.2)])
def test_the_network_takes_the_steps_of_the_scalar_recursion(n: int, start: float) -> None:
    found: EscapeRun = escapes_on_digits((n, start))(Context()).value[0]
    u, steps = start, 0
    while u < _TO:
        u += _RATE / found.a * u ** (n - 1) * (found.a - found.b * u**n)
        steps += 1
    assert found.steps == steps


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_clock_is_an_integral(n: int) -> None:
    edges = np.linspace(0.1, _TO, 20001)
    middles = (edges[1:] + edges[:-1]) / 2
    assert clock(n, 0.1) == pytest.approx(float(np.sum(middles ** (1 - n)) * (edges[1] - edges[0])), rel=1e-6)


def test_the_exception_to_higher_is_harder(exact: Mapping[str, Result]) -> None:
    first, second = exact["EX-3"].clauses
    (hypothesis,) = first.hypotheses
    assert not hypothesis.printed
    assert hypothesis.needed is not None
    assert hypothesis.needed.outcome == "passed"
    assert (second.verdict, second.hypotheses) == ("PROVED", ())


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_a_flow_leaves_between_both_bounds(angle: float) -> None:
    # h = (x^3 - 3 x y^2)/3 and r = (x^4 + y^4)/4: A = K = 1, h(-1, 0) = -1/3, so alpha = 1/6 and delta may be 1/24.
    def speed(w: np.ndarray) -> np.ndarray:
        x, y = w
        return -np.array([x**2 - y**2 + x**3, -2 * x * y + y**3])

    eps, delta, step, time = 1 / 200, 1 / 24, 0.05, 0.0
    w = -eps * np.array([math.cos(angle), math.sin(angle)])
    while np.linalg.norm(w) < delta:
        middle = w + step / 2 * speed(w)
        w, time = w + step * speed(middle), time + step
    clock_3 = 1 / eps - 1 / delta
    assert clock_3 / (1 + delta) - 1 <= time <= 2 * clock_3 / (3 / 6)


def test_steps_of_another_order_are_rejected() -> None:
    found = escapes_on_digits((3, 0.1))(Context()).value
    within(steps_within(found, lambda n: n))
    measured: tuple[Measurement, ...] = steps_within(found, lambda n: n + 1)
    with pytest.raises(Disagreement):
        within(measured)


def two_layers(w2: np.ndarray, w1: np.ndarray, x: np.ndarray) -> np.ndarray:
    return w2 @ np.maximum(w1 @ x, 0)


@pytest.mark.parametrize("d", [1, 2])
def test_no_two_layers_of_width_d_give_the_identity(d: int) -> None:
    both = np.hstack([np.eye(d), -np.eye(d)])
    grid = [np.array(v).reshape(d, d) for v in product((-1, 0, 1), repeat=d * d)]
    assert not any(np.array_equal(two_layers(w2, w1, both), both) for w1 in grid for w2 in grid)
    wide1, wide2 = np.vstack([np.eye(d), -np.eye(d)]), np.hstack([np.eye(d), -np.eye(d)])
    assert np.array_equal(two_layers(wide2, wide1, both), both)


def test_three_scalar_layers_are_two() -> None:
    x = np.linspace(-2.0, 2.0, 9)
    for w1, w2, w3 in np.random.default_rng(5).standard_normal((50, 3)):
        three = w3 * np.maximum(w2 * np.maximum(w1 * x, 0.0), 0.0)
        assert np.allclose(three, w3 * max(w2, 0.0) * np.maximum(w1 * x, 0.0), rtol=1e-13)


def test_bends_of_two_layers_are_even() -> None:
    generator = np.random.default_rng(2)
    for _ in range(20):
        w1, w2 = generator.integers(-2, 3, size=(5, 2)), generator.integers(-2, 3, size=(1, 5))
        x = generator.integers(-2, 3, size=(2, 1))
        h = np.array([[1], [2]]) / 64  # smaller than any distance to a kink at integer points
        bends = [
            two_layers(w2, w1, s * x + h) - 2 * two_layers(w2, w1, s * x) + two_layers(w2, w1, s * x - h)
            for s in (1, -1)
        ]
        assert np.array_equal(bends[0], bends[1])


def test_the_symmetric_sigmoid_by_values() -> None:
    coefficients = [float(c.rational) for c in _coefficients("symmetric sigmoid", 12)]
    for t in (-0.25, 0.125, 0.5):
        logistic = 2 / (1 + math.exp(-t)) - 1
        series = sum(c * t**k for k, c in enumerate(coefficients))
        # The next coefficient, of t^13, is below 2^-13; tanh(t/2) <= 1.
        assert abs(series - logistic) <= 2**-13 * abs(t) ** 13 * 2 + 1e-15
        assert abs(logistic - math.tanh(t / 2)) <= 4e-16
    assert sigmoid.taylor(0).rational == Fraction(1, 2)


@pytest.mark.parametrize(("d", "k"), list(product((2, 3, 4), repeat=2)))
def test_shapes_against_numpy(d: int, k: int) -> None:
    def defined(size: int) -> bool:
        try:
            return (np.ones((k, d)) + np.eye(size)).shape == (k, d)
        except ValueError:
            return False

    assert (_rows(d, k, 1) == k) == (defined(d) or defined(k))
