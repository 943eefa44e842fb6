"""What follows from all the verdicts together: counts, the answer to the title question, what rests on what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from resproof.proofs.cited import THEOREMS
from resproof.proofs.results import VERDICTS, ClauseResult, ReadingKind, Step, Verdict, readings_of
from resproof.reporting.said import clauses_of, contradicted, how, qualified
from resproof.reporting.schema import Ledger, LedgerEntry, Paper, Results
from resproof.reporting.statement_record import StatementRecord

NOT_ATTEMPTED = "not attempted"
MEANINGS: dict[Verdict, str] = {
    "PROVED": "An exact argument went through for the statement; for a printed one word for word, or in a reading that "
    "is named.",
    "OBSERVED": "Seen in floating-point or randomised arithmetic only; each error is below a derived bound.",
    "REFUTED": "A counterexample satisfies every printed hypothesis and violates the conclusion of some clause, of "
    "which no corrected form is proved; what does hold is given beside it.",
    "REPAIRED": "Wrong or incomplete as printed, or proved only under a hypothesis that is not printed; a form that "
    "keeps something of the conclusion, given beside it, is proved.",
    "FAILED": "Something that was offered for or against it did not go through.",
    "OPEN": "Of some clause nothing is offered, or nothing ran.",
    "ERROR": "The program broke or ran out of something; it says nothing about the statement. Run it again.",
}
"""What each verdict says, for the reader of the report; resproof.proofs.verdict decides."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the ledger: an entry and, where it was attempted, its statement; or the statement it errs in.

    An experiment has runs and no statement, and counts among none (`reporting.experiment_records`).
    """

    id: str
    title: str
    statement: StatementRecord | None
    erratum_of: str | None = None
    experiment: bool = False

    @property
    def status(self) -> str:
        """The verdict, that there is none, or where the misprint is treated."""
        if self.statement:
            return qualified(self.statement)
        return f"erratum, see {self.erratum_of}" if self.erratum_of else NOT_ATTEMPTED


FURTHER = Paper(slug="further", title="Further statements", about="", notation=(), sections=())
"""Where statements stand that the ledger does not list."""


@dataclass(frozen=True, slots=True)
class PaperRows:
    """A paper, and the rows of each of its sections by the section's title."""

    paper: Paper
    sections: dict[str, list[Row]]

    @property
    def rows(self) -> list[Row]:
        """All rows, one section after the other."""
        return [row for rows in self.sections.values() for row in rows]

    @property
    def statements(self) -> list[StatementRecord]:
        """What was attempted."""
        return [row.statement for row in self.rows if row.statement]


def ledger_rows(results: Results) -> dict[str, PaperRows]:
    """The rows of each paper, by its slug; what the ledger does not list comes last, where there is any."""
    by_id = {one.id: one for one in results.statements}
    attempted = set(by_id)

    def row(entry: LedgerEntry) -> Row:
        statement = by_id.pop(entry.id, None)
        treated = entry.erratum_of in attempted
        title = statement.title if statement else entry.title
        return Row(entry.id, title, statement, entry.erratum_of if treated else None, entry.experiment)

    found = {
        paper.slug: PaperRows(paper, {each.title: [row(entry) for entry in each.entries] for each in paper.sections})
        for paper in results.ledger.papers
    }
    if by_id:
        further = [Row(one.id, one.title, one) for one in by_id.values()]
        found[FURTHER.slug] = PaperRows(FURTHER, {FURTHER.title: further})
    return found


def _rows(results: Results) -> list[Row]:
    return [row for each in ledger_rows(results).values() for row in each.rows]


def counts(results: Results) -> dict[str, int]:
    """How many statements have each verdict, and how many were not attempted."""
    rows = [row for row in _rows(results) if not row.experiment]
    found = Counter(row.statement.verdict if row.statement else row.status for row in rows)
    return {status: found[status] for status in (*VERDICTS, NOT_ATTEMPTED)}


_STANDS: dict[ReadingKind, str] = {
    "word for word": "as printed",
    "erratum": "with an erratum",
    "exception": "except on a null set",
    "sense": "in the sense of its proof",
}
"""Where a statement that is proved stands, by how it is read."""
_OURS = "proved, printed nowhere"
"""Where a proved statement or clause stands that no document prints."""
_STANDS_OTHERWISE: dict[Verdict, str] = {"REPAIRED": "after repair", "REFUTED": "refuted", "OBSERVED": "observed"}
_NOT_SETTLED = "not settled"
STANDINGS = (*_STANDS.values(), _OURS, *_STANDS_OTHERWISE.values(), _NOT_SETTLED)
"""All of them, in the order of the policy."""


def standing(one: StatementRecord, clause: ClauseResult | None = None) -> str:
    """Where a statement, or one clause of it, stands: read word for word, or how; of our own; repaired, refuted, open.

    A hypothesis of the statement that is not printed is one of each clause.
    """
    which = clause or one
    if which.verdict != "PROVED":
        return _STANDS_OTHERWISE.get(which.verdict, _NOT_SETTLED)
    if clause and not all(each.printed for each in one.hypotheses):
        return _STANDS_OTHERWISE["REPAIRED"]
    reading = readings_of(clauses_of(which))[-1]
    ours = one.source is None or all(each.ours for each in clauses_of(which))
    return _OURS if ours and reading == "word for word" else _STANDS[reading]


