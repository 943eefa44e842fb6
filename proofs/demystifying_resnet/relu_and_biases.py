"""Demystifying ResNet around Theorem 2: ReLU in place of a smooth activation (DR-ReLU), units with biases (DR-Eq3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from operator import truediv
from typing import Any, NamedTuple, TypeAlias

import sympy

from resproof.architectures.activations import identity_activation, polynomial, relu, softplus
from resproof.architectures.catalogue import biased, n_shortcut
from resproof.architectures.forms.terms import ROW, Opaque, Perturbation
from resproof.architectures.losses import generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.beyond.trichotomy import biased_instance
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.few_derivatives import leading_term
from resproof.proofs.demystifying_resnet.germs import RoughNetwork, smooth
from resproof.proofs.demystifying_resnet.pictures import flat_direction, no_parabola
from resproof.proofs.demystifying_resnet.rough_networks import KINKED_MID, KINKED_POST, STEP, not_odd
from resproof.proofs.demystifying_resnet.theorem2 import dyad, images, same_images
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.exact_spectra import dense, exact_spectrum
from resproof.proofs.routes.hessians import Claim, hessian_arguments, size
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.routes.rays import as_it_runs, one_sided, opposite_rays, running_loss, same_both_ways
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Sense,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, MID, POST, PRE, generic_unit
from resproof.symbolic.algebra.matrices import rank
from resproof.symbolic.certificates import Orthant, of_symbols, orthant, substitute
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.lift import data, hessian_form, loss_series, stationary_order, unit_series
from resproof.symbolic.index.series import Sum, series, tensor, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance
from resproof.symbolic.written.explicit import stationary_order as explicit_order

_ZERO, _ONE = Fraction(0), Fraction(1)


# DR-ReLU.


@dataclass(frozen=True, slots=True)
class ReluMid:
    """A 2-shortcut unit with ReLU at mid, R = d = m = 1, x = 1, y = 0."""

    mid: Activation = relu
    post: Activation = identity_activation

    def loss(self, first: Fraction, second: Fraction) -> Fraction:
        """L(w_1, w_2) = (1 + w_2 max(w_1, 0))^2 / 2, written out."""
        return (1 + second * max(first, _ZERO)) ** 2 / 2

    def __str__(self) -> str:
        return "n = 2, R = d = m = 1, ReLU at mid, x = 1, y = 0"


_RELU = ReluMid()


def _parallelogram(_: Context) -> Computed:
    """q(u+v) + q(u-v) - 2 q(u) - 2 q(v) for u = (3, 1), v = (4, 2), q the second-order part of the loss written out."""

    def q(*ray: int) -> Fraction:
        return one_sided(_RELU.loss, ray)

    value = q(7, 3) + q(-1, -1) - 2 * q(3, 1) - 2 * q(4, 2)
    found = value, as_it_runs(_RELU.loss, n_shortcut(2, mid=relu), 1, 0)
    return Computed(found, Scope.of("n=2, R=d=m=1"), r"q(u+v) + q(u-v) - 2q(u) - 2q(v) = -1 \ne 0")


_HESSIAN_READING = Clause(
    "With ReLU itself at mid and $n = 2$ the loss has a Hessian at zero.",
    {"R": 1, "d": 1, "m": 1},
    hypotheses=(
        Hypothesis(
            "ReLU at mid",
            lambda one: one.mid is relu,
            fails_on=ReluMid(identity_activation),
            quote="The assumptions hold for most activation functions including tanh, symmetric sigmoid and ReLU",
            where="after Assumption 3",
        ),
    ),
    counterexample=Counterexample(
        instance=_RELU,
        sentence=r"The second-order part of the loss is $w_2 \max(w_1, 0)$, which is no quadratic form.",
        latex=r"L(w_1, w_2) = \tfrac12 \left(1 + w_2 \max(w_1, 0)\right)^2",
        picture=lambda one: no_parabola(lambda t: one.loss(t, t)),
        routes=(
            Argument(
                "Second-order coefficients along opposite rays",
                "instance",
                opposite_rays(
                    running_loss(n_shortcut(2, mid=relu), 1, 1, 0),
                    ((1, 1),),
                    "n=2, R=d=m=1",
                    r"1 \ne 0 \text{ along } \pm(1, 1)",
                ),
                {(1, 1): (_ONE, _ZERO)},
                {PRINTED: same_both_ways, "flat": {(1, 1): (_ZERO, _ZERO)}},
                matches,
                explanation="The network itself, run at dyadic weights where float64 is exact.",
            ),
            Argument(
                "The parallelogram law",
                "instance",
                _parallelogram,
                (-_ONE, True),
                {PRINTED: (_ZERO, True), "twice": (-2 * _ONE, True), "it is another network's": (-_ONE, False)},
                explanation="Of the loss as it is written out, which is that of the network where both are run.",
            ),
        ),
    ),
)

# A smooth function in its place.

_REPLACED = {"t/2 + t^2": polynomial(0, Fraction(1, 2), 1), "softplus": softplus}
"""A smooth function through zero, and one that is not zero there."""


def _smoothings(_: Context) -> Computed:
    """The stationary order with smooth replacements of ReLU, n = 2, any data."""
    units = {name: ResidualUnit(n_shortcut(2, PRE, mid)) for name, mid in _REPLACED.items()}
    found = {name: stationary_order(unit, squared) for name, unit in units.items()}
    return Computed(found, reduce(Scope.__or__, map(sizes.of_unit, units.values())))


def _small_smoothings(_: Context) -> Computed:
    """The same from exact derivatives of two units with d = m = 1 and symbolic data, and with x = (1, -1), y = (0, 0)."""
    networks = {name: Network(ResidualUnit(n_shortcut(2, PRE, mid)), 2) for name, mid in _REPLACED.items()}
    found = {name: explicit_order(network, {"d": 1}, up_to=2).order for name, network in networks.items()}
    balanced = Network(ResidualUnit(n_shortcut(2, mid=softplus)), 2)
    found[_BALANCED] = explicit_order(balanced, {"d": 1}, up_to=2, data=Instance([[1, -1]], [[0, 0]])).order
    return Computed(found, Scope.of("n=2, R=2, d=m=1", "n=2, R=2, d=1, m=2"))


def _at_mid_and_at_post(_: Context) -> Computed:
    """The entry (W1, W2) of the Hessian with t/2 + t^2 at mid, and at mid and post, over that with t + t^2 there."""
    half, one = _REPLACED["t/2 + t^2"], polynomial(0, 1, 1)
    places = {
        "at mid": lambda s: n_shortcut(2, mid=s),
        "at mid and post": lambda s: n_shortcut(2, mid=s, post=s),
    }
    found = {
        where: reduce(truediv, (dense(ResidualUnit(made(s)), 1, Instance([[1]], [[0]]))[0][1] for s in (half, one)))
        for where, made in places.items()
    }
    return Computed(found, Scope.of("n=2, R=d=m=1, x=1, y=0"))


_BY_PLACE = {"at mid": Fraction(1, 2), "at mid and post": Fraction(1, 4)}
_ORDERS = {"t/2 + t^2": 1, "softplus": 0}
_BALANCED = "softplus, rbar = 0"
_SMALL_ORDERS = {**_ORDERS, _BALANCED: 1}
_SLOPE = Claim(leading_term(2, 1))
_OTHER_SLOPES = {
    "the curvature of the replacement enters": Claim(_SLOPE.diagonal.replace("mid'", "mid''")),
    "the square of its slope": Claim(_SLOPE.diagonal.replace("mid'(0)", "mid'(0)^2")),
    "units interact": Claim(_SLOPE.diagonal, _SLOPE.diagonal.replace("dW2(1)", "dW2(2)")),
}

_JUMP = RoughNetwork(2, pre=STEP.pre, mid=KINKED_MID.mid, pre_at_zero=STEP.pre_at_zero)
_BENT = RoughNetwork(2, mid=KINKED_MID.mid, post=KINKED_POST.post)


_REPLACED_AND_BENT = replace(_BENT, mid=smooth(0, Fraction(1, 2), 1))
"""t/2 + t^2 at mid."""


def _post_at_zero(bent: RoughNetwork, mid: str, value: Fraction) -> Hypothesis:
    return Hypothesis(
        "post is differentiable at 0",
        lambda network: network.post.differentiable,
        bent,
        holds_on=_JUMP,
        needed=not_odd(
            rf"$\mathrm{{post}}(t) = t + \lvert t\rvert$, {mid} at mid: the second-order part is not odd in $W_2$",
            bent,
            2,
            value,
        ),
    )


_POST_AT_ZERO = _post_at_zero(_BENT, "ReLU", Fraction(2))
_POST_BY_REPLACEMENT = _post_at_zero(_REPLACED_AND_BENT, "$t/2 + t^2$", _ONE)

_SMOOTH_REPLACEMENT = Clause(
    r"Replaced near 0 by a smooth function with value 0 and slope $k \ne 0$ there, ReLU at mid gives, for $n = 2$, "
    r"$H = k H_1$, $H$ being the matrix of the second partial derivatives at zero, $H_1$ that of the slope 1, so that "
    r"$\mathrm{cond}(H)$ does not depend on the replacement. One "
    r"that is not 0 at 0, as softplus, does not leave zero stationary, unless $\mathrm{post}'(0) \bar r = 0$, $\bar r$ "
    "the mean of $x - y$.",
    {"R": 1, "d": 1, "m": 1},
    (
        *hessian_arguments(generic_unit(2), _SLOPE, _OTHER_SLOPES, (size(1, d=1), size(2, d=2))),
        Argument(
            "Orders with a smoothing through zero and with softplus",
            "index notation",
            _smoothings,
            _ORDERS,
            {"softplus will do": {**_ORDERS, "softplus": 1}, "neither will do": dict.fromkeys(_ORDERS, 0)},
        ),
        Argument(
            "The same orders in a small network",
            "explicit",
            _small_smoothings,
            _SMALL_ORDERS,
            {
                "softplus will do": {**_SMALL_ORDERS, "softplus": 1},
                "softplus will never do": {**_SMALL_ORDERS, _BALANCED: 0},
            },
        ),
        Argument(
            "The slope 1/2 at mid alone, and at mid and post",
            "explicit",
            _at_mid_and_at_post,
            _BY_PLACE,
            {"$H = k H_1$ wherever ReLU stands": dict.fromkeys(_BY_PLACE, Fraction(1, 2))},
            explanation="With ReLU replaced at post as well it is $H = k^2 H_1$.",
        ),
    ),
    (_POST_BY_REPLACEMENT,),
)

# ReLU itself.


def _with_relu_itself(_: Context) -> Computed:
    """The parts of degree one and two of any loss, relu(u) being u times the quotient relu(u)/u."""
    unit = ResidualUnit(n_shortcut(2, PRE, relu, POST))
    parts = loss_series(unit, generic_loss, 2, 2)[1:]
    shown = r"L = L(0) + \sum_r \mathbb E[g^{\mathsf T} W^{r,2}\, \mathrm{relu}(W^{r,1} p)]\, \sigma_{\mathrm{post}}'(0) + o(|w|^2)"
    return Computed(tuple(map(show, parts)), sizes.of_unit(unit), shown)


def _relu_part(first: int, second: int) -> str:
    """E[g^T W_2 relu(W_1 p)] with the weights of these units."""
    u = f"dW1({first})[i,a] * pre(X)[a,u]"
    return f"m^-1 * post'(0) * dW1({first})[a,b] * dW2({second})[c,a] * g[c,d] * pre(X)[b,d] * relu/({u})[a,d]"


_GREATEST = "c T s t r"
"""c: the greatest value of q on the sphere of one unit; c T - s and c t - r: values of R units and of one more, |w|^2 = T, t."""


class OneMoreUnit(NamedTuple):
    """The second-order parts of R units and of one more, and their squared norms."""

    space: Orthant
    values: tuple[Any, Any]
    norms: tuple[Any, Any]


def _one_more_unit(_: Context) -> Computed:
    o = orthant(nonnegative=_GREATEST)
    values = (o["c"] * o["T"] - o["s"], o["c"] * o["t"] - o["r"])
    return Computed(OneMoreUnit(o, values, (o["T"], o["t"])), Scope())


Greatest: TypeAlias = Callable[[Any, Any, Any], Any]
"""(c, T, t) -> the bound on the sum."""


def _is_greatest(found: OneMoreUnit, bound: Greatest) -> None:
    """Pass when the sum of both parts is at most the bound, and equal to it where the added unit rests and s = 0."""
    o = found.space
    claimed = bound(o["c"], *found.norms)
    o.at_least_zero("the bound", claimed - sum(found.values))
    attained = {**o.values, "s": 0 * o["s"], "r": 0 * o["r"], "t": 0 * o["t"]}
    o.identical("attained", substitute(claimed, attained), o["c"] * o["T"])


_RAYS = {units: list(product((-1, 1, 2), repeat=2 * units)) for units in (1, 2)}


@cache
def _coefficients() -> dict[tuple[int, int], dict[tuple[int, ...], Fraction]]:
    """The second-order coefficient of the running network's loss along rays, d = m = 1, by R and x; x - y = 1."""
    return {
        (units, x): {ray: one_sided(running_loss(n_shortcut(2, mid=relu), units, x, x - 1), ray) for ray in rays}
        for units, rays in _RAYS.items()
        for x in (1, -1)
    }


