"""Write Examples.v: the definitions of the Coq development evaluated, beside the array side's numbers.

Weights, data and coefficients are small whole numbers and activations are polynomials, so the array side is exact. Its
loss is 1/(2m) sum |f - y|^2; everything here is for the sum itself, 2m times that.

Run as `python -m resproof.proofs.demystifying_resnet.formal.examples`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.activations import polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops_of
from resproof.numeric.network.adjoint import gradient, hvp, outputs, value
from resproof.numeric.network.parameters import flatten, parameter_count, unflatten

Table: TypeAlias = Any
PATH = Path(__file__).with_name("Examples.v")


@dataclass(frozen=True, slots=True)
class Case:
    """An n-shortcut network with layer widths d, k, ..., k, d at whole weights (none: zero), on m samples x, y."""

    name: str
    widths: tuple[int, ...]
    units: int
    pre: tuple[int, ...]
    mid: tuple[int, ...]
    post: tuple[int, ...]
    x: tuple[tuple[int, ...], ...]
    y: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...] = ()

    @property
    def depth(self) -> int:
        """The n of n-shortcut."""
        return len(self.widths) - 1

    @property
    def expression(self) -> Expression:
        """The unit."""
        inner = self.widths[1] if self.depth > 1 else None
        acts = [polynomial(*c) for c in (self.pre, self.mid, self.post)]
        return n_shortcut(self.depth, *acts, inner_width=inner, width=self.widths[0])


CASES = (
    Case("a", (1, 1), 1, (0, 1), (0, 1), (0, 1), ((2,),), ((-1,),)),
    Case("b", (1, 1), 2, (1, 0, 1), (0, 1), (0, 2, -1), ((1,), (-1,)), ((3,), (0,)), (1, -1)),
    Case("c", (2, 2), 2, (1, 0, 1), (0, 1), (0, 1, 3), ((1, -2), (3, 1)), ((0, 1), (2, -1))),
    Case("d", (2, 2), 2, (0, 1, 1), (0, 1), (0, -1, 1), ((1, -1),), ((2, 1),), (1, 0, -1, 2, 1, -1, 0, 1)),
    Case("e", (1, 1, 1), 1, (2, 1), (0, 3, 1), (0, 1, 1), ((1,), (2,)), ((0,), (-3,)), (1, -2)),
    Case("f", (2, 2, 2), 1, (0, 1), (0, 1), (0, 1), ((1, 2),), ((-1, 3),), (1, 0, 2, -1, 1, 1, -2, 0)),
    Case("g", (2, 1, 2), 2, (0, 1, 1), (0, 2, 1), (0, 1, -1), ((1, 0), (2, -1)), ((0, 0), (1, 1))),
    Case("h", (2, 2, 2), 2, (1, 1), (0, 2, -1), (0, 3, 1), ((1, -2), (0, 1)), ((1, 1), (-1, 2))),
    Case("i", (1, 2, 1), 2, (0, 1), (1, 1, 1), (2, 1), ((2,),), ((1,),), (1, -1, 0, 1, 1, 0, -1, 1)),
    Case("j", (1, 1, 1, 1), 2, (1, 2), (0, 1, 1), (0, 1, -1), ((1,), (-2,)), ((2,), (1,))),
    Case("k", (1, 1, 1, 1), 2, (0, 1, 1), (0, 2, 1), (0, 1), ((1,),), ((3,),), (1, -1, 1, -1, 0, 1)),
    Case("l", (2, 2, 2, 2), 1, (0, 1), (0, 1), (0, 1), ((1, -1),), ((0, 2),), (1, 0, 2, 1, 0, 1, -1, 1, 1, 1, 0, -1)),
)


@dataclass(frozen=True, slots=True)
class ExampleValues:
    """Value, gradient and Hessian of 2m L in parameter order, as whole numbers."""

    value: int
    gradient: list[int]
    hessian: list[list[int]]


def evaluate(expression: Expression, units: int, x: np.ndarray, y: np.ndarray, weights: Sequence[int]) -> ExampleValues:
    """The array side's numbers; x, y: (d, m), or (m, d, t) for a unit that mixes columns; no weights: zeros.

    Raises:
        ValueError: a number is not whole.
    """
    network = Network(ResidualUnit(expression), units)
    unit, twice = network.unit, 2 * (x.shape[0] if x.ndim == 3 else x.shape[1])
    count = units * parameter_count(unit, {})
    point = unflatten(unit, np.array(weights or [0] * count, dtype=float), units, {})
    tangents = unflatten(unit, np.eye(count), units, {})
    rows = flatten(unit, hvp(network, point, tangents, x, y))
    slope = flatten(unit, gradient(network, point, x, y))
    return ExampleValues(
        _whole(twice * value(network, point, x, y)),
        [_whole(twice * a) for a in slope],
        [[_whole(twice * a) for a in row] for row in rows],
    )


def _whole(a: float) -> int:
    if a != round(a) or abs(a) >= 2.0**53:
        raise ValueError(f"examples: {a!r} is not a whole number")
    return round(a)


def table(entries: Table) -> str:
    """Nested lists of whole numbers in MathComp's notation."""
    return f"[:: {'; '.join(map(table, entries))}]" if isinstance(entries, Sequence) else str(entries)


