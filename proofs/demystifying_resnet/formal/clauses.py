"""Write Clauses.v: what the statements claim, rendered from their own index strings, as goals for Coq.

A `Claim` of an argument in index notation is two quadratic forms, 1/2 v_1^T D v_1 and v_2^T A v_1. Differentiated in two
weights it is a block of the Hessian: D within a unit, A between a later and an earlier one. Every block becomes a
sentence over a ring in which 2m is invertible (inv_m is 1/m), bound over the sizes of its clause from their least values on, under the statement's
hypotheses, and has to follow from Theorems.v. The claim's neighbouring falsehoods become sentences that must not.

Run as `python -m resproof.proofs.demystifying_resnet.formal.clauses`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    ActivationValue,
    DataTensor,
    Delta,
    Factor,
    LossDerivative,
    Term,
    other_index,
)
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Apply, nodes
from resproof.proofs.beyond.trichotomy import GEN_5, GEN_6
from resproof.proofs.demystifying_resnet.theorem2 import T2_1, T2_2, T2_3, T2_3AB
from resproof.proofs.formulas import plain
from resproof.proofs.routes.hessians import Claim, Forms
from resproof.proofs.statement import Argument, Clause, Context, Statement
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.lift import perturbations
from resproof.symbolic.index.series import Sum, differentiate, freeze

PATH = Path(__file__).with_name("Clauses.v")
STATEMENTS = (T2_2, T2_3, T2_3AB, GEN_5, GEN_6)
"""Those with claims in index notation that a theorem of the kernel speaks of."""
_GRADIENT, _HESSIAN = (f"{entry} (jet_loss %s) (fun=> 0) p{q} = 0" for entry, q in (("grad", ""), ("hess", " q")))
_FEW = "(size ps < n)%N -> (forall q : param, q \\notin ps -> w q = 0) ->\n  loss %s w = loss %s (fun=> 0)"
VANISHING = (
    ("partial derivatives at zero of order 1, ..., n - 1 exist and vanish.", _GRADIENT, "gradient_at_zero"),
    ("partial derivatives at zero of order 1, ..., n - 1 exist and vanish.", _FEW, "loss_of_few_weights"),
    ("the Hessian at zero is the zero matrix.", _HESSIAN, "hessian_at_zero"),
)
"""How a clause of DR-T2.1 ends, what it says, and the theorem: derivatives of order k see k weights at most."""
FREE = {ROW: "i1", COLUMN: "j1", other_index(ROW): "i2", other_index(COLUMN): "j2"}
"""The entry (i1, j1) of one weight and (i2, j2) of the other."""
FLAT = "(mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0)"
Place: TypeAlias = tuple[str, str, str]
"""D or A, and the two weights."""

HEADER = """\
(** * The statements' own claims, from the theorems

    Written by clauses.py from the index strings that the statements' arguments are held to: one sentence for every
    block of the Hessian, D within a unit (not above the diagonal) and A between a later unit r and an earlier s, for
    all sizes of the clause from their least values on. After a claim come its neighbouring falsehoods, which the
    tactic that proves the claim has to leave unproved. *)

From Shortcut Require Import Definitions Sums Theorems.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** Two sums over the samples, equal term by term; an entry of which a theorem gives the value. *)
Ltac samplewise := rewrite ?sumMl -?sumD; apply: eq_sum => mu _ /=; ring.
Ltac settle theorem :=
  apply: (etrans theorem); rewrite ?eqxx -?val_eqE /=;
  try match goal with sr : is_true (nat_of_ord ?s < nat_of_ord ?r)%N |- _ => rewrite (gtn_eqF sr) sr end;
  rewrite /= ?/mat_M ?/mat_A ?/mat_B ?/slope_c /=;
  first [ samplewise | case: (_ == _) => /=; [samplewise | by symmetry; apply: sum_eq0 => mu _ /=; ring] ].
