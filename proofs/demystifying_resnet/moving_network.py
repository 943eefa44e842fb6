"""Theorem 1 by construction: a network of R small units that maps X to Y, built and run unit by unit.

The columns move one after the other along paths of `proofs.demystifying_resnet.sphere`, each in floor(R/m) steps of equal length; one
unit makes one step of column i, from the network's current column h_i to the next point a':

    W1 = s e_1 h_i^T,    b = s (rho^2/8 - 1) 1,    W2 = (a' - h_i)/u e_1^T,    s = sqrt(8 |a' - h_i|)/rho,

u the hidden value that this unit itself has at h_i; in exact arithmetic u = s rho^2/8, which gives the printed
W2 = (sqrt(8/delta)/rho)(a' - h_i) e_1^T. The units that are left over are zero. With R < m each unit takes
ceil(m/R) <= d columns to their ends at once, row i for column i, s = 4/rho.

Building each unit from the network's *current* column keeps rounding from adding up: a network that is written down
beforehand amplifies it by about exp(arc sqrt(8/rho^2 - 1)). Every unit is applied with dense d x d matrices to all m
columns. Source: Li et al. 2016, Lemma 1 and Theorem 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.backend import Array, Ops
from resproof.numeric.rounding import LEAST, gamma
from resproof.proofs.demystifying_resnet.sphere import (
    Path,
    PathError,
    boundary_radius,
    length_bound,
    minimum_distance,
    shortest_path,
)

POINT_ROUNDINGS = 40
"""The roundings in a chain behind a point of a path: arc, cosine and sine, sums, norm."""


class Unit(NamedTuple):
    """W2 ReLU(W1 h + b) + h."""

    first: Array
    bias: Array
    second: Array


class Move(NamedTuple):
    """What one unit does: the columns it moves and their targets, as columns."""

    columns: tuple[int, ...]
    targets: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Plan:
    """The paths of all columns, and how R units share them."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    units: int
    rho: float
    paths: tuple[Path, ...]
    """One for each column; empty where R < m, as the columns jump."""

    @property
    def steps(self) -> int:
        """The units for each column, floor(R/m)."""
        return self.units // self.x.shape[1]

    @property
    def together(self) -> int:
        """The columns that one unit moves, ceil(m/R)."""
        return -(-self.x.shape[1] // self.units)

    def moves(self) -> Iterator[Move]:
        """The moves in their order, at most R of them."""
        samples = range(self.x.shape[1])
        if not self.steps:
            for first in samples[:: self.together]:
                columns = tuple(samples[first : first + self.together])
                yield Move(columns, self.y[:, list(columns)])
            return
        for column in samples:
            points = self.paths[column].points(self.steps)
            for step in range(1, self.steps + 1):
                yield Move((column,), points[:, step : step + 1])


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """What came out of the running network."""

    plan: Plan
    output: NDArray[np.float64]
    largest_norm: float
    """max over units and layers of |W|_F."""
    disturbed: float
    """How far units moved columns that they ought to leave, in all."""


def plan(x: Any, y: Any, units: int, rho: float | None = None) -> Plan:
    """The paths from the columns of x to those of y; rho is their least distance unless a smaller one is given.

    Raises:
        PathError: shapes that differ, no unit, more columns than R d, columns that are not distinct unit vectors, or
            an obstacle on the way in d = 2.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 2 or 0 in x.shape:
        raise PathError(f"plan: X has shape {x.shape}, Y has shape {y.shape}; expected equal ones, (d, m)")
    d, m = x.shape
    if units < 1 or m > units * d:
        raise PathError(f"plan: R = {units} units of width {d} for m = {m} columns; expected R d >= m")
    everything = np.concatenate([x, y], axis=1)
    apart = minimum_distance(everything)
    if apart == 0.0 or (rho is not None and rho > apart):
        raise PathError(f"plan: the least distance of two columns is {apart:.6g}; expected {rho or 'more than 0'}")
    least = apart if rho is None else rho
    others = [[*range(i + 1, m), *range(m, m + i)] for i in range(m)]  # later columns at x, earlier ones at y
    paths = tuple(shortest_path(x[:, i], y[:, i], everything[:, others[i]], least) for i in range(m))
    return Plan(x, y, units, least, paths if units >= m else ())


def moving_unit(ops: Ops, h: Array, move: Move, rho: float) -> tuple[Unit, Array]:
    """The unit that makes this move from the current columns h, and its hidden values at h."""
    xp, (d, _), k = ops.xp, h.shape, len(move.columns)
    current = _columns(ops, h, move.columns)
    change = ops.asarray(move.targets) - current
    s = (4.0 if k > 1 else math.sqrt(8.0 * math.sqrt(float(xp.sum(change * change))))) / rho
    rows = xp.eye(d, k, dtype=xp.float64)  # column i is e_i
    first = rows @ (s * current.T)
    bias = ops.full((d, 1), s * (rho * rho / 8.0 - 1.0))
    hidden = ops.maximum(first @ h + bias, xp.zeros_like(bias))
    active = hidden[0, move.columns[0]] if k == 1 else xp.stack([hidden[row, i] for row, i in enumerate(move.columns)])
    second = change / xp.maximum(active, LEAST) @ rows.T  # 0/0 stands for a column that is in place
    return Unit(first, bias, second), hidden


def _columns(ops: Ops, h: Array, columns: tuple[int, ...]) -> Array:
    if len(columns) == 1:
        return h[:, columns[0] : columns[0] + 1]
    return ops.xp.stack([h[:, column] for column in columns], axis=1)


def run(ops: Ops, plan: Plan) -> NetworkRun:
    """Build the network and run X through all its units; the units after the last move are zero and change nothing."""
    xp = ops.xp
    h, start = ops.asarray(plan.x), ops.asarray(plan.x)
    largest, disturbed, moved = 0.0, list[float](), ()
    for move in plan.moves():
        if move.columns != moved:
            disturbed.append(_disturbed(ops, start, h, moved))
            start, moved = h, move.columns
        unit, hidden = moving_unit(ops, h, move, plan.rho)
        h = h + unit.second @ hidden
        largest = max(largest, *(float(xp.sum(w * w)) for w in (unit.first, unit.second)))
    disturbed.append(_disturbed(ops, start, h, moved))
    return NetworkRun(plan, ops.numpy(h), math.sqrt(largest), sum(disturbed))


def _disturbed(ops: Ops, before: Array, after: Array, moved: tuple[int, ...]) -> float:
    """The changes of all entries outside the columns `moved`, summed."""
    change = np.abs(ops.numpy(after) - ops.numpy(before))
    change[:, list(moved)] = 0.0
    return float(change.sum())


def apply(ops: Ops, unit: Unit, h: Array) -> Array:
    """W2 ReLU(W1 h + b) + h."""
    return h + unit.second @ ops.maximum(unit.first @ h + unit.bias, ops.xp.zeros_like(unit.bias))


def norm_bound(rho: float, samples: int, units: int, constant: float = 4.0) -> float:
    """4 sqrt(pi m (rho (m - 1)/2 + 1) / R) / rho. Source: Li et al. 2016, Theorem 1, with its constant."""
    return constant * math.sqrt(samples * length_bound(rho, samples) / units) / rho


def output_bound(samples: int) -> float:
    """How far rounding can take the output from Y, in the Frobenius norm.

    The last step of a column is h + w u with w = (y - h)/u: three roundings of y - h, whose norm is at most 2, and one
    of the sum, so gamma_4 (2 + 1) and less than gamma_4 4 for each column.
    """
    return 4.0 * gamma(4) * math.sqrt(samples)


def norm_spread(plan: Plan) -> float:
    """How far log of the greatest norm may lie from log sqrt(8 l m / R) / rho, l the longest path.

    A step along the longest path is at most a = l / floor(R/m), and one that passes no corner at least
    a (1 - a^2 / (24 sigma^2)) with the least radius sigma of an arc; where every step may pass a corner, the mean over
    the steps is at least |x - y| / floor(R/m). Points carry a few roundings.

    Raises:
        PathError: R < m, where columns jump.
    """
    if not plan.steps:
        raise PathError(f"norm_spread: R = {plan.units} units for m = {plan.x.shape[1]} columns; expected R >= m")
    longest = max(plan.paths, key=lambda path: path.length)
    step = longest.length / plan.steps
    lower = float(np.linalg.norm(longest.end - longest.start)) / longest.length
    if longest.corners < plan.steps:
        lower = max(lower, 1.0 - step * step / (24.0 * boundary_radius(plan.rho) ** 2))
    rounding = 4.0 * gamma(POINT_ROUNDINGS) / step
    lower, upper = lower * (1.0 - rounding), 1.0 + rounding
    uneven = plan.units / (plan.x.shape[1] * plan.steps)
    return max(0.5 * math.log(uneven * upper), -0.5 * math.log(lower))


def fitted_slope(units: list[int], norms: list[float]) -> tuple[float, list[float]]:
    """The least-squares slope of log norm against log R, at two different depths at least; the weight of each log norm."""
    x = np.log(np.asarray(units, dtype=np.float64))
    centred = x - x.mean()
    weights = centred / np.sum(centred**2)
    return float(weights @ np.log(norms)), [float(w) for w in weights]
