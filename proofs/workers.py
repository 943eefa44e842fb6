"""Calls in child processes, each of which can be killed: by a time limit, by an interrupt, or from outside.

A worker has a connection of its own and one call at a time, so that its death costs that call alone. The call is made
once more, in a fresh process; what ends that one too has no value, and the reason is told. A time limit kills the
worker: it ends C code and tight loops as well. Interpreters are fresh, for a forked one would inherit a
half-initialised GPU and the threads of BLAS. Each worker leads a process group, which is killed as a whole; on Linux
none outlives its parent, however that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Generic, TypeAlias, TypeVar

from resproof.architectures.errors import OneLine, show_traceback
from resproof.proofs.interrupts import end_with, undivided

T = TypeVar("T")

_SPAWN = get_context("spawn")
_TRIES = 2
"""A call whose worker dies is made so often."""
_START = 60.0
"""Seconds that a fresh process has to begin its first call, beside the call's own limit."""
_LEAVE = 1.0
"""Seconds that idle workers have to leave."""


class WorkerError(OneLine, RuntimeError):
    """A call has no value: its processes died, or it ran longer than its limit; the message is one line."""


@dataclass(frozen=True, slots=True)
class Returned(Generic[T]):
    """What a call returned."""

    value: T


@dataclass(frozen=True, slots=True)
class Raised:
    """What a call raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a call has neither, and the seconds that it ran."""

    reason: str
    seconds: float


Outcome: TypeAlias = "Returned[T] | Raised | Ended"


def call(function: Callable[[], T], timeout: float | None = None) -> T:
    """What `function` returns in a process of its own.

    Raises:
        BaseException: what it raises there.
        WorkerError: it ran longer than `timeout` seconds, or its process died twice.
    """
    with closing(call_each({"": function}, 1, timeout=timeout)) as outcomes:
        _, outcome = next(outcomes)
    return value_of(outcome)


def value_of(outcome: Outcome[T], what: str = "") -> T:
    """The value of a call; `what` is the call's name for the message where it has none.

    Raises:
        BaseException: what it raised.
        WorkerError: it ran too long, or its process died twice.
    """
    match outcome:
        case Returned(value):
            return value
        case Raised(error):
            raise error
        case Ended(reason):
            raise WorkerError(f"{what}: {reason}" if what else reason)


def call_each(
    calls: Mapping[str, Callable[[], T]],
    jobs: int,
    *,
    timeout: float | None = None,
    begun: Callable[[str], None] = lambda _: None,
    first: Callable[[], object] | None = None,
) -> Generator[tuple[str, Outcome[T]]]:
    """Each call's key and outcome as they come, from at most `jobs` processes; calls have to be picklable.

    `timeout` is the most seconds that one of them may run; `begun` is called with the key of each that begins. What a
    process has to load is loaded by `first`, before its first call begins. Close the generator, and all its processes
    are killed: `contextlib.closing` does so whatever happens.
    """
    waiting, deaths, crew = deque(calls), Counter[str](), list[_Worker]()
    idle: list[_Worker] = []
    try:
        while waiting or len(idle) < len(crew):
            while waiting and (idle or len(crew) < jobs):
                if not idle:
                    crew.append(_Worker(first))
                    idle.append(crew[-1])
                key = waiting.popleft()
                idle.pop().take(key, calls[key])
            busy = [worker for worker in crew if worker not in idle]
            for worker in _stirring(busy, timeout):
                key, outcome = worker.key, worker.heard(timeout)
                if isinstance(outcome, _Begun):
                    begun(key)
                    continue
                if isinstance(outcome, Returned | Raised):
                    idle.append(worker)
                else:
                    worker.kill()
                    crew.remove(worker)
                if isinstance(outcome, _Died):
                    deaths[key] += 1
                    if deaths[key] < _TRIES:
                        waiting.appendleft(key)
                        continue
                    outcome = Ended(f"its process ended {_TRIES} times: {outcome.why}", outcome.seconds)
                yield key, outcome
        _dismiss(crew)
    finally:
        for worker in crew:
            worker.kill()


