"""Layers drawn independently from one law, as at initialisation: which products of multipliers tend to zero almost surely.

For independent nonnegative factors r_l with one law E prod r_l = (E r)^L. If E r < 1 these have a finite sum, so that the
products tend to zero almost surely, and P(prod r_l >= t) <= (E r)^L / t at every depth. It is used with

    r = |lambda_i / lambda_1| < 1                   (Theorem 1),
    r = sqrt(1 + lambda), -1 <= lambda <= 56/25,     sqrt(1 + lambda) <= 1 + lambda/2 - lambda^2/16    (Theorems 2 and 3).

Laws have finitely many values here, so that probabilities are exact; the proofs do not use that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import TypeAlias

import sympy

from resproof.proofs.rethinking_skips.depth_products import constant
from resproof.proofs.rethinking_skips.random_matrices import ENTRY, POINT_MASS, Density, densities
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.statement import (
    Argument,
    Citation,
    Computed,
    Condition,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
)
from resproof.symbolic.certificates import Element, Orthant, between, occurring, orthant, standing_for, substitute
from resproof.symbolic.scope import Scope

Values: TypeAlias = tuple[Fraction, ...]
Law: TypeAlias = Mapping[Values, Fraction]
"""The probabilities of the eigenvalues (lambda_1, ..., lambda_d) of a layer."""


@dataclass(frozen=True, slots=True)
class RandomLayers:
    """Layers with common orthonormal eigenvectors: the joint law of the eigenvalues of two of them; the kind; all alpha_i = 1."""

    joint: Mapping[tuple[Values, Values], Fraction]
    shortcut: bool
    paths: int

    def law(self, place: int = 0) -> dict[Values, Fraction]:
        """The law of the first layer, or of the other one."""
        found: dict[Values, Fraction] = {}
        for pair, p in self.joint.items():
            found[pair[place]] = found.get(pair[place], Fraction(0)) + p
        return found

    @property
    def independent(self) -> bool:
        """Whether the joint law is the product of both."""
        first, other = self.law(), self.law(1)
        return self.joint == {(a, b): p * q for a, p in first.items() for b, q in other.items()}

    @property
    def one_law(self) -> bool:
        """Whether both layers have the same law."""
        return self.law() == self.law(1)

    def mean(self, of: Callable[[Values], Fraction]) -> Fraction:
        """The expectation over a layer."""
        return sum((p * of(values) for values, p in self.law().items()), Fraction(0))

    def __str__(self) -> str:
        rows = ", ".join(f"({', '.join(map(str, v))}) with {p}" for v, p in self.law().items())
        return f"independent layers, each with the eigenvalues {rows}; alpha_i = 1"


def drawn(law: Law, *, shortcut: bool, paths: int = 1) -> RandomLayers:
    """Independent layers with this law."""
    joint = {(a, b): p * q for a, p in law.items() for b, q in law.items()}
    return RandomLayers(joint, shortcut, paths)


def repeated(one: RandomLayers) -> RandomLayers:
    """The same layer twice: one law, but not independent."""
    return replace(one, joint={(a, a): p for a, p in one.law().items()})


def changing(one: RandomLayers) -> RandomLayers:
    """Independent layers, the second one with twice the eigenvalues."""
    second = {tuple(2 * v for v in values): q for values, q in one.law().items()}
    return replace(one, joint={(a, b): p * q for a, p in one.law().items() for b, q in second.items()})


_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
PLAIN_LAYERS = drawn(
    {
        (Fraction(2), Fraction(1)): _HALF,
        (Fraction(-3), Fraction(1, 2)): _QUARTER,
        (Fraction(1), Fraction(-9, 10)): _QUARTER,
    },
    shortcut=False,
)
SIGNED_LAYERS = drawn(
    {(a * Fraction(3, 4), b * _HALF): _QUARTER for a, b in product((1, -1), repeat=2)},
    shortcut=True,
)
"""lambda_1 = 3/4 and lambda_2 = 1/2 with independent signs."""

PRINTED_RANDOM = (
    Hypothesis(
        "the weights are random matrices (section 3.2)",
        lambda one: len(one.joint) > 1,
        fails_on=drawn({(Fraction(2), Fraction(1)): Fraction(1)}, shortcut=False),
        holds_on=drawn({(_HALF, Fraction(1)): _HALF, (Fraction(1), _HALF): _HALF}, shortcut=False),
        quote="W^l, W^{l-1} in R^{n x n} are random matrices",
        where="section 3.2",
    ),
    Hypothesis(
        r"$\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$ for $i \ge 2$, whatever is drawn",
        lambda one: all(abs(v[0]) > max(map(abs, v[1:])) for v in one.law()),
        fails_on=drawn({(Fraction(1), _HALF, v): _HALF for v in (_QUARTER, Fraction(1))}, shortcut=False),
        holds_on=drawn({(Fraction(-1), _HALF): Fraction(1)}, shortcut=False),
        quote="s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
        where="Theorems 1 to 3",
    ),
)
"""What Theorems 1 to 3 suppose of random layers with common eigenvectors."""

RANDOM = (
    *PRINTED_RANDOM,
    Hypothesis(
        "the layers are independent",
        lambda one: one.independent,
        fails_on=repeated(PLAIN_LAYERS),
        printed=False,
        holds_on=changing(PLAIN_LAYERS),
    ),
    Hypothesis(
        "the layers have one law",
        lambda one: one.one_law,
        fails_on=changing(PLAIN_LAYERS),
        printed=False,
        holds_on=repeated(PLAIN_LAYERS),
    ),
)
"""What is proved of them supposes independence and one law besides."""


def mean_ratio(one: RandomLayers) -> Fraction:
    """E |lambda_2 / lambda_1|."""
    return one.mean(lambda values: abs(values[1] / values[0]))


EXPECTATIONS = Citation(
    "independent-expectations",
    {
        "the layers are independent": Condition(
            lambda one: one.independent, lambda: PLAIN_LAYERS, lambda: repeated(PLAIN_LAYERS)
        ),
        "the ratios are not negative": Condition(
            lambda ratios: min(ratios) >= 0,
            lambda: [Fraction(0), *(abs(v[1] / v[0]) for v in PLAIN_LAYERS.law())],
            lambda: [v[1] / v[0] for v in PLAIN_LAYERS.law()],
        ),
    },
)
SUMMABLE = Citation(
    "summable-expectations",
    {
        "a geometric series with a ratio below one": Condition(
            lambda ratios: all(0 <= ratio < 1 for ratio in ratios),
            lambda: (mean_ratio(PLAIN_LAYERS), 1 - SIGNED_LAYERS.mean(lambda v: v[1] ** 2) / 16),
            lambda: (_HALF, Fraction(1)),
        )
    },
)
STRONG_LAW = Citation(
    "strong-law",
    {
        "the layers are independent": Condition(
            lambda one: one.independent, lambda: SIGNED_LAYERS, lambda: repeated(SIGNED_LAYERS)
        ),
        "they have one law": Condition(lambda one: one.one_law, lambda: SIGNED_LAYERS, lambda: changing(SIGNED_LAYERS)),
        r"no multiplier $1 + \lambda_i$ is zero, so that its logarithm is bounded": Condition(
            lambda one: all(1 + v for values in one.law() for v in values),
            lambda: SIGNED_LAYERS,
            lambda: drawn({(Fraction(2), Fraction(-1)): Fraction(1)}, shortcut=True),
        ),
    },
)


# E r < 1.


def _mean_gap(_: Context) -> Computed:
    """E(1 - r) from the means of the gap 1 - r where it is at least e, with any probability p > 0, and elsewhere."""
    o = orthant("e", "q t u")
    p = between(1, 0, o["q"])
    found = (o["e"] + o["t"]) * p + o["u"] * (1 - p)
    return Computed((o, found, o["e"], p), Scope(), r"E\, r \le 1 - e\, P(r \le 1 - e) < 1")


def _at_least(found: tuple[Orthant, Element, Element, Element], claim: Callable[..., Element]) -> None:
    space, gap, e, p = found
    space.above_zero("the claimed gap", claim(e, p))
    space.at_least_zero("the gap of the mean", gap - claim(e, p))


MEAN_BELOW_ONE = Argument(
    "The mean of a ratio below one is below one",
    "inequality",
    _mean_gap,
    lambda e, p: e * p,
    {"whatever the probability": lambda e, p: e, "twice as much": lambda e, p: 2 * e * p, "none": lambda e, p: 0 * e},
    certified(_at_least),
    explanation=r"$r = \lvert\lambda_i/\lambda_1\rvert < 1$ whatever is drawn, so that for some $e > 0$ the gap $1 - r$ is at least "
    r"$e$ with a probability $p > 0$. Hence $E \prod r_l = (E r)^L \le (1 - e p)^L$, the products tend to zero almost "
    r"surely, and at every depth $P(\prod r_l \ge t) \le (E r)^L/t$. In particular $E \log r < 0$, which is the printed "
    "condition in the mean.",
)


def _mean_products(_: Context) -> Computed:
    """For L = 1, ..., 5, over all draws: E prod r_l, and the probability that it is at least 1/2."""
    ratios = [(abs(v[1] / v[0]), p) for v, p in PLAIN_LAYERS.law().items()]
    found = {}
    for depth in range(1, 6):
        draws = [(prod(r for r, _ in each), prod(p for _, p in each)) for each in product(ratios, repeat=depth)]
        found[depth] = (sum(r * p for r, p in draws), sum(p for r, p in draws if r >= _HALF))
    return Computed((found, mean_ratio(PLAIN_LAYERS)), Scope.of("three values, L=1..5"))


def _powers_of_the_mean(found: tuple[Mapping[int, Values], Fraction], claim: Callable[[Fraction, int], Values]) -> None:
    """Pass when E prod r_l is the first claimed value, and the probability is at most the second.

    Raises:
        Disagreement: they are not.
    """
    values, mean = found
    for depth, (expected, likely) in values.items():
        power, bound = claim(mean, depth)
        if expected != power or likely > bound:
            raise Disagreement(f"L={depth}: E prod r = {expected}, and it is at least 1/2 with probability {likely}")


MEAN_PRODUCTS = Argument(
    "All draws of up to five layers",
    "explicit",
    _mean_products,
    lambda mean, depth: (mean**depth, 2 * mean**depth),
    {
        "the mean of one layer": lambda mean, depth: (mean, 2 * mean),
        "a quarter of the probability": lambda mean, depth: (mean**depth, mean**depth / 2),
    },
    _powers_of_the_mean,
)

ALMOST_SURE = (MEAN_BELOW_ONE, EXPECTATIONS, SUMMABLE, MEAN_PRODUCTS)
"""Products of ratios below one tend to zero almost surely."""


# E sqrt(1 + lambda) < 1.

_ROOT = Fraction(9, 5)
_MOST = _ROOT**2 - 1
"""The greatest root, and the greatest eigenvalue."""


def _root_gap(_: Context) -> Computed:
    """1 + lambda = u^2 with 0 < u <= 9/5, so that lambda runs over (-1, 56/25]; the space in which u is (9/5)/(1 + z)."""
    u = orthant("u")["u"]
    z = orthant(nonnegative="z")
    shown = r"\sqrt{1 + \lambda} \le 1 + \tfrac{\lambda}{2} - \tfrac{\lambda^2}{16}"
    return Computed((u, z), Scope(), rf"{shown} \quad (-1 \le \lambda \le {_MOST})")


def _above_the_root(found: tuple[Element, Orthant], claim: Callable[[Element], Element]) -> None:
    u, space = found
    # A double zero at u = 1 is taken out.
    quotient = (claim(u**2 - 1) - u) / (u - 1) ** 2
    space.at_least_zero("the root", substitute(quotient, {"u": between(constant(_ROOT, space), 0, space["z"])}))


ROOT_BELOW = Argument(
    r"The mean of $\sqrt{1 + \lambda}$ is below one for $\lambda$ of mean zero",
    "inequality",
    _root_gap,
    lambda x: 1 + x / 2 - x**2 / 16,
    {
        r"$\lambda^2/8$": lambda x: 1 + x / 2 - x**2 / 8,
        "the slope 1/4": lambda x: 1 + x / 4 - x**2 / 16,
        "without the half": lambda x: 1 + x / 2 - x**2 / 12,
    },
    certified(_above_the_root),
    explanation=r"$E \sqrt{1 + \lambda} \le 1 + E \lambda/2 - E \lambda^2/16$: below one for every law on [-1, 56/25] of mean at most "
    r"zero that is not $\lambda = 0$. Then $\prod \sqrt{1 + \lambda_i^l} \to 0$ almost surely, and so does "
    r"$\prod (1 + \lambda_i^l)$.",
)


# Theorems 2 and 3: what the printed form says of layers whose eigenvalues have random signs.

_DEPTHS = (16, 64)


def _spread(value: Fraction, depth: int) -> list[tuple[Fraction, int]]:
    """prod (1 + s_l value) over random signs s_l, and how many of the 2^L draws give it."""
    return [((1 + value) ** k * (1 - value) ** (depth - k), comb(depth, k)) for k in range(depth + 1)]


def _of_all_signs(one: RandomLayers) -> tuple[Fraction, Fraction]:
    """|lambda_1| and |lambda_2| of independent layers with one law, all four choices of signs equally probable.

    Raises:
        ValueError: the layers are others.
    """
    first, second = (abs(v) for v in next(iter(one.law())))
    signs = {(a * first, b * second): _QUARTER for a, b in product((1, -1), repeat=2)}
    if not (one.independent and one.one_law and one.law() == signs):
        raise ValueError("expected independent layers with one law, and eigenvalues of independent random signs")
    return one.paths * first, one.paths * second


def _shares(
    one: RandomLayers, great: Callable[[Fraction, Fraction], bool], sizes: str
) -> Callable[[Context], Computed]:
    """The probability that the products P_1 and P_2 of the multipliers are so."""
    first, second = _of_all_signs(one)

    def compute(_: Context) -> Computed:
        found = {}
        for depth in _DEPTHS:
            pairs = product(_spread(first, depth), _spread(second, depth))
            found[depth] = Fraction(sum(n * k for (p, n), (q, k) in pairs if great(p, q)), 4**depth)
        shown = r",\quad ".join(rf"{float(share):.4f} \ (L = {depth})" for depth, share in found.items())
        return Computed(found, Scope.of(*(f"{sizes}, L={depth}" for depth in _DEPTHS)), shown)

    return compute


def error_shares(one: RandomLayers) -> Callable[[Context], Computed]:
    """The probability that the printed form is off by half of itself or more: error^2 = (P_2 - 1)^2 / (P_1^2 + 1)."""
    return _shares(one, lambda p, q: 4 * (q - 1) ** 2 >= p**2 + 1, "d=2")


def condition_shares(one: RandomLayers) -> Callable[[Context], Computed]:
    """The probability that max |P_i| / min |P_i| is at least 10."""
    return _shares(one, lambda p, q: max(p, q) >= 10 * min(p, q), "d=2, X=I")


def mean_roots(one: RandomLayers) -> Callable[[Context], Computed]:
    """The bounds 1 - E lambda_i^2/16 on E sqrt(1 + lambda_i), for eigenvalues of mean zero."""

    def compute(_: Context) -> Computed:
        assert one.independent
        assert one.one_law
        found = []
        for i in (0, 1):
            values = [one.paths * v[i] for v in one.law()]
            assert one.mean(lambda v, i=i: one.paths * v[i]) == 0
            assert not [value for value in values if not -1 <= value <= _MOST]
            found.append(1 - one.mean(lambda v, i=i: (one.paths * v[i]) ** 2) / 16)
        return Computed(tuple(found), Scope.of("d=2"), rf"E\sqrt{{1 + \lambda_i}} \le {found[0]},\ {found[1]}")

    return compute


@property_of([Fraction(1), Fraction(2)], not_of=[[Fraction(2), Fraction(99, 100)]])
def mean_of_root_is_one(found: Sequence[Fraction]) -> bool:
    """Whether nothing keeps the products from staying where they begin."""
    return all(value >= 1 for value in found)


@property_of({16: Fraction(2), 64: Fraction(1)}, not_of=[{16: Fraction(1), 64: Fraction(1)}])
def rarely_great(found: Mapping[int, Fraction]) -> bool:
    """Whether a great error is less probable at the greater depth, as for errors that tend to zero in probability."""
    return found[_DEPTHS[1]] < found[_DEPTHS[0]]


def log_means(one: RandomLayers) -> Callable[[Context], Computed]:
    """exp(N E log |1 + lambda_i|) over N equally probable draws: the product of the multipliers."""

    def compute(_: Context) -> Computed:
        law = one.law()
        assert one.independent
        assert one.one_law
        assert len(set(law.values())) == 1
        found = tuple(prod(abs(1 + one.paths * values[i]) for values in law) for i in (0, 1))
        return Computed(found, Scope.of("d=2"), rf"e^{{4 E\log|1 + \lambda_i|}} = {found[0]},\ {found[1]}")

    return compute


# Layers without common eigenvectors.


def _fills_an_interval(one: Density) -> bool:
    """Whether the density is positive on its interval: the matrices fill an open set, and almost all are invertible."""
    return all(sympy.sympify(v).is_extended_positive is True for v in (one.value, one.high - one.low))


def _bounded_with_second_moment(one: Density) -> bool:
    """Whether the density is finite where its derivative vanishes and at the ends, and the second moment is finite."""
    second = sympy.integrate(ENTRY**2 * one.value, (ENTRY, one.low, one.high))
    places = (*sympy.solve(sympy.diff(one.value, ENTRY), ENTRY), one.low, one.high)
    return all(v.is_finite is True for v in (second, *(sympy.limit(one.value, ENTRY, at) for at in places)))


def _normal_about_zero(one: Density) -> bool:
    """Whether the logarithm of the density is a polynomial of degree two in the entry, without its linear term."""
    logarithm = sympy.expand(sympy.expand_log(sympy.log(one.value), force=True))
    if not logarithm.is_polynomial(ENTRY):
        return False
    found = sympy.Poly(logarithm, ENTRY)
    return found.degree() == 2 and found.coeff_monomial(ENTRY) == 0


_MEAN = sympy.Symbol("mu", real=True)
_CAUCHY = Density(1 / (sympy.pi * (1 + ENTRY**2)), -sympy.oo, sympy.oo)
"""Without a second moment."""

_INDEPENDENT_WITH_ONE_LAW = {
    "the layers are independent with one law": Condition(
        lambda one: one.independent and one.one_law, lambda: PLAIN_LAYERS, lambda: repeated(PLAIN_LAYERS)
    )
}

DIFFERENT_RATES = Citation(
    "simple-lyapunov-spectrum",
    {
        **_INDEPENDENT_WITH_ONE_LAW,
        "the entries have densities that are positive on an interval: the support contains an open set": Condition(
            lambda laws: all(map(_fills_an_interval, laws)), densities, lambda: (*densities(), POINT_MASS)
        ),
        r"the densities are bounded and have second moments: $\log^+ \lvert A\rvert$ and $\log^+ \lvert A^{-1}\rvert$ "
        "have finite expectations": Condition(
            lambda laws: all(map(_bounded_with_second_moment, laws)), densities, lambda: (*densities(), _CAUCHY)
        ),
    },
)


# Gaussian layers.


def _one_degree(_: Context) -> Computed:
    """d a_d - (a_1 + ... + a_d) for d = 1, a_k being E log of chi-squared with k degrees of freedom."""
    o = orthant("d g", "S a")
    return Computed((o, o["a"] - o["a"], dict.fromkeys("Sdg", 0 * o["S"])), Scope.over(d=1))


def _degree_more(_: Context) -> Computed:
    """The same with d + 1 in place of d: S = d a - (the sum up to a), a' = a + g with g > 0."""
    o = orthant("d g", "S a")
    d, following = o["d"], o["a"] + o["g"]
    so_far = d * o["a"] - o["S"]
    value = (d + 1) * following - (so_far + following)
    free = standing_for(occurring(value), {"d": "d"})
    return Computed((o, value, {name: o[name] for name in "Sdg"}), free, r"S_{d+1} = S_d + d\,(a_{d+1} - a_d) > S_d")


