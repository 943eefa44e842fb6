"""The pictures of counterexamples: what is computed in solid lines, what the document has in a dashed one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from resproof.proofs.pictures import Plot
from resproof.proofs.results import ClauseResult, CounterexampleResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

FOLDER = Path("counterexamples")
_SIZE = (5.0, 3.2)
_COMPUTED = ("#0072b2", "#009e73", "#cc79a7", "#e69f00")
_PRINTED = "#d55e00"
_FEW = 20
"""Points that are marked one by one, where there are no more."""


def counterexamples(clauses: tuple[ClauseResult, ...]) -> Iterator[CounterexampleResult]:
    """Those of the clauses, of their other readings and of their repairs, in the order of a page."""
    for one in clauses:
        if one.counterexample:
            yield one.counterexample
        if one.repair:
            yield from counterexamples(one.repair.clauses)
        yield from counterexamples(one.other_readings)


def files(results: Results) -> dict[str, tuple[Path, Plot]]:
    """Each picture and its file, in the folder of figures, by the sentence of the counterexample."""
    found: dict[str, tuple[Path, Plot]] = {}
    for statement in results.statements:
        number = 0
        for one in counterexamples(statement.clauses):
            if one.picture and one.sentence not in found:
                number += 1
                found[one.sentence] = FOLDER / f"{statement.id.lower()}-{number}.svg", one.picture
    return found


def pictures(results: Results) -> dict[Path, str]:
    """The SVG text of every picture by its path in the folder of figures."""
    from resproof.reporting.figures.svg import svg_of

    return {path: svg_of(lambda one=one: figure(one)) for path, one in files(results).values()}


def figure(one: Plot) -> Figure:
    """The picture as a matplotlib figure."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=_SIZE, layout="constrained")
    axes = drawn.subplots()
    _lines(axes, one)
    axes.set(xlabel=_shown(one.across), ylabel=_shown(one.up))
    if one.log:
        axes.set_yscale("log")
    if one.equal:
        axes.set_aspect("equal")
    if len(axes.get_legend_handles_labels()[1]) > 1:
        drawn.legend(frameon=False, loc="outside upper left", ncols=2)
    return drawn


def _lines(axes: Axes, one: Plot) -> None:
    """A colour for each label; lines with the same label are told of once."""
    labels = [*dict.fromkeys(each.label for each in one.lines if not each.printed)]
    told = set[str]()
    for each in one.lines:
        x, y = each.points
        colour = _PRINTED if each.printed else _COMPUTED[labels.index(each.label)]
        marker = "o" if len(x) <= _FEW and not each.printed else ""
        label = "" if each.label in told else _shown(each.label)
        axes.plot(x, y, "--" if each.printed else "-", color=colour, marker=marker, label=label)
        told.add(each.label)


def _shown(text: str) -> str:
    """A text with formulas as matplotlib reads it."""
    return text.replace(r"\lvert", "|").replace(r"\rvert", "|")
