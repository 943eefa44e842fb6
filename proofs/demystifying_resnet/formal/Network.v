(** * Residual networks whose units are mostly the identity

    Streams are functions, so they are compared at every coordinate ([=1]); [carries id F F] says that the branch F
    respects this. *)

From Shortcut Require Import Definitions Sums.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Idle.
Variables (A : comRingType) (P T : Type) (F : nat -> branch A P T).
Hypothesis extF : forall r, carries id (F r) (F r).
Variable w : nat * P -> A.
Implicit Types (r s R : nat) (h : T -> A).

Definition idle r := forall h, F r (fun p => w (r, p)) h =1 fun=> 0.
Definition step r h t := h t + F r (fun p => w (r, p)) h t.

Lemma step_ext r h h' : h =1 h' -> step r h =1 step r h'.
Proof. by move=> hh' t; congr (_ + _) => //; apply: extF. Qed.

Lemma step_idle r h : idle r -> step r h =1 h.
Proof. by move=> idle_r t; rewrite /step idle_r addr0. Qed.

(** Idle units drop out: none, one or two that are not idle remain. *)
Lemma no_unit R h : (forall k, (k < R)%N -> idle k) -> residual F R w h =1 h.
Proof.
elim: R => //= R IH idleP t; rewrite -/(step R _ t) step_idle; last exact: idleP.
by apply: IH => k kR; apply/idleP/leqW.
Qed.

Lemma one_unit R r h : (r < R)%N -> (forall k, (k < R)%N -> k != r -> idle k) ->
  residual F R w h =1 step r h.
Proof.
elim: R => //= R IH; rewrite ltnS leq_eqVlt => /orP[/eqP ->|rR] idleP t; rewrite -/(step R _ t).
  by apply: step_ext => {}t; apply: no_unit => k kR; apply: idleP; rewrite ?ltn_eqF ?leqW.
rewrite step_idle; last by apply: idleP; rewrite ?gtn_eqF.
by apply: IH => // k kR; apply/idleP/leqW.
Qed.

Lemma two_units R r s h : (r < s < R)%N -> (forall k, (k < R)%N -> k != r -> k != s -> idle k) ->
  residual F R w h =1 step s (step r h).
Proof.
elim: R => [|R IH] /=; first by rewrite ltn0 andbF.
case/andP=> rs; rewrite ltnS leq_eqVlt => /orP[/eqP eq_sR|sR] idleP t; rewrite -/(step R _ t).
  rewrite -eq_sR in idleP *; apply: step_ext => {}t; apply: one_unit => // k ks kr.
  by apply: idleP => //; rewrite ?ltn_eqF ?leqW.
rewrite step_idle; last by apply: idleP; rewrite ?gtn_eqF // (ltn_trans rs).
by apply: IH => [|k kR]; [rewrite rs | apply/idleP/leqW].
Qed.

End Idle.