def _sum_of_differences(found: tuple[Orthant, Element, Mapping[str, Element]], claim: Callable[..., Element]) -> None:
    space, value, known = found
    space.identical("the sum of differences", value, claim(known["S"], known["d"], known["g"]))


GAUSSIAN_RATE = Induction(
    "d",
    Argument(
        "One degree of freedom",
        "identity",
        _one_degree,
        lambda s, d, g: s + d * g,
        {"one": lambda s, d, g: s + d * g + 1},
        certified(_sum_of_differences),
    ),
    Argument(
        "One degree of freedom more",
        "identity",
        _degree_more,
        lambda s, d, g: s + d * g,
        {"no growth": lambda s, d, g: s, "once the difference": lambda s, d, g: s + g},
        certified(_sum_of_differences),
        explanation=r"$a_k = E \log \chi^2_k = \psi(k/2) + \log 2$ grows with $k$, as $\chi^2_{k+1}$ is $\chi^2_k$ and another "
        r"square. For a fixed $h$ the squares of $\lvert W h\rvert/(\sigma \lvert h\rvert)$ are $\chi^2_d$, independent "
        r"from layer to layer, and $\lvert\det W\rvert/\sigma^d$ is a product of independent $\chi_k$, $k = 1..d$. By the "
        r"law of large numbers $(1/L) \log(\lvert A x\rvert^d / \lvert\det A\rvert)$ tends to "
        r"$S_d/2 = \sum_{k<d} (a_d - a_k)/2 > 0$, and "
        r"$\kappa(A)^{d-1} \ge \lvert A x\rvert^d / (\lvert x\rvert^d \lvert\det A\rvert)$.",
    ),
)

TRIANGULAR = Citation(
    "gaussian-triangular",
    {
        "the entries are normal with mean zero": Condition(
            _normal_about_zero,
            lambda: replace(densities()[1], value=densities()[1].value.subs(_MEAN, 0)),
            lambda: densities()[1],
        ),
    },
)

LOGARITHMS = Citation(
    "strong-law",
    {
        **_INDEPENDENT_WITH_ONE_LAW,
        r"$E \log \chi^2_k = \psi(k/2) + \log 2$ is finite": Condition(
            lambda degrees: all(sympy.digamma(k * sympy.S.Half).is_finite is True for k in degrees),
            lambda: range(1, 9),
            lambda: (0, 1),
        ),
    },
)
