"""`python -m benchmarks.gpu`: one prepared run where there is a GPU, eight minutes; writes reports/gpu/DATE.json.

H v of the 2-shortcut network on CuPy (the fused kernel where the unit is narrow, unit by unit otherwise) beside the
same on NumPy, which it has to equal, and beside JAX on the same device; then `pytest -m gpu`. Exit status 1 where a
product differs or a test fails, 2 without a GPU.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from benchmarks.__main__ import machine
from benchmarks.alone import ROOT, Row, alone, rows, timed
from benchmarks.products import instance, network, ours_on_jax, with_jax

CELLS = (
    ("covariances", 1000, 10, 1000),
    ("tanh", 1000, 10, 1797),
    ("gelu", 1000, 10, 1797),
    ("tanh", 1000, 256, 1797),
    ("covariances", 100_000, 10, 1000),
    ("tanh", 100_000, 10, 200),
)
"""Task, units R, width d, samples m."""
BUDGET = 330.0
"""Seconds for the products; those that are not begun by then say so."""
TOLERANCE = 1e-9


def on_cupy(task: str, *sizes: int) -> Callable[[], Any]:
    """The run of this program on CuPy."""
    import cupy  # pyright: ignore[reportMissingImports]

    from resproof.numeric.network.adjoint import hvp

    w, v, x, y = instance(task, *sizes)
    point, change = ({name: cupy.asarray(a) for name, a in part.items()} for part in (w, v))
    inputs, targets = cupy.asarray(x), cupy.asarray(y)

    def product() -> Any:
        found = hvp(network(task, sizes[0]), point, change, inputs, targets)
        cupy.cuda.Device().synchronize()
        return found["W1"].get(), found["W2"].get()

    return product


RUNNERS: dict[str, Callable[..., Callable[[], Any]]] = {
    "ours": on_cupy,
    "ours on JAX": ours_on_jax,
    "jax scan": partial(with_jax, False),
    "jax associative scan": partial(with_jax, True),
}


def cell(peer: str, task: str, *sizes: int) -> dict[str, Any]:
    """In a process of its own: the time of a product, and its distance from the one on NumPy where that is quick."""
    from benchmarks.products import ours

    product = RUNNERS[peer](task, *sizes)
    found = np.stack([np.asarray(part) for part in product()])
    apart = None
    if sizes[0] <= 1000 and sizes[1] <= 10:
        expected = np.stack([np.asarray(part) for part in ours(task, *sizes)()])
        apart = float(np.linalg.norm(found - expected) / np.linalg.norm(expected))
    return {**timed(product), "found": {"apart": apart}}


def measure() -> list[Row]:
    """Every program in every cell, while the budget lasts."""
    begun, found = time.monotonic(), list[Row]()
    for task, *sizes in CELLS:
        units, width, samples = sizes
        size = f"R = {units}, d = {width}, m = {samples}"
        peers = [peer for peer in RUNNERS if task == "covariances" or peer != "jax associative scan"]
        for peer in peers:
            left = BUDGET - (time.monotonic() - begun)
            one = alone("benchmarks.gpu:cell", peer, task, *sizes, patience=left) if left > 0 else {"note": "not run"}
            found += rows(f"H v, {task}", size, {peer: one})
            print(found[-1], flush=True)
    return found


def main() -> int:
    """Products, tests, a file."""
    name = alone("benchmarks.gpu:device").get("name")
    if name is None:
        print("benchmarks.gpu: no GPU that CuPy can use", file=sys.stderr)
        return 2
    found = measure()
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests", "proofs"]
    tested = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True, check=False)
    print(tested.stdout[-2000:])
    wrong = [row for row in found if (row.found.get("apart") or 0.0) > TOLERANCE]
    content = {
        "date": date.today().isoformat(),
        "device": name,
        "machine": machine(),
        "rows": [asdict(row) for row in found],
        "tests": tested.stdout.strip().splitlines()[-1:],
    }
    path = ROOT / "reports" / "gpu" / f"{content['date']}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return int(bool(wrong) or tested.returncode != 0)


def device() -> dict[str, Any]:
    """The device's name."""
    import cupy  # pyright: ignore[reportMissingImports]

    return {"name": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}


if __name__ == "__main__":
    sys.exit(main())
