"""Rethinking skip connections, Proposition 3: the solution of Y = W X when X changes (RS-P3).

X is n x N of full row rank, G = X^+, so X G = 1; V = W + D and K = (X + E)^+; kappa = |X| |G|, q = kappa |E| / |X|.

Both systems solved exactly, Y = W X = V (X + E):    D = -V E G,    |D| / |V| <= q,    |D| / |W| <= q / (1 - q).
By least squares, Y = W X + R with R X^T = 0:    D = R E^T K^T K - W E K,    |K| <= |G| / (1 - q).

The norm is spectral or Frobenius', and kappa = |X| |G| in the same norm: with Frobenius norms beside the kappa of Equation 8, which is that of
spectral norms, the inequality fails at first order (X = I, E = diag(-e, 0), W = diag(1, 0)). Source: Wedin 1973, Perturbation theory for pseudo-inverses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

import sympy

from resproof.architectures.forms.terms import Opaque
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.pictures import both_sides
from resproof.proofs.routes.predicates import at_most, matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Sense,
    Statement,
)
from resproof.proofs.theory.linear_networks import minus
from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    eye,
    inverse,
    matrix,
    multiply,
    rank,
    scale,
    sum_of_squares,
    transpose,
)
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import minus as minus_words
from resproof.symbolic.algebra.noncommutative import modulo, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes as sizes_of_words
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.series import Sum
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope

# The counterexample.


@dataclass(frozen=True, slots=True)
class Scalars:
    """n = N = 1: W, X, the change of X, and Y; all norms are moduli, kappa = 1."""

    w: Fraction
    x: Fraction
    change: Fraction
    y: Fraction

    def __str__(self) -> str:
        return f"n = N = 1, W = {self.w}, X = {self.x}, Delta X = {self.change}"


_SCALARS = Scalars(Fraction(1), Fraction(1), Fraction(-1, 2), Fraction(1))
_SIZE = "n=N=1"


def _solved(_: Context) -> Computed:
    # Ratios do not depend on the units of X and of Y.
    w, x, change, y = _SCALARS.w, _SCALARS.x, _SCALARS.change, _SCALARS.y
    (found,) = {_sides(_SCALARS), _sides(Scalars(3 * w / 2, 2 * x, 2 * change, 3 * y))}
    return Computed(found, Scope.of(_SIZE))


def _sides(s: Scalars) -> tuple[Fraction, Fraction]:
    """|dW| / |W| and kappa(X) |dX| / |X|."""
    moved = s.y / (s.x + s.change) - s.w
    kappa = abs(s.x) * abs(1 / s.x)
    return abs(moved) / abs(s.w), kappa * abs(s.change) / abs(s.x)


def _small_changes(_: Context) -> Computed:
    """|dW| / |W| - |dX| / |X| for W = X = 1, dX = -e, at e = 1 / (1 + s) with s > 0, as a fraction of polynomials."""
    s, e = sympy.symbols("s e", positive=True)
    moved = sympy.symbols("dW")
    (root,) = sympy.solve((1 + moved) * (1 - e) - 1, moved)
    numerator, denominator = sympy.fraction(sympy.factor((root - e).subs(e, 1 / (1 + s))))
    found = tuple(tuple(int(c) for c in sympy.Poly(part, s).all_coeffs()) for part in (numerator, denominator))
    return Computed(found, Scope.of(f"{_SIZE}, dX = -e with 0 < e < 1"), r"\frac{e}{1 - e} - e = \frac{e^2}{1 - e}")


@property_of(((0, -1), (0, 1)), not_of=[((1, -1), (0, 1)), ((0, -1), (-1, 1)), ((1, 2), (0, 1))])
def _at_most(found: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a fraction of polynomials in s > 0 is at most zero, by the signs of the coefficients."""
    numerator, denominator = found
    return all(c <= 0 for c in numerator) and all(c >= 0 for c in denominator)


@property_of(((1, 0), (1, 1)), not_of=[((0, 0), (0, 1)), ((1, -1), (0, 1)), ((0, 1), (-1, 1))])
def _at_least_zero(found: tuple[tuple[int, ...], ...]) -> bool:
    """Whether it is above zero there."""
    return all(c >= 0 for part in found for c in part) and any(found[0])


# The exact version.


_SHAPES = {"V": ("n", "n"), **dict.fromkeys(("X", "E"), ("n", "N")), "G": ("N", "n")}


def _exact_change(_: Context) -> Computed:
    """W and D in terms of V, from W X = V (X + E) times G."""
    without = word_product(words("V"), words("X + E"), words("G"))
    w = modulo(without, {"X G": ""})
    change = minus_words(words("V"), w)
    found = {"W": w, "D": change, "the same without X G = 1": without == w}
    return Computed(found, sizes_of_words(_SHAPES, without, w), r"\Delta W = " + show_words(change).replace("-1 ", "-"))


