"""Demystifying ResNet, Theorem 2 with as little asked of the activations as it takes, and what happens without.

Where few derivatives exist, an activation is its Taylor polynomial and a remainder that is bounded or tends to zero
(`symbolic.index.remainders`). Carried through the layers and the units, these identities give the loss at zero weights up
to o(|w|^k), for one unit and for one more after any number of others. What is not asked for is missed by no proof; what
is asked for is missed by a network without it (`germs`).

Of pre at the data nothing is needed for one unit. For R >= 2: for n >= 2 that it be bounded near the data for the
order n - 1, continuous there for the part of degree n, which for n = 2 is the second-order expansion; for n = 1 that it be
differentiable there. Second partial derivatives at zero see two parameters at a time: for n >= 2 they need nothing of pre.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product

from architectures.losses import generic_loss
from architectures.terms import COLUMN, ROW, SAMPLE, Opaque, Perturbation, Tensor
from proofs.demystifying_resnet.germs import Curve, Germ, RoughNetwork, curve, rough, smooth
from proofs.demystifying_resnet.lemmas import CONSTANT_WITHOUT, constant_without
from proofs.routes.predicates import matches
from proofs.statement import (
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
    Induction,
    Scope,
    Statement,
)
from proofs.theory.generic_units import DEPTHS, generic_unit
from symbolic.index.claims import parse, show, vocabulary
from symbolic.index.remainders import (
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
from symbolic.index.series import Sum, add, rename, scale, substitute, symbol, tensor

_FREE = {"i": ROW, "u": SAMPLE}
_SEVERAL = DEPTHS[1:]
"""The shortcut depths n >= 2 that are computed one by one."""

Level = tuple[Rest, int]
NOTHING: Level = ("?", 0)
BOUNDED: Level = ("O", 0)
CONTINUOUS: Level = ("o", 0)
LIPSCHITZ: Level = ("O", 1)
DIFFERENTIABLE: Level = ("o", 1)
TWICE: Level = ("o", 2)
_BY_NAME = {"nothing": NOTHING, "bounded": BOUNDED, "continuous": CONTINUOUS, "differentiable": DIFFERENTIABLE}
"""What may be known of pre near the data, from less to more."""


def words(**others: Tensor) -> dict[str, Tensor]:
    """What a claim may name: weights, pre and pre' at the data, g and Q."""
    return {**vocabulary(generic_unit(max(DEPTHS)), generic_loss, units=3), **others}


def _pre(level: Level) -> Known:
    values = tuple(parse(text, words(), _FREE) for text in ("pre(X)[i,u]", "pre'(X)[i,u]"))
    return Known("pre", values, level[1], level[0])


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


def _orders(before: Callable[[int], Sum]) -> Callable[[Context], Computed]:
    """The order of the stream and of the loss after one more unit, by n and by what is known."""

    def compute(_: Context) -> Computed:
        found, losses = {}, list[Sum]()
        for n in _SEVERAL:
            for case, levels in _CASES.items():
                after = add(before(n), path(*levels)(weights(n, 2), before(n)))
                losses.append(KnownLoss(1).at(after))
                found[n, case] = (least_order(after), least_order(losses[-1]))
        scope = reduce(Scope.__and__, map(sizes, losses)) & Scope.over(n=_SEVERAL)
        return Computed(found, scope, r"L(w) = L(0) + O(\|w\|^n)")

    return compute


def _orders_claim(**changed: object) -> dict[tuple[int, str], tuple[object, object]]:
    """n where pre is bounded; `changed`, by the first word of a case: another order, "n" for n itself."""
    orders = {"nothing": None, "pre": "n", "mid": 1, "post": 0, **changed}
    return {
        (n, case): (found, found)
        for n in _SEVERAL
        for case in _CASES
        for order in [orders[case.split()[0]]]
        for found in [n if order == "n" else n - 1 if order == "n - 1" else order]
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
    explanation="u = a + o(a) is what the layers below leave. Every term has W once and u once: an order k of u becomes "
    "k + 1, and a term with a remainder among its factors is o(|w|^(k+1)).",
)