HEADER = """\
(** * The definitions evaluated

    Written by examples.py, which computes the right-hand sides with the project's array side (reverse mode over NumPy,
    no jets): value, gradient and Hessian of 2 m L at zero and at other weights. The left-hand sides are the definitions
    of Definitions.v themselves, run by the kernel over the integers. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra ssrZ.
From Shortcut Require Import Definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope Z_scope.

(** Polynomials by their coefficients, as activations with their derivatives. *)
Fixpoint horner (c : seq Z) (t : Z) : Z := if c is a :: c' then a + t * horner c' t else 0.
Fixpoint times_from (k : Z) (c : seq Z) : seq Z := if c is a :: c' then k * a :: times_from (k + 1) c' else [::].
Definition derivative (c : seq Z) := times_from 1 (behead c).
Definition poly (c : seq Z) := Activation (horner c) (horner (derivative c)) (horner (derivative (derivative c))).

(** Data and weights from lists: x mu i, and weights in the order of [parameters]. *)
Definition data (s : seq (seq Z)) (mu i : nat) : Z := nth 0 (nth [::] s mu) i.
Definition weights (Q : eqType) (qs : seq Q) (s : seq Z) (q : Q) : Z := nth 0 s (index q qs).

Definition gradient (Q : eqType) (L : (Q -> jet Z) -> jet Z) (w : Q -> Z) qs := [seq grad L w q | q <- qs].
Definition hessian (Q : eqType) (L : (Q -> jet Z) -> jet Z) (w : Q -> Z) qs :=
  [seq [seq hess L w p q | q <- qs] | p <- qs].

(** Columns and rows of a d x d matrix, stacked column by column. *)
Definition square d : seq (nat * nat) := [seq (j, i) | j <- iota 0 d, i <- iota 0 d].
"""


def network_example(case: Case) -> str:
    """A network's value, gradient and Hessian."""
    x, y = (np.array(a, dtype=float).T for a in (case.x, case.y))
    found = evaluate(case.expression, case.units, x, y, case.weights)
    c, n, m = case.name, case.depth, len(case.x)
    at = "zero" if not case.weights else f"w = {', '.join(map(str, case.weights))}"
    arguments = f"{n} width_{c} {m} {case.units} pre_{c} mid_{c} post_{c} 1 x_{c} y_{c}"
    return f"""
(** n = {n}, R = {case.units}, widths {", ".join(map(str, case.widths))}, m = {m}, at {at}. *)
Definition width_{c} l := nth 0%N {table(case.widths)}%N l.
Definition pre_{c} := poly {table(case.pre)}.
Definition mid_{c} := poly {table(case.mid)}.
Definition post_{c} := poly {table(case.post)}.
Definition x_{c} := data {table(case.x)}.
Definition y_{c} := data {table(case.y)}.
Definition ps_{c} := parameters width_{c} {n} {case.units}.
Definition w_{c} := weights ps_{c} {table(case.weights)}.
Definition loss_{c} := loss {arguments}.
Definition jets_{c} := jet_loss {arguments}.
Example value_{c} : loss_{c} w_{c} = {found.value}.
Proof. by vm_compute. Qed.
Example gradient_{c} : gradient jets_{c} w_{c} ps_{c} =
  {table(found.gradient)}.
Proof. by vm_compute. Qed.
Example hessian_{c} : hessian jets_{c} w_{c} ps_{c} =
  {_rows(found.hessian)}.
Proof. by vm_compute. Qed.
"""


def _rows(entries: Sequence[Sequence[int]]) -> str:
    return "[:: " + ";\n      ".join(map(table, entries)) + "]"


