"""GEN-9: scaled branches, derived again by jax.hessian and by SymPy, and growth by numbers at two depths."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from resproof.proofs.beyond.depth_instances import LINEAR
from resproof.proofs.beyond.residual_scale import _corner_side
from resproof.proofs.beyond.residual_scale_instances import instances
from resproof.proofs.statement import Context
from resproof.proofs.theory import growth
from resproof.proofs.theory.scaled_branches import scaled
from resproof.symbolic.algebra.toeplitz import Interval, root

# Hessians by jax: h -> h + s F(h; w) from its definition, at w = 0.

_D, _M = 2, 5
_X, _Y = (np.random.default_rng(seed).standard_normal((_D, _M)) for seed in (0, 1))


def _order_one(w: Any, h: Any) -> Any:
    return jax.nn.silu(w.reshape(_D, _D) @ jnp.tanh(h))


def _linear(w: Any, h: Any) -> Any:
    return w.reshape(_D, _D) @ jnp.cos(h)


def _order_two(w: Any, h: Any) -> Any:
    first, second = w.reshape(2, _D, _D)
    return second @ jnp.tanh(first @ jnp.sin(h))


@lru_cache
def _compiled(branch: Callable[[Any, Any], Any], count: int, units: int) -> Any:
    def loss(flat: Any, scale: Any) -> Any:
        h = jax.lax.scan(lambda h, w: (h + scale * branch(w, h), None), jnp.asarray(_X), flat.reshape(units, count))[0]
        return jnp.sum((h - _Y) ** 2) / (2 * _M)

    return jax.jit(jax.hessian(loss))


def _hessian(branch: Callable[[Any, Any], Any], count: int, units: int, scale: float) -> np.ndarray:
    with jax.enable_x64(True):
        return np.asarray(_compiled(branch, count, units)(jnp.zeros(units * count), scale))


@pytest.mark.parametrize("scale", [0.5, -2.0, 3.0])
def test_the_form_in_s(scale: float) -> None:
    """s B + s^2 C on the diagonal and s^2 A beside it, B and C from s = 1 and s = -1."""
    plus, minus, here = (_hessian(_order_one, 4, 3, s) for s in (1.0, -1.0, scale))
    own, square = (plus - minus) / 2, (plus + minus) / 2
    assert np.abs(own).max() > 0.1
    assert np.allclose(here, scale * own + scale**2 * square, rtol=0, atol=1e-12)
    blocks = own.reshape(3, 4, 3, 4)
    for r in range(3):
        for s in range(3):
            expected = blocks[0, :, 0] if r == s else 0.0
            assert np.allclose(blocks[r, :, s], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("branch", "count", "power"), [(_order_two, 8, 1), (_linear, 4, 2)])
def test_one_power_of_s(branch: Callable[[Any, Any], Any], count: int, power: int) -> None:
    one, small = (_hessian(branch, count, 3, s) for s in (1.0, 0.25))
    assert np.abs(one).max() > 0.1
    assert np.allclose(small, 0.25**power * one, rtol=0, atol=1e-12)


def test_growth_at_two_depths() -> None:
    """Norm and condition number at R = 64 and R = 256, s = R^-a, blocks of three units by jax: near powers of 4."""
    lower = {units: np.tri(units, k=-1) for units in (64, 256)}
    plus, minus = (_hessian(_order_one, 4, 3, s) for s in (1.0, -1.0))
    own, square, below = (plus - minus)[:4, :4] / 2, (plus + minus)[:4, :4] / 2, plus[4:8, :4]
    ratios = {}
    for a in (0.0, 0.5, 2.0):
        values = []
        for units, ones in lower.items():
            s = units**-a
            beside = np.kron(ones, s**2 * below)
            h = np.kron(np.eye(units), s * own + s**2 * square) + beside + beside.T
            values.append(np.linalg.svd(h, compute_uv=False))
        small, large = values
        ratios[a] = (large[0] / small[0], large[0] / large[-1] * small[-1] / small[0])
    assert 3.8 < ratios[0.0][0] < 4.2
    assert 0.95 < ratios[0.5][0] < 1.05
    assert 0.06 < ratios[2.0][0] < 0.065
    assert ratios[0.0][1] > 3.0
    assert ratios[0.5][1] > 1.5
    least = np.linalg.svd(own, compute_uv=False)
    assert values[1][0] / values[1][-1] == pytest.approx(least[0] / least[-1], rel=0.2)


# The parts.


@pytest.mark.parametrize("a", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(3)])
def test_the_growth_of_a_sum(a: Fraction) -> None:
    """By its value at R = 2^200 against that at R = 1."""
    for terms in ([(1, 0), (2, 0), (2, 1)], [(2, 1)], [(1, 0)], [(1, 0), (1, 1)], [(0, 0), (1, 1)]):
        exponent = max(j - i * a for i, j in terms)
        found = growth.of_sum(terms)
        at = sympy.Rational(a.numerator, a.denominator)
        assert [at in one for one in found] == [exponent > 0, exponent == 0, exponent < 0]
        assert growth.of_inverse(terms) == (found.vanishes, found.stays, found.grows)


def test_two_units_have_one_block_in_the_corner() -> None:
    assert _corner_side(2) == 1


def test_exact_instances_are_those_of_the_definition() -> None:
    """One of them entry by entry: d = 1, h + s ((2 t + t^2) at t = w (h + 2 h^2))."""
    one = next(
        i
        for i in instances(Context()).value
        if i.units == 4 and i.scale == Fraction(1, 2) and "d=1" in i.name and "pre" in i.name
    )
    weights = sympy.symbols("w1:5")
    h = sympy.Integer(1)
    for w in weights:
        t = w * (h + 2 * h**2)
        h = h + sympy.Rational(1, 2) * (2 * t + t**2)
    hessian = sympy.hessian((h - sympy.Rational(3, 2)) ** 2 / 2, weights).subs(dict.fromkeys(weights, 0))
    assert [[Fraction(int(x.p), int(x.q)) for x in hessian.row(k)] for k in range(4)] == [list(r) for r in one.hessian]


def test_a_scaled_unit_keeps_its_weights() -> None:
    assert list(scaled(LINEAR, Fraction(1, 2)).names.values()) == list(LINEAR.names.values())


@pytest.mark.parametrize("square", [Fraction(9, 4), Fraction(2), Fraction(0), Fraction(1, 3)])
def test_a_square_root_is_enclosed(square: Fraction) -> None:
    found = root(Interval(square, square))
    assert found.low**2 <= square <= found.high**2
    assert found.high - found.low <= Fraction(1, 2**59)
