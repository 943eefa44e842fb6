"""What a call in a process of its own can do to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn


def value(x: float) -> float:
    return x**2


def fail(message: str) -> NoReturn:
    raise ValueError(message)


def killed() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    sys.exit()


def killed_once(mark: Path) -> str:
    """Dies where the file is not there yet, and leaves it there."""
    if not mark.exists():
        mark.touch()
        killed()
    return "survived"


def left() -> NoReturn:
    os._exit(7)


def ended() -> NoReturn:
    sys.exit(0)


def endless() -> NoReturn:
    while True:
        pass


def asleep() -> None:
    time.sleep(6000)


def in_c() -> int:
    """Minutes in one call of C code that holds the interpreter's lock."""
    return pow(3, 10**9)


def until(mark: Path) -> None:
    """Waits for the file."""
    while not mark.exists():
        time.sleep(0.01)


def with_a_child(mark: Path) -> None:
    """Begins a process that sleeps, and writes its number to the file."""
    silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(6000)"], **silent)
    mark.with_name("child").write_text(str(child.pid))
    mark.with_name("child").replace(mark)


def killed_with_a_child(mark: Path) -> NoReturn:
    with_a_child(mark)
    killed()


class Untold(Exception):
    """An error that cannot be made again from its words."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def untold() -> NoReturn:
    raise Untold(1, 2)


def unsent() -> object:
    return lambda: None
