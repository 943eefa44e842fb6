"""The loss of a network along directions, once more: truncated series by plain recursion over the nodes.

An expression is read by its fields alone, and nothing of the project's arithmetic is used. A series is a list of
coefficients 0..K in t, None one that vanishes by structure; a coefficient has the axes (direction, sample, row,
column). Its entries are floats; or FLINT's balls, whose results are enclosures, so that a ball without 0 is a proof;
or fractions. The recurrences, all from a differential equation in t:

    e = exp(u)         k e_k = sum_j j u_j e_{k-j}                           tanh, sigmoid, Phi alike: s' = p(s, u) u'
    l = log(s)         k s_0 l_k = k s_k - sum_{j<k} j l_j s_{k-j}
    r = v^(-1/2)       k v_0 r_k = sum_j (-j/2 - (k - j)) v_j r_{k-j}

ReLU at 0 is one-sided: t -> 0+, as the sign of the first coefficient that is not 0 says; or, as array libraries have
it, of slope 0 there. One sample is one column where the unit keeps columns apart.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import prod
from operator import add
from typing import Any, TypeAlias

import flint
import numpy as np
from scipy.special import erf  # pyright: ignore[reportMissingTypeStubs]

from resproof.architectures import activations
from resproof.architectures.nodes import (
    Activation,
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
)

Array: TypeAlias = Any
Series: TypeAlias = list[Array]
Sizes: TypeAlias = Mapping[str, int]
Point: TypeAlias = list[dict[str, Array]]
"""For every unit the weights by name, (direction, rows, columns); or the changes of some of them."""


class UndecidedError(ArithmeticError):
    """A ball that holds 0 and other numbers is asked for its sign, or a fraction for a value that is none."""


# Numbers.


@dataclass(frozen=True)
class Numbers:
    """A kind of number: the array of an array of floats or fractions, functions, and the sign of its entries."""

    array: Callable[[Any], Array]
    exp: Callable[[Array], Array]
    log: Callable[[Array], Array]
    tanh: Callable[[Array], Array]
    erf: Callable[[Array], Array]
    sqrt: Callable[[Array], Array]
    sign: Callable[[Array], Array]
    pi: Any


def _entrywise(function: Callable[[Any], Any]) -> Callable[[Any], Array]:
    vectorised = np.frompyfunc(function, 1, 1)
    return lambda a: np.asarray(vectorised(np.asarray(a)), dtype=object)


def _ball(x: Any) -> Any:
    # By its type alone: `isinstance` asks the abstract class, which takes longer than the ball.
    return flint.arb(flint.fmpq(x.numerator, x.denominator)) if type(x) is Fraction else flint.arb(x)


def _balls(a: Any) -> Array:
    a = np.asarray(a)
    if a.dtype == object:
        return _each_ball(a)
    # Directions are mostly zeros: each number becomes a ball once.
    values, places = np.unique(a, return_inverse=True)
    return np.reshape(_each_ball(values)[places.ravel()], a.shape)


_each_ball = _entrywise(_ball)


def _sign_of_ball(x: Any) -> int:
    x = flint.arb(x)
    if x > 0:
        return 1
    if x < 0:
        return -1
    if x.is_zero():
        return 0
    raise UndecidedError("the sign of a ball around 0")


def _known(*values: tuple[Any, Any]) -> Callable[[Array], Array]:
    def function(x: Any) -> Fraction:
        for argument, value in values:
            if x == argument:
                return Fraction(value)
        raise UndecidedError("no fraction")

    return _entrywise(function)


def _of_balls(name: str) -> Callable[[Any], Array]:
    return _entrywise(lambda x: getattr(flint.arb(x), name)())


FLOATS = Numbers(lambda a: np.asarray(a, dtype=float), np.exp, np.log, np.tanh, erf, np.sqrt, np.sign, float(np.pi))
BALLS = Numbers(
    _balls,
    _of_balls("exp"),
    _of_balls("log"),
    _of_balls("tanh"),
    _of_balls("erf"),
    _of_balls("sqrt"),
    _entrywise(_sign_of_ball),
    None,
)
FRACTIONS = Numbers(
    _entrywise(Fraction),
    _known((0, 1)),
    _known((1, 0)),
    _known((0, 0)),
    _known(),
    _known((1, 1)),
    _entrywise(lambda x: (x > 0) - (x < 0)),
    None,
)


@contextmanager
def precision(bits: int) -> Generator[None]:
    """Balls of so many bits."""
    before, flint.ctx.prec = flint.ctx.prec, bits
    try:
        yield
    finally:
        flint.ctx.prec = before


# Series.


def _product(a: Series, b: Series, times: Callable[[Array, Array], Array] = np.multiply) -> Series:
    first = times(a[0], b[0])
    a, b = ([None if x is None or _is_zero(x) else x for x in s] for s in (a, b))
    terms = [[times(a[j], b[k - j]) for j in range(k + 1) if _both(a[j], b[k - j])] for k in range(1, len(a))]
    return [first, *(reduce(add, some) if some else None for some in terms)]


def _is_zero(x: Array) -> bool:
    """Whether all is exactly zero, of what is no float; looked at where it is the same for all directions."""
    return x.dtype == object and len(x) == 1 and not np.any(x != 0)


def _both(a: Array, b: Array) -> bool:
    return a is not None and b is not None


def _sum(a: Series, b: Series) -> Series:
    # A coefficient that only one of them has is as large as the sum all the same.
    shape = (a[0] + b[0]).shape[-2:]
    found = [y if x is None else x if y is None else x + y for x, y in zip(a, b, strict=True)]
    return [x if x is None else np.broadcast_to(x, (*x.shape[:-2], *shape)) for x in found]


def _each(function: Callable[[Array], Array], a: Series) -> Series:
    return [None if x is None else function(x) for x in a]


def _scaled(factor: Any, a: Series) -> Series:
    return _each(lambda x: factor * x, a)


def _mean(u: Series, axis: int, count: int) -> Series:
    return _each(lambda x: x.sum(axis=axis, keepdims=True) / count, u)


def _flow(start: Array, slope: Callable[[Series], Series], u: Series) -> Series:
    """s with s' = slope(s) u' from s_0 = start."""
    s: Series = [start, *[None] * (len(u) - 1)]
    for k in range(1, len(u)):
        p = slope(s)
        terms = [p[k - j] * u[j] * j for j in range(1, k + 1) if _both(p[k - j], u[j])]
        s[k] = reduce(add, terms) / k if terms else None
    return s


def _logarithm(s: Series, numbers: Numbers) -> Series:
    found: Series = [numbers.log(s[0])]
    for k in range(1, len(s)):
        terms = [found[j] * s[k - j] * -j for j in range(1, k) if _both(found[j], s[k - j])]
        terms += [s[k] * k] if s[k] is not None else []
        found.append(reduce(add, terms) / (s[0] * k) if terms else None)
    return found


def _inverse_root(v: Series, numbers: Numbers) -> Series:
    r: Series = [1 / numbers.sqrt(v[0])]
    for k in range(1, len(v)):
        terms = [v[j] * r[k - j] * (j - 2 * k) for j in range(1, k + 1) if _both(v[j], r[k - j])]
        r.append(reduce(add, terms) / (v[0] * (2 * k)) if terms else None)
    return r


def _quotient(a: Series, b: Series) -> Series:
    found: Series = []
    for k in range(len(a)):
        terms = [found[j] * -b[k - j] for j in range(k) if _both(found[j], b[k - j])]
        terms += [a[k]] if a[k] is not None else []
        found.append(reduce(add, terms) / b[0] if terms else None)
    return found


# Functions.


def activate(activation: Activation, u: Series, numbers: Numbers = FLOATS, *, sided: bool = True) -> Series:
    """The activation of every entry."""

    def constant(x: Any) -> Series:
        return [numbers.array(x), *[None] * (len(u) - 1)]

    def sigmoid(v: Series) -> Series:
        start = (1 + numbers.tanh(v[0] / 2)) / 2
        return _flow(start, lambda s: _product(s, _sum(constant(1), _scaled(-1, s))), v)

    def density(v: Series) -> Series:
        square = _scaled(-1, _product(v, v))
        exponent = _each(lambda x: x / 2, square)
        root = numbers.sqrt(numbers.array(2) * (flint.arb.pi() if numbers.pi is None else numbers.pi))
        return _each(lambda x: x / root, _flow(numbers.exp(exponent[0]), lambda s: s, exponent))

    if activation.degree is not None:
        total = [x if x is None else 0 * u[0] + x for x in constant(activation.taylor(activation.degree).rational)]
        for k in reversed(range(activation.degree)):
            total = _sum(_product(total, u), constant(activation.taylor(k).rational))
        return total
    kind = next(known for known in activations.ACTIVATIONS.values() if known.derivatives is activation.derivatives)
    match kind.name:
        case "tanh":
            return _flow(numbers.tanh(u[0]), lambda s: _sum(constant(1), _scaled(-1, _product(s, s))), u)
        case "sigmoid":
            return sigmoid(u)
        case "relu":
            return _relu(u, numbers, sided=sided)
        case "softplus":
            start = np.logaddexp(0, u[0]) if numbers is FLOATS else numbers.log(1 + numbers.exp(u[0]))
            return _flow(start, lambda _: sigmoid(u), u)
        case "silu":
            return _product(u, sigmoid(u))
        case "gelu":
            root = numbers.sqrt(numbers.array(2))
            return _product(u, _flow((1 + numbers.erf(u[0] / root)) / 2, lambda _: density(u), u))
        case name:
            raise ValueError(name)


def _relu(u: Series, numbers: Numbers, *, sided: bool) -> Series:
    sign = numbers.sign(u[0])
    shut, decided = sign <= 0, sign != 0
    for x in u[1:] if sided else ():
        if x is not None and not np.all(decided):
            sign = np.where(decided, 0, numbers.sign(np.where(decided, numbers.array(1), x)))
            shut, decided = shut & ~(sign > 0), decided | (sign != 0)
    return _each(lambda x: np.where(shut, numbers.array(0), x), u)


def _softmax(u: Series, axis: int, mask: Array, numbers: Numbers) -> Series:
    if numbers is FLOATS:
        u = [u[0] - np.max(np.where(mask > 0, u[0], -np.inf), axis=axis, keepdims=True), *u[1:]]
        u[0] = np.where(mask > 0, u[0], 0.0)
    e = _flow(numbers.exp(u[0]), lambda s: s, u)
    e = _each(lambda x: np.where(mask > 0, x, numbers.array(0)), e)
    return _quotient(e, _each(lambda x: x.sum(axis=axis, keepdims=True), e))


def _normalize(node: Normalize, u: Series, axis: int, count: int, numbers: Numbers) -> Series:
    c = _sum(u, _scaled(-1, _mean(u, axis, count))) if node.centred else u
    v = _mean(_product(c, c), axis, count)
    if numbers is FLOATS and not node.epsilon:
        # What is left of a mean of equal numbers is rounding: the scale is 0.
        largest = np.max(np.abs(u[0]), axis=axis, keepdims=True)
        v[0] = np.where(v[0] <= 1e-26 * largest**2, np.nan, v[0])
    v[0] = v[0] + numbers.array(node.epsilon)
    return _product(c, _inverse_root(v, numbers))


def matrix(node: Constant, rows: int, cols: int) -> np.ndarray:
    """A constant's entries."""
    s, t = np.indices((rows, cols))
    match str(node.value).split():
        case ["identity"]:
            return (s == t) * 1
        case ["causal"]:
            return (s <= t) * 1
        case ["shift", steps]:
            return (t == s + int(steps)) * 1
        case _:
            return np.full((rows, cols), node.value, dtype=object)


