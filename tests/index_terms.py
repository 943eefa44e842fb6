"""D, A and A^T of a unit in index notation, from the forms of two units."""

from __future__ import annotations

from architectures.losses import Loss
from architectures.networks import ResidualUnit
from architectures.terms import HessianTerms
from symbolic.index.expansion import expansion
from symbolic.index.lift import terms_of_forms


def hessian_terms(unit: ResidualUnit, loss: Loss) -> HessianTerms:
    """What the array side contracts."""
    forms = expansion(unit, loss).forms
    return terms_of_forms(unit, forms[1, 1], forms[1, 2])
