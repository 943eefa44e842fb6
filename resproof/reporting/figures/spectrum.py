"""All eigenvalues of the dense Hessian, and how often each occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from resproof.proofs.statement import Context
from resproof.reporting.figures.common import COLOURS, MARKERS, Caption, ReportFigure, on_data
from resproof.reporting.figures.hessians import PARAMETERS, DenseSpectrum, dense_spectrum, eigenvalues, parameters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = 4
_BINS = 50


def _measured(context: Context) -> tuple[DenseSpectrum, ...]:
    """The spectra for n = 1 and n = 2, those of Hessians that are not too large."""
    x, y = context.data.X, context.data.Y
    return tuple(
        dense_spectrum(n, UNITS, eigenvalues(n, UNITS, x, y)) for n in (1, 2) if parameters(n, UNITS, x) <= PARAMETERS
    )


def _ordered(found: Sequence[DenseSpectrum]) -> list[DenseSpectrum]:
    return sorted(found, key=lambda one: -one.n)


def _draw(figure: Figure, found: Sequence[DenseSpectrum]) -> None:
    for axes, one in zip(figure.subplots(1, len(found), squeeze=False)[0], _ordered(found), strict=True):
        values = [each.value for each in one.values]
        axes.set_title(f"$n = {one.n}$, $R = {one.units}$")
        axes.set_xlabel("eigenvalue")
        if len(values) <= _BINS:
            times = [each.multiplicity for each in one.values]
            axes.vlines(values, 0, times, color=COLOURS[one.n], linewidth=1.3)
            axes.plot(values, times, linestyle="none", marker=MARKERS[one.n], color=COLOURS[one.n], markersize=3.5)
            axes.set_ylabel("multiplicity")
        else:
            axes.hist(one.listed, bins=_BINS, color=COLOURS[one.n])
            axes.set_ylabel("eigenvalues in each bar")
        axes.axvline(0, color="#444444", linewidth=0.7)
        axes.set_ylim(bottom=0)


def _caption(found: Sequence[DenseSpectrum], results: Results) -> Caption:
    return Caption(
        "Eigenvalues and how often they occur",
        "At shortcut depth 2 the spectrum is a few values, symmetric about zero, each many times over; "
        "at shortcut depth 1 it is spread out.",
        f"{'; '.join(map(_counted, _ordered(found)))}.",
        f"{on_data(results)}, $R = {found[0].units}$: eigenvalues of the dense Hessian; closer than rounding resolves "
        "counts as equal.",
    )


def _counted(one: DenseSpectrum) -> str:
    times = sorted({each.multiplicity for each in one.values})
    shown = f"{times[0]}" if len(times) == 1 else f"{times[0]} to {times[-1]}"
    return f"n = {one.n}: {len(one.values)} distinct eigenvalues, multiplicity {shown}"


FIGURE = ReportFigure("spectrum.svg", "demystifying-resnet", (8.4, 3.1), _measured, _draw, _caption)
