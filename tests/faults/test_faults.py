"""Every fault is a clean stop: a table of what is done to the program and what has to come of it.

A row says what runs, what is done to it, the exit status, the line on stderr and what is printed. Whatever happens, it
is one line, and nothing of the program is left alive. Nothing is waited for longer than a quiet machine or a busy one
takes; a test that fails ends its processes.
"""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from tests.faults.processes import running

ROOT = Path(__file__).parents[2]
SCRIPT = str(Path(sys.executable).with_name("resproof"))
STATEMENTS = str(Path(__file__).with_name("statements.py"))
PROVE, REPORT = f"prove {STATEMENTS}", f"report {STATEMENTS} --out {{tmp}}/out --device cpu"
BLOCK = """
from resproof import Input, Weight, tanh
h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
block = h + W2 @ tanh(W1 @ h)
"""


@dataclass
class Running:
    """A run of the program, in a session of its own; all its processes know its mark."""

    process: subprocess.Popen[str]
    mark: str
    folder: Path

    def wait_for(self, condition: Callable[[], object]) -> None:
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.01)

    def end(self) -> tuple[int, str, str]:
        """Its status and what it said; nothing of it may be left."""
        out, err = self.process.communicate()
        left, tries = running(self.mark), 0
        while left and tries < 600:  # signals are on their way
            time.sleep(0.05)
            left, tries = running(self.mark), tries + 1
        assert not left, f"still running: {left}"
        return self.process.returncode, out or "", err or ""


@contextmanager
def start(folder: Path, command: str, statements: str = "good", **more: Any) -> Generator[Running]:
    mark = uuid4().hex
    (folder / "block.py").write_text(BLOCK)
    environment = {
        **os.environ,
        "STATEMENTS": statements,
        "MARK": str(folder / "mark"),
        "TEST_MARK": mark,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        **more.pop("environment", {}),
    }
    streams: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **more,
    }
    words = [SCRIPT, *(word.format(tmp=folder) for word in command.split())]
    process = subprocess.Popen(words, env=environment, text=True, start_new_session=True, **streams)
    try:
        yield Running(process, mark, folder)
    finally:
        for pid in running(mark):
            os.kill(pid, signal.SIGKILL)
        process.wait()


@dataclass(frozen=True)
class Fault:
    """What runs, what is done to it, and what has to come of it."""

    command: str
    statements: str = "good"
    status: int = 0
    line: str = ""
    printed: str = ""
    act: Callable[[Running], object] = lambda _: None
    stdout: str = ""
    environment: tuple[tuple[str, str], ...] = ()


def send(number: signal.Signals, *, group: bool = True) -> Callable[[Running], None]:
    """A signal as soon as a statement runs, to the whole group as a terminal does."""

    def act(run: Running) -> None:
        run.wait_for((run.folder / "mark").exists)
        (os.killpg if group else os.kill)(run.process.pid, number)

    return act


def again(id_: str) -> str:
    return rf"{id_} is ERROR \(.*\); --only runs it again$"


