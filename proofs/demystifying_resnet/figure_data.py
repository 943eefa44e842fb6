"""The numbers of the paper's figures in the report, all but the blocks measured on the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device
from resproof.numeric.network.adjoint import value
from resproof.proofs.block.dense_hessians import (
    PARAMETERS,
    WORK,
    BoundedDepthPoint,
    ConditionNumbers,
    DenseSpectrum,
    dense_spectrum,
    eigenvalues,
    lower_bound,
    parameters,
    resolution,
    rounded,
    two_blocks,
)
from resproof.proofs.demystifying_resnet.moving_network import fitted_slope, norm_bound, plan, run
from resproof.proofs.demystifying_resnet.theorem1 import Fitted, normalised_data, picture_data, random_data
from resproof.proofs.demystifying_resnet.theorem2_at_depth import first_order_at
from resproof.proofs.routes.hessians import Claim
from resproof.proofs.routes.running_network import hessian_product, near_product
from resproof.proofs.routes.running_network import on_data as running_network
from resproof.proofs.statement import Context, Unsuited
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point

_UNITS_OF_BLOCKS = 3
_X = ((Fraction(1), Fraction(2)), (Fraction(-1), Fraction(3, 2)))
_Y = ((Fraction(1, 2), Fraction(-1)), (Fraction(1), Fraction(3)))


@dataclass(frozen=True, slots=True)
class ExactBlocks:
    """The exact Hessian of a small linear network; each row as fractions with spaces between them."""

    n: int
    units: int
    width: int
    samples: int
    rows: tuple[str, ...]


def exact_blocks() -> tuple[ExactBlocks, ...]:
    """The exact Hessians for n = 1, 2, 3."""
    return tuple(map(_exact, (1, 2, 3)))


def _exact(n: int) -> ExactBlocks:
    """The exact Hessian of three linear units on two rational samples."""
    network = Network(ResidualUnit(n_shortcut(n)), _UNITS_OF_BLOCKS)
    hessian = hessian_at_initial_point(network, {"d": len(_X)}, data=Instance(_X, _Y))
    entries = {place: next(iter(hessian.ring.plain(value).values())) for place, value in hessian.entries().items()}
    count = range(hessian.parameters)
    rows = tuple(" ".join(str(entries.get((i, j), 0)) for j in count) for i in count)
    return ExactBlocks(n=n, units=_UNITS_OF_BLOCKS, width=len(_X), samples=len(_X[0]), rows=rows)


DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
"""Depths at which condition numbers are taken, while the Hessian has at most n times PARAMETERS rows; powers of two
for n = 2, where they do not change."""


def condition_numbers(context: Context) -> tuple[ConditionNumbers, ...]:
    """Condition numbers of the dense Hessian for n = 1, with GEN-3's lower bound, and n = 2."""
    x, y = context.data.X, context.data.Y
    return tuple(
        ConditionNumbers(
            n=n,
            points=tuple(
                BoundedDepthPoint(
                    units=units,
                    value=_condition_number(n, units, x, y),
                    bound=lower_bound(*two_blocks(n, x, y), units, x, y) if n == 1 else None,
                )
                for units in DEPTHS
                if parameters(n, units, x) <= n * PARAMETERS and (n == 1 or units.bit_count() == 1)
            ),
        )
        for n in (1, 2)
    )


def _condition_number(n: int, units: int, x: Any, y: Any) -> float | None:
    """The greatest modulus of an eigenvalue over the least; None where the least is within rounding of zero."""
    moduli = np.abs(eigenvalues(n, units, x, y))
    return rounded(moduli.max() / moduli.min()) if moduli.min() > resolution(moduli) else None


UNITS_OF_SPECTRA = 4


def spectra(context: Context) -> tuple[DenseSpectrum, ...]:
    """The spectra for n = 1 and n = 2, those of Hessians that are not too large."""
    x, y = context.data.X, context.data.Y
    return tuple(
        dense_spectrum(n, UNITS_OF_SPECTRA, eigenvalues(n, UNITS_OF_SPECTRA, x, y))
        for n in (1, 2)
        if parameters(n, UNITS_OF_SPECTRA, x) <= PARAMETERS
    )


ERROR_UNITS = (10, 100, 1000, 10000)


@dataclass(frozen=True, slots=True)
class ErrorPoint:
    """The error of the entry of H v that comes nearest to its derived bound, and this bound."""

    units: int
    error: float
    bound: float


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """Errors and bounds against depth."""

    n: int
    points: tuple[ErrorPoint, ...]


def error_curves(context: Context) -> tuple[ErrorCurve, ...]:
    """H v of the running network against Theorem 2, and the derived rounding bound, for n = 1 and n = 2."""
    return tuple(_error_curve(n, claim, context) for n, claim in _claims().items())


def _claims() -> dict[int, Claim]:
    """The Hessians of linear networks that Theorem 2 states for n = 1 and n = 2."""
    return {1: first_order_at(), 2: Claim("m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")}


def _error_curve(n: int, claim: Claim, context: Context) -> ErrorCurve:
    unit, width = ResidualUnit(n_shortcut(n)), context.data.X.shape[0]
    points = list[ErrorPoint]()
    for units in (units for units in ERROR_UNITS if n * units * width**3 <= WORK):
        product = hessian_product(partial(running_network, unit, units))
        found = near_product(product(context).value, claim)
        points.append(ErrorPoint(units=units, error=rounded(found.value), bound=rounded(found.bound)))
    return ErrorCurve(n=n, points=tuple(points))


NORM_UNITS = (100, 200, 500, 1000, 2000, 5000, 10000)
_FITTED = (random_data(3, 4, 0.5), normalised_data(8))
"""The data sets that networks with small weights fit."""


