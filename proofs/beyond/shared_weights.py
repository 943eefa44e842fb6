"""One set of weights for all units, as in a recurrent network: its Hessian, and the scale that keeps it (GEN-12).

Letters as in `proofs.beyond.residual_scale`: D = B + C, B with the branch's own second derivative. What is the same in every
unit meets all blocks of the Hessian in separate weights: R (R - 1)/2 pairs of units where those meet R of them at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import sympy

from resproof.architectures.activations import identity_activation, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_instances import GENERAL, LINEAR, NONLINEAR
from resproof.proofs.beyond.depth_law import CONSTANT
from resproof.proofs.beyond.residual_scale_instances import HALF, Unscaled, unscaled
from resproof.proofs.beyond.two_units import ANY_BLOCK, BRANCH_HYPOTHESIS, IDENTITY_HYPOTHESIS, LOSS_HYPOTHESIS
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import PRINTED, Argument, Clause, Computed, Context, Disagreement, Hypothesis, Induction
from resproof.proofs.theory import growth
from resproof.proofs.theory.growth import DepthGrowth
from resproof.proofs.theory.scaled_branches import scaled
from resproof.proofs.theory.shared_weights import (
    CURVATURE,
    OWN,
    SEEN,
    SHARED,
    STEP,
    pairs_of_units,
    repeated,
    sum_of_blocks,
)
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.matrices import Matrix, add, scale, transpose
from resproof.symbolic.algebra.toeplitz import AT, UNITS, A, D
from resproof.symbolic.index import branches
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# Any branch.

_DEPTHS = (1, 2, 3, 4, 5)


def _of_few_units(vanishing: frozenset[str]) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        found = {f"R = {units}": branches.hessian_form_of_shared(units, vanishing) for units in _DEPTHS}
        shown = r"\tfrac12 w^{\mathsf T} \left(R\, D + \tfrac12 R (R - 1) (A + A^{\mathsf T})\right) w"
        return Computed(found, branches.sizes(*found.values()) & Scope.over(R=_DEPTHS), shown)

    return compute


Count = Callable[[int], Fraction | int]
"""How often something occurs, by the number of units."""


def _forms(
    own: Count = lambda units: units,
    curvature: Count = lambda units: units**2,
    seen: Count = pairs_of_units,
) -> dict[str, str]:
    """So many terms of each kind at every depth; that with Q has R from D, and R (R - 1) halves from A and A^T."""
    parts = ((own, OWN), (curvature, CURVATURE), (seen, SEEN))
    return {f"R = {k}": " + ".join(f"{count(k)} * {form}" for count, form in parts if count(k)) or "0" for k in _DEPTHS}


_FORMS = Argument(
    "Any branch with the same weights in one to five units",
    "index notation",
    _of_few_units(frozenset()),
    _forms(),
    {
        "$R D$ alone": _forms(curvature=lambda units: units, seen=lambda _: 0),
        "each pair of units twice": _forms(curvature=lambda k: k + 2 * k * (k - 1), seen=lambda k: k * (k - 1)),
        "$R^2$ of $D$": _forms(own=lambda units: units**2, seen=lambda _: 0),
        "neighbours alone": _forms(curvature=lambda k: 3 * k - 2, seen=lambda k: k - 1),
    },
    same_sums(branches.TENSORS),
)


# Known blocks, and exact instances.

_REPEATED = (1, 2, 3)


def _known_blocks(_: Context) -> Computed:
    """The catalogue's blocks up to three times with the same weights, written as one unit."""
    found = {
        (name, units): expansion(repeated(unit, units)).forms[1, 1]
        for name, unit in ANY_BLOCK.items()
        for units in _REPEATED
    }
    return Computed(found, index_sizes.of_units(ANY_BLOCK.values()) & Scope.over(R=_REPEATED))


def _same_as_sums(found: Mapping[tuple[str, int], Sum], claim: tuple[Count, Count]) -> None:
    """Pass when each form has so many of D and of A of GEN-1.

    Raises:
        Disagreement: one has others.
    """
    for (name, units), form in found.items():
        own, pairs = (count(units) for count in claim)
        if form != sum_of_blocks(ANY_BLOCK[name], own, pairs):
            raise Disagreement(f"{name}, R={units}: other than {own} D and {pairs} of A and its transpose")


