"""The compiled passes of networks of blocks equal NumPy's: gradients, trajectories, dead units, runs that diverge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.numeric.network import native_library
from resproof.numeric.training import compiled_blocks
from resproof.numeric.training.block_start import he_blocks
from resproof.numeric.training.blocks import EPSILON, BlockForm, Weights, forward, gradients
from resproof.numeric.training.compiled_blocks import CompiledBlocks
from resproof.numeric.training.momentum import Schedule, momentum_descent, slope
from tests.numeric.shorter_vectors import WITHOUT, use_shorter_vectors

COMPILER = native_library.compiler()
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")

NETS = [
    BlockForm(shortcut, activation, normalised, after)
    for shortcut in (False, True)
    for activation in ("relu", "linear")
    for normalised in (False, True)
    for after in (False, True)
]
SIZES = [(3, 4, 5, 9, 2), (1, 1, 1, 2, 1), (10, 32, 10, 25, 1), (20, 17, 33, 40, 2)]
"""Inputs, width, outputs, samples and paths, beside and beyond whole panels."""


@pytest.fixture(autouse=True)
def _whatever_it_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_blocks, "WORTH", 0)
    monkeypatch.delenv("RESPROOF_NATIVE", raising=False)


def instance(sizes: tuple[int, ...] = SIZES[0], runs: int = 2, blocks: int = 3) -> tuple[Weights, Any, Any]:
    inputs, width, outputs, samples, paths = sizes
    generator = np.random.default_rng(0)
    x, labels = generator.standard_normal((inputs, samples)), generator.integers(0, outputs, samples)
    return he_blocks(range(runs), blocks, inputs, width, outputs, paths=paths), x, np.eye(outputs)[:, labels]


def compiled(net: BlockForm, weights: Weights, samples: int) -> CompiledBlocks:
    found = compiled_blocks.compiled_blocks(net, weights, samples, 1)
    assert found is not None
    return found


def both(net: BlockForm, weights: Weights, x: Any, y: Any, kind: Any = "cross-entropy") -> tuple[Weights, Weights]:
    """The gradients by the library, and NumPy's."""
    with np.errstate(all="ignore"):
        passed = forward(net, weights, x)
        expected = gradients(net, weights, passed, slope(kind, passed.output, y))
        found = compiled(net, weights, x.shape[-1]).gradients(weights, x, y, partial(slope, kind))
    return found, expected


def assert_near(found: Weights, expected: Weights, unit: float = 1e-12) -> None:
    assert found.keys() == expected.keys()
    for name, theirs in expected.items():
        np.testing.assert_allclose(found[name], theirs, rtol=0, atol=unit * float(np.abs(theirs).max()), err_msg=name)


@pytest.mark.parametrize("kind", ["cross-entropy", "squared"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("net", NETS, ids=str)
def test_gradients_are_numpys(net: BlockForm, sizes: tuple[int, ...], kind: Any) -> None:
    # Two samples become almost 1 and -1: a layer passes back what is left of a cancellation, about EPSILON of it.
    cancelled = 1e-12 / EPSILON if sizes[3] == 2 else 1e-10
    assert_near(*both(net, *instance(sizes), kind), cancelled if net.normalised else 1e-12)


@pytest.mark.parametrize("left_out", [("stem",), ("head",), ("stem", "head")], ids=str)
@pytest.mark.parametrize("net", NETS, ids=str)
def test_without_stem_or_head(net: BlockForm, left_out: tuple[str, ...]) -> None:
    weights, x, y = instance((4, 4, 4, 9, 2))
    assert_near(*both(net, {name: one for name, one in weights.items() if name not in left_out}, x, y), 1e-11)


def test_every_run_on_samples_of_its_own() -> None:
    (weights, x, y), net = instance(), BlockForm(shortcut=True)
    other = np.random.default_rng(1).standard_normal(x.shape)
    assert_near(*both(net, weights, np.stack([x, other]), y), 1e-11)


@pytest.mark.parametrize("normalised", [False, True])
def test_units_that_are_dead(normalised: bool) -> None:
    """Their gradients are zero exactly: on the way out where a unit's own row is, on the way in where its column is."""
    weights, x, y = instance((10, 32, 10, 25, 1))
    weights["stem"] = np.abs(weights["stem"])
    weights["stem"][:, 3] *= -1
    net = BlockForm(shortcut=True, normalised=normalised)
    found, expected = both(net, weights, np.abs(x), y)
    assert not found["stem"][:, 3].any()
    assert not found["inner"][0, :, :, 3].any()
    assert_near(found, expected, 1e-11)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e200])
