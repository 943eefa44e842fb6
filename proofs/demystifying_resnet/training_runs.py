"""The runs behind the paper's experiments on linear networks: whitened data, gradient descent on all of them.

Depth counts layers. "Near zero" weights are Xavier weights times 0.01, in the networks with shortcuts; orthogonal and
Xavier weights go into plain networks. A run's random numbers depend on its own seeds alone. Source: Li et al. 2016,
section 5 and appendix B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.covariances import Covariances, covariances
from resproof.numeric.training.descent import descend
from resproof.numeric.training.networks import Linear, gradients
from resproof.numeric.training.start import drawn
from resproof.proofs.demystifying_resnet.moduli import moduli
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]


class Kind(NamedTuple):
    """A kind of network, and where its training starts; a shortcut depth of 0 means no shortcuts."""

    start: str
    shortcut_depth: int


KINDS: Mapping[str, Kind] = {
    "1-shortcut": Kind("near zero", 1),
    "2-shortcut": Kind("near zero", 2),
    "3-shortcut": Kind("near zero", 3),
    "orthogonal": Kind("orthogonal", 0),
    "Xavier": Kind("xavier", 0),
}


# Initial condition numbers (Figure 4).

_INITIAL = ("2-shortcut", "orthogonal", "Xavier")
_INITIAL_DEPTHS: Mapping[Scale, Sequence[int]] = {
    "default": (2, 4, 8, 16, 32),
    "paper": (2, 4, 8, 16, 32, 48, 64, 96),
}


def _initial_runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{kind}-{layers:02}": {"kind": kind, "layers": layers, "draws": 10}
        for layers in _INITIAL_DEPTHS[scale]
        for kind in _INITIAL
    }


def initial_conditions(data: Data, run: Parameters) -> dict[str, Any]:
    """Greatest modulus and tenth percentile of the Hessian's eigenvalues where training starts, of every draw.

    For comparison: the condition number of S - T, which Theorem 2 gives for 2-shortcut networks at zero; and for
    orthogonal weights floor(L/2) |A| / |D - A|, which GEN-3 gives as a lower bound.
    """
    given, kind = covariances(data.X, data.Y), KINDS[run["kind"]]
    weights = drawn(kind.start, range(run["draws"]), run["layers"], len(given.inputs))
    spectra = [moduli(weights[:, draw], kind.shortcut_depth, given) for draw in range(run["draws"])]
    found: dict[str, Any] = {"greatest": [one.greatest for one in spectra], "tenth": [one.tenth for one in spectra]}
    if kind.start == "near zero":
        core = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
        found["predicted"] = core[0] / core[-1]
    if kind.start == "orthogonal":
        found["bound"] = [growth_bound(weights[:, draw], given) for draw in range(run["draws"])]
    return digits10(found)


def growth_bound(weights: Floats, data: Covariances) -> float:
    """floor(L/2) |A| / |D - A| for a plain network at orthogonal weights W_1, ..., W_L."""
    across, difference = _norms_of_blocks(weights, data)
    return len(weights) // 2 * across / difference


def steepest_bound(weights: Floats, data: Covariances) -> float:
    """floor(L/2) |A|, which the greatest modulus of an eigenvalue there is at least."""
    return len(weights) // 2 * _norms_of_blocks(weights, data)[0]


def _norms_of_blocks(weights: Floats, data: Covariances) -> tuple[float, float]:
    """|A| and |D - A| of the 1-shortcut network at zero with targets P^T Y, P = W_L ... W_1.

    Its Hessian is, in other coordinates, that of the plain network at W (DR-init). With M = S - P^T T,
    (D - A) V = -M V^T and D V = V S (GEN-3).
    """
    product, d = np.eye(len(data.inputs)), len(data.inputs)
    for layer in weights:
        product = layer @ product
    gap = data.inputs - product.T @ data.targets
    basis = np.eye(d * d).reshape(d * d, d, d)  # every V once
    across = (basis @ data.inputs + gap @ basis.mT).reshape(d * d, d * d)
    return float(np.linalg.norm(across, 2)), float(np.linalg.norm(gap, 2))


INITIAL = Sweep("initial-conditions", _initial_runs, initial_conditions)


# Norms along training (Figure 3).

_NORM_DEPTHS: Mapping[Scale, Sequence[int]] = {"default": (4, 8, 16, 32, 64, 96), "paper": (4, 8, 16, 32, 64, 96)}
_NORM_SEEDS: Mapping[Scale, int] = {"default": 5, "paper": 10}
_NORM_RATE = 0.1


def _norm_runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{layers:02}": {"layers": layers, "rate": _NORM_RATE, "epochs": 1000, "seeds": _NORM_SEEDS[scale]}
        for layers in _NORM_DEPTHS[scale]
    }


def norms_along(data: Data, run: Parameters) -> dict[str, Any]:
    """The mean Frobenius norm of the layers of 2-shortcut networks along training, and the loss above the least.

    For comparison: the singular values of S - T, by which weights near zero grow (`near_zero_growth`).
    """
    given = covariances(data.X, data.Y)
    seeds, kind = range(run["seeds"]), KINDS["2-shortcut"]
    weights = drawn(kind.start, seeds, run["layers"], len(given.inputs))
    rates, recorded = [run["rate"]] * len(seeds), spaced(run["epochs"], 60)
    excess, along = descend(weights, kind.shortcut_depth, given, rates, run["epochs"], recorded)
    norms = np.mean(np.linalg.norm(along, axis=(-2, -1)), axis=1)
    core = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
    return digits10({"epochs": recorded, "norms": norms.T, "excess": excess.T, "core": core})


def near_zero_growth(
    core: Sequence[float] | NDArray[Any], rate: float, epochs: Sequence[int], *, gradient: bool = False
) -> Floats:
    """By what factor the root mean square of weights near zero has grown, whatever the depth of a 2-shortcut network.

    There the Hessian is block diagonal with eigenvalues +- sigma_i (Theorem 2), so that independent weights are multiplied
    in the mean square by ((1 + eta sigma_i)^2t + (1 - eta sigma_i)^2t)/2, averaged over i; the gradient likewise, the average
    weighted with sigma_i^2.
    """
    sigma, t = np.asarray(core)[:, None], np.asarray(epochs)
    with np.errstate(over="ignore"):
        square = ((1 + rate * sigma) ** (2.0 * t) + (1 - rate * sigma) ** (2.0 * t)) / 2
    return np.sqrt(np.average(square, axis=0, weights=np.ravel(sigma) ** (2 * gradient)))


def spaced(epochs: int, count: int) -> list[int]:
    """Zero and epochs up to the last, evenly spaced on a logarithmic scale; neighbours that round to one are one."""
    return sorted({0, *(round(float(one)) for one in np.geomspace(1, epochs, count))})


NORMS = Sweep("norms", _norm_runs, norms_along)


# Learning rates (Figure 7).

_RATE_DEPTHS = (6, 12, 24, 48, 96)
_RATES: Mapping[Scale, tuple[float, float, int]] = {"default": (-3.0, 0.5, 4), "paper": (-4.0, 1.0, 8)}
"""The logarithms of the least and the greatest rate, and how many there are in a decade."""
_RATE_SEEDS: Mapping[Scale, int] = {"default": 5, "paper": 10}


def _rate_runs(scale: Scale) -> dict[str, Parameters]:
    low, high, steps = _RATES[scale]
    count = round((high - low) * steps) + 1
    rates = [float(f"{10 ** (low + k / steps):.6g}") for k in range(count)]
    return {
        f"{layers:02}": {"layers": layers, "rates": rates, "epochs": 1000, "seeds": _RATE_SEEDS[scale]}
        for layers in _RATE_DEPTHS
    }


def final_losses(data: Data, run: Parameters) -> dict[str, Any]:
    """The last loss above the least one of every kind of network at every rate and seed; None where a run diverged.

    For comparison: floor(L/2) |A| at each draw of orthogonal weights, which the greatest eigenvalue there is at least
    (GEN-3).
    """
    given, rates, seeds = covariances(data.X, data.Y), run["rates"], range(run["seeds"])
    starts = {name: drawn(kind.start, seeds, run["layers"], len(given.inputs)) for name, kind in KINDS.items()}
    every, excess = [rate for rate in rates for _ in seeds], dict[str, Floats]()
    for name, start in starts.items():
        weights = np.tile(start, (1, len(rates), 1, 1))
        found, _ = descend(weights, KINDS[name].shortcut_depth, given, every, run["epochs"])
        excess[name] = found[-1].reshape(len(rates), len(seeds))
    steepest = [steepest_bound(starts["orthogonal"][:, seed], given) for seed in seeds]
    return digits10({"excess": excess, "steepest": steepest, "least": given.least})


RATES = Sweep("learning-rates", _rate_runs, final_losses)


# Spectra along training (Figures 5 and 6).

ALONG = {"2-shortcut": 0.3, "orthogonal": 0.03}
"""The kinds that are followed, each at a learning rate."""
_ALONG_SEEDS: Mapping[Scale, int] = {"default": 3, "paper": 10}
_ALONG_POINTS: Mapping[Scale, int] = {"default": 24, "paper": 60}


def _spectrum_runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{kind}-{seed}": {
            "kind": kind,
            "rate": rate,
            "seed": seed,
            "layers": 16,
            "epochs": 1000,
            "points": _ALONG_POINTS[scale],
        }
        for seed in range(_ALONG_SEEDS[scale])
        for kind, rate in ALONG.items()
    }


def spectra_along(data: Data, run: Parameters) -> dict[str, Any]:
    """Eigenvalues of the Hessian, loss above the least and norm of the gradient at points along one run.

    The points are spaced evenly in the logarithm of the loss above the least one. For comparison: what Theorem 2 says of
    2-shortcut networks at zero, by the singular values of S - T.
    """
    given, kind = covariances(data.X, data.Y), KINDS[run["kind"]]
    start = drawn(kind.start, [run["seed"]], run["layers"], len(given.inputs))
    epochs, depth = range(run["epochs"] + 1), kind.shortcut_depth
    excess, along = descend(start, depth, given, [run["rate"]], run["epochs"], epochs)
    # Every epoch as a run of its own.
    _, found = gradients(Linear(depth), "squared", {"layers": np.moveaxis(along[:, :, 0], 0, 1)}, *given.columns())
    slopes = np.linalg.norm(np.moveaxis(found["layers"], 1, 0).reshape(len(epochs), -1), axis=1)
    points, recorded = evenly(excess[:, 0], run["points"]), spaced(run["epochs"], 120)
    spectra = [moduli(along[epoch][:, 0], depth, given) for epoch in points]
    core = np.linalg.svd(given.inputs - given.targets, compute_uv=False)
    return digits10(
        {
            "epochs": points,
            "excess": excess[points, 0],
            "greatest": [one.greatest for one in spectra],
            "tenth": [one.tenth for one in spectra],
            "negative": [one.negative for one in spectra],
            "gradient": {
                "epochs": recorded,
                "norms": slopes[recorded],
                "near zero": slopes[0] * near_zero_growth(core, run["rate"], recorded, gradient=True),
            },
            "steepest_epoch": int(np.argmax(slopes)),
            "core": core,
        }
    )


def evenly(excess: Floats, count: int) -> list[int]:
    """Epochs at which the logarithm of the loss first falls to evenly spaced values, with the first and the last epoch."""
    levels = np.geomspace(excess[0], np.min(excess), count)
    return sorted({0, len(excess) - 1, *(int(np.argmax(excess <= level * (1 + 1e-12))) for level in levels)})


SPECTRA = Sweep("spectra-along-training", _spectrum_runs, spectra_along)
