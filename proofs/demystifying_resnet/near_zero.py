"""Linear 2-shortcut networks near zero: |H(w) - H(0)| <= c^2/(1 - c^2)^2 (5 |X|^2 + 3 |X| |X - Y|)/m for |W^{r,l}| <= c R^(-1/2).

The change V of the weights moves a unit by D = W_2 V_1 + V_2 W_1 and Q = V_2 V_1, and the map P of all units by F_1 and F_2;
at w = 0 by Z = sum Q_r. With |W_l| <= t, sigma = sum t (|V_1| + |V_2|), pi = sum |V_1| |V_2| and q = (1 + t^2)^R

    |P - I| <= q - 1,    |F_1| <= q sigma,    |F_2| <= q (pi + sigma^2/2),    |F_2 - Z| <= (q - 1) pi + q sigma^2/2.

Norms are spectral or Frobenius: |A B| <= |A| |B| either way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import NamedTuple

from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, DataTensor, Opaque
from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction
from resproof.proofs.theory.linear_networks import half_mean_square
from resproof.symbolic.algebra.matrices import add as add_matrices
from resproof.symbolic.algebra.matrices import eye, matrix, scale
from resproof.symbolic.algebra.noncommutative import Words, add, minus, product, show, sizes, words
from resproof.symbolic.algebra.toeplitz import squared_norm
from resproof.symbolic.certificates import Element, Orthant, occurring, orthant, standing_for
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.series import Sum, matrix_product, tensor
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# What one more unit does.

_SHAPES: Mapping[str, tuple[str, str]] = dict.fromkeys(("W1", "W2", "V1", "V2", "E", "F1", "F2", "Z", "G"), ("d", "d"))
_DEGREE = {"V1": 1, "V2": 1, "F1": 1, "F2": 2, "Z": 2}


def _unit_more() -> dict[str, Words]:
    """P - I = E, F_1, F_2 and F_2 - Z = G of a network with one more unit, at the weights W and at zero."""
    moved = product(words("W2 + V2"), words("W1 + V1"))
    whole = product({**words("1"), **moved}, words("1 + E + F1 + F2"))
    at_zero = product(words("1 + V2 V1"), words("1 + Z"))
    gap = add(minus(_part(whole, 2), _part(at_zero, 2)), words("Z - F2 + G"))
    return {
        "P - I": add(_part(whole, 0), words("- 1")),
        "F_1": _part(whole, 1),
        "F_2": _part(whole, 2),
        "F_2 - Z": gap,
    }


def _part(polynomial: Words, degree: int) -> Words:
    return {word: c for word, c in polynomial.items() if sum(_DEGREE.get(x, 0) for x in word) == degree}


def _one_more(_: Context) -> Computed:
    found = _unit_more()
    shown = r"F_2' = (I + W_2 W_1) F_2 + D F_1 + Q P, \qquad Z' = Z + Q"
    return Computed(found, sizes(_SHAPES, *found.values(), products={"E": "R"}), shown)


def same_polynomials(found: Mapping[str, Words], claim: Mapping[str, str]) -> None:
    """Pass when each polynomial in matrices is the one claimed under its name.

    Raises:
        Disagreement: one is another.
    """
    for name, value in found.items():
        if value != words(claim[name]):
            raise Disagreement(f"{name}: computed {show(value)}; claimed {claim[name]}")


_PARTS = {
    "P - I": "E + W2 W1 + W2 W1 E",
    "F_1": "F1 + W2 W1 F1 + W2 V1 + V2 W1 + W2 V1 E + V2 W1 E",
    "F_2": "F2 + W2 W1 F2 + W2 V1 F1 + V2 W1 F1 + V2 V1 + V2 V1 E",
    "F_2 - Z": "G + W2 W1 F2 + W2 V1 F1 + V2 W1 F1 + V2 V1 E",
}

ONE_MORE = Argument(
    "One more unit on any network",
    "identity",
    _one_more,
    _PARTS,
    {
        "the changes of two units do not meet": {**_PARTS, "F_2": "F2 + W2 W1 F2 + V2 V1 + V2 V1 E"},
        "$Z$ is all of $F_2$": {**_PARTS, "F_2 - Z": "G"},
    },
    same_polynomials,
    explanation="$(I + (W_2 + V_2)(W_1 + V_1))(I + E + F_1 + F_2)$ by degree in the change, and $(I + V_2 V_1)(I + Z)$.",
)


@dataclass(frozen=True, slots=True)
class _Majorants:
    """Upper bounds of |P - I|, |F_1|, |F_2|, |F_2 - Z|, and the q, sigma, pi that they are compared with."""

    region: Orthant
    near: Element
    first: Element
    second: Element
    gap: Element
    q: Element
    sigma: Element
    pi: Element


def _next(one: _Majorants, t: Element, v1: Element, v2: Element) -> _Majorants:
    """The same with one more unit: each letter by its norm, |W_l| <= t, in the polynomials above."""
    norms = {"W1": t, "W2": t, "V1": v1, "V2": v2, "E": one.near, "F1": one.first, "F2": one.second, "G": one.gap}
    near, first, second, gap = (
        sum((abs(c) * prod((norms[x] for x in word), start=t**0) for word, c in polynomial.items()), t * 0)
        for polynomial in _unit_more().values()
    )
    return _Majorants(
        one.region, near, first, second, gap, one.q * (1 + t * t), one.sigma + t * (v1 + v2), one.pi + v1 * v2
    )


def _first_units(_: Context) -> Computed:
    """From no unit to one, two and three."""
    found = list[_Majorants]()
    for units in (1, 2, 3):
        region = orthant("", " ".join(["t", *(f"a{r} b{r}" for r in range(1, units + 1))]))
        zero = region["t"] * 0
        total = _Majorants(region, zero, zero, zero, zero, zero + 1, zero, zero)
        for r in range(1, units + 1):
            total = _next(total, region["t"], region[f"a{r}"], region[f"b{r}"])
        found.append(total)
    return Computed(found, Scope.over(R=(1, 2, 3)))


def _any_unit(_: Context) -> Computed:
    """What is known of any number of units, q = 1 + x, sigma and pi, and of one unit more."""
    region = orthant("", "x t sigma pi a b")
    return Computed(region, standing_for(occurring(region["sigma"]), {"sigma": "R"}))


_HALF, _LITTLE = Fraction(1, 2), Fraction(1, 100)


class _BoundShares(NamedTuple):
    """near (q - 1), first q sigma, q (pi + second sigma^2) and (q - 1) pi + gap q sigma^2."""

    near: Fraction = Fraction(1)
    first: Fraction = Fraction(1)
    second: Fraction = _HALF
    gap: Fraction = _HALF

    def at(self, q: Element, sigma: Element, pi: Element) -> tuple[Element, Element, Element, Element]:
        """The four bounds."""
        square = q * sigma * sigma
        return (
            self.near * (q - 1),
            self.first * q * sigma,
            q * pi + self.second * square,
            (q - 1) * pi + self.gap * square,
        )


@certified
def _bounded(found: Sequence[_Majorants], claim: _BoundShares) -> None:
    for one in found:
        near, first, second, gap = claim.at(one.q, one.sigma, one.pi)
        one.region.at_least_zero("|P - I|", near - one.near)
        one.region.at_least_zero("|F_1|", first - one.first)
        one.region.at_least_zero("|F_2|", second - one.second)
        one.region.at_least_zero("|F_2 - Z|", gap - one.gap)


def _stays_bounded(found: Orthant, claim: _BoundShares) -> None:
    """Pass when the bounds hold with one unit more where they hold with equality without it."""
    known = 1 + found["x"], found["sigma"], found["pi"]
    _bounded([_next(_Majorants(found, *claim.at(*known), *known), found["t"], found["a"], found["b"])], claim)


_TIGHTER = {
    r"$\tfrac{99}{100} q \sigma$": _BoundShares(first=1 - _LITTLE),
    r"$\tfrac{49}{100} \sigma^2$": _BoundShares(second=_HALF - _LITTLE, gap=_HALF - _LITTLE),
    r"$\tfrac{99}{100} (q - 1)$": _BoundShares(near=1 - _LITTLE),
    r"$\tfrac{49}{100} \sigma^2$ for $F_2$ alone": _BoundShares(second=_HALF - _LITTLE),
    r"$\tfrac{49}{100} \sigma^2$ for $F_2 - Z$ alone": _BoundShares(gap=_HALF - _LITTLE),
}

MAJORANTS = Induction(
    "R",
    Argument("The bounds for one to three units", "inequality", _first_units, _BoundShares(), _TIGHTER, _bounded),
    Argument(
        "The bounds with one more unit",
        "inequality",
        _any_unit,
        _BoundShares(),
        _TIGHTER,
        _stays_bounded,
        explanation="The right sides grow with what is known of the units before, so that equality there is the worst case.",
    ),
)

# The scale R^(-1/2).


def _powers(_: Context) -> Computed:
    """(1 - y)^R for R = 1..4, with y = 1/(R + e): R y <= 1."""
    found = list[tuple[Orthant, Element, Element, int]]()
    for units in (1, 2, 3, 4):
        region = orthant("", "e")
        y = 1 / (region["e"] + units)
        found.append((region, (1 - y) ** units, y, units))
    return Computed(found, Scope.over(R=[units for *_, units in found]), r"(1 - y)^R \ge 1 - R y")


@certified
def _bernoulli(found: Sequence[tuple[Orthant, Element, Element, int]], claim: Fraction) -> None:
    for region, power, y, units in found:
        region.at_least_zero(f"R={units}", power - (1 - claim * units * y))


def _next_power(_: Context) -> Computed:
    """1 - y, with any R and y."""
    region = orthant("", "R y")
    return Computed((region, 1 - region["y"]), region.sizes.only(("R",)))


class _NextFactor(NamedTuple):
    """(1 - share R y)(1 - y) >= 1 - share (R + more) y, and 1 + times y <= 1/(1 - y)."""

    share: Fraction = Fraction(1)
    more: int = 1
    times: int = 1


@certified
def _keeps_bernoulli(found: tuple[Orthant, Element], claim: _NextFactor) -> None:
    (region, factor), share = found, claim.share
    r, y = region["R"], region["y"]
    region.at_least_zero("one more factor", (1 - share * r * y) * factor - (1 - share * (r + claim.more) * y))
    region.at_least_zero("the reciprocal", 1 - (1 + claim.times * y) * factor)


BERNOULLI = Induction(
    "R",
    Argument(
        r"$(1 - y)^R \ge 1 - R y$ for $R = 1..4$",
        "inequality",
        _powers,
        Fraction(1),
        {"$1 - R y / 2$": _HALF, "$1 - 3 R y / 4$": Fraction(3, 4)},
        _bernoulli,
    ),
    Argument(
        "One more factor",
        "inequality",
        _next_power,
        _NextFactor(),
        {
            "$1 - R y / 2$": _NextFactor(share=_HALF),
            "$1 - R y$": _NextFactor(more=0),
            "$1 - (R - 1) y$": _NextFactor(more=-1),
            "$1 + 2 y$ below $1/(1 - y)$": _NextFactor(times=2),
        },
        _keeps_bernoulli,
        explanation=r"With $y = t^2 = c^2/R$: $q = (1 + y)^R \le 1/(1 - y)^R \le 1/(1 - c^2)$, so $q - 1 \le c^2 q$.",
    ),
)


def _few(_: Context) -> Computed:
    """R (s_1^2 + ... + s_R^2) less (s_1 + ... + s_R)^2, as the sum of squares of differences, R = 1..4."""
    found = dict[int, tuple[Element, Element]]()
    for units in (1, 2, 3, 4):
        region = orthant("", " ".join(f"s{r}" for r in range(1, units + 1)))
        s = [region[name] for name in region.names]
        squares = sum((a * a for a in s[1:]), s[0] * s[0])
        total = sum(s[1:], s[0])
        pairs = sum(((a - b) ** 2 for k, a in enumerate(s) for b in s[:k]), s[0] * 0)
        found[units] = (units * squares - total * total, pairs)
    return Computed(found, Scope.over(R=found), r"(\sum_r s_r)^2 \le R \sum_r s_r^2")


def _are_equal(found: Mapping[int, tuple[Element, Element]], factor: int) -> None:
    for units, (left, right) in found.items():
        if left - factor * right:
            raise Disagreement(f"R={units}: they differ by {left - factor * right}")


def _one_more_square(_: Context) -> Computed:
    """R times (R + 1)(N + s^2) less (sigma + s)^2; and N_1^2 + N_2^2 less 2 N_1 N_2."""
    region = orthant("", "R N sigma s")
    r, n, sigma, s = (region[name] for name in ("R", "N", "sigma", "s"))
    left = r * ((r + 1) * (n + s * s) - (sigma + s) ** 2)
    return Computed((left, (r * n - sigma * sigma) * (r + 1), (sigma - r * s) ** 2), region.sizes.only(("R",)))


def _splits(found: tuple[Element, Element, Element], claim: tuple[int, int]) -> None:
    left, known, square = found
    if difference := left - claim[0] * known - claim[1] * square:
        raise Disagreement(f"it differs by {difference}")


CAUCHY = Induction(
    "R",
    Argument(
        r"$(s_1 + \cdots + s_R)^2 \le R (s_1^2 + \cdots + s_R^2)$ for $R = 1..4$",
        "identity",
        _few,
        1,
        {"twice the squares of the differences": 2, "no gap": 0},
        _are_equal,
    ),
    Argument(
        "One more summand",
        "identity",
        _one_more_square,
        (1, 1),
        {"without the square": (1, 0), "without what is known": (0, 1)},
        _splits,
        explanation="The first is $R + 1$ times what is known not to be negative, the second a square. With "
        r"$s_r = t (\lvert V_1\rvert + \lvert V_2\rvert)$ and $t = c R^{-1/2}$: $\sigma^2 \le 2 c^2 \lvert v\rvert^2$, "
        r"since $(a + b)^2 \le 2 (a^2 + b^2)$; and $\pi \le \lvert v\rvert^2/2$.",
    ),
)

# The form.

_KNOWN = {
    "X": DataTensor("X", ("d", "m")),
    "E": Opaque("E", ("d", "d")),
    "F": Opaque("F", ("d", "d")),
    "Z": Opaque("Z", ("d", "d")),
    "G": Opaque("G", ("d", "d")),
    "h": Opaque("h", ("d", "m")),
}


def _applied(name: str) -> Sum:
    return matrix_product(tensor(_KNOWN[name], (ROW, COLUMN)), tensor(_KNOWN["X"], (ROW, SAMPLE)), "d")


def _difference(_: Context) -> Computed:
    """The part of order two at w less that at zero: P = I + E, F_1 = F, F_2 = Z + G, X - Y = h."""
    residual = tensor(_KNOWN["h"], (ROW, SAMPLE))
    second = add_sums(_applied("Z"), _applied("G"))
    there = half_mean_square((add_sums(residual, _applied("E")), _applied("F"), second))[2]
    at_zero = half_mean_square((residual, {}, _applied("Z")))[2]
    found = add_sums(there, scale_sum(-1, at_zero))
    shown = r"\tfrac12 v^{\mathsf T}(H(w) - H(0))v = \tfrac1{2m}|F_1 X|^2 + \tfrac1m\langle (P - I) X, F_2 X\rangle + \tfrac1m\langle X - Y, (F_2 - Z) X\rangle"
    return Computed(found, index_sizes.of_terms(found, products={"F": "R"}), shown)


_F = "1/2 * m^-1 * F[i,j] * X[j,u] * F[i,k] * X[k,u]"
_E = "m^-1 * E[i,j] * X[j,u] * Z[i,k] * X[k,u] + m^-1 * E[i,j] * X[j,u] * G[i,k] * X[k,u]"
_H = "m^-1 * h[i,u] * G[i,k] * X[k,u]"

FORM = Argument(
    "The form at $w$ less that at zero",
    "index notation",
    _difference,
    f"{_F} + {_E} + {_H}",
    {
        "the residual stays": f"{_F} + {_H}",
        "the second order stays": f"{_F} + {_E}",
        "the first order does not count": f"{_E} + {_H}",
    },
    lambda found, claim: same_sum(found, claim, _KNOWN),
)


def _assembled(_: Context) -> Computed:
    """Twice the form for |v| = 1, q = 1/(1 - z) = 1 + f, sigma^2 = 2 z, pi = 1/2, m = 1; a = |X|, b = |X - Y|."""
    region = orthant("", "f a b")
    f, a, b = (region[name] for name in ("f", "a", "b"))
    q, z = 1 + f, f / (1 + f)
    square, pi = 2 * z, _HALF
    second, gap = q * (pi + square / 2), (q - 1) * pi + q * square / 2
    found = 2 * (q * q * square * a * a / 2 + (q - 1) * second * a * a + gap * a * b)
    return Computed((region, found, z * q * q), Scope())


@certified
def _at_most(found: tuple[Orthant, Element, Element], claim: tuple[Fraction | int, Fraction | int]) -> None:
    region, value, factor = found
    a, b = region["a"], region["b"]
    region.at_least_zero("the bound", factor * (claim[0] * a * a + claim[1] * a * b) - value)


ASSEMBLED = Argument(
    "The terms together",
    "inequality",
    _assembled,
    (5, 3),
    {
        r"$\tfrac{499}{100} \lvert X\rvert^2$": (5 - _LITTLE, 3),
        r"$\tfrac{299}{100} \lvert X\rvert \lvert X - Y\rvert$": (5, 3 - _LITTLE),
    },
    _at_most,
    explanation=r"The terms of the form are at most $q^2 \sigma^2/2$, $(q - 1) q (\pi + \sigma^2/2)$ and "
    r"$(q - 1) \pi + q \sigma^2/2$, with $\sigma^2 \le 2 c^2 \lvert v\rvert^2$, $\pi \le \lvert v\rvert^2/2$, $z = c^2$; "
    "all of them grow with $q$.",
)


def _scale(_: Context) -> Computed:
    """c^2/(1 - c^2) less r at c^2 = r/(1 + r) + s, s > 0 and c^2 < 1: s = u/((1 + r)(1 + u)), u >= 0."""
    region = orthant("", "r u")
    r, u = region["r"], region["u"]
    square = r / (1 + r) + u / ((1 + r) * (1 + u))
    return Computed(
        (region, square / (1 - square)), Scope(), r"\tfrac{c^2}{1 - c^2} \ge r \iff c^2 \ge \tfrac{r}{1 + r}"
    )


@certified
def _reaches(found: tuple[Orthant, Element], claim: int) -> None:
    """c^2/(1 - c^2) is claim r and a multiple of u that is not negative."""
    region, ratio = found
    r, u = region["r"], region["u"]
    region.identical("c^2/(1 - c^2)", ratio, claim * r + (1 + r) * u)


SCALE = Argument(
    "How far weights that fit have to go",
    "inequality",
    _scale,
    1,
    {"twice as far": 2, "any distance": 0},
    _reaches,
    explanation=r"$\lvert Y - X\rvert = \lvert(P - I) X\rvert \le (q - 1) \lvert X\rvert \le c^2/(1 - c^2) \lvert X\rvert$; "
    r"$r = \lvert Y - X\rvert/\lvert X\rvert$.",
)

# Exact Hessians.

_TILT = matrix([[Fraction(3, 5), Fraction(4, 5)], [Fraction(-4, 5), Fraction(3, 5)]])
_CASES = (
    (Fraction(1, 2), eye(1), Instance([[1]], [[2]])),
    (Fraction(1, 8), eye(1), Instance([[1]], [[-1]])),
    (Fraction(1, 4), _TILT, Instance([[1, 0], [1, 2]], [[0, 1], [3, 1]])),
)
"""t, a matrix, and data; all weights are t times that matrix."""


class _Difference(NamedTuple):
    """|H(w) - H(0)|^2 and, for the bound, c^2 = R |W|^2, |X|^2, |X - Y|^2 and m."""

    gap: Fraction
    c_squared: Fraction
    x: Fraction
    residual: Fraction
    samples: int


def _exact_differences(_: Context) -> Computed:
    found = dict[str, _Difference]()
    for t, direction, data in _CASES:
        x, m, weight = matrix(data.x), len(data.x[0]), scale(t, direction)
        size, distance = (
            sum((v * v for row in one for v in row), Fraction(0))
            for one in (x, add_matrices(x, scale(-1, matrix(data.y))))
        )
        for units in (1, 2, 3):
            there = hessian_at([[weight, weight]] * units, data, "identity")
            at_zero = hessian_at([[scale(0, weight)] * 2] * units, data, "identity")
            gap = squared_norm(add_matrices(there, scale(-1, at_zero))).low
            at = f"n=2, R={units}, d={len(x)}, m={m}, t={t}"
            found[at] = _Difference(gap, units * squared_norm(weight).high, size, distance, m)
    return Computed(found, Scope.of(*found))


def _within_bound(found: Mapping[str, _Difference], factor: Callable[[Fraction], Fraction]) -> None:
    """Pass when |H(w) - H(0)| <= factor(c^2) (5 |X|^2 + 3 |X| |X - Y|)/m; the root is rounded up.

    Raises:
        Disagreement: it is greater.
    """
    for at, one in found.items():
        root = next(Fraction(k, 100) for k in range(10**6) if Fraction(k, 100) ** 2 >= one.x * one.residual)
        bound = factor(one.c_squared) * (5 * one.x + 3 * root) / one.samples
        at_most(one.gap, bound * bound, f"{at}, |H(w) - H(0)|^2")


SMALL_DIFFERENCES = Argument(
    r"$\lvert H(w) - H(0)\rvert$ of exact Hessians",
    "explicit",
    _exact_differences,
    lambda z: z / (1 - z) ** 2,
    {"$c^4$ in place of $c^2$": lambda z: z * z / (1 - z) ** 2, "half of it": lambda z: z / (2 * (1 - z) ** 2)},
    _within_bound,
)
