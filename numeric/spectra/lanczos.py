"""Extreme eigenvalues of a symmetric map that is known by its products alone, and what a residual proves of them.

For a vector v and theta = v^T H v / |v|^2,

    an eigenvalue of H lies within |H v - theta v| / |v| of theta       (Krylov and Weinstein),
    the largest one is at least theta, the smallest at most theta       (Rayleigh and Ritz).

Neither says that theta is close to an extreme one: a start without a component along its eigenvector never finds it,
and one of a cluster passes for all of it. So a Ritz value is told with its residual, and an upper bound of the largest
has to come from elsewhere (`numeric.spectra.toeplitz.ceilings`).

With a product that is off by e, |e| <= `error`, both hold with |e| / |v| more.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.rounding import gamma

Vector: TypeAlias = NDArray[np.float64]
Product: TypeAlias = Callable[[Vector], Vector]

STEPS = 200
"""About so many products are spent on the two ends, and as many on the end near zero."""
KRYLOV = 24
"""Vectors that are kept."""
SHORT = 8
"""A map of this size or less is written out."""


@dataclass(frozen=True, slots=True)
class RitzValue:
    """theta; an eigenvalue lies within `residual` of it, and the Rayleigh quotient of its vector within `off`."""

    value: float
    residual: float
    off: float


def extreme_vectors(
    product: Product, size: int, *, tolerance: float, seed: int = 0, steps: int = STEPS
) -> tuple[Vector, Vector]:
    """Vectors whose Rayleigh quotients are near the smallest and the largest eigenvalue, as far as the steps lead.

    By implicitly restarted Lanczos; where that does not converge, by as many steps of LOBPCG. Of few steps, KRYLOV at
    most, the ends of one Krylov space.
    """
    if size <= SHORT:
        _, vectors = np.linalg.eigh(_written_out(product, size))
        return vectors[:, 0], vectors[:, -1]
    start = np.random.default_rng(seed).standard_normal(size)
    if steps <= KRYLOV:
        return _ends_of_krylov(product, start, min(steps, size))
    solvers = _solvers()
    operator = solvers.LinearOperator((size, size), matvec=product, dtype=np.float64)
    kept = min(KRYLOV, size - 1)
    try:
        values, vectors = solvers.eigsh(
            operator, 2, which="BE", v0=start, ncv=kept, tol=tolerance, maxiter=max(steps // kept, 1)
        )
    except solvers.ArpackNoConvergence:
        return _descended(operator, start, -1.0), _descended(operator, start, 1.0)
    order = np.argsort(values)
    return vectors[:, order[0]], vectors[:, order[-1]]


def _ends_of_krylov(product: Product, start: Vector, steps: int) -> tuple[Vector, Vector]:
    """The Ritz vectors at both ends of the span of v, H v, H^2 v, ..., made orthogonal twice."""
    basis, found = np.empty((steps, len(start))), np.zeros((steps, steps))
    vector, count = start / float(np.linalg.norm(start)), 0
    for k in range(steps):
        basis[k], image = vector, product(vector)
        known, count = basis[: k + 1], k + 1
        found[:count, k] = found[k, :count] = known @ image
        size = float(np.linalg.norm(image))
        for _ in range(2):
            image = image - (known @ image) @ known
        rest = float(np.linalg.norm(image))
        if rest <= gamma(len(start)) * size:
            break
        vector = image / rest
    _, turn = np.linalg.eigh(found[:count, :count])
    return turn[:, 0] @ basis[:count], turn[:, -1] @ basis[:count]


def vector_near_zero(product: Product, size: int, *, tolerance: float, seed: int = 0) -> Vector:
    """A vector whose Rayleigh quotient is near the eigenvalue of least modulus, as far as the steps lead.

    Lanczos on the inverse of H^2, for which lambda and -lambda are one; MINRES applies that of H. What is found in the
    span of a pair is parted by its image.
    """
    if size <= SHORT:
        values, vectors = np.linalg.eigh(_written_out(product, size))
        return vectors[:, int(np.argmin(np.abs(values)))]
    solvers = _solvers()
    operator = solvers.LinearOperator((size, size), matvec=product, dtype=np.float64)

    def solved(b: Vector) -> Vector:
        return solvers.minres(operator, np.ravel(b), rtol=tolerance, maxiter=STEPS)[0]

    inverse = solvers.LinearOperator((size, size), matvec=lambda b: solved(solved(b)), dtype=np.float64)
    start = np.random.default_rng(seed).standard_normal(size)
    try:
        _, vectors = solvers.eigsh(
            operator, 1, sigma=0.0, OPinv=inverse, v0=start, ncv=min(KRYLOV // 2, size - 1), tol=tolerance, maxiter=4
        )
    except solvers.ArpackNoConvergence:
        return _parted(product, solved(solved(start)))
    return _parted(product, vectors[:, 0])


def _parted(product: Product, vector: Vector) -> Vector:
    """The combination of v and H v whose Rayleigh quotient has the least modulus, among the two Ritz vectors."""
    basis, _ = np.linalg.qr(np.stack([vector, product(vector)], axis=1))
    values, turn = np.linalg.eigh(basis.T @ np.stack([product(one) for one in basis.T], axis=1))
    return basis @ turn[:, int(np.argmin(np.abs(values)))]


def ritz_value(vector: Vector, image: Vector, error: float = 0.0) -> RitzValue:
    """theta = v^T H v / |v|^2 and what it proves, `error` bounding the norm of what the image H v is off by.

    The rounding of the quotient and of the residual, sums over all entries, is added.
    """
    norm, size = float(np.linalg.norm(vector)), float(np.linalg.norm(image))
    value = float(vector @ image) / norm / norm
    rounded = gamma(2 * len(vector) + 8) * (size / norm + abs(value))
    apart = float(np.linalg.norm(image - value * vector)) / norm
    off = error / norm + rounded
    return RitzValue(value, apart + off, off)


def _solvers() -> Any:
    """SciPy's, loaded where they are used."""
    from scipy.sparse import linalg

    return linalg


def _descended(operator: Any, start: Vector, sign: float) -> Vector:
    """Steps of LOBPCG towards the largest (sign 1) or the smallest (sign -1) eigenvalue."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the tolerance is not reached is what the residual says
        _, vectors = _solvers().lobpcg(operator, start[:, None], largest=sign > 0.0, maxiter=STEPS // 2)
    found = vectors[:, 0]
    return found if math.isfinite(float(found @ found)) and np.any(found) else start


def _written_out(product: Product, size: int) -> NDArray[np.float64]:
    dense = np.stack([product(unit) for unit in np.eye(size)])
    return (dense + dense.T) / 2
