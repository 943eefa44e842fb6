"""Spectra, hidden representations and networks as they grow deeper, and the path of Lemma 2 on the sphere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.beyond.figure_data import SpectrumGrowth
from resproof.proofs.demystifying_resnet.figure_data import Curve, NormCurve, SpherePath
from resproof.proofs.formulas import literal
from resproof.proofs.rethinking_skips.figure_data import HiddenCurve
from resproof.reporting.figures.common import Caption, ReportFigure, on_components
from resproof.reporting.figures.panels import (
    COLOURS,
    INK,
    NETWORKS,
    RIGHT,
    Area,
    Line,
    Panel,
    Picture,
    Words,
    told_once,
)
from resproof.reporting.markdown import number
from resproof.reporting.schema import Results

_DEEPER = ("#f7cfb2", "#ee9a5c", "#d55e00", "#933f00", "#421b00")
"""The colour of n = 1, darker for more units."""
_TILT = 0.5
"""How far above the plane of the great arc the eye stands, as a tangent."""


def _growth(growth: SpectrumGrowth) -> Picture:
    edge, deepest = growth.edge, len(growth.spectra) - 1
    lines = [
        Line(
            x=np.repeat(np.linspace(0, 1, len(one.listed) + 1), 2)[1:-1],
            y=np.repeat(one.listed, 2),
            label=f"$R = {one.units}$",
            color=_DEEPER[place * (len(_DEEPER) - 1) // max(deepest, 1)],
        )
        for place, one in enumerate(growth.spectra)
    ]
    below = Area(x=[0, 1, 1, 0], y=[-edge, -edge, edge, edge], color="#e8eef4", label=r"$|\lambda| \leq |D - A|$")
    axes: dict[str, Any] = {
        "xlabel": "share of the eigenvalues",
        "ylabel": "eigenvalue",
        "xlim": (0, 1),
        "yscale": "symlog",
    }
    return Picture((6.0, 3.6), [Panel([*reversed(lines), below], axes, RIGHT)])


def _growth_caption(growth: SpectrumGrowth, results: Results) -> Caption:
    last = growth.spectra[-1]
    greatest = max(abs(each.value) for each in last.values)
    return Caption(
        "Eigenvalues as the network grows deeper",
        r"At shortcut depth 1 some eigenvalues grow like $R$, while most are seen to stay below $\lvert D - A\rvert$ "
        r"in modulus; GEN-3 proves that of $p \lfloor R/2\rfloor$ of the $p R$, which are no more than half.",
        f"At R = {last.units} the greatest modulus is {number(greatest)}, and {number(100 * growth.shares[-1])} "
        rf"% of the moduli are at most $`\lvert D - A\rvert`$ = {number(growth.edge)}.",
        f"Linear networks on {on_components(results, growth.width)}, $n = 1$: eigenvalues of the dense Hessian in "
        "ascending order.",
    )


def _hidden(found: Sequence[HiddenCurve]) -> Picture:
    lines = [line for one in found for line in _curve(one)]
    axes: dict[str, Any] = {
        "xscale": "log",
        "yscale": "log",
        "xlabel": "layers $L$",
        "ylabel": r"$\log_{10}\ \kappa(H^L)$",
    }
    return Picture((6.0, 4.6), [Panel(told_once(lines), axes)], below=3)


def _curve(one: HiddenCurve) -> list[Line]:
    """What was measured, and in dashes what is predicted; rings, so that what coincides with them stays visible."""
    plain = one.kind == "plain"
    color, name = NETWORKS["PlainNet" if plain else "ResNet"], "plain" if plain else "residual"
    scale = "any $s$" if plain else "$|W| = 1/L$" if one.scale is None else f"$s = {one.scale:g}$"
    depths = [p.depth for p in one.points]
    measured, expected = (
        [value if value > 0 else np.nan for value in values]
        for values in zip(*((p.measured, p.predicted) for p in one.points), strict=True)
    )
    marker = "o" if plain else {None: "D", 0.1: "^", 0.03: "v"}.get(one.scale, "s")
    size = 10.0 if plain else 4.5
    return [
        Line(x=depths, y=expected, label="predicted; bound", color=color, dash="--", width=1.0),
        Line(
            x=depths, y=measured, label=f"{name}, {scale}", color=color, dash="", marker=marker, size=size, hollow=True
        ),
    ]


def _hidden_caption(found: Sequence[HiddenCurve], results: Results) -> Caption:
    share = max(abs(one.points[-1].measured - one.points[-1].predicted) / one.points[-1].predicted for one in found)
    off = f"There the logarithms differ from the predicted ones by at most {number(100 * share)} per cent."
    return Caption(
        "Condition number of hidden representations",
        "In a product of independent random layers the condition number grows exponentially, in a plain network at "
        "a rate that the scale $s$ of the weights does not change; in a residual one more slowly for smaller $s$; "
        "weights of order $1/L$ keep it below a bound that does not depend on depth (RS-R2). The axis upwards has "
        "the logarithm of its logarithm: exponential growth is a line of slope one. The rate is that of great depth: "
        "in few layers and at small $s$ random fluctuations outweigh it.",
        f"{'; '.join(map(_reached, found))}. {off}",
        f"Linear layers $W$ or $I + W$ with independent $N(0, 2 s^2/d)$ entries on "
        f"{on_components(results, found[0].width)}, seed {results.seed}: markers measured from "
        "rescaled products, dashed lines $L$ times the rate, or the bound.",
    )


def _reached(one: HiddenCurve) -> str:
    """How far it goes, or how fast."""
    last = one.points[-1]
    if one.scale is None:
        return rf"{one.kind}, $`\lvert W\rvert`$ = 1/L: {number(10**last.measured)} at L = {number(last.depth)}"
    rate = number(last.measured / last.depth)
    return f"{one.kind}, s = {one.scale:g}: {rate} decades a layer up to L = {number(last.depth)}"


def _norms(found: Sequence[NormCurve]) -> Picture:
    lines = list[Line]()
    for one, (color, marker) in zip(found, (("#009e73", "^"), ("#cc79a7", "D")), strict=False):
        units, sizes = [p.units for p in one.points], f"$d = {one.width}$, $m = {one.samples}$"
        bounds, norms = [p.bound for p in one.points], [p.norm for p in one.points]
        lines.append(Line(x=units, y=bounds, color=color, dash="--", label=f"{sizes}, bound"))
        lines.append(Line(x=units, y=norms, color=color, marker=marker, label=f"{sizes}, measured"))
    left, lowest = 1.15 * found[0].points[0].units, 0.5 * min(one.points[0].norm for one in found)
    slope = Area(x=[left, 4 * left, left], y=[lowest, lowest / 2, lowest / 2], edge=INK, width=1.0)
    words = Words(2 * left, 0.42 * lowest, "slope \N{MINUS SIGN}1/2", INK)
    axes: dict[str, Any] = {"xscale": "log", "yscale": "log", "xlabel": "units $R$", "ylabel": "largest $\\|W\\|_F$"}
    return Picture((6.6, 3.6), [Panel([*lines, slope, words], axes, RIGHT)])


def _norms_caption(found: Sequence[NormCurve], _: Results) -> Caption:
    sets = "; ".join(f"{literal(one.data)} ($d = {one.width}$, $m = {one.samples}$)" for one in found)
    return Caption(
        "Small weights",
        "The largest norm of a weight matrix in the network of Theorem 1 falls like $R^{-1/2}$ and stays below the "
        "bound.",
        f"{'; '.join(map(_fitted, found))}.",
        f"Networks built and run through all their units: {sets}.",
    )


def _fitted(one: NormCurve) -> str:
    ratio = max(p.norm / p.bound for p in one.points)
    slope = "" if one.slope is None else f"slope {one.slope:.3f}, "
    sizes = rf"d = {one.width}, m = {one.samples}, $`\rho`$ = {number(one.rho)}"
    return f"{sizes}: {slope}at most {number(ratio)} of the bound"


def _points(curve: Curve) -> NDArray[np.float64]:
    """One point a column."""
    return np.array([[float(value) for value in row.split()] for row in curve])


def _sphere(sphere: SpherePath) -> Picture:
    """Seen along a line, from slightly above the great arc's middle; what is behind is left out."""
    frame = _frame(_points(sphere.great_arc).T)
    arc, path = (frame @ _points(curve) for curve in (sphere.great_arc, sphere.path))
    turn = np.linspace(0, 2 * np.pi, 200)
    marks: list[Line | Area | Words] = [Area(x=np.cos(turn), y=np.sin(turn), color="#f5f5f5", edge="#888888")]
    for circle in sphere.circles:
        x, y, depth = frame @ _points(circle)
        if depth.max() > 0:  # what is behind the rim is moved to it
            rim = np.where(depth < 0, np.hypot(x, y), 1.0)
            style: dict[str, Any] = {"color": "#c5dcee", "edge": COLOURS[2], "label": "other columns, caps"}
            marks.append(Area(x=x / rim, y=y / rim, **style))
    across, up, depth = frame @ _points(sphere.obstacles)
    centres = Line(x=across[depth > 0], y=up[depth > 0], color=COLOURS[2], dash="", marker=".", size=4.0)
    lines = [
        Line(x=arc[0], y=np.where(arc[2] >= 0, arc[1], np.nan), dash="--", width=1.1, label="great arc"),
        Line(x=path[0], y=np.where(path[2] >= 0, path[1], np.nan), color=COLOURS[1], width=2.0, label="path"),
        Line(x=path[0, [0, -1]], y=path[1, [0, -1]], color="black", dash="", marker="o", size=5.0, order=4.0),
    ]
    ends = [
        Words(path[0, k] + side, path[1, k] + 0.09, f"${name}$", size=12.0)
        for k, name, side in ((0, "x", -0.02), (-1, "y", 0.02))
    ]
    axes: dict[str, Any] = {"xlim": (-1.03, 1.03), "ylim": (-1.03, 1.03), "aspect": "equal"}
    return Picture((6.8, 3.9), [Panel([*marks, centres, *lines, *ends], axes, RIGHT, bare=True)])


