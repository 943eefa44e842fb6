"""Value, gradient, jvp, vjp and Hessian-vector product of a network, through all its units.

The adjoint of a unit is written once over series. With order 0 it is the vjp; with order 1, where every value
carries its tangent, the same lines give the tangent of the adjoint, hence forward-over-reverse

    H v = d/dt grad L(w + t v) at t = 0.

Rules, g the cotangent of a node's value: a product c = a b gives g b^T and a^T g; an activation f(u) gives g f'(u);
s = softmax(u) gives s (g - <s, g>); n = (u - mean u) r gives r (g - mean g - n mean(n g)), the mean only where
centred. A value that was broadcast collects the sum of its cotangents.

The loss is the mean over samples of the sum over a sample's columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Expression,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
)
from architectures.networks import Network
from architectures.properties import the_input
from numeric.backend import Array, Ops, ops_of
from numeric.data import DataError, bind, check_data, check_input, samples_first
from numeric.evaluate import forward, forward_with_slopes
from numeric.linear import compressed
from numeric.parameters import Weights, check_weights, sizes_of
from numeric.program import Program, program
from numeric.series import FloatSeries, Series, cauchy


def value(network: Network, weights: Weights, x: Array, y: Array) -> float:
    """L(w). X, Y: (d, m), or (m, d, t) for a unit that mixes columns; weights: name -> (R, rows, columns).

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x, y = check_data("value", network.unit, x, y)
    run = start("value", network, weights, None, x)
    output = run.stream(run.constant(x))[0]
    return float(run.ops.xp.sum(network.loss.value(run.ops, output, y))) / run.program.samples


def outputs(network: Network, weights: Weights, x: Array) -> Array:
    """f(X; w), of the shape of X.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x = check_input("outputs", network.unit, x)
    run = start("outputs", network, weights, None, x)
    return run.stream(run.constant(x))[0]


def jvp(network: Network, weights: Weights, tangents: Weights, x: Array) -> tuple[Array, Array]:
    """f(X; w) and its derivative along `tangents`, or along each of a block of shape (k, R, rows, columns).

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    x = check_input("jvp", network.unit, x)
    run = start("jvp", network, weights, tangents, x)
    output, change = run.stream(run.constant(x))
    return output, run.dense(change, tuple(x.shape))


def gradient(network: Network, weights: Weights, x: Array, y: Array) -> dict[str, Array]:
    """grad L(w), of the shapes of the weights.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x, y = check_data("gradient", network.unit, x, y)
    samples = samples_first(network.unit, x)
    x, y = compressed(network, x, y)
    run = start("gradient", network, weights, None, x)
    _, found = run.sweep(run.constant(x), lambda f: _loss_slope(network, run, f, y, samples))
    return {name: run.stacked(series, name, 0) for name, series in found.items()}


def vjp(network: Network, weights: Weights, x: Array, cotangent: Array) -> tuple[dict[str, Array], Array]:
    """The adjoint of the derivative of (w, X) -> f(X; w) on a cotangent of X's shape: its weights' part and X's part.

    Raises:
        DataError: data, weights or cotangent of another shape or kind.
    """
    x, cotangent = check_data("vjp", network.unit, x, cotangent)
    run = start("vjp", network, weights, None, x)
    back, found = run.sweep(run.constant(x), lambda _: (cotangent,))
    return {name: run.stacked(series, name, 0) for name, series in found.items()}, run.dense(back[0], tuple(x.shape))


def hvp(network: Network, weights: Weights, tangents: Weights, x: Array, y: Array) -> dict[str, Array]:
    """H(w) v, of the shapes of the weights; for a block of tangents (k, R, rows, columns), each one's product.

    Linear networks with the squared loss are run on compressed data (`numeric.linear`).

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    x, y = check_data("hvp", network.unit, x, y)
    samples = samples_first(network.unit, x)
    x, y = compressed(network, x, y)
    run = start("hvp", network, weights, tangents, x)
    _, found = run.sweep(run.constant(x), lambda f: _loss_slope(network, run, f, y, samples))
    return {name: run.stacked(series, name, 1) for name, series in found.items()}


def _loss_slope(network: Network, run: Run, f: Series, y: Array, samples: int) -> Series:
    """l_f(f, y) / m and, at order 1, its tangent l_ff f_1 / m."""
    scale = 1.0 / samples
    slope: list[Array | None] = [scale * network.loss.gradient(run.ops, f[0], y)]
    if len(f) > 1:
        slope.append(None if f[1] is None else scale * network.loss.curvature(run.ops, f[0], y, f[1]))
    return tuple(slope)


MEMORY = 2**31
"""Bytes of values that a reverse pass may keep before it recomputes them segment by segment."""

_Record: TypeAlias = tuple[dict[Expression, Series], dict[Expression, Series]]


