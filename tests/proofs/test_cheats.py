"""Attempts to get more out of a proof than it carries: none of them comes out PROVED for all sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from resproof.proofs.canaries import CANARIES, PROVED, UNSEEN, require_canaries
from resproof.proofs.known_verdicts import KNOWN, require_known
from resproof.proofs.own import SAYS_FREE
from resproof.proofs.refusals import REFUSED
from resproof.proofs.registry import statements
from resproof.proofs.results import VERDICTS
from resproof.proofs.statement import (
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Evidence,
    ExceptionalSet,
    Induction,
    Sense,
    Statement,
    equal,
)
from resproof.proofs.verdict import run
from resproof.symbolic.scope import Scope
from tests.proofs.offered import claims, hypotheses
from tests.proofs.toys import (
    ALL,
    SOME,
    counterexample,
    explicit,
    facing,
    floating,
    lift,
    measured,
    positive,
    real,
    repair,
    returns,
    toy,
    unprinted,
)

ROOT = Path(__file__).parents[2]
SIZES = {"R": 1, "d": 1}

# The only modules of proofs/ that compute with a size as a symbol, and so may say that it was one; then those of the
# model, which lift by an induction and read for it.
ENGINES = {
    "demystifying_resnet/moving_columns.py",
    "rethinking_skips/depth_products.py",
    "coverage.py",
    "own.py",
}


def identity(scope: Scope, value: Any = 4, **changed: Any) -> Argument:
    return replace(
        Argument("an identity", "identity", returns(value, scope), value, {"another value": value + 1}), **changed
    )


def algebra(*offered: Any, for_all: dict[str, int] | None = None, **more: Any) -> Statement:
    return toy("T", arguments=offered, for_all=SIZES if for_all is None else for_all, kind="algebra", **more)


def at_width(d: int, *offered: Any) -> Statement:
    return toy("T", clauses=(Clause("At one width.", {"R": 1}, offered, at={"d": d}),), kind="algebra")


PAIR = (1, 2)
CHEATS: dict[str, tuple[Statement, str]] = {
    "a typed all over a list": (algebra(identity(Scope.of("n = 1..4, all R, d"))), "ERROR"),
    "a typed all in place of a name": (algebra(identity(Scope.over(**{"all R, d": 1}))), "ERROR"),
    "all of them in other words": (algebra(identity(Scope.of("each R, each d"))), "ERROR"),
    "a size below one": (algebra(identity(Scope.over(R=(-3, 0)))), "ERROR"),
    "a float among exact numbers": (
        algebra(Argument("a half", "identity", returns({"half": 0.5}), {"half": Fraction(1, 2)}, {"one": {"half": 1}})),
        "ERROR",
    ),
    "a distance with a sign": (
        toy(
            "T", evidence=(replace(floating, claim=10.0, compare=lambda a, b: measured(a - b), neighbours={"3": 3.0}),)
        ),
        "ERROR",
    ),
    "a list of nothing": (algebra(identity(ALL & Scope.over(R=()))), "ERROR"),
    "a list": (algebra(identity(Scope.over(R=range(1, 9), d=(1, 2)))), "PROVED"),
    "one size of two": (algebra(identity(Scope.leaving_free("R"))), "PROVED"),
    "one argument for each size, each at a number of the other": (
        algebra(
            identity(Scope.leaving_free("R") & Scope.over(d=2)), identity(Scope.leaving_free("d") & Scope.over(R=3))
        ),
        "PROVED",
    ),
    "one step of two at a number": (algebra(identity(ALL), identity(Scope.over(R=3))), "PROVED"),
    "1 + 1 = 2": (algebra(identity(Scope(), 2)), "OPEN"),
    "sizes that are not named": (algebra(identity(ALL), for_all={}), "PROVED"),
    "a clause without an argument": (
        toy("T", clauses=(Clause("half", SIZES, (lift, explicit)), Clause("the other half", SIZES, ()))),
        "OPEN",
    ),
    "a clause for fewer sizes": (
        toy("T", clauses=(Clause("half", SIZES, (lift, explicit)), Clause("other", SIZES, (explicit,)))),
        "PROVED",
    ),
    "a citation alone": (algebra(Citation("svd", {"M is real": real})), "OPEN"),
    "a condition that cannot fail": (
        algebra(identity(ALL), Citation("svd", {"M is real": Condition(lambda _: True, lambda: 1, lambda: 1j)})),
        "FAILED",
    ),
    "an induction that begins too late": (
        algebra(
            Induction("R", identity(Scope.leaving_free("d") & Scope.over(R=(2, 3))), identity(Scope.leaving_free("d")))
        ),
        "PROVED",
    ),
    "an induction whose step is a number": (
        algebra(Induction("R", identity(Scope.leaving_free("d") & Scope.over(R=(1, 2))), identity(Scope.over(R=5)))),
        "ERROR",
    ),
    "an induction whose step is about nothing": (
        algebra(Induction("R", identity(Scope.leaving_free("d") & Scope.over(R=(1, 2))), identity(Scope(), 2))),
        "ERROR",
    ),
    "a null set that is shown of nothing": (
        algebra(identity(ALL), reading=ExceptionalSet("everything", facing[0], null=identity(Scope(), 2))),
        "OPEN",
    ),
    "true in place of one": (algebra(identity(ALL, True, claim=1, neighbours={"none": 0})), "ERROR"),
    "evidence for every size": (
        toy("T", evidence=(replace(floating, compare=lambda a, b: replace(measured(abs(a - b)), sizes="all R, d")),)),
        "ERROR",
    ),
    "an induction over another size": (
        algebra(Induction("d", identity(Scope.leaving_free("d") & Scope.over(R=(1, 2))), identity(ALL))),
        "ERROR",
    ),
    "an induction whose base says no first values": (
        algebra(Induction("R", identity(ALL), identity(ALL))),
        "ERROR",
    ),
    "a hypothesis swapped for another": (
        algebra(identity(ALL), hypotheses=(unprinted,)),
        "REPAIRED",
    ),
    "a comparison that always agrees": (algebra(identity(ALL, compare=lambda found, claim: None)), "FAILED"),
    "a claim that is what it is compared with": (
        algebra(identity(ALL, 17, claim=4, neighbours={"another": 5}, compare=lambda _, claim: equal(claim, 4))),
        "FAILED",
    ),
    "a claim that is what is computed": (
        algebra(Argument("itself", "identity", returns(PAIR), PAIR, {"another": (1, 3)})),
        "FAILED",
    ),
    "a claim that is looked up": (
        algebra(Argument("itself", "identity", lambda _: Computed(PAIR, ALL), PAIR, {"another": (1, 3)})),
        "FAILED",
    ),
    "one falsehood under two names": (algebra(identity(ALL, neighbours={"twice": 8, "transposed": 8})), "FAILED"),
    "a network without its small cases": (toy("T", arguments=(lift,)), "OPEN"),
    "a small network that does not say a size": (
        toy("T", arguments=(lift, replace(explicit, compute=returns(4, Scope.over(R=1))))),
        "OPEN",
    ),
    "a step at another value of a size that is fixed": (
        at_width(2, identity(Scope.leaving_free("R") & Scope.over(d=1))),
        "OPEN",
    ),
    "a step that does not say a size that is fixed": (
        at_width(2, identity(Scope.leaving_free("R"))),
        "OPEN",
    ),
    "a table over sizes that are not said": (
        algebra(Argument("ranks", "identity", returns({1: 1}, Scope()), {1: 1}, {"another": {1: 2}})),
        "ERROR",
    ),
    "a table over fewer sizes than it is said to be": (
        algebra(Argument("ranks", "identity", returns({1: 1}, Scope.over(R=(1, 2))), {1: 1}, {"another": {1: 2}})),
        "ERROR",
    ),
    "evidence in place of a proof": (toy("T", evidence=(replace(floating, compute=returns(4.0, ALL)),)), "OBSERVED"),
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_is_not_proved_for_all_sizes(cheat: tuple[Statement, str]) -> None:
    statement, verdict = cheat
    result = run(statement)
    assert (result.verdict, result.all_sizes and result.verdict == "PROVED") == (verdict, False), result.reason


def test_the_same_without_the_cheat_is() -> None:
    result = run(algebra(Induction("R", identity(Scope.leaving_free("d") & Scope.over(R=(1, 2))), identity(ALL))))
    assert (result.verdict, result.scope, result.all_sizes) == ("PROVED", "all R, d", True)
    for scope in (Scope.leaving_free("R") & Scope.over(d=2), ALL):
        assert run(at_width(2, identity(scope))).all_sizes


def at_most(bound: float, times: float = 1) -> Evidence:
    """The evidence that a number, 4 in truth, is at most this bound."""
    return replace(
        floating,
        claim=bound,
        neighbours={"half": 2.0},
        compare=lambda found, claim: replace(measured(times * found if claim > 2 else found, claim), at_most=True),
    )


def test_a_value_near_what_it_is_at_most_is_evidence() -> None:
    assert run(toy("T", evidence=(at_most(4.5),))).verdict == "OBSERVED"


def loose(bound: float, value: float = 0.0, *, given: bool = False) -> Evidence:
    """The evidence that a number is 4, within this bound; so far off is what is measured, and further from 5."""
    return replace(
        floating,
        compare=lambda found, claim: replace(measured(value + abs(found - claim), bound), scale=4.0),
        given=given,
    )


@pytest.mark.parametrize("evidence", [loose(4e-9), loose(0.1, 0.01), loose(0.1, given=True)])
def test_a_bound_that_leaves_digits_or_is_come_near_to_is_evidence(evidence: Evidence) -> None:
    assert run(toy("T", evidence=(evidence,))).verdict == "OBSERVED"


FAILING: dict[str, Statement] = {
    "a hypothesis whose check cannot fail": toy(
        "T",
        hypotheses=(replace(positive, predicate=lambda _: True, holds_on=None),),
        counterexample=counterexample,
    ),
    "a hypothesis of a proof whose check cannot fail": algebra(
        identity(ALL), hypotheses=(replace(positive, predicate=lambda _: True),)
    ),
    "a hypothesis that nothing satisfies": algebra(
        identity(ALL), hypotheses=(replace(positive, predicate=lambda _: False),)
    ),
    "an error multiplied by zero": toy(
        "T", evidence=(replace(floating, compare=lambda found, claim: measured(0 * abs(found - claim))),)
    ),
    "a bound that nothing exceeds": toy(
        "T", evidence=(replace(floating, compare=lambda found, claim: measured(abs(found - claim), 1e6)),)
    ),
    "a bound without the size of what is compared": toy(
        "T",
        evidence=(
            replace(
                floating,
                neighbours={"far off": 1e9},
                compare=lambda found, claim: replace(measured(abs(found - claim), 1e6), scale=None),
            ),
        ),
    ),
    "a value far below what it is at most": toy("T", evidence=(at_most(4.0e6),)),
    "a value that is at most its bound, times zero": toy("T", evidence=(at_most(4.0, times=0),)),
    "a bound of rounding, times a million": toy("T", evidence=(loose(4e-9 * 10**6),)),
    "one number of two, times zero": toy(
        "T",
        evidence=(
            replace(
                floating,
                compare=lambda found, claim: (
                    measured(abs(found - claim)),
                    replace(measured(0 * abs(found - claim)), quantity="another"),
                ),
            ),
        ),
    ),
    "a distance near its bound, times zero": toy("T", evidence=(loose(0.1, 0 * 0.01),)),
}


@pytest.mark.parametrize("statement", FAILING.values(), ids=FAILING)
def test_fails(statement: Statement) -> None:
    assert run(statement).verdict == "FAILED"


@pytest.mark.parametrize(("sentence", "least"), [(r"For $n \ge 2$ it is so.", 3), (r"It is so where $n > 1$.", 3)])
def test_a_sentence_speaks_of_no_more_sizes_than_are_proved(sentence: str, least: int) -> None:
    with pytest.raises(ValueError, match=f"speaks of n = 2; expected {least} or more"):
        Clause(sentence, {"n": least}, (identity(ALL),))
    assert Clause(sentence, {"n": 2, "R": 5}).for_all["n"] == 2


_unsaid = replace(positive, quote="")
_under_unsaid = Clause("It is so.", SIZES, (lift, explicit), (_unsaid,))


def _read_otherwise(clause: Clause) -> Clause:
    return Clause("It is thus.", SIZES, (lift, explicit), other_readings=(clause,))


UNSAID = {
    "for every width it does not speak of": lambda: Clause(
        r"For all $n$ and $d$ it is so.", {"n": 1}, (identity(ALL),)
    ),
    "for every width of one": lambda: Clause("For every $d$ it is so.", {"R": 1}, (identity(ALL),), at={"d": 1}),
    "for every depth of none": lambda: Clause("It is so at every depth.", {"d": 1}, (identity(ALL),)),
    "a sense of a word that nobody says": lambda: algebra(
        identity(ALL), reading=Sense("cucumber", "a matrix", "a vegetable", "nowhere")
    ),
    "a printed hypothesis that nobody prints": lambda: algebra(identity(ALL), hypotheses=(_unsaid,)),
    "such a one of a clause": lambda: toy("T", clauses=(_under_unsaid,)),
    "such a one of another reading": lambda: toy("T", clauses=(_read_otherwise(_under_unsaid),)),
    "such a one of another reading of another reading": lambda: toy(
        "T", clauses=(_read_otherwise(_read_otherwise(_under_unsaid)),)
    ),
    "a printed hypothesis in words of another place": lambda: algebra(
        identity(ALL), hypotheses=(replace(positive, quote="the Hessian is ... positive"),)
    ),
    "a printed hypothesis in a part of a word": lambda: algebra(
        identity(ALL), hypotheses=(replace(positive, quote="Hess"),)
    ),
    "a printed hypothesis in words that are left out": lambda: replace(positive, quote="..."),
    "a printed hypothesis somewhere": lambda: replace(_unsaid, where="Assumption 3"),
    "words of a hypothesis that is not printed": lambda: replace(positive, printed=False),
    "one route given twice": lambda: replace(counterexample, routes=(_twice(1), _twice(1))),
}


def _value(value: int, _: Context) -> Computed:
    return Computed(value, SOME)


def _twice(value: int) -> Argument:
    return replace(facing[0], compute=partial(_value, value))


@pytest.mark.parametrize("write", UNSAID.values(), ids=UNSAID)
def test_cannot_be_written(write: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"expected|neither stated nor quoted"):
        write()


def test_words_elsewhere_say_where_and_what_nobody_printed_needs_none() -> None:
    elsewhere = replace(positive, quote="x > 0", where="Assumption 3")
    assert run(algebra(identity(ALL), hypotheses=(elsewhere,))).verdict == "PROVED"
    assert run(algebra(identity(ALL), hypotheses=(_unsaid,), source=None)).verdict == "PROVED"
    changes = (replace(repair.changes[0], read=_under_unsaid.sentence),)
    mended = replace(repair, sentence="", arguments=(), clauses=(_under_unsaid,), changes=changes)
    assert run(toy("T", repair=mended)).verdict == "REPAIRED"


def test_a_verdict_shows_the_words_that_print_a_hypothesis() -> None:
    elsewhere = replace(positive, quote="x > 0", where="Assumption 3")
    (found,) = run(algebra(identity(ALL), hypotheses=(elsewhere,))).hypotheses
    assert (found.quote, found.where) == ("x > 0", "Assumption 3")


def test_two_routes_of_one_function_differ_in_what_they_are_given() -> None:
    assert replace(counterexample, routes=(_twice(1), _twice(2)))


def test_no_statement_says_that_a_size_was_free() -> None:
    for path in (ROOT / "proofs").rglob("*.py"):
        if str(path.relative_to(ROOT / "proofs")) not in ENGINES:
            assert not SAYS_FREE.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_each_hypothesis_is_seen_failing(statement: Statement) -> None:
    for one in hypotheses(statement):
        assert one.fails_on is not None, one.sentence
        assert one.predicate(one.fails_on) is False, one.sentence


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_each_sentence_that_is_argued_for_names_its_sizes(statement: Statement) -> None:
    assert all(one.for_all for one in claims(statement))


@pytest.mark.parametrize("canary", CANARIES, ids=lambda one: one.id)
def test_a_canary_is_never_proved_for_all_sizes(canary: Statement) -> None:
    result = run(canary, parts=("exact",))
    assert not (result.verdict in {"PROVED", "REPAIRED"} and result.all_sizes)


def test_what_canaries_are_made_of_is_proved_for_all_sizes() -> None:
    whole = replace(CANARIES[0], arguments=PROVED)
    result = run(whole)
    assert (result.verdict, result.all_sizes) == ("PROVED", True)
    assert sum(all(one in canary.arguments for one in PROVED) for canary in CANARIES) > 4


def test_a_canary_that_is_proved_stops_the_run() -> None:
    require_canaries()
    with pytest.raises(RuntimeError, match="T, which is false, came out PROVED"):
        require_canaries((algebra(identity(ALL)),))


def test_a_verdict_that_comes_out_otherwise_stops_the_run() -> None:
    require_known()
    for one in KNOWN[:12]:
        with pytest.raises(RuntimeError, match="known verdict 1 came out as"):
            require_known((one._replace(verdict="OPEN"),))


def test_every_verdict_is_known_to_come_about() -> None:
    assert {one.verdict for one in KNOWN} == {*VERDICTS}


def test_evidence_that_says_nothing_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resproof.proofs.canaries.UNSEEN", (toy("T", evidence=(floating,)),))
    with pytest.raises(RuntimeError, match="T, which shows nothing, came out OBSERVED"):
        require_canaries()


def test_what_cannot_be_right_and_is_not_refused_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resproof.proofs.canaries.UNWRITABLE", {"an argument": lambda: identity(ALL)})
    with pytest.raises(RuntimeError, match="an argument is not refused"):
        require_canaries()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_said_in_the_words_of_the_engine(name: str) -> None:
    with pytest.raises(ValueError, match=r"[:;] "):
        _ = REFUSED[name]()


@pytest.mark.parametrize("statement", UNSEEN, ids=lambda one: one.id)
def test_evidence_that_says_nothing_fails_each_in_a_way_of_its_own(statement: Statement) -> None:
    reasons = {one.id: run(one).reason for one in UNSEEN}
    assert run(statement).verdict == "FAILED"
    assert len(set(reasons.values())) == len(UNSEEN)
