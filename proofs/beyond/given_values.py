"""What weights start at. Arrays: which are equal, zero, ones or an identity, and which numbers floats are; draws: their law.

A unit is told from another by its arrays, and what an array is decides which initial points a statement speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Values, normal, values_of
from resproof.numeric.backend import device
from resproof.numeric.network.parameters import initial_weights, random_weights
from resproof.proofs.statement import Argument, Computed, Context, Measurement
from resproof.symbolic.scope import Scope

_THIRD = Fraction(1, 3)
_IDENTITY = values_of([[1, 0], [0, 1]])
_GIVEN: Mapping[str, Values] = {
    **{
        name: values_of(given)
        for name, given in {
            "a column": [1, 2],
            "a column of floats": np.array([[1.0], [2.0]]),
            "a row": [[1, 2]],
            "another row": [[1, 3]],
            "thirds": [[1, _THIRD]],
            "nearly thirds": [[1, float(_THIRD)]],
            "zeros": [[0, 0.0], [0, 0]],
            "ones": [[1, 1.0]],
            "the beginning of an identity": [[1, 0, 0], [0, 1, 0]],
            "an identity turned round": [[0, 1], [1, 0]],
            "twice an identity": [[2, 0], [0, 2]],
            "at the limits": [1e300, -1e-300],
        }.items()
    },
    "an identity": _IDENTITY,
    "any numbers": replace(_IDENTITY, arbitrary=True),
}


class _Seen(NamedTuple):
    """An array's shape, kind and numbers, whether these are floats, and with which arrays before it is equal."""

    shape: tuple[int, ...]
    kind: str | None
    floats: tuple[float, ...]
    is_float: bool = True
    equal: str = ""


_SEEN: Mapping[str, _Seen] = {
    "a column": _Seen((2, 1), None, (1.0, 2.0)),
    "a column of floats": _Seen((2, 1), None, (1.0, 2.0), equal="a column"),
    "a row": _Seen((1, 2), None, (1.0, 2.0)),
    "another row": _Seen((1, 2), None, (1.0, 3.0)),
    "thirds": _Seen((1, 2), None, (1.0, 1 / 3), is_float=False),
    "nearly thirds": _Seen((1, 2), None, (1.0, 1 / 3)),
    "zeros": _Seen((2, 2), "zero", (0.0, 0.0, 0.0, 0.0)),
    "ones": _Seen((1, 2), "ones", (1.0, 1.0)),
    "the beginning of an identity": _Seen((2, 3), None, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)),
    "an identity turned round": _Seen((2, 2), None, (0.0, 1.0, 1.0, 0.0)),
    "twice an identity": _Seen((2, 2), None, (2.0, 0.0, 0.0, 2.0)),
    "at the limits": _Seen((2, 1), None, (1e300, -1e-300)),
    "an identity": _Seen((2, 2), "identity", (1.0, 0.0, 0.0, 1.0)),
    "any numbers": _Seen((2, 2), None, (1.0, 0.0, 0.0, 1.0)),
}


def _seen(_: Context) -> Computed:
    found, before = dict[str, _Seen](), list[str]()
    for name, one in _GIVEN.items():
        equal = ", ".join(other for other in before if _GIVEN[other] == one)
        found[name] = _Seen(one.shape, one.kind, one.floats, one.is_float, equal)
        before.append(name)
    return Computed(found, Scope.of("arrays of two to six numbers"))


GIVEN_VALUES = Argument(
    "Which arrays that weights start at are equal, zero, ones or an identity",
    "instance",
    _seen,
    _SEEN,
    {
        "a third is a float": {**_SEEN, "thirds": _SEEN["nearly thirds"]},
        "a row is a column": {**_SEEN, "a row": _SEEN["a row"]._replace(equal="a column, a column of floats")},
        "what has the diagonal of an identity is one": {
            **_SEEN,
            "twice an identity": _SEEN["twice an identity"]._replace(kind="identity"),
        },
    },
)


# Draws.

_SIDE, _UNITS = 64, 16
_LOG = 40.0
"""Each deviation exceeds its bound with a probability of 4 exp(-40) at most."""


class _Moments(NamedTuple):
    """Of the entries of W: their mean, that of their squares, and that of products of entries of different units."""

    mean: float
    square: float
    across: float


