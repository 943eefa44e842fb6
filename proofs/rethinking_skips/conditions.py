"""How singular matrices are, exactly or nearly: condition numbers, numerical ranks, and units that are dead.

A row of H that is zero on every sample is a unit that is dead: H is singular exactly, whatever the other rows are.
Without such rows a matrix of full rank may still be singular to working precision. The two are told apart: `dead`
counts the zero rows, and `alive` is the condition number of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Singularity:
    """Of matrices of shape (..., rows, columns), each of shape (...); not a number where an entry is not finite.

    `kappa` is the greatest singular value over the least of min(rows, columns), infinite where that is 0; `rank` counts
    those above max(rows, columns) eps times the greatest, the rounding error of a singular value; `dead` the zero rows;
    `alive` is kappa without them.
    """

    kappa: Floats
    rank: Floats
    dead: Floats
    alive: Floats


def conditions(matrices: Floats) -> Singularity:
    """Those of every matrix."""
    *many, rows, columns = matrices.shape
    flat = matrices.reshape(-1, rows, columns)
    found = np.array([_conditions(one) for one in flat]).reshape(*many, 4)
    return Singularity(*np.moveaxis(found, -1, 0))


def _conditions(matrix: Floats) -> tuple[float, float, float, float]:
    if not np.isfinite(matrix).all():
        return np.nan, np.nan, np.nan, np.nan
    there = np.any(matrix != 0, axis=1)
    dead = len(matrix) - int(np.sum(there))
    if dead == len(matrix):
        return np.inf, 0.0, float(dead), np.nan
    values: Floats = np.linalg.svd(matrix[there], compute_uv=False).astype(np.float64, copy=False)
    rank = int(np.sum(values > max(matrix.shape) * np.finfo(float).eps * values[0]))
    alive = _ratio(values)
    whole = alive if len(values) == min(matrix.shape) else np.inf
    return whole, float(rank), float(dead), alive


def _ratio(values: Floats) -> float:
    return float(values[0] / values[-1]) if values[-1] else np.inf
