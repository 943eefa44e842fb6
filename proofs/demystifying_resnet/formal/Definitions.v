(** * Theorem 2 of "Demystifying ResNet": what its words mean

    Li, Jiao, Han, Weissman, "Demystifying ResNet", arXiv:1611.01186. Whoever wants to believe the theorems of
    [Theorems.v] has to read this file and the sentences there; the proofs, in the other files, are read by the kernel.

    [K] is any commutative ring (the rationals, the reals, polynomials ...). Vectors, matrices and weights are functions
    of their indices, which are counted from 0; so every definition can be run, and [Examples.v] runs them.

    Theorem 2 itself (sections 1 to 3 there) needs Part A; its spectrum needs Part B, arbitrary branches Part C. *)

From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** * Part A: the network, its loss, gradient and Hessian, and the matrices of Theorem 2 *)

(** [sum k f] = f 0 + ... + f (k - 1). *)
Fixpoint sum (A : ringType) (k : nat) (f : nat -> A) : A := if k is j.+1 then sum j f + f j else 0.

(** ** Residual networks, over any commutative ring [A] *)

(** A branch maps the weights of its unit, given by their places [P], and the stream, given by its coordinates [T], to
    what the unit adds to the stream. *)
Definition branch (A : comRingType) (P T : Type) := (P -> A) -> (T -> A) -> (T -> A).

(** U_{R-1} o ... o U_0 with U_r(h) = h + F_r(w_r, h). The weight at place [p] of unit [r] is [w (r, p)]. *)
Fixpoint residual (A : comRingType) (P T : Type) (F : nat -> branch A P T) (R : nat) (w : nat * P -> A) (h : T -> A) :=
  if R is r.+1 then
    let h' := residual F r w h in fun t => h' t + F r (fun p => w (r, p)) h' t
  else h.

(** The total loss on the samples x^0, ..., x^{m-1}; [ell mu f] is the loss of the output [f] for sample [mu]. *)
Definition total_loss (A : comRingType) (P T : Type) (F : nat -> branch A P T) (R m : nat)
    (ell : nat -> (T -> A) -> A) (x : nat -> T -> A) (w : nat * P -> A) :=
  sum m (fun mu => ell mu (residual F R w (x mu))).

