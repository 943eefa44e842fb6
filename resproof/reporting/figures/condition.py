"""Condition numbers of the dense Hessian against depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.statement import Context
from resproof.reporting.figures.common import Caption, ReportFigure, depth_ticks, on_data, rounded
from resproof.reporting.figures.deep import BoundedDepthPoint, ConditionNumbers, any_values, draw, lower_bound, values
from resproof.reporting.figures.hessians import PARAMETERS, eigenvalues, parameters, resolution, two_blocks
from resproof.reporting.markdown import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
"""Depths at which condition numbers are taken, while the Hessian has at most n times PARAMETERS rows; powers of two
for n = 2, where they do not change."""


def _measured(context: Context) -> tuple[ConditionNumbers, ...]:
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


def _draw(figure: Figure, found: Sequence[ConditionNumbers]) -> None:
    depths = [p.units for one in found for p in one.points]
    depth_ticks(draw(figure, found, "lower bound (GEN-3)"), [2**k for k in range(max(depths).bit_length())])


def _caption(found: Sequence[ConditionNumbers], results: Results) -> Caption:
    return Caption(
        "Condition number against depth",
        "At shortcut depth 2 the condition number is the same for every number of units. At shortcut depth 1 it is "
        "above a bound that grows with $R$, and far above it at depths where some eigenvalue happens to be near zero.",
        _sentence(found),
        f"{on_data(results)}: eigenvalues of the dense Hessian, the product $H v$ with every unit vector.",
    )


def _sentence(found: Sequence[ConditionNumbers]) -> str:
    told = []
    for one in found:
        if there := [(value, units) for units, value in values(one)]:
            (least, _), (greatest, at) = min(there), max(there)
            depths = f"R = {one.points[0].units}..{one.points[-1].units}"
            constant = number(least) == number(greatest)
            between = number(least) if constant else f"{number(least)} to {number(greatest)}, the greatest at R = {at}"
            told.append(f"n = {one.n}, {depths}: {between}")
    return f"{'; '.join(told)}."


FIGURE = ReportFigure("condition.svg", "demystifying-resnet", (6.0, 3.4), _measured, _draw, _caption, any_values)
