"""ReLU networks without biases at constant width: what one more layer adds (EX-9).

F_l: the functions W_l ReLU(W_{l-1} ... ReLU(W_1 x)) with W_1, ..., W_{l-1} of shape d x d, W_l of shape k x d. ReLU is
(t + |t|)/2, so in words, with u = W_1 x and a = |W_1 x| entry by entry,

    2 ReLU(W_1 x) = u + a,        2 ReLU(-W_1 x) = -u + a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np

from resproof.architectures.activations import ACTIVATIONS, relu
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import outputs
from resproof.numeric.network.parameters import random_weights
from resproof.proofs.changes import Change
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.kinks import (
    AffinePath,
    Row,
    germs,
    kept,
    nudged,
    relu_germ,
    relu_of,
    shifted,
    straight,
    vanishing,
)
from resproof.proofs.identity_matters.pictures import on_both_sides
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import matches
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
from resproof.proofs.theory.critical_points import without
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.rings import Element, Plain, Ring, flint_ring
from resproof.symbolic.certificates import Orthant, occurring, orthant, standing_for
from resproof.symbolic.scope import Scope

# The counterexample: d = k = 1, where three layers represent what two do.


@dataclass(frozen=True, slots=True)
class LayerWidths:
    """Input, hidden and output widths of networks, and how many biases they have."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    biases: int

    def __str__(self) -> str:
        return "d = k = 1, l = 2 and 3"


_SCALARS = LayerWidths(1, hidden=(1,), outputs=1, biases=0)
_SIGNS = (1, -1)


def _relu_on(sign: int, w: Element, x: int, ring: Ring) -> Element:
    """ReLU(w x) on the half line where w has this sign or vanishes."""
    return w * ring.number(x) if sign * x > 0 else ring.zero


_SAME = Scope.of("l=2 and l=3, d=k=1")


_DRAWN = ((1, 2, 1), (-1, 3, 1), (-2, 1, -1), (2, -1, 1))
"""Weights of three layers whose functions are drawn."""


def _fewer_layers(_: Context) -> Computed:
    """Whether w3 ReLU(w2 ReLU(w1 x)) is v ReLU(w1 x) at 1 and -1 for all signs of w1 and w2, by the v."""
    ring = flint_ring(["w1", "w2", "w3"])
    w1, w2, w3 = ring.symbols(["w1", "w2", "w3"])
    found = {"v = w3 ReLU(w2)": True, "v = w3 w2": True}
    for first, second in product(_SIGNS, repeat=2):
        clipped = _relu_on(second, w2, 1, ring)
        for x in (1, -1):
            hidden = _relu_on(first, w1, x, ring)  # never negative: w2 hidden has the sign of w2 or vanishes
            deeper = w3 * _relu_on(second, w2 * hidden, 1, ring)
            for name, v in (("v = w3 ReLU(w2)", w3 * clipped), ("v = w3 w2", w3 * w2)):
                found[name] &= not ring.plain(deeper - v * hidden)
    return Computed(
        found,
        _SAME,
        r"w_3\, \mathrm{ReLU}(w_2\, \mathrm{ReLU}(w_1 x)) = w_3\, \mathrm{ReLU}(w_2)\, \mathrm{ReLU}(w_1 x)",
    )


_FEWER = {"v = w3 ReLU(w2)": True, "v = w3 w2": False}


def _beyond_two_layers(_: Context) -> Computed:
    """The values at 1 and -1 of running three-layer networks, weights -2, ..., 2, that no two-layer network has."""
    two, three = product(_SIGNS, range(-8, 9)), product(range(-2, 3), repeat=3)
    return Computed({*map(_at_both, three)} - {*map(_at_both, two)}, _SAME)


# Facts about ReLU.


def _value(name: str, t: float) -> float:
    return float(ACTIVATIONS[name].derivatives(device("cpu").ops, np.array([t]), 0)[0][0])


def _on_rays(_: Context) -> Computed:
    """ReLU and ReLU(ReLU) at 1, 0 and -1, the kinks, and the second differences of ReLU at 1, 0 and -1."""
    points, h = (1.0, 0.0, -1.0), 0.5
    once = tuple(_value("relu", t) for t in points)
    bends = tuple((_value("relu", t + h) - 2 * _value("relu", t) + _value("relu", t - h)) / h for t in points)
    found = {  # facts about one number t, so that no size occurs
        "ReLU": once,
        "ReLU(ReLU)": tuple(_value("relu", v) for v in once),
        "(t + |t|)/2": tuple((t + abs(t)) / 2 for t in points),
        "kinks": tuple(float(k) for k in relu.kinks),
        "bend": bends,
    }
    return Computed(found, Scope(), r"\mathrm{ReLU}(\mathrm{ReLU}(t)) = \mathrm{ReLU}(t) = \tfrac12 (t + |t|)")


_RAYS = {
    "ReLU": (1.0, 0.0, 0.0),
    "ReLU(ReLU)": (1.0, 0.0, 0.0),
    "(t + |t|)/2": (1.0, 0.0, 0.0),
    "kinks": (0.0,),
    "bend": (0.0, 1.0, 0.0),
}


def _parity(_: Context) -> Computed:
    """2 (f(x) +- f(-x)) for f = W2 ReLU(W1 x), and what f = F x with W2 invertible makes of it."""
    plus, minus = words("u + a"), words("- u + a")
    w2 = words("W2")
    both_halves = add_words(plus, word_product(words("- 1"), minus))
    even, odd = word_product(w2, add_words(plus, minus)), word_product(w2, both_halves)
    left_inverse = modulo(word_product(words("V2"), even), {"V2 W2": ""})
    found = {
        "2 f(x) + 2 f(-x)": show_words(even),
        "2 f(x) - 2 f(-x)": show_words(odd),
        "V2 times the even part, V2 W2 = I": show_words(left_inverse),
        "V2 times the even part, any V2": show_words(word_product(words("V2"), even)),
        "the odd part where a = 0 forces u = 0": show_words(without(odd, "u")),
        "2 [I, -I] ReLU([I; -I] x)": show_words(both_halves),
    }
    shown = (
        r"f(x) + f(-x) = W_2 |W_1 x|, \quad f(x) - f(-x) = W_2 W_1 x; \qquad \mathrm{ReLU}(x) - \mathrm{ReLU}(-x) = x"
    )
    shapes = {"W2": ("d", "d"), "V2": ("d", "d"), "u": ("d", "1"), "a": ("d", "1")}
    return Computed(found, sizes(shapes, even, odd, left_inverse, both_halves), shown)


