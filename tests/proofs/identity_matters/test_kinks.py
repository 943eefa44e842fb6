"""Kinks of ReLU networks on a line, held against running values and against second differences."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.identity_matters.kinks import AffinePath, Kink, kept, relu_germ, shifted, sign, straight
from symbolic.certificates import NotCertified, orthant


def _network(
    rng: np.random.Generator, d: int, layers: int
) -> tuple[AffinePath, list[np.ndarray], np.ndarray, np.ndarray]:
    start, direction = (rng.integers(-9, 10, size=d) for _ in range(2))
    weights = [rng.integers(-5, 6, size=(d, d)) for _ in range(layers)]
    path = straight([Fraction(int(v)) for v in start], [Fraction(int(v)) for v in direction])
    for w in weights:
        path = path.through([[Fraction(int(v)) for v in row] for row in w])
    return path, weights, start, direction


def _value(weights: list[np.ndarray], point: list[Fraction]) -> list[Fraction]:
    """The hidden layer, entry by entry."""
    for w in weights:
        point = [max(sum((int(v) * x for v, x in zip(row, point, strict=True)), Fraction(0)), Fraction(0)) for row in w]
    return point


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 3))
def test_paths_are_those_of_the_network(seed: int, d: int, layers: int) -> None:
    path, weights, start, direction = _network(np.random.default_rng(seed), d, layers)
    for t in (*path.knots, *(Fraction(n, 7) for n in range(-40, 41, 9))):
        point = [int(x) + t * int(v) for x, v in zip(start, direction, strict=True)]
        assert list(path.at(t)) == _value(weights, point)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 3))
def test_kinks_are_where_second_differences_do_not_vanish(seed: int, d: int, layers: int) -> None:
    path, weights, start, direction = _network(np.random.default_rng(seed), d, layers)

    def f(t: Fraction) -> list[Fraction]:
        return _value(weights, [int(x) + t * int(v) for x, v in zip(start, direction, strict=True)])

    # Half of the least distance of two knots: no other kink is met.
    h = min([b - a for a, b in zip(path.knots, path.knots[1:], strict=False)], default=Fraction(1)) / 2
    for t in path.knots:
        bends = any(a - 2 * b + c for a, b, c in zip(f(t + h), f(t), f(t - h), strict=True))
        assert bends is (t in path.kinks)
    assert len(path.kinks) <= (d + 1) ** layers - 1


def test_two_more_kinks_a_layer() -> None:
    """The hidden layer [[1, -e], [-e, 1]] on the path (ReLU(t), ReLU(1 - t)): the kinks grow by two with each layer."""
    path = straight([Fraction(0), Fraction(1)], [Fraction(1), Fraction(-1)])
    path = path.through([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    counts = [len(path.kinks)]
    for _ in range(8):
        e = Fraction(1, 7)
        path = path.through([[Fraction(1), -e], [-e, Fraction(1)]])
        counts.append(len(path.kinks))
    assert counts == [2 + 2 * n for n in range(9)]


@pytest.mark.parametrize(("value", "left", "right"), [*product((-2, 0, 3), (-1, 0, 2), (-1, 0, 2))])
def test_germs_of_relu(value: int, left: int, right: int) -> None:
    """Against one-sided differences with numbers."""
    o = orthant("one")
    one = o["one"] / o["one"]
    found = relu_germ(o, Kink(value * one, left * one, right * one))
    h = Fraction(1, 100)
    at, before, after = (max(Fraction(v), Fraction(0)) for v in (value, value - h * left, value + h * right))
    assert [*found] == [one * int(slope) for slope in (at, (at - before) / h, (after - at) / h)]


def test_signs_that_are_not_known() -> None:
    o = orthant("p", "q")
    assert [sign(o, x) for x in (o["p"], -o["p"], 0 * o["p"])] == [1, -1, 0]
    for value in (o["q"], o["p"] - o["q"]):
        with pytest.raises(NotCertified, match="no one sign"):
            _ = sign(o, value)


def test_one_row_alone_loses_kinks() -> None:
    assert [name for name, found in kept().items() if not found[0]] == ["a y < 0", "y = 0, a y falls"]
    assert all(found[1] for found in kept().values())


def test_a_zero_moves_by_its_formula() -> None:
    o, zero = shifted()
    t = zero(o["x"])
    assert o["s"] * t + o["x"] * (o["r"] + o["p"] * t) == 0
