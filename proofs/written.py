"""What a function was given: whether a formula was printed from what was computed, or stands in the source as written."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any


def written(shown: str, compute: Callable[..., Any]) -> bool:
    """Whether `shown` is a text of the module of `compute`, or one that it was given.

    A text that is put together, of one written piece or more, is printed.
    """
    texts = [one for one in given(compute) if isinstance(one, str)]
    return shown in texts or shown in _texts(unwrapped(compute).__module__)


def unwrapped(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a partial one is of."""
    while isinstance(compute, partial):
        compute = compute.func
    return compute


def given(compute: Callable[..., Any]) -> list[Any]:
    """What a function was made with: arguments that are fixed, and the names that it takes from around it."""
    found = list[Any]()
    while isinstance(compute, partial):
        found += [*compute.args, *compute.keywords.values()]
        compute = compute.func
    for cell in getattr(compute, "__closure__", None) or ():
        with suppress(ValueError):  # a name that was never bound
            found.append(cell.cell_contents)
    return found


def same(compute: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether both are one function, made with the same."""
    return unwrapped(compute) is unwrapped(other) and repr(given(compute)) == repr(given(other))


def named(compute: Callable[..., Any]) -> list[Any]:
    """What stands in the module of a function under a name that it uses."""
    function = unwrapped(compute)
    around = getattr(function, "__globals__", {})
    return [around[name] for name in getattr(getattr(function, "__code__", None), "co_names", ()) if name in around]


@cache
def _texts(module: str) -> frozenset[str]:
    """All texts in a module's source; none where there is no source."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if not file or not Path(file).is_file():
        return frozenset()
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return frozenset(
        one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    )
