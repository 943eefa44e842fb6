"""Names for the dimensions of an expression that was read with numbers: equal where the expression makes them equal.

What holds for every size is then said of every size, and the sizes that the module has are given beside it. A size of
one stays a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import assert_never

from architectures.errors import ArchitectureError
from architectures.expressions import (
    COLUMNS,
    Add,
    Apply,
    Constant,
    Dimension,
    Einsum,
    Expression,
    Identity,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
)
from architectures.rebuild import Leaf, rebuilt
from architectures.text import short_text

WIDTH = "d"
INNER = ("k", "l", "p", "q", "s", "u", "v")
"""Names of inner dimensions, the first ones first."""


class _Classes:
    """Sides of leaves that have to be equal: a forest of the sides' numbers."""

    def __init__(self) -> None:
        self.above: list[int] = []
        self.size: list[int] = []

    def new(self, size: Dimension) -> int:
        self.above.append(len(self.above))
        self.size.append(int(size))
        return len(self.above) - 1

    def of(self, side: int) -> int:
        while self.above[side] != side:
            side = self.above[side]
        return side

    def join(self, a: int, b: int) -> None:
        a, b = self.of(a), self.of(b)
        if self.size[a] != 1 != self.size[b]:
            assert self.size[a] == self.size[b]
            self.above[max(a, b)] = min(a, b)


def named(
    root: Expression, names_of_weights: Mapping[Weight, str], alike: Sequence[Sequence[Weight]] = ()
) -> tuple[Expression, Mapping[Weight, Weight], dict[str, int]]:
    """The expression with names for its sizes and weights, each weight with its new self, and the size of each name.

    Weights that are alike (the parts that the heads take of one parameter) have their sides in common.
    """
    classes, sides = _classes(root)
    for group in alike:
        for weight in group[1:]:
            for one, other in zip(sides[group[0]], sides[weight], strict=True):
                if classes.size[classes.of(one)] == classes.size[classes.of(other)]:
                    classes.join(one, other)
    names = _names(root, classes, sides)
    weights: dict[Weight, Weight] = {}

    def leaf(node: Leaf) -> Leaf:
        rows, cols = (names[classes.of(side)] for side in sides[node])
        match node:
            case Input():
                return Input(rows, cols)
            case Weight():
                weights[node] = replace(node, rows=rows, cols=cols, name=names_of_weights[node])
                return weights[node]
            case Constant():
                return Constant(node.value, rows, cols)
            case _:
                assert_never(node)

    renamed = rebuilt(root, leaf)
    sizes = {name: classes.size[key] for key, name in names.items() if isinstance(name, str)}
    return renamed, weights, sizes


def _classes(root: Expression) -> tuple[_Classes, dict[Expression, tuple[int, int]]]:
    """The sides of every node, those in one class that the expression makes equal.

    Raises:
        ArchitectureError: a contraction that is neither a matrix product nor a transpose.
    """
    classes, sides = _Classes(), dict[Expression, tuple[int, int]]()
    for node in nodes(root):
        match node:
            case Input() | Weight() | Constant():
                sides[node] = (classes.new(node.shape[0]), classes.new(node.shape[1]))
                patterned = isinstance(node, Constant) and isinstance(node.value, str)
                if patterned or (isinstance(node, Weight) and isinstance(node.initial, Identity)):
                    classes.join(*sides[node])
            case Einsum(form="product", operands=(one, other)):
                left, right = sides[one], sides[other]
                classes.join(left[1], right[0])
                sides[node] = (left[0], right[1])
            case Add() | Multiply():
                left, right = sides[node.left], sides[node.right]
                for one, other in zip(left, right, strict=True):
                    classes.join(one, other)
                rows, cols = (b if classes.size[a] == 1 else a for a, b in zip(left, right, strict=True))
                sides[node] = (rows, cols)
            case Softmax():
                sides[node] = sides[node.operand]
                if node.mask is not None:
                    for one, other in zip(sides[node.operand], sides[node.mask], strict=True):
                        classes.join(one, other)
            case Apply() | Normalize():
                sides[node] = sides[node.operand]
            case Einsum(form="transpose", operands=(operand,)):
                rows, cols = sides[operand]
                sides[node] = (cols, rows)
            case Einsum():
                raise ArchitectureError(f"{short_text(node)}: expected matrix products and transposes alone")
            case _:
                assert_never(node)
    h = next(sides[node] for node in nodes(root) if isinstance(node, Input))
    for one, other in zip(h, sides[root], strict=True):
        classes.join(one, other)
    return classes, sides


def _names(root: Expression, classes: _Classes, sides: Mapping[Expression, tuple[int, int]]) -> dict[int, Dimension]:
    """The name of every class above size one: d and t for the input's, then the inner ones in parameter order."""
    found: dict[int, Dimension] = {}
    free = (name for group in (INNER, (f"k{n}" for n in count(1))) for name in group)
    for preferred, side in zip(
        (WIDTH, COLUMNS), next(sides[n] for n in nodes(root) if isinstance(n, Input)), strict=True
    ):
        found.setdefault(classes.of(side), preferred if classes.size[classes.of(side)] > 1 else 1)
    for node in nodes(root):
        for key in map(classes.of, sides[node]):
            if key not in found:
                found[key] = next(free) if classes.size[key] > 1 else 1
    return found
