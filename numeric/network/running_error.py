"""Output, gradient and Hessian-vector product with a bound of their rounding errors: a running error analysis.

Every number v carries e such that its error is at most u e, u the unit roundoff, to first order in u. With L the length
of the longest sum, so that L |v| covers the roundings of a result and those of any sum that it enters,

    a + b:  e_a + e_b + L |a + b|,      a b:  |a| e_b + e_a |b| + L |a| |b|,      f(a):  |f'(a)| e_a + L |f(a)|,

products of matrices in moduli likewise. What cancels keeps its error, so the bound holds where the product is zero.
v and e lie in one array, along a first axis of length two, which the network's own readings take for a batch.
Source: Higham 2002, Section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from resproof.architectures.losses import Loss, Readout
from resproof.architectures.networks import Network
from resproof.architectures.nodes import (
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
)
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import as_batch, as_columns, check_data, of_batch
from resproof.numeric.limits import NotFiniteError, is_finite
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.parameters import Weights
from resproof.numeric.network.program import Program
from resproof.numeric.network.readout import head_program, head_weights, in_axes, in_columns
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.run import Run
from resproof.numeric.network.series import Bilinear, FloatSeries, Series, cauchy, softmax
from resproof.numeric.rounding import UNIT_ROUNDOFF

ELEMENTARY = 14
"""Unit roundoffs by which an elementary function may be off."""


class Bounded(NamedTuple):
    """H v and, entry by entry, a bound of its error."""

    product: dict[str, Array]
    error: dict[str, Array]


class BoundedDerivatives(NamedTuple):
    """f(X; w) and, by weight, grad L(w) and H(w) v; each with its error, along the first axis."""

    output: Array
    gradient: dict[str, Array]
    product: dict[str, Array]


def bounded_product(network: Network, weights: Weights, tangents: Weights, x: Array, y: Array) -> Bounded:
    """H(w) v unit by unit, for one direction, with its error. All units' values are kept: for moderate depth.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
        NotFiniteError: the product overflows, or nothing bounds its error.
    """
    both = _through("bounded_product", network, weights, tangents, x, y).product
    return Bounded({name: a[0, ...] for name, a in both.items()}, {name: a[1, ...] for name, a in both.items()})


def bounded_derivatives(
    network: Network, weights: Weights, tangents: Weights, x: Array, y: Array
) -> BoundedDerivatives:
    """Output, gradient and H(w) v with their errors, as `bounded_product`.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
        NotFiniteError: one of them overflows, or nothing bounds its error.
    """
    return _through("bounded_derivatives", network, weights, tangents, x, y)


def _through(
    name: str, network: Network, weights: Weights, tangents: Weights, x: Array, y: Array
) -> BoundedDerivatives:
    """Forward through all units and back, the errors in units of their own.

    Raises:
        NotFiniteError: a product overflows, or nothing bounds its error.
    """
    x, y = check_data(name, network.unit, x, y, network.loss)
    run, unit = start(name, network, weights, tangents, x), network.unit
    ops = run.ops
    with ops.quiet():
        output, *both = _followed(run, network, as_batch(unit, x), as_batch(unit, y))
    gradient, product = both
    if not all(is_finite(ops, a) for a in (output, *gradient.values(), *product.values())):
        raise NotFiniteError(f"{name}: the product or the bound of its error is not finite")

    def bounded(a: Array) -> Array:
        return ops.xp.stack([a[0, ...], 2 * UNIT_ROUNDOFF * a[1, ...]], axis=0)

    return BoundedDerivatives(
        of_batch(unit, bounded(output)), *({n: bounded(a) for n, a in one.items()} for one in both)
    )


def _followed(run: Run, network: Network, x: Array, y: Array) -> tuple[Array, dict[str, Array], dict[str, Array]]:
    """The output, and for each weight gradient and product, each with its error, (2, R, rows, columns)."""
    program, ops = run.program, run.program.ops
    read = network.loss.reads
    length = max(_longest(program), 0 if read is None else _longest(head_program(read, as_columns(network.unit, x))))
    algebra = ErrorSeries(ops, 1, length=length)
    stream: Series = (algebra.exact(x), None)
    kept: list[tuple[dict[Expression, Series], dict[Expression, Series]]] = []
    for unit in range(run.units):
        kept.append(_forward(program, algebra, stream, run.parts[0].series(unit, 1)))
        stream = kept[-1][0][program.root]
    cotangent = _slope(network, algebra, stream, y, program.samples)
    parts = tuple({name: list[Array]() for name in program.unit.names.values()} for _ in range(2))
    for values, slopes in reversed(kept):
        collected = adjoint(program, algebra, values, slopes, cotangent)
        cotangent = collected[the_input(program.root)]
        for weight, name in program.unit.names.items():
            shape = (2, *program.matrix(weight))
            for found, change in zip(parts, collected[weight], strict=True):
                found[name].append(ops.zeros(shape) if change is None else ops.xp.reshape(change, shape))
    gradient, product = ({name: ops.xp.stack(several[::-1], axis=1) for name, several in one.items()} for one in parts)
    return _value(stream), gradient, product


def _longest(program: Program) -> int:
    """A length no sum exceeds, the roundings of elementary functions included."""
    fixed = [shape[1:] for shape in program.shapes.values()]
    columns = max(math.prod(shape[1:]) for shape in fixed)
    inner = max(math.prod(shape) if len(shape) > 2 else max(shape, default=1) for shape in fixed)
    return ELEMENTARY + max(shape[0] for shape in program.shapes.values()) * columns + inner


@dataclass(frozen=True, slots=True)
class ErrorSeries(FloatSeries):
    """Series whose coefficients carry their errors; L is `length`."""

    length: int = 1

    def exact(self, a: Array) -> Array:
        """A number as it is given."""
        return self.pair(a, 0.0 * a)

    def pair(self, value: Array, error: Array) -> Array:
        """v with e + L |v|."""
        return self.ops.xp.stack([value, error + self.length * self.ops.abs(value)], axis=0)

    def add(self, a: Series, b: Series) -> Series:
        """a + b."""
        return tuple(y if x is None else x if y is None else self.sum(x, y) for x, y in zip(a, b, strict=True))

    def sum(self, x: Array, y: Array) -> Array:
        """x + y."""
        return self.pair(x[0, ...] + y[0, ...], x[1, ...] + y[1, ...])

    def negative(self, a: Series) -> Series:
        """-a."""
        return tuple(None if x is None else self.ops.xp.stack([-x[0, ...], x[1, ...]], axis=0) for x in a)

    def product(self, times: Bilinear, a: Series, b: Series) -> Series:
        """The product by any bilinear `times`."""

        def bounded(x: Array, y: Array) -> Array:
            moduli = [self.ops.abs(z[0, ...]) for z in (x, y)]
            error = times(moduli[0], y[1, ...]) + times(x[1, ...], moduli[1]) + self.length * times(*moduli)
            return self.ops.xp.stack([times(x[0, ...], y[0, ...]), error], axis=0)

        return cauchy(_Sums(self), bounded, a, b)  # pyright: ignore[reportArgumentType]

    def of(self, value: Array, slope: Array, u: Array) -> Array:
        """f(u) from f and f' at u."""
        return self.pair(value, self.ops.abs(slope) * u[1, ...])


