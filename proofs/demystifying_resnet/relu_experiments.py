"""Figure 3, right, Figure 8, and Figures 4 to 6 again: ReLUs at the mid positions; `relu_runs` and `relu_spectra` have the runs.

The criteria were fixed before the runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf, log10

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.experiments import FIGURE_3 as LINEAR
from resproof.proofs.demystifying_resnet.experiments import FIGURE_5 as LINEAR_5
from resproof.proofs.demystifying_resnet.experiments import FIGURE_6 as LINEAR_6
from resproof.proofs.demystifying_resnet.experiments import ZERO, condition, constant, flat, grown, logarithms, means
from resproof.proofs.demystifying_resnet.relu_runs import NORMS, RATES, RELU_KINDS
from resproof.proofs.demystifying_resnet.relu_spectra import INITIAL, SPECTRA
from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed, exchanged

FIGURE_3 = Experiment(
    id="DR-F3r",
    title="Frobenius norms against depth, ReLU",
    source=source("A", "Figure 3, right", "With ReLUs at mid positions", "Figure 3, right"),
    described="Average Frobenius norms of the weights of 2-shortcut networks with ReLUs along training from near zero: the deeper the "
    "network, the smaller.",
    protocol="2-shortcut networks with a ReLU in each branch, on every sixth digit; gradient descent, 1000 epochs at the rate 0.1, 3 seeds; "
    "the norm is averaged over layers and seeds. The criteria are those of DR-F3.",
    sweep=NORMS,
    criteria=LINEAR.criteria,
    remark="Near zero every unit grows by the half-space in which it is active (DR-F4r), alike at every depth: that growth is drawn. Norms part from it, "
    "and from each other, the sooner the deeper the network; Theorem 1's slope is drawn beside the norms at the end. The circle is the epoch at "
    "which norms would be tenfold; the runs come later, the deeper the later, for the other blocks have taken their share of the loss by then.",
)


def mean_losses(runs: Runs, kind: str) -> dict[int, list[tuple[float, float]]]:
    """By depth, the rates and the means over seeds of the last loss, infinite at a rate at which a seed diverges."""
    found: dict[int, list[tuple[float, float]]] = {}
    for one in runs.values():
        if one.parameters["kind"] == kind:
            found[one.parameters["layers"]] = [
                (rate, inf if None in values else sum(values) / len(values))
                for rate, values in zip(one.parameters["rates"], one.found["losses"], strict=True)
            ]
    return dict(sorted(found.items()))


def least(runs: Runs, kind: str) -> dict[int, float]:
    """By depth, the least of them."""
    return {depth: min(loss for _, loss in each) for depth, each in mean_losses(runs, kind).items()}


def _best_when_deep(runs: Runs) -> Seen:
    found = {kind: least(runs, kind) for kind in RELU_KINDS}
    deepest = max(found["2-shortcut"])
    at_end = {kind: each[deepest] for kind, each in found.items()}
    holds = all(at_end["2-shortcut"] < loss for kind, loss in at_end.items() if kind != "2-shortcut")
    return Seen(holds, f"at depth {deepest}: " + ", ".join(f"{kind} {loss:.3g}" for kind, loss in at_end.items()))


def _as_good_when_deep(runs: Runs) -> Seen:
    found = list(least(runs, "2-shortcut").values())
    return Seen(max(found) <= 1.2 * found[0], f"at most {max(found) / found[0]:.3g} times that of the least depth")


def _same_at_all_rates(runs: Runs) -> Seen:
    told, holds = list[str](), True
    for kind in ("orthogonal", "Xavier"):
        depth, each = max(mean_losses(runs, kind).items())
        losses = [loss for _, loss in each if loss < inf]
        holds = holds and bool(losses) and max(losses) <= 1.05 * min(losses)
        told.append(f"{kind} {min(losses):.3g} to {max(losses):.3g}" if losses else f"{kind} diverged")
    return Seen(holds, f"at depth {depth}: {'; '.join(told)}")


def _with_losses(kind: str, change: Callable[[Ran], list[list[float | None]]]) -> Callable[[Runs], Runs]:
    return lambda runs: changed(
        runs, lambda one: one.but(losses=change(one)) if one.parameters["kind"] == kind else one
    )


def _constant(loss: float) -> Callable[[Ran], list[list[float | None]]]:
    return lambda one: [[loss for _ in values] for values in one.found["losses"]]


def _like_the_depth(one: Ran) -> list[list[float | None]]:
    return [[one.parameters["layers"] for _ in values] for values in one.found["losses"]]


def _apart(one: Ran) -> list[list[float | None]]:
    return [[0.1 * (place + 1) for _ in values] for place, values in enumerate(one.found["losses"])]


FIGURE_8 = Experiment(
    id="DR-F8",
    title="Final losses and learning rates against depth, ReLU",
    source=source("A", "Figure 8", "Optimal final losses of different networks with ReLUs in mid", "Figure 10"),
    described="Final losses at the optimal learning rate, and that rate, against depth to 64, with ReLUs at the mid positions: orthogonal and "
    "Xavier weights have difficulties finding the optimum, and at depth 64 their losses are basically the same at every rate; 2-shortcut "
    "networks find it as easily as without ReLUs.",
    protocol="Gradient descent on every sixth digit, 1000 epochs, 3 seeds, learning rates from 0.01 to 1, two to a decade; the optimal rate has "
    "the least mean loss, and none at which a seed diverges counts. Plain networks have their ReLUs at the same places.",
    sweep=RATES,
    criteria=(
        Criterion(
            "At the greatest depth the 2-shortcut networks' final loss is below those from orthogonal and Xavier weights.",
            _best_when_deep,
            {"It is that of no finite rate.": _with_losses("2-shortcut", _constant(1e9))},
        ),
        Criterion(
            "At no depth it exceeds that of the least depth by more than a fifth.",
            _as_good_when_deep,
            {"It grows like the depth.": _with_losses("2-shortcut", _like_the_depth)},
        ),
        Criterion(
            "At the greatest depth those from orthogonal and Xavier weights differ by at most 5 % between the rates that do not diverge.",
            _same_at_all_rates,
            {f"They differ from {kind} weights.": _with_losses(kind, _apart) for kind in ("orthogonal", "Xavier")},
        ),
    ),
    remark="Near zero the branch of a 2-shortcut network with a ReLU is as small as without: at zero there is no Hessian, but the loss still "
    "goes down to second order (DR-ReLU).",
)


# Figure 4 again: initial condition numbers.


def conditions_with_relu(runs: Runs, kind: str) -> dict[int, NDArray[np.float64]]:
    """The logarithms of the condition numbers of every draw, by depth, at most that of what counts as zero."""
    return logarithms(runs, kind, condition)


def predicted_conditions(runs: Runs) -> dict[int, NDArray[np.float64]]:
    """Those that the half-spaces of every draw of 2-shortcut networks give."""
    return logarithms(
        runs, "2-shortcut", lambda one: np.divide(one.found["predicted greatest"], one.found["predicted tenth"])
    )


def _as_half_spaces(runs: Runs) -> Seen:
    found, expected = conditions_with_relu(runs, "2-shortcut"), predicted_conditions(runs)
    worst = max(float(np.max(np.abs(found[depth] - expected[depth]))) for depth in found)
    return Seen(worst <= log10(1.1), f"within {100 * (10**worst - 1):.2g} %")


def _power(value: float) -> str:
    return "infinite" if value >= -log10(ZERO) else f"{10**value:.3g}"


def _grows_with_relu(runs: Runs) -> Seen:
    found = list(means(conditions_with_relu(runs, "orthogonal")).values())
    holds = all(late > early or late >= -log10(ZERO) for early, late in pairwise(found))
    return Seen(holds, ", ".join(map(_power, found)))


def _xavier_above(runs: Runs) -> Seen:
    ours, theirs = (means(conditions_with_relu(runs, kind)) for kind in ("Xavier", "orthogonal"))
    holds = all(ours[depth] > theirs[depth] or ours[depth] >= -log10(ZERO) for depth in ours)
    return Seen(holds, "; ".join(f"{depth}: {_power(ours[depth])} to {_power(theirs[depth])}" for depth in ours))


def _taken_apart(runs: Runs) -> Runs:
    """The half-spaces give a fifth more."""
    return changed(
        runs,
        lambda one: one.but(**{"predicted tenth": [0.8 * value for value in one.found.get("predicted tenth", [])]}),
    )


def _reversed_depths(runs: Runs) -> Runs:
    """The depths of orthogonal weights in the other order."""
    names = [name for name, one in runs.items() if one.parameters["kind"] == "orthogonal"]
    names.sort(key=lambda name: runs[name].parameters["layers"])
    return {
        **runs,
        **{name: runs[name].but(**runs[other].found) for name, other in zip(names, names[::-1], strict=True)},
    }


FIGURE_4 = Experiment(
    id="DR-F4r",
    title="Initial condition numbers against depth, ReLU",
    source=source(
        "A", "Figure 4", "2-shortcut linear networks have constant condition numbers as expected", "Figure 5"
    ),
    described="No figure: Figure 4 is of linear networks. That with ReLUs at mid positions things are as without is said of ReLUs smoothed at "
    "zero (after Assumption 3) and of the losses (section 5.3).",
    protocol="ReLUs at mid positions, every sixth digit, 10 draws; the condition number is the greatest modulus of an eigenvalue over the tenth "
    r"percentile, of the whole Hessian off the kinks; its logarithm is averaged. A tenth percentile below $10^{-11}$ of the greatest is zero to "
    "rounding, and the condition number infinite.",
    sweep=INITIAL,
    criteria=(
        Criterion(
            "Those of 2-shortcut networks differ by at most a quarter between any two depths.",
            constant(conditions_with_relu, 1.25),
            {"They grow like the root of the depth.": grown("2-shortcut", 0.5)},
        ),
        Criterion(
            "Each is that of the half-spaces in which the first weights are active, to 10 %.",
            _as_half_spaces,
            {"It is a quarter less.": _taken_apart},
        ),
        Criterion(
            "Those at orthogonal weights rise with every step in depth, until they are infinite.",
            _grows_with_relu,
            {"They stay as they are at the least depth.": flat, "They fall.": _reversed_depths},
        ),
        Criterion(
            "Those at Xavier weights exceed those at orthogonal weights at every depth, unless both are infinite.",
            _xavier_above,
            {"Xavier and orthogonal exchanged.": exchanged("Xavier", "orthogonal")},
        ),
    ),
    remark=r"At zero there is no Hessian (DR-ReLU). Near it each hidden unit is alone with the half-space in which it is active, and $\pm$ the singular "
    r"values of $M = S - T$, both over that half-space, are eigenvalues: at every depth the same law, that of one random half-space. Those values "
    "are drawn.",
)


# Figures 5 and 6 again: spectra along training.

_ALONG = (
    "Networks of 16 layers with ReLUs at mid positions, every sixth digit, 3 seeds, gradient descent, 1000 epochs at the rate 0.3; all "
    "eigenvalues of the Hessian off the kinks at 24 points along each run, interpolated between them at equal losses, and averaged over seeds. "
    "No optimum is known: losses are told as they are. A tenth percentile below $10^{-11}$ of the greatest modulus counts as that. The criteria are "
    "those of"
)

FIGURE_5 = Experiment(
    id="DR-F5r",
    title="Greatest and tenth-percentile eigenvalues along training, ReLU",
    source=source("I", "Figure 7", "Maxima and 10th percentiles of absolute values of eigenvalues at different losses"),
    described="The first version has a second figure of the kind of Figure 5, against the loss itself, between 0.04 and 0.1, as the paper plots "
    r"networks with ReLUs; tenth percentiles reach down to $10^{-15}$. The text on both is the same: 2-shortcut networks' condition numbers are always "
    "smaller, and roughly evolve to the same value.",
    protocol=f"{_ALONG} DR-F5.",
    sweep=SPECTRA,
    criteria=LINEAR_5.criteria,
    remark="Near zero weights the half-spaces in which units are active give the 2-shortcut networks' two values (DR-F4r): the circles. At orthogonal "
    r"weights a tenth of the eigenvalues is zero in a run whose units are dead from the start, which is what $10^{-15}$ in the figure may be.",
)

_EARLY = replace(
    LINEAR_6.criteria[1],
    sentence="In every 2-shortcut run half of the index's fall has happened when the loss is a tenth of its first.",
)

FIGURE_6 = Experiment(
    id="DR-F6r",
    title="Ratio of negative eigenvalues along training, ReLU",
    source=source("A", "Figure 6", "the dynamics of gradient and index of a 2-shortcut linear", "Figure 8"),
    described="No figure with ReLUs; the linear one is said to show an index that is always smaller for the 2-shortcut network, drops dramatically "
    "at the beginning, and the gradient's maximum meanwhile.",
    protocol=f"{_ALONG} DR-F6.",
    sweep=SPECTRA,
    criteria=(LINEAR_6.criteria[0], _EARLY, LINEAR_6.criteria[2]),
    remark="Near zero weights every half-space gives as many negative eigenvalues as positive ones: the index starts at 1/2, and the gradient grows by "
    "them, which is drawn; the two part when the weights have left zero, about when half of the loss would be gone: the vertical line. A unit that is active "
    "on no sample has a column and a row of zeros in the Hessian, which count as not negative.",
)

EXPERIMENTS = (FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_8)
