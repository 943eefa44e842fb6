"""What the device can do, and how near the program comes to it.

First the ceilings: bytes per second of a copy, float64 operations per second of one large matrix product and of many
small ones, and the seconds from one small kernel to the next. Then products and eigenvalues, with

    operations   those of the matrix products: an n-shortcut unit of width d on m columns has 2 n products forward and
                 3 n back for the values' tangents, n of the values forward and 2 n back: 8 n in all, 2 d^2 m each;
                 elementary functions, and what is computed again on the way back, are not counted;
    bytes        the least that has to be moved: weights and directions read forward and back and the product written,
                 5 n d^2 numbers a unit, and the streams with their tangents written once and read once, 4 n d m.

The limit is what would take longer at the measured ceilings; where even that is below a tenth of the time, it is
neither, and what is left is waiting: for launches, for the interpreter between them, or for a thread's own results.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gpu.checks import DeviceNetwork, norm
from benchmarks.gpu.setting import DeviceSetting, Record, TimeUp
from resproof.numeric.backend import Array
from resproof.numeric.network.adjoint import loss_slope, start
from resproof.numeric.network.dense import dense_hessian

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-10
"""Greatest relative difference, in the Frobenius norm, between a peer's product and ours."""


def timed(
    setting: DeviceSetting, run: Callable[[], object], seconds: float = 1.0, most: int = 20
) -> tuple[list[float], Any]:
    """Seconds of repeated runs after a first one, and what the first one returned; once only where it takes long."""
    begun = time.perf_counter()
    first = run()
    setting.synchronise()
    warm = time.perf_counter() - begun
    times: list[float] = []
    while len(times) < 2 or (sum(times) < seconds and len(times) < most):
        begun = time.perf_counter()
        _ = run()
        setting.synchronise()
        times.append(time.perf_counter() - begun)
        if warm > 5 * seconds:
            break
    return times, first


def _summary(times: list[float]) -> Record:
    return {"status": "measured", "seconds": statistics.median(times), "least": min(times), "runs": len(times)}


# Ceilings.


def bandwidth(setting: DeviceSetting, count: int) -> Record:
    """Bytes per second of a copy of `count` numbers, read and written."""
    ops = setting.ops
    source, target = ops.full((count,), 1.0), ops.zeros((count,))

    def copy() -> None:
        target[...] = source

    times, _ = timed(setting, copy)
    setting.ceilings["bytes"] = 16 * count / min(times)
    return {**_summary(times), "bytes": 16 * count, "per_second": setting.ceilings["bytes"], "quantity": "bytes/s"}


def large_product(setting: DeviceSetting, size: int) -> Record:
    """Operations per second of one float64 matrix product."""
    ops = setting.ops
    a = ops.asarray(np.random.default_rng(0).standard_normal((size, size)))
    out = ops.empty((size, size))
    times, _ = timed(setting, lambda: ops.matmul(a, a, out=out))
    setting.ceilings["flops"] = 2 * size**3 / min(times)
    return {**_summary(times), "flops": 2 * size**3, "per_second": setting.ceilings["flops"], "quantity": "flop/s"}


def small_products(setting: DeviceSetting, count: int, d: int) -> Record:
    """Operations per second of a batch of float64 products of width d."""
    ops = setting.ops
    a, out = ops.full((count, d, d), 0.5), ops.empty((count, d, d))
    times, _ = timed(setting, lambda: ops.matmul(a, a, out=out))
    flops = 2 * d**3 * count
    setting.ceilings[f"flops, width {d}"] = flops / min(times)
    return {**_summary(times), "flops": flops, "per_second": flops / min(times), "quantity": "flop/s"}


def launches(setting: DeviceSetting, count: int) -> Record:
    """Seconds from one small kernel to the next."""
    a = setting.ops.zeros((16,))

    def run() -> None:
        nonlocal a
        for _ in range(count):
            a = a + 1.0

    times, _ = timed(setting, run)
    setting.ceilings["launch"] = min(times) / count
    return {**_summary(times), "per_launch": setting.ceilings["launch"], "quantity": "s/kernel"}


def against_ceilings(setting: DeviceSetting, seconds: float, flops: float, moved: float) -> Record:
    """The fractions of the measured ceilings that were reached, and which of them is the limit."""
    found: Record = {"flops": flops, "bytes": moved}
    known = setting.ceilings
    if "flops" not in known or "bytes" not in known:
        return {**found, "limit": "unknown: no ceilings were measured"}
    arithmetic, memory = flops / known["flops"], moved / known["bytes"]
    found |= {"flop_fraction": arithmetic / seconds, "byte_fraction": memory / seconds}
    nearest = "arithmetic" if arithmetic >= memory else "memory"
    found["limit"] = nearest if max(arithmetic, memory) >= 0.1 * seconds else "neither: latency"
    if "launch" in known:
        found["launches_in_that_time"] = seconds / known["launch"]
    return found


# Products.


