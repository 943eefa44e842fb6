"""Runs of toy experiments, which say where they ran; they go to other processes by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.experiment import Criterion, Experiment, Parameters, Runs, Scale, Seen, Sweep
from resproof.proofs.statement import Data


def square(data: Data, run: Parameters) -> dict[str, Any]:
    """The square, after a line in a file of its own; where `bad` says so, nothing.

    The run `dies` takes its process with it, once: `once` is a file that says it has.
    """
    if run.get("dies") == run["x"] and not Path(run["once"]).exists():
        Path(run["once"]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if run.get("slow"):
        time.sleep(run["slow"])
    if run.get("bad") and Path(run["bad"]).exists():
        raise ArithmeticError("the run broke")
    with Path(run["log"]).open("a") as log:
        log.write(f"{run['x']} {os.getpid()}\n")
    return {"square": run["x"] ** 2 + float(data.X.sum())}


def toy_experiment(folder: Path, count: int = 4, **more: Any) -> Experiment:
    """An experiment of so many runs, which leave a line each in folder/log."""

    def runs(_: Scale) -> dict[str, Parameters]:
        return {f"run-{x}": {"x": x, "log": str(folder / "log"), **more} for x in range(count)}

    def look(found: Runs) -> Seen:
        wrong = [name for name, one in found.items() if one.found["square"] != one.parameters["x"] ** 2]
        return Seen(not wrong, f"{len(wrong)} are not squares")

    def falsify(found: Runs) -> Runs:
        return {name: one.but(square=-1.0) for name, one in found.items()}

    criterion = Criterion("Every number is a square.", look, {"None is.": falsify})
    nowhere = source("A", "nowhere", "x")
    return Experiment("T-1", "Squares", nowhere, "Squares.", "All.", Sweep("squares", runs, square), (criterion,))


def logged(folder: Path) -> list[int]:
    """Which runs were made, in order of their numbers."""
    log = folder / "log"
    return sorted(int(line.split()[0]) for line in log.read_text().splitlines()) if log.exists() else []
