"""Every certificate line is needed in every argument that passes it: without it, the argument does not go through.

A certificate line is a call of `identical`, `at_least_zero` or `above_zero` in `proofs/`. Each argument runs once while
its lines are written down, and again with one of them switched off. Then a neighbouring falsehood has to be accepted
that no other line rejects; where none is, the line holds nothing up. Lines in `compute` count like those in `compare`:
what their modules remember by `functools.cache` is forgotten before each run, so that none is hidden by a run before.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from resproof.proofs.execution import execute_all
from resproof.proofs.registry import find, statements
from resproof.proofs.results import Outcome
from resproof.proofs.statement import Argument, Citation, Context
from resproof.symbolic.certificates import Orthant
from tests.proofs.offered import exact

ROOT = Path(__file__).parents[2]
METHODS = ("identical", "at_least_zero", "above_zero")
ROUTES = ("inequality", "identity", "instance")
"""The routes on which certificates are used; a line that runs on others only would be missing below."""


class Line(NamedTuple):
    """Where a method is called, in `proofs/`."""

    file: str
    number: int


@cache
def in_source() -> frozenset[Line]:
    """The lines that a reader finds."""
    return frozenset(
        Line(path.relative_to(ROOT).as_posix(), node.lineno)
        for path in (ROOT / "proofs").rglob("*.py")
        if any(name in (text := path.read_text()) for name in METHODS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
    )


@contextmanager
def watched(off: Line | None = None) -> Generator[set[Line]]:
    """The lines that are called meanwhile; each does what it does, but the one that is off."""
    called = set[Line]()

    def instead_of(method: Any) -> Any:
        def call(self: Orthant, *rest: Any) -> None:
            frame = sys._getframe(1)
            line = _line(frame.f_code.co_filename, frame.f_lineno)
            if line.file.startswith("proofs/"):
                called.add(line)
            if line != off:
                method(self, *rest)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in METHODS:
            patch.setattr(Orthant, name, instead_of(getattr(Orthant, name)))
        yield called


@cache
def _line(file: str, number: int) -> Line:
    return Line(Path(file).resolve().relative_to(ROOT).as_posix(), number)


@cache
def remembering() -> tuple[Any, ...]:
    """The functions with a memory in the modules that have such lines; all are loaded with the statements."""
    modules = {
        f"resproof.{line.file.removesuffix('.py').replace('/', '.')}" for line in in_source()
    } & sys.modules.keys()
    values = (value for module in modules for value in vars(sys.modules[module]).values())
    return tuple({id(value): value for value in values if callable(getattr(value, "cache_clear", None))}.values())


def outcome(offered: Argument | Citation) -> Outcome:
    """What comes of it when nothing is remembered."""
    for function in remembering():
        function.cache_clear()
    (step,) = execute_all(offered, Context())
    return step.outcome


def lines(offered: Argument | Citation) -> frozenset[Line]:
    """The lines that it passes."""
    with watched() as called:
        assert outcome(offered) == "passed"
    return frozenset(called)


def idle(offered: Argument | Citation, passed: frozenset[Line]) -> list[Line]:
    """The lines of those that it passes without which it does not fail."""
    found = []
    for line in sorted(passed):
        with watched(off=line):
            if outcome(offered) != "failed":
                found.append(line)
    return found


def test_no_line_is_idle() -> None:
    """Nor is there a line that does not run."""
    may = [one for one in exact(*statements()) if isinstance(one, Citation) or one.route in ROUTES]
    passing = [(one, passed) for one in may if (passed := lines(one))]
    assert frozenset[Line]().union(*(passed for _, passed in passing)) == in_source()
    found = [(one.title if isinstance(one, Argument) else one.theorem, idle(one, passed)) for one, passed in passing]
    assert [(title, there) for title, there in found if there] == []


def test_an_idle_line_is_found() -> None:
    one = next(one for one in exact(*find(["DR-L1"])) if isinstance(one, Argument) and one.route == "inequality")
    name, falsehood = next(iter(one.neighbours.items()))
    assert idle(one, lines(one)) == []
    with_one = replace(one, neighbours={name: falsehood})
    assert len(idle(with_one, lines(with_one))) > 1
