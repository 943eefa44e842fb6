"""Calls on an executor: anything with the interface of `concurrent.futures`, such as that of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Executor, Future, as_completed
from typing import Any, TypeVar

from resproof.proofs.workers import Outcome, Raised, Returned

T = TypeVar("T")


def call_on(
    executor: Executor, calls: Mapping[str, Callable[[], T]], *, begun: Callable[[str], None] = lambda _: None
) -> Generator[tuple[str, Outcome[T]]]:
    """Each call's key and outcome as they come; calls have to be picklable.

    `begun` is called with the key of each that is handed over. Close the generator, and those that have not begun are
    cancelled.
    """
    futures: dict[Future[Any], str] = {}
    try:
        for key, call in calls.items():
            futures[executor.submit(call)] = key
            begun(key)
        for future in as_completed(futures):
            error = future.exception()
            yield futures[future], Returned(future.result()) if error is None else Raised(error)
    finally:
        for future in futures:
            _ = future.cancel()
