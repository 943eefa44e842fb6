"""Networks as rough as the hypotheses of Theorem 2 allow, and networks that lack one of them, exactly (`germs`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product

from resproof.proofs.demystifying_resnet.few_derivatives import SEVERAL
from resproof.proofs.demystifying_resnet.germs import (
    IDENTITY,
    Curve,
    Germ,
    RoughNetwork,
    curve,
    plus,
    rough,
    smooth,
    times,
)
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import PRINTED, Argument, Computed, Context
from resproof.symbolic.algebra.matrices import dot
from resproof.symbolic.scope import Scope

# Explicit networks whose activations are as rough as the hypotheses allow, along rays.

_WEIGHTS: dict[int, tuple[int, ...]] = {
    1: (2, -1, 1, 3, -1, 2, 1, 1),
    2: (1, 2, -1, 1, 2, 0, 1, -1, 1, 1, 0, 2, -1, 1, 3, 1),
}
_WEIGHTS[3] = (*_WEIGHTS[2][:8], 1, -2, 1, 1, *_WEIGHTS[2][8:], 2, 1, -1, 1)
"""Two units, d = 2, by unit, layer, row, column."""
ROUGH = {
    1: RoughNetwork(
        1,
        x=(1, 2),
        y=(0, 5),
        pre=(rough(3, {1: 2, 2: 1}, {1: -2, 2: -1}), rough(-1, {1: 1, Fraction(3, 1): 1}, {1: -1, 2: 4})),
        post=rough(0, {1: 2, 2: 3, 3: 1}, {1: -2, 2: 3, 3: 5}),
    ),
    **{
        n: RoughNetwork(
            n,
            x=(1, 2),
            y=(0, 5),
            pre=(rough(3, {1: 1}, {1: 1}), rough(-1, {1: 2}, {})),
            mid=rough(0, {1: 3, 2: 1}, {1: -3, 2: 5}),
            post=rough(0, {1: 2, 2: -1}, {1: -2, 2: 1}),
        )
        for n in (2, 3)
    },
}
"""pre is differentiable once at the data for n = 1, continuous alone for n >= 2; post twice for n = 1, else mid and post once."""


@cache
def _ray(depth: int, sign: int) -> Curve:
    """The part of the loss up to degree max(n, 2) along a ray or its opposite."""
    loss = ROUGH[depth].along(*(sign * v for v in _WEIGHTS[depth]))
    return curve({e: c for e, c in loss.items() if 0 < e <= max(depth, 2)})


def _along_rays(_: Context) -> Computed:
    found = {(n, sign): _ray(n, sign) for n in ROUGH for sign in (1, -1)}
    return Computed(found, Scope.of(*(f"n={n}, R=2, d=2, m=1" for n in ROUGH)))


def _times(matrix: list[list[Fraction]], vector: list[Fraction]) -> list[Fraction]:
    return [dot(row, vector) for row in matrix]


def _ray_claim(*, between: int = 1, within: int = 1) -> dict[tuple[int, int], Curve]:
    """The forms of Theorem 2 by plain matrix products: g = (1, -3), p = (3, -1), p' = (2, 1), slopes 3 and 2, post'' = 6."""
    g, p, dp = ([Fraction(v) for v in one] for one in ((1, -3), (3, -1), (2, 1)))
    found = {}
    for n, numbers in _WEIGHTS.items():
        matrices = [
            [[Fraction(v) for v in numbers[k + 2 * i : k + 2 * i + 2]] for i in (0, 1)] for k in range(0, 8 * n, 4)
        ]
        units = [matrices[:n], matrices[n:]]
        images = [reduce(lambda u, m: _times(m, u), unit, p) for unit in units]
        for sign in (1, -1):
            linear = sum(2 * 3 ** (n - 1) * dot(g, image) for image in images) * sign**n
            form = Fraction(0)
            if n == 1:
                form = within * sum(2 * dot(q, q) + 3 * dot(g, [v * v for v in q]) for q in images)
                moved = [a * b for a, b in zip(dp, images[0], strict=True)]
                form += between * 4 * (dot(images[1], images[0]) + dot(g, _times(units[1][0], moved)))
            found[n, sign] = curve({n: linear, 2: form}) if n != 2 else curve({2: linear})
    return found


