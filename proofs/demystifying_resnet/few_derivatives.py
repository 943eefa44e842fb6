"""The n-shortcut loss at zero weights where few derivatives exist: layers, units and partial derivatives, one by one.

An activation is its Taylor polynomial and a remainder that is bounded or tends to zero (`symbolic.index.remainders`).
Carried through the layers and the units, these identities give the loss up to o(|w|^k), for one unit and for one more
after any number of others. Each argument runs with less known as well, and has to find that this is not enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product

from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Opaque, Perturbation, Tensor
from resproof.architectures.losses import generic_loss
from resproof.proofs.routes.hessians import Claim, same_sum
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction
from resproof.proofs.theory.generic_units import DEPTHS, generic_unit
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.remainders import (
    GRADIENT,
    STREAM,
    Known,
    KnownBranch,
    KnownLoss,
    Rest,
    layer,
    least_order,
    main,
    mean_product,
    rest,
    sizes,
    up_to,
    weights,
)
from resproof.symbolic.index.series import Sum, add, rename, scale, substitute, symbol, tensor
from resproof.symbolic.scope import Scope

_FREE = {"i": ROW, "u": SAMPLE}
SEVERAL = DEPTHS[1:]
"""The shortcut depths n >= 2 that are computed one by one."""

Level = tuple[Rest, int]
NOTHING: Level = ("?", 0)
BOUNDED: Level = ("O", 0)
CONTINUOUS: Level = ("o", 0)
LIPSCHITZ: Level = ("O", 1)
DIFFERENTIABLE: Level = ("o", 1)
TWICE: Level = ("o", 2)
_OF_PRE = {"nothing": NOTHING, "bounded": BOUNDED, "continuous": CONTINUOUS, "differentiable": DIFFERENTIABLE}
"""What may be known of pre near the data, from less to more."""
_OF_POST = {"once": DIFFERENTIABLE, "twice": TWICE}
"""How often post may be differentiable at zero."""


def _from(least: str, levels: Mapping[str, Level]) -> list[str]:
    """The names of what is known where at least so much is."""
    names = [*levels]
    return names[names.index(least) :]


def words(**others: Tensor) -> dict[str, Tensor]:
    """What a claim may name: weights, pre and pre' at the data, g and Q."""
    return {**_vocabulary(), **others}


@cache
def _vocabulary() -> dict[str, Tensor]:
    return vocabulary(generic_unit(max(DEPTHS)), generic_loss, units=3)


@cache
def _pre(level: Level) -> Known:
    values = tuple(parse(text, words(), _FREE) for text in ("pre(X)[i,u]", "pre'(X)[i,u]"))
    return Known("pre", values, level[1], level[0])


@cache
def _at_zero(name: str, level: Level) -> Known:
    taylor = ({}, symbol(f"{name}'(0)"), scale(Fraction(1, 2), symbol(f"{name}''(0)")))
    return Known(name, taylor, level[1], level[0])


def path(pre: Level, mid: Level = DIFFERENTIABLE, post: Level = DIFFERENTIABLE) -> KnownBranch:
    """The branch of which so much is known."""
    return KnownBranch(_pre(pre), _at_zero("mid", mid), _at_zero("post", post))


# The order, n >= 2.

_CASES: dict[str, tuple[Level, Level, Level]] = {
    "nothing of pre": (NOTHING, LIPSCHITZ, LIPSCHITZ),
    "pre bounded": (BOUNDED, LIPSCHITZ, LIPSCHITZ),
    "mid continuous alone": (BOUNDED, CONTINUOUS, LIPSCHITZ),
    "post continuous alone": (BOUNDED, LIPSCHITZ, CONTINUOUS),
}


def _after_others(depth: int) -> Sum:
    """How far any number of units of order n before have moved the stream: O(|w|^n)."""
    return tensor(rest("O", "y", depth), (ROW, SAMPLE))


def _no_others(_: int) -> Sum:
    return {}


