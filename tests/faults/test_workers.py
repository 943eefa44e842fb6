"""Calls in processes of their own: what ends a process costs one call, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from resproof.proofs.interrupts import Interrupted, stoppable, undivided
from resproof.proofs.workers import Ended, Raised, Returned, WorkerError, call, call_each
from tests.faults import calls
from tests.faults.processes import alive, children


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    yield
    assert not children()


def outcomes(jobs: int, each: Mapping[str, Callable[[], Any]], timeout: float | None = None) -> dict[str, Any]:
    with closing(call_each(each, jobs, timeout=timeout)) as found:
        return dict(found)


def squares(n: int) -> dict[str, Callable[[], Any]]:
    return {str(k): partial(calls.value, k) for k in range(n)}


def test_values_come_as_they_are_ready() -> None:
    each = {"slow": partial(calls.asleep, 0.5), **squares(5)}
    begun: list[str] = []
    with closing(call_each(each, 2, begun=begun.append)) as found:
        keys = [key for key, _ in found]
    assert keys[-1] == "slow"
    assert sorted(keys) == sorted(begun) == sorted(each)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_worker_is_used_again(jobs: int) -> None:
    found = outcomes(jobs, {str(n): calls.pid for n in range(6)})
    assert 1 <= len({one.value for one in found.values()}) <= jobs


def test_what_a_call_raises_comes_back() -> None:
    found = outcomes(
        1, {"bad": partial(calls.fail, "no"), "exits": calls.ended, "untold": calls.untold, "unsent": calls.unsent}
    )
    assert [type(one) for one in found.values()] == [Raised] * 4
    assert repr(found["bad"].error) == "ValueError('no')"
    assert isinstance(found["exits"].error, SystemExit)
    assert str(found["untold"].error) == "Untold: 1 and 2"
    assert "pickle" in str(found["unsent"].error)
    with pytest.raises(ValueError, match="no"):
        call(partial(calls.fail, "no"))


def test_a_death_costs_one_call_a_second_try(tmp_path: Path) -> None:
    found = outcomes(2, {"first": partial(calls.killed_once, tmp_path / "mark"), **squares(8)})
    assert found == {"first": Returned("survived"), **{str(n): Returned(n**2) for n in range(8)}}


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (calls.killed, "its process ended 2 times: SIGKILL, as a machine out of memory sends it"),
        (calls.left, "its process ended 2 times: it left with status 7"),
    ],
)
def test_a_second_death_is_the_end_of_one_call(function: Callable[[], Any], reason: str) -> None:
    found = outcomes(2, {"guilty": function, **{str(n): partial(calls.asleep, 0.05) for n in range(6)}})
    assert isinstance(found["guilty"], Ended)
    assert found["guilty"].reason == reason
    assert all(found[str(n)] == Returned(0.05) for n in range(6))
    with pytest.raises(WorkerError, match=reason):
        call(function)


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.5])
def test_killed_from_outside_at_any_moment(moment: float) -> None:
    each = {str(n): partial(calls.asleep, 0.1) for n in range(16)}
    victims: list[int] = []

    def kill() -> None:
        while not victims:
            victims.extend(sorted(children())[:1])
        time.sleep(moment)
        os.kill(victims[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = outcomes(2, each)
    killer.join()
    assert not alive(victims[0])
    assert found == {key: Returned(0.1) for key in each}


@pytest.mark.parametrize("function", [calls.endless, calls.asleep, calls.in_c, calls.in_numpy])
def test_a_time_limit_ends_whatever_runs(function: Callable[[], Any]) -> None:
    begun = time.monotonic()
    found = outcomes(2, {"slow": function, "quick": partial(calls.value, 3)}, 0.5)
    assert time.monotonic() - begun < 8.0
    assert found["quick"] == Returned(9)
    assert found["slow"].reason == "ran longer than the limit of 0.5 s"
    assert 0.5 <= found["slow"].seconds < 3.0


def test_what_a_worker_began_ends_with_it(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="longer than the limit"):
        call(partial(calls.with_a_child, tmp_path / "pid"), timeout=1.0)
    child, until = int((tmp_path / "pid").read_text()), time.monotonic() + 2.0
    while alive(child) and time.monotonic() < until:  # a signal is on its way until the process is scheduled
        time.sleep(0.01)
    assert not alive(child)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_kills_them_all(number: signal.Signals) -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), number))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(Interrupted) as caught, stoppable():
        outcomes(2, {"one": calls.endless, "two": calls.in_c, "three": calls.asleep})
    assert time.monotonic() - begun < 3.0
    assert caught.value.status == 128 + number


def test_an_interrupt_waits_for_what_is_undivided() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)

    def work() -> None:
        with undivided():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.05)
            done.append("whole")
        done.append("not reached")

    with pytest.raises(Interrupted), stoppable():
        work()
    assert done == ["whole"]
    assert signal.getsignal(signal.SIGINT) is before


def test_only_the_first_interrupt_counts() -> None:
    cleaned: list[str] = []

    def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1.0)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            cleaned.append("whole")

    with pytest.raises(Interrupted) as caught, stoppable():
        work()
    assert cleaned
    assert (caught.value.status, str(caught.value)) == (143, "terminated")
