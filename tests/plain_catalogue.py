"""Every entry of the catalogue written plainly: h of shape (..., d, columns), w a dict of matrices.

Second derivations, after each block's source: nothing here reads an expression. They use only the arithmetic of arrays
and the few functions of `Library`, so that JAX and PyTorch differentiate the same text. A block that keeps columns
apart takes its samples as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Weights = Mapping[str, Array]


@dataclass(frozen=True)
class Library:
    """What a block needs of an array library beyond operators; `constant` makes an array of a NumPy one."""

    tanh: Callable[[Array], Array]
    exp: Callable[[Array], Array]
    log: Callable[[Array], Array]
    erf: Callable[[Array], Array]
    side_by_side: Callable[[Sequence[Array]], Array]
    constant: Callable[[np.ndarray], Array]


Plain = Callable[[Library, Array, Weights], Array]


def sigmoid(lib: Library, u: Array) -> Array:
    return 1.0 / (1.0 + lib.exp(-u))


def silu(lib: Library, u: Array) -> Array:
    return u * sigmoid(lib, u)


def gelu(lib: Library, u: Array) -> Array:
    return u * 0.5 * (1.0 + lib.erf(u / 2.0**0.5))


def layer_norm(h: Array) -> Array:
    centred = h - h.mean(-2)[..., None, :]
    return centred / ((centred * centred).mean(-2)[..., None, :]) ** 0.5


def moved(lib: Library, u: Array, k: int) -> Array:
    """Column t of the result is column t - k of u, zero outside."""
    if k == 0:
        return u
    if k > 0:
        return lib.side_by_side([0.0 * u[..., :k], u[..., :-k]])
    return lib.side_by_side([u[..., -k:], 0.0 * u[..., :-k]])


def head(lib: Library, n: Array, w: Weights, name: str, causal: bool) -> Array:
    """Token r attends to token s with weight exp(k_s . q_r) over its sum, of the tokens up to r where causal."""
    query, key, value = (w[letter + name] @ n for letter in "QKV")
    weights = lib.exp(key.swapaxes(-1, -2) @ query)
    if causal:
        count = n.shape[-1]
        weights = weights * lib.constant(np.array([[float(s <= r) for r in range(count)] for s in range(count)]))
    return w["O" + name] @ value @ (weights / weights.sum(-2)[..., None, :])


def attention(names: Sequence[str], causal: bool) -> Plain:
    return lambda lib, h, w: h + sum(head(lib, h, w, name, causal) for name in names)


def transformer(names: Sequence[str], causal: bool) -> Plain:
    def plain(lib: Library, h: Array, w: Weights) -> Array:
        u = h + sum(head(lib, layer_norm(h), w, name, causal) for name in names)
        return u + w["W2"] @ silu(lib, w["W1"] @ layer_norm(u))

    return plain


def highway(lib: Library, h: Array, w: Weights) -> Array:
    carried = sigmoid(lib, w["WT"] @ h + w["bT"])
    return lib.tanh(w["WH"] @ h + w["bH"]) * carried + h * (1.0 - carried)


def nested(lib: Library, h: Array, w: Weights) -> Array:
    u = h + w["W2"] @ lib.tanh(w["W1"] @ h)
    return h + u + w["W4"] @ lib.tanh(w["W3"] @ u)


def convolution(lib: Library, h: Array, w: Weights) -> Array:
    """Channel i at position t of a layer: sum over channels j and taps k of W_k[i, j] u[j, t - k + 1], k = 0, 1, 2."""
    u = sum(w[f"W1_{k + 1}"] @ moved(lib, h, k - 1) for k in range(3))
    u = lib.tanh(u)
    return h + sum(w[f"W2_{k + 1}"] @ moved(lib, u, k - 1) for k in range(3))


def layer_scale(epsilon: float) -> Plain:
    return lambda lib, h, w: h + (epsilon + w["s"]) * (w["W2"] @ lib.tanh(w["W1"] @ h))


def dirac_net(lib: Library, h: Array, w: Weights) -> Array:
    diagonal = w["a"] * lib.constant(np.eye(h.shape[-2]))
    return (w["W"] + diagonal) @ h


PLAIN: dict[str, Plain] = {
    "n-shortcut": lambda lib, h, w: h + w["W2"] @ (w["W1"] @ h),
    "biased": lambda lib, h, w: h + w["W2"] @ gelu(lib, w["W1"] @ h + w["b"]),
    "wide": lambda lib, h, w: h + w["W2"] @ lib.tanh(w["W1"] @ h),
    "bottleneck": lambda lib, h, w: h + w["W3"] @ lib.tanh(w["W2"] @ lib.tanh(w["W1"] @ h)),
    "resnext": lambda lib, h, w: h + sum(w[f"V{b}"] @ lib.tanh(w[f"U{b}"] @ h) for b in (1, 2)),
    "convolution": convolution,
    "tied": lambda lib, h, w: h + w["W1"].T @ lib.tanh(w["W1"] @ h),
    "output-bias": lambda lib, h, w: h + w["W2"] @ lib.tanh(w["W1"] @ h) + w["b"],
    "highway": highway,
    "nested": nested,
    "dirac-net": dirac_net,
    "dirac-net-random": dirac_net,
    "fixup": lambda lib, h, w: h + w["W2"] @ lib.tanh(w["W1"] @ h),
    "rezero": lambda lib, h, w: h + w["a"] * (w["W2"] @ lib.tanh(w["W1"] @ h)),
    "skip-init": lambda lib, h, w: h + w["a"] * (w["W2"] @ lib.tanh(w["W1"] @ lib.tanh(h))),
    "layer-scale": layer_scale(0.1),
    "layer-scale-zero": layer_scale(0.0),
    "pre-norm": lambda lib, h, w: h + w["W2"] @ lib.tanh(w["W1"] @ (w["gain"] * layer_norm(h))),
    "swiglu": lambda lib, h, w: h + w["W3"] @ (silu(lib, w["W1"] @ h) * (w["W2"] @ h)),
    "attention": attention([""], causal=False),
    "multi-head": attention(["1", "2"], causal=True),
    "transformer": transformer([""], causal=False),
    "transformer-heads": transformer(["1", "2"], causal=True),
}
"""Name in the catalogue -> the block."""


def output(lib: Library, block: Plain, units: Sequence[Weights], h: Array) -> Array:
    """The network's output: unit after unit."""
    for weights in units:
        h = block(lib, h, weights)
    return h


def loss(lib: Library, block: Plain, kind: str, units: Sequence[Weights], x: Array, y: Array) -> Array:
    """The mean over samples of the sum over a sample's columns; x and y are (d, m) or (m, d, t)."""
    f = output(lib, block, units, x)
    if kind == "squared":
        total = 0.5 * ((f - y) * (f - y)).sum()
    else:
        total = (y.sum(-2) * lib.log(lib.exp(f).sum(-2)) - (y * f).sum(-2)).sum()
    return total / (x.shape[1] if len(x.shape) == 2 else x.shape[0])


def split(vector: Array, count: int, shapes: Mapping[str, tuple[int, int]]) -> list[dict[str, Array]]:
    """The weights of `count` units from one vector in the papers' order: each matrix column by column."""
    found, start = list[dict[str, Array]](), 0
    for _ in range(count):
        weights: dict[str, Array] = {}
        for name, (rows, cols) in shapes.items():
            weights[name] = vector[start : start + rows * cols].reshape(cols, rows).T
            start += rows * cols
        found.append(weights)
    return found
