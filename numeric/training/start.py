"""Where training starts: Xavier and orthogonal weights, drawn for each run from a seed of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def xavier(generator: np.random.Generator, layers: int, d: int) -> Floats:
    """Independent normal entries of variance 2/(d + d). Source: Glorot and Bengio 2010."""
    return generator.normal(scale=d**-0.5, size=(layers, d, d))


def near_zero(generator: np.random.Generator, layers: int, d: int) -> Floats:
    """Xavier weights times 0.01. Source: Li et al. 2016, section 4.1."""
    return 0.01 * xavier(generator, layers, d)


def orthogonal(generator: np.random.Generator, layers: int, d: int) -> Floats:
    """Orthogonal matrices, uniformly distributed: Q of Q R = a Gaussian matrix, R with a positive diagonal.

    Source: Saxe et al. 2013.
    """
    q, r = np.linalg.qr(generator.normal(size=(layers, d, d)))
    return q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[:, None, :]


STARTS: Mapping[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "xavier": xavier,
    "near zero": near_zero,
    "orthogonal": orthogonal,
}


def drawn(start: str, seeds: Sequence[int], layers: int, d: int) -> Floats:
    """Weights of shape (layers, runs, d, d), a run for each seed; the same seed gives the same weights."""
    return np.stack([STARTS[start](np.random.default_rng(seed), layers, d) for seed in seeds], axis=1)
