"""The Hessian I (x) D + L (x) A + L^T (x) A^T in exact arithmetic, at every number R of blocks.

Block (r, s) depends on the order of r and s alone: D, A below, A^T above. So an expression in the blocks at r, r+1, s,
s+1 depends on s - r up to two places, and finitely many *order types* cover every R. D, A, A^T are noncommutative
symbols there, so the results hold for blocks of every size.

With A = W - K, W symmetric and K skew, and F = D - W, Sigma_rs = sign(r - s),

    H_R = I (x) F + 11^T (x) W - Sigma (x) K.

A *stretch* of a units with sum s = sum_r v_r contributes s^T (W + C_a) s to v^T (H - z) v at its stationary point, and

    C_1 = F - z,    C_{a+b} = C_a - (C_a - K) Q^-1 (C_a + K),    Q = C_a + C_b,

by elimination of the sum of the second stretch. Hence det(H_R - z) = det(W + C_R) prod det Q over the R - 1 joints,
and the inertia of H_R - z is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt, prod
from typing import Any, TypeAlias

import flint
import sympy

from resproof.architectures.forms.hessian_blocks import block_at
from resproof.symbolic.algebra.matrices import (
    Inertia,
    Matrix,
    add,
    determinant,
    eye,
    inertia,
    inverse,
    multiply,
    real_rooted,
    scale,
    signs_of_roots,
    transpose,
)
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring
from resproof.symbolic.scope import Scope

Expression: TypeAlias = Any
Merge: TypeAlias = Callable[[Matrix, Matrix, Matrix], tuple[Matrix, Matrix]]
"""(C_a, C_b, K) -> (Q, C_{a+b})."""

D, A, AT, Z = (sympy.Symbol(name, commutative=name == "z") for name in ("D", "A", "A^T", "z"))
"""The blocks as noncommutative symbols, and the shift."""

ONE = sympy.Integer(1)


def block(r: int, s: int) -> Expression:
    """Block (r, s) of H - z."""
    return {"D": D - Z * ONE, "A": A, "A^T": AT}[block_at(r, s)]


# For every R, by order types.


def order_types(value: Callable[[int, int], Expression], units: int = 8) -> dict[str, Expression]:
    """value(r, s) for each order type of (r, r+1) and s in 1..units, the same at every place of that type.

    Raises:
        AssertionError: two places of one type give different values.
    """
    names = {-1: "s = r - 1", 0: "s = r", 1: "s = r + 1"}
    found: dict[str, Expression] = {}
    for r in range(1, units):
        for s in range(1, units + 1):
            name = names.get(s - r, "s < r - 1" if s < r else "s > r + 1")
            here = sympy.expand(value(r, s))
            assert found.setdefault(name, here) == here, f"{name}: {found[name]} and {here}"
    return found


def row_differences() -> dict[str, Expression]:
    """Block row r of H - z less block row r + 1, column by column."""
    return order_types(lambda r, s: block(r, s) - block(r + 1, s))


def pair_image() -> dict[str, Expression]:
    """The rows s of H (e_r (x) v - e_{r+1} (x) v), as maps of v."""
    return {name: one.subs(Z, 0) for name, one in order_types(lambda r, s: block(s, r) - block(s, r + 1)).items()}


def unit_image() -> dict[str, Expression]:
    """The rows s of H (e_r (x) v), as maps of v."""
    return {name: one.subs(Z, 0) for name, one in order_types(lambda r, s: block(s, r)).items()}


UNITS, NUMBER = sympy.symbols("R r", integer=True, positive=True)


@cache
def same_in_every_unit(units: int = 8) -> Mapping[str, Expression]:
    """Row r of H (1 (x) v), r - 1 units being before it and R - r behind, and the sum of all rows; R and r are symbols.

    Raises:
        AssertionError: at one of the first depths row r is another sum of blocks.
    """
    there = {D: sympy.Integer(1), A: NUMBER - 1, AT: UNITS - NUMBER}
    row = sum((count * one for one, count in there.items()), sympy.Integer(0))
    for last in range(1, units + 1):
        for r in range(1, last + 1):
            here = sum((block(r, s).subs(Z, 0) for s in range(1, last + 1)), sympy.Integer(0))
            assert sympy.expand(row.subs({NUMBER: r, UNITS: last}) - here) == 0, f"row {r} of {last}: {here}"
    total = sum(sympy.summation(count, (NUMBER, 1, UNITS)) * one for one, count in there.items())
    return {"row r": sympy.expand(row), "all rows": sympy.expand(total)}


def congruent_blocks(units: int = 8) -> dict[str, Expression]:
    """T^T (H - z) T with T = I minus the shift: columns e_r - e_{r+1}, and e_R; by s - r and whether s or r is R.

    Raises:
        AssertionError: two places of one type give different values.
    """

    def entry(r: int, s: int) -> Expression:
        rows = [(1, r), (-1, r + 1)] if r < units else [(1, r)]
        columns = [(1, s), (-1, s + 1)] if s < units else [(1, s)]
        return sympy.expand(sum(p * q * block(i, j) for p, i in rows for q, j in columns))

    found: dict[str, Expression] = {}
    for r in range(1, units + 1):
        for s in range(1, units + 1):
            near = {-1: "left", 0: "diagonal", 1: "right"}.get(s - r, "far")
            name = "last" if r == s == units else near
            here = entry(r, s)
            assert found.setdefault(name, here) == here, f"{name}: {found[name]} and {here}"
    return found


def split_blocks() -> dict[str, Expression]:
    """The blocks of I (x) F + 11^T (x) W - Sigma (x) K in terms of D, A and A^T."""
    w, k = (A + AT) / 2, (AT - A) / 2
    f = D - w
    return {name: sympy.expand(one) for name, one in (("diagonal", f + w), ("below", w - k), ("above", w + k))}


CA, K, W, Q = (sympy.Symbol(name, commutative=False) for name in ("C_a", "K", "W", "Q"))
CB = Q - CA
"""C_b = Q - C_a, so that Q = C_a + C_b has the inverse Q**-1."""


def merged() -> dict[str, Expression]:
    """Two stretches in the sums s and u of both and of the second: the blocks, and the form of s when u is eliminated.

    In s_1 = s - u and s_2 = u the form is [[W + C_a, W + K], [W - K, W + C_b]], because the blocks between the
    stretches are all A = W - K below and A^T above. "eliminated" is its Schur complement, less W.
    """
    form = sympy.Matrix([[W + CA, W + K], [W - K, W + CB]])
    change = sympy.Matrix([[1, -1], [0, 1]])
    turned = (change.T * form * change).applyfunc(sympy.expand)
    schur = sympy.expand(turned[0, 0] - turned[0, 1] * Q**-1 * turned[1, 0] - W)
    return {"joint": turned[1, 1], "right": turned[0, 1], "left": turned[1, 0], "eliminated": schur}


_PLACES = (
    {"s < r - 1", "s = r - 1", "s = r", "s = r + 1", "s > r + 1"},
    {"far", "left", "diagonal", "right", "last"},
    {"diagonal", "below", "above"},
    {"joint", "right", "left", "eliminated"},
    {"row r", "all rows"},
)


def sizes(found: Mapping[str, Expression]) -> Scope:
    """R and p of what one of the functions above found.

    R: block (r, s) depends on the order of r and s alone, so places of one order type are alike at every R, and there
    are no other types than these; stretches that merge are of any lengths. p: blocks are symbols that do not commute,
    so what holds for them holds for matrices of every size.

    Raises:
        ValueError: a type of place is missing, or there is no block.
    """
    symbols = {one for value in found.values() for one in value.free_symbols}
    if {*found} not in _PLACES or all(one.is_commutative for one in symbols):
        raise ValueError(f"sizes: there is {', '.join(found)}; expected blocks at every type of place")
    return Scope.leaving_free("R", "p")


@dataclass(frozen=True, slots=True)
class Corner:
    """As many first columns as last rows of R = 2h + e units, the symbols h >= 0 and e = 0, 1."""

    ring: Ring

    def gap(self, rows: Callable[[Any, Any], Any]) -> Plain:
        """The first of the last rows(h, e) rows less the last of as many first columns."""
        h, e = self.ring.symbols(["h", "e"])
        count = rows(h, e)
        return self.ring.plain((2 * h + e) - count + 1 - count)

    @property
    def sizes(self) -> Scope:
        """R, since every R is 2h + e."""
        return Scope.leaving_free("R")


def corner() -> Corner:
    """The lower left corner at every R."""
    return Corner(flint_ring(["h", "e"]))


# Rational instances.


@dataclass(frozen=True, slots=True)
class Stretches:
    """H_R - z taken apart: the joint of every pair of stretches, and W + C_R."""

    joints: tuple[Matrix, ...]
    last: Matrix

    @property
    def determinant(self) -> Fraction:
        """det(H_R - z)."""
        return prod((determinant(q) for q in self.joints), start=determinant(self.last))

    @property
    def inertia(self) -> Inertia:
        """The inertia of H_R - z."""
        counts = [inertia(q) for q in (*self.joints, self.last)]
        return Inertia(*(sum(getattr(one, name) for one in counts) for name in ("negative", "zero", "positive")))


def merge(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    """The joint Q = C_a + C_b, and C_{a+b} = C_a - (C_a - K) Q^-1 (C_a + K).

    Raises:
        ZeroDivisionError: the joint is singular.
    """
    joint = add(a, b)
    product = multiply(multiply(add(a, scale(-1, k)), inverse(joint)), add(a, k))
    return joint, add(a, scale(-1, product))


def parts(diagonal: Matrix, below: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """F, W and K: A = W - K, F = D - W."""
    half = Fraction(1, 2)
    w = scale(half, add(below, transpose(below)))
    k = scale(half, add(transpose(below), scale(-1, below)))
    return add(diagonal, scale(-1, w)), w, k


def stretches(
    diagonal: Matrix,
    below: Matrix,
    units: int,
    shift: Fraction | int,
    *,
    step: Merge = merge,
    halves: bool = True,
) -> Stretches:
    """H_R - z by stretches: halved again and again, or lengthened by one unit at a time.

    Raises:
        ZeroDivisionError: a joint is singular at this shift.
    """
    f, w, k = parts(diagonal, below)
    first = add(f, scale(-Fraction(shift), eye(len(f))))
    known: dict[int, tuple[Matrix, tuple[Matrix, ...]]] = {1: (first, ())}

    def form(length: int) -> tuple[Matrix, tuple[Matrix, ...]]:
        if length not in known:
            a = length // 2 if halves else length - 1
            (left, left_joints), (right, right_joints) = form(a), form(length - a)
            joint, both = step(left, right, k)
            known[length] = both, (*left_joints, *right_joints, joint)
        return known[length]

    whole, joints = form(units)
    return Stretches(joints, add(w, whole))


# Enclosures.


@dataclass(frozen=True, slots=True)
class Interval:
    """Rational numbers low <= x <= high."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        assert self.low <= self.high, f"{self.low} > {self.high}"

    def over(self, other: Interval) -> Interval | None:
        """The quotient of nonnegative numbers; None where the divisor may be zero."""
        return Interval(self.low / other.high, self.high / other.low) if other.low > 0 else None

    def times(self, factor: Fraction | int) -> Interval:
        """The multiple by a nonnegative number."""
        return Interval(self.low * factor, self.high * factor)