ROUGH_NETWORKS = Argument(
    "Networks as rough as allowed, along rays",
    "explicit",
    _along_rays,
    _ray_claim(),
    {
        "units do not interact": _ray_claim(between=0),
        "$B$ twice as large": _ray_claim(within=2),
        "even in the weights": {**_ray_claim(), (3, -1): _ray_claim()[3, 1]},
    },
    explanation="$n = 1$: pre once, post twice differentiable; $n = 2$, 3: pre continuous, mid and post once differentiable.",
)

_ANYHOW = {
    n: replace(ROUGH[n], pre=(rough(3, {-2: 1}, {0: 2}), rough(-1, {0: 1}, {-1: 4}))) if n > 1 else ROUGH[n]
    for n in ROUGH
}
"""For n >= 2 pre is not even bounded near the data."""
_FAR = 50
"""Weights t and t^50: what both of them enter once is the coefficient of t^51."""


@cache
def _mixed_coefficients(depth: int) -> Mapping[tuple[int, int], Fraction]:
    """The coefficients of v w in the loss of two units for every two weights v, w, the others being zero."""
    network = _ANYHOW[depth]
    count, found = 8 * depth, {}
    for first in range(count):
        for second in range(first):
            numbers: list[Curve] = [{}] * count
            numbers[first], numbers[second] = curve({1: 1}), curve({_FAR: 1})
            value = network.loss(network.placed(numbers)).get(Fraction(_FAR + 1), Fraction(0))
            if value:
                found[first, second] = value
    return found


def _pairs_of_weights(_: Context) -> Computed:
    found = {n: _mixed_coefficients(n) for n in _ANYHOW}
    return Computed(found, Scope.of(*(f"n={n}, R=2, d=2, m=1" for n in _ANYHOW)))


def _entries(*, crossing: int = 1, slope: int = 1) -> dict[int, dict[tuple[int, int], Fraction]]:
    """A and B of Theorem 2 entry by entry, with the numbers of `_ray_claim`; the place of a weight is 8 n r + 4 l + 2 i + j."""
    g, p, dp = (1, -3), (3, -1), (2, 1)
    one: dict[tuple[int, int], int] = {}
    for i, j, k, q in product((0, 1), repeat=4):
        later, earlier = 2 * i + j, 2 * k + q
        same_row = 4 * p[j] * p[q] * (i == k)
        one[4 + later, earlier] = crossing * (same_row + slope * 4 * (j == k) * dp[j] * g[i] * p[q])
        if later > earlier:
            within = same_row + 6 * g[i] * p[j] * p[q] * (i == k)
            one[later, earlier] = one[4 + later, 4 + earlier] = within
    two = {
        (8 * r + 4 + 2 * i + a, 8 * r + 2 * a + j): 6 * g[i] * p[j]
        for r in (0, 1)
        for i, a, j in product((0, 1), repeat=3)
    }
    return {n: {k: Fraction(v) for k, v in found.items() if v} for n, found in {1: one, 2: two, 3: {}}.items()}


PAIRS_OF_WEIGHTS = Argument(
    "Networks as rough as allowed, two weights at a time",
    "explicit",
    _pairs_of_weights,
    _entries(),
    {
        "units do not interact": _entries(crossing=0),
        "without the slope of pre": _entries(slope=0),
        "the Hessian survives for $n = 3$": {**_entries(), 3: _entries()[2]},
    },
    explanation="$n = 1$: pre once, post twice differentiable; $n = 2$, 3: pre unbounded near the data, mid and post once "
    "differentiable.",
)


# Without a hypothesis.

POLE = RoughNetwork(2, pre=(rough(1, {0: -1, -2: 1}, {0: -1, -2: 1}),), pre_at_zero=smooth(1, 2, 3))
"""pre(t) = (t - 1)^-2 off 1 and pre(1) = 1, at x = 1: all its derivatives at 0 exist."""
STEP = RoughNetwork(2, pre=(rough(1, {0: 1}, {}),), pre_at_zero=smooth(1))
"""pre(t) = 1 + [t > 1] at x = 1."""
KINK = RoughNetwork(1, pre=(rough(1, {1: 1}, {}),), pre_at_zero=smooth(1))
"""pre(t) = max(1, t) at x = 1."""
BENT_POST = RoughNetwork(1, post=rough(0, {1: 1, 2: 1}, {1: -1, 2: -1}))
"""post(t) = t + t |t|."""
ROOT_MID = RoughNetwork(3, mid=rough(0, {Fraction(1, 2): 1}, {Fraction(1, 2): -1}))
"""mid(t) = sign(t) sqrt|t|."""
ROOT_POST = RoughNetwork(2, post=ROOT_MID.mid)
KINKED_MID = RoughNetwork(2, mid=rough(0, {1: 1}, {}))
"""mid = ReLU."""
KINKED_POST = RoughNetwork(2, post=rough(0, {1: 2}, {}))
"""post(t) = t + |t|."""
OFFSET_MID = RoughNetwork(2, mid=smooth(1, 1))
OFFSET_POST = RoughNetwork(2, pre=(smooth(1, 2, 1),), post=smooth(1, 1), pre_at_zero=smooth(0, 0, 1))
"""pre(t) = t^2 at x = 1, post(t) = 1 + t."""


