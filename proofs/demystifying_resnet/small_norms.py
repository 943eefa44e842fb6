"""Small weights and critical points of linear residual networks (EX-1): only shortcuts over one layer exclude them.

With n = 1 the gradient in W^r is A^T (W S - T) B^T, A and B products of factors I + W^s. Where |W^s|_2 <= tau < 1 these
are invertible, so a critical point has W S = T and is a global minimum. With n >= 2 zero is critical, and a global
minimum only if M = S - T vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import COLUMN, ROW
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import gradient
from resproof.numeric.rounding import LEAST
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.gradient_steps import PLAIN_LAYER, PLAIN_STEP
from resproof.proofs.demystifying_resnet.least_squares import same_parts
from resproof.proofs.demystifying_resnet.lemmas import INDUCTION_STEP
from resproof.proofs.demystifying_resnet.pictures import saddle
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Hypothesis,
    Induction,
    Measurement,
    Repair,
    Statement,
)
from resproof.proofs.theory.critical_points import CANCEL, CONVEX, Small
from resproof.proofs.theory.generic_units import DEPTHS, over_depths
from resproof.proofs.theory.linear_networks import loss_between, plain_from
from resproof.symbolic.algebra.critical import show as show_component
from resproof.symbolic.algebra.rings import Element, Plain, Ring, flint_ring, value_at
from resproof.symbolic.certificates import Gram, any_dimension, squared_norm
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.lift import loss_series, perturbations
from resproof.symbolic.index.series import scale, substitute
from resproof.symbolic.scope import Scope

# The counterexample.


@dataclass(frozen=True, slots=True)
class ZeroNetwork:
    """A linear network of one unit with two layers, d = m = 1, at zero weights."""

    net: Small
    weights: tuple[Fraction, ...]

    def __str__(self) -> str:
        return f"h + w2 w1 h, {self.net}, w = (0, 0)"


_ZERO = ZeroNetwork(Small((2,), ((1,),), ((2,),), shortcut=True), (Fraction(0), Fraction(0)))
_AT = "n=2, R=d=m=1"


def _is_residual(one: ZeroNetwork) -> bool:
    """Whether every unit adds its input: with all weights zero the network is the identity."""
    at = Small(one.net.units, one.net.x, one.net.x, one.net.shortcut)
    return at.loss([Fraction(0)] * len(one.weights)) == 0


@dataclass(frozen=True, slots=True)
class Found:
    """A point: the partial derivatives there, the loss, and a lower value of the loss elsewhere."""

    gradient: tuple[Fraction, ...]
    loss: Fraction
    elsewhere: Fraction


@property_of(
    Found((Fraction(1), Fraction(0)), Fraction(1), Fraction(0)),
    Found((Fraction(0), Fraction(0)), Fraction(1), Fraction(1)),
    not_of=[Found((Fraction(0), Fraction(0)), Fraction(1), Fraction(0))],
)
def _harmless(found: Found) -> bool:
    """The printed conclusion: the point is not critical, or no other point has a lower loss."""
    return any(found.gradient) or found.loss <= found.elsewhere


_FOUND = Found((Fraction(0), Fraction(0)), Fraction(1, 2), Fraction(0))


def _by_engine(_: Context) -> Computed:
    """The gradient as polynomials from the exact engine, at zero; the loss at w = 0 and at w = (1, 1)."""
    net, names = _ZERO.net, _ZERO.net.names
    at = dict(zip(names, _ZERO.weights, strict=True))
    slopes = tuple(value_at(slope, at) for slope in net.gradient())
    one = [Fraction(1)] * len(names)
    return Computed(
        Found(slopes, net.loss(_ZERO.weights), net.loss(one)),
        Scope.of(_AT),
        r"L(w) = \tfrac12 (1 + w_2 w_1 - 2)^2, \quad \nabla L(0) = 0, \quad L(0) = \tfrac12 > 0 = L(1, 1)",
    )


def _by_differences(_: Context) -> Computed:
    """Central differences along both axes, exact as the loss is quadratic there, from the loss written out by hand."""

    def loss(w1: Fraction, w2: Fraction) -> Fraction:
        return (1 + w2 * w1 - 2) ** 2 / 2

    t, zero = Fraction(1, 3), Fraction(0)
    slopes = tuple((loss(*p) - loss(*q)) / (2 * t) for p, q in (((t, zero), (-t, zero)), ((zero, t), (zero, -t))))
    grid = [Fraction(k, 2) for k in range(-4, 5)]
    return Computed(Found(slopes, loss(zero, zero), min(loss(a, b) for a in grid for b in grid)), Scope.of(_AT))


_NEIGHBOURS = {PRINTED: _harmless, "a slope of 1": Found((Fraction(1), Fraction(0)), Fraction(1, 2), Fraction(0))}

BY_ENGINE = Argument("The gradient by the exact engine", "explicit", _by_engine, _FOUND, _NEIGHBOURS, matches)

# I + W is invertible in the ball.

Certificate: TypeAlias = Callable[[Ring], Element]
_INNER = ("tau", "vv", "vw", "ww")
"""tau, |v|^2, <v, w>, |w|^2 with w = W v."""


def _gram(ring: Ring) -> Gram:
    """The inner products of v and w."""
    vv, vw, ww = ring.symbols(_INNER[1:])
    return {frozenset("v"): vv, frozenset("vw"): vw, frozenset("w"): ww}


def _stretched(_: Context) -> Computed:
    """tau (|v + w|^2 - (1 - tau)^2 |v|^2)."""
    ring = flint_ring(_INNER)
    tau, one, gram = ring.symbol("tau"), ring.one, _gram(ring)
    v, moved = {"v": one - tau}, {"v": one, "w": one}
    found = tau * (squared_norm(moved, gram) - squared_norm(v, gram))
    shown = (
        r"\tau\left(|v + w|^2 - (1-\tau)^2 |v|^2\right) = |\tau v + w|^2 + (1 - \tau)\left(\tau^2 |v|^2 - |w|^2\right)"
    )
    return Computed(ring.plain(found), any_dimension(gram, "d"), shown)


def _certificate(sign: int = 1, power: int = 2, *, weight: bool = True) -> Certificate:
    """|tau v + sign w|^2 + (1 - tau) (tau^power |v|^2 - |w|^2), the second factor left out without `weight`."""

    def made(ring: Ring) -> Element:
        tau, vv, _, ww = ring.symbols(_INNER)
        rest = tau**power * vv - ww
        square = squared_norm({"v": tau, "w": ring.number(sign)}, _gram(ring))
        return square + ((ring.one - tau) * rest if weight else rest)

    return made


def _same_certificate(found: Plain, claim: Certificate) -> None:
    ring = flint_ring(_INNER)
    matches(found, ring.plain(claim(ring)))


INVERTIBLE = Argument(
    r"$\lvert(I + W) v\rvert \ge (1 - \tau) \lvert v\rvert$ where $\lvert W v\rvert \le \tau \lvert v\rvert$",
    "inequality",
    _stretched,
    _certificate(),
    {
        "the other sign of $w$": _certificate(-1),
        r"$\tau$ in place of $\tau^2$": _certificate(power=1),
        r"without the factor $1 - \tau$": _certificate(weight=False),
    },
    _same_certificate,
    explanation=r"A square and a product of two numbers that are not negative. So $I + W$ has no kernel for $\tau < 1$ ($\tau = 0$: "
    "$W = 0$), and products of such factors are invertible.",
)

# n >= 2: zero is critical and not a minimum.


def _linear(n: int) -> ResidualUnit:
    return ResidualUnit(n_shortcut(n))


def _no_slope(_: Context) -> Computed:
    """Whether the loss of two linear units has a linear part at zero weights, n = 1, ..., 6."""
    found = {n: bool(loss_series(_linear(n), squared, 2, 1)[-1]) for n in DEPTHS}
    return Computed(found, over_depths(DEPTHS, _linear))


_SLOPES = {n: n == 1 for n in DEPTHS}


def _around_identity(_: Context) -> Computed:
    """The loss of the map I - t M, by degree in t."""
    unit = plain_from("identity")
    loss = loss_between(unit, "W1", 2, around=False)
    known = vocabulary(unit, squared)
    m = parse("m^-1 * X[i,u] * X[j,u] - m^-1 * Y[i,u] * X[j,u]", known, {"i": ROW, "j": COLUMN})
    moved, delta = perturbations(unit)["W1"], known["W1"]
    parts = []
    for part in loss[1:]:
        at_identity = substitute(part, delta, parse("delta[i,j]", known, {"i": ROW, "j": COLUMN}))
        parts.append(substitute(at_identity, moved, scale(-1, m)))
    shown = r"L(I - t M) = L(I) - t\, \|M\|_F^2 + \tfrac{t^2}{2m} \|M X\|_F^2"
    return Computed((unit, tuple(parts)), sizes.of_terms(*parts), shown)


_M = "m^-1 * X[{0},{2}] * X[{1},{2}] - m^-1 * Y[{0},{2}] * X[{1},{2}]"


def _m_terms(row: str, column: str, sample: str) -> list[tuple[str, str]]:
    left, right = _M.format(row, column, sample).split(" - ")
    return [("+", left), ("-", right)]


def _square_of_m(factor: str, *, through_x: bool) -> str:
    """factor |M|_F^2 or factor (1/m) |M X|_F^2 written out."""
    total = ""
    for a, left in _m_terms("i", "j", "u"):
        for b, right in _m_terms("i", "k" if through_x else "j", "v"):
            middle = " * m^-1 * X[j,w] * X[k,w]" if through_x else ""
            total += f" {'+' if a == b else '-'} {factor} * {left} * {right}{middle}"
    return total.strip()


_DESCENT = (_square_of_m("-1", through_x=False), _square_of_m("1/2", through_x=True))


# Small networks, exactly.


def _components(n: int) -> Callable[[Context], Computed]:
    """The components of the critical points of one and of two units, d = 1, and whether w = 0 is critical."""

    def compute(_: Context) -> Computed:
        found = {}
        for units in (1, 2):
            net = Small((n,) * units, ((1,),), ((2,),), shortcut=True)
            origin = dict.fromkeys(net.names, Fraction(0))
            zero_is_critical = {value_at(slope, origin) for slope in net.gradient()} == {0}
            found[units] = (_inside(net), zero_is_critical)
        return Computed(found, Scope.of(*(f"n={n}, R={units}, d=m=1, X=1, Y=2" for units in found)))

    return compute


def _inside(net: Small) -> tuple[str, ...]:
    """The components other than that of the global minima, y = f, the weights as w1, w2, ..."""
    shown = []
    for one in net.critical_components():
        text = show_component(one)
        for number, name in enumerate(net.names, start=1):
            text = text.replace(name, f"w{number}")
        if len(one) > 1:
            shown.append(text)
    return tuple(sorted(shown))


_ONE_LAYER: Mapping[int, Any] = {1: ((), False), 2: (("w1 + 1, w2 + 1",), False)}
_TWO_LAYERS: Mapping[int, Any] = {1: (("w1, w2",), True), 2: (("w1*w2 + 1, w3*w4 + 1", "w1, w2, w3, w4"), True)}

# Evidence.

_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class Slopes:
    """max |gradient| at zero weights of running linear networks, summed over W_1, ..., W_n, by n."""

    largest: Mapping[int, float]
    sizes: str
    seed: int


def _at_zero_on_digits(context: Context) -> Computed:
    ops, data = device(context.device).ops, context.data
    x, y = (ops.asarray(np.asarray(a)) for a in (data.X, data.Y))
    d, m = data.X.shape
    largest = {}
    for n in (1, 2, 3):
        unit = ResidualUnit(n_shortcut(n))
        weights = {name: ops.zeros((_DEPTH, d, d)) for name in unit.names.values()}
        slopes = gradient(Network(unit, _DEPTH), weights, x, y).values()
        largest[n] = sum(map(largest_modulus, slopes))
    sizes = f"n=1..3, R={_DEPTH}, d={d}, m={m}; {data.name}"
    return Computed(Slopes(largest, sizes, context.seed), Scope.of(sizes))


def _are(found: Slopes, claim: Mapping[int, float]) -> tuple[Measurement, ...]:
    """The greatest slope for these n, exactly."""
    derivation = "every term has a factor that is exactly 0"
    return tuple(
        Measurement(
            f"max |gradient|, $n = {n}$", abs(found.largest[n] - slope), 0.0, found.sizes, found.seed, derivation
        )
        for n, slope in claim.items()
    )


NO_SLOPE = Argument(
    "The linear part of the loss at zero, $n = 1..6$",
    "index notation",
    _no_slope,
    _SLOPES,
    {"$n = 1$ has none either": {**_SLOPES, 1: False}, "$n = 2$ has one": {**_SLOPES, 2: True}},
)

DESCENT = Argument(
    "From the identity map the loss falls along $-M$",
    "index notation",
    _around_identity,
    _DESCENT,
    {
        "it rises": (_square_of_m("1", through_x=False), _DESCENT[1]),
        "twice as steep": (_square_of_m("-2", through_x=False), _DESCENT[1]),
        "without the half": (_DESCENT[0], _square_of_m("1", through_x=True)),
    },
    same_parts,
    explanation="For small $t > 0$ it is below $L(I)$, the loss at zero weights, unless $M = 0$; and the map $I - t M$ is attained "
    "by $n$-shortcut networks for every $n$ and $R$ (DR-M6).",
)

_ANY_DEPTH = Clause(
    "The same in a linear residual network of whatever shortcut depth, as the ICLR version says it.",
    {"n": 1, "R": 1, "d": 1, "m": 1},
    hypotheses=(
        Hypothesis(
            "every unit of the linear network has an identity shortcut",
            _is_residual,
            fails_on=replace(_ZERO, net=replace(_ZERO.net, shortcut=False)),
            quote="its shortcuts are identity matrices",
            where="Definition 1",
        ),
        Hypothesis(
            r"all weights have norm at most $\tau$, for every $\tau > 0$",
            lambda one: not any(one.weights),
            fails_on=replace(_ZERO, weights=(Fraction(1, 2), Fraction(0))),
            quote="all the weight matrices have small norms",
        ),
    ),
    counterexample=Counterexample(
        instance=_ZERO,
        sentence="The smallest 2-shortcut network there is. Zero, the smallest of all weights, is critical; the loss there is "
        "1/2, its minimum 0.",
        latex=r"L(w_1, w_2) = \tfrac12 (1 + w_2 w_1 - 2)^2",
        picture=lambda one: saddle(lambda *weights: one.net.loss(weights), ending=Fraction(3, 2)),
        routes=(
            BY_ENGINE,
            Argument("Differences of the loss", "instance", _by_differences, _FOUND, _NEIGHBOURS, matches),
        ),
    ),
    repair=Repair(
        sentence=r"With $n \ge 2$ zero is critical for all $R$, $d$, $m$, and is not a global minimum unless $M = S - T = 0$.",
        latex=r"n \ge 2,\; M \ne 0 \implies \nabla L(0) = 0,\; L(0) > \min L",
        arguments=(
            Induction("n", NO_SLOPE, INDUCTION_STEP),
            DESCENT,
            Argument(
                "Critical points of small networks with shortcut 2 other than the minima, and whether zero is critical",
                "explicit",
                _components(2),
                _TWO_LAYERS,
                {
                    "there is none": {**_TWO_LAYERS, 1: ((), False)},
                    "zero is not critical": {**_TWO_LAYERS, 2: (_TWO_LAYERS[2][0], False)},
                },
                explanation="By Groebner bases.",
            ),
        ),
        changes=(
            Change(
                "no critical points other than the global optimum",
                "zero is critical for all $R$, $d$, $m$, and is not a global minimum unless $M = S - T = 0$",
                "The shortcut spans one layer; where it spans more, zero is a critical point and not always a global minimum.",
            ),
        ),
        for_all={"n": 2, "R": 1, "d": 1, "m": 1},
    ),
)

EX_1 = Statement(
    id="EX-1",
    title="A linear residual network with shortcut 1 and small weights has no critical point but the global optimum",
    source=source(
        "A",
        "section 4.1",
        "Hardt and Ma (2016) proves that if all the weight matrices have small norms, a linear residual network with shortcut of length 1 will "
        "have no critical points other than the global optimum",
    ),
    latex=r"n = 1,\; \max_r \|W^r\|_2 \le \tau < 1,\; \nabla L(W) = 0 \implies L(W) = \min L",
    uses=("DR-M4", "DR-M6", "DR-T2.1"),
    clauses=(
        Clause(
            r"With shortcut 1 and $\max \lvert W^r\rvert_2 < 1$ every critical point is a global minimum, whatever the data.",
            {"R": 1, "d": 1, "m": 1},
            (
                PLAIN_LAYER,
                PLAIN_STEP,
                INVERTIBLE,
                CANCEL,
                CONVEX,
                Argument(
                    "Critical points of small networks with shortcut 1 other than the minima, and whether zero is critical",
                    "explicit",
                    _components(1),
                    _ONE_LAYER,
                    {
                        "zero is critical": {**_ONE_LAYER, 2: (("w1 + 1, w2 + 1",), True)},
                        "there is one in the ball": {**_ONE_LAYER, 2: (("w1, w2",), False)},
                    },
                    explanation="By Groebner bases. For $R = 2$ the only other critical point, $W = -1$, is on the boundary.",
                ),
            ),
            other_readings=(_ANY_DEPTH,),
        ),
    ),
    evidence=(
        Argument(
            f"The gradient at zero weights of running linear networks, $R = {_DEPTH}$",
            "floating point",
            _at_zero_on_digits,
            {2: 0.0, 3: 0.0},
            {
                "for $n = 1$ as well": dict.fromkeys((1, 2, 3), 0.0),
                "the least number there is": dict.fromkeys((2, 3), LEAST),
            },
            _are,
        ),
    ),
    notes=r"'Small norms' is read as $\max \lvert W\rvert_2 \le \tau$ for some $\tau < 1$, as in the theorem that is cited; "
    r"zero satisfies it for every $\tau$. The ICLR version has 'Hardt & Ma (2016) proves that if all the weight matrixes "
    "have small norms, a linear residual network will have no critical points other than the global optimum', without "
    "the length of its shortcuts, which are of length 1 in the work that it cites.",
)

STATEMENTS = (EX_1,)
