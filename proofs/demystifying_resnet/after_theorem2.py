"""What Demystifying ResNet says after Theorem 2: for n = 1 the condition number explodes with depth (DR-T2.3x).

Letters as in `proofs.beyond.depth_law`. It does exactly where units interact, A != 0, which the printed sentence leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from architectures.activations import Activation, identity_activation, relu
from architectures.losses import squared
from proofs.beyond.depth_evidence import TANH, TANH_CLAIM, observed_law
from proofs.beyond.depth_instances import GENERAL, GENERAL_INSTANCES, KERNEL, LINEAR, NONLINEAR, dense, pair
from proofs.beyond.depth_law import CORNER, COURANT, INTERLACING, NOTHING, NULL, PAIRS, same_expressions
from proofs.demystifying_resnet.theorem2_at_depth import AT_DEPTH
from proofs.documents import source
from proofs.routes.hessians import explicit_entries, size
from proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from proofs.theory.generic_units import FLAT_AT_ZERO, generic_unit
from symbolic.algebra import toeplitz
from symbolic.algebra.rings import Plain
from symbolic.algebra.rings import show as show_plain
from symbolic.algebra.toeplitz import AT, A, D, Z
from symbolic.index import sizes
from symbolic.index.claims import parse, show, vocabulary
from symbolic.index.lift import hessian_block, hessian_form
from symbolic.index.series import Sum, thaw
from symbolic.written.explicit import Instance
from symbolic.written.instances import hessian_entries

# The counterexample.


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A network of width one with one sample."""

    x: Fraction
    y: Fraction
    pre: Activation = identity_activation
    mid: Activation = identity_activation
    post: Activation = identity_activation

    @property
    def data(self) -> Instance:
        return Instance([[self.x]], [[self.y]])


_FLAT = _Scalar(Fraction(1), Fraction(2))


def _show_scalar(one: _Scalar) -> str:
    return f"n = 1, d = 1, m = 1, x = {one.x}, y = {one.y}, identity activations"


def _condition_by_depth(_: Context) -> Computed:
    """The square of the condition number for R = 1..6."""
    found = [toeplitz.squared_condition(dense(LINEAR, units, _FLAT.data)) for units in range(1, 7)]
    values = tuple(one.low for one in found if one is not None and one.low == one.high)
    return Computed(values, Scope.of(*(f"n=1, d=1, m=1, x=1, y=2, R={units}" for units in range(1, 7))), r"H_R = I_R")


def _behaves(found: Sequence[Fraction], claim: Callable[[Sequence[Fraction]], bool]) -> None:
    if len(found) != 6 or not claim(found):
        raise Disagreement(f"cond(H_R)^2 for R = 1..6: {', '.join(map(str, found))}")


def _flat_block(_: Context) -> Computed:
    """D and A at d = 1 from the form in index notation, at x = 1, y = 2."""
    form = hessian_form(LINEAR, squared)
    entries = hessian_entries(LINEAR, squared, thaw(form.diagonal), thaw(form.cross), 2, {"d": 1}, 1)
    point = {"x_1_1": _FLAT.x, "y_1_1": _FLAT.y}
    d, a = (
        sum((c * _power(m, point) for m, c in entries.get(place, {}).items()), Fraction(0))
        for place in ((0, 0), (0, 1))
    )
    scope = sizes.of_unit(LINEAR).only("R") & Scope.of("n=1, d=1, m=1, x=1, y=2")
    return Computed((d, a), scope, r"D = S = 1,\quad A = 2S - T = 0")


def _power(monomial: Sequence[tuple[str, int]], point: Mapping[str, Fraction]) -> Fraction:
    value = Fraction(1)
    for name, power in monomial:
        value *= point[name] ** power
    return value


def _grows(found: tuple[Fraction, Fraction], claim: bool) -> None:
    """At d = 1 the eigenvalues are D - A and D + (R - 1) A: for D != 0 unbounded quotients need A != 0.

    Raises:
        Disagreement: their quotients are unbounded against the claim, or bounded against it.
    """
    d, a = found
    if d == 0 or (a != 0) is not claim:
        raise Disagreement(
            f"D = {d}, A = {a}: the eigenvalues D - A and D + (R - 1) A are {'not ' * (a == 0)}unbounded"
        )


# A != 0 for every nonlinear unit of width at least two.


