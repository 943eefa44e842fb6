"""Every row of the verdict table, and everything that must never pass."""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from resproof.proofs.registry import find, registry
from resproof.proofs.results import Result
from resproof.proofs.routes.predicates import matches
from resproof.proofs.runs import fully_proved, run_all
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Context,
    Counterexample,
    Data,
    Disagreement,
    Hypothesis,
    Indistinct,
    Induction,
    Repair,
    Statement,
    Unavailable,
    Unsuited,
    equal,
    within,
)
from resproof.proofs.verdict import joined, run
from resproof.symbolic.scope import Scope
from tests.proofs.toys import (
    ALL,
    TOYS,
    counterexample,
    explicit,
    facing,
    find_toys,
    floating,
    gpu,
    lift,
    measured,
    modular,
    positive,
    raises,
    real,
    repair,
    returns,
    svd,
    toy,
    unavailable,
)


def verdict(**offered: Any) -> tuple[str, str]:
    result = run(toy("T", **offered))
    return result.verdict, result.reason


def is_(expected: str, reason: str = "", **offered: Any) -> None:
    found, why = verdict(**offered)
    assert (found, why if not reason else reason in why) == (expected, why if not reason else True), why


class TestProved:
    def test_for_all_sizes(self) -> None:
        result = run(toy("T", arguments=(lift, explicit)))
        assert (result.verdict, result.scope, result.all_sizes) == ("PROVED", "all R, d", True)
        assert result.steps[0].rejected == ("twice", "transposed")

    def test_for_the_sizes_listed(self) -> None:
        result = run(toy("T", arguments=(explicit,)))
        assert (result.verdict, result.scope, result.all_sizes) == ("PROVED", "R=1, d=2; R=2, d=2", False)

    def test_a_network_for_all_sizes_needs_an_explicit_route(self) -> None:
        is_("OPEN", "no explicit route", arguments=(lift,))

    def test_algebra_does_not(self) -> None:
        identity = replace(lift, route="identity")
        is_("PROVED", arguments=(identity,), kind="algebra")

    def test_with_evidence_beside_it(self) -> None:
        is_("PROVED", arguments=(lift, explicit), evidence=(floating, modular))

    def test_missing_evidence_takes_nothing_away(self) -> None:
        absent = replace(floating, compute=raises(Unavailable("no device")))
        is_("PROVED", arguments=(lift, explicit), evidence=(absent,))

    def test_a_citation_is_an_assumption(self) -> None:
        result = run(toy("T", arguments=(lift, explicit, svd)))
        assert result.verdict == "PROVED"
        assert "Horn" in result.assumptions[0]


@pytest.mark.parametrize("statement", TOYS, ids=lambda one: one.id)
def test_the_result_of_both_parts_is_that_of_each(statement: Statement) -> None:
    exact, evidence = (run(statement, parts=(part,)) for part in ("exact", "evidence"))
    assert replace(joined(statement, exact, evidence), seconds=0.0) == replace(run(statement), seconds=0.0)


class TestObserved:
    def test_by_floating_point_and_modulo_a_prime(self) -> None:
        result = run(toy("T", evidence=(floating, modular)))
        assert (result.verdict, result.scope) == ("OBSERVED", "R=1000, d=10; R=100000, d=10")
        assert [m.failure_probability for m in result.measurements] == [None, "2^-168"]

    def test_never_all_sizes(self) -> None:
        assert not run(toy("T", evidence=(replace(floating, compute=returns(4.0, ALL)),))).all_sizes

    def test_seed_and_device_reach_it(self) -> None:
        result = run(toy("T", evidence=(floating,)), Context(seed=100))
        assert 0 < result.measurements[0].value < 1e-12

    def test_a_gpu_argument_is_a_part_of_its_own(self) -> None:
        assert run(toy("T", evidence=(floating, gpu))).scope == "R=1000, d=10"
        only = run(toy("T", evidence=(floating, gpu)), parts=("gpu",))
        assert [step.title for step in only.evidence] == ["on a GPU"]