@dataclass(frozen=True, slots=True)
class Run:
    """A network's program and the series of its weights, unit by unit; `batch` are the axes in front of a tangent."""

    program: Program
    algebra: FloatSeries
    units: int
    parts: Mapping[Weight, tuple[Array, ...]]
    batch: tuple[int, ...]

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.program.ops

    def constant(self, x: Array) -> Series:
        """X as a series."""
        return (x, *[None] * self.algebra.order)

    def weights(self, unit: int) -> dict[Weight, Series]:
        """The series w + t v of one unit's weights."""
        order = self.algebra.order
        return {
            weight: (*(part[unit, ...] for part in parts), *[None] * (order + 1 - len(parts)))[: order + 1]
            for weight, parts in self.parts.items()
        }

    def stream(self, h: Series, first: int = 0, stop: int | None = None) -> Series:
        """The output of the last unit, or of unit `stop` - 1 from the input of unit `first`."""
        for unit in range(first, self.units if stop is None else stop):
            h = forward(self.program, self.algebra, h, self.weights(unit))[self.program.root]
        return h

    def sweep(self, h: Series, loss_slope: Callable[[Series], Series]) -> tuple[Series, dict[str, list[Series]]]:
        """Forward through all units, then back: the cotangents of the input and of every unit's weights."""
        starts: list[Series] = []
        firsts = range(0, self.units, self.segment)
        for first in firsts[:-1]:
            starts.append(h)
            h = self.stream(h, first, first + self.segment)
        h, kept = self._recorded(h, firsts[-1])
        cotangent = loss_slope(h)
        found: dict[str, list[Series]] = {name: [] for name in self.program.unit.names.values()}
        while True:
            cotangent = self._back(kept, cotangent, found)
            if not starts:
                return cotangent, {name: series[::-1] for name, series in found.items()}
            _, kept = self._recorded(starts.pop(), firsts[len(starts)])

    @property
    def segment(self) -> int:
        """How many units' values are kept at once: all where they fit, else about sqrt(R), the others recomputed."""
        run = self.program
        entries = sum(math.prod(run.shapes[n]) for n in run.kept if not isinstance(n, Weight | Constant))
        held = 8 * entries * (1 + math.prod(self.batch) * self.algebra.order) * self.units
        return self.units if held <= MEMORY else math.isqrt(self.units - 1) + 1

    def _recorded(self, h: Series, first: int) -> tuple[Series, list[_Record]]:
        """One segment forward, with what the adjoint needs."""
        run, kept = self.program, []
        for unit in range(first, min(first + self.segment, self.units)):
            values, slopes = forward_with_slopes(run, self.algebra, h, self.weights(unit))
            h = values[run.root]
            kept.append(({node: values[node] for node in run.kept}, slopes))
        return h, kept

    def _back(self, kept: list[_Record], cotangent: Series, found: dict[str, list[Series]]) -> Series:
        """One segment back; the weights' cotangents are appended to `found`, last unit first."""
        source = the_input(self.program.root)
        while kept:
            collected = adjoint(self.program, self.algebra, *kept.pop(), cotangent)
            cotangent = collected[source]
            for weight, name in self.program.unit.names.items():
                found[name].append(collected[weight])
        return cotangent

    def dense(self, a: Array | None, shape: tuple[int, ...]) -> Array:
        """A coefficient as an array."""
        return self.ops.zeros((*self.batch, *shape)) if a is None else a

    def stacked(self, series: list[Series], name: str, coefficient: int) -> Array:
        """One coefficient of all units' cotangents of a weight, as one array."""
        weight = next(w for w, n in self.program.unit.names.items() if n == name)
        shape = self.program.shapes[weight][-2:]
        front = self.batch if coefficient else ()
        parts = []
        for s in series:
            a = s[coefficient]
            parts.append(self.ops.zeros((*front, *shape)) if a is None else self._flat(a, (*front, *shape)))
        return self.ops.xp.stack(parts, axis=-3)

    def _flat(self, a: Array, shape: tuple[int, ...]) -> Array:
        # Drops the sample axis of length 1, and spreads a part that is the same for every tangent.
        if self.program.rank == 3:
            a = a[..., 0, :, :]
        return a if tuple(a.shape) == shape else self.ops.xp.broadcast_to(a, shape)