@pytest.mark.parametrize("place", ["stem", "inner", "outer", "head"])
@pytest.mark.parametrize("net", NETS, ids=str)
def test_what_is_not_finite_is_not_finite_either_way(net: BlockForm, place: str, value: float) -> None:
    weights, x, y = instance()
    weights[place][..., 1, 1, 1] = value
    found, expected = both(net, weights, x, y)
    for name, theirs in expected.items():
        np.testing.assert_array_equal(np.isfinite(found[name]), np.isfinite(theirs), err_msg=name)


def trained(net: BlockForm, how: Schedule, rates: list[float], sizes: tuple[int, ...] = (10, 32, 10, 50, 1)) -> Weights:
    weights, x, y = instance(sizes, len(rates))
    for _ in momentum_descent(net, weights, x, y, rates, range(len(rates)), how):
        pass
    return weights


def with_numpy(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Weights]) -> Weights:
    with monkeypatch.context() as patched:
        patched.setenv("RESPROOF_NATIVE", "0")
        return call()


def double(weights: Weights, found: Weights) -> None:
    for name in weights:
        found[name] += 0.1 * weights[name]


@pytest.mark.parametrize(
    "how",
    [
        Schedule(5, 50, momentum=0.0, decay=0.0, loss="squared"),
        Schedule(4, 16),
        Schedule(4, 16, falls=(2,), shape=double),
    ],
    ids=["plain", "momentum", "penalty"],
)
@pytest.mark.parametrize("net", NETS, ids=str)
def test_trajectories_are_numpys(net: BlockForm, how: Schedule, monkeypatch: pytest.MonkeyPatch) -> None:
    rate = 1e-2 if net.normalised else 1e-4

    def call() -> Weights:
        return trained(net, how, [rate, 0.1 * rate, rate])

    assert_near(call(), with_numpy(monkeypatch, call), 1e-9)


def test_a_run_is_what_it_is_alone_bit_for_bit_beside_one_that_diverges(monkeypatch: pytest.MonkeyPatch) -> None:
    net, how = BlockForm(shortcut=True), Schedule(3, 16)
    together, alone = trained(net, how, [0.01, 1e300]), trained(net, how, [0.01])
    theirs = with_numpy(monkeypatch, lambda: trained(net, how, [0.01, 1e300]))
    for name, weight in together.items():
        np.testing.assert_array_equal(weight[..., 0, :, :], alone[name][..., 0, :, :])
        np.testing.assert_array_equal(np.isfinite(weight), np.isfinite(theirs[name]))
    assert not np.isfinite(together["head"][1]).all()


@pytest.mark.parametrize("without", WITHOUT)
def test_with_shorter_vectors(without: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_shorter_vectors(without, compiled_blocks.SOURCE, monkeypatch, tmp_path)
    for net in NETS:
        assert_near(*both(net, *instance(SIZES[3])), 1e-10)


@pytest.mark.parametrize("why", ["switched off", "not worth it", "gaps in the weights", "another type"])
def test_numpy_does_the_work_otherwise(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, x, _ = instance()
    if why == "switched off":
        monkeypatch.setenv("RESPROOF_NATIVE", "0")
    if why == "not worth it":
        monkeypatch.setattr(compiled_blocks, "WORTH", 10**8)
    if why == "gaps in the weights":
        weights["inner"] = np.repeat(weights["inner"], 2, axis=0)[::2]
    if why == "another type":
        weights["inner"] = weights["inner"].astype(np.float32)
    assert compiled_blocks.compiled_blocks(BlockForm(shortcut=True), weights, x.shape[1], 1) is None
