"""Evidence that an activation is one function: its Taylor data at zero, and its derivatives on arrays, order by order.

The derivatives of all orders at a point x carry the function to x + s, by Taylor's theorem, and so do those of f' and f'';
at x = 0 they are the exact Taylor coefficients. What is left out is at most s^N / N! times the greatest N-th derivative
between the two points, taken at many points of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from resproof.architectures.activations import ACTIVATIONS, CONSTANTS, gelu_tanh
from resproof.architectures.nodes import Activation, reciprocal
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.proofs.statement import Argument, Computed, Context, Measurement
from resproof.symbolic.scope import Scope

_SMOOTH = {name: one for name, one in {**ACTIVATIONS, "gelu_tanh": gelu_tanh}.items() if not one.kinks}
_ORDER, _STEP, _LOW = 12, 2.0**-5, 6
_POINTS = np.array([-2.0, -0.75, 1.5])
_ROUNDINGS = 64
"""Allowed to a derivative: those of low order weigh, and they are polynomials of few terms."""


@dataclass(frozen=True, slots=True)
class _TwoWays:
    """A number by two ways; what is allowed to their rounding, and to what is left out."""

    found: float
    expected: float
    bound: float


def _carried(one: Activation) -> list[_TwoWays]:
    """f, f' and f'' at x + s, from the derivatives at x and as they are there."""
    ops, pairs = device("cpu").ops, list[_TwoWays]()
    here, there = one.derivatives(ops, _POINTS, _ORDER), one.derivatives(ops, _POINTS + _STEP, 2)
    between = _POINTS[:, None] + np.linspace(0.0, _STEP, 9)
    greatest = largest_modulus(one.derivatives(ops, between, _ORDER + 1)[-1])
    for j, expected in enumerate(there):
        terms = [here[j + k] * _STEP**k / math.factorial(k) for k in range(_ORDER - j + 1)]
        left = greatest * _STEP ** (_ORDER + 1 - j) / math.factorial(_ORDER + 1 - j)
        for k in range(len(_POINTS)):
            size = sum(abs(float(term[k])) for term in terms)
            found = sum(float(term[k]) for term in terms)
            pairs.append(_TwoWays(found, float(expected[k]), _ROUNDINGS * UNIT_ROUNDOFF * size + left))
    return pairs


def _at_zero(one: Activation) -> list[_TwoWays]:
    """The derivatives at zero, on an array and as the exact Taylor coefficients have them."""
    arrays = one.derivatives(device("cpu").ops, np.zeros(1), _LOW)
    exact = [
        float(c.rational) * CONSTANTS.get(c.symbol or "", 1.0) * math.factorial(k)
        for k, c in enumerate(one.taylor_at_zero(_LOW))
    ]
    size = sum(map(abs, exact))
    return [_TwoWays(float(a[0]), e, _ROUNDINGS * UNIT_ROUNDOFF * size) for a, e in zip(arrays, exact, strict=True)]


def _computed(_: Context) -> Computed:
    found = {name: [*_carried(one), *_at_zero(one)] for name, one in _SMOOTH.items()}
    found["reciprocal"] = _carried(reciprocal)
    return Computed(found, Scope.of(f"x={', '.join(map(str, _POINTS))}, s={_STEP}"))


def _agree(found: Mapping[str, list[_TwoWays]], more: float) -> tuple[Measurement, ...]:
    """The pair of each activation that is the farthest apart, of its bound; `more`: such a part is added to one side."""
    measured = list[Measurement]()
    for name, pairs in found.items():
        off = [(abs(one.found * (1.0 + more) - one.expected), one) for one in pairs]
        apart, worst = max(off, key=lambda one: one[0] / (one[1].bound or 1.0))
        at = f"orders up to {_ORDER}"
        why = f"allowed, not derived: ${_ROUNDINGS} u$ times the moduli of the terms; the remainder by nine derivatives"
        measured.append(
            Measurement(
                f"{name.replace('_', ' ')}: a derivative by two ways",
                apart,
                worst.bound,
                at,
                None,
                why,
                scale=abs(worst.expected),
            )
        )
    return tuple(measured)


EVERY_ACTIVATION = Argument(
    "Derivatives of every activation, carried from one point to another",
    "floating point",
    _computed,
    0.0,
    {"a millionth more": 1e-6},
    _agree,
    explanation="By Taylor's theorem, and at zero against the exact Taylor coefficients.",
)