def _orders(before: Callable[[int], Sum], depths: Sequence[int]) -> Callable[[Context], Computed]:
    """The order of the stream and of the loss after one more unit, by n and by what is known."""

    def compute(_: Context) -> Computed:
        found, losses = {}, list[Sum]()
        for n in depths:
            for case, levels in _CASES.items():
                after = add(before(n), path(*levels)(weights(n, 2), before(n)))
                losses.append(KnownLoss(1).at(after))
                found[n, case] = (least_order(after), least_order(losses[-1]))
        scope = reduce(Scope.__and__, map(sizes, losses)) & Scope.over(n=depths)
        return Computed(found, scope, r"L(w) = L(0) + O(\|w\|^n)")

    return compute


def _orders_claim(depths: Sequence[int], *, needs_bound: bool) -> dict[tuple[int, str], tuple[int | None, int | None]]:
    """n where pre is bounded, or whatever pre is; 1 and 0 where mid or post is continuous alone."""
    return {
        (n, case): (order, order)
        for n in depths
        for case, order in {
            "nothing of pre": None if needs_bound else n,
            "pre bounded": n,
            "mid continuous alone": 1,
            "post continuous alone": 0,
        }.items()
    }


def _one_layer(_: Context) -> Computed:
    """W mid(u) and post(u) for u = a + o(a) of any order: what is left of it, and how W and u enter the rest."""
    a, small = Opaque("a", STREAM, degree=1), rest("o", "a", 1)
    u = add(tensor(a, (ROW, SAMPLE)), tensor(small, (ROW, SAMPLE)))
    weight = Perturbation("W", 1, ("d", "d"))
    runs = {level: layer(weight, _at_zero("mid", level).at(u, "")) for level in (CONTINUOUS, LIPSCHITZ, DIFFERENTIABLE)}
    post = _at_zero("post", DIFFERENTIABLE).at(u, "")
    found = {
        "differentiable: main part": show(main(runs[DIFFERENTIABLE], 2)),
        "|mid| <= K|t|: least order": least_order(runs[LIPSCHITZ]),
        "continuous: least order": least_order(runs[CONTINUOUS]),
        "factors of (W, u)": {
            (_count(factors, weight), _count(factors, a, small))
            for level in (LIPSCHITZ, DIFFERENTIABLE)
            for _, factors in runs[level]
        },
        "post": show(main(post, 1)),
    }
    return Computed(
        found, sizes(*runs.values()), r"W\,\sigma_{\mathrm{mid}}(a + o) = \sigma_{\mathrm{mid}}'(0)\, W a + o"
    )


def _count(factors: tuple[tuple[Tensor, tuple[int, ...]], ...], *wanted: Tensor) -> int:
    return sum(factor in wanted for factor, _ in factors)


_ONE_LAYER = {
    "differentiable: main part": "mid'(0) * a[a,u] * dW(1)[i,a]",
    "|mid| <= K|t|: least order": 2,
    "continuous: least order": 1,
    "factors of (W, u)": {(1, 1)},
    "post": "post'(0) * a[i,u]",
}
LAYER = Argument(
    "Induction over the layers of a path: one more layer, with remainders",
    "index notation",
    _one_layer,
    _ONE_LAYER,
    {
        "mid continuous is enough for the order": {**_ONE_LAYER, "continuous: least order": 2},
        "the slope of mid does not matter": {**_ONE_LAYER, "differentiable: main part": "dW(1)[i,a] * a[a,u]"},
        "the layer is quadratic in its input": {**_ONE_LAYER, "factors of (W, u)": {(1, 1), (1, 2)}},
        "post lowers the order": {**_ONE_LAYER, "post": "0"},
    },
    explanation="$u = a + o(a)$ is what the layers below leave. Every term has $W$ once and $u$ once: an order $k$ of $u$ becomes "
    r"$k + 1$, and a term with a remainder among its factors is $o(\lvert w\rvert^{k+1})$.",
)