_RAY_SIZES = Scope.of(*(f"n=2, R={units}, d=m=1, x={x}, y={x - 1}" for units in _RAYS for x in (1, -1)))


def _along_rays(_: Context) -> Computed:
    return Computed(_coefficients(), _RAY_SIZES)


def _extremes(_: Context) -> Computed:
    """The least and greatest quotients of the second-order coefficient and |ray|^2."""
    found = {}
    for at, values in _coefficients().items():
        quotients = [value / sum(v * v for v in ray) for ray, value in values.items()]
        found[at] = (min(quotients), max(quotients))
    return Computed(found, _RAY_SIZES)


def _same_along_rays(found: Mapping[tuple[int, int], Mapping[tuple[int, ...], Fraction]], claim: Pair) -> None:
    for (units, x), values in found.items():
        for ray, value in values.items():
            pairs = [(ray[k], ray[k + 1]) for k in range(0, 2 * units, 2)]
            if value != sum(claim(x, w1, w2) for w1, w2 in pairs):
                raise Disagreement(f"R={units}, x={x}, along {ray}: {value}")


Pair: TypeAlias = Callable[[int, int, int], "Fraction | int"]
"""(x, w_1, w_2) -> what one unit adds."""
_HALF = Fraction(1, 2)
_BOUNDS = {(units, x): (-_HALF, _HALF) for units in (1, 2) for x in (1, -1)}