def unit_output(
    root: Expression, h: Series, weights: Mapping[Expression, Series], sizes: Sizes, numbers: Numbers, *, sided: bool
) -> Series:
    """One unit applied to a series."""

    def size(n: str | int) -> int:
        return sizes[n] if isinstance(n, str) else n

    done: dict[Expression, Series] = {}
    for node in nodes(root):
        match node:
            case Input():
                found = h
            case Weight():
                found = weights[node]
            case Constant():
                entries = matrix(node, size(node.shape[0]), size(node.shape[1]))
                found = [numbers.array(entries)[None, None], *[None] * (len(h) - 1)]
            case Einsum(form="transpose", operands=(operand,)):
                found = _each(lambda x: np.swapaxes(x, -1, -2), done[operand])
            case Einsum(form="product", operands=(left, right)):
                found = _product(done[left], done[right], np.matmul)
            case Einsum():
                raise AssertionError(f"no block is generated with {node.pattern}")
            case Add():
                found = _sum(done[node.left], done[node.right])
            case Multiply():
                found = _product(done[node.left], done[node.right])
            case Apply():
                found = activate(node.activation, done[node.operand], numbers, sided=sided)
            case Softmax():
                one, u = np.ones((1, 1)), done[node.operand]
                shape = u[0].shape[-2:]
                mask = one if node.mask is None else np.array(matrix(node.mask, *shape), dtype=float)
                found = _softmax(u, node.axis - 2, np.broadcast_to(mask, shape), numbers)
            case Normalize():
                u = done[node.operand]
                found = _normalize(node, u, node.axis - 2, u[0].shape[node.axis - 2], numbers)
        done[node] = found
    return done[root]


