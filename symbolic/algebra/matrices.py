"""Exact matrices: commutation matrix, Kronecker products, block structure, eigen-decompositions, inertia.

A matrix is a tuple of rows with entries of any one commutative ring (fractions, SymPy expressions, ring elements).
vec stacks columns: vec(V)_{(c-1) d + r} = V_rc. Rank, determinant, inertia and characteristic polynomial of rational
matrices go through FLINT; eigenvalues are never computed, they are verified: H w = lambda w, and full rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from operator import eq, mul
from typing import TYPE_CHECKING, Any, TypeAlias

import flint

from resproof.architectures.forms.hessian_blocks import Block, block_at
from resproof.symbolic.algebra.rings import Ring, as_fraction, flint_ring, show
from resproof.symbolic.scope import Scope

if TYPE_CHECKING:
    import sympy  # loaded by what shows its expressions, and by nothing else here

Matrix: TypeAlias = tuple[tuple[Any, ...], ...]
Vector: TypeAlias = tuple[Any, ...]
RowFormula: TypeAlias = Callable[[Any, Any, Any], Any]
"""The row of the 1 in column j, from (j - 1) mod d, ceil(j / d) and d."""


def printed_row(remainder: Any, ceiling: Any, d: Any) -> Any:
    """i = ((j - 1) mod d) d + ceil(j / d). Source: Demystifying ResNet, after Eq. 24."""
    return remainder * d + ceiling


def commutation_matrix(d: int, row: RowFormula = printed_row) -> Matrix:
    """P with P_ij = 1 iff i = ((j - 1) mod d) d + ceil(j / d): P vec(V) = vec(V^T) for every d x d matrix V.

    Source: Demystifying ResNet, after Eq. 24.
    """
    rows = [row((j - 1) % d, -(-j // d), d) for j in range(1, d * d + 1)]
    return tuple(tuple(int(rows[j] == i) for j in range(d * d)) for i in range(1, d * d + 1))


@dataclass(frozen=True, slots=True)
class AnyEntry:
    """Row r and column c of any entry of any d x d matrix: r = 1 + a, d = r + b, c = 1 + e with a, b, e >= 0."""

    ring: Ring
    r: Any
    c: Any
    d: Any

    @property
    def sizes(self) -> Scope:
        """d, where it is no number but a polynomial in what is free."""
        return Scope.leaving_free(*(["d"] if any(monomial for monomial in self.ring.plain(self.d)) else []))


def any_entry() -> AnyEntry:
    """The place of an entry in symbols."""
    ring = flint_ring(["a", "b", "e"])
    a, b, e = ring.symbols(["a", "b", "e"])
    return AnyEntry(ring, a + 1, e + 1, a + 1 + b)


def prove_commutation(at: AnyEntry, row: RowFormula = printed_row) -> tuple[str, ...]:
    """The steps of the proof, for all d at once, that P vec(V) = vec(V^T), each one checked.

    The steps are identities in the polynomials of the place `at`, and inequalities whose sides differ by a polynomial
    without negative coefficients.

    Raises:
        AssertionError: a step fails; the message shows it.
    """
    ring, r, c, d = at.ring, at.r, at.c, at.d
    j = (c - 1) * d + r
    i = row(r - 1, c, d)
    return (
        _at_least("0 <= r - 1", r - 1, ring),
        _at_least("r - 1 <= d - 1", (d - 1) - (r - 1), ring),
        _identity(
            "vec(V)_j = V_rc for j = (c-1) d + r, so j - 1 = (c-1) d + (r-1)", j - 1, (c - 1) * d + (r - 1), ring
        ),
        "hence (j-1) mod d = r - 1 and ceil(j/d) = c",
        _identity(
            "the 1 in column j stands in row i = (r-1) d + c, where vec(V^T)_i = (V^T)_cr", i, (r - 1) * d + c, ring
        ),
        "hence (P vec V)_i = V_rc = (V^T)_cr = vec(V^T)_i",
    )


def _identity(sentence: str, left: Any, right: Any, ring: Ring) -> str:
    if left - right:
        raise AssertionError(f"{sentence}: fails by {show(ring.plain(left - right))}")
    return sentence


def _at_least(sentence: str, difference: Any, ring: Ring) -> str:
    plain = ring.plain(difference)
    if any(coefficient < 0 for coefficient in plain.values()):
        raise AssertionError(f"{sentence}: the sides differ by {show(plain)}")
    return sentence


def matrix(rows: Iterable[Iterable[Any]]) -> Matrix:
    """The rows as a matrix, ints made fractions.

    Raises:
        ValueError: rows of unequal lengths.
    """
    found = tuple(tuple(Fraction(x) if isinstance(x, int) else x for x in row) for row in rows)
    if len({len(row) for row in found}) > 1:
        raise ValueError(f"matrix: rows of lengths {[len(row) for row in found]}; expected equal ones")
    return found


def zeros_and_ones(n: int, relation: Callable[[int, int], bool]) -> Matrix:
    """The n x n matrix with 1 where the relation of row and column holds, of ints, which multiply all else."""
    return tuple(tuple(int(relation(i, j)) for j in range(n)) for i in range(n))


def eye(n: int) -> Matrix:
    """The n x n identity matrix of fractions."""
    return matrix(zeros_and_ones(n, eq))


def transpose(a: Matrix) -> Matrix:
    """The transpose."""
    return tuple(zip(*a, strict=True))


def add(*terms: Matrix) -> Matrix:
    """The sum of matrices of one shape."""
    return tuple(tuple(sum(xs[1:], xs[0]) for xs in zip(*rows, strict=True)) for rows in zip(*terms, strict=True))


def scale(c: Any, a: Matrix) -> Matrix:
    """c a."""
    return tuple(tuple(c * x for x in row) for row in a)


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """The product a b."""
    columns = transpose(b)
    if _of_fractions(a) and _of_fractions(b) and all(len(row) == len(b) for row in a):
        return _product_of_fractions(a, columns)
    return tuple(tuple(sum(x * y for x, y in zip(row, col, strict=True)) for col in columns) for row in a)


def _of_fractions(a: Matrix) -> bool:
    return {type(x) for row in a for x in row} <= {Fraction}


def _product_of_fractions(rows: Matrix, columns: Matrix) -> Matrix:
    """Each row and each column over one denominator: what is multiplied and added are integers."""
    left, right = list(map(_over_one, rows)), list(map(_over_one, columns))
    return tuple(tuple(Fraction(sum(map(mul, row, col)), d * e) for col, e in right) for row, d in left)


def _over_one(vector: Vector) -> tuple[list[int], int]:
    """The numerators over the least common denominator, and that."""
    common = lcm(*(x.denominator for x in vector))
    return [x.numerator * (common // x.denominator) for x in vector], common


def dot(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    """The sum of the products of numbers that stand at one place."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def sum_of_squares(a: Matrix) -> Fraction:
    """|a|_F^2 of a matrix of numbers."""
    return sum((dot(row, row) for row in a), Fraction(0))