def _order_argument(title: str, before: Callable[[int], Sum], *, one_unit: bool) -> Argument:
    found = _orders_claim(nothing="n") if one_unit else _orders_claim()
    other = (
        {"one unit needs pre bounded": _orders_claim()}
        if one_unit
        else {"nothing is needed of pre": _orders_claim(nothing="n")}
    )
    return Argument(
        title,
        "index notation",
        _orders(before),
        found,
        {
            **other,
            "order n - 1": {**found, **{k: (k[0] - 1,) * 2 for k in found if k[1] == "pre bounded"}},
            "mid continuous is enough": {**found, **{k: (k[0],) * 2 for k in found if k[1].startswith("mid")}},
            "post continuous is enough": {**found, **{k: (k[0],) * 2 for k in found if k[1].startswith("post")}},
        },
        explanation="|mid(t)|, |post(t)| <= K|t| near 0. (order of the stream's deviation from X, order of the loss's from "
        "L(0)); None: not shown to be bounded.",
    )


ORDER_OF_ONE = Induction("n", _order_argument("The order of one unit, n = 2..6", _no_others, one_unit=True), LAYER)
ORDER = Induction(
    "n",
    _order_argument("The order of one more unit after any number of others, n = 2..6", _after_others, one_unit=False),
    LAYER,
)


# The part of degree n, n >= 2; for n = 2 the second-order expansion.


def leading_term(depth: int, unit: int, slopes: str = "") -> str:
    """c_n (1/m) g^T W_n ... W_1 pre(x) of one unit."""
    path_of = [f"dW{k}({unit})[a{k},a{k - 1}]" for k in range(1, depth + 1)]
    scalars = slopes or " * ".join([*["mid'(0)"] * (depth - 1), "post'(0)"])
    return " * ".join(["m^-1", scalars, f"g[a{depth},u]", "pre(X)[a0,u]", *path_of])


def _deviation(depth: int) -> tuple[Tensor, Sum]:
    """y + o(y): of degree n and smaller, what any number of units before have added."""
    y = Opaque("y", STREAM, degree=depth)
    return y, add(tensor(y, (ROW, SAMPLE)), tensor(rest("o", "y", depth), (ROW, SAMPLE)))


def _leading(*, one_unit: bool) -> Callable[[Context], Computed]:
    """What one more unit adds to the parts of degree n of the stream and of the loss, by n and by what is known of pre."""

    def compute(_: Context) -> Computed:
        found, everything = {}, list[Sum]()
        for n in _SEVERAL:
            before = {} if one_unit else _deviation(n)[1]
            for name, level in _BY_NAME.items():
                after = add(before, path(level)(weights(n, 2), before))
                whole = up_to(after, n, "after")
                stream, loss = (_added(f, before, whole, n) for f in (lambda one: one, KnownLoss(1).at))
                found[n, name] = (stream, loss)
                everything.append(after)
        return Computed(found, reduce(Scope.__and__, map(sizes, everything)) & Scope.over(n=_SEVERAL))

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
    enough = [*_BY_NAME][[*_BY_NAME].index(least) :]
    for (n, name), (stream, loss) in found.items():
        claimed = parse(text(n), words())
        if name in enough and (loss != claimed or mean_product(GRADIENT, stream) != claimed):
            raise Disagreement(f"n={n}, {name}: computed {show(loss)}; claimed {text(n)}")


def _leading_argument(title: str, least: str, weaker: Mapping[str, str], *, one_unit: bool) -> Argument:
    def text(n: int) -> str:
        return leading_term(n, 2)

    return Argument(
        title,
        "index notation",
        _leading(one_unit=one_unit),
        (least, text),
        {
            **{name: (level, text) for name, level in weaker.items()},
            "twice as large": (least, lambda n: f"2 * {text(n)}"),
            "without the slopes of mid": (least, lambda n: leading_term(n, 2, "post'(0)")),
            "units interact": (least, lambda n: f"{text(n)} + {text(n).replace('dW1(2)', 'dW1(1)')}"),
            "X in place of pre(X)": (least, lambda n: text(n).replace("pre(X)", "X")),
        },
        _same_leading,
        explanation="The loss has a gradient g at the initial output. What any number of units before have added is y + o(y).",
    )