def product_example(case: Case) -> str:
    """The Hessian times a direction."""
    x, y = (np.array(a, dtype=float).T for a in (case.x, case.y))
    found = evaluate(case.expression, case.units, x, y, case.weights)
    direction = [(-1) ** i * (i + 1) for i in range(len(found.gradient))]
    product = [int(a) for a in np.array(found.hessian) @ np.array(direction)]
    c = case.name
    return f"""
Example product_{c} : [seq hess_times jets_{c} w_{c} ps_{c} (weights ps_{c} {table(direction)}) p | p <- ps_{c}] =
  {table(product)}.
Proof. by vm_compute. Qed.
"""


def closed_form_example(case: Case) -> str:
    """M and c of n = 2, or B and A of n = 1, at zero: the blocks of the array side's Hessian."""
    x, y = (np.array(a, dtype=float).T for a in (case.x, case.y))
    hessian = np.array(evaluate(case.expression, case.units, x, y, ()).hessian)
    d, k, c = case.widths[0], case.widths[1], case.name
    given = f"x_{c} y_{c}"
    if case.depth == 2:
        # Rows (i, 0) of the second layer, columns (0, j) of the first, in the first unit.
        block = hessian[d * k : d * k + d, 0 : d * k : k]
        return f"""
Example mat_M_{c} : [seq [seq 2 * (slope_c mid_{c} post_{c} * mat_M {len(case.x)} pre_{c} {given} i j)
    | j <- iota 0 {d}] | i <- iota 0 {d}] = {table(block.tolist())}.
Proof. by vm_compute. Qed.
"""
    size = d * d
    blocks = {"B": hessian[:size, :size], **({"A": hessian[size : 2 * size, :size]} if case.units > 1 else {})}
    return "".join(
        f"""
Example mat_{letter}_{c} : [seq [seq 2 * mat_{letter} {len(case.x)} pre_{c} post_{c} {given} p.2 p.1 q.2 q.1
    | q <- square {d}] | p <- square {d}] =
  {_rows(block.tolist())}.
Proof. by vm_compute. Qed.
"""
        for letter, block in blocks.items()
    )


def matrix_examples(case: Case) -> str:
    """The matrices of Eq. 24 and 25, for width 2: P takes vec V to vec V^T; a block of the Hessian; [hess_matrix]."""
    x, y = (np.array(a, dtype=float).T for a in (case.x, case.y))
    hessian = np.array(evaluate(case.expression, case.units, x, y, case.weights).hessian)
    d, c = 2, case.name
    # vec stacks columns, so it is the transpose read row by row.
    transposed = [np.eye(d * d)[b].reshape(d, d).reshape(-1, order="F") for b in range(d * d)]
    permutation = np.array(transposed, dtype=int).T
    size, start = d * d, case.depth * d * d
    block = hessian[start + size : start + 2 * size, start : start + size]
    n = np.array([[1, 2], [3, 4]])
    return f"""
Ltac by_entries := case=> [[|[|[|[|//]]]] ?] [[|[|[|[|//]]]] ?]; rewrite mxE; vm_compute; reflexivity.
Definition matrix (s : seq (seq Z)) i j := nth 0 (nth [::] s i) j.

Example perm_P_2 : forall a b : 'I_(2 * 2), perm_P [comRingType of Z] 2 a b =
  matrix {table(permutation.tolist())} a b.
Proof. by_entries. Qed.
Example block_diag_2 : forall a b : 'I_(2 * 2), block_diag 2 (matrix {table(n.tolist())}) a b =
  matrix {table(np.kron(np.eye(d, dtype=int), n).tolist())} a b.
Proof. by_entries. Qed.
Example hess_block_{c} : forall a b : 'I_(2 * 2), hess_block 2 jets_{c} w_{c} 1 1 1 0 a b =
  matrix {table(block.tolist())} a b.
Proof. by_entries. Qed.

(** [hess_matrix] is the table of the entries. *)
Lemma hess_matrix_table L (w : nat * place -> Z) ps a b : hess_matrix L w ps a b = matrix (hessian L w ps) a b.
Proof.
by rewrite mxE /matrix /hessian (nth_map (0%N, (0%N, 0%N, 0%N))) // (nth_map (0%N, (0%N, 0%N, 0%N))).
Qed.
"""


