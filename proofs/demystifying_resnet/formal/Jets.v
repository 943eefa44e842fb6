(** * Jets: coefficients, and the maps of rings that are used

    [swap] exchanges e1 and e2, [drop2] sets e2 to 0, [c0] sets both to 0. Activations on jets commute with them. *)

From Shortcut Require Import Definitions.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Jets.
Variable K : comRingType.
Implicit Types (u v : jets K) (a b : K) (sigma : activation K).

Lemma jetP u v : c0 u = c0 v -> c1 u = c1 v -> c2 u = c2 v -> c12 u = c12 v -> u = v.
Proof. by case: u v => [? ? ? ?] [? ? ? ?] /= -> -> -> ->. Qed.

Lemma jetM u v : u * v = Jet (c0 u * c0 v) (c0 u * c1 v + c1 u * c0 v) (c0 u * c2 v + c2 u * c0 v)
  (c0 u * c12 v + c1 u * c2 v + c2 u * c1 v + c12 u * c0 v).
Proof. by []. Qed.

Lemma jetD u v : u + v = Jet (c0 u + c0 v) (c1 u + c1 v) (c2 u + c2 v) (c12 u + c12 v).
Proof. by []. Qed.

Lemma c12_cstM a u : c12 (cst a * u) = a * c12 u.
Proof. by rewrite /= !mul0r !addr0. Qed.

Lemma on_jets_cst sigma a : on_jets sigma (cst a) = cst (f0 sigma a).
Proof. by apply: jetP; rewrite /= ?mulr0 ?addr0. Qed.

Lemma on_jets0 sigma : f0 sigma 0 = 0 -> on_jets sigma 0 = 0.
Proof. by move=> s0; apply: jetP; rewrite /= ?s0 ?mulr0 ?addr0. Qed.

(** The infinitesimals. *)
Definition e1 : jets K := Jet 0 1 0 0.
Definition e2 : jets K := Jet 0 0 1 0.

Lemma natr_jet (k : nat) : k%:R = cst k%:R :> jets K.
Proof. by elim: k => // k IH; rewrite !mulrSr IH; apply: jetP; rewrite /= ?addr0. Qed.

Lemma c12_e12M u : c12 (e1 * (e2 * u)) = c0 u.
Proof. by rewrite /= !(mul0r, mul1r, addr0, add0r). Qed.

(** One entry of a matrix is moved. *)
Lemma e1_and (b b' : bool) : Jet 0 (b && b')%:R 0 0 = e1 * (b%:R * b'%:R).
Proof. by case: b b' => [] []; rewrite ?(mulr1, mulr0). Qed.

Lemma e2_and (b b' : bool) : Jet 0 0 (b && b')%:R 0 = e2 * (b%:R * b'%:R).
Proof. by case: b b' => [] []; rewrite ?(mulr1, mulr0). Qed.

(** An activation is affine along each of them, its derivative taken at the constant term. *)
Lemma on_jets_e1 sigma a u : on_jets sigma (cst a + e1 * u) = cst (f0 sigma a) + cst (f1 sigma a) * (e1 * u).
Proof. by apply: jetP => /=; rewrite !(mul0r, mulr0, mul1r, addr0, add0r). Qed.

Lemma on_jets_e2 sigma a u : on_jets sigma (cst a + e2 * u) = cst (f0 sigma a) + cst (f1 sigma a) * (e2 * u).
Proof. by apply: jetP => /=; rewrite !(mul0r, mulr0, mul1r, addr0, add0r). Qed.

Lemma on_jets_e12 sigma a b b' : on_jets sigma (cst a + (e1 * cst b + e2 * cst b')) =
  cst (f0 sigma a) + cst (f1 sigma a) * (e1 * cst b + e2 * cst b') + cst (f2 sigma a) * (e1 * cst b * (e2 * cst b')).
Proof. by apply: jetP => /=; rewrite !(mul0r, mulr0, mul1r, addr0, add0r) ?mulrA. Qed.

Lemma swap_is_rmorphism : rmorphism (@swap K).
Proof.
split=> [u v|]; first by [].
by split=> // u v; apply: jetP => //=; ring.
Qed.
Canonical swap_additive := Additive swap_is_rmorphism.
Canonical swap_rmorphism := RMorphism swap_is_rmorphism.

Lemma drop2_is_rmorphism : rmorphism (@drop2 K).
Proof.
split=> [u v|]; first by apply: jetP; rewrite //= subr0.
by split=> // u v; apply: jetP => //=; ring.
Qed.
Canonical drop2_additive := Additive drop2_is_rmorphism.
Canonical drop2_rmorphism := RMorphism drop2_is_rmorphism.

Lemma c0_is_rmorphism : rmorphism (c0 : jets K -> K).
Proof. by []. Qed.
Canonical c0_additive := Additive c0_is_rmorphism.
Canonical c0_rmorphism := RMorphism c0_is_rmorphism.

Lemma on_jets_swap sigma u : swap (on_jets sigma u) = on_jets sigma (swap u).
Proof. by apply: jetP => //=; ring. Qed.

Lemma on_jets_drop2 sigma u : drop2 (on_jets sigma u) = on_jets sigma (drop2 u).
Proof. by apply: jetP => //=; ring. Qed.

End Jets.
