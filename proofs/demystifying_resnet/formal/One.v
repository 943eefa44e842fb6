(** * n = 1: the entries of the Hessian at zero, for any loss and activations that differ by unit

    The unit is h + post(W pre(h)). An earlier unit's e1 reaches a later one through the shortcut, as a move of its
    input (the loss's curvature sees it) and through pre' (its gradient does). *)

From Shortcut Require Import Definitions Sums Jets Carried Network Moved Units.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section One.
Variables (K : comRingType) (R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Hypothesis post0 : forall r, f0 (post r) 0 = 0.
Local Notation d := (width 0%N).
Local Notation pre r := (act r 0%N).

Variables (ell : nat -> (nat -> jets K) -> jets K) (x g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu) (g mu) (Q mu).

Local Notation F := (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) 1).
Local Notation L := (total_loss F R m ell (fun mu => cst \o x mu)).
Implicit Types (r s i j : nat).

Let extF r : carries id (F r) (F r).
Proof. exact: (@shortcut_carried _ _ [rmorphism of idfun]). Qed.

Lemma zero_idle (w : nat * place -> jets K) r : (forall p, w (r, p) = 0) -> idle F w r.
Proof. by move=> w0 h i; rewrite /shortcut /= sum_eq0 => [|j _]; rewrite ?on_jets0 // w0 mul0r. Qed.

(** One moved entry in a unit, e1 or e2. *)
Lemma unit_e1 (w : nat * place -> jets K) r i1 j1 h i : (j1 < d)%N ->
  (forall j, w (r, (0%N, i, j)) = Jet 0 ((i == i1) && (j == j1))%:R 0 0) ->
  step F w r h i = h i + cst (f1 (post r) 0) * (e1 K * ((i == i1)%:R * on_jets (pre r) (h j1))).
Proof.
move=> jd wP; congr (_ + _); rewrite -slope_e1 // -(row_e1 _ (fun j => on_jets (pre r) (h j)) jd).
by congr on_jets; apply: eq_sum => j _; rewrite wP.
Qed.

Lemma unit_e2 (w : nat * place -> jets K) r i2 j2 h i : (j2 < d)%N ->
  (forall j, w (r, (0%N, i, j)) = Jet 0 0 ((i == i2) && (j == j2))%:R 0) ->
  step F w r h i = h i + cst (f1 (post r) 0) * (e2 K * ((i == i2)%:R * on_jets (pre r) (h j2))).
Proof.
move=> jd wP; congr (_ + _); rewrite -slope_e2 // -(row_e2 _ (fun j => on_jets (pre r) (h j)) jd).
by congr on_jets; apply: eq_sum => j _; rewrite wP.
Qed.

Variables (i1 j1 i2 j2 : nat).
Hypotheses (i1d : (i1 < d)%N) (j1d : (j1 < d)%N) (i2d : (i2 < d)%N) (j2d : (j2 < d)%N).
Local Notation p r mu j := (f0 (pre r) (x mu j)).
Local Notation p' r mu j := (f1 (pre r) (x mu j)).
Local Notation k1 r := (f1 (post r) 0).
Local Notation k2 r := (f2 (post r) 0).

(** What the loss sees of an output x + e1 a [i1] + e2 b [i2] + e1 e2 c [i]. *)
Lemma ell_moved mu (f : nat -> jets K) i a b c : (i < d)%N ->
  (forall t, f t = Jet (x mu t) ((t == i1)%:R * a) ((t == i2)%:R * b) ((t == i)%:R * c)) ->
  c12 (ell mu f) = Q mu i1 i2 * (a * b) + g mu i * c.
Proof.
have pick k h : (k < d)%N -> \sum_(t <- iota 0 d) (t == k)%:R * h t = h k :> K.
  move=> kd; rewrite (bigD1_seq k) ?iota_uniq ?mem_iota //= eqxx mul1r big1 ?addr0 // => t tk.
  by rewrite (negPf tk) mul0r.
move=> id fP; have [|_ ->] := ellP (mu := mu) (f := f); first by move=> t; rewrite /= fP.
rewrite big_split [RHS]addrC /=; congr (_ + _).
  by rewrite -(pick i (fun t => g mu t * c)) //; apply: eq_bigr => t _; rewrite fP /=; ring.
rewrite -(pick i1 (fun t => Q mu t i2 * (a * b))) //; apply: eq_bigr => t _.
rewrite -(pick i2 (fun u => Q mu t u * (a * b))) // mulr_sumr; apply: eq_bigr => u _.
by rewrite !fP /=; ring.
Qed.

Lemma hess_earlier_later r s : (r < s < R)%N ->
  hess L (fun=> 0) (r, (0%N, i1, j1)) (s, (0%N, i2, j2)) =
    sum m (fun mu => k1 r * k1 s *
      (Q mu i1 i2 * (p r mu j1 * p s mu j2) + (i1 == j2)%:R * (g mu i2 * p' s mu j2 * p r mu j1))).
Proof.
case/andP=> rs sR; rewrite /hess /total_loss (sum_morph (phi := c12)) //; apply: eq_sum => mu _.
set w := moved _ _ _; rewrite (ell_moved (i := i2) (a := k1 r * p r mu j1) (b := k1 s * p s mu j2)
  (c := k1 s * p' s mu j2 * ((j2 == i1)%:R * (k1 r * p r mu j1)))) // => [|t].
  by rewrite eq_sym; ring.
rewrite (two_units extF _ (r := r) (s := s)) ?rs ?sR // => [|k _ kr ks]; last first.
  by apply: zero_idle => q; rewrite /w /moved !xpair_eqE (negPf kr) (negPf ks).
have earlier i : step F w r (cst \o x mu) i =
    cst (x mu i) + e1 K * (cst (k1 r) * (cst (i == i1)%:R * cst (p r mu j1))).
  by rewrite mulrCA -natr_jet -on_jets_cst; apply: unit_e1 => // j; rewrite /w /moved !xpair_eqE !eqxx (ltn_eqF rs).
have later h i : step F w s h i = h i + e2 K * (cst (k1 s) * (cst (i == i2)%:R * on_jets (pre s) (h j2))).
  by rewrite mulrCA -natr_jet; apply: unit_e2 => // j; rewrite /w /moved !xpair_eqE !eqxx (gtn_eqF rs).
by rewrite later !earlier on_jets_e1; apply: jetP => /=; ring.
Qed.

Lemma hess_later_earlier r s : (s < r < R)%N ->
  hess L (fun=> 0) (r, (0%N, i1, j1)) (s, (0%N, i2, j2)) =
    sum m (fun mu => k1 r * k1 s *
      (Q mu i1 i2 * (p r mu j1 * p s mu j2) + (j1 == i2)%:R * (g mu i1 * p' r mu j1 * p s mu j2))).
Proof.
case/andP=> sr rR; rewrite /hess /total_loss (sum_morph (phi := c12)) //; apply: eq_sum => mu _.
set w := moved _ _ _; rewrite (ell_moved (i := i1) (a := k1 r * p r mu j1) (b := k1 s * p s mu j2)
  (c := k1 r * p' r mu j1 * ((j1 == i2)%:R * (k1 s * p s mu j2)))) // => [|t]; first by ring.
rewrite (two_units extF _ (r := s) (s := r)) ?sr ?rR // => [|k _ ks kr]; last first.
  by apply: zero_idle => q; rewrite /w /moved !xpair_eqE (negPf kr) (negPf ks).
have earlier i : step F w s (cst \o x mu) i =
    cst (x mu i) + e2 K * (cst (k1 s) * (cst (i == i2)%:R * cst (p s mu j2))).
  by rewrite mulrCA -natr_jet -on_jets_cst; apply: unit_e2 => // j; rewrite /w /moved !xpair_eqE !eqxx (ltn_eqF sr).
have later h i : step F w r h i = h i + e1 K * (cst (k1 r) * (cst (i == i1)%:R * on_jets (pre r) (h j1))).
  by rewrite mulrCA -natr_jet; apply: unit_e1 => // j; rewrite /w /moved !xpair_eqE !eqxx (gtn_eqF sr).
by rewrite later !earlier on_jets_e2; apply: jetP => /=; ring.
Qed.

Lemma hess_one_unit r : (r < R)%N ->
  hess L (fun=> 0) (r, (0%N, i1, j1)) (r, (0%N, i2, j2)) =
    sum m (fun mu => p r mu j1 * p r mu j2 * (k1 r ^+ 2 * Q mu i1 i2 + k2 r * ((i1 == i2)%:R * g mu i1))).
Proof.
move=> rR; rewrite /hess /total_loss (sum_morph (phi := c12)) //; apply: eq_sum => mu _.
set w := moved _ _ _; rewrite (ell_moved (i := i1) (a := k1 r * p r mu j1) (b := k1 r * p r mu j2)
  (c := k2 r * (i1 == i2)%:R * (p r mu j1 * p r mu j2))) // => [|t]; first by ring.
rewrite (one_unit extF _ rR) => [|k _ kr]; last first.
  by apply: zero_idle => q; rewrite /w /moved !xpair_eqE (negPf kr).
have row j : w (r, (0%N, t, j)) = Jet 0 ((t == i1) && (j == j1))%:R 0 0 + Jet 0 0 ((t == i2) && (j == j2))%:R 0.
  by apply: jetP; rewrite /= ?addr0 ?add0r // !xpair_eqE !eqxx.
have -> : step F w r (cst \o x mu) t = cst (x mu t) + on_jets (post r)
    (cst 0 + (e1 K * cst ((t == i1)%:R * p r mu j1) + e2 K * cst ((t == i2)%:R * p r mu j2))).
  congr (_ + on_jets _ _); rewrite /= add0r; under eq_sum do rewrite row mulrDl.
  rewrite sumD row_e1 ?row_e2 // !on_jets_cst !natr_jet.
  by congr (_ * _ + _ * _); apply: jetP => /=; ring.
rewrite on_jets_e12 post0; have -> : (t == i1)%:R * (k2 r * (i1 == i2)%:R * (p r mu j1 * p r mu j2)) =
  k2 r * ((t == i1)%:R * p r mu j1 * ((t == i2)%:R * p r mu j2)).
  by case: (eqVneq t i1) => [->|_]; rewrite ?(mul1r, mul0r, mulr0) //; ring.
by apply: jetP => /=; ring.
Qed.

End One.

(** All cases at once, where the loss's second derivative is symmetric. *)
Section Entry.
Variables (K : comRingType) (R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Hypothesis post0 : forall r, f0 (post r) 0 = 0.
Local Notation d := (width 0%N).
Local Notation pre r := (act r 0%N).
Variables (ell : nat -> (nat -> jets K) -> jets K) (x g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu) (g mu) (Q mu).
Local Notation F := (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) 1).
Local Notation L := (total_loss F R m ell (fun mu => cst \o x mu)).

Let earlier_later := @hess_earlier_later K R m width act post post0 ell x g Q ellP.
Let later_earlier := @hess_later_earlier K R m width act post post0 ell x g Q ellP.
Let one_unit := @hess_one_unit K R m width act post post0 ell x g Q ellP.

Lemma hess_any_loss (r s : 'I_R) (i j k l : 'I_d) :
  let p r mu j := f0 (pre r) (x mu j) in let p' r mu j := f1 (pre r) (x mu j) in
  let k1 r := f1 (post r) 0 in let k2 r := f2 (post r) 0 in
  let B r i j k l := sum m (fun mu =>
    p r mu j * p r mu l * (k1 r ^+ 2 * Q mu i k + k2 r * (i == k)%:R * g mu i)) in
  let A r s i j k l := sum m (fun mu => k1 r * k1 s *
    (p r mu j * p s mu l * Q mu i k + (j == k)%:R * p' r mu j * g mu i * p s mu l)) in
  (forall mu i k, Q mu i k = Q mu k i) ->
  hess L (fun=> 0) (r : nat, (0%N, i : nat, j : nat)) (s : nat, (0%N, k : nat, l : nat)) =
    if r == s then B (r : nat) (i : nat) (j : nat) (k : nat) (l : nat)
    else if (s < r)%N then A (r : nat) (s : nat) (i : nat) (j : nat) (k : nat) (l : nat)
    else A (s : nat) (r : nat) (k : nat) (l : nat) (i : nat) (j : nat).
Proof.
move=> p p' k1 k2 B A symQ; rewrite -val_eqE /=; case: (ltngtP r s) => [rs|sr|<-].
- rewrite earlier_later ?rs //=; apply: eq_sum => mu _.
  by rewrite symQ eq_sym /k1 /p /p'; ring.
- rewrite later_earlier ?sr //=; apply: eq_sum => mu _.
  by rewrite /k1 /p /p'; ring.
by rewrite one_unit //=; apply: eq_sum => mu _; rewrite /k1 /k2 /p; ring.
Qed.

End Entry.