def start(
    name: str, network: Network, weights: Weights, tangents: Weights | None, x: Array, order: int | None = None
) -> Run:
    """The checked network, with weights w + t v as series of that order (by default 1, or 0 without tangents).

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    unit = network.unit
    order = (0 if tangents is None else 1) if order is None else order
    checked = check_weights(name, unit, network.units, weights)
    directions = None if tangents is None else check_weights(name, unit, network.units, tangents, batch=True)
    sizes = bind(name, unit, x, sizes_of(unit, checked))
    if directions is not None:
        for key, array in directions.items():
            if tuple(array.shape[-2:]) != tuple(checked[key].shape[-2:]):
                raise DataError(
                    f"{name}: the tangent of {key} has shape {tuple(array.shape)}; expected {tuple(checked[key].shape)}"
                )
    front = () if not directions else tuple(next(iter(directions.values())).shape[:-3])
    parts: dict[Weight, tuple[Array, ...]] = {}
    for weight, key in unit.names.items():
        arrays = (checked[key],) if directions is None else (checked[key], directions[key])
        parts[weight] = tuple(_units_first(ops_of(x), a, unit.mixes_columns) for a in arrays)
    return Run(program(unit, ops_of(x), sizes), FloatSeries(ops_of(x), order), network.units, parts, front)


def _units_first(ops: Ops, a: Array, mixes: bool) -> Array:
    """([k,] R, rows, columns) as (R, [k,] [1,] rows, columns), so that one index takes a unit out."""
    moved = ops.permute(a, (1, 0, 2, 3)) if len(a.shape) == 4 else a
    return moved[..., None, :, :] if mixes else moved


def adjoint(
    run: Program,
    algebra: FloatSeries,
    values: Mapping[Expression, Series],
    slopes: Mapping[Expression, Series],
    cotangent: Series,
) -> dict[Expression, Series]:
    """The cotangents of the unit's input and weights, from that of its output."""
    waiting: dict[Expression, Series] = {run.root: cotangent}
    zero: Series = (None,) * len(cotangent)

    def give(operand: Expression, g: Series) -> None:
        if operand in run.active:
            g = _fit(run, g, run.shapes[operand])
            waiting[operand] = algebra.add(waiting[operand], g) if operand in waiting else g

    for node in reversed(run.order):
        if node not in run.active:
            continue
        g = waiting.get(node, zero) if isinstance(node, Input | Weight) else waiting.pop(node, zero)
        match node:
            case Input() | Weight():
                waiting.setdefault(node, zero)
            case Constant():
                pass
            case MatMul():
                give(node.left, _left_adjoint(run, algebra, node, g, values[node.right]))
                give(node.right, algebra.matmul(algebra.transpose(values[node.left]), g))
            case Add():
                give(node.left, g)
                give(node.right, g)
            case Multiply():
                give(node.left, algebra.multiply(g, values[node.right]))
                give(node.right, algebra.multiply(g, values[node.left]))
            case Apply():
                give(node.operand, algebra.multiply(g, slopes[node]))
            case Softmax():
                give(node.operand, _softmax_adjoint(algebra, node, g, values[node]))
            case Normalize():
                give(node.operand, _normalize_adjoint(algebra, node, g, values[node], slopes[node]))
            case Transpose():
                give(node.operand, algebra.transpose(g))
            case _:
                assert_never(node)
    return waiting


def _left_adjoint(run: Program, algebra: FloatSeries, node: MatMul, g: Series, right: Series) -> Series:
    if run.rank == 2 or run.shapes[node.left][0] != 1 or run.shapes[node][0] == 1:
        return algebra.matmul(g, algebra.transpose(right))

    def over_samples(a: Array, b: Array) -> Array:
        # sum over samples of a b^T as one product of inner length (samples x columns).
        return _samples_inside(algebra, a) @ algebra.ops.transpose(_samples_inside(algebra, b))

    products = cauchy(algebra.arithmetic, over_samples, g, right)
    return tuple(None if p is None else p[..., None, :, :] for p in products)


def _samples_inside(algebra: FloatSeries, a: Array) -> Array:
    rank = len(a.shape)
    moved = algebra.ops.permute(a, (*range(rank - 3), rank - 2, rank - 3, rank - 1))
    return algebra.ops.xp.reshape(moved, (*moved.shape[:-2], -1))


def _softmax_adjoint(algebra: FloatSeries, node: Softmax, g: Series, s: Series) -> Series:
    inner = _along(algebra.multiply(s, g), node.axis, algebra.ops.xp.sum)
    return algebra.multiply(s, algebra.add(g, _negative(inner)))


def _normalize_adjoint(algebra: FloatSeries, node: Normalize, g: Series, n: Series, scale: Series) -> Series:
    mean = algebra.ops.xp.mean
    inner = algebra.multiply(n, _along(algebra.multiply(n, g), node.axis, mean))
    change = algebra.add(g, _negative(inner))
    if node.centred:
        change = algebra.add(change, _negative(_along(g, node.axis, mean)))
    return algebra.multiply(scale, change)


def _along(a: Series, axis: int, reduction: Callable[..., Array]) -> Series:
    return tuple(None if x is None else reduction(x, axis=axis - 2, keepdims=True) for x in a)


def _negative(a: Series) -> Series:
    return tuple(None if x is None else -x for x in a)


def _fit(run: Program, g: Series, shape: tuple[int, ...]) -> Series:
    return tuple(None if x is None else _collect(run, x, shape) for x in g)


def _collect(run: Program, x: Array, shape: tuple[int, ...]) -> Array:
    """The sum over the axes along which a value of this shape was broadcast."""
    if tuple(x.shape[-len(shape) :]) == shape:
        return x
    for axis, size in enumerate(shape, start=-len(shape)):
        if size == 1 and x.shape[axis] != 1:
            x = run.ops.xp.sum(x, axis=axis, keepdims=True)
    return x