def _entries_of_a(_: Context) -> Computed:
    """A_{(i,j),(k,l)} for generic activations: the later weight's entry i, j and the earlier one's k, l."""
    found = thaw(hessian_block(generic_unit(1), squared, ("W1", 2), ("W1", 1)))
    shown = r"A_{(ij),(kl)} = k_1^2 \left(\delta_{ik}\, \mathbb E[p_j p_l] + \delta_{jk}\, \mathbb E[g_i\, p'_j\, p_l]\right)"
    return Computed(found, sizes.of_unit(generic_unit(1)), shown)


def _same_entries(found: Sum, claim: str) -> None:
    slots = {"i": -1, "j": -2, "k": -4, "l": -5}
    if found != parse(claim, vocabulary(generic_unit(1), squared), slots):
        raise Disagreement(f"computed {show(found)}; claimed {claim}")


_PP = "m^-1 * post'(0)^2 * pre(X)[j,u] * pre(X)[l,u]"
_GP = "m^-1 * post'(0)^2 * g[i,u] * pre'(X)[j,u] * pre(X)[l,u]"

ENTRIES = Argument(
    "The entries of A for generic activations",
    "index notation",
    _entries_of_a,
    f"{_PP} * delta[i,k] + {_GP} * delta[j,k]",
    {
        "no residual": f"{_PP} * delta[i,k]",
        "no covariance": f"{_GP} * delta[j,k]",
        "the residual in every entry": f"{_PP} * delta[i,k] + {_GP} * delta[i,k]",
    },
    _same_entries,
    explanation="For i = k different from j = l, which needs d >= 2, the entry is post'(0)^2 E[p_j^2]. So A != 0 as soon as "
    "post'(0) != 0 and some row j of pre(X) is not zero.",
)


def _entries_of_linear_a(_: Context) -> Computed:
    found = thaw(hessian_block(LINEAR, squared, ("W1", 2), ("W1", 1)))
    return Computed(found, sizes.of_unit(LINEAR), r"A_{(ij),(kl)} = \delta_{ik}\, S_{jl} + \delta_{jk}\, (S - T)_{il}")


_XX, _GX = "m^-1 * X[j,u] * X[l,u] * delta[i,k]", "m^-1 * g[i,u] * X[l,u] * delta[j,k]"

LINEAR_ENTRIES = Argument(
    "The entries of A for linear units",
    "index notation",
    _entries_of_linear_a,
    f"{_XX} + {_GX}",
    {
        "no residual": _XX,
        "S twice": f"2 * {_XX} + {_GX}",
        "the residual transposed": f"{_XX} + {_GX}".replace("g[i,u] * X[l,u]", "g[l,u] * X[i,u]"),
    },
    _same_entries,
    explanation="At d = 1 every delta is 1: A = S + (S - T).",
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
    "A at d = 1, linear units",
    "explicit",
    _entry_at_width_one,
    _width_one(2),
    {"S - T": _width_one(1), "3 S - T": _width_one(3)},
)


def _entry_of_a(_: Context) -> Computed:
    """The entry (i, j) = (k, l) = (1, 2) of A, d = 2, from exact Hessians with symbolic data."""
    found = {}
    for samples in (1, 2):
        at = size(2, samples, d=2)
        found[str(at)] = show_plain(explicit_entries(generic_unit(1), squared, at)[2, 6])
    return Computed(found, Scope.of(*(f"n=1, {at}" for at in found)))


def _entry_claim(text: str) -> dict[str, str]:
    one = f"post'(0)^2*pre({text}_1)^2"
    return {"R=2, d=2, m=1": one, "R=2, d=2, m=2": f"1/2*{one} + 1/2*post'(0)^2*pre({text}_2)^2"}


ENTRY = Argument(
    "One entry of A in small networks",
    "explicit",
    _entry_of_a,
    _entry_claim("x_2"),
    {"another row of the data": _entry_claim("x_1"), "zero": dict.fromkeys(_entry_claim("x_2"), "0")},
)


def _blocks_without_a(_: Context) -> Computed:
    blocks = toeplitz.order_types(lambda r, s: toeplitz.block(s, r))
    found = {name: one.subs({A: 0, AT: 0, Z: 0}) for name, one in blocks.items()}
    return Computed(found, toeplitz.sizes(blocks), r"A = 0:\quad H_R = I \otimes D")


_DIAGONAL = {**NOTHING, "s = r": D, "s = r + 1": sympy.Integer(0)}

