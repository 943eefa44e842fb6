"""How the Hessian of n = 1 grows with depth (GEN-3).

H_R = I (x) D + L (x) A + L^T (x) A^T (GEN-1) is symmetric block Toeplitz with entries that do not decay away from the
diagonal. Vectors with v and -v in two adjacent units see D - A only; vectors that are constant over units see R A.
Throughout S = Sigma_XX, T = Sigma_YX, M = S - T, p is the number of parameters of a unit, and N = ker D meet ker A meet
ker A^T: the condition number is that on the complement of N, where it can be finite.

Exact instances are in `proofs.beyond.depth_instances`, linear units in `proofs.beyond.linear_depth_law`, networks on the digits in
`proofs.beyond.depth_evidence`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from resproof.proofs.beyond.depth_evidence import TANH, observed_law
from resproof.proofs.beyond.depth_instances import GENERAL_INSTANCES, KERNEL, LINEAR, SINGULAR_S, SMALL_INSTANCES
from resproof.proofs.beyond.linear_depth_law import LINEAR_INSTANCES, LINEAR_VECTORS, UNSEEN
from resproof.proofs.statement import Argument, Citation, Clause, Computed, Condition, Context, Disagreement, Statement
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.rings import show as show_plain
from resproof.symbolic.algebra.toeplitz import AT, NUMBER, UNITS, A, D, Z


def same_expressions(found: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Pass when each computed expression equals the claimed one of the same name, expanded.

    Raises:
        Disagreement: two of them differ.
    """
    for name, computed in found.items():
        if sympy.expand(computed - claim[name]) != 0:
            raise Disagreement(f"{name}: computed {computed}; claimed {claim[name]}")


NOTHING = {"s < r - 1": sympy.Integer(0), "s = r - 1": sympy.Integer(0), "s > r + 1": sympy.Integer(0)}
"""No block outside rows r and r + 1."""


def _pair_images(_: Context) -> Computed:
    shown = r"H_R\,(e_r - e_{r+1}) \otimes v = e_r \otimes (D - A)^{\mathsf T} v - e_{r+1} \otimes (D - A)\,v"
    found = toeplitz.pair_image()
    return Computed(found, toeplitz.sizes(found), shown)


def in_two_rows(first: Any, second: Any) -> dict[str, Any]:
    """Blocks in rows r and r + 1, and none elsewhere."""
    return {**NOTHING, "s = r": first, "s = r + 1": second}


PAIRS = Argument(
    "$H_R$ on a vector with $v$ and $-v$ in two adjacent units",
    "identity",
    _pair_images,
    in_two_rows(D - AT, -(D - A)),
    {
        "$D + A$ in place of $D - A$": in_two_rows(D + AT, -(D + A)),
        "$D - A$ and its transpose exchanged": in_two_rows(D - A, -(D - AT)),
        "$D$ alone": in_two_rows(D, -D),
        "the units before it are moved too": {**in_two_rows(D - AT, -(D - A)), "s < r - 1": AT},
    },
    same_expressions,
    explanation=r"All other rows cancel. So $\lvert H w\rvert^2 = \lvert(D - A)^{\mathsf T} v\rvert^2 + \lvert(D - A) v\rvert^2 \le "
    r"\lvert D - A\rvert^2 \lvert w\rvert^2$. The pairs (1, 2), (3, 4), ... have vectors and images in rows of their own, "
    r"so the bound holds on their span, of dimension $p \lfloor R/2\rfloor$. For $D = A$ all of it is mapped to zero.",
)


def _corner(_: Context) -> Computed:
    """How far the last rows stay below the first columns, for R = 2h + e with e = 0, 1."""
    found = toeplitz.corner()
    shown = r"u = \sum_{r > R-h} e_r \otimes x,\; w = \sum_{s \le h} e_s \otimes y:\quad u^{\mathsf T} H_R\, w = h^2\, x^{\mathsf T} A\, y"
    return Computed(found, found.sizes, shown)


def _all_below(found: toeplitz.Corner, rows: Callable[[Any, Any], Any]) -> None:
    """Pass when the least row less the greatest column, counted from 1, is at least 1 for every h >= 0 and e = 0, 1.

    Raises:
        Disagreement: it can be less.
    """
    terms = found.gap(rows)
    for e in (0, 1):
        value = {
            power: coefficient * e ** dict(power).get("e", 0) for power, coefficient in terms.items() if power != ()
        }
        constant = terms.get((), Fraction(0)) + sum(
            (v for power, v in value.items() if not dict(power).get("h")), Fraction(0)
        )
        if constant < 1 or any(v < 0 for power, v in value.items() if dict(power).get("h")):
            raise Disagreement(f"e = {e}: row less column is {show_plain(terms)}, not always at least 1")


