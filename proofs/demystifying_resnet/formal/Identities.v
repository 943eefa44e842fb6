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

(** n = 1, R = 1, widths 2, 2, m = 2. *)
Section Linear1.
Variables (K : comRingType) (x_1_1 x_2_1 x_1_2 x_2_2 y_1_1 y_2_1 y_1_2 y_2_2 W1_1_1 W1_2_1 W1_1_2 W1_2_2 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | (_, (0%N, 1%N, 0%N)) => W1_2_1
  | (_, (0%N, 0%N, 1%N)) => W1_1_2
  | (_, (0%N, 1%N, 1%N)) => W1_2_2
  | _ => 0 end.
Let L := jet_loss 1 (nth 0 [:: 2; 2])%N 2 1 (identity K) (identity K) (identity K) 1
  (data [:: [:: x_1_1; x_2_1]; [:: x_1_2; x_2_2]]) (data [:: [:: y_1_1; y_2_1]; [:: y_1_2; y_2_2]]).

Lemma linear1_grad_0 : grad L w (0, (0, 0, 0))%N =
  2%:R * W1_1_1 * x_1_1 ^+ 2 + 2%:R * W1_1_1 * x_1_2 ^+ 2 + 2%:R * W1_1_2 * x_1_1 * x_2_1 + 2%:R * W1_1_2 * x_1_2 *
  x_2_2 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1 ^+ 2 - 2%:R * x_1_2 * y_1_2 + 2%:R * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear1_grad_1 : grad L w (0, (0, 1, 0))%N =
  2%:R * W1_2_1 * x_1_1 ^+ 2 + 2%:R * W1_2_1 * x_1_2 ^+ 2 + 2%:R * W1_2_2 * x_1_1 * x_2_1 + 2%:R * W1_2_2 * x_1_2 *
  x_2_2 + 2%:R * x_1_1 * x_2_1 - 2%:R * x_1_1 * y_2_1 + 2%:R * x_1_2 * x_2_2 - 2%:R * x_1_2 * y_2_2.
Proof.
rewrite /L /w.
expand K; settle (W1_2_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear1_grad_2 : grad L w (0, (0, 0, 1))%N =
  2%:R * W1_1_1 * x_1_1 * x_2_1 + 2%:R * W1_1_1 * x_1_2 * x_2_2 + 2%:R * W1_1_2 * x_2_1 ^+ 2 + 2%:R * W1_1_2 * x_2_2
  ^+ 2 + 2%:R * x_1_1 * x_2_1 + 2%:R * x_1_2 * x_2_2 - 2%:R * x_2_1 * y_1_1 - 2%:R * x_2_2 * y_1_2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear1_grad_3 : grad L w (0, (0, 1, 1))%N =
  2%:R * W1_2_1 * x_1_1 * x_2_1 + 2%:R * W1_2_1 * x_1_2 * x_2_2 + 2%:R * W1_2_2 * x_2_1 ^+ 2 + 2%:R * W1_2_2 * x_2_2
  ^+ 2 - 2%:R * x_2_1 * y_2_1 + 2%:R * x_2_1 ^+ 2 - 2%:R * x_2_2 * y_2_2 + 2%:R * x_2_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_2_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear1_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  2%:R * x_1_1 ^+ 2 + 2%:R * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (x_1_1 ^+ 2 : K).
Qed.

Lemma linear1_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (0, 1, 0))%N =
  0.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma linear1_hess_0_2 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 1))%N =
  2%:R * x_1_1 * x_2_1 + 2%:R * x_1_2 * x_2_2.
Proof.
rewrite /L /w.
expand K; settle (x_1_1 * x_2_1 : K).
Qed.

Lemma linear1_hess_0_3 : hess L w (0, (0, 0, 0))%N (0, (0, 1, 1))%N =
  0.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma linear1_hess_1_1 : hess L w (0, (0, 1, 0))%N (0, (0, 1, 0))%N =
  2%:R * x_1_1 ^+ 2 + 2%:R * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (x_1_1 ^+ 2 : K).
Qed.

Lemma linear1_hess_1_2 : hess L w (0, (0, 1, 0))%N (0, (0, 0, 1))%N =
  0.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma linear1_hess_1_3 : hess L w (0, (0, 1, 0))%N (0, (0, 1, 1))%N =
  2%:R * x_1_1 * x_2_1 + 2%:R * x_1_2 * x_2_2.
Proof.
rewrite /L /w.
expand K; settle (x_1_1 * x_2_1 : K).
Qed.

Lemma linear1_hess_2_2 : hess L w (0, (0, 0, 1))%N (0, (0, 0, 1))%N =
  2%:R * x_2_1 ^+ 2 + 2%:R * x_2_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (x_2_1 ^+ 2 : K).
Qed.

Lemma linear1_hess_2_3 : hess L w (0, (0, 0, 1))%N (0, (0, 1, 1))%N =
  0.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma linear1_hess_3_3 : hess L w (0, (0, 1, 1))%N (0, (0, 1, 1))%N =
  2%:R * x_2_1 ^+ 2 + 2%:R * x_2_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (x_2_1 ^+ 2 : K).
Qed.

End Linear1.

