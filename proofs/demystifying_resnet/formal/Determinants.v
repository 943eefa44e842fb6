(** * Determinants of matrices indexed by lists

    A matrix indexed by the elements of a list has a determinant that does not depend on their order, and that is a
    product where the list falls into parts which do not meet. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Lists.
Variables (A : comRingType) (Q : eqType) (q0 : Q) (f : Q -> Q -> A).
Implicit Types s t : seq Q.

Definition det_seq s := \det (\matrix_(a < size s, b < size s) f (nth q0 s a) (nth q0 s b)).

Lemma det_seq_nil : det_seq [::] = 1.
Proof. exact: det_mx00. Qed.

Lemma det_seq_perm s t : perm_eq s t -> det_seq s = det_seq t.
Proof.
move=> st; have /tuple_permP[p sE] : perm_eq s (in_tuple t) by [].
have nth_s (a : 'I_(size t)) : nth q0 s a = nth q0 t (p a).
  by rewrite sE -(tnth_nth q0 [tuple tnth (in_tuple t) (p i) | i < _] a) tnth_mktuple (tnth_nth q0).
rewrite /det_seq (perm_size st); set S := \matrix_(a, b) _.
have -> : S = row_perm p (col_perm p (\matrix_(a, b) f (nth q0 t a) (nth q0 t b))).
  by apply/matrixP => a b; rewrite !mxE !nth_s.
by rewrite row_permE col_permE !det_mulmx !det_perm odd_permV mulrCA -expr2 sqrr_sign mulr1.
Qed.

(** Block triangular. *)
Lemma det_seq_cat s t : {in s & t, forall p q, f p q = 0} -> det_seq (s ++ t) = det_seq s * det_seq t.
Proof.
move=> st0; rewrite /det_seq size_cat; set S := \matrix_(a, b) _.
rewrite -[S]submxK (_ : ursubmx S = 0) ?det_lblock; last first.
  by apply/matrixP => a b; rewrite !mxE /= !nth_cat ltn_ord ltnNge leq_addr addKn st0 ?mem_nth.
congr (_ * _); apply: (congr1 determinant); apply/matrixP => a b; rewrite !mxE /= !nth_cat ?ltn_ord //.
by rewrite !ltnNge !leq_addr !addKn.
Qed.

Lemma det_seq_flatten (B : eqType) (bs : seq B) (part : B -> seq Q) : uniq bs ->
  {in bs &, forall b b', b != b' -> {in part b & part b', forall p q, f p q = 0}} ->
  det_seq (flatten [seq part b | b <- bs]) = \prod_(b <- bs) det_seq (part b).
Proof.
elim: bs => [|b bs IH] /=; first by rewrite big_nil det_seq_nil.
case/andP=> b_bs uniq_bs f0; rewrite big_cons det_seq_cat ?IH //.
  by move=> c c' cs cs'; apply: f0; rewrite inE ?cs ?cs' orbT.
move=> p q pb /flatten_mapP[c cs qc]; apply: (f0 b c) => //; rewrite ?inE ?eqxx ?cs ?orbT //.
by apply: contraNneq b_bs => ->.
Qed.

End Lists.

(** The determinant of [[a, B], [C, a]] is that of a^2 - B C, if a can be cancelled. *)
Lemma det_two_blocks (A : comRingType) d (a : A) (B C : 'M[A]_d) : GRing.rreg (a ^+ d) ->
  \det (block_mx a%:M B C a%:M) = \det ((a ^+ 2)%:M - B *m C).
Proof.
move=> reg; apply: reg.
have detE : \det (block_mx a%:M 0 (- C) 1%:M) = a ^+ d by rewrite det_lblock det1 mulr1 det_scalar.
rewrite -{1}detE -det_mulmx mulmx_block !mulmx0 !add0r !mulmx1 -scalar_mxM mulmxN.
by rewrite mul_mx_scalar mulmxN mul_scalar_mx subrr det_ublock det_scalar expr2.
Qed.