_CATALOGUE = Argument(
    "The catalogue's blocks, up to three times with the same weights as one unit",
    "index notation",
    _known_blocks,
    (lambda units: units, pairs_of_units),
    {
        "without $A$": (lambda units: units, lambda _: 0),
        "$R^2$ of $D$": (lambda units: units**2, pairs_of_units),
        "each pair twice": (lambda units: units, lambda units: units * (units - 1)),
    },
    _same_as_sums,
)


@dataclass(frozen=True, slots=True)
class RecurrentHessian:
    """The exact Hessian of units that share their weights, branches scaled by s, and B, C and A of two that do not."""

    name: str
    units: int
    scale: Fraction
    hessian: Matrix
    parts: Unscaled

    @property
    def pairs(self) -> Matrix:
        """A + A^T."""
        return add(self.parts.below, transpose(self.parts.below))


_TWO = ResidualUnit(n_shortcut(2))
_CASES = {
    "n=1, linear, d=1, y=3x": (LINEAR, Instance([[1]], [[3]])),
    "n=1, pre(t)=t+2t^2, post(t)=2t+t^2, d=1": (NONLINEAR, Instance([[1]], [[Fraction(3, 2)]])),
    "n=1, pre(t)=t+2t^2, post(t)=2t+t^2, d=2, m=2": (NONLINEAR, GENERAL),
    "n=2, linear, d=2, m=2": (_TWO, GENERAL),
}


@lru_cache(maxsize=1)
def recurrent_instances() -> tuple[RecurrentHessian, ...]:
    """Hessians over the rationals of two to four units in the weights that they share, at s = 1 and s = 1/R."""
    return tuple(
        RecurrentHessian(name, units, s, dense(repeated(scaled(unit, s), units), 1, data), unscaled(unit, data))
        for name, (unit, data) in _CASES.items()
        for units in (2, 3, 4)
        for s in (Fraction(1), Fraction(1, units))
    )


Form = Callable[[RecurrentHessian], Matrix]


def _on_instances(
    title: str, claim: Form, falsehoods: Mapping[str, Form], where: Callable[[RecurrentHessian], bool]
) -> Argument:
    def compute(_: Context) -> Computed:
        found = tuple(one for one in recurrent_instances() if where(one))
        return Computed(found, Scope.of(*(f"{one.name}, R={one.units}, s={one.scale}" for one in found)))

    return Argument(title, "explicit", compute, claim, falsehoods, _same_matrices)


def _same_matrices(found: Sequence[RecurrentHessian], claim: Form) -> None:
    for one in found:
        if claim(one) != one.hessian:
            raise Disagreement(f"{one.name}, R={one.units}, s={one.scale}: the Hessian is another")


def _assembled(pairs: Count = pairs_of_units, own: Count = lambda units: units, *, mirrored: bool = True) -> Form:
    def matrix(one: RecurrentHessian) -> Matrix:
        s, parts = one.scale, one.parts
        diagonal = add(scale(s, parts.own), scale(s**2, parts.curvature))
        beside = one.pairs if mirrored else scale(2, parts.below)
        return add(scale(own(one.units), diagonal), scale(s**2 * pairs(one.units), beside))

    return matrix


_INSTANCES = _on_instances(
    "Exact Hessians of two to four units with the same weights, from the blocks of two with separate ones",
    _assembled(),
    {
        "$R D$ alone": _assembled(lambda _: 0),
        "$R (R - 1)$ pairs": _assembled(lambda units: units * (units - 1)),
        "neighbours alone": _assembled(lambda units: units - 1),
        "$R^2 D$": _assembled(own=lambda units: units**2),
        r"$2 A$ in place of $A + A^{\mathsf T}$": _assembled(mirrored=False),
    },
    lambda _: True,
)


def _at_one_over_depth(limit: Fraction = Fraction(1, 2), rest: Fraction = Fraction(1, 2)) -> Form:
    """B + limit (A + A^T) + (C - rest (A + A^T)) / R."""

    def matrix(one: RecurrentHessian) -> Matrix:
        last = add(one.parts.curvature, scale(-rest, one.pairs))
        return add(add(one.parts.own, scale(limit, one.pairs)), scale(Fraction(1, one.units), last))

    return matrix