@dataclass(frozen=True, slots=True)
class ShiftedNetwork:
    """A 2-shortcut network, d = m = 1, y = 0, with post(0) = p_0: unit r meets the data at x + (r-1) p_0.

    pre is given near these points, one for each unit; mid and post near 0.
    """

    pre: tuple[Germ, ...]
    post: Germ
    mid: Germ = IDENTITY
    x: int = 1

    def along(self, *direction: int) -> Curve:
        """The loss at t times a direction, the weights in the order unit, layer."""
        deviation: Curve = {}
        for pre, first, second in zip(self.pre, direction[::2], direction[1::2], strict=True):
            u = self.mid.at(times(curve({1: first}), pre.at(deviation)))
            added = self.post.at(times(curve({1: second}), u))
            deviation = plus(deviation, added, curve({0: -self.post.value}))
        output = plus(curve({0: self.x + len(self.pre) * self.post.value}), deviation)
        return times(curve({0: Fraction(1, 2)}), times(output, output))

    def __str__(self) -> str:
        return f"n = 2, R = {len(self.pre)}, d = m = 1, x = {self.x}, y = 0, p_0 = {self.post.value}"


def _instance(
    title: str,
    compute: Callable[[], object],
    at: str,
    claim: object,
    printed: object,
    **others: object,
) -> Argument:
    """What an instance without a hypothesis gives, and what the conclusion would have it give."""
    return Argument(
        title,
        "instance",
        lambda _: Computed(compute(), Scope.of(at)),
        claim,
        {PRINTED: printed, **{name.replace("_", " "): one for name, one in others.items()}},
        matches,
    )


def not_odd(title: str, network: RoughNetwork | ShiftedNetwork, order: int, value: Fraction) -> Argument:
    """The part of one order of the loss along (1, 1) and (1, -1), n = 2, R = d = m = 1: a polynomial's is odd in W_2."""
    return _instance(
        title,
        lambda: tuple(Fraction(network.along(1, s).get(order, 0)) for s in (1, -1)),
        "n=2, R=d=m=1, x=1, y=0",
        (value, Fraction(0)),
        property_of((Fraction(1), Fraction(-1)))(lambda found: found[0] == -found[1]),
        half_of_it=(value / 2, Fraction(0)),
    )


def _gains(network: RoughNetwork, direction: tuple[int, ...], below: int) -> Curve:
    """What the loss gains along a ray, less than t^below."""
    there, at_zero = network.along(*direction), network.along(*(0 for _ in direction))
    return {e: c for e, c in plus(there, times({0: -1}, at_zero)).items() if e < below}


def _gains_of_pole(power: int) -> dict[tuple[int, int], Curve]:
    """By n and the sign s of the first weight: 1/2 (1 + s t^n + s^2 t^n / t^(power n))^2 - 1/2, less than t^n."""
    return {
        (n, s): {-2 * (power - 1) * n: Fraction(1, 2), -(power - 1) * n: 1, -(power - 2) * n: s}
        for n in SEVERAL
        for s in (1, -1)
    }


NO_BOUND = _instance(
    r"$\mathrm{pre}(t) = (t - 1)^{-2}$ off 1, $\mathrm{pre}(1) = 1$, two units: along $(\pm t, t, \ldots, t)$ the loss tends "
    "to infinity",
    lambda: {(n, s): _gains(replace(POLE, n=n), (s, *(1,) * (2 * n - 1)), n) for n in SEVERAL for s in (1, -1)},
    "n=2..6, R=2, d=m=1",
    _gains_of_pole(2),
    property_of({(1, 1): {1: 1}, (2, 1): {2: 1}}, not_of=[{(1, 1): {1: 1}, (2, 1): {1: 1}}])(
        lambda found: all(min(one) >= n for (n, _), one in found.items())
    ),
    twice_as_fast=_gains_of_pole(4),
)


