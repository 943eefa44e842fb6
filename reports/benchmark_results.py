"""Timings beside the peers, as `python -m benchmarks NAME --json reports/benchmarks/NAME.json` wrote them.

They were measured on one machine on one day, contribute to no verdict, and stand between `measured` markers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import ValidationError

from reports.records import Excerpt

BENCHMARK_RESULTS = Path(__file__).with_name("benchmarks")
OURS = "ours"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")


class Size(Excerpt):
    """R, d and m."""

    units: int
    width: int
    samples: int


class Line(Excerpt):
    """One program at one size; without a time, `note` says why."""

    peer: str
    task: str = "dense Hessian"
    size: Size | None = None
    units: int | None = None
    parameters: int | None = None
    ms: float
    gigabytes: float
    note: str

    @property
    def depth(self) -> int:
        """R."""
        return self.size.units if self.size else self.units or 0

    @property
    def at(self) -> str:
        """The size for a table."""
        if self.size is None:
            return f"{self.parameters} parameters"
        return f"R = {self.size.units}, d = {self.size.width}, m = {self.size.samples}"


class Benchmark(Excerpt):
    """One run of one benchmark."""

    benchmark: str
    date: str
    machine: Mapping[str, int | str]
    rows: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What was timed, at every size, by every program; `times` and `gigabytes` are in the order of `sizes`."""

    name: str
    sizes: tuple[str, ...]
    depths: tuple[int, ...]
    peers: Mapping[str, tuple[Line | None, ...]]

    def ratio(self, peer: str, place: int) -> float | None:
        """A program's time over ours."""
        mine, other = self.peers[OURS][place], self.peers[peer][place]
        return other.ms / mine.ms if mine and other and mine.ms and other.ms else None


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """All that was found, and the files that could not be read."""

    tasks: tuple[Task, ...]
    machines: tuple[str, ...]
    unreadable: tuple[str, ...]


def benchmarks(folder: Path = BENCHMARK_RESULTS) -> Benchmarks:
    """The results in a folder, task by task."""
    found: list[Benchmark] = []
    unreadable: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(Benchmark.model_validate_json(path.read_bytes()))
        except ValidationError:
            unreadable.append(path.name)
    machines = [f"{one.benchmark}: {one.date}, {_machine(one.machine)}" for one in found]
    tasks = [task for one in found for task in _tasks(one.rows)]
    return Benchmarks(tuple(tasks), tuple(machines), tuple(unreadable))


def _machine(machine: Mapping[str, int | str]) -> str:
    cores = machine.get("cores", "?")
    return ", ".join([f"{cores} cores", *(f"{name} {value}" for name, value in machine.items() if name != "cores")])


def _tasks(rows: Sequence[Line]) -> list[Task]:
    found: list[Task] = []
    for name in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == name]
        sizes = tuple(dict.fromkeys(row.at for row in mine))
        depths = tuple(next(row.depth for row in mine if row.at == at) for at in sizes)
        by = {(row.peer, row.at): row for row in mine}
        peers = {peer: tuple(by.get((peer, at)) for at in sizes) for peer in dict.fromkeys(row.peer for row in mine)}
        if OURS in peers:
            found.append(Task(name, sizes, depths, peers))
    return found


def figure(tasks: Sequence[Task]) -> Callable[[], Figure]:
    """Time against depth for every task that was timed at several depths."""

    def draw() -> Figure:
        drawn = [task for task in tasks if len(set(task.depths)) > 1]
        rows = -(-len(drawn) // 2)
        whole = Figure(figsize=(7.2, 2.7 * rows), layout="constrained")
        panels = np.ravel(whole.subplots(rows, 2, squeeze=False))
        for axes, task in zip(panels, drawn, strict=False):
            _panel(axes, task)
        for axes in panels[len(drawn) :]:
            axes.set_axis_off()
        return whole

    return draw


def _panel(axes: Axes, task: Task) -> None:
    axes.set(title=task.name, xlabel="R", ylabel="ms", xscale="log", yscale="log")
    for colour, (peer, lines) in zip(_COLOURS, task.peers.items(), strict=False):
        points = [(r, line.ms) for r, line in zip(task.depths, lines, strict=True) if line and line.ms]
        if points:
            width = 2.2 if peer == OURS else 1.2
            axes.plot(*zip(*points, strict=True), "o-", color=colour, linewidth=width, label=peer)
    axes.legend(frameon=False, fontsize=7)
