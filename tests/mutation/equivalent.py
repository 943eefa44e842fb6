"""Changes that leave everything as it was, or worse off only in time: nothing could notice them."""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """The rows of a file before and after a change, as a result has them, and why no verdict can depend on it."""

    file: str
    old: str
    new: str
    reason: str


EQUIVALENT: tuple[Equivalent, ...] = ()
