"""GEN-12: units that share their weights, derived again by differentiating the recurrent loss itself."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from resproof.proofs.beyond.shared_weights import STATEMENTS, recurrent_instances
from resproof.proofs.verdict import run
from tests.oracles import HyperDual, hessian_of_recurrent_loss


def test_it_is_proved_for_all_sizes() -> None:
    (found,) = map(run, STATEMENTS)
    assert (found.verdict, found.all_sizes) == ("PROVED", True), found.reason


@pytest.mark.parametrize("units", [2, 3, 4])
@pytest.mark.parametrize("scale", [Fraction(1), None])
def test_exact_instances_are_second_derivatives_of_the_recurrent_loss(units: int, scale: Fraction | None) -> None:
    """Width one, post(w pre(h)) by exact hyper-dual numbers."""
    s = Fraction(1, units) if scale is None else scale

    def unit(h: Any, w: Sequence[Any]) -> Any:
        t = w[0] * (h + 2 * (h * h))
        return h + s * (2 * t + t * t)

    expected = hessian_of_recurrent_loss(unit, units, [HyperDual(1)], [Fraction(3, 2)], 1)
    (one,) = [
        i for i in recurrent_instances() if "pre" in i.name and "d=1" in i.name and (i.units, i.scale) == (units, s)
    ]
    assert [list(row) for row in one.hessian] == expected


_X, _Y = np.random.default_rng(4).standard_normal((2, 3, 6))


def _loss(ws: Any, scale: float) -> Any:
    h = jnp.asarray(_X)
    for w in ws:
        h = h + scale * jax.nn.silu(w.reshape(3, 3) @ jnp.tanh(h))
    return jnp.sum((h - _Y) ** 2) / 12


def _in_one(units: int, scale: float) -> np.ndarray:
    """The Hessian in one w for all units."""
    with jax.enable_x64(True):
        return np.asarray(jax.hessian(lambda w: _loss([w] * units, scale))(jnp.zeros(9)))


def _in_their_own(units: int, scale: float) -> np.ndarray:
    """The Hessian in weights of their own."""
    with jax.enable_x64(True):
        return np.asarray(jax.hessian(lambda flat: _loss(flat.reshape(units, 9), scale))(jnp.zeros(9 * units)))


@pytest.mark.parametrize("units", [2, 5])
def test_the_form_by_jax(units: int) -> None:
    shared, own = _in_one(units, 1.0), _in_their_own(units, 1.0)
    d, a = own[:9, :9], own[9:18, :9]
    assert np.abs(a - a.T).max() > 1e-3
    assert np.allclose(shared, units * d + units * (units - 1) / 2 * (a + a.T), rtol=0, atol=1e-12)


def test_one_over_depth_keeps_it_and_the_root_does_not() -> None:
    """Norms at depth 16 over those at depth 4: near 1 with s = 1/R, near 4 with s = 1/sqrt(R)."""
    norms = {a: [float(np.linalg.norm(_in_one(units, units**-a), 2)) for units in (4, 16)] for a in (0.5, 1.0)}
    assert 0.8 < norms[1.0][1] / norms[1.0][0] < 1.25
    assert 3.0 < norms[0.5][1] / norms[0.5][0] < 5.0


def test_the_sum_over_units_is_that_of_an_arithmetic_series() -> None:
    n, units = sympy.symbols("n R", positive=True, integer=True)
    assert sympy.expand(sympy.summation(n, (n, 0, units - 1)) - units * (units - 1) / 2) == 0