@dataclass(frozen=True, slots=True)
class _Begun:
    """A worker's word that its call begins now."""


@dataclass(frozen=True, slots=True)
class _Died:
    why: str
    seconds: float


def _stirring(busy: list[_Worker], timeout: float | None) -> list[_Worker]:
    """Workers that have something to say, have died, or have run too long; waits for the first."""
    left = min((worker.deadline(timeout) for worker in busy), default=0.0) - monotonic() if timeout else None
    wanted: list[Any] = [end for worker in busy for end in (worker.connection, worker.process.sentinel)]
    ready = connection.wait(wanted, None if left is None else max(left, 0.0))
    return [
        worker
        for worker in busy
        if worker.connection in ready or worker.process.sentinel in ready or worker.deadline(timeout) <= monotonic()
    ]


@dataclass(eq=False, slots=True)
class _Worker:
    """A process, its connection, and the call it has."""

    first: Callable[[], object] | None
    connection: Any = field(init=False)
    process: Any = field(init=False)
    key: str = ""
    since: float = 0.0
    grace: float = _START

    def __post_init__(self) -> None:
        self.connection, theirs = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(theirs, os.getpid(), self.first))
        resource_tracker.ensure_running()  # which lets signals through as it begins
        with undivided():
            self.process.start()
        theirs.close()

    def take(self, key: str, function: Callable[[], Any]) -> None:
        self.key, self.since = key, monotonic()
        with suppress(OSError):  # it has died: that is heard of next
            self.connection.send(function)

    def deadline(self, timeout: float | None) -> float:
        return self.since + self.grace + timeout if timeout else float("inf")

    def heard(self, timeout: float | None) -> Outcome[Any] | _Begun | _Died:
        """What it has to say, or what became of it."""
        try:
            if self.connection.poll():
                said = self.connection.recv()
                if isinstance(said, _Begun):
                    self.since, self.grace = monotonic(), 0.0
                return said
            if timeout and self.deadline(timeout) <= monotonic():
                return Ended(f"ran longer than the limit of {timeout:g} s", monotonic() - self.since)
        except (EOFError, OSError):
            pass  # it has died
        except Exception as error:  # what it sent cannot be read
            return Raised(error)
        self.process.join(_LEAVE)
        return _Died(_why(self.process.exitcode), monotonic() - self.since)

    def kill(self) -> None:
        """End it and whatever it began."""
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _dismiss(crew: list[_Worker]) -> None:
    """Let idle workers leave by themselves."""
    until = monotonic() + _LEAVE
    for worker in crew:
        worker.connection.close()
    for worker in crew:
        worker.process.join(max(until - monotonic(), 0.0))


def _why(code: int | None) -> str:
    """What ended a process, by its exit code."""
    if code is None:
        return "it closed its connection"
    return ended_by(-code) if code < 0 else f"it left with status {code}"


def ended_by(number: int) -> str:
    """What a signal that ended a process is called, and what it often means."""
    name = signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    return f"{name}, as a machine out of memory sends it" if name == "SIGKILL" else name


# In the worker.


def _serve(ours: Connection, parent: int, first: Callable[[], object] | None) -> None:
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    end_with(parent)
    with suppress(EOFError, OSError):  # the parent has closed its end
        while True:
            _answer(ours, first)
            first = None


def _answer(ours: Connection, first: Callable[[], object] | None) -> None:
    try:
        function = ours.recv()
        if first is not None:
            first()
    except (EOFError, OSError):
        raise
    except BaseException as error:
        ours.send(Raised(_portable(error)))
        return
    ours.send(_Begun())
    try:
        answer: Returned[Any] | Raised = Returned(function())
    except BaseException as error:
        show_traceback(error)
        answer = Raised(_portable(error))
    try:
        ours.send(answer)
    except OSError:
        raise
    except Exception as error:
        ours.send(Raised(_portable(error)))


def _portable(error: BaseException) -> BaseException:
    """The error, or its words where it cannot be sent as it is."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:
        pass
    return WorkerError(f"{type(error).__name__}: {error}")