def _order_argument(
    title: str, before: Callable[[int], Sum], depths: Sequence[int] = SEVERAL, *, one_unit: bool
) -> Argument:
    found = _orders_claim(depths, needs_bound=not one_unit)
    other = "one unit needs pre bounded" if one_unit else "nothing is needed of pre"
    return Argument(
        title,
        "index notation",
        _orders(before, depths),
        found,
        {
            other: _orders_claim(depths, needs_bound=one_unit),
            "order $n - 1$": {**found, **{k: (k[0] - 1,) * 2 for k in found if k[1] == "pre bounded"}},
            "mid continuous is enough": {**found, **{k: (k[0],) * 2 for k in found if k[1].startswith("mid")}},
            "post continuous is enough": {**found, **{k: (k[0],) * 2 for k in found if k[1].startswith("post")}},
        },
        explanation=r"$\lvert\mathrm{mid}(t)\rvert$, $\lvert\mathrm{post}(t)\rvert \le K\lvert t\rvert$ near 0. (order of the "
        "stream's deviation from $X$, order of the loss's from $L(0)$); None: not shown to be bounded.",
    )


ORDER_OF_ONE = Induction("n", _order_argument("The order of one unit, $n = 2..6$", _no_others, one_unit=True), LAYER)
ORDER = Induction(
    "n",
    _order_argument("The order of one more unit after any number of others, $n = 2..6$", _after_others, one_unit=False),
    LAYER,
)
ORDER_OF_TWO = _order_argument(
    "The order of one more unit after any number of others, $n = 2$", _after_others, (2,), one_unit=False
)


# The part of degree n, n >= 2; for n = 2 the second-order expansion.


def leading_term(depth: int, unit: int, slopes: str = "") -> str:
    """c_n (1/m) g^T W_n ... W_1 pre(x) of one unit."""
    scalars = slopes or " * ".join([*["mid'(0)"] * (depth - 1), "post'(0)"])
    return f"{scalars} * {path_term(depth, 'pre(X)', unit)}"


def path_term(depth: int, x: str, unit: int = 1) -> str:
    """(1/m) g^T W_n ... W_1 x of one unit."""
    path_of = [f"dW{k}({unit})[a{k},a{k - 1}]" for k in range(1, depth + 1)]
    return " * ".join(["m^-1", f"g[a{depth},u]", f"{x}[a0,u]", *path_of])


def _deviation(depth: int) -> tuple[Tensor, Sum]:
    """y + o(y): of degree n and smaller, what any number of units before have added."""
    y = Opaque("y", STREAM, degree=depth)
    return y, add(tensor(y, (ROW, SAMPLE)), tensor(rest("o", "y", depth), (ROW, SAMPLE)))


def _leading(depths: Sequence[int], *, one_unit: bool) -> Callable[[Context], Computed]:
    """What one more unit adds to the parts of degree n of the stream and of the loss, by n and by what is known of pre."""

    def compute(_: Context) -> Computed:
        found, everything = {}, list[Sum]()
        for n in depths:
            before = {} if one_unit else _deviation(n)[1]
            for name, level in _OF_PRE.items():
                after = add(before, path(level)(weights(n, 2), before))
                whole = up_to(after, n, "after")
                stream, loss = (_added(f, before, whole, n) for f in (lambda one: one, KnownLoss(1).at))
                found[n, name] = (stream, loss)
                everything.append(after)
        return Computed(found, reduce(Scope.__and__, map(sizes, everything)) & Scope.over(n=depths))

    return compute


def _added(of: Callable[[Sum], Sum], before: Sum, after: Sum, order: int) -> Sum:
    """What is left up to this order of f(after), less the same of f(before)."""
    return add(main(of(after), order), scale(-1, main(of(before), order)))


def _same_leading(found: Mapping[tuple[int, str], tuple[Sum, Sum]], claim: tuple[str, Callable[[int], str]]) -> None:
    """Pass when one more unit adds the term claimed wherever at least so much of pre is known.

    Raises:
        Disagreement: it does not.
    """
    least, text = claim
    enough = _from(least, _OF_PRE)
    for (n, name), (stream, loss) in found.items():
        claimed = parse(text(n), words())
        if name in enough and (loss != claimed or mean_product(GRADIENT, stream) != claimed):
            raise Disagreement(f"n={n}, {name}: computed {show(loss)}; claimed {text(n)}")


