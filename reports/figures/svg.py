"""A figure as SVG: the same figure gives the same bytes.

Text is drawn as paths in the fonts that come with matplotlib, on white, without date or version. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; shortcut depths also differ in their markers.
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import TypeVar

import matplotlib.style
from matplotlib.figure import Figure

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
    "savefig.facecolor": "white",
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
        figure.savefig(written, format="svg", metadata=_NO_METADATA)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"
