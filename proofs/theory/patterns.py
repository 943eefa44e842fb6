"""Units of several kinds in a row, written as one unit: h -> U_P(... U_1(h)), with weights of its own at every place."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from architectures.expressions import Expression, Input, Weight
from architectures.networks import ResidualUnit
from architectures.properties import the_input
from architectures.rebuild import Leaf, rebuilt


def in_a_row(units: Sequence[ResidualUnit]) -> ResidualUnit:
    """The units one after the other, the earliest first; the weight W1 of the first is named W1a, of the second W1b.

    Inputs have one shape. Parameters are numbered place by place.
    """
    stream: Expression = the_input(units[0].expression)
    for letter, unit in zip(ascii_lowercase, units, strict=False):
        stream = _after(stream, unit, letter)
    return ResidualUnit(stream)


def _after(stream: Expression, unit: ResidualUnit, letter: str) -> Expression:
    """The unit's output where its input is the stream."""
    own = {
        weight: Weight(weight.rows, weight.cols, initial=weight.initial, name=f"{name}{letter}")
        for weight, name in unit.names.items()
    }

    def leaf(node: Leaf) -> Expression:
        return stream if isinstance(node, Input) else own[node] if isinstance(node, Weight) else node

    return rebuilt(unit.expression, leaf)
