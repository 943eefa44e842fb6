"""Running many statements, and what follows from all their verdicts together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import TypeAlias

from proofs.statements import find as registered
from proofs.verdicts import Context, Part, Result, Statement, run

Find: TypeAlias = Callable[[Sequence[str]], Sequence[Statement]]


def run_all(
    statements: Sequence[Statement],
    context: Context | None = None,
    jobs: int = 1,
    find: Find = registered,
    done: Callable[[Result], None] | None = None,
    parts: Sequence[Part] = ("exact", "evidence"),
) -> list[Result]:
    """The results of `statements` in their order, from `jobs` processes, `fully_proved` filled in.

    A worker looks its statements up by id, with `find` (by default proofs.statements.find), which has to be picklable.
    `done` is called with each result in turn.
    """
    context, note = context or Context(), done or (lambda _: None)
    results = []
    alone = (run(statement, context, parts) for statement in statements)
    for result in _in_processes(statements, context, jobs, find, parts) if min(jobs, len(statements)) > 1 else alone:
        note(result)
        results.append(result)
    settled = fully_proved(results, statements)
    return [replace(result, fully_proved=settled[result.id]) for result in results]


def fully_proved(results: Iterable[Result], statements: Iterable[Statement]) -> dict[str, bool | None]:
    """Whether each statement is proved for all sizes together with everything it uses, transitively.

    A REPAIRED statement counts as proved, in its repaired form. None: something it uses did not run. Statements that
    use each other in a circle prove nothing. Cited theorems are assumptions and do not count against it.
    """
    by_id = {result.id: result for result in results}
    uses = {statement.id: statement.uses for statement in statements}

    def settle(id_: str, above: tuple[str, ...]) -> bool | None:
        if id_ in above:
            return False
        if id_ not in by_id:
            return None
        result = by_id[id_]
        if result.verdict not in {"PROVED", "REPAIRED"} or not result.all_sizes:
            return False
        below = [settle(used, (*above, id_)) for used in uses.get(id_, ())]
        return False if False in below else None if None in below else True

    return {id_: settle(id_, ()) for id_ in by_id}


def _in_processes(
    statements: Sequence[Statement],
    context: Context,
    jobs: int,
    find: Find,
    parts: Sequence[Part],
) -> Iterable[Result]:
    # Fresh interpreters: a forked one would inherit a half-initialised GPU and BLAS threads.
    with ProcessPoolExecutor(min(jobs, len(statements) or 1), mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_run_by_id, find, statement.id, context, parts) for statement in statements]
        for statement, future in zip(statements, futures, strict=True):
            try:
                yield future.result()
            except Exception as error:
                yield Result(statement.id, "FAILED", "", False, 0.0, reason=f"its process ended: {error!r}")


def _run_by_id(find: Find, id_: str, context: Context, parts: Sequence[Part]) -> Result:
    return run(find([id_])[0], context, parts)
