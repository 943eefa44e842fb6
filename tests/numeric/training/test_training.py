"""Linear networks trained on covariances: against differentiation of the loss on the samples, and runs by hand."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest

from resproof.numeric.data import DataError
from resproof.numeric.training.covariances import Covariances, covariances
from resproof.numeric.training.descent import descend
from resproof.numeric.training.hessian import hessian, moduli, moduli_of
from resproof.numeric.training.networks import Group, gradients, maps
from resproof.numeric.training.start import drawn, near_zero, orthogonal, xavier

jax = pytest.importorskip("jax", reason="the extra `peers` is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

WIDTH, SAMPLES = 3, 7
NETWORKS = [(0, 1), (0, 4), (1, 1), (1, 4), (2, 2), (2, 6), (3, 3), (3, 6), (4, 4)]
"""Shortcut depth and number of layers."""


def data(seed: int = 0, width: int = WIDTH) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed).standard_normal
    return draw((width, SAMPLES)), draw((width, SAMPLES))


def weights(layers: int, runs: int = 1, seed: int = 0) -> Any:
    return 0.5 * np.random.default_rng(seed).standard_normal((layers, runs, WIDTH, WIDTH))


def loss(layers: Any, depth: int, x: Any, y: Any) -> Any:
    """On the samples, unit by unit, as Definition 1 has it."""
    state = x
    for first in range(0, len(layers), depth or len(layers)):
        branch = state
        for layer in layers[first : first + (depth or len(layers))]:
            branch = layer @ branch
        state = branch + state if depth else branch
    return jnp.sum((state - y) ** 2) / (2 * x.shape[1])


@pytest.mark.parametrize(("depth", "layers"), NETWORKS)
def test_gradients_and_losses_are_those_of_the_samples(depth: int, layers: int) -> None:
    x, y = data()
    given, at = covariances(x, y), weights(layers, runs=2)
    found = gradients(at, (Group(depth, 2),), given)
    slopes = jax.jit(jax.value_and_grad(loss), static_argnums=1)
    for run in range(2):
        value, expected = slopes(jnp.asarray(at[:, run]), depth, x, y)
        np.testing.assert_allclose(found[:, run], expected, atol=1e-12)
        excess = given.excess(maps(at, (Group(depth, 2),)))[run]
        np.testing.assert_allclose(excess + given.least, value, rtol=1e-12)


@pytest.mark.parametrize(("depth", "layers"), [(0, 3), (1, 2), (2, 4), (3, 3)])
def test_hessians_are_those_of_the_samples(depth: int, layers: int) -> None:
    x, y = data(1)
    at = weights(layers)[:, 0]
    expected = jax.jit(jax.hessian(loss), static_argnums=1)(jnp.asarray(at), depth, x, y)
    found = hessian(at, depth, covariances(x, y))
    by_columns = np.reshape(np.transpose(expected, (0, 2, 1, 3, 5, 4)), found.shape)
    np.testing.assert_allclose(found, by_columns, atol=1e-11)


def test_groups_with_different_shortcuts_are_what_each_is_alone() -> None:
    groups = (Group(0, 2), Group(2, 1), Group(3, 2), Group(1, 1))
    at, given = weights(6, runs=6), covariances(*data())
    together, first = gradients(at, groups, given), 0
    for group in groups:
        mine = at[:, first : first + group.runs]
        np.testing.assert_allclose(
            together[:, first : first + group.runs], gradients(mine, (group,), given), atol=1e-14
        )
        first += group.runs


@pytest.mark.parametrize(("depth", "layers"), NETWORKS)
def test_on_another_library(depth: int, layers: int) -> None:
    x, y = data()
    strict, plain = covariances(*map(array_api_strict.asarray, (x, y))), covariances(x, y)
    at, groups = weights(layers, runs=3), (Group(depth, 3),)
    there = array_api_strict.asarray(at)
    np.testing.assert_allclose(np.asarray(gradients(there, groups, strict)), gradients(at, groups, plain), atol=1e-12)
    one = there[:, 0, ...]
    np.testing.assert_allclose(np.asarray(hessian(one, depth, strict)), hessian(at[:, 0], depth, plain), atol=1e-11)
    ours, theirs = (descend(w, groups, c, (0.1, 1e9, 0.01), 5, (0, 2)) for w, c in ((at, plain), (there, strict)))
    np.testing.assert_allclose(theirs.excess, ours.excess, rtol=1e-10)
    np.testing.assert_array_equal(theirs.diverged, ours.diverged)


# The covariances.


def test_the_solution_is_least_squares_and_the_excess_is_the_loss_above_it() -> None:
    x, y = data(2)
    given = covariances(x, y)
    expected, residual, *_ = np.linalg.lstsq(x.T, y.T, rcond=None)
    np.testing.assert_allclose(given.solution, expected.T, atol=1e-12)
    np.testing.assert_allclose(given.least, residual.sum() / (2 * SAMPLES))
    np.testing.assert_allclose(given.excess(np.zeros((WIDTH, WIDTH))), given.loss_of_zero - given.least)


def test_directions_that_the_data_leave_out() -> None:
    x, y = data(3)
    x[2] = x[0] + x[1]
    given = covariances(x, y)
    at = np.random.default_rng(1).standard_normal((WIDTH, WIDTH))
    value = np.sum((at @ x - y) ** 2) / (2 * SAMPLES)
    np.testing.assert_allclose(given.excess(at) + given.least, value, rtol=1e-10)
    assert given.excess(given.solution) < 1e-25
    samples, targets = given.columns()
    np.testing.assert_allclose(samples @ samples.T / WIDTH, given.inputs, atol=1e-12)
    np.testing.assert_allclose(targets @ samples.T / WIDTH, given.targets, atol=1e-12)


# Descent.


def by_hand(at: Any, depth: int, given: Covariances, rate: float, epochs: int) -> Any:
    for _ in range(epochs):
        at = at - rate * gradients(at, (Group(depth, 1),), given)
    return at


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_descent_takes_the_steps_of_every_run(depth: int) -> None:
    given, at, rates = covariances(*data()), weights(6, runs=3), (0.01, 0.03, 0.002)
    found = descend(at, (Group(depth, 3),), given, rates, 20, record=(0, 7), snapshots=(7,))
    assert found.epochs == (0, 7, 20)
    there = at
    for run, rate in enumerate(rates):
        for row, epoch in enumerate(found.epochs):
            there = by_hand(at[:, run : run + 1], depth, given, rate, epoch)
            slope = gradients(there, (Group(depth, 1),), given)
            np.testing.assert_allclose(found.excess[row, run], given.excess(maps(there, (Group(depth, 1),)))[0])
            np.testing.assert_allclose(found.norms[row, run], np.linalg.norm(there[:, 0], axis=(1, 2)).mean())
            np.testing.assert_allclose(found.slopes[row, run], np.linalg.norm(slope))
            if epoch == 7:
                np.testing.assert_allclose(found.snapshots[7][:, run], there[:, 0], atol=1e-13)
        np.testing.assert_allclose(found.weights[:, run], there[:, 0], atol=1e-13)


def test_a_run_that_diverges_is_recorded_and_the_others_do_not_notice() -> None:
    given, at = covariances(*data()), weights(4, runs=4)
    groups = (Group(0, 2), Group(2, 2))
    found = descend(at, groups, given, (1e9, 0.01, 0.02, 1e5), 30, record=range(31))
    assert found.diverged.tolist() == [1, -1, -1, 1]
    assert np.isnan(found.excess[1:, [0, 3]]).all()
    assert np.isfinite(found.excess[:, [1, 2]]).all()
    alone = descend(at[:, 1:3], (Group(0, 1), Group(2, 1)), given, (0.01, 0.02), 30, record=range(31))
    np.testing.assert_allclose(found.excess[:, 1:3], alone.excess, rtol=1e-12)
    np.testing.assert_allclose(found.weights[:, 1:3], alone.weights, rtol=1e-12)


def test_all_runs_may_diverge() -> None:
    found = descend(weights(4, runs=2), (Group(0, 2),), covariances(*data()), (1e9, 1e9), 10)
    assert found.diverged.tolist() == [1, 1]
    assert np.isnan(found.excess).all()


# Spectra and starts.


def test_at_zero_the_spectrum_is_that_of_theorem_2() -> None:
    given = covariances(*data())
    sigma = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
    found = moduli(np.zeros((6, WIDTH, WIDTH)), 2, given)
    np.testing.assert_allclose(found.greatest, sigma[0])
    np.testing.assert_allclose(found.condition, sigma[0] / sigma[-1])
    assert found.negative == 0.5


@pytest.mark.parametrize(("values", "tenth"), [(range(1, 11), 1), (range(1, 12), 2), ([-3, 2], 2), ([0, 5], 0)])
def test_the_tenth_percentile_is_an_eigenvalues(values: Any, tenth: float) -> None:
    assert moduli_of([float(value) for value in values]).tenth == tenth


def test_starts() -> None:
    given = drawn("orthogonal", (3, 4), 5, WIDTH)
    np.testing.assert_allclose(given @ given.mT, np.broadcast_to(np.eye(WIDTH), given.shape), atol=1e-14)
    np.testing.assert_array_equal(given[:, 1], orthogonal(np.random.default_rng(4), 5, WIDTH))
    large = xavier(np.random.default_rng(0), 50, 40)
    np.testing.assert_allclose(np.var(large), 1 / 40, rtol=0.02)
    np.testing.assert_array_equal(near_zero(np.random.default_rng(0), 50, 40), 0.01 * large)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: gradients(np.zeros((4, 2, 3)), (Group(0, 2),), c), r"shape \(4, 2, 3\)"),
        (lambda c: gradients(weights(4, 2), (Group(0, 1),), c), "1 runs, the weights 2"),
        (lambda c: gradients(weights(4), (Group(3, 1),), c), "over 3 layers in a network of 4"),
        (lambda c: gradients(np.full((1, 1, 3, 3), np.nan), (Group(0, 1),), c), "not finite"),
        (lambda c: descend(weights(4), (Group(0, 1),), c, (0.1, 0.1), 1), "2 rates for 1 runs"),
        (lambda c: descend(weights(4), (Group(0, 1),), c, (-0.1,), 1), "a positive one"),
        (lambda c: hessian(weights(4), 0, c), r"expected \(layers, d, d\)"),
        (lambda c: hessian(weights(4)[:, 0], 3, c), "a multiple of 3"),
        (lambda c: covariances(np.ones((3, 2)), np.ones((3, 4))), "both the same"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    given = covariances(*data())
    with pytest.raises(DataError, match=message):
        call(given)
