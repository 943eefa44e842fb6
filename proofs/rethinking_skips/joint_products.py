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
from typing import Any

from proofs.documents import source
from proofs.rethinking_skips.condition_of_products import (
    CONDITION_FACTORS,
    DATA_FACTOR,
    DEPTH_SERIES,
    LAYER_BOUNDS,
    PATHS_BOUND,
    SCALED_INSTANCES,
)
from proofs.rethinking_skips.depth_products import LAYER, LAYERS, as_constant, every_depth, value_at
from proofs.rethinking_skips.growth_of_products import (
    AGGREGATED_NETWORKS,
    DOMINANT_SUMS,
    GROWING,
    IN_THE_EIGENBASIS,
    NEAR_ONE,
    PRINTED_FAMILY,
    RESIDUAL_NETWORKS,
    SUM_OF_PATHS,
    VANISHING,
    aggregated_kind,
    residual_kind,
)
from proofs.rethinking_skips.joint_algebra import A1, E3, E12, L1
from proofs.rethinking_skips.joint_evidence import (
    below_the_invariant,
    nearly_kept,
    small_weights_growth,
    within_dropped,
)
from proofs.rethinking_skips.joint_families import (
    Family,
    family,
    greater_modulus,
    in_the_eigenbasis,
    shown_eigenvalues,
    squared_relative_error,
    turned,
    undamped_form,
)
from proofs.rethinking_skips.plain_products import (
    CONDITION,
    DISTINCT,
    DROPPED,
    FULL_RANK,
    HALF,
    R1,
    T1,
    Batch,
    grows,
    has_distinct_columns,
    of_network,
    rank_routes,
)
from proofs.rethinking_skips.random_matrices import P1, P2
from proofs.routes.predicates import matches
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
from symbolic.algebra.matrices import determinant, eye, matrix

# RS-T2.


def _growing_error(one: Family) -> Callable[[Context], Computed]:
    """c with |h^L - form|^2 / |form|^2 >= c L^2 for every L, for constant multipliers (mu_1, 1 + g), |mu_1| <= 1."""

    def compute(_: Context) -> Computed:
        first, second = (as_constant(mu) for mu in one.multipliers)
        assert first is not None
        assert second is not None
        assert abs(first) <= 1 < second
        # (1 + g)^L - 1 >= g L, step g^2 L >= 0; |form|^2 = mu_1^(2L) + 1 <= 2. V = I.
        gap = second - 1
        step = (1 + gap * LAYER) * (1 + gap) - (1 + gap * (LAYER + 1))
        LAYERS.at_least_zero("Bernoulli's step", step)
        assert squared_relative_error(one, undamped_form, 3) >= gap**2 / 2 * 9
        return Computed(
            gap**2 / 2, Scope.over(d=one.width) & every_depth(step), rf"\text{{error}}^2 \ge {gap**2 / 2}\, L^2"
        )

    return compute


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


def _falls(found: Mapping[int, Fraction]) -> bool:
    """Whether the last error is the smallest, as for errors that tend to zero."""
    return found[_SAMPLE_DEPTHS[-1]] == min(found.values()) < found[_SAMPLE_DEPTHS[0]]


