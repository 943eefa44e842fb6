"""Which scale of the branches keeps the Hessian the same at every depth (GEN-9): units h + s F(h; w), s = R^-a.

Letters as in `proofs.beyond.depth_law`, and D = B + C at s = 1: B is the part of D with the branch's own second
derivative, C that with the loss's curvature. Each first derivative of a branch brings a factor s, its second derivative
one alone: that is why B, of all blocks, has s and not s^2, and why 1/sqrt(R) and 1/R keep different things.

Exact instances are in `proofs.beyond.residual_scale_instances`, networks on the digits in
`proofs.beyond.residual_scale_evidence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import sympy

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_instances import LINEAR
from resproof.proofs.beyond.depth_law import CONSTANT, CORNER, COURANT, INTERLACING, PAIRS, same_expressions
from resproof.proofs.beyond.residual_scale_evidence import OBSERVED
from resproof.proofs.beyond.residual_scale_instances import (
    BOUNDED_INSTANCES,
    CONDITION_INSTANCES,
    FORM_INSTANCES,
    GREATEST_INSTANCES,
    ITSELF_INSTANCES,
    LATE_INSTANCES,
)
from resproof.proofs.beyond.two_units import ANY_BLOCK, BRANCH_HYPOTHESIS, IDENTITY_HYPOTHESIS, LOSS_HYPOTHESIS
from resproof.proofs.routes.exact_spectra import exact_spectrum, instance_with_m
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.statement import Argument, Citation, Clause, Computed, Context, Disagreement, Induction
from resproof.proofs.theory import growth
from resproof.proofs.theory.growth import DepthGrowth
from resproof.proofs.theory.scaled_branches import (
    SCALE,
    SCALED_BRANCHES,
    at_one,
    powers_of_scale,
    scaled,
    with_curvature,
)
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.toeplitz import AT, NUMBER, UNITS, A, D
from resproof.symbolic.index import branches, sizes
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope

# The form in s.

_OWN = "1/2 * m^-1 * s * g[i,u] * T2[i,a,b,u] * dw(1)[a] * dw(1)[b]"
_CURVATURE = "1/2 * m^-1 * s^2 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(1)[a] * dw(1)[b]"
_BELOW = (
    "m^-1 * s^2 * g[i,u] * S1[i,a,j,u] * T1[j,b,u] * dw(2)[a] * dw(1)[b]"
    " + m^-1 * s^2 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(2)[a] * dw(1)[b]"
)
_UNITS = (1, 2, 3, 4, 5)


def _of_equal_units(_: Context) -> Computed:
    """D and A of one to five units, by their name, and where blocks of one name differ."""
    found: dict[str, Sum] = {}
    differ = False
    parts: list[Sum] = []
    for units in _UNITS:
        for (r, s), form in branches.hessian_forms(units, scaled_by=SCALE).items():
            name = "1/2 w^T D(s) w" if r == s else "v^T A(s) w"
            differ |= found.setdefault(name, form) != form
            parts.append(form)
    shown = r"D(s) = s\,B + s^2\, C,\qquad A(s) = s^2 A"
    return Computed((found, differ), branches.sizes(*parts) & Scope.over(R=_UNITS), shown)


def _same_blocks(found: tuple[Mapping[str, Sum], bool], claim: Mapping[str, str]) -> None:
    if found[1]:
        raise Disagreement("blocks of units that stand alike differ")
    same_sums(branches.TENSORS)(found[0], claim)


_BLOCKS = {"1/2 w^T D(s) w": f"{_OWN} + {_CURVATURE}", "v^T A(s) w": _BELOW}
_FORMS = Argument(
    "Any branch with a scale in front: the blocks of one to five units",
    "index notation",
    _of_equal_units,
    _BLOCKS,
    {
        "all of $D$ with $s^2$": {**_BLOCKS, "1/2 w^T D(s) w": f"{_OWN.replace(' s ', ' s^2 ')} + {_CURVATURE}"},
        "all of $D$ with $s$": {**_BLOCKS, "1/2 w^T D(s) w": f"{_OWN} + {_CURVATURE.replace('s^2', 's')}"},
        "$A$ with $s$": {**_BLOCKS, "v^T A(s) w": _BELOW.replace("s^2", "s")},
        "$A$ with $s^3$": {**_BLOCKS, "v^T A(s) w": _BELOW.replace("s^2", "s^3")},
    },
    _same_blocks,
    explanation="$T_1$, $S_1$ and $T_2$ are the derivatives of $F$ as in GEN-1, those of $s F$ are $s$ times as large. Every term of "
    "$A$ has two factors of them, as has that of $D$ with the loss's curvature; that with $T_2$ has one.",
)


def _one_more(_: Context) -> Computed:
    added = branches.one_more(scaled_by=SCALE)
    found = {"loss": added.loss}
    return Computed(found, branches.sizes(*added.before, added.first, added.second, added.loss))


_EARLIER = "m^-1 * s * g[i,u] * S1[i,a,j,u] * x[j,u] * dw(2)[a] + m^-1 * s * Q[i,k,u] * T1[i,a,u] * x[k,u] * dw(2)[a]"
_ADDED = {"loss": f"{_OWN} + {_CURVATURE}".replace("dw(1)", "dw(2)") + f" + {_EARLIER}"}
_STEP = Argument(
    "One more unit with a scale in front of its branch, after any number of them",
    "index notation",
    _one_more,
    _ADDED,
    {
        "earlier units enter with $s^2$": {"loss": _ADDED["loss"].replace("s * g[i,u] * S1", "s^2 * g[i,u] * S1")},
        "earlier units do not enter": {"loss": _ADDED["loss"].removesuffix(f" + {_EARLIER}")},
        "its own second derivative enters with $s^2$": {
            "loss": _ADDED["loss"].replace("s * g[i,u] * T2", "s^2 * g[i,u] * T2")
        },
    },
    same_sums(branches.TENSORS),
    explanation="$x$, what units before have added at first degree, is by induction $s$ times the sum of their $T_1 w$: so what is "
    "linear in $x$ has $s^2$.",
)


class _InPowers(NamedTuple):
    """The powers of s in D and A, without the loss's curvature and with it, and whether s = 1 gives the unit's own forms."""

    powers: Mapping[tuple[str, bool], frozenset[int]]
    at_one: bool


def _catalogue(_: Context) -> Computed:
    """The catalogue's blocks with s a symbol in front of their branches."""
    found = {}
    for name, unit in ANY_BLOCK.items():
        own, forms = expansion(unit).forms, expansion(scaled(unit)).forms
        powers = {
            (which, curved): powers_of_scale(with_curvature(forms[units], curved))
            for which, units in (("D", (1, 1)), ("A", (1, 2)))
            for curved in (False, True)
        }
        found[name] = _InPowers(powers, {units: at_one(forms[units]) for units in own} == own)
    return Computed(found, sizes.of_units(ANY_BLOCK.values()))