_CHANGE: Mapping[str, Any] = {
    "W": words("V + V E G"),
    "D": words("0 - V E G"),
    "the same without X G = 1": False,
}


_TWO_MATRICES = {name: Opaque(name, dims) for name, dims in (("A", ("n", "k")), ("B", ("k", "p")))}


def _product_of_norms(_: Context) -> Computed:
    """|A B|_F^2 and |A|_F^2 |B|_F^2 minus a sum of squares, in index notation."""

    def minor(a: str, b: str) -> list[tuple[int, str]]:
        return [(1, f"A[i,{a}] * B[{b},j]"), (-1, f"A[i,{b}] * B[{a},j]")]

    squares: Sum = {}
    for sign, left in minor("k", "l"):
        for other, right in minor("k", "l"):
            squares = add_sums(squares, scale_sum(Fraction(sign * other, 2), parse(f"{left} * {right}", _TWO_MATRICES)))
    shown = r"\|A\|_F^2 \|B\|_F^2 - \|A B\|_F^2 = \tfrac12 \sum_{i,j,k,l} (A_{ik} B_{lj} - A_{il} B_{kj})^2"
    return Computed(squares, sizes.of_terms(squares), shown)


_LAGRANGE = "A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[k,j] * A[i,l] * B[l,j]"


def _same_norms(found: Sum, claim: str) -> None:
    if found != parse(claim, _TWO_MATRICES):
        raise Disagreement(f"computed {show(found)}; claimed {claim}")


def _relative_to_w(_: Context) -> Computed:
    """v (1 - q) <= w and d <= q v: the slack w q - (1 - q) d as a combination of the slacks, as polynomials."""
    v, w, d, q = sympy.symbols("v w d q")
    first, second = w - v * (1 - q), q * v - d
    target = w * q - (1 - q) * d
    rest = sympy.Poly(sympy.expand(target - q * first - (1 - q) * second), v, w, d, q)
    equality = sympy.simplify((q / (1 - q)).subs(q, sympy.Rational(1, 2)))
    found = {
        "target - q s_1 - (1 - q) s_2": str(rest.as_expr()),
        "q / (1 - q) at q = 1/2": str(equality),
        "(q / (1 - q) - q) / q^2": str(sympy.cancel((q / (1 - q) - q) / q**2)),
    }
    shown = r"\frac{\|\Delta W\|}{\|W\|} \le \frac{q}{1 - q}, \qquad q = \kappa(X) \frac{\|\Delta X\|}{\|X\|} < 1"
    return Computed(found, Scope(), shown)


_RELATIVE = {
    "target - q s_1 - (1 - q) s_2": "0",
    "q / (1 - q) at q = 1/2": "1",
    "(q / (1 - q) - q) / q^2": "-1/(q - 1)",
}


def _pseudo_inverse(x: Matrix) -> Matrix:
    """X^T (X X^T)^{-1}."""
    return multiply(transpose(x), inverse(multiply(x, transpose(x))))


@dataclass(frozen=True, slots=True)
class Solved:
    """A rational system with X of full row rank, V, a change E, W = V (X + E) X^+, and Y = W X = V (X + E)."""

    x: Matrix
    v: Matrix
    e: Matrix

    @property
    def g(self) -> Matrix:
        """X^+."""
        return _pseudo_inverse(self.x)

    @property
    def w(self) -> Matrix:
        """The solution before the change."""
        return multiply(multiply(self.v, add(self.x, self.e)), self.g)

    def __str__(self) -> str:
        return f"n={len(self.x)}, N={len(self.x[0])}"


_SYSTEMS = (
    Solved(matrix([[1]]), matrix([[2]]), matrix([[Fraction(-1, 2)]])),
    Solved(matrix([[1, 2], [0, 3]]), matrix([[1, 1], [2, -1]]), matrix([[1, 0], [Fraction(1, 2), -1]])),
    Solved(matrix([[2, 0], [0, 5]]), matrix([[1, 0], [0, 1]]), matrix([[-1, 0], [0, -1]])),
    # A change within the rows of X, so that the perturbed system is solved exactly although N > n.
    Solved(matrix([[1, 2, 0], [0, 1, 1]]), matrix([[1, -1], [3, 1]]), matrix([[1, 3, 1], [0, -1, -1]])),
)


def _small_systems(_: Context) -> Computed:
    for s in _SYSTEMS:
        assert multiply(s.w, s.x) == multiply(s.v, add(s.x, s.e))
        assert rank(s.x) == len(s.x)
    return Computed(_SYSTEMS, Scope.of(*dict.fromkeys(map(str, _SYSTEMS))))


Inequality = Callable[[Solved], tuple[Fraction, Fraction]]


def _hold(found: tuple[Solved, ...], claim: Inequality) -> None:
    """Pass when the first of two squared sides is at most the second for every system.

    Raises:
        Disagreement: it is not.
    """
    for one in found:
        at_most(*claim(one), f"{one}, squared")


# Least squares.


