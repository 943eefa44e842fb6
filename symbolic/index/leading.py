"""Activations made linear where only higher degrees notice, so that parts of high degree stay cheap.

For every node, (v, e): v is at most the least degree of its value in the perturbations, e at most that of the error
made by replacing f(u) with f(0) + f'(0) u wherever u vanishes at the initial point. With v(u) >= 1

    f(u) - f(0) - f'(0) u    has degree at least 2 v(u),

products add degrees, sums take the lower one. Parts of degree below e of the unit are those of the linear one, also
for several units in a row, because an error in a unit's input stays of degree e or more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from resproof.architectures.activations import polynomial
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.nodes import (
    Activation,
    Add,
    Apply,
    Coefficient,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    read,
)
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import zero

_NEVER = 10**9

Reading: TypeAlias = tuple[Expression, int, int]
"""The node with linear activations, v and e."""


def linearised(unit: ResidualUnit, degree: int) -> ResidualUnit:
    """A unit with the same parts up to `degree`, with linear activations where that is certain; else the unit."""
    expression, _, error = read(unit.expression, _case)
    return ResidualUnit(expression, unit.names, tokens=unit.tokens) if degree < error < _NEVER else unit


def _case(node: Expression, recurse: Callable[[Expression], Reading]) -> Reading:
    match node:
        case Input() | Constant():
            return node, 0, _NEVER
        case Weight():
            return node, int(node.initial == zero), _NEVER
        case Einsum(operands=(operand,)):
            moved, v, e = recurse(operand)
            return Einsum(node.pattern, (moved,)), v, e
        case Einsum() | Multiply():
            (left, v, e), (right, w, f) = map(recurse, node.operands)
            product = Multiply(left, right) if isinstance(node, Multiply) else Einsum(node.pattern, (left, right))
            return product, v + w, min(e + w, f + v)
        case Add():
            left, v, e = recurse(node.left)
            right, w, f = recurse(node.right)
            return Add(left, right), min(v, w), min(e, f)
        case Apply():
            return _apply(node.activation, *recurse(node.operand))
        case Softmax():
            operand, _, e = recurse(node.operand)
            return Softmax(operand, node.axis, node.mask), 0, e
        case Normalize():
            operand, _, e = recurse(node.operand)
            return Normalize(operand, node.axis, node.centred, node.epsilon), 0, e
        case _:
            assert_never(node)


def _apply(activation: Activation, operand: Expression, v: int, e: int) -> Reading:
    first = _first_coefficients(activation) if v else None
    if first is None:
        return activation(operand), 0, e
    start, slope = first
    if activation.degree is not None:
        return activation(operand), 0 if start.rational else v, e
    linear = polynomial(start.rational, slope.rational)
    return linear(operand), 0 if start.rational else v, min(2 * v, e)


def _first_coefficients(activation: Activation) -> tuple[Coefficient, Coefficient] | None:
    """f(0) and f'(0) where both are rational."""
    try:
        start, slope = activation.taylor_at_zero(1)
    except NotDifferentiableError:
        return None
    return None if start.symbol or slope.symbol else (start, slope)
