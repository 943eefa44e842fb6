"""A unit as a small Mermaid diagram: the stream, what is done to it on the way, and where parts meet again.

Operations on one operand that depends on the input stand one under the other in a box, until something else uses the
result as well; a sum, a product or a contraction of several such operands begins a box. What is too large to be read
at a glance is not drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
    operands,
)
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import LONGEST, short_text, tree_size, weight_names
from resproof.reporting.markdown import BRANCH, STREAM, Node, graph

_MOST = 24
"""Boxes."""
_WIDEST = 24
"""Characters of a line in a box."""


@dataclass(slots=True)
class _Drawn:
    """The lines of each box, and the arrows between boxes."""

    boxes: list[list[str]] = field(default_factory=list)
    arrows: list[tuple[int, int]] = field(default_factory=list)

    def box(self, line: str, *before: int) -> int:
        """A new box, with an arrow from each of those before."""
        self.boxes.append([line])
        here = len(self.boxes) - 1
        self.arrows += [(one, here) for one in before]
        return here


def diagram(unit: ResidualUnit) -> str:
    """The Mermaid diagram of a unit, empty where it would be too large."""
    root = unit.expression
    if tree_size(root) > LONGEST:
        return ""
    drawn = _drawn(root, weight_names(root, unit.names))
    if len(drawn.boxes) > _MOST:
        return ""
    last = len(drawn.boxes) - 1
    boxes = [
        Node(str(key), tuple(lines), STREAM if lines == ["h"] or key == last else BRANCH)
        for key, lines in enumerate(drawn.boxes)
    ]
    return graph(boxes, [(str(a), str(b)) for a, b in dict.fromkeys(drawn.arrows)])


def _drawn(root: Expression, names: Mapping[Weight, str]) -> _Drawn:
    drawn, places = _Drawn(), dict[Expression, int]()
    streams = {node for node in nodes(root) if any(isinstance(part, Input) for part in nodes(node))}
    users = Counter(operand for node in streams for operand in operands(node))

    def parts(node: Expression) -> list[Expression]:
        """The operands; of a sum within a sum its own, unless something else uses it as well."""
        return [
            part
            for one in operands(node)
            for part in (parts(one) if isinstance(node, Add) and isinstance(one, Add) and users[one] < 2 else [one])
        ]

    def place(node: Expression) -> int:
        if node not in places:
            places[node] = placed(node, parts(node))
        return places[node]

    def placed(node: Expression, of: list[Expression]) -> int:
        before = [one for one in of if one in streams]
        if isinstance(node, Input):
            return drawn.box("h")
        if isinstance(node, Einsum) and node.form == "transpose":
            return place(before[0])
        line = _line(node, [short_text(one, names, _WIDEST) for one in of if one not in streams])
        if len(before) > 1:
            return drawn.box(line, *map(place, before))
        here = place(before[0])
        if isinstance(before[0], Input) or users[before[0]] > 1:
            return drawn.box(line, here)
        drawn.boxes[here].append(line)
        return here

    place(root)
    return drawn


def _line(node: Expression, beside: list[str]) -> str:
    """What is done, `beside` being the operands that do not depend on the input."""
    match node:
        case Input() | Weight() | Constant():
            return ""
        case Einsum(form="product"):
            return " ".join(beside) or "@"
        case Einsum():
            return " ".join([*beside, node.pattern])
        case Add():
            return " ".join(["+", *beside])
        case Multiply():
            return " ".join(["*", *beside])
        case Apply():
            return node.activation.name
        case Softmax():
            return "softmax"
        case Normalize():
            return "layer_norm" if node.centred else "rms_norm"
        case _:
            assert_never(node)
