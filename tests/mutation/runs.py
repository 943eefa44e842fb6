"""One change at a time in a copy of the packages: who executes it is run there, until a verdict differs."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from queue import Queue
from random import Random
from threading import Event, Lock, Timer
from time import monotonic
from typing import Any, TypeAlias

from tests.copies import changed, command, environment
from tests.mutation.changes import Change
from tests.mutation.equivalent import Choice, Equivalent
from tests.mutation.executed import Target
from tests.run_statement import Outcome

PATIENCE = 60.0
"""Seconds that a part of a statement may take beside five times those that it takes unchanged."""


def drawn(
    found: Iterable[Change],
    texts: Mapping[str, str],
    seed: int,
    known: Iterable[Equivalent],
    choices: Collection[Choice] = (),
) -> Iterator[Change]:
    """Changes without repetition, every kind as likely as any other; none that is known to be equivalent."""
    random, left = Random(seed), dict[str, list[Change]]()
    listed = {(one.file, one.old, one.new) for one in known}
    for one in found:
        left.setdefault(one.kind, []).append(one)
    while left:
        kind = random.choice(sorted(left))
        some = left[kind]
        one = some.pop(random.randrange(len(some)))
        if not some:
            del left[kind]
        text = texts[one.file]
        if (one.file, *one.rows(text)) in listed or any(each.has(one.file, text, one.lines[0]) for each in choices):
            continue
        if _differs(text, one.applied(text)):
            yield one


def _differs(text: str, other: str) -> bool:
    """Whether a changed file is Python, and another program."""
    try:
        return ast.dump(ast.parse(other)) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a change: `how` it was caught (FAILED, ERROR, verdict, scope or report), "" where it survived.

    "report": no verdict differs, and the committed report does not say of a step what it would say now.

    `by` is the part of a statement that noticed; `ran` of the `targets` that execute it were run.
    """

    sources: str
    kind: str
    file: str
    line: int
    place: tuple[int, int]
    new: str
    was: str
    becomes: str
    how: str
    by: str
    reason: str
    ran: int
    targets: int
    seconds: float


def noticed(before: Outcome, after: Outcome) -> tuple[str, str]:
    """How an outcome differs from that of the unchanged sources, and in what; "" where it does not."""
    if after["verdict"] in {"FAILED", "ERROR"}:
        kinds = ", ".join(dict.fromkeys(after["failures"]))
        return after["verdict"], ": ".join(filter(None, (kinds, after["reason"])))
    if after["verdict"] != before["verdict"]:
        return "verdict", f"{before['verdict']} became {after['verdict']}"
    for one in ("scope", "all_sizes", "clauses"):
        if after[one] != before[one]:
            return "scope", f"{one}: {before[one]} became {after[one]}"
    if after["steps"] != before["steps"]:
        was, now = next(pair for pair in zip_longest(before["steps"], after["steps"]) if pair[0] != pair[1])
        return "report", f"{was} became {now}"
    return "", ""


Identity: TypeAlias = tuple[str, str, tuple[int, int], str]
"""What tells a change from others: sources, file, place, new text."""


class Stopped(Exception):
    """The run was interrupted; what was under way says nothing."""


