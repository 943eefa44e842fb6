"""The fuzzer, `python -m tests.generated --cases 20000 --seed 0`: each kind of failure is printed as a reproduction."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from pathlib import Path
from time import monotonic
from typing import Any

from tests.generated.blocks import Case, draw, source
from tests.generated.compare import Failure, TimeLimitError, Trial, limited, run
from tests.generated.shrink import shrunk
from tests.numeric.cuda_on_cpu import COMPILER, Emulator

SECONDS = 10
"""A case that takes longer is given up, and counted."""
KERNELS = 40
"""One case in so many goes through the compiled kernels."""
FULL = 2
"""One case in so many gets the whole check."""
SHRINKING = 20.0
"""Seconds for the reproduction of a failure."""


@dataclass
class Outcome:
    """What became of one seed."""

    seed: int
    seconds: float
    failures: list[Failure]
    skipped: Counter[str] = field(default_factory=Counter[str])
    passed: Counter[str] = field(default_factory=Counter[str])


@cache
def _emulator() -> Emulator | None:
    return None if COMPILER is None else Emulator(Path(tempfile.mkdtemp(prefix="kernels")))


def outcome_of(case: Case, *, full: bool, kernels: bool) -> Outcome:
    """One case, in its time."""
    begun, trial = monotonic(), Trial(case)
    try:
        with limited(SECONDS):
            _ = run(trial, full=full, emulator=_emulator() if kernels else None)
    except TimeLimitError:
        # What was found before stands; what was not compared is counted.
        trial.skipped[f"longer than {SECONDS} seconds"] += 1
    except Exception as error:
        where = "".join(traceback.format_exception(error)[-2:])
        return Outcome(case.seed, monotonic() - begun, [Failure("the fuzzer itself", where)])
    return Outcome(case.seed, monotonic() - begun, trial.failures, trial.skipped, trial.passed)


def _of_seed(seed: int) -> Outcome:
    return outcome_of(draw(seed), full=seed % FULL == 0, kernels=seed % KERNELS == 0)


def kind(failure: Failure) -> str:
    """Failures of one kind are shown once; what is raised is told apart by its first words."""
    check = re.sub(r"at random: |at the start: | \(.*?\)| memory \d+", "", failure.check)
    what, _, how = check.partition(": ")
    if how not in {"raises", "refused", "escapes"}:
        return check
    words = [word for word in failure.detail.split() if word != f"{what.partition(' ')[0]}:"]
    return f"{'array side' if what in ARRAY_SIDE else what}: {how}: {' '.join(words[:5])}"


ARRAY_SIDE = {"value", "outputs", "jvp", "jvp block", "gradient", "hvp", "hvp block", "vjp", "loss series"}


def reproduction(seed: int, failure: Failure) -> str:
    """The smallest case found that fails alike, as Python."""
    wanted, case = kind(failure), draw(seed)
    full, kernels = seed % FULL == 0, seed % KERNELS == 0

    def fails(one: Case) -> bool:
        found = outcome_of(one, full=full, kernels=kernels).failures
        return any(kind(f) == wanted for f in found)

    small = shrunk(case, fails, SHRINKING)
    found = [f for f in outcome_of(small, full=full, kernels=kernels).failures if kind(f) == wanted]
    shown = found[0] if found else failure
    return f"# seed {seed}: {shown.check}\n# {shown.detail}\n{source(small if found else case)}"


def main() -> int:
    """Runs the cases; 1 where something failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--examples", type=int, default=1, help="reproductions of each kind of failure")
    given = parser.parse_args()
    failed: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    slowest: list[tuple[float, int]] = []
    begun, seeds = monotonic(), range(given.seed, given.seed + given.cases)
    with get_context("fork").Pool(given.processes) as pool:
        shrinking: list[AsyncResult[str]] = []
        for done, one in enumerate(pool.imap_unordered(_of_seed, seeds, chunksize=4), start=1):
            skipped.update(one.skipped)
            passed.update(one.passed)
            slowest = sorted([*slowest, (one.seconds, one.seed)])[-10:]
            for failure in one.failures:
                name = kind(failure)
                failed[name] += 1
                print(f"seed {one.seed}: {failure.check}: {failure.detail[:160]}", flush=True)
                if failed[name] <= given.examples:
                    shrinking.append(pool.apply_async(reproduction, (one.seed, failure)))
            if done % 500 == 0:
                rate = done / (monotonic() - begun)
                print(
                    f"{done} cases, {sum(failed.values())} failures, {rate:.1f} a second", file=sys.stderr, flush=True
                )
        for found in shrinking:
            print(f"{found.get()}\n", flush=True)
    _summary("Compared", passed)
    _summary("Not compared", skipped)
    _summary("Failures", failed)
    print("Slowest: " + ", ".join(f"{seconds:.1f} s ({seed})" for seconds, seed in reversed(slowest)))
    print(f"{given.cases} cases from seed {given.seed}, {monotonic() - begun:.0f} s")
    return int(bool(failed))


def _summary(title: str, counts: Counter[str]) -> None:
    together: Counter[str] = Counter()
    for name, count in counts.items():
        together[name.replace("at random: ", "").replace("at the start: ", "")] += count
    print(f"\n{title}:")
    for name, count in together.most_common():
        print(f"{count:8d}  {name}")


if __name__ == "__main__":
    run_: Any = main()
    sys.exit(run_)