"""


@dataclass(frozen=True, slots=True)
class IndexedClaim:
    """An argument in index notation of a clause, and the forms whose network it is about."""

    id_: str
    clause: Clause
    argument: Argument
    forms: Forms
    flat: bool

    @property
    def name(self) -> str:
        """What its sentences begin with in Coq."""
        return re.sub(r"\W", "_", f"{self.id_}_{self.forms.loss.name}")

    @property
    def shapes(self) -> list[tuple[str, str]]:
        """Rows and columns of every weight, from the first layer on."""
        return [(str(weight.shape[0]), str(weight.shape[1])) for weight in self.forms.unit.names]

    @property
    def squared(self) -> bool:
        """Whether the loss is the squared one; otherwise it is any."""
        return self.forms.loss is squared

    @property
    def linear(self) -> bool:
        """Whether the unit has no activation."""
        return not any(isinstance(node, Apply) for node in nodes(self.forms.unit.expression))

    def blocks(self, claim: Claim) -> dict[Place, str]:
        """The blocks that a claim states, as terms of K."""
        unit, known = self.forms.unit, vocabulary(self.forms.unit, self.forms.loss)
        found: dict[Place, str] = {}
        for letter, text, later in (("D", claim.diagonal, 1), ("A", claim.cross, 2)):
            form = parse(text, known)
            for row, first in perturbations(unit, later).items():
                for column, second in perturbations(unit, 1).items():
                    once = differentiate(form, first, (ROW, COLUMN))
                    twice = differentiate(once, second, (other_index(ROW), other_index(COLUMN)))
                    if letter == "A" or row >= column:
                        found[letter, row, column] = self.written(twice)
        return found

    def written(self, block: Sum) -> str:
        """A sum of terms with whole coefficients as a term of K.

        Raises:
            ValueError: a coefficient is not whole, or Coq has no word for a tensor.
        """
        return " + ".join(self._term(term) for term in freeze(block, {}).terms) or "0"

    def _term(self, term: Term) -> str:
        if term.coefficient.denominator != 1:
            raise ValueError(f"clauses: the coefficient {term.coefficient} is not whole")
        size = term.coefficient.numerator
        factors = [] if size == 1 else [f"{size}%:R" if size >= 0 else f"(- {-size}%:R)"]
        factors += [_scalar(name, power) for name, power in term.scalars]
        factors += [self._factor(factor) for factor in term.factors]
        product = " * ".join(factors)
        for index, dimension in reversed(_summed(term)):
            product = f"sum {dimension} (fun {_letter(index)} => {product})"
        return product

    def _factor(self, factor: Factor) -> str:
        tensor, at = factor[0], [_letter(index) for index in factor[1]]
        match tensor:
            case Delta():
                return "({} == {})%:R".format(*_ordered(at))
            case DataTensor(name=name):
                return f"{name.lower()} {at[1]} {at[0]}"
            case ActivationValue(activation=name, order=order):
                return f"f{order} {name} (x {at[1]} {at[0]})"
            case LossDerivative(order=1):
                return f"(x {at[1]} {at[0]} - y {at[1]} {at[0]})" if self.squared else f"g {at[1]} {at[0]}"
            case LossDerivative(order=2) if not self.squared:
                return f"Q {at[2]} {' '.join(_ordered(at[:2]))}"
            case _:
                raise ValueError(f"clauses: Coq has no word for {tensor.label}")


def _summed(term: Term) -> list[tuple[int, str]]:
    """The summed indices of a term with their dimensions."""
    found = {i: str(n) for tensor, slots in term.factors for i, n in zip(slots, tensor.dims, strict=True) if i >= 0}
    return sorted(found.items())


def _letter(index: int) -> str:
    return FREE.get(index, f"mu{index or ''}")


def _ordered(letters: list[str]) -> list[str]:
    """Of a symmetric tensor: the first weight's index first, as in the theorems."""
    return sorted(letters, key=list(FREE.values()).index)


