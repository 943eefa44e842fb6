(** * Theorem 2 of "Demystifying ResNet", and how far it goes

    The sentences; every proof is one reference to a lemma of the other files. The words are those of [Definitions.v].
    No size is a numeral: n, R, m, the widths and all indices are arbitrary, and so are the data and the activations,
    of which only mid(0) = post(0) = 0 is assumed. [f0 mid], [f1 mid], [f2 mid] are mid, mid', mid''; ['I_k] are the
    numbers 0, ..., k - 1; [fun=> 0] is the zero initial point. *)

From Shortcut Require Import Definitions.
From Shortcut Require Shortcut Vanishing TwoLayers Units Two One Features Polynomials Paper PaperSpectrum Eigenvectors.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** 0. The definitions fit together *)
Section Definitions.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).

Local Notation L := (loss n width m R pre mid post kappa x y).
Local Notation L_jets := (jet_loss n width m R pre mid post kappa x y).

(** The constant coefficient of the loss over jets is the loss. *)
Theorem value_of_jet_loss (w : param -> K) : c0 (L_jets (fun q => cst (w q))) = L w.
Proof. exact: Paper.loss_of_constants. Qed.

(** The Hessian is symmetric, at all weights. *)
Theorem hessian_symmetric (w : param -> K) (p q : param) : hess L_jets w p q = hess L_jets w q p.
Proof. exact: (@Shortcut.shortcut_hess_sym K R m n _ width (fun=> acts pre mid) (fun=> post)). Qed.

End Definitions.

(** For polynomial activations (formal derivatives) the entries of gradient and Hessian are derivatives: in the plane
    through any w along two places p, q the loss is a polynomial E(a, b), and they are its derivatives at (0, 0). *)
Theorem derivatives_of_polynomials (K : comRingType) n width m R (pre mid post : {poly K}) kappa (x y : nat -> nat -> K)
    (w : param -> K) (p q : param) :
  let act (f : {poly K}) := Activation (horner f) (horner f^`()) (horner f^`()^`()) in
  let L_jets := jet_loss n width m R (act pre) (act mid) (act post) kappa x y in
  exists E : {poly {poly K}},
    [/\ forall a b, E.[a%:P].[b] = loss n width m R (act pre) (act mid) (act post) kappa x y
                                     (fun r => w r + ((r == p)%:R * a + (r == q)%:R * b)),
        E^`().[0].[0] = grad L_jets w p & E^`().[0]^`().[0] = hess L_jets w p q].
Proof. exact: Polynomials.derivatives_in_plane. Qed.

(** ** 1. Theorem 2.1: n >= 2 and n >= 3 *)
Section Part1.
Variables (K : comRingType) (n : nat) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).

Local Notation L := (loss n width m R pre mid post kappa x y).
Local Notation L_jets := (jet_loss n width m R pre mid post kappa x y).

Theorem gradient_at_zero (p : param) : (1 < n)%N -> grad L_jets (fun=> 0) p = 0.
Proof. exact: Paper.paper_grad. Qed.

Theorem hessian_at_zero (p q : param) : (2 < n)%N -> hess L_jets (fun=> 0) p q = 0.
Proof. exact: Paper.paper_hess. Qed.

(** Zero is a stationary point of order n - 1: the loss is constant where fewer than n weights are not zero, so all its
    partial derivatives up to order n - 1 vanish at 0. This is about the loss itself, without jets. *)
Theorem loss_of_few_weights (w : param -> K) (ps : seq param) :
  (size ps < n)%N -> (forall q : param, q \notin ps -> w q = 0) -> L w = L (fun=> 0).
Proof. exact: Paper.loss_few_weights. Qed.

(** Lemma 3, of any number of parameters and without jets: weights that leave every unit a zero layer do not change the
    loss, so a partial derivative at 0 vanishes if every unit has a layer that holds none of its parameters. *)
Theorem lemma3_loss (w : param -> K) :
  (forall r, (r < R)%N -> exists2 l, (l < n)%N & forall q : place, layer q = l -> w (r, q) = 0) -> L w = L (fun=> 0).
Proof. exact: Paper.loss_zero_layers_constant. Qed.