def _quadratic_form(network: RoughNetwork) -> dict[str, Fraction]:
    """The second-order part along (1, ..., 1), and what a quadratic form with its values on pairs of axes has there."""
    count = 2 * network.n
    axes = {k: network.second_order(*(int(i == k) for i in range(count))) for k in range(count)}
    pairs = {
        (k, q): network.second_order(*(int(i in (k, q)) for i in range(count))) for k in range(count) for q in range(k)
    }
    form = sum(pairs.values(), Fraction(0)) - (count - 2) * sum(axes.values(), Fraction(0))
    return {"loss": network.second_order(*(1,) * count), "form": form}


NOT_CONTINUOUS = _instance(
    r"$\mathrm{pre}(t) = 1 + [t > 1]$, $n = 2$, two units: the second-order part is no quadratic form",
    lambda: _quadratic_form(STEP),
    "n=2, R=2, d=m=1",
    {"loss": Fraction(3), "form": Fraction(2)},
    lambda found: found["loss"] == found["form"],
    without_the_jump={"loss": Fraction(2), "form": Fraction(2)},
)


def _both_ways(network: RoughNetwork, direction: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """The second-order part along a ray and its opposite."""
    forward, backward = (network.second_order(*(s * v for v in direction)) for s in (1, -1))
    return forward, backward


@property_of((2, 2), not_of=[(1, 2)])
def _equal(found: tuple[Fraction, Fraction]) -> bool:
    return found[0] == found[1]


NOT_DIFFERENTIABLE = _instance(
    r"$\mathrm{pre}(t) = \max(1, t)$, $n = 1$, two units: the second-order part differs along opposite rays",
    lambda: _both_ways(KINK, (1, 1)),
    "n=1, R=2, d=m=1",
    (Fraction(3), Fraction(2)),
    _equal,
    exchanged=(Fraction(2), Fraction(3)),
)


def _mixed(sign: int) -> Fraction:
    """The derivative in the later weight at zero, then the one-sided one in the earlier: the coefficient of a b."""
    loss = KINK.loss(KINK.placed([curve({1: sign}), curve({9: 1})]))
    return Fraction(sign * loss.get(10, 0))


NO_MIXED_DERIVATIVE = _instance(
    r"$\mathrm{pre}(t) = \max(1, t)$, $n = 1$, two units: the mixed difference quotients from the two sides",
    lambda: (_mixed(1), _mixed(-1)),
    "n=1, R=2, d=m=1",
    (Fraction(2), Fraction(1)),
    _equal,
    exchanged=(Fraction(1), Fraction(2)),
)
NOT_TWICE = _instance(
    r"$\mathrm{post}(t) = t + t\lvert t\rvert$, $n = 1$, one unit: the second-order part differs along opposite rays",
    lambda: _both_ways(BENT_POST, (1,)),
    "n=1, R=1, d=m=1",
    (Fraction(3, 2), Fraction(-1, 2)),
    _equal,
    without_the_bend=(Fraction(1, 2), Fraction(1, 2)),
)
NOT_LIPSCHITZ = _instance(
    r"$\mathrm{mid}(t) = \mathrm{sign}(t) \sqrt{\lvert t\rvert}$, $n = 3$, and post such, $n = 2$: the power of $t$ "
    r"along $(t, \ldots, t)$",
    lambda: (*_gains(ROOT_MID, (1, 1, 1), 3), *_gains(ROOT_POST, (1, 1), 2)),
    "n=3 and n=2, R=1, d=m=1",
    (Fraction(7, 4), Fraction(1)),
    property_of((3, 2), not_of=[(2, 2), (3, 1)])(lambda found: found[0] > 2 and found[1] > 1),
    order_n=(Fraction(3), Fraction(2)),
)
NO_SLOPE = _instance(
    r"mid = ReLU, and $\mathrm{post}(t) = t + \lvert t\rvert$, $n = 2$, one unit: the second-order part along (1, 1) and "
    "(1, -1)",
    lambda: {
        "mid": (*_both_ways(KINKED_MID, (1, 1)), *_both_ways(KINKED_MID, (1, -1))),
        "post": (*_both_ways(KINKED_POST, (1, 1)), *_both_ways(KINKED_POST, (1, -1))),
    },
    "n=2, R=1, d=m=1",
    {"mid": tuple(map(Fraction, (1, 0, -1, 0))), "post": tuple(map(Fraction, (2, 2, 0, 0)))},
    property_of(
        {"mid": (1, 1, -1, -1), "post": (0, 1, 0, 0)}, not_of=[{"mid": (1, 1, -1, 1)}, {"mid": (1, 2, -1, -1)}]
    )(lambda found: any(q[0] == q[1] == -q[2] == -q[3] for q in found.values())),
    as_for_t={"mid": tuple(map(Fraction, (1, 1, -1, -1))), "post": tuple(map(Fraction, (2, 2, -2, -2)))},
)
NOT_FLAT = _instance(
    r"$\mathrm{mid}(0) = 1$, $n = 2$: a part of degree one; $\mathrm{post}(0) = 1$, $n = 2$, two units: their forms differ",
    lambda: (
        _gains(OFFSET_MID, (0, 1), 2),
        OFFSET_POST.second_order(1, 1, 0, 0),
        OFFSET_POST.second_order(0, 0, 1, 1),
    ),
    "n=2, R=1 and R=2, d=m=1",
    ({Fraction(1): Fraction(1)}, Fraction(3), Fraction(12)),
    property_of(({}, 3, 3), not_of=[({1: 1}, 3, 3)])(lambda found: not found[0] and found[1] == found[2]),
    equal_forms=({Fraction(1): Fraction(1)}, Fraction(12), Fraction(12)),
)


CORNER = RoughNetwork(2, pre=(rough(1, {1: 1}, {1: 1}),), pre_at_zero=smooth(2, -1))
"""pre(t) = 1 + |t - 1| at x = 1: continuous there."""


def _one_sided_slopes(s: Fraction) -> tuple[Fraction, Fraction]:
    """The slopes of the loss in w_2 of the first unit, for w_2 > 0 and < 0, at w_1 = s, w_2 = 0 and s, s in the second."""
    fixed = curve({0: s})
    right, left = (CORNER.loss(CORNER.placed([fixed, curve({1: sign}), fixed, fixed])) for sign in (1, -1))
    return Fraction(right.get(1, 0)), -Fraction(left.get(1, 0))


def _second_difference(s: Fraction) -> Fraction:
    """The limit of (L(w_2) + L(-w_2) - 2 L(0)) / w_2 there as w_2 falls to 0, from the loss written out.

    The quotient is linear in w_2 > 0, as the loss is quadratic on each side.
    """

    def loss(w: Fraction) -> Fraction:
        return (1 + w * s + s * s * (1 + abs(w * s))) ** 2 / 2

    def quotient(w: Fraction) -> Fraction:
        return (loss(w) + loss(-w) - 2 * loss(Fraction(0))) / w

    return 2 * quotient(s) - quotient(2 * s)


_NEAR_ZERO = tuple(Fraction(1, 2**k) for k in range(1, 6))
NO_GRADIENT_NEARBY = _instance(
    "The slopes of the loss on the two sides of points that tend to zero",
    lambda: {s: _one_sided_slopes(s) for s in _NEAR_ZERO},
    "n=2, R=2, d=m=1, s = 1/2, ..., 1/32",
    {s: ((1 + s**2) * (s + s**3), (1 + s**2) * (s - s**3)) for s in _NEAR_ZERO},
    property_of({1: (1, 1), 2: (2, 2)}, not_of=[{1: (1, 1), 2: (1, 2)}])(
        lambda found: all(map(_equal, found.values()))
    ),
    without_the_kink={s: ((1 + s**2) * s,) * 2 for s in _NEAR_ZERO},
)
NO_VANISHING_DIFFERENCE = _instance(
    "The limit of second differences over the step, from the loss written out",
    lambda: {s: _second_difference(s) for s in _NEAR_ZERO},
    "n=2, R=2, d=m=1, s = 1/2, ..., 1/32",
    {s: 2 * s**3 * (1 + s**2) for s in _NEAR_ZERO},
    property_of({1: 0, 2: 0}, not_of=[{1: 0, 2: 1}])(lambda found: not any(found.values())),
    half={s: s**3 * (1 + s**2) for s in _NEAR_ZERO},
)
