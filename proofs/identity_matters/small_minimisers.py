"""Identity Matters: a linear residual network has a global minimum with small weights (IM-1).

Setting: y = R x + noise, g(x) = (I + W_l) ... (I + W_1) x, f = E |y - g(x)|^2, gamma = max(|log sigma_max(R)|,
|log sigma_min(R)|), and |||W||| the greatest of the spectral norms |W_i|.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as choices
from math import prod
from typing import NamedTuple, TypeAlias

import sympy

from resproof.proofs.changes import Change
from resproof.proofs.identity_matters.built_factors import LARGE, SMALL, observed
from resproof.proofs.identity_matters.contractions import (
    Depths,
    angle_bound,
    any_depth,
    at_most,
    exponential_bound,
    keeps_orientation,
    orientation,
    rational_bound,
    rotation,
    turned_squared,
)
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.linear_gradients import EXCESS, LAYER, Point
from resproof.proofs.identity_matters.pictures import least_excess
from resproof.proofs.routes.certificates import Infimum, certified, infimum
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Induction,
    Repair,
    Statement,
)
from resproof.proofs.theory.critical_points import without
from resproof.proofs.theory.linear_networks import entries, outputs, written_out
from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    block_diagonal,
    cayley,
    determinant,
    eye,
    inverse,
    matrix,
    multiply,
    scale,
    transpose,
)
from resproof.symbolic.algebra.noncommutative import Words, minus, modulo, words
from resproof.symbolic.algebra.noncommutative import add as add_powers
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes as word_sizes
from resproof.symbolic.algebra.powers import ONE, Exponent, exponents, power
from resproof.symbolic.algebra.powers import Words as Powers
from resproof.symbolic.algebra.powers import product as times
from resproof.symbolic.algebra.powers import show as show_powers
from resproof.symbolic.algebra.powers import sizes as power_sizes
from resproof.symbolic.algebra.rings import value_at
from resproof.symbolic.certificates import Element, Orthant, occurring, orthant, standing_for
from resproof.symbolic.index.lift import perturbations
from resproof.symbolic.scope import Scope

# IM-1: the factors.


def _polar(_: Context) -> Computed:
    """R = A S B^T with orthogonal A, B: U = A B^T, P = B S B^T and its powers, in words."""
    orthogonal = {"At A": "", "A At": "", "Bt B": "", "B Bt": ""}
    u, ut, p = words("A Bt"), words("B At"), words("B S Bt")
    powers = word_product(words("B Sa Bt"), words("B Sb Bt"))
    found = {
        "U P": modulo(word_product(u, p), orthogonal),
        "U^T U": modulo(word_product(ut, u), orthogonal),
        "P^a P^b": modulo(powers, orthogonal),
    }
    free = word_sizes(dict.fromkeys(("A", "At", "B", "Bt", "S", "Sa", "Sb"), ("d", "d")), u, ut, p, powers)
    return Computed(found, free, r"R = A S B^{\mathsf T} = (A B^{\mathsf T})\,(B S B^{\mathsf T}) = U P")


_POLAR: dict[str, Words] = {"U P": words("A S Bt"), "U^T U": words("1"), "P^a P^b": words("B Sa Sb Bt")}


_R = Condition(
    # Layers, and so their product R, are d x d.
    holds=lambda dims: dims[0] == dims[1],
    of=lambda: perturbations(LAYER)["W1"].dims,
    fails_on=lambda: ("k", "d"),
)


def _gram(*relations: str) -> Words:
    """U^T U with U = A B^T, with these products being I."""
    return modulo(words("B At A Bt"), dict.fromkeys(relations, ""))


_U = Condition(
    holds=lambda gram: gram == words("1"),
    of=lambda: _gram("At A", "B Bt"),
    fails_on=lambda: _gram("At A"),
)


def _rotations(_: Context) -> Computed:
    """rot(a) rot(b), written out; in planes, so that no size occurs."""
    a, b = sympy.symbols("a b")
    found = _expanded(multiply(rotation(a), rotation(b)))
    return Computed(found, Scope(), r"\operatorname{rot}(a)\operatorname{rot}(b) = \operatorname{rot}(a + b)")


def _expanded(m: Matrix) -> Matrix:
    return tuple(tuple(sympy.expand(sympy.expand_trig(x)) for x in row) for row in m)


def _rotated(a: int, b: int) -> Matrix:
    first, second = sympy.symbols("a b")
    return _expanded(rotation(a * first + b * second))


def _factor(k: Exponent, layers: Exponent) -> Powers:
    """F_k = U^(k/l) P^(1/l) U^(-(k-1)/l)."""
    return times(power("U", k / layers), power("P", 1 / layers), power("U", -(k - 1) / layers))


def _telescope(_: Context) -> Computed:
    """One step of the product F_k (F_(k-1) ... F_1), its ends, and F_k - I seen from U^((k-1)/l)."""
    k, layers = exponents("k l")

    def partial(count: Exponent) -> Powers:
        return times(power("U", count / layers), power("P", count / layers))

    seen = times(power("U", -(k - 1) / layers), minus(_factor(k, layers), ONE), power("U", (k - 1) / layers))
    root = times(power("U", 1 / layers), power("P", 1 / layers))
    found = {
        "F_k A_(k-1) = A_k": times(_factor(k, layers), partial(k - 1)) == partial(k),
        "A_0": show_powers(partial(0 * k)),
        "A_l": show_powers(partial(layers)),
        "U^(1/l) P^(1/l) A_(k-1) = A_k": times(root, partial(k - 1)) == partial(k),
        "conjugate of F_k - I": show_powers(seen),
        "split": add_powers(
            minus(power("U", 1 / layers), ONE), times(power("U", 1 / layers), minus(power("P", 1 / layers), ONE))
        )
        == seen,
    }
    shown = (
        r"F_k \cdots F_1 = U^{k/l} P^{k/l}, \qquad U^{-(k-1)/l} (F_k - I)\, U^{(k-1)/l} = U^{1/l} P^{1/l} - I = "
        r"(U^{1/l} - I) + U^{1/l} (P^{1/l} - I)"
    )
    free = power_sizes({"U": "d", "P": "d"}, _factor(k, layers), partial(k), seen, counts=["l"])
    return Computed(found, free, shown)


_TELESCOPE: dict[str, object] = {
    "F_k A_(k-1) = A_k": True,
    "A_0": "+ 1",
    "A_l": "+ U P",
    "U^(1/l) P^(1/l) A_(k-1) = A_k": False,
    "conjugate of F_k - I": "+ U^(1/l) P^(1/l) - 1",
    "split": True,
}


def _extremes(_: Context) -> Computed:
    """|e^s - 1| at s = x and s = -x, as functions of q = e^(x/2)."""
    return Computed(lambda q: (q**2 - 1, 1 - 1 / q**2), Scope(), r"|e^{s} - 1|,\ s = \pm x")


def _angles(_: Context) -> Computed:
    shown = r"(\operatorname{rot}\varphi - I)^{\mathsf T} (\operatorname{rot}\varphi - I) = 2 (1 - \cos\varphi)\, I"
    return Computed(turned_squared(), Scope(), shown)


def _upper(x: Element) -> Element:
    """x / (1 - x), which is at least e^x - 1."""
    return x / (1 - x)


def _own_bound(_: Context) -> Computed:
    """The triangle inequality: the sum of both distances from I."""
    depths = any_depth()
    return Computed(
        (depths, lambda turn, stretched: turn + stretched),
        depths.sizes,
        r"\tfrac{\pi}{l} + e^{\gamma/l} - 1 \le \tfrac{\pi}{l} + \tfrac{\gamma/l}{1 - \gamma/l}",
    )


Bound: TypeAlias = Callable[[Element, Element, Element], Element]


class _Bounds(NamedTuple):
    """r with e^x - 1 <= r(x) for x <= 1/3, and bounds by sqrt(pi), sqrt(3 gamma) and l."""

    exponential: Callable[[Element], Element]
    published: tuple[Bound, ...]


_PUBLISHED = _Bounds(
    _upper, (lambda p, q, layers: 2 * (p + q) ** 2 / layers, lambda p, q, layers: (4 * p**2 + q**2) / layers)
)


def _better(found: tuple[Depths, Callable[[Element, Element], Element]], claim: _Bounds) -> None:
    rational_bound(claim.exponential)
    depths, total = found
    for bound in claim.published:
        at_most(depths, lambda turn, x: total(turn, claim.exponential(x)), bound)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Rational U^(1/l) and P^(1/l), and what the network with the weights F_k - I makes of (1, 2, ..., d)."""

    u: Matrix
    p: Matrix
    layers: int
    image: Matrix

    def __str__(self) -> str:
        return f"l={self.layers}, d={len(self.u)}"


