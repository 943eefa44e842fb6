"""What follows from verdicts: the answer, how a statement holds, where it stands, what is counted."""

from dataclasses import replace

import pytest

from resproof.proofs.statement import Clause, Reading, Statement
from resproof.proofs.verdict import run
from resproof.reporting.names import printed_as
from resproof.reporting.render import pages
from resproof.reporting.said import how, qualified
from resproof.reporting.schema import Ledger, Question, Results, ledger
from resproof.reporting.statement_record import StatementRecord, record
from resproof.reporting.summary import (
    Row,
    Tally,
    answer,
    cited_theorems,
    counts,
    ledger_rows,
    missing,
    reduced,
    standing,
    tallies,
)
from tests.proofs.test_readings import ERRATUM, EXCEPTION, OPEN_END, PROVED, SENSE
from tests.proofs.toys import TOYS, positive, repair, toy, unprinted


def recorded(statement: Statement) -> StatementRecord:
    return record(statement, run(statement))


def rendered(results: Results) -> str:
    return "".join(text for _, text in sorted(pages(results).items()))


def tallied(results: Results, *ones: StatementRecord) -> tuple[Results, Tally]:
    told = results.model_copy(update={"statements": ones})
    (found,) = [each for each in tallies(told) if each.statements.total]
    return told, found


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (("T-proved",), "Yes: every part is proved as printed, for every number of units"),
        (("T-proved", "T-repaired"), "Not quite as printed; with the"),
        (("T-proved", "T-refuted", "T-open"), "No: at least one part is refuted"),
        (("T-proved", "T-open"), "This is not settled"),
        (("T-proved", "T-refuted", "T-error"), "No: at least one part is refuted"),
        (("T-proved", "T-open", "T-error"), "This run gives no answer: the program broke"),
        (("T-failed", "T-error"), "This run gives no answer: something that was offered"),
        (("T-proved", "T-observed"), "This is not settled"),
        (("T-proved", "DR-M1"), "This is not settled"),
        (("T-refuted", "T-failed"), "This run gives no answer"),
        ((), "This is not settled"),
    ],
)
def test_the_answer_follows_from_the_verdicts(results: Results, ids: tuple[str, ...], sentence: str) -> None:
    first, *others = results.ledger.papers
    asking = first.model_copy(update={"question": Question(title="T", about="", parts=ids)})
    asked = results.model_copy(update={"ledger": Ledger(papers=(asking, *others))})
    assert answer(asked).sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        ((PROVED,), "word for word"),
        ((PROVED, replace(PROVED, reading=ERRATUM)), "with an erratum (printed R - 1; read R)"),
        ((replace(PROVED, reading=EXCEPTION),), "except for x = 0"),
        ((replace(PROVED, reading=SENSE),), "in the sense that its source fixes (toy: badly conditioned)"),
        (
            (PROVED, replace(PROVED, hypotheses=(unprinted,))),
            f"with a hypothesis that is not printed in 1 of 2 clauses ({unprinted.sentence})",
        ),
        ((replace(PROVED, hypotheses=(unprinted,)),), f"with a hypothesis that is not printed ({unprinted.sentence})"),
        ((PROVED, replace(PROVED, arguments=(), repair=repair)), "after a repair in 1 of 2 clauses"),
    ],
)
def test_how_a_statement_holds(clauses: tuple[Clause, ...], said: str) -> None:
    assert how(recorded(toy("T", clauses=clauses))) == said


@pytest.mark.parametrize(
    ("reading", "label", "stands"),
    [
        (ERRATUM, "PROVED (erratum)", "with an erratum"),
        (EXCEPTION, "PROVED (exception)", "except on a null set"),
        (SENSE, "PROVED (sense)", "in the sense of its proof"),
    ],
)
def test_a_reading_is_told_with_the_verdict(reading: Reading, label: str, stands: str) -> None:
    one = recorded(toy("T", clauses=(PROVED, replace(PROVED, reading=reading)), hypotheses=(positive,)))
    assert (qualified(one), standing(one)) == (label, stands)


def test_what_no_document_prints_is_not_as_printed() -> None:
    own = recorded(toy("T", clauses=(PROVED,), source=None))
    assert standing(own) == standing(own, own.clauses[0]) == "proved, printed nowhere"
    ours = replace(PROVED, sentence="And more.", ours=True)
    both = recorded(toy("T", clauses=(PROVED, ours), hypotheses=(positive,)))
    assert standing(both) == "as printed"
    assert [standing(both, clause) for clause in both.clauses] == ["as printed", "proved, printed nowhere"]
    assert standing(recorded(toy("T", clauses=(ours,), hypotheses=(positive,)))) == "proved, printed nowhere"


