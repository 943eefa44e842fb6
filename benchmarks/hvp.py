"""One Hessian-vector product at depth against JAX, torch.func, curvlinops and PyHessian, results proved equal first.

The same 2-shortcut network of width 10, the same data and weights in float64; every peer runs in a process of its own,
so that the peak memory is its own. Peers do what their user would do; of JAX's two forms, a scan over units and an
associative scan over their Jacobians, the better one counts. torch.compile takes two minutes for four units and as long
for sixteen that it sees at once, so that its user compiles one unit, its value and its adjoint with their tangents, in
half a minute, and goes from unit to unit in Python. The tasks:

    covariances   linear units on d columns that have the covariances of the data (for linear units all there is to see)
    samples       linear units on m samples; ours takes the scan over depth, and once more goes unit by unit
    tanh, gelu,   that activation before, between and after the weights, m samples
    softplus      (softplus: the smooth relu)

"ours, two processes" is the same product with the samples in two portions, one for each of two workers that are kept
(`benchmarks.portions`); its memory is that of all three processes.

Beside each task stands what limits it (`hvp_limits`): what its products, activations and memory traffic would take by
themselves. `--grid` runs every combination of the sizes below whose products are not too many, `--cover` some of them
in which any task and any two sizes meet (`cover`), `--one-core` on one core of a machine that is shared, by the
processes' own time. Rows are written as they come; after `--budget` seconds no further cell is begun, and each that is
left out has a row that says why. Ours and the best of the others are timed twice.

A peer that is not installed is reported as such. `make benchmarks` installs all of them, those of torch by `pip install
'.[benchmarks]'` for another interpreter, which `--python` names.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import multiprocessing
import operator
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cover import cover
from benchmarks.forked import Forked
from benchmarks.results import write
from resproof.numeric.threads import TOLD

TASKS = ("covariances", "samples", "tanh", "gelu", "softplus")
NONLINEAR = ("tanh", "gelu", "softplus")
LINEAR_ONLY = ("jax associative scan", "ours, unit by unit")
NONLINEAR_ONLY = ("ours, two processes",)
PEERS = (
    "ours",
    "ours, unit by unit",
    "ours, two processes",
    "jax scan",
    "jax associative scan",
    "torch.func",
    "torch.compile",
    "curvlinops",
    "pyhessian",
)
TORCH = ("torch.func", "torch.compile", "curvlinops", "pyhessian")
WIDTHS = (32, 100)
SAMPLES = (100, 4000)
"""Further widths and samples, to see how time grows with each."""
GRID = ((64, 256, 1024, 4096), (10, 32, 100, 256), (100, 1000, 4000))
"""Units, widths and samples of the grid."""
BASE = (256, 10, 1000)
"""Where the cells of a cover begin: torch.compile is timed there alone, and curves go through it for one task."""
CURVES = "tanh"
PATIENCE, LEAST_PATIENCE = 60.0, 30.0
"""Seconds that a peer has, all in all; fewer where the budget ends, but not less than the latter."""
SLOW = 3.0
"""Seconds of a product from which on once is enough after the first."""
TOLERANCE = 1e-10
"""Greatest relative difference, in the Frobenius norm, between a peer's product and ours."""


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """Units R, width d, samples m."""

    units: int
    width: int = 10
    samples: int = 1000


@dataclass(frozen=True, slots=True)
class ProductInputs:
    """Weights and a direction of shape (R, d, d) by name, and the data the task runs on."""

    weights: dict[str, Any]
    direction: dict[str, Any]
    x: Any
    y: Any
    activation: str


def instance(task: str, units: int, width: int, samples: int) -> ProductInputs:
    """The instance of a task: random weights of size 0.01, standard normal data."""
    draw = np.random.default_rng(units).standard_normal
    weights = {name: 0.01 * draw((units, width, width)) for name in ("W1", "W2")}
    direction = {name: draw((units, width, width)) for name in ("W1", "W2")}
    x, y = draw((width, samples)), draw((width, samples))
    if task == "covariances":
        # X X^T = U^T U and Y X^T = (Y Q) U; the scale keeps 1/(2 m) at m = d columns.
        q, u = np.linalg.qr(x.T)
        scale = (width / samples) ** 0.5
        x, y = scale * u.T, scale * (y @ q)
    return ProductInputs(
        weights, direction, np.ascontiguousarray(x), np.ascontiguousarray(y), task if task in NONLINEAR else "identity"
    )


