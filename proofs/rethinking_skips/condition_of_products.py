"""The condition number of hidden representations H^L = A_L X, and the bound that does not depend on depth.

A_L = V D V^{-1} is the product of L layers with common eigenvectors, D = diag_i prod_l mu_i^l. kappa is
sigma_max / sigma_min; for H^L of shape d x m with m >= d the d-th singular value is the least one. The last part is
about layers I + W^l with |W^l|_2 <= a/L and asks for no common eigenvectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import cycle
from typing import Any, TypeAlias

from resproof.proofs.rethinking_skips.depth_products import (
    LayerStretch,
    SeriesClaim,
    depth_series,
    log_series,
    stays_between,
    stretch,
    sum_squared,
)
from resproof.proofs.rethinking_skips.joint_families import (
    Family,
    family,
    turned,
)
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction
from resproof.symbolic.algebra.matrices import Matrix, add, eye, inverse, matrix, multiply, rank, scale, transpose
from resproof.symbolic.algebra.noncommutative import Relations, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.toeplitz import squared_condition
from resproof.symbolic.certificates import Element, Orthant, occurring, orthant, standing_for
from resproof.symbolic.scope import Scope

_WIDE: Relations = {"V' V": "", "X G": ""}


@dataclass(frozen=True, slots=True)
class FactorCounts:
    """H = V D V' X and D = V' H G V, X G = 1: what is left of it, and how often V and X stand beside D and H."""

    remainder: str
    upper: Mapping[str, int]
    lower: Mapping[str, int]


def _counted(word: str, inner: str) -> dict[str, int]:
    letters = [letter.rstrip("'") for letter in word.split() if letter != inner]
    # G is X's right inverse of the same condition number.
    return {name: sum(letter in {name, other} for letter in letters) for name, other in (("V", "V"), ("X", "G"))}


_SHAPES = {
    **dict.fromkeys(("V", "V'", "D", "A"), ("d", "d")),
    **dict.fromkeys(("H", "X"), ("d", "m")),
    "G": ("m", "d"),
}


def _factors(h: str, back: str, inner: str) -> tuple[FactorCounts, Scope]:
    """H = h and inner = back, which has H in it; `inner` is the product of so many layers as there are."""
    left, right = back.split("H")
    remainder = modulo(word_product(words(left.strip()), words(h), words(right.strip())), _WIDE)
    scope = sizes(_SHAPES, words(h), words(back), remainder, products={inner: "L"})
    return FactorCounts(show_words(remainder), _counted(h, inner), _counted(back, "H")), scope


def _condition_factors(_: Context) -> Computed:
    shown = r"\frac{1}{\kappa(V)^2 \kappa(X)} \le \frac{\kappa(H^L)}{\kappa(D)} \le \kappa(V)^2 \kappa(X)"
    return Computed(*_factors("V D V' X", "V' H G V", "D"), shown)


_TWICE = {"V": 2, "X": 1}

CONDITION_FACTORS = Argument(
    r"$\kappa(H^L)$ and $\kappa(D)$ within $\kappa(V)^2 \kappa(X)$ of each other",
    "identity",
    _condition_factors,
    FactorCounts("+1 D", _TWICE, _TWICE),
    {
        r"$\kappa(V)$ once": FactorCounts("+1 D", {"V": 1, "X": 1}, {"V": 1, "X": 1}),
        r"without $\kappa(X)$": FactorCounts("+1 D", {"V": 2, "X": 0}, {"V": 2, "X": 0}),
    },
    explanation=r"$\sigma_{\min}(A) \lvert y\rvert \le \lvert A^{\mathsf T} y\rvert \le \sigma_{\max}(A) \lvert y\rvert$, so "
    r"condition numbers of products are at most the products of condition numbers, and $\kappa(V^{-1}) = \kappa(V)$. $G$ "
    r"is the right inverse of $X$ with $\kappa(G) = \kappa(X)$, where $X$ has rank $d$; the rows of $H$ are combinations "
    r"of those of $X$, on which $G^{\mathsf T}$ loses nothing. "
    r"$\kappa(D) = \max_i \prod_l \lvert\mu_i^l\rvert / \min_i \prod_l \lvert\mu_i^l\rvert$. In particular $H^L$ has rank "
    r"$d$ exactly when $\mathrm{rank}\, X = d$ and no $\mu_i^l$ is zero, at every finite $L$. For orthogonal $V$ and "
    "$X = I$ both factors are 1; the multipliers $1 + a/L$ and $1 - a/L$ then give $((1 + a/L)/(1 - a/L))^L$.",
)


@dataclass(frozen=True, slots=True)
class EnclosedConditions:
    """Enclosures of kappa^2 of H, V, X and D, exactly."""

    name: str
    h: Any
    v: Any
    x: Any
    d: Any


_X = matrix([[1, 2, 0], [0, 1, 1]])
_SHEAR = matrix([[1, 1], [0, Fraction(1, 8)]])


def _condition_instances(_: Context) -> Computed:
    cases = {
        "plain, orthogonal V, X = I, L = 3": (family([[2, 1]], shortcut=False, vectors=turned()), 3, eye(2)),
        "shortcuts, sheared V, X = I, L = 1": (family([[0, -2]], shortcut=True, vectors=_SHEAR), 1, eye(2)),
        "plain, V = I, 2 x 3 data, L = 2": (family([[3, 1]], shortcut=False), 2, _X),
        "plain, V = I, D = I, 2 x 3 data, L = 2": (family([[1, 1]], shortcut=False), 2, _X),
        "shortcuts, sheared V, 2 x 3 data, L = 2": (
            family([[2, Fraction(-1, 2)]], shortcut=True, vectors=_SHEAR),
            2,
            _X,
        ),
    }
    found = []
    for name, (one, depth, x) in cases.items():
        product = one.product(depth)
        back = multiply(multiply(inverse(one.vectors), product), one.vectors)
        pair = (multiply(product, x), x)
        h, own = (squared_condition(transpose(each)) for each in pair)
        found.append(EnclosedConditions(name, h, squared_condition(one.vectors), own, squared_condition(back)))
    return Computed(found, Scope.of(*cases))


def _within_factors(found: Sequence[EnclosedConditions], claim: tuple[int, int]) -> None:
    """Pass when kappa(H) / kappa(D) is between kappa(V)^-v kappa(X)^-x and kappa(V)^v kappa(X)^x, for the claimed (v, x).

    Raises:
        Disagreement: it is certainly not.
    """
    v, x = claim
    for one in found:
        factor = one.v.high**v * one.x.high**x
        if one.h.low > factor * one.d.high or one.d.low > factor * one.h.high:
            raise Disagreement(f"{one.name}: kappa(H) / kappa(D) is outside kappa(V)^{v} kappa(X)^{x}")


CONDITION_INSTANCES = Argument(
    "The factor on exact matrices",
    "explicit",
    _condition_instances,
    (2, 1),
    {r"$\kappa(V)$ once": (1, 1), r"without $\kappa(X)$": (2, 0), r"without $\kappa(V)$": (0, 1)},
    _within_factors,
    explanation=r"Squares of singular values enclosed by inertia counts. The sheared $V$, with $\kappa(V)$ about 16, and the layer "
    r"$\mathrm{diag}(1, -1)$ need the square.",
)


# Ranks.


def _rank_kept(_: Context) -> Computed:
    """V Q V' H for H = V P V' X, with and without Q P = 1."""
    back = words("V Q V' V P V' X")
    similar: Relations = {"V' V": "", "V V'": ""}
    found = {
        "V Q V' H": show_words(modulo(back, {**similar, "Q P": ""})),
        "any P": show_words(modulo(back, similar)),
    }
    shapes = {**dict.fromkeys(("V", "V'", "P", "Q"), ("d", "d")), "X": ("d", "m")}
    return Computed(found, sizes(shapes, back, products={"P": "L"}), r"V P^{-1} V^{-1}\, H^L = X")


_RANK_KEPT = {"V Q V' H": "+1 X", "any P": "+1 V Q P V' X"}

RANK_KEPT = Argument(
    "Where no multiplier is zero $H^L$ has the rank of $X$",
    "identity",
    _rank_kept,
    _RANK_KEPT,
    {"whatever the multipliers are": {**_RANK_KEPT, "any P": "+1 X"}, "$X$ is lost": {**_RANK_KEPT, "V Q V' H": "0"}},
    explanation="$H = V P V^{-1} X$ with the products of the multipliers in $P$, and $Q = P^{-1}$: each of $H$ and $X$ is a multiple of "
    "the other.",
)


def _ranks_of_networks(_: Context) -> Computed:
    """The rank of H^L by elimination, L = 1 and 3, for data of full rank with more and with fewer samples than units."""
    found = {}
    for d in (2, 3):
        values = (Fraction(3), Fraction(-1, 3), Fraction(2))[:d]
        vectors = matrix([[int(j >= i) for j in range(d)] for i in range(d)])
        for kind, paths in {"plain": [values], "residual": [values], "two paths": [values, values]}.items():
            one = family(paths, shortcut=kind != "plain", vectors=vectors)
            for m in (1, 2, 3, 4):
                x = matrix([[(j + 1) ** i for j in range(m)] for i in range(d)])
                found |= {(kind, d, m, depth): found_rank for depth, found_rank in ranks(one, x, (1, 3)).items()}
    return Computed(found, Scope.of("plain, residual and two paths, d=2, 3, m=1..4, L=1, 3"))


def _full_ranks(found: Mapping[tuple[str, int, int, int], int], claim: Callable[[str, int, int], int]) -> None:
    for (kind, d, m, depth), value in found.items():
        if value != claim(kind, d, m):
            raise Disagreement(f"{kind}, d={d}, m={m}, L={depth}: the rank is {value}, not {claim(kind, d, m)}")


RANKS_RUN = Argument(
    "Layers multiplied, and ranks by elimination",
    "explicit",
    _ranks_of_networks,
    lambda kind, d, m: min(d, m),
    {
        "the width, whatever $m$ is": lambda kind, d, m: d,
        "the number of samples": lambda kind, d, m: m,
        "one less in plain networks": lambda kind, d, m: min(d, m) - (kind == "plain"),
    },
    _full_ranks,
    explanation=r"Eigenvectors that are not orthogonal; the columns of $X$ are $(1, t, t^2)$ for $t = 1, \ldots, m$.",
)

FULL_RANK = nonzero_at(
    r"The minors of $X$ and the product of all multipliers are not zero everywhere",
    {
        "H G where m >= d": At("V P V' E E' V Q V'", {"E E'": "", "V' V": "", "P Q": "", "V V'": ""}),
        "G H where m <= d": At("F' V Q V' V P V' F", {"F' F": "", "V V'": "", "V' V": "", "Q P": ""}),
    },
    {
        **dict.fromkeys(("V", "V'", "P", "Q"), ("d", "d")),
        **dict.fromkeys(("E", "F"), ("d", "m")),
        **dict.fromkeys(("E'", "F'"), ("m", "d")),
    },
    products={"P": "L"},
    explanation=r"Polynomials in the eigenvalues and in $X$, for each $V$: $\prod_l \prod_i \mu_i^l$, which is one where all layers are the "
    "identity, and the sum of the squares of the greatest minors of $X$, which is one at $X = E = [I, 0]$ for $m \\ge d$ and at "
    "$X = F = E'$ for $m \\le d$. There $H^L$ has a one-sided inverse $G$.",
    shown=r"E E^{\mathsf T} = I_d \ (m \ge d), \qquad E^{\mathsf T} E = I_m \ (m \le d)",
)


# ||W^l|| <= a/L.


def _data_factor(_: Context) -> Computed:
    return Computed(
        *_factors("A X", "1 H G", "A"), r"\frac{1}{\kappa(X)} \le \frac{\kappa(H^L)}{\kappa(A_L)} \le \kappa(X)"
    )


_DATA_ONCE = {"V": 0, "X": 1}

DATA_FACTOR = Argument(
    r"$\kappa(A X)$ and $\kappa(A)$ within $\kappa(X)$ of each other",
    "identity",
    _data_factor,
    FactorCounts("+1 A", _DATA_ONCE, _DATA_ONCE),
    {
        r"without $\kappa(X)$": FactorCounts("+1 A", {"V": 0, "X": 0}, {"V": 0, "X": 0}),
        r"$\kappa(X)$ twice": FactorCounts("+1 A", {"V": 0, "X": 2}, {"V": 0, "X": 2}),
    },
    explanation="$H = A X$ and $A = H G$, $G$ the right inverse of $X$, which has rank $d$: $H$ is as ill-conditioned as $A$ up to "
    r"$\kappa(X)$, from below too. $A$ is the product of the layers, whatever they are.",
)


def _triangle_bounds() -> LayerStretch:
    """|y + u|^2 for |u| <= r = w |y|, with |y| and r: |u| = u, r = u + s and any cosine; r <= |y| = r + t for the lower bound."""
    o = orthant(nonnegative="y u s e")
    above, scope = sum_squared(o["y"], o["u"], 1 - o["e"])
    p = orthant(nonnegative="u s t e")
    r = p["u"] + p["s"]
    below, other = sum_squared(r + p["t"], p["u"], p["e"] - 1)
    return LayerStretch((o, above, o["y"], o["u"] + o["s"]), (p, below, r + p["t"], r), scope & other)


def _triangle(_: Context) -> Computed:
    found = _triangle_bounds()
    return Computed(found, found.sizes, r"(1 - w)\,|y| \le |(I + W)\,y| \le (1 + w)\,|y|, \qquad |W|_2 \le w < 1")


LAYER_BOUNDS = Argument(
    "What one layer stretches at most and at least",
    "inequality",
    _triangle,
    (lambda y, r: y + r, lambda y, r: y - r),
    {
        "half the norm above": (lambda y, r: y + r / 2, lambda y, r: y - r),
        "half the norm below": (lambda y, r: y + r, lambda y, r: y - r / 2),
        "an isometry": (lambda y, r: y, lambda y, r: y),
    },
    certified(stays_between),
    explanation=r"$r = w \lvert y\rvert$ and $u = W y$ with $\lvert W\rvert_2 \le w = a/L < 1$, $y$ the output of the layers before: "
    "the bounds multiply to $(1 + w)^L$ and $(1 - w)^L$.",
)


def _first_layer(_: Context) -> Computed:
    found = _triangle_bounds()
    return Computed(found, Scope.over(L=1) & found.sizes)


def _layer_more(_: Context) -> Computed:
    found = stretch()
    shown = r"\prod_l (1 - w_l)\,|x| \le |A_L x| \le \prod_l (1 + w_l)\,|x|, \qquad \|W^l\|_2 \le w_l < 1"
    return Computed(found, found.sizes, shown)


PRODUCT_BOUNDS = Induction(
    "L",
    replace(LAYER_BOUNDS, title="The first layer", compute=_first_layer),
    Argument(
        "One layer more",
        "inequality",
        _layer_more,
        (lambda most, w: most * (1 + w), lambda least, w: least * (1 - w)),
        {
            "half the norm above": (lambda most, w: most * (1 + w / 2), lambda least, w: least * (1 - w)),
            "half the norm below": (lambda most, w: most * (1 + w), lambda least, w: least * (1 - w / 2)),
            "the norm of this layer alone": (lambda most, w: 1 + w, lambda least, w: 1 - w),
        },
        certified(stays_between),
        explanation=r"Layers so far that stretch by $m$ to $M$, $I + W$ with $\lvert W\rvert_2 \le w$: so "
        r"$\kappa(A_L) \le \prod (1 + w_l)/(1 - w_l)$, whatever the eigenvectors.",
    ),
)
"""prod (1 - w_l) <= |A_L x|/|x| <= prod (1 + w_l)."""


Enclosed: TypeAlias = Mapping[str, Any]
"""kappa^2 of prod (I + W^l) where W^l = w_l diag(1, -1), and where the layers do not commute."""


def _aligned_and_mixed(norms: Sequence[Fraction]) -> Enclosed:
    """The two products, for layers with |W^l| = w_l."""
    flip, swap = matrix([[1, 0], [0, -1]]), matrix([[0, 1], [1, 0]])
    aligned = mixed = eye(2)
    for w, other in zip(norms, cycle((flip, swap, turned())), strict=False):
        aligned = multiply(add(eye(2), scale(w, flip)), aligned)
        mixed = multiply(add(eye(2), scale(w, other)), mixed)
    return {"diag(1, -1)": squared_condition(aligned), "not commuting": squared_condition(mixed)}


def _attained(found: Mapping[Any, Enclosed], claim: Callable[[Any], Fraction]) -> None:
    """Pass when kappa is at most the claimed bound, and reaches it for diag(1, -1).

    Raises:
        Disagreement: it is not, or the bound is not attained.
    """
    for at, squares in found.items():
        bound = claim(at) ** 2
        for name, square in squares.items():
            if square.low > bound or (name == "diag(1, -1)" and square.high < bound):
                raise Disagreement(f"{name}, {at}: kappa^2 is about {float(square.low):.4g}, not {float(bound):.4g}")


def _varied_instances(_: Context) -> Computed:
    norms = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 7))
    found = {norms[:depth]: _aligned_and_mixed(norms[:depth]) for depth in range(1, len(norms) + 1)}
    return Computed(found, Scope.of("d=2, L=1, 2, 3"))


def _attained_by_factors(found: Mapping[tuple[Fraction, ...], Enclosed], claim: Callable[[Fraction], Fraction]) -> None:
    """The same for the product of the claimed factors of the layers."""
    _attained(found, lambda norms: math.prod(map(claim, norms), start=Fraction(1)))


VARIED_INSTANCES = Argument(
    r"Layers of different norms; $\mathrm{diag}(1, -1)$ attains the bound",
    "explicit",
    _varied_instances,
    lambda w: (1 + w) / (1 - w),
    {
        "$1 + w$": lambda w: 1 + w,
        "$1/(1 - w)$": lambda w: 1 / (1 - w),
        "$(1 + 2w)/(1 - w)$": lambda w: (1 + 2 * w) / (1 - w),
    },
    _attained_by_factors,
)


def _on_other_data(_: Context) -> Computed:
    """kappa(H) over kappa(X) ((1 + w)/(1 - w))^4, H = (I + W)^4 X, W = w diag(1, -1), w = 3/10, by the diagonal of X."""
    w, depth = Fraction(3, 10), 4
    layers = reduce(multiply, [matrix([[1 + w, 0], [0, 1 - w]])] * depth)

    def kappa(diagonal: Matrix) -> Fraction:
        return max(diagonal[0][0], diagonal[1][1]) / min(diagonal[0][0], diagonal[1][1])

    found = dict[tuple[int, int], Fraction]()
    for one in ((1, 1), (2, 1), (1, 2)):
        x = matrix([[one[0], 0], [0, one[1]]])
        found[one] = kappa(multiply(layers, x)) / (kappa(x) * ((1 + w) / (1 - w)) ** depth)
    return Computed(found, Scope.of("d=m=2, L=4"))


_ON_OTHER_DATA = {(1, 1): Fraction(1), (2, 1): Fraction(1), (1, 2): Fraction(1, 4)}

ON_OTHER_DATA = Argument(
    r"$\mathrm{diag}(1, -1)$ attains the bound at $X = I$ and not at $X = \mathrm{diag}(1, 2)$",
    "explicit",
    _on_other_data,
    _ON_OTHER_DATA,
    {
        "whatever $X$ is": dict.fromkeys(_ON_OTHER_DATA, Fraction(1)),
        r"half of it at $\mathrm{diag}(1, 2)$": {**_ON_OTHER_DATA, (1, 2): Fraction(1, 2)},
    },
    explanation=r"$X = \mathrm{diag}(1, 2)$ stretches where the layers shrink.",
)


def _one_path(_: Context) -> Computed:
    found = _triangle_bounds()
    return Computed(found, Scope.over(paths=1) & found.sizes)


def _paths_bound(_: Context) -> Computed:
    """|u + v|^2 for the images u and v of y under the paths so far and under one more, |u| <= r, |v| <= t."""
    o = orthant(nonnegative="u v p q e")
    square, scope = sum_squared(o["u"], o["v"], 1 - o["e"])
    return Computed((o, square, o["u"] + o["p"], o["v"] + o["q"]), scope, r"|S y + W y| \le (s + w)\,|y|")


def _at_most(found: tuple[Orthant, Element, Element, Element], claim: Callable[..., Element]) -> None:
    space, square, r, t = found
    space.at_least_zero("the bound", claim(r, t) ** 2 - square)


PATHS_BOUND = Induction(
    "paths",
    replace(LAYER_BOUNDS, title="One path", compute=_one_path),
    Argument(
        "One path more",
        "inequality",
        _paths_bound,
        lambda r, t: r + t,
        {"the greater norm": lambda r, t: r, "the mean": lambda r, t: (r + t) / 2},
        certified(_at_most),
        explanation=r"$r = s \lvert y\rvert$, $t = w \lvert y\rvert$: several paths together have the norm "
        r"$\sum_k \lvert W^{l,k}\rvert_2$ at most.",
    ),
)
"""|sum_k W^{l,k}|_2 <= sum_k |W^{l,k}|_2, and what a layer of so many paths stretches."""


def _series(_: Context) -> Computed:
    shown = r"L \log\frac{1 + a/L}{1 - a/L} = 2a \sum_{j \ge 0} \frac{(a/L)^{2j}}{2j + 1} \downarrow 2a"
    found = log_series()
    return Computed(found, found.sizes, shown)


DEPTH_SERIES = Argument(
    "$((1 + a/L)/(1 - a/L))^L$ decreases to $e^{2a}$",
    "identity",
    _series,
    SeriesClaim(lambda j: 2 / (2 * j + 1), Fraction(2), Fraction(2, 3)),
    {
        "to $e^a$": SeriesClaim(lambda j: 1 / (2 * j + 1), Fraction(1), Fraction(1, 3)),
        "$c(j) = 2/(2j + 2)$": SeriesClaim(lambda j: 2 / (2 * j + 2), Fraction(1), Fraction(1, 2)),
        "half the tail": SeriesClaim(lambda j: 2 / (2 * j + 1), Fraction(2), Fraction(1, 3)),
        "it tends to 1": SeriesClaim(lambda j: 2 / (2 * j + 1), Fraction(0), Fraction(2, 3)),
        "it increases": SeriesClaim(lambda j: 2 / (2 * j + 1), Fraction(2), Fraction(2, 3), falls=-1),
    },
    certified(depth_series),
    explanation="All coefficients are positive and stand beside $L^{-2j}$, so the logarithm falls strictly in $L$, and its distance "
    "from $2a$ is at most $(2/3) a x^2/(1 - x^2)$, $x = a/L$.",
)


def _scaled_instances(_: Context) -> Computed:
    """|W^l| = a/L in every layer, a = 1."""
    found = {depth: _aligned_and_mixed((Fraction(1, depth),) * depth) for depth in (2, 3, 5, 8)}
    return Computed(found, Scope.of("a=1, d=2, L=2, 3, 5, 8"))


SCALED_INSTANCES = Argument(
    r"The bound on exact matrices, commuting and not; $\mathrm{diag}(1, -1)$ attains it",
    "explicit",
    _scaled_instances,
    lambda depth: (Fraction(depth + 1) / (depth - 1)) ** depth,
    {
        "the power $L - 1$": lambda depth: (Fraction(depth + 1) / (depth - 1)) ** (depth - 1),
        "$(1 + a/L)^L$": lambda depth: Fraction(depth + 1, depth) ** depth,
        "one layer more": lambda depth: (Fraction(depth + 1) / (depth - 1)) ** (depth + 1),
    },
    _attained,
)


# sigma_max^d and the determinant.


def _first_power(_: Context) -> Computed:
    """sigma_1^d / prod sigma_i for d = 2, against kappa = sigma_1/sigma_2."""
    o = orthant("s", "t")
    least, most = o["s"], o["s"] + o["t"]
    return Computed((o, most**2 / (least * most), most / least, 0 * most + 1), Scope.over(d=2))


def _power_more(_: Context) -> Computed:
    """p less something for d singular values, p = kappa^(d-1), with one more between the least and the greatest."""
    o = orthant("s p", "t u q")
    least, value, before = o["s"], o["s"] + o["t"], o["p"] / (1 + o["q"])
    most = value + o["u"]
    free = standing_for(occurring(before), {"p": "d"})
    return Computed(
        (o, before * most / value, most / least, o["p"]), free, r"\sigma_{\max}^d / |\det| \le \kappa^{d-1}"
    )


def _at_most_a_power(found: tuple[Orthant, Element, Element, Element], claim: Callable[[Element], Element]) -> None:
    space, share, kappa, before = found
    space.at_least_zero("a power of kappa", claim(kappa) * before - share)


POWERS = Induction(
    "d",
    Argument(
        r"$\kappa$ for $d = 2$",
        "inequality",
        _first_power,
        lambda kappa: kappa,
        {"one": lambda kappa: 0 * kappa + 1, "its inverse": lambda kappa: 1 / kappa},
        certified(_at_most_a_power),
    ),
    Argument(
        "One more singular value",
        "inequality",
        _power_more,
        lambda kappa: kappa,
        {"no more than before": lambda kappa: 0 * kappa + 1, "the inverse": lambda kappa: 1 / kappa},
        certified(_at_most_a_power),
        explanation=r"$\sigma_{\max}^d \le \kappa^{d-1} \lvert\det\rvert$. For $P M Q$ with diagonal $P$ and $Q$ "
        r"$\sigma_{\max} \ge \lvert p_1 m_{11} q_1\rvert$ and $\det = \det M \prod p_i q_i$.",
    ),
)


def ranks(one: Family, x: Matrix, depths: Sequence[int]) -> dict[int, int]:
    """The rank of H^L at these depths."""
    return {depth: rank(multiply(one.product(depth), x)) for depth in depths}
