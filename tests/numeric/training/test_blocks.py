"""Networks of blocks: gradients against jax and the array side's, runs that do not depend on others, conditions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import array_api_strict
import numpy as np
import pytest

from resproof.architectures.activations import relu
from resproof.architectures.algebra import layer_norm
from resproof.architectures.losses import cross_entropy
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import DataError
from resproof.numeric.network.adjoint import gradient
from resproof.numeric.training import momentum
from resproof.numeric.training.block_hessian import block_hessian
from resproof.numeric.training.block_start import he_blocks
from resproof.numeric.training.blocks import EPSILON, BlockForm, Weights, forward, gradients
from resproof.numeric.training.conditions import conditions
from resproof.numeric.training.momentum import Schedule, accuracy, losses, momentum_descent, slope

jax = pytest.importorskip("jax", reason="the extra `peers` is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

INPUTS, WIDTH, OUTPUTS, SAMPLES, BLOCKS = 3, 4, 5, 9, 3
NETS = [
    BlockForm(shortcut, activation, normalised, after)
    for shortcut in (False, True)
    for activation in ("relu", "linear")
    for normalised in (False, True)
    for after in (False, True)
]


def data(seed: int = 0) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    return generator.standard_normal((INPUTS, SAMPLES)), np.eye(OUTPUTS)[:, generator.integers(0, OUTPUTS, SAMPLES)]


def weights(runs: int = 2, paths: int = 2) -> Weights:
    return he_blocks(range(runs), BLOCKS, INPUTS, WIDTH, OUTPUTS, paths=paths)


def of_run(every: Weights, run: int) -> Weights:
    return {name: weight[..., run, :, :] for name, weight in every.items()}


def loss(one: Any, net: BlockForm, kind: str, x: Any, y: Any) -> Any:
    """Of one run, as the module's formulas have it."""

    def activated(a: Any) -> Any:
        return jax.nn.relu(a) if net.activation == "relu" else a

    def normal(a: Any) -> Any:
        centred = a - jnp.mean(a, axis=1, keepdims=True)
        return centred / jnp.sqrt(jnp.var(a, axis=1, keepdims=True) + EPSILON) if net.normalised else a

    h = activated(one["stem"] @ x)
    for inner, outer in zip(one["inner"], one["outer"], strict=True):
        branch = normal(outer @ activated(normal(inner @ h)))
        h = branch + h if net.shortcut else branch
        h = activated(h) if net.after else h
    f = one["head"] @ h
    each = (
        -jnp.sum(y * jax.nn.log_softmax(f, axis=0), axis=0) if kind == "cross-entropy" else jnp.sum((f - y) ** 2, 0) / 2
    )
    return jnp.mean(each)


@pytest.mark.parametrize("kind", ["cross-entropy", "squared"])
@pytest.mark.parametrize("net", NETS, ids=str)
def test_gradients_are_those_of_jax(net: BlockForm, kind: Any) -> None:
    (x, y), every = data(), weights()
    passed = forward(net, every, x)
    found = gradients(net, every, passed, slope(kind, passed.output, y))
    for run in range(2):
        one = {name: jnp.asarray(weight) for name, weight in of_run(every, run).items()}
        value, expected = jax.value_and_grad(loss)(one, net, kind, x, y)
        np.testing.assert_allclose(losses(kind, passed.output, y)[run], value, rtol=1e-12)
        for name, mine in of_run(found, run).items():
            np.testing.assert_allclose(
                mine, expected[name], atol=1e-10 * float(np.max(np.abs(expected[name]))), err_msg=name
            )


@pytest.mark.parametrize("shortcut", [False, True])
@pytest.mark.parametrize("normalised", [False, True])
def test_gradients_are_those_of_the_array_side(shortcut: bool, normalised: bool) -> None:
    """Batch normalisation is layer normalisation over the columns of one sample, whose columns are the batch."""
    (x, y), every = data(), {**weights(runs=1)}
    x = np.random.default_rng(1).standard_normal((WIDTH, SAMPLES))
    y = np.eye(WIDTH)[:, np.arange(SAMPLES) % WIDTH]
    every = {name: every[name] for name in ("inner", "outer")}
    net = BlockForm(shortcut, normalised=normalised)
    h, inner, outer = Input("d"), Weight("k", "d"), Weight("d", "k")

    def normal(a: Any) -> Any:
        return layer_norm(a, axis=1, epsilon=Fraction(EPSILON)) if normalised else a

    branch = normal(outer @ relu(normal(inner @ h)))
    unit = ResidualUnit(relu(branch + h) if shortcut else relu(branch))
    network = Network(unit, BLOCKS, cross_entropy)
    named = {name: every[{"W1": "inner", "W2": "outer"}[name]][:, 0] for name in unit.names.values()}
    mixed = (x[None], y[None]) if normalised else (x, y)
    expected = gradient(network, named, *mixed)
    passed = forward(net, every, x)
    found = gradients(net, every, passed, slope("cross-entropy", passed.output, y) * (SAMPLES if normalised else 1))
    for name, theirs in expected.items():
        np.testing.assert_allclose(found[{"W1": "inner", "W2": "outer"}[name]][:, 0], theirs, atol=1e-12)


