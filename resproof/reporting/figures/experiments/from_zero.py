"""IM-F4: the loss along training from zero and from near it, for three kinds of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.experiment import Runs
from resproof.proofs.identity_matters.from_zero_experiments import escapes
from resproof.proofs.identity_matters.from_zero_runs import TARGETS
from resproof.proofs.identity_matters.training_runs import by_layers
from resproof.reporting.figures.common import panels
from resproof.reporting.figures.experiments.common import ExperimentFigure, predicted, shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure, runs: Runs) -> None:
    every = panels(figure, 5)
    places = [*((target, "zero") for target in TARGETS), (TARGETS[-1], "near")]
    ordered = by_layers(runs)
    for axes, (target, start) in zip(every[:4], places, strict=True):
        for position, one in enumerate(ordered):
            label = f"{one.parameters['layers']} layers"
            for number, row in enumerate(one.found[target]):
                first, epochs = not number, np.array(one.found["epochs"][start]) + 1
                values, colour = np.array(row[start], dtype=float), shade(position, len(ordered))
                axes.plot(epochs, values, color=colour, label=label if first else None)
                if start == "zero":
                    name = "recursion on eigenvalues" if first and not position else None
                    axes.plot(epochs, row["predicted"], label=name, **predicted(linewidth=0.8))
                elif not position:
                    name = "singular maps, at least" if first else None
                    axes.axhline(row["singular"], label=name, **predicted(linestyle=":"))
        near = "near " * (start == "near")
        axes.set(xscale="log", yscale="log", xlabel="epoch + 1", title=f"{target},\nfrom {near}zero", ylim=(1e-3, 30))
    for axes in every[:4:2]:
        axes.set(ylabel="loss \u2212 optimal loss")
    _draw_escapes(every[4], runs)
    handles = {line.get_label(): line for axes in (every[0], *every[3:]) for line in axes.get_lines()}
    shown = [handle for label, handle in handles.items() if not label.startswith("_")]
    figure.legend(handles=shown, frameon=False, fontsize=7.5, loc="outside lower center", ncols=3)


def _draw_escapes(axes: Any, runs: Runs) -> None:
    """The epoch at which the saddle is left against the one predicted."""
    found = escapes(runs)
    for position, points in enumerate(found.values()):
        axes.loglog(*zip(*points, strict=True), "o", color=shade(position, len(found)))
    known = np.array([point for points in found.values() for point in points])
    ends = [np.nanmin(known) / 1.3, np.nanmax(known) * 1.3]
    axes.loglog(ends, ends, label="$\\log(1/\\epsilon)/(\\eta\\,|\\lambda_{\\min}|)$", **predicted())
    axes.set(title="epoch of leaving\n1/2, from near zero", xlabel="predicted", ylabel="seen")
    ticks = [value for value in (50, 100, 200, 500, 1000, 2000) if ends[0] < value < ends[1]]
    axes.set_xticks(ticks, [str(value) for value in ticks])
    axes.set_yticks(ticks, [str(value) for value in ticks])
    axes.minorticks_off()


FIGURE = ExperimentFigure(
    "IM-F4",
    (6.4, 8.4),
    _draw,
    "A line for each target. From zero the loss is that of the recursion on the target's eigenvalues. With an "
    "eigenvalue -1 it tends to 1/2. From near zero all networks leave that; the loss of a map with a positive "
    "determinant stays above the dotted lines, one for each target, until a layer's determinant changes its sign. "
    "Last: when they leave, beside the escape time from that strict saddle.",
)
