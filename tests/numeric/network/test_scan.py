"""The scan over depth, portions of samples and segments of units equal the network unit by unit."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric import threads
from resproof.numeric.backend import Ops, ops
from resproof.numeric.limits import OutOfMemoryError
from resproof.numeric.network import arrangement, run, scan
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, start, value, vjp
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.run import UnitByUnit
from resproof.numeric.network.sample_tiles import Tiles
from resproof.numeric.network.scan import Scan
from resproof.numeric.network.scan_tree import ScanTree
from resproof.numeric.network.taylor import loss_series
from tests.numeric.cases import Case, first_of, in_library, make
from tests.numeric.compare import assert_close, assert_weights_equal, host


@pytest.fixture(autouse=True)
def _without_a_compiled_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESPROOF_NATIVE", "0")


def gated() -> Expression:
    h, a, w = Input("d"), Weight("d"), Weight("d", "d")
    return h + a * (tanh(w) @ h)


def with_constants() -> Expression:
    h, w = Input("d"), Weight("k", "d")
    return 2 * h + polynomial(0, 3)(w.T @ (w @ h))


def without_weights_on_the_way() -> Expression:
    h, w = Input("d"), Weight("d", "d")
    return h + h + w @ h


LINEAR: dict[str, Callable[[], Expression]] = {
    "1": lambda: catalogue.n_shortcut(1),
    "2, inner width": lambda: catalogue.n_shortcut(2, inner_width="k"),
    "3": lambda: catalogue.n_shortcut(3),
    "tied": lambda: catalogue.tied(polynomial(0, 2)),
    "gated": gated,
    "constants": with_constants,
    "bare": without_weights_on_the_way,
}


@pytest.fixture(autouse=True)
def _by_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrangement, "fastest", first_of("scan", "tiles"))


def by_unit(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> Any:
    """The call with the scan refused."""
    with monkeypatch.context() as patched:
        patched.setattr(arrangement, "is_linear", lambda unit: False)
        return call()


def assert_same(case: Case, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape
        assert_close(found[name], array, 4 * case.chain, 1.0 + float(np.linalg.norm(host(array))))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("units", [1, 2, 7, 9])
@pytest.mark.parametrize("name", LINEAR)
def test_every_derivative_by_the_scan(
    name: str, units: int, loss: str, array_ops: Ops, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make(LINEAR[name](), array_ops, units=units, loss=LOSSES[loss])
    x, y = in_library(array_ops, case.x, case.y)
    net, w, v = case.network, case.weights, case.direction
    assert isinstance(start("test", net, w, v, x), Scan | ScanTree)
    calls: list[Callable[[], Mapping[str, Any]]] = [
        lambda: {"value": host(value(net, w, x, y))},
        lambda: {"f": outputs(net, w, x)},
        lambda: dict(zip("fg", jvp(net, w, v, x), strict=True)),
        lambda: gradient(net, w, x, y),
        lambda: hvp(net, w, v, x, y),
        lambda: vjp(net, w, x, y)[0],
        lambda: {"X": vjp(net, w, x, y)[1]},
        lambda: {"t": host(loss_series(net, w, v, x, y, 4))},
    ]
    for call in calls:
        assert_same(case, call(), by_unit(monkeypatch, call))


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("batch", [1, 3])
def test_blocks_of_tangents_by_the_scan(name: str, batch: int, array_ops: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(LINEAR[name](), array_ops, units=5, batch=batch)
    x, y = in_library(array_ops, case.x, case.y)
    net, w, v = case.network, case.weights, case.direction
    for call in (lambda: hvp(net, w, v, x, y), lambda: dict(zip("fg", jvp(net, w, v, x), strict=True))):
        assert_same(case, call(), by_unit(monkeypatch, call))


@pytest.mark.parametrize("batch", [None, 2])
def test_groups_of_chunks_change_nothing(batch: int | None, array_ops: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), array_ops, units=23, batch=batch)
    x, y = in_library(array_ops, case.x, case.y)
    arguments = (case.network, case.weights, case.direction, x, y)
    whole = hvp(*arguments)
    found = start("test", *arguments[:4])
    assert isinstance(found, Scan | ScanTree)
    assert_same(case, hvp(*arguments, memory=found.least), whole)
    with pytest.raises(
        OutOfMemoryError, match=r"hvp: the scan over 23 units needs .* at a time; memory allows 1 bytes"
    ):
        _ = hvp(*arguments, memory=1)
    monkeypatch.setattr(scan, "CACHE", 0)
    monkeypatch.setattr(scan, "GRANTED", 0)
    assert_same(case, hvp(*arguments), whole)
    output = outputs(case.network, case.weights, x)
    assert_same(case, {"f": output}, {"f": jvp(case.network, case.weights, case.direction, x)[0]})


@pytest.mark.parametrize("batch", [None, 2])
def test_the_number_of_threads_changes_no_bit(batch: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=43, batch=batch)
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    found: list[Mapping[str, Any]] = []
    for count in (1, 2, 3):
        monkeypatch.setattr(scan, "cores", lambda ops, count=count: count)
        for cache in (0, scan.CACHE):
            with monkeypatch.context() as patched:
                patched.setattr(scan, "CACHE", cache)
                found.append(hvp(net, w, v, x, y))
    for other in found[1:]:
        assert_weights_equal(other, found[0])


@pytest.mark.parametrize("count", [1, 2, 8])
def test_what_threads_hold_at_a_time_is_counted(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    unit, sizes = ResidualUnit(catalogue.n_shortcut(2)), {"d": 10}
    network = Network(unit, 2_000)
    w, v = (random_weights(unit, 2_000, sizes, ops(np), seed, scale=0.01) for seed in (0, 1))
    x, y = np.random.default_rng(2).standard_normal((2, 10, 10))
    for module in (scan, threads):
        monkeypatch.setattr(module, "cores", lambda ops: count)
    monkeypatch.setattr(scan, "CACHE", 2**20)
    found = start("test", network, w, v, x)
    assert isinstance(found, Scan)
    for memory in (found.least, 2**22, 2**23, 2**24):
        tracemalloc.start()
        try:
            results = hvp(network, w, v, x, y, memory=memory)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak - sum(array.nbytes for array in results.values()) <= memory


def test_units_that_fill_no_chunk_cost_the_others_no_second_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=23)
    read: list[int] = []
    jacobians = Scan._jacobians  # pyright: ignore[reportPrivateUsage]

    def counted(self: Scan, group: scan.ChunkGroup) -> Any:
        read.append(group.chunks * group.length)
        return jacobians(self, group)

    monkeypatch.setattr(Scan, "_jacobians", counted)
    _ = hvp(case.network, case.weights, case.direction, case.x, case.y)
    assert read == [20, 3]


def test_the_scan_can_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=4)
    arguments = (case.network, case.weights, case.direction, case.x, case.y)
    expected = by_unit(monkeypatch, lambda: hvp(*arguments))
    for name, array in hvp(*arguments, by_unit=True).items():
        np.testing.assert_array_equal(array, expected[name])


BLOCKS: dict[str, Callable[[], Expression]] = {
    "tanh": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh),
    "transformer": catalogue.transformer,
}


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("name", BLOCKS)
def test_portions_of_samples_add_up(
    name: str, batch: int | None, array_ops: Ops, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make(BLOCKS[name](), array_ops, units=3, batch=batch)
    x, y = in_library(array_ops, case.x, case.y)
    net, w, v = case.network, case.weights, case.direction
    memory = 2**30
    calls = (
        lambda: hvp(net, w, v, x, y, memory=memory),
        lambda: gradient(net, w, x, y, memory=memory),
        lambda: vjp(net, w, x, y, memory=memory)[0],
        lambda: {"X": vjp(net, w, x, y, memory=memory)[1]},
    )
    whole = [call() for call in calls]
    monkeypatch.setattr(run, "PORTION", 1)
    for faster in ("is_taped", "is_fused"):
        monkeypatch.setattr(arrangement, faster, lambda program: False)
    found = start("test", net, w, v, x)
    assert isinstance(found, UnitByUnit)
    memory = found.bytes_least
    for call, expected in zip(calls, whole, strict=True):
        assert_same(case, call(), expected)
    with pytest.raises(OutOfMemoryError, match=r"hvp: 1 samples through 3 units need .*; memory allows 7 bytes"):
        _ = hvp(net, w, v, x, y, memory=7)


def test_memory_decides_between_all_units_and_segments() -> None:
    case = make(catalogue.n_shortcut(2, tanh, tanh, tanh), ops(np), units=100)
    found = start("test", case.network, case.weights, case.direction, case.x)
    assert isinstance(found, Tiles)
    found = found.by_unit
    # Four operands of products and three slopes, two coefficients each, of three rows a sample less the weights.
    assert found.bytes_kept == 8 * 2 * 3 * 5 + 1
    assert found.segment(5, 2**20) == 100
    # A stream is a fifth of a unit's values, so that sqrt(100 / 5) units are kept at a time.
    assert found.segment(5, 1000) == 4
