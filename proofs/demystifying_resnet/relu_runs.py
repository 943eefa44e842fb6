"""The runs behind the halves of Figures 3 and 8 with ReLUs at the mid positions: h + W_2 relu(W_1 h), or without the h.

Plain networks have their ReLUs at the same places. Gradient descent on all samples that are taken, whitened, as in
`training_runs`; at the default scale every sixth sample is. Source: Li et al. 2016, section 5.3 and appendix B.

Near zero weights a hidden unit i with the weights w_i is active where w_i . x > 0, and alone with its half-space: to leading order
the loss depends on w_i and the column that leaves it by means over those samples, and the eigenvalues of the Hessian are
+- sigma_j(M_i), j = 1, ..., d, of every unit of every block, with

    M_i = (1/m) sum over w_i . x > 0 of (x - y) x^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.descent import Schedule, momentum_descent
from resproof.numeric.training.networks import Blocks, Weights, losses, outputs
from resproof.numeric.training.start import drawn
from resproof.proofs.demystifying_resnet.training_runs import KINDS, near_zero_growth, spaced
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

RELU_KINDS = ("2-shortcut", "orthogonal", "Xavier")
_SIZES: Mapping[Scale, Mapping[str, int]] = {
    "default": {"epochs": 1000, "every": 6, "seeds": 3},
    "paper": {"epochs": 1000, "every": 1, "seeds": 10},
}
_UNITS = 256
"""So many are looked at together."""
_DEPTHS: Mapping[Scale, Sequence[int]] = {"default": (4, 16, 64), "paper": (4, 8, 16, 32, 64)}


def network(kind: str) -> Blocks:
    """Blocks with a ReLU at mid alone."""
    return Blocks(KINDS[kind].shortcut_depth == 2, normalised=False, after=False)


def started(kind: str, seeds: Sequence[int], layers: int, d: int) -> Weights:
    """Near zero with shortcuts, at orthogonal or at Xavier weights without."""
    weights = drawn(KINDS[kind].start, seeds, layers, d)
    return {"inner": weights[::2].copy(), "outer": weights[1::2].copy()}


def descent(run: Parameters, samples: int) -> Schedule:
    """Plain gradient descent on all of them."""
    return Schedule(run["epochs"], samples, momentum=0.0, decay=0.0, loss="squared")


def taken(data: Data, run: Parameters) -> tuple[Any, Any]:
    """The samples that a run takes."""
    return np.ascontiguousarray(data.X[:, :: run["every"]]), np.ascontiguousarray(data.Y[:, :: run["every"]])


def half_spaces(inner: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[Any]:
    """sigma_j(M_i) of all units, in no order; `inner` has them in its rows."""
    units, (d, samples) = inner.reshape(-1, x.shape[0]), x.shape
    pairs = ((x - y)[:, None] * x).reshape(d * d, samples)  # (x - y) x^T of every sample
    portions = np.array_split(units, -(-len(units) // _UNITS))
    found = np.concatenate([(portion @ x > 0).astype(np.float64) @ pairs.T for portion in portions]) / samples
    return np.ravel(np.linalg.svd(found.reshape(-1, d, d), compute_uv=False))


# Figure 3, right.


def _norm_runs(scale: Scale) -> dict[str, Parameters]:
    return {f"{layers:02}": {"layers": layers, "rate": 0.1, **_SIZES[scale]} for layers in _DEPTHS[scale]}


def norms_with_relu(data: Data, run: Parameters) -> dict[str, Any]:
    """The mean Frobenius norm of the layers of 2-shortcut networks along training, by seed and epoch recorded.

    For comparison: by how much weights near zero grow while the half-spaces of their units stay what they are.
    """
    (x, y), seeds, recorded = taken(data, run), list(range(run["seeds"])), spaced(run["epochs"], 60)
    weights = started("2-shortcut", seeds, run["layers"], len(x))
    how, rates = descent(run, x.shape[1]), [run["rate"]] * len(seeds)
    grown = near_zero_growth(half_spaces(weights["inner"], x, y), run["rate"], recorded)
    norms = [
        np.mean([np.mean(np.linalg.norm(now[name], axis=(-2, -1)), axis=0) for name in ("inner", "outer")], axis=0)
        for _, now in momentum_descent(network("2-shortcut"), weights, x, y, rates, seeds, how, recorded)
    ]
    return digits10({"epochs": recorded, "norms": np.stack(norms, axis=1), "grown": grown})


NORMS = Sweep("norms-relu", _norm_runs, norms_with_relu)


# Figure 8.


def _rate_runs(scale: Scale) -> dict[str, Parameters]:
    steps, high = {"default": (2, 1.0), "paper": (4, 10.0)}[scale]
    rates = [float(f"{high * 10 ** (-k / steps):.6g}") for k in range(2 * steps, -1, -1)]
    return {
        f"{kind}-{layers:02}": {"kind": kind, "layers": layers, "rates": rates, **_SIZES[scale]}
        for layers in _DEPTHS[scale]
        for kind in RELU_KINDS
    }


def final_losses_with_relu(data: Data, run: Parameters) -> dict[str, Any]:
    """The last loss at every rate and seed, None where a run diverged; and that of the zero map."""
    (x, y), seeds, rates = taken(data, run), list(range(run["seeds"])), run["rates"]
    first = started(run["kind"], seeds, run["layers"], len(x))
    weights = {name: np.tile(weight, (1, len(rates), 1, 1)) for name, weight in first.items()}
    every, net = [rate for rate in rates for _ in seeds], network(run["kind"])
    how, ends = descent(run, x.shape[1]), [run["epochs"]]
    ((_, last),) = momentum_descent(net, weights, x, y, every, seeds * len(rates), how, ends)
    with np.errstate(all="ignore"):
        found = losses("squared", outputs(net, last, x), y).reshape(len(rates), len(seeds))
    return digits10({"losses": found, "zero": float(np.sum(y * y)) / (2 * y.shape[1])})


RATES = Sweep("learning-rates-relu", _rate_runs, final_losses_with_relu)