@dataclass(frozen=True, slots=True)
class FittedTwice:
    """X, Y, a change E of X, and the solutions that are said to fit Y by X and by X + E best."""

    x: Matrix
    y: Matrix
    e: Matrix
    w: Matrix
    v: Matrix

    def residual(self, *, moved: bool = False) -> Matrix:
        """Y - W X, or Y - V (X + E)."""
        w, x = (self.v, add(self.x, self.e)) if moved else (self.w, self.x)
        return minus(self.y, multiply(w, x))

    def fits(self, *, moved: bool = False) -> bool:
        """Whether the residual is orthogonal to the rows of X, or of X + E."""
        x = add(self.x, self.e) if moved else self.x
        return rank(multiply(self.residual(moved=moved), transpose(x))) == 0

    def __str__(self) -> str:
        return f"n={len(self.x)}, N={len(self.x[0])}"


def _fitted(x: Matrix, y: Matrix, e: Matrix) -> FittedTwice:
    return FittedTwice(x, y, e, multiply(y, _pseudo_inverse(x)), multiply(y, _pseudo_inverse(add(x, e))))


_SMALL = Fraction(1, 100)
_ROWS = _fitted(matrix([[1, 0]]), matrix([[1, 2]]), matrix([[0, _SMALL]]))


def _norm_square(a: Matrix) -> Fraction:
    """The square of the spectral norm of a matrix whose rows, or whose columns, are orthogonal to each other."""
    gram = multiply(a, transpose(a))
    if any(value for i, row in enumerate(gram) for j, value in enumerate(row) if i != j):
        gram = multiply(transpose(a), a)
    assert not any(value for i, row in enumerate(gram) for j, value in enumerate(row) if i != j)
    return max(gram[i][i] for i in range(len(gram)))


def _sides_of_fits(s: FittedTwice) -> tuple[Fraction, Fraction]:
    """|dW| / |W| and kappa(X) |dX| / |X|, squared, by the pseudoinverses."""
    left = _norm_square(minus(s.v, s.w)) / _norm_square(s.w)
    kappa = _norm_square(s.x) * _norm_square(_pseudo_inverse(s.x))
    return left, kappa * _norm_square(s.e) / _norm_square(s.x)


def _roots(squares: tuple[Fraction, Fraction]) -> tuple[float, float]:
    left, right = squares
    return sqrt(left), sqrt(right)


def _fitted_sides(_: Context) -> Computed:
    in_other_units = _fitted(scale(2, _ROWS.x), scale(3, _ROWS.y), scale(2, _ROWS.e))
    (found,) = {_sides_of_fits(one) for one in (_ROWS, in_other_units)}
    return Computed(found, Scope.of("n=1, N=2, t=2, e=1/100"))


def _limit_of_the_ratio(_: Context) -> Computed:
    """The limit of |dW| |X| / (|W| kappa |dX|) as e -> 0 for X = (1, 0), Y = (1, t), dX = (0, e), as a polynomial in t."""
    w, e, t = sympy.symbols("w e t")
    loss = (1 - w) ** 2 + (t - w * e) ** 2
    (best,) = sympy.solve(sympy.diff(loss, w), w)
    limit = sympy.limit((best - best.subs(e, 0)) / (best.subs(e, 0) * e), e, 0)
    found = tuple(int(c) for c in sympy.Poly(limit, t).all_coeffs())
    return Computed(found, Scope.of("n=1, N=2"), rf"\lim_{{e \to 0}} \frac{{\Delta W}}{{W e}} = {sympy.latex(limit)}")


_LETTERS = {
    **dict.fromkeys(("W", "M"), ("n", "n")),
    **dict.fromkeys(("X", "E", "R", "Z"), ("n", "N")),
    **dict.fromkeys(("K", "G", "F", "Xt", "Et", "Zt"), ("N", "n")),
}


def _change_of_a_fit(_: Context) -> Computed:
    """V - W for V = (W X + R) K: R K with K = (X + E)^T M less R X^T M = 0, and W = W (X + E) K."""
    w, r, k, m = map(words, ("W", "R", "K", "M"))
    fitted = word_product(w, words("X"), k)
    moved = minus_words(word_product(r, words("Xt + Et"), m), word_product(r, words("Xt"), m))
    before = word_product(w, words("X + E"), k)
    square = modulo(word_product(words("M Z"), words("Zt M")), {"Z Zt M": ""})
    found = {"D": add_words(minus_words(fitted, before), moved), "K^T K": square}
    shown = r"\Delta W = R\,\Delta X^{\mathsf T} M - W \Delta X\, K, \qquad M = K^{\mathsf T} K"
    return Computed(found, sizes_of_words(_LETTERS, fitted, before, moved), shown)


_CHANGE_OF_A_FIT = {"D": words("R Et M - W E K"), "K^T K": words("M")}


