"""Rounding bounds once more: what is allowed for running errors, contractions and sums, counted by hand.

Running errors are followed in `proofs.routes.counted_errors`. Index terms have their longest chains and their contractions
of moduli counted, and sums of a direction over units what either kind of unit allows: those that pass numbers through
exactly, and those that round. So have a count of eigenvalues and the solver what they are off by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.algebra import shift
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import (
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
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.numeric.backend import device
from resproof.numeric.network.arithmetic import PRIME, Residues
from resproof.numeric.network.readout import through
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.bounds import chain_length, contraction_bound
from resproof.numeric.spectra.contract import Environment, environment
from resproof.numeric.spectra.cores import Matrices, core_spectrum
from resproof.numeric.spectra.toeplitz import count_below
from resproof.proofs.routes.counted_errors import by_hand, followed, longest
from resproof.proofs.routes.running_network import Running, sums_over_units
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.scope import Scope


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
    """How far the errors and the lengths are from those counted by hand, less so many roundings.

    Raises:
        Disagreement: they are of other numbers.
    """
    counted = by_hand()
    if (found.numbers.keys(), found.lengths.keys()) != (counted.keys(), _LENGTHS.keys()):
        raise Disagreement("not the same is followed as is counted by hand")
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
    ops, h = device(context.device).ops, Input("d")
    lengths = {name: longest(context, *case) for name, case in _wider().items()}
    head = through(squared, Stage(Weight("o", "d") @ h), {"W1": np.ones((9, 3))}, {"o": 9, "d": 3, "m": 2}, "head")
    lengths["residues"] = float(Residues(ops, PRIME).longest)
    lengths["a head"] = longest(context, *_wider()["samples"], head)
    lengths |= {name: float(chain_length(one, {"d": 3, "k": 2, "m": 4})) for name, one in _sums().items()}
    lengths |= dict(_moduli(context)) | dict(_over_units(context)) | dict(_counts()) | dict(_of_cores())
    return Computed(_Allowed(followed(context), lengths), Scope.of(_SIZES))


def _wider() -> Mapping[str, tuple[ResidualUnit, Mapping[str, int], tuple[int, ...]]]:
    h, w, v = Input("d"), Weight("k", "d"), Weight("d", "k")
    q, o = Weight("k", "d"), Weight("d", "k")
    apart, mixed = h + v @ (w @ h), h + o @ ((q @ h) @ ((q @ h).T @ (q @ h)))
    return {
        "samples": (ResidualUnit(apart), {"d": 3, "k": 5}, (3, 2)),
        "many samples": (ResidualUnit(apart), {"d": 3, "k": 2}, (3, 8)),
        "tokens": (ResidualUnit(mixed), {"d": 3, "k": 2}, (4, 3, 5)),
    }


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