_PRE_AT_DATA = Hypothesis(
    r"for $R \ge 2$ pre is continuous at the data",
    lambda network: all(germ.continuous for germ in network.pre),
    replace(_JUMP, pre=(*_BENT.pre, *_JUMP.pre)),
    holds_on=_BENT,
    needed=Argument(
        r"$\mathrm{pre}(t) = 1 + [t > 1]$ at $x = 1$, two units: the part along (1, 1, 1, 1) is not the sum of those of "
        "each unit",
        "instance",
        lambda _: Computed(
            (_JUMP.second_order(1, 1, 1, 1), _JUMP.second_order(1, 1, 0, 0) + _JUMP.second_order(0, 0, 1, 1)),
            Scope.of("n=2, R=2, d=m=1, x=1, y=0"),
        ),
        (Fraction(3), Fraction(2)),
        {
            PRINTED: property_of((_ONE, _ONE))(lambda found: found[0] == found[1]),
            "twice the sum": (Fraction(4), Fraction(2)),
        },
        matches,
    ),
)

_RELU_ITSELF = Clause(
    "With ReLU itself at mid and $n = 2$ the loss, any that is differentiable at the initial output, is $L(0)$ plus a sum "
    r"over units of $q(W_1, W_2) = \mathrm{post}'(0) E[g^{\mathsf T} W_2\, \mathrm{relu}(W_1 p)]$, $p = \mathrm{pre}(x)$, plus "
    r"$o(\lvert w\rvert^2)$. $q$ is odd in $W_2$, and the greatest value of the sum on the unit sphere is that of one "
    "unit: the extremes do not depend on depth.",
    {"R": 1, "d": 1, "m": 1},
    (
        Argument(
            "The parts of degree one and two with ReLU at mid",
            "index notation",
            _with_relu_itself,
            ("0", f"{_relu_part(1, 1)} + {_relu_part(2, 2)}"),
            {
                "units interact": ("0", f"{_relu_part(1, 1)} + {_relu_part(1, 2)} + {_relu_part(2, 2)}"),
                "the first unit alone": ("0", _relu_part(1, 1)),
                "a gradient": (_relu_part(1, 1), f"{_relu_part(1, 1)} + {_relu_part(2, 2)}"),
            },
            explanation=r"$\mathrm{relu}(u) = u\, \mathrm{relu}(u)/u$; the quotient does not change with the size of $u$. Every term "
            "has one factor $W_2$.",
        ),
        Argument(
            r"One more unit does not change the greatest quotient of the sum and $\lvert w\rvert^2$",
            "inequality",
            _one_more_unit,
            lambda c, norm, more: c * (norm + more),
            {
                "each unit adds to it": lambda c, norm, more: 2 * c * (norm + more),
                "half of it": lambda c, norm, more: c * (norm + more) / 2,
                "the unit added has none": lambda c, norm, more: c * norm,
            },
            certified(_is_greatest),
            explanation=r"$q(t w) = t^2 q(w)$ for $t > 0$, so $q \le c \lvert w\rvert^2$ with $c$ its maximum on the sphere, and so "
            "for the sum; equality where all other units rest. The least value is $-c$, as $q$ is odd in $W_2$.",
        ),
        Argument(
            "Running networks along rays",
            "explicit",
            _along_rays,
            lambda x, w1, w2: w2 * max(w1 * x, 0),
            {
                "the Hessian of slope 1/2": lambda x, w1, w2: _HALF * w2 * w1 * x,
                "ReLU of the whole branch": lambda x, w1, w2: max(w2 * w1 * x, 0),
            },
            _same_along_rays,
        ),
        Argument(
            "Extremes over rays in small networks",
            "explicit",
            _extremes,
            _BOUNDS,
            {"they grow with $R$": {at: (at[0] * low, at[0] * high) for at, (low, high) in _BOUNDS.items()}},
        ),
    ),
    (_POST_AT_ZERO, _PRE_AT_DATA),
)