_U2 = cayley(matrix([[0, Fraction(1, 4)], [Fraction(-1, 4), 0]]))
_U3 = cayley(matrix([[0, Fraction(1, 3), 0], [Fraction(-1, 3), 0, Fraction(1, 5)], [0, Fraction(-1, 5), 0]]))
_P2 = matrix([[2, Fraction(1, 2)], [Fraction(1, 2), 1]])
_P3 = block_diagonal(_P2, matrix([[Fraction(2, 3)]]))


def _chains(_: Context) -> Computed:
    found = [_chain(u, p, layers) for u, p, depths in ((_U2, _P2, (1, 2, 3)), (_U3, _P3, (1, 2))) for layers in depths]
    return Computed(found, Scope.of(*map(str, found)))


def _chain(u: Matrix, p: Matrix, layers: int) -> _Chain:
    d, at = len(u), {f"x_{i + 1}_1": Fraction(i + 1) for i in range(len(u))}
    for k in range(1, layers + 1):
        factor = multiply(multiply(raised(u, k), p), inverse(raised(u, k - 1)))
        at |= entries(f"W{k}_1", add(factor, scale(Fraction(-1), eye(d))))
    image = tuple(tuple(value_at(e, at) for e in row) for row in outputs(written_out((1,) * layers), d))
    return _Chain(u, p, layers, image)


