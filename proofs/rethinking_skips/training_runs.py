"""The runs behind the paper's experiments: PlainNet, ResNet and ResNeXt, fully connected, trained on images.

Layer 1 is the stem, the blocks have two layers each, layer L is the head; every fifth sample is kept for the test. What
the text leaves open is chosen thus: batch normalisation after every product of a block, as in the networks that it
names (He et al. 2016, Xie et al. 2017), and ResNeXt with two paths of full width. In the test the training samples give
the means and variances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.descent import Schedule, momentum_descent
from resproof.numeric.training.networks import Blocks, Loss, Weights, accuracy, each_run, losses, outputs, turned
from resproof.numeric.training.start import normal
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.rethinking_skips.conditions import Singularity, conditions
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]


class NetworkKind(NamedTuple):
    """A kind of network: whether blocks have shortcuts, and over how many paths they sum."""

    shortcut: bool
    paths: int


KINDS: Mapping[str, NetworkKind] = {
    "PlainNet": NetworkKind(False, 1),
    "ResNet": NetworkKind(True, 1),
    "ResNeXt": NetworkKind(True, 2),
}

_RATES: Mapping[Scale, Sequence[float]] = {"default": (0.1, 0.01, 0.001), "paper": (0.1, 0.01, 0.001, 0.0001)}
_EPOCHS: Mapping[Scale, int] = {"default": 20, "paper": 200}
_SEEDS: Mapping[Scale, int] = {"default": 3, "paper": 5}
BATCH = 128
MEASURED = 4096
"""What all layers have at more samples at once would take tens of gigabytes."""


def _runs(scale: Scale, layers: Sequence[int], width: int, units: str, normalised: bool) -> dict[str, Parameters]:
    return {
        f"{kind}-{depth:03}": {
            "kind": kind,
            "layers": depth,
            "width": width,
            "units": units,
            "normalised": normalised,
            "rates": list(_RATES[scale]),
            "seeds": _SEEDS[scale],
            "epochs": _EPOCHS[scale],
        }
        for depth in layers
        for kind in KINDS
    }


def _relu_runs(scale: Scale) -> dict[str, Parameters]:
    return _runs(scale, {"default": (20, 56, 110), "paper": (20, 56, 110, 200)}[scale], 32, "relu", True)


def _linear_runs(scale: Scale) -> dict[str, Parameters]:
    """As wide as the data have rows: in a wider linear network every hidden representation is singular."""
    return _runs(scale, (164,), 10, "linear", True)


def _bare_runs(scale: Scale) -> dict[str, Parameters]:
    return _runs(scale, (110,), 32, "relu", False)


class Split(NamedTuple):
    """Samples to train with, and all samples with those first."""

    x: Floats
    y: Floats
    every_x: Floats
    every_y: Floats

    @property
    def training(self) -> int:
        """How many there are to train with."""
        return self.x.shape[1]


def split(data: Data) -> Split:
    """Every fifth sample is for the test."""
    test = np.arange(data.X.shape[1]) % 5 == 4
    order = np.concatenate([np.flatnonzero(~test), np.flatnonzero(test)])
    x, y = data.X[:, order], data.Y[:, order]
    count = int(np.sum(~test))
    return Split(np.ascontiguousarray(x[:, :count]), np.ascontiguousarray(y[:, :count]), x, y)


def trained(data: Data, run: Parameters) -> dict[str, Any]:
    """Curves at every rate, and at the best one what is measured in each layer."""
    given, net, seeds = split(data), network(run), list(range(run["seeds"]))
    found = at_every_rate(given, net, start(given, run, seeds), run)
    how, rate = Schedule(run["epochs"], BATCH), run["rates"][found["best"]]
    layers = {
        str(epoch): measured(net, weights, given, rate, KINDS[run["kind"]].paths)
        for epoch, weights in momentum_descent(
            net, start(given, run, seeds), given.x, given.y, [rate] * len(seeds), seeds, how, snapshots(run["epochs"])
        )
    }
    return {**found, "layers": layers}


def snapshots(epochs: int) -> list[int]:
    """The epochs at which layers are measured."""
    return sorted({0, 1, epochs})


def network(run: Parameters) -> Blocks:
    """What the blocks of a run are made of."""
    return Blocks(KINDS[run["kind"]].shortcut, run["units"], run["normalised"])


def start(given: Split, run: Parameters, seeds: Sequence[int]) -> Weights:
    """Independent normal entries of variance 2/columns in every path, half of that for linear units and in the head.

    Source: He et al. 2015, Equation 10.
    """
    (inputs, _), outputs, width, blocks = given.x.shape, given.y.shape[0], run["width"], (run["layers"] - 2) // 2
    gain, units = 2.0 if run["units"] == "relu" else 1.0, KINDS[run["kind"]].paths * width
    sizes = {
        "stem": (gain / inputs, (width, inputs)),
        "inner": (gain / width, (blocks, units, width)),
        "outer": (gain / width, (blocks, width, units)),
        "head": (1.0 / width, (outputs, width)),
    }
    return normal(seeds, sizes)


def at_every_rate(
    given: Split,
    net: Blocks,
    first: Weights,
    run: Parameters,
    shape: Callable[[Any, Any], Any] | None = None,
) -> dict[str, Any]:
    """Losses and accuracies on both parts along training, by rate, seed and epoch recorded, and the place of the best rate.

    All rates and seeds are one program, from the weights `first`, one run for each seed. The best rate has the least training
    loss at the end, in the mean over the seeds; one at which a seed's is not finite is none. Where there is no other,
    the last counts.
    """
    rates, seeds = run["rates"], list(range(run["seeds"]))
    recorded = sorted({0, 1, 2, *(round(run["epochs"] * part / 10) for part in range(11))})
    weights = {name: np.concatenate([weight] * len(rates), axis=-3) for name, weight in first.items()}
    every = [rate for rate in rates for _ in seeds]
    how = Schedule(run["epochs"], BATCH, shape=shape)
    found: dict[str, list[Floats]] = {}
    for _, now in momentum_descent(net, weights, given.x, given.y, every, seeds * len(rates), how, recorded):
        output = outputs(net, now, given.every_x, given.training)
        for part, mine in (("train", slice(None, given.training)), ("test", slice(given.training, None))):
            told = output[..., mine], given.every_y[:, mine]
            with np.errstate(all="ignore"):
                found.setdefault(f"{part} loss", []).append(losses("cross-entropy", *told))
            found.setdefault(f"{part} accuracy", []).append(accuracy(*told))
    curves = {name: np.stack(values, axis=-1).reshape(len(rates), len(seeds), -1) for name, values in found.items()}
    ends = np.mean(curves["train loss"][:, :, -1], axis=1)
    best = int(np.nanargmin(ends)) if np.isfinite(ends).any() else len(rates) - 1
    return {"epochs": recorded, "best": best, "curves": digits10(curves)}


# What is measured in each layer.


def measured(net: Blocks, weights: Weights, given: Split, rate: float, paths: int) -> dict[str, Any]:
    """Of every layer and seed on the training samples, the first MEASURED of them at most: how singular W, H, Delta and the gradient G are, and their ranges.

    Lists are by seed, then by layer 1 to L (of H to L - 1). Condition numbers are logarithms to base ten, None where one is
    infinite or not finite; in a block every path counts for itself, in the mean of the logarithms. `update` is log10 of rate |G|/|W|.
    """
    x, y = given.x[:, :MEASURED], given.y[:, :MEASURED]
    with np.errstate(all="ignore"):
        seen = passed(net, "cross-entropy", weights, x, y)
        hidden = [seen.states[0]]
        for inner, state in zip(seen.inner, seen.states[1:], strict=True):
            hidden += [inner, state]
        own, deltas, gradients = map(_layers, (weights, seen.deltas, seen.gradients))
        width = seen.states[0].shape[-2]
        sizes = [np.array([[np.linalg.norm(one) for one in each] for each in many]) for many in (own, gradients)]
        found: dict[str, Any] = {
            "W": _told(_inside(own, lambda one: _of_paths(one, paths))),
            "H": _told([_of_units(one, width) for one in hidden], units=True),
            "Delta": _told(_inside(deltas, lambda one: _of_units(one, width))),
            "G": _told(_inside(gradients, lambda one: _of_paths(one, paths))),
            "update": _short(np.log10(rate * sizes[1] / sizes[0]).T),
        }
        places = (0, len(own) - 3)  # layers 1 and L - 2, the paper's 1 and 108 of 110
        greatest = {"activations": hidden, "weights": own, "gradients": gradients}
        found["greatest"] = {
            name: _short(np.array([[np.max(np.abs(one)) for one in many[place]] for place in places]).T, 4)
            for name, many in greatest.items()
        }
        found["solutions"] = [sensitivity(one, y) for one in hidden[-1]]
    return found


class Passed(NamedTuple):
    """H_0, ..., H_B and U_1, ..., U_B; Delta and the gradient Delta H^T of a layer, by the weights' names."""

    states: list[Floats]
    inner: list[Floats]
    deltas: Weights
    gradients: Weights


