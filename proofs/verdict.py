"""What a statement is, and how its verdict comes about.

A statement carries what is offered for it and against it; `run` executes that and the verdict follows:

    PROVED    every exact argument went through for the printed statement
    OBSERVED  floating-point or randomised evidence only, each measurement below its bound
    REFUTED   the counterexample satisfies every printed hypothesis and violates the conclusion
    REPAIRED  refuted, or incomplete as printed, and the corrected statement is proved
    FAILED    something offered did not go through, a neighbour was accepted, or both sides succeeded
    OPEN      nothing offered, or nothing ran; the reason is given
    ERROR     the program broke: an exception, a dead worker, a time limit, no memory; says nothing of the statement

An argument *computes* without seeing the claim, then *compares* the one computed object with the claim, and with each
neighbouring falsehood, every one of which has to be rejected by `Disagreement`. Where the claim is rejected, by that or
by an AssertionError, it FAILED; any other exception is an ERROR, never a rejection and never a pass. What was found
false outweighs what broke. Verdicts and scopes are computed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeAlias

from architectures.errors import show_traceback
from proofs.coverage import covered
from proofs.results import (
    VERDICTS,
    ClauseResult,
    CounterexampleResult,
    Outcome,
    RepairResult,
    Result,
    Step,
    Verdict,
    steps_of,
)
from proofs.statement import (
    EVIDENCE_ROUTES,
    EXACT_ROUTES,
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    Data,
    Disagreement,
    Evidence,
    Hypothesis,
    Indistinct,
    Induction,
    Kind,
    Measurement,
    Offered,
    Repair,
    Scope,
    Source,
    Statement,
    Unavailable,
    Unsuited,
    equal,
    short,
    within,
)

__all__ = [
    "EVIDENCE_ROUTES",
    "EXACT_ROUTES",
    "PRINTED",
    "VERDICTS",
    "Argument",
    "Citation",
    "Clause",
    "Computed",
    "Condition",
    "Context",
    "Counterexample",
    "CounterexampleResult",
    "Data",
    "Disagreement",
    "Evidence",
    "Hypothesis",
    "Indistinct",
    "Induction",
    "Kind",
    "Measurement",
    "Outcome",
    "Part",
    "Repair",
    "RepairResult",
    "Result",
    "Scope",
    "Source",
    "Statement",
    "Step",
    "Unavailable",
    "Unsuited",
    "Verdict",
    "equal",
    "run",
    "short",
    "within",
]

Part: TypeAlias = Literal["exact", "evidence", "deep", "gpu"]


def run(statement: Statement, context: Context | None = None, parts: Sequence[Part] = ("exact", "evidence")) -> Result:
    """The verdict on `statement` from the parts that are run.

    Evidence that needs a GPU is the part "gpu", evidence at great depth, which takes seconds, the part "deep".
    """
    context = context or Context()
    begun = perf_counter()
    exact = "exact" in parts
    clauses = tuple(_clause(each, statement.kind, context) for each in statement.claims) if exact else ()
    counterexample = _counterexample(statement, context) if exact else None
    repair = _repair(statement, context) if exact else None
    evidence = tuple(_step(each, context) for each in statement.evidence if each.part in parts)
    finding = _verdict(statement, clauses, counterexample, repair, evidence)
    if exact and finding.verdict != "FAILED":
        finding = _hypotheses_fail(statement) or finding
    return _result(statement, finding, clauses, counterexample, repair, evidence, perf_counter() - begun)


@dataclass(slots=True)
class _Notes:
    """What a step has found so far, kept when it fails half-way."""

    computed: Computed | None = None
    rejected: list[str] = field(default_factory=list)
    measurements: tuple[Measurement, ...] = ()


def _steps(offered: Offered, context: Context) -> Iterator[Step]:
    match offered:
        case Citation():
            yield _cite(offered)
        case Induction():
            yield replace(_step(offered.base, context), base_of=offered.over)
            yield _step(offered.step, context)
        case Argument():
            yield _step(offered, context)


def _clause(clause: Clause, kind: Kind, context: Context) -> ClauseResult:
    """The verdict on one sentence: PROVED, FAILED, ERROR or OPEN."""
    steps = tuple(step for each in clause.arguments for step in _steps(each, context))
    found = _proof(steps, kind, clause.for_all)
    return ClauseResult(
        clause.sentence, found.verdict, found.scope, found.all_sizes, found.reason, steps, found.unavailable
    )


def _step(offered: Argument, context: Context) -> Step:
    begun, notes = perf_counter(), _Notes()
    outcome, message = _attempt(lambda: _argue(offered, context, notes))
    computed = notes.computed
    return Step(
        title=offered.title,
        route=offered.route,
        outcome=outcome,
        sizes=computed.scope if computed else Scope(),
        shown=computed.shown if computed else "",
        explanation=offered.explanation,
        latex=offered.latex,
        rejected=tuple(notes.rejected),
        message=message,
        measurements=notes.measurements,
        seconds=perf_counter() - begun,
    )


def _argue(argument: Argument, context: Context, notes: _Notes) -> None:
    computed = _computed(argument, context)
    if not isinstance(computed, Computed):
        raise TypeError(f"compute returned a {type(computed).__name__}; expected Computed")
    notes.computed = computed
    notes.measurements = computed.measurements + _compare(argument, computed, argument.claim)
    if not argument.exact:
        _check_measurements(argument, notes.measurements)
    within(notes.measurements)
    for name, falsehood in argument.neighbours.items():
        try:
            within(_compare(argument, computed, falsehood))
        except Disagreement:
            notes.rejected.append(name)
        except Indistinct:
            if not argument.given:
                raise AssertionError(f"the neighbouring falsehood {name!r} says the same as the claim") from None
        except Unavailable:
            raise
        except Exception as error:
            raise RuntimeError(f"comparing with the neighbour {name!r} broke: {_line(error)}") from error
        else:
            raise AssertionError(f"the neighbouring falsehood {name!r} was accepted")
    if not notes.rejected:
        raise AssertionError("every neighbouring falsehood says the same as the claim on this instance")


def _computed(argument: Argument, context: Context) -> Computed:
    """What the argument computes; data of somebody's own need not suit it, the embedded ones have to.

    Raises:
        Unavailable: data of somebody's own do not suit it.
        RuntimeError: the embedded data do not.
    """
    try:
        return argument.compute(context)
    except Unsuited as reason:
        if context.embedded:
            raise RuntimeError(f"the embedded data do not suit: {reason}") from reason
        raise Unavailable(str(reason)) from None


def _compare(argument: Argument, computed: Computed, claim: Any) -> tuple[Measurement, ...]:
    match argument.compare(computed.value, claim):
        case None:
            return ()
        case Measurement() as one if not argument.exact:
            return (one,)
        case tuple() as several if not argument.exact and all(isinstance(one, Measurement) for one in several):
            return several
        case other:
            raise TypeError(f"compare returned {short(other)}; expected it to raise Disagreement or return nothing")


def _check_measurements(argument: Argument, measurements: tuple[Measurement, ...]) -> None:
    if not measurements:
        raise ValueError("evidence without a measurement")
    if argument.route == "modular" and any(one.failure_probability is None for one in measurements):
        raise ValueError("a modular measurement states no failure probability")


def _cite(citation: Citation) -> Step:
    cited, begun, held = citation.cited, perf_counter(), []

    def check() -> None:
        for sentence, condition in citation.hypotheses.items():
            if not _answer(condition.holds(condition.of())):
                raise Disagreement(f"the cited theorem does not apply: {sentence}")
            if _answer(condition.holds(condition.fails_on())):
                raise AssertionError(f"the check of a hypothesis cannot fail: {sentence}")
            held.append(sentence)

    outcome, message = _attempt(check)
    return Step(
        title=cited.sentence,
        route="cited theorem",
        outcome=outcome,
        explanation="; ".join(held),
        shown=cited.source,
        message=message,
        seconds=perf_counter() - begun,
    )


def _attempt(action: Callable[[], None]) -> tuple[Outcome, str]:
    """Outcome and message; whatever is raised, a test framework's skip included, is no pass.

    Raises:
        KeyboardInterrupt: the user stopped it.
    """
    try:
        action()
    except Unavailable as missing:
        return "unavailable", _line(missing, name=False)
    except (Disagreement, AssertionError) as error:
        return "failed", _line(error, name=False)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        show_traceback(error)
        return "error", _line(error)
    return "passed", ""


def _answer(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"a predicate returned {short(value)}; expected True or False")
    return value


def _hypotheses_fail(statement: Statement) -> _Finding | None:
    """FAILED or ERROR where a hypothesis does not reject the instance that it is said to reject."""

    def check() -> None:
        for one in statement.hypotheses:
            if one.fails_on is not None and _answer(one.predicate(one.fails_on)):
                raise AssertionError(f"the check of a hypothesis cannot fail: {one.sentence}")

    outcome, message = _attempt(check)
    return _Finding(_STOPPED[outcome], "", False, message) if outcome in _STOPPED else None


def _counterexample(statement: Statement, context: Context) -> CounterexampleResult | None:
    offered = statement.counterexample
    if offered is None:
        return None
    held: list[tuple[str, bool]] = []
    shown: list[str] = []

    def check() -> None:
        shown.append(offered.show(offered.instance))
        for hypothesis in statement.hypotheses:
            held.append((hypothesis.sentence, _answer(hypothesis.predicate(offered.instance))))
            if not held[-1][1]:
                raise Disagreement(f"the instance does not satisfy: {hypothesis.sentence}")

    outcome, message = _attempt(check)
    arguments = (*offered.routes, *((offered.searched,) if offered.searched else ()))
    steps = tuple(_step(argument, context) for argument in arguments)
    if outcome == "passed":
        outcome, message = _together(steps)
    return CounterexampleResult(offered.sentence, offered.latex, "".join(shown), tuple(held), steps, outcome, message)


def _repair(statement: Statement, context: Context) -> RepairResult | None:
    offered = statement.repair
    if offered is None:
        return None
    clauses = tuple(_clause(each, statement.kind, context) for each in offered.claims)
    found = _all_of(clauses)
    return RepairResult(
        offered.sentence, offered.latex, offered.adds, found.verdict, found.scope, found.all_sizes, clauses
    )


def _together(steps: Sequence[Step]) -> tuple[Outcome, str]:
    """The worst outcome among the steps, with its message."""
    for outcome in ("failed", "error", "unavailable"):
        for step in steps:
            if step.outcome == outcome:
                return outcome, f"{step.title}: {step.message}"
    return "passed", ""


class _Finding(NamedTuple):
    verdict: Verdict
    scope: str
    all_sizes: bool
    reason: str
    unavailable: bool = False


_STOPPED: Mapping[Outcome, Verdict] = {"failed": "FAILED", "error": "ERROR"}
"""What a step that did not go through makes of its statement; what comes first outweighs the other."""


def _open(reason: str, *, unavailable: bool = False) -> _Finding:
    return _Finding("OPEN", "", False, reason, unavailable)


def _proof(steps: Sequence[Step], kind: Kind, for_all: Mapping[str, int]) -> _Finding:
    """PROVED, FAILED, ERROR or OPEN from the steps of one clause."""
    outcome, message = _together(steps)
    exact = [step for step in steps if step.route in EXACT_ROUTES]
    if outcome in _STOPPED:
        return _Finding(_STOPPED[outcome], "", False, message)
    if outcome == "unavailable":
        return _open(message, unavailable=True)
    if not exact:
        return _open("only a citation is offered" if steps else "no argument is offered")
    coverage = covered(steps, for_all)
    if coverage.speaks_of_none:
        return _open(f"no step speaks of {', '.join(coverage.uncarried)}")
    if kind == "network" and coverage.scope.free and not any(step.route == "explicit" for step in exact):
        return _open("the argument for all sizes has no explicit route beside it")
    return _Finding("PROVED", str(coverage), coverage.all_sizes, "")


def _all_of(clauses: Sequence[ClauseResult]) -> _Finding:
    """What the clauses say together: the worst of them, for the sizes that all of them cover."""
    for verdict in ("FAILED", "ERROR", "OPEN"):
        for one in clauses:
            if one.verdict == verdict:
                return _Finding(verdict, "", False, one.reason, one.unavailable)
    if not clauses:
        return _open("no argument is offered")
    return _Finding("PROVED", _joined(one.scope for one in clauses), all(one.all_sizes for one in clauses), "")


def _result(
    statement: Statement,
    finding: _Finding,
    clauses: tuple[ClauseResult, ...],
    counterexample: CounterexampleResult | None,
    repair: RepairResult | None,
    evidence: tuple[Step, ...],
    seconds: float,
) -> Result:
    everything = (
        *steps_of(clauses),
        *evidence,
        *(counterexample.steps if counterexample else ()),
        *(repair.steps if repair else ()),
    )
    return Result(
        id=statement.id,
        verdict=finding.verdict,
        scope=finding.scope,
        all_sizes=finding.all_sizes,
        seconds=seconds,
        reason=finding.reason,
        clauses=clauses,
        evidence=evidence,
        counterexample=counterexample,
        repair=repair,
        assumptions=tuple(f"{s.title} ({s.shown})" for s in everything if s.route == "cited theorem"),
        unavailable=finding.unavailable,
    )


def _under_printed_hypotheses(statement: Statement, offered: _Finding) -> _Finding:
    """REPAIRED where the proof takes a hypothesis that is not printed."""
    added = [one.sentence for one in statement.hypotheses if not one.printed]
    if offered.verdict != "PROVED" or not added:
        return offered
    return offered._replace(verdict="REPAIRED", reason=f"under a hypothesis that is not printed: {'; '.join(added)}")


def _verdict(
    statement: Statement,
    clauses: tuple[ClauseResult, ...],
    counterexample: CounterexampleResult | None,
    repair: RepairResult | None,
    evidence: tuple[Step, ...],
) -> _Finding:
    offered = _all_of(clauses)
    observed, observation = _together(evidence)
    if stopped := _stopped(offered, counterexample, repair, (observed, observation)):
        return stopped
    if counterexample is not None or repair is not None:
        return _against(counterexample, repair)
    if clauses:
        return _under_printed_hypotheses(statement, offered)
    if any(step.outcome == "passed" for step in evidence):
        return _Finding("OBSERVED", _joined(s.scope for s in evidence if s.outcome == "passed"), False, "")
    return _open(observation or "nothing is offered", unavailable=observed == "unavailable")


def _stopped(
    offered: _Finding,
    counterexample: CounterexampleResult | None,
    repair: RepairResult | None,
    evidence: tuple[Outcome, str],
) -> _Finding | None:
    """FAILED or ERROR where something did not go through, or both sides did."""
    found: list[tuple[Verdict | None, str]] = [(offered.verdict, offered.reason)]
    if counterexample is not None:
        found.append((_STOPPED.get(counterexample.outcome), f"counterexample: {counterexample.message}"))
    if repair is not None:
        found.append((repair.verdict, f"repair: {_together(repair.steps)[1]}"))
    found.append((_STOPPED.get(evidence[0]), f"evidence: {evidence[1]}"))
    for stopped in _STOPPED.values():
        for verdict, reason in found:
            if verdict == stopped:
                return _Finding(stopped, "", False, reason)
    if offered.verdict == "PROVED" and counterexample is not None and counterexample.outcome == "passed":
        return _Finding("FAILED", "", False, "the proof and the counterexample both went through")
    return None


def _against(counterexample: CounterexampleResult | None, repair: RepairResult | None) -> _Finding:
    """REPAIRED, REFUTED or OPEN, when nothing failed or broke."""
    if counterexample is not None and counterexample.outcome == "unavailable":
        return _open(counterexample.message, unavailable=True)
    if repair is not None and repair.verdict == "PROVED":
        reason = "" if counterexample else f"incomplete as printed: {repair.adds}"
        return _Finding("REPAIRED", repair.scope, repair.all_sizes, reason)
    repaired = _all_of(repair.clauses) if repair else None
    left = f"the repair is not proved: {repaired.reason}" if repaired else ""
    if counterexample is None:
        return _open(left, unavailable=repaired is not None and repaired.unavailable)
    return _Finding("REFUTED", _joined(step.scope for step in counterexample.steps[:2]), False, left)


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(text for text in texts if text))


def _line(error: BaseException, *, name: bool = True) -> str:
    text = short(error, limit=300)
    return f"{type(error).__name__}: {text}".rstrip(": ") if name else text
