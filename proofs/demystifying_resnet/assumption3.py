"""Demystifying ResNet, Assumption 3: which hypothesis each part of Theorem 2 needs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import isqrt

from resproof.architectures.activations import generic, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import ROW, SAMPLE, ActivationValue, IndexSum, Opaque, Tensor
from resproof.architectures.losses import generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.few_derivatives import words
from resproof.proofs.demystifying_resnet.germs import RoughNetwork, rough, smooth
from resproof.proofs.demystifying_resnet.lemmas import INDUCTION_STEP
from resproof.proofs.demystifying_resnet.rough_networks import KINKED_POST, OFFSET_MID, ShiftedNetwork, not_odd
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.hessians import explicit_entries, same_sum, size
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
    Statement,
)
from resproof.proofs.theory.generic_units import DEPTHS, FLAT_AT_ZERO, POST, PRE, generic_unit, over_depths
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show, vocabulary
from resproof.symbolic.index.lift import hessian_form, loss_series
from resproof.symbolic.index.remainders import STREAM, Known, KnownBranch, KnownLoss, main, rest, up_to, weights
from resproof.symbolic.index.remainders import sizes as remainder_sizes
from resproof.symbolic.index.series import Sum, add, scale, symbol, tensor
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance
from resproof.symbolic.written.explicit import stationary_order as explicit_order

# Which derivatives occur.


def _derivatives_used(_: Context) -> Computed:
    """Per shortcut depth: the derivatives of mid and post at zero, and of pre at the data, in D and in A."""
    found = {}
    for n in DEPTHS[:4]:
        form = hessian_form(generic_unit(n), generic_loss)
        found[n] = {"B": _used(form.diagonal), "A": _used(form.cross)}
    return Computed(found, over_depths(DEPTHS[:4]))


def _used(form: IndexSum) -> set[str]:
    symbols = {name for term in form.terms for name, _ in term.scalars if name.endswith("(0)")}
    return symbols | {t.label for term in form.terms for t, _ in term.factors if isinstance(t, ActivationValue)}


_USED = {
    1: {"B": {"post'(0)", "post''(0)", "pre(X)"}, "A": {"post'(0)", "pre(X)", "pre'(X)"}},
    2: {"B": {"mid'(0)", "post'(0)", "pre(X)"}, "A": set[str]()},
    3: {"B": set[str](), "A": set[str]()},
    4: {"B": set[str](), "A": set[str]()},
}


def _derivatives_written_out(_: Context) -> Computed:
    """The same from exact entries, n = 1..3: within the first unit and between it and the second."""
    at, found = size(2, d=2), {}
    for n in DEPTHS[:3]:
        half = 4 * n
        entries = explicit_entries(generic_unit(n), generic_loss, at)
        blocks = defaultdict[tuple[int, int], list[Plain]](list)
        for (row, column), value in entries.items():
            blocks[row // half, column // half].append(value)
        found[n] = {"B": _names(blocks[0, 0]), "A": _names(blocks[0, 1])}
    return Computed(found, Scope.of(*(f"n={n}, {at}" for n in found)))


def _names(entries: Iterable[Plain]) -> set[str]:
    """The derivatives at zero and at the data that occur, as in index notation."""
    names = {name for value in entries for monomial in value for name, _ in monomial}
    return {re.sub(r"\(x_.*\)", "(X)", name) for name in names if "(" in name}


def _first_order_part(_: Context) -> Computed:
    """The gradient of the loss for n = 2 when mid(0) is arbitrary; post(0) = 0."""
    unit = ResidualUnit(n_shortcut(2, PRE, generic("mid", at_zero=None), POST))
    return Computed((unit, loss_series(unit, squared, 1, 1)[-1]), sizes.of_unit(unit))


def _same_part(found: tuple[ResidualUnit, Sum], claim: str) -> None:
    unit, part = found
    same_sum(part, claim, vocabulary(unit, squared))


_SHIFT = symbol("post(0)")
_SHIFTED_POST = Known("post", (_SHIFT, symbol("post'(0)")), 1, "o")


def _unit_at(pre: Tensor, number: int, before: Sum) -> Sum:
    """A unit, n = 2, with post(0) = p0, where pre has the value `pre` at the point that the units before make of the data."""
    mid = Known("mid", ({}, symbol("mid'(0)")), 1, "o")
    around = Known("pre", (tensor(pre, (ROW, SAMPLE)),), 0, "o")
    return KnownBranch(around, mid, _SHIFTED_POST)(weights(2, number), before)


def _value_of_pre(number: int) -> Opaque:
    """pre at X + (r-1) p0."""
    return Opaque(f"pre{number}", STREAM)


def _shifted_units(_: Context) -> Computed:
    """R = 1, 2, 3 units, n = 2, post(0) = p0: the shift of the output, and the part of degree two of the loss around it."""
    found, outputs = {}, list[Sum]()
    for units in (1, 2, 3):
        shift, moved = {}, {}
        for number in range(1, units + 1):
            after = add(moved, _unit_at(_value_of_pre(number), number, moved))
            shift = add(shift, _SHIFT)
            moved = up_to(add(after, scale(-1, _SHIFT)), 2, "after")
        outputs.append(moved)
        found[units] = (shift, main(KnownLoss(1).at(moved), 2))
    return Computed(found, reduce(Scope.__and__, map(remainder_sizes, outputs)) & Scope.over(R=(1, 2, 3)))


def _shifted_forms(
    found: Mapping[int, tuple[Sum, Sum]], claim: tuple[Callable[[int], int], Callable[[int], str]]
) -> None:
    """Pass when R units shift the output by so many p0, and the loss has these forms around it.

    Raises:
        Disagreement: they do not, or it has not.
    """
    shifts, text = claim
    known = words(**{f"pre{number}": _value_of_pre(number) for number in (1, 2, 3)})
    for units, (shift, loss) in found.items():
        if shift != scale(shifts(units), _SHIFT):
            raise Disagreement(f"R={units}: the output is shifted by {show(shift)}")
        same_sum(loss, " + ".join(text(number) for number in range(1, units + 1)), known, name=f"R={units}")


def _block(unit: int, pre: int | None = None) -> str:
    path_of = f"dW2({unit})[i,a] * dW1({unit})[a,j]"
    return f"m^-1 * mid'(0) * post'(0) * g[i,u] * pre{unit if pre is None else pre}[j,u] * {path_of}"


def _another_shifted_unit(_: Context) -> Computed:
    """One more unit after any number, which have made the point B of the data and moved the stream from it by y + o(y)."""
    y = Opaque("y", STREAM, degree=2)
    before = add(tensor(y, (ROW, SAMPLE)), tensor(rest("o", "y", 2), (ROW, SAMPLE)))
    added = _unit_at(Opaque("pre(B)", STREAM), 2, before)
    return Computed(show(main(added, 2)), remainder_sizes(add(before, added)), r"B \mapsto B + p_0")


_ANOTHER = "post(0) + mid'(0) * post'(0) * dW1(2)[a,b] * dW2(2)[i,a] * pre(B)[b,u]"
ANOTHER_SHIFTED = Argument(
    r"One more unit after any number of others, with $\mathrm{post}(0) = p_0$",
    "index notation",
    _another_shifted_unit,
    _ANOTHER,
    {
        "it shifts nothing": _ANOTHER.removeprefix("post(0) + "),
        "pre is evaluated at the data": _ANOTHER.replace("pre(B)", "pre(X)"),
    },
    explanation="The units before, at zero weights, make $B$ of the data, and this one makes $B + p_0$: so unit $r$ meets the data "
    "at $x + (r-1) p_0$, and the output is $x + R p_0$, for every $R$. $g$ is the gradient of the loss there.",
)


_P0 = Fraction(2)
_SHIFTED = ResidualUnit(n_shortcut(2, polynomial(0, 0, 1), polynomial(0, 3), polynomial(_P0, 1)))
"""pre(t) = t^2, mid(t) = 3t, post(t) = 2 + t."""


def _unequal_blocks(_: Context) -> Computed:
    """The blocks M_r of a network with post(0) = 2, R = 3, d = 2, m = 1: entry (W2: i,1; W1: 1,j) over c = 3."""
    data = Instance([[1], [-1]], [[0], [4]])
    h = dense(_SHIFTED, 3, data)
    blocks = {
        r + 1: tuple(tuple(h[8 * r + 2 * j][8 * r + 4 + i] / 3 for j in range(2)) for i in range(2)) for r in range(3)
    }
    crossing = sum(bool(h[p][q]) for p, q in combinations(range(len(h)), 2) if p // 8 != q // 8)
    order = explicit_order(Network(_SHIFTED, 3), {"d": 2}, up_to=2, data=data).order
    return Computed((order, crossing, blocks), Scope.of("n=2, R=3, d=2, m=1"))


def _shifted_claim(shift_target: int, shift_input: int) -> tuple[int, int, dict[int, tuple[tuple[Fraction, ...], ...]]]:
    """M_r = (x + a p0 - y) pre(x + b (r-1) p0)^T for x = (1, -1), y = (0, 4); (a, b) = (R, 1) is the claim."""
    x, y = (Fraction(1), Fraction(-1)), (Fraction(0), Fraction(4))

    def entry(r: int, i: int, j: int) -> Fraction:
        return (x[i] + shift_target * _P0 - y[i]) * (x[j] + shift_input * (r - 1) * _P0) ** 2

    return 1, 0, {r: tuple(tuple(entry(r, i, j) for j in range(2)) for i in range(2)) for r in (1, 2, 3)}


_OFFSET = polynomial(1, 1)
_ONE_SAMPLE, _BALANCED = Instance([[1]], [[0]]), Instance([[1, -1]], [[0, 0]])
_DROPPED = {
    "n=2": (n_shortcut(2), _ONE_SAMPLE, 1),
    "n=2, mid(0)=1": (n_shortcut(2, mid=_OFFSET), _ONE_SAMPLE, 0),
    "n=2, post(0)=1": (n_shortcut(2, post=_OFFSET), _ONE_SAMPLE, 1),
    "n=2, mid(0)=post(0)=1": (n_shortcut(2, mid=_OFFSET, post=_OFFSET), _ONE_SAMPLE, 0),
    "n=3": (n_shortcut(3), _ONE_SAMPLE, 2),
    "n=3, mid(0)=1": (n_shortcut(3, mid=_OFFSET), _ONE_SAMPLE, 0),
    "n=3, post(0)=1": (n_shortcut(3, post=_OFFSET), _ONE_SAMPLE, 2),
    "n=2, mid(0)=1, rbar=0": (n_shortcut(2, mid=_OFFSET), _BALANCED, 1),
    "n=2, mid(0)=post(0)=1, rbar=0": (n_shortcut(2, mid=_OFFSET, post=_OFFSET), _BALANCED, 0),
}
"""The smallest networks, R = d = 1, with a hypothesis dropped; their data, and the stationary order that is claimed."""
_ORDERS = {name: order for name, (_, _, order) in _DROPPED.items()}


def _dropped(_: Context) -> Computed:
    found = {
        name: explicit_order(Network(ResidualUnit(unit), 1), {"d": 1}, up_to=4, data=data).order
        for name, (unit, data, _) in _DROPPED.items()
    }
    return Computed(found, Scope.of(*(f"{name}, R=d=1" for name in found)))


def _root_values(_: Context) -> Computed:
    """F(1; t, t, t) for mid(t) = sign(t) sqrt|t|, n = 3, d = 1, at t = s^4 for rational s, exactly."""

    def root(value: Fraction) -> Fraction:
        found = Fraction(isqrt(value.numerator), isqrt(value.denominator))
        assert found * found == value
        return found

    def branch(t: Fraction) -> Fraction:
        return t * root(t * root(t * 1))

    found = {s: branch(s**4) for s in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 5))}
    return Computed(found, Scope.of("n=3, R=d=m=1"), r"F(1; t, t, t) = t^{7/4}")


def _is_power(found: Mapping[Fraction, Fraction], exponent: int) -> None:
    """Pass when F at t = s^4 is s to this power, t to a quarter of it.

    Raises:
        Disagreement: it is another value.
    """
    for s, value in found.items():
        if value != s**exponent:
            raise Disagreement(f"s={s}: F = {value}; claimed {s**exponent}")


DERIVATIVES = Argument(
    "The derivatives that occur in $D = B$ and in $A$",
    "index notation",
    _derivatives_used,
    _USED,
    {
        "$n = 2$ needs second derivatives": {
            **_USED,
            2: {"B": {"mid'(0)", "mid''(0)", "post'(0)", "pre(X)"}, "A": set()},
        },
        "$n = 1$ needs mid": {**_USED, 1: {**_USED[1], "B": {"mid'(0)", *_USED[1]["B"]}}},
        "$n = 1$ does without the slope of pre": {**_USED, 1: {**_USED[1], "A": {"post'(0)", "pre(X)"}}},
        "$n = 1$ does without the curvature of post": {**_USED, 1: {**_USED[1], "B": {"post'(0)", "pre(X)"}}},
    },
    explanation="From $n = 3$ on the branch is of order three or more in the weights: nothing of it is in the Hessian.",
)

WRITTEN_OUT = Argument(
    "The derivatives in exact Hessians of two units",
    "explicit",
    _derivatives_written_out,
    {n: _USED[n] for n in DEPTHS[:3]},
    {
        "$n = 2$ needs the slope of pre": {1: _USED[1], 2: {**_USED[2], "B": {*_USED[2]["B"], "pre'(X)"}}, 3: _USED[3]},
        "$n = 1$ does without the slope of pre": {
            **{n: _USED[n] for n in DEPTHS[1:3]},
            1: {**_USED[1], "A": {"post'(0)", "pre(X)"}},
        },
    },
)


def _slopes_beside_one(_: Context) -> Computed:
    """The entry (W_2, W_3) of the Hessian by k, mid(t) = 1 + k t, n = 3."""
    data = Instance([[1]], [[0]])
    found = {k: dense(ResidualUnit(n_shortcut(3, mid=polynomial(1, k))), 1, data)[1][2] for k in (1, 2)}
    return Computed(found, Scope.of("n=3, R=d=m=1, x=1, y=0"))


NOT_WITHOUT = replace(
    FLAT_AT_ZERO,
    needed=Argument(
        r"$\mathrm{mid}(t) = 1 + k t$, $n = 3$: the entry $(W_2, W_3)$ of the Hessian is $k$",
        "instance",
        _slopes_beside_one,
        {1: Fraction(1), 2: Fraction(2)},
        {
            PRINTED: property_of({1: Fraction(0), 2: Fraction(0)})(lambda found: found[1] == found[2]),
            "$k^2$": {1: Fraction(1), 2: Fraction(4)},
        },
        matches,
    ),
)

FIRST_ORDER = Argument(
    r"The gradient for $n = 2$, $\mathrm{post}(0) = 0$ and any $\mathrm{mid}(0)$",
    "index notation",
    _first_order_part,
    "m^-1 * mid(0) * post'(0) * g[i,u] * dW2(1)[i,a]",
    {
        "it vanishes": "0",
        r"it is along $\mathrm{pre}(X)$": "m^-1 * mid(0) * post'(0) * g[i,u] * pre(X)[a,u] * dW2(1)[i,a]",
    },
    _same_part,
)

# What is asked for where post(0) is not 0, and what happens without.

_BENT_BY_MID = RoughNetwork(2, mid=OFFSET_MID.mid, post=KINKED_POST.post)
_SHIFTED_POLE = ShiftedNetwork((smooth(1), rough(1, {0: -1, -2: 1}, {0: -1, -2: 1})), smooth(1, 1))
"""pre(t) = (t - 2)^-2 off 2 and pre(2) = 1, post(t) = 1 + t, x = 1: the second unit meets the data at 2."""
_SHIFTED_KINK = ShiftedNetwork((smooth(1),), rough(1, {1: 2}, {}))
"""post(t) = 1 + t + |t|."""


_SLOPE_OF_POST = Hypothesis(
    "post is differentiable at 0",
    lambda network: network.post.differentiable,
    _BENT_BY_MID,
    holds_on=OFFSET_MID,
    needed=not_odd(
        r"$\mathrm{mid}(t) = 1 + t$, $\mathrm{post}(t) = t + \lvert t\rvert$: the part of order one along (1, 1) and (1, -1)",
        _BENT_BY_MID,
        1,
        Fraction(2),
    ),
)
_SLOPES = Hypothesis(
    "mid and post are differentiable at 0",
    lambda network: network.mid.differentiable and network.post.differentiable,
    _SHIFTED_KINK,
    holds_on=_SHIFTED_POLE,
    needed=not_odd(
        r"$\mathrm{post}(t) = 1 + t + \lvert t\rvert$, one unit: the part of order two along (1, 1) and (1, -1)",
        _SHIFTED_KINK,
        2,
        Fraction(4),
    ),
)
_CONTINUOUS_WHERE_MET = Hypothesis(
    r"for $R \ge 2$ pre is continuous at $x + (r - 1) p_0$, $r = 2, \ldots, R$",
    lambda network: all(germ.continuous for germ in network.pre[1:]),
    _SHIFTED_POLE,
    holds_on=_SHIFTED_KINK,
    needed=Argument(
        r"$\mathrm{pre}(t) = (t - 2)^{-2}$ off 2, $\mathrm{pre}(2) = 1$, $\mathrm{post}(t) = 1 + t$, two units: the least exponent "
        "of $t$ in the loss along $(t, t, t, t)$",
        "instance",
        lambda _: Computed(min(_SHIFTED_POLE.along(1, 1, 1, 1)), Scope.of("n=2, R=2, d=m=1, x=1, y=0")),
        -4,
        {PRINTED: property_of(0)(lambda least: least >= 0), "half of it": -2},
        matches,
    ),
)

A3N = Statement(
    id="DR-A3n",
    title="Which hypothesis each part of Theorem 2 needs",
    source=source("A", "Assumption 3", "sigma_mid(0) = sigma_post(0) = 0 and all of ... exist", "Theorem 1"),
    latex=r"M_r = \frac1m \sum_\mu \left(x^\mu + R\,p_0 - y^\mu\right) \sigma_{\mathrm{pre}}\!\left(x^\mu + (r-1)\,p_0\right)^{\mathsf T}",
    uses=("DR-T2.1", "DR-T2.2", "DR-T2.3", "GEN-1"),
    setting=r"$\bar r$ is the mean of $x - y$ and $p_0 = \mathrm{post}(0)$.",
    clauses=(
        Clause(
            r"With $\mathrm{mid}(0) = \mathrm{post}(0) = 0$, of the activations' derivatives the Hessian contains, for "
            r"$n = 1$, $\mathrm{post}'$ and $\mathrm{post}''$ at 0 and, in $A$, $\mathrm{pre}'$ at the data; for $n = 2$ "
            r"$\mathrm{mid}'$ and $\mathrm{post}'$ at 0 and values of pre alone; for $n \ge 3$ nothing.",
            {"n": 1, "R": 1, "d": 1, "m": 1},
            (Induction("n", DERIVATIVES, INDUCTION_STEP), WRITTEN_OUT),
            (NOT_WITHOUT,),
            ours=True,
        ),
        Clause(
            r"With $\mathrm{mid}(0) \ne 0 = \mathrm{post}(0)$ and $n = 2$ the gradient, of the partial derivatives at "
            r"zero, is $\mathrm{mid}(0)\, \mathrm{post}'(0) \bar r$ in every column of $W_2$, and 0 elsewhere.",
            {"R": 1, "d": 1, "m": 1},
            (
                FIRST_ORDER,
                Argument(
                    "Smallest networks with a hypothesis dropped",
                    "explicit",
                    _dropped,
                    _ORDERS,
                    {
                        r"$\mathrm{mid}(0) = 0$ is not needed": {**_ORDERS, "n=2, mid(0)=1": 1},
                        r"$\mathrm{post}(0) = 0$ is needed for the order": {**_ORDERS, "n=2, post(0)=1": 0},
                        "the gradient is nonzero whatever the data": {**_ORDERS, "n=2, mid(0)=1, rbar=0": 0},
                        r"it is $\mathrm{mid}(0)\, \mathrm{post}'(0) \bar r$ whatever $\mathrm{post}(0)$ is": {
                            **_ORDERS,
                            "n=2, mid(0)=post(0)=1, rbar=0": 1,
                        },
                    },
                ),
                Argument(
                    r"Without $\lvert\mathrm{mid}(t)\rvert \le K\lvert t\rvert$ the order can be lower: "
                    r"$\mathrm{mid}(t) = \mathrm{sign}(t) \sqrt{\lvert t\rvert}$, $n = 3$",
                    "instance",
                    _root_values,
                    7,
                    {"order three": 12, "order two": 8},
                    _is_power,
                    explanation="With $t = s^4$ the branch is $s^7 = t^{7/4}$, less than order two.",
                ),
            ),
            (_SLOPE_OF_POST,),
            ours=True,
        ),
        Clause(
            r"With $\mathrm{post}(0) \ne 0 = \mathrm{mid}(0)$ and $n = 2$ the order is still 1 and the Hessian block "
            r"diagonal, with $M_r = (1/m) \sum (x + R p_0 - y)\, \mathrm{pre}(x + (r-1) p_0)^{\mathsf T}$.",
            {"R": 1, "d": 1, "m": 1},
            (
                Induction(
                    "R",
                    Argument(
                        r"One, two and three units with $\mathrm{post}(0) = p_0$, $n = 2$",
                        "index notation",
                        _shifted_units,
                        (lambda units: units, _block),
                        {
                            "equal blocks": (lambda units: units, lambda unit: _block(unit, 1)),
                            "the output is shifted by one unit less": (lambda units: units - 1, _block),
                            "the second unit alone": (
                                lambda units: units,
                                lambda unit: _block(unit) if unit == 2 else "0",
                            ),
                        },
                        _shifted_forms,
                        explanation=r"pre is continuous at $x + (r-1) p_0$, where it has the value $\mathrm{pre}_r$; mid and post are "
                        "differentiable at 0.",
                    ),
                    ANOTHER_SHIFTED,
                ),
                Argument(
                    r"Blocks of a network with $\mathrm{post}(0) \ne 0$",
                    "explicit",
                    _unequal_blocks,
                    _shifted_claim(3, 1),
                    {
                        "the output is not shifted": _shifted_claim(0, 1),
                        "the inputs are not shifted": _shifted_claim(3, 0),
                        "shifted by one unit less": _shifted_claim(2, 1),
                    },
                    explanation=r"$\mathrm{pre}(t) = t^2$, $\mathrm{mid}(t) = 3t$, $\mathrm{post}(t) = 2 + t$; (order, entries "
                    "between units, $M_r$).",
                ),
            ),
            (_SLOPES, _CONTINUOUS_WHERE_MET),
            ours=True,
        ),
    ),
)

STATEMENTS = (A3N,)