class Runner:
    """Runs changes in copies of the packages, one at a time in each of them."""

    def __init__(self, texts: Mapping[str, str], fingerprint: str, folders: Sequence[Path], most: int) -> None:
        self.texts, self.fingerprint, self.most = texts, fingerprint, most
        self._folders: Queue[Path] = Queue()
        for folder in folders:
            self._folders.put(folder)
        self._jobs = len(folders)
        self._live: set[subprocess.Popen[str]] = set()
        self._stop, self._lock = Event(), Lock()

    def run(
        self, wanted: Iterable[tuple[Change, Sequence[Target]]], results: Path, show: Callable[[Result], None]
    ) -> None:
        """Append a result for each change that has none yet, or that survived fewer statements than are to be run."""
        known = recorded(results)
        _end_line(results)

        def work(change: Change, targets: Sequence[Target]) -> None:
            with suppress(Stopped):
                found = self.of(change, targets)
                with self._lock, results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(found)) + "\n")
                show(found)

        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                done = [
                    pool.submit(work, change, targets)
                    for change, targets in wanted
                    if not self._settled(known.get(self.identity(change)), targets)
                ]
                for one in done:
                    one.result()
            except BaseException:
                self._stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list(self._live):
                    _end(process)
                raise

    def identity(self, change: Change) -> Identity:
        """What its result is found by."""
        return self.fingerprint, change.file, change.place, change.new

    def _settled(self, found: Result | None, targets: Sequence[Target]) -> bool:
        return found is not None and (bool(found.how) or found.ran >= len(self._chosen(targets)))

    def _chosen(self, targets: Sequence[Target]) -> Sequence[Target]:
        return targets[: self.most] if self.most else targets

    def of(self, change: Change, targets: Sequence[Target]) -> Result:
        """What becomes of one change.

        Raises:
            Stopped: the run was interrupted.
        """
        text, begun = self.texts[change.file], monotonic()
        folder = self._folders.get()
        try:
            with changed(folder, change.file, change.applied(text)):
                how, by, reason, ran = self._first_to_notice(folder, self._chosen(targets))
        finally:
            self._folders.put(folder)
        was, becomes = change.rows(text)
        return Result(
            self.fingerprint,
            change.kind,
            change.file,
            change.lines[0],
            change.place,
            change.new,
            was,
            becomes,
            how,
            by,
            reason[:300],
            ran,
            len(targets),
            round(monotonic() - begun, 1),
        )

    def _first_to_notice(self, folder: Path, targets: Sequence[Target]) -> tuple[str, str, str, int]:
        """How, who, what it says, and how many were run."""
        with (folder / "stderr").open("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(
                command(folder, [(one.statement, one.part) for one in targets]),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment(folder),
                cwd=folder,
                start_new_session=True,
            )
            self._live.add(process)
            try:
                for number, target in enumerate(targets, start=1):
                    line, late = _line(process, PATIENCE + 5 * target.seconds)
                    if self._stop.is_set():
                        raise Stopped
                    by = f"{target.statement} {target.part}"
                    if not line:
                        errors.seek(0)
                        said = [row for row in errors.read().splitlines() if row.strip()]
                        reason = f"no end within {late:.0f} s" if late else f"died: {said[-1] if said else ''}"
                        return "ERROR", by, reason, number
                    how, reason = noticed(target.outcome, json.loads(line))
                    if how:
                        return how, by, reason, number
            finally:
                _end(process)
                self._live.discard(process)
                if process.stdout is not None:
                    process.stdout.close()
        return "", "", "", len(targets)


def _line(process: subprocess.Popen[str], seconds: float) -> tuple[str, float]:
    """The next line that a process prints; "" and the limit where it takes longer, "" and 0 where it ends instead."""
    late = Event()

    def stop() -> None:
        late.set()
        _end(process)

    timer = Timer(seconds, stop)
    timer.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
    finally:
        timer.cancel()
    return line if line.endswith("\n") else "", seconds if late.is_set() else 0.0


def _end(process: subprocess.Popen[str]) -> None:
    """Kill what it has started, too."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# Results.


def recorded(results: Path) -> dict[Identity, Result]:
    """The results in a file, the last one of each change; a line that was cut off is none."""
    found: dict[Identity, Result] = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            with suppress(json.JSONDecodeError):
                told: dict[str, Any] = json.loads(line)
                begin, end = told.pop("place")
                one = Result(place=(begin, end), **told)
                found[one.sources, one.file, one.place, one.new] = one
    return found


def _end_line(results: Path) -> None:
    """What comes next begins a line of its own."""
    results.parent.mkdir(parents=True, exist_ok=True)
    if results.exists() and not results.read_bytes().endswith(b"\n"):
        with results.open("a", encoding="utf-8") as file:
            file.write("\n")
