"""Deep linear networks: what depth represents, and the singular values of products of Gaussian layers (EX-4).

f(x) = W_L ... W_1 x, independent entries N(0, s^2/d), s^2 = 1 for Xavier's initialisation. For the product M let
sigma_1 >= ... >= sigma_d be its singular values and e_2 = sum_{i<j} sigma_i^2 sigma_j^2 = (tr(M^T M)^2 - tr((M^T M)^2)) / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb
from typing import Any

import numpy as np
import sympy

from resproof.numeric.backend import largest_modulus
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.lyapunov import deviations, exponents, mean_log_diagonals
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
    Measurement,
    Statement,
)
from resproof.proofs.theory.gaussian_layers import over_layer, same_strings, sizes_of
from resproof.proofs.theory.linear_networks import any_matrix
from resproof.symbolic.algebra.matrices import Matrix, matrix, multiply, scale, transpose
from resproof.symbolic.algebra.minors import minors
from resproof.symbolic.algebra.noncommutative import Words, minus, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.certificates import of_symbols
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.series import matrix_product
from resproof.symbolic.index.widths import inner_widths
from resproof.symbolic.scope import Scope

# Representation.

_LENGTHS = (1, 2, 3, 4, 5, 6)
_SHAPES = {"P": ("d", "r"), "Q": ("r", "d"), "U": ("d", "r"), "V": ("r", "d"), "X": ("d", "r"), "Y": ("r", "d")}
"""Layers are d x d, the map has rank at most r."""


def _layers_of(length: int) -> Words:
    """W_L ... W_1 with W_1 = U Q, W_i = U V, W_L = P V; P Q for a single layer."""
    if length == 1:
        return words("P Q")
    return word_product(words("P V"), *[words("U V")] * (length - 2), words("U Q"))


def _represented(_: Context) -> Computed:
    """The product of L layers built from a factorisation P Q, where V U = 1."""
    relation = {"V U": ""}
    found: dict[object, object] = {n: modulo(_layers_of(n), relation) for n in _LENGTHS}
    found["without V U = 1"] = modulo(_layers_of(3), {"U V": ""})
    scope = sizes(_SHAPES, *map(_layers_of, _LENGTHS))
    return Computed(found, Scope.over(L=_LENGTHS) & scope, r"(P V)(U V) \cdots (U V)(U Q) = P Q")


_REPRESENTED: dict[object, object] = {
    **{n: words("P Q") for n in _LENGTHS},
    "without V U = 1": words("P V U Q"),
}


def _one_more_layer(_: Context) -> Computed:
    """X V (U V) U Y less X V U Y, a layer U V within any product and none, with V U = 1 and without."""
    longer, shorter = words("X V U V U Y"), words("X V U Y")
    found = {
        name: minus(modulo(longer, relation), modulo(shorter, relation))
        for name, relation in {"V U = 1": {"V U": ""}, "no relation": {}}.items()
    }
    return Computed({name: not value for name, value in found.items()}, sizes(_SHAPES, longer, shorter))


_ONE_MORE = {"V U = 1": True, "no relation": False}


def _represented_by_numbers(_: Context) -> Computed:
    """P Q and the product of its L layers, for d = 3 and r = 1, 2, V = [I_r 0] and U = V^T."""
    found = {}
    for rank in (1, 2):
        p, q = (matrix([[(3 * i + 5 * j + k) % 7 - 2 for j in range(rank)] for i in range(3)]) for k in (0, 4))
        v = matrix([[int(i == j) for j in range(3)] for i in range(rank)])
        q, u = transpose(q), transpose(v)
        for layers in (2, 3, 4):
            factors = [multiply(p, v), *[multiply(u, v)] * (layers - 2), multiply(u, q)]
            found[layers, rank] = (reduce(multiply, factors), p, q)
    return Computed(
        found, Scope.of(*(f"L={layers}, d={len(p)}, r={rank}" for (layers, rank), (_, p, _) in found.items()))
    )


def _same_maps(
    found: Mapping[tuple[int, int], tuple[Matrix, Matrix, Matrix]], claim: Callable[[Matrix, Matrix], Matrix]
) -> None:
    for (layers, rank), (value, p, q) in found.items():
        if value != claim(p, q):
            raise Disagreement(f"L={layers}, rank {rank}: the product of the layers is {value}")


def _bottleneck(_: Context) -> Computed:
    """The inner widths of two and three layers of different widths, and of any number, seen from one hidden layer."""
    first, second, third = any_matrix("W1", "k", "d"), any_matrix("W2", "q", "k"), any_matrix("W3", "c", "q")
    two = matrix_product(second, first, "k")
    after, before = any_matrix("A", "c", "k"), any_matrix("B", "k", "d")
    parted = matrix_product(after, before, "k")
    found = {
        "one layer": inner_widths(first),
        "two": inner_widths(two),
        "three": inner_widths(matrix_product(third, two, "q")),
        "any number": inner_widths(parted),
    }
    scope = index_sizes.of_terms(parted, products={"A": "L", "B": "L"})
    return Computed(found, scope, r"\operatorname{rank} W_L \cdots W_1 \le \min_l k_l")


_BOTTLENECK = {
    "one layer": frozenset[str](),
    "two": frozenset({"k"}),
    "three": frozenset({"k", "q"}),
    "any number": frozenset({"k"}),
}

# Singular values.

_LAMBDA = (
    "1/2 * {0}[i,a] * {0}[i,b] * {0}[k,c] * {0}[k,e] * ",
    "A[a,j] * A[b,j] * A[c,l] * A[e,l] - ",
    "A[a,j] * A[b,l] * A[c,l] * A[e,j]",
)


def _second_volume(_: Context) -> Computed:
    """E e_2(W A) over W, for any matrix A."""
    text = f"{_LAMBDA[0]}{_LAMBDA[1]}{_LAMBDA[0]}{_LAMBDA[2]}".format("W")
    shown = r"\mathbb E\, e_2(W A) = s^4 (1 - \tfrac1d)\, e_2(A)"
    return Computed({"E e_2(W A)": over_layer(text)}, sizes_of(text, products={"A": "L"}), shown)


_E2 = "A[i,a] * A[i,a] * A[k,b] * A[k,b]", "A[i,a] * A[i,b] * A[k,b] * A[k,a]"


def _volume_claim(*factors: str) -> dict[str, str]:
    """(1/2) times the sum of the factors times (tr G^2 - tr(G^2))."""
    return {"E e_2(W A)": " + ".join(f"1/2 * {f} * {_E2[0]} + -1/2 * {f} * {_E2[1]}" for f in factors)}


def _ordered_squares(_: Context) -> Computed:
    """x_i = t_i + ... + t_d >= 0, the squares of the singular values, and e_2 by power sums, for d = 2..6."""
    t = sympy.symbols("t:6")
    found = dict[int, tuple[list[Any], Any]]()
    for d in range(2, 7):
        x = [sum(t[i:d], sympy.Integer(0)) for i in range(d)]
        powers = sum(x, sympy.Integer(0)) ** 2 - sum((v**2 for v in x), sympy.Integer(0))
        found[d] = (x, sympy.expand(powers / 2))
    return Computed((t, found), Scope.over(d=found), r"\sigma_2^4 \le \sigma_1^2 \sigma_2^2 \le e_2")


def _between(found: tuple[Any, Mapping[int, tuple[list[Any], Any]]], claim: Callable[[list[Any]], Any]) -> None:
    """Pass when x_2^2 <= claim <= e_2, by the signs of the coefficients.

    Raises:
        Disagreement: a coefficient of a difference is negative.
    """
    t, ordered = found
    for d, (x, e2) in ordered.items():
        for difference in (claim(x) - x[1] ** 2, e2 - claim(x)):
            if [c for c in sympy.Poly(sympy.expand(difference), *t).coeffs() if c < 0]:
                raise Disagreement(f"d={d}: {sympy.expand(difference)} has a negative coefficient")


def _one_more_value(_: Context) -> Computed:
    """e_2 by power sums p_1, p_2 of any number of values, with one more value x and without; the difference by powers."""
    p1, p2, x = sympy.symbols("p1 p2 x")
    step = sympy.Poly(((p1 + x) ** 2 - (p2 + x**2)) / 2 - (p1**2 - p2) / 2, p1, x)
    found = {tuple(powers): Fraction(str(c)) for powers, c in step.terms()}
    return Computed(found, of_symbols({"d": p1}, step), r"e_2' = e_2 + x\, p_1")


def _sign_matrices(d: int) -> list[Matrix]:
    return [matrix([values[i * d : (i + 1) * d] for i in range(d)]) for values in product((-1, 1), repeat=d * d)]


def _sign_means(_: Context) -> Computed:
    """The mean of e_2 of products of matrices with entries +-1, so that s^2 = d, by all their 2 x 2 minors."""
    found = dict[tuple[int, int], Fraction]()
    for d, layers in ((2, 1), (2, 2), (3, 1)):
        drawn = _sign_matrices(d)
        products = list(drawn)
        for _layer in range(layers - 1):
            products = [multiply(w, m) for w in drawn for m in products]
        found[d, layers] = sum((v * v for m in products for v in minors(m, 2)), Fraction(0)) / len(products)
    return Computed(found, Scope.of(*(f"d={d}, L={layers}, weights +-1" for d, layers in found)))


def _means_of_one(_: Context) -> Computed:
    """The mean of e_2 over all matrices with entries 0 and 2, of mean one and variance one, so that s^2 = 2."""
    drawn = [matrix([[a, b], [c, d]]) for a, b, c, d in product((0, 2), repeat=4)]
    found = sum((v * v for m in drawn for v in minors(m, 2)), Fraction(0)) / len(drawn)
    return Computed(found, Scope.of("d=2, L=1, weights 0 and 2"))


def _same_means(found: Mapping[tuple[int, int], Fraction], claim: Callable[[int], Fraction]) -> None:
    for (d, layers), mean in found.items():
        if mean != comb(d, 2) * claim(d) ** layers:
            raise Disagreement(f"d={d}, L={layers}: the mean of e_2 is {mean}")


# Evidence.

_ERRORS = 6.0


@dataclass(frozen=True, slots=True)
class DiagonalGrowth:
    """(1/L) log of the diagonals of R along one product, i = 1..d."""

    rates: np.ndarray
    layers: int
    s2: float
    seed: int


def growth(layers: int, s2: float) -> Callable[[Context], Computed]:
    """One product of L Gaussian matrices of the data's width, by successive QR decompositions."""

    def compute(context: Context) -> Computed:
        d, seed = len(context.data.X), context.seed + 11
        rates = mean_log_diagonals(layers, d, s2, seed)
        return Computed(DiagonalGrowth(rates, layers, s2, seed), Scope.of(f"L={layers}, d={d}, s^2={s2:g}"))

    return compute


