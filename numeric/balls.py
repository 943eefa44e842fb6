"""Balls: enclosures of a network's loss, gradient and Hessian-vector product, with all rounding.

The forward reading (`numeric.network.evaluate`) in the arithmetic of python-flint's balls, m +- r: whatever is computed
encloses what is exact for the weights and the data as floats have them, with nothing derived by hand. Values are pairs,
a value and its tangent; what is done to them is recorded, and the record read backwards. Softmax, normalisation and the
losses are made of six rules, g the cotangent of c:

    c = a + b: g, g.    c = a b: g b, a g.    c = sum a b: the contractions of g with b and with a.
    c = f(a): g f'(a).  c a sum along an axis: g, spread.  c a with other axes: g, moved back.

A pair's cotangent is a pair, whose tangent is that of the adjoint: forward over reverse. It is meant for networks that
are small; a product of R = 1000 tanh units of width 10 on 20 samples takes some seconds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from resproof.architectures.activations import gelu, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Einsum, Normalize, Softmax, Weight
from resproof.architectures.properties import the_input
from resproof.numeric.backend import ops
from resproof.numeric.data import bind, check_data, sizes_of_data
from resproof.numeric.network.contraction import Contraction, contract, contraction, permuted
from resproof.numeric.network.evaluate import forward
from resproof.numeric.network.parameters import Weights, check_weights, frozen_weights, given_sizes, sizes_of
from resproof.numeric.network.program import Program, matrix, program
from resproof.numeric.network.series import Series, add, cauchy, compose

BITS = 128

Balls: TypeAlias = Any
"""A NumPy array of balls."""

_OPS = ops(np)
_ARITHMETIC: Any = SimpleNamespace(add=operator.add, multiply=operator.mul)


def value(network: Network, weights: Weights, x: Any, y: Any, *, bits: int = BITS) -> arb:
    """L(w), as `numeric.network.adjoint.value`.

    Raises:
        ArchitectureError: an activation or a loss without an enclosure.
        DataError: data or weights of another shape or kind.
    """
    with ctx.workprec(bits):
        return _loss("value", network, weights, None, x, y)[0].value.item()


def gradient(network: Network, weights: Weights, x: Any, y: Any, *, bits: int = BITS) -> dict[str, Balls]:
    """grad L(w), of the shapes of the weights.

    Raises:
        ArchitectureError: an activation or a loss without an enclosure.
        DataError: data or weights of another shape or kind.
    """
    with ctx.workprec(bits):
        return _pulled(*_loss("gradient", network, weights, None, x, y), 0)


def hvp(network: Network, weights: Weights, tangents: Weights, x: Any, y: Any, *, bits: int = BITS) -> dict[str, Balls]:
    """H(w) v, of the shapes of the weights.

    Raises:
        ArchitectureError: an activation or a loss without an enclosure.
        DataError: data, weights or tangents of another shape or kind.
    """
    with ctx.workprec(bits):
        return _pulled(*_loss("hvp", network, weights, tangents, x, y), 1)


def contains(balls: Balls, numbers: Any, *, bits: int = 2 * BITS) -> np.ndarray:
    """For each entry whether the ball contains the number, a float or a Fraction, as well as so many bits tell."""

    def inside(ball: arb, number: Any) -> bool:
        above, below = number.as_integer_ratio()
        return bool((ball * below - above).contains(0))

    with ctx.workprec(bits):
        return np.asarray(np.frompyfunc(inside, 2, 1)(balls, numbers), dtype=bool)


# What is recorded.


@dataclass(eq=False, slots=True)
class _Recorded:
    """A value with its tangent, and for each of what it was made of the rule that gives its cotangent."""

    pair: Series
    parts: tuple[tuple[_Recorded, Callable[[Series], Series]], ...] = ()
    cotangent: Series = (None, None)

    @property
    def value(self) -> Balls:
        return self.pair[0]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    def reshape(self, shape: tuple[int, ...], order: str = "C") -> _Recorded:
        del order  # NumPy's only one here
        return _mapped(self, lambda a: a.reshape(shape), lambda g: g.reshape(self.shape))


def _balls(array: Any) -> Balls:
    """Floats as they are, or balls."""
    return np.asarray(np.frompyfunc(arb, 1, 1)(array), dtype=object)


def _exact(number: Any) -> Any:
    return arb(fmpq(*number.as_integer_ratio()))


def _given(array: Any) -> _Recorded:
    return _Recorded((_balls(array), None))


def _each(function: Callable[[Balls], Balls], a: Series) -> Series:
    return tuple(None if one is None else function(one) for one in a)


def _mapped(a: _Recorded, function: Callable[[Balls], Balls], back: Callable[[Balls], Balls]) -> _Recorded:
    """A linear function of the entries."""
    return _Recorded(_each(function, a.pair), ((a, partial(_each, back)),))


def _scaled(a: _Recorded, factor: Fraction) -> _Recorded:
    return _mapped(a, lambda one: _exact(factor) * one, lambda g: _exact(factor) * g)


def _along(a: _Recorded, axis: int | None) -> _Recorded:
    """The sum along an axis, or of everything, which stays with length 1."""
    return _mapped(a, lambda one: one.sum(axis=axis, keepdims=True), lambda g: np.broadcast_to(g, a.shape))


def _sum(a: _Recorded, b: _Recorded) -> _Recorded:
    return _Recorded(add(_ARITHMETIC, a.pair, b.pair), ((a, lambda g: g), (b, lambda g: g)))


def _product(a: _Recorded, b: _Recorded) -> _Recorded:
    times = partial(cauchy, _ARITHMETIC, operator.mul)
    return _Recorded(times(a.pair, b.pair), ((a, lambda g: times(g, b.pair)), (b, lambda g: times(g, a.pair))))


def _contracted(how: Contraction, a: _Recorded, b: _Recorded) -> _Recorded:
    def product(one: Contraction, p: Series, q: Series) -> Series:
        return cauchy(_ARITHMETIC, partial(contract, one, _OPS, _matmul, operator.mul), p, q)

    to_a, to_b = how.to_left(), how.to_right()
    return _Recorded(
        product(how, a.pair, b.pair), ((a, lambda g: product(to_a, g, b.pair)), (b, lambda g: product(to_b, a.pair, g)))
    )


def _applied(a: _Recorded, derivatives: Callable[[Balls, int], Sequence[Balls]]) -> _Recorded:
    """A function of every entry, from f, f', f'' at an array."""
    tower = derivatives(a.value, 2)
    slope = compose(_ARITHMETIC, tower[1:], a.pair)
    rule = partial(cauchy, _ARITHMETIC, operator.mul, slope)
    return _Recorded(compose(_ARITHMETIC, tower[:-1], a.pair), ((a, rule),))


