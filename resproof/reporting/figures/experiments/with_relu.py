"""DR-F3r and DR-F8: norms along training, and final losses and rates, with ReLUs at mid."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from resproof.proofs.demystifying_resnet.experiments import final_norms
from resproof.proofs.demystifying_resnet.leaving_zero import crossing
from resproof.proofs.demystifying_resnet.relu_experiments import mean_losses
from resproof.proofs.demystifying_resnet.relu_runs import RELU_KINDS
from resproof.proofs.experiment import Runs
from resproof.reporting.figures.experiments.common import (
    STYLES,
    ExperimentFigure,
    covered,
    epochs_from_zero,
    log_depths,
    norms_along,
    norms_at_the_end,
    predicted,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw_norms(figure: Figure, runs: Runs) -> None:
    along, end = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
    ordered = norms_along(along, runs)
    first = ordered[0].found
    start, top = (
        pick([each[place] for one in ordered for each in one.found["norms"]])
        for pick, place in ((np.mean, 0), (max, -1))
    )
    grown = {epoch: start * (factor or inf) for epoch, factor in zip(first["epochs"], first["grown"], strict=True)}
    shown = {epoch: value for epoch, value in grown.items() if value < top}
    along.plot([*shown], [*shown.values()], label="near zero (half-spaces)", **predicted())
    for one in ordered:
        norms = np.mean(np.array(one.found["norms"], dtype=float), axis=0)
        seen = crossing(one.found["epochs"], norms, 10 * norms[0])
        along.plot([seen], [10 * norms[0]], "o", color="black", markersize=2.5)
    tenfold = crossing([*shown], [*shown.values()], 10 * float(start))
    style = predicted(linestyle="none", marker="o", markerfacecolor="none")
    along.plot([tenfold], [10 * start], label="tenfold (dots: seen)", **style)
    epochs_from_zero(along)
    _ = norms_at_the_end(end, final_norms(runs), "slope \u22121/2 (Theorem 1)")
    end.legend(frameon=False, fontsize=7.5, loc="lower left")


def _draw_losses(figure: Figure, runs: Runs) -> None:
    losses, rates = figure.subplots(1, 2)
    for size, kind in zip(covered(len(RELU_KINDS)), RELU_KINDS, strict=True):
        found = {depth: min((loss, rate) for rate, loss in each) for depth, each in mean_losses(runs, kind).items()}
        known = {depth: both for depth, both in found.items() if both[0] < inf}
        losses.plot([*known], [loss for loss, _ in known.values()], label=kind, **STYLES[kind])
        rates.plot([*known], [rate for _, rate in known.values()], label=kind, **STYLES[kind] | size)
    depths = sorted({one.parameters["layers"] for one in runs.values()})
    losses.axhline(next(iter(runs.values())).found["zero"], label="zero map", **predicted())
    for axes, title in ((losses, "final loss"), (rates, "optimal learning rate")):
        log_depths(axes, depths)
        axes.set(yscale="log", title=title)
    tried = sorted({rate for one in runs.values() for rate in one.parameters["rates"]})
    rates.set(ylim=(tried[0] / 1.5, tried[-1] * 1.5))
    losses.legend(frameon=False, fontsize=7.5)


NORMS = ExperimentFigure(
    "DR-F3r",
    (6.4, 3.3),
    _draw_norms,
    "Left: along training, means over seeds; dashed: growth near zero, by the half-spaces of the first weights; circle "
    "and dots: ten times the first norm, as predicted and at each depth. Right: when training ends.",
)
LOSSES = ExperimentFigure(
    "DR-F8",
    (6.4, 3.3),
    _draw_losses,
    "Left: the mean over seeds of the loss after 1000 epochs, at the rate where it is least. Right: that rate, on an "
    "axis of those that were tried.",
)
