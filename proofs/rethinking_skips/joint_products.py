"""Rethinking skip connections: products of jointly diagonalisable matrices, for plain, residual and ResNeXt layers.

Theorems 1 to 3 with Remarks 1 to 3; what they build on is in `proofs.rethinking_skips.joint_algebra`, the growth of products in
`proofs.rethinking_skips.growth_of_products`. The printed sign for "approximately" is read as a ~ b: |a - b| / |b| -> 0 as L -> infinity.
Counterexamples have x = sum_i v_i, so that no component is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.condition_of_products import (
    CONDITION_FACTORS,
    CONDITION_INSTANCES,
    DATA_FACTOR,
    DEPTH_SERIES,
    FULL_RANK,
    ON_OTHER_DATA,
    PATHS_BOUND,
    PRODUCT_BOUNDS,
    RANK_KEPT,
    RANKS_RUN,
    SCALED_INSTANCES,
    VARIED_INSTANCES,
)
from resproof.proofs.rethinking_skips.depth_products import DEPTH, LAYER, LAYERS, as_constant, every_depth, value_at
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.growth_of_products import (
    AGGREGATED,
    AGGREGATED_STATES,
    DOMINANT_SUMS,
    GROWING,
    NEAR_ONE,
    PRINTED_FAMILY,
    RESIDUAL,
    RESIDUAL_STATES,
    VANISHING,
)
from resproof.proofs.rethinking_skips.independent_layers import (
    DIFFERENT_RATES,
    PRINTED_RANDOM,
    ROOT_BELOW,
    SIGNED_LAYERS,
    STRONG_LAW,
    RandomLayers,
    condition_shares,
    drawn,
    error_shares,
    log_means,
    mean_of_root_is_one,
    mean_roots,
    rarely_great,
)
from resproof.proofs.rethinking_skips.joint_algebra import A1, E3, E12, L1
from resproof.proofs.rethinking_skips.joint_evidence import (
    below_the_invariant,
    nearly_kept,
    small_weights_growth,
    within_dropped,
)
from resproof.proofs.rethinking_skips.joint_families import (
    Family,
    family,
    greater_modulus,
    in_the_eigenbasis,
    shown_eigenvalues,
    squared_relative_error,
    turned,
    undamped_form,
)
from resproof.proofs.rethinking_skips.pictures import fading_draws, growing_draws, other_direction_grows
from resproof.proofs.rethinking_skips.plain_products import (
    CONDITION,
    DROPPED,
    FULL_DATA,
    HALF,
    OF_A_BATCH,
    OF_FULL_RANK,
    R1,
    REGULAR_SENSE,
    T1,
    Batch,
    grows,
    grows_in_order,
    rank_routes,
)
from resproof.proofs.rethinking_skips.random_matrices import P1, P2
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import at_most, matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Erratum,
    ExceptionalSet,
    Hypothesis,
    Offered,
    Repair,
    Statement,
    equal,
)
from resproof.symbolic.algebra.matrices import determinant, eye, matrix, transpose
from resproof.symbolic.certificates import Element, between, orthant
from resproof.symbolic.scope import Scope

# RS-T2.


class _ErrorGrowth(NamedTuple):
    """The squared error is at least `slope` L^2, as (1 + g)^L >= 1 + growth L for every L."""

    slope: Fraction
    growth: Fraction


def _growing_error(one: Family) -> Callable[[Context], Computed]:
    """c with |h^L - form|^2 / |form|^2 >= c L^2 for every L, for constant multipliers (mu_1, 1 + g), |mu_1| <= 1."""

    def compute(_: Context) -> Computed:
        first, second = (as_constant(mu) for mu in one.multipliers)
        assert first is not None
        assert second is not None
        assert abs(first) <= 1 < second
        gap = second - 1
        assert squared_relative_error(one, undamped_form, 3) >= gap**2 / 2 * 9
        return Computed(
            (gap, DEPTH),
            Scope.over(d=one.width, paths=len(one.paths)) & every_depth(DEPTH),
            rf"\text{{error}}^2 \ge {gap**2 / 2}\, L^2",
        )

    return compute


def _grows(found: tuple[Fraction, Element], claim: _ErrorGrowth) -> None:
    """(1 + g)^L - 1 >= g L, and |form|^2 = mu_1^(2L) + 1 <= 2. V = I."""
    gap, depth = found
    equal(gap**2 / 2, claim.slope)
    step = (1 + claim.growth * depth) * (1 + gap) - (1 + claim.growth * (depth + 1))
    LAYERS.at_least_zero("Bernoulli's step", step)


_SAMPLE_DEPTHS = (1, 2, 4, 8)


def _errors_run(one: Family) -> Callable[[Context], Computed]:
    """The squared relative errors of the printed form, layer by layer."""

    def compute(_: Context) -> Computed:
        found = {depth: squared_relative_error(one, undamped_form, depth) for depth in _SAMPLE_DEPTHS}
        return Computed(found, Scope.of(*(f"d=2, L={depth}" for depth in found)))

    return compute


def _error_formula(first: Fraction, second: Fraction) -> dict[int, Fraction]:
    """(mu_2^L - 1)^2 / (mu_1^(2L) + 1)."""
    return {depth: (second**depth - 1) ** 2 / (first ** (2 * depth) + 1) for depth in _SAMPLE_DEPTHS}


@property_of(
    dict(zip(_SAMPLE_DEPTHS, map(Fraction, range(len(_SAMPLE_DEPTHS), 0, -1)), strict=True)),
    not_of=[
        dict.fromkeys(_SAMPLE_DEPTHS, Fraction(1)),
        dict(zip(_SAMPLE_DEPTHS, map(Fraction, range(len(_SAMPLE_DEPTHS))), strict=True)),
        {**dict.fromkeys(_SAMPLE_DEPTHS, Fraction(0)), _SAMPLE_DEPTHS[0]: Fraction(3), _SAMPLE_DEPTHS[-1]: Fraction(1)},
    ],
)
def _falls(found: Mapping[int, Fraction]) -> bool:
    """Whether the last error is the smallest, as for errors that tend to zero."""
    return found[_SAMPLE_DEPTHS[-1]] == min(found.values()) < found[_SAMPLE_DEPTHS[0]]


def error_routes(one: Family) -> tuple[Argument, Argument]:
    """The relative error of the printed form grows with depth, for the multipliers 1/2 and 7/5."""
    slope, damped, grown = Fraction(2, 25), HALF, Fraction(7, 5)
    return (
        Argument(
            "The squared relative error is at least $c L^2$ at every depth",
            "inequality",
            _growing_error(one),
            _ErrorGrowth(slope, grown - 1),
            {
                PRINTED: _ErrorGrowth(Fraction(0), grown - 1),
                "twice as much": _ErrorGrowth(2 * slope, grown - 1),
                "$1 + 2 g L$ at most $(1 + g)^L$": _ErrorGrowth(slope, 2 * (grown - 1)),
            },
            certified(_grows),
            explanation="Bernoulli's inequality for the coordinate along $v_2$. The value is $c$; if the error tended to zero no "
            "$c > 0$ would do.",
        ),
        Argument(
            "Squared relative errors, layer by layer",
            "instance",
            _errors_run(one),
            _error_formula(damped, grown),
            {PRINTED: _falls, "the multipliers exchanged": _error_formula(grown, damped)},
            matches,
        ),
    )


_OVERTAKING = family([[-HALF, Fraction(2, 5)]], shortcut=True)
_BOTH_ORDERS = family([[Fraction(-9, 5), Fraction(-3, 2)]], shortcut=True)


def _both_orders(_: Context) -> Computed:
    """(-9/5, -3/2): ordered in |lambda| and in |1 + lambda|, with the error relative to the printed form."""
    lam, mu = _BOTH_ORDERS.paths[0], _BOTH_ORDERS.multipliers
    found = {
        "|lambda_1| > |lambda_2|": greater_modulus(lam[0], lam[1]),
        "|1 + lambda_1| > |1 + lambda_2|": greater_modulus(mu[0], mu[1]),
        "squared error at L = 40 above 99/100": squared_relative_error(_BOTH_ORDERS, undamped_form, 40)
        > Fraction(99, 100),
    }
    return Computed(found, Scope.of("d=2, V=I, L=40"), r"\mu = (-\tfrac45, -\tfrac12)")


_BOTH = {
    "|lambda_1| > |lambda_2|": True,
    "|1 + lambda_1| > |1 + lambda_2|": True,
    "squared error at L = 40 above 99/100": True,
}

BOTH_ORDERS = Argument(
    r"Ordering by $\lvert1 + \lambda\rvert$ as well is not enough",
    "instance",
    _both_orders,
    _BOTH,
    {
        "the error is small": {**_BOTH, "squared error at L = 40 above 99/100": False},
        r"the order of $\lvert1 + \lambda\rvert$ fails": {**_BOTH, "|1 + lambda_1| > |1 + lambda_2|": False},
    },
    explanation=r"Both products tend to zero, while the printed form keeps $\alpha_2 v_2$ undamped.",
)


def _repaired_cases(_: Context) -> Computed:
    """Squared errors at L = 4, 16, 64 where the repair's conditions hold, and where the sum of |lambda_2| is eps = 1/10."""
    growing = family([[1, Fraction(-1, 4)]], shortcut=True, vectors=turned())
    harmonic = family([[1 / LAYER, -1 / (2 * LAYER)]], shortcut=True, vectors=turned())
    found = {
        "mu = (2, 3/4)": [squared_relative_error(growing, undamped_form, depth) for depth in (4, 16, 64)],
        "mu = (1 + 1/l, 1 - 1/(2l))": [squared_relative_error(harmonic, undamped_form, depth) for depth in (4, 16, 64)],
    }
    dropped = {}
    for depth in (5, 50):
        small = family([[HALF, Fraction(1, 10 * depth)]], shortcut=True)
        dropped[depth] = in_the_eigenbasis(small, depth)[1] - 1
    return Computed((found, dropped), Scope.of("d=2, L=4, 16, 64", "d=2, eps=1/10, L=5, 50"))