@dataclass(frozen=True, slots=True)
class Count:
    """How many statements, or clauses, there are, where they stand, and how many have a counterexample."""

    total: int
    standings: dict[str, int]
    contradicted: int


@dataclass(frozen=True, slots=True)
class Tally:
    """A paper, what its statements and their clauses amount to, and how many entries were not attempted."""

    paper: Paper
    statements: Count
    clauses: Count
    not_attempted: int


def tallies(results: Results) -> tuple[Tally, ...]:
    """Every paper with what its statements amount to."""
    return tuple(map(_tally, ledger_rows(results).values()))


def standings_of(all_: Sequence[Tally]) -> list[str]:
    """Where some clause of some paper stands."""
    return [each for each in STANDINGS if any(one.clauses.standings[each] for one in all_)]


def proved_how(results: Results) -> dict[str, int]:
    """Where the statements stand that are PROVED: how many word for word, with an erratum, and so on."""
    stand = Counter(standing(row.statement) for row in _rows(results) if row.statement)
    return {name: stand[name] for name in (*_STANDS.values(), _OURS) if stand[name]}


def _tally(each: PaperRows) -> Tally:
    clauses = [(clause, standing(one, clause)) for one in each.statements for clause in one.clauses]
    missing = sum(row.status == NOT_ATTEMPTED for row in each.rows if not row.experiment)
    return Tally(each.paper, _count([(one, standing(one)) for one in each.statements]), _count(clauses), missing)


def _count(these: Sequence[tuple[StatementRecord | ClauseResult, str]]) -> Count:
    stand = Counter(where for _, where in these)
    return Count(len(these), {name: stand[name] for name in STANDINGS}, sum(contradicted(one) for one, _ in these))


def findings(results: Results) -> tuple[StatementRecord, ...]:
    """The statements that the report opens with, those that were attempted."""
    by_id = {one.id: one for one in results.statements}
    return tuple(by_id[id_] for id_ in results.ledger.findings if id_ in by_id)


@dataclass(frozen=True, slots=True)
class Answer:
    """Does it hold? One sentence, the part of each statement in it, and who takes which printed hypothesis."""

    sentence: str
    parts: tuple[Row, ...]
    supposed: dict[str, list[str]]


def answer(results: Results) -> Answer:
    """The answer to the question of the ledger, from the verdicts, the readings and the hypotheses of its parts."""
    by_id = {row.id: row for row in _rows(results)}
    parts = tuple(by_id[id_] for id_ in results.ledger.asked if id_ in by_id)
    found = [row.statement.verdict if row.statement else NOT_ATTEMPTED for row in parts]
    return Answer(_sentence(found, parts), parts, _supposed(parts))


def _supposed(parts: tuple[Row, ...]) -> dict[str, list[str]]:
    """Each printed hypothesis of the parts, or of a clause of theirs, with the ids of those that take it."""
    found: dict[str, list[str]] = {}
    for one in (row.statement for row in parts if row.statement):
        taken = [each.sentence for part in (one, *one.clauses) for each in part.hypotheses if each.printed]
        for sentence in dict.fromkeys(taken):
            found.setdefault(sentence, []).append(one.id)
    return found


def _sentence(found: list[str], parts: tuple[Row, ...]) -> str:
    if "FAILED" in found:
        return "This run gives no answer: something that was offered did not go through."
    if "REFUTED" in found:
        return "No: at least one part is refuted, and no corrected form of it is proved."
    if "ERROR" in found:
        return "This run gives no answer: the program broke before it had one."
    if {"OPEN", "OBSERVED", NOT_ATTEMPTED} & set(found) or not found:
        return "This is not settled: at least one part is not proved."
    sizes = _sizes(parts)
    if "REPAIRED" in found:
        return f"Not quite as printed; with the hypotheses and readings given below every part is proved, for {sizes}."
    if all(row.statement and how(row.statement) == "word for word" for row in parts):
        return f"Yes: every part is proved as printed, for {sizes}."
    return f"Yes, read as is said below: every part is proved, for {sizes}."


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


def reduced(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows from which all others follow: those that no way of several arrows goes along too."""
    found = list(dict.fromkeys(edges))
    beyond: dict[str, set[str]] = {}
    for used, user in found:
        beyond.setdefault(used, set()).add(user)

    @cache
    def reached(start: str) -> frozenset[str]:
        further = (reached(each) for each in beyond.get(start, ()))
        return frozenset(beyond.get(start, ())).union(*further)

    return [edge for edge in found if not any(edge[1] in reached(each) for each in beyond[edge[0]] - {edge[1]})]


def every_step(one: StatementRecord) -> tuple[Step, ...]:
    """All steps of a statement: those of its clauses, for and against them, and its evidence."""
    return (*(step for each in one.clauses for step in each.everything), *one.evidence)


def sources_of_data(steps: Iterable[Step]) -> list[str]:
    """Where the data of measurements come from: what follows the sizes in "R=10, d=2; the data's name"."""
    found = (one.sizes.partition("; ")[2] for step in steps for one in step.measurements)
    return list(dict.fromkeys(name for name in found if name))


def missing(ledger: Ledger, statements: tuple[StatementRecord, ...]) -> list[str]:
    """The ids of the ledger without a statement; a misprint has one where the statement it is in has."""
    have = {one.id for one in statements}
    statements_wanted = [entry for entry in ledger.entries if not entry.experiment]
    return [entry.id for entry in statements_wanted if entry.id not in have and entry.erratum_of not in have]
