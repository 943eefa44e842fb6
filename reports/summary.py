"""What follows from all the verdicts together: counts, the answer to the title question, the dependency graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from proofs.results import VERDICTS
from reports.schema import Entry, Ledger, Results, StatementRecord

NOT_ATTEMPTED = "not attempted"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the ledger: an entry and, where it was attempted, its statement."""

    id: str
    title: str
    statement: StatementRecord | None

    @property
    def status(self) -> str:
        """The verdict, or that there is none."""
        return self.statement.verdict if self.statement else NOT_ATTEMPTED


def ledger_rows(results: Results) -> dict[str, list[Row]]:
    """The rows of each section; statements that the ledger does not list come last, under "Further statements"."""
    by_id = {one.id: one for one in results.statements}

    def row(entry: Entry) -> Row:
        statement = by_id.pop(entry.id, None)
        return Row(entry.id, statement.title if statement else entry.title, statement)

    sections = {section.title: [row(entry) for entry in section.entries] for section in results.ledger.sections}
    further = [Row(one.id, one.title, one) for one in by_id.values()]
    return {**sections, "Further statements": further} if further else sections


def counts(results: Results) -> dict[str, int]:
    """How many statements have each verdict, and how many were not attempted."""
    found = Counter(row.status for rows in ledger_rows(results).values() for row in rows)
    return {status: found[status] for status in (*VERDICTS, NOT_ATTEMPTED)}


@dataclass(frozen=True, slots=True)
class Answer:
    """Does Theorem 2 hold? One sentence, and the part of each statement in it."""

    sentence: str
    parts: tuple[Row, ...]


def answer(results: Results) -> Answer:
    """The answer for Theorem 2, from the verdicts of its parts alone."""
    by_id = {row.id: row for rows in ledger_rows(results).values() for row in rows}
    parts = tuple(by_id[id_] for id_ in results.ledger.theorem_2 if id_ in by_id)
    return Answer(_sentence([row.status for row in parts], parts), parts)


def _sentence(found: list[str], parts: tuple[Row, ...]) -> str:
    if "FAILED" in found:
        return "This run gives no answer: something that was offered did not go through."
    if "REFUTED" in found:
        return "No: at least one part is refuted as printed, and no corrected form of it is proved."
    if {"OPEN", "OBSERVED", NOT_ATTEMPTED} & set(found) or not found:
        return "This is not settled: at least one part is not proved."
    sizes = "every size" if all(row.statement and row.statement.all_sizes for row in parts) else "the sizes listed"
    if "REPAIRED" in found:
        return f"Not as printed; with the repairs given below every part is proved, for {sizes}."
    return f"Yes: every part is proved as printed, for {sizes}."


def missing(ledger: Ledger, statements: tuple[StatementRecord, ...]) -> list[str]:
    """The ids of the ledger without a statement."""
    have = {one.id for one in statements}
    return [entry.id for section in ledger.sections for entry in section.entries if entry.id not in have]