FLAT = Argument(
    "Without A the units do not interact",
    "identity",
    _blocks_without_a,
    _DIAGONAL,
    {
        "D between adjacent units": {**_DIAGONAL, "s = r + 1": D},
        "no Hessian": {**_DIAGONAL, "s = r": sympy.Integer(0)},
    },
    same_expressions,
    explanation="So the eigenvalues are those of D, R times each, and their quotients do not depend on R.",
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
    "The hypothesis of Gray's theorems: absolutely summable entries",
    "explicit",
    _row_sums,
    lambda units: units - 1,
    {
        "bounded, as those theorems need": lambda units: min(units - 1, 1),
        "decaying geometrically": lambda units: 2 - 2 * Fraction(1, 2) ** (units - 1),
    },
    _grow_like,
    explanation="The last block row holds D once and A in all R - 1 other places, so the sums of moduli of its entries grow "
    "like R unless A = 0: the sequence of entries is not absolutely summable and the theorems do not apply.",
)

T2_3X = Statement(
    id="DR-T2.3x",
    title="For n = 1 the condition number explodes with depth",
    subject="n_shortcut",
    source=source("A", "after Theorem 2", "its condition number tends to explode as the number of layers increase"),
    sentence="For n = 1 the condition number of the Hessian at zero tends to infinity as R grows, by Gray's theory of "
    "Toeplitz matrices.",
    latex=r"n = 1:\quad \operatorname{cond}(H_R) \to \infty \quad (R \to \infty)",
    hypotheses=(
        FLAT_AT_ZERO,
        Hypothesis("X != 0", lambda one: one.x != 0, fails_on=replace(_FLAT, x=Fraction(0)), printed=False),
        Hypothesis(
            "the derivatives of pre, mid and post at 0 exist",
            lambda one: not any(0 in activation.kinks for activation in (one.pre, one.mid, one.post)),
            fails_on=replace(_FLAT, pre=relu),
        ),
    ),
    uses=("GEN-1", "GEN-3", "DR-T2.3"),
    counterexample=Counterexample(
        instance=_FLAT,
        sentence="The smallest sizes there are, d = m = 1. With T = 2S the units do not interact, A = 0, and H_R = S I has "
        "condition number 1 at every depth.",
        latex=r"d = 1,\; T = 2S:\quad A = 2S - T = 0, \qquad H_R = S\, I_R, \qquad \operatorname{cond}(H_R) = 1",
        show=_show_scalar,
        routes=(
            Argument(
                "Exact Hessians of one to six units",
                "explicit",
                _condition_by_depth,
                lambda values: set(values) == {Fraction(1)},
                {
                    PRINTED: lambda values: all(x < y for x, y in pairwise(values)),
                    "grows from some depth on": lambda values: values[-1] > values[0],
                },
                _behaves,
            ),
            Argument(
                "D and A from the form in index notation",
                "index notation",
                _flat_block,
                False,
                {PRINTED: True},
                _grows,
                explanation="At d = 1 the eigenvalues of H_R are D - A, R - 1 times, and D + (R - 1) A.",
            ),
        ),
    ),
    repair=Repair(
        sentence="For n = 1, on the complement of the common kernel of D, A and A^T, cond(H_R) tends to infinity if and only "
        "if A != 0; for A = 0 it does not depend on R. A != 0 whenever d >= 2, the loss is squared, post'(0) != 0 and "
        "pre(X) != 0; for d = 1 and linear units A = 2S - T.",
        latex=r"A \ne 0 \iff \operatorname{cond}(H_R) \to \infty; \qquad "
        r"d \ge 2,\; \sigma_{\mathrm{post}}'(0) \ne 0,\; \sigma_{\mathrm{pre}}(X) \ne 0 \implies A \ne 0",
        arguments=(),
        clauses=(
            Clause(
                "For n = 1, on the complement of the common kernel of D, A and A^T, cond(H_R) tends to infinity if and only if "
                "A != 0; for A = 0 it does not depend on R.",
                {"R": 1, "p": 1},
                (CORNER, PAIRS, COURANT, INTERLACING, FLAT, NULL, GENERAL_INSTANCES, KERNEL, GRAY),
            ),
            Clause(
                "A != 0 whenever d >= 2, the loss is squared, post'(0) != 0 and pre(X) != 0; for d = 1 and linear units A = 2S - T.",
                {"d": 1, "m": 1},
                (ENTRIES, ENTRY, LINEAR_ENTRIES, WIDTH_ONE),
            ),
        ),
        adds="It needs A != 0, which fails for d = 1, T = 2S; and it follows from GEN-3, not from theorems on absolutely "
        "summable entries, which these are not.",
    ),
    evidence=(observed_law("tanh", TANH, TANH_CLAIM, 4, (10, 10**3, 10**6)), *AT_DEPTH["DR-T2.3x"]),
)


STATEMENTS = (T2_3X,)
