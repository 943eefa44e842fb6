"""The runs of the third paper's experiments, small, and what they measure."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from resproof.numeric.training.descent import Schedule, momentum_descent
from resproof.numeric.training.networks import Blocks, gradients, losses, outputs
from resproof.proofs.rethinking_skips import hindsight_runs, training_runs
from resproof.proofs.rethinking_skips.conditions import conditions
from resproof.proofs.rethinking_skips.hindsight_runs import PENALTY, decayed, double_diagonal, flatten
from resproof.proofs.rethinking_skips.training_runs import (
    BATCH,
    KINDS,
    measured,
    network,
    passed,
    sensitivity,
    split,
    start,
    trained,
)
from resproof.proofs.statement import Data

RUN: dict[str, Any] = {
    "kind": "ResNeXt",
    "layers": 8,
    "width": 6,
    "units": "relu",
    "normalised": True,
    "rates": [0.1, 0.01, 1e300],
    "seeds": 2,
    "epochs": 2,
}


def data() -> Data:
    generator = np.random.default_rng(0)
    x, labels = generator.standard_normal((5, 400)), generator.integers(0, 4, 400)
    x[:4] += 2 * np.eye(4)[:, labels]
    return Data(x, np.eye(4)[:, labels], "random")


def test_every_fifth_sample_is_for_the_test() -> None:
    given, every = split(data()), data()
    assert given.training == 320
    np.testing.assert_array_equal(given.every_x[:, 320:], every.X[:, 4::5])
    np.testing.assert_array_equal(given.every_y[:, :320], given.y)


def test_the_rate_with_the_least_loss_is_the_best_and_none_that_diverges() -> None:
    found = trained(data(), RUN)
    ends = np.array(found["curves"]["train loss"], dtype=float)[:, :, -1]
    assert np.isnan(ends[2]).all()
    assert found["best"] == int(np.argmin(ends[:2].mean(axis=1)))
    assert found["epochs"] == [0, 1, 2]
    assert set(found["layers"]) == {"0", "1", "2"}
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_measured_in_each_layer(kind: str) -> None:
    run, given = {**RUN, "kind": kind}, split(data())
    net, weights = network(run), start(split(data()), run, [0, 1])
    found = measured(net, weights, given, 0.1, KINDS[kind].paths)
    seen = passed(net, "cross-entropy", weights, given.x, given.y)
    _, slopes = gradients(net, "cross-entropy", weights, given.x, given.y)
    for seed in range(2):
        assert len(found["W"]["kappa"][seed]) == 8
        assert len(found["H"]["kappa"][seed]) == 7
        path = np.split(weights["inner"][1, seed], KINDS[kind].paths)
        np.testing.assert_allclose(
            found["W"]["kappa"][seed][3], np.mean([np.log10(np.linalg.cond(one)) for one in path]), rtol=0.01
        )
        np.testing.assert_allclose(
            found["update"][seed][7],
            np.log10(0.1 * np.linalg.norm(slopes["head"][seed]) / np.linalg.norm(weights["head"][seed])),
            rtol=0.01,
        )
        h = seen.states[2][seed]
        assert found["H"]["dead"][seed][4] == np.sum(~h.any(axis=1))
        assert found["H"]["rank"][seed][4] == np.linalg.matrix_rank(h)
        assert found["Delta"]["rank"][seed][7] <= 3  # the columns of softmax(f) - Y sum to zero
        np.testing.assert_allclose(
            found["greatest"]["weights"][seed][1], np.abs(weights["inner"][2, seed]).max(), rtol=1e-3
        )


@pytest.mark.parametrize("kind", KINDS)
def test_error_signals_are_the_losss_derivatives_in_the_products(kind: str) -> None:
    """G = Delta H^T in every layer, and in the head Delta = (softmax(f) - Y)/m."""
    run, given = {**RUN, "kind": kind}, split(data())
    net, weights = network(run), start(given, run, [0, 1])
    seen = passed(net, "cross-entropy", weights, given.x, given.y)
    _, slopes = gradients(net, "cross-entropy", weights, given.x, given.y)
    before = {
        "stem": given.x,
        "inner": np.stack(seen.states[:-1]),
        "outer": np.stack(seen.inner),
        "head": seen.states[-1],
    }
    for name, h in before.items():
        np.testing.assert_allclose(seen.gradients[name], slopes[name], atol=1e-14)
        np.testing.assert_allclose(seen.deltas[name] @ h.mT, slopes[name], atol=1e-13)
    output = outputs(net, weights, given.x)
    expected = (np.exp(output) / np.exp(output).sum(-2, keepdims=True) - given.y) / given.training
    np.testing.assert_allclose(seen.deltas["head"], expected, atol=1e-15)
    np.testing.assert_allclose(weights["head"] @ seen.states[-1], output, atol=1e-12)
    assert losses("cross-entropy", output, given.y).shape == (2,)


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


def test_the_starts_have_hes_variances() -> None:
    run = {**RUN, "layers": 42, "width": 30}
    found = start(split(data()), run, range(50))
    assert found["inner"].shape == (20, 50, 60, 30)
    for name, variance in {"stem": 2 / 5, "inner": 2 / 30, "outer": 2 / 30, "head": 1 / 30}.items():
        np.testing.assert_allclose(np.var(found[name]), variance, rtol=0.05)


def test_sensitivities() -> None:
    h, y = np.random.default_rng(0).standard_normal((3, 40)), np.random.default_rng(1).standard_normal((2, 40))
    found: dict[str, Any] = sensitivity(h, y)
    np.testing.assert_allclose(found["kappa"], np.linalg.cond(h), rtol=1e-9)
    values, left = np.linalg.svd(h, compute_uv=False), np.linalg.norm(y - y @ np.linalg.pinv(h) @ h, 2)
    worst = left * values[0] / values[-1] ** 2 / np.linalg.norm(y @ np.linalg.pinv(h), 2)
    np.testing.assert_allclose(found["change"], worst, rtol=1e-3)
    assert found["change"] > found["kappa"]
    h[1] = 0
    assert sensitivity(h, y) == {"change": None, "kappa": None}


# Section 6.5.


def test_the_penalty_has_its_gradient() -> None:
    w, v = np.random.default_rng(0).standard_normal((2, 1, 1, 4, 4))

    def penalty(at: Any) -> float:
        square = at.T @ at
        return PENALTY / 4 * float(np.sum((square - np.trace(square) / 4 * np.eye(4)) ** 2))

    none = {"inner": np.zeros_like(w), "outer": np.zeros_like(w)}
    found = flatten({"inner": w, "outer": w}, none)
    step = 1e-5
    slope = (penalty((w + step * v)[0, 0]) - penalty((w - step * v)[0, 0])) / (2 * step)
    np.testing.assert_allclose(np.sum(found["inner"] * v), slope, rtol=1e-7)


def test_a_dirac_net_moves_as_its_two_parameters_do() -> None:
    """W and a, each by momentum and decay of its own, and V = W + diag(a) with its doubled diagonal."""
    given, run = split(data()), {**RUN, "start": "DiracNet", "kind": "PlainNet", "seeds": 1}
    net, how = Blocks(shortcut=False), Schedule(2, given.training, shape=double_diagonal)
    v = hindsight_runs.started(given, run)
    w = start(given, run, [0])
    a = {name: np.ones(w[name].shape[:-1]) for name in ("inner", "outer")}
    speeds = [{name: np.zeros_like(one) for name, one in each.items()} for each in (w, a)]
    for _ in range(2):
        whole = dict(w)
        for name, each in a.items():
            whole[name] = w[name] + each[..., None] * np.eye(RUN["width"])
        _, g = gradients(net, "cross-entropy", whole, given.x, given.y)
        of_a = {name: np.diagonal(g[name], axis1=-2, axis2=-1) for name in a}
        for at, speed, slopes in ((w, speeds[0], g), (a, speeds[1], of_a)):
            for name in at:
                speed[name] = 0.9 * speed[name] + slopes[name] + 1e-4 * at[name]
                at[name] = at[name] - 0.1 * speed[name]
    *_, (_, last) = momentum_descent(net, v, given.x, given.y, [0.1], [0], how)
    for name, each in a.items():
        np.testing.assert_allclose(last[name], w[name] + each[..., None] * np.eye(RUN["width"]), atol=1e-12)
        d = np.diagonal(w[name], axis1=-2, axis2=-1) - each
        first = np.diagonal(start(given, run, [0])[name], axis1=-2, axis2=-1) - 1
        np.testing.assert_allclose(d, decayed(0.1, 2, how) * first, atol=1e-12)


@pytest.mark.parametrize("name", hindsight_runs.STARTS)
def test_plain_networks_from_every_start(name: str) -> None:
    run = {**RUN, "kind": "PlainNet", "start": name, "rates": [0.1]}
    found = hindsight_runs.plain_trained(data(), run)
    json.dumps(found, allow_nan=False)
    assert ("moved" in found) == (name == "DiracNet")
    weights = hindsight_runs.started(split(data()), run)
    if name in {"orthogonal", "identity"}:
        c = {"orthogonal": 2.0, "identity": 1.0}[name]
        np.testing.assert_allclose(
            weights["inner"].mT @ weights["inner"], np.broadcast_to(c * np.eye(6), (3, 2, 6, 6)), atol=1e-12
        )


def test_batches_are_the_papers() -> None:
    assert BATCH == 128
    for sweep in (training_runs.RELU, training_runs.LINEAR):
        assert {run["layers"] for run in sweep.runs("paper").values()} <= {20, 56, 110, 164, 200}
