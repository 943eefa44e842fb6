"""The pictures of counterexamples: what is computed in solid lines, what the document has in a dashed one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from resproof.proofs.pictures import Plot, Stroke
from resproof.proofs.results import ClauseResult, CounterexampleResult
from resproof.reporting.figures.panels import Line, Panel, Picture, drawn, told_once
from resproof.reporting.schema import Results

_FOLDER = Path("counterexamples")
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
                found[one.sentence] = _FOLDER / f"{statement.id.lower()}-{number}.svg", one.picture
    return found


def pictures(results: Results) -> dict[Path, str]:
    """The SVG text of every picture by its path in the folder of figures."""
    from resproof.reporting.figures.svg import svg_of

    return {path: svg_of(lambda one=one: drawn(_picture(one))) for path, one in files(results).values()}


def _picture(one: Plot) -> Picture:
    """A colour for each label; lines with the same label are told of once."""
    labels = [*dict.fromkeys(each.label for each in one.lines if not each.printed)]
    lines = told_once(_line(each, labels) for each in one.lines)
    axes: dict[str, Any] = {
        "xlabel": _shown(one.across),
        "ylabel": _shown(one.up),
        "yscale": "log" if one.log else "linear",
    }
    axes |= {"aspect": "equal"} if one.equal else {}
    return Picture((5.0, 3.2), [Panel(lines, axes)], below=2 * (sum(bool(each.label) for each in lines) > 1))


def _line(each: Stroke, labels: list[str]) -> Line:
    x, y = each.points
    if each.printed:
        return Line(x=x, y=y, label=_shown(each.label), color=_PRINTED, dash="--")
    marker = "o" if len(x) <= _FEW else ""
    return Line(x=x, y=y, label=_shown(each.label), color=_COMPUTED[labels.index(each.label)], marker=marker)


def _shown(text: str) -> str:
    """A text with formulas as matplotlib reads it."""
    return text.replace(r"\lvert", "|").replace(r"\rvert", "|")
