"""In which expressions a unit's input enters homogeneously, and of which degree k: f(2 h) = 2^k f(h), to the last bit.

A scan over depth goes by it: it multiplies the matrices of units that are of degree one. Floats are multiplied by a power of
two without rounding, so that the running network shows each degree that is read off an expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device
from resproof.numeric.network.adjoint import outputs
from resproof.numeric.network.linear import degree_in_input
from resproof.numeric.network.parameters import random_weights
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.scope import Scope

_SIDES = {"d": 3}


def _branches() -> Mapping[str, tuple[Expression, int | None]]:
    """Expressions, each with the degree that its form shows."""
    h, w, v, b = Input("d"), *(Weight("d", "d") for _ in range(2)), Weight("d")
    return {
        "a weight alone": (v @ Constant(1, "d", "d") @ w @ h, 1),
        "a square": ((w @ h) * h, 2),
        "a cube": ((w @ h) * (h * h), 3),
        "a sum of two degrees": (w @ h + h * h, None),
        "a bias": (w @ h + b, None),
        "a function of a weight": (tanh(w) @ h, 1),
        "a function of h": (w @ tanh(h), None),
        "a polynomial without a constant": (w @ polynomial(0, 3)(h), 1),
        "a polynomial with one": (w @ polynomial(1, 3)(h), None),
        "a polynomial of two degrees": (w @ polynomial(0, 1, 1)(h), None),
        "a softmax of a weight": (softmax(w, axis=0) @ h, 1),
        "a softmax of h": (w @ softmax(h, axis=0), None),
        "a softmax of h, times h": (softmax(w @ h, axis=0) * h, None),
        "a norm of a weight": (layer_norm(w, epsilon=1) @ h, 1),
        "a norm of h, times h": (layer_norm(w @ h, epsilon=1) * h, None),
    }


class _Degree(NamedTuple):
    """What is read off an expression, and its values at h and at 2 h."""

    read: int | None
    at: np.ndarray
    twice: np.ndarray


class _Degrees(NamedTuple):
    """Of each expression, and the seed."""

    of: Mapping[str, _Degree]
    seed: int


def _computed(context: Context) -> Computed:
    ops, found = device(context.device).ops, dict[str, _Degree]()
    x = ops.asarray(np.random.default_rng(context.seed).standard_normal((3, 2)))
    for name, (branch, _) in _branches().items():
        network = Network(ResidualUnit(branch), 1)
        weights = random_weights(network.unit, 1, _SIDES, ops, context.seed)
        at, twice = (ops.numpy(outputs(network, weights, times * x)) for times in (1.0, 2.0))
        found[name] = _Degree(degree_in_input(branch), at, twice)
    return Computed(_Degrees(found, context.seed), Scope.of(_SHOWN))


_SHOWN = "d=3, m=2; random numbers"


def _homogeneous(found: _Degrees, more: int) -> tuple[Measurement, ...]:
    """The values at 2 h are 2^k times those at h, for the degree that was read and so much more.

    Raises:
        Disagreement: another degree was read; or values of an expression without one are such multiples all the same.
    """
    for name, (_, degree) in _branches().items():
        one = found.of[name]
        if one.read != degree:
            raise Disagreement(f"{name}: degree {one.read}; claimed {degree}")
        if degree is None and any(np.array_equal(one.twice, 2.0**k * one.at) for k in range(4)):
            raise Disagreement(f"{name}: a homogeneous function of $h$ on these numbers")
    return tuple(
        Measurement(
            f"{name}: $f(2 h) - 2^{{{one.read}}} f(h)$, moduli summed",
            float(np.sum(np.abs(one.twice - 2.0 ** (one.read + more) * one.at))),
            0.0,
            _SHOWN,
            found.seed,
            "exact: floats are multiplied by powers of two",
            scale=float(np.sum(np.abs(one.twice))),
        )
        for name, one in found.of.items()
        if one.read is not None
    )


DEGREES_IN_INPUT = Argument(
    "Of which degree in $h$ expressions are",
    "floating point",
    _computed,
    0,
    {"one degree more": 1, "one degree less": -1},
    _homogeneous,
    explanation="By an expression's form, and by its values at $h$ and $2 h$. Units of degree one are multiplied as matrices.",
)