CORNER = Argument(
    r"The lower left corner of $\lfloor R/2\rfloor \times \lfloor R/2\rfloor$ blocks consists of $A$",
    "identity",
    _corner,
    lambda h, e: h,
    {
        "one row and column more": lambda h, e: h + 1,
        "the ceiling of $R/2$": lambda h, e: h + e,
        "all $R$": lambda h, e: 2 * h + e,
    },
    _all_below,
    explanation="With $R = 2h + e$ the last $h$ rows begin at $R - h + 1 > h$, so each of the $h^2$ blocks lies below the diagonal. "
    r"With $\lvert u\rvert = \sqrt{h} \lvert x\rvert$ and $\lvert w\rvert = \sqrt{h} \lvert y\rvert$ it follows that "
    r"$\sigma_{\max}(H_R) \ge h \lvert A\rvert$.",
)


def _is_symmetric(block: Callable[[int, int], Any]) -> bool:
    swapped = {D: D, A: AT, AT: A, Z: Z}
    blocks = [(block(r, s), block(s, r)) for r in range(1, 9) for s in range(1, 9)]
    return all(sympy.expand(one.xreplace(swapped) - other) == 0 for one, other in blocks)


COURANT = Citation(
    "courant-fischer",
    {
        "$H_R$ is symmetric: block $(s, r)$ is the transpose of block $(r, s)$": Condition(
            _is_symmetric,
            lambda: toeplitz.block,
            lambda: lambda r, s: D if r == s else A,
        )
    },
)

Pairs: TypeAlias = Sequence[tuple[int, int]]


def _pairs(step: int) -> Mapping[int, Pairs]:
    """For R = 2..40 the pairs of adjacent units that begin at 1, 1 + step, ..."""
    return {units: [(r, r + 1) for r in range(1, units, step)] for units in range(2, 41)}


def _disjoint(found: Mapping[int, Pairs]) -> bool:
    """Whether the pairs are floor(R/2) many, of units 1..R, and share none."""
    return all(
        len(pairs) == units // 2 and len({*range(1, units + 1)} & {r for pair in pairs for r in pair}) == 2 * len(pairs)
        for units, pairs in found.items()
    )


def _within_rows(image: Mapping[str, Any]) -> bool:
    """Whether the image lies in rows r and r + 1."""
    return {image[place] for place in NOTHING} == {0}


INTERLACING = Citation(
    "singular-interlacing",
    {
        r"$\lfloor R/2\rfloor$ pairs of adjacent units share none, so they span $p \lfloor R/2\rfloor$ dimensions": Condition(
            _disjoint, lambda: _pairs(2), lambda: _pairs(1)
        ),
        "images of different pairs are orthogonal": Condition(_within_rows, toeplitz.pair_image, toeplitz.unit_image),
    },
)


def _constant_images(_: Context) -> Computed:
    found = toeplitz.same_in_every_unit()
    shown = r"H_R\,(\mathbf 1 \otimes v)_r = (D + (r-1) A + (R-r) A^{\mathsf T})\,v"
    return Computed(found, toeplitz.sizes(found), shown)


def _constant_claim(below: Any, above: Any, pairs: Any) -> dict[str, Any]:
    return {"row r": D + below * A + above * AT, "all rows": UNITS * D + pairs * (A + AT)}


_BELOW, _ABOVE, _PAIRS = NUMBER - 1, UNITS - NUMBER, UNITS * (UNITS - 1) / 2

CONSTANT = Argument(
    "The same vector in every unit",
    "identity",
    _constant_images,
    _constant_claim(_BELOW, _ABOVE, _PAIRS),
    {
        "earlier and later units exchanged": _constant_claim(_ABOVE, _BELOW, _PAIRS),
        "$R^2 / 2$ pairs": _constant_claim(_BELOW, _ABOVE, UNITS**2 / 2),
        "neighbours alone": _constant_claim(sympy.Integer(1), sympy.Integer(1), UNITS - 1),
    },
    same_expressions,
    explanation="Unit $r$ has $r - 1$ units before it and $R - r$ behind it.",
)

_KNOWN = {"D v = A v = A^T v = 0": (D, A, AT), "D v = A v = 0": (D, A), "A v = A^T v = 0": (A, AT)}


