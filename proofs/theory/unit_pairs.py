"""GEN-1 in words, and pairs of units grouped by equal Hessian blocks: what GEN-1 and Lemma 4 are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from resproof.architectures.losses import generic_loss
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Statement
from resproof.symbolic.index.lift import pair_forms

TWO_UNITS = Statement(
    id="GEN-1",
    title="Two units determine the Hessian at every depth",
    source=None,
    sentence="If a unit at its initial point $w_0$, the same in every unit, is the identity for every input, then for every depth "
    r"$R$ the Hessian there is $I \otimes D + L \otimes A + L^{\mathsf T} \otimes A^{\mathsf T}$ with $D$ the block of "
    "one unit, $A$ the block between a later and an earlier unit and $L$ the strictly lower triangular matrix of ones.",
    latex=r"H_R = I_R \otimes D + L_R \otimes A + L_R^{\mathsf T} \otimes A^{\mathsf T}",
)
"""What GEN-1 says; what is offered for it comes with any unit (`proofs.beyond`) or with one (`proofs.block`)."""

Pairs: TypeAlias = set[frozenset[tuple[int, int]]]
"""Pairs (r, s), r <= s, in groups."""


def classes(forms: Mapping[tuple[int, int], object]) -> Pairs:
    """The pairs of units (r, s), r <= s, grouped by equal forms."""
    groups: list[tuple[object, set[tuple[int, int]]]] = []
    for pair, form in forms.items():
        group = next((members for other, members in groups if other == form), None)
        if group is None:
            groups.append((form, {pair}))
        else:
            group.add(pair)
    return {frozenset(members) for _, members in groups}


def classes_of_three(unit: ResidualUnit) -> Pairs:
    """The classes of equal blocks of three of these units, any loss; where A = D = 0 there is one."""
    return classes(pair_forms(unit, generic_loss, 3))


def grouped(units: int, key: Callable[[int, int], object]) -> Pairs:
    """The pairs of units grouped by `key`."""
    pairs = [(r, s) for r in range(1, units + 1) for s in range(r, units + 1)]
    return {frozenset(p for p in pairs if key(*p) == key(*pair)) for pair in pairs}


CLASSES = grouped(3, lambda r, s: r == s)
"""Three units: the pairs with r = s, and those with r < s."""
ONE_CLASS = grouped(3, lambda r, s: True)
NEIGHBOURING_CLASSES = {
    "they depend on the distance $s - r$": grouped(3, lambda r, s: s - r),
    "they do not depend on $r$ and $s$": ONE_CLASS,
    "the first unit is special": grouped(3, lambda r, s: (r == s, r == 1)),
}