def _leading_argument(
    title: str, least: str, weaker: Mapping[str, str], depths: Sequence[int] = SEVERAL, *, one_unit: bool
) -> Argument:
    def text(n: int) -> str:
        return leading_term(n, 2)

    return Argument(
        title,
        "index notation",
        _leading(depths, one_unit=one_unit),
        (least, text),
        {
            **{name: (level, text) for name, level in weaker.items()},
            "twice as large": (least, lambda n: f"2 * {text(n)}"),
            "without the slopes of mid": (least, lambda n: leading_term(n, 2, "post'(0)")),
            "units interact": (least, lambda n: f"{text(n)} + {text(n).replace('dW1(2)', 'dW1(1)')}"),
            r"$X$ in place of $\mathrm{pre}(X)$": (least, lambda n: text(n).replace("pre(X)", "X")),
        },
        _same_leading,
        explanation="The loss has a gradient $g$ at the initial output. What any number of units before have added is $y + o(y)$.",
    )


LEADING_OF_ONE = Induction(
    "n",
    _leading_argument("The part of degree $n$ of one unit, $n = 2..6$, whatever pre is", "nothing", {}, one_unit=True),
    LAYER,
)
_NOT_CONTINUOUS = {"bounded is enough": "bounded", "nothing is needed": "nothing"}
LEADING = Induction(
    "n",
    _leading_argument(
        "The part of degree $n$ that one more unit adds after any number of others, $n = 2..6$, pre continuous at the "
        "data",
        "continuous",
        _NOT_CONTINUOUS,
        one_unit=False,
    ),
    LAYER,
)
LEADING_OF_TWO = _leading_argument(
    "The part of degree two that one more unit adds after any number of others, $n = 2$, pre continuous at the data",
    "continuous",
    _NOT_CONTINUOUS,
    (2,),
    one_unit=False,
)


# n = 1: the second-order expansion.


def exchanged(text: str) -> str:
    """A form between two units, n = 1, with the earlier and the later one exchanged."""
    return text.replace("dW1(2)", "dW1(9)").replace("dW1(1)", "dW1(2)").replace("dW1(9)", "dW1(1)")


_PP = "m^-1 * pre(X)[j,u] * pre(X)[l,u]"


def first_order_claim(
    q: str = "Q[i,k,u]", half: str = "1/2", slope: str = "pre'(X)[k,u]", second: str = "post''(0)"
) -> Claim:
    """B and A for n = 1; `q` is the loss's Hessian in the rows i, k."""
    return Claim(
        f"{half} * post'(0)^2 * {q} * {_PP} * dW1(1)[i,j] * dW1(1)[k,l]"
        f" + {half} * {second} * g[i,u] * {_PP} * dW1(1)[i,j] * dW1(1)[i,l]",
        f"post'(0)^2 * {q} * {_PP} * dW1(2)[i,j] * dW1(1)[k,l]"
        f" + m^-1 * post'(0)^2 * g[i,u] * {slope} * pre(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
    )


_LINEAR = "m^-1 * post'(0) * g[i,u] * pre(X)[j,u] * dW1(2)[i,j]"
_WITHIN = first_order_claim().diagonal.replace("dW1(1)", "dW1(2)")
_BETWEEN = (
    "m^-1 * post'(0) * Q[i,k,u] * pre(X)[j,u] * dW1(2)[i,j] * y[k,u]"
    " + m^-1 * post'(0) * g[i,u] * pre'(X)[k,u] * dW1(2)[i,k] * y[k,u]"
)
"""What the loss gains with a unit after others that have moved the stream by y, y being of degree one."""
_Y = Opaque("y", STREAM, degree=1)