def raised(a: Matrix, exponent: int) -> Matrix:
    """a^exponent for a natural number."""
    total = eye(len(a))
    for _ in range(exponent):
        total = multiply(total, a)
    return total


def _same_image(found: Sequence[_Chain], claim: Callable[[_Chain], Matrix]) -> None:
    for one in found:
        x = matrix([[i + 1] for i in range(len(one.u))])
        if one.image != multiply(claim(one), x):
            raise Disagreement(f"{one}: the network is another map")


def _u_p(one: _Chain) -> Matrix:
    return multiply(raised(one.u, one.layers), raised(one.p, one.layers))


# Negative and zero determinants.


@dataclass(frozen=True, slots=True)
class Target:
    """d = 1: y = r x + noise with E x^2 = variance."""

    r: Fraction
    variance: Fraction

    def __str__(self) -> str:
        return f"d = 1, R = {self.r}, Sigma = {self.variance}, every l"


_MINUS_ONE = Target(Fraction(-1), Fraction(1))


class _BelowOne(NamedTuple):
    """f - C at a product p > 0, and a product of one factor more, whose norm is below that given."""

    orthant: Orthant
    excess: Element
    longer: Callable[[Fraction], Element]


class _Above(NamedTuple):
    """The infimum of f - C over all weights with norms below `norm`."""

    excess: Infimum
    norm: Fraction = Fraction(1)


def _excess_below_one(_: Context) -> Computed:
    """f - C = variance (p - r)^2 for a product p, and p (1 + w) for one more factor with w = -norm + t, in p, t > 0.

    p is the product of any number of factors.
    """
    o = orthant("p t")
    p = o["p"]
    excess = _MINUS_ONE.variance * (p - _MINUS_ONE.r) ** 2
    free = Scope.over(d=1) & standing_for(occurring(excess), {"p": "l"})
    found = _BelowOne(o, excess, lambda norm: p * (1 + (o["t"] - norm)))
    return Computed(found, free, r"f - C = (p + 1)^2, \quad p = \prod_i (1 + w_i) > 0")


def _positive_products(found: _BelowOne, claim: _Above) -> None:
    """Pass when products stay positive and the excess has the claimed infimum over them."""
    found.orthant.above_zero("one factor more", found.longer(claim.norm))
    infimum(found.orthant, found.excess, claim.excess)


def _box(_: Context) -> Computed:
    """The least f - C over |w_i| <= 1, for l = 1..8: a multilinear product has its extremes at corners."""
    found = {layers: _least_excess(_MINUS_ONE, layers, Fraction(1)) for layers in range(1, 9)}
    return Computed(found, Scope.of(*(f"l={n}, d=1" for n in found)), r"\min_{|w_i| \le 1} (f - C) = 1")


def _least_excess(one: Target, layers: int, bound: Fraction) -> Fraction:
    """The least f - C over |w_i| <= bound."""
    corners = {prod(1 + s * bound for s in signs) for signs in choices((-1, 1), repeat=layers)}
    nearest = min(max(one.r, min(corners)), max(corners))
    return one.variance * (nearest - one.r) ** 2


