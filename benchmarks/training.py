"""Gradient descent on linear 2-shortcut networks beside JAX: time of one epoch of one run, results proved equal first.

Width 10, float64, the covariances of random data. A sweep over seeds and rates is many runs of one network: ours takes
them as one batch. JAX takes them one after the other, as its user would write them (a scan over layers, jitted together
with a loop over epochs), and as one batch by vmap. Programs are timed in turn in one process with one BLAS thread
(OPENBLAS_NUM_THREADS=1), and the medians over the rounds compared, of the processor's time.
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

TASK = "epoch of gradient descent, one of many linear networks"
WIDTH = 10
EPOCHS = 20
RATE = 0.05
TOLERANCE = 1e-10
"""Greatest relative difference of the weights after the epochs, in the Frobenius norm."""

Program = Callable[[], Any]
"""The weights after EPOCHS epochs, of shape (layers, runs, d, d)."""


def instance(layers: int, runs: int) -> tuple[Any, Any, Any]:
    """Weights near zero, X and Y."""
    from resproof.numeric.training.start import drawn

    draw = np.random.default_rng(layers).standard_normal
    return drawn("near zero", range(runs), layers, WIDTH), draw((WIDTH, 100)), draw((WIDTH, 100))


def ours(layers: int, runs: int) -> Program:
    from resproof.numeric.training.covariances import covariances
    from resproof.numeric.training.descent import descend
    from resproof.numeric.training.networks import Group

    weights, x, y = instance(layers, runs)
    given = covariances(x, y)
    return lambda: descend(weights, (Group(2, runs),), given, [RATE] * runs, EPOCHS).weights


def with_jax(layers: int, runs: int, *, batch: bool) -> Program:
    import jax

    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    weights, x, y = instance(layers, runs)
    inputs, targets = jnp.asarray(x @ x.T / x.shape[1]), jnp.asarray(y @ x.T / x.shape[1])

    def loss(w: Any) -> Any:
        units = w.reshape(layers // 2, 2, WIDTH, WIDTH)
        whole, _ = jax.lax.scan(lambda h, unit: (h + unit[1] @ (unit[0] @ h), None), jnp.eye(WIDTH), units)
        return 0.5 * jnp.sum((whole @ inputs) * whole) - jnp.sum(targets * whole)

    def train(w: Any) -> Any:
        return jax.lax.fori_loop(0, EPOCHS, lambda _, v: v - RATE * jax.grad(loss)(v), w)

    program = jax.jit(jax.vmap(train) if batch else train)
    stacked = jnp.asarray(np.swapaxes(weights, 0, 1))

    def together() -> Any:
        return np.swapaxes(np.asarray(program(stacked)), 0, 1)

    def in_turn() -> Any:
        return np.stack([np.asarray(program(one)) for one in stacked], axis=1)

    return together if batch else in_turn


PEERS: dict[str, Callable[[int, int], Program]] = {
    "ours": ours,
    "jax, run by run": lambda layers, runs: with_jax(layers, runs, batch=False),
    "jax vmap": lambda layers, runs: with_jax(layers, runs, batch=True),
}


def measure(layers: int, runs: int, rounds: int) -> list[RunsRow]:
    """A row for each program, after all have been shown to give the same weights.

    Raises:
        AssertionError: two of them differ.
    """
    there = [peer for peer in PEERS if peer == "ours" or importlib.util.find_spec("jax")]
    programs = {peer: PEERS[peer](layers, runs) for peer in there}
    expected = programs["ours"]()
    for peer, program in programs.items():
        error = np.linalg.norm(program() - expected) / np.linalg.norm(expected)
        assert error <= TOLERANCE, f"{peer} differs by {error:.1e}"
    times = median_seconds(programs, rounds, time.process_time)
    found = [RunsRow(peer, TASK, layers, runs, 1e3 * seconds / EPOCHS / runs) for peer, seconds in times.items()]
    return found + [RunsRow(peer, TASK, layers, runs, note="not installed") for peer in PEERS if peer not in programs]


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="training")
    _ = parser.add_argument("--layers", type=int, nargs="+", default=[16, 96])
    _ = parser.add_argument("--runs", type=int, default=128)
    _ = parser.add_argument("--rounds", type=int, default=5)
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    chosen = parser.parse_args(arguments)
    tables = [measure(layers, chosen.runs, chosen.rounds) for layers in chosen.layers]
    write(chosen.json, "training", [row for rows in tables for row in rows])
    return runs_table(tables)


if __name__ == "__main__":
    print(main())