JETS = """
(** Jets: products, and a polynomial's action against its value in the ring of jets. *)
Definition u : jets [comRingType of Z] := Jet 2 3 5 7.
Definition v : jets [comRingType of Z] := Jet (-1) 4 0 2.
Example jet_product : (u * v)%R = {product}.
Proof. by vm_compute. Qed.
Example jet_polynomial : on_jets (poly [:: 4; -3; 2; 1]) u =
  (cst 4 + cst (-3) * u + cst 2 * u * u + u * u * u)%R.
Proof. by vm_compute. Qed.
Example jet_sums : (jet_add u v, jet_opp u, jet_add u (jet_zero _), jet_mul u (jet_one _)) =
  (Jet 1 7 5 9, Jet (-2) (-3) (-5) (-7), u, u).
Proof. by vm_compute. Qed.
Example jet_maps : (swap u, drop2 u, on_jets (identity _) u) = (Jet 2 5 3 7, Jet 2 3 0 0, u).
Proof. by vm_compute. Qed.

(** Places in the paper's order (r, l, j, i). *)
Example parameters_order : parameters (fun l => nth 0 [:: 2; 1; 2] l)%N 2 1 =
  [:: (0, (0, 0, 0)); (0, (0, 0, 1)); (0, (1, 0, 0)); (0, (1, 1, 0))]%N.
Proof. by []. Qed.
"""


def jets() -> str:
    """The product of two jets, by multiplying polynomials in e1, e2."""
    u, v = np.array([[2, 5], [3, 7]]), np.array([[-1, 0], [4, 2]])
    full = np.zeros((3, 3), dtype=int)
    for i, j in np.ndindex(2, 2):
        full[i : i + 2, j : j + 2] += u[i, j] * v
    return JETS.format(product=f"Jet ({full[0, 0]}) ({full[1, 0]}) ({full[0, 1]}) ({full[1, 1]})")


PAIR = r"""
(** A singular pair of M and its eigenvectors: n = 2, width 2, M = Y' with X = I, Y = I - M, so M v = 3 u. *)
Definition pair_data := (data [:: [:: 1; 0]; [:: 0; 1]], data [:: [:: 0; -2]; [:: -2; 0]]).
Definition pair_loss R := jet_loss 2 (fun=> 2%N) 2 R (identity _) (identity _) (identity _) 1 pair_data.1 pair_data.2.
Example pair_M : [seq [seq mat_M 2 (identity _) pair_data.1 pair_data.2 i j | j <- iota 0 2] | i <- iota 0 2] =
  [:: [:: 1; 2]; [:: 2; 1]].
Proof. by vm_compute. Qed.
Example pair_is_singular :
  singular_pair 2 (mat_M 2 (identity _) pair_data.1 pair_data.2) 3 (fun=> 1) (fun=> 1).
Proof. by split=> [[|[|//]]|[|[|//]]] _; vm_compute. Qed.
Example pair_eigenvectors : forall e, e \in [:: 1; -1] ->
  let w := pair_direction e (fun r a => Z.of_nat (2 * r + a + 1)) (fun _ _ => 1) (fun _ _ => 1) in
  let ps := parameters (fun=> 2%N) 2 2 in
  [seq hess_times (pair_loss 2) (fun=> 0) ps w p | p <- ps] = [seq e * (2 * 3) * w p | p <- ps].
Proof. by move=> e; rewrite !inE => /orP[] /eqP->; vm_compute. Qed.
"""


