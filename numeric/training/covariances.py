"""What a linear network sees of its data: S = X X^T/m, T = Y X^T/m and tr(Y Y^T)/m; its cost forgets the samples.

The loss |F X - Y|_F^2/2m has the gradient F S - T in F, and with a least-squares solution F* = T S^+ it exceeds its
least value by |(F - F*) S^{1/2}|_F^2/2: the loss on d samples. The difference of two losses would lose every digit near
the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.data import DataError, check_array

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Covariances:
    """S and T, d x d; the solution F* and the root S^{1/2}; the least loss of any linear map, and that of none."""

    inputs: Floats
    targets: Floats
    solution: Floats
    root: Floats
    least: float
    loss_of_zero: float

    def columns(self) -> tuple[Floats, Floats]:
        """d samples X = sqrt(d) S^{1/2} and Y = F* X with the same S and T; their loss is that above the least one."""
        x = len(self.root) ** 0.5 * self.root
        return x, self.solution @ x


def covariances(x: Floats, y: Floats) -> Covariances:
    """The covariances of d x m data X and Y with m samples.

    Raises:
        DataError: X and Y are not finite matrices of one shape with at least one sample.
    """
    x, y = check_array("covariances", "X", x), check_array("covariances", "Y", y)
    if len(x.shape) != 2 or x.shape != y.shape or 0 in x.shape:
        raise DataError(f"covariances: X has shape {x.shape}, Y has shape {y.shape}; expected d x m, both the same")
    samples = x.shape[1]
    inputs, targets = x @ x.T / samples, y @ x.T / samples
    values, vectors = np.linalg.eigh(inputs)
    # Directions that the data leave out: eigenvalues within rounding of zero.
    there = values > x.shape[0] * np.finfo(np.float64).eps * np.max(values)
    safe = np.where(there, values, 1.0)
    solution = targets @ ((vectors * np.where(there, 1.0 / safe, 0.0)) @ vectors.T)
    root = (vectors * np.sqrt(np.where(there, safe, 0.0))) @ vectors.T
    left = y - solution @ x
    least, of_zero = (float(np.sum(one * one)) / (2 * samples) for one in (left, y))
    return Covariances(inputs, targets, solution, root, least, of_zero)