class TestRefuted:
    def test_by_a_counterexample(self) -> None:
        result = run(toy("T", hypotheses=(positive,), counterexample=counterexample))
        assert (result.verdict, result.scope) == ("REFUTED", "R=1, d=2; R=2, d=2")
        (clause,) = result.clauses
        assert clause.counterexample is not None
        assert clause.counterexample.hypotheses == (("x is positive", True),)
        assert clause.counterexample.instance == "1/2"

    def test_while_the_repair_is_open(self) -> None:
        is_("REFUTED", "flint", counterexample=counterexample, repair=replace(repair, arguments=(unavailable,)))

    def test_where_what_holds_keeps_nothing_of_it(self) -> None:
        result = run(toy("T", counterexample=counterexample, repair=replace(repair, beside=True)))
        assert (result.verdict, result.scope, result.all_sizes) == ("REFUTED", "R=1, d=2; R=2, d=2", False)
        (found,) = result.clauses
        assert found.repair is not None
        assert (found.repair.verdict, found.repair.all_sizes) == ("PROVED", True)


class TestRepaired:
    def test_after_a_counterexample(self) -> None:
        result = run(toy("T", counterexample=counterexample, repair=repair))
        assert (result.verdict, result.scope, result.all_sizes) == ("REPAIRED", "all R, d", True)

    def test_incomplete_as_printed(self) -> None:
        is_("REPAIRED", "incomplete as printed: the constant", repair=repair)

    def test_a_repair_needs_as_much_as_a_proof(self) -> None:
        is_("OPEN", "no explicit route", repair=replace(repair, arguments=(lift,)))


class TestOpen:
    def test_nothing_offered(self) -> None:
        is_("OPEN", "nothing is offered")

    def test_a_citation_alone(self) -> None:
        is_("OPEN", "only a citation", arguments=(svd,))

    @pytest.mark.parametrize(
        "offered",
        [
            {"arguments": (lift, unavailable)},
            {
                "counterexample": replace(
                    counterexample, routes=(facing[0], replace(facing[1], compute=unavailable.compute))
                )
            },
            {"evidence": (replace(floating, compute=unavailable.compute),)},
            {"repair": replace(repair, arguments=(unavailable,))},
        ],
        ids=lambda offered: next(iter(offered)),
    )
    def test_something_optional_is_missing(self, offered: dict[str, Any]) -> None:
        result = run(toy("T", **offered))
        assert (result.verdict, result.unavailable) == ("OPEN", True)
        assert "flint is not installed" in result.reason

    def test_only_that_counts_as_unavailable(self) -> None:
        absent = replace(floating, compute=unavailable.compute)
        assert not run(toy("T", arguments=(lift,), evidence=(absent,))).unavailable


def accepts(_computed: Any, _claim: Any) -> None:
    return None


def too_deep() -> Computed:
    return too_deep()


