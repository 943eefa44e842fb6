"""A figure as SVG: the same figure gives the same bytes, in the style of resproof.mplstyle, without date or version."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import TypeVar

import matplotlib.style
from matplotlib.figure import Figure

_STYLE = ["default", Path(__file__).with_name("resproof.mplstyle")]
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
FigureType = TypeVar("FigureType", bound=Figure)


class ShownFigure(Figure):
    """A figure that a notebook shows as a picture whether or not it has asked for matplotlib's own display."""

    def _repr_svg_(self) -> str:
        return _svg(self)


def styled(draw: Callable[[], FigureType]) -> FigureType:
    """One figure in the style of all others."""
    with matplotlib.style.context(_STYLE):
        return draw()


def svg_of(draw: Callable[[], Figure]) -> str:
    """The SVG text of one figure, in the style of all others."""
    return _svg(styled(draw))


def _svg(figure: Figure) -> str:
    written = StringIO()
    with matplotlib.style.context(_STYLE):
        figure.savefig(written, format="svg", metadata=_NO_METADATA)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"