def _same_powers(found: Mapping[str, _InPowers], claim: Mapping[tuple[str, bool], int]) -> None:
    """Pass when each part of every block has the claimed power of s alone, where it does not vanish.

    Raises:
        Disagreement: one has another, or s = 1 does not give back the unit's own forms.
    """
    for name, one in found.items():
        if not one.at_one:
            raise Disagreement(f"{name}: s = 1 gives other forms than the unit's own")
        for (which, curved), powers in one.powers.items():
            if powers - {claim[which, curved]}:
                raise Disagreement(f"{name}: {which} {'with' if curved else 'without'} Q has s to {sorted(powers)}")


_EACH = {("D", False): 1, ("D", True): 2, ("A", False): 2, ("A", True): 2}
_CATALOGUE = Argument(
    "The catalogue's blocks with a scale in front: the powers of $s$",
    "index notation",
    _catalogue,
    _EACH,
    {
        "$D$ without the loss's curvature has $s^2$": {**_EACH, ("D", False): 2},
        "$D$ with the loss's curvature has $s$": {**_EACH, ("D", True): 1},
        "$A$ has $s$": {**_EACH, ("A", False): 1, ("A", True): 1},
    },
    _same_powers,
)

# Order two, and branches linear in their weights.

_VANISHING = {"order two": frozenset({"T1"}), "order one, T2 = 0": frozenset({"T2"})}


def _simple(_: Context) -> Computed:
    """The forms of two units, and what one more adds, where derivatives vanish."""
    found: dict[str, Sum] = {}
    parts: list[Sum] = []
    for case, vanishing in _VANISHING.items():
        forms, added = branches.hessian_forms(2, vanishing, SCALE), branches.one_more(("w",), vanishing, SCALE)
        found |= {f"{case}, D": forms[1, 1], f"{case}, A": forms[1, 2]}
        parts += [*forms.values(), *added.before, added.loss]
    shown = r"T_1 = 0:\; H_R(s) = s\, H_R(1);\qquad T_2 = 0:\; H_R(s) = s^2 H_R(1)"
    return Computed(found, branches.sizes(*parts), shown)


