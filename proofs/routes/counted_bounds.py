"""Running rounding errors once more, number by number: what `numeric.network.running_error` allows, counted by hand.

The unit h + v (w h)^2 of width one, on small whole numbers: each number carries its error in units of L u, by the rules

    a + b:  e_a + e_b + |a + b|,        a b:  |a| e_b + e_a |b| + |a b|,        f(a):  |f'(a)| e_a + |f(a)|.

L, which covers the longest sum and 14 roundings of an elementary function, is read off wider units at zero weights, where
the output is h + 0 and its error 2 L u |h|.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from architectures.activations import polynomial
from architectures.expressions import Input, Weight
from architectures.networks import Network, ResidualUnit
from architectures.scope import Scope
from numeric.backend import device
from numeric.network.running_error import bounded_derivatives
from numeric.rounding import UNIT_ROUNDOFF
from proofs.statement import Argument, Computed, Context, Measurement


class Counted(NamedTuple):
    """A number and its error in units of L u."""

    value: Fraction
    error: Fraction

    def plus(self, other: Counted) -> Counted:
        """The sum."""
        value = self.value + other.value
        return Counted(value, self.error + other.error + abs(value))

    def times(self, other: Counted) -> Counted:
        """The product."""
        value = self.value * other.value
        return Counted(value, abs(self.value) * other.error + self.error * abs(other.value) + abs(value))


Pair: TypeAlias = tuple[Counted, Counted]
"""A number and its derivative along the direction."""


def _exact(value: int) -> Counted:
    return Counted(Fraction(value), Fraction(abs(value)))


def _product(a: Pair, b: Pair) -> Pair:
    return a[0].times(b[0]), a[0].times(b[1]).plus(a[1].times(b[0]))


def _square(a: Pair) -> tuple[Pair, Pair]:
    """a^2 and 2 a."""
    at, error = a[0]
    value = Counted(at * at, abs(2 * at) * error + at * at)
    slope, bend = Counted(2 * at, 2 * error + abs(2 * at)), Counted(Fraction(2), Fraction(2))
    return (value, slope.times(a[1])), (slope, bend.times(a[1]))


_W, _V, _X, _Y = (3, 1), (2, -1), 2, 5
"""Each weight with its direction; the input and the target."""


def _by_hand() -> Mapping[str, Counted]:
    """The output, and the gradient and H v in w and v, of one unit on one sample."""
    w, v = ((_exact(value), _exact(along)) for value, along in (_W, _V))
    h = _exact(_X)
    inner = w[0].times(h), w[1].times(h)
    squared, slope = _square(inner)
    branch = _product(v, squared)
    output = h.plus(branch[0])
    g = _exact(1).times(output.plus(_exact(-_Y))), _exact(1).times(branch[1])
    of_v = _product(g, squared)
    of_inner = _product(_product(v, g), slope)
    of_w = of_inner[0].times(h), of_inner[1].times(h)
    return {
        "f": output,
        "gradient, w": of_w[0],
        "H v, w": of_w[1],
        "gradient, v": of_v[0],
        "H v, v": of_v[1],
    }


class _Allowed(NamedTuple):
    """Numbers with their errors, and the length of the longest sum of wider units."""

    numbers: Mapping[str, tuple[float, float]]
    lengths: Mapping[str, float]


_LENGTHS = {
    "samples": 14 + 5 + 5,  # both of the width k = 5
    "many samples": 14 + 8 + 8,  # both of m = 8 samples
    "tokens": 14 + 4 * 5 + 5,  # of 4 samples with 5 tokens, and of 5 tokens
}
_SIZES = "R=1, d=m=1; lengths at d=3, k=2, 5, m=2, 4, 8, t=5"


def _apart(found: _Allowed, roundings: int) -> Measurement:
    """How far the errors and the lengths are from those counted by hand, less so many roundings."""
    counted = _by_hand()
    differences = [
        *(abs(found.numbers[name][0] - float(one.value)) for name, one in counted.items()),
        *(abs(found.numbers[name][1] - float(one.error) + roundings) for name, one in counted.items()),
        *(abs(found.lengths[name] - length + roundings) for name, length in _LENGTHS.items()),
    ]
    return Measurement(
        "largest difference from what is counted by hand",
        max(differences),
        0.0,
        _SIZES,
        None,
        "exact arithmetic: floats hold these numbers",
        scale=float(min(_LENGTHS.values())),
    )


def _array(value: int) -> np.ndarray:
    return np.full((1, 1, 1), float(value))


def _followed(context: Context) -> Computed:
    ops = device(context.device).ops
    h, w, v = Input("d"), Weight("d", "d", name="w"), Weight("d", "d", name="v")
    unit = ResidualUnit(h + v @ polynomial(0, 0, 1)(w @ h))
    weights, along = ({"w": ops.asarray(_array(a)), "v": ops.asarray(_array(b))} for a, b in zip(_W, _V, strict=True))
    found = bounded_derivatives(
        Network(unit, 1), weights, along, ops.asarray(_array(_X)[0]), ops.asarray(_array(_Y)[0])
    )
    arrays = {"f": found.output}
    for name in ("w", "v"):
        arrays |= {f"gradient, {name}": found.gradient[name], f"H v, {name}": found.product[name]}
    lengths = {name: _length(context, *case) for name, case in _wider().items()}
    units = 2 * UNIT_ROUNDOFF * _length(context, unit, {"d": 1}, (1, 1))
    pairs = {name: (float(a[0, ...].sum()), float(a[1, ...].sum()) / units) for name, a in arrays.items()}
    return Computed(_Allowed(pairs, lengths), Scope.of(_SIZES))


def _wider() -> Mapping[str, tuple[ResidualUnit, Mapping[str, int], tuple[int, ...]]]:
    h, w, v = Input("d"), Weight("k", "d"), Weight("d", "k")
    q, o = Weight("k", "d"), Weight("d", "k")
    apart, mixed = h + v @ (w @ h), h + o @ ((q @ h) @ ((q @ h).T @ (q @ h)))
    return {
        "samples": (ResidualUnit(apart), {"d": 3, "k": 5}, (3, 2)),
        "many samples": (ResidualUnit(apart), {"d": 3, "k": 2}, (3, 8)),
        "tokens": (ResidualUnit(mixed), {"d": 3, "k": 2}, (4, 3, 5)),
    }


def _length(context: Context, unit: ResidualUnit, sizes: Mapping[str, int], shape: tuple[int, ...]) -> float:
    """L, from the error 2 L u |h| of an output at zero weights; two units of roundoff are allowed for each of it."""
    ops = device(context.device).ops
    zero = {name: ops.zeros((1, *(sizes[str(n)] for n in w.shape))) for w, name in unit.names.items()}
    x = ops.asarray(np.ones(shape))
    found = bounded_derivatives(Network(unit, 1), zero, zero, x, x).output
    return float(found[1, ...].max()) / (4 * UNIT_ROUNDOFF)


COUNTED_BOUNDS = Argument(
    "Running rounding errors, counted by hand",
    "floating point",
    _followed,
    0,
    {"a rounding less": 1},
    _apart,
    explanation="On small whole numbers nothing is rounded, and what is allowed for it is a whole number of units.",
)
