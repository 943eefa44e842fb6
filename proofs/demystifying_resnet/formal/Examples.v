(** * The definitions evaluated

    Written by examples.py, which computes the right-hand sides with the project's array side (reverse mode over NumPy,
    no jets): value, gradient and Hessian of 2 m L at zero and at other weights. The left-hand sides are the definitions
    of Definitions.v themselves, run by the kernel over the integers. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra ssrZ.
From Shortcut Require Import Definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope Z_scope.

(** Polynomials by their coefficients, as activations with their derivatives. *)
Fixpoint horner (c : seq Z) (t : Z) : Z := if c is a :: c' then a + t * horner c' t else 0.
Fixpoint times_from (k : Z) (c : seq Z) : seq Z := if c is a :: c' then k * a :: times_from (k + 1) c' else [::].
Definition derivative (c : seq Z) := times_from 1 (behead c).
Definition poly (c : seq Z) := Activation (horner c) (horner (derivative c)) (horner (derivative (derivative c))).

(** Data and weights from lists: x mu i, and weights in the order of [parameters]. *)
Definition data (s : seq (seq Z)) (mu i : nat) : Z := nth 0 (nth [::] s mu) i.
Definition weights (Q : eqType) (qs : seq Q) (s : seq Z) (q : Q) : Z := nth 0 s (index q qs).

Definition gradient (Q : eqType) (L : (Q -> jet Z) -> jet Z) (w : Q -> Z) qs := [seq grad L w q | q <- qs].
Definition hessian (Q : eqType) (L : (Q -> jet Z) -> jet Z) (w : Q -> Z) qs :=
  [seq [seq hess L w p q | q <- qs] | p <- qs].

(** Columns and rows of a d x d matrix, stacked column by column. *)
Definition square d : seq (nat * nat) := [seq (j, i) | j <- iota 0 d, i <- iota 0 d].

