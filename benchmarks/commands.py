"""Commands from start to end, each a process of its own, in turn with `python -c "import numpy, sympy"`.

A run that is not counted comes first: it leaves the bytecode.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.alone import ONE_THREAD, ROOT, Row, in_turn, rows

IMPORT = "import numpy, sympy"
BLOCKS = {
    "n_shortcut": "catalogue.n_shortcut(2, mid=tanh)",
    "rezero": "catalogue.rezero(tanh)",
    "pre_norm": "catalogue.pre_norm(tanh)",
    "convolution": "catalogue.convolution()",
    "attention": "catalogue.attention()",
    "transformer": "catalogue.transformer(gelu)",
}
"""Of the catalogue, as a user's file has them."""


def commands() -> dict[str, tuple[tuple[str, ...], int]]:
    """What is typed, and the status it ends with."""
    checks = {f"check, {name}": (("check", f"blocks.py:{name}"), 0) for name in BLOCKS}
    return {
        "list": (("list",), 0),
        "show DR-T2.2": (("show", "DR-T2.2"), 0),
        "a refusal: prove, an unknown statement": (("prove", "--only", "DR-T2.22"), 2),
        "a refusal: check, no such file": (("check", "none.py:block"), 2),
        "prove --only DR-T2.2": (("prove", "--only", "DR-T2.2"), 0),
        **checks,
        "spectrum, n = 1, R = 1,000,000": (
            ("spectrum", "--architecture", "n-shortcut", "--set", "shortcut_depth=1", "--units", "1000000"),
            0,
        ),
        "report": (("report", "--out", "report", "--jobs", "2"), 0),
    }


def run(words: Sequence[str], status: int, folder: Path) -> dict[str, Any]:
    """Milliseconds and peak gigabytes of a process that ends with this status."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= ONE_THREAD | {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, ended, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)
    found = {"ms": 1e3 * (time.perf_counter() - begun), "gigabytes": usage.ru_maxrss / 2**20}
    return found if process.returncode == status else {"note": f"status {process.returncode}; expected {status}"}


def measure(rounds: int) -> list[Row]:
    """Every command beside the import; the report once."""
    found = list[Row]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lines = [f"{name} = {made}" for name, made in BLOCKS.items()]
        text = "\n".join(["from resproof import gelu, tanh", "from resproof.architectures import catalogue", *lines])
        _ = (folder / "blocks.py").write_text(text + "\n")
        for name, (words, status) in commands().items():
            cells = {
                "ours": partial(run, ("-m", "resproof", *words), status, folder),
                f"`{IMPORT}`": partial(run, ("-c", IMPORT), 0, folder),
            }
            if name != "report":
                _ = cells["ours"]()
            found += rows("a command from start to end", name, in_turn(cells, 1 if name == "report" else rounds))
    return found
