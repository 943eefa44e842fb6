"""Measurements forked from a process that has imported what they need: each has a peak memory of its own.

Importing torch and the rules of its derivatives takes longer than most measurements. The process of an interpreter,
`python -m benchmarks.forked`, reads a measurement a line, runs it in a child and writes its result a line.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import resolve_name
from types import TracebackType
from typing import Any

KILLED = "killed, for want of memory"


class Forked:
    """An interpreter that keeps a process from which measurements are forked; `prepare` is called in it first.

    Functions are named as `module:function`, take and return what JSON has.
    """

    def __init__(self, python: str, prepare: str = "", environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.forked", *([prepare] if prepare else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).resolve().parent.parent,
            env=os.environ | dict(environment or {}),
        )

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        with suppress(BrokenPipeError):
            _ = self._process.communicate()

    def result(self, function: str, arguments: list[Any], patience: float) -> tuple[Any, str]:
        """What the function returned, or None and why it did not."""
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):
            print(json.dumps([function, arguments, patience]), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        found, note = json.loads(line) if line else (None, "not installed")
        return found, note


def _child(function: str, arguments: list[Any], pipe: Connection) -> None:
    try:
        pipe.send((resolve_name(function)(*arguments), ""))
    except ImportError:
        pipe.send((None, "not installed"))
    except Exception as error:  # whatever a peer cannot do is what its place in the table says
        pipe.send((None, " ".join(f"{type(error).__name__}: {error}".split())[:80]))


def measured(function: str, arguments: list[Any], patience: float) -> tuple[Any, str]:
    """What a function returns in a child, or None and why it does not."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_child, args=(function, arguments, there))
    child.start()
    there.close()
    try:
        if not here.poll(patience):
            return None, f"beyond {patience:.0f} s"
        return here.recv()
    except EOFError:
        return None, KILLED
    finally:
        child.kill()
        child.join()


def main(prepare: list[str]) -> None:
    """Measure what the standard input names, a line each."""
    # What a library prints does not stand between the results.
    results = os.fdopen(os.dup(1), "w")
    _ = os.dup2(2, 1)
    for function in prepare:
        resolve_name(function)()
    for line in sys.stdin:
        print(json.dumps(measured(*json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
