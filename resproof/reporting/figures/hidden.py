"""Condition numbers of the hidden representations of random linear layers, against depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.rethinking_skips.joint_evidence import inputs
from resproof.proofs.rethinking_skips.lyapunov_gaps import expected_rate
from resproof.proofs.rethinking_skips.random_layers import LayerKind, gaussian_layers, worst_layers
from resproof.proofs.rethinking_skips.rescaled import log_conditions
from resproof.proofs.statement import Context, Unsuited
from resproof.reporting.figures.common import NETWORKS, Caption, ReportFigure, columns, on_components, rounded
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

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
_KINDS = {
    "plain": ("plain", NETWORKS["PlainNet"], "o"),
    "residual": ("residual", NETWORKS["ResNet"], "s"),
    "resnext": ("ResNeXt, 4 paths", NETWORKS["ResNeXt"], "^"),
}
_SCALE_MARKERS = {0.1: "^", 0.03: "v"}
"""Scales of weights that share a colour."""


class HiddenPoint(Record):
    """log10 of the condition number of the hidden representations after so many layers, measured and predicted."""

    depth: int
    measured: float
    predicted: float


class HiddenCurve(Record):
    """Hidden representations against depth for one kind of layer; its weights' scale, null where they are of order 1/L.

    Measured is at most `band` away from L times the rate that is predicted; with weights of order 1/L it is the bound
    that is predicted.
    """

    kind: LayerKind
    scale: float | None
    width: int
    band: float
    points: tuple[HiddenPoint, ...]


def _measured(context: Context) -> tuple[HiddenCurve, ...]:
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


def _draw(figure: Figure, found: Sequence[HiddenCurve]) -> None:
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="layers $L$", ylabel="$\\log_{10}\\ \\kappa(H^L)$")
    for one in found:
        name, colour, marker = _KINDS[one.kind]
        # Rings, so that what coincides with them stays visible.
        ring = one.kind == "plain"
        scale = "any $s$" if ring else "$|W| = 1/L$" if one.scale is None else f"$s = {one.scale:g}$"
        measured = [(p.depth, p.measured) for p in one.points if p.measured > 0]
        predicted = [(p.depth, p.predicted) for p in one.points if p.predicted > 0]
        axes.plot(*columns(predicted), "--", color=colour, linewidth=1.0)
        axes.plot(
            *columns(measured),
            linestyle="none",
            color=colour,
            marker="D" if one.scale is None else _SCALE_MARKERS.get(one.scale, marker),
            markersize=10.0 if ring else 4.5,
            markerfacecolor="none" if ring else colour if one.scale == 1.0 else "white",
            label=f"{name}, {scale}",
        )
    axes.plot([], [], "--", color="#444444", linewidth=1.0, label="predicted; bound")
    figure.legend(frameon=False, fontsize=7.5, loc="outside lower center", ncols=3)


def _caption(found: Sequence[HiddenCurve], results: Results) -> Caption:
    return Caption(
        "Condition number of hidden representations",
        "In a product of independent random layers the condition number grows exponentially, in a plain network at "
        "a rate that the scale $s$ of the weights does not change; in a residual one more slowly for smaller $s$; "
        "weights of order $1/L$ keep it below a bound that does not depend on depth (RS-R2). The axis upwards has "
        "the logarithm of its logarithm: exponential growth is a line of slope one. The rate is that of great depth: "
        "in few layers and at small $s$ random fluctuations outweigh it.",
        _sentence(found),
        f"Linear layers $W$ or $I + W$ with independent $N(0, 2 s^2/d)$ entries on "
        f"{on_components(results, found[0].width)}, seed {results.seed}: markers measured from "
        "rescaled products, dashed lines $L$ times the rate, or the bound.",
    )


def _sentence(found: Sequence[HiddenCurve]) -> str:
    told = []
    for one in found:
        last = one.points[-1]
        if one.scale is None:
            told.append(
                rf"{one.kind}, $`\lvert W\rvert`$ = 1/L: {number(10**last.measured)} at L = {number(last.depth)}"
            )
        else:
            rate = number(last.measured / last.depth)
            told.append(f"{one.kind}, s = {one.scale:g}: {rate} decades a layer up to L = {number(last.depth)}")
    share = max(abs(one.points[-1].measured - one.points[-1].predicted) / one.points[-1].predicted for one in found)
    off = f"There the logarithms differ from the predicted ones by at most {number(100 * share)} per cent."
    return f"{'; '.join(told)}. {off}"


FIGURE = ReportFigure("hidden.svg", "rethinking-skip-connections", (6.0, 4.6), _measured, _draw, _caption)