def _conditions_suffice(found: Any, claim: tuple[int, Fraction]) -> None:
    """Errors fall so many times whenever L grows fourfold; dropped coefficients are at most the claimed number.

    Raises:
        Disagreement: they do not.
    """
    errors, dropped = found
    times, most = claim
    for name, values in errors.items():
        for earlier, later in pairwise(values):
            at_most(times * later, earlier, f"{name}, the fall of squared errors")
    for depth, value in dropped.items():
        at_most(value, most, f"L={depth}, the dropped coefficient")


_E_TENTH = sum((Fraction(1, 10**k) / f for k, f in enumerate((1, 1, 2, 6, 24))), Fraction(0))
"""Less than e^(1/10)."""

REPAIRED_CASES = Argument(
    "The two conditions on exact networks",
    "instance",
    _repaired_cases,
    (7, _E_TENTH - 1),
    {
        r"$e^{\varepsilon/2} - 1$": (7, Fraction(1, 20)),
        "an eightfold fall": (8, _E_TENTH - 1),
    },
    _conditions_suffice,
    explanation="$1 + 1/l$ has the product $L + 1$, $1 - 1/(2l)$ a product that tends to zero: gaps need not be uniform. The bound "
    "is four terms of $e^{1/10} - 1$.",
)

_FORM_REPAIR = (
    r"Let $\prod_i$ stand for $\prod_l MULTIPLIER$, and $\alpha_1 \ne 0$. The form leaves out "
    r"$\sum_{i\ge2} \alpha_i v_i (\prod_i - 1)$, so that it holds in relative error exactly when "
    r"$\alpha_i (\prod_i - 1) = o(\max(\lvert\alpha_1 \prod_1\rvert, \lvert\alpha_j\rvert, j \ge 2))$ for every "
    r"$i \ge 2$. It does if $\lvert\prod_1\rvert \to \infty$ and $\prod_i / \prod_1 \to 0$ for $i \ge 2$; then "
    r"$h^L \sim \alpha_1 v_1 \prod_1$ as well. And if $\sum_l \lvert EIGENVALUE\rvert \le \varepsilon$ for $i \ge 2$, the "
    r"coefficients that are left out are at most $\lvert\alpha_i\rvert (e^{\varepsilon} - 1)$ at every $L$. Neither an "
    r"order of the $\lvert EIGENVALUE\rvert$ nor one of the $\lvert MULTIPLIER\rvert$ suffices. The form fails wherever "
    r"$\lvert MULTIPLIER\rvert \le 1$ for $i = 1$ and $EIGENVALUE \ge g > 0$ for an $i \ge 2$ with $\alpha_i \ne 0$; and, "
    r"where $\alpha_i \ne 0$ for some $i \ge 2$, almost surely for independent layers with one law all of whose "
    r"$EIGENVALUE$, $i = 1$ included, lie in $[-1, 56/25]$, are not almost surely zero and have means of at most zero."
)


