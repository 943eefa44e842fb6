"""Timings beside the peers, as `python -m benchmarks NAME --json reports/benchmarks/NAME.json` wrote them.

They were measured on one machine on one day, contribute to no verdict, and stand between `measured` markers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from resproof.reporting import REPORTS
from resproof.reporting.records import Excerpt

BENCHMARK_RESULTS = REPORTS / "benchmarks"
OURS = "ours"
AXES = ("R", "d", "m")
_HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")
_FURTHER = ("#000000", "#882255", "#ddaa33", "#332288", "#44aa99", "#aa4499", "#661100")
_STYLES = (
    *(("o-", hue) for hue in _HUES),
    *((f"{marker}--", hue) for marker, hue in zip("s^vDPX*", _FURTHER, strict=True)),
)
"""Marker, dashes and colour of each program, no two alike."""


class TimedSize(Excerpt):
    """R, d and m."""

    units: int
    width: int
    samples: int


class TimedProgram(Excerpt):
    """One program at one size; without a time, `note` says why."""

    peer: str
    task: str = "dense Hessian"
    size: TimedSize | None = None
    units: int | None = None
    parameters: int | None = None
    command: str = ""
    ms: float
    gigabytes: float | None = None
    note: str
    limits: Mapping[str, float] = {}

    @property
    def place(self) -> tuple[int, int, int]:
        """R, d and m, as far as they are told."""
        return (self.size.units, self.size.width, self.size.samples) if self.size else (self.units or 0, 0, 0)

    @property
    def at(self) -> str:
        """The size for a table, or the command that was run."""
        if self.command:
            return self.command
        if self.size is None:
            return f"{self.parameters} parameters"
        return f"R = {self.size.units}, d = {self.size.width}, m = {self.size.samples}"


class Benchmark(Excerpt):
    """One run of one benchmark."""

    benchmark: str
    date: str
    machine: Mapping[str, int | str]
    rows: tuple[TimedProgram, ...]


@dataclass(frozen=True, slots=True)
class TimedTask:
    """What was timed, at every size, by every program: `peers` has a line for each of `places`, None where none is."""

    name: str
    sizes: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]
    peers: Mapping[str, tuple[TimedProgram | None, ...]]

    def ratio(self, peer: str, number: int) -> float | None:
        """A program's time over ours."""
        mine, other = self.peers[OURS][number], self.peers[peer][number]
        return other.ms / mine.ms if mine and other and mine.ms and other.ms else None

    def limited(self) -> list[tuple[str, TimedProgram, str, float]]:
        """At each size our time, what of it would take longest by itself, and what share of our time that is."""
        found: list[tuple[str, TimedProgram, str, float]] = []
        for at, mine in zip(self.sizes, self.peers[OURS], strict=True):
            if mine is not None and mine.ms and mine.limits:
                longest = max(mine.limits, key=mine.limits.__getitem__)
                found.append((at, mine, longest, mine.limits[longest] / mine.ms))
        return found

    def behind(self) -> list[tuple[str, str, float]]:
        """The sizes at which a program other than ours is the fastest: which, and its time over ours."""
        found: list[tuple[str, str, float]] = []
        for number, at in enumerate(self.sizes):
            peers = [peer for peer in self.peers if not peer.startswith(OURS)]
            ratios = {peer: ratio for peer in peers if (ratio := self.ratio(peer, number)) is not None}
            best = min(ratios, key=ratios.__getitem__, default="")
            if best and ratios[best] < 1:
                found.append((at, best, ratios[best]))
        return found

    def points(self, peer: str, axis: int) -> list[tuple[int, TimedProgram]]:
        """What one program took along one of R, d, m, the others as at the first size."""
        others = [k for k in range(3) if k != axis]
        found = (
            (place[axis], line)
            for place, line in zip(self.places, self.peers[peer], strict=True)
            if line is not None and line.ms and all(place[k] == self.places[0][k] for k in others)
        )
        return sorted(found, key=itemgetter(0))

    def varied(self) -> list[int]:
        """Along which of R, d, m there are several sizes."""
        return [axis for axis in range(3) if len({size for size, _ in self.points(OURS, axis)}) > 1]

    def exponent(self, peer: str, axis: int, quantity: Literal["ms", "gigabytes"] = "ms") -> float | None:
        """p where time or memory grew as size^p from the first to the last size, or None where it was seen once."""
        points = self.points(peer, axis)
        if len(points) < 2:
            return None
        (small, first), (large, last) = points[0], points[-1]
        before, after = getattr(first, quantity), getattr(last, quantity)
        return math.log(after / before) / math.log(large / small) if before and after else None


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """All that was found, and the files that could not be read."""

    tasks: tuple[TimedTask, ...]
    machines: tuple[str, ...]
    unreadable: tuple[str, ...]
    axes: tuple[str, ...] = AXES


