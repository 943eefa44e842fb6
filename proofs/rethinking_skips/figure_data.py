"""The numbers of the figure of hidden representations: condition numbers of products of random layers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.block.dense_hessians import rounded
from resproof.proofs.rethinking_skips.joint_evidence import inputs
from resproof.proofs.rethinking_skips.lyapunov_gaps import expected_rate
from resproof.proofs.rethinking_skips.random_layers import LayerKind, gaussian_layers, worst_layers
from resproof.proofs.rethinking_skips.rescaled import log_conditions
from resproof.proofs.statement import Context, Unsuited

DEPTHS = (*(k * 10**e for e in range(5) for k in (1, 3)), 10**5)
BOUNDED_DEPTH = 10**4
"""Layers of order 1/L differ with L, so that every depth takes a product of its own."""
_DRAWN: tuple[tuple[LayerKind, float], ...] = (
    ("plain", 1.0),
    ("residual", 0.3),
    ("residual", 0.1),
    ("residual", 0.03),
)
"""Kinds of layers and the scale of their weights, 1 being He's initialisation; plain layers grow alike at any scale."""
_TENTH = math.log(10.0)


@dataclass(frozen=True, slots=True)
class HiddenPoint:
    """log10 of the condition number of the hidden representations after so many layers, measured and predicted."""

    depth: int
    measured: float
    predicted: float


@dataclass(frozen=True, slots=True)
class HiddenCurve:
    """Hidden representations against depth for one kind of layer; its weights' scale, null where they are of order 1/L.

    Measured is at most `band` away from L times the rate that is predicted; with weights of order 1/L it is the bound
    that is predicted.
    """

    kind: LayerKind
    scale: float | None
    width: int
    band: float
    points: tuple[HiddenPoint, ...]


def hidden_curves(context: Context) -> tuple[HiddenCurve, ...]:
    """Condition numbers of the hidden representations; none for data without full row rank."""
    try:
        x = inputs(context)
    except Unsuited:
        return ()
    return (*(_curve(kind, scale, x, context.seed) for kind, scale in _DRAWN), _bounded(x))


def _point(depth: int, measured: float, predicted: float) -> HiddenPoint:
    """From natural logarithms."""
    return HiddenPoint(depth=depth, measured=rounded(measured / _TENTH), predicted=rounded(predicted / _TENTH))


def _curve(kind: LayerKind, scale: float, x: NDArray[np.float64], seed: int) -> HiddenCurve:
    """Independent Gaussian layers, and L times the rate of RS-LG."""
    width, depth = len(x), DEPTHS[-1]
    shortcut = kind == "residual"
    rate, bound, _ = expected_rate(width, depth, scale, shortcut=shortcut)
    layers = gaussian_layers(depth, width, seed, scale=scale, shortcut=shortcut)
    points = tuple(_point(one.depth, one.log_condition, one.depth * rate) for one in log_conditions(layers, x, DEPTHS))
    return HiddenCurve(kind=kind, scale=scale, width=width, band=rounded(depth * bound / _TENTH), points=points)


def _bounded(x: NDArray[np.float64]) -> HiddenCurve:
    """Residual layers with W = diag(1, -1, ...)/L and the logarithm of ((1 + 1/L)/(1 - 1/L))^L."""
    points = list[HiddenPoint]()
    for depth in (depth for depth in DEPTHS if 3 <= depth <= BOUNDED_DEPTH):
        (found,) = log_conditions(worst_layers(depth, len(x), 1.0 / depth), x, [depth])
        points.append(_point(depth, found.log_condition, depth * (math.log1p(1.0 / depth) - math.log1p(-1.0 / depth))))
    band = rounded(math.log10(float(np.linalg.cond(x))))
    return HiddenCurve(kind="residual", scale=None, width=len(x), band=band, points=tuple(points))
