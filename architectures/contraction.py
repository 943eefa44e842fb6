"""In which order a product of tensors with labelled axes is summed, two by two.

A label that no other factor and not the result needs is summed over as soon as the two that have it meet.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

Axes: TypeAlias = tuple[tuple[int, int], ...]
"""(label, size) of each axis of a factor."""


@lru_cache(maxsize=1 << 12)
def pairwise(factors: tuple[Axes, ...], output: tuple[int, ...]) -> list[tuple[int, int]]:
    """Which two of the factors left meet at each step: they go, and their product comes last."""
    from opt_einsum import paths

    greedy: Any = paths.greedy  # its types know letters alone
    labels = [frozenset(label for label, _ in axes) for axes in factors]
    sizes = {label: n for axes in factors for label, n in axes}
    path = greedy(labels, frozenset(output), sizes) if len(labels) > 2 else [(0, 1)] * (len(labels) - 1)
    return [(min(step), max(step)) for step in path if len(step) == 2]
