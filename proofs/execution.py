"""Runs what is offered: an argument, an induction or a cited theorem becomes steps; whatever is raised is no pass.

An argument *computes* without seeing the claim, then *compares* the one computed object with the claim, and with each
neighbouring falsehood, every one of which has to be rejected by `Disagreement`. Where the claim is rejected, by that or
by an AssertionError, it failed; any other exception is an error, never a rejection and never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from resproof.architectures.errors import show_traceback
from resproof.architectures.names import a_kind
from resproof.proofs.coverage import require_numbers, require_sizes_of_table
from resproof.proofs.formulas import plain
from resproof.proofs.results import Outcome, Step
from resproof.proofs.statement import (
    EVIDENCE_ROUTES,
    PRINTED,
    Argument,
    Citation,
    Computed,
    Context,
    Disagreement,
    Indistinct,
    Induction,
    Measurement,
    Offered,
    Property,
    Unavailable,
    Unsuited,
    short,
    within,
)
from resproof.proofs.told import told
from resproof.proofs.written import given, named, unwrapped, written
from resproof.symbolic.scope import Scope


@dataclass(slots=True)
class _Notes:
    """What a step has found so far, kept when it fails half-way."""

    computed: Computed | None = None
    rejected: list[str] = field(default_factory=list)
    measurements: tuple[Measurement, ...] = ()


LEAST_SHARE = 1e-4
"""A value that is said to be at most a bound has to come so near to it on the embedded data."""
HALF_THE_DIGITS = 2.0**-26
"""So has a distance, where its bound is more than this part of what is compared: half of the digits of a float."""


def execute_all(offered: Offered, context: Context) -> Iterator[Step]:
    """The steps that an argument, a citation or an induction comes to."""
    match offered:
        case Citation():
            yield _cite(offered)
        case Induction():
            yield _base(offered, context)
            yield _step(offered, context)
        case Argument():
            yield execute(offered, context)


def _base(offered: Induction, context: Context) -> Step:
    """The base of an induction, which goes on from first values that it ran over: of these it has to speak."""
    base = replace(execute(offered.base, context), base_of=offered.over)
    values = dict(base.sizes.ranged).get(offered.over, ())
    if base.outcome != "passed" or (values and values == tuple(range(values[0], values[-1] + 1))):
        return base
    message = f"the base of an induction over {offered.over} did not run over first values of {offered.over}"
    return replace(base, outcome="error", message=message)


def _step(offered: Induction, context: Context) -> Step:
    """The step of an induction, on an arbitrary object: some size of it is free."""
    step = execute(offered.step, context)
    if step.outcome != "passed" or step.sizes.free:
        return step
    message = f"the step of an induction over {offered.over} leaves no size free: it is about no arbitrary object"
    return replace(step, outcome="error", message=message)


def execute(offered: Argument, context: Context) -> Step:
    """One argument: whether it went through, with what it found until then."""
    notes = _Notes()
    file, function = place(offered.compute)
    outcome, message = attempt(lambda: _argue(offered, context, notes))
    computed = notes.computed
    shown = computed.shown if computed else ""
    found = told(computed.value) if computed and offered.exact and not shown else ""
    return Step(
        title=offered.title,
        route=offered.route,
        outcome=outcome,
        file=file,
        function=function,
        sizes=computed.scope if computed else Scope(),
        shown=shown or found,
        written=bool(shown) and written(shown, offered.compute),
        explanation=offered.explanation,
        latex=offered.latex,
        rejected=tuple(notes.rejected),
        message=message,
        measurements=notes.measurements,
    )


def place(compute: Callable[..., Any]) -> tuple[str, str]:
    """The file and the name of a function; of one that is made within another, the name of that; of code typed in, no file."""
    compute = unwrapped(compute)
    name = getattr(compute, "__qualname__", "").partition(".<locals>")[0]
    module = getattr(compute, "__module__", None)
    return (
        f"{module.removeprefix('resproof.').replace('.', '/')}.py" if module else "",
        "" if "<lambda>" in name else name,
    )


def _argue(argument: Argument, context: Context, notes: _Notes) -> None:
    computed = _computed(argument, context)
    if not isinstance(computed, Computed):
        raise TypeError(f"compute returned {a_kind(computed)}; expected Computed")
    if argument.route not in {"instance", *EVIDENCE_ROUTES} and _has_float(computed.value):
        raise TypeError(f"a float on the route {argument.route!r}: {short(computed.value)}; expected rational numbers")
    require_numbers(computed.scope)
    require_sizes_of_table(computed.value, computed.scope)
    notes.computed = computed
    notes.measurements = computed.measurements + _compare(argument, computed, argument.claim)
    if not argument.exact:
        _check_measurements(argument, notes.measurements, context.embedded)
    within(notes.measurements)
    idle = dict.fromkeys(one.quantity for one in notes.measurements)
    for name, falsehood in argument.neighbours.items():
        try:
            measured = _compare(argument, computed, falsehood)
            exceeded = {one.quantity for one in measured if one.value > one.bound}
            idle = {quantity: None for quantity in idle if quantity not in exceeded}
            within(measured)
        except Disagreement:
            notes.rejected.append(name)
        except Indistinct:
            if not argument.given:
                raise AssertionError(f"the neighbouring falsehood {plain(name)!r} says the same as the claim") from None
        except Unavailable:
            raise
        except Exception as error:
            raise RuntimeError(f"comparing with the neighbour {plain(name)!r} broke: {_line(error)}") from error
        else:
            raise AssertionError(f"the neighbouring falsehood {plain(name)!r} was accepted")
    if argument.exact and callable(argument.neighbours.get(PRINTED)):
        _require_printed_can_hold(argument)
    if argument.exact and isinstance(argument.claim, Property):
        _require_examples(argument, argument.claim, "claim")
    if not notes.rejected:
        raise AssertionError("every neighbouring falsehood says the same as the claim on this instance")
    if idle and context.embedded and not argument.exact and not argument.given:
        raise AssertionError(f"{plain(next(iter(idle)))}: no neighbouring falsehood exceeds its bound")
    _check_comparison(argument)


def _has_float(found: Any) -> bool:
    """Whether something is a float, or holds one; an instance may, where it says which numbers a program gives."""
    each = found.values() if isinstance(found, Mapping) else found if isinstance(found, tuple | list | set) else ()
    return isinstance(found, float) or any(map(_has_float, each))


class _Nothing:
    """What no engine computes."""


def _check_comparison(argument: Argument) -> None:
    """A comparison that goes through compares, and what it compares was computed without the claim.

    Raises:
        AssertionError: nothing at all agrees with the claim; `compute` has the claim at hand; a falsehood counts twice.
    """
    if _agrees(argument, _Nothing()):
        raise AssertionError("the comparison agrees with the claim whatever is computed")
    claim, at_hand = argument.claim, (*given(argument.compute), *named(argument.compute))
    if isinstance(claim, Mapping | tuple | list | set) and claim and any(one is claim for one in at_hand):
        raise AssertionError("the claim is among what the computation is made with")
    if argument.exact and not argument.given:
        for (name, one), (other, another) in combinations(argument.neighbours.items(), 2):
            if type(one) is type(another) and one == another:
                raise AssertionError(f"one falsehood under two names: {plain(name)!r} and {plain(other)!r}")


def _agrees(argument: Argument, found: object) -> bool:
    """Whether a comparison goes through."""
    try:
        within(_compare(argument, Computed(found, Scope()), argument.claim))
    except Exception:
        return False
    return True


def _require_printed_can_hold(argument: Argument) -> None:
    """A predicate that holds of nothing is rejected whatever was computed, and is not what is printed.

    Raises:
        AssertionError: it holds of nothing that is offered, or an example of it is wrong.
    """
    printed = argument.neighbours[PRINTED]
    if isinstance(printed, Property):
        _require_examples(argument, printed, "printed conclusion")
    elif not any(_holds(argument, one, printed) for one in argument.neighbours.values() if not callable(one)):
        raise AssertionError("nothing is offered of which the printed conclusion holds")


def _require_examples(argument: Argument, claim: Property, what: str) -> None:
    for expected, examples in ((True, claim.of), (False, claim.not_of)):
        for one in examples:
            if _holds(argument, one, claim) is not expected:
                raise AssertionError(f"the {what} is {not expected} of {short(one)}; expected {expected}")


def _holds(argument: Argument, one: object, claim: object) -> bool:
    with suppress(Disagreement):
        argument.compare(one, claim)
        return True
    return False


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


def _check_measurements(argument: Argument, measurements: tuple[Measurement, ...], embedded: bool) -> None:
    if not measurements:
        raise ValueError("evidence without a measurement")
    for one in measurements:
        require_numbers(Scope.of(one.sizes))
    if argument.route == "modular" and any(one.failure_probability is None for one in measurements):
        raise ValueError("a modular measurement states no failure probability")
    unsaid = [one for one in measurements if (one.caught or 0) <= 0 < one.bound and not one.at_most]
    if embedded and unsaid and not argument.given:
        raise AssertionError(f"{plain(unsaid[0].quantity)}: a bound without the size of what is compared says nothing")
    far = [one for one in measurements if one.value < LEAST_SHARE * one.bound and _is_loose(one, argument.given)]
    if embedded and far:
        raise AssertionError(
            f"{plain(far[0].quantity)}: {far[0].value:.3g} is so far below {far[0].bound:.3g} that it says nothing"
        )


def _is_loose(one: Measurement, given: bool) -> bool:
    """Whether a bound says little by itself; that of rounding on somebody's own instance is as good as it can be."""
    return one.at_most or (not given and one.caught is not None and one.caught > HALF_THE_DIGITS)


