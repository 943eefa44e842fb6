"""DR-F2 and DR-F9: norms along training and test errors of convolutional residual networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from resproof.proofs.demystifying_resnet.convolution_experiments import errors_of_depth, of_depth
from resproof.proofs.demystifying_resnet.convolution_runs import SHORTCUT_DEPTHS
from resproof.proofs.experiment import Runs
from resproof.reporting.figures.experiments.common import STYLES, ExperimentFigure, log_depths, norms_along, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw_norms(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    first, *_ = norms_along(axes, of_depth(runs, 2))
    axes.axhline((2 * first.parameters["channels"]) ** 0.5, label="He's weights, $\\sqrt{2c}$", **predicted())
    axes.set(xlabel="epoch", ylabel="$\\|W\\|_F$, mean over layers")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(frameon=False)


def _draw_errors(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for depth in SHORTCUT_DEPTHS:
        found, style = errors_of_depth(runs, depth), STYLES[f"{depth}-shortcut"]
        axes.plot([*found], [*found.values()], label=f"shortcut depth {depth}", **style)
        for one in of_depth(runs, depth).values():
            each = 100 * (1 - np.array(one.found["test accuracy"], dtype=float))
            axes.plot([one.parameters["layers"]] * len(each), each, ".", color=style["color"], markersize=3)
    log_depths(axes, [*errors_of_depth(runs, 2)])
    axes.set(ylabel="test error, %")
    axes.legend(frameon=False)


FIGURES = (
    ExperimentFigure(
        "DR-F2",
        (5.2, 3.0),
        _draw_norms,
        "With shortcut depth 2, means over seeds, at every epoch. Dashed: the root mean "
        "square of He's weights with $c$ channels, where every depth starts.",
    ),
    ExperimentFigure("DR-F9", (5.2, 3.0), _draw_errors, "When training ends: a dot for each seed, and their means."),
)