(** n = 2, R = 2, widths 1, 1, 1, m = 2. *)
Section Linear2.
Variables (K : comRingType) (x_1_1 x_1_2 y_1_1 y_1_2 W1_1_1 W2_1_1 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | (_, (1%N, 0%N, 0%N)) => W2_1_1
  | _ => 0 end.
Let L := jet_loss 2 (nth 0 [:: 1; 1; 1])%N 2 2 (identity K) (identity K) (identity K) 1
  (data [:: [:: x_1_1]; [:: x_1_2]]) (data [:: [:: y_1_1]; [:: y_1_2]]).

Lemma linear2_grad_0 : grad L w (0, (0, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * y_1_1) + 6%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1
  ^+ 2 * x_1_2 * y_1_2 + 6%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 +
  6%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 4 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 3 *
  W2_1_1 ^+ 4 * x_1_2 ^+ 2 - 2%:R * W2_1_1 * x_1_1 * y_1_1 + 2%:R * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W2_1_1 * x_1_2 *
  y_1_2 + 2%:R * W2_1_1 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_grad_1 : grad L w (0, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * x_1_1 * y_1_1) + 2%:R * W1_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * x_1_2 * y_1_2 + 2%:R * W1_1_1 *
  x_1_2 ^+ 2 - 2%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 * y_1_1 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1
  ^+ 2 * W2_1_1 * x_1_2 * y_1_2 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_2 ^+ 2 + 6%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1
  ^+ 2 + 6%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 2%:R * W1_1_1
  ^+ 4 * W2_1_1 ^+ 3 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_grad_2 : grad L w (1, (0, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * y_1_1) + 6%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1
  ^+ 2 * x_1_2 * y_1_2 + 6%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 +
  6%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 4 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 3 *
  W2_1_1 ^+ 4 * x_1_2 ^+ 2 - 2%:R * W2_1_1 * x_1_1 * y_1_1 + 2%:R * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W2_1_1 * x_1_2 *
  y_1_2 + 2%:R * W2_1_1 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_grad_3 : grad L w (1, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * x_1_1 * y_1_1) + 2%:R * W1_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * x_1_2 * y_1_2 + 2%:R * W1_1_1 *
  x_1_2 ^+ 2 - 2%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 * y_1_1 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1
  ^+ 2 * W2_1_1 * x_1_2 * y_1_2 + 6%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_2 ^+ 2 + 6%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1
  ^+ 2 + 6%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 2%:R * W1_1_1
  ^+ 4 * W2_1_1 ^+ 3 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+
  4 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 4 * x_1_2 ^+ 2 + 2%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W2_1_1 ^+
  2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 * x_1_1 * y_1_1) + 8%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1 * x_1_2 *
  y_1_2 + 8%:R * W1_1_1 * W2_1_1 * x_1_2 ^+ 2 + 10%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 10%:R * W1_1_1 ^+ 2 *
  W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_2
  ^+ 2 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1 ^+ 2 - 2%:R * x_1_2 * y_1_2 + 2%:R * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_0_2 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 0))%N =
  8%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 8%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 2 * W2_1_1 ^+
  4 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 4 * x_1_2 ^+ 2 - 2%:R * W2_1_1 ^+ 2 * x_1_1 * y_1_1 + 4%:R * W2_1_1
  ^+ 2 * x_1_1 ^+ 2 - 2%:R * W2_1_1 ^+ 2 * x_1_2 * y_1_2 + 4%:R * W2_1_1 ^+ 2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2_hess_0_3 : hess L w (0, (0, 0, 0))%N (1, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 * x_1_1 * y_1_1) + 4%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1 * x_1_2 *
  y_1_2 + 4%:R * W1_1_1 * W2_1_1 * x_1_2 ^+ 2 + 8%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 8%:R * W1_1_1 ^+ 2 *
  W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_2
  ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_1_1 : hess L w (0, (1, 0, 0))%N (0, (1, 0, 0))%N =
  2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 2 + 4%:R
  * W1_1_1 ^+ 3 * W2_1_1 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+
  2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2_hess_1_2 : hess L w (0, (1, 0, 0))%N (1, (0, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 * x_1_1 * y_1_1) + 4%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1 * x_1_2 *
  y_1_2 + 4%:R * W1_1_1 * W2_1_1 * x_1_2 ^+ 2 + 8%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 8%:R * W1_1_1 ^+ 2 *
  W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_2
  ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_1_3 : hess L w (0, (1, 0, 0))%N (1, (1, 0, 0))%N =
  - (2%:R * W1_1_1 ^+ 2 * x_1_1 * y_1_1) + 4%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 - 2%:R * W1_1_1 ^+ 2 * x_1_2 * y_1_2 + 4%:R
  * W1_1_1 ^+ 2 * x_1_2 ^+ 2 + 8%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 2 + 8%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_2 ^+ 2 +
  4%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_2_2 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+
  4 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 4 * x_1_2 ^+ 2 + 2%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W2_1_1 ^+
  2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2_hess_2_3 : hess L w (1, (0, 0, 0))%N (1, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 * x_1_1 * y_1_1) + 8%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 - 2%:R * W1_1_1 * W2_1_1 * x_1_2 *
  y_1_2 + 8%:R * W1_1_1 * W2_1_1 * x_1_2 ^+ 2 + 10%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 10%:R * W1_1_1 ^+ 2 *
  W2_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_2
  ^+ 2 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1 ^+ 2 - 2%:R * x_1_2 * y_1_2 + 2%:R * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear2_hess_3_3 : hess L w (1, (1, 0, 0))%N (1, (1, 0, 0))%N =
  2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * x_1_2 ^+ 2 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 2 + 4%:R
  * W1_1_1 ^+ 3 * W2_1_1 * x_1_2 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 ^+
  2 * x_1_2 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

End Linear2.

(** n = 2, R = 1, widths 2, 1, 2, m = 1. *)
Section Linear2k.
Variables (K : comRingType) (x_1_1 x_2_1 y_1_1 y_2_1 W1_1_1 W1_1_2 W2_1_1 W2_2_1 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | (_, (0%N, 0%N, 1%N)) => W1_1_2
  | (_, (1%N, 0%N, 0%N)) => W2_1_1
  | (_, (1%N, 1%N, 0%N)) => W2_2_1
  | _ => 0 end.
Let L := jet_loss 2 (nth 0 [:: 2; 1; 2])%N 1 1 (identity K) (identity K) (identity K) 1
  (data [:: [:: x_1_1; x_2_1]]) (data [:: [:: y_1_1; y_2_1]]).

Lemma linear2k_grad_0 : grad L w (0, (0, 0, 0))%N =
  2%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_1 * W2_2_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_2 * W2_1_1 ^+ 2 *
  x_1_1 * x_2_1 + 2%:R * W1_1_2 * W2_2_1 ^+ 2 * x_1_1 * x_2_1 - 2%:R * W2_1_1 * x_1_1 * y_1_1 + 2%:R * W2_1_1 * x_1_1
  ^+ 2 + 2%:R * W2_2_1 * x_1_1 * x_2_1 - 2%:R * W2_2_1 * x_1_1 * y_2_1.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2k_grad_1 : grad L w (0, (0, 0, 1))%N =
  2%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * x_2_1 + 2%:R * W1_1_1 * W2_2_1 ^+ 2 * x_1_1 * x_2_1 + 2%:R * W1_1_2 * W2_1_1
  ^+ 2 * x_2_1 ^+ 2 + 2%:R * W1_1_2 * W2_2_1 ^+ 2 * x_2_1 ^+ 2 + 2%:R * W2_1_1 * x_1_1 * x_2_1 - 2%:R * W2_1_1 * x_2_1
  * y_1_1 - 2%:R * W2_2_1 * x_2_1 * y_2_1 + 2%:R * W2_2_1 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_grad_2 : grad L w (0, (1, 0, 0))%N =
  4%:R * W1_1_1 * W1_1_2 * W2_1_1 * x_1_1 * x_2_1 - 2%:R * W1_1_1 * x_1_1 * y_1_1 + 2%:R * W1_1_1 * x_1_1 ^+ 2 + 2%:R
  * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 2 + 2%:R * W1_1_2 * x_1_1 * x_2_1 - 2%:R * W1_1_2 * x_2_1 * y_1_1 + 2%:R * W1_1_2
  ^+ 2 * W2_1_1 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W1_1_2 * W2_1_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_grad_3 : grad L w (0, (1, 1, 0))%N =
  4%:R * W1_1_1 * W1_1_2 * W2_2_1 * x_1_1 * x_2_1 + 2%:R * W1_1_1 * x_1_1 * x_2_1 - 2%:R * W1_1_1 * x_1_1 * y_2_1 +
  2%:R * W1_1_1 ^+ 2 * W2_2_1 * x_1_1 ^+ 2 - 2%:R * W1_1_2 * x_2_1 * y_2_1 + 2%:R * W1_1_2 * x_2_1 ^+ 2 + 2%:R *
  W1_1_2 ^+ 2 * W2_2_1 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W1_1_2 * W2_2_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  2%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W2_2_1 ^+ 2 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W2_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2k_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 1))%N =
  2%:R * W2_1_1 ^+ 2 * x_1_1 * x_2_1 + 2%:R * W2_2_1 ^+ 2 * x_1_1 * x_2_1.
