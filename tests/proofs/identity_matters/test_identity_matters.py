"""Identity matters: verdicts, claims that must fail, and every engine against brute force over the rationals."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from resproof.architectures.nodes import Input, Weight
from resproof.numeric.rounding import gamma
from resproof.proofs.identity_matters.flat_saddles import M4, plain_layers
from resproof.proofs.identity_matters.gradient_bounds import M2, M2C
from resproof.proofs.identity_matters.linear_gradients import POINTS, Point
from resproof.proofs.identity_matters.linear_runs import descend, excess, slope_on_digits
from resproof.proofs.identity_matters.small_minimisers import M1, raised
from resproof.proofs.identity_matters.zero_start import M3
from resproof.proofs.registry import find
from resproof.proofs.statement import Context, Data, Statement
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    determinant,
    eye,
    inverse,
    matrix,
    multiply,
    scale,
    sum_of_squares,
    transpose,
)
from resproof.symbolic.index import sizes
from tests.oracles import second_derivative_at
from tests.proofs.offered import arguments, rejects_neighbours

VERDICTS = {
    "IM-0": "PROVED",
    "IM-1": "REPAIRED",
    "IM-2": "PROVED",
    "IM-2b": "PROVED",
    "IM-2c": "PROVED",
    "IM-3": "REPAIRED",
    "IM-4": "PROVED",
}
STATEMENTS = find([*VERDICTS])


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_the_verdict_is_computed(statement: Statement, statement_result: RunOnce) -> None:
    result = statement_result(statement, "exact", "evidence")
    assert result.verdict == VERDICTS[statement.id], result.reason
    assert result.all_sizes
    steps = (*(step for clause in result.clauses for step in clause.everything), *result.evidence)
    assert all(step.outcome == "passed" for step in steps)


def test_every_statement_has_arguments() -> None:
    assert all(len(arguments(statement)) >= 3 for statement in STATEMENTS)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_a_wrong_claim_fails_its_statement(statement: Statement) -> None:
    for one in arguments(statement):
        rejects_neighbours(one)
    first = arguments(statement)[0]
    for falsehood in first.neighbours.values():
        wrong = dataclasses.replace(
            statement,
            sentence=statement.said,
            setting="",
            hypotheses=(),
            arguments=(dataclasses.replace(first, claim=falsehood),),
            clauses=(),
            evidence=(),
            counterexample=None,
            repair=None,
            kind="algebra",
        )
        assert run(wrong, parts=("exact",)).verdict == "FAILED", first.title


def test_numbers_in_place_of_names_are_no_free_sizes() -> None:
    assert sizes.of_expressions(Weight("k", "d"), Input("d")).free == ("d", "k", "t")
    assert sizes.of_expressions(Weight(2, 3)).free == ()


@pytest.mark.parametrize("statement", [M1, M3], ids=lambda one: one.id)
def test_an_instance_must_satisfy_the_hypotheses(statement: Statement) -> None:
    assert statement.counterexample is not None
    instances = {
        "IM-1": dataclasses.replace(M1.counterexample.instance, r=Fraction(-2)) if M1.counterexample else None,
        "IM-3": dataclasses.replace(M3.counterexample.instance, step=Fraction(1, 4)) if M3.counterexample else None,
    }
    outside = dataclasses.replace(statement.counterexample, instance=instances[statement.id])
    result = run(dataclasses.replace(statement, counterexample=outside, repair=None), parts=("exact",))
    assert result.verdict == "FAILED"
    assert "does not satisfy" in result.reason


# Brute force.


def _loss(point: Point, weights: Sequence[Matrix]) -> Fraction:
    """f = (1/m) |Y - g(X)|^2, column by column."""
    y = add(multiply(point.target, point.x), point.noise)
    output = point.x
    for w in weights:
        output = add(output, multiply(w, output))
    return sum_of_squares(add(y, scale(Fraction(-1), output))) / len(point.x[0])


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_gradients_and_excess_by_differences(point: Point) -> None:
    """f is quadratic in every single weight, so central differences are exact."""
    d = len(point.x)
    for k, i, j in product(range(point.layers), range(d), range(d)):

        def moved(by: int, k: int = k, i: int = i, j: int = j) -> Fraction:
            step = matrix([[int((a, b) == (i, j)) * by for b in range(d)] for a in range(d)])
            return _loss(point, [add(w, step) if n == k else w for n, w in enumerate(point.weights)])

        assert point.gradients[k][i][j] == (moved(1) - moved(-1)) / 2
    assert point.excess == _loss(point, point.weights) - sum_of_squares(point.noise) / len(point.x[0])


def test_the_slope_at_minus_tau_within_its_rounding() -> None:
    """All layers (1 - tau) I, f - C and |grad f|^2 in fractions; the roundings counted there and back."""
    layers, tau = 5, Fraction(1, 4)
    x, y = matrix([[1, 2, 0], [0, 1, 3]]), matrix([[2, 0, 1], [1, 1, -1]])
    sigma, moved = (scale(Fraction(1, 3), multiply(one, transpose(x))) for one in (x, y))
    away = add(scale((1 - tau) ** layers, eye(2)), scale(Fraction(-1), multiply(moved, inverse(sigma))))
    slope = multiply(away, sigma)
    excess_ = sum(multiply(slope, transpose(away))[i][i] for i in range(2))
    squared = 4 * layers * (1 - tau) ** (2 * layers - 2) * sum_of_squares(slope)
    data = Data(np.array(x, dtype=float), np.array(y, dtype=float), "whole numbers")
    found = slope_on_digits(layers, float(tau))(Context(load=lambda: data)).value
    assert gamma(2 * layers * 3 + 3) <= found.rounding <= 1e-10
    assert abs(found.squared / float(squared) - 1) <= found.rounding
    assert abs(found.excess / float(excess_) - 1) <= found.rounding


def test_the_maps_of_least_loss_where_sigma_is_singular() -> None:
    """X = (1, 0): on a grid all maps with the first column of R have the least loss, and no others."""
    x, target = matrix([[1], [0]]), matrix([[1, 0], [0, -1]])
    grid = [Fraction(v) for v in (-1, 0, 1)]
    signs = set[Fraction]()
    for a, b, c, d in product(grid, repeat=4):
        g = matrix([[a, b], [c, d]])
        away = multiply(add(g, scale(Fraction(-1), target)), x)
        assert (sum_of_squares(away) == 0) is ((a, c) == (1, 0))
        if (a, c) == (1, 0):
            signs.add(determinant(g))
    assert signs == {-1, 0, 1}


def test_points_outside_their_ball_are_refused() -> None:
    with pytest.raises(ValueError, match="a norm exceeds tau"):
        _ = dataclasses.replace(POINTS[0], tau=Fraction(1, 3))
    with pytest.raises(ValueError, match="correlated"):
        _ = dataclasses.replace(POINTS[0], noise=matrix([[1]]))


def test_the_bound_on_random_networks() -> None:
    """|grad f|^2 >= 4 l (1 - tau)^(2(l-1)) lambda (f - C), the gradient by products of matrices."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        layers, d = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        w = rng.normal(size=(layers, d, d))
        tau = rng.uniform(0.05, 0.95)
        w *= tau / np.linalg.norm(w, 2, axis=(1, 2)).max()
        x, target = rng.normal(size=(d, d + 2)), rng.normal(size=(d, d))
        if d > 1:
            x[0] *= rng.integers(0, 2)  # a singular Sigma every other time
        sigma = x @ x.T / x.shape[1]
        spectrum = np.linalg.eigvalsh(sigma)
        least = spectrum[spectrum > 1e-9].min()
        factors = np.eye(d) + w
        products = [np.eye(d)]
        for f in factors:
            products.append(f @ products[-1])
        error = products[-1] - target
        after, squared = np.eye(d), 0.0
        for i in reversed(range(layers)):
            squared += float(np.sum((2 * after.T @ error @ sigma @ products[i].T) ** 2))
            after = after @ factors[i]
        bound = 4 * layers * (1 - tau) ** (2 * layers - 2) * least * np.trace(error @ sigma @ error.T)
        assert squared >= bound * (1 - 1e-9)


