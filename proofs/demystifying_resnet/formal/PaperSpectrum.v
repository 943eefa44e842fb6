(** * The paper's network, n = 2: the spectrum *)

From Shortcut Require Import Definitions Sums Determinants Spectrum Eigenvectors Paper.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Two.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0) (w2 : width 2%N = width 0%N).

Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Local Notation ps := (parameters width 2 R).
Local Notation L := (jet_loss 2 width m R pre mid post kappa x y).
Local Notation t := (kappa *+ 2 * slope_c mid post).
Local Notation B := (fun i j => t * mat_M m pre x y i j).
Local Notation H v := (hess_times L (fun=> 0) ps v).

Let coupled := @two_coupled K width m R pre mid post kappa x y mid0 post0 w2.

Lemma two_char_poly :
  char_poly (hess_matrix L (fun=> 0) ps) =
    (char_poly ((\matrix_(i < d, j < d) B i j)^T *m \matrix_(i < d, j < d) B i j) \Po 'X^2) ^+ (R * k).
Proof.
rewrite [LHS](char_poly_coupled w2 coupled); set N := \matrix_(i, j) _.
by rewrite (eq_bigr (fun=> (char_poly (N^T *m N) \Po 'X^2) ^+ k)) // prodr_const card_ord -exprM mulnC.
Qed.

Lemma two_first v r a j : (r < R)%N -> (a < k)%N -> (j < d)%N ->
  H v (r, (0%N, a, j)) = sum d (fun i => B i j * v (r, (1%N, i, a))).
Proof. exact: (times_first w2 coupled). Qed.

Lemma two_second v r a i : (r < R)%N -> (a < k)%N -> (i < d)%N ->
  H v (r, (1%N, i, a)) = sum d (fun j => B i j * v (r, (0%N, a, j))).
Proof. exact: (times_second w2 coupled). Qed.

Lemma two_twice_first v r a j : (r < R)%N -> (a < k)%N -> (j < d)%N ->
  H (H v) (r, (0%N, a, j)) = sum d (fun j' => sum d (fun i => B i j * B i j') * v (r, (0%N, a, j'))).
Proof. exact: (times_twice_first w2 coupled). Qed.

Lemma two_twice_second v r a i : (r < R)%N -> (a < k)%N -> (i < d)%N ->
  H (H v) (r, (1%N, i, a)) = sum d (fun i' => sum d (fun j => B i j * B i' j) * v (r, (1%N, i', a))).
Proof. exact: (times_twice_second w2 coupled). Qed.

Lemma two_eigenvector s u v (e : K) (alpha : nat -> nat -> K) :
  singular_pair d (mat_M m pre x y) s u v -> e * e = 1 -> {in ps, forall p,
    H (pair_direction e alpha (fun=> u) (fun=> v)) p = e * (t * s) * pair_direction e alpha (fun=> u) (fun=> v) p}.
Proof.
case=> Mv Mu; apply: (times_pair w2 coupled) => r _.
by split=> i id; rewrite -mulrA -(Mv, Mu) // sumMl; apply: eq_sum => j _; rewrite mulrA.
Qed.

Lemma two_eigenvalues (s : 'I_d -> K) :
  char_poly ((\matrix_(i < d, j < d) B i j)^T *m \matrix_(i < d, j < d) B i j) = \prod_l ('X - (s l ^+ 2)%:P) ->
  char_poly (hess_matrix L (fun=> 0) ps) = (\prod_l (('X - (s l)%:P) * ('X + (s l)%:P))) ^+ (R * k).
Proof.
move=> BB; rewrite two_char_poly BB rmorph_prod; congr (_ ^+ _); apply: eq_bigr => l _.
by rewrite rmorphB /= comp_polyX comp_polyC rmorphX /= subr_sqr.
Qed.

End Two.

(** The set of eigenvalues does not depend on the depth. *)
Lemma two_roots (K : idomainType) (width : nat -> nat) (m R : nat) (pre mid post : activation K)
    (kappa : K) (x y : nat -> nat -> K) (a : K) :
  let B := \matrix_(i < width 0%N, j < width 0%N) (kappa *+ 2 * slope_c mid post * mat_M m pre x y i j) in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N -> (0 < R)%N -> (0 < width 1%N)%N ->
  root (char_poly (hess_matrix (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) (parameters width 2 R))) a =
    root (char_poly (B^T *m B)) (a ^+ 2).
Proof.
move=> B mid0 post0 w2 R0 k0; rewrite two_char_poly // /root horner_exp horner_comp hornerXn expf_eq0.
by rewrite muln_gt0 R0 k0.
Qed.

Lemma two_char_poly_normalised (K : comUnitRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K)
    (x y : nat -> nat -> K) : f0 mid 0 = 0 -> f0 post 0 = 0 -> (2 * m)%:R \is a @GRing.unit K ->
  width 2%N = width 0%N ->
  let cM := \matrix_(i < width 0%N, j < width 0%N) (slope_c mid post * (m%:R^-1 * mat_M m pre x y i j)) in
  char_poly (hess_matrix (jet_loss 2 width m R pre mid post (2 * m)%:R^-1 x y) (fun=> 0) (parameters width 2 R)) =
    (char_poly (cM^T *m cM) \Po 'X^2) ^+ (R * width 1%N).
Proof.
move=> mid0 post0 um w2 cM; rewrite two_char_poly //; set N := \matrix_(i, j) _.
have -> : N = cM by apply/matrixP => i j; rewrite !mxE half_inverse // mulrAC mulrC.
by [].
Qed.
