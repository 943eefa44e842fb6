"""Taylor coefficients against nested tangents of the plain functions, and exactly on polynomial networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from resproof.architectures.losses import LOSSES, generic_loss
from resproof.architectures.networks import Network
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.network.adjoint import gradient, hvp, jvp, value
from resproof.numeric.network.parameters import flatten, shapes
from resproof.numeric.network.taylor import loss_series, output_series
from tests.numeric.cases import in_library, make
from tests.numeric.compare import assert_close, host

jax = pytest.importorskip("jax")
blocks = pytest.importorskip("tests.plain_blocks")


def nested_tangents(function: Callable[[Any], Any], point: Any, direction: Any, order: int) -> list[float]:
    """The derivatives of t -> function(point + t direction) at 0, one jvp inside another."""

    def along(t: Any) -> list[Any]:
        return [function(point + t * direction)]

    current = along
    for _ in range(order):
        current = _and_the_next(current)
    return [float(one) for one in jax.jit(current)(0.0)]


def _and_the_next(derivatives: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    """One derivative more than these: the first, and the tangents of all."""

    def more(t: Any) -> list[Any]:
        known, changes = jax.jvp(derivatives, (t,), (1.0,))
        return [known[0], *changes]

    return more


@pytest.mark.parametrize(
    ("name", "loss"),
    [(name, "squared") for name in ("2-shortcut", "biased", "pre-norm", "rms", "causal")]
    + [(name, "cross-entropy") for name in ("swiglu", "transformer")],
)
def test_coefficients_equal_nested_tangents(name: str, loss: str) -> None:
    block = next(b for b in blocks.BLOCKS if b.name == name)
    case = make(block.expression(), ops(np), loss=LOSSES[loss])
    unit = case.network.unit
    function = blocks.plain_function(block, case.network, shapes(unit, case.sizes), case.x, case.y)
    expected = nested_tangents(function, flatten(unit, case.weights), flatten(unit, case.direction), 3)
    found = loss_series(case.network, case.weights, case.direction, case.x, case.y, 3)
    largest = max(abs(e) for e in expected)
    for k, derivative in enumerate(expected):
        assert_close(math.factorial(k) * found[k], derivative, 16 * case.chain, largest)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", blocks.BLOCKS, ids=lambda b: b.name)
def test_the_first_coefficients_are_value_slope_and_curvature(block: Any, loss: str, array_ops: Ops) -> None:
    case = make(block.expression(), array_ops, units=3, loss=LOSSES[loss])
    x, y = in_library(array_ops, case.x, case.y)
    unit, v = case.network.unit, host(flatten(case.network.unit, case.direction))
    found = loss_series(case.network, case.weights, case.direction, x, y, 2)
    slope = host(flatten(unit, gradient(case.network, case.weights, x, y)))
    bend = host(flatten(unit, hvp(case.network, case.weights, case.direction, x, y)))
    expected = [value(case.network, case.weights, x, y), slope @ v, 0.5 * bend @ v]
    size = float(np.linalg.norm(v))
    for k, number in enumerate(expected):
        norms = (1.0 + float(np.linalg.norm((slope, slope, bend)[k])), 1.0 + size)
        assert_close(found[k], number, 4 * case.chain, *norms)


def test_the_output_series_starts_with_value_and_tangent(array_ops: Ops) -> None:
    case = make(blocks.BLOCKS[0].expression(), array_ops)
    (x,) = in_library(array_ops, case.x)
    found = output_series(case.network, case.weights, case.direction, x, 3)
    for coefficient, expected in zip(found, jvp(case.network, case.weights, case.direction, x), strict=False):
        assert_close(coefficient, expected, case.chain, float(np.linalg.norm(host(expected))))


def test_a_linear_network_is_a_polynomial(array_ops: Ops) -> None:
    from resproof.architectures.catalogue import n_shortcut

    case = make(n_shortcut(1), array_ops, units=2)
    x, y = in_library(array_ops, case.x, case.y)
    found = loss_series(case.network, case.weights, case.direction, x, y, 6)
    points = np.arange(-2.0, 3.0)
    values = [
        value(case.network, {n: w + float(t) * case.direction[n] for n, w in case.weights.items()}, x, y)
        for t in points
    ]
    expected = np.linalg.solve(np.vander(points, 5, increasing=True), values)
    condition = float(np.linalg.cond(np.vander(points, 5)))
    assert_close(host(found[:5]), expected, case.chain, condition, float(np.linalg.norm(values)))
    assert found[5:] == [0.0, 0.0]


def test_bad_orders_and_losses_are_refused() -> None:
    case = make(blocks.BLOCKS[0].expression(), ops(np))
    with pytest.raises(DataError, match="loss_series: the order is -1; expected an int >= 0"):
        loss_series(case.network, case.weights, case.direction, case.x, case.y, -1)
    generic = Network(case.network.unit, 2, generic_loss)
    with pytest.raises(ValueError, match="the loss is generic; expected squared or cross-entropy"):
        loss_series(generic, case.weights, case.direction, case.x, case.y, 2)
