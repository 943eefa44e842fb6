"""Changes drawn at random, `python -m tests.mutation --cases 200 --seed 0`: which of them a verdict notices.

Each kind is as likely as any other, and the cases of a seed are always the same ones in the same order. Results are
kept as they come: the same command goes on where it was stopped. With `--most 12` the twelve fastest parts of
statements are run for each; without it later, all others on what survived those.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from time import monotonic

from tests.copies import copy_packages
from tests.mutation.changes import KINDS, changes
from tests.mutation.equivalent import CHOICES, EQUIVALENT
from tests.mutation.executed import KEPT, executed, fingerprint, sources
from tests.mutation.runs import Result, Runner, drawn, recorded

LEFT_ALONE = (
    "proofs/canaries.py",
    "proofs/refusals.py",
    "proofs/refusals_of_language.py",
    "proofs/known_verdicts.py",
    "pictures.py",
)
"""Statements that are false or known, which come out otherwise when changed; pictures, which decide nothing."""
STOPPED = 130
COLUMNS = ("FAILED", "ERROR", "verdict", "scope", "report", "")


def main() -> int:
    """Runs the cases; 1 where something survived, 130 where it was stopped."""
    given = _arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begun, texts = monotonic(), sources()
    own = fingerprint(texts)
    results: Path = given.resume or KEPT / f"seed-{given.seed}.jsonl"
    found = executed(texts, given.jobs)
    kinds = tuple(given.only or KINDS)
    files = [file for file in texts if not file.endswith(LEFT_ALONE) and file.startswith(tuple(given.under or [""]))]
    possible = [one for file in files for one in changes(file, texts[file], kinds) if found.runs(one)]
    reached = ((one, found.of(one)) for one in drawn(possible, texts, given.seed, EQUIVALENT, CHOICES))
    cases = list(islice(((one, targets) for one, targets in reached if targets), given.cases))
    with tempfile.TemporaryDirectory(prefix="mutants") as place:
        folders = [Path(place, str(number)) for number in range(given.jobs)]
        for folder in folders:
            copy_packages(folder)
        runner = Runner(texts, own, folders, given.most)
        try:
            runner.run(cases, results, _show)
        except KeyboardInterrupt:
            print(f"Stopped; the same command goes on from {results}", file=sys.stderr)
            return STOPPED
    known = recorded(results)
    ran = [known[runner.identity(one)] for one, _ in cases]
    print(summary(ran))
    print(f"{len(ran)} changes of {len(possible)} that are executed, seed {given.seed}, {monotonic() - begun:.0f} s")
    print(f"Results: {results}")
    return int(any(not one.how for one in ran))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--resume", type=Path, metavar="FILE.jsonl", help="where results are kept, and taken up")
    parser.add_argument("--only", choices=KINDS, action="append", help="one kind of change; may be given again")
    parser.add_argument("--under", metavar="PATH", action="append", help="files there alone; may be given again")
    parser.add_argument(
        "--most", type=int, default=0, help="parts of statements run for a change; 0: all that execute it"
    )
    return parser.parse_args()


def _show(one: Result) -> None:
    how = f"{one.how} ({one.by})" if one.how else "survived"
    print(f"{one.kind}: {one.file}:{one.line}: {how}, {one.seconds} s", file=sys.stderr, flush=True)


def summary(ran: Sequence[Result]) -> str:
    """How many of each kind were noticed, and how; then each one that survived."""
    counts = {kind: Counter(one.how for one in ran if one.kind == kind) for kind in KINDS}
    counts["together"] = Counter(one.how for one in ran)
    lines = ["", " " * 12 + "".join(f"{how or 'survived':>10}" for how in COLUMNS)]
    for kind, count in counts.items():
        if count:
            lines.append(f"{kind:12}" + "".join(f"{count[how]:10}" for how in COLUMNS))
    survivors = [one for one in ran if not one.how]
    if survivors:
        lines += ["", "Survived:"]
    for one in sorted(survivors, key=lambda one: (one.kind, one.file, one.line)):
        left = f" of {one.targets} that execute it" if one.ran < one.targets else ""
        lines += [f"{one.file}:{one.line}: {one.kind}, {one.ran}{left} ran"]
        lines += [f"    - {row.strip()}" for row in one.was.splitlines()]
        lines += [f"    + {row.strip()}" for row in one.becomes.splitlines()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