_PARITY = {
    "2 f(x) + 2 f(-x)": "+2 W2 a",
    "2 f(x) - 2 f(-x)": "+2 W2 u",
    "V2 times the even part, V2 W2 = I": "+2 a",
    "V2 times the even part, any V2": "+2 V2 W2 a",
    "the odd part where a = 0 forces u = 0": "0",
    "2 [I, -I] ReLU([I; -I] x)": "+2 u",
}

# More layers, more kinks.


def _germs(_: Context) -> Computed:
    """ReLU of affine functions near a point, with a value v, 0 or -v there and a slope s, 0 or -s: the value, the bend."""
    found, o = germs(), orthant("v s")
    zero = 0 * o["v"]
    opposite = {"v": "-v", "0": "0", "-v": "v"}
    values = (o["v"], -o["v"], zero)
    facts: dict[str, object] = {name: (str(one.value), str(one.bend)) for name, one in found.items()}
    facts["ReLU(ReLU) = ReLU"] = {name: relu_germ(o, one) for name, one in found.items()} == found
    facts["2 ReLU(t) - t = ReLU(t) + ReLU(-t)"] = [relu_of(o, t) - t for t in values] == [
        relu_of(o, -t) for t in values
    ]
    facts["the same bend at x and -x"] = [one.bend for one in found.values()] == [
        found[f"{opposite[value]}, {slope}"].bend for value, slope in (name.split(", ") for name in found)
    ]
    return Computed(facts, Scope(), r"\mathrm{ReLU}(\mathrm{ReLU}(t)) = \mathrm{ReLU}(t) = \tfrac12 (t + |t|)")


_GERMS: dict[str, object] = {
    **{f"v, {slope}": ("v", "0") for slope in ("s", "0", "-s")},
    **{f"-v, {slope}": ("0", "0") for slope in ("s", "0", "-s")},
    "0, s": ("0", "s"),
    "0, 0": ("0", "0"),
    "0, -s": ("0", "s"),
    "ReLU(ReLU) = ReLU": True,
    "2 ReLU(t) - t = ReLU(t) + ReLU(-t)": True,
    "the same bend at x and -x": True,
}


def _kinks_kept(_: Context) -> Computed:
    return Computed(kept(), Scope(), r"\mathrm{ReLU}(a y),\ \mathrm{ReLU}((\delta q - a)\, y)")


_AT_KINKS = {
    "a y > 0": (True, True),
    "a y < 0": (False, True),
    "y = 0, a y rises": (True, True),
    "y = 0, a y falls": (False, True),
}


def _moved_zeros(_: Context) -> Computed:
    shown = r"a y = s\,(t - \tau),\ q y = r + p\,(t - \tau):\quad (a + \delta q)\, y = 0 \iff t = \tau - \frac{\delta r}{s + \delta p}"
    return Computed(shifted(), Scope(), shown)


def _zeros_apart(
    found: tuple[Orthant, Callable[[Element], Element]], claim: Callable[[Element, Element], Element]
) -> None:
    """Pass when different claim(r, delta) give different zeros, none of which is tau; delta > 0, or -s/p < delta < 0."""
    o, zero = found
    small = o["s"] / (o["p"] + o["z"])
    for first, second in ((o["x"], o["x"] + o["y"]), (-small, 0 * small)):
        moved = [zero(claim(o["r"], delta)) for delta in (first, second)]
        o.above_zero("the distance of the zeros", moved[0] - moved[1])


def _zeros_near(found: tuple[Orthant, Callable[[Element], Element]], claim: Callable[[Orthant], Element]) -> None:
    """Pass when claim(o) is a delta > 0 that moves the zero by less than z where the slope of (a + delta q) y is less than s.

    Where it is greater the zero moves less; -r for r moves it as far to the other side.
    """
    o, zero = found
    delta = claim(o)
    o.above_zero("delta", delta)
    o.above_zero("what the slope keeps", o["s"] - delta * o["p"])
    o.above_zero("the distance", o["z"] - zero(-delta))


def _nudged_rows(_: Context) -> Computed:
    return Computed(
        nudged(), Scope(), r"n\,(a + \delta n) = \delta |n|^2, \qquad |w\,(a + \delta n)| \ge |w a| - \delta\, |w n|"
    )


def _off_hyperplanes(
    found: tuple[Orthant, Callable[[Element], tuple[Element, Element]]], claim: Callable[[Orthant], Element]
) -> None:
    """Pass when with delta = claim(o) <= v/h neither vanishes."""
    o, become = found
    delta = claim(o)
    zero, other = become(delta)
    o.above_zero("what was zero", zero)
    o.above_zero("what was not", other)
    o.at_least_zero("as little as one likes", o["v"] - o["h"] * delta)


def _vanishing(_: Context) -> Computed:
    return Computed(
        vanishing(), Scope(), r"y = \mathrm{ReLU}(u),\ y(\tau) = 0:\quad \text{a kink, or } y = 0 \text{ near } \tau"
    )


_VANISHING = {
    **{f"{left}, y": "y" for left in ("x", "0")},
    **{f"{left}, {right}": "0" for left in ("x", "0") for right in ("0", "-y")},
    "-x, y": "x + y",
    "-x, 0": "x",
    "-x, -y": "x",
}


class _KinkGrowth(NamedTuple):
    """Of a function of F_l with N_l kinks on a line: K kinks of the path y before its last ReLU and its rows.

    N_{l-1} = K + `spare`, N_l = N_{l-1} + `grown` = K + d X - `less`, X being the most that one row crosses zero off the
    kinks of y. K + d (K + 1) is the most that a layer makes of K kinks.
    """

    orthant: Orthant
    crossings: Callable[[Element], Element]
    pieces: Element


def _growth(_: Context) -> Computed:
    o = orthant("d grown", "K spare less")

    def crossings(grown: Element) -> Element:
        """X, from N_l - N_{l-1}."""
        return (o["spare"] + grown + o["less"]) / o["d"]

    found = _KinkGrowth(o, crossings, o["K"] + o["d"] * (o["K"] + 1))
    shown = r"N_{l-1} < N_l \le K + d X,\ K \le N_{l-1} \implies X \ge 1,\ N_{l+1} \ge K + d X + 1 > N_l"
    return Computed(found, standing_for(occurring(crossings(o["grown"])), {"d": "d"}), shown)