def _all(value: int) -> dict[int, Fraction]:
    return {layers: Fraction(value) for layers in range(1, 9)}


def _orientation(_: Context) -> Computed:
    shown = (
        r"2\tau\,\bigl(\tau |v|^2 + \langle v, W v\rangle\bigr) = |\tau v + W v|^2 + \bigl(\tau^2 |v|^2 - |W v|^2\bigr)"
    )
    found = orientation()
    return Computed(found, found.sizes, shown)


_DEPTHS = (1, 2, 3, 4)


def _letters(layers: int, letter: str) -> list[str]:
    return [f"{letter}{k}" for k in range(1, layers + 1)]


def _nonsingular_products(_: Context) -> Computed:
    """The inverses V_1 ... V_l times L_l ... L_1, and the inverses in the other order, V_k L_k = I."""
    found, free = {}, Scope.over(l=_DEPTHS)
    for layers in _DEPTHS:
        whole, inverses = words(" ".join(_letters(layers, "L")[::-1])), _letters(layers, "V")
        relations = {f"V{k} L{k}": "" for k in range(1, layers + 1)}
        found[layers] = tuple(
            show_words(modulo(word_product(words(" ".join(order)), whole), relations))
            for order in (inverses, inverses[::-1])
        )
        free = free & word_sizes(dict.fromkeys((*_letters(layers, "L"), *inverses), ("d", "d")), whole)
    return Computed(found, free, r"L_1^{-1} \cdots L_l^{-1}\, L_l \cdots L_1 = I")


_NONSINGULAR = {
    1: ("+1 1", "+1 1"),
    2: ("+1 1", "+1 V2 V1 L2 L1"),
    3: ("+1 1", "+1 V3 V2 V1 L3 L2 L1"),
    4: ("+1 1", "+1 V4 V3 V2 V1 L4 L3 L2 L1"),
}


def _one_nonsingular_more(_: Context) -> Computed:
    """A layer L with the inverse V after a product B with the inverse A."""
    whole = words("L B")
    found = tuple(
        show_words(modulo(word_product(words(order), whole), {"V L": "", "A B": ""})) for order in ("A V", "V A")
    )
    return Computed(found, word_sizes(dict.fromkeys(("L", "B"), ("d", "d")), whole), r"B^{-1} L^{-1}\, L B = I")


def _path_determinants() -> list[sympy.Expr]:
    """det of (I + t W_l) ... (I + t W_1) for generic W of widths 1, 2, 3 and l = 1, 2."""
    t = sympy.Symbol("t")
    found = list[sympy.Expr]()
    for d, layers in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2)):
        whole = sympy.eye(d)
        for k in range(layers):
            weight = sympy.Matrix(d, d, [sympy.Symbol(f"w{k}_{i}_{j}") for i in range(d) for j in range(d)])
            whole = (sympy.eye(d) + t * weight) * whole
        found.append(sympy.expand(whole.det(method="berkowitz")))
    return found


def _start_at_one(values: Sequence[sympy.Expr]) -> bool:
    """Whether all are polynomials in t, so continuous, that are 1 at t = 0."""
    t = sympy.Symbol("t")
    return all(bool(value.is_polynomial(t)) and value.subs(t, 0) == 1 for value in values)


_PATHS = Condition(
    holds=_start_at_one,
    of=_path_determinants,
    fails_on=lambda: [1 - sympy.Symbol("t"), sympy.sign(1 - 2 * sympy.Symbol("t"))],
)


def _beyond_one(_: Context) -> Computed:
    """The signs of det (I + W)^l for W = -tau I, d = 1: what happens where the norm reaches one and beyond."""
    found = {}
    for tau, layers in choices((_HALF, Fraction(1), _THREE_HALVES), (1, 2, 3)):
        value = determinant(matrix([[(1 - tau) ** layers]]))
        found[tau, layers] = (value > 0) - (value < 0)
    return Computed(found, Scope.over(d=1, l=(1, 2, 3)))


_HALF, _THREE_HALVES = Fraction(1, 2), Fraction(3, 2)


