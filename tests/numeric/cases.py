"""Random instances: a network of a block with data and weights, from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import bind
from resproof.numeric.network.parameters import random_weights

INNER = {"k": 2, "f": 4, "g": 2, "heads": 2}
SIDES = (3, 3, 2)
"""Sizes of a sample's axes."""


@dataclass(frozen=True)
class Case:
    """A network, its data, random nonzero weights and a direction, as NumPy arrays."""

    network: Network
    x: np.ndarray
    y: np.ndarray
    sizes: Mapping[str, int]
    weights: Mapping[str, np.ndarray]
    direction: Mapping[str, np.ndarray]

    @property
    def chain(self) -> int:
        """The longest chain of roundings of a forward and a reverse pass: generous per unit, linear in depth."""
        return 64 * self.network.units * (sum(self.sizes.values()) + 8)


def make(
    expression: Expression, ops: Ops, *, units: int = 2, loss: Loss = squared, seed: int = 0, batch: int | None = None
) -> Case:
    """An instance of width 3 with 5 samples (2 samples of 3 tokens)."""
    unit = ResidualUnit(expression)
    network, generator = Network(unit, units, loss), np.random.default_rng(seed)
    axes = len(the_input(expression).shape)
    x, y = generator.standard_normal((2, 2, *SIDES[:axes]) if unit.mixes_columns else (2, 3, 5))
    sizes = bind("case", unit, x, {k: v for k, v in INNER.items() if k in {d for n in unit.weights for d in n.shape}})
    weights = random_weights(unit, units, sizes, ops, seed + 1, scale=0.7)
    direction = random_weights(unit, units, sizes, ops, seed + 2, batch=batch)
    return Case(network, x, y, sizes, weights, direction)


def in_library(ops: Ops, *arrays: np.ndarray) -> list[Array]:
    """The arrays as the library's own."""
    return [ops.asarray(a) for a in arrays]
