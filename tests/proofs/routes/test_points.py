"""Null sets of statements: the polynomials at drawn points, and how often they vanish over small integers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product

import pytest
import sympy

from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.statement import Context, Disagreement
from tests.proofs.offered import rejects_neighbours


def _drawn(rows: int, columns: int, draw: random.Random) -> sympy.Matrix:
    return sympy.Matrix(rows, columns, [draw.randint(-9, 9) for _ in range(rows * columns)])


def _diagonal(d: int, depth: int, draw: random.Random) -> list[sympy.Matrix]:
    return [sympy.diag(*[draw.randint(-9, 9) for _ in range(d)]) for _ in range(depth)]


def _hidden(d: int, m: int, draw: random.Random) -> sympy.Expr:
    """The Gram determinant of a residual network's hidden representation, V upper triangular, two layers."""
    v = sympy.Matrix(d, d, lambda i, j: int(bool(j >= i)))
    h = _drawn(d, m, draw)
    for values in _diagonal(d, 2, draw):
        h = (sympy.eye(d) + v * values * v.inv()) * h
    return (h * h.T if m >= d else h.T * h).det()


def _update(d: int, m: int, draw: random.Random) -> sympy.Expr:
    """det (Y - f(X)) X^T, two layers."""
    x, y, f = _drawn(d, m, draw), _drawn(d, m, draw), sympy.eye(d)
    for _ in range(2):
        f = (sympy.eye(d) + _drawn(d, d, draw)) * f
    return ((y - f * x) * x.T).det()


def _correlation(d: int, m: int, draw: random.Random) -> sympy.Expr:
    """|Y X^T|^2 with d + 1 outputs."""
    t = _drawn(d + 1, m, draw) * _drawn(d, m, draw).T
    return sympy.Add(*(value**2 for value in t))


def _second_moments(d: int, m: int, draw: random.Random) -> sympy.Expr:
    """tr S, for d = 1 times 4 S^2 - T^2."""
    x, y = _drawn(d, m, draw), _drawn(d, m, draw)
    s, t = x * x.T, y * x.T
    return s.trace() * (4 * s[0] ** 2 - t[0] ** 2 if d == 1 else 1)


@pytest.mark.parametrize(
    ("polynomial", "shapes"),
    [
        (_hidden, tuple(product((1, 2, 3), (1, 2, 3, 4)))),
        (_update, ((1, 1), (1, 3), (2, 2), (2, 4), (3, 3))),  # N >= n
        (_correlation, tuple(product((1, 2), (1, 3)))),
        (_second_moments, tuple(product((1, 2, 3), (1, 2)))),
    ],
)
def test_they_vanish_at_few_drawn_points(
    polynomial: Callable[[int, int, random.Random], sympy.Expr], shapes: Sequence[tuple[int, int]]
) -> None:
    for d, m in shapes:
        draw = random.Random(10 * d + m)
        values = [polynomial(d, m, draw) for _ in range(12)]
        assert sum(value != 0 for value in values) >= 6, (d, m)


def test_fewer_samples_than_units_are_no_null_set() -> None:
    """For m < d every determinant of H H^T vanishes: there full rank is m."""
    x = _drawn(3, 2, random.Random(0))
    assert (x * x.T).det() == 0
    assert x.rank() == 2


class TestNonzeroAt:
    def test_the_sizes_are_those_of_the_letters(self) -> None:
        one = nonzero_at(
            "t", {"p": At("u' u", {"u' u": ""})}, {"u": ("d", "1"), "u'": ("1", "d")}, explanation="", shown=""
        )
        rejects_neighbours(one)
        assert str(one.compute(Context()).scope) == "all d"

    def test_a_point_where_it_vanishes_is_refused(self) -> None:
        shapes = {"u": ("d", "1"), "u'": ("1", "d")}
        one = nonzero_at("t", {"p": At("u' u - u' u", {"u' u": ""})}, shapes, explanation="", shown="")
        with pytest.raises(Disagreement):
            one.compare(one.compute(Context()).value, one.claim)

    def test_a_relation_that_is_not_needed_is_refused(self) -> None:
        shapes = {"u": ("d", "1"), "u'": ("1", "d"), "v": ("m", "1"), "v'": ("1", "m")}
        one = nonzero_at("t", {"p": At("u' u", {"u' u": "", "v' v": ""})}, shapes, explanation="", shown="")
        with pytest.raises(Disagreement):
            one.compare(one.compute(Context()).value, one.claim)
