"""Layers I + W with |W|_2 <= tau: what they stretch at least, how far powers lie from the identity, and certificates.

Vectors occur only through their inner products, so that everything holds in every dimension. With u = W v,

    |v + u|^2 >= c^2 |v|^2 whenever |u|^2 <= tau^2 |v|^2

asks for a beta >= 0 that makes the 2 x 2 matrix of |v + u|^2 - c^2 |v|^2 - beta (tau^2 |v|^2 - |u|^2) positive
semidefinite (the S-lemma; the condition is necessary, too). Its determinant is a concave quadratic in beta.

Exponentials and angles are compared with rational functions by differential inequalities: f(0) = 0, f' >= 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import sympy

from resproof.symbolic.algebra.matrices import Matrix, add, eye, multiply, scale, transpose
from resproof.symbolic.certificates import (
    Element,
    Gram,
    NotCertified,
    Orthant,
    any_dimension,
    inner,
    occurring,
    orthant,
    squared_norm,
    standing_for,
    substitute,
)
from resproof.symbolic.scope import Scope

# The least stretch of I + W.


@dataclass(frozen=True, slots=True)
class Stretch:
    """Conditions on c and tau for |v + W v| >= c |v| whenever |W|_2 <= tau.

    The determinant over beta is -tau^2 beta^2 + slope beta + constant; it reaches zero for a beta >= 0 if both its
    discriminant and its slope at beta = 0 are at least zero.
    """

    discriminant: Element
    slope: Element
    gram: Gram

    @property
    def sizes(self) -> Scope:
        """v and W v are vectors of any dimension."""
        return any_dimension(self.gram, "d")


def _gram(o: Orthant) -> Gram:
    """The inner products of v and u = W v."""
    return {frozenset("v"): o["vv"], frozenset("u"): o["uu"], frozenset("vu"): o["vu"]}


def stretch() -> Stretch:
    """The conditions, from inner products alone."""
    o = orthant("", "c tau vv uu vu")
    c, tau, gram = o["c"], o["tau"], _gram(o)
    one = 1 + 0 * c
    form = squared_norm({"v": one, "u": one}, gram) - c**2 * squared_norm({"v": one}, gram)
    vv, uu, vu = (form.diff(o[name]) for name in ("vv", "uu", "vu"))
    cross = vu / 2
    slope, constant = vv - tau**2 * uu, vv * uu - cross**2
    return Stretch(slope**2 + 4 * tau**2 * constant, slope, gram)


def stretches(found: Stretch, claim: Callable[[Element], Element]) -> None:
    """Pass when |v + W v| >= claim(tau) |v| for every |W|_2 <= tau < 1, in every dimension, with the best constant.

    It is the best one where the discriminant vanishes.

    tau = t / (1 + t) with t >= 0 covers 0 <= tau < 1.

    Raises:
        NotCertified: it does not.
    """
    o = orthant("one", "t")
    tau = o["t"] / (1 + o["t"])
    values = {"tau": tau, "c": claim(tau) + 0 * tau}
    o.at_least_zero("0 <= c", values["c"])
    o.identical("the discriminant", substitute(found.discriminant, values), 0 * tau)
    o.at_least_zero("the slope", substitute(found.slope, values))


@dataclass(frozen=True, slots=True)
class Orientation:
    """What is left of tau |v|^2 + <v, W v> without its two parts, which are at least zero, and the inner products used."""

    left: Element
    gram: Gram

    @property
    def sizes(self) -> Scope:
        """v and W v are vectors of any dimension."""
        return any_dimension(self.gram, "d")


def orientation() -> Orientation:
    """tau |v|^2 + <v, W v> times 2 tau, less |tau v + W v|^2 and tau^2 |v|^2 - |W v|^2: zero if these two make it up.

    In the symbols tau, |v|^2 = vv, |W v|^2 = uu, <v, W v> = vu.
    """
    o = orthant("", "tau vv uu vu")
    tau, gram = o["tau"], _gram(o)
    one = 1 + 0 * tau
    left = 2 * tau * (tau * squared_norm({"v": one}, gram) + inner({"v": one}, {"u": one}, gram))
    square = squared_norm({"v": tau, "u": one}, gram)
    return Orientation(left - square - (tau**2 * o["vv"] - o["uu"]), gram)


def keeps_orientation(found: Orientation, greatest: Fraction) -> None:
    """Pass when I + t W, 0 <= t <= 1, is nonsingular for |W|_2 < greatest, from <v, W v> >= -|W|_2 |v|^2.

    <v, v + t W v> >= (1 - t tau) |v|^2, which is positive for all tau < greatest and t <= 1 if greatest <= 1.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("gap", "t tau")
    if found.left:
        raise NotCertified(f"tau |v|^2 + <v, W v> is not made of squares: {found.left} is left")
    # 0 <= tau < greatest and 0 < t <= 1; at t = 0 there is nothing to show.
    tau = greatest * o["tau"] / (o["tau"] + o["gap"])
    o.above_zero("1 - t tau", 1 - tau / (1 + o["t"]))


