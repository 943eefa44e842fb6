(** * n = 2: the whole spectrum

    A function h of two parameters is block diagonal of two layers if h couples (r, 1, i, a) with (r, 0, a, j) by B_r(i,
    j), symmetrically, and nothing else. Grouped by (r, a), it is diagonal with blocks [[0, B_r^T], [B_r, 0]]. *)

From Shortcut Require Import Definitions Sums Determinants.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Lemma mem_parameters width n R r l i j :
  ((r, (l, i, j)) \in parameters width n R) = [&& (r < R)%N, (l < n)%N, (i < width l.+1)%N & (j < width l)%N].
Proof.
apply/allpairsP/and4P => [[[r' q] [/= + /allpairsPdep[l' [ji [+ + ->]]]]]|[rR ln id jd]].
  by move=> + + /allpairsP[[j' i'] [/= + + ->]] [-> -> -> ->]; rewrite !mem_iota.
exists (r, (l, i, j)); split; rewrite ?mem_iota //=; apply/allpairsPdep; exists l, (j, i).
by split=> //; rewrite ?mem_iota //; apply/allpairsP; exists (j, i); rewrite !mem_iota.
Qed.

Lemma uniq_parameters width n R : uniq (parameters width n R).
Proof.
apply: allpairs_uniq => [||[? ?] [? ?] _ _ [-> ->] //]; first exact: iota_uniq.
apply: allpairs_uniq_dep => [|l _|[l [j i]] [l' [j' i']] _ _ /= [-> -> ->] //]; first exact: iota_uniq.
by apply: allpairs_uniq => [||[? ?] [? ?] _ _ [-> ->] //]; apply: iota_uniq.
Qed.

Section Grouped.
Variables (width : nat -> nat) (R : nat).
Hypothesis w2 : width 2%N = width 0%N.
Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Local Notation ps := (parameters width 2 R).

Definition first_part r a : seq (nat * place) := [seq (r, (0%N, a, j)) | j <- iota 0 d].
Definition second_part r a : seq (nat * place) := [seq (r, (1%N, i, a)) | i <- iota 0 d].
Definition part (b : nat * nat) := first_part b.1 b.2 ++ second_part b.1 b.2.
Definition groups := [seq (r, a) | r <- iota 0 R, a <- iota 0 k].

(** The group of a parameter. *)
Definition group_of (p : nat * place) := let: (r, (l, i, j)) := p in (r, if l is 0 then i else j).

Lemma mem_part b p : (p \in part b) =
  let: (r, (l, i, j)) := p in [&& group_of p == b, (l < 2)%N & ((if l is 0 then j else i) < d)%N].
Proof.
case: b p => [r a] [r' [[l i] j]]; rewrite mem_cat; apply/orP/and3P => [[]|].
- by move=> /mapP[j' + [-> -> -> ->]] /=; rewrite mem_iota.
- by move=> /mapP[i' + [-> -> -> ->]] /=; rewrite mem_iota.
case: l => [|[|l]] [/eqP[-> ->] // _ ld]; [left | right]; apply/mapP.
- by exists j; rewrite ?mem_iota.
- by exists i; rewrite ?mem_iota.
Qed.

Lemma mem_groups r a : ((r, a) \in groups) = (r < R)%N && (a < k)%N.
Proof.
apply/allpairsP/andP => [[[r' a'] [/=]]|[rR ak]]; first by rewrite !mem_iota => + + [-> ->].
by exists (r, a); rewrite !mem_iota.
Qed.

Lemma uniq_groups : uniq groups.
Proof. by apply: allpairs_uniq => [||[? ?] [? ?] _ _ [-> ->] //]; apply: iota_uniq. Qed.

Lemma part_group b p : p \in part b -> group_of p = b.
Proof. by rewrite mem_part; case: p => [r [[l i] j]] /and3P[/eqP]. Qed.

Lemma uniq_part b : uniq (part b).
Proof.
rewrite cat_uniq !map_inj_uniq ?iota_uniq ?andbT //= => [|? ? [] //|? ? [] //].
by apply/hasPn => _ /mapP[i _ ->]; apply/mapP => -[].
Qed.

Lemma uniq_grouped bs : uniq bs -> uniq (flatten [seq part b | b <- bs]).
Proof.
elim: bs => //= b bs IH /andP[b_bs /IH]; rewrite cat_uniq uniq_part => -> /=; rewrite andbT.
apply/hasPn => p /flatten_mapP[c cs /part_group pc]; apply: contra b_bs => /part_group <-.
by rewrite pc.
Qed.

(** The parameters, group by group. *)
Lemma parameters_grouped : perm_eq ps (flatten [seq part b | b <- groups]).
Proof.
apply: uniq_perm; rewrite ?uniq_parameters ?uniq_grouped ?uniq_groups // => -[r [[l i] j]].
rewrite mem_parameters; apply/idP/flatten_mapP => [/and4P[rR l2 id jd]|[b bs]].
  exists (group_of (r, (l, i, j))); first by case: l l2 id jd => [|[|//]] _ id jd; rewrite mem_groups rR.
  by rewrite mem_part eqxx l2; case: l l2 id jd => [|[|//]] _; rewrite ?w2.
rewrite mem_part => /and3P[/eqP gb l2 ld]; move: bs; rewrite -{}gb mem_groups => /andP[-> ak].
by case: l l2 ld ak => [|[|//]] _ ld ak; rewrite ?w2 ld ak.
Qed.


Variables (K : comRingType) (B : nat -> nat -> nat -> K).

(** Two parameters of one group and of different layers are coupled by B. *)
Definition entry (p q : nat * place) : K :=
  if group_of p == group_of q then
    match p, q with
    | (r, (1%N, i, _)), (_, (0%N, _, j)) => B r i j
    | (r, (0%N, _, j)), (_, (1%N, i, _)) => B r i j
    | _, _ => 0
    end
  else 0.

(** ** The characteristic polynomial *)

Local Notation p0 := (0%N, (0%N, 0%N, 0%N)).
Local Notation f := (fun p q => 'X *+ (p == q) - (entry p q)%:P).
Definition block r : 'M[K]_d := \matrix_(i, j) B r i j.

Lemma det_part r a : det_seq p0 f (part (r, a)) = char_poly ((block r)^T *m block r) \Po 'X^2.
Proof.
rewrite /det_seq size_cat !size_map !size_iota; set S := \matrix_(_, _) _.
have -> : S = block_mx 'X%:M (- map_mx polyC (block r)^T) (- map_mx polyC (block r)) 'X%:M.
  apply/matrixP => u v; rewrite !mxE !nth_cat !size_map !size_iota.
  case: splitP => i ui; rewrite !mxE; case: splitP => j vj; rewrite !mxE ui vj ?ltn_ord ?ltnNge ?leq_addr ?addKn /=;
    rewrite !(nth_map 0%N) ?size_iota // !nth_iota // /entry /= !eqxx !xpair_eqE !eqxx !add0n ?andbF ?andbT /=;
    by rewrite ?sub0r ?subr0.
rewrite det_two_blocks; last exact/monic_rreg/monic_exp/monicX.
rewrite mulNmx mulmxN opprK -map_mxM -[RHS]/(comp_poly 'X^2 _) -det_map_mx; apply: (congr1 determinant).
by apply/matrixP => i j; rewrite !mxE rmorphB rmorphMn /= comp_polyX comp_polyC.
Qed.

Lemma entry_apart p q : group_of p != group_of q -> f p q = 0.
Proof.
move=> pq; rewrite /entry (negPf pq) subr0.
by have /negPf-> : p != q by apply: contraNneq pq => ->.
Qed.

Lemma char_poly_coupled (h : nat * place -> nat * place -> K) : {in ps &, h =2 entry} ->
  char_poly (\matrix_(a < size ps, b < size ps) h (nth p0 ps a) (nth p0 ps b)) =
    \prod_(r < R) (char_poly ((block r)^T *m block r) \Po 'X^2) ^+ k.
Proof.
move=> hP; transitivity (det_seq p0 f ps).
  apply: (congr1 determinant); apply/matrixP => a b; rewrite !mxE hP ?mem_nth //.
  by rewrite nth_uniq ?uniq_parameters.
rewrite (det_seq_perm _ _ parameters_grouped) det_seq_flatten ?uniq_groups // => [|b b' _ _ bb' p q pb qb']; last first.
  by apply: entry_apart; rewrite (part_group pb) (part_group qb').
rewrite big_allpairs_dep -{1}(subn0 R) big_mkord; apply: eq_bigr => r _.
under eq_bigr do rewrite det_part; rewrite -{1}(subn0 k) big_mkord prodr_const card_ord //.
Qed.

(** ** The Hessian times a direction *)

Variable h : nat * place -> nat * place -> K.
Hypothesis hP : {in ps &, h =2 entry}.
Implicit Types (v : nat * place -> K) (r a i j : nat).

Definition times v p := foldr (fun q s => h p q * v q + s) 0 ps.

Lemma timesE v p : times v p = \sum_(q <- ps) h p q * v q.
Proof. by rewrite /times unlock. Qed.

(** Only the parameter's own group counts. *)
Lemma times_group v p : p \in ps -> times v p = \sum_(q <- part (group_of p)) entry p q * v q.
Proof.
move=> p_ps; rewrite timesE (eq_big_seq (fun q => entry p q * v q)) => [|q q_ps]; last by rewrite hP.
rewrite (perm_big _ parameters_grouped) big_flatten big_map (bigD1_seq (group_of p)) ?uniq_groups //=; last first.
  move: p_ps; rewrite (perm_mem parameters_grouped) => /flatten_mapP[b bs /part_group ->].
  exact: bs.
rewrite [X in _ + X]big1 ?addr0 // => b bp; rewrite big1_seq // => q /part_group qb.
by rewrite /entry qb eq_sym (negPf bp) mul0r.
Qed.

Lemma times_first v r a j : (r < R)%N -> (a < k)%N -> (j < d)%N ->
  times v (r, (0%N, a, j)) = sum d (fun i => B r i j * v (r, (1%N, i, a))).
Proof.
move=> rR ak jd; rewrite times_group ?mem_parameters ?rR ?ak //.
rewrite big_cat !big_map /= big1_seq ?add0r => [|i _]; last by rewrite /entry eqxx mul0r.
rewrite sumE -(big_mkord xpredT (fun i => B r i j * v (r, (1%N, i, a)))) /index_iota subn0.
by apply: eq_bigr => i _; rewrite /entry eqxx.
Qed.

Lemma times_second v r a i : (r < R)%N -> (a < k)%N -> (i < d)%N ->
  times v (r, (1%N, i, a)) = sum d (fun j => B r i j * v (r, (0%N, a, j))).
Proof.
move=> rR ak id; rewrite times_group ?mem_parameters ?rR ?ak ?w2 ?id //.
rewrite big_cat !big_map /= addrC big1_seq ?add0r => [|j _]; last by rewrite /entry eqxx mul0r.
rewrite sumE -(big_mkord xpredT (fun j => B r i j * v (r, (0%N, a, j)))) /index_iota subn0.
by apply: eq_bigr => j _; rewrite /entry eqxx.
Qed.

(** ** Its square: B^T B in the first layer, B B^T in the second *)

Lemma sum_swap (g : nat -> nat -> K) m n :
  sum m (fun i => sum n (fun j => g i j)) = sum n (fun j => sum m (fun i => g i j)).
Proof.
rewrite !sumE; under eq_bigr do rewrite sumE; rewrite exchange_big /=.
by apply: eq_bigr => j _; rewrite sumE.
Qed.

Lemma times_twice_first v r a j : (r < R)%N -> (a < k)%N -> (j < d)%N ->
  times (times v) (r, (0%N, a, j)) =
    sum d (fun j' => sum d (fun i => B r i j * B r i j') * v (r, (0%N, a, j'))).
Proof.
move=> rR ak jd; rewrite times_first //.
under eq_sum => i id do rewrite times_second // sumMl.
by rewrite sum_swap; apply: eq_sum => j' _; rewrite sumMr; apply: eq_sum => i _; rewrite mulrA.
Qed.

Lemma times_twice_second v r a i : (r < R)%N -> (a < k)%N -> (i < d)%N ->
  times (times v) (r, (1%N, i, a)) =
    sum d (fun i' => sum d (fun j => B r i j * B r i' j) * v (r, (1%N, i', a))).
Proof.
move=> rR ak id; rewrite times_second //.
under eq_sum => j jd do rewrite times_first // sumMl.
by rewrite sum_swap; apply: eq_sum => i' _; rewrite sumMr; apply: eq_sum => j _; rewrite mulrA.
Qed.

End Grouped.
