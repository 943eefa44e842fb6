"""The error of the product H v of the running network against Theorem 2, and its derived rounding bound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.theorem2_at_depth import first_order_at
from resproof.proofs.routes.hessians import Claim
from resproof.proofs.routes.running_network import hessian_product, near_product
from resproof.proofs.routes.running_network import on_data as running_network
from resproof.proofs.statement import Context
from resproof.reporting.figures.common import (
    COLOURS,
    MARKERS,
    WORK,
    Caption,
    ReportFigure,
    columns,
    depth_ticks,
    on_data,
    rounded,
)
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = (10, 100, 1000, 10000)


class ErrorPoint(Record):
    """The error of the entry of H v that comes nearest to its derived bound, and this bound."""

    units: int
    error: float
    bound: float


class ErrorCurve(Record):
    """Errors and bounds against depth."""

    n: int
    points: tuple[ErrorPoint, ...]


def _measured(context: Context) -> tuple[ErrorCurve, ...]:
    return tuple(_curve(n, claim, context) for n, claim in _claims().items())


def _claims() -> dict[int, Claim]:
    """The Hessians of linear networks that Theorem 2 states for n = 1 and n = 2."""
    return {1: first_order_at(), 2: Claim("m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")}


def _curve(n: int, claim: Claim, context: Context) -> ErrorCurve:
    unit, width = ResidualUnit(n_shortcut(n)), context.data.X.shape[0]
    points = list[ErrorPoint]()
    for units in (units for units in UNITS if n * units * width**3 <= WORK):
        product = hessian_product(partial(running_network, unit, units))
        found = near_product(product(context).value, claim)
        points.append(ErrorPoint(units=units, error=rounded(found.value), bound=rounded(found.bound)))
    return ErrorCurve(n=n, points=tuple(points))


def _draw(figure: Figure, found: Sequence[ErrorCurve]) -> None:
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="entry of $|Hv - \\mathrm{claim}|$")
    for one in found:
        colour, marker = COLOURS[one.n], MARKERS[one.n]
        bounds = [(p.units, p.bound) for p in one.points if p.bound > 0]
        errors = [(p.units, p.error) for p in one.points if p.error > 0]
        for points, style, what in ((bounds, "--", "bound"), (errors, "-", "measured")):
            if points:
                axes.plot(*columns(points), style, color=colour, marker=marker, label=f"$n = {one.n}$, {what}")
    depth_ticks(axes, sorted({p.units for one in found for p in one.points}))
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _caption(found: Sequence[ErrorCurve], results: Results) -> Caption:
    return Caption(
        "Error against bound",
        "The product $H v$ of the running network agrees with Theorem 2 to within the derived rounding bound, "
        "at every depth tried.",
        f"The error is at most {number(max(_ratios(found)))} times its bound.",
        f"{on_data(results)}: for a random $v$ of norm one, the entry of $H v$ whose error is nearest to its derived "
        "bound.",
    )


def _ratios(found: Sequence[ErrorCurve]) -> list[float]:
    """Every error over its bound, where that is not zero; without any there is nothing to draw."""
    return [p.error / p.bound for one in found for p in one.points if p.bound > 0]


FIGURE = ReportFigure(
    "error.svg", "demystifying-resnet", (6.0, 3.4), _measured, _draw, _caption, lambda found: bool(_ratios(found))
)
