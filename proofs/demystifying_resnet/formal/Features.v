(** * Two layers over arbitrary features: attention, normalisation, any inner width

    The first layer is applied to any function of the stream and of further weights; only its value at the data enters
    the Hessian, and the further weights not at all (GEN-6, GEN-7). *)

From Shortcut Require Import Definitions Sums Jets Carried Network Vanishing TwoLayers Moved Shortcut.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** What W_v is applied to in attention: the stream times the attention weights. *)
Definition attended (A : comRingType) (P : Type) columns (S : branch A P (nat * nat)) : branch A P (nat * nat) :=
  fun w h jt => sum columns (fun s => h (jt.1, s) * S w h (s, jt.2)).

Section Carried.
Variables (A B : comRingType) (phi : {rmorphism A -> B}) (P : Type) (k d : nat).

Lemma attended_carried columns (S : branch A P (nat * nat)) (S' : branch B P (nat * nat)) :
  carries phi S S' -> carries phi (attended columns S) (attended columns S').
Proof.
move=> SP w w' h h' ww' hh' [j t]; rewrite /= sum_rmorph; apply: eq_sum => s _; rewrite rmorphM -hh'.
by congr (_ * _); apply: SP.
Qed.

Lemma two_layers_carried mid mid' post post' (G : nat -> branch A P (nat * nat)) (G' : nat -> branch B P (nat * nat)) :
  (forall u, phi (mid u) = mid' (phi u)) -> (forall u, phi (post u) = post' (phi u)) ->
  (forall a, carries phi (G a) (G' a)) ->
  carries phi (two_layers k d mid post G) (two_layers k d mid' post' G').
Proof.
move=> midP postP GP w w' h h' ww' hh' [i t]; rewrite /two_layers /= postP sum_rmorph; congr post'.
apply: eq_sum => a _; rewrite rmorphM midP -ww' sum_rmorph; congr (_ * mid' _).
apply: eq_sum => j _; rewrite rmorphM -ww'; congr (_ * _); apply: GP => // p; apply: ww'.
Qed.

Lemma attention_carried columns (S : nat -> branch A P (nat * nat)) (S' : nat -> branch B P (nat * nat)) :
  (forall a, carries phi (S a) (S' a)) -> carries phi (attention k d columns S) (attention k d columns S').
Proof. by move=> SP; apply: two_layers_carried => // a; apply: attended_carried. Qed.

Lemma score_carried inner e w w' h h' s t : phi \o w =1 w' -> phi \o h =1 h' ->
  phi (score inner d e w h s t) = score inner d e w' h' s t.
Proof.
move=> ww' hh'; rewrite sum_rmorph; apply: eq_sum => b _; rewrite rmorphM !sum_rmorph.
by congr (_ * _); apply: eq_sum => j _; rewrite rmorphM -ww' -hh'.
Qed.

Lemma softmax_carried sigma sigma' tau tau' inner columns head a :
  (forall u, phi (sigma u) = sigma' (phi u)) -> (forall u, phi (tau u) = tau' (phi u)) ->
  carries phi (softmax sigma tau inner d columns head a) (softmax sigma' tau' inner d columns head a).
Proof.
move=> sigmaP tauP w w' h h' ww' hh' st; rewrite /= /softmax rmorphM sigmaP tauP sum_rmorph.
rewrite (score_carried _ _ _ _ ww' hh'); congr (_ * tau' _).
by apply: eq_sum => s _; rewrite sigmaP (score_carried _ _ _ _ ww' hh').
Qed.

End Carried.

Lemma softmax_covered (K : comRingType) (sigma tau : activation K) inner d columns head a :
  let S := softmax (on_jets sigma) (on_jets tau) inner d columns head a in
  [/\ carries id S S, carries drop2 S S & carries c0 S (softmax (f0 sigma) (f0 tau) inner d columns head a)].
Proof.
move=> S; split.
- exact: (@softmax_carried _ _ [rmorphism of idfun]).
- by apply: (@softmax_carried _ _ [rmorphism of drop2]) => *; apply: on_jets_drop2.
- exact: (@softmax_carried _ _ [rmorphism of c0]).
Qed.

Lemma two_layers_vanishes (A : comRingType) (P : Type) k d (mid post : A -> A) (G : nat -> branch A P (nat * nat)) :
  mid 0 = 0 -> post 0 = 0 -> vanishes (@layer_of P) 2 (two_layers k d mid post G).
Proof.
move=> mid0 post0 l w h l2 w0 [i t]; rewrite /two_layers sum_eq0 // => a _.
case: l l2 w0 => [|[|//]] _ w0; last by rewrite w0 ?mul0r.
by rewrite sum_eq0 ?mid0 ?mulr0 // => j _; rewrite w0 ?mul0r.
Qed.

Section Hessian.
Variables (K : comRingType) (P : eqType) (R m k d : nat) (mid post : nat -> activation K).
Hypothesis mid0 : forall r, f0 (mid r) 0 = 0.
Hypothesis post0 : forall r, f0 (post r) 0 = 0.

Variables (G : nat -> nat -> branch (jets K) P (nat * nat)) (G0 : nat -> nat -> branch K P (nat * nat)).
Hypothesis extG : forall r a, carries id (G r a) (G r a).
Hypothesis dropG : forall r a, carries drop2 (G r a) (G r a).
Hypothesis valueG : forall r a, carries c0 (G r a) (G0 r a).

Variables (ts : seq (nat * nat)) (ell : nat -> (nat * nat -> jets K) -> jets K) (x : nat -> nat * nat -> K).
Variables (g : nat -> nat * nat -> K) (H : nat -> nat * nat -> nat * nat -> K).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (H mu).

Variable w0 : nat * (place + P) -> K.
Hypothesis w00 : forall r q, (layer q < 2)%N -> w0 (r, inl q) = 0.

Local Notation F := (fun r => two_layers k d (on_jets (mid r)) (on_jets (post r)) (G r)).
Local Notation L := (total_loss F R m ell (fun mu => cst \o x mu)).

Let extF r : carries id (F r) (F r).
Proof. exact: (@two_layers_carried _ _ [rmorphism of idfun]). Qed.

Let dropF r : carries drop2 (F r) (F r).
Proof. by apply: (@two_layers_carried _ _ [rmorphism of drop2]) => // u; apply: on_jets_drop2. Qed.

Let vanF r : vanishes (@layer_of P) 2 (F r).
Proof. by apply: two_layers_vanishes; apply: on_jets0. Qed.

Let w00' r p : (layer_of p < 2)%N -> w0 (r, p) = 0.
Proof. by case: p => //= q; apply: w00. Qed.

(** Entries that are not in both layers of one unit, those of further weights among them. *)
Lemma hess_features0 r s p q : (r == s) && (layer_of p + layer_of q == 1)%N = false ->
  hess L w0 (r, p) (s, q) = 0.
Proof.
move=> rs; rewrite (hess_two_layers extF dropF vanF R m ellP w00') /=.
by rewrite andbCA rs andbF.
Qed.

Lemma grad_features p : grad L w0 p = 0.
Proof. exact: (grad_zero vanF). Qed.

Lemma branch_features r i1 a1 a2 j2 mu it : (a1 < k)%N -> (j2 < d)%N ->
  c12 (two_layers k d (on_jets (mid r)) (on_jets (post r)) (G r)
    (moved (fun p => w0 (r, p)) (inl (1%N, i1, a1)) (inl (0%N, a2, j2))) (cst \o x mu) it) =
    (it.1 == i1)%:R * (a1 == a2)%:R *
    (f1 (mid r) 0 * f1 (post r) 0 * G0 r a1 (fun p => w0 (r, inr p)) (x mu) (j2, it.2)).
Proof.
move=> a1k j2d; set w := moved _ _ _.
have value := @valueG r a1 (fun p => w (inr p)) _ (cst \o x mu) (x mu) (frefl _) (frefl _) (j2, it.2).
rewrite -[G0 _ _ _ _ _]value -(branch_c12 _ _ _
  (fun a j => G r a (fun p => w (inr p)) (cst \o x mu) (j, it.2)) (mid0 r) (post0 r) a1k j2d) //.
congr (c12 (on_jets _ _)); apply: eq_sum => a _; rewrite /w /moved w00 //; congr (_ * on_jets _ _).
by apply: eq_sum => j _; rewrite w00.
Qed.

Lemma hess_features r s i1 a1 a2 j2 : (a1 < k)%N -> (j2 < d)%N ->
  hess L w0 (r, inl (1%N, i1, a1)) (s, inl (0%N, a2, j2)) =
    if [&& r == s, (r < R)%N & a1 == a2]
    then f1 (mid r) 0 * f1 (post r) 0 * sum m (fun mu =>
      \sum_(it <- ts | it.1 == i1) g mu it * G0 r a1 (fun p => w0 (r, inr p)) (x mu) (j2, it.2))
    else 0.
Proof.
move=> a1k j2d; rewrite (hess_two_layers extF dropF vanF R m ellP w00') andbT andbA.
case: (_ && _) => //; under eq_sum do under eq_bigr do rewrite branch_features //.
case: (a1 == a2); last by apply: sum_eq0 => mu _; rewrite big1 // => it _; rewrite mulr0 mul0r mulr0.
rewrite sumMl; apply: eq_sum => mu _; rewrite mulr_sumr [RHS]big_mkcond; apply: eq_bigr => it _.
by case: eqP; rewrite ?(mul1r, mul0r, mulr0) // mulrCA.
Qed.

Lemma features_entry_units (r s : 'I_R) i1 (a1 a2 : 'I_k) (j2 : 'I_d) :
  hess L w0 (r : nat, inl (1%N, i1, a1 : nat)) (s : nat, inl (0%N, a2 : nat, j2 : nat)) =
    if (r == s) && (a1 == a2)
    then f1 (mid r) 0 * f1 (post r) 0 * sum m (fun mu => \sum_(it <- ts | it.1 == i1)
           g mu it * G0 r a1 (fun p => w0 (r : nat, inr p)) (x mu) (j2 : nat, it.2))
    else 0.
Proof. by rewrite hess_features // ltn_ord. Qed.

End Hessian.

(** ** Self-attention: values and output *)
Section Attention.
Variables (K : comRingType) (P : eqType) (R m k d columns : nat).
Variables (S : nat -> nat -> branch (jets K) P (nat * nat)) (S0 : nat -> nat -> branch K P (nat * nat)).
Hypothesis extS : forall r a, carries id (S r a) (S r a).
Hypothesis dropS : forall r a, carries drop2 (S r a) (S r a).
Hypothesis valueS : forall r a, carries c0 (S r a) (S0 r a).

Variables (ts : seq (nat * nat)) (ell : nat -> (nat * nat -> jets K) -> jets K) (x : nat -> nat * nat -> K).
Variables (g : nat -> nat * nat -> K) (H : nat -> nat * nat -> nat * nat -> K).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (H mu).

Variable w0 : nat * (place + P) -> K.
Hypothesis w00 : forall r q, (layer q < 2)%N -> w0 (r, inl q) = 0.

Local Notation L := (total_loss (fun r => attention k d columns (S r)) R m ell (fun mu => cst \o x mu)).
Local Notation G := (fun r a => attended columns (S r a)).
Local Notation L' := (total_loss (fun r => two_layers k d (on_jets (identity K)) (on_jets (identity K)) (G r)) R m ell
  (fun mu => cst \o x mu)).

Lemma on_jets_identity (u : jets K) : on_jets (identity K) u = u.
Proof. by apply: jetP; rewrite /= ?mul1r // !mul0r addr0. Qed.

Hypothesis ext_ell : forall mu f f', f =1 f' -> ell mu f = ell mu f'.

Lemma attention_loss w : L w = L' w.
Proof.
apply: (@total_carried _ _ [rmorphism of idfun]) => // r.
apply: (@two_layers_carried _ _ [rmorphism of idfun]) => [u|u|a]; rewrite ?on_jets_identity //.
exact: (@attended_carried _ _ [rmorphism of idfun]).
Qed.

Let extG r a : carries id (G r a) (G r a).
Proof. exact: (@attended_carried _ _ [rmorphism of idfun]). Qed.

Let dropG r a : carries drop2 (G r a) (G r a).
Proof. exact: (@attended_carried _ _ [rmorphism of drop2]). Qed.

Let valueG r a : carries c0 (G r a) (attended columns (S0 r a)).
Proof. exact: (@attended_carried _ _ [rmorphism of c0 : jets K -> K]). Qed.

Lemma attention_zero r s p q : (r == s) && (layer_of p + layer_of q == 1)%N = false ->
  hess L w0 (r, p) (s, q) = 0.
Proof.
move=> rs; rewrite /hess attention_loss.
by apply: (hess_features0 R m k d (mid := fun=> identity K) (post := fun=> identity K) _ _ extG dropG ellP).
Qed.

Lemma attention_entry r s i1 a1 a2 j2 : (a1 < k)%N -> (j2 < d)%N ->
  hess L w0 (r, inl (1%N, i1, a1)) (s, inl (0%N, a2, j2)) =
    if [&& r == s, (r < R)%N & a1 == a2]
    then sum m (fun mu => \sum_(it <- ts | it.1 == i1)
           g mu it * sum columns (fun c => x mu (j2, c) * S0 r a1 (fun p => w0 (r, inr p)) (x mu) (c, it.2)))
    else 0.
Proof.
move=> a1k j2d; rewrite /hess attention_loss.
rewrite [LHS](hess_features R m (mid := fun=> identity K) (post := fun=> identity K) _ _ extG dropG valueG ellP) //.
by rewrite /= !mul1r.
Qed.

Lemma attention_entry_units (r s : 'I_R) i1 (a1 a2 : 'I_k) (j2 : 'I_d) :
  hess L w0 (r : nat, inl (1%N, i1, a1 : nat)) (s : nat, inl (0%N, a2 : nat, j2 : nat)) =
    if (r == s) && (a1 == a2)
    then sum m (fun mu => \sum_(it <- ts | it.1 == i1) g mu it *
           sum columns (fun c => x mu (j2 : nat, c) * S0 r a1 (fun p => w0 (r : nat, inr p)) (x mu) (c, it.2)))
    else 0.
Proof. by rewrite attention_entry // ltn_ord. Qed.

End Attention.

(** Equal scores. *)
Lemma softmax_zero (A : comRingType) (sigma tau : A -> A) inner d columns head a (w : place -> A) h st :
  (forall q, w q = 0) ->
  softmax sigma tau inner d columns head a w h st = sigma 0 * tau (columns%:R * sigma 0).
Proof.
move=> w0; have score0 s t : score inner d (head a) w h s t = 0.
  by apply: sum_eq0 => b _; rewrite sum_eq0 ?mul0r // => j _; rewrite w0 mul0r.
rewrite /softmax score0; congr (_ * tau _); rewrite (eq_sum (g := fun=> sigma 0)) => [|s _]; last by rewrite score0.
by rewrite sumE sumr_const card_ord mulr_natl.
Qed.
