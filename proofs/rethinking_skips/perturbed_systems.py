"""Rethinking skip connections, Proposition 3: the solution of Y = W X when X changes (RS-P3).

X is n x N, both systems are solved exactly: Y = W X = (W + D)(X + E). Letters: V = W + D, G a right inverse of X,
X G = 1, which exists exactly when X has full row rank. For any submultiplicative norm and kappa = |X| |G|,

    W = V (1 + E G),    D = V - W = -V E G,    |D| / |V| <= kappa |E| / |X|.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from architectures.terms import Opaque
from proofs.documents import source
from proofs.routes.predicates import matches
from proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from symbolic.algebra.matrices import Matrix, add, inverse, matrix, multiply, rank, scale, transpose
from symbolic.algebra.noncommutative import add as add_words
from symbolic.algebra.noncommutative import modulo, words
from symbolic.algebra.noncommutative import product as word_product
from symbolic.algebra.noncommutative import show as show_words
from symbolic.algebra.noncommutative import sizes as sizes_of_words
from symbolic.index import sizes
from symbolic.index.claims import parse, show
from symbolic.index.series import Sum

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
    """|dW| / |W| and kappa(X) |dX| / |X|."""
    s = _SCALARS
    moved = s.y / (s.x + s.change) - s.w
    kappa = abs(s.x) * abs(1 / s.x)
    return Computed((abs(moved) / abs(s.w), kappa * abs(s.change) / abs(s.x)), Scope.of(_SIZE))


def _small_changes(_: Context) -> Computed:
    """|dW| / |W| - |dX| / |X| for W = X = 1, dX = -e, at e = 1 / (1 + s) with s > 0, as a fraction of polynomials."""
    s, e = sympy.symbols("s e", positive=True)
    moved = sympy.symbols("dW")
    (root,) = sympy.solve((1 + moved) * (1 - e) - 1, moved)
    numerator, denominator = sympy.fraction(sympy.factor((root - e).subs(e, 1 / (1 + s))))
    found = tuple(tuple(int(c) for c in sympy.Poly(part, s).all_coeffs()) for part in (numerator, denominator))
    return Computed(found, Scope.of(f"{_SIZE}, dX = -e with 0 < e < 1"), r"\frac{e}{1 - e} - e = \frac{e^2}{1 - e}")


def _at_most(found: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a fraction of polynomials in s > 0 is at most zero, by the signs of the coefficients."""
    numerator, denominator = found
    return all(c <= 0 for c in numerator) and all(c >= 0 for c in denominator)


# The exact version.


_SHAPES = {"V": ("n", "n"), **dict.fromkeys(("X", "E"), ("n", "N")), "G": ("N", "n")}


def _exact_change(_: Context) -> Computed:
    """W and D in terms of V, from W X = V (X + E) times G."""
    without = word_product(words("V"), words("X + E"), words("G"))
    w = modulo(without, {"X G": ""})
    change = add_words(words("V"), {word: -c for word, c in w.items()})
    found = {"W": w, "D": change, "the same without X G = 1": without == w}
    return Computed(found, sizes_of_words(_SHAPES, without, w), r"\Delta W = " + show_words(change).replace("-1 ", "-"))


_CHANGE: Mapping[str, Any] = {
    "W": words("V + V E G"),
    "D": words("0 - V E G"),
    "the same without X G = 1": False,
}


def _product_of_norms(_: Context) -> Computed:
    """|A B|_F^2 and |A|_F^2 |B|_F^2 minus a sum of squares, in index notation."""
    known = {name: Opaque(name, dims) for name, dims in (("A", ("n", "k")), ("B", ("k", "p")))}

    def minor(a: str, b: str) -> list[tuple[int, str]]:
        return [(1, f"A[i,{a}] * B[{b},j]"), (-1, f"A[i,{b}] * B[{a},j]")]

    squares: Sum = {}
    for sign, left in minor("k", "l"):
        for other, right in minor("k", "l"):
            part = parse(f"{left} * {right}", known)
            squares = {
                **squares,
                **{m: squares.get(m, Fraction(0)) + Fraction(sign * other, 2) * c for m, c in part.items()},
            }
    shown = r"\|A\|_F^2 \|B\|_F^2 - \|A B\|_F^2 = \tfrac12 \sum_{i,j,k,l} (A_{ik} B_{lj} - A_{il} B_{kj})^2"
    found = {m: c for m, c in squares.items() if c}
    return Computed(found, sizes.of_terms(found), shown)


