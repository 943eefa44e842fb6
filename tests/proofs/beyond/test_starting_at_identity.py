"""The attention blocks that GEN-7 writes out, against SymPy's own series and against floating point."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

from resproof.proofs.beyond.attention_forms import SMALL
from resproof.proofs.beyond.written_attention import Written, core, least_degree_with, loss_parts, pairs
from resproof.symbolic.algebra.rings import Plain, as_sympy
from tests import plain_catalogue
from tests.plain_catalogue import Library

NUMPY = Library(np.tanh, np.exp, np.log, np.tanh, lambda parts: np.concatenate(parts, -1), np.asarray)


def value_of(plain: Plain, at: dict[str, float]) -> float:
    total = 0.0
    for monomial, coefficient in plain.items():
        term = float(coefficient)
        for name, power in monomial:
            term *= at[name] ** power
        total += term
    return total


def plainly(one: Written, at: dict[str, float]) -> float:
    """The loss at these weights and data, by plain NumPy."""
    weights: list[dict[str, np.ndarray]] = []
    for r in one.numbers:
        found: dict[str, np.ndarray] = {}
        for name, (rows, cols) in one.sides().items():
            found[name] = np.array([[at[one.name(name, r, i, j)] for j in range(cols)] for i in range(rows)])
        weights.append(found)
    total = 0.0
    for u in range(one.samples):
        x, y = (np.array([[at[f"{n}_{i}_{s}_{u}"] for s in range(one.tokens)] for i in range(one.d)]) for n in "xy")
        for w in weights:
            n = x**one.pre
            x = x + sum(plain_catalogue.head(NUMPY, n, w, str(i), one.causal) for i in range(1, one.heads + 1))
            if one.mlp:
                inner = w["W1"] @ x**one.pre
                x = x + w["W2"] @ (3 * inner + inner**2)
        total += float(((x - y) ** 2).sum())
    return total / (2 * one.samples)


@pytest.mark.parametrize(
    "one", [*SMALL, Written(1, 1, 1, 2, order=4), Written(2, 1, 1, 2, causal=True, order=4)], ids=str
)
def test_the_series_is_that_of_the_network(one: Written) -> None:
    """At t v the error of the series of order K falls as t^(K+1), with the error at a larger t as the scale."""
    generator = np.random.default_rng(0)
    names = [one.name(w, r, i, j) for r in one.numbers for w, (n, c) in one.sides().items() for i, j in pairs(n, c)]
    data = [f"{x}_{i}_{s}_{u}" for x in "xy" for u in range(one.samples) for i, s in pairs(one.d, one.tokens)]
    values = {name: float(generator.standard_normal()) for name in (*names, *data)}
    parts = [one.ring.plain(part) for part in loss_parts(one)]
    errors = []
    for t in (2.0**-5, 2.0**-6):
        at = {name: value * (t if name in names else 1.0) for name, value in values.items()}
        errors.append(abs(plainly(one, at) - sum(value_of(part, at) for part in parts)))
    assert errors[1] <= 1.6 * errors[0] / 2.0 ** (one.order + 1) + 1e-14


def test_one_head_in_one_dimension_against_sympy() -> None:
    """d = k = m = 1, t = 2, degree four, by SymPy's differentiation of the closed form."""
    one = Written(1, 1, 1, 2, causal=True, order=4)
    q, k, v, o = (sympy.Symbol(one.name(f"{letter}1", 1, 0, 0)) for letter in "QKVO")
    x1, x2, y1, y2 = (sympy.Symbol(f"{n}_0_{s}_0") for n in "xy" for s in (0, 1))
    t = sympy.Symbol("t")
    first, second = sympy.exp(k * x1 * q * x2), sympy.exp(k * x2 * q * x2)
    attended = (first * x1 + second * x2) / (first + second)
    loss = ((x1 + o * v * x1 - y1) ** 2 + (x2 + o * v * attended - y2) ** 2) / 2
    along = loss.subs({w: t * w for w in (q, k, v, o)}, simultaneous=True)
    for degree, part in enumerate(loss_parts(one)):
        expected = sympy.diff(along, t, degree).subs(t, 0) / sympy.factorial(degree)
        assert sympy.expand(expected - as_sympy(one.ring.plain(part))) == 0


def test_the_core_by_hand() -> None:
    """d = 1, t = 2, causal: M = g_1 h_1 + g_2 (h_1 + h_2) / 2."""
    one = Written(1, 1, 1, 2, causal=True)
    x1, x2, y1, y2 = (one.ring.symbol(f"{n}_0_{s}_0") for n in "xy" for s in (0, 1))
    half = one.ring.number(Fraction(1, 2))
    found = core(one, lambda w, s, r: Fraction(w.sees(s, r), r + 1))
    assert found == [[(x1 - y1) * x1 + half * (x2 - y2) * (x1 + x2)]]


def test_a_weight_that_is_not_there() -> None:
    assert least_degree_with(Written(1, 1, 1, 2), "W") is None
    assert least_degree_with(Written(1, 1, 1, 2), "Q") is None
    assert least_degree_with(Written(1, 1, 1, 2), "V") == 2
