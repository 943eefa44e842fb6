"""IM-F1 to IM-F4: norms, losses and gradients of *Identity Matters*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from resproof.proofs.experiment import Ran, Runs
from resproof.proofs.identity_matters.experiments import best
from resproof.proofs.identity_matters.from_zero_experiments import escapes
from resproof.proofs.identity_matters.from_zero_runs import TARGETS
from resproof.proofs.identity_matters.gradient_experiments import by_depth, expectation
from resproof.proofs.identity_matters.gradient_runs import VARIANCES
from resproof.proofs.identity_matters.training_runs import FAMILIES, by_layers
from resproof.reporting.figures.experiments.common import ExperimentFigure, depths, layers, shade
from resproof.reporting.figures.panels import NETWORKS, Line, Panel, Picture, log_depths, predicted, told_once

_COLOURS = {"residual": NETWORKS["ResNet"], "plain": NETWORKS["PlainNet"]}


def _greatest_weights(runs: Runs) -> Picture:
    ordered, known = by_layers(runs), depths(runs)
    lines = list[Line]()
    for family, marker, dash in zip(FAMILIES, "ox", ("-", "--"), strict=True):
        targets = np.array([[row["greatest"] for row in one.found[family]] for one in ordered]).T
        style: dict[str, Any] = {"label": f"{family} target", "color": NETWORKS["ResNet"], "width": 1.0}
        lines += [Line(x=known, y=values, marker=marker, dash=dash, **style) for values in targets]
    equal = np.array([[row["predicted"] for row in one.found[FAMILIES[0]]] for one in ordered]).T
    lines += [predicted(x=known, y=values, label="equal factors $R^{1/l} - I$") for values in equal]
    bound = [max(row["bound"] for family in FAMILIES for row in one.found[family]) for one in ordered]
    lines.append(predicted(x=known, y=bound, label="bound, $\\pi + l\\,(e^{\\gamma/l} - 1)$", dash=":"))
    axes: dict[str, Any] = {**log_depths(known, "layers $l$"), "ylabel": "$l\\,\\max_i \\|W_i\\|$", "ylim": (0, None)}
    return Picture((5.2, 3.7), [Panel(told_once(lines), axes)], below=2)


def _deep_training(runs: Runs) -> Picture:
    lines = [
        Line(
            x=one.found["epochs"],
            y=[excess / one.found["zero"] for excess in best(one)],
            dash="-" if layers(one) > 12 else "--",
            color=_COLOURS[one.parameters["kind"]],
            label=f"{one.parameters['kind']}, {layers(one)} layers",
        )
        for one in by_layers(runs)
    ]
    axes: dict[str, Any] = {
        "yscale": "log",
        "xlabel": "epoch",
        "ylabel": "loss \N{MINUS SIGN} optimal loss,\nin parts of the zero map's",
    }
    return Picture((5.2, 3.4), [Panel([*lines, predicted(y=1.0, label="zero map")], axes)], below=2)


def _first_gradients(runs: Runs) -> Picture:
    lines = list[Line]()
    for kind, s2 in VARIANCES.items():
        found = by_depth(runs, kind)
        means, errors = ([one.found[name] for one in found.values()] for name in ("mean", "error"))
        style: dict[str, Any] = {"color": _COLOURS[kind], "marker": "o", "dash": "", "label": f"{kind}, $s^2$ = {s2:g}"}
        lines.append(Line(x=found, y=means, error=errors, **style))
        every, sample = range(min(found), max(found) + 1), next(iter(found.values())).found["sample"]
        exact = [expectation(kind, depth, s2, sample) for depth in every]
        lines.append(predicted(x=every, y=exact, label="expectation"))
    axes: dict[str, Any] = {
        **log_depths(depths(runs)),
        "yscale": "log",
        "ylabel": "$\\mathbb{E}\\,\\|\\partial E/\\partial W_1\\|_F^2$",
    }
    return Picture((5.2, 3.0), [Panel(told_once(lines), axes, "best")])


def _from_zero(runs: Runs) -> Picture:
    places = [*((target, "zero") for target in TARGETS), (TARGETS[-1], "near")]
    panels = list[Panel]()
    for target, start in places:
        axes: dict[str, Any] = {
            "xscale": "log",
            "yscale": "log",
            "xlabel": "epoch + 1",
            "ylabel": "loss \N{MINUS SIGN} optimal loss",
        }
        axes |= {"title": f"{target},\nfrom {'near ' * (start == 'near')}zero", "ylim": (1e-3, 30)}
        panels.append(Panel([*_losses(by_layers(runs), target, start)], axes))
    return Picture((6.4, 8.4), [*panels, _escapes(runs)], below=3)


def _losses(ordered: list[Ran], target: str, start: str) -> Iterator[Line]:
    """A line for each run and target, and what theory says beside it."""
    for place, one in enumerate(ordered):
        epochs, color = np.array(one.found["epochs"][start]) + 1, shade(place, len(ordered))
        for row in one.found[target]:
            yield Line(x=epochs, y=row[start], color=color, label=f"{layers(one)} layers")
            if start == "zero":
                yield predicted(x=epochs, y=row["predicted"], label="recursion on eigenvalues", width=0.8)
            elif not place:
                yield predicted(y=row["singular"], label="singular maps, at least", dash=":")


def _escapes(runs: Runs) -> Panel:
    """The epoch at which the saddle is left against the one predicted."""
    found = escapes(runs)
    lines = [
        Line(x=[x for x, _ in points], y=[y for _, y in points], color=shade(place, len(found)), dash="", marker="o")
        for place, points in enumerate(found.values())
    ]
    known = np.array([point for points in found.values() for point in points], dtype=float)
    ends = [np.nanmin(known) / 1.3, np.nanmax(known) * 1.3]
    lines.append(predicted(x=ends, y=ends, label="$\\log(1/\\epsilon)/(\\eta\\,|\\lambda_{\\min}|)$"))
    ticks = [value for value in (50, 100, 200, 500, 1000, 2000) if ends[0] < value < ends[1]]
    axes: dict[str, Any] = {"title": "epoch of leaving\n1/2, from near zero", "yscale": "log", "ylabel": "seen"}
    return Panel(lines, {**log_depths(ticks, "predicted"), **axes, "yticks": ticks, "yticklabels": ticks})


FIGURES = (
    ExperimentFigure(
        "IM-F1",
        _greatest_weights,
        "Each line is one target. The number of layers times the greatest spectral norm settles, for positive "
        "definite targets on the value of equal factors, and stays below the bound.",
    ),
    ExperimentFigure(
        "IM-F2",
        _deep_training,
        "Each at its best learning rate. The residual network of 1200 layers trains, towards the end more slowly than "
        "that of 12; the plain one stays at the loss of the zero map, for its product of weights is as good as zero.",
    ),
    ExperimentFigure(
        "IM-F3",
        _first_gradients,
        "Means over random networks with their standard errors, mostly smaller than the dots, and the exact "
        "expectations.",
    ),
    ExperimentFigure(
        "IM-F4",
        _from_zero,
        "A line for each target. From zero the loss is that of the recursion on the target's eigenvalues. With an "
        "eigenvalue -1 it tends to 1/2. From near zero all networks leave that; the loss of a map with a positive "
        "determinant stays above the dotted lines, one for each target, until a layer's determinant changes its sign. "
        "Last: when they leave, beside the escape time from that strict saddle.",
    ),
)
