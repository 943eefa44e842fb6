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

(** If t M = 0 the whole Hessian vanishes. *)
Lemma two_degenerate : (forall i j, (i < d)%N -> (j < d)%N -> B i j = 0) ->
  {in ps &, forall p q, hess L (fun=> 0) p q = 0}.
Proof.
move=> B0 p q p_ps q_ps; rewrite coupled //; move: p q p_ps q_ps => [r [[l i] j]] [s [[l' i'] j']].
rewrite !mem_parameters /entry => /and4P[_ + + +] /and4P[_ + + +]; case: ifP => // _.
by case: l => [|[|//]] _ id jd; case: l' => [|[|//]] _ id' jd' //; rewrite B0 // -w2.
Qed.

Lemma two_eigenvalues (s : 'I_d -> K) :
  char_poly ((\matrix_(i < d, j < d) B i j)^T *m \matrix_(i < d, j < d) B i j) = \prod_l ('X - (s l ^+ 2)%:P) ->
  char_poly (hess_matrix L (fun=> 0) ps) = (\prod_l (('X - (s l)%:P) * ('X + (s l)%:P))) ^+ (R * k).
Proof.
move=> BB; rewrite two_char_poly BB rmorph_prod; congr (_ ^+ _); apply: eq_bigr => l _.
by rewrite rmorphB /= comp_polyX comp_polyC rmorphX /= subr_sqr.
Qed.

End Two.

(** Eigenvectors that are a basis, from d singular pairs whose vectors are. *)
Lemma two_eigenbasis (K : comUnitRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K) (kappa : K)
    (x y : nat -> nat -> K) (s : nat -> K) (u v : nat -> nat -> K) :
  let ps := parameters width 2 R in
  let H := hess_times (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) ps in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N -> (2%:R : K) \is a GRing.unit ->
  (forall l, (l < width 0)%N -> singular_pair (width 0%N) (mat_M m pre x y) (s l) (u l) (v l)) ->
  \matrix_(i < width 0%N, l < width 0%N) u l i \in unitmx -> \matrix_(j < width 0%N, l < width 0%N) v l j \in unitmx ->
  (forall e l r a, let E := @unit_pair K width R u v (e, l, r, a) in
     {in ps, forall p, H E p = (- 1) ^+ e * (kappa *+ 2 * slope_c mid post * s l) * E p}) /\
  (forall z : param -> K, exists! c : {ffun bool * 'I_(width 0%N) * 'I_R * 'I_(width 1%N) -> K},
     {in ps, forall p, z p = \sum_b c b * @unit_pair K width R u v b p}).
Proof.
move=> ps H mid0 post0 w2 two pairs uU uV; split=> [e l r a|z]; last exact: eigenbasis.
have ee : (- 1) ^+ e * (- 1) ^+ e = 1 :> K by rewrite -expr2 sqrr_sign.
exact: (@two_eigenvector K _ m R pre mid post kappa x y mid0 post0 w2 _ _ _ _ _ (pairs l (ltn_ord l)) ee).
Qed.

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
move=> mid0 post0 um w2 cM; rewrite (two_char_poly m R pre _ x y mid0 post0 w2); set N := \matrix_(i, j) _.
have -> : N = cM by apply/matrixP => i j; rewrite !mxE half_inverse // mulrAC mulrC.
by [].
Qed.

(** A direction with two weights that are not zero, one in each layer of one unit, has curvature 2 e t M_{ij}. *)
Section Saddle.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K) (i j : nat).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0) (w2 : width 2%N = width 0%N).
Hypotheses (R0 : (0 < R)%N) (k0 : (0 < width 1%N)%N) (id : (i < width 0%N)%N) (jd : (j < width 0%N)%N).
Local Notation ps := (parameters width 2 R).
Local Notation L := (jet_loss 2 width m R pre mid post kappa x y).
Local Notation H v := (hess_times L (fun=> 0) ps v).
Local Notation second := (0%N, (1%N, i, 0%N)).
Local Notation first := (0%N, (0%N, 0%N, j)).

Local Notation B := (fun i j => kappa *+ 2 * slope_c mid post * mat_M m pre x y i j).

Definition two_weights (e : K) (p : nat * place) : K := (p == second)%:R + e * (p == first)%:R.

Lemma two_weights_curvature e :
  \sum_(p <- ps) two_weights e p * H (two_weights e) p =
    e * B i j *+ 2.
Proof.
have pick q X : q \in ps -> \sum_(p <- ps) (p == q)%:R * X p = X q :> K.
  move=> q_ps; rewrite (bigD1_seq q) ?uniq_parameters //= eqxx mul1r big1 ?addr0 // => p pq.
  by rewrite (negPf pq) mul0r.
have [ps2 ps1] : second \in ps /\ first \in ps by rewrite !mem_parameters R0 k0 w2 id jd.
under eq_bigr do rewrite mulrDl -mulrA; rewrite big_split -mulr_sumr /= !pick //.
rewrite (two_second m pre kappa x y mid0 post0 w2) // (two_first m pre kappa x y mid0 post0 w2) //.
rewrite mulr2n; congr (_ + _);
  [rewrite -(sum_delta (fun j => e * B i j) jd) | congr (_ * _); rewrite -(sum_delta (B ^~ j) id)].
  by apply: eq_sum => j' _; rewrite /two_weights !xpair_eqE /= add0r; ring.
by apply: eq_sum => i' _; rewrite /two_weights !xpair_eqE /= andbT mulr0 addr0 mulrC.
Qed.

End Saddle.

Lemma two_saddle (K : realDomainType) (width : nat -> nat) (m R : nat) (pre mid post : activation K)
    (kappa : K) (x y : nat -> nat -> K) i j :
  let L := jet_loss 2 width m R pre mid post kappa x y in
  let form v := \sum_(p <- parameters width 2 R) v p * hess_times L (fun=> 0) (parameters width 2 R) v p in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N -> (0 < R)%N -> (0 < width 1%N)%N ->
  (i < width 0%N)%N -> (j < width 0%N)%N -> kappa *+ 2 * slope_c mid post * mat_M m pre x y i j != 0 ->
  (exists v, form v < 0) /\ (exists v, 0 < form v).
Proof.
move=> L form mid0 post0 w2 R0 k0 id jd; set b := _ * _ => b0.
have formE e : form (two_weights i j e) = e * b *+ 2 by apply: two_weights_curvature.
have sign (e a : K) : e * b = a -> (a < 0 -> form (two_weights i j e) < 0) /\ (0 < a -> 0 < form (two_weights i j e)).
  by rewrite formE => ->; split; rewrite ?Num.Theory.pmulrn_llt0 ?Num.Theory.pmulrn_lgt0.
have [plus minus] := (sign 1 b (mul1r b), sign (- 1) (- b) (mulN1r b)).
case: (Num.Theory.ltrgt0P b) b0 => [b_gt _|b_lt _|_ /eqP//].
- split; [exists (two_weights i j (- 1)) | exists (two_weights i j 1); exact: plus.2].
  by apply: minus.1; rewrite Num.Theory.oppr_lt0.
- split; [exists (two_weights i j 1); exact: plus.1 | exists (two_weights i j (- 1))].
  by apply: minus.2; rewrite Num.Theory.oppr_gt0.
Qed.