def passed(net: Blocks, loss: Loss, weights: Weights, x: Floats, y: Floats) -> Passed:
    """What the loss at X and Y is made of, in every run; Delta, of a layer, is its derivative in W H."""
    (found, deltas), (first, inner, states) = each_run(_forward_and_back, (net, loss), turned(weights), x, y)
    return Passed([first, *states.swapaxes(0, 1)], list(inner.swapaxes(0, 1)), turned(deltas), turned(found))


def _forward_and_back(net: Blocks, loss: Loss, one: Any, x: Any, y: Any) -> Any:
    """The derivatives in the weights and in what is added to the products W H, and the states of one run."""
    import jax

    def value(one: Any, shifts: Any) -> Any:
        f, *kept = net.passed(one, x, None, shifts)
        return losses(loss, f, y, jax.numpy), kept

    shifts = {name: np.zeros((*weight.shape[:-1], x.shape[-1])) for name, weight in one.items()}
    return jax.grad(value, argnums=(0, 1), has_aux=True)(one, shifts)


def sensitivity(h: Floats, y: Floats) -> dict[str, float | None]:
    """How the least-squares solution of Theta H = Y changes with H: |dTheta|/|Theta| over |dH|/|H|, and kappa(H).

    The greatest of eleven dH of the relative size 10^-6: ten random ones and, with the residual R = Y - Theta H, the one that R
    magnifies most. R H^T = 0, so that dTheta = R dH^T (H H^T)^{-1} - Theta dH H^+ is |R|/s^2 for dH = u v^T, s the least singular
    value of H, u its left vector and v the first right one of R. None where H lacks rank, for Theta is not continuous there.
    """
    (condition,), (rank,) = (getattr(conditions(h[None]), name) for name in ("kappa", "rank"))
    if rank < len(h) or not np.isfinite(condition):
        return {"change": None, "kappa": None}
    theta, generator = y @ np.linalg.pinv(h), np.random.default_rng(0)
    left, right = np.linalg.svd(h, full_matrices=False)[0][:, -1:], np.linalg.svd(y - theta @ h, full_matrices=False)[2]
    changes = list[float]()
    for change in [*(generator.standard_normal(h.shape) for _ in range(10)), left * right[0]]:
        small = 1e-6 * np.linalg.norm(h, 2) / np.linalg.norm(change, 2)
        moved = y @ np.linalg.pinv(h + small * change)
        changes.append(1e6 * float(np.linalg.norm(moved - theta, 2) / np.linalg.norm(theta, 2)))
    return digits10({"change": max(changes), "kappa": float(condition)})


