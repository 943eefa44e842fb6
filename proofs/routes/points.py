"""Polynomials that do not vanish everywhere, for every size: one point where they do not, in matrices of every shape.

By the theorem on the zeros of polynomials (`polynomial-zeros`) such a polynomial vanishes on a null set alone. Coordinates
give the letters: E = [I 0] with E E' = 1 where it has no more rows than columns, a vector v with v' v = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.algebra.noncommutative import Relations, modulo, sizes, words


class At(NamedTuple):
    """The value at a point, as a polynomial in matrices, and the relations that hold there."""

    value: str
    relations: Relations


def nonzero_at(
    title: str,
    points: Mapping[str, At],
    shapes: Mapping[str, tuple[str, str]],
    *,
    products: Mapping[str, str] | None = None,
    explanation: str,
    shown: str,
) -> Argument:
    """Each value is the identity where its relations hold, and need not be where one of them is left out.

    `shapes` and `products` are those of `symbolic.algebra.noncommutative.sizes`.
    """

    def compute(_: Context) -> Computed:
        found = {}
        for name, (value, relations) in points.items():
            found[name] = modulo(words(value), relations) == words("1")
            for dropped in relations:
                kept = {left: right for left, right in relations.items() if left != dropped}
                found[f"{name}, without {dropped} = 1"] = modulo(words(value), kept) == words("1")
        return Computed(found, sizes(shapes, *(words(one.value) for one in points.values()), products=products), shown)

    claim = dict.fromkeys(points, True) | {
        f"{name}, without {dropped} = 1": False for name, one in points.items() for dropped in one.relations
    }
    neighbours = {
        "it vanishes there": {**claim, **dict.fromkeys(points, False)},
        "whatever the letters are": dict.fromkeys(claim, True),
    }
    return Argument(title, "identity", compute, claim, neighbours, explanation=explanation)