(** Jets: products, and a polynomial's action against its value in the ring of jets. *)
Definition u : jets [comRingType of Z] := Jet 2 3 5 7.
Definition v : jets [comRingType of Z] := Jet (-1) 4 0 2.
Example jet_product : (u * v)%R = Jet (-2) (5) (-5) (17).
Proof. by vm_compute. Qed.
Example jet_polynomial : on_jets (poly [:: 4; -3; 2; 1]) u =
  (cst 4 + cst (-3) * u + cst 2 * u * u + u * u * u)%R.
Proof. by vm_compute. Qed.
Example jet_sums : (jet_add u v, jet_opp u, jet_add u (jet_zero _), jet_mul u (jet_one _)) =
  (Jet 1 7 5 9, Jet (-2) (-3) (-5) (-7), u, u).
Proof. by vm_compute. Qed.
Example jet_maps : (swap u, drop2 u, on_jets (identity _) u) = (Jet 2 5 3 7, Jet 2 3 0 0, u).
Proof. by vm_compute. Qed.

(** Places in the paper's order (r, l, j, i). *)
Example parameters_order : parameters (fun l => nth 0 [:: 2; 1; 2] l)%N 2 1 =
  [:: (0, (0, 0, 0)); (0, (0, 0, 1)); (0, (1, 0, 0)); (0, (1, 1, 0))]%N.
Proof. by []. Qed.

(** n = 1, R = 1, widths 1, 1, m = 1, at zero. *)
Definition width_a l := nth 0%N [:: 1; 1]%N l.
Definition pre_a := poly [:: 0; 1].
Definition mid_a := poly [:: 0; 1].
Definition post_a := poly [:: 0; 1].
Definition x_a := data [:: [:: 2]].
Definition y_a := data [:: [:: -1]].
Definition ps_a := parameters width_a 1 1.
Definition w_a := weights ps_a [:: ].
Definition loss_a := loss 1 width_a 1 1 pre_a mid_a post_a 1 x_a y_a.
Definition jets_a := jet_loss 1 width_a 1 1 pre_a mid_a post_a 1 x_a y_a.
Example value_a : loss_a w_a = 9.
Proof. by vm_compute. Qed.
Example gradient_a : gradient jets_a w_a ps_a =
  [:: 12].
Proof. by vm_compute. Qed.
Example hessian_a : hessian jets_a w_a ps_a =
  [:: [:: 8]].
Proof. by vm_compute. Qed.

Example mat_B_a : [seq [seq 2 * mat_B 1 pre_a post_a x_a y_a p.2 p.1 q.2 q.1
    | q <- square 1] | p <- square 1] =
  [:: [:: 8]].
Proof. by vm_compute. Qed.

(** n = 1, R = 2, widths 1, 1, m = 2, at w = 1, -1. *)
Definition width_b l := nth 0%N [:: 1; 1]%N l.
Definition pre_b := poly [:: 1; 0; 1].
Definition mid_b := poly [:: 0; 1].
Definition post_b := poly [:: 0; 2; -1].
Definition x_b := data [:: [:: 1]; [:: -1]].
Definition y_b := data [:: [:: 3]; [:: 0]].
Definition ps_b := parameters width_b 1 2.
Definition w_b := weights ps_b [:: 1; -1].
Definition loss_b := loss 1 width_b 2 2 pre_b mid_b post_b 1 x_b y_b.
Definition jets_b := jet_loss 1 width_b 2 2 pre_b mid_b post_b 1 x_b y_b.
Example value_b : loss_b w_b = 181.
Proof. by vm_compute. Qed.
Example gradient_b : gradient jets_b w_b ps_b =
  [:: 56; -456].
Proof. by vm_compute. Qed.
Example hessian_b : hessian jets_b w_b ps_b =
  [:: [:: 21552; -32];
      [:: -32; 880]].
Proof. by vm_compute. Qed.

(** n = 1, R = 2, widths 2, 2, m = 2, at zero. *)
Definition width_c l := nth 0%N [:: 2; 2]%N l.
Definition pre_c := poly [:: 1; 0; 1].
Definition mid_c := poly [:: 0; 1].
Definition post_c := poly [:: 0; 1; 3].
Definition x_c := data [:: [:: 1; -2]; [:: 3; 1]].
Definition y_c := data [:: [:: 0; 1]; [:: 2; -1]].
Definition ps_c := parameters width_c 1 2.
Definition w_c := weights ps_c [:: ].
Definition loss_c := loss 1 width_c 2 2 pre_c mid_c post_c 1 x_c y_c.
Definition jets_c := jet_loss 1 width_c 2 2 pre_c mid_c post_c 1 x_c y_c.
Example value_c : loss_c w_c = 15.
Proof. by vm_compute. Qed.
Example gradient_c : gradient jets_c w_c ps_c =
  [:: 24; 28; 14; -22; 24; 28; 14; -22].
Proof. by vm_compute. Qed.
Example hessian_c : hessian jets_c w_c ps_c =
  [:: [:: 1456; 0; 420; 0; 336; 216; 60; 0];
      [:: 0; 2464; 0; 180; 0; 208; 24; 188];
      [:: 420; 0; 406; 0; 104; -12; 58; 0];
      [:: 0; 180; 0; -746; 0; 60; -32; 194];
      [:: 336; 0; 104; 0; 1456; 0; 420; 0];
      [:: 216; 208; -12; 60; 0; 2464; 0; 180];
      [:: 60; 24; 58; -32; 420; 0; 406; 0];
      [:: 0; 188; 0; 194; 0; 180; 0; -746]].
Proof. by vm_compute. Qed.

Example mat_B_c : [seq [seq 2 * mat_B 2 pre_c post_c x_c y_c p.2 p.1 q.2 q.1
    | q <- square 2] | p <- square 2] =
  [:: [:: 1456; 0; 420; 0];
      [:: 0; 2464; 0; 180];
      [:: 420; 0; 406; 0];
      [:: 0; 180; 0; -746]].
Proof. by vm_compute. Qed.

Example mat_A_c : [seq [seq 2 * mat_A 2 pre_c post_c x_c y_c p.2 p.1 q.2 q.1
    | q <- square 2] | p <- square 2] =
  [:: [:: 336; 0; 104; 0];
      [:: 216; 208; -12; 60];
      [:: 60; 24; 58; -32];
      [:: 0; 188; 0; 194]].
Proof. by vm_compute. Qed.

(** n = 1, R = 2, widths 2, 2, m = 1, at w = 1, 0, -1, 2, 1, -1, 0, 1. *)
Definition width_d l := nth 0%N [:: 2; 2]%N l.
Definition pre_d := poly [:: 0; 1; 1].
Definition mid_d := poly [:: 0; 1].
Definition post_d := poly [:: 0; -1; 1].
Definition x_d := data [:: [:: 1; -1]].
Definition y_d := data [:: [:: 2; 1]].
Definition ps_d := parameters width_d 1 2.
Definition w_d := weights ps_d [:: 1; 0; -1; 2; 1; -1; 0; 1].
Definition loss_d := loss 1 width_d 1 2 pre_d mid_d post_d 1 x_d y_d.
Definition jets_d := jet_loss 1 width_d 1 2 pre_d mid_d post_d 1 x_d y_d.
Example value_d : loss_d w_d = 41405.
Proof. by vm_compute. Qed.
Example gradient_d : gradient jets_d w_d ps_d =
  [:: 581952; -16016; 0; 0; 73416; -92400; 0; 0].
Proof. by vm_compute. Qed.
Example hessian_d : hessian jets_d w_d ps_d =
  [:: [:: 7890472; -160944; 0; 0; 1061628; -1263864; 0; 0];
      [:: -160944; 10336; 0; 0; 0; 45984; 12236; -15400];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 1061628; 0; 0; 0; 228960; 0; 0; 0];
      [:: -1263864; 45984; 0; 0; 0; 268704; 0; 0];
      [:: 0; 12236; 0; 0; 0; 0; 0; 0];
      [:: 0; -15400; 0; 0; 0; 0; 0; 0]].
Proof. by vm_compute. Qed.

(** n = 2, R = 1, widths 1, 1, 1, m = 2, at w = 1, -2. *)
Definition width_e l := nth 0%N [:: 1; 1; 1]%N l.
Definition pre_e := poly [:: 2; 1].
Definition mid_e := poly [:: 0; 3; 1].
Definition post_e := poly [:: 0; 1; 1].
Definition x_e := data [:: [:: 1]; [:: 2]].
Definition y_e := data [:: [:: 0]; [:: -3]].
Definition ps_e := parameters width_e 2 1.
Definition w_e := weights ps_e [:: 1; -2].
Definition loss_e := loss 2 width_e 2 1 pre_e mid_e post_e 1 x_e y_e.
Definition jets_e := jet_loss 2 width_e 2 1 pre_e mid_e post_e 1 x_e y_e.
Example value_e : loss_e w_e = 11107346.
Proof. by vm_compute. Qed.
Example gradient_e : gradient jets_e w_e ps_e =
  [:: 69937908; -22399476].
Proof. by vm_compute. Qed.
Example hessian_e : hessian jets_e w_e ps_e =
  [:: [:: 380773936; -140795074];
      [:: -140795074; 33894712]].
Proof. by vm_compute. Qed.

(** n = 2, R = 1, widths 2, 2, 2, m = 1, at w = 1, 0, 2, -1, 1, 1, -2, 0. *)
Definition width_f l := nth 0%N [:: 2; 2; 2]%N l.
Definition pre_f := poly [:: 0; 1].
Definition mid_f := poly [:: 0; 1].
Definition post_f := poly [:: 0; 1].
Definition x_f := data [:: [:: 1; 2]].
Definition y_f := data [:: [:: -1; 3]].
Definition ps_f := parameters width_f 2 1.
Definition w_f := weights ps_f [:: 1; 0; 2; -1; 1; 1; -2; 0].
Definition loss_f := loss 2 width_f 1 1 pre_f mid_f post_f 1 x_f y_f.
Definition jets_f := jet_loss 2 width_f 1 1 pre_f mid_f post_f 1 x_f y_f.
Example value_f : loss_f w_f = 137.
Proof. by vm_compute. Qed.
Example gradient_f : gradient jets_f w_f ps_f =
  [:: 30; -44; 60; -88; 110; 40; -44; -16].
Proof. by vm_compute. Qed.
Example hessian_f : hessian jets_f w_f ps_f =
  [:: [:: 4; -4; 8; -8; 32; 18; -4; -4];
      [:: -4; 8; -8; 16; -20; 0; 30; 8];
      [:: 8; -8; 16; -16; 64; 36; -8; -8];
      [:: -8; 16; -16; 32; -40; 0; 60; 16];
      [:: 32; -20; 64; -40; 50; 0; -20; 0];
      [:: 18; 0; 36; 0; 0; 50; 0; -20];
      [:: -4; 30; -8; 60; -20; 0; 8; 0];
      [:: -4; 8; -8; 16; 0; -20; 0; 8]].
Proof. by vm_compute. Qed.

(** n = 2, R = 2, widths 2, 1, 2, m = 2, at zero. *)
Definition width_g l := nth 0%N [:: 2; 1; 2]%N l.
Definition pre_g := poly [:: 0; 1; 1].
Definition mid_g := poly [:: 0; 2; 1].
Definition post_g := poly [:: 0; 1; -1].
Definition x_g := data [:: [:: 1; 0]; [:: 2; -1]].
Definition y_g := data [:: [:: 0; 0]; [:: 1; 1]].
Definition ps_g := parameters width_g 2 2.
Definition w_g := weights ps_g [:: ].
Definition loss_g := loss 2 width_g 2 2 pre_g mid_g post_g 1 x_g y_g.
Definition jets_g := jet_loss 2 width_g 2 2 pre_g mid_g post_g 1 x_g y_g.
Example value_g : loss_g w_g = 6.
Proof. by vm_compute. Qed.
Example gradient_g : gradient jets_g w_g ps_g =
  [:: 0; 0; 0; 0; 0; 0; 0; 0].
Proof. by vm_compute. Qed.
Example hessian_g : hessian jets_g w_g ps_g =
  [:: [:: 0; 0; 32; -48; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 32; 0; 0; 0; 0; 0; 0; 0];
      [:: -48; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 32; -48];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 32; 0; 0; 0];
      [:: 0; 0; 0; 0; -48; 0; 0; 0]].