(** Squared loss: kappa sum_i (f_i - y^mu_i)^2. The paper's L has kappa = 1/(2m); kappa = 1 gives 2 m L. *)
Definition squared (A : comRingType) (kappa : A) (d : nat) (y : nat -> nat -> A) (mu : nat) (f : nat -> A) :=
  kappa * sum d (fun i => (f i - y mu i) ^+ 2).

(** The n-shortcut branch (Definition 2): post(W_{n-1} act_{n-1}(... W_1 act_1(W_0 act_0(h)))), where act_0 is the
    paper's sigma_pre and act_1, ..., act_{n-1} are its sigma_mid. Entry (i, j) of W_l stands at place [(l, i, j)], and
    the parameter w^{r,l}_{i,j} of the network at [(r, (l, i, j))]; [width l] is the number of columns of W_l. *)
Definition place : Type := nat * nat * nat.
Definition param : Type := nat * place.

Fixpoint layers (A : comRingType) (width : nat -> nat) (act : nat -> A -> A) (n : nat)
    (W : place -> A) (h : nat -> A) : nat -> A :=
  if n is l.+1 then fun i => sum (width l) (fun j => W (l, i, j) * act l (layers width act l W h j)) else h.

Definition shortcut (A : comRingType) (width : nat -> nat) (act : nat -> A -> A) (post : A -> A) (n : nat) :
    branch A place nat := fun W h i => post (layers width act n W h i).

(** The layer of a place. *)
Definition layer (q : place) : nat := q.1.1.

(** ** Jets: K[e1, e2] / (e1^2, e2^2) *)

(** [Jet u0 u1 u2 u12] is u0 + u1 e1 + u2 e2 + u12 e1 e2. *)
Record jet (K : Type) := Jet { c0 : K; c1 : K; c2 : K; c12 : K }.
Prenex Implicits c0 c1 c2 c12.

Section JetRing.
Variable K : comRingType.
Implicit Types u v : jet K.

Definition jet_zero := Jet 0 0 0 0 : jet K.
Definition jet_one := Jet 1 0 0 0 : jet K.
Definition jet_opp u := Jet (- c0 u) (- c1 u) (- c2 u) (- c12 u).
Definition jet_add u v := Jet (c0 u + c0 v) (c1 u + c1 v) (c2 u + c2 v) (c12 u + c12 v).
Definition jet_mul u v :=
  Jet (c0 u * c0 v) (c0 u * c1 v + c1 u * c0 v) (c0 u * c2 v + c2 u * c0 v)
      (c0 u * c12 v + c1 u * c2 v + c2 u * c1 v + c12 u * c0 v).

(** That this is a commutative ring, for the kernel. *)
Let code u := (c0 u, c1 u, c2 u, c12 u).
Let decode (c : K * K * K * K) := let: (a, b, e, f) := c in Jet a b e f.
Let codeK : cancel code decode. Proof. by case. Qed.
Canonical jet_eqType := EqType (jet K) (CanEqMixin codeK).
Canonical jet_choiceType := ChoiceType (jet K) (CanChoiceMixin codeK).

Let addA : associative jet_add. Proof. by move=> u v w; congr Jet; apply: addrA. Qed.
Let addC : commutative jet_add. Proof. by move=> u v; congr Jet; apply: addrC. Qed.
Let add0 : left_id jet_zero jet_add. Proof. by case=> *; congr Jet; apply: add0r. Qed.
Let addN : left_inverse jet_zero jet_opp jet_add. Proof. by move=> u; congr Jet; apply: addNr. Qed.
Canonical jet_zmodType := ZmodType (jet K) (ZmodMixin addA addC add0 addN).

Let mulA : associative jet_mul. Proof. by move=> u v w; congr Jet => /=; ring. Qed.
Let mulC : commutative jet_mul. Proof. by move=> u v; congr Jet => /=; ring. Qed.
Let mul1 : left_id jet_one jet_mul. Proof. by case=> *; congr Jet => /=; ring. Qed.
Let mulD : left_distributive jet_mul jet_add. Proof. by move=> u v w; congr Jet => /=; ring. Qed.
Let one_neq0 : jet_one != jet_zero. Proof. by apply/eqP=> -[/eqP]; rewrite oner_eq0. Qed.
Canonical jet_ringType := RingType (jet K) (ComRingMixin mulA mulC mul1 mulD one_neq0).
Canonical jet_comRingType := ComRingType (jet K) mulC.

End JetRing.
Notation jets := jet_comRingType. (* the ring of jets *)

(** The constants of K among the jets. *)
Definition cst (K : comRingType) (a : K) : jet K := Jet a 0 0 0.
Prenex Implicits cst.

(** An activation: value, first and second derivative. On jets it acts by its second-order expansion,
      sigma(u0 + v) = sigma(u0) + sigma'(u0) v + sigma''(u0) v^2 / 2,   v = u1 e1 + u2 e2 + u12 e1 e2.
    Nothing ties the three functions to each other: what is proved for any three holds for a function and its
    derivatives. *)
Record activation (K : Type) := Activation { f0 : K -> K; f1 : K -> K; f2 : K -> K }.

Definition identity (K : ringType) : activation K := Activation id (fun _ => 1) (fun _ => 0).

Definition on_jets (K : comRingType) (sigma : activation K) (u : jet K) :=
  Jet (f0 sigma (c0 u)) (f1 sigma (c0 u) * c1 u) (f1 sigma (c0 u) * c2 u)
      (f1 sigma (c0 u) * c12 u + f2 sigma (c0 u) * c1 u * c2 u).

(** ** Gradient and Hessian at any weights *)

(** dL/dw_p is the coefficient of e1 in L(w + e1 [p]), and d^2L/dw_p dw_q that of e1 e2 in L(w + e1 [p] + e2 [q]). Where
    every activation is twice differentiable, these coefficients are the partial derivatives of L by the chain rule
    (Griewank and Walther, Evaluating Derivatives, 2nd ed., chapter 13; for exactly this ring Fike and Alonso, AIAA
    paper 2011-886): the one step that is taken outside the kernel. For polynomial activations it is proved here as
    well ([Theorems.v], section 0). *)
Section Derivatives.
Variables (K : comRingType) (Q : eqType) (L : (Q -> jet K) -> jet K) (w : Q -> K).

Definition grad (p : Q) : K := c1 (L (fun q => Jet (w q) (q == p)%:R 0 0)).
Definition moved (p q : Q) : Q -> jet K := fun s => Jet (w s) (s == p)%:R (s == q)%:R 0.
Definition hess (p q : Q) : K := c12 (L (moved p q)).

End Derivatives.

(** ** The paper's loss and matrices *)

(** The loss of the n-shortcut network of R units on m samples x with targets y; its stream has width d = width 0. In
    the paper all layers are d x d, [width l] = d. *)
Definition loss_over (A : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (act : nat -> A -> A) (post : A -> A)
    (kappa : A) (x y : nat -> nat -> A) :=
  total_loss (fun _ => shortcut width act post n) R m (squared kappa (width 0%N) y) x.

(** sigma_pre before the first layer, sigma_mid before the others. *)
Definition acts (T : Type) (pre mid : T) (l : nat) := if l is 0 then pre else mid.

Section Paper.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).

(** Over K itself, and over jets, where [grad] and [hess] read its derivatives. *)
Definition loss := loss_over n width m R (fun l => f0 (acts pre mid l)) (f0 post) kappa x y.
Definition jet_loss := loss_over n width m R (fun l => on_jets (acts pre mid l)) (on_jets post)
  (cst kappa) (fun mu i => cst (x mu i)) (fun mu i => cst (y mu i)).

(** n = 2: M = (X - Y) pre(X)^T and c = mid'(0) post'(0). *)
Definition mat_M i j := sum m (fun mu => (x mu i - y mu i) * f0 pre (x mu j)).
Definition slope_c := f1 mid 0 * f1 post 0.

(** n = 1: the blocks of Eq. 10 between the entries (i1, j1) and (i2, j2) of two weight matrices, B for one unit and A
    for a later and an earlier one. With p = pre(x), p' = pre'(x), g = x - y, summed over samples,
      B = p p^T (x) (post'(0)^2 I + post''(0) diag g),
      A = post'(0)^2 (p p^T (x) I + blockdiag_j(p'_j g p^T) P^T). *)
Definition mat_B i1 j1 i2 j2 := sum m (fun mu =>
  f0 pre (x mu j1) * f0 pre (x mu j2) * (i1 == i2)%:R * (f1 post 0 ^+ 2 + f2 post 0 * (x mu i1 - y mu i1))).
Definition mat_A i1 j1 i2 j2 := sum m (fun mu => f1 post 0 ^+ 2 *
  (f0 pre (x mu j1) * f0 pre (x mu j2) * (i1 == i2)%:R +
   (j1 == i2)%:R * f1 pre (x mu j1) * (x mu i1 - y mu i1) * f0 pre (x mu j2))).

End Paper.

(** The paper's matrices between two d x d weight matrices: entry w_{i,j} has index j d + i (each W is stacked column by
    column), so index a is row a mod d and column a div d. Eq. 24: P_{ab} = 1 iff a = (b mod d) d + b div d. *)
