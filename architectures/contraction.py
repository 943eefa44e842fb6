"""In which order a product of tensors with labelled axes is summed: two by two, what grows least first.

A label that no other factor and not the result needs is summed over as soon as the two that have it meet. Taken first
are two factors with a label in common whose product exceeds the larger of them by least, then those with the
smallest loop: the sizes of all labels of both, multiplied. Where all loops together are FEWER times as short if it is
the quotient of the product's size and theirs that is least, as with the windows of a convolution, that order is taken.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

Axes: TypeAlias = tuple[tuple[int, int], ...]
"""(label, size) of each axis of a factor."""
Growth: TypeAlias = Callable[[int, int, int], float]
"""Of the sizes of a product and of its two factors."""

FEWER = 4


@lru_cache(maxsize=1 << 12)
def pairwise(factors: tuple[Axes, ...], output: tuple[int, ...]) -> list[tuple[int, int]]:
    """Which two of the factors left meet at each step: they go, and their product comes last."""
    order, loops = _greedy(factors, output, lambda product, a, b: product - max(a, b))
    other, shorter = _greedy(factors, output, lambda product, a, b: product / (a + b))
    return other if FEWER * shorter <= loops else order


def _greedy(factors: tuple[Axes, ...], output: tuple[int, ...], growth: Growth) -> tuple[list[tuple[int, int]], int]:
    """The pairs that grow least, one after the other, and the lengths of all loops together."""
    sizes = {label: n for axes in factors for label, n in axes}
    left = dict(enumerate(frozenset(label for label, _ in axes) for axes in factors))
    holders = Counter([*output, *(label for labels in left.values() for label in labels)])

    def volume(labels: Iterable[int]) -> int:
        return math.prod(sizes[label] for label in labels)

    def cost(i: int, j: int) -> tuple[bool, float, int]:
        a, b = left[i], left[j]
        kept = [label for label in a | b if holders[label] > (label in a) + (label in b)]
        return bool(a and b) and not a & b, growth(volume(kept), volume(a), volume(b)), volume(a | b)

    costs = {(j, i): cost(i, j) for j in left for i in left if i < j}
    order, loops = list[tuple[int, int]](), 0
    for new in range(len(left), 2 * len(left) - 1):
        j, i = min(costs, key=lambda pair: (costs[pair], pair))
        places = list(left)
        order.append((places.index(i), places.index(j)))
        a, b = left.pop(i), left.pop(j)
        loops += volume(a | b)
        costs = {pair: known for pair, known in costs.items() if not {i, j} & set(pair)}
        left[new] = (a | b) & frozenset(output).union(*left.values())
        holders.subtract([*a, *b])
        holders.update(left[new])
        costs |= {(new, other): cost(other, new) for other in left if other != new}
    return order, loops