# Roots of rotations and of positive definite matrices.


def rotation(angle: sympy.Expr) -> Matrix:
    """The rotation of the plane by an angle."""
    cos, sin = sympy.cos(angle), sympy.sin(angle)
    return ((cos, -sin), (sin, cos))


def turned_squared() -> tuple[Matrix, sympy.Symbol]:
    """(rot(phi) - I)^T (rot(phi) - I) as polynomials in z = 1 - cos(phi), and z."""
    phi, z = sympy.symbols("phi z")
    away = add(rotation(phi), scale(-1, eye(2)))
    gram = multiply(transpose(away), away)
    plain = tuple(
        tuple(sympy.expand(sympy.expand(x).subs(sympy.sin(phi) ** 2, 1 - sympy.cos(phi) ** 2)) for x in row)
        for row in gram
    )
    return tuple(tuple(sympy.expand(x.subs(sympy.cos(phi), 1 - z)) for x in row) for row in plain), z


def angle_bound(found: tuple[Matrix, sympy.Symbol], slope: Fraction) -> None:
    """Pass when |rot(phi) - I|_2 <= slope |phi| for every angle.

    g = slope^2 phi^2 - |rot(phi) - I|^2 has g(0) = g'(0) = 0, and g'' >= 0 as a polynomial in z = 1 - cos(phi) >= 0.

    Raises:
        NotCertified: it is not.
    """
    gram, z = found
    if gram[0][1] or gram[1][0] or gram[0][0] != gram[1][1]:
        raise NotCertified(f"(rot - I)^T (rot - I) is {gram}; expected a multiple of I")
    phi = sympy.Symbol("phi")
    g = sympy.Rational(slope) ** 2 * phi**2 - gram[0][0].subs(z, 1 - sympy.cos(phi))
    if g.subs(phi, 0) or sympy.diff(g, phi).subs(phi, 0):
        raise NotCertified(f"{g} does not vanish to second order at 0")
    second = sympy.Poly(sympy.expand(sympy.diff(g, phi, 2).subs(sympy.cos(phi), 1 - z)), z)
    if any(c < 0 for c in second.coeffs()):
        raise NotCertified(f"g'' = {second.as_expr()} can be negative")


def exponential_bound(found: Callable[[Element], tuple[Element, Element]], claim: Callable[[Element], Element]) -> None:
    """Pass when both extremes are at most the claim, each a function of q = exp(x/2) >= 1.

    Raises:
        NotCertified: one is not.
    """
    o = orthant("one", "w")
    q = 1 + o["w"]
    for side in found(q):
        o.at_least_zero("|exp(s) - 1|", claim(q) - side)


