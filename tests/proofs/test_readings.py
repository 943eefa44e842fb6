"""How a clause is read: misprints, exceptional sets, senses, hypotheses that are needed, and what stays open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from resproof.proofs.changes import Change
from resproof.proofs.results import Result, readings_of
from resproof.proofs.statement import PRINTED, Argument, Clause, Erratum, ExceptionalSet, Hypothesis, Induction, Sense
from resproof.proofs.verdict import run
from resproof.symbolic.scope import Scope
from tests.proofs.toys import (
    ALL,
    SOME,
    counterexample,
    explicit,
    floating,
    lift,
    positive,
    raises,
    repair,
    returns,
    source,
    toy,
)

SIZES = {"R": 1, "d": 1}
BOTH = (lift, explicit)
FAILS = Argument("at zero", "instance", returns(0, SOME), 0, {PRINTED: 1})
NULL = Argument("at one", "identity", returns(True, ALL), claim=True, neighbours={"it vanishes": False})
ERRATUM = Erratum("R - 1", "R", "the product of R factors", "Eq. 15", FAILS)
EXCEPTION = ExceptionalSet("x = 0", FAILS, NULL)
SENSE = Sense("toy", "badly conditioned", "near-singular, that is", "section 4")
OPEN_END = Clause("The rest.", SIZES, unsettled="no proof is known")
PROVED = Clause("It holds.", SIZES, BOTH)
REFUTED = Clause("Word for word.", SIZES, counterexample=counterexample)


def judged(*clauses: Clause, **further: Any) -> Result:
    return run(toy("T", clauses=clauses, hypotheses=(positive,), **further))


@pytest.mark.parametrize(
    ("reading", "kind"), [(None, "word for word"), (ERRATUM, "erratum"), (EXCEPTION, "exception"), (SENSE, "sense")]
)
def test_a_reading_qualifies_and_changes_no_verdict(reading: Any, kind: str) -> None:
    result = judged(replace(PROVED, reading=reading))
    assert (result.verdict, result.all_sizes, readings_of(result.clauses)) == ("PROVED", True, (kind,))


def test_a_statement_that_is_one_clause_has_a_reading_too() -> None:
    result = run(toy("T", arguments=BOTH, reading=ERRATUM))
    assert result.clauses[0].reading is not None
    assert result.clauses[0].reading.quote == ERRATUM.quote


@pytest.mark.parametrize(
    "broken",
    [
        replace(ERRATUM, fails=replace(FAILS, claim=1, neighbours={PRINTED: 1})),
        replace(EXCEPTION, fails=replace(FAILS, neighbours={PRINTED: 0})),
        replace(EXCEPTION, null=replace(NULL, compute=returns(False, ALL))),
    ],
)
def test_a_reading_that_does_not_hold_fails_its_clause(broken: Any) -> None:
    result = judged(replace(PROVED, reading=broken))
    assert (result.verdict, result.reason.partition(":")[0]) == ("FAILED", "reading")


class TestWhereTheExceptionIsNull:
    """A clause that is proved off a set is proved for the sizes alone for which that set is shown to be null."""

    @pytest.mark.parametrize(
        ("null", "scope"),
        [
            (NULL, "all R, d"),
            (replace(NULL, compute=returns(True, Scope.leaving_free("d"))), "all R, d"),  # it is the same for every R
            (replace(NULL, route="instance", compute=returns(True, SOME)), "R=1, d=2; R=2, d=2"),
            (replace(NULL, compute=returns(True, Scope.over(R=(1, 2)))), "R = 1, 2, all d"),
            (replace(NULL, compute=returns(True, Scope.over(n=2))), "all R, d"),  # n is no size of the clause
            (Induction("R", replace(NULL, compute=returns(True, Scope.over(R=(1, 2)))), NULL), "all R, d"),
            (Induction("R", replace(NULL, compute=returns(True, Scope.over(R=(2, 3)))), NULL), "R = 2, 3, all d"),
        ],
    )
    def test_its_sizes_restrict_the_clause(self, null: Any, scope: str) -> None:
        (clause,) = judged(replace(PROVED, reading=replace(EXCEPTION, null=null))).clauses
        assert (clause.verdict, clause.scope, clause.all_sizes) == ("PROVED", scope, scope == "all R, d")

    def test_it_carries_no_size_that_the_proof_does_not(self) -> None:
        only_d = replace(lift, compute=returns(4, Scope.leaving_free("d")))
        (clause,) = judged(replace(PROVED, arguments=(only_d, explicit), reading=EXCEPTION)).clauses
        assert (clause.scope, clause.all_sizes) == ("all d; not carried through: R", False)

    def test_controls_alone_are_restricted_too(self) -> None:
        null = replace(NULL, compute=returns(True, Scope.over(R=1, d=2)))
        shown = replace(explicit, compute=returns(4, Scope.over(R=1, d=(1, 2, 3))))
        (clause,) = judged(replace(PROVED, arguments=(shown,), reading=replace(EXCEPTION, null=null))).clauses
        assert (clause.scope, clause.all_sizes) == ("R = 1, d = 2", False)

    def test_words_of_the_source_ask_for_no_null_set(self) -> None:
        hedged = replace(
            EXCEPTION, null=replace(NULL, route="instance", compute=returns(True, SOME)), hedge="in general"
        )
        quotation = replace(source, quote="in general it is so, <always>")
        assert judged(replace(PROVED, reading=hedged), source=quotation).all_sizes
        with pytest.raises(ValueError, match="'in general' is not in the quotation"):
            _ = judged(replace(PROVED, reading=hedged))


def test_a_reading_that_breaks_is_an_error() -> None:
    broken = replace(ERRATUM, fails=replace(FAILS, compute=raises(ZeroDivisionError())))
    assert judged(replace(PROVED, reading=broken)).verdict == "ERROR"


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(ERRATUM, fails=replace(FAILS, neighbours={"other": 1})),
        lambda: replace(EXCEPTION, null=None),
        lambda: replace(ERRATUM, quote=" "),
        lambda: replace(PROVED, sentence=" "),
        lambda: replace(PROVED, at={"d": 2}),
        lambda: replace(REFUTED, repair=replace(repair, sentence=REFUTED.sentence, changes=())),
        lambda: toy("T", counterexample=counterexample, repair=replace(repair, changes=())),
        lambda: replace(SENSE, quote=""),
        lambda: replace(EXCEPTION, fails=replace(floating, neighbours={PRINTED: 8.0})),
        lambda: replace(positive, needed=lift),
        lambda: replace(OPEN_END, arguments=BOTH),
        lambda: toy("T", reading=ERRATUM),
    ],
)
def test_refused_when_written(make: Any) -> None:
    with pytest.raises(ValueError, match=r"lacks the neighbour|neither shown null|expected"):
        make()


class TestClauses:
    def test_the_worst_of_them_is_the_verdict(self) -> None:
        repaired = replace(REFUTED, repair=repair)
        for clauses, verdict in (
            ((PROVED, repaired), "REPAIRED"),
            ((PROVED, repaired, OPEN_END), "OPEN"),
            ((PROVED, REFUTED, OPEN_END), "REFUTED"),
            ((PROVED, replace(PROVED, arguments=(replace(lift, claim=5), explicit)), REFUTED), "FAILED"),
        ):
            assert judged(*clauses).verdict == verdict

    def test_a_clause_with_a_proof_and_a_counterexample_failed(self) -> None:
        result = judged(replace(PROVED, counterexample=counterexample))
        assert (result.verdict, "both went through" in result.reason) == ("FAILED", True)

    def test_a_counterexample_satisfies_the_hypotheses_of_its_clause(self) -> None:
        large = Hypothesis("x > 1", lambda x: x > 1, fails_on=Fraction(0), quote="always")
        assert judged(replace(REFUTED, hypotheses=(large,))).verdict == "FAILED"

    def test_what_is_said_to_be_open_is_told_from_what_did_not_run(self) -> None:
        assert judged(PROVED, OPEN_END).unsettled
        assert not judged(PROVED, replace(PROVED, arguments=(lift,))).unsettled

    def test_other_readings_have_verdicts_that_do_not_count(self) -> None:
        result = judged(replace(PROVED, reading=SENSE, other_readings=(REFUTED,)))
        assert (result.verdict, result.clauses[0].other_readings[0].verdict) == ("PROVED", "REFUTED")

    def test_unless_they_failed(self) -> None:
        wrong = replace(PROVED, arguments=(replace(lift, claim=5), explicit))
        assert judged(replace(PROVED, reading=SENSE, other_readings=(wrong,))).verdict == "FAILED"


class TestHypothesesOfAClause:
    added = Hypothesis("x is small", lambda x: x < 1, Fraction(2), printed=False, needed=FAILS, holds_on=0)

    def test_one_that_is_not_printed_repairs_its_clause_alone(self) -> None:
        result = judged(PROVED, replace(PROVED, hypotheses=(self.added,)))
        assert (result.verdict, [one.verdict for one in result.clauses]) == ("REPAIRED", ["PROVED", "REPAIRED"])
        assert "not printed: x is small" in result.reason

    def test_within_a_repair_it_is_what_was_changed(self) -> None:
        clause = replace(PROVED, hypotheses=(self.added,))
        changes = (Change("*zero*", PROVED.sentence),)
        result = run(toy("T", repair=replace(repair, sentence="", arguments=(), clauses=(clause,), changes=changes)))
        assert result.verdict == "REPAIRED"

    def test_one_that_is_not_needed_fails(self) -> None:
        needless = replace(self.added, needed=replace(FAILS, neighbours={PRINTED: 0}))
        assert judged(replace(PROVED, hypotheses=(needless,))).verdict == "FAILED"
        assert run(toy("T", arguments=BOTH, hypotheses=(needless,))).verdict == "FAILED"

    def test_one_that_rejects_nothing_fails(self) -> None:
        idle = replace(self.added, predicate=lambda _: True)
        assert judged(replace(PROVED, hypotheses=(idle,))).verdict == "FAILED"