class _GrowthClaim(NamedTuple):
    """N_{l+1} >= K + rows(d) X + 1 is N_l + gain or more; N_l - N_{l-1} is grown(it); at most times(d) pieces."""

    rows: Callable[[Element], Element] = lambda d: d
    gain: int = 1
    grown: Callable[[Element], Element] = lambda grown: grown
    times: Callable[[Element], Element] = lambda d: d + 1


def _grows(found: _KinkGrowth, claim: _GrowthClaim) -> None:
    o, d, grown = found.orthant, found.orthant["d"], claim.grown(found.orthant["grown"])
    x = found.crossings(grown)
    o.above_zero("some row crosses zero", x)
    o.at_least_zero("the gain", claim.rows(d) * x + 1 - (o["spare"] + grown) - claim.gain)
    o.at_least_zero("the pieces", claim.times(d) * (o["K"] + 1) - (found.pieces + 1))


def _first_kinks(_: Context) -> Computed:
    """Kinks on the line (t, 1): of one layer, of two with the rows e_1 and e_1 - e_2, and the latter within width d."""
    line = straight((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))
    wide = words("C W2 P R E W1 P")
    found = {
        "one layer": len(line.kinks),
        "e_1 crosses zero at": [line.at(t) for t in line.crossings((Fraction(1), Fraction(0)))],
        "two layers": len(line.through(((Fraction(1), Fraction(0)), (Fraction(1), Fraction(-1)))).kinks),
        "within width d": show_words(modulo(wide, {"P R E": "r"})),
    }
    shapes = {"C": ("k", "p"), "P": ("p", "d"), "E": ("d", "p"), "R": ("d", "d"), "W1": ("p", "p"), "W2": ("p", "p")}
    return Computed(found, sizes(shapes, wide) & Scope.over(l=2), r"N_1 = 0, \qquad N_2 \ge 2")


_FIRST_KINKS = {
    "one layer": 0,
    "e_1 crosses zero at": [(Fraction(0), Fraction(1))],
    "two layers": 2,
    "within width d": "+1 C W2 r W1 P",
}


def _one_output(_: Context) -> Computed:
    """p f for f = W R N with the row p, and E g for a network g = w R N with one output; p E = 1."""
    first, back = words("p W R N"), words("p E w R N")
    found = {
        "p f": show_words(first),
        "p E g": show_words(modulo(back, {"p E": ""})),
        "p E g, any p": show_words(back),
    }
    shapes = {"p": ("1", "k"), "E": ("k", "1"), "W": ("k", "d"), "w": ("1", "d"), "R": ("d", "d"), "N": ("d", "d")}
    return Computed(found, sizes(shapes, first, back, products={"N": "l"}), r"p\, F_l^{(k)} = F_l^{(1)}")


_ONE_OUTPUT = {"p f": "+1 p W R N", "p E g": "+1 w R N", "p E g, any p": "+1 p E w R N"}


class _Bent(NamedTuple):
    """Kinks of a path, the most that a row crosses zero, and kinks after the layer and after one more."""

    kinks: int
    crossings: int
    after: int
    more: int


def _rows(a: Row, q: Row, d: int, delta: Fraction) -> list[Row]:
    """a, -a + delta q, a + 2 delta q, ..., a + (d - 1) delta q."""
    rest = [[x + n * delta * y for x, y in zip(a, q, strict=True)] for n in range(2, d)]
    return [a, [-x + delta * y for x, y in zip(a, q, strict=True)], *rest]


def _deeper_networks(_: Context) -> Computed:
    """Rational networks: the layer with the rows of the proof, and one more with the rows g > 0 and e_1 - epsilon e_2."""
    found, random = dict[tuple[int, int], _Bent](), Random(9)

    def draw(count: int) -> list[Fraction]:
        return [Fraction(random.randint(-99, 99), random.randint(1, 20)) for _entry in range(count)]

    def path_and_row(d: int, layers: int) -> tuple[AffinePath, Row]:
        y = straight(draw(d), draw(d))
        for _layer in range(layers):
            y = y.through([draw(d) for _row in range(d)])
        return y, draw(d)

    for d, count in product((2, 3), (2, 3, 4)):
        tried = [path_and_row(d, count - 2) for _trial in range(20)]
        y, a = max(tried, key=lambda one: len(one[0].crossings(one[1])))
        crossings = y.crossings(a)
        q = y.at(crossings[0]) if count == 2 else [Fraction(7 + n, 7) for n in range(d)]
        h = y.through(_rows(a, q, d, Fraction(1, 10**9)))
        nothing = [Fraction(0)] * d
        last = [Fraction(1), Fraction(-1, 10**4), *nothing[2:]]
        deeper = h.through([[Fraction(14 + n * n, 13) for n in range(d)], last, *[nothing] * (d - 2)])
        found[d, count] = _Bent(len(y.kinks), len(crossings), len(h.kinks), len(deeper.kinks))
    return Computed(found, Scope.over(l=(2, 3, 4), d=(2, 3), k=1))


class _BentClaim(NamedTuple):
    """The kinks after the layer, from K, X and d; whether one layer more has more of them."""

    after: Callable[[int, int, int], int]
    more: bool = True


def _same_bends(found: Mapping[tuple[int, int], _Bent], claim: _BentClaim) -> None:
    for (d, count), one in found.items():
        if one.after != claim.after(one.kinks, one.crossings, d) or (one.more > one.after) is not claim.more:
            raise Disagreement(f"d={d}, l={count}: {one}")


# Compositions of maps: words of one term, as sums do not pass through a ReLU.


def _insertion(_: Context) -> Computed:
    """N ReLU P with a layer more: I or any V after the ReLU, I before all others.

    P is the product of the layers before a ReLU, N that of the layers after it, with all ReLUs between them.
    """
    network, known = words("N R P"), {"R R": "R", "I": ""}
    found = {
        "I after a ReLU": modulo(words("N R I R P"), known) == network,
        "V after a ReLU": modulo(words("N R V R P"), known) == network,
        "I before the first layer": modulo(words("N R P R I"), known) == network,
        "I after any map": modulo(words("N R I R P"), {"I": ""}) == network,
    }
    free = sizes({"N": ("k", "d"), "R": ("d", "d"), "P": ("d", "d")}, network, products={"N": "l", "P": "l"})
    return Computed(found, free, r"\mathrm{ReLU} \circ I \circ \mathrm{ReLU} = \mathrm{ReLU}")