def _scalar(name: str, power: int) -> str:
    """A power of a size, or of a derivative at zero such as post''(0)."""
    base = f"f{name.count(chr(39))} {name.partition(chr(39))[0]} 0" if name.endswith("(0)") else f"{name}%:R"
    return f"inv_{name}" if power == -1 else base if power == 1 else f"{base} ^+ {power}"


def claims(statement: Statement) -> Iterator[IndexedClaim]:
    """Every claim in index notation of a statement's clauses, in order."""
    for clause in statement.claims:
        for argument in clause.arguments:
            if isinstance(argument, Argument) and isinstance(argument.claim, Claim):
                forms = argument.compute(Context()).value if argument.route == "index notation" else None
                if isinstance(forms, Forms):
                    yield IndexedClaim(statement.id, clause, argument, forms, FLAT_AT_ZERO in statement.hypotheses)


def section(one: IndexedClaim) -> str:
    """Every block of one claim, and for each falsehood the first block that it changes."""
    claimed = one.blocks(one.argument.claim)
    heading = _folded(f"(** {one.id_}, {one.forms.loss.name} loss. {plain(one.clause.sentence)} *)", "")
    text = f"\n{heading}\nSection {one.name}.\n{setting(one)}"
    for place, formula in claimed.items():
        bound, entry = sentence(one, place)
        text += f"\nLemma {one.name}_{'_'.join(place)} : forall {bound},\n  {entry} =\n{_folded(formula)}.\n"
        text += f"Proof.\n{_folded(proof(one, place), '')}.\nQed.\n"
    for name, falsehood in one.argument.neighbours.items():
        changed = one.blocks(falsehood)
        place = next(place for place, formula in claimed.items() if changed[place] != formula)
        bound, entry = sentence(one, place)
        text += f"\n(** Falsehood: {name}. *)\nGoal forall {bound},\n  {entry} =\n{_folded(changed[place])}.\n"
        text += f"Proof.\n{_folded(f'Fail ({proof(one, place)})', '')}.\nAbort.\n"
    return text + f"\nEnd {one.name}.\n"


def _folded(text: str, margin: str = "    ") -> str:
    return textwrap.fill(text, 118, initial_indent=margin, subsequent_indent=margin + "  ", break_on_hyphens=False)


def setting(one: IndexedClaim) -> str:
    """The network with its sizes, hypotheses and loss."""
    sizes = {name: 1 for shape in one.shapes for name in reversed(shape)} | {"m": 1, "R": 1} | dict(one.clause.for_all)
    text = f"Variables (K : comRingType) ({' '.join(sizes)} : nat).\n"
    text += f"Hypotheses {' '.join(f'({n}_least : ({least} <= {n})%N)' for n, least in sizes.items())}.\n"
    for name in ("m", *sorted(sizes.keys() - {"R", "d", "m"})):
        text += f"Variable inv_{name} : K.\nHypothesis inv_{name}P : {name}%:R * inv_{name} = 1.\n"
    depth = len(one.shapes)
    if one.linear:
        text += "Local Notation pre := (identity K).\nLocal Notation mid := pre.\nLocal Notation post := pre.\n"
        text += "Let post0 : f0 post 0 = 0 := erefl.\n"
    else:
        text += "Variables pre mid post : activation K.\n" + (f"Hypotheses {FLAT}.\n" if one.flat else "")
    widths = "; ".join([one.shapes[0][1], *(rows for rows, _ in one.shapes)])
    text += f"Variables x y : nat -> nat -> K.\nLocal Notation width := (nth 0%N [:: {widths}]).\n"
    if one.squared:
        text += "(** kappa = 1/(2m). *)\nVariable kappa : K.\nHypothesis kappaP : kappa *+ 2 = inv_m.\n"
        return text + f"Local Notation L := (jet_loss {depth} width m R pre mid post kappa x y).\n"
    return (
        text
        + f"""\
(** A sample's share of the mean. *)
Variables (ell : nat -> (nat -> jets K) -> jets K) (g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu)
  (fun i => inv_m * g mu i) (fun i k => inv_m * Q mu i k).
Hypothesis symQ : forall mu i k, Q mu i k = Q mu k i.
Let sym mu i k : inv_m * Q mu i k = inv_m * Q mu k i.
Proof. by rewrite symQ. Qed.
Local Notation L := (total_loss (fun=> shortcut width (fun l => on_jets (acts pre mid l)) (on_jets post) {depth}) R m
  ell (fun mu i => cst (x mu i))).
"""
    )


