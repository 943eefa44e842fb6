"""Running errors once more, number by number, of small units on whole numbers.

Each number carries its error in units of L u, by the rules

    a + b:  e_a + e_b + |a + b|,        a b:  |a| e_b + e_a |b| + |a b|,        f(a):  |f'(a)| e_a + |f(a)|.

The units are h + v (w h)^2 of width one; h + v s(w h) with two inner numbers and a softmax or a norm for s, where its values
are halves or whole numbers; and h + w h under several losses, also through a head.

L, which covers the longest sum and 14 roundings of an elementary function, is read off wider units at zero weights, where
the output is h + 0 and its error 2 L u |h|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.algebra import layer_norm, rms_norm, softmax
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.numeric.backend import device
from resproof.numeric.data import read_shape
from resproof.numeric.network.readout import through
from resproof.numeric.network.running_error import bounded_derivatives
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.proofs.statement import Context


class Counted(NamedTuple):
    """A number and its error in units of L u."""

    value: Fraction
    error: Fraction

    def plus(self, other: Counted) -> Counted:
        """The sum."""
        value = self.value + other.value
        return Counted(value, self.error + other.error + abs(value))

    def times(self, other: Counted) -> Counted:
        """The product."""
        value = self.value * other.value
        return Counted(value, abs(self.value) * other.error + self.error * abs(other.value) + abs(value))


Pair: TypeAlias = tuple[Counted, Counted]
"""A number and its derivative along the direction."""


def _exact(value: int | Fraction) -> Counted:
    return Counted(Fraction(value), Fraction(abs(value)))


def _product(a: Pair, b: Pair) -> Pair:
    return a[0].times(b[0]), a[0].times(b[1]).plus(a[1].times(b[0]))


def _square(a: Pair) -> tuple[Pair, Pair]:
    """a^2 and 2 a."""
    at, error = a[0]
    value = Counted(at * at, abs(2 * at) * error + at * at)
    slope, bend = Counted(2 * at, 2 * error + abs(2 * at)), Counted(Fraction(2), Fraction(2))
    return (value, slope.times(a[1])), (slope, bend.times(a[1]))


_W, _V, _X, _Y = (3, 1), (2, -1), 2, 5
"""Each weight with its direction; the input and the target."""


def _by_hand() -> Mapping[str, Counted]:
    """The output, and the gradient and H v in w and v, of one unit on one sample."""
    w, v = ((_exact(value), _exact(along)) for value, along in (_W, _V))
    h = _exact(_X)
    inner = w[0].times(h), w[1].times(h)
    squared, slope = _square(inner)
    branch = _product(v, squared)
    output = h.plus(branch[0])
    g = _exact(1).times(output.plus(_exact(-_Y))), _exact(1).times(branch[1])
    of_v = _product(g, squared)
    of_inner = _product(_product(v, g), slope)
    of_w = of_inner[0].times(h), of_inner[1].times(h)
    return {
        "f": output,
        "gradient, w": of_w[0],
        "H v, w": of_w[1],
        "gradient, v": of_v[0],
        "H v, v": of_v[1],
    }


# A softmax of (u, u), which is (1/2, 1/2), and norms of (u, -u), whose root is 1/|u|.

_Several: TypeAlias = list[Pair]


def _opposite(a: Counted) -> Counted:
    return Counted(-a.value, a.error)


def _summed(some: Iterable[Counted], share: Fraction = Fraction(1)) -> Counted:
    """A sum of any length, whose roundings L covers."""
    values = list(some)
    return Counted(share * sum(a.value for a in values), share * sum(a.error for a in values))


def _pairs_summed(some: _Several, share: Fraction = Fraction(1)) -> Pair:
    return _summed((a for a, _ in some), share), _summed((b for _, b in some), share)


def _pairs_apart(a: Pair, b: Pair) -> Pair:
    return a[0].plus(_opposite(b[0])), a[1].plus(_opposite(b[1]))


def _softmax_of_equals(u: _Several) -> _Several:
    """p with p_i (e_i + sum p_j e_j) + p_i, and p (u' - <p, u'>)."""
    p = Fraction(1, len(u))
    moved = [a.error + sum(p * b.error for b, _ in u) for a, _ in u]
    values = [Counted(p, p * one + p) for one in moved]
    inner = _summed(value.times(b) for value, (_, b) in zip(values, u, strict=True))
    return [(value, value.times(b.plus(_opposite(inner)))) for value, (_, b) in zip(values, u, strict=True)]


def _softmax_back(s: _Several, g: _Several) -> _Several:
    """s (g - <s, g>)."""
    inner = _pairs_summed(list(map(_product, s, g)))
    return [_product(one, _pairs_apart(a, inner)) for one, a in zip(s, g, strict=True)]


def _normed(u: _Several, *, centred: bool) -> tuple[_Several, Pair]:
    """n = c r and r, the inverse root of the mean of c^2, with n' = r (c' - n mean(n c')) and r' = -r^2 mean(n c')."""
    half = Fraction(1, len(u))
    c = [_pairs_apart(a, _pairs_summed(u, half)) for a in u] if centred else u
    square = _summed((a.times(a) for a, _ in c), half)
    at = Fraction(1, math.isqrt(int(square.value)))
    r = Counted(at, at**3 / 2 * square.error + at)
    n = [a.times(r) for a, _ in c]
    inner = _summed((one.times(b) for one, (_, b) in zip(n, c, strict=True)), half)
    along = [r.times(b.plus(_opposite(one.times(inner)))) for one, (_, b) in zip(n, c, strict=True)]
    return list(zip(n, along, strict=True)), (r, _opposite(r.times(r).times(inner)))


def _normed_back(n: _Several, r: Pair, g: _Several, *, centred: bool) -> _Several:
    """r (g - n mean(n g)), less the mean of g where centred."""
    half = Fraction(1, len(n))
    mean = _pairs_summed(list(map(_product, n, g)), half)
    change = [_pairs_apart(a, _product(one, mean)) for one, a in zip(n, g, strict=True)]
    if centred:
        change = [_pairs_apart(a, _pairs_summed(g, half)) for a in change]
    return [_product(r, a) for a in change]


_V_OF_TWO = ((3, -1), (-1, 3))
_OF_TWO: Mapping[str, tuple[Callable[[Expression], Expression], tuple[tuple[int, int], ...]]] = {
    "softmax": (lambda u: softmax(u, axis=0), ((3, 1), (3, -1))),
    "LayerNorm": (layer_norm, ((1, 3), (-1, 1))),
    "RMSNorm": (rms_norm, ((1, 3), (-1, 1))),
}
"""What is between w and v, and w with its direction: equal entries or opposite ones."""


def _of_two_by_hand(name: str) -> Iterator[tuple[str, Counted]]:
    """As `_by_hand`, summed over the entries of a weight."""
    w, v = ([(_exact(a), _exact(b)) for a, b in some] for some in (_OF_TWO[name][1], _V_OF_TWO))
    h = _exact(_X)
    u, centred = [(a.times(h), b.times(h)) for a, b in w], name == "LayerNorm"
    s, r = (_softmax_of_equals(u), None) if name == "softmax" else _normed(u, centred=centred)
    branch = (
        _summed(a[0].times(b[0]) for a, b in zip(v, s, strict=True)),
        _summed(a[0].times(b[1]) for a, b in zip(v, s, strict=True)).plus(
            _summed(a[1].times(b[0]) for a, b in zip(v, s, strict=True))
        ),
    )
    output = h.plus(branch[0])
    g = _exact(1).times(output.plus(_exact(-_Y))), _exact(1).times(branch[1])
    of_s = [_product(one, g) for one in v]
    of_u = _softmax_back(s, of_s) if r is None else _normed_back(s, r, of_s, centred=centred)
    yield f"{name}: f", output
    for weight, of in (("w", [(a.times(h), b.times(h)) for a, b in of_u]), ("v", [_product(g, one) for one in s])):
        gradient, product = _pairs_summed(of)
        yield f"{name}: gradient, {weight}", gradient
        yield f"{name}: H v, {weight}", product


# Losses of h + W h, where the classes are equally likely; with a head, of P (h + W h).

_SQUARE = ((1, 1), (2, 0)), ((2, 0), (1, -1))
"""W, each entry with its direction: f = (8, 8) for h = (2, 2)."""
_HEAD, _CLASS = ((1, 2), (2, 1)), (Fraction(1, 4), Fraction(3, 4))
_LOSSES = {
    "cross-entropy": (cross_entropy, False),
    "cross-entropy, a head": (cross_entropy, True),
    "squared, a head": (squared, True),
}


def _slope_by_hand(f: _Several, *, quadratic: bool) -> _Several:
    """f - y, or sum(y) softmax(f) - y, times one over the number of samples."""
    y = [_exact(a) for a in _CLASS]
    total = _summed(y)
    found = f if quadratic else [(total.times(a), total.times(b)) for a, b in _softmax_of_equals(f)]
    return [(_exact(1).times(a.plus(_opposite(of))), _exact(1).times(b)) for (a, b), of in zip(found, y, strict=True)]


def _applied(matrix: Iterable[Iterable[int]], u: _Several) -> _Several:
    """A constant matrix times a vector."""
    rows = [[_exact(a) for a in row] for row in matrix]
    both = ([one[k] for one in u] for k in range(2))
    columns = [[_summed(map(Counted.times, row, part)) for row in rows] for part in both]
    return list(zip(*columns, strict=True))


def _loss_by_hand(name: str) -> Iterator[tuple[str, Counted]]:
    """As `_of_two_by_hand`."""
    (loss, has_head), h = _LOSSES[name], _exact(_X)
    inner = [_pairs_summed([(_exact(a).times(h), _exact(b).times(h)) for a, b in row]) for row in _SQUARE]
    f = [(h.plus(a), b) for a, b in inner]
    g = _slope_by_hand(_applied(_HEAD, f) if has_head else f, quadratic=loss.quadratic)
    if has_head:
        g = _applied(zip(*_HEAD, strict=True), g)
    of = _pairs_summed([(a.times(h), b.times(h)) for a, b in g for _ in g])
    yield f"{name}: f", _summed(a for a, _ in f)
    yield from zip((f"{name}: gradient, w", f"{name}: H v, w"), of, strict=True)


def _losses(context: Context) -> Iterator[tuple[str, tuple[float, float]]]:
    """What the running network has."""
    ops, h, w = device(context.device).ops, Input("d"), Weight("d", "d", name="w")
    unit, array = ResidualUnit(h + w @ h), np.array(_SQUARE, dtype=float)
    x, y = ops.asarray(np.full((2, 1), float(_X))), ops.asarray(np.array([[float(a)] for a in _CLASS]))
    weights, along = ({"w": ops.asarray(array[None, ..., k])} for k in range(2))
    head = {"W1": ops.asarray(np.array(_HEAD, dtype=float))}
    for name, (loss, has_head) in _LOSSES.items():
        read = through(loss, Stage(Weight("o", "d") @ h), head, {"o": 2, "d": 2, "m": 1}, "head") if has_head else loss
        found = bounded_derivatives(Network(unit, 1, read), weights, along, x, y)
        units = 2 * UNIT_ROUNDOFF * longest(context, unit, {"d": 2}, (2, 1))
        arrays = {"f": found.output, "gradient, w": found.gradient["w"], "H v, w": found.product["w"]}
        for what, a in arrays.items():
            yield f"{name}: {what}", (float(a[0, ...].sum()), float(a[1, ...].sum()) / units)


# What the running network has.


def by_hand() -> Mapping[str, Counted]:
    """Every number with its error."""
    found = dict(_by_hand())
    found |= {key: one for name in _OF_TWO for key, one in _of_two_by_hand(name)}
    return found | {key: one for name in _LOSSES for key, one in _loss_by_hand(name)}


def followed(context: Context) -> Mapping[str, tuple[float, float]]:
    """The same of the running network, with its errors in units of L u."""
    h, w, v = Input("d"), Weight("d", "d", name="w"), Weight("d", "d", name="v")
    found = dict(_numbers(context, ResidualUnit(h + v @ polynomial(0, 0, 1)(w @ h)), (_W,), (_V,)))
    for name, (between, at) in _OF_TWO.items():
        two = ResidualUnit(h + Weight("d", "k", name="v") @ between(Weight("k", "d", name="w") @ h))
        found |= {f"{name}: {key}": pair for key, pair in _numbers(context, two, at, _V_OF_TWO)}
    return found | dict(_losses(context))


def _numbers(
    context: Context, unit: ResidualUnit, w: Sequence[tuple[int, int]], v: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Of one unit on one sample: the output, gradient and H v, summed over a weight's entries, with errors in units of L u."""
    ops = device(context.device).ops
    shapes = {"w": (1, len(w), 1), "v": (1, 1, len(v))}
    weights, along = (
        {name: ops.asarray(np.reshape([a[k] for a in some], shapes[name]) + 0.0) for name, some in (("w", w), ("v", v))}
        for k in range(2)
    )
    x, y = (ops.asarray(np.full((1, 1), float(a))) for a in (_X, _Y))
    found = bounded_derivatives(Network(unit, 1), weights, along, x, y)
    arrays = {"f": found.output}
    for name in ("w", "v"):
        arrays |= {f"gradient, {name}": found.gradient[name], f"H v, {name}": found.product[name]}
    h = Input("d")
    plain = ResidualUnit(h + Weight("d", "k", name="v") @ tanh(Weight("k", "d", name="w") @ h))
    units = 2 * UNIT_ROUNDOFF * longest(context, plain, {"d": 1, "k": len(w)}, (1, 1))
    for name, a in arrays.items():
        yield name, (float(a[0, ...].sum()), float(a[1, ...].sum()) / units)


def longest(
    context: Context, unit: ResidualUnit, sizes: Mapping[str, int], shape: tuple[int, ...], loss: Loss = squared
) -> float:
    """L, from the error 2 L u |h| of an output at zero weights; two units of roundoff are allowed for each of it."""
    ops = device(context.device).ops
    zero = {name: ops.zeros((1, *(sizes[str(n)] for n in w.shape))) for w, name in unit.names.items()}
    x, y = (
        ops.asarray(np.ones(one)) for one in (shape, read_shape(np.ones(shape), loss.reads) if loss.reads else shape)
    )
    found = bounded_derivatives(Network(unit, 1, loss), zero, zero, x, y).output
    return float(found[1, ...].max()) / (4 * UNIT_ROUNDOFF)