def _second_order(*, one_unit: bool) -> Callable[[Context], Computed]:
    """What one more unit adds to the loss up to degree two, n = 1, by what is known of pre and of post."""

    def compute(_: Context) -> Computed:
        two = add(tensor(Opaque("z", STREAM, degree=2), (ROW, SAMPLE)), tensor(rest("o", "y", 2), (ROW, SAMPLE)))
        before = {} if one_unit else add(tensor(_Y, (ROW, SAMPLE)), two)
        found, everything = {}, list[Sum]()
        for name, level in _OF_PRE.items():
            for kind, post in _OF_POST.items():
                after = add(before, path(level, post=post)(weights(1, 2), before))
                found[name, kind] = _added(KnownLoss(2).at, before, up_to(after, 2, "after"), 2)
                everything.append(after)
        return Computed(found, reduce(Scope.__and__, map(sizes, everything)))

    return compute


def _same_second_order(found: Mapping[tuple[str, str], Sum], claim: tuple[str, str, str]) -> None:
    """Pass when the terms claimed are added wherever at least so much of pre and of post is known.

    Raises:
        Disagreement: they are not.
    """
    least, kind, text = claim
    for name, known in product(_from(least, _OF_PRE), _from(kind, _OF_POST)):
        same_sum(found[name, known], text, words(y=_Y), name=f"pre {name}, post {known}")


_ADDED_BY_ONE = f"{_LINEAR} + {_WITHIN}"
_ADDED = f"{_ADDED_BY_ONE} + {_BETWEEN}"
EXPANSION_OF_ONE = Argument(
    "The parts of degree one and two of one unit, $n = 1$, whatever pre is",
    "index notation",
    _second_order(one_unit=True),
    ("nothing", "twice", _ADDED_BY_ONE),
    {
        "post differentiable once is enough": ("nothing", "once", _ADDED_BY_ONE),
        "without the curvature of post": ("nothing", "twice", f"{_LINEAR} + {_WITHIN.split(' + ')[0]}"),
        "$B$ twice as large": ("nothing", "twice", f"{_LINEAR} + {_WITHIN.replace('1/2', '1')}"),
    },
    _same_second_order,
)
EXPANSION = Argument(
    "The parts of degree one and two that one more unit adds after any number of others, $n = 1$, pre differentiable at "
    "the data",
    "index notation",
    _second_order(one_unit=False),
    ("differentiable", "twice", _ADDED),
    {
        "pre continuous is enough": ("continuous", "twice", _ADDED),
        "post differentiable once is enough": ("differentiable", "once", _ADDED),
        "without the slope of pre": ("differentiable", "twice", f"{_ADDED_BY_ONE} + {_BETWEEN.split(' + ')[0]}"),
        "units do not interact": ("differentiable", "twice", _ADDED_BY_ONE),
    },
    _same_second_order,
    explanation="The loss has a gradient $g$ and a Hessian $Q$ at the initial output. The units before have moved the stream by "
    r"$y + z + o$, of degree one and two: $y$ is the sum of $\mathrm{post}'(0) W\, \mathrm{pre}(x)$ over them, linear in "
    "their weights.",
)


def _moved_by_others(_: Context) -> Computed:
    """The part of degree one of the stream after one more unit, n = 1, and A: what is added, with y = post'(0) W pre(x)."""
    before = add(tensor(_Y, (ROW, SAMPLE)), tensor(rest("o", "y", 1), (ROW, SAMPLE)))
    after = add(before, path(DIFFERENTIABLE, post=TWICE)(weights(1, 2), before))
    moved = main(path(DIFFERENTIABLE, post=TWICE)(weights(1, 1), {}), 1)
    return Computed(
        (main(after, 1), substitute(parse(_BETWEEN, words(y=_Y)), _Y, rename(moved, {SAMPLE: COLUMN}))), sizes(after)
    )


_STREAM = "y[i,u] + post'(0) * pre(X)[j,u] * dW1(2)[i,j]"
_A = first_order_claim().cross


