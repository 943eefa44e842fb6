"""What the figures show, computed: block structure, condition numbers against depth, spectra, errors and their bounds.

The block structure is exact. Everything else is measured. Dense Hessians are those of the running linear network with
the context's data: its products H v with all unit vectors v, taken through all R units. Condition numbers at great
depth need the blocks D and A of such a Hessian of two units only. The networks of Theorem 1 are built and run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from architectures.catalogue import n_shortcut
from architectures.networks import Network, ResidualUnit
from numeric.backend import device
from numeric.network.adjoint import hvp
from numeric.network.parameters import flatten, initial_weights, unflatten
from numeric.spectra.toeplitz import extremes
from proofs.demystifying_resnet.moving_network import fitted_slope, norm_bound, plan, run
from proofs.demystifying_resnet.theorem1 import Fitted, normalised_data, picture_data, random_data
from proofs.demystifying_resnet.theorem2_at_depth import first_order_at
from proofs.rethinking_skips.joint_evidence import inputs
from proofs.rethinking_skips.lyapunov_gaps import expected_rate
from proofs.rethinking_skips.random_layers import LayerKind, gaussian_layers, worst_layers
from proofs.rethinking_skips.rescaled import log_conditions
from proofs.routes.hessians import Claim
from proofs.routes.running_network import hessian_product, near_product, on_data
from proofs.statement import Context, Unsuited
from reports.schema import (
    Blocks,
    BoundedDepthPoint,
    ConditionNumbers,
    Curve,
    DeepConditionNumbers,
    DenseSpectrum,
    DepthPoint,
    ErrorCurve,
    ErrorPoint,
    Figures,
    HiddenCurve,
    HiddenPoint,
    MeasuredEigenvalue,
    NormCurve,
    NormPoint,
    SpectrumGrowth,
    SpherePath,
)
from symbolic.written.explicit import Instance, hessian_at_initial_point

BLOCK_UNITS = 3
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
"""Depths at which condition numbers are taken, while the Hessian has at most PARAMETERS rows."""
PARAMETERS = 1600
SPECTRUM_UNITS = 4
ERROR_UNITS = (10, 100, 1000, 10000)
_WORK = 2e7
"""At most this many n R d^3, what the digits take at R = 10^4: a linear network sees d columns."""
NORM_UNITS = (100, 200, 500, 1000, 2000, 5000, 10000)
_FITTED = (random_data(3, 4, 0.5), normalised_data(8))
"""The data sets that networks with small weights fit."""
DEEP_UNITS = (*(k * 10**e for e in range(6) for k in (1, 3)), 10**6)
GROWTH_UNITS = (1, 2, 4, 8, 16)
COMPONENTS = 3
"""How many components of the data the Hessians at DEEP_UNITS and GROWTH_UNITS are of."""
HIDDEN_DEPTHS = (*(k * 10**e for e in range(5) for k in (1, 3)), 10**5)
BOUNDED_DEPTH = 10**4
"""Layers of order 1/L differ with L, so that every depth takes a product of its own."""
_HIDDEN: tuple[tuple[LayerKind, float], ...] = (
    ("plain", 1.0),
    ("residual", 0.3),
    ("residual", 0.1),
    ("residual", 0.03),
)
"""Kinds of layers and the scale of their weights, 1 being He's initialisation; plain layers grow alike at any scale."""
_EVERY = 4
"""One in so many points of a curve is kept."""
_CLAIMS = {1: first_order_at(), 2: Claim("m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")}
"""The Hessians of linear networks that Theorem 2 states for n = 1 and n = 2."""
_BATCH = 200

_X = ((Fraction(1), Fraction(2)), (Fraction(-1), Fraction(3, 2)))
_Y = ((Fraction(1, 2), Fraction(-1)), (Fraction(1), Fraction(3)))


def no_figures(context: Context) -> Figures:
    """For statements that are not those of the papers, which the figures are about."""
    width, samples = context.data.X.shape
    return Figures(width=int(width), samples=int(samples), blocks=(), condition_numbers=(), spectra=(), errors=())


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
        norms=tuple(found for make in _FITTED if (found := _norms(make, context))),
        sphere=_sphere(context.seed),
        deep_condition_numbers=tuple(_deep(n, data.X[:COMPONENTS], data.Y[:COMPONENTS]) for n in (1, 2)),
        growth=_growth(data.X[:COMPONENTS], data.Y[:COMPONENTS]),
        hidden=_hidden(context),
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


