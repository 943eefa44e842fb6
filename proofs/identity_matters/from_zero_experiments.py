"""Whether training from zero gets stuck: the note's conclusion by three kinds of targets; `from_zero_runs` has the runs.

From zero a target with the eigenvalues -1 and lambda_j > 0 leads to layers that are 0 along the first eigenvector and lambda_j^(1/l) along
the others. Moved by a = (W_1)_j0 and b = (W_l)_0j alone, in eigenvectors, such a network has

    F_00 = lambda_j^((l-2)/l) a b,    F_j0 = lambda_j^((l-1)/l) a,    F_0j = lambda_j^((l-1)/l) b,

and any other two entries that meet in F_00 pass through a layer that is 0 there (l >= 3). With (1/2) |F - R|^2, R_00 = -1, the Hessian in
(a, b) has the eigenvalues

    lambda_j^(2(l-1)/l) +- lambda_j^((l-2)/l),

so that every lambda_j < 1 makes it a strict saddle. At a distance eps from it the rate eta takes about log(1/eps)/(eta |lambda_min|) epochs
to leave (EX-3).

The criteria were fixed before the runs, those that are here after a first protocol, on other targets; the remark says what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.demystifying_resnet.leaving_zero import crossing
from resproof.proofs.digits import COMPONENTS
from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.from_zero_runs import (
    FROM_ZERO,
    NEAR,
    NEGATIVE,
    POSITIVE,
    ROTATED,
    TARGETS,
    normal_target,
)

Floats = NDArray[np.float64]
_FEW = (3, 4)
"""Numbers of layers with which a determinant changes its sign in time from near zero."""
LEFT = 0.45
"""A loss of 1/2 less a tenth: the saddle has been left."""


def least_curvature(layers: int, values: Floats) -> float:
    """The least eigenvalue of the Hessian at the saddle, for the eigenvalues lambda_j of the target other than -1."""
    return float(np.min(values ** (2 - 2 / layers) - values ** (1 - 2 / layers)))


def escapes(runs: Runs) -> dict[int, list[tuple[float, float]]]:
    """By number of layers, for each target: the epoch at which the saddle is left from near zero, as predicted and as seen."""
    found: dict[int, list[tuple[float, float]]] = {}
    for one in runs.values():
        run, layers = one.parameters, one.parameters["layers"]
        for seed, row in enumerate(one.found[NEGATIVE], run["first_seed"]):
            _, target = normal_target(NEGATIVE, seed, COMPONENTS)
            curvature = least_curvature(layers, np.diag(target)[1:])
            expected = layers * log(1 / NEAR) / (run["rate"] * -curvature) if curvature < 0 else float("nan")
            losses = -np.array(row["near"], dtype=float)
            found.setdefault(layers, []).append((expected, crossing(one.found["epochs"]["near"], losses, -LEFT)))
    return dict(sorted(found.items()))


def _shares(
    runs: Runs, targets: Sequence[str], start: str, layers: Callable[[int], bool] = lambda _: True
) -> list[float]:
    """What is left in the end of the first loss; infinite where it diverged."""
    return [
        row[start][-1] / row[start][0] if row[start][-1] is not None else float("inf")
        for one in runs.values()
        if layers(one.parameters["layers"])
        for target in targets
        for row in one.found[target]
    ]


def _learned_from_zero(runs: Runs) -> Seen:
    left = max(_shares(runs, (POSITIVE, ROTATED), "zero"))
    return Seen(left <= 1e-6, f"at most {left:.2g} of it")


def _stuck_from_zero(runs: Runs) -> Seen:
    known = [
        value for one in runs.values() for row in one.found[NEGATIVE] for value in row["zero"] if value is not None
    ]
    return Seen(min(known) >= 0.499, f"never below {min(known):.6g}")


def _as_recursion(runs: Runs) -> Seen:
    worst = max(
        abs(value - expected) / row["zero"][0] if value is not None else float("inf")
        for one in runs.values()
        for target in TARGETS
        for row in one.found[target]
        for value, expected in zip(row["zero"], row["predicted"], strict=True)
    )
    return Seen(worst <= 1e-6, f"to {worst:.2g} of the first loss")


def _all_leave(runs: Runs) -> Seen:
    ends = [row["near"][-1] for one in runs.values() for row in one.found[NEGATIVE]]
    greatest = max(float("inf") if end is None else end for end in ends)
    return Seen(greatest <= LEFT, f"at most {greatest:.3g}")


def _few_learn(runs: Runs) -> Seen:
    left = max(_shares(runs, (NEGATIVE,), "near", lambda layers: layers in _FEW))
    return Seen(left <= 1e-3, f"at most {left:.2g} of it")


def _many_stay(runs: Runs) -> Seen:
    ratios = [
        (row["near"][-1] if row["near"][-1] is not None else float("inf")) / row["singular"]
        for one in runs.values()
        if one.parameters["layers"] not in _FEW
        for row in one.found[NEGATIVE]
    ]
    return Seen(all(abs(ratio - 1) <= 0.05 for ratio in ratios), f"{min(ratios):.4g} to {max(ratios):.4g} times that")


def _with_end(targets: Sequence[str], start: str, end: float) -> Callable[[Runs], Runs]:
    """Another last loss."""

    def change(one: Ran) -> Ran:
        rows: dict[str, list[dict[str, Any]]] = {
            target: [{**row, start: [*row[start][:-1], end]} for row in one.found[target]] for target in targets
        }
        return one.but(**rows)

    return lambda runs: changed(runs, change)


FROM_ZERO_LOSSES = Experiment(
    id="IM-F4",
    title="Training from zero: positive definite, rotated and negative-eigenvalue targets",
    source=source("item 2", "will not get stuck at any points other than the global minimizer"),
    described="No figure: gradient-based algorithms will not get stuck at any points other than the global minimizer when training deep linear "
    "residual networks with initialization suitably close to zero.",
    protocol="Linear residual networks of 3, 4 and 8 layers of width 10 on the digits' inputs, which are white; 3 targets of each kind, normal maps "
    "with eigenvalues of moduli between $1/\\sqrt e$ and $\\sqrt e$: positive definite; rotated by 1 to 2 radians in each plane; positive definite but "
    "for one eigenvalue -1. Gradient descent at the rate 0.4/l, 30 l epochs from zero and 4000 from entries $N(0, 10^{-4})$.",
    sweep=FROM_ZERO,
    criteria=(
        Criterion(
            "From zero, positive definite and rotated targets are learned: at most a millionth of the first loss is left.",
            _learned_from_zero,
            {
                f"A thousandth is left of {target} ones.": _with_end((target,), "zero", 1e-2)
                for target in (POSITIVE, ROTATED)
            },
        ),
        Criterion(
            "From zero, with an eigenvalue -1 the loss does not fall below half its square at any recorded epoch (to 0.001).",
            _stuck_from_zero,
            {"It is learned in the end.": _with_end((NEGATIVE,), "zero", 0.0)},
        ),
        Criterion(
            "From zero, every loss is that of the recursion on the eigenvalues, to a millionth of the first.",
            _as_recursion,
            {f"It ends a tenth above with {target} targets.": _with_end((target,), "zero", 0.6) for target in TARGETS},
        ),
        Criterion(
            "From near zero every network leaves that loss: with the eigenvalue -1 it ends at 0.45 at most.",
            _all_leave,
            {"They stay.": _with_end((NEGATIVE,), "near", 0.5)},
        ),
        Criterion(
            "Those of 3 and 4 layers learn it: at most a thousandth of the first loss is left.",
            _few_learn,
            {"They end as singular maps.": _with_end((NEGATIVE,), "near", 0.2)},
        ),
        Criterion(
            "Those of more layers end within 5 % of half the square of the target's least singular value: as singular maps.",
            _many_stay,
            {"They learn it.": _with_end((NEGATIVE,), "near", 0.0)},
        ),
    ),
    remark="From zero the layers stay equal and commute with the target (IM-3), and the loss is that of a recursion on its eigenvalues; it is "
    "drawn. A first protocol, 4000 epochs from zero and other targets, expected all of that to last; rounding errors alone, of 1e-16, led the "
    "runs off after some 60 units of time, for the map that they are drawn to is a strict saddle. It also expected 8 layers to stay near 1/2 from "
    "near zero; they left, and stayed where no map of positive determinant comes nearer to the target. That saddle is strict, with "
    r"$\lambda_{\min} = \min_j (\lambda_j^{2(l-1)/l} - \lambda_j^{(l-2)/l})$ over the target's other eigenvalues, and is left after about "
    r"$\log(1/\varepsilon)/(\eta \lvert\lambda_{\min}\rvert)$ epochs, $\varepsilon$ the size of the first weights (EX-3); the runs leave at that epoch or up to twice "
    "as soon, with more layers the sooner, for they move away from it while they are still on their way to it.",
)

EXPERIMENTS = (FROM_ZERO_LOSSES,)
