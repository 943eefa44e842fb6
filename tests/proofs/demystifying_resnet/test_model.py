"""The statements on the model, and the pieces their proofs stand on, derived a second time by NumPy on small cases."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet.descent import unit_moments
from resproof.proofs.demystifying_resnet.least_squares import _problems
from resproof.proofs.demystifying_resnet.model import STATEMENTS
from resproof.proofs.demystifying_resnet.variance import _after_signs, _mean
from resproof.proofs.results import Result
from resproof.proofs.statement import PRINTED
from resproof.proofs.theory.linear_networks import Linear, entries, gradient, outputs, ring_of, written_out
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.rings import value_at

VERDICTS = {f"DR-M{k}": "PROVED" for k in range(1, 8)} | {"DR-M8": "REPAIRED"}
CENTRED = "under a hypothesis that is not printed: some sample has a positive coordinate"


@pytest.fixture(scope="module")
def exact(statement_result: RunOnce) -> Mapping[str, Result]:
    return {statement.id: statement_result(statement, "exact") for statement in STATEMENTS}


@pytest.mark.parametrize("id_", VERDICTS)
def test_verdicts(exact: Mapping[str, Result], id_: str) -> None:
    assert exact[id_].reason == ("" if id_ != "DR-M8" else CENTRED)
    assert exact[id_].verdict == VERDICTS[id_]
    assert exact[id_].all_sizes


def test_the_misprint_in_equation_14(exact: Mapping[str, Result]) -> None:
    reading = exact["DR-M4"].clauses[0].reading
    assert reading is not None
    assert reading.kind == "erratum"
    (step,) = reading.steps
    assert (step.outcome, step.scope, step.rejected[0]) == ("passed", "n=1, R=2, d=1, m=1", PRINTED)
    losses = [Fraction((0 - (1 + 1) * (1 + w) * 1) ** 2, 2) for w in (-1, 1)]
    assert f"computed {(losses[0] - losses[1]) / 2}" == "computed -4"


def arrays(layers: tuple[int, ...], d: int, seed: int) -> dict[tuple[int, int], np.ndarray]:
    generator = np.random.default_rng(seed)
    places = [(r, n) for r, depth in enumerate(layers, 1) for n in range(1, depth + 1)]
    return {place: generator.integers(-3, 4, size=(d, d)) for place in places}


def forward(layers: tuple[int, ...], weights: Mapping[tuple[int, int], np.ndarray], x: np.ndarray) -> np.ndarray:
    for r, depth in enumerate(layers, start=1):
        path = x
        for n in range(1, depth + 1):
            path = weights[r, n] @ path
        x = x + path
    return x


@pytest.mark.parametrize("layers", [(1,), (2, 2), (3, 1)])
def test_written_out_networks_are_the_networks(layers: tuple[int, ...]) -> None:
    d, m = 2, 2
    weights = arrays(layers, d, 0)
    x = np.random.default_rng(1).integers(-3, 4, size=(d, m))
    found = outputs(written_out(layers), d, m)
    at = {k: Fraction(int(v)) for (r, n), a in weights.items() for k, v in entries(f"W{r}_{n}", a.tolist()).items()}
    at |= {k: Fraction(int(v)) for k, v in entries("x", x.tolist()).items()}
    assert [[value_at(plain, at) for plain in row] for row in found] == forward(layers, weights, x).tolist()
    net = Linear(ring_of(found, "y_1_1"), layers, d, m)
    assert net.plain(net.units())[0][0]


def test_gradients_are_differences_of_the_loss() -> None:
    # The loss is a quadratic polynomial in every single entry, so that a central difference is its exact derivative.
    layers, d, m = (2, 1), 2, 2
    weights = arrays(layers, d, 2)
    x, y = np.random.default_rng(3).integers(-3, 4, size=(2, d, m))
    series = gradient(written_out(layers), d, m)
    at = {k: Fraction(int(v)) for (r, n), a in weights.items() for k, v in entries(f"W{r}_{n}", a.tolist()).items()}
    at |= {k: Fraction(int(v)) for name, a in (("x", x), ("y", y)) for k, v in entries(name, a.tolist()).items()}
    found = [value_at(series.ring.plain(series.parts[1][p,]), at) for p in range(series.parameters)]
    expected = []
    for place, j, i in ((place, j, i) for place in weights for j, i in product(range(d), repeat=2)):
        values = []
        for step in (1, -1):
            moved = {**weights, place: weights[place].copy()}
            moved[place][i, j] += step
            values.append(Fraction(int(np.sum((y - forward(layers, moved, x)) ** 2)), 2 * m))
        expected.append((values[0] - values[1]) / 2)
    assert found == expected


def test_least_values_against_lstsq() -> None:
    for problem in _problems():
        x, y = (np.array([[float(v) for v in row] for row in a]) for a in (problem.x, problem.y))
        w = np.linalg.lstsq(x.T, y.T)[0].T
        np.testing.assert_allclose(float(problem.least), np.sum((y - w @ x) ** 2) / (2 * x.shape[1]), atol=1e-12)


@pytest.mark.parametrize("halved", [False, True])
def test_moments_of_a_unit_of_width_one(halved: bool) -> None:
    # h = 1, d = 1: E (1 + w_2 v)^k with w_2 ~ N(0, s^2) and v = w_1, or ReLU of it, which halves its even moments.
    s2 = 2
    second, fourth = s2 / (2 if halved else 1), 3 * s2**2 / (2 if halved else 1)
    q, found = unit_moments(s2, 1, halved=halved)
    assert q == s2 * second
    assert found == 1 + 6 * s2 * second + 3 * s2**2 * fourth


@pytest.mark.parametrize("s", [0.3, 1.0, 4.0])
def test_growth_with_relu_at_pre_by_quadrature(s: float) -> None:
    # n = d = 1, h > 0: U(h) = h (1 + w), w ~ N(0, s^2), q = s^2.
    w = np.linspace(-12 * s, 12 * s, 200_001)
    density = np.exp(-(w**2) / (2 * s**2)) / (s * np.sqrt(2 * np.pi)) * (w[1] - w[0])
    positive, whole = (float(np.sum(density * v**2)) for v in (np.maximum(1 + w, 0), 1 + w))
    assert whole == pytest.approx(1 + s**2)
    assert 1 + s**2 / 2 < positive < whole


def test_all_sign_weights_by_numpy() -> None:
    x, total, positive = np.array([2, -1]), [], []
    grid = [np.array(v).reshape(2, 2) for v in product((-1, 1), repeat=4)]
    for first, second in product(grid, repeat=2):
        h = x + second @ np.maximum(first @ np.maximum(x, 0), 0)
        total.append(int(h @ h))
        positive.append(int(np.sum(np.maximum(h, 0) ** 2)))
    states = _after_signs(2, 1, 2, (2, -1), at_pre=True)
    assert _mean(states, lambda v: v * v) == Fraction(sum(total), len(total))
    assert _mean(states, lambda v: max(v, 0) ** 2) == Fraction(sum(positive), len(positive))


def test_relu_at_pre_needs_a_positive_coordinate(exact: Mapping[str, Result]) -> None:
    (clause,) = (one for one in exact["DR-M8"].clauses if one.hypotheses)
    assert (clause.verdict, clause.all_sizes) == ("REPAIRED", True)
    assert [(one.printed, one.needed and one.needed.outcome) for one in clause.hypotheses] == [(False, "passed")]
    assert [one.verdict for one in clause.other_readings] == ["REFUTED"]
