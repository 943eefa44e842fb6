"""DR-F2 to DR-F9: norms, condition numbers, eigenvalues, losses and rates of *Demystifying ResNet*."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from resproof.proofs.demystifying_resnet.convolution_experiments import errors_of_depth, of_depth
from resproof.proofs.demystifying_resnet.convolution_runs import SHORTCUT_DEPTHS
from resproof.proofs.demystifying_resnet.experiments import (
    Floats,
    common_losses,
    condition,
    final_norms,
    half_lives,
    initial_conditions,
    leaves_zero,
    mean_at,
    negative,
    optimal,
)
from resproof.proofs.demystifying_resnet.leaving_zero import crossing
from resproof.proofs.demystifying_resnet.relu_experiments import conditions_with_relu, mean_losses, predicted_conditions
from resproof.proofs.demystifying_resnet.relu_runs import RELU_KINDS
from resproof.proofs.demystifying_resnet.training_runs import ALONG, KINDS, near_zero_growth
from resproof.proofs.experiment import Ran, Runs
from resproof.reporting.figures.experiments.common import (
    STYLES,
    ExperimentFigure,
    depths,
    found_of,
    layers,
    of_kind,
    shade,
)
from resproof.reporting.figures.panels import Area, Line, Panel, Picture, band, log_depths, predicted, told_once

_WIDE, _HIGH = (6.4, 3.7), (5.2, 3.8)
_NORM = "$\\|W\\|_F$, mean over layers"
_FROM_ZERO = {
    "xscale": "symlog",
    "yscale": "log",
    "xlabel": "epoch",
    "ylabel": _NORM,
    "xlim": (0, None),
    "xticks": (0, 1, 10, 100, 1000),
}
"""Norms along training, from the first epoch to the last of thousands."""


def _norms(one: Ran) -> Floats:
    """Along training, means over seeds."""
    return np.mean(np.array(one.found["norms"], dtype=float), axis=0)


def _along(runs: Runs) -> tuple[list[Ran], list[Line]]:
    """The runs by depth, and a line for each, darker for more layers."""
    ordered = sorted(runs.values(), key=layers)
    return ordered, [
        Line(x=one.found["epochs"], y=_norms(one), color=shade(place, len(ordered)), label=f"{layers(one)} layers")
        for place, one in enumerate(ordered)
    ]


def _start_and_top(ordered: Iterable[Ran]) -> tuple[float, float]:
    """The mean of the first norms, and the greatest of all."""
    norms = [each for one in ordered for each in one.found["norms"]]
    return float(np.mean([each[0] for each in norms])), float(np.max(np.array(norms, dtype=float)))


def _at_the_end(final: Mapping[int, float], theory: str) -> Panel:
    """Norms when training ends against depth, and through the last of them the slope -1/2."""
    known = [*final]
    slope = [final[known[-1]] * (depth / known[-1]) ** -0.5 for depth in known]
    lines = [
        Line(x=known, y=final.values(), label="when training ends", **STYLES["2-shortcut"]),
        predicted(x=known, y=slope, label=theory),
    ]
    return Panel(lines, {**log_depths(known), "yscale": "log"}, "lower left")


def _norms_from_zero(runs: Runs) -> Picture:
    ordered, lines = _along(runs)
    start, top = _start_and_top(ordered)
    first = ordered[0]
    times = np.array([epoch for epoch in first.found["epochs"] if epoch <= 60])
    grown = start * near_zero_growth(first.found["core"], first.parameters["rate"], times.tolist())
    lines.append(predicted(x=times[grown < top], y=grown[grown < top], label="near zero (EX-3)"))
    lives = half_lives(runs)
    seen = [
        Line(x=[depth] * len(dots), y=dots, dash="", marker=".", color=STYLES["2-shortcut"]["color"], label="seen")
        for depth, (dots, _) in lives.items()
    ]
    expected = predicted(x=lives, y=[one for _, one in lives.values()], marker="_", size=12.0, label="EX-3")
    leaving = {**log_depths(lives), "title": "epoch at which half\nof the loss is gone", "ylim": (0, None)}
    return Picture(
        (6.4, 5.8),
        [
            Panel(lines, _FROM_ZERO, "upper left"),
            _at_the_end(final_norms(runs), "slope \N{MINUS SIGN}1/2, as in Theorem 1"),
            Panel(told_once([*seen, expected]), leaving, "lower left"),
        ],
    )


def _norms_with_relu(runs: Runs) -> Picture:
    ordered, lines = _along(runs)
    start, top = _start_and_top(ordered)
    first = ordered[0].found
    grown = {epoch: start * (factor or inf) for epoch, factor in zip(first["epochs"], first["grown"], strict=True)}
    shown = {epoch: value for epoch, value in grown.items() if value < top}
    lines.append(predicted(x=shown, y=shown.values(), label="near zero (half-spaces)"))
    for one in ordered:
        norms = _norms(one)
        seen = crossing(one.found["epochs"], norms, 10 * norms[0])
        lines.append(Line(x=[seen], y=[10 * norms[0]], color="black", dash="", marker="o", size=2.5))
    tenfold = crossing([*shown], [*shown.values()], 10 * start)
    lines.append(predicted(x=[tenfold], y=[10 * start], label="tenfold (dots: seen)", dash="", marker="o", hollow=True))
    end = _at_the_end(final_norms(runs), "slope \N{MINUS SIGN}1/2 (Theorem 1)")
    return Picture(_WIDE, [Panel(lines, _FROM_ZERO, "upper left"), end], shared=True)


def _norms_of_convolutions(runs: Runs) -> Picture:
    (first, *_), lines = _along(of_depth(runs, 2))
    he = predicted(y=(2 * first.parameters["channels"]) ** 0.5, label="He's weights, $\\sqrt{2c}$")
    return Picture((5.2, 3.0), [Panel([*lines, he], {"xlabel": "epoch", "ylabel": _NORM}, "best")])


def _errors_of_convolutions(runs: Runs) -> Picture:
    lines = list[Line]()
    for depth in SHORTCUT_DEPTHS:
        found, style = errors_of_depth(runs, depth), STYLES[f"{depth}-shortcut"]
        lines.append(Line(x=found, y=found.values(), label=f"shortcut depth {depth}", **style))
        for one in of_depth(runs, depth).values():
            each = 100 * (1 - np.array(one.found["test accuracy"], dtype=float))
            dots: dict[str, Any] = {"color": style["color"], "dash": "", "marker": ".", "size": 3.0}
            lines.append(Line(x=[layers(one)] * len(each), y=each, **dots))
    axes: dict[str, Any] = {**log_depths(errors_of_depth(runs, 2)), "ylabel": "test error, %"}
    return Picture((5.2, 3.0), [Panel(lines, axes, "best")])


def _bands(of: Any, runs: Runs) -> Iterator[Line | Area]:
    """Of each kind the mean of the logarithms at each depth, and a standard deviation to either side."""
    for kind in ("Xavier", "orthogonal", "2-shortcut"):
        found = of(runs, kind)
        middle, spread = (
            np.array([how(each) for each in found.values()]) for how in (np.mean, partial(np.std, ddof=1))
        )
        yield Line(x=found, y=10**middle, label=kind, **STYLES[kind])
        yield band([*found], 10 ** (middle - spread), 10 ** (middle + spread), STYLES[kind]["color"])


def _conditions(runs: Runs, marks: Iterable[Line | Area]) -> Picture:
    axes: dict[str, Any] = {
        **log_depths(depths(runs)),
        "yscale": "log",
        "ylabel": "$|\\lambda|_{\\max} / |\\lambda|_{(0.1)}$",
    }
    return Picture(_HIGH, [Panel([*marks], axes)], below=2)


def _conditions_at_zero(runs: Runs) -> Picture:
    at_zero, bounds = next(iter(found_of(runs, "predicted").values())), found_of(runs, "bound")
    known = depths(runs)
    least = [10 ** np.mean(np.log10(each)) for each in bounds.values()]
    color = STYLES["orthogonal"]["color"]
    return _conditions(
        runs,
        [
            *_bands(initial_conditions, runs),
            predicted(x=known, y=[at_zero] * len(known), label="2-shortcut at zero (Theorem 2)"),
            predicted(x=bounds, y=least, label="orthogonal, at least (GEN-3)", dash=":", color=color),
        ],
    )


def _conditions_with_relu(runs: Runs) -> Picture:
    expected = {depth: 10 ** np.mean(each) for depth, each in predicted_conditions(runs).items()}
    theory = predicted(x=expected, y=expected.values(), label="2-shortcut near zero\n(half-spaces)")
    return _conditions(runs, [*_bands(conditions_with_relu, runs), theory])


class _Form(NamedTuple):
    """What differs between linear networks and those with ReLUs."""

    loss: str
    at_zero: str
    predicted: str


_LINEAR = _Form("loss \N{MINUS SIGN} optimal loss", "core", "at zero (Theorem 2)")
_RELU = _Form("loss", "half-spaces", "near zero (half-spaces)")


def _against_loss(form: _Form, lines: Iterable[Line], **axes: Any) -> Panel:
    """Training goes right."""
    losses = {"xscale": "log", "xlabel": f"{form.loss} (training goes right)", "xinverted": True}
    return Panel([*lines], {**losses, **axes})


def _by_loss(runs: Runs, read: Any, label: str = "", **style: Any) -> Iterator[Line]:
    """A line for each kind, means over seeds at the losses that all of its runs pass."""
    for kind in ALONG:
        losses = common_losses({name: one for name, one in runs.items() if one.parameters["kind"] == kind})
        color = STYLES[kind]["color"]
        yield Line(x=losses, y=mean_at(runs, kind, read, losses), color=color, label=f"{kind}{label}", **style)


def _moduli(form: _Form, runs: Runs) -> Picture:
    greatest = [*_by_loss(runs, lambda one: one.found["greatest"], ", greatest")]
    tenth = _by_loss(runs, lambda one: one.found["tenth"], ", tenth percentile", dash="--")
    first = next(one for one in greatest if one.label.startswith("2-"))
    core = of_kind(runs, "2-shortcut")[0].found[form.at_zero]
    rings: dict[str, Any] = {"color": first.color, "dash": "", "marker": "o", "hollow": True, "clip": False}
    start = max(first.x)
    moduli = Line(x=[start] * 2, y=[core[0], core[-1]], label=f"2-shortcut {form.predicted}", **rings)
    ratio = Line(x=[start], y=[core[0] / core[-1]], **rings)
    conditions = [Line(x=one.x, y=one.y, color=one.color) for one in _by_loss(runs, condition)]
    return Picture(
        _WIDE,
        [
            _against_loss(form, [*greatest, *tenth, moduli], yscale="log", title="moduli of eigenvalues"),
            _against_loss(form, [*conditions, ratio], yscale="log", title="greatest over tenth percentile"),
        ],
        below=3,
    )


def _index(form: _Form, runs: Runs) -> Picture:
    mine = of_kind(runs, "2-shortcut")[0]
    half = predicted(y=0.5, label=form.predicted)
    ratios = _against_loss(form, [*_by_loss(runs, negative), half], title="ratio of negative eigenvalues")
    epochs, gradient = np.array(mine.found["epochs"]) + 1, mine.found["gradient"]
    index = Line(x=epochs, y=mine.found["negative"], label="index", size=3.0, **STYLES["2-shortcut"])
    times, top = np.array(gradient["epochs"]) + 1, max(gradient["norms"])
    grown = [np.nan if value is None or value >= 1.5 * top else value for value in gradient["near zero"]]
    other = Panel(
        [
            Line(x=times, y=gradient["norms"], width=1.1, label="gradient"),
            predicted(x=times, y=grown, label="growth near zero", dash=":"),
            predicted(x=leaves_zero(mine) + 1, label="half of the loss would be gone", width=0.8),
        ],
        {"yscale": "log", "ylabel": "norm of the gradient"},
    )
    axes: dict[str, Any] = {"xscale": "log", "xlabel": "epoch + 1", "title": "one 2-shortcut run", "ylabel": "index"}
    return Picture((6.4, 3.9), [ratios, Panel([index], axes, beside=other)], below=3)


def _losses_and_rates(runs: Runs, lines: Mapping[str, Iterable[Line]], **rates: Any) -> Picture:
    """Both against depth."""
    axes: dict[str, Any] = {**log_depths(depths(runs)), "yscale": "log"}
    panels = [Panel(told_once(each), {**axes, "title": title}) for title, each in lines.items()]
    panels[1] = Panel(panels[1].marks, {**panels[1].axes, **rates})
    return Picture(_WIDE, panels, below=2)


def _optimal(runs: Runs) -> Picture:
    losses, rates = list[Line](), list[Line]()
    for kind in KINDS:
        found = {depth: both for depth, both in optimal(runs, kind).items() if isfinite(both[0])}
        losses.append(Line(x=found, y=[excess for excess, _ in found.values()], label=kind, **STYLES[kind]))
        rates.append(Line(x=found, y=[rate for _, rate in found.values()], label=kind, **STYLES[kind]))
    bound = {depth: 2 / np.mean(each) for depth, each in found_of(runs, "steepest").items()}
    best = {depth: rate for depth, (excess, rate) in optimal(runs, "orthogonal").items() if isfinite(excess)}
    above = f"{sum(rate > bound[depth] for depth, rate in best.items())} of the {len(best)} best rates"
    label = f"orthogonal: 2 over the bound of GEN-3; above are {above}"
    rates.append(predicted(x=bound, y=bound.values(), label=label, color=STYLES["orthogonal"]["color"]))
    return _losses_and_rates(runs, {"final loss \N{MINUS SIGN} optimal loss": losses, "optimal learning rate": rates})


def _optimal_with_relu(runs: Runs) -> Picture:
    losses, rates = list[Line](), list[Line]()
    for later, kind in zip(reversed(range(len(RELU_KINDS))), RELU_KINDS, strict=True):
        found = {depth: min((loss, rate) for rate, loss in each) for depth, each in mean_losses(runs, kind).items()}
        known = {depth: both for depth, both in found.items() if both[0] < inf}
        sizes: dict[str, Any] = {
            "size": 4.5 + 2.0 * later,
            "width": 1.5 + 1.5 * later,
        }  # a later line may lie on it: both are seen
        losses.append(Line(x=known, y=[loss for loss, _ in known.values()], label=kind, **STYLES[kind]))
        rates.append(Line(x=known, y=[rate for _, rate in known.values()], label=kind, **STYLES[kind], **sizes))
    losses.append(predicted(y=next(iter(runs.values())).found["zero"], label="zero map"))
    tried = sorted({rate for one in runs.values() for rate in one.parameters["rates"]})
    both = {"final loss": losses, "optimal learning rate": rates}
    return _losses_and_rates(runs, both, ylim=(tried[0] / 1.5, tried[-1] * 1.5))


FIGURES = (
    ExperimentFigure(
        "DR-F3",
        _norms_from_zero,
        "Left: along training; until the weights have left zero all depths go together, as along Theorem 2's "
        "eigenvectors (EX-3), and then separate, the deeper the lower. Right: when training ends; the dashed line is "
        "drawn through the last point. Below: when zero is left, a dot for each seed, and as EX-3 predicts it.",
    ),
    ExperimentFigure(
        "DR-F4",
        _conditions_at_zero,
        "Means of the logarithm over 10 draws, bands of one standard deviation. Flat: 2-shortcut networks, on the "
        "value that Theorem 2 gives at zero. Rising: orthogonal weights, above their bound, and Xavier weights.",
    ),
    ExperimentFigure(
        "DR-F4r",
        _conditions_with_relu,
        "Means of the logarithm over 10 draws, bands of one standard deviation. Flat: 2-shortcut networks, on the "
        "values of the half-spaces in which their units are active. At $10^{11}$ the tenth percentile is zero to "
        "rounding.",
    ),
    ExperimentFigure(
        "DR-F5",
        partial(_moduli, _LINEAR),
        "At depth 16, means over seeds at equal losses. Left: the greatest modulus of an eigenvalue, and the tenth "
        "percentile; circles are Theorem 2's values at zero. Right: their ratio.",
    ),
    ExperimentFigure(
        "DR-F6",
        partial(_index, _LINEAR),
        "At depth 16. Left: the ratio of negative eigenvalues, means over seeds at equal losses. Right: that ratio "
        "and the norm of the gradient along one 2-shortcut run; dotted: its growth near zero, and when half of the "
        "loss would be gone by it.",
    ),
    ExperimentFigure(
        "DR-F5r",
        partial(_moduli, _RELU),
        "At depth 16, means over seeds at equal losses. Left: the greatest modulus of an eigenvalue, and the tenth "
        "percentile; circles are what the half-spaces of the first weights give near zero. Right: their ratio.",
    ),
    ExperimentFigure(
        "DR-F6r",
        partial(_index, _RELU),
        "At depth 16. Left: the ratio of negative eigenvalues, means over seeds at equal losses. Right: that ratio "
        "and the norm of the gradient along one 2-shortcut run; dotted: its growth near zero, and when half of the "
        "loss would be gone by it.",
    ),
    ExperimentFigure(
        "DR-F7",
        _optimal,
        "Left: the mean over seeds of what is left above the least loss after 1000 epochs, at the learning rate where "
        "it is least. Right: that rate. What limits a best rate above the dashed line is not the curvature where "
        "training starts.",
    ),
    ExperimentFigure(
        "DR-F3r",
        _norms_with_relu,
        "Left: along training, means over seeds; dashed: growth near zero, by the half-spaces of the first weights; "
        "circle and dots: ten times the first norm, as predicted and at each depth. Right: when training ends.",
    ),
    ExperimentFigure(
        "DR-F8",
        _optimal_with_relu,
        "Left: the mean over seeds of the loss after 1000 epochs, at the rate where it is least. Right: that rate, on "
        "an axis of those that were tried.",
    ),
    ExperimentFigure(
        "DR-F2",
        _norms_of_convolutions,
        "With shortcut depth 2, means over seeds, at every epoch. Dashed: the root mean square of He's weights with "
        "$c$ channels, where every depth starts.",
    ),
    ExperimentFigure("DR-F9", _errors_of_convolutions, "When training ends: a dot for each seed, and their means."),
)
