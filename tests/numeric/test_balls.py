"""Enclosures: they hold the running network's numbers and exact rational ones, and not those beside."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, gelu_tanh, polynomial, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric import balls
from resproof.numeric.backend import ops
from resproof.numeric.network import adjoint
from tests import oracles
from tests.numeric.cases import make
from tests.plain_blocks import TENSOR_BLOCKS

WIDE = 40
"""Bits whose balls are far wider than the rounding of floats."""

BLOCKS = {
    "functions": lambda: catalogue.n_shortcut(3, softplus, gelu, silu),
    "relu": lambda: catalogue.n_shortcut(2, relu, sigmoid),
    "biased": lambda: catalogue.biased(tanh),
    "polynomial": lambda: catalogue.n_shortcut(2, mid=polynomial(0, 1, Fraction(1, 3))),
    "swiglu": catalogue.swiglu,
    "causal": lambda: catalogue.attention(causal=True),
    "transformer": catalogue.transformer,
    **{block.name: block.expression for block in TENSOR_BLOCKS if block.name != "gelu by tanh"},
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", BLOCKS)
def test_what_runs_lies_in_the_balls_and_what_is_moved_does_not(name: str, loss: str) -> None:
    case = make(BLOCKS[name](), ops(np), units=3, loss=LOSSES[loss])
    data = case.network, case.weights
    loss_ball = balls.value(*data, case.x, case.y, bits=WIDE)
    running = adjoint.value(*data, case.x, case.y)
    assert balls.contains(loss_ball, running)
    assert not balls.contains(balls.value(*data, case.x, case.y), running * (1 + 1e-9))
    for products in ("gradient", "hvp"):
        along = () if products == "gradient" else (case.direction,)
        found = getattr(adjoint, products)(*data, *along, case.x, case.y)
        wide = getattr(balls, products)(*data, *along, case.x, case.y, bits=WIDE)
        sharp = getattr(balls, products)(*data, *along, case.x, case.y)
        assert found.keys() == wide.keys() == sharp.keys()
        for key, array in found.items():
            assert wide[key].shape == array.shape
            # A column that sums to zero exactly is a float near it: the balls are as wide as what was added up.
            near = np.abs(sharp[key].astype(float) - array) <= 1e-11 * max(1.0, float(np.abs(array).max()))
            assert np.all(balls.contains(wide[key], array) | near)
            assert np.all(near)
            moved = array + np.where(array == 0, 1.0, 1e-9 * array)
            assert not np.any(balls.contains(sharp[key], moved))


BENT = [Fraction(1), Fraction(-2), Fraction(1, 3)]


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 2), st.integers(1, 2), st.integers(0, 2**32 - 1))
def test_exact_numbers_of_polynomials_lie_in_the_balls(n: int, units: int, seed: int) -> None:
    """L(w + t v) = L(w) + t <g, v> + t^2 <v, H v> / 2 + ..., in Fractions."""
    draw = np.random.default_rng(seed)
    x, y = draw.integers(-3, 4, (2, 2, 3))
    names = [f"W{layer}" for layer in range(1, n + 1)]
    w, v = ({name: draw.integers(-2, 3, (units, 2, 2)) for name in names} for _ in "wv")
    h = oracles.polynomial_matrix(x, np.zeros_like(x), 2)
    for r in range(units):
        path = h
        for name in names:
            path = oracles.polynomial_apply(BENT, path)
            path = oracles.polynomial_product(oracles.polynomial_matrix(w[name][r], v[name][r], 2), path)
        h = oracles.polynomial_sum(h, path)
    exact = oracles.squared_loss_coefficients(h, y)
    bent = polynomial(*BENT)
    network = Network(ResidualUnit(catalogue.n_shortcut(n, bent, bent)), units)
    data: tuple[Any, Any] = (x.astype(float), y.astype(float))
    floats, along = ({name: a.astype(float) for name, a in one.items()} for one in (w, v))
    g, hv = balls.gradient(network, floats, *data), balls.hvp(network, floats, along, *data)
    with ctx.workprec(balls.BITS):
        slope, curvature = (sum((one[name] * v[name]).sum() for name in names) for one in (g, hv))
        found = (balls.value(network, floats, *data), slope, curvature / 2)
    for ball, number in zip(found, exact, strict=True):
        assert balls.contains(ball, number)
        assert not balls.contains(ball, number + (1 + abs(number)) / 10**12)


def test_constants_are_no_floats() -> None:
    """x + (x / 3) w at x = w = 1."""
    h = Input("d")
    network = Network(ResidualUnit(h + Weight("d", "d", name="w") @ (Fraction(1, 3) * h)), 1)
    one = np.ones((1, 1))
    found = balls.value(network, {"w": one[None]}, one, 0.0 * one)
    assert balls.contains(found, Fraction(8, 9))
    assert not balls.contains(found, 8 / 9)


def test_what_has_no_enclosure_is_refused() -> None:
    one = np.ones((1, 1))
    for activation, loss in ((tanh, generic_loss), (gelu_tanh, squared)):
        network = Network(ResidualUnit(catalogue.n_shortcut(1, activation)), 1, loss)
        with pytest.raises(ArchitectureError, match=r"balls: .* has no enclosure"):
            _ = balls.value(network, {"W1": one[None]}, one, one)
