"""A training step of a deep network of blocks beside JAX and PyTorch: time of a step of a run; results equal first.

The ResNet of the experiments: 110 layers of width 32, batch normalisation, ReLUs, softmax cross-entropy, batches of
128, momentum 0.9, weight decay 0.0001, float64. JAX takes the step jitted, as its user would write it (a scan over
blocks, a loop over steps), run by run and as one batch by vmap; PyTorch takes it eagerly, run by run. Programs are
timed in turn in one process with one BLAS thread (OPENBLAS_NUM_THREADS=1), and the medians over the rounds compared, of
the processor's time.
XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" gives XLA one thread too.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.results import RunsRow, runs_table, write
from benchmarks.rounds import median_seconds
from resproof.numeric.training.blocks import EPSILON, BlockForm, Weights

TASK = "training step, one of several networks of blocks"
INPUTS, WIDTH, OUTPUTS, BATCH = 10, 32, 10, 128
STEPS = 20
RATE, MOMENTUM, DECAY = 0.01, 0.9, 1e-4
TOLERANCE = 1e-9
"""Greatest relative difference of the weights after the steps, in the Frobenius norm."""

Program = Callable[[], Weights]
"""The weights after STEPS steps."""
_AXES = {"stem": 0, "inner": 1, "outer": 1, "head": 0}
"""The axis of the runs."""


def instance(layers: int, runs: int) -> tuple[Weights, Any, Any]:
    """He's weights, a batch and its one-hot labels."""
    from resproof.numeric.training.block_start import he_blocks

    generator = np.random.default_rng(layers)
    x, labels = generator.standard_normal((INPUTS, BATCH)), generator.integers(0, OUTPUTS, BATCH)
    return he_blocks(range(runs), (layers - 2) // 2, INPUTS, WIDTH, OUTPUTS), x, np.eye(OUTPUTS)[:, labels]


def ours(layers: int, runs: int) -> Program:
    from resproof.numeric.training.momentum import Schedule, momentum_descent

    weights, x, y = instance(layers, runs)
    how = Schedule(STEPS, BATCH, MOMENTUM, DECAY)

    def program() -> Weights:
        mine = {name: weight.copy() for name, weight in weights.items()}
        for _ in momentum_descent(BlockForm(shortcut=True), mine, x, y, [RATE] * runs, range(runs), how):
            pass
        return mine

    return program


def with_jax(layers: int, runs: int, *, batch: bool) -> Program:
    import jax

    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    weights, x, y = instance(layers, runs)

    def normal(a: Any) -> Any:
        centred = a - jnp.mean(a, axis=1, keepdims=True)
        return centred / jnp.sqrt(jnp.mean(centred * centred, axis=1, keepdims=True) + EPSILON)

    def block(h: Any, pair: Any) -> Any:
        branch = normal(pair[1] @ jax.nn.relu(normal(pair[0] @ h)))
        return jax.nn.relu(h + branch), None

    def loss(w: Any) -> Any:
        h, _ = jax.lax.scan(block, jax.nn.relu(w["stem"] @ x), (w["inner"], w["outer"]))
        return -jnp.sum(y * jax.nn.log_softmax(w["head"] @ h, axis=0)) / BATCH

    def step(_: int, state: Any) -> Any:
        w, v = state
        g = jax.grad(loss)(w)
        v = {name: MOMENTUM * v[name] + g[name] + DECAY * w[name] for name in w}
        return {name: w[name] - RATE * v[name] for name in w}, v

    def train(w: Any) -> Any:
        still = {name: jnp.zeros_like(one) for name, one in w.items()}
        return jax.lax.fori_loop(0, STEPS, step, (w, still))[0]

    program = jax.jit(jax.vmap(train, in_axes=(_AXES,), out_axes=_AXES) if batch else train)
    stacked = {name: jnp.asarray(weight) for name, weight in weights.items()}
    alone = [{name: jnp.asarray(one) for name, one in _run(weights, run).items()} for run in range(runs)]

    def together() -> Weights:
        return {name: np.asarray(one) for name, one in program(stacked).items()}

    def in_turn() -> Weights:
        return _stacked([{name: np.asarray(each) for name, each in program(one).items()} for one in alone])

    return together if batch else in_turn


def with_torch(layers: int, runs: int) -> Program:
    import torch  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(1)
    weights, x, y = instance(layers, runs)
    inputs, labels = torch.from_numpy(x), torch.from_numpy(np.argmax(y, axis=0))

    def normal(a: Any) -> Any:
        # Units are rows here, and features of a column in PyTorch's terms.
        return torch.nn.functional.batch_norm(a.T, None, None, training=True, eps=EPSILON).T

    def loss(w: dict[str, Any]) -> Any:
        h = torch.relu(w["stem"] @ inputs)
        for inner, outer in zip(w["inner"], w["outer"], strict=True):
            h = torch.relu(h + normal(outer @ torch.relu(normal(inner @ h))))
        return torch.nn.functional.cross_entropy((w["head"] @ h).T, labels)

    def train(run: int) -> Weights:
        mine = {name: torch.tensor(one, requires_grad=True) for name, one in _run(weights, run).items()}
        optimizer = torch.optim.SGD([*mine.values()], RATE, momentum=MOMENTUM, weight_decay=DECAY)
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss(mine).backward()
            _ = optimizer.step()
        return {name: one.detach().numpy() for name, one in mine.items()}

    return lambda: _stacked([train(run) for run in range(runs)])


def _run(weights: Weights, run: int) -> Weights:
    return {name: np.take(weight, run, axis=_AXES[name]) for name, weight in weights.items()}


def _stacked(runs: Sequence[Weights]) -> Weights:
    return {name: np.stack([one[name] for one in runs], axis=axis) for name, axis in _AXES.items()}


PEERS: dict[str, tuple[str, Callable[[int, int], Program]]] = {
    "ours": ("numpy", ours),
    "jax, run by run": ("jax", lambda layers, runs: with_jax(layers, runs, batch=False)),
    "jax vmap": ("jax", lambda layers, runs: with_jax(layers, runs, batch=True)),
    "torch, run by run": ("torch", with_torch),
}
"""Each with the package that it needs."""


def measure(layers: int, runs: int, rounds: int) -> list[RunsRow]:
    """A row for each program, after all have been shown to give the same weights.

    Raises:
        AssertionError: two of them differ.
    """
    there = [peer for peer, (package, _) in PEERS.items() if importlib.util.find_spec(package)]
    programs = {peer: PEERS[peer][1](layers, runs) for peer in there}
    expected = programs["ours"]()
    for peer, program in programs.items():
        for name, found in program().items():
            error = np.linalg.norm(found - expected[name]) / np.linalg.norm(expected[name])
            assert error <= TOLERANCE, f"{peer} differs in {name} by {error:.1e}"
    times = median_seconds(programs, rounds, time.process_time)
    found = [RunsRow(peer, TASK, layers, runs, 1e3 * seconds / STEPS / runs) for peer, seconds in times.items()]
    return found + [RunsRow(peer, TASK, layers, runs, note="not installed") for peer in PEERS if peer not in programs]


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="blocks")
    _ = parser.add_argument("--layers", type=int, default=110)
    _ = parser.add_argument("--runs", type=int, nargs="+", default=[1, 9])
    _ = parser.add_argument("--rounds", type=int, default=7)
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    chosen = parser.parse_args(arguments)
    tables = [measure(chosen.layers, runs, chosen.rounds) for runs in chosen.runs]
    write(chosen.json, "blocks", [row for rows in tables for row in rows])
    return runs_table(tables)


if __name__ == "__main__":
    print(main())
