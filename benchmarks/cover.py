"""A few cells of a grid in which every two values of different factors meet, as far as cells may be taken at all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import TypeVar

Cell = TypeVar("Cell", bound=tuple[Hashable, ...])
Meeting = frozenset[tuple[int, Hashable]]


def meetings(cell: tuple[Hashable, ...]) -> set[Meeting]:
    """Every two of the cell's values, each with the number of its factor."""
    return {frozenset(pair) for pair in combinations(enumerate(cell), 2)}


def cover(
    cells: Sequence[Cell], first: Sequence[Cell], work: Callable[[Cell], float], most: float
) -> tuple[list[Cell], list[Cell]]:
    """Cells of at most so much work in which all meet that can, those of `first` to begin with; and what is left out.

    Each further cell is the one in which most values meet for the first time, of those the one of the least work. Of
    what is left out there is a cell of the least work for each two values that meet nowhere.
    """
    allowed = [cell for cell in cells if work(cell) <= most]
    taken = [cell for cell in dict.fromkeys(first) if cell in allowed]
    missing = set[Meeting]().union(*map(meetings, cells)).difference(*map(meetings, taken))
    while missing and allowed:
        best = max(allowed, key=lambda cell: (len(missing & meetings(cell)), -work(cell)))
        if not missing & meetings(best):
            break
        taken.append(best)
        missing -= meetings(best)
    left: list[Cell] = []
    for cell in sorted(cells, key=work):
        if missing & meetings(cell):
            left.append(cell)
            missing -= meetings(cell)
    return taken, left
