"""What statements, experiments and symbols are called on the pages, so that a link says where it leads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from resproof.reporting.experiment_records import ExperimentResult
from resproof.reporting.markdown import anchor, outside_measured, prose, unbroken, with_formulas
from resproof.reporting.schema import Symbol
from resproof.reporting.statement_record import StatementRecord
from resproof.reporting.summary import Row

_FORMULA = re.compile(r"\$`(.*?)`\$|^ *```math\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"\\(?:mathrm|mathsf|text|operatorname)\{([^{}]*)\}")
_SCRIPTS = re.compile(r"[\^_(].*")
_COMMAND = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_NO_SYMBOL = re.compile(r"\\mathsf *\{?T\}?|\b[oO]\(|\+ o\b")
"""Transposed, the order of what is small or large, and a remainder."""


def called(one: StatementRecord) -> str:
    """The printed number and the title, in Markdown; the title alone where it begins with the number."""
    if not one.source or one.title.startswith(f"{one.source.number.partition(',')[0]}:"):
        return with_formulas(one.title)
    return f"{prose(one.source.number.removesuffix(' (arXiv)'))}: {with_formulas(one.title)}"


def first_number(number: str) -> str:
    """What the first version of the paper that has it calls it."""
    return number.partition(";")[0].removesuffix(" (arXiv)")


def printed_as(row: Row, section: Sequence[Row], every: Sequence[Row]) -> str:
    """The number that is printed; of a statement of ours, that it is so, and which of its section it stands beside."""
    if row.statement and row.statement.source:
        return row.statement.source.number
    at = section.index(row)
    if near := _numbers(section[:at])[-1:] or _numbers(section[at:])[:1]:
        return f"ours ({first_number(near[0])})"
    return "ours" if _numbers(every) else row.id


def _numbers(rows: Iterable[Row]) -> list[str]:
    return [one.statement.source.number for one in rows if one.statement and one.statement.source]


def experiment_called(one: ExperimentResult) -> str:
    """What the first version of the paper that has it calls it, and its id: the heading of its section."""
    return f"{prose(first_number(one.experiment.source.number))} ({unbroken(one.id)})"


def experiment_linked(one: ExperimentResult, page: str) -> str:
    """A link to its section on a page."""
    return f"[{experiment_called(one)}]({page}#{anchor(experiment_called(one))})"


def seen(one: ExperimentResult) -> str:
    """The verdict, and how many of the criteria hold where not all do."""
    return one.judged.verdict + ("" if one.judged.verdict == "OBSERVED" else f": {held(one)} criteria")


def held(one: ExperimentResult) -> str:
    """How many of its criteria hold."""
    findings = one.judged.findings
    return f"{sum(found.holds for _, found in findings)} of {len(findings)}"


def scale(ones: Iterable[ExperimentResult]) -> str:
    """The data, widths and numbers of layers of all these runs."""
    runs = [run for one in ones for run in one.records.values()]
    data = sorted({run.data.shown for run in runs})
    widths = {run.data.shape[0] for run in runs} | _whole(run.parameters.get("width") for run in runs)
    layers = _whole(run.parameters.get("layers") for run in runs)
    depths = f", {min(layers)} to {max(layers)} layers" if layers else ""
    return f"{'; '.join(data)}; widths {', '.join(map(str, sorted(widths)))}{depths}"


def _whole(values: Iterable[object]) -> set[int]:
    """Those that are numbers, or in lists of numbers."""
    return {
        each
        for value in values
        for each in (value if isinstance(value, list | tuple) else [value])
        if isinstance(each, int)
    }


def symbols_on(page: str, notation: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """The entries one of whose symbols, without indices and arguments, is in a formula of a page.

    Formulas between `measured` markers do not count: what stands outside them is the same on any machine.
    """
    formulas = ["".join(found) for found in _FORMULA.findall(outside_measured(page))]
    there = {piece for formula in formulas for piece in _pieces(formula)}
    return tuple(each for each in notation if any(_pieces(_bare(one)) <= there for one in each.symbol.split(", ")))


def _bare(symbol: str) -> str:
    return _SCRIPTS.sub("", symbol)


def _pieces(latex: str) -> set[str]:
    r"""Names, commands and letters in a formula: \mathrm{pre} is the name pre, and no p."""
    without = _NO_SYMBOL.sub(" ", latex)
    return {*_NAMED.findall(without), *_COMMAND.findall(_NAMED.sub(" ", without))}