def near_exponents(found: DiagonalGrowth, claim: Callable[[int, float], np.ndarray]) -> Measurement:
    """The greatest distance of a growth rate from the claimed exponent, in standard deviations of the mean."""
    d = len(found.rates)
    scaled = (found.rates - claim(d, found.s2)) / (deviations(d) / found.layers**0.5)
    derivation = r"six standard deviations $\psi'((d - i + 1)/2)^{1/2} / (2 \sqrt{L})$ of a mean of independent log chi variables"
    probability = f"{d} * 2e-9 in the normal approximation; at most {d}/36 by Chebyshev's inequality"
    at = f"L={found.layers}, d={d}, s^2={found.s2:g}"
    name = r"$\max \lvert\text{growth rate} - \mu_i\rvert$ in standard deviations"
    size = largest_modulus(claim(d, found.s2) / (deviations(d) / found.layers**0.5))
    return Measurement(name, largest_modulus(scaled), _ERRORS, at, found.seed, derivation, probability, scale=size)


_RATES = {
    "all singular values stay": lambda d, s2: np.zeros(d),
    "all fall alike": lambda d, s2: np.full(d, exponents(d, s2)[0]),
    "the logarithm of the mean square": lambda d, s2: np.log(s2 * np.arange(d, 0, -1) / d) / 2,
    "one degree of freedom off": lambda d, s2: exponents(d + 1, s2 * (d + 1) / d)[:-1],
}

