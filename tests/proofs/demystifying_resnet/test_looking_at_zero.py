"""Minima and small weights of linear 2-shortcut networks, on Hessians built entry by entry with NumPy."""

from collections.abc import Mapping

import numpy as np
import pytest
import sympy

from resproof.proofs.demystifying_resnet.looking_at_zero import STATEMENTS, _exceeds, _telescope
from resproof.proofs.results import Result
from resproof.proofs.statement import Disagreement
from resproof.pytest_plugin import RunOnce


@pytest.fixture(scope="module")
def found(statement_result: RunOnce) -> Result:
    return statement_result(STATEMENTS[0], "exact")


def test_the_verdicts(found: Result) -> None:
    assert found.verdict == "OPEN"
    assert [(clause.verdict, clause.all_sizes) for clause in found.clauses] == [
        ("REPAIRED", True),
        ("OPEN", False),
    ]
    assert [clause.unsettled for clause in found.clauses] == [False, True]
    (at_the_minimum,) = found.clauses[1].other_readings
    assert (at_the_minimum.verdict, at_the_minimum.reason) == ("REFUTED", "")
    for clause, number in zip((found.clauses[0], at_the_minimum), (1, 3), strict=True):
        assert clause.counterexample is not None
        assert all(held for _, held in clause.counterexample.hypotheses)
        assert clause.repair is not None
        assert [one.verdict for one in clause.repair.clauses] == ["PROVED"] * number


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_form_along_two_directions_by_differences(k: int) -> None:
    weights = np.array([[[[float(a)]], [[float(b)]]] for a, b in _telescope(k)])
    whole = hessian(weights, np.array([[1.0]]), np.array([[2.0]]))
    a, b = weights[0].ravel()
    along, across = np.zeros(2 * k * k), np.zeros(2 * k * k)
    along[:2], across[:2] = (b, a), (a, -b)
    assert np.abs(whole @ across).max() < 1e-12
    assert along @ whole @ along > 0.1 * (a**2 + b**2) ** 2


def test_a_number_is_at_least_itself() -> None:
    r, d = sympy.symbols("r d")
    _exceeds(sympy.Poly(5 * d**2, r, d), 5)
    with pytest.raises(Disagreement, match="not at least 6"):
        _exceeds(sympy.Poly(5 * d**2, r, d), 6)


def output(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """`weights` has shape (R, 2, d, d)."""
    for first, second in weights:
        x = x + second @ first @ x
    return x


def hessian(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The output is affine in every weight matrix, so that differences are derivatives."""
    m = x.shape[1]
    places = list(np.ndindex(*weights.shape))
    base = output(weights, x)

    def moved(*entries: tuple[int, ...]) -> np.ndarray:
        changed = weights.copy()
        for entry in entries:
            changed[entry] += 1.0
        return output(changed, x)

    first = [moved(place) - base for place in places]
    whole = np.zeros((len(places), len(places)))
    for i, one in enumerate(places):
        for j, other in enumerate(places[: i + 1]):
            value = np.sum(first[i] * first[j])
            if one[:2] != other[:2]:
                value += np.sum((base - y) * (moved(one, other) - base - first[i] - first[j]))
            whole[i, j] = whole[j, i] = value / m
    return whole


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("samples", [1, 4])
def test_at_minima_the_hessian_is_as_far_from_that_at_zero_as_zero_is(k: int, samples: int) -> None:
    d = 2
    x = np.random.default_rng(k).normal(size=(d, samples))
    y = 2 * x
    weights = np.array([[float(a) * np.eye(d), float(b) * np.eye(d)] for a, b in _telescope(k)])
    assert np.abs(output(weights, x) - y).max() < 1e-12
    assert np.abs(weights).max() <= 1 / k + 1e-15
    there, at_zero = hessian(weights, x, y), hessian(np.zeros_like(weights), x, y)
    assert np.linalg.eigvalsh(there)[0] > -1e-10
    assert np.linalg.matrix_rank(there, tol=1e-9) == d * min(d, samples)
    assert np.linalg.norm(there - at_zero, 2) >= np.linalg.norm(at_zero, 2) * (1 - 1e-12)


@pytest.mark.parametrize(("units", "c"), [(1, 0.5), (4, 0.5), (9, 0.5), (9, 0.1), (4, 0.8)])
def test_on_the_scale_of_the_root_the_difference_is_bounded_whatever_the_depth(units: int, c: float) -> None:
    d, samples = 2, 3
    rng = np.random.default_rng(units)
    x, y = rng.normal(size=(2, d, samples))
    bound = c**2 / (1 - c**2) ** 2 * (5 * np.sum(x**2) + 3 * np.linalg.norm(x) * np.linalg.norm(x - y)) / samples
    for kind in ("random", "aligned"):
        weights = rng.normal(size=(units, 2, d, d)) if kind == "random" else np.tile(np.eye(d), (units, 2, 1, 1))
        weights *= c / np.sqrt(units) / np.linalg.norm(weights, ord=2, axis=(-2, -1))[..., None, None]
        gap = np.linalg.norm(hessian(weights, x, y) - hessian(np.zeros_like(weights), x, y), 2)
        assert gap <= bound
        assert gap >= bound / 200


def test_majorants() -> None:
    rng = np.random.default_rng(5)
    d, units, t = 3, 6, 0.3
    weights, change = rng.normal(size=(2, units, 2, d, d))
    weights *= t / np.linalg.norm(weights, ord=2, axis=(-2, -1))[..., None, None]
    total, first, second, at_zero = np.eye(d), np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    sigma = pi = 0.0
    for (w1, w2), (v1, v2) in zip(weights, change, strict=True):
        unit, moved, both = np.eye(d) + w2 @ w1, w2 @ v1 + v2 @ w1, v2 @ v1
        second = unit @ second + moved @ first + both @ total
        first = unit @ first + moved @ total
        total = unit @ total
        at_zero = at_zero + both
        sigma, pi = sigma + float(np.linalg.norm(moved, 2)), pi + float(np.linalg.norm(both, 2))
    q = (1 + t**2) ** units
    bounds: Mapping[str, tuple[np.ndarray, float]] = {
        "P - I": (total - np.eye(d), q - 1),
        "F_1": (first, q * sigma),
        "F_2": (second, q * (pi + sigma**2 / 2)),
        "F_2 - Z": (second - at_zero, (q - 1) * pi + q * sigma**2 / 2),
    }
    for value, bound in bounds.values():
        assert np.linalg.norm(value, 2) <= bound
