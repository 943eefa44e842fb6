"""Scopes as people read them."""

from __future__ import annotations

_LISTED = 2


def shortened(scope: str) -> str:
    """The scope with the first two of its parts alone, and how many more there are."""
    pieces = list(dict.fromkeys(scope.split("; "))) if scope else []
    more = len(pieces) - _LISTED
    return "; ".join(pieces) if more <= 0 else f"{'; '.join(pieces[:_LISTED])} and {more} more"
