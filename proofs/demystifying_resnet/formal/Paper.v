(** * The paper's network: what the general lemmas say of it *)

From Shortcut Require Import Definitions Sums Jets Carried Network Units Vanishing TwoLayers Shortcut.
From Shortcut Require Import Determinants Spectrum Eigenvectors Two One Matrices.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Paper.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).

Local Notation d := (width 0%N).
Local Notation L := (jet_loss n width m R pre mid post kappa x y).
Local Notation act := (acts pre mid).

Lemma acts_zero l : (0 < l < n)%N -> f0 (act l) 0 = 0.
Proof. by case: l. Qed.

(** ** Vanishing *)

Lemma paper_vanishes : vanishes layer n (shortcut width (fun l => f0 (act l)) (f0 post) n).
Proof. by apply: shortcut_vanishes => // l /acts_zero. Qed.

Lemma paper_jets_vanish : vanishes layer n (shortcut width (fun l => on_jets (act l)) (on_jets post) n).
Proof. by apply: shortcut_vanishes => [l /acts_zero|]; apply: on_jets0. Qed.

Lemma paper_grad p : (1 < n)%N -> grad L (fun=> 0) p = 0.
Proof. by move=> n2; apply: (grad_zero (fun=> paper_jets_vanish) R m (squared_expands kappa d x y)). Qed.

(** Lemma 3 of the paper for two parameters. *)
Lemma paper_lemma3 p q :
  (forall r, (r < R)%N -> exists2 l, (l < n)%N &
     (r == p.1) && (l == layer p.2) = false /\ (r == q.1) && (l == layer q.2) = false) ->
  hess L (fun=> 0) p q = 0.
Proof. by apply: (hess_zero (fun=> paper_jets_vanish) m (squared_expands kappa d x y)). Qed.

Lemma paper_hess p q : (2 < n)%N -> hess L (fun=> 0) p q = 0.
Proof. by move=> n3; apply: (hess_three (fun=> paper_jets_vanish) R m (squared_expands kappa d x y)). Qed.

Lemma loss_of_constants w :
  c0 (L (fun q => cst (w q))) = loss n width m R pre mid post kappa x y w.
Proof. exact: jet_loss_value. Qed.

(** ** Lemma 3 without derivatives: weights that leave every unit a zero layer do not change the loss. *)

Lemma loss_zero_layers w : (forall r, (r < R)%N -> exists2 l, (l < n)%N & forall q, layer q = l -> w (r, q) = 0) ->
  loss n width m R pre mid post kappa x y w = sum m (fun mu => squared kappa d y mu (x mu)).
Proof.
move=> w0; apply: eq_sum => mu _; congr (_ * _); apply: eq_sum => i _.
by rewrite (residual_zero (fun=> paper_vanishes)).
Qed.

Lemma loss_zero_layers_constant w :
  (forall r, (r < R)%N -> exists2 l, (l < n)%N & forall q, layer q = l -> w (r, q) = 0) ->
  loss n width m R pre mid post kappa x y w = loss n width m R pre mid post kappa x y (fun=> 0).
Proof.
move=> w0; rewrite (loss_zero_layers w0) loss_zero_layers // => r /w0[l ln _].
by exists l.
Qed.

Lemma loss_few_weights w ps : (size ps < n)%N -> (forall q, q \notin ps -> w q = 0) ->
  loss n width m R pre mid post kappa x y w = loss n width m R pre mid post kappa x y (fun=> 0).
Proof.
move=> ps_n w0; rewrite !loss_zero_layers // => r _; first by exists 0%N => //; apply: (leq_ltn_trans _ ps_n).
have /allPn[l] : ~~ all (mem [seq layer q.2 | q <- ps]) (iota 0 n).
  apply: contraL ps_n => /allP sub; rewrite -leqNgt -(size_map (fun q : nat * place => layer q.2)).
  by rewrite -{1}(size_iota 0 n); apply: uniq_leq_size (iota_uniq _ _) sub.
rewrite mem_iota => ln l_ps; exists l => // q lay_q; apply: w0; apply: contra l_ps => q_ps.
by apply/mapP; exists (r, q).
Qed.

End Paper.