def _inverse_of_the_moved(_: Context) -> Computed:
    """What bounds |K|: Z F with Z = X + E and F = G - G E F, K Z F, and K Z as a projection, by X G = 1 and Z K = 1."""
    f = words("G - G E F")
    image = modulo(add_words(word_product(words("X"), f), words("E F")), {"X G": ""})
    p = words("K Z")
    found = {
        "Z F": image,
        "K Z F": modulo(word_product(words("K"), words("Z F")), {"Z F": ""}),
        "P P": modulo(word_product(p, p), {"Z K": ""}),
        "P P without": word_product(p, p) == p,
    }
    return Computed(found, sizes_of_words(_LETTERS, p, f, words("E F")), r"K = (K Z)\,F, \qquad F = G - G\,\Delta X\,F")


_INVERSE: Mapping[str, Any] = {"Z F": words("1"), "K Z F": words("K"), "P P": words("K Z"), "P P without": False}


def _wedin(_: Context) -> Computed:
    """w q (1 - q) + r e g^2 - (1 - q)^2 d as a combination of the slacks of d <= w e k + r e k^2 and (1 - q) k <= g."""
    w, r, e, g, k, d = sympy.symbols("w r e g k d")
    q = e * g
    first, second = w * e * k + r * e * k**2 - d, g - (1 - q) * k
    combined = (1 - q) ** 2 * first + w * e * (1 - q) * second + r * e * second * (g + (1 - q) * k)
    return Computed((combined, (w, r, e, g, d)), Scope(), r"q = \kappa(X) \frac{\|\Delta X\|}{\|X\|} < 1")


FitBound = Callable[[Any, Any, Any], Any]
"""(q, kappa, rho) -> the bound on |dW| / |W|, rho being |R| / (|W| |X|)."""


def _bound_of_a_fit(q: Any, kappa: Any, rho: Any) -> Any:
    return q / (1 - q) + kappa * rho * q / (1 - q) ** 2


def _combines(found: Any, claim: FitBound) -> None:
    """Pass when the slacks combine to (1 - q)^2 (bound |W| - |Delta W|).

    Raises:
        Disagreement: they do not.
    """
    combined, (w, r, e, g, d) = found
    # rho kappa = r g / w, whatever |X| is.
    bound = claim(e * g, g, r / w)
    if sympy.cancel(combined - (1 - e * g) ** 2 * (w * bound - d)) != 0:
        raise Disagreement("the slacks do not combine to the claimed bound")


_FITS = (
    _ROWS,
    _fitted(matrix([[1, 0]]), matrix([[3, 0]]), matrix([[Fraction(-3, 50), Fraction(2, 25)]])),
    *(
        _fitted(matrix([[1, 0, 0], [0, s, 0]]), matrix([[1, 0, t], [0, s, 0]]), matrix([[0, 0, 0], [0, 0, e]]))
        for s, t, e in (
            (Fraction(1, 10), Fraction(1), Fraction(1, 1000)),
            (Fraction(1, 4), Fraction(1, 2), Fraction(1, 16)),
        )
    ),
)


def _small_fits(_: Context) -> Computed:
    for one in _FITS:
        assert one.fits()
        assert one.fits(moved=True)
    return Computed(_FITS, Scope.of(*dict.fromkeys(map(str, _FITS))))


def _root(value: Fraction) -> Fraction:
    """The rational root of a square."""
    found = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    assert found**2 == value
    return found


def _fits_hold(found: tuple[FittedTwice, ...], claim: FitBound) -> None:
    """Pass when every relative change is at most the claimed bound, in spectral norms.

    Raises:
        Disagreement: one is not.
    """
    for one in found:
        x, g, e, w, r = (_root(_norm_square(a)) for a in (one.x, _pseudo_inverse(one.x), one.e, one.w, one.residual()))
        bound = claim(g * e, x * g, r / (w * x))
        at_most(_norm_square(minus(one.v, one.w)), (bound * w) ** 2, f"{one}, the change")


# The statement: both readings of its proof, and the words as they stand.

