"""What can be computed from an expression alone: its input, its weights, whether it mixes columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import lru_cache
from typing import assert_never

from resproof.architectures.dimensions import Dimension, factors
from resproof.architectures.errors import ArchitectureError
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
    describe,
    nodes,
    read,
)


@lru_cache(maxsize=256)
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
    """Each on the same column alone, in the same way; the columns are the last axis."""
    MIXED = 2


@lru_cache(maxsize=256)
def mixes_columns(root: Expression) -> bool:
    """Whether an output column can depend on another input column, or on its position.

    Columns stay apart as long as no product contracts them, they stay the last axis, no softmax or normalisation runs
    along them, and no weight, constant or mask has them for a dimension. An input of more than two axes has none that
    could be samples.
    """
    h = the_input(root)
    columns = h.columns
    if len(h.shape) != 2:
        return True

    def case(node: Expression, recurse: Callable[[Expression], ColumnUse]) -> ColumnUse:
        match node:
            case Input():
                return ColumnUse.APART
            case Weight() | Constant():
                # A single column has no position, and a number may be that of something else: then they are tokens.
                return ColumnUse.MIXED if columns != 1 and columns in node.shape else ColumnUse.FIXED
            case Einsum():
                return _contracted(node, [recurse(operand) for operand in node.operands])
            case Add() | Multiply():
                return _worse(recurse(node.left), recurse(node.right))
            case Apply():
                return recurse(node.operand)
            case Softmax():
                masked = ColumnUse.FIXED if node.mask is None else recurse(node.mask)
                return _worse(masked, _along(node, recurse(node.operand)))
            case Normalize():
                return _along(node, recurse(node.operand))
            case _:
                assert_never(node)

    return read(root, case) is ColumnUse.MIXED


def _worse(a: ColumnUse, b: ColumnUse) -> ColumnUse:
    return a if a.value >= b.value else b


def _contracted(node: Einsum, uses: Sequence[ColumnUse]) -> ColumnUse:
    """Columns stay the last axis of the result, and whatever has this axis has the same columns."""
    if ColumnUse.APART not in uses:
        return max(uses, key=lambda use: use.value)
    last = {names[-1] for names, use in zip(node.inputs, uses, strict=True) if use is ColumnUse.APART}
    others = {name for names, use in zip(node.inputs, uses, strict=True) if use is ColumnUse.FIXED for name in names}
    apart = last == set(node.output[-1:]) and last.isdisjoint(others) and ColumnUse.MIXED not in uses
    return ColumnUse.APART if apart else ColumnUse.MIXED


def _along(node: Softmax | Normalize, operand: ColumnUse) -> ColumnUse:
    return ColumnUse.MIXED if node.axis == len(node.shape) - 1 and operand is ColumnUse.APART else operand


@lru_cache(maxsize=256)
def dimension_names(root: Expression) -> tuple[str, ...]:
    """The named dimensions, in the order of their first appearance."""
    found: dict[str, None] = {}
    for node in nodes(root):
        for factor in (factor for dimension in node.shape for factor in factors(dimension)):
            if isinstance(factor, str):
                found.setdefault(factor)
    return tuple(found)


def shifts(root: Expression) -> tuple[tuple[Dimension, int], ...]:
    """The dimension and the modulus of every shift."""
    return tuple((node.shape[0], abs(int(str(node.value).split()[1]))) for node in _patterns(root, "shift"))


def borders(root: Expression) -> tuple[tuple[Dimension, int], ...]:
    """The dimension of the taps and the padding of every window: with no more taps than that, one is padding alone."""
    return tuple((node.shape[2], int(str(node.value).split()[2])) for node in _patterns(root, "window"))


def _patterns(root: Expression, word: str) -> list[Constant]:
    return [node for node in nodes(root) if isinstance(node, Constant) and str(node.value).startswith(f"{word} ")]
