"""The console script: the program in a child process, and a parent that sees to it that it ends as it should.

The program ends itself in order when it is interrupted. Where it cannot, as within a long call of C code, its parent
ends it a second later, and says what the program would have said (`reporting.last_words`). A program that dies of a
signal, or ends before its time, is told in one line with status 3. Standard library only, loaded before anything else.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from resproof.proofs.interrupts import STOPPING, Interrupted, block, end_with, how
from resproof.reporting.last_words import Shared, share

BROKE = 3
_GRACE = 1.0
"""Seconds that an interrupted program has to end itself."""
_STOPPED = 128
_NEW_OBJECTS = 50_000
"""How many new objects are worth a search for garbage: of what a command imports and derives nearly all stays."""
_CURSOR = "\r\x1b[2K\x1b[?25h"
"""A progress bar that could not end itself is wiped away, and the cursor shown again."""


def interrupted(number: int, words: str) -> str:
    """The line for a program that a signal has ended."""
    return f"resproof: {how(number)}{f'; {words}' if words else ''}"


def main() -> None:
    """Run the command line in a child process and exit with its status."""
    _open_standard_streams()
    if not hasattr(os, "fork"):
        _program()
        return
    block()
    shared, parent = share(), os.getpid()
    child = os.fork()
    if child:
        _watch(child, shared)
    end_with(parent)
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            # Before and after the program heeds a signal its parent alone does. One that is blocked goes on waiting.
            signal.signal(number, _nothing)
    _program(shared)


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Heed no signal."""


def _program(shared: Shared | None = None) -> None:
    gc.set_threshold(_NEW_OBJECTS)
    from resproof.cli import main as program
    from resproof.standard_streams import checked_stdout

    checked_stdout()
    try:
        program()
    except SystemExit as ended:
        gc.freeze()  # what is there goes with the process, and need not be searched for what keeps itself alive
        if shared is not None:
            shared.end()
            if isinstance(ended.code, int) and ended.code > _STOPPED:
                os._exit(ended.code)  # all is in order, and nobody waits for threads and libraries to leave
        raise


def _open_standard_streams() -> None:
    """A stream that is closed is opened on the null device: a file opened later would take its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _ = os.open(os.devnull, os.O_RDWR)


def _watch(child: int, shared: Shared) -> NoReturn:
    """Hand signals on to the child, end it where it does not end itself, and exit with its status."""
    stopped: list[int] = []

    def hand_on(number: int, _: FrameType | None) -> None:
        if not stopped:
            stopped.append(number)
            with suppress(ProcessLookupError):
                os.kill(child, number)
            signal.setitimer(signal.ITIMER_REAL, _GRACE)

    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, hand_on)
    _ = signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    _, found = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    code = os.waitstatus_to_exitcode(found)
    if shared.ended and code >= 0:
        _leave(code)
    if stopped:
        _leave(Interrupted(stopped[0]).status, "" if shared.ended else interrupted(stopped[0], shared.words))
    _leave(BROKE, f"resproof: the program {_ended(code)} before its time; what had finished is kept")


def _ended(code: int) -> str:
    if code >= 0:
        return f"left with status {code}"
    from resproof.proofs.workers import ended_by

    return f"was ended by {ended_by(-code)},"


def _leave(status: int, line: str = "") -> NoReturn:
    with suppress(Exception):
        if line and sys.stderr is not None:
            print(_CURSOR + line if sys.stderr.isatty() else line, file=sys.stderr, flush=True)
    sys.exit(status)
