"""D, A and A^T of a unit in index notation, from the forms of two units."""

from __future__ import annotations

from resproof.architectures.forms.terms import HessianTerms
from resproof.architectures.losses import Loss
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import terms_of_forms


def hessian_terms(unit: ResidualUnit, loss: Loss) -> HessianTerms:
    """What the array side contracts."""
    forms = expansion(unit, loss).forms
    return terms_of_forms(unit, forms[1, 1], forms[1, 2])