ONE_WIDTH = Hypothesis(
    "all layers have one width",
    lambda widths: len(set(widths)) == 1,
    fails_on=(2, 1, 2),
    holds_on=(2, 2, 2),
    printed=False,
    needed=Argument(
        "A narrow layer bounds the rank",
        "index notation",
        _bottleneck,
        _BOTTLENECK,
        {
            PRINTED: dict.fromkeys(_BOTTLENECK, frozenset[str]()),
            "only the last one matters": {**_BOTTLENECK, "three": frozenset({"q"})},
        },
        explanation="One layer is any matrix; two layers with $k$ hidden units between have at most the rank $k$.",
    ),
)

EX4 = Statement(
    id="EX-4",
    title="Depth of linear networks: what they represent, and the singular values of Gaussian products",
    source=source(
        "I",
        "section 3.1",
        "increasing their depths will not affect the representational power ... most of the singular values are close to zero",
    ),
    latex=r"P(\sigma_2 \ge \varepsilon) \le \varepsilon^{-4}\, \mathbb E\, e_2 = \varepsilon^{-4} \binom d2 \Bigl(s^4 \bigl(1 - \tfrac1d\bigr)\Bigr)^{L}",
    clauses=(
        Clause(
            "Linear networks represent the same maps at any depth.",
            {"L": 1, "d": 1},
            (
                Induction(
                    "L",
                    Argument(
                        "Any product $P Q$ as a product of $L$ layers",
                        "identity",
                        _represented,
                        _REPRESENTED,
                        {
                            "it takes no $V U = 1$": {**_REPRESENTED, "without V U = 1": words("P Q")},
                            "$Q P$": {**_REPRESENTED, 3: words("Q P")},
                        },
                        explanation=r"A matrix of rank $r$ is $P Q$ of inner width $r$; $V = [I_r,\, 0]$ and $U = V^{\mathsf T}$ "
                        "exist wherever the width is at least $r$. For equal widths $U = V = I$. Conversely a product of "
                        "matrices is a matrix.",
                    ),
                    Argument(
                        "One more layer inside",
                        "identity",
                        _one_more_layer,
                        _ONE_MORE,
                        {
                            "whatever $V$ and $U$ are": {**_ONE_MORE, "no relation": True},
                            "it changes the product": {**_ONE_MORE, "V U = 1": False},
                        },
                        explanation="$X$ and $Y$ stand for whatever is after and before it.",
                    ),
                ),
                Argument(
                    "Products of two to four layers in numbers",
                    "explicit",
                    _represented_by_numbers,
                    multiply,
                    {
                        r"$P P^{\mathsf T}$": lambda p, q: multiply(p, transpose(p)),
                        "twice as large": lambda p, q: scale(Fraction(2), multiply(p, q)),
                    },
                    _same_maps,
                ),
            ),
            changes=(
                Change(
                    "increasing their depths will not affect the representational power",
                    "all layers have one width",
                    kept=True,
                ),
            ),
            hypotheses=(ONE_WIDTH,),
        ),
        Clause(
            "With independent entries of mean zero and variance $s^2/d$, $E e_2 = C(d,2) (s^4 (1 - 1/d))^L$ for "
            r"$e_2 = \sum_{i<j} \sigma_i^2 \sigma_j^2$ of the product, and with probability at least $1 - E e_2 / \varepsilon^4$ all "
            r"singular values but the greatest are below $\varepsilon$: they tend to zero with depth where $s^4 (1 - 1/d) < 1$, as "
            "at $s^2 = 1$.",
            {"L": 1, "d": 2},
            (
                Argument(
                    "The second volume under one more random layer",
                    "index notation",
                    _second_volume,
                    _volume_claim("s^4", "-1 * s^4 * d^-1"),
                    {
                        "it is kept": _volume_claim("s^4"),
                        "$1 - 2/d$": _volume_claim("s^4", "-2 * s^4 * d^-1"),
                        "$s^2$ in place of $s^4$": _volume_claim("s^2", "-1 * s^2 * d^-1"),
                    },
                    same_strings,
                    explanation="By Isserlis' theorem. The layers are independent, so the factors multiply, from $e_2(I) = C(d,2)$: "
                    r"for every $L$. At $s^2 \le 1$ it falls to zero for every $d \ge 2$; $\sigma_1$ does not in mean "
                    r"square, $E\, \mathrm{tr}(M^{\mathsf T} M) = s^{2L} d$. Markov's inequality for $\sigma_2^4 \le e_2$ "
                    "gives the probability.",
                ),
                Induction(
                    "d",
                    Argument(
                        r"$\sigma_2^4 \le \sigma_1^2 \sigma_2^2 \le e_2$",
                        "inequality",
                        _ordered_squares,
                        lambda x: x[0] * x[1],
                        {
                            r"$\sigma_1^4 \le e_2$": lambda x: x[0] ** 2,
                            r"$2 \sigma_1^2 \sigma_2^2 \le e_2$": lambda x: 2 * x[0] * x[1],
                            r"$\sigma_2^4 \le \sigma_1^2 \sigma_2^2 / 2$": lambda x: x[0] * x[1] / 2,
                        },
                        _between,
                        explanation=r"With $x_i = t_i + \cdots + t_d$ both differences are polynomials in $t \ge 0$ without negative coefficients.",
                    ),
                    Argument(
                        "One more singular value, not greater than the others",
                        "inequality",
                        _one_more_value,
                        {(1, 1): Fraction(1)},
                        {"$e_2$ stays": {}, "by its square": {(0, 2): Fraction(1)}, "it falls": {(1, 1): Fraction(-1)}},
                        explanation=r"$p_1$ and $x$ are sums of squares, so that $e_2$ grows, and $\sigma_1$ and $\sigma_2$ stay.",
                    ),
                ),
                Argument(
                    r"All matrices with entries $\pm1$, minor by minor",
                    "explicit",
                    _sign_means,
                    lambda d: Fraction(d) ** 2 * (1 - Fraction(1, d)),
                    {
                        "it is kept": lambda d: Fraction(d) ** 2,
                        "$1 - 2/d$": lambda d: Fraction(d) ** 2 * (1 - Fraction(2, d)),
                        "$1 - 1/d^2$": lambda d: Fraction(d) ** 2 * (1 - Fraction(1, d * d)),
                    },
                    _same_means,
                    explanation="A minor has each entry to the first power, so that of entries of mean zero only the variance enters.",
                ),
                Argument(
                    "All matrices with entries 0 and 2, whose mean is 1",
                    "explicit",
                    _means_of_one,
                    Fraction(6),
                    {"as at mean zero, $s^4 (1 - 1/d)$": Fraction(2)},
                    explanation="The variance is 1: the mean enters, so that it has to be zero.",
                ),
            ),
        ),
    ),
    evidence=(
        Argument(
            "Growth rates of volumes along a product of 1000 layers",
            "floating point",
            growth(1000, 1.0),
            exponents,
            _RATES,
            near_exponents,
            explanation="The diagonals of $R$ have independent logarithms of known mean and variance at every layer.",
        ),
        Argument(
            r"Growth rates of volumes along a product of $2 \cdot 10^4$ layers",
            "floating point",
            growth(2 * 10**4, 1.0),
            exponents,
            _RATES,
            near_exponents,
            explanation="All rates are negative at $s^2 = 1$: even the greatest singular value falls, though not in mean square.",
            deep=True,
        ),
    ),
    notes=r"Most is read as all but the greatest, close to zero as tending to zero with depth, for $d \ge 2$. For $s^2 > 1$ the "
    r"singular values need not be small, but their ratios are: the exponents $\mu_i$ are distinct whatever $s^2$ is.",
)

STATEMENTS = (EX4,)
