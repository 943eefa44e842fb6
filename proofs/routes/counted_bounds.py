"""Rounding bounds once more, number by number: what is allowed for running errors, contractions and sums, counted by hand.

The unit h + v (w h)^2 of width one, on small whole numbers: each number carries its error in units of L u, by the rules

    a + b:  e_a + e_b + |a + b|,        a b:  |a| e_b + e_a |b| + |a b|,        f(a):  |f'(a)| e_a + |f(a)|.

So does h + v s(w h) with two inner numbers and a softmax or a norm for s, where its values are halves or whole numbers.
L, which covers the longest sum and 14 roundings of an elementary function, is read off wider units at zero weights, where
the output is h + 0 and its error 2 L u |h|.

Index terms have their longest chains and their contractions of moduli counted, and sums of a direction over units what
either kind of unit allows: those that pass numbers through exactly, and those that round. So have a count of eigenvalues and
the solver what they are off by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from architectures.activations import polynomial, tanh
from architectures.catalogue import n_shortcut
from architectures.expressions import Expression, Input, Weight, layer_norm, rms_norm, shift, softmax
from architectures.losses import Loss, cross_entropy, squared
from architectures.networks import Network, ResidualUnit, Stage
from architectures.scope import Scope
from architectures.terms import (
    COLUMN,
    ROW,
    ActivationValue,
    DataTensor,
    IndexSum,
    InitialWeight,
    InverseScale,
    LossDerivative,
    Normalised,
    SoftmaxValue,
    Tensor,
    Term,
)
from numeric.backend import device
from numeric.data import read_shape
from numeric.network.arithmetic import PRIME, Residues
from numeric.network.readout import through
from numeric.network.running_error import bounded_derivatives
from numeric.rounding import UNIT_ROUNDOFF, gamma
from numeric.spectra.contract import Environment, chain_length, contraction_bound, environment
from numeric.spectra.cores import Matrices, core_spectrum
from numeric.spectra.toeplitz import count_below
from proofs.routes.running_network import Running, sums_over_units
from proofs.statement import Argument, Computed, Context, Measurement
from symbolic.index.expansion import expansion


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


def _exact(value: int) -> Counted:
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


class _Allowed(NamedTuple):
    """Numbers with their errors; the longest sums of wider units, and other bounds in units of u."""

    numbers: Mapping[str, tuple[float, float]]
    lengths: Mapping[str, float]


_CLASSES = [[3.0, -1.0, 1.0], [3.0, 1023.0, 1.25]], [[0.25] * 3, [0.75] * 3]
"""f and y of three samples: f is constant, far from it, and near."""


def _of_classes() -> float:
    """The sum of |f| times what p - y is a difference of; near a constant f, of 1 - 2 y, E and y sum E over 2 + sum E."""
    small = -math.expm1(-0.25)
    near = (0.5 + small + 0.25 * small) / (2 - small), (0.5 + 0.75 * small) / (2 - small)
    return 3 * (0.5 / 2 + 0.5 / 2) + (0.25 + 1023 * (1 + 0.75)) + (near[0] + 1.25 * near[1])


_ROOT = math.sqrt(2) - 1
"""tan(pi / 8)"""


def _by_doublings(first: float, units: int) -> Fraction:
    """By what a count at 0 may be off, where D is a number and A a rotation by 90 degrees, so that C + K is c + i.

    What is rounded at a joint Q = C_a + C_b counts for every unit of the stretch, or for |K^-1 (C_1 + K)|^2 of them.
    """
    start, reach = Fraction(first), Fraction(first) ** 2 + 1
    c, length, total = start, 1, start
    for digit in bin(units)[3:]:
        for lengthened in range(1 + int(digit)):
            other, length = (start, length + 1) if lengthened else (c, 2 * length)
            joint, whole = c + other, abs(c) + abs(other)
            total += min(length, reach) * (whole + (abs(joint) + whole + 1) * (1 + (abs(c) + 1) / abs(joint)))
            c -= (c * c + 1) / joint
    return total


_ARGUMENT = 1 + (3 + 2 + 1)
"""-2 W X, W with three columns."""

_OFF = 6 * (14 + 1 + 2) * 3 / 64
"""By how many roundings, of DERIVED u each, the output of a head is off."""

_DIGITS = 6
_LENGTHS: Mapping[str, float] = {
    "samples": 14 + 5 + 5,  # both of the width k = 5
    "many samples": 14 + 8 + 8,  # both of m = 8 samples
    "a head": 14 + 3 + 9,  # nine outputs of the width d = 3
    "tokens": 14 + 4 * 5 + 5,  # of 4 samples with 5 tokens, and of 5 tokens
    # A term: its summed lengths, one for each factor, scalar and the coefficient; the sum: one for each term more.
    "data": 2 + (4 + 2 + 1 + 1),
    "g": 1 + (4 + 2 + 1) + (64 + 3),
    "a value": 1 + (2 + 4 + 2 + 1) + (64 + 2 + _ARGUMENT),
    "a softmax": 1 + (2 + 4 + 2 + 1) + (64 + 2 + _ARGUMENT),
    "a norm": 1 + (2 + 4 + 2 + 1) + (64 + 2 + _ARGUMENT),
    "a scale": 1 + (4 + 2 + 1) + (64 + _ARGUMENT),
    "a value of a softmax": 1 + (2 + 4 + 2 + 1) + (64 + 2 + 1 + (1 + 1) + (64 + 2 + _ARGUMENT)),
    # Coefficients -2, X = (3, -2), Y = (5, -1), and 2 a of a = -2 W X is (12, -8; -24, 16).
    "moduli of data": 2 * (9 + 4) + 2 * (9 + 4) / 2,
    "moduli with a value": 2 * (3 + 2) * 2 * 24,
    "moduli with g": 2 * (3 * (3 + 5) + 2 * (2 + 1)),
    "moduli of classes": round(2 * 16 * _of_classes(), _DIGITS),
    # A head f = (x, x), x = 3, y = (1/2, 1/2): f is off by 6 L u |f| / 64 u roundings, L = 14 + 1 + 2, which count twice in
    # g and four times in Q, of entries 1/4; and once in the g of the squared loss.
    "moduli with g, a head": 2 * 2 * (2 * _OFF),
    "moduli with Q, a head": 2 * 4 * (16 / 4 * (1 + 4 * _OFF)),
    "moduli with g, a head, squared": 2 * 2 * (3 + 1 / 2 + _OFF),
    "moduli with Q, a head, squared": 2 * 2 * 1,
    # Below 2^53 are 127 products of numbers up to p/2 + 4, p = 16777213, and 128 are not.
    "residues": 127,
    # 2 (1 + 1) roundings in a unit of width one, eight for each node; and a sample.
    "chain, exact": 4 + 8 * 5 + 1,
    "chain, rounding": 4 * (4 + 8 * 5) + 1,
    "chain, linear": 4 + 8 * 4 + 1,
    # The units also sum over 3 tokens, and the loss over those of 2 samples.
    "chain, tokens": (4 + 2 * 3 + 8 * 6) + 2 * 3,
    # sum |v| = 8; sums up to a unit 1, -1, 2, 4, and after it 3, 5, 2, 0; 1000 roundings of what follows.
    "sums, exact": (4 + 8 * 5) * 8 + 2 * (3 + 5 + 2 + 0) + 1000 * (4 + 5),
    "sums, rounding": 1000 * 8,
    "sums, linear": (4 + 8 * 4) * 8 + 2 * (3 + 5 + 2 + 0) + (2 * 2 + 4) * 8 + 1000 * (4 + 5),
    # F - z = diag(0, 1): its norm; and a third of it, that of C_3 + W, over |v|^2 = 1/3 where an eigenvalue is 0.
    "count, an eigenvalue": 1 + (1 / 3) / (1 / 3),
    "count, a rotation": round(float(_by_doublings(3, 21)), _DIGITS),
    # C_4 = 0 beside W - 4/4 = 0 and 4/4 = 1, so that four units may move an eigenvalue; F - z has the norm 4.
    "count, two eigenvalues": round(4 + float(_by_doublings(_ROOT, 4)) - _ROOT + 1 / (1 / 4), _DIGITS),
    # 8 n u |C|, n = 2 + 2 sides and |C| = 5; and of errors 1 in each entry, |D| = |A| = 2, sqrt(R) |D| + R |A|.
    "a core": 8 * 4 * 5,
    "a core, errors of D": 2,
    "a core, errors of D and A": 2 * 2 + 4 * 2,
}
_SIZES = "R=1, 4, d=m=1; lengths at d=3, k=2, 5, m=2, 4, 8, t=5"


def _apart(found: _Allowed, roundings: int) -> Measurement:
    """How far the errors and the lengths are from those counted by hand, less so many roundings."""
    counted = {**_by_hand(), **{key: one for name in _OF_TWO for key, one in _of_two_by_hand(name)}}
    differences = [
        *(abs(found.numbers[name][0] - float(one.value)) for name, one in counted.items()),
        *(abs(found.numbers[name][1] - float(one.error) + roundings) for name, one in counted.items()),
        *(abs(found.lengths[name] - length + roundings) for name, length in _LENGTHS.items()),
    ]
    return Measurement(
        "differences from what is counted by hand, summed",
        sum(differences),
        0.0,
        _SIZES,
        None,
        "exact arithmetic: floats hold these numbers",
        scale=float(min(_LENGTHS.values())),
    )


def _followed(context: Context) -> Computed:
    h, w, v = Input("d"), Weight("d", "d", name="w"), Weight("d", "d", name="v")
    unit = ResidualUnit(h + v @ polynomial(0, 0, 1)(w @ h))
    ops, numbers = device(context.device).ops, dict(_numbers(context, unit, (_W,), (_V,)))
    for name, (between, at) in _OF_TWO.items():
        two = ResidualUnit(h + Weight("d", "k", name="v") @ between(Weight("k", "d", name="w") @ h))
        numbers |= {f"{name}: {key}": pair for key, pair in _numbers(context, two, at, _V_OF_TWO)}
    lengths = {name: _length(context, *case) for name, case in _wider().items()}
    head = through(squared, Stage(Weight("o", "d") @ h), {"W1": np.ones((9, 3))}, {"o": 9, "d": 3, "m": 2}, "head")
    lengths["residues"] = float(Residues(ops, PRIME).longest)
    lengths["a head"] = _length(context, *_wider()["samples"], head)
    lengths |= {name: float(chain_length(one, {"d": 3, "k": 2, "m": 4})) for name, one in _sums().items()}
    lengths |= dict(_moduli(context)) | dict(_over_units(context)) | dict(_counts()) | dict(_of_cores())
    return Computed(_Allowed(numbers, lengths), Scope.of(_SIZES))


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
    units = 2 * UNIT_ROUNDOFF * _length(context, plain, {"d": 1, "k": len(w)}, (1, 1))
    for name, a in arrays.items():
        yield name, (float(a[0, ...].sum()), float(a[1, ...].sum()) / units)


def _wider() -> Mapping[str, tuple[ResidualUnit, Mapping[str, int], tuple[int, ...]]]:
    h, w, v = Input("d"), Weight("k", "d"), Weight("d", "k")
    q, o = Weight("k", "d"), Weight("d", "k")
    apart, mixed = h + v @ (w @ h), h + o @ ((q @ h) @ ((q @ h).T @ (q @ h)))
    return {
        "samples": (ResidualUnit(apart), {"d": 3, "k": 5}, (3, 2)),
        "many samples": (ResidualUnit(apart), {"d": 3, "k": 2}, (3, 8)),
        "tokens": (ResidualUnit(mixed), {"d": 3, "k": 2}, (4, 3, 5)),
    }


def _length(
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


def _sum(*factors: tuple[Tensor, tuple[int, ...]], scalars: int = 0) -> Term:
    return Term(Fraction(-2), (("m", -1),) * scalars, factors)


_INPUT, _G = DataTensor("X", ("d", "m")), LossDerivative(1, ("d", "m"))
_ROWS = ((ROW, "d"),)
_HIDDEN = ((ROW, "k"), (COLUMN, "m"))
_INNER = IndexSum(_HIDDEN, (_sum((InitialWeight("w", None, ("k", "d")), (ROW, 0)), (_INPUT, (0, COLUMN))),))
_KM = ("k", "m")


def _sums() -> Mapping[str, IndexSum]:
    """Index terms by the tensor whose roundings they have."""
    softmax = SoftmaxValue(_INNER, 0, None, _KM)
    outer = IndexSum(_HIDDEN, (_sum((softmax, (ROW, COLUMN))),))
    values: Mapping[str, Tensor] = {
        "a value": ActivationValue("tanh", 1, _INNER, _KM),
        "a softmax": softmax,
        "a norm": Normalised(_INNER, 0, True, Fraction(1), _KM),
        "a value of a softmax": ActivationValue("tanh", 1, outer, _KM),
    }
    scale = InverseScale(_INNER, 0, True, Fraction(1), ("m",))
    one = (_INPUT, (ROW, 0))
    terms: dict[str, tuple[Term, ...]] = {name: (_sum(one, (tensor, (1, 0))),) for name, tensor in values.items()}
    terms |= {"a scale": (_sum(one, (scale, (0,))),), "g": (_sum(one, (_G, (ROW, 0))),)}
    terms["data"] = (_sum(one, one, scalars=1), _sum(one, one))
    return {name: IndexSum(_ROWS, found) for name, found in terms.items()}


def _moduli(context: Context) -> Iterator[tuple[str, float]]:
    """Contractions of moduli."""
    ops = device(context.device).ops
    x, y, w, v = (ops.asarray(np.array(a, dtype=float)) for a in ([[3, -2]], [[5, -1]], [[-1], [2]], [[0, 0]]))
    square, h = polynomial(0, 0, 1), Input("d")
    unit = ResidualUnit(h + Weight("d", "k", name="v") @ square(Weight("k", "d", name="w") @ h))
    env = environment(Network(unit, 1), x, y, sizes={"k": 2}, initial={"w": w, "v": v})
    value = ActivationValue(square.name, 1, _INNER, _KM)
    one = (_INPUT, (ROW, 0))
    terms = {
        "moduli of data": (_sum(one, one, scalars=1), _sum(one, one)),
        "moduli with a value": (_sum(one, (value, (1, 0))),),
        "moduli with g": (_sum(one, (_G, (ROW, 0))),),
    }
    for name, found in terms.items():
        yield name, _of_moduli(IndexSum(_ROWS, found), env)
    x, y = (ops.asarray(np.array(a)) for a in _CLASSES)
    env = environment(Network(ResidualUnit(h + Weight("d", "d") @ h), 1, cross_entropy), x, y)
    yield "moduli of classes", _of_moduli(IndexSum((), (_sum((_INPUT, (0, 1)), (_G, (0, 1))),)), env)
    of, rows = ("o", "o", "m"), ((ROW, "o"), (COLUMN, "o"))
    forms = {
        "g": IndexSum(rows[:1], (_sum((LossDerivative(1, of[1:]), (ROW, 0))),)),
        "Q": IndexSum(rows, (_sum((LossDerivative(2, of), (ROW, COLUMN, 0))),)),
    }
    x, y, head = ops.asarray(np.array([[3.0]])), ops.asarray(np.full((2, 1), 0.5)), Stage(Weight("o", "d") @ h)
    for ending, loss in (("", cross_entropy), (", squared", squared)):
        read = through(loss, head, {"W1": ops.asarray(np.ones((2, 1)))}, {"o": 2, "d": 1, "m": 1}, "head")
        env = environment(Network(ResidualUnit(h + Weight("d", "d") @ h), 1, read), x, y)
        for name, form in forms.items():
            yield f"moduli with {name}, a head{ending}", _of_moduli(form, env)


def _of_moduli(form: IndexSum, env: Environment) -> float:
    """The bound of a contraction over that of its chain, to as many digits as rounding leaves."""
    bound = contraction_bound(form, env) / gamma(chain_length(form, env.sizes))
    return round(float(env.ops.xp.sum(bound)), _DIGITS)


def _over_units(context: Context) -> Iterator[tuple[str, float]]:
    """What four units of width one allow: at w = 0 they pass numbers through exactly, at w = 1 they round."""
    ops = device(context.device).ops
    h, w = Input("d"), Weight("d", "d", name="w")
    one, direction = ops.asarray(np.ones((1, 1))), ops.asarray(np.array([1.0, -2.0, 3.0, 2.0]).reshape(4, 1, 1))
    linear, bent = ResidualUnit(h + w @ h), ResidualUnit(h + w @ tanh(h))
    for name, unit, at in (("exact", bent, 0.0), ("rounding", bent, 1.0), ("linear", linear, 0.0)):
        weights = {"w": ops.full((4, 1, 1), at)}
        running = Running(Network(unit, 4), one, one, weights, {"w": direction}, {"d": 1, "m": 1}, "ones", 0)
        off = sums_over_units(running, gamma(1000))["w"]
        yield f"chain, {name}", float(running.chain)
        yield f"sums, {name}", float(round(float(off.sum()) / UNIT_ROUNDOFF))
    tokens, of_tokens = ops.asarray(np.ones((2, 1, 3))), ResidualUnit(h + w @ (h @ shift(1)))
    at_rest = {"w": ops.zeros((4, 1, 1))}
    running = Running(Network(of_tokens, 4), tokens, tokens, at_rest, {"w": direction}, {"d": 1, "t": 3}, "ones", 0)
    yield "chain, tokens", float(running.chain)


def _counts() -> Iterator[tuple[str, float]]:
    """The errors of counts, in units of rho = 8 sqrt(p) u."""
    rotation, none = np.array([[0.0, 1.0], [-1.0, 0.0]]), np.zeros((2, 2))
    for name, diagonal, below, units, at in (
        ("an eigenvalue", np.diag([1.0, 2.0]), none, 3, 1.0),
        ("a rotation", 3.0 * np.eye(2), rotation, 21, 0.0),
        ("two eigenvalues", np.diag([_ROOT, _ROOT, -3.0, 4.0]), _beside(rotation, 1.0), 4, 0.0),
    ):
        _, error = count_below(diagonal, below, units, at)
        yield f"count, {name}", round(error / (8 * math.sqrt(len(below)) * UNIT_ROUNDOFF), _DIGITS)


def _of_cores() -> Iterator[tuple[str, float]]:
    """The errors of a core's eigenvalues, of two labels."""
    core = expansion(ResidualUnit(n_shortcut(1)), squared).cores.cores[0]
    none, ones, known = np.zeros((2, 2, 2)), np.ones((2, 2, 2)), np.stack([np.diag([3.0, 4.0]), np.eye(2)])
    exact = core_spectrum(core, Matrices(known, None), Matrices(none, None), 4).bound
    yield "a core", exact / UNIT_ROUNDOFF
    for name, below in (("a core, errors of D", None), ("a core, errors of D and A", ones)):
        found = Matrices(none, None if below is None else none)
        yield name, core_spectrum(core, found, Matrices(ones, below), 4).bound


def _beside(rotation: np.ndarray, number: float) -> np.ndarray:
    """A rotation, a number and 0 as blocks of the diagonal."""
    whole = np.diag([0.0, 0.0, number, 0.0])
    whole[:2, :2] = rotation
    return whole


COUNTED_BOUNDS = Argument(
    "Rounding bounds, counted by hand",
    "floating point",
    _followed,
    0,
    {"a rounding less": 1},
    _apart,
    explanation="On small whole numbers nothing is rounded, and what is allowed for it is a whole number of units.",
)
