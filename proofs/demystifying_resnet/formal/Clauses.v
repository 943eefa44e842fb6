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

(** DR-T2.1. n ≥ 2, any R: all partial derivatives at zero of order 1, ..., n - 1 exist and vanish. *)
Lemma DR_T2_1_gradient_at_zero (K : comRingType) (n R d m : nat) (pre mid post : activation K) kappa x y
    (w : param -> K) (p q : param) (ps : seq param) :
  (2 <= n)%N -> (1 <= R)%N -> (1 <= d)%N -> (1 <= m)%N -> f0 mid 0 = 0 -> f0 post 0 = 0 ->
  grad (jet_loss n (fun=> d) m R pre mid post kappa x y) (fun=> 0) p = 0.
Proof. by move=> *; apply: gradient_at_zero; eassumption. Qed.

(** DR-T2.1. n ≥ 2, any R: all partial derivatives at zero of order 1, ..., n - 1 exist and vanish. *)
Lemma DR_T2_1_loss_of_few_weights (K : comRingType) (n R d m : nat) (pre mid post : activation K) kappa x y
    (w : param -> K) (p q : param) (ps : seq param) :
  (2 <= n)%N -> (1 <= R)%N -> (1 <= d)%N -> (1 <= m)%N -> f0 mid 0 = 0 -> f0 post 0 = 0 ->
  (size ps < n)%N -> (forall q : param, q \notin ps -> w q = 0) ->
  loss n (fun=> d) m R pre mid post kappa x y w = loss n (fun=> d) m R pre mid post kappa x y (fun=> 0).
Proof. by move=> *; apply: loss_of_few_weights; eassumption. Qed.

(** DR-T2.1. n ≥ 3: the Hessian at zero is the zero matrix. *)
Lemma DR_T2_1_hessian_at_zero (K : comRingType) (n R d m : nat) (pre mid post : activation K) kappa x y
    (w : param -> K) (p q : param) (ps : seq param) :
  (3 <= n)%N -> (1 <= R)%N -> (1 <= d)%N -> (1 <= m)%N -> f0 mid 0 = 0 -> f0 post 0 = 0 ->
  hess (jet_loss n (fun=> d) m R pre mid post kappa x y) (fun=> 0) p q = 0.
Proof. by move=> *; apply: hessian_at_zero; eassumption. Qed.

(** DR-T2.2, squared loss. For n = 2 the Hessian at zero is block diagonal over units; each block is [[0, Aᵀ], [A, 0]]
  with A = c blockdiag(M, ..., M) Pᵀ. *)
Section DR_T2_2_squared.
Variables (K : comRingType) (d m R : nat).
Hypotheses (d_least : (1 <= d)%N) (m_least : (1 <= m)%N) (R_least : (1 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Variables pre mid post : activation K.
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; d; d]).
(** kappa = 1/(2m). *)
Variable kappa : K.
Hypothesis kappaP : kappa *+ 2 = inv_m.
Local Notation L := (jet_loss 2 width m R pre mid post kappa x y).

Lemma DR_T2_2_squared_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: n2_zero => //; by rewrite /layer /= andbF.
Qed.

Lemma DR_T2_2_squared_D_W2_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1 j2 j1
  i2).
Qed.

Lemma DR_T2_2_squared_D_W2_W2 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: n2_zero => //; by rewrite /layer /= andbF.
Qed.

Lemma DR_T2_2_squared_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma DR_T2_2_squared_A_W1_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma DR_T2_2_squared_A_W2_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma DR_T2_2_squared_A_W2_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

(** Falsehood: $M$ transposed. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu j2 - y mu j2) * f0 pre (x mu i1)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