def sentence(one: IndexedClaim, place: Place) -> tuple[str, str]:
    """The bound indices of a block, and the entry of the Hessian."""
    letter, row, column = place
    names = list(one.forms.unit.names.values())
    first, second = names.index(row), names.index(column)
    bounds = zip(FREE.values(), (*one.shapes[first], *one.shapes[second]), strict=True)
    units, other = ("(r s : 'I_R) (sr : (s < r)%N)", "s") if letter == "A" else ("(r : 'I_R)", "r")
    bound = " ".join([units, *(f"({index} : 'I_{size})" for index, size in bounds)])
    at = f"(r : nat, ({first}%N, i1 : nat, j1 : nat)) ({other} : nat, ({second}%N, i2 : nat, j2 : nat))"
    return bound, f"hess L (fun=> 0) {at}"


def proof(one: IndexedClaim, place: Place) -> str:
    """The theorem of Theorems.v that speaks of a block, and what makes the claim of it."""
    depth, apart, coupled = len(one.shapes), place[0] == "A", place == ("D", "W2", "W1")
    intros, units = ("move=> r s sr i1 j1 i2 j2", "r s") if apart else ("move=> r i1 j1 i2 j2", "r r")
    any_loss = "_ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0) ellP"
    if depth == 2 and not coupled:
        zero = "n2_zero" if one.squared else f"(@n2_any_loss_zero {any_loss} _ _ _ _ (fun=> mid0))"
        return f"{intros}; apply: {zero} => //; by rewrite {'(gtn_eqF sr)' if apart else '/layer /= andbF'}"
    at = "i1 j2 j1 i2" if coupled else "i1 j1 i2 j2"
    if one.squared:
        hypotheses = "mid0 post0" if coupled else "post0"
        theorem = f"@n{depth}_entry _ width m R pre mid post kappa x y {hypotheses} {units} {at}"
        return f"{intros}; rewrite -?kappaP; settle ({theorem})"
    return f"{intros}; settle (@n{depth}_any_loss {any_loss} {units} {at} {'(fun=> mid0)' if coupled else 'sym'})"


def order_section() -> str:
    """DR-T2.1: what vanishes, from the least n of each clause on."""
    clauses = [reading for clause in T2_1.claims for reading in (clause, *clause.other_readings)]
    network = "n (fun=> d) m R pre mid post kappa x y"
    text = ""
    for end, says, theorem in VANISHING:
        clause = next(each for each in clauses if plain(each.sentence).endswith(end))
        least = " -> ".join(f"({number} <= {size})%N" for size, number in clause.for_all.items())
        text += f"""
(** DR-T2.1. {plain(clause.sentence)} *)
Lemma DR_T2_1_{theorem} (K : comRingType) ({" ".join(clause.for_all)} : nat) (pre mid post : activation K) kappa x y
    (w : param -> K) (p q : param) (ps : seq param) :
  {least} -> f0 mid 0 = 0 -> f0 post 0 = 0 ->
  {says.replace("%s", network)}.
Proof. by move=> *; apply: {theorem}; eassumption. Qed.
"""
    return text


def text() -> str:
    """All of Clauses.v."""
    return HEADER + order_section() + "".join(section(one) for statement in STATEMENTS for one in claims(statement))


if __name__ == "__main__":
    PATH.write_text(text())
