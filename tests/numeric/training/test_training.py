"""Training on JAX: against a plain loop in NumPy, finite differences and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from resproof.numeric.data import DataError
from resproof.numeric.training.covariances import Covariances, covariances
from resproof.numeric.training.descent import DIVERGED, Schedule, descend, momentum_descent
from resproof.numeric.training.networks import (
    EPSILON,
    Blocks,
    Linear,
    Weights,
    accuracy,
    gradients,
    hessians,
    losses,
    normalised,
    outputs,
)
from resproof.numeric.training.start import drawn, normal

_ = pytest.importorskip("jax", reason="the extra `experiments` is not installed")

INPUTS, WIDTH, OUTPUTS, SAMPLES = 3, 4, 5, 9
BLOCKS = [
    Blocks(shortcut, activation, normalised, after)
    for shortcut in (False, True)
    for activation in ("relu", "linear")
    for normalised in (False, True)
    for after in (False, True)
]


def data(seed: int = 0) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    return generator.standard_normal((INPUTS, SAMPLES)), np.eye(OUTPUTS)[:, generator.integers(0, OUTPUTS, SAMPLES)]


def weights(runs: int = 2, blocks: int = 3) -> Weights:
    sizes = {
        "stem": (0.7, (WIDTH, INPUTS)),
        "inner": (0.5, (blocks, 2 * WIDTH, WIDTH)),
        "outer": (0.5, (blocks, WIDTH, 2 * WIDTH)),
        "head": (0.3, (OUTPUTS, WIDTH)),
    }
    return normal(range(runs), sizes)


def of_run(every: Weights, run: int) -> Weights:
    return {name: weight[..., run, :, :] for name, weight in every.items()}


def plainly(net: Blocks, one: Weights, x: Any) -> Any:
    """The module's formulas, in NumPy."""

    def phi(a: Any) -> Any:
        return np.maximum(a, 0) if net.activation == "relu" else a

    def n(a: Any) -> Any:
        return (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + EPSILON) if net.normalised else a

    h = phi(one["stem"] @ x)
    for inner, outer in zip(one["inner"], one["outer"], strict=True):
        total = n(outer @ phi(n(inner @ h))) + net.shortcut * h
        h = phi(total) if net.after else total
    return one["head"] @ h


@pytest.mark.parametrize("net", BLOCKS, ids=str)
def test_blocks_are_those_of_the_formulas(net: Blocks) -> None:
    (x, _), every = data(), weights()
    for run, found in enumerate(outputs(net, every, x)):
        np.testing.assert_allclose(found, plainly(net, of_run(every, run), x), atol=1e-13)


def linear_output(depth: int, one: Weights, x: Any) -> Any:
    h, before = x, [x]
    for layer, w in enumerate(one["layers"], start=1):
        h = w @ h
        if depth and layer % depth == 0:
            h = h + before[layer - depth]
        before.append(h)
    return h


@pytest.mark.parametrize(("depth", "layers"), [(0, 3), (1, 2), (2, 4), (3, 3)])
def test_linear_networks_are_those_of_the_definition(depth: int, layers: int) -> None:
    x, every = np.random.default_rng(0).normal(size=(WIDTH, SAMPLES)), drawn("xavier", [0, 1], layers, WIDTH)
    for run, found in enumerate(outputs(Linear(depth), {"layers": every}, x)):
        np.testing.assert_allclose(found, linear_output(depth, {"layers": every[:, run]}, x), atol=1e-13)


@pytest.mark.parametrize("counted", [4, 9])
def test_the_first_samples_give_the_statistics(counted: int) -> None:
    a = np.random.default_rng(0).normal(2.0, 3.0, size=(2, 3, 3, SAMPLES))
    seen = a[..., :counted].reshape(2, -1)
    expected = (a.reshape(2, -1) - seen.mean(1)[:, None]) / np.sqrt(seen.var(1) + EPSILON)[:, None]
    np.testing.assert_allclose(normalised(a, counted), expected.reshape(a.shape), atol=1e-13)