FAILURES = {
    "the claim is wrong": ({"arguments": (replace(lift, claim=5), explicit)}, "computed 4; claimed 5"),
    "a neighbour is accepted": (
        {"arguments": (replace(lift, neighbours={"same": 4}), explicit)},
        "'same' was accepted",
    ),
    "everything is accepted": ({"arguments": (replace(lift, compare=accepts), explicit)}, "'twice' was accepted"),
    "a failure outweighs what is missing": ({"arguments": (unavailable, replace(lift, claim=5))}, "claimed 5"),
    "a failure outweighs what breaks": (
        {"arguments": (replace(lift, compute=raises(OSError())), replace(lift, claim=5))},
        "claimed 5",
    ),
    "a failure anywhere outweighs what breaks": (
        {"arguments": (replace(lift, compute=raises(OSError())),), "evidence": (replace(floating, claim=4.1),)},
        "evidence: the running network: residual",
    ),
    "both sides": (
        {"arguments": (lift, explicit), "counterexample": counterexample},
        "the proof and the counterexample both went through",
    ),
    "proof and counterexample, the proof failing": (
        {"arguments": (replace(lift, claim=5), explicit), "counterexample": counterexample},
        "claimed 5",
    ),
    "a hypothesis does not hold": (
        {
            "hypotheses": (Hypothesis("x is even", lambda x: x % 2 == 0, quote="zero"),),
            "counterexample": counterexample,
        },
        "the instance does not satisfy: x is even",
    ),
    "the printed conclusion is true": (
        {
            "counterexample": replace(
                counterexample, routes=(facing[0], replace(facing[1], neighbours={PRINTED: Fraction(3, 2)}))
            )
        },
        "'as printed' was accepted",
    ),
    "the printed conclusion holds of nothing": (
        {
            "counterexample": replace(
                counterexample,
                routes=(replace(facing[0], neighbours={PRINTED: lambda _: False}, compare=matches), facing[1]),
            )
        },
        "nothing is offered of which the printed conclusion holds",
    ),
    "a route that does not say a size": (
        {
            "for_all": {"R": 1, "d": 1},
            "counterexample": replace(
                counterexample, routes=(replace(facing[0], compute=returns(Fraction(3, 2), Scope.over(R=1))), facing[1])
            ),
        },
        "a route does not say its d",
    ),
    "a route at a size that the clause does not speak of": (
        {
            "for_all": {"d": 3},
            "counterexample": replace(
                counterexample, routes=(replace(facing[0], compute=returns(Fraction(3, 2), Scope.over(d=1))), facing[1])
            ),
        },
        "a route is at d = 1, d = 2, of which the clause does not speak",
    ),
    "one route of two": (
        {
            "counterexample": replace(
                counterexample, routes=(facing[0], replace(facing[1], compute=returns(Fraction(1))))
            )
        },
        "by expansion",
    ),
    "a smaller instance": ({"counterexample": replace(counterexample, searched=replace(lift, claim=5))}, "two units"),
    "the repair": (
        {"counterexample": counterexample, "repair": replace(repair, arguments=(lift, replace(explicit, claim=5)))},
        "repair: small networks",
    ),
    "evidence above its bound": ({"evidence": (replace(floating, claim=4.1),)}, "above the bound 1e-12"),
    "evidence against a proof": (
        {"arguments": (lift, explicit), "evidence": (replace(floating, claim=4.1),)},
        "evidence: ",
    ),
    "evidence against a repair": ({"repair": repair, "evidence": (replace(modular, claim=8),)}, "above the bound"),
    "evidence accepts a neighbour": (
        {"evidence": (replace(floating, neighbours={"near": 4.0 + 1e-13}),)},
        "'near' was accepted",
    ),
    "a citation that does not apply": (
        {"arguments": (lift, explicit, Citation("svd", {"M is real": replace(real, of=lambda: 1j)}))},
        "does not apply: M is real",
    ),
}
BREAKS = {
    "a neighbour breaks": (
        {"arguments": (replace(lift, neighbours={"text": "8"}), explicit)},
        "'text' broke: TypeError",
    ),
    "a comparison answers": (
        {"arguments": (replace(lift, compare=lambda a, b: a == b), explicit)},
        "compare returned True",
    ),
    "a long message": ({"arguments": (replace(lift, compute=raises(KeyError("x" * 999))),)}, "xxx..."),
    "no Computed": ({"arguments": (replace(lift, compute=lambda _: 4),)}, "compute returned an int"),
    "an exception": (
        {"arguments": (replace(lift, compute=raises(ZeroDivisionError("1/0"))), explicit)},
        "ZeroDivisionError: 1/0",
    ),
    "a timeout": ({"arguments": (replace(lift, compute=raises(TimeoutError())), explicit)}, "TimeoutError"),
    "a skip": (
        {"arguments": (replace(lift, compute=raises(pytest.skip.Exception("later"))), explicit)},
        "Skipped: later",
    ),
    "an exit": ({"arguments": (replace(lift, compute=raises(SystemExit(0))), explicit)}, "SystemExit"),
    "a hypothesis is no predicate": (
        {"hypotheses": (Hypothesis("x", lambda x: x, quote="zero"),), "counterexample": counterexample},
        "expected True or False",
    ),
    "an instance that cannot be shown": (
        {"counterexample": replace(counterexample, show=lambda x: x.missing)},
        "missing",
    ),
    "evidence measures nothing": ({"evidence": (replace(floating, compare=equal),)}, "without a measurement"),
    "not a number": ({"evidence": (replace(floating, compute=returns(float("nan"))),)}, "expected finite numbers"),
    "a neighbour is not a number": (
        {"evidence": (replace(floating, neighbours={"nan": float("nan")}),)},
        "'nan' broke",
    ),
    "odds that are not stated": (
        {"evidence": (replace(modular, compare=lambda a, b: measured(float(a != b), 0.0)),)},
        "no failure probability",
    ),
    "no memory": ({"arguments": (replace(lift, compute=raises(MemoryError())), explicit)}, "two units: MemoryError"),
    "too deep": ({"arguments": (replace(lift, compute=lambda _: too_deep()), explicit)}, "RecursionError: maximum"),
    "what breaks outweighs what is missing": (
        {"arguments": (unavailable, replace(lift, compute=raises(OSError("disk"))))},
        "OSError: disk",
    ),
    "evidence that breaks beside a proof": (
        {"arguments": (lift, explicit), "evidence": (replace(floating, compute=raises(OSError("disk"))),)},
        "evidence: the running network: OSError: disk",
    ),
    "one side of two": (
        {
            "arguments": (lift, explicit),
            "counterexample": replace(counterexample, searched=replace(lift, compute=raises(OSError("disk")))),
        },
        "counterexample: two units: OSError: disk",
    ),
    "a repair that breaks": (
        {"repair": replace(repair, arguments=(lift, replace(explicit, compute=raises(OSError("disk")))))},
        "repair: small networks: OSError: disk",
    ),
    "a citation's condition": (
        {"arguments": (lift, explicit, Citation("svd", {"M is real": replace(real, holds=lambda _: 1 / 0 > 0)}))},
        "ZeroDivisionError",
    ),
    "embedded data that do not suit": (
        {"arguments": (lift, explicit), "evidence": (replace(floating, compute=raises(Unsuited("d = 2"))),)},
        "the embedded data do not suit: d = 2",
    ),
}


