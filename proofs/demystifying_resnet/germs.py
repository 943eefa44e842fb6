"""Networks whose activations are rough where they are evaluated, and their loss along curves, exactly.

A germ is a function near one point: f(u0 + v) is a finite sum of c v^e for v > 0, one of c |v|^e for v < 0, with rational
exponents, and a value for v = 0. So whether it is bounded, continuous or differentiable there is read off it. A curve
is such a sum in t > 0, and the loss of a network along a curve of weights is one again, without remainder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from resproof.architectures.nodes import Coefficient

Number: TypeAlias = Fraction | int
Curve: TypeAlias = Mapping[Number, Number]
"""The coefficient of t^e by the exponent e; none is zero. Whole numbers are ints, whose arithmetic is far faster."""
Weights: TypeAlias = Sequence[Sequence[Sequence[Sequence[Curve]]]]
"""The weights of a network by unit, layer, row and column."""


def curve(terms: Mapping[Number, Number]) -> Curve:
    """The sum of c t^e."""
    return {_simplest(e): _simplest(c) for e, c in sorted(terms.items()) if c}


def _simplest(value: Number) -> Number:
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator


def plus(*curves: Curve) -> Curve:
    """The sum."""
    nonzero = [one for one in curves if one]
    if len(nonzero) < 2:
        return nonzero[0] if nonzero else {}
    total: dict[Number, Number] = {}
    for one in nonzero:
        for e, c in one.items():
            total[e] = total.get(e, 0) + c
    return curve(total)


def times(a: Curve, b: Curve) -> Curve:
    """The product."""
    if not (a and b):
        return {}
    total: dict[Number, Number] = {}
    for e, c in a.items():
        for f, k in b.items():
            total[e + f] = total.get(e + f, 0) + c * k
    return curve(total)


def power(base: Curve, exponent: Number) -> Curve:
    """A power, natural or of a single term.

    Raises:
        ValueError: it is neither, or the root of a coefficient other than one.
    """
    if exponent == 1:
        return base
    if len(base) == 1 and (exponent.denominator == 1 or [*base.values()] == [1]):
        return curve({e * exponent: Fraction(c) ** exponent.numerator for e, c in base.items()})
    if exponent.denominator != 1 or exponent < 0:
        raise ValueError(
            f"germ: {dict(base)} to the power {exponent}; expected one term, for a root with coefficient 1"
        )
    return reduce(times, [base] * exponent.numerator, curve({0: 1}))


@dataclass(frozen=True, slots=True)
class Germ:
    """f(u0), and f(u0 + v) - f(u0) for v > 0 and for v < 0 by the exponent of |v|; a polynomial is the same far away."""

    value: Fraction
    right: Curve
    left: Curve
    polynomial: bool = False

    def at(self, v: Curve) -> Curve:
        """f(u0 + v) along a curve v that is zero or, unless f is a polynomial, small for small t.

        Raises:
            ValueError: v is not small.
        """
        if not v:
            return curve({0: self.value})
        least, leading = next(iter(v.items()))
        if least <= 0 and not self.polynomial:
            raise ValueError(f"germ: evaluated at a distance of order t^{least}; expected a small one")
        side, size = (self.right, v) if leading > 0 else (self.left, {e: -c for e, c in v.items()})
        return plus(curve({0: self.value}), *(times(curve({0: c}), power(size, e)) for e, c in side.items()))

    @property
    def _least(self) -> Number:
        """The least exponent of f(u0 + v) - f(u0); beyond every bound where it is zero."""
        return min((*self.right, *self.left), default=10**9)

    @property
    def bounded(self) -> bool:
        """Whether f is bounded near u0."""
        return self._least >= 0

    @property
    def continuous(self) -> bool:
        """Whether f is continuous at u0."""
        return self._least > 0

    @property
    def lipschitz(self) -> bool:
        """Whether |f(u0 + v) - f(u0)| <= K |v| near u0."""
        return self._least >= 1

    @property
    def differentiable(self) -> bool:
        """Whether f has a derivative at u0."""
        return self.lipschitz and self.right.get(1, 0) == -self.left.get(1, 0)

    @property
    def twice_differentiable(self) -> bool:
        """Whether f has a second derivative at u0, f' existing near it."""
        whole = all(e == 1 or e >= 2 for e in (*self.right, *self.left))
        return self.differentiable and whole and self.right.get(2, 0) == self.left.get(2, 0)

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        """Zero, where there is no derivative, as of an activation evaluated there."""
        return () if self.differentiable else (Fraction(0),)

    def taylor(self, order: int) -> Coefficient:
        """The value and the derivative; half the second one."""
        return Coefficient(Fraction(self.value if order == 0 else self.right.get(order, 0)))