def root(square: Interval, bits: int = 60) -> Interval:
    """The square root of nonnegative numbers, to 2^-bits; exact where both ends are squares of rationals."""

    def below(x: Fraction) -> Fraction:
        exact = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return exact if exact * exact == x else Fraction(isqrt(int(x * 4**bits)), 2**bits)

    low, high = below(square.low), below(square.high)
    return Interval(low, high if high * high == square.high else high + Fraction(1, 2**bits))


def eigenvalue(a: Matrix, place: int, bits: int = 40) -> Interval:
    """The eigenvalue of a symmetric rational matrix with `place` others below it, counted with multiplicity.

    Exact where it is rational: the rational roots of the characteristic polynomial are known by its factors. Otherwise
    enclosed between two counts by inertia, to 2^-bits of the greatest row sum.

    Raises:
        ValueError: there are not so many eigenvalues.
    """
    if not 0 <= place < len(a):
        raise ValueError(f"eigenvalue: {place} others below it, of {len(a)}; expected fewer")
    reach = 1 + max(sum(abs(x) for x in row) for row in a)
    low, high, p = -Fraction(reach), Fraction(reach), real_rooted(a)
    for root in _rational_roots(p):
        counts = _about(p, root)
        if counts.negative <= place < counts.negative + counts.zero:
            return Interval(root, root)
    while high - low > reach * Fraction(1, 2**bits):
        middle = (low + high) / 2
        low, high = (low, middle) if _about(p, middle).negative > place else (middle, high)
    return Interval(low, high)


