"""What can be computed from an expression alone: its input, its weights, whether it mixes columns."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import assert_never

from architectures.errors import ArchitectureError
from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Dimension,
    Expression,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
    describe,
    nodes,
    read,
)


def the_input(root: Expression) -> Input:
    """The expression's one input.

    Raises:
        ArchitectureError: it has none, or several.
    """
    inputs = [node for node in nodes(root) if isinstance(node, Input)]
    if len(inputs) != 1:
        raise ArchitectureError(f"{describe(root)}: {len(inputs)} inputs; expected exactly one Input")
    return inputs[0]


class ColumnUse(Enum):
    """How the columns of a node depend on those of the input."""

    FIXED = 0
    """Not at all."""
    APART = 1
    """Each on the same column alone, in the same way."""
    MIXED = 2


def mixes_columns(root: Expression) -> bool:
    """Whether an output column can depend on another input column, or on its position.

    Columns stay apart as long as no product contracts them, no transpose turns them into rows, no softmax or
    normalisation runs along them, and no weight, constant or mask has them for a dimension.
    """
    columns = the_input(root).columns

    def case(node: Expression, recurse: Callable[[Expression], ColumnUse]) -> ColumnUse:
        match node:
            case Input():
                return ColumnUse.APART
            case Weight() | Constant():
                # A single column has no position, and a number may be that of something else: then they are tokens.
                return ColumnUse.MIXED if columns != 1 and columns in node.shape else ColumnUse.FIXED
            case MatMul():
                left, right = recurse(node.left), recurse(node.right)
                return ColumnUse.MIXED if left is ColumnUse.APART else _worse(left, right)
            case Add() | Multiply():
                return _worse(recurse(node.left), recurse(node.right))
            case Apply():
                return recurse(node.operand)
            case Softmax():
                masked = ColumnUse.FIXED if node.mask is None else recurse(node.mask)
                return _worse(masked, _along(node, recurse(node.operand)))
            case Normalize():
                return _along(node, recurse(node.operand))
            case Transpose():
                operand = recurse(node.operand)
                return operand if operand is ColumnUse.FIXED else ColumnUse.MIXED
            case _:
                assert_never(node)

    return read(root, case) is ColumnUse.MIXED


def _worse(a: ColumnUse, b: ColumnUse) -> ColumnUse:
    return a if a.value >= b.value else b


def _along(node: Softmax | Normalize, operand: ColumnUse) -> ColumnUse:
    return ColumnUse.MIXED if node.axis == 1 and operand is ColumnUse.APART else operand


def dimension_names(root: Expression) -> tuple[str, ...]:
    """The named dimensions, in the order of their first appearance."""
    found: dict[str, None] = {}
    for node in nodes(root):
        for dimension in node.shape:
            if isinstance(dimension, str):
                found.setdefault(dimension)
    return tuple(found)


def shifts(root: Expression) -> tuple[tuple[Dimension, int], ...]:
    """The dimension and the modulus of every shift."""
    patterns = [node for node in nodes(root) if isinstance(node, Constant) and str(node.value).startswith("shift")]
    return tuple((node.rows, abs(int(str(node.value).split()[1]))) for node in patterns)
