"""Pairs of units grouped by equal Hessian blocks: what GEN-1 and Lemma 4 are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

Pairs: TypeAlias = set[frozenset[tuple[int, int]]]
"""Pairs (r, s), r <= s, in groups."""


def classes(forms: Mapping[tuple[int, int], object]) -> Pairs:
    """The pairs of units (r, s), r <= s, grouped by equal forms."""
    groups: list[tuple[object, set[tuple[int, int]]]] = []
    for pair, form in forms.items():
        group = next((members for other, members in groups if other == form), None)
        if group is None:
            groups.append((form, {pair}))
        else:
            group.add(pair)
    return {frozenset(members) for _, members in groups}


def grouped(units: int, key: Callable[[int, int], object]) -> Pairs:
    """The pairs of units grouped by `key`."""
    pairs = [(r, s) for r in range(1, units + 1) for s in range(r, units + 1)]
    return {frozenset(p for p in pairs if key(*p) == key(*pair)) for pair in pairs}


CLASSES = grouped(3, lambda r, s: r == s)
"""Three units: the pairs with r = s, and those with r < s."""
ONE_CLASS = grouped(3, lambda r, s: True)
OTHER_CLASSES = {
    "they depend on the distance s - r": grouped(3, lambda r, s: s - r),
    "they do not depend on r and s": ONE_CLASS,
    "the first unit is special": grouped(3, lambda r, s: (r == s, r == 1)),
}
