"""The runs behind Figures 4, 5 and 6 with ReLUs at the mid positions: spectra of the Hessian off the ReLUs' kinks.

Near zero the eigenvalues are those of the half-spaces in which units are active (`relu_runs`). That is what is left of Theorem 2, which has M
in place of every M_i. At zero itself there is no Hessian (DR-ReLU).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.descent import momentum_descent
from resproof.numeric.training.networks import Weights, gradients, hessians
from resproof.proofs.demystifying_resnet.moduli import Moduli, moduli_of
from resproof.proofs.demystifying_resnet.relu_runs import RELU_KINDS, descent, half_spaces, network, started, taken
from resproof.proofs.demystifying_resnet.training_runs import evenly, near_zero_growth, spaced
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]
_EVERY: Mapping[Scale, int] = {"default": 6, "paper": 1}


def moduli_with_relu(kind: str, weights: Weights, x: Floats, y: Floats) -> Moduli:
    """Those of the Hessian's eigenvalues."""
    (found,) = hessians(network(kind), "squared", weights, x, y)
    return moduli_of(np.linalg.eigvalsh(found))


def of_half_spaces(inner: Floats, x: Floats, y: Floats) -> Moduli:
    """Those of +- sigma_j(M_i) over all units."""
    values = half_spaces(inner, x, y)
    return moduli_of([*values.tolist(), *(-values).tolist()])


# Figure 4.


_DEPTHS: Mapping[Scale, Sequence[int]] = {"default": (2, 4, 8, 16, 32), "paper": (2, 4, 8, 16, 32, 64)}


def _initial_runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{kind}-{layers:02}": {"kind": kind, "layers": layers, "draws": 10, "every": _EVERY[scale]}
        for layers in _DEPTHS[scale]
        for kind in RELU_KINDS
    }


def initial_conditions_with_relu(data: Data, run: Parameters) -> dict[str, Any]:
    """Greatest modulus and tenth percentile where training starts, of every draw; near zero also those of half-spaces."""
    x, y = taken(data, run)
    starts = [started(run["kind"], [draw], run["layers"], len(x)) for draw in range(run["draws"])]
    found = {"": [moduli_with_relu(run["kind"], one, x, y) for one in starts]}
    if run["kind"] == "2-shortcut":
        found["predicted "] = [of_half_spaces(one["inner"], x, y) for one in starts]
    return digits10(
        {
            f"{name}{part}": [getattr(one, part) for one in each]
            for name, each in found.items()
            for part in ("greatest", "tenth")
        }
    )


INITIAL = Sweep("initial-conditions-relu", _initial_runs, initial_conditions_with_relu)


# Figures 5 and 6.


def _spectrum_runs(scale: Scale) -> dict[str, Parameters]:
    seeds, points = {"default": (3, 24), "paper": (10, 60)}[scale]
    return {
        f"{kind}-{seed}": {
            "kind": kind,
            "rate": 0.3,
            "seed": seed,
            "layers": 16,
            "epochs": 1000,
            "points": points,
            "every": _EVERY[scale],
        }
        for seed in range(seeds)
        for kind in ("2-shortcut", "orthogonal")
    }


def spectra_with_relu(data: Data, run: Parameters) -> dict[str, Any]:
    """Eigenvalues of the Hessian, loss and norm of the gradient at points along one run, evenly spaced in the logarithm of the loss.

    For comparison: the moduli that the half-spaces of the first weights give, and by how much the gradient grows near zero while they
    stay what they are.
    """
    (x, y), kind, net = taken(data, run), run["kind"], network(run["kind"])
    along, heights, slopes = list[Weights](), list[float](), list[float]()
    first = started(kind, [run["seed"]], run["layers"], len(x))
    for _, now in momentum_descent(net, first, x, y, [run["rate"]], [run["seed"]], descent(run, x.shape[1])):
        height, found = gradients(net, "squared", now, x, y)
        along.append(now)
        heights.append(float(height[0]))
        slopes.append(float(np.linalg.norm([np.linalg.norm(one) for one in found.values()])))
    points, recorded = evenly(np.array(heights), run["points"]), spaced(run["epochs"], 120)
    spectra = [moduli_with_relu(kind, along[epoch], x, y) for epoch in points]
    start, values = of_half_spaces(along[0]["inner"], x, y), half_spaces(along[0]["inner"], x, y)
    return digits10(
        {
            "epochs": points,
            "loss": [heights[epoch] for epoch in points],
            **{part: [getattr(one, part) for one in spectra] for part in ("greatest", "tenth", "negative")},
            "gradient": {
                "epochs": recorded,
                "norms": [slopes[epoch] for epoch in recorded],
                "near zero": slopes[0] * near_zero_growth(values, run["rate"], recorded, gradient=True),
            },
            "steepest_epoch": int(np.argmax(slopes)),
            "half-spaces": [start.greatest, start.tenth],
        }
    )


SPECTRA = Sweep("spectra-along-training-relu", _spectrum_runs, spectra_with_relu)
