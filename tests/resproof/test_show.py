"""`resproof show`: everything that a statement is, in plain text."""

from dataclasses import replace
from fractions import Fraction

from resproof.proofs.statement import Hypothesis
from resproof.proofs.verdict import run
from resproof.reporting.statement_record import record
from resproof.show import shown
from tests.proofs.test_readings import ERRATUM, FAILS, OPEN_END, PROVED, REFUTED, SENSE
from tests.proofs.toys import TOYS, positive, toy


def text_of(**offered: object) -> str:
    statement = toy("T", **offered)
    return " ".join(shown(record(statement, run(statement))).split())


def test_a_repaired_statement() -> None:
    repaired = next(one for one in TOYS if one.id == "T-repaired")
    text = " ".join(shown(record(repaired, run(repaired))).split())
    for part in (
        "REPAIRED for all R, d",
        "Counterexample: x = 1/2",
        "“the Hessian is [-*zero*-] | <always>”",
        "changed: printed: *zero* → read: 4 |. the constant",
        "What holds instead (PROVED): It holds with {+4 |+} in place of 3.",
        "rejected: as printed",
    ):
        assert part in text


def test_readings_and_clauses() -> None:
    clauses = (replace(PROVED, reading=ERRATUM), replace(PROVED, reading=SENSE, other_readings=(REFUTED,)), OPEN_END)
    text = text_of(clauses=clauses, hypotheses=(positive,))
    for part in (
        "OPEN: no proof is known",
        "PROVED (erratum) for all R, d: It holds.",
        "printed R - 1; read R",
        "The same words read otherwise: REFUTED",
        'hypothesis: x is positive: "<always>"',
    ):
        assert part in text


def test_hypotheses_of_a_clause() -> None:
    added = Hypothesis("x is small", lambda x: x < 1, Fraction(2), printed=False, needed=FAILS, holds_on=0)
    text = text_of(clauses=(replace(PROVED, hypotheses=(added,)),))
    assert "hypothesis: x is small (not printed)" in text
    assert "- at zero (instance" in text


def test_lines_are_short() -> None:
    for one in TOYS:
        assert max(map(len, shown(record(one, run(one))).splitlines())) <= 100
