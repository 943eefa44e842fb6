"""Figures 2 and 9: norms and test errors of convolutional residual networks; `convolution_runs` has the runs.

The criteria were fixed before the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from resproof.proofs.demystifying_resnet.convolution_runs import CONVOLUTIONS, SHORTCUT_DEPTHS
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.experiments import falls_with_depth, late_crossing, shuffled_depths
from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen

_SETTING = (
    "Networks of 12, 48 and 192 layers with 8 channels on scikit-learn's digits, 8 x 8 pixels, which the first convolution, of stride 2, makes "
    "4 x 4: units of BN, ReLU and 3 x 3 convolution, He's weights, every third digit for training and the others for the test, batches of 64, "
    "20 epochs, momentum 0.9, weight decay 0.0001, the rate 0.1, a tenth of it after 8 epochs and a hundredth after 12, 2 seeds"
)


def of_depth(runs: Runs, shortcut_depth: int) -> dict[str, Ran]:
    """The runs of one shortcut depth."""
    return {name: one for name, one in runs.items() if one.parameters["shortcut_depth"] == shortcut_depth}


# Figure 2: norms.


def _ordered_along(runs: Runs) -> Seen:
    ordered = sorted(of_depth(runs, 2).values(), key=lambda one: one.parameters["layers"])
    along = np.array([np.mean(np.array(one.found["norms"], dtype=float), axis=0)[1:] for one in ordered])
    falling = np.all(along[1:] < along[:-1], axis=0)
    told = f"at {falling.sum()} of {falling.size} epochs"
    if not falling.all():
        told += f", last not at epoch {1 + int(np.flatnonzero(~falling)[-1])}"
    return Seen(bool(falling.all()), told)


def _among_two(falsify: Callable[[Runs], Runs]) -> Callable[[Runs], Runs]:
    """Of the networks of shortcut depth 2 alone."""
    return lambda runs: {**runs, **falsify(of_depth(runs, 2))}


FIGURE_2 = Experiment(
    id="DR-F2",
    title="Norms in convolutional networks",
    source=source("A", "Figure 2", "The average Frobenius norms of ResNets of different depths during", "Figure 2"),
    described="Average Frobenius norms of the weights of convolutional ResNets on CIFAR-10 along 200 epochs, the rate falling twice: the deeper the "
    "network, the smaller, during training and when it ends.",
    protocol=f"{_SETTING}; shortcut depth 2; the norm is averaged over layers and seeds.",
    sweep=CONVOLUTIONS,
    criteria=(
        Criterion(
            "When training ends, every deeper network has the smaller average norm.",
            lambda runs: falls_with_depth(of_depth(runs, 2)),
            {"The deepest network has the greatest.": _among_two(shuffled_depths)},
        ),
        Criterion(
            "So it is after every epoch.",
            _ordered_along,
            {
                "Two depths come in the other order until the last epoch.": _among_two(late_crossing),
                "The deepest network has the greatest.": _among_two(shuffled_depths),
            },
        ),
    ),
    remark=r"He's weights have the same norm at every depth, $\sqrt{2 c}$ with $c$ channels in the root mean square, which is drawn. The output does not "
    "depend on the scale of a layer that a normalisation follows, nor on the common scale of all layers that add to the stream: gradients are orthogonal "
    "to those weights, so that their norms grow by the squares of the steps (but for weight decay), and steps are the smaller the more layers share the loss. "
    "Draws differ by half a percent in their mean norm, which the first epochs do not undo. By how much norms grow nothing here predicts: the Hessian at "
    "zero weights that Theorem 2 has is not there with normalisation.",
)


# Figure 9: test errors.


def errors_of_depth(runs: Runs, shortcut_depth: int) -> dict[int, float]:
    """The mean over seeds, in percent, by number of layers."""
    found = {
        one.parameters["layers"]: 100 * (1 - float(np.mean(one.found["test accuracy"])))
        for one in of_depth(runs, shortcut_depth).values()
    }
    return dict(sorted(found.items()))


def _told(found: Mapping[int, float]) -> str:
    return ", ".join(f"{layers}: {error:.2f} %" for layers, error in found.items())


def _two_gains(runs: Runs) -> Seen:
    found = errors_of_depth(runs, 2)
    return Seen(all(late < early for early, late in pairwise(found.values())), _told(found))


def _others_degrade(runs: Runs) -> Seen:
    found = {depth: errors_of_depth(runs, depth) for depth in SHORTCUT_DEPTHS if depth != 2}
    ends = [list(each.values())[-2:] for each in found.values()]
    told = "; ".join(f"shortcut depth {depth}: {_told(each)}" for depth, each in found.items())
    return Seen(all(last > before for before, last in ends), told)


def _two_best(runs: Runs) -> Seen:
    found = {depth: list(errors_of_depth(runs, depth).values())[-1] for depth in SHORTCUT_DEPTHS}
    told = ", ".join(f"{error:.2f} % at shortcut depth {depth}" for depth, error in found.items())
    return Seen(all(found[2] < error for depth, error in found.items() if depth != 2), told)


def _accuracy(shortcut_depth: int, accuracy: Callable[[int], float]) -> Callable[[Runs], Runs]:
    """Test accuracies of one shortcut depth, from the number of layers."""

    def falsify(runs: Runs) -> Runs:
        mine = of_depth(runs, shortcut_depth)
        return {
            **runs,
            **{name: one.but(**{"test accuracy": [accuracy(one.parameters["layers"])]}) for name, one in mine.items()},
        }

    return falsify


FIGURE_9 = Experiment(
    id="DR-F9",
    title="Test errors of convolutional networks",
    source=source("A", "Figure 9", "only ResNets with shortcut 2 gain advantages from the growth of"),
    described="Test errors on CIFAR-10 against the number of layers for shortcut depth 1, 2 and 3 with as many parameters: beyond 400 layers only "
    "shortcut depth 2 gains from more, the others degrade.",
    protocol=f"{_SETTING}; shortcut depths 1, 2 and 3.",
    sweep=CONVOLUTIONS,
    criteria=(
        Criterion(
            "With shortcut depth 2 the mean test error falls with every step in depth.",
            _two_gains,
            {"It rises.": _accuracy(2, lambda layers: 0.9 - layers / 1e4)},
        ),
        Criterion(
            "With shortcut depth 1 and with 3 it rises from the last number of layers but one to the last.",
            _others_degrade,
            {f"It falls with {depth}.": _accuracy(depth, lambda layers: 0.9 + layers / 1e4) for depth in (1, 3)},
        ),
        Criterion(
            "At the greatest depth it is least with shortcut depth 2.",
            _two_best,
            {"It is 90 %.": _accuracy(2, lambda layers: 0.1)},
        ),
    ),
    remark="Depths here end where the paper's differences begin, and the images are small. What Theorem 2 says is said of zero weights without "
    "normalisation: an order between shortcut depths in trained, normalised networks does not follow from it, and no test error is predicted here; no line "
    "is drawn.",
)

EXPERIMENTS = (FIGURE_2, FIGURE_9)
