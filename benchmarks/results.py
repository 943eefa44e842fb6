"""Rows of a benchmark as JSON, with what they were measured on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "symengine", "jax", "torch")


@dataclass(frozen=True, slots=True)
class RunsRow:
    """One program that trains so many networks of so many layers: milliseconds for a step of one of them."""

    peer: str
    task: str
    layers: int
    runs: int
    ms: float = 0.0
    note: str = ""
    command: str = ""
    """What stands in a table for the size."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "command", f"{self.layers} layers, {self.runs} run{'s' * (self.runs > 1)}")


def runs_table(tables: Sequence[Sequence[RunsRow]]) -> str:
    """A Markdown table: milliseconds, and how many times ours that is."""
    peers = [row.peer for row in tables[0]]
    lines = [f"| {tables[0][0].task} | " + " | ".join(peers) + " |", "|---|" + "---:|" * len(peers)]
    for rows in tables:
        cells = [row.note or f"{row.ms:.3g} ms ({row.ms / rows[0].ms:.2f})" for row in rows]
        lines.append(f"| {rows[0].command} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write(path: str, name: str, rows: Sequence[Any]) -> None:
    """The rows, dataclasses, under the benchmark's name; nothing for an empty path."""
    if not path:
        return
    versions = {package: found for package in PACKAGES if (found := _version(package))}
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), **versions}
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    today = date.today().isoformat()
    content = {"benchmark": name, "date": today, "machine": machine, "rows": [asdict(row) for row in rows]}
    _ = target.write_text(json.dumps(content, indent=1) + "\n")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
