"""One statement as plain text: what is printed, how it is read, what holds, and what was rejected beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import fill

from resproof.proofs.changes import Change, parts
from resproof.proofs.formulas import plain
from resproof.proofs.results import ClauseResult, CounterexampleResult, HypothesisResult, RepairResult, Step
from resproof.reporting.said import instead, qualified
from resproof.reporting.statement_record import StatementRecord

_WIDEST = 100
_MARKED = {"": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
"""Words that are left out or put in, as word by word comparisons have them on a terminal."""


def shown(one: StatementRecord) -> str:
    """The statement and what its exact part came to, in lines no wider than the terminal or 100 characters."""
    return "\n".join(_lines(one))


def _lines(one: StatementRecord) -> Iterator[str]:
    yield _text(f"{one.id}: {plain(one.title)}")
    yield _text(f"{one.verdict}{f' for {one.scope}' if one.scope else ''}{_reason(one.reason)}")
    yield ""
    changes = [change for clause in one.clauses for change in clause.changed]
    if told := one.sentence if len(one.clauses) < 2 else one.setting:
        yield _text(_changed(told, changes))
    if one.source:
        quoted = "".join(_MARKED[mark].format(text) for text, mark in parts(one.source.quote, _struck(changes)))
        yield _text(f"{one.source.document}, {one.source.number}: “{quoted}”", "  > ")
    yield from _hypotheses(one.hypotheses)
    yield from _clauses(one.clauses, one.sentence)
    if one.notes:
        yield _text(f"Note: {plain(one.notes)}")


def _clauses(clauses: Iterable[ClauseResult], told: str = "", changes: tuple[Change, ...] = ()) -> Iterator[str]:
    """Each clause; one that only says again what has just been `told`, and no reason, begins with its steps.

    `changes` are those of the repair that they make up.
    """
    for one in clauses:
        if one.sentence != told or one.reason:
            scope = f" for {one.scope}" if one.scope else ""
            yield ""
            yield _text(
                f"{qualified(one)}{scope}: {_changed(one.sentence, (*changes, *one.changes))}{_reason(one.reason)}"
            )
        yield from _changes(one)
        yield from _hypotheses(one.hypotheses)
        if one.reading:
            quoted = f" The source: “{one.reading.quote}”" if one.reading.quote else ""
            yield _text(f"{one.reading.kind}: {plain(one.reading.sentence)}.{quoted}", "  ")
            yield from _steps(one.reading.steps)
        if one.counterexample:
            yield from _counterexample(one.counterexample)
        if one.repair:
            yield from _repair(one.repair)
        yield from _steps(one.steps)
        for other in one.other_readings:
            yield _text("The same words read otherwise:", "  ")
            yield from _clauses((other,))


def _struck(changes: Iterable[Change]) -> dict[str, str]:
    return {one.printed: "" if one.kept else "-" for one in changes}


def _changed(text: str, changes: Iterable[Change]) -> str:
    """A text, with marks around what is read in the place of printed words."""
    return "".join(
        _MARKED[mark].format(plain(words)) for words, mark in parts(text, {one.read: "+" for one in changes})
    )


def _changes(clause: ClauseResult) -> Iterator[str]:
    for one in clause.changed:
        told = f"printed: {one.printed} → {instead(one, clause)}: {plain(one.read)}"
        yield _text(f"changed: {told}{f'. {plain(one.why)}' if one.why else ''}", "  ")


def _hypotheses(found: Iterable[HypothesisResult]) -> Iterator[str]:
    for one in found:
        words = f': "{one.quote}"{f" ({plain(one.where)})" if one.where else ""}' if one.quote else ""
        yield _text(f"hypothesis: {plain(one.sentence)}{words if one.printed else ' (not printed)'}", "  ")
        if one.needed:
            yield from _steps((one.needed,))


def _repair(found: RepairResult) -> Iterator[str]:
    yield ""
    several = len(found.clauses) > 1
    told = _changed(found.setting if several else found.sentence, found.changes)
    yield _text(f"What holds instead ({found.verdict}): {told}".rstrip())
    yield from _clauses(found.clauses, found.sentence, found.changes)


def _counterexample(found: CounterexampleResult) -> Iterator[str]:
    yield ""
    yield _text(f"Counterexample: {plain(found.sentence)}")
    if found.instance:
        yield _text(f"instance: {found.instance}", "  ")
    yield from _steps(found.steps)


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    for one in steps:
        sizes = f"; {one.scope}" if one.scope else ""
        yield _text(f"- {plain(one.title)} ({one.route}{sizes}){_reason(one.message)}", "  ")
        if one.rejected:
            yield _text(f"rejected: {plain('; '.join(one.rejected))}", "    ")


def _reason(text: str) -> str:
    return f": {text}" if text else ""


def _text(text: str, indent: str = "") -> str:
    width = min(get_terminal_size().columns, _WIDEST)
    return fill(text, width, initial_indent=indent, subsequent_indent=" " * len(indent), break_long_words=False)
