"""Who finds the extreme eigenvalues and the condition number of a deep network's Hessian where training starts?

The 1-shortcut and the 2-shortcut tanh network at zero weights, d = 10, m = 100. Truth is the dense matrix with LAPACK
where it fits. Others do what their user would: the dense Hessian by JAX and eigvalsh; PyHessian's power iteration,
which gives the eigenvalue of greatest modulus; Lanczos (SciPy) on curvlinops' operator, which gives the extremes. None
of them gives the least nonzero modulus beyond what is dense, which the condition number needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.alone import Row, alone, in_turn, rows, timed

WIDTH, SAMPLES = 10, 100
DEPTHS = (4, 16, 100, 10_000, 1_000_000)
DEEPEST = {"dense by JAX, LAPACK": 16, "PyHessian": 100, "curvlinops, Lanczos": 100}
"""What is asked of the others: their time grows with depth at least in proportion, dense matrices' with its cube."""


def data() -> tuple[Any, Any]:
    """Standard normal X and Y, d x m."""
    x, y = np.random.default_rng(0).standard_normal((2, WIDTH, SAMPLES))
    return x, y


def ours(n: int, units: int) -> Callable[[], dict[str, Any]]:
    """All eigenvalues' signs, the extremes, the condition number."""
    from resproof import n_shortcut, spectrum, tanh

    def found() -> dict[str, Any]:
        one = spectrum(n_shortcut(n, mid=tanh), units, data=data())
        ends: Any = one.extremes
        return {"largest": ends.largest, "smallest": ends.smallest, "condition": one.pseudo_condition_number}

    return found


def dense(n: int, units: int) -> Callable[[], dict[str, Any]]:
    """jax.hessian and eigvalsh."""
    import jax

    jax.config.update("jax_enable_x64", True)
    x, y = data()

    def loss(w: Any) -> Any:
        def unit(h: Any, one: Any) -> tuple[Any, None]:
            path = one[0] @ h
            for weight in one[1:]:
                path = weight @ jax.numpy.tanh(path)
            return h + path, None

        h, _ = jax.lax.scan(unit, jax.numpy.asarray(x), w.reshape(units, n, WIDTH, WIDTH))
        return ((h - y) ** 2).sum() / (2 * SAMPLES)

    hessian = jax.jit(jax.hessian(loss))

    def found() -> dict[str, Any]:
        values = np.linalg.eigvalsh(np.asarray(hessian(np.zeros(units * n * WIDTH**2))))
        moduli = np.abs(values)[np.abs(values) > 1e-12 * np.abs(values).max()]
        condition = float(moduli.max() / moduli.min())
        return {"largest": float(values[-1]), "smallest": float(values[0]), "condition": condition}

    return found


def _module(n: int, units: int) -> tuple[Any, Any, Any]:
    import torch  # pyright: ignore[reportMissingImports]

    class ResidualModule(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.zeros(units, n, WIDTH, WIDTH, dtype=torch.float64))

        def forward(self, rows: Any) -> Any:
            h = rows.T
            for unit in self.w.unbind():
                first, *others = unit.unbind()
                path = first @ h
                for weight in others:
                    path = weight @ torch.tanh(path)
                h = h + path
            return h.T

    return ResidualModule(), *(torch.tensor(a.T.copy()) for a in data())


def with_pyhessian(n: int, units: int) -> Callable[[], dict[str, Any]]:
    """Power iteration, one eigenvalue."""
    import torch  # pyright: ignore[reportMissingImports]
    from pyhessian import hessian  # pyright: ignore[reportMissingImports]

    module, x, y = _module(n, units)

    def found() -> dict[str, Any]:
        module.zero_grad()
        (value,), _ = hessian(module, torch.nn.MSELoss(), data=(x, y), cuda=False).eigenvalues(top_n=1)
        return {"largest": WIDTH / 2 * value}

    return found


def with_curvlinops(n: int, units: int) -> Callable[[], dict[str, Any]]:
    """Lanczos on the operator."""
    import torch  # pyright: ignore[reportMissingImports]
    from curvlinops import HessianLinearOperator  # pyright: ignore[reportMissingImports]
    from scipy.sparse.linalg import eigsh

    module, x, y = _module(n, units)
    operator = HessianLinearOperator(
        module, torch.nn.MSELoss(), list(module.parameters()), [(x, y)], check_deterministic=False
    ).to_scipy()

    def found() -> dict[str, Any]:
        low, high = WIDTH / 2 * np.sort(eigsh(operator, k=2, which="BE", return_eigenvectors=False))
        return {"largest": float(high), "smallest": float(low)}

    return found


RUNNERS: dict[str, Callable[[int, int], Callable[[], dict[str, Any]]]] = {
    "ours": ours,
    "dense by JAX, LAPACK": dense,
    "PyHessian": with_pyhessian,
    "curvlinops, Lanczos": with_curvlinops,
}


def cell(peer: str, n: int, units: int) -> dict[str, Any]:
    """In a process of its own: what a program finds, and in what time."""
    program = RUNNERS[peer](n, units)
    found = program()
    return {**timed(program), "found": found}


def measure(rounds: int) -> list[Row]:
    """Every program that can, at every depth."""
    found = list[Row]()
    for n in (1, 2):
        for units in DEPTHS:
            peers = [peer for peer in RUNNERS if units <= DEEPEST.get(peer, units)]
            cells = {peer: partial(alone, "benchmarks.spectra:cell", peer, n, units) for peer in peers}
            size = f"R = {units:,}, {units * n * WIDTH**2:,} parameters"
            found += rows(f"spectrum at the start, n = {n}", size, in_turn(cells, rounds))
    return found
