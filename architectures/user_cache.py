"""Where what can be derived again is kept for a user: the folder of the XDG base directories."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The program's folder in the user's cache, whether or not it is there; a relative XDG_CACHE_HOME does not count.

    Raises:
        OSError: the user has no folder.
    """
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (given if given.is_absolute() else Path.home() / ".cache") / "resproof"
    except RuntimeError as error:
        raise OSError(str(error)) from None
