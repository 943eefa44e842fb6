"""Certificates for layers of norm below one: each one seen to hold and to fail, and held against plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from resproof.proofs.identity_matters.contractions import (
    Exponents,
    LineClaim,
    Power,
    angle_bound,
    any_depth,
    approaches,
    at_most,
    attained,
    best_radius,
    between,
    decay,
    decays,
    exponential_bound,
    keeps_orientation,
    lies_between_powers,
    line,
    longer,
    longer_sum,
    orientation,
    path_length,
    positive_on_line,
    quotient_of_powers,
    rational_bound,
    root_slope,
    shallow,
    spectrum_bound,
    step_share,
    stretch,
    stretches,
    stretches_within,
    turned_squared,
)
from resproof.symbolic.certificates import NotCertified, orthant, substitute

EQUAL_LAYERS = (Power(2, 2, -1, False), Power(-2, 1, -1, True))
"""2 sigma u^(2l-1) - 2 sigma (-rho) u^(l-1)."""


def _sum(turn: Any, x: Any) -> Any:
    return turn + x / (1 - x)


def _share(a: Any, b: Any) -> Any:
    return (a - b) * sympy.exp(-3 * a)


PASSING: dict[str, Callable[[], None]] = {
    "stretch 1 - tau": lambda: stretches(stretch(), lambda tau: 1 - tau),
    "orientation below one": lambda: keeps_orientation(orientation(), Fraction(1)),
    "orientation below 1/2": lambda: keeps_orientation(orientation(), Fraction(1, 2)),
    "angle": lambda: angle_bound(turned_squared(), Fraction(1)),
    "no angle of a map that does not turn": lambda: angle_bound(
        (((sympy.S.Zero,) * 2,) * 2, sympy.Symbol("z")), Fraction(0)
    ),
    "twice the angle": lambda: angle_bound(turned_squared(), Fraction(2)),
    "exponential": lambda: exponential_bound(lambda q: (q**2 - 1, 1 - 1 / q**2), lambda q: q**2 - 1),
    "x/(1 - x)": lambda: rational_bound(lambda x: x / (1 - x)),
    "3x/2": lambda: rational_bound(lambda x: 3 * x / 2),
    "(4 pi + 3 gamma)/l": lambda: at_most(any_depth(), _sum, lambda p, q, layers: (4 * p**2 + q**2) / layers),
    "spectrum": lambda: spectrum_bound(lambda least: least),
    "decay": lambda: decays(decay(), lambda mu: mu),
    "slower decay": lambda: decays(decay(), lambda mu: mu / 2),
    "line": lambda: positive_on_line(line(EQUAL_LAYERS), LineClaim()),
    "line, l >= 3": lambda: positive_on_line(line(EQUAL_LAYERS), LineClaim(depth=3)),
    "layers near the identity": lambda: stretches_within(shallow(), Exponents()),
    "path length": lambda: path_length(root_slope(), lambda grown, layers, root: grown**3 / (layers * root)),
    "radius": lambda: best_radius(_share, (Fraction(1, 3), Fraction(1, 3))),
    "quotients of powers": lambda: lies_between_powers({n: quotient_of_powers(n) for n in (1, 2, 5)}, lambda n: n),
    "a sum of one term more": lambda: longer((longer_sum(low=True), longer_sum(low=False)), 1),
    "steps towards the root": lambda: approaches(step_share(), Fraction(1)),
    "shorter steps": lambda: approaches(step_share(), Fraction(1, 2)),
    "away from zero": lambda: between((lambda _, one: one, lambda r, _: r)),
}

FAILING: dict[str, Callable[[], None]] = {
    "stretch 1 - tau^2": lambda: stretches(stretch(), lambda tau: 1 - tau**2),
    "not the best stretch": lambda: stretches(stretch(), lambda tau: (1 - tau) / 2),
    "a negative stretch": lambda: stretches(stretch(), lambda tau: -tau),
    "orientation below 101/100": lambda: keeps_orientation(orientation(), Fraction(101, 100)),
    "99/100 of the angle": lambda: angle_bound(turned_squared(), Fraction(99, 100)),
    "1 - e^-x": lambda: exponential_bound(lambda q: (q**2 - 1, 1 - 1 / q**2), lambda q: 1 - 1 / q**2),
    "x": lambda: rational_bound(lambda x: x),
    "not zero at zero": lambda: rational_bound(lambda x: 1 + x),
    "(pi + gamma)/l": lambda: at_most(any_depth(), _sum, lambda p, q, layers: (p**2 + q**2 / 3) / layers),
    "spectrum squared": lambda: spectrum_bound(lambda least: least**2),
    "faster decay": lambda: decays(decay(), lambda mu: mu + 1),
    "longer steps": lambda: positive_on_line(line(EQUAL_LAYERS), LineClaim(Fraction(101, 100))),
    "l = 1": lambda: positive_on_line(line(EQUAL_LAYERS), LineClaim(depth=1)),
    "99/100 of the exponent": lambda: stretches_within(shallow(), Exponents(total=Fraction(99, 100))),
    "a linear bound for -log(1 - x)": lambda: stretches_within(shallow(), Exponents(down=lambda x: 2 * x)),
    "not zero at zero, again": lambda: stretches_within(shallow(), Exponents(up=lambda x: 1 + x)),
    "99/100 of the length": lambda: path_length(root_slope(), lambda grown, n, root: 99 * grown**3 / (100 * n * root)),
    "another radius": lambda: best_radius(_share, (Fraction(1, 3), Fraction(1, 2))),
    "a minimum": lambda: best_radius(lambda a, b: -_share(a, b), (Fraction(1, 3), Fraction(-1, 3))),
    "fewer terms": lambda: lies_between_powers({3: quotient_of_powers(3)}, lambda n: n - 1),
    "as many terms": lambda: longer((longer_sum(low=True), longer_sum(low=False)), 0),
    "above for below": lambda: longer((longer_sum(low=False), longer_sum(low=True)), 1),
    "steps beyond the root": lambda: approaches(step_share(), Fraction(101, 100)),
    "at least 1": lambda: between((lambda _, one: one, lambda _, one: one)),
    "at least r": lambda: between((lambda r, _: r, lambda r, _: r)),
    "uphill": lambda: positive_on_line(line([Power(-2, 2, -1, False)]), LineClaim()),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_holds_is_certified(name: str) -> None:
    PASSING[name]()


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_is_not(name: str) -> None:
    with pytest.raises(NotCertified):
        FAILING[name]()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0, 0.99))
def test_no_layer_stretches_less(seed: int, d: int, tau: float) -> None:
    w = np.random.default_rng(seed).normal(size=(d, d))
    w *= tau / np.linalg.norm(w, 2)
    assert np.linalg.svd(np.eye(d) + w, compute_uv=False)[-1] >= (1 - tau) * (1 - 1e-12)
    assert np.linalg.det(np.eye(d) + w) > 0


def test_the_stretch_is_attained() -> None:
    """The discriminant vanishes at c = 1 - tau and is negative just above."""
    o = orthant("t")
    for tau in (Fraction(1, 3), Fraction(9, 10)):
        one = o["t"] / o["t"]

        def at(c: Fraction, tau: Fraction = tau, one: Any = one) -> Any:
            values = {"c": c, "tau": tau}
            choice = {name: one * v.numerator / v.denominator for name, v in values.items()}
            return substitute(stretch().discriminant, choice)

        assert not at(1 - tau)
        assert at(1 - tau + Fraction(1, 1000)).numer.LC < 0


@given(st.floats(0.01, 1), st.integers(2, 9), st.floats(0.05, 0.99), st.floats(0, 5), st.floats(0.1, 3))
def test_the_step_on_the_line(u: float, layers: int, share: float, rho: float, sigma: float) -> None:
    """The symbolic step is the one written out, and it keeps the sign."""
    eta = share / (2 * sigma * (1 + rho))
    following = u - 2 * eta * sigma * u ** (layers - 1) * (u**layers + rho)
    ratio = line(EQUAL_LAYERS).ratio(2)
    values = dict(zip(["u", "a", "eta", "sigma", "rho"], (u, u ** (layers - 2), eta, sigma, rho), strict=True))
    symbols = [str(s) for s in ratio.field.symbols]
    numer, denom = (
        sum(
            float(c) * math.prod(values[n] ** e for n, e in zip(symbols, powers, strict=True))
            for powers, c in part.terms()
        )
        for part in (ratio.numer, ratio.denom)
    )
    assert math.isclose(u * numer / denom, following, rel_tol=1e-9, abs_tol=1e-12)
    assert 0 < following <= u


@given(st.floats(0.01, 0.99), st.integers(1, 1000))
def test_layers_near_the_identity(a: float, layers: int) -> None:
    assert (1 + a / layers) ** (layers - 1) <= math.exp(a) * (1 + 1e-9)
    assert (1 - a / layers) ** (layers - 1) >= math.exp(-a) * (1 - 1e-9)


@given(st.floats(0, 0.66), st.floats(0.01, 0.99))
def test_no_other_share_gives_a_greater_radius(b: float, a: float) -> None:
    assert (a - b) * math.exp(-3 * a) <= math.exp(-1 - 3 * b) / 3 * (1 + 1e-12)


@given(st.floats(0, 3), st.floats(1, 50))
def test_both_published_bounds_are_greater(greatest_log: float, factor: float) -> None:
    layers = max(3 * greatest_log * factor, factor)
    own = math.pi + layers * math.expm1(greatest_log / layers)
    assert own <= 4 * math.pi + 3 * greatest_log
    assert own <= 2 * (math.sqrt(math.pi) + math.sqrt(3 * greatest_log)) ** 2


def test_sizes_are_read_off_what_occurs() -> None:
    assert stretch().sizes.free == orientation().sizes.free == ("d",)
    assert any_depth().sizes.free == line(EQUAL_LAYERS).sizes.free == ("l",)
    found = attained()
    assert (found.sizes.free, found.sizes.ranged) == (("l",), (("d", (1,)),))
    with pytest.raises(ValueError, match="l does not occur"):
        _ = replace(found, ratio=found.ratio.subs(sympy.Symbol("l", positive=True), 3)).sizes
    with pytest.raises(ValueError, match="a does not occur"):
        _ = line([Power(2, 0, 1, False)]).sizes
    with pytest.raises(ValueError, match="no inner product"):
        _ = replace(stretch(), gram={}).sizes