@pytest.mark.parametrize("kind", ["cross-entropy", "squared"])
def test_gradients_are_differences_of_losses(kind: Any) -> None:
    net, every, (x, y) = Blocks(shortcut=True), weights(), data()
    values, found = gradients(net, kind, every, x, y)
    np.testing.assert_allclose(values, losses(kind, outputs(net, every, x), y), rtol=1e-13)
    step, draw = 1e-6, np.random.default_rng(1)
    along = {name: draw.normal(size=one.shape) for name, one in every.items()}
    ends = [{name: one + sign * step * along[name] for name, one in every.items()} for sign in (1, -1)]
    difference = np.subtract(*(losses(kind, outputs(net, end, x), y) for end in ends)) / (2 * step)
    expected = sum(np.moveaxis(found[name] * along[name], -3, 0).reshape(2, -1).sum(1) for name in every)
    np.testing.assert_allclose(expected, difference, rtol=1e-6)


def test_losses_and_accuracy() -> None:
    f, y = np.log([[[0.5, 0.2], [0.5, 0.8]]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(losses("cross-entropy", f + 7.0, y), [-(np.log(0.5) + np.log(0.2)) / 2])
    np.testing.assert_allclose(losses("squared", f * 0 + 2.0, y), [(4 + 1 + 1 + 4) / 4])
    assert accuracy(np.array([[[0.0, 3.0], [1.0, 2.0]], [[0.0, 3.0], [1.0, np.nan]]]), y).tolist() == [1.0, 0.5]


@pytest.mark.parametrize("shortcut", [False, True])
def test_hessians_are_differences_of_gradients(shortcut: bool) -> None:
    net, generator = Blocks(shortcut, normalised=False, after=False), np.random.default_rng(3)
    x, y = generator.standard_normal((2, WIDTH, SAMPLES))
    every = {name: weights()[name] for name in ("inner", "outer")}
    found, step = hessians(net, "squared", every, x, y), 1e-6
    along = {name: generator.normal(size=one.shape) for name, one in every.items()}
    ends = [{name: one + sign * step * along[name] for name, one in every.items()} for sign in (1, -1)]
    above, below = (gradients(net, "squared", end, x, y)[1] for end in ends)
    for run in range(2):
        v, up, down = (
            np.concatenate([one.ravel() for one in of_run(each, run).values()]) for each in (along, above, below)
        )
        np.testing.assert_allclose(found[run] @ v, (up - down) / (2 * step), atol=1e-6 * np.abs(found[run]).max())
        np.testing.assert_allclose(found[run], found[run].T, atol=1e-12)


# Descent.


def test_a_trajectory_is_that_of_a_plain_loop() -> None:
    """Linear regression by the head of blocks that are zero: momentum, decay, batches, falling rates."""
    x, y = np.random.default_rng(0).standard_normal((2, WIDTH, 10))
    zero = np.zeros((1, 1, WIDTH, WIDTH))
    every = {"inner": zero, "outer": zero, "head": np.random.default_rng(1).standard_normal((1, WIDTH, WIDTH))}
    how = Schedule(4, 3, momentum=0.9, decay=0.01, loss="squared", falls=(2,))
    found = dict(momentum_descent(Blocks(True, "linear", normalised=False), every, x, y, [0.1], [7], how))
    w, v, rate, generator = every["head"][0], 0.0, 0.1, np.random.default_rng([7, 1])
    for epoch in range(1, 5):
        order = generator.permutation(10)
        for batch in (order[:3], order[3:6], order[6:9]):
            v = 0.9 * v + (w @ x[:, batch] - y[:, batch]) @ x[:, batch].T / 3 + 0.01 * w
            w = w - rate * v
        np.testing.assert_allclose(found[epoch]["head"][0], w, atol=1e-13)
        assert not found[epoch]["inner"].any()
        rate = rate / 10 if epoch == 2 else rate


def test_a_run_does_not_depend_on_those_beside_it() -> None:
    net, how, (x, y) = Blocks(shortcut=True), Schedule(4, 3), data()

    def descended(every: Weights, rates: list[float], seeds: list[int]) -> Weights:
        ((epoch, last),) = momentum_descent(net, every, x, y, rates, seeds, how, [4])
        assert epoch == 4
        return last

    every = weights(3)
    together = descended(every, [0.1, 1e300, 0.01], [3, 5, 3])
    for run, rate in {0: 0.1, 2: 0.01}.items():
        alone = descended({name: one[..., run : run + 1, :, :] for name, one in every.items()}, [rate], [3])
        for name, weight in alone.items():
            np.testing.assert_array_equal(together[name][..., run, :, :], weight[..., 0, :, :])
    assert not np.isfinite(together["head"][1]).all()


@pytest.mark.parametrize("depth", [0, 2])
def test_linear_networks_descend_on_the_covariances(depth: int) -> None:
    x, y = np.random.default_rng(0).standard_normal((2, WIDTH, SAMPLES))
    given, at, rates = covariances(x, y), drawn("xavier", [0, 1, 2, 3], 4, WIDTH), [0.01, 0.03, 1e9, 1e5]
    excess, along = descend(at, depth, given, rates, 6, record=(0, 2))
    assert excess.shape == (3, 4)
    assert np.isnan(excess[1:, 2:]).all()
    for run in range(2):
        now = {"layers": at[:, run : run + 1]}
        for epoch in range(7):
            value, slope = gradients(Linear(depth), "squared", now, x, y)
            if epoch in (0, 2, 6):
                row = (0, 2, 6).index(epoch)
                np.testing.assert_allclose(excess[row, run] + given.least, value[0], rtol=1e-12)
                np.testing.assert_allclose(along[row][:, run], now["layers"][:, 0], atol=1e-13)
            now = {"layers": now["layers"] - rates[run] * slope["layers"]}


def test_a_run_that_passes_its_limit_has_diverged_for_good() -> None:
    """One layer, one sample: each step multiplies the gap by 1 - eta, to beyond the limit in the fourth."""
    given = covariances(np.eye(1), np.zeros((1, 1)))
    excess, along = descend(np.ones((1, 1, 1, 1)), 0, given, [10.0], 6, record=range(7))
    assert 9.0**6 <= DIVERGED < 9.0**8
    np.testing.assert_allclose(excess[:4, 0], 0.5 * 81.0 ** np.arange(4))
    assert np.isnan(excess[4:]).all()
    assert np.isnan(along[5:]).all()


@pytest.mark.parametrize(
    ("rates", "batch", "message"),
    [([0.1, 0.1], 3, "2 rates"), ([0.1], 100, "batches of 100"), ([-1.0], 3, "a positive rate")],
)
def test_what_does_not_fit_is_refused(rates: Any, batch: int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _ = list(momentum_descent(Blocks(True), weights(1), *data(), rates, [0], Schedule(1, batch)))


# Covariances and starts.


def test_the_solution_is_least_squares_and_columns_have_the_excess() -> None:
    x, y = np.random.default_rng(3).standard_normal((2, WIDTH, SAMPLES))
    given: Covariances = covariances(x, y)
    expected, residual, *_ = np.linalg.lstsq(x.T, y.T, rcond=None)
    np.testing.assert_allclose(given.solution, expected.T, atol=1e-12)
    np.testing.assert_allclose(given.least, residual.sum() / (2 * SAMPLES))
    x[2] = x[0] + x[1]  # a direction that the data leave out
    given = covariances(x, y)
    at, (columns, targets) = np.random.default_rng(1).standard_normal((WIDTH, WIDTH)), given.columns()
    np.testing.assert_allclose(columns @ columns.T / WIDTH, x @ x.T / SAMPLES, atol=1e-12)
    np.testing.assert_allclose(targets @ columns.T / WIDTH, y @ x.T / SAMPLES, atol=1e-12)
    excess = losses("squared", at @ columns, targets)
    np.testing.assert_allclose(excess + given.least, losses("squared", at @ x, y), rtol=1e-10)
    with pytest.raises(DataError, match="both the same"):
        _ = covariances(np.ones((3, 2)), np.ones((3, 4)))


def test_starts() -> None:
    given = drawn("orthogonal", (3, 4), 5, WIDTH)
    np.testing.assert_allclose(given @ given.mT, np.broadcast_to(np.eye(WIDTH), given.shape), atol=1e-14)
    np.testing.assert_array_equal(given[:, 1], drawn("orthogonal", [4], 5, WIDTH)[:, 0])
    large = drawn("xavier", [0], 50, 40)
    np.testing.assert_allclose(np.var(large), 1 / 40, rtol=0.02)
    np.testing.assert_array_equal(drawn("near zero", [0], 50, 40), 0.01 * large)
    found = normal([0, 1], {"a": (0.3, (20, 30, 40)), "b": (2.0, (50, 60))})
    assert found["a"].shape == (20, 2, 30, 40)
    np.testing.assert_allclose([np.var(found["a"]), np.var(found["b"])], [0.3, 2.0], rtol=0.05)
    np.testing.assert_array_equal(normal([1], {"a": (0.3, (20, 30, 40))})["a"][:, 0], found["a"][:, 1])
