"""How large an expression's Taylor series can become, before anything is expanded.

For every node, upper bounds (n0, n1, n2) of the terms of degree 0, 1 and 2 in the weights' perturbations: products
convolve, sums add, a function f(u_0 + v) of an opaque value f(u_0) has 1, n1 and n2 + n1^2 terms. The second of two
units takes the first one's output as its input. The factors of a term are bounded likewise, with max for + and + for
the product.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, repeat
from typing import TypeAlias, assert_never

from resproof.architectures.errors import ArchitectureError
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
    read_every,
)
from resproof.architectures.text import LONGEST, short_text, tree_size
from resproof.architectures.values import zero

MOST_TERMS = 1_000_000
MOST_FACTORS = 100
"""Of one term: putting its indices in canonical order takes time that grows fast with them."""

Terms: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Count:
    """What is counted: how sums and products combine it, what the number 1 has, and what the leaves have."""

    plus: Callable[[int, int], int]
    times: Callable[[int, int], int]
    one: Terms
    weight: Callable[[Weight], Terms]
    constant: Callable[[Constant], Terms]


_TERMS = _Count(
    operator.add,
    operator.mul,
    (1, 0, 0),
    lambda weight: (int(weight.initial != zero), int(weight.trainable), 0),
    lambda constant: (int(constant.value != 0), 0, 0),
)
_FACTORS = _Count(
    max, operator.add, (0, 0, 0), lambda _: (1, 1, 0), lambda constant: (int(isinstance(constant.value, str)), 0, 0)
)


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
    of_factors, of_terms = _bounds(root, _FACTORS, (1, 1, 0)), _bounds(root, _TERMS, (1, 0, 0))
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
        output = _bounds(part, _TERMS, output)[part]
    return sum(output) + output[1] ** 2


def _bounds(root: Expression, of: _Count, stream: Terms) -> dict[Expression, Terms]:
    """Upper bounds, by degree, of every node, where the input has those of `stream`."""

    def plus(a: Terms, b: Terms) -> Terms:
        return (of.plus(a[0], b[0]), of.plus(a[1], b[1]), of.plus(a[2], b[2]))

    def product(a: Terms, b: Terms) -> Terms:
        second = of.plus(of.times(a[0], b[2]), of.times(a[2], b[0]))
        first = of.plus(of.times(a[0], b[1]), of.times(a[1], b[0]))
        return (of.times(a[0], b[0]), first, of.plus(second, of.times(a[1], b[1])))

    def function(first: int, second: int, u: Terms) -> Terms:
        """Of an opaque value: so many first and second derivatives, or factors of one."""
        return (1, of.times(first, u[1]), of.plus(of.times(first, u[2]), of.times(second, of.times(u[1], u[1]))))

    def case(node: Expression, recurse: Callable[[Expression], Terms]) -> Terms:
        match node:
            case Input():
                return stream
            case Weight():
                return of.weight(node)
            case Constant():
                return of.constant(node)
            case Add():
                return plus(recurse(node.left), recurse(node.right))
            case Einsum() | Multiply():
                return reduce(product, map(recurse, node.operands))
            case Apply(activation=Activation(degree=int() as degree)):
                powers = accumulate(repeat(recurse(node.operand), degree), product, initial=of.one)
                return reduce(plus, powers)
            case Apply():
                return function(1, 1, recurse(node.operand))
            case Softmax() | Normalize():
                return function(2, 4, recurse(node.operand))
            case _:
                assert_never(node)

    return read_every(root, case)


def _about(count: int) -> str:
    digits = len(str(count)) - 1
    return str(count) if digits < 7 else f"about 10^{digits}"
