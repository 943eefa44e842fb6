"""Write Identities.v: Hessians that the exact side computed with symbols, as goals for Coq's `ring`.

The left-hand sides are the Coq definitions at symbolic weights (the same in every unit) and data, over any commutative
ring; the right-hand sides are polynomials of `symbolic.written.explicit`, times 2m. Each identity has a falsified twin, one
coefficient changed, which `ring` has to reject.

Run as `python -m resproof.proofs.demystifying_resnet.formal.identities`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TypeAlias

from resproof.architectures.activations import generic, identity_activation, polynomial
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, zero
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.written.explicit import loss_series

Activations: TypeAlias = tuple[Activation, Activation, Activation]
PATH = Path(__file__).with_name("Identities.v")
GENERIC: Activations = (generic("pre", at_zero=None), generic("mid"), generic("post"))
LINEAR: Activations = (identity_activation, identity_activation, identity_activation)
QUADRATIC: Activations = (polynomial(1, 1, 1), polynomial(0, 2, -1), polynomial(0, 1, 1))
COQ = {
    identity_activation: "identity K",
    QUADRATIC[0]: "quadratic 1 1 1",
    QUADRATIC[1]: "quadratic 0 2%:R (- 1)",
    QUADRATIC[2]: "quadratic 0 1 1",
}


@dataclass(frozen=True, slots=True)
class SymbolicCase:
    """An n-shortcut network with these layer widths, at symbolic weights or, with generic activations, at zero."""

    name: str
    widths: tuple[int, ...]
    units: int
    samples: int
    activations: Activations

    @property
    def depth(self) -> int:
        """The n of n-shortcut."""
        return len(self.widths) - 1

    @property
    def width(self) -> str:
        """The widths as Coq's function."""
        return f"(nth 0 {_listed(map(str, self.widths))})%N"

    @property
    def steps(self) -> str:
        """What comes before `ring`; at zero the kernel's own theorem, as `ring` does not look into mid(0 + 0 y)."""
        if not self.at_zero:
            return "rewrite /L /w"
        if self.depth == 1:
            return "rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B"
        coupled = f"@Paper.two_coupled K {self.width} _ _ _ _ _ _ _ _ mid0 post0 erefl"
        return f"rewrite [LHS]({coupled});\n  [|by rewrite mem_parameters|by rewrite mem_parameters].\nrewrite /entry /= /mat_M /slope_c"

    @property
    def at_zero(self) -> bool:
        """Whether the weights are zero."""
        return self.activations == GENERIC

    @property
    def expression(self) -> Expression:
        """The unit: h + post(W_n mid(... W_1 pre(h)))."""
        pre, mid, post = (a if a is not identity_activation else None for a in self.activations)
        h = Input(self.widths[0])
        path: Expression = pre(h) if pre else h
        for layer, (columns, rows) in enumerate(zip(self.widths, self.widths[1:], strict=False)):
            start = zero if self.at_zero else normal()
            weight = Weight(rows, columns, initial=start, name=f"W{layer + 1}")
            path = weight @ (mid(path) if layer and mid else path)
        return h + (post(path) if post else path)

    @property
    def places(self) -> list[str]:
        """Every parameter in the papers' order, as Coq writes it."""
        return [f"({r}, ({k}, {i}, {j}))%N" for r in range(self.units) for k, i, j in self.entries()]

    def entries(self) -> Iterator[tuple[int, int, int]]:
        """(l, i, j) of every entry of a unit's matrices, column by column."""
        for layer, (columns, rows) in enumerate(zip(self.widths, self.widths[1:], strict=False)):
            for j in range(columns):
                yield from ((layer, i, j) for i in range(rows))


CASES = (
    SymbolicCase("linear1", (2, 2), 1, 2, LINEAR),
    SymbolicCase("linear2", (1, 1, 1), 2, 2, LINEAR),
    SymbolicCase("linear2k", (2, 1, 2), 1, 1, LINEAR),
    SymbolicCase("linear3", (1, 1, 1, 1), 1, 1, LINEAR),
    SymbolicCase("quadratic1", (1, 1), 2, 1, (QUADRATIC[0], identity_activation, identity_activation)),
    SymbolicCase("quadratic2", (1, 1, 1), 1, 1, (identity_activation, QUADRATIC[1], QUADRATIC[2])),
    SymbolicCase("zero1", (2, 2), 2, 2, GENERIC),
    SymbolicCase("zero2", (2, 1, 2), 2, 2, GENERIC),
)

