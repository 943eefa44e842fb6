"""The forward reading: what one unit does to a series of arrays, whatever the arithmetic.

With series of order 0 this is the value, of order 1 the value and the tangent (jvp), of order K the Taylor
coefficients of t -> unit(h(t); w(t)), and with residues the same modulo a prime. One `match` serves them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, assert_never

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
)
from resproof.numeric.network.program import Program
from resproof.numeric.network.series import FloatSeries, Series


class Algebra(Protocol):
    """Series over some arithmetic: what the nodes of an expression do to them."""

    @property
    def order(self) -> int:
        """The order K of truncation."""
        ...

    def add(self, a: Series, b: Series) -> Series:
        """a + b."""
        ...

    def spread(self, a: Series, shape: tuple[int, ...]) -> Series:
        """Every coefficient broadcast to the shape of its node's value."""
        ...

    def multiply(self, a: Series, b: Series) -> Series:
        """The elementwise product."""
        ...

    def einsum(self, node: Einsum, operands: Sequence[Series]) -> Series:
        """The contraction of two operands, or one with its axes in another order."""
        ...

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        """The activation of every entry; `shape` is that of the value."""
        ...

    def softmax(self, node: Softmax, u: Series, mask: Series | None) -> Series:
        """Softmax along the node's axis."""
        ...

    def normalize(self, node: Normalize, u: Series) -> tuple[Series, Series]:
        """The normalised series and the inverse scale."""
        ...


def forward(
    program: Program, algebra: Algebra, h: Series, weights: Mapping[Weight, Series]
) -> dict[Expression, Series]:
    """The series of every node, the unit's output under `program.root`."""
    values: dict[Expression, Series] = {}
    for node in program.order:
        values[node] = _value(node, values, program, algebra, h, weights)
    return values


def forward_with_slopes(
    program: Program, algebra: FloatSeries, h: Series, weights: Mapping[Weight, Series]
) -> tuple[dict[Expression, Series], dict[Expression, Series]]:
    """The series of every node, and what its adjoint needs besides: f'(u) of an activation, r of a normalisation."""
    values: dict[Expression, Series] = {}
    slopes: dict[Expression, Series] = {}
    for node in program.order:
        if isinstance(node, Apply):
            values[node], slopes[node] = algebra.apply_with_slope(node.activation, values[node.operand])
        elif isinstance(node, Normalize):
            values[node], slopes[node] = algebra.normalize(node, values[node.operand])
        else:
            values[node] = _value(node, values, program, algebra, h, weights)
    return values, slopes


def _value(
    node: Expression,
    values: Mapping[Expression, Series],
    program: Program,
    algebra: Algebra,
    h: Series,
    weights: Mapping[Weight, Series],
) -> Series:
    match node:
        case Input():
            return h
        case Weight():
            return tuple(program.with_axes(node, a) for a in weights[node])
        case Constant():
            return (*program.constants[node], *[None] * algebra.order)
        case Einsum():
            return algebra.einsum(node, [values[operand] for operand in node.operands])
        case Add():
            # What moves may be narrower than what stays, as in h + b: only sums can make a coefficient so.
            return algebra.spread(algebra.add(values[node.left], values[node.right]), program.shapes[node])
        case Multiply():
            return algebra.multiply(values[node.left], values[node.right])
        case Apply():
            return algebra.apply(node.activation, values[node.operand], program.shapes[node])
        case Softmax():
            return algebra.softmax(node, values[node.operand], None if node.mask is None else values[node.mask])
        case Normalize():
            return algebra.normalize(node, values[node.operand])[0]
        case _:
            assert_never(node)
