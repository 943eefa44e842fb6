(** * Polynomial activations: the Hessian's entries are derivatives, inside the kernel

    The network makes sense over K[s, t]. Reading off the coefficients of 1, s, t and s t is a map of rings to jets, and
    takes a polynomial activation to its action on jets. *)

From Shortcut Require Import Definitions Sums Jets Carried Shortcut.
From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Polynomials.
Variable K : comRingType.
Implicit Types (P S : {poly {poly K}}) (f : {poly K}).

Definition coefficients P : jets K := Jet P`_0`_0 P`_1`_0 P`_0`_1 P`_1`_1.

Lemma coef1M (A : ringType) (f g : {poly A}) : (f * g)`_1 = f`_0 * g`_1 + f`_1 * g`_0.
Proof. by rewrite coefM !big_ord_recl big_ord0 addr0. Qed.

Lemma coef0MM (A : ringType) (f g : {poly A}) : (f * g)`_0 = f`_0 * g`_0.
Proof. by rewrite coefM big_ord_recl big_ord0 addr0. Qed.

Lemma coefficients_is_rmorphism : rmorphism coefficients.
Proof.
split=> [P S|]; first by rewrite /coefficients !coefB.
split=> [P S|]; last by apply: jetP; rewrite /= !coef1 /= ?coef0 ?coef1.
by apply: jetP; rewrite /= !(coef1M, coef0MM, coefD) // addrACA addrA.
Qed.
Canonical coefficients_additive := Additive coefficients_is_rmorphism.
Canonical coefficients_rmorphism := RMorphism coefficients_is_rmorphism.

