(** * Second derivatives see at most two units

    Every unit is the identity at its initial point, so all units but those of the two places drop out of the network
    and what remains does not know the depth (Lemma 4 of the paper, for arbitrary units). *)

From Shortcut Require Import Definitions Sums Jets Network Carried.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Symmetry.
Variables (K : comRingType) (Q : eqType) (L : (Q -> jets K) -> jets K).
Hypothesis swapL : forall w w', swap \o w =1 w' -> swap (L w) = L w'.

(** Exchanging e1 and e2 exchanges the two places. *)
Lemma hess_sym w p q : hess L w p q = hess L w q p.
Proof. by rewrite /hess -(swapL (w := moved w q p)). Qed.

End Symmetry.

Section TwoUnits.
Variables (K : comRingType) (P : eqType) (T : Type) (F : branch (jets K) P T) (w0 : P -> K).
Hypothesis extF : carries id F F.
Hypothesis idleF : forall w h, w =1 cst \o w0 -> F w h =1 fun=> 0.

Variables (m : nat) (ell : nat -> (T -> jets K) -> jets K) (x : nat -> T -> K).
Hypothesis ext_ell : forall mu f f', f =1 f' -> ell mu f = ell mu f'.

Local Notation L R := (total_loss (fun=> F) R m ell (fun mu => cst \o x mu)).
Local Notation w := (fun a : nat * P => w0 a.2).
Implicit Types (R r s : nat) (p q : P).

Lemma moved_idle r s k p q : k != r -> k != s -> idle (fun=> F) (moved w (r, p) (s, q)) k.
Proof.
move=> kr ks h; apply: idleF => t.
by rewrite /moved !xpair_eqE (negPf kr) (negPf ks).
Qed.

(** One step of the network with the places renumbered. *)
Lemma step_renumber r s p q r' s' p' q' k k' h h' :
  (k == r) = (k' == r') -> (k == s) = (k' == s') -> p = p' -> q = q' -> h =1 h' ->
  step (fun=> F) (moved w (r, p) (s, q)) k h =1 step (fun=> F) (moved w (r', p') (s', q')) k' h'.
Proof.
move=> kr ks <- <- hh' t; congr (_ + _) => //; apply: extF => // u.
by rewrite /= /moved !xpair_eqE kr ks.
Qed.

Lemma hess_one R r p q : (r < R)%N -> hess (L R) w (r, p) (r, q) = hess (L 1) w (0%N, p) (0%N, q).
Proof.
move=> rR; congr c12; apply: eq_sum => mu _; apply: ext_ell => t.
have one := @one_unit _ _ _ (fun=> F) (fun=> extF) (moved w _ _); rewrite (one _ _ R r) ?(one _ _ 1%N 0%N) //.
- by apply: step_renumber; rewrite ?eqxx.
- by move=> k _ k0; apply: moved_idle.
- by move=> k _ kr; apply: moved_idle.
Qed.

Lemma hess_two R r s p q : (r < s < R)%N ->
  hess (L R) w (r, p) (s, q) = hess (L 2) w (0%N, p) (1%N, q).
Proof.
move=> rsR; congr c12; apply: eq_sum => mu _; apply: ext_ell => t.
have two := @two_units _ _ _ (fun=> F) (fun=> extF) (moved w _ _).
rewrite (two _ _ R r s) ?(two _ _ 2%N 0%N 1%N) //.
- have rs : (r == s) = false by rewrite ltn_eqF //; case/andP: rsR.
  by do 2![apply: step_renumber; rewrite ?eqxx ?(eq_sym s) ?rs // => {}t].
- by move=> k _ k0 k1; apply: moved_idle.
- by move=> k _ kr ks; apply: moved_idle.
Qed.

End TwoUnits.

Section Structure.
Variables (K : comRingType) (P : eqType) (T : Type) (F : branch (jets K) P T) (w0 : P -> K).
Hypothesis swapF : carries swap F F.
Hypothesis idleF : forall w h, w =1 cst \o w0 -> F w h =1 fun=> 0.

Variables (m : nat) (ell : nat -> (T -> jets K) -> jets K) (x : nat -> T -> K).
Hypothesis swap_ell : forall mu f f', swap \o f =1 f' -> swap (ell mu f) = ell mu f'.

Local Notation L R := (total_loss (fun=> F) R m ell (fun mu => cst \o x mu)).
Local Notation w := (fun a : nat * P => w0 a.2).

Lemma swapK : involutive (@swap K).
Proof. by case. Qed.

(** A function that commutes with an involution respects equality of functions. *)
Lemma swap_ext : carries id F F.
Proof.
move=> u u' h h' uu' hh' t; transitivity (swap (F (swap \o u) (swap \o h) t)).
  by rewrite -(swapF (w := u) (h := h)) //= swapK.
by apply: swapF => s /=; rewrite swapK; [apply: uu' | apply: hh'].
Qed.

Lemma swap_ell_ext mu f f' : f =1 f' -> ell mu f = ell mu f'.
Proof.
move=> ff'; transitivity (swap (ell mu (swap \o f))).
  by rewrite -(@swap_ell mu f (swap \o f)) // swapK.
by apply: swap_ell => t /=; rewrite swapK.
Qed.

Lemma swap_loss R u u' : swap \o u =1 u' -> swap (L R u) = L R u'.
Proof.
by move=> uu'; apply: (@total_carried _ _ [rmorphism of swap]).
Qed.

Lemma hess_structure R r s p q : (r < R)%N -> (s < R)%N ->
  hess (L R) w (r, p) (s, q) =
    if r == s then hess (L 1) w (0%N, p) (0%N, q)
    else if (s < r)%N then hess (L 2) w (1%N, p) (0%N, q)
    else hess (L 2) w (1%N, q) (0%N, p).
Proof.
move=> rR sR; have two := hess_two swap_ext idleF m x swap_ell_ext.
have sym R' := hess_sym (@swap_loss R').
case: (ltngtP r s) => [rs|sr|<-].
- by rewrite two ?rs // sym.
- by rewrite sym two ?sr // sym.
- exact: (hess_one swap_ext idleF m x swap_ell_ext).
Qed.

End Structure.