def _same_pair(found: tuple[Sum, Sum], claim: tuple[str, str]) -> None:
    same_sum(found[0], claim[0], words(y=_Y), _FREE, name="stream")
    same_sum(found[1], claim[1], words(), name="A")


EARLIER = Argument(
    "What units before have added to the stream, $n = 1$, and $A$ from it",
    "index notation",
    _moved_by_others,
    (_STREAM, _A),
    {
        "the stream does not move": ("y[i,u]", _A),
        "$A$ transposed": (_STREAM, exchanged(_A)),
    },
    _same_pair,
)


# Second partial derivatives at zero: one weight matrix after the other, all else at zero.

_FIXED = Opaque("V", ("d", "d"))
"""A weight matrix that stays where it is, wherever that is."""
_VALUE, _SLOPE, _OUTPUT_GRADIENT = (Opaque(name, STREAM) for name in ("s", "q'", "G"))


def _data() -> Sum:
    return _pre(NOTHING).at({}, "")


def _put(summand: Sum, values: Mapping[Tensor, Sum]) -> Sum:
    """The values in place of tensors of the stream's shape."""
    for name, value in values.items():
        summand = substitute(summand, name, rename(value, {SAMPLE: COLUMN}))
    return summand


def _two_of_one_unit(_: Context) -> Computed:
    """n = 2: the derivative in W1 at zero with W2 anywhere, then that in W2 at zero, and the other way round."""
    first, second = weights(2)
    post, found = _at_zero("post", DIFFERENTIABLE), {}
    for level in (LIPSCHITZ, DIFFERENTIABLE):
        mid = _at_zero("mid", level)
        u = mid.at(layer(first, _data()), "")
        by_first = main(KnownLoss(1).at(post.at(layer(_FIXED, u), "")), 1)
        by_second = main(KnownLoss(1).at(post.at(layer(second, tensor(_VALUE, (ROW, SAMPLE))), "")), 1)
        found["W1 first", level] = substitute(by_first, _FIXED, tensor(second, (ROW, COLUMN)))
        found["W2 first", level] = main(_put(by_second, {_VALUE: u}), 2)
    return Computed(found, reduce(Scope.__and__, map(sizes, found.values())))


def _same_derivatives(found: Mapping[tuple[str, Level], Sum], claim: tuple[Level, Mapping[str, str]]) -> None:
    level, texts = claim
    for order, text in texts.items():
        same_sum(found[order, level], text, words(), name=order)


def _either_way(text: str) -> dict[str, str]:
    return {"W1 first": text, "W2 first": text}


PARTIALS_OF_TWO = Argument(
    "$n = 2$: both orders of differentiation at zero, $W_1$ and $W_2$ of one unit, whatever pre is",
    "index notation",
    _two_of_one_unit,
    (DIFFERENTIABLE, _either_way(leading_term(2, 1))),
    {
        r"$\lvert\mathrm{mid}\rvert \le K\lvert t\rvert$ is enough": (LIPSCHITZ, _either_way(leading_term(2, 1))),
        "one of them vanishes": (DIFFERENTIABLE, {**_either_way(leading_term(2, 1)), "W2 first": "0"}),
        "without the slope of mid": (DIFFERENTIABLE, _either_way(leading_term(2, 1, "post'(0)"))),
    },
    _same_derivatives,
    explanation=r"With $W_2$ fixed, $L(W_1) = L(0) + c g^{\mathsf T} W_2 W_1\, \mathrm{pre}(x) + o(\lvert W_1\rvert)$: the derivative "
    r"in $W_1$ is linear in $W_2$. With $W_1$ fixed, $s = \mathrm{mid}(W_1\, \mathrm{pre}(x))$ is some vector, the "
    r"derivative in $W_2$ is $\mathrm{post}'(0) g s^{\mathsf T}$, and $s$ is differentiable in $W_1$ at zero.",
)