Proof. by vm_compute. Qed.

Example mat_M_g : [seq [seq 2 * (slope_c mid_g post_g * mat_M 2 pre_g x_g y_g i j)
    | j <- iota 0 2] | i <- iota 0 2] = [:: [:: 32; 0]; [:: -48; 0]].
Proof. by vm_compute. Qed.

(** n = 2, R = 2, widths 2, 2, 2, m = 2, at zero. *)
Definition width_h l := nth 0%N [:: 2; 2; 2]%N l.
Definition pre_h := poly [:: 1; 1].
Definition mid_h := poly [:: 0; 2; -1].
Definition post_h := poly [:: 0; 3; 1].
Definition x_h := data [:: [:: 1; -2]; [:: 0; 1]].
Definition y_h := data [:: [:: 1; 1]; [:: -1; 2]].
Definition ps_h := parameters width_h 2 2.
Definition w_h := weights ps_h [:: ].
Definition loss_h := loss 2 width_h 2 2 pre_h mid_h post_h 1 x_h y_h.
Definition jets_h := jet_loss 2 width_h 2 2 pre_h mid_h post_h 1 x_h y_h.
Example value_h : loss_h w_h = 11.
Proof. by vm_compute. Qed.
Example gradient_h : gradient jets_h w_h ps_h =
  [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0].
