"""Whether a formula was printed from what was computed, or stands in the source as somebody wrote it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any


def written(shown: str, compute: Callable[..., Any]) -> bool:
    """Whether `shown` is a text of the module of `compute`, or one that it was given.

    A text that is put together, of one written piece or more, is printed.
    """
    given = list[Any]()
    while isinstance(compute, partial):
        given += [*compute.args, *compute.keywords.values()]
        compute = compute.func
    for cell in getattr(compute, "__closure__", None) or ():
        try:
            given.append(cell.cell_contents)
        except ValueError:  # a name that was never bound
            continue
    return shown in [one for one in given if isinstance(one, str)] or shown in _texts(compute.__module__)


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
