"""What is known exactly of the loss of equal units near their initial point: asked once, kept, and passed along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from resproof.architectures.forms.cores import Core, Decomposition
from resproof.architectures.forms.terms import IndexSum, Perturbation
from resproof.architectures.losses import Loss, generic_loss
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.symmetry import alike
from resproof.symbolic.index.leading import linearised
from resproof.symbolic.index.lift import (
    layout,
    meets_kinks,
    network_series,
    pair_forms,
    require_identity,
    stationary_order,
    stream_series,
    unit_series,
)
from resproof.symbolic.index.series import Sum, freeze
from resproof.symbolic.index.structure import by_pairs, cut, gradient_terms

HIGHEST = 6
"""Degrees up to which the branch and the loss are expanded; what is of a higher degree has no Hessian to speak of."""


@dataclass(frozen=True)
class Expansion:
    """The Taylor series of the loss of `unit` repeated, at the initial point, for every depth and size.

    Each part is computed when it is first asked for. `NotIdentityError` and `NotDifferentiableError` say which of
    GEN-1's hypotheses fails.
    """

    unit: ResidualUnit
    loss: Loss

    def require_hessian(self) -> None:
        """Nothing, where the unit passes its input through and the loss has a second-order expansion.

        Raises:
            NotIdentityError: the unit at its initial point is not the identity.
            NotDifferentiableError: the loss has no second-order expansion there.
        """
        require_identity(self.unit)
        if self.meets_kinks:
            _ = self.forms  # what is at a kink may cancel, or be of a higher degree

    @cached_property
    def forms(self) -> Mapping[tuple[int, int], Sum]:
        """1/2 v_1^T D v_1 under (1, 1) and v_2^T A v_1 under (1, 2), unit 2 the later one."""
        return pair_forms(self.unit, self.loss)

    @property
    def diagonal(self) -> IndexSum:
        """1/2 v_1^T D v_1."""
        return freeze(self.forms[1, 1], {})

    @property
    def cross(self) -> IndexSum:
        """v_2^T A v_1."""
        return freeze(self.forms[1, 2], {})

    @cached_property
    def order(self) -> int | None:
        """The least degree in the weights of h -> unit(h) - h at the data; None beyond HIGHEST."""
        return next((degree for degree in range(1, HIGHEST + 1) if _part(self.unit, degree)), None)

    @property
    def branch(self) -> IndexSum:
        """The branch's part of least degree; the empty sum beyond HIGHEST."""
        part = {} if self.order is None else _part(self.unit, self.order)
        return freeze(part, layout(self.unit).output)

    @cached_property
    def stationary(self) -> int | None:
        """How many leading derivatives of the loss vanish, for data in general position; None from HIGHEST."""
        return stationary_order(self.unit, self.loss, HIGHEST)

    @cached_property
    def entering(self) -> Mapping[str, int | None]:
        """For each weight the least degree of a term of the unit's output, at the data, that has it."""
        found: dict[str, int | None] = dict.fromkeys(self.unit.names.values())
        for degree in range(1, HIGHEST + 1):
            missing = {name for name, lowest in found.items() if lowest is None}
            if not missing or (degree > 2 and missing <= self.without_effect):
                break
            for name in _changed(_part(self.unit, degree)):
                found[name] = found[name] or degree
        return found

    @cached_property
    def without_effect(self) -> frozenset[str]:
        """The weights that the output does not depend on, such as a bias of keys: no derivative at any weights."""
        names, first = self.unit.names, alike(self.unit.expression)
        asked, every = {names[first[weight]] for weight in names}, tuple(self.unit.every_name.values())
        # To first order each term has one change of one weight, so that those of different weights cannot cancel.
        linear = unit_series(self.unit, stream_series(self.unit, 1), perturbed=asked, opaque=every)[1]
        absent = asked - _changed(linear)
        return frozenset(name for weight, name in names.items() if names[first[weight]] in absent)

    @cached_property
    def cores(self) -> Decomposition:
        """The cores of the Hessian of several units."""
        return cut(self.unit, self.forms[1, 1], self.forms[1, 2])

    @cached_property
    def by_pairs(self) -> tuple[Core, ...]:
        """The Hessian of several units as a sum of cores of one weight or two."""
        return by_pairs(self.unit, self.forms[1, 1], self.forms[1, 2])

    @cached_property
    def cores_of_one(self) -> Decomposition:
        """The cores of the Hessian of one unit."""
        return cut(self.unit, self.forms[1, 1], {})

    @cached_property
    def gradient(self) -> tuple[tuple[str, IndexSum], ...]:
        """The gradient in one unit's weights."""
        return gradient_terms(self.unit, self.loss)

    @cached_property
    def meets_kinks(self) -> bool:
        """Whether an activation is at its kink at the initial point: the expansion is one-sided there."""
        return meets_kinks(self.unit)


def _changed(summand: Sum) -> frozenset[str]:
    """The weights whose changes occur."""
    return frozenset(t.weight for _, factors in summand for t, _ in factors if isinstance(t, Perturbation))


@lru_cache(maxsize=256)
def _part(unit: ResidualUnit, degree: int) -> Sum:
    """The part of that degree of the unit's output."""
    return network_series([linearised(unit, degree)], degree)[degree]


@lru_cache(maxsize=1024)
def expansion(unit: ResidualUnit, loss: Loss = generic_loss) -> Expansion:
    """The expansion of the loss of this unit, the same object whenever it is asked for."""
    return Expansion(unit, loss)