def _matmul(a: Balls, b: Balls) -> Balls:
    """The product of the last two axes, FLINT's."""
    front, sides = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), (a.shape[-2], b.shape[-1])
    a, b = (np.broadcast_to(one, (*front, *one.shape[-2:])) for one in (a, b))
    found = np.empty((*front, *sides), dtype=object)
    for place in np.ndindex(*front):
        left, right = (arb_mat(one.shape[-2], one.shape[-1], one[place].ravel().tolist()) for one in (a, b))
        found[place] = np.array((left * right).entries(), dtype=object).reshape(sides)
    return found


def _backwards(last: _Recorded) -> None:
    """The cotangents of all that `last`, a number, was made of."""
    last.cotangent = (_balls(np.ones(last.shape)), None)
    for one in reversed(_in_order(last)):
        for part, rule in one.parts:
            given = _each(partial(_collected, part.shape), rule(one.cotangent))
            part.cotangent = add(_ARITHMETIC, part.cotangent, given)


def _collected(shape: tuple[int, ...], g: Balls) -> Balls:
    """The sum over the axes along which a value of this shape was broadcast."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g
    spread = tuple(k for k, n in enumerate(shape) if n == 1 != g.shape[k])
    return np.broadcast_to(g.sum(axis=spread, keepdims=True) if spread else g, shape)


def _in_order(last: _Recorded) -> list[_Recorded]:
    """All that it was made of, parts first."""
    found, waiting = dict[int, _Recorded](), [(last, False)]
    while waiting:
        one, ready = waiting.pop()
        if ready:
            found[id(one)] = one
        elif id(one) not in found:
            waiting += [(one, True), *((part, False) for part, _ in one.parts)]
    return list(found.values())


# The forward reading.


class _BallSeries:
    """What the nodes of an expression do to recorded pairs."""

    order = 0

    def add(self, a: Series, b: Series) -> Series:
        return (_sum(_lifted(a), _lifted(b)),)

    def spread(self, a: Series, shape: tuple[int, ...]) -> Series:
        one = _lifted(a)
        return (one if one.shape == shape else _mapped(one, lambda x: np.broadcast_to(x, shape), lambda g: g),)

    def multiply(self, a: Series, b: Series) -> Series:
        return (_product(_lifted(a), _lifted(b)),)

    def einsum(self, node: Einsum, operands: Sequence[Series]) -> Series:
        if len(operands) == 2:
            return (_contracted(contraction(node.pattern), *map(_lifted, operands)),)
        given, wanted = node.inputs[0], node.output
        moved, back = partial(_permuted, given, wanted), partial(_permuted, wanted, given)
        return (_mapped(_lifted(operands[0]), moved, back),)

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        del shape
        return (_applied(_lifted(u), _derivatives(activation)),)

    def softmax(self, node: Softmax, u: Series, mask: Series | None) -> Series:
        one, axis = _lifted(u), node.axis - len(node.shape)
        e = _applied(_sum(one, _given(-_greatest(one, axis))), _exp)
        e = e if mask is None else _product(e, _given(_lifted(mask).value > 0))
        return (_product(e, _applied(_along(e, axis), _inverse)),)

    def normalize(self, node: Normalize, u: Series) -> tuple[Series, Series]:
        one, axis = _lifted(u), node.axis - len(node.shape)
        part = Fraction(1, one.shape[axis])
        centred = _sum(one, _scaled(_along(one, axis), -part)) if node.centred else one
        variance = _scaled(_along(_product(centred, centred), axis), part)
        scale = _applied(_sum(variance, _given(np.full(variance.shape, _exact(node.epsilon)))), _inverse_root)
        return (_product(centred, scale),), (scale,)


def _lifted(a: Series) -> _Recorded:
    """The recorded value; a constant has none yet."""
    return a[0] if isinstance(a[0], _Recorded) else _given(a[0])


def _permuted(given: tuple[str, ...], wanted: tuple[str, ...], a: Balls) -> Balls:
    return permuted(_OPS, a, given, wanted)


def _greatest(a: _Recorded, axis: int) -> np.ndarray:
    """Numbers near the greatest along an axis, less which no exponential overflows."""
    return np.max(a.value.astype(float), axis=axis, keepdims=True)


# Functions with their derivatives.


def _entrywise(name: str) -> Callable[[Balls], Balls]:
    return np.frompyfunc(operator.methodcaller(name), 1, 1)


def _exp(u: Balls, order: int) -> Sequence[Balls]:
    return [_entrywise("exp")(u)] * (order + 1)


def _inverse(u: Balls, order: int) -> Sequence[Balls]:
    r = 1 / u
    return [r, -r * r, 2 * r * r * r][: order + 1]


def _inverse_root(u: Balls, order: int) -> Sequence[Balls]:
    r = _entrywise("rsqrt")(u)
    return [r, -r / (2 * u), 3 * r / (4 * u * u)][: order + 1]


def _logarithm(u: Balls, order: int) -> Sequence[Balls]:
    return [_entrywise("log")(u), *_inverse(u, order - 1)]


def _gelu(u: Balls, order: int) -> Sequence[Balls]:
    """u Phi, Phi + u phi, (2 - u^2) phi: the constants are no floats."""
    below = _entrywise("erfc")(-u / arb(2).sqrt()) / 2
    density = _entrywise("exp")(-u * u / 2) / (2 * arb.pi()).sqrt()
    return [u * below, below + u * density, (2 - u * u) * density][: order + 1]


def _polynomial(activation: Activation, u: Balls, order: int) -> Sequence[Balls]:
    found = list[Balls]()
    coefficients = [_exact(activation.taylor(k).rational) for k in range((activation.degree or 0) + 1)]
    for _ in range(order + 1):
        value = 0 * u
        for c in reversed(coefficients):
            value = value * u + c
        found.append(value)
        coefficients = [k * c for k, c in enumerate(coefficients)][1:]
    return found


def _step(x: arb) -> arb:
    """The slope of max(x, 0); where the ball holds the kink, one that holds both."""
    return arb(1) if x > 0 else arb(0) if x <= 0 else arb(0).union(arb(1))


_ELEMENTARY = SimpleNamespace(
    **{name: _entrywise(name) for name in ("exp", "tanh", "log1p")},
    abs=np.abs,
    maximum=np.frompyfunc(lambda a, b: a.max(b), 2, 1),
    heaviside=np.frompyfunc(_step, 1, 1),
)
_OF_FLOATS = [one.derivatives for one in (tanh, sigmoid, relu, softplus, silu)]
"""Those with no constants but floats."""


def _derivatives(activation: Activation) -> Callable[[Balls, int], Sequence[Balls]]:
    if activation.degree is not None:
        return partial(_polynomial, activation)
    if activation.derivatives is gelu.derivatives:
        return _gelu
    if activation.has_pole:
        return _inverse
    if activation.derivatives in _OF_FLOATS:
        return partial(activation.derivatives, _ELEMENTARY)
    raise ArchitectureError(f"balls: {activation.name} has no enclosure; expected a polynomial or one known by name")


# The network.


def _loss(
    name: str, network: Network, weights: Weights, tangents: Weights | None, x: Any, y: Any
) -> tuple[_Recorded, list[Mapping[str, _Recorded]]]:
    """The loss, and the weights of every unit.

    Raises:
        ArchitectureError: a loss without an enclosure.
    """
    unit, loss = network.unit, network.loss
    if loss.reads is not None or not (loss.quadratic or loss.name == "cross-entropy"):
        raise ArchitectureError(f"balls: {loss.name} has no enclosure; expected the squared loss or cross-entropy")
    x, y = check_data(name, unit, x, y, loss)
    weights = check_weights(name, unit, network.units, weights)
    moved = None if tangents is None else check_weights(name, unit, network.units, tangents, batch=True)
    given = given_sizes(unit)
    sizes = bind(name, unit, x, given | sizes_of(unit, weights, given | sizes_of_data(name, unit, x)))
    run, frozen = _exactly(program(unit, _OPS, sizes)), frozen_weights(unit, network.units, sizes, weights, _OPS)
    stream: Series = (_given(x.reshape(run.shapes[the_input(run.root)])),)
    asked = list[Mapping[str, _Recorded]]()
    for r in range(network.units):
        placed = {w: _placed(run, w, a[r], None) for w, a in frozen.items()}
        placed |= {w: _placed(run, w, weights[n][r], moved[n][r] if moved else None) for w, n in unit.names.items()}
        asked.append({n: placed[w] for w, n in unit.names.items()})
        stream = forward(run, _BallSeries(), stream, {w: (one,) for w, one in placed.items()})[run.root]
    f = _lifted(stream)
    return _mean_loss(network, run, f, _given(y.reshape(f.shape))), asked


def _placed(run: Program, weight: Weight, value: Any, tangent: Any) -> _Recorded:
    """A weight's matrix in one unit, behind as many axes as values have in front."""
    shape = (*[1] * (len(run.shapes[weight]) - len(weight.shape)), *value.shape)
    return _Recorded(tuple(None if a is None else _balls(a).reshape(shape) for a in (value, tangent)))


