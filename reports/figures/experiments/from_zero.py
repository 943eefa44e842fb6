"""IM-F4: the loss along training from zero and from near it, for three kinds of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from proofs.experiment import Runs
from proofs.identity_matters.from_zero_runs import TARGETS
from proofs.identity_matters.training_runs import by_layers
from reports.figures.experiments.common import ExperimentFigure, predicted, shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure, runs: Runs) -> None:
    every: Any = figure.subplots(1, 4, sharey=True)
    places = [*((target, "zero") for target in TARGETS), (TARGETS[-1], "near")]
    ordered = by_layers(runs)
    for axes, (target, start) in zip(every, places, strict=True):
        for position, one in enumerate(ordered):
            label = f"{one.parameters['layers']} layers"
            for number, row in enumerate(one.found[target]):
                epochs = np.array(one.found["epochs"]) + 1
                values = np.array(row[start], dtype=float)
                axes.plot(epochs, values, color=shade(position, len(ordered)), label=None if number else label)
                name = None if number or position else "recursion on eigenvalues"
                axes.plot(epochs, row[f"{start} predicted"], label=name, **predicted(linewidth=0.8))
        axes.set(
            xscale="log", yscale="log", xlabel="epoch + 1", title=f"{target},\nfrom {'near ' * (start == 'near')}zero"
        )
    every[0].set(ylabel="loss \u2212 optimal loss", ylim=(1e-12, None))
    figure.legend(*every[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=4)


FIGURE = ExperimentFigure(
    "IM-F4",
    (9.6, 3.4),
    _draw,
    "A line for each target. From zero the loss is that of the recursion on the target's eigenvalues. With an "
    "eigenvalue -1 it stays at 1/2; from near zero networks of few layers leave, and the recursion, which keeps to the "
    "diagonals of the first weights, tells about when.",
)
