"""The runs behind the note's experiments: linear residual networks (W_l + I) ... (W_1 + I) trained to fit a target R x.

The inputs are those of the data; the targets are maps R with det R > 0, for which IM-1 gives weights of order 1/l:
symmetric positive definite ones, and exponentials of any matrix. Training starts at Xavier weights times 0.01/l, so
that the start is no part of l max |W_i|.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.covariances import covariances
from resproof.numeric.training.descent import descend
from resproof.numeric.training.start import drawn
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]

_LAYERS = (2, 4, 8, 16, 32, 64, 128, 256)
_TARGETS: Mapping[Scale, int] = {"default": 3, "paper": 10}
FAMILIES = ("positive definite", "exponential")


# l max |W_i|.


def _weight_runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{layers:03}": {"layers": layers, "rate": 0.1, "epochs": 300, "targets": _TARGETS[scale]} for layers in _LAYERS
    }


def target(family: str, seed: int, d: int) -> Floats:
    """R = e^A with |A| = 1, A symmetric or any matrix: its singular values are within 1/e and e."""
    a = np.random.default_rng(seed).normal(size=(d, d))
    a = a + a.T if family == "positive definite" else a
    a /= np.linalg.norm(a, 2)
    return _exponential(a)


def _exponential(a: Floats) -> Floats:
    """e^A for |A| <= 1, by its series on A/16 and four squarings."""
    term = total = np.eye(len(a))
    for k in range(1, 15):
        term = term @ a / (16 * k)
        total = total + term
    for _ in range(4):
        total = total @ total
    return total


def trained_weights(data: Data, run: Parameters) -> dict[str, Any]:
    """l max |W_i|_2 after training and before, the loss above the least over its first value, and what theory says.

    `bound` is pi + l (e^(gamma/l) - 1), which IM-1 attains by weights that are built. `predicted`, for a positive definite
    R, is l max |lambda^(1/l) - 1| over its eigenvalues: the flow from zero keeps all W_i equal and symmetric where the
    inputs are white. The step is the rate over l.
    """
    layers, found = run["layers"], dict[str, Any]()
    for family in FAMILIES:
        rows: list[dict[str, float | None]] = []
        for seed in range(run["targets"]):
            matrix = target(family, seed, data.X.shape[0])
            given = covariances(data.X, matrix @ data.X)
            start = drawn("near zero", [seed], layers, len(given.inputs)) / layers
            excess, along = descend(start, 1, given, [run["rate"] / layers], run["epochs"], record=(0,))
            singular = np.linalg.svd(matrix, compute_uv=False)
            gamma = max(abs(log(singular[0])), abs(log(singular[-1])))
            rows.append(
                {
                    "greatest": layers * _greatest_norm(along[-1][:, 0]),
                    "start": layers * _greatest_norm(start[:, 0]),
                    "left": excess[-1, 0] / excess[0, 0],
                    "bound": pi + layers * (exp(gamma / layers) - 1),
                    "predicted": _equal_factors(matrix, layers) if family == "positive definite" else None,
                }
            )
        found[family] = rows
    return digits10(found)


def _greatest_norm(weights: Floats) -> float:
    return float(np.max(np.linalg.norm(weights, 2, axis=(-2, -1))))


def _equal_factors(matrix: Floats, layers: int) -> float:
    """l |R^(1/l) - I| for a symmetric positive definite R."""
    values = np.linalg.eigvalsh(matrix)
    return layers * float(np.max(np.abs(values ** (1 / layers) - 1)))


WEIGHTS = Sweep("trained-weights", _weight_runs, trained_weights)


# 1200 layers.


def _deep_runs(_: Scale) -> dict[str, Parameters]:
    rates = [0.1, 0.2, 0.4, 0.8, 1.6]
    return {
        f"{kind}-{layers:04}": {"kind": kind, "layers": layers, "rates": rates, "epochs": 300}
        for layers in (12, 1200)
        for kind in ("residual", "plain")
    }


def deep_training(data: Data, run: Parameters) -> dict[str, Any]:
    """The loss above the least one along training at every rate, on the data's own targets, and that of the zero map.

    The residual network starts at Xavier weights times 0.01/l, the plain one at Xavier weights; the step is the rate over
    l.
    """
    given, layers, residual = covariances(data.X, data.Y), run["layers"], run["kind"] == "residual"
    start = drawn("near zero" if residual else "xavier", [0], layers, len(given.inputs))
    start = np.repeat(start / layers if residual else start, len(run["rates"]), axis=1)
    steps = [rate / layers for rate in run["rates"]]
    recorded = range(0, run["epochs"] + 1, 10)
    excess, _ = descend(start, int(residual), given, steps, run["epochs"], recorded)
    return digits10({"epochs": list(recorded), "excess": excess.T, "zero": given.loss_of_zero - given.least})


DEEP = Sweep("1200-layers", _deep_runs, deep_training)


def by_layers(runs: Mapping[str, Any]) -> list[Any]:
    """Runs in the order of their numbers of layers."""
    found: Sequence[Any] = sorted(runs.values(), key=lambda one: one.parameters["layers"])
    return list(found)
