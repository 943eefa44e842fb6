"""Pictures of the counterexamples to *Rethinking the role of skip connections*: layer by layer, and both sides of bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod, sqrt
from random import Random
from typing import TYPE_CHECKING, Any

from resproof.proofs.pictures import Plot, Stroke, between, graph, graphs, line
from resproof.symbolic.algebra.matrices import Matrix, determinant, inverse, matrix, multiply, transpose

if TYPE_CHECKING:
    from resproof.proofs.rethinking_skips.independent_layers import RandomLayers
    from resproof.proofs.rethinking_skips.joint_families import Family
    from resproof.proofs.rethinking_skips.singular_products import Pair

_LAYERS, _DRAWN, _DRAWS = 40, 60, 5
_L = "layers $L$"


def _coordinates(one: Family, depth: int) -> list[Fraction]:
    """What h^L has of v_1, ..., v_d."""
    return [row[0] for row in multiply(inverse(one.vectors), transpose((one.hidden(depth),)))]


def second_direction_stays(one: Family) -> Plot:
    """What v_2 has of h^L, relative to v_1, against depth."""

    def share(depth: int) -> Fraction:
        first, second = _coordinates(one, depth)
        return abs(second / first)

    return Plot(
        "What $v_2$ has of $h^L$ beside $v_1$: more than half of what it has of $x$, at every depth.",
        _L,
        "share of $v_2$ beside $v_1$",
        (
            graph("computed", share, range(_LAYERS + 1)),
            line("as printed: $v_1$ alone is left", ((0, 0), (_LAYERS, 0)), printed=True),
        ),
    )


def condition(a: Matrix) -> float:
    """kappa of a nonsingular 2 x 2 matrix: kappa + 1/kappa = |a|_F^2 / |det a|."""
    total = sum(v * v for row in a for v in row) / abs(determinant(a))
    # (q + sqrt(q^2 - 4)) / 2, and q itself where q^2 is beyond floats
    q = float(total)
    return (q + sqrt(max(q * q - 4, 0))) / 2 if q < 1e100 else q


def bounded_condition(one: Family) -> Plot:
    """kappa of the product of L layers, V = X = I."""
    return Plot(
        "The condition number of $H^L$: it stays below 2, though $v_1$ is dominant in every layer.",
        _L,
        r"$\kappa(H^L)$",
        (graph("computed", lambda depth: condition(one.product(depth)), range(_LAYERS + 1)),),
    )


def other_direction_grows(one: Family) -> Plot:
    """The coordinates of h^L, and that of v_2 in the printed form, alpha_2."""
    places = range(_LAYERS + 1)
    states = [_coordinates(one, depth) for depth in places]
    return Plot(
        "The coordinates of $h^L$: that of $v_2$, which the printed form leaves as it was, grows and dominates.",
        _L,
        "modulus of the coordinate",
        (
            line("$v_1$ in $h^L$", ((k, abs(h[0])) for k, h in enumerate(states))),
            line("$v_2$ in $h^L$", ((k, abs(h[1])) for k, h in enumerate(states))),
            line("$v_2$ in the printed form", ((k, one.alpha[1]) for k in places), printed=True),
        ),
        log=True,
    )


def _multipliers(one: RandomLayers, seed: int) -> list[list[Fraction]]:
    """The multipliers (mu_1, mu_2) of layers drawn from the law."""
    law, random = one.law(), Random(seed)
    drawn = random.choices([*law], weights=[float(p) for p in law.values()], k=_DRAWN)
    return [[int(one.shortcut) + one.paths * value for value in values] for values in drawn]


def _draws(one: RandomLayers, label: str, value: Callable[[Sequence[list[Fraction]]], Any]) -> tuple[Stroke, ...]:
    """The value of the first 0, 1, ... layers, for each draw."""
    drawn = [_multipliers(one, seed) for seed in range(_DRAWS)]
    return tuple(
        graph(label, lambda depth, layers=layers: value(layers[:depth]), range(_DRAWN + 1)) for layers in drawn
    )


def fading_draws(one: RandomLayers) -> Plot:
    """What random layers leave of v_2, beside the printed form, which keeps alpha_2 v_2."""
    kept = line("$v_2$ in the printed form", ((0, 1), (_DRAWN, 1)), printed=True)
    return Plot(
        f"What {_DRAWS} draws of random layers leave of $v_2$: it tends to zero, where the printed form keeps it.",
        _L,
        "coordinate of $v_2$",
        (*_draws(one, "$v_2$ in $h^L$", lambda layers: abs(prod(m[1] for m in layers))), kept),
        log=True,
    )


def growing_draws(one: RandomLayers) -> Plot:
    """kappa of products of random layers, X = I."""

    def value(layers: Sequence[list[Fraction]]) -> Fraction:
        first, second = (abs(prod((m[i] for m in layers), start=Fraction(1))) for i in (0, 1))
        return max(first, second) / min(first, second)

    return Plot(
        f"The condition number of $H^L$ for {_DRAWS} draws of random layers: it does not stay moderate.",
        _L,
        r"$\kappa(H^L)$",
        _draws(one, "computed", value),
        log=True,
    )


def with_and_without(one: RandomLayers, seen: str = "with shortcuts it grows faster than without") -> Plot:
    """kappa of products of the same random layers with shortcuts and without, X = I, for one draw."""

    def kappa(layers: Sequence[list[Fraction]], start: int) -> Fraction:
        first, second = (abs(prod((m[i] - 1 + start for m in layers), start=Fraction(1))) for i in (0, 1))
        return max(first, second) / min(first, second)

    layers = _multipliers(one, 0)
    return Plot(
        f"The condition number of $H^L$ for one draw of the weights: {seen}.",
        _L,
        r"$\kappa(H^L)$",
        tuple(
            graph(label, lambda depth, start=start: kappa(layers[:depth], start), range(_DRAWN + 1))
            for label, start in (("plain", 0), ("residual", 1))
        ),
        log=True,
    )


def conditions_by_layer(
    hidden: Sequence[Matrix], found: Sequence[Matrix], sees: str, name: str = r"$\kappa(\Delta^l)$"
) -> Plot:
    """kappa of the hidden representations, where these are nonsingular, and of what layers 1, ..., L have."""

    def through(label: str, matrices: Sequence[Matrix]) -> Stroke:
        return line(label, ((k, condition(a)) for k, a in enumerate(matrices, start=1)))

    states = (through(r"$\kappa(H^l)$", hidden),) if all(map(determinant, hidden)) else ()
    return Plot(
        sees,
        "layer $l$",
        "condition number" if states else name,
        (*states, through(name, found)),
        log=bool(states),
    )


def least_stretch(one: Family) -> Plot:
    """The least singular value of the product of L layers of width two, X = I: the root of |det| / kappa."""

    def least(depth: int) -> float:
        product = one.product(depth)
        return sqrt(float(abs(determinant(product))) / condition(product))

    return Plot(
        "The least singular value of $H^L$: it stays 1 at every depth. Were $H^L$ singular by rank, it would be 0.",
        _L,
        r"$\sigma_{\min}(H^L)$",
        (
            graph("computed", least, range(_LAYERS + 1)),
            line("as printed", ((0, 0), (_LAYERS, 0)), printed=True),
        ),
    )


def columns_on_lines(signals: Sequence[Matrix], sees: str) -> Plot:
    """Both columns of the last error gradients, each from zero."""
    last = len(signals)
    return Plot(
        sees,
        "first coordinate",
        "second coordinate",
        tuple(
            line(name, ((0, 0), column))
            for name, signal in (
                (r"columns of $\Delta^L$", signals[last - 1]),
                (r"of $\Delta^{L-1}$", signals[last - 2]),
            )
            for column in transpose(signal)
        ),
        equal=True,
    )


def slope_of_cost(cost: Callable[[Fraction], Fraction], at: Fraction, signals: tuple[Fraction, Fraction]) -> Plot:
    """A cost against h^1, and the lines that fall with the true and with the printed error gradient at one place."""
    true, printed = signals
    places = between(at - 1, at + 1)

    def tangent(slope: Fraction) -> Callable[[Fraction], Fraction]:
        return lambda h: cost(at) + slope * (h - at)

    return Plot(
        r"The cost against $h^1$. The line of slope $-\Delta^1$ touches it; the one with the printed $\Delta^1$ crosses it.",
        "$h^1$",
        "$E$",
        (
            graph("$E$", cost, places),
            graph(r"slope $-\Delta^1$, computed", tangent(-true), places),
            graph(r"slope $-\Delta^1$, as printed", tangent(-printed), places[12:-8], printed=True),
        ),
    )


def both_sides(sides: Callable[[Fraction], tuple[Any, Any]], greatest: Fraction, sees: str) -> Plot:
    """The two sides of an inequality against the size e of the change."""
    places = between(0, greatest)
    return Plot(
        sees,
        "$e$",
        "relative change",
        (
            graph(r"$\lvert\Delta W\rvert / \lvert W\rvert$", lambda e: sides(e)[0], places),
            graph(r"$\kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$", lambda e: sides(e)[1], places, printed=True),
        ),
    )


def lost_condition(pair: Callable[[int], Pair]) -> Plot:
    """kappa of V and of X V against t."""
    places = range(1, 41)
    return Plot(
        r"$\kappa(V)$ grows with $t$, and $\kappa(XV)$ stays 1.",
        "$t$",
        "condition number",
        graphs(
            {
                r"$\kappa(V)$": lambda t: condition(pair(t).v),
                r"$\kappa(XV)$": lambda t: condition(pair(t).product),
            },
            places,
        ),
    )


def trained_shares(output: Sequence[Fraction], away: Sequence[Fraction]) -> Plot:
    """After every step: how far the output is from the input, and how far the a's are from 1."""
    return Plot(
        "Step by step: every $a$ leaves 1, and the output stays within a tenth of the input.",
        "step",
        "distance",
        (
            line(r"$\lvert h^L - x\rvert / \lvert x\rvert$", enumerate(output)),
            line(r"least $\lvert a^l - 1\rvert$", enumerate(away)),
        ),
    )