Product = Callable[[], Any]
"""H v as an array of shape (2, R, d, d)."""


def _network(given: ProductInputs) -> Any:
    from resproof.architectures.activations import activation
    from resproof.architectures.catalogue import n_shortcut
    from resproof.architectures.networks import Network
    from resproof.architectures.stages import ResidualUnit

    f = activation(given.activation)
    return Network(ResidualUnit(n_shortcut(2, f, f, f)), given.weights["W1"].shape[0])


def ours(given: ProductInputs, *, by_unit: bool = False) -> Product:
    from resproof.numeric.network.adjoint import hvp

    network = _network(given)

    def product() -> Any:
        found = hvp(network, given.weights, given.direction, given.x, given.y, by_unit=by_unit)
        return found["W1"], found["W2"]

    return product


def ours_in_processes(given: ProductInputs, workers: int = 2) -> Product:
    from benchmarks.portions import hvp_over

    # Read by the workers: the cores are shared out already.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    network = _network(given)
    executor = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))

    def product() -> Any:
        found = hvp_over(executor, network, given.weights, given.direction, given.x, given.y, portions=workers)
        return found["W1"], found["W2"]

    return product


def _jax(given: ProductInputs, *, associative: bool) -> Product:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    kinds = {
        "tanh": jnp.tanh,
        "gelu": functools.partial(jax.nn.gelu, approximate=False),
        "softplus": jax.nn.softplus,
        "identity": lambda h: h,
    }
    f = kinds[given.activation]
    x, y = jnp.asarray(given.x), jnp.asarray(given.y)

    def loss(w: tuple[Any, Any]) -> Any:
        if associative:
            jacobians = jnp.eye(x.shape[0]) + w[1] @ w[0]
            h = jax.lax.associative_scan(lambda a, b: b @ a, jacobians)[-1] @ x
        else:
            h, _ = jax.lax.scan(lambda h, u: (h + f(u[1] @ f(u[0] @ f(h))), None), x, w)
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    compiled = jax.jit(lambda w, v: jax.jvp(jax.grad(loss), (w,), (v,))[1])
    w, v = ((jnp.asarray(part["W1"]), jnp.asarray(part["W2"])) for part in (given.weights, given.direction))
    return lambda: jax.block_until_ready(compiled(w, v))


def _torch_activation(name: str) -> Callable[[Any], Any]:
    import torch  # pyright: ignore[reportMissingImports]

    functional = torch.nn.functional
    # Beyond its threshold torch takes x for softplus(x), which at 20, the default, is 2e-9 off.
    softplus = functools.partial(functional.softplus, threshold=700.0)
    known = {"tanh": torch.tanh, "gelu": functional.gelu, "softplus": softplus, "identity": lambda h: h}
    return known[name]


def _torch_loss(given: ProductInputs) -> tuple[Callable[..., Any], list[Any], list[Any]]:
    import torch  # pyright: ignore[reportMissingImports]

    f = _torch_activation(given.activation)
    x, y = torch.tensor(given.x), torch.tensor(given.y)

    def loss(w1: Any, w2: Any) -> Any:
        h = x
        # Indexing W[r] would make the way back quadratic in R.
        for a, b in zip(w1.unbind(), w2.unbind(), strict=True):
            h = h + f(b @ f(a @ f(h)))
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    w, v = ([torch.tensor(part[name]) for name in ("W1", "W2")] for part in (given.weights, given.direction))
    return loss, w, v


def torch_func(given: ProductInputs) -> Product:
    import torch  # pyright: ignore[reportMissingImports]

    loss, w, v = _torch_loss(given)
    gradient = torch.func.grad(loss, argnums=(0, 1))
    return lambda: torch.func.jvp(gradient, tuple(w), tuple(v))[1]


