"""A flowchart as SVG within a page: boxes lead to what they name, and arrows have the colour of the text around.

Merman reads Mermaid's text and lays it out; a browser then needs no script to show it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape, unescape
from typing import Any, TypeAlias

from merman import Merman

Lead: TypeAlias = Callable[[str], str | None]
"""From the first line of a box to the address of what it names, if there is any."""
_MERMAN = Merman()
_SIZES = """\
%%{init: {"look": "classic", "fontSize": 13, "flowchart": {"wrappingWidth": 400, "nodeSpacing": 16, "rankSpacing": 40,
"padding": 6, "minNodeWidth": 20}}}%%
"""
_LINE, _HEAD = 16.0, 7.0


def drawing(text: str, lead: Lead) -> str:
    """The SVG of a Mermaid flowchart.

    Raises:
        MermanError: it cannot be read.
    """
    found = json.loads(_MERMAN.layout_json(_SIZES + text, None))
    told, placed = found["semantic"], found["layout"]["FlowchartV2"]
    places = {one["id"]: one for one in placed["nodes"]}
    hidden = {one["id"] for one in told["edges"] if one["stroke"] == "invisible"}
    arrows = [_arrow(one["points"]) for one in placed["edges"] if one["id"] not in hidden]
    boxes = [_box(one, places[one["id"]], told["classDefs"], lead) for one in told["nodes"]]
    left, top, right, bottom = (placed["bounds"][name] for name in ("min_x", "min_y", "max_x", "max_y"))
    width, height = right - left + 4, bottom - top + 4
    view = f'width="{width:.0f}" height="{height:.0f}" viewBox="{left - 2:.1f} {top - 2:.1f} {width:.1f} {height:.1f}"'
    return "\n".join([f'<svg class="flowchart" {view}>', *arrows, *boxes, "</svg>"])


def _box(box: Mapping[str, Any], at: Mapping[str, Any], styles: Mapping[str, Sequence[str]], lead: Lead) -> str:
    lines = [unescape(line) for line in box["label"].split("<br/>")]
    style = ";".join(part for name in box["classes"] for part in styles[name])
    corner = at["height"] / 2 if box["shape"] == "stadium" else 4.0
    left, up = at["x"] - at["width"] / 2, at["y"] - at["height"] / 2
    shape = f'x="{left:.1f}" y="{up:.1f}" width="{at["width"]:.1f}" height="{at["height"]:.1f}" rx="{corner:.1f}"'
    first = at["y"] - _LINE * (len(lines) - 1) / 2
    words = "".join(
        f'<text x="{at["x"]:.1f}" y="{first + _LINE * place:.1f}">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )
    drawn = f'<g style="{escape(style)}"><rect {shape}/>{words}</g>'
    target = lead(lines[0])
    return f'<a href="{escape(target)}">{drawn}</a>' if target else drawn


def _arrow(points: Sequence[Mapping[str, float]]) -> str:
    """From point to point, and a head at the end."""
    *way, tip = [(one["x"], one["y"]) for one in points]
    x, y = tip[0] - _HEAD, tip[1]
    drawn = "L".join(f"{across:.1f} {up:.1f}" for across, up in [*way, (x, y)])
    return f'<path class="arrow" d="M{drawn}"/><path class="head" d="M{x:.1f} {y:.1f}v-3.5l{_HEAD} 3.5l-{_HEAD} 3.5z"/>'
