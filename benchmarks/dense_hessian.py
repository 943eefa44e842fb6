"""The whole Hessian of a plain linear network at orthogonal weights against jax.hessian and torch.func.hessian.

Width 10, float64, d columns with the covariances of the data. Ours writes the lower triangle (by blocks) into a matrix
that is used again, and once more into a new one; the peers return the whole. Every peer runs in a process of its own,
in turn with ours, and the medians over the rounds are compared; entries of the lower triangles are proved equal first.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import write

WIDTH = 10
TOLERANCE = 1e-10
"""Greatest relative difference of the lower triangles, in the Frobenius norm."""


def instance(units: int) -> tuple[Any, Any, Any]:
    """Orthogonal weights of shape (R, d, d), X and Y."""
    draw = np.random.default_rng(units).standard_normal
    weights = np.linalg.qr(draw((units, WIDTH, WIDTH)))[0]
    return weights, draw((WIDTH, WIDTH)), draw((WIDTH, WIDTH))


def ours(units: int, *, again: bool = True) -> Callable[[], Any]:
    from resproof.architectures.catalogue import plain
    from resproof.architectures.networks import Network
    from resproof.architectures.stages import ResidualUnit
    from resproof.numeric.network.dense import dense_hessian

    weights, x, y = instance(units)
    unit = ResidualUnit(plain())
    network, named = Network(unit, units), dict.fromkeys(unit.names.values(), weights)
    out = np.zeros((units * WIDTH**2, units * WIDTH**2)) if again else None
    return lambda: dense_hessian(network, named, x, y, out=out)


def _jax(units: int, *, scanned: bool) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    weights, x, y = (jnp.asarray(a) for a in instance(units))

    def loss(flat: Any) -> Any:
        # vec stacks columns.
        w = jnp.swapaxes(flat.reshape(units, WIDTH, WIDTH), 1, 2)
        if scanned:
            h, _ = jax.lax.scan(lambda h, u: (u @ h, None), x, w)
        else:
            h = x
            for u in w:
                h = u @ h
        return ((h - y) ** 2).sum() / (2 * WIDTH)

    compiled, flat = jax.jit(jax.hessian(loss)), jnp.swapaxes(weights, 1, 2).ravel()
    return lambda: jax.block_until_ready(compiled(flat))


def _torch(units: int) -> Callable[[], Any]:
    import torch  # pyright: ignore[reportMissingImports]

    weights, x, y = (torch.tensor(a) for a in instance(units))

    def loss(flat: Any) -> Any:
        h = x
        for u in flat.reshape(units, WIDTH, WIDTH).unbind():
            h = u.T @ h
        return ((h - y) ** 2).sum() / (2 * WIDTH)

    hessian = torch.func.hessian(loss)
    flat = weights.transpose(1, 2).reshape(-1)
    return lambda: hessian(flat)


RUNNERS: dict[str, tuple[str, Callable[[int], Callable[[], Any]]]] = {
    "ours": ("", ours),
    "ours, new matrix": ("", lambda units: ours(units, again=False)),
    "jax.hessian, unrolled": ("jax", lambda units: _jax(units, scanned=False)),
    "jax.hessian, scan": ("jax", lambda units: _jax(units, scanned=True)),
    "torch.func.hessian": ("torch", _torch),
}
"""Peers: the package they need, and what makes the computation."""


def child(peer: str, units: int, seconds: float, target: Path) -> dict[str, float]:
    """Median milliseconds of one peer, after a first run, and its peak memory; a sample of the entries is saved."""
    run = RUNNERS[peer][1](units)
    h = np.asarray(run())
    rows, columns = sampled(units)
    np.save(target, h[rows, columns])
    del h
    times: list[float] = []
    while len(times) < 3 or (sum(times) < seconds and len(times) < 50):
        start = time.perf_counter()
        _ = run()
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"ms": 1e3 * statistics.median(times), "gigabytes": peak}


def sampled(units: int, count: int = 10**5) -> tuple[Any, Any]:
    """Random places of the lower triangle."""
    places = np.random.default_rng(1).integers(0, units * WIDTH**2, (2, count))
    return places.max(axis=0), places.min(axis=0)


@dataclass(frozen=True, slots=True)
class DenseRow:
    """One peer at one depth; `note` where there is no number."""

    peer: str
    units: int
    parameters: int
    ms: float = 0.0
    ratio: float = 0.0
    gigabytes: float = 0.0
    note: str = ""


def measure(units: int, peers: Sequence[str], rounds: int, seconds: float, patience: float) -> list[DenseRow]:
    """A row for each peer, from processes in turn.

    Raises:
        AssertionError: a peer's matrix is another.
    """
    found: dict[str, list[dict[str, float]]] = {peer: [] for peer in peers}
    notes: dict[str, str] = {}
    expected: Any = None
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "entries.npy")
        for _ in range(rounds):
            for peer in [p for p in peers if p not in notes]:
                done = _in_process(peer, units, seconds, patience, target)
                if isinstance(done, str):
                    notes[peer] = done
                    continue
                entries = np.load(target)
                expected = entries if expected is None else expected
                apart = float(np.linalg.norm(entries - expected) / np.linalg.norm(expected))
                if apart > TOLERANCE:
                    raise AssertionError(f"dense_hessian: {peer}, R = {units} is off by {apart:.1e}")
                found[peer].append(done)
    medians = {p: statistics.median(one["ms"] for one in runs) for p, runs in found.items() if runs}
    size = units * WIDTH**2
    return [
        DenseRow(p, units, size, medians[p], medians[p] / medians["ours"], max(one["gigabytes"] for one in found[p]))
        if p in medians
        else DenseRow(p, units, size, note=notes[p])
        for p in peers
    ]


def _in_process(peer: str, units: int, seconds: float, patience: float, target: Path) -> dict[str, float] | str:
    package = RUNNERS[peer][0]
    if package and importlib.util.find_spec(package) is None:
        return "not installed"
    command = [sys.executable, "-m", "benchmarks.dense_hessian", "--child", peer, str(units), str(seconds), str(target)]
    root = Path(__file__).resolve().parent.parent
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        return f"beyond {patience:.0f} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:80]
    return json.loads(done.stdout.splitlines()[-1])


def report(rows: Sequence[DenseRow]) -> str:
    """A Markdown table."""
    lines = ["| parameters | | ms | ratio | GB |", "|---:|---|---:|---:|---:|"]
    for row in rows:
        numbers = f"{row.note} | | " if row.note else f"{row.ms:.3g} | {row.ratio:.1f} | {row.gigabytes:.2f} "
        lines.append(f"| {row.parameters} | {row.peer} | {numbers}|")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="dense_hessian")
    _ = parser.add_argument("--depths", type=int, nargs="+", default=[16, 48, 96])
    _ = parser.add_argument("--peers", nargs="+", choices=list(RUNNERS), default=list(RUNNERS))
    _ = parser.add_argument("--rounds", type=int, default=3)
    _ = parser.add_argument("--seconds", type=float, default=1.0)
    _ = parser.add_argument("--patience", type=float, default=240.0)
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    _ = parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.child:
        peer, units, seconds, target = chosen.child
        return json.dumps(child(peer, int(units), float(seconds), Path(target)))
    peers = ["ours", *(peer for peer in chosen.peers if peer != "ours")]
    rows = [
        row for units in chosen.depths for row in measure(units, peers, chosen.rounds, chosen.seconds, chosen.patience)
    ]
    write(chosen.json, "dense_hessian", rows)
    return report(rows)


if __name__ == "__main__":
    print(main())
