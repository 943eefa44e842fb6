"""Identity Matters: whether gradient descent on a linear residual network gets stuck when started near zero (IM-3).

With all W_i = W the layers U = I + W have the gradients 2 U^(l-i) (U^l - R) Sigma U^(i-1). Where U, R and Sigma are
symmetric and commute this is 2 U^(l-1) (U^l - R) Sigma for every i: the layers stay equal, symmetric and commuting. On
a common eigenvector with R v = -rho v, Sigma v = sigma v the factor u starts at 1 and moves by

    u' = -2 sigma u^(l-1) (u^l + rho),

so that it decreases towards 0 without ever reaching the l-th root of -rho; on the other eigenvectors u^l tends to the
eigenvalue of R. Close to a target that is itself close to the map of the start nothing of the kind happens: with
e = sqrt(f - C) = |(g - R) Sigma^(1/2)|_F and |W_i| <= a/l,

    |grad_i f| <= 2 e^a |(g - R) Sigma|_F <= -e^(3a) / (l sqrt(lambda)) de/dt,

so that no layer moves by more than e^(3a) e(0) / (l sqrt(lambda)), whatever l is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from itertools import product as choices
from typing import Any, NamedTuple

import sympy

from resproof.numeric.rounding import gamma
from resproof.proofs.changes import Change
from resproof.proofs.identity_matters.contractions import (
    Exponents,
    Line,
    LineClaim,
    Power,
    approaches,
    best_radius,
    between,
    decay,
    decays,
    integrating_factor,
    lies_between_powers,
    line,
    longer,
    longer_sum,
    path_length,
    positive_on_line,
    quotient_of_powers,
    root_slope,
    shallow,
    step_share,
    stretches_within,
)
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.gradient_bounds import BOUND
from resproof.proofs.identity_matters.linear_gradients import EXCESS, GRADIENT, POINTS, Point, gradients
from resproof.proofs.identity_matters.linear_runs import RecordedDescent, from_zero, near_zero
from resproof.proofs.identity_matters.pictures import stuck
from resproof.proofs.routes.certificates import Infimum, certified, infimum
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Induction,
    Measurement,
    Offered,
    Repair,
    Statement,
)
from resproof.proofs.theory.linear_networks import entries
from resproof.symbolic.algebra.matrices import Matrix, add, determinant, eye, matrix, multiply, scale, sum_of_squares
from resproof.symbolic.algebra.noncommutative import minus
from resproof.symbolic.algebra.powers import Words, commuting, exponents, power, product, show, sizes
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.certificates import Element, NotCertified, Orthant, orthant
from resproof.symbolic.scope import Scope

# Equal layers.

_ONE = exponents("l")[0] ** 0


def layer_words() -> Words:
    """Half the gradient in layer i where all layers are a symmetric U: U^(l-i) (U^l - R) Sigma U^(i-1)."""
    i, layers = exponents("i l")
    one = layers / layers
    apart = minus(power("U", layers), power("R", one))
    return product(power("U", layers - i), apart, power("S", one), power("U", i - 1))


def _equal_layers(_: Context) -> Computed:
    free = sizes(dict.fromkeys("URS", "d"), layer_words(), counts=["l"])
    return Computed(
        show(commuting(layer_words())),
        free,
        r"\nabla_{W_i} f = 2\, U^{l-1} (U^l - R)\, \Sigma \quad \text{for every } i",
    )


_EQUAL = "- R S U^(l - 1) + S U^(2*l - 1)"


def _powers() -> list[Power]:
    """The gradient as powers of u on a common eigenvector."""
    found = list[Power]()
    for word, coefficient in commuting(layer_words()).items():
        exponent = dict(word)["U"]
        i, layers = exponent.field.gens
        assert not exponent.diff(i), f"the gradient depends on the layer: {exponent}"
        slope = exponent.diff(layers)
        shift = exponent - slope * layers
        found.append(Power(2 * coefficient, int(slope.numer.LC), _whole(shift), "R" in dict(word)))
    return found


def _whole(value: Element) -> int:
    number = value.numer.LC / value.denom.LC if value else 0
    assert value == number, f"{value} is no number"
    return int(number)


# The counterexample.


@dataclass(frozen=True, slots=True)
class Start:
    """A target, Sigma = I, the initial weights, equal in all layers, and the step of gradient descent."""

    target: Matrix
    weights: Matrix
    step: Fraction

    def __str__(self) -> str:
        return "R = -I_2, Sigma = I_2, W_1 = ... = W_l = 0, steps below 1/4, every l >= 2"


_X = matrix([[1, 1], [1, -1]])
"""Sigma = I."""
_START = Start(scale(Fraction(-1), eye(2)), scale(Fraction(0), eye(2)), Fraction(1, 8))


class _Trajectory(NamedTuple):
    """The step on the line of multiples of I, and f - C for p = u^l > 0 there."""

    line: Line
    excess: Element


def _trajectory(_: Context) -> Computed:
    p = orthant("p")["p"]
    rho, width = -_START.target[0][0], len(_START.target)
    shown = r"u_{t+1} = u_t - 2\eta\, u_t^{l-1} (u_t^l + 1), \qquad f - C = 2\,(u^l + 1)^2"
    excess = width * (p + rho) ** 2
    step = line(_powers())
    return Computed(_Trajectory(step, excess), Scope.over(d=width) & step.sizes, shown)


class _StuckAbove(NamedTuple):
    """The infimum of f - C over u > 0, and which steps keep u in (0, 1]."""

    excess: Infimum = Infimum(Fraction(2))
    steps: LineClaim = LineClaim()


def _stays_above(found: _Trajectory, claim: _StuckAbove) -> None:
    """Pass when u stays in (0, 1] and f - C has the claimed infimum over u > 0.

    Raises:
        NotCertified: it is not.
    """
    positive_on_line(found.line, claim.steps)
    infimum(orthant("p"), found.excess, claim.excess)


def _limits(_: Context) -> Computed:
    """f - C where the gradient first vanishes on the way from u = 1, from the engine's gradients."""
    found = {layers: _limit(layers) for layers in (2, 3)}
    shown = r",\quad ".join(rf"f - C \to {value} \ (l = {layers})" for layers, value in found.items())
    return Computed(found, Scope.of(*(f"l={layers}, d=2, m=2" for layers in found)), shown)