def torch_compile(given: ProductInputs) -> Product:
    import torch  # pyright: ignore[reportMissingImports]

    f = _torch_activation(given.activation)
    x, y = torch.tensor(given.x), torch.tensor(given.y)
    arrays = [torch.tensor(part[name]) for part in (given.weights, given.direction) for name in ("W1", "W2")]
    units = list(zip(*(array.unbind() for array in arrays), strict=True))

    def unit(h: Any, a: Any, b: Any) -> Any:
        return h + f(b @ f(a @ f(h)))

    def adjoint(g: Any, *point: Any) -> Any:
        return torch.func.vjp(unit, *point)[1](g)

    forward = torch.compile(lambda point, change: torch.func.jvp(unit, point, change))
    back = torch.compile(lambda point, change, g, dg: torch.func.jvp(adjoint, (g, *point), (dg, *change)))

    def product() -> Any:
        with torch.no_grad():
            h, dh, kept = x, torch.zeros_like(x), []
            for a, b, da, db in units:
                kept.append(((h, a, b), (dh, da, db)))
                h, dh = forward(*kept[-1])
            g, dg, found = (h - y) / x.shape[1], dh / x.shape[1], []
            while kept:
                (g, _, _), (dg, *changes) = back(*kept.pop(), g, dg)
                found.append(changes)
            return [torch.stack(changes) for changes in zip(*reversed(found), strict=True)]

    return product


def _module(given: ProductInputs) -> tuple[Any, list[Any]]:
    """The network as a torch module on rows, as curvlinops and PyHessian want it, and the direction."""
    import torch  # pyright: ignore[reportMissingImports]

    f = _torch_activation(given.activation)

    class ResidualModule(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self) -> None:
            super().__init__()
            self.w1 = torch.nn.Parameter(torch.tensor(given.weights["W1"]))
            self.w2 = torch.nn.Parameter(torch.tensor(given.weights["W2"]))

        def forward(self, rows: Any) -> Any:
            h = rows.T
            for a, b in zip(self.w1.unbind(), self.w2.unbind(), strict=True):
                h = h + f(b @ f(a @ f(h)))
            return h.T

    return ResidualModule(), [torch.tensor(given.direction[name]) for name in ("W1", "W2")]


def curvlinops(given: ProductInputs) -> Product:
    import torch  # pyright: ignore[reportMissingImports]
    from curvlinops import HessianLinearOperator  # pyright: ignore[reportMissingImports]

    module, v = _module(given)
    data = [(torch.tensor(given.x.T.copy()), torch.tensor(given.y.T.copy()))]
    # MSELoss divides by m d; the loss here by 2 m.
    scale = given.x.shape[0] / 2
    parameters = list(module.parameters())
    operator = HessianLinearOperator(module, torch.nn.MSELoss(), parameters, data, check_deterministic=False)
    vector = torch.cat([part.flatten() for part in v])

    def product() -> Any:
        found = scale * (operator @ vector)
        return [part.reshape(v[0].shape) for part in found.split(v[0].numel())]

    return product


def pyhessian(given: ProductInputs) -> Product:
    import torch  # pyright: ignore[reportMissingImports]
    from pyhessian import hessian  # pyright: ignore[reportMissingImports]
    from pyhessian.utils import hessian_vector_product  # pyright: ignore[reportMissingImports]

    module, v = _module(given)
    data = (torch.tensor(given.x.T.copy()), torch.tensor(given.y.T.copy()))
    criterion = torch.nn.MSELoss()

    def product() -> Any:
        # The graph of the gradient is built with the operator: it is part of what a new point costs.
        module.zero_grad()
        operator = hessian(module, criterion, data=data, cuda=False)
        found = hessian_vector_product(operator.gradsH, operator.params, v)
        return [given.x.shape[0] / 2 * part.detach() for part in found]

    return product


