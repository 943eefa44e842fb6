"""Names for the dimensions of an expression that was read with numbers: equal where the expression makes them equal.

What holds for every size is then said of every size, and the sizes that the module has are given beside it. A size of
one stays a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeAlias, assert_never

from resproof.architectures.dimensions import COLUMNS, Dimension, product_of
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
)
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.values import Identity

INPUT = {2: ("d", COLUMNS), 3: ("c", "y", "x")}
"""Names of the input's dimensions, by their number."""
INNER = ("k", "l", "p", "q", "s", "u", "v")
"""Names of inner dimensions, the first ones first."""

Sides: TypeAlias = tuple[int, ...]
"""The numbers of the classes' members that a node's axes are."""


class _Classes:
    """Sides of leaves that have to be equal: a forest of the sides' numbers.

    A side that is pinned keeps its number, one that is split is the product of others.
    """

    def __init__(self) -> None:
        self.above: list[int] = []
        self.size: list[int] = []
        self.pinned: set[int] = set()
        self.products: list[tuple[int, Sides]] = []

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

    def relate(self, constant: Constant, sides: Sides) -> None:
        """What a constant makes of its sides: equal ones, a product and its factors, or numbers."""
        match str(constant.value).split(" ")[0] if isinstance(constant.value, str) else "":
            case "" | "mean":
                pass
            case "split":
                self.products.append((sides[0], sides[1:]))
            case "window" if constant.shape[0] == constant.shape[1]:
                self.join(sides[0], sides[1])
                self.pinned.add(sides[2])
            case "window" | "take":
                self.pinned.update(sides)
            case _:
                self.join(*sides)

    def settle(self) -> None:
        """Two products that are one side have the same factors, or the side is a number and so are they."""
        for k, (whole, parts) in enumerate(self.products):
            for other, others in self.products[:k]:
                if self.of(whole) != self.of(other):
                    continue
                if [self.size[a] for a in parts] == [self.size[b] for b in others]:
                    for a, b in zip(parts, others, strict=True):
                        self.join(a, b)
                else:
                    self.pinned.update((whole, *parts, *others))
        pinned = {self.of(side) for side in self.pinned}
        self.pinned.update(side for whole, parts in self.products if self.of(whole) in pinned for side in parts)


def named(
    root: Expression, names_of_weights: Mapping[Weight, str], alike: Sequence[Sequence[tuple[Weight, int]]] = ()
) -> tuple[Expression, Mapping[Weight, Weight], dict[str, int]]:
    """The expression with names for its sizes and weights, each weight with its new self, and the size of each name.

    Axes of weights that are alike (those of one parameter, of which the weights are parts) are one dimension.
    """
    classes, sides = _classes(root)
    for group in alike:
        first, *others = (sides[weight][axis] for weight, axis in group)
        for other in others:
            if classes.size[classes.of(first)] == classes.size[classes.of(other)]:
                classes.join(first, other)
    names = _names(root, classes, sides)
    weights: dict[Weight, Weight] = {}

    def leaf(node: Leaf) -> Leaf:
        shape = tuple(names[classes.of(side)] for side in sides[node])
        match node:
            case Input():
                return Input(*shape)
            case Weight():
                weights[node] = replace(node, shape=shape, name=names_of_weights[node])
                return weights[node]
            case Constant():
                return Constant(node.value, shape)
            case _:
                assert_never(node)

    renamed = rebuilt(root, leaf)
    sizes = {name: classes.size[key] for key, name in names.items() if isinstance(name, str) and "*" not in name}
    return renamed, weights, sizes


def _classes(root: Expression) -> tuple[_Classes, dict[Expression, Sides]]:
    """The sides of every node, those in one class that the expression makes equal."""
    classes, sides = _Classes(), dict[Expression, Sides]()
    for node in nodes(root):
        match node:
            case Input() | Weight() | Constant():
                sides[node] = tuple(map(classes.new, node.shape))
                if isinstance(node, Constant):
                    classes.relate(node, sides[node])
                elif isinstance(node, Weight) and isinstance(node.initial, Identity):
                    classes.join(*sides[node])
            case Einsum():
                sides[node] = _contracted(node, classes, [sides[operand] for operand in node.operands])
            case Add() | Multiply():
                both = list(zip(sides[node.left], sides[node.right], strict=True))
                for one, other in both:
                    classes.join(one, other)
                sides[node] = tuple(b if classes.size[a] == 1 else a for a, b in both)
            case Softmax():
                sides[node] = sides[node.operand]
                if node.mask is not None:
                    for one, other in zip(sides[node.operand][-2:], sides[node.mask], strict=True):
                        classes.join(one, other)
            case Apply() | Normalize():
                sides[node] = sides[node.operand]
            case _:
                assert_never(node)
    h = next(sides[node] for node in nodes(root) if isinstance(node, Input))
    for one, other in zip(h, sides[root], strict=True):
        classes.join(one, other)
    classes.settle()
    return classes, sides


def _contracted(node: Einsum, classes: _Classes, operands: Sequence[Sides]) -> Sides:
    """Axes of one name are of one class."""
    found: dict[str, int] = {}
    for names, sides in zip(node.inputs, operands, strict=True):
        for name, side in zip(names, sides, strict=True):
            classes.join(found.setdefault(name, side), side)
    return tuple(found[name] for name in node.output)


def _names(root: Expression, classes: _Classes, sides: Mapping[Expression, Sides]) -> dict[int, Dimension]:
    """The name of every class above size one: those of the input first, then the inner ones in parameter order."""
    found: dict[int, Dimension] = {classes.of(side): classes.size[side] for side in classes.pinned}
    products = {classes.of(whole): tuple(map(classes.of, parts)) for whole, parts in classes.products}
    h = next(sides[n] for n in nodes(root) if isinstance(n, Input))
    taken = INPUT[len(h)]
    free = (name for group in (INNER, (f"k{n}" for n in count(1))) for name in group if name not in taken)
    for preferred, key in zip(taken, map(classes.of, h), strict=True):
        if key not in products:
            _ = found.setdefault(key, preferred if classes.size[key] > 1 else 1)
    for key in (classes.of(side) for node in nodes(root) for side in sides[node]):
        if key not in found and key not in products:
            found[key] = next(free) if classes.size[key] > 1 else 1
    return {**found, **_product_names(products, found, classes)}


def _product_names(
    products: Mapping[int, Sides], found: Mapping[int, Dimension], classes: _Classes
) -> dict[int, Dimension]:
    """What is a product by its factors' names, else by its number."""
    named: dict[int, Dimension] = {}
    for whole, parts in products.items():
        factors = [found.get(part) for part in parts]
        known = whole not in found and None not in factors
        named[whole] = product_of([n for n in factors if n is not None]) if known else classes.size[whole]
    return named