_INSTANCES_AT_ONE_OVER_DEPTH = _on_instances(
    "Exact Hessians at $s = 1/R$",
    _at_one_over_depth(),
    {
        r"without what is $1/R$ of $A + A^{\mathsf T}$": _at_one_over_depth(rest=Fraction(0)),
        r"$A + A^{\mathsf T}$ in place of half of it": _at_one_over_depth(Fraction(1), Fraction(1)),
        "units do not interact": _at_one_over_depth(Fraction(0), Fraction(0)),
    },
    lambda one: one.scale == Fraction(1, one.units),
)
_INSTANCES_OF_ORDER_TWO = _on_instances(
    "Exact Hessians of two to four units of order two with the same weights",
    _assembled(lambda _: 0),
    {
        "$R^2 D$": _assembled(lambda _: 0, lambda units: units**2),
        "$D$ at every depth": _assembled(lambda _: 0, lambda _: 1),
    },
    lambda one: one.name.startswith("n=2"),
)

# Order two, and order three.

_T1, _FLAT = frozenset({"T1"}), frozenset({"T1", "T2"})


def _without_curvature(count: Count) -> dict[str, str]:
    return _forms(count, lambda _: 0, lambda _: 0)


def _at_order_two(_: Context) -> Computed:
    """What one more unit adds where T1 vanishes, and where T2 does too."""
    parts = {"T1 = 0": branches.one_more_of_shared(_T1), "T1 = T2 = 0": branches.one_more_of_shared(_FLAT)}
    free = branches.sizes(*(one for added in parts.values() for one in (*added.before, added.loss)))
    return Computed(
        {name: added.loss for name, added in parts.items()}, free, r"L_{n+1} - L_n = \tfrac12 w^{\mathsf T} D w"
    )


_ADDED_AT_TWO = {"T1 = 0": OWN, "T1 = T2 = 0": "0"}
_ORDER_TWO = Induction(
    "R",
    Argument(
        "Any branch of order two with the same weights in one to five units",
        "index notation",
        _of_few_units(_T1),
        _without_curvature(lambda units: units),
        {
            "$R^2 D$": _without_curvature(lambda units: units**2),
            "$D$ at every depth": _without_curvature(lambda _: 1),
            "pairs of units": _forms(curvature=lambda _: 0),
        },
        same_sums(branches.TENSORS),
    ),
    Argument(
        "One more unit of order two, or three, with the weights of those before",
        "index notation",
        _at_order_two,
        _ADDED_AT_TWO,
        {
            "those before enter": {**_ADDED_AT_TWO, "T1 = 0": f"{OWN} + n * {SEEN}"},
            "the loss's curvature does": {**_ADDED_AT_TWO, "T1 = 0": f"{OWN} + {CURVATURE}"},
            "order three has a part": {**_ADDED_AT_TWO, "T1 = T2 = 0": OWN},
        },
        same_sums(branches.TENSORS),
    ),
)

# Scales.

_B, _C = (sympy.Symbol(name, commutative=False) for name in ("B", "C"))
_S = sympy.Symbol("s", positive=True)


@lru_cache
def _scaled() -> Any:
    """The sum of all blocks with D = s B + s^2 C and s^2 A for A."""
    whole = toeplitz.same_in_every_unit()["all rows"]
    blocks = {D: _S * _B + _S**2 * _C, A: _S**2 * A, AT: _S**2 * AT}
    return sympy.expand(whole.xreplace(blocks))


def _at_scales(_: Context) -> Computed:
    whole = _scaled()
    found = {
        "s = 1, over the pairs": sympy.expand(whole.subs(_S, 1) * 2 / (UNITS * (UNITS - 1))),
        "s = 1/R": sympy.expand(whole.subs(_S, 1 / UNITS)),
    }
    shown = r"H_R(\tfrac1R) = B + \tfrac12 (A + A^{\mathsf T}) + \tfrac1R \left(C - \tfrac12 (A + A^{\mathsf T})\right)"
    return Computed(found, toeplitz.sizes(toeplitz.same_in_every_unit()), shown)