FAULTS: dict[str, Fault] = {
    # What breaks is an ERROR, and never FAILED.
    "an exception": Fault(PROVE, "good raises", 3, again("T-1-raises"), "ERROR    T-1-raises"),
    "no memory, too deep, an exit": Fault(
        PROVE, "memory deep exits good", 3, "T-0-memory and 2 more are ERR", "T-3-good"
    ),
    "what is false outweighs what breaks": Fault(PROVE, "raises false", 1, "T-0-raises is ERROR", "FAILED   T-1"),
    "what is missing is no fault": Fault(PROVE, "unavailable", 0, printed="OPEN     T-0-unavailable"),
    "the traceback on demand": Fault(
        PROVE, "raises", 3, "(?s)Traceback.*T-0-raises is ERROR", environment=(("RESPROOF_DEBUG", "1"),)
    ),
    # Workers and time limits: the others go on.
    "a worker killed": Fault(
        f"{PROVE} --jobs 2",
        "killed good",
        3,
        "T-0-killed is ERROR .its process ended 2 times: SIGK",
        "PROVED   T-1-good",
    ),
    "a worker killed once": Fault(f"{PROVE} --jobs 2", "killed_once good", printed="PROVED   T-0-killed_once"),
    "an error in a report": Fault(f"{REPORT} --jobs 2", "killed good", 3, "T-0-killed is ERROR", "1 ERROR, 1 PROVED"),
    "a limit in C code": Fault(
        f"{PROVE} --timeout 3 --jobs 2",
        "in_c good",
        3,
        "ran longer than the limit of 3 s.; --only",
        "PROVED   T-1-good",
    ),
    "a limit for a check": Fault(
        "check {tmp}/block.py:block --depth 1000000 --timeout 0.1", status=3, line="ran longer than the limit of 0.1 s$"
    ),
    "bad input under a limit": Fault(
        "check {tmp}/none.py:block --timeout 9999", status=2, line="none.py: cannot be read"
    ),
    # Interrupts.
    "interrupted": Fault(PROVE, "endless", 130, "interrupted$", act=send(signal.SIGINT)),
    "interrupted with workers": Fault(f"{PROVE} --jobs 2", "in_c asleep", 130, "interrupted$", act=send(signal.SIGINT)),
    "terminated with workers": Fault(
        f"{REPORT} --jobs 2", "good asleep endless", 143, "terminated$", act=send(signal.SIGTERM)
    ),
    "the program alone terminated": Fault(
        f"{PROVE} --jobs 2", "asleep in_c", 143, "terminated$", act=send(signal.SIGTERM, group=False)
    ),
    "the terminal is closed": Fault(f"{PROVE} --jobs 2", "asleep in_c", 129, "ended$", act=send(signal.SIGHUP)),
    "killed with workers": Fault(f"{PROVE} --jobs 2", "asleep in_c", -9, act=send(signal.SIGKILL, group=False)),
    # Output.
    "a full disk behind stdout": Fault(
        "list", status=2, line=r"standard output cannot be written \(no space left on device\)$", stdout="/dev/full"
    ),
    "json on a full disk": Fault(f"{PROVE} --json -", status=2, line="standard output cannot", stdout="/dev/full"),
    "json to a device": Fault(f"{PROVE} --json /dev/full", status=2, line="it is a device.; expected a regular file"),
    "json to a pipe": Fault(f"{PROVE} --json {{tmp}}/pipe", status=2, line="it is a pipe.; expected a regular file"),
    "a folder for a file": Fault(
        f"report {STATEMENTS} --out {{tmp}}", status=2, line="REPORT.md: cannot be written .it is a folder.; expected"
    ),
    "an ASCII terminal": Fault(
        "check {tmp}/block.py:block --depth 3",
        printed="same spectrum at every depth",
        environment=(("PYTHONIOENCODING", "ascii"), ("PYTHONUTF8", "0"), ("LC_ALL", "C"), ("PYTHONCOERCECLOCALE", "0")),
    ),
    "json for an ASCII terminal": Fault(
        f"{PROVE} --json -", printed='"verdict": "PROVED"', environment=(("PYTHONIOENCODING", "ascii"),)
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_a_clean_stop(fault: Fault, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "REPORT.md").mkdir()
    with (
        Path(fault.stdout or os.devnull).open("w") as stdout,
        start(
            tmp_path,
            fault.command,
            fault.statements,
            stdout=stdout if fault.stdout else subprocess.PIPE,
            environment=dict(fault.environment),
        ) as run,
    ):
        fault.act(run)
        status, out, err = run.end()
    assert status == fault.status, err
    assert re.search(fault.line, err), err
    assert "Traceback" in fault.line or re.fullmatch(r"(resproof: [^\n]{1,189}\n)?", err) or status < 0, err
    assert bool(err) == bool(fault.line) or status < 0, err
    assert fault.printed in out
    if fault.status > 100:
        assert not [*tmp_path.glob("out/*")]


def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with start(tmp_path, f"{PROVE} --json -", stdout=writer) as run:
        os.close(writer)
        os.close(reader)
        assert run.end() == (0, "", "")


def test_closed_streams(tmp_path: Path) -> None:
    command = f"{SCRIPT} {PROVE} --json {tmp_path}/out.json"
    environment = {**os.environ, "STATEMENTS": "good", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(f"{command} >&- 2>&- <&-", shell=True, env=environment, check=False)
    assert done.returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["statements"][0]["verdict"] == "PROVED"
    lost = subprocess.run(
        f"{SCRIPT} {PROVE} --json - >&-", shell=True, env=environment, check=False, stderr=subprocess.PIPE, text=True
    )
    assert (lost.returncode, lost.stderr) == (2, "resproof: standard output is closed; expected a file after --json\n")
    deaf = subprocess.run(f"{command} --only nothing 2>/dev/full", shell=True, env=environment, check=False)
    assert deaf.returncode == 2


def test_a_terminal_shows_what_is_running(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with start(tmp_path, PROVE, "good endless", environment={"TERM": "xterm"}, stderr=theirs) as run:
        os.close(theirs)
        send(signal.SIGINT)(run)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # nobody has the other end any more
                break
        assert run.end()[0] == 130
    os.close(ours)
    assert b"1/2" in shown
    assert b"T-1-endless" in shown
    assert b"\x1b[?25h" in shown  # the cursor is back
    assert shown.endswith(b"resproof: interrupted\r\n")


def test_a_block_of_the_catalogue_that_runs_too_long() -> None:
    from resproof.proofs.workers import WorkerError
    from resproof.reporting.catalogue import entries

    with pytest.raises(WorkerError, match=r"^block attention: ran longer than the limit of 0\.01 s$"):
        _ = entries(timeout=0.01, names=("attention",))


def test_a_limit_for_a_spectrum(tmp_path: Path) -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 20, 30))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    command = (
        "spectrum --architecture n-shortcut --set shortcut_depth=1 --units 200 --data {tmp}/data.npz --timeout 0.1"
    )
    with start(tmp_path, command) as run:
        assert run.end()[::2] == (3, "resproof: ran longer than the limit of 0.1 s\n")