Proof.
rewrite /L /w.
expand K; settle (W2_1_1 ^+ 2 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_hess_0_2 : hess L w (0, (0, 0, 0))%N (0, (1, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 + 4%:R * W1_1_2 * W2_1_1 * x_1_1 * x_2_1 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1
  ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2k_hess_0_3 : hess L w (0, (0, 0, 0))%N (0, (1, 1, 0))%N =
  4%:R * W1_1_1 * W2_2_1 * x_1_1 ^+ 2 + 4%:R * W1_1_2 * W2_2_1 * x_1_1 * x_2_1 + 2%:R * x_1_1 * x_2_1 - 2%:R * x_1_1 *
  y_2_1.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_2_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear2k_hess_1_1 : hess L w (0, (0, 0, 1))%N (0, (0, 0, 1))%N =
  2%:R * W2_1_1 ^+ 2 * x_2_1 ^+ 2 + 2%:R * W2_2_1 ^+ 2 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W2_1_1 ^+ 2 * x_2_1 ^+ 2 : K).
Qed.

Lemma linear2k_hess_1_2 : hess L w (0, (0, 0, 1))%N (0, (1, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 * x_1_1 * x_2_1 + 4%:R * W1_1_2 * W2_1_1 * x_2_1 ^+ 2 + 2%:R * x_1_1 * x_2_1 - 2%:R * x_2_1 *
  y_1_1.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_hess_1_3 : hess L w (0, (0, 0, 1))%N (0, (1, 1, 0))%N =
  4%:R * W1_1_1 * W2_2_1 * x_1_1 * x_2_1 + 4%:R * W1_1_2 * W2_2_1 * x_2_1 ^+ 2 - 2%:R * x_2_1 * y_2_1 + 2%:R * x_2_1
  ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_2_1 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_hess_2_2 : hess L w (0, (1, 0, 0))%N (0, (1, 0, 0))%N =
  4%:R * W1_1_1 * W1_1_2 * x_1_1 * x_2_1 + 2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_2 ^+ 2 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W1_1_2 * x_1_1 * x_2_1 : K).
Qed.

Lemma linear2k_hess_2_3 : hess L w (0, (1, 0, 0))%N (0, (1, 1, 0))%N =
  0.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma linear2k_hess_3_3 : hess L w (0, (1, 1, 0))%N (0, (1, 1, 0))%N =
  4%:R * W1_1_1 * W1_1_2 * x_1_1 * x_2_1 + 2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 2%:R * W1_1_2 ^+ 2 * x_2_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W1_1_2 * x_1_1 * x_2_1 : K).
Qed.

End Linear2k.

(** n = 3, R = 1, widths 1, 1, 1, 1, m = 1. *)
Section Linear3.
Variables (K : comRingType) (x_1_1 y_1_1 W1_1_1 W2_1_1 W3_1_1 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | (_, (1%N, 0%N, 0%N)) => W2_1_1
  | (_, (2%N, 0%N, 0%N)) => W3_1_1
  | _ => 0 end.
Let L := jet_loss 3 (nth 0 [:: 1; 1; 1; 1])%N 1 1 (identity K) (identity K) (identity K) 1
  (data [:: [:: x_1_1]]) (data [:: [:: y_1_1]]).

Lemma linear3_grad_0 : grad L w (0, (0, 0, 0))%N =
  2%:R * W1_1_1 * W2_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 - 2%:R * W2_1_1 * W3_1_1 * x_1_1 * y_1_1 + 2%:R * W2_1_1 *
  W3_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear3_grad_1 : grad L w (0, (1, 0, 0))%N =
  - (2%:R * W1_1_1 * W3_1_1 * x_1_1 * y_1_1) + 2%:R * W1_1_1 * W3_1_1 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 *
  W3_1_1 ^+ 2 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W3_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear3_grad_2 : grad L w (0, (2, 0, 0))%N =
  - (2%:R * W1_1_1 * W2_1_1 * x_1_1 * y_1_1) + 2%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 + 2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2
  * W3_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear3_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  2%:R * W2_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W2_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear3_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (1, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 - 2%:R * W3_1_1 * x_1_1 * y_1_1 + 2%:R * W3_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear3_hess_0_2 : hess L w (0, (0, 0, 0))%N (0, (2, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 ^+ 2 * W3_1_1 * x_1_1 ^+ 2 - 2%:R * W2_1_1 * x_1_1 * y_1_1 + 2%:R * W2_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * W3_1_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear3_hess_1_1 : hess L w (0, (1, 0, 0))%N (0, (1, 0, 0))%N =
  2%:R * W1_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * W3_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

Lemma linear3_hess_1_2 : hess L w (0, (1, 0, 0))%N (0, (2, 0, 0))%N =
  - (2%:R * W1_1_1 * x_1_1 * y_1_1) + 2%:R * W1_1_1 * x_1_1 ^+ 2 + 4%:R * W1_1_1 ^+ 2 * W2_1_1 * W3_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma linear3_hess_2_2 : hess L w (0, (2, 0, 0))%N (0, (2, 0, 0))%N =
  2%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

End Linear3.

(** n = 1, R = 2, widths 1, 1, m = 1. *)
Section Quadratic1.
Variables (K : comRingType) (x_1_1 y_1_1 W1_1_1 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | _ => 0 end.
Let L := jet_loss 1 (nth 0 [:: 1; 1])%N 1 2 (quadratic 1 1 1) (identity K) (identity K) 1
  (data [:: [:: x_1_1]]) (data [:: [:: y_1_1]]).

Lemma quadratic1_grad_0 : grad L w (0, (0, 0, 0))%N =
  4%:R * W1_1_1 + 10%:R * W1_1_1 * x_1_1 - 6%:R * W1_1_1 * x_1_1 * y_1_1 + 18%:R * W1_1_1 * x_1_1 ^+ 2 - 6%:R * W1_1_1
  * x_1_1 ^+ 2 * y_1_1 + 14%:R * W1_1_1 * x_1_1 ^+ 3 - 4%:R * W1_1_1 * x_1_1 ^+ 3 * y_1_1 + 8%:R * W1_1_1 * x_1_1 ^+ 4
  - 2%:R * W1_1_1 * y_1_1 + 6%:R * W1_1_1 ^+ 2 + 28%:R * W1_1_1 ^+ 2 * x_1_1 - 8%:R * W1_1_1 ^+ 2 * x_1_1 * y_1_1 +
  50%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 - 12%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 * y_1_1 + 60%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 -
  8%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 * y_1_1 + 38%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 - 4%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 * y_1_1
  + 16%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 5 - 4%:R * W1_1_1 ^+ 2 * y_1_1 + 12%:R * W1_1_1 ^+ 3 + 42%:R * W1_1_1 ^+ 3 * x_1_1
  + 90%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 2 + 114%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 + 102%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 + 54%:R *
  W1_1_1 ^+ 3 * x_1_1 ^+ 5 + 18%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 6 + 6%:R * W1_1_1 ^+ 4 + 30%:R * W1_1_1 ^+ 4 * x_1_1 +
  72%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 2 + 114%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 3 + 120%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 + 90%:R *
  W1_1_1 ^+ 4 * x_1_1 ^+ 5 + 42%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 6 + 12%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 7 + 4%:R * W1_1_1 ^+ 5
  + 16%:R * W1_1_1 ^+ 5 * x_1_1 + 40%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 2 + 64%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 3 + 76%:R * W1_1_1
  ^+ 5 * x_1_1 ^+ 4 + 64%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 5 + 40%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 6 + 16%:R * W1_1_1 ^+ 5 *
  x_1_1 ^+ 7 + 4%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 8 + 2%:R * x_1_1 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1 ^+ 2 - 2%:R *
  x_1_1 ^+ 2 * y_1_1 + 2%:R * x_1_1 ^+ 3 - 2%:R * y_1_1.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 : K).
Qed.

Lemma quadratic1_grad_1 : grad L w (1, (0, 0, 0))%N =
  4%:R * W1_1_1 + 10%:R * W1_1_1 * x_1_1 - 6%:R * W1_1_1 * x_1_1 * y_1_1 + 18%:R * W1_1_1 * x_1_1 ^+ 2 - 6%:R * W1_1_1
  * x_1_1 ^+ 2 * y_1_1 + 14%:R * W1_1_1 * x_1_1 ^+ 3 - 4%:R * W1_1_1 * x_1_1 ^+ 3 * y_1_1 + 8%:R * W1_1_1 * x_1_1 ^+ 4
  - 2%:R * W1_1_1 * y_1_1 + 6%:R * W1_1_1 ^+ 2 + 26%:R * W1_1_1 ^+ 2 * x_1_1 - 4%:R * W1_1_1 ^+ 2 * x_1_1 * y_1_1 +
  46%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 - 6%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 * y_1_1 + 54%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 - 4%:R
  * W1_1_1 ^+ 2 * x_1_1 ^+ 3 * y_1_1 + 34%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 - 2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 * y_1_1 +
  14%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 5 - 2%:R * W1_1_1 ^+ 2 * y_1_1 + 8%:R * W1_1_1 ^+ 3 + 30%:R * W1_1_1 ^+ 3 * x_1_1 +
  66%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 2 + 86%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 + 78%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 + 42%:R *
  W1_1_1 ^+ 3 * x_1_1 ^+ 5 + 14%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 6 + 4%:R * W1_1_1 ^+ 4 + 20%:R * W1_1_1 ^+ 4 * x_1_1 +
  48%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 2 + 76%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 3 + 80%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 + 60%:R *
  W1_1_1 ^+ 4 * x_1_1 ^+ 5 + 28%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 6 + 8%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 7 + 2%:R * W1_1_1 ^+ 5 +
  8%:R * W1_1_1 ^+ 5 * x_1_1 + 20%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 2 + 32%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 3 + 38%:R * W1_1_1 ^+
  5 * x_1_1 ^+ 4 + 32%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 5 + 20%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 6 + 8%:R * W1_1_1 ^+ 5 * x_1_1 ^+
  7 + 2%:R * W1_1_1 ^+ 5 * x_1_1 ^+ 8 + 2%:R * x_1_1 - 2%:R * x_1_1 * y_1_1 + 2%:R * x_1_1 ^+ 2 - 2%:R * x_1_1 ^+ 2 *
  y_1_1 + 2%:R * x_1_1 ^+ 3 - 2%:R * y_1_1.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 : K).
Qed.

Lemma quadratic1_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  2%:R + 4%:R * W1_1_1 + 20%:R * W1_1_1 * x_1_1 - 8%:R * W1_1_1 * x_1_1 * y_1_1 + 36%:R * W1_1_1 * x_1_1 ^+ 2 - 12%:R
  * W1_1_1 * x_1_1 ^+ 2 * y_1_1 + 44%:R * W1_1_1 * x_1_1 ^+ 3 - 8%:R * W1_1_1 * x_1_1 ^+ 3 * y_1_1 + 28%:R * W1_1_1 *
  x_1_1 ^+ 4 - 4%:R * W1_1_1 * x_1_1 ^+ 4 * y_1_1 + 12%:R * W1_1_1 * x_1_1 ^+ 5 - 4%:R * W1_1_1 * y_1_1 + 18%:R *
  W1_1_1 ^+ 2 + 60%:R * W1_1_1 ^+ 2 * x_1_1 + 126%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 156%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 +
  138%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 + 72%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 5 + 24%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 6 + 12%:R *
  W1_1_1 ^+ 3 + 60%:R * W1_1_1 ^+ 3 * x_1_1 + 144%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 2 + 228%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 +
  240%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 + 180%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 5 + 84%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 6 + 24%:R *
  W1_1_1 ^+ 3 * x_1_1 ^+ 7 + 12%:R * W1_1_1 ^+ 4 + 48%:R * W1_1_1 ^+ 4 * x_1_1 + 120%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 2 +
  192%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 3 + 228%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 + 192%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 5 + 120%:R *
  W1_1_1 ^+ 4 * x_1_1 ^+ 6 + 48%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 7 + 12%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 8 + 4%:R * x_1_1 + 6%:R
  * x_1_1 ^+ 2 + 4%:R * x_1_1 ^+ 3 + 2%:R * x_1_1 ^+ 4.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma quadratic1_hess_0_1 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 0))%N =
  2%:R + 8%:R * W1_1_1 + 36%:R * W1_1_1 * x_1_1 - 8%:R * W1_1_1 * x_1_1 * y_1_1 + 64%:R * W1_1_1 * x_1_1 ^+ 2 - 12%:R
  * W1_1_1 * x_1_1 ^+ 2 * y_1_1 + 76%:R * W1_1_1 * x_1_1 ^+ 3 - 8%:R * W1_1_1 * x_1_1 ^+ 3 * y_1_1 + 48%:R * W1_1_1 *
  x_1_1 ^+ 4 - 4%:R * W1_1_1 * x_1_1 ^+ 4 * y_1_1 + 20%:R * W1_1_1 * x_1_1 ^+ 5 - 4%:R * W1_1_1 * y_1_1 + 18%:R *
  W1_1_1 ^+ 2 + 66%:R * W1_1_1 ^+ 2 * x_1_1 + 144%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 + 186%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 +
  168%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 + 90%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 5 + 30%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 6 + 12%:R *
  W1_1_1 ^+ 3 + 60%:R * W1_1_1 ^+ 3 * x_1_1 + 144%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 2 + 228%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 +
  240%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 + 180%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 5 + 84%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 6 + 24%:R *
  W1_1_1 ^+ 3 * x_1_1 ^+ 7 + 8%:R * W1_1_1 ^+ 4 + 32%:R * W1_1_1 ^+ 4 * x_1_1 + 80%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 2 +
  128%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 3 + 152%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 + 128%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 5 + 80%:R *
  W1_1_1 ^+ 4 * x_1_1 ^+ 6 + 32%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 7 + 8%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 8 + 6%:R * x_1_1 - 6%:R
  * x_1_1 * y_1_1 + 12%:R * x_1_1 ^+ 2 - 6%:R * x_1_1 ^+ 2 * y_1_1 + 10%:R * x_1_1 ^+ 3 - 4%:R * x_1_1 ^+ 3 * y_1_1 +
  6%:R * x_1_1 ^+ 4 - 2%:R * y_1_1.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

Lemma quadratic1_hess_1_1 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 0))%N =
  2%:R + 4%:R * W1_1_1 + 16%:R * W1_1_1 * x_1_1 + 28%:R * W1_1_1 * x_1_1 ^+ 2 + 32%:R * W1_1_1 * x_1_1 ^+ 3 + 20%:R *
  W1_1_1 * x_1_1 ^+ 4 + 8%:R * W1_1_1 * x_1_1 ^+ 5 + 6%:R * W1_1_1 ^+ 2 + 24%:R * W1_1_1 ^+ 2 * x_1_1 + 54%:R * W1_1_1
  ^+ 2 * x_1_1 ^+ 2 + 72%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 + 66%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 4 + 36%:R * W1_1_1 ^+ 2 *
  x_1_1 ^+ 5 + 12%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 6 + 4%:R * W1_1_1 ^+ 3 + 20%:R * W1_1_1 ^+ 3 * x_1_1 + 48%:R * W1_1_1 ^+
  3 * x_1_1 ^+ 2 + 76%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 + 80%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 + 60%:R * W1_1_1 ^+ 3 * x_1_1
  ^+ 5 + 28%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 6 + 8%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 7 + 2%:R * W1_1_1 ^+ 4 + 8%:R * W1_1_1 ^+ 4
  * x_1_1 + 20%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 2 + 32%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 3 + 38%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 +
  32%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 5 + 20%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 6 + 8%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 7 + 2%:R *
  W1_1_1 ^+ 4 * x_1_1 ^+ 8 + 4%:R * x_1_1 + 6%:R * x_1_1 ^+ 2 + 4%:R * x_1_1 ^+ 3 + 2%:R * x_1_1 ^+ 4.
Proof.
rewrite /L /w.
expand K; settle (1%:R : K).
Qed.

End Quadratic1.

(** n = 2, R = 1, widths 1, 1, 1, m = 1. *)
Section Quadratic2.
Variables (K : comRingType) (x_1_1 y_1_1 W1_1_1 W2_1_1 : K).
Let w (p : param) : K := match p with
  | (_, (0%N, 0%N, 0%N)) => W1_1_1
  | (_, (1%N, 0%N, 0%N)) => W2_1_1
  | _ => 0 end.
Let L := jet_loss 2 (nth 0 [:: 1; 1; 1])%N 1 1 (identity K) (quadratic 0 2%:R (- 1)) (quadratic 0 1 1) 1
  (data [:: [:: x_1_1]]) (data [:: [:: y_1_1]]).

Lemma quadratic2_grad_0 : grad L w (0, (0, 0, 0))%N =
  4%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 * y_1_1 - 4%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 3 + 8%:R * W1_1_1 * W2_1_1 ^+ 2 *
  x_1_1 ^+ 2 - 16%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 2 * y_1_1 + 16%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 - 12%:R *
  W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 + 24%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 * y_1_1 - 24%:R * W1_1_1 ^+
  2 * W2_1_1 ^+ 2 * x_1_1 ^+ 4 + 48%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_1 ^+ 3 + 4%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 *
  x_1_1 ^+ 4 - 8%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1 ^+ 4 * y_1_1 + 8%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1 ^+ 5 -
  96%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 4 + 64%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 4 * x_1_1 ^+ 4 + 60%:R * W1_1_1 ^+
  4 * W2_1_1 ^+ 3 * x_1_1 ^+ 5 - 160%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 4 * x_1_1 ^+ 5 - 12%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 3 *
  x_1_1 ^+ 6 + 144%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 4 * x_1_1 ^+ 6 - 56%:R * W1_1_1 ^+ 6 * W2_1_1 ^+ 4 * x_1_1 ^+ 7 + 8%:R
  * W1_1_1 ^+ 7 * W2_1_1 ^+ 4 * x_1_1 ^+ 8 - 4%:R * W2_1_1 * x_1_1 * y_1_1 + 4%:R * W2_1_1 * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 ^+ 2 * y_1_1 : K).
