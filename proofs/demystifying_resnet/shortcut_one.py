"""Demystifying ResNet, abstract: shortcut 1 is essentially equivalent to no shortcuts (DR-n1).

h + W h = (W + I) h: a plain layer, whatever follows the addition. An activation on the path, as in Definition 2, is not on
the shortcut too, so that h + post(W pre(h)) is no plain layer post(V pre(h)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import sympy

from resproof.architectures.activations import identity_activation, polynomial, relu, sigmoid
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Initial, identity_initial
from resproof.proofs.beyond.depth_instances import GENERAL
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.after_theorem2 import T2_3X
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.germs import rough
from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.demystifying_resnet.gradient_steps import PLAIN_LAYER
from resproof.proofs.demystifying_resnet.initial_conditions import INIT
from resproof.proofs.demystifying_resnet.pictures import constant_below_zero
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Sense,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, add, eye, matrix, scale
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import loss_series

# Linear units, and activations after the addition.

_W = {
    1: (matrix([[2, -1], [0, 1]]),),
    2: (matrix([[2, -1], [0, 1]]), matrix([[-1, 3], [1, 0]])),
    3: (matrix([[0, 0], [0, 0]]), matrix([[-1, 3], [1, 0]]), matrix([[1, 1], [2, -2]])),
}


def _hessians(_: Context) -> Computed:
    """Exact Hessians of linear 1-shortcut networks at rational weights, and at zero."""
    weights = [*_W.values(), *([scale(0, eye(2))] * units for units in (1, 2, 3))]
    found = [(tuple(one), hessian_at([[w] for w in one], GENERAL, "identity")) for one in weights]
    return Computed(found, Scope.of(*(f"n=1, R={len(one)}, d=2, m=2" for one, _ in found)))


def _same_hessians(found: Sequence[tuple[Sequence[Matrix], Matrix]], shift: int) -> None:
    for weights, hessian in found:
        plain = hessian_at([[add(w, scale(shift, eye(2)))] for w in weights], GENERAL)
        if plain != hessian:
            raise Disagreement(f"R={len(weights)}: the plain network's Hessian at W + {shift} I is another")


HESSIANS = Argument(
    "Hessians of plain networks at $W + I$",
    "explicit",
    _hessians,
    1,
    {"at $W$": 0, "at $W + 2 I$": 2},
    _same_hessians,
)

_CURVED = polynomial(0, 1, 2)


def _after_the_addition(_: Context) -> Computed:
    """Loss series up to order two of s(h + W h) at zero, s(t) = t + 2 t^2."""
    h = Input("d")
    unit = ResidualUnit(_CURVED(h + Weight("d", "d", name="W1") @ h))
    return Computed(_losses(unit), Scope.of(*(f"n=1, R={units}, d=2, m=2" for units in (1, 2))))


def _losses(unit: ResidualUnit) -> dict[int, object]:
    found = dict[int, object]()
    for units in (1, 2):
        series = loss_series(Network(unit, units), {"d": 2}, data=GENERAL)
        found[units] = [series.plain(degree) for degree in range(3)]
    return found


def _plain_curved(initial: Initial, activation: Activation = _CURVED) -> ResidualUnit:
    return ResidualUnit(activation(Weight("d", "d", initial=initial, name="W1") @ Input("d")))


def _same_losses(found: Mapping[int, object], claim: Callable[[], ResidualUnit]) -> None:
    if found != _losses(claim()):
        raise Disagreement("the losses differ")


# Activations on the path.


@dataclass(frozen=True, slots=True)
class _OnThePath:
    """A 1-shortcut network of width one with its activations, and two samples."""

    pre: Activation
    mid: Activation
    post: Activation
    x: tuple[Fraction, Fraction]


_MODULUS: Any = rough(0, {1: 1}, {1: 1})
"""|t| near 0."""
_RECTIFIED = _OnThePath(relu, identity_activation, identity_activation, (Fraction(1), Fraction(-1)))
_DEPTHS = (1, 2, 3)


def _show(one: _OnThePath) -> str:
    return f"n = 1, d = 1, m = 2, pre = {one.pre.name}, mid(t) = post(t) = t, x = ({', '.join(map(str, one.x))}), y = x"


_T = sympy.Symbol("t", positive=True)


def _below_zero(_: Context) -> Computed:
    """The outputs at x = -t: of plain networks at any weights, of 1-shortcut networks at zero weights."""
    found = dict[tuple[str, int], sympy.Expr]()
    for units in _DEPTHS:
        plain = residual = -_T
        for v in sympy.symbols(f"v1:{units + 1}", real=True):
            plain, residual = v * sympy.Max(0, plain), residual + 0 * sympy.Max(0, residual)
        found["plain", units], found["1-shortcut", units] = plain, residual
    return Computed(found, Scope.of(*(f"n=1, R={units}, d=1, m=1" for units in _DEPTHS)))


_BELOW_ZERO = {(name, units): 0 if name == "plain" else -_T for name in ("plain", "1-shortcut") for units in _DEPTHS}


def _least_losses(_: Context) -> Computed:
    """The loss at zero weights with shortcuts, the least one without them on a grid of weights, y = x = (1, -1), and f(-1) there."""
    grid = [Fraction(k, 2) for k in range(-3, 4)]
    found = dict[int, tuple[Fraction, Fraction, set[Fraction]]]()
    for units in _DEPTHS:
        every = list(product(grid, repeat=units))
        least = min(_loss(weights, shortcut=False) for weights in every)
        below = {_output(Fraction(-1), weights, shortcut=False) for weights in every}
        found[units] = (_loss((Fraction(0),) * units, shortcut=True), least, below)
    return Computed(found, Scope.of(*(f"n=1, R={units}, d=1, m=2, a grid of weights" for units in _DEPTHS)))


def _loss(weights: Sequence[Fraction], *, shortcut: bool) -> Fraction:
    return sum(((x - _output(x, weights, shortcut=shortcut)) ** 2 / 4 for x in _RECTIFIED.x), Fraction(0))


def _output(x: Fraction, weights: Sequence[Fraction], *, shortcut: bool) -> Fraction:
    h = x
    for w in weights:
        h = w * max(h, Fraction(0)) + (h if shortcut else 0)
    return h


_Reached: TypeAlias = Callable[[Fraction, Fraction, set[Fraction]], bool]


def _reaches(found: Mapping[int, tuple[Fraction, Fraction, set[Fraction]]], claim: _Reached) -> None:
    for units, (residual, plain, below) in found.items():
        if not claim(residual, plain, below):
            raise Disagreement(f"R={units}: loss {residual} with shortcuts, at least {plain} on the grid without")


_GROWS = T2_3X.claims[0]

_WITH_ACTIVATIONS = Clause(
    "So is a 1-shortcut network with activations on its transformation paths (Definition 2): its functions are those of as "
    r"many plain layers $\mathrm{post}(V\, \mathrm{pre}(h))$.",
    {"R": 1, "d": 1, "m": 1},
    hypotheses=(
        Hypothesis(
            r"$\mathrm{mid}(0) = \mathrm{post}(0) = 0$",
            lambda one: one.mid.taylor(0).rational == 0 and one.post.taylor(0).rational == 0,
            fails_on=replace(_RECTIFIED, post=sigmoid),
            quote="sigma_mid(0) = sigma_post(0) = 0",
            where="Assumption 3",
        ),
        Hypothesis(
            "pre, mid and post are ReLU or have derivatives at 0",
            lambda one: not any(0 in each.kinks for each in (one.pre, one.mid, one.post) if each is not relu),
            fails_on=replace(_RECTIFIED, post=_MODULUS),
            quote="all of ... exist. The assumptions hold for most activation functions including tanh, symmetric sigmoid and ReLU",
            where="Assumption 3 and after it",
        ),
    ),
    counterexample=Counterexample(
        instance=_RECTIFIED,
        sentence="With pre = ReLU every plain network of layers $V\\, \\mathrm{pre}(h)$ is constant where $x < 0$, whatever its depth, "
        "and the 1-shortcut network at zero weights is the identity. On $x = (1, -1)$, $y = x$ the one has loss at least 1/4, "
        "the other 0.",
        latex=r"f_{\mathrm{plain}}(x) = 0 \;(x < 0), \qquad f_{1\text{-shortcut}}(x)\big|_{W=0} = x",
        show=_show,
        picture=lambda _: constant_below_zero(),
        routes=(
            Argument(
                "The outputs at $x = -t < 0$",
                "explicit",
                _below_zero,
                _BELOW_ZERO,
                {
                    PRINTED: dict.fromkeys(_BELOW_ZERO, -_T),
                    "the 1-shortcut network is constant too": dict.fromkeys(_BELOW_ZERO, 0),
                },
                explanation=r"$\mathrm{relu}(x) = 0$, so that the first layer gives 0 at any $V$, and $V\, \mathrm{relu}(0) = 0$ at every depth.",
            ),
            Argument(
                "Losses, and the outputs at $x = -1$",
                "instance",
                _least_losses,
                lambda residual, plain, below: residual == 0 and plain == Fraction(1, 4) and below == {0},
                {
                    PRINTED: property_of({1: (Fraction(1), Fraction(1), {0})})(
                        lambda residual, plain, _: residual == plain
                    ),
                    "below 1/4 without shortcuts": lambda residual, plain, _: plain < Fraction(1, 4),
                    "plain networks tell negative inputs": lambda residual, plain, below: len(below) > 1,
                },
                _reaches,
            ),
        ),
    ),
    repair=Repair(
        sentence=r"The condition number of the 1-shortcut network at zero, where $\mathrm{post}(0) = 0$ and the Hessian "
        r"exists (DR-T2.3), on the complement of the common kernel of $D$, $A$ and $A^{\mathsf T}$, tends to "
        r"infinity with $R$ if and only if $A \ne 0$.",
        latex=r"A \ne 0 \iff \operatorname{cond}(H_R) \to \infty",
        arguments=_GROWS.arguments,
        for_all=_GROWS.for_all,
        changes=(
            Change(
                "equivalent to no shortcuts",
                r"tends to infinity with $R$ if and only if $A \ne 0$",
                "What is alike is not the maps but the condition number at the initial point: it grows without bound with shortcuts of "
                "length one, and without shortcuts in linear networks (DR-init).",
            ),
        ),
    ),
)

N1 = Statement(
    id="DR-n1",
    title="Whether shortcut 1 is essentially equivalent to no shortcuts",
    subject="n_shortcut",
    source=source(
        "A",
        "abstract",
        "The shortcut 1, however, is essentially equivalent to no shortcuts, which has a condition number exploding to infinity as the number of layers grows",
    ),
    latex=r"h + W h = (W + I)\,h",
    uses=("DR-M4", "DR-T2.3x", "DR-init", "GEN-3", "GEN-1"),
    clauses=(
        Clause(
            r"A linear 1-shortcut network with weights $W^1, \ldots, W^R$ is the plain linear network with "
            "$V^r = W^r + I$, with the same loss and Hessian.",
            {"R": 1, "d": 1, "m": 1},
            (PLAIN_LAYER, HESSIANS),
            reading=Sense(
                "equivalent",
                "of linear networks: at zero weights the one is the other at the identity",
                "1-shortcut linear networks are equivalent to linear networks with identity initialization",
                "Figure 4 (ICLR)",
            ),
            other_readings=(_WITH_ACTIVATIONS,),
        ),
        Clause(
            "A network whose activations follow the additions, $s(h + W h)$, is so too, whatever $s$ is: a plain network "
            "$s(V h)$ that starts at the identity where the other starts at zero.",
            {"R": 1, "d": 1, "m": 1},
            (
                PLAIN_LAYER,
                Argument(
                    "Losses of small networks with $s(t) = t + 2 t^2$ after the addition",
                    "explicit",
                    _after_the_addition,
                    lambda: _plain_curved(identity_initial),
                    {
                        "no activation": lambda: _plain_curved(identity_initial, identity_activation),
                        "another activation": lambda: _plain_curved(identity_initial, polynomial(0, 1, 1)),
                    },
                    _same_losses,
                ),
            ),
            ours=True,
        ),
        replace(
            INIT.claims[0],
            sentence="Without shortcuts linear networks have a condition number that tends to infinity with the number of layers, at "
            "any orthogonal weights, the identity among them (DR-init).",
            other_readings=(
                Clause(
                    "Without shortcuts networks with activations have a condition number that tends to infinity with the number of "
                    "layers.",
                    {"L": 2, "d": 1, "m": 1},
                    unsettled="the growth is shown for linear plain networks alone",
                ),
            ),
        ),
    ),
    notes="In which sense equivalent the abstract does not say; Figure 4 and section 4.2 of the ICLR version say it of linear "
    "networks. Activations after the addition are those of He et al. 2015a, "
    "whose remark on $y = W_1 x + x$ the paper quotes. For plain linear networks at the identity, or at any orthogonal "
    "weights, the growth is DR-init, for 1-shortcut ones DR-T2.3x.",
)

STATEMENTS = (N1,)
