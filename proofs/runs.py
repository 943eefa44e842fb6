"""Running many statements, and what follows from all their verdicts together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from resproof.proofs.registry import find as registered
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Statement, short
from resproof.proofs.verdict import Part, run
from resproof.proofs.workers import WorkerError, call_each, call_on

Find: TypeAlias = Callable[[Sequence[str]], Sequence[Statement]]


def run_all(
    statements: Sequence[Statement],
    context: Context | None = None,
    jobs: int = 1,
    find: Find = registered,
    done: Callable[[Result], None] = lambda _: None,
    parts: Sequence[Part] = ("exact", "evidence"),
    *,
    timeout: float | None = None,
    begun: Callable[[str], None] = lambda _: None,
    executor: Executor | None = None,
) -> list[Result]:
    """The results of `statements` in their order, from `jobs` processes or an executor, `fully_proved` filled in.

    A statement that runs for more than `timeout` seconds, or whose process dies and dies again, is an ERROR. Several
    jobs and a time limit take processes of their own; a worker looks its statements up by id, with `find` (by default
    resproof.proofs.registry.find), which has to be picklable. `begun` is called with the id of each statement that begins,
    `done` with each result, as they come. Statements that are false run beside them. An executor keeps no time limit.

    Raises:
        RuntimeError: one of those came out proved.
    """
    context = context or Context()
    if statements and "exact" in parts:
        from resproof.proofs.canaries import require_canaries  # what runs beside the statements imports every engine

        require_canaries()
    found: dict[str, Result] = {}

    def note(result: Result) -> None:
        found[result.id] = result
        done(result)

    calls = {one.id: partial(_run_by_id, find, one.id, context, parts) for one in statements}
    if executor is not None:
        _note_each(call_on(executor, calls, begun=begun), note)
    elif min(jobs, len(statements)) > 1 or timeout:
        _note_each(call_each(calls, jobs, timeout=timeout, begun=begun, first=partial(find, [*calls])), note)
    else:
        for statement in statements:
            begun(statement.id)
            note(run(statement, context, parts))
    settled = fully_proved(found.values(), statements)
    return [replace(found[one.id], fully_proved=settled[one.id]) for one in statements]


def fully_proved(results: Iterable[Result], statements: Iterable[Statement]) -> dict[str, bool | None]:
    """Whether each statement is proved for all sizes together with everything it uses, transitively.

    A REPAIRED statement counts as proved, in its repaired form. None: something it uses did not run, or broke.
    Statements that use each other in a circle prove nothing. Cited theorems are assumptions and do not count against it.
    """
    by_id = {result.id: result for result in results}
    uses = {statement.id: statement.uses for statement in statements}

    def settle(id_: str, above: tuple[str, ...]) -> bool | None:
        if id_ in above:
            return False
        if id_ not in by_id:
            return None
        result = by_id[id_]
        if result.verdict == "ERROR":
            return None
        if result.verdict not in {"PROVED", "REPAIRED"} or not result.all_sizes:
            return False
        below = [settle(used, (*above, id_)) for used in uses.get(id_, ())]
        return False if False in below else None if None in below else True

    return {id_: settle(id_, ()) for id_ in by_id}


def _note_each(outcomes: Generator[tuple[str, Future[Result]]], note: Callable[[Result], None]) -> None:
    with closing(outcomes):
        for id_, outcome in outcomes:
            note(_result(id_, outcome))


def _result(id_: str, outcome: Future[Result]) -> Result:
    match outcome.exception():
        case None:
            return outcome.result()
        case WorkerError() as ended:
            return _broke(id_, str(ended), ended.seconds)
        case error:
            return _broke(id_, f"{type(error).__name__}: {error}", 0.0)


def _broke(id_: str, reason: str, seconds: float) -> Result:
    return Result(id_, "ERROR", "", False, seconds, reason=short(reason, limit=300))


def _run_by_id(find: Find, id_: str, context: Context, parts: Sequence[Part]) -> Result:
    return run(find([id_])[0], context, parts)
