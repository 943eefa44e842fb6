"""What figures are measured with: dense Hessians of linear networks at zero, and how many digits are kept.

A dense Hessian is measured: the products H v with all unit vectors v, through all units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from resproof.proofs.statement import Context

WORK = 2e7
"""At most this many n R d^3, what the digits take at R = 10^4: a linear network sees d columns."""
COMPONENTS = 3
"""How many components of the data the Hessians at great depths are of."""
PARAMETERS = 1600
"""The most rows of a Hessian whose eigenvalues are taken."""
_BATCH = 200


@dataclass(frozen=True, slots=True)
class DenseSpectrum:
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


def first_components(context: Context) -> tuple[Any, Any]:
    """The first components of the data."""
    return context.data.X[:COMPONENTS], context.data.Y[:COMPONENTS]


def rounded(value: float) -> float:
    """Six digits: more than a figure shows."""
    return float(f"{value:.6g}")


@dataclass(frozen=True, slots=True)
class BoundedDepthPoint:
    """A condition number at one depth, null where it is infinite, and a lower bound of it where there is one."""

    units: int
    value: float | None
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class ConditionNumbers:
    """Condition numbers of the Hessian against depth."""

    n: int
    points: tuple[BoundedDepthPoint, ...]


def lower_bound(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int, x: Any, y: Any) -> float | None:
    """The greater of floor(R/2) |A| / |D - A| and, for d >= 2 and R >= 2, R lambda_max(S) / sigma_min(S - T)."""
    s, m = x @ x.T, (x - y) @ x.T
    greatest, singular = float(np.linalg.norm(s, 2)), np.linalg.svd(m)[1]
    pairs = [(units // 2 * float(np.linalg.norm(below, 2)), float(np.linalg.norm(diagonal - below, 2)))]
    if len(x) >= 2 and units >= 2:
        pairs.append((units * greatest, float(singular[-1])))
    least = len(diagonal) * float(np.finfo(float).eps) * max(greatest, float(np.linalg.norm(diagonal, 2)))
    found = [top / under for top, under in pairs if under > least]
    return rounded(max(found)) if any(found) else None
