"""Products over layers l = 1, ..., L for every L at once, by induction on L.

A factor is a rational function of l with rational coefficients; in the field it is written in k = l - 1 >= 0. Where its
zeros and poles are whole numbers, its product is a rational function of L, found from

    prod_{l=1}^{L} (l + s)/(l + t) = prod_{u=t+1}^{s} (L + u)/u    for s > t, and its inverse for s < t,

and then verified: p(0) = 1, p(L + 1) = p(L) r(L + 1). An inequality is carried over from L to L + 1 in the same way,
its step being certified on an orthant. So are the coefficients of

    L log((1 + a/L)/(1 - a/L)) = a sum_j c(j) (a/L)^(2j),    c(j) = 2/(2j + 1).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from architectures.scope import Scope
from symbolic.certificates import (
    Element,
    NotCertified,
    Orthant,
    any_dimension,
    orthant,
    squared_norm,
    substitute,
)

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
    top, under = (_number(part(k)) for part in (element.numer, element.denom))
    return top / under


def _number(value: Element) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))


def as_constant(element: Element) -> Fraction | None:
    """The number that the element is, or None where it depends on k."""
    if any(any(powers) for part in (element.numer, element.denom) for powers, _ in part.terms()):
        return None
    return value_at(element, 0)


def shifted(element: Element, by: int = 1) -> Element:
    """The element at k + by."""
    return substitute(element, {"k": LAYERS["k"] + by})


def closed_product(factor: Element) -> Element:
    """prod_{l=1}^{L} r(l) as a rational function of L, verified for every L.

    Raises:
        NotCertified: the factor does not split into (l + s)/(l + t) with whole numbers s, t >= 0.
    """
    numerators, denominators = (_shifts(part) for part in (factor.numer, factor.denom))
    if len(numerators) != len(denominators):
        raise NotCertified(f"product of {factor}: its degrees differ; expected equal ones")
    closed = constant(1)
    for s, t in zip(numerators, denominators, strict=True):
        for u in range(min(s, t) + 1, max(s, t) + 1):
            step = (DEPTH + u) / u
            closed = closed * step if s > t else closed / step
    require_product(factor, closed)
    return closed


def require_product(factor: Element, closed: Element) -> None:
    """Pass when `closed` is the product of the factors up to L, for every L: p(0) = 1, p(L + 1) = p(L) r(L + 1).

    Raises:
        NotCertified: it is not.
    """
    if value_at(closed, 0) != 1:
        raise NotCertified(f"the empty product is {value_at(closed, 0)}; expected 1")
    # The factor of layer L + 1, in which k = L.
    LAYERS.identical("p(L + 1) = p(L) r(L + 1)", shifted(closed), closed * factor)


def _shifts(part: Element) -> list[int]:
    """The s of the linear factors l + s of a polynomial in k = l - 1, ascending, with multiplicities.

    Raises:
        NotCertified: it has other factors.
    """
    _, factors = part.factor_list()
    found = list[int]()
    for factor, multiplicity in factors:
        coefficients = {powers[0]: _number(c) for powers, c in factor.terms()}
        if set(coefficients) - {0, 1}:
            raise NotCertified(f"product: the factor {factor} has no rational zero")
        # k = l - 1 vanishes at the zero of l + s, so the zero in k is -s - 1.
        s = coefficients.get(0, Fraction(0)) / coefficients[1] - 1
        if s.denominator != 1 or s < 0:
            raise NotCertified(f"product: the factor {factor} is no l + s with a whole number s >= 0")
        found += [int(s)] * multiplicity
    return sorted(found)


def limit(element: Element) -> Fraction | None:
    """The limit for k -> infinity; None where it is infinite."""
    top, under = (max((p[0] for p, _ in part.terms()), default=0) for part in (element.numer, element.denom))
    if not element or top < under:
        return Fraction(0)
    leading = [{powers[0]: _number(c) for powers, c in part.terms()} for part in (element.numer, element.denom)]
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
    """prod (1 - g_l) with 0 <= g_l < 1 and total = sum g_l; g = t/(1 + t) runs through [0, 1)."""
    space = orthant(nonnegative="t S")
    gap = space["t"] / (1 + space["t"])
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
    factor: Element
    growth: Element
    next_coefficient: Element
    deviation: Element

    @property
    def sizes(self) -> Scope:
        """L, the number of the terms of S so far: e^S is all that the step knows of them."""
        return _standing_for(self.space, self.bound, "L")


def exponential() -> Exponential:
    """What is known of e^S when a is added to S; the coefficient 1/k! is followed by 1/k!/(k + 1)."""
    space = orthant("E c", "a r k Q")
    a = space["a"]
    return Exponential(
        space,
        space["E"],
        1 + a,
        1 + a + space["r"],
        space["c"] / (space["k"] + 1),
        # |P (1 + x) - 1| = |(P - 1)(1 + x) + x| <= Q (1 + a) + a where |x| <= a.
        space["Q"] * (1 + a) + a,
    )


def stays_near_one(found: Exponential, deviation: Callable[[Element, Element], Element]) -> None:
    """Pass when |prod (1 + x_l) - 1| <= deviation(1, prod (1 + |x_l|)) and prod (1 + |x_l|) <= e^(sum |x_l|).

    `deviation(1, p)` is the claimed bound Q for a product p of 1 + |x_l|, as an affine function of p.

    Raises:
        NotCertified: a step is not certified.
    """
    space, q = found.space, found.space["Q"]
    space.at_least_zero("the coefficients of e^a", found.next_coefficient)
    space.at_least_zero("e^S (1 + a) <= e^(S + a)", found.bound * found.growth - found.bound * found.factor)
    zero, one = constant(0, space), constant(1, space)
    space.identical("the empty product", deviation(one, one), zero)
    # The p whose claimed bound is Q, times the next factor.
    slope = deviation(one, one + 1) - deviation(one, one)
    p = (q - deviation(one, zero)) / slope
    space.at_least_zero("the step", deviation(one, p * found.factor) - found.deviation)


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

    |y| = M/(1 + p) and |u| = w |y|/(1 + s) at an angle of any cosine 1 - e; |y| = m (1 + q), w = z/(1 + z). M and m are
    all that is known of the layers so far, however many there are.
    """
    o = orthant("M", "w p s e")
    y = o["M"] / (1 + o["p"])
    above, dimension = sum_squared(y, y * o["w"] / (1 + o["s"]), 1 - o["e"])
    b = orthant("m", "z q s e")
    y, w = b["m"] * (1 + b["q"]), b["z"] / (1 + b["z"])
    below, other = sum_squared(y, y * w / (1 + b["s"]), b["e"] - 1)
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
    """c(j) of a sum_j c(j) (a/L)^(2j), the limit over a, and a bound on c(j), j >= 1."""

    coefficient: Rule
    limit: Fraction
    tail: Fraction


def depth_series(found: LogSeries, claim: SeriesClaim) -> None:
    """Pass when the series has these coefficients, all positive, this limit for L -> infinity and this tail.

    The derivative of sum c(j) x^(2j+1) is sum (2j + 1) c(j) x^(2j); times 1 - x^2 it is the constant exactly when
    (2j + 1) c(j) is that constant for every j. Every term with j >= 1 falls strictly as L grows, and their sum is at
    most tail x^2/(1 - x^2), x = a/L, so what is left is c(0).

    Raises:
        NotCertified: one of these fails.
    """
    space, j = found.space, found.space["j"]
    space.identical("(2j + 1) c(j) is the derivative", (2 * j + 1) * claim.coefficient(j), found.derivative)
    space.above_zero("c(j) > 0", claim.coefficient(j))
    space.identical("the limit is c(0)", claim.coefficient(constant(0, space)), constant(claim.limit, space))
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
    if not elements or any(getattr(one, "field", None) != LAYER.field for one in elements):
        raise NotCertified(f"{', '.join(map(str, elements))}: no function of the number of a layer")
    return Scope.leaving_free("L")
