"""Products over layers l = 1, ..., L for every L at once, by induction on L.

A factor r is a rational function of l with rational coefficients; in the field it is written in k = l - 1 >= 0. A rational
function p of L is its product if p(0) = 1 and p(L + 1) = p(L) r(L + 1). An inequality is carried over from L to L + 1 in
the same way, its step being certified on an orthant. So are the coefficients of

    L log((1 + a/L)/(1 - a/L)) = a sum_j c(j) (a/L)^(2j),    c(j) = 2/(2j + 1).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from resproof.symbolic.algebra.rings import as_fraction
from resproof.symbolic.certificates import (
    Element,
    NotCertified,
    Orthant,
    any_dimension,
    between,
    occurring,
    orthant,
    squared_norm,
    substitute,
)
from resproof.symbolic.scope import Scope

LAYERS = orthant(nonnegative="k")
"""Rational functions of the number of a layer, l = 1 + k."""
LAYER = 1 + LAYERS["k"]
"""l."""
DEPTH = LAYERS["k"]
"""L, where a function of the depth is meant; L = 0 is no layer at all."""

Rule: TypeAlias = Callable[[Element], Element]
Rule2: TypeAlias = Callable[[Element, Element], Element]


def constant(value: Fraction | int, space: Orthant = LAYERS) -> Element:
    """The number as an element of the field."""
    number = Fraction(value)
    # 0 + n would be the int n, not an element.
    field = space[space.names[0]].field
    return field(number.numerator) / field(number.denominator)


def value_at(element: Element, k: int) -> Fraction:
    """The element at this k: l = k + 1, or L = k."""
    top, under = (as_fraction(part(k)) for part in (element.numer, element.denom))
    return top / under


def as_constant(element: Element) -> Fraction | None:
    """The number that the element is, or None where it depends on k."""
    return None if occurring(element) else value_at(element, 0)


def shifted(element: Element, by: int = 1) -> Element:
    """The element at k + by."""
    return substitute(element, {"k": LAYERS["k"] + by})


class Telescoped(NamedTuple):
    """A product of factors as a function of L, and its limit; None where that is infinite."""

    product: Rule
    limit: Fraction | None


def telescopes(factor: Element, claim: Telescoped) -> None:
    """Pass when the factors up to L have the claimed product for every L, and that has the claimed limit.

    Raises:
        NotCertified: they have not, or it has not.
    """
    closed = claim.product(DEPTH)
    require_product(factor, closed)
    if (found := limit(closed)) != claim.limit:
        raise NotCertified(f"the product tends to {found}")


def require_product(factor: Element, closed: Element) -> None:
    """Pass when `closed` is the product of the factors up to L, for every L: p(0) = 1, p(L + 1) = p(L) r(L + 1).

    Raises:
        NotCertified: it is not.
    """
    LAYERS.identical("p(0) = 1", constant(value_at(closed, 0)), constant(1))
    # The factor of layer L + 1, in which k = L.
    LAYERS.identical("p(L + 1) = p(L) r(L + 1)", shifted(closed), closed * factor)


def limit(element: Element) -> Fraction | None:
    """The limit for k -> infinity; None where it is infinite."""
    top, under = (max((p[0] for p, _ in part.terms()), default=0) for part in (element.numer, element.denom))
    if not element or top < under:
        return Fraction(0)
    leading = [{powers[0]: as_fraction(c) for powers, c in part.terms()} for part in (element.numer, element.denom)]
    return leading[0][top] / leading[1][under] if top == under else None


# Inequalities carried from L to L + 1.


class RunningSum(NamedTuple):
    """A product of `factor` in a running sum: `total` grows by `gap` when the product is multiplied by `factor`."""

    space: Orthant
    gap: Element
    total: Element
    factor: Element

    @property
    def sizes(self) -> Scope:
        """L, the number of the factors so far: their sum is all that the step knows of them."""
        return _standing_for(self.space, self.total, "L")


def shrinking() -> RunningSum:
    """prod (1 - g_l) with 0 <= g_l < 1 and total = sum g_l."""
    space = orthant(nonnegative="t S")
    gap = between(0, 1, space["t"])
    return RunningSum(space, gap, space["S"], 1 - gap)


def growing() -> RunningSum:
    """prod (1 + a_l) with a_l >= 0 and total = sum a_l."""
    space = orthant(nonnegative="a S")
    return RunningSum(space, space["a"], space["S"], 1 + space["a"])


def stays_below(found: RunningSum, bound: Rule) -> None:
    """Pass when the product is at most bound(total) for every L: bound(0) >= 1, bound(S + g) >= bound(S) factor.

    Raises:
        NotCertified: the step is not certified.
    """
    zero = constant(0, found.space)
    found.space.at_least_zero("the empty product", bound(zero) - 1)
    found.space.at_least_zero("the step", bound(found.total + found.gap) - bound(found.total) * found.factor)


def stays_above(found: RunningSum, bound: Rule) -> None:
    """Pass when the product is at least bound(total) for every L; the factors are not negative.

    Raises:
        NotCertified: the step is not certified.
    """
    zero = constant(0, found.space)
    found.space.at_least_zero("the empty product", 1 - bound(zero))
    found.space.at_least_zero("the step", bound(found.total) * found.factor - bound(found.total + found.gap))


class Dominance(NamedTuple):
    """The moduli of two products so far, the first strictly greater, and those of the factors that come next."""

    space: Orthant
    products: tuple[Element, Element]
    factors: tuple[Element, Element]

    @property
    def sizes(self) -> Scope:
        """L, the number of the factors so far: the lesser product is a variable, and so is the distance to the greater."""
        return _standing_for(self.space, self.products[1], "L")


def dominating() -> Dominance:
    """b + s > b >= 0 and e + t > e >= 0."""
    space = orthant("s t", "b e")
    b, e = space["b"], space["e"]
    return Dominance(space, (b + space["s"], b), (e + space["t"], e))


def stays_dominant(found: Dominance, claim: Callable[[Element, Element], Element]) -> None:
    """Pass when the first product exceeds the other by the claimed amount, which is above zero, one factor later.

    `claim` takes the two gaps s and t.

    Raises:
        NotCertified: it does not.
    """
    (first, other), (factor, next_factor) = found.products, found.factors
    gap = claim(first - other, factor - next_factor)
    found.space.above_zero("the claimed gap", gap)
    found.space.at_least_zero("the step", first * factor - other * next_factor - gap)


class Exponential(NamedTuple):
    """E = e^S > 0 and the next factor e^a = 1 + a + r, r >= 0 being the rest of its series, and |P - 1| <= Q."""

    space: Orthant
    bound: Element
    growth: Element
    deviation: Element

    @property
    def sizes(self) -> Scope:
        """L, the number of the terms of S so far: e^S is all that the step knows of them."""
        return _standing_for(self.space, self.bound, "L")


def exponential() -> Exponential:
    """What is known of e^S when a is added to S."""
    space = orthant("E", "a r Q")
    a = space["a"]
    # |P (1 + x) - 1| = |(P - 1)(1 + x) + x| <= Q (1 + a) + a where |x| <= a.
    return Exponential(space, space["E"], 1 + a + space["r"], space["Q"] * (1 + a) + a)


class NearOne(NamedTuple):
    """|prod (1 + x_l) - 1| <= deviation(1, prod factor(|x_l|)) and prod factor(|x_l|) <= e^(sum |x_l|).

    `deviation(1, p)` is the claimed bound Q for a product p, as an affine function of p.
    """

    deviation: Rule2
    factor: Rule = lambda a: 1 + a


def stays_near_one(found: Exponential, claim: NearOne) -> None:
    """Pass when the claim carries over from L to L + 1 factors, and holds where there are none.

    Raises:
        NotCertified: a step is not certified.
    """
    space, q, deviation = found.space, found.space["Q"], claim.deviation
    factor = claim.factor(space["a"])
    space.at_least_zero("e^S (1 + a) <= e^(S + a)", found.bound * found.growth - found.bound * factor)
    zero, one = constant(0, space), constant(1, space)
    space.identical("the empty product", deviation(one, one), zero)
    # The p whose claimed bound is Q, times the next factor.
    slope = deviation(one, one + 1) - deviation(one, one)
    p = (q - deviation(one, zero)) / slope
    space.at_least_zero("the step", deviation(one, p * factor) - found.deviation)


class LayerStretch(NamedTuple):
    """What a layer I + W with |W| <= w makes of a length: an orthant, the squared length of its output, two variables; sizes.

    The variables are the length of its input, |y|, and r = w |y|; or what the layers before stretch by, and w. `upper` is as
    it is, and `lower` where w < 1.
    """

    upper: tuple[Orthant, Element, Element, Element]
    lower: tuple[Orthant, Element, Element, Element]
    sizes: Scope


def stretch() -> LayerStretch:
    """z = y + u with |u| <= w |y|, y being behind layers that stretch an input of length one by m at least and by M at most.

    |y| is anything up to M, or from m on, |u| anything up to w |y|, at an angle of any cosine 1 - e. M and m are all that is
    known of the layers so far, however many there are.
    """
    o = orthant("M", "w p s e")
    y = between(o["M"], 0, o["p"])
    above, dimension = sum_squared(y, between(y * o["w"], 0, o["s"]), 1 - o["e"])
    b = orthant("m", "z q s e")
    y, w = b["m"] + b["q"], between(0, 1, b["z"])
    below, other = sum_squared(y, between(y * w, 0, b["s"]), b["e"] - 1)
    scope = dimension & other & _standing_for(o, o["M"], "L") & _standing_for(b, b["m"], "L")
    return LayerStretch((o, above, o["M"], o["w"]), (b, below, b["m"], w), scope)


def sum_squared(y: Element, u: Element, cosine: Element) -> tuple[Element, Scope]:
    """|y + u|^2 from the lengths of y and u, in every dimension."""
    gram = {frozenset("y"): y**2, frozenset("u"): u**2, frozenset("yu"): y * u * cosine}
    one = 1 + 0 * y
    return squared_norm({"y": one, "u": one}, gram), any_dimension(gram, "d")


def stays_between(found: LayerStretch, claim: tuple[Rule2, Rule2]) -> None:
    """Pass when the output's length is at most the first bound of the two variables, and at least the second one.

    Raises:
        NotCertified: it is not certified.
    """
    for (space, square, so_far, w), bound, sign in zip((found.upper, found.lower), claim, (1, -1), strict=True):
        space.at_least_zero("the bound", sign * (bound(so_far, w) ** 2 - square))


# L log((1 + a/L)/(1 - a/L)).


class LogSeries(NamedTuple):
    """(1 - x^2) d/dx log((1 + x)/(1 - x)), a constant, in the field of j, the number of a coefficient; x itself."""

    space: Orthant
    derivative: Element
    argument: Orthant

    @property
    def sizes(self) -> Scope:
        """L: x = a/L was a variable."""
        return _standing_for(self.argument, self.argument["x"], "L")


def log_series() -> LogSeries:
    """The derivative 1/(1 + x) + 1/(1 - x), times 1 - x^2.

    Raises:
        NotCertified: it is no constant.
    """
    argument = orthant(nonnegative="x")
    x = argument["x"]
    found = as_constant((1 - x**2) * (1 / (1 + x) + 1 / (1 - x)))
    if found is None:
        raise NotCertified("the derivative is no multiple of 1/(1 - x^2)")
    space = orthant(nonnegative="j")
    return LogSeries(space, constant(found, space), argument)


class SeriesClaim(NamedTuple):
    """c(j) of a sum_j c(j) (a/L)^(2j), the limit over a, a bound on c(j), j >= 1, and whether it falls (1) or grows (-1)."""

    coefficient: Rule
    limit: Fraction
    tail: Fraction
    falls: int = 1


def depth_series(found: LogSeries, claim: SeriesClaim) -> None:
    """Pass when the series has these coefficients, all of one sign, this limit for L -> infinity and this tail.

    The derivative of sum c(j) x^(2j+1) is sum (2j + 1) c(j) x^(2j); times 1 - x^2 it is the constant exactly when
    (2j + 1) c(j) is that constant for every j. Every term with c(j) > 0 and j >= 1 falls strictly as L grows, and their sum is at
    most tail x^2/(1 - x^2), x = a/L, so what is left is c(0).

    Raises:
        NotCertified: one of these fails.
    """
    space, j = found.space, found.space["j"]
    space.identical("(2j + 1) c(j) is the derivative", (2 * j + 1) * claim.coefficient(j), found.derivative)
    space.above_zero("the terms fall", claim.falls * claim.coefficient(j))
    first = substitute(claim.coefficient(j), {"j": constant(0, space)})
    space.identical("the limit is c(0)", first, constant(claim.limit, space))
    space.at_least_zero("c(j) <= tail for j >= 1", constant(claim.tail, space) - claim.coefficient(j + 1))


def _standing_for(space: Orthant, value: Element, *sizes: str) -> Scope:
    """These sizes, where `value` is a variable of the space and stands for what they number.

    Raises:
        NotCertified: it is none.
    """
    if value not in space.values.values():
        raise NotCertified(f"{value} is no variable, so that {', '.join(sizes)} may not be free")
    return Scope.leaving_free(*sizes)


def every_depth(*elements: Element) -> Scope:
    """L: these are functions of the number of a layer, or of L itself, so that they are known at every depth.

    Raises:
        NotCertified: one is not, or there is none.
    """
    if {getattr(one, "field", None) for one in elements} != {LAYER.field}:
        raise NotCertified(f"{', '.join(map(str, elements))}: no function of the number of a layer")
    return Scope.leaving_free("L")