@pytest.mark.parametrize(("layers", "steps"), [(2, 4), (3, 3), (4, 2)])
def test_exact_descent_from_zero_stays_on_the_line(layers: int, steps: int) -> None:
    """Rational gradient descent on f for the target -I_2, the gradient by products of matrices."""
    factors, step, before = [eye(2)] * layers, Fraction(1, 8), Fraction(1)
    for _ in range(steps):
        following = list[Matrix]()
        for i in range(layers):
            ahead, back = raised(factors[0], layers - 1 - i), raised(factors[0], i)
            error = add(raised(factors[0], layers), eye(2))
            slope = multiply(multiply(ahead, error), back)
            following.append(add(factors[i], scale(-2 * step, slope)))
        factors = following
        u = factors[0][0][0]
        assert all(f == scale(u, eye(2)) for f in factors)
        assert 0 < u < before
        before = u


def _flow(factors: Any, target: Any, sigma: Any, time: float, steps: int) -> tuple[Any, Any]:
    """The layers after this time by small steps of descent, and the greatest norm of a layer less I on the way."""
    greatest = 0.0
    for _ in range(steps):
        products = [np.eye(len(target))]
        for f in factors:
            products.append(f @ products[-1])
        back = 2 * (products[-1] - target) @ sigma
        slopes = []
        for i in reversed(range(len(factors))):
            slopes.append(back @ products[i].T)
            back = factors[i].T @ back
        factors = factors - time / steps * np.array(slopes[::-1])
        greatest = max(greatest, np.linalg.norm(factors - np.eye(len(target)), 2, axis=(1, 2)).max())
    return factors, greatest


