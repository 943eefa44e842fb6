"""Which activations satisfy Assumption 3: value 0 at 0, and all derivatives there (EX-5).

In E = e^t both functions are quotients of polynomials whose denominators have positive coefficients, so that they are
smooth for all t; the symmetric sigmoid is the logistic function moved to be odd,

    2 / (1 + e^-t) - 1 = tanh(t/2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TypeAlias

import sympy

from resproof.architectures.activations import ACTIVATIONS, sigmoid, tanh
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Coefficient, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction, Statement
from resproof.symbolic.certificates import of_symbols
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import stationary_order

_ORDER = 12
_SYMMETRIC = "symmetric sigmoid"


@dataclass(frozen=True, slots=True)
class AtZero:
    """The value at 0 and up to which order derivatives exist there."""

    value: Coefficient
    derivatives: int


def _coefficients(name: str, order: int) -> list[Coefficient]:
    """Taylor coefficients at zero; the symmetric sigmoid is 2 sigmoid(t) - 1."""
    if name != _SYMMETRIC:
        return ACTIVATIONS[name].taylor_at_zero(order)
    found = sigmoid.taylor_at_zero(order)
    return [Coefficient(2 * c.rational - (k == 0), c.symbol) for k, c in enumerate(found)]


def _at_zero(_: Context) -> Computed:
    found = dict[str, AtZero]()
    for name in (*ACTIVATIONS, _SYMMETRIC):
        value = _coefficients(name, 0)[0]
        try:
            found[name] = AtZero(value, len(_coefficients(name, _ORDER)) - 1)
        except NotDifferentiableError:
            found[name] = AtZero(value, 0)
    return Computed(found, Scope.of(f"derivatives up to order {_ORDER}"))


def _satisfy(found: Mapping[str, AtZero], claim: tuple[str, ...]) -> None:
    """Pass when every activation named vanishes at 0 and has all derivatives there that were looked at.

    Raises:
        Disagreement: one has not; the message says what it lacks.
    """
    for name in claim:
        one = found[name]
        if one.value.rational:
            raise Disagreement(f"{name}: the value at 0 is {one.value.rational} {one.value.symbol or ''}".strip())
        if one.derivatives < _ORDER:
            raise Disagreement(f"{name}: derivatives at 0 exist up to order {one.derivatives} only")


_CLAIMED = ("tanh", _SYMMETRIC)

# For all t and all orders.

_F = sympy.Symbol("F", positive=True)
"""e^(t/2)."""
_MIXED = "1/(e^t - e^(t/2) + 1) - 1"
"""Its denominator vanishes for no t either, and has a negative coefficient."""


def _functions() -> dict[str, sympy.Expr]:
    """tanh(t), tanh(t/2) and 2/(1 + e^-t) - 1 from their definitions, in F = e^(t/2)."""
    e = _F**2
    return {
        "tanh(t)": (e - 1 / e) / (e + 1 / e),
        "tanh(t/2)": (_F - 1 / _F) / (_F + 1 / _F),
        "symmetric sigmoid": 2 / (1 + 1 / e) - 1,
        "sigmoid": 1 / (1 + 1 / e),
        _MIXED: 1 / (e - _F + 1) - 1,
    }


@dataclass(frozen=True, slots=True)
class Quotient:
    """A function of t as a quotient of polynomials in e^(t/2)."""

    quotient: str
    at_zero: Fraction
    positive: bool
    """Whether all coefficients of the denominator are positive, so that it vanishes for no t."""


def _quotients(_: Context) -> Computed:
    found = {}
    for name, function in _functions().items():
        numerator, denominator = sympy.fraction(sympy.cancel(function))
        value = sympy.cancel(function).subs(_F, 1)
        positive = all(c > 0 for c in sympy.Poly(denominator, _F).coeffs())
        found[name] = Quotient(f"({numerator})/({denominator})", Fraction(int(value.p), int(value.q)), positive)
    return Computed(found, Scope.over(k=0), r"\frac{2}{1 + e^{-t}} - 1 = \tanh\frac t2")


Fact: TypeAlias = Callable[[Mapping[str, Quotient]], bool]


def _smooth_and_zero(*names: str) -> Fact:
    return lambda found: {(found[name].positive, found[name].at_zero) for name in names} == {(True, 0)}


def _equal_functions(left: str, right: str) -> Fact:
    return lambda found: found[left].quotient == found[right].quotient


def _all_hold(found: Mapping[str, Quotient], claim: tuple[Fact, ...]) -> None:
    for number, fact in enumerate(claim, start=1):
        if not fact(found):
            raise Disagreement(f"fact {number} does not hold of {found}")


_J = sympy.Symbol("j", positive=True)
_N, _P = (sympy.Function(name)(_F) for name in "NP")
"""Any polynomials in e^(t/2), N over a power of P."""


def _derivative_of_quotient(_: Context) -> Computed:
    """d/dt (N / P^j), with dF/dt = F/2."""
    found = sympy.diff(_N / _P**_J, _F) * _F / 2
    return Computed(
        found, of_symbols({"k": _J}, found), r"\frac{d}{dt} \frac{N}{P^j} = \frac{F}{2}\, \frac{N' P - j N P'}{P^{j+1}}"
    )


_NEXT_NUMERATOR = _F / 2 * (sympy.diff(_N, _F) * _P - _J * _N * sympy.diff(_P, _F))


def _is_quotient(found: sympy.Expr, claim: tuple[sympy.Expr, sympy.Expr]) -> None:
    """Pass when it is the claimed polynomial over the claimed power of P.

    Raises:
        Disagreement: it is not.
    """
    numerator, power = claim
    if sympy.simplify(found * _P**power - numerator) != 0:
        raise Disagreement(f"{found} is not {numerator} over P^({power})")


# The coefficients once more.


def _divided(numerator: list[Fraction], denominator: list[Fraction]) -> list[Fraction]:
    """The power series numerator / denominator."""
    quotient = list[Fraction]()
    for k, c in enumerate(numerator):
        rest = c - sum((quotient[j] * denominator[k - j] for j in range(k)), Fraction(0))
        quotient.append(rest / denominator[0])
    return quotient


def _exponential(rate: Fraction | int) -> list[Fraction]:
    return [Fraction(rate) ** k / factorial(k) for k in range(_ORDER + 1)]


def _shifted(series: list[Fraction], constant: int) -> list[Fraction]:
    return [series[0] + constant, *series[1:]]


def _series(_: Context) -> Computed:
    """tanh(t) and 2/(1 + e^-t) - 1 by division of power series of exponentials."""
    double, minus = _exponential(2), _exponential(-1)
    one = [Fraction(k == 0) for k in range(_ORDER + 1)]
    logistic = _divided(one, _shifted(minus, 1))
    found = {
        "tanh": _divided(_shifted(double, -1), _shifted(double, 1)),
        _SYMMETRIC: [2 * c - o for c, o in zip(logistic, one, strict=True)],
    }
    return Computed(found, Scope.of(f"Taylor coefficients up to order {_ORDER}"))


@dataclass(frozen=True, slots=True)
class SymmetricSigmoid:
    """What the program's activations say: the symmetric sigmoid as `outer` tanh(`inner` t)."""

    outer: Fraction = Fraction(1)
    inner: Fraction = Fraction(1, 2)