def rational_bound(claim: Callable[[Element], Element]) -> None:
    """Pass when exp(x) - 1 <= claim(x) for 0 <= x <= 1/3, the claim r being a rational function.

    (1 + r) exp(-x) is 1 at x = 0, and its derivative is (r' - 1 - r) exp(-x). x = 1/(3 + t) covers 0 < x <= 1/3.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("x", "t")
    r = claim(o["x"])
    _outgrows(o, r, 1 + r, 1 / (3 + o["t"]))


def _outgrows(o: Orthant, f: Element, slope: Element, at: Element) -> None:
    """Pass when f(0) = 0 and f' >= slope, functions of x, at this x.

    Raises:
        NotCertified: it is not so.
    """
    o.identical("at x = 0", substitute(f, {**o.values, "x": 0 * at}), 0 * at)
    o.at_least_zero("the slope", substitute(f.diff(o["x"]) - slope, {**o.values, "x": at}))


class Depths(NamedTuple):
    """The symbols p = sqrt(pi) > 0 and q = sqrt(3 gamma), and l = q^2 + s in them: every l >= 3 gamma."""

    orthant: Orthant
    layers: Element

    @property
    def sizes(self) -> Scope:
        """s is what l exceeds 3 gamma by."""
        return standing_for(occurring(self.layers), {"s": "l"})


def any_depth() -> Depths:
    """The depths l >= 3 gamma in symbols."""
    o = orthant("p", "q s")
    return Depths(o, o["q"] ** 2 + o["s"])


def at_most(
    depths: Depths,
    bound: Callable[[Element, Element], Element],
    claim: Callable[[Element, Element, Element], Element],
) -> None:
    """Pass when pi/l + r(gamma/l) <= claim for these l; bound takes pi/l and gamma/l, claim sqrt(pi), sqrt(3 gamma) and l.

    Raises:
        NotCertified: it does not follow.
    """
    o, layers = depths
    p, q = o["p"], o["q"]
    o.at_least_zero("the published bound", claim(p, q, layers) - bound(p**2 / layers, q**2 / 3 / layers))


# Gradient bounds.


def spectrum_bound(claim: Callable[[Element], Element]) -> None:
    """Pass when s^2 e >= claim(least) s e for every eigenvalue s that is zero or at least `least`, and e >= 0.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("least", "more e")
    s = o["least"] + o["more"]
    o.at_least_zero("s^2 e - claim s e", (s**2 - claim(o["least"]) * s) * o["e"])


def decay() -> Element:
    """d/dt [excess exp(rate t)] exp(-rate t) along the flow, in excess = f - C, rate and squared = |grad f|^2."""
    t, rate, squared, now = sympy.symbols("t rate squared excess")
    excess = sympy.Function("excess")(t)
    whole = _along_flow(excess * sympy.exp(rate * t), excess, t, squared)
    plain = sympy.expand(sympy.powsimp(whole * sympy.exp(-rate * t))).subs(excess, now)
    o = orthant("", "excess rate squared")
    return _rational(plain, {symbol: o[symbol.name] for symbol in (now, rate, squared)})


def _along_flow(expression: sympy.Expr, excess: sympy.Expr, t: sympy.Symbol, squared: sympy.Symbol) -> sympy.Expr:
    """d/dt along w' = -grad f: the excess f - C has the derivative -|grad f|^2, by the chain rule."""
    return sympy.diff(expression, t).subs(sympy.diff(excess, t), -squared)


def decays(found: Element, rate: Callable[[Element], Element]) -> None:
    """Pass when |grad f|^2 >= mu (f - C) makes (f - C) exp(rate(mu) t) nonincreasing.

    Raises:
        NotCertified: it does not.
    """
    o = orthant("mu", "excess spare")
    mu, excess = o["mu"], o["excess"]
    values = {"excess": excess, "rate": rate(mu), "squared": mu * excess + o["spare"]}
    o.at_least_zero("minus the derivative", -substitute(found, values))


# Equal layers on a common eigenvector.


class LineClaim(NamedTuple):
    """Steps below `step` / (2 sigma (1 + rho)) keep u in (0, 1] for every depth l >= `depth`."""

    step: Fraction = Fraction(1)
    depth: int = 2


