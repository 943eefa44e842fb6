"""How large an expression's Taylor series can become, before anything is expanded.

For every node, upper bounds (n0, n1, n2) of the terms of degree 0, 1 and 2 in the weights' perturbations: products
convolve, sums add, a function f(u_0 + v) of an opaque value f(u_0) has 1, n1 and n2 + n1^2 terms. The second of two
units takes the first one's output as its input. The factors of a term are bounded likewise, by degree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TypeAlias, assert_never

from resproof.architectures.errors import ArchitectureError
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
    read_every,
)
from resproof.architectures.text import LONGEST, short_text, tree_size
from resproof.architectures.values import zero

MOST_TERMS = 1_000_000
MOST_FACTORS = 100
"""Of one term: putting its indices in canonical order takes time that grows fast with them."""

Terms: TypeAlias = tuple[int, int, int]


def refuse_enormous(root: Expression, *, values: bool = False, behind: Expression | None = None) -> None:
    """Nothing, where the series of two units stays within bounds; with `values`, where every node's value does.

    Of a head, that of what it makes of two units that it stands `behind`.

    Raises:
        ArchitectureError: it does not; the message gives the estimate.
    """
    size = tree_size(root)
    if size > LONGEST:
        raise ArchitectureError(f"the expression written out has {_about(size)} nodes; expected at most {LONGEST}")
    shown = short_text(root)
    of_factors, of_terms = _factors(root), _terms(root, (1, 0, 0))
    factors = max(one[0] for one in of_factors.values()) if values else max(of_factors[root])
    if factors > MOST_FACTORS:
        raise ArchitectureError(
            f"{shown}: terms of its Taylor series have up to {_about(factors)} factors; expected at most {MOST_FACTORS}"
        )
    count = max(one[0] for one in of_terms.values()) if values else term_estimate(root, behind)
    if count > MOST_TERMS:
        raise ArchitectureError(
            f"{shown}: its Taylor series has up to {_about(count)} terms; expected at most {MOST_TERMS}"
        )


def term_estimate(root: Expression, behind: Expression | None = None) -> int:
    """An upper bound of the terms up to degree two of two units in a row, with those of their squared sum."""
    first, others = (root, ()) if behind is None else (behind, (root,))
    output: Terms = (1, 0, 0)
    for part in (first, first, *others):
        output = _terms(part, output)[part]
    return sum(output) + output[1] ** 2


def _terms(root: Expression, stream: Terms) -> dict[Expression, Terms]:
    def case(node: Expression, recurse: Callable[[Expression], Terms]) -> Terms:
        match node:
            case Input():
                return stream
            case Weight():
                return (int(node.initial != zero), int(node.trainable), 0)
            case Constant():
                return (int(node.value != 0), 0, 0)
            case Add():
                left, right = recurse(node.left), recurse(node.right)
                return (left[0] + right[0], left[1] + right[1], left[2] + right[2])
            case Einsum() | Multiply():
                return reduce(_product, map(recurse, node.operands))
            case Apply():
                return _applied(node, recurse(node.operand))
            case Softmax() | Normalize():
                _, first, second = recurse(node.operand)
                return (1, 2 * first, 2 * second + 4 * first**2)
            case _:
                assert_never(node)

    return read_every(root, case)


def _factors(root: Expression) -> dict[Expression, Terms]:
    """Upper bounds of the factors of a term of degree 0, 1 and 2 of every node of one unit."""

    def case(node: Expression, recurse: Callable[[Expression], Terms]) -> Terms:
        match node:
            case Input() | Weight():
                return (1, 1, 0)
            case Constant():
                return (int(isinstance(node.value, str)), 0, 0)
            case Add():
                return _greatest(recurse(node.left), recurse(node.right))
            case Einsum() | Multiply():
                return reduce(_joined, map(recurse, node.operands))
            case Apply():
                return _applied_factors(node, recurse(node.operand))
            case Softmax() | Normalize():
                _, first, second = recurse(node.operand)
                return (1, 2 + first, 2 + max(second, 2 * first + 2))
            case _:
                assert_never(node)

    return read_every(root, case)


def _greatest(a: Terms, b: Terms) -> Terms:
    return (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]))


def _joined(a: Terms, b: Terms) -> Terms:
    return (
        a[0] + b[0],
        max(a[0] + b[1], a[1] + b[0]),
        max(a[0] + b[2], a[1] + b[1], a[2] + b[0]),
    )


def _applied_factors(node: Apply, operand: Terms) -> Terms:
    if node.activation.degree is None:
        return (1, 1 + operand[1], 1 + max(operand[2], 2 * operand[1]))
    power = (0, 0, 0)
    for _ in range(node.activation.degree):
        power = _joined(power, operand)
    return power


def _product(a: Terms, b: Terms) -> Terms:
    return (a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0])


def _applied(node: Apply, operand: Terms) -> Terms:
    degree = node.activation.degree
    if degree is None:
        return (1, operand[1], operand[2] + operand[1] ** 2)
    power, total = (1, 0, 0), (1, 0, 0)
    for _ in range(degree):
        power = _product(power, operand)
        total = (total[0] + power[0], total[1] + power[1], total[2] + power[2])
    return total


def _about(count: int) -> str:
    digits = len(str(count)) - 1
    return str(count) if digits < 7 else f"about 10^{digits}"