def form_repair(multiplier: str, eigenvalue: str) -> str:
    """When the printed form holds, for layers with these multipliers, 1 + `eigenvalue`."""
    return _FORM_REPAIR.replace("MULTIPLIER", multiplier).replace("EIGENVALUE", eigenvalue)


def form_holds(multiplier: str, first: str) -> str:
    """The first of the conditions under which the printed form is proved, as LaTeX."""
    product = rf"\prod_l ({first})"
    return (
        rf"\Bigl|{product}\Bigr| \to \infty,\quad \prod_l ({multiplier}) \Big/ {product} \to 0 \ (i \ge 2) \implies "
        rf"h^L \sim \sum_i \alpha_i v_i + \alpha_1 v_1 \Bigl({product} - 1\Bigr)"
    )


def _overtaken(_: Context) -> Computed:
    """|h^L - form|^2 - S^2/2 |form|^2 from below, S = sum lambda_2, where prod mu_1^2 is in (0, 1] and prod mu_2 = 1 + S + t."""
    o = orthant(nonnegative="q S t")
    form = between(1, 0, o["q"]) + 1
    return Computed(
        (o, (o["S"] + o["t"]) ** 2, form, o["S"]),
        Scope(),
        r"\text{error}^2 \ge \tfrac12 \Bigl(\sum_l \lambda_2^l\Bigr)^2",
    )


def _error_at_least(found: Any, claim: Callable[[Any], Any]) -> None:
    space, error, form, total = found
    space.at_least_zero("the squared relative error", error - claim(total) * form)


OVERTAKEN = Argument(
    r"An open set where the form fails: $-2 \le \lambda_1 \le 0 < g \le \lambda_2$",
    "inequality",
    _overtaken,
    lambda total: total**2 / 2,
    {"the square of the sum": lambda total: total**2, "one at least": lambda total: 1 + 0 * total},
    certified(_error_at_least),
    explanation=r"Then $\lvert\prod (1 + \lambda_1^l)\rvert \le 1$, and $\prod (1 + \lambda_2^l)$ is at least $1 + \sum \lambda_2^l$: "
    r"with orthonormal $v_i$ and $\lvert\alpha_1\rvert = \lvert\alpha_2\rvert$ the squared relative error is at least "
    "$g^2 L^2/2$, whatever the layers are, random or not.",
)


_FORM_CONDITIONS = (DROPPED, VANISHING, GROWING, NEAR_ONE, BOTH_ORDERS, REPAIRED_CASES, OVERTAKEN, ROOT_BELOW)
"""When the printed form holds and when it fails, h^L in the eigenbasis being known."""


