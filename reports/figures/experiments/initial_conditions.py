"""DR-F4: condition numbers where training starts, against depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proofs.demystifying_resnet.experiments import initial_conditions
from proofs.experiment import Runs
from reports.figures.experiments.common import STYLES, ExperimentFigure, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for kind in ("Xavier", "orthogonal", "2-shortcut"):
        found = initial_conditions(runs, kind)
        middle = np.array([np.mean(each) for each in found.values()])
        spread = np.array([np.std(each, ddof=1) for each in found.values()])
        axes.plot([*found], 10**middle, label=kind, **STYLES[kind])
        axes.fill_between(
            [*found], 10 ** (middle - spread), 10 ** (middle + spread), color=STYLES[kind]["color"], alpha=0.2
        )
    depths = sorted({one.parameters["layers"] for one in runs.values()})
    at_zero = next(one.found["predicted"] for one in runs.values() if "predicted" in one.found)
    axes.plot(depths, [at_zero] * len(depths), label="2-shortcut at zero (Theorem 2)", **predicted())
    bounds = {
        one.parameters["layers"]: np.mean(np.log10(one.found["bound"])) for one in runs.values() if "bound" in one.found
    }
    known = sorted(bounds)
    axes.plot(
        known,
        [10 ** bounds[depth] for depth in known],
        label="orthogonal, at least (GEN-3)",
        **predicted(linestyle=":", color=STYLES["orthogonal"]["color"]),
    )
    log_depths(axes, depths)
    axes.set(yscale="log", ylabel="$|\\lambda|_{\\max} / |\\lambda|_{(0.1)}$")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


FIGURE = ExperimentFigure(
    "DR-F4",
    (6.8, 3.4),
    _draw,
    "Means of the logarithm over 10 draws, bands of one standard deviation. Flat: 2-shortcut networks, on the "
    "value that Theorem 2 gives at zero. Rising: orthogonal weights, above their bound, and Xavier weights.",
)
