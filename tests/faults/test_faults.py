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
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from tests.faults.processes import running

ROOT = Path(__file__).parents[2]
SCRIPT = str(Path(sys.executable).with_name("resproof"))
STATEMENTS = str(Path(__file__).with_name("statements.py"))
PROVE, REPORT = f"prove {STATEMENTS}", f"report {STATEMENTS} --device cpu --out {{tmp}}/out"
BLOCK = """
from resproof import Input, Weight, tanh
h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
block = h + W2 @ tanh(W1 @ h)
"""


class Running(NamedTuple):
    """A run of the program, in a session of its own; all its processes know its mark."""

    process: subprocess.Popen[str]
    mark: str
    folder: Path

    def end(self) -> tuple[int, str, str]:
        """Its status and what it said; nothing of it may be left."""
        out, err = self.process.communicate()
        tries = 0
        while running(self.mark):  # signals are on their way
            assert (tries := tries + 1) < 600
            time.sleep(0.05)
        return self.process.returncode, out or "", err or ""


@contextmanager
def start(folder: Path, command: str, statements: str = "good", **streams: Any) -> Generator[Running]:
    (folder / "block.py").write_text(BLOCK)
    told = {"STATEMENTS": statements, "MARK": str(folder / "mark"), "TEST_MARK": (mark := uuid4().hex)}
    told |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **streams.pop("environment", {})}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    words = [SCRIPT, *(word.format(tmp=folder) for word in command.split())]
    process = subprocess.Popen(words, env={**os.environ, **told}, text=True, start_new_session=True, **streams)
    try:
        yield Running(process, mark, folder)
    finally:
        for pid in running(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


@dataclass(frozen=True)
class Fault:
    """What runs, what is done to it, and what has to come of it."""

    command: str
    statements: str = ""
    status: int = 0
    line: str = ""
    printed: str = ""
    act: Callable[[Running], object] = lambda _: None
    stdout: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


def send(number: signal.Signals, *, group: bool = True) -> Callable[[Running], None]:
    """A signal as soon as a statement runs, to the whole group as a terminal does."""

    def act(run: Running) -> None:
        while not (run.folder / "mark").exists():
            assert run.process.poll() is None, run.process.communicate()
            time.sleep(0.01)
        (os.killpg if group else os.kill)(run.process.pid, number)

    return act


PROVE2 = f"{PROVE} --jobs 2"
INT, TERM, HUP, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
TWICE = "T-0-killed is ERROR .its process ended 2 times: SIGKILL, as a machine out of mem.*; --only runs it again$"
FULL = r"standard output cannot be written \(no space left on device\)$"
CHECK = "check {tmp}/block.py:block --depth"
ASCII = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
FAULTS: dict[str, Fault] = {
    # What breaks is an ERROR, and never FAILED.
    "an exception": Fault(PROVE, "good raises", 3, "T-1-raises is ERROR .two units: Zero", "ERROR    T-1-raises"),
    "no memory, too deep, an exit": Fault(
        PROVE, "memory deep exits good", 3, "T-0-memory and 2 more are ER", "T-3-good"
    ),
    "what is false outweighs what breaks": Fault(PROVE, "raises false", 1, "T-0-raises is ERROR", "FAILED   T-1"),
    "what is missing is no fault": Fault(PROVE, "unavailable", 0, printed="OPEN     T-0-unavailable"),
    "the traceback": Fault(PROVE, "raises", 3, "(?s)Traceback.*is ERROR", environment={"RESPROOF_DEBUG": "1"}),
    # Workers and time limits: the others go on.
    "a worker killed": Fault(PROVE2, "killed good", 3, TWICE, "PROVED   T-1-good"),
    "a worker killed in a report": Fault(f"{REPORT} --jobs 2", "killed good", 3, "is ERROR", "1 ERROR, 1 PROVED"),
    "a limit in C code": Fault(
        f"{PROVE2} --timeout 3", "in_c good", 3, "longer than the limit of 3 s.", "PROVED   T-1"
    ),
    "a limit for a check": Fault(f"{CHECK} 1000000 --timeout 0.1", "", 3, "ran longer than the limit of 0.1 s$"),
    "bad input under a limit": Fault("check none.py:block --timeout 9999", "", 2, "none.py: cannot be read"),
    # Interrupts.
    "interrupted": Fault(PROVE, "endless", 130, "interrupted$", act=send(INT)),
    "interrupted with workers": Fault(PROVE2, "in_c asleep", 130, "interrupted$", act=send(INT)),
    "terminated with workers": Fault(f"{REPORT} --jobs 2", "good asleep endless", 143, "terminated$", act=send(TERM)),
    "the program alone terminated": Fault(PROVE2, "asleep in_c", 143, "terminated$", act=send(TERM, group=False)),
    "the terminal is closed": Fault(PROVE2, "asleep in_c", 129, "ended$", act=send(HUP)),
    "the program alone killed": Fault(PROVE2, "asleep in_c", -9, act=send(KILL, group=False)),
    # Output.
    "a full disk behind stdout": Fault("list", "", 2, FULL, stdout="/dev/full"),
    "json on a full disk": Fault(f"{PROVE} --json -", "good", 2, FULL, stdout="/dev/full"),
    "json to a device": Fault(f"{PROVE} --json /dev/full", "good", 2, "it is a device.; expected a regular file"),
    "json to a pipe": Fault(f"{PROVE} --json {{tmp}}/pipe", "good", 2, "it is a pipe.; expected a regular file"),
    "a folder for a file": Fault(f"{REPORT}/..", "good", 2, "REPORT.md: cannot be written .it is a folder.; expected"),
    "an ASCII terminal": Fault(f"{CHECK} 3", printed="same spectrum at every depth", environment=ASCII),
    "json for one": Fault(f"{PROVE} --json -", "good", printed='"verdict": "PROVED"', environment=ASCII),
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
            environment=fault.environment,
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
    environment = {**os.environ, "STATEMENTS": "good", "PYTHONPATH": str(ROOT)}

    def shell(line: str) -> tuple[int, str]:
        done = subprocess.run(
            f"{SCRIPT} {PROVE} {line}", shell=True, env=environment, stderr=-1, text=True, check=False
        )
        return done.returncode, done.stderr

    assert shell(f"--json {tmp_path}/out.json >&- 2>&- <&-") == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["statements"][0]["verdict"] == "PROVED"
    lost = "resproof: standard output is closed; expected a file after --json\n"
    assert shell("--json - >&-") == (2, lost)
    assert shell("--only nothing 2>/dev/full") == (2, "")


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
