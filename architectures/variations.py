"""A unit with one thing changed: a weight that starts elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Expression,
    Initial,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
    read,
)
from architectures.networks import ResidualUnit


def starting_at(unit: ResidualUnit, name: str, initial: Initial) -> ResidualUnit:
    """The unit with the weight of this name starting at `initial`; all names stay.

    Raises:
        KeyError: no weight has this name.
    """
    chosen = {known: weight for weight, known in unit.names.items()}[name]
    changed = replace(chosen, initial=initial, name=name)

    def case(node: Expression, recurse: Callable[[Expression], Expression]) -> Expression:
        match node:
            case Input() | Constant():
                return node
            case Weight():
                return changed if node is chosen else node
            case MatMul() | Add() | Multiply():
                return type(node)(recurse(node.left), recurse(node.right))
            case Apply():
                return Apply(node.activation, recurse(node.operand))
            case Softmax():
                return Softmax(recurse(node.operand), node.axis, node.mask)
            case Normalize():
                return Normalize(recurse(node.operand), node.axis, node.centred, node.epsilon)
            case Transpose():
                return Transpose(recurse(node.operand))
            case _:
                assert_never(node)

    return ResidualUnit(read(unit.expression, case), {**unit.names, changed: name})