# The network.


@dataclass(frozen=True)
class Reference:
    """A network on data at a point: `x`, `y` (sample, row, column), `weights` by name (R, rows, columns)."""

    root: Expression
    names: Mapping[Weight, str]
    loss: str
    sizes: Sizes
    x: np.ndarray
    y: np.ndarray
    weights: Mapping[str, np.ndarray]
    sided: bool = False
    numbers: Numbers = FLOATS

    @property
    def units(self) -> int:
        """R."""
        return len(next(iter(self.weights.values()))) if self.weights else 1

    @property
    def parameters(self) -> int:
        """Of all units."""
        return sum(array.size for array in self.weights.values())

    # Unit by unit, weight by weight, each column by column.

    def flat(self, weights: Mapping[str, Array]) -> Array:
        """(..., R, rows, columns) by name as (..., N)."""
        parts = [np.swapaxes(weights[name], -1, -2) for name in self.names.values()]
        joined = np.concatenate([p.reshape(*p.shape[:-2], -1) for p in parts], axis=-1)
        return joined.reshape(*joined.shape[:-2], -1)

    def shaped(self, vectors: Array) -> dict[str, Array]:
        """The inverse of `flat`."""
        vectors = np.asarray(vectors)
        per_unit = vectors.reshape(*vectors.shape[:-1], self.units, -1)
        found: dict[str, Array] = {}
        at = 0
        for name in self.names.values():
            rows, cols = self.weights[name].shape[-2:]
            part = per_unit[..., at : at + rows * cols]
            found[name] = np.swapaxes(part.reshape(*part.shape[:-1], cols, rows), -1, -2)
            at += rows * cols
        return found

    def output(self, directions: Array, order: int, *, stream: Array = None) -> Series:
        """f(X; w + t v) for each direction v, flat; `stream` moves X along as well."""
        with np.errstate(all="ignore"):
            return self._output(directions, order, stream)

    def _output(self, directions: Array, order: int, stream: Array) -> Series:
        array, moved, rest = self.numbers.array, self.shaped(directions), [None] * order
        h: Series = [array(self.x)[None], *rest]
        if stream is not None:
            h[1] = array(stream)
        starts = {name: array(w) for name, w in self.weights.items()}
        slopes = {name: array(v) for name, v in moved.items() if order}
        for r in range(self.units):
            parts: dict[Expression, Series] = {}
            for weight, name in self.names.items():
                moves = order and np.any(moved[name][:, r])
                slope = [slopes[name][:, None, r], *rest[1:]] if moves else rest
                parts[weight] = [starts[name][r][None, None], *slope]
            h = unit_output(self.root, h, parts, self.sizes, self.numbers, sided=self.sided)
        return [x if x is None else np.broadcast_to(x, (len(x), *self.x.shape)) for x in h]

    def loss_of(self, f: Series) -> Series:
        """The mean over samples of the sum over a sample's columns."""
        numbers = self.numbers
        y: Series = [numbers.array(self.y)[None], *[None] * (len(f) - 1)]
        if self.loss == "squared":
            e = _sum(f, _scaled(-1, y))
            total = _each(lambda x: x.sum(axis=(-1, -2, -3)) / 2, _product(e, e))
        else:
            top = np.max(f[0], axis=-2, keepdims=True) if numbers is FLOATS else numbers.array(0)
            shifted = [f[0] - top, *f[1:]]
            s = _each(_down, _flow(numbers.exp(shifted[0]), lambda s: s, shifted))
            logsumexp = _logarithm(s, numbers)
            logsumexp[0] = logsumexp[0] + top
            columns = _sum(_product(_each(_down, y), logsumexp), _scaled(-1, _each(_down, _product(y, f))))
            total = _each(lambda x: x.sum(axis=(-1, -2, -3)), columns)
        return _each(lambda x: x / len(self.x), total)

    def series(self, directions: Array, order: int) -> Array:
        """Taylor coefficients 0..order of t -> L(w + t v) for each direction: (order + 1, directions)."""
        directions = np.asarray(directions)
        with np.errstate(all="ignore"):
            found = self.loss_of(self.output(directions, order))
        zero = self.numbers.array(np.zeros(len(directions), dtype=int))
        return np.stack([zero if x is None else zero + x for x in found])

    # Derivatives, each entry along a direction of its own.

    def value(self) -> float:
        """L(w)."""
        return float(self.series(np.zeros((1, self.parameters)), 0)[0, 0])

    def outputs(self) -> np.ndarray:
        """f(X; w): (sample, row, column)."""
        return _floats(self.output(np.zeros((1, self.parameters)), 0)[0][0])

    def gradient(self) -> np.ndarray:
        """grad L(w), flat."""
        return _floats(self.series(np.eye(self.parameters), 1)[1])

    def product(self, v: np.ndarray) -> np.ndarray:
        """H(w) v: with q(u) = u^T H u, e_i^T H v = (q(e_i + v) - q(e_i - v)) / 4."""
        basis = np.eye(self.parameters)
        norm = float(np.linalg.norm(v)) or 1.0
        both = self.series(np.concatenate([basis + v / norm, basis - v / norm]), 2)[2]
        return norm * _floats((both[: len(basis)] - both[len(basis) :]) / 2)

    def hessian(self, most: int = 2048) -> np.ndarray:
        """H(w), from q(e_i + e_j) - q(e_i) - q(e_j)."""
        n = self.parameters
        basis = np.eye(n)
        own = self.series(basis, 2)[2]
        h = np.zeros((n, n))
        for i, j in self._pairs():
            for first in range(0, len(i), most):
                a, b = i[first : first + most], j[first : first + most]
                h[a, b] = h[b, a] = _floats(self.series(basis[a] + basis[b], 2)[2] - own[a] - own[b])
        return h

    def _pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All i <= j; of balls apart by the weights that they move, small ones together: no other has a coefficient."""
        i, j = np.triu_indices(self.parameters)
        if self.numbers is FLOATS:
            yield i, j
            return
        sizes = np.tile([self.weights[name][0].size for name in self.names.values()], self.units)
        place = np.repeat(np.cumsum(sizes) - sizes, sizes) // 16
        moved = np.stack([place[i], place[j]])
        for both in np.unique(moved, axis=1).T:
            these = np.all(moved == both[:, None], axis=0)
            yield i[these], j[these]

    def jvp(self, v: np.ndarray) -> np.ndarray:
        """The derivative of f along each direction: (directions, sample, row, column)."""
        return self._change(self.output(v, 1)[1], len(v))

    def vjp(self, cotangent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cotangents of the weights, flat, and of X."""
        count = prod(self.x.shape)
        moved = np.eye(count).reshape(count, *self.x.shape)
        changed = self._change(self.output(np.zeros((1, self.parameters)), 1, stream=moved)[1], count)
        of_weights = np.einsum("bsij,sij->b", self.jvp(np.eye(self.parameters)), cotangent)
        return of_weights, np.einsum("bsij,sij->b", changed, cotangent).reshape(self.x.shape)

    def _change(self, found: Array, count: int) -> np.ndarray:
        return np.broadcast_to(0.0 if found is None else _floats(found), (count, *self.x.shape))

    def one_sided(self) -> Reference:
        """The same with one-sided derivatives at a kink."""
        return replace(self, sided=True)

    def in_balls(self) -> Reference:
        """The same with enclosures."""
        return replace(self, numbers=BALLS)


def _down(x: Array) -> Array:
    return x.sum(axis=-2, keepdims=True)


def _floats(x: Array) -> np.ndarray:
    return np.asarray(x).astype(float)


def columns_as_samples(x: np.ndarray) -> np.ndarray:
    """(d, m) as (m, d, 1)."""
    return np.asarray(x).T[:, :, None]


def samples_of(mixes: bool, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Data in the project's layout as (sample, row, column)."""
    return [np.asarray(a) if mixes else columns_as_samples(a) for a in arrays]
