"""Gradient descent on linear networks through a compiled library (`compiled_descent.c`): a call for whole trajectories.

Runs with the same shortcuts lie in the lanes of the processor's vectors, so that a product of d x d matrices fills them
whatever d is; a run has the same bits whatever is beside it. NumPy's BLAS adds up in another order, and may fuse other
products: the two differ by rounding. Where there is no compiler, where arrays are not NumPy's, or where the work is not
worth a compiler's start, NumPy does it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.network.native_library import address, aligned, vector_library
from resproof.numeric.training.covariances import Covariances
from resproof.numeric.training.networks import Group

SOURCE = Path(__file__).with_suffix(".c")
WORTH = 10**6
"""Multiplications of all passes from which on a compiled library is worth its start."""
Floats = NDArray[np.float64]


class Trajectories(NamedTuple):
    """Of every run: three numbers at each epoch recorded (excess, mean norm, slope), the epoch of its divergence or -1.

    `weights` are the last ones, `kept` those at the epochs of the snapshots; after divergence all are without meaning.
    """

    recorded: Floats
    diverged: NDArray[np.int64]
    weights: Floats
    kept: list[Floats]


class _Plan(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("layers", "d", "shortcut", "epochs", "records", "snapshots")]


class _Data(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("inputs", "targets", "solution", "root")]


class _Told(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_void_p) for name in ("epochs", "excess", "norms", "slopes", "kept", "weights", "diverged")
    ]


def trajectories(
    weights: Floats,
    groups: Sequence[Group],
    data: Covariances,
    rates: Sequence[float],
    epochs: Sequence[int],
    snapshots: Sequence[int],
    factor: float,
) -> Trajectories | None:
    """The runs of `descent` to the last epoch that is recorded; None where no library is to be had, or not worth it.

    A run has diverged above `factor` times the greater of its first loss and that of the zero map.
    """
    layers, runs, d, _ = weights.shape
    library = vector_library(SOURCE) if layers * runs * d**3 * (epochs[-1] + 1) >= WORTH else None
    if library is None:
        return None
    lanes = library.panel // 2
    told = Trajectories(
        np.full((3, len(epochs), runs), np.nan),
        np.full(runs, -1, dtype=np.int64),
        np.empty_like(weights),
        [np.empty_like(weights) for _ in snapshots],
    )
    given = [_alike(np.asarray(one), lanes) for one in (data.inputs, data.targets, data.solution, data.root)]
    call = _Lanes(library.functions, given, epochs, snapshots, factor, data.loss_of_zero)
    for depth, mine in _together(groups, lanes):
        call(weights[:, mine], depth, np.asarray(rates)[mine], told, mine)
    return told


def _together(groups: Sequence[Group], lanes: int) -> Generator[tuple[int, slice]]:
    """Runs with the same shortcuts, as many as there are lanes, and their shortcut depth."""
    first = 0
    for depth, runs in groups:
        for begin in range(first, first + runs, lanes):
            yield depth, slice(begin, min(begin + lanes, first + runs))
        first += runs


def _alike(array: Floats, lanes: int) -> Floats:
    """The same in every lane."""
    found = aligned(*array.shape, lanes)
    found[...] = array[..., None]
    return found


class _Lanes(NamedTuple):
    """Runs in the lanes of one call; lanes that are left take the last run once more."""

    functions: Any
    data: Sequence[Floats]
    epochs: Sequence[int]
    snapshots: Sequence[int]
    factor: float
    least: float

    def __call__(self, weights: Floats, depth: int, rates: Floats, told: Trajectories, mine: slice) -> None:
        """Train these, and tell of them."""
        (layers, runs, d, _), lanes = weights.shape, self.data[0].shape[-1]
        index = np.minimum(np.arange(lanes), runs - 1)
        w, memory = aligned(layers, d, d, lanes), aligned(layers + 4, d, d, lanes)
        w[...] = np.moveaxis(weights[:, index], 1, -1)
        found, kept = aligned(3, len(self.epochs), lanes), aligned(len(self.snapshots), layers, d, d, lanes)
        eta, diverged = aligned(lanes), np.full(lanes, -1, dtype=np.int64)
        eta[...], found[...] = rates[index], np.nan
        epochs, wanted_at = (np.array(one, dtype=np.int64) for one in (self.epochs, self.snapshots))
        self.functions.descend(
            ctypes.byref(_Plan(layers, d, depth, self.epochs[-1], len(self.epochs), len(self.snapshots))),
            ctypes.byref(_Data(*(one.ctypes.data for one in self.data))),
            address(eta),
            ctypes.c_double(self.factor),
            ctypes.c_double(self.least),
            address(w),
            address(memory),
            ctypes.byref(_Told(*(one.ctypes.data for one in (epochs, *found, wanted_at, kept, diverged)))),
        )
        told.recorded[..., mine] = found[..., :runs]
        told.diverged[mine] = diverged[:runs]
        for to, source in zip((told.weights, *told.kept), (w, *kept), strict=True):
            to[:, mine] = np.moveaxis(source[..., :runs], -1, 1)
