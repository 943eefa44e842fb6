"""Experiments: criteria that can fail, verdicts, and the runs at small sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from resproof.numeric.training.covariances import covariances
from resproof.numeric.training.networks import EPSILON, Weights, gradients, losses, outputs
from resproof.numeric.training.start import drawn
from resproof.proofs.demystifying_resnet import convolution_runs, relu_runs, relu_spectra, training_runs
from resproof.proofs.demystifying_resnet.convolution_runs import Convolutions, he_start
from resproof.proofs.demystifying_resnet.experiments import FIGURE_4, at_losses, optimal
from resproof.proofs.demystifying_resnet.moduli import moduli, moduli_of
from resproof.proofs.digits import digits
from resproof.proofs.experiment import Criterion, Experiment, Ran, Seen, digits10, judge
from resproof.proofs.experiments import experiments, find_experiments
from resproof.proofs.identity_matters import from_zero_runs
from resproof.proofs.identity_matters import training_runs as note_runs
from resproof.proofs.identity_matters.gradient_experiments import expectation
from resproof.proofs.identity_matters.gradient_runs import squared_gradients
from resproof.proofs.registry import UnknownStatementError
from resproof.proofs.statement import Data
from resproof.reporting.experiment_records import experiment_results
from tests.proofs import experiments_again
from tests.proofs.ideal_runs import ideal

EVERY = experiments()
CRITERIA = [(one, criterion) for one in EVERY for criterion in one.criteria]
IDS = [f"{one.id}: {criterion.sentence[:40]}" for one, criterion in CRITERIA]


def small_data() -> Data:
    draw = np.random.default_rng(0).standard_normal
    x = draw((3, 50))
    return Data(x, 0.3 * x[::-1] + 0.1 * draw((3, 50)), "random")


@pytest.mark.parametrize("experiment", EVERY, ids=lambda one: one.id)
def test_what_is_as_described_is_observed(experiment: Experiment) -> None:
    found = judge(experiment, ideal(experiment), "default")
    assert [(sentence, seen.what) for sentence, seen in found.findings if not seen.holds] == []
    assert found.verdict == "OBSERVED", found.accepted


@pytest.mark.parametrize(("experiment", "criterion"), CRITERIA, ids=IDS)
def test_every_criterion_rejects_falsified_results(experiment: Experiment, criterion: Criterion) -> None:
    runs = ideal(experiment)
    assert criterion.look(runs).holds
    assert criterion.falsehoods
    for name, falsify in criterion.falsehoods.items():
        assert not criterion.look(falsify(runs)).holds, name


@pytest.mark.parametrize("experiment", EVERY, ids=lambda one: one.id)
def test_both_scales_have_runs_that_are_plain_data(experiment: Experiment) -> None:
    for scale in ("default", "paper"):
        runs = experiment.sweep.runs(scale)
        assert runs
        assert json.loads(json.dumps(runs)) == runs


def test_verdicts() -> None:
    runs, one = ideal(FIGURE_4), FIGURE_4.criteria[0]
    never = replace(one, look=lambda _: Seen(False, "nothing"))
    always = replace(one, look=lambda _: Seen(True, "everything"))
    assert judge(replace(FIGURE_4, criteria=(one, never)), runs, "default").verdict == "NOT OBSERVED"
    cheat = judge(replace(FIGURE_4, criteria=(one, always)), runs, "default")
    assert cheat.verdict == "FAILED"
    assert cheat.accepted
    assert judge(FIGURE_4, dict(list(runs.items())[1:]), "default").verdict == "INCOMPLETE"


def test_ids_are_told_apart() -> None:
    ids = [one.id for one in EVERY]
    assert len(set(ids)) == len(ids)
    assert [one.id for one in find_experiments(["IM-F1", "DR-F4"])] == ["DR-F4", "IM-F1"]
    with pytest.raises(UnknownStatementError, match="did you mean DR-F4"):
        find_experiments(["DR-F44"])


def test_plain_numbers() -> None:
    given = {"a": np.array([1 / 3, np.inf]), "b": (float("nan"), 2), "c": "x", "d": np.float64(0.1), "e": None}
    expected = {"a": [0.3333333333, None], "b": [None, 2], "c": "x", "d": 0.1, "e": None}
    assert digits10(given) == expected


# What criteria read.


def test_a_rate_at_which_a_seed_diverges_is_out_of_the_question() -> None:
    parameters = {"layers": 6, "rates": [0.1, 1.0, 2.0]}
    run = Ran(parameters, {"excess": {"2-shortcut": [[0.3, 0.1], [0.0, None], [0.25, 0.25]]}})
    assert optimal({"06": run}, "2-shortcut") == {6: (0.2, 0.1)}


def test_values_at_losses() -> None:
    run = Ran({}, {"excess": [1.0, 0.1, 0.01]})
    np.testing.assert_allclose(at_losses(run, [0, 1, 3], np.array([1.0, 10**-0.5, 0.1, 10**-1.5])), [0, 0.5, 1, 2])


# Spectra.


def test_at_zero_the_spectrum_is_that_of_theorem_2() -> None:
    data = small_data()
    given = covariances(data.X, data.Y)
    sigma = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
    found = moduli(np.zeros((6, 3, 3)), 2, given)
    np.testing.assert_allclose(found.greatest, sigma[0])
    np.testing.assert_allclose(found.condition, sigma[0] / sigma[-1])
    assert found.negative == 0.5


@pytest.mark.parametrize(("values", "tenth"), [(range(1, 11), 1), (range(1, 12), 2), ([-3, 2], 2), ([0, 5], 0)])
def test_the_tenth_percentile_is_an_eigenvalues(values: Any, tenth: float) -> None:
    assert moduli_of([float(value) for value in values]).tenth == tenth


# The runs themselves, small.


def test_initial_conditions_are_those_of_the_hessians() -> None:
    data = small_data()
    given = covariances(data.X, data.Y)
    found = training_runs.initial_conditions(data, {"kind": "orthogonal", "layers": 4, "draws": 2})
    for draw in range(2):
        one = moduli(drawn("orthogonal", [draw], 4, 3)[:, 0], 0, given)
        np.testing.assert_allclose(
            [found["greatest"][draw], found["tenth"][draw]], [one.greatest, one.tenth], rtol=1e-9
        )
        assert found["bound"][draw] <= one.condition
        steepest = training_runs.steepest_bound(drawn("orthogonal", [draw], 4, 3)[:, 0], given)
        assert 0.2 * one.greatest <= steepest <= one.greatest


def test_weights_near_zero_grow_as_theorem_2_has_it() -> None:
    """The mean of many seeds, for as long as nothing has left zero."""
    run = {"layers": 4, "rate": 0.05, "epochs": 40, "seeds": 200}
    found = training_runs.norms_along(digits(), run)
    grown = training_runs.near_zero_growth(found["core"], 0.05, found["epochs"])
    norms = np.mean(found["norms"], axis=0)
    np.testing.assert_allclose(norms / norms[0], grown, rtol=0.05)
    assert grown[-1] > 5


def test_points_along_a_run() -> None:
    assert training_runs.evenly(np.array([100.0, 90.0, 10.0, 9.0, 1.0, 1.0]), 3) == [0, 2, 4, 5]
    assert training_runs.spaced(100, 3) == [0, 1, 10, 100]
    run = {"kind": "2-shortcut", "rate": 0.1, "seed": 0, "layers": 4, "epochs": 60, "points": 5}
    found = training_runs.spectra_along(small_data(), run)
    assert len(found["excess"]) == len(found["greatest"]) == len(found["epochs"])
    np.testing.assert_allclose(found["greatest"][0], found["core"][0], rtol=0.01)
    np.testing.assert_allclose(found["tenth"][0], found["core"][-1], rtol=0.01)
    assert abs(found["negative"][0] - 0.5) < 0.03
    gradient = found["gradient"]
    early = [place for place, epoch in enumerate(gradient["epochs"]) if epoch <= 20]
    grown = [gradient["norms"][place] / gradient["near zero"][place] for place in early]
    np.testing.assert_allclose(grown, 1, rtol=0.15)
    assert gradient["norms"][early[-1]] > 2 * gradient["norms"][0]


def test_final_losses_by_kind_rate_and_seed() -> None:
    data = small_data()
    run = {"layers": 6, "rates": [0.01, 0.1, 1e9], "epochs": 50, "seeds": 2}
    found = training_runs.final_losses(data, run)
    alone = training_runs.final_losses(data, {**run, "rates": [0.1]})
    for kind in training_runs.KINDS:
        np.testing.assert_allclose(found["excess"][kind][1], alone["excess"][kind][0], rtol=1e-8)
        assert found["excess"][kind][2] == [None, None]
    json.dumps(found, allow_nan=False)


def test_targets_and_their_factors() -> None:
    import scipy.linalg

    for family in note_runs.FAMILIES:
        matrix = note_runs.target(family, 0, 4)
        assert np.linalg.det(matrix) > 0
        logarithm: Any = scipy.linalg.logm(matrix)
        np.testing.assert_allclose(np.linalg.norm(logarithm, 2), 1, rtol=1e-8)
    run = {"layers": 4, "rate": 0.1, "epochs": 300, "targets": 1}
    found = note_runs.trained_weights(digits(), run)
    (row,) = found["positive definite"]
    assert row["left"] < 1e-6
    np.testing.assert_allclose(row["greatest"], row["predicted"], rtol=0.05)


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_expected_gradients_of_residual_networks_of_width_one(layers: int) -> None:
    """M = 1 + w, w of variance v: E M^2 = 1 + v, E M^3 = 1 + 3 v, E M^4 = 1 + 6 v + 3 v^2."""
    v, x, y = 0.3, 1.5, -0.7
    second, third, fourth = (moment ** (layers - 1) for moment in (1 + v, 1 + 3 * v, 1 + 6 * v + 3 * v**2))
    expected = x**2 * (x**2 * (1 + v) * fourth - 2 * x * y * third + y**2 * second)
    found = expectation("residual", layers, v, {"width": 1, "xx": x * x, "yy": y * y, "xy": x * y})
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["plain", "residual"])
def test_expected_gradients_are_those_of_random_networks(kind: str) -> None:
    run = {"kind": kind, "layers": 3, "s2": 0.2, "networks": 20_000}
    found = squared_gradients(small_data(), run)
    assert abs(found["mean"] - expectation(kind, 3, 0.2, found["sample"])) <= 5 * found["error"]


def test_norms_and_losses_with_relus_at_mid() -> None:
    run = {"layers": 4, "rate": 0.1, "rates": [0.1, 1e9], "epochs": 30, "every": 2, "seeds": 2, "kind": "2-shortcut"}
    norms = relu_runs.norms_with_relu(small_data(), run)
    assert np.shape(norms["norms"]) == (2, len(norms["epochs"]))
    start = relu_runs.started("2-shortcut", [0, 1], 4, 3)
    every = np.concatenate([start["inner"], start["outer"]])
    np.testing.assert_allclose(np.array(norms["norms"])[:, 0], np.linalg.norm(every, axis=(2, 3)).mean(axis=0))
    for kind in relu_runs.RELU_KINDS:
        found = relu_runs.final_losses_with_relu(small_data(), {**run, "kind": kind})
        assert found["losses"][1] == [None, None]
        alone = relu_runs.final_losses_with_relu(small_data(), {**run, "kind": kind, "rates": [0.1], "seeds": 1})
        np.testing.assert_allclose(found["losses"][0][0], alone["losses"][0][0], rtol=1e-9)


def test_half_spaces_unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    data, inner = small_data(), np.random.default_rng(1).normal(size=(2, 1, 4, 3))
    expected = list[float]()
    for unit in inner.reshape(-1, 3):
        active = unit @ data.X > 0
        part = (data.X - data.Y)[:, active] @ data.X[:, active].T / 50
        expected += np.linalg.svd(part, compute_uv=False).tolist()
    for at_once in (256, 3):
        monkeypatch.setattr(relu_runs, "_UNITS", at_once)
        np.testing.assert_allclose(relu_runs.half_spaces(inner, data.X, data.Y), expected, rtol=1e-12)


def test_near_zero_weights_the_half_spaces_are_the_spectrum() -> None:
    data = small_data()
    weights = {name: 1e-5 * one for name, one in relu_runs.started("Xavier", [0], 6, 3).items()}
    found = relu_spectra.moduli_with_relu("2-shortcut", weights, data.X, data.Y)
    expected = relu_spectra.of_half_spaces(weights["inner"], data.X, data.Y)
    np.testing.assert_allclose([found.greatest, found.tenth], [expected.greatest, expected.tenth], rtol=1e-4)
    assert found.negative == expected.negative == 0.5


def test_spectra_along_training_with_relus() -> None:
    run = {"kind": "2-shortcut", "rate": 0.1, "seed": 1, "layers": 4, "epochs": 60, "points": 5, "every": 2}
    found = relu_spectra.spectra_with_relu(small_data(), run)
    assert found["epochs"][0] == 0
    assert found["epochs"][-1] == 60
    assert len(found["loss"]) == len(found["greatest"]) == len(found["negative"]) == len(found["epochs"])
    np.testing.assert_allclose([found["greatest"][0], found["tenth"][0]], found["half-spaces"], rtol=0.05)
    draws = relu_spectra.initial_conditions_with_relu(small_data(), {**run, "kind": "orthogonal", "draws": 2})
    assert {name: len(each) for name, each in draws.items()} == {"greatest": 2, "tenth": 2}


@pytest.mark.parametrize("target", from_zero_runs.TARGETS)
def test_losses_from_zero_are_those_of_the_eigenvalues(target: str) -> None:
    """On white inputs, with matrices written out."""
    d, layers = 5, 3
    q, c = from_zero_runs.normal_target(target, 4, d)
    np.testing.assert_allclose(q @ q.T, np.eye(d), atol=1e-12)
    np.testing.assert_allclose(c @ c.T, c.T @ c, atol=1e-12)
    matrix, step, epochs = q @ c @ q.T, 0.1, [0, 1, 5, 40]
    assert (np.linalg.eigvals(matrix).real.min() < 0) == (target != "positive definite") or target == "rotated"
    factors, found = np.tile(np.eye(d), (layers, 1, 1)), list[float]()
    for epoch in range(41):
        w1, w2, w3 = factors
        gap = w3 @ w2 @ w1 - matrix
        if epoch in epochs:
            found.append(0.5 * float(np.sum(gap * gap)))
        factors = factors - step * np.stack([(w3 @ w2).T @ gap, w3.T @ gap @ w1.T, gap @ (w2 @ w1).T])
    expected = from_zero_runs.recursion(layers, np.linalg.eigvals(c), step, epochs)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_runs_from_zero() -> None:
    draw = np.random.default_rng(0).standard_normal((4, 40))
    root = np.linalg.cholesky(draw @ draw.T / 40)
    white = Data(np.linalg.solve(root, draw), draw, "white")
    run = {"layers": 3, "rate": 0.3, "epochs": 50, "from_zero": 20, "first_seed": 4, "seeds": 2}
    found = from_zero_runs.losses_from_zero(white, run)
    for target in from_zero_runs.TARGETS:
        for seed, row in zip((4, 5), found[target], strict=True):
            np.testing.assert_allclose(row["zero"], row["predicted"], rtol=1e-6, atol=1e-9)
            assert len(row["near"]) == len(found["epochs"]["near"])
            q, c = from_zero_runs.normal_target(target, seed, 4)
            least = np.linalg.svd(q @ c @ q.T, compute_uv=False)[-1]
            assert row["singular"] == pytest.approx(least**2 / 2)
    json.dumps(found, allow_nan=False)


def test_convolutional_networks_are_tested_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    generator, net = np.random.default_rng(0), Convolutions(2)
    every, x = he_start([0], 4, 1, 3, 5), generator.standard_normal((1, 2, 2, 30))
    whole = convolution_runs._outputs(net, every, x, 8)
    np.testing.assert_array_equal(whole, outputs(net, every, x, 8))
    monkeypatch.setattr(convolution_runs, "COUNTED", 8)
    np.testing.assert_allclose(convolution_runs._outputs(net, every, x, 8), whole, rtol=1e-9)
    monkeypatch.setattr(convolution_runs, "COUNTED", 7)  # the eighth is no longer among those that count
    assert convolution_runs._outputs(net, every, x, 8).shape == whole.shape


def convolved(net: Convolutions, one: Weights, x: Any) -> Any:
    """By loops over positions."""

    def convolution(filters: Any, h: Any, stride: int) -> Any:
        padded = np.pad(h, ((0, 0), (1, 1), (1, 1), (0, 0)))
        places = range(0, h.shape[1], stride)
        rows = [
            [filters @ padded[:, i : i + 3, j : j + 3].transpose(1, 2, 0, 3).reshape(-1, h.shape[-1]) for j in places]
            for i in places
        ]
        return np.array(rows).transpose(2, 0, 1, 3)

    def phi(a: Any) -> Any:
        centred = a - a.mean((1, 2, 3), keepdims=True)
        return np.maximum(centred / np.sqrt((centred**2).mean((1, 2, 3), keepdims=True) + EPSILON), 0)

    state = branch = convolution(one["stem"], x, net.stride)
    for layer, filters in enumerate(one["layers"], start=1):
        branch = convolution(filters, phi(branch), 1)
        if layer % net.shortcut_depth == 0:
            state = branch = branch + state
    return one["head"] @ phi(state).mean((1, 2))


@pytest.mark.parametrize(("depth", "stride", "side"), [(1, 1, 3), (2, 2, 5), (3, 2, 4)])
def test_convolutions_are_those_of_loops_over_positions(depth: int, stride: int, side: int) -> None:
    x, every = np.random.default_rng(0).normal(size=(2, side, side, 6)), he_start([0, 1], 6, 2, 3, 5)
    net = Convolutions(depth, stride)
    for run, found in enumerate(outputs(net, every, x)):
        one = {name: weight[..., run, :, :] for name, weight in every.items()}
        np.testing.assert_allclose(found, convolved(net, one, x), atol=1e-12)


def test_gradients_of_convolutional_networks_are_differences_of_losses() -> None:
    draw = np.random.default_rng(0)
    net, every, x, y = Convolutions(2, 2), he_start([0], 4, 1, 3, 5), draw.normal(size=(1, 4, 4, 9)), np.eye(5, 9)
    _, found = gradients(net, "cross-entropy", every, x, y)
    along = {name: draw.normal(size=one.shape) for name, one in every.items()}
    ends = [{name: one + step * along[name] for name, one in every.items()} for step in (1e-6, -1e-6)]
    above, below = (losses("cross-entropy", outputs(net, end, x), y)[0] for end in ends)
    slope = sum(float(np.sum(found[name] * along[name])) for name in every)
    assert slope == pytest.approx((above - below) / 2e-6, rel=1e-6)


def test_convolutional_networks_learn_bars() -> None:
    """Images with a bright row or a bright column; norms are those of the weights."""
    labels = np.arange(60) % 2
    images = 0.1 * np.random.default_rng(0).standard_normal((60, 1, 6, 6))
    images[labels == 0, 0, 2] += 1.0
    images[labels == 1, 0, :, 2] += 1.0
    data = Data(np.zeros((2, 60)), np.eye(2)[:, labels], "bars", images)
    sizes = {"layers": 6, "channels": 4, "stride": 2, "rate": 0.1, "training": [1, 3], "batch": 10, "epochs": 10}
    for depth in (1, 2, 3):
        found = convolution_runs.convolutional(data, {**sizes, "shortcut_depth": depth, "seeds": 2})
        alone = convolution_runs.convolutional(data, {**sizes, "shortcut_depth": depth, "seeds": 1})
        assert min(found["test accuracy"]) > 0.9
        np.testing.assert_allclose(found["norms"][0], alone["norms"][0], rtol=1e-8)
        assert found["norms"][0][0] == pytest.approx(8**0.5, rel=0.1)


# The records, which earlier trainers made.


QUICK = ("norms", "initial-conditions", "norms-relu", "initial-conditions-relu", "1200-layers", "first-gradients")


def test_the_smallest_run_of_every_sweep_was_made_again() -> None:
    table = json.loads(experiments_again.TABLE.read_text())
    assert table.keys() == experiments_again.SWEEPS.keys()
    results = experiment_results(EVERY)
    for name, row in table.items():
        assert row["run"] == experiments_again.smallest(experiments_again.SWEEPS[name])
        assert row["farthest"] <= 2.0, "the means of three seeds, in parts of their spread"
        assert row["verdicts"] == {one.id: results[one.id].judged.verdict for one in EVERY if one.sweep.name == name}


@pytest.mark.parametrize("name", QUICK)
def test_quick_ones_find_what_their_records_have(name: str) -> None:
    found = experiments_again.again(experiments_again.SWEEPS[name])
    assert found == json.loads(experiments_again.TABLE.read_text())[name]
    assert found["to six digits"] == found["numbers"]


def test_numbers_that_differ_are_told_in_parts_of_the_spread() -> None:
    record = {"a": {"0": [[1.0, 2.0], [3.0, 2.0]]}, "b": [1.0, 5.0], "c": [{"d": 1.0}, {"d": 3.0}], "e": [None, 1.0]}
    assert experiments_again.compared(record, record) == {
        "numbers": 10,
        "to six digits": 10,
        "farthest": 0.0,
        "where": "",
    }
    other = {**record, "a": {"0": [[2.0, 2.0], [4.0, 2.0]]}}
    found = experiments_again.compared(other, record)
    assert (found["to six digits"], found["farthest"]) == (8, 0.5)
    found = experiments_again.compared({**record, "b": [1.0, 9.0]}, record, 2)
    assert (found["farthest"], found["where"]) == (0.5, "/b")
    found = experiments_again.compared({**record, "c": [{"d": 5.0}, {"d": 3.0}]}, record)
    assert (found["farthest"], found["where"]) == (1.0, "/c/0/d")
