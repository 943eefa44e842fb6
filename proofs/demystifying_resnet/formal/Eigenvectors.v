(** * n = 2: eigenvectors from singular pairs

    If B v = s u and B^T u = s v then the direction with first layers alpha v^T and second layers e u alpha^T, e = 1 or
    -1, is an eigenvector to e s. Where the singular vectors are a basis, so are these: there are no others. *)

From Shortcut Require Import Definitions Sums Determinants Spectrum.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Pair.
Variables (K : comRingType) (width : nat -> nat) (R : nat) (B : nat -> nat -> nat -> K).
Hypothesis w2 : width 2%N = width 0%N.
Local Notation d := (width 0%N).
Local Notation ps := (parameters width 2 R).
Variable h : nat * place -> nat * place -> K.
Hypothesis hP : {in ps &, h =2 entry B}.

Variables (s : K) (u v : nat -> nat -> K).
Hypothesis pairs : forall r, (r < R)%N -> singular_pair d (B r) s (u r) (v r).

Lemma times_pair (e : K) (alpha : nat -> nat -> K) : e * e = 1 -> {in ps, forall p,
  times width R h (pair_direction e alpha u v) p = e * s * pair_direction e alpha u v p}.
Proof.
move=> ee [r [[l i] j]]; rewrite mem_parameters => /and4P[rR + + +]; have [Bv Bu] := pairs rR.
case: l => [|[|//]] _ /= id jd.
  rewrite (times_first w2 hP) //; transitivity (e * alpha r i * sum d (fun a => B r a j * u r a)).
    by rewrite sumMl; apply: eq_sum => a _ /=; ring.
  by rewrite Bu //; ring.
rewrite w2 in id; rewrite (times_second w2 hP) //; transitivity (alpha r j * sum d (fun a => B r i a * v r a)).
  by rewrite sumMl; apply: eq_sum => a _ /=; ring.
by rewrite Bv // -[LHS]mul1r -ee; ring.
Qed.

End Pair.

Section Basis.
Variables (K : comUnitRingType) (d : nat) (u v : nat -> nat -> K).
Hypothesis two : (2%:R : K) \is a GRing.unit.
Local Notation U := (\matrix_(i < d, l < d) u l i).
Local Notation V := (\matrix_(j < d, l < d) v l j).
Hypotheses (uU : U \in unitmx) (uV : V \in unitmx).

Lemma colE (z : nat -> K) (f : nat -> nat -> K) (c : 'cV[K]_d) :
  (forall j, (j < d)%N -> z j = \sum_(l < d) c l 0 * f l j) <-> \col_(j < d) z j = (\matrix_(j < d, l < d) f l j) *m c.
Proof.
split=> [zE|zE j jd].
  apply/matrixP => j ?; rewrite ord1 !mxE zE //; apply: eq_bigr => l _; rewrite !mxE mulrC //.
have := congr1 (fun A : 'cV_d => A (Ordinal jd) 0) zE; rewrite !mxE => ->.
by apply: eq_bigr => l _; rewrite !mxE mulrC.
Qed.

Lemma pair_basis (x y : nat -> K) : exists! c : 'cV[K]_d * 'cV[K]_d,
  (forall j, (j < d)%N -> x j = \sum_(l < d) (c.1 + c.2) l 0 * v l j) /\
  (forall i, (i < d)%N -> y i = \sum_(l < d) (c.1 - c.2) l 0 * u l i).
Proof.
pose X := invmx V *m \col_(j < d) x j; pose Y := invmx U *m \col_(i < d) y i.
have half (c : 'cV[K]_d) : 2%:R^-1 *: (c + c) = c by rewrite -mulr2n -scaler_nat scalerA mulVr ?scale1r.
have add (a b : 'cV[K]_d) : (a + b) + (a - b) = a + a by rewrite addrACA subrr addr0.
have sub (a b : 'cV[K]_d) : (a + b) - (a - b) = b + b by rewrite opprB [a + b]addrC addrACA subrr addr0.
exists (2%:R^-1 *: (X + Y), 2%:R^-1 *: (X - Y)); split=> [|[c1 c2] [/colE xE /colE yE]] /=.
  rewrite -scalerDr -scalerBr add sub !half.
  by split; apply/colE; rewrite mulmxA mulmxV // mul1mx.
by rewrite /X /Y xE yE !mulmxA !mulVmx // !mul1mx add sub !half.
Qed.

End Basis.

(** Over all parameters: the directions of unit vectors alpha are a basis. *)
Section Eigenbasis.
Variables (K : comUnitRingType) (width : nat -> nat) (R : nat) (u v : nat -> nat -> K).
Hypothesis w2 : width 2%N = width 0%N.
Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Hypothesis two : (2%:R : K) \is a GRing.unit.
Hypothesis uU : \matrix_(i < d, l < d) u l i \in unitmx.
Hypothesis uV : \matrix_(j < d, l < d) v l j \in unitmx.
Local Notation numbers := (bool * 'I_d * 'I_R * 'I_k)%type.

Definition unit_pair (b : numbers) : param -> K :=
  let: (e, l, r, a) := b in
  pair_direction ((- 1) ^+ e) (fun r' a' => ((r' == r) && (a' == a))%:R) (fun=> u l) (fun=> v l).

Lemma combination (c : {ffun numbers -> K}) (r : 'I_R) (a : 'I_k) :
  (forall j, \sum_b c b * unit_pair b (r : nat, (0%N, a : nat, j)) =
     \sum_l (c (false, l, r, a) + c (true, l, r, a)) * v l j) /\
  (forall i, \sum_b c b * unit_pair b (r : nat, (1%N, i, a : nat)) =
     \sum_l (c (false, l, r, a) - c (true, l, r, a)) * u l i).
Proof.
have pick (f : 'I_R -> 'I_k -> K) :
    \sum_(r' < R) \sum_(a' < k) ((r == r' :> nat) && (a == a' :> nat))%:R * f r' a' = f r a.
  rewrite (bigD1 r) //= (bigD1 a) //= !eqxx mul1r big1 ?addr0 => [|a' /negPf aa']; last first.
    by rewrite eq_sym -val_eqE /= in aa'; rewrite aa' mul0r.
  rewrite big1 ?addr0 // => r' /negPf rr'; rewrite eq_sym -val_eqE /= in rr'.
  by rewrite big1 // => a' _; rewrite rr' mul0r.
have split_sum (f : numbers -> K) : \sum_b f b = \sum_e \sum_l \sum_r' \sum_a' f (e, l, r', a').
  rewrite pair_bigA /= pair_bigA /= pair_bigA /=.
  by apply: eq_bigr => -[[[e l] r'] a'] _.
split=> j; rewrite split_sum big_bool /= -big_split /=; apply: eq_bigr => l _.
  rewrite mulrDl [RHS]addrC; congr (_ + _); rewrite -(pick (fun r' a' => c (_, l, r', a') * v l j));
    by apply: eq_bigr => r' _; apply: eq_bigr => a' _; rewrite mulrCA.
rewrite mulrBl [RHS]addrC; congr (_ + _).
  rewrite -(pick (fun r' a' => - (c (_, l, r', a') * u l j))); apply: eq_bigr => r' _; apply: eq_bigr => a' _.
  by rewrite expr1 /=; ring.
rewrite -(pick (fun r' a' => c (_, l, r', a') * u l j)); apply: eq_bigr => r' _; apply: eq_bigr => a' _.
by rewrite expr0 /=; ring.
Qed.

Lemma eigenbasis (z : param -> K) :
  exists! c : {ffun numbers -> K}, {in parameters width 2 R, forall p, z p = \sum_b c b * unit_pair b p}.
Proof.
have [f fP] := fin_all_exists (fun ra : 'I_R * 'I_k =>
  pair_basis two uU uV (fun j => z (ra.1 : nat, (0%N, ra.2 : nat, j))) (fun i => z (ra.1 : nat, (1%N, i, ra.2 : nat)))).
pose c : {ffun numbers -> K} :=
  [ffun b => let: (e, l, r, a) := b in (if e then (f (r, a)).2 else (f (r, a)).1) l 0].
exists c; split=> [[r [[l i] j]]|c' c'P].
  rewrite mem_parameters => /and4P[rR]; case: l => [|[|//]] _ id jd.
    have [[fE _] _] := fP (Ordinal rR, Ordinal id).
    rewrite (combination c (Ordinal rR) (Ordinal id)).1 (fE j jd).
    by apply: eq_bigr => l _; rewrite !ffunE mxE.
  rewrite w2 in id; have [[_ fE] _] := fP (Ordinal rR, Ordinal jd).
  rewrite (combination c (Ordinal rR) (Ordinal jd)).2 (fE i id).
  by apply: eq_bigr => l _; rewrite !ffunE !mxE.
apply/ffunP => -[[[e l] r] a]; rewrite ffunE.
have [_ unique_f] := fP (r, a).
rewrite (unique_f (\col_l' c' (false, l', r, a), \col_l' c' (true, l', r, a))) => [|/=].
  by case: e; rewrite mxE.
split=> j jd; rewrite c'P ?mem_parameters /= ?ltn_ord ?w2 ?jd //.
  by rewrite (combination c' r a).1; apply: eq_bigr => l' _; rewrite !mxE.
by rewrite (combination c' r a).2; apply: eq_bigr => l' _; rewrite !mxE.
Qed.
End Eigenbasis.