def random_routes(one: RandomLayers) -> tuple[Argument, Argument]:
    """Both products tend to zero, so that the printed form, which keeps alpha_2 v_2, is off by as much as itself."""
    return (
        Argument(
            r"Bounds on $E \sqrt{1 + \lambda_i}$",
            "identity",
            mean_roots(one),
            (Fraction(247, 256), Fraction(63, 64)),
            {
                PRINTED: mean_of_root_is_one,
                "the squares are not halved": (Fraction(7, 16), Fraction(3, 4)),
            },
            matches,
            explanation=r"$1 - E \lambda_i^2/16 < 1$: almost surely $h^L \to 0$, and $h^L - \mathrm{form} \to -\alpha_2 v_2$, "
            r"$\mathrm{form} \to \alpha_2 v_2$. The form holds only where the mean is not below one for $v_2$.",
        ),
        _over_all_draws("Errors of one half or more", error_shares(one), 84, 98),
    )


def _over_all_draws(what: str, shares: Callable[[Context], Computed], at_16: int, at_64: int) -> Argument:
    """The shares at 16 and at 64 layers are so many per cent, rounded down."""
    return Argument(
        f"{what} over all draws of 16 and of 64 layers",
        "instance",
        shares,
        lambda found: {depth: int(100 * share) for depth, share in found.items()} == {16: at_16, 64: at_64},
        {
            PRINTED: rarely_great,
            "always": lambda found: min(found.values()) == 1,
        },
        matches,
    )


_SIGNED_PATHS = drawn(
    {tuple(v / 2 for v in values): p for values, p in SIGNED_LAYERS.law().items()}, shortcut=True, paths=2
)
_RESIDUAL_LAYERS = Hypothesis(
    "a linear residual network",
    lambda one: one.shortcut and one.paths == 1,
    fails_on=replace(SIGNED_LAYERS, shortcut=False),
    quote="a linear L-layer ResNet",
    where="Theorem 2",
)
_AGGREGATED_LAYERS = Hypothesis(
    "a linear ResNeXt with two paths or more",
    lambda one: one.shortcut and one.paths > 1,
    fails_on=SIGNED_LAYERS,
    quote="via m paths through every ResNeXt block ... a linear L-layer ResNeXt",
    where="section 3.2, Theorem 3",
)

T2 = Statement(
    id="RS-T2",
    title="Theorem 2: the residual network's hidden state",
    source=source(
        "Theorem 2, Eq. 16-21",
        "the hidden layer output, h(x)^L : L >> 1, is h(x)^L ~ sum_{i=1}^n alpha_i v_i + alpha_1 v_1 (sum_{l=1}^L lambda_1^l + ... + prod_{l=1}^L lambda_1^l), s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
    ),
    latex=r"h^L \approx \sum_{i=1}^n \alpha_i v_i + \alpha_1 v_1 \Bigl(\prod_{l=1}^L (1 + \lambda_1^l) - 1\Bigr), \quad |\lambda_1^l| > |\lambda_i^l| \ (i \ge 2)",
    uses=("RS-E3", "RS-L1", "RS-A1", "RS-E12"),
    setting="The weights of a linear residual network are jointly diagonalisable.",
    clauses=(
        Clause(
            r"For random layers with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$, "
            r"$h^L \sim \sum_i \alpha_i v_i + \alpha_1 v_1 (\prod_l (1 + \lambda_1^l) - 1)$ almost surely.",
            {"L": 1, "d": 2},
            hypotheses=(_RESIDUAL_LAYERS, *PRINTED_RANDOM),
            counterexample=Counterexample(
                instance=SIGNED_LAYERS,
                sentence="Eigenvalues of random sign, independent from layer to layer and with one law, which is not printed: "
                r"$h^L$ tends to zero almost surely, while the form keeps $\alpha_2 v_2$.",
                latex=r"\lambda_1 = \pm\tfrac34,\ \lambda_2 = \pm\tfrac12:\quad h^L \to 0, \quad \text{printed form} \to \alpha_2 v_2",
                routes=random_routes(SIGNED_LAYERS),
                picture=fading_draws,
            ),
            repair=Repair(
                sentence=form_repair(r"(1 + \lambda_i^l)", r"\lambda_i^l"),
                latex=form_holds(r"1 + \lambda_i^l", r"1 + \lambda_1^l"),
                arguments=(*RESIDUAL_STATES, *_FORM_CONDITIONS),
                for_all={"L": 1, "d": 2},
                changes=(
                    Change(
                        "|lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
                        r"$\lvert\prod_1\rvert \to \infty$ and $\prod_i / \prod_1 \to 0$ for $i \ge 2$",
                        r"The form holds under conditions on the products of $1 + \lambda$, which the order of the "
                        r"$\lvert\lambda\rvert$ does not imply; '~' is defined.",
                    ),
                ),
            ),
            other_readings=(
                Clause(
                    r"For every sequence of layers with $\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$.",
                    {"L": 1, "d": 2},
                    hypotheses=(RESIDUAL, *PRINTED_FAMILY),
                    counterexample=Counterexample(
                        instance=_OVERTAKING,
                        sentence=r"A negative $\lambda_1$ damps where a positive $\lambda_2$ amplifies: the multipliers are 1/2 "
                        "and 7/5, so that $v_2$ dominates while the printed form leaves it as it was.",
                        latex=r"\lambda_1 = -\tfrac12,\ \lambda_2 = \tfrac25:\quad h^L = (2^{-L}, (7/5)^L), \quad \text{printed } (2^{-L}, 1)",
                        show=shown_eigenvalues,
                        routes=error_routes(_OVERTAKING),
                        picture=other_direction_grows,
                    ),
                ),
            ),
        ),
    ),
    evidence=(
        Argument(
            r"$\lambda_1 = 1/10$ and the others $1/(2L)$ on the digits, $L = 60$",
            "floating point",
            nearly_kept(60, 0.5),
            math.exp(0.5) - 1.0,
            {"nothing is left out": 0.0, r"$e^{\varepsilon/2} - 1$": math.exp(0.25) - 1.0},
            within_dropped,
        ),
    ),
    notes="'~' is read as relative error tending to 0, as in Theorem 1. The proof divides by the sum that stands beside "
    r"$\alpha_1 v_1$, which is zero at $\lambda_1 = 0$ and may be at other values.",
)

