"""Runs that satisfy every criterion, made by formulas: each falsehood of a criterion has to be rejected."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np

from resproof.proofs.demystifying_resnet.training_runs import ALONG, KINDS
from resproof.proofs.experiment import Experiment, Parameters, Ran, Runs, Scale
from resproof.proofs.identity_matters.from_zero_runs import TARGETS
from resproof.proofs.identity_matters.gradient_experiments import expectation
from resproof.proofs.identity_matters.training_runs import FAMILIES


def initial_conditions(run: Parameters) -> dict[str, Any]:
    """Constant, like the depth, like its third power."""
    power = {"2-shortcut": 0, "orthogonal": 1, "Xavier": 3}[run["kind"]]
    draws = run["draws"]
    found: dict[str, Any] = {"greatest": [1.7 * run["layers"] ** power] * draws, "tenth": [1.0] * draws}
    if run["kind"] == "2-shortcut":
        found["predicted"] = 1.7
    if run["kind"] == "orthogonal":
        found["bound"] = [run["layers"] / 2] * draws
    return found


def initial_conditions_relu(run: Parameters) -> dict[str, Any]:
    """The same; the half-spaces predict what is found."""
    found = initial_conditions(run)
    return {**found, "predicted greatest": found["greatest"], "predicted tenth": found["tenth"]}


def norms(run: Parameters) -> dict[str, Any]:
    """Growing like the epoch, the lower the deeper."""
    epochs = [0, 1, 3, 10, 100, 1000]
    along = [(0.1 + epoch) * run["layers"] ** -0.5 for epoch in epochs]
    return {"epochs": epochs, "norms": [along] * run["seeds"], "excess": [along] * run["seeds"], "core": [1.2, 0.7]}


def norms_relu(run: Parameters) -> dict[str, Any]:
    """The same; weights near zero grow until the numbers end."""
    return {**norms(run), "grown": [1.0, 2.0, 4.0, 8.0, 16.0, None]}


def learning_rates(run: Parameters) -> dict[str, Any]:
    """A best rate for each kind, and losses that rise on either side of it; the highest rate diverges."""
    best = {"2-shortcut": 0.1, "1-shortcut": 0.01, "3-shortcut": 0.1, "orthogonal": 0.01, "Xavier": 0.01}
    floor = {"2-shortcut": 1e-4, "1-shortcut": 2e-4, "3-shortcut": 1e-1, "orthogonal": 2e-4, "Xavier": 1e-2}
    excess = {
        kind: [[floor[kind] * (1 + abs(log10(rate / best[kind])))] * run["seeds"] for rate in run["rates"][:-1]]
        + [[None] * run["seeds"]]
        for kind in KINDS
    }
    return {"excess": excess, "steepest": [float(run["layers"])] * run["seeds"], "least": 0.3}


def spectra_along(run: Parameters) -> dict[str, Any]:
    """A condition number that rises from 2 to 50, or stays there; an index that drops early."""
    points = run["points"]
    places = np.linspace(0, 1, points)
    ours = run["kind"] == "2-shortcut"
    condition = 2 * 25**places if ours else 60 + 0 * places
    negative = 0.5 - 0.4 * np.minimum(4 * places, 1) if ours else 0.52 - 0.05 * places
    epochs = list(range(points))
    return {
        "epochs": epochs,
        "excess": list(np.geomspace(5, 1e-3, points)),
        "greatest": list(condition),
        "tenth": [1.0] * points,
        "negative": list(negative),
        "gradient": {"epochs": epochs, "norms": [1.0] * points, "near zero": [1.0] * (points - 1) + [None]},
        "steepest_epoch": points // 8,
        "core": [2.0, 1.0],
    }


def spectra_along_relu(run: Parameters) -> dict[str, Any]:
    """The same, against the loss itself."""
    found = spectra_along(run)
    return {"loss": found.pop("excess"), "half-spaces": found.pop("core"), **found}


def from_zero(run: Parameters) -> dict[str, Any]:
    """All is learned but a negative eigenvalue: from zero, and with more than four layers from near it."""
    few = run["layers"] <= 4

    def row(end: float, near: float) -> dict[str, Any]:
        return {"zero": [1.0, end], "predicted": [1.0, end], "near": [1.0, near], "singular": 0.2}

    ends = {target: row(1e-12, 1e-12) for target in TARGETS}
    ends["negative eigenvalue"] = row(0.5, 1e-12 if few else 0.2)
    epochs = {"zero": [0, run["from_zero"]], "near": [0, run["epochs"]]}
    return {"epochs": epochs, **{target: [one] * run["seeds"] for target, one in ends.items()}}


def trained_weights(run: Parameters) -> dict[str, Any]:
    """l max |W| = 1, as predicted."""
    row = {"greatest": 1.0, "start": 0.01, "left": 1e-9, "bound": 4.5, "predicted": 1.0}
    return {family: [dict(row)] * run["targets"] for family in FAMILIES}


def deep_training(run: Parameters) -> dict[str, Any]:
    """Only the deep plain network does not train; at the highest rate all diverge."""
    end = 1.0 if (run["kind"], run["layers"]) == ("plain", 1200) else 0.01
    curves = [[1.0, end]] * (len(run["rates"]) - 1) + [[1.0, None]]
    return {"epochs": [0, run["epochs"]], "excess": curves, "zero": 1.0}


def skip_connections(run: Parameters) -> dict[str, Any]:
    """The PlainNet learns nothing, in singular matrices and at great values; the others learn nearly everything."""
    plain, seeds, count = run["kind"] == "PlainNet", run["seeds"], run["layers"]
    ends = {"train loss": 0.01, "test loss": 0.1, "train accuracy": 1.0, "test accuracy": 0.95}
    if run["kind"] == "ResNeXt":
        ends["test accuracy"] = 0.96
    if plain:
        ends = {"train loss": 30.0, "test loss": 30.0, "train accuracy": 0.11, "test accuracy": 0.1}
    curves = {name: [[[2.5, value]] * seeds] * len(run["rates"]) for name, value in ends.items()}
    rising = np.linspace(8.0, 12.0, count) if plain else np.linspace(3.0, 1.0, count)
    rank = 5 if plain else run["width"]

    def matrix(**more: Any) -> dict[str, Any]:
        return {"kappa": [list(rising)] * seeds, "rank": [[rank] * count] * seeds, **more}

    def layers(epoch: int) -> dict[str, Any]:
        great = 1e3 if plain else 1.0
        last = 0.01 if plain and epoch else 1.0
        return {
            "W": matrix(),
            "H": matrix(alive=[list(rising)] * seeds, dead=[[3 if plain else 0] * count] * seeds),
            "Delta": matrix(),
            "G": matrix(),
            "update": [[0.0 if plain else -2.0] * count] * seeds,
            "solutions": [{"change": 900.0 if plain else 5.0, "kappa": 1000.0 if plain else 10.0}] * seeds,
            "greatest": {name: [[great, last]] * seeds for name in ("activations", "weights", "gradients")},
        }

    epochs = run["epochs"]
    return {
        "epochs": [0, epochs],
        "best": 1,
        "curves": curves,
        "layers": {str(epoch): layers(epoch) for epoch in (0, 1, epochs)},
    }


def plain_networks(run: Parameters) -> dict[str, Any]:
    """Only from He's weights nothing is learned; a DiracNet learns nine tenths."""
    end = {"He": 0.1, "DiracNet": 0.9}.get(run["start"], 1.0)
    names = ("train loss", "test loss", "train accuracy", "test accuracy")
    curves = {name: [[[0.1, end]] * run["seeds"]] * len(run["rates"]) for name in names}
    moved = {"moved": [0.5] * run["seeds"]} if run["start"] == "DiracNet" else {}
    return {"epochs": [0, run["epochs"]], "best": 0, "curves": curves, **moved}