def smooth(value: Number, *coefficients: Number) -> Germ:
    """The polynomial value + c_1 v + c_2 v^2 + ..."""
    numbered: dict[Number, Number] = dict(enumerate(coefficients, start=1))
    left = curve({k: c * (-1) ** int(k) for k, c in numbered.items()})
    return Germ(Fraction(value), curve(numbered), left, polynomial=True)


def rough(value: Number, right: Mapping[Number, Number], left: Mapping[Number, Number]) -> Germ:
    """The germ with these sums on the two sides, less its value."""
    return Germ(Fraction(value), curve(right), curve(left))


IDENTITY = smooth(0, 1)
"""t at zero."""


@dataclass(frozen=True, slots=True)
class RoughNetwork:
    """An n-shortcut network with one sample x, pre near each of its coordinates and near 0, mid and post near 0."""

    n: int
    x: tuple[int, ...] = (1,)
    y: tuple[int, ...] = (0,)
    pre: tuple[Germ, ...] = (smooth(1, 1),)
    mid: Germ = IDENTITY
    post: Germ = IDENTITY
    pre_at_zero: Germ = IDENTITY

    def loss(self, weights: Weights) -> Curve:
        """1/2 |f - y|^2 along a curve of weights; pre is evaluated where a weight is to multiply it."""
        deviation: list[Curve] = [{} for _ in self.x]
        for unit in weights:
            met = [any(column) for column in zip(*unit[0], strict=True)]
            u = [pre.at(v) if one else {} for pre, v, one in zip(self.pre, deviation, met, strict=True)]
            for number, matrix in enumerate(unit):
                u = [self.mid.at(v) for v in u] if number else u
                u = [plus(*map(times, row, u)) for row in matrix]
            deviation = [plus(v, self.post.at(w)) for v, w in zip(deviation, u, strict=True)]
        residuals = [plus(curve({0: x - y}), v) for x, y, v in zip(self.x, self.y, deviation, strict=True)]
        return times(curve({0: Fraction(1, 2)}), plus(*(times(one, one) for one in residuals)))

    def along(self, *direction: Number) -> Curve:
        """The loss at t times a direction, the numbers in the order unit, layer, row, column, d = 1 for each or d > 1."""
        return self.loss(self.placed([curve({1: v}) for v in direction]))

    def second_order(self, *direction: Number) -> Fraction:
        """The coefficient of t^2 in the loss at t times a direction."""
        return Fraction(self.along(*direction).get(2, 0))

    def placed(self, numbers: Sequence[Curve]) -> Weights:
        """The curves as weights, in the order unit, layer, row, column."""
        d = len(self.x)
        rows = [list(numbers[k : k + d]) for k in range(0, len(numbers), d)]
        matrices = [rows[k : k + d] for k in range(0, len(rows), d)]
        return [matrices[k : k + self.n] for k in range(0, len(matrices), self.n)]

    def __str__(self) -> str:
        return f"n = {self.n}, d = {len(self.x)}, m = 1, x = {self.x}, y = {self.y}"