class _Draws(NamedTuple):
    """Draws beside the multiples of other draws that they have to be, the moments of two, and the seed."""

    pairs: Mapping[str, tuple[np.ndarray, np.ndarray]]
    moments: Mapping[str, _Moments]
    seed: int


def _drawn(context: Context) -> Computed:
    ops, sizes, seed, h = device(context.device).ops, {"d": _SIDE}, context.seed, Input("d")

    def started(variance: int | str, units: int = _UNITS, *, shared: bool = False) -> np.ndarray:
        unit = ResidualUnit(h + Weight("d", "d", name="W", initial=normal(variance)) @ h)
        return ops.numpy(initial_weights(unit, units, sizes, ops, seed, shared=shared)["W"])

    def along(scale: float, batch: int | None = None) -> np.ndarray:
        unit = ResidualUnit(h + Weight("d", "d", name="W") @ h)
        return ops.numpy(random_weights(unit, _UNITS, sizes, ops, seed, scale=scale, batch=batch)["W"])

    one, direction = started(1), along(1.0)
    pairs = {
        "variance 4": (started(4), 2.0 * one),
        "variance $1/d$": (started("1/d"), one / 8.0),
        "variance $4/d$": (started("4/d"), one / 4.0),
        "one draw for all units": (started(1, shared=True), np.repeat(started(1, 1), _UNITS, axis=0)),
        "a direction twice as long": (along(2.0), 2.0 * direction),
        "a block of one direction": (along(1.0, 1), direction[None]),
    }
    moments = {"variance 1": _moments(one), "a direction": _moments(direction)}
    return Computed(_Draws(pairs, moments, seed), Scope.of(_SHOWN))


_SHOWN = f"d={_SIDE}, R={_UNITS}"


def _moments(w: np.ndarray) -> _Moments:
    half = len(w) // 2
    return _Moments(float(np.mean(w)), float(np.mean(w * w)), float(np.mean(w[:half] * w[half:])))


class _Law(NamedTuple):
    """By what multiples are multiplied once more, and the moments of one entry, or of two."""

    times: float = 1.0
    moments: _Moments = _Moments(0.0, 1.0, 0.0)


def _as_law(found: _Draws, law: _Law) -> tuple[Measurement, ...]:
    """Multiples to the last bit; moments as far as so many independent entries of that law may leave them.

    For the means M of N entries and S of their squares, P(|M| > t) <= 2 exp(-N t^2 / 2) and P(|S - 1| > t) <= 2 exp(-N t^2 / 8)
    for t < 1; a product xy is (u^2 - v^2) / 2 for u, v = (x +- y) / sqrt(2), of that law too.
    """
    exact = tuple(
        Measurement(
            f"{name}: differences from a multiple, summed",
            float(np.sum(np.abs(one - law.times * other))),
            0.0,
            _SHOWN,
            found.seed,
            "powers of two: floats hold these multiples",
            scale=float(np.sum(np.abs(other))),
        )
        for name, (one, other) in found.pairs.items()
    )
    entries = _UNITS * _SIDE**2
    bounds = _Moments(*(math.sqrt(c * _LOG / n) for c, n in ((2, entries), (8, entries), (8, entries // 2))))
    names = ("mean", "mean square", "mean product of two units")
    return exact + tuple(
        Measurement(
            f"{name}: {what} - that of the law",
            abs(value - expected),
            bound,
            _SHOWN,
            found.seed,
            f"tails of $\\chi^2$, exceeded with probability $4 e^{{-{_LOG:.0f}}}$ at most",
            scale=1.0,
        )
        for name, moments in found.moments.items()
        for what, value, expected, bound in zip(names, moments, law.moments, bounds, strict=True)
    )


DRAWN_VALUES = Argument(
    "What weights start at where they are drawn, and random directions",
    "floating point",
    _drawn,
    _Law(),
    {
        "a rounding more": _Law(1.0 + 2.0**-52),
        "a mean of a quarter": _Law(moments=_Moments(0.25, 1.0, 0.0)),
        "a fifth more variance": _Law(moments=_Moments(0.0, 1.2, 0.0)),
        "all units alike": _Law(moments=_Moments(0.0, 1.0, 1.0)),
    },
    _as_law,
    explanation="Entries of variance $4/d$ are twice those of $1/d$ of the same seed; those of variance 1 have the first two "
    "moments of independent $N(0, 1)$.",
)
