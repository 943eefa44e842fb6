"""Programs timed in processes of their own, in turn: what else the machine does meets all of them alike."""

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1") | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
}
LEAST, LONG = 3, 2.0
"""Repetitions of a short program; seconds of one from which on once is enough."""


@dataclass(frozen=True, slots=True)
class Row:
    """Median milliseconds of one program at one size, and its peak memory; `note` says why there is no number."""

    task: str
    size: str
    peer: str
    ms: float = 0.0
    gigabytes: float = 0.0
    note: str = ""
    found: dict[str, Any] = field(default_factory=dict[str, Any])
    """What it found, where programs find different things."""


def timed(program: Callable[[], Any]) -> dict[str, Any]:
    """The median over repetitions after a first run that is not counted but where it takes long."""
    times = list[float]()
    while len(times) <= LEAST and not (times and times[0] > LONG):
        begun = time.perf_counter()
        _ = program()
        times.append(time.perf_counter() - begun)
    return {"ms": 1e3 * statistics.median(times[1:] or times)}


def alone(name: str, *arguments: Any, patience: float = 180.0, python: str = sys.executable) -> dict[str, Any]:
    """What `module:function` returns for these arguments in a process with one thread; {"note": why} where nothing."""
    command = [python, "-m", "benchmarks.alone", name, json.dumps(arguments)]
    environment = {**os.environ, **ONE_THREAD}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"note": f"not within {patience:.0f} s"}
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        missing = "ModuleNotFoundError" in last[0]
        return {"note": "not installed" if missing else "no memory" if "MemoryError" in last[0] else last[0][:80]}
    return json.loads(done.stdout.splitlines()[-1])


def in_turn(cells: Mapping[str, Callable[[], dict[str, Any]]], rounds: int) -> dict[str, dict[str, Any]]:
    """Each cell `rounds` times, one after the other in every round; the one with the median time counts."""
    found: dict[str, list[dict[str, Any]]] = {peer: [] for peer in cells}
    for _ in range(rounds):
        for peer, cell in cells.items():
            if not (found[peer] and found[peer][-1].get("note")):
                found[peer].append(cell())
    return {peer: sorted(each, key=lambda one: one.get("ms", 0.0))[len(each) // 2] for peer, each in found.items()}


def rows(task: str, size: str, found: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """A row for each program."""
    return [
        Row(task, size, peer, one.get("ms", 0.0), one.get("gigabytes", 0.0), one.get("note", ""), one.get("found", {}))
        for peer, one in found.items()
    ]


def main(arguments: Sequence[str]) -> None:
    """In the process: print what the function returns, with the peak memory."""
    module, _, function = arguments[0].partition(":")
    found = getattr(importlib.import_module(module), function)(*json.loads(arguments[1]))
    print(json.dumps({"gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, **found}))


if __name__ == "__main__":
    main(sys.argv[1:])