Qed.

Lemma quadratic2_grad_1 : grad L w (0, (1, 0, 0))%N =
  - (4%:R * W1_1_1 * x_1_1 * y_1_1) + 4%:R * W1_1_1 * x_1_1 ^+ 2 + 8%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 2 - 16%:R *
  W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 2 * y_1_1 + 16%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 3 + 2%:R * W1_1_1 ^+ 2 * x_1_1
  ^+ 2 * y_1_1 - 2%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 - 8%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 3 + 16%:R * W1_1_1 ^+ 3 *
  W2_1_1 * x_1_1 ^+ 3 * y_1_1 - 16%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 4 + 48%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1
  ^+ 3 + 2%:R * W1_1_1 ^+ 4 * W2_1_1 * x_1_1 ^+ 4 - 4%:R * W1_1_1 ^+ 4 * W2_1_1 * x_1_1 ^+ 4 * y_1_1 + 4%:R * W1_1_1
  ^+ 4 * W2_1_1 * x_1_1 ^+ 5 - 72%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_1 ^+ 4 + 64%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 3 *
  x_1_1 ^+ 4 + 36%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 2 * x_1_1 ^+ 5 - 128%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 3 * x_1_1 ^+ 5 - 6%:R
  * W1_1_1 ^+ 6 * W2_1_1 ^+ 2 * x_1_1 ^+ 6 + 96%:R * W1_1_1 ^+ 6 * W2_1_1 ^+ 3 * x_1_1 ^+ 6 - 32%:R * W1_1_1 ^+ 7 *
  W2_1_1 ^+ 3 * x_1_1 ^+ 7 + 4%:R * W1_1_1 ^+ 8 * W2_1_1 ^+ 3 * x_1_1 ^+ 8.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * x_1_1 * y_1_1 : K).