_SIMPLE_FORMS = {
    "order two, D": _OWN,
    "order two, A": "0",
    "order one, T2 = 0, D": _CURVATURE,
    "order one, T2 = 0, A": _BELOW,
}
_SIMPLE = Argument(
    "Two units with a scale in front where $T_1$, or $T_2$, vanishes",
    "index notation",
    _simple,
    _SIMPLE_FORMS,
    {
        "order two: $s^2$": {**_SIMPLE_FORMS, "order two, D": _OWN.replace(" s ", " s^2 ")},
        "order two: units interact": {**_SIMPLE_FORMS, "order two, A": _BELOW},
        "$T_2 = 0$: $D$ with $s$": {**_SIMPLE_FORMS, "order one, T2 = 0, D": _CURVATURE.replace("s^2", "s")},
    },
    same_sums(branches.TENSORS),
    explanation="Of one homogeneous power of $s$ the whole Hessian is that power times the one at $s = 1$.",
)
_QUARTER = Fraction(1, 4)


def _scaled_spectra(_: Context) -> Computed:
    """Eigenvalues at s = 1/4 over those at s = 1, with equal multiplicities, for n = 2 and linear n = 1, R = 1, 2, 3."""
    data = instance_with_m([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])
    units = {"n = 2": ResidualUnit(n_shortcut(2)), "n = 1": LINEAR}
    found = {}
    for name, unit in units.items():
        for depth in (1, 2, 3):
            at = data if name == "n = 2" else _DIAGONAL
            found[name, depth] = tuple(exact_spectrum(scaled(unit, s), depth, at) for s in (_QUARTER, 1))
    return Computed(found, Scope.of(*(f"{name}, s=1/4, R={depth}, d=2, m=2" for name, depth in found)))


_DIAGONAL = instance_with_m([[Fraction(1, 10), Fraction(0)], [Fraction(0), Fraction(1, 10)]])


def _by_factor(found: Mapping[tuple[str, int], tuple[Any, Any]], claim: Mapping[str, Fraction]) -> None:
    for (name, depth), (small, one) in found.items():
        if small is None or one is None:
            raise ValueError(f"{name}, R={depth}: an eigenvalue is irrational; expected rational ones")
        if small != dict(sorted((claim[name] * value, count) for value, count in one.items())):
            raise Disagreement(f"{name}, R={depth}: {small} and {one}")


_SPECTRA = Argument(
    "Exact spectra at $s = 1/4$ and $s = 1$",
    "explicit",
    _scaled_spectra,
    {"n = 2": _QUARTER, "n = 1": _QUARTER**2},
    {
        "$s^2$ at order two": {"n = 2": _QUARTER**2, "n = 1": _QUARTER**2},
        "$s$ for linear branches": {"n = 2": _QUARTER, "n = 1": _QUARTER},
        "the same whatever $s$": {"n = 2": Fraction(1), "n = 1": Fraction(1)},
    },
    _by_factor,
)

# Growth with depth.


def _terms() -> tuple[dict[str, set[growth.Monomial]], list[Sum]]:
    """The powers of s and R in the bounds: those of s from the forms, those of R from rows and from the corner.

    R units have a row of D and R - 1 blocks A or A^T; the largest corner of blocks A alone has a side of floor(R/2).
    """
    forms = branches.hessian_forms(2, scaled_by=SCALE)
    own, curved = (with_curvature(forms[1, 1], has) for has in (False, True))
    in_a_row = int(sympy.degree(_norms_of_a_row()["beside it"].subs(_SIZE_OF_A, 1), UNITS))
    in_the_corner = int(sympy.log(sympy.Rational(_corner_side(16), _corner_side(8)), 2))
    b, c, a = (powers_of_scale(one) for one in (own, curved, forms[1, 2]))
    found = {
        "B": {(i, 0) for i in b},
        "C": {(i, 0) for i in c},
        "beside D": {(i, in_a_row) for i in a},
        "corner": {(i, in_the_corner) for i in a},
        "A": {(i, 0) for i in a},
    }
    return found, [*forms.values(), *branches.one_more(scaled_by=SCALE).before]


def _corner_side(units: int) -> int:
    """How many last rows and as many first columns have blocks A alone."""
    return max(
        k
        for k in range(units + 1)
        if all(toeplitz.block(r, s) == A for r in range(units - k + 1, units + 1) for s in range(1, k + 1))
    )


