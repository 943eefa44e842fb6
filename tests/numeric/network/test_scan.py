"""The scan over depth and the run in segments and portions: every derivative as unit by unit, within the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.numeric.backend import Ops, ops
from resproof.numeric.limits import OutOfMemoryError
from resproof.numeric.network import run, scan
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, start, value, vjp
from resproof.numeric.network.scan import Scan, over_depth
from resproof.numeric.network.taylor import loss_series
from tests.numeric.cases import Case, in_library, make
from tests.numeric.compare import assert_close, host


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
    monkeypatch.setattr(scan, "SHORTEST", 1)


def by_unit(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> Any:
    """The call with the scan refused."""
    with monkeypatch.context() as patched:
        patched.setattr(scan, "is_linear", lambda unit: False)
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
    assert isinstance(over_depth(start("test", net, w, v, x)), Scan)
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


def test_groups_of_chunks_and_portions_change_nothing(array_ops: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), array_ops, units=23)
    x, y = in_library(array_ops, case.x, case.y)
    arguments = (case.network, case.weights, case.direction, x, y)
    whole = hvp(*arguments)
    found = over_depth(start("test", *arguments[:4]))
    assert isinstance(found, Scan)
    assert_same(case, hvp(*arguments, memory=found.least), whole)
    monkeypatch.setattr(scan, "CACHE", 0)
    monkeypatch.setattr(scan, "GROUP", 0)
    assert_same(case, hvp(*arguments), whole)
    output = outputs(case.network, case.weights, x)
    assert_same(case, {"f": output}, {"f": jvp(case.network, case.weights, case.direction, x)[0]})


def test_the_scan_is_for_many_narrow_linear_units_and_one_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SHORTEST", 5)
    linear, bent = (catalogue.n_shortcut(2, inner_width="k"), catalogue.n_shortcut(2, tanh, tanh, tanh))
    for expression, units, batch, taken in (
        (linear, 5, None, True),
        (linear, 4, None, False),
        (linear, 5, 2, False),
        (bent, 5, None, False),
    ):
        case = make(expression, ops(np), units=units, batch=batch)
        run = start("test", case.network, case.weights, case.direction, case.x)
        assert (over_depth(run) is not None) == taken
        assert over_depth(run, 1000) is None
        monkeypatch.setattr(scan, "NARROW", 2)
        assert (over_depth(run) is not None) == taken  # five samples are more columns than the three of the identity
        few = start("test", case.network, case.weights, case.direction, case.x[:, :2])
        assert over_depth(few) is None


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
    memory = start("test", net, w, v, x).bytes_least
    for call, expected in zip(calls, whole, strict=True):
        assert_same(case, call(), expected)
    with pytest.raises(OutOfMemoryError, match=r"hvp: 1 samples through 3 units need .*; memory allows 7 bytes"):
        _ = hvp(net, w, v, x, y, memory=7)


def test_memory_decides_between_all_units_and_segments() -> None:
    case = make(catalogue.n_shortcut(2, tanh, tanh, tanh), ops(np), units=100)
    found = start("test", case.network, case.weights, case.direction, case.x)
    # Four operands of products and three slopes, two coefficients each, of three rows a sample less the weights.
    assert found.bytes_kept == 8 * 2 * 3 * 5 + 1
    assert found.segment(5, 2**20) == 100
    # A stream is a fifth of a unit's values, so that sqrt(100 / 5) units are kept at a time.
    assert found.segment(5, 1000) == 4
