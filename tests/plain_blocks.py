"""Every catalogue block written plainly in JAX, on one sample: h of shape (d, t), w a dict of weights.

These are second derivations: nothing here reads an expression. A block that does not mix columns treats the columns
as samples, so the same function serves both layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, gelu_tanh, relu, sigmoid, softplus, tanh
from resproof.architectures.algebra import (
    batch_norm,
    causal_mask,
    concat,
    conv2d,
    einsum,
    join,
    layer_norm,
    mean,
    rms_norm,
    shift,
    softmax,
    split,
    total,
)
from resproof.architectures.files import of_opened, opened
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.rebuild import rebuilt
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal

EXAMPLES = Path(__file__).parents[1] / "examples" / "blocks"

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
    return h + w["W1"] @ jnp.tanh(w["W2"] @ moved)


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
    Block("positions inside", _positions, lambda h, w: h + w["W1"] @ (h + w["W2"])),
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


# Values of more axes than two. The sizes are those of `tests.numeric.cases`: d = c = 3, t = y = 3, x = 2, g = k = 2.


def _heads(mask: Constant | None = None) -> Expression:
    h, o = Input("d"), Weight("d", "g", "k", name="O")
    q, k, v = (einsum("g k d, d t -> g k t", Weight("g", "k", "d", name=name), h) for name in "QKV")
    p = softmax(einsum("g k s, g k t -> g s t", k, q), axis=1, mask=mask)
    return h + einsum("d g k, g k s, g s t -> d t", o, v, p)


def _heads_plain(h: Any, w: Mapping[str, Any], causal: bool = False) -> Any:
    total = h
    for g in range(2):
        one = {name: w[name].reshape(2, 2, 3)[g] for name in "QKV"} | {"O": w["O"].reshape(3, 2, 2)[:, g]}
        total = total + _attend(h, one, causal)
    return total


def _split_heads() -> Expression:
    h, o = Input("d"), Weight("d", 4, name="O")
    q, k, v = (split(Weight(4, "d", name=name) @ h, "4 -> 2 2") for name in "QKV")
    p = softmax(einsum("g k s, g k t -> g s t", k, q), axis=1)
    return h + o @ join(einsum("g k s, g s t -> t g k", v, p), "2 2 -> 4").T


def _quotient() -> Expression:
    """Linear attention with its normaliser: what queries and keys have in common, over its sum."""
    h = Input("d", "t")
    key, query = (sigmoid(Weight("k", "d", name=name) @ h) for name in "KQ")
    weighed = Weight("d", "d", name="V") @ h @ key.T @ query
    return h + Weight("d", "d", name="O") @ (weighed / total(key.T @ query, 0, keep=True))


def _quotient_plain(h: Any, w: Mapping[str, Any]) -> Any:
    common = jax.nn.sigmoid(w["K"] @ h).T @ jax.nn.sigmoid(w["Q"] @ h)
    return h + w["O"] @ (w["V"] @ h @ common / common.sum(axis=0, keepdims=True))


def _split_plain(h: Any, w: Mapping[str, Any]) -> Any:
    parts = [slice(0, 2), slice(2, 4)]
    return h + sum(_attend(h, {**{name: w[name][one] for name in "QKV"}, "O": w["O"][:, one]}) for one in parts)


def _grouped() -> Expression:
    h = Input("d")
    inner = tanh(einsum("g k d, d t -> g k t", Weight("g", "k", "d", name="U"), h))
    return h + einsum("d g k, g k t -> d t", Weight("d", "g", "k", name="V"), inner)


def _group_norm() -> Expression:
    h, w1, w2 = Input("d"), Weight(4, "d"), Weight("d", 4)
    groups = layer_norm(split(w1 @ h, "4 -> 2 2"), axis=1, epsilon=1)
    return h + w2 @ join(groups, "2 2 -> 4")


def _group_norm_plain(h: Any, w: Mapping[str, Any]) -> Any:
    inner = (w["W1"] @ h).reshape(2, 2, -1)
    centred = inner - inner.mean(axis=1, keepdims=True)
    normed = centred / jnp.sqrt((centred**2).mean(axis=1, keepdims=True) + 1)
    return h + w["W2"] @ normed.reshape(4, -1)


def _convolved() -> Expression:
    h = Input("c", "y", "x")
    inner = tanh(conv2d(h, Weight("k", "c", 3, 3, name="U")))
    return h + conv2d(inner, Weight("c", "k", 3, 1, name="V"))


def _convolve(h: Any, w: Any, stride: int = 1, padding: Any = "SAME") -> Any:
    return jax.lax.conv_general_dilated(h[None], w, (stride, stride), padding)[0]


def _convolved_plain(h: Any, w: Mapping[str, Any]) -> Any:
    return h + _convolve(jnp.tanh(_convolve(h, w["U"].reshape(2, 3, 3, 3))), w["V"].reshape(3, 2, 3, 1))


def _depthwise() -> Expression:
    h = Input("c", "y", "x")
    return h + conv2d(tanh(conv2d(h, Weight("c", 3, 3, name="U"))), Weight("c", 1, 3, name="V"))


def _depthwise_plain(h: Any, w: Mapping[str, Any]) -> Any:
    def convolve(image: Any, kernel: Any) -> Any:
        return jax.lax.conv_general_dilated(image[None], kernel[:, None], (1, 1), "SAME", feature_group_count=3)[0]

    return h + convolve(jnp.tanh(convolve(h, w["U"].reshape(3, 3, 3))), w["V"].reshape(3, 1, 3))


def _batch_normed() -> Expression:
    h = Input("c", "y", "x")
    inner = conv2d(h, Weight("k", "c", 3, 1, name="U"))
    normed = batch_norm(inner, mean=[1, -2], variance=[2, 0.25], epsilon=1)
    return h + conv2d(tanh(normed), Weight("c", "k", 1, 1, name="V"))


def _batch_normed_plain(h: Any, w: Mapping[str, Any]) -> Any:
    inner = _convolve(h, w["U"].reshape(2, 3, 3, 1))
    mean, variance = (jnp.array(one)[:, None, None] for one in ([1, -2], [2, 0.25]))
    return h + _convolve(jnp.tanh((inner - mean) / jnp.sqrt(variance + 1)), w["V"].reshape(3, 2, 1, 1))


def _strided() -> Expression:
    h = Input(3, 3, 2)
    inner = conv2d(h, Weight(2, 3, 2, 2, name="U"), stride=2, padding=1)
    return h + einsum("c k, k y x, z -> c z x", Weight(3, 2, name="V"), tanh(inner), Constant(1, (3,)))


def _strided_plain(h: Any, w: Mapping[str, Any]) -> Any:
    inner = jnp.tanh(_convolve(h, w["U"].reshape(2, 3, 2, 2), 2, [(1, 1), (1, 1)]))
    return h + jnp.repeat(jnp.einsum("ck,kyx->cx", w["V"], inner)[:, None], 3, axis=1)


def _squeeze() -> Expression:
    h = Input("c", "y", "x")
    means = mean(mean(h, "x"), "y")
    gate = einsum(
        "c k, k -> c", Weight("c", "k", name="V"), tanh(einsum("k c, c -> k", Weight("k", "c", name="U"), means))
    )
    return h + einsum("c y x, c -> c y x", h, gate) / 2


def _squeeze_plain(h: Any, w: Mapping[str, Any]) -> Any:
    gate = w["V"] @ jnp.tanh(w["U"] @ h.mean(axis=(1, 2)))
    return h + h * gate[:, None, None] / 2


def _reversible() -> Expression:
    h, w = Input(3), Weight(2, 1, name="W")
    return h + concat(0, tanh(w @ h[2:3]), (w.T @ h[0:2]) ** 2)


def _gated_halves() -> Expression:
    h, w = Input(3), Weight(2, 1, name="W", initial=normal(1))
    return h + concat(0, Weight(2, 2, name="V") @ tanh(w @ h[2:3]), Weight(1, 1, name="a") * (w.T @ h[0:2]))


def _example(name: str) -> Expression:
    """The block of a file of examples/blocks, its weights with the names that they have there."""
    unit = of_opened(opened(f"{EXAMPLES / name}.py:block"), every=True).unit
    named: dict[Any, Expression] = {w: replace(w, name=given) for w, given in unit.every_name.items()}
    return rebuilt(unit.expression, lambda leaf: named.get(leaf, leaf))


def _llama(h: Any, w: Mapping[str, Any]) -> Any:
    def rms_normed(f: Any) -> Any:
        return f / jnp.sqrt((f**2).mean(axis=0, keepdims=True))

    attended = h + _attend(w["g1"] * rms_normed(h), w, causal=True)
    u = w["g2"] * rms_normed(attended)
    return attended + w["down"] @ (jax.nn.silu(w["gate"] @ u) * (w["up"] @ u))


def _gpt2(h: Any, w: Mapping[str, Any]) -> Any:
    def normed(f: Any) -> Any:
        return (f - f.mean(axis=0)) / jnp.sqrt(f.var(axis=0) + 1e-5)

    n = w["g1"] * normed(h) + w["b1"]
    attended = h + _heads_plain(n, w, causal=True) - n
    inner = w["W1"] @ (w["g2"] * normed(attended) + w["b2"]) + w["c1"]
    return attended + w["W2"] @ jax.nn.gelu(inner, approximate=False) + w["c2"]


def _linear_attention(h: Any, w: Mapping[str, Any]) -> Any:
    common = jax.nn.softplus(w["K"] @ h).T @ jax.nn.softplus(w["Q"] @ h)
    return h + w["O"] @ (w["V"] @ h @ common / common.sum(axis=0))


TENSOR_BLOCKS = [
    Block("llama of examples", lambda: _example("llama"), _llama),
    Block("gpt2 of examples", lambda: _example("gpt2"), _gpt2),
    Block("linear attention of examples", lambda: _example("linear_attention"), _linear_attention),
    Block(
        "gelu by tanh",
        lambda: catalogue.biased(gelu_tanh),
        lambda h, w: h + w["W2"] @ jax.nn.gelu(w["W1"] @ h + w["b"], approximate=True),
    ),
    Block("heads", _heads, _heads_plain),
    Block("causal heads", lambda: _heads(causal_mask()), lambda h, w: _heads_plain(h, w, causal=True)),
    Block("split heads", _split_heads, _split_plain),
    Block(
        "grouped",
        _grouped,
        lambda h, w: h + jnp.einsum("dgk,gkt->dt", w["V"].reshape(3, 2, 2), jnp.tanh(w["U"].reshape(2, 2, 3) @ h)),
    ),
    Block("group norm", _group_norm, _group_norm_plain),
    Block("conv2d", _convolved, _convolved_plain),
    Block("depthwise conv2d", _depthwise, _depthwise_plain),
    Block("linear attention", _quotient, _quotient_plain),
    Block("batch norm", _batch_normed, _batch_normed_plain),
    Block("strided conv2d", _strided, _strided_plain),
    Block("squeeze and excitation", _squeeze, _squeeze_plain),
    Block(
        "halves",
        _reversible,
        lambda h, w: h + jnp.concatenate([jnp.tanh(w["W"] @ h[2:]), (w["W"].T @ h[:2]) ** 2]),
    ),
    Block(
        "halves with a gate",
        _gated_halves,
        lambda h, w: h + jnp.concatenate([w["V"] @ jnp.tanh(w["W"] @ h[2:]), w["a"] * (w["W"].T @ h[:2])]),
    ),
]
"""Each weight lies in its array as a matrix: its first axis, and all others."""


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
        columns = 0.5 * (f - y) ** 2
    else:
        columns = -(y * jax.nn.log_softmax(f, axis=1 if mixes else 0))
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


def nested(function: Callable[[Any], Any], point: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient and Hessian, as one program: one by one, each operation would be compiled for itself."""

    def slope(at: Any) -> tuple[Any, Any]:
        value, gradient = jax.value_and_grad(function)(at)
        return gradient, (value, gradient)

    hessian, (value, gradient) = jax.jit(jax.jacfwd(slope, has_aux=True))(point)
    return float(value), np.asarray(gradient), np.asarray(hessian)


def plain_function(
    block: Block, network: Network, shapes: Mapping[str, tuple[int, int]], x: np.ndarray, y: np.ndarray
) -> Callable[[Any], Any]:
    """The loss as a function of the flat parameters."""

    def function(vector: Any) -> Any:
        return plain_loss(block, network, plain_unflatten(network.unit, vector, network.units, shapes), x, y)

    return function
