"""RS-Tab to RS-R4..R6: PlainNet, ResNet and ResNeXt along training and layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.experiment import Ran, Runs
from resproof.proofs.rethinking_skips.experiments import at_end, curve, deepest, greatest, layers, solutions
from resproof.proofs.rethinking_skips.joint_evidence import digamma_difference
from resproof.proofs.rethinking_skips.training_runs import KINDS
from resproof.reporting.figures.common import NETWORKS, panels
from resproof.reporting.figures.experiments.common import ExperimentFigure, log_depths, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
_WIDTHS = dict(zip(KINDS, (5.0, 2.6, 0.8), strict=True))
"""Of ranks, which are mostly the same: all are seen."""
_LINES = dict(zip(KINDS, (1.0, 2.6, 1.0), strict=True))
"""Of other quantities: what a ResNet and a ResNeXt have in common is seen of both."""
_CLASSES = 10
_DIGITS = -np.log10(np.finfo(float).eps)


def _finite(values: Floats) -> Floats:
    """What is not finite is left out of a line."""
    return np.where(np.isfinite(values), values, np.nan)


def _curves(axes: Any, runs: Runs, name: str) -> None:
    """A curve of every kind and seed along training, at the greatest depth."""
    for kind, one in deepest(runs).items():
        for seed, values in enumerate(curve(one, name)):
            axes.plot(one.found["epochs"], _finite(values), color=NETWORKS[kind], label=None if seed else kind)
    axes.set(xlabel="epoch")


def _draw_tables(figure: Figure, runs: Runs) -> None:
    along, end = figure.subplots(1, 2)
    _curves(along, runs, "train loss")
    along.set(yscale="log", title="training loss, most layers")
    along.legend(frameon=False, fontsize=7.5)
    depths = sorted({one.parameters["layers"] for one in runs.values()})
    for place, kind in enumerate(KINDS):
        mine = sorted(
            (one for one in runs.values() if one.parameters["kind"] == kind), key=lambda one: one.parameters["layers"]
        )
        found = 100 * np.array([at_end(one, "test accuracy") for one in mine])
        at = depths if len(depths) > 1 else [place]
        end.plot(at, found, "o", color=NETWORKS[kind], markersize=3)
        end.plot(at, found.mean(axis=1), color=NETWORKS[kind])
    end.axhline(10, label="a guess", **predicted())
    if len(depths) > 1:
        log_depths(end, depths)
    else:
        end.set(xlim=(-0.5, len(KINDS) - 0.5), xlabel=f"{depths[0]} layers")
        end.set_xticks(range(len(KINDS)), [*KINDS])
    end.set(title="test accuracy, %", ylim=(0, 100))
    end.legend(frameon=False, fontsize=7.5)


def _draw_bare(figure: Figure, runs: Runs) -> None:
    along, growth = figure.subplots(1, 2)
    _curves(along, runs, "train accuracy")
    along.set(title="training accuracy", ylim=(0, 1))
    along.legend(frameon=False, fontsize=7.5)
    for kind, one in deepest(runs).items():
        last = one.parameters["layers"] - 2
        ends = np.stack([greatest(one, "activations", place, "0") for place in (0, 1)])
        growth.plot([1, last], ends, "o-", color=NETWORKS[kind], markersize=3, linewidth=0.8)
        if KINDS[kind].shortcut:
            through = np.array([1, last])
            added = 2 * KINDS[kind].paths
            low, high = (ends[0].mean() * factor ** ((through - 1) / 4) for factor in ((1 + added) / 2, 1 + added))
            growth.fill_between(through, low, high, color=NETWORKS[kind], alpha=0.15, linewidth=0)
    growth.set(yscale="log", xlabel="layer", title="greatest activation where training starts")


def _draw_ranges(figure: Figure, runs: Runs) -> None:
    loss, *ranges = panels(figure, 4)
    _curves(loss, runs, "train loss")
    loss.set(yscale="log", title="training loss")
    for axes, what in zip(ranges, ("activations", "weights", "gradients"), strict=True):
        for kind, one in deepest(runs).items():
            epochs = list(one.found["layers"])
            for place, line in enumerate(("-", "--")):
                values = np.median([greatest(one, what, place, epoch) for epoch in epochs], axis=1)
                style = {"color": NETWORKS[kind], "linewidth": _LINES[kind]}
                axes.plot([int(epoch) for epoch in epochs], values, line, **style)
        axes.set(yscale="log", xlabel="epoch", title=f"greatest {what.removesuffix('s')}")
    plain = deepest(runs)["PlainNet"]
    between = plain.parameters["layers"] - 3
    first = np.median(greatest(plain, "gradients", 1, "0")) * (np.pi / (np.pi - 1)) ** (between / 2)
    ranges[-1].plot([0], [first], "o", color="#444444", markersize=4, markerfacecolor="none", clip_on=False)
    for place, line in ((1, "-"), (between + 1, "--")):
        ranges[0].plot([], [], line, color="#444444", label=f"layer {place}")
    ranges[0].legend(frameon=False, fontsize=7.5)
    loss.legend(frameon=False, fontsize=7.5)


def _by_layer(
    axes: Any, runs: Runs, read: Callable[[Ran], Floats], title: str, over: Callable[..., Floats] = np.median
) -> None:
    """The median over seeds of what is read, or another function of them, layer by layer."""
    for kind, one in deepest(runs).items():
        values = over(read(one), axis=0)
        width = (_WIDTHS if over is np.min else _LINES)[kind]
        axes.plot(range(1, len(values) + 1), _finite(values), color=NETWORKS[kind], label=kind, linewidth=width)
    axes.set(xlabel="layer", title=title)


def _reader(matrix: str, quantity: str, epoch: str | None = None) -> Callable[[Ran], Floats]:
    return lambda one: layers(one, matrix, quantity, epoch)


def _draw_conditions(figure: Figure, runs: Runs) -> None:
    weights, states, ranks = panels(figure, 3)
    _by_layer(weights, runs, _reader("W", "kappa"), "$\\log_{10}\\kappa(W)$")
    _by_layer(states, runs, _reader("H", "kappa"), "$\\log_{10}\\kappa(H)$; missing: infinite")
    _by_layer(ranks, runs, _reader("H", "rank"), "rank of $H$; dots: less dead units", np.min)
    width = next(iter(runs.values())).parameters["width"]
    for kind, one in deepest(runs).items():
        alive = width - np.max(layers(one, "H", "dead"), axis=0)[2::2]
        ranks.plot(range(3, 2 * len(alive) + 3, 2), alive, ".", color=NETWORKS[kind], markersize=2)
    ranks.set(ylim=(0, 1.1 * width))
    top, plain = states.get_ylim()[1], deepest(runs)["PlainNet"]
    first, rate = float(np.median(layers(plain, "H", "kappa")[:, 0])), _digits_a_layer(width)
    states.plot([1, 1 + (top - first) / rate], [first, top], label="Lyapunov gap, linear units", **predicted())
    states.set(ylim=(None, top))
    states.legend(handles=states.get_lines()[-1:], frameon=False, fontsize=7.5)
    weights.legend(frameon=False, fontsize=7.5)


def _digits_a_layer(width: int) -> float:
    """By how much log10 of the condition number of a product of independent normal matrices grows (RS-LG)."""
    return digamma_difference(width) / 2 / np.log(10)


def _draw_linear(figure: Figure, runs: Runs) -> None:
    weights, start, end = panels(figure, 3)
    _by_layer(weights, runs, _reader("W", "kappa"), "$\\log_{10}\\kappa(W)$, trained")
    _by_layer(start, runs, _reader("H", "kappa", "0"), "$\\log_{10}\\kappa(H)$, at the start")
    _by_layer(end, runs, _reader("H", "kappa"), "$\\log_{10}\\kappa(H)$, trained")
    one = deepest(runs)["PlainNet"]
    first = float(np.median(layers(one, "H", "kappa", "0")[:, 0]))
    rate = _digits_a_layer(one.parameters["width"])
    through = np.linspace(0, (_DIGITS - first) / rate, 2)
    start.plot(1 + through, first + rate * through, label="Lyapunov gap", **predicted())
    for axes in (start, end):
        axes.axhline(_DIGITS, label="float64", **predicted(linestyle=":"))
    figure.legend(handles=start.get_lines(), frameon=False, fontsize=7.5, loc="outside lower center", ncols=5)


def _draw_early(figure: Figure, runs: Runs) -> None:
    every: Sequence[Any] = figure.subplots(1, 2, sharey=True)
    for axes, epoch in zip(every, ("0", "1"), strict=True):
        _by_layer(axes, runs, _updates(epoch), f"after epoch {epoch}" if int(epoch) else "at the start")
        axes.axhline(0, label="as large as $W$ (Eq. 26)", **predicted())
        axes.set(ylabel="$\\log_{10}(\\eta\\,|G|/|W|)$")
    every[0].legend(frameon=False, fontsize=7.5)


def _updates(epoch: str) -> Callable[[Ran], Floats]:
    return lambda one: np.array(one.found["layers"][epoch]["update"], dtype=float)


def _draw_signals(figure: Figure, runs: Runs) -> None:
    places = [("Delta", "\\Delta", "1"), ("Delta", "\\Delta", None), ("G", "\\Delta W", "1"), ("G", "\\Delta W", None)]
    every = panels(figure, 4)
    for axes, (matrix, symbol, epoch) in zip(every, places, strict=True):
        when = "trained" if epoch is None else "after epoch 1"
        _by_layer(axes, runs, _reader(matrix, "rank", epoch), f"rank of ${symbol}$, {when}", np.min)
        if matrix == "Delta":
            axes.axhline(_CLASSES - 1, label="linear units, at most", **predicted(linestyle=":"))
        axes.set(ylim=(0, None))
    every[0].legend(frameon=False, fontsize=7.5, loc="center")


def _draw_solutions(figure: Figure, runs: Runs) -> None:
    axes = figure.subplots()
    points = {kind: (solutions(one, "kappa"), solutions(one, "change")) for kind, one in deepest(runs).items()}
    for kind, each in points.items():
        axes.loglog(*(_finite(values) for values in each), "o", color=NETWORKS[kind], label=kind)
    known = [value for kappa, _ in points.values() for value in kappa[np.isfinite(kappa)]]
    axes.loglog([min(known), max(known)], [min(known), max(known)], label="bound of Proposition 3", **predicted())
    axes.set(xlabel="$\\kappa(H)$", ylabel="relative change of the solution\nover that of $H$")
    axes.legend(frameon=False, fontsize=7.5)


FIGURES = (
    ExperimentFigure(
        "RS-Tab",
        (6.4, 2.9),
        _draw_tables,
        "Left: training loss, a line for each seed. Right: test accuracy against the number of layers, a dot for each "
        "seed.",
    ),
    ExperimentFigure(
        "RS-6.5a",
        (6.4, 2.9),
        _draw_tables,
        "Left: training loss, a line for each seed. Right: test accuracy, a dot for each seed.",
    ),
    ExperimentFigure(
        "RS-P3f",
        (4.6, 3.0),
        _draw_solutions,
        "A dot for each seed; missing: the last hidden representation lacks rank, and the solution is not continuous.",
    ),
    ExperimentFigure(
        "RS-Bare",
        (6.4, 2.9),
        _draw_bare,
        "Left: training accuracy, a line for each seed, 0 where outputs are not finite. Right: the greatest activation "
        "in layers 1 and $L - 2$ at He's weights, and between which lines the root mean square goes with shortcuts.",
    ),
    ExperimentFigure(
        "RS-F2..F6",
        (6.4, 5.8),
        _draw_ranges,
        "The greatest moduli are medians over seeds, at the start, after the first epoch and at the end. Circle: the "
        "PlainNet's first gradient in layer 1, by $\\pi/(\\pi - 1)$ in the mean square for each layer behind it.",
    ),
    ExperimentFigure(
        "RS-F7..F11",
        (6.4, 5.4),
        _draw_conditions,
        "When training has ended, layer by layer; condition numbers are medians over seeds, ranks the least of them. "
        "Dashed: products of independent normal matrices, without ReLUs and normalisation.",
    ),
    ExperimentFigure(
        "RS-F12..F13",
        (6.4, 5.8),
        _draw_linear,
        "Medians over seeds, layer by layer. The PlainNet's hidden representations lose digits layer by layer at the "
        "rate of the Lyapunov gap, until float64 has none left.",
    ),
    ExperimentFigure(
        "RS-Eq26",
        (6.4, 2.9),
        _draw_early,
        "The size of an update beside that of the weights, medians over seeds, layer by layer.",
    ),
    ExperimentFigure(
        "RS-R4..R6",
        (6.4, 5.4),
        _draw_signals,
        "Numerical ranks of error signals and of updates, the least over seeds, layer by layer. The last layer's error "
        "signal has a rank below the number of classes, as with linear units every one has (RS-R5, dotted), the first "
        "layer's update one of at most the number of inputs.",
    ),
)
