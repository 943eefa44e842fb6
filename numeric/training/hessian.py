"""The eigenvalues of the Hessian of one linear network's loss at any weights, from the covariances.

The matrix itself is `numeric.network.dense`'s: a plain network or one of linear n-shortcut units is a chain of those.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import n_shortcut, plain
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, ops_of
from resproof.numeric.data import DataError
from resproof.numeric.network.dense import dense_hessian
from resproof.numeric.training.covariances import Covariances


def hessian(weights: Array, shortcut_depth: int, data: Covariances) -> Array:
    """H as `dense_hessian` has it, L d^2 x L d^2: its blocks on and below the diagonal.

    The weights have the shape (L, d, d); shortcuts reach over so many layers, 0 for none.

    Raises:
        DataError: weights of another shape, or shortcuts that do not divide the layers.
    """
    shape, depth = tuple(weights.shape), shortcut_depth or 1
    if len(shape) != 3 or not shape[0] or shape[0] % depth:
        raise DataError(f"hessian: weights of shape {shape}; expected (layers, d, d), the layers a multiple of {depth}")
    unit = ResidualUnit(n_shortcut(shortcut_depth) if shortcut_depth else plain())
    network = Network(unit, shape[0] // depth)
    named = {name: weights[position::depth, ...] for position, name in enumerate(unit.names.values())}
    return dense_hessian(network, named, *data.columns())


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


def moduli(weights: Array, shortcut_depth: int, data: Covariances) -> Moduli:
    """Those of `hessian`.

    Raises:
        DataError: as `hessian` has it.
    """
    operations = ops_of(weights)
    # The solver reads the lower triangle.
    return moduli_of(operations.numpy(operations.eigvalsh(hessian(weights, shortcut_depth, data))))


def moduli_of(values: Sequence[float] | NDArray[np.float64]) -> Moduli:
    """Of eigenvalues that are given.

    The tenth percentile is the least modulus that a tenth of all do not exceed, so that it is an eigenvalue's; negative
    are those below minus the rounding error of a symmetric eigenvalue, N eps |H|.
    """
    values = np.asarray(values)
    sizes = np.sort(np.abs(values))
    greatest, count = float(sizes[-1]), len(sizes)
    negative = int(np.count_nonzero(values < -count * np.finfo(float).eps * greatest))
    return Moduli(greatest, float(sizes[-(-count // 10) - 1]), negative / count)
