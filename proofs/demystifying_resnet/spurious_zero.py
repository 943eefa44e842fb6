"""Demystifying ResNet, a remark: 2-shortcut networks have spurious local minima in general, such as zero (DR-spur).

The paper defines no such minimum; it calls zero a saddle point elsewhere. Where c M != 0 zero is critical and not global, and
no local minimum, as the part of degree two of the loss is odd in W_2. Some networks have local minima that are not global,
and zero can be one where post'(0) = 0; others have none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from resproof.architectures.activations import identity_activation, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.pictures import saddle
from resproof.proofs.demystifying_resnet.theorem2 import T2_2S
from resproof.proofs.routes.exact_spectra import exact_spectrum
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.routes.rays import running_loss
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, SMOOTH, generic_unit
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.lift import hessian_form
from resproof.symbolic.index.paths import negate
from resproof.symbolic.index.series import Sum, scale, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance
from resproof.symbolic.written.explicit import loss_series as explicit_series

# Zero.


@dataclass(frozen=True, slots=True)
class Minimal:
    """A 2-shortcut network with R = d = m = 1 and its data."""

    mid: Activation
    post: Activation
    x: int
    y: int
    pre: Activation = identity_activation

    def __str__(self) -> str:
        return f"n = 2, R = d = m = 1, {self.mid.name} activations, x = {self.x}, y = {self.y}"


_MINIMAL = Minimal(identity_activation, identity_activation, 1, 0)


def _negative_eigenvalues(_: Context) -> Computed:
    spectrum = exact_spectrum(ResidualUnit(n_shortcut(2)), 1, Instance([[_MINIMAL.x]], [[_MINIMAL.y]])) or {}
    return Computed(
        {v: k for v, k in spectrum.items() if v < 0},
        Scope.of("n=2, R=d=m=1"),
        r"H = \begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}",
    )


def _second_order_part(_: Context) -> Computed:
    """The part of degree two of one unit's loss, and the same with -W_2; the units do not interact."""
    unit = generic_unit(2)
    form = hessian_form(unit, squared)
    assert not thaw(form.cross)
    part = thaw(form.diagonal)
    return Computed((part, negate(part, "W2")), sizes.of_unit(unit), r"q(W_1, -W_2) = -q(W_1, W_2)")


def _multiple(found: tuple[Sum, Sum], factor: int) -> None:
    """Pass when the part is not zero, and with -W_2 it is this multiple of itself.

    Raises:
        Disagreement: it is another.
    """
    part, negated = found
    if not part or negated != scale(factor, part):
        raise Disagreement(f"with -W_2 the part {show(part)} is {show(negated)}")


# Others.


def _dead_unit(_: Context) -> Computed:
    """L(w_1, w_2) of h + w_2 relu(w_1 h) at x = 1, y = 2: where w_1 < 0, where w_1 > 0, and at (1, 1)."""
    t, w2 = sympy.Symbol("t", positive=True), sympy.Symbol("w2", real=True)

    def loss(first: Any, second: Any) -> Any:
        return (1 + second * sympy.Max(0, first) - 2) ** 2 / 2

    found = {"w1 = -t < 0": loss(-t, w2), "w1 = t > 0": sympy.expand(loss(t, w2)), "w = (1, 1)": loss(1, 1)}
    return Computed({name: str(value) for name, value in found.items()}, Scope.of("n=2, R=d=m=1, x=1, y=2"))


_DEAD: Mapping[str, str] = {"w1 = -t < 0": "1/2", "w1 = t > 0": "t**2*w2**2/2 - t*w2 + 1/2", "w = (1, 1)": "0"}


# Zero as a local minimum: post(t) = t^2 - t^3.

_CURVED = polynomial(0, 0, 1, -1)


