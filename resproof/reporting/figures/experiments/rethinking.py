"""RS-Tab to RS-6.5c: networks along training, layer by layer and from other starts, of *Rethinking skips*."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.experiment import Ran, Runs
from resproof.proofs.rethinking_skips.experiments import at_end, curve, deepest, greatest, layers, solutions
from resproof.proofs.rethinking_skips.hindsight_runs import STARTS, by_start
from resproof.proofs.rethinking_skips.joint_evidence import digamma_difference
from resproof.proofs.rethinking_skips.training_runs import KINDS
from resproof.reporting.figures.experiments.common import ExperimentFigure, depths, of_kind
from resproof.reporting.figures.panels import NETWORKS, Line, Panel, Picture, band, log_depths, predicted, told_once

Floats = NDArray[np.float64]
_WIDTHS = dict(zip(KINDS, (5.0, 2.6, 0.8), strict=True))
"""Of ranks, which are mostly the same: all are seen."""
_LINES = dict(zip(KINDS, (1.0, 2.6, 1.0), strict=True))
"""Of other quantities: what a ResNet and a ResNeXt have in common is seen of both."""
_STARTS: dict[str, str] = dict(
    zip(STARTS, (NETWORKS["PlainNet"], "#cc79a7", "#56b4e9", "#999999", NETWORKS["DiracNet"]), strict=True)
)
_LABELS = 10
_DIGITS = -np.log10(np.finfo(float).eps)
_LOW, _HIGH = (6.4, 2.9), (6.4, 5.6)


def _along(runs: Runs, name: str, legend: str = "best", **axes: Any) -> Panel:
    """A line of every kind and seed along training, at the greatest depth."""
    lines = [
        Line(x=one.found["epochs"], y=values, color=NETWORKS[kind], label=kind)
        for kind, one in deepest(runs).items()
        for values in curve(one, name)
    ]
    return Panel(told_once(lines), {"xlabel": "epoch", **axes}, legend)


def _tables(runs: Runs) -> Picture:
    known, dots = depths(runs), list[Line]()
    for place, kind in enumerate(KINDS):
        found = 100 * np.array([at_end(one, "test accuracy") for one in of_kind(runs, kind)])
        at, color = (known if len(known) > 1 else [place]), NETWORKS[kind]
        dots += [Line(x=at, y=each, color=color, dash="", marker="o", size=3.0) for each in found.T]
        dots.append(Line(x=at, y=found.mean(axis=1), color=color))
    axes = log_depths(known)
    if len(known) == 1:
        axes: dict[str, Any] = {"xlabel": f"{known[0]} layers", "xticks": range(len(KINDS)), "xticklabels": [*KINDS]}
        axes |= {"xlim": (-0.5, len(KINDS) - 0.5)}
    axes |= {"title": "test accuracy, %", "ylim": (0, 100)}
    training = _along(runs, "train loss", yscale="log", title="training loss, most layers")
    return Picture(_LOW, [training, Panel([*dots, predicted(y=10, label="a guess")], axes, "best")])


def _bare(runs: Runs) -> Picture:
    marks = list[Any]()
    for kind, one in deepest(runs).items():
        through, color = np.array([1, one.parameters["layers"] - 2]), NETWORKS[kind]
        ends = np.stack([greatest(one, "activations", place, "0") for place in (0, 1)])
        marks += [Line(x=through, y=each, color=color, marker="o", size=3.0, width=0.8) for each in ends.T]
        if KINDS[kind].shortcut:
            added = 2 * KINDS[kind].paths
            low, high = (ends[0].mean() * factor ** ((through - 1) / 4) for factor in ((1 + added) / 2, 1 + added))
            marks.append(band([*through], low, high, color, 0.15))
    growth = Panel(marks, {"yscale": "log", "xlabel": "layer", "title": "greatest activation at the start"})
    return Picture(_LOW, [_along(runs, "train accuracy", title="training accuracy", ylim=(0, 1)), growth])


def _ranges(runs: Runs) -> Picture:
    plain = deepest(runs)["PlainNet"]
    between = plain.parameters["layers"] - 3
    places = [Line(x=[], y=[], dash=dash, label=f"layer {place}") for place, dash in ((1, "-"), (between + 1, "--"))]
    first = np.median(greatest(plain, "gradients", 1, "0")) * (np.pi / (np.pi - 1)) ** (between / 2)
    ring = Line(x=[0], y=[first], dash="", marker="o", size=4.0, hollow=True, clip=False)
    beside: dict[str, tuple[list[Line], str]] = {
        "activations": (places, "best"),
        "weights": ([], ""),
        "gradients": ([ring], ""),
    }
    panels = [_along(runs, "train loss", yscale="log", title="training loss")]
    for what, (more, legend) in beside.items():
        axes: dict[str, Any] = {"yscale": "log", "xlabel": "epoch", "title": f"greatest {what.removesuffix('s')}"}
        panels.append(Panel([*_extremes(runs, what), *more], axes, legend))
    return Picture(_HIGH, panels)


def _extremes(runs: Runs, what: str) -> Iterator[Line]:
    """The medians over seeds in the first and in the last layer that is shown."""
    for kind, one in deepest(runs).items():
        epochs = list(one.found["layers"])
        for place, dash in enumerate(("-", "--")):
            values = np.median([greatest(one, what, place, epoch) for epoch in epochs], axis=1)
            yield Line(x=map(int, epochs), y=values, color=NETWORKS[kind], dash=dash, width=_LINES[kind])


def _by_layer(runs: Runs, read: Callable[[Ran], Floats], least: bool = False) -> list[Line]:
    """The median over seeds of what is read, or the least, layer by layer."""
    lines = list[Line]()
    for kind, one in deepest(runs).items():
        values = (np.min if least else np.median)(read(one), axis=0)
        width = (_WIDTHS if least else _LINES)[kind]
        lines.append(Line(x=range(1, len(values) + 1), y=values, color=NETWORKS[kind], label=kind, width=width))
    return lines


def _read(runs: Runs, matrix: str, quantity: str, epoch: str | None = None) -> list[Line]:
    return _by_layer(runs, partial(layers, matrix=matrix, quantity=quantity, epoch=epoch), quantity == "rank")


def _layers(lines: Sequence[Line], title: str, legend: str = "", **axes: Any) -> Panel:
    return Panel(lines, {"xlabel": "layer", "title": title, **axes}, legend)


def _gap(one: Ran, epoch: str | None, top: float, label: str) -> Line:
    """How log10 of the condition number of a product of independent normal matrices grows from layer 1 on (RS-LG)."""
    first = float(np.median(layers(one, "H", "kappa", epoch)[:, 0]))
    rate = digamma_difference(one.parameters["width"]) / 2 / np.log(10)
    return predicted(x=[1, 1 + (top - first) / rate], y=[first, top], label=label)


def _conditions(runs: Runs) -> Picture:
    plain, states, ranks = deepest(runs)["PlainNet"], _read(runs, "H", "kappa"), _read(runs, "H", "rank")
    width = plain.parameters["width"]
    top = 1.05 * max(np.max(one.y[np.isfinite(one.y)], initial=1.0) for one in states)
    dead = {kind: np.max(layers(one, "H", "dead"), axis=0)[2::2] for kind, one in deepest(runs).items()}
    alive = [
        Line(x=range(3, 2 * len(each) + 3, 2), y=width - each, color=NETWORKS[kind], dash="", marker=".", size=2.0)
        for kind, each in dead.items()
    ]
    return Picture(
        _HIGH,
        [
            _layers(_read(runs, "W", "kappa"), "$\\log_{10}\\kappa(W)$"),
            _layers(
                [*states, _gap(plain, None, top, "Lyapunov gap, linear units")],
                "$\\log_{10}\\kappa(H)$; missing: infinite",
            ),
            _layers([*ranks, *alive], "rank of $H$; dots: less dead units", ylim=(0, 1.1 * width)),
        ],
        below=4,
    )


def _linear(runs: Runs) -> Picture:
    limit = predicted(y=_DIGITS, label="float64", dash=":")
    gap = _gap(deepest(runs)["PlainNet"], "0", float(_DIGITS), "Lyapunov gap")
    return Picture(
        _HIGH,
        [
            _layers(_read(runs, "W", "kappa"), "$\\log_{10}\\kappa(W)$, trained"),
            _layers([*_read(runs, "H", "kappa", "0"), gap, limit], "$\\log_{10}\\kappa(H)$, at the start"),
            _layers([*_read(runs, "H", "kappa"), limit], "$\\log_{10}\\kappa(H)$, trained"),
        ],
        below=5,
    )


def _early(runs: Runs) -> Picture:
    panels = list[Panel]()
    for epoch, title in (("0", "at the start"), ("1", "after epoch 1")):
        lines = _by_layer(runs, lambda one, epoch=epoch: np.array(one.found["layers"][epoch]["update"], dtype=float))
        lines.append(predicted(y=0, label="as large as $W$ (Eq. 26)"))
        panels.append(_layers(lines, title, ylabel="$\\log_{10}(\\eta\\,|G|/|W|)$"))
    return Picture((6.4, 3.2), panels, below=4, shared=True)


def _signals(runs: Runs) -> Picture:
    panels = list[Panel]()
    for matrix, symbol in (("Delta", "\\Delta"), ("G", "\\Delta W")):
        for epoch, when in (("1", "after epoch 1"), (None, "trained")):
            lines = _read(runs, matrix, "rank", epoch)
            if matrix == "Delta":
                lines.append(predicted(y=_LABELS - 1, label="linear units, at most", dash=":"))
            panels.append(_layers(lines, f"rank of ${symbol}$, {when}", ylim=(0, None)))
    return Picture(_HIGH, panels, below=4)


def _solutions(runs: Runs) -> Picture:
    points = {kind: (solutions(one, "kappa"), solutions(one, "change")) for kind, one in deepest(runs).items()}
    dots = [Line(x=x, y=y, color=NETWORKS[kind], dash="", marker="o", label=kind) for kind, (x, y) in points.items()]
    known = [value for x, _ in points.values() for value in x[np.isfinite(x)]]
    ends = [min(known), max(known)]
    bound = predicted(x=ends, y=ends, label="bound of Proposition 3")
    axes: dict[str, Any] = {"xscale": "log", "yscale": "log", "xlabel": "$\\kappa(H)$"}
    axes |= {"ylabel": "relative change of the solution\nover that of $H$"}
    return Picture((4.6, 3.0), [Panel([*dots, bound], axes, "best")])


def _from_starts(starts: Sequence[str], normalised: bool, runs: Runs) -> Picture:
    mine = by_start(runs, normalised=normalised)
    panels = list[Panel]()
    for name, guess, top in (("loss", log(10), None), ("accuracy", 0.1, 1.02)):
        lines = [
            Line(
                x=mine[start].found["epochs"],
                y=values,
                color=_STARTS[start],
                label=f"{start}, rate {mine[start].parameters['rates'][mine[start].found['best']]:g}",
            )
            for start in starts
            for values in curve(mine[start], f"train {name}")
        ]
        lines.append(predicted(y=guess, label="one output for all samples"))
        panels.append(Panel(told_once(lines), {"xlabel": "epoch", "title": f"training {name}", "ylim": (0, top)}))
    moved = [_moved(mine["DiracNet"])] if "DiracNet" in starts else []
    return Picture((6.4, 5.6) if moved else (6.4, 3.4), [*panels, *moved], below=3)


def _moved(one: Ran) -> Panel:
    """The mean of |a - 1| when training ends, of every seed."""
    seeds = range(len(one.found["moved"]))
    seen = Line(x=seeds, y=one.found["moved"], color=_STARTS["DiracNet"], dash="", marker="o")
    axes: dict[str, Any] = {"yscale": "log", "xlabel": "seed", "title": "mean of $|a - 1|$ at the end", "xticks": seeds}
    asked = Line(y=0.1, label="asked for, at least", dash=":", width=1.1)
    return Panel([seen, asked], {**axes, "xlim": (-0.5, len(seeds) - 0.5)})


FIGURES = (
    ExperimentFigure(
        "RS-Tab",
        _tables,
        "Left: training loss, a line for each seed. Right: test accuracy against the number of layers, a dot for each "
        "seed.",
    ),
    ExperimentFigure(
        "RS-6.5a",
        _tables,
        "Left: training loss, a line for each seed. Right: test accuracy, a dot for each seed.",
    ),
    ExperimentFigure(
        "RS-P3f",
        _solutions,
        "A dot for each seed; missing: the last hidden representation lacks rank, and the solution is not continuous.",
    ),
    ExperimentFigure(
        "RS-Bare",
        _bare,
        "Left: training accuracy, a line for each seed, 0 where outputs are not finite. Right: the greatest "
        "activation in layers 1 and $L - 2$ at He's weights, and between which lines the root mean square goes with "
        "shortcuts.",
    ),
    ExperimentFigure(
        "RS-F2..F6",
        _ranges,
        "The greatest moduli are medians over seeds, at the start, after the first epoch and at the end. Circle: the "
        "PlainNet's first gradient in layer 1, by $\\pi/(\\pi - 1)$ in the mean square for each layer behind it.",
    ),
    ExperimentFigure(
        "RS-F7..F11",
        _conditions,
        "When training has ended, layer by layer; condition numbers are medians over seeds, ranks the least of them. "
        "Dashed: products of independent normal matrices, without ReLUs and normalisation.",
    ),
    ExperimentFigure(
        "RS-F12..F13",
        _linear,
        "Medians over seeds, layer by layer. The PlainNet's hidden representations lose digits layer by layer at the "
        "rate of the Lyapunov gap, until float64 has none left.",
    ),
    ExperimentFigure(
        "RS-Eq26",
        _early,
        "The size of an update beside that of the weights, medians over seeds, layer by layer.",
    ),
    ExperimentFigure(
        "RS-R4..R6",
        _signals,
        "Numerical ranks of error signals and of updates, the least over seeds, layer by layer. The last layer's "
        "error signal has a rank below the number of classes, as with linear units every one has (RS-R5, dotted), the "
        "first layer's update one of at most the number of inputs.",
    ),
    ExperimentFigure(
        "RS-6.5b",
        partial(_from_starts, STARTS[:4], False),
        "PlainNets of 110 layers without normalisation, a line for each seed, at the best rate of each start. Dashed: "
        "what is best where all samples have one output.",
    ),
    ExperimentFigure(
        "RS-6.5c",
        partial(_from_starts, ("He", "DiracNet"), True),
        "With batch normalisation, a line for each seed, at the best rate of each. Below: how far the diagonal has "
        "moved.",
    ),
)
