"""The printed matrix forms of Theorem 2, with the commutation matrix P, against exact Hessians and for every d.

A claim is a function from the data matrices to the printed blocks; it is compared with the exact Hessian of small
linear networks with symbolic data, where M = S - T, S = (1/m) X X^T and T = (1/m) Y X^T.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import eq
from typing import TypeAlias

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.hessians import Size, size
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.algebra.matrices import (
    AnyEntry,
    Matrix,
    RowFormula,
    add,
    any_entry,
    block_toeplitz,
    commutation_matrix,
    kronecker,
    matrix,
    multiply,
    printed_row,
    prove_commutation,
    scale,
    transpose,
    zeros_and_ones,
)
from resproof.symbolic.algebra.rings import Ring
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import hessian_at_initial_point

Blocks: TypeAlias = Callable[[Matrix, Matrix], tuple[Matrix, Matrix]]
"""(S, T) -> (the diagonal block, the block below it)."""


@dataclass(frozen=True, slots=True)
class PrintedHessian:
    """The dense exact Hessian of a small linear network, and S and T over the same ring."""

    at: Size
    rows: Matrix
    s: Matrix
    t: Matrix


def linear_hessians(shortcut_depth: int) -> Callable[[Context], Computed]:
    """Exact Hessians of small linear n-shortcut networks with symbolic data."""

    def compute(_: Context) -> Computed:
        sizes = (size(1, d=2), size(3, 2, d=2), size(2, d=3))
        found = [_exact(shortcut_depth, at) for at in sizes]
        return Computed(found, Scope.of(*(f"n={shortcut_depth}, {at}" for at in sizes)))

    return compute


def _exact(shortcut_depth: int, at: Size) -> PrintedHessian:
    d = dict(at.dims)["d"]
    network = Network(ResidualUnit(n_shortcut(shortcut_depth)), at.units)
    hessian = hessian_at_initial_point(network, {"d": d}, samples=at.samples)
    n = range(hessian.parameters)
    rows = tuple(tuple(hessian[i, j] for j in n) for i in n)
    x, y = (_data(hessian.ring, name, d, at.samples) for name in "xy")
    mean = hessian.ring.number(Fraction(1, at.samples))
    return PrintedHessian(at, rows, *(scale(mean, multiply(a, transpose(x))) for a in (x, y)))


def _data(ring: Ring, name: str, d: int, samples: int) -> Matrix:
    return matrix([[ring.symbol(f"{name}_{i + 1}_{u + 1}") for u in range(samples)] for i in range(d)])


def same_matrices(found: list[PrintedHessian], claim: Blocks) -> None:
    """Pass when the printed blocks give every Hessian.

    Raises:
        Disagreement: they do not; the message names the first size.
    """
    for one in found:
        if block_toeplitz(*claim(one.s, one.t), one.at.units) != one.rows:
            raise Disagreement(f"{one.at}: the Hessian is not the printed matrix")


def copies(m: Matrix) -> Matrix:
    """blockdiag(M, ..., M) = I_d (x) M."""
    return kronecker(zeros_and_ones(len(m), eq), m)


def permutation(m: Matrix) -> Matrix:
    """The commutation matrix P of M's size."""
    return commutation_matrix(len(m))


def _unit(a: Matrix) -> Matrix:
    """[[0, A^T], [A, 0]]."""
    empty = scale(0, a)
    upper = tuple(x + y for x, y in zip(empty, transpose(a), strict=True))
    return upper + tuple(x + y for x, y in zip(a, empty, strict=True))


def _second_order(a: Callable[[Matrix], Matrix]) -> Blocks:
    """The blocks for n = 2, units not interacting, with A a function of M = S - T."""

    def blocks(s: Matrix, t: Matrix) -> tuple[Matrix, Matrix]:
        unit = _unit(a(add(s, scale(-1, t))))
        return unit, scale(0, unit)

    return blocks


def _printed_b(s: Matrix) -> Matrix:
    p = permutation(s)
    return multiply(multiply(p, copies(s)), transpose(p))