RELU = Statement(
    id="DR-ReLU",
    title="Whether Assumption 3, and so Theorem 2, holds for ReLU",
    source=source(
        "A",
        "after Assumption 3",
        "Note that although ReLU does not have derivatives at zero, one may do a local polynomial approximation",
    ),
    latex=r"\sigma_{\mathrm{mid}} \approx \mathrm{ReLU},\; n = 2 \implies \nabla^2 L(0) = I_R \otimes "
    r"\begin{pmatrix} 0 & A^{\mathsf T} \\ A & 0 \end{pmatrix}",
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-T2.2", "DR-T2.2c", "GEN-1"),
    clauses=(
        Clause(
            "After a local polynomial approximation ReLU satisfies Assumption 3, and Theorem 2.2 holds.",
            {"R": 1, "d": 1, "m": 1},
            repair=Repair(
                latex=r"\sigma_{\mathrm{mid}}(0) = 0,\ \sigma_{\mathrm{mid}}'(0) = k \ne 0 \implies H = k\, H_1; \qquad "
                r"L = L(0) + \sum_r q(w_r) + o(|w|^2), \quad \max_{|w| = 1} \sum_r q(w_r) = \max_{|v| = 1} q(v)",
                arguments=(),
                clauses=(_SMOOTH_REPLACEMENT, _RELU_ITSELF),
                changes=(
                    Change(
                        "a local polynomial approximation",
                        r"Replaced near 0 by a smooth function with value 0 and slope $k \ne 0$ there",
                        "It is said which approximations will do, and that the condition number does not depend on the choice; and what holds of ReLU without one",
                    ),
                ),
            ),
            other_readings=(_HESSIAN_READING,),
        ),
    ),
    notes="The paper itself says that ReLU has no derivative at 0; what it leaves out is which approximation is meant.",
)