_INSERTION = {
    "I after a ReLU": True,
    "V after a ReLU": False,
    "I before the first layer": False,
    "I after any map": False,
}


def _within(_: Context) -> Computed:
    """C g(P x) for a network g of three layers and width p, with the layers E W1 P, E W2 P and C W3 P of width d.

    P takes p of d coordinates and E appends zeros; r is the ReLU of p coordinates.
    """
    shapes = {"C": ("k", "p"), "P": ("p", "d"), "E": ("d", "p"), "R": ("d", "d")}
    shapes |= {f"W{n}": ("p", "p") for n in (1, 2, 3)}
    wide = words("C W3 P R E W2 P R E W1 P")
    found = {"P R E = r": show_words(modulo(wide, {"P R E": "r"})), "any P, E": show_words(wide)}
    return Computed(found, sizes(shapes, wide), r"P\, \mathrm{ReLU}(E u) = \mathrm{ReLU}(u)")


_WITHIN = {"P R E = r": "+1 C W3 r W2 r W1 P", "any P, E": "+1 C W3 P R E W2 P R E W1 P"}

# d = 1: all depths from two on give the same functions.


def _next_product(signs: tuple[int, int]) -> Plain:
    """w ReLU(p) w ReLU(q), p and q having these signs (0: they vanish)."""
    ring = flint_ring(["w", "p", "q"])
    w, *values = ring.symbols(["w", "p", "q"])
    total = ring.one
    for sign, value in zip(signs, values, strict=True):
        total = total * w * _relu_on(sign, value if sign else ring.zero, 1, ring)
    return ring.plain(total)


def _one_dimension(_: Context) -> Computed:
    """Whether f(1) f(-1) can be nonzero for f(x) = w2 ReLU(w1 x), by the sign of w1."""
    found, ring = dict[int, bool](), flint_ring(["w1", "w2"])
    w1, w2 = ring.symbols(["w1", "w2"])
    for sign in _SIGNS:
        plus, minus = (w2 * _relu_on(sign, w1, x, ring) for x in (1, -1))
        found[sign] = bool(ring.plain(plus * minus))
    return Computed(found, Scope.over(l=2, d=1), r"f(1)\, f(-1) = 0")


def _inherited(_: Context) -> Computed:
    """Whether the product can be nonzero for w ReLU(f), given the signs of f(1) = p and f(-1) = q, of any layers."""
    products = {signs: _next_product(signs) for signs in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1))}
    found = {signs: bool(product) for signs, product in products.items()}
    names = (name for product in products.values() for monomial in product for name, _ in monomial)
    shown = r"f(1)\, f(-1) = 0 \implies w^2\, \mathrm{ReLU}(f(1))\, \mathrm{ReLU}(f(-1)) = 0"
    return Computed(found, Scope.over(d=1) & standing_for(names, {"p": "l"}), shown)


_INHERITED = {(1, 0): False, (-1, 0): False, (0, 1): False, (0, -1): False, (1, 1): True, (1, -1): False}


def _through_one_unit(_: Context) -> Computed:
    """W R N for N = w2 R w1, as all networks of one output are, where R w2 R is ReLU(w2) R; whether that is so."""
    ring, network = flint_ring(["w2", "t"]), words("W R w2 R w1")
    w2, t = ring.symbols(["w2", "t"])
    # t is what ReLU leaves, not negative: w2 t has the sign of w2 or vanishes.
    clipped = {sign: (_relu_on(sign, w2 * t, 1, ring), _relu_on(sign, w2, 1, ring)) for sign in _SIGNS}
    found = {
        "R w2 R = c R": [one for one, _ in clipped.values()] == [c * t for _, c in clipped.values()],
        "R w2 R = w2 R": [one for one, _ in clipped.values()] == [w2 * t] * len(clipped),
        "W R N": show_words(modulo(network, {"R w2 R": "c R"})),
        "W R N, any w2": show_words(network),
    }
    shapes = {"W": ("k", "1"), "R": ("1", "1"), "w2": ("1", "1"), "w1": ("1", "1")}
    shown = r"W\,\mathrm{ReLU}(w_2\,\mathrm{ReLU}(w_1 x)) = \bigl(W\,\mathrm{ReLU}(w_2)\bigr)\,\mathrm{ReLU}(w_1 x)"
    return Computed(found, sizes(shapes, network) & Scope.over(d=1), shown)


_THROUGH_ONE_UNIT = {
    "R w2 R = c R": True,
    "R w2 R = w2 R": False,
    "W R N": "+1 W c R w1",
    "W R N, any w2": "+1 W R w2 R w1",
}


def _scalar_networks(_: Context) -> Computed:
    """Whether f(1) f(-1) is zero for every running network of l layers with weights -1, 1, 2; whether some f is not zero."""
    found = {}
    for count in (2, 3, 4):
        values = [_at_both(weights) for weights in product((-1, 1, 2), repeat=count)]
        found[count] = ({plus * minus for plus, minus in values} == {0}, any(map(any, values)))
    return Computed(found, Scope.over(l=(2, 3, 4), d=1, k=1))


_SCALAR_NETWORKS = dict.fromkeys((2, 3, 4), (True, True))

# d = 2: bends.


def _layers(count: int) -> ResidualUnit:
    """W_l ReLU(... ReLU(W_1 h)) with `count` layers."""
    h: Expression = Weight("d", "d", name="W1") @ Input("d")
    for number in range(2, count + 1):
        h = Weight("d", "d", name=f"W{number}") @ relu(h)
    return ResidualUnit(h)


def _outputs(layers: Sequence[Any], x: Any) -> Any:
    """The outputs of a running network; the layers are arrays of shape (1, d, d)."""
    return outputs(Network(_layers(len(layers)), 1), {f"W{n}": w for n, w in enumerate(layers, start=1)}, x)


def _run(layers: Sequence[Any], x: Any) -> Any:
    """The outputs of a running network: exact at small integer weights."""
    return _outputs([np.array([w], dtype=float) for w in layers], x)


