"""IM-F3: expected squared gradients of the first layer against depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resproof.proofs.experiment import Runs
from resproof.proofs.identity_matters.gradient_experiments import by_depth, expectation
from resproof.proofs.identity_matters.gradient_runs import VARIANCES
from resproof.reporting.figures.common import NETWORKS
from resproof.reporting.figures.experiments.common import ExperimentFigure, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for kind, s2 in VARIANCES.items():
        found = by_depth(runs, kind)
        means = [one.found["mean"] for one in found.values()]
        errors = [one.found["error"] for one in found.values()]
        colour = NETWORKS["PlainNet" if kind == "plain" else "ResNet"]
        axes.errorbar([*found], means, errors, fmt="o", color=colour, markersize=4, label=f"{kind}, $s^2$ = {s2:g}")
        depths = range(min(found), max(found) + 1)
        sample = next(iter(found.values())).found["sample"]
        exact = [expectation(kind, layers, s2, sample) for layers in depths]
        axes.plot(depths, exact, label=None if kind == "plain" else "expectation", **predicted())
    log_depths(axes, sorted({one.parameters["layers"] for one in runs.values()}))
    axes.set(yscale="log", ylabel="$\\mathbb{E}\\,\\|\\partial E/\\partial W_1\\|_F^2$")
    axes.legend(frameon=False)


FIGURE = ExperimentFigure(
    "IM-F3",
    (5.2, 3.0),
    _draw,
    "Means over random networks with their standard errors, mostly smaller than the dots, and the exact expectations.",
)
