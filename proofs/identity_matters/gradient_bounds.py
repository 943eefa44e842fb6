"""Identity Matters: where all norms are below one, every critical point is a global minimum (IM-2, IM-2b, IM-2c).

With E = g - R the gradient of f in W_i is 2 A_i^T E Sigma B_i^T, A_i and B_i the products of the layers after and before.
Every layer I + W with |W| <= tau stretches by at least 1 - tau, and so does its transpose; hence with the least nonzero
eigenvalue lambda of Sigma

    |grad f|_F^2 >= 4 l (1 - tau)^(2(l-1)) |E Sigma|_F^2 >= 4 l (1 - tau)^(2(l-1)) lambda (f - C).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from resproof.architectures.forms.terms import COLUMN, ROW, InitialWeight, Opaque
from resproof.architectures.losses import squared
from resproof.proofs.identity_matters.contractions import (
    Attained,
    Stretch,
    attained,
    spectrum_bound,
    stretch,
    stretches,
)
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.linear_gradients import (
    AROUND,
    EXCESS,
    GRADIENT,
    HALVES,
    LAYER,
    POINTS,
    SMALL_GRADIENTS,
    TURN,
    Gradients,
    Point,
    gradients,
    layer_gradient,
    scalar_point,
    wide_point,
)
from resproof.proofs.identity_matters.linear_runs import Slope, slope_on_digits
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import Argument, Clause, Computed, Context, Disagreement, Measurement, Statement
from resproof.proofs.theory.linear_networks import any_value, identity_matrix, minus
from resproof.symbolic.algebra.matrices import Matrix, matrix, multiply, scale, sum_of_squares, transpose
from resproof.symbolic.certificates import Element, orthant, substitute
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.lift import data
from resproof.symbolic.index.series import Sum
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.index.series import substitute as replaced
from resproof.symbolic.scope import Scope

# The chain of inequalities.


def _stretch(_: Context) -> Computed:
    shown = r"|v + W v| \ge (1 - \tau)\, |v| \quad \text{for}\ \|W\| \le \tau < 1"
    found = stretch()
    return Computed(found, found.sizes, shown)


STRETCH = Argument(
    r"A layer stretches by at least $1 - \tau$, the best constant",
    "inequality",
    _stretch,
    lambda tau: 1 - tau,
    {
        r"$1 - \tau/2$": lambda tau: 1 - tau / 2,
        r"$1 - \tau^2$": lambda tau: 1 - tau**2,
        "1": lambda _: 1,
        "half of it": lambda tau: (1 - tau) / 2,
        r"$\tau - 1$": lambda tau: tau - 1,
        r"$1 + \tau$": lambda tau: 1 + tau,
    },
    certified(stretches),
    explanation=r"$\lvert v + u\rvert^2 - (1 - \tau)^2 \lvert v\rvert^2$ is nonnegative where "
    r"$\lvert u\rvert \le \tau \lvert v\rvert$, by the $S$-lemma with a discriminant that vanishes. "
    r"$\lvert W^{\mathsf T}\rvert = \lvert W\rvert$, so the same holds for the transpose; column by column for matrices, "
    r"$\lvert A^{\mathsf T} M B^{\mathsf T}\rvert_F$ is at least the product of the stretches times $\lvert M\rvert_F$.",
)


@dataclass(frozen=True, slots=True)
class DerivedBound:
    """|grad f|_F^2 >= constant * l * c^exponent * |E Sigma|_F^2 with c the least stretch; the exponent as a function of l."""

    constant: Fraction
    exponent: Callable[[Element], Element]


def _chain(_: Context) -> Computed:
    """The square of the coefficient that both terms of the gradient have, up to its sign, and the layers around W_i counted."""
    slope = layer_gradient()
    coefficients = set(map(abs, slope.values()))
    assert len(coefficients) == 1

    def exponent(layers: Element) -> Element:
        o = orthant("i l")
        around = (o["l"] - o["i"]) + (o["i"] - 1)  # the factors of A_i and of B_i
        return substitute(2 * around, {"i": 1 + 0 * layers, "l": layers})

    shown = r"\|\nabla f\|_F^2 = \sum_i 4\, \|A_i^{\mathsf T} E\, \Sigma\, B_i^{\mathsf T}\|_F^2 \ge 4\, l\, (1 - \tau)^{2(l-1)} \|E\,\Sigma\|_F^2"
    return Computed(DerivedBound(coefficients.pop() ** 2, exponent), sizes.of_terms(slope, products=AROUND), shown)


class BoundClaim(NamedTuple):
    """|grad f|_F^2 >= constant * l * (1 - tau)^exponent(l) * spectrum(lambda) * (f - C)."""

    constant: Fraction
    exponent: Callable[[Any], Any]
    spectrum: Callable[[Any], Any]


def _follows(found: DerivedBound, claim: BoundClaim) -> None:
    """As 1 - tau <= 1, a greater exponent claims less; s^2 e >= spectrum(lambda) s e for every eigenvalue s of Sigma."""
    o = orthant("one", "more")
    layers = 1 + o["more"]
    o.at_least_zero("the constant", o["one"] * (found.constant - claim.constant))
    o.at_least_zero("the exponent", claim.exponent(layers) - found.exponent(layers))
    spectrum_bound(claim.spectrum)


_RIGHT = BoundClaim(Fraction(4), lambda layers: 2 * (layers - 1), lambda least: least)
_WRONG = {
    "exponent $l - 1$": _RIGHT._replace(exponent=lambda layers: layers - 1),
    r"$\lambda$ squared": _RIGHT._replace(spectrum=lambda least: least**2),
    "5 in place of 4": _RIGHT._replace(constant=Fraction(5)),
}

CHAIN = Argument(
    r"The sum over the layers, and the spectrum of $\Sigma$",
    "inequality",
    _chain,
    _RIGHT,
    _WRONG,
    certified(_follows),
    explanation=r"With the eigenvectors $v_k$ of $\Sigma$, $\lvert E \Sigma\rvert_F^2 = \sum s_k^2 \lvert E v_k\rvert^2$ and "
    r"$f - C = \sum s_k \lvert E v_k\rvert^2$; $s_k$ is zero or at least $\lambda$.",
)


# Rational points.


class _AtPoint(NamedTuple):
    """A point, |grad f|_F^2 and f - C there."""

    point: Point
    squared: Fraction
    excess: Fraction

    def bound(self, claim: BoundClaim) -> Fraction:
        """The claimed lower bound."""
        tau, spectrum = self.point.tau, claim.spectrum(self.point.least)
        layers = self.point.layers
        return claim.constant * layers * (1 - tau) ** claim.exponent(layers) * spectrum * self.excess


def _at(points: Sequence[Point]) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        found = [_AtPoint(one, sum(map(sum_of_squares, one.gradients), Fraction(0)), one.excess) for one in points]
        return Computed(found, Scope.of(*map(str, points)))

    return compute


def _holds_at(found: Sequence[_AtPoint], claim: BoundClaim) -> None:
    for one in found:
        at_most(one.bound(claim), one.squared, f"{one.point}, |grad f|^2 from below")


def _equal_at(found: Sequence[_AtPoint], claim: BoundClaim) -> None:
    for one in found:
        if one.squared != (bound := one.bound(claim)):
            raise Disagreement(f"{one.point}: |grad f|^2 = {one.squared}; claimed {bound}")


ATPOINTS = Argument(
    r"At rational points, singular $\Sigma$ among them", "explicit", _at(POINTS), _RIGHT, _WRONG, _holds_at
)


def _equality(_: Context) -> Computed:
    """|grad f|^2 / (f - C) for d = 1 and all w_i = -tau, l a symbol."""
    found = attained()
    return Computed(found, found.sizes, r"\frac{\|\nabla f\|^2}{f - C} = 4\, l\, (1 - \tau)^{2(l-1)} \sigma")


def _same_ratio(found: Attained, claim: BoundClaim) -> None:
    layers, tau, sigma = sympy.symbols("l tau sigma", positive=True)
    claimed = sympy.Rational(claim.constant) * layers * (1 - tau) ** claim.exponent(layers) * claim.spectrum(sigma)
    if sympy.simplify(sympy.powsimp(sympy.expand(found.ratio / claimed))) != 1:
        raise Disagreement(f"computed {found.ratio}; claimed {claimed}")


ATTAINED = Argument(
    r"$d = 1$ attains it, for every $l$ and $\tau$",
    "identity",
    _equality,
    _RIGHT,
    _WRONG,
    _same_ratio,
    explanation=r"All $w_i = -\tau$: $g = (1 - \tau)^l$, and every layer has the gradient $2 (1 - \tau)^{l-1} (g - r) \sigma$.",
)


_EQUAL_POINTS = (HALVES, scalar_point(-1, "-1/3", "-1/3", "-1/3"), scalar_point(3, "-1/2", "-1/2", x=(2,)))

AT_EQUAL_POINTS = Argument(
    r"At rational points with $d = 1$ and $w_i = -\tau$", "explicit", _at(_EQUAL_POINTS), _RIGHT, _WRONG, _equal_at
)


def _below_slope(found: Slope, claim: BoundClaim) -> Measurement:
    """The claimed lower bound over |grad f|_F^2."""
    factor = float(claim.constant) * found.layers * (1.0 - found.tau) ** claim.exponent(found.layers)
    ratio = factor * claim.spectrum(found.least) * found.excess / found.squared
    derivation = (
        r"1 and the relative rounding of $\lvert\nabla f\rvert^2$ and $f - C$, moduli growing by $1 + \tau$ a layer"
    )
    return Measurement(
        r"claimed bound / $\lvert\nabla f\rvert^2$",
        ratio,
        1.0 + found.rounding,
        found.sizes,
        None,
        derivation,
        at_most=True,
    )


ON_DIGITS = Argument(
    "The gradient of a running network at $W_i = -I/4$",
    "floating point",
    slope_on_digits(8, 0.25),
    _RIGHT,
    {name: _WRONG[name] for name in ("exponent $l - 1$", "5 in place of 4")},
    _below_slope,
    explanation=r"On whitened data $\Sigma = I$, and there the bound is attained in every dimension.",
)


BOUND = (GRADIENT, EXCESS, STRETCH, CHAIN, ATPOINTS, SMALL_GRADIENTS)
"""|grad f|_F^2 >= 4 l (1 - tau)^(2(l-1)) lambda (f - C)."""

# IM-2.


class _LeastStretch(NamedTuple):
    """tau as a function of t >= 0, and a stretch of every layer with |W| <= tau."""

    tau: Callable[[Element], Element]
    stretch: Callable[[Element], Element] = lambda tau: 1 - tau


def _no_other_critical(found: Stretch, claim: _LeastStretch) -> None:
    """Pass when a layer stretches by a positive factor for all tau(t), t >= 0: then grad f = 0 makes f - C = 0."""
    o = orthant("one", "t")
    tau = claim.tau(o["t"]) + 0 * o["t"]
    values = {"c": claim.stretch(tau) + 0 * tau, "tau": tau}
    o.above_zero("the stretch", values["c"])
    o.at_least_zero("the discriminant", substitute(found.discriminant, values))


@dataclass(frozen=True, slots=True)
class _Cleared:
    """adj(A_i)^T (grad_i f) adj(B_i)^T and det A_i det B_i for the layers of a small network."""

    found: Gradients
    left: tuple[Matrix, ...]
    determinants: tuple[tuple[Any, Any], ...]


def _adjugate(a: Matrix) -> Matrix:
    return ((a[1][1], -a[0][1]), (-a[1][0], a[0][0]))


def _determinant(a: Matrix) -> Any:
    return a[0][0] * a[1][1] - a[0][1] * a[1][0]


def _cleared(_: Context) -> Computed:
    found = [_clear(gradients(layers, 2, 1)) for layers in (1, 2, 3)]
    shown = r"\operatorname{adj}(A_i)^{\mathsf T}\, \nabla_i f\, \operatorname{adj}(B_i)^{\mathsf T} = 2 \det A_i \det B_i\, E\,\Sigma"
    return Computed(found, Scope.of(*(str(one.found) for one in found)), shown)


def _clear(one: Gradients) -> _Cleared:
    left, determinants = list[Matrix](), list[tuple[Any, Any]]()
    for i, step in enumerate(one.steps, start=1):
        after, before = one.net.units(i + 1), one.net.units(1, i)
        slope = tuple(tuple(one.net.ring.element(e) for e in row) for row in step)
        left.append(multiply(multiply(transpose(_adjugate(after)), slope), transpose(_adjugate(before))))
        determinants.append((_determinant(after), _determinant(before)))
    return _Cleared(one, tuple(left), tuple(determinants))


def _same_cleared(found: Sequence[_Cleared], claim: Callable[[Any, Any], Any]) -> None:
    for one in found:
        net = one.found.net
        middle = net.correlation(minus(multiply(net.units(), net.x), net.y), net.x)
        for value, (after, before) in zip(one.left, one.determinants, strict=True):
            if value != scale(claim(after, before), middle):
                raise Disagreement(f"{one.found}: another multiple of E Sigma")


M2 = Statement(
    id="IM-2",
    title="Where all norms are below one, every critical point is a global minimum",
    source=source("item 2", "if tau < 1, then any critical point of the loss function must be a global minimum"),
    sentence=r"In the ball $\lvert\lvert\lvert W\rvert\rvert\rvert \le \tau$ with $\tau < 1$ every critical point of $f$ is a "
    r"global minimum, for every $l$, $d$, $R$ and $\Sigma$, singular $\Sigma$ included.",
    latex=r"\max_i \|W_i\| \le \tau < 1, \quad \nabla f(W) = 0 \implies f(W) = C",
    uses=("DR-M6",),
    for_all={"l": 1, "d": 1},
    arguments=(
        GRADIENT,
        EXCESS,
        STRETCH,
        CHAIN,
        Argument(
            r"For $\tau < 1$ the factor in front of $f - C$ is positive",
            "inequality",
            _stretch,
            _LeastStretch(lambda t: t / (1 + t)),
            {
                r"$\tau = 1$": _LeastStretch(lambda _: 1),
                r"any $\tau$": _LeastStretch(lambda t: t),
                "no layer shrinks": _LeastStretch(lambda t: t / (1 + t), stretch=lambda _: 1),
            },
            certified(_no_other_critical),
            explanation=r"$4 l (1 - \tau)^{2(l-1)} \lambda > 0$, so $\nabla f = 0$ only where $f = C$. If $\Sigma = 0$ then $f = C$ "
            r"everywhere. $\tau = t/(1 + t)$.",
        ),
        Argument(
            r"Small networks: $E \Sigma$ times determinants lies in the ideal of the gradient",
            "explicit",
            _cleared,
            lambda after, before: 2 * after * before,
            {
                "without the factor 2": lambda after, before: after * before,
                "one determinant": lambda after, _: 2 * after,
            },
            _same_cleared,
            explanation=r"Without any norm: where all layers $I + W_i$ are nonsingular, $\nabla f = 0$ makes $E \Sigma = 0$.",
        ),
        SMALL_GRADIENTS,
    ),
    notes="Critical points on the boundary of the ball are meant, too: the gradient is that of $f$ on the whole space.",
)


# IM-2b.


M2B = Statement(
    id="IM-2b",
    title=r"A lower bound for the gradient in the ball $\lvert\lvert\lvert W\rvert\rvert\rvert \le \tau$",
    source=None,
    latex=r"\|\nabla f\|_F^2 \ge 4\, l\, (1 - \tau)^{2(l-1)}\, \lambda_{\min}^{+}(\Sigma)\, (f - C)",
    uses=("DR-M6",),
    clauses=(
        Clause(
            r"Where $\lvert\lvert\lvert W\rvert\rvert\rvert \le \tau < 1$, "
            r"$\lvert\nabla f\rvert_F^2 \ge 4 l (1 - \tau)^{2(l-1)} \lambda (f - C)$ with the least nonzero eigenvalue "
            r"$\lambda$ of $\Sigma \ne 0$.",
            {"l": 1, "d": 1},
            BOUND,
        ),
        Clause(
            r"For $d = 1$ and all $w_i = -\tau$ with equality: no smaller exponent than $2(l - 1)$, no power of $\lambda$ "
            "but the first and no factor above 4 will do.",
            {"l": 1},
            (GRADIENT, EXCESS, ATTAINED, AT_EQUAL_POINTS),
        ),
    ),
    evidence=(ON_DIGITS,),
    notes="A bound of this project's own, behind item 2 of the note. The paper that the note reports has an inequality of the kind; "
    "its text is not among the documents, and nothing is said about it here.",
)


# IM-2c.


def _at_minus_one(_: Context) -> Computed:
    """A layer at W = -I, and the gradient where a layer after or before vanishes; l = 1 beside it."""
    slope, minus_one = layer_gradient(), scale_sum(-1, identity_matrix("d"))
    at = InitialWeight("W1", None, ("d", "d"))
    after, before = (Opaque(name, ("d", "d")) for name in "AB")
    alone = replaced(replaced(slope, after, identity_matrix("d")), before, identity_matrix("d"))
    found: dict[str, Sum] = {
        "(I + W) h": replaced(any_value(LAYER, data(LAYER)), at, minus_one),
        "gradient, A = 0": replaced(slope, after, {}),
        "gradient, B = 0": replaced(slope, before, {}),
        "gradient, l = 1": replaced(alone, at, minus_one),
    }
    shown = (
        r"W_i = -I:\quad I + W_i = 0, \qquad \nabla f = 0, \qquad f - C = \operatorname{tr}(R\,\Sigma R^{\mathsf T})"
    )
    return Computed(found, sizes.of_terms(slope, products=AROUND), shown)


_AT_MINUS_ONE = {
    "(I + W) h": "0",
    "gradient, A = 0": "0",
    "gradient, B = 0": "0",
    "gradient, l = 1": "-2 * m^-1 * Y[i,u] * X[j,u]",
}


class _Verdict(NamedTuple):
    """Whether W_i = -I is critical, and f - C there."""

    critical: bool
    excess: Fraction


def _small_minus_one(_: Context) -> Computed:
    """W_i = -I, R = [[0, -2], [1, 1]] and Sigma = diag(4, 1), turned."""
    found = {}
    for layers in (1, 2, 3):
        weights = [[["-1", "0"], ["0", "-1"]]] * layers
        point = wide_point("1", *weights, spread=(2, 1))
        found[layers] = _Verdict(sum(map(sum_of_squares, point.gradients)) == 0, point.excess)
    return Computed(found, Scope.of(*(f"l={layers}, d=2" for layers in found)))


def _minus_one_claim(*, from_depth: int = 2, excess: Fraction | None = None) -> dict[int, _Verdict]:
    sigma = multiply(multiply(TURN, matrix([[4, 0], [0, 1]])), transpose(TURN))
    target = matrix([[0, -2], [1, 1]])
    whole = multiply(multiply(target, sigma), transpose(target))
    trace = whole[0][0] + whole[1][1] if excess is None else excess
    return {layers: _Verdict(layers >= from_depth, trace) for layers in (1, 2, 3)}


M2C = Statement(
    id="IM-2c",
    title=r"$\tau < 1$ cannot be relaxed to $\tau \le 1$",
    source=None,
    sentence=r"For $l \ge 2$ and $R \Sigma \ne 0$ the point $W_1 = \cdots = W_l = -I$, where "
    r"$\lvert\lvert\lvert W\rvert\rvert\rvert = 1$, is critical and no global minimum.",
    latex=r"W_1 = \dots = W_l = -I,\ l \ge 2:\quad \nabla f = 0, \qquad f - C = \operatorname{tr}(R\,\Sigma R^{\mathsf T}) > 0",
    uses=("IM-2",),
    for_all={"l": 2, "d": 1},
    arguments=(
        Argument(
            "The gradient where another layer vanishes",
            "index notation",
            _at_minus_one,
            _AT_MINUS_ONE,
            {
                "for $l = 1$, too": {**_AT_MINUS_ONE, "gradient, l = 1": "0"},
                "the layer keeps its input": {**_AT_MINUS_ONE, "(I + W) h": "X[i,u]"},
            },
            same_sums(vocabulary(LAYER, squared), {"i": ROW, "j": COLUMN}),
            explanation=r"All factors $I + W_i$ are zero. With $l \ge 2$ every layer has another one after or before it, so $A = 0$ "
            "or $B = 0$. $E = -R$ there.",
        ),
        EXCESS,
        Argument(
            "Small networks at $W_i = -I$",
            "explicit",
            _small_minus_one,
            _minus_one_claim(),
            {
                "critical for $l = 1$, too": _minus_one_claim(from_depth=1),
                "critical from $l = 3$ on only": _minus_one_claim(from_depth=3),
                "a global minimum": _minus_one_claim(excess=Fraction(0)),
            },
        ),
    ),
    notes=r"Not in the note: why its item 2 asks for $\tau < 1$.",
)

STATEMENTS = (M2, M2B, M2C)