Proof. by vm_compute. Qed.
Example hessian_h : hessian jets_h w_h ps_h =
  [:: [:: 0; 0; 0; 0; 12; -84; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 12; -84; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 24; 12; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 24; 12; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 12; 0; 24; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: -84; 0; 12; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 12; 0; 24; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; -84; 0; 12; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 12; -84; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 12; -84];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 24; 12; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 24; 12];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 12; 0; 24; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; -84; 0; 12; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; 12; 0; 24; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0; 0; -84; 0; 12; 0; 0; 0; 0]].
Proof. by vm_compute. Qed.

Example mat_M_h : [seq [seq 2 * (slope_c mid_h post_h * mat_M 2 pre_h x_h y_h i j)
    | j <- iota 0 2] | i <- iota 0 2] = [:: [:: 12; 24]; [:: -84; 12]].
Proof. by vm_compute. Qed.

(** n = 2, R = 2, widths 1, 2, 1, m = 1, at w = 1, -1, 0, 1, 1, 0, -1, 1. *)
Definition width_i l := nth 0%N [:: 1; 2; 1]%N l.
Definition pre_i := poly [:: 0; 1].
Definition mid_i := poly [:: 1; 1; 1].
Definition post_i := poly [:: 2; 1].
Definition x_i := data [:: [:: 2]].
Definition y_i := data [:: [:: 1]].
Definition ps_i := parameters width_i 2 2.
Definition w_i := weights ps_i [:: 1; -1; 0; 1; 1; 0; -1; 1].
Definition loss_i := loss 2 width_i 1 2 pre_i mid_i post_i 1 x_i y_i.
Definition jets_i := jet_loss 2 width_i 1 2 pre_i mid_i post_i 1 x_i y_i.
Example value_i : loss_i w_i = 2304.
Proof. by vm_compute. Qed.
Example gradient_i : gradient jets_i w_i ps_i =
  [:: 0; -8064; 9408; 4032; 10080; -672; -5472; -96].