def _excess(factors: Any, target: Any, sigma: Any) -> float:
    away = np.linalg.multi_dot([np.eye(len(target)), *factors[::-1], np.eye(len(target))]) - target
    return float(np.trace(away @ sigma @ away.T))


@pytest.mark.parametrize(("layers", "b"), [(1, 0.0), (2, 0.0), (12, 0.0), (3, 0.2)])
def test_the_basin_does_not_depend_on_the_depth(layers: int, b: float) -> None:
    """Starts on the edge of the basin: no layer leaves (b + 1/3)/l, and f - C falls at the rate that is claimed."""
    rng = np.random.default_rng(layers)
    for _ in range(4):
        x = rng.normal(size=(3, 5))
        x[0] *= rng.integers(0, 2)
        sigma = x @ x.T / 5
        spectrum = np.linalg.eigvalsh(sigma)
        least = spectrum[spectrum > 1e-9].min()
        start = rng.normal(size=(layers, 3, 3))
        start *= b / layers / np.linalg.norm(start, 2, axis=(1, 2)).max()
        factors, away = np.eye(3) + start, rng.normal(size=(3, 3))
        whole = np.eye(3)
        for f in factors:
            whole = f @ whole
        radius = np.sqrt(least) * np.exp(-1 - 3 * b) / 3
        target = whole + away * radius / np.sqrt(np.trace(away @ sigma @ away.T))
        before, rate = _excess(factors, target, sigma), 4 * layers * np.exp(-2 * b - 2 / 3) * least
        assert before == pytest.approx(radius**2)
        end, greatest = _flow(factors, target, sigma, 3 / rate, 2000)
        assert greatest <= (b + 1 / 3) / layers
        assert _excess(end, target, sigma) <= before * np.exp(-3.0) * 1.01


def test_from_zero_the_flow_sees_the_range_of_sigma_alone() -> None:
    """R = diag(2, 1/3, -1); Sigma with and without the last eigenvector. In a turned basis rounding would free it."""
    target = np.diag([2.0, 1 / 3, -1.0])
    for last, rest in ((0.0, 0.0), (2.0, 2.0)):
        sigma = np.diag([1.0, 0.5, last])
        end, _ = _flow(np.stack([np.eye(3)] * 3), target, sigma, 40.0, 8000)
        assert rest - 1e-9 <= _excess(end, target, sigma) < rest + 0.02


