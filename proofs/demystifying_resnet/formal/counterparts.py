"""Which theorems of the kernel say a statement, what of it they say, and what they leave.

A theorem counts as it stands in the record of the last build, with the sources as they are now. `sizes` reads off a formal
sentence which sizes it is bound over; a test holds them against those of the statement's clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from resproof.proofs.demystifying_resnet.formal.kernel import FOLDER, BuildRecord, Status, read, status
from resproof.proofs.kernel import Checked, Counterpart

README = "proofs/demystifying_resnet/formal/README.md"


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
        ("gradient_at_zero", "hessian_at_zero", "loss_of_few_weights", "any_loss_gradient", "any_loss_hessian"),
        r"the gradient for $n \ge 2$ and the Hessian for $n \ge 3$, also for any loss and activations that differ by layer and unit",
        f"the order of the stationary point as the remainder of a Taylor series; {_DERIVATIVES}",
    ),
    "DR-T2.2": Counterpart(
        ("n2_zero", "n2_entry_normalised", "n2_blocks"), "every entry and every block, of every width", _DERIVATIVES
    ),
    "DR-T2.2e": Counterpart(
        ("n2_char_poly_normalised", "n2_eigenvalues", "n2_eigenvectors", "n2_eigenbasis", "n2_square"),
        "the characteristic polynomial, so the multiplicities, and a basis of eigenvectors from singular pairs",
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
    "DR-T2.3": Counterpart(
        ("n1_entry_normalised", "n1_blocks", "n1_any_loss"),
        "every entry and every block; every entry also for any loss",
        _DERIVATIVES,
    ),
    "DR-T2.3ab": Counterpart(("n1_linear",), "all of it", "nothing: the loss is a polynomial"),
    "GEN-1": Counterpart(
        ("gen1",),
        "second derivatives of $R$ units from those of one and of two, for any branch and any loss that respect jets",
        f"that somebody's branch respects jets, which is proved for n-shortcut units and attention; {_DERIVATIVES}",
    ),
    "GEN-2": Counterpart(
        ("branch_hessian2", "branch_hessian"),
        "orders two and three, of branches that vanish when one of their two, or three and more, layers does",
        f"branches whose order has another reason; {_DERIVATIVES}",
        clauses=(1,),
    ),
    "GEN-5": Counterpart(
        ("n2_any_loss_zero", "n2_any_loss"),
        "every entry for any loss with a second-order expansion, and activations that differ by unit",
        f"what cross-entropy adds; {_DERIVATIVES}",
        clauses=(0,),
    ),
    "GEN-6": Counterpart(
        ("n2_zero", "n2_entry_normalised", "n2_char_poly_normalised", "n2_eigenbasis"),
        "every entry at inner width $k$, and the multiplicity $R k$",
        f"parallel branches; {_DERIVATIVES}",
        clauses=(0,),
    ),
    "GEN-7": Counterpart(
        ("attention_zero", "attention_entry"),
        "every entry at zero values and output, for any attention weights and any queries and keys; among them softmax, whose "
        "weights are equal at zero queries and keys (softmax_is_covered, softmax_at_zero)",
        _DERIVATIVES,
        clauses=(0,),
    ),
}


def checked(id_: str) -> Checked | None:
    """What the kernel says of a statement; its status is that of the least of its theorems. None where it says nothing."""
    one = COUNTERPARTS.get(id_)
    record, states = _known()
    if one is None or record is None:
        return None
    sentences = {each.name: each.sentence for each in record.theorems}
    found = {states.get(name, "absent") for name in one.theorems}
    worst: Status = next(each for each in ("absent", "stale", "kernel-checked") if each in found)
    return Checked(
        one, {name: sentences[name] for name in one.theorems if name in sentences}, worst, record.versions, README
    )


@cache
def _known() -> tuple[BuildRecord | None, dict[str, Status]]:
    return read(FOLDER), status()


_SIZES = {
    **{name: (name,) for name in ("n", "R", "d", "k", "m")},
    "width": ("d", "k"),
    "P": ("p",),
    "T": ("d",),
    "columns": ("t",),
    "S0": ("heads",),
}
"""What the bound names of the formal sentences are: P ranges over the parameters of a unit, T over its coordinates, and
attention weights S0 that differ by row of W_v are those of any number of heads."""


def sizes(sentence: str) -> frozenset[str]:
    """The sizes that a formal sentence is bound over, without a numeral for any of them."""
    groups = [group for bound in _binders(sentence) for group in re.findall(r"\(([^():]+) : ([^()]*)", bound)]
    return frozenset(
        size
        for names, kind in groups
        if kind.strip() in {"nat", "nat -> nat", "eqType", "Type", "nat -> nat -> branch"}
        for name in names.split()
        for size in _SIZES.get(name, ())
    )


def _binders(sentence: str) -> Iterator[str]:
    """What stands behind each "forall" outside brackets, in front of the sentence or behind one of its hypotheses."""
    depth = 0
    for position, letter in enumerate(sentence):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and (found := _FORALL.match(sentence, position)):
            yield found[1]


_FORALL = re.compile(r"\bforall ((?:\([^()]*(?:\([^()]*\)[^()]*)*\) ?)*)")
