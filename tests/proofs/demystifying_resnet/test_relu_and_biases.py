"""ReLU at mid and units with biases: verdicts, and second-order parts derived again by NumPy from running losses."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet.relu_and_biases import STATEMENTS
from resproof.proofs.results import Result
from resproof.pytest_plugin import RunOnce


@pytest.fixture(scope="module")
def exact(statement_result: RunOnce) -> Mapping[str, Result]:
    return {statement.id: statement_result(statement, "exact") for statement in STATEMENTS}


def test_relu_is_incomplete_and_not_refuted(exact: Mapping[str, Result]) -> None:
    found = exact["DR-ReLU"]
    assert (found.verdict, found.all_sizes) == ("REPAIRED", True)
    assert found.reason.startswith("incomplete as printed")
    (clause,) = found.clauses
    assert [one.verdict for one in clause.other_readings] == ["REFUTED"]
    assert clause.repair is not None
    assert [len(one.hypotheses) for one in clause.repair.clauses] == [1, 2]


def relu_loss(w: list[Fraction], pre: Callable[[Fraction], Fraction], post: Callable[[Fraction], Fraction]) -> Fraction:
    h = Fraction(1)
    for first, second in zip(w[::2], w[1::2], strict=True):
        h += post(second * max(first * pre(h), Fraction(0)))
    return h**2 / 2


def test_relu_with_a_jump_of_pre_and_with_a_bent_post() -> None:
    t = Fraction(1, 2**12)
    jump = [relu_loss([t] * (2 * units), lambda h: Fraction(1 + (h > 1)), lambda u: u) for units in (1, 2)]
    assert [round((one - Fraction(1, 2)) / t**2) for one in jump] == [1, 3]
    bent = [relu_loss([t, s * t], lambda h: h, lambda u: u + abs(u)) for s in (1, -1)]
    assert [round((one - Fraction(1, 2)) / t**2) for one in bent] == [2, 0]


def test_softplus_leaves_zero_stationary_where_the_mean_residual_vanishes() -> None:
    def loss(w2: float, y: np.ndarray) -> float:
        x = np.array([1.0, -1.0])
        return float(np.mean((x + w2 * np.log(2.0) - y) ** 2)) / 2

    slopes = [(loss(1e-3, np.array(y)) - loss(-1e-3, np.array(y))) / 2e-3 for y in ([0.0, 0.0], [0.0, 1.0])]
    assert abs(slopes[0]) < 1e-12
    assert abs(slopes[1] + np.log(2.0) / 2) < 1e-9


def test_biased_units_by_clause_and_reading(exact: Mapping[str, Result]) -> None:
    found = exact["DR-Eq3"]
    assert (found.verdict, found.all_sizes, found.reason) == ("PROVED", True, "")
    assert [one.verdict for one in found.clauses] == ["PROVED"] * 3
    assert [one.verdict for one in found.clauses[1].other_readings] == ["REFUTED", "PROVED"]


def test_relu_at_mid_is_a_sum_over_units_up_to_third_order() -> None:
    generator = np.random.default_rng(0)
    units, d, m = 3, 2, 4
    w1, w2 = generator.integers(-3, 4, size=(2, units, d, d)).astype(object)
    x, y = generator.integers(-3, 4, size=(2, d, m)).astype(object)

    def loss(t: Fraction) -> Fraction:
        h = x
        for first, second in zip(w1, w2, strict=True):
            h = h + t * second @ np.maximum(t * first @ h, 0)
        return Fraction(np.sum((h - y) ** 2)) / (2 * m)

    q = sum(Fraction(np.sum((x - y) * (b @ np.maximum(a @ x, 0)))) / m for a, b in zip(w1, w2, strict=True))
    rests = [abs((loss(t) - loss(Fraction(0))) / t**2 - q) for t in (Fraction(1, 2**8), Fraction(1, 2**10))]
    # The rest is of order t^2 here: the next terms of the loss are of degree four.
    assert 0 < rests[1] <= rests[0] / 15


def numerical_hessian(loss: Callable[[np.ndarray], float], count: int, step: float = 1e-3) -> np.ndarray:
    found, unit = np.zeros((count, count)), np.eye(count) * step
    for i, j in product(range(count), repeat=2):
        values = [s * t * loss(s * unit[i] + t * unit[j]) for s, t in product((1, -1), repeat=2)]
        found[i, j] = sum(values) / (4 * step**2)
    return found


def test_eigenvalues_of_biased_units_by_differences() -> None:
    d, m, units, slope = 2, 3, 2, 0.5
    x, y = np.random.default_rng(1).normal(size=(2, d, m))
    each = 2 * d * d + d

    def loss(w: np.ndarray) -> float:
        h = x
        for part in w.reshape(units, each):
            first, bias, second = part[: d * d].reshape(d, d), part[d * d : d * d + d], part[d * d + d :].reshape(d, d)
            u = first @ h + bias[:, None]
            h = h + second @ (slope * u + u**2)
        return float(np.sum((h - y) ** 2)) / (2 * m)

    core = np.hstack([(x - y) @ x.T / m, np.mean(x - y, axis=1, keepdims=True)])
    sigma = slope * np.linalg.svd(core, compute_uv=False)
    expected = np.sort(np.concatenate([np.repeat(np.concatenate([sigma, -sigma]), units * d), np.zeros(units * d)]))
    assert np.allclose(np.linalg.eigvalsh(numerical_hessian(loss, units * each)), expected, atol=1e-4)
