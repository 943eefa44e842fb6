"""Programs timed in turn in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def median_seconds(
    programs: Mapping[Name, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[Name, float]:
    """The median over rounds for each program; in a round all run one after the other, noise meets all alike.

    Programs with one thread are timed by `time.process_time`, which others on the machine do not lengthen.
    """
    times: dict[Name, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            begun = clock()
            _ = program()
            times[name].append(clock() - begun)
    return {name: statistics.median(each) for name, each in times.items()}
