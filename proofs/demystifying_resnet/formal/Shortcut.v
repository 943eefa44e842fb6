(** * The n-shortcut branch and the squared loss satisfy what arbitrary ones are assumed to *)

From Shortcut Require Import Definitions Sums Jets Carried Units Vanishing.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Vanishes.
Variables (A : comRingType) (width : nat -> nat) (act : nat -> A -> A) (post : A -> A) (n : nat).
Hypothesis act0 : forall l, (0 < l < n)%N -> act l 0 = 0.
Hypothesis post0 : post 0 = 0.

(** After a zero layer everything is zero: act and post vanish at 0. *)
Lemma layers_zero l W h k : (l < k <= n)%N -> (forall q, layer q = l -> W q = 0) ->
  layers width act k W h =1 fun=> 0.
Proof.
move=> + W0; elim: k => // k IH /andP[]; rewrite ltnS leq_eqVlt => /orP[/eqP lk|lk] kn i /=.
  by apply: sum_eq0 => j _; rewrite W0 ?mul0r.
apply: sum_eq0 => j _; rewrite IH ?lk ?(ltnW kn) // act0 ?mulr0 // kn andbT.
exact: leq_ltn_trans lk.
Qed.

Lemma shortcut_vanishes : vanishes layer n (shortcut width act post n).
Proof. by move=> l W h ln W0 i; rewrite /shortcut (layers_zero _ _ W0) ?ln ?leqnn. Qed.

End Vanishes.

Section Squared.
Variables (K : comRingType) (kappa : K).

(** Squared loss has gradient 2 kappa (x - y) and second derivative 2 kappa I. *)
Lemma squares_expand (T : eqType) (ts : seq T) (x y : T -> K) : uniq ts ->
  expands ts (fun f => \sum_(t <- ts) cst kappa * (f t - cst (y t)) ^+ 2) x
    (fun t => kappa *+ 2 * (x t - y t)) (fun t u => kappa *+ 2 * (t == u)%:R).
Proof.
move=> uniq_ts f fx; have squareE u b : cst kappa * (u - cst b) ^+ 2 =
    Jet (kappa * (c0 u - b) ^+ 2) (kappa *+ 2 * (c0 u - b) * c1 u) (kappa *+ 2 * (c0 u - b) * c2 u)
      (kappa *+ 2 * (c0 u - b) * c12 u + kappa *+ 2 * (c1 u * c2 u)).
  by apply: jetP => /=; ring.
rewrite !(big_morph c1 (id1 := 0) (op1 := +%R)) // !(big_morph c12 (id1 := 0) (op1 := +%R)) //.
split; apply: eq_big_seq => t t_ts; rewrite squareE /= [c0 _]fx //.
congr (_ + _); rewrite (bigD1_seq t) //= eqxx mulr1 big1 ?addr0 // => u ut.
by rewrite eq_sym (negPf ut) mulr0 mul0r.
Qed.

Lemma squared_expands d (x y : nat -> nat -> K) mu :
  expands (iota 0 d) (squared (cst kappa) d (fun mu i => cst (y mu i)) mu) (x mu)
    (fun i => kappa *+ 2 * (x mu i - y mu i)) (fun i j => kappa *+ 2 * (i == j)%:R).
Proof.
move=> f fx; rewrite /squared sumMl sumE -(big_mkord xpredT (fun i => cst kappa * (f i - cst (y mu i)) ^+ 2)).
by rewrite /index_iota subn0; apply: squares_expand (iota_uniq _ _) f fx.
Qed.

End Squared.
Arguments squared_expands {K} kappa d x y mu.

Lemma shortcut_covered (K : comRingType) n width (act : nat -> activation K) (post : activation K) :
  let F := shortcut width (fun l => on_jets (act l)) (on_jets post) n in
  (forall l, (0 < l < n)%N -> f0 (act l) 0 = 0) -> f0 post 0 = 0 ->
  [/\ vanishes layer n F, carries id F F, carries drop2 F F & carries swap F F].
Proof.
move=> F act0 post0; split.
- by apply: shortcut_vanishes => [l /act0|]; apply: on_jets0.
- exact: (@shortcut_carried _ _ [rmorphism of idfun]).
- by apply: (@shortcut_carried _ _ [rmorphism of drop2]) => *; apply: on_jets_drop2.
- by apply: (@shortcut_carried _ _ [rmorphism of swap]) => *; apply: on_jets_swap.
Qed.

(** The Hessian of the squared loss of n-shortcut networks is symmetric, at all weights. *)
Section Symmetry.
Variables (K : comRingType) (R m n d : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K) (kappa : K) (x y : nat -> nat -> K).

Local Notation L := (total_loss (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) n) R m
  (squared (cst kappa) d (fun mu i => cst (y mu i))) (fun mu i => cst (x mu i))).

Lemma shortcut_hess_sym w p q : hess L w p q = hess L w q p.
Proof.
apply: hess_sym => u u' uu'; apply: (@total_carried _ _ [rmorphism of swap]) => //.
  by move=> r; apply: (@shortcut_carried _ _ [rmorphism of swap]) => *; apply: on_jets_swap.
by move=> mu f f'; apply: (@squared_carried _ _ [rmorphism of swap]).
Qed.

End Symmetry.

(** The paper's loss: [c0] reads its value off jets, and [drop2] goes through. *)
Section Paper.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).

Lemma jet_loss_value w w' : c0 \o w =1 w' ->
  c0 (jet_loss n width m R pre mid post kappa x y w) = loss n width m R pre mid post kappa x y w'.
Proof.
move=> ww'; apply: (@total_carried _ _ [rmorphism of c0 : jets K -> K]) => // [r|mu f f'].
  by apply: (@shortcut_carried _ _ [rmorphism of c0 : jets K -> K]) => [[|l]|].
exact: (@squared_carried _ _ [rmorphism of c0 : jets K -> K]).
Qed.

Lemma jet_loss_drop2 w w' : drop2 \o w =1 w' ->
  drop2 (jet_loss n width m R pre mid post kappa x y w) = jet_loss n width m R pre mid post kappa x y w'.
Proof.
move=> ww'; apply: (@total_carried _ _ [rmorphism of drop2]) => // [r|mu f f'].
  by apply: (@shortcut_carried _ _ [rmorphism of drop2]) => [[|l] u|u]; apply: on_jets_drop2.
exact: (@squared_carried _ _ [rmorphism of drop2]).
Qed.

End Paper.

(** So n >= 2 and n >= 3 for any loss and for activations that differ by layer and by unit. *)
Section AnyLoss.
Variables (K : comRingType) (n R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Variables (ts : seq nat) (ell : nat -> (nat -> jets K) -> jets K) (x g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypotheses (act0 : forall r l, (0 < l < n)%N -> f0 (act r l) 0 = 0) (post0 : forall r, f0 (post r) 0 = 0).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (Q mu).
Local Notation F := (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) n).
Local Notation L := (total_loss F R m ell (fun mu i => cst (x mu i))).

Let vanF r : vanishes layer n (F r).
Proof. by have [] := shortcut_covered width (act0 r) (post0 r). Qed.

Lemma any_loss_gradient p : (1 < n)%N -> grad L (fun=> 0) p = 0.
Proof. exact: (grad_zero vanF R m ellP). Qed.

Lemma any_loss_hessian p q : (2 < n)%N -> hess L (fun=> 0) p q = 0.
Proof. exact: (hess_three vanF R m ellP). Qed.

End AnyLoss.
