"""Gradients of many random plain linear networks at once: f = W_L ... W_1 x on one sample, cost |y - f|^2 / 2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def random_layers(networks: int, layers: int, d: int, s2: float, seed: int) -> Floats:
    """(K, L, d, d) independent entries N(0, s^2/d)."""
    return np.random.default_rng(seed).normal(scale=np.sqrt(s2 / d), size=(networks, layers, d, d))


def first_gradients(weights: Floats, x: Floats, y: Floats) -> Floats:
    """|dE/dW_1|_F^2 of every network: |A^T (f - y)|^2 |x|^2 with A = W_L ... W_2. x, y: (d,)."""
    output = np.broadcast_to(x, (len(weights), len(x)))[..., None]
    for layer in range(weights.shape[1]):
        output = weights[:, layer] @ output
    signal = output - y[:, None]
    for layer in reversed(range(1, weights.shape[1])):
        signal = np.swapaxes(weights[:, layer], 1, 2) @ signal
    return np.sum(signal**2, axis=(1, 2)) * float(np.sum(x**2))
