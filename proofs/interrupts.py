"""Interrupts that end a program in order: what a signal raises, where it waits, and processes that end with their parent.

The first SIGINT, SIGTERM or SIGHUP raises `Interrupted`, so that every `finally` on the way out runs; those after it are
ignored, for the way out is already taken. Standard library only: this is loaded before anything else.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

STOPPING: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that ask a program to end."""
_PR_SET_PDEATHSIG = 1


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to end."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status, as a shell gives it: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number

    def __str__(self) -> str:
        return how(self.number)


def how(number: int) -> str:
    """What a signal did, in a word."""
    return {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}.get(signal.Signals(number), "ended")


@contextmanager
def stoppable() -> Generator[None]:
    """Signals that ask to end raise `Interrupted` here, once; only in the main thread, elsewhere nothing changes."""
    if not _in_main_thread():
        yield
        return
    # Under nohup SIGHUP is ignored, and stays so.
    heeded = [one for one in STOPPING if one == signal.SIGINT or signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _stop) for number in heeded}
    _unblock()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: FrameType | None) -> None:
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


def block() -> None:
    """Hold back the signals that ask to end, from here and from every process that begins here, until `stoppable`."""
    if hasattr(signal, "pthread_sigmask"):
        _ = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)


def _unblock() -> None:
    if hasattr(signal, "pthread_sigmask"):
        _ = signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


@contextmanager
def undivided() -> Generator[None]:
    """What is done here is done whole: a signal that asks to end waits for it, and acts at its end.

    A process that is begun here never sees SIGINT: whoever began it ends it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    waiting: list[int] = []
    # Another thread may take a signal that this one blocks, and its handler runs in the main thread all the same.
    heeded = STOPPING if _in_main_thread() else ()
    before = {number: signal.signal(number, lambda n, _: waiting.append(n)) for number in heeded}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _ = signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in waiting[:1]:
            signal.raise_signal(number)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def end_with(parent: int) -> None:
    """See to it that this process does not outlive `parent`, however that ends; Linux only."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    libc: Any = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)
