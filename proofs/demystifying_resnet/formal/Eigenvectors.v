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