@pytest.mark.parametrize(("layers", "eigenvalues"), [(2, (0.0, 3.0)), (3, (0.2, 5.0)), (6, (1.0, 0.01))])
def test_steps_of_the_greatest_size_reach_the_target(layers: int, eigenvalues: tuple[float, float]) -> None:
    """The scalar recursion in floating point: monotonic, between 1 and the root."""
    for s, r in product((0.3, 2.0), eigenvalues):
        step, u, before = 1 / (2 * layers * s * max(1.0, r) ** (2 * (layers - 1) / layers)), 1.0, None
        root = r ** (1 / layers)
        for _ in range(20000):
            u -= 2 * step * s * u ** (layers - 1) * (u**layers - r)
            assert before is None or abs(u - root) <= abs(before - root) + 1e-15
            before = u
        assert abs(u**layers - r) < 2e-4


def test_the_running_descent_takes_the_same_steps() -> None:
    start = np.zeros((3, 2, 2))
    u = 1.0
    for _ in range(5):
        u -= 2 * 0.05 * u**2 * (u**3 + 1)
    end = descend(start, 0.05, 5)
    assert np.abs(np.eye(2) + end - u * np.eye(2)).max() < 1e-14
    assert abs(excess(end) - 2 * (u**3 + 1) ** 2) < 1e-13
    assert excess(start) == pytest.approx(8.0, abs=0)


def _plain_loss(layers: int, x: int, y: int) -> Callable[[Sequence[Fraction]], Fraction]:
    """2 L of a plain network with d = 1, less y^2."""

    def loss(weights: Sequence[Fraction]) -> Fraction:
        assert len(weights) == layers
        output = weights[0] * Fraction(x)
        for w in weights[1:]:
            output = w * output
        return output * output + output * Fraction(-2 * y)

    return loss


def test_where_the_hessian_vanishes_by_brute_force() -> None:
    """d = 1 on a grid: for l = 3 at zero alone, for l = 4 where at least three weights vanish, for l = 2 nowhere."""
    grid = [Fraction(v) for v in (-1, 0, 2)]
    for layers in (2, 3, 4):
        loss = _plain_loss(layers, 1, 3)
        for point in product(grid, repeat=layers):
            pairs = [(a, b) for a in range(layers) for b in range(a, layers)]
            flat = not any(second_derivative_at(loss, point, a, b) for a, b in pairs)
            assert flat is (layers > 2 and sum(w == 0 for w in point) >= 3), point
    assert [len(plain_layers(k).weights) for k in (2, 5)] == [2, 5]


def test_two_outputs_leave_a_line_of_flat_points_at_three_layers() -> None:
    """d = 1, k = 2, x = 1, y = (3, 0): H = 0 where w1 = w2 = 0 and W3 is orthogonal to y, and nowhere else."""

    def loss(weights: Sequence[Fraction]) -> Fraction:
        w1, w2, *last = weights
        first, second = (w * w2 * w1 for w in last)
        return first * first + first * Fraction(-6) + second * second  # less 9

    for point in product([Fraction(v) for v in (-1, 0, 2)], repeat=4):
        pairs = [(a, b) for a in range(4) for b in range(a, 4)]
        flat = not any(second_derivative_at(loss, point, a, b) for a, b in pairs)
        assert flat is (point[:3] == (0, 0, 0)), point


def test_zero_is_a_global_minimum_where_t_vanishes(statement_result: RunOnce) -> None:
    """X = (1, 1), Y = (1, -1): T = 0, and the loss is (2 + 2 w^2)/4 with w the product of the weights."""
    for w in product([Fraction(v, 2) for v in range(-3, 4)], repeat=3):
        g = w[0] * w[1] * w[2]
        assert ((1 - g) ** 2 + (-1 - g) ** 2) / 4 == Fraction(1, 2) + g * g / 2
    reading = statement_result(M4, "exact").clauses[0].reading
    assert reading is not None
    assert (reading.kind, reading.sentence) == ("exception", "except for $T = 0$")
    assert [step.outcome for step in reading.steps] == ["passed", "passed"]


def test_all_norms_below_one_make_a_positive_determinant() -> None:
    grid = [Fraction(v, 2) for v in range(-4, 5)]
    for a, b, c, d in product(grid, repeat=4):
        w = matrix([[a, b], [c, d]])
        if a * a + b * b + c * c + d * d < 1:
            assert determinant(add(eye(2), w)) > 0


def test_statements_are_in_the_order_of_the_text() -> None:
    assert [one.id for one in STATEMENTS] == list(VERDICTS)
    assert (M2.kind, M2C.kind, M4.kind) == ("network",) * 3