LEADING_OF_ONE = Induction(
    "n",
    _leading_argument("The part of degree n of one unit, n = 2..6, whatever pre is", "nothing", {}, one_unit=True),
    LAYER,
)
LEADING = Induction(
    "n",
    _leading_argument(
        "The part of degree n that one more unit adds after any number of others, n = 2..6, pre continuous at the data",
        "continuous",
        {"bounded is enough": "bounded", "nothing is needed": "nothing"},
        one_unit=False,
    ),
    LAYER,
)


# n = 1: the second-order expansion.

_PP = "m^-1 * pre(X)[j,u] * pre(X)[l,u]"
_LINEAR = "m^-1 * post'(0) * g[i,u] * pre(X)[j,u] * dW1(2)[i,j]"
_WITHIN = (
    f"1/2 * post'(0)^2 * Q[i,k,u] * {_PP} * dW1(2)[i,j] * dW1(2)[k,l]"
    f" + 1/2 * post''(0) * g[i,u] * {_PP} * dW1(2)[i,j] * dW1(2)[i,l]"
)
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
        for name, level in _BY_NAME.items():
            for kind, post in (("once", DIFFERENTIABLE), ("twice", TWICE)):
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
    claimed = parse(text, words(y=_Y))
    for name in [*_BY_NAME][[*_BY_NAME].index(least) :]:
        for known in ("once", "twice")[("once", "twice").index(kind) :]:
            if found[name, known] != claimed:
                raise Disagreement(f"pre {name}, post {known}: computed {show(found[name, known])}; claimed {text}")


