(** * Maps of rings go through networks

    A network is built from sums, products and activations. A map phi of rings that commutes with the activations
    therefore takes the network over one ring to the network over the other, and so does it with the loss. *)

From Shortcut Require Import Definitions Sums.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Carried.
Variables (A B : comRingType) (phi : {rmorphism A -> B}).

Lemma sum_rmorph k (f : nat -> A) : phi (sum k f) = sum k (fun i => phi (f i)).
Proof. by apply: sum_morph; [apply: rmorph0 | apply: rmorphD]. Qed.

Lemma layers_carried width act act' n : (forall l u, phi (act l u) = act' l (phi u)) ->
  carries phi (layers width act n) (layers width act' n).
Proof.
move=> actP w w' h h' ww' hh'; elim: n => [|l IH] i; first exact: hh'.
by rewrite /= sum_rmorph; apply: eq_sum => j _; rewrite rmorphM actP -ww' -IH.
Qed.

Lemma shortcut_carried width act act' post post' n : (forall l u, phi (act l u) = act' l (phi u)) ->
  (forall u, phi (post u) = post' (phi u)) ->
  carries phi (shortcut width act post n) (shortcut width act' post' n).
Proof.
move=> actP postP w w' h h' ww' hh' i; rewrite /= /shortcut postP.
by congr post'; exact: layers_carried ww' hh' i.
Qed.

Lemma squared_carried kappa d (y : nat -> nat -> A) mu f f' : phi \o f =1 f' ->
  phi (squared kappa d y mu f) = squared (phi kappa) d (fun mu i => phi (y mu i)) mu f'.
Proof.
move=> ff'; rewrite rmorphM sum_rmorph; congr (_ * _); apply: eq_sum => i _.
by rewrite rmorphX rmorphB -ff'.
Qed.

Variables (P T : Type) (F : nat -> branch A P T) (F' : nat -> branch B P T).
Hypothesis carriesF : forall r, carries phi (F r) (F' r).

Lemma residual_carried R w w' h h' :
  phi \o w =1 w' -> phi \o h =1 h' -> phi \o residual F R w h =1 residual F' R w' h'.
Proof.
move=> ww' hh'; elim: R => //= R IH t; rewrite /= rmorphD; congr (_ + _); first exact: IH.
by apply: carriesF => // p; apply: ww'.
Qed.

Variables (ell : nat -> (T -> A) -> A) (ell' : nat -> (T -> B) -> B).
Hypothesis carries_ell : forall mu f f', phi \o f =1 f' -> phi (ell mu f) = ell' mu f'.

Lemma total_carried R m x x' w w' : (forall mu, phi \o x mu =1 x' mu) -> phi \o w =1 w' ->
  phi (total_loss F R m ell x w) = total_loss F' R m ell' x' w'.
Proof.
by move=> xx' ww'; rewrite sum_rmorph; apply: eq_sum => mu _; apply/carries_ell/residual_carried.
Qed.

End Carried.