@dataclass(frozen=True, slots=True)
class _Sums:
    """The one operation that `cauchy` asks of an arithmetic."""

    series: ErrorSeries

    def add(self, x: Array, y: Array) -> Array:
        return self.series.sum(x, y)


def _forward(
    program: Program, algebra: ErrorSeries, stream: Series, weights: Mapping[Weight, Series]
) -> tuple[dict[Expression, Series], dict[Expression, Series]]:
    """The value of every node with its error, and what its adjoint needs besides."""
    found: dict[Expression, Series] = {}
    slopes: dict[Expression, Series] = {}
    for node in program.order:
        match node:
            case Input():
                found[node] = stream
            case Weight():
                parts = (program.with_axes(node, a) for a in weights[node])
                found[node] = tuple(None if a is None else algebra.exact(a) for a in parts)
            case Constant():
                found[node] = (algebra.exact(program.constants[node][0]), None)
            case Einsum():
                found[node] = algebra.einsum(node, [found[operand] for operand in node.operands])
            case Add():
                total = algebra.add(found[node.left], found[node.right])
                found[node] = algebra.spread(total, program.shapes[node])
            case Multiply():
                found[node] = algebra.multiply(found[node.left], found[node.right])
            case Apply():
                found[node], slopes[node] = _applied(node, algebra, found[node.operand])
            case Softmax():
                mask = None if node.mask is None else _value(found[node.mask])[0, ...]
                found[node] = _softmax(algebra, found[node.operand], node.axis - len(node.shape), mask)
            case Normalize():
                found[node], slopes[node] = _normalised(node, algebra, found[node.operand])
            case _:
                assert_never(node)
    return found, slopes


def _value(a: Series) -> Array:
    assert a[0] is not None  # the value is an array
    return a[0]


def _applied(node: Apply, algebra: ErrorSeries, u: Series) -> tuple[Series, Series]:
    """f(u) and f'(u)."""
    at = _value(u)
    f = node.activation.derivatives(algebra.ops, at[0, ...], 3)
    value, slope, bend = (algebra.of(f[k], f[k + 1], at) for k in range(3))
    change = (None, u[1])
    return (
        (value, algebra.multiply((slope, None), change)[1]),
        (slope, algebra.multiply((bend, None), change)[1]),
    )


def _softmax(algebra: ErrorSeries, u: Series, axis: int, mask: Array | None) -> Series:
    """p and p (u' - <p, u'>)."""
    ops, at = algebra.ops, _value(u)
    p = softmax(ops, at[0, ...], axis, mask)
    moved = at[1, ...] + ops.xp.sum(p * at[1, ...], axis=axis, keepdims=True)
    value = algebra.pair(p, p * moved)
    if u[1] is None:
        return value, None
    change: Series = (u[1], None)
    inner = _along(algebra.multiply((value, None), change), axis, ops)
    return value, algebra.multiply((value, None), algebra.add(change, algebra.negative(inner)))[0]