@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_failed(case: tuple[dict[str, Any], str]) -> None:
    offered, reason = case
    is_("FAILED", reason, **offered)


@pytest.mark.parametrize("case", BREAKS.values(), ids=BREAKS)
def test_the_program_broke(case: tuple[dict[str, Any], str]) -> None:
    offered, reason = case
    is_("ERROR", reason, **offered)


def test_data_of_ones_own_need_not_suit() -> None:
    evidence = replace(floating, compute=raises(Unsuited("d = 2")))
    own = Context(load=lambda: Data(1, 1, "own"))
    assert not own.embedded
    result = run(toy("T", arguments=(lift, explicit), evidence=(evidence,)), own)
    assert (result.verdict, result.evidence[0].outcome) == ("PROVED", "unavailable")
    alone = run(toy("T", evidence=(evidence,)), own)
    assert (alone.verdict, alone.unavailable, alone.reason) == ("OPEN", True, "the running network: d = 2")


def _as_true(found: int, claim: int) -> None:
    if claim == 8:
        raise Indistinct("twice nothing is nothing")
    equal(found, claim)


def test_a_neighbour_as_true_as_the_claim_is_skipped_on_ones_own_instance_alone() -> None:
    apart = replace(lift, compare=_as_true)
    is_("FAILED", "the neighbouring falsehood 'twice' says the same as the claim", arguments=(apart, explicit))
    result = run(toy("T", arguments=(replace(apart, given=True), explicit)))
    assert result.verdict == "PROVED"
    assert result.steps[0].rejected == ("transposed",)


def test_where_no_neighbour_can_be_told_apart_nothing_is_shown() -> None:
    alike = replace(lift, compare=_as_true, neighbours={"twice": 8}, given=True)
    is_("FAILED", "every neighbouring falsehood says the same", arguments=(alike, explicit))


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (Hypothesis("x < 1", lambda x: x < 1, fails_on=Fraction(2)), "REFUTED"),
        (Hypothesis("x > 1", lambda x: x > 1, fails_on=Fraction(0)), "FAILED"),  # the instance does not satisfy it
        (Hypothesis("x < 1", lambda x: x < 1, fails_on=Fraction(0)), "FAILED"),  # it cannot fail
    ],
)
def test_what_would_not_mend_a_claim_is_checked_on_the_instance(condition: Hypothesis, verdict: str) -> None:
    offered = replace(counterexample, even_if=(condition,))
    result = run(toy("T", hypotheses=(positive,), counterexample=offered))
    assert result.verdict == verdict
    (clause,) = result.clauses
    assert clause.counterexample is not None
    assert clause.counterexample.hypotheses[-1][0] == f"even if {condition.sentence}"
    assert [one.sentence for one in result.hypotheses] == [positive.sentence]  # it is no hypothesis of the statement


@dataclass(frozen=True)
class _One:
    x: int


@pytest.mark.parametrize(("holds", "verdict"), [(all, "REFUTED"), (any, "FAILED")])
def test_what_fails_a_hypothesis_fails_it_among_others_that_do_not(
    holds: Callable[[Iterable[bool]], bool], verdict: str
) -> None:
    hypothesis = replace(
        positive, predicate=lambda several: holds(one.x > 0 for one in several), fails_on=(_One(-1),), holds_on=None
    )
    offered = replace(counterexample, instance=(_One(1), _One(2)))
    assert run(toy("T", hypotheses=(hypothesis,), counterexample=offered)).verdict == verdict