_EXACT_CHANGE = Argument(
    r"The exact change, without neglecting $\Delta W \Delta X$",
    "identity",
    _exact_change,
    _CHANGE,
    {
        r"$W$ in place of $W + \Delta W$": {**_CHANGE, "D": words("0 - W E G")},
        "the opposite sign": {**_CHANGE, "D": words("V E G")},
        "no rank is needed": {**_CHANGE, "the same without X G = 1": True},
    },
    explanation=r"$W X = V (X + E)$, multiplied by $G$ from the right. The printed Equation 49 has $W$ for $V = W + \Delta W$.",
)
_SUBMULTIPLICATIVE = Argument(
    "The Frobenius norm is submultiplicative",
    "inequality",
    _product_of_norms,
    _LAGRANGE,
    {
        "with the factors exchanged": "A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[l,j] * A[i,l] * B[l,j]",
        "twice the product": "2 * A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[k,j] * A[i,l] * B[l,j]",
    },
    _same_norms,
    explanation="A sum of squares (Lagrange's identity). Operator norms are submultiplicative by their definition.",
)
_RELATIVE_TO_W = Argument(
    "Relative to $W$",
    "inequality",
    _relative_to_w,
    _RELATIVE,
    {
        "$q$ in place of $q / (1 - q)$": {**_RELATIVE, "q / (1 - q) at q = 1/2": "1/2"},
        "the combination leaves a rest": {**_RELATIVE, "target - q s_1 - (1 - q) s_2": "d*q"},
        "nothing beyond the first order": {**_RELATIVE, "(q / (1 - q) - q) / q^2": "0"},
    },
    explanation=r"$v = \lvert V\rvert$, $w = \lvert W\rvert$, $d = \lvert\Delta W\rvert$. From $W = V (1 + E G)$: $v \le w + q v$; "
    r"$d \le q v$. Both slacks are nonnegative and so are their factors $q$ and $1 - q$. At $W = X = 1$, "
    r"$\Delta X = -1/2$: $d / w = 1 = q / (1 - q)$.",
)
_RATIONAL_SYSTEMS = Argument(
    "Rational systems, Frobenius norms squared",
    "explicit",
    _small_systems,
    lambda s: (
        sum_of_squares(minus(s.v, s.w)) * sum_of_squares(s.x),
        sum_of_squares(s.v) * sum_of_squares(s.x) * sum_of_squares(s.g) * sum_of_squares(s.e),
    ),
    {
        "relative to $W$, as printed": lambda s: (
            sum_of_squares(minus(s.v, s.w)) * sum_of_squares(s.x),
            sum_of_squares(s.w) * sum_of_squares(s.x) * sum_of_squares(s.g) * sum_of_squares(s.e),
        ),
        r"without $\kappa$": lambda s: (
            sum_of_squares(minus(s.v, s.w)) * sum_of_squares(s.x),
            sum_of_squares(s.v) * sum_of_squares(s.e),
        ),
    },
    _hold,
)
_EXACT = (_EXACT_CHANGE, _SUBMULTIPLICATIVE, _RELATIVE_TO_W, _RATIONAL_SYSTEMS)
_SIZES = {"n": 1, "N": 1}


def _two_solutions(_: Context) -> Computed:
    """|V - W| / |W| and kappa(X) |Delta X| / |X| for two solutions at one X of lower rank; |X^+| = |X| = 1, Delta X = 0."""
    x, w, v = matrix([[1, 0], [0, 0]]), matrix([[2, 0], [0, 0]]), scale(2, eye(2))
    assert multiply(w, x) == multiply(v, x)
    return Computed((_norm_square(minus(v, w)) / _norm_square(w), Fraction(0)), Scope.of("n=N=2"))


FULL_ROW_RANK = Hypothesis(
    "$X$ has full row rank",
    lambda s: rank(s.x) == len(s.x),
    fails_on=replace(_SYSTEMS[2], x=matrix([[1, 0], [0, 0]])),
    holds_on=_SYSTEMS[3],
    printed=False,
    needed=Argument(
        r"Two solutions of one system: $X = \mathrm{diag}(1, 0)$, $W = \mathrm{diag}(2, 0)$ and $2 I$",
        "instance",
        _two_solutions,
        (Fraction(1), Fraction(0)),
        {
            PRINTED: property_of((Fraction(1), Fraction(1)))(lambda sides: sides[0] <= sides[1]),
            "half of it": (Fraction(1, 2), Fraction(0)),
        },
        matches,
    ),
)


def _both_kappas(_: Context) -> Computed:
    """(left, right) squared for X = 2 I, Delta X = diag(-2 e, 0), W = diag(3, 0), e = 10^-4, in Frobenius norms and in spectral ones.

    kappa^2 is that of Equation 8, and |X|^2 |X^+|^2 in Frobenius norms.
    """
    e = Fraction(1, 10_000)
    x, change, w = scale(2, eye(2)), matrix([[-2 * e, 0], [0, 0]]), matrix([[3, 0], [0, 0]])
    moved = minus(multiply(multiply(w, x), inverse(add(x, change))), w)
    kappas = _norm_square(x) * _norm_square(inverse(x)), sum_of_squares(x) * sum_of_squares(inverse(x))
    left, right = sum_of_squares(moved) / sum_of_squares(w), sum_of_squares(change) / sum_of_squares(x)
    found = {"Equation 8": left <= kappas[0] * right, "|X| |X^+|": left <= kappas[1] * right}
    return Computed(found, Scope.of("n=N=2, e=10^-4"))


_WHICH_KAPPA = Argument(
    "In Frobenius norms the condition number has to be that of the same norm",
    "instance",
    _both_kappas,
    {"Equation 8": False, "|X| |X^+|": True},
    {
        "that of Equation 8 does as well": {"Equation 8": True, "|X| |X^+|": True},
        "neither does": {"Equation 8": False, "|X| |X^+|": False},
    },
    explanation=r"The left side is $1.0001 e$, the right one $e / \sqrt{2}$ and $\sqrt{2} e$: the former fails at first order.",
)

