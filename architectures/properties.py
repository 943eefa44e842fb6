"""What can be computed from an expression alone: its input, its weights, whether it mixes columns."""

from __future__ import annotations

from collections.abc import Callable
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


def weights(root: Expression) -> tuple[Weight, ...]:
    """The weights in parameter order: first visit, the right operand of `@` first."""
    return tuple(node for node in nodes(root) if isinstance(node, Weight))


def the_input(root: Expression) -> Input:
    """The expression's one input.

    Raises:
        ArchitectureError: it has none, or several.
    """
    inputs = [node for node in nodes(root) if isinstance(node, Input)]
    if len(inputs) != 1:
        raise ArchitectureError(f"{describe(root)}: {len(inputs)} inputs; expected exactly one Input")
    return inputs[0]


def mixes_columns(root: Expression) -> bool:
    """Whether an output column can depend on another input column, or on its position.

    Columns stay apart as long as the column dimension occurs nowhere but as the columns of a node computed from the
    input: no product contracts it, no transpose turns it into rows, no softmax or normalisation runs along it.
    """
    columns = the_input(root).columns

    def case(node: Expression, recurse: Callable[[Expression], bool]) -> bool:
        match node:
            case Input():
                return False
            case Weight() | Constant():
                return columns in node.shape and columns != 1
            case MatMul() | Add() | Multiply():
                return recurse(node.left) or recurse(node.right)
            case Apply():
                return recurse(node.operand)
            case Softmax():
                masked = node.mask is not None and recurse(node.mask)
                return masked or recurse(node.operand) or _along(node, columns)
            case Normalize():
                return recurse(node.operand) or _along(node, columns)
            case Transpose():
                return recurse(node.operand) or node.operand.shape[1] == columns
            case _:
                assert_never(node)

    return read(root, case)


def _along(node: Softmax | Normalize, columns: Dimension) -> bool:
    return node.axis == 1 and node.operand.shape[1] == columns


def dimension_names(root: Expression) -> tuple[str, ...]:
    """The named dimensions, in the order of their first appearance."""
    found: dict[str, None] = {}
    for node in nodes(root):
        for dimension in node.shape:
            if isinstance(dimension, str):
                found.setdefault(dimension)
    return tuple(found)
