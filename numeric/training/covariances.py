"""What a linear network sees of its data: S = X X^T/m, T = Y X^T/m and tr(Y Y^T)/m; its cost forgets the samples.

For the network x -> F x the loss is

    (1/2m) |F X - Y|_F^2 = tr(F S F^T)/2 - tr(T F^T) + tr(Y Y^T)/2m,    with gradient F S - T in F.

Let F* = T S^+, a least-squares solution: F* S = T. Then the loss exceeds its least value by

    |(F - F*) S^{1/2}|_F^2 / 2,

which is computed as such: the difference of two losses would lose every digit near the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

from resproof.numeric.backend import Array, namespace, ops_of
from resproof.numeric.data import DataError, check_array


@dataclass(frozen=True, slots=True)
class Covariances:
    """S and T, d x d; the solution F* and the root S^{1/2}; the least loss of any linear map, and that of none."""

    inputs: Array
    targets: Array
    solution: Array
    root: Array
    least: float
    loss_of_zero: float

    @property
    def width(self) -> int:
        """d."""
        return int(self.inputs.shape[0])

    def columns(self) -> tuple[Array, Array]:
        """d samples X and Y that have the same S and T: sqrt(d) S^{1/2} and F* X."""
        x = self.width**0.5 * self.root
        return x, self.solution @ x

    def slope(self, maps: Array) -> Array:
        """F S - T for maps F of shape (..., d, d): the derivative of the loss in F."""
        return maps @ self.inputs - self.targets

    def excess(self, maps: Array) -> Array:
        """By how much the loss of each map exceeds the least one, of shape (...)."""
        xp = namespace(maps)
        missing = (maps - self.solution) @ self.root
        return 0.5 * xp.sum(missing * missing, axis=(-2, -1))


def covariances(x: Array, y: Array) -> Covariances:
    """The covariances of d x m data X and Y with m samples.

    Raises:
        DataError: X and Y are not finite matrices of one shape with at least one sample.
    """
    x, y = check_array("covariances", "X", x), check_array("covariances", "Y", y)
    if len(x.shape) != 2 or tuple(x.shape) != tuple(y.shape) or 0 in x.shape:
        raise DataError(
            f"covariances: X has shape {tuple(x.shape)}, Y has shape {tuple(y.shape)}; expected d x m, both the same"
        )
    xp, samples = namespace(x), x.shape[1]
    inputs, targets = x @ x.T / samples, y @ x.T / samples
    values, vectors = ops_of(x).eigh(inputs)
    # Directions that the data leave out: eigenvalues within rounding of zero.
    there = values > x.shape[0] * xp.finfo(xp.float64).eps * xp.max(values)
    safe = xp.where(there, values, xp.ones_like(values))
    inverse = xp.where(there, 1.0 / safe, xp.zeros_like(values))
    solution = targets @ ((vectors * inverse) @ vectors.T)
    root = (vectors * xp.sqrt(xp.where(there, safe, xp.zeros_like(values)))) @ vectors.T
    left = y - solution @ x
    return Covariances(
        inputs,
        targets,
        solution,
        root,
        float(xp.sum(left * left)) / (2 * samples),
        float(xp.sum(y * y)) / (2 * samples),
    )
