import re
from dataclasses import replace

import pytest

from resproof.proofs.registry import registry
from resproof.proofs.results import Verdict
from resproof.proofs.runs import run_all
from resproof.proofs.statement import Clause, Context, Reading
from resproof.proofs.verdict import run
from resproof.reporting.markdown import outside_measured, prose
from resproof.reporting.render import pages
from resproof.reporting.said import how, qualified
from resproof.reporting.schema import Ledger, Question, Results
from resproof.reporting.scopes import shortened
from resproof.reporting.statement_record import record
from resproof.reporting.summary import (
    STANDINGS,
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


def rendered(results: Results) -> str:
    return "".join(text for _, text in sorted(pages(results).items()))


def asking(results: Results, *ids: str) -> Results:
    first, *others = results.ledger.papers
    one = first.model_copy(update={"question": Question(title="T", about="", parts=ids)})
    ledger = Ledger(papers=(one, *others))
    return results.model_copy(update={"ledger": ledger})


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
    assert answer(asking(results, *ids)).sentence.startswith(sentence)


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
    one = toy("T", clauses=clauses)
    assert how(record(one, run(one))) == said


@pytest.mark.parametrize(
    ("scope", "shown"),
    [
        ("n = 2..6, all R, d, m", "n = 2..6, all R, d, m"),
        ("R=1, d=2; R=2, d=2; R=3, d=1; R=4, d=1", "R=1, d=2; R=2, d=2 and 2 more"),
        ("", ""),
    ],
)
def test_a_long_list_is_shortened(scope: str, shown: str) -> None:
    assert shortened(scope) == shown


def test_cited_theorems_and_who_uses_them(results: Results) -> None:
    (found,) = cited_theorems(results)
    assert (found.key, found.users) == ("svd", ("T-proved",))


def test_arrows_that_follow_from_others_are_left_out() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    assert reduced([("a", "d"), *chain, ("a", "c"), ("e", "d"), ("a", "b")]) == [*chain, ("e", "d")]


def test_counts(results: Results) -> None:
    found = counts(results)
    assert [found[v] for v in ("PROVED", "OBSERVED", "REFUTED", "REPAIRED", "FAILED", "OPEN", "ERROR")] == [
        1,
        1,
        1,
        1,
        1,
        2,
        1,
    ]
    assert found["not attempted"] == len(missing(results.ledger, results.statements)) > 80


def test_an_attempted_entry_takes_its_place_in_the_ledger(results: Results) -> None:
    first = replace(results.statements[0], id="DR-M2")
    rows = ledger_rows(results.model_copy(update={"statements": (first,)}))
    first_section = next(iter(rows["demystifying-resnet"].sections.values()))
    assert [row.status for row in first_section[:2]] == ["not attempted", "PROVED"]
    assert "further" not in rows


def test_a_misprint_is_listed_with_the_statement_it_is_in(results: Results) -> None:
    alone, title = counts(results), "DR-T1b: The letter $`n`$ in Assumption 1 and Equations 6 and 7"
    assert f"- Not attempted: {title.replace(': ', ', ')}\n" in rendered(results)
    treated = results.model_copy(
        update={"statements": (*results.statements, replace(results.statements[0], id="DR-T1"))}
    )
    rows = {row.id: row for paper in ledger_rows(treated).values() for row in paper.rows}
    assert rows["DR-T1b"].status == "erratum, see DR-T1"
    assert counts(treated)["not attempted"] == alone["not attempted"] - 2
    assert len(missing(treated.ledger, treated.statements)) == alone["not attempted"] - 2
    assert "DR-T1b" not in missing(treated.ledger, treated.statements)
    link = "[DR\N{NON-BREAKING HYPHEN}T1](../statements/DR-T1.md)"
    assert f"\n\n- {title} (erratum, see {link})\n\n" in rendered(treated)


def test_where_the_statements_of_each_paper_stand(results: Results) -> None:
    found = {each.paper.slug: each for each in tallies(results)}
    further = found["further"].statements
    assert (further.total, sum(further.standings.values())) == (len(TOYS), len(TOYS))
    assert {name: further.standings[name] for name in ("as printed", "after repair", "refuted", "not settled")} == {
        "as printed": 1,
        "after repair": 1,
        "refuted": 1,
        "not settled": 4,
    }
    assert further.contradicted == 2
    assert min(each.not_attempted for each in found.values() if each.paper.slug != "further") > 0


@pytest.mark.parametrize(
    ("reading", "label", "stands"),
    [
        (ERRATUM, "PROVED (erratum)", "with an erratum"),
        (EXCEPTION, "PROVED (exception)", "except on a null set"),
        (SENSE, "PROVED (sense)", "in the sense of its proof"),
    ],
)
def test_a_reading_is_told_with_the_verdict(reading: Reading, label: str, stands: str) -> None:
    statement = toy("T", clauses=(PROVED, replace(PROVED, reading=reading)), hypotheses=(positive,))
    one = record(statement, run(statement))
    assert (qualified(one), standing(one), stands in STANDINGS) == (label, stands, True)


def test_open_clauses_are_counted(results: Results) -> None:
    statement = toy("T", clauses=(PROVED, OPEN_END))
    one = record(statement, run(statement))
    assert qualified(one) == "OPEN (1 of 2 clauses)"
    (found,) = [each for each in tallies(results.model_copy(update={"statements": (one,)})) if each.statements.total]
    assert (found.statements.total, found.statements.standings["not settled"]) == (1, 1)
    assert (found.clauses.total, found.clauses.standings["not settled"]) == (2, 1)
    assert "no proof is known" in rendered(results.model_copy(update={"statements": (one,)}))


def test_clauses_are_counted_apart_from_their_statements(results: Results) -> None:
    """One statement of four clauses, which stands where the weakest of them does."""
    clauses = (PROVED, *(replace(PROVED, reading=each) for each in (ERRATUM, EXCEPTION, SENSE)))
    statement = toy("T", clauses=clauses, hypotheses=(positive,))
    told = results.model_copy(update={"statements": (record(statement, run(statement)),)})
    (found,) = [each for each in tallies(told) if each.statements.total]
    assert {name for name, count in found.statements.standings.items() if count} == {"in the sense of its proof"}
    read = ("as printed", "with an erratum", "except on a null set", "in the sense of its proof")
    assert {name: count for name, count in found.clauses.standings.items() if count} == dict.fromkeys(read, 1)
    assert "| 4 clauses | 1 | 1 | 1 | 1 |" in rendered(told)
    added = toy("T", clauses=(PROVED,), hypotheses=(unprinted,))
    one = record(added, run(added))
    (found,) = [each for each in tallies(results.model_copy(update={"statements": (one,)})) if each.statements.total]
    assert (found.statements.standings["after repair"], found.clauses.standings["after repair"]) == (1, 1)


def test_what_no_document_prints_is_not_as_printed() -> None:
    statement = toy("T", clauses=(PROVED,), source=None)
    one = record(statement, run(statement))
    assert standing(one) == standing(one, one.clauses[0]) == "proved, printed nowhere"


def test_a_clause_of_our_own_beside_a_printed_one_is_not_as_printed() -> None:
    both = toy("T", clauses=(PROVED, replace(PROVED, sentence="And more.", ours=True)), hypotheses=(positive,))
    one = record(both, run(both))
    assert standing(one) == "as printed"
    assert [standing(one, clause) for clause in one.clauses] == ["as printed", "proved, printed nowhere"]
    alone = toy("T", clauses=(replace(PROVED, ours=True),), hypotheses=(positive,))
    assert standing(record(alone, run(alone))) == "proved, printed nowhere"


def test_everything_is_said(report: str, results: Results) -> None:
    for one in results.statements:
        assert f"\n# {one.id}: " in report
        assert f"`resproof prove --only {one.id}`" in report
    for text in (
        "- Not attempted: DR-T2.2, ",
        "```mermaid",
        "As printed",
        "x is positive: holds on it",
        f"- x is positive: “{prose(positive.quote)}”",
        "Horn and Johnson",
        '(["svd"])',
    ):
        assert text in report


def test_fences_tables_and_markers_are_well_formed(report: str) -> None:
    assert len(re.findall("^ *```", report, re.MULTILINE)) % 2 == 0
    assert report.count("<!-- measured -->") == report.count("<!-- /measured -->") > 1
    assert "\n\n\n" not in report
    assert report.endswith("\n")


def test_the_same_outside_the_markers(report: str, results: Results) -> None:
    again = run_all(TOYS, Context(seed=0))
    environment = results.environment.model_copy(update={"platform": "another", "device": "cuda"})
    statements = tuple(record(*pair) for pair in zip(TOYS, again, strict=True))
    other = rendered(results.model_copy(update={"environment": environment, "statements": statements}))
    assert other != report
    assert outside_measured(other) == outside_measured(report)


def test_a_report_of_nothing(results: Results) -> None:
    empty = rendered(results.model_copy(update={"statements": ()}))
    assert "This is not settled" in empty
    assert "mermaid" not in empty


def test_measured_values_are_below_their_bounds(results: Results) -> None:
    good: set[Verdict] = {"PROVED", "OBSERVED"}
    measured = [
        m for one in results.statements if one.verdict in good for step in one.evidence for m in step.measurements
    ]
    assert measured
    assert all(one.value <= one.bound for one in measured)


def test_registry_order_is_kept() -> None:
    assert registry(TOYS) == TOYS
    assert replace(TOYS[0], id="other").label == "other-n_shortcut"
