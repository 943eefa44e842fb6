"""Commands from start to end, each a process of its own, in turn with `python -c "import numpy, sympy"`.

A run that is not counted comes first: it leaves the bytecode, in a folder of the benchmark's own, and the table of the
statements. "list, sources changed" finds no table. The ratio is the time of the import over that of the command.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.results import write

TASK = "a command from start to end, as a process of its own"
IMPORT = "import numpy, sympy"
ROOT = Path(__file__).resolve().parent.parent
BLOCK = """
from resproof import Input, Weight, tanh

h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
block = h + W2 @ tanh(W1 @ h)
"""
HEADS = """
from resproof.architectures.catalogue import transformer
from resproof import gelu

block = transformer(gelu, heads=12)
"""


class StartCommand(NamedTuple):
    """What is typed, what it ends with, and whether the table of the statements is there."""

    words: tuple[str, ...]
    status: int = 0
    table: bool = True


COMMANDS = {
    "--help": StartCommand(("--help",)),
    "list": StartCommand(("list",)),
    "list, sources changed": StartCommand(("list",), table=False),
    "prove, an unknown statement": StartCommand(("prove", "--only", "DR-T2.22"), 2),
    "check, a file that is not there": StartCommand(("check", "none.py:block"), 2),
    "check, a property that is unknown": StartCommand(("check", "block.py:block", "--require", "none"), 2),
    "reproduce, an unknown experiment": StartCommand(("reproduce", "--only", "DR-F44"), 2),
    "show DR-T2.2": StartCommand(("show", "DR-T2.2")),
    "prove --only DR-T2.2": StartCommand(("prove", "--only", "DR-T2.2")),
    "check, a 2-shortcut unit": StartCommand(("check", "block.py:block")),
    "check, a transformer block with 12 heads": StartCommand(("check", "heads.py:block")),
}
EVERY = {"prove --jobs 2": StartCommand(("prove", "--jobs", "2"))}


@dataclass(frozen=True, slots=True)
class StartRow:
    """The median time of one command, or of the import in the same rounds, and its peak memory."""

    peer: str
    command: str
    ms: float
    gigabytes: float
    note: str = ""
    task: str = TASK


def run(code: str, words: Sequence[str], folder: Path, table: str, status: int) -> tuple[float, float]:
    """Milliseconds and peak gigabytes of a process that ends with this status.

    Raises:
        RuntimeError: it ends with another one.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "XDG_CACHE_HOME": table,
        "OPENBLAS_NUM_THREADS": "1",
    }
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, ended, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        raise RuntimeError(f"{' '.join(words) or code}: status {process.returncode}; expected {status}")
    return 1e3 * seconds, usage.ru_maxrss / 2**20


def measure(commands: dict[str, StartCommand], rounds: int) -> list[StartRow]:
    """Two rows for each command: what it took, and what the import took; all in turn in every round."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (IMPORT, *commands)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in {"block.py": BLOCK, "heads.py": HEADS}.items():
            _ = (folder / name).write_text(text)
        for number in range(rounds + 1):
            found[IMPORT].append(run(IMPORT, (), folder, place, 0))
            for name, one in commands.items():
                table = place if one.table else str(folder / f"none {number}")
                found[name].append(
                    run("from resproof.__main__ import main; main()", one.words, folder, table, one.status)
                )
    middle = {name: [median(each) for each in zip(*several[1:], strict=True)] for name, several in found.items()}
    peers = ("ours", f"`{IMPORT}`")
    return [
        StartRow(peer, name, *middle[of]) for name in commands for peer, of in zip(peers, (name, IMPORT), strict=True)
    ]


def report(rows: Sequence[StartRow]) -> str:
    """A Markdown table."""
    lines = [f"| | ms | GB | `{IMPORT}`: ms | ratio |", "|---|---:|---:|---:|---:|"]
    for mine, other in zip(rows[::2], rows[1::2], strict=True):
        cells = (f"{mine.ms:.0f}", f"{mine.gigabytes:.2f}", f"{other.ms:.0f}", f"{other.ms / mine.ms:.2f}")
        lines.append(f"| {mine.command} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="start")
    _ = parser.add_argument("--rounds", type=int, default=9)
    _ = parser.add_argument("--every", type=int, default=3, help="rounds of all statements with two processes")
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    chosen = parser.parse_args(arguments)
    rows = measure(COMMANDS, chosen.rounds) + (measure(EVERY, chosen.every) if chosen.every else [])
    write(chosen.json, "start", rows)
    return report(rows)


if __name__ == "__main__":
    print(main())
