(** * Finite sums

    [sum] of Definitions.v is MathComp's big sum; what is used of it. *)

From Shortcut Require Import Definitions.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Sums.
Variable A : ringType.
Implicit Types f g : nat -> A.

Lemma sumE k f : sum k f = \sum_(i < k) f i.
Proof. by elim: k => [|k IH]; rewrite ?big_ord0 // big_ord_recr /= IH. Qed.

Lemma eq_sum k f g : (forall i, (i < k)%N -> f i = g i) -> sum k f = sum k g.
Proof. by move=> fg; rewrite !sumE; apply: eq_bigr => i _; apply: fg. Qed.

Lemma sum_eq0 k f : (forall i, (i < k)%N -> f i = 0) -> sum k f = 0.
Proof. by move=> f0; rewrite sumE big1 // => i _; apply: f0. Qed.

Lemma sumD k f g : sum k (fun i => f i + g i) = sum k f + sum k g.
Proof. by rewrite !sumE big_split. Qed.

Lemma sumMr k f a : sum k f * a = sum k (fun i => f i * a).
Proof. by rewrite !sumE mulr_suml. Qed.

Lemma sumMl k f a : a * sum k f = sum k (fun i => a * f i).
Proof. by rewrite !sumE mulr_sumr. Qed.

(** A Kronecker delta picks one term. *)
Lemma sum_delta k i f : (i < k)%N -> sum k (fun j => (j == i)%:R * f j) = f i.
Proof.
move=> ik; rewrite sumE (bigD1 (Ordinal ik)) //= eqxx mul1r big1 ?addr0 // => j ji.
by rewrite -[nat_of_ord j == i]/(j == Ordinal ik) (negPf ji) mul0r.
Qed.

End Sums.

(** Additive maps go through sums. *)
Lemma sum_morph (A B : ringType) (phi : A -> B) k (f : nat -> A) :
  phi 0 = 0 -> {morph phi : a b / a + b} -> phi (sum k f) = sum k (fun i => phi (f i)).
Proof. by move=> phi0 phiD; elim: k => //= k <-; rewrite phiD. Qed.