def output_example(case: Case) -> str:
    """The network's outputs, sample by sample, and what [layers] adds in the first unit where post is the identity."""
    x = np.array(case.x, dtype=float).T
    network = Network(ResidualUnit(case.expression), case.units)
    point = unflatten(network.unit, np.array(case.weights, dtype=float), case.units, {})
    found = [[_whole(a) for a in column] for column in outputs(network, point, x).T]
    first = replace(case, units=1, weights=case.weights[: len(case.weights) // case.units])
    alone = Network(ResidualUnit(first.expression), 1)
    moved = outputs(alone, unflatten(alone.unit, np.array(first.weights, dtype=float), 1, {}), x) - x
    c, m, d = case.name, len(case.x), case.widths[0]
    acts = f"(fun l => f0 (acts pre_{c} mid_{c} l))"
    return f"""
(** The outputs of [residual], and what the [layers] of its first unit make of the data, where post is the identity. *)
Example outputs_{c} : [seq [seq residual (fun=> shortcut width_{c} {acts} (f0 post_{c}) {case.depth}) {case.units}
    w_{c} (x_{c} mu) i | i <- iota 0 {d}] | mu <- iota 0 {m}] = {table(found)}.
Proof. by vm_compute. Qed.
Example layers_{c} : [seq [seq layers width_{c} {acts} {case.depth}
    (fun p => w_{c} (0%N, p)) (x_{c} mu) i | i <- iota 0 {d}] | mu <- iota 0 {m}] =
  {table([[_whole(a) for a in column] for column in moved.T])}.
Proof. by vm_compute. Qed.
Example places_{c} : [seq layer p | p <- places width_{c} {case.depth}] =
  {table([k for k in range(case.depth) for _ in range(case.widths[k] * case.widths[k + 1])])}%N.
Proof. by []. Qed.
"""


def expansion_example() -> str:
    """Squared loss along two jets by its gradient and second derivative, which the array side gives."""
    x, y = np.array([[3.0], [-1.0]]), np.array([[1.0], [2.0]])
    slope = [2 * _whole(a) for a in squared.gradient(ops_of(x), x, y)[:, 0]]
    rows = [[2 * _whole(a) for a in squared.curvature(ops_of(x), x, y, e[:, None])[:, 0]] for e in np.eye(2)]
    return f"""
(** [expands]: the squared loss, 2 m times, along jets through x = (3, -1), y = (1, 2); the array side's derivatives. *)
Definition along (t : nat) : jet Z := nth (Jet 0 0 0 0) [:: Jet 3 2 (-1) 4; Jet (-1) 1 5 (-2)] t.
Definition square_loss := squared (cst 1) 2 (fun _ i => cst (nth 0 [:: 1; 2] i)) 0%N.
Definition slope t := nth 0 {table(slope)} t.
Definition curvature t u := nth 0 (nth [::] {table(rows)} t) u.
Definition total (f : nat -> Z) := f 0%N + f 1%N.
Example expansion_along : (c1 (square_loss along), c12 (square_loss along)) =
  (total (fun t => slope t * c1 (along t)),
   total (fun t => slope t * c12 (along t) + total (fun u => curvature t u * (c1 (along t) * c2 (along u))))).
Proof. by vm_compute. Qed.
"""


PROPERTIES = """
(** The properties that Part C asks for can fail. A wrong gradient is none: *)
Example wrong_gradient : ~ expands [:: 0%N] (fun f : nat -> jet Z => f 0%N) (fun=> 0) (fun=> 2) (fun _ _ => 0).
Proof. by move/(_ (fun=> Jet 0 1 0 0)) => -[//|+ _]; rewrite big_seq1; vm_compute. Qed.
(** post(0) = 2 in example i: at zero weights the branch does not vanish. *)
Example offset_branch :
  ~ vanishes layer 2 (shortcut width_i (fun l => f0 (acts pre_i mid_i l)) (f0 post_i) 2 : branch _ place nat).
Proof. by move/(_ 0%N (fun=> 0) (x_i 0) isT (fun _ _ => erefl) 0%N); vm_compute. Qed.
(** A branch that forgets e2 treats e1 and e2 differently. *)
Example forgetful_branch : ~ carries swap (fun (_ : place -> jets [comRingType of Z]) h (t : nat) => drop2 (h t))
  (fun _ h t => drop2 (h t)).
Proof. by move/(_ (fun=> u) _ (fun=> u) _ (fun=> erefl) (fun=> erefl) 0%N); vm_compute. Qed.
Example layers_of_parts :
  (layer_of (inl (1, 0, 2)%N : place + place), layer_of (inr (1, 0, 2)%N : place + place)) =
  (1, 2)%N.
Proof. by []. Qed.
"""


def columns_example() -> str:
    """Two layers over pre(h) on a sample of two columns: the 2-shortcut unit, whose samples are its columns."""
    x, y, weights = ((1, -1), (2, 1)), ((0, 1), (1, -2)), (1, -1, 2, 1)
    pre, mid, post = (1, 1), (0, 2, 1), (0, 1, -1)
    case = Case("columns", (2, 1, 2), 1, pre, mid, post, x, y, weights)
    found = evaluate(case.expression, 1, np.array(x, dtype=float).T, np.array(y, dtype=float).T, weights)
    return f"""
(** Two columns of one sample: [two_layers] with G = pre. Coordinate i of column t is [data s t i]. *)
Definition squares d columns (y : nat * nat -> jet Z) (mu : nat) (f : nat * nat -> jets [comRingType of Z]) :=
  sum d (fun i => sum columns (fun t => (f (i, t) - y (i, t)) ^+ 2))%R.
Definition column s (it : nat * nat) : Z := data s it.2 it.1.
Definition two_columns := total_loss (fun=> two_layers 1 2 (on_jets (poly {table(mid)})) (on_jets (poly {table(post)}))
    (fun _ (_ : unit -> jets [comRingType of Z]) h jt => on_jets (poly {table(pre)}) (h jt)))
  1 1 (squares 2 2 (fun it => cst (column {table(y)} it)))
  (fun _ it => cst (column {table(x)} it)).
Definition ps_columns : seq (nat * (place + unit)) :=
  [seq (p.1, inl p.2) | p <- parameters (fun l => nth 0 [:: 2; 1; 2] l)%N 2 1].
Example gradient_columns : gradient two_columns (weights ps_columns {table(weights)}) ps_columns =
  {table(found.gradient)}.
Proof. by vm_compute. Qed.
Example hessian_columns : hessian two_columns (weights ps_columns {table(weights)}) ps_columns =
  {_rows(found.hessian)}.
Proof. by vm_compute. Qed.
"""


def linear_attention() -> Expression:
    """h + O V h (K h)^T (Q h): attention with the scores themselves as weights, inner widths 1, width 2."""
    h = Input(2)
    q, k, v, o = Weight(1, 2, name="Q"), Weight(1, 2, name="K"), Weight(1, 2, name="V"), Weight(2, 1, name="O")
    return h + o @ (v @ h) @ ((k @ h).T @ (q @ h))


def attention_example() -> str:
    """Linear attention at weights that are not zero, and at V = O = 0 with queries and keys that are not."""
    expression, x, y = linear_attention(), ((1, 2), (-1, 1)), ((0, 1), (2, 0))
    # W_v and W_o are layers 0 and 1, keys and queries further weights.
    side = {"V": "inl (0", "O": "inl (1", "K": "inr (0", "Q": "inr (1"}
    places = [
        f"(0, {side[name]}, {i}, {j}))"
        for weight, name in ResidualUnit(expression).names.items()
        for j in range(int(weight.shape[1]))
        for i in range(int(weight.shape[0]))
    ]
    start = f"""
(** Linear attention h + O V h (K h)^T (Q h) on one sample of two columns of width 2, inner widths 1; Q and K are
    further weights. *)
Definition scores := softmax (on_jets (poly [:: 0; 1])) (on_jets (poly [:: 1])) 1 2 2 (fun=> 0)%N.
Definition attends := total_loss (fun=> attention 1 2 2 scores) 1 1
  (squares 2 2 (fun it => cst (column {table(y)} it)))
  (fun _ it => cst (column {table(x)} it)).
Definition ps_attends : seq (nat * (place + place)) :=
  [:: {"; ".join(places[:4])};
      {"; ".join(places[4:])}]%N.
"""
    x_sample, y_sample = (np.array(a, dtype=float).T[None] for a in (x, y))
    free = {"Q": (1, -1), "K": (2, 1), "V": (-1, 1), "O": (1, 2)}
    blocks = {"w": free, "start": {**free, "V": (0, 0), "O": (0, 0)}}
    for name, at in blocks.items():
        weights = [a for key in ResidualUnit(expression).names.values() for a in at[key]]
        found = evaluate(expression, 1, x_sample, y_sample, weights)
        start += f"""
Example gradient_attends_{name} : gradient attends (weights ps_attends {table(weights)}) ps_attends =
  {table(found.gradient)}.
Proof. by vm_compute. Qed.
Example hessian_attends_{name} : hessian attends (weights ps_attends {table(weights)}) ps_attends =
  {_rows(found.hessian)}.
Proof. by vm_compute. Qed.
"""
    return start


def parts() -> Iterator[str]:
    """The file, example after example."""
    yield HEADER
    yield jets()
    for case in CASES:
        yield network_example(case)
        if not case.weights and case.depth <= 2:
            yield closed_form_example(case)
    for case in CASES:
        if case.name in "di":
            yield product_example(case)
    yield matrix_examples(next(case for case in CASES if case.name == "h"))
    yield output_example(next(case for case in CASES if case.name == "k"))
    yield expansion_example()
    yield PROPERTIES
    yield PAIR
    yield columns_example()
    yield attention_example()


def text() -> str:
    """All of Examples.v."""
    return "".join(parts())


if __name__ == "__main__":
    PATH.write_text(text())