_LAGRANGE = "A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[k,j] * A[i,l] * B[l,j]"


def _same_norms(found: Sum, claim: str) -> None:
    known = {name: Opaque(name, dims) for name, dims in (("A", ("n", "k")), ("B", ("k", "p")))}
    if found != parse(claim, known):
        raise Disagreement(f"computed {show(found)}; claimed {claim}")


def _relative_to_w(_: Context) -> Computed:
    """v (1 - q) <= w and d <= q v: the slack w q - (1 - q) d as a combination of the slacks, as polynomials."""
    v, w, d, q = sympy.symbols("v w d q")
    first, second = w - v * (1 - q), q * v - d
    target = w * q - (1 - q) * d
    rest = sympy.Poly(sympy.expand(target - q * first - (1 - q) * second), v, w, d, q)
    equality = sympy.simplify((q / (1 - q)).subs(q, sympy.Rational(1, 2)))
    found = {"target - q s_1 - (1 - q) s_2": str(rest.as_expr()), "q / (1 - q) at q = 1/2": str(equality)}
    shown = r"\frac{\|\Delta W\|}{\|W\|} \le \frac{q}{1 - q}, \qquad q = \kappa(X) \frac{\|\Delta X\|}{\|X\|} < 1"
    return Computed(found, Scope(), shown)


_RELATIVE = {"target - q s_1 - (1 - q) s_2": "0", "q / (1 - q) at q = 1/2": "1"}


@dataclass(frozen=True, slots=True)
class Solved:
    """A rational system with X of full row rank, V, a change E, W = V (X + E) X^+, and Y = W X = V (X + E)."""

    x: Matrix
    v: Matrix
    e: Matrix

    @property
    def g(self) -> Matrix:
        """X^+ = X^T (X X^T)^{-1}."""
        return multiply(transpose(self.x), inverse(multiply(self.x, transpose(self.x))))

    @property
    def w(self) -> Matrix:
        """The solution before the change."""
        return multiply(multiply(self.v, add(self.x, self.e)), self.g)

    def __str__(self) -> str:
        return f"n={len(self.x)}, N={len(self.x[0])}"


def _square(a: Matrix) -> Fraction:
    return sum((Fraction(v) ** 2 for row in a for v in row), Fraction(0))


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
        left, right = claim(one)
        if left > right:
            raise Disagreement(f"{one}: {left} > {right}, squared")


def _change(s: Solved) -> Matrix:
    return add(s.v, scale(Fraction(-1), s.w))