def error_routes(one: Family, slope: Fraction, first: Fraction, second: Fraction) -> tuple[Argument, Argument]:
    """The relative error of the printed form grows with depth."""
    return (
        Argument(
            "The squared relative error is at least c L^2 at every depth",
            "inequality",
            _growing_error(one),
            slope,
            {PRINTED: Fraction(0), "twice as much": 2 * slope},
            explanation="Bernoulli's inequality for the coordinate along v_2. The value is c; if the error tended to zero no c > 0 would do.",
        ),
        Argument(
            "Squared relative errors, layer by layer",
            "instance",
            _errors_run(one),
            _error_formula(first, second),
            {PRINTED: _falls, "the multipliers exchanged": _error_formula(second, first)},
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
    "Ordering by |1 + lambda| as well is not enough",
    "instance",
    _both_orders,
    _BOTH,
    {
        "the error is small": {**_BOTH, "squared error at L = 40 above 99/100": False},
        "the order of |1 + lambda| fails": {**_BOTH, "|1 + lambda_1| > |1 + lambda_2|": False},
    },
    explanation="Both products tend to zero, while the printed form keeps alpha_2 v_2 undamped.",
)


def _repaired_cases(_: Context) -> Computed:
    """Squared errors at L = 64, 256 where the repair's conditions hold, and where the sum of |lambda_2| is eps = 1/10."""
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


def _conditions_suffice(found: Any, claim: tuple[Fraction, Fraction]) -> None:
    """Errors fall by the claimed factor whenever L grows fourfold; dropped coefficients are at most the claimed number.

    Raises:
        Disagreement: they do not.
    """
    errors, dropped = found
    factor, most = claim
    for name, values in errors.items():
        if any(later > factor * earlier for earlier, later in pairwise(values)):
            raise Disagreement(f"{name}: the squared errors {[float(v) for v in values]} do not fall so fast")
    for depth, value in dropped.items():
        if value > most:
            raise Disagreement(f"L={depth}: the dropped coefficient is {float(value):.5f}, above {float(most):.5f}")


_E_TENTH = sum((Fraction(1, 10**k) / f for k, f in enumerate((1, 1, 2, 6, 24))), Fraction(0))
"""Less than e^(1/10)."""

REPAIRED_CASES = Argument(
    "The two conditions on exact networks",
    "instance",
    _repaired_cases,
    (Fraction(1, 2), _E_TENTH - 1),
    {
        "e^(eps/2) - 1": (Fraction(1, 2), Fraction(1, 20)),
        "a hundredfold fall": (Fraction(1, 100), _E_TENTH - 1),
    },
    _conditions_suffice,
    explanation="1 + 1/l has the product L + 1, 1 - 1/(2l) a product that tends to zero: gaps need not be uniform. The bound is four terms of "
    "e^(1/10) - 1.",
)

_FORM_REPAIR = (
    "Let prod_i stand for prod_l {mu}, and alpha_1 != 0. The form leaves out sum_(i>=2) alpha_i v_i (prod_i - 1), so that it holds in "
    "relative error exactly when alpha_i (prod_i - 1) = o(max(|alpha_1 prod_1|, |alpha_j|, j >= 2)) for every i >= 2. It does if |prod_1| -> infinity "
    "and prod_i / prod_1 -> 0 for i >= 2; then h^L ~ alpha_1 v_1 prod_1 as well. And if sum_l |{p}| <= eps for i >= 2, the coefficients that are left out are "
    "at most |alpha_i| (e^eps - 1) at every L. Neither an order of the |{p}| nor one of the |{mu}| suffices."
)


T2 = Statement(
    id="RS-T2",
    title="Theorem 2: the residual network's hidden state",
    source=source("S", "Theorem 2, Eq. 16-21", "Lastly, applying L >> 1 and the condition"),
    sentence="For jointly diagonalisable weights of a linear residual network with |lambda_1^l| > |lambda_i^l| for i >= 2, "
    "h^L ~ sum_i alpha_i v_i + alpha_1 v_1 (prod_l (1 + lambda_1^l) - 1) for L >> 1.",
    latex=r"h^L \approx \sum_{i=1}^n \alpha_i v_i + \alpha_1 v_1 \Bigl(\prod_{l=1}^L (1 + \lambda_1^l) - 1\Bigr), \quad |\lambda_1^l| > |\lambda_i^l| \ (i \ge 2)",
    hypotheses=(
        Hypothesis("a linear residual network", residual_kind, fails_on=replace(_OVERTAKING, shortcut=False)),
        *PRINTED_FAMILY,
    ),
    uses=("RS-E3", "RS-L1", "RS-A1", "RS-E12"),
    counterexample=Counterexample(
        instance=_OVERTAKING,
        sentence="A negative lambda_1 damps where a positive lambda_2 amplifies: the multipliers are 1/2 and 7/5, so that v_2 dominates "
        "while the printed form leaves it as it was.",
        latex=r"\lambda_1 = -\tfrac12,\ \lambda_2 = \tfrac25:\quad h^L = (2^{-L}, (7/5)^L), \quad \text{printed } (2^{-L}, 1)",
        show=shown_eigenvalues,
        routes=error_routes(_OVERTAKING, Fraction(2, 25), HALF, Fraction(7, 5)),
    ),
    repair=Repair(
        sentence=_FORM_REPAIR.format(mu="(1 + lambda_i^l)", p="lambda_i^l"),
        latex=r"h^L - \text{form} = \sum_{i \ge 2} \alpha_i v_i \Bigl(\prod_l (1 + \lambda_i^l) - 1\Bigr), \qquad \Bigl|\prod_l (1 + \lambda_i^l) - 1\Bigr| \le e^{\sum_l |\lambda_i^l|} - 1",
        arguments=(
            IN_THE_EIGENBASIS,
            RESIDUAL_NETWORKS,
            DROPPED,
            VANISHING,
            GROWING,
            NEAR_ONE,
            BOTH_ORDERS,
            REPAIRED_CASES,
        ),
        for_all={"L": 1, "d": 1},
        adds="The order of the |lambda| is replaced by conditions on the products of 1 + lambda, and '~' is defined.",
    ),
    evidence=(
        Argument(
            "lambda_1 = 1/10 and the others 1/(2L) on the digits, L = 60",
            "floating point",
            nearly_kept(60, 0.5),
            math.exp(0.5) - 1.0,
            {"nothing is left out": 0.0, "e^(eps/2) - 1": math.exp(0.25) - 1.0},
            within_dropped,
        ),
    ),
    errata=(
        "The proof divides by the sum that stands beside alpha_1 v_1, which is zero at lambda_1 = 0 and may be at other values.",
    ),
    notes="'~' is read as relative error tending to 0, as in Theorem 1.",
)

# RS-R2.

_ANNIHILATING = family([[2, -1]], shortcut=True)
_ANNIHILATING_BATCH = Batch(_ANNIHILATING, eye(2))
_DISTINCT_COLUMNS = matrix([[1, 2], [2, 4]])


def _distinct_and_singular(_: Context) -> Computed:
    found = (has_distinct_columns(_DISTINCT_COLUMNS), determinant(_DISTINCT_COLUMNS))
    return Computed(found, Scope.of("d=2"), r"\det \begin{pmatrix} 1 & 2 \\ 2 & 4 \end{pmatrix} = 0")


DISTINCT_COLUMNS = Argument(
    "Distinct columns do not make a matrix nonsingular: [[1, 2], [2, 4]]",
    "instance",
    _distinct_and_singular,
    (True, Fraction(0)),
    {"it is nonsingular": (True, Fraction(1)), "its columns are equal": (False, Fraction(0))},
)

_SCALED_EVIDENCE = Argument(
    "I + W^l with |W^l| <= 1/L, without common eigenvectors, L = 20000",
    "floating point",
    small_weights_growth(20_000, 1.0),
    lambda a, depth: 2 * a,
    {
        "e^a": lambda a, depth: a,
        "it grows like sqrt(L)": lambda a, depth: a * depth**0.5,
        "no growth at all": lambda a, depth: 0.0,
    },
    below_the_invariant,
    explanation="The logarithm of the bound is within 2 a^3/(3 L^2) of 2a, below the rounding error here.",
    deep=True,
)

_SIZES = {"L": 1, "d": 1, "m": 1}
_SMALL_LAYERS = (LAYER_BOUNDS, DATA_FACTOR, DEPTH_SERIES, SCALED_INSTANCES)

R2 = Statement(
    id="RS-R2",
    title="Remark 2: the residual network's hidden representation is nonsingular",
    source=source("S", "Remark 2", "the columns of H(x)^L are distinct, and therefore H(x)^L is non-singular"),
    sentence="In the situation of Theorem 2 all basis vectors contribute to h^L for L >> 1 and the columns of H^L are distinct; therefore "
    "H^L is nonsingular and keeps full information, unlike in a plain network.",
    latex=r"\det H(x)^L \ne 0",
    hypotheses=(
        of_network(
            Hypothesis("a linear residual network", residual_kind, fails_on=replace(_ANNIHILATING, shortcut=False))
        ),
        *map(of_network, PRINTED_FAMILY),
        FULL_RANK,
        DISTINCT,
    ),
    uses=("RS-T2", "RS-P2"),
    counterexample=Counterexample(
        instance=_ANNIHILATING_BATCH,
        sentence="lambda_2 = -1 makes 1 + lambda_2 = 0: I + W annihilates v_2 from the first layer on, though W is nonsingular and "
        "|lambda_1| > |lambda_2|.",
        latex=r"W^l = \operatorname{diag}(2, -1),\ X = I:\quad H^L = \operatorname{diag}(3^L, 0)",
        routes=rank_routes(
            _ANNIHILATING_BATCH, 1, 2, "The multiplier of v_2 is zero in every layer, that of v_1 in none."
        ),
    ),
    repair=Repair(
        sentence="At every L the matrix H^L has rank d exactly when X has and no 1 + lambda_i^l is zero, and kappa(H^L) is max_i prod|1 + lambda_i^l| / min_i "
        "prod|1 + lambda_i^l| up to the factors (kappa(V)^2 kappa(X))^(+-1): the law of plain networks with other rates. Distinct columns prove nothing. "
        "What does keep information: if |W^l|_2 <= a/L in every layer, a < L, then kappa(H^L) <= kappa(X) ((1 + a/L)/(1 - a/L))^L, "
        "which decreases to e^(2a) kappa(X) as L grows; the weights need not be diagonalisable, and diag(1, -1) attains the factor.",
        latex=r"\|W^l\|_2 \le \tfrac aL \implies \kappa(H^L) \le \kappa(X) \left(\frac{1 + a/L}{1 - a/L}\right)^{L} \downarrow e^{2a}\, \kappa(X)",
        arguments=(),
        clauses=(
            Clause(
                "At every L the matrix H^L has rank d exactly when X has and no 1 + lambda_i^l is zero, and kappa(H^L) is "
                "max_i prod|1 + lambda_i^l| / min_i prod|1 + lambda_i^l| up to the factors (kappa(V)^2 kappa(X))^(+-1). "
                "Distinct columns prove nothing.",
                _SIZES,
                (IN_THE_EIGENBASIS, RESIDUAL_NETWORKS, *CONDITION, DISTINCT_COLUMNS),
            ),
            Clause(
                "If |W^l|_2 <= a/L in every layer, a < L, then kappa(H^L) <= kappa(X) ((1 + a/L)/(1 - a/L))^L, which decreases to "
                "e^(2a) kappa(X) as L grows; the weights need not be diagonalisable.",
                _SIZES,
                _SMALL_LAYERS,
            ),
            Clause(
                "W^l = (a/L) diag(1, -1) attains the factor ((1 + a/L)/(1 - a/L))^L.",
                {"L": 1},
                (CONDITION_FACTORS, SCALED_INSTANCES),
            ),
        ),
        adds="Nonsingularity is tied to the eigenvalues, and a depth-invariant bound takes the place of the comparison with plain networks.",
    ),
    evidence=(
        grows("Residual layers with common eigenvectors on the digits, L = 1000", "residual", depth=1000),
        grows("Residual layers with common eigenvectors on the digits, L = 10^5", "residual", depth=100_000),
        grows("The same with weights a tenth as large, L = 10^4", "residual", depth=10_000, scale=0.1),
        _SCALED_EVIDENCE,
    ),
    notes="With d = 1 the hypotheses on i >= 2 are empty and lambda = -1 is a smaller example. The measured layers with common eigenvectors "
    "have |mu_1| >= ... >= |mu_d| in every layer, which is not what Theorem 2 asks of the |lambda_i| but the order in which the condition number "
    "grows fastest. So ordered it grows about as fast as a plain network's at He's initialisation, and slowly with small weights; in any other order of "
    "the same multipliers it grows no faster, and with weights of order 1/L not at all.",
)

# RS-T3.

_AGGREGATED = family([[Fraction(-1, 4), Fraction(1, 5)]] * 2, shortcut=True)
_AGGREGATED_KIND = Hypothesis("a linear ResNeXt with two paths or more", aggregated_kind, fails_on=_OVERTAKING)


def _path_orders(_: Context) -> Computed:
    """lambda_1 = (1, -1) against lambda_2 = (9/10, 9/10), path by path and summed."""
    one = family([[1, Fraction(9, 10)], [-1, Fraction(9, 10)]], shortcut=True)
    by_path = all(greater_modulus(path[0], path[1]) for path in one.paths)
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
    (True, (Fraction(0), Fraction(9, 5))),
    {
        "p_1 is the greater": (True, (Fraction(2), Fraction(9, 5))),
        "the paths are not ordered": (False, (Fraction(0), Fraction(9, 5))),
    },
)

