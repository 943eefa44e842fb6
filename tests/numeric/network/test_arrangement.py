"""Which arrangement is taken: nearly the fastest of those that were measured, for given rates of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import activation
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.network import arrangement, cost, native_library, series
from resproof.numeric.network.adjoint import gradient, hvp, start
from resproof.numeric.network.cost import Arrangement, MachineRates, by_units, unit_work
from resproof.numeric.network.native import Native, NativeLinear
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.program import program
from resproof.numeric.network.scan import Scan
from tests.numeric.cases import first_of, make

RATES = MachineRates(2e-11, 1.9e-10, 2.3e-7)
NUMPY: tuple[Arrangement, ...] = ("tiles", "unit by unit", "scan")
LIBRARY: tuple[Arrangement, ...] = ("library", "library on the identity")
MEASURED: dict[tuple[str, int, int, int], tuple[float, ...]] = {
    ("identity", 1, 4, 8): (0.245, 0.164, 0.295, 0.178, 0.190),
    ("identity", 4, 4, 8): (0.421, 0.326, 0.289, 0.166, 0.192),
    ("identity", 16, 4, 8): (1.002, 0.946, 0.326, 0.173, 0.196),
    ("identity", 64, 4, 8): (2.077, 3.961, 0.407, 0.186, 0.218),
    ("identity", 256, 4, 8): (5.854, 14.81, 0.614, 0.267, 0.312),
    ("identity", 16, 32, 8): (1.440, 1.209, 0.984, 0.339, 0.482),
    ("identity", 64, 32, 8): (4.116, 5.218, 3.559, 0.970, 1.300),
    ("identity", 256, 32, 8): (12.93, 20.66, 15.22, 7.190, 9.322),
    ("identity", 64, 32, 400): (35.41, 28.26, 3.759, 18.20, 1.671),
    ("identity", 64, 100, 10): (26.76, 17.29, 64.15, 13.44, 39.93),
    ("identity", 64, 100, 100): (80.75, 56.54, 65.23, 40.19, 40.67),
    ("tanh", 1, 4, 8): (0.304, 0.185, 0.0, 0.166),
    ("tanh", 4, 4, 8): (0.692, 0.426, 0.0, 0.167),
    ("tanh", 16, 4, 8): (2.035, 1.349, 0.0, 0.172),
    ("tanh", 64, 4, 8): (4.118, 5.608, 0.0, 0.233),
    ("tanh", 64, 32, 100): (16.70, 15.14, 0.0, 6.567),
    ("tanh", 64, 32, 1000): (118.1, 123.2, 0.0, 59.16),
    ("gelu", 64, 32, 1000): (245.1, 314.8, 0.0, 82.20),
    ("tanh", 16, 256, 100): (137.1, 84.77, 0.0, 69.53),
}
"""Milliseconds of one core in which each went for (activation, R, d, m), on a machine of these rates."""

FACTOR = 1.7
"""What is taken is no slower than this times the best; measuring itself is off by a third."""


def choice(monkeypatch: pytest.MonkeyPatch, cell: tuple[str, int, int, int], *, library: bool) -> Arrangement:
    """What is taken for the cell."""
    kind, units, width, samples = cell
    f = activation(kind)
    network = Network(ResidualUnit(catalogue.n_shortcut(2, f, f, f)), units)
    weights = random_weights(network.unit, units, {"d": width}, ops(np))
    taken: list[Arrangement] = []

    def watched(works: Mapping[Arrangement, cost.Work], rates: MachineRates) -> Arrangement:
        taken.append(cost.fastest(works, rates))
        return taken[-1]

    monkeypatch.setattr(arrangement, "fastest", watched)
    monkeypatch.setattr(arrangement, "rates", lambda library: RATES)
    if not library:
        monkeypatch.setenv("RESPROOF_NATIVE", "0")
    _ = start("test", network, weights, weights, np.ones((width, samples)))
    return taken[-1]


@pytest.mark.parametrize("cell", MEASURED)
def test_without_a_library_the_fastest_of_numpy_is_nearly_taken(
    cell: tuple[str, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {name: ms for name, ms in zip((*NUMPY, *LIBRARY), MEASURED[cell], strict=False) if ms}
    taken = choice(monkeypatch, cell, library=False)
    assert times[taken] <= FACTOR * min(times[name] for name in NUMPY if name in times)


@pytest.mark.skipif(native_library.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("cell", MEASURED)
def test_the_fastest_is_nearly_taken(cell: tuple[str, int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    start_of_library = 1e3 * cost.COMPILED_START * RATES.call
    times = {
        name: ms + start_of_library * (name in LIBRARY)
        for name, ms in zip((*NUMPY, *LIBRARY), MEASURED[cell], strict=False)
        if ms
    }
    assert times[choice(monkeypatch, cell, library=True)] <= FACTOR * min(times.values())


@pytest.mark.parametrize("order", [0, 1])
def test_operations_are_those_of_the_products_that_are_made(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but what the first unit spares, whose input does not move."""
    case = make(catalogue.n_shortcut(2, *3 * [activation("tanh")], inner_width="k"), ops(np), units=40)
    count = 0

    def counted(a: Any, b: Any) -> Any:
        nonlocal count
        count += 2 * a.shape[-2] * a.shape[-1] * b.shape[-1]
        return a @ b

    monkeypatch.setattr(series, "_matmul", counted)
    monkeypatch.setattr(arrangement, "fastest", first_of("unit by unit"))
    if order:
        _ = hvp(case.network, case.weights, case.direction, case.x, case.y)
    else:
        _ = gradient(case.network, case.weights, case.x, case.y)
    read = program(case.network.unit, ops(np), {**case.sizes, "m": 5})
    predicted = by_units(unit_work(read), 40, order + 1).operations
    assert 0.95 * predicted <= count <= predicted


def test_where_there_is_no_library_the_next_best_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=200)
    monkeypatch.setattr(arrangement, "fastest", first_of("library on the identity", "library", "scan"))
    monkeypatch.setattr(arrangement, "native_library", lambda program: None)
    assert isinstance(start("test", case.network, case.weights, case.direction, case.x), Scan)
    assert not isinstance(
        start("test", case.network, case.weights, case.direction, case.x, scan=False), Native | NativeLinear
    )


# MachineRates.


def test_rates_are_measured_once_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cost.measured_once.cache_clear()
    first = cost.rates(ops(np))
    assert all(0 < rate < 1e-4 for rate in (first.operation, first.number, first.call))
    monkeypatch.setattr(cost, "measured", lambda: RATES)
    cost.measured_once.cache_clear()
    assert cost.rates(ops(np)) == first
    (kept,) = (tmp_path / "resproof").iterdir()
    for broken in ("{", "[1]", "[1, 2, null]", "\xff"):
        _ = kept.write_text(broken, encoding="latin-1")
        cost.measured_once.cache_clear()
        assert cost.rates(ops(np)) == RATES
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    cost.measured_once.cache_clear()
    assert cost.rates(ops(np)) == cost.CPU
    cost.measured_once.cache_clear()