def _at_both(weights: Sequence[int]) -> tuple[float, ...]:
    """f(1) and f(-1) of a running network of one dimension."""
    return tuple(_run([[[w]] for w in weights], np.array([[1.0, -1.0]]))[0])


def _bend(layers: Sequence[Any], at: tuple[int, int]) -> tuple[Fraction, ...]:
    """(f(x + h e_1) - 2 f(x) + f(x - h e_1)) / h of a running network, h = 1/4."""
    x = np.zeros((len(layers[0]), 3))
    x[:2] = [[at[0] + s / 4 for s in (1, 0, -1)], [at[1]] * 3]
    f = _run(layers, x)
    return tuple(Fraction(float(v)) * 4 for v in f[:, 0] - 2 * f[:, 1] + f[:, 2])


_POINTS = ((1, 1), (1, -1))
_SQUARES = tuple(product(product((-1, 0, 1), repeat=2), repeat=2))
"""All 2 x 2 matrices with these entries."""
_DEEPER = ([[1, 0], [0, 1]], [[1, -1], [0, 0]], [[1, 0], [0, 0]])


def _bends(_: Context) -> Computed:
    """Where the bends at x and -x agree: how many of the two-layer networks with W1 in {-1, 0, 1}, and one of three layers.

    The latter with zeros appended to all weights as well, d = k = 3.
    """
    two = [(square, ((1, 2), (-1, 1))) for square in _SQUARES]
    found = {
        "2 layers": sum(one == other for one, other in map(_bends_of, two)),
        "3 layers": _bends_of(_DEEPER),
        "3 layers, d = 3": _bends_of([np.pad(layer, (0, 1)) for layer in _DEEPER]),
        "2 layers bend": any(any(map(any, one)) for one, _ in map(_bends_of, two)),
    }
    shown = r"g(x) = \mathrm{ReLU}(\mathrm{ReLU}(x_1) - \mathrm{ReLU}(x_2)) \text{ bends at } (1, 1), \text{ not at } (-1, -1)"
    return Computed(found, Scope.of(f"l=2, d=k=2, {len(two)} networks", "l=3, d=k=2", "l=3, d=k=3"), shown)


def _bends_of(layers: Sequence[Any]) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
    """The bends at the points, and at those opposite to them."""
    return tuple(tuple(_bend(layers, (s * at[0], s * at[1])) for at in _POINTS) for s in (1, -1))


_BENDS = {
    "2 layers": len(_SQUARES),
    "3 layers": (((1, 0), (0, 0)), ((0, 0), (0, 0))),
    "3 layers, d = 3": (((1, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 0))),
    "2 layers bend": True,
}

# Small networks, exactly.

_INTEGER = ([[1, -2], [3, 1]], [[-1, 2], [1, 1]], [[2, 1], [-1, 1]])
_EYE = [[1, 0], [0, 1]]


def _insertions(_: Context) -> Computed:
    """Whether I after any of the ReLUs, and before the first layer, leaves all outputs as they are, at 16 points."""
    x = np.array(list(product((-1.0, 0.0, 1.0, 2.0), repeat=2))).T
    found = {"after a ReLU": True, "before the first": True}
    for count in (2, 3):
        layers = _INTEGER[:count]
        f = _run(layers, x)
        for place in range(count):
            same = bool(np.array_equal(_run([*layers[:place], _EYE, *layers[place:]], x), f))
            found["after a ReLU" if place else "before the first"] &= same
    return Computed(found, Scope.of("l=2, d=k=2", "l=3, d=k=2"))


_INSERTIONS = {"after a ReLU": True, "before the first": False}


def _invertible_on_axes(f: Any) -> bool:
    """Whether outputs at e_1, e_2, -e_1, -e_2 are those of an invertible linear map."""
    return bool(np.array_equal(f[:, :2], -f[:, 2:])) and f[0, 0] * f[1, 1] != f[0, 1] * f[1, 0]


def _widths(_: Context) -> Computed:
    """Whether a two-layer network is such a map: with weights -1, 0, 1 and two hidden units; with four of them."""
    axes = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
    hidden = [_run([square, _EYE], axes) for square in _SQUARES]
    wide = ResidualUnit(Weight("d", "k", name="W2") @ relu(Weight("k", "d", name="W1") @ Input("d")))
    halves = np.vstack([np.eye(2), -np.eye(2)])
    f = outputs(Network(wide, 1), {"W1": halves[None], "W2": halves.T[None]}, axes)
    found = {
        2: sum(_invertible_on_axes(np.array(last) @ values) for values, last in product(hidden, _SQUARES)),
        4: _invertible_on_axes(f),
    }
    return Computed(found, Scope.of("l=2, d=k=2, 2 hidden units", "l=2, d=k=2, 4 hidden units"))


_WIDTHS = {2: 0, 4: True}

# Evidence: a layer inserted into a running network.


@dataclass(frozen=True, slots=True)
class Inserted:
    """max |difference| between a running network and the one with the identity inserted, by place."""

    at: Mapping[str, float]
    sizes: str
    seed: int


def _insert_on_digits(context: Context) -> Computed:
    ops, data = device(context.device).ops, context.data
    d, m = data.X.shape
    x = ops.asarray(np.asarray(data.X))
    first, second = (
        random_weights(_layers(1), 1, {"d": d}, ops, context.seed + k, scale=d**-0.5)["W1"] for k in (0, 1)
    )
    one, f = ops.asarray(np.eye(d)[None]), _outputs((first, second), x)
    others = {"after a ReLU": (first, one, second), "before the first": (one, first, second)}
    found = {place: largest_modulus(_outputs(layers, x) - f) for place, layers in others.items()}
    sizes = f"l=2 to 3, d=k={d}, m={m}; {data.name}"
    return Computed(Inserted(found, sizes, context.seed), Scope.of(sizes))


def _unchanged(found: Inserted, place: str) -> Measurement:
    derivation = (
        r"products with 0 and 1 are exact and $\mathrm{ReLU}(\mathrm{ReLU}(t)) = \mathrm{ReLU}(t)$ in floating point"
    )
    return Measurement(r"$\max \lvert g - f\rvert$", found.at[place], 0.0, found.sizes, found.seed, derivation)