(** Lemma 3 for two parameters. *)
Theorem lemma3 (p q : param) :
  (forall r, (r < R)%N -> exists2 l, (l < n)%N &
     (r == p.1) && (l == layer p.2) = false /\ (r == q.1) && (l == layer q.2) = false) ->
  hess L_jets (fun=> 0) p q = 0.
Proof. exact: Paper.paper_lemma3. Qed.

End Part1.

(** Lemma 4: one or two units determine the Hessian at zero at every depth. *)
Theorem lemma4 (K : comRingType) n width m R (pre mid post : activation K) kappa (x y : nat -> nat -> K)
    (r s : 'I_R) (p q : place) :
  let H R := hess (jet_loss n width m R pre mid post kappa x y) (fun=> 0) in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> (0 < n)%N ->
  H R (r : nat, p) (s : nat, q) =
    if r == s then H 1%N (0%N, p) (0%N, q) else if (s < r)%N then H 2%N (1%N, p) (0%N, q) else H 2%N (1%N, q) (0%N, p).
Proof. by move=> H mid0 post0 n0; apply: Paper.paper_lemma4. Qed.

(** ** 2. Theorem 2.2: n = 2, any inner width k *)
Section Part2.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).

Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Local Notation L_jets := (jet_loss 2 width m R pre mid post kappa x y).

(** Zero, unless both parameters lie in one unit and one in each layer. *)
Theorem n2_zero (r s : nat) (p q : place) :
  (r == s) && (layer p + layer q == 1)%N = false -> hess L_jets (fun=> 0) (r, p) (s, q) = 0.
Proof. exact: Paper.two_zero. Qed.