# DR-Eq3.

_BIASED = ResidualUnit(biased(MID))
_FORM = Claim(
    "m^-1 * mid'(0) * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j] + m^-1 * mid'(0) * g[i,u] * dW2(1)[i,a] * db(1)[a]"
)


_SMOOTHED = polynomial(0, Fraction(1, 2), Fraction(1, 4))
"""t/2 + t^2/4: the Taylor polynomial at 0 of a smoothed ReLU through 0."""


@dataclass(frozen=True, slots=True)
class OneBiased:
    """A biased unit with a smoothed ReLU of slope 1/2 at 0, R = d = m = 1, x = 1, y = 0."""

    mid: Activation = _SMOOTHED
    post: Activation = identity_activation
    x: int = 1
    y: int = 0

    def loss(self, w1: Fraction, b: Fraction, w2: Fraction) -> Fraction:
        """L(w_1, b, w_2), written out."""
        u = w1 * self.x + b
        return (self.x + w2 * (u / 2 + u * u / 4) - self.y) ** 2 / 2

    def __str__(self) -> str:
        return "h + w2 sigma(w1 h + b), sigma(t) = t/2 + t^2/4 near 0, R = d = m = 1, x = 1, y = 0"


_ONE_BIASED = OneBiased()


def _biased_nullity(_: Context) -> Computed:
    """The dimension of the kernel of the exact Hessian."""
    hessian = dense(ResidualUnit(biased(_ONE_BIASED.mid)), 1, Instance([[1]], [[0]]))
    return Computed(
        len(hessian) - rank(hessian),
        Scope.of("R=d=m=1"),
        r"H = \tfrac12 \begin{pmatrix} 0 & 0 & 1 \\ 0 & 0 & 1 \\ 1 & 1 & 0 \end{pmatrix}",
    )


_BIASED_RAYS = ((1, -1, 0), (1, 0, 0), (0, 1, 1))
_RUN = "as it runs"
_CONSTANT = {_RUN: True, **dict(zip(_BIASED_RAYS, (True, False, False), strict=True))}


def _constant_along(_: Context) -> Computed:
    """Whether the loss stays constant along some rays (w_1, b, w_2), from several values of w_2, and is the network's."""
    loss, points = _ONE_BIASED.loss, [Fraction(k, 3) for k in (-2, -1, 1, 2)]

    def constant(*ray: int) -> bool:
        return all(
            loss(t * ray[0], t * ray[1], s + t * ray[2]) == loss(_ZERO, _ZERO, s) for t in points for s in points
        )

    runs = as_it_runs(loss, biased(_ONE_BIASED.mid), _ONE_BIASED.x, _ONE_BIASED.y)
    return Computed({_RUN: runs} | {ray: constant(*ray) for ray in _BIASED_RAYS}, Scope.of("R=d=m=1"))


def _augmented_images(_: Context) -> Computed:
    """H along W_1 = a v^T, b = beta a, and along W_2 = u a^T: the pairing with the core [M, rbar]."""
    inner = {"W1": dyad("a", "v"), "b": tensor(Opaque("a", ("d",)), (ROW,))}
    outer = {"W2": dyad("u", "a")}
    found = images(_BIASED, squared, {"W2": inner, "W1": outer, "b": outer})
    shown = r"H\,(a v^{\mathsf T}, a, u a^{\mathsf T}) = k\left(a\,(M^{\mathsf T} u)^{\mathsf T},\ (\bar r^{\mathsf T} u)\, a,\ (M v + \bar r)\, a^{\mathsf T}\right)"
    return Computed(found, sizes.of_unit(_BIASED), shown)


_K = "m^-1 * mid'(0)"
_AUGMENTED = {
    "W2": f"{_K} * g[i,w] * X[k,w] * v[k] * a[j] + {_K} * g[i,w] * a[j]",
    "W1": f"{_K} * a[i] * g[k,w] * u[k] * X[j,w]",
    "b": f"{_K} * a[i] * g[k,w] * u[k]",
}


