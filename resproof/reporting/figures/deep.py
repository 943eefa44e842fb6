"""Condition numbers up to great depths, from the blocks D and A of the dense Hessian of two units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.spectra.toeplitz import extremes
from resproof.proofs.statement import Context
from resproof.reporting.figures.common import (
    COLOURS,
    MARKERS,
    Caption,
    ReportFigure,
    columns,
    first_components,
    on_components,
    rounded,
)
from resproof.reporting.figures.hessians import two_blocks
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = (*(k * 10**e for e in range(6) for k in (1, 3)), 10**6)


class BoundedDepthPoint(Record):
    """A condition number at one depth, null where it is infinite, and a lower bound of it where there is one."""

    units: int
    value: float | None
    bound: float | None = None


class ConditionNumbers(Record):
    """Condition numbers of the Hessian against depth."""

    n: int
    points: tuple[BoundedDepthPoint, ...]


class DeepConditionNumbers(ConditionNumbers):
    """Condition numbers from the blocks of the Hessian, up to great depths."""

    width: int


def _measured(context: Context) -> tuple[DeepConditionNumbers, ...]:
    x, y = first_components(context)
    return tuple(_curve(n, x, y) for n in (1, 2))


def _curve(n: int, x: Any, y: Any) -> DeepConditionNumbers:
    """Condition numbers at UNITS from the blocks of two units, with GEN-3's lower bound for n = 1."""
    diagonal, below = two_blocks(n, x, y)
    points = tuple(
        BoundedDepthPoint(
            units=units,
            value=_condition_number(diagonal, below, units),
            bound=lower_bound(diagonal, below, units, x, y) if n == 1 else None,
        )
        for units in UNITS
    )
    return DeepConditionNumbers(n=n, width=int(x.shape[0]), points=points)


def _condition_number(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int) -> float | None:
    try:
        found = extremes(diagonal, below, units).condition_number
    except np.linalg.LinAlgError:
        return None
    return None if found is None or math.isinf(found) else rounded(found)


def lower_bound(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int, x: Any, y: Any) -> float | None:
    """The greater of floor(R/2) |A| / |D - A| and, for d >= 2 and R >= 2, R lambda_max(S) / sigma_min(S - T)."""
    s, m = x @ x.T, (x - y) @ x.T
    greatest, singular = float(np.linalg.norm(s, 2)), np.linalg.svd(m)[1]
    pairs = [(units // 2 * float(np.linalg.norm(below, 2)), float(np.linalg.norm(diagonal - below, 2)))]
    if len(x) >= 2 and units >= 2:
        pairs.append((units * greatest, float(singular[-1])))
    least = len(diagonal) * float(np.finfo(float).eps) * max(greatest, float(np.linalg.norm(diagonal, 2)))
    found = [top / under for top, under in pairs if under > least]
    return rounded(max(found)) if any(found) else None


def values(one: ConditionNumbers) -> list[tuple[int, float]]:
    """The depths at which it is finite, and it."""
    return [(p.units, p.value) for p in one.points if p.value is not None]


def any_values(found: Sequence[ConditionNumbers]) -> bool:
    """Whether there is anything to draw."""
    return any(map(values, found))


def draw(figure: Figure, found: Sequence[ConditionNumbers], bound: str = "lower bound") -> Axes:
    """Condition numbers against depth, and below them in dashes their bounds."""
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="condition number of the Hessian")
    for one in found:
        bounds = [(p.units, p.bound) for p in one.points if p.value is not None and p.bound is not None]
        if points := values(one):
            axes.plot(*columns(points), color=COLOURS[one.n], marker=MARKERS[one.n], label=f"$n = {one.n}$")
        if bounds:
            axes.plot(*columns(bounds), "--", color=COLOURS[one.n], label=f"$n = {one.n}$, {bound}")
    axes.legend(frameon=False)
    return axes


def _draw(figure: Figure, found: Sequence[DeepConditionNumbers]) -> None:
    _ = draw(figure, found)


def _caption(found: Sequence[DeepConditionNumbers], results: Results) -> Caption:
    return Caption(
        "Condition number up to great depth",
        "At shortcut depth 1 the condition number stays above the lower bound of GEN-3, which grows like $R$; "
        "at shortcut depth 2 it does not change.",
        _sentence(found),
        f"Linear networks on {on_components(results, found[0].width)}: extreme eigenvalues from the blocks of the "
        "Hessian of two units, by counting.",
    )


def _sentence(found: Sequence[DeepConditionNumbers]) -> str:
    told, margins = [], []
    for one in found:
        margins += [p.value / p.bound for p in one.points if p.value is not None and p.bound is not None]
        if there := values(one):
            (first, before), (last, after) = there[0], there[-1]
            told.append(f"n = {one.n}: {number(before)} at R = {number(first)}, {number(after)} at R = {number(last)}")
    least = f"; at least {number(min(margins))} times the bound" if margins else ""
    return f"{'; '.join(told)}{least}."


FIGURE = ReportFigure("deep.svg", "beyond", (6.0, 3.4), _measured, _draw, _caption, any_values)