def _spectrum(n: int, x: Any, y: Any) -> DenseSpectrum | None:
    """The eigenvalues at R = SPECTRUM_UNITS; those closer than rounding resolves are counted as one."""
    if SPECTRUM_UNITS * n * x.shape[0] ** 2 > PARAMETERS:
        return None
    return _grouped(n, SPECTRUM_UNITS, _eigenvalues(n, SPECTRUM_UNITS, x, y))


def _grouped(n: int, units: int, values: NDArray[np.float64]) -> DenseSpectrum:
    groups = np.split(values, np.flatnonzero(np.diff(values) > _resolution(values)) + 1)
    found = tuple(MeasuredEigenvalue(value=_rounded(group.mean()), multiplicity=len(group)) for group in groups)
    return DenseSpectrum(n=n, units=units, values=found)


def _resolution(values: NDArray[np.float64]) -> float:
    """Eigenvalues of a symmetric matrix of order p are found within about p eps |H|."""
    return len(values) * float(np.finfo(float).eps) * float(np.abs(values).max())


def _eigenvalues(n: int, units: int, x: Any, y: Any) -> NDArray[np.float64]:
    """Of the linear network's dense Hessian at zero, ascending."""
    return np.asarray(np.linalg.eigvalsh(_hessian(n, units, x, y)), dtype=np.float64)


def _hessian(n: int, units: int, x: Any, y: Any) -> NDArray[np.float64]:
    """The linear network's dense Hessian at zero."""
    unit, sizes = ResidualUnit(n_shortcut(n)), {"d": int(x.shape[0]), "m": int(x.shape[1])}
    network, count = Network(unit, units), units * n * sizes["d"] ** 2
    weights = initial_weights(unit, units, sizes, device("cpu").ops)
    hessian = np.concatenate(
        [
            flatten(unit, hvp(network, weights, unflatten(unit, vectors, units, sizes), x, y))
            for vectors in _unit_vectors(count)
        ]
    )
    return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)


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


def _norms(make: Callable[[Context], Fitted], context: Context) -> NormCurve | None:
    """The largest norms of Theorem 1's networks, built and run; None for data they cannot fit."""
    try:
        x, y, name = make(context)
    except Unsuited:
        return None
    width, samples = x.shape
    depths = [units for units in NORM_UNITS if units * width**2 <= _WORK]
    runs = [run(device("cpu").ops, plan(x, y, units)) for units in depths]
    if not runs:
        return None
    norms, rho = [one.largest_norm for one in runs], runs[0].plan.rho
    points = tuple(
        NormPoint(units=units, norm=_rounded(norm), bound=_rounded(norm_bound(rho, samples, units)))
        for units, norm in zip(depths, norms, strict=True)
    )
    slope = _rounded(fitted_slope(depths, norms)[0]) if len(depths) > 1 else None
    return NormCurve(data=name, width=width, samples=samples, rho=_rounded(rho), slope=slope, points=points)


def _sphere(seed: int) -> SpherePath:
    """A path past obstacles for d = 3, the great arc without them, and the boundaries of their caps."""
    shown = picture_data(seed)
    distances = np.linalg.norm(shown.path[:, :, None] - shown.obstacles[:, None, :], axis=0)
    return SpherePath(
        rho=_rounded(shown.rho),
        length=_rounded(shown.length),
        bound=_rounded(shown.bound),
        great_arc_length=_rounded(math.acos(float(shown.start @ shown.end))),
        nearest=_rounded(float(distances.min())),
        path=_curve(shown.path[:, ::2]),
        great_arc=_curve(shown.great_arc[:, ::_EVERY]),
        obstacles=_curve(shown.obstacles),
        circles=tuple(_curve(np.append(one[:, ::_EVERY], one[:, :1], axis=1)) for one in shown.circles),
    )


def _curve(points: NDArray[np.float64]) -> Curve:
    first, second, third = (" ".join(f"{value + 0.0:.5f}" for value in row) for row in points)
    return first, second, third


def _deep(n: int, x: Any, y: Any) -> DeepConditionNumbers:
    """Condition numbers at DEEP_UNITS from the blocks of two units, with GEN-3's lower bound for n = 1."""
    diagonal, below = _two_blocks(n, x, y)
    points = tuple(
        BoundedDepthPoint(
            units=units,
            value=_deep_condition_number(diagonal, below, units),
            bound=_lower_bound(diagonal, below, units, x, y) if n == 1 else None,
        )
        for units in DEEP_UNITS
    )
    return DeepConditionNumbers(n=n, width=int(x.shape[0]), points=points)