_EVERY_CHANGE = Clause(
    r"If $X$ changes by any $\Delta X$, and both systems are solved exactly, "
    r"$\lvert\Delta W\rvert / \lvert W\rvert \le \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$.",
    _SIZES,
    hypotheses=(
        Hypothesis(
            "$Y = W X$",
            lambda s: s.y == s.w * s.x,
            fails_on=replace(_SCALARS, y=Fraction(2)),
            quote="Let us consider a simple problem, Y = WX",
            where="appendix A4",
        ),
        Hypothesis(
            r"$Y = (W + \Delta W)(X + \Delta X)$ has a solution",
            lambda s: s.x + s.change != 0 or s.y == 0,
            fails_on=replace(_SCALARS, change=Fraction(-1)),
            quote="result in a small solution perturbation, Delta W, so that Y = (W + Delta W)(X + Delta X)",
            where="appendix A4",
        ),
        Hypothesis(
            "$W$ and $X$ are invertible, as Equation 49 needs",
            lambda s: s.w != 0 and s.x != 0,
            fails_on=replace(_SCALARS, w=Fraction(0), y=Fraction(0)),
            quote="W^{-1} Delta W = -Delta X X^+",
            where="Equation 49",
        ),
    ),
    counterexample=Counterexample(
        instance=_SCALARS,
        sentence="Numbers do: the solution of $1 = W X$ moves from 1 to 2 when $X$ halves. However small the change, the printed "
        r"inequality fails for $X = 1$, $\Delta X = -e$, by a term of second order.",
        picture=lambda one: both_sides(
            lambda e: _sides(replace(one, change=-e)),
            Fraction(3, 4),
            "The relative change of $W$ is greater than the printed bound, however small the change $e$ of $X$.",
        ),
        latex=r"W = X = 1,\ \Delta X = -e: \quad \frac{|\Delta W|}{|W|} = \frac{e}{1 - e} > e",
        routes=(
            Argument(
                r"Both sides for $\Delta X = -1/2$",
                "instance",
                _solved,
                (Fraction(1), Fraction(1, 2)),
                {
                    PRINTED: property_of((Fraction(1), Fraction(1)))(lambda sides: sides[0] <= sides[1]),
                    "twice the right side": lambda sides: sides[0] > 2 * sides[1],
                },
                matches,
            ),
            Argument(
                r"The difference of the sides for every $\Delta X = -e$, $0 < e < 1$",
                "instance",
                _small_changes,
                _at_least_zero,
                {PRINTED: _at_most, "it vanishes": lambda found: not any(found[0])},
                matches,
                explanation="At $e = 1/(1+s)$ numerator and denominator are polynomials in $s > 0$ without negative coefficients.",
            ),
        ),
    ),
    repair=Repair(
        sentence=r"If $X$ has full row rank and both systems are solved exactly, then $\lvert\Delta W\rvert / \lvert W + \Delta "
        r"W\rvert \le \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$ with "
        r"$\kappa(X) = \lvert X\rvert \lvert X^+\rvert$, in the spectral norm or another submultiplicative one. With $q$ "
        r"the right side and $q < 1$, $\lvert\Delta W\rvert / \lvert W\rvert \le q / (1 - q)$; the counterexample attains "
        "both.",
        latex=r"\frac{\|\Delta W\|}{\|W + \Delta W\|} \le \kappa(X)\, \frac{\|\Delta X\|}{\|X\|}, \qquad \kappa(X) = \|X\|\,\|X^+\|",
        arguments=_EXACT,
        for_all=_SIZES,
        changes=(
            Change(
                "|Delta theta|/|theta| <= kappa(H(x)^l) |Delta H(x)^l|/|H(x)^l|",
                r"$\lvert\Delta W\rvert / \lvert W + \Delta W\rvert \le \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$",
                r"The denominator is $\lvert W + \Delta W\rvert$, or the right side is $q / (1 - q)$.",
            ),
        ),
    ),
)

