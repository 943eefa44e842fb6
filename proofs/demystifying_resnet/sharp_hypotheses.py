"""Demystifying ResNet, Theorem 2 with as little asked of the activations as it takes, and what happens without.

What is not asked for is missed by no argument of `few_derivatives`; what is asked for is missed by a network without it,
of `rough_networks`.

Of pre at the data nothing is needed for one unit. For R >= 2 it suffices: for n >= 2 that it is bounded near the data for
the order n - 1, continuous there for the part of degree n, which for n = 2 is the second-order expansion; for n = 1 that it
is differentiable there. Without that there are networks where it fails, not all do: with pre(x) = 0 at the data the loss is
constant for n >= 2, whatever pre is near by. Second partial derivatives at zero see two parameters at a time: for n >= 2
they need nothing of pre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from resproof.proofs.demystifying_resnet.few_derivatives import (
    EARLIER,
    EXPANSION,
    EXPANSION_OF_ONE,
    LEADING,
    LEADING_OF_ONE,
    ORDER,
    ORDER_OF_ONE,
    PARTIALS_OF_ONE,
    PARTIALS_OF_TWO,
    PARTIALS_WITHIN_ONE,
)
from resproof.proofs.demystifying_resnet.germs import Germ, RoughNetwork
from resproof.proofs.demystifying_resnet.lemmas import CONSTANT_WITHOUT, constant_without
from resproof.proofs.demystifying_resnet.pictures import kink
from resproof.proofs.demystifying_resnet.rough_networks import (
    BENT_POST,
    CORNER,
    KINK,
    KINKED_MID,
    NO_BOUND,
    NO_GRADIENT_NEARBY,
    NO_MIXED_DERIVATIVE,
    NO_SLOPE,
    NO_VANISHING_DIFFERENCE,
    NOT_CONTINUOUS,
    NOT_DIFFERENTIABLE,
    NOT_FLAT,
    NOT_LIPSCHITZ,
    NOT_TWICE,
    OFFSET_MID,
    PAIRS_OF_WEIGHTS,
    POLE,
    ROOT_MID,
    ROUGH,
    ROUGH_NETWORKS,
    STEP,
)
from resproof.proofs.statement import Citation, Clause, Condition, Counterexample, Hypothesis, Statement

# The theorem.


def _of_pre(holds: Callable[[Germ], bool]) -> Callable[[RoughNetwork], bool]:
    return lambda network: all(map(holds, network.pre))


VALUES_AT_ZERO = Hypothesis(
    r"$\mathrm{mid}(0) = \mathrm{post}(0) = 0$",
    lambda network: network.mid.value == network.post.value == 0,
    OFFSET_MID,
    needed=NOT_FLAT,
    holds_on=ROOT_MID,
)
GROWTH = Hypothesis(
    r"$\lvert\mathrm{mid}(t)\rvert$, $\lvert\mathrm{post}(t)\rvert \le K\lvert t\rvert$ near 0",
    lambda network: network.mid.lipschitz and network.post.lipschitz,
    ROOT_MID,
    needed=NOT_LIPSCHITZ,
    holds_on=KINKED_MID,
)
SLOPES = Hypothesis(
    "mid and post are differentiable at 0",
    lambda network: network.mid.differentiable and network.post.differentiable,
    KINKED_MID,
    needed=NO_SLOPE,
    holds_on=BENT_POST,
)
CURVED_POST = Hypothesis(
    "post is twice differentiable at 0",
    lambda network: network.post.twice_differentiable,
    BENT_POST,
    needed=NOT_TWICE,
    holds_on=KINKED_MID,
)
BOUNDED_AT_DATA = Hypothesis(
    "pre is bounded near the data",
    _of_pre(lambda germ: germ.bounded),
    POLE,
    printed=False,
    needed=NO_BOUND,
    holds_on=STEP,
)
CONTINUOUS_AT_DATA = Hypothesis(
    "pre is continuous at the data",
    _of_pre(lambda germ: germ.continuous),
    replace(STEP, pre=(*KINK.pre, *STEP.pre)),
    printed=False,
    needed=NOT_CONTINUOUS,
    holds_on=KINK,
)
DIFFERENTIABLE_AT_DATA = Hypothesis(
    "pre is differentiable at the data",
    _of_pre(lambda germ: germ.differentiable),
    KINK,
    printed=False,
    needed=NOT_DIFFERENTIABLE,
    holds_on=ROUGH[1],
)
MIXED_AT_DATA = replace(DIFFERENTIABLE_AT_DATA, needed=NO_MIXED_DERIVATIVE)
PEANO = Citation(
    "taylor-peano",
    {
        "post is twice differentiable at 0": Condition(
            lambda network: network.post.twice_differentiable, lambda: ROUGH[1], lambda: BENT_POST
        )
    },
)
"""From the second derivative of post at 0 to its expansion there; for one derivative that is its definition."""


def ours(*hypotheses: Hypothesis) -> tuple[Hypothesis, ...]:
    """Hypotheses of what is printed nowhere."""
    return tuple(replace(one, printed=True) for one in hypotheses)


BLOCKS_OF_ONE = (
    r"For $n = 1$, with $p = \mathrm{pre}(x)$, $p' = \mathrm{pre}'(x)$ at the data, $k_1 = \mathrm{post}'(0)$, "
    r"$k_2 = \mathrm{post}''(0)$, $g$ and $Q$ the gradient and Hessian of the loss at the initial output, $E$ the mean over samples, the entry of $B$ for "
    r"the weights $w_{ij}$ and $w_{kl}$ of one unit is $E[p_j p_l (k_1^2 Q_{ik} + k_2 \delta_{ik} g_i)]$, that of $A$ for "
    r"$w_{ij}$ of a later and $w_{kl}$ of an earlier unit is $k_1^2 E[p_j p_l Q_{ik} + \delta_{jk} p'_j g_i p_l]$."
)
"""What B and A are, for the statements that say it in words."""
_ONE, _ANY = {"d": 1, "m": 1}, {"R": 1, "d": 1, "m": 1}
T2_SHARP = Statement(
    id="DR-T2S",
    title="Theorem 2 with as little as possible asked of the activations",
    subject="n_shortcut",
    source=None,
    latex=r"L(w) = L(0) + c_n \textstyle\sum_r \operatorname{tr}(M^{\mathsf T} W^{r,n} \cdots W^{r,1}) + o(\|w\|^n), \quad n \ge 2",
    hypotheses=ours(VALUES_AT_ZERO),
    uses=("DR-L3",),
    setting=BLOCKS_OF_ONE,
    clauses=(
        Clause(
            r"$n \ge 2$, $R = 1$: $L(w) = L(0) + O(\lvert w\rvert^n)$, whatever pre is.",
            {"n": 2, **_ONE},
            (ORDER_OF_ONE, ROUGH_NETWORKS),
            ours(GROWTH),
        ),
        Clause(
            r"$n \ge 2$, any $R$: $L(w) = L(0) + O(\lvert w\rvert^n)$.",
            {"n": 2, **_ANY},
            (ORDER, ROUGH_NETWORKS),
            ours(GROWTH, BOUNDED_AT_DATA),
        ),
        Clause(
            r"$n \ge 2$, $R = 1$: $L(w) = L(0) + c_n g^{\mathsf T} W_n \cdots W_1\, \mathrm{pre}(x)$, the mean over "
            r"samples, $+ o(\lvert w\rvert^n)$, whatever pre is.",
            {"n": 2, **_ONE},
            (LEADING_OF_ONE, ROUGH_NETWORKS),
            ours(SLOPES),
        ),
        Clause(
            r"$n \ge 2$, any $R$: $L(w) = L(0) + c_n$ sum over units of $g^{\mathsf T} W_n \cdots W_1\, \mathrm{pre}(x)$, "
            r"the mean over samples, $+ o(\lvert w\rvert^n)$.",
            {"n": 2, **_ANY},
            (LEADING, ROUGH_NETWORKS),
            ours(SLOPES, CONTINUOUS_AT_DATA),
            other_readings=(
                Clause(
                    "$n = 2$, any $R$, the Hessian read as the second derivative in the sense of Frechet: the loss is "
                    "differentiable near zero, and its gradient differentiable at zero.",
                    _ANY,
                    hypotheses=ours(SLOPES, CONTINUOUS_AT_DATA),
                    counterexample=Counterexample(
                        CORNER,
                        r"$\mathrm{pre}(t) = 1 + \lvert t - 1\rvert$ is continuous at the data $x = 1$, yet at points "
                        "$(s, 0, s, s)$ as near to zero as one likes the loss has a kink in the second weight.",
                        (NO_GRADIENT_NEARBY, NO_VANISHING_DIFFERENCE),
                        picture=kink,
                    ),
                ),
            ),
        ),
        Clause(
            "$n = 1$, $R = 1$: the second-order expansion exists, with the form $B$, whatever pre is.",
            _ONE,
            (EXPANSION_OF_ONE, PEANO, ROUGH_NETWORKS),
            ours(CURVED_POST),
        ),
        Clause(
            "$n = 1$, any $R$: the second-order expansion exists, with $B$ within units and $A$ between them.",
            _ANY,
            (EXPANSION, EARLIER, PEANO, ROUGH_NETWORKS),
            ours(CURVED_POST, DIFFERENTIABLE_AT_DATA),
        ),
        Clause(
            r"$n \ge 2$, any $R$: all partial derivatives at zero of order $1, \ldots, n - 1$ exist and vanish, whatever "
            r"pre, mid and post are otherwise; for $n \ge 3$ those of order two.",
            {"n": 2, **_ANY},
            (CONSTANT_WITHOUT, PAIRS_OF_WEIGHTS),
        ),
        Clause(
            "$n = 2$, any $R$: all second partial derivatives at zero exist, those of $A = c M$ between $W_1$ and $W_2$ "
            "of one unit, in either order, and no others that are not zero; whatever pre is.",
            _ANY,
            (PARTIALS_OF_TWO, constant_without((2,)), PAIRS_OF_WEIGHTS),
            ours(SLOPES),
        ),
        Clause(
            "$n = 1$, $R = 1$: all second partial derivatives at zero exist, those of $B$, whatever pre is.",
            _ONE,
            (PARTIALS_WITHIN_ONE, PAIRS_OF_WEIGHTS),
            ours(CURVED_POST),
        ),
        Clause(
            "$n = 1$, any $R$: all second partial derivatives at zero exist, in either order: those of $B$ within units, "
            "of $A$ between.",
            _ANY,
            (PARTIALS_OF_ONE, constant_without((1,)), PAIRS_OF_WEIGHTS),
            ours(CURVED_POST, MIXED_AT_DATA),
        ),
    ),
    notes="$L$ is the mean over samples of any loss with a gradient $g$ at the initial output, for $n = 1$ also with a Hessian "
    r"there. The second-order expansion is that of Taylor and Peano, $L(w) = L(0) + l(w) + q(w) + o(\lvert w\rvert^2)$; "
    r"second partial derivatives may exist without it, as with $\mathrm{pre}(t) = 1 + [t > 1]$.",
)

STATEMENTS = (T2_SHARP,)