def _limit(layers: int) -> Fraction:
    u = sympy.Symbol("u")
    data = {**entries("x", _X), **entries("y", multiply(_START.target, _X))}
    slopes = set[Any]()
    for step in gradients(layers, 2, 2).steps:
        rows = [[_on_line(e, data, u) for e in row] for row in step]
        assert rows[0][1].is_zero
        assert rows[1][0].is_zero
        slopes |= {rows[0][0], rows[1][1]}
    (slope,) = slopes
    # u decreases as long as the slope is positive: it tends to the one root below 1.
    roots: list[Any] = sympy.Poly.real_roots(slope)
    (end,) = {root for root in roots if 0 <= root < 1}
    assert slope.eval(1) > 0
    rest = len(_START.target) * (end**layers + 1) ** 2
    return Fraction(int(rest.p), int(rest.q))


def _on_line(plain: Plain, data: Mapping[str, Fraction], u: sympy.Symbol) -> sympy.Poly:
    """A polynomial in weights and data at W_i = (u - 1) I."""
    coefficients = defaultdict[int, Any](int)
    for monomial, coefficient in plain.items():
        degree, value = 0, sympy.Rational(coefficient.numerator, coefficient.denominator)
        for name, exponent in monomial:
            if name in data:
                value *= data[name] ** exponent
            elif name.endswith(("[1,1]", "[2,2]")):
                degree += exponent
            else:
                value = sympy.Integer(0)
        coefficients[degree] += value
    return sympy.Poly.from_dict({(k,): c for k, c in coefficients.items()}, u).compose(sympy.Poly(u - 1, u))


def _every_depth(value: int) -> dict[int, Fraction]:
    return {layers: Fraction(value) for layers in (2, 3)}


# The repair.


def _decay(_: Context) -> Computed:
    shown = r"\frac{d}{dt}\left[(f - C)\, e^{\mu t}\right] = e^{\mu t} \left(\mu\,(f - C) - \|\nabla f\|^2\right) \le 0"
    return Computed(decay(), Scope(), shown)


def _within(_: Context) -> Computed:
    found = shallow()
    shown = r"(1 + a/l)^{l-1} \le e^{a}, \qquad (1 - a/l)^{l-1} \ge e^{-a} \qquad (0 < a < 1)"
    return Computed(found, found.sizes, shown)


def _falls(_: Context) -> Computed:
    shown = r"\|\nabla_i f\| \le \frac{e^{3a}}{l \sqrt\lambda} \Bigl(-\frac{d}{dt} \sqrt{f - C}\Bigr)"
    return Computed(root_slope(), Scope(), shown)