def test_on_the_strictest_reading_of_the_standard() -> None:
    (x, y), every, net = data(), weights(), BlockForm(True)
    strict = {name: array_api_strict.asarray(weight) for name, weight in every.items()}
    given = array_api_strict.asarray(x), array_api_strict.asarray(y)
    passed, theirs = forward(net, every, x), forward(net, strict, given[0])
    found = gradients(net, strict, theirs, slope("cross-entropy", theirs.output, given[1]))
    expected = gradients(net, every, passed, slope("cross-entropy", passed.output, y))
    for name, each in expected.items():
        np.testing.assert_allclose(np.asarray(found[name]), each, atol=1e-12)
    np.testing.assert_allclose(np.asarray(accuracy(theirs.output, given[1])), accuracy(passed.output, y))


def test_the_first_samples_give_the_statistics() -> None:
    (x, _), every, net = data(), weights(), BlockForm(True)
    together = forward(net, every, x, 6).output
    np.testing.assert_allclose(together[..., :6], forward(net, every, x[:, :6]).output, atol=1e-12)
    other = x.copy()
    other[:, 7] += 1.0
    np.testing.assert_array_equal(forward(net, every, other, 6).output[..., 8], together[..., 8])


def descended(seeds: list[int], rates: list[float], how: Schedule) -> Weights:
    *_, (_, last) = momentum_descent(
        BlockForm(True), he_blocks(seeds, BLOCKS, INPUTS, WIDTH, OUTPUTS), *data(), rates, seeds, how
    )
    return last


def test_a_step_by_hand() -> None:
    (x, y), net = data(), BlockForm(True)
    every = he_blocks([0], BLOCKS, INPUTS, WIDTH, OUTPUTS)
    velocity = {name: np.zeros_like(weight) for name, weight in every.items()}
    for _ in range(3):
        passed = forward(net, every, x)
        found = gradients(net, every, passed, slope("cross-entropy", passed.output, y))
        velocity = {name: 0.9 * velocity[name] + found[name] + 1e-4 * every[name] for name in every}
        every = {name: every[name] - 0.1 * velocity[name] for name in every}
    for name, weight in descended([0], [0.1], Schedule(3, SAMPLES)).items():
        np.testing.assert_allclose(weight, every[name], atol=1e-13)


def test_a_run_does_not_depend_on_those_beside_it() -> None:
    how = Schedule(4, 3)
    together = descended([3, 5, 3], [0.1, 1e300, 0.01], how)
    for run, (seed, rate) in {0: (3, 0.1), 2: (3, 0.01)}.items():
        alone = descended([seed], [rate], how)
        for name, weight in alone.items():
            np.testing.assert_allclose(together[name][..., run, :, :], weight[..., 0, :, :], atol=1e-13)
    assert not np.isfinite(together["head"][1]).all()


