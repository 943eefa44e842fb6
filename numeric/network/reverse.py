"""The adjoint of one unit, written once over series.

With order 0 it is the vjp; with order 1, where every value carries its tangent, the same lines give the tangent of the
adjoint. Rules, g the cotangent of a node's value: a product c = a b gives g b^T and a^T g; an activation f(u) gives
g f'(u); s = softmax(u) gives s (g - <s, g>); n = (u - mean u) r gives r (g - mean g - n mean(n g)), the mean only where
centred. A value that was broadcast collects the sum of its cotangents.

A cotangent's coefficients below the highest count only where something that depends on t multiplies it on the way: a
weight's do not, for one who reads the highest alone, and nor do those of W_1 h where h is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
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
    operands,
)
from numeric.backend import Array
from numeric.network.program import Program
from numeric.network.series import FloatSeries, Series


def adjoint(
    run: Program,
    algebra: FloatSeries,
    values: Mapping[Expression, Series],
    slopes: Mapping[Expression, Series],
    cotangent: Series,
    *,
    highest: bool = False,
) -> dict[Expression, Series]:
    """The cotangents of the unit's input and weights, from that of its output.

    With `highest`, of the weights' cotangents only the coefficient of highest order: the others may be None.
    """
    waiting: dict[Expression, Series] = {run.root: cotangent}
    zero: Series = (None,) * len(cotangent)
    whole = _whole(run, values) if highest and algebra.order else run.active
    alone = replace(algebra, highest=True)

    def of(operand: Expression) -> FloatSeries:
        return algebra if operand in whole else alone

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
                if node.left in run.active:
                    give(node.left, _left_adjoint(run, of(node.left), node, g, values[node.right]))
                if node.right in run.active:
                    give(node.right, of(node.right).matmul(algebra.transpose(values[node.left]), g))
            case Add():
                give(node.left, g)
                give(node.right, g)
            case Multiply():
                if node.left in run.active:
                    give(node.left, of(node.left).multiply(g, values[node.right]))
                if node.right in run.active:
                    give(node.right, of(node.right).multiply(g, values[node.left]))
            case Apply():
                give(node.operand, of(node.operand).multiply(g, slopes[node]))
            case Softmax():
                give(node.operand, _softmax_adjoint(algebra, node, g, values[node]))
            case Normalize():
                give(node.operand, _normalize_adjoint(algebra, node, g, values[node], slopes[node]))
            case Transpose():
                give(node.operand, algebra.transpose(g))
            case _:
                assert_never(node)
    return waiting


def _whole(run: Program, values: Mapping[Expression, Series]) -> frozenset[Expression]:
    """The nodes of whose cotangent every coefficient counts: something that depends on t multiplies it on the way."""
    found: set[Expression] = set()
    for node in run.order:
        counts = isinstance(node, Input | Apply | Softmax | Normalize)
        if isinstance(node, MatMul | Multiply):
            left, right = node.left, node.right
            counts = left in run.active and not _is_constant(values[right])
            counts = counts or (right in run.active and not _is_constant(values[left]))
        if node in run.active and (counts or not found.isdisjoint(operands(node))):
            found.add(node)
    return frozenset(found)


def _is_constant(a: Series) -> bool:
    return all(c is None for c in a[1:])


def _left_adjoint(run: Program, algebra: FloatSeries, node: MatMul, g: Series, right: Series) -> Series:
    if run.rank == 2 or run.shapes[node.left][0] != 1 or run.shapes[node][0] == 1:
        return algebra.matmul(g, algebra.transpose(right))

    def over_samples(a: Array, b: Array) -> Array:
        # sum over samples of a b^T as one product of inner length (samples x columns).
        return _samples_inside(algebra, a) @ algebra.ops.transpose(_samples_inside(algebra, b))

    products = algebra.product(over_samples, g, right)
    return tuple(None if p is None else p[..., None, :, :] for p in products)


def _samples_inside(algebra: FloatSeries, a: Array) -> Array:
    rank = len(a.shape)
    moved = algebra.ops.permute(a, (*range(rank - 3), rank - 2, rank - 3, rank - 1))
    return algebra.ops.xp.reshape(moved, (*moved.shape[:-2], -1))


def _softmax_adjoint(algebra: FloatSeries, node: Softmax, g: Series, s: Series) -> Series:
    inner = _along(algebra.multiply(s, g), node.axis, algebra.ops.xp.sum)
    return algebra.multiply(s, algebra.add(g, algebra.negative(inner)))


def _normalize_adjoint(algebra: FloatSeries, node: Normalize, g: Series, n: Series, scale: Series) -> Series:
    mean = algebra.ops.xp.mean
    inner = algebra.multiply(n, _along(algebra.multiply(n, g), node.axis, mean))
    change = algebra.add(g, algebra.negative(inner))
    if node.centred:
        change = algebra.add(change, algebra.negative(_along(g, node.axis, mean)))
    return algebra.multiply(scale, change)


def _along(a: Series, axis: int, reduction: Callable[..., Array]) -> Series:
    return tuple(None if x is None else reduction(x, axis=axis - 2, keepdims=True) for x in a)


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
