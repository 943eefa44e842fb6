"""DR-F4, and the same with ReLUs: condition numbers where training starts, against depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.demystifying_resnet.experiments import initial_conditions
from resproof.proofs.demystifying_resnet.relu_experiments import conditions_with_relu, predicted_conditions
from resproof.proofs.experiment import Runs
from resproof.reporting.figures.experiments.common import STYLES, ExperimentFigure, legend_below, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = ("Xavier", "orthogonal", "2-shortcut")


def _band(axes: Any, kind: str, found: Mapping[int, Any]) -> None:
    """The mean of the logarithms at each depth, and a standard deviation to either side."""
    middle = np.array([np.mean(each) for each in found.values()])
    spread = np.array([np.std(each, ddof=1) for each in found.values()])
    axes.plot([*found], 10**middle, label=kind, **STYLES[kind])
    axes.fill_between(
        [*found], 10 ** (middle - spread), 10 ** (middle + spread), color=STYLES[kind]["color"], alpha=0.2
    )


def _finished(axes: Any, runs: Runs) -> None:
    log_depths(axes, sorted({one.parameters["layers"] for one in runs.values()}))
    axes.set(yscale="log", ylabel="$|\\lambda|_{\\max} / |\\lambda|_{(0.1)}$")
    legend_below(axes)


def _draw(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for kind in _KINDS:
        _band(axes, kind, initial_conditions(runs, kind))
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
    _finished(axes, runs)


def _draw_relu(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for kind in _KINDS:
        _band(axes, kind, conditions_with_relu(runs, kind))
    expected = {depth: 10 ** np.mean(each) for depth, each in predicted_conditions(runs).items()}
    axes.plot([*expected], [*expected.values()], label="2-shortcut near zero\n(half-spaces)", **predicted())
    _finished(axes, runs)


FIGURE = ExperimentFigure(
    "DR-F4",
    (5.2, 3.8),
    _draw,
    "Means of the logarithm over 10 draws, bands of one standard deviation. Flat: 2-shortcut networks, on the "
    "value that Theorem 2 gives at zero. Rising: orthogonal weights, above their bound, and Xavier weights.",
)
WITH_RELU = ExperimentFigure(
    "DR-F4r",
    (5.2, 3.8),
    _draw_relu,
    "Means of the logarithm over 10 draws, bands of one standard deviation. Flat: 2-shortcut networks, on the values "
    "of the half-spaces in which their units are active. At $10^{11}$ the tenth percentile is zero to rounding.",
)