def _cite(citation: Citation) -> Step:
    cited, held = citation.cited, []

    def check() -> None:
        for sentence, condition in citation.hypotheses.items():
            if not answer(condition.holds(condition.of())):
                raise Disagreement(f"the cited theorem does not apply: {plain(sentence)}")
            if answer(condition.holds(condition.fails_on())):
                raise AssertionError(f"the check of a hypothesis cannot fail: {plain(sentence)}")
            held.append(sentence)

    outcome, message = attempt(check)
    return Step(
        title=cited.sentence,
        route="cited theorem",
        outcome=outcome,
        explanation="; ".join(held),
        shown=cited.source,
        message=message,
    )


def attempt(action: Callable[[], None]) -> tuple[Outcome, str]:
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


def answer(value: Any) -> bool:
    """What a predicate said.

    Raises:
        TypeError: it said neither True nor False.
    """
    if not isinstance(value, bool):
        raise TypeError(f"a predicate returned {short(value)}; expected True or False")
    return value


def together(steps: Sequence[Step]) -> tuple[Outcome, str]:
    """The worst outcome among the steps, with its message."""
    for outcome in ("failed", "error", "unavailable"):
        for step in steps:
            if step.outcome == outcome:
                return outcome, f"{plain(step.title)}: {step.message}"
    return "passed", ""


def _line(error: BaseException, *, name: bool = True) -> str:
    text = short(error, limit=300)
    return f"{type(error).__name__}: {text}".rstrip(": ") if name else text