def _same_factors(found: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Pass when the factors of every block, quotients of polynomials in R, are equal.

    Raises:
        Disagreement: two of them differ.
    """
    for name, computed in found.items():
        if sympy.cancel(computed - claim[name]) != 0:
            raise Disagreement(f"{name}: computed {computed}; claimed {claim[name]}")


_SYMMETRIC = (A + AT) / 2
_LIMITS = {
    "s = 1, over the pairs": 2 * _SYMMETRIC + 2 * (_B + _C) / (UNITS - 1),
    "s = 1/R": _B + _SYMMETRIC + (_C - _SYMMETRIC) / UNITS,
}
_AT_SCALES = Argument(
    r"The sum of all blocks at $s = 1$, over $\tfrac{1}{2} R (R - 1)$, and at $s = 1/R$",
    "identity",
    _at_scales,
    _LIMITS,
    {
        "$D$ stays beside the pairs": {**_LIMITS, "s = 1, over the pairs": 2 * _SYMMETRIC + _B + _C},
        "at $1/R$ units do not interact": {**_LIMITS, "s = 1/R": _B + _C / UNITS},
        "at $1/R$ it tends to $B + A + A^{\\mathsf T}$": {
            **_LIMITS,
            "s = 1/R": _B + 2 * _SYMMETRIC + (_C - 2 * _SYMMETRIC) / UNITS,
        },
        "at $1/R$ it is that of one unit": {**_LIMITS, "s = 1/R": _B + _C},
    },
    _same_factors,
    explanation="The blocks with a scale in front of the branch are those of GEN-9.",
)


def _grows(_: Context) -> Computed:
    """For which a the first term of H_R(R^-a) outgrows all others, where it grows and where all of them vanish."""
    terms = {
        block: sorted(
            ((int(i), int(j)) for i, j in sympy.Poly(_scaled().coeff(block), _S, UNITS).monoms()),  # of s and of R
            key=lambda powers: -powers[1],
        )
        for block in (A, _B, _C)
    }
    cases = {"A + A^T": terms[A] + terms[_B] + terms[_C], "A + A^T = 0": terms[_B] + terms[_C]}
    found = {name: _First(growth.leads(one[0], one[1:]), growth.of_sum(one)) for name, one in cases.items()}
    return Computed(found, toeplitz.sizes(toeplitz.same_in_every_unit()))


class _First(NamedTuple):
    """The a >= 0 for which one term outgrows the others, and for which the greatest one grows, stays and vanishes."""

    leads: Any
    growth: DepthGrowth


def _at(power: Fraction | int) -> DepthGrowth:
    where = sympy.Rational(power)
    grows, vanishes = sympy.Interval.Ropen(0, where), sympy.Interval.open(where, sympy.oo)
    return DepthGrowth(grows, sympy.FiniteSet(where), vanishes)


_UP_TO_ONE, _FROM_ZERO = sympy.Interval.Ropen(0, 1), sympy.Interval.open(0, sympy.oo)
_LEADING = {"A + A^T": _First(_UP_TO_ONE, _at(1)), "A + A^T = 0": _First(_FROM_ZERO, _at(1))}
_GROWTH = Argument(
    "For which $a$ one term of $H_R$, $s = R^{-a}$, outgrows the others, and the terms grow with $R$, stay and vanish",
    "identity",
    _grows,
    _LEADING,
    {
        r"$1/\sqrt{R}$ keeps them, as with separate weights": {
            name: one._replace(growth=_at(Fraction(1, 2))) for name, one in _LEADING.items()
        },
        "no scale keeps them": {name: one._replace(growth=_at(0)) for name, one in _LEADING.items()},
        r"$A + A^{\mathsf T}$ outgrows $B$ at $a = 1$, too": {
            **_LEADING,
            "A + A^T": _First(sympy.Interval(0, 1), _at(1)),
        },
        "$B$ outgrows $C$ at $a = 0$, too": {
            **_LEADING,
            "A + A^T = 0": _First(sympy.Interval(0, sympy.oo), _at(1)),
        },
    },
    explanation=r"The powers of $s$ and $R$ in $\tfrac{1}{2} s^2 R^2 (A + A^{\mathsf T}) + s R B + s^2 R\, (C - \tfrac{1}{2} (A + "
    r"A^{\mathsf T}))$: for $a < 1$ the first term outgrows the others where $A + A^{\mathsf T} \ne 0$, elsewhere, for "
    r"$a > 0$, that with $B$. So they do not cancel it, and $H_R$ grows as it does.",
)


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The blocks of a unit, and the a of s = R^-a."""

    parts: Unscaled
    power: Fraction


# A = 0 at y = 2x, post(t) = t; D = 0 besides at post(t) = t + t^2/2.
_AT_TWO = Instance([[1]], [[2]])
_BENT = ResidualUnit(n_shortcut(1, identity_activation, identity_activation, polynomial(0, 1, HALF)))
_CANCELLED = {"post(t) = t, a = 1/2": (LINEAR, HALF), "post(t) = t + t^2/2, a = 0": (_BENT, Fraction(0))}


def _does_not_grow(_: Context) -> Computed:
    """The Hessian of R = 4 and 9 units of width one that share their weight."""
    found = {
        name: tuple(
            dense(repeated(scaled(unit, Fraction(1, root) if power else 1), root**2), 1, _AT_TWO)[0][0]
            for root in (2, 3)
        )
        for name, (unit, power) in _CANCELLED.items()
    }
    return Computed(found, Scope.of(*(f"n=1, {name}, d=1, m=1, x=1, y=2, R=4, 9" for name in found)))


@property_of({"a": (1, 2), "b": (0, 1)}, not_of=[{"a": (1, 2), "b": (0, 0)}])
def _all_grow(found: Mapping[str, tuple[Any, Any]]) -> bool:
    return all(abs(deeper) > abs(one) for one, deeper in found.values())


SEEN_AT_ALL = Hypothesis(
    r"$B$ or $A + A^{\mathsf T}$ is not zero, and $a > 0$",
    lambda one: (
        one.power > 0 and any(any(row) for row in (*one.parts.own, *add(one.parts.below, transpose(one.parts.below))))
    ),
    fails_on=_Scaled(unscaled(LINEAR, _AT_TWO), HALF),
    holds_on=_Scaled(unscaled(_BENT, _AT_TWO), HALF),
    needed=Argument(
        r"$B = A = 0$ at $y = 2x$; and $B = -C$, $A = 0$ at $a = 0$",
        "explicit",
        _does_not_grow,
        {"post(t) = t, a = 1/2": (1, 1), "post(t) = t + t^2/2, a = 0": (0, 0)},
        {PRINTED: _all_grow},
        matches,
    ),
)

GEN_12 = replace(
    SHARED,
    id="GEN-12",  # by which the registry finds the file
    sentence="",
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, LOSS_HYPOTHESIS),
    uses=("GEN-1", "GEN-2", "GEN-9"),
    setting="All $R$ units have the same weights $w$; $D$ and $A$ are the blocks of GEN-1 for separate weights.",
    clauses=(
        Clause(
            r"The Hessian in $w$ at $w_0$ is $H_R = R D + \tfrac{1}{2} R (R - 1) (A + A^{\mathsf T})$, for every depth.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (Induction("R", _FORMS, STEP), Induction("R", _CATALOGUE, STEP), CONSTANT, _INSTANCES),
        ),
        Clause(
            "Order two: $H_R = R D$, so the condition number is that of one unit at every depth. From order three "
            "on $H_R$ is zero.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (_ORDER_TWO, _INSTANCES_OF_ORDER_TWO),
        ),
        Clause(
            r"Order one: $\frac{2}{R (R - 1)} H_R = A + A^{\mathsf T} + \frac{2}{R - 1} D$, $R \ge 2$; and with branches "
            r"$s F$, $s = 1/R$, $H_R = B + \tfrac{1}{2} (A + A^{\mathsf T}) + \frac{1}{R} (C - \tfrac{1}{2} (A + "
            r"A^{\mathsf T}))$.",
            {"R": 2, "p": 1},
            (CONSTANT, _AT_SCALES, _INSTANCES_AT_ONE_OVER_DEPTH, _INSTANCES),
        ),
        Clause(
            r"With $s = R^{-a}$, $a > 0$, where $B$ or $A + A^{\mathsf T}$ is not zero: $\lvert H_R\rvert$ grows without bound "
            r"for $a < 1$, $H_R$ tends to $B + \tfrac{1}{2} (A + A^{\mathsf T})$ for $a = 1$, and to zero for $a > 1$. So "
            "$1/R$ keeps the Hessian of units that share their weights, if that limit is not zero, where $1/\\sqrt{R}$ keeps "
            r"the greatest modulus of an eigenvalue of units that do not, if $A \ne 0$.",
            {"R": 1, "p": 1},
            (CONSTANT, _GROWTH, _AT_SCALES, _INSTANCES),
            (SEEN_AT_ALL,),
        ),
    ),
    notes=r"The Hessian in $w$ is $J^{\mathsf T} H J$ of that in separate weights, $J$ the same vector in every unit. Where "
    r"$A + A^{\mathsf T}$ is regular, the condition number tends to its own at $s = 1$; at $s = 1/R$ to that of "
    r"$B + \tfrac{1}{2} (A + A^{\mathsf T})$ where this is.",
)

STATEMENTS = (GEN_12,)