def _layers(weights: Weights) -> list[Floats]:
    """Those of every layer, each of shape (runs, rows, columns)."""
    inside = [one for pair in zip(weights["inner"], weights["outer"], strict=True) for one in pair]
    return [weights["stem"], *inside, weights["head"]]


def _inside(layers: Sequence[Floats], read: Callable[[Floats], Singularity]) -> list[Singularity]:
    """Stem and head as they are, the layers of blocks path by path."""
    return [conditions(layers[0]), *(read(one) for one in layers[1:-1]), conditions(layers[-1])]


def _of_paths(matrices: Floats, paths: int) -> Singularity:
    """Of a layer's weights or gradients, path by path: those of a block have the paths in its rows or its columns."""
    rows, columns = matrices.shape[-2:]
    if rows == paths * columns:
        return _together(np.split(matrices, paths, axis=-2))
    return _together(np.split(matrices, paths, axis=-1) if columns == paths * rows else [matrices])


def _of_units(values: Floats, width: int) -> Singularity:
    """Of the units' values or error signals, path by path: each path has as many units as the network is wide."""
    rows = values.shape[-2]
    return _together(np.split(values, rows // width, axis=-2) if rows > width else [values])


def _together(parts: Sequence[Floats]) -> Singularity:
    """Of the paths: the geometric means of condition numbers, the least rank, and the most dead units."""
    found = [conditions(one) for one in parts]
    kappa, alive = (
        np.exp(np.mean(np.log([getattr(one, name) for one in found]), axis=0)) for name in ("kappa", "alive")
    )
    return Singularity(
        kappa, np.min([one.rank for one in found], axis=0), np.max([one.dead for one in found], axis=0), alive
    )


def _told(layers: Sequence[Singularity], *, units: bool = False) -> dict[str, Any]:
    """Condition numbers and ranks; of hidden representations also the dead units, and the condition without them."""
    found = {
        "kappa": _short(np.log10([one.kappa for one in layers]).T),
        "rank": _whole(np.array([one.rank for one in layers]).T),
    }
    if units:
        found["alive"] = _short(np.log10([one.alive for one in layers]).T)
        found["dead"] = _whole(np.array([one.dead for one in layers]).T)
    return found


def _short(values: Floats, digits: int = 3) -> list[list[float | None]]:
    """To so many significant digits: what is compared differs by far more."""
    return digits10([[float(f"{value:.{digits}g}") for value in each] for each in values])


def _whole(values: Floats) -> list[list[int | None]]:
    return [[int(value) if np.isfinite(value) else None for value in each] for each in values]


RELU = Sweep("skip-connections", _relu_runs, trained)
LINEAR = Sweep("skip-connections-linear", _linear_runs, trained)
BARE = Sweep("skip-connections-not-normalised", _bare_runs, trained)
