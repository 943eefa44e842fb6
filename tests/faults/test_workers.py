"""Calls in processes of their own: what ends a process costs one call, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from resproof.proofs.interrupts import Interrupted, stoppable
from resproof.proofs.workers import WorkerError, call, call_each, value_of
from tests.faults import calls
from tests.faults.processes import alive

KILLED = "its process ended 2 times: SIGKILL, as a machine out of memory sends it"
SQUARES = {str(n): partial(calls.value, n) for n in range(3)}


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    yield
    assert not active_children()


def outcomes(each: Mapping[str, Callable[[], Any]], timeout: float | None = None) -> dict[str, Future[Any]]:
    with closing(call_each(each, 2, timeout=timeout)) as found:
        return dict(found)


def test_values_come_as_they_are_ready_from_workers_that_are_used_again(tmp_path: Path) -> None:
    begun, found = list[str](), dict[str, Any]()
    each = {"slow": partial(calls.until, tmp_path / "mark"), **SQUARES, "4": os.getpid, "5": os.getpid}
    with closing(call_each(each, 2, begun=begun.append)) as ready:
        for key, outcome in ready:
            found[key] = outcome.result()
            if len(found) == len(each) - 1:
                (tmp_path / "mark").touch()
    assert [*found] == [*[*each][1:], "slow"]
    assert begun == [*each]
    assert [found[key] for key in SQUARES] == [0, 1, 4]
    assert found["4"] == found["5"]


def test_what_a_call_raises_comes_back() -> None:
    bad = {"bad": partial(calls.fail, "no"), "exits": calls.ended, "untold": calls.untold, "unsent": calls.unsent}
    found = {key: one.exception() for key, one in outcomes(bad).items()}
    assert repr(found["bad"]) == "ValueError('no')"
    assert isinstance(found["exits"], SystemExit)
    assert str(found["untold"]) == "Untold: 1 and 2"
    assert "pickle" in str(found["unsent"])


@pytest.mark.parametrize(("function", "reason"), [(calls.killed, KILLED), (calls.left, "it left with status 7")])
def test_a_second_death_is_the_end_of_one_call(function: Callable[[], Any], reason: str, tmp_path: Path) -> None:
    found = outcomes({"guilty": function, "first": partial(calls.killed_once, tmp_path / "mark"), **SQUARES})
    with pytest.raises(WorkerError, match=f"^one: .*{reason}$"):
        value_of(found.pop("guilty"), "one")
    assert {key: one.result() for key, one in found.items()} == {"first": "survived", "0": 0, "1": 1, "2": 4}


@pytest.mark.parametrize("function", [calls.endless, calls.in_c])
def test_a_time_limit_ends_whatever_runs(function: Callable[[], Any]) -> None:
    found = outcomes({"slow": function, "quick": partial(calls.value, 3)}, 2.0)
    assert found["quick"].result() == 9
    assert str(found["slow"].exception()) == "ran longer than the limit of 2 s"


def test_what_a_worker_began_ends_with_it(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=KILLED):
        call(partial(calls.killed_with_a_child, tmp_path / "pid"))
    while alive(int((tmp_path / "pid").read_text())):  # a signal is on its way until the process is scheduled
        time.sleep(0.01)


def test_an_interrupt_kills_them_all_and_counts_once() -> None:
    def work() -> None:
        try:
            outcomes({"one": calls.endless, "two": calls.in_c, "three": calls.asleep})
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGTERM)).start()
    with pytest.raises(Interrupted, match=r"^terminated$") as caught, stoppable():
        work()
    assert caught.value.status == 143