_ADDED_BY_ONE = f"{_LINEAR} + {_WITHIN}"
_ADDED = f"{_ADDED_BY_ONE} + {_BETWEEN}"
EXPANSION_OF_ONE = Argument(
    "The parts of degree one and two of one unit, n = 1, whatever pre is",
    "index notation",
    _second_order(one_unit=True),
    ("nothing", "twice", _ADDED_BY_ONE),
    {
        "post differentiable once is enough": ("nothing", "once", _ADDED_BY_ONE),
        "without the curvature of post": ("nothing", "twice", f"{_LINEAR} + {_WITHIN.split(' + ')[0]}"),
        "B twice as large": ("nothing", "twice", f"{_LINEAR} + {_WITHIN.replace('1/2', '1')}"),
    },
    _same_second_order,
)
EXPANSION = Argument(
    "The parts of degree one and two that one more unit adds after any number of others, n = 1, pre differentiable at the data",
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
    explanation="The loss has a gradient g and a Hessian Q at the initial output. The units before have moved the stream by "
    "y + z + o, of degree one and two: y is the sum of post'(0) W pre(x) over them, linear in their weights.",
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
_A = (
    f"post'(0)^2 * Q[i,k,u] * {_PP} * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * post'(0)^2 * g[i,u] * pre'(X)[k,u] * pre(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]"
)


def _same_pair(found: tuple[Sum, Sum], claim: tuple[str, str]) -> None:
    if found != (parse(claim[0], words(y=_Y), _FREE), parse(claim[1], words())):
        raise Disagreement(f"computed {show(found[0])} and {show(found[1])}; claimed {claim}")


EARLIER = Argument(
    "What units before have added to the stream, n = 1, and A from it",
    "index notation",
    _moved_by_others,
    (_STREAM, _A),
    {
        "the stream does not move": ("y[i,u]", _A),
        "A transposed": (
            _STREAM,
            _A.replace("dW1(2)", "dW1(9)").replace("dW1(1)", "dW1(2)").replace("dW1(9)", "dW1(1)"),
        ),
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
        if found[order, level] != parse(text, words()):
            raise Disagreement(f"{order}: computed {show(found[order, level])}; claimed {text}")


def _either_way(text: str) -> dict[str, str]:
    return {"W1 first": text, "W2 first": text}


PARTIALS_OF_TWO = Argument(
    "n = 2: both orders of differentiation at zero, W1 and W2 of one unit, whatever pre is",
    "index notation",
    _two_of_one_unit,
    (DIFFERENTIABLE, _either_way(leading_term(2, 1))),
    {
        "|mid| <= K|t| is enough": (LIPSCHITZ, _either_way(leading_term(2, 1))),
        "one of them vanishes": (DIFFERENTIABLE, {**_either_way(leading_term(2, 1)), "W2 first": "0"}),
        "without the slope of mid": (DIFFERENTIABLE, _either_way(leading_term(2, 1, "post'(0)"))),
    },
    _same_derivatives,
    explanation="With W2 fixed, L(W1) = L(0) + c g^T W2 W1 pre(x) + o(|W1|): the derivative in W1 is linear in W2. With W1 "
    "fixed, s = mid(W1 pre(x)) is some vector, the derivative in W2 is post'(0) g s^T, and s is differentiable in W1 at zero.",
)


def _two_of_depth_one(level: Level) -> dict[str, Sum]:
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
    "n = 1: both orders of differentiation at zero, two units or the same one",
    "index notation",
    _derivatives_of_depth_one,
    (DIFFERENTIABLE, _PAIRS),
    {
        "pre continuous is enough": (CONTINUOUS, _PAIRS),
        "the order matters": (DIFFERENTIABLE, {**_PAIRS, "the later first": _A.split(" + ")[0]}),
        "without the curvature of post": (DIFFERENTIABLE, {**_PAIRS, "one unit": _ONE_UNIT.split(" + ")[0]}),
    },
    _same_derivatives,
    explanation="One matrix is fixed near zero; there post has the derivative q' and the loss the gradient G, and the loss is "
    "differentiated in the other matrix at zero. Then G = g + (Q + o) v, q' = post'(0) + (post''(0) + o) u. Within one unit "
    "dW1(1) and dW1(2) are the two directions, and pre does not move.",
)
PARTIALS_WITHIN_ONE = replace(
    PARTIALS_OF_ONE,
    title="n = 1: two derivatives within one unit, whatever pre is",
    claim=(CONTINUOUS, {"one unit": _ONE_UNIT}),
    neighbours={
        "without the curvature of post": (CONTINUOUS, {"one unit": _ONE_UNIT.split(" + ")[0]}),
        "units interact": (CONTINUOUS, {"one unit": _A}),
    },
)


# Explicit networks whose activations are as rough as the hypotheses allow, along rays.

_WEIGHTS: dict[int, tuple[int, ...]] = {
    1: (2, -1, 1, 3, -1, 2, 1, 1),
    2: (1, 2, -1, 1, 2, 0, 1, -1, 1, 1, 0, 2, -1, 1, 3, 1),
}
_WEIGHTS[3] = (*_WEIGHTS[2][:8], 1, -2, 1, 1, *_WEIGHTS[2][8:], 2, 1, -1, 1)
"""Two units, d = 2, by unit, layer, row, column."""
_ROUGH = {
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
    loss = _ROUGH[depth].along(*(sign * v for v in _WEIGHTS[depth]))
    return curve({e: c for e, c in loss.items() if 0 < e <= max(depth, 2)})


def _along_rays(_: Context) -> Computed:
    found = {(n, sign): _ray(n, sign) for n in _ROUGH for sign in (1, -1)}
    return Computed(found, Scope.of(*(f"n={n}, R=2, d=2, m=1" for n in _ROUGH)))


def _times(matrix: list[list[Fraction]], vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


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
            linear = sum(2 * 3 ** (n - 1) * _dot(g, image) for image in images) * sign**n
            form = Fraction(0)
            if n == 1:
                form = within * sum(2 * _dot(q, q) + 3 * _dot(g, [v * v for v in q]) for q in images)
                moved = [a * b for a, b in zip(dp, images[0], strict=True)]
                form += between * 4 * (_dot(images[1], images[0]) + _dot(g, _times(units[1][0], moved)))
            found[n, sign] = curve({n: linear, 2: form}) if n != 2 else curve({2: linear})
    return found


ROUGH_NETWORKS = Argument(
    "Networks as rough as allowed, along rays",
    "explicit",
    _along_rays,
    _ray_claim(),
    {
        "units do not interact": _ray_claim(between=0),
        "B twice as large": _ray_claim(within=2),
        "even in the weights": {**_ray_claim(), (3, -1): _ray_claim()[3, 1]},
    },
    explanation="n = 1: pre once, post twice differentiable; n = 2, 3: pre continuous, mid and post once differentiable.",
)

_ANYHOW = {
    n: replace(_ROUGH[n], pre=(rough(3, {-2: 1}, {0: 2}), rough(-1, {0: 1}, {-1: 4}))) if n > 1 else _ROUGH[n]
    for n in _ROUGH
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
        "the Hessian survives for n = 3": {**_entries(), 3: _entries()[2]},
    },
    explanation="n = 1: pre once, post twice differentiable; n = 2, 3: pre unbounded near the data, mid and post once "
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
OFFSET_POST = RoughNetwork(2, pre=(smooth(1, 2, 1),), post=smooth(1, 1))
"""pre(t) = t^2 at x = 1, post(t) = 1 + t."""


def _instance(
    title: str, compute: Callable[[], object], at: str, claim: object, printed: object, **others: object
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


def first_terms(loss: Curve, below: int) -> Curve:
    """What a loss gains along a curve, less than t^below."""
    return {e: c for e, c in loss.items() if e and e < below}


def _second(loss: Curve) -> Fraction:
    return loss.get(Fraction(2), Fraction(0))


def _gains(
    network: RoughNetwork, direction: Callable[[int], tuple[int, ...]], depths: tuple[int, ...]
) -> dict[int, Curve]:
    return {n: first_terms(replace(network, n=n).along(*direction(n)), n) for n in depths}


NO_BOUND = _instance(
    "pre(t) = (t - 1)^-2 off 1, pre(1) = 1, two units: along (t, ..., t) the loss tends to infinity",
    lambda: {n: min(one.items()) for n, one in _gains(POLE, lambda n: (1,) * (2 * n), _SEVERAL).items()},
    "n=2..6, R=2, d=m=1",
    {n: (Fraction(-2 * n), Fraction(1, 2)) for n in _SEVERAL},
    lambda found: all(e >= n for n, (e, _) in found.items()),
    twice_as_fast={n: (Fraction(-4 * n), Fraction(1, 2)) for n in _SEVERAL},
)


def _quadratic_form(network: RoughNetwork) -> dict[str, Fraction]:
    """The second-order part along (1, ..., 1), and what a quadratic form with its values on pairs of axes has there."""
    count = 2 * network.n
    axes = {k: _second(network.along(*(int(i == k) for i in range(count)))) for k in range(count)}
    pairs = {
        (k, q): _second(network.along(*(int(i in (k, q)) for i in range(count))))
        for k in range(count)
        for q in range(k)
    }
    form = sum(pairs.values(), Fraction(0)) - (count - 2) * sum(axes.values(), Fraction(0))
    return {"loss": _second(network.along(*(1,) * count)), "form": form}


NOT_CONTINUOUS = _instance(
    "pre(t) = 1 + [t > 1], n = 2, two units: the second-order part is no quadratic form",
    lambda: _quadratic_form(STEP),
    "n=2, R=2, d=m=1",
    {"loss": Fraction(3), "form": Fraction(2)},
    lambda found: found["loss"] == found["form"],
    without_the_jump={"loss": Fraction(2), "form": Fraction(2)},
)


def _both_ways(network: RoughNetwork, direction: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """The second-order part along a ray and its opposite."""
    forward, backward = (_second(network.along(*(s * v for v in direction))) for s in (1, -1))
    return forward, backward


def _equal(found: tuple[Fraction, Fraction]) -> bool:
    return found[0] == found[1]


NOT_DIFFERENTIABLE = _instance(
    "pre(t) = max(1, t), n = 1, two units: the second-order part differs along opposite rays",
    lambda: _both_ways(KINK, (1, 1)),
    "n=1, R=2, d=m=1",
    (Fraction(3), Fraction(2)),
    _equal,
    exchanged=(Fraction(2), Fraction(3)),
)


def _mixed(sign: int) -> Fraction:
    """The derivative in the later weight at zero, then the one-sided one in the earlier: the coefficient of a b."""
    loss = KINK.loss(KINK.placed([curve({1: sign}), curve({9: 1})]))
    return sign * loss.get(Fraction(10), Fraction(0))


NO_MIXED_DERIVATIVE = _instance(
    "pre(t) = max(1, t), n = 1, two units: the mixed difference quotients from the two sides",
    lambda: (_mixed(1), _mixed(-1)),
    "n=1, R=2, d=m=1",
    (Fraction(2), Fraction(1)),
    _equal,
    exchanged=(Fraction(1), Fraction(2)),
)
NOT_TWICE = _instance(
    "post(t) = t + t|t|, n = 1, one unit: the second-order part differs along opposite rays",
    lambda: _both_ways(BENT_POST, (1,)),
    "n=1, R=1, d=m=1",
    (Fraction(3, 2), Fraction(-1, 2)),
    _equal,
    without_the_bend=(Fraction(1, 2), Fraction(1, 2)),
)
NOT_LIPSCHITZ = _instance(
    "mid(t) = sign(t) sqrt|t|, n = 3, and post such, n = 2: the least power of t along (t, ..., t)",
    lambda: (min(first_terms(ROOT_MID.along(1, 1, 1), 3)), min(first_terms(ROOT_POST.along(1, 1), 2))),
    "n=3 and n=2, R=1, d=m=1",
    (Fraction(7, 4), Fraction(1)),
    lambda found: found[0] > 2 and found[1] > 1,
    order_n=(Fraction(3), Fraction(2)),
)
NO_SLOPE = _instance(
    "mid = ReLU, and post(t) = t + |t|, n = 2, one unit: the second-order part along (1, 1) and (1, -1)",
    lambda: {
        "mid": (*_both_ways(KINKED_MID, (1, 1)), *_both_ways(KINKED_MID, (1, -1))),
        "post": (*_both_ways(KINKED_POST, (1, 1)), *_both_ways(KINKED_POST, (1, -1))),
    },
    "n=2, R=1, d=m=1",
    {"mid": tuple(map(Fraction, (1, 0, -1, 0))), "post": tuple(map(Fraction, (2, 2, 0, 0)))},
    lambda found: any(q[0] == q[1] == -q[2] == -q[3] for q in found.values()),
    as_for_t={"mid": tuple(map(Fraction, (1, 1, -1, -1))), "post": tuple(map(Fraction, (2, 2, -2, -2)))},
)
NOT_FLAT = _instance(
    "mid(0) = 1, n = 2: a part of degree one; post(0) = 1, n = 2, two units: their forms differ",
    lambda: (
        first_terms(OFFSET_MID.along(0, 1), 2),
        _second(OFFSET_POST.along(1, 1, 0, 0)),
        _second(OFFSET_POST.along(0, 0, 1, 1)),
    ),
    "n=2, R=1 and R=2, d=m=1",
    ({Fraction(1): Fraction(1)}, Fraction(3), Fraction(12)),
    lambda found: not found[0] and found[1] == found[2],
    equal_forms=({Fraction(1): Fraction(1)}, Fraction(12), Fraction(12)),
)


CORNER = RoughNetwork(2, pre=(rough(1, {1: 1}, {1: 1}),), pre_at_zero=smooth(2, -1))
"""pre(t) = 1 + |t - 1| at x = 1: continuous there."""


def _one_sided_slopes(s: Fraction) -> tuple[Fraction, Fraction]:
    """The slopes of the loss in w_2 of the first unit, for w_2 > 0 and < 0, at w_1 = s, w_2 = 0 and s, s in the second."""
    fixed = curve({0: s})
    right, left = (CORNER.loss(CORNER.placed([fixed, curve({1: sign}), fixed, fixed])) for sign in (1, -1))
    return right.get(Fraction(1), Fraction(0)), -left.get(Fraction(1), Fraction(0))


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
    lambda found: all(map(_equal, found.values())),
    without_the_kink={s: ((1 + s**2) * s,) * 2 for s in _NEAR_ZERO},
)
NO_VANISHING_DIFFERENCE = _instance(
    "The limit of second differences over the step, from the loss written out",
    lambda: {s: _second_difference(s) for s in _NEAR_ZERO},
    "n=2, R=2, d=m=1, s = 1/2, ..., 1/32",
    {s: 2 * s**3 * (1 + s**2) for s in _NEAR_ZERO},
    lambda found: not any(found.values()),
    half={s: s**3 * (1 + s**2) for s in _NEAR_ZERO},
)


# The theorem.


def _of_pre(holds: Callable[[Germ], bool]) -> Callable[[RoughNetwork], bool]:
    return lambda network: all(map(holds, network.pre))


VALUES_AT_ZERO = Hypothesis(
    "mid(0) = post(0) = 0",
    lambda network: network.mid.value == network.post.value == 0,
    OFFSET_MID,
    needed=NOT_FLAT,
)
GROWTH = Hypothesis(
    "|mid(t)|, |post(t)| <= K|t| near 0",
    lambda network: network.mid.lipschitz and network.post.lipschitz,
    ROOT_MID,
    needed=NOT_LIPSCHITZ,
)
SLOPES = Hypothesis(
    "mid and post are differentiable at 0",
    lambda network: network.mid.differentiable and network.post.differentiable,
    KINKED_MID,
    needed=NO_SLOPE,
)
CURVED_POST = Hypothesis(
    "post is twice differentiable at 0", lambda network: network.post.twice_differentiable, BENT_POST, needed=NOT_TWICE
)
BOUNDED_AT_DATA = Hypothesis(
    "pre is bounded near the data", _of_pre(lambda germ: germ.bounded), POLE, printed=False, needed=NO_BOUND
)
CONTINUOUS_AT_DATA = Hypothesis(
    "pre is continuous at the data", _of_pre(lambda germ: germ.continuous), STEP, printed=False, needed=NOT_CONTINUOUS
)
DIFFERENTIABLE_AT_DATA = Hypothesis(
    "pre is differentiable at the data",
    _of_pre(lambda germ: germ.differentiable),
    KINK,
    printed=False,
    needed=NOT_DIFFERENTIABLE,
)
MIXED_AT_DATA = replace(DIFFERENTIABLE_AT_DATA, needed=NO_MIXED_DERIVATIVE)
PEANO = Citation(
    "taylor-peano",
    {
        "post is twice differentiable at 0": Condition(
            lambda network: network.post.twice_differentiable, lambda: _ROUGH[1], lambda: BENT_POST
        )
    },
)
"""From the second derivative of post at 0 to its expansion there; for one derivative that is its definition."""


def _ours(*hypotheses: Hypothesis) -> tuple[Hypothesis, ...]:
    """Hypotheses of this theorem, which is printed nowhere else."""
    return tuple(replace(one, printed=True) for one in hypotheses)


_ONE, _ANY = {"d": 1, "m": 1}, {"R": 1, "d": 1, "m": 1}
T2_SHARP = Statement(
    id="DR-T2S",
    title="Theorem 2 with as little as possible asked of the activations",
    subject="n_shortcut",
    source=None,
    sentence="With mid(0) = post(0) = 0, at zero weights: of pre at the data one unit needs nothing; several units need it "
    "bounded near the data for the order n - 1, n >= 2, continuous there for the part of degree n, n >= 2, and differentiable "
    "there for the second-order expansion, n = 1. Second partial derivatives at zero need nothing of pre for n >= 2.",
    latex=r"L(w) = L(0) + c_n \textstyle\sum_r \operatorname{tr}(M^{\mathsf T} W^{r,n} \cdots W^{r,1}) + o(\|w\|^n), \quad n \ge 2",
    hypotheses=_ours(VALUES_AT_ZERO),
    uses=("DR-L3",),
    clauses=(
        Clause(
            "n >= 2, R = 1: L(w) = L(0) + O(|w|^n), whatever pre is.",
            {"n": 2, **_ONE},
            (ORDER_OF_ONE, ROUGH_NETWORKS),
            _ours(GROWTH),
        ),
        Clause(
            "n >= 2, any R: L(w) = L(0) + O(|w|^n).",
            {"n": 2, **_ANY},
            (ORDER, ROUGH_NETWORKS),
            _ours(GROWTH, BOUNDED_AT_DATA),
        ),
        Clause(
            "n >= 2, R = 1: L(w) = L(0) + c_n g^T W_n ... W_1 pre(x), the mean over samples, + o(|w|^n), whatever pre is.",
            {"n": 2, **_ONE},
            (LEADING_OF_ONE, ROUGH_NETWORKS),
            _ours(SLOPES),
        ),
        Clause(
            "n >= 2, any R: L(w) = L(0) + c_n sum over units of g^T W_n ... W_1 pre(x), the mean over samples, + o(|w|^n).",
            {"n": 2, **_ANY},
            (LEADING, ROUGH_NETWORKS),
            _ours(SLOPES, CONTINUOUS_AT_DATA),
            other_readings=(
                Clause(
                    "n = 2, any R, the Hessian read as the second derivative in the sense of Frechet: the loss is differentiable "
                    "near zero, and its gradient differentiable at zero.",
                    _ANY,
                    hypotheses=_ours(SLOPES, CONTINUOUS_AT_DATA),
                    counterexample=Counterexample(
                        CORNER,
                        "pre(t) = 1 + |t - 1| is continuous at the data x = 1, yet at points (s, 0, s, s) as near to zero as one "
                        "likes the loss has a kink in the second weight.",
                        (NO_GRADIENT_NEARBY, NO_VANISHING_DIFFERENCE),
                    ),
                ),
            ),
        ),
        Clause(
            "n = 1, R = 1: the second-order expansion exists, with the form B, whatever pre is.",
            _ONE,
            (EXPANSION_OF_ONE, PEANO, ROUGH_NETWORKS),
            _ours(CURVED_POST),
        ),
        Clause(
            "n = 1, any R: the second-order expansion exists, with B within units and A between them.",
            _ANY,
            (EXPANSION, EARLIER, PEANO, ROUGH_NETWORKS),
            _ours(CURVED_POST, DIFFERENTIABLE_AT_DATA),
        ),
        Clause(
            "n >= 2, any R: all partial derivatives at zero of order 1, ..., n - 1 exist and vanish, whatever pre, mid and post "
            "are otherwise; for n >= 3 those of order two.",
            {"n": 2, **_ANY},
            (CONSTANT_WITHOUT, PAIRS_OF_WEIGHTS),
        ),
        Clause(
            "n = 2, any R: all second partial derivatives at zero exist, those of A = c M between W1 and W2 of one unit, in either "
            "order, and no others that are not zero; whatever pre is.",
            _ANY,
            (PARTIALS_OF_TWO, constant_without((2,)), PAIRS_OF_WEIGHTS),
            _ours(SLOPES),
        ),
        Clause(
            "n = 1, R = 1: all second partial derivatives at zero exist, those of B, whatever pre is.",
            _ONE,
            (PARTIALS_WITHIN_ONE, PAIRS_OF_WEIGHTS),
            _ours(CURVED_POST),
        ),
        Clause(
            "n = 1, any R: all second partial derivatives at zero exist, in either order: those of B within units, of A between.",
            _ANY,
            (PARTIALS_OF_ONE, constant_without((1,)), PAIRS_OF_WEIGHTS),
            _ours(CURVED_POST, MIXED_AT_DATA),
        ),
    ),
    notes="L is the mean over samples of any loss with a gradient g at the initial output, for n = 1 also with a Hessian there. "
    "The second-order expansion is that of Taylor and Peano, L(w) = L(0) + l(w) + q(w) + o(|w|^2); second partial derivatives "
    "may exist without it, as with pre(t) = 1 + [t > 1].",
)

STATEMENTS = (T2_SHARP,)