_LEAST_SQUARES = Clause(
    r"If $X$ changes by a small $\Delta X$, and $W$ and $W + \Delta W$ fit $Y$ best, in least squares, then "
    r"$\lvert\Delta W\rvert / \lvert W\rvert \le \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$ to first order in "
    r"$\Delta X$.",
    _SIZES,
    hypotheses=(
        Hypothesis(
            "$W = Y X^+$ fits $Y$ by $W X$ best",
            lambda s: s.fits(),
            fails_on=replace(_ROWS, w=matrix([[2]])),
            quote="Our goal is to estimate the solution, W, given that X^+ is the pseudoinverse of X",
            where="appendix A4",
        ),
        Hypothesis(
            r"$W + \Delta W$ fits $Y$ by $(W + \Delta W)(X + \Delta X)$ best",
            lambda s: s.fits(moved=True),
            fails_on=replace(_ROWS, v=_ROWS.w),
            quote="result in a small solution perturbation, Delta W, so that Y = (W + Delta W)(X + Delta X)",
            where="appendix A4",
        ),
        Hypothesis(
            r"$X$ and $X + \Delta X$ have full row rank",
            lambda s: rank(s.x) == rank(add(s.x, s.e)) == len(s.x),
            fails_on=replace(_ROWS, x=matrix([[0, 0]])),
            printed=False,
        ),
        Hypothesis(
            r"$\Delta X$ is small: $\lvert\Delta X\rvert \le \lvert X\rvert / 100$",
            lambda s: sum_of_squares(s.e) * 10000 <= sum_of_squares(s.x),
            fails_on=replace(_ROWS, e=matrix([[0, 1]])),
            quote="let a small perturbation of Delta X",
            where="appendix A4",
        ),
    ),
    counterexample=Counterexample(
        instance=_ROWS,
        picture=lambda one: both_sides(
            lambda e: _roots(_sides_of_fits(_fitted(one.x, one.y, matrix([[0, e]])))),
            Fraction(1, 4),
            "$Y = (1, 2)$: near $e = 0$ the relative change of $W$ is twice the printed bound.",
        ),
        sentence=r"$X = (1, 0)$, $Y = (1, t)$ and $\Delta X = (0, e)$: the ratio of the two sides tends to $t$ as $e \to 0$, and "
        "$t$ is any number.",
        latex=r"W = \frac{1 + t e}{1 + e^2}: \quad \frac{|\Delta W|}{|W|} \Big/ \frac{|\Delta X|}{|X|} = \frac{t - e}{1 + e^2} \to t, \qquad \kappa(X) = 1",
        routes=(
            Argument(
                "Both sides, squared, for $t = 2$ and $e = 1/100$",
                "instance",
                _fitted_sides,
                (Fraction(199, 10001) ** 2, _SMALL**2),
                {
                    PRINTED: property_of((_SMALL**2, _SMALL**2))(lambda sides: sides[0] <= sides[1]),
                    "up to a half more": lambda sides: sides[0] <= sides[1] * Fraction(9, 4),
                },
                matches,
            ),
            Argument(
                "The limit of their ratio, for every $t$, by the derivative of the loss",
                "instance",
                _limit_of_the_ratio,
                (1, 0),
                {
                    PRINTED: property_of((1,))(lambda c: len(c) == 1 and c[0] <= 1),
                    "it is bounded": lambda c: len(c) == 1,
                },
                matches,
            ),
        ),
    ),
    repair=Repair(
        sentence=r"In the spectral norm, or in Frobenius' with $\kappa(X) = \lvert X\rvert \lvert X^+\rvert$: if $X$ has full row "
        r"rank, $W$ and $W + \Delta W$ fit $Y$ best, $R = Y - W X$, and "
        r"$q = \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert < 1$, then "
        r"$\lvert\Delta W\rvert / \lvert W\rvert \le q / (1 - q) + \kappa(X) \rho q / (1 - q)^2$ with "
        r"$\rho = \lvert R\rvert / (\lvert W\rvert \lvert X\rvert)$: to first order "
        r"$(\kappa + \rho \kappa^2) \lvert\Delta X\rvert / \lvert X\rvert$. In the spectral norm the square is attained "
        "to first order.",
        latex=r"\frac{\|\Delta W\|}{\|W\|} \le \frac{q}{1 - q} + \frac{\kappa(X)\,\rho\, q}{(1 - q)^2}, \qquad \rho = \frac{\|Y - W X\|}{\|W\|\,\|X\|}",
        arguments=(
            Argument(
                "The change of the best fit",
                "identity",
                _change_of_a_fit,
                _CHANGE_OF_A_FIT,
                {
                    "without the residual": {**_CHANGE_OF_A_FIT, "D": words("0 - W E K")},
                    "the residual alone": {**_CHANGE_OF_A_FIT, "D": words("R Et M")},
                    r"$K^{\mathsf T} K$ is the identity": {**_CHANGE_OF_A_FIT, "K^T K": words("1")},
                },
                explanation=r"$Y = W X + R$, $V = Y K$ and $(X + E) K = 1$. $K = (X + E)^{\mathsf T} M$ with $M$ the inverse of "
                r"$(X + E)(X + E)^{\mathsf T}$, and $R X^{\mathsf T} = 0$.",
            ),
            Argument(
                r"The pseudoinverse of $X + \Delta X$",
                "identity",
                _inverse_of_the_moved,
                _INVERSE,
                {
                    "$F$ is no right inverse": {**_INVERSE, "Z F": words("1 + E F")},
                    "$K Z$ is the identity": {**_INVERSE, "K Z F": words("F")},
                    "no rank is needed": {**_INVERSE, "P P without": True},
                },
                explanation="$Z = X + E$. $F$ solves $F = G - G E F$, which it does uniquely where "
                r"$q = \lvert E\rvert \lvert G\rvert < 1$: $\lvert F\rvert \le \lvert G\rvert + q \lvert F\rvert$. "
                r"$P = K Z = Z^{\mathsf T} M Z$ is symmetric and its own square, an orthogonal projection, so that "
                r"$\lvert K\rvert = \lvert P F\rvert \le \lvert F\rvert \le \lvert G\rvert / (1 - q)$.",
            ),
            _SUBMULTIPLICATIVE,
            Argument(
                "The two bounds combined",
                "inequality",
                _wedin,
                _bound_of_a_fit,
                {
                    r"$\kappa$ once": lambda q, kappa, rho: q / (1 - q) + rho * q / (1 - q) ** 2,
                    "as for exact systems": lambda q, kappa, rho: q / (1 - q),
                    "the first order alone": lambda q, kappa, rho: q + kappa * rho * q,
                },
                _combines,
                explanation=r"$w = \lvert W\rvert$, $r = \lvert R\rvert$, $e = \lvert E\rvert$, $g = \lvert G\rvert$, "
                r"$k = \lvert K\rvert$, $d = \lvert\Delta W\rvert$; every factor of a slack is nonnegative for $q < 1$.",
            ),
            Argument(
                "Rational fits, spectral norms",
                "explicit",
                _small_fits,
                _bound_of_a_fit,
                {
                    r"$\kappa$ once": lambda q, kappa, rho: q / (1 - q) + rho * q / (1 - q) ** 2,
                    "as for exact systems": lambda q, kappa, rho: q / (1 - q),
                    "half the residual's share": lambda q, kappa, rho: (
                        q / (1 - q) + kappa * rho * q / (2 * (1 - q) ** 2)
                    ),
                },
                _fits_hold,
                explanation=r"$X = \mathrm{diag}(1, s)$ beside a zero column, $R$ and $\Delta X$ within that column: "
                r"$\lvert\Delta W\rvert$ is $\lvert R\rvert \lvert\Delta X\rvert / s^2$ to first order.",
            ),
        ),
        for_all=_SIZES,
        changes=(
            Change(
                "|Delta theta|/|theta| <= kappa(H(x)^l) |Delta H(x)^l|/|H(x)^l|",
                r"$\lvert\Delta W\rvert / \lvert W\rvert \le q / (1 - q) + \kappa(X) \rho q / (1 - q)^2$",
                "The bound has a further term: a share of the residual, with the square of the condition number (Wedin 1973).",
            ),
        ),
    ),
)

