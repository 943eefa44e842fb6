"""What is running, how much is done and how long it will take: a line on stderr, nothing where that is no terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from resproof.reporting import REPORTS

if TYPE_CHECKING:
    from rich.console import Console

RECORDED = REPORTS / "timings.json"
"""The report that was shipped, or was made last where it is by default."""
_SHOWN = 3
"""So many of what is running are named."""


class Watch(Protocol):
    """What is told of a run as it goes."""

    def begun(self, key: str) -> None:
        """Something begins."""
        ...

    def done(self, key: str) -> None:
        """It has ended, or was there already."""
        ...


class _Silent:
    def begun(self, key: str) -> None:
        """Nothing."""

    def done(self, key: str) -> None:
        """Nothing."""


SILENT: Watch = _Silent()


@dataclass(slots=True)
class Course:
    """A run as it goes: what it consists of, the seconds that each took before, and those that it takes now."""

    keys: Collection[str]
    recorded: Mapping[str, float]
    jobs: int = 1
    running: dict[str, float] = field(default_factory=dict)
    finished: dict[str, float] = field(default_factory=dict)

    def begun(self, key: str) -> None:
        """Something begins now."""
        self.running[key] = monotonic()

    def done(self, key: str) -> None:
        """It has ended; what never began was there already, and took no time."""
        since = self.running.pop(key, None)
        self.finished[key] = 0.0 if since is None else monotonic() - since

    def left(self, now: float) -> float | None:
        """The seconds that it will still take: those recorded, at the pace that was seen so far.

        What was never recorded is taken for an average one. None where there is nothing to go by.
        """
        timed = {key: seconds for key, seconds in self.finished.items() if seconds > 0.0}
        both = [key for key in timed if self.recorded.get(key)]
        before = sum(self.recorded[key] for key in both)
        pace = sum(timed[key] for key in both) / before if before else 1.0
        known = [pace * self.recorded[key] for key in self.keys if key in self.recorded] or list(timed.values())
        if not known:
            return None
        typical = fmean(known)

        def expected(key: str) -> float:
            return pace * self.recorded[key] if key in self.recorded else typical

        begun = [max(expected(key) - (now - since), 0.0) for key, since in self.running.items()]
        waiting = [expected(key) for key in self.keys if key not in self.finished and key not in self.running]
        return max(sum(begun + waiting) / max(self.jobs, 1), *begun, *waiting, 0.0)

    def names(self) -> str:
        """What is running, for a line."""
        keys = list(self.running)
        return ", ".join(keys[:_SHOWN]) + (f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else "")


def recorded_seconds(path: Path) -> dict[str, float]:
    """The seconds of each statement in a timings.json; nothing where there is none that can be read."""
    try:
        found = json.loads(path.read_bytes())["statements"]
        return {str(id_): float(seconds) for id_, seconds in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


@contextmanager
def progress(keys: Collection[str], recorded: Mapping[str, float], jobs: int) -> Generator[Watch]:
    """A line on stderr, kept up to date while this lasts; nothing where stderr is no terminal."""
    if len(keys) < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield SILENT
        return
    from rich.console import Console

    with live(Course(keys, recorded, jobs), Console(stderr=True)) as watch:
        yield watch


@contextmanager
def live(course: Course, console: Console) -> Generator[Watch]:
    """The line itself: what runs, a bar, how many of how many, the time gone and the time left."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class Left(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            left = course.left(monotonic())
            return Text("" if left is None or task.finished else f"about {clock(left)} left")

    class Names(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.finished else course.names())

    columns = (MofNCompleteColumn(), BarColumn(20), TimeElapsedColumn(), Left(), Names())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(course.keys))

        class Told:
            def begun(self, key: str) -> None:
                course.begun(key)

            def done(self, key: str) -> None:
                course.done(key)
                bar.update(task, completed=len(course.finished))

        yield Told()


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours too."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