def _frame(arc: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows to the right, upwards and towards the eye, with the arc's ends to the left and right."""
    across = arc[-1] - arc[0]
    across /= np.linalg.norm(across)
    middle = arc[len(arc) // 2] - (arc[len(arc) // 2] @ across) * across
    middle /= np.linalg.norm(middle)
    eye = middle + _TILT * np.cross(middle, across)
    eye /= np.linalg.norm(eye)
    return np.array([across, np.cross(eye, across), eye])


def _sphere_caption(sphere: SpherePath, results: Results) -> Caption:
    return Caption(
        "A path past the other columns",
        "The path of Lemma 2 follows the great arc and makes a detour round each cap in its way.",
        f"The path is {number(sphere.length)} long, the great arc {number(sphere.great_arc_length)}, the bound of "
        f"Lemma 2 is {number(sphere.bound)}; the distance to the other columns is at least {number(sphere.nearest)}, "
        rf"and $`\rho/2`$ = {number(sphere.rho / 2)}.",
        f"One column moving from $x$ to $y$ past random others, $d = 3$, $m = {len(sphere.circles) + 1}$, "
        rf"seed {results.seed}; caps are wider than $\rho/2$ by the factor $1 + \rho^2/128$.",
    )


GROWTH = ReportFigure("growth.svg", "beyond", _growth, _growth_caption)
HIDDEN = ReportFigure("hidden.svg", "rethinking-skip-connections", _hidden, _hidden_caption)
NORMS = ReportFigure("norms.svg", "demystifying-resnet", _norms, _norms_caption)
SPHERE = ReportFigure("sphere.svg", "demystifying-resnet", _sphere, _sphere_caption)
