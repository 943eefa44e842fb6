"""Heads that take all columns of a sample together: spectra and products against jax.hessian of the plain network."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import conv2d, einsum, layer_norm, mean, rms_norm, softmax
from resproof.architectures.networks import Network, Stack
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.values import normal
from resproof.numeric.backend import ops
from resproof.numeric.network import adjoint, stacked
from resproof.numeric.network.adjoint import gradient, hvp, value
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.network.taylor import loss_series
from resproof.proofs.block.check import check
from resproof.proofs.block.stacks import UnitsOfNetwork, seen_from_units
from resproof.proofs.statement import Context, Data
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

UNITS, SAMPLES = 2, 3
DRAW = np.random.default_rng(11)
SIZES = {"k": 2, "c": 2}
TOKENS, IMAGES = (3, 2), (2, 2, 3)


def _fixed(*shape: int | str, name: str) -> Weight:
    return Weight(*shape, name=name, initial=normal(1), trainable=False)


def _weight(rows: int, cols: int, name: str) -> Weight:
    return Weight(rows, cols, name=name)


def _attention(h: Input) -> Expression:
    scores = (_weight(2, 3, "K") @ h).T @ (_weight(2, 3, "Q") @ h)
    return h + _weight(3, 2, "O") @ (_weight(2, 3, "V") @ h) @ softmax(scores, axis=0)


def _started(h: Input) -> Expression:
    inner = Weight(2, 3, name="V", initial=[[1, 2, -1], [0, 1, 1]], trainable=False) @ h
    return h + _weight(3, 2, "O") @ inner @ softmax((_weight(2, 3, "K") @ h).T @ h[:2, :], axis=0)


def _normed(n: Expression) -> Expression:
    return _fixed(3, name="gain") * n + _fixed(3, name="shift")


def _layer_normed(f: Any) -> Any:
    centred = f - f.mean(axis=0)
    return centred / jnp.sqrt((centred**2).mean(axis=0) + 1)


def _rms_normed(f: Any) -> Any:
    return f / jnp.sqrt((f**2).mean(axis=0) + 1)


def _attended(h: Any, w: Any) -> Any:
    return h + w["O"] @ (w["V"] @ h) @ jax.nn.softmax((w["K"] @ h).T @ (w["Q"] @ h), axis=0)


def _with_started(h: Any, w: Any) -> Any:
    v = jnp.array([[1.0, 2.0, -1.0], [0.0, 1.0, 1.0]])
    return h + w["O"] @ (v @ h) @ jax.nn.softmax((w["K"] @ h).T @ h[:2], axis=0)


def _convolved(h: Any, w: Any) -> Any:
    padded = jnp.pad(jnp.tanh(h), ((0, 0), (1, 1), (1, 1)))
    kernel, (_, height, width) = w["W"].reshape(2, 2, 3, 3), h.shape
    places = [(a, b, padded[:, a : a + height, b : b + width]) for a in range(3) for b in range(3)]
    return h + sum(jnp.einsum("fc,cyx->fyx", kernel[:, :, a, b], part) for a, b, part in places)


BLOCKS: dict[str, tuple[Callable[[Input], Expression], Callable[[Any, Any], Any]]] = {
    "layer": (lambda h: h + _weight(3, 3, "W") @ tanh(h), lambda h, w: h + w["W"] @ jnp.tanh(h)),
    "two": (
        lambda h: h + _weight(3, 2, "V") @ tanh(_weight(2, 3, "W") @ h),
        lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h),
    ),
    "attention": (_attention, _attended),
    "started": (_started, _with_started),
    "convolution": (lambda h: h + conv2d(tanh(h), Weight(2, 2, 3, 3, name="W")), _convolved),
}
HEADS: dict[str, tuple[Callable[[Input], Expression], Callable[[Any, Any], Any]]] = {
    "pooled": (
        lambda h: _fixed("c", 3, name="C") @ mean(h, 1, keep=True),
        lambda f, w: w["C"] @ f.mean(axis=1, keepdims=True),
    ),
    "first token": (lambda h: _fixed("c", 3, name="C") @ h[:, :1], lambda f, w: w["C"] @ f[:, :1]),
    "tokens mixed": (
        lambda h: _fixed("c", 3, name="C") @ h @ _fixed(2, "s", name="P"),
        lambda f, w: w["C"] @ f @ w["P"],
    ),
    "all at once": (
        lambda h: einsum("c d t, d t -> c", _fixed("c", 3, 2, name="C"), h),
        lambda f, w: (w["C"] @ f.reshape(-1))[:, None],
    ),
    "affine": (
        lambda h: _fixed("c", 3, name="C") @ mean(2 * h + 1, 1, keep=True) + _fixed("c", name="o"),
        lambda f, w: w["C"] @ (2 * f + 1).mean(axis=1, keepdims=True) + w["o"],
    ),
    "norm": (
        lambda h: _fixed("c", 3, name="C") @ _normed(layer_norm(h, epsilon=1)) + _fixed("c", name="o"),
        lambda f, w: w["C"] @ (w["gain"] * _layer_normed(f) + w["shift"]) + w["o"],
    ),
    "pooled norm": (
        lambda h: _fixed("c", 3, name="C") @ rms_norm(mean(h, 1, keep=True), epsilon=1),
        lambda f, w: w["C"] @ _rms_normed(f.mean(axis=1, keepdims=True)),
    ),
    "norm pooled": (
        lambda h: _fixed("c", 3, name="C") @ mean(layer_norm(h, epsilon=1), 1, keep=True),
        lambda f, w: w["C"] @ _layer_normed(f).mean(axis=1, keepdims=True),
    ),
    "attentive pooling": (
        lambda h: _fixed("c", 3, name="C") @ h @ softmax(h.T @ _fixed(3, name="q"), axis=0),
        lambda f, w: w["C"] @ f @ jax.nn.softmax(f.T @ w["q"], axis=0),
    ),
    "of two layers": (
        lambda h: _fixed("c", "n", name="C") @ tanh(_fixed("n", 3, name="B") @ h + _fixed("n", name="b")),
        lambda f, w: w["C"] @ jnp.tanh(w["B"] @ f + w["b"]),
    ),
    "squared": (
        lambda h: _fixed("c", 3, name="C") @ mean(h**2, 1, keep=True),
        lambda f, w: w["C"] @ (f**2).mean(axis=1, keepdims=True),
    ),
    "tanh of an image": (
        lambda h: einsum("k c, c -> k", _fixed("c", 2, name="C"), mean(mean(tanh(h), 2), 1)),
        lambda f, w: (w["C"] @ jnp.tanh(f).mean(axis=(1, 2)))[:, None],
    ),
    "of an image": (
        lambda h: einsum("k c, c y x -> k", _fixed("c", 2, name="C"), h),
        lambda f, w: (w["C"] @ f.sum(axis=(1, 2)))[:, None],
    ),
    "one for each row": (
        lambda h: einsum("k c, c y x -> k y x", _fixed("c", 2, name="C"), h),
        lambda f, w: w["C"] @ f.reshape(2, -1),
    ),
}
CASES = [
    *(("layer", head, "squared") for head in list(HEADS)[:5]),
    ("two", "pooled", "cross-entropy"),
    ("two", "tokens mixed", "cross-entropy"),
    ("attention", "first token", "cross-entropy"),
    ("started", "pooled", "cross-entropy"),
    ("started", "tokens mixed", "squared"),
    ("layer", "attentive pooling", "squared"),
    ("layer", "pooled norm", "cross-entropy"),
    ("layer", "squared", "cross-entropy"),
    ("two", "norm", "cross-entropy"),
    ("two", "of two layers", "squared"),
    ("attention", "norm pooled", "cross-entropy"),
    ("started", "norm", "cross-entropy"),
    ("started", "norm pooled", "squared"),
    ("convolution", "tanh of an image", "cross-entropy"),
    ("convolution", "of an image", "cross-entropy"),
    ("convolution", "one for each row", "squared"),
]


class Case:
    """A network, data, and its loss as a plain function of the trained weights in one vector."""

    def __init__(self, block: str, head: str, of: str) -> None:
        axes = IMAGES if block == "convolution" else TOKENS
        self.block, self.head, self.of = block, head, of
        self.stack = Stack(units=[BLOCKS[block][0](Input(*axes))] * UNITS, head=HEADS[head][0](Input(*axes)), loss=of)
        self.x, self.sizes = DRAW.standard_normal((SAMPLES, *axes)), {"c": 2, "s": 3, "n": 4}
        self.initial = stacked.initial_weights(self.stack, {**self.sizes, "m": SAMPLES}, ops(np), 0, shared=True)
        shape = stacked.output_shape(self.stack, {**self.sizes, "m": SAMPLES})
        labels = of == "cross-entropy"
        self.y: Any = DRAW.integers(2, size=(SAMPLES, *shape[2:])) if labels else DRAW.standard_normal(shape)
        self.columns = self.y.reshape(SAMPLES, -1) if labels else self.y.reshape(SAMPLES, 2, -1)
        self.known = stacked.shapes(self.stack, self.sizes)
        self.frozen = {key: a for key, a in self.initial.items() if key not in self.known}
        self.hessian = jax.jit(jax.hessian(self.total))

    def seen(self) -> UnitsOfNetwork:
        return seen_from_units(self.stack, Data(self.x, self.y, "data"), self.sizes, Context())

    def total(self, vector: Any) -> Any:
        w, start = dict(self.initial), 0
        for key, (rows, cols) in self.known.items():
            w[key] = vector[start : start + rows * cols].reshape(cols, rows).T
            start += rows * cols
        return jnp.mean(jax.vmap(lambda x, y: self._of_sample(w, x, y))(self.x, self.columns))

    def _of_sample(self, w: Any, h: Any, y: Any) -> Any:
        names = ("K", "Q", "V", "O", "W")
        for r in range(1, UNITS + 1):
            h = BLOCKS[self.block][1](h, {key: w[f"{r}.{key}"] for key in names if f"{r}.{key}" in w})
        f = HEADS[self.head][1](h, {key.removeprefix("head."): a for key, a in self.frozen.items() if "head" in key})
        if self.of == "squared":
            return 0.5 * jnp.sum((f - y) ** 2)
        return jnp.sum(jax.nn.logsumexp(f, axis=0) - f[y, jnp.arange(f.shape[1])])


@lru_cache
def _case(block: str, head: str, of: str) -> Case:
    """One for both tests: its Hessian is compiled once."""
    return Case(block, head, of)


@pytest.mark.parametrize(("block", "head", "of"), CASES)
def test_the_spectrum_is_that_of_the_whole_network(block: str, head: str, of: str) -> None:
    case = _case(block, head, of)
    seen = case.seen()
    found = check(seen.unit, "network", seen.setting)
    assert found.unconfirmed == ()
    verdicts = {one.id: result and result.verdict for one, result in found.statements}
    assert verdicts["GEN-1"] == verdicts["GEN-2"] == "PROVED"
    start = np.asarray(stacked.flatten(case.stack, case.initial))
    assert np.allclose(listed(found.spectrum), np.linalg.eigvalsh(np.asarray(case.hessian(start))), atol=1e-12)


@pytest.mark.parametrize(("block", "head", "of"), CASES)
def test_products_at_random_weights(block: str, head: str, of: str) -> None:
    """Of the whole network, and of its units under the loss through the head, with proved bounds of their rounding."""
    case = _case(block, head, of)
    stack = case.stack
    at, direction = (stacked.random_weights(stack, case.sizes, ops(np), seed, scale=0.5) for seed in (5, 6))
    v = np.asarray(stacked.flatten(stack, direction))
    plain, start = np.asarray(case.hessian(np.asarray(stacked.flatten(stack, at)))) @ v, {**at, **case.frozen}
    image = adjoint.hvp(stack, start, direction, case.x, case.y)
    assert np.allclose(stacked.flatten(stack, image), plain, atol=1e-11)
    seen = case.seen()
    network, data = Network(seen.unit, UNITS, seen.setting.loss), seen.setting.data
    assert data is not None
    both = ({n: np.stack([w[f"{r}.{n}"] for r in (1, 2)]) for n in seen.unit.names.values()} for w in (at, direction))
    weights, moved = both
    assert value(network, weights, data.X, data.Y) == pytest.approx(adjoint.value(stack, start, case.x, case.y))
    slopes, slope = adjoint.gradient(stack, start, case.x, case.y), gradient(network, weights, data.X, data.Y)
    product = hvp(network, weights, moved, data.X, data.Y)
    bounded = bounded_product(network, weights, moved, data.X, data.Y)
    for n, array in product.items():
        for r in (0, 1):
            assert np.allclose(array[r], image[f"{r + 1}.{n}"], atol=1e-12)
            assert np.allclose(slope[n][r], slopes[f"{r + 1}.{n}"], atol=1e-12)
        assert np.all(np.abs(bounded.product[n] - array) <= 2 * bounded.error[n] + 1e-300)
    quadratic = sum(float(np.sum(array * moved[n])) for n, array in product.items())
    assert loss_series(network, weights, moved, data.X, data.Y, 2)[2] == pytest.approx(quadratic / 2, rel=1e-10)


def test_sizes_may_be_names_and_what_holds_holds_for_all() -> None:
    h = Input("d", "t")
    unit = h + Weight("d", "d") @ tanh(Weight("d", "d") @ h)
    stack = Stack(units=[unit] * UNITS, head=_fixed("c", "d", name="C") @ mean(h, 1, keep=True), loss="cross-entropy")
    data = Data(DRAW.standard_normal((4, 3, 2)), DRAW.integers(2, size=4), "data")
    seen = seen_from_units(stack, data, {"c": 2}, Context())
    found = check(seen.unit, "network", seen.setting)
    assert found.unconfirmed == ()
    scopes = {one.id: result.scope for one, result in found.statements if result is not None}
    assert scopes["GEN-1"] == "all R, d, t, m"
    assert found.diagonal is not None
    assert "head.C[" in found.diagonal.label
