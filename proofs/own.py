"""Statements of somebody's own: a Python file with STATEMENTS, run as those of the papers are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from architectures.errors import ArchitectureError
from architectures.files import variables_of
from proofs.registry import find, registry
from proofs.statement import Statement


def find_in(path: Path, ids: Sequence[str]) -> tuple[Statement, ...]:
    """The statements of a file with these ids; all of them where none is given.

    Raises:
        ArchitectureError: the file cannot be read or fails, or has no statements.
        UnknownStatementError: an id is unknown.
    """
    return find(ids, statements_of(path))


@cache
def statements_of(path: Path) -> tuple[Statement, ...]:
    """What the file calls STATEMENTS, run once in a process.

    Raises:
        ArchitectureError: the file cannot be read or fails, or STATEMENTS are none.
    """
    given = variables_of(path).get("STATEMENTS")
    if not isinstance(given, list | tuple) or not given:
        raise ArchitectureError(
            f"{path}: has no STATEMENTS; expected a tuple of proofs.statement.Statement with that name"
        )
    for one in given:
        if not isinstance(one, Statement):
            raise ArchitectureError(
                f"{path}: STATEMENTS holds a {type(one).__name__}; expected proofs.statement.Statement"
            )
    try:
        return registry(given)
    except ValueError as error:
        raise ArchitectureError(f"{path}: {error}") from None
