"""Measurements in children of a process: what they return, and what is said of those that return nothing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from benchmarks.forked import KILLED, Forked

HERE = "tests.benchmarks.test_forked"


def told() -> int:
    print("what a library says")
    return os.getpid()


def fails() -> None:
    raise ValueError("of no use\nat all")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def prepared() -> None:
    os.environ["PREPARED"] = "yes"


def sees(name: str) -> str:
    return os.environ.get(name, "")


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with Forked(sys.executable, f"{HERE}:prepared", {"GIVEN": "too"}) as one:
        yield one


def test_each_runs_in_a_child_of_what_is_prepared(forked: Forked) -> None:
    first, second = (forked.result(f"{HERE}:told", [], 60.0) for _ in range(2))
    assert first[1] == second[1] == ""
    assert len({first[0], second[0], os.getpid()}) == 3
    assert [forked.result(f"{HERE}:sees", [name], 60.0)[0] for name in ("PREPARED", "GIVEN")] == ["yes", "too"]


@pytest.mark.parametrize(
    ("function", "arguments", "patience", "note"),
    [
        (f"{HERE}:fails", [], 60.0, "ValueError: of no use at all"),
        (f"{HERE}:killed", [], 60.0, KILLED),
        ("time:sleep", [60], 0.1, "beyond 0 s"),
        ("no_such_module:run", [], 60.0, "not installed"),
    ],
)
def test_what_returns_nothing_says_why(
    forked: Forked, function: str, arguments: list[object], patience: float, note: str
) -> None:
    assert forked.result(function, arguments, patience) == (None, note)
    assert forked.result(f"{HERE}:sees", ["GIVEN"], 60.0) == ("too", "")


def test_an_interpreter_without_what_is_prepared_says_so() -> None:
    with Forked(sys.executable, "no_such_module:run") as one:
        assert one.result(f"{HERE}:told", [], 60.0) == (None, "not installed")
