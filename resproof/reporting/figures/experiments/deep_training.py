"""IM-F2: the loss along training with 12 and 1200 layers, residual and plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resproof.proofs.experiment import Runs
from resproof.proofs.identity_matters.experiments import best
from resproof.proofs.identity_matters.training_runs import by_layers
from resproof.reporting.figures.common import NETWORKS
from resproof.reporting.figures.experiments.common import ExperimentFigure, legend_below, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"residual": NETWORKS["ResNet"], "plain": NETWORKS["PlainNet"]}
_DASHES = {12: "--", 1200: "-"}


def _draw(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    for one in by_layers(runs):
        kind, layers = one.parameters["kind"], one.parameters["layers"]
        shares = [excess / one.found["zero"] for excess in best(one)]
        axes.plot(one.found["epochs"], shares, _DASHES[layers], color=_COLOURS[kind], label=f"{kind}, {layers} layers")
    axes.axhline(1.0, label="zero map", **predicted())
    axes.set(yscale="log", xlabel="epoch", ylabel="loss \u2212 optimal loss,\nin parts of the zero map's")
    legend_below(axes)


FIGURE = ExperimentFigure(
    "IM-F2",
    (5.2, 3.4),
    _draw,
    "Each at its best learning rate. The residual network of 1200 layers trains, towards the end more slowly than "
    "that of 12; the plain one stays at the loss of the zero map, for its product of weights is as good as zero.",
)