_SIZE_OF_D, _SIZE_OF_A = sympy.symbols("|D| |A|", positive=True)


@lru_cache
def _norms_of_a_row() -> dict[str, Any]:
    """The norm of the diagonal block of row r, and the sum of those beside it."""
    row = toeplitz.same_in_every_unit()["row r"].xreplace({D: _SIZE_OF_D, A: _SIZE_OF_A, AT: _SIZE_OF_A})
    beside = sympy.expand(row - _SIZE_OF_D)
    return {"diagonal": sympy.expand(row - beside), "beside it": beside}


def _rows(_: Context) -> Computed:
    found = _norms_of_a_row()
    return Computed(found, toeplitz.sizes(toeplitz.same_in_every_unit()), r"|D| \;\text{and}\; (R - 1)\,|A|")


ROWS = Argument(
    "The norms of the blocks of one row",
    "identity",
    _rows,
    {"diagonal": _SIZE_OF_D, "beside it": (UNITS - 1) * _SIZE_OF_A},
    {
        "$R$ blocks beside it": {"diagonal": _SIZE_OF_D, "beside it": UNITS * _SIZE_OF_A},
        "those of earlier units alone": {"diagonal": _SIZE_OF_D, "beside it": (NUMBER - 1) * _SIZE_OF_A},
    },
    same_expressions,
    explanation=r"Row $r$ has $r - 1$ blocks $A$ and $R - r$ blocks $A^{\mathsf T}$, of one norm. So what stands beside the diagonal "
    r"blocks of $H_R(s)$ has norm $s^2 (R - 1) \lvert A\rvert$ at most, and the diagonal blocks $s B + s^2 C$ differ from "
    r"$s B$ by $s^2 \lvert C\rvert$. By Courant and Fischer no eigenvalue, counted from the least, moves by more when "
    r"these are left out: $H_R(s)$ has those of $I \otimes s B$ up to $s e$, "
    r"$e = s (\lvert C\rvert + (R - 1) \lvert A\rvert)$.",
)
GERSHGORIN = Citation("block-gershgorin", COURANT.hypotheses)


def _greatest(_: Context) -> Computed:
    """For which a the bounds of |H_R(R^-a)| grow, stay and vanish."""
    terms, parts = _terms()
    upper = terms["B"] | terms["C"] | terms["beside D"]
    found = {
        "from above": growth.of_sum(upper),
        "from below": growth.of_sum(terms["corner"]),
        "terms above": upper,
        "terms below": terms["corner"],
    }
    shown = r"R^{1-2a} \lesssim |H_R| \lesssim R^{\max(-a,\, 1-2a)}"
    return Computed(found, branches.sizes(*parts), shown)


def _at(power: Fraction | int) -> DepthGrowth:
    """It grows below this a, stays there and vanishes beyond."""
    where = sympy.Rational(power)
    grows = sympy.Interval.Ropen(0, where)
    return DepthGrowth(grows, sympy.FiniteSet(where), sympy.Interval.open(where, sympy.oo))


_HALF = _at(Fraction(1, 2))
_GREATEST_CLAIM = {
    "from above": _HALF,
    "from below": _HALF,
    "terms above": {(1, 0), (2, 0), (2, 1)},
    "terms below": {(2, 1)},
}
"""A term s^i R^j as (i, j)."""
_GREATEST = Argument(
    r"For which $a$ the bounds of $\lvert H_R\rvert$, $s = R^{-a}$, grow with $R$, stay and vanish",
    "index notation",
    _greatest,
    _GREATEST_CLAIM,
    {
        "$1/R$ keeps it": {**_GREATEST_CLAIM, "from above": _at(1), "from below": _at(1)},
        "no scale keeps it": {**_GREATEST_CLAIM, "from above": _at(0), "from below": _at(0)},
        "a fourth root": {**_GREATEST_CLAIM, "from above": _at(Fraction(1, 4)), "from below": _at(Fraction(1, 4))},
        "the two bounds keep different scales": {**_GREATEST_CLAIM, "from above": _at(1)},
        "without what units have on their own": {**_GREATEST_CLAIM, "terms above": {(2, 1)}},
    },
    explanation=r"The exponents of $R$ in $s^2 \lfloor R/2\rfloor \lvert A\rvert$ and in "
    r"$s \lvert B\rvert + s^2 (\lvert C\rvert + (R - 1) \lvert A\rvert)$. Both bounds stay for $a = 1/2$; below it that "
    r"from below grows like $R^{1 - 2a}$, beyond it that from above vanishes like $R^{\max(-a, 1 - 2a)}$.",
)


