"""Residual units drawn at random over the language of two axes, each from the state of a generator.

Half of the units are the identity where training starts: h plus branches of products of which at least one factor
vanishes there. `Maker.vanishing` makes an expression of a given order of smallness, `Maker.expression` any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

from resproof.architectures.activations import ACTIVATIONS, polynomial
from resproof.architectures.dimensions import Dimension, Shape
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import (
    Activation,
    Add,
    Apply,
    Constant,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
)
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Initial, Normal, Scalar, identity_initial, normal, ones, zero

COLLISIONS = ("x", "y", "X", "Y", "g", "Q", "H", "R", "m", "d", "t", "l", "u", "k", "delta", "W1", "W2", "W1_2")
"""Names of weights that are also names of something else."""
NUMBERS: tuple[Scalar, ...] = (1, 1, 2, -1, Fraction(1, 2), Fraction(-3, 2), Fraction(1, 3), 3)
MOST_NODES = 40


def drawn_unit(r: Random) -> tuple[ResidualUnit, bool]:
    """A unit, and whether it was made to be the identity at its initial point."""
    while True:
        maker = _maker(r)
        identity = maker.chance(0.5)
        with suppress(ArchitectureError):
            expression = _identity_unit(maker) if identity else _any_unit(maker)
            if len(nodes(expression)) <= MOST_NODES:
                unit = ResidualUnit(expression)
                if unit.names:
                    return unit, identity


@dataclass
class Maker:
    """Draws expressions; `apart` keeps the columns of the input apart."""

    r: Random
    h: Input
    apart: bool
    dimensions: Sequence[Dimension]
    made: dict[Shape, list[Expression]] = field(default_factory=dict[Shape, list[Expression]])
    names: list[str] = field(default_factory=list[str])
    stream: Expression | None = None

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return self.r.random() < p

    def dimension(self) -> Dimension:
        """Some dimension."""
        return self.r.choice(self.dimensions)

    def is_stream(self, shape: Shape) -> bool:
        """Whether an expression of this shape has to be made from the input, for the columns to stay apart."""
        return self.apart and shape[1] == self.h.columns

    # Leaves.

    def leaf(self, shape: Shape) -> Expression:
        """The input, a weight or a constant."""
        if shape == self.h.shape and (self.is_stream(shape) or self.chance(0.5)):
            return self.h if self.stream is None or self.chance(0.5) else self.stream
        if self.is_stream(shape):
            return self.leaf((shape[0], self.h.rows)) @ self.leaf(self.h.shape)
        return self.constant(shape) if self.chance(0.3) else self.weight(shape)

    def weight(self, shape: Shape, initial: Initial | None = None) -> Weight:
        """A weight, an old one or a new one."""
        old = [w for w in self.made.get(shape, ()) if isinstance(w, Weight) and initial in (None, w.initial)]
        if old and self.chance(0.15):
            return self.r.choice(old)
        if initial is None:
            choices: list[Initial] = [zero, zero, zero, self.normal(shape), self.normal(shape), ones]
            initial = self.r.choice([*choices, identity_initial] if shape[0] == shape[1] else choices)
        return self.keep(Weight(*shape, initial=initial, name=self.name()))

    def normal(self, shape: Shape) -> Normal:
        """A distribution of initial values."""
        named = [f"1/{n}" for n in shape if n != 1]
        return normal(self.r.choice([*named, 1, Fraction(1, 2), "1/4"]))

    def name(self) -> str | None:
        """A name for a weight, seldom one that another one has."""
        if self.chance(0.6):
            return None
        name = self.r.choice(COLLISIONS)
        if name in self.names and not self.chance(0.1):
            return None
        self.names.append(name)
        return name

    def constant(self, shape: Shape) -> Constant:
        """A number or a pattern."""
        square = shape[0] == shape[1] and shape[0] != 1
        if (square and self.chance(0.6)) or (1 not in shape and self.chance(0.1)):
            pattern = self.r.choice(["causal", f"shift {self.r.choice([-5, -2, -1, 0, 1, 1, 2, 7])}"])
            pattern = "identity" if square and self.chance(0.3) else pattern
            with suppress(ArchitectureError):
                return Constant(pattern, *shape)
        return Constant(self.r.choice(NUMBERS), *shape)

    def activation(self, *, through_zero: bool = False) -> Activation:
        """A known activation, or a polynomial; through the origin if asked for."""
        if self.chance(0.3):
            degree = self.r.randrange(5)
            coefficients = [self.r.choice([0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 3)]) for _ in range(degree + 1)]
            coefficients[0] = 0 if through_zero else coefficients[0]
            return polynomial(*coefficients, name="f" if self.chance(0.2) else None)
        through = ("identity", "tanh", "tanh", "gelu", "silu", "relu")
        name = self.r.choice(through if through_zero else (*through, "sigmoid", "softplus"))
        return replace(ACTIVATIONS[name], name="tanh") if self.chance(0.02) else ACTIVATIONS[name]

    def keep(self, node: Any) -> Any:
        """The node, remembered for use in another place."""
        self.made.setdefault(node.shape, []).append(node)
        return node

    # Any expression.

    def expression(self, shape: Shape, budget: int) -> Expression:
        """Any expression of this shape."""
        if budget <= 0:
            return self.leaf(shape)
        if self.made.get(shape) and self.chance(0.12):
            return self.r.choice(self.made[shape])
        makers = [self.leaf, self.product, self.product, self.sum, self.times, self.softmax, self.normalise]
        makers += [self.apply, self.apply]
        if not self.is_stream(shape):
            makers.append(self.transpose)
        make: Callable[..., Expression] = self.r.choice(makers)
        return self.keep(make(shape) if make == self.leaf else make(shape, budget - 1))

    def product(self, shape: Shape, budget: int) -> Expression:
        """A matrix product."""
        inner = self.dimension()
        return self.expression((shape[0], inner), budget - 1) @ self.expression((inner, shape[1]), budget)

    def broadcast(self, shape: Shape) -> tuple[Shape, Shape]:
        """Two shapes that broadcast to this one."""
        if self.chance(0.5):
            return shape, shape
        small = [[n, n] if self.chance(0.5) else [n, 1] if self.chance(0.7) else [1, n] for n in shape]
        left, right = ((small[0][k], small[1][k]) for k in range(2))
        return (left, right) if self.chance(0.5) else (right, left)

    def sum(self, shape: Shape, budget: int) -> Expression:
        """A sum or a difference."""
        left, right = (self.expression(s, budget - k) for k, s in enumerate(self.broadcast(shape)))
        return Add(left, right) if self.chance(0.7) else left - right

    def times(self, shape: Shape, budget: int) -> Expression:
        """An elementwise product."""
        left, right = (self.expression(s, budget - k) for k, s in enumerate(self.broadcast(shape)))
        return Multiply(left, right)

    def apply(self, shape: Shape, budget: int) -> Expression:
        """An activation."""
        return Apply(self.activation(), self.expression(shape, budget))

    def softmax(self, shape: Shape, budget: int) -> Expression:
        """Softmax, down the columns where they are kept apart."""
        axis = 0 if self.is_stream(shape) or self.chance(0.5) else 1
        mask = self.mask(shape) if not self.is_stream(shape) and self.chance(0.5) else None
        return Softmax(self.expression(shape, budget), axis, mask)

    def mask(self, shape: Shape) -> Constant:
        """A mask; one that hides everything seldom."""
        steps = self.r.choice([-1, 0, 1])
        patterns: list[Scalar | str] = [
            "causal",
            "causal",
            "causal",
            "identity",
            f"shift {steps}",
            1,
            Fraction(1, 2),
            0,
        ]
        with suppress(ArchitectureError):
            return Constant(self.r.choice(patterns), *shape)
        return Constant(1, *shape)

    def normalise(self, shape: Shape, budget: int) -> Expression:
        """LayerNorm or RMSNorm."""
        axis = 0 if self.is_stream(shape) or self.chance(0.6) else 1
        epsilon = self.r.choice([0, Fraction(1, 2), Fraction(1, 10), 1])
        return Normalize(self.expression(shape, budget), axis, self.chance(0.6), epsilon)

    def transpose(self, shape: Shape, budget: int) -> Expression:
        """A transpose."""
        return self.expression((shape[1], shape[0]), budget).T

    # What vanishes at the initial point.

    def vanishing(self, shape: Shape, order: int, budget: int) -> Expression:
        """An expression that is of this order of smallness in the weights, or of a higher one."""
        if order == 0:
            return self.expression(shape, min(budget, 2))
        kind = self.r.random()
        if budget > 0 and kind < 0.1 and not self.is_stream(shape):
            return self.vanishing((shape[1], shape[0]), order, budget - 1).T
        if budget > 0 and kind < 0.36:
            return self.small_function(shape, order, budget - 1)
        if budget > 0 and kind < 0.46:
            other = self.vanishing(shape, order + self.r.randrange(2), budget - 1)
            return self.vanishing(shape, order, budget - 1) + other
        if order == 1 and kind < 0.7 and not self.is_stream(shape):
            return self.weight(shape, zero)
        first = self.r.randint(0, order)
        if kind < 0.85 or (order == 1 and budget <= 0):
            inner = self.h.rows if self.is_stream(shape) and self.chance(0.5) else self.dimension()
            first = 1 if budget <= 0 else first
            left = self.weight((shape[0], inner), zero) if budget <= 0 else None
            left = left or self.vanishing((shape[0], inner), first, budget - 1)
            return left @ self.vanishing((inner, shape[1]), order - first, budget - 1)
        left, right = self.broadcast(shape)
        return Multiply(self.vanishing(left, first, budget - 1), self.vanishing(right, order - first, budget - 1))

    def small_function(self, shape: Shape, order: int, budget: int) -> Expression:
        """A function that vanishes with its argument."""
        inside = self.vanishing(shape, order, budget)
        kind = self.r.random()
        if kind < 0.75:
            return Apply(self.activation(through_zero=True), inside)
        axis = 0 if self.is_stream(shape) or self.chance(0.6) else 1
        if kind < 0.85:
            return Normalize(inside, axis, self.chance(0.5), self.r.choice([Fraction(1, 2), 1]))
        if kind < 0.92 or not isinstance(shape[axis], int):
            return Softmax(inside, axis) - Softmax(0 * inside, axis)
        return Softmax(inside, axis) - Fraction(1, int(shape[axis]))


# Units.


def _maker(r: Random) -> Maker:
    rows: Dimension = r.choice(["d"] * 7 + [2, 3, 1])
    columns: Dimension = r.choice(["t"] * 8 + ["n", "n", 2, 1])
    apart = columns not in {1, 2} and r.random() < 0.55
    inner: list[Dimension] = [rows, rows, "k", "k", 1, r.choice([2, 3, "q", "m"] if r.random() < 0.1 else [2, 3, "q"])]
    if columns == "n":
        inner.append("t")
    if not apart:
        inner += [columns, columns]
    return Maker(r, Input(rows, columns), apart, inner)


def _identity_unit(maker: Maker) -> Expression:
    r, h = maker.r, maker.h
    budget = r.choice([1, 2, 2, 3])
    order = r.choice([1, 1, 1, 2, 2, 2, 3, 3, 4])
    root: Expression = h
    if maker.chance(0.08):
        root = Weight(h.rows, initial=ones) * h if maker.chance(0.5) else Weight(1, 1, initial=ones) * h
    elif maker.chance(0.05):
        root = Weight(h.rows, h.rows, initial=identity_initial) @ h
    # A branch that is added to every row or column alike has that dimension 1.
    narrow = r.choice([(h.rows, 1), (1, 1)] if maker.apart else [(h.rows, 1), (1, h.columns), (1, 1)])
    branch = maker.vanishing(narrow if maker.chance(0.08) else h.shape, order, budget)
    found = root + branch if maker.chance(0.8) else branch + root if maker.chance(0.5) else root - branch
    if maker.chance(0.2):
        maker.stream = found
        found = found + maker.vanishing(h.shape, r.choice([1, 2, order]), budget - 1)
    return found


def _any_unit(maker: Maker) -> Expression:
    h = maker.h
    found = maker.expression(h.shape, maker.r.choice([1, 2, 3, 3, 4]))
    inside = h in nodes(found)
    return found if inside and maker.chance(0.4) else h + found