def _two_blocks(n: int, x: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """D and A, from the dense Hessian of two units."""
    hessian = _hessian(n, 2, x, y)
    size = len(hessian) // 2
    return hessian[:size, :size], hessian[size:, :size]


def _deep_condition_number(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int) -> float | None:
    try:
        found = extremes(diagonal, below, units).condition_number
    except np.linalg.LinAlgError:
        return None
    return None if found is None or math.isinf(found) else _rounded(found)


def _lower_bound(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int, x: Any, y: Any) -> float | None:
    """The greater of floor(R/2) |A| / |D - A| and, for d >= 2 and R >= 2, R lambda_max(S) / sigma_min(S - T)."""
    s, m = x @ x.T, (x - y) @ x.T
    greatest, singular = float(np.linalg.norm(s, 2)), np.linalg.svd(m)[1]
    pairs = [(units // 2 * float(np.linalg.norm(below, 2)), float(np.linalg.norm(diagonal - below, 2)))]
    if len(x) >= 2 and units >= 2:
        pairs.append((units * greatest, float(singular[-1])))
    least = len(diagonal) * float(np.finfo(float).eps) * max(greatest, float(np.linalg.norm(diagonal, 2)))
    found = [top / under for top, under in pairs if under > least]
    return _rounded(max(found)) if any(found) else None


def _growth(x: Any, y: Any) -> SpectrumGrowth | None:
    """The spectra for n = 1 at GROWTH_UNITS; None where they are all zero."""
    diagonal, below = _two_blocks(1, x, y)
    edge = float(np.linalg.norm(diagonal - below, 2))
    depths = [units for units in GROWTH_UNITS if units * len(diagonal) <= PARAMETERS]
    values = [_eigenvalues(1, units, x, y) for units in depths]
    if not any(each.any() for each in values):
        return None
    shares = tuple(_rounded(float(np.mean(np.abs(each) <= edge + _resolution(each)))) for each in values)
    spectra = tuple(_grouped(1, units, each) for units, each in zip(depths, values, strict=True))
    return SpectrumGrowth(width=int(x.shape[0]), edge=_rounded(edge), shares=shares, spectra=spectra)


def _hidden(context: Context) -> tuple[HiddenCurve, ...]:
    """Condition numbers of the hidden representations; none for data without full row rank."""
    try:
        x = inputs(context)
    except Unsuited:
        return ()
    drawn = [_hidden_curve(kind, scale, x, context.seed) for kind, scale in _HIDDEN]
    return (*drawn, _hidden_bounded(x))


def _hidden_curve(kind: LayerKind, scale: float, x: NDArray[np.float64], seed: int) -> HiddenCurve:
    """Independent Gaussian layers, and L times the rate of RS-LG."""
    width, depth, tenth = len(x), HIDDEN_DEPTHS[-1], math.log(10.0)
    shortcut = kind == "residual"
    rate, bound, _ = expected_rate(width, depth, scale, shortcut=shortcut)
    layers = gaussian_layers(depth, width, seed, scale=scale, shortcut=shortcut)
    points = tuple(
        HiddenPoint(
            depth=one.depth, measured=_rounded(one.log_condition / tenth), predicted=_rounded(one.depth * rate / tenth)
        )
        for one in log_conditions(layers, x, HIDDEN_DEPTHS)
    )
    return HiddenCurve(kind=kind, scale=scale, width=width, band=_rounded(depth * bound / tenth), points=points)


def _hidden_bounded(x: NDArray[np.float64]) -> HiddenCurve:
    """Residual layers with W = diag(1, -1, ...)/L and the logarithm of ((1 + 1/L)/(1 - 1/L))^L."""
    points = list[HiddenPoint]()
    for depth in (depth for depth in HIDDEN_DEPTHS if 3 <= depth <= BOUNDED_DEPTH):
        (found,) = log_conditions(worst_layers(depth, len(x), 1.0 / depth), x, [depth])
        bound = depth * (math.log1p(1.0 / depth) - math.log1p(-1.0 / depth))
        tenth = math.log(10.0)
        point = (found.log_condition / tenth, bound / tenth)
        points.append(HiddenPoint(depth=depth, measured=_rounded(point[0]), predicted=_rounded(point[1])))
    band = _rounded(math.log10(float(np.linalg.cond(x))))
    return HiddenCurve(kind="residual", scale=None, width=len(x), band=band, points=tuple(points))


def _rounded(value: float) -> float:
    """Six digits: more than a figure shows."""
    return float(f"{value:.6g}")