class Power(NamedTuple):
    """coefficient * sigma * u^(slope l + shift), times the target -rho if `target`: a summand of the gradient."""

    coefficient: int
    slope: int
    shift: int
    target: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One step u -> u - eta (sum of powers) on a common eigenvector, sigma and -rho the eigenvalues of Sigma and R.

    `ratio` of l0 is u_next / u in the symbols u, a, eta, sigma, rho with a = u^(l - l0), so that l is free.
    """

    ratio: Callable[[int], Element]

    @property
    def sizes(self) -> Scope:
        """a is a power of u with any exponent l - l0 >= 0."""
        return standing_for(occurring(self.ratio(LineClaim().depth)), {"a": "l"})


def line(gradient: Iterable[Power]) -> Line:
    """The step as a factor of u."""
    o = orthant("u a eta sigma", "rho")
    u, a, eta, sigma, rho = (o[name] for name in ("u", "a", "eta", "sigma", "rho"))
    summands = tuple(gradient)

    def ratio(depth: int) -> Element:
        step = 0 * u
        for one in summands:
            value = one.coefficient * sigma * a**one.slope * u ** (one.slope * depth + one.shift)
            step = step + (-rho * value if one.target else value)
        return (u - eta * step) / u

    return Line(ratio)


def positive_on_line(found: Line, claim: LineClaim) -> None:
    """Pass when 0 < u_next <= u for all 0 < u <= 1, all l >= depth and all steps below the claimed size.

    u = 1/(1 + x), a = 1/(1 + y), eta = step / (2 sigma (1 + rho) (1 + z)) with x, y >= 0 and z > 0.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("sigma z", "rho x y")
    sigma, rho = o["sigma"], o["rho"]
    values = {
        "u": 1 / (1 + o["x"]),
        "a": 1 / (1 + o["y"]),
        "eta": claim.step / (2 * sigma * (1 + rho) * (1 + o["z"])),
        "sigma": sigma,
        "rho": rho,
    }
    ratio = substitute(found.ratio(claim.depth), values)
    o.above_zero("u_next > 0", ratio)
    o.at_least_zero("u_next <= u", 1 - ratio)


# Where the gradient bound is attained.


@dataclass(frozen=True, slots=True)
class Attained:
    """|grad f|^2 / (f - C) for d = 1 and all w_i = -tau, in the symbols l, tau and sigma."""

    ratio: sympy.Expr

    @property
    def sizes(self) -> Scope:
        """d = 1, and l is a symbol, the number of equal layers."""
        return Scope.over(d=1) & standing_for(map(str, self.ratio.free_symbols), {"l": "l"})


def attained() -> Attained:
    """From f - C = sigma (g - r)^2 with g = (1 - tau)^l, the gradient in one layer being its derivative in that layer."""
    layers, tau, sigma, r = sympy.symbols("l tau sigma r", positive=True)
    c = 1 - tau
    error = c**layers - r
    one = 2 * c ** (layers - 1) * error * sigma
    return Attained(sympy.powsimp(sympy.simplify(layers * one**2 / (sigma * error**2))))


# A basin around zero whose radius does not depend on the depth.


@dataclass(frozen=True, slots=True)
class Shallow:
    """l = 1 + k layers of norm at most a/l, 0 < a = p/(1 + p) < 1, and the derivatives of log(1 + x) and -log(1 - x)."""

    orthant: Orthant
    share: Element
    layers: Element
    slopes: tuple[Callable[[Element], Element], Callable[[Element], Element]]

    @property
    def sizes(self) -> Scope:
        """k is any number of further layers."""
        return standing_for(occurring(self.layers), {"k": "l"})


def shallow() -> Shallow:
    """As functions of x, by SymPy."""
    o, x = orthant("p", "k"), sympy.Symbol("x")
    up, down = (sympy.diff(f, x) for f in (sympy.log(1 + x), -sympy.log(1 - x)))
    slopes = (lambda value: _rational(up, {x: value}), lambda value: _rational(down, {x: value}))
    return Shallow(o, o["p"] / (1 + o["p"]), 1 + o["k"], slopes)


def _rational(expression: sympy.Basic, values: Mapping[sympy.Symbol, Element]) -> Element:
    """A rational function with rational functions for its symbols."""

    def polynomial(part: sympy.Expr) -> Element:
        total: Element = 0
        for powers, coefficient in sympy.Poly(part, *values).terms():
            term: Element = int(coefficient)
            for value, power in zip(values.values(), powers, strict=True):
                term = term * value**power
            total = total + term
        return total

    above, below = sympy.fraction(sympy.together(expression))
    return polynomial(above) / polynomial(below)


