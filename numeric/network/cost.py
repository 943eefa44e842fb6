"""How long each arrangement of a network (`arrangement`) takes: a count of its work times the rates of the machine.

An arrangement is so many operations of products, numbers that are gone through and calls of an array library, counted
from the unit and the sizes. What one of each takes is measured once on a machine, in some milliseconds, and
kept in the user's cache. The other cores shorten all arrangements alike.

With c coefficients of a series a product of matrices is f = 2 c - 1 products, forward as well as back, and c more make
the highest coefficient of the weight's cotangent; where values are computed again, the way forward counts twice.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from resproof.architectures.nodes import Apply, Constant, Einsum, Weight
from resproof.architectures.user_cache import user_cache
from resproof.numeric.backend import Ops, ops
from resproof.numeric.network.program import Program
from resproof.numeric.threads import cores

COMPILED_START = 500
"""Calls' worth of time that a call has to save for a library to be compiled: once, in a second, for many calls."""


Arrangement = Literal["unit by unit", "tiles", "kernels", "library", "scan", "library on the identity"]


@dataclass(frozen=True, slots=True)
class MachineRates:
    """Seconds for an operation of a product of matrices, for a number that is gone through, for a call."""

    operation: float
    number: float
    call: float


CPU, GPU = MachineRates(2e-11, 2e-10, 2.5e-7), MachineRates(1e-13, 1e-11, 6e-6)
"""Where measuring fails, and on a GPU."""


@dataclass(frozen=True, slots=True)
class Work:
    """What an arrangement does."""

    operations: float
    numbers: float
    calls: float

    def seconds(self, rates: MachineRates) -> float:
        """How long it takes."""
        return self.operations * rates.operation + self.numbers * rates.number + self.calls * rates.call


@dataclass(frozen=True, slots=True)
class UnitWork:
    """One unit's value: multiplications of its products, numbers of its streams, of activations and of its weights."""

    multiplications: int
    numbers: int
    activated: int
    weights: int
    nodes: int


@lru_cache(maxsize=16)
def unit_work(program: Program) -> UnitWork:
    """That of a unit on so many columns as it was read with."""
    shapes = program.shapes
    streams = [node for node in program.order if not isinstance(node, Weight | Constant)]
    products = [node.operands for node in streams if isinstance(node, Einsum) and len(node.operands) == 2]
    return UnitWork(
        sum(math.prod((*shapes[left], *shapes[right][-1:])) for left, right in products),
        sum(math.prod(shapes[node]) for node in streams),
        sum(math.prod(shapes[node]) for node in streams if isinstance(node, Apply)),
        sum(math.prod(shapes[node]) for node in program.order if isinstance(node, Weight)),
        len(streams),
    )


def by_units(unit: UnitWork, units: int, coefficients: int) -> Work:
    """Unit by unit: some seventy calls a node."""
    c = coefficients
    operations = 2 * unit.multiplications * (2 * (2 * c - 1) + c)
    numbers = c * (5 * unit.numbers + 40 * unit.activated + 25 * unit.weights)
    return Work(units * operations, units * numbers, 400 + 70 * units * unit.nodes)


def by_tiles(unit: UnitWork, units: int, coefficients: int) -> Work:
    """By tiles: values are computed again, calls are listed for eight units at most; matrices are copied."""
    c = coefficients
    operations = 2 * unit.multiplications * (3 * (2 * c - 1) + c)
    numbers = c * (3 * unit.numbers + 40 * unit.activated + 40 * unit.weights)
    return Work(units * operations, units * numbers, 400 + unit.nodes * (35 * units + 80 * min(units, 8)))


def by_scan(identity: UnitWork, units: int, coefficients: int) -> Work:
    """By the scan, of the unit on the identity: products of Jacobians in batches, calls for each step of a chunk."""
    operations, numbers = 11 * coefficients * identity.multiplications, 16 * coefficients * identity.numbers
    return Work(units * operations, units * numbers, 1200 + 100 * math.isqrt(units))


def by_library(unit: UnitWork, units: int, coefficients: int) -> Work:
    """Through the compiled library, which may compute values again and is that much faster; it has to be compiled."""
    c = coefficients
    operations = 2 * unit.multiplications * (2 * (2 * c - 1) + c)
    numbers = c * (unit.numbers + 6 * unit.activated + 20 * unit.weights)
    return Work(units * operations, units * numbers, 700 + COMPILED_START)


def fastest(works: Mapping[Arrangement, Work], rates: MachineRates) -> Arrangement:
    """The arrangement of the least predicted time, the first of equals."""
    return min(works, key=lambda name: works[name].seconds(rates))


def rates(library: Ops) -> MachineRates:
    """Those of the machine for arrays of this library."""
    return measured_once() if library.xp is np else GPU


@lru_cache(maxsize=1)
def measured_once() -> MachineRates:
    """Those that were measured here before, or now."""
    known = "\n".join((platform.node(), platform.machine(), sys.version, np.__version__, str(cores(ops(np)))))
    try:
        path = user_cache() / f"rates-{hashlib.sha256(known.encode()).hexdigest()[:32]}.json"
        try:
            return MachineRates(*map(float, json.loads(path.read_text(encoding="utf-8"))))
        except (FileNotFoundError, ValueError, TypeError):
            found = measured()
            path.parent.mkdir(parents=True, exist_ok=True)
            _ = path.write_text(json.dumps(astuple(found)), encoding="utf-8")
            return found
    except OSError:
        return CPU


def measured() -> MachineRates:
    """MachineRates from the least of several times, which others on the machine hardly lengthen."""
    a, b, product = np.ones((128, 128)), np.ones((128, 128)), np.empty((128, 128))
    row, few = np.ones(2**14), np.ones(8)
    return MachineRates(
        _seconds(lambda: np.matmul(a, b, out=product)) / (2 * 128**3),
        _seconds(lambda: np.multiply(row, row, out=row)) / len(row),
        _seconds(lambda: [few + few for _ in range(50)]) / 50,
    )


def _seconds(work: Callable[[], object]) -> float:
    best = math.inf
    for _ in range(20):
        begun = time.perf_counter()
        _ = work()
        best = min(best, time.perf_counter() - begun)
    return best
