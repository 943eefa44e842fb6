"""Where the training of networks of blocks starts: normal weights of He's variance, each run's from its own seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resproof.numeric.training.blocks import Weights


def he_blocks(
    seeds: Sequence[int], blocks: int, inputs: int, width: int, outputs: int, *, paths: int = 1, gain: float = 2.0
) -> Weights:
    """Independent normal entries of variance gain/columns in every path: 2 for ReLUs, 1 for linear units and the head.

    Source: He et al. 2015, Equation 10.
    """

    def normal(generator: np.random.Generator, variance: float, *shape: int) -> np.ndarray:
        return generator.normal(scale=variance**0.5, size=shape)

    drawn = [
        {
            "stem": normal(generator, gain / inputs, width, inputs),
            "inner": normal(generator, gain / width, blocks, paths * width, width),
            "outer": normal(generator, gain / width, blocks, width, paths * width),
            "head": normal(generator, 1.0 / width, outputs, width),
        }
        for generator in (np.random.default_rng([seed, 0]) for seed in seeds)
    ]
    return {name: np.stack([one[name] for one in drawn], axis=-3) for name in drawn[0]}
