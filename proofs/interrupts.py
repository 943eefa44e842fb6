"""Interrupts that end a program in order, and processes that end with their parent.

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

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that ask a program to end."""
_PR_SET_PDEATHSIG = 1
_HOW = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to end; what is worth knowing of what it leaves is in the notes."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status, as a shell gives it: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number

    def __str__(self) -> str:
        return "; ".join([_HOW.get(signal.Signals(self.number), "ended"), *getattr(self, "__notes__", ())])


@contextmanager
def stoppable() -> Generator[None]:
    """Signals that ask to end raise `Interrupted` here, once; only in the main thread, elsewhere nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Under nohup SIGHUP is ignored, and stays so.
    heeded = [one for one in STOPPING if one == signal.SIGINT or signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _stop) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: FrameType | None) -> None:
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


@contextmanager
def undivided() -> Generator[None]:
    """What is done here is done whole: a signal that asks to end acts at its end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {number: signal.signal(number, lambda n, _: waiting.append(n)) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting[:1]:
            signal.raise_signal(number)


def end_with(parent: int) -> None:
    """See to it that this process does not outlive `parent`, however that ends; Linux only."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    libc: Any = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)
