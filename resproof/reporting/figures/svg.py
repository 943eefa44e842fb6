"""A figure as SVG: the same figure gives the same bytes.

Text is drawn as paths in the fonts that come with matplotlib, on white, without date or version. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; shortcut depths also differ in their markers.
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import TypeVar

import matplotlib.style
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.textpath import TextToPath

_STYLE = {
    "svg.fonttype": "path",
    "svg.hashsalt": "resproof",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#444444",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "figure.facecolor": "white",
}
FigureType = TypeVar("FigureType", bound=Figure)
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


class ShownFigure(Figure):
    """A figure that a notebook shows as a picture whether or not it has asked for matplotlib's own display."""

    def _repr_svg_(self) -> str:
        return _svg(self)


def styled(draw: Callable[[], FigureType]) -> FigureType:
    """One figure in the style of all others."""
    with matplotlib.style.context(["default", _STYLE]):
        return draw()


def svg_of(draw: Callable[[], Figure]) -> str:
    """The SVG text of one figure, in the style of all others."""
    return _svg(styled(draw))


def _svg(figure: Figure) -> str:
    with matplotlib.style.context(["default", _STYLE]):
        written = StringIO()
        _draw_once(figure, written)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _draw_once(figure: Figure, written: StringIO) -> None:
    """Write what `savefig` writes, which draws everything twice: at first for the layout alone."""
    canvas, dpi = figure.canvas, figure.dpi
    renderer = _Canvas(figure, written).get_renderer()
    figure.dpi = _POINTS
    figure.draw(renderer)
    renderer.finalize()
    figure.dpi = dpi
    figure.set_canvas(canvas)


class _Canvas(FigureCanvasSVG):
    """A canvas with one renderer: what draws a text has measured it for the layout."""

    def __init__(self, figure: Figure, written: StringIO) -> None:
        super().__init__(figure)
        width, height = _POINTS * figure.get_size_inches()
        self._renderer = RendererSVG(width, height, written, image_dpi=round(figure.dpi), metadata=_NO_METADATA)
        self._renderer._text2path = _TEXTS

    def get_renderer(self) -> RendererSVG:
        """The renderer, for the layout too."""
        return self._renderer


_POINTS = 72
"""In an inch."""
_TEXTS = TextToPath()
"""Keeps the formulas it has read last: many stand in several figures."""
