"""IM-F1: l max |W_i| of trained linear residual networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.experiment import Runs
from resproof.proofs.identity_matters.training_runs import FAMILIES, by_layers
from resproof.reporting.figures.common import NETWORKS
from resproof.reporting.figures.experiments.common import ExperimentFigure, legend_below, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES: dict[str, dict[str, Any]] = dict(
    zip(FAMILIES, ({"marker": "o", "linestyle": "-"}, {"marker": "x", "linestyle": "--"}), strict=True)
)


def _draw(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    ordered = by_layers(runs)
    layers = [one.parameters["layers"] for one in ordered]
    for family in FAMILIES:
        found = np.array([[row["greatest"] for row in one.found[family]] for one in ordered])
        for number, values in enumerate(found.T):
            axes.plot(
                layers,
                values,
                color=NETWORKS["ResNet"],
                linewidth=1.0,
                label=f"{family} target" if not number else None,
                **_STYLES[family],
            )
    equal = np.array([[row["predicted"] for row in one.found[FAMILIES[0]]] for one in ordered])
    for number, values in enumerate(equal.T):
        axes.plot(layers, values, label="equal factors $R^{1/l} - I$" if not number else None, **predicted())
    bound = [max(row["bound"] for family in FAMILIES for row in one.found[family]) for one in ordered]
    axes.plot(layers, bound, label="bound, $\\pi + l\\,(e^{\\gamma/l} - 1)$", **predicted(linestyle=":"))
    log_depths(axes, layers, "layers $l$")
    axes.set(ylabel="$l\\,\\max_i \\|W_i\\|$", ylim=(0, None))
    legend_below(axes)


FIGURE = ExperimentFigure(
    "IM-F1",
    (5.2, 3.7),
    _draw,
    "Each line is one target. The number of layers times the greatest spectral norm settles, for positive "
    "definite targets on the value of equal factors, and stays below the bound.",
)
