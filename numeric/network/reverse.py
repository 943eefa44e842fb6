"""The adjoint of one unit, written once over series.

With order 0 it is the vjp; with order 1, where every value carries its tangent, the same lines give the tangent of the
adjoint. Rules, g the cotangent of a node's value: a product c = a b gives g b^T and a^T g; an activation f(u) gives
g f'(u); s = softmax(u) gives s (g - <s, g>); n = (u - mean u) r gives r (g - mean g - n mean(n g)), the mean only where
centred. A value that was broadcast collects the sum of its cotangents.

A cotangent's coefficients below the highest count only where something that depends on t multiplies it on the way: a
weight's do not, for one who reads the highest alone, and nor do those of W_1 h where h is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

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
    operands,
)
from resproof.numeric.backend import Array
from resproof.numeric.network.contraction import SAMPLES, contraction
from resproof.numeric.network.program import Program
from resproof.numeric.network.series import FloatSeries, Series


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
            case Einsum(operands=(operand,)):
                give(operand, algebra.permute(g, node.output, node.inputs[0]))
            case Einsum():
                left, right = node.operands
                if left in run.active:
                    give(left, _left_adjoint(run, of(left), node, g, values[right]))
                if right in run.active:
                    give(right, _right_adjoint(run, of(right), node, g, values[left]))
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
            case _:
                assert_never(node)
    return {node: _returned(run, node, g) for node, g in waiting.items()}


def _returned(run: Program, node: Expression, g: Series) -> Series:
    """A weight's cotangent as a matrix."""
    return tuple(run.as_matrix(node, a) for a in g) if isinstance(node, Weight) else g


def _whole(run: Program, values: Mapping[Expression, Series]) -> frozenset[Expression]:
    """The nodes of whose cotangent every coefficient counts: something that depends on t multiplies it on the way."""
    found: set[Expression] = set()
    for node in run.order:
        counts = isinstance(node, Input | Apply | Softmax | Normalize)
        if (factors := _factors(node)) is not None:
            left, right = factors
            counts = left in run.active and not _is_constant(values[right])
            counts = counts or (right in run.active and not _is_constant(values[left]))
        if node in run.active and (counts or not found.isdisjoint(operands(node))):
            found.add(node)
    return frozenset(found)


def _is_constant(a: Series) -> bool:
    return all(c is None for c in a[1:])


def _factors(node: Expression) -> tuple[Expression, Expression] | None:
    match node:
        case Einsum(operands=(left, right)) | Multiply(left=left, right=right):
            return left, right
        case _:
            return None


def _left_adjoint(run: Program, algebra: FloatSeries, node: Einsum, g: Series, right: Series) -> Series:
    how = contraction(node.pattern)
    if not _collects_samples(run, node, node.operands[0]):
        if how.is_product:
            return algebra.matmul(g, algebra.transpose(right))
        return algebra.contract(how.to_left(), g, right)
    return _with_sample_axis(how.left, algebra.contract(how.to_left(SAMPLES), g, right))


def _right_adjoint(run: Program, algebra: FloatSeries, node: Einsum, g: Series, left: Series) -> Series:
    how = contraction(node.pattern)
    if how.is_product:
        return algebra.matmul(algebra.transpose(left), g)
    if not _collects_samples(run, node, node.operands[1]):
        return algebra.contract(how.to_right(), left, g)
    return _with_sample_axis(how.right, algebra.contract(how.to_right(SAMPLES), left, g))


def _collects_samples(run: Program, node: Einsum, operand: Expression) -> bool:
    """Whether the operand is the same for all samples and the result is not: then one product sums over them."""
    return run.shapes[operand][0] == 1 and run.shapes[node][0] != 1


def _with_sample_axis(names: Sequence[object], a: Series) -> Series:
    return tuple(None if x is None else x[(..., None, *[slice(None)] * len(names))] for x in a)


def _softmax_adjoint(algebra: FloatSeries, node: Softmax, g: Series, s: Series) -> Series:
    inner = _along(algebra.multiply(s, g), node, algebra.ops.xp.sum)
    return algebra.multiply(s, algebra.add(g, algebra.negative(inner)))


def _normalize_adjoint(algebra: FloatSeries, node: Normalize, g: Series, n: Series, scale: Series) -> Series:
    mean = algebra.ops.xp.mean
    inner = algebra.multiply(n, _along(algebra.multiply(n, g), node, mean))
    change = algebra.add(g, algebra.negative(inner))
    if node.centred:
        change = algebra.add(change, algebra.negative(_along(g, node, mean)))
    return algebra.multiply(scale, change)


def _along(a: Series, node: Softmax | Normalize, reduction: Callable[..., Array]) -> Series:
    axis = node.axis - len(node.shape)
    return tuple(None if x is None else reduction(x, axis=axis, keepdims=True) for x in a)


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
