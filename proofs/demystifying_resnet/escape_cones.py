"""Leaving a stationary point whose lowest-degree part takes negative values: the two bounds behind EX-3.

f = f(0) + h + r with h homogeneous of degree n >= 2, |grad r| <= K |w|^n, |grad h| <= A |w|^(n-1), h(v) = -2 alpha < 0 for some
|v| = 1. Along the flow w' = -grad f let g = h / |w|^n. With a = grad h, b = grad r and <w, a> = n h (Euler)

    |w|^(n+4) g' = -| |w|^2 a - <w, a> w |^2 - |w|^2 < |w|^2 a - <w, a> w, b >,

so g' <= K A |w|^(n-1). Where g <= -alpha and K |w| <= n alpha / 2, |w|' >= (n alpha / 2) |w|^(n-1). So g, at first -2 alpha, has
risen by at most 2 K A delta / (n alpha) when |w| = delta: with delta <= n alpha^2 / (2 K A) it stays below -alpha, and

    J_n(eps, delta) / (A + K delta)  <=  T(eps)  <=  2 J_n(eps, delta) / (n alpha)

for the start eps v; the lower bound holds for every start |w| = eps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import sympy

from resproof.proofs.routes.certificates import certified
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.algebra.rings import Element, Plain, Ring, flint_ring
from resproof.symbolic.certificates import Gram, Orthant, any_dimension, inner, orthant, squared_norm
from resproof.symbolic.scope import Scope

_PRODUCTS = ("ww", "aw", "bw", "aa", "ab", "bb")
"""The inner products of w, a = grad h and b = grad r; aw = n h."""
Rate: TypeAlias = Callable[[Ring], Element]


def _gram(ring: Ring) -> Gram:
    return {frozenset(name): ring.symbol(name) for name in _PRODUCTS}


def _turning(_: Context) -> Computed:
    """|w|^(n+4) g' along w' = -a - b, the factor n h of <w, w'> being <w, a>."""
    ring = flint_ring(_PRODUCTS)
    gram, one = _gram(ring), ring.one
    moved = {"a": -one, "b": -one}
    slope = inner({"a": one}, moved, gram) * gram[frozenset("w")]
    shrinking = gram[frozenset("aw")] * inner({"w": one}, moved, gram)
    found = gram[frozenset("w")] * (slope - shrinking)
    shown = r"|w|^{n+4}\, g' = -\bigl||w|^2 a - \langle w, a\rangle w\bigr|^2 - |w|^2 \langle |w|^2 a - \langle w, a\rangle w,\, b\rangle"
    return Computed(ring.plain(found), any_dimension(gram, "d"), shown)


def _turning_claim(square: int = -1, mixed: int = -1) -> Rate:
    """square |N a - e w|^2 + mixed N <N a - e w, b>, N = |w|^2 and e = <w, a>."""

    def made(ring: Ring) -> Element:
        gram = _gram(ring)
        across = {"a": gram[frozenset("w")], "w": -gram[frozenset("aw")]}
        other = inner(across, {"b": ring.one}, gram)
        return square * squared_norm(across, gram) + mixed * gram[frozenset("w")] * other

    return made


def _same_rate(found: Plain, claim: Rate) -> None:
    ring = flint_ring(_PRODUCTS)
    if found != ring.plain(claim(ring)):
        raise Disagreement("|w|^(n+4) g' is another polynomial in the inner products")


TURNING = Argument(
    r"How $h / \lvert w\rvert^n$ changes along the flow",
    "identity",
    _turning,
    _turning_claim(),
    {
        "it rises": _turning_claim(square=1),
        "what is left of $f$ does not enter": _turning_claim(mixed=0),
        "the sign of what is left": _turning_claim(mixed=1),
    },
    _same_rate,
    explanation=r"Without $r$ it falls. $\lvert\lvert w\rvert^2 a - \langle w, a\rangle w\rvert \le \lvert w\rvert^2 \lvert a\rvert$, "
    r"so $g' \le \lvert a\rvert \lvert b\rvert / \lvert w\rvert^n \le K A \lvert w\rvert^{n-1}$.",
)


class Cone(NamedTuple):
    """g at |w| = delta at most, |w|' / |w|^(n-1) there at least, n and alpha."""

    space: Orthant
    value: Any
    speed: Any
    n: Any
    alpha: Any


