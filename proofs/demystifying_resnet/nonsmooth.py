"""Demystifying ResNet around Theorem 2: where Assumption 3 falls short (DR-A3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from architectures.activations import Activation, identity_activation, relu
from architectures.expressions import Input, Weight
from proofs.demystifying_resnet.assumption3 import A3N
from proofs.documents import source
from proofs.routes.predicates import matches
from proofs.routes.rays import one_sided, opposite_rays, running_loss, same_both_ways
from proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Counterexample,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from proofs.theory.generic_units import FLAT_AT_ZERO

_ZERO, _ONE = Fraction(0), Fraction(1)


# DR-A3.


@dataclass(frozen=True, slots=True)
class KinkedPre:
    """A linear n = 1 network, R = 2, d = m = 1, with pre(t) = max(1, t), x = 1, y = 0."""

    mid: Activation = identity_activation
    post: Activation = identity_activation
    kink: int = 1
    x: int = 1
    y: int = 0

    def pre(self, t: Fraction) -> Fraction:
        """max(1, t): constant near 0, so all its derivatives exist there."""
        return max(Fraction(self.kink), t)

    def loss(self, first: Fraction, second: Fraction) -> Fraction:
        """L(w_1, w_2), written out."""
        h = self.x + first * self.pre(Fraction(self.x))
        return (h + second * self.pre(h) - self.y) ** 2 / 2

    def __str__(self) -> str:
        return "n = 1, R = 2, d = m = 1, pre(t) = max(1, t), post(t) = t, x = 1, y = 0"


_KINKED = KinkedPre()
_KINKED_UNIT = (lambda h: h + Weight("d", "d") @ (1 + relu(h - 1)))(Input("d"))
"""pre(t) = max(1, t) = 1 + ReLU(t - 1)."""
_KINKED_SIZE = "n=1, R=2, d=m=1"


def _mixed_quotients(_: Context) -> Computed:
    """The limits of [L(s, t) - L(s, 0) - L(0, t) + L(0, 0)] / (s t) along s = t and s = -t, t decreasing to 0."""

    def mixed(s: Fraction, t: Fraction) -> Fraction:
        loss = _KINKED.loss
        return loss(s, t) - loss(s, _ZERO) - loss(_ZERO, t) + loss(_ZERO, _ZERO)

    limits = {sign: one_sided(mixed, (sign, 1)) / sign for sign in (1, -1)}
    return Computed(limits, Scope.of(_KINKED_SIZE), r"\lim_{s \downarrow 0} = 2 \ne 1 = \lim_{s \uparrow 0}")


def _discontinuous(_: Context) -> Computed:
    """n = 2, R = 2, d = m = 1, pre(t) = 1 + [t > 1], x = 1, y = 0: the second-order part along two opposite halves."""

    def pre(t: Fraction) -> Fraction:
        return Fraction(1 + (t > 1))

    def loss(a: Fraction, b: Fraction, c: Fraction, e: Fraction) -> Fraction:
        h = 1 + b * a * pre(_ONE)
        return (h + e * c * pre(h)) ** 2 / 2

    axes = [tuple(int(i == k) for i in range(4)) for k in range(4)]
    on_axes = {one_sided(loss, axis) for axis in axes}
    pairs = {
        (i, k): one_sided(loss, tuple(int(j in (i, k)) for j in range(4))) for i in range(4) for k in range(i + 1, 4)
    }
    form = sum(pairs.values(), _ZERO)  # what a quadratic form with these second partials gives along (1, 1, 1, 1)
    found = {"axes": on_axes, "form along (1,1,1,1)": form, "loss along (1,1,1,1)": one_sided(loss, (1, 1, 1, 1))}
    return Computed(found, Scope.of("n=2, R=2, d=m=1"))


_DISCONTINUOUS = {"axes": {_ZERO}, "form along (1,1,1,1)": Fraction(2), "loss along (1,1,1,1)": Fraction(3)}

A3 = Statement(
    id="DR-A3",
    title="Assumption 3 suffices for Theorem 2",
    source=source("A", "Assumption 3", "all of sigma_pre^(k)(0), sigma_mid^(k)(0), sigma_post^(k)(0) ... exist"),
    sentence="If mid(0) = post(0) = 0 and the derivatives of pre, mid and post at 0 exist up to order max(n - 1, 2), "
    "Theorem 2 holds; in particular the Hessian at zero exists.",
    latex=r"\sigma_{\mathrm{mid}}(0) = \sigma_{\mathrm{post}}(0) = 0,\; \sigma^{(k)}(0) \text{ exist} \implies "
    r"\nabla^2 L(0) \text{ exists and has the form of Theorem 2}",
    hypotheses=(
        FLAT_AT_ZERO,
        Hypothesis("the derivatives of pre at 0 exist", lambda one: one.kink != 0, fails_on=replace(_KINKED, kink=0)),
        Hypothesis(
            "the derivatives of mid and post at 0 exist",
            lambda one: 0 not in one.mid.kinks and 0 not in one.post.kinks,
            fails_on=replace(_KINKED, mid=relu),
        ),
    ),
    uses=("DR-A3n", "DR-T2.1", "DR-T2.2", "DR-T2.3"),
    counterexample=Counterexample(
        instance=_KINKED,
        sentence="pre is evaluated at the data, where its derivative may fail to exist. Here the second-order part of the "
        "loss takes different values in opposite directions, so it is no quadratic form.",
        latex=r"L(t, t) = \tfrac12 (1 + t)^4, \quad L(-t, -t) = \tfrac12 (1 - 2t)^2 \quad (t > 0)",
        routes=(
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
            Argument(
                "Mixed difference quotients from both sides tend to 2 and to 1",
                "instance",
                _mixed_quotients,
                {1: Fraction(2), -1: Fraction(1)},
                {PRINTED: lambda found: found[1] == found[-1], "exchanged": {1: Fraction(1), -1: Fraction(2)}},
                matches,
                explanation="From the loss written out by hand.",
            ),
        ),
    ),
    repair=Repair(
        sentence="What the Hessian contains decides. n = 1: mid does not enter; post', post'' at 0 and, for R >= 2, the "
        "derivative of pre at the data, where it has to exist. n = 2: mid' and post' at 0 and the values of pre at the data, near which "
        "pre has to be continuous. n >= 3: no derivative. Second derivatives of mid and post enter for n = 1 alone. (For "
        "functions that are smooth where they are evaluated; how little smoothness suffices is not settled here.)",
        latex=r"n = 1:\ \sigma_{\mathrm{pre}}'(x^\mu),\ \sigma_{\mathrm{post}}''(0); \qquad "
        r"n = 2:\ \sigma_{\mathrm{pre}} \text{ continuous at } x^\mu,\ \sigma_{\mathrm{mid}}'(0),\ \sigma_{\mathrm{post}}'(0)",
        for_all=A3N.claims[0].for_all,
        arguments=(
            *A3N.claims[0].arguments,
            Argument(
                "n = 2 needs pre continuous at the data: pre(t) = 1 + [t > 1]",
                "instance",
                _discontinuous,
                _DISCONTINUOUS,
                {"the second partials decide": {**_DISCONTINUOUS, "loss along (1,1,1,1)": Fraction(2)}},
                explanation="All second partial derivatives exist, yet the second-order part is not their quadratic form.",
            ),
        ),
        adds="Derivatives of pre are asked for where pre is evaluated, at the data; for n >= 2 fewer are needed than printed.",
    ),
)

STATEMENTS = (A3,)
