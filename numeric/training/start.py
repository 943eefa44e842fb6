"""Where training starts: weights that are drawn for each run from a seed of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from resproof.numeric.training.networks import Floats, Weights


def xavier(generator: np.random.Generator, layers: int, d: int) -> Floats:
    """Independent normal entries of variance 2/(d + d). Source: Glorot and Bengio 2010."""
    return generator.normal(scale=d**-0.5, size=(layers, d, d))


def orthogonal(generator: np.random.Generator, layers: int, d: int) -> Floats:
    """Orthogonal matrices, uniformly distributed: Q of Q R = a Gaussian matrix, R with a positive diagonal.

    Source: Saxe et al. 2013.
    """
    q, r = np.linalg.qr(generator.normal(size=(layers, d, d)))
    return q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[:, None, :]


def drawn(start: str, seeds: Sequence[int], layers: int, d: int) -> Floats:
    """Weights of shape (layers, runs, d, d), a run for each seed; "near zero" are Xavier weights times 0.01.

    Source: Li et al. 2016, section 4.1.
    """
    draw, scale = (orthogonal, 1.0) if start == "orthogonal" else (xavier, {"xavier": 1.0, "near zero": 0.01}[start])
    return scale * np.stack([draw(np.random.default_rng(seed), layers, d) for seed in seeds], axis=1)


def normal(seeds: Sequence[int], sizes: Mapping[str, tuple[float, tuple[int, ...]]]) -> Weights:
    """Independent normal entries, by name with a variance and a shape; the runs go before rows and columns."""
    generators = [np.random.default_rng([seed, 0]) for seed in seeds]
    return {
        name: np.stack([each.normal(scale=variance**0.5, size=shape) for each in generators], axis=-3)
        for name, (variance, shape) in sizes.items()
    }