def _rational_roots(p: flint.fmpq_poly) -> tuple[Fraction, ...]:
    _, factors = p.factor()
    roots = [-f[0] / f[1] for f, _ in factors if f.degree() == 1]
    return tuple(sorted(Fraction(int(x.p), int(x.q)) for x in roots))


def squared_singular_value(a: Matrix, place: int) -> Interval:
    """The square of the singular value with `place` others below it."""
    found = eigenvalue(multiply(transpose(a), a), place)
    return Interval(max(found.low, Fraction(0)), found.high)


def squared_norm(a: Matrix) -> Interval:
    """The square of the spectral norm."""
    return squared_singular_value(a, len(a[0]) - 1)


def squared_condition(a: Matrix) -> Interval | None:
    """The square of sigma_max / sigma_min; None where sigma_min is zero."""
    return squared_norm(a).over(squared_singular_value(a, 0))


def small_singular_values(a: Matrix, bound: Fraction) -> int:
    """How many singular values have a square of at most `bound`."""
    counts = _about(real_rooted(multiply(transpose(a), a)), bound)
    return counts.negative + counts.zero


def absolute_row_sums(a: Matrix) -> tuple[Fraction, ...]:
    """The sums of the moduli of each row: bounded in R is what absolutely summable entries mean."""
    return tuple(sum((abs(Fraction(x)) for x in row), Fraction(0)) for row in a)


def restricted(a: Matrix, basis: Sequence[Sequence[Any]]) -> Matrix:
    """B^T a B for orthonormal columns B, given as rows."""
    rows = tuple(tuple(Fraction(x) for x in row) for row in basis)
    return multiply(multiply(rows, a), transpose(rows))


def _about(p: flint.fmpq_poly, place: Fraction) -> Inertia:
    """How many roots lie below a place, on it and above it, for one without others than real roots."""
    return signs_of_roots(p(flint.fmpq_poly([flint.fmpq(place.numerator, place.denominator), 1])))
