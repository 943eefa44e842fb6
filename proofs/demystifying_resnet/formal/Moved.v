(** * Layers with one moved entry

    With e1 or e2 at one entry, a layer without constant term has one row that is not zero, and an activation that
    vanishes at 0 multiplies it by its slope there. *)

From Shortcut Require Import Definitions Sums Jets.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Moved.
Variable K : comRingType.
Implicit Types (sigma : activation K) (u : jets K) (b : bool).

(** A row of a layer. *)
Lemma row_e1 d (j1 : nat) b (u : nat -> jets K) : (j1 < d)%N ->
  sum d (fun j => Jet 0 (b && (j == j1))%:R 0 0 * u j) = e1 K * (b%:R * u j1).
Proof.
by move=> jd; rewrite -(sum_delta (fun j => e1 K * (b%:R * u j)) jd); apply: eq_sum => j _; rewrite e1_and; ring.
Qed.

Lemma row_e2 d (j2 : nat) b (u : nat -> jets K) : (j2 < d)%N ->
  sum d (fun j => Jet 0 0 (b && (j == j2))%:R 0 * u j) = e2 K * (b%:R * u j2).
Proof.
by move=> jd; rewrite -(sum_delta (fun j => e2 K * (b%:R * u j)) jd); apply: eq_sum => j _; rewrite e2_and; ring.
Qed.

Lemma slope_e1 sigma u : f0 sigma 0 = 0 -> on_jets sigma (e1 K * u) = cst (f1 sigma 0) * (e1 K * u).
Proof. by move=> s0; have := on_jets_e1 sigma 0 u; rewrite s0 !add0r. Qed.

Lemma slope_e2 sigma u : f0 sigma 0 = 0 -> on_jets sigma (e2 K * u) = cst (f1 sigma 0) * (e2 K * u).
Proof. by move=> s0; have := on_jets_e2 sigma 0 u; rewrite s0 !add0r. Qed.

(** Two layers: e1 at entry (i1, a1) of the second, e2 at (a2, j2) of the first, applied to G. *)
Lemma branch_c12 (mid post : activation K) k d (i i1 a1 a2 j2 : nat) (G : nat -> nat -> jets K) :
  f0 mid 0 = 0 -> f0 post 0 = 0 -> (a1 < k)%N -> (j2 < d)%N ->
  c12 (on_jets post (sum k (fun a => Jet 0 ((i == i1) && (a == a1))%:R 0 0 *
    on_jets mid (sum d (fun j => Jet 0 0 ((a == a2) && (j == j2))%:R 0 * G a j))))) =
  (i == i1)%:R * (a1 == a2)%:R * (f1 mid 0 * f1 post 0 * c0 (G a1 j2)).
Proof.
move=> mid0 post0 a1k j2d; rewrite row_e1 // slope_e1 // row_e2 // slope_e2 //.
transitivity (c12 ((i == i1)%:R * ((a1 == a2)%:R *
    (cst (f1 mid 0) * (cst (f1 post 0) * (e1 K * (e2 K * G a1 j2))))))); first by congr c12; ring.
by rewrite !natr_jet !c12_cstM c12_e12M; ring.
Qed.

End Moved.
