"""A figure as plain data, panels of lines, areas and words, and the one function that draws it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure

COLOURS = {1: "#d55e00", 2: "#0072b2", 3: "#009e73"}
"""Of shortcut depths n; colours are those of Okabe and Ito, told apart by colour-blind readers too."""
MARKERS = {1: "o", 2: "s", 3: "^"}
NETWORKS = {"PlainNet": "#e69f00", "ResNet": COLOURS[2], "ResNeXt": COLOURS[3], "DiracNet": COLOURS[1]}
"""The colour that each kind of network has in every figure; those of *Identity Matters* are a plain and a ResNet."""
INK = "#444444"
"""What is said of every line alike."""
RIGHT = "right"
"""Where a legend stands that is beside its panel."""

Values: TypeAlias = Iterable[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Points that are joined, unless `dash` is empty, and marked; what is not finite is a gap.

    Without x it is level, the whole width at the height y; without y it is upright. `hollow`: marks are rings; `error`
    has the half lengths of bars; `clip`: whether what lies on the frame is cut off.
    """

    x: Any = None
    y: Any = None
    label: str = ""
    color: str = INK
    dash: Any = "-"
    marker: str = ""
    width: float = 1.5
    size: float = 4.5
    hollow: bool = False
    clip: bool = True
    error: Values | None = None
    order: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """What these points bound."""

    x: Values
    y: Values
    label: str = ""
    color: str = "none"
    alpha: float = 1.0
    edge: str = "none"
    width: float = 0.8


@dataclass(frozen=True, slots=True)
class Words:
    """A text, in the middle of its place, on what is drawn there."""

    x: float
    y: float
    text: str
    color: str = "black"
    size: float = 9.0


@dataclass(frozen=True, slots=True)
class Panel:
    """What is drawn, and the axes by the names that matplotlib has for their properties.

    Ticks along x are at the given places and nowhere else. `beside` has an upward axis of its own on the right; `bare`
    panels have no axes.
    """

    marks: Sequence[Line | Area | Words]
    axes: Mapping[str, Any] = field(default_factory=dict)
    legend: str = ""
    beside: Panel | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: its size in inches, its panels, so many in a row, and the columns of a legend below all of them.

    Two in a row, so that a phone shows their letters in a size that can be read. `shared`: panels have one upward axis.
    """

    size: tuple[float, float]
    panels: Sequence[Panel]
    row: int = 2
    below: int = 0
    shared: bool = False


def predicted(**what: Any) -> Line:
    """What theory says, beside what was measured."""
    style: dict[str, Any] = {"dash": (0, (4, 2)), "width": 1.1, "order": 3.0}
    return Line(**style | what)


def log_depths(depths: Iterable[int], label: str = "layers") -> dict[str, Any]:
    """A logarithmic axis with ticks at these depths."""
    return {"xscale": "log", "xlabel": label, "xticks": sorted({*depths})}


def told_once(lines: Iterable[Line]) -> list[Line]:
    """The same lines, each label with the first of those that have it."""
    found, told = list[Line](), {""}
    for one in lines:
        found.append(replace(one, label="") if one.label in told else one)
        told.add(one.label)
    return found


def band(x: Sequence[float], low: Values, high: Values, color: str, alpha: float = 0.2) -> Area:
    """What lies between two lines."""
    return Area(x=[*x, *reversed(x)], y=[*low, *reversed([*high])], color=color, alpha=alpha)


def drawn(picture: Picture) -> ShownFigure:
    """The picture as a matplotlib figure."""
    from resproof.reporting.figures.svg import ShownFigure

    figure = ShownFigure(figsize=picture.size, layout="constrained")
    row = min(picture.row, len(picture.panels))
    grid = figure.subplots(-(-len(picture.panels) // row), row, squeeze=False, sharey=picture.shared).ravel()
    told = dict[str, Any]()
    for axes, panel in zip(grid, picture.panels, strict=False):
        told |= _draw(axes, panel)
    for spare in grid[len(picture.panels) :]:
        spare.remove()
    if picture.below:
        figure.legend(told.values(), told, loc="outside lower center", ncols=picture.below)
    return figure


def _draw(axes: Any, panel: Panel) -> dict[str, Any]:
    """Draw a panel; what its legend tells, by the labels."""
    for mark in panel.marks:
        match mark:
            case Line():
                _draw_line(axes, mark)
            case Area():
                style: dict[str, Any] = {
                    "facecolor": mark.color,
                    "edgecolor": mark.edge,
                    "alpha": mark.alpha,
                    "linewidth": mark.width,
                }
                axes.fill([*mark.x], [*mark.y], label=mark.label, **style)
            case Words():
                _draw_words(axes, mark)
    axes.set(**panel.axes)
    if ticks := panel.axes.get("xticks"):
        axes.set_xticks(
            ticks, panel.axes.get("xticklabels", [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
        )
        axes.xaxis.minorticks_off()
    if panel.bare:
        axes.set_axis_off()
    told = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if panel.beside:
        other = axes.twinx()
        told |= _draw(other, panel.beside)
        other.grid(visible=False)
        other.spines["right"].set_visible(True)
    if panel.legend:
        aside: dict[str, Any] = (
            {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if panel.legend == RIGHT else {"loc": panel.legend}
        )
        axes.legend(told.values(), told, **aside)
    return told


def _draw_line(axes: Any, line: Line) -> None:
    style: dict[str, Any] = {
        "color": line.color,
        "linestyle": line.dash or "none",
        "linewidth": line.width,
        "zorder": line.order,
    }
    if line.x is None or line.y is None:
        across = axes.axhline if line.x is None else axes.axvline
        across(line.y if line.x is None else line.x, label=line.label, **style)
        return
    style |= {"marker": line.marker, "markersize": line.size, "clip_on": line.clip, "label": line.label}
    face: dict[str, Any] = {"markerfacecolor": "none"} if line.hollow else {}
    x, y = (np.array([*values], dtype=float) for values in (line.x, line.y))
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), **style, **face)
    if line.error is not None:
        axes.errorbar(x, y, [*line.error], fmt="none", ecolor=line.color)


def _draw_words(axes: Any, words: Words) -> None:
    from matplotlib.patheffects import withStroke

    around = [withStroke(linewidth=3, foreground="white")]
    style: dict[str, Any] = {"color": words.color, "fontsize": words.size, "zorder": 4, "path_effects": around}
    axes.text(words.x, words.y, words.text, ha="center", va="center", **style)