def _along(a: Series, axis: int, ops: Ops, count: int = 1) -> Series:
    return tuple(None if x is None else ops.xp.sum(x, axis=axis, keepdims=True) / count for x in a)


def _normalised(node: Normalize, algebra: ErrorSeries, u: Series) -> tuple[Series, Series]:
    """n = c r with c = u - mean u, and r; n' = r (c' - n mean(n c')), r' = -r^2 mean(n c')."""
    ops, axis = algebra.ops, node.axis - len(node.shape)
    count = int(_value(u).shape[axis])

    def mean(a: Series) -> Series:
        return _along(a, axis, ops, count)

    c = algebra.add(u, algebra.negative(mean(u))) if node.centred else u
    start: Series = (c[0], None)
    variance = _value(mean(algebra.multiply(start, start)))
    root = 1.0 / ops.sqrt(variance[0, ...] + float(node.epsilon))
    r: Series = (algebra.of(root, 0.5 * root**3, variance), None)
    n = algebra.multiply(start, r)
    if c[1] is None:
        return n, r
    change: Series = (c[1], None)
    inner = mean(algebra.multiply(n, change))
    along = algebra.add(change, algebra.negative(algebra.multiply(n, inner)))
    shrink = algebra.negative(algebra.multiply(algebra.multiply(r, r), inner))
    return (n[0], algebra.multiply(r, along)[0]), (r[0], shrink[0])


def _slope(network: Network, algebra: ErrorSeries, output: Series, y: Array, samples: int) -> Series:
    """l_f / m and its tangent."""
    shape = next(tuple(a.shape[1:]) for a in output if a is not None)
    y = as_columns(network.unit, y)
    f = tuple(None if a is None else as_columns(network.unit, a) for a in output)
    found = _column_slope(network.loss, algebra, f, y, samples)
    return tuple(None if a is None else algebra.ops.reshape(a, (2, *shape)) for a in found)


def _column_slope(loss: Loss, algebra: ErrorSeries, f: Series, y: Array, samples: int) -> Series:
    """The same for columns; through a head, what its adjoint makes of those of its output."""
    read = loss.reads
    if read is not None:
        run = head_program(read, _value(f))
        back = _back_through(read, run, algebra, f, y, samples)
        return in_columns(run, back[the_input(run.root)], the_input(run.root))
    share: Series = (algebra.exact(0.0 * y + 1.0 / samples), None)
    target: Series = (algebra.exact(y), None)
    if loss.quadratic:
        return algebra.multiply(share, algebra.add(f, algebra.negative(target)))
    total = _along(target, -2, algebra.ops)
    p = _softmax(algebra, f, -2, None)
    weighted = algebra.multiply(total, p)
    return algebra.multiply(share, algebra.add(weighted, algebra.negative(target)))


# Through a head.


def bounded_output(read: Readout, stream: Array) -> tuple[Array, Array]:
    """What a head makes of a stream in columns, and the error of each entry; the stream is exact, as data have it."""
    stream = as_batch(read.head, stream)
    run = head_program(read, stream)
    algebra = ErrorSeries(run.ops, 1, length=_longest(run))
    f = in_axes(run, (algebra.exact(stream), None), the_input(run.root))
    values, _ = _forward(run, algebra, f, _held(read, run))
    found, error = _apart(_value(in_columns(run, values[run.root], run.root)))
    return of_batch(read.head, found), of_batch(read.head, error)


def bounded_head_gradient(read: Readout, stream: Array, y: Array) -> dict[str, tuple[Array, Array]]:
    """The gradient of the summed loss in the head's trainable weights, each with its error; stream and y in columns."""
    stream, y = as_batch(read.head, stream), as_batch(read.head, y)
    run = head_program(read, stream)
    algebra = ErrorSeries(run.ops, 1, length=_longest(run))
    back = _back_through(read, run, algebra, (algebra.exact(stream), None), y, 1)
    return {name: _apart(_value(back[weight])) for weight, name in read.head.names.items()}


def _apart(a: Array) -> tuple[Array, Array]:
    return a[0, ...], 2 * UNIT_ROUNDOFF * a[1, ...]


def _back_through(
    read: Readout, run: Program, algebra: ErrorSeries, f: Series, y: Array, samples: int
) -> dict[Expression, Series]:
    """The cotangents of a head's input and weights, of l / samples at what it makes of f."""
    stream = in_axes(run, f, the_input(run.root))
    values, slopes = _forward(run, algebra, stream, _held(read, run))
    output = in_columns(run, values[run.root], run.root)
    slope = _column_slope(read.inner, algebra, output, y, samples)
    return adjoint(run, algebra, values, slopes, in_axes(run, slope, run.root))


def _held(read: Readout, run: Program) -> dict[Weight, Series]:
    """The head's weights, which do not move."""
    return {w: (a, None) for w, a in head_weights(run, read.weights).items()}