Qed.

Lemma quadratic2_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  - (24%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 3) + 48%:R * W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 * y_1_1 - 48%:R * W1_1_1 *
  W2_1_1 ^+ 2 * x_1_1 ^+ 4 + 96%:R * W1_1_1 * W2_1_1 ^+ 3 * x_1_1 ^+ 3 + 12%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+
  4 - 24%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 4 * y_1_1 + 24%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 5 - 288%:R
  * W1_1_1 ^+ 2 * W2_1_1 ^+ 3 * x_1_1 ^+ 4 + 192%:R * W1_1_1 ^+ 2 * W2_1_1 ^+ 4 * x_1_1 ^+ 4 + 240%:R * W1_1_1 ^+ 3 *
  W2_1_1 ^+ 3 * x_1_1 ^+ 5 - 640%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 4 * x_1_1 ^+ 5 - 60%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 3 *
  x_1_1 ^+ 6 + 720%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 4 * x_1_1 ^+ 6 - 336%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 4 * x_1_1 ^+ 7 +
  56%:R * W1_1_1 ^+ 6 * W2_1_1 ^+ 4 * x_1_1 ^+ 8 + 4%:R * W2_1_1 * x_1_1 ^+ 2 * y_1_1 - 4%:R * W2_1_1 * x_1_1 ^+ 3 +
  8%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 2 - 16%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 2 * y_1_1 + 16%:R * W2_1_1 ^+ 2 * x_1_1 ^+ 3.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 : K).
