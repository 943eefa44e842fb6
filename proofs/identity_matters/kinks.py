"""Kinks of ReLU networks along a line: what a layer does to a piecewise affine path, near a point and on rational paths.

A path y(t) is affine but for finitely many kinks. Near a point it is its value, its left and its right slope: a germ. With
W generic, the path ReLU(W y) has a kink at every kink of y that a row with a positive value sees, and where a row of W y
crosses zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple, TypeAlias

from resproof.symbolic.algebra.matrices import dot
from resproof.symbolic.certificates import Element, NotCertified, Orthant, orthant

Row: TypeAlias = Sequence[Fraction]

# Near a point.


class Kink(NamedTuple):
    """A piecewise affine function near a point: its value there, its left and its right slope."""

    value: Element
    left: Element
    right: Element

    @property
    def bend(self) -> Element:
        """Right less left slope: zero where there is no kink."""
        return self.right - self.left


def sign(o: Orthant, value: Element) -> int:
    """1, 0 or -1, on the whole orthant.

    Raises:
        NotCertified: it has no one sign there.
    """
    if not value:
        return 0
    for one in (1, -1):
        try:
            o.above_zero("the value", one * value)
        except NotCertified:
            continue
        return one
    raise NotCertified(f"{value} has no one sign")


def relu_of(o: Orthant, value: Element) -> Element:
    """max(value, 0)."""
    return max(sign(o, value), 0) * value


def relu_germ(o: Orthant, germ: Kink) -> Kink:
    """The germ of ReLU(f): f where it is positive, 0 where it is negative; at a zero each side by itself."""
    match sign(o, germ.value):
        case 1:
            return germ
        case 0:
            return Kink(germ.value, -relu_of(o, -germ.left), relu_of(o, germ.right))
        case _:
            return Kink(*(0 * x for x in germ))


def germs() -> dict[str, Kink]:
    """ReLU of affine germs of either sign and slope, in v, s > 0."""
    o = orthant("v s")
    v, s = o["v"], o["s"]
    values, slopes = {"v": v, "0": 0 * v, "-v": -v}, {"s": s, "0": 0 * s, "-s": -s}
    return {
        f"{name}, {slope}": relu_germ(o, Kink(value, x, x))
        for name, value in values.items()
        for slope, x in slopes.items()
    }


def kept() -> dict[str, tuple[bool, bool]]:
    """At a kink of y: whether ReLU(a y) has one, and whether one of ReLU(a y) and ReLU((delta q - a) y) has, delta small.

    There a y = +-s and the slope of a y changes by +-c, or y = 0 and a y has the slope +-c on one side. q y = r and the
    slope of q y changes by +-j; delta = c / (j + g), as small as it takes. At y = 0 ReLU leaves a slope <= 0 before and
    one >= 0 after, so that one that is not zero is a kink.
    """
    o = orthant("s b c r j g")
    s, b, c, r = (o[name] for name in "sbcr")
    delta, found = c / (o["j"] + o["g"]), dict[str, tuple[bool, bool]]()
    for (at, value), turn, other in product((("a y > 0", s), ("a y < 0", -s)), (c, -c), (o["j"], -o["j"])):
        first = bool(relu_germ(o, Kink(value, b, b + turn)).bend)
        second = value is not s and bool(relu_germ(o, Kink(s + delta * r, -b, -b - turn + delta * other)).bend)
        before = found.get(at, (True, True))
        found[at] = (before[0] and first, before[1] and (first or second))
    for at, slopes in (("y = 0, a y rises", (c,)), ("y = 0, a y falls", (-c, c + delta * r))):
        seen = [bool(relu_of(o, slope)) for slope in slopes]
        found[at] = (seen[0], any(seen))
    return found


def vanishing() -> dict[str, str]:
    """The bend of ReLU(f) where f = 0, by the slopes of f on the left and on the right: zero where ReLU(f) is on both sides."""
    o = orthant("x y")
    zero = 0 * o["x"]
    left, right = ({name: o[name], "0": zero, f"-{name}": -o[name]} for name in "xy")
    return {
        f"{one}, {other}": str(relu_germ(o, Kink(zero, left[one], right[other])).bend)
        for one, other in product(left, right)
    }


def shifted() -> tuple[Orthant, Callable[[Element], Element]]:
    """t - tau where a + delta q vanishes, as a function of delta, if a y = s (t - tau) and q y = r + p (t - tau).

    r and p are positive; -delta stands for negative ones.
    """
    o = orthant("s r p y z", "x")

    def zero(delta: Element) -> Element:
        return -delta * o["r"] / (o["s"] + delta * o["p"])

    return o, zero


def nudged() -> tuple[Orthant, Callable[[Element], tuple[Element, Element]]]:
    """What becomes of n a = 0 and of |w a| = v for the row a + delta n: delta |n|^2, and v - delta g at least, g = |w n|."""
    o = orthant("N v h", "g")

    def become(delta: Element) -> tuple[Element, Element]:
        return delta * o["N"], o["v"] - delta * o["g"]

    return o, become


# On rational paths.


@dataclass(frozen=True, slots=True)
class AffinePath:
    """A piecewise affine path in d dimensions: its knots, the points there, and the slopes before and after."""

    knots: tuple[Fraction, ...]
    points: tuple[tuple[Fraction, ...], ...]
    before: tuple[Fraction, ...]
    after: tuple[Fraction, ...]

    @property
    def slopes(self) -> list[tuple[Fraction, ...]]:
        """One more than there are knots."""
        inner = [
            tuple((b - a) / (t - s) for a, b in zip(p, q, strict=True))
            for (s, p), (t, q) in pairwise(zip(self.knots, self.points, strict=True))
        ]
        return [self.before, *inner, self.after]

    @property
    def kinks(self) -> list[Fraction]:
        """Where the slope changes."""
        return [t for t, (left, right) in zip(self.knots, pairwise(self.slopes), strict=True) if left != right]

    def at(self, t: Fraction) -> tuple[Fraction, ...]:
        """The point at t."""
        place = sum(knot <= t for knot in self.knots)
        start, slope = max(place - 1, 0), self.slopes[place]
        away = t - self.knots[start]
        return tuple(x + away * s for x, s in zip(self.points[start], slope, strict=True))

    def crossings(self, row: Row) -> list[Fraction]:
        """Where the row crosses zero at no kink."""
        found, kinks = list[Fraction](), set(self.kinks)
        ends = (None, *self.knots, None)
        for (start, end), slope in zip(pairwise(ends), self.slopes, strict=True):
            speed = dot(row, slope)
            anchor = start if start is not None else end
            if speed and anchor is not None:
                t = anchor - dot(row, self.at(anchor)) / speed
                if (start is None or start <= t) and (end is None or t < end) and t not in kinks:
                    found.append(t)
        return found

    def through(self, rows: Sequence[Row]) -> AffinePath:
        """ReLU(W y)."""
        knots = sorted({*self.knots, *(t for row in rows for t in self.crossings(row))})
        beyond = (knots[0] - 1, knots[-1] + 1)
        first, *inner, last = (
            tuple(max(dot(row, self.at(t)), Fraction(0)) for row in rows) for t in (beyond[0], *knots, beyond[1])
        )
        before = tuple(b - a for a, b in zip(first, inner[0], strict=True))
        after = tuple(b - a for a, b in zip(inner[-1], last, strict=True))
        return AffinePath(tuple(knots), tuple(inner), before, after)


def straight(start: Row, direction: Row) -> AffinePath:
    """A line."""
    return AffinePath((Fraction(0),), (tuple(start),), tuple(direction), tuple(direction))
