"""Which orders of which nodes a jet of order K needs: degree truncation, decided before anything is multiplied.

The *valuation* of a node is a degree below which its series in the weights vanishes: 1 for a weight that starts at
zero, 0 for data; it adds up over products, is the least one in a sum, and an activation with f(0) = 0 keeps it (f is
differentiable at 0, or has a kink there: |f(t)| <= C|t| either way), a polynomial multiplies it. So does a
normalisation with epsilon > 0, and a centred one of a single entry is zero. A softmax does not vanish, and a
normalisation with epsilon = 0 has no series where its argument does.

A node is *needed* to order N where parts above N cannot reach the result: the root is needed to K, and an operand of
a product to N less the valuation of the other operand. A node whose valuation exceeds its need is zero for our
purposes. So in h + W3 f(W2 f(W1 h)) nothing at all is multiplied for K = 2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import assert_never

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
    nodes,
    operands,
    read,
)
from resproof.architectures.values import zero


def starts_at_zero(weight: Weight) -> int:
    """The valuation of a weight that moves."""
    return int(weight.initial == zero)


def valuations(
    root: Expression,
    cap: int,
    of_weight: Callable[[Weight], int] = starts_at_zero,
    vanishing: Collection[Expression] = (),
) -> dict[Expression, int]:
    """A degree below which each node vanishes, at most `cap`; those among `vanishing` are known to be zero."""
    found: dict[Expression, int] = {}

    def case(node: Expression, recurse: Callable[[Expression], int]) -> int:
        found[node] = cap if node in vanishing else min(cap, rule(node, recurse))
        return found[node]

    def rule(node: Expression, recurse: Callable[[Expression], int]) -> int:
        match node:
            case Input():
                return 0
            case Weight():
                return of_weight(node)
            case Constant():
                return cap if node.value == 0 else 0
            case Einsum() | Multiply():
                return sum(map(recurse, node.operands))
            case Add():
                return min(recurse(node.left), recurse(node.right))
            case Apply():
                lowest = _lowest(node.activation)
                return cap if lowest is None else lowest * recurse(node.operand)
            case Softmax():
                return 0
            case Normalize():
                inner = recurse(node.operand)
                alone = node.centred and node.operand.shape[node.axis] == 1
                return 0 if not node.epsilon else cap if alone else inner
            case _:
                assert_never(node)

    _ = read(root, case)
    return found


def _lowest(activation: Activation) -> int | None:
    """The least degree of the function's series at 0, one for all but polynomials without a constant; None for zero."""
    if activation.degree is None:
        return int(not activation.has_pole and not activation.taylor(0).rational)
    return next((k for k in range(activation.degree + 1) if activation.taylor(k).rational), None)


def needed_orders(
    root: Expression,
    order: int,
    of_weight: Callable[[Weight], int] = starts_at_zero,
    vanishing: Collection[Expression] = (),
) -> dict[Expression, int]:
    """The order to which each node is needed for the root to `order`; nodes that are zero up to there are left out.

    In the order in which they can be evaluated.
    """
    valuation = valuations(root, order + 1, of_weight, vanishing)
    need: dict[Expression, int] = {root: order}
    in_turn = nodes(root)
    for node in reversed(in_turn):
        if node not in need or valuation[node] > need[node]:
            continue
        for operand, loss in _losses(node, valuation):
            need[operand] = max(need.get(operand, -1), need[node] - loss)
    return {node: need[node] for node in in_turn if node in need and valuation[node] <= need[node]}


def _losses(node: Expression, valuation: Mapping[Expression, int]) -> list[tuple[Expression, int]]:
    """How much less is needed of each operand than of the node."""
    match node:
        case Einsum(operands=(left, right)) | Multiply(left=left, right=right):
            return [(left, valuation[right]), (right, valuation[left])]
        case _:
            return [(operand, 0) for operand in operands(node)]
