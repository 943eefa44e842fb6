(** * The matrices as printed: Eq. 24, 25, 29, 32

    P is the permutation that exchanges rows and columns, so N P^T has at ((j1, i1), (j2, i2)) what N has at
    ((j1, i1), (i2, j2)). *)

From Shortcut Require Import Definitions Sums.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Matrices.
Variables (K : comRingType) (d : nat).
Implicit Types (a b : 'I_(d * d)) (N : nat -> nat -> K).

Lemma index_bound i j : (i < d)%N -> (j < d)%N -> (j * d + i < d * d)%N.
Proof. by move=> id jd; apply: (leq_trans (n := j.+1 * d)); rewrite ?leq_mul2r ?jd ?orbT // mulSn addnC ltn_add2r. Qed.

Lemma index_pos a : (0 < d)%N.
Proof. by case: d a => // -[]. Qed.

Lemma row_bound a : (a %% d < d)%N.
Proof. by rewrite ltn_mod (index_pos a). Qed.

Lemma col_bound a : (a %/ d < d)%N.
Proof. by rewrite ltn_divLR ?(index_pos a) ?ltn_ord. Qed.

(** The index of the transposed entry. *)
Definition flip a : 'I_(d * d) := Ordinal (index_bound (col_bound a) (row_bound a)).

Lemma flip_row a : (flip a %% d)%N = (a %/ d)%N.
Proof. by rewrite /= modnMDl modn_small ?col_bound. Qed.

Lemma flip_col a : (flip a %/ d)%N = (a %% d)%N.
Proof. by rewrite /= divnMDl ?(index_pos a) // divn_small ?addn0 ?col_bound. Qed.

Lemma flipK : involutive flip.
Proof. by move=> a; apply: val_inj; rewrite /= -[X in (X * d)%N]/(flip a %% d)%N flip_row flip_col -divn_eq. Qed.

Lemma perm_PE a b : perm_P K d a b = (a == flip b)%:R.
Proof. by rewrite mxE. Qed.

Lemma mulmx_permT (N : 'M[K]_(d * d)) a b : (N *m (perm_P K d)^T) a b = N a (flip b).
Proof.
rewrite mxE (bigD1 (flip b)) //= mxE perm_PE flipK eqxx mulr1 big1 ?addr0 // => c cb.
by rewrite mxE perm_PE -(inj_eq (can_inj flipK)) flipK eq_sym (negPf cb) mulr0.
Qed.

Lemma perm_mulmx (N : 'M[K]_(d * d)) a b : (perm_P K d *m N) a b = N (flip a) b.
Proof.
rewrite mxE (bigD1 (flip a)) //= perm_PE flipK eqxx mul1r big1 ?addr0 // => c ca.
by rewrite perm_PE -(inj_eq (can_inj flipK)) flipK eq_sym (negPf ca) mul0r.
Qed.

(** Eq. 23 and 25; Eq. 28 and 29. *)
Lemma block_diag_permT N a b :
  (block_diag d N *m (perm_P K d)^T) a b = if (a %/ d == b %% d)%N then N (a %% d)%N (b %/ d)%N else 0.
Proof. by rewrite mulmx_permT mxE flip_row flip_col. Qed.

Lemma perm_block_diag_permT N a b :
  (perm_P K d *m block_diag d N *m (perm_P K d)^T) a b = if (a %% d == b %% d)%N then N (a %/ d)%N (b %/ d)%N else 0.
Proof. by rewrite mulmx_permT perm_mulmx mxE !flip_row !flip_col. Qed.

End Matrices.