Proof. by vm_compute. Qed.
Example hessian_i : hessian jets_i w_i ps_i =
  [:: [:: 0; 0; 13440; 0; 0; 0; 0; 0];
      [:: 0; 31776; -24528; -18576; -34344; 1752; 18216; 168];
      [:: 13440; -24528; 28616; 12264; 40068; -2044; -21252; -196];
      [:: 0; -18576; 12264; 5256; 17172; -876; -9108; -84];
      [:: 0; -34344; 40068; 17172; 31458; -1470; -22050; -210];
      [:: 0; 1752; -2044; -876; -1470; -9310; 798; -658];
      [:: 0; 18216; -21252; -9108; -22050; 798; 6498; 114];
      [:: 0; 168; -196; -84; -210; -658; 114; 2]].
Proof. by vm_compute. Qed.

(** n = 3, R = 2, widths 1, 1, 1, 1, m = 2, at zero. *)
Definition width_j l := nth 0%N [:: 1; 1; 1; 1]%N l.
Definition pre_j := poly [:: 1; 2].
Definition mid_j := poly [:: 0; 1; 1].
Definition post_j := poly [:: 0; 1; -1].
Definition x_j := data [:: [:: 1]; [:: -2]].
Definition y_j := data [:: [:: 2]; [:: 1]].
Definition ps_j := parameters width_j 3 2.
Definition w_j := weights ps_j [:: ].
Definition loss_j := loss 3 width_j 2 2 pre_j mid_j post_j 1 x_j y_j.
Definition jets_j := jet_loss 3 width_j 2 2 pre_j mid_j post_j 1 x_j y_j.
Example value_j : loss_j w_j = 10.
Proof. by vm_compute. Qed.
Example gradient_j : gradient jets_j w_j ps_j =
  [:: 0; 0; 0; 0; 0; 0].
Proof. by vm_compute. Qed.
Example hessian_j : hessian jets_j w_j ps_j =
  [:: [:: 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0]].
Proof. by vm_compute. Qed.

(** n = 3, R = 2, widths 1, 1, 1, 1, m = 1, at w = 1, -1, 1, -1, 0, 1. *)
Definition width_k l := nth 0%N [:: 1; 1; 1; 1]%N l.
Definition pre_k := poly [:: 0; 1; 1].
Definition mid_k := poly [:: 0; 2; 1].
Definition post_k := poly [:: 0; 1].
Definition x_k := data [:: [:: 1]].
Definition y_k := data [:: [:: 3]].
Definition ps_k := parameters width_k 3 2.
Definition w_k := weights ps_k [:: 1; -1; 1; -1; 0; 1].
Definition loss_k := loss 3 width_k 1 2 pre_k mid_k post_k 1 x_k y_k.
Definition jets_k := jet_loss 3 width_k 1 2 pre_k mid_k post_k 1 x_k y_k.
Example value_k : loss_k w_k = 2116.
Proof. by vm_compute. Qed.
Example gradient_k : gradient jets_k w_k ps_k =
  [:: 15456; -10304; 4416; 0; 1103558400; 0].
Proof. by vm_compute. Qed.
Example hessian_k : hessian jets_k w_k ps_k =
  [:: [:: 93248; -70752; 31584; 0; 19019677824; 0];
      [:: -70752; 36864; -21056; 0; -12679785216; 0];
      [:: 31584; -21056; 4608; 0; 5434193664; 0];
      [:: 0; 0; 0; 0; -2208018400; 0];
      [:: 19019677824; -12679785216; 5434193664; -2208018400; 6906471505920000; 1103558400];
      [:: 0; 0; 0; 0; 1103558400; 0]].
Proof. by vm_compute. Qed.

(** n = 3, R = 1, widths 2, 2, 2, 2, m = 1, at w = 1, 0, 2, 1, 0, 1, -1, 1, 1, 1, 0, -1. *)
Definition width_l l := nth 0%N [:: 2; 2; 2; 2]%N l.
Definition pre_l := poly [:: 0; 1].
Definition mid_l := poly [:: 0; 1].
Definition post_l := poly [:: 0; 1].
Definition x_l := data [:: [:: 1; -1]].
Definition y_l := data [:: [:: 0; 2]].
Definition ps_l := parameters width_l 3 1.
Definition w_l := weights ps_l [:: 1; 0; 2; 1; 0; 1; -1; 1; 1; 1; 0; -1].
Definition loss_l := loss 3 width_l 1 1 pre_l mid_l post_l 1 x_l y_l.
Definition jets_l := jet_loss 3 width_l 1 1 pre_l mid_l post_l 1 x_l y_l.
Example value_l : loss_l w_l = 4.
Proof. by vm_compute. Qed.
Example gradient_l : gradient jets_l w_l ps_l =
  [:: 0; -4; 0; 4; -4; 0; -4; 0; 4; 0; -8; 0].
