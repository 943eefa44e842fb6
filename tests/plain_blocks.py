"""Every catalogue block written plainly in JAX, on one sample: h of shape (d, t), w a dict of weights.

These are second derivations: nothing here reads an expression. A block that does not mix columns treats the columns
as samples, so the same function serves both layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from architectures import catalogue
from architectures.activations import gelu, relu, sigmoid, softplus, tanh
from architectures.expressions import Constant, Expression, Input, Weight, normal, rms_norm, shift, softmax
from architectures.networks import Network, ResidualUnit

jax.config.update("jax_enable_x64", True)

Plain = Callable[[Any, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Block:
    """An expression and the plain function it must equal."""

    name: str
    expression: Callable[[], Expression]
    plain: Plain


def _n_shortcut(n: int) -> Plain:
    def plain(h: Any, w: Mapping[str, Any]) -> Any:
        path = jnp.tanh(h)
        for layer in range(1, n + 1):
            path = w[f"W{layer}"] @ (path if layer == 1 else jnp.tanh(path))
        return h + jax.nn.sigmoid(path)

    return plain


def _layer_norm(h: Any) -> Any:
    centred = h - h.mean(axis=0, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(axis=0, keepdims=True))


def _rms_norm(h: Any) -> Any:
    return h / jnp.sqrt((h**2).mean(axis=0, keepdims=True) + 0.5)


def _attend(n: Any, w: Mapping[str, Any], causal: bool = False) -> Any:
    scores = (w["K"] @ n).T @ (w["Q"] @ n)
    if causal:
        keys = jnp.arange(scores.shape[0])
        scores = jnp.where(keys[:, None] <= keys[None, :], scores, -jnp.inf)
    return w["O"] @ (w["V"] @ n) @ jax.nn.softmax(scores, axis=0)


def _transformer(h: Any, w: Mapping[str, Any]) -> Any:
    attended = h + _attend(_layer_norm(h), w)
    return attended + w["W2"] @ jax.nn.silu(w["W1"] @ _layer_norm(attended))


def _convolution() -> Expression:
    h, w0, w1 = Input("d"), Weight("d", "d"), Weight("d", "d", initial=normal("1/d"))
    return h + w0 @ tanh(w1 @ h @ shift(1))


def _convolution_plain(h: Any, w: Mapping[str, Any]) -> Any:
    moved = jnp.concatenate([jnp.zeros_like(h[:, :1]), h[:, :-1]], axis=1)
    return h + w["W2"] @ jnp.tanh(w["W1"] @ moved)


def _rms() -> Expression:
    from fractions import Fraction

    h, w1, w2 = Input("d"), Weight("k", "d"), Weight("d", "k")
    return h + w2 @ gelu(w1 @ rms_norm(h, epsilon=Fraction(1, 2)))


def _positions() -> Expression:
    h, w, p = Input("d"), Weight("d", "d"), Weight("d", "t")
    return h + w @ (h + p)


def _pooled() -> Expression:
    h, a = Input("d"), Weight("d", "t")
    return h + a * (h @ Constant(1, "t", 1))


def _scalar_bias() -> Expression:
    h, b, w1, w2 = Input("d"), Weight(1, name="b"), Weight("k", "d"), Weight("d", "k")
    return h + w2 @ (w1 @ (h + b))


# The tangent of a sum is narrower than its value: only one of the addends moves.
_NARROW = (
    Block("learned positions", lambda: Input("d") + Weight("d", "t", name="P"), lambda h, w: h + w["P"]),
    Block("positions inside", _positions, lambda h, w: h + w["W2"] @ (h + w["W1"])),
    Block("token pooling", _pooled, lambda h, w: h + w["W1"] * h.sum(axis=1, keepdims=True)),
    Block("bias", lambda: Input("d") + Weight("d", name="b"), lambda h, w: h + w["b"]),
    Block("scalar bias", _scalar_bias, lambda h, w: h + w["W2"] @ (w["W1"] @ (h + w["b"]))),
    Block(
        "softmax of a bias",
        lambda: Input("d") + softmax(Weight("d", name="b"), 0),
        lambda h, w: h + jax.nn.softmax(w["b"], axis=0),
    ),
)


BLOCKS = [
    *(
        Block(f"{n}-shortcut", lambda n=n: catalogue.n_shortcut(n, tanh, tanh, sigmoid), _n_shortcut(n))
        for n in (1, 2, 3)
    ),
    Block(
        "biased",
        lambda: catalogue.biased(softplus),
        lambda h, w: h + w["W2"] @ jax.nn.softplus(w["W1"] @ h + w["b"]),
    ),
    Block("relu", lambda: catalogue.biased(relu), lambda h, w: h + w["W2"] @ jax.nn.relu(w["W1"] @ h + w["b"])),
    Block("tied", catalogue.tied, lambda h, w: h + w["W1"].T @ jnp.tanh(w["W1"] @ h)),
    Block("rezero", catalogue.rezero, lambda h, w: h + w["a"] * (w["W2"] @ jnp.tanh(w["W1"] @ h))),
    Block("swiglu", catalogue.swiglu, lambda h, w: h + w["W3"] @ (jax.nn.silu(w["W1"] @ h) * (w["W2"] @ h))),
    Block("fixup", catalogue.fixup, lambda h, w: h + w["W2"] @ jnp.tanh(w["W1"] @ h)),
    Block(
        "pre-norm",
        catalogue.pre_norm,
        lambda h, w: h + w["W2"] @ jnp.tanh(w["W1"] @ (w["gain"] * _layer_norm(h))),
    ),
    Block("rms", _rms, lambda h, w: h + w["W2"] @ jax.nn.gelu(w["W1"] @ _rms_norm(h), approximate=False)),
    Block("attention", catalogue.attention, lambda h, w: h + _attend(h, w)),
    Block("causal", lambda: catalogue.attention(causal=True), lambda h, w: h + _attend(h, w, causal=True)),
    Block("transformer", catalogue.transformer, _transformer),
    Block("convolution", _convolution, _convolution_plain),
    *_NARROW,
]


def plain_columns(block: Block, weights: Mapping[str, Any], x: Any, units: int, mixes: bool) -> Any:
    """The network's output, unit after unit, sample after sample."""

    def sample(h: Any) -> Any:
        for unit in range(units):
            h = block.plain(h, {name: array[unit] for name, array in weights.items()})
        return h

    return jax.vmap(sample)(x) if mixes else sample(x)


