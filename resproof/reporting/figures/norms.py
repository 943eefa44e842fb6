"""The largest norm of a weight in the networks of Theorem 1, which are built and run, and the bound on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from resproof.numeric.backend import device
from resproof.proofs.demystifying_resnet.moving_network import fitted_slope, norm_bound, plan, run
from resproof.proofs.demystifying_resnet.theorem1 import Fitted, normalised_data, random_data
from resproof.proofs.formulas import literal
from resproof.proofs.statement import Context, Unsuited
from resproof.reporting.figures.common import WORK, Caption, ReportFigure, columns, rounded
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = (100, 200, 500, 1000, 2000, 5000, 10000)
_FITTED = (random_data(3, 4, 0.5), normalised_data(8))
"""The data sets that networks with small weights fit."""
_DATA_SETS = (("#009e73", "^"), ("#cc79a7", "D"))


class NormPoint(Record):
    """The largest |W|_F of a network of so many units, and the bound of Theorem 1."""

    units: int
    norm: float
    bound: float


class NormCurve(Record):
    """Norms against depth for one data set, and the slope of their logarithms; null for a single depth."""

    data: str
    width: int
    samples: int
    rho: float
    slope: float | None
    points: tuple[NormPoint, ...]


def _measured(context: Context) -> tuple[NormCurve, ...]:
    return tuple(found for make in _FITTED if (found := _curve(make, context)))


def _curve(make: Callable[[Context], Fitted], context: Context) -> NormCurve | None:
    """The largest norms of Theorem 1's networks, built and run; None for data they cannot fit."""
    try:
        x, y, name = make(context)
    except Unsuited:
        return None
    width, samples = x.shape
    depths = [units for units in UNITS if units * width**2 <= WORK]
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


def _draw(figure: Figure, found: Sequence[NormCurve]) -> None:
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="largest $\\|W\\|_F$")
    for one, (colour, marker) in zip(found, _DATA_SETS, strict=False):
        sizes = f"$d = {one.width}$, $m = {one.samples}$"
        bounds, norms = [(p.units, p.bound) for p in one.points], [(p.units, p.norm) for p in one.points]
        axes.plot(*columns(bounds), "--", color=colour, label=f"{sizes}, bound")
        axes.plot(*columns(norms), color=colour, marker=marker, label=f"{sizes}, measured")
    for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        axis(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "125" else "")
    _slope_triangle(axes, [(p.units, p.norm) for one in found for p in one.points])
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _slope_triangle(axes: Any, points: Sequence[tuple[float, float]]) -> None:
    """A right triangle whose long side falls like the root, below the points on the left."""
    from matplotlib.patches import Polygon

    left = min(points)[0] * 1.15
    top = 0.5 * min(norm for units, norm in points if units == min(points)[0])
    right, bottom = left * 4, top / 2
    axes.add_patch(
        Polygon([(left, top), (right, bottom), (left, bottom)], closed=True, fill=False, edgecolor="#444444")
    )
    axes.text(left, bottom * 0.94, "slope \u22121/2", ha="left", va="top", color="#444444")


def _caption(found: Sequence[NormCurve], _: Results) -> Caption:
    return Caption(
        "Small weights",
        "The largest norm of a weight matrix in the network of Theorem 1 falls like $R^{-1/2}$ and stays below the "
        "bound.",
        f"{'; '.join(map(_fitted, found))}.",
        f"Networks built and run through all their units: "
        f"{'; '.join(f'{literal(one.data)} ($d = {one.width}$, $m = {one.samples}$)' for one in found)}.",
    )


def _fitted(one: NormCurve) -> str:
    ratio = max(p.norm / p.bound for p in one.points)
    slope = "" if one.slope is None else f"slope {one.slope:.3f}, "
    sizes = rf"d = {one.width}, m = {one.samples}, $`\rho`$ = {number(one.rho)}"
    return f"{sizes}: {slope}at most {number(ratio)} of the bound"


FIGURE = ReportFigure("norms.svg", "demystifying-resnet", (6.6, 3.6), _measured, _draw, _caption)