(** Lemma 4 of the paper. *)
Section Lemma4.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (n0 : (0 < n)%N) (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Local Notation L R := (jet_loss n width m R pre mid post kappa x y).

Lemma paper_lemma4 R r s p q : (r < R)%N -> (s < R)%N ->
  hess (L R) (fun=> 0) (r, p) (s, q) =
    if r == s then hess (L 1%N) (fun=> 0) (0%N, p) (0%N, q)
    else if (s < r)%N then hess (L 2%N) (fun=> 0) (1%N, p) (0%N, q)
    else hess (L 2%N) (fun=> 0) (1%N, q) (0%N, p).
Proof.
apply: (@hess_structure K _ _ _ (fun=> 0)) => [|w h w0|mu f f'].
- by apply: (@shortcut_carried _ _ [rmorphism of swap]) => *; apply: on_jets_swap.
- by apply: (paper_jets_vanish (n := n) width pre mid0 post0) n0 _ => p' _; apply: w0.
- exact: (@squared_carried _ _ [rmorphism of swap]).
Qed.

End Lemma4.

(** ** n = 2 *)
Section Two.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).

Local Notation d := (width 0%N).
Local Notation L := (jet_loss 2 width m R pre mid post kappa x y).
Local Notation B := (fun i j => kappa *+ 2 * slope_c mid post * mat_M m pre x y i j).

Lemma two_zero r s p q : (r == s) && (layer p + layer q == 1)%N = false -> hess L (fun=> 0) (r, p) (s, q) = 0.
Proof.
move=> rs; apply: paper_lemma3 => // k kR.
by have [l l2 [lp lq]] := free_layer k rs; exists l.
Qed.

Lemma two_entry r s i1 j1 i2 j2 : (r < R)%N -> (i1 < d)%N -> (j1 < width 1%N)%N -> (j2 < d)%N ->
  hess L (fun=> 0) (r, (1%N, i1, j1)) (s, (0%N, i2, j2)) = if (r == s) && (j1 == i2) then B i1 j2 else 0.
Proof.
move=> rR i1d j1k j2d; rewrite -[r == s]andbT -rR -andbA.
exact: (@hess_squared2 K R m width (fun=> acts pre mid) (fun=> post)).
Qed.

Hypothesis w2 : width 2%N = d.

Lemma two_coupled : {in parameters width 2 R &, hess L (fun=> 0) =2 entry (fun=> B)}.
Proof. exact: (@hess_squared2_entry K R m width (fun=> acts pre mid) (fun=> post)). Qed.

End Two.

(** ** n = 1 *)
Section One.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypothesis post0 : f0 post 0 = 0.

Local Notation d := (width 0%N).
Local Notation L := (jet_loss 1 width m R pre mid post kappa x y).
Local Notation A := (mat_A m pre post x y).
Local Notation B := (mat_B m pre post x y).

Lemma one_entry r s i1 j1 i2 j2 : (r < R)%N -> (s < R)%N -> (i1 < d)%N -> (j1 < d)%N -> (i2 < d)%N -> (j2 < d)%N ->
  hess L (fun=> 0) (r, (0%N, i1, j1)) (s, (0%N, i2, j2)) =
    kappa *+ 2 * (if r == s then B i1 j1 i2 j2 else if (s < r)%N then A i1 j1 i2 j2 else A i2 j2 i1 j1).
Proof.
have above r' s' i1' j1' i2' j2' : (r' < s' < R)%N -> (i1' < d)%N -> (j1' < d)%N -> (i2' < d)%N -> (j2' < d)%N ->
    hess L (fun=> 0) (r', (0%N, i1', j1')) (s', (0%N, i2', j2')) = kappa *+ 2 * A i2' j2' i1' j1'.
  move=> rsR i1d j1d i2d j2d; have := @hess_earlier_later K R m width (fun=> acts pre mid) (fun=> post).
  move=> /(_ (fun=> post0) _ x _ _ (squared_expands kappa d x y) _ _ _ _ i1d j1d i2d j2d _ _ rsR) => ->.
  rewrite /mat_A sumMl; apply: eq_sum => mu _; rewrite /= (eq_sym i2') (eq_sym j2'); ring.
move=> rR sR i1d j1d i2d j2d; case: (ltngtP r s) => [rs|sr|<-].
- by rewrite above ?rs.
- by rewrite shortcut_hess_sym above ?sr.
have := @hess_one_unit K R m width (fun=> acts pre mid) (fun=> post).
move=> /(_ (fun=> post0) _ x _ _ (squared_expands kappa d x y) _ _ _ _ i1d j1d i2d j2d _ rR) => ->.
by rewrite /mat_B sumMl; apply: eq_sum => mu _ /=; ring.
Qed.

End One.

(** ** The blocks of Eq. 8 and Eq. 10, all layers d x d *)
Section Blocks.
Variables (K : comRingType) (d m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Local Notation L n := (jet_loss n (fun=> d) m R pre mid post kappa x y).
Local Notation P := (perm_P K d).
Implicit Types r s l : nat.

Lemma two_blocks r s l l' : (r < R)%N -> (s < R)%N ->
  let A := kappa *+ 2 * slope_c mid post *: (block_diag d (mat_M m pre x y) *m P^T) in
  hess_block d (L 2) (fun=> 0) r l s l' =
    if r == s then match l, l' with 1%N, 0%N => A | 0%N, 1%N => A^T | _, _ => 0 end else 0.
Proof.
move=> rR sR A; have A_entry t : (t < R)%N -> hess_block d (L 2) (fun=> 0) t 1 t 0 = A.
  move=> tR; apply/matrixP => a b; rewrite [RHS]mxE block_diag_permT mxE two_entry ?row_bound ?col_bound //.
  by rewrite eqxx /=; case: ifP; rewrite ?mulr0.
have zero : (r == s) && (l + l' == 1)%N = false -> hess_block d (L 2) (fun=> 0) r l s l' = 0.
  by move=> rs; apply/matrixP => a b; rewrite !mxE two_zero.
have At_entry : hess_block d (L 2) (fun=> 0) r 0 r 1 = A^T.
  by rewrite -(A_entry r rR); apply/matrixP => a b; rewrite !mxE shortcut_hess_sym.
case: eqP zero => [<- /=|_ ->] //.
by case: l l' => [|[|l]] [|[|l']] zero; rewrite ?(A_entry r rR) ?At_entry //; rewrite zero.
Qed.

Lemma one_blocks r s : (r < R)%N -> (s < R)%N ->
  let block N : 'M[K]_(d * d) := \matrix_(a, b) (kappa *+ 2 * N (a %% d)%N (a %/ d)%N (b %% d)%N (b %/ d)%N) in
  let A := block (mat_A m pre post x y) in let B := block (mat_B m pre post x y) in
  hess_block d (L 1) (fun=> 0) r 0 s 0 = if r == s then B else if (s < r)%N then A else A^T.
Proof.
move=> rR sR /=; apply/matrixP => a b; rewrite mxE one_entry ?row_bound ?col_bound //.
by case: ifP => _; [|case: ifP => _]; rewrite !mxE.
Qed.

End Blocks.

(** ** The linear 1-shortcut network, Eq. 29 and 32 *)
Section Linear.
Variables (K : comRingType) (d m R : nat) (kappa : K) (x y : nat -> nat -> K).
Local Notation linear := (identity K).
Local Notation L := (jet_loss 1 (fun=> d) m R linear linear linear kappa x y).
Local Notation P := (perm_P K d).
Local Notation Sxx := (block_diag d (fun i j => sum m (fun mu => x mu i * x mu j))).
Local Notation Sxx_Syx := (block_diag d (fun i j => sum m (fun mu => (x mu i - y mu i) * x mu j))).
Implicit Types r s : nat.

Lemma linear_blocks r s : (r < R)%N -> (s < R)%N ->
  let B := kappa *+ 2 *: (P *m Sxx *m P^T) in let A := kappa *+ 2 *: (Sxx_Syx *m P^T) + B in
  hess_block d L (fun=> 0) r 0 s 0 = if r == s then B else if (s < r)%N then A else A^T.
Proof.
move=> rR sR /=; rewrite one_blocks //.
have BE : \matrix_(a, b) (kappa *+ 2 * mat_B m linear linear x y (a %% d)%N (a %/ d)%N (b %% d)%N (b %/ d)%N) =
    kappa *+ 2 *: (P *m Sxx *m P^T).
  apply/matrixP => a b; rewrite [RHS]mxE perm_block_diag_permT mxE /mat_B; congr (_ * _).
  case: eqP => _; [apply: eq_sum | apply: sum_eq0] => mu _ /=; first by rewrite expr1n mul0r addr0 !mulr1.
  by rewrite mulr0 mul0r.
have AE : \matrix_(a, b) (kappa *+ 2 * mat_A m linear linear x y (a %% d)%N (a %/ d)%N (b %% d)%N (b %/ d)%N) =
    kappa *+ 2 *: (Sxx_Syx *m P^T) + kappa *+ 2 *: (P *m Sxx *m P^T).
  rewrite -BE; apply/matrixP => a b; rewrite [LHS]mxE [RHS]mxE [X in _ = X + _]mxE block_diag_permT.
  rewrite [X in _ = _ + X]mxE -mulrDr; congr (_ * _).
  rewrite /mat_A /mat_B; case: ((a %/ d)%N =P (b %% d)%N) => _.
    by rewrite /= -sumD; apply: eq_sum => mu _ /=; rewrite expr1n mul0r addr0 !mulr1 !mul1r addrC.
  by rewrite add0r; apply: eq_sum => mu _ /=; rewrite expr1n !mul0r !addr0 mulr1 mul1r.
by rewrite BE AE.
Qed.

End Linear.

Lemma half_inverse (K : comUnitRingType) m : (2 * m)%:R \is a @GRing.unit K -> (2 * m)%:R^-1 *+ 2 = m%:R^-1 :> K.
Proof. by rewrite natrM unitrM => /andP[u2 um]; rewrite invrM // -[LHS]mulr_natr mulrVK. Qed.
