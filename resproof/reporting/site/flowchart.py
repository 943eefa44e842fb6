"""Mermaid flowcharts as the report has them: boxes with a class, arrows, and the style of each class.

Only the lines that `reporting.markdown.graph` and `reporting.markdown.legend` write are known; any other is refused, so
that a diagram is drawn whole or not at all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

_BOX = re.compile(r'(\w+)(\(\[|\[)"(.*)"(?:\]\)|\]):::(\w+)')
_ARROW = re.compile(r"(\w+) (-->|~~~) (\w+)")
_STYLE = re.compile(r"classDef (\w+) (.*)")
_ENTITY = re.compile(r"#(\w+);")


@dataclass(frozen=True, slots=True)
class Box:
    """The lines in it, how it is painted, and whether its ends are round."""

    lines: tuple[str, ...]
    style: str
    rounded: bool


@dataclass(frozen=True, slots=True)
class Flowchart:
    """Boxes by key, and arrows between keys; `beside` are arrows that are not drawn, but keep boxes in order."""

    boxes: Mapping[str, Box]
    arrows: tuple[tuple[str, str], ...]
    beside: tuple[tuple[str, str], ...]


def flowchart(text: str) -> Flowchart:
    """The diagram that Mermaid makes of `text`, from left to right.

    Raises:
        ValueError: there is a line in it that is not known.
    """
    first, *lines = (line.strip() for line in text.strip().splitlines())
    boxes = [found for line in lines if (found := _BOX.fullmatch(line))]
    arrows = [found for line in lines if (found := _ARROW.fullmatch(line))]
    styles = [found for line in lines if (found := _STYLE.fullmatch(line))]
    known = {found[0] for found in (*boxes, *arrows, *styles)}
    unknown = [line for line in lines if line not in known]
    if first != "flowchart LR" or unknown:
        raise ValueError(f"{[*unknown, first][0]!r} in a diagram is not known")
    style_of = {found[1]: found[2].replace(",", ";") for found in styles}
    return Flowchart(
        {
            key: Box(_lines(label), style_of[name], rounded=shape == "([")
            for key, shape, label, name in map(_groups, boxes)
        },
        tuple((found[1], found[3]) for found in arrows if found[2] == "-->"),
        tuple((found[1], found[3]) for found in arrows if found[2] == "~~~"),
    )


def _groups(found: re.Match[str]) -> tuple[str, str, str, str]:
    return found[1], found[2], found[3], found[4]


def _lines(label: str) -> tuple[str, ...]:
    """What is written, line by line: Mermaid writes &#35; as #35; and &lt; as #lt;."""
    return tuple(html.unescape(_ENTITY.sub(_entity, line)) for line in label.split("<br/>"))


def _entity(found: re.Match[str]) -> str:
    return f"&#{found[1]};" if found[1].isdigit() else f"&{found[1]};"