Proof. by vm_compute. Qed.
Example hessian_l : hessian jets_l w_l ps_l =
  [:: [:: 2; 4; -2; -4; 6; -2; 2; -2; 0; -2; 4; 4];
      [:: 4; 10; -4; -10; 6; -4; 10; -4; -6; -4; 8; 8];
      [:: -2; -4; 2; 4; -6; 2; -2; 2; 0; 2; -4; -4];
      [:: -4; -10; 4; 10; -6; 4; -10; 4; 6; 4; -8; -8];
      [:: 6; 6; -6; -6; 4; -2; 4; -2; -6; -2; 4; 4];
      [:: -2; -4; 2; 4; -2; 2; -2; 2; 0; 2; -4; -4];
      [:: 2; 10; -2; -10; 4; -2; 4; -2; -6; -2; 4; 4];
      [:: -2; -4; 2; 4; -2; 2; -2; 2; 0; 2; -4; -4];
      [:: 0; -6; 0; 6; -6; 0; -6; 0; 2; 0; -4; 0];
      [:: -2; -4; 2; 4; -2; 2; -2; 2; 0; 2; 0; -4];
      [:: 4; 8; -4; -8; 4; -4; 4; -4; -4; 0; 8; 0];
      [:: 4; 8; -4; -8; 4; -4; 4; -4; 0; -4; 0; 8]].
Proof. by vm_compute. Qed.

Example product_d : [seq hess_times jets_d w_d ps_d (weights ps_d [:: 1; -2; 3; -4; 5; -6; 7; -8]) p | p <- ps_d] =
  [:: 21103684; -248668; 0; 0; 2206428; -2968056; -24472; 30800].
Proof. by vm_compute. Qed.

Example product_i : [seq hess_times jets_i w_i ps_i (weights ps_i [:: 1; -2; 3; -4; 5; -6; 7; -8]) p | p <- ps_i] =
  [:: 40320; -118896; 164696; 80952; 133644; 53228; -134220; 3092].
Proof. by vm_compute. Qed.

