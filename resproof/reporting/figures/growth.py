"""The eigenvalues for n = 1 as the network grows deeper: some grow like R, most stay below |D - A|."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from resproof.proofs.statement import Context
from resproof.reporting.figures.common import Caption, ReportFigure, first_components, on_components, rounded
from resproof.reporting.figures.hessians import (
    PARAMETERS,
    DenseSpectrum,
    dense_spectrum,
    eigenvalues,
    parameters,
    resolution,
    two_blocks,
)
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = (1, 2, 4, 8, 16)
_DEEPER = ("#f7cfb2", "#ee9a5c", "#d55e00", "#933f00", "#421b00")
"""The colour of n = 1, darker for more units."""


class SpectrumGrowth(Record):
    """The spectra of several depths, the norm |D - A|, and for each depth the share of moduli up to it."""

    width: int
    edge: float
    shares: tuple[float, ...]
    spectra: tuple[DenseSpectrum, ...]


def _measured(context: Context) -> SpectrumGrowth | None:
    """The spectra for n = 1 at UNITS; None where they are all zero."""
    x, y = first_components(context)
    diagonal, below = two_blocks(1, x, y)
    edge = float(np.linalg.norm(diagonal - below, 2))
    depths = [units for units in UNITS if parameters(1, units, x) <= PARAMETERS]
    values = [eigenvalues(1, units, x, y) for units in depths]
    if not any(each.any() for each in values):
        return None
    shares = tuple(rounded(float(np.mean(np.abs(each) <= edge + resolution(each)))) for each in values)
    spectra = tuple(dense_spectrum(1, units, each) for units, each in zip(depths, values, strict=True))
    return SpectrumGrowth(width=int(x.shape[0]), edge=rounded(edge), shares=shares, spectra=spectra)


def _greatest(one: DenseSpectrum) -> float:
    return max(abs(each.value) for each in one.values)


def _draw(figure: Figure, growth: SpectrumGrowth) -> None:
    axes = figure.subplots()
    axes.set(xlabel="share of the eigenvalues", ylabel="eigenvalue", xlim=(0, 1))
    axes.set_yscale("symlog", linthresh=growth.edge or max(map(_greatest, growth.spectra)), base=2)
    axes.axhspan(-growth.edge, growth.edge, color="#e8eef4", linewidth=0, zorder=0, label="$|\\lambda| \\leq |D - A|$")
    for position, one in enumerate(growth.spectra):
        values = one.listed
        shares = [k / len(values) for k in range(len(values) + 1)]
        colour = _DEEPER[position * (len(_DEEPER) - 1) // max(len(growth.spectra) - 1, 1)]
        axes.stairs(values, shares, baseline=None, color=colour, linewidth=1.5, label=f"$R = {one.units}$")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "\u2212"))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _caption(growth: SpectrumGrowth, results: Results) -> Caption:
    last = growth.spectra[-1]
    return Caption(
        "Eigenvalues as the network grows deeper",
        r"At shortcut depth 1 some eigenvalues grow like $R$, while most are seen to stay below $\lvert D - A\rvert$ "
        r"in modulus; GEN-3 proves that of $p \lfloor R/2\rfloor$ of the $p R$, which are no more than half.",
        f"At R = {last.units} the greatest modulus is {number(_greatest(last))}, and {number(100 * growth.shares[-1])} "
        rf"% of the moduli are at most $`\lvert D - A\rvert`$ = {number(growth.edge)}.",
        f"Linear networks on {on_components(results, growth.width)}, $n = 1$: eigenvalues of the dense Hessian in "
        "ascending order.",
    )


FIGURE = ReportFigure("growth.svg", "beyond", (6.0, 3.6), _measured, _draw, _caption)
