"""Calls in child processes, each of which can be killed: by a time limit, by an interrupt, or from outside.

A worker is a `ProcessPoolExecutor` of one process and has one call at a time, so that its death costs that call alone.
The call is made once more, in a fresh process; what ends that one too has no value, and the reason is told. A time
limit is an alarm of the system in the worker: it ends C code and tight loops as well. Interpreters are fresh, for a
forked one would inherit a half-initialised GPU and the threads of BLAS. Each worker leads a process group, which is
killed as a whole; on Linux none outlives its parent, however that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from multiprocessing import active_children, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from resproof.architectures.errors import OneLine, show_traceback
from resproof.proofs.interrupts import end_with, undivided

T = TypeVar("T")

_TRIES = 2
"""A call whose worker dies is made so often."""
_OF_A_TERMINAL = (signal.SIGINT, signal.SIGHUP)


class WorkerError(OneLine, RuntimeError):
    """A call has no value: its processes died, or it ran longer than its limit; the message is one line."""

    def __init__(self, reason: str, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.seconds = seconds


def call(function: Callable[[], T], timeout: float | None = None) -> T:
    """What `function` returns in a process of its own.

    Raises:
        BaseException: what it raises there.
        WorkerError: it ran longer than `timeout` seconds, or its process died twice.
    """
    with closing(call_each({"": function}, 1, timeout=timeout)) as outcomes:
        _, outcome = next(outcomes)
    return outcome.result()


def value_of(outcome: Future[T], what: str) -> T:
    """The value of a call; `what` is the call's name for the message where it has none.

    Raises:
        BaseException: what it raised.
        WorkerError: it ran too long, or its process died twice.
    """
    try:
        return outcome.result()
    except WorkerError as error:
        raise WorkerError(f"{what}: {error}", error.seconds) from None


def call_each(
    calls: Mapping[str, Callable[[], T]],
    jobs: int,
    *,
    timeout: float | None = None,
    begun: Callable[[str], object] = lambda _: None,
    first: Callable[[], object] | None = None,
) -> Generator[tuple[str, Future[T]]]:
    """Each call's key and outcome as they come, from at most `jobs` processes; calls have to be picklable.

    `timeout` is the most seconds that one of them may run; `begun` is called with the key of each that begins. What has
    to be loaded is loaded by `first`, before the time of a process's first call begins. Close the generator, and all its
    processes are killed: `contextlib.closing` does so whatever happens.
    """
    waiting, deaths = deque(calls), Counter[str]()
    crew, busy = list[_Worker](), dict[Future[T], _Task]()
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                idle = [one for one in crew if all(one is not task.worker for task in busy.values())]
                worker = idle[0] if idle else _Worker.begun(crew)
                key = waiting.popleft()
                future = worker.executor.submit(_answer, calls[key], timeout, None if idle else first)
                busy[future] = _Task(key, worker, monotonic())
                begun(key)
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                key, worker, since = busy.pop(future)
                if not isinstance(future.exception(), BrokenProcessPool):
                    yield key, future
                    continue
                worker.kill()
                crew.remove(worker)
                deaths[key] += 1
                if worker.process.exitcode == -signal.SIGALRM:
                    yield key, _ended(f"ran longer than the limit of {timeout:g} s", monotonic() - since)
                elif deaths[key] < _TRIES:
                    waiting.appendleft(key)
                else:
                    why = f"its process ended {_TRIES} times: {_why(worker.process.exitcode)}"
                    yield key, _ended(why, monotonic() - since)
    finally:
        for worker in crew:
            worker.kill()


def call_on(
    executor: Executor, calls: Mapping[str, Callable[[], T]], *, begun: Callable[[str], object] = lambda _: None
) -> Generator[tuple[str, Future[T]]]:
    """As `call_each`, on anything with the interface of `concurrent.futures`, such as the executor of a Dask cluster."""
    futures: dict[Future[T], str] = {}
    try:
        for key, function in calls.items():
            futures[executor.submit(function)] = key
            begun(key)
        for future in as_completed(futures):
            yield futures[future], future
    finally:
        for future in futures:
            _ = future.cancel()


class _Worker(NamedTuple):
    executor: ProcessPoolExecutor
    process: BaseProcess

    @classmethod
    def begun(cls, crew: list[_Worker]) -> _Worker:
        """A new one of the crew; what a terminal sends to all of us is left to its parent."""
        with undivided():
            before, mask = {*active_children()}, signal.pthread_sigmask(signal.SIG_BLOCK, _OF_A_TERMINAL)
            try:
                resource_tracker.ensure_running()  # which lets signals through as it begins
                signal.pthread_sigmask(signal.SIG_BLOCK, _OF_A_TERMINAL)
                executor = ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin, initargs=(os.getpid(),))
                _ = executor.submit(int)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            (process,) = {*active_children()} - before
            crew.append(cls(executor, process))
        return crew[-1]

    def kill(self) -> None:
        """End it and whatever it began."""
        if pid := self.process.pid:
            with suppress(OSError):  # it leads no group where it has just begun
                os.killpg(pid, signal.SIGKILL)
        self.process.kill()
        self.executor.shutdown(cancel_futures=True)


class _Task(NamedTuple):
    key: str
    worker: _Worker
    since: float


def _ended(why: str, seconds: float) -> Future[Any]:
    """The outcome of a call that has none."""
    future = Future[Any]()
    future.set_exception(WorkerError(why, seconds))
    return future


def _why(code: int | None) -> str:
    """What ended a process, by its exit code."""
    if code is None or code >= 0:
        return f"it left with status {code}"
    name = signal.Signals(-code).name
    return f"{name}, as a machine out of memory sends it" if name == "SIGKILL" else name


# In the worker.


def _begin(parent: int) -> None:
    os.setpgid(0, 0)
    end_with(parent)


def _answer(function: Callable[[], T], timeout: float | None, first: Callable[[], object] | None) -> T:
    """What the function returns, within the time.

    Raises:
        BaseException: what it raises, in its words where it cannot be sent as it is.
    """
    try:
        if first is not None:
            first()
        signal.setitimer(signal.ITIMER_REAL, timeout or 0.0)
        return function()
    except BaseException as error:
        show_traceback(error)
        sent = _portable(error)
        raise sent from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _portable(error: BaseException) -> BaseException:
    with suppress(Exception):
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    return WorkerError(f"{type(error).__name__}: {error}")
