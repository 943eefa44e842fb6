"""Every figure that is drawn from results.json: what their data are, and all of them measured, drawn and told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from resproof.proofs.statement import Context
from resproof.reporting.figures import blocks, condition, deep, error, growth, hidden, norms, slices, spectrum, sphere
from resproof.reporting.figures.blocks import ExactBlocks
from resproof.reporting.figures.common import Caption, ReportFigure
from resproof.reporting.figures.deep import ConditionNumbers, DeepConditionNumbers
from resproof.reporting.figures.error import ErrorCurve
from resproof.reporting.figures.growth import SpectrumGrowth
from resproof.reporting.figures.hessians import DenseSpectrum
from resproof.reporting.figures.hidden import HiddenCurve
from resproof.reporting.figures.norms import NormCurve
from resproof.reporting.figures.slices import LossSlice
from resproof.reporting.figures.sphere import SpherePath
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from resproof.reporting.schema import Results


class Figures(Record):
    """What the figures are drawn from: all but the blocks are measured, on the data where it does not say otherwise.

    The data have this width and number. Some figures take their first components only, and say how many.
    """

    width: int
    samples: int
    blocks: tuple[ExactBlocks, ...]
    condition_numbers: tuple[ConditionNumbers, ...]
    spectra: tuple[DenseSpectrum, ...]
    errors: tuple[ErrorCurve, ...]
    norms: tuple[NormCurve, ...] = ()
    sphere: SpherePath | None = None
    deep_condition_numbers: tuple[DeepConditionNumbers, ...] = ()
    growth: SpectrumGrowth | None = None
    hidden: tuple[HiddenCurve, ...] = ()
    slices: tuple[LossSlice, ...] = ()


_EVERY: Mapping[str, ReportFigure[Any]] = {
    "slices": slices.FIGURE,
    "blocks": blocks.FIGURE,
    "condition_numbers": condition.FIGURE,
    "spectra": spectrum.FIGURE,
    "errors": error.FIGURE,
    "norms": norms.FIGURE,
    "sphere": sphere.FIGURE,
    "deep_condition_numbers": deep.FIGURE,
    "growth": growth.FIGURE,
    "hidden": hidden.FIGURE,
}
"""Each figure by the field that has its data."""


def figure_data(context: Context) -> Figures:
    """The data of every figure; what the data are too large for is left out."""
    width, samples = context.data.X.shape
    measured: dict[str, Any] = {name: one.measure(context) for name, one in _EVERY.items()}
    return Figures(width=width, samples=samples, **measured)


def no_figures(context: Context) -> Figures:
    """For statements that are not those of the papers, which the figures are about."""
    width, samples = context.data.X.shape
    return Figures(width=width, samples=samples, blocks=(), condition_numbers=(), spectra=(), errors=())


def figures(results: Results) -> dict[str, str]:
    """The SVG text of each figure by its file name, drawn from the results alone; those without data are left out."""
    from matplotlib.figure import Figure

    from resproof.reporting.figures.svg import svg_of

    def drawn(one: ReportFigure[Any], found: Any) -> Figure:
        figure = Figure(figsize=one.size, layout="constrained")
        one.draw(figure, found)
        return figure

    return {one.file: svg_of(lambda one=one, found=found: drawn(one, found)) for one, found in _drawable(results)}


def captions(results: Results) -> list[Caption]:
    """What the report says about each figure that is drawn."""
    told = ((one, one.caption(found, results)) for one, found in _drawable(results))
    return [caption._replace(paper=one.paper, file=one.file) for one, caption in told]


def _drawable(results: Results) -> Iterator[tuple[ReportFigure[Any], Any]]:
    """Those with data, and these."""
    for name, one in _EVERY.items():
        found = getattr(results.figures, name)
        if found is not None and one.drawable(found):
            yield one, found