def _pairs_layers(form: Sum) -> bool:
    """Whether every term has one factor W2 and one of another weight: H is a matrix and its transpose."""
    moved = ([t.weight == "W2" for t, _ in factors if isinstance(t, Perturbation)] for _, factors in form)
    return {tuple(sorted(one)) for one in moved} == {(False, True)}


CORE = Citation(
    "svd",
    {
        r"$H$ pairs $W_2$ with $(W_1, b)$ by the matrix $[M, \bar r]$": Condition(
            _pairs_layers,
            lambda: thaw(hessian_form(_BIASED, squared).diagonal),
            lambda: thaw(hessian_form(generic_unit(1), squared).diagonal),
        )
    },
)


def _spectra(slope: int = 3) -> dict[int, dict[Fraction, int]]:
    unit = ResidualUnit(biased(polynomial(0, slope, 1)))
    return {units: exact_spectrum(unit, units, biased_instance()) or {} for units in (1, 2)}


_SPECTRA_SIZES = Scope.of("R=1, d=2, m=3", "R=2, d=2, m=3")


def _biased_spectra(_: Context) -> Computed:
    return Computed(_spectra(), _SPECTRA_SIZES)


def _biased_claim(units: int, nonzero: int = 2, slope: int = 3) -> dict[Fraction, int]:
    """+- slope sigma_i each R d times, zero R d times, sigma = (2, 1/3)."""
    values = [sign * slope * s for s in (Fraction(2), Fraction(1, 3)) for sign in (1, -1)]
    return dict(sorted({**dict.fromkeys(values, units * nonzero), _ZERO: 2 * units}.items()))


def _with_fixed_bias(value: int) -> Expression:
    """The unit of Equation 3 with the bias a constant."""
    h, w1, w2 = Input("d"), Weight("d", "d"), Weight("d", "d")
    return h + w2 @ polynomial(0, 1, 1)(w1 @ h + value)


def _with_any_bias(_: Context) -> Computed:
    """The part of degree one of the loss where every unit has the bias b, in the changes of W1 and W2."""
    h, w1, w2, bias = Input("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", initial=normal(1), name="b")
    unit = ResidualUnit(h + w2 @ MID(w1 @ h + bias))
    linear = loss_series(unit, squared, 2, 1)[-1]
    return Computed(show(linear), sizes.of_unit(unit), r"\nabla_{W_2} L(0) = \bar r\, \sigma(b)^{\mathsf T}")


_RBAR_SIGMA = " + ".join(f"m^-1 * dW2({r})[a,b] * g[a,c] * mid(b[i])[b]" for r in (1, 2))


def _without_bias(_: Context) -> Computed:
    """Whether the biased unit is the 2-shortcut one, whatever its weights, where b = 0 and where b is any vector."""
    plain = ResidualUnit(n_shortcut(2, identity_activation, MID))
    rest = unit_series(plain, series([data(plain)], 0), perturbed=(), opaque=("W1", "W2"))
    start = series([data(_BIASED)], 0)
    found = {
        name: unit_series(_BIASED, start, perturbed=(), opaque=opaque) == rest
        for name, opaque in {"b = 0": ("W1", "W2"), "any b": ("W1", "b", "W2")}.items()
    }
    return Computed(found, sizes.of_unit(_BIASED) & sizes.of_unit(plain))


_NO_BIAS = {"b = 0": True, "any b": False}


def _zeros_at(_: Context) -> Computed:
    """The share of zeros among the eigenvalues of the exact Hessians, by the slope of mid and R."""
    found = {
        (slope, units): Fraction(one[_ZERO], sum(one.values()))
        for slope in (3, 0)
        for units, one in _spectra(slope).items()
    }
    return Computed(found, _SPECTRA_SIZES)


_SHARES = {(3, 1): Fraction(1, 5), (3, 2): Fraction(1, 5), (0, 1): Fraction(1), (0, 2): Fraction(1)}


def _beyond_the_zeros(_: Context) -> Computed:
    """A tenth of the number of eigenvalues less the number of zeros, ten times that, at d = 5 + k and at d = 4."""
    units, more = sympy.symbols("R k", nonnegative=True)
    everything, zeros = [lambda d: units * (2 * d**2 + d), lambda d: units * d]
    at = {"d = 5 + k": 5 + more, "d = 4": sympy.Integer(4)}
    parts = {name: (everything(d), 10 * zeros(d)) for name, d in at.items()}
    found = {name: sympy.expand(total - null) for name, (total, null) in parts.items()}
    return Computed(found, of_symbols({"R": units, "d": more}, *parts["d = 5 + k"]))


def _positive_from(found: Mapping[str, sympy.Expr], least: int) -> None:
    """Pass when all coefficients are positive, from d = 5 on or already at d = 4.

    Raises:
        Disagreement: one is not.
    """
    for name in ("d = 5 + k", "d = 4")[: 6 - least]:
        signs = {c > 0 for c in sympy.Poly(found[name]).coeffs() if c}
        if signs != {True}:
            raise Disagreement(f"{name}: 10 times a tenth of the eigenvalues less the zeros is {found[name]}")