def test_what_comes_with_a_number_is_one_instance() -> None:
    hypothesis = replace(positive, predicate=lambda pair: pair[1] > 0, fails_on=(_One(1), -1), holds_on=(_One(1), 1))
    offered = replace(counterexample, instance=(_One(1), 2))
    assert run(toy("T", hypotheses=(hypothesis,), counterexample=offered)).verdict == "REFUTED"


def test_the_traceback_is_shown_on_demand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    broken = toy("T", arguments=(replace(lift, compute=raises(OSError("disk"))),))
    assert run(broken).verdict == "ERROR"
    assert not capsys.readouterr().err
    monkeypatch.setenv("RESPROOF_DEBUG", "1")
    assert run(broken).verdict == "ERROR"
    assert capsys.readouterr().err.startswith("Traceback (most recent call last)")


def test_a_keyboard_interrupt_stops_the_run() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(toy("T", arguments=(replace(lift, compute=raises(KeyboardInterrupt())),)))


def test_compute_runs_once_and_never_sees_the_claim() -> None:
    calls: list[Context] = []

    def compute(*given: Any) -> Computed:
        calls.append(*given)
        return Computed(4, ALL)

    run(toy("T", arguments=(replace(lift, compute=compute),)))
    assert len(calls) == 1
    assert isinstance(calls[0], Context)


