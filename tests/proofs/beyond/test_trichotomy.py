"""GEN-1, GEN-2, GEN-5 and GEN-8: what their arguments say, derived again by differentiating small losses."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from resproof.proofs.beyond.trichotomy import CONTINUOUS, SLOPES
from resproof.proofs.beyond.two_units import GEN_1, SCHWARZ, TAYLOR
from resproof.proofs.formulas import plain
from resproof.proofs.statement import Citation, Context, Hypothesis
from tests.proofs.offered import offered


def test_the_citations_check_that_branches_are_differentiable() -> None:
    assert [one for one in offered(GEN_1) if isinstance(one, Citation)] == [TAYLOR, SCHWARZ]
    for check in (check for one in (TAYLOR, SCHWARZ) for check in one.hypotheses.values()):
        assert check.holds(check.of())
        assert not check.holds(check.fails_on())


def second_derivatives(loss: sympy.Expr, weights: list[sympy.Symbol]) -> Any:
    return sympy.hessian(loss, weights).subs(dict.fromkeys(weights, 0))


def test_d_and_a_agree_where_y_is_x() -> None:
    """d = 1, F(h; a, b) = sin(a) h^2 + b e^h + a b h: at y = x all blocks are T1 T1^T, elsewhere they are not."""
    x, y = sympy.symbols("x y")
    weights = [sympy.symbols(f"a{r} b{r}") for r in (1, 2)]
    h = x
    for a, b in weights:
        h += sympy.sin(a) * h**2 + b * sympy.exp(h) + a * b * h
    flat = [w for pair in weights for w in pair]
    found = second_derivatives((h - y) ** 2 / 2, flat)
    t1 = sympy.Matrix([x**2, sympy.exp(x)])
    there = found.subs(y, x)
    for r, s in product((0, 1), repeat=2):
        assert sympy.simplify(there[2 * r : 2 * r + 2, 2 * s : 2 * s + 2] - t1 * t1.T) == sympy.zeros(2)
    assert sympy.simplify(found[2:, :2] - t1 * t1.T) != sympy.zeros(2)


def test_a_of_fixup_vanishes_at_one_target() -> None:
    """d = k = m = 1 and the identity: W_2 starts at zero, W_1 at c, the same in both units."""
    x, y, c = sympy.symbols("x y c")
    weights = [sympy.symbols(f"u{r} v{r}") for r in (1, 2)]
    h = x
    for u, v in weights:
        h += v * (c + u) * h
    found = second_derivatives((h - y) ** 2 / 2, [w for pair in weights for w in pair])
    expected = {(i, j): c**2 * x * (2 * x - y) if i == j == 1 else 0 for i, j in product((0, 1), repeat=2)}
    assert all(sympy.expand(found[2 + i, j] - entry) == 0 for (i, j), entry in expected.items())
    assert all(sympy.sympify(entry).subs(y, 2 * x) == 0 for entry in expected.values())


@pytest.mark.parametrize("order", [1, 2])
def test_a_bias_on_the_output(order: int) -> None:
    """F = w tanh(h / 2) and w^2 tanh(h / 2) at x = (1, -1), y = (0, 3), R = 2: what order two of F decides."""
    weights = [sympy.symbols(f"w{r} b{r}") for r in (1, 2)]
    loss = sympy.Integer(0)
    for x, y in ((1, 0), (-1, 3)):
        h = sympy.Integer(x)
        for w, b in weights:
            h += w**order * sympy.tanh(h / 2) + b
        loss += (h - y) ** 2 / 4
    found = second_derivatives(loss, [w for pair in weights for w in pair])
    eigenvalues = np.linalg.eigvalsh(np.array(found, dtype=float))
    assert eigenvalues[-1] >= 2 - 1e-12
    for value in (0.0, 2.0):
        assert bool(np.abs(eigenvalues - value).min() < 1e-9) is (order == 2)


@pytest.mark.parametrize("classes", [1, 2, 3, 4])
def test_the_rank_with_a_head(classes: int) -> None:
    """W^T N with N's rows summing to zero, random whole numbers: at most C - 1."""
    draw = random.Random(classes)
    for d in (1, 2, 5):
        head = sympy.Matrix(classes, d, lambda *_: draw.randint(-4, 4))
        rows = sympy.Matrix(classes, d, lambda *_: draw.randint(-4, 4))
        rows -= sympy.ones(classes, 1) * (sympy.ones(1, classes) * rows) / classes
        assert (head.T * rows).rank() <= min(classes - 1, d)


@pytest.mark.parametrize(("order", "tends"), [(1, sympy.oo), (2, sympy.Integer(0))])
def test_a_loss_that_is_differentiable_once(order: int, tends: sympy.Expr) -> None:
    """|f - x|^(3/2) along t -> w = t v: at order one its second difference quotient has no limit, at order two 0."""
    t = sympy.Symbol("t", positive=True)
    output = 1 + (t if order == 1 else t * t)
    quotient = 2 * sympy.Abs(output - 1) ** sympy.Rational(3, 2) / t**2
    assert sympy.limit(quotient, t, 0, "+") == tends


@pytest.mark.parametrize("hypothesis", [SLOPES, CONTINUOUS], ids=lambda one: plain(one.sentence))
def test_without_a_hypothesis_on_activations_there_is_no_second_order_form(hypothesis: Hypothesis) -> None:
    """By running the loss at small weights: a quadratic form f has f(u + v) + f(u - v) = 2 f(u) + 2 f(v)."""

    def loss(w: np.ndarray) -> float:
        h = 1.0
        for first, second in w.reshape(-1, 2):
            mid, pre = (max(first * h, 0.0), 1.0) if hypothesis is SLOPES else (first, 1.0 + (h > 1.0))
            h += second * mid * pre
        return h * h / 2

    u, v = (
        np.array(one) * 1e-3 for one in (((1, 1), (-2, 0)) if hypothesis is SLOPES else ((1, 1, 0, 0), (0, 0, 1, 1)))
    )
    f = [(loss(one) - 0.5) * 1e6 for one in (u, v, u + v, u - v)]
    assert hypothesis.needed is not None
    found = float(hypothesis.needed.compute(Context()).value)
    assert f[2] + f[3] - 2 * (f[0] + f[1]) == pytest.approx(found, abs=1e-3)
    assert found > 0.9
    assert not hypothesis.predicate(hypothesis.fails_on)
