"""Progress names what is running, its estimate moves, and it is silent where stderr is no terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest
from rich.console import Console

from resproof.reporting.progress import SILENT, Course, clock, live, progress, recorded_seconds

ROOT = Path(__file__).parents[2]


def course(recorded: dict[str, float], jobs: int = 1) -> Course:
    return Course(["a", "b", "c", "d"], recorded, jobs)


def test_what_was_recorded_is_expected_again() -> None:
    one = course({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    assert one.left(0.0) == 10.0
    one.running["a"] = 100.0
    assert one.left(100.25) == 9.75
    assert one.left(105.0) == 9.0  # it takes longer than it did
    del one.running["a"]
    one.finished["a"] = 2.0
    assert one.left(0.0) == 18.0  # at half the speed
    one.finished.update(b=0.0, c=6.0)
    assert one.left(0.0) == 8.0  # what was taken over took no time, and says nothing of the speed
    one.finished["d"] = 8.0
    assert one.left(0.0) == 0.0


def test_several_at_once() -> None:
    one = course({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, jobs=2)
    assert one.left(0.0) == 2.0
    assert course({"a": 1.0, "b": 1.0, "c": 1.0, "d": 9.0}, jobs=2).left(0.0) == 9.0  # no less than the longest


def test_what_was_never_recorded_is_an_average_one() -> None:
    assert course({}).left(0.0) is None
    assert course({"a": 1.0, "b": 3.0}).left(0.0) == 8.0
    one = course({})
    one.finished["a"] = 5.0
    assert one.left(0.0) == 15.0


def test_seconds_of_an_earlier_report(tmp_path: Path) -> None:
    path = tmp_path / "timings.json"
    assert recorded_seconds(path) == {}
    path.write_text(json.dumps({"seconds": 2.0, "statements": {"a": 1.5}}))
    assert recorded_seconds(path) == {"a": 1.5}
    for damaged in ("{", "[]", "{}", '{"statements": {"a": "b"}}', '{"statements": []}', '{"statements": 3}', "\0"):
        path.write_text(damaged)
        assert recorded_seconds(path) == {}


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (65, "1:05"), (3600, "1:00:00")])
def test_a_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_the_line_names_what_is_running() -> None:
    shown = io.StringIO()
    one = course({"a": 60.0, "b": 60.0, "c": 60.0, "d": 60.0}, jobs=2)
    console = Console(file=shown, force_terminal=True, width=100, color_system=None)
    with live(one, console) as watch:
        for key in ("a", "b"):
            watch.begun(key)
        watch.done("a")
        one.finished["a"] = 120.0
        watch.begun("c")
    last = shown.getvalue()
    assert "1/4" in last
    assert "b, c" in last
    assert "left" in last
    assert one.names() == "b, c"


def test_silent_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(["a", "b"], {}, 1) as watch:
        assert watch is SILENT
        watch.begun("a")
        watch.done("a")
    assert capsys.readouterr().err == ""


def test_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "STATEMENTS": "brief brief brief", "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "tests.faults.program", "prove", "--jobs", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, text=True)
    os.close(theirs)
    seen, until = b"", monotonic() + 30.0
    while monotonic() < until:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                seen += os.read(ours, 4096)
            except OSError:
                break
    os.close(ours)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert out.count("PROVED") == 3
    shown = seen.decode()
    assert "0/3" in shown
    assert "T-0-brief" in shown
    assert "left" in shown
    assert shown.rstrip().endswith("\x1b[2K") or "\x1b[?25h" in shown  # wiped away, and the cursor is back