P3 = Statement(
    id="RS-P3",
    title="The relative change of the solution of one linear layer fitted exactly",
    source=source(
        "Proposition 3, Eq. 27, 48-51",
        "For a DNN with optimal solution theta, Delta H(x)^l translates to a relative change in solution, Delta theta, as follows |Delta theta|/|theta| <= kappa(H(x)^l) |Delta H(x)^l|/|H(x)^l| : 0 <= l <= L",
    ),
    latex=r"\frac{\|\Delta W\|}{\|W\|} \le \kappa(X)\, \frac{\|\Delta X\|}{\|X\|}",
    setting="$W$ is a solution of $Y = W X$.",
    clauses=(
        Clause(
            r"If $X$, of full row rank, changes by a small $\Delta X$, and both systems are solved exactly, then "
            r"$\lvert\Delta W\rvert / \lvert W\rvert \le \kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$ to first order "
            r"in $\Delta X$, in the spectral norm, or with $\kappa(X) = \lvert X\rvert \lvert X^+\rvert$ in a "
            "submultiplicative norm: the left side exceeds $q$, the right one, by $q^2 / (1 - q)$ at most, $q < 1$.",
            _SIZES,
            (*_EXACT, _WHICH_KAPPA),
            changes=(
                Change(
                    "|Delta theta|/|theta| <= kappa(H(x)^l) |Delta H(x)^l|/|H(x)^l|",
                    r"to first order in $\Delta X$",
                    "What is of second order is left out: at any given change the left side may be the greater one.",
                    kept=True,
                ),
            ),
            hypotheses=(FULL_ROW_RANK,),
            reading=Sense(
                "solution, small",
                "$Y = W X$ and Equation 48 hold exactly, $X^+$ is a right inverse of $X$, and terms of second order are left out",
                "result in a small solution perturbation",
                "appendix A4, before Equation 48",
            ),
            other_readings=(_EVERY_CHANGE, _LEAST_SQUARES),
        ),
    ),
    kind="algebra",
    notes=r"The proposition speaks of a network's solution $\theta$; its proof is of one linear layer, which is what is stated "
    "here. What its proof calls the Cauchy-Schwarz inequality is submultiplicativity. Beyond training data the system "
    "has no exact solution in general, so that the reading by least squares is the one that bears on generalisation. The "
    "proof is announced for section A3 and stands in section A4.",
)

STATEMENTS = (P3,)
