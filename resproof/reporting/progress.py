"""What is running, how much is done and how long it will take: a line on stderr, nothing where that is no terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from resproof.reporting import REPORTS

RECORDED = REPORTS / "timings.json"
"""The report that was shipped, or was made last where it is by default."""
_SHOWN = 3
"""So many of what is running are named."""


def _ignored(_: str) -> None:
    """Nothing."""


class Watch(NamedTuple):
    """What is told of a run as it goes, by keys: something begins, and it has ended."""

    begun: Callable[[str], None] = _ignored
    done: Callable[[str], None] = _ignored


SILENT = Watch()


def recorded_seconds(path: Path) -> dict[str, float]:
    """The seconds of each statement in a timings.json; nothing where there is none that can be read."""
    try:
        found = json.loads(path.read_bytes())["statements"]
        return {str(id_): float(seconds) for id_, seconds in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


@contextmanager
def progress(keys: Collection[str], recorded: Mapping[str, float]) -> Generator[Watch]:
    """A line on stderr, kept up to date while this lasts: how many of how many, a bar, the time gone and left, names.

    Each of `keys` counts for the seconds that it took before; one that was never recorded for an average one.
    """
    if len(keys) < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    typical = fmean([recorded[key] for key in keys if key in recorded] or [1.0])
    weights = {key: recorded.get(key, typical) for key in keys}
    columns = (
        TextColumn("{task.fields[done]}/{task.fields[of]}"),
        BarColumn(20),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("left  {task.fields[names]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=sum(weights.values()), done=0, of=len(keys), names="")
        running, ended = list[str](), set[str]()

        def show() -> None:
            more = f" and {len(running) - _SHOWN} more" if len(running) > _SHOWN else ""
            completed = sum(weights[key] for key in ended)
            bar.update(task, completed=completed, done=len(ended), names=", ".join(running[:_SHOWN]) + more)

        def begun(key: str) -> None:
            running.append(key)
            show()

        def done(key: str) -> None:
            if key in running:
                running.remove(key)
            ended.add(key)
            show()

        yield Watch(begun, done)