RUNNERS: dict[str, Callable[[ProductInputs], Product]] = {
    "ours": ours,
    "ours, unit by unit": lambda given: ours(given, by_unit=True),
    "ours, two processes": ours_in_processes,
    "jax scan": lambda given: _jax(given, associative=False),
    "jax associative scan": lambda given: _jax(given, associative=True),
    "torch.func": torch_func,
    "torch.compile": torch_compile,
    "curvlinops": curvlinops,
    "pyhessian": pyhessian,
}


def torch_start() -> None:
    """What torch loads for its first derivative along a direction, in a process that is then forked: one thread."""
    import torch  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(1)
    one = torch.ones(1)
    _ = torch.func.jvp(torch.func.grad(lambda x: (x @ x).tanh()), (one,), (one,))


def timed(peer: str, task: str, sizes: Sequence[int], seconds: float, target: str, one_core: bool) -> dict[str, Any]:
    """Median milliseconds of one peer, after a first run, and its peak memory; the product is saved."""
    clock = time.perf_counter
    if one_core:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        clock = time.process_time
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(len(os.sched_getaffinity(0)))
    given = instance(task, *sizes)
    product = RUNNERS[peer](given)
    begun = clock()
    first = product()
    slow = clock() - begun > SLOW
    np.save(target, np.stack([np.asarray(part) for part in first]))
    times: list[float] = []
    while len(times) < (1 if slow else 3) or (sum(times) < seconds and len(times) < 50):
        start = clock()
        _ = product()
        times.append(clock() - start)
    found: dict[str, Any] = {"ms": 1e3 * statistics.median(times), "gigabytes": _peak()}
    if peer == "ours":
        from benchmarks.hvp_limits import limits

        found["limits"] = limits(given.activation, sizes[0], *given.x.shape)
    return found


def _peak() -> float:
    """Gigabytes of this process and its workers, each at its own peak: what they share counts once for each."""
    # What is counted of children is the greatest of those that have ended; these still live.
    workers = [Path(f"/proc/{worker.pid}/status").read_text() for worker in multiprocessing.active_children()]
    peaks = [int(line.split()[1]) for status in workers for line in status.splitlines() if line.startswith("VmHWM:")]
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + sum(peaks)) / 1e6


@dataclass(frozen=True, slots=True)
class ProductRow:
    """One peer on one task and size; `note` where there is no number; of ours, milliseconds of what limits it."""

    peer: str
    task: str
    size: NetworkSize
    ms: float = 0.0
    gigabytes: float = 0.0
    note: str = ""
    limits: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Bench:
    """Where peers are timed, and how long: ours and jax in this interpreter, those of torch maybe in another."""

    own: Forked
    torch: Forked
    seconds: float
    one_core: bool

    def row(self, peer: str, task: str, size: NetworkSize, patience: float, target: Path) -> ProductRow:
        """One measurement."""
        forked = self.torch if peer in TORCH else self.own
        arguments = [peer, task, astuple(size), self.seconds, str(target), self.one_core]
        found, note = forked.result("benchmarks.hvp:timed", arguments, patience)
        return ProductRow(peer, task, size, note=note, **found or {})

    def rows(self, task: str, size: NetworkSize, peers: Mapping[str, str], patience: float) -> list[ProductRow]:
        """A row for each peer, with a note those that have one; ours is the first and the one the others have to equal.

        Raises:
            AssertionError: a peer's product is another.
        """
        found: list[ProductRow] = []
        with tempfile.TemporaryDirectory() as folder:
            expected: Any = None
            for peer, note in ({"ours": ""} | dict(peers)).items():
                target = Path(folder, "product.npy")
                row = ProductRow(peer, task, size, note=note) if note else self.row(peer, task, size, patience, target)
                if not row.note:
                    product = np.load(target)
                    expected = product if expected is None else expected
                    apart = float(np.linalg.norm(product - expected) / np.linalg.norm(expected))
                    if apart > TOLERANCE:
                        raise AssertionError(f"hvp: {peer}, {task}, {size} is off by {apart:.1e}")
                found.append(row)
            return self._again(found, patience, Path(folder, "again.npy"))

    def _again(self, rows: list[ProductRow], patience: float, target: Path) -> list[ProductRow]:
        """Ours and the best of the others once more, of each the better: what else the machine does passes in waves."""
        timed = [row for row in rows[1:] if not row.note and not row.peer.startswith("ours")]
        both = {id(row) for row in (rows[0], *sorted(timed, key=lambda row: row.ms)[:1])}
        return [self._better(row, patience, target) if id(row) in both else row for row in rows]

    def _better(self, row: ProductRow, patience: float, target: Path) -> ProductRow:
        second = self.row(row.peer, row.task, row.size, patience, target)
        return row if row.note or second.note or row.ms < second.ms else second


