"""What a statement is, and how its verdict comes about.

A statement carries what is offered for it and against it; `run` executes that and the verdict follows:

    PROVED    every exact argument went through for the statement, word for word or in a reading that is named
    OBSERVED  floating-point or randomised evidence only, each measurement below its bound
    REFUTED   the counterexample satisfies every printed hypothesis and violates the conclusion, and no repair is proved
    REPAIRED  refuted, or incomplete as printed, and a corrected statement that keeps something of it is proved
    FAILED    something offered did not go through, a neighbour was accepted, or both sides succeeded
    OPEN      nothing offered, or nothing ran; the reason is given
    ERROR     the program broke: an exception, a dead worker, a time limit, no memory; says nothing of the statement

A clause has a verdict, from its arguments, its reading, its hypotheses, a counterexample and a repair; a statement has the
worst of its clauses. What was found false outweighs what broke. Verdicts are computed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeAlias

from resproof.proofs.coverage import below, covered, elsewhere, unsaid
from resproof.proofs.execution import answer, attempt, execute, execute_all, together
from resproof.proofs.formulas import plain
from resproof.proofs.pictures import Plot
from resproof.proofs.results import (
    ClauseResult,
    CounterexampleResult,
    HypothesisResult,
    Outcome,
    ReadingKind,
    ReadingResult,
    RepairResult,
    Result,
    Step,
    Verdict,
)
from resproof.proofs.statement import (
    EXACT_ROUTES,
    Argument,
    Clause,
    Context,
    Disagreement,
    Erratum,
    ExceptionalSet,
    Hypothesis,
    Kind,
    Reading,
    Repair,
    Sense,
    Statement,
)
from resproof.symbolic.scope import Scope

Part: TypeAlias = Literal["exact", "evidence", "deep", "gpu"]


def run(statement: Statement, context: Context | None = None, parts: Sequence[Part] = ("exact", "evidence")) -> Result:
    """The verdict on `statement` from the parts that are run.

    Evidence that needs a GPU is the part "gpu", evidence at great depth, which takes seconds, the part "deep".
    """
    context = context or Context()
    begun = perf_counter()
    exact = "exact" in parts
    hypotheses = _hypotheses(statement.hypotheses, context, exact=exact)
    clauses = tuple(_clause(each, statement, context) for each in statement.claims) if exact else ()
    evidence = tuple(execute(each, context) for each in statement.evidence if each.part in parts)
    return _concluded(statement, hypotheses, clauses, evidence, perf_counter() - begun, exact=exact)


def joined(statement: Statement, exact: Result, evidence: Result) -> Result:
    """The result of both parts from one of each."""
    seconds = exact.seconds + evidence.seconds
    return _concluded(statement, exact.hypotheses, exact.clauses, evidence.evidence, seconds, exact=True)


def _concluded(
    statement: Statement,
    hypotheses: tuple[HypothesisResult, ...],
    clauses: tuple[ClauseResult, ...],
    evidence: tuple[Step, ...],
    seconds: float,
    *,
    exact: bool,
) -> Result:
    finding = _verdict(statement, clauses, evidence)
    if exact and finding.verdict != "FAILED":
        finding = _hypotheses_fail(statement.hypotheses, hypotheses) or finding
    return _result(statement, finding, hypotheses, clauses, evidence, seconds)


def _clause(clause: Clause, statement: Statement, context: Context, *, of_repair: bool = False) -> ClauseResult:
    """The verdict on one sentence, from what is offered for it and against it."""
    steps = tuple(step for each in clause.arguments for step in execute_all(each, context))
    null = _null(clause.reading, context)
    reading = _reading(clause.reading, null, context)
    hypotheses = _hypotheses(clause.hypotheses, context)
    counterexample = _counterexample(clause, statement.hypotheses + clause.hypotheses, context)
    repair = _repair(clause.repair, statement, context)
    others = tuple(_clause(each, statement, context) for each in clause.other_readings)
    rests_on = () if isinstance(clause.reading, ExceptionalSet) and clause.reading.hedge else null
    proved = _proof(clause, statement.kind, steps, rests_on)
    offered = _open(plain(clause.unsettled)) if clause.unsettled else proved
    found = (
        _stopped(offered, counterexample, repair, ("reading", *together(reading.steps if reading else ())))
        or _hypotheses_fail(clause.hypotheses, hypotheses)
        or next((_Finding(one.verdict, "", False, one.reason) for one in others if one.verdict in _BROKEN), None)
    )
    if found is None:
        beside = clause.repair is not None and clause.repair.beside
        found = _against(counterexample, repair, beside=beside) if counterexample or repair else offered
    if not of_repair:
        found = _under_printed_hypotheses(clause.hypotheses, found)
    return ClauseResult(
        clause.sentence,
        found.verdict,
        found.scope,
        found.all_sizes,
        found.reason,
        steps,
        unavailable=found.unavailable,
        unsettled=bool(clause.unsettled),
        reading=reading,
        hypotheses=hypotheses,
        counterexample=counterexample,
        repair=repair,
        other_readings=others,
        changes=clause.changes,
        sizes=found.sizes,
        ours=clause.ours,
    )


def _null(reading: Reading | None, context: Context) -> tuple[Step, ...]:
    """The steps that show an exceptional set to be null."""
    shown = reading.null if isinstance(reading, ExceptionalSet) else None
    return tuple(execute_all(shown, context)) if shown else ()


def _reading(reading: Reading | None, null: tuple[Step, ...], context: Context) -> ReadingResult | None:
    def said(kind: ReadingKind, sentence: str, quote: str, where: str, fails: Argument | None = None) -> ReadingResult:
        steps = (execute(fails, context),) if fails else ()
        return ReadingResult(kind, sentence, quote, where, (*steps, *null))

    match reading:
        case None:
            return None
        case Erratum():
            sentence = f"printed {reading.printed}; read {reading.read}"
            return said("erratum", sentence, reading.quote, reading.where, reading.fails)
        case ExceptionalSet():
            return said("exception", f"except for {reading.where}", reading.hedge, "", reading.fails)
        case Sense():
            return said("sense", f"{reading.word}: {reading.sense}", reading.quote, reading.where)


def _hypotheses(offered: Iterable[Hypothesis], context: Context, *, exact: bool = True) -> tuple[HypothesisResult, ...]:
    return tuple(
        HypothesisResult(
            one.sentence,
            one.printed,
            execute(one.needed, context) if one.needed and exact else None,
            one.quote,
            one.where,
        )
        for one in offered
    )


def _hypotheses_fail(offered: Sequence[Hypothesis], found: Sequence[HypothesisResult]) -> _Finding | None:
    """FAILED or ERROR where a hypothesis does not tell its two instances apart, or is not needed."""
    outcome, message = attempt(lambda: _tell_apart(offered))
    if outcome not in _STOPPED:
        outcome, message = together([one.needed for one in found if one.needed])
    return _Finding(_STOPPED[outcome], "", False, message) if outcome in _STOPPED else None


def _tell_apart(offered: Iterable[Hypothesis]) -> None:
    for one in offered:
        if one.holds_on is not None and not answer(one.predicate(one.holds_on)):
            raise AssertionError(f"the instance of a hypothesis does not satisfy it: {plain(one.sentence)}")
        if one.fails_on is not None and answer(one.predicate(one.fails_on)):
            raise AssertionError(f"the check of a hypothesis cannot fail: {plain(one.sentence)}")


def _counterexample(clause: Clause, hypotheses: Sequence[Hypothesis], context: Context) -> CounterexampleResult | None:
    offered = clause.counterexample
    if offered is None:
        return None
    held: list[tuple[str, bool]] = []
    shown: list[str] = []
    drawn: list[Plot] = []

    def check() -> None:
        shown.append(offered.show(offered.instance))
        if offered.picture:
            drawn.append(offered.picture(offered.instance))
        asked = [(one.sentence, one) for one in hypotheses]
        besides = [(f"even if {one.sentence}", one) for one in offered.even_if]
        for sentence, hypothesis in (*asked, *besides):
            held.append((sentence, answer(hypothesis.predicate(offered.instance))))
            if not held[-1][1]:
                raise Disagreement(f"the instance does not satisfy: {plain(sentence)}")
            _require_of_each(hypothesis, offered.instance)
        _tell_apart(offered.even_if)

    outcome, message = attempt(check)
    arguments = (*offered.routes, *((offered.searched,) if offered.searched else ()))
    steps = tuple(execute(argument, context) for argument in arguments)
    if outcome == "passed":
        outcome, message = together(steps)
    if outcome == "passed" and (names := unsaid(steps, (*clause.for_all, *clause.at))):
        outcome, message = "failed", f"a route does not say its {', '.join(names)}"
    if outcome == "passed" and (values := below(steps, clause.for_all)):
        outcome, message = "failed", f"a route is at {', '.join(values)}, of which the clause does not speak"
    instance, picture = "".join(shown), next(iter(drawn), None)
    return CounterexampleResult(
        offered.sentence, offered.latex, instance, tuple(held), steps, outcome, message, picture
    )


def _require_of_each(hypothesis: Hypothesis, instance: Any) -> None:
    """Where instances come several at a time: those that do not satisfy a hypothesis fail among those that do, too.

    Raises:
        AssertionError: they pass.
    """
    others = hypothesis.fails_on
    several = type(instance) is tuple and type(others) is tuple and all(map(is_dataclass, (*instance, *others)))
    if several and answer(hypothesis.predicate((*instance, *others))):
        raise AssertionError(f"the check of a hypothesis cannot fail on some of several: {plain(hypothesis.sentence)}")


def _repair(offered: Repair | None, statement: Statement, context: Context) -> RepairResult | None:
    if offered is None:
        return None
    clauses = tuple(_clause(each, statement, context, of_repair=True) for each in offered.claims)
    found = _all_of(clauses)
    return RepairResult(
        sentence=offered.said,
        setting=offered.setting,
        latex=offered.latex,
        verdict=found.verdict,
        scope=found.scope,
        all_sizes=found.all_sizes,
        clauses=clauses,
        changes=offered.changes,
        sizes=found.sizes,
    )


class _Finding(NamedTuple):
    verdict: Verdict
    scope: str
    all_sizes: bool
    reason: str
    unavailable: bool = False
    sizes: tuple[Scope, ...] = ()


_STOPPED: Mapping[Outcome, Verdict] = {"failed": "FAILED", "error": "ERROR"}
"""What a step that did not go through makes of its statement; what comes first outweighs the other."""
_BROKEN = tuple(_STOPPED.values())


def _open(reason: str, *, unavailable: bool = False) -> _Finding:
    return _Finding("OPEN", "", False, reason, unavailable)


def _proof(clause: Clause, kind: Kind, steps: Sequence[Step], null: Sequence[Step]) -> _Finding:
    """PROVED, FAILED, ERROR or OPEN from the steps of one clause and those on the null set that it leaves out."""
    for_all, at = clause.for_all, clause.at
    outcome, message = together(steps)
    exact = [step for step in steps if step.route in EXACT_ROUTES]
    if outcome in _STOPPED:
        return _Finding(_STOPPED[outcome], "", False, message)
    if outcome == "unavailable":
        return _open(message, unavailable=True)
    if not exact:
        return _open("only a citation is offered" if steps else "no argument is offered")
    coverage = covered(steps, for_all, null)
    if coverage.speaks_of_none:
        return _open(f"no step speaks of {', '.join(coverage.uncarried)}")
    if kind == "network" and coverage.scope.free and not any(step.route == "explicit" for step in exact):
        return _open("the argument for all sizes has no explicit route beside it")
    if null and for_all and {step.sizes for step in null} == {Scope()}:
        return _open("what shows the exceptional set to be null speaks of no size")
    if names := unsaid((step for step in exact if step.route == "explicit"), for_all):
        return _open(f"an explicit network does not say its {', '.join(names)}")
    if values := elsewhere(exact, at):
        return _open(f"a step does not say that {', '.join(values)}")
    return _Finding("PROVED", str(coverage), coverage.all_sizes, "", sizes=(coverage.scope,))


def _all_of(clauses: Sequence[ClauseResult]) -> _Finding:
    """What the clauses say together: the worst of them, for the sizes that all of them cover."""
    for verdict in ("FAILED", "ERROR", "REFUTED", "OPEN"):
        for one in clauses:
            if one.verdict == verdict:
                return _Finding(verdict, one.scope, False, one.reason, one.unavailable, one.sizes)
    if not clauses:
        return _open("no argument is offered")
    verdict = "REPAIRED" if any(one.verdict == "REPAIRED" for one in clauses) else "PROVED"
    scope, everywhere = _joined(one.scope for one in clauses), all(one.all_sizes for one in clauses)
    sizes = tuple(each for one in clauses for each in one.sizes)
    return _Finding(verdict, scope, everywhere, _joined(one.reason for one in clauses), sizes=sizes)


def _result(
    statement: Statement,
    finding: _Finding,
    hypotheses: tuple[HypothesisResult, ...],
    clauses: tuple[ClauseResult, ...],
    evidence: tuple[Step, ...],
    seconds: float,
) -> Result:
    everything = (*(step for one in clauses for step in one.everything), *evidence)
    return Result(
        id=statement.id,
        verdict=finding.verdict,
        scope=finding.scope,
        sizes=finding.sizes,
        all_sizes=finding.all_sizes,
        seconds=seconds,
        reason=finding.reason,
        hypotheses=hypotheses,
        clauses=clauses,
        evidence=evidence,
        assumptions=tuple(dict.fromkeys(f"{s.title} ({s.shown})" for s in everything if s.route == "cited theorem")),
        unavailable=finding.unavailable,
    )


def _under_printed_hypotheses(hypotheses: Iterable[Hypothesis], offered: _Finding) -> _Finding:
    """REPAIRED where the proof takes a hypothesis that is not printed."""
    added = [plain(one.sentence) for one in hypotheses if not one.printed]
    if offered.verdict not in {"PROVED", "REPAIRED"} or not added:
        return offered
    reason = f"under a hypothesis that is not printed: {'; '.join(added)}"
    return offered._replace(verdict="REPAIRED", reason=_joined((offered.reason, reason)))


def _verdict(statement: Statement, clauses: tuple[ClauseResult, ...], evidence: tuple[Step, ...]) -> _Finding:
    offered = _all_of(clauses)
    observed, observation = together(evidence)
    if stopped := _stopped(offered, None, None, ("evidence", observed, observation)):
        return stopped
    if clauses:  # A repair says itself under which hypotheses it holds.
        return offered if statement.repair else _under_printed_hypotheses(statement.hypotheses, offered)
    if any(step.outcome == "passed" for step in evidence):
        seen = [one for one in evidence if one.outcome == "passed"]
        return _Finding("OBSERVED", _joined(s.scope for s in seen), False, "", sizes=tuple(s.sizes for s in seen))
    return _open(observation or "nothing is offered", unavailable=observed == "unavailable")


def _stopped(
    offered: _Finding,
    counterexample: CounterexampleResult | None,
    repair: RepairResult | None,
    beside: tuple[str, Outcome, str],
) -> _Finding | None:
    """FAILED or ERROR where something did not go through, or both sides did."""
    found: list[tuple[Verdict | None, str]] = [(offered.verdict, offered.reason)]
    if counterexample is not None:
        found.append((_STOPPED.get(counterexample.outcome), f"counterexample: {counterexample.message}"))
    if repair is not None:
        found.append((repair.verdict, f"repair: {_all_of(repair.clauses).reason}"))
    found.append((_STOPPED.get(beside[1]), f"{beside[0]}: {beside[2]}"))
    for stopped in _STOPPED.values():
        for verdict, reason in found:
            if verdict == stopped:
                return _Finding(stopped, "", False, reason)
    if offered.verdict == "PROVED" and counterexample is not None and counterexample.outcome == "passed":
        return _Finding("FAILED", "", False, "the proof and the counterexample both went through")
    return None


def _against(counterexample: CounterexampleResult | None, repair: RepairResult | None, *, beside: bool) -> _Finding:
    """REPAIRED, REFUTED or OPEN, when nothing failed or broke; `beside`: the repair keeps nothing of the clause."""
    if counterexample is not None and counterexample.outcome == "unavailable":
        return _open(counterexample.message, unavailable=True)
    if repair is not None and repair.verdict == "PROVED" and not beside:
        why = " ".join(plain(one.why) for one in repair.changes if one.why)
        reason = "" if counterexample else f"incomplete as printed: {why}".removesuffix(": ")
        return _Finding("REPAIRED", repair.scope, repair.all_sizes, reason, sizes=repair.sizes)
    repaired = _all_of(repair.clauses if repair else ())
    left = f"the repair is not proved: {repaired.reason}" if repair and repaired.verdict != "PROVED" else ""
    if counterexample is None:
        return _open(left, unavailable=repaired.unavailable)
    routes = counterexample.steps[:2]
    return _Finding(
        "REFUTED", _joined(one.scope for one in routes), False, left, sizes=tuple(one.sizes for one in routes)
    )


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(text for text in texts if text))
