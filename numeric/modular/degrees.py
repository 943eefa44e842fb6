"""Degrees of Taylor coefficients as polynomials in what is drawn at random: the D in (D/p)^T.

One more reading of the expression language, over the arithmetic of degrees: deg(ab) = deg a + deg b and
deg(a + b) = max(deg a, deg b). Data, directions, random initial weights, symbols, values of functions at data and
the derivatives of the loss count one each; None is the degree of zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TypeAlias, assert_never

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import ActivationValue, Tensor, Term
from resproof.architectures.names import a_kind
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
    nodes,
    read,
)
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Zero, is_arbitrary

Degrees: TypeAlias = tuple[int | None, ...]


def degree_of_terms(terms: Iterable[Term], unit: ResidualUnit) -> int:
    """The largest degree of a term: one for each scalar symbol and tensor factor (g = f - y is linear).

    A polynomial activation at data has its degree times that of its argument.
    """
    polynomials = {
        node.activation.name: node.activation.degree
        for node in nodes(unit.expression)
        if isinstance(node, Apply) and node.activation.degree is not None
    }

    def factor(tensor: Tensor) -> int:
        if isinstance(tensor, ActivationValue) and tensor.activation in polynomials:
            return polynomials[tensor.activation] * largest(tensor.argument.terms)
        return 1

    def largest(summed: Iterable[Term]) -> int:
        return max((sum(factor(t) for t, _ in term.factors) + _symbols(term) for term in summed), default=1)

    return largest(terms)


def _symbols(term: Term) -> int:
    return sum(abs(power) for _, power in term.scalars)


def degree_of_coefficients(network: Network, order: int) -> int:
    """A bound of the degrees of the loss coefficients 0..order at the network's depth."""
    stream: Degrees = (1, *[None] * order)
    for _ in range(network.units):
        following = unit_degrees(network.unit, stream, order)
        if following == stream:
            break
        stream = following
    # g v and v^T Q v, with g, Q and y of degree one.
    bent = times((1, *[None] * order), times(stream, stream))
    return max(d for d in bent if d is not None)


def unit_degrees(unit: ResidualUnit, stream: Degrees, order: int) -> Degrees:
    """The degrees of the output's coefficients from those of the input's.

    Raises:
        ArchitectureError: a softmax or a normalisation, which are no polynomials.
    """

    def case(node: Expression, recurse: Callable[[Expression], Degrees]) -> Degrees:
        match node:
            case Input():
                return stream
            case Weight(initial=initial):
                start = None if isinstance(initial, Zero) else int(is_arbitrary(initial))
                return (start, 1 if node.trainable else None, *[None] * order)[: order + 1]
            case Constant():
                return (0, *[None] * order)
            case Einsum() | Multiply():
                return reduce(times, map(recurse, node.operands))
            case Add():
                return most(recurse(node.left), recurse(node.right))
            case Apply():
                return _apply(node, recurse(node.operand))
            case Softmax() | Normalize():
                raise ArchitectureError(f"degrees: {a_kind(node)} is no polynomial; expected an elementwise unit")
            case _:
                assert_never(node)

    return read(unit.expression, case)


def times(a: Degrees, b: Degrees) -> Degrees:
    """The product of series."""

    def coefficient(k: int) -> int | None:
        pairs = ((a[j], b[k - j]) for j in range(k + 1))
        return max((x + y for x, y in pairs if x is not None and y is not None), default=None)

    return tuple(coefficient(k) for k in range(len(a)))


def most(a: Degrees, b: Degrees) -> Degrees:
    """The sum of series."""
    return tuple(y if x is None else x if y is None else max(x, y) for x, y in zip(a, b, strict=True))


def _apply(node: Apply, u: Degrees) -> Degrees:
    order = len(u) - 1
    tower = _tower(node, u[0], order)
    composed: Degrees = (tower[0], *[None] * order)
    change: Degrees = (None, *u[1:])
    power: Degrees = (0, *[None] * order)
    for k in range(1, order + 1):
        power = times(power, change)
        composed = most(composed, times((tower[k], *[None] * order), power))
    return composed


def _tower(node: Apply, point: int | None, order: int) -> Sequence[int | None]:
    """Degrees of f(u_0), ..., f^(K)(u_0)."""
    activation = node.activation
    if point is None:
        found = activation.taylor_at_zero(order)
        return [None if c.rational == 0 else int(c.symbol is not None) for c in found]
    if activation.degree is None:
        return [1] * (order + 1)
    return [point * max(activation.degree - k, 0) for k in range(order + 1)]