HEADER = """\
(** * Hessians with symbols, from the exact side

    Written by identities.py. Right-hand sides are polynomials that the project's exact side computed (FLINT, index by
    index); left-hand sides are the definitions, at weights that are symbols and the same in every unit, or at zero with
    any activations. All over an arbitrary commutative ring. After each identity comes a falsified twin, one coefficient
    changed, that [ring] has to reject. *)

From Shortcut Require Import Definitions.
From Shortcut Require Import Spectrum.
From Shortcut Require Paper.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Definition data (K : comRingType) (s : seq (seq K)) (mu i : nat) : K := nth 0 (nth [::] s mu) i.
Definition quadratic (K : comRingType) (a b c : K) : activation K :=
  Activation (fun t => a + b * t + c * t * t) (fun t => b + 2%:R * c * t) (fun=> 2%:R * c).

(** The definitions unfolded down to the ring of jets, then down to K. *)
Ltac expand K :=
  cbv [hess grad moved jet_loss loss_over total_loss sum squared residual shortcut layers acts data nth quadratic
       GRing.exp GRing.natmul iterop iteri nat_of_bool eq_op Equality.op Equality.class Equality.sort
       prod_eqType prod_eqMixin pair_eq nat_eqType nat_eqMixin eqn fst snd andb];
  change (@GRing.add (GRing.Ring.zmodType (GRing.ComRing.ringType (jets K)))) with (@jet_add K);
  change (@GRing.add (GRing.ComRing.zmodType (jets K))) with (@jet_add K);
  change (@GRing.opp (GRing.ComRing.zmodType (jets K))) with (@jet_opp K);
  change (@GRing.zero (GRing.Ring.zmodType (GRing.ComRing.ringType (jets K)))) with (@jet_zero K);
  change (@GRing.mul (GRing.ComRing.ringType (jets K))) with (@jet_mul K);
  cbv [on_jets jet_add jet_mul jet_opp jet_zero cst c0 c1 c2 c12 f0 f1 f2 identity].

(** The identity by [ring], which must fail on the twin whose right-hand side has [extra] more. *)
Ltac settle extra :=
  match goal with |- ?left = ?right => assert_fails (assert (left = right + extra) by ring); ring end.
"""


def section(case: SymbolicCase) -> str:
    """All entries of the upper triangle, each with its twin."""
    network = Network(ResidualUnit(case.expression), case.units)
    series = loss_series(network, {}, samples=case.samples)
    gradient, upper = series.plain(1), series.plain(2)
    twice = 2 * case.samples
    rows, samples = range(1, case.widths[0] + 1), range(1, case.samples + 1)
    data = [f"{side}_{i}_{u}" for side in "xy" for u in samples for i in rows]
    x, y = (_listed(_listed(f"{side}_{i}_{u}" for i in rows) for u in samples) for side in "xy")
    weights = [f"W{k + 1}_{i + 1}_{j + 1}" for k, i, j in case.entries()]
    cases = "".join(
        f"\n  | (_, ({k}%N, {i}%N, {j}%N)) => {name}" for (k, i, j), name in zip(case.entries(), weights, strict=True)
    )
    if case.at_zero:
        names, acts = f"({' '.join(data)} : K) (pre mid post : activation K)", "pre mid post"
        given = "Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).\nLet w (_ : param) : K := 0."
    else:
        names = f"({' '.join([*data, *weights])} : K)"
        acts = " ".join(f"({COQ[a]})" for a in case.activations)
        given = f"Let w (p : param) : K := match p with{cases}\n  | _ => 0 end."
    text = f"""
(** n = {case.depth}, R = {case.units}, widths {", ".join(map(str, case.widths))}, m = {case.samples}. *)
Section {case.name.capitalize()}.
Variables (K : comRingType) {names}.
{given}
Let L := jet_loss {case.depth} {case.width} {case.samples} {case.units} {acts} 1
  (data {x}) (data {y}).
"""
    for a, p in enumerate(case.places if not case.at_zero else ()):
        text += goal(case, f"grad_{a}", f"grad L w {p}", _scaled(gradient.get((a,), {}), twice))
    for a, b in combinations_with_replacement(range(len(case.places)), 2):
        # The series has w_a^2 / 2 where the Hessian has its entry.
        found = _scaled(upper.get((a, b), {}), twice * (2 if a == b else 1))
        text += goal(case, f"hess_{a}_{b}", f"hess L w {case.places[a]} {case.places[b]}", found)
    return text + f"\nEnd {case.name.capitalize()}.\n"


def goal(case: SymbolicCase, name: str, left: str, right: Plain) -> str:
    """The identity, proved together with the rejection of its twin: one coefficient changed by 1."""
    twin = written({next(iter(sorted(right)), ()): Fraction(1)})
    stated = textwrap.fill(
        f"{written(right)}.", 118, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return f"""
Lemma {case.name}_{name} : {left} =
{stated}
Proof.
{case.steps}.
expand K; settle ({twin} : K).
Qed.
"""


def written(plain: Plain) -> str:
    """A polynomial with whole coefficients as a term of K.

    Raises:
        ValueError: a coefficient is not whole.
    """
    shown = ""
    for monomial, coefficient in sorted(plain.items()):
        if coefficient.denominator != 1:
            raise ValueError(f"identities: the coefficient {coefficient} is not whole")
        factors = [_symbol(name) + (f" ^+ {power}" if power > 1 else "") for name, power in monomial]
        size = abs(coefficient.numerator)
        term = " * ".join([f"{size}%:R"] * (size != 1 or not factors) + factors)
        sign = "-" if coefficient < 0 else "+"
        shown += f" {sign} {term}" if shown else (f"- ({term})" if sign == "-" else term)
    return shown or "0"


def _scaled(plain: Plain, factor: int) -> Plain:
    return {monomial: factor * coefficient for monomial, coefficient in plain.items() if coefficient}


def _listed(items: Iterable[str]) -> str:
    return f"[:: {'; '.join(items)}]"


def _symbol(name: str) -> str:
    # W[1,2] is W_1_2, and pre'(x_1_1) is f1 pre x_1_1.
    plain = name.replace("[", "_").replace(",", "_").replace("]", "")
    found = re.fullmatch(r"(\w+)('*)\((\w+)\)", plain)
    return f"f{len(found[2])} {found[1]} {found[3]}" if found else plain


def text() -> str:
    """All of Identities.v."""
    return HEADER + "".join(section(case) for case in CASES)


if __name__ == "__main__":
    PATH.write_text(text())