def _curved(_: Context) -> Computed:
    """(L - L(0)) times 2 for a = x - y, u = w_2 w_1 x = 1 - s, and the residual at u = 1 and at u = 1 + a."""
    a, s = sympy.symbols("a s")

    def residual(u: Any) -> Any:
        return a + u**2 - u**3

    found = {
        "2 (L - L(0))": sympy.factor(residual(1 - s) ** 2 - a**2),
        "u = 1": sympy.expand(residual(1)),
        "u = 1 + a": sympy.factor(residual(1 + a)),
    }
    shown = r"2\,(L - L(0)) = u^2 s\,(2a + u^2 s), \quad s = 1 - u \ge 0"
    return Computed(found, Scope.of("n=2, R=d=m=1, x != 0, x > y"), shown)


def _same_expressions(found: Mapping[str, sympy.Expr], claim: Mapping[str, str]) -> None:
    for name, value in found.items():
        if sympy.expand(value - sympy.sympify(claim[name])) != 0:
            raise Disagreement(f"{name}: {value}; claimed {claim[name]}")


_RISES = {"2 (L - L(0))": "(1 - s)**2 * s * (2*a + (1 - s)**2 * s)", "u = 1": "a", "u = 1 + a": "-a**2 * (a + 2)"}


def _curved_network(_: Context) -> Computed:
    """The exact loss of the network at x = 4, y = 0: at zero, the least value for |w_1 w_2| <= 1/4 on a grid, at (1/2, 1)."""
    network, data = Network(ResidualUnit(n_shortcut(2, post=_CURVED)), 1), Instance([[4]], [[0]])
    whole = explicit_series(network, {"d": 1}, order=12, data=data)

    def loss(*w: Fraction) -> Fraction:
        total = Fraction(0)
        for degree in range(13):
            for places, value in whole.plain(degree).items():
                total += sum(value.values(), Fraction(0)) * Fraction(math.prod(w[p] for p in places))
        return total

    grid = [Fraction(k, 4) for k in range(-4, 5)]
    near = min(loss(v, w) for v in grid for w in grid if abs(v * w) <= Fraction(1, 4))
    found = {"zero": loss(Fraction(0), Fraction(0)), "near": near, "(1/2, 1)": loss(Fraction(1, 2), Fraction(1))}
    return Computed(found, Scope.of("n=2, R=d=m=1, x=4, y=0"))


_VALUES = {"zero": Fraction(8), "near": Fraction(8), "(1/2, 1)": Fraction(0)}

# A network without others.

_LINEAR = Minimal(identity_activation, identity_activation, 1, 2)


def _other_critical_points(_: Context) -> Computed:
    """The critical points of (w_1 w_2 - 1)^2 / 2 with a positive loss, and the least eigenvalue of the Hessian there."""
    w1, w2, s = sympy.symbols("w1 w2 s")
    x, y = _LINEAR.x, _LINEAR.y
    loss = (x + w2 * w1 * x - y) ** 2 / sympy.Integer(2)
    gradient = [sympy.diff(loss, w) for w in (w1, w2)]
    found = sympy.solve([*gradient, s * loss - 1], [w1, w2, s], dict=True)
    hessian = sympy.hessian(loss, (w1, w2))
    least = {(one[w1], one[w2]): min(hessian.subs(one).eigenvals()) for one in found}
    return Computed(least, Scope.of(f"n=2, R=d=m=1, x={x}, y={y}"))


def _falls(_: Context) -> Computed:
    """The loss at s in [0, 1] over that at s = 0: on the way to a zero in one weight where the other is not 0, and from w = 0."""
    w1, w2, s, x, y = sympy.symbols("w1 w2 s x y", nonzero=True)
    b = (y - x) / x

    def loss(product: Any) -> Any:
        return (x + product * x - y) ** 2 / 2

    found = {
        "w1 != 0": loss(w1 * (w2 + s * (b / w1 - w2))) / loss(w1 * w2),
        "w2 != 0": loss((w1 + s * (b / w2 - w1)) * w2) / loss(w1 * w2),
        "w = 0": loss(s * (b * s)) / loss(0),
    }
    return Computed({k: str(sympy.factor(v)) for k, v in found.items()}, Scope.of("n=2, R=d=m=1, x != 0, x != y"))


