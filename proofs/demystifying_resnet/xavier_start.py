"""Plain linear networks at Gaussian weights: the condition number of the Hessian grows exponentially with depth.

Letters as in `proofs.demystifying_resnet.plain_hessian`, l = L - 1: N = E B^T with B = W_{L-2} ... W_1 and E = W_all S - T, so
that cond(H) >= cond(N). With singular values sigma_1 >= ... >= sigma_d of N

    cond(N)^(d-1) |det N| >= sigma_1^d,    |det N| = |det E| |det B| <= |E|^d |det B|.

A rate is the limit of (1/L) log of a quantity. With Lyapunov exponents mu_1 = -a < 0 and mu_i = mu_1 - g_i the rates of |B|,
|B v| and |W_all| are -a, that of |det B| is -d a - G, G = sum g_i.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import sympy

from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.statement import PRINTED, Argument, Citation, Computed, Condition, Context, Disagreement, Induction
from resproof.proofs.theory.linear_networks import written_out
from resproof.symbolic.algebra.matrices import matrix, scale
from resproof.symbolic.algebra.noncommutative import Words, show, sizes
from resproof.symbolic.certificates import Element, NotCertified, Orthant, occurring, of_symbols, orthant, standing_for
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# Singular values.


@dataclass(frozen=True, slots=True)
class _Values:
    """sigma_1 >= ... >= sigma_d > 0, each the next one and something that is not negative."""

    region: Orthant
    descending: Sequence[Element]


def _ordered(_: Context) -> Computed:
    found = list[_Values]()
    for d in range(2, 7):
        region = orthant("s", " ".join(f"q{k}" for k in range(1, d)))
        ascending = [region["s"]]
        for k in range(1, d):
            ascending.append(ascending[-1] + region[f"q{k}"])
        found.append(_Values(region, ascending[::-1]))
    shown = r"\sigma_1 \cdots \sigma_d \ge \sigma_1 \sigma_d^{d-1}, \qquad \sigma_1 \cdots \sigma_d \le \sigma_1^d"
    return Computed(found, Scope.over(d=[len(one.descending) for one in found]), shown)


@certified
def _volume_between(found: Sequence[_Values], claim: tuple[int, int]) -> None:
    """s_1 s_d^(d-1) <= product <= s_1^d, with sigma numbered claim[0] from below and claim[1] from above."""
    for one in found:
        values, d = one.descending, len(one.descending)
        volume = reduce(lambda x, y: x * y, values)
        one.region.at_least_zero(f"d={d}, from below", volume - values[0] * values[-claim[0]] ** (d - 1))
        one.region.at_least_zero(f"d={d}, from above", values[claim[1] - 1] ** d - volume)


def _one_more_value(_: Context) -> Computed:
    """P >= s^k, a product of k values that are at least s, and one more value t >= s."""
    region = orthant("s power", "surplus q")
    value = (region["power"] + region["surplus"]) * (region["s"] + region["q"])
    return Computed((region, value), standing_for(occurring(value), {"power": "d"}))


@certified
def _keeps_the_bound(found: tuple[Orthant, Element], claim: Callable[[Orthant], Element]) -> None:
    region, value = found
    region.at_least_zero("one more value", value - claim(region))


VOLUME = Induction(
    "d",
    Argument(
        "The product of the singular values between powers of the least and the greatest, $d = 2..6$",
        "inequality",
        _ordered,
        (1, 1),
        {"the least but one": (2, 1), "the second in place of the first": (1, 2)},
        _volume_between,
        explanation=r"So $\mathrm{cond}(N)^{d-1} \lvert\det N\rvert \ge \sigma_1^d$, and $\lvert\det E\rvert \le \lvert E\rvert^d$.",
    ),
    Argument(
        "One more singular value",
        "inequality",
        _one_more_value,
        lambda one: one["power"] * one["s"],
        {
            "twice the least one": lambda one: 2 * one["power"] * one["s"],
            "the new one, with room": lambda one: 2 * one["power"] * (one["s"] + one["q"]),
        },
        _keeps_the_bound,
        explanation="The other bound is the same with the signs of the differences exchanged.",
    ),
)

# Rates.

_D, _A, _G = sympy.symbols("d a G", positive=True)


def _rates(_: Context) -> Computed:
    """The rate of (sigma_1^d / (|E|^d |det B|))^(1/(d-1)), and the margin by which sigma_1 is what it is taken for."""
    product, volume, bounded = -_A, -_D * _A - _G, sympy.Integer(0)
    # sigma_1 >= |B T^T y| - |B S W_all^T y|: the second term's rate is that of |B| |W_all|.
    first, second = product, 2 * product
    with_targets = (_D * first - _D * bounded - volume) / (_D - 1)
    # T = 0: N = W_all S B^T, sigma_1 >= |B s|^2 up to what two layers do, |E| <= |W_all| |S|.
    without = (_D * 2 * product - _D * product - volume) / (_D - 1)
    found = {"T != 0": sympy.cancel(with_targets), "T = 0": sympy.cancel(without), "margin": first - second}
    shown = r"\liminf \tfrac1L \log \operatorname{cond}(H_L) \ge \tfrac{1}{d-1} \sum_i (\mu_1 - \mu_i)"
    return Computed(found, of_symbols({"d": _D}, volume), shown)


def _same_rates(found: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if sympy.simplify(value - claim[name]) != 0:
            raise Disagreement(f"{name}: computed {value}; claimed {claim[name]}")


_RATES = {"T != 0": _G / (_D - 1), "T = 0": _G / (_D - 1), "margin": _A}

RATES = Argument(
    "The rate of the bound from those of its factors",
    "identity",
    _rates,
    _RATES,
    {
        "$G / d$": {**_RATES, "T != 0": _G / _D},
        "it depends on the scale of the weights": {**_RATES, "T != 0": (_G + _A) / (_D - 1)},
        "no growth without targets": {**_RATES, "T = 0": 0},
        "no margin": {**_RATES, "margin": 0},
    },
    _same_rates,
    explanation=r"For $T \ne 0$ take $y$ with $T^{\mathsf T} y \ne 0$: $\lvert N^{\mathsf T} y\rvert = \lvert B E^{\mathsf T} y\rvert "
    r"\ge \lvert B T^{\mathsf T} y\rvert - \lvert B\rvert \lvert S\rvert \lvert W_{\mathrm{all}}\rvert$, of rates $-a$ "
    r"and $-2a$, and $\lvert E\rvert$ tends to $\lvert T\rvert$. For $T = 0$ take an eigenvector $v$ of $S$ with "
    r"eigenvalue $\lambda > 0$: $\lvert B S B^{\mathsf T}\rvert \ge \lambda \lvert B v\rvert^2$ and "
    r"$\lvert N\rvert \ge \lvert B S B^{\mathsf T}\rvert / \lvert(W_L W_{L-1})^{-1}\rvert$. $G > 0$ and $a > 0$ by the "
    "two theorems cited.",
)


def _is_gaussian(unit: ResidualUnit) -> bool:
    """Whether the weights are different ones, all d x d, with entries drawn from N(0, 1/d)."""
    weights = list(unit.names)
    return all((one.shape, one.initial) == (("d", "d"), normal("1/d")) for one in weights)


_GAUSSIAN = Condition(
    _is_gaussian,
    lambda: written_out((1, 1, 1), shortcut="none"),
    lambda: ResidualUnit(Weight("d", "d", name="W2") @ Weight("d", "d", initial=normal("1/d"), name="W1") @ Input("d")),
)
PRODUCTS = Citation(
    "gaussian-products", {r"the layers are independent $d \times d$ matrices with entries $N(0, 1/d)$": _GAUSSIAN}
)


def _arguments(i: int) -> tuple[Orthant, Element, Element]:
    """d/2 and (d - i' + 1)/2 for i' = i + p, d = i' + q."""
    region = orthant("", "p q")
    width = region["p"] + region["q"] + i
    return region, width / 2, (width - region["p"] - i + 1) / 2


def _are_ordered(found: tuple[Orthant, Element, Element]) -> bool:
    """Whether the first is greater than the second for every p, q >= 0, and the second greater than zero."""
    region, larger, smaller = found
    try:
        for greater, less in pairwise((larger, smaller, 0 * smaller)):
            region.above_zero("the difference", greater - less)
    except NotCertified:
        return False
    return True


DIGAMMA = Citation(
    "digamma",
    {
        r"$d/2 > (d - i + 1)/2 > 0$ for $i = 2, \ldots, d$": Condition(
            _are_ordered, lambda: _arguments(2), lambda: _arguments(1)
        )
    },
)
"""psi(d/2) > psi((d - i + 1)/2), so g_i > 0; and mu_1 = (psi(d/2) - log(d/2))/2 < 0."""

# Width one.


_SCALARS: Mapping[str, tuple[str, str]] = dict.fromkeys(("K", "E", "B", "w0", "w1", "w2"), ("1", "1"))


def _times(*factors: str) -> Words:
    """A product of 1 x 1 matrices, which commute: its letters in alphabetical order."""
    return {tuple(sorted(factors)): 1}


def _neighbours(_: Context) -> Computed:
    """N_l W_l W_(l+1) and N_(l+1) W_(l+1) W_(l+2) at d = 1, for layers w0, w1, w2 after B and before K."""
    first, second = ("K", "w2", "E", "B"), ("K", "E", "w0", "B")
    found = _times(*first, "w0", "w1"), _times(*second, "w1", "w2")
    return Computed(found, sizes(_SCALARS, *found, products={"K": "L", "B": "L"}), r"N_l W_l W_{l+1} = f'\!E")


def _are_alike(found: tuple[Words, Words], claim: tuple[str, str]) -> None:
    for value, stated in zip(found, claim, strict=True):
        if value != _times(*stated.split()):
            raise Disagreement(f"computed {show(value)}; claimed {stated}")


WIDTH_ONE = Argument(
    "Width one: $N_l W_l W_{l+1}$ does not depend on $l$",
    "identity",
    _neighbours,
    ("K w2 w1 w0 B E", "K w2 w1 w0 B E"),
    {
        "the next $N$ without $w_0$": ("K w2 w1 w0 B E", "K w2 w1 B E"),
        "$N_l$ does not depend on $l$": ("K w1 w0 B E", "K w2 w1 B E"),
    },
    _are_alike,
    explanation=r"Both are the product of all layers, times $E$. So $\mathrm{cond}(H) \ge \lvert N_l\rvert / \lvert N_k\rvert = "
    r"\lvert W_k W_{k+1}\rvert / \lvert W_l W_{l+1}\rvert$ for all $k$ and $l$.",
)

UNBOUNDED = Citation(
    "independent-extremes",
    {
        "the products of disjoint pairs of weights are independent, with normal factors of one variance, not 0": _GAUSSIAN
    },
)

# The exceptional set.


def _without_data(_: Context) -> Computed:
    """Whether the Hessian of two and three layers at some weights vanishes for X = 0."""
    found = dict[int, bool]()
    for length in (2, 3):
        weights = [[matrix([[1 + k, 2], [-1, 3 - k]])] for k in range(length)]
        hessian = hessian_at(weights, Instance([[0], [0]], [[1], [2]]))
        found[length] = hessian == scale(0, hessian)
    return Computed(found, Scope.of(*(f"L={length}, d=2, m=1, X=0" for length in found)))


NO_DATA = Argument(
    "Without data",
    "instance",
    _without_data,
    {2: True, 3: True},
    {PRINTED: {2: False, 3: False}},
    explanation="$H = 0$ has no condition number.",
)


SOME_DATA = nonzero_at(
    "$S$ is not the zero polynomial",
    {"u' S u": At("u' u v' v u' u", {"u' u": "", "v' v": ""})},
    {"v": ("m", "1"), "v'": ("1", "m"), "u": ("d", "1"), "u'": ("1", "d")},
    explanation="At $X = u v'$, up to the factor $1/m$.",
    shown=r"X = u v^{\mathsf T}, \quad u^{\mathsf T} X X^{\mathsf T} u = 1",
)
