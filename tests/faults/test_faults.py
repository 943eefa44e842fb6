"""Every fault is a clean stop: a table of what is done to the program and what has to come of it.

A row says what runs, what happens to it, the exit status, the line on stderr, what is printed, and what is on disk.
Whatever happens, it is over within seconds, it is one line, nothing of the program is left alive, and a file is either
as it was or complete.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from resproof.reporting.progress import recorded_seconds
from tests.faults.processes import children, running
from tests.reports.conftest import WRITTEN

ROOT = Path(__file__).parents[2]
SCRIPT = [str(Path(sys.executable).with_name("resproof"))]
PROGRAM = [sys.executable, "-m", "tests.faults.program"]
REPORT = "report --out {tmp}/out --device cpu --jobs 2"
BLOCK = """
from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Input, Weight
h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
block = h + W2 @ tanh(W1 @ h)
"""


@dataclass
class Ended:
    """How a run of the program ended."""

    status: int
    out: str
    err: str
    seconds: float
    folder: Path


@dataclass
class Running:
    """A run of the program, in a session of its own; all its processes know its mark."""

    process: subprocess.Popen[str]
    mark: str
    folder: Path
    begun: float = field(default_factory=time.monotonic)

    def wait_for(self, condition: Callable[[], object], seconds: float = 20.0) -> None:
        until = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)

    def signal(self, number: signal.Signals, *, group: bool = True) -> None:
        """Send a signal, to the whole group as a terminal does, and begin to count."""
        self.begun = time.monotonic()
        (os.killpg if group else os.kill)(self.process.pid, number)

    def end(self) -> Ended:
        """How it ends; nothing of it may be left."""
        out, err = self.process.communicate(timeout=30)
        seconds = time.monotonic() - self.begun
        until = time.monotonic() + 1.0
        while (left := running(self.mark)) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left, f"still running: {left}"
        return Ended(self.process.returncode, out or "", err, seconds, self.folder)


@dataclass(frozen=True)
class Fault:
    """What runs, what is done to it, and what has to come of it."""

    command: str
    statements: str = "good"
    status: int = 0
    line: str = ""
    printed: str = ""
    fault: str = ""
    act: Callable[[Running], object] = lambda _: None
    disk: Callable[[Path], object] = lambda _: True
    environment: tuple[tuple[str, str], ...] = ()
    seconds: float = 15.0
    stdout: str = ""
    program: tuple[str, ...] = tuple(PROGRAM)


def again(folder: Path, fault: Fault) -> dict[str, str]:
    """The verdicts after the same command once more, with nothing done to it."""
    ended = start(folder, replace(fault, fault="")).end()
    assert (ended.status, ended.err) == (0, "")
    assert sorted(path.name for path in (folder / "out").iterdir()) == WRITTEN
    return report_of(folder)


def start(folder: Path, fault: Fault, stdout: int = subprocess.PIPE) -> Running:
    mark = uuid4().hex
    (folder / "block.py").write_text(BLOCK)
    (templates := folder.parent / "templates").mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "STATEMENTS": fault.statements,
        "FAULT": fault.fault,
        "MARK": str(folder / "mark"),
        "TEMPLATES": str(templates),
        "TEST_MARK": mark,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        **dict(fault.environment),
    }
    words = [word.format(tmp=folder) for word in fault.command.split()]
    process = subprocess.Popen(
        [*fault.program, *words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        start_new_session=True,
    )
    return Running(process, mark, folder)


def report_of(folder: Path) -> dict[str, str]:
    """The verdicts in the report that is there."""
    assert (folder / "out" / "REPORT.md").exists()
    assert {path.name for path in (folder / "out" / "figures").iterdir()} == {"0.svg", "1.svg", "2.svg", "verdicts.svg"}
    found = json.loads((folder / "out" / "results.json").read_text())["statements"]
    return {one["id"]: one["verdict"] for one in found}


def kept(folder: Path) -> list[str]:
    """The statements that the next run takes over."""
    return sorted(path.stem for path in (folder / "out" / ".unfinished").glob("*/statements/*.json"))


def nothing(folder: Path) -> bool:
    """No report is there, and nothing unfinished."""
    return not (folder / "out").exists() or not list((folder / "out").iterdir())


def interrupt(number: signal.Signals, when: Callable[[Running], object], *, group: bool = True) -> Callable[..., None]:
    def act(run: Running) -> None:
        run.wait_for(lambda: when(run))
        run.signal(number, group=group)

    return act


def guarded(run: Running) -> bool:
    """As soon as the program has a parent."""
    return bool(children(run.process.pid))


def marked(run: Running) -> bool:
    return (run.folder / "mark").exists()


def keeping(count: int) -> Callable[[Running], bool]:
    return lambda run: len(kept(run.folder)) >= count


INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
KEPT = r"2 of 4 statements are finished and kept: the same command goes on from there"
DEAD = "its process ended 2 times: SIGKILL, as a machine out of memory sends it"

FAULTS: dict[str, Fault] = {
    # What breaks is an ERROR, and never FAILED.
    "an exception": Fault(
        "prove",
        "good raises",
        3,
        r"T-1-raises is ERROR \(two units: ZeroDivisionError: 1/0\); --only runs it again",
        printed="ERROR    T-1-raises",
    ),
    "no memory, too deep, an exit": Fault(
        "prove", "memory deep exits good", 3, r"T-0-memory and 2 more are ERROR \(two units: MemoryError\)", "T-3-good"
    ),
    "what is false outweighs what breaks": Fault("prove", "raises false", 1, "T-0-raises is ERROR", "FAILED   T-1"),
    "what is missing is no fault": Fault("prove", "unavailable", 0, printed="OPEN     T-0-unavailable"),
    "beside what is false": Fault("prove", printed="PROVED   T-0-good", environment=(("CANARIES", "all"),)),
    "a false statement comes out proved": Fault(
        "prove",
        status=3,
        line="the program broke: RuntimeError: T-0-good, which is false, came out PROVED for all sizes: no verdict can",
        environment=(("CANARIES", "proved"),),
    ),
    "the traceback on demand": Fault(
        "prove", "raises", 3, "(?s)Traceback.*T-0-raises is ERROR", environment=(("RESPROOF_DEBUG", "1"),)
    ),
    "the program itself": Fault(
        "prove",
        status=3,
        line="the program broke: ZeroDivisionError: 1/0; RESPROOF_DEBUG=1 shows where$",
        environment=(("BREAKS", "raises"),),
    ),
    "the program without memory": Fault(
        "list", status=3, line="the program broke: MemoryError; ", environment=(("BREAKS", "memory"),)
    ),
    "the program too deep": Fault(
        "prove --jobs 2",
        status=3,
        line="the program broke: RecursionError: maximum recursion depth exceeded",
        environment=(("BREAKS", "deep"),),
    ),
    "the program's traceback": Fault(
        "prove",
        status=3,
        line="(?s)Traceback.*the program broke: ZeroDivisionError: 1/0$",
        environment=(("BREAKS", "raises"), ("RESPROOF_DEBUG", "1")),
    ),
    # Workers.
    "a worker killed once": Fault("prove --jobs 2", "good killed_once good", 0, printed="PROVED   T-1-killed_once"),
    "a worker killed twice": Fault(
        "prove --jobs 2", "good killed good good", 3, f"T-1-killed is ERROR .{DEAD}", printed="PROVED   T-3-good"
    ),
    "a worker that leaves": Fault("prove --jobs 2", "left good", 3, "it left with status 7", "PROVED   T-1-good"),
    "the program killed": Fault(
        "prove", "killed", 3, "the program was ended by SIGKILL, as a machine out of memory sends it, before its time"
    ),
    "the program leaves": Fault("prove", "left", 3, "the program left with status 7 before its time"),
    "its parent killed": Fault(
        "prove --jobs 2",
        "once_in_c asleep",
        -9,
        act=lambda run: (run.wait_for(lambda: marked(run)), run.process.kill()),
    ),
    # Time limits.
    "a limit for one process": Fault(
        "prove --timeout 1", "endless good", 3, "T-0-endless is ERROR .ran longer than the limit of 1 s", "PROVED   T-1"
    ),
    "a limit in C code": Fault("prove --timeout 0.5 --jobs 2", "in_c good", 3, "limit of 0.5 s", "PROVED   T-1-good"),
    "a limit for a check": Fault(
        "check {tmp}/block.py:block --depth 100000 --timeout 0.4", status=3, line="ran longer than the limit of 0.4 s$"
    ),
    "a limit that suffices": Fault(
        "check {tmp}/block.py:block --depth 3 --timeout 60", printed="the same spectrum at every depth"
    ),
    "bad input under a limit": Fault(
        "check {tmp}/none.py:block --timeout 60", status=2, line="none.py: cannot be read .no such file or directory"
    ),
    "a limit for a spectrum": Fault(
        "spectrum --architecture n-shortcut --set shortcut_depth=1 --units 200 --data {tmp}/data.npz --timeout 0.3",
        status=3,
        line="ran longer than the limit of 0.3 s$",
    ),
    "a limit that is none": Fault("prove --timeout 0", status=2, line="0; expected a positive number of seconds"),
    # Interrupts.
    "interrupted at the start": Fault("list", status=130, line="interrupted$", act=interrupt(INT, guarded), seconds=2),
    "a script interrupted at the start": Fault(
        "prove", status=130, line="interrupted$", act=interrupt(INT, guarded), program=tuple(SCRIPT), seconds=2
    ),
    "interrupted in Python": Fault("prove", "once_endless", 130, "interrupted$", act=interrupt(INT, marked), seconds=2),
    "interrupted in C code": Fault("prove", "once_in_c", 130, "interrupted$", act=interrupt(INT, marked), seconds=2),
    "interrupted with workers": Fault(
        REPORT,
        "good good asleep in_c",
        130,
        f"interrupted; {KEPT}$",
        act=interrupt(INT, keeping(2)),
        seconds=2,
        disk=lambda tmp: kept(tmp) == ["T-0-good", "T-1-good"] and not (tmp / "out" / "REPORT.md").exists(),
    ),
    "terminated with workers": Fault(
        REPORT, "good good parent endless", 143, f"terminated; {KEPT}$", act=interrupt(TERM, keeping(2)), seconds=2
    ),
    "the parent alone terminated": Fault(
        REPORT,
        "good good asleep",
        143,
        "terminated; 2 of 3 statements are finished and kept",
        act=interrupt(TERM, keeping(2), group=False),
        seconds=2,
    ),
    "the terminal is closed": Fault("prove --jobs 2", "asleep parent", 129, "ended$", act=interrupt(HUP, marked)),
    "interrupted before anything is finished": Fault(
        REPORT, "parent asleep", 130, "interrupted$", act=interrupt(INT, marked), disk=nothing, seconds=2
    ),
    "interrupted under a time limit": Fault(
        "check {tmp}/block.py:block --depth 1000000 --timeout 60",
        status=130,
        line="interrupted$",
        act=interrupt(INT, lambda run: len(children(run.process.pid)) > 1),
        seconds=2,
    ),
    "interrupted while the report is written": Fault(
        REPORT,
        "good good good",
        130,
        "interrupted; ",
        fault="interrupted at 43",
        disk=lambda tmp: kept(tmp) or report_of(tmp),
    ),
    # The report.
    "an error in a report": Fault(
        REPORT,
        "good once",
        3,
        r"T-1-once is ERROR \(two units: OSError: disk\); the same command takes over the others",
        disk=lambda tmp: report_of(tmp) == {"T-0-good": "PROVED", "T-1-once": "ERROR"} and kept(tmp) == ["T-0-good"],
    ),
    "a failure in a report": Fault(REPORT, "good false", 1, printed="1 FAILED, 1 PROVED", disk=report_of),
    "killed while the report is written": Fault(REPORT, "good good", 3, "the program was ended", fault="killed at 28"),
    "a full disk": Fault(
        REPORT,
        "good",
        2,
        r"out.*: cannot be written \(no space left on device\)$",
        fault="full at 26",
        disk=lambda tmp: not (tmp / "out" / "REPORT.md").exists(),
    ),
    # Output.
    "a full disk behind stdout": Fault(
        "list", status=2, line=r"standard output cannot be written \(no space left on device\)$", stdout="/dev/full"
    ),
    "a full disk behind --help": Fault(
        "--help", status=2, line="standard output cannot be written", stdout="/dev/full"
    ),
    "json on a full disk": Fault("prove --json -", status=2, line="standard output cannot", stdout="/dev/full"),
    "json to a device": Fault("prove --json /dev/full", status=2, line="it is a device.; expected a regular file"),
    "json to a pipe": Fault("prove --json {tmp}/pipe", status=2, line="it is a pipe.; expected a regular file"),
    "a folder for a file": Fault(
        "report --out {tmp}", status=2, line="REPORT.md: cannot be written .it is a folder.; expected a regular file"
    ),
    "a file for a folder": Fault("report --out {tmp}/block.py", status=2, line="expected a folder to write to$"),
    "an ASCII terminal": Fault(
        "check {tmp}/block.py:block --depth 3",
        printed="same spectrum at every depth",
        environment=(("PYTHONIOENCODING", "ascii"), ("PYTHONUTF8", "0")),
    ),
    "json for an ASCII terminal": Fault(
        "prove --json -", printed='"verdict": "PROVED"', environment=(("PYTHONIOENCODING", "ascii"),)
    ),
    "the C locale": Fault("prove", printed="PROVED", environment=(("LC_ALL", "C"), ("PYTHONCOERCECLOCALE", "0"))),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_a_clean_stop(fault: Fault, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "REPORT.md").mkdir()
    x, y = np.random.default_rng(0).standard_normal((2, 20, 30))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    with Path(fault.stdout or os.devnull).open("w") as stdout:
        run = start(tmp_path, fault, stdout.fileno() if fault.stdout else subprocess.PIPE)
    fault.act(run)
    ended = run.end()
    assert ended.status == fault.status, ended
    assert ended.seconds < fault.seconds, ended
    assert re.search(fault.line, ended.err), ended
    if not fault.line:
        assert not ended.err, ended
    elif "Traceback" not in fault.line:
        assert re.fullmatch(r"resproof: [^\n]{1,189}\n", ended.err), ended
    if fault.printed:
        assert fault.printed in ended.out
    assert fault.disk(tmp_path) is not False


def seconds(folder: Path, id_: str) -> float:
    (found,) = [json.loads(path.read_text()) for path in folder.rglob(f"{id_}.json")]
    return found["seconds"]


def test_the_same_command_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    fault = Fault(REPORT, "brief once_endless")
    run = start(tmp_path, fault)
    run.wait_for(lambda: kept(tmp_path) and marked(run))
    run.signal(signal.SIGINT)
    assert run.end().status == 130
    took = seconds(tmp_path, "T-0-brief")
    assert again(tmp_path, fault) == {"T-0-brief": "PROVED", "T-1-once_endless": "PROVED"}
    assert recorded_seconds(tmp_path / "out" / "timings.json")["T-0-brief"] == took


def test_only_what_broke_runs_again(tmp_path: Path) -> None:
    fault = Fault(f"{REPORT} --jobs 1", "brief once")
    assert start(tmp_path, fault).end().status == 3
    assert report_of(tmp_path) == {"T-0-brief": "PROVED", "T-1-once": "ERROR"}
    took = seconds(tmp_path, "T-0-brief")
    assert again(tmp_path, fault) == {"T-0-brief": "PROVED", "T-1-once": "PROVED"}
    assert recorded_seconds(tmp_path / "out" / "timings.json")["T-0-brief"] == took


@pytest.mark.parametrize("number", [18, 43])
def test_killed_while_a_report_is_written_over_another(tmp_path: Path, number: int) -> None:
    fault = Fault(f"{REPORT} --jobs 1", "good", fault=f"killed at {number}", environment=(("VERSION", "1"),))
    assert again(tmp_path, fault)
    newer = replace(fault, environment=(("VERSION", "2"),))
    old = (tmp_path / "out" / "figures" / "0.svg").read_text()
    status = start(tmp_path, newer).end().status
    assert status in {0, 3}
    assert report_of(tmp_path)
    assert again(tmp_path, newer)
    assert (tmp_path / "out" / "figures" / "0.svg").read_text() == old.replace("1 ", "2 ", 1)


def test_two_reports_in_one_folder(tmp_path: Path) -> None:
    first = start(tmp_path, Fault(REPORT, "good asleep"))
    first.wait_for(lambda: kept(tmp_path))
    second = start(tmp_path, Fault(REPORT, "good")).end()
    assert (second.status, second.out) == (2, "")
    assert re.fullmatch(r"resproof: .*/out: another report is being written there; expected [^\n]*\n", second.err)
    first.signal(signal.SIGTERM)
    assert first.end().status == 143
    assert kept(tmp_path) == ["T-0-good"]


def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    fault = Fault("list", " ".join(["good"] * 2000))
    reader, writer = os.pipe()
    run = start(tmp_path, fault, writer)
    os.close(writer)
    assert os.read(reader, 1)
    os.close(reader)
    ended = run.end()
    assert (ended.status, ended.err) == (0, "")
    failing = start(tmp_path, Fault("prove", "false"), closed := os.open(os.devnull, os.O_WRONLY))
    os.close(closed)
    assert failing.end().status == 1


def test_closed_streams(tmp_path: Path) -> None:
    command = " ".join([*PROGRAM, "prove", "--json", str(tmp_path / "out.json")])
    environment = {**os.environ, "STATEMENTS": "good", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(f"{command} >&- 2>&- <&-", shell=True, env=environment, check=False)
    assert done.returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["statements"][0]["verdict"] == "PROVED"
    lost = subprocess.run(
        [f"{command} --json - >&-"], shell=True, env=environment, check=False, stderr=subprocess.PIPE, text=True
    )
    assert (lost.returncode, lost.stderr) == (2, "resproof: standard output is closed; expected a file after --json\n")
    deaf = subprocess.run([f"{command} --only nothing 2>/dev/full"], shell=True, env=environment, check=False)
    assert deaf.returncode == 2
