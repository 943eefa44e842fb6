"""DR-F7: final losses and optimal learning rates against depth."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from resproof.proofs.demystifying_resnet.experiments import optimal
from resproof.proofs.demystifying_resnet.training_runs import KINDS
from resproof.proofs.experiment import Runs
from resproof.reporting.figures.experiments.common import STYLES, ExperimentFigure, legend_below, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _above(runs: Runs, steepest: dict[int, float]) -> str:
    """How many of the best rates at orthogonal weights are greater than descent would bear where it starts."""
    best = {depth: rate for depth, (excess, rate) in optimal(runs, "orthogonal").items() if isfinite(excess)}
    return f"are {sum(rate > 2 / steepest[depth] for depth, rate in best.items())} of the {len(best)} best rates"


def _draw(figure: Figure, runs: Runs) -> None:
    losses, rates = figure.subplots(1, 2)
    for kind in KINDS:
        found = {depth: both for depth, both in optimal(runs, kind).items() if isfinite(both[0])}
        losses.plot([*found], [excess for excess, _ in found.values()], label=kind, **STYLES[kind])
        rates.plot([*found], [rate for _, rate in found.values()], label=kind, **STYLES[kind])
    steepest = {one.parameters["layers"]: np.mean(one.found["steepest"]) for one in runs.values()}
    depths = sorted(steepest)
    rates.plot(
        depths,
        [2 / steepest[depth] for depth in depths],
        label=f"orthogonal: 2 over the bound of GEN-3; above {_above(runs, steepest)}",
        **predicted(color=STYLES["orthogonal"]["color"]),
    )
    for axes, title in ((losses, "final loss \u2212 optimal loss"), (rates, "optimal learning rate")):
        log_depths(axes, depths)
        axes.set(yscale="log", title=title)
    legend_below(rates, 2)


FIGURE = ExperimentFigure(
    "DR-F7",
    (6.4, 3.7),
    _draw,
    "Left: the mean over seeds of what is left above the least loss after 1000 epochs, at the learning rate where "
    "it is least. Right: that rate. What limits a best rate above the dashed line is not the curvature where training "
    "starts.",
)
