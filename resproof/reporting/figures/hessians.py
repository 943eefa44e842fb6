"""Dense Hessians of linear networks at zero, measured: the products H v with all unit vectors v, through all units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, initial_weights, unflatten
from resproof.proofs.block.spectrum import Eigenvalue
from resproof.reporting.figures.common import rounded
from resproof.reporting.records import Record

PARAMETERS = 1600
"""The most rows of a Hessian whose eigenvalues are taken."""
_BATCH = 200


class DenseSpectrum(Record):
    """All eigenvalues of a dense Hessian, ascending."""

    n: int
    units: int
    values: tuple[Eigenvalue, ...]

    @property
    def listed(self) -> list[float]:
        """Every eigenvalue as often as it occurs."""
        return [each.value for each in self.values for _ in range(each.multiplicity)]


def dense_spectrum(n: int, units: int, values: NDArray[np.float64]) -> DenseSpectrum:
    """Ascending eigenvalues with their multiplicities; those closer than rounding resolves are counted as one."""
    groups = np.split(values, np.flatnonzero(np.diff(values) > resolution(values)) + 1)
    found = tuple(Eigenvalue(rounded(group.mean()), len(group)) for group in groups)
    return DenseSpectrum(n=n, units=units, values=found)


def resolution(values: NDArray[np.float64]) -> float:
    """Eigenvalues of a symmetric matrix of order p are found within about p eps |H|."""
    return len(values) * float(np.finfo(float).eps) * float(np.abs(values).max())


def eigenvalues(n: int, units: int, x: Any, y: Any) -> NDArray[np.float64]:
    """Of the linear network's dense Hessian at zero, ascending."""
    return np.asarray(np.linalg.eigvalsh(_hessian(n, units, x, y)), dtype=np.float64)


def parameters(n: int, units: int, x: Any) -> int:
    """The order of that Hessian."""
    return units * n * int(x.shape[0]) ** 2


def two_blocks(n: int, x: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """D and A, from the dense Hessian of two units."""
    hessian = _hessian(n, 2, x, y)
    size = len(hessian) // 2
    return hessian[:size, :size], hessian[size:, :size]


def _hessian(n: int, units: int, x: Any, y: Any) -> NDArray[np.float64]:
    """The linear network's dense Hessian at zero."""
    unit, sizes = ResidualUnit(n_shortcut(n)), {"d": int(x.shape[0]), "m": int(x.shape[1])}
    network = Network(unit, units)
    weights = initial_weights(unit, units, sizes, device("cpu").ops)
    hessian = np.concatenate(
        [
            flatten(unit, hvp(network, weights, unflatten(unit, vectors, units, sizes), x, y))
            for vectors in _unit_vectors(parameters(n, units, x))
        ]
    )
    return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)


def _unit_vectors(count: int) -> Iterator[NDArray[np.float64]]:
    for first in range(0, count, _BATCH):
        yield np.eye(min(_BATCH, count - first), count, k=first)
