"""Programs timed in turn in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def median_seconds(programs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median over rounds for each program; in a round all run one after the other, noise meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            begun = time.perf_counter()
            _ = program()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(each) for name, each in times.items()}