def _condition(_: Context) -> Computed:
    """For which a the lower bound of the condition number grows, and e, and what keeps it and the greatest."""
    terms, parts = _terms()
    (corner,) = terms["corner"]
    below = growth.of_quotient(corner, terms["B"] | terms["C"] | terms["A"])
    linear = growth.of_quotient(corner, terms["C"] | terms["A"])
    (own,) = terms["B"]
    e = growth.of_sum((i - own[0], j - own[1]) for i, j in terms["C"] | terms["beside D"])
    greatest = growth.of_sum(terms["corner"])
    found = {
        "the bound from below": below,
        "the bound from below where B = 0": linear,
        "e": e,
        "keep both": sympy.Complement(greatest.stays, below.grows),
    }
    shown = r"\operatorname{cond}(H_R) \gtrsim R^{1-a},\quad a < 1;\qquad e = s\,(|C| + (R-1)|A|) \to 0,\quad a > 1"
    return Computed(found, branches.sizes(*parts), shown)


def _greatest_itself(_: Context) -> Computed:
    """For which a the pairs of units outgrow the rest of s B + s^2 (C + (R - 1) (A + A^T)/2), and how that grows."""
    terms, parts = _terms()
    (pairs,) = terms["beside D"]
    found = growth.leads(pairs, terms["B"] | terms["C"] | terms["A"]), growth.of_sum(terms["beside D"])
    return Computed(found, branches.sizes(*parts), r"\lambda_{\max}(H_R) \gtrsim R^{1-2a},\quad a < 1")


_ITSELF = Argument(
    r"For which $a$ the pairs of units outgrow $s B + s^2 (C - (A + A^{\mathsf T})/2)$, and how they grow",
    "index notation",
    _greatest_itself,
    (sympy.Interval.Ropen(0, 1), _HALF),
    {
        "up to $a = 1$": (sympy.Interval(0, 1), _HALF),
        "for $a < 1/2$ alone": (sympy.Interval.Ropen(0, Fraction(1, 2)), _HALF),
        "$1/R$ keeps them": (sympy.Interval.Ropen(0, 1), _at(1)),
    },
    explanation=r"$s^2 (R - 1) (A + A^{\mathsf T})/2$ has an eigenvalue $c R^{-2a} (R - 1)$, $c > 0$; what stands beside it is at most "
    r"$R^{-a} \lvert B\rvert + R^{-2a} \lvert C\rvert$: less than half of it from some $R$ on, where $a < 1$.",
)

_ALWAYS = DepthGrowth(sympy.Interval(0, sympy.oo), sympy.EmptySet, sympy.EmptySet)
_CONDITION_GROWTH = {
    "the bound from below": _at(1),
    "the bound from below where B = 0": _ALWAYS,
    "e": _at(1),
    "keep both": sympy.EmptySet,
}
_CONDITION = Argument(
    r"For which $a$ the bounds of the condition number grow, $s = R^{-a}$, and which $a$ keep it and $\lvert H_R\rvert$",
    "index notation",
    _condition,
    _CONDITION_GROWTH,
    {
        r"$1/\sqrt{R}$ keeps both": {
            **_CONDITION_GROWTH,
            "the bound from below": _at(Fraction(1, 2)),
            "keep both": sympy.FiniteSet(sympy.Rational(1, 2)),
        },
        "a scale helps branches linear in their weights": {
            **_CONDITION_GROWTH,
            "the bound from below where B = 0": _at(1),
        },
        "$e$ vanishes from $a = 1/2$ on": {**_CONDITION_GROWTH, "e": _at(Fraction(1, 2))},
    },
    explanation=r"$\lfloor R/2\rfloor s^2 \lvert A\rvert$ over "
    r"$\lvert D(s) - A(s)\rvert \le s \lvert B\rvert + s^2 (\lvert C\rvert + \lvert A\rvert)$: like $R^{1-a}$ below "
    "$a = 1$, and like $R$ whatever $a$ where $B = 0$. Every eigenvalue of $H_R(s)/s$ lies within $e$ of one of $B$.",
)

