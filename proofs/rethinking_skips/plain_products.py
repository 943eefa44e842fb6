"""Rethinking skip connections, plain networks: Theorem 1 and Remark 1, and how the ranks of hidden states are decided.

The printed sign for "approximately" is read as a ~ b: |a - b| / |b| -> 0 as L -> infinity. Counterexamples have
x = sum_i v_i, so that no component is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.condition_of_products import (
    CONDITION_FACTORS,
    CONDITION_INSTANCES,
    DATA_FACTOR,
    POWERS,
    ranks,
)
from resproof.proofs.rethinking_skips.depth_products import LAYER, LAYERS, Telescoped, every_depth, telescopes
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.growth_of_products import (
    PLAIN,
    PLAIN_STATES,
    PRINTED_FAMILY,
    VANISHING,
    VANISHING_INSTANCES,
)
from resproof.proofs.rethinking_skips.independent_layers import (
    ALMOST_SURE,
    DIFFERENT_RATES,
    GAUSSIAN_RATE,
    LOGARITHMS,
    RANDOM,
    TRIANGULAR,
)
from resproof.proofs.rethinking_skips.joint_evidence import (
    COUNTED,
    ConditionPoint,
    condition_growth,
    gapped_network,
    gaussian_growth,
    near_half,
    near_prediction,
    near_rate,
    ordered_growth,
    telescoping_network,
    within_gap,
)
from resproof.proofs.rethinking_skips.joint_families import (
    Family,
    dominant_term,
    family,
    greater_modulus,
    shown_eigenvalues,
    squared_relative_error,
    turned,
)
from resproof.proofs.rethinking_skips.pictures import bounded_condition, least_stretch, second_direction_stays
from resproof.proofs.rethinking_skips.random_layers import LayerKind
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    ExceptionalSet,
    Hypothesis,
    Repair,
    Sense,
    Statement,
    equal,
)
from resproof.symbolic.algebra.matrices import Matrix, eye, matrix, multiply, rank
from resproof.symbolic.algebra.noncommutative import minus, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.toeplitz import squared_condition
from resproof.symbolic.certificates import Element
from resproof.symbolic.scope import Scope

HALF = Fraction(1, 2)

# What is dropped, in the eigenbasis.


def _dropped(_: Context) -> Computed:
    """h^L minus each printed form, P = diag(prod mu) and E = e_1 e_1^T."""
    whole = word_product(words("V P"), words("a"))
    forms = {
        "dominant term": word_product(words("V"), words("E P"), words("a")),
        "undamped form": word_product(words("V"), words("1 + E P - E"), words("a")),
    }
    found = {name: show_words(minus(whole, form)) for name, form in forms.items()}
    shown = r"h^L - \text{form} = V (I - E) P \alpha \ \text{ or } \ V (I - E)(P - I)\,\alpha"
    shapes = {**dict.fromkeys(("V", "P", "E"), ("d", "d")), "a": ("d", "1")}
    return Computed(found, sizes(shapes, whole, *forms.values(), products={"P": "L"}), shown)


_DROPPED = {
    "dominant term": "-1 V E P a +1 V P a",
    "undamped form": "-1 V E P a +1 V E a +1 V P a -1 V a",
}

DROPPED = Argument(
    "What the printed forms leave out",
    "identity",
    _dropped,
    _DROPPED,
    {
        "nothing": {**_DROPPED, "dominant term": "0"},
        "the undamped form leaves out as much as the dominant term": {
            **_DROPPED,
            "undamped form": _DROPPED["dominant term"],
        },
    },
    explanation=r"$E = e_1 e_1^{\mathsf T}$. The first leaves out $V (1 - E) P \alpha$, that is "
    r"$\sum_{i\ge2} \alpha_i v_i \prod \mu_i$; the second $V (1 - E)(P - 1) \alpha$, that is "
    r"$\sum_{i\ge2} \alpha_i v_i (\prod \mu_i - 1)$. $V$ is nonsingular, so $\lvert V c\rvert$ is between "
    r"$\sigma_{\min}(V) \lvert c\rvert$ and $\sigma_{\max}(V) \lvert c\rvert$: relative errors tend to zero exactly when "
    "they do in the coordinates.",
)

# RS-T1.

_TELESCOPING = family([[1, 1 - 1 / (LAYER + 1) ** 2]], shortcut=False, vectors=turned())


def _telescoped(_: Context) -> Computed:
    """lambda_2^l / lambda_1^l, the factor of the relative error."""
    first, second = _TELESCOPING.multipliers
    return Computed(
        second / first,
        Scope.over(d=2) & every_depth(second / first),
        r"\prod_{l=1}^{L} \frac{\lambda_2^l}{\lambda_1^l} = \frac{L + 2}{2 (L + 1)} \to \frac12",
    )


_TELESCOPED = Telescoped(lambda depth: (depth + 2) / (2 * (depth + 1)), HALF)
_RUN_TO = 8


class _FromThere(NamedTuple):
    """The squared error after the layers that ran, the gap of layer l, and the sum of all later 1/l - 1/(l + 1)."""

    error: Fraction
    gap: Element
    tail: Fraction


def _first_layers_and_tail(_: Context) -> Computed:
    """A lower bound of the relative error for every L >= 8: run to L = 8, and sum of the later gaps at most 1/9."""
    error = squared_relative_error(_TELESCOPING, dominant_term, _RUN_TO)
    gap = 1 - _TELESCOPING.multipliers[1] / _TELESCOPING.multipliers[0]
    tail = Fraction(1, _RUN_TO + 1)
    scope = Scope.of(f"d=2, from L = {_RUN_TO} on")
    return Computed(_FromThere(error, gap, tail), scope, rf"\text{{error}}^2 \ge {error * (1 - tail) ** 2}")


class _Rest(NamedTuple):
    """The least squared error, and the gaps over 1/l - 1/(l + 1) at most."""

    least: Fraction
    share: Fraction = Fraction(1)


def _bounded_by_gaps(found: _FromThere, claim: _Rest) -> None:
    """The gaps from layer N + 1 on sum to at most share/(N + 1), as 1/l - 1/(l + 1) do to 1/(N + 1)."""
    LAYERS.at_least_zero("gap", claim.share * (1 / LAYER - 1 / (LAYER + 1)) - found.gap)
    equal(found.error * (1 - claim.share * found.tail) ** 2, claim.least)


def _ratio_coordinates(_: Context) -> Computed:
    """Errors of the dominant term with the uniform gaps 1/2 and 9/10, exactly, against the gap's powers."""
    found = {}
    for q in (HALF, Fraction(9, 10)):
        one = family([[2, -2 * q]], shortcut=False, vectors=turned())
        found[q] = {depth: squared_relative_error(one, dominant_term, depth) for depth in (1, 3, 10)}
    return Computed(found, Scope.of("d=2, q=1/2 and 9/10, L=1, 3, 10"))