def _null_images(_: Context) -> Computed:
    """What is left of H_R (e_r (x) v), by what is known of v."""
    image = toeplitz.unit_image()
    found = {
        name: {place: one.xreplace(dict.fromkeys(zero, sympy.Integer(0))) for place, one in image.items()}
        for name, zero in _KNOWN.items()
    }
    return Computed(found, toeplitz.sizes(image), r"D v = A v = A^{\mathsf T} v = 0 \implies H_R\,(e_r \otimes v) = 0")


def _null_claim(above: Any, diagonal: Any) -> dict[str, dict[str, Any]]:
    nothing = dict.fromkeys((*NOTHING, "s = r", "s = r + 1"), sympy.Integer(0))
    return {
        "D v = A v = A^T v = 0": nothing,
        "D v = A v = 0": {**nothing, "s < r - 1": above, "s = r - 1": above},
        "A v = A^T v = 0": {**nothing, "s = r": diagonal},
    }


def _same_null_images(found: Mapping[str, Mapping[str, Any]], claim: Mapping[str, Mapping[str, Any]]) -> None:
    for known, image in found.items():
        same_expressions(image, claim[known])


NULL = Argument(
    "A vector of the common kernel, in any unit, is mapped to zero",
    "identity",
    _null_images,
    _null_claim(AT, D),
    {
        r"$\ker A^{\mathsf T}$ is not needed": _null_claim(sympy.Integer(0), D),
        r"$\ker D$ is not needed": _null_claim(AT, sympy.Integer(0)),
    },
    _same_null_images,
    explanation=r"$H_R$ is symmetric, so it maps $\mathbb R^R \otimes N^{\perp}$ into itself, $N$ being the common kernel. $D$, $A$ "
    r"and $A^{\mathsf T}$ keep their norms on $N^{\perp}$.",
)

GEN_3 = Statement(
    id="GEN-3",
    title="The condition number grows at least like $R$ when units interact",
    source=None,
    latex=r"\operatorname{cond}(H_R) \ge \left\lfloor \tfrac R2 \right\rfloor \frac{\|A\|_2}{\|D - A\|_2}, \qquad "
    r"\operatorname{cond}(H_R) \ge \frac{R\, \lambda_{\max}(S)}{\sigma_{\min}(S - T)} \quad (\text{linear},\ d \ge 2)",
    uses=("GEN-1",),
    clauses=(
        Clause(
            r"If $A \ne 0$ then $\mathrm{cond}(H_R) \ge \lfloor R/2\rfloor \lvert A\rvert / \lvert D - A\rvert$, infinite "
            r"where $D = A$ and $R \ge 2$; and at least $p \lfloor R/2\rfloor$ singular values of $H_R$ are at most "
            r"$\lvert D - A\rvert$.",
            {"R": 1, "p": 1},
            (CORNER, PAIRS, COURANT, INTERLACING, GENERAL_INSTANCES, SMALL_INSTANCES),
        ),
        Clause(
            r"For linear units with $n = 1$, $d \ge 2$, $R \ge 2$ and $X \ne 0$, "
            r"$\mathrm{cond}(H_R) \ge R \lambda_{\max}(S) / \sigma_{\min}(S - T)$.",
            {"R": 2, "d": 2, "m": 1},
            (CONSTANT, PAIRS, LINEAR_VECTORS, COURANT, LINEAR_INSTANCES),
        ),
        Clause(
            r"The general bounds hold on the complement of the common kernel $N$ of $D$, $A$ and $A^{\mathsf T}$, with "
            r"$p - \dim N$ in place of $p$.",
            {"R": 1, "p": 1},
            (NULL, KERNEL),
        ),
        Clause(
            r"For linear units with $n = 1$, $S$ singular and $X \ne 0$, $H_R$ is singular on that complement too from "
            "$R = 2$ on.",
            {"R": 2, "d": 2, "m": 1},
            (UNSEEN, LINEAR_VECTORS, NULL, SINGULAR_S),
        ),
    ),
    evidence=(
        observed_law("tanh", TANH, 3, (10, 10**3)),
        observed_law("linear", LINEAR, 3, (10, 10**3)),
        observed_law("tanh", TANH, 10, (10**3,), deep=True),
        observed_law("linear", LINEAR, 10, (10**3, 10**4), deep=True),
    ),
    notes="Norms are spectral. The bounds need no data: $D$ and $A$ may come from any residual unit and loss.",
)

STATEMENTS = (GEN_3,)