GERMS = Argument(
    "ReLU of affine functions near a point",
    "identity",
    _germs,
    _GERMS,
    {
        "it bends where the function is positive": {**_GERMS, "v, s": ("v", "s")},
        "a falling zero is no kink": {**_GERMS, "0, -s": ("0", "0")},
        r"$\mathrm{ReLU}(t) = t$": {**_GERMS, "-v, s": ("-v", "0")},
    },
    explanation="In $v$, $s > 0$. A kink comes about where an affine function crosses zero, and at most one on each piece of a path. "
    r"The bend of $c\, \mathrm{ReLU}(\langle a, x\rangle)$ along $h$ is the same at $x$ and at $-x$, and so for every "
    "two-layer network of any width.",
)

ON_RAYS = Argument(
    "The running ReLU at 1, 0 and -1",
    "instance",
    _on_rays,
    _RAYS,
    {
        r"$\mathrm{ReLU}(\mathrm{ReLU}(t)) = t$": {**_RAYS, "ReLU(ReLU)": (1.0, 0.0, -1.0)},
        "it bends away from 0": {**_RAYS, "bend": (0.0, 1.0, 1.0)},
        "it has no kink": {**_RAYS, "kinks": ()},
    },
    explanation="The activation of the networks that run is that of the proof, at these points.",
)

ROWS = (
    Argument(
        "A row moves off finitely many hyperplanes, by as little as one likes",
        "inequality",
        _nudged_rows,
        lambda o: o["v"] / (o["g"] + o["h"]),
        {
            "by any amount": lambda o: o["h"] / o["h"],
            "not at all": lambda o: 0 * o["v"],
            "not by little": lambda o: o["v"] / (o["g"] + 1),
            "whatever $w n$ is": lambda o: o["v"] / o["h"],
        },
        certified(_off_hyperplanes),
        explanation=r"One vector $n$ after the other: $a + \delta n$ with a small $\delta > 0$ vanishes at $n$ no more, and where $a$ "
        "did not vanish it still does not. So there is a row $a$, near any given one, that vanishes at no value "
        r"$y \ne 0$ that a path has at a kink, at no jump of its slope, and where $y = 0$ at no slope. It bends at every "
        r"kink of the path: $K \le N_{l-1}$ for the path $y$ before the last ReLU of a function of $F_l$. And a row "
        r"$g > 0$ near $(1, \ldots, 1)$ has on a path $h \ge 0$ all of its kinks, also in $\mathrm{ReLU}(g h) = g h$.",
    ),
    Argument(
        "Two rows keep every kink of a path",
        "identity",
        _kinks_kept,
        _AT_KINKS,
        {
            "a alone does": {**_AT_KINKS, "a y < 0": (True, True)},
            "a alone does at zero": {**_AT_KINKS, "y = 0, a y falls": (True, True)},
            "they lose some": {**_AT_KINKS, "a y < 0": (False, False)},
        },
        explanation=r"With $a$ as above. So the layer with the rows a, $-a + \delta q$, "
        r"$a + 2 \delta q, \ldots, a + (d - 1) \delta q$ has all $K$ kinks of $y$.",
    ),
    Argument(
        "A crossing moves by as little as one likes",
        "inequality",
        _moved_zeros,
        lambda o: o["z"] * o["s"] / (o["r"] + o["z"] * o["p"] + o["y"]),
        {
            "not at all": lambda o: 0 * o["s"],
            "whatever the slope of $q y$ is": lambda o: o["z"] * o["s"] / (o["r"] + o["y"]),
            "so far that $a y$ no longer rises": lambda o: (o["s"] + o["p"]) / o["p"],
            "by any amount": lambda o: o["s"] / o["r"],
            "by so much": lambda o: o["z"] * o["s"] / (o["r"] + o["z"] * o["p"]),
        },
        certified(_zeros_near),
        explanation="Where $a y$ crosses zero, on a piece on which $y$ is affine, a row near $a$ does, on the same piece.",
    ),
    Argument(
        r"Rows $a + \delta q$ cross zero elsewhere",
        "inequality",
        _moved_zeros,
        lambda _, delta: delta,
        {
            "where they do not move": lambda _, delta: 0 * delta,
            "in the other direction": lambda _, delta: -delta,
        },
        certified(_zeros_apart),
        explanation="Where $q y = r > 0$ as $a y = 0$. So each of the $d$ rows adds $X$ kinks of its own, $X$ being how often $a y$ "
        "crosses zero.",
    ),
    Argument(
        "A path behind a ReLU vanishes at kinks, or on an interval",
        "identity",
        _vanishing,
        _VANISHING,
        {
            "a falling zero is no kink": {**_VANISHING, "-x, -y": "0"},
            "a rising zero is no kink": {**_VANISHING, "x, y": "0"},
        },
        explanation=r"So for $l \ge 3$ $y \ne 0$ where $a y$ crosses zero off the kinks, and any row $q > 0$ has $q y > 0$ there. For "
        r"$l = 2$ $y$ is a line, $K = 0$ and $X \le 1$; take the line $(t, 1, 0, \ldots, 0)$ and the rows $a = e_1$, "
        "$q = e_2$.",
    ),
)
"""What rows see of a piecewise affine path y."""

_FIRST = Argument(
    "Kinks of one and of two layers",
    "identity",
    _first_kinks,
    _FIRST_KINKS,
    {
        "one layer bends": {**_FIRST_KINKS, "one layer": 1},
        "the line meets the origin": {**_FIRST_KINKS, "e_1 crosses zero at": [(Fraction(0), Fraction(0))]},
        "two layers bend once": {**_FIRST_KINKS, "two layers": 1},
        "one ReLU is lost": {**_FIRST_KINKS, "within width d": "+1 C W2 W1 P"},
    },
    explanation=r"$N_l$ is the greatest number of kinks on a line of a function of $F_l$ with one output: $N_1 = 0 < 2 \le N_2$.",
)

