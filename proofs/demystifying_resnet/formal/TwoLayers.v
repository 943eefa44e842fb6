(** * An arbitrary branch with two layers

    Only the mixed derivative of one unit's branch at the data survives, weighted by the gradient of the loss: the
    branch's first derivatives vanish, so the curvature of the loss does not enter. *)

From Shortcut Require Import Definitions Sums Jets Network Vanishing.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section TwoLayers.
Variables (K : comRingType) (P : eqType) (T : Type) (lay : P -> nat).
Variable F : nat -> branch (jets K) P T.
Hypothesis extF : forall r, carries id (F r) (F r).
Hypothesis dropF : forall r, carries drop2 (F r) (F r).
Hypothesis vanF : forall r, vanishes lay 2 (F r).

Variables (R m : nat) (ts : seq T) (ell : nat -> (T -> jets K) -> jets K) (x : nat -> T -> K).
Variables (g : nat -> T -> K) (H : nat -> T -> T -> K).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (H mu).

Variable w0 : nat * P -> K.
Hypothesis w00 : forall r p, (lay p < 2)%N -> w0 (r, p) = 0.

Local Notation L := (total_loss F R m ell (fun mu => cst \o x mu)).
Local Notation moved_unit r p q := (moved (fun p => w0 (r, p)) p q).

(** In one unit, places in both layers: the branch has no constant term and no term in e1. *)
Lemma branch_first_order r p q h t : lay p != lay q -> (lay q < 2)%N ->
  drop2 (F r (moved_unit r p q) h t) = 0.
Proof.
move=> pq q2; rewrite [LHS](dropF r (frefl _) (frefl _)) (vanF r _ q2) // => s lay_s.
rewrite /= /moved /drop2 /= w00 ?lay_s //.
by have /negPf-> : s != p by apply: contraNneq pq => <-; rewrite lay_s.
Qed.

(** Two places that are not in both layers of one unit leave every unit a layer. *)
Lemma free_layer (r s k i j : nat) : (r == s) && (i + j == 1)%N = false ->
  exists2 l, (l < 2)%N & (k == r) && (l == i) = false /\ (k == s) && (l == j) = false.
Proof.
case kr: (k == r); case ks: (k == s) => /=; last by exists 0%N.
- rewrite -(eqP kr) -(eqP ks) eqxx /=; case: i j => [|[|i]] [|[|j]] // _; 
    by [exists 1%N | exists 0%N].
- by case: i => [|i] _; [exists 1%N | exists 0%N].
- by case: j => [|j] _; [exists 1%N | exists 0%N].
Qed.

Lemma hess_two_layers r s p q :
  hess L w0 (r, p) (s, q) =
    if [&& r == s, (r < R)%N & (lay p + lay q == 1)%N]
    then sum m (fun mu => \sum_(t <- ts) g mu t * c12 (F r (moved_unit r p q) (cst \o x mu) t))
    else 0.
Proof.
case: ifP => [/and3P[/eqP <- rR pq]|unmet]; last first.
  apply: (hess_zero vanF m ellP w00) => k kR /=.
  case rs: ((r == s) && (lay p + lay q == 1)%N); last exact: free_layer.
  case/andP: rs unmet => /eqP <- ->; rewrite eqxx andbT /= => /negbT; rewrite -leqNgt => Rr.
  by exists 0%N; rewrite // ltn_eqF // (leq_trans kR).
have pnq : lay p != lay q by case: (lay p) (lay q) pq => [|[]] // [|[]].
have q2 : (lay q < 2)%N by case: (lay p) (lay q) pq => [|[]] // [|[]].
rewrite /hess /total_loss c12_sum; apply: eq_sum => mu _.
have out : residual F R (moved w0 (r, p) (r, q)) (cst \o x mu) =1
    fun t => cst (x mu t) + F r (moved_unit r p q) (cst \o x mu) t.
  move=> t; rewrite (one_unit extF _ rR) => [|k _ kr].
    by congr (_ + _); apply: extF => // u; rewrite /= /moved !xpair_eqE !eqxx.
  by apply: (zero_layer_idle vanF); apply: (moved_zero_layer w00 (l := 0%N)); rewrite ?(negPf kr).
have first t := branch_first_order r (cst \o x mu) t pnq q2.
have [|_ ->] := ellP (mu := mu) (f := residual F R (moved w0 (r, p) (r, q)) (cst \o x mu)).
  by move=> t; rewrite /= out /= [c0 (F _ _ _ _)](congr1 c0 (first t)) addr0.
apply: eq_bigr => t _; rewrite out /= add0r big1 ?addr0 // => u _.
by rewrite out /= [c1 (F _ _ _ _)](congr1 c1 (first t)) addr0 mul0r mulr0.
Qed.

End TwoLayers.

Section Two.
Variables (K : comRingType) (P : eqType) (T : Type) (lay : P -> nat) (n : nat) (F : nat -> branch (jets K) P T).
Hypothesis vanF : forall r, vanishes lay n (F r).
Variables (R m : nat) (ts : seq T) (ell : nat -> (T -> jets K) -> jets K).
Variables (x g : nat -> T -> K) (Q : nat -> T -> T -> K).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (Q mu).
Variable w0 : nat * P -> K.
Hypothesis w00 : forall r p, (lay p < n)%N -> w0 (r, p) = 0.

Lemma hess_two r s p q : n = 2%N -> (forall r, carries id (F r) (F r)) -> (forall r, carries drop2 (F r) (F r)) ->
  hess (total_loss F R m ell (fun mu => cst \o x mu)) w0 (r, p) (s, q) =
    if [&& r == s, (r < R)%N & (lay p + lay q == 1)%N]
    then sum m (fun mu => \sum_(t <- ts) g mu t * c12 (F r (moved (fun p => w0 (r, p)) p q) (cst \o x mu) t))
    else 0.
Proof. by move=> n2 extF dropF; subst n; apply: (hess_two_layers extF dropF vanF R m ellP). Qed.

End Two.
