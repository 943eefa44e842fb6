"""Work on several threads: every item once, no warning, no error lost, and nothing left behind in a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from resproof.numeric import threads
from resproof.numeric.backend import Ops, ops
from resproof.numeric.threads import cores, each


def test_every_item_is_worked_on_once_and_each_share_on_its_own_thread() -> None:
    done: list[tuple[int, int]] = []
    started = threading.Barrier(2)

    def work(item: int) -> None:
        if item in {1, 2}:
            _ = started.wait(10)
        done.append((item, threading.get_ident()))

    each(ops(np), work, [[1, 3], [2, 4]])
    assert sorted(item for item, _ in done) == [1, 2, 3, 4]
    thread = dict(done)
    assert thread[1] == thread[3] == threading.get_ident()
    assert thread[2] == thread[4] != thread[1]


def test_the_caller_takes_what_no_thread_has_begun_with(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep = threading.Event()
    with ThreadPoolExecutor(1) as others:
        busy = others.submit(asleep.wait, 10)
        monkeypatch.setattr(threads, "_others", lambda count: others)
        done: list[tuple[int, int]] = []
        each(ops(np), lambda item: done.append((item, threading.get_ident())), [[1], [2, 3], [4]])
        assert not busy.done()
        asleep.set()
    assert done == [(item, threading.get_ident()) for item in (1, 2, 3, 4)]


def test_an_overflow_warns_on_no_thread() -> None:
    found: list[float] = []
    big = np.full(2, 1e200)
    each(ops(np), lambda factor: found.append(float((factor * big).sum())), [[1e200], [1e200], [2e200]])
    assert found == [float("inf")] * 3


@pytest.mark.parametrize("bad", [0, 1, 3])
def test_an_error_comes_out_after_all_threads_are_done(bad: int) -> None:
    done: list[int] = []

    def work(item: int) -> None:
        if item == bad:
            raise ValueError(f"item {item}")
        done.append(item)

    with pytest.raises(ValueError, match=f"item {bad}"):
        each(ops(np), work, [[0], [1], [2], [3]])
    assert sorted(done) == sorted({0, 1, 2, 3} - {bad})


def test_cores_are_for_numpy_alone(array_ops: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in threads.TOLD:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda process: {0, 1, 5}, raising=False)
    assert cores(array_ops) == (3 if array_ops.xp is np else 1)
    monkeypatch.delattr(threads.os, "sched_getaffinity")
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 7)
    assert cores(ops(np)) == 7
    for told, count in (("2", 2), ("64", 7), ("0", 1), ("two", 7)):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        assert cores(ops(np)) == count


FORK = """
import os
import numpy as np
from resproof.numeric.backend import ops
from resproof.numeric.threads import each
found = []
each(ops(np), found.append, [[1], [2]])
child = os.fork()
if child == 0:
    each(ops(np), found.append, [[3], [4]])
    os._exit(len(found))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4\n"
