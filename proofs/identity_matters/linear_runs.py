"""Running linear residual networks: gradients on the digits (IM-2b), and gradient descent from zero (IM-3).

For the latter the target is -I_2 and the data are X = [[1, 1], [1, -1]], so Sigma = (1/m) X X^T = I exactly, and Y = -X.
Throughout f is twice the squared loss L.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import gradient, value
from resproof.numeric.rounding import gamma
from resproof.proofs.statement import Computed, Context
from resproof.symbolic.scope import Scope

Floats: TypeAlias = NDArray[np.float64]

_X = np.array([[1.0, 1.0], [1.0, -1.0]])
_UNIT = ResidualUnit(n_shortcut(1))


@dataclass(frozen=True, slots=True)
class RecordedDescent:
    """f - C at the end of `count` steps, one number for each start."""

    layers: int
    step: float
    count: int
    excess: tuple[float, ...]
    seed: int | None = None

    @property
    def sizes(self) -> str:
        """l, the step and its number."""
        starts = f", {len(self.excess)} starts" if len(self.excess) > 1 else ""
        return f"l={self.layers}, d=2, {self.count} steps of {self.step:.3g}{starts}"


@dataclass(frozen=True, slots=True)
class Slope:
    """|grad f|_F^2 and f - C at W_i = -tau I, the least eigenvalue of Sigma, and the relative rounding of both."""

    layers: int
    tau: float
    squared: float
    excess: float
    least: float
    rounding: float
    sizes: str


def slope_on_digits(layers: int, tau: float) -> Callable[[Context], Computed]:
    """The gradient through all layers at W_i = -tau I; f - C = tr(E Sigma E^T) with E = (1 - tau)^l I - R."""

    def compute(context: Context) -> Computed:
        x, y = np.asarray(context.data.X), np.asarray(context.data.Y)
        d, m = x.shape
        weights = np.tile(-tau * np.eye(d), (layers, 1, 1))
        slope = 2.0 * gradient(Network(_UNIT, layers), {"W1": weights}, x, y)["W1"]
        sigma = x @ x.T / m
        error = (1.0 - tau) ** layers * np.eye(d) - (y @ x.T / m) @ np.linalg.inv(sigma)
        squared, rest = float(np.sum(slope**2)), float(np.trace(error @ sigma @ error.T))
        # Moduli: every layer multiplies by at most 1 + tau.
        size_x, size_y, reach = float(np.linalg.norm(x)), float(np.linalg.norm(y)), (1.0 + tau) ** layers
        chain = gamma(4 * layers * (2 * d + 4) + m + 100 * d * d)
        off = 2.0 * chain * reach * (reach * size_x + size_y) * size_x / m * layers**0.5 / squared**0.5
        off += chain * float(np.linalg.cond(sigma)) * (float(np.linalg.norm(error)) + size_x * size_y / m) / rest**0.5
        least = float(np.linalg.eigvalsh(sigma)[0])
        sizes = f"l={layers}, d={d}, m={m}, tau={tau}; {context.data.name}"
        return Computed(Slope(layers, tau, squared, rest, least, 4.0 * off, sizes), Scope.of(sizes))

    return compute


def descend(weights: Floats, step: float, count: int) -> Floats:
    """The weights, (l, 2, 2), after `count` steps of gradient descent on f."""
    network = Network(_UNIT, len(weights))
    for _ in range(count):
        weights = weights - 2.0 * step * gradient(network, {"W1": weights}, _X, -_X)["W1"]
    return weights


def excess(weights: Floats) -> float:
    """f - C, here f itself."""
    return 2.0 * value(Network(_UNIT, len(weights)), {"W1": weights}, _X, -_X)


def from_zero(_: Context) -> Computed:
    """Starts at zero."""
    found = []
    for layers, count in ((2, 60), (3, 200), (6, 200)):
        step = 0.5 / (3 * layers - 2)
        end = descend(np.zeros((layers, 2, 2)), step, count)
        found.append(RecordedDescent(layers, step, count, (excess(end),)))
    return Computed(found, Scope.of(*(one.sizes for one in found)))


def near_zero(context: Context) -> Computed:
    """Random starts with entries N(0, 10^-4)."""
    rng, found = np.random.default_rng(context.seed), list[RecordedDescent]()
    for layers, count, starts in ((2, 200, 6), (4, 1000, 2)):
        step = 0.5 / (3 * layers - 2)
        ends = [descend(rng.normal(0.0, 1e-2, (layers, 2, 2)), step, count) for _ in range(starts)]
        found.append(RecordedDescent(layers, step, count, tuple(map(excess, ends)), context.seed))
    return Computed(found, Scope.of(*(one.sizes for one in found)))