Section Blocks.
Variables (K : comRingType) (d : nat).

Definition hess_block (L : (param -> jet K) -> jet K) (w : param -> K) (r l s l' : nat) : 'M[K]_(d * d) :=
  \matrix_(a, b) hess L w (r, (l, a %% d, a %/ d)%N) (s, (l', b %% d, b %/ d)%N).

Definition perm_P : 'M[K]_(d * d) := \matrix_(a, b) (a == b %% d * d + b %/ d :> nat)%N%:R.

Definition block_diag (N : nat -> nat -> K) : 'M[K]_(d * d) :=
  \matrix_(a, b) if (a %/ d == b %/ d)%N then N (a %% d)%N (b %% d)%N else 0.

End Blocks.

(** * Part B: the spectrum *)

(** All parameters of the n-shortcut network of [R] units, in the order (r, l, j, i) of the paper's Definition 5; W_l is
    [width (l + 1)] x [width l]. The Hessian times a direction [v], and the Hessian as a matrix. *)
Definition places (width : nat -> nat) (n : nat) : seq place :=
  [seq (l, ji.2, ji.1) | l <- iota 0 n, ji <- [seq (j, i) | j <- iota 0 (width l), i <- iota 0 (width l.+1)]].

Definition parameters (width : nat -> nat) (n R : nat) : seq param :=
  [seq (r, p) | r <- iota 0 R, p <- places width n].

Section Operator.
Variables (K : comRingType) (L : (param -> jet K) -> jet K) (w : param -> K) (ps : seq param).

Definition hess_times (v : param -> K) (p : param) : K := foldr (fun q s => hess L w p q * v q + s) 0 ps.

Definition hess_matrix : 'M[K]_(size ps) :=
  \matrix_(a, b) hess L w (nth (0%N, (0%N, 0%N, 0%N)) ps a) (nth (0%N, (0%N, 0%N, 0%N)) ps b).

End Operator.

(** M v = s u and M^T u = s v, for a d x d matrix M. *)
Definition singular_pair (K : comRingType) (d : nat) (M : nat -> nat -> K) (s : K) (u v : nat -> K) :=
  (forall i, (i < d)%N -> sum d (fun j => M i j * v j) = s * u i) /\
  (forall j, (j < d)%N -> sum d (fun i => M i j * u i) = s * v j).

(** The direction of the 2-shortcut network with W_0 = alpha_r v_r^T and W_1 = e u_r alpha_r^T in unit r. *)
Definition pair_direction (K : comRingType) (e : K) (alpha u v : nat -> nat -> K) (p : param) : K :=
  match p with
  | (r, (0%N, a, j)) => alpha r a * v r j
  | (r, (_, i, a)) => e * u r i * alpha r a
  end.

(** * Part C: arbitrary branches and losses *)

(** Two maps of the ring of jets: e1 and e2 exchanged, and e2 = 0; [c0] is a third. Whatever acts on jets by its
    second-order expansion commutes with them. *)
Definition swap (K : comRingType) (u : jet K) : jets K := Jet (c0 u) (c2 u) (c1 u) (c12 u).
Definition drop2 (K : comRingType) (u : jet K) : jets K := Jet (c0 u) (c1 u) 0 0.
Prenex Implicits swap drop2.

(** The map phi of rings takes the branch F to the branch F': F'(phi w, phi h) = phi(F(w, h)). *)
Definition carries (A B : comRingType) (phi : A -> B) (P T : Type) (F : branch A P T) (F' : branch B P T) :=
  forall w w' h h', phi \o w =1 w' -> phi \o h =1 h' -> phi \o F w h =1 F' w' h'.

(** The branch vanishes when one of its [n] layers does; [lay p] is the layer of place [p], and places with [n <= lay p]
    belong to none (the queries and keys of attention). *)
Definition vanishes (A : comRingType) (P T : Type) (lay : P -> nat) (n : nat) (F : branch A P T) :=
  forall l w h, (l < n)%N -> (forall p, lay p = l -> w p = 0) -> F w h =1 fun=> 0.

(** The loss [ell] of one sample has gradient [g] and second derivative [H] at the output [x]. *)
Definition expands (K : comRingType) (T : Type) (ts : seq T) (ell : (T -> jet K) -> jet K) (x : T -> K)
    (g : T -> K) (H : T -> T -> K) := forall f : T -> jet K, c0 \o f =1 x ->
  c1 (ell f) = \sum_(t <- ts) g t * c1 (f t) /\
  c12 (ell f) = \sum_(t <- ts) (g t * c12 (f t) + \sum_(u <- ts) H t u * (c1 (f t) * c2 (f u))).

(** A branch with two layers and t columns: column t of the output is post(V mid(W g^t)), where W is k x d, V has k
    columns, and what W is applied to is any function [G] of the stream and of further weights [P]; it may differ by row
    a of W. Entries of W stand at [inl (0, a, j)], those of V at [inl (1, i, a)], further weights at [inr p].
    G a w h (j, t) = pre (h (j, t)) is the 2-shortcut branch. *)
Definition two_layers (A : comRingType) (P : Type) (k d : nat) (mid post : A -> A)
    (G : nat -> (P -> A) -> (nat * nat -> A) -> nat * nat -> A) : branch A (place + P) (nat * nat) :=
  fun w h it => post (sum k (fun a => w (inl (1%N, it.1, a)) *
    mid (sum d (fun j => w (inl (0%N, a, j)) * G a (fun p => w (inr p)) h (j, it.2))))).

(** Self-attention on t columns (GEN-7): h + sum_heads W_o W_v h S, where S_{s,t} is any function of the stream and of
    further weights (queries and keys); the rows a of all heads' W_v are stacked, so S may differ by a. *)
Definition attention (A : comRingType) (P : Type) (k d columns : nat) (S : nat -> branch A P (nat * nat)) :
    branch A (place + P) (nat * nat) :=
  two_layers k d id id (fun a w h jt => sum columns (fun s => h (jt.1, s) * S a w h (s, jt.2))).

(** Softmax attention: S_{s,t} = sigma(z_{s,t}) tau(sum_s' sigma(z_{s',t})) with z_{s,t} = (K_e h_s) . (Q_e h_t) and
    e = [head a] the head of row a; softmax is sigma = exp (of z over a constant) and tau = 1/., linear attention
    sigma = id and tau = 1. Entry (b, j) of K_e stands at place (2e, b, j), that of Q_e at (2e + 1, b, j). *)
Definition score (A : comRingType) (inner d e : nat) (w : place -> A) (h : nat * nat -> A) (s t : nat) : A :=
  sum inner (fun b => sum d (fun j => w (e.*2, b, j) * h (j, s)) * sum d (fun j => w (e.*2.+1, b, j) * h (j, t))).

Definition softmax (A : comRingType) (sigma tau : A -> A) (inner d columns : nat) (head : nat -> nat) (a : nat) :
    branch A place (nat * nat) := fun w h st =>
  let z s t := score inner d (head a) w h s t in
  sigma (z st.1 st.2) * tau (sum columns (fun s => sigma (z s st.2))).

(** Of these, W is layer 0 and V layer 1; further weights belong to none. *)
Definition layer_of (P : Type) (p : place + P) : nat := if p is inl q then layer q else 2.
