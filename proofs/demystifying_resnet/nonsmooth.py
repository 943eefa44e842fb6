"""Demystifying ResNet around Theorem 2: where Assumption 3 falls short (DR-A3)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from resproof.architectures.activations import relu
from resproof.architectures.nodes import Input, Weight
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.few_derivatives import (
    EXPANSION_OF_ONE,
    LEADING_OF_ONE,
    ORDER_OF_ONE,
    PARTIALS_OF_TWO,
    PARTIALS_WITHIN_ONE,
)
from resproof.proofs.demystifying_resnet.lemmas import CONSTANT_WITHOUT
from resproof.proofs.demystifying_resnet.pictures import no_parabola, rough_loss, unbounded
from resproof.proofs.demystifying_resnet.rough_networks import (
    BENT_POST,
    KINK,
    NO_BOUND,
    NO_MIXED_DERIVATIVE,
    PAIRS_OF_WEIGHTS,
    POLE,
    ROUGH_NETWORKS,
)
from resproof.proofs.demystifying_resnet.sharp_hypotheses import BLOCKS_OF_ONE, PEANO, T2_SHARP
from resproof.proofs.routes.predicates import matches
from resproof.proofs.routes.rays import one_sided, opposite_rays, running_loss, same_both_ways
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Hypothesis,
    Repair,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO
from resproof.symbolic.scope import Scope

_ZERO, _ONE = Fraction(0), Fraction(1)

_KINKED_UNIT = (lambda h: h + Weight("d", "d") @ (1 + relu(h - 1)))(Input("d"))
"""pre(t) = max(1, t) = 1 + ReLU(t - 1)."""
_KINKED_SIZE = "n=1, R=2, d=m=1"


def _pole(_: Context) -> Computed:
    """The limit of t^4 L(t, t, t, t), n = 2, from the loss of two units written out."""

    def loss(t: Fraction) -> Fraction:
        h = 1 + t * t
        return (h + t * t / (h - 1) ** 2) ** 2 / 2

    return Computed(one_sided(lambda t: t**4 * loss(t), (1,), 0), Scope.of("n=2, R=2, d=m=1"))


_LIMIT = Argument(
    "The limit of $t^4 L(t, t, t, t)$ for $n = 2$, from the loss written out",
    "instance",
    _pole,
    Fraction(1, 2),
    {PRINTED: _ZERO, "twice as large": _ONE},
    explanation="It is 0 for a loss that is bounded near zero.",
)


def _sharp(beginning: str) -> tuple[Clause, ...]:
    """The clauses of DR-T2S whose sentences begin so."""
    return tuple(clause for clause in T2_SHARP.claims if clause.sentence.startswith(beginning))


A3 = Statement(
    id="DR-A3",
    title="Whether Assumption 3 suffices for Theorem 2",
    source=source(
        "A", "Assumption 3", "all of sigma_pre^(k)(0), sigma_mid^(k)(0), sigma_post^(k)(0) ... exist", "Theorem 1"
    ),
    latex=r"\sigma_{\mathrm{mid}}(0) = \sigma_{\mathrm{post}}(0) = 0,\; \sigma^{(k)}(0) \text{ exist} \implies "
    r"\nabla^2 L(0) \text{ exists and has the form of Theorem 2}",
    hypotheses=(
        FLAT_AT_ZERO,
        Hypothesis(
            "the derivatives of pre at 0 exist",
            lambda one: one.pre_at_zero.twice_differentiable,
            replace(KINK, pre_at_zero=KINK.pre[0]),
            quote="all of sigma_pre^(k)(0) ... exist",
        ),
        Hypothesis(
            "the derivatives of mid and post at 0 exist",
            lambda one: one.mid.twice_differentiable and one.post.twice_differentiable,
            replace(KINK, post=BENT_POST.post),
            quote="sigma_mid^(k)(0), sigma_post^(k)(0) ... exist",
        ),
    ),
    uses=("DR-A3n", "DR-T2S", "DR-T2.1", "DR-T2.2", "DR-T2.3"),
    setting=r"Assumption 3 is that $\mathrm{mid}(0) = \mathrm{post}(0) = 0$ and that the derivatives of "
    rf"pre, mid and post at 0 exist up to order $\max(n - 1, 2)$. {BLOCKS_OF_ONE}",
    clauses=(
        Clause(
            r"It suffices for one unit, $R = 1$, and $n \ge 2$: for the order $n - 1$, and for the part of degree $n$.",
            {"n": 2, "d": 1, "m": 1},
            (ORDER_OF_ONE, LEADING_OF_ONE, ROUGH_NETWORKS),
        ),
        Clause(
            "It suffices for one unit, $R = 1$, and $n = 1$: for the second-order expansion and the second partial "
            "derivatives.",
            {"d": 1, "m": 1},
            (EXPANSION_OF_ONE, PEANO, PARTIALS_WITHIN_ONE, ROUGH_NETWORKS),
        ),
        Clause(
            r"It suffices for the second partial derivatives at zero for $n \ge 2$ and every $R$.",
            {"n": 2, "R": 1, "d": 1, "m": 1},
            (CONSTANT_WITHOUT, PARTIALS_OF_TWO, PAIRS_OF_WEIGHTS),
        ),
        Clause(
            r"It suffices for the order $n - 1$, $n \ge 2$ and $R \ge 2$.",
            {"n": 2, "R": 2, "d": 1, "m": 1},
            counterexample=Counterexample(
                POLE,
                r"$\mathrm{pre}(t) = (t - 1)^{-2}$ off 1 and $\mathrm{pre}(1) = 1$ has all derivatives at 0, but is "
                r"unbounded near the data $x = 1$: along $(t, \ldots, t)$ the loss of two units tends to infinity.",
                (NO_BOUND, _LIMIT),
                r"L(t, \dots, t) = \tfrac12 \left(1 + t^n + t^{-n}\right)^2",
                picture=unbounded,
            ),
            repair=Repair(
                changes=(
                    Change(
                        "sigma_pre^(k)(0)",
                        "pre is bounded near the data",
                        "Of pre it is asked that it be bounded, or continuous, near the data, where it is evaluated, instead of derivatives at 0.",
                    ),
                ),
                clauses=_sharp(r"$n \ge 2$, any $R$: $L(w)"),
            ),
        ),
        Clause(
            r"It suffices for the Hessian at zero for $n = 1$ and $R \ge 2$.",
            {"R": 2, "d": 1, "m": 1},
            counterexample=Counterexample(
                KINK,
                r"$\mathrm{pre} = \max(1, t)$ is constant near 0 and has no derivative at the data $x = 1$. The "
                "second-order part of the loss takes different values in opposite directions, so it is no quadratic form.",
                (
                    Argument(
                        "Second-order coefficients along opposite rays",
                        "instance",
                        opposite_rays(
                            running_loss(_KINKED_UNIT, 2, 1, 0),
                            ((1, 1), (1, 0)),
                            _KINKED_SIZE,
                            r"3 \ne 2 \text{ along } \pm(1, 1)",
                        ),
                        {(1, 1): (Fraction(3), Fraction(2)), (1, 0): (Fraction(1, 2), Fraction(1, 2))},
                        {
                            PRINTED: same_both_ways,
                            "no second-order part": {(1, 1): (_ZERO, _ZERO), (1, 0): (_ZERO, _ZERO)},
                        },
                        matches,
                        explanation="The network itself, run at dyadic weights where float64 is exact.",
                    ),
                    NO_MIXED_DERIVATIVE,
                ),
                r"L(t, t) = \tfrac12 (1 + t)^4, \quad L(-t, -t) = \tfrac12 (1 - 2t)^2 \quad (t > 0)",
                picture=lambda one: no_parabola(rough_loss(one)),
            ),
            repair=Repair(
                changes=(
                    Change(
                        "sigma_pre^(k)(0)",
                        "pre is differentiable at the data",
                        "Of pre it is asked that it be differentiable at the data, where it is evaluated, instead of at 0.",
                    ),
                ),
                clauses=_sharp("$n = 1$, any $R$"),
            ),
        ),
    ),
    notes="Second derivatives of mid and post, which it asks for, enter for $n = 1$ alone, and there that of post.",
)

STATEMENTS = (A3,)