GEN_9 = replace(
    SCALED_BRANCHES,
    id="GEN-9",  # by which the registry finds the file
    sentence="",
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, LOSS_HYPOTHESIS),
    uses=("GEN-1", "GEN-2", "GEN-3"),
    setting="Branches $s F$ take the place of $F$.",
    clauses=(
        Clause(
            r"For every number $s$, $H_R(s) = s I \otimes B + s^2 (I \otimes C + L \otimes A + L^{\mathsf T} \otimes "
            r"A^{\mathsf T})$: $B$ is the mean of $g^{\mathsf T} \partial^2 F/\partial w^2$, $C$ that of "
            r"$(\partial F/\partial w)^{\mathsf T} Q \partial F/\partial w$, and $A$ the block between units at $s = 1$.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (Induction("R", _FORMS, _STEP), _CATALOGUE, FORM_INSTANCES),
        ),
        Clause(
            r"Order two: $H_R(s) = s H_R(1)$, so the condition number is that at $s = 1$ for every $s \ne 0$, and with "
            r"$s = R^{-a}$ every eigenvalue is $R^{-a}$ times that at $s = 1$. Order one with $\partial^2 F/\partial w^2 = 0$, as where "
            "branches are linear in their weights: $H_R(s) = s^2 H_R(1)$, and no $s \\ne 0$ changes the condition number.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (_SIMPLE, _SPECTRA),
        ),
        Clause(
            r"Order one: $s^2 \lfloor R/2\rfloor \lvert A\rvert \le \lvert H_R(s)\rvert \le s \lvert B\rvert + s^2 "
            r"(\lvert C\rvert + (R - 1) \lvert A\rvert)$, $s > 0$.",
            {"R": 1, "p": 1},
            (CORNER, ROWS, COURANT, GERSHGORIN, GREATEST_INSTANCES),
        ),
        Clause(
            r"So with $A \ne 0$, $s = R^{-a}$, $a \ge 0$ and $R \ge 2$ the greatest modulus of an eigenvalue stays "
            "between positive constants for $a = 1/2$, grows for $a < 1/2$ at least like $R^{1-2a}$ and tends to zero "
            "for $a > 1/2$.",
            {"R": 2, "d": 1, "p": 1, "m": 1},
            (_GREATEST, GREATEST_INSTANCES),
        ),
        Clause(
            r"The greatest eigenvalue itself is at least that of $s B + s^2 (C + (R - 1) (A + A^{\mathsf T})/2)$, so from "
            r"some $R$ on the same is true of it where $A + A^{\mathsf T}$ has a positive eigenvalue.",
            {"R": 1, "p": 1},
            (CONSTANT, COURANT, _ITSELF, ITSELF_INSTANCES, LATE_INSTANCES),
        ),
        Clause(
            r"$\mathrm{cond}(H_R(s)) \ge \lfloor R/2\rfloor s \lvert A\rvert / \lvert B + s (C - A)\rvert$, $s > 0$, "
            r"where this is not divided by zero; and "
            r"at most $(\lvert B\rvert + e) / (\sigma_{\min}(B) - e)$ where "
            r"$e = s (\lvert C\rvert + (R - 1) \lvert A\rvert)$ is less than $\sigma_{\min}(B)$.",
            {"R": 1, "p": 1},
            (CORNER, PAIRS, COURANT, INTERLACING, ROWS, GERSHGORIN, CONDITION_INSTANCES, BOUNDED_INSTANCES),
        ),
        Clause(
            r"So with $A \ne 0$ and $s = R^{-a}$, $a \ge 0$, the condition number grows at least like $R^{1-a}$ for $a < 1$, "
            r"and at least like $R$ for every $a$ where $B = 0$; where $B$ is not singular it tends to $\mathrm{cond}(B)$ for "
            r"$a > 1$, and is bounded for $s = c/R$ with $c (\lvert C\rvert + \lvert A\rvert) < \sigma_{\min}(B)$. No $a$ "
            "keeps it and the greatest eigenvalue.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (_CONDITION, CONDITION_INSTANCES, BOUNDED_INSTANCES),
        ),
    ),
    evidence=OBSERVED,
    notes=r"Norms are spectral. A gradient step of size $\eta / R$ on branches that are not scaled and one of $\eta$ on "
    r"branches scaled by $1/\sqrt{R}$ are alike: times the greatest modulus of an eigenvalue either stays between positive "
    r"constants where $A \ne 0$. The same constants bound the Hessian on the complement of "
    r"the common kernel of $B$, $C$, $A$ and $A^{\mathsf T}$, with $B$ restricted to it.",
)

STATEMENTS = (GEN_9,)