(** Eq. 23, with 2 kappa = 1/m for the paper's loss. *)
Theorem n2_entry (r s : 'I_R) (i1 j2 : 'I_d) (j1 i2 : 'I_k) :
  hess L_jets (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    if (r == s) && (j1 == i2) then kappa *+ 2 * slope_c mid post * mat_M m pre x y i1 j2 else 0.
Proof. exact: Paper.two_entry. Qed.

End Part2.

(** Eq. 8, 24 and 25: all layers d x d. Block (l, l') of units r, s. *)
Theorem n2_blocks (K : comRingType) d m R (pre mid post : activation K) kappa (x y : nat -> nat -> K)
    (r s : 'I_R) (l l' : nat) :
  let A := kappa *+ 2 * slope_c mid post *: (block_diag d (mat_M m pre x y) *m (perm_P K d)^T) in
  f0 mid 0 = 0 -> f0 post 0 = 0 ->
  hess_block d (jet_loss 2 (fun=> d) m R pre mid post kappa x y) (fun=> 0) r l s l' =
    if r == s then match l, l' with 1%N, 0%N => A | 0%N, 1%N => A^T | _, _ => 0 end else 0.
Proof. by move=> A mid0 post0; apply: Paper.two_blocks. Qed.

(** ** 3. Theorem 2.3: n = 1 *)
Section Part3.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypothesis post0 : f0 post 0 = 0.
Local Notation d := (width 0%N).

(** Eq. 10, with nonlinear pre and post: all entries. *)
Theorem n1_entry (r s : 'I_R) (i1 j1 i2 j2 : 'I_d) :
  hess (jet_loss 1 width m R pre mid post kappa x y) (fun=> 0)
      (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    kappa *+ 2 * (if r == s then mat_B m pre post x y i1 j1 i2 j2
                  else if (s < r)%N then mat_A m pre post x y i1 j1 i2 j2 else mat_A m pre post x y i2 j2 i1 j1).
Proof. exact: Paper.one_entry. Qed.

End Part3.

(** Eq. 10 in blocks. *)
Theorem n1_blocks (K : comRingType) d m R (pre mid post : activation K) kappa (x y : nat -> nat -> K) (r s : 'I_R) :
  let block N : 'M[K]_(d * d) :=
    \matrix_(a, b) (kappa *+ 2 * N (a %% d)%N (a %/ d)%N (b %% d)%N (b %/ d)%N) in
  let A := block (mat_A m pre post x y) in let B := block (mat_B m pre post x y) in
  f0 post 0 = 0 ->
  hess_block d (jet_loss 1 (fun=> d) m R pre mid post kappa x y) (fun=> 0) r 0 s 0 =
    if r == s then B else if (s < r)%N then A else A^T.
Proof. by move=> block A B post0; apply: Paper.one_blocks. Qed.

(** Eq. 29 and 32: linear units. *)
Theorem n1_linear (K : comRingType) d m R kappa (x y : nat -> nat -> K) (r s : 'I_R) :
  let linear := identity K in let P := perm_P K d in
  let Sxx i j := sum m (fun mu => x mu i * x mu j) in
  let Sxx_Syx i j := sum m (fun mu => (x mu i - y mu i) * x mu j) in
  let B := kappa *+ 2 *: (P *m block_diag d Sxx *m P^T) in
  let A := kappa *+ 2 *: (block_diag d Sxx_Syx *m P^T) + B in
  hess_block d (jet_loss 1 (fun=> d) m R linear linear linear kappa x y) (fun=> 0) r 0 s 0 =
    if r == s then B else if (s < r)%N then A else A^T.
Proof. exact: Paper.linear_blocks. Qed.

(** ** 4. The whole spectrum for n = 2 *)
Section Part4.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (kappa : K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0) (w2 : width 2%N = width 0%N).

Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Local Notation ps := (parameters width 2 R).
Local Notation L_jets := (jet_loss 2 width m R pre mid post kappa x y).
Local Notation t := (kappa *+ 2 * slope_c mid post).
Local Notation M := (mat_M m pre x y).
Local Notation tM := (\matrix_(i < d, j < d) (t * M i j)).
Local Notation H v := (hess_times L_jets (fun=> 0) ps v).

(** det(z - H) = det(z^2 - t^2 M^T M)^(R k), over any commutative ring: all eigenvalues with their multiplicities. *)
Theorem n2_char_poly :
  char_poly (hess_matrix L_jets (fun=> 0) ps) = (char_poly (tM^T *m tM) \Po 'X^2) ^+ (R * k).
Proof. exact: PaperSpectrum.two_char_poly. Qed.

(** Eq. 22 and 26: where s_1, ..., s_d are the singular values of t M, those of H are +- s_l, each R k times. *)
Theorem n2_eigenvalues (s : 'I_d -> K) :
  char_poly (tM^T *m tM) = \prod_l ('X - (s l ^+ 2)%:P) ->
  char_poly (hess_matrix L_jets (fun=> 0) ps) = (\prod_l (('X - (s l)%:P) * ('X + (s l)%:P))) ^+ (R * k).
Proof. exact: PaperSpectrum.two_eigenvalues. Qed.

(** A singular pair of M gives eigenvectors of H to e t s, e = 1 or -1, for any vectors alpha_r: first layers
    alpha_r v^T, second layers e u alpha_r^T. *)
Theorem n2_eigenvectors s u v (e : K) (alpha : nat -> nat -> K) :
  singular_pair d M s u v -> e * e = 1 -> {in ps, forall p,
    H (pair_direction e alpha (fun=> u) (fun=> v)) p = e * (t * s) * pair_direction e alpha (fun=> u) (fun=> v) p}.
Proof. exact: PaperSpectrum.two_eigenvector. Qed.

(** H^2 is t^2 M^T M on every row of a first layer and t^2 M M^T on every column of a second layer. *)
Theorem n2_square (v : param -> K) (r : 'I_R) (a : 'I_k) (i : 'I_d) :
  H (H v) (r : nat, (0%N, a : nat, i : nat)) =
    sum d (fun j => sum d (fun l => (t * M l i) * (t * M l j)) * v (r : nat, (0%N, a : nat, j))) /\
  H (H v) (r : nat, (1%N, i : nat, a : nat)) =
    sum d (fun j => sum d (fun l => (t * M i l) * (t * M j l)) * v (r : nat, (1%N, j, a : nat))).
Proof. by split; [apply: PaperSpectrum.two_twice_first | apply: PaperSpectrum.two_twice_second]. Qed.

End Part4.

(** Linear independence, count, and nothing left over. Given d singular pairs of M whose vectors u_l are a basis, and
    v_l as well, and 2 invertible, the 2 R k d directions that have alpha = 1 at one (r, a), and e = 1 or -1, are
    eigenvectors, and every direction is in exactly one way a sum of their multiples. *)
Theorem n2_eigenbasis (K : comUnitRingType) (width : nat -> nat) m R (pre mid post : activation K) kappa
    (x y : nat -> nat -> K) (s : nat -> K) (u v : nat -> nat -> K) :
  let d := width 0%N in let ps := parameters width 2 R in
  let H := hess_times (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) ps in
  let direction (b : bool * 'I_d * 'I_R * 'I_(width 1%N)) := let: (e, l, r, a) := b in
    pair_direction ((- 1) ^+ e) (fun r' a' => ((r' == r) && (a' == a))%:R) (fun=> u l) (fun=> v l) in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = d -> (2%:R : K) \is a GRing.unit ->
  (forall l, (l < d)%N -> singular_pair d (mat_M m pre x y) (s l) (u l) (v l)) ->
  \matrix_(i < d, l < d) u l i \in unitmx -> \matrix_(j < d, l < d) v l j \in unitmx ->
  (forall e l r a, let v := direction (e, l, r, a) in
     {in ps, forall p, H v p = (- 1) ^+ e * (kappa *+ 2 * slope_c mid post * s l) * v p}) /\
  (forall z : param -> K, exists! c : {ffun bool * 'I_d * 'I_R * 'I_(width 1%N) -> K},
     {in ps, forall p, z p = \sum_b c b * direction b p}).
Proof. exact: PaperSpectrum.two_eigenbasis. Qed.

(** Depth-invariance: the set of eigenvalues does not depend on R; they are the a whose square is one of t^2 M^T M. So
    the condition number, which is not defined here, is that of M (Eq. 9). *)
Theorem n2_depth_invariant (K : idomainType) (width : nat -> nat) m R (pre mid post : activation K) kappa
    (x y : nat -> nat -> K) (a : K) :
  let tM := \matrix_(i < width 0%N, j < width 0%N) (kappa *+ 2 * slope_c mid post * mat_M m pre x y i j) in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N -> (0 < R)%N -> (0 < width 1%N)%N ->
  root (char_poly (hess_matrix (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) (parameters width 2 R))) a =
    root (char_poly (tM^T *m tM)) (a ^+ 2).
Proof. exact: PaperSpectrum.two_roots. Qed.

(** A strict saddle unless t M = 0: curvatures of both signs, and in the degenerate case no curvature at all. *)
Theorem n2_strict_saddle (K : realDomainType) (width : nat -> nat) m R (pre mid post : activation K) kappa
    (x y : nat -> nat -> K) i j :
  let L_jets := jet_loss 2 width m R pre mid post kappa x y in
  let form v := \sum_(p <- parameters width 2 R) v p * hess_times L_jets (fun=> 0) (parameters width 2 R) v p in
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N -> (0 < R)%N -> (0 < width 1%N)%N ->
  (i < width 0%N)%N -> (j < width 0%N)%N -> kappa *+ 2 * slope_c mid post * mat_M m pre x y i j != 0 ->
  (exists v, form v < 0) /\ (exists v, 0 < form v).
Proof. exact: PaperSpectrum.two_saddle. Qed.

Theorem n2_degenerate (K : comRingType) (width : nat -> nat) m R (pre mid post : activation K) kappa
    (x y : nat -> nat -> K) :
  f0 mid 0 = 0 -> f0 post 0 = 0 -> width 2%N = width 0%N ->
  (forall i j, (i < width 0%N)%N -> (j < width 0%N)%N -> kappa *+ 2 * slope_c mid post * mat_M m pre x y i j = 0) ->
  {in parameters width 2 R &, forall p q, hess (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) p q = 0}.
Proof. exact: PaperSpectrum.two_degenerate. Qed.

(** ** The paper's normalisation: L = 1/(2m) sum |f - y|^2, over a ring in which 2 m is invertible *)
Section Normalised.
Variables (K : comUnitRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K).
Variables (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Hypothesis two_m : (2 * m)%:R \is a @GRing.unit K.

Local Notation d := (width 0%N).
Local Notation k := (width 1%N).
Local Notation kappa := ((2 * m)%:R^-1 : K).
Local Notation M := (fun i j => m%:R^-1 * mat_M m pre x y i j).

Theorem two_kappa : kappa *+ 2 = m%:R^-1.
Proof. exact: Paper.half_inverse. Qed.

Theorem n2_entry_normalised (r s : 'I_R) (i1 j2 : 'I_d) (j1 i2 : 'I_k) :
  hess (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0)
      (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    if (r == s) && (j1 == i2) then slope_c mid post * M i1 j2 else 0.
Proof. by rewrite n2_entry // two_kappa mulrAC mulrC. Qed.

Theorem n2_char_poly_normalised : width 2%N = d ->
  let cM := \matrix_(i < d, j < d) (slope_c mid post * M i j) in
  char_poly (hess_matrix (jet_loss 2 width m R pre mid post kappa x y) (fun=> 0) (parameters width 2 R)) =
    (char_poly (cM^T *m cM) \Po 'X^2) ^+ (R * k).
Proof. exact: PaperSpectrum.two_char_poly_normalised. Qed.

Theorem n1_entry_normalised (r s : 'I_R) (i1 j1 i2 j2 : 'I_d) :
  hess (jet_loss 1 width m R pre mid post kappa x y) (fun=> 0)
      (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    m%:R^-1 * (if r == s then mat_B m pre post x y i1 j1 i2 j2
               else if (s < r)%N then mat_A m pre post x y i1 j1 i2 j2 else mat_A m pre post x y i2 j2 i1 j1).
Proof. by rewrite n1_entry // two_kappa. Qed.

End Normalised.

(** The sum itself, kappa = 1, over any commutative ring. *)
Section Unnormalised.
Variables (K : comRingType) (width : nat -> nat) (m R : nat) (pre mid post : activation K) (x y : nat -> nat -> K).
Hypotheses (mid0 : f0 mid 0 = 0) (post0 : f0 post 0 = 0).
Local Notation d := (width 0%N).
Local Notation k := (width 1%N).

Theorem n2_entry_sum (r s : 'I_R) (i1 j2 : 'I_d) (j1 i2 : 'I_k) :
  hess (jet_loss 2 width m R pre mid post 1 x y) (fun=> 0)
      (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    if (r == s) && (j1 == i2) then 2%:R * slope_c mid post * mat_M m pre x y i1 j2 else 0.
Proof. exact: n2_entry. Qed.

Theorem n1_entry_sum (r s : 'I_R) (i1 j1 i2 j2 : 'I_d) :
  hess (jet_loss 1 width m R pre mid post 1 x y) (fun=> 0)
      (r : nat, (0%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    2%:R * (if r == s then mat_B m pre post x y i1 j1 i2 j2
            else if (s < r)%N then mat_A m pre post x y i1 j1 i2 j2 else mat_A m pre post x y i2 j2 i1 j1).
Proof. exact: n1_entry. Qed.

End Unnormalised.

(** ** 5. Arbitrary branches and losses *)

(** A branch F_r for every unit that vanishes when one of its n layers does; any loss that has a second-order expansion
    at the data; any initial point at which the n layers are zero, further weights anything. *)
Section Part5.
Variables (K : comRingType) (P : eqType) (T : Type) (lay : P -> nat) (n R m : nat) (F : nat -> branch (jets K) P T).
Variables (ts : seq T) (ell : nat -> (T -> jet K) -> jet K) (x g : nat -> T -> K) (Q : nat -> T -> T -> K).
Variable w0 : nat * P -> K.
Hypothesis vanF : forall r, vanishes lay n (F r).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (Q mu).
Hypothesis w0_zero : forall r p, (lay p < n)%N -> w0 (r, p) = 0.
Local Notation L_jets := (total_loss F R m ell (fun mu t => cst (x mu t))).

Theorem branch_gradient (p : nat * P) : (1 < n)%N -> grad L_jets w0 p = 0.
Proof. exact: (Vanishing.grad_zero vanF R m ellP). Qed.

Theorem branch_hessian (p q : nat * P) : (2 < n)%N -> hess L_jets w0 p q = 0.
Proof. exact: (Vanishing.hess_three vanF R m ellP). Qed.

(** n = 2: in one unit, between its layers, the branch's mixed derivative at the data weighted by the loss's gradient;
    zero elsewhere. The curvature Q of the loss does not enter. *)
Theorem branch_hessian2 (r s : nat) (p q : P) : n = 2%N ->
  (forall r, carries id (F r) (F r)) -> (forall r, carries drop2 (F r) (F r)) ->
  hess L_jets w0 (r, p) (s, q) =
    if [&& r == s, (r < R)%N & (lay p + lay q == 1)%N]
    then sum m (fun mu => \sum_(t <- ts)
           g mu t * c12 (F r (moved (fun p => w0 (r, p)) p q) (fun t => cst (x mu t)) t))
    else 0.
Proof. exact: (TwoLayers.hess_two vanF R m ellP). Qed.

End Part5.

(** GEN-1. R equal units, each the identity at its weights w0: H_R = I (x) D + L (x) A + L^T (x) A^T with L the strictly
    lower triangular matrix of ones, D the Hessian of one unit and A the lower block of two. Of the branch and the loss
    it is assumed that they commute with the exchange of e1 and e2, as all do that have a second-order expansion. *)
Theorem gen1 (K : comRingType) (P : eqType) (T : Type) (F : branch (jets K) P T) (w0 : P -> K) m
    (ell : nat -> (T -> jets K) -> jets K) (x : nat -> T -> K) R (r s : 'I_R) (p q : P) :
  let H R := hess (total_loss (fun=> F) R m ell (fun mu t => cst (x mu t))) (fun a => w0 a.2) in
  (forall w h, w =1 (fun p => cst (w0 p)) -> F w h =1 fun=> 0) ->
  carries swap F F -> (forall mu f f', swap \o f =1 f' -> swap (ell mu f) = ell mu f') ->
  H R (r : nat, p) (s : nat, q) =
    if r == s then H 1%N (0%N, p) (0%N, q) else if (s < r)%N then H 2%N (1%N, p) (0%N, q) else H 2%N (1%N, q) (0%N, p).
Proof. by move=> H idle swapF swap_ell; apply: Units.hess_structure. Qed.

(** The n-shortcut branch satisfies what was assumed, with activations that differ by layer and any widths; [act] and
    [post] may also differ by unit above. *)
Theorem shortcut_is_covered (K : comRingType) n width (act : nat -> activation K) (post : activation K) :
  let F := shortcut width (fun l => on_jets (act l)) (on_jets post) n in
  (forall l, (0 < l < n)%N -> f0 (act l) 0 = 0) -> f0 post 0 = 0 ->
  [/\ vanishes layer n F, carries id F F, carries drop2 F F & carries swap F F].
Proof. exact: Shortcut.shortcut_covered. Qed.

(** So does squared loss, over any coordinates. *)
Theorem squared_is_covered (K : comRingType) (kappa : K) (T : eqType) (ts : seq T) (x y : T -> K) : uniq ts ->
  expands ts (fun f => \sum_(t <- ts) cst kappa * (f t - cst (y t)) ^+ 2) x
    (fun t => kappa *+ 2 * (x t - y t)) (fun t u => kappa *+ 2 * (t == u)%:R).
Proof. exact: Shortcut.squares_expand. Qed.

(** Theorem 2 with any loss (gradient g, second derivative Q at f = x) and activations that differ by layer and by
    unit: [act r l] stands before layer l of unit r. *)
Section AnyLoss.
Variables (K : comRingType) (R m : nat) (width : nat -> nat).
Variables (act : nat -> nat -> activation K) (post : nat -> activation K).
Local Notation d := (width 0%N).
Local Notation pre r := (act r 0%N).
Local Notation mid r := (act r 1%N).
Variables (ell : nat -> (nat -> jets K) -> jets K) (x g : nat -> nat -> K) (Q : nat -> nat -> nat -> K).
Hypothesis post0 : forall r, f0 (post r) 0 = 0.
Hypothesis ellP : forall mu, expands (iota 0 d) (ell mu) (x mu) (g mu) (Q mu).
Local Notation L_jets n := (total_loss (fun r => shortcut width (fun l => on_jets (act r l)) (on_jets (post r)) n) R m
  ell (fun mu i => cst (x mu i))).

Theorem any_loss_gradient n (p : param) : (forall r l, (0 < l < n)%N -> f0 (act r l) 0 = 0) -> (1 < n)%N ->
  grad (L_jets n) (fun=> 0) p = 0.
Proof. by move=> act0; apply: Shortcut.any_loss_gradient. Qed.

Theorem any_loss_hessian n (p q : param) : (forall r l, (0 < l < n)%N -> f0 (act r l) 0 = 0) -> (2 < n)%N ->
  hess (L_jets n) (fun=> 0) p q = 0.
Proof. by move=> act0; apply: Shortcut.any_loss_hessian. Qed.

(** GEN-5: M = sum_mu g pre(x)^T. *)
Theorem n2_any_loss_zero (r s : nat) (p q : place) : (forall r, f0 (mid r) 0 = 0) ->
  (r == s) && (layer p + layer q == 1)%N = false -> hess (L_jets 2) (fun=> 0) (r, p) (s, q) = 0.
Proof. by move=> mid0; apply: Two.hess_shortcut2_zero. Qed.

Theorem n2_any_loss (r s : 'I_R) (i1 j2 : 'I_d) (j1 i2 : 'I_(width 1%N)) : (forall r, f0 (mid r) 0 = 0) ->
  hess (L_jets 2) (fun=> 0) (r : nat, (1%N, i1 : nat, j1 : nat)) (s : nat, (0%N, i2 : nat, j2 : nat)) =
    if (r == s) && (j1 == i2)
    then f1 (mid r) 0 * f1 (post r) 0 * sum m (fun mu => g mu i1 * f0 (pre r) (x mu j2)) else 0.
Proof. by move=> mid0; apply: Two.hess_any_loss. Qed.

(** DR-T2.3 in general: B on the diagonal, A for a later unit r and an earlier s, and the transpose of A above. *)
Theorem n1_any_loss (r s : 'I_R) (i j k l : 'I_d) :
  let p r mu j := f0 (pre r) (x mu j) in let p' r mu j := f1 (pre r) (x mu j) in
  let k1 r := f1 (post r) 0 in let k2 r := f2 (post r) 0 in
  let B r i j k l := sum m (fun mu =>
    p r mu j * p r mu l * (k1 r ^+ 2 * Q mu i k + k2 r * (i == k)%:R * g mu i)) in
  let A r s i j k l := sum m (fun mu => k1 r * k1 s *
    (p r mu j * p s mu l * Q mu i k + (j == k)%:R * p' r mu j * g mu i * p s mu l)) in
  (forall mu i k, Q mu i k = Q mu k i) ->
  hess (L_jets 1) (fun=> 0) (r : nat, (0%N, i : nat, j : nat)) (s : nat, (0%N, k : nat, l : nat)) =
    if r == s then B (r : nat) (i : nat) (j : nat) (k : nat) (l : nat)
    else if (s < r)%N then A (r : nat) (s : nat) (i : nat) (j : nat) (k : nat) (l : nat)
    else A (s : nat) (r : nat) (k : nat) (l : nat) (i : nat) (j : nat).
Proof. exact: One.hess_any_loss. Qed.

End AnyLoss.

(** Two layers over any features G of the stream and of further weights (GEN-6): inner width k, a normalisation as pre
    with its own scale and shift, several columns, branches side by side. *)
Section Features.
Variables (K : comRingType) (P : eqType) (R m k d : nat) (mid post : nat -> activation K).
Variables (G : nat -> nat -> branch (jets K) P (nat * nat)) (G0 : nat -> nat -> branch K P (nat * nat)).
Variables (ts : seq (nat * nat)) (ell : nat -> (nat * nat -> jets K) -> jets K) (x g : nat -> nat * nat -> K).
Variables (Q : nat -> nat * nat -> nat * nat -> K) (w0 : nat * (place + P) -> K).
Hypotheses (mid0 : forall r, f0 (mid r) 0 = 0) (post0 : forall r, f0 (post r) 0 = 0).
Hypothesis extG : forall r a, carries id (G r a) (G r a).
Hypothesis dropG : forall r a, carries drop2 (G r a) (G r a).
Hypothesis valueG : forall r a, carries c0 (G r a) (G0 r a).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (Q mu).
Hypothesis w0_zero : forall r q, (layer q < 2)%N -> w0 (r, inl q) = 0.
Local Notation L_jets := (total_loss (fun r => two_layers k d (on_jets (mid r)) (on_jets (post r)) (G r)) R m ell
  (fun mu t => cst (x mu t))).

Theorem features_zero (r s : nat) (p q : place + P) : (r == s) && (layer_of p + layer_of q == 1)%N = false ->
  hess L_jets w0 (r, p) (s, q) = 0.
Proof. exact: Features.hess_features0. Qed.

Theorem features_entry (r s : 'I_R) (i1 : nat) (a1 a2 : 'I_k) (j2 : 'I_d) :
  hess L_jets w0 (r : nat, inl (1%N, i1, a1 : nat)) (s : nat, inl (0%N, a2 : nat, j2 : nat)) =
    if (r == s) && (a1 == a2)
    then f1 (mid r) 0 * f1 (post r) 0 * sum m (fun mu => \sum_(it <- ts | it.1 == i1)
           g mu it * G0 r a1 (fun p => w0 (r : nat, inr p)) (x mu) (j2 : nat, it.2))
    else 0.
Proof. exact: Features.features_entry_units. Qed.

End Features.

(** Self-attention (GEN-7): the unit h + W_o W_v h S, any number of heads, in the weights W_v (k x d) and W_o, at
    W_v = 0 and W_o = 0. The attention weights S are any functions of the stream and of further weights (queries, keys
    ...), which may have any value and are among the parameters of the Hessian; S0 are their values over K. Covered:
    one or several heads, causal or not, any score, any loss that has a second-order expansion. Not covered: a start at
    which W_v or W_o is not zero; a normalisation of the stream that W_v is applied to ([features_entry] has it). *)
Section Attention.
Variables (K : comRingType) (P : eqType) (R m k d columns : nat).
Variables (S : nat -> nat -> branch (jets K) P (nat * nat)) (S0 : nat -> nat -> branch K P (nat * nat)).
Variables (ts : seq (nat * nat)) (ell : nat -> (nat * nat -> jets K) -> jets K) (x g : nat -> nat * nat -> K).
Variables (Q : nat -> nat * nat -> nat * nat -> K) (w0 : nat * (place + P) -> K).
Hypothesis extS : forall r a, carries id (S r a) (S r a).
Hypothesis dropS : forall r a, carries drop2 (S r a) (S r a).
Hypothesis valueS : forall r a, carries c0 (S r a) (S0 r a).
Hypothesis ellP : forall mu, expands ts (ell mu) (x mu) (g mu) (Q mu).
Hypothesis ell_ext : forall mu f f', f =1 f' -> ell mu f = ell mu f'.
Hypothesis w0_zero : forall r q, (layer q < 2)%N -> w0 (r, inl q) = 0.
Local Notation L_jets := (total_loss (fun r => attention k d columns (S r)) R m ell (fun mu t => cst (x mu t))).

(** Zero unless both lie in one unit and one in W_v, the other in W_o: in particular for every query and key weight. *)
Theorem attention_zero (r s : nat) (p q : place + P) : (r == s) && (layer_of p + layer_of q == 1)%N = false ->
  hess L_jets w0 (r, p) (s, q) = 0.
Proof. exact: Features.attention_zero. Qed.

(** Between W_o and W_v: M = sum_mu sum_t g_t (X S)_t^T, that of the head to which row a of W_v belongs. *)
Theorem attention_entry (r s : 'I_R) (i1 : nat) (a1 a2 : 'I_k) (j2 : 'I_d) :
  hess L_jets w0 (r : nat, inl (1%N, i1, a1 : nat)) (s : nat, inl (0%N, a2 : nat, j2 : nat)) =
    if (r == s) && (a1 == a2)
    then sum m (fun mu => \sum_(it <- ts | it.1 == i1) g mu it *
           sum columns (fun c => x mu (j2 : nat, c) * S0 r a1 (fun p => w0 (r : nat, inr p)) (x mu) (c, it.2)))
    else 0.
Proof. exact: Features.attention_entry_units. Qed.

End Attention.

(** Softmax attention satisfies what was assumed of S, with any number of heads. *)
Theorem softmax_is_covered (K : comRingType) (sigma tau : activation K) inner d columns (head : nat -> nat) (a : nat) :
  let S := softmax (on_jets sigma) (on_jets tau) inner d columns head a in
  [/\ carries id S S, carries drop2 S S & carries c0 S (softmax (f0 sigma) (f0 tau) inner d columns head a)].
Proof. exact: Features.softmax_covered. Qed.

(** Where queries and keys are zero all its weights are the same, 1/columns for tau = 1/. : the mean over tokens. *)
Theorem softmax_at_zero (A : comRingType) (sigma tau : A -> A) inner d columns head a (w : place -> A) h st :
  (forall q, w q = 0) ->
  softmax sigma tau inner d columns head a w h st = sigma 0 * tau (columns%:R * sigma 0).
Proof. exact: Features.softmax_zero. Qed.
