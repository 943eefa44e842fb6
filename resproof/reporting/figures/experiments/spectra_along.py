"""DR-F5 and DR-F6, and the same with ReLUs: eigenvalues of the Hessian along training at depth 16."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from resproof.proofs.demystifying_resnet.experiments import (
    Floats,
    common_losses,
    condition,
    leaves_zero,
    mean_at,
    negative,
)
from resproof.proofs.demystifying_resnet.training_runs import ALONG
from resproof.proofs.experiment import Ran, Runs
from resproof.reporting.figures.experiments.common import STYLES, ExperimentFigure, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_READ: dict[str, Callable[[Ran], Sequence[float]]] = {
    "greatest": lambda one: one.found["greatest"],
    "tenth": lambda one: one.found["tenth"],
}


class _Form(NamedTuple):
    """What differs between linear networks and those with ReLUs."""

    loss: str
    at_zero: str
    predicted: str
    growth: str


_LINEAR = _Form("loss \u2212 optimal loss", "core", "2-shortcut at zero (Theorem 2)", "near zero (Theorem 2)")
_RELU = _Form("loss", "half-spaces", "2-shortcut near zero (half-spaces)", "near zero (half-spaces)")


def _against_loss(axes: Any, form: _Form) -> None:
    axes.set(xscale="log", xlabel=f"{form.loss} (training goes right)")
    axes.invert_xaxis()


def _losses(runs: Runs, kind: str) -> Floats:
    """Those that all runs of one kind pass."""
    return common_losses({name: one for name, one in runs.items() if one.parameters["kind"] == kind})


def _draw_moduli(form: _Form, figure: Figure, runs: Runs) -> None:
    moduli, ratio = figure.subplots(1, 2)
    for kind in ALONG:
        colour, losses = STYLES[kind]["color"], _losses(runs, kind)
        moduli.plot(losses, mean_at(runs, kind, _READ["greatest"], losses), color=colour, label=f"{kind}, greatest")
        moduli.plot(
            losses, mean_at(runs, kind, _READ["tenth"], losses), "--", color=colour, label=f"{kind}, tenth percentile"
        )
        ratio.plot(losses, mean_at(runs, kind, condition, losses), color=colour, label=kind)
    first = [_losses(runs, "2-shortcut")[0]]
    core = next(one.found[form.at_zero] for one in runs.values() if one.parameters["kind"] == "2-shortcut")
    style = {"color": STYLES["2-shortcut"]["color"], "markerfacecolor": "none", "linestyle": "none", "clip_on": False}
    moduli.plot(first * 2, [core[0], core[-1]], marker="o", label=form.predicted, **style)
    ratio.plot(first, [core[0] / core[-1]], marker="o", **style)
    for axes, title in ((moduli, "moduli of eigenvalues"), (ratio, "greatest over tenth percentile")):
        _against_loss(axes, form)
        axes.set(yscale="log", title=title)
    figure.legend(handles=moduli.get_lines(), frameon=False, fontsize=7.5, loc="outside lower center", ncols=3)


def _draw_index(form: _Form, figure: Figure, runs: Runs) -> None:
    index, one_run = figure.subplots(1, 2)
    for kind in ALONG:
        losses = _losses(runs, kind)
        index.plot(losses, mean_at(runs, kind, negative, losses), color=STYLES[kind]["color"], label=kind)
    index.axhline(0.5, label=form.predicted.removeprefix("2-shortcut "), **predicted())
    _against_loss(index, form)
    index.set(title="ratio of negative eigenvalues")
    index.legend(frameon=False, fontsize=7.5, loc="best")
    mine = next(one for one in runs.values() if one.parameters["kind"] == "2-shortcut")
    colour = STYLES["2-shortcut"]["color"]
    one_run.plot(
        np.array(mine.found["epochs"]) + 1,
        mine.found["negative"],
        color=colour,
        marker="s",
        markersize=3,
        label="index",
    )
    one_run.set(xscale="log", xlabel="epoch + 1", title="one 2-shortcut run", ylabel="index")
    other = one_run.twinx()
    gradient = mine.found["gradient"]
    other.plot(np.array(gradient["epochs"]) + 1, gradient["norms"], color="#444444", linewidth=1.1, label="gradient")
    top = max(gradient["norms"])
    grown = [value if value is not None and value < 1.5 * top else np.nan for value in gradient["near zero"]]
    other.plot(np.array(gradient["epochs"]) + 1, grown, label=form.growth, **predicted(linestyle=":"))
    other.axvline(leaves_zero(mine) + 1, label="half of the loss would be gone", **predicted(linewidth=0.8))
    other.set(yscale="log", ylabel="norm of the gradient")
    other.grid(visible=False)
    other.spines["right"].set_visible(True)
    handles = {line.get_label(): line for axes in (one_run, other) for line in axes.get_lines()}
    figure.legend(handles.values(), handles, frameon=False, fontsize=7.5, loc="outside lower right", ncols=2)


MODULI = ExperimentFigure(
    "DR-F5",
    (6.4, 3.7),
    partial(_draw_moduli, _LINEAR),
    "At depth 16, means over seeds at equal losses. Left: the greatest modulus of an eigenvalue, and the tenth "
    "percentile; circles are Theorem 2's values at zero. Right: their ratio.",
)
INDEX = ExperimentFigure(
    "DR-F6",
    (6.4, 3.7),
    partial(_draw_index, _LINEAR),
    "At depth 16. Left: the ratio of negative eigenvalues, means over seeds at equal losses. Right: that ratio "
    "and the norm of the gradient along one 2-shortcut run; dotted: its growth near zero, "
    "and when half of the loss would be gone by it.",
)
MODULI_RELU = ExperimentFigure(
    "DR-F5r",
    (6.4, 3.7),
    partial(_draw_moduli, _RELU),
    "At depth 16, means over seeds at equal losses. Left: the greatest modulus of an eigenvalue, and the tenth "
    "percentile; circles are what the half-spaces of the first weights give near zero. Right: their ratio.",
)
INDEX_RELU = ExperimentFigure(
    "DR-F6r",
    (6.4, 3.7),
    partial(_draw_index, _RELU),
    "At depth 16. Left: the ratio of negative eigenvalues, means over seeds at equal losses. Right: that ratio and the "
    "norm of the gradient along one 2-shortcut run; dotted: its growth near zero, "
    "and when half of the loss would be gone by it.",
)
