"""Plain linear networks at orthogonal weights: their Hessian is that of a 1-shortcut network at zero, in other coordinates.

W_1, ..., W_L orthogonal, P_l = W_l ... W_1. With the changes dW_l = P_l V_l P_(l-1)^T the network is

    prod_l (W_l + dW_l) X = P_L prod_l (I + V_l) X,

so its loss is that of the linear 1-shortcut network with weights V_l, data X and targets P_L^T Y. V -> dW keeps lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import sympy

from resproof.proofs.beyond.depth_instances import GENERAL, LINEAR
from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.demystifying_resnet.near_zero import same_polynomials
from resproof.proofs.demystifying_resnet.plain_hessian import after
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.statement import PRINTED, Argument, Computed, Context, Disagreement, Induction
from resproof.symbolic.algebra.matrices import (
    Matrix,
    cayley,
    characteristic_polynomial,
    eye,
    matrix,
    multiply,
    scale,
    transpose,
)
from resproof.symbolic.algebra.noncommutative import Relations, Words, add, minus, modulo, product, show, sizes, words
from resproof.symbolic.algebra.toeplitz import squared_condition
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# The change of coordinates.

_LENGTHS = (1, 2, 3, 4)
_SHAPES = {
    name + prime: ("d", "d")
    for name in ("P", "W", "V", "M", "Q", *(f"{x}{k}" for x in "WV" for k in _LENGTHS))
    for prime in ("", "'")
} | {"X": ("d", "m"), "Y": ("d", "m")}
_ORTHOGONAL: Relations = {
    text: "" for k in ("W", "P", "Q", *(f"W{n}" for n in _LENGTHS)) for text in (f"{k}' {k}", f"{k} {k}'")
}


def _up_to(layer: int, prime: str = "") -> Words:
    """P_l = W_l ... W_1, or its transpose."""
    order = range(layer, 0, -1) if not prime else range(1, layer + 1)
    return words(" ".join(f"W{k}{prime}" for k in order) or "1")


def _moved_products(_: Context) -> Computed:
    """prod_l (W_l + P_l V_l P_(l-1)^T) for L = 1..4."""
    found = dict[int, Words]()
    for length in _LENGTHS:
        layers = [
            add(words(f"W{k}"), product(_up_to(k), words(f"V{k}"), _up_to(k - 1, "'"))) for k in range(length, 0, -1)
        ]
        found[length] = modulo(product(*layers), _ORTHOGONAL)
    shown = r"\prod_l (W_l + P_l V_l P_{l-1}^{\mathsf T}) = P_L \prod_l (I + V_l)"
    return Computed(found, sizes(_SHAPES, *found.values()) & Scope.over(L=_LENGTHS), shown)


def _shifted(order: int = 1, sign: str = "+") -> dict[int, Words]:
    """P_L times the product of the I + V_l, later ones on the left."""
    return {
        length: modulo(
            product(_up_to(length), *[words(f"1 {sign} V{k}") for k in range(length, 0, -1)][::order]), _ORTHOGONAL
        )
        for length in _LENGTHS
    }


def _same_words(found: Mapping[int, Words], claim: Mapping[int, Words]) -> None:
    for length, value in found.items():
        if value != claim[length]:
            raise Disagreement(f"L={length}: computed {show(value)}; claimed {show(claim[length])}")


def _one_more(_: Context) -> Computed:
    """One more layer W on a network P M, P orthogonal and M any matrix, with dW = W P V P^T."""
    found = modulo(product(add(words("W"), words("W P V P'")), words("P M")), _ORTHOGONAL)
    shown = r"(W + W P V P^{\mathsf T})\, P M = W P\, (I + V)\, M"
    return Computed({"the product": found}, sizes(_SHAPES, found), shown)


MOVED = Induction(
    "L",
    Argument(
        "The product of the changed layers, $L = 1..4$",
        "identity",
        _moved_products,
        _shifted(),
        {"the opposite order": {**_shifted(), 2: _shifted(-1)[2]}, "$I - V_l$": _shifted(sign="-")},
        _same_words,
    ),
    Argument(
        "One more layer on any network",
        "identity",
        _one_more,
        {"the product": "W P M + W P V M"},
        {
            "$V$ on the other side of $P$": {"the product": "W P M + W V P M"},
            "without the shortcut": {"the product": "W P V M"},
        },
        same_polynomials,
        explanation=r"$P$ stands for $P_l$ and $M$ for the product of the $I + V_k$, $k \le l$.",
    ),
)


def _isometries(_: Context) -> Computed:
    """P M X - Y against M X - P^T Y, and the Gram matrices of P and of dW = P V Q^T, for orthogonal P and Q."""
    old, new = words("P M X - Y"), words("M X - P' Y")
    found = {
        "residual": minus(old, modulo(product(words("P"), new), _ORTHOGONAL)),
        "gram": modulo(words("P' P"), _ORTHOGONAL),
        "change": modulo(words("Q' Q V' P' P V Q' Q"), _ORTHOGONAL),
    }
    shown = r"P M X - Y = P\,(M X - P^{\mathsf T} Y), \qquad |P V Q^{\mathsf T}|_F = |V|_F"
    return Computed(found, sizes(_SHAPES, old, new), shown)


_KEPT = {"residual": "0", "gram": "1", "change": "V' V"}

ISOMETRY = Argument(
    "Residual and changes keep their lengths",
    "identity",
    _isometries,
    _KEPT,
    {
        "the targets stay": {**_KEPT, "residual": "P Y - Y"},
        "a change is turned on one side only": {**_KEPT, "change": "Q V' V"},
        "$P$ stretches": {**_KEPT, "gram": "P"},
    },
    same_polynomials,
    explanation=r"$\lvert Z\rvert_F^2 = \mathrm{tr}(Z^{\mathsf T} Z)$ is kept by orthogonal factors. So the loss is "
    r"$(1/2m) \lvert\prod (I + V_l) X - P_L^{\mathsf T} Y\rvert_F^2$, and $V \to \mathrm dW$ is an orthogonal change of "
    r"coordinates: the Hessians are orthogonally similar, $T = \Sigma_{YX}$ becoming $P_L^{\mathsf T} T$.",
)

_S_SHAPES = {name + prime: ("d", "d") for name in "STP" for prime in ("", "'")}


def _triangle(_: Context) -> Computed:
    """2 S S + 2 T^T T less (S - P^T T)^T (S - P^T T), S symmetric and P orthogonal."""
    gap = words("S - P' T"), words("S - T' P")
    relations = {"P P'": "", "P' P": ""}
    found = minus(words("S S + S S + T' T + T' T"), modulo(product(gap[1], gap[0]), relations))
    return Computed(
        (found, relations),
        sizes(_S_SHAPES, found),
        r"2\,|S v|^2 + 2\,|T v|^2 - |(S - P^{\mathsf T} T)\,v|^2 = |(S + P^{\mathsf T} T)\,v|^2",
    )


def _is_square_of(found: tuple[Words, Relations], claim: tuple[str, str]) -> None:
    """Pass when the found polynomial is (claimed left)(claimed right), the left being the transpose of the right.

    Raises:
        Disagreement: it is another.
    """
    value, relations = found
    square = modulo(product(words(claim[0]), words(claim[1])), relations)
    if difference := minus(value, square):
        raise Disagreement(f"it differs from ({claim[0]})({claim[1]}) by {show(difference)}")


BOUNDED = Argument(
    r"$S - P^{\mathsf T} T$ is bounded whatever the orthogonal $P$ is",
    "identity",
    _triangle,
    ("S + T' P", "S + P' T"),
    {"the difference again": ("S - T' P", "S - P' T"), "$T$ not turned": ("S + T'", "S + T")},
    _is_square_of,
    explanation=r"So $\sigma_{\min}(S - P_L^{\mathsf T} T)^2 \le 2 \lvert S\rvert^2 + 2 \lvert T\rvert^2$ for every $L$, and the same "
    r"for the norm of $S - P_L^{\mathsf T} T$.",
)

# Exact Hessians.

_TURN = matrix([[Fraction(3, 5), Fraction(-4, 5)], [Fraction(4, 5), Fraction(3, 5)]])
_FLIP = matrix([[0, 1], [1, 0]])
_OTHER = cayley(matrix([[0, Fraction(1, 2)], [Fraction(-1, 2), 0]]))
_ORTHOGONAL_LAYERS = {1: (_TURN,), 2: (_TURN, _OTHER), 3: (_FLIP, _OTHER, _FLIP), 4: (_OTHER, _TURN, _FLIP, _TURN)}
_T = sympy.Symbol("t")


def _hessians(_: Context) -> Computed:
    """The characteristic polynomials of Hessians at orthogonal weights."""
    found = {
        length: characteristic_polynomial(hessian_at([[w] for w in layers], GENERAL), _T)
        for length, layers in _ORTHOGONAL_LAYERS.items()
    }
    return Computed(found, Scope.of(*(f"L={length}, d=2, m=2" for length in found)))


def _one_shortcut(turned: Callable[[Matrix], Matrix]) -> dict[int, sympy.Expr]:
    """The same of 1-shortcut networks at zero with targets turned(P_L) Y."""
    found = dict[int, sympy.Expr]()
    for length, layers in _ORTHOGONAL_LAYERS.items():
        y = multiply(turned(after(layers)), matrix(GENERAL.y))
        found[length] = characteristic_polynomial(dense(LINEAR, length, Instance(GENERAL.x, y)), _T)
    return found


def _same_spectra(found: Mapping[int, sympy.Expr], claim: Callable[[Matrix], Matrix]) -> None:
    for length, expected in _one_shortcut(claim).items():
        if sympy.expand(found[length] - expected) != 0:
            raise Disagreement(f"L={length}: the characteristic polynomials differ")


SMALL_SPECTRA = Argument(
    "Characteristic polynomials at orthogonal weights and of 1-shortcut networks at zero",
    "explicit",
    _hessians,
    transpose,
    {"targets $P_L Y$": lambda p: p, "the targets stay": lambda p: eye(2)},
    _same_spectra,
)

# The exceptional set.

_FLAT = Instance([[1]], [[2]])
_SIGNS = {2: (1, 1), 3: (-1, 1, -1), 4: (-1, -1, 1, 1), 5: (1,) * 5}


def _flat_conditions(_: Context) -> Computed:
    """cond(H_L)^2 for d = 1, weights +-1 of product 1, x = 1, y = 2; and H_L for x = 0."""
    found = dict[int, tuple[Fraction | None, bool]]()
    for length, signs in _SIGNS.items():
        weights = [[matrix([[sign]])] for sign in signs]
        square = squared_condition(hessian_at(weights, _FLAT))
        without = hessian_at(weights, Instance([[0]], [[2]]))
        found[length] = (square.low if square else None, without == scale(0, without))
    return Computed(found, Scope.of(*(f"L={length}, d=1, m=1" for length in found)), r"\operatorname{cond}(H_L) = 1")


def _stays(
    found: Mapping[int, tuple[Fraction | None, bool]], claim: Callable[[Sequence[Fraction | None]], bool]
) -> None:
    conditions = [condition for condition, _ in found.values()]
    if not claim(conditions) or {vanishes for _, vanishes in found.values()} != {True}:
        raise Disagreement(f"cond(H_L)^2: {', '.join(map(str, conditions))}; x = 0: {found}")


FLAT = Argument(
    "$d = 1$: $T = 2S$, and $X = 0$",
    "instance",
    _flat_conditions,
    lambda values: set(values) == {Fraction(1)},
    {
        PRINTED: property_of({2: (Fraction(1), True), 3: (Fraction(2), True)})(
            lambda values: None in values or values[-1] > values[0]
        )
    },
    _stays,
    explanation=r"At $d = 1$ the weights are $\pm1$ and $S - P T$ plays the part of $S - T$: $A = 2S - P T$ vanishes. Where $X = 0$ "
    "so does $H$.",
)


NULL = nonzero_at(
    "$S (4 S^2 - T^2)$ at $d = 1$, and $S$, are not the zero polynomial",
    {
        "d = 1: S where T = 0": At("v' v", {"v' v": ""}),
        "u' S u": At("u' u v' v u' u", {"u' u": "", "v' v": ""}),
    },
    {"v": ("m", "1"), "v'": ("1", "m"), "u": ("d", "1"), "u'": ("1", "d")},
    explanation="Up to the factor $1/m$. At $d = 1$: $X = v'$ and $Y = 0$, so that $T = 0$ and $S (4 S^2 - T^2) = 4 S^3$. At every "
    "$d$: $X = u v'$, $S = X X'$.",
    shown=r"X = u v^{\mathsf T}, \quad u^{\mathsf T} X X^{\mathsf T} u = 1",
)
