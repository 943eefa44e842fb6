"""Frozen weights and arrays on the running network, against JAX: value, gradient, H v, at the start and elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.losses import LOSSES
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.network.adjoint import gradient, hvp, jvp, start, value
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count, random_weights, unflatten
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.network.scan import over_depth
from resproof.numeric.network.taylor import loss_series

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
nested = pytest.importorskip("tests.plain_blocks").nested

SIZES = {"d": 3, "k": 2}
ARRAY = np.array([[0.5, -1.0, 0.25], [2.0, 0.125, -0.75]])
UNITS = 3


def _mlp() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", initial=normal(), trainable=False, name="F") @ h)


def _array() -> Expression:
    h = Input("d")
    inner = Weight("k", "d", initial=ARRAY, name="F", trainable=False) @ h + Weight("k", name="b", initial=[1, 2])
    return h + Weight("d", "k", name="V") @ tanh(inner)


def _linear() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ Weight("k", "d", initial=ARRAY, name="F", trainable=False) @ h


def _attention() -> Expression:
    h = Input("d")
    n = layer_norm(h, epsilon=1) * Weight("d", initial=[1, 2, 3], trainable=False, name="F")
    scores = (Weight("k", "d", name="K") @ n).T @ (Weight("k", "d", name="Q", trainable=False, initial=normal(1)) @ n)
    return h + Weight("d", "d", name="V") @ n @ softmax(scores * Constant(2), axis=0)


def _norm(h: Any) -> Any:
    centred = h - h.mean(axis=0)
    return centred / jnp.sqrt((centred**2).mean(axis=0) + 1)


def _plain_attention(h: Any, w: Any) -> Any:
    n = _norm(h) * w["F"]
    return h + w["V"] @ n @ jax.nn.softmax(2 * (w["K"] @ n).T @ (w["Q"] @ n), axis=0)


BLOCKS: dict[str, tuple[Callable[[], Expression], Callable[[Any, Any], Any]]] = {
    "frozen draw": (_mlp, lambda h, w: h + w["V"] @ jnp.tanh(w["F"] @ h)),
    "frozen array": (_array, lambda h, w: h + w["V"] @ jnp.tanh(w["F"] @ h + w["b"])),
    "linear": (_linear, lambda h, w: h + w["V"] @ w["F"] @ h),
    "attention": (_attention, _plain_attention),
}


def _data(unit: ResidualUnit, loss: str) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(5)
    x, y = draw.standard_normal((2, 4, 3, 2) if unit.mixes_columns else (2, 3, 5))
    return x, (y if loss == "squared" else np.abs(y) / np.abs(y).sum(axis=-2, keepdims=True))


def _plain_loss(name: str, loss: str, unit: ResidualUnit, frozen: Any, x: Any, y: Any) -> Callable[[Any], Any]:
    """The loss as a function of the vector of parameters alone, the frozen values fixed."""
    plain = BLOCKS[name][1]

    def total(vector: Any) -> Any:
        parts, place = [], 0
        for _ in range(UNITS):
            one = dict(frozen)
            for weight, key in unit.names.items():
                rows, cols = (n if isinstance(n, int) else SIZES[n] for n in weight.shape)
                one[key] = vector[place : place + rows * cols].reshape(cols, rows).T
                place += rows * cols
            parts.append(one)
        assert place == len(vector)

        def sample(h: Any, target: Any) -> Any:
            for r, one in enumerate(parts):
                h = plain(h, {key: a[r] if key in frozen else a for key, a in one.items()})
            if loss == "squared":
                return 0.5 * jnp.sum((h - target) ** 2)
            return jnp.sum(jax.nn.logsumexp(h, axis=0) * target.sum(axis=0)) - jnp.sum(h * target)

        return jnp.mean(jax.vmap(sample)(x, y)) if x.ndim == 3 else sample(x, y) / x.shape[1]

    return total


GRID = [
    *((name, loss, False) for name in BLOCKS for loss in LOSSES),
    *((name, "squared", True) for name in ("frozen draw", "frozen array")),
]


@pytest.mark.parametrize(("name", "loss", "at_start"), GRID)
def test_value_gradient_and_products_have_the_parameters_alone(name: str, loss: str, at_start: bool) -> None:
    unit, np_ops = ResidualUnit(BLOCKS[name][0]()), ops(np)
    network, (x, y) = Network(unit, UNITS, LOSSES[loss]), _data(unit, loss)
    weights = initial_weights(unit, UNITS, SIZES, np_ops, 3)
    if not at_start:
        weights |= random_weights(unit, UNITS, SIZES, np_ops, 4)
    frozen = {key: weights[key] for key in unit.frozen.values()}
    function = _plain_loss(name, loss, unit, frozen, x, y)
    point, direction = flatten(unit, weights), random_weights(unit, UNITS, SIZES, np_ops, 8)
    v = flatten(unit, direction)
    expected, slope, hessian = nested(function, point)
    assert len(point) == UNITS * parameter_count(unit, SIZES) == len(v)
    assert value(network, weights, x, y) == pytest.approx(expected, rel=1e-13)
    assert np.allclose(flatten(unit, gradient(network, weights, x, y)), slope, atol=1e-12)
    for by_unit in (False, True):
        found = hvp(network, weights, direction, x, y, by_unit=by_unit)
        assert set(found) == set(unit.names.values())
        assert np.allclose(flatten(unit, found), hessian @ v, atol=1e-11)
    block = unflatten(unit, np.eye(len(v))[:5], UNITS, SIZES)
    assert np.allclose(flatten(unit, hvp(network, weights, block, x, y)), hessian[:5], atol=1e-11)
    bounded = bounded_product(network, weights, direction, x, y)
    assert np.allclose(flatten(unit, bounded.product), hessian @ v, atol=1e-11)
    series = loss_series(network, weights, direction, x, y, 2)
    assert series[2] == pytest.approx(float(v @ hessian @ v) / 2, rel=1e-10)
    change = jvp(network, weights, direction, x)[1]
    assert change.shape == x.shape


def test_what_is_not_drawn_may_be_left_out() -> None:
    unit, np_ops = ResidualUnit(_linear()), ops(np)
    network, (x, y) = Network(unit, UNITS), _data(unit, "squared")
    weights = random_weights(unit, UNITS, SIZES, np_ops, 1)
    whole = {**weights, "F": np.repeat(ARRAY[None], UNITS, axis=0)}
    assert value(network, weights, x, y) == value(network, whole, x, y)
    other = {**weights, "F": np.zeros((UNITS, 2, 3))}
    assert value(network, weights, x, y) != value(network, other, x, y)


def test_a_frozen_draw_has_to_be_given() -> None:
    unit = ResidualUnit(_mlp())
    network, (x, y) = Network(unit, UNITS), _data(unit, "squared")
    weights = random_weights(unit, UNITS, SIZES, ops(np), 1)
    with pytest.raises(DataError, match="no values of F, which is frozen at random ones"):
        value(network, weights, x, y)
    drawn = initial_weights(unit, UNITS, SIZES, ops(np), 1)
    with pytest.raises(DataError, match=r"expected V$"):
        hvp(network, drawn, {**weights, "F": drawn["F"]}, x, y)
    with pytest.raises(DataError, match="F has 2 for the dimension d; expected 3"):
        value(network, {**drawn, "F": np.zeros((UNITS, 2, 2))}, x, y)


def test_an_array_of_another_shape_than_the_data_is_refused() -> None:
    unit = ResidualUnit(_array())
    x = np.ones((4, 5))
    with pytest.raises(DataError, match=r"the array of F has shape \(2, 3\); the data and sizes give \(2, 4\)"):
        value(Network(unit, 1), random_weights(unit, 1, {"d": 4, "k": 2}, ops(np), 1), x, x)
    with pytest.raises(DataError, match=r"the array of F has shape \(2, 3\)"):
        initial_weights(unit, 1, {"d": 4, "k": 2}, ops(np))


def test_the_scan_leaves_frozen_weights_out_of_the_adjoint() -> None:
    linear, units = ResidualUnit(_linear()), 20
    x = np.ones((3, 50))
    run = start("test", Network(linear, units), initial_weights(linear, units, SIZES, ops(np)), None, x)
    found = over_depth(run)
    assert found is not None
    assert not any(weight in found.read.active for weight in linear.frozen)