@contextmanager
def bench(chosen: argparse.Namespace) -> Generator[Bench]:
    """The processes from which peers are forked."""
    alone: dict[str, str] = dict.fromkeys(TOLD, "1") if chosen.one_core else {}
    python = chosen.python or sys.executable
    with Forked(sys.executable, environment=alone) as own, Forked(python, "benchmarks.hvp:torch_start", alone) as torch:
        yield Bench(own, torch, chosen.seconds, chosen.one_core)


def report(tables: Sequence[Sequence[Sequence[ProductRow]]]) -> str:
    """Markdown tables, one for each task, width and number of samples; in each a column for every depth."""
    lines: list[str] = []
    for by_depth in tables:
        one = by_depth[0][0]
        samples = "" if one.task == "covariances" else f", m = {one.size.samples}"
        lines.append(f"\n{one.task}, d = {one.size.width}{samples}\n")
        depths = [rows[0].size.units for rows in by_depth]
        lines.append("| | " + " | ".join(f"R = {r}: ms | ratio | GB" for r in depths) + " | growth |")
        lines.append("|---|" + "---:|" * (3 * len(depths) + 1))
        for k, first in enumerate(by_depth[0]):
            rows = [found[k] for found in by_depth]
            cells = [
                f"{row.note} | |" if row.note else f"{row.ms:.3g} | {row.ms / found[0].ms:.1f} | {row.gigabytes:.2f}"
                for row, found in zip(rows, by_depth, strict=True)
            ]
            timed = not (rows[0].note or rows[-1].note)
            growth = f"{rows[-1].ms / rows[0].ms:.1f}" if timed else ""
            lines.append(f"| {first.peer} | " + " | ".join(cells) + f" | {growth} |")
        for name in by_depth[0][0].limits:
            cells = [f"{rows[0].limits[name]:.3g} | {rows[0].limits[name] / rows[0].ms:.2f} |" for rows in by_depth]
            lines.append(f"| {name} alone | " + " | ".join(cells) + " | |")
    return "\n".join(lines).strip()


def _peers(chosen: argparse.Namespace, kind: str, size: NetworkSize) -> dict[str, str]:
    """Who is timed at this size, and why one is not that is timed elsewhere."""
    # Only linear units have one Jacobian for all samples; portions of samples help the others only.
    left_out = {*(LINEAR_ONLY if kind in NONLINEAR else NONLINEAR_ONLY)}
    if chosen.one_core or chosen.cover:
        left_out |= {"ours, two processes"}
    peers = {peer: "" for peer in chosen.peers if peer not in left_out}
    if chosen.cover and (size.units, size.width, size.samples) != BASE and "torch.compile" in peers:
        peers["torch.compile"] = "not run: compiled for the first size alone"
    return peers


def _work(task: str, units: int, width: int, samples: int) -> float:
    """Operations of a product."""
    return 32.0 * units * width**2 * (width if task not in NONLINEAR else samples)


