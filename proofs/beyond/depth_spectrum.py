"""The spectrum of H_R at any depth from matrices of the size of one unit (GEN-4): one p x p problem for every R.

Letters as in `proofs.beyond.depth_law`; stretches of units, their joints and C_a as in `symbolic.algebra.toeplitz`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.counted_extremes import COUNT_ERRORS, COUNTED
from resproof.proofs.beyond.depth_evidence import TANH, observed_dense
from resproof.proofs.beyond.depth_instances import GENERAL, LINEAR, NONLINEAR, multiple, pair
from resproof.proofs.beyond.depth_law import in_two_rows, same_expressions
from resproof.proofs.beyond.spectra_of_blocks import SPECTRA
from resproof.proofs.routes.exact_spectra import dense, exact_spectrum
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Statement
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.matrices import Inertia, Matrix, add, determinant, eye, inertia, scale
from resproof.symbolic.algebra.toeplitz import AT, CA, CB, A, D, K, Q, W, Z
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# Identities between blocks, by order types.


def _differences(_: Context) -> Computed:
    shown = r"(H v)_r - (H v)_{r+1} = (D - A)\,v_r - (D - A^{\mathsf T})\,v_{r+1}"
    found = toeplitz.row_differences()
    return Computed(found, toeplitz.sizes(found), shown)


TRANSFER = Argument(
    "Adjacent block rows of $(H_R - z) v = 0$",
    "identity",
    _differences,
    in_two_rows(D - A - Z, -(D - AT - Z)),
    {
        "$A$ and its transpose exchanged": in_two_rows(D - AT - Z, -(D - A - Z)),
        "without the shift": in_two_rows(D - A, -(D - AT)),
        "$D + A$": in_two_rows(D + A - Z, -(D + AT - Z)),
    },
    same_expressions,
    explanation=r"So $H_R v = z v$ exactly when $(D - A^{\mathsf T} - z) v_{r+1} = (D - A - z) v_r$ for $r < R$ and the first row "
    r"holds, $(D - z) v_1 + A^{\mathsf T} (v_2 + \cdots + v_R) = 0$: subtracting rows is invertible. Nothing is inverted, "
    r"so it covers $z$ in $\mathrm{spec}(D - A)$. For other $z$ it is $[D - z + A^{\mathsf T} \sum_k Z^k] v_1 = 0$ with "
    r"$Z = (D - A^{\mathsf T} - z)^{-1} (D - A - z)$.",
)


def _congruence(_: Context) -> Computed:
    found = toeplitz.congruent_blocks()
    return Computed(
        found,
        toeplitz.sizes(found),
        r"T^{\mathsf T}(H_R - z)\,T = \operatorname{tridiag}(-E,\; E + E^{\mathsf T},\; -E^{\mathsf T}),\quad E = D - A - z",
    )


_E, _ET = D - A - Z, D - AT - Z
_TRIDIAGONAL = {"far": sympy.Integer(0), "diagonal": _E + _ET, "left": -_E, "right": -_ET, "last": D - Z}

CONGRUENCE = Argument(
    r"$T^{\mathsf T} (H_R - z) T$ is block tridiagonal for $T = I$ less the shift",
    "identity",
    _congruence,
    _TRIDIAGONAL,
    {
        "the last block is like the others": {**_TRIDIAGONAL, "last": _E + _ET},
        "$E$ and its transpose exchanged": {**_TRIDIAGONAL, "left": -_ET, "right": -_E},
        "half the diagonal": {**_TRIDIAGONAL, "diagonal": (_E + _ET) / 2},
    },
    same_expressions,
    explanation="$T$ is unit bidiagonal, so inertia and determinant stay. Columns $e_r - e_{r+1}$, and $e_R$.",
)


def _split(_: Context) -> Computed:
    shown = (
        r"H_R = I \otimes F + 1 1^{\mathsf T} \otimes W - \Sigma \otimes K,\quad W = \tfrac12(A + A^{\mathsf T}),\; "
        r"K = \tfrac12(A^{\mathsf T} - A),\; F = D - W,\; \Sigma_{rs} = \operatorname{sign}(r - s)"
    )
    found = toeplitz.split_blocks()
    return Computed(found, toeplitz.sizes(found), shown)


SPLIT = Argument(
    "The symmetric and skew parts of $A$",
    "identity",
    _split,
    {"diagonal": D, "below": A, "above": AT},
    {
        "$A$ and its transpose exchanged": {"diagonal": D, "below": AT, "above": A},
        "$W = A$ and $K = 0$": {"diagonal": D, "below": A, "above": A},
        "$A$ symmetric": {"diagonal": D, "below": (A + AT) / 2, "above": (A + AT) / 2},
        "$D - A$ on the diagonal": {"diagonal": D - A, "below": A, "above": AT},
    },
    same_expressions,
)


def _merged(_: Context) -> Computed:
    shown = r"C_1 = F - z,\quad Q = C_a + C_b,\quad C_{a+b} = C_a - (C_a - K)\,Q^{-1}(C_a + K)"
    found = toeplitz.merged()
    return Computed(found, toeplitz.sizes(found), shown)


def _merge_claim(joint: Any, eliminated: Any) -> dict[str, Any]:
    return {"joint": joint, "right": K - CA, "left": -(K + CA), "eliminated": eliminated}


_SCHUR = CA - (CA - K) * Q**-1 * (CA + K)

MERGE = Argument(
    "Two stretches of units become one: the sum of the second is eliminated",
    "identity",
    _merged,
    _merge_claim(Q, _SCHUR),
    {
        "$W$ at the joint": _merge_claim(Q + W, _SCHUR),
        "without $K$": _merge_claim(Q, CA - CA * Q**-1 * CA),
        "$C_b$ in the last factor": _merge_claim(Q, CA - (CA - K) * Q**-1 * (CB + K)),
        "the other sign": _merge_claim(Q, CA + (CA - K) * Q**-1 * (CA + K)),
    },
    same_expressions,
    explanation="By induction: a stretch of $a$ units is congruent to its joints and $W + C_a$ in the sum of its $v_r$, with unit "
    r"triangular changes of basis. All blocks between two stretches are $A$ below and $A^{\mathsf T}$ above, so they meet "
    r"in their sums alone. One unit has no joint and $C_1 = F - z$, since $D = W + F$. So $\mathrm{inertia}(H_R - z)$ is "
    "that of $W + C_R$ and of the $R - 1$ joints, and the determinants multiply; stretches of one length are alike, so "
    r"$\log_2 R$ doublings do.",
)


# Exact instances.


@dataclass(frozen=True, slots=True)
class _Shifted:
    """Determinant and inertia of an exact Hessian at a rational shift, with D and A."""

    name: str
    units: int
    shift: Fraction
    diagonal: Matrix
    below: Matrix
    determinant: Fraction
    inertia: Inertia


_SPECTRAL_CASES: tuple[tuple[str, ResidualUnit, Instance, tuple[int, ...]], ...] = (
    ("d=1, T=3S", LINEAR, Instance([[1]], [[3]]), (1, 2, 5)),
    ("d=2, m=2", LINEAR, GENERAL, (1, 2, 3)),
    ("d=2, m=1", LINEAR, Instance([[1], [2]], [[3], [-1]]), (3,)),
    ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", NONLINEAR, GENERAL, (2, 3)),
)


def _determinants(_: Context) -> Computed:
    """det(H_R - z) at one point more than its degree, so that equality means equal characteristic polynomials."""
    found: list[_Shifted] = []
    for name, unit, data, depths in _SPECTRAL_CASES:
        diagonal, below = pair(unit, data)
        for units in depths:
            h = dense(unit, units, data)
            for k in range(len(h) + 1):
                shift = Fraction(2 * k - len(h), 7) + Fraction(1, 97)
                moved = add(h, scale(-shift, eye(len(h))))
                found.append(_Shifted(name, units, shift, diagonal, below, determinant(moved), inertia(moved)))
    sizes = dict.fromkeys(f"n=1, {one.name}, R={one.units}" for one in found)
    return Computed(found, Scope.of(*sizes), r"\det(H_R - z) = \det(W + C_R) \prod_{\text{joints}} \det Q")


@dataclass(frozen=True, slots=True)
class _Recipe:
    """A way to take H_R - z apart: the merge, halving or one unit at a time, and whether W is put in."""

    step: toeplitz.Merge = toeplitz.merge
    halves: bool = True
    factor: int = 1


def _taken_apart(found: Sequence[_Shifted], recipe: _Recipe) -> None:
    for one in found:
        parts = toeplitz.stretches(
            one.diagonal, one.below, one.units, one.shift, step=recipe.step, halves=recipe.halves
        )
        at = f"{one.name}, R={one.units}, z={one.shift}"
        if parts.determinant * recipe.factor != one.determinant:
            raise Disagreement(f"{at}: determinant {one.determinant}; claimed {parts.determinant * recipe.factor}")
        if parts.inertia != one.inertia:
            raise Disagreement(f"{at}: {one.inertia}; claimed {parts.inertia}")


def _without_k(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    return toeplitz.merge(a, b, scale(0, k))


def _half_joint(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    joint, both = toeplitz.merge(a, b, k)
    return scale(Fraction(1, 2), joint), both


def _twice_k(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    return toeplitz.merge(a, b, scale(2, k))


_APART = {
    "without $K$": _Recipe(_without_k),
    "twice $K$": _Recipe(_twice_k),
    "half the joint": _Recipe(_half_joint),
    "the other sign": _Recipe(factor=-1),
}


def _repeated(_: Context) -> Computed:
    """Exact spectra that meet spec(D - A): d = 1, and S = I/2, M = I/10 with d = 2."""
    found = {}
    for units in (2, 3, 4):
        found["d=1", units] = exact_spectrum(LINEAR, units, Instance([[1]], [[Fraction(3, 2)]]))
        found["d=2", units] = exact_spectrum(LINEAR, units, multiple(Fraction(1, 10)))
    sizes = [f"n=1, {name}, R={units}" for name, units in found]
    shown = r"d = 1:\; D - A \text{ is an eigenvalue } R - 1 \text{ times, } D + (R - 1) A \text{ once}"
    return Computed(found, Scope.of(*sizes), shown)


def _repeated_claim(copies: Callable[[int], int]) -> dict[tuple[str, int], dict[Fraction, int]]:
    """d = 1: D = 1, A = 1/2. d = 2: F = -+M on symmetric and skew-symmetric matrices, 3 and 1 dimensions."""
    small, half, found = Fraction(1, 10), Fraction(1, 2), {}
    for units in (2, 3, 4):
        many = copies(units)
        found["d=1", units] = {half: many, 1 + (units - 1) * half: units - many}
        found["d=2", units] = dict(
            sorted(
                {
                    -small: 3 * many,
                    small: many,
                    -small + units * (half + small): 3 * (units - many),
                    small + units * (half - small): units - many,
                }.items()
            )
        )
    return found


def _positive(claim: Mapping[Any, Mapping[Fraction, int]]) -> dict[Any, dict[Fraction, int]]:
    return {at: {value: count for value, count in one.items() if count} for at, one in claim.items()}


GEN_4 = Statement(
    id="GEN-4",
    title="The spectrum at any depth from matrices of the size of one unit",
    source=None,
    sentence=r"$H_R v = z v$ exactly when $(D - A^{\mathsf T} - z) v_{r+1} = (D - A - z) v_r$ for all $r < R$ and "
    r"$(D - z) v_1 + A^{\mathsf T} (v_2 + \cdots + v_R) = 0$; eigenvalues in $\mathrm{spec}(D - A)$ are covered, nothing "
    r"being inverted. With the symmetric part $W = (A + A^{\mathsf T})/2$ of $A$, $K = W - A = (A^{\mathsf T} - A)/2$, "
    "$F = D - W$, $C_1 = F - z$ and "
    r"$C_{a+b} = C_a - (C_a - K)(C_a + C_b)^{-1}(C_a + K)$, $\det(H_R - z)$ is the product of the determinants of "
    "$W + C_R$ and of the $R - 1$ joints $C_a + C_b$, as rational functions of $z$, and where no joint is singular its "
    "inertia is theirs together.",
    latex=r"\det(H_R - z) = \det(W + C_R) \prod \det(C_a + C_b), \qquad "
    r"C_{2a} = \tfrac12\left(C_a + K\, C_a^{-1} K\right), \quad C_1 = F - z, \quad "
    r"W = \tfrac12(A + A^{\mathsf T}), \quad K = \tfrac12(A^{\mathsf T} - A), \quad F = D - W",
    for_all={"R": 1, "p": 1},
    uses=("GEN-1",),
    arguments=(
        TRANSFER,
        CONGRUENCE,
        SPLIT,
        MERGE,
        Argument(
            "Characteristic polynomials and inertia of exact Hessians, stretches halved",
            "explicit",
            _determinants,
            _Recipe(),
            _APART,
            _taken_apart,
            explanation=r"$\det(H_R - z)$ at $R p + 1$ rational shifts, so as polynomials; and inertia at each of them.",
        ),
        Argument(
            "The same, one unit added at a time",
            "explicit",
            _determinants,
            _Recipe(halves=False),
            {name: replace(recipe, halves=False) for name, recipe in _APART.items()},
            _taken_apart,
        ),
        Argument(
            r"Eigenvalues of $H_R$ in $\mathrm{spec}(D - A)$, with multiplicities",
            "explicit",
            _repeated,
            _repeated_claim(lambda units: units - 1),
            {
                "$R$ of them": _positive(_repeated_claim(lambda units: units)),
                "$R - 2$ of them": _positive(_repeated_claim(lambda units: units - 2)),
                "one of them, whatever $R$": _repeated_claim(lambda units: 1),
            },
            explanation="$d = 1$, $S = 1$, $T = 3/2$; and $d = 2$, $S = I/2$, $M = I/10$, where $K = 0$.",
        ),
    ),
    evidence=(
        SPECTRA,
        COUNTED,
        COUNT_ERRORS,
        observed_dense("tanh", TANH, 8, 4),
        observed_dense("linear", LINEAR, 8, 4),
        observed_dense("linear", LINEAR, 5, 3, zeros=1),
        observed_dense("tanh", TANH, 8, 10, deep=True),
        observed_dense("linear", LINEAR, 8, 10, deep=True),
    ),
    notes=r"Where a joint is singular the count is taken at a neighbouring shift. Counting costs $O(p^3 \log R)$.",
)

STATEMENTS = (GEN_4,)