T3 = Statement(
    id="RS-T3",
    title="Theorem 3: the ResNeXt's hidden state",
    source=source(
        "S", "Theorem 3, Eq. 22, 43-47, appendix A3", "Given an input x to a linear L-layer ResNeXt parameterized as"
    ),
    sentence="For jointly diagonalisable weights of a linear ResNeXt with p_i^l = sum_k lambda_i^{l,k} and |lambda_1| > |lambda_i| for i >= 2, "
    "h^L ~ sum_i alpha_i v_i + alpha_1 v_1 (prod_l (1 + p_1^l) - 1) for L >> 1.",
    latex=r"h^L \approx \sum_{i=1}^n \alpha_i v_i + \alpha_1 v_1 \Bigl(\prod_{l=1}^L (1 + p_1^l) - 1\Bigr), \quad p_i^l = \sum_{k=1}^m \lambda_i^{l,k}",
    hypotheses=(
        _AGGREGATED_KIND,
        *PRINTED_FAMILY,
        DOMINANT_SUMS,
    ),
    uses=("RS-E3", "RS-L1", "RS-A1", "RS-T2"),
    counterexample=Counterexample(
        instance=_AGGREGATED,
        sentence="Two equal paths with the eigenvalues -1/4 and 1/5: the sums are -1/2 and 2/5, the example of Theorem 2. The condition holds path by "
        "path and for the sums.",
        latex=r"\lambda_1^{k} = -\tfrac14,\ \lambda_2^{k} = \tfrac15 \ (k = 1, 2):\quad h^L = (2^{-L}, (7/5)^L)",
        show=shown_eigenvalues,
        routes=error_routes(_AGGREGATED, Fraction(2, 25), HALF, Fraction(7, 5)),
    ),
    repair=Repair(
        sentence=_FORM_REPAIR.format(mu="(1 + p_i^l)", p="p_i^l"),
        latex=r"h^L - \text{form} = \sum_{i \ge 2} \alpha_i v_i \Bigl(\prod_l (1 + p_i^l) - 1\Bigr)",
        arguments=(
            IN_THE_EIGENBASIS,
            SUM_OF_PATHS,
            AGGREGATED_NETWORKS,
            DROPPED,
            VANISHING,
            GROWING,
            NEAR_ONE,
            BOTH_ORDERS,
            REPAIRED_CASES,
            PATH_ORDERS,
        ),
        for_all={"L": 1, "d": 1, "paths": 1},
        adds="As for Theorem 2, with the sums p_i; an order path by path does not even order the sums.",
    ),
    errata=(
        "Eq. 22 and 45 sum over j what is indexed by m and k; lambda_1^{l,k} summed over k is meant.",
        "p_i^{l,k} in appendix A3 does not depend on k.",
        "A3 puts Eq. 7 into Eq. 15; Eq. 44 is meant.",
        "A3 applies Lemma 1 to W^{l,k} + I for each k; it is sum_k W^{l,k} + I that is needed.",
    ),
    notes="The condition is printed as |lambda_1^l| > |lambda_i^l|, in the appendix as |p_1| > |p_i|; the counterexample satisfies both readings.",
)