_FALLS = {"w1 != 0": "(s - 1)**2", "w2 != 0": "(s - 1)**2", "w = 0": "(s - 1)**2*(s + 1)**2"}

_NO_MINIMUM = Counterexample(
    instance=_MINIMAL,
    sentence=r"The smallest 2-shortcut network there is: zero has an eigenvalue -1. So it is wherever $c M \ne 0$, that is, "
    r"where $\mathrm{mid}'(0)$, $\mathrm{post}'(0)$ and $\mathrm{pre}(X)$ are not 0, for all $Y$ but a null set: the "
    r"second-order part of the loss is odd in $W_2$ and takes both signs. Where $\mathrm{post}'(0) = 0$ zero can be "
    "one.",
    picture=lambda one: saddle(running_loss(n_shortcut(2), 1, one.x, one.y)),
    latex=r"L(w_1, w_2) = \tfrac12 (1 + w_2 w_1)^2, \qquad L(t, -t) = \tfrac12 - t^2 + \tfrac12 t^4 < L(0)",
    routes=(
        Argument(
            "Negative eigenvalues of the exact Hessian",
            "explicit",
            _negative_eigenvalues,
            {Fraction(-1): 1},
            {PRINTED: dict[Fraction, int](), "two negative eigenvalues": {Fraction(-1): 2}},
        ),
        Argument(
            "The second-order part of the loss of any 2-shortcut network with $-W_2$ in place of $W_2$",
            "index notation",
            _second_order_part,
            -1,
            {PRINTED: 0, "it does not change": 1},
            _multiple,
            explanation="At a minimum it would be nonnegative for both, and so vanish.",
        ),
    ),
)

_ZERO = Clause(
    r"In general, that is where $c M \ne 0$, the zero initial point is a local minimum, and no global one.",
    {"R": 1, "d": 1, "m": 1},
    hypotheses=(
        SMOOTH,
        Hypothesis(
            r"$c M \ne 0$, as in general",
            lambda one: one.mid.taylor(1).rational * one.post.taylor(1).rational * (one.x - one.y) * one.x != 0,
            fails_on=replace(_MINIMAL, y=1),
            quote="in general",
        ),
    ),
    counterexample=_NO_MINIMUM,
    repair=Repair(
        r"Where $c M \ne 0$ all first partial derivatives of the loss vanish at zero, the matrix of the second ones has a "
        "negative eigenvalue there, and the loss takes lower values.",
        r"c M \ne 0 \implies \nabla L(0) = 0, \quad \lambda_{\min}(H) < 0, \quad L(0) > \inf L",
        T2_2S.claims[0].arguments,
        changes=(
            Change(
                "(such as the zero initial point)",
                "the matrix of the second ones has a negative eigenvalue there",
                "Zero is critical and not global, as a spurious minimum is, and it is a saddle point instead of a minimum.",
            ),
        ),
        for_all={"R": 1, "d": 1, "m": 1},
    ),
)

_EVERY = Clause(
    "Every 2-shortcut network has local minima that are not global, whatever the data.",
    {"R": 1, "d": 1, "m": 1},
    counterexample=Counterexample(
        instance=_LINEAR,
        sentence="The only critical point of the linear network at $x = 1$, $y = 2$ that is not global is $w = 0$, a saddle.",
        latex=r"L(w_1, w_2) = \tfrac12 (w_1 w_2 - 1)^2",
        picture=lambda one: saddle(running_loss(n_shortcut(2), 1, one.x, one.y), ending=Fraction(3, 2)),
        routes=(
            Argument(
                "Critical points with a positive loss, and the least eigenvalue there",
                "instance",
                _other_critical_points,
                {(0, 0): -1},
                {
                    PRINTED: property_of({(0, 0): 0})(lambda found: any(value >= 0 for value in found.values())),
                    "there is none": {},
                },
                matches,
            ),
            Argument(
                "From every point with a positive loss it falls at once",
                "identity",
                _falls,
                _FALLS,
                {PRINTED: {**_FALLS, "w = 0": "1"}, "linearly": dict.fromkeys(_FALLS, "1 - s")},
                explanation=r"For all $x \ne 0$, $x \ne y$: with $b = (y - x)/x$ towards $w_2 = b/w_1$, towards $w_1 = b/w_2$, and "
                "from zero along $(s, b s)$. A local minimum that is not global would be among these points, and the "
                "loss would not fall there.",
            ),
        ),
    ),
)

