"""Whether the packages that the program consists of are found where it lies: a project's own may have their names."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).parents[1]
_PARTS = ("architectures", "symbolic", "numeric", "proofs", "reports")


@cache
def unshadowed() -> None:
    """Pass when each of them is the one beside this package.

    Raises:
        ImportError: another one is found first; one line names it.
    """
    for name in _PARTS:
        found = find_spec(name)
        places = [Path(place).resolve() for place in (found.submodule_search_locations or ())] if found else []
        if (_HERE / name).resolve() not in places:
            there = places[0] if places else found and found.origin
            raise ImportError(
                f"resproof: its package {name} is hidden by {there or 'nothing that can be imported'}; "
                "run from another folder, or take that one from sys.path"
            )
