"""A flowchart as SVG within a page: boxes lead to what they name, and arrows have the colour of the text around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from textwrap import wrap
from typing import TypeAlias

from resproof.reporting.site.flowchart import Box, flowchart
from resproof.reporting.site.layers import Arrangement, Extent, Position, layout

_LETTER = 7.2
_LINE = 16.0
_MARGIN = 4.0
_LONGEST = 26
_HEAD = 7.0

Lead: TypeAlias = Callable[[str], str | None]
"""From the first line of a box to the address of what it names, if there is any."""


def drawing(text: str, lead: Lead) -> str:
    """The SVG of a Mermaid flowchart.

    Raises:
        ValueError: it is not one that is known, or its arrows go in a circle.
    """
    chart = flowchart(text)
    lines = {key: _wrapped(box) for key, box in chart.boxes.items()}
    found = layout({key: _size(each) for key, each in lines.items()}, [*chart.arrows, *chart.beside])
    arrows = [_arrow(points) for points in found.arrows[: len(chart.arrows)]]
    boxes = [_box(box, lines[key], found.centres[key], lead(box.lines[0])) for key, box in chart.boxes.items()]
    return "\n".join([_opening(found), *arrows, *boxes, "</svg>"])


def _opening(found: Arrangement) -> str:
    width, height = (length + 2 * _MARGIN for length in found.size)
    view = f"{-_MARGIN:g} {-_MARGIN:g} {width:.1f} {height:.1f}"
    return f'<svg class="flowchart" width="{width:.0f}" height="{height:.0f}" viewBox="{view}">'


def _wrapped(box: Box) -> tuple[str, ...]:
    return tuple(line for each in box.lines for line in wrap(each, _LONGEST))


def _size(lines: Sequence[str]) -> Extent:
    return Extent(_LETTER * max(map(len, lines)) + 20.0, _LINE * len(lines) + 12.0)


def _box(box: Box, lines: Sequence[str], centre: Position, target: str | None) -> str:
    size = _size(lines)
    left, top = centre.x - size.width / 2, centre.y - size.height / 2
    corner = size.height / 2 if box.rounded else 4.0
    first = top + 6.0 + 0.75 * _LINE
    shape = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{size.width:.1f}" height="{size.height:.1f}" rx="{corner:.1f}"/>'
    )
    words = "".join(
        f'<text x="{centre.x:.1f}" y="{first + _LINE * position:.1f}">{escape(line)}</text>'
        for position, line in enumerate(lines)
    )
    drawn = f'<g style="{escape(box.style)}">{shape}{words}</g>'
    return f'<a href="{escape(target)}">{drawn}</a>' if target else drawn


def _arrow(points: Sequence[Position]) -> str:
    """Curves from layer to layer, straight through a layer that it only passes, and a head at the end."""
    *way, tip = points
    ends = [*way, Position(tip.x - _HEAD, tip.y)]
    drawn = [f"M{ends[0].x:.1f} {ends[0].y:.1f}"]
    for start, stop in zip(ends[::2], ends[1::2], strict=True):
        middle = (start.x + stop.x) / 2
        drawn.append(f"L{start.x:.1f} {start.y:.1f}C{middle:.1f} {start.y:.1f} {middle:.1f} {stop.y:.1f}")
        drawn.append(f" {stop.x:.1f} {stop.y:.1f}")
    head = f"M{tip.x:.1f} {tip.y:.1f}l{-_HEAD:g} {-_HEAD / 2:g}v{_HEAD:g}z"
    return f'<path class="arrow" d="{"".join(drawn)}"/><path class="head" d="{head}"/>'
