"""Rethinking skip connections, Equation 26: whether the weights are about equal to their last update (EX-7).

Delta W(t) = W(t) - W(t-1) (Equation 25). "About equal" is read as a relative error of at most tau = 1/2,

    |W(t) - Delta W(t)| <= tau |W(t)|.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
import sympy

from resproof.architectures.catalogue import plain
from resproof.architectures.forms.terms import ROW, SAMPLE, Opaque
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import gradient
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.pictures import first_errors
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Induction,
    Measurement,
    Repair,
    Statement,
)
from resproof.symbolic.algebra.noncommutative import Words, add, minus, words
from resproof.symbolic.algebra.noncommutative import sizes as sizes_of_words
from resproof.symbolic.certificates import (
    Element,
    Orthant,
    between,
    occurring,
    of_symbols,
    orthant,
    standing_for,
    substitute,
)
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.lift import data, unit_series
from resproof.symbolic.index.series import Sum, lowest_degree, series, tensor
from resproof.symbolic.scope import Scope

_TAU = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class WidthOneDescent:
    """Gradient descent for f = w_L ... w_1 x on one sample, width one, cost (y - f)^2 / 2, all weights equal, for every L."""

    weight: Fraction
    x: Fraction
    y: Fraction
    rate: Fraction

    def cost(self, *weights: Fraction) -> Fraction:
        """(y - f)^2 / 2."""
        return (self.y - prod(weights, start=self.x)) ** 2 / 2

    def error(self, power: Any) -> Any:
        """|W(1) - Delta W(1)| / |W(1)| in every layer, by backpropagation; `power` is w^L, a number or a symbol."""
        share = self.rate * (self.y - power * self.x) * (power * self.x) / self.weight**2
        return 1 / (1 + share)

    def __str__(self) -> str:
        return f"n = N = 1, every L, W^l(0) = {self.weight}, x = {self.x}, y = {self.y}, eta = {self.rate}"


_DESCENT = WidthOneDescent(Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 10))
_RUN = (1, 2, 3, 10, 110)


def _by_recursion(_: Context) -> Computed:
    """The error as a function of w^L = 1/(2 + s), s >= 0, which runs through all values of 2^-L."""
    o = orthant(nonnegative="s")
    found = _DESCENT.error(1 / (2 + o["s"]))
    shown = (
        r"\frac{|W^l(1) - \Delta W^l(1)|}{|W^l(1)|} = \frac{1}{1 + \tfrac25\, 2^{-L} (2 - 2^{-L})} \ge \tfrac{10}{13}"
    )
    return Computed((o, found), Scope.over(d=1, t=1) & standing_for(occurring(found), {"s": "L"}), shown)


class _ErrorBound(NamedTuple):
    """The error is at least this, or at most, at every depth; the former with equality for one layer."""

    value: Fraction
    least: bool = True


def _bounds_the_error(found: tuple[Orthant, Element], claim: _ErrorBound) -> None:
    o, error = found
    difference = error - claim.value
    o.at_least_zero("the error", difference if claim.least else -difference)
    if claim.least:
        o.identical("one layer", substitute(difference, {"s": 0 * o["s"]}), 0 * error)


def _by_differences(_: Context) -> Computed:
    """The error in every layer, the update by central differences, exact for a cost of degree two in each weight."""
    run, found = _DESCENT, dict[int, Fraction]()
    for depth in _RUN:
        others = (run.weight,) * (depth - 1)
        update = run.rate * (run.cost(run.weight - 1, *others) - run.cost(run.weight + 1, *others)) / 2
        found[depth] = 1 - Fraction(update, run.weight + update)
    return Computed(found, Scope.of(f"n=N=1, L={', '.join(map(str, found))}, t=1"))


_ERRORS_RUN = {depth: 1 / (1 + Fraction(2, 5) * Fraction(1, 2**depth) * (2 - Fraction(1, 2**depth))) for depth in _RUN}


@property_of({1: _TAU, 2: Fraction(0)}, not_of=[{1: Fraction(0), 2: _TAU + Fraction(1, 100)}])
def _about_equal(errors: Mapping[int, Fraction]) -> bool:
    return all(error <= _TAU for error in errors.values())


# What holds instead.

_SHAPES: dict[str, tuple[str, str]] = {f"W{t}": ("d", "d") for t in (*range(7), "s", "t")} | {"R": ("d", "d")}


def _telescopes(_: Context) -> Computed:
    """W(t) - Delta W(t), and W(t) minus the sum of the updates up to t; letters W0, W1, ..."""

    def update(t: int) -> Words:
        return words(f"W{t} - W{t - 1}")

    found: dict[str, Words] = {}
    times = range(1, 7)
    for t in times:
        found[f"error {t}"] = minus(words(f"W{t}"), update(t))
        found[f"rest {t}"] = minus(words(f"W{t}"), add(*map(update, range(1, t + 1))))
    scope = sizes_of_words(_SHAPES, *map(update, times))
    return Computed(found, Scope.over(t=times) & scope, r"W(t) - \Delta W(t) = W(t-1)")


_TELESCOPES = {
    **{f"error {t}": words(f"W{t - 1}") for t in range(1, 7)},
    **{f"rest {t}": words("W0") for t in range(1, 7)},
}


def _one_step_more(_: Context) -> Computed:
    """W(t) follows W(s), and R is what W(s) leaves after the sum of the updates up to s."""
    before, update = words("Ws - R"), words("Wt - Ws")
    found = {"error": minus(words("Wt"), update), "rest": minus(words("Wt"), add(before, update))}
    return Computed(found, sizes_of_words(_SHAPES, before, update), r"W(t) - \sum_{s \le t} \Delta W(s) = R")


def _least_growth(first_step: bool) -> Callable[[Context], Computed]:
    """tau^(k+1) w' - w_0 as (tau^k w - w_0) + tau^k (tau w' - w): what is left over; k = 0 and w = w_0 at the first step."""

    def compute(_: Context) -> Computed:
        tau, power, now, then, first = sympy.symbols("tau p w v w0")
        at = {power: 1, now: first} if first_step else {}
        rest = power * tau * then - first - (power * now - first) - power * (tau * then - now)
        share = sympy.expand((then - now) - (1 - tau) * then - (tau * then - now))
        found = {"growth": str(sympy.expand(rest.subs(at))), "share": str(share.subs(at))}
        sizes_of_p = Scope.over(t=1) if first_step else of_symbols({"t": power}, power * now)
        return Computed(found, sizes_of_p, r"|W(k)| \ge \tau^{-k} |W(0)|")

    return compute


def _one_layer(_: Context) -> Computed:
    """W(t) / Delta W(t) for t = 1..8 as polynomials in s, q = 1/(1 + s).

    One layer from W(0) = 0 along an eigenvector of S: W(t) = W(t-1) + (1 - q)(W* - W(t-1)), in units of W*.
    """
    s, q = sympy.symbols("s q")
    quotients, weight = dict[int, Any](), sympy.Integer(0)
    for t in range(1, 9):
        update = sympy.expand((1 - q) * (1 - weight))
        weight = sympy.expand(weight + update)
        quotients[t] = sympy.Poly(sympy.cancel(sympy.cancel(weight / update).subs(q, 1 / (1 + s))), s)
    shown = r"\frac{|\Delta W(t)|}{|W(t)|} = \frac{q^{t-1}}{1 + q + \dots + q^{t-1}} \le \frac1t"
    return Computed(quotients, Scope.over(t=quotients), shown)


def _at_least(found: Mapping[int, Any], claim: Callable[[int], int]) -> None:
    """Pass when W(t) / Delta W(t) exceeds the claimed number by a polynomial in s >= 0 without negative coefficients.

    Raises:
        Disagreement: a coefficient is negative.
    """
    for t, one in found.items():
        if [c for c in (one - claim(t)).coeffs() if c < 0]:
            raise Disagreement(f"t = {t}: {(one - claim(t)).as_expr()} has a negative coefficient")


def _one_update_more(_: Context) -> Computed:
    """W(t+1) / Delta W(t+1) for any W(t) = Q Delta W(t), as a function of Q, in the orthant of s, the gap g, t and x."""
    o = orthant("s g t", "x")
    q, gap = between(1, 0, o["s"]), o["g"]
    update = (1 - q) * gap
    later = (1 - q) * (gap - update)

    def quotient(before: Element) -> Element:
        return (before * update + later) / later

    return Computed(
        (o, quotient), o.sizes.only(["t"]), r"\frac{W(t+1)}{\Delta W(t+1)} = (1 + s)\,\frac{W(t)}{\Delta W(t)} + 1"
    )


def _goes_on(found: tuple[Orthant, Callable[[Element], Element]], claim: Callable[[Any], Any]) -> None:
    """Pass when a quotient of at least claim(t) is followed by one of at least claim(t + 1)."""
    o, quotient = found
    t = o["t"]
    o.at_least_zero("the next quotient", quotient(claim(t) + o["x"]) - claim(t + 1))


_DEPTHS = (1, 2, 3, 4, 5, 6)
_PLAIN = ResidualUnit(plain())


def _degrees(_: Context) -> Computed:
    """The least degree, in the weights of all layers together, of the output of a plain linear network."""
    found = dict[int, int | None]()
    parts = list[Sum]()
    for layers in _DEPTHS:
        stream = series([data(_PLAIN)], layers)
        for number in range(1, layers + 1):
            stream = unit_series(_PLAIN, stream, number)
        found[layers] = lowest_degree(stream)
        parts += filter(None, stream)
    return Computed(
        found,
        Scope.over(L=_DEPTHS) & sizes.of_terms(*parts),
        r"\Delta W^l(1) = O(\varepsilon^{L-1}) \text{ for } |W^l(0)| = O(\varepsilon)",
    )


def _degree_of_a_layer(_: Context) -> Computed:
    """The parts of degree 0 and 1 of one layer on an arbitrary stream N, which has some degree of its own."""
    stream = tensor(Opaque("N", ("d", "m")), (ROW, SAMPLE))
    parts = unit_series(_PLAIN, series([stream], 2))
    found = {"degrees": {k for k, part in enumerate(parts) if part}, "part": show(parts[1])}
    return Computed(found, sizes.of_terms(*parts), r"\deg h^{L+1} = \deg h^L + 1")


_DEGREE_OF_A_LAYER = {"degrees": {1}, "part": "N[a,u] * dW1(1)[i,a]"}


def _first_shares(_: Context) -> Computed:
    """The least degree in eps of Delta W(1) / W(0) for L layers of width one, all weights eps, x = y = 1, at rate one."""
    eps, w = sympy.symbols("eps w")
    found = dict[int, int]()
    for layers in _SHARE_DEPTHS:
        update = -sympy.diff((1 - w * eps ** (layers - 1)) ** 2 / 2, w).subs(w, eps)
        found[layers] = min(power for (power,) in sympy.Poly(sympy.cancel(update / eps), eps).monoms())
    return Computed(found, Scope.of(*(f"n=1, L={layers}" for layers in found)))


_SHARE_DEPTHS = (3, 4, 5, 9)

# Evidence.

_LAYERS, _STEPS, _RATE = 10, 10, 0.1


@dataclass(frozen=True, slots=True)
class Shares:
    """Over layers and the first steps: the greatest |Delta W| / |W| and the greatest |W - Delta W| / |W|."""

    update: float
    error: float
    sizes: str
    seed: int


def _early_steps(context: Context) -> Computed:
    ops, d = device(context.device).ops, len(context.data.X)
    x, y = (np.ascontiguousarray(np.asarray(part)[:, :500]) for part in (context.data.X, context.data.Y))
    network = Network(ResidualUnit(plain()), _LAYERS)
    (name,) = network.unit.names.values()
    weights = np.random.default_rng(context.seed).normal(scale=d**-0.5, size=(_LAYERS, d, d))
    on_device = ops.asarray(x), ops.asarray(y)
    update = error = 0.0
    for _ in range(_STEPS):
        change = -_RATE * ops.numpy(gradient(network, {name: ops.asarray(weights)}, *on_device)[name])
        after = weights + change
        size = np.linalg.norm(after, axis=(1, 2))
        update = max(update, largest_modulus(np.linalg.norm(change, axis=(1, 2)) / size))
        error = max(error, largest_modulus(np.linalg.norm(after - change, axis=(1, 2)) / size))
        weights = after
    sizes = f"L={_LAYERS}, d={d}, m={x.shape[1]}, t <= {_STEPS}, eta={_RATE}; {context.data.name}"
    return Computed(Shares(update, error, sizes, context.seed), Scope.of(sizes))


def _below_half(found: Shares, claim: Callable[[Shares], float]) -> Measurement:
    """The claimed share of |W(t)| is at most one half."""
    derivation = r"$\tau = 1/2$: with an error of at most $\tau \lvert W\rvert$ the update is at least $(1 - \tau) \lvert W\rvert$, by the triangle inequality"
    return Measurement(
        r"greatest share of $\lvert W(t)\rvert$",
        claim(found),
        float(_TAU),
        found.sizes,
        found.seed,
        derivation,
        at_most=True,
    )


_FORMER_WEIGHT = Induction(
    "t",
    Argument(
        "The error is the former weight",
        "identity",
        _telescopes,
        _TELESCOPES,
        {
            "the error is the first weight": {**_TELESCOPES, "error 3": words("W0")},
            "the updates sum to the weight": {**_TELESCOPES, "rest 3": {}},
        },
    ),
    Argument(
        "One step more",
        "identity",
        _one_step_more,
        {"error": words("Ws"), "rest": words("R")},
        {
            "the updates sum to the weight": {"error": words("Ws"), "rest": {}},
            "the error is the rest": {"error": words("R"), "rest": words("R")},
        },
    ),
)
_NOTHING_LEFT = {"growth": "0", "share": "0"}
_GROWTH = Induction(
    "t",
    Argument(
        "Growth that a small error asks for, first step",
        "inequality",
        _least_growth(first_step=True),
        _NOTHING_LEFT,
        {"the combination leaves a rest": {"growth": "tau*v", "share": "0"}},
    ),
    Argument(
        "Growth that a small error asks for, one step more",
        "inequality",
        _least_growth(first_step=False),
        _NOTHING_LEFT,
        {"the combination leaves a rest": {"growth": "p*w", "share": "0"}},
        explanation=r"$w = \lvert W(k)\rvert$, $v = \lvert W(k+1)\rvert$, $p = \tau^k$. The slacks $\tau^k w - w_0$ and $\tau v - w$ "
        r"are nonnegative, so their combination is; and $\lvert\Delta W\rvert \ge v - w \ge (1 - \tau) v$.",
    ),
)
_FROM_ZERO = Induction(
    "t",
    Argument(
        "One layer from zero",
        "inequality",
        _one_layer,
        lambda t: t,
        {"at most $1/(t + 1)$": lambda t: t + 1, "at most $2^{1 - t}$": lambda t: 2 ** (t - 1)},
        _at_least,
        explanation=r"$W(t) = W(t-1) + (1 - q)(W^* - W(t-1))$ with $0 < q = 1 - \eta \lambda \le 1$, $q = 1/(1+s)$. From $t = 2$ on "
        "the share is at most one half. Where $q = 0$ the weight is $W^*$ after one step and no update follows.",
    ),
    Argument(
        "One layer, one update more",
        "inequality",
        _one_update_more,
        lambda t: t,
        {"at most $1/(2 t)$": lambda t: 2 * t, "at most $1/t^2$": lambda t: t * t},
        certified(_goes_on),
        explanation=r"The gap $W^* - W(t)$ is $q$ times that before, so that $\Delta W(t+1) = q \Delta W(t)$.",
    ),
)
_SHARES_OF_WIDTH_ONE = Argument(
    "The share of the first update, width one",
    "explicit",
    _first_shares,
    {layers: layers - 2 for layers in _SHARE_DEPTHS},
    {
        r"it does not depend on $\varepsilon$": dict.fromkeys(_SHARE_DEPTHS, 0),
        "the degree of the update itself": {layers: layers - 1 for layers in _SHARE_DEPTHS},
    },
    explanation=r"$\varepsilon^{L - 2}$: from three layers on it tends to zero with $\varepsilon$.",
)
_SMALL_WEIGHTS = Induction(
    "L",
    Argument(
        "Small weights and depth",
        "index notation",
        _degrees,
        {layers: layers for layers in _DEPTHS},
        {
            "every layer enters alone": dict.fromkeys(_DEPTHS, 1),
            "one degree more": {layers: layers + 1 for layers in _DEPTHS},
        },
        explanation="The output has degree $L$ in the weights, so a derivative by one of them has degree at least $L - 1$: for "
        r"$L \ge 3$ smaller than the weights themselves.",
    ),
    Argument(
        "One layer more raises every degree by one",
        "index notation",
        _degree_of_a_layer,
        _DEGREE_OF_A_LAYER,
        {
            "the degree stays": {**_DEGREE_OF_A_LAYER, "degrees": {0}},
            "as with a shortcut": {**_DEGREE_OF_A_LAYER, "degrees": {0, 1}},
        },
        explanation="$N$ is the output of the layers before, or any part of it.",
    ),
)

_ERROR_ROUTES = (
    Argument(
        "The errors by backpropagation, at every depth",
        "inequality",
        _by_recursion,
        _ErrorBound(Fraction(10, 13)),
        {
            PRINTED: _ErrorBound(_TAU, least=False),
            "at least 11/13": _ErrorBound(Fraction(11, 13)),
            "at least 1/2, with equality for one layer": _ErrorBound(_TAU),
        },
        certified(_bounds_the_error),
        explanation=r"The update of each weight is $\eta (y - f) f / w$, $f = w^L x$.",
    ),
    Argument(
        "The errors by central differences",
        "instance",
        _by_differences,
        _ERRORS_RUN,
        {PRINTED: _about_equal, "the share of the update": {depth: 1 - error for depth, error in _ERRORS_RUN.items()}},
        matches,
    ),
)

EX7 = Statement(
    id="EX-7",
    title="Early in training the weights are about equal to their last update",
    source=source(
        "Eq. 26",
        "large weight updates are made at the start of training. As such, if the total number of iterations is T, we can write W^l(t) ~ Delta W^l(t) : 1 <= t << T",
    ),
    sentence=r"Early in training, $1 \le t \ll T$, the weights $W(t)$ are about equal to the update $\Delta W(t)$ made at step $t$.",
    latex=r"W^l(t) \approx \Delta W^l(t), \qquad 1 \le t \ll T",
    for_all={"L": 1, "d": 1, "t": 1},
    hypotheses=(
        Hypothesis(
            r"the start is far from the solution: $\lvert y - f\rvert$ is more than half of $\lvert y\rvert$",
            # |f| = |w|^L |x| is at most |w x|.
            lambda run: abs(run.weight) <= 1 and abs(run.weight * run.x) < abs(run.y) / 2,
            fails_on=replace(_DESCENT, y=Fraction(1)),
            holds_on=replace(_DESCENT, weight=Fraction(1), y=Fraction(201, 100)),
            quote="are generally quite far from the solution",
            where="before Equation 26",
        ),
        Hypothesis(
            "the learning rate lies in the paper's range, 0.0001 to 0.1",
            lambda run: Fraction(1, 10000) <= run.rate <= Fraction(1, 10),
            fails_on=replace(_DESCENT, rate=Fraction(101, 1000)),
            holds_on=replace(_DESCENT, rate=Fraction(1, 10_000)),
            quote="learning rate in the range [0.0001-0.1]",
            where="section 6.1",
        ),
    ),
    counterexample=Counterexample(
        instance=_DESCENT,
        picture=lambda one: first_errors(lambda rate: replace(one, rate=rate).error(one.weight**2), one.rate),
        sentence=r"Layers of width one, of any number, the loss $\tfrac12 \lvert y - f\rvert^2$, at the paper's greatest learning rate: "
        "the error of the first step is at least 10/13 at every depth, and tends to one as the depth grows. With smaller rates "
        "it is greater.",
        latex=r"W^l(0) = \tfrac12,\ x = 1,\ y = 2: \quad \frac{|W^l(1) - \Delta W^l(1)|}{|W^l(1)|} = \frac{1}{1 + \tfrac25\, 2^{-L} (2 - 2^{-L})} \ge \tfrac{10}{13} > \tfrac12",
        routes=_ERROR_ROUTES,
    ),
    repair=Repair(
        latex=r"W(t) - \Delta W(t) = W(t-1), \qquad W(t) = W(0) + \sum_{s=1}^t \Delta W(s)",
        arguments=(),
        clauses=(
            Clause(
                r"$W(t) - \Delta W(t) = W(t-1)$ exactly, so the error is $\lvert W(t-1)\rvert / \lvert W(t)\rvert$: zero "
                "at $t = 1$ from $W(0) = 0$.",
                {"t": 1, "d": 1},
                (_FORMER_WEIGHT,),
            ),
            Clause(
                r"The error is at most $\tau$ at every step up to $t$ only if $\lvert W(t)\rvert \ge \tau^{-t} \lvert W(0)\rvert$.",
                {"t": 1},
                (_GROWTH,),
            ),
            Clause(
                r"One layer from zero, along an eigenvector of $S$ at a fixed step of at most $1/\lambda$: the update is at most "
                "$1/t$ of $W(t)$.",
                {"t": 1},
                (_FROM_ZERO,),
            ),
            Clause(
                r"$L \ge 3$ layers at weights of size $\varepsilon$: the update is $O(\varepsilon^{L-1})$, so its share "
                r"tends to zero with $\varepsilon$.",
                {"L": 3, "d": 1, "m": 1},
                (_SMALL_WEIGHTS, _SHARES_OF_WIDTH_ONE),
            ),
        ),
        changes=(Change("W^l(t) ~ Delta W^l(t)", r"$W(t) - \Delta W(t) = W(t-1)$ exactly"),),
        beside=True,
    ),
    evidence=(
        Argument(
            "Ten steps of a plain network of ten layers on the digits",
            "floating point",
            _early_steps,
            lambda found: found.update,
            {PRINTED: lambda found: found.error},
            _below_half,
            explanation="Xavier weights, the paper's greatest learning rate: the update stays below half of the weights, the error does not.",
        ),
    ),
    kind="algebra",
    notes="About equal is read as a relative error of at most 1/2; $t = 1$, which is early for every $T$. The instance refutes "
    "every reading with a bound below 10/13, and its depth every bound below one.",
)

STATEMENTS = (EX7,)
