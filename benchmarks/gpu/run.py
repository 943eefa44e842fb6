"""One run: every task once, its record written as it finishes, and at the end one file with all of them.

Nothing that goes wrong with one task ends the run: too little memory, a peer that is missing, an error, a deadline are
recorded with that task. An interruption (Ctrl-C, SIGTERM) keeps what is finished and lists the rest as not run; after a
harder end the finished lines are in NAME.jsonl, from which `--finish` makes the file. A signal is answered between two
steps of the interpreter: one long call into a library, such as an eigenvalue solver, ends first.
"""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.gpu.setting import DeviceSetting, DeviceTask, EndRequested, Record, TimeUp
from resproof.numeric.limits import OutOfMemoryError, in_bytes
from resproof.reporting.files import write

SCHEMA_VERSION = 1

FIRST = 3.0
"""How many times faster than in proportion a later task may be: the first one also pays for compiling its kernels."""

LEAST = 20.0
"""Seconds that a task may take where there are as many left; else a quarter of what is left."""


@dataclass
class RunState:
    """The state of a run: what has been recorded, and what each family took."""

    setting: DeviceSetting
    deadline: float
    lines: Path
    tell: Callable[[str], None] = print
    records: list[Record] = field(default_factory=list)
    seen: dict[str, tuple[float, float]] = field(default_factory=dict)
    interrupted: bool = False
    working: bool = False

    def all(self, tasks: Sequence[DeviceTask]) -> None:
        """Run the tasks in their order; none is lost."""
        with self._signals():
            for position, task in enumerate(tasks):
                record = None if self.interrupted else self._ended(task)
                if record is None:
                    self.tell("interrupted: what is finished is kept")
                    for rest in tasks[position:]:
                        self.keep(rest.record("not run", reason="interrupted"))
                    return
                self.keep(record)
                self._release()

    def _release(self) -> None:
        """Give back the device's memory; a fault that shows only here is the next task's to tell."""
        with suppress(Exception):
            self.setting.release()

    def _ended(self, task: DeviceTask) -> Record | None:
        """The task's record, or None where the run was asked to end meanwhile."""
        try:
            self.working = True
            return self.one(task)
        except EndRequested:
            return None
        finally:
            self.working = False

    def one(self, task: DeviceTask) -> Record:
        """The task's record, whatever happens."""
        left = max(self.deadline - time.monotonic(), 0.0)
        # No task may use up what the others need.
        allowed, expected = max(left / 4, min(left, LEAST)), self.expected(task)
        if not left or expected > allowed:
            about = f"{expected:.0f} s or more expected, {allowed:.0f} s allowed, " if expected > allowed else ""
            return task.record("not run", reason=f"{about}{left:.0f} s left")
        if task.needs > self.setting.memory:
            reason = f"about {in_bytes(task.needs)} needed, memory allows {in_bytes(self.setting.memory)}"
            return task.record("out of memory", reason=reason, fits=task.needs)
        begun = time.monotonic()
        try:
            with _alarm(allowed):
                found = task.run(self.setting)
                self.setting.release()
        except TimeUp:
            return task.record("not run", reason=f"stopped after the {allowed:.0f} s that were allowed")
        except (MemoryError, OutOfMemoryError) as error:
            # The frames hold the arrays.
            reason, error.__traceback__ = _line(error), None
            return task.record("out of memory", reason=reason, fits=max(task.needs, 2 * self.setting.memory))
        except Exception as error:  # one task's fault is not the run's
            return task.record("error", reason=f"{type(error).__name__}: {_line(error)}")
        took = time.monotonic() - begun
        # What stands beside a time, the start of a peer above all, does not grow with the work.
        self.seen[task.family] = (took - found.get("beside", 0.0), task.work)
        return task.record(found.pop("status"), **found, took=took)

    def expected(self, task: DeviceTask) -> float:
        """Seconds that the task takes at least: those of the family's last one, by the ratio of the work and FIRST."""
        if task.family not in self.seen:
            return 0.0
        took, work = self.seen[task.family]
        return took * task.work / work / FIRST

    @contextmanager
    def _signals(self) -> Generator[None, None, None]:
        """End the task at hand on Ctrl-C and on SIGTERM; between tasks only note that the run is to end."""

        def stop(_: int, __: FrameType | None) -> None:
            self.interrupted = True
            if self.working:
                raise EndRequested

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def keep(self, record: Record) -> None:
        """Note a record in the file of lines, and tell it."""
        self.records.append(record)
        with self.lines.open("a", encoding="utf-8") as file:
            _ = file.write(dumped(record) + "\n")
        self.tell(told(record))


@contextmanager
def _alarm(seconds: float) -> Generator[None, None, None]:
    """Raise `TimeUp` in the block when the time is up, between two steps of the interpreter."""

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


# Files.


def dumped(found: Any, indent: int | None = None) -> str:
    """JSON; numbers that are not finite as text."""
    return json.dumps(_plain(found), indent=indent, allow_nan=False)


def _plain(found: Any) -> Any:
    match found:
        case Mapping():
            return {str(key): _plain(value) for key, value in found.items()}
        case list() | tuple():
            return [_plain(value) for value in found]
        case float() if not math.isfinite(found):
            return "NaN" if math.isnan(found) else "Infinity" if found > 0 else "-Infinity"
        case bool() | int() | float() | str() | None:
            return found
        case _:
            return float(found)


def finish(lines: Path, *, interrupted: bool, seconds: float | None = None) -> Path:
    """Make the JSON file of a file of lines, whole or not at all, and remove the lines.

    Raises:
        ValueError: the first line is no head of a run.
    """
    head, *records = list(_read(lines))
    if head.get("program") != "benchmarks.gpu":
        raise ValueError(f"{lines}: its first line is no head of a run; expected one that this program wrote")
    target = lines.with_suffix(".json")
    whole = {**head, "seconds": seconds, "interrupted": interrupted, "counts": counts(records), "records": records}
    write({target: dumped(whole, indent=1) + "\n"})
    lines.unlink()
    return target


def _read(lines: Path) -> Iterator[dict[str, Any]]:
    for line in lines.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            # The last line of a run that was killed while it wrote.
            return


def counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many records have each status."""
    found: dict[str, int] = {}
    for record in records:
        found[record["status"]] = found.get(record["status"], 0) + 1
    return found


def told(record: Record) -> str:
    """One line for a reader."""
    head = f"{record['status']:>13}  {record['name']}"
    match record:
        case {"reason": reason}:
            return f"{head}  ({reason})"
        case {"value": value, "bound": bound}:
            rejected = sum(one["rejected"] for one in record["neighbours"])
            return f"{head}  {value:.1e} <= {bound:.1e}, {rejected}/{len(record['neighbours'])} falsehoods rejected"
        case {"seconds": seconds}:
            rate = f"  {record['per_second']:.3g} {record['quantity']}" if "per_second" in record else ""
            peers = "".join(
                f"; {one['peer']} {one.get('ratio', 0):.2g}x" if "ratio" in one else f"; {one['peer']} {one['status']}"
                for one in record.get("peers", ())
            )
            return f"{head}  {1e3 * seconds:.4g} ms{rate}{peers}"
        case _:
            return head