class Exponents(NamedTuple):
    """log(1 + x) <= up(x), -log(1 - x) <= down(x), and l - 1 times either at a/l is at most total * a."""

    up: Callable[[Element], Element] = lambda x: x
    down: Callable[[Element], Element] = lambda x: x / (1 - x)
    total: Fraction = Fraction(1)


def stretches_within(found: Shallow, claim: Exponents) -> None:
    """Pass when (1 + a/l)^(l-1) <= exp(total a) and (1 - a/l)^(l-1) >= exp(-total a) for all l >= 1, 0 < a < 1.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("x", "t")
    below = o["x"] / (1 + o["x"])  # 0 < x < 1
    for bound, slope in zip((claim.up, claim.down), found.slopes, strict=True):
        _outgrows(o, bound(o["x"]), slope(o["x"]), below)
        exponent = (found.layers - 1) * bound(found.share / found.layers)
        found.orthant.at_least_zero("the exponent", claim.total * found.share - exponent)


def root_slope() -> sympy.Expr:
    """d/dt sqrt(f - C) along the flow, in squared = |grad f|^2 and away = sqrt(f - C)."""
    t, squared, away = sympy.symbols("t squared away", positive=True)
    excess = sympy.Function("excess")(t)
    slope = _along_flow(sympy.sqrt(excess), excess, t, squared)
    return sympy.expand(slope.subs(excess, away**2))


def path_length(slope: sympy.Expr, claim: Callable[[Element, Element, Element], Element]) -> None:
    """Pass when |grad_i f| <= -claim d/dt sqrt(f - C), claim taking exp(a), l and the root of lambda.

    From |grad_i f| <= 2 exp(a) s and |grad f|^2 >= 4 l exp(-2a) s^2 with s = |E Sigma| >= root sqrt(f - C).

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("grown root away layers", "extra spare")
    grown, s = o["grown"], o["root"] * o["away"] + o["extra"]
    squared = 4 * o["layers"] * s**2 / grown**2 + o["spare"]
    symbols = sympy.symbols("squared away", positive=True)
    falls = -_rational(slope, dict(zip(symbols, (squared, o["away"]), strict=True)))
    o.at_least_zero("the length", claim(grown, o["layers"], o["root"]) * falls - 2 * grown * s)


def best_radius(found: Callable[[sympy.Expr, sympy.Expr], sympy.Expr], claim: tuple[Fraction, Fraction]) -> None:
    """Pass when found(a, b), over a, is greatest at a = b + step, where it is factor * exp(-1 - 3b).

    Raises:
        NotCertified: it is not.
    """
    step, factor = map(sympy.Rational, claim)
    b, t = sympy.symbols("b t", positive=True)
    a = sympy.Symbol("a", positive=True)
    if value := sympy.simplify(found(b + step, b) - factor * sympy.exp(-1 - 3 * b)):
        raise NotCertified(f"at a = b + {step} it is {value} more")
    slope = sympy.simplify(sympy.diff(found(a, b), a) * sympy.exp(3 * a))
    for name, away in (("before", -t), ("after", t)):
        rest = sympy.expand(slope.subs(a, b + step + away) / -away)
        if not rest.is_positive:
            raise NotCertified(f"{name} the greatest value the slope is {rest} times the distance")


# Symmetric targets.


def integrating_factor() -> Callable[[int], sympy.Expr]:
    """For x' = -c(t) x with C' = c: power -> d/dt [x exp(power C)], which is zero where x keeps its sign."""
    t = sympy.Symbol("t")
    x, total = sympy.Function("x")(t), sympy.Function("C")(t)

    def derivative(power: int) -> sympy.Expr:
        whole = sympy.diff(x * sympy.exp(power * total), t)
        return sympy.simplify(whole.subs(sympy.diff(x, t), -sympy.diff(total, t) * x))

    return derivative