(** Falsehood: twice as large. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => 2%:R * inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

(** Falsehood: without the slope of mid. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

(** Falsehood: $X$ in place of $\mathrm{pre}(X)$. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * x mu j2 * (j1 == i2)%:R * (x mu i1 - y mu i1)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

(** Falsehood: units interact. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr)).
Abort.

(** Falsehood: $P$ left out. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == j2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu i2)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

End DR_T2_2_squared.

(** DR-T2.3, squared loss. n = 1, R ≥ 2: the Hessian at zero is block Toeplitz, B on the diagonal, A below and Aᵀ
  above it. *)
Section DR_T2_3_squared.
Variables (K : comRingType) (d m R : nat).
Hypotheses (d_least : (1 <= d)%N) (m_least : (1 <= m)%N) (R_least : (2 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Variables pre mid post : activation K.
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; d]).
(** kappa = 1/(2m). *)
Variable kappa : K.
Hypothesis kappaP : kappa *+ 2 = inv_m.
Local Notation L := (jet_loss 1 width m R pre mid post kappa x y).

Lemma DR_T2_3_squared_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f2 post 0 * (i1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2) * f0 pre (x mu j1)) +
      sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2 j2).
Qed.

Lemma DR_T2_3_squared_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f1 pre (x mu j1) * f0 pre (x mu
      j2)) + sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1 j1 i2
  j2).
Qed.

(** Falsehood: $B$ twice as large. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => 2%:R * inv_m * f2 post 0 * (i1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2) * f0 pre (x mu
      j1)) + sum m (fun mu => 2%:R * inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2
  j2)).
Abort.

(** Falsehood: without the curvature of post. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2
  j2)).
Abort.

(** Falsehood: pre in place of its derivative. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2) * f0 pre (x mu
      j1)) + sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

(** Falsehood: $A$ transposed. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == j2)%:R * (x mu i2 - y mu i2) * f1 pre (x mu i1) * f0 pre (x mu
      j1)) + sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

(** Falsehood: $A = 0$. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

End DR_T2_3_squared.

(** DR-T2.3, generic loss. n = 1, R ≥ 2: the Hessian at zero is block Toeplitz, B on the diagonal, A below and Aᵀ
  above it. *)
Section DR_T2_3_generic.
Variables (K : comRingType) (d m R : nat).
Hypotheses (d_least : (1 <= d)%N) (m_least : (1 <= m)%N) (R_least : (2 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Variables pre mid post : activation K.
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; d]).
(** A sample's share of the mean. *)
Variables (ell : nat -> (nat -> jets K) -> jets K) (g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu)
  (fun i => inv_m * g mu i) (fun i k => inv_m * Q mu i k).
Hypothesis symQ : forall mu i k, Q mu i k = Q mu k i.
Let sym mu i k : inv_m * Q mu i k = inv_m * Q mu k i.
Proof. by rewrite symQ. Qed.
Local Notation L := (total_loss (fun=> shortcut width (fun l => on_jets (acts pre mid l)) (on_jets post) 1) R m
  ell (fun mu i => cst (x mu i))).

Lemma DR_T2_3_generic_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * Q mu i1 i2 * f0 pre (x mu j2) * f0 pre (x mu j1)) + sum m (fun mu =>
      inv_m * f2 post 0 * (i1 == i2)%:R * g mu i1 * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
move=> r i1 j1 i2 j2; settle (@n1_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0) ellP
  r r i1 j1 i2 j2 sym).
Qed.

Lemma DR_T2_3_generic_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * Q mu i1 i2 * f0 pre (x mu j2) * f0 pre (x mu j1)) + sum m (fun mu =>
      inv_m * f1 post 0 ^+ 2 * (j1 == i2)%:R * g mu i1 * f1 pre (x mu j1) * f0 pre (x mu j2)).
Proof.
move=> r s sr i1 j1 i2 j2; settle (@n1_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP r s i1 j1 i2 j2 sym).
Qed.

(** Falsehood: the squared loss's $Q = I$. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f2 post 0 * (i1 == i2)%:R * g mu i1 * f0 pre (x mu j2) * f0 pre (x mu j1)) + sum m (fun
      mu => inv_m * f1 post 0 ^+ 2 * (i1 == i2)%:R * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r i1 j1 i2 j2; settle (@n1_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP r r i1 j1 i2 j2 sym)).
Abort.

