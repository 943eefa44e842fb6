(** * An arbitrary branch that vanishes when one of its layers does

    A unit with a zero layer is the identity, whatever its other layers hold. A second derivative moves two places, so
    every unit keeps a zero layer unless the two places meet all layers of one unit: Lemma 3 of the paper. *)

From Shortcut Require Import Definitions Sums Network.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Exact.
Variables (A : comRingType) (P T : Type) (lay : P -> nat) (n : nat) (F : nat -> branch A P T).
Hypothesis vanF : forall r, vanishes lay n (F r).
Variable w : nat * P -> A.

Definition zero_layer r := exists2 l, (l < n)%N & forall p, lay p = l -> w (r, p) = 0.

Lemma zero_layer_idle r : zero_layer r -> idle F w r.
Proof. by case=> l ln w0 h; apply: vanF ln w0. Qed.

Lemma residual_zero R h : (forall r, (r < R)%N -> zero_layer r) -> residual F R w h =1 h.
Proof. by move=> w0; apply: no_unit => r /w0/zero_layer_idle. Qed.

End Exact.

Section Derivatives.
Variables (K : comRingType) (P : eqType) (T : Type) (lay : P -> nat) (n : nat).
Variable F : nat -> branch (jets K) P T.
Hypothesis vanF : forall r, vanishes lay n (F r).

Variables (R m : nat) (ts : seq T) (ell : nat -> (T -> jet K) -> jet K) (x : nat -> T -> K).
Variables (g : nat -> T -> K) (H : nat -> T -> T -> K).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (H mu).

Variable w0 : nat * P -> K.
Hypothesis w00 : forall r p, (lay p < n)%N -> w0 (r, p) = 0.

Local Notation L := (total_loss F R m ell (fun mu => cst \o x mu)).
Implicit Types (a b : nat * P) (r s : nat) (p q : P).

(** The coefficients of a loss at an output that does not move. *)
Lemma ell_const mu f : f =1 cst \o x mu -> c1 (ell mu f) = 0 /\ c12 (ell mu f) = 0.
Proof.
move=> fx; have [|-> ->] := ellP (mu := mu) (f := f); first by move=> t /=; rewrite fx.
split; rewrite big1 // => t _; rewrite fx /= mulr0 ?add0r // big1 // => u _.
by rewrite mul0r mulr0.
Qed.

Lemma c1_sum k (f : nat -> jet K) : c1 (sum k f) = sum k (fun i => c1 (f i)).
Proof. exact: sum_morph. Qed.

Lemma c12_sum k (f : nat -> jet K) : c12 (sum k f) = sum k (fun i => c12 (f i)).
Proof. exact: sum_morph. Qed.

(** A layer that holds neither of the moved places stays zero. *)
Lemma moved_zero_layer a b r l : (l < n)%N ->
  (r == a.1) && (l == lay a.2) = false -> (r == b.1) && (l == lay b.2) = false ->
  zero_layer lay n (moved w0 a b) r.
Proof.
move=> ln al bl; exists l => // p lay_p; rewrite /moved w00 ?lay_p //.
have /negPf-> : (r, p) != a by apply: contraFneq al => <-; rewrite lay_p !eqxx.
by have /negPf-> : (r, p) != b by apply: contraFneq bl => <-; rewrite lay_p !eqxx.
Qed.

(** Lemma 3: the entry is zero if every unit has a layer that holds neither place. *)
Lemma hess_zero a b :
  (forall r, (r < R)%N -> exists2 l, (l < n)%N &
     (r == a.1) && (l == lay a.2) = false /\ (r == b.1) && (l == lay b.2) = false) ->
  hess L w0 a b = 0.
Proof.
move=> free; rewrite /hess /total_loss c12_sum; apply: sum_eq0 => mu _.
apply: (ell_const _).2; apply: (residual_zero vanF) => r /free[l ln [al bl]].
exact: moved_zero_layer ln al bl.
Qed.

(** With three layers there is always one. *)
Lemma hess_three a b : (2 < n)%N -> hess L w0 a b = 0.
Proof.
move=> n3; apply: hess_zero => r _.
have [l l3 [la lb]] : exists2 l, (l < 3)%N & l != lay a.2 /\ l != lay b.2.
  by case: (lay a.2) (lay b.2) => [|[|i]] [|[|j]]; by [exists 0%N | exists 1%N | exists 2%N].
by exists l; [apply: leq_trans n3 | rewrite (negPf la) (negPf lb) !andbF].
Qed.

Lemma grad_zero a : (1 < n)%N -> grad L w0 a = 0.
Proof.
move=> n2; rewrite /grad /total_loss c1_sum; apply: sum_eq0 => mu _.
apply: (ell_const _).1; apply: (residual_zero vanF) => r _.
pose l : nat := lay a.2 == 0%N; have ln : (l < n)%N by apply: leq_trans n2; rewrite /l; case: eqP.
exists l => // p lay_p; rewrite w00 ?lay_p //.
have /negPf-> //: (r, p) != a.
by apply: contraTneq isT => rpa; move: lay_p; rewrite /l -rpa /=; case: (lay p).
Qed.

End Derivatives.