Lemma cst_is_rmorphism : rmorphism (cst : K -> jets K).
Proof. by split=> [a b|]; [|split=> // a b]; apply: jetP => //=; ring. Qed.
Canonical cst_additive := Additive cst_is_rmorphism.
Canonical cst_rmorphism := RMorphism cst_is_rmorphism.

(** A polynomial and its formal derivatives. *)
Definition poly_activation f := Activation (horner f) (horner f^`()) (horner f^`()^`()).

Lemma on_jets_poly f (u : jets K) : on_jets (poly_activation f) u = (map_poly cst f).[u].
Proof.
elim/poly_ind: f => [|f c IH].
  by rewrite rmorph0 horner0 /on_jets /= !derivC !horner0 !mul0r addr0.
rewrite rmorphD rmorphM /= map_polyX map_polyC hornerD hornerMX hornerC /= -IH.
rewrite /on_jets /= !derivD !derivM !derivC !derivX !derivD !derivM !derivX -polyC1 derivC !addr0 !mulr1 !hornerE.
by apply: jetP => /=; ring.
Qed.

(** ** The network over K[s, t] *)

Definition polynomial (a : K) : {poly {poly K}} := a%:P%:P.
Lemma polynomial_is_rmorphism : rmorphism polynomial.
Proof. by split=> [a b|]; [|split=> // a b]; rewrite /polynomial ?rmorphB ?rmorphM. Qed.
Canonical polynomial_additive := Additive polynomial_is_rmorphism.
Canonical polynomial_rmorphism := RMorphism polynomial_is_rmorphism.

Definition on_polynomials (f : {poly K}) P : {poly {poly K}} := (map_poly polynomial f).[P].

Lemma on_polynomials_coefficients f P :
  coefficients (on_polynomials f P) = on_jets (poly_activation f) (coefficients P).
Proof.
rewrite on_jets_poly -horner_map -map_poly_comp; congr (_.[_]); apply: eq_map_poly => a /=.
by apply: jetP; rewrite /= !coefC //= coefC.
Qed.

(** Values at s = a, t = b. *)
Definition at_ (a b : K) P : K := P.[a%:P].[b].
Lemma at_is_rmorphism a b : rmorphism (at_ a b).
Proof. by split=> [P S|]; [|split=> [P S|]]; rewrite /at_ !hornerE. Qed.
Canonical at_additive a b := Additive (at_is_rmorphism a b).
Canonical at_rmorphism a b := RMorphism (at_is_rmorphism a b).

Lemma on_polynomials_at a b f P : at_ a b (on_polynomials f P) = f.[at_ a b P].
Proof.
rewrite /on_polynomials -horner_map -map_poly_comp; congr (_.[_]).
by apply: map_poly_id => c _; rewrite /= /at_ !hornerC.
Qed.

(** The plane through w along the places p and q. *)
Definition plane (Q : eqType) (w : Q -> K) (p q : Q) : Q -> {poly {poly K}} :=
  fun r => polynomial (w r) + ((r == p)%:R * 'X + (r == q)%:R * 'X%:P).

Lemma plane_coefficients (Q : eqType) (w : Q -> K) p q : coefficients \o plane w p q =1 moved w p q.
Proof.
move=> r; rewrite /= /plane !rmorphD !rmorphM !rmorph_nat /= !natr_jet.
by apply: jetP; rewrite /= !(coefX, coefC) /= ?(coefX, coefC, coef0, coef1) /=; ring.
Qed.

Lemma plane_at (Q : eqType) (w : Q -> K) p q a b :
  at_ a b \o plane w p q =1 fun r => w r + ((r == p)%:R * a + (r == q)%:R * b).
Proof. by move=> r; rewrite /= /plane !rmorphD !rmorphM !rmorph_nat /= /at_ !hornerE. Qed.

Section Loss.
Variables (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : {poly K}) (kappa : K) (x y : nat -> nat -> K).

Definition polynomial_loss := loss_over n width m R (fun l => on_polynomials (acts pre mid l)) (on_polynomials post)
  (polynomial kappa) (fun mu i => polynomial (x mu i)) (fun mu i => polynomial (y mu i)).

Local Notation act f := (poly_activation f).

Lemma polynomial_loss_coefficients w w' : coefficients \o w =1 w' ->
  coefficients (polynomial_loss w) = jet_loss n width m R (act pre) (act mid) (act post) kappa x y w'.
Proof.
have cstE a : coefficients (polynomial a) = cst a by apply: jetP; rewrite /= !coefC //= coefC.
move=> ww'; apply: (@total_carried _ _ [rmorphism of coefficients]) => // [r|mu f f' ff'|mu i]; last exact: cstE.
  by apply: (@shortcut_carried _ _ [rmorphism of coefficients]) => [[|l] u|u]; apply: on_polynomials_coefficients.
rewrite (@squared_carried _ _ [rmorphism of coefficients] _ _ _ _ _ _ ff') /= cstE.
by congr (_ * _); apply: eq_sum => i _; rewrite cstE.
Qed.

Lemma polynomial_loss_at a b w w' : at_ a b \o w =1 w' ->
  at_ a b (polynomial_loss w) = loss n width m R (act pre) (act mid) (act post) kappa x y w'.
Proof.
have atE c : at_ a b (polynomial c) = c by rewrite /at_ !hornerC.
move=> ww'; apply: (@total_carried _ _ [rmorphism of at_ a b]) => // [r|mu f f' ff'|mu i]; last exact: atE.
  by apply: (@shortcut_carried _ _ [rmorphism of at_ a b]) => [[|l] u|u]; apply: on_polynomials_at.
rewrite (@squared_carried _ _ [rmorphism of at_ a b] _ _ _ _ _ _ ff') /= atE.
by congr (_ * _); apply: eq_sum => i _; rewrite atE.
Qed.

(** In the plane through w along p and q the loss is a polynomial; its derivatives at w are [grad] and [hess]. *)
Theorem derivatives_in_plane w p q : exists E : {poly {poly K}},
  [/\ forall a b, E.[a%:P].[b] =
         loss n width m R (act pre) (act mid) (act post) kappa x y (fun r => w r + ((r == p)%:R * a + (r == q)%:R * b)),
      E^`().[0].[0] = grad (jet_loss n width m R (act pre) (act mid) (act post) kappa x y) w p &
      E^`().[0]^`().[0] = hess (jet_loss n width m R (act pre) (act mid) (act post) kappa x y) w p q].
Proof.
have coefE := polynomial_loss_coefficients (plane_coefficients w p q).
exists (polynomial_loss (plane w p q)); split=> [a b||].
- exact/polynomial_loss_at/plane_at.
- rewrite !horner_coef0 coef_deriv /grad; set u := fun _ => _.
  by rewrite -(@jet_loss_drop2 _ _ _ _ _ _ _ _ _ _ _ (moved w p q)) -?coefE ?mulr1n.
- by rewrite !horner_coef0 !coef_deriv /hess -coefE !mulr1n.
Qed.

End Loss.

End Polynomials.