@cache
def _two_of_depth_one(level: Level) -> Mapping[str, Sum]:
    """n = 1: the derivative in one matrix at zero with the other anywhere near zero, then that in the other at zero."""
    earlier, later = weights(1, 1)[0], weights(1, 2)[0]
    value, slope, gradient = (tensor(one, (ROW, SAMPLE)) for one in (_VALUE, _SLOPE, _OUTPUT_GRADIENT))
    pre, post, near = _pre(level), _at_zero("post", TWICE), Known("post", ({}, slope), 1, "o")
    derivative = Known("post'", (symbol("post'(0)"), symbol("post''(0)")), 1, "o")

    def moved(weight: Tensor) -> Sum:
        return post.at(layer(weight, _data()), str(weight))

    def with_other(form: Sum, other: Tensor) -> Sum:
        """The form with the gradient of the loss and the slope of post where the other matrix takes them."""
        gained: dict[Tensor, Sum] = {
            _OUTPUT_GRADIENT: KnownLoss(2).gradient_at(moved(other)),
            _SLOPE: derivative.at(layer(other, _data()), ""),
        }
        return _put(form, gained)

    through = layer(_FIXED, add(pre.at(moved(earlier), ""), scale(-1, _data())))
    by_earlier = main(mean_product(gradient, add(moved(earlier), near.at(through, ""))), 1)
    by_later = main(mean_product(gradient, post.at(layer(later, value), "")), 1)
    within = main(mean_product(gradient, near.at(layer(earlier, _data()), "")), 1)
    forms = {
        "the earlier first": with_other(substitute(by_earlier, _FIXED, tensor(later, (ROW, COLUMN))), later),
        "the later first": _put(with_other(by_later, earlier), {_VALUE: pre.at(moved(earlier), "")}),
        "one unit": with_other(within, later),
    }
    return {name: add(main(form, 2), scale(-1, main(form, 1))) for name, form in forms.items()}


def _derivatives_of_depth_one(_: Context) -> Computed:
    levels = (CONTINUOUS, DIFFERENTIABLE)
    found = {(name, level): form for level in levels for name, form in _two_of_depth_one(level).items()}
    return Computed(found, reduce(Scope.__and__, map(sizes, found.values())))


_ONE_UNIT = (
    f"post'(0)^2 * Q[i,k,u] * {_PP} * dW1(2)[i,j] * dW1(1)[k,l]"
    f" + post''(0) * g[i,u] * {_PP} * dW1(2)[i,j] * dW1(1)[i,l]"
)
_PAIRS = {"the earlier first": _A, "the later first": _A, "one unit": _ONE_UNIT}
PARTIALS_OF_ONE = Argument(
    "$n = 1$: both orders of differentiation at zero, two units or the same one",
    "index notation",
    _derivatives_of_depth_one,
    (DIFFERENTIABLE, _PAIRS),
    {
        "pre continuous is enough": (CONTINUOUS, _PAIRS),
        "the order matters": (DIFFERENTIABLE, {**_PAIRS, "the later first": _A.split(" + ")[0]}),
        "without the curvature of post": (DIFFERENTIABLE, {**_PAIRS, "one unit": _ONE_UNIT.split(" + ")[0]}),
    },
    _same_derivatives,
    explanation="One matrix is fixed near zero; there post has the derivative $q'$ and the loss the gradient $G$, and the loss is "
    "differentiated in the other matrix at zero. Then $G = g + (Q + o) v$, "
    r"$q' = \mathrm{post}'(0) + (\mathrm{post}''(0) + o) u$. Within one unit dW1(1) and dW1(2) are the two directions, "
    "and pre does not move.",
)
PARTIALS_WITHIN_ONE = replace(
    PARTIALS_OF_ONE,
    title="$n = 1$: two derivatives within one unit, whatever pre is",
    claim=(CONTINUOUS, {"one unit": _ONE_UNIT}),
    neighbours={
        "without the curvature of post": (CONTINUOUS, {"one unit": _ONE_UNIT.split(" + ")[0]}),
        "units interact": (CONTINUOUS, {"one unit": _A}),
    },
)