def kronecker(a: Matrix, b: Matrix) -> Matrix:
    """The Kronecker product, blocks a_ij b."""
    return tuple(tuple(x * y for x in row for y in other) for row in a for other in b)


def block_diagonal(*blocks: Matrix) -> Matrix:
    """diag(blocks), the blocks of any shapes."""
    width, start, rows = sum(len(block[0]) for block in blocks), 0, list[Vector]()
    for block in blocks:
        rows += ((0,) * start + row + (0,) * (width - start - len(row)) for row in block)
        start += len(block[0])
    return matrix(rows)


def block_toeplitz(diagonal: Matrix, below: Matrix, units: int) -> Matrix:
    """I (x) D + L (x) A + L^T (x) A^T with L strictly lower triangular ones: D on, A below, A^T above the diagonal.

    Source: Demystifying ResNet, Eq. 10.
    """
    blocks: dict[Block, Matrix] = {"D": diagonal, "A": below, "A^T": transpose(below)}
    return add(*(kronecker(_places(block, units), one) for block, one in blocks.items()))


def _places(block: Block, units: int) -> Matrix:
    """1 where the block lies."""
    return zeros_and_ones(units, lambda r, s: block_at(r, s) == block)


def cayley(skew: Matrix) -> Matrix:
    """(I - S)(I + S)^-1, a rational orthogonal matrix for every rational skew-symmetric S.

    Raises:
        ValueError: S is not skew-symmetric.
    """
    if scale(-1, skew) != transpose(skew):
        raise ValueError(f"cayley: {skew} is not skew-symmetric")
    one = eye(len(skew))
    return multiply(add(one, scale(-1, skew)), inverse(add(one, skew)))


