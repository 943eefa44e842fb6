"""Theorem 1 in symbols: a unit that moves one column, paths between caps on the sphere, and what they cost.

Vectors occur only through their inner products, so that what is derived holds in every dimension; those of unit vectors
come from their distances. The unit of Lemma 1 has

    W1 = s e_1 a_i^T,    b = s beta,    W2 = t (a_i' - a_i) e_1^T,

so its one active row sees s (<a_i, h> + beta). A cap is {z : |z| = 1, |z - p|^2 <= r2}, that is <p, z> >= 1 - r2/2.

Inequalities are certified on an orthant: a rational function whose numerator and denominator have no negative
coefficient is at least zero wherever its variables are. What is derived stays in symbols (s, t, beta, r2, ...); a claim
is a choice for them. Source: Li et al. 2016, Lemmas 1, 2 and Theorem 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from resproof.symbolic.algebra.matrices import dot
from resproof.symbolic.certificates import (
    Element,
    Gram,
    Orthant,
    any_dimension,
    inner,
    orthant,
    squared_norm,
    substitute,
    unit_vectors,
)
from resproof.symbolic.scope import Scope

Column: TypeAlias = tuple[Fraction, ...]


def _free(**sizes: Element) -> Scope:
    """Those sizes that are no numbers but depend on variables of an orthant."""
    return Scope.leaving_free(
        *(name for name, value in sizes.items() if not (value.numer.is_ground and value.denom.is_ground))
    )


# Lemma 1.


@dataclass(frozen=True, slots=True)
class MovingUnit:
    """What the unit with rows s a_i^T, bias s beta and columns t (a_i' - a_i) does, for every d and m.

    D = |a_i - a_j|^2 for another column a_j, E = |a_i' - a_i|^2, k columns being moved at once.
    """

    own: Element
    """The argument of ReLU in row i at the column a_i."""
    other: Element
    """The argument of ReLU in row i at a_j."""
    factor: Element
    """Where own >= 0: a_i goes to a_i + factor (a_i' - a_i)."""
    first: Element
    """|W1|_F^2."""
    second: Element
    """|W2|_F^2 when each of the k columns is moved by the root of E."""
    gram: Gram
    """The inner products of a_i, a_i' and a_j, from which all of it is derived."""

    @property
    def sizes(self) -> Scope:
        """d, as vectors are inner products; m, as a_j is any other column, at any distance."""
        return any_dimension(self.gram, "d") & _free(m=self.other)


def moving_unit() -> MovingUnit:
    """The unit of Lemma 1 in symbols, from inner products alone."""
    o = orthant("s t k", "D E beta")
    s, t, beta = o["s"], o["t"], o["beta"]
    one = s / s
    gram = unit_vectors(ab=o["D"], ac=o["E"])
    a, b, moved = {"a": one}, {"b": one}, {"c": one, "a": -one}
    own, other = (s * (inner(a, h, gram) + beta) for h in (a, b))
    first, second = o["k"] * s**2 * squared_norm(a, gram), o["k"] * t**2 * squared_norm(moved, gram)
    return MovingUnit(own, other, t * own, first, second, gram)


class Choice(NamedTuple):
    """Weights for the unit: s, t and beta as functions of q = sqrt(8 delta) and rho.

    `apart` is the least distance of the columns over rho, `norm` the claimed squared norm.
    """

    s: Callable[[Element, Element], Element]
    t: Callable[[Element, Element], Element]
    beta: Callable[[Element, Element], Element]
    norm: Callable[[Element, Element], Element]
    apart: Fraction = Fraction(1, 2)


def moves_one_column(unit: MovingUnit, choice: Choice) -> None:
    """Pass when the unit maps a_i to a_i', leaves every other column, and both norms are as claimed.

    For every delta > 0, rho > 0 and all columns at least `apart` rho apart.

    Raises:
        NotCertified: it does not.
    """
    o = orthant("q rho", "slack")
    q, rho = o["q"], o["rho"]
    apart = choice.apart
    values = {
        "s": choice.s(q, rho),
        "t": choice.t(q, rho),
        "beta": choice.beta(q, rho),
        "D": (rho * apart.numerator / apart.denominator) ** 2 + o["slack"],
        "E": (q**2 / 8) ** 2,
        "k": q / q,
    }
    o.above_zero("the row is active at its own column", substitute(unit.own, values))
    o.at_least_zero("the row is silent at every other column", -substitute(unit.other, values))
    o.identical("a_i goes to a_i'", substitute(unit.factor, values), 1)
    o.identical("|W1|_F^2", substitute(unit.first, values), choice.norm(q, rho))
    o.identical("|W2|_F^2", substitute(unit.second, values), choice.norm(q, rho))


class Jump(NamedTuple):
    """Weights s, t, beta of a unit that moves k columns at once, and the claimed bound on its squared norms."""

    s: Callable[[Element], Element]
    t: Callable[[Element], Element]
    beta: Callable[[Element], Element]
    bound: Callable[[Element, Element], Element]
    apart: Fraction = Fraction(1)


def moves_several_columns(unit: MovingUnit, jump: Jump) -> None:
    """Pass when the unit takes k columns to their ends, leaves the others, and its squared norms are within the bound.

    Raises:
        NotCertified: it does not.
    """
    o = orthant("rho k", "slack sum")
    rho, k = o["rho"], o["k"]
    one = rho / rho
    opposite = unit_vectors(xn=o["sum"])  # n = -y, so that the sum is |x + y|^2 and |y - x| = |n + x|
    apart = jump.apart
    values = {
        "s": jump.s(rho),
        "t": jump.t(rho),
        "beta": jump.beta(rho),
        "D": (rho * apart.numerator / apart.denominator) ** 2 + o["slack"],
        "E": squared_norm({"n": one, "x": one}, opposite),
        "k": k,
    }
    o.above_zero("each row is active at its own column", substitute(unit.own, values))
    o.at_least_zero("and silent at every other one", -substitute(unit.other, values))
    o.identical("x goes to y", substitute(unit.factor, values), 1)
    o.at_least_zero("|W1|_F^2", jump.bound(k, rho) - substitute(unit.first, values))
    o.at_least_zero("|W2|_F^2, as |y - x|^2 = 4 - |x + y|^2", jump.bound(k, rho) - substitute(unit.second, values))


# Lemma 2.


@dataclass(frozen=True, slots=True)
class Caps:
    """Caps {z : |z - p|^2 <= r2} around unit vectors p, q at least rho apart, that is |p + q| <= 2c, and the path past them.

    A point z in the caps of p and of q has 2 (1 - r2/2) <= <z, p + q> <= |p + q| <= 2c. If `gap` is positive there is none,
    and a cap's height 1 - r2/2 is above c >= 0. Then no cap holds another column, the middle of a cap of its own; and
    the minor arc between two points u, v of a cap lies in it, for a u + b v on it has a, b >= 0 and
    1 = |a u + b v| <= a + b, so <p, a u + b v> >= (a + b) (1 - r2/2) >= 1 - r2/2: a great circle meets a cap in one arc.
    """

    gap: Element
    """2 (1 - r2/2) - 2c: positive if the caps are disjoint."""
    rho_squared: Element
    """rho^2, which is |p - q|^2 where |p + q| = 2c."""
    radius_squared: Element
    """The squared Euclidean radius of a cap's boundary, the squared length of z - <p, z> p."""
    directions: Element
    """The number of dimensions in which the boundary can be followed out of the plane of p and a boundary point."""
    columns: Element
    """m, all columns: one moves, each of the others has a cap."""
    length: Element
    """The arc, of angle at most pi, with one detour of at most pi sigma for each cap."""
    inside: Element
    """1 - |a u + b v|^2 for a + b = 1: positive if the inner points of the chord from u to v lie inside the ball."""

    @property
    def sizes(self) -> Scope:
        """d and m, which are symbols."""
        return _free(d=self.directions, m=self.columns)


def caps() -> Caps:
    """The geometry of the caps, from inner products alone; |u - v|^2 = uv."""
    o = orthant("r2 d pi", "c sigma others a uv")
    one, c, others, a = 1 + 0 * o["c"], o["c"], o["others"], o["a"]
    gram = unit_vectors(pn=(2 * c) ** 2, pz=o["r2"], uv=o["uv"])  # n = -q; z is on the boundary of the cap
    height = inner({"p": one}, {"z": one}, gram)
    return Caps(
        gap=2 * height - 2 * c,
        rho_squared=squared_norm({"p": one, "n": one}, gram),
        radius_squared=squared_norm({"z": one, "p": -height}, gram),
        directions=o["d"] - 2,
        columns=1 + others,
        length=o["pi"] + others * o["pi"] * o["sigma"],
        inside=1 - squared_norm({"u": a, "v": 1 - a}, gram),
    )


class PathClaim(NamedTuple):
    """The claims of Lemma 2.

    A cap has the squared chord radius `radius`(v), v = rho^2/4; a detour is at most pi `detour` rho; a path is at most
    pi (`straight` + `detour` rho (m - 1 - `forgotten`)) long; each column takes that over delta steps, rounded up
    (or down: `up` = -1); the width is at least `width`; the point a u + (1 - a) v of a chord has the squared length
    1 - `inside` a (1 - a) |u - v|^2, so that a chord is strictly shorter than its path.
    """

    radius: Callable[[Element], Element]
    detour: Fraction = Fraction(1, 2)
    straight: Fraction = Fraction(1)
    forgotten: int = 0
    up: int = 1
    width: int = 3
    inside: int = 1


def path_exists(found: Caps, claim: PathClaim) -> None:
    """Pass when the claims follow for all m, all widths from the claimed one on, and all 0 < rho <= 2.

    c = w / (1 + w) with w >= 0 covers 0 <= c < 1, that is 0 < rho <= 2.

    Raises:
        NotCertified: one does not follow.
    """
    o = orthant("one", "w extra")
    one = o["one"] / o["one"]
    c = {"c": o["w"] / (1 + o["w"])}
    rho_squared = substitute(found.rho_squared, c)
    r2 = claim.radius(rho_squared / 4)
    values = {**c, "r2": r2, "d": claim.width * one + o["extra"]}
    o.at_least_zero("the moving column keeps the distance rho/2", r2 - rho_squared / 4)
    o.above_zero("closed caps are disjoint", substitute(found.gap, values))
    detour = rho_squared * claim.detour.numerator**2 / claim.detour.denominator**2
    o.at_least_zero("sigma <= detour * rho", detour - substitute(found.radius_squared, values))
    o.above_zero("a cap's boundary is connected", substitute(found.directions, values))
    _length_follows(found, claim)
    _chords_are_shorter(found, claim)


def _length_follows(found: Caps, claim: PathClaim) -> None:
    """The path's length fits the claim, and pieces of it, as many as are claimed, are at most delta long."""
    o = orthant("pi delta", "sigma spare others part")
    values = {name: o[name] for name in ("pi", "sigma", "others")}
    obstacles = substitute(found.columns, values) - 1
    detour = o["sigma"] + o["spare"]  # detour * rho
    straight = o["pi"] * claim.straight.numerator / claim.straight.denominator
    claimed = straight + o["pi"] * detour * (obstacles - claim.forgotten)
    o.at_least_zero("length", claimed - substitute(found.length, values))
    steps = claimed / o["delta"] + claim.up * o["part"]
    o.at_least_zero("a step is at most delta", steps * o["delta"] - claimed)


def _chords_are_shorter(found: Caps, claim: PathClaim) -> None:
    """The inner points of a chord lie as deep inside the ball as claimed, none of them on the path."""
    o = orthant("", "a uv")
    a, apart = o["a"], o["uv"]
    inside = substitute(found.inside, {"a": a, "uv": apart})
    o.identical("1 - |a u + (1 - a) v|^2", inside, claim.inside * a * (1 - a) * apart)


def orientation(points: Sequence[Column]) -> int:
    """The sign of det [[1, p_1], [1, p_2], [1, p_3]]: the cyclic order of three points on a circle."""
    (a, b), (c, d), (e, f) = points
    determinant = (c - a) * (f - b) - (e - a) * (d - b)
    return (determinant > 0) - (determinant < 0)


# Theorem 1.


class Depth(NamedTuple):
    """R units over m columns in as many steps a column, or columns a unit, as `quotient` says.

    `length` is the bound of Lemma 2 on a path, at least 2. `left` units or places are not needed with a quotient, and
    `squared_norm` is the greatest one that the construction gives with it.
    """

    space: Orthant
    units: Element
    samples: Element
    length: Element
    quotient: Element
    left: Callable[[Element], Element]
    squared_norm: Callable[[Element], Element]

    @property
    def sizes(self) -> Scope:
        """R and m, which are functions of the quotient and the rest."""
        return _free(R=self.units, m=self.samples)


def many_units() -> Depth:
    """R = q m + rest >= m, 0 <= rest < m: q steps of delta = length/q for each column, |W|_F^2 = 8 delta/rho^2."""
    o = orthant("rho", "more rest k spare")
    q, m, length = 1 + o["more"], 1 + o["rest"] + o["k"], 2 + o["spare"]
    units = q * m + o["rest"]
    return Depth(
        o, units, m, length, q, lambda steps: units - steps * m, lambda steps: 8 * length / (steps * o["rho"] ** 2)
    )


def few_units() -> Depth:
    """m = R (q - 1) + rest > R, 0 < rest <= R: each unit moves q = ceil(m/R) columns, |W|_F^2 <= 16 q/rho^2."""
    o = orthant("rho rest", "more k spare")
    q, units, length = 2 + o["more"], o["rest"] + o["k"], 2 + o["spare"]
    m = units * (q - 1) + o["rest"]
    return Depth(o, units, m, length, q, lambda moved: units * moved - m, lambda moved: 16 * moved / o["rho"] ** 2)


Bound: TypeAlias = Callable[[Element, Element, Element, Element], Element]
"""A bound on squared norms as a function of R, m, the length of Lemma 2 and rho."""


class Spread(NamedTuple):
    """A bound on squared norms, with `more` steps a column, or columns a unit, than the quotient."""

    bound: Bound
    more: int = 0


def within_bound(depth: Depth, claim: Spread) -> None:
    """Pass when the units suffice and the squared norms are within the bound.

    Raises:
        NotCertified: they are not.
    """
    o, quotient = depth.space, depth.quotient + claim.more
    o.at_least_zero("units or places left over", depth.left(quotient))
    claimed = claim.bound(depth.units, depth.samples, depth.length, o["rho"])
    o.at_least_zero("|W|_F^2", claimed - depth.squared_norm(quotient))


Order: TypeAlias = Callable[[Element, Element, Element, Element], Element]
"""A bound on squared norms as a function of R, m, rho and pi."""


class Reached(NamedTuple):
    """A bound on squared norms for any R, m and rho, with the length pi (rho (m - 1)/2 + 1)."""

    space: Orthant
    units: Element
    samples: Element
    bound: Element

    @property
    def sizes(self) -> Scope:
        """R and m, which are symbols."""
        return _free(R=self.units, m=self.samples)


def reached(bound: Bound) -> Reached:
    """The bound as a function of R, m and rho."""
    o = orthant("R rho pi", "others")
    m = 1 + o["others"]
    length = o["pi"] * (o["rho"] * o["others"] / 2 + 1)
    return Reached(o, o["R"], m, bound(o["R"], m, length, o["rho"]))


def implies_order(found: Reached, order: Order) -> None:
    """Pass when the bound is at most `order` for all R, m, rho.

    Raises:
        NotCertified: it is not.
    """
    o = found.space
    claimed = order(found.units, found.samples, o["rho"], o["pi"])
    o.at_least_zero("bound <= order", claimed - found.bound)


# Distinct labels.


class Labellings(NamedTuple):
    """d (d - 1) ... (d - m + 1), the number of ways to give m samples pairwise different labels out of d.

    Its factors have the numbers k = 0, 1, ..., m - 1; `after` of them follow number k.
    """

    d: Element
    m: Element
    """k + 1 + after."""
    factor: Element
    """d - k."""

    @property
    def sizes(self) -> Scope:
        """d and m, which are symbols."""
        return _free(d=self.d, m=self.m)


def labellings() -> Labellings:
    """The factor with any number k."""
    o = orthant("d", "k after")
    return Labellings(o["d"], o["k"] + 1 + o["after"], o["d"] - o["k"])


class LabelClaim(NamedTuple):
    """Distinct labels exist exactly for m <= d + `more`; for any other m the factor with the number d + `zero` vanishes."""

    more: int = 0
    zero: int = 0


def labels_differ_up_to(found: Labellings, claim: LabelClaim) -> None:
    """Pass when the number is positive for every m <= d + more and zero for every other one.

    Raises:
        NotCertified: it is not.
    """
    o = orthant("", "k after spare")
    d = substitute(found.m, o.values) - claim.more + o["spare"]
    o.above_zero("each factor is positive", substitute(found.factor, {**o.values, "d": d}))
    o = orthant("d", "spare")
    there = {"d": o["d"], "k": o["d"] + claim.zero, "after": 0 * o["d"]}
    after = o["d"] + claim.more + 1 + o["spare"] - substitute(found.m, there)
    o.at_least_zero("number k is one of them", after)
    o.identical("factor number k is zero", substitute(found.factor, there), 0)


# Distinct unit vectors.


Turned: TypeAlias = Callable[[Element], tuple[Element, Element]]
"""A curve on the circle through orthogonal unit vectors z and w: the coefficients of both at the parameter t."""


def turned(t: Element) -> tuple[Element, Element]:
    """((1 - t^2) z + 2 t w)/(1 + t^2), a rational point of the circle."""
    return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)


class Turning(NamedTuple):
    """A curve through z, and the points at t, 2t, ..., 2m t over 2m on it; `first` < `later` are any two of these."""

    curve: Turned
    space: Orthant
    first: Element
    later: Element
    samples: Element
    gram: Gram

    @property
    def sizes(self) -> Scope:
        """d, as vectors are inner products, and m, which is half the number of points."""
        return any_dimension(self.gram, "d") & _free(m=self.samples)


def turning() -> Turning:
    """The rational points of the circle, 2m of them up to the parameter t."""
    o = orthant("t", "before between after")
    one = 1 + 0 * o["t"]
    first = 1 + o["before"]
    later = first + 1 + o["between"]
    number = later + o["after"]
    gram = unit_vectors(zw=2 * one)
    return Turning(turned, o, o["t"] * first / number, o["t"] * later / number, number / 2, gram)


def moves_apart(found: Turning) -> None:
    """Pass when the curve stays on the sphere and starts at z, and the distance from z grows from point to point.

    Then these are 2m different unit vectors, the last one the farthest, and it is as near as one likes; at most 2m - 1 of
    them are taken by the other samples and labels.

    Raises:
        NotCertified: it does not.
    """
    o = found.space
    one = 1 + 0 * o["t"]

    def distance(t: Element) -> Element:
        z, w = found.curve(t)
        o.identical("|z(t)| = 1", squared_norm({"z": z, "w": w}, found.gram), one)
        return squared_norm({"z": z - 1, "w": w}, found.gram)

    o.identical("z(0) = z", distance(0 * one), 0 * one)
    o.above_zero("the later point is farther", distance(found.later) - distance(found.first))


# Exact networks.


class ExactUnit(NamedTuple):
    """W1, b, W2 with rational entries, each matrix as its rows."""

    first: tuple[Column, ...]
    bias: Column
    second: tuple[Column, ...]


def exact_unit(
    columns: Sequence[Column], moves: Mapping[int, Column], rho_squared: Fraction, scale: Fraction
) -> ExactUnit:
    """The unit that takes the columns at these places to their targets; s = `scale`, t = 8 / (rho^2 s)."""
    d = len(columns[0])
    rows = [tuple(scale * x for x in columns[place]) for place in moves]
    empty = (Fraction(0),) * d
    t = 8 / (rho_squared * scale)
    changes = [tuple(t * (y - x) for x, y in zip(columns[i], target, strict=True)) for i, target in moves.items()]
    changes += [empty] * (d - len(moves))
    first = (*rows, *[empty] * (d - len(moves)))
    return ExactUnit(first, (scale * (rho_squared / 8 - 1),) * d, tuple(zip(*changes, strict=True)))


def apply_exact(unit: ExactUnit, h: Column) -> Column:
    """W2 ReLU(W1 h + b) + h."""
    hidden = [max(Fraction(0), dot(row, h) + b) for row, b in zip(unit.first, unit.bias, strict=True)]
    return tuple(x + dot(row, hidden) for x, row in zip(h, unit.second, strict=True))


def squared_norms(unit: ExactUnit) -> tuple[Fraction, Fraction]:
    """|W1|_F^2 and |W2|_F^2."""
    first, second = (sum((dot(row, row) for row in m), Fraction(0)) for m in (unit.first, unit.second))
    return first, second


def squared_distance(a: Column, b: Column) -> Fraction:
    """|a - b|^2."""
    return sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), Fraction(0))


_FINE = 2**24


def on_sphere(near: Sequence[float]) -> Column:
    """A unit vector with rational entries within about 2^-24 of a unit vector, by stereographic projection."""
    first, *others = near
    tangents = [Fraction(round(x / (1 + abs(first)) * _FINE), _FINE) for x in others]
    square = dot(tangents, tangents)
    height = (1 - square) / (1 + square)
    return (height if first > 0 else -height, *(2 * x / (1 + square) for x in tangents))
