"""Inner widths of a product in index notation: each of them bounds its rank.

A product M_1 M_2 ... of matrices, some of them transposed, is a path of contractions from its row index to its column
index; the dimensions that the path runs through are the inner widths. A matrix that is a product of inner width q has
rank at most q.
"""

from __future__ import annotations

from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import COLUMN, ROW
from resproof.symbolic.index.series import Sum


def inner_widths(value: Sum) -> frozenset[Dimension] | None:
    """The dimensions on the path of contractions from row to column; None where the sum is no single product."""
    if len(value) != 1:
        return None
    ((_, factors),) = value
    rest, at, found = list(factors), ROW, set[Dimension]()
    while at != COLUMN:
        step = next((one for one in rest if at in one[1]), None)
        if step is None or len(step[1]) != 2:
            return None
        rest.remove(step)
        slot = 1 - step[1].index(at)
        at = step[1][slot]
        if at != COLUMN:
            found.add(step[0].dims[slot])
    return frozenset(found) if not rest else None
