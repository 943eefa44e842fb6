"""Plain gradient descent on the whole of the data, W <- W - eta grad, many runs at once; one that diverges is frozen.

A run has diverged when its loss is not finite, or a million times the greater of its first loss and the loss of the
zero map. It then leaves the program: its epoch is kept, and nothing more is recorded of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.backend import Array, namespace, ops_of
from resproof.numeric.data import DataError
from resproof.numeric.training.compiled_descent import Trajectories, trajectories
from resproof.numeric.training.covariances import Covariances
from resproof.numeric.training.networks import Group, backward, check_networks, states

DIVERGED = 1e6


@dataclass(frozen=True, slots=True)
class Descent:
    """What became of every run.

    `excess` (the loss above the least one), `norms` (|W_l|_F, mean over layers) and `slopes` (the norm of the gradient)
    have the shape (epochs recorded, runs), NaN after divergence. `diverged` has a run's epoch, -1 where it never did.
    `weights` are the last ones, of a run that diverged the first ones; `snapshots` has those at the epochs asked for,
    of the runs that were left.
    """

    epochs: tuple[int, ...]
    excess: NDArray[np.float64]
    norms: NDArray[np.float64]
    slopes: NDArray[np.float64]
    diverged: NDArray[np.int64]
    weights: Array
    snapshots: dict[int, Array]


def descend(
    weights: Array,
    groups: Sequence[Group],
    data: Covariances,
    rates: Sequence[float],
    epochs: int,
    record: Collection[int] = (),
    snapshots: Collection[int] = (),
) -> Descent:
    """`epochs` steps of every run at its own rate; the last epoch is always recorded.

    Raises:
        DataError: weights or groups as `check_networks` has them, or other than one positive rate for each run.
    """
    weights = check_networks("descend", weights, groups)
    if len(rates) != weights.shape[1] or not all(isfinite(rate) and rate > 0 for rate in rates):
        raise DataError(f"descend: {len(rates)} rates for {weights.shape[1]} runs; expected a positive one for each")
    rows = sorted({*record, epochs})
    if namespace(weights) is np and rows[-1] == epochs and rows[0] >= 0:
        kept = sorted({epoch for epoch in snapshots if 0 <= epoch <= epochs})
        found = trajectories(weights, groups, data, rates, rows, kept, DIVERGED)
        if found is not None:
            return _told(found, weights, rows, kept)
    return _Runs(weights, groups, data, rates, rows, snapshots).go(epochs)


def _told(found: Trajectories, first: Array, rows: Sequence[int], kept: Sequence[int]) -> Descent:
    """What became of every run, without what happened after divergence."""
    gone = found.diverged >= 0
    after = gone & (np.array(rows)[:, None] >= found.diverged)
    excess, norms, slopes = np.where(after, np.nan, found.recorded)
    left = {epoch: ~gone | (found.diverged > epoch) for epoch in kept}
    return Descent(
        tuple(rows),
        excess,
        norms,
        slopes,
        found.diverged,
        np.where(gone[:, None, None], first, found.weights),
        {epoch: one[:, left[epoch]] for epoch, one in zip(kept, found.kept, strict=True) if left[epoch].any()},
    )


class _Runs:
    """The runs that are left, and what was recorded of all."""

    def __init__(
        self,
        weights: Array,
        groups: Sequence[Group],
        data: Covariances,
        rates: Sequence[float],
        record: Sequence[int],
        snapshots: Collection[int],
    ) -> None:
        xp, runs = namespace(weights), int(weights.shape[1])
        self.xp, self.data, self.groups = xp, data, tuple(groups)
        self.numpy = ops_of(weights).numpy
        self.weights = xp.asarray(weights, copy=True)
        self.last = xp.asarray(weights, copy=True)
        self.rates = xp.asarray(list(rates), dtype=xp.float64)
        self.left = np.arange(runs)
        self.diverged = np.full(runs, -1, dtype=np.int64)
        self.rows = {epoch: row for row, epoch in enumerate(record)}
        self.recorded = np.full((3, len(record), runs), np.nan)
        self.wanted, self.snapshots = frozenset(snapshots), dict[int, Array]()
        self.most: Array = None

    def go(self, epochs: int) -> Descent:
        with ops_of(self.weights).quiet():
            for epoch in range(epochs + 1):
                if not len(self.left):
                    break
                self._step(epoch, last=epoch == epochs)
        for column, run in enumerate(self.left):
            self.last[:, int(run), ...] = self.weights[:, column, ...]
        excess, norms, slopes = self.recorded
        return Descent(tuple(self.rows), excess, norms, slopes, self.diverged, self.last, self.snapshots)

    def _step(self, epoch: int, *, last: bool) -> None:
        before = states(self.weights, self.groups)
        excess = self.data.excess(before[-1])
        if self.most is None:
            least = self.xp.asarray(self.data.loss_of_zero, dtype=self.xp.float64)
            self.most = DIVERGED * self.xp.maximum(excess, least)
        fine = excess <= self.most  # false where it is not a number
        if not bool(self.xp.all(fine)):
            self._freeze(epoch, fine)
            if len(self.left):
                self._step(epoch, last=last)
            return
        if epoch in self.wanted:
            self.snapshots[epoch] = self.xp.asarray(self.weights, copy=True)
        row = self.rows.get(epoch)
        if row is not None:
            self._record(row, excess)
        self._move(before, row, last=last)

    def _record(self, row: int, excess: Array) -> None:
        xp = self.xp
        norms = xp.sqrt(xp.sum(self.weights * self.weights, axis=(-2, -1)))
        self.recorded[0, row, self.left] = self.numpy(excess)
        self.recorded[1, row, self.left] = self.numpy(xp.mean(norms, axis=0))

    def _move(self, before: list[Array], row: int | None, *, last: bool) -> None:
        """A step, unless it is the last epoch, and the norm of the gradient where it is recorded."""
        xp, scale = self.xp, self.rates[:, None, None]
        if last and row is None:
            return
        slope = self.data.slope(before[-1])
        # The rate goes through the chain with the slope, so that no layer is scaled for itself.
        total = xp.zeros_like(self.rates)
        for layer, step in backward(self.weights, self.groups, before, slope * scale):
            if row is not None:
                total = total + xp.sum(step * step, axis=(-2, -1))
            if not last:
                self.weights[layer - 1, ...] -= xp.matrix_transpose(step)
        if row is not None:
            self.recorded[2, row, self.left] = self.numpy(xp.sqrt(total) / self.rates)

    def _freeze(self, epoch: int, fine: Array) -> None:
        """Let the runs go that are not fine."""
        stay = np.flatnonzero(self.numpy(fine))
        gone = np.setdiff1d(np.arange(len(self.left)), stay)
        self.diverged[self.left[gone]] = epoch
        kept, first = list[Group](), 0
        for depth, runs in self.groups:
            kept.append(Group(depth, int(np.sum((stay >= first) & (stay < first + runs)))))
            first += runs
        index = self.xp.asarray(stay)
        self.weights = self.xp.take(self.weights, index, axis=1)
        self.rates, self.most = self.xp.take(self.rates, index), self.xp.take(self.most, index)
        self.left, self.groups = self.left[stay], tuple(kept)