def benchmarks(folder: Path = BENCHMARK_RESULTS) -> Benchmarks:
    """The results in a folder, task by task."""
    found, unreadable = Benchmark.all_in(folder)
    machines = tuple(f"{one.benchmark}: {one.date}, {_machine(one.machine)}" for one in found.values())
    return Benchmarks(tuple(task for one in found.values() for task in _tasks(one.rows)), machines, unreadable)


def _machine(machine: Mapping[str, int | str]) -> str:
    cores = machine.get("cores", "?")
    return ", ".join([f"{cores} cores", *(f"{name} {value}" for name, value in machine.items() if name != "cores")])


def _tasks(rows: Sequence[TimedProgram]) -> list[TimedTask]:
    found: list[TimedTask] = []
    for name in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == name]
        sizes = {row.at: row.place for row in mine}
        by = {(row.peer, row.at): row for row in mine}
        peers = {peer: tuple(by.get((peer, at)) for at in sizes) for peer in dict.fromkeys(row.peer for row in mine)}
        if OURS in peers:
            found.append(TimedTask(name, tuple(sizes), tuple(sizes.values()), peers))
    return found


def figure(tasks: Sequence[TimedTask]) -> Callable[[], Figure]:
    """Time against R, d and m, a row for each task that was timed at several of them."""
    tasks = [task for task in tasks if task.varied()]

    def draw() -> Figure:
        peers = dict.fromkeys(peer for task in tasks for peer in task.peers)
        styles = dict(zip(peers, itertools.cycle(_STYLES), strict=False))
        whole = Figure(figsize=(7.2, 1.2 + 2.1 * len(tasks)), layout="constrained")
        panels = np.reshape(whole.subplots(len(tasks), len(AXES), squeeze=False), (len(tasks), len(AXES)))
        for task, row in zip(tasks, panels, strict=True):
            for axis, axes in enumerate(row):
                if axis in task.varied():
                    _panel(axes, task, axis, styles)
                    # One title a row, where its first panel stands: two would run into each other.
                    axes.set_title(task.name if axis == min(task.varied()) else "", loc="left")
                else:
                    axes.set_axis_off()
        handles = {line.get_label(): line for axes in panels.flat for line in axes.get_lines()}
        _ = whole.legend(handles.values(), handles, loc="outside upper center", ncols=4, frameon=False, fontsize=7)
        return whole

    return draw


def _panel(axes: Axes, task: TimedTask, axis: int, styles: Mapping[str, tuple[str, str]]) -> None:
    axes.set(xlabel=AXES[axis], ylabel="ms", xscale="log", yscale="log")
    for peer in task.peers:
        points = [(size, line.ms) for size, line in task.points(peer, axis)]
        if points:
            dashes, colour = styles[peer]
            width = 2.2 if peer == OURS else 1.2
            _ = axes.plot(*zip(*points, strict=True), dashes, color=colour, lw=width, ms=3, label=peer)
    sizes = sorted({size for size, _ in task.points(OURS, axis)})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