def learning_rates_relu(run: Parameters) -> dict[str, Any]:
    """The 2-shortcut networks lose little at every depth; the others at 64 layers as much as the zero map."""
    end = 0.05 if run["kind"] == "2-shortcut" or run["layers"] < 64 else 0.45
    return {"losses": [[end] * run["seeds"]] * (len(run["rates"]) - 1) + [[None] * run["seeds"]], "zero": 0.45}


def convolutions(run: Parameters) -> dict[str, Any]:
    """Smaller norms in deeper networks; only shortcut depth 2 gains from more layers."""
    norms = [4.0, *((4.0 + epoch) * run["layers"] ** -0.5 for epoch in range(1, run["epochs"] + 1))]
    gain = run["layers"] / 1e5 * (1 if run["shortcut_depth"] == 2 else -1)
    accuracies = {"train accuracy": [1.0] * run["seeds"], "test accuracy": [0.95 + gain] * run["seeds"]}
    return {"epochs": list(range(run["epochs"] + 1)), "norms": [norms] * run["seeds"], **accuracies}


def first_gradients(run: Parameters) -> dict[str, Any]:
    """The exact expectations."""
    sample = {"width": 10, "xx": 8.0, "yy": 1.0, "xy": 0.5}
    mean = expectation(run["kind"], run["layers"], run["s2"], sample)
    return {"mean": mean, "error": 0.01 * mean, "sample": sample}


_IDEAL = {
    "convolutions": convolutions,
    "from-zero": from_zero,
    "initial-conditions-relu": initial_conditions_relu,
    "spectra-along-training-relu": spectra_along_relu,
    "first-gradients": first_gradients,
    "norms-relu": norms_relu,
    "learning-rates-relu": learning_rates_relu,
    "plain-networks": plain_networks,
    "skip-connections": skip_connections,
    "skip-connections-linear": skip_connections,
    "skip-connections-not-normalised": skip_connections,
    "initial-conditions": initial_conditions,
    "norms": norms,
    "learning-rates": learning_rates,
    "spectra-along-training": spectra_along,
    "trained-weights": trained_weights,
    "1200-layers": deep_training,
}


def ideal(experiment: Experiment, scale: Scale = "default") -> Runs:
    """Runs of an experiment in which all that it looks for is there."""
    make = _IDEAL[experiment.sweep.name]
    assert set(ALONG) == {"2-shortcut", "orthogonal"}
    return {name: Ran(run, make(run)) for name, run in experiment.sweep.runs(scale).items()}
