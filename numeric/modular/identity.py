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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from resproof.architectures.forms.terms import ActivationValue, IndexSum, Perturbation, Tensor, Term
from resproof.architectures.networks import Network
from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
    read,
)
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import DataError
from resproof.numeric.modular.residues import RandomPoints, placed, random_points
from resproof.numeric.network.arithmetic import PRIME
from resproof.numeric.network.series import Series
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
    coefficients: Series
    chunk: int
    is_identity: bool


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
    trial = random_points(network, sizes, ops, points, seed, prime, order)
    stream = trial.start()
    for directions in trial.directions(chunk):
        for unit in range(next(iter(directions.values())).shape[0]):
            stream = trial.unit(stream, {name: v[unit, ...] for name, v in directions.items()})
    return ModularExpansion(trial, trial.loss(stream), chunk, trial.vanishes(stream[0] - trial.datum("X")))


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
        (order, point) for order in forms for point in _differ(trial, found.coefficients[order], totals[order])
    )
    degree = degree_of_coefficients(network, trial.order) if found.is_identity else trial.residues.prime
    degree = max(degree, *(degree_of_terms((*f.single.terms, *f.cross.terms), network.unit) for f in forms.values()))
    prime, points = trial.residues.prime, trial.points
    failure = points * math.log2(degree / prime) if degree < prime else 0.0
    return IdentityTest(mismatches, points, prime, degree, failure)


# Degrees: the D of (D/p)^T. Data, directions, initial weights, symbols, values and derivatives of functions at data and
# those of the loss count one each.


def degree_of_coefficients(network: Network, order: int) -> int:
    """A bound of the degrees of the loss coefficients 0..order at every depth, of units that start as the identity.

    With U that of a unit's Taylor polynomial in its input's coefficients, its weights and directions, that of the k-th
    coefficient of the stream is at most 1 + k (U - 1), for each unit on the way to a term adds a direction; and so that
    of the loss, v^T Q v / 2 at most, is 3 + k (U - 1).
    """

    def case(node: Expression, recurse: Callable[[Expression], int]) -> int:
        match node:
            case Input() | Weight():
                return 1
            case Constant():
                return 0
            case Einsum() | Multiply():
                return sum(map(recurse, node.operands))
            case Add():
                return max(recurse(node.left), recurse(node.right))
            case Apply():
                # f(u) is a polynomial in u, or f^(k)(u_0) times at most `order` coefficients of u.
                return max(recurse(node.operand) * (node.activation.degree or 0), 1 + order * recurse(node.operand))
            case Softmax() | Normalize():
                raise AssertionError(node)  # `random_points` refuses it
            case _:
                assert_never(node)

    return 3 + order * (read(network.unit.expression, case) - 1)


def degree_of_terms(terms: Iterable[Term], unit: ResidualUnit) -> int:
    """The largest degree of a term: one for each scalar symbol and tensor factor (g = f - y is linear).

    A polynomial activation at data has its degree times that of its argument.
    """
    applied = (node.activation for node in nodes(unit.expression) if isinstance(node, Apply))
    polynomials = {one.name: one.degree for one in applied if one.degree is not None}

    def factor(tensor: Tensor) -> int:
        if isinstance(tensor, ActivationValue) and tensor.activation in polynomials:
            return polynomials[tensor.activation] * degree_of_terms(tensor.argument.terms, unit)
        return 1

    each = (sum(factor(t) for t, _ in term.factors) + sum(abs(n) for _, n in term.scalars) for term in terms)
    return max(each, default=1)


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
    """The closed forms at all points: those of single units, and those of two by sums over the units before."""
    trial, residues, ops = found.trial, found.trial.residues, found.trial.ops
    totals = {order: ops.zeros((trial.points,)) for order in forms}
    matrices = {name: trial.program.matrix(weight) for weight, name in trial.network.unit.names.items()}
    carried = {name: ops.zeros((1, trial.points, *sides)) for name, sides in matrices.items()}
    crossed = any(form.cross.terms for form in forms.values())
    for directions in trial.directions(found.chunk):
        here = {(name, 1): v for name, v in directions.items()}
        both: dict[tuple[str, int], Array] = {(name, 2): v for name, v in directions.items()}
        for name, v in directions.items() if crossed else ():
            # At most chunk + 1 balanced residues are added: exact.
            sums = residues.reduce(ops.cumulative_sum(ops.concatenate([carried[name], v], 0), 0))
            both[name, 1], carried[name] = sums[:-1, ...], sums[-1:, ...]
        for order, form in forms.items():
            for terms, perturbations in ((form.single, here), (form.cross, both)):
                if terms.terms:
                    part = sum_of_terms(placed(trial, perturbations), terms, {POINT: trial.points})
                    totals[order] = residues.add(totals[order], part)
    return totals


def _differ(trial: RandomPoints, found: Array | None, expected: Array) -> list[int]:
    difference = expected if found is None else trial.residues.reduce(found - expected)
    return [int(k) for k in np.flatnonzero(trial.residues.canonical(difference))]
