"""Exact identity testing on the running network, modulo a prime, at depth 10^5 and more.

L(t v) is expanded along t by Taylor arithmetic through all units, in residues modulo p < 2^24 kept in float64
(`numeric.network.arithmetic`: every product exact), at T random points at once (`residues`). The closed form is
contracted in the same arithmetic: with L_2(v) = sum_r diagonal(v_r) + sum_{s<r} cross(v_s, v_r), the second sum is one
contraction with prefix sums. Directions are drawn a chunk of units at a time, so memory does not grow with depth.

Each coefficient is a polynomial of degree at most D in what is drawn. If it differs from the closed form as a
polynomial over F_p, then the two agree at T independent points with probability at most (D/p)^T (Schwartz, Zippel).
An identity that fails over the rationals but holds modulo p would need a p that divides every coefficient of the
difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from resproof.architectures.forms.terms import IndexSum, Perturbation, Term
from resproof.architectures.networks import Network
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import DataError
from resproof.numeric.modular.degrees import degree_of_coefficients, degree_of_terms
from resproof.numeric.modular.residues import Direction, Placed, RandomPoints, random_points
from resproof.numeric.network.arithmetic import PRIME
from resproof.numeric.spectra.products import POINT, sum_of_terms


@dataclass(frozen=True, slots=True)
class IdentityTest:
    """The outcome: `mismatches` lists the (order, point) where coefficient and closed form differ.

    log2_false_acceptance bounds the probability that a false identity is accepted, (degree / prime)^points.
    """

    mismatches: tuple[tuple[int, int], ...]
    points: int
    prime: int
    degree: int
    log2_false_acceptance: float


@dataclass(frozen=True, slots=True)
class ModularExpansion:
    """The loss's Taylor coefficients of a network along random directions, at T random points modulo a prime."""

    trial: RandomPoints
    coefficients: list[Array | None]
    chunk: int


def expand(
    network: Network,
    order: int,
    sizes: Mapping[str, int],
    ops: Ops,
    *,
    points: int = 8,
    seed: int = 0,
    prime: int = PRIME,
    chunk: int = 512,
) -> ModularExpansion:
    """Coefficients 0..order of t -> L(w_0 + t v), through all units; nothing is known of a closed form.

    Raises:
        ArchitectureError: the unit contains softmax or a normalisation.
        DataError: a dimension without a size.
    """
    return expanded(random_points(network, sizes, ops, points, seed, prime, order), chunk)


def expanded(trial: RandomPoints, chunk: int) -> ModularExpansion:
    """The coefficients at these points."""
    stream = trial.start()
    for directions in trial.directions(trial.network.units, chunk):
        for unit in range(next(iter(directions.values())).shape[0]):
            stream = trial.unit(stream, {name: v[unit, ...] for name, v in directions.items()})
    return ModularExpansion(trial, trial.loss(stream), chunk)


def held_against(found: ModularExpansion, closed_forms: Mapping[int, Sequence[IndexSum] | IndexSum]) -> IdentityTest:
    """Whether the coefficients equal these closed forms; the directions are drawn again, the same.

    Raises:
        DataError: a closed form of another shape, or of a greater order than was expanded.
    """
    trial, network = found.trial, found.trial.network
    if max(closed_forms) > trial.order:
        raise DataError(f"identity test: a closed form of order {max(closed_forms)}; expected at most {trial.order}")
    forms = {order: _split(order, given) for order, given in closed_forms.items()}
    totals = _totals(found, forms)
    mismatches = tuple(
        (order, int(point)) for order in forms for point in _differ(trial, found.coefficients[order], totals[order])
    )
    degree = max(
        degree_of_coefficients(network, trial.order),
        *(degree_of_terms((*f.single.terms, *f.cross.terms), network.unit) for f in forms.values()),
    )
    prime, points = trial.residues.prime, trial.points
    failure = points * math.log2(degree / prime) if degree < prime else 0.0
    return IdentityTest(mismatches, points, prime, degree, failure)


def values(found: ModularExpansion, closed_forms: Mapping[int, IndexSum]) -> dict[int, Array]:
    """Each closed form at the same points, of shape (T,)."""
    return _totals(found, {order: _split(order, given) for order, given in closed_forms.items()})


# The closed form at every depth.


@dataclass(frozen=True, slots=True)
class _SplitForm:
    """A closed form split by the units of its terms."""

    single: IndexSum
    cross: IndexSum


def _split(order: int, given: Sequence[IndexSum] | IndexSum) -> _SplitForm:
    sums = (given,) if isinstance(given, IndexSum) else tuple(given)
    single: list[Term] = []
    cross: list[Term] = []
    for index_sum in sums:
        if index_sum.free:
            raise DataError(f"identity test: the closed form of order {order} has free indices; expected none")
        for term in index_sum.terms:
            units = sorted(t.unit for t, _ in term.factors if isinstance(t, Perturbation))
            if set(units) == {1}:
                single.append(term)
            elif units == [1, 2]:
                cross.append(term)
            else:
                raise DataError(
                    f"identity test: a term of order {order} has units {units}; expected 1 alone, or 1 and 2 once"
                )
    return _SplitForm(IndexSum((), tuple(single)), IndexSum((), tuple(cross)))


def _totals(found: ModularExpansion, forms: Mapping[int, _SplitForm]) -> dict[int, Array]:
    trial, carried = found.trial, _nothing(found.trial)
    totals: dict[int, Array] = {order: trial.ops.zeros((trial.points,)) for order in forms}
    for directions in trial.directions(trial.network.units, found.chunk):
        carried = _accumulate(trial, forms, directions, carried, totals)
    return totals


def _nothing(trial: RandomPoints) -> dict[str, Array]:
    names = trial.network.unit.names
    return {name: trial.ops.zeros((1, trial.points, *trial.program.matrix(weight))) for weight, name in names.items()}


def _accumulate(
    trial: RandomPoints,
    forms: Mapping[int, _SplitForm],
    directions: Direction,
    carried: Direction,
    totals: dict[int, Array],
) -> dict[str, Array]:
    """Adds a chunk's part of the closed forms to `totals`; returns the sums of all directions so far."""
    residues, ops = trial.residues, trial.ops
    before: dict[str, Array] = {}
    after: dict[str, Array] = dict(carried)
    if any(form.cross.terms for form in forms.values()):
        for name, v in directions.items():
            # At most chunk + 1 balanced residues are added: exact.
            sums = residues.reduce(ops.cumulative_sum(ops.concatenate([carried[name], v], 0), 0))
            before[name], after[name] = sums[:-1, ...], sums[-1:, ...]
    for order, form in forms.items():
        places = (
            (form.single, {(name, 1): v for name, v in directions.items()}),
            (
                form.cross,
                {(name, 1): s for name, s in before.items()} | {(name, 2): v for name, v in directions.items()},
            ),
        )
        for index_sum, placed in places:
            if index_sum.terms:
                part = sum_of_terms(Placed(trial, placed), index_sum, {POINT: trial.points})
                totals[order] = residues.add(totals[order], part)
    return after


def _differ(trial: RandomPoints, found: Array | None, expected: Array) -> list[int]:
    difference = expected if found is None else trial.residues.reduce(found - expected)
    return [int(k) for k in np.flatnonzero(trial.residues.canonical(difference))]