# RS-R2.

_ANNIHILATING_BATCH = Batch(family([[2, -1]], shortcut=True), eye(2))


def _distinct_and_singular(_: Context) -> Computed:
    """Whether no column occurs twice, and the determinant."""
    a = matrix([[1, 2], [2, 4]])
    return Computed(
        (len(set(transpose(a))) == len(a), determinant(a)),
        Scope.of("d=2"),
        r"\det \begin{pmatrix} 1 & 2 \\ 2 & 4 \end{pmatrix} = 0",
    )


DISTINCT_COLUMNS = Argument(
    "Distinct columns do not make a matrix nonsingular: [[1, 2], [2, 4]]",
    "instance",
    _distinct_and_singular,
    (True, Fraction(0)),
    {"it is nonsingular": (True, Fraction(1)), "its columns are equal": (False, Fraction(0))},
)

_SCALED_EVIDENCE = Argument(
    r"$I + W^l$ with $\lvert W^l\rvert \le 1/L$, without common eigenvectors, $L = 20000$",
    "floating point",
    small_weights_growth(20_000, 1.0),
    lambda a, depth: 2 * a,
    {
        "$e^a$": lambda a, depth: a,
        r"it grows like $\sqrt{L}$": lambda a, depth: a * depth**0.5,
        "no growth at all": lambda a, depth: 0.0,
    },
    below_the_invariant,
    explanation="The logarithm of the bound is within $2 a^3/(3 L^2)$ of $2a$, below the rounding error here.",
    deep=True,
)

_SIZES = {"L": 1, "d": 1, "m": 1}
_SIZES_WITH_PATHS = {**_SIZES, "paths": 1}


def kappa_routes(one: RandomLayers) -> tuple[Argument, Argument]:
    """The logarithms of the two products grow at different rates, so that their ratio leaves every bound."""
    return (
        Argument(
            "The two rates",
            "identity",
            log_means(one),
            (Fraction(7, 16) ** 2, Fraction(3, 4) ** 2),
            {
                PRINTED: property_of((Fraction(3, 4), Fraction(3, 4)))(lambda found: found[0] == found[1]),
                "once each": (Fraction(7, 16), Fraction(3, 4)),
            },
            matches,
            explanation=r"By the law of large numbers $\lvert\prod (1 + \lambda_i^l)\rvert^{1/L}$ tends to "
            r"$e^{E \log\lvert1 + \lambda_i\rvert}$, almost surely: to $\sqrt{7}/4$ and to $\sqrt{3}/2$. With orthonormal "
            r"eigenvectors and $X = I$ $\kappa(H^L)$ is the ratio of the products.",
        ),
        _over_all_draws(r"$\kappa \ge 10$", condition_shares(one), 75, 96),
    )


def by_rank(batch: Batch, states: tuple[Offered, ...], layer: str, sizes: Mapping[str, int], *others: Clause) -> Clause:
    """What the remark says by ranks, as its words do, where it fails, and what it says in `others`, by condition numbers."""
    return Clause(
        r"$H^L$ is nonsingular at every $L$: none of its $\min(d, m)$ singular values is zero.",
        sizes,
        (*states, RANK_KEPT, RANKS_RUN, DISTINCT_COLUMNS),
        other_readings=others,
        reading=ExceptionalSet(
            rf"$\mathrm{{rank}}\, X < \min(d, m)$, or an eigenvalue of ${layer}$ that is zero in some layer",
            fails=rank_routes(batch, 1, 2, "")[1],
            null=FULL_RANK,
        ),
    )


KAPPA_LAW = (
    r"$\kappa(H^L)$ is $\max_i \prod\lvert MULTIPLIER\rvert / \min_i \prod\lvert MULTIPLIER\rvert$ up to the factors "
    r"$(\kappa(V)^2 \kappa(X))^{\pm1}$: the law of plain networks with other rates. For independent layers with one law "
    r"and finite $E \log\lvert MULTIPLIER\rvert$ its $L$-th root tends almost surely to "
    r"$e^{\max_i E \log\lvert MULTIPLIER\rvert - \min_i E \log\lvert MULTIPLIER\rvert}$, so that it is bounded only if "
    "these means are equal."
)
NORM_LAW = (
    r"If $NORM \le w_l < 1$ in every layer, then $\kappa(H^L) \le \kappa(X) \prod_l (1 + w_l)/(1 - w_l)$, whatever the "
    "eigenvectors; that is bounded in $L$ where the $w_l$ have a finite sum, its factors being $1 + 2 w_l/(1 - w_l)$."
)
DEPTH_LAW = (
    r"If $NORM \le a/L$ in every layer, $a < L$, then $\kappa(H^L) \le \kappa(X) ((1 + a/L)/(1 - a/L))^L$, which "
    r"decreases to $e^{2a} \kappa(X)$ as $L$ grows."
)


