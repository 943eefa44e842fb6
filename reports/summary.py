"""What follows from all the verdicts together: counts, the answer to the title question, what rests on what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proofs.cited import THEOREMS
from proofs.results import VERDICTS, Step, Verdict
from reports.schema import Ledger, LedgerEntry, Results, StatementRecord

NOT_ATTEMPTED = "not attempted"
MEANINGS: dict[Verdict, str] = {
    "PROVED": "An exact argument went through for the statement as printed.",
    "OBSERVED": "Seen in floating-point or randomised arithmetic only; each error is below a derived bound.",
    "REFUTED": "A counterexample satisfies every printed hypothesis and violates the conclusion.",
    "REPAIRED": "Wrong or incomplete as printed; a corrected form, given beside it, is proved.",
    "FAILED": "Something that was offered for or against it did not go through.",
    "OPEN": "Nothing is offered, or nothing ran.",
    "ERROR": "The program broke or ran out of something; it says nothing about the statement. Run it again.",
}
"""What each verdict says, for the reader of the report; proofs.verdict decides."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the ledger: an entry and, where it was attempted, its statement; or the statement it errs in."""

    id: str
    title: str
    statement: StatementRecord | None
    erratum_of: str | None = None

    @property
    def status(self) -> str:
        """The verdict, that there is none, or where the misprint is treated."""
        if self.statement:
            return self.statement.verdict
        return f"erratum, see {self.erratum_of}" if self.erratum_of else NOT_ATTEMPTED


def ledger_rows(results: Results) -> dict[str, list[Row]]:
    """The rows of each section; statements that the ledger does not list come last, under "Further statements"."""
    by_id = {one.id: one for one in results.statements}
    attempted = set(by_id)

    def row(entry: LedgerEntry) -> Row:
        statement = by_id.pop(entry.id, None)
        treated = entry.erratum_of in attempted
        title = statement.title if statement else entry.title
        return Row(entry.id, title, statement, entry.erratum_of if treated else None)

    sections = {section.title: [row(entry) for entry in section.entries] for section in results.ledger.sections}
    further = [Row(one.id, one.title, one) for one in by_id.values()]
    return {**sections, "Further statements": further} if further else sections


def counts(results: Results) -> dict[str, int]:
    """How many statements have each verdict, and how many were not attempted."""
    found = Counter(row.status for rows in ledger_rows(results).values() for row in rows)
    return {status: found[status] for status in (*VERDICTS, NOT_ATTEMPTED)}


BEYOND = "Beyond the documents"
"""Where statements without a printed source are counted."""
_KINDS: dict[str, Callable[[StatementRecord], bool]] = {
    "hold as printed": lambda one: one.verdict == "PROVED",
    "hold after repair": lambda one: one.verdict == "REPAIRED",
    "of these refuted as printed": lambda one: one.verdict == "REPAIRED" and one.counterexample is not None,
    "fail, without a repair": lambda one: one.verdict == "REFUTED",
    "only observed": lambda one: one.verdict == "OBSERVED",
    "unsettled": lambda one: one.verdict in {"OPEN", "FAILED", "ERROR"},
}


def documents(results: Results) -> tuple[tuple[str, dict[str, int]], ...]:
    """For each document how many of its statements hold, hold after repair, fail, are observed or unsettled."""
    found: dict[str, list[StatementRecord]] = {}
    for one in results.statements:
        found.setdefault(one.source.document if one.source else BEYOND, []).append(one)
    rows = [
        (title, {"statements": len(those), **{kind: sum(map(holds, those)) for kind, holds in _KINDS.items()}})
        for title, those in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: row[0] == BEYOND))


def findings(results: Results) -> tuple[StatementRecord, ...]:
    """The statements that the report opens with, those that were attempted."""
    by_id = {one.id: one for one in results.statements}
    return tuple(by_id[id_] for id_ in results.ledger.findings if id_ in by_id)


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
    if "ERROR" in found:
        return "This run gives no answer: the program broke before it had one."
    if {"OPEN", "OBSERVED", NOT_ATTEMPTED} & set(found) or not found:
        return "This is not settled: at least one part is not proved."
    sizes = _sizes(parts)
    if "REPAIRED" in found:
        return f"Not as printed; with the repairs given below every part is proved, for {sizes}."
    return f"Yes: every part is proved as printed, for {sizes}."


def _sizes(parts: tuple[Row, ...]) -> str:
    everywhere = all(row.statement and row.statement.all_sizes for row in parts)
    return "every number of units, width and number of samples" if everywhere else "the sizes listed"


@dataclass(frozen=True, slots=True)
class CitedTheorem:
    """A theorem of others: its name in the diagram, what it says, where it stands, and which statements rest on it."""

    key: str
    sentence: str
    source: str
    users: tuple[str, ...]


def cited_theorems(results: Results) -> tuple[CitedTheorem, ...]:
    """The theorems of others that some proof in the results leans on."""
    users: dict[tuple[str, str], list[str]] = {}
    for one in results.statements:
        for step in every_step(one):
            if step.route == "cited theorem":
                users.setdefault((step.title, step.shown), []).append(one.id)
    keys = {(one.sentence, one.source): one.key for one in THEOREMS.values()}
    return tuple(CitedTheorem(keys.get(said, said[1]), *said, tuple(dict.fromkeys(ids))) for said, ids in users.items())


def connected(edges: Iterable[tuple[str, str]]) -> list[set[str]]:
    """The connected parts of a graph, the largest first."""
    parts: list[set[str]] = []
    for edge in edges:
        touched = [part for part in parts if part & set(edge)]
        parts = [part for part in parts if part not in touched] + [set(edge).union(*touched)]
    return sorted(parts, key=lambda part: (-len(part), min(part)))


def every_step(one: StatementRecord) -> tuple[Step, ...]:
    """All steps of a statement: its proof, counterexample, repair and evidence."""
    against = one.counterexample.steps if one.counterexample else ()
    repair = one.repair.steps if one.repair else ()
    return (*one.steps, *against, *repair, *one.evidence)


def sources_of_data(steps: Iterable[Step]) -> list[str]:
    """Where the data of measurements come from: what follows the sizes in "R=10, d=2; the data's name"."""
    found = (one.sizes.partition("; ")[2] for step in steps for one in step.measurements)
    return list(dict.fromkeys(name for name in found if name))


def missing(ledger: Ledger, statements: tuple[StatementRecord, ...]) -> list[str]:
    """The ids of the ledger without a statement; a misprint has one where the statement it is in has."""
    have = {one.id for one in statements}
    entries = [entry for section in ledger.sections for entry in section.entries]
    return [entry.id for entry in entries if entry.id not in have and entry.erratum_of not in have]
