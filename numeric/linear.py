"""Linear networks see their data through second moments only.

If every unit is linear in h, then f(X) = F X, and with the thin factorisation X^T = Q U of the (m, d) matrix X^T

    ||F X - Y||^2 = ||F U^T - Y Q||^2 + ||Y - Y Q Q^T||^2,

whose last term does not depend on the weights. The squared loss on m samples therefore has the derivatives of that on
the d columns U^T, Y Q, with the factor 1/(2m) kept. Chosen by a computed property, never by name.
"""

from __future__ import annotations

from collections.abc import Callable
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
    read,
)
from architectures.networks import Network, ResidualUnit
from numeric.backend import Array, ops_of


def is_linear(unit: ResidualUnit) -> bool:
    """Whether the unit is linear in h, sample by sample, whatever its weights: homogeneous of degree one."""
    return not unit.mixes_columns and degree_in_input(unit.expression) == 1


def degree_in_input(root: Expression) -> int | None:
    """The degree in h where the expression is a homogeneous polynomial in h by its form, else None."""

    def case(node: Expression, recurse: Callable[[Expression], int | None]) -> int | None:
        match node:
            case Input():
                return 1
            case Weight() | Constant():
                return 0
            case MatMul() | Multiply():
                left, right = recurse(node.left), recurse(node.right)
                return None if left is None or right is None else left + right
            case Add():
                left, right = recurse(node.left), recurse(node.right)
                return left if left == right else None
            case Apply():
                degree = recurse(node.operand)
                same = degree == 0 or (node.activation.degree == 1 and node.activation.taylor(0).rational == 0)
                return degree if same else None
            case Softmax() | Normalize():
                return 0 if recurse(node.operand) == 0 else None
            case Transpose():
                return recurse(node.operand)
            case _:
                assert_never(node)

    return read(root, case)


def compressed(network: Network, x: Array, y: Array) -> tuple[Array, Array]:
    """Data with at most d columns and the same derivatives of m times the loss; X, Y themselves where there is none."""
    narrow = x.shape[-1] > x.shape[-2] and network.loss.quadratic and is_linear(network.unit)
    if not narrow:
        return x, y
    ops = ops_of(x)
    with ops.strict_linalg():
        q, u = ops.xp.linalg.qr(ops.transpose(x))
    return ops.transpose(u), y @ q
