"""Statements in a fresh interpreter: `python run_statement.py ID PART [ID PART ...]`, the packages beside this file.

Prints one JSON line for each: the verdict, its reason, the sizes, those of each clause, what the committed report says
of each step, and for each step that failed how it failed:

    "disagreement"         the computed object differs from the claim, or a measurement exceeds its bound
    "accepted neighbour"   a neighbouring falsehood passed
    "TypeError" and so on  the argument raised

The id "canaries" stands for the statements that are false: it is an ERROR where one of them comes out proved. Used by
`tests.copies`, which copies this file and the packages to another folder.
"""

import json
import resource
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypedDict

from proofs import execution
from proofs import verdict as verdicts
from proofs.registry import find
from proofs.results import ClauseResult, Step
from proofs.results import Outcome as StepOutcome
from proofs.statement import Disagreement, Unavailable

CANARIES = "canaries"
MEMORY = 8 * 2**30
"""Bytes of addresses that a process may take: what has gone wrong may ask for any number."""

_attempt = execution.attempt


class Outcome(TypedDict):
    """What one part of a statement comes to; `clauses` has verdict, sizes and whether these are all.

    `steps` has the title, the sizes, what is shown, whether it was typed, what was rejected and what was measured, then
    the instances of counterexamples: a report says it, and no verdict depends on it.
    """

    verdict: str
    reason: str
    failures: list[str]
    scope: str
    all_sizes: bool
    clauses: list[list[str]]
    steps: list[list[str]]


def outcome(id_: str, part: verdicts.Part, until: Collection[str] = ()) -> Outcome:
    """The outcome of one part of a statement; once a step has failed in a way of `until`, the others fail unseen."""
    if id_ == CANARIES:
        return _of_canaries()
    failures: list[str] = []

    def noting(action: Callable[[], None]) -> tuple[StepOutcome, str]:
        if not set(until).isdisjoint(failures):
            return "failed", "not run: an earlier step failed"

        def noted() -> None:
            try:
                action()
            except Unavailable:
                raise
            except BaseException as error:
                failures.append(_kind(error))
                raise

        return _attempt(noted)

    execution.attempt = verdicts.attempt = noting
    result = verdicts.run(find([id_])[0], parts=(part,))
    clauses = [each for one in result.clauses for each in _all(one)]
    steps = [step for one in result.clauses for step in one.everything] + list(result.evidence)
    return Outcome(
        verdict=result.verdict,
        reason=result.reason,
        failures=failures,
        scope=result.scope,
        all_sizes=result.all_sizes,
        clauses=[_sizes(one) for one in clauses],
        steps=[_told(one) for one in steps] + [[one.counterexample.instance] for one in clauses if one.counterexample],
    )


def _told(step: Step) -> list[str]:
    written = ["written"] if step.written else []
    return [step.title, step.scope, step.shown, *written, *step.rejected, *(m.quantity for m in step.measurements)]


def _sizes(clause: ClauseResult) -> list[str]:
    return [clause.verdict, clause.scope, "all sizes" if clause.all_sizes else "these sizes"]


def _all(one: ClauseResult) -> list[ClauseResult]:
    """A clause, those of its own repair, and its other readings."""
    below = (*(one.repair.clauses if one.repair else ()), *one.other_readings)
    return [one, *(each for clause in below for each in _all(clause))]


def _of_canaries() -> Outcome:
    from proofs.canaries import require_canaries  # imports what a statement does without

    verdict, reason = "REFUTED", ""
    try:
        require_canaries()
    except RuntimeError as error:
        verdict, reason = "ERROR", str(error)
    return Outcome(verdict=verdict, reason=reason, failures=[], scope="", all_sizes=False, clauses=[], steps=[])


def _kind(error: BaseException) -> str:
    if isinstance(error, Disagreement):
        return "disagreement"
    accepted = isinstance(error, AssertionError) and str(error).endswith("was accepted")
    return "accepted neighbour" if accepted else type(error).__name__


def main(*targets: str, until: Collection[str] = ()) -> None:
    """Print the outcome of each part of a statement, id and part in turn; `until` as in `outcome`."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    here = Path(__file__).resolve().parent
    assert Path(verdicts.__file__).resolve().is_relative_to(here), f"{verdicts.__file__} is not beside {here}"
    for id_, part in zip(targets[::2], targets[1::2], strict=True):
        print(json.dumps(outcome(id_, part, until)), flush=True)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main(*sys.argv[1:])