def _radius(_: Context) -> Computed:
    """sqrt((f(W(0)) - C)/lambda) that keeps |W_i| <= a/l from b/l, in a and b: exp(3a) times it is a - b."""

    def found(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        return (a - b) / sympy.exp(3 * a)

    return Computed(found, Scope(), r"\max_a\, (a - b)\, e^{-3a} = \tfrac13 e^{-1-3b}")


class _Length(NamedTuple):
    """A point and every |grad_i f|_F^2 there, whose sum is |grad f|^2."""

    point: Point
    layers: tuple[Fraction, ...]


def _lengths(_: Context) -> Computed:
    found = [_Length(one, tuple(map(sum_of_squares, one.gradients))) for one in POINTS]
    return Computed(found, Scope.of(*map(str, POINTS)))


def _slow_at(found: Sequence[_Length], claim: Fraction) -> None:
    """Pass when |grad_i f| <= claim K/(l root) |grad f|^2 / (2 e), K = (1 + tau)^(l-1) (1 - tau)^(-2(l-1)), squared.

    Raises:
        Disagreement: it is not.
    """
    for one in found:
        layers, tau = one.point.layers, one.point.tau
        share = (1 + tau) ** (layers - 1) / (1 - tau) ** (2 * layers - 2)
        for layer in one.layers:
            left = layer * 4 * one.point.excess * layers**2 * one.point.least
            at_most(left, (claim * share * sum(one.layers)) ** 2, f"{one.point}, a layer's speed")


FLOW = Citation(
    "bounded-flow",
    {
        "the gradient is a polynomial in the weights": Condition(
            holds=lambda polynomial: all(int(n) == n >= 0 for monomial in polynomial for _, n in monomial),
            of=lambda: gradients(2, 2, 1).steps[0][0][0],
            fails_on=lambda: {(("v", Fraction(1)), ("w", Fraction(1, 2))): 1},
        )
    },
)

BASIN: tuple[Offered, ...] = (
    FLOW,
    Argument(
        "Products of layers near the identity, for every $l$",
        "inequality",
        _within,
        Exponents(),
        {
            "9/10 of the exponent": Exponents(total=Fraction(9, 10)),
            r"$\log(1 + x) \le x/2$": Exponents(up=lambda x: x / 2),
            r"$-\log(1 - x) \le x$": Exponents(down=lambda x: x),
            r"$\log(1 + x) \le x - 1$": Exponents(up=lambda x: x - 1),
        },
        certified(stretches_within),
        explanation=r"The layers around $W_i$ stretch by at most $e^a$ and at least $e^{-a}$; $(l - 1)/(l - a) \le 1$ as $a < 1$.",
    ),
    Argument(
        "No layer moves faster than the root of $f - C$ falls",
        "inequality",
        _falls,
        lambda grown, layers, root: grown**3 / (layers * root),
        {
            "$e^{2a}$": lambda grown, layers, root: grown**2 / (layers * root),
            "half of it": lambda grown, layers, root: grown**3 / (2 * layers * root),
            "$1/l^2$": lambda grown, layers, root: grown**3 / (layers**2 * root),
            r"whatever $\Sigma$ is": lambda grown, layers, root: grown**3 / layers,
        },
        certified(path_length),
        explanation=r"$\lvert\nabla_i f\rvert \le 2 e^a \lvert E \Sigma\rvert_F$ by the gradient, "
        r"$\lvert\nabla f\rvert^2 \ge 4 l e^{-2a} \lvert E \Sigma\rvert_F^2$, and "
        r"$\lvert E \Sigma\rvert_F \ge \sqrt{\lambda} \lvert E \Sigma^{1/2}\rvert_F$. Integrated: "
        r"$\lvert W_i(t) - W_i(0)\rvert \le e^{3a} (e(0) - e(t)) / (l \sqrt{\lambda})$, less than $(a - b)/l$ as long as "
        r"$e(t) > 0$: no $\lvert W_i\rvert$ is the first to pass $a/l$.",
    ),
    Argument(
        "The radius, the greatest that this gives",
        "identity",
        _radius,
        (Fraction(1, 3), Fraction(1, 3)),
        {
            "$a = b + 1/2$": (Fraction(1, 2), Fraction(1, 3)),
            "half of $e^{-1-3b}$": (Fraction(1, 3), Fraction(1, 2)),
        },
        certified(best_radius),
        explanation=r"$a = b + 1/3 < 1$. With $b = 0$ it is $\lvert(I - R) \Sigma^{1/2}\rvert_F \le \sqrt{\lambda}/(3e)$, which "
        r"$\lambda/(3e \sqrt{\sigma_{\max}})$ is not above.",
    ),
    Argument(
        "The speed of a layer at rational points",
        "explicit",
        _lengths,
        Fraction(1),
        {"half of it": Fraction(1, 2), "9/10 of it": Fraction(9, 10)},
        _slow_at,
    ),
)


# Symmetric targets.


def _along_flow(_: Context) -> Computed:
    """What the flow makes of powers of U, all layers being U, in words; without R for R = 0."""
    _, layers = exponents("i l")
    half = commuting(layer_words())
    no_target = {word: c for word, c in half.items() if "R" not in dict(word)}
    found = {
        "(U^l)' / (-2l)": show(commuting(product(power("U", layers - 1), half))),
        "U' / (-2) over U": show(commuting(product(power("U", -layers / layers), half))),
        "(U^(-2(l-1)))' / (4(l-1)), R = 0": show(commuting(product(power("U", 1 - 2 * layers), no_target))),
    }
    free = sizes(dict.fromkeys("URS", "d"), half, counts=["l"])
    return Computed(found, free, r"(U^l - R)' = -2l\, U^{2(l-1)}\, \Sigma\, (U^l - R)")


_FLOWS = {
    "(U^l)' / (-2l)": "- R S U^(2*l - 2) + S U^(3*l - 2)",
    "U' / (-2) over U": "- R S U^(l - 2) + S U^(2*l - 2)",
    "(U^(-2(l-1)))' / (4(l-1)), R = 0": "+ S",
}


def _signs_kept(_: Context) -> Computed:
    return Computed(integrating_factor(), Scope(), r"x' = -c(t)\, x:\quad \frac{d}{dt}\bigl[x\, e^{\int c}\bigr] = 0")


def _constant(found: Callable[[int], sympy.Expr], claim: int) -> None:
    if found(claim) != 0:
        raise Disagreement(f"x exp({claim} C) changes by {found(claim)}")


def _two_layers(_: Context) -> Computed:
    """l = 2, Sigma = 1: p = u^2 from p(0) = 1 in closed form, held against the gradient; the limit of f - C by R."""
    t, u = sympy.symbols("t u", positive=True)
    found = {}
    for r in (2, Fraction(1, 2), 0, -1, -3):
        target = sympy.Rational(r)
        p = 1 / (1 + 4 * t) if not r else target / (1 - (1 - target) * sympy.exp(-4 * target * t))
        slope = sum(
            one.coefficient * u ** (2 * one.slope + one.shift) * (target if one.target else 1) for one in _powers()
        )
        moved = sympy.expand(-2 * u * slope).subs(u, sympy.sqrt(p))
        assert sympy.simplify(sympy.diff(p, t) - moved) == 0
        assert p.subs(t, 0) == 1
        found[str(r)] = Fraction(str(sympy.limit((p - target) ** 2, t, sympy.oo)))
    return Computed(found, Scope.over(l=2, d=1))


_LEFT = {"2": Fraction(0), "1/2": Fraction(0), "0": Fraction(0), "-1": Fraction(1), "-3": Fraction(9)}


def _in_both_orders(first: Words, second: Words) -> tuple[Words, Words]:
    """A A* less A* A for A = R + i Sigma is -2i times R Sigma less Sigma R: both words, where all letters commute."""
    return commuting(product(first, second)), commuting(product(second, first))


COMMON_EIGENVECTORS = Citation(
    "spectral",
    {
        r"$R + i \Sigma$ is normal, $R$ and $\Sigma$ being symmetric and commuting: they have a basis of common "
        "eigenvectors": Condition(
            holds=lambda orders: orders[0] == orders[1],
            of=lambda: _in_both_orders(power("R", _ONE), power("S", _ONE)),
            fails_on=lambda: (
                product(power("R", _ONE), power("S", _ONE)),
                product(power("S", _ONE), power("R", _ONE)),
            ),
        )
    },
)

SYMMETRIC: tuple[Offered, ...] = (
    FLOW,
    COMMON_EIGENVECTORS,
    Argument(
        "Powers of the layers under the flow",
        "identity",
        _along_flow,
        _FLOWS,
        {
            "the factor $U^{l-1}$": {**_FLOWS, "(U^l)' / (-2l)": "- R S U^(l - 1) + S U^(2*l - 1)"},
            "$U'$ has no factor $U$": {**_FLOWS, "U' / (-2) over U": "- R S U^(l - 1) + S U^(2*l - 1)"},
            "0 is not left behind": {**_FLOWS, "(U^(-2(l-1)))' / (4(l-1)), R = 0": "+ S U"},
        },
        explanation=r"On a common eigenvector with $\Sigma v = s v$, $R v = r v$: $(u^l - r)' = -2 l s u^{2(l-1)} (u^l - r)$ and, as "
        r"$l \ge 2$, $u' = -2 s u^{l-2} (u^l - r) u$ are linear equations $x' = -c(t) x$. For $r = 0$, "
        "$u^{-2(l-1)} = 1 + 4 (l - 1) s t$.",
    ),
    Argument(
        "$x' = -c(t) x$ keeps the sign of $x$",
        "identity",
        _signs_kept,
        1,
        {"with the opposite sign": -1, "squared": 2},
        _constant,
        explanation="$x$ is $x(0)$ times an exponential: $u > 0$ for all times, and $u^l - r$ keeps the sign of $1 - r$ while its "
        "modulus falls. With $r < 0$, $(u^l - r)^2 > r^2$ for ever.",
    ),
    Argument(
        "For $r > 0$ the factor stays away from zero",
        "inequality",
        lambda _: Computed(between, Scope(), r"u^l \ge \min(1, r)"),
        (lambda _, one: one, lambda r, _: r),
        {"at least $r$": (lambda r, _: r, lambda r, _: r), "at least 1": (lambda _, one: one, lambda _, one: one)},
        certified(lambda found, claim: found(claim)),
        explanation=r"So $(u^l - r)^2 \le (1 - r)^2 \exp(-4 l s \min(1, r)^{2(l-1)/l} t)$, which tends to 0.",
    ),
    Argument(
        "Two layers in closed form",
        "explicit",
        _two_layers,
        _LEFT,
        {"$R = 0$ is not reached": {**_LEFT, "0": Fraction(1)}, "$R = -1$ is reached": {**_LEFT, "-1": Fraction(0)}},
        explanation=r"$p = r / (1 - (1 - r) \exp(-4 r t))$, and $1/(1 + 4t)$ for $r = 0$; $f - C = (p - r)^2$ as $t$ grows.",
    ),
)


# The same in steps.


def _sums(_: Context) -> Computed:
    depths = (1, 2, 3, 4)
    shown = r"u^l - \rho^l = (u - \rho)\, S_l, \qquad l\, m^{l-1} \le S_l \le l\, M^{l-1}"
    return Computed({n: quotient_of_powers(n) for n in depths}, Scope.over(l=depths), shown)


def _longer(_: Context) -> Computed:
    found = (longer_sum(low=True), longer_sum(low=False))
    return Computed(found, found[0].sizes & found[1].sizes, r"S_{l+1} = u\, S_l + \rho^l")


def _share(_: Context) -> Computed:
    shown = r"u_{t+1} - \rho = (u_t - \rho)\,(1 - 2\eta\sigma\, u_t^{l-1} S_l)"
    return Computed(step_share(), Scope(), shown)


_ROOTS_OF = {(2, Fraction(1, 16)): ("2", "1/2"), (3, Fraction(1, 96)): ("1/2", "2"), (2, Fraction(1, 4)): ("0", "1")}
"""(l, step): the l-th roots of the eigenvalues of R; Sigma = I, and the step is 1 / (2 l M^(2(l-1)))."""


def _towards(_: Context) -> Computed:
    """The factors on both eigenvectors in four exact steps from zero, by their roots."""
    found = dict[str, list[tuple[Fraction, list[Fraction]]]]()
    for (layers, step), texts in _ROOTS_OF.items():
        roots = [Fraction(text) for text in texts]
        target = matrix([[roots[0] ** layers, 0], [0, roots[1] ** layers]])
        points = _four_steps(layers, target, step)
        factors = [[1 + one.weights[0][n][n] for one in points] for n in (0, 1)]
        found[_diagonal(layers, target)] = list(zip(roots, factors, strict=True))
    return Computed(found, Scope.of(*found))


def _four_steps(layers: int, target: Matrix, step: Fraction) -> list[Point]:
    """Zero and what four exact steps make of it, for Sigma = I; no norm beyond 2 is asked about."""
    found = [Point((_START.weights,) * layers, Fraction(2), _X, target, _START.weights, Fraction(1))]
    for _step in range(4):
        last = found[-1]
        weights = tuple(add(w, scale(-step, slope)) for w, slope in zip(last.weights, last.gradients, strict=True))
        found.append(replace(last, weights=weights))
    return found


def _diagonal(layers: int, target: Matrix) -> str:
    return f"l={layers}, d=2, R=diag({target[0][0]}, {target[1][1]})"


def _monotonic(
    found: Mapping[str, Sequence[tuple[Fraction, Sequence[Fraction]]]], claim: Callable[[Fraction], Fraction]
) -> None:
    """Pass when each factor, beginning with 1, goes towards the claimed value in each step and not beyond.

    Raises:
        Disagreement: one does not.
    """
    for name, factors in found.items():
        for root, values in factors:
            away = [value - claim(root) for value in values]
            for a, b in pairwise(away):
                if a * b < 0 or abs(b) > abs(a) or (a and a == b):
                    raise Disagreement(f"{name}: the factors {', '.join(map(str, values[:3]))}, ... and {claim(root)}")


STEPS: tuple[Offered, ...] = (
    COMMON_EIGENVECTORS,
    Induction(
        "l",
        Argument(
            r"$u^l - \rho^l$ over $u - \rho$",
            "inequality",
            _sums,
            lambda layers: layers,
            {"$l - 1$ times": lambda layers: layers - 1, "$l + 1$ times": lambda layers: layers + 1},
            certified(lies_between_powers),
            explanation=r"$m$ and $M$ are the least and the greatest of $u$ and $\rho$; with $u$ below $\rho$ the two are exchanged.",
        ),
        Argument(
            "One power more",
            "inequality",
            _longer,
            1,
            {"as many terms": 0, "two more": 2},
            certified(longer),
        ),
    ),
    Argument(
        r"Each step goes towards $\rho$, and not beyond",
        "inequality",
        _share,
        Fraction(1),
        {"twice as long": Fraction(2), "11/10 as long": Fraction(11, 10), "backwards": Fraction(-1)},
        certified(approaches),
        explanation=r"$w = u^{l-1} S_l$ is at most $l M^{2(l-1)}$ and, for $\rho > 0$, at least $l m^{2(l-1)}$, with $u$ between 1 "
        r"and $\rho$: the distance falls geometrically. For $\rho = 0$, $u$ falls to a limit that is its own successor: 0.",
    ),
    Argument(
        "Exact steps towards the roots",
        "explicit",
        _towards,
        lambda root: root,
        {"towards zero": lambda _: Fraction(0), "towards twice the root": lambda root: 2 * root},
        _monotonic,
    ),
)


def _line(_: Context) -> Computed:
    shown = r"u_{t+1} = u_t - 2\eta\sigma\, u_t^{l-1} (u_t^l + \rho)"
    found = line(_powers())
    return Computed(found, found.sizes, shown)


class _Squared(NamedTuple):
    """The square of u^(l/2) as a power of u, and (u^l + rho)^2 as a function of u^l, in s = (u^(l/2))^2 >= 0 and rho."""

    power: Words
    orthant: Orthant
    squared: Callable[[Element], Element]


def _even_depth(_: Context) -> Computed:
    (layers,) = exponents("l")
    half, o = power("U", layers / 2), orthant("", "rho s")
    found = _Squared(product(half, half), o, lambda power_: (power_ + o["rho"]) ** 2)
    return Computed(found, sizes({"U": "1"}, half, counts=["l"]), r"u^l = (u^{l/2})^2 \ge 0")


class _EvenClaim(NamedTuple):
    """u^l = sign s, and (u^l + rho)^2 >= share rho^2."""

    sign: int = 1
    share: int = 1


def _stays_positive(found: _Squared, claim: _EvenClaim) -> None:
    (layers,) = exponents("l")
    if found.power != power("U", layers):
        raise NotCertified(f"the square of u^(l/2) is {show(found.power)}")
    o = found.orthant
    o.at_least_zero("(u^l + rho)^2", found.squared(claim.sign * o["s"]) - claim.share * o["rho"] ** 2)


_DIAGONAL = (scale(Fraction(-1), eye(2)), matrix([[-1, 0], [0, 2]]))
"""Targets with Sigma = I, rho = sigma = 1."""


def _first_steps(_: Context) -> Computed:
    """f - C after each of four exact steps of size 1/8 from zero, for l = 2, 3 and both targets."""
    found = dict[str, tuple[Fraction, ...]]()
    for layers, target in choices((2, 3), _DIAGONAL):
        points = _four_steps(layers, target, _START.step)
        found[_diagonal(layers, target)] = tuple(point.excess for point in points[1:])
    return Computed(found, Scope.of(*found))


def _never_below(found: Mapping[str, tuple[Fraction, ...]], claim: Fraction) -> None:
    for name, values in found.items():
        for step, value in enumerate(values, 1):
            at_most(claim, value, f"{name}, f - C after step {step}, from below")


def _real_roots(_: Context) -> Computed:
    """How many real u solve u^l = -1."""
    u = sympy.Symbol("u")
    found = {layers: sympy.Poly(u**layers + 1, u).count_roots() for layers in range(2, 8)}
    return Computed(found, Scope.of(*(f"l={layers}" for layers in found)))


_ROOTS = {layers: layers % 2 for layers in range(2, 8)}


# Evidence.


def _near_recursion(
    found: Sequence[RecordedDescent], claim: Callable[[float, int, float], float]
) -> tuple[Measurement, ...]:
    """f - C of the running network against that of the scalar recursion claimed."""
    measured = list[Measurement]()
    for one in found:
        u = 1.0
        for _ in range(one.count):
            u = claim(u, one.layers, one.step)
        expected = _excess(u, one.layers)
        bound = 16.0 * (one.count + 1) * gamma(8 * one.layers + 16)
        derivation = (
            f"{one.count} steps of {8 * one.layers + 16} roundings; a step's derivative along the line is at most 1"
        )
        name = r"$\lvert f - C - 2 (1 + u^l)^2\rvert$"
        measured.append(
            Measurement(name, abs(one.excess[0] - expected), bound, one.sizes, None, derivation, scale=expected)
        )
    return tuple(measured)


def _excess(u: float, layers: int) -> float:
    """f - C at u I in every layer."""
    return 2.0 * (1.0 + u**layers) ** 2


def _step_down(u: float, layers: int, step: float) -> float:
    return u - 2.0 * step * u ** (layers - 1) * (u**layers + 1.0)


def _leave(found: Sequence[RecordedDescent], claim: str) -> tuple[Measurement, ...]:
    """Claims: "leave", every run ends below half of the saddle's f - C = 2; "stay", every run ends above it."""
    measured = list[Measurement]()
    for one in found:
        above = sum(excess > 1.0 for excess in one.excess)
        value = above if claim == "leave" else len(one.excess) - above
        quantity, derivation = (
            "runs that end on the other side of $f - C = 1$",
            "half of that at the saddle, to which descent cannot return",
        )
        measured.append(
            Measurement(quantity, float(value), 0.0, one.sizes, one.seed, derivation, scale=float(len(one.excess)))
        )
    return tuple(measured)


DECAY = Argument(
    "$f - C$ decays under the flow",
    "inequality",
    _decay,
    lambda mu: mu,
    {"twice as fast": lambda mu: 2 * mu, r"at the rate $\mu + 1$": lambda mu: mu + 1},
    certified(decays),
    explanation=r"$\lvert\nabla f\rvert^2 \ge \mu (f - C)$ by IM-2b, and $\mathrm d/\mathrm dt\, f = -\lvert\nabla f\rvert^2$.",
)

EQUAL_LAYERS = Argument(
    r"Equal symmetric layers that commute with $R$ and $\Sigma$ stay so",
    "identity",
    _equal_layers,
    _EQUAL,
    {"the layers move apart": "- R S U^(i - 1) + S U^(i + l - 1)"},
    explanation=r"The same gradient in every layer, a polynomial in $U$, $R$ and $\Sigma$, which commute: symmetric as they are.",
)


M3 = Statement(
    id="IM-3",
    title="Gradient descent started near zero does not get stuck",
    source=source(
        "Theoretically Awesome",
        "will not get stuck at any points other than the global minimizer when training deep (linear) residual neural "
        "networks with initialization suitably close to zero",
    ),
    sentence="Gradient descent (and gradient flow) on a deep linear residual network, started suitably close to zero, gets stuck at "
    "no point but a global minimum.",
    latex=r"\|W_i(0)\| \text{ small} \implies f(W(t)) \to C",
    for_all={"l": 1, "d": 1},
    hypotheses=(
        Hypothesis(
            "the start is close to zero",
            lambda one: not any(any(row) for row in one.weights),
            fails_on=replace(_START, weights=matrix([[1, 0], [0, 0]])),
            quote="initialization suitably close to zero",
        ),
        Hypothesis(
            r"there is a global minimum close to zero, for large $l$: $\det R > 0$",
            lambda one: determinant(one.target) > 0,
            fails_on=replace(_START, target=matrix([[0, 0], [0, 1]])),
            holds_on=replace(_START, target=matrix([[1, 0], [0, Fraction(1, 2)]])),
            printed=False,
        ),
        Hypothesis(
            "the step is small",
            lambda one: 0 < one.step < Fraction(1, 4),
            fails_on=replace(_START, step=Fraction(1, 4)),
            holds_on=replace(_START, step=Fraction(6, 25)),
            printed=False,
        ),
    ),
    uses=("IM-2b",),
    evidence=(
        Argument(
            "Zero start, target $-I$: the running network follows the scalar recursion",
            "floating point",
            from_zero,
            _step_down,
            {
                "the target $I$": lambda u, layers, step: u - 2.0 * step * u ** (layers - 1) * (u**layers - 1.0),
                "without the factor 2": lambda u, layers, step: u - step * u ** (layers - 1) * (u**layers + 1.0),
            },
            _near_recursion,
            deep=True,
        ),
        Argument(
            "Small random starts leave the saddle",
            "floating point",
            near_zero,
            "leave",
            {"they stay": "stay"},
            _leave,
            explanation="Entries $N(0, 10^{-4})$. The starts that get stuck are not met at random: they form a set of measure zero "
            "as far as is seen here.",
            deep=True,
        ),
    ),
    counterexample=Counterexample(
        instance=_START,
        picture=lambda one: stuck(lambda u, layers, step: _step_down(u, layers, float(step)), _excess, one.step / 8),
        sentence=r"Target $-I_2$, $\Sigma = I$, all $W_i = 0$: all layers stay the same multiple $u$ of $I$, $u$ decreases from 1 "
        r"to 0 and $f - C = 2 (u^l + 1)^2$ to 2, for every $l \ge 2$, under the flow and under a fixed step below 1/4. This is "
        "one start: no open set of starts near zero is shown to fail.",
        latex=r"u' = -2\, u^{l-1} (u^l + 1), \qquad u(0) = 1, \qquad u \downarrow 0",
        routes=(
            Argument(
                r"The step on multiples of $I$, every $l \ge 2$",
                "inequality",
                _trajectory,
                _StuckAbove(),
                {
                    PRINTED: _StuckAbove(Infimum(Fraction(0))),
                    "$f - C$ tends to 1": _StuckAbove(Infimum(Fraction(1))),
                    "$f - C$ stays below 2": _StuckAbove(Infimum(Fraction(2), side=-1)),
                    "steps twice as large": _StuckAbove(steps=LineClaim(Fraction(2))),
                    "steps uphill": _StuckAbove(steps=LineClaim(Fraction(-1))),
                },
                certified(_stays_above),
                explanation="With $u = 1/(1 + x)$, $u^{l-2} = 1/(1 + y)$ and the step $(1/4)/(1 + z)$ the factor "
                r"$u_{\mathrm{next}} / u$ has no negative coefficient, and is at most 1: $u$ decreases to a fixed point, "
                "and 0 is the only one. Under the flow $u$ decreases as well and cannot cross the equilibrium 0.",
            ),
            Argument(
                "The first critical point on the way, from the network's gradient",
                "instance",
                _limits,
                _every_depth(2),
                {PRINTED: _every_depth(0), "half-way": _every_depth(1)},
                explanation="The engine's gradient at $W_i = (u - 1) I$, the same multiple of $I$ in every layer, and its roots in [0, 1].",
            ),
        ),
    ),
    repair=Repair(
        latex=r"f(W(t)) - C \le \left(f(W(0)) - C\right) e^{-\mu t}, \qquad \mu = 4\, l\, (1 - \tau)^{2(l-1)}\, \lambda_{\min}^{+}(\Sigma)",
        changes=(
            Change(
                "with initialization suitably close to zero",
                r"If $\lvert W_i(0)\rvert \le b/l$ with $0 \le b < 2/3$ and $f(W(0)) - C \le \lambda (e^{-1-3b}/3)^2$",
                "The start is near zero in its weights and near a global minimum in its loss, for the flow; or it is zero, where $R$ is "
                r"symmetric, commutes with $\Sigma$ and has no negative eigenvalue on the range of $\Sigma$, for the flow and for descent "
                "with a small fixed step.",
            ),
        ),
        arguments=(),
        setting=r"$\lambda$ is the least nonzero eigenvalue of $\Sigma \ne 0$, $\sigma_{\max}$ the greatest.",
        clauses=(
            Clause(
                r"Gradient flow that stays in $\lvert\lvert\lvert W\rvert\rvert\rvert \le \tau < 1$ has "
                r"$f - C \le (f(W(0)) - C) \exp(-4 l (1 - \tau)^{2(l-1)} \lambda t)$.",
                {"l": 1, "d": 1},
                (
                    *BOUND,
                    DECAY,
                ),
            ),
            Clause(
                r"If $\lvert W_i(0)\rvert \le b/l$ with $0 \le b < 2/3$ and $f(W(0)) - C \le \lambda (e^{-1-3b}/3)^2$, "
                r"the flow keeps $\lvert W_i\rvert \le (b + 1/3)/l$ for ever and converges to a global minimum, $f - C$ "
                r"falling as $\exp(-4 l e^{-2b-2/3} \lambda t)$: from zero, if "
                r"$\lvert(I - R) \Sigma^{1/2}\rvert_F \le \sqrt{\lambda}/(3e)$, and so if it is at most "
                r"$\lambda/(3e \sqrt{\sigma_{\max}})$.",
                {"l": 1, "d": 1},
                (*BOUND, *BASIN, DECAY),
            ),
            Clause(
                r"From $W_i = 0$ with $R$ symmetric and commuting with $\Sigma$ the flow has $f \to C$ exactly if $R$ has "
                r"no negative eigenvalue on the range of $\Sigma$, for every $l \ge 2$.",
                {"l": 2, "d": 1},
                (GRADIENT, EXCESS, EQUAL_LAYERS, *SYMMETRIC),
            ),
            Clause(
                r"From $W_i = 0$ with $R$ symmetric and commuting with $\Sigma$, without a negative eigenvalue on the "
                r"range of $\Sigma$, so does descent with a fixed step of at most $1/(2 l s \max(1, r)^{2(l-1)/l})$ for all "
                r"eigenvalues $s > 0$ of $\Sigma$ and $r$ of $R$ that share an eigenvector: $f \to C$.",
                {"l": 2, "d": 1},
                (GRADIENT, EXCESS, EQUAL_LAYERS, *STEPS),
            ),
            Clause(
                r"From $W_i = 0$ descent gets stuck when $R$ is symmetric, commutes with $\Sigma$, and $R v = -\rho v$, "
                r"$\Sigma v = \sigma v$ for some $v$ with $\rho$, $\sigma > 0$ ($l \ge 2$; steps below "
                r"$1/(2 \sigma (1 + \rho))$, for even $l$ any step): there $f - C \ge \sigma \rho^2$ for ever.",
                {"l": 2, "d": 1},
                (
                    GRADIENT,
                    EXCESS,
                    EQUAL_LAYERS,
                    Argument(
                        r"A factor never passes zero on an eigenvector with $R v = -\rho v$",
                        "inequality",
                        _line,
                        LineClaim(),
                        {
                            "steps twice as large": LineClaim(Fraction(2)),
                            "steps 11/10 as large": LineClaim(Fraction(11, 10)),
                            "$l = 1$ as well": LineClaim(depth=1),
                            "steps uphill": LineClaim(Fraction(-1)),
                        },
                        certified(positive_on_line),
                        explanation=r"$0 < u_{\mathrm{next}} \le u$ for $0 < u \le 1$, so $f - C \ge \sigma \lvert E v\rvert^2 = "
                        r"\sigma (u^l + \rho)^2 > \sigma \rho^2$ with $\lvert v\rvert = 1$.",
                    ),
                    Argument(
                        "Even $l$: $u^l$ is a square, so no step helps",
                        "inequality",
                        _even_depth,
                        _EvenClaim(),
                        {"odd $l$, too": _EvenClaim(sign=-1), "twice as much": _EvenClaim(share=2)},
                        certified(_stays_positive),
                        explanation=r"For even $l$ and any real $u$, $u^l \ge 0$ and $(u^l + \rho)^2 \ge \rho^2$, with equality where "
                        "a step ends at $u = 0$.",
                    ),
                    Argument(
                        "How many real $u$ have $u^l = -1$, $l = 2..7$",
                        "instance",
                        _real_roots,
                        _ROOTS,
                        {"odd $l$, too": dict.fromkeys(_ROOTS, 0)},
                    ),
                    Argument(
                        "Exact steps from zero",
                        "explicit",
                        _first_steps,
                        Fraction(1),
                        {r"3 in place of $\sigma \rho^2 = 1$": Fraction(3)},
                        _never_below,
                    ),
                ),
            ),
        ),
    ),
    notes=r"Bartlett, Helmbold and Long (arXiv 1802.06093) have the two sides for descent in steps with $\Sigma = I$ and all "
    "layers at the identity: convergence from a small excess and for symmetric positive definite $R$, failure for "
    "symmetric $R$ with a negative eigenvalue. Nothing is taken from them here: what is said here is proved, for any "
    r"$\Sigma$ that commutes and for singular $R$; their convergence in steps from a small excess is not claimed. Read: a "
    "start at zero counts as close to zero, and the target is such that a small global minimum exists (IM-1), which "
    "excludes $R = -1$ in $d = 1$. The claim is judged as one about every start that is close enough to zero, which a "
    "single start decides; read of almost every such start it is open: that random starts escape is observed, neither "
    "proved nor refuted.",
)

STATEMENTS = (M3,)