SPUR = Statement(
    id="DR-spur",
    title="Whether 2-shortcut networks have spurious local minima, such as zero",
    source=source(
        "A",
        "section 2",
        "Deep residual network of shortcut length 2 admits spurious local minimum in general (such as the zero initial point), but proves to work in practice",
    ),
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-T2.2s", "GEN-1"),
    clauses=(
        _ZERO,
        Clause(
            "Some 2-shortcut networks have local minima that are not global.",
            {"R": 1, "d": 1, "m": 1},
            (
                Argument(
                    "ReLU at mid: where $w_1 x < 0$ the loss is constant",
                    "explicit",
                    _dead_unit,
                    _DEAD,
                    {
                        "it falls to zero there": {**_DEAD, "w1 = -t < 0": "0"},
                        "it is the least value": {**_DEAD, "w = (1, 1)": "1/2"},
                        "it is constant for $w_1 > 0$": {**_DEAD, "w1 = t > 0": "1/2"},
                    },
                    explanation="So each of these points is a local minimum, not a strict one, and $L(1, 1) = 0$ is lower.",
                ),
            ),
            other_readings=(_EVERY,),
        ),
        Clause(
            r"So have some with smooth activations, and zero can be one where $\mathrm{post}'(0) = 0$: "
            r"$\mathrm{pre}(t) = \mathrm{mid}(t) = t$, $\mathrm{post}(t) = t^2 - t^3$, $R = d = m = 1$, $x \ne 0$, "
            "$x > y$.",
            {"R": 1, "d": 1, "m": 1},
            (
                Argument(
                    r"The loss for $u = w_2 w_1 x \le 1$, and the residual at $u = 1$ and beyond",
                    "identity",
                    _curved,
                    _RISES,
                    {
                        "the loss falls from zero": {
                            **_RISES,
                            "2 (L - L(0))": "-(1 - s)**2 * s * (2*a + (1 - s)**2 * s)",
                        },
                        "the residual stays positive": {**_RISES, "u = 1 + a": "a**2 * (a + 2)"},
                    },
                    _same_expressions,
                    explanation=r"For $a > 0$ and $s \ge 0$ no factor is negative, so $L \ge L(0)$ where "
                    r"$\lvert w_1 w_2 x\rvert \le 1$. The residual is $a > 0$ at $u = 1$ and negative at $u = 1 + a$: "
                    "between them $L$ is 0.",
                ),
                Argument(
                    "Exact values of the network's loss at $x = 4$, $y = 0$",
                    "explicit",
                    _curved_network,
                    _VALUES,
                    {
                        "it falls near zero": {**_VALUES, "near": Fraction(7)},
                        "zero is the least": {**_VALUES, "(1/2, 1)": Fraction(8)},
                    },
                ),
            ),
            ours=True,
        ),
    ),
    notes=r"The paper defines no spurious local minimum, calls zero a saddle point in section 4.1 and a strict one in Theorem "
    "2.2; so the words are taken in their usual sense. The linear network has no local minimum that is not global at any "
    r"$x \ne 0$, $x \ne y$. So 'in general' is no statement about every network, and about other local minima no more is shown "
    "than that some networks have them.",
)

STATEMENTS = (SPUR,)