def between(claim: tuple[Callable[[Element, Element], Element], Callable[[Element, Element], Element]]) -> None:
    """Pass when p >= claim for p - r of the sign of 1 - r and no greater in modulus; claims for r >= 1 and for 0 < r < 1.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("gap r", "x")
    rest, one = 1 / (1 + o["x"]), 1 + 0 * o["r"]  # p - r = rest (1 - r)
    above = 1 + o["gap"]
    below = o["r"] / (o["r"] + o["gap"])
    for r, least in ((above, claim[0]), (below, claim[1])):
        o.at_least_zero("u^l", r + rest * (1 - r) - least(r, one))


# Steps towards a root: S_l = (u^l - rho^l) / (u - rho).


def quotient_of_powers(layers: int) -> tuple[Orthant, Element]:
    """S_l for rho = m > 0 and u = m + h, so that m and m + h are the least and the greatest of both."""
    o = orthant("m", "h")
    u, rho = o["m"] + o["h"], o["m"]
    return o, (u**layers - rho**layers) / (u - rho)


def lies_between_powers(found: Mapping[int, tuple[Orthant, Element]], count: Callable[[int], int]) -> None:
    """Pass when S_l lies between count m^(l-1) and count (m + h)^(l-1).

    Raises:
        NotCertified: it does not.
    """
    for layers, (o, total) in found.items():
        least, greatest = o["m"], o["m"] + o["h"]
        o.at_least_zero("S_l from below", total - count(layers) * least ** (layers - 1))
        o.at_least_zero("S_l from above", count(layers) * greatest ** (layers - 1) - total)


@dataclass(frozen=True, slots=True)
class Longer:
    """S_(l+1) = (u u^l - rho rho^l) / away, in u and rho = u - away, S_l, rho^l and u^l = rho^l + away S_l."""

    whole: Element

    @property
    def sizes(self) -> Scope:
        """S_l is l t and more from below, l t and less from above, for any number l."""
        return standing_for(occurring(self.whole), {"l": "l"})


def longer_sum(low: bool) -> Longer:
    """With S_l = l t + extra from below (`low`) or l t - extra from above; likewise u and rho^l beside m and m t.

    From above the variable of u is that of m less u, so that all are at least zero where the bounds hold.
    """
    o = orthant("l", "t m extra u B away")
    side = 1 if low else -1
    total = o["l"] * o["t"] + side * o["extra"]
    u = o["m"] + o["u"] if low else o["u"]
    power = o["m"] * o["t"] + side * o["B"]
    upper = power + o["away"] * total
    return Longer((u * upper - (u - o["away"]) * power) / o["away"])


def longer(found: tuple[Longer, Longer], more: int) -> None:
    """Pass when S_(l+1) lies between l + more times the bounds of one power more.

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("l", "t m extra u B away")
    below, above = found
    bound = (o["l"] + more) * o["m"] * o["t"]
    o.at_least_zero("from below", below.whole - bound)
    # m = u + h from above, h >= 0.
    o.at_least_zero("from above", substitute(bound - above.whole, {**o.values, "m": o["u"] + o["m"]}))


def step_share() -> Callable[[Element, Element], Element]:
    """(u_next - rho) / (u - rho) = 1 - 2 eta s u^(l-1) S_l, in eta s and w = u^(l-1) S_l."""
    u, rho, total, power, eta = sympy.symbols("u rho S P eta")
    following = u - 2 * eta * power * (u - rho) * total
    share = sympy.cancel((following - rho) / (u - rho))
    w = sympy.Symbol("w")
    named = sympy.expand(share).subs(power * total, w)
    return lambda scaled, value: _rational(named, {eta: scaled, w: value})


def approaches(found: Callable[[Element, Element], Element], factor: Fraction) -> None:
    """Pass when the share is at least 0 and below 1 for 0 < w <= top and all steps up to factor / (2 s top).

    Raises:
        NotCertified: it does not follow.
    """
    o = orthant("w", "spare z")
    top = o["w"] + o["spare"]
    share = found(factor / (2 * top * (1 + o["z"])), o["w"])
    o.at_least_zero("u_next beyond the root", share)
    o.above_zero("u_next nearer to it", 1 - share)
