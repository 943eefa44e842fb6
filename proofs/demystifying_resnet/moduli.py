"""The moduli of the eigenvalues of a Hessian: the greatest, the tenth percentile, and the ratio of negative ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.covariances import Covariances
from resproof.numeric.training.networks import Linear, hessians


@dataclass(frozen=True, slots=True)
class Moduli:
    """Of the eigenvalues of a Hessian: the greatest modulus, the tenth percentile, and the ratio of negative ones."""

    greatest: float
    tenth: float
    negative: float

    @property
    def condition(self) -> float:
        """The greatest modulus over the tenth percentile."""
        return self.greatest / self.tenth if self.tenth else math.inf


def moduli(weights: NDArray[np.float64], depth: int, data: Covariances) -> Moduli:
    """Those of a linear network with weights of shape (L, d, d) and shortcuts over `depth` layers, 0 for none."""
    (found,) = hessians(Linear(depth), "squared", {"layers": weights[:, None]}, *data.columns())
    return moduli_of(np.linalg.eigvalsh(found))


def moduli_of(values: Sequence[float] | NDArray[Any]) -> Moduli:
    """Of eigenvalues that are given.

    The tenth percentile is the least modulus that a tenth of all do not exceed, so that it is an eigenvalue's; negative
    are those below minus the rounding error of a symmetric eigenvalue, N eps |H|.
    """
    values = np.asarray(values, dtype=np.float64)
    sizes = np.sort(np.abs(values))
    greatest, count = float(sizes[-1]), len(sizes)
    negative = int(np.count_nonzero(values < -count * np.finfo(float).eps * greatest))
    return Moduli(greatest, float(sizes[-(-count // 10) - 1]), negative / count)
