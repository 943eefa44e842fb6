"""Kinks of ReLU networks on a line, held against running values and against second differences."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.proofs.identity_matters.kinks import (
    AffinePath,
    Kink,
    kept,
    nudged,
    relu_germ,
    shifted,
    sign,
    straight,
    vanishing,
)
from resproof.symbolic.certificates import NotCertified, orthant


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


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 3))
def test_paths_are_those_of_the_network(seed: int, d: int, layers: int) -> None:
    path, weights, start, direction = _network(np.random.default_rng(seed), d, layers)
    for t in (*path.knots, *(Fraction(n, 7) for n in range(-40, 41, 9))):
        point = [int(x) + t * int(v) for x, v in zip(start, direction, strict=True)]
        assert list(path.at(t)) == _value(weights, point)


@settings(deadline=None)
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


@pytest.mark.parametrize(("left", "right"), [*product((-2, 0, 2), (-3, 0, 3))])
def test_a_path_behind_a_relu_vanishes_at_kinks_or_on_an_interval(left: int, right: int) -> None:
    """With numbers: ReLU(f), f(0) = 0 with these slopes, a step to each side."""
    before, after = max(-left, 0), max(right, 0)
    found = vanishing()[f"{_slope(left, 'x')}, {_slope(right, 'y')}"]
    assert found == {(0, 0): "0", (2, 0): "x", (0, 3): "y", (2, 3): "x + y"}[before, after]
    assert (found == "0") is (before == after == 0)


def _slope(value: int, name: str) -> str:
    return "0" if value == 0 else name if value > 0 else f"-{name}"


def test_a_row_off_one_hyperplane_after_the_other() -> None:
    """The row of the proof, moved by delta n off each vector on which it vanishes."""
    o, become = nudged()
    rng = np.random.default_rng(4)
    for _ in range(20):
        normals = [[Fraction(int(v)) for v in n] for n in rng.integers(-3, 4, size=(6, 3)) if any(n)]
        row = [Fraction(0)] * 3
        for n in normals:
            if not _dot(row, n):
                values = [abs(_dot(row, w)) for w in normals if _dot(row, w)]
                deltas = [value / (abs(_dot(n, w)) + 100) for value in values for w in normals]
                delta = min(deltas, default=Fraction(1))
                row = [a + delta * b for a, b in zip(row, n, strict=True)]
                assert _dot(row, n) == delta * _dot(n, n)
                assert all(abs(_dot(row, w)) > 0 for w in normals[: normals.index(n)])
        assert all(_dot(row, n) for n in normals)
    assert become(o["h"]) == (o["h"] * o["N"], o["v"] - o["h"] * o["g"])


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


@pytest.mark.parametrize("d", [2, 3, 4])
def test_layer_after_layer_the_kinks_of_the_proof(d: int) -> None:
    """From (t, 1, 0, ..., 0) on: K + d X kinks with the rows of the proof, more with e_1 - epsilon e_2 behind them."""
    one, zero = Fraction(1), Fraction(0)
    y = straight([zero, one, *[zero] * (d - 2)], [one, *[zero] * (d - 1)])
    a = [one, *[zero] * (d - 1)]
    q = [zero, one, *[zero] * (d - 2)]
    for layer in range(4):
        crossings = y.crossings(a)
        assert crossings
        assert all(_dot(q, y.at(t)) > 0 for t in crossings)
        delta = Fraction(1, 10**9)
        rest = [[x + n * delta * b for x, b in zip(a, q, strict=True)] for n in range(2, d)]
        h = y.through([a, [-x + delta * b for x, b in zip(a, q, strict=True)], *rest])
        assert len(h.kinks) == len(y.kinks) + d * len(crossings)
        cut = [one, Fraction(-1, 10 ** (3 + layer)), *[zero] * (d - 2)]
        deeper = h.through([[Fraction(13 + n * n, 12) for n in range(d)], cut, *[[zero] * d] * (d - 2)])
        assert len(deeper.kinks) > len(h.kinks)
        y, a, q = h, cut, [Fraction(7 + n, 6) for n in range(d)]


@pytest.mark.parametrize("layers", [2, 3, 4, 5])
def test_in_one_dimension_k_outputs_of_any_depth_are_those_of_two_layers(layers: int) -> None:
    """W ReLU(w ... ReLU(w_1 x)) against (W c) ReLU(w_1 x), c >= 0 being what the layers between make of 1."""
    last = [Fraction(2), Fraction(-1), Fraction(0)]
    for scalars in product((-2, -1, 0, 3), repeat=layers - 1):
        c = Fraction(1)
        for w in scalars[1:]:
            c *= max(w, 0)
        for x in (-1, 0, 2):
            hidden = Fraction(x)
            for w in scalars:
                hidden = max(w * hidden, Fraction(0))
            assert [a * hidden for a in last] == [a * c * max(scalars[0] * x, 0) for a in last]