Qed.

Lemma quadratic2_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (1, 0, 0))%N =
  16%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 - 32%:R * W1_1_1 * W2_1_1 * x_1_1 ^+ 2 * y_1_1 + 32%:R * W1_1_1 * W2_1_1 *
  x_1_1 ^+ 3 + 4%:R * W1_1_1 * x_1_1 ^+ 2 * y_1_1 - 4%:R * W1_1_1 * x_1_1 ^+ 3 - 24%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1
  ^+ 3 + 48%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 3 * y_1_1 - 48%:R * W1_1_1 ^+ 2 * W2_1_1 * x_1_1 ^+ 4 + 144%:R *
  W1_1_1 ^+ 2 * W2_1_1 ^+ 2 * x_1_1 ^+ 3 + 8%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 4 - 16%:R * W1_1_1 ^+ 3 * W2_1_1 *
  x_1_1 ^+ 4 * y_1_1 + 16%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 5 - 288%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 2 * x_1_1 ^+ 4 +
  256%:R * W1_1_1 ^+ 3 * W2_1_1 ^+ 3 * x_1_1 ^+ 4 + 180%:R * W1_1_1 ^+ 4 * W2_1_1 ^+ 2 * x_1_1 ^+ 5 - 640%:R * W1_1_1
  ^+ 4 * W2_1_1 ^+ 3 * x_1_1 ^+ 5 - 36%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 2 * x_1_1 ^+ 6 + 576%:R * W1_1_1 ^+ 5 * W2_1_1 ^+
  3 * x_1_1 ^+ 6 - 224%:R * W1_1_1 ^+ 6 * W2_1_1 ^+ 3 * x_1_1 ^+ 7 + 32%:R * W1_1_1 ^+ 7 * W2_1_1 ^+ 3 * x_1_1 ^+ 8 -
  4%:R * x_1_1 * y_1_1 + 4%:R * x_1_1 ^+ 2.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 * W2_1_1 * x_1_1 ^+ 2 : K).
Qed.

Lemma quadratic2_hess_1_1 : hess L w (0, (1, 0, 0))%N (0, (1, 0, 0))%N =
  8%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 - 16%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 2 * y_1_1 + 16%:R * W1_1_1 ^+ 2 * x_1_1 ^+ 3 +
  96%:R * W1_1_1 ^+ 3 * W2_1_1 * x_1_1 ^+ 3 - 8%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 + 16%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 3 *
  y_1_1 - 16%:R * W1_1_1 ^+ 3 * x_1_1 ^+ 4 - 144%:R * W1_1_1 ^+ 4 * W2_1_1 * x_1_1 ^+ 4 + 192%:R * W1_1_1 ^+ 4 *
  W2_1_1 ^+ 2 * x_1_1 ^+ 4 + 2%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 - 4%:R * W1_1_1 ^+ 4 * x_1_1 ^+ 4 * y_1_1 + 4%:R * W1_1_1
  ^+ 4 * x_1_1 ^+ 5 + 72%:R * W1_1_1 ^+ 5 * W2_1_1 * x_1_1 ^+ 5 - 384%:R * W1_1_1 ^+ 5 * W2_1_1 ^+ 2 * x_1_1 ^+ 5 -
  12%:R * W1_1_1 ^+ 6 * W2_1_1 * x_1_1 ^+ 6 + 288%:R * W1_1_1 ^+ 6 * W2_1_1 ^+ 2 * x_1_1 ^+ 6 - 96%:R * W1_1_1 ^+ 7 *
  W2_1_1 ^+ 2 * x_1_1 ^+ 7 + 12%:R * W1_1_1 ^+ 8 * W2_1_1 ^+ 2 * x_1_1 ^+ 8.