REFUSED = {
    "no neighbours": (lambda: replace(lift, neighbours={}), "no neighbouring falsehood"),
    "a neighbour about other facts": (
        lambda: replace(lift, claim={"a": 1}, neighbours={"off": {"a": 1, "b": 2}}),
        "the neighbour 'off' is about other facts than the claim: b",
    ),
    "unknown route": (lambda: replace(lift, route="intuition"), "unknown route 'intuition'"),
    "exact on a GPU": (lambda: replace(lift, needs_gpu=True), "only evidence can need a GPU"),
    "evidence among arguments": (lambda: toy("T", arguments=(floating,)), "expected exact routes"),
    "an argument among evidence": (lambda: toy("T", evidence=(lift,)), "expected evidence routes"),
    "evidence in a repair": (lambda: Repair("x", "", (floating,)), "expected exact routes"),
    "a sentence beside clauses": (
        lambda: Repair("more than they say", clauses=(Clause("half", {"R": 1}, (lift,)),)),
        "expected a sentence, or clauses",
    ),
    "a setting of nothing": (lambda: Repair("x", setting="Let $R$ be 3."), "expected a sentence, or clauses"),
    "neither sentence nor clauses": (Repair, "expected a sentence, or clauses"),
    "evidence as a route": (lambda: Counterexample(1, "x", (facing[0], floating)), "expected exact routes"),
    "one route twice": (lambda: Counterexample(1, "x", (facing[0], facing[0])), "compute differently"),
    "a route that faces nothing": (lambda: Counterexample(1, "x", (facing[0], lift)), "'as printed'"),
    "an unknown theorem": (lambda: Citation("folklore", {"x": real}), "'folklore' is no cited theorem"),
    "a citation without hypotheses": (lambda: Citation("svd", {}), "no hypothesis"),
    "something beside no refutation": (lambda: Clause("x", {"R": 1}, repair=replace(repair, beside=True)), "without a"),
    "a repair of what is argued for": (lambda: toy("T", arguments=(lift,), repair=repair), "expected a counterexample"),
    "arguments beside clauses": (
        lambda: toy("T", arguments=(lift,), clauses=(Clause("x", {"R": 1}, (lift,)),)),
        "each argument within a clause",
    ),
    "a counterexample beside clauses": (
        lambda: toy(
            "T", clauses=(Clause("x", {"R": 1}, (lift,)),), hypotheses=(positive,), counterexample=counterexample
        ),
        "each within a clause",
    ),
    "evidence as the step of an induction": (lambda: Induction("n", lift, floating), "expected exact routes"),
    "a formula from a string that is not raw": (lambda: Computed(1, Scope(), "\tfrac12"), "a control character"),
    "no sizes": (lambda: Scope.of(), "no size is listed"),
    "a hypothesis without an instance": (
        lambda: toy("T", arguments=(lift,), hypotheses=(replace(positive, holds_on=None),)),
        "nothing is offered that satisfies 'x is positive'",
    ),
    "a hypothesis of a clause without an instance": (
        lambda: Clause("x", {"R": 1}, (lift,), (replace(positive, holds_on=None),)),
        "nothing is offered that satisfies",
    ),
    "two of one id": (lambda: registry([toy("T"), toy("T")]), "given twice"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused_when_written(case: tuple[Any, str]) -> None:
    write, message = case
    with pytest.raises(ValueError, match=message):
        write()


class TestEqual:
    @pytest.mark.parametrize(("left", "right"), [(1, Fraction(1)), ((1, 2), (1, 2)), ("i", "i")])
    def test_passes(self, left: Any, right: Any) -> None:
        equal(left, right)

    @pytest.mark.parametrize(("left", "right"), [(1, Fraction(1, 2)), ((1, 2), (2, 1)), ("i", "j")])
    def test_disagrees(self, left: Any, right: Any) -> None:
        with pytest.raises(Disagreement, match="computed"):
            equal(left, right)

    @pytest.mark.parametrize(("left", "right"), [(1, "1"), ((1,), [1]), ({}, ())])
    def test_unrelated_types_mean_nothing(self, left: Any, right: Any) -> None:
        with pytest.raises(TypeError, match="compared with"):
            equal(left, right)

    def test_within(self) -> None:
        within([measured(1e-12)])
        with pytest.raises(Disagreement, match=r"measured 2e-12, above the bound 1e-12"):
            within([measured(2e-12)])


class TestFullyProved:
    def results(self, *uses: tuple[str, tuple[str, ...], str]) -> dict[str, bool | None]:
        results = [Result(id_, verdict, "", True, 0.0) for id_, _, verdict in uses]  # pyright: ignore[reportArgumentType]
        return fully_proved(results, [toy(id_, uses=needs) for id_, needs, _ in uses])

    def test_is_transitive(self) -> None:
        found = self.results(("a", ("b",), "PROVED"), ("b", ("c",), "PROVED"), ("c", (), "OBSERVED"))
        assert found == {"a": False, "b": False, "c": False}

    def test_a_repaired_statement_counts(self) -> None:
        assert self.results(("a", ("b",), "PROVED"), ("b", (), "REPAIRED")) == {"a": True, "b": True}

    @pytest.mark.parametrize("below", ["REFUTED", "FAILED", "OPEN", "OBSERVED"])
    def test_others_do_not(self, below: str) -> None:
        assert not self.results(("a", ("b",), "PROVED"), ("b", (), below))["a"]

    def test_what_broke_is_unknown(self) -> None:
        assert self.results(("a", ("b",), "PROVED"), ("b", (), "ERROR")) == {"a": None, "b": None}

    def test_what_did_not_run_is_unknown(self) -> None:
        assert self.results(("a", ("elsewhere",), "PROVED")) == {"a": None}

    def test_a_circle_proves_nothing(self) -> None:
        assert self.results(("a", ("b",), "PROVED"), ("b", ("a",), "PROVED")) == {"a": False, "b": False}

    def test_listed_sizes_are_not_enough(self) -> None:
        assert not run_all([toy("T", arguments=(explicit,))])[0].fully_proved
        assert run_all([toy("T", arguments=(lift, explicit))])[0].fully_proved


class TestRunAll:
    def test_processes_give_the_same_in_the_same_order(self) -> None:
        alone, together = run_all(TOYS), run_all(TOYS, jobs=2, find=find_toys)
        assert [timeless(result) for result in alone] == [timeless(result) for result in together]
        assert [result.verdict for result in alone] == [
            "PROVED",
            "OBSERVED",
            "REFUTED",
            "REPAIRED",
            "FAILED",
            "OPEN",
            "OPEN",
            "ERROR",
        ]

    def test_reports_each_result(self) -> None:
        seen: list[str] = []
        run_all(TOYS, done=lambda result: seen.append(result.id))
        assert seen == [toy.id for toy in TOYS]


def timeless(found: Any) -> Any:
    match found:
        case dict():
            return {key: timeless(value) for key, value in found.items() if key != "seconds"}
        case list() | tuple():
            return [timeless(value) for value in found]
        case Result():
            return timeless(dataclasses.asdict(found))
        case _:
            return found


def test_find() -> None:
    assert [one.id for one in find(["T-open", "T-proved"], TOYS)] == ["T-proved", "T-open"]
    assert find([], TOYS) == TOYS
    with pytest.raises(ValueError, match=r"unknown statement 'T-prooved'; did you mean T-proved"):
        find(["T-prooved"], TOYS)
    with pytest.raises(ValueError, match="resproof list"):
        find(["xyz"], TOYS)


def test_arguments_are_plain_frozen_data() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        lift.claim = 5  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(lift, "__dict__")
    assert Argument("t", "identity", returns(1), 1, {"two": 2}).exact
