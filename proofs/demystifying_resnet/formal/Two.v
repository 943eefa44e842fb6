(** * n = 2: the entries of the Hessian at zero *)

From Shortcut Require Import Definitions Sums Jets Carried Network Vanishing TwoLayers Moved Shortcut Spectrum.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section AnyLoss.
Variables (K : comRingType) (R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Hypothesis act0 : forall r, f0 (act r 1%N) 0 = 0.
Hypothesis post0 : forall r, f0 (post r) 0 = 0.
Local Notation d := (width 0%N).

Variables (ell : nat -> (nat -> jets K) -> jets K) (x g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu) (g mu) (Q mu).

Local Notation F := (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) 2).
Local Notation L := (total_loss F R m ell (fun mu i => cst (x mu i))).

Let extF q : carries id (F q) (F q).
Proof. exact: (@shortcut_carried _ _ [rmorphism of idfun]). Qed.

Let dropF q : carries drop2 (F q) (F q).
Proof. by apply: (@shortcut_carried _ _ [rmorphism of drop2]) => *; apply: on_jets_drop2. Qed.

Let vanF q : vanishes layer 2 (F q).
Proof.
apply: shortcut_vanishes => [l|]; last exact: on_jets0.
by rewrite andbC ltnS; case: l => [|[|l]] // _; apply: on_jets0.
Qed.

Lemma hess_shortcut2_zero r s p q :
  (r == s) && (layer p + layer q == 1)%N = false -> hess L (fun=> 0) (r, p) (s, q) = 0.
Proof.
move=> rs; rewrite (hess_two_layers extF dropF vanF R m ellP) //.
by rewrite andbCA rs andbF.
Qed.

Lemma hess_shortcut2 r s i1 a1 a2 j2 : (i1 < d)%N -> (a1 < width 1%N)%N -> (j2 < d)%N ->
  hess L (fun=> 0) (r, (1%N, i1, a1)) (s, (0%N, a2, j2)) =
    if [&& r == s, (r < R)%N & a1 == a2]
    then f1 (act r 1%N) 0 * f1 (post r) 0 * sum m (fun mu => g mu i1 * f0 (act r 0%N) (x mu j2))
    else 0.
Proof.
move=> i1d a1k j2d; rewrite (hess_two_layers extF dropF vanF R m ellP) // andbT andbA.
case: (_ && _) => //=; transitivity (sum m (fun mu => g mu i1 *
    ((a1 == a2)%:R * (f1 (act r 1%N) 0 * f1 (post r) 0 * f0 (act r 0%N) (x mu j2))))).
  apply: eq_sum => mu _; rewrite -(sum_delta (fun i => g mu i * _) i1d) sumE.
  rewrite -{1}(subn0 d) -/(index_iota 0 d) big_mkord; apply: eq_bigr => i _.
  rewrite [X in _ * X = _](branch_c12 i i1 a2 (fun _ j => on_jets (act r 0%N) (cst (x mu j)))
    (act0 r) (post0 r) a1k j2d).
  by rewrite on_jets_cst /=; ring.
case: (a1 == a2); last by apply: sum_eq0 => mu _; rewrite mul0r mulr0.
by rewrite sumMl; apply: eq_sum => mu _; rewrite mul1r; ring.
Qed.

Lemma hess_any_loss (r s : 'I_R) (i1 j2 : 'I_d) (j1 i2 : 'I_(width 1%N)) :
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    if (r == s) && (j1 == i2)
    then f1 (act r 1%N) 0 * f1 (post r) 0 * sum m (fun mu => g mu i1 * f0 (act r 0%N) (x mu j2)) else 0.
Proof. by rewrite hess_shortcut2 // ltn_ord. Qed.

End AnyLoss.

(** ** Squared loss: all entries at once, in the form whose spectrum is known *)
Section Squared.
Variables (K : comRingType) (R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Hypothesis act0 : forall r, f0 (act r 1%N) 0 = 0.
Hypothesis post0 : forall r, f0 (post r) 0 = 0.
Variables (kappa : K) (x y : nat -> nat -> K).
Local Notation d := (width 0%N).
Local Notation L := (total_loss (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) 2) R m
  (squared (cst kappa) d (fun mu i => cst (y mu i))) (fun mu i => cst (x mu i))).

Definition coupling r i j : K :=
  kappa *+ 2 * (f1 (act r 1%N) 0 * f1 (post r) 0) * sum m (fun mu => (x mu i - y mu i) * f0 (act r 0%N) (x mu j)).

Lemma hess_squared2 r s i1 a1 a2 j2 : (i1 < d)%N -> (a1 < width 1%N)%N -> (j2 < d)%N ->
  hess L (fun=> 0) (r, (1%N, i1, a1)) (s, (0%N, a2, j2)) =
    if [&& r == s, (r < R)%N & a1 == a2] then coupling r i1 j2 else 0.
Proof.
move=> i1d a1k j2d; rewrite (hess_shortcut2 R m act0 post0 (squared_expands kappa d x y)) //.
by case: ifP => // _; rewrite /coupling !sumMl; apply: eq_sum => mu _; ring.
Qed.

Lemma hess_squared2_entry : width 2%N = d -> {in parameters width 2 R &, hess L (fun=> 0) =2 entry coupling}.
Proof.
move=> w2 [r [[l i] j]] [s [[l' i'] j']]; rewrite !mem_parameters => /and4P[rR + + +] /and4P[sR + + +].
rewrite /entry /=; case: l => [|[|//]] _ + + + + +; case: l' => [|[|//]]; rewrite ?w2 => id jd _ id' jd'.
- by rewrite (hess_shortcut2_zero R m act0 post0 (squared_expands kappa d x y)) ?andbF //; case: ifP.
- rewrite shortcut_hess_sym hess_squared2 // sR andTb xpair_eqE (eq_sym r) (eq_sym i).
  by case: (s =P r) => [->|].
- by rewrite hess_squared2 // rR andTb xpair_eqE.
- by rewrite (hess_shortcut2_zero R m act0 post0 (squared_expands kappa d x y)) ?andbF //; case: ifP.
Qed.

End Squared.
