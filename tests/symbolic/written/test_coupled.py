"""Softmax and normalisation on explicit coordinates: their defining equations, and plain networks in floating point."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.algebra import causal_mask, layer_norm, rms_norm, shift, softmax
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, ones
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring, sympy_ring, with_symbols
from resproof.symbolic.written.coupled import normalised_line, softmax_line
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point, loss_series, stationary_order
from resproof.symbolic.written.jets import GradedJets, Jet, Jets, SparseJets, compose
from resproof.symbolic.written.names import inverse_root, softmax_name
from resproof.symbolic.written.plans import size

WEIGHTS = {k: f"w{k}" for k in range(3)}


def line_of(jets: Jets, values: list[Any], seed: int) -> list[Jet]:
    """Jets with these constant parts and random parts of degree 1 and 2."""
    r, found = random.Random(seed), []
    for value in values:
        jet = jets.number(value)
        for k in WEIGHTS:
            change = jets.number(jets.ring.number(r.randint(-2, 2)))
            jets.add_product(jet, change, jets.variable(jets.ring.zero, k), jets.order)
        pair = [jets.variable(jets.ring.zero, r.randrange(3)) for _ in range(2)]
        jets.add_product(jet, pair[0], pair[1], jets.order)
        found.append(jet)
    return found


def parts(jets: Jets, jet: Jet) -> list[dict[tuple[int, ...], Plain]]:
    return [{m: jets.ring.plain(c) for m, c in jets.part(jet, k).items()} for k in range(jets.order + 1)]


def product(jets: Jets, *factors: Jet) -> Jet:
    total = jets.number(jets.ring.one)
    for factor in factors:
        following = jets.number(jets.ring.zero)
        jets.add_product(following, total, factor, jets.order)
        total = following
    return total


def total(jets: Jets, *summands: Jet) -> Jet:
    found = jets.number(jets.ring.zero)
    for summand in summands:
        jets.add(found, summand)
    return found


def in_both_jets(order: int, names: list[str], run: Callable[[Jets], None]) -> None:
    def graded(ring: Ring) -> None:
        run(GradedJets(ring, order, WEIGHTS))

    def sparse(ring: Ring) -> None:
        run(SparseJets(ring, order))

    with_symbols(flint_ring, [*names, *WEIGHTS.values()], graded)
    if order <= 2:
        with_symbols(sympy_ring, names, sparse)


@pytest.mark.parametrize("order", [0, 1, 2, 4])
@pytest.mark.parametrize("arguments", [[0, 0, 0], [2, 2], [0, 1, 3], [1], ["x", "y", "x"], ["x", "x"]])
def test_softmax_times_the_sum_of_exponentials(order: int, arguments: list[Any]) -> None:
    """p_i sum_j p_j(0) e^(v_j) = p_i(0) e^(v_i), and the values sum to one at every order."""

    def check(jets: Jets) -> None:
        ring = jets.ring
        line = line_of(jets, [ring.symbol(a) if isinstance(a, str) else ring.number(a) for a in arguments], 7)
        p = softmax_line(line, order, jets)
        exponential = [ring.number(Fraction(1, math.factorial(k))) for k in range(order + 1)]
        weighted = [
            product(jets, jets.number(jets.value(value)), compose(jets, exponential, jets.increment(u), order))
            for value, u in zip(p, line, strict=True)
        ]
        assert parts(jets, total(jets, *p)) == parts(jets, jets.number(ring.one))
        for value, expected in zip(p, weighted, strict=True):
            assert parts(jets, product(jets, value, total(jets, *weighted))) == parts(jets, expected)
        if len(set(arguments)) == 1:
            assert {jets.value(value) == ring.number(Fraction(1, len(p))) for value in p} == {True}

    in_both_jets(order, ["x", "y"], check)


@pytest.mark.parametrize("order", [0, 1, 2, 4])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(5, 4)])
def test_the_normalised_square_times_the_scale(order: int, centred: bool, epsilon: Fraction) -> None:
    """n_i^2 (mean c^2 + epsilon) = c_i^2, up to the relation r^2 q_0 = 1 of the inverse root at degree 0."""
    square = [1, 5] if not epsilon else [3, 4]

    def check(jets: Jets) -> None:
        ring = jets.ring
        line = line_of(jets, [ring.number(a) for a in square], 3)
        n = normalised_line(line, order, jets, centred=centred, epsilon=epsilon)
        share = jets.number(ring.number(Fraction(1, 2)))
        mean = product(jets, share, total(jets, *line))
        minus = jets.number(ring.number(-1))
        c = [total(jets, u, product(jets, minus, mean)) for u in line] if centred else line
        q = total(jets, jets.number(ring.number(epsilon)), *(product(jets, share, u, u) for u in c))
        for value, u in zip(n, c, strict=True):
            left, right = (
                [{m: reduced(plain) for m, plain in part.items()} for part in parts(jets, jet)]
                for jet in (product(jets, value, value, q), product(jets, u, u))
            )
            for found, expected in zip(left, right, strict=True):
                assert {m: v for m, v in found.items() if v} == expected
        # The root itself, not minus the root.
        assert bool(reduced(ring.plain(jets.value(n[1]))) > 0)

    in_both_jets(order, [], check)


def reduced(plain: Plain) -> sympy.Expr:
    """The value of a polynomial in inverse roots (q)^(-1/2) of rationals q."""
    value = sympy.Integer(0)
    for monomial, c in plain.items():
        roots = (sympy.sqrt(1 / sympy.Rational(name[1 : name.index(")")])) ** power for name, power in monomial)
        value += sympy.Mul(sympy.Rational(c.numerator, c.denominator), *roots)
    return sympy.expand(value)


def test_names() -> None:
    x, two = {(("x", 1),): Fraction(1)}, {(): Fraction(2)}
    assert softmax_name(1, [x, two, {}]) == "softmax2(x, 2, 0)"
    assert inverse_root({(): Fraction(9, 4)}) == {(): Fraction(2, 3)}
    assert inverse_root(two) == {(("(2)^(-1/2)", 1),): Fraction(1)}
    assert inverse_root({(("x", 2),): Fraction(1)}) == {(("(x^2)^(-1/2)", 1),): Fraction(1)}


# networks


def scored(causal: bool) -> Expression:
    h, o = Input("d"), Weight("d", "d", name="O")
    q, k, v = (Weight(n, "d", initial=normal(1), name=name) for n, name in (("k", "Q"), ("k", "K"), ("d", "V")))
    return h + o @ (v @ h) @ softmax((k @ h).T @ (q @ h), axis=0, mask=causal_mask() if causal else None)


def normed() -> Expression:
    h, gain = Input("d"), Weight("d", initial=ones, name="gain")
    return h + Weight("d", "k", name="W2") @ tanh(
        Weight("k", "d", initial=normal(1), name="W1") @ (gain * layer_norm(h))
    )


def everything_random() -> Expression:
    """Softmax along the rows of random scores, and a LayerNorm along them, not at a stationary point."""
    h = Input("d")
    w1, w2 = (Weight("d", "d", initial=normal(1), name=name) for name in ("W1", "W2"))
    return h + w2 @ softmax(w1 @ h, axis=1) + layer_norm(w1 @ h, axis=1, epsilon=Fraction(1, 3))


def rms_of_a_random_layer() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="W2") @ rms_norm(Weight("d", "d", initial=normal(1), name="W1") @ h)


def zero_scale_with_epsilon() -> Expression:
    h = Input("d")
    w = Weight("d", "d", name="W2") @ layer_norm(Weight("d", "d", name="W1") @ h, epsilon=Fraction(1, 2))
    return h + w


@dataclass(frozen=True)
class Second:
    """a + b e1 + c e2 + d e1 e2 with e1^2 = e2^2 = 0; each part a stack of matrices, one a pair of parameters."""

    parts: tuple[Any, Any, Any, Any]

    def __add__(self, other: Any) -> Second:
        other = other if isinstance(other, Second) else Second((other, 0, 0, 0))
        return Second(tuple(s + t for s, t in zip(self.parts, other.parts, strict=True)))  # pyright: ignore[reportArgumentType]

    def __mul__(self, other: Any) -> Second:
        return self._times(other, np.multiply)

    def __matmul__(self, other: Any) -> Second:
        return self._times(other, np.matmul)

    def _times(self, other: Second, times: Any) -> Second:
        (a, b, c, d), (p, q, r, s) = self.parts, other.parts
        return Second(
            (times(a, p), times(a, q) + times(b, p), times(a, r) + times(c, p),
             times(a, s) + times(b, r) + times(c, q) + times(d, p))
        )  # fmt: skip

    def each(self, change: Callable[[Any], Any]) -> Second:
        """A linear map of every part."""
        return Second(tuple(change(part) for part in self.parts))  # pyright: ignore[reportArgumentType]

    def through(self, value: Any, slope: Any, bend: Any) -> Second:
        """A function of every entry, by its derivatives there."""
        _, b, c, d = self.parts
        return Second((value, slope * b, slope * c, slope * d + bend * b * c))


def tanh_of(u: Second) -> Second:
    t = np.tanh(u.parts[0])
    return u.through(t, 1 - t**2, -2 * t * (1 - t**2))


def softmax_of(u: Second, axis: int = -2, mask: Any = 1.0) -> Second:
    e = np.exp(u.parts[0])
    weighted = u.through(e, e, e).each(lambda part: mask * part)
    total = weighted.each(lambda part: part.sum(axis=axis, keepdims=True))
    z = total.parts[0]
    return weighted * total.through(1 / z, -1 / z**2, 2 / z**3)


def normalised(u: Second, axis: int = -2, epsilon: float = 0.0, centred: bool = True) -> Second:
    c = u.each(lambda part: part - centred * part.mean(axis=axis, keepdims=True))
    q = (c * c).each(lambda part: part.mean(axis=axis, keepdims=True)) + epsilon
    z = q.parts[0]
    return c * q.through(z**-0.5, -0.5 * z**-1.5, 0.75 * z**-2.5)


def transposed(u: Second) -> Second:
    return u.each(lambda part: np.swapaxes(part, -1, -2))


def attend(n: Second, w: dict[str, Second], causal: bool = False) -> Second:
    scores = transposed(w["K"] @ n) @ (w["Q"] @ n)
    t = scores.parts[0].shape[-1]
    return w["O"] @ (w["V"] @ n) @ softmax_of(scores, mask=np.triu(np.ones((t, t))) if causal else 1.0)


def transform(h: Second, w: dict[str, Second]) -> Second:
    u = h + attend(normalised(h), w)
    return u + w["W2"] @ tanh_of(w["W1"] @ normalised(u))


SMALL = {"R": 2, "m": 1, "d": 2, "k": 1, "t": 2, "f": 1}
BLOCKS: dict[str, tuple[Expression, Callable[[Second, dict[str, Second]], Second], dict[str, int]]] = {
    "attention": (catalogue.attention(), lambda h, w: h + attend(h, w), {**SMALL, "m": 2, "k": 2, "t": 3}),
    "causal": (catalogue.attention(causal=True), lambda h, w: h + attend(h, w, causal=True), {**SMALL, "t": 3}),
    "pre-norm": (
        catalogue.pre_norm(),
        lambda h, w: h + w["W2"] @ tanh_of(w["W1"] @ (w["gain"] * normalised(h))),
        {**SMALL, "m": 2, "d": 3},
    ),
    "transformer": (catalogue.transformer(tanh), transform, {**SMALL, "f": 2}),
    "random scores": (scored(False), lambda h, w: h + attend(h, w), SMALL),
    "random scores, causal": (scored(True), lambda h, w: h + attend(h, w, causal=True), {**SMALL, "t": 3, "d": 1}),
    "pre-norm, random weights": (
        normed(),
        lambda h, w: h + w["W2"] @ tanh_of(w["W1"] @ (w["gain"] * normalised(h))),
        {**SMALL, "m": 2, "d": 3},
    ),
    "everything random, along rows": (
        everything_random(),
        lambda h, w: h + w["W2"] @ softmax_of(w["W1"] @ h, axis=-1) + normalised(w["W1"] @ h, axis=-1, epsilon=1 / 3),
        {**SMALL, "R": 1, "m": 2},
    ),
    "rms of a random layer": (
        rms_of_a_random_layer(),
        lambda h, w: h + w["W2"] @ normalised(w["W1"] @ h, centred=False),
        {**SMALL, "m": 2},
    ),
    "zero scale with epsilon": (
        zero_scale_with_epsilon(),
        lambda h, w: h + w["W2"] @ normalised(w["W1"] @ h, epsilon=0.5),
        {**SMALL, "m": 2},
    ),
}


def number(name: str, values: dict[str, Any]) -> float:
    """The value of a symbol: its name read as a Python expression."""
    return eval(re.sub(r"('+)\(", lambda m: f"_{len(m[1])}(", name).replace("^", "**"), {}, values)


FUNCTIONS: dict[str, Any] = {
    "tanh": math.tanh,
    "tanh_1": lambda t: 1 - math.tanh(t) ** 2,
    "tanh_2": lambda t: 2 * math.tanh(t) ** 3 - 2 * math.tanh(t),
    **{f"softmax{i + 1}": lambda *a, i=i: math.exp(a[i]) / sum(math.exp(u) for u in a) for i in range(3)},
}


@pytest.mark.parametrize("name", BLOCKS)
def test_hessians_against_hyper_dual_numbers(name: str) -> None:
    """Every entry of the exact Hessian, its symbols evaluated, against the plain network in floating point."""
    expression, plain, at = BLOCKS[name]
    network, draw = Network(ResidualUnit(expression), at["R"], squared), np.random.default_rng(5)
    unit, sizes = network.unit, {key: n for key, n in at.items() if key not in "Rm"}
    # Columns that are not mixed are samples.
    shape = (at["m"], at["d"], at["t"]) if unit.mixes_columns else (1, at["d"], at["m"])
    x, y = draw.normal(size=shape), draw.normal(size=shape)
    values = dict(FUNCTIONS)
    for side, array in (("x", x), ("y", y)):
        for (u, i, t), entry in np.ndenumerate(array):
            rest = (t, u) if unit.mixes_columns else (t,)
            values["_".join([side, *(str(n + 1) for n in (i, *rest))])] = float(entry)
    initial: dict[str, Any] = {}
    for weight, label in unit.names.items():
        rows, cols = (size(n, sizes) for n in weight.shape)
        fixed = np.full((rows, cols), float(weight.initial == ones))
        initial[label] = draw.normal(size=(rows, cols)) if weight.initial == normal(1) else fixed
        values[label] = {(i + 1, j + 1): float(entry) for (i, j), entry in np.ndenumerate(initial[label])}
    expected = plain_hessian(plain, initial, x, y, at["R"], at["m"])
    found = np.zeros_like(expected)
    hessian = hessian_at_initial_point(network, sizes, samples=at["m"])
    symbol = {s: number(s, values) for s in hessian.ring.names}
    for (a, b), polynomial in hessian.plain().items():
        found[a, b] = found[b, a] = sum(
            float(c) * math.prod(symbol[s] ** power for s, power in monomial) for monomial, c in polynomial.items()
        )
    assert np.abs(expected).max() > 0.1
    assert np.abs(found - expected).max() <= 2**12 * np.finfo(float).eps * np.abs(expected).max()


def plain_hessian(plain: Any, initial: dict[str, Any], x: Any, y: Any, units: int, samples: int) -> Any:
    """The second derivatives of 1/(2 samples) |f(x) - y|^2, all pairs of parameters at once."""
    count = sum(array.size for array in initial.values())
    n = units * count
    first, second = np.triu_indices(n)
    hessian = np.zeros((n, n))
    for h, target in zip(x, y, strict=True):
        stream, start = Second((h, 0.0 * h, 0.0 * h, 0.0 * h)), 0
        for _ in range(units):
            w = {}
            for label, array in initial.items():
                moved = []
                for place in (first, second):
                    one_hot = (place[:, None] == start + np.arange(array.size)).astype(float)
                    moved.append(np.swapaxes(one_hot.reshape(-1, *array.T.shape), -1, -2))
                w[label] = Second((array, *moved, np.zeros(array.shape)))
                start += array.size
            stream = plain(stream, w)
        residual = stream + -target
        hessian[first, second] += (residual * residual).parts[3].sum(axis=(-1, -2)) / (2 * samples)
    return hessian + np.triu(hessian, 1).T


def test_rational_data_give_rational_entries() -> None:
    """LayerNorm of (1, 5) is (-1, 1) and its inverse scale 1/2; equal scores give 1/2."""
    h = Input("d")
    w = Weight("d", "d", name="W")
    data = Instance([[1], [5]], [[0], [0]])
    series = loss_series(Network(ResidualUnit(h + w @ layer_norm(h)), 1, squared), {"d": 2}, data=data)
    assert series.plain(1) == {
        (k,): {(): Fraction(g * n)} for k, (g, n) in enumerate([(1, -1), (5, -1), (1, 1), (5, 1)])
    }
    mean = loss_series(
        Network(ResidualUnit(h + w @ h @ softmax((w @ h).T @ h, axis=0)), 1, squared),
        {"d": 1, "t": 2},
        data=Instance([[[1, 3]]], [[[0, 0]]]),
    )
    assert mean.plain(1) == {(0,): {(): Fraction(1 * 2 + 3 * 2)}}


def test_equal_points_share_their_symbols() -> None:
    h = Input("d")
    branch = h + Weight("d", "d", name="V") @ layer_norm(h)
    unit = ResidualUnit(branch + Weight("d", "d", name="W") @ layer_norm(branch))
    ring = loss_series(Network(unit, 2, squared), {"d": 2}).ring
    scale = "(-1/2*x_1_1*x_2_1 + 1/4*x_1_1^2 + 1/4*x_2_1^2)^(-1/2)"
    assert [name for name in ring.names if "^(-1/2)" in name] == [scale]


@pytest.mark.parametrize(
    ("expression", "d"),
    [
        (lambda h, v, w: h + v @ layer_norm(h), 1),
        (lambda h, v, w: h + v @ layer_norm(0 * h + 1), 2),
        (lambda h, v, w: h + v @ rms_norm(w @ h), 2),
    ],
)
def test_zero_scale_is_refused_by_name(expression: Any, d: int) -> None:
    unit = ResidualUnit(expression(Input("d"), Weight("d", "d"), Weight("d", "d")))
    with pytest.raises(NotDifferentiableError, match=r"_norm\(.*\) of shape .* has no derivative: .* zero scale"):
        _ = loss_series(Network(unit, 1, squared), {"d": d})


def test_a_mask_that_hides_a_column_is_refused() -> None:
    h, w = Input("d"), Weight("d", "d")
    for mask in (shift(1), Constant(0, "t", "t")):
        with pytest.raises(ArchitectureError, match="hides a whole line"):
            _ = softmax(h.T @ h, axis=0, mask=mask)
    # A mask of ones is no mask.
    masked, free = (
        ResidualUnit(h + w @ h @ softmax(h.T @ h, axis=1, mask=mask)) for mask in (Constant(1, "t", "t"), None)
    )
    first, second = (loss_series(Network(unit, 1, squared), {"d": 1, "t": 2}) for unit in (masked, free))
    assert [first.plain(k) for k in range(3)] == [second.plain(k) for k in range(3)]


def test_a_normalisation_with_epsilon_keeps_the_order() -> None:
    h, v, w = Input("d"), Weight("d", "d"), Weight("d", "d")
    unit = ResidualUnit(h + v @ rms_norm(w @ h, epsilon=1))
    assert str(stationary_order(Network(unit, 2, squared), {"d": 2}, up_to=3)) == "1"
    attend = ResidualUnit(h + v @ (w @ h) @ softmax(h.T @ h, axis=0))
    assert str(stationary_order(Network(attend, 2, squared), {"d": 1, "t": 2}, up_to=3)) == "1"