@dataclass(frozen=True, slots=True)
class NormPoint:
    """The largest |W|_F of a network of so many units, and the bound of Theorem 1."""

    units: int
    norm: float
    bound: float


@dataclass(frozen=True, slots=True)
class NormCurve:
    """Norms against depth for one data set, and the slope of their logarithms; null for a single depth."""

    data: str
    width: int
    samples: int
    rho: float
    slope: float | None
    points: tuple[NormPoint, ...]


def norm_curves(context: Context) -> tuple[NormCurve, ...]:
    """The norms of Theorem 1's networks for each data set that they fit."""
    return tuple(found for make in _FITTED if (found := _norm_curve(make, context)))


def _norm_curve(make: Callable[[Context], Fitted], context: Context) -> NormCurve | None:
    """The largest norms of Theorem 1's networks, built and run; None for data they cannot fit."""
    try:
        x, y, name = make(context)
    except Unsuited:
        return None
    width, samples = x.shape
    depths = [units for units in NORM_UNITS if units * width**2 <= WORK]
    runs = [run(device("cpu").ops, plan(x, y, units)) for units in depths]
    if not runs:
        return None
    norms, rho = [one.largest_norm for one in runs], runs[0].plan.rho
    points = tuple(
        NormPoint(units=units, norm=rounded(norm), bound=rounded(norm_bound(rho, samples, units)))
        for units, norm in zip(depths, norms, strict=True)
    )
    slope = rounded(fitted_slope(depths, norms)[0]) if len(depths) > 1 else None
    return NormCurve(data=name, width=width, samples=samples, rho=rounded(rho), slope=slope, points=points)


_KEPT = 4
"""One in so many points of a curve is kept."""

Curve = tuple[str, str, str]
"""Points in space: all first coordinates with spaces between them, all second ones, all third ones."""


@dataclass(frozen=True, slots=True)
class SpherePath:
    """A path on the sphere past obstacles with caps round them, its length, and its least distance to an obstacle."""

    rho: float
    length: float
    bound: float
    great_arc_length: float
    nearest: float
    path: Curve
    great_arc: Curve
    obstacles: Curve
    circles: tuple[Curve, ...]


def sphere_path(context: Context) -> SpherePath:
    """A path past obstacles, the great arc without them, and the boundaries of their caps."""
    shown = picture_data(context.seed)
    distances = np.linalg.norm(shown.path[:, :, None] - shown.obstacles[:, None, :], axis=0)
    return SpherePath(
        rho=rounded(shown.rho),
        length=rounded(shown.length),
        bound=rounded(shown.bound),
        great_arc_length=rounded(math.acos(float(shown.start @ shown.end))),
        nearest=rounded(float(distances.min())),
        path=_points(shown.path[:, ::2]),
        great_arc=_points(shown.great_arc[:, ::_KEPT]),
        obstacles=_points(shown.obstacles),
        circles=tuple(_points(np.append(one[:, ::_KEPT], one[:, :1], axis=1)) for one in shown.circles),
    )


def _points(points: NDArray[np.float64]) -> Curve:
    first, second, third = (" ".join(f"{value + 0.0:.5f}" for value in row) for row in points)
    return first, second, third


_UNITS_OF_SLICES = 4
FARTHEST = 0.6
"""How far along its lines the loss is followed."""
_STEPS = 25


@dataclass(frozen=True, slots=True)
class LossSlice:
    """The change of the loss along both lines, at equally spaced t from -FARTHEST to FARTHEST, and R |M|."""

    n: int
    units: int
    coefficient: float
    falling: tuple[float, ...]
    rising: tuple[float, ...]

    @property
    def steps(self) -> list[float]:
        """The values of t."""
        return np.linspace(-FARTHEST, FARTHEST, len(self.falling)).tolist()


def loss_slices(context: Context) -> tuple[LossSlice, ...]:
    """The loss along two lines through zero, for n = 1, 2, 3; none where M = 0 and the lines have no direction.

    A line sets the last layer of every unit to -t M / |M| or to t M / |M|, M = (1/m)(X - Y) X^T, and the others to t I.
    The derivative of the loss in V of one linear unit h + V h is M, so with n layers a unit the loss is
    L(0) - R |M| t^n + ... on the first line and L(0) + R |M| t^n + ... on the second.
    """
    x, y = context.data.X, context.data.Y
    slope = (x - y) @ x.T / x.shape[1]
    length = float(np.linalg.norm(slope))
    if length == 0:
        return ()
    return tuple(
        LossSlice(
            n=n,
            units=_UNITS_OF_SLICES,
            coefficient=rounded(_UNITS_OF_SLICES * length),
            falling=_along(n, -slope / length, x, y),
            rising=_along(n, slope / length, x, y),
        )
        for n in (1, 2, 3)
    )


def _along(n: int, last: Any, x: Any, y: Any) -> tuple[float, ...]:
    """The change of the loss of the running network where its last layers are t times `last`."""
    unit = ResidualUnit(n_shortcut(n))
    network = Network(unit, _UNITS_OF_SLICES)
    *others, name = unit.names.values()

    def loss(t: float) -> float:
        layers = {**dict.fromkeys(others, t * np.eye(len(last))), name: t * last}
        return value(
            network, {one: np.broadcast_to(w, (_UNITS_OF_SLICES, *w.shape)) for one, w in layers.items()}, x, y
        )

    start = loss(0.0)
    return tuple(rounded(loss(t) - start) for t in np.linspace(-FARTHEST, FARTHEST, _STEPS).tolist())
