"""Every figure that is drawn from results.json, by the field that has its data: all of them drawn and told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from resproof.reporting.figures import at_zero, built
from resproof.reporting.figures.common import Caption, ReportFigure
from resproof.reporting.figures.panels import drawn
from resproof.reporting.schema import Results

_EVERY: Mapping[str, ReportFigure[Any]] = {
    "slices": at_zero.SLICES,
    "blocks": at_zero.BLOCKS,
    "condition_numbers": at_zero.CONDITION_NUMBERS,
    "spectra": at_zero.SPECTRA,
    "errors": at_zero.ERRORS,
    "norms": built.NORMS,
    "sphere": built.SPHERE,
    "deep_condition_numbers": at_zero.DEEP_CONDITION_NUMBERS,
    "growth": built.GROWTH,
    "hidden": built.HIDDEN,
}


def figures(results: Results) -> dict[str, str]:
    """The SVG text of each figure by its file name, drawn from the results alone; those without data are left out."""
    from resproof.reporting.figures.svg import svg_of

    return {
        one.file: svg_of(lambda one=one, found=found: drawn(one.picture(found))) for one, found in _with_data(results)
    }


def captions(results: Results) -> list[Caption]:
    """What the report says about each figure that is drawn."""
    told = ((one, one.caption(found, results)) for one, found in _with_data(results))
    return [caption._replace(paper=one.paper, file=one.file) for one, caption in told]


def _with_data(results: Results) -> Iterator[tuple[ReportFigure[Any], Any]]:
    """Those with data, and these."""
    for name, one in _EVERY.items():
        found = getattr(results.figures, name)
        if found is not None and one.drawable(found):
            yield one, found
