"""The newest results from a GPU, as `python -m benchmarks.gpu` wrote them; they contribute to no verdict.

Results are stale where the sources of `numeric/` or `architectures/` have changed since. A run on a processor, and one
at the least sizes, is no result from a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from resproof.proofs.sources import source_hashes
from resproof.reporting import REPORTS
from resproof.reporting.records import Excerpt

GPU_RESULTS = REPORTS / "gpu"


class Machine(Excerpt):
    """What it was measured on."""

    device: Literal["cpu", "cuda"]
    name: str
    description: str
    memory: int
    processor: str = ""
    driver: int | None = None
    runtime: int | None = None
    python: str
    packages: dict[str, str]


class Falsehood(Excerpt):
    """A falsehood next to a claim."""

    name: str
    rejected: bool


class Peer(Excerpt):
    """Another program on the same arrays; `ratio` is its time over ours."""

    peer: str
    status: str
    seconds: float | None = None
    ratio: float | None = None
    reason: str = ""


class GpuRecord(Excerpt):
    """A check or a measurement."""

    name: str
    family: str
    kind: Literal["check", "ceiling", "time"]
    status: str
    sizes: dict[str, int]
    reason: str = ""
    value: float | None = None
    bound: float | None = None
    derivation: str = ""
    neighbours: tuple[Falsehood, ...] = ()
    seconds: float | None = None
    per_second: float | None = None
    quantity: str = ""
    flop_fraction: float | None = None
    byte_fraction: float | None = None
    limit: str = ""
    peers: tuple[Peer, ...] = ()

    @property
    def ratio(self) -> float:
        """Measured over bound; exact arithmetic has the bound 0."""
        return self.value / self.bound if self.bound and self.value is not None else self.value or 0.0


class GpuRun(Excerpt):
    """One run."""

    schema_version: Literal[1]
    program: Literal["benchmarks.gpu"]
    date: str
    tiny: bool
    interrupted: bool
    data: str
    seed: int
    machine: Machine
    sources: dict[str, str]
    records: tuple[GpuRecord, ...]

    def of(self, kind: str, *statuses: str) -> list[GpuRecord]:
        """The lines of a kind, with one of these statuses where any are given."""
        return [one for one in self.records if one.kind == kind and (not statuses or one.status in statuses)]

    @property
    def left_out(self) -> list[GpuRecord]:
        """What has no result: not run, out of memory, an error."""
        return [one for one in self.records if one.status not in {"passed", "failed", "measured"}]

    @property
    def families(self) -> list[CheckFamily]:
        """The checks that ran, by family."""
        found: dict[str, list[GpuRecord]] = {}
        for one in self.of("check", "passed", "failed"):
            found.setdefault(one.family, []).append(one)
        return [CheckFamily.of(name, lines) for name, lines in found.items()]


@dataclass(frozen=True, slots=True)
class CheckFamily:
    """Checks that differ in their sizes alone."""

    name: str
    passed: int
    total: int
    rejected: int
    falsehoods: int
    largest: str
    worst: GpuRecord

    @classmethod
    def of(cls, name: str, lines: Sequence[GpuRecord]) -> CheckFamily:
        """The counts, the largest sizes and the line that came nearest to its bound."""
        falsehoods = [wrong for line in lines for wrong in line.neighbours]
        ranges = {
            key: (min(line.sizes[key] for line in lines), max(line.sizes[key] for line in lines))
            for key in lines[0].sizes
            if all(key in line.sizes for line in lines)
        }
        shown = ", ".join(
            f"{'R' if key == 'units' else key} = {low}" + (f" to {high}" if high > low else "")
            for key, (low, high) in ranges.items()
        )
        return cls(
            name,
            sum(line.status == "passed" for line in lines),
            len(lines),
            sum(wrong.rejected for wrong in falsehoods),
            len(falsehoods),
            shown,
            max(lines, key=lambda line: line.ratio),
        )


@dataclass(frozen=True, slots=True)
class GpuResults:
    """What the report shows: the newest run if there is one, the packages changed since, and files that are no runs."""

    run: GpuRun | None = None
    file: str = ""
    changed: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def gpu_results(folder: Path = GPU_RESULTS) -> GpuResults:
    """The newest run on a GPU in `folder`."""
    found, unreadable = GpuRun.all_in(folder)
    runs = [(run.date, name) for name, run in found.items() if run.machine.device == "cuda" and not run.tiny]
    if not runs:
        return GpuResults(unreadable=unreadable)
    _, name = max(runs)
    newest, now = found[name], source_hashes()
    changed = tuple(package for package, hash_ in now.items() if newest.sources.get(package) != hash_)
    return GpuResults(newest, name, changed, unreadable)