def _first_order(
    residual: Callable[[Matrix], Matrix], b: Callable[[Matrix], Matrix] = _printed_b, *, plus_b: bool = True
) -> Blocks:
    """The blocks for n = 1 with B and, as a function of S - T, the first summand of A."""

    def blocks(s: Matrix, t: Matrix) -> tuple[Matrix, Matrix]:
        first = residual(add(s, scale(-1, t)))
        return b(s), add(first, b(s)) if plus_b else first

    return blocks


def _times_p(m: Matrix) -> Matrix:
    return multiply(copies(m), transpose(permutation(m)))


_ROW_NEIGHBOURS: Mapping[str, RowFormula] = {
    "remainder and ceiling exchanged": lambda remainder, ceiling, d: ceiling * d + remainder,
    "one row off": lambda remainder, ceiling, d: remainder * d + ceiling + 1,
    "the identity": lambda remainder, ceiling, d: (ceiling - 1) * d + remainder + 1,
}


def _any_entry(_: Context) -> Computed:
    at = any_entry()
    return Computed(at, at.sizes, r"P \operatorname{vec}(V) = \operatorname{vec}(V^{\mathsf T})")


def _commutes(at: AnyEntry, claim: RowFormula) -> None:
    """Pass when the proof goes through for an entry of the matrix, and for none above or below it.

    Raises:
        Disagreement: it does not, or it does.
    """
    if not at.sizes.free or replace(at, d=at.ring.number(3)).sizes.free:
        raise Disagreement("an entry of a matrix of any width is one of a fixed width, or the other way round")
    try:
        _ = prove_commutation(at, claim)
    except AssertionError as error:
        raise Disagreement(str(error)) from None
    for beyond in (replace(at, r=at.r - 1), replace(at, d=at.d - 1)):
        with suppress(AssertionError):
            raise Disagreement(f"an entry that may not be there: {prove_commutation(beyond, claim)}")


COMMUTATION = Argument(
    "$P$ is the commutation matrix, for every $d$",
    "identity",
    _any_entry,
    printed_row,
    _ROW_NEIGHBOURS,
    _commutes,
    explanation=r"With $r = 1 + a$, $d = r + b$, $c = 1 + e$ the entry $V_{rc}$ stands at $j = (c-1) d + r$ of $\mathrm{vec}(V)$; the "
    r"printed row of the 1 in column $j$ is $(r-1) d + c$, where $\mathrm{vec}(V^{\mathsf T})$ has it: identities of "
    r"polynomials in $a$, $b$, $e$. In index notation $(P)_{(i,a),(b,j)} = \delta_{ij} \delta_{ab}$, so the entry "
    r"$c M_{ij} \delta_{ab}$ is $A = c\, \mathrm{blockdiag}(M, \ldots, M) P^{\mathsf T}$.",
)

SECOND_ORDER = Argument(
    r"The printed matrix $A = \mathrm{blockdiag}(M, \ldots, M) P^{\mathsf T}$ of linear networks",
    "explicit",
    linear_hessians(2),
    _second_order(_times_p),
    {
        "without $P$": _second_order(copies),
        "$P$ on the left": _second_order(lambda m: multiply(permutation(m), copies(m))),
        "$M$ transposed": _second_order(lambda m: _times_p(transpose(m))),
        "the opposite sign": _second_order(lambda m: scale(-1, _times_p(m))),
    },
    same_matrices,
)

FIRST_ORDER = Argument(
    r"The printed matrices $B = P\, \mathrm{blockdiag}(S, \ldots, S) P^{\mathsf T}$ and "
    r"$A = \mathrm{blockdiag}(S - T, \ldots) P^{\mathsf T} + B$",
    "explicit",
    linear_hessians(1),
    _first_order(_times_p),
    {
        "$B$ without $P$": _first_order(_times_p, copies),
        "$A$ without $B$": _first_order(_times_p, plus_b=False),
        "$A$ without $P$": _first_order(copies),
        "$S - T$ transposed": _first_order(lambda m: _times_p(transpose(m))),
    },
    same_matrices,
)
