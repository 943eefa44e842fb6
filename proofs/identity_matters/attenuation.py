"""Plain linear networks with Gaussian weights: the expected squared gradient against depth (EX-11).

f(x) = W_L ... W_1 x, independent entries N(0, s^2/d), one sample, cost |y - f|^2 / 2, so that dE/dW_l = A^T (f - y) h^T with
A = W_L ... W_{l+1} and h = W_{l-1} ... W_1 x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import sympy

from resproof.proofs.changes import Change
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.plain_gradients import first_gradients, random_layers
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Disagreement,
    Hypothesis,
    Measurement,
    Statement,
)
from resproof.proofs.theory.gaussian_layers import KNOWN, expected, same_strings
from resproof.proofs.theory.linear_networks import gradient, partly_at, written_out
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.certificates import Element, occurring, orthant, standing_for, substitute
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.moments import gaussian_moment
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope

_ERRORS = 6.0

_TRACES = {
    "tr": "A[p,a] * {0}[a,i] * A[p,b] * {0}[b,j] * A[q,c] * {0}[c,i] * A[q,e] * {0}[e,j]",
    "tr^2": "A[p,a] * {0}[a,i] * A[p,b] * {0}[b,i] * A[q,c] * {0}[c,j] * A[q,e] * {0}[e,j]",
}
_TR, _TR2 = "A[p,i] * A[p,j] * A[q,i] * A[q,j]", "A[p,i] * A[p,i] * A[q,j] * A[q,j]"


def _one_layer(_: Context) -> Computed:
    """Expectations over one layer W with everything else fixed: A after, h before, y the target.

    A is the product of the L - l layers after W_l, h that of the l - 1 layers before it, applied to x.
    The gradient by W is A^T (A W h - y) h^T. "tr" is tr(((A W)^T A W)^2), "tr^2" the square of tr((A W)^T A W).
    """
    through, missing = "A[{0},i] * A[{0},{1}] * W[{1},{2}] * h[{2}] * h[j]", "A[{0},i] * y[{0}] * h[j]"
    square = [
        (1, through.format("p", "a", "b"), through.format("q", "c", "e")),
        (-2, through.format("p", "a", "b"), missing.format("q")),
        (1, missing.format("p"), missing.format("q")),
    ]
    texts = {
        "E |gradient|^2": " + ".join(f"{c} * {left} * {right}" for c, left, right in square),
        "E |W h|^2": "W[i,a] * h[a] * W[i,b] * h[b]",
        "E |W h|^4": "W[i,a] * h[a] * W[i,b] * h[b] * W[k,c] * h[c] * W[k,e] * h[e]",
        "E |W^T y|^2": "W[a,i] * y[a] * W[b,i] * y[b]",
        **{f"E {name}": text.format("W") for name, text in _TRACES.items()},
    }
    sums = {name: expected(text) for name, text in texts.items()}
    free = sizes.of_terms(*sums.values(), products={"A": "L", "h": "l"})
    shown = r"\mathbb E\,\|\partial E / \partial W\|^2 = \|A^{\mathsf T} y\|^2 \|h\|^2 + \tfrac{s^2}{d} \operatorname{tr}\bigl((A^{\mathsf T} A)^2\bigr) \|h\|^4"
    return Computed({name: show(one) for name, one in sums.items()}, free, shown)


_NORM_H, _NORM_H4 = "h[a] * h[a]", "h[a] * h[a] * h[b] * h[b]"
_ONE_LAYER = {
    "E |gradient|^2": f"A[a,c] * y[a] * A[b,c] * y[b] * h[e] * h[e] + s^2 * d^-1 * {_TR} * {_NORM_H4}",
    "E |W h|^2": f"s^2 * {_NORM_H}",
    "E |W h|^4": f"s^4 * {_NORM_H4} + 2 * s^4 * d^-1 * {_NORM_H4}",
    "E |W^T y|^2": "s^2 * y[a] * y[a]",
    "E tr": f"s^4 * {_TR} + s^4 * d^-1 * {_TR} + s^4 * d^-1 * {_TR2}",
    "E tr^2": f"s^4 * {_TR2} + 2 * s^4 * d^-1 * {_TR}",
}

Traces = Callable[[Any, Any, Any], tuple[Any, Any]]
"""(d, (1 + 2/d)^k, (1 - 1/d)^k) -> E tr((A^T A)^2) and E (tr A^T A)^2 over s^(4k), A of k layers."""


def _traces(d: Any, first: Any, second: Any) -> tuple[Any, Any]:
    alpha, beta = d * (d + 2) / 3, d * (d - 1) / 3
    return alpha * first - beta * second, alpha * first + 2 * beta * second


def _recursion(_: Context) -> Computed:
    """The matrix of the recursion of (tr, tr^2), read off the expectations over one layer, as fractions in d."""
    d = sympy.Symbol("d", positive=True)
    values = [expected(text.format("W")) for text in _TRACES.values()]
    rows = [[_coefficient(value, basis, d) for basis in (_TR, _TR2)] for value in values]
    return Computed(
        (d, sympy.Matrix(rows)),
        sizes.of_terms(*values, products={"A": "L"}),
        r"s^4 \begin{pmatrix} 1 + 1/d & 1/d \\ 2/d & 1 \end{pmatrix}",
    )


def _coefficient(value: Sum, basis: str, d: sympy.Symbol) -> sympy.Expr:
    """What stands before an index string in the sum, as a fraction in d; s is left out."""
    ((_, wanted),) = parse(basis, KNOWN)
    terms = (
        sympy.Rational(c) * sympy.Mul(*(d**n for name, n in scalars if name == "d"))
        for (scalars, factors), c in value.items()
        if factors == wanted
    )
    return sympy.Add(*terms)


def _solves(found: tuple[Any, Any], claim: Traces) -> None:
    """Pass when the claimed traces start at those of A = I and satisfy the recursion for every k.

    Raises:
        Disagreement: they do not.
    """
    d, step = found
    first, second = sympy.symbols("R1 R2")
    now = sympy.Matrix(claim(d, first, second))
    then = sympy.Matrix(claim(d, first * (1 + 2 / d), second * (1 - 1 / d)))
    if {sympy.cancel(sympy.expand(value)) for value in step * now - then} != {0}:
        raise Disagreement("the claimed traces do not satisfy the recursion")
    if [sympy.expand(v) for v in claim(d, sympy.Integer(1), sympy.Integer(1))] != [d, d**2]:
        raise Disagreement("the claimed traces do not start at those of the identity")


@dataclass(frozen=True, slots=True)
class Parts:
    """The part G of order |x|^4 at depth L, and at depth L + 1 over s^4 with the layer after or before W_l.

    Over s^(4L-2) r1^(l-1) / 3, as fractions in d = 1 + e, R1 = r1^k = R2 + t and R2 = r2^k = r, where r1 = 1 + 2/d,
    r2 = 1 - 1/d and k = L - l: e, r and t stand for any d and any L; k = 0 is r = 1, t = 0.
    """

    now: Element
    after: Element
    before: Element


def _one_more(_: Context) -> Computed:
    o = orthant("", "e r t")
    d, r, first = 1 + o["e"], o["r"], o["r"] + o["t"]
    r1, r2 = 1 + 2 / d, 1 - 1 / d
    now = 3 / d * _traces(d, first, r)[0]
    after = 3 / d * _traces(d, r1 * first, r2 * r)[0]
    found = Parts(now, after, r1 * now)
    free = standing_for(occurring(now), {"e": "d", "r": "L", "t": "L"})
    return Computed(found, free, r"\mathbb E\,\|\nabla\|^2_{L+1} \le s^2\, \mathbb E\,\|\nabla\|^2_{L}")


class _Shares(NamedTuple):
    """The greatest s^2 for a layer after W_l, as a function of d, and one for a layer before it: the same if not given."""

    after: Callable[[Element], Element]
    before: Callable[[Element], Element] | None = None


def _sharp_share(found: Parts, claim: _Shares) -> None:
    """Pass when G(L + 1) <= s^2 G(L) exactly up to the claimed s^2.

    Raises:
        NotCertified: it is not so at the claimed s^2, or with room left where the layer comes after the last one.
    """
    o = orthant("", "e r t")
    share, before = (value(1 + o["e"]) for value in (claim.after, claim.before or claim.after))
    for name, part in (("after", share * found.after), ("before", before * found.before)):
        o.at_least_zero(f"a layer {name} W_l", found.now - part)
    last = {"e": o["e"], "r": 1 + 0 * o["e"], "t": 0 * o["e"]}
    now, after = (substitute(part, last) for part in (found.now, found.after))
    o.identical("a layer after the last one", now, share * after)


def expected_square(layers: int, layer: int, d: int, s2: Fraction, *, middle: int = 2) -> tuple[Fraction, Fraction]:
    """The coefficients of |x|^2 |y|^2 and of |x|^4 in E |dE/dW_l|_F^2, for W_l in a network of L layers.

    `middle` is the 2 of 1 + 2/d; other values are false.
    """
    first, second = (1 + Fraction(middle, d)) ** (layers - layer), (1 - Fraction(1, d)) ** (layers - layer)
    trace = _traces(Fraction(d), first, second)[0]
    outer = s2 ** (2 * layers - 1) / d * trace * (1 + Fraction(middle, d)) ** (layer - 1)
    return s2 ** (layers - 1), outer


_GRIDS = ((1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (3, 2), (1, 3))
_SMALL = Fraction(1, 3)


def _small_gradients(_: Context) -> Computed:
    """E |dE/dW_l|_F^2 of small networks as polynomials in x and y, monomial by monomial, s^2 = 1/3."""
    found = dict[tuple[int, int, int], Plain]()
    for layers, d in _GRIDS:
        series = gradient(written_out((1,) * layers, shortcut="none"), d)
        for layer in range(1, layers + 1):
            square = series.ring.zero
            for k in range((layer - 1) * d * d, layer * d * d):
                slope = series.parts[1].get((k,), series.ring.zero)
                square = square + slope * slope
            found[layers, layer, d] = _mean(series.ring.plain(square), _normal(_SMALL / d))
    return Computed(found, Scope.of(*(f"L={layers}, d={d}" for layers, d in _GRIDS)))


Moments = Callable[[int], Fraction]


def _normal(variance: Fraction) -> Moments:
    """E w^n for N(0, variance)."""
    return lambda power: gaussian_moment(power) * variance ** (power // 2)


def _mean(polynomial: Plain, moments: Moments) -> Plain:
    """The expectation over the symbols W..., independent with these moments."""
    return partly_at(polynomial, lambda name, power: moments(power) if name.startswith("W") else None)


def _norm_polynomial(d: int, cross: Fraction, fourth: Fraction) -> Plain:
    """cross |x|^2 |y|^2 + fourth |x|^4."""
    total = dict[Any, Fraction]()
    for i, j in product(range(1, d + 1), repeat=2):
        for names, coefficient in (((f"x_{i}_1", f"y_{j}_1"), cross), ((f"x_{i}_1", f"x_{j}_1"), fourth)):
            monomial = ((names[0], 4),) if names[0] == names[1] else tuple((name, 2) for name in sorted(names))
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {monomial: value for monomial, value in total.items() if value}


Expected = Callable[[int, int, int, Fraction], tuple[Fraction, Fraction]]


def _same_expectations(found: Mapping[tuple[int, int, int], Plain], claim: Expected) -> None:
    for (layers, layer, d), value in found.items():
        if value != _norm_polynomial(d, *claim(layers, layer, d, _SMALL)):
            raise Disagreement(f"L={layers}, l={layer}, d={d}: the expectation is another polynomial")


def _of_scalars(moments: Moments) -> list[Fraction]:
    """E |dE/dW_1|^2 for one, two and three layers at d = 1, x = 1 and y = 0."""
    found = list[Fraction]()
    for layers in (1, 2, 3):
        series = gradient(written_out((1,) * layers, shortcut="none"), 1)
        slope = series.parts[1][0,]
        mean = _mean(series.ring.plain(slope * slope), moments)
        found.append(sum((c for m, c in mean.items() if not any(name.startswith("y") for name, _ in m)), Fraction(0)))
    return found


def _rare(power: int) -> Fraction:
    """E w^n where w is 10 or -10 with probability 1/2000 each and otherwise 0: the variance is 1/10."""
    return Fraction(power == 0) if power == 0 or power % 2 else Fraction(10**power, 1000)


@property_of(
    [Fraction(3), Fraction(2), Fraction(1)],
    not_of=[[Fraction(2)] * 2 + [Fraction(1)], [Fraction(2)] + [Fraction(1)] * 2],
)
def _attenuates(found: list[Fraction]) -> bool:
    return found[0] > found[1] > found[2]


def _grows(title: str, at: str, moments: Moments, claim: list[Fraction]) -> Argument:
    return Argument(
        title,
        "instance",
        lambda _: Computed(_of_scalars(moments), Scope.of(f"L=1..3, l=1, d=1, x=1, y=0, {at}")),
        claim,
        {PRINTED: _attenuates, "constant": claim[:1] * 3},
        matches,
    )


NORMAL = Hypothesis(
    "the entries are normal; of this $E w^4 = 3 (E w^2)^2$ is used",
    lambda moments: moments(4) == 3 * moments(2) ** 2,
    fails_on=_rare,
    holds_on={2: Fraction(1, 10), 4: Fraction(3, 100)}.__getitem__,
    printed=False,
    needed=_grows(
        "$w = 10$ or -10 with probability 1/2000 each, otherwise 0: the gradient grows",
        "variance 1/10",
        _rare,
        [Fraction(1, 10), Fraction(1), Fraction(10)],
    ),
)
"""Of the moments of the entries."""
SMALL_VARIANCE = Hypothesis(
    r"the variance is small: read as $s^2/d$ with $s^2 \le d/(2d + 1)$",
    lambda one: one.s2 <= Fraction(one.d, 2 * one.d + 1),
    fails_on=SimpleNamespace(s2=Fraction(2, 5), d=1),
    holds_on=SimpleNamespace(s2=Fraction(1, 3), d=1),
    quote="a zero-centered distribution with small variance",
    where="The Big Problem and a Logical Solution",
)
"""Printed without a number."""

# Evidence.

_NETWORKS, _DEPTHS, _SCALE = 2000, (2, 6, 12), 1e-2


@dataclass(frozen=True, slots=True)
class Means:
    """The mean of |dE/dW_1|_F^2 over random networks, by depth; x of norm 1/100, y of norm 1."""

    means: Mapping[int, float]
    d: int
    seed: int


def _simulated_gradients(context: Context) -> Computed:
    x, y = (np.asarray(a)[:, 0] for a in (context.data.X, context.data.Y))
    x, y = _SCALE * x / np.linalg.norm(x), y / np.linalg.norm(y)
    seed = context.seed + 5
    means = {
        layers: float(
            np.mean(first_gradients(random_layers(_NETWORKS, layers, len(x), float(_SMALL), seed + layers), x, y))
        )
        for layers in _DEPTHS
    }
    shown = f"L={', '.join(map(str, _DEPTHS))}, d={len(x)}, s^2={_SMALL}, {_NETWORKS} networks"
    return Computed(Means(means, len(x), seed), Scope.of(shown))


def _near_means(found: Means, claim: Expected) -> tuple[Measurement, ...]:
    measured = []
    for layers, mean in found.means.items():
        expected = _at_norms(claim(layers, 1, found.d, _SMALL))
        cross, rest = expected_square(layers, 1, found.d, _SMALL)
        spread = ((1 + 2 / found.d) ** (layers - 1) - 1) / _NETWORKS
        leading = float(cross) * _SCALE**2
        bound = _ERRORS * leading * spread**0.5 + float(rest) * _SCALE**4
        measured.append(
            Measurement(
                rf"|mean of $\lvert dE/dW_1\rvert^2$ - claim|, $L = {layers}$",
                abs(mean - expected),
                bound,
                f"L={layers}, d={found.d}, s^2={_SMALL}, {_NETWORKS} networks",
                found.seed,
                r"six standard deviations of $\lvert A^{\mathsf T} y\rvert^2 \lvert x\rvert^2$, $E \lvert A^{\mathsf T} y\rvert^4 = (s^4 (1 + 2/d))^{L - 1}$, and the mean of the part of order $\lvert x\rvert^4$",
                "2e-9 for a claim off by twice the bound, in the normal approximation; at most 1/36 by Chebyshev",
                scale=expected,
            )
        )
    return tuple(measured)


def _at_norms(coefficients: tuple[Fraction, Fraction]) -> float:
    """cross |x|^2 |y|^2 + fourth |x|^4."""
    return float(coefficients[0]) * _SCALE**2 + float(coefficients[1]) * _SCALE**4


EX11 = Statement(
    id="EX-11",
    title="Gradients of linear networks attenuate with depth at small Gaussian weights, on average",
    source=source(
        "The Big Problem and a Logical Solution",
        "as the number of layers increases, the gradient to any one layer gets attenuated",
    ),
    sentence=r"In a plain linear network of $d \times d$ layers with independent entries $N(0, s^2/d)$ the expected squared "
    "gradient of any one layer falls as layers are added: each further layer, wherever it is put, multiplies it by at "
    r"most $s^2$, for every sample, exactly when $s^2 \le d/(2d + 1)$.",
    latex=r"\mathbb E \Bigl\|\frac{\partial E}{\partial W_l}\Bigr\|_F^2 = s^{2(L-1)} \|x\|^2 \|y\|^2 + s^{4L-2} \|x\|^4 \bigl(1 + \tfrac2d\bigr)^{l-1} "
    r"\Bigl[\tfrac{d+2}{3} \bigl(1 + \tfrac2d\bigr)^{L-l} - \tfrac{d-1}{3} \bigl(1 - \tfrac1d\bigr)^{L-l}\Bigr]",
    hypotheses=(NORMAL, SMALL_VARIANCE),
    uses=("DR-M3",),
    changes=(
        Change(
            "the gradient to any one layer gets attenuated",
            "the expected squared gradient of any one layer falls as layers are added",
            "On average, for normal weights of small variance.",
        ),
    ),
    for_all={"L": 1, "l": 1, "d": 1},
    arguments=(
        Argument(
            "Expectations over one layer",
            "index notation",
            _one_layer,
            _ONE_LAYER,
            {
                "without the output's own part": {
                    **_ONE_LAYER,
                    "E |gradient|^2": "A[a,c] * y[a] * A[b,c] * y[b] * h[e] * h[e]",
                },
                "no fourth moment": {**_ONE_LAYER, "E |W h|^4": f"s^4 * {_NORM_H4}"},
                "traces do not mix": {**_ONE_LAYER, "E tr": f"s^4 * {_TR} + s^4 * d^-1 * {_TR}"},
                "$s$ in place of $s^2$": {**_ONE_LAYER, "E |W^T y|^2": "s * y[a] * y[a]"},
            },
            same_strings,
            explanation=r"By Isserlis' theorem. Layers are independent: $\lvert h\rvert^2$, $\lvert h\rvert^4$ multiply over the "
            r"$l - 1$ layers before, $\lvert A^{\mathsf T} y\rvert^2$ over the $L - l$ layers after; the pair "
            r"$(\mathrm{tr}, \mathrm{tr}^2)$ of $A^{\mathsf T} A$ obeys a linear recursion as layers are added.",
        ),
        Argument(
            "The recursion solved",
            "identity",
            _recursion,
            _traces,
            {
                "$1 + 2/d$ alone": lambda d, first, second: (d * first, d**2 * first),
                "the parts exchanged": lambda d, first, second: _traces(d, second, first),
                "twice as large": lambda d, first, second: _traces(d, 2 * first, 2 * second),
                "another weight": lambda d, first, second: (d * first - d * (d - 1) * second, d * first + d * second),
            },
            _solves,
            explanation=r"$E\, \mathrm{tr}((A^{\mathsf T} A)^2) = s^{4k} (d(d+2)/3 (1 + 2/d)^k - d(d-1)/3 (1 - 1/d)^k)$ for $k$ "
            "layers, by induction over $k$.",
        ),
        Argument(
            "One more layer leaves at most the share $s^2$",
            "inequality",
            _one_more,
            _Shares(lambda d: d / (2 * d + 1)),
            {
                "up to $s^2 = 1/3$": _Shares(lambda d: Fraction(1, 3) + 0 * d),
                "up to $s^2 = 1/2$": _Shares(lambda d: Fraction(1, 2) + 0 * d),
                "up to $s^2 = d/(d + 2)$": _Shares(lambda d: d / (d + 2)),
                "up to $s^2 = 1/2$ for a layer before": _Shares(
                    lambda d: d / (2 * d + 1), before=lambda d: Fraction(1, 2) + 0 * d
                ),
            },
            certified(_sharp_share),
            explanation="The first part is multiplied by exactly $s^2$. The second by at most $(2 + 1/d) s^4$, whether the layer "
            r"comes before or after $W_l$, by the signs of the coefficients ($R_1 \ge R_2$); with equality for a layer "
            "after $W_L$, where $y = 0$ leaves the second part alone.",
        ),
        Argument(
            "Gaussian expectations of small networks, monomial by monomial",
            "explicit",
            _small_gradients,
            expected_square,
            {
                "without the output's own part": lambda layers, layer, d, s2: (
                    expected_square(layers, layer, d, s2)[0],
                    Fraction(0),
                ),
                "$1 + 1/d$": lambda layers, layer, d, s2: expected_square(layers, layer, d, s2, middle=1),
                "no attenuation": lambda layers, layer, d, s2: (Fraction(1), expected_square(layers, layer, d, s2)[1]),
            },
            _same_expectations,
        ),
    ),
    evidence=(
        Argument(
            "Random plain networks, $L = 2$, 6, 12",
            "floating point",
            _simulated_gradients,
            expected_square,
            {
                "no attenuation": lambda layers, layer, d, s2: (Fraction(1), Fraction(0)),
                "by $s$ in place of $s^2$": lambda layers, layer, d, s2: (s2 ** ((layers - 1) // 2), Fraction(0)),
                "by $s^4$": lambda layers, layer, d, s2: (s2 ** (2 * layers - 2), Fraction(0)),
            },
            _near_means,
            deep=True,
        ),
    ),
    notes=r"One sample, cost $\lvert y - f\rvert^2 / 2$; the squared norm of a mean of gradients is at most the mean of theirs. "
    "The source prints a zero-centred distribution with small variance. How small is a reading: "
    r"$s^2 \le d/(2d + 1)$, which is 1/3 for $d = 1$ and tends to 1/2, is where it begins to hold; that the entries are "
    r"independent and normal, and the measure, the mean squared norm, are supplied here. Its last layer is $k \times d$; here $k = d$. For $s^2 = 1$, Xavier's scale, the mean square "
    r"does not attenuate: its first part is $\lvert x\rvert^2 \lvert y\rvert^2$ at every depth.",
)

STATEMENTS = (EX11,)