Ltac by_entries := case=> [[|[|[|[|//]]]] ?] [[|[|[|[|//]]]] ?]; rewrite mxE; vm_compute; reflexivity.
Definition matrix (s : seq (seq Z)) i j := nth 0 (nth [::] s i) j.

Example perm_P_2 : forall a b : 'I_(2 * 2), perm_P [comRingType of Z] 2 a b =
  matrix [:: [:: 1; 0; 0; 0]; [:: 0; 0; 1; 0]; [:: 0; 1; 0; 0]; [:: 0; 0; 0; 1]] a b.
Proof. by_entries. Qed.
Example block_diag_2 : forall a b : 'I_(2 * 2), block_diag 2 (matrix [:: [:: 1; 2]; [:: 3; 4]]) a b =
  matrix [:: [:: 1; 2; 0; 0]; [:: 3; 4; 0; 0]; [:: 0; 0; 1; 2]; [:: 0; 0; 3; 4]] a b.
Proof. by_entries. Qed.
Example hess_block_h : forall a b : 'I_(2 * 2), hess_block 2 jets_h w_h 1 1 1 0 a b =
  matrix [:: [:: 12; 0; 24; 0]; [:: -84; 0; 12; 0]; [:: 0; 12; 0; 24]; [:: 0; -84; 0; 12]] a b.
Proof. by_entries. Qed.

(** [hess_matrix] is the table of the entries. *)
Lemma hess_matrix_table L (w : nat * place -> Z) ps a b : hess_matrix L w ps a b = matrix (hessian L w ps) a b.
Proof.
by rewrite mxE /matrix /hessian (nth_map (0%N, (0%N, 0%N, 0%N))) // (nth_map (0%N, (0%N, 0%N, 0%N))).
Qed.

(** The outputs of [residual], and what the [layers] of its first unit make of the data, where post is the identity. *)
Example outputs_k : [seq [seq residual (fun=> shortcut width_k (fun l => f0 (acts pre_k mid_k l)) (f0 post_k) 3) 2
    w_k (x_k mu) i | i <- iota 0 1] | mu <- iota 0 1] = [:: [:: 49]].
Proof. by vm_compute. Qed.
Example layers_k : [seq [seq layers width_k (fun l => f0 (acts pre_k mid_k l)) 3
    (fun p => w_k (0%N, p)) (x_k mu) i | i <- iota 0 1] | mu <- iota 0 1] =
  [:: [:: 48]].
Proof. by vm_compute. Qed.
Example places_k : [seq layer p | p <- places width_k 3] =
  [:: 0; 1; 2]%N.
Proof. by []. Qed.

(** [expands]: the squared loss, 2 m times, along jets through x = (3, -1), y = (1, 2); the array side's derivatives. *)
Definition along (t : nat) : jet Z := nth (Jet 0 0 0 0) [:: Jet 3 2 (-1) 4; Jet (-1) 1 5 (-2)] t.
Definition square_loss := squared (cst 1) 2 (fun _ i => cst (nth 0 [:: 1; 2] i)) 0%N.
Definition slope t := nth 0 [:: 4; -6] t.
Definition curvature t u := nth 0 (nth [::] [:: [:: 2; 0]; [:: 0; 2]] t) u.
Definition total (f : nat -> Z) := f 0%N + f 1%N.
Example expansion_along : (c1 (square_loss along), c12 (square_loss along)) =
  (total (fun t => slope t * c1 (along t)),
   total (fun t => slope t * c12 (along t) + total (fun u => curvature t u * (c1 (along t) * c2 (along u))))).
Proof. by vm_compute. Qed.

(** The properties that Part C asks for can fail. A wrong gradient is none: *)
Example wrong_gradient : ~ expands [:: 0%N] (fun f : nat -> jet Z => f 0%N) (fun=> 0) (fun=> 2) (fun _ _ => 0).
Proof. by move/(_ (fun=> Jet 0 1 0 0)) => -[//|+ _]; rewrite big_seq1; vm_compute. Qed.
(** post(0) = 2 in example i: at zero weights the branch does not vanish. *)
Example offset_branch :
  ~ vanishes layer 2 (shortcut width_i (fun l => f0 (acts pre_i mid_i l)) (f0 post_i) 2 : branch _ place nat).
Proof. by move/(_ 0%N (fun=> 0) (x_i 0) isT (fun _ _ => erefl) 0%N); vm_compute. Qed.
(** A branch that forgets e2 treats e1 and e2 differently. *)
Example forgetful_branch : ~ carries swap (fun (_ : place -> jets [comRingType of Z]) h (t : nat) => drop2 (h t))
  (fun _ h t => drop2 (h t)).
Proof. by move/(_ (fun=> u) _ (fun=> u) _ (fun=> erefl) (fun=> erefl) 0%N); vm_compute. Qed.
Example layers_of_parts :
  (layer_of (inl (1, 0, 2)%N : place + place), layer_of (inr (1, 0, 2)%N : place + place)) =
  (1, 2)%N.
Proof. by []. Qed.

(** A singular pair of M and its eigenvectors: n = 2, width 2, M = Y' with X = I, Y = I - M, so M v = 3 u. *)
Definition pair_data := (data [:: [:: 1; 0]; [:: 0; 1]], data [:: [:: 0; -2]; [:: -2; 0]]).
Definition pair_loss R := jet_loss 2 (fun=> 2%N) 2 R (identity _) (identity _) (identity _) 1 pair_data.1 pair_data.2.
Example pair_M : [seq [seq mat_M 2 (identity _) pair_data.1 pair_data.2 i j | j <- iota 0 2] | i <- iota 0 2] =
  [:: [:: 1; 2]; [:: 2; 1]].
Proof. by vm_compute. Qed.
Example pair_is_singular :
  singular_pair 2 (mat_M 2 (identity _) pair_data.1 pair_data.2) 3 (fun=> 1) (fun=> 1).
Proof. by split=> [[|[|//]]|[|[|//]]] _; vm_compute. Qed.
Example pair_eigenvectors : forall e, e \in [:: 1; -1] ->
  let w := pair_direction e (fun r a => Z.of_nat (2 * r + a + 1)) (fun _ _ => 1) (fun _ _ => 1) in
  let ps := parameters (fun=> 2%N) 2 2 in
  [seq hess_times (pair_loss 2) (fun=> 0) ps w p | p <- ps] = [seq e * (2 * 3) * w p | p <- ps].
Proof. by move=> e; rewrite !inE => /orP[] /eqP->; vm_compute. Qed.

(** Two columns of one sample: [two_layers] with G = pre. Coordinate i of column t is [data s t i]. *)
Definition squares d columns (y : nat * nat -> jet Z) (mu : nat) (f : nat * nat -> jets [comRingType of Z]) :=
  sum d (fun i => sum columns (fun t => (f (i, t) - y (i, t)) ^+ 2))%R.
Definition column s (it : nat * nat) : Z := data s it.2 it.1.
Definition two_columns := total_loss (fun=> two_layers 1 2 (on_jets (poly [:: 0; 2; 1])) (on_jets (poly [:: 0; 1; -1]))
    (fun _ (_ : unit -> jets [comRingType of Z]) h jt => on_jets (poly [:: 1; 1]) (h jt)))
  1 1 (squares 2 2 (fun it => cst (column [:: [:: 0; 1]; [:: 1; -2]] it)))
  (fun _ it => cst (column [:: [:: 1; -1]; [:: 2; 1]] it)).
Definition ps_columns : seq (nat * (place + unit)) :=
  [seq (p.1, inl p.2) | p <- parameters (fun l => nth 0 [:: 2; 1; 2] l)%N 2 1].
Example gradient_columns : gradient two_columns (weights ps_columns [:: 1; -1; 2; 1]) ps_columns =
  [:: 392184; 10448; 120458; 14010].
Proof. by vm_compute. Qed.
Example hessian_columns : hessian two_columns (weights ps_columns [:: 1; -1; 2; 1]) ps_columns =
  [:: [:: 2245588; 159096; 763824; 88944];
      [:: 159096; 106064; 22288; 1728];
      [:: 763824; 22288; 187414; 0];
      [:: 88944; 1728; 0; 44206]].
Proof. by vm_compute. Qed.

(** Linear attention h + O V h (K h)^T (Q h) on one sample of two columns of width 2, inner widths 1; Q and K are
    further weights. *)
Definition scores := softmax (on_jets (poly [:: 0; 1])) (on_jets (poly [:: 1])) 1 2 2 (fun=> 0)%N.
Definition attends := total_loss (fun=> attention 1 2 2 scores) 1 1
  (squares 2 2 (fun it => cst (column [:: [:: 0; 1]; [:: 2; 0]] it)))
  (fun _ it => cst (column [:: [:: 1; 2]; [:: -1; 1]] it)).
Definition ps_attends : seq (nat * (place + place)) :=
  [:: (0, inr (1, 0, 0)); (0, inr (1, 0, 1)); (0, inr (0, 0, 0)); (0, inr (0, 0, 1));
      (0, inl (0, 0, 0)); (0, inl (0, 0, 1)); (0, inl (1, 0, 0)); (0, inl (1, 1, 0))]%N.

Example gradient_attends_w : gradient attends (weights ps_attends [:: 1; -1; 2; 1; -1; 1; 1; 2]) ps_attends =
  [:: 56; -140; -98; 392; 490; 686; 60; 68].
Proof. by vm_compute. Qed.
Example hessian_attends_w : hessian attends (weights ps_attends [:: 1; -1; 2; 1; -1; 1; 1; 2]) ps_attends =
  [:: [:: 80; 40; -48; 192; 240; 336; 32; 32];
      [:: 40; 200; 150; -600; -750; -1050; -68; -116];
      [:: -48; 150; 50; -200; -54; -252; -50; -74];
      [:: 192; -600; -200; 800; 1098; 1890; 200; 296];
      [:: 240; -750; -54; 1098; 1250; 1750; 250; 370];
      [:: 336; -1050; -252; 1890; 1750; 2450; 350; 518];
      [:: 32; -68; -50; 200; 250; 350; 40; 0];
      [:: 32; -116; -74; 296; 370; 518; 0; 40]].
Proof. by vm_compute. Qed.

Example gradient_attends_start : gradient attends (weights ps_attends [:: 1; -1; 2; 1; 0; 0; 0; 0]) ps_attends =
  [:: 0; 0; 0; 0; 0; 0; 0; 0].
Proof. by vm_compute. Qed.
Example hessian_attends_start : hessian attends (weights ps_attends [:: 1; -1; 2; 1; 0; 0; 0; 0]) ps_attends =
  [:: [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 0; 0];
      [:: 0; 0; 0; 0; 0; 0; 50; -30];
      [:: 0; 0; 0; 0; 0; 0; 70; -42];
      [:: 0; 0; 0; 0; 50; 70; 0; 0];
      [:: 0; 0; 0; 0; -30; -42; 0; 0]].
Proof. by vm_compute. Qed.