def _reflection(_: Context) -> Computed:
    """H = I - 2 v v^T for a unit vector v with Sigma v = 0, in words: what it makes of v, of w orthogonal to v, of R Sigma."""
    h = words("1 - v vt - v vt")
    on_v, on_w = (modulo(word_product(h, words(letter)), {"vt v": ""}) for letter in "vw")
    whole = word_product(word_product(words("R"), h), words("S"))
    found = {
        "H v": show_words(on_v),
        "H w": show_words(without(on_w, "vt w")),
        "R H Sigma": show_words(without(whole, "vt S")),
        "R H Sigma, Sigma v != 0": show_words(whole),
    }
    shapes = {"v": ("d", "1"), "vt": ("1", "d"), "w": ("d", "1"), "R": ("d", "d"), "S": ("d", "d")}
    return Computed(found, word_sizes(shapes, on_v, on_w, whole), r"R' (I - 2 v v^{\mathsf T})\, \Sigma = R' \Sigma")


_REFLECTION = {"H v": "-1 v", "H w": "+1 w", "R H Sigma": "+1 R S", "R H Sigma, Sigma v != 0": "+1 R S -2 R v vt S"}


def _small_reflections(_: Context) -> Computed:
    """det (I - 2 v v^T) for rational unit vectors, d = 1, 2, 3."""
    units = (("1",), ("3/5", "4/5"), ("1/3", "2/3", "-2/3"))
    found = dict[int, Fraction]()
    for unit in units:
        v = matrix([[Fraction(x)] for x in unit])
        found[len(v)] = determinant(add(eye(len(v)), scale(Fraction(-2), multiply(v, transpose(v)))))
    return Computed(found, Scope.over(d=(1, 2, 3)))


def _reflected(_: Context) -> Computed:
    """f - C at W_1 = W_2 = 0 and det R for R = diag(1, -1), by Sigma."""
    target, nothing = matrix([[1, 0], [0, -1]]), scale(Fraction(0), eye(2))
    samples = {"diag(1, 0)": matrix([[1, 1], [0, 0]]), "I": matrix([[1, 1], [1, -1]])}
    found = {
        name: (Point((nothing, nothing), Fraction(0), x, target, nothing, Fraction(1)).excess, determinant(target))
        for name, x in samples.items()
    }
    return Computed(found, Scope.over(l=2, d=2))


_REFLECTED = {"diag(1, 0)": (Fraction(0), -1), "I": (Fraction(4), -1)}


def _signs(at_one: int, beyond: int) -> dict[tuple[Fraction, int], int]:
    """One below norm one, and for one layer these at norm one and beyond."""
    by_norm = {_HALF: 1, Fraction(1): at_one, _THREE_HALVES: beyond}
    return {(tau, layers): sign**layers for tau, sign in by_norm.items() for layers in (1, 2, 3)}