def _circle(*maps: Matrix) -> list[list[Any]]:
    """Points of the unit circle and what the maps make of them, one after the other; rational, by half angles."""
    places = [Fraction(k, 12) for k in range(-12, 12)]
    half = [((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in places]
    found = matrix([[sign * p[k] for sign in (1, -1) for p in half] for k in (0, 1)])
    for one in maps:
        found = multiply(one, found)
    return [*(list(column) for column in transpose(found)), [row[0] for row in found]]


def images_of_the_circle(weights: Sequence[Matrix]) -> Plot:
    """What two layers make of the unit circle, each by itself and one after the other."""
    first, second = weights
    return Plot(
        "What the layers make of the unit circle: each stretches it along an eigenvector, and their product is a circle again.",
        "first coordinate",
        "second coordinate",
        (
            line("by $W^1$", _circle(first)),
            line("by $W^2$", _circle(second)),
            line("by $W^2 W^1$", _circle(first, second)),
        ),
        equal=True,
    )


def flattened(pair: Pair) -> Plot:
    """What V makes of the unit circle, and X V on a line beneath."""
    beneath = ((value, Fraction(-3, 2)) for (value,) in _circle(pair.v, pair.x))
    return Plot(
        "$V$ flattens the unit circle: singular in the plane. $XV$ takes it to a line, and there it is all there can be.",
        "first coordinate",
        "second coordinate",
        (
            line("unit circle", _circle()),
            line("by $V$", _circle(pair.v)),
            line("by $XV$, on a line of its own", beneath),
        ),
        equal=True,
    )


def row_and_column(pair: Pair) -> Plot:
    """The row X and the column V, both from zero."""
    return Plot(
        "The row $X$ and the column $V$, neither of them zero, are orthogonal: their product is 0.",
        "first coordinate",
        "second coordinate",
        (
            line("$X$", ((0, 0), pair.x[0])),
            line("$V$", ((0, 0), transpose(pair.v)[0])),
        ),
        equal=True,
    )


def directions(vectors: Matrix) -> Plot:
    """The columns as arrows from the origin, and what would be orthogonal to the first."""
    first, second = transpose(vectors)
    origin = (0, 0)
    return Plot(
        "The two common eigenvectors; an orthogonal one would stand where the dashed line is.",
        "first coordinate",
        "second coordinate",
        (
            line("$v_1$", (origin, first)),
            line("$v_2$", (origin, second)),
            line("orthogonal to $v_1$", (origin, (-first[1], first[0])), printed=True),
        ),
        equal=True,
    )


def first_errors(share: Callable[[Fraction], Fraction], greatest: Fraction) -> Plot:
    """|W(1) - Delta W(1)| / |W(1)| against the learning rate."""
    places = between(0, greatest)
    return Plot(
        "How far the first update is from the weights of two layers, relative to them: most of them, at every rate up to the paper's greatest.",
        r"learning rate $\eta$",
        "relative error",
        (
            graph("computed", share, places),
            line("as printed: none", ((0, 0), (greatest, 0)), printed=True),
        ),
    )


def leaving_the_input(hidden: Sequence[Fraction]) -> Plot:
    """|h^l - x| / |x| layer by layer."""
    x = hidden[0]
    return Plot(
        "How far layer $l$ is from the input, relative to it: it grows exponentially.",
        "layer $l$",
        r"$\lvert h^l - x\rvert / \lvert x\rvert$",
        (line("computed", ((k, abs(h - x) / abs(x)) for k, h in enumerate(hidden) if k)),),
        log=True,
    )