def _kappa_laws(
    mu: str, norm: str, states: tuple[Offered, ...], *paths: Offered, sizes: Mapping[str, int]
) -> tuple[Clause, ...]:
    """The three laws, for layers with the multipliers `mu` and so bounded norms; `paths` bound them."""
    return (
        Clause(KAPPA_LAW.replace("MULTIPLIER", mu), sizes, (*states, *CONDITION, STRONG_LAW), (FULL_DATA,)),
        Clause(
            NORM_LAW.replace("NORM", norm),
            sizes,
            (*paths, PRODUCT_BOUNDS, DATA_FACTOR, NEAR_ONE, VARIED_INSTANCES),
            (OF_FULL_RANK,),
        ),
        Clause(
            DEPTH_LAW.replace("NORM", norm),
            sizes,
            (*paths, PRODUCT_BOUNDS, DATA_FACTOR, DEPTH_SERIES, SCALED_INSTANCES),
            (OF_FULL_RANK,),
        ),
    )


_LAWS_OF_R2 = (
    *_kappa_laws(r"1 + \lambda_i^l", r"\lvert W^l\rvert_2", RESIDUAL_STATES, sizes=_SIZES),
    Clause(
        r"With $d = 2$ and $X = I$, $W^l = w_l\, \mathrm{diag}(1, -1)$ attains these bounds.",
        {"L": 1},
        (CONDITION_FACTORS, VARIED_INSTANCES, SCALED_INSTANCES, ON_OTHER_DATA),
    ),
)

_KAPPA_OF_R2 = Clause(
    r"For random layers with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$, $\kappa(H^L)$ stays "
    "moderate as $L$ grows, almost surely.",
    _SIZES,
    hypotheses=(_RESIDUAL_LAYERS, *PRINTED_RANDOM),
    reading=REGULAR_SENSE,
    counterexample=Counterexample(
        instance=SIGNED_LAYERS,
        sentence=r"On independent layers with one law, which is not printed, and with $X = I$, $\kappa(H^L)$ grows exponentially almost "
        r"surely: $E \log\lvert1 + \lambda_i\rvert$ is another number for $i = 1$ than for $i = 2$.",
        latex=r"\lambda_1 = \pm\tfrac34,\ \lambda_2 = \pm\tfrac12,\ X = I:\quad \kappa(H^L)^{1/L} \to \sqrt{12/7}",
        routes=kappa_routes(SIGNED_LAYERS),
        picture=growing_draws,
    ),
    repair=Repair(
        latex=r"\|W^l\|_2 \le w_l < 1 \implies \kappa(H^L) \le \kappa(X) \prod_{l=1}^L \frac{1 + w_l}{1 - w_l}, \qquad w_l = \tfrac aL: \ \downarrow e^{2a}\, \kappa(X)",
        arguments=(),
        clauses=_LAWS_OF_R2,
        changes=(
            Change(
                "H(x)^L is non-singular",
                r"$\kappa(H^L) \le \kappa(X) \prod_l (1 + w_l)/(1 - w_l)$",
                "The condition number stays moderate where the norms of the weights are small, with a finite sum or of order "
                "$1/L$; a shortcut alone does not keep it so, it changes the rate at which the condition number grows.",
            ),
        ),
    ),
)

R2 = Statement(
    id="RS-R2",
    title="Remark 2: residual hidden representations are nonsingular by rank, as plain ones are; their condition number may grow",
    source=source(
        "Remark 2",
        "h(x)^L for the ResNet retain full information. From Definition 2 and Theorem 2, the columns of H(x)^L are distinct, and therefore H(x)^L is non-singular",
    ),
    latex=r"\operatorname{rank} H(x)^L = \min(d, m)",
    uses=("RS-T2", "RS-P2"),
    setting=rf"The weights of a linear residual network are jointly diagonalisable; {OF_A_BATCH}",
    clauses=(
        by_rank(
            _ANNIHILATING_BATCH,
            RESIDUAL_STATES,
            "I + W^l",
            _SIZES,
            _KAPPA_OF_R2,
            Clause(
                "Without Assumption 1: for independent layers $I + W^l$ with one law, $W^l$ of independent Gaussian "
                r"or uniform entries, $d \ge 2$, $\kappa(H^L)$ grows exponentially almost surely, as in a plain "
                "network.",
                {"d": 2, "m": 2},
                (DATA_FACTOR, CONDITION_INSTANCES, DIFFERENT_RATES),
                (FULL_DATA,),
            ),
        ),
    ),
    evidence=(
        grows_in_order("Residual layers in the order of Theorem 2 on the digits, $L = 1000$, in balls", "residual"),
        grows_in_order("The same with weights a tenth as large", "residual", scale=0.1),
        grows("Residual layers with common eigenvectors on the digits, $L = 1000$", "residual", depth=1000),
        grows("Residual layers with common eigenvectors on the digits, $L = 10^5$", "residual", depth=100_000),
        grows("The latter with weights a tenth as large, $L = 10^4$", "residual", depth=10_000, scale=0.1),
        _SCALED_EVIDENCE,
    ),
    notes=r"Before Equation 8 singularity is a singular value of zero, of which a $d \times m$ matrix has $\min(d, m)$, and near-singularity, in "
    "terms of the condition number, is what makes problems. In the former sense the remark holds of plain networks too, so that it "
    "tells nothing of shortcuts; in the latter it does not hold in general (RS-PR). Layers in the order of Theorem 2 are measured to $L = 1000$, where "
    r"$\kappa(H^L)$ grows at He's initialisation more slowly than a plain network's, and hardly with weights a tenth as "
    r"large. The layers measured to $L = 10^5$ have $\lvert\mu_1\rvert \ge \cdots \ge \lvert\mu_d\rvert$ in every layer, "
    r"which is not what Theorem 2 asks of the $\lvert\lambda_i\rvert$ but the order in which the condition number grows "
    "fastest: about as fast as a plain network's at He's initialisation. With weights of order $1/L$ it does not grow.",
)