(** Falsehood: $Q$ left out of $A$. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 post 0 ^+ 2 * (j1 == i2)%:R * g mu i1 * f1 pre (x mu j1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; settle (@n1_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP r s i1 j1 i2 j2 sym)).
Abort.

End DR_T2_3_generic.

(** DR-T2.3ab, squared loss. For n = 1 and identity activations B = P blockdiag(S, ..., S) Pᵀ = S ⊗ I and A =
  blockdiag(S - T, ..., S - T) Pᵀ + B with S = Σ_XX, T = Σ_YX. *)
Section DR_T2_3ab_squared.
Variables (K : comRingType) (d m R : nat).
Hypotheses (d_least : (1 <= d)%N) (m_least : (1 <= m)%N) (R_least : (1 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Local Notation pre := (identity K).
Local Notation mid := pre.
Local Notation post := pre.
Let post0 : f0 post 0 = 0 := erefl.
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; d]).
(** kappa = 1/(2m). *)
Variable kappa : K.
Hypothesis kappaP : kappa *+ 2 = inv_m.
Local Notation L := (jet_loss 1 width m R pre mid post kappa x y).

Lemma DR_T2_3ab_squared_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu j2 * x mu j1 * (i1 == i2)%:R).
Proof.
move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2 j2).
Qed.

Lemma DR_T2_3ab_squared_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu j2 * x mu j1 * (i1 == i2)%:R) + sum m (fun mu => inv_m * x mu j2 * (j1 == i2)%:R *
      (x mu i1 - y mu i1)).
Proof.
move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1 j1 i2
  j2).
Qed.

(** Falsehood: $A$ without $B$. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu j2 * (j1 == i2)%:R * (x mu i1 - y mu i1)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

(** Falsehood: $S - T$ transposed. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu j2 * x mu j1 * (i1 == i2)%:R) + sum m (fun mu => inv_m * x mu i1 * (j1 == i2)%:R *
      (x mu j2 - y mu j2)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

(** Falsehood: without $P$. *)
Goal forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu j2 * x mu j1 * (i1 == i2)%:R) + sum m (fun mu => inv_m * x mu i2 * (j1 == j2)%:R *
      (x mu i1 - y mu i1)).
Proof.
Fail (move=> r s sr i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r s i1
  j1 i2 j2)).
Abort.

(** Falsehood: $I \otimes S$. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * x mu i2 * x mu i1 * (j1 == j2)%:R).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2
  j2)).
Abort.

(** Falsehood: $B$ twice as large. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => 2%:R * inv_m * x mu j2 * x mu j1 * (i1 == i2)%:R).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n1_entry _ width m R pre mid post kappa x y post0 r r i1 j1 i2
  j2)).
Abort.

End DR_T2_3ab_squared.

(** GEN-5, generic loss. For n = 2 and any per-sample loss that is differentiable at the data, Theorem 2.2 holds with
  M = (1/m) ∑ ∇_f loss(x, y) pre(x)ᵀ: the loss is L(w_0) + wᵀ H w / 2 + o(|w|²), whatever its second derivatives. *)
Section GEN_5_generic.
Variables (K : comRingType) (d m R : nat).
Hypotheses (d_least : (1 <= d)%N) (m_least : (1 <= m)%N) (R_least : (1 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Variables pre mid post : activation K.
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; d; d]).
(** A sample's share of the mean. *)
Variables (ell : nat -> (nat -> jets K) -> jets K) (g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu)
  (fun i => inv_m * g mu i) (fun i k => inv_m * Q mu i k).
Hypothesis symQ : forall mu i k, Q mu i k = Q mu k i.
Let sym mu i k : inv_m * Q mu i k = inv_m * Q mu k i.
Proof. by rewrite symQ. Qed.
Local Notation L := (total_loss (fun=> shortcut width (fun l => on_jets (acts pre mid l)) (on_jets post) 2) R m
  ell (fun mu i => cst (x mu i))).

Lemma GEN_5_generic_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP _ _ _ _ (fun=> mid0)) => //; by rewrite /layer /= andbF.
Qed.

Lemma GEN_5_generic_D_W2_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * g mu i1 * f0 pre (x mu j2)).
Proof.
move=> r i1 j1 i2 j2; settle (@n2_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0) ellP
  r r i1 j2 j1 i2 (fun=> mid0)).
Qed.

Lemma GEN_5_generic_D_W2_W2 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP _ _ _ _ (fun=> mid0)) => //; by rewrite /layer /= andbF.
Qed.