def _cone(_: Context) -> Computed:
    """delta = n alpha^2 / (2 K A) divided by 1 + s; A = 2 n alpha + k, as A >= |<v, grad h(v)>| = n |h(v)|; n = 2 + j."""
    o = orthant("alpha K", "s k j")
    n, alpha, more = 2 + o["j"], o["alpha"], o["K"]
    slope = 2 * n * alpha + o["k"]
    delta = n * alpha**2 / (2 * more * slope * (1 + o["s"]))
    found = Cone(o, -2 * alpha + 2 * more * slope * delta / (n * alpha), n * alpha - more * delta, n, alpha)
    shown = r"g \le -2\alpha + \frac{2KA\delta}{n\alpha} \le -\alpha, \qquad |w|' \ge (n\alpha - K\delta)\,|w|^{n-1} \ge \tfrac{7 n\alpha}{8}\,|w|^{n-1}"
    return Computed(found, Scope(), shown)


class Kept(NamedTuple):
    """g is at most this multiple of alpha, the speed at least this multiple of n alpha."""

    value: Fraction
    speed: Fraction


def _kept(found: Cone, claim: Kept) -> None:
    """Pass when both bounds hold for all alpha, K, A and all delta allowed."""
    o = found.space
    o.at_least_zero("g", found.alpha * claim.value.numerator / claim.value.denominator - found.value)
    o.at_least_zero("speed", found.speed - found.n * found.alpha * claim.speed.numerator / claim.speed.denominator)


_KEPT = Kept(Fraction(-1), Fraction(7, 8))

IN_THE_CONE = Argument(
    r"The flow stays where $h \le -\alpha \lvert w\rvert^n$, and moves outwards at a rate",
    "inequality",
    _cone,
    _KEPT,
    {
        r"$h$ stays below by a hundredth of $\alpha \lvert w\rvert^n$": _KEPT._replace(
            value=_KEPT.value - Fraction(1, 100)
        ),
        r"it is faster by a hundredth of $n \alpha$": _KEPT._replace(speed=_KEPT.speed + Fraction(1, 100)),
    },
    certified(_kept),
    explanation=r"$\langle w, w'\rangle = -n h - \langle w, b\rangle$. The rise of $g$ over that of $\lvert w\rvert$ is at most $K A$ "
    r"over $n \alpha / 2$, which the speed exceeds: $K \delta \le \alpha/4 \le n \alpha/8$.",
)


_VARIABLES = _X, _Y, _Z = sympy.symbols("x y z")
_FUNCTIONS = {
    2: (_X**2 / 2 - _Y**2, _X**3 - _Y * _Z**2),
    3: (_X**3 - 3 * _X * _Y**2 + _Z**3, _Y**4),
    4: (_X**4 - _Y**4 + _X * _Y * _Z**2, _Z**5 + _X**2 * _Y**3),
}
"""h, of degree n, and r in three variables, by n."""


_POINTS = ((1, 2, -1), (2, -1, 3))


def _on_polynomials(_: Context) -> Computed:
    """|w|^(n+4) g' less the claimed form, and <w, grad h> over h, at two points."""
    found = {}
    for n, (h, r) in _FUNCTIONS.items():
        w = sympy.Matrix(_VARIABLES)
        a, b = (sympy.Matrix([one.diff(v) for v in _VARIABLES]) for one in (h, r))
        g = h / w.dot(w) ** sympy.Rational(n, 2)
        rate = -sum(g.diff(v) * slope for v, slope in zip(_VARIABLES, list(a + b), strict=True))
        across = w.dot(w) * a - w.dot(a) * w
        form = -across.dot(across) - w.dot(w) * across.dot(b)
        rest = rate * w.dot(w) ** sympy.Rational(n + 4, 2) - form
        for point in _POINTS:
            at = dict(zip(_VARIABLES, point, strict=True))
            found[n, point] = (sympy.simplify(rest.subs(at)), (w.dot(a) / h).subs(at))
    return Computed(found, Scope.of(*(f"n={n}, d=3, w={point}" for n, point in found)))


def _degrees(shift: int = 0, rest: int = 0) -> Mapping[tuple[int, tuple[int, ...]], tuple[int, int]]:
    return {(n, point): (rest, n + shift) for n in _FUNCTIONS for point in _POINTS}


ON_POLYNOMIALS = Argument(
    "The same for polynomials of degree 2, 3 and 4, by differentiation",
    "explicit",
    _on_polynomials,
    _degrees(),
    {"Euler's identity with $n - 1$": _degrees(shift=-1), "something is left": _degrees(rest=1)},
)
