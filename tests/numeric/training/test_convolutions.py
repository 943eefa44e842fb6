"""Convolutional residual networks: outputs and gradients against jax's convolutions; what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from resproof.numeric.data import DataError
from resproof.numeric.training import momentum
from resproof.numeric.training.blocks import EPSILON, Weights
from resproof.numeric.training.convolutions import (
    ConvolutionForm,
    convolution_gradients,
    convolve,
    he_convolutions,
    patches,
)
from resproof.numeric.training.momentum import Schedule, momentum_descent, slope

jax = pytest.importorskip("jax", reason="the extra `peers` is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

LAYERS, CHANNELS, COLOURS, CLASSES, SAMPLES, PIXELS = 6, 4, 2, 5, 7, 5
SIDE = 3


def data() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    images = generator.standard_normal((SAMPLES, COLOURS, PIXELS, PIXELS))
    return images, np.eye(CLASSES)[:, generator.integers(0, CLASSES, SAMPLES)]


def weights(runs: int = 2) -> Weights:
    return he_convolutions(range(runs), LAYERS, 9 * COLOURS, CHANNELS, CLASSES)


def output(w: Any, depth: int, images: Any) -> Any:
    """Of one run, samples first, as jax's user would write it."""

    def convolved(h: Any, weight: Any, stride: int = 1) -> Any:
        kernel = weight.reshape(len(weight), 3, 3, -1).transpose(0, 3, 1, 2)
        return jax.lax.conv_general_dilated(h, kernel, (stride, stride), ((1, 1), (1, 1)))

    def active(a: Any) -> Any:
        centred = a - jnp.mean(a, axis=(0, 2, 3), keepdims=True)
        return jax.nn.relu(centred / jnp.sqrt(jnp.mean(centred**2, axis=(0, 2, 3), keepdims=True) + EPSILON))

    h = convolved(jnp.asarray(images), w["stem"], 2)
    for first in range(0, LAYERS, depth):
        branch = h
        for weight in w["layers"][first : first + depth]:
            branch = convolved(active(branch), weight)
        h = h + branch
    return w["head"] @ jnp.mean(active(h), axis=(2, 3)).T


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_outputs_and_gradients_are_those_of_jax(depth: int) -> None:
    (images, y), every, net = data(), weights(), ConvolutionForm(depth, SIDE)
    passed = convolve(net, every, patches(images, 2))
    found = convolution_gradients(net, every, passed, slope("cross-entropy", passed.output, y))

    def loss(w: Any) -> Any:
        return -jnp.sum(y * jax.nn.log_softmax(output(w, depth, images), axis=0)) / SAMPLES

    for run in range(2):
        one = {name: jnp.asarray(weight[..., run, :, :]) for name, weight in every.items()}
        np.testing.assert_allclose(passed.output[run], output(one, depth, images), rtol=1e-10, atol=1e-12)
        for name, expected in jax.grad(loss)(one).items():
            scale = float(np.abs(expected).max())
            np.testing.assert_allclose(found[name][..., run, :, :], expected, rtol=1e-9, atol=1e-11 * scale)


def test_given_samples_give_the_means() -> None:
    """Outputs at samples that do not count leave those of the others as they are."""
    images, _ = data()
    every, net, x = weights(1), ConvolutionForm(2, SIDE), patches(images, 2)
    alone, beside = convolve(net, every, x[:, :4]), convolve(net, every, x, 4)
    np.testing.assert_allclose(beside.output[..., :4], alone.output, rtol=1e-9, atol=1e-12)


def test_what_is_not_kept_is_not_needed_for_the_output() -> None:
    net, every, x = ConvolutionForm(2, SIDE), weights(), patches(data()[0], 2)
    np.testing.assert_array_equal(convolve(net, every, x, 4, keep=False).output, convolve(net, every, x, 4).output)


def test_portions_of_the_runs_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    (images, y), net = data(), ConvolutionForm(3, SIDE)
    found = []
    for memory in (momentum.MEMORY, 1):
        monkeypatch.setattr(momentum, "MEMORY", memory)
        *_, (_, last) = momentum_descent(net, weights(), patches(images, 2), y, [0.1] * 2, [0, 1], Schedule(2, 3))
        found.append(last)
    for name, weight in found[0].items():
        np.testing.assert_array_equal(found[1][name], weight)


def test_the_rates_fall() -> None:
    (images, y), net, x = data(), ConvolutionForm(3, SIDE), patches(data()[0], 2)
    assert images.shape[0] == SAMPLES
    how = Schedule(2, SAMPLES, momentum=0.0, decay=0.0, falls=(1,))
    moved = weights(1)
    steps = [{n: w.copy() for n, w in now.items()} for _, now in momentum_descent(net, moved, x, y, [0.1], [0], how)]
    passed = convolve(net, steps[1], x)
    g = convolution_gradients(net, steps[1], passed, slope("cross-entropy", passed.output, y))
    for name, weight in steps[1].items():
        np.testing.assert_allclose(steps[2][name], weight - 0.01 * g[name], rtol=1e-12)


def test_shapes_that_do_not_follow_are_refused() -> None:
    (images, y), net = data(), ConvolutionForm(2, SIDE)
    for other in (replace(net, shortcut_depth=4), replace(net, side=2)):
        with pytest.raises(DataError, match="momentum_descent: 6 layers of shape"):
            list(momentum_descent(other, weights(1), patches(images, 2), y, [0.1], [0], Schedule(1, SAMPLES)))


def test_gradients_are_orthogonal_to_weights_whose_scale_does_not_matter() -> None:
    """To the layers that a normalisation follows, and to those that add to the stream taken together."""
    images, y = data()
    net, w, depth = ConvolutionForm(2, SIDE), weights(), 2
    passed = convolve(net, w, patches(images, 2))
    found = convolution_gradients(net, w, passed, slope("cross-entropy", passed.output, y))
    inner = {name: np.sum(w[name] * found[name], axis=(-2, -1)) for name in ("layers", "stem")}
    sizes = np.linalg.norm(w["layers"], axis=(-2, -1)) * np.linalg.norm(found["layers"], axis=(-2, -1))
    alone, together = inner["layers"][::depth], inner["stem"] + np.sum(inner["layers"][depth - 1 :: depth], axis=0)
    assert np.max(np.abs(alone) / sizes[::depth]) <= 100 * EPSILON  # normalisation adds epsilon to a variance
    assert np.max(np.abs(together) / np.sum(sizes, axis=0)) <= 100 * EPSILON
