"""What the figures show, computed: block structure, condition numbers against depth, spectra, errors and their bounds.

The block structure is exact. Everything else is measured on the running linear network with the context's data: dense
Hessians are its products H v with all unit vectors v, taken through all R units.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from architectures.catalogue import n_shortcut
from architectures.networks import Network, ResidualUnit
from numeric.adjoint import hvp
from numeric.backend import device
from numeric.parameters import flatten, initial_weights, unflatten
from proofs.evidence import hessian_product, near_product, on_data
from proofs.forms import Claim
from proofs.parts import Context
from proofs.theorem2 import linear_claim
from reports.schema import Blocks, ConditionNumbers, DepthPoint, Eigenvalue, ErrorCurve, ErrorPoint, Figures, Spectrum
from symbolic.explicit import Instance, hessian_at_initial_point

BLOCK_UNITS = 3
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
"""Depths at which condition numbers are taken, while the Hessian has at most PARAMETERS rows."""
PARAMETERS = 1600
SPECTRUM_UNITS = 4
ERROR_UNITS = (10, 100, 1000, 10000)
_WORK = 2e7
"""At most this many n R d^3, what the digits take at R = 10^4: a linear network sees d columns."""
_CLAIMS = {1: linear_claim(), 2: Claim("m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")}
"""The Hessians of linear networks that Theorem 2 states for n = 1 and n = 2."""
_BATCH = 200

_X = ((Fraction(1), Fraction(2)), (Fraction(-1), Fraction(3, 2)))
_Y = ((Fraction(1, 2), Fraction(-1)), (Fraction(1), Fraction(3)))


def figure_data(context: Context) -> Figures:
    """The data of every figure; what the data are too large for is left out."""
    data = context.data
    return Figures(
        width=int(data.X.shape[0]),
        samples=int(data.X.shape[1]),
        blocks=tuple(_blocks(n) for n in (1, 2, 3)),
        condition_numbers=tuple(_condition_numbers(n, data.X, data.Y) for n in (1, 2)),
        spectra=tuple(found for n in (1, 2) if (found := _spectrum(n, data.X, data.Y))),
        errors=tuple(_errors(n, context) for n in (1, 2)),
    )


def _blocks(n: int) -> Blocks:
    """The exact Hessian of three linear units on two rational samples."""
    network = Network(ResidualUnit(n_shortcut(n)), BLOCK_UNITS)
    hessian = hessian_at_initial_point(network, {"d": len(_X)}, data=Instance(_X, _Y))
    entries = {place: next(iter(hessian.ring.plain(value).values())) for place, value in hessian.entries().items()}
    count = range(hessian.parameters)
    rows = tuple(" ".join(str(entries.get((i, j), 0)) for j in count) for i in count)
    return Blocks(n=n, units=BLOCK_UNITS, width=len(_X), samples=len(_X[0]), rows=rows)


def _condition_numbers(n: int, x: Any, y: Any) -> ConditionNumbers:
    depths = [units for units in DEPTHS if units * n * x.shape[0] ** 2 <= PARAMETERS]
    points = tuple(DepthPoint(units=units, value=_condition_number(n, units, x, y)) for units in depths)
    return ConditionNumbers(n=n, points=points)


def _condition_number(n: int, units: int, x: Any, y: Any) -> float | None:
    """The greatest modulus of an eigenvalue over the least; None where the least is within rounding of zero."""
    moduli = np.abs(_eigenvalues(n, units, x, y))
    return _rounded(moduli.max() / moduli.min()) if moduli.min() > _resolution(moduli) else None


def _spectrum(n: int, x: Any, y: Any) -> Spectrum | None:
    """The eigenvalues at R = SPECTRUM_UNITS; those closer than rounding resolves are counted as one."""
    if SPECTRUM_UNITS * n * x.shape[0] ** 2 > PARAMETERS:
        return None
    values = _eigenvalues(n, SPECTRUM_UNITS, x, y)
    groups = np.split(values, np.flatnonzero(np.diff(values) > _resolution(values)) + 1)
    found = tuple(Eigenvalue(value=_rounded(group.mean()), multiplicity=len(group)) for group in groups)
    return Spectrum(n=n, units=SPECTRUM_UNITS, values=found)


def _resolution(values: NDArray[np.float64]) -> float:
    """Eigenvalues of a symmetric matrix of order p are found within about p eps |H|."""
    return len(values) * float(np.finfo(float).eps) * float(np.abs(values).max())


def _eigenvalues(n: int, units: int, x: Any, y: Any) -> NDArray[np.float64]:
    """Of the linear network's dense Hessian at zero, ascending."""
    unit, sizes = ResidualUnit(n_shortcut(n)), {"d": int(x.shape[0]), "m": int(x.shape[1])}
    network, count = Network(unit, units), units * n * sizes["d"] ** 2
    weights = initial_weights(unit, units, sizes, device("cpu").ops)
    hessian = np.concatenate(
        [
            flatten(unit, hvp(network, weights, unflatten(unit, vectors, units, sizes), x, y))
            for vectors in _unit_vectors(count)
        ]
    )
    return np.asarray(np.linalg.eigvalsh((hessian + hessian.T) / 2), dtype=np.float64)


def _unit_vectors(count: int) -> Iterator[NDArray[np.float64]]:
    for first in range(0, count, _BATCH):
        yield np.eye(min(_BATCH, count - first), count, k=first)


def _errors(n: int, context: Context) -> ErrorCurve:
    """The error of H v against Theorem 2, and its rounding bound."""
    width = context.data.X.shape[0]
    depths = [units for units in ERROR_UNITS if n * units * width**3 <= _WORK]
    return ErrorCurve(n=n, points=tuple(_error(n, units, context) for units in depths))


def _error(n: int, units: int, context: Context) -> ErrorPoint:
    found = hessian_product(lambda given: on_data(ResidualUnit(n_shortcut(n)), units, given))(context)
    measured = near_product(found.value, _CLAIMS[n])
    return ErrorPoint(units=units, error=_rounded(measured.value), bound=_rounded(measured.bound))


def _rounded(value: float) -> float:
    """Six digits: more than a figure shows."""
    return float(f"{value:.6g}")