def plain_loss(block: Block, network: Network, weights: Mapping[str, Any], x: Any, y: Any) -> Any:
    """The mean over samples of the sum over a sample's columns."""
    mixes = network.unit.mixes_columns
    f = plain_columns(block, weights, x, network.units, mixes)
    if network.loss.name == "squared":
        columns = 0.5 * ((f - y) ** 2).sum(axis=-2)
    else:
        columns = -(y * jax.nn.log_softmax(f, axis=-2)).sum(axis=-2)
    return columns.sum() / (x.shape[0] if mixes else x.shape[1])


def plain_unflatten(
    unit: ResidualUnit, vector: Any, units: int, shapes: Mapping[str, tuple[int, int]]
) -> dict[str, Any]:
    """The papers' order (r, l, j, i), entry by entry."""
    count = sum(rows * cols for rows, cols in shapes.values())
    found: dict[str, Any] = {}
    start = 0
    for name in unit.names.values():
        rows, cols = shapes[name]
        per_unit = [vector[r * count + start : r * count + start + rows * cols] for r in range(units)]
        found[name] = jnp.stack([part.reshape(cols, rows).T for part in per_unit])
        start += rows * cols
    return found


def plain_function(
    block: Block, network: Network, shapes: Mapping[str, tuple[int, int]], x: np.ndarray, y: np.ndarray
) -> Callable[[Any], Any]:
    """The loss as a function of the flat parameters."""

    def function(vector: Any) -> Any:
        return plain_loss(block, network, plain_unflatten(network.unit, vector, network.units, shapes), x, y)

    return function
