"""The reference against nested differentiation in JAX, for blocks written out by hand, and against differences."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, reject, settings
from scipy import special

from resproof.architectures import activations
from resproof.architectures.activations import polynomial
from resproof.architectures.losses import LOSSES
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from tests.engines import reference
from tests.plain_blocks import BLOCKS, Block, plain_function
from tests.reference import BALLS, FLOATS, activate, precision
from tests.strategies import Case, cases

PLAIN = {
    "identity": lambda x: x,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "gelu": lambda x: x * (1 + special.erf(x / np.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_activations_along_a_line(name: str) -> None:
    """The series at a point, summed at t = 1/16, is the function there."""
    u: list[Any] = [np.array([-1.5, -0.25, 0.5, 2.0]), np.array([0.5, -1.0, 1.0, 0.25]), np.full(4, 0.5), *[None] * 12]
    t = 2.0**-4
    series = activate(activations.ACTIVATIONS[name], u)
    found = sum(c * t**k for k, c in enumerate(series) if c is not None)
    np.testing.assert_allclose(found, PLAIN[name](u[0] + u[1] * t + u[2] * t**2), rtol=1e-13)
    with precision(120):
        balls = activate(activations.ACTIVATIONS[name], [None if x is None else BALLS.array(x) for x in u], BALLS)
        for c, b in zip(series, balls, strict=True):
            np.testing.assert_allclose(
                0.0 * u[0] if c is None else c, np.asarray(0.0 * u[0] if b is None else b, float), atol=1e-13
            )


def test_a_polynomial_has_its_coefficients() -> None:
    x = np.array([-2.0, 0.5, 3.0])
    found = activate(polynomial(1, Fraction(-1, 2), 0, 3), [x], FLOATS)[0]
    np.testing.assert_allclose(found, 1 - x / 2 + 3 * x**3, rtol=1e-15)


def test_relu_is_one_sided_at_zero() -> None:
    u = [np.zeros(3), np.array([1.0, -1.0, 0.0]), np.array([2.0, 3.0, 4.0])]
    for numbers in (FLOATS, BALLS):
        found = activate(activations.relu, [numbers.array(x) for x in u], numbers)
        np.testing.assert_array_equal(np.asarray(found, dtype=float), [[0, 0, 0], [1, 0, 0], [2, 0, 4]])
        found = activate(activations.relu, [numbers.array(x) for x in u], numbers, sided=False)
        np.testing.assert_array_equal(np.asarray(found, dtype=float), np.zeros((3, 3)))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_hand_written_blocks_in_jax(block: Block) -> None:
    unit, loss = ResidualUnit(block.expression()), list(LOSSES)[BLOCKS.index(block) % 2]
    case = Case(unit, LOSSES[loss], 2, {"d": 3, "k": 2, "f": 2, "t": 2}, 2, seed=5)
    weights, v = case.arrays(1, scale=0.7), case.arrays(2)
    found = reference(case, weights)
    x, y = case.data()
    shapes = {name: array.shape[1:] for name, array in weights.items()}
    plain: Any = plain_function(block, Network(unit, 2, LOSSES[loss]), shapes, x, y)  # pyright: ignore[reportArgumentType]
    w = found.flat(weights)
    direction = found.flat(v)
    known, changes = jax.jit(lambda at: jax.jvp(jax.value_and_grad(plain), (at,), (direction,)))(w)
    (value, slope), product = known, changes[1]
    np.testing.assert_allclose(found.value(), value, rtol=1e-13)
    np.testing.assert_allclose(found.gradient(), slope, atol=1e-12)
    np.testing.assert_allclose(found.product(direction), product, atol=1e-11)
    np.testing.assert_allclose(found.hessian() @ direction, product, atol=1e-11)


@settings(max_examples=40)
@given(case=cases(plain=True))
def test_drawn_cases_by_differences(case: Case) -> None:
    """Each coefficient is the difference quotient of the one below; the derivatives are coefficients."""
    found = reference(case, case.arrays(1, scale=0.5))
    v = found.flat(case.arrays(2))
    if not np.isfinite(found.value()):
        reject()
    step = 2.0**-16
    moved = [found.shaped(found.flat(found.weights) + s * step * v) for s in (1, -1)]
    ahead, behind = (replace(found, weights=w) for w in moved)
    coefficients = found.series(v[None], 2)[:, 0]
    if not np.all(np.abs(coefficients) < 1e4):
        reject()
    slope = (ahead.value() - behind.value()) / (2 * step)
    bend = (ahead.gradient() - behind.gradient()) / (2 * step)
    size = 1.0 + float(np.max(np.abs(coefficients)))
    np.testing.assert_allclose(coefficients[1], slope, atol=1e-5 * size)
    np.testing.assert_allclose(found.gradient() @ v, coefficients[1], atol=1e-10 * size)
    np.testing.assert_allclose(found.product(v), bend, atol=1e-4 * size + 1e-4 * float(np.linalg.norm(bend)))
    h = found.hessian()
    np.testing.assert_allclose(h @ v, found.product(v), atol=1e-9 * (size + float(np.linalg.norm(h))))
    cotangent = case.generator(9).standard_normal(found.x.shape)
    of_weights, of_x = found.vjp(cotangent)
    np.testing.assert_allclose(of_weights @ v, np.sum(found.jvp(v[None])[0] * cotangent), atol=1e-9 * size)
    assert of_x.shape == found.x.shape
