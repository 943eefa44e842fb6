"""What a Hessian-vector product cannot do without, and how long this machine takes for each by itself.

    products   forward W h with its tangent, three products of matrices; back W^T g likewise three, and two for the
               first coefficient of W's cotangent: 8 products of 2 rows columns samples operations for every weight
    functions  an activation's value and two derivatives, once for every entry that it is applied to
    memory     weights and direction read, the result written, once

on a linear network with as many columns as there are samples or rows, whichever is less. The rates are those of one
core, measured on data that lie in its cache (memory: that do not), times the cores that are at hand: a program that
takes as long as the greatest of the three does nothing in vain.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from resproof.architectures.activations import activation
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.native import Native
from resproof.numeric.network.native_calls import APPLY, PRODUCT, NativeCalls, Shelf, StackPlace
from resproof.numeric.threads import cores, one_thread

MATRICES = 2
"""Weights of a unit."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one core: floating-point operations of products, activations, and bytes a second."""

    operations: float
    activations: float
    bytes: float


def limits(kind: str, units: int, width: int, samples: int) -> dict[str, float]:
    """Milliseconds of each; no activations where `kind` is "identity"."""
    linear, found, count = kind == "identity", rates(kind), 1e-3 * cores(ops(np))
    columns = min(width, samples) if linear else samples
    return {
        "products": units * MATRICES * 8 * 2 * width**2 * columns / found.operations / count,
        "functions": 0.0 if linear else units * (MATRICES + 1) * width * samples / found.activations / count,
        "memory": units * MATRICES * 3 * 8 * width**2 / found.bytes / count,
    }


@cache
def rates(kind: str) -> Rates:
    """Those of this machine; of products the better of BLAS and the compiled library."""
    draw = np.random.default_rng(0).standard_normal
    a, b, out = draw((768, 768)), draw((768, 768)), np.empty((768, 768))
    large, other = draw(2**23), np.ones(2**23)
    with one_thread():
        blas = 2 * 768**3 / _seconds(lambda: np.matmul(a, b, out=out))
        copied = 16 * len(large) / _seconds(lambda: np.copyto(other, large))
    native = _native(kind)
    if native is None:
        f, x = activation(kind), draw(2**13)
        return Rates(blas, len(x) / _seconds(lambda: f.derivatives(ops(np), x, 2)), copied)
    return Rates(max(blas, native[0]), native[1], copied)


def _native(kind: str) -> tuple[float, float] | None:
    """Operations and activations a second in the compiled library, if there is one."""
    rows, panels, f = 96, 8, activation(kind)
    network = Network(ResidualUnit(n_shortcut(2, f, f, f)), 1)
    draw = np.random.default_rng(0).standard_normal
    weights = {name: draw((1, rows, rows)) for name in ("W1", "W2")}
    engine = start("rates", network, weights, weights, draw((rows, 2000)), scan=False)
    if not isinstance(engine, Native):
        return None
    shelf = Shelf(2, panels, engine.library.panel)
    h, out, slope = (StackPlace(shelf.stacks(rows)) for _ in range(3))
    h.array[...] = draw(h.array.shape)
    calls = NativeCalls(engine.library, engine.program, shelf, {})
    calls.product(next(iter(engine.parts)), h, out)
    if kind != "identity":
        calls.apply(f, h, out, slope)

    def played(what: int) -> float:
        whole = calls.tape()
        whole.bind(engine.places)
        tape = whole.records[whole.records[:, 0] == what]
        return _seconds(lambda: engine.library.play(tape.ctypes.data, len(tape), 2, panels, 0, 0, 100, 0)) / 100

    columns = panels * engine.library.panel
    functions = rows * columns / played(APPLY) if kind != "identity" else 0.0
    return 3 * 2 * rows**2 * columns / played(PRODUCT), functions


def _seconds(work: Callable[[], object]) -> float:
    """The median of the processor's own time, which others on the machine do not lengthen."""
    _ = work()
    found: list[float] = []
    while len(found) < 5 or sum(found) < 0.2:
        begin = time.process_time()
        _ = work()
        found.append(time.process_time() - begin)
    return statistics.median(found)
