"""`python -m benchmarks.gpu`: checks and measurements on a GPU in one call, results in OUT/MACHINE-DATE.json."""

from __future__ import annotations

import argparse
import sys
import time
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.gpu.machine import budget, describe, slug
from benchmarks.gpu.run import SCHEMA_VERSION, RunState, dumped, finish
from benchmarks.gpu.setting import DeviceSetting, cupy
from benchmarks.gpu.tasks import SAMPLES, tasks
from resproof.numeric.backend import DEVICES, DeviceError, device
from resproof.proofs.sources import ROOT, source_hashes
from resproof.reporting.files import OutputError, check_writable

WIDTH = 10


class DataFileError(Exception):
    """The data file is not what it should be; the message is one line for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 every check passed, 1 one did not, 2 wrong use or no such device, 130 interrupted."""
    chosen = _parser().parse_args(arguments)
    try:
        if chosen.write_data:
            return _write_data(chosen.write_data)
        if chosen.finish:
            print(finish(chosen.finish, interrupted=True))
            return 0
        return _run(chosen)
    except (DeviceError, DataFileError, OutputError, OSError, ValueError) as error:
        print(f"benchmarks.gpu: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu", description=__doc__)
    _ = parser.add_argument("--device", choices=DEVICES, default="auto")
    _ = parser.add_argument("--out", type=Path, default=ROOT / "reports" / "gpu", metavar="FOLDER")
    _ = parser.add_argument("--minutes", type=float, default=9.0, help="what does not fit is listed as not run")
    _ = parser.add_argument("--memory", type=int, metavar="BYTES", help="default: most of what is free on a GPU")
    _ = parser.add_argument("--data", type=Path, metavar="FILE.npz", help="X and Y, 10 x m; default: synthetic")
    _ = parser.add_argument("--seed", type=int, default=0)
    _ = parser.add_argument("--tiny", action="store_true", help="every task at the least size, to try the program")
    _ = parser.add_argument("--no-peers", action="store_true", help="leave out JAX and PyTorch")
    _ = parser.add_argument("--only", metavar="TEXT", default="", help="tasks whose name contains the text")
    _ = parser.add_argument("--write-data", type=Path, metavar="FILE.npz", help="write the whitened digits, and end")
    _ = parser.add_argument("--finish", type=Path, metavar="FILE.jsonl", help="make the JSON of a run that was killed")
    return parser


def _run(chosen: argparse.Namespace) -> int:
    begun = time.monotonic()
    if not 0 < chosen.minutes < float("inf"):
        raise DataFileError(f"--minutes is {chosen.minutes}; expected a positive number")
    if chosen.memory is not None and chosen.memory < 1:
        raise DataFileError(f"--memory is {chosen.memory}; expected a positive number of bytes")
    where = device(chosen.device)
    digits, source = _data(chosen.data, chosen.seed)
    listed = [task for task in tasks(tiny=chosen.tiny, peers=not chosen.no_peers) if chosen.only in task.name]
    if not listed:
        raise DataFileError(f"--only is {chosen.only!r}; expected a part of a task's name, such as 'H v'")
    check_writable(chosen.out)
    memory = chosen.memory or budget(where)
    if where.name == "cuda":
        cupy().get_default_memory_pool().set_limit(size=memory)
    setting = DeviceSetting(where, memory, digits, source, chosen.seed, "" if chosen.no_peers else sys.executable)
    now, machine = datetime.now(UTC), describe(where)
    name = f"{slug(machine['name'])}-{now:%Y-%m-%d}{'-tiny' if chosen.tiny else ''}"
    lines = _unused(chosen.out, name)
    head = {
        "schema_version": SCHEMA_VERSION,
        "program": "benchmarks.gpu",
        "date": now.isoformat(timespec="seconds"),
        "tiny": bool(chosen.tiny),
        "minutes": chosen.minutes,
        "memory": memory,
        "seed": chosen.seed,
        "data": source,
        "machine": machine,
        "sources": source_hashes(),
    }
    _ = lines.write_text(dumped(head) + "\n", encoding="utf-8")
    print(f"{where.description}; {len(listed)} tasks, {chosen.minutes:g} minutes", flush=True)
    run = RunState(setting, begun + 60 * chosen.minutes, lines, lambda line: print(line, flush=True))
    run.all(listed)
    target = finish(lines, interrupted=run.interrupted, seconds=time.monotonic() - begun)
    print(target)
    if run.interrupted:
        return 130
    return int(any(record["status"] in {"failed", "error"} for record in run.records))


def _unused(folder: Path, name: str) -> Path:
    """A file of lines that is not there yet, nor its JSON: no run takes another's place."""
    for suffix in ("", *(f"-{k}" for k in range(2, 1000))):
        lines = folder / f"{name}{suffix}.jsonl"
        if not lines.exists() and not lines.with_suffix(".json").exists():
            return lines
    raise DataFileError(f"{folder}: holds a thousand runs of {name}; expected another --out")


def _data(path: Path | None, seed: int) -> tuple[tuple[np.ndarray, np.ndarray], str]:
    """X and Y of the file, or synthetic ones of the size of the digits.

    Raises:
        DataFileError: no such file, no archive with X and Y, or other shapes.
    """
    if path is None:
        generator = np.random.default_rng(seed)
        x = generator.standard_normal((WIDTH, SAMPLES))
        y = np.eye(WIDTH)[generator.integers(0, WIDTH, SAMPLES)].T
        return (x, np.ascontiguousarray(y)), f"synthetic, {WIDTH} x {SAMPLES}, standard normal, one-hot targets"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            x, y = (np.asarray(archive[key], dtype=np.float64) for key in ("X", "Y"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataFileError(f"{path}: {' '.join(str(error).split())}; expected an .npz with X and Y") from None
    if x.ndim != 2 or x.shape != y.shape or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise DataFileError(f"{path}: X has shape {x.shape}, Y {y.shape}; expected finite arrays of one shape (d, m)")
    return (x, y), path.stem


def _write_data(path: Path) -> int:
    # Here, because it needs scikit-learn, which a GPU machine may lack.
    try:
        from resproof.proofs.digits import digits
        from resproof.proofs.statement import Unavailable
    except ImportError as error:
        raise DataFileError(f"--write-data: {error}; expected an installation with everything") from None
    try:
        data = digits()
    except Unavailable as error:
        raise DataFileError(f"--write-data: {error}") from None
    np.savez_compressed(path, X=data.X, Y=data.Y)
    print(f"{path}: {data.name}, {data.X.shape[0]} x {data.X.shape[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