def _powers(found: Mapping[Fraction, Mapping[int, Fraction]], claim: Callable[[Fraction, int], Fraction]) -> None:
    for q, errors in found.items():
        for depth, square in errors.items():
            if square != claim(q, depth) ** 2:
                raise Disagreement(f"q={q}, L={depth}: the squared error is {square}; claimed {claim(q, depth) ** 2}")


UNIFORM_GAP = Argument(
    "With a uniform gap the error is $q^L$",
    "explicit",
    _ratio_coordinates,
    lambda q, depth: q**depth,
    {
        "$q$": lambda q, depth: q,
        "$q^{L/2}$, squared": lambda q, depth: q ** (depth // 2),
        "$q^{2L}$": lambda q, depth: q ** (2 * depth),
    },
    _powers,
    explanation=r"Layers multiplied one by one, orthogonal eigenvectors, $\lvert\alpha_1\rvert = \lvert\alpha_2\rvert$.",
)

_FIRST_MISSING = family([[2, 1]], shortcut=False, vectors=turned(), alpha=(Fraction(0), Fraction(1)))


def _left_out(_: Context) -> Computed:
    """|h^L - form|^2 where alpha_1 = 0, alpha_2 = 1, at L = 1, 4."""
    one, found = _FIRST_MISSING, {}
    for depth in (1, 4):
        pairs = zip(one.hidden(depth), dominant_term(one, depth), strict=True)
        found[depth] = sum(((a - b) ** 2 for a, b in pairs), Fraction(0))
    return Computed(found, Scope.of("d=2, L=1, 4"))


WITHOUT_THE_FIRST = ExceptionalSet(
    r"$\alpha_1 = 0$",
    fails=Argument(
        "$x = v_2$: the form is zero, $h^L$ is not",
        "instance",
        _left_out,
        {1: Fraction(1), 4: Fraction(1)},
        {PRINTED: {1: Fraction(0), 4: Fraction(0)}, "it falls": {1: Fraction(1), 4: Fraction(1, 16)}},
    ),
    null=nonzero_at(
        r"$\alpha_1$ as a function of $x$ is not zero everywhere",
        {"alpha_1 at x = v_1": At("e' V' V e", {"V' V": "", "e' e": ""})},
        {"V": ("d", "d"), "V'": ("d", "d"), "e": ("d", "1"), "e'": ("1", "d")},
        explanation="The linear function $e' V^{-1} x$ of $x$, $e$ the first unit vector; $v_1 = V e$. The depth does not occur.",
        shown=r"\alpha_1(v_1) = e_1^{\mathsf T} V^{-1}\, V e_1 = 1",
    ),
)

T1 = Statement(
    id="RS-T1",
    title="Theorem 1: plain networks converge to the dominant eigenvector",
    source=source(
        "Theorem 1, Eq. 9-14",
        "the hidden layer output, h(x)^L : L >> 1, is h(x)^L ~ prod_{l=1}^L lambda_1^l (alpha_1 v_1), s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
    ),
    latex=r"|\lambda_1^l| > |\lambda_i^l| \ (i \ge 2) \implies h^L \approx \prod_{l=1}^L \lambda_1^l\, (\alpha_1 v_1), \quad L \gg 1",
    uses=("RS-E12",),
    setting="The weights of a linear plain network are jointly diagonalisable.",
    clauses=(
        Clause(
            "Under hypotheses that are not printed, independence and one law, and with "
            r"$\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$ whatever is drawn: "
            r"$h^L \sim \alpha_1 v_1 \prod_l \lambda_1^l$ almost surely; the relative error is at least $t$ with a "
            r"probability of at most a constant times $\max_i (E \lvert\lambda_i / \lambda_1\rvert)^L / t$.",
            {"L": 1, "d": 1},
            (*PLAIN_STATES, DROPPED, *ALMOST_SURE),
            changes=(
                Change(
                    "is h(x)^L ~ prod_{l=1}^L lambda_1^l (alpha_1 v_1)",
                    r"$h^L \sim \alpha_1 v_1 \prod_l \lambda_1^l$ almost surely",
                ),
            ),
            hypotheses=RANDOM,
            reading=WITHOUT_THE_FIRST,
            other_readings=(
                Clause(
                    r"For every sequence of layers with $\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$.",
                    {"L": 1, "d": 1},
                    hypotheses=(PLAIN, *PRINTED_FAMILY),
                    counterexample=Counterexample(
                        instance=_TELESCOPING,
                        sentence="The eigenvalues approach each other: the product of the ratios telescopes to "
                        "$(L + 2)/(2(L + 1))$, which tends to 1/2. At every depth $v_2$ keeps more than half of the "
                        "weight that it has in $x$.",
                        latex=r"\lambda_1^l = 1,\quad \lambda_2^l = 1 - \frac{1}{(l+1)^2}",
                        show=shown_eigenvalues,
                        picture=second_direction_stays,
                        routes=(
                            Argument(
                                "The limit of the relative error, by the telescoping product",
                                "identity",
                                _telescoped,
                                _TELESCOPED,
                                {
                                    PRINTED: _TELESCOPED._replace(limit=Fraction(0)),
                                    "to 1": _TELESCOPED._replace(limit=Fraction(1)),
                                    "$(L + 3)/(3(L + 1))$, to 1/3": Telescoped(
                                        lambda depth: (depth + 3) / (3 * (depth + 1)), Fraction(1, 3)
                                    ),
                                    "$(L + 2)/(L + 1)$, to 1": Telescoped(
                                        lambda depth: (depth + 2) / (depth + 1), Fraction(1)
                                    ),
                                },
                                certified(telescopes),
                                explanation="$p(L) = (L + 2)/(2(L + 1))$ is the product of the ratios $l (l + 2)/(l + 1)^2$: "
                                r"$p(0) = 1$, $p(L + 1) = p(L) \lambda_2^{L+1}/\lambda_1^{L+1}$ as rational functions. "
                                r"The eigenvectors are orthonormal and $\alpha = (1, 1)$, so it is the relative error.",
                            ),
                            Argument(
                                "Eight layers run, and the rest bounded by its gaps",
                                "instance",
                                _first_layers_and_tail,
                                _Rest((Fraction(5, 9) * Fraction(8, 9)) ** 2),
                                {
                                    PRINTED: _Rest(Fraction(0)),
                                    "1": _Rest(Fraction(1)),
                                    "half of the gaps": _Rest((Fraction(5, 9) * Fraction(17, 18)) ** 2, HALF),
                                },
                                certified(_bounded_by_gaps),
                                explanation=r"A lower bound of the squared error for every later $L$; $\prod (1 - g_l) \ge 1 - \sum g_l$.",
                            ),
                        ),
                    ),
                    repair=Repair(
                        sentence=r"Let $\alpha_1 \ne 0$ and no $\lambda_1^l$ be zero. Then "
                        r"$h^L \sim \alpha_1 v_1 \prod \lambda_1^l$, in relative error, exactly when for every $i \ge 2$ "
                        r"with $\alpha_i \ne 0$ the product of $\lvert\lambda_i^l / \lambda_1^l\rvert$ tends to zero, "
                        r"that is $\sum_l \log\lvert\lambda_i^l / \lambda_1^l\rvert = -\infty$. Where no ratio exceeds 1, "
                        r"this says that the gaps $1 - \lvert\lambda_i^l / \lambda_1^l\rvert$ have an infinite sum or one "
                        r"ratio is zero; a uniform gap, $\lvert\lambda_i^l\rvert \le q \lvert\lambda_1^l\rvert$ with "
                        "$q < 1$, suffices, and the error is at most a constant times $q^L$.",
                        latex=r"h^L \sim \alpha_1 v_1 \prod_l \lambda_1^l \iff \sum_l \log\left|\frac{\lambda_i^l}{\lambda_1^l}\right| = -\infty \quad (i \ge 2,\ \alpha_i \ne 0)",
                        arguments=(
                            *PLAIN_STATES,
                            DROPPED,
                            VANISHING,
                            VANISHING_INSTANCES,
                            UNIFORM_GAP,
                        ),
                        for_all={"L": 1, "d": 1},
                        changes=(
                            Change(
                                "|lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
                                r"for every $i \ge 2$ with $\alpha_i \ne 0$ the product of $\lvert\lambda_i^l / \lambda_1^l\rvert$ tends to zero",
                                r"Pointwise dominance in every layer is replaced by gaps with an infinite sum, and $\alpha_1 \ne 0$ is asked for.",
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
    evidence=(
        Argument(
            "The counterexample at $L = 10^5$",
            "floating point",
            telescoping_network(100_000),
            lambda depth: (depth + 2) / (2 * (depth + 1)),
            {PRINTED: lambda depth: 0.0, "1/4": lambda depth: 0.25},
            near_half,
            deep=True,
        ),
        Argument(
            "The counterexample at $L = 1000$",
            "floating point",
            telescoping_network(1000),
            lambda depth: (depth + 2) / (2 * (depth + 1)),
            {PRINTED: lambda depth: 0.0, "1/2 already": lambda depth: 0.5},
            near_half,
        ),
        Argument(
            "A uniform gap $q = 1/2$ on the digits, $L = 20$",
            "floating point",
            gapped_network(20, 0.5),
            lambda depth: 0.5**depth,
            {"$q^{2L}$": lambda depth: 0.25**depth, "exact": lambda depth: 0.0},
            within_gap,
        ),
    ),
    notes="'~' is read as relative error tending to 0. Of the layers together the text says 'are random matrices' (Eq. 1) and "
    "no more; under Assumption 1 independence can only be said of their eigenvalues, as independent random matrices do "
    r"not commute (RS-P1). Word for word, for given matrices, the theorem is refuted where $\alpha_1 \ne 0$ as well: the "
    "exceptional set does not contain the counterexample. The condition 'as expected for eigenvalues' is an assumption: "
    "different layers may be dominated by different eigenvectors (EX-6). Eq. 14 writes the product of ratios as "
    r"$(\lambda_i / \lambda_1)^l$; $\lambda_i^l / \lambda_1^l$ is meant, $l$ a superscript. Below Eq. 9 'the first "
    r"components of the eigenvalues' are the eigenvalues themselves, $\alpha_1$ being the first coordinate.",
)

# RS-R1.


@dataclass(frozen=True, slots=True)
class Batch:
    """A network, and the batch X of inputs that it sees."""

    network: Family
    x: Matrix

    def __str__(self) -> str:
        rows = "; ".join(" ".join(map(str, row)) for row in self.x)
        return f"{shown_eigenvalues(self.network)}; V = I, X = [{rows}]"


def of_network(one: Hypothesis) -> Hypothesis:
    """The hypothesis on the network of a `Batch`."""
    return replace(
        one, predicate=lambda batch: one.predicate(batch.network), fails_on=Batch(one.fails_on, eye(2)), holds_on=None
    )


def _rank_for_every_depth(batch: Batch) -> Callable[[Context], Computed]:
    """The number of multipliers that are zero in no layer, for X = I: the rank of diag(prod mu_i) at every L >= 1."""

    def compute(_: Context) -> Computed:
        assert batch.x == eye(batch.network.width)
        found = sum(greater_modulus(mu, mu * 0) for mu in batch.network.multipliers)
        zeros = sum(not mu for mu in batch.network.multipliers)
        # A multiplier is zero in every layer or in none.
        assert found + zeros == batch.network.width
        scope = Scope.over(d=batch.network.width, m=len(batch.x[0])) & every_depth(*batch.network.multipliers)
        return Computed(found, scope, rf"\operatorname{{rank}} H^L = {found}")

    return compute


_DEPTHS = (1, 2, 8, 32)


def _ranks_run(batch: Batch) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        found = ranks(batch.network, batch.x, _DEPTHS)
        return Computed(found, Scope.of(*(f"d=2, L={depth}" for depth in _DEPTHS)))

    return compute


def _everywhere(value: int) -> dict[int, int]:
    return dict.fromkeys(_DEPTHS, value)


def rank_routes(batch: Batch, true: int, printed: int, explanation: str) -> tuple[Argument, Argument]:
    """The rank of H^L for every L by its multipliers, and by elimination at some depths."""
    return (
        Argument(
            "The rank at every depth, by the multipliers",
            "identity",
            _rank_for_every_depth(batch),
            true,
            {PRINTED: printed, "no information": 0},
            explanation=explanation,
        ),
        Argument(
            "Layers multiplied, and the rank by elimination",
            "instance",
            _ranks_run(batch),
            _everywhere(true),
            {PRINTED: _everywhere(printed), "singular from the eighth layer on": {1: 2, 2: 2, 8: 1, 32: 1}},
        ),
    )


_DOUBLING_BATCH = Batch(family([[2, 1]], shortcut=False), eye(2))


def _exact_growth(one: Family) -> dict[int, Fraction]:
    """kappa(H^L) for orthogonal V, X = I, from the layers: the ratio of the column norms of H^L V, squared."""
    found = {}
    for depth in (1, 4, 16):
        images = list(zip(*multiply(one.product(depth), one.vectors), strict=True))
        squares = [sum(x * x for x in image) for image in images]
        found[depth] = Fraction(max(squares)) / min(squares)
    return found


_GROWTH_FAMILIES: Mapping[str, tuple[Family, Fraction]] = {
    "plain (2, 1)": (family([[2, 1]], shortcut=False, vectors=turned()), Fraction(2)),
    "residual (2, 1)": (family([[2, 1]], shortcut=True, vectors=turned()), Fraction(3, 2)),
    "residual (1/10, -1/10)": (
        family([[Fraction(1, 10), Fraction(-1, 10)]], shortcut=True, vectors=turned()),
        Fraction(11, 9),
    ),
    "two paths (1, 1/2), (1, 1/2)": (family([[1, HALF]] * 2, shortcut=True, vectors=turned()), Fraction(3, 2)),
}


def _growth_rates(_: Context) -> Computed:
    found = {name: _exact_growth(one) for name, (one, _) in _GROWTH_FAMILIES.items()}
    return Computed(found, Scope.of(*(f"{name}, L=1, 4, 16" for name in found)))


def _same_rates(found: Mapping[str, Mapping[int, Fraction]], claim: Callable[[str], Fraction]) -> None:
    for name, squares in found.items():
        for depth, square in squares.items():
            if square != claim(name) ** (2 * depth):
                raise Disagreement(f"{name}, L={depth}: kappa^2 is {square}; claimed {claim(name)}^(2L)")


def _rate(name: str) -> Fraction:
    """max |mu| / min |mu|."""
    return _GROWTH_FAMILIES[name][1]


GROWTH_RATES = Argument(
    r"$\kappa(H^L)$ of plain, residual and ResNeXt networks: one law, different rates",
    "explicit",
    _growth_rates,
    _rate,
    {
        "shortcuts do not count": lambda name: Fraction(2),
        r"shortcuts keep $\kappa$ at 1": lambda name: Fraction(2) if name.startswith("plain") else Fraction(1),
        "only the greatest multiplier counts": lambda name: Fraction(2) if name.startswith("plain") else Fraction(3),
    },
    _same_rates,
    explanation="Orthogonal eigenvectors, $X = I$, the same eigenvalues in every layer: "
    r"$\kappa = (\max \lvert\mu_i\rvert / \min \lvert\mu_i\rvert)^L$ exactly. The plain network grows like $2^L$, the "
    "residual ones like $(3/2)^L$ and $(11/9)^L$.",
)

CONDITION = (CONDITION_FACTORS, CONDITION_INSTANCES, GROWTH_RATES)


def _predicted(one: ConditionPoint) -> float:
    return one.predicted


_OTHER_RATES: dict[str, Callable[[ConditionPoint], float]] = {
    "constant": lambda _: 0.0,
    "half the rate": lambda one: 0.5 * one.predicted,
    "one per cent more": lambda one: 1.01 * one.predicted,
}


def grows(title: str, kind: LayerKind, *, depth: int, condition: float = 2.0, scale: float = 1.0) -> Argument:
    """Measured condition numbers at L = 10, 100, ... against the prediction from the eigenvalues."""
    decades = [10**k for k in range(1, len(str(depth)))]
    return Argument(
        title,
        "floating point",
        condition_growth(kind, decades, condition=condition, scale=scale),
        _predicted,
        _OTHER_RATES,
        near_prediction,
        explanation="Weights as at He's initialisation, scaled by $s$. In every layer the multipliers are put in the order "
        r"$\lvert\mu_1\rvert \ge \cdots \ge \lvert\mu_d\rvert$, which makes the condition number grow as fast as they "
        "allow; so float64 loses nothing, whatever the depth. The bound is what the statement leaves open, a factor of "
        r"$\kappa(V)^2 \kappa(X)$.",
        deep=depth > 1000,
    )


def grows_in_order(title: str, kind: LayerKind, *, scale: float = 1.0) -> Argument:
    """The same at L = 10, 100, 1000 with the order of the theorems, in digits that suffice for it."""
    # In plain layers the order of the |mu_i| is that of the |lambda_i|, so that both are the same.
    one_order = {"the greatest and least factor of each layer": lambda one: one.layerwise} if kind != "plain" else {}
    return Argument(
        title,
        "floating point",
        ordered_growth(kind, (10, 100, 1000), scale=scale),
        _predicted,
        {**_OTHER_RATES, **one_order, "smaller by $2^{-43}$ of it": lambda one: (1 - 2.0**-43) * one.predicted},
        near_prediction,
        explanation=r"In every layer $\lvert\lambda_1\rvert \ge \cdots \ge \lvert\lambda_d\rvert$, as in the theorems. Where the "
        r"order of the $\lvert\mu_i\rvert$ changes from layer to layer float64 loses the least singular values, so balls "
        "are multiplied. With orthogonal eigenvectors and whitened data no factor is left.",
    )


NEAR_SINGULAR = (
    "near-singularity, where at least one singular value is extremely small is sufficient. This is directly reflected in the "
    "condition number"
)
OF_A_BATCH = (
    r"$H^L$ is the hidden representation of a batch of $m$ samples, $\kappa$ the greatest over the least of its $\min(d, m)$ singular "
    "values (Equation 8)."
)


def _of_one_sample(_: Context) -> Computed:
    """kappa^2 of H^L for W^l = diag(2, 1) and the one sample (1, 1)."""
    network, x = family([[2, 1]], shortcut=False), matrix([[1], [1]])
    squares = {depth: squared_condition(multiply(network.product(depth), x)) for depth in (1, 4, 16)}
    found = {depth: square and square.high for depth, square in squares.items()}
    return Computed(found, Scope.of(*(f"d=2, m=1, L={depth}" for depth in found)))


@property_of({1: Fraction(4), 16: Fraction(5)}, not_of=[{1: Fraction(4), 16: Fraction(4)}])
def _grows(found: Mapping[int, Fraction]) -> bool:
    return found[16] > found[1]


OF_FULL_RANK = Hypothesis(
    r"$X$ has rank $d$, so that $m \ge d$",
    lambda x: rank(x) == len(x),
    fails_on=matrix([[1], [1]]),
    printed=False,
    holds_on=matrix([[1, 2, 0], [0, 1, 1]]),
)
"""Of X. From above condition numbers are bounded for fewer samples too, which is not said here."""
FULL_DATA = replace(
    OF_FULL_RANK,
    needed=Argument(
        r"One sample: $H^L$ has one singular value, and $\kappa(H^L) = 1$",
        "instance",
        _of_one_sample,
        dict.fromkeys((1, 4, 16), Fraction(1)),
        {PRINTED: _grows, "infinite": dict.fromkeys((1, 4, 16))},
        matches,
    ),
)
"""The same where a condition number is bounded from below."""
CONDITION_SENSE = Sense("singular", r"$\kappa \gg 1$", NEAR_SINGULAR, "the passage before Eq. 8")
REGULAR_SENSE = Sense("non-singular", r"$\kappa$ stays moderate", NEAR_SINGULAR, "the passage before Eq. 8")

_TELESCOPING_BATCH = Batch(family([[1, 1 - 1 / (LAYER + 1) ** 2]], shortcut=False), eye(2))


def _limit_of_kappa(_: Context) -> Computed:
    """lambda_1^l / lambda_2^l, the factor of kappa(H^L); V = I, X = I."""
    first, second = _TELESCOPING_BATCH.network.multipliers
    shown = r"\kappa(H^L) = \frac{2 (L + 1)}{L + 2} \to 2"
    return Computed(first / second, Scope.over(d=2, m=2) & every_depth(first / second), shown)


_KAPPA = Telescoped(lambda depth: 2 * (depth + 1) / (depth + 2), Fraction(2))


def _kappas_run(_: Context) -> Computed:
    found = _exact_growth(_TELESCOPING_BATCH.network)
    return Computed(found, Scope.of("d=2, L=1, 4, 16"))


@property_of(
    {1: Fraction(1), 4: Fraction(2), 16: Fraction(4)}, not_of=[{1: Fraction(1), 4: Fraction(2), 16: Fraction(7, 2)}]
)
def _exceed_any_bound(found: Mapping[int, Fraction]) -> bool:
    """Whether kappa^2 grows by the same factor, at least, from 4 to 16 layers as from 1 to 4."""
    return found[16] / found[4] >= found[4] / found[1]


BOUNDED_KAPPA = Counterexample(
    instance=_TELESCOPING_BATCH,
    sentence=r"The eigenvalues approach each other, and $\kappa(H^L)$ tends to 2.",
    picture=lambda one: bounded_condition(one.network),
    latex=r"\lambda^l = \Bigl(1,\ 1 - \frac{1}{(l+1)^2}\Bigr):\quad \kappa(H^L) = \frac{2(L+1)}{L+2} \to 2",
    routes=(
        Argument(
            r"The limit of $\kappa$, by the telescoping product",
            "identity",
            _limit_of_kappa,
            _KAPPA,
            {
                PRINTED: _KAPPA._replace(limit=None),
                "to 1": _KAPPA._replace(limit=Fraction(1)),
                "$3(L + 1)/(L + 3)$, to 3": Telescoped(lambda depth: 3 * (depth + 1) / (depth + 3), Fraction(3)),
                "$(L + 1)/(L + 2)$, to 1": Telescoped(lambda depth: (depth + 1) / (depth + 2), Fraction(1)),
            },
            certified(telescopes),
        ),
        Argument(
            "Layers multiplied",
            "instance",
            _kappas_run,
            {depth: Fraction(2 * (depth + 1), depth + 2) ** 2 for depth in (1, 4, 16)},
            {
                PRINTED: _exceed_any_bound,
                r"$\kappa$ without the square": {1: Fraction(4, 3), 4: Fraction(5, 3), 16: Fraction(17, 9)},
            },
            matches,
        ),
    ),
)

_PRINTED_PLAIN = tuple(map(of_network, (PLAIN, *PRINTED_FAMILY)))
_SIZES = {"L": 1, "d": 2, "m": 2}
_BY_RANK = {**_SIZES, "m": 1}

R1 = Statement(
    id="RS-R1",
    title="Remark 1: the plain network's hidden representation is singular",
    source=source("Remark 1", "the columns of H(x)^L are colinear; hence, H(x)^L is singular"),
    latex=r"L \gg 1 \implies \kappa(H(x)^L) \gg 1",
    uses=("RS-E12", "RS-T1"),
    setting=rf"The weights of a linear plain network are jointly diagonalisable; {OF_A_BATCH}",
    clauses=(
        Clause(
            "Under hypotheses that are not printed, independence, one law and $X$ of rank $d$, and with "
            r"$\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$ whatever is drawn: $\kappa(H^L) \to \infty$ "
            r"almost surely, $d \ge 2$: $\kappa(V)^2 \kappa(X) \kappa(H^L)$ is at least "
            r"$\prod_l \lvert\lambda_1^l / \lambda_i^l\rvert$ for each $i$.",
            _SIZES,
            (*PLAIN_STATES, *CONDITION, *ALMOST_SURE),
            changes=(Change("H(x)^L is singular", r"$\kappa(H^L) \to \infty$ almost surely"),),
            hypotheses=(*RANDOM, FULL_DATA),
            reading=CONDITION_SENSE,
            other_readings=(
                Clause(
                    r"$\kappa(H^L) \to \infty$ for every sequence of layers with $\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$.",
                    _SIZES,
                    hypotheses=_PRINTED_PLAIN,
                    counterexample=BOUNDED_KAPPA,
                    repair=Repair(
                        latex=r"\frac{1}{\kappa(V)^2 \kappa(X)} \le \kappa(H^L) \Big/ \frac{\max_i \prod_l |\lambda_i^l|}{\min_i \prod_l |\lambda_i^l|} \le \kappa(V)^2 \kappa(X)",
                        clauses=(
                            Clause(
                                r"$\kappa(H^L)$ is $\max_i \prod\lvert\lambda_i^l\rvert / \min_i \prod\lvert\lambda_i^l\rvert$ up "
                                r"to a factor between $1/(\kappa(V)^2 \kappa(X))$ and $\kappa(V)^2 \kappa(X)$. So with "
                                r"$\lvert\lambda_d^l\rvert \le q \lvert\lambda_1^l\rvert$, $q < 1$ and $\lambda_1^l \ne 0$, it is at least "
                                r"$q^{-L} / (\kappa(V)^2 \kappa(X))$: $H^L$ is singular to the working precision $u$ as soon as "
                                r"$q^{-L} \ge \kappa(V)^2 \kappa(X)/u$.",
                                _SIZES,
                                (*PLAIN_STATES, *CONDITION),
                                hypotheses=(FULL_DATA,),
                            ),
                        ),
                        changes=(
                            Change(
                                "H(x)^L is singular",
                                r"$H^L$ is singular to the working precision $u$ as soon as $q^{-L} \ge \kappa(V)^2 \kappa(X)/u$",
                                r"A gap between the eigenvalues that does not close is asked for; the rate is given, and the depth at which $\kappa$ exceeds $1/u$.",
                            ),
                        ),
                    ),
                ),
                Clause(
                    r"By rank: $\mathrm{rank}\, H^L < \min(d, m)$ for $L \gg 1$.",
                    _BY_RANK,
                    hypotheses=_PRINTED_PLAIN,
                    counterexample=Counterexample(
                        instance=_DOUBLING_BATCH,
                        sentence=r"$H^L = \mathrm{diag}(2^L, 1)$ is nonsingular at every depth: a product of nonsingular matrices "
                        "is nonsingular. So it is for all nonsingular weights and every $X$ of rank $d$.",
                        latex=r"W^l = \operatorname{diag}(2, 1),\ X = I:\quad \det H^L = 2^L \ne 0",
                        picture=lambda one: least_stretch(one.network),
                        routes=rank_routes(_DOUBLING_BATCH, 2, 1, "No multiplier is zero in any layer."),
                    ),
                    repair=Repair(
                        sentence=r"At every $L$ the matrix $H^L$ has rank $d$ exactly when $X$ has and no eigenvalue $\lambda_i^l$ is zero.",
                        latex=r"\operatorname{rank} H^L = d \iff \operatorname{rank} X = d,\ \lambda_i^l \ne 0",
                        arguments=(*PLAIN_STATES, CONDITION_FACTORS, CONDITION_INSTANCES),
                        for_all=_BY_RANK,
                        changes=(
                            Change(
                                "H(x)^L is singular",
                                r"has rank $d$ exactly when $X$ has and no eigenvalue $\lambda_i^l$ is zero",
                                "At a finite depth it is singular by rank only where $X$ is, or some layer.",
                            ),
                        ),
                    ),
                ),
                Clause(
                    "Without Assumption 1: for independent layers with one law, of independent Gaussian or uniform "
                    r"entries, $d \ge 2$, $\kappa(H^L)$ grows exponentially almost surely.",
                    {"d": 2, "m": 2},
                    (DATA_FACTOR, CONDITION_INSTANCES, DIFFERENT_RATES),
                    (FULL_DATA,),
                ),
                Clause(
                    r"With independent layers of independent $N(0, \sigma^2)$ entries, $d \ge 2$, the lower limit of "
                    r"$\log \kappa(H^L) / L$ is at least $\sum_{k<d} (\psi(d/2) - \psi(k/2)) / (2 (d - 1)) > 0$ almost "
                    r"surely, whatever $\sigma$ is.",
                    {"d": 2, "m": 2},
                    (DATA_FACTOR, POWERS, GAUSSIAN_RATE, TRIANGULAR, LOGARITHMS, CONDITION_INSTANCES),
                    (FULL_DATA,),
                ),
            ),
        ),
    ),
    evidence=(
        grows("Plain layers with common eigenvectors on the digits, $L = 1000$", "plain", depth=1000),
        grows("Plain layers with common eigenvectors on the digits, $L = 10^5$", "plain", depth=100_000),
        grows(
            "The same with orthogonal eigenvectors: no factor but that of $X$ is left",
            "plain",
            depth=10_000,
            condition=1.0,
        ),
        grows_in_order("Orthogonal eigenvectors, $L = 1000$, in balls", "plain"),
        COUNTED,
        Argument(
            "Independent Gaussian layers, without common eigenvectors, $L = 10^4$",
            "floating point",
            gaussian_growth(10_000),
            1.0,
            {"no growth": 0.0, "half the rate": 0.5, "twice the rate": 2.0},
            near_rate,
            explanation=r"Outside Assumption 1 the condition number grows exponentially as well, at the rate $(\psi(d/2) - \psi(1/2))/2$.",
            deep=True,
        ),
    ),
    notes="In the limit of $L$ the normalised $H^L$ tends to a matrix of rank one where Theorem 1 applies. In the sense in "
    "which this remark holds Remark 2 fails, and by rank it is the other way round: residual and plain networks differ "
    "in neither sense, but in the rates. The text after Remark 1 draws its conclusion from Theorem 2, 'as Theorem 2 uses "
    "linear units'; Theorem 1 is meant.",
)