M1 = Statement(
    id="IM-1",
    title="There is a global minimum with weights of norm $O(1/l)$",
    source=source(
        "item 1",
        "there exists a global minimum such that the spectral norm of all of the matrices W_i is bounded above by O(1/l)",
    ),
    sentence="For every target $R$ and enough layers a linear residual network has a global minimum with all "
    r"$\lvert W_i\rvert = O(1/l)$.",
    latex=r"\min_{W:\, f(W) = C} \max_i \|W_i\| = O(1/l)",
    for_all={"l": 1, "d": 1},
    hypotheses=(
        Hypothesis(
            r"the loss is the expected squared error, of inputs with a second moment $\Sigma \ge 0$",
            lambda one: one.variance >= 0,
            fails_on=Target(Fraction(-1), Fraction(-1)),
            holds_on=Target(Fraction(-1), Fraction(0)),
            quote="We will always be minimizing the expected squared error loss",
            where="Notation and Terminology",
        ),
    ),
    uses=("DR-M6",),
    evidence=(
        *observed("running networks", SMALL, deep=False),
        *observed("long or wide networks", LARGE, deep=True),
    ),
    counterexample=Counterexample(
        instance=_MINUS_ONE,
        even_if=(
            Hypothesis(
                r"$\Sigma$ is positive definite, so that $C$ is attained by the map $R$ alone",
                lambda one: one.variance > 0,
                fails_on=Target(Fraction(-1), Fraction(0)),
            ),
            Hypothesis(
                r"$R$ is nonsingular, so that $\gamma$ is finite",
                lambda one: one.r != 0,
                fails_on=Target(Fraction(0), Fraction(1)),
            ),
            Hypothesis(
                r"all singular values of $R$ are 1, so that $\gamma = 0$ and every $l \ge 1$ is at least $3 \gamma$",
                lambda one: one.r**2 == 1,
                fails_on=Target(Fraction(2), Fraction(1)),
            ),
        ),
        picture=lambda one: least_excess(lambda layers, bound: _least_excess(one, layers, bound)),
        sentence=r"$R = -1$, $d = 1$. If all $\lvert w_i\rvert < 1$ then all factors $1 + w_i$ are positive and $f - C > 1$, for "
        "every $l$: no global minimum has norms that tend to 0. To ask for $\\Sigma > 0$, a nonsingular $R$ or $\\gamma = 0$ besides does "
        "not help.",
        latex=r"\prod_i (1 + w_i) > 0 > -1 \quad (|w_i| < 1)",
        routes=(
            Argument(
                "The excess over $C$ while all norms are below one, every $l$",
                "inequality",
                _excess_below_one,
                _Above(Infimum(Fraction(1))),
                {
                    PRINTED: _Above(Infimum(Fraction(0))),
                    "at least 2": _Above(Infimum(Fraction(2))),
                    "at most 1": _Above(Infimum(Fraction(1), side=-1)),
                    "norms below 2": _Above(Infimum(Fraction(1)), norm=Fraction(2)),
                },
                certified(_positive_products),
                explanation="By induction over the layers the product $p$ is positive; $(p + 1)^2 > 1$, with 1 as infimum. As "
                "printed the excess 0 would be attained once $O(1/l) < 1$.",
            ),
            Argument(
                r"The least excess over the box $\lvert w_i\rvert \le 1$, corner by corner",
                "instance",
                _box,
                _all(1),
                {PRINTED: _all(0), "half of it": dict.fromkeys(range(1, 9), Fraction(1, 2))},
            ),
        ),
    ),
    repair=Repair(
        latex=r"R'\Sigma = R\,\Sigma,\ \det R' > 0:\quad R' = U P,\quad W_k = U^{k/l} P^{1/l} U^{-(k-1)/l} - I, \qquad "
        r"\|W_k\| \le \frac{\pi}{l} + e^{\gamma/l} - 1",
        changes=(
            Change(
                "there exists a global minimum",
                r"If $R' \Sigma = R \Sigma$ and $\det R' > 0$, then for every $l \ge 1$ there is a global minimum",
                r"It is asked that some $R'$ with $R' \Sigma = R \Sigma$ has $\det R' > 0$; where $\Sigma > 0$, so that $R' = R$, this "
                r"says that $\det R > 0$.",
            ),
        ),
        arguments=(),
        setting=r"$\gamma = \max(\lvert\log \sigma_{\max}(R')\rvert, \lvert\log "
        r"\sigma_{\min}(R')\rvert)$.",
        clauses=(
            Clause(
                r"If $R' \Sigma = R \Sigma$ and $\det R' > 0$, then for every $l \ge 1$ there is a global minimum with "
                r"all $\lvert W_i\rvert \le \pi/l + e^{\gamma/l} - 1$, $\gamma$ that of $R'$, which for $l \ge 3 \gamma$ "
                r"is below $2 (\sqrt{\pi} + \sqrt{3 \gamma})^2 / l$ and below $(4 \pi + 3 \gamma)/l$.",
                {"l": 1, "d": 1},
                (
                    EXCESS,
                    Argument(
                        "Polar factors from the singular value decomposition",
                        "identity",
                        _polar,
                        _POLAR,
                        {
                            "$P U$ in place of $U P$": {**_POLAR, "U P": words("B S At")},
                            "$U$ need not be orthogonal": {**_POLAR, "U^T U": words("B Bt")},
                        },
                        explanation=r"$R$ is the $R'$ of the sentence. The powers $P^a = B S^a B^{\mathsf T}$ form a one-parameter "
                        r"group. $\det U = \det R / \det P > 0$.",
                    ),
                    Citation("svd", {"$R$ is a square real matrix": _R}),
                    Citation("orthogonal-normal-form", {r"$U^{\mathsf T} U = I$": _U}),
                    Argument(
                        "Rotations of a plane form a one-parameter group",
                        "identity",
                        _rotations,
                        _rotated(1, 1),
                        {"angles subtracted": _rotated(1, -1), "angles doubled": _rotated(2, 1)},
                        explanation=r"As $\det U = 1$, its minus ones are even in number and pair up to rotations by $\pi$: "
                        r"$U = Z\, \mathrm{diag}(\mathrm{rot}) Z^{\mathsf T}$ with angles of modulus at most $\pi$, and "
                        r"$U^a = Z\, \mathrm{diag}(\mathrm{rot}(a\, \mathrm{angle})) Z^{\mathsf T}$.",
                    ),
                    Argument(
                        "The product telescopes, and every factor is as far from $I$ as the first one",
                        "identity",
                        _telescope,
                        _TELESCOPE,
                        {
                            "the product is $P U$": {**_TELESCOPE, "A_l": "+ P U"},
                            "$U^{1/l} P^{1/l}$ in every layer does": {
                                **_TELESCOPE,
                                "U^(1/l) P^(1/l) A_(k-1) = A_k": True,
                            },
                            "the layers differ in norm": {
                                **_TELESCOPE,
                                "conjugate of F_k - I": "+ U^(k/l) P^(1/l) - 1",
                            },
                        },
                        explanation="$A_k = U^{k/l} P^{k/l}$ is the product of the first $k$ factors by induction, for every $l$. "
                        r"$U^{1/l}$ is orthogonal, so $\lvert F_k - I\rvert \le \lvert U^{1/l} - I\rvert + \lvert P^{1/l} "
                        r"- I\rvert$.",
                    ),
                    Argument(
                        r"$\lvert U^{1/l} - I\rvert \le \pi/l$",
                        "inequality",
                        _angles,
                        Fraction(1),
                        {"half the angle": Fraction(1, 2), "9/10 of the angle": Fraction(9, 10)},
                        certified(angle_bound),
                        explanation=r"$\lvert\mathrm{rot}(\varphi) - I\rvert = \sqrt{2 (1 - \cos \varphi)} \le \lvert\varphi\rvert$, "
                        r"at $\varphi = \mathrm{angle}/l$.",
                    ),
                    Argument(
                        r"$\lvert P^{1/l} - I\rvert \le e^{\gamma/l} - 1$",
                        "inequality",
                        _extremes,
                        lambda q: q**2 - 1,
                        {r"$1 - e^{-\gamma/l}$": lambda q: 1 - 1 / q**2, r"$e^{\gamma/2l} - 1$": lambda q: q - 1},
                        certified(exponential_bound),
                        explanation=r"The eigenvalues of $P^{1/l}$ are $e^s$ with $\lvert s\rvert \le \gamma/l$, and $e^s$ is monotonic.",
                    ),
                    Argument(
                        r"Below two constants known for it, for $l \ge 3 \gamma$",
                        "inequality",
                        _own_bound,
                        _PUBLISHED,
                        {
                            r"$(\pi + \gamma)/l$": _Bounds(_upper, (lambda p, q, layers: (p**2 + q**2 / 3) / layers,)),
                            r"$(\pi/2 + 3 \gamma)/l$": _Bounds(
                                _upper, (lambda p, q, layers: (p**2 / 2 + q**2) / layers,)
                            ),
                            r"$e^x - 1 \le x$": _Bounds(lambda x: x, _PUBLISHED.published),
                            r"$e^x \le x/(1 - x)$": _Bounds(lambda x: _upper(x) - 1, _PUBLISHED.published),
                        },
                        certified(_better),
                        explanation=r"$e^x - 1 \le x/(1 - x)$ for $x = \gamma/l \le 1/3$; with $p = \sqrt{\pi}$, "
                        r"$q = \sqrt{3 \gamma}$, $l = q^2 + s$ no coefficient of the difference is negative.",
                    ),
                    Argument(
                        "Networks with rational factors",
                        "explicit",
                        _chains,
                        _u_p,
                        {
                            "$P U$": lambda one: multiply(raised(one.p, one.layers), raised(one.u, one.layers)),
                            "$(U^{1/l} P^{1/l})^l$": lambda one: raised(multiply(one.u, one.p), one.layers),
                            r"$U^{\mathsf T} P$": lambda one: multiply(
                                transpose(raised(one.u, one.layers)), raised(one.p, one.layers)
                            ),
                        },
                        _same_image,
                        explanation="Rational $U^{1/l}$ and $P^{1/l}$; the output of the network, a polynomial in its weights, at $W_k = F_k - I$.",
                    ),
                ),
            ),
            Clause(
                r"A global minimum with $\lvert\lvert\lvert W\rvert\rvert\rvert < 1$ has a product $R'$ of its layers "
                r"with $R' \Sigma = R \Sigma$ and $\det R' > 0$, whatever $l$ is: for $\Sigma > 0$ there is none unless "
                r"$\det R > 0$.",
                {"l": 1, "d": 1},
                (
                    EXCESS,
                    Argument(
                        "Norms below one leave no layer singular on the way from $I$",
                        "inequality",
                        _orientation,
                        Fraction(1),
                        {"norms below 2": Fraction(2), "norms below 3/2": Fraction(3, 2)},
                        certified(keeps_orientation),
                        explanation=r"$\langle v, (I + t W) v\rangle \ge (1 - t \lvert W\rvert) \lvert v\rvert^2 > 0$: $I + t W$ is "
                        r"nonsingular for $0 \le t \le 1$.",
                    ),
                    Induction(
                        "l",
                        Argument(
                            "Products of nonsingular layers are nonsingular",
                            "identity",
                            _nonsingular_products,
                            _NONSINGULAR,
                            {"the inverses in any order": {**_NONSINGULAR, 3: ("+1 1", "+1 1")}},
                            explanation=r"Along the path from $I$: $(I + t W_l) \cdots (I + t W_1)$ is nonsingular for "
                            r"$0 \le t \le 1$, so $\det R$ has the sign of $\det I$.",
                        ),
                        Argument(
                            "One nonsingular layer more",
                            "identity",
                            _one_nonsingular_more,
                            ("+1 1", "+1 V A L B"),
                            {"the inverses in any order": ("+1 1", "+1 1"), "it is singular": ("0", "+1 V A L B")},
                        ),
                    ),
                    Citation(
                        "intermediate-value", {r"$\det((I + t W_l) \cdots (I + t W_1))$ is continuous in $t$": _PATHS}
                    ),
                    Argument(
                        "At norm one and beyond it need not be",
                        "explicit",
                        _beyond_one,
                        _signs(0, -1),
                        {"positive at norm one": _signs(1, -1), "positive beyond": _signs(0, 1)},
                    ),
                    Argument(
                        r"A singular $\Sigma$ does not see the sign of $\det R$",
                        "explicit",
                        _reflected,
                        _REFLECTED,
                        {
                            r"$\det R > 0$ is needed where $\Sigma$ is singular, too": {
                                **_REFLECTED,
                                "diag(1, 0)": (Fraction(1), -1),
                            },
                            r"it is not needed where $\Sigma > 0$": {**_REFLECTED, "I": (Fraction(0), -1)},
                        },
                        explanation=r"$R = \mathrm{diag}(1, -1)$ and all $W_i = 0$, with $R' = I$: a global minimum for "
                        r"$\Sigma = \mathrm{diag}(1, 0)$, for $\Sigma = I$ none.",
                    ),
                ),
            ),
            Clause(
                r"Where $\Sigma$ is singular, any nonsingular $R'$ with $R' \Sigma = R \Sigma$ will do: with "
                r"$\Sigma v = 0$ and $\lvert v\rvert = 1$, $R' (I - 2 v v^{\mathsf T})$ is another, and its determinant "
                "has the opposite sign.",
                {"d": 1},
                (
                    Argument(
                        r"A reflection that $\Sigma$ does not see",
                        "identity",
                        _reflection,
                        _REFLECTION,
                        {
                            "it keeps $v$": {**_REFLECTION, "H v": "+1 v"},
                            r"whatever $\Sigma v$ is": {**_REFLECTION, "R H Sigma, Sigma v != 0": "+1 R S"},
                        },
                        explanation="-1 on $v$ and 1 on the $d - 1$ dimensions orthogonal to it: the determinant is -1.",
                    ),
                    Argument(
                        "Determinants of small reflections",
                        "explicit",
                        _small_reflections,
                        dict.fromkeys((1, 2, 3), Fraction(-1)),
                        {"1 in even dimensions": {1: Fraction(-1), 2: Fraction(1), 3: Fraction(-1)}},
                    ),
                ),
            ),
        ),
    ),
    notes=r"What is judged is the note's paraphrase. Layers with the product $R'$ are a global minimum exactly if $R' \Sigma = R \Sigma$: "
    r"$f - C = \mathrm{tr}(E \Sigma E^{\mathsf T})$ with $E = R' - R$ is a sum of squares (DR-M6). The note does not say "
    "that the determinant has to be positive, nor do its words elsewhere: a hypothesis that is missing, no misprint. The "
    "two constants are those of versions of the theorem that it reports, whose text is not among the documents.",
)

STATEMENTS = (M1,)
