"""`python -m benchmarks [PART ...]`: reports/TIMINGS.md with its picture, and the rows in reports/benchmarks/.

PART is one of commands, products, spectra, exact; all by default. Programs of others that are not installed are said to
be so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path

from benchmarks.alone import ROOT, Row

PARTS = ("commands", "products", "spectra", "exact")
RECORDS = ROOT / "reports" / "benchmarks"
PAGE = ROOT / "reports" / "TIMINGS.md"
PICTURE = ROOT / "reports" / "figures" / "growth-of-products.svg"
PACKAGES = (
    "numpy",
    "scipy",
    "sympy",
    "python-flint",
    "symengine",
    "jax",
    "torch",
    "curvlinops-for-pytorch",
    "pyhessian",
)
HEAD = """# How long it takes

Median times in processes of their own with one thread, in turn with those of other programs; in brackets how many times
ours that is. Written by `python -m benchmarks`; no verdict depends on it. What was measured on a GPU stands in
[gpu](gpu/README.md).
"""


def main() -> int:
    """Measure the parts, write their rows, then the page of all rows that there are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[], metavar="PART")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    RECORDS.mkdir(exist_ok=True)
    for part in given.parts or PARTS:
        rows: list[Row] = import_module(f"benchmarks.{part}").measure(given.rounds)
        content = {"date": date.today().isoformat(), "machine": machine(), "rows": [asdict(row) for row in rows]}
        (RECORDS / f"{part}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(table(rows))
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def machine() -> dict[str, str]:
    """Cores and versions."""
    found = {"cores": str(os.cpu_count()), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def page() -> str:
    """The page of the rows that are kept."""
    parts = [HEAD]
    for part in PARTS:
        path = RECORDS / f"{part}.json"
        if not path.is_file():
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = [Row(**row) for row in content["rows"]]
        told = (import_module(f"benchmarks.{part}").__doc__ or "").strip()
        made = ", ".join(f"{name} {number}" for name, number in content["machine"].items())
        parts += [f"## {part.capitalize()}\n\n{told}\n\n{table(rows)}\n\n{content['date']}: {made}.\n"]
        if part == "products":
            draw(rows, PICTURE)
            parts.append(f"![H v as depth, width and samples grow]({PICTURE.relative_to(PAGE.parent)})\n")
    return "\n".join(parts)


def table(rows: Sequence[Row]) -> str:
    """A Markdown table for each task: a line a size, a column a program."""
    lines = list[str]()
    for task, of_task in groupby(rows, key=lambda row: row.task):
        held = list(of_task)
        peers = list(dict.fromkeys(row.peer for row in held))
        lines += ["", f"| {task} | " + " | ".join(peers) + " |", "|---|" + "---:|" * len(peers)]
        for size, of_size in groupby(held, key=lambda row: row.size):
            cells = {row.peer: row for row in of_size}
            mine = cells["ours"]
            lines.append(f"| {size} | " + " | ".join(_cell(cells.get(peer), mine) for peer in peers) + " |")
    return "\n".join(lines).strip()


def _cell(row: Row | None, mine: Row) -> str:
    if row is None:
        return ""
    if row.note:
        return row.note
    ratio = "" if row is mine or not mine.ms else f" ({row.ms / mine.ms:.2g})"
    told = {name: value for name, value in row.found.items() if name != "check" and value is not None}
    found = "; ".join(f"{name} {value:.4g}" for name, value in told.items())
    return f"{row.ms:.3g} ms{ratio}{f'; {found}' if found else ''}"


def draw(rows: Sequence[Row], path: Path) -> None:
    """Milliseconds over depth, width and samples, the other two fixed."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from benchmarks.products import GROWTH

    sizes = [f"R = {units}, d = {width}, m = {samples}" for _, units, width, samples in GROWTH]
    times = {(row.peer, row.size): row.ms for row in rows if row.task == "H v, tanh" and not row.note}
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
    panels = (("units R", 0, range(5)), ("width d", 1, range(5, 9)), ("samples m", 2, range(9, 12)))
    for axis, (label, index, places) in zip(axes, panels, strict=True):
        for peer in ("ours", "jax scan"):
            points = [(GROWTH[k][1 + index], times[peer, sizes[k]]) for k in places if (peer, sizes[k]) in times]
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", label=peer)
        axis.set_xlabel(label)
    axes[0].set_ylabel("ms for one H v, tanh")
    axes[0].legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    sys.exit(main())
