"""Residual units drawn by Hypothesis over the whole language (`proofs.routes.drawn_units`), with sizes and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from hypothesis import strategies as st

from resproof.architectures.dimensions import Dimension
from resproof.architectures.losses import LOSSES, Loss
from resproof.architectures.nodes import (
    Input,
    Normalize,
    nodes,
)
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.drawn_units import drawn_unit

MOST_PARAMETERS = 40
"""Of all units together, as a rule."""


# A case.


@dataclass(frozen=True)
class Case:
    """A network, its sizes and its data; arrays are drawn from `seed`.

    `targets`: "random", or "inputs" where Y = X. `power`: all data are multiplied by 2^power. `zeros`: some data are 0.
    `fine`: data in general position, without coincidences.
    """

    unit: ResidualUnit
    loss: Loss
    units: int
    sizes: Mapping[str, int]
    samples: int
    seed: int
    targets: str = "random"
    power: int = 0
    zeros: bool = False
    fine: bool = False
    identity: bool = field(default=False, compare=False)

    def size(self, dimension: Dimension) -> int:
        """The size of a dimension."""
        return self.sizes[dimension] if isinstance(dimension, str) else dimension

    @property
    def input(self) -> Input:
        """The unit's input."""
        return next(node for node in nodes(self.unit.expression) if isinstance(node, Input))

    @property
    def inner(self) -> dict[str, int]:
        """The sizes that the data do not give."""
        known = {n for node in nodes(self.unit.expression) for n in node.shape if isinstance(n, str)}
        return {n: self.sizes[n] for n in known - {self.input.rows, self.input.columns}}

    @property
    def columns(self) -> int:
        """Columns of one sample."""
        return self.size(self.input.columns) if self.unit.mixes_columns else 1

    @property
    def parameters(self) -> int:
        """Of one unit."""
        return sum(self.size(w.shape[0]) * self.size(w.shape[1]) for w in self.unit.weights)

    def generator(self, purpose: int) -> np.random.Generator:
        """Random numbers for one purpose."""
        return np.random.default_rng((abs(self.seed), purpose))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """X and Y in the project's layout: multiples of 1/8 unless `fine`; distributions for the cross-entropy."""
        generator, d = self.generator(0), self.size(self.input.rows)
        shape = (self.samples, d, self.columns) if self.unit.mixes_columns else (d, self.samples)
        x, y = (self._numbers(generator, shape) for _ in "xy")
        if self.targets == "inputs":
            y = x.copy()
        elif self.loss.name == "cross-entropy":
            y = distributions(generator, shape, 2**10 if self.fine else 8)
        return x * 2.0**self.power, y if self.loss.name == "cross-entropy" else y * 2.0**self.power

    def _numbers(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        if self.fine:
            return normal_numbers(generator, shape)
        found = generator.integers(-15, 15, shape)
        found = np.where(found >= 0, found + 1, found) / 8
        return np.where(generator.random(shape) < 0.3, 0.0, found) if self.zeros else found

    def arrays(self, purpose: int, *front: int, scale: float = 1.0) -> dict[str, np.ndarray]:
        """Random weights or directions by name, (..., R, rows, columns)."""
        generator = self.generator(purpose)
        found: dict[str, np.ndarray] = {}
        for weight, name in self.unit.names.items():
            shape = (*front, self.units, self.size(weight.shape[0]), self.size(weight.shape[1]))
            found[name] = normal_numbers(generator, shape, scale)
        return found


def normal_numbers(generator: np.random.Generator, shape: tuple[int, ...], scale: float = 1.0) -> np.ndarray:
    """About N(0, scale^2): odd multiples of 2^-24, so that none is 0 and nothing cancels by chance."""
    return (2 * np.floor(2.0**23 * scale * generator.standard_normal(shape)) + 1) / 2.0**24


def distributions(generator: np.random.Generator, shape: tuple[int, ...], parts: int = 8) -> np.ndarray:
    """Columns of eighths, or other parts, that sum to 1."""
    rows = shape[-2]
    flat = [
        np.bincount(generator.integers(0, rows, parts), minlength=rows) / parts
        for _ in range(int(np.prod(shape)) // rows)
    ]
    columns = np.stack(flat).reshape(*shape[:-2], shape[-1], rows)
    return np.swapaxes(columns, -1, -2).copy()


# Cases.


@st.composite
def cases(draw: st.DrawFn, *, plain: bool = False) -> Case:
    """Any unit with sizes and data; `plain` ones are not multiplied by a power of two.

    Half of them at random, which are the more varied; the others choice by choice, which Hypothesis makes smaller.
    """
    r = draw(st.booleans().flatmap(lambda free: st.randoms(use_true_random=free)))
    case = at_random(r, draw(st.integers(0, 2**20)))
    return replace(case, power=0) if plain else case


def at_random(r: Random, seed: int) -> Case:
    """A case drawn by a generator, its arrays from the seed."""
    unit, identity = drawn_unit(r)
    found = nodes(unit.expression)
    names = list(dict.fromkeys(n for node in found for n in node.shape if isinstance(n, str)))
    at_least = {n.operand.shape[n.axis] for n in found if isinstance(n, Normalize) and n.centred and not n.epsilon}
    loss = r.choice(list(LOSSES.values()))
    samples = r.choice([1, 2, 2, 3])
    targets = "inputs" if r.random() < 0.05 and loss.name == "squared" else "random"
    power = r.choice([-500, -30, -8, 8, 20, 30]) if r.random() < 0.06 else 0
    zeros = r.random() < 0.08
    largest = r.choice([2, 3, 3, 4])
    while True:
        sizes = {n: r.randint(2 if n in at_least and r.random() < 0.9 else 1, max(largest, 2)) for n in names}
        if "m" in sizes:
            sizes["m"] = samples
        case = Case(unit, loss, 1, sizes, samples, seed, targets, power, zeros, identity=identity)
        if case.parameters <= MOST_PARAMETERS or largest == 1:
            break
        largest -= 1
    most = max(MOST_PARAMETERS // case.parameters, 1)
    units = r.randint(7, 20) if r.random() < 0.12 else r.choice([1, 2, 2, 3])
    return replace(case, units=min(units, most))