def inverse(a: Matrix) -> Matrix:
    """The inverse of a rational matrix.

    Raises:
        ZeroDivisionError: the matrix is singular.
    """
    return tuple(tuple(as_fraction(x) for x in row) for row in _flint(a).inv().tolist())


def rank(a: Matrix) -> int:
    """The rank of a rational matrix."""
    return int(_flint(a).rank())


def determinant(a: Matrix) -> Fraction:
    """The determinant of a rational matrix."""
    return as_fraction(_flint(a).det())


@dataclass(frozen=True, slots=True)
class Inertia:
    """How many eigenvalues of a symmetric matrix are negative, zero and positive."""

    negative: int
    zero: int
    positive: int

    @property
    def indefinite(self) -> bool:
        """Whether there are negative and positive ones."""
        return self.negative > 0 and self.positive > 0


def inertia(a: Matrix) -> Inertia:
    """The inertia of a symmetric rational matrix.

    Raises:
        ValueError: the matrix is not symmetric.
    """
    return signs_of_roots(real_rooted(a))


def real_rooted(a: Matrix) -> flint.fmpq_poly:
    """The characteristic polynomial of a symmetric rational matrix, all roots of which are real.

    Raises:
        ValueError: the matrix is not symmetric.
    """
    if a != transpose(a):
        raise ValueError("inertia: the matrix is not symmetric")
    return _flint(a).charpoly()


def signs_of_roots(p: flint.fmpq_poly) -> Inertia:
    """How many roots of a polynomial without others than real ones are negative, zero and positive.

    By Descartes' rule the sign changes in the coefficients of p(t) and p(-t) are exactly the numbers of positive and
    negative ones.
    """
    signs = [(c > 0) - (c < 0) for c in p.coeffs()]
    mirrored = [sign * (-1) ** k for k, sign in enumerate(signs)]
    zero = next(k for k, sign in enumerate(signs) if sign)
    return Inertia(_sign_changes(mirrored), zero, _sign_changes(signs))


def _sign_changes(signs: Sequence[int]) -> int:
    return sum(x != y for x, y in pairwise(sign for sign in signs if sign))


def characteristic_polynomial(a: Matrix, variable: sympy.Symbol) -> sympy.Expr:
    """det(variable - a), expanded; entries may be symbolic. For small matrices."""
    import sympy
    from sympy.polys.matrices import DomainMatrix

    dense = DomainMatrix.from_Matrix(sympy.Matrix([list(map(sympy.sympify, row)) for row in a]))
    coefficients = [dense.domain.to_sympy(c) for c in dense.charpoly()]
    return sympy.expand(sympy.Add(*(c * variable**k for k, c in enumerate(reversed(coefficients)))))


def _flint(a: Matrix) -> flint.fmpq_mat:
    entries = [Fraction(x) for row in a for x in row]
    return flint.fmpq_mat(len(a), len(a[0]), [flint.fmpq(x.numerator, x.denominator) for x in entries])