def _exactly(run: Program) -> Program:
    """The program with constants that are no floats."""
    exact = {
        node: (_balls(matrix(node, run.sizes, _exact)).reshape(floats[0].shape),)
        for node, floats in run.constants.items()
    }
    return replace(run, constants=exact)


def _mean_loss(network: Network, run: Program, f: _Recorded, y: _Recorded) -> _Recorded:
    """The mean over samples of |f - y|^2 / 2, or of 1^T y log sum exp f - y^T f."""
    if network.loss.quadratic:
        residual = _sum(f, _scaled(y, Fraction(-1)))
        return _scaled(_along(_product(residual, residual), None), Fraction(1, 2 * run.samples))
    axis = -len(run.root.shape)
    top = _greatest(f, axis)
    e = _applied(_sum(f, _given(-top)), _exp)
    high = _sum(_applied(_along(e, axis), _logarithm), _given(top))
    total = _sum(_product(_along(y, axis), high), _scaled(_along(_product(y, f), axis), Fraction(-1)))
    return _scaled(_along(total, None), Fraction(1, run.samples))


def _pulled(loss: _Recorded, asked: Sequence[Mapping[str, _Recorded]], order: int) -> dict[str, Balls]:
    """The cotangents of the weights, or their tangents, unit by unit."""
    _backwards(loss)

    def of(one: _Recorded) -> Balls:
        found = one.cotangent[order]
        return (np.full(one.shape, arb(0)) if found is None else found).reshape(one.shape[-2:])

    return {name: np.stack([of(unit[name]) for unit in asked]) for name in asked[0]}
