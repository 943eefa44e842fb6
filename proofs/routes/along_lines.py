"""The exact identity test on units of many kinds, and the degrees that its error probability rests on, seen along a line.

Whatever the test draws (data, directions, random weights, symbols, functions, the derivatives of a loss) is a residue
a + s b here, at the points s = 0, 1, ..., T - 1. A coefficient is then a polynomial in s modulo p, for nearly all a and b
of the degree that it has in what is drawn; and its degree is the greatest k for which a k-th difference does not vanish.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from resproof.architectures.activations import generic, polynomial, softplus, tanh
from resproof.architectures.catalogue import biased, n_shortcut
from resproof.architectures.forms.terms import IndexSum, Perturbation
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, ones
from resproof.numeric.backend import Array, device
from resproof.numeric.modular.degrees import degree_of_coefficients, degree_of_terms
from resproof.numeric.modular.identity import IdentityTest, expand, expanded, held_against, values
from resproof.numeric.modular.residues import random_points
from resproof.numeric.network.arithmetic import PRIME, Residues
from resproof.proofs.statement import Argument, Computed, Context, Measurement
from resproof.symbolic.index.lift import loss_series
from resproof.symbolic.index.series import freeze
from resproof.symbolic.scope import Scope

_POINTS, _UNITS, _CHUNK = 24, 3, 2
_SIZES = {"d": 3, "k": 2, "m": 2, "t": 4}


@dataclass(frozen=True, slots=True)
class _OnALine(Residues):
    """Residues drawn on a line, a point after another along the axis of length _POINTS."""

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
        axis = shape.index(_POINTS)
        ends = tuple(1 if k == axis else n for k, n in enumerate(shape))
        first, step = (Residues.draw(self, generator, ends) for _ in "ab")
        s = np.arange(float(_POINTS)).reshape([-1 if k == axis else 1 for k in range(len(shape))])
        return self.reduce(first + self.ops.asarray(s) * step)


def _started(initial: object) -> ResidualUnit:
    """Weights that start elsewhere than at zero, behind one that starts there."""
    h, w, v, b = Input("d"), Weight("k", "d", initial=initial), Weight("d", "k"), Weight("k")  # pyright: ignore[reportArgumentType]
    return ResidualUnit(h + v @ ((w @ h + Constant(2, "k", "d") @ h) ** 2 + b))


def _of_tokens() -> ResidualUnit:
    h, v, w = Input("d"), Weight("d", "d"), Weight("d", "d", initial=identity_initial)
    return ResidualUnit(h + v @ (tanh(w @ h) @ Constant("mean", "t", "t")))


_CUBIC = polynomial(0, 1, 2, 1, name="cubic")
_CASES: Mapping[str, tuple[ResidualUnit, Loss, int]] = {
    "n = 2": (ResidualUnit(n_shortcut(2, tanh, generic("mid"), tanh)), squared, 2),
    "n = 3, cubic": (ResidualUnit(n_shortcut(3, _CUBIC, tanh, _CUBIC)), squared, 3),
    "n = 1, cross-entropy": (ResidualUnit(n_shortcut(1, tanh, tanh, generic("post"))), cross_entropy, 2),
    "biased": (ResidualUnit(biased(softplus)), squared, 2),
    "biased, cubic": (ResidualUnit(biased(_CUBIC)), cross_entropy, 2),
    "random": (_started(normal()), cross_entropy, 2),
    "ones": (_started(ones), squared, 2),
    "tokens": (_of_tokens(), squared, 2),
    "tokens, cross-entropy": (_of_tokens(), cross_entropy, 2),
}


class Degrees(NamedTuple):
    """That of the last coefficient and of its closed form, and by how much the bounds of both exceed them."""

    coefficient: int
    closed_form: int
    above: tuple[int, int]

    @property
    def chance(self) -> tuple[int, int, int, float]:
        """The points, the prime, D, and the logarithm of (D/p)^T."""
        degree = max(self.coefficient + self.above[0], self.closed_form + self.above[1])
        return _POINTS, PRIME, degree, _POINTS * math.log2(degree / PRIME)


@dataclass(frozen=True, slots=True)
class _MeasuredDegrees:
    """The degrees, and how a coefficient is held against its closed form, by the name of the unit.

    `informed`: whether a prime below the degree says anything.
    """

    degrees: Mapping[str, Degrees]
    tests: Mapping[str, IdentityTest]
    informed: bool
    seed: int


def _computed(context: Context) -> Computed:
    ops, degrees, tests = device(context.device).ops, dict[str, Degrees](), dict[str, IdentityTest]()
    for name, (unit, loss, order) in _CASES.items():
        network, form = Network(unit, _UNITS, loss), closed_form(unit, loss, order)
        drawn = random_points(network, _SIZES, ops, _POINTS, context.seed, PRIME, order)
        found = expanded(replace(drawn, residues=_OnALine(ops)), _CHUNK)
        last, told = found.coefficients[order], values(found, {order: form})[order]
        assert last is not None
        one, other = (_degree(found.trial.residues.canonical(a)) for a in (last, told))
        bounds = degree_of_coefficients(network, order), degree_of_terms(form.terms, unit)
        degrees[name] = Degrees(one, other, (bounds[0] - one, bounds[1] - other))
        tests[name] = held_against(found, {order: form})
    unit, loss, order = _CASES["n = 2"]
    small = expand(Network(unit, _UNITS, loss), order, _SIZES, ops, points=1, prime=5)
    informed = held_against(small, {order: closed_form(unit, loss, order)}).log2_false_acceptance != 0.0
    return Computed(
        _MeasuredDegrees(degrees, tests, informed, context.seed), Scope.of(f"R={_UNITS}, d=3, k=2, m=2, t=4")
    )


def closed_form(unit: ResidualUnit, loss: Loss, order: int) -> IndexSum:
    """Derived in index notation for two units, the second one's own terms left out."""
    form = freeze(loss_series(unit, loss, 2, order)[order], {})
    return replace(form, terms=tuple(term for term in form.terms if any(_is_first(t) for t, _ in term.factors)))


