"""What Demystifying ResNet says after Theorem 2: for n = 1 the condition number explodes with depth (DR-T2.3x).

Letters as in `proofs.beyond.depth_law`. It does exactly where units interact, A != 0: the printed sentence holds off a null set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from resproof.architectures.losses import generic_loss, squared
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_evidence import TANH, observed_law
from resproof.proofs.beyond.depth_instances import GENERAL, GENERAL_INSTANCES, KERNEL, LINEAR, NONLINEAR, pair
from resproof.proofs.beyond.depth_law import CORNER, COURANT, INTERLACING, NOTHING, NULL, PAIRS, same_expressions
from resproof.proofs.changes import Change
from resproof.proofs.cited import theorem
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.sharp_hypotheses import MIXED_AT_DATA, ours
from resproof.proofs.demystifying_resnet.theorem2_at_depth import AT_DEPTH
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.hessians import explicit_entries, same_sum, size
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    ExceptionalSet,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, SMOOTH, generic_unit
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.algebra.rings import show as show_plain
from resproof.symbolic.algebra.toeplitz import AT, A, D, Z
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.lift import hessian_block
from resproof.symbolic.index.series import Sum, substitute, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# Where A = 0.

_FLAT = Instance([[1]], [[2]])
"""d = m = 1, T = 2S: A = 2S - T = 0."""


def _condition_by_depth(_: Context) -> Computed:
    """The square of the condition number for R = 1..6."""
    found = [toeplitz.squared_condition(dense(LINEAR, units, _FLAT)) for units in range(1, 7)]
    values = tuple(one.low for one in found if one is not None and one.low == one.high)
    return Computed(values, Scope.of(*(f"n=1, d=1, m=1, x=1, y=2, R={units}" for units in range(1, 7))), r"H_R = I_R")


def _behaves(found: Sequence[Fraction], claim: Callable[[Sequence[Fraction]], bool]) -> None:
    if len(found) != 6 or not claim(found):
        raise Disagreement(f"cond(H_R)^2 for R = 1..6: {', '.join(map(str, found))}")


# Where A != 0.

_LOSSES = {"any loss": generic_loss, "squared loss": squared}


def _entries_of_a(_: Context) -> Computed:
    """A_{(i,j),(k,l)} for generic activations: the later weight's entry i, j and the earlier one's k, l."""
    unit = generic_unit(1)
    found = {name: thaw(hessian_block(unit, loss, ("W1", 2), ("W1", 1))) for name, loss in _LOSSES.items()}
    shown = r"A_{(ij),(kl)} = k_1^2 \left(\mathbb E[p_j p_l Q_{ik}] + \delta_{jk}\, \mathbb E[g_i\, p'_j\, p_l]\right)"
    return Computed(found, sizes.of_unit(unit), shown)


def _same_entries(found: Mapping[str, Sum], claim: Mapping[str, str], unit: ResidualUnit | None = None) -> None:
    slots = {"i": -1, "j": -2, "k": -4, "l": -5}
    for name, entry in found.items():
        same_sum(entry, claim[name], vocabulary(unit or generic_unit(1), _LOSSES[name]), slots, name=name)


_PP = "m^-1 * post'(0)^2 * pre(X)[j,u] * pre(X)[l,u]"
_GP = "m^-1 * post'(0)^2 * g[i,u] * pre'(X)[j,u] * pre(X)[l,u]"
_ENTRIES = {
    "any loss": f"{_PP} * Q[i,k,u] + {_GP} * delta[j,k]",
    "squared loss": f"{_PP} * delta[i,k] + {_GP} * delta[j,k]",
}

ENTRIES = Argument(
    "The entries of $A$ for generic activations",
    "index notation",
    _entries_of_a,
    _ENTRIES,
    {
        "no residual": {**_ENTRIES, "any loss": f"{_PP} * Q[i,k,u]"},
        "the loss does not enter": {**_ENTRIES, "any loss": _ENTRIES["squared loss"]},
        "no covariance": {**_ENTRIES, "squared loss": f"{_GP} * delta[j,k]"},
        "the residual in every entry": {**_ENTRIES, "squared loss": f"{_PP} * delta[i,k] + {_GP} * delta[i,k]"},
    },
    _same_entries,
    explanation=r"For $i = k$ different from $j = l$, which needs $d \ge 2$, the entry is $\mathrm{post}'(0)^2 E[p_j^2 Q_{ii}]$. For "
    r"the squared loss $Q_{ii} = 1$: some entry is not zero as soon as $\mathrm{post}'(0) \ne 0$ and some row $j$ of "
    r"$\mathrm{pre}(X)$ is not zero. And every entry has the factors $\mathrm{post}'(0)^2$ and $\mathrm{pre}(X)$.",
)


def _entries_at_fitted_data(_: Context) -> Computed:
    """A for the squared loss where Y = X, so that g = x - y is zero."""
    unit = generic_unit(1)
    entry = thaw(hessian_block(unit, squared, ("W1", 2), ("W1", 1)))
    found = {"squared loss": substitute(entry, vocabulary(unit, squared)["g"], {})}
    return Computed(found, sizes.of_unit(unit), r"Y = X:\quad A = k_1^2\, \mathbb E[p\,p^{\mathsf T}] \otimes I")


_FITTED = f"{_PP} * delta[i,k]"

NONZERO_SOMEWHERE = Argument(
    r"$\mathrm{tr}\, A$ is a polynomial in $Y$ that does not vanish everywhere",
    "index notation",
    _entries_at_fitted_data,
    {"squared loss": _FITTED},
    {
        "it vanishes everywhere": {"squared loss": f"0 * {_FITTED}"},
        "the other part": {"squared loss": f"{_PP} * delta[j,k]"},
    },
    _same_entries,
    explanation=r"$A$ is of degree one in $Y$. At $Y = X$ its trace is $d\, \mathrm{post}'(0)^2\, E\lvert p\rvert^2$, which is not zero where "
    r"$\mathrm{post}'(0)$ and $\mathrm{pre}(X)$ are not.",
)


def _entries_of_linear_a(_: Context) -> Computed:
    found = thaw(hessian_block(LINEAR, squared, ("W1", 2), ("W1", 1)))
    return Computed(
        {"squared loss": found},
        sizes.of_unit(LINEAR),
        r"A_{(ij),(kl)} = \delta_{ik}\, S_{jl} + \delta_{jk}\, (S - T)_{il}",
    )


_XX, _GX = "m^-1 * X[j,u] * X[l,u] * delta[i,k]", "m^-1 * g[i,u] * X[l,u] * delta[j,k]"

LINEAR_ENTRIES = Argument(
    "The entries of $A$ for linear units",
    "index notation",
    _entries_of_linear_a,
    {"squared loss": f"{_XX} + {_GX}"},
    {
        "no residual": {"squared loss": _XX},
        "$S$ twice": {"squared loss": f"2 * {_XX} + {_GX}"},
        "the residual transposed": {
            "squared loss": f"{_XX} + {_GX}".replace("g[i,u] * X[l,u]", "g[l,u] * X[i,u]"),
        },
    },
    lambda found, claim: _same_entries(found, claim, LINEAR),
    explanation=r"At $d = 1$ every $\delta$ is 1: $A = S + (S - T)$.",
)


def _entry_at_width_one(_: Context) -> Computed:
    """A of linear units at d = 1 with one and with two samples, from exact Hessians with symbolic data."""
    found = {samples: explicit_entries(LINEAR, squared, size(2, samples, d=1))[0, 1] for samples in (1, 2)}
    return Computed(found, Scope.of(*(f"n=1, {size(2, samples, d=1)}" for samples in found)), "A = 2S - T")


def _width_one(factor: int) -> dict[int, Plain]:
    """factor S - T."""
    return {
        m: {
            **{((f"x_1_{u}", 2),): Fraction(factor, m) for u in range(1, m + 1)},
            **{((f"x_1_{u}", 1), (f"y_1_{u}", 1)): Fraction(-1, m) for u in range(1, m + 1)},
        }
        for m in (1, 2)
    }


WIDTH_ONE = Argument(
    "$A$ at $d = 1$, linear units",
    "explicit",
    _entry_at_width_one,
    _width_one(2),
    {"$S - T$": _width_one(1), "$3 S - T$": _width_one(3), "zero": {m: {} for m in (1, 2)}},
)


def _entry_of_a(_: Context) -> Computed:
    """The entry (i, j) = (k, l) = (1, 2) of A, d = 2, from exact Hessians with symbolic data and derivatives of the loss."""
    found = {}
    for samples in (1, 2):
        at = size(2, samples, d=2)
        found[str(at)] = show_plain(explicit_entries(generic_unit(1), generic_loss, at)[2, 6])
    return Computed(found, Scope.of(*(f"n=1, {at}" for at in found)))


def _entry_claim(row: int, curvature: str) -> dict[str, str]:
    one = f"post'(0)^2*pre(x_{row}_1)^2"
    first, second = f"Q_{curvature}_1*{one}", f"Q_{curvature}_2*{one.replace('_1)', '_2)')}"
    return {"R=2, d=2, m=1": first, "R=2, d=2, m=2": f"1/2*{first} + 1/2*{second}"}


ENTRY = Argument(
    "One entry of $A$ in small networks",
    "explicit",
    _entry_of_a,
    _entry_claim(2, "1_1"),
    {
        "another row of the data": _entry_claim(1, "1_1"),
        "another curvature": _entry_claim(2, "2_2"),
        "zero": dict.fromkeys(_entry_claim(2, "1_1"), "0"),
    },
)


def _blocks_without_a(_: Context) -> Computed:
    blocks = toeplitz.order_types(lambda r, s: toeplitz.block(s, r))
    found = {name: one.subs({A: 0, AT: 0, Z: 0}) for name, one in blocks.items()}
    return Computed(found, toeplitz.sizes(blocks), r"A = 0:\quad H_R = I \otimes D")


_DIAGONAL = {**NOTHING, "s = r": D, "s = r + 1": sympy.Integer(0)}

FLAT = Argument(
    "Without $A$ the units do not interact",
    "identity",
    _blocks_without_a,
    _DIAGONAL,
    {
        "$D$ between adjacent units": {**_DIAGONAL, "s = r + 1": D},
        "no Hessian": {**_DIAGONAL, "s = r": sympy.Integer(0)},
    },
    same_expressions,
    explanation="So the eigenvalues are those of $D$, $R$ times each, and their quotients do not depend on $R$.",
)


def _row_sums(_: Context) -> Computed:
    """The absolute row sums of the last block row at R = 1..4, with those of D and A."""
    found: list[tuple[str, int, Any, Any, Any]] = []
    for name, unit, data in (
        ("d=1, T=3S", LINEAR, Instance([[1]], [[3]])),
        ("d=2, m=2", LINEAR, GENERAL),
        ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", NONLINEAR, GENERAL),
    ):
        diagonal, below = (toeplitz.absolute_row_sums(block) for block in pair(unit, data))
        for units in (1, 2, 3, 4):
            whole = toeplitz.absolute_row_sums(dense(unit, units, data))[-len(below) :]
            found.append((f"{name}, R={units}", units, whole, diagonal, below))
    shown = r"\sum_s |(H_R)_{Rs}| = |D| + (R - 1)\,|A|"
    return Computed(found, Scope.of(*(f"n=1, {one[0]}" for one in found)), shown)


def _grow_like(found: Sequence[Any], slope: Callable[[int], Fraction | int]) -> None:
    for name, units, whole, diagonal, below in found:
        claimed = tuple(d + slope(units) * a for d, a in zip(diagonal, below, strict=True))
        if whole != claimed:
            raise Disagreement(f"{name}: sums {', '.join(map(str, whole))}; claimed {', '.join(map(str, claimed))}")


GRAY = Argument(
    "Absolute row sums of small networks",
    "explicit",
    _row_sums,
    lambda units: units - 1,
    {
        "bounded": lambda units: min(units - 1, 1),
        "decaying geometrically": lambda units: 2 - 2 * Fraction(1, 2) ** (units - 1),
    },
    _grow_like,
)

_MODULI = {D: sympy.Symbol("|D|"), A: sympy.Symbol("|A|"), AT: sympy.Symbol("|A|")}


def _gray_hypotheses(_: Context) -> Computed:
    """Whether the blocks are those of Hermitian Toeplitz matrices, and the sum of the norms in row r."""
    row = toeplitz.same_in_every_unit()
    moduli = sympy.expand(row["row r"].xreplace(_MODULI))
    found = {
        "Hermitian": {one.holds(toeplitz.block) for one in COURANT.hypotheses.values()},
        "norms in a row": moduli,
    }
    return Computed(found, toeplitz.sizes(row), r"\sum_s \|(H_R)_{rs}\| = \|D\| + (R - 1)\,\|A\|")


_SUMMED = {"Hermitian": {True}, "norms in a row": _MODULI[D] + (toeplitz.UNITS - 1) * _MODULI[A]}
_SZEGO = theorem("toeplitz-eigenvalues")

GRAY_HYPOTHESES = Argument(
    "Which hypothesis of the theorem on eigenvalues fails",
    "identity",
    _gray_hypotheses,
    {name: sympy.expand(one) if name != "Hermitian" else one for name, one in _SUMMED.items()},
    {
        "bounded in $R$": {**_SUMMED, "norms in a row": _MODULI[D] + 2 * _MODULI[A]},
        "it depends on the row": {**_SUMMED, "norms in a row": _MODULI[D] + (toeplitz.NUMBER - 1) * _MODULI[A]},
        "not Hermitian": {"Hermitian": {False}, "norms in a row": sympy.expand(_SUMMED["norms in a row"])},
    },
    explanation=f"{_SZEGO.sentence} ({_SZEGO.source}.) The matrices $H_R$ are Hermitian, and block $(r, s)$ depends on $r - s$ "
    r"alone; but the norms of the blocks in a row have the sum $\lvert D\rvert + (R - 1)\lvert A\rvert$, which is bounded only for "
    "$A = 0$. The blocks do not even tend to zero away from the diagonal, as the Fourier coefficients of every integrable symbol do.",
)

T2_3X = Statement(
    id="DR-T2.3x",
    title="For $n = 1$ the condition number explodes with depth",
    subject="n_shortcut",
    source=source(
        "A",
        "after Theorem 2",
        "The Hessian at zero initial point for the 1-shortcut network follows block Toeplitz structure ... its condition number tends to explode as the number of layers increase",
        "after Theorem 1",
    ),
    latex=r"n = 1:\quad \operatorname{cond}(H_R) \to \infty \quad (R \to \infty)",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("GEN-1", "GEN-3", "DR-T2.3"),
    clauses=(
        Clause(
            r"For $n = 1$, on the complement of the common kernel of $D$, $A$ and $A^{\mathsf T}$, $\mathrm{cond}(H_R)$ "
            r"tends to infinity if $A \ne 0$; for $A = 0$ it does not depend on $R$.",
            {"R": 1, "p": 1},
            (CORNER, PAIRS, COURANT, INTERLACING, FLAT, NULL, GENERAL_INSTANCES, KERNEL),
            (MIXED_AT_DATA,),
            reading=ExceptionalSet(
                where=r"$A = 0$: with the squared loss, unless $\mathrm{post}'(0)$ or $\mathrm{pre}(X)$ is 0, a null set of $Y$ "
                r"for $d = 1$ and none for $d \ge 2$",
                fails=Argument(
                    "$d = 1$, $T = 2S$: exact Hessians of one to six units",
                    "explicit",
                    _condition_by_depth,
                    lambda values: set(values) == {Fraction(1)},
                    {
                        PRINTED: property_of(tuple(map(Fraction, range(1, 7))))(
                            lambda values: all(x < y for x, y in pairwise(values))
                        ),
                        "grows from some depth on": lambda values: values[-1] > values[0],
                    },
                    _behaves,
                ),
                null=NONZERO_SOMEWHERE,
                hedge="tends to explode",
            ),
            changes=(
                Change(
                    "The Hessian at zero initial point for the 1-shortcut network",
                    "pre is differentiable at the data",
                    "From the second unit on the mixed derivatives contain that of pre at the data; without it there is no Hessian.",
                    kept=True,
                ),
            ),
        ),
        Clause(
            r"$A \ne 0$ where $\mathrm{post}'(0) \ne 0$ and, for some $i \ne j$, $E[p_j^2 Q_{ii}] \ne 0$, whatever the "
            r"loss; for the squared loss and $d \ge 2$ exactly where $\mathrm{post}'(0) \ne 0$ and "
            r"$\mathrm{pre}(X) \ne 0$. For $d = 1$ it may vanish elsewhere too: for linear units $A = 2S - T$.",
            {"d": 1, "m": 1},
            (ENTRIES, ENTRY, LINEAR_ENTRIES, WIDTH_ONE),
            ours(MIXED_AT_DATA),
            ours=True,
        ),
        Clause(
            "Gray's theorem on the eigenvalues of Hermitian Toeplitz matrices with absolutely summable entries (section "
            r"4.4) does not apply where $A \ne 0$: the norms in every block row have the sum "
            r"$\lvert D\rvert + (R - 1)\lvert A\rvert$.",
            {"R": 1, "p": 1},
            (GRAY_HYPOTHESES, GRAY),
            ours(MIXED_AT_DATA),
            ours=True,
        ),
    ),
    evidence=(observed_law("tanh", TANH, 4, (10, 10**3)), *AT_DEPTH["DR-T2.3x"]),
    notes="$p$ are the values of pre at the data, $g$ and $Q$ gradient and Hessian of the loss there.",
)


STATEMENTS = (T2_3X,)