P3 = Statement(
    id="RS-P3",
    title="The relative change of a solution is bounded by the condition number",
    source=source("S", "Proposition 3, Eq. 27, 48-51", "translates to a relative change in solution"),
    sentence="If X changes by Delta X and the solution W of Y = W X by Delta W, then |Delta W| / |W| <= kappa(X) |Delta X| / |X|.",
    latex=r"\frac{\|\Delta W\|}{\|W\|} \le \kappa(X)\, \frac{\|\Delta X\|}{\|X\|}",
    hypotheses=(
        Hypothesis("Y = W X", lambda s: s.y == s.w * s.x, fails_on=replace(_SCALARS, y=Fraction(2))),
        Hypothesis(
            "Y = (W + Delta W)(X + Delta X) has a solution",
            lambda s: s.x + s.change != 0 or s.y == 0,
            fails_on=replace(_SCALARS, change=Fraction(-1)),
        ),
        Hypothesis(
            "W and X are invertible, as Equation 49 needs",
            lambda s: s.w != 0 and s.x != 0,
            fails_on=replace(_SCALARS, w=Fraction(0), y=Fraction(0)),
        ),
    ),
    counterexample=Counterexample(
        instance=_SCALARS,
        sentence="Numbers do: the solution of 1 = W X moves from 1 to 2 when X halves. However small the change, the printed "
        "inequality fails for X = 1, Delta X = -e.",
        latex=r"W = X = 1,\ \Delta X = -e: \quad \frac{|\Delta W|}{|W|} = \frac{e}{1 - e} > e",
        routes=(
            Argument(
                "Both sides for Delta X = -1/2",
                "instance",
                _solved,
                (Fraction(1), Fraction(1, 2)),
                {
                    PRINTED: lambda sides: sides[0] <= sides[1],
                    "twice the right side": lambda sides: sides[0] > 2 * sides[1],
                },
                matches,
            ),
            Argument(
                "The difference of the sides for every Delta X = -e, 0 < e < 1",
                "instance",
                _small_changes,
                lambda found: all(c >= 0 for part in found for c in part) and any(found[0]),
                {PRINTED: _at_most, "it vanishes": lambda found: not any(found[0])},
                matches,
                explanation="At e = 1/(1+s) numerator and denominator are polynomials in s > 0 without negative coefficients.",
            ),
        ),
    ),
    repair=Repair(
        sentence="If X has full row rank and both systems are solved exactly, then |Delta W| / |W + Delta W| <= kappa(X) |Delta X| / |X| "
        "with kappa(X) = |X| |X^+|, for every submultiplicative norm. With q the right side and q < 1, |Delta W| / |W| <= "
        "q / (1 - q); the counterexample attains both.",
        latex=r"\frac{\|\Delta W\|}{\|W + \Delta W\|} \le \kappa(X)\, \frac{\|\Delta X\|}{\|X\|}, \qquad \kappa(X) = \|X\|\,\|X^+\|",
        arguments=(
            Argument(
                "The exact change, without neglecting Delta W Delta X",
                "identity",
                _exact_change,
                _CHANGE,
                {
                    "W in place of W + Delta W": {**_CHANGE, "D": words("0 - W E G")},
                    "the opposite sign": {**_CHANGE, "D": words("V E G")},
                    "no rank is needed": {**_CHANGE, "the same without X G = 1": True},
                },
                explanation="W X = V (X + E), multiplied by G from the right. The printed Equation 49 has W for V = W + Delta W.",
            ),
            Argument(
                "The Frobenius norm is submultiplicative",
                "inequality",
                _product_of_norms,
                _LAGRANGE,
                {
                    "with the factors exchanged": "A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[l,j] * A[i,l] * B[l,j]",
                    "twice the product": "2 * A[i,k] * A[i,k] * B[l,j] * B[l,j] - A[i,k] * B[k,j] * A[i,l] * B[l,j]",
                },
                _same_norms,
                explanation="A sum of squares (Lagrange's identity). Operator norms are submultiplicative by their definition. This, "
                "and not the Cauchy-Schwarz inequality, is what the printed proof uses.",
            ),
            Argument(
                "Relative to W",
                "inequality",
                _relative_to_w,
                _RELATIVE,
                {
                    "q in place of q / (1 - q)": {**_RELATIVE, "q / (1 - q) at q = 1/2": "1/2"},
                    "the combination leaves a rest": {**_RELATIVE, "target - q s_1 - (1 - q) s_2": "d*q"},
                },
                explanation="v = |V|, w = |W|, d = |Delta W|. From W = V (1 + E G): v <= w + q v; d <= q v. Both slacks are "
                "nonnegative and so are their factors q and 1 - q. At W = X = 1, Delta X = -1/2: d / w = 1 = q / (1 - q).",
            ),
            Argument(
                "Rational systems, Frobenius norms squared",
                "explicit",
                _small_systems,
                lambda s: (
                    _square(_change(s)) * _square(s.x),
                    _square(s.v) * _square(s.x) * _square(s.g) * _square(s.e),
                ),
                {
                    "relative to W, as printed": lambda s: (
                        _square(_change(s)) * _square(s.x),
                        _square(s.w) * _square(s.x) * _square(s.g) * _square(s.e),
                    ),
                    "without kappa": lambda s: (_square(_change(s)) * _square(s.x), _square(s.v) * _square(s.e)),
                },
                _hold,
            ),
        ),
        for_all={"n": 1, "N": 1},
        adds="The denominator is |W + Delta W|, X has full row rank, and both systems are solved exactly.",
    ),
    kind="algebra",
    errata=(
        "Proof of Proposition 3: the inequality behind Equation 50 is submultiplicativity, not Cauchy-Schwarz.",
        "Below Proposition 3 its proof is announced in Section A3; it is in Section A4.",
    ),
    notes="The proposition speaks of a network's solution theta; its proof is of one linear layer, which is what is stated here. "
    "Neglecting Delta W Delta X makes the printed inequality hold to first order in Delta X only.",
)

STATEMENTS = (P3,)