def product_time(
    setting: DeviceSetting, n: int, kind: str, units: int, d: int, m: int, peers: tuple[str, ...] = ()
) -> Record:
    """Seconds of one H v at small random weights, and of the peers' whose product equals it, or ours call by call."""
    running = DeviceNetwork(setting, n, kind, units, d, m, at_zero=False)
    _, v = running.weights, running.direction
    times, image = timed(setting, lambda: running.product(v))
    found = _summary(times)
    columns = running.sizes["m"]
    flops = 16 * n * units * d * d * columns
    moved = 8 * units * (5 * n * d * d + 4 * n * d * columns)
    found |= against_ceilings(setting, found["seconds"], flops, moved)
    found["per_unit"] = found["seconds"] / units
    begun = time.perf_counter()
    beside = (setting, running, image, found["seconds"])
    found["peers"] = _peers(*beside, peers) if peers else _call_by_call(*beside)
    found["beside"] = time.perf_counter() - begun
    return found


CALLS = 1000
"""Units at most that are also taken with one call of the array library after the other: it takes long."""


def _call_by_call(setting: DeviceSetting, running: DeviceNetwork, image: dict[str, Array], ours: float) -> list[Record]:
    """The same product without the tapes and kernels of nonlinear units, where it has any: what they gain."""
    x, y = running.xy
    engine = start("call by call", running.network, running.weights, running.direction, x)
    if running.units > CALLS or engine.otherwise() is not None or engine.by_unit is engine:
        return []
    slope = loss_slope(running.network, x, y)
    times, (found, _) = timed(setting, lambda: engine.by_unit.pull(x, slope, 1, setting.kept))
    ops = setting.ops
    apart = norm(ops, {name: found[name] - array for name, array in image.items()}) / norm(ops, image)
    one: Record = {"peer": "ours, call by call", "version": "", **_summary(times)}
    return [_held(one, apart, ours)]


def dense_time(setting: DeviceSetting, units: int, d: int, m: int) -> Record:
    """Seconds to write the dense Hessian of linear units, n = 2, and of all its eigenvalues."""
    running, ops = DeviceNetwork(setting, 2, "linear", units, d, m, at_zero=False), setting.ops
    x, y = running.xy
    memory = setting.memory // 4
    h: Array = dense_hessian(running.network, running.weights, x, y, memory=memory)
    building, _ = timed(
        setting, lambda: dense_hessian(running.network, running.weights, x, y, memory=memory, out=h), most=5
    )
    times, _ = timed(setting, lambda: ops.eigvalsh(h), most=3)
    p, found = int(h.shape[0]), _summary(times)
    found |= against_ceilings(setting, found["seconds"], 4 / 3 * p**3, 8 * p**3 / 6)
    # A rank-two update of every entry of the lower triangle, written once.
    written = against_ceilings(setting, statistics.median(building), 4 * p * p / 2, 8 * p * p / 2)
    return {**found, "parameters": p, "build_seconds": statistics.median(building), "build": written}


def _peers(
    setting: DeviceSetting, running: DeviceNetwork, image: dict[str, Array], ours: float, peers: tuple[str, ...]
) -> list[Record]:
    names = list(image)
    expected = np.stack([setting.ops.numpy(image[name]) for name in names])
    arrays = {
        "weights": np.stack([setting.ops.numpy(running.weights[name]) for name in names]),
        "direction": np.stack([setting.ops.numpy(running.direction[name]) for name in names]),
        "x": setting.ops.numpy(running.xy[0]),
        "y": setting.ops.numpy(running.xy[1]),
    }
    image.clear()
    setting.release()
    found: list[Record] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            np.save(Path(folder, f"{name}.npy"), array)
        try:
            for peer in peers:
                one = run_peer(setting, peer, running.kind, Path(folder))
                found.append(_compared(one, expected, ours, Path(folder)))
        except TimeUp:
            found += [{"peer": peer, "status": "no time left"} for peer in peers[len(found) :]]
    return found


def _compared(one: Record, expected: np.ndarray, ours: float, folder: Path) -> Record:
    """The peer's record with its distance from our product; without times where that is not the same."""
    product = folder / "product.npy"
    if one["status"] != "measured":
        return one
    apart = float(np.linalg.norm(np.load(product) - expected) / np.linalg.norm(expected))
    product.unlink()
    return _held(one, apart, ours)


def _held(one: Record, apart: float, ours: float) -> Record:
    """A record with its distance from our product; without times where that is not the same."""
    if not apart <= TOLERANCE:
        return {"peer": one["peer"], "status": "another result", "apart": apart, "version": one["version"]}
    return {**one, "apart": apart, "ratio": one["seconds"] / ours}


def run_peer(setting: DeviceSetting, peer: str, kind: str, folder: Path, patience: float = 60.0) -> Record:
    """One peer in a process of its own: its times, or why there are none."""
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    if setting.device.name == "cpu":
        environment["JAX_PLATFORMS"] = "cpu"
    command = [setting.python, "-m", "benchmarks.gpu.peers", peer, kind, str(folder), setting.device.name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, timeout=patience, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return {"peer": peer, "status": f"beyond {patience:.0f} s"}
    lines = done.stdout.strip().splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return {"peer": peer, "status": "failed", "reason": last[:200]}
    if not math.isfinite(found.get("seconds", 0.0)):
        return {"peer": peer, "status": "failed", "reason": "no finite time"}
    return {"peer": peer, **found}