@pytest.mark.parametrize("together", [1, 2])
def test_portions_of_the_runs_are_all_of_them(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (x, y), net, runs = data(), BlockForm(shortcut=True), 3
    how = Schedule(2, SAMPLES // 2)

    def trained() -> Weights:
        *_, (_, last) = momentum_descent(net, weights(runs=runs), x, y, [0.1, 0.01, 0.1], [0, 1, 2], how)
        return last

    expected = trained()
    monkeypatch.setattr(momentum, "MEMORY", together * momentum._bytes(net, weights(runs=runs), SAMPLES // 2))
    for name, found in trained().items():
        np.testing.assert_array_equal(found, expected[name])


def test_what_is_not_kept_is_not_needed_for_the_output() -> None:
    (x, _), net, every = data(), BlockForm(shortcut=True), weights()
    passed = forward(net, every, x, 4, keep=False)
    np.testing.assert_array_equal(passed.output, forward(net, every, x, 4).output)
    assert not passed.layers


def test_a_batch_is_of_every_sample_once() -> None:
    """Linear regression by one layer of blocks that are zero: an epoch of steps of size eta sums all gradients."""
    x, y = np.eye(4), np.eye(4)
    every = {"inner": np.zeros((1, 1, 4, 4)), "outer": np.zeros((1, 1, 4, 4)), "head": np.zeros((1, 4, 4))}
    net = BlockForm(True, "linear", normalised=False)
    how = Schedule(1, 2, momentum=0.0, decay=0.0, loss="squared")
    *_, (_, last) = momentum_descent(net, every, x, y, [0.1], [0], how)
    np.testing.assert_allclose(last["head"][0], 0.05 * np.eye(4), atol=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rates": [0.1, 0.1]}, "2 rates"),
        ({"how": Schedule(1, 100)}, "batches of 100"),
        ({"x": np.zeros((2, SAMPLES))}, r"stem has shape \(1, 4, 3\); expected \(1, 4, 2\)"),
        ({"weights": {**weights(1), "outer": np.zeros((BLOCKS, 1, WIDTH, 3))}}, "outer has shape"),
        ({"weights": {**weights(1), "head": np.zeros((1, 5, 3))}}, r"expected \(1, outputs, 4\)"),
        ({"weights": {"inner": np.zeros((1, 1, 4, 4)), "outer": np.zeros((1, 1, 4, 4))}}, "expected a stem"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    x, y = data()
    given: dict[str, Any] = {
        "weights": weights(1),
        "x": x,
        "y": y,
        "rates": [0.1],
        "seeds": [0],
        "how": Schedule(1, 3),
        **change,
    }
    with pytest.raises(DataError, match=message):
        _ = list(momentum_descent(BlockForm(True), **given))


def test_he_weights_have_their_variance() -> None:
    found = he_blocks([0, 1], 20, 30, 30, 10, paths=2)
    assert found["inner"].shape == (20, 2, 60, 30)
    for name, variance in {"stem": 2 / 30, "inner": 2 / 30, "outer": 2 / 30, "head": 1 / 30}.items():
        np.testing.assert_allclose(np.var(found[name]), variance, rtol=0.15)
    np.testing.assert_array_equal(he_blocks([1], 20, 30, 30, 10, paths=2)["head"][0], found["head"][1])


def test_dead_units_and_near_singularity_are_told_apart() -> None:
    generator = np.random.default_rng(0)
    q, _ = np.linalg.qr(generator.standard_normal((6, 4)))
    whole = (q * [8.0, 4.0, 2.0, 1.0]).T
    dead, near = whole.copy(), whole.copy()
    dead[0] = 0
    near[3] = near[2] * (1 + 1e-17)
    found = conditions(np.stack([whole, dead, near, np.full((4, 6), np.nan)]))
    np.testing.assert_allclose(found.kappa[0], 8)
    np.testing.assert_allclose(found.alive[1], 4)
    np.testing.assert_array_equal(found.rank, [4, 3, 3, np.nan])
    np.testing.assert_array_equal(found.dead, [0, 1, 0, np.nan])
    assert np.isinf(found.kappa[1])
    assert found.kappa[2] > 1e15
    nothing = conditions(np.zeros((3, 5)))
    assert (nothing.kappa, nothing.rank, nothing.dead) == (np.inf, 0, 3)


@pytest.mark.parametrize("shortcut", [False, True])
@pytest.mark.parametrize("activation", ["relu", "linear"])
def test_hessians_are_those_of_jax(shortcut: bool, activation: Any) -> None:
    net, generator = BlockForm(shortcut, activation, normalised=False, after=False), np.random.default_rng(3)
    x, y = generator.standard_normal((2, WIDTH, SAMPLES))
    every = {
        "inner": generator.standard_normal((BLOCKS, 1, WIDTH + 1, WIDTH)),
        "outer": generator.standard_normal((BLOCKS, 1, WIDTH, WIDTH + 1)),
    }
    layers = [every[name][block, 0] for block in range(BLOCKS) for name in ("inner", "outer")]
    ends = np.cumsum([layer.size for layer in layers])[:-1]

    def value(flat: Any) -> Any:
        parts = [part.reshape(layer.shape) for part, layer in zip(jnp.split(flat, ends), layers, strict=True)]
        h = x
        for inner, outer in zip(parts[::2], parts[1::2], strict=True):
            a = inner @ h
            h = h * shortcut + outer @ (jax.nn.relu(a) if activation == "relu" else a)
        return jnp.sum((h - y) ** 2) / (2 * SAMPLES)

    expected = np.tril(jax.hessian(value)(jnp.concatenate([layer.ravel() for layer in layers])))
    found = np.tril(block_hessian(net, every, x, y))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())


def test_hessians_of_other_networks_are_refused() -> None:
    (x, y), every = data(), weights(runs=1)
    with pytest.raises(DataError, match="block_hessian: expected one run"):
        block_hessian(BlockForm(shortcut=True), every, x, y)