_NEXT = Argument(
    "Where $N_l > N_{l-1}$, $N_{l+1} > N_l$",
    "inequality",
    _growth,
    _GrowthClaim(),
    {
        "two more": _GrowthClaim(gain=2),
        "with one row crossing": _GrowthClaim(rows=lambda d: 1 + 0 * d),
        "where $N_l = N_{l-1}$ as well": _GrowthClaim(grown=lambda grown: 0 * grown),
        "$d$ times as many pieces": _GrowthClaim(times=lambda d: d),
    },
    certified(_grows),
    explanation="Take a function of $F_l$ with $N_l$ kinks, $K$ those of the path $y$ before its last ReLU, $X$ the most that a row "
    r"crosses zero off them: kinks of $\mathrm{ReLU}(W y)$ are kinks of $y$ or crossings, at most one on each piece, so "
    r"$N_l \le K + d X$ and $N_{l+1} + 1 \le (d + 1)(N_l + 1)$, finite. The rows above take $y$ to a path $h$ with "
    r"$K + d X$ kinks, and where the first row crosses zero the second one is positive. There $e_1 - \varepsilon e_2$ "
    "crosses zero beside all kinks of $h$, and a row $g > 0$ keeps these: $K + d X + 1$.",
)

EX_9 = Statement(
    id="EX-9",
    title=r"Deeper ReLU networks represent a superset, a strict one from two layers on where $d \ge 2$",
    source=source(
        "Notation and Terminology",
        "deeper MLPs can represent a superset (indeed a strict superset with ReLU activations) of the functions that can be "
        "represented by shallower ones",
    ),
    sentence="With ReLU after every layer but the last, hidden layers as wide as the input and no biases, the networks of $l + 1$ "
    "layers represent every function that those of $l$ layers do, and more.",
    latex=r"F_l \subsetneq F_{l+1}, \qquad F_l = \{x \mapsto W_l\, \mathrm{ReLU}(W_{l-1} \cdots \mathrm{ReLU}(W_1 x))\}",
    for_all={"l": 1, "d": 1, "k": 1},
    hypotheses=(
        Hypothesis(
            "hidden layers have as many units as the input",
            lambda one: set(one.hidden) == {one.inputs},
            fails_on=replace(_SCALARS, hidden=(2,)),
            quote="each of the hidden layers has the same number of units, which is also the same as the number of input units",
            where="Notation and Terminology",
        ),
        Hypothesis(
            "no biases",
            lambda one: one.biases == 0,
            fails_on=replace(_SCALARS, biases=1),
            quote="By an l-layer neural network I mean a network consisting of l linear transformations",
            where="Notation and Terminology",
        ),
    ),
    counterexample=Counterexample(
        instance=_SCALARS,
        picture=lambda _: on_both_sides({weights: _at_both(weights) for weights in _DRAWN}),
        sentence="For $d = k = 1$ networks of three layers represent the functions of two, and no others: the set is no strict "
        "superset.",
        latex=r"w_3\, \mathrm{ReLU}(w_2\, \mathrm{ReLU}(w_1 x)) = \bigl(w_3\, \mathrm{ReLU}(w_2)\bigr)\, \mathrm{ReLU}(w_1 x)",
        routes=(
            Argument(
                "Three layers written as two",
                "identity",
                _fewer_layers,
                _FEWER,
                {
                    PRINTED: {**_FEWER, "v = w3 ReLU(w2)": False},
                    "whatever the sign of $w_2$": {**_FEWER, "v = w3 w2": True},
                },
                explanation=r"At 1 and -1, which decide $f$, as $f(t x) = t f(x)$ for $t \ge 0$.",
            ),
            Argument(
                "Values of running networks",
                "explicit",
                _beyond_two_layers,
                set[tuple[float, ...]](),
                {PRINTED: bool, "one is 1 on both half lines": {(1.0, 1.0)}},
                matches,
            ),
        ),
    ),
    repair=Repair(
        latex=r"F_l \subseteq F_{l+1}\ (l \ge 2); \qquad F_l \subsetneq F_{l+1}\ (l, d \ge 2); \qquad \mathrm{GL}_d \cap F_2 = \emptyset; "
        r"\qquad F_2 = F_3 = \cdots\ (d = 1)",
        arguments=(),
        clauses=(
            Clause(
                r"$F_l$ is contained in $F_{l+1}$ for every $l \ge 2$: a layer $I$ after a ReLU changes nothing.",
                {"l": 2, "d": 1, "k": 1},
                (
                    GERMS,
                    ON_RAYS,
                    Argument(
                        "A layer $I$ between two ReLUs",
                        "identity",
                        _insertion,
                        _INSERTION,
                        {
                            "any layer does": {**_INSERTION, "V after a ReLU": True},
                            "before the first layer as well": {**_INSERTION, "I before the first layer": True},
                            "whatever the map between the layers": {**_INSERTION, "I after any map": True},
                        },
                        explanation=r"$\mathrm{ReLU}(\mathrm{ReLU}(u)) = \mathrm{ReLU}(u)$ entry by entry. For $l \ge 2$ there is a "
                        "ReLU to put the layer after.",
                    ),
                    Argument(
                        "Layers $I$ inserted into small networks",
                        "explicit",
                        _insertions,
                        _INSERTIONS,
                        {
                            "before the first layer as well": {**_INSERTIONS, "before the first": True},
                            "nowhere": {**_INSERTIONS, "after a ReLU": False},
                        },
                    ),
                ),
            ),
            Clause(
                r"From one layer to two $2d$ hidden units do, $x = \mathrm{ReLU}(x) - \mathrm{ReLU}(-x)$; with $d$ of "
                r"them no $x \to F x$ with $F$ invertible is in $F_2$, for any $d$.",
                {"d": 1},
                (
                    GERMS,
                    ON_RAYS,
                    Argument(
                        "Even and odd parts of two layers",
                        "identity",
                        _parity,
                        _PARITY,
                        {
                            "the even part vanishes": {**_PARITY, "2 f(x) + 2 f(-x)": "0"},
                            "$W_2$ need not be invertible": {**_PARITY, "V2 times the even part, any V2": "+2 a"},
                            r"$2d$ units give $\lvert x\rvert$": {**_PARITY, "2 [I, -I] ReLU([I; -I] x)": "+2 a"},
                        },
                        explanation=r"If $f(x) = F x$ then $W_2 \lvert W_1 x\rvert = 0$ for all $x$ and $W_2 W_1 = F$. With $F$ "
                        r"invertible and $W_2$ square $W_2$ is invertible, so $\lvert W_1 x\rvert = 0$, $W_1 = 0$ and "
                        "$F = 0$.",
                    ),
                    Argument(
                        "Two-layer networks on the axes of the plane",
                        "explicit",
                        _widths,
                        _WIDTHS,
                        {"two units do": {**_WIDTHS, 2: True}, "four units do not": {**_WIDTHS, 4: False}},
                    ),
                ),
            ),
            Clause(
                r"For $d \ge 2$, every $l \ge 2$ and every $k$ $F_{l+1}$ has functions that $F_l$ has not: on some line "
                "one of them has more kinks than any function of $F_l$ has on any line.",
                {"l": 2, "d": 2, "k": 1},
                (
                    GERMS,
                    *ROWS,
                    Induction("l", _FIRST, _NEXT),
                    Argument(
                        "Of $k$ outputs the first one",
                        "identity",
                        _one_output,
                        _ONE_OUTPUT,
                        {
                            "whatever $p$ and $E$ are": {**_ONE_OUTPUT, "p E g, any p": "+1 w R N"},
                            "a ReLU is lost": {**_ONE_OUTPUT, "p E g": "+1 w N"},
                        },
                        explanation="$p f$ is a network with one output, and each of these is $p E g$: $F_l = F_{l+1}$ for $k$ "
                        "outputs makes it so for one.",
                    ),
                    Argument(
                        "Kinks of rational networks",
                        "explicit",
                        _deeper_networks,
                        _BentClaim(lambda kinks, most, d: kinks + d * most),
                        {
                            "one row's crossings": _BentClaim(lambda kinks, most, _: kinks + most),
                            "kinks are lost": _BentClaim(lambda _, most, d: d * most),
                            "one layer more has as many": _BentClaim(
                                lambda kinks, most, d: kinks + d * most, more=False
                            ),
                        },
                        _same_bends,
                    ),
                ),
            ),
            Clause(
                r"$F_3$ has for $d \ge 2$ and every $k$ functions that are in $F_2$ for no width: $F_2$ is not $F_3$.",
                {"d": 2, "k": 1},
                (
                    GERMS,
                    ON_RAYS,
                    Argument(
                        "Bends of running networks at $x$ and at $-x$",
                        "explicit",
                        _bends,
                        _BENDS,
                        {
                            "three layers have them too": {**_BENDS, "3 layers": (((1, 0), (0, 0)),) * 2},
                            "two layers need not": {**_BENDS, "2 layers": 0},
                            "two layers never bend": {**_BENDS, "2 layers bend": False},
                        },
                        explanation="Small integer weights, where float64 is exact.",
                    ),
                    Argument(
                        "A network of width $p$ within one of width $d$",
                        "identity",
                        _within,
                        _WITHIN,
                        {
                            "of any maps $P$ and $E$": {**_WITHIN, "any P, E": _WITHIN["P R E = r"]},
                            "one ReLU is lost": {**_WITHIN, "P R E = r": "+1 C W3 r W2 W1 P"},
                        },
                        explanation=r"For $p = 2$ and every $d \ge 2$: $g(x_1, x_2)$ of the network above, $C$ keeping its first "
                        "entry, bends where it does.",
                    ),
                ),
            ),
            Clause(
                r"For $d = 1$ all $F_l$ with $l \ge 2$ are equal, whatever $k$ is.",
                {"l": 2, "k": 1},
                at={"d": 1},
                arguments=(
                    Induction(
                        "l",
                        Argument(
                            "One dimension, two layers: $f(1) f(-1) = 0$",
                            "identity",
                            _one_dimension,
                            dict.fromkeys(_SIGNS, False),
                            {"two layers reach both half lines": {1: True, -1: False}},
                        ),
                        Argument(
                            "One dimension: $f(1) f(-1) = 0$ is inherited",
                            "identity",
                            _inherited,
                            _INHERITED,
                            {
                                "whatever $f$ is": {**_INHERITED, (1, 1): False},
                                "it is not": {**_INHERITED, (1, 0): True},
                            },
                            explanation=r"Of one output. The functions $p \max(x, 0) + q \max(-x, 0)$ with $p q = 0$ are two-layer "
                            "networks, $(w_2, w_1) = (p, 1)$ or $(q, -1)$, and no others are networks of two or more "
                            "layers.",
                        ),
                    ),
                    Argument(
                        "$k$ outputs behind one unit",
                        "identity",
                        _through_one_unit,
                        _THROUGH_ONE_UNIT,
                        {
                            "one more layer is left": {**_THROUGH_ONE_UNIT, "W R N": "+1 W R w2 R w1"},
                            "no ReLU is left": {**_THROUGH_ONE_UNIT, "W R N": "+1 W c w1"},
                            "a ReLU does not pass": {**_THROUGH_ONE_UNIT, "R w2 R = c R": False},
                        },
                        explanation=r"With $d = 1$ a network of $l + 1$ layers is $W\, \mathrm{ReLU}(N)$, $N$ one of $l$ layers with "
                        r"one output, which is one of two layers: $W\, \mathrm{ReLU}(w_2)$ and $w_1$ make the same "
                        "network of two layers.",
                    ),
                    Argument(
                        "Small networks of one dimension",
                        "explicit",
                        _scalar_networks,
                        _SCALAR_NETWORKS,
                        {
                            "three layers reach both half lines": {**_SCALAR_NETWORKS, 3: (False, True)},
                            "they vanish": {**_SCALAR_NETWORKS, 4: (True, False)},
                        },
                    ),
                ),
            ),
        ),
        changes=(
            Change(
                "a superset",
                r"$F_l$ is contained in $F_{l+1}$ for every $l \ge 2$",
                r"The set is a superset where $l \ge 2$, or from one layer to two where the hidden layer is twice as wide; it is a strict "
                r"one where $l \ge 2$ and $d \ge 2$.",
            ),
            Change(
                "a strict superset with ReLU activations",
                r"For $d \ge 2$, every $l \ge 2$ and every $k$ $F_{l+1}$ has functions that $F_l$ has not",
            ),
        ),
    ),
    evidence=(
        Argument(
            "A layer $I$ inserted into a running network",
            "floating point",
            _insert_on_digits,
            "after a ReLU",
            {"a ReLU before the first layer": "before the first"},
            _unchanged,
        ),
    ),
    notes="The note has no biases and hidden layers of the input's width, and says that 'the extra layer learns the identity'. "
    "A bias larger than the data lets an extra first layer be the identity on bounded data, "
    r"$\mathrm{ReLU}(x + b) - b = x$, but not on $\mathbb R^d$.",
)

STATEMENTS = (EX_9,)
