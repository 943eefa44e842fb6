"""The smallest run of every sweep, made again and compared with the record of the runs that the report shows.

`python -m tests.proofs.experiments_again [SWEEP ...]` makes them (some minutes) and writes `experiments_again.json`
beside this file: the run; how many numbers it found, and how many of them are the record's to six digits; of the lists
with others, which rounding has moved along training, how far the mean over the seeds is from the record's at most, in
parts of the record's spread over the seeds, both as root mean squares over the list; and the verdict of each experiment
with this run in the place of the record's.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from resproof.proofs.digits import digits
from resproof.proofs.experiment import Ran, Sweep, judge
from resproof.proofs.experiments import experiments
from resproof.reporting.experiment_records import EXPERIMENT_RESULTS, kept

TABLE = Path(__file__).with_suffix(".json")
SWEEPS: Mapping[str, Sweep] = {one.sweep.name: one.sweep for one in experiments()}


def smallest(sweep: Sweep) -> str:
    """The name of its smallest run, the first."""
    return next(iter(sweep.runs("default")))


def again(sweep: Sweep) -> dict[str, Any]:
    """A row of the table: its smallest run beside the record."""
    name, records = smallest(sweep), kept(EXPERIMENT_RESULTS / "default", sweep)
    run, record = sweep.runs("default")[name], records[name]
    assert record.parameters == run
    found = json.loads(json.dumps(sweep.call(digits(), run)))
    runs = {**{each: one.ran for each, one in records.items()}, name: Ran(run, found)}
    verdicts = {one.id: judge(one, runs, "default").verdict for one in experiments() if one.sweep is sweep}
    return {"run": name, **compared(found, record.found, run.get("seeds", run.get("draws", 0))), "verdicts": verdicts}


def compared(found: Any, record: Any, seeds: int = 0) -> dict[str, Any]:
    """How many numbers agree, and the farthest of the others; lists of so many numbers are by seed."""
    ours, theirs = dict(_lists(found)), dict(_lists(record))
    assert ours.keys() == theirs.keys()
    numbers, alike, farthest = 0, 0, (0.0, "")
    for place, mine in ours.items():
        other = theirs[place]
        tiny = 1e-9 * np.nanmax(np.abs(other), initial=0.0)
        same = np.isclose(mine, other, rtol=1e-6, atol=tiny, equal_nan=True)
        numbers, alike = numbers + same.size, alike + int(np.sum(same))
        if not same.all():
            pairs = ((mine, ours), (other, theirs))
            by_seed = [one[:, None] if one.size == seeds else _siblings(every, place) for one, every in pairs]
            farthest = max(farthest, (_distance(*by_seed), place))
    return {"numbers": numbers, "to six digits": alike, "farthest": float(f"{farthest[0]:.2g}"), "where": farthest[1]}


def _lists(found: Any, place: str = "") -> Generator[tuple[str, np.ndarray]]:
    """The innermost lists of numbers, by where they stand; None is not a number."""
    if isinstance(found, Mapping):
        for key, each in found.items():
            yield from _lists(each, f"{place}/{key}")
    elif isinstance(found, Sequence) and any(isinstance(each, Mapping | Sequence) for each in found):
        for number, each in enumerate(found):
            yield from _lists(each, f"{place}/{number}")
    else:
        yield place, np.array(found, dtype=float).reshape(-1)


_LAST = re.compile(r"/\d+(?=(/\D[^/]*)?$)")


def _siblings(every: Mapping[str, np.ndarray], place: str) -> np.ndarray:
    """The lists that differ from this one in the last number of their place alone, which is the seed."""
    family = _LAST.sub("/*", place)
    return np.stack([one for at, one in every.items() if _LAST.sub("/*", at) == family])


def _distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Of the means over the seeds, in parts of the spread; what is not finite in both is left out."""
    there = np.isfinite(ours).all(0) & np.isfinite(theirs).all(0)
    gap, spread = np.mean(ours, axis=0) - np.mean(theirs, axis=0), np.ptp(theirs, axis=0)
    return float(np.linalg.norm(gap[there]) / np.linalg.norm(spread[there])) if there.any() else 0.0


if __name__ == "__main__":
    table = json.loads(TABLE.read_text()) if TABLE.is_file() else {}
    for chosen in sys.argv[1:] or SWEEPS:
        table[chosen] = again(SWEEPS[chosen])
        print(chosen, table[chosen], flush=True)
        _ = TABLE.write_text(json.dumps({name: table[name] for name in SWEEPS if name in table}, indent=1) + "\n")
