"""The path of Lemma 2 past the other columns, for d = 3."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.demystifying_resnet.theorem1 import picture_data
from resproof.proofs.statement import Context
from resproof.reporting.figures.common import COLOURS, Caption, ReportFigure, rounded
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

_EVERY = 4
"""One in so many points of a curve is kept."""
_TILT = 0.5
"""How far above the plane of the great arc the eye stands, as a tangent."""

Curve = tuple[str, str, str]
"""Points in space: all first coordinates with spaces between them, all second ones, all third ones."""


class SpherePath(Record):
    """A path on the sphere past obstacles with caps round them, its length, and its least distance to an obstacle."""

    rho: float
    length: float
    bound: float
    great_arc_length: float
    nearest: float
    path: Curve
    great_arc: Curve
    obstacles: Curve
    circles: tuple[Curve, ...]


def _measured(context: Context) -> SpherePath:
    """A path past obstacles, the great arc without them, and the boundaries of their caps."""
    shown = picture_data(context.seed)
    distances = np.linalg.norm(shown.path[:, :, None] - shown.obstacles[:, None, :], axis=0)
    return SpherePath(
        rho=rounded(shown.rho),
        length=rounded(shown.length),
        bound=rounded(shown.bound),
        great_arc_length=rounded(math.acos(float(shown.start @ shown.end))),
        nearest=rounded(float(distances.min())),
        path=_curve(shown.path[:, ::2]),
        great_arc=_curve(shown.great_arc[:, ::_EVERY]),
        obstacles=_curve(shown.obstacles),
        circles=tuple(_curve(np.append(one[:, ::_EVERY], one[:, :1], axis=1)) for one in shown.circles),
    )


def _curve(points: NDArray[np.float64]) -> Curve:
    first, second, third = (" ".join(f"{value + 0.0:.5f}" for value in row) for row in points)
    return first, second, third


def _points(curve: Curve) -> NDArray[np.float64]:
    """One point a row."""
    return np.array([[float(value) for value in row.split()] for row in curve]).T


def _draw(figure: Figure, sphere: SpherePath) -> None:
    """Seen along a line, from slightly above the great arc's middle; what is behind is left out."""
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    axes = figure.subplots()
    arc, path = _points(sphere.great_arc), _points(sphere.path)
    frame = _frame(arc)
    axes.add_patch(Circle((0, 0), 1, facecolor="#f5f5f5", edgecolor="#888888", linewidth=0.8))
    _draw_caps(axes, frame, sphere)
    axes.plot(*_seen(frame, arc), "--", color="#444444", linewidth=1.1, label="great arc")
    axes.plot(*_seen(frame, path), color=COLOURS[1], linewidth=2.0, label="path")
    for point, name, side in ((path[0], "x", -1), (path[-1], "y", 1)):
        x, y, _ = frame @ point
        axes.plot(x, y, "o", color="black", markersize=5, zorder=4)
        text = axes.text(x + 0.02 * side, y + 0.05, f"${name}$", ha="center", va="bottom", fontsize=12.0)
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])
    axes.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal")
    axes.set_axis_off()
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _draw_caps(axes: Any, frame: NDArray[np.float64], sphere: SpherePath) -> None:
    """The obstacles and their caps, those that are in front at all."""
    from matplotlib.patches import Polygon

    first = True
    for centre, circle in zip(_points(sphere.obstacles), map(_points, sphere.circles), strict=True):
        x, y, depth = frame @ circle.T
        if depth.max() <= 0:
            continue
        # What is behind the rim is moved to it.
        outside = np.where(depth < 0, np.hypot(x, y), 1.0)
        axes.add_patch(
            Polygon(
                np.column_stack([x / outside, y / outside]),
                facecolor="#c5dcee",
                edgecolor=COLOURS[2],
                linewidth=0.9,
                label="other columns, caps" if first else None,
            )
        )
        first = False
        place = frame @ centre
        if place[2] > 0:
            axes.plot(place[0], place[1], ".", color=COLOURS[2], markersize=4)


def _frame(arc: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows to the right, upwards and towards the eye, with the arc's ends to the left and right."""
    across = arc[-1] - arc[0]
    across /= np.linalg.norm(across)
    middle = arc[len(arc) // 2] - (arc[len(arc) // 2] @ across) * across
    middle /= np.linalg.norm(middle)
    eye = middle + _TILT * np.cross(middle, across)
    eye /= np.linalg.norm(eye)
    return np.array([across, np.cross(eye, across), eye])


def _seen(frame: NDArray[np.float64], points: NDArray[np.float64]) -> tuple[Any, Any]:
    """Across and up, with a gap where the curve is behind."""
    x, y, depth = frame @ points.T
    return np.where(depth >= 0, x, np.nan), np.where(depth >= 0, y, np.nan)


def _caption(sphere: SpherePath, results: Results) -> Caption:
    return Caption(
        "A path past the other columns",
        "The path of Lemma 2 follows the great arc and makes a detour round each cap in its way.",
        f"The path is {number(sphere.length)} long, the great arc {number(sphere.great_arc_length)}, the bound of "
        f"Lemma 2 is {number(sphere.bound)}; the distance to the other columns is at least {number(sphere.nearest)}, "
        rf"and $`\rho/2`$ = {number(sphere.rho / 2)}.",
        f"One column moving from $x$ to $y$ past random others, $d = 3$, $m = {len(sphere.circles) + 1}$, "
        rf"seed {results.seed}; caps are wider than $\rho/2$ by the factor $1 + \rho^2/128$.",
    )


FIGURE = ReportFigure("sphere.svg", "demystifying-resnet", (6.8, 3.9), _measured, _draw, _caption)