def _cells(
    chosen: argparse.Namespace,
) -> tuple[list[tuple[str, list[NetworkSize]]], list[tuple[str, NetworkSize, str]]]:
    """The depths of every table; and what is left out, and why."""
    if not chosen.cover:
        tables = [(kind, d, m, depths) for kind in chosen.tasks for d, m, depths in _sizes(chosen, kind)]
        return [(kind, [NetworkSize(r, d, m) for r in depths]) for kind, d, m, depths in tables], []
    # Covariances stand for any number of samples.
    cells = [
        (kind, *sizes)
        for kind, *sizes in itertools.product(chosen.tasks, *GRID)
        if kind != "covariances" or sizes[2] == BASE[2]
    ]
    curves = [cell for cell in cells if cell[0] == CURVES and sum(map(operator.ne, cell[1:], BASE)) == 1]
    first = [(kind, *BASE) for kind in chosen.tasks] + curves
    taken, left = cover(cells, first, lambda cell: _work(*cell), chosen.work)
    # Where the budget ends early, what takes longest is left out.
    taken.sort(key=lambda cell: (cell[1:] != BASE, _work(*cell)))
    notes = [(cell, f"not run: {_work(*cell):.2g} operations, {chosen.work:.2g} at most") for cell in left]
    return (
        [(kind, [NetworkSize(*sizes)]) for kind, *sizes in taken],
        [(kind, NetworkSize(*sizes), note) for (kind, *sizes), note in notes],
    )


def _sizes(chosen: argparse.Namespace, task: str) -> list[tuple[int, int, list[int]]]:
    """Width, samples and depths of every table; with growth, each of the first two by itself at the least depth."""
    if chosen.grid:
        units, widths, samples = GRID
        return [
            (d, m, depths)
            for d, m in itertools.product(widths, samples[1:2] if task == "covariances" else samples)
            if (depths := [r for r in units if _work(task, r, d, m) <= chosen.work])
        ]
    found = [(width, samples, chosen.depths) for width, samples in itertools.product(chosen.widths, chosen.samples)]
    if chosen.growth:
        width, samples, _ = found[0]
        least = [min(chosen.depths)]
        found += [(other, samples, least) for other in WIDTHS]
        # Covariances stand for any number of samples.
        found += [(width, other, least) for other in SAMPLES if task != "covariances"]
    return found


def main(arguments: Sequence[str] | None = None) -> str:
    """The tables for the command line."""
    parser = argparse.ArgumentParser(prog="hvp")
    _ = parser.add_argument("--depths", type=int, nargs="+", default=[256, 1024, 4096])
    _ = parser.add_argument("--widths", type=int, nargs="+", default=[10])
    _ = parser.add_argument("--samples", type=int, nargs="+", default=[1000])
    _ = parser.add_argument("--growth", action="store_true", help="also other widths and samples, at the least depth")
    _ = parser.add_argument("--grid", action="store_true", help="every combination of the sizes, up to --work")
    _ = parser.add_argument("--cover", action="store_true", help="some combinations in which any two sizes meet")
    _ = parser.add_argument("--work", type=float, default=1.4e11, help="operations of a product at most")
    _ = parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no cell is begun")
    _ = parser.add_argument("--one-core", action="store_true", help="on one core, by the processes' own time")
    _ = parser.add_argument(
        "--seconds", type=float, default=2.0, help="how long each is repeated, three times at least"
    )
    _ = parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    _ = parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    _ = parser.add_argument("--python", default="", help="an interpreter that has the torch peers")
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    chosen = parser.parse_args(arguments)
    tables: list[list[list[ProductRow]]] = []
    begun = time.monotonic()
    plan, left = _cells(chosen)
    with bench(chosen) as there:
        for kind, sizes in plan:
            tables.append([])
            for size in sizes:
                rest = chosen.budget - (time.monotonic() - begun)
                if rest <= 0:
                    note = f"not run: {chosen.budget:.0f} s were over"
                    tables[-1].append([ProductRow("ours", kind, size, note=note)])
                else:
                    patience = min(PATIENCE, rest + LEAST_PATIENCE)
                    tables[-1].append(there.rows(kind, size, _peers(chosen, kind, size), patience))
                write(chosen.json, "hvp", [row for by_depth in tables for rows in by_depth for row in rows])
    tables += [[[ProductRow("ours", kind, size, note=note)]] for kind, size, note in left]
    write(chosen.json, "hvp", [row for by_depth in tables for rows in by_depth for row in rows])
    return report(tables)


if __name__ == "__main__":
    print(main())
