"""Up to which degree a unit's branch is that of the unit with linear activations: where both part, and where that is said.

With silu(u) = u/2 + u^2/4 + ... and sigmoid(u) = 1/2 + u/4 + ..., both of these where u vanishes at the initial point, the
first part that differs is the least one that the rules for products, sums and activations allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from resproof.architectures.activations import generic, polynomial, sigmoid, silu
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.index.leading import linearised
from resproof.symbolic.index.lift import network_series
from resproof.symbolic.index.sizes import of_units
from resproof.symbolic.scope import Scope

_HIGHEST = 7


def _branches(h: Input) -> Mapping[str, Expression]:
    a, b, c, d = (Weight("d", "d") for _ in range(4))
    return {
        "n = 2": a @ silu(b @ h),
        "n = 3": a @ silu(b @ silu(c @ h)),
        "a random outer weight": Weight("d", "d", initial=normal()) @ silu(a @ h),
        "a sum inside": a @ silu(b @ h + c @ (d @ h)),
        "a sum outside": a @ (b @ silu(c @ h)) + a @ silu(c @ (d @ h)),
        "a product": (a @ silu(b @ h)) * silu(c @ (d @ h)),
        "a factor that is not small": silu(a @ h) * sigmoid(b @ (c @ h)),
        "a factor of constants": silu(a @ h) * (b @ h) * 2,
        "a transpose": (silu((a @ h).T)).T * (b @ (c @ h)),
        "a square": (a @ h) ** 2 * silu(b @ (c @ h)),
        "a polynomial with a constant": silu(a @ h) * polynomial(1, 1)(b @ h),
        "a polynomial without": silu(a @ h) * polynomial(0, 1)(b @ h),
        "a number beside": (a @ (silu(b @ h) + 1)) * silu(c @ h),
    }


class FirstDegrees(NamedTuple):
    """The first degree for which nothing is made linear, and the first in which the linear branch is another one."""

    said: int | None
    seen: int | None


def _degrees(_: Context) -> Computed:
    h = Input("d")
    units = {name: ResidualUnit(h + branch) for name, branch in _branches(h).items()}
    found = {name: FirstDegrees(_first(unit, _stays), _first(unit, _parts)) for name, unit in units.items()}
    return Computed(found, of_units(units.values()))


def _first(unit: ResidualUnit, holds: Callable[[ResidualUnit, int], bool]) -> int | None:
    return next((degree for degree in range(1, _HIGHEST) if holds(unit, degree)), None)


def _stays(unit: ResidualUnit, degree: int) -> bool:
    return linearised(unit, degree) == unit


def _parts(unit: ResidualUnit, degree: int) -> bool:
    one, other = (network_series([each], degree)[degree] for each in (unit, linearised(unit, 1)))
    return one != other


_CLAIMED = {
    "n = 2": 3,
    "n = 3": 4,
    "a random outer weight": 2,
    "a sum inside": 3,
    "a sum outside": 4,
    "a product": 5,
    "a factor that is not small": 2,
    "a factor of constants": 3,
    "a transpose": 4,
    "a square": 6,
    "a polynomial with a constant": 2,
    "a polynomial without": 3,
    "a number beside": 3,
}


def _claimed(more: int = 0) -> Mapping[str, FirstDegrees]:
    return {name: FirstDegrees(degree + more, degree + more) for name, degree in _CLAIMED.items()}


LINEAR_ACTIVATIONS = Argument(
    "Up to which degree activations may be made linear, where parts of high degree are asked for",
    "index notation",
    _degrees,
    _claimed(),
    {"one degree further": _claimed(1), "one degree less": _claimed(-1)},
    explanation="What the rules for sums, products and functions allow is reached: in the first degree that they leave out the parts differ.",
)

_SYMBOLS = ("f(0)", "f'(0)", "f''(0)", "f^(3)(0)", "f^(4)(0)")
_OF_GENERIC: Mapping[str, int] = dict(zip(_SYMBOLS, (1, 2, 6, 24, 120), strict=True))
"""The derivatives at zero of 1 + 2 u + 3 u^2 + 4 u^3 + 5 u^4."""


def _coefficients(_: Context) -> Computed:
    """The Taylor coefficients of a function of which nothing is known, with these for the symbols of its derivatives."""
    found = generic("f", at_zero=None).taylor_at_zero(len(_SYMBOLS) - 1)
    values = tuple(one.rational * _OF_GENERIC[one.symbol or ""] for one in found)
    return Computed(values, Scope.of("degrees up to four"))


GENERIC_COEFFICIENTS = Argument(
    "The Taylor coefficients of any function by the symbols of its derivatives, those of $1 + 2 u + \\dots + 5 u^4$ put in",
    "instance",
    _coefficients,
    (1, 2, 3, 4, 5),
    {"derivatives for coefficients": tuple(_OF_GENERIC.values()), "one degree less": (0, 1, 2, 3, 4)},
)