def _fixed_biases(_: Context) -> Computed:
    found = {b: explicit_order(Network(ResidualUnit(_with_fixed_bias(b)), 2), {"d": 1}, up_to=3).order for b in (0, 1)}
    return Computed(found, Scope.of(*(f"b = {b}: R=2, d=m=1" for b in found)))


FIXED_BIAS = Argument(
    "The linear part of the loss of two units with any fixed bias",
    "index notation",
    _with_any_bias,
    _RBAR_SIGMA,
    {"it vanishes": "0", "it needs the data": _RBAR_SIGMA.replace("g[a,c] *", "X[b,c] * g[a,c] *")},
    explanation=r"$b$ is any vector: the gradient is $\bar r \sigma(b)^{\mathsf T}$ in $W_2$ and zero in $W_1$.",
)

_SMOOTH_RELU = Sense(
    r"$\sigma$",
    "a smooth function with value 0 at 0 in place of ReLU, with which there is no Hessian at zero (DR-ReLU)",
    "one may do a local polynomial approximation",
    "after Assumption 3",
)

_FORM_CLAUSE = Clause(
    r"The Hessian of units $h + W_2 \sigma(W_1 h + b)$ at zero has the form of Theorem 2.2: block diagonal over units, "
    r"with blocks $\begin{pmatrix}0 & A^{\mathsf T} \\ A & 0\end{pmatrix}$, $A$ of size $d^2 \times (d^2 + d)$.",
    {"R": 1, "d": 1, "m": 1},
    hessian_arguments(
        _BIASED,
        _FORM,
        {
            "the bias does not enter": Claim(_FORM.diagonal.split(" + ")[0]),
            "the bias counts twice": Claim(_FORM.diagonal.replace(" + m^-1", " + 2 * m^-1")),
            "units interact": Claim(_FORM.diagonal, "m^-1 * mid'(0) * g[i,u] * dW2(2)[i,a] * db(1)[a]"),
        },
        (size(1, d=1), size(2, d=2), size(1, 2, d=2)),
    ),
    reading=_SMOOTH_RELU,
)

_EQUATION_9 = Clause(
    r"Its condition number is that of Equation 9, $\sigma_{\max}(M) / \sigma_{\min}(M)$.",
    {"R": 1, "d": 1, "m": 1},
    hypotheses=(
        Hypothesis(
            r"$\sigma'(0) \ne 0$",
            lambda one: one.mid.taylor(1).rational != 0,
            fails_on=replace(_ONE_BIASED, mid=polynomial(0, 0, 1)),
            quote="Except for degenerate cases",
            where="Theorem 2.2",
        ),
        Hypothesis(
            "$M = (x - y) x$ nonsingular",
            lambda one: (one.x - one.y) * one.x != 0,
            fails_on=replace(_ONE_BIASED, y=_ONE_BIASED.x),
            quote="Except for degenerate cases",
            where="Theorem 2.2",
        ),
    ),
    counterexample=Counterexample(
        instance=_ONE_BIASED,
        sentence="$M = 1$, so that Equation 9 gives 1. But $W_1$ and $b$ enter only through $W_1 h + b$: $H$ has the kernel "
        "vector (1, -1, 0).",
        latex=r"L = \tfrac12 \left(1 + w_2\, \sigma(w_1 + b)\right)^2, \qquad H\,(1, -1, 0)^{\mathsf T} = 0",
        picture=lambda one: flat_direction(one.loss),
        routes=(
            Argument(
                "The exact rank of the Hessian", "explicit", _biased_nullity, 1, {PRINTED: 0, "two null directions": 2}
            ),
            Argument(
                "The loss itself is constant along (1, -1, 0)",
                "instance",
                _constant_along,
                _CONSTANT,
                {
                    PRINTED: {**_CONSTANT, (1, -1, 0): False},
                    "the loss of another network": {**_CONSTANT, _RUN: False},
                    "constant along $w_1$ alone": {**_CONSTANT, (1, 0, 0): True},
                    "constant along $b$ and $w_2$ together, as it is where $w_2$ changes its sign": {
                        **_CONSTANT,
                        (0, 1, 1): True,
                    },
                },
            ),
        ),
    ),
)

