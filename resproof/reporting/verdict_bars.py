"""One bar a paper: how many of its statements stand as printed, with a qualification, after repair, or not."""

from __future__ import annotations

from matplotlib.figure import Figure

from resproof.reporting.figures.svg import svg_of
from resproof.reporting.schema import Results
from resproof.reporting.summary import STANDINGS, tallies

_DARK = ("#00664b", "#009e73", "#0072b2", "#d55e00")
_SHADES = ("#00664b", "#009e73", "#66c5a8", "#b3e2d3", "#cc79a7", "#0072b2", "#d55e00", "#f0e442", "#999999")
_COLOURS = dict(zip(STANDINGS, _SHADES, strict=True))
"""What is printed and proved in greens, what is our own in pink, what was repaired in blue, what fails in red; told
apart by colour-blind readers too."""
FILE = "verdicts.svg"


def verdict_bars(results: Results) -> str:
    """The SVG text of the bars."""
    return svg_of(lambda: _drawn(results))


def _drawn(results: Results) -> Figure:
    found = [each for each in tallies(results) if each.statements]
    figure = Figure(figsize=(5.0, 1.5 + 0.5 * max(len(found), 1)), layout="constrained")
    axes = figure.subplots()
    shown = [standing for standing in STANDINGS if any(each.statements.standings[standing] for each in found)]
    for standing in shown:
        left = [sum(each.statements.standings[one] for one in STANDINGS[: STANDINGS.index(standing)]) for each in found]
        sizes = [each.statements.standings[standing] for each in found]
        colour = _COLOURS[standing]
        bars = axes.barh(range(len(found)), sizes, 0.5, left=left, color=colour, label=standing)
        ink = "white" if colour in _DARK else "black"
        axes.bar_label(bars, [size or "" for size in sizes], label_type="center", color=ink, fontsize=8.0)
    for row, each in enumerate(found):
        axes.text(0, row - 0.32, each.paper.title)
    axes.set(yticks=[], ylim=(len(found) - 0.5, -0.75))
    axes.set_xlabel("statements")
    axes.grid(visible=False, axis="y")
    if shown:
        figure.legend(frameon=False, loc="outside lower left", ncols=2)
    return figure
