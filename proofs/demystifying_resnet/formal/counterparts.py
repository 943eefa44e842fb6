"""Which theorems of the kernel say a statement, what of it they say, and what they leave.

A theorem counts as it stands in the record of the last build, with the sources as they are now. `sizes` reads off a formal
sentence which sizes it is bound over; a test holds them against those of the statement's clauses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from proofs.demystifying_resnet.formal.kernel import FOLDER, BuildRecord, FormalTheorem, Status, read, status


@dataclass(frozen=True, slots=True)
class Counterpart:
    """Theorems of Theorems.v, what of the statement they say, and what stays outside the kernel."""

    theorems: tuple[str, ...]
    says: str
    leaves: str


_DERIVATIVES = (
    "that the coefficients in a ring with $e_1^2 = e_2^2 = 0$ are the derivatives of a loss that is not polynomial"
)
COUNTERPARTS: Mapping[str, Counterpart] = {
    "DR-L3": Counterpart(
        ("lemma3", "lemma3_loss"),
        "second derivatives, and the loss itself, for all $n$",
        f"third derivatives and above; {_DERIVATIVES}",
    ),
    "DR-L4": Counterpart(("lemma4",), "all of it", _DERIVATIVES),
    "DR-T2.1": Counterpart(
        ("gradient_at_zero", "hessian_at_zero", "loss_of_few_weights"),
        r"the gradient for $n \ge 2$ and the Hessian for $n \ge 3$",
        f"the order of the stationary point as the remainder of a Taylor series; {_DERIVATIVES}",
    ),
    "DR-T2.2": Counterpart(
        ("n2_zero", "n2_entry_normalised", "n2_blocks"), "every entry and every block, of every width", _DERIVATIVES
    ),
    "DR-T2.2e": Counterpart(
        ("n2_char_poly_normalised", "n2_eigenvalues", "n2_eigenvectors", "n2_square"),
        "the characteristic polynomial, so the multiplicities, and eigenvectors from singular pairs",
        "that singular pairs exist over the reals",
    ),
    "DR-T2.2c": Counterpart(
        ("n2_depth_invariant",),
        "the moduli of the eigenvalues are the same at every depth",
        "the quotient of the greatest and the least as a number",
    ),
    "DR-T2.2s": Counterpart(
        ("n2_strict_saddle", "n2_degenerate"), "both directions, in any ordered domain", _DERIVATIVES
    ),
    "DR-T2.3": Counterpart(("n1_entry_normalised", "n1_blocks"), "every entry and every block", _DERIVATIVES),
    "DR-T2.3ab": Counterpart(("n1_linear",), "all of it", "nothing: the loss is a polynomial"),
    "GEN-1": Counterpart(
        ("gen1",),
        "second derivatives of $R$ units from those of one and of two, for any branch and any loss that respect jets",
        f"that somebody's branch respects jets, which is proved for n-shortcut units and attention; {_DERIVATIVES}",
    ),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A counterpart as the record of the last build has it."""

    counterpart: Counterpart
    theorems: tuple[FormalTheorem, ...]
    status: Status
    versions: dict[str, str]


def checked(id_: str) -> Checked | None:
    """What the kernel says of a statement; its status is that of the least of its theorems. None where it says nothing."""
    one = COUNTERPARTS.get(id_)
    record, states = _known()
    if one is None or record is None:
        return None
    by_name = {each.name: each for each in record.theorems}
    found = {states.get(name, "absent") for name in one.theorems}
    worst: Status = next(each for each in ("absent", "stale", "kernel-checked") if each in found)
    return Checked(one, tuple(by_name[name] for name in one.theorems if name in by_name), worst, record.versions)


@cache
def _known() -> tuple[BuildRecord | None, dict[str, Status]]:
    return read(FOLDER), status()


_SIZES = {"width": ("d",), "d": ("d",), "n": ("n",), "m": ("m",), "R": ("R",), "P": ("p",), "T": ("d",)}
"""What the bound names of the formal sentences are: P ranges over the parameters of a unit, T over its coordinates."""


def sizes(theorem: FormalTheorem) -> frozenset[str]:
    """The sizes that a formal sentence is bound over, without a numeral for any of them."""
    bound = re.match(r"forall ((?:\([^()]*(?:\([^()]*\)[^()]*)*\) ?)*)", theorem.sentence)
    groups = re.findall(r"\(([^():]+) : ([^()]*)", bound[1]) if bound else []
    return frozenset(
        size
        for names, kind in groups
        if kind.strip() in {"nat", "nat -> nat", "eqType", "Type"}
        for name in names.split()
        for size in _SIZES.get(name, ())
    )