# RS-R3.

_CANCELLING_BATCH = Batch(family([[1, -HALF]] * 2, shortcut=True), eye(2))

R3 = Statement(
    id="RS-R3",
    title="Remark 3: the ResNeXt's hidden representation",
    source=source("S", "Remark 3", "Similar to ResNet, h(x)^L for the ResNeXt retain full information"),
    sentence="In the situation of Theorem 3 the columns of H^L are distinct for L >> 1, and thus H^L is nonsingular and keeps full information.",
    latex=r"\det H(x)^L \ne 0",
    hypotheses=(
        *map(of_network, (_AGGREGATED_KIND, *PRINTED_FAMILY, DOMINANT_SUMS)),
        FULL_RANK,
        DISTINCT,
    ),
    uses=("RS-T3", "RS-R2"),
    counterexample=Counterexample(
        instance=_CANCELLING_BATCH,
        sentence="Two equal paths with the eigenvalues 1 and -1/2: p_2 = -1, so that every layer annihilates v_2.",
        latex=r"W^{l,k} = \operatorname{diag}(1, -\tfrac12) \ (k = 1, 2),\ X = I:\quad H^L = \operatorname{diag}(3^L, 0)",
        routes=rank_routes(
            _CANCELLING_BATCH, 1, 2, "The multiplier of v_2 is zero in every layer, that of v_1 in none."
        ),
    ),
    repair=Repair(
        sentence="As for Remark 2 with 1 + p_i^l in place of 1 + lambda_i^l, and sum_k |W^{l,k}|_2 <= a/L in place of |W^l|_2 <= a/L.",
        latex=r"\sum_k \|W^{l,k}\|_2 \le \tfrac aL \implies \kappa(H^L) \le \kappa(X) \left(\frac{1 + a/L}{1 - a/L}\right)^{L} \downarrow e^{2a}\, \kappa(X)",
        arguments=(),
        clauses=(
            Clause(
                "The rank and the condition number of H^L are as in Remark 2, with 1 + p_i^l in place of 1 + lambda_i^l.",
                {**_SIZES, "paths": 1},
                (IN_THE_EIGENBASIS, SUM_OF_PATHS, AGGREGATED_NETWORKS, *CONDITION, DISTINCT_COLUMNS),
            ),
            Clause(
                "If sum_k |W^{l,k}|_2 <= a/L in every layer, the bound on kappa(H^L) is that of Remark 2.",
                {**_SIZES, "paths": 1},
                (PATHS_BOUND, *_SMALL_LAYERS),
            ),
        ),
        adds="As for Remark 2.",
    ),
    evidence=(
        grows("ResNeXt layers of four paths with common eigenvectors on the digits, L = 1000", "resnext", depth=1000),
        grows(
            "ResNeXt layers of four paths with common eigenvectors on the digits, L = 10^5", "resnext", depth=100_000
        ),
    ),
)

STATEMENTS: tuple[Statement, ...] = (E3, P1, P2, E12, T1, R1, L1, A1, T2, R2, T3, R3)
