"""Escape times: the loss that is taken near zero and near a strict saddle, by running networks and dense Hessians."""

from __future__ import annotations

import numpy as np
import pytest

from resproof.numeric.training.covariances import covariances
from resproof.numeric.training.descent import descend
from resproof.numeric.training.networks import Linear, hessians
from resproof.proofs.demystifying_resnet.leaving_zero import crossing, half_gone, loss_taken, loss_taken_by
from resproof.proofs.experiment import Ran
from resproof.proofs.identity_matters.from_zero_experiments import escapes, least_curvature
from resproof.proofs.identity_matters.from_zero_runs import NEGATIVE, normal_target

D, LAYERS, RATE, SCALE = 4, 6, 0.1, 1e-6


def test_loss_taken_near_zero_is_that_of_running_networks() -> None:
    generator, runs, steps = np.random.default_rng(0), 4000, 25
    given = covariances(np.eye(D) * D**0.5, D**0.5 * generator.normal(size=(D, D)))
    weights = generator.normal(scale=SCALE, size=(LAYERS, runs, D, D))
    found, _ = descend(weights, 2, given, [RATE] * runs, steps, range(steps + 1))
    core = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
    taken = np.mean(found[0] - found, axis=1)
    expected = loss_taken(core.tolist(), RATE, LAYERS // 2, SCALE**2, steps)
    np.testing.assert_allclose(taken[5:], expected[5:], rtol=0.05)


def test_loss_taken_along_an_eigenvector() -> None:
    curvature, rate = -0.7, 0.3
    theta = 1e-3 * (1 - rate * curvature) ** np.arange(30)
    losses = curvature * theta**2 / 2
    np.testing.assert_allclose(loss_taken_by(np.abs(curvature * theta), rate), losses[0] - losses, atol=1e-15)


def test_deeper_networks_leave_sooner_by_the_logarithm_of_their_depth() -> None:
    core, rate = [1.2, 0.5], 0.1
    shallow, deep = (half_gone(core, rate, blocks, 1e-12, 1.0) for blocks in (1, 100))
    assert shallow - deep == pytest.approx(np.log(100) / (2 * np.log(1 + rate * core[0])), abs=1.0)
    assert half_gone(core, 1e-9, 1, 1e-12, 1.0) != half_gone(core, 1e-9, 1, 1e-12, 1.0)  # never


def test_crossing() -> None:
    assert crossing([0, 2, 4], [1.0, 3.0, 9.0], 2.0) == 1.0
    assert crossing([3, 4], [5.0, 6.0], 2.0) == 3.0
    assert np.isnan(crossing([0, 1], [0.0, np.nan], 2.0))


@pytest.mark.parametrize("layers", [3, 4, 7])
def test_curvature_of_the_saddle_is_the_hessians(layers: int) -> None:
    values = np.array([0.6, 0.8, 1.3])
    given = covariances(2.0 * np.eye(4), 2.0 * np.diag([-1.0, *values]))
    factor = np.diag([0.0, *values ** (1 / layers)])
    weights = np.tile(factor - np.eye(4), (layers, 1, 1, 1))
    (dense,) = hessians(Linear(1), "squared", {"layers": weights}, *given.columns())
    assert np.linalg.eigvalsh(dense)[0] == pytest.approx(least_curvature(layers, values), rel=1e-9)


def test_escapes_are_told_target_by_target() -> None:
    run = {"layers": 3, "rate": 0.4, "first_seed": 10, "seeds": 2}
    row = {"near": [2.0, 0.5, 0.4]}
    found = escapes({"03": Ran(run, {NEGATIVE: [row, row], "epochs": {"near": [0, 10, 20]}})})
    _, target = normal_target(NEGATIVE, 10, 10)
    least = least_curvature(3, np.diag(target)[1:])
    assert found[3][0] == (pytest.approx(-3 * np.log(100) / (0.4 * least)), pytest.approx(15.0))
