"""Residual networks of 3 x 3 convolutions, normalised before each, many runs in one program: outputs and gradients.

With N batch normalisation, phi the ReLU and W * H the convolution that keeps the side, zero outside,

    H_0 = W_stem X,    H_r = H_{r-1} + W_{r,n} * phi(N( ... W_{r,1} * phi(N(H_{r-1})))),
    f = W_head mean(phi(N(H_R))),

the mean over positions: n-shortcut units of n layers in the order of the networks that are activated first. A
convolution is one product with nine shifted copies of its operand; so are its adjoint, with copies of the slope D, and
its gradient:

    (W * H)(p) = sum_k W_k H(p + s_k),    in H: sum_k W_k^T D(p - s_k),    in W_k: sum_p D(p - s_k) H(p)^T.

Arrays have the shape (runs, channels, positions samples), X comes as patches: (runs, inputs positions, samples). The
layers' weights are (layers, runs, channels, 9 channels). N is that of `blocks`, its means over positions as well.
Sources: He et al. 2016, Identity mappings in deep residual networks, Figure 1 (b); Li et al. 2016, section 5.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from resproof.numeric.backend import Array, Namespace, namespace
from resproof.numeric.data import DataError
from resproof.numeric.training.blocks import EPSILON, Weights

_SHIFTS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))
"""s_k; that of 8 - k is -s_k."""


@dataclass(frozen=True, slots=True)
class ConvolutionForm:
    """Over how many layers a shortcut reaches, and how many positions a side has."""

    shortcut_depth: int
    side: int


class _Normalised(NamedTuple):
    """N(a), r and phi(N(a)), as a matrix of channels by positions and samples."""

    normal: Array
    scale: Array
    active: Array


@dataclass(frozen=True, slots=True)
class Convolved:
    """One pass: what the reverse pass needs of every layer and of the head, and f."""

    layers: list[_Normalised]
    last: _Normalised
    pooled: Array
    output: Array
    inputs: Array


def he_convolutions(seeds: Sequence[int], layers: int, inputs: int, channels: int, outputs: int) -> Weights:
    """Independent normal entries of variance 2/columns, 1/columns in stem and head.

    Source: He et al. 2015, Equation 10.
    """

    def normal(generator: np.random.Generator, variance: float, *shape: int) -> np.ndarray:
        return generator.normal(scale=(variance / shape[-1]) ** 0.5, size=shape)

    drawn = [
        {
            "stem": normal(generator, 1.0, channels, inputs),
            "layers": normal(generator, 2.0, layers, channels, 9 * channels),
            "head": normal(generator, 1.0, outputs, channels),
        }
        for generator in (np.random.default_rng([seed, 0]) for seed in seeds)
    ]
    return {name: np.stack([one[name] for one in drawn], axis=-3) for name in drawn[0]}


def patches(images: Array, stride: int) -> Array:
    """X: the 3 x 3 neighbourhood of every position that is a multiple of the stride, zero outside.

    Images have the shape (samples, channels, side, side); X (9 channels positions, samples).
    """
    xp, (samples, _, side, _) = namespace(images), images.shape
    whole = _shifted(xp, xp.permute_dims(images, (1, 2, 3, 0))[None], side)[0]
    taken = whole[:, ::stride, ::stride, :]
    return xp.reshape(taken, (-1, samples))


def check_convolutions(name: str, net: ConvolutionForm, weights: Weights, rows: int) -> None:
    """Shapes that follow on each other.

    Raises:
        DataError: they do not.
    """
    layers, runs, channels, columns = weights["layers"].shape
    inputs = weights["stem"].shape[-1]
    right = columns == 9 * channels and rows == inputs * net.side**2 and net.shortcut_depth > 0
    if not right or layers % net.shortcut_depth or weights["stem"].shape[:2] != (runs, channels):
        raise DataError(
            f"{name}: {layers} layers of shape {(channels, columns)}, stem of shape {tuple(weights['stem'].shape)}, "
            f"shortcuts over {net.shortcut_depth} layers, {rows} rows; expected 9 columns for each channel, a divisor "
            f"of the layers, and {net.side**2} rows for each input"
        )


def convolve(
    net: ConvolutionForm, weights: Weights, x: Array, counted: int | None = None, *, keep: bool = True
) -> Convolved:
    """The network at X of shape (rows, samples) or (runs, rows, samples).

    The first `counted` samples give the means and variances, all of them by default. Where nothing is kept, only
    what belongs to the head is told.
    """
    xp, stem, samples = namespace(x), weights["stem"], x.shape[-1]
    inputs = xp.reshape(x, (-1, stem.shape[-1], net.side**2 * samples))
    state, layers = stem @ inputs, list[_Normalised]()
    branch = state
    for layer in range(weights["layers"].shape[0]):
        normalised = _normalised(xp, branch, samples, counted)
        branch = weights["layers"][layer, ...] @ _unfolded(xp, net, normalised.active, samples)
        if keep:
            layers.append(normalised)
        if (layer + 1) % net.shortcut_depth == 0:
            branch += state
            state = branch
    last = _normalised(xp, state, samples, counted)
    pooled = xp.mean(xp.reshape(last.active, (*last.active.shape[:2], -1, samples)), axis=2)
    return Convolved(layers, last, pooled, weights["head"] @ pooled, inputs)


def convolution_gradients(net: ConvolutionForm, weights: Weights, passed: Convolved, slope: Array) -> Weights:
    """The gradient of the loss in the weights, each in the shape of its own; `slope` is that of the loss in f."""
    xp, positions, samples = namespace(slope), net.side**2, slope.shape[-1]
    found = {name: xp.empty_like(weight) for name, weight in weights.items()}
    found["head"] = slope @ xp.matrix_transpose(passed.pooled)
    g = (xp.matrix_transpose(weights["head"]) @ slope)[:, :, None, :] / positions
    g = xp.reshape(xp.broadcast_to(g, (*g.shape[:2], positions, samples)), passed.last.normal.shape)
    state = _back(xp, passed.last, g)
    delta = state
    for layer in range(weights["layers"].shape[0] - 1, -1, -1):
        before, weight = passed.layers[layer], weights["layers"][layer, ...]
        runs, channels, _ = weight.shape
        shifted = _unfolded(xp, net, delta, samples)
        taps = xp.reshape(shifted @ xp.matrix_transpose(before.active), (runs, 9, channels, channels))
        found["layers"][layer, ...] = xp.reshape(xp.permute_dims(xp.flip(taps, axis=1), (0, 2, 1, 3)), weight.shape)
        turned = xp.permute_dims(xp.flip(xp.reshape(weight, (runs, channels, 9, channels)), axis=2), (0, 3, 2, 1))
        delta = _back(xp, before, xp.reshape(turned, weight.shape) @ shifted)
        if layer % net.shortcut_depth == 0:
            delta += state
            state = delta
    found["stem"] = state @ xp.matrix_transpose(passed.inputs)
    return found


def _normalised(xp: Namespace, a: Array, samples: int, counted: int | None) -> _Normalised:
    def seen(b: Array) -> Array:
        if counted is None:
            return b
        return xp.reshape(xp.reshape(b, (*b.shape[:2], -1, samples))[..., :counted], (*b.shape[:2], -1))

    normal = a - xp.mean(seen(a), axis=-1, keepdims=True)
    counting = seen(normal)
    scale = 1.0 / xp.sqrt(xp.vecdot(counting, counting)[..., None] / counting.shape[-1] + EPSILON)
    normal *= scale
    return _Normalised(normal, scale, xp.maximum(normal, xp.zeros((), dtype=a.dtype)))


def _back(xp: Namespace, layer: _Normalised, g: Array) -> Array:
    """A slope in phi(N(a)) as one in a."""
    g = g * xp.astype(layer.normal > 0, g.dtype)
    found = layer.normal * (xp.vecdot(g, layer.normal)[..., None] / g.shape[-1])
    found += xp.mean(g, axis=-1, keepdims=True)
    found -= g
    found *= -layer.scale
    return found


def _unfolded(xp: Namespace, net: ConvolutionForm, h: Array, samples: int) -> Array:
    """Nine shifted copies, of shape (runs, 9 channels, positions samples)."""
    runs, channels, _ = h.shape
    grid = xp.reshape(h, (runs, channels, net.side, net.side, samples))
    return xp.reshape(_shifted(xp, grid, net.side), (runs, 9 * channels, -1))


def _shifted(xp: Namespace, grid: Array, side: int) -> Array:
    """H(p + s_k), zero outside, of shape (runs, 9 channels, side, side, samples), the shift before the channel."""
    runs, channels, _, _, samples = grid.shape
    found = xp.zeros((runs, 9, channels, side, side, samples), dtype=grid.dtype)
    for k, shift in enumerate(_SHIFTS):
        (to_rows, rows), (to_columns, columns) = (
            (slice(max(-s, 0), side - max(s, 0)), slice(max(s, 0), side - max(-s, 0))) for s in shift
        )
        found[:, k, :, to_rows, to_columns, :] = grid[:, :, rows, columns, :]
    return xp.reshape(found, (runs, 9 * channels, side, side, samples))