def _same_series(found: Mapping[str, list[Fraction]], claim: SymmetricSigmoid) -> None:
    known = [tanh.taylor(k).rational for k in range(_ORDER + 1)]
    claimed = [claim.outer * claim.inner**k * c for k, c in enumerate(known)]
    engine = [c.rational for c in _coefficients(_SYMMETRIC, _ORDER)]
    if found["tanh"] != known or found[_SYMMETRIC] != engine or found[_SYMMETRIC] != claimed:
        raise Disagreement(
            f"the coefficients of the symmetric sigmoid are {found[_SYMMETRIC][:4]}; claimed {claimed[:4]}"
        )


# In networks.


def _applied(name: str, operand: Expression) -> Expression:
    return 2 * sigmoid(operand) - 1 if name == _SYMMETRIC else ACTIVATIONS[name](operand)


def _unit(name: str, n: int) -> ResidualUnit:
    """The n-shortcut unit with this activation at mid and post."""
    h = Input("d")
    path: Expression = Weight("d", "d") @ h
    for _ in range(n - 1):
        path = Weight("d", "d") @ _applied(name, path)
    return ResidualUnit(h + _applied(name, path))


_NETWORKS = ("tanh", _SYMMETRIC, "sigmoid", "softplus")


def _orders(_: Context) -> Computed:
    found = {
        (name, n): stationary_order(Network(_unit(name, n), 2), {"d": 1}, up_to=n).order
        for name in _NETWORKS
        for n in (2, 3)
    }
    return Computed(found, Scope.of("n=2..3, R=2, d=m=1"))


