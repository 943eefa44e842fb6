"""Statements of somebody's own, run as those of the papers are: from a Python file, or from an installed package.

A file calls them STATEMENTS. It does not say itself that a size was free, nor do ours: an engine does, in a module beside
it, of the object that is compared. A package names what holds them, a module with STATEMENTS or the tuple itself, in its pyproject.toml:

    [project.entry-points."resproof.papers"]
    my_paper = "my_package.statements"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import variables_of
from resproof.architectures.names import a_kind
from resproof.architectures.reading import open_regular
from resproof.proofs.provenance import require_own_sizes
from resproof.proofs.registry import files, find, registry
from resproof.proofs.statement import Statement

GROUP = "resproof.papers"
"""The group of entry points."""
SAYS_FREE = re.compile(r"leaving_free|\.lifted\(|\bScope\((?!\))")
"""How a source says that a size was free, or puts a scope together."""


def find_in(place: str, ids: Sequence[str]) -> tuple[Statement, ...]:
    """The statements of a file or an installed paper with these ids; all of them where none is given.

    Raises:
        ArchitectureError: it cannot be read or fails, or has no statements.
        UnknownStatementError: an id is unknown.
    """
    return find(ids, statements_of(place))


@cache
def statements_of(place: str) -> tuple[Statement, ...]:
    """What the file, or the installed paper, calls STATEMENTS; run once in a process.

    Raises:
        ArchitectureError: it cannot be read or fails, or STATEMENTS are none.
    """
    given = _given(place)
    if not isinstance(given, list | tuple) or not given:
        raise ArchitectureError(
            f"{place}: has no STATEMENTS; expected a tuple of resproof.proofs.statement.Statement with that name"
        )
    for one in given:
        if not isinstance(one, Statement):
            raise ArchitectureError(
                f"{place}: STATEMENTS holds {a_kind(one)}; expected resproof.proofs.statement.Statement"
            )
    if loose := [one.id for one in given for each in one.evidence if each.given]:
        raise ArchitectureError(
            f"{place}: evidence for {loose[0]} is `given`; expected evidence of its own, not that on somebody's block"
        )
    ids = {one.id for one in given}
    for one in given:
        if unknown := [used for used in one.uses if used not in ids and used not in files()]:
            raise ArchitectureError(
                f"{place}: {one.id} uses {unknown[0]!r}; expected a statement of its own or of the papers"
            )
    try:
        return registry(given)
    except ValueError as error:
        raise ArchitectureError(f"{place}: {error}") from None


def _given(place: str) -> Any:
    # What is installed is looked through only where there is no such file.
    paper = None if Path(place).exists() else next(iter(entry_points(group=GROUP, name=place)), None)
    if paper is None:
        found = variables_of(Path(place)).get("STATEMENTS")
        with open_regular(Path(place)) as file:
            text = file.read().decode(errors="replace")
        if said := SAYS_FREE.search(text):
            raise ArchitectureError(
                f"{place}: has {said[0]!r}, by which an engine says that a size was free; expected the scope of an engine, "
                "or one's own engine in a module beside it"
            )
        try:
            require_own_sizes(text)
        except ValueError as error:
            raise ArchitectureError(f"{place}: {error}") from None
        return found
    try:
        found = paper.load()
    except Exception as error:
        raise ArchitectureError(
            f"{place}: the entry point {paper.value} fails: {type(error).__name__}: {error}"
        ) from error
    return getattr(found, "STATEMENTS", None) if isinstance(found, ModuleType) else found
