"""Scopes as people read them: of several parts only the widest."""

from __future__ import annotations

import re

_LISTED = 2
_ANY = "every dimension"


def widest(scope: str) -> str:
    """The scope without what a wider part of it covers: "n = 1..4, all R, d; all n, R, d" is "all n, R, d".

    Of sizes that are only listed the first two are shown.
    """
    pieces = list(dict.fromkeys(scope.split("; "))) if scope else []
    kept = [one for one in pieces if not any(_covers(other, one) for other in pieces if other != one)]
    if any("all " in one for one in kept):
        kept = [one for one in kept if "all " in one]
    more = len(kept) - _LISTED
    return "; ".join(kept) if more <= 0 else f"{'; '.join(kept[:_LISTED])} and {more} more"


def _covers(wide: str, narrow: str) -> bool:
    """Whether all that `narrow` leaves free or restricts is free in `wide`, which restricts nothing."""
    restricted, free = _free(wide)
    if restricted or not free:
        return False
    also_restricted, also_free = _free(narrow)
    names = also_restricted | also_free
    covered = {name for name in names if name in free or (_ANY in free and name not in {"n", "R", "m"})}
    return bool(also_free) and names == covered and (bool(also_restricted) or also_free != free)


def _free(piece: str) -> tuple[set[str], set[str]]:
    """The names that a piece such as "n = 1..4, all R, d, m" restricts, and those that it leaves free."""
    before, every, after = piece.partition("all ")
    free = {name.strip() for name in re.split(r", | and ", after)} if every else set[str]()
    return set(re.findall(r"(\w+) ?=", before)), free