Proof.
rewrite /L /w.
expand K; settle (W1_1_1 ^+ 2 * x_1_1 ^+ 2 : K).
Qed.

End Quadratic2.

(** n = 1, R = 2, widths 2, 2, m = 2. *)
Section Zero1.
Variables (K : comRingType) (x_1_1 x_2_1 x_1_2 x_2_2 y_1_1 y_2_1 y_1_2 y_2_2 : K) (pre mid post : activation K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Let w (_ : param) : K := 0.
Let L := jet_loss 1 (nth 0 [:: 2; 2])%N 2 2 pre mid post 1
  (data [:: [:: x_1_1; x_2_1]; [:: x_1_2; x_2_2]]) (data [:: [:: y_1_1; y_2_1]; [:: y_1_2; y_2_2]]).

Lemma zero1_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * y_1_1 + 2%:R * f2 post 0 * f0
  pre x_1_2 ^+ 2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_1_2 ^+ 2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 ^+ 2 * x_1_1 : K).
Qed.

Lemma zero1_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (0, 1, 0))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_0_2 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 1))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * y_1_1 +
  2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * y_1_2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_0_3 : hess L w (0, (0, 0, 0))%N (0, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_0_4 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 * x_1_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 *
  y_1_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre x_1_2 * x_1_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre
  x_1_2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_0_5 : hess L w (0, (0, 0, 0))%N (1, (0, 1, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 * x_2_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 *
  y_2_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre x_1_2 * x_2_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre
  x_1_2 * y_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_1_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_0_6 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 : K).
Qed.

Lemma zero1_hess_0_7 : hess L w (0, (0, 0, 0))%N (1, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_1_1 : hess L w (0, (0, 1, 0))%N (0, (0, 1, 0))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * y_2_1 + 2%:R * f2 post 0 * f0
  pre x_1_2 ^+ 2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_1_2 ^+ 2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 ^+ 2 * x_2_1 : K).
Qed.

Lemma zero1_hess_1_2 : hess L w (0, (0, 1, 0))%N (0, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_1_3 : hess L w (0, (0, 1, 0))%N (0, (0, 1, 1))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * y_2_1 +
  2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * y_2_2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_1_4 : hess L w (0, (0, 1, 0))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_1_5 : hess L w (0, (0, 1, 0))%N (1, (0, 1, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 : K).
Qed.

Lemma zero1_hess_1_6 : hess L w (0, (0, 1, 0))%N (1, (0, 0, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 * x_1_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 *
  y_1_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre x_1_2 * x_1_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre
  x_1_2 * y_1_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_1_7 : hess L w (0, (0, 1, 0))%N (1, (0, 1, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 * x_2_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 *
  y_2_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre x_1_2 * x_2_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre
  x_1_2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre
  x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_1_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_2_2 : hess L w (0, (0, 0, 1))%N (0, (0, 0, 1))%N =
  2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * y_1_1 + 2%:R * f2 post 0 * f0
  pre x_2_2 ^+ 2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_2_2 ^+ 2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_2_1 ^+ 2 * x_1_1 : K).
Qed.

Lemma zero1_hess_2_3 : hess L w (0, (0, 0, 1))%N (0, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_2_4 : hess L w (0, (0, 0, 1))%N (1, (0, 0, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 * x_1_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 *
  y_1_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre x_2_2 * x_1_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre
  x_2_2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre
  x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_2_5 : hess L w (0, (0, 0, 1))%N (1, (0, 1, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 * x_2_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 *
  y_2_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre x_2_2 * x_2_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_1_2 * f0 pre
  x_2_2 * y_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_1_1 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_2_6 : hess L w (0, (0, 0, 1))%N (1, (0, 0, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 : K).
Qed.

Lemma zero1_hess_2_7 : hess L w (0, (0, 0, 1))%N (1, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_3_3 : hess L w (0, (0, 1, 1))%N (0, (0, 1, 1))%N =
  2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * y_2_1 + 2%:R * f2 post 0 * f0
  pre x_2_2 ^+ 2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_2_2 ^+ 2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_2_1 ^+ 2 * x_2_1 : K).
Qed.

Lemma zero1_hess_3_4 : hess L w (0, (0, 1, 1))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_3_5 : hess L w (0, (0, 1, 1))%N (1, (0, 1, 0))%N =
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 : K).
Qed.

Lemma zero1_hess_3_6 : hess L w (0, (0, 1, 1))%N (1, (0, 0, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 * x_1_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 *
  y_1_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre x_2_2 * x_1_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre
  x_2_2 * y_1_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_3_7 : hess L w (0, (0, 1, 1))%N (1, (0, 1, 1))%N =
  2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 * x_2_1 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 *
  y_2_1 + 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre x_2_2 * x_2_2 - 2%:R * f1 post 0 ^+ 2 * f1 pre x_2_2 * f0 pre
  x_2_2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f1 post 0 ^+ 2 * f1 pre x_2_1 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_4_4 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 0))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * y_1_1 + 2%:R * f2 post 0 * f0
  pre x_1_2 ^+ 2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_1_2 ^+ 2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 ^+ 2 * x_1_1 : K).
Qed.

Lemma zero1_hess_4_5 : hess L w (1, (0, 0, 0))%N (1, (0, 1, 0))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_4_6 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 1))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * y_1_1 +
  2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * y_1_2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero1_hess_4_7 : hess L w (1, (0, 0, 0))%N (1, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_5_5 : hess L w (1, (0, 1, 0))%N (1, (0, 1, 0))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_1_1 ^+ 2 * y_2_1 + 2%:R * f2 post 0 * f0
  pre x_1_2 ^+ 2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_1_2 ^+ 2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 ^+ 2 * x_2_1 : K).
Qed.

Lemma zero1_hess_5_6 : hess L w (1, (0, 1, 0))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_5_7 : hess L w (1, (0, 1, 0))%N (1, (0, 1, 1))%N =
  2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * y_2_1 +
  2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_1_2 * f0 pre x_2_2 * y_2_2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_1_1 * f0 pre x_2_1 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_1_2 * f0 pre x_2_2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_1_1 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero1_hess_6_6 : hess L w (1, (0, 0, 1))%N (1, (0, 0, 1))%N =
  2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * x_1_1 - 2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * y_1_1 + 2%:R * f2 post 0 * f0
  pre x_2_2 ^+ 2 * x_1_2 - 2%:R * f2 post 0 * f0 pre x_2_2 ^+ 2 * y_1_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_2_1 ^+ 2 * x_1_1 : K).
Qed.

Lemma zero1_hess_6_7 : hess L w (1, (0, 0, 1))%N (1, (0, 1, 1))%N =
  0.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (1%:R : K).
Qed.

Lemma zero1_hess_7_7 : hess L w (1, (0, 1, 1))%N (1, (0, 1, 1))%N =
  2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * x_2_1 - 2%:R * f2 post 0 * f0 pre x_2_1 ^+ 2 * y_2_1 + 2%:R * f2 post 0 * f0
  pre x_2_2 ^+ 2 * x_2_2 - 2%:R * f2 post 0 * f0 pre x_2_2 ^+ 2 * y_2_2 + 2%:R * f1 post 0 ^+ 2 * f0 pre x_2_1 ^+ 2 +
  2%:R * f1 post 0 ^+ 2 * f0 pre x_2_2 ^+ 2.
Proof.
rewrite [LHS](Paper.one_entry _ _ _ _ _ _ post0) //= /mat_A /mat_B.
expand K; settle (f2 post 0 * f0 pre x_2_1 ^+ 2 * x_2_1 : K).
Qed.

End Zero1.

(** n = 2, R = 2, widths 2, 1, 2, m = 2. *)
Section Zero2.
Variables (K : comRingType) (x_1_1 x_2_1 x_1_2 x_2_2 y_1_1 y_2_1 y_1_2 y_2_2 : K) (pre mid post : activation K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Let w (_ : param) : K := 0.
Let L := jet_loss 2 (nth 0 [:: 2; 1; 2])%N 2 2 pre mid post 1
  (data [:: [:: x_1_1; x_2_1]; [:: x_1_2; x_2_2]]) (data [:: [:: y_1_1; y_2_1]; [:: y_1_2; y_2_2]]).

Lemma zero2_hess_0_0 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_0_1 : hess L w (0, (0, 0, 0))%N (0, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_0_2 : hess L w (0, (0, 0, 0))%N (0, (1, 0, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_1_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * y_1_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_1_2 * x_1_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_2 * y_1_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_1_1 : K).
Qed.

Lemma zero2_hess_0_3 : hess L w (0, (0, 0, 0))%N (0, (1, 1, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_2_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * y_2_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_1_2 * x_2_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_2 * y_2_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_2_1 : K).
Qed.

Lemma zero2_hess_0_4 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_0_5 : hess L w (0, (0, 0, 0))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_0_6 : hess L w (0, (0, 0, 0))%N (1, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_0_7 : hess L w (0, (0, 0, 0))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_1_1 : hess L w (0, (0, 0, 1))%N (0, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_1_2 : hess L w (0, (0, 0, 1))%N (0, (1, 0, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_1_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * y_1_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_2_2 * x_1_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_2 * y_1_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero2_hess_1_3 : hess L w (0, (0, 0, 1))%N (0, (1, 1, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_2_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * y_2_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_2_2 * x_2_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_2 * y_2_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero2_hess_1_4 : hess L w (0, (0, 0, 1))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_1_5 : hess L w (0, (0, 0, 1))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_1_6 : hess L w (0, (0, 0, 1))%N (1, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_1_7 : hess L w (0, (0, 0, 1))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_2 : hess L w (0, (1, 0, 0))%N (0, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_3 : hess L w (0, (1, 0, 0))%N (0, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_4 : hess L w (0, (1, 0, 0))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_5 : hess L w (0, (1, 0, 0))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_6 : hess L w (0, (1, 0, 0))%N (1, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_2_7 : hess L w (0, (1, 0, 0))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_3_3 : hess L w (0, (1, 1, 0))%N (0, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_3_4 : hess L w (0, (1, 1, 0))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_3_5 : hess L w (0, (1, 1, 0))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_3_6 : hess L w (0, (1, 1, 0))%N (1, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_3_7 : hess L w (0, (1, 1, 0))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_4_4 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_4_5 : hess L w (1, (0, 0, 0))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_4_6 : hess L w (1, (0, 0, 0))%N (1, (1, 0, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_1_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * y_1_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_1_2 * x_1_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_2 * y_1_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_1_1 : K).
Qed.

Lemma zero2_hess_4_7 : hess L w (1, (0, 0, 0))%N (1, (1, 1, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_2_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_1 * y_2_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_1_2 * x_2_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_1_2 * y_2_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_1_1 * x_2_1 : K).
Qed.

Lemma zero2_hess_5_5 : hess L w (1, (0, 0, 1))%N (1, (0, 0, 1))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_5_6 : hess L w (1, (0, 0, 1))%N (1, (1, 0, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_1_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * y_1_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_2_2 * x_1_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_2 * y_1_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_1_1 : K).
Qed.

Lemma zero2_hess_5_7 : hess L w (1, (0, 0, 1))%N (1, (1, 1, 0))%N =
  2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_2_1 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_1 * y_2_1 + 2%:R * f1
  mid 0 * f1 post 0 * f0 pre x_2_2 * x_2_2 - 2%:R * f1 mid 0 * f1 post 0 * f0 pre x_2_2 * y_2_2.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (f1 mid 0 * f1 post 0 * f0 pre x_2_1 * x_2_1 : K).
Qed.

Lemma zero2_hess_6_6 : hess L w (1, (1, 0, 0))%N (1, (1, 0, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_6_7 : hess L w (1, (1, 0, 0))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

Lemma zero2_hess_7_7 : hess L w (1, (1, 1, 0))%N (1, (1, 1, 0))%N =
  0.
Proof.
rewrite [LHS](@Paper.two_coupled K (nth 0 [:: 2; 1; 2])%N _ _ _ _ _ _ _ _ mid0 post0 erefl);
  [|by rewrite mem_parameters|by rewrite mem_parameters].
rewrite /entry /= /mat_M /slope_c.
expand K; settle (1%:R : K).
Qed.

End Zero2.
