"""What is said of one statement beside its verdict: in what reading it holds, and what is read in it."""

from __future__ import annotations

from resproof.proofs.changes import Change
from resproof.proofs.results import ClauseResult, ReadingKind, readings_of
from resproof.reporting.statement_record import StatementRecord


def qualified(one: StatementRecord | ClauseResult) -> str:
    """The verdict, and in what reading: PROVED (erratum)."""
    clauses = clauses_of(one)
    found = [kind for kind in readings_of(clauses) if kind != "word for word"]
    if one.verdict == "OPEN" and len(clauses) > 1:
        found.append(f"{sum(each.verdict == 'OPEN' for each in clauses)} of {len(clauses)} clauses")
    return f"{one.verdict} ({', '.join(found)})" if found else one.verdict


def contradicted(one: StatementRecord | ClauseResult) -> bool:
    """Whether it, or some clause of it, has a counterexample, in the reading that its verdict is about."""
    return any(each.counterexample for each in clauses_of(one))


def clauses_of(one: StatementRecord | ClauseResult) -> tuple[ClauseResult, ...]:
    """The clauses of a statement; a clause itself."""
    return tuple(one.clauses) if isinstance(one, StatementRecord) else (one,)


_READ: dict[ReadingKind, str] = {
    "erratum": "with an erratum ({})",
    "exception": "{}",
    "sense": "in the sense that its source fixes ({})",
}


def how(one: StatementRecord) -> str:
    """How a statement holds: word for word, as it is read, or with hypotheses that are not printed; else nothing."""
    if one.verdict not in {"PROVED", "REPAIRED", "OBSERVED"}:
        return ""
    said: list[str] = []
    if one.verdict == "REPAIRED":
        added = dict.fromkeys(
            each.sentence for part in (one, *one.clauses) for each in part.hypotheses if not each.printed
        )
        changed = sum(clause.verdict == "REPAIRED" for clause in one.clauses)
        where = f" in {changed} of {len(one.clauses)} clauses" if changed and len(one.clauses) > 1 else ""
        hypothesis = f"with a hypothesis that is not printed{where} ({'; '.join(added)})"
        said.append(hypothesis if added else f"after a repair{where}")
    said += [_READ[clause.reading.kind].format(clause.reading.sentence) for clause in one.clauses if clause.reading]
    return ", ".join(dict.fromkeys(said)) or "word for word"


def instead(change: Change, clause: ClauseResult) -> str:
    """What is done with the words that are read: added to the printed ones, or put where these were."""
    if change.kept:
        return "added"
    return "false; what holds" if clause.verdict == "REFUTED" else "read"