# RS-T3.

_EQUAL_PATHS = family([[Fraction(-1, 4), Fraction(1, 5)]] * 2, shortcut=True)


def _path_orders(_: Context) -> Computed:
    """lambda_1 = (1, -1) against lambda_2 = (9/10, 9/10), path by path and summed."""
    one = family([[1, Fraction(9, 10)], [-1, Fraction(9, 10)]], shortcut=True)
    by_path = [greater_modulus(path[0], path[1]) for path in one.paths]
    sums = tuple(value_at(p, 0) for p in one.sums)
    return Computed(
        (by_path, sums),
        Scope.of("d=2, m=2"),
        r"|\lambda_1^{k}| > |\lambda_2^{k}| \text{ for both } k,\quad p_1 = 0,\ p_2 = \tfrac95",
    )


PATH_ORDERS = Argument(
    "An order path by path does not order the sums",
    "instance",
    _path_orders,
    ([True, True], (Fraction(0), Fraction(9, 5))),
    {
        "$p_1$ is the greater": ([True, True], (Fraction(2), Fraction(9, 5))),
        "one path is not ordered": ([True, False], (Fraction(0), Fraction(9, 5))),
    },
)

_UNEQUAL_PATHS = family([[1, HALF], [HALF, Fraction(1, 4)]], shortcut=True, alpha=(Fraction(1), Fraction(0)))

OVER_THE_PATHS = Erratum(
    r"$\sum_{j=1}^m \lambda_1^{l,m}$, in Equation 22",
    r"$\sum_{k=1}^m \lambda_1^{l,k}$",
    "aggregating by summing features learned via m paths through every ResNeXt block",
    "section 3.2 (c), before Equation 4; Equations 4, 5 and 44 sum over $k$",
    fails=Argument(
        r"Two paths with $\lambda_1 = 1$ and 1/2, three layers, $x = v_1$",
        "instance",
        lambda _: Computed(_UNEQUAL_PATHS.hidden(3)[0], Scope.of("d=2, m=2, L=3")),
        Fraction(5, 2) ** 3,
        {PRINTED: Fraction(2) ** 3, "$m$ times the first path": Fraction(3) ** 3},
        explanation=r"With $\alpha_i = 0$ for $i \ge 2$ the form is $\alpha_1 v_1 \prod_l (1 + p_1^l)$, which is $h^L$. As printed "
        "$p_1$ is $m$ times the eigenvalue of the last path.",
    ),
)

T3 = Statement(
    id="RS-T3",
    title="Theorem 3: the ResNeXt's hidden state",
    source=source(
        "Theorem 3, Eq. 22, 43-47, appendix A3",
        "the hidden layer output, h(x)^L : L >> 1, is h(x)^L ~ sum_{i=1}^n alpha_i v_i + alpha_1 v_1 (sum_{l=1}^L sum_{j=1}^m lambda_1^{l,m} + ... + prod_{l=1}^L sum_{j=1}^m lambda_1^{l,m}), s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
    ),
    latex=r"h^L \approx \sum_{i=1}^n \alpha_i v_i + \alpha_1 v_1 \Bigl(\prod_{l=1}^L (1 + p_1^l) - 1\Bigr), \quad p_i^l = \sum_{k=1}^m \lambda_i^{l,k}",
    uses=("RS-E3", "RS-L1", "RS-A1", "RS-T2"),
    setting=r"The weights of a linear ResNeXt are jointly diagonalisable, $p_i^l = \sum_k "
    r"\lambda_i^{l,k}$.",
    clauses=(
        Clause(
            r"For random layers with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$, "
            r"$h^L \sim \sum_i \alpha_i v_i + \alpha_1 v_1 (\prod_l (1 + p_1^l) - 1)$ almost surely.",
            {"L": 1, "d": 2, "paths": 1},
            hypotheses=(_AGGREGATED_LAYERS, *PRINTED_RANDOM),
            reading=OVER_THE_PATHS,
            counterexample=Counterexample(
                instance=_SIGNED_PATHS,
                sentence="Two equal paths with half the eigenvalues of the example for Theorem 2, drawn in the same way: $h^L$ "
                r"tends to zero almost surely, the form to $\alpha_2 v_2$.",
                latex=r"p_1 = \pm\tfrac34,\ p_2 = \pm\tfrac12:\quad h^L \to 0, \quad \text{printed form} \to \alpha_2 v_2",
                routes=random_routes(_SIGNED_PATHS),
                picture=fading_draws,
            ),
            repair=Repair(
                sentence=form_repair("(1 + p_i^l)", "p_i^l"),
                latex=form_holds("1 + p_i^l", "1 + p_1^l"),
                arguments=(*AGGREGATED_STATES, *_FORM_CONDITIONS, PATH_ORDERS),
                for_all={"L": 1, "d": 2, "paths": 1},
                changes=(
                    Change(
                        "|lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
                        r"$\lvert\prod_1\rvert \to \infty$ and $\prod_i / \prod_1 \to 0$ for $i \ge 2$",
                        "The form holds under conditions on the products of $1 + p$, $p$ the sums over the paths; an order path by "
                        "path does not even order these sums.",
                    ),
                ),
            ),
            other_readings=(
                Clause(
                    r"For every sequence of layers with $\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$, path by path "
                    "and for the sums.",
                    {"L": 1, "d": 2, "paths": 1},
                    hypotheses=(AGGREGATED, *PRINTED_FAMILY, DOMINANT_SUMS),
                    counterexample=Counterexample(
                        instance=_EQUAL_PATHS,
                        sentence="Two equal paths with the eigenvalues -1/4 and 1/5: the sums are -1/2 and 2/5, the example of Theorem 2. The condition holds path by "
                        "path and for the sums.",
                        latex=r"\lambda_1^{k} = -\tfrac14,\ \lambda_2^{k} = \tfrac15 \ (k = 1, 2):\quad h^L = (2^{-L}, (7/5)^L)",
                        show=shown_eigenvalues,
                        routes=error_routes(_EQUAL_PATHS),
                        picture=other_direction_grows,
                    ),
                ),
            ),
        ),
    ),
    notes=r"The condition is printed as $\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$, in the appendix as "
    r"$\lvert p_1\rvert > \lvert p_i\rvert$; the counterexample satisfies both readings, and with equal paths it refutes "
    r"the sums as they are printed too. Appendix A3: Eq. 45 sums $\lambda_i^{l,k}$ over $j$, $k$ is meant; $p_i^{l,k}$ "
    "does not depend on $k$; Eq. 7 is put into Eq. 15, Eq. 44 is meant; Lemma 1 is applied to $W^{l,k} + I$ for each "
    r"$k$, and it is $\sum_k W^{l,k} + I$ that is needed.",
)