Lemma GEN_5_generic_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP _ _ _ _ (fun=> mid0)) => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_5_generic_A_W1_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP _ _ _ _ (fun=> mid0)) => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_5_generic_A_W2_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP _ _ _ _ (fun=> mid0)) => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_5_generic_A_W2_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP _ _ _ _ (fun=> mid0)) => //; by rewrite (gtn_eqF sr).
Qed.

(** Falsehood: the loss's curvature enters. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (1%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * Q mu i1 i2 * f0 pre (x mu j2) * f0 pre (x mu j1)).
Proof.
Fail (move=> r i1 j1 i2 j2; apply: (@n2_any_loss_zero _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=>
  post0) ellP _ _ _ _ (fun=> mid0)) => //; by rewrite /layer /= andbF).
Abort.

(** Falsehood: twice as large. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => 2%:R * inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * g mu i1 * f0 pre (x mu j2)).
Proof.
Fail (move=> r i1 j1 i2 j2; settle (@n2_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP r r i1 j2 j1 i2 (fun=> mid0))).
Abort.

(** Falsehood: $M$ transposed. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * g mu j2 * f0 pre (x mu i1)).
Proof.
Fail (move=> r i1 j1 i2 j2; settle (@n2_any_loss _ R m width (fun=> acts pre mid) (fun=> post) ell x _ _ (fun=> post0)
  ellP r r i1 j2 j1 i2 (fun=> mid0))).
Abort.

End GEN_5_generic.

(** GEN-6, squared loss. With inner width k the Hessian of a 2-shortcut network has the same core M, and each
  eigenvalue ± c s_i has multiplicity R k. *)
Section GEN_6_squared.
Variables (K : comRingType) (d k m R : nat).
Hypotheses (d_least : (1 <= d)%N) (k_least : (1 <= k)%N) (m_least : (1 <= m)%N) (R_least : (1 <= R)%N).
Variable inv_m : K.
Hypothesis inv_mP : m%:R * inv_m = 1.
Variable inv_k : K.
Hypothesis inv_kP : k%:R * inv_k = 1.
Variables pre mid post : activation K.
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Variables x y : nat -> nat -> K.
Local Notation width := (nth 0%N [:: d; k; d]).
(** kappa = 1/(2m). *)
Variable kappa : K.
Hypothesis kappaP : kappa *+ 2 = inv_m.
Local Notation L := (jet_loss 2 width m R pre mid post kappa x y).

Lemma GEN_6_squared_D_W1_W1 : forall (r : 'I_R) (i1 : 'I_k) (j1 : 'I_d) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: n2_zero => //; by rewrite /layer /= andbF.
Qed.

Lemma GEN_6_squared_D_W2_W1 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1 j2 j1
  i2).
Qed.

Lemma GEN_6_squared_D_W2_W2 : forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_d) (j2 : 'I_k),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r i1 j1 i2 j2; apply: n2_zero => //; by rewrite /layer /= andbF.
Qed.

Lemma GEN_6_squared_A_W1_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_k) (j1 : 'I_d) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_6_squared_A_W1_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_k) (j1 : 'I_d) (i2 : 'I_d) (j2 : 'I_k),
  hess L (fun=> 0) (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_6_squared_A_W2_W1 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

Lemma GEN_6_squared_A_W2_W2 : forall (r s : 'I_R) (sr : (s < r)%N) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_d) (j2 : 'I_k),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (1%N, i2 : nat, j2 : nat)) =
    0.
Proof.
move=> r s sr i1 j1 i2 j2; apply: n2_zero => //; by rewrite (gtn_eqF sr).
Qed.

(** Falsehood: twice as large. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => 2%:R * inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

(** Falsehood: scaled by the inner width. *)
Goal forall (r : 'I_R) (i1 : 'I_d) (j1 : 'I_k) (i2 : 'I_k) (j2 : 'I_d),
  hess L (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (r : nat, (0%N, i2 : nat, j2 : nat)) =
    sum m (fun mu => inv_k * inv_m * f1 mid 0 * f1 post 0 * (j1 == i2)%:R * (x mu i1 - y mu i1) * f0 pre (x mu j2)).
Proof.
Fail (move=> r i1 j1 i2 j2; rewrite -?kappaP; settle (@n2_entry _ width m R pre mid post kappa x y mid0 post0 r r i1
  j2 j1 i2)).
Abort.

End GEN_6_squared.