def _is_first(tensor: object) -> bool:
    return isinstance(tensor, Perturbation) and tensor.unit == 1


def _degree(residues: np.ndarray) -> int:
    """The greatest k for which a k-th difference is not 0 modulo p; -1 for the zero polynomial."""
    found = -1
    for k in range(len(residues)):
        found = k if residues.any() else found
        residues = np.diff(residues) % PRIME
    return found


def _as_claimed(found: _MeasuredDegrees, claim: Mapping[str, Degrees]) -> Measurement:
    """How many degrees are others than claimed, and how many points tell a coefficient from its closed form."""
    others = sum(one != claim[name] for name, one in found.degrees.items()) + found.informed
    told = {name: (t.points, t.prime, t.degree, t.log2_false_acceptance) for name, t in found.tests.items()}
    others += sum(one != claim[name].chance for name, one in told.items())
    return Measurement(
        "degrees and points that differ",
        float(others + sum(len(one.mismatches) for one in found.tests.values())),
        0.0,
        f"R={_UNITS}, d=3, k=2, m=2, t=4",
        found.seed,
        f"exact arithmetic modulo $p = {PRIME}$ at {_POINTS} points of a line",
        # D/p for each: the part of degree D in the direction of the line is a polynomial of degree D, too.
        "at most $2^{-17}$",
    )


_DEGREES = {
    "n = 2": Degrees(5, 5, (1, 1)),
    "n = 3, cubic": Degrees(7, 7, (1, 1)),
    "n = 1, cross-entropy": Degrees(7, 7, (1, 1)),
    "biased": Degrees(4, 4, (1, 1)),
    "biased, cubic": Degrees(4, 4, (1, 1)),
    "random": Degrees(11, 11, (0, 1)),
    "ones": Degrees(6, 6, (1, 1)),
    "tokens": Degrees(5, 5, (1, 5)),
    "tokens, cross-entropy": Degrees(5, 5, (1, 5)),
}

DEGREES = Argument(
    "The exact identity test along a line, unit by unit",
    "modular",
    _computed,
    _DEGREES,
    {
        "one degree less": {name: one._replace(coefficient=one.coefficient - 1) for name, one in _DEGREES.items()},
        "bounds that are reached": {name: one._replace(above=(0, 0)) for name, one in _DEGREES.items()},
    },
    _as_claimed,
    explanation=r"The $D$ of $(D/p)^T$: the degree of a coefficient and of its closed form in all that is drawn, by differences, and "
    "by how much the bounds exceed it, which count sizes and constants as well.",
)
"""The degrees that were bounded are those that there are."""
