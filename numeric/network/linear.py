"""Whether a unit is linear in h: computed from its expression, never from its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
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
    read,
)
from resproof.architectures.stages import ResidualUnit


@lru_cache(maxsize=64)
def is_linear(unit: ResidualUnit) -> bool:
    """Whether the unit is linear in h, sample by sample, whatever its weights: homogeneous of degree one."""
    return not unit.mixes_columns and degree_in_input(unit.expression) == 1


def degree_in_input(root: Expression) -> int | None:
    """The degree in h where the expression is a homogeneous polynomial in h by its form, else None."""

    def case(node: Expression, recurse: Callable[[Expression], int | None]) -> int | None:
        match node:
            case Input():
                return 1
            case Weight() | Constant():
                return 0
            case Einsum() | Multiply():
                degrees = [recurse(operand) for operand in node.operands]
                known = [degree for degree in degrees if degree is not None]
                return sum(known) if len(known) == len(degrees) else None
            case Add():
                left, right = recurse(node.left), recurse(node.right)
                return left if left == right else None
            case Apply():
                degree = recurse(node.operand)
                same = degree == 0 or (node.activation.degree == 1 and node.activation.taylor(0).rational == 0)
                return degree if same else None
            case Softmax() | Normalize():
                return 0 if recurse(node.operand) == 0 else None
            case _:
                assert_never(node)

    return read(root, case)