def test_counts(results: Results) -> None:
    assert [*counts(results).values()][:-1] == [1, 1, 1, 1, 1, 2, 1]
    assert counts(results)["not attempted"] == len(missing(results.ledger, results.statements)) > 80
    (theorem,) = cited_theorems(results)
    assert (theorem.key, theorem.users) == ("svd", ("T-proved",))


def test_an_attempted_entry_takes_its_place_in_the_ledger(results: Results) -> None:
    rows = ledger_rows(results.model_copy(update={"statements": (replace(results.statements[0], id="DR-M2"),)}))
    first_section = next(iter(rows["demystifying-resnet"].sections.values()))
    assert [row.status for row in first_section[:2]] == ["not attempted", "PROVED"]
    assert "further" not in rows


def test_a_misprint_is_listed_with_the_statement_it_is_in(results: Results) -> None:
    alone, title = counts(results)["not attempted"], "DR-T1b: The letter $`n`$ in Assumption 1 and Equations 6 and 7"
    assert f"- Not attempted: {title.replace(': ', ', ')}\n" in rendered(results)
    holder = replace(results.statements[0], id="DR-T1")
    treated = results.model_copy(update={"statements": (*results.statements, holder)})
    rows = {row.id: row for paper in ledger_rows(treated).values() for row in paper.rows}
    assert rows["DR-T1b"].status == "erratum, see DR-T1"
    assert counts(treated)["not attempted"] == alone - 2 == len(missing(treated.ledger, treated.statements))
    link = "[DR\N{NON-BREAKING HYPHEN}T1](../statements/DR-T1.md)"
    assert f"\n\n- {title} (erratum, see {link})\n\n" in rendered(treated)


def test_statements_and_their_clauses_are_counted_apart(results: Results) -> None:
    _, toys = tallied(results, *results.statements)
    stand = {"as printed": 1, "after repair": 1, "refuted": 1, "observed": 1, "not settled": 4}
    assert {name: count for name, count in toys.statements.standings.items() if count} == stand
    assert (toys.statements.total, toys.statements.contradicted) == (len(TOYS), 2)
    clauses = (PROVED, *(replace(PROVED, reading=each) for each in (ERRATUM, EXCEPTION, SENSE)))
    told, found = tallied(results, recorded(toy("T", clauses=clauses, hypotheses=(positive,))))
    assert {name for name, count in found.statements.standings.items() if count} == {"in the sense of its proof"}
    assert sum(found.clauses.standings.values()) == found.clauses.total == 4
    assert "| 4 clauses | 1 | 1 | 1 | 1 |" in rendered(told)
    _, added = tallied(results, recorded(toy("T", clauses=(PROVED,), hypotheses=(unprinted,))))
    assert (added.statements.standings["after repair"], added.clauses.standings["after repair"]) == (1, 1)
    told, left = tallied(results, recorded(toy("T", clauses=(PROVED, OPEN_END))))
    assert (left.statements.standings["not settled"], left.clauses.standings["not settled"]) == (1, 1)
    assert qualified(told.statements[0]) == "OPEN (1 of 2 clauses)"
    assert "no proof is known" in rendered(told)


def test_arrows_that_follow_from_others_are_left_out() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    assert reduced([("a", "d"), *chain, ("a", "c"), ("e", "d"), ("a", "b")]) == [*chain, ("e", "d")]


def test_what_is_ours_is_told_by_what_it_stands_beside(results: Results) -> None:
    source = results.statements[0].source
    ones = (
        replace(
            results.statements[0], id="DR-M1", source=source and replace(source, number="Lemma 1 (arXiv); Lemma 2")
        ),
        replace(results.statements[1], id="DR-M2", source=None),
        replace(results.statements[1], id="GEN-1", source=None),
    )
    told: dict[str, str] = {}
    for each in ledger_rows(results.model_copy(update={"statements": ones, "ledger": ledger()})).values():
        for rows in each.sections.values():
            here: list[Row] = [row for row in rows if row.statement]
            told |= {row.id: printed_as(row, here, each.rows) for row in here}
    assert told == {"DR-M1": "Lemma 1 (arXiv); Lemma 2", "DR-M2": "ours (Lemma 1)", "GEN-1": "GEN-1"}
