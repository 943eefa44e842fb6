"""Rethinking skip connections, single matrices: random ones are nonsingular (Proposition 1), singular ones lose information.

With independent entries that have densities an event is improbable when it is the zero set of a polynomial that is not
zero: det W = 0, and A B = B A for d >= 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import sympy

from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.joint_evidence import draw_matrices, none_singular
from resproof.proofs.rethinking_skips.joint_families import apply
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    ExceptionalSet,
    Induction,
    Statement,
)
from resproof.symbolic.algebra.matrices import (
    Matrix,
    determinant,
    eye,
    inverse,
    matrix,
    multiply,
    rank,
    scale,
    transpose,
)
from resproof.symbolic.algebra.noncommutative import Relations, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring, show
from resproof.symbolic.certificates import standing_for
from resproof.symbolic.scope import Scope

# RS-P1: random matrices.


def _laplace(_: Context) -> Computed:
    """det W along its first row, w_11 M_11 + s w_1j M_1j + ...: its part in w_11, and its value where the row is e_1.

    M_11 is the determinant of the other rows and columns, whatever their number.
    """
    ring = flint_ring(["w11", "M11", "s", "w1j", "M1j"])
    w, minor, s, other, cofactor = ring.symbols(ring.names)
    expansion = w * minor + s * other * cofactor
    slope = {m: c for m, c in ring.plain(expansion).items() if ("w11", 1) in m}
    row = {("w11", 1): 1, ("w1j", 1): 0}
    at_first: Plain = {}
    for monomial, c in ring.plain(expansion).items():
        for factor, value in row.items():
            c *= value if factor in monomial else 1
        kept = tuple(one for one in monomial if one not in row)
        at_first = {**at_first, **({kept: c} if c else {})}
    found = {"part in w_11": show(slope), "row e_1": show(at_first)}
    scope = standing_for((name for monomial in ring.plain(expansion) for name, _ in monomial), {"M11": "d"})
    return Computed(found, scope, r"\det W = w_{11} \det W' + \cdots, \qquad \det I_{d+1} = \det I_d")


_LAPLACE = {"part in w_11": "M11*w11", "row e_1": "M11"}


def _minors_of_the_identity(_: Context) -> Computed:
    found = {d: tuple(row[1:] for row in eye(d + 1)[1:]) == eye(d) for d in range(1, 7)}
    return Computed(found, Scope.of(*(f"d={d}" for d in found)))


_MINORS = dict.fromkeys(range(1, 7), True)


def _determinants(_: Context) -> Computed:
    """The coefficients of w_11 w_22 ... w_dd in det W, the powers of entries, and how many terms there are."""
    found = {}
    for d in (1, 2, 3, 4):
        plain = _generic_determinant(d)
        diagonal = tuple((f"w{i}{i}", 1) for i in range(1, d + 1))
        found[d] = (plain.get(diagonal, Fraction(0)), {power for m in plain for _, power in m}, len(plain))
    return Computed(found, Scope.over(d=found))


def _generic_determinant(d: int, *, equal_rows: bool = False) -> Plain:
    """det W as a polynomial in the entries; zero where all rows are the first one, d >= 2."""
    ring = flint_ring([f"w{i}{j}" for i in range(1, d + 1) for j in range(1, d + 1)])
    rows = [[ring.symbol(f"w{1 if equal_rows else i}{j}") for j in range(1, d + 1)] for i in range(1, d + 1)]
    return ring.plain(expanded(tuple(map(tuple, rows)), ring))


def expanded(rows: Matrix, ring: Ring) -> Any:
    """The determinant along the first row."""
    if not rows:
        return ring.one
    total = ring.zero
    for j, entry in enumerate(rows[0]):
        minor = tuple(row[:j] + row[j + 1 :] for row in rows[1:])
        total = total + ring.number((-1) ** j) * entry * expanded(minor, ring)
    return total


_FACTORIALS = {1: 1, 2: 2, 3: 6, 4: 24}


def _written_out(coefficient: int, degree: int) -> dict[int, tuple[Fraction, set[int], int]]:
    """What is claimed of det W for each d; it has d! terms."""
    return {d: (Fraction(coefficient), {degree}, terms) for d, terms in _FACTORIALS.items()}


def _singular_shares(_: Context) -> Computed:
    """The share of singular d x d matrices among all with entries -r, ..., r, by counting."""
    found = {}
    for d, r in ((1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1)):
        entries = range(-r, r + 1)
        number = sum(1 for w in product(entries, repeat=d * d) if not _small_determinant(d, w))
        found[d, 2 * r + 1] = Fraction(number, (2 * r + 1) ** (d * d))
    return Computed(found, Scope.of(*(f"d={d}, {n} values" for d, n in found)))


def _small_determinant(d: int, w: tuple[int, ...]) -> int:
    if d == 1:
        return w[0]
    if d == 2:
        return w[0] * w[3] - w[1] * w[2]
    a, b, c, e, f, g, h, i, j = w
    return a * (f * j - g * i) - b * (e * j - g * h) + c * (e * i - f * h)


def _at_most(found: Mapping[tuple[int, int], Fraction], claim: Callable[[int, int], Fraction]) -> None:
    for (d, n), share in found.items():
        at_most(share, claim(d, n), f"d={d}, {n} values, the share of singular matrices")


def _commutators(_: Context) -> Computed:
    """[E_12, E_21] of matrix units of any size d >= 2, and the product of matrices with common eigenvectors."""
    names = ("E12", "E21", "E11", "E22", "V", "V'", "D", "F")
    shapes: dict[str, tuple[str, str]] = dict.fromkeys(names, ("d", "d"))
    bracket = add_words(words("E12 E21"), words("- E21 E12"))
    reduced = modulo(bracket, {"E12 E21": "E11", "E21 E12": "E22"})
    shared = word_product(words("V D V'"), words("V F V'"))
    found = {"d >= 2": show_words(reduced), "shared eigenvectors": show_words(modulo(shared, {"V' V": ""}))}
    shown = r"[E_{12}, E_{21}] = E_{11} - E_{22} \ne 0"
    return Computed(found, sizes(shapes, bracket, reduced, shared), shown)


_COMMUTATORS = {"d >= 2": "+1 E11 -1 E22", "shared eigenvectors": "+1 V D F V'"}


def _small_commutators(_: Context) -> Computed:
    """Whether generic matrices commute, d = 1, 2."""
    found = {}
    for d in (1, 2):
        ring = flint_ring([f"{name}{i}{j}" for name in "ab" for i in range(d) for j in range(d)])
        a, b = (tuple(tuple(ring.symbol(f"{n}{i}{j}") for j in range(d)) for i in range(d)) for n in "ab")
        found[d] = multiply(a, b) == multiply(b, a)
    return Computed(found, Scope.of("d=1", "d=2"))


@dataclass(frozen=True, slots=True)
class Density:
    """A function of w, and the interval where it is considered."""

    value: Any
    low: Any
    high: Any


ENTRY = sympy.Symbol("w", real=True)


def densities() -> tuple[Density, Density]:
    """1/(2r) on [-r, r] and the Gaussian density, r > 0, sigma > 0."""
    mu = sympy.Symbol("mu", real=True)
    r, sigma = sympy.symbols("r sigma", positive=True)
    bell = sympy.exp(-((ENTRY - mu) ** 2) / (2 * sigma**2)) / (sigma * sympy.sqrt(2 * sympy.pi))
    return Density(1 / (2 * r), -r, r), Density(bell, -sympy.oo, sympy.oo)


def _are_densities(found: Sequence[Density]) -> bool:
    """Whether all integrals are one."""
    return all(sympy.simplify(sympy.integrate(one.value, (ENTRY, one.low, one.high))) == 1 for one in found)


POINT_MASS = Density(sympy.Integer(0), -sympy.oo, sympy.oo)
"""What sigma = 0 leaves: zero almost everywhere."""


_NOT_ZERO = Argument(
    "The determinant is not the zero polynomial, for every $d$",
    "identity",
    _laplace,
    _LAPLACE,
    {
        "$w_{11}$ does not occur": {**_LAPLACE, "part in w_11": "0"},
        "it vanishes at $I$": {**_LAPLACE, "row e_1": "0"},
        "the other minor": {**_LAPLACE, "row e_1": "M1j*s"},
    },
    explanation="Laplace's expansion along the first row; $j$ stands for any further column. With $M_{11}$ the determinant "
    r"is not zero either. At $I$ the minor $M_{11}$ is that of $I$ again, so $\det I = 1$.",
)

_NONSINGULAR = (
    Induction(
        "d",
        Argument(
            "Determinants written out: coefficient of the diagonal, degree in an entry, number of terms",
            "identity",
            _determinants,
            _written_out(1, 1),
            {"quadratic in an entry": _written_out(1, 2), "the diagonal cancels": _written_out(0, 1)},
            explanation=r"Given the other entries, the determinant is affine in $w_{11}$ with the slope $\det W'$, so that by "
            "induction one value of $w_{11}$ at most is excluded, which has probability 0.",
        ),
        _NOT_ZERO,
    ),
    Citation(
        "polynomial-zeros",
        {
            r"the polynomial is not zero: the terms of $\det W$, $d = 1..4$": Condition(
                holds=all,
                of=lambda: [_generic_determinant(d) for d in _FACTORIALS],
                fails_on=lambda: [_generic_determinant(d, equal_rows=True) for d in _FACTORIALS],
            ),
            r"the distributions have densities $(r > 0, \sigma > 0)$": Condition(
                holds=_are_densities, of=densities, fails_on=lambda: (densities()[0], POINT_MASS)
            ),
        },
    ),
    Argument(
        "The minor of $I$ is $I$",
        "instance",
        _minors_of_the_identity,
        _MINORS,
        {"not for $d = 1$": {**_MINORS, 1: False}},
    ),
    Argument(
        "Shares of singular matrices over finite sets fall to zero",
        "instance",
        _singular_shares,
        lambda d, n: Fraction(d, n),
        {
            "none is singular": lambda d, n: Fraction(0),
            "$1/n$ for every $d$": lambda d, n: Fraction(1, n),
            "$d/n^2$": lambda d, n: Fraction(d, n * n),
        },
        _at_most,
        explanation="With $n$ equally likely values an entry the probability is at most $d/n$: positive, and zero only in the limit. "
        "Floating-point numbers are such a finite set.",
    ),
)

P1 = Statement(
    id="RS-P1",
    title="Proposition 1: a random matrix is nonsingular with probability 1",
    source=source(
        "Proposition 1, Corollary 1, Eq. 6, appendix A1",
        "the probability that W is non-singular, P(w_i not in span W_-i), is ... = 1 : 1 <= i <= n ... W^l is therefore guaranteed to be a non-singular matrix at the start of training",
    ),
    latex=r"P(\det W = 0) = 0",
    clauses=(
        Clause(
            "A square matrix with independent entries from a uniform distribution on $[-r, r]$ or a Gaussian one "
            r"$N(\mu, \sigma^2)$, $r$ and $\sigma$ positive, is nonsingular with probability 1.",
            {"d": 1},
            _NONSINGULAR,
        ),
        Clause(
            "Randomly initialised weight matrices, of such entries, are nonsingular at the start of training (Corollary 1).",
            {"d": 1},
            _NONSINGULAR,
            reading=ExceptionalSet(
                r"$\det W = 0$",
                fails=Argument(
                    "All entries 1/2: drawn like any other matrix from [-1, 1], and singular",
                    "instance",
                    lambda _: Computed(rank(scale(Fraction(1, 2), matrix([[1, 1], [1, 1]]))), Scope.of("d=2")),
                    1,
                    {PRINTED: 2, "the zero matrix": 0},
                ),
                null=Induction(
                    "d",
                    Argument(
                        r"$\det W$ does not vanish everywhere",
                        "identity",
                        lambda _: Computed({d: determinant(eye(d)) for d in _FACTORIALS}, Scope.over(d=_FACTORIALS)),
                        dict.fromkeys(_FACTORIALS, Fraction(1)),
                        {"it vanishes": dict.fromkeys(_FACTORIALS, Fraction(0))},
                        explanation="A polynomial in the entries.",
                    ),
                    _NOT_ZERO,
                ),
            ),
        ),
        Clause(
            r"Two such matrices, independent of each other, commute with probability 0 when $d \ge 2$.",
            {"d": 2},
            (
                Argument(
                    "The commutator is not zero",
                    "identity",
                    _commutators,
                    _COMMUTATORS,
                    {
                        "matrix units commute": {**_COMMUTATORS, "d >= 2": "0"},
                        "shared eigenvectors in another order": {**_COMMUTATORS, "shared eigenvectors": "+1 V F D V'"},
                    },
                    explanation="Matrices with common eigenvectors commute, as $D F = F D$ for diagonal matrices. The commutator's "
                    r"entries are polynomials, not all zero for $d \ge 2$, so Assumption 1 fails with probability 1 for "
                    "two or more layers drawn independently: Proposition 1 and Assumption 1 are about different networks.",
                ),
                Argument(
                    "Generic matrices of two sizes",
                    "explicit",
                    _small_commutators,
                    {1: True, 2: False},
                    {"$d = 1$ as well": {1: False, 2: False}, "$d = 2$ does": {1: True, 2: True}},
                ),
            ),
            ours=True,
        ),
    ),
    evidence=(
        Argument(
            "Random matrices drawn as at initialisation",
            "floating point",
            draw_matrices(500),
            0,
            {"one in a hundred is singular": 5, "all of them are": 500},
            none_singular,
        ),
    ),
    kind="algebra",
    notes=r"Independent entries with $r > 0$, $\sigma > 0$; with $\sigma = 0$ all entries are $\mu$ and the matrix is singular "
    r"for $d \ge 2$. With probability 1 is less than guaranteed, as Corollary 1 has it. The printed proof lets spans of "
    "columns avoid each other one after the other; what it needs is that the other columns are independent of $w_i$.",
)

# RS-P2: singular matrices lose information.

_PENROSE: Relations = {"M* G* M*": "M*"}


_SHAPES = {**dict.fromkeys(("M", "M*", "G*"), ("d", "d")), **dict.fromkeys(("v", "u", "z"), ("d", "1"))}


def _difference(_: Context) -> Computed:
    """M (v + u) - M v, and G M applied to M* z where G M is symmetric and M G M = M."""
    first = word_product(words("M"), words("v + u"))
    second = word_product(words("M* G*"), words("M* z"))
    moved, recovered = add_words(first, words("- M v")), modulo(second, _PENROSE)
    found = {"M(v+u) - M v": show_words(moved), "G M (M* z)": show_words(recovered)}
    shown = r"M (v + u) - M v = M u = 0, \qquad M^\dagger M\, M^{\mathsf T} z = M^{\mathsf T} z"
    return Computed(found, sizes(_SHAPES, first, second), shown)


_DIFFERENCE = {"M(v+u) - M v": "+1 M u", "G M (M* z)": "+1 M* z"}


@dataclass(frozen=True, slots=True)
class Recovery:
    """A matrix, its rank, a kernel vector or None, and M^+ M v for a v in the row space and one outside it."""

    name: str
    full: bool
    collision: bool
    recovered: tuple[bool, bool]


_MATRICES: Mapping[str, Matrix] = {
    "rank 1, d=2": matrix([[1, 2], [3, 6]]),
    "rank 0, d=1": matrix([[0]]),
    "rank 2, d=3": matrix([[1, 0, 1], [0, 1, 1], [1, 2, 3]]),
    "rank 2, d=2": matrix([[1, 2], [3, 4]]),
    "rank 1, d=1": matrix([[5]]),
}


def _recoveries(_: Context) -> Computed:
    found = []
    for name, m in _MATRICES.items():
        assert name == f"rank {rank(m)}, d={len(m)}"
        back = pseudo_inverse(m)
        inside = apply(transpose(m), [Fraction(k + 1) for k in range(len(m))])
        kernel = kernel_vector(m)
        outside = inside if kernel is None else tuple(a + b for a, b in zip(inside, kernel, strict=True))
        same = [apply(back, apply(m, v)) == v for v in (inside, outside)]
        collides = kernel is not None and apply(m, inside) == apply(m, outside)
        found.append(Recovery(name, rank(m) == len(m), collides, (same[0], same[1])))
    return Computed(found, Scope.of(*_MATRICES))


def _of_sympy(m: Matrix) -> Any:
    return sympy.Matrix([[sympy.Rational(x.numerator, x.denominator) for x in row] for row in m])


def kernel_vector(m: Matrix) -> tuple[Fraction, ...] | None:
    """A nonzero vector that M maps to zero; None where there is none."""
    found = _of_sympy(m).nullspace()
    return tuple(Fraction(int(x.p), int(x.q)) for x in found[0]) if found else None


def pseudo_inverse(m: Matrix) -> Matrix:
    """C^T (C C^T)^{-1} (B^T B)^{-1} B^T for the full-rank factorisation M = B C; the zero matrix for M = 0."""
    reduced, pivots = _of_sympy(m).rref()
    if not pivots:
        return transpose(scale(Fraction(0), m))
    c = tuple(tuple(Fraction(int(x.p), int(x.q)) for x in reduced.row(k)) for k in range(len(pivots)))
    b = tuple(tuple(row[p] for p in pivots) for row in m)
    right = multiply(transpose(c), inverse(multiply(c, transpose(c))))
    return multiply(right, multiply(inverse(multiply(transpose(b), b)), transpose(b)))


Told: TypeAlias = Callable[[bool], tuple[bool, tuple[bool, bool]]]
"""Whether two vectors collide, and which of the two is recovered, from whether the matrix has full rank."""


def _same_recoveries(found: Sequence[Recovery], claim: Told) -> None:
    for one in found:
        if (one.collision, one.recovered) != claim(one.full):
            raise Disagreement(f"{one.name}: two vectors collide: {one.collision}; recovered: {one.recovered}")


P2 = Statement(
    id="RS-P2",
    title="Proposition 2: a singular matrix loses information",
    source=source("Proposition 2", "the transformation s = Mv incurs information loss"),
    sentence=r"For a singular square matrix $M$ the map $v \to M v$ is not injective, so that $v$ is not determined by $s = M v$.",
    for_all={"d": 1},
    latex=r"\det M = 0 \implies \exists\, v \ne v' : M v = M v'",
    arguments=(
        Argument(
            "Vectors that differ by a kernel vector have one image; the pseudo-inverse returns vectors of the row space",
            "identity",
            _difference,
            _DIFFERENCE,
            {
                "it depends on $v$": {**_DIFFERENCE, "M(v+u) - M v": "+1 M u +1 M v"},
                "only for $z = 0$": {**_DIFFERENCE, "G M (M* z)": "0"},
            },
            explanation=r"A singular matrix has a kernel vector $u \ne 0$. With $G = M^+$ the product $G M$ is symmetric, $G M = M^* G^*$.",
        ),
        Argument(
            "Exact matrices of full and of lower rank",
            "instance",
            _recoveries,
            lambda full: (not full, (True, full)),
            {
                "never recovered": lambda full: (not full, (False, False) if not full else (True, True)),
                "always recovered": lambda full: (not full, (True, True)),
                "no two collide": lambda full: (False, (True, full)),
            },
            _same_recoveries,
            explanation="$v$ in the row space, and the same $v$ plus a kernel vector.",
        ),
    ),
    kind="algebra",
    notes="It is the map that loses information. A single $v$ is recovered exactly by $M^+ s$ when it lies in the row space of "
    "$M$, so the proof's 'cannot be recovered with certainty' is meant for a $v$ of which nothing else is known.",
)
