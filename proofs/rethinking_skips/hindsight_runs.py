"""The runs behind section 6.5: plain networks whose weights start, or are kept, near multiples of orthogonal matrices.

`He` starts at He's weights; `orthogonal` at orthogonal ones times the root of 2, which ReLUs halve in the mean square;
`identity` at the identity; `flattened` at He's weights, with a penalty that draws all singular values of a layer to one,

    P = (beta/4) sum_l |W^T W - tau I|^2,  tau = tr(W^T W)/d,    with gradient beta W (W^T W - tau I),

for tau's own derivative meets tr(W^T W - tau I) = 0. `DiracNet` has layers W + diag(a) from He's W and a = 1, printed in
Equation 28. With V = W + diag(a) and G the gradient in V, gradient descent on W and a moves V by G + diag(G): that is how
it is computed, momentum and decay being linear. a itself follows from D = diag(W) - a, on which G does not act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.descent import Schedule, momentum_descent
from resproof.numeric.training.networks import Blocks, Weights
from resproof.numeric.training.start import drawn
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.rethinking_skips.training_runs import BATCH, Split, at_every_rate, split, start
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]
STARTS = ("He", "orthogonal", "identity", "flattened", "DiracNet")
PENALTY = 0.01
"""beta."""


def _runs(scale: Scale) -> dict[str, Parameters]:
    sizes: Mapping[str, Any] = {
        "default": {"rates": [0.1, 0.01, 0.001], "seeds": 2, "epochs": 20},
        "paper": {"rates": [0.1, 0.01, 0.001, 0.0001], "seeds": 5, "epochs": 200},
    }[scale]
    return {
        f"{name}-{'normalised' if normalised else 'bare'}": {
            "kind": "PlainNet",
            "start": name,
            "normalised": normalised,
            "layers": 110,
            "width": 32,
            "units": "relu",
            **sizes,
        }
        for normalised in (False, True)
        for name in STARTS
    }


def plain_trained(data: Data, run: Parameters) -> dict[str, Any]:
    """Curves at every rate; of a DiracNet, the mean of |a - 1| when training ends at the best rate, by seed."""
    given, net = split(data), Blocks(shortcut=False, normalised=run["normalised"])
    shape = {"flattened": flatten, "DiracNet": double_diagonal}.get(run["start"])
    found = at_every_rate(given, net, started(given, run), run, shape)
    if run["start"] == "DiracNet":
        found["moved"] = _moved(given, net, run, run["rates"][found["best"]])
    return found


def started(given: Split, run: Parameters) -> Weights:
    """The weights at the start, of every seed."""
    seeds, width = list(range(run["seeds"])), run["width"]
    weights = start(given, run, seeds)
    blocks = len(weights["inner"])
    if run["start"] == "orthogonal":
        every = 2**0.5 * drawn("orthogonal", seeds, 2 * blocks, width)
        weights |= {"inner": every[::2].copy(), "outer": every[1::2].copy()}
    for name in ("inner", "outer"):
        if run["start"] == "identity":
            weights[name][...] = np.eye(width)
        if run["start"] == "DiracNet":
            weights[name] += np.eye(width)
    return weights


def flatten(weights: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The gradient with that of the penalty."""

    def pull(w: Any) -> Any:
        square, d = w.mT @ w, w.shape[-1]
        return PENALTY * w @ (square - square.trace(axis1=-2, axis2=-1)[..., None, None] / d * np.eye(d))

    return {**found, **{name: found[name] + pull(weights[name]) for name in ("inner", "outer")}}


def double_diagonal(_: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """G + diag(G)."""
    return {**found, **{name: found[name] * (1 + np.eye(found[name].shape[-1])) for name in ("inner", "outer")}}


def _moved(given: Split, net: Blocks, run: Parameters, rate: float) -> list[float | None]:
    """The mean of |a - 1| over units and layers: a = (diag(V) - D)/2."""
    seeds, how = list(range(run["seeds"])), Schedule(run["epochs"], BATCH, shape=double_diagonal)
    first = {name: _diagonals(weight) - 2.0 for name, weight in started(given, run).items()}
    steps = run["epochs"] * (given.training // BATCH)
    left = decayed(rate, steps, how)
    ends = [run["epochs"]]
    ((_, last),) = momentum_descent(net, started(given, run), given.x, given.y, [rate] * len(seeds), seeds, how, ends)
    a = np.concatenate([(_diagonals(last[name]) - left * first[name]) / 2 for name in ("inner", "outer")])
    return digits10(np.mean(np.abs(a - 1), axis=(0, 2)))


def decayed(rate: float, steps: int, how: Schedule) -> float:
    """What weight decay with momentum leaves of D, in parts of what it was."""
    value, velocity = 1.0, 0.0
    for _ in range(steps):
        velocity = how.momentum * velocity + how.decay * value
        value -= rate * velocity
    return value


def _diagonals(weights: Floats) -> Floats:
    return np.diagonal(weights, axis1=-2, axis2=-1)


PLAIN = Sweep("plain-networks", _runs, plain_trained)


def by_start(runs: Mapping[str, Any], *, normalised: bool) -> dict[str, Any]:
    """The runs with or without batch normalisation, by where they start."""
    found: Sequence[Any] = [one for one in runs.values() if one.parameters["normalised"] == normalised]
    return {one.parameters["start"]: one for one in found}