_CONDITION_CLAUSE = Clause(
    r"Its condition number is depth-invariant: at every $R$ the eigenvalues are $\pm \sigma'(0) \sigma_i([M, \bar r])$, "
    r"each $R d$ times, and at least $R d$ zeros, $\bar r$ being the mean of $x - y$; so $\sigma_{\max}(H)$ does not "
    r"depend on $R$, $\sigma_{\min}(H) = 0$, and $\mathrm{cond}(H)$ is infinite unless $H = 0$.",
    {"R": 1, "d": 1, "m": 1},
    (
        Argument(
            r"The images of $(a v^{\mathsf T}, a, u a^{\mathsf T})$: the core is $[M, \bar r]$",
            "index notation",
            _augmented_images,
            _AUGMENTED,
            {
                r"without $\bar r$": {**_AUGMENTED, "W2": _AUGMENTED["W2"].split(" + ")[0]},
                "$M$ transposed": {**_AUGMENTED, "W1": f"{_K} * a[i] * X[k,w] * u[k] * g[j,w]"},
            },
            same_images(_BIASED, squared),
            explanation=r"With $(v; \beta)$ a right and $u$ a left singular vector of $[M, \bar r]$ the vectors "
            r"$(a v^{\mathsf T}, \beta a, \pm u a^{\mathsf T})$ are eigenvectors, for any $a$: $d$ values of $i$ and $d$ "
            "of $a$, both signs, in each unit. That is $2 d^2$ of $2 d^2 + d$ dimensions; the other $d$ are null.",
        ),
        CORE,
        Argument(
            "Exact spectra with zeros",
            "explicit",
            _biased_spectra,
            {units: _biased_claim(units) for units in (1, 2)},
            {
                "no zeros": {units: {v: k for v, k in _biased_claim(units).items() if v} for units in (1, 2)},
                "multiplicity $R$": {units: _biased_claim(units, nonzero=1) for units in (1, 2)},
                "zeros at any depth $d$": {units: {**_biased_claim(units), _ZERO: 2} for units in (1, 2)},
                "without the slope": {units: _biased_claim(units, slope=1) for units in (1, 2)},
            },
        ),
    ),
    reading=_SMOOTH_RELU,
    other_readings=(
        _EQUATION_9,
        Clause(
            r"Its condition number as in the experiments, $\lvert\lambda\rvert_{\max} / \lvert\lambda\rvert_{0.1}$, is "
            r"finite where $\sigma'(0) \ne 0$ and $[M, \bar r]$ has rank $d$, from $d = 5$ on (there $d = 10$): one "
            "eigenvalue in $2 d + 1$ is zero.",
            {"R": 1, "d": 5},
            (
                Argument(
                    "A tenth of the eigenvalues is more than the zeros",
                    "inequality",
                    _beyond_the_zeros,
                    5,
                    {"from $d = 4$ on": 4},
                    _positive_from,
                    explanation="There are $R (2 d^2 + d)$ eigenvalues and $R d$ zeros.",
                ),
                Argument(
                    "The share of zeros in exact spectra",
                    "explicit",
                    _zeros_at,
                    _SHARES,
                    {
                        "one in $2 d$": {**_SHARES, (3, 1): Fraction(1, 4), (3, 2): Fraction(1, 4)},
                        "it falls": {**_SHARES, (3, 2): Fraction(1, 10)},
                        r"whatever $\sigma'(0)$ is": dict.fromkeys(_SHARES, Fraction(1, 5)),
                    },
                ),
            ),
        ),
    ),
)

_FIXED_CLAUSE = Clause(
    r"With $b$ fixed at 0 the unit is that of Theorem 2.2; fixed at $b \ne 0$ with $\sigma(b) \ne 0$ zero is no "
    r"stationary point unless $\bar r = 0$.",
    {"R": 1, "d": 1, "m": 1},
    (
        Argument(
            "The biased unit with $b = 0$, as a function of its input and weights",
            "index notation",
            _without_bias,
            _NO_BIAS,
            {"for no $b$": dict.fromkeys(_NO_BIAS, False), "for every $b$": dict.fromkeys(_NO_BIAS, True)},
        ),
        FIXED_BIAS,
        Argument(
            "The order with the bias fixed at 0 and at 1",
            "explicit",
            _fixed_biases,
            {0: 1, 1: 0},
            {"any fixed bias": {0: 1, 1: 1}},
        ),
    ),
    ours=True,
)

EQ3 = Statement(
    id="DR-Eq3",
    title=r"Units with biases: the Hessian has the block form of Theorem 2 with $[M, \bar r]$ in place of $M$; its condition "
    "number is infinite at every depth, unless $H = 0$",
    source=source(
        "A",
        "after Equation 3",
        "its Hessian still follow the form of Theorem 2, thus its condition number is still depth-invariant",
    ),
    latex=r"\operatorname{eigs}(H) \setminus \{0\} = \pm \sigma'(0)\, \sigma_i\!\left([M, \bar r]\right), \text{ each } R d \text{ times}, "
    r"\qquad \dim\ker H \ge R d",
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-T2.2", "DR-T2.2e", "GEN-1", "GEN-2"),
    clauses=(_FORM_CLAUSE, _CONDITION_CLAUSE, _FIXED_CLAUSE),
    notes="An infinite condition number at every depth is depth-invariant, though it is not Equation 9. What trained biases "
    r"change is said by $[M, \bar r]$ in place of $M$.",
)

STATEMENTS = (RELU, EQ3)
