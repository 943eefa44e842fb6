"""The adjoint of one unit, written once over series.

With order 0 it is the vjp; with order 1, where every value carries its tangent, the same lines give the tangent of the
adjoint. Rules, g the cotangent of a node's value: a product c = a b gives g b^T and a^T g; an activation f(u) gives
g f'(u); s = softmax(u) gives s (g - <s, g>); n = (u - mean u) r gives r (g - mean g - n mean(n g)), the mean only where
centred. A value that was broadcast collects the sum of its cotangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

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
from numeric.backend import Array
from numeric.program import Program
from numeric.series import FloatSeries, Series, cauchy


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