def _order_is_flat(found: Mapping[tuple[str, int], int], claim: tuple[str, ...]) -> None:
    """Pass when zero is of order n - 1 for the activations named and for no others.

    Raises:
        Disagreement: it is otherwise.
    """
    for (name, n), order in found.items():
        if (order == n - 1) != (name in claim):
            raise Disagreement(f"{name}, n={n}: order {order}")


EX_5 = Statement(
    id="EX-5",
    title="tanh and the symmetric sigmoid satisfy Assumption 3",
    source=source(
        "A",
        "after Assumption 3",
        "The assumptions hold for ... tanh, symmetric sigmoid",
    ),
    sentence="tanh and the symmetric sigmoid $2/(1 + e^{-t}) - 1$ vanish at 0 and have derivatives of every order there.",
    latex=r"\sigma(0) = 0,\ \sigma^{(k)}(0) \text{ exists for all } k: \qquad \sigma = \tanh, \quad \sigma(t) = \frac{2}{1 + e^{-t}} - 1",
    for_all={"k": 0},
    uses=("DR-T2.1",),
    arguments=(
        Argument(
            "Exact Taylor data at zero",
            "instance",
            _at_zero,
            _CLAIMED,
            {
                "the sigmoid": (*_CLAIMED, "sigmoid"),
                "softplus": (*_CLAIMED, "softplus"),
                "ReLU": (*_CLAIMED, "relu"),
            },
            _satisfy,
            explanation=r"$\mathrm{sigmoid}(0) = 1/2$ and $\mathrm{softplus}(0) = \log 2$ are not 0; ReLU vanishes but has no "
            "derivative (DR-ReLU).",
        ),
        Induction(
            "k",
            Argument(
                "Quotients of polynomials in $e^{t/2}$",
                "identity",
                _quotients,
                (_smooth_and_zero("tanh(t)", _SYMMETRIC), _equal_functions(_SYMMETRIC, "tanh(t/2)")),
                {
                    "the sigmoid vanishes at 0": (_smooth_and_zero("sigmoid"),),
                    "all coefficients of $e^t - e^{t/2} + 1$ are positive": (_smooth_and_zero(_MIXED),),
                    r"the symmetric sigmoid is $\tanh(t)$": (_equal_functions(_SYMMETRIC, "tanh(t)"),),
                    "the symmetric sigmoid is the sigmoid": (_equal_functions(_SYMMETRIC, "sigmoid"),),
                },
                _all_hold,
                explanation="Denominators with positive coefficients vanish for no $t$, so the quotients are defined for all $t$.",
            ),
            Argument(
                "The derivative of a quotient is one with a power of the same denominator",
                "identity",
                _derivative_of_quotient,
                (_NEXT_NUMERATOR, _J + 1),
                {
                    "the denominator stays": (_NEXT_NUMERATOR, _J),
                    "the derivative of the numerator alone": (_F / 2 * sympy.diff(_N, _F) * _P, _J + 1),
                },
                _is_quotient,
                explanation="Powers of what vanishes for no $t$ vanish for no $t$: each derivative is defined for all $t$ with the "
                "one before it.",
            ),
        ),
        Argument(
            "The coefficients by division of power series",
            "instance",
            _series,
            SymmetricSigmoid(),
            {
                r"$\tanh(t)$": SymmetricSigmoid(inner=Fraction(1)),
                "half as large": SymmetricSigmoid(outer=Fraction(1, 2)),
                "the logistic slope 1/4": SymmetricSigmoid(outer=Fraction(1, 2), inner=Fraction(1, 4)),
            },
            _same_series,
        ),
        Argument(
            "The order of zero in small networks",
            "explicit",
            _orders,
            _CLAIMED,
            {
                "the sigmoid does as well": (*_CLAIMED, "sigmoid"),
                "softplus does as well": (*_CLAIMED, "softplus"),
                "tanh does not": (_SYMMETRIC,),
            },
            _order_is_flat,
            explanation="The activation at mid and at post, symbolic data: order $n - 1$ as in Theorem 2.1, or a gradient.",
        ),
    ),
    notes="The sentence goes on to name ReLU (DR-ReLU), and says the same of 'most activation functions', which is not treated "
    "here. Assumption 3 asks for derivatives at 0 for pre too, where they are needed at the data (DR-A3): both functions "
    "are smooth everywhere. The symmetric sigmoid is read as the logistic function scaled to be odd; any other scaling "
    "$a (1/(1 + e^{-bt}) - 1/2)$ does as well.",
)

STATEMENTS = (EX_5,)