# RS-R3.

_CANCELLING_BATCH = Batch(family([[1, -HALF]] * 2, shortcut=True), eye(2))

_KAPPA_OF_R3 = Clause(
    r"For random layers with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$, $\kappa(H^L)$ stays "
    "moderate as $L$ grows, almost surely.",
    _SIZES_WITH_PATHS,
    hypotheses=(_AGGREGATED_LAYERS, *PRINTED_RANDOM),
    reading=REGULAR_SENSE,
    counterexample=Counterexample(
        instance=_SIGNED_PATHS,
        sentence="Two equal paths with half the eigenvalues of the example for Remark 2, drawn in the same way, and $X = I$.",
        latex=r"p_1 = \pm\tfrac34,\ p_2 = \pm\tfrac12,\ X = I:\quad \kappa(H^L)^{1/L} \to \sqrt{12/7}",
        routes=kappa_routes(_SIGNED_PATHS),
        picture=growing_draws,
    ),
    repair=Repair(
        latex=r"\sum_k \|W^{l,k}\|_2 \le w_l < 1 \implies \kappa(H^L) \le \kappa(X) \prod_{l=1}^L \frac{1 + w_l}{1 - w_l}",
        arguments=(),
        clauses=_kappa_laws(
            "1 + p_i^l",
            r"\sum_k \lvert W^{l,k}\rvert_2",
            AGGREGATED_STATES,
            PATHS_BOUND,
            sizes=_SIZES_WITH_PATHS,
        ),
        changes=(
            Change(
                "H(x)^L is non-singular",
                r"$\kappa(H^L) \le \kappa(X) \prod_l (1 + w_l)/(1 - w_l)$",
                "As for Remark 2: the sums of the norms over the paths are small.",
            ),
        ),
    ),
)

R3 = Statement(
    id="RS-R3",
    title="Remark 3: ResNeXts' hidden representations are nonsingular by rank; their condition number may grow",
    source=source(
        "Remark 3",
        "Similar to ResNet, h(x)^L for the ResNeXt retain full information. Again, employing Definition 2 and Theorem 3 shows that the columns of H(x)^L are distinct, and thus H(x)^L is non-singular",
    ),
    latex=r"\operatorname{rank} H(x)^L = \min(d, m)",
    uses=("RS-T3", "RS-R2"),
    setting=r"The weights of a linear ResNeXt are jointly diagonalisable, $p_i^l = \sum_k "
    rf"\lambda_i^{{l,k}}$; {OF_A_BATCH}",
    clauses=(by_rank(_CANCELLING_BATCH, AGGREGATED_STATES, r"I + \sum_k W^{l,k}", _SIZES_WITH_PATHS, _KAPPA_OF_R3),),
    evidence=(
        grows_in_order("ResNeXt layers in the order of Theorem 3 on the digits, $L = 1000$, in balls", "resnext"),
        grows("ResNeXt layers of four paths with common eigenvectors on the digits, $L = 1000$", "resnext", depth=1000),
        grows(
            "ResNeXt layers of four paths with common eigenvectors on the digits, $L = 10^5$", "resnext", depth=100_000
        ),
    ),
    notes="Of the two senses of singular, and of plain networks, see RS-R2.",
)

STATEMENTS: tuple[Statement, ...] = (E3, P1, P2, E12, T1, R1, L1, A1, T2, R2, T3, R3)
