"""The registry of statements, in the order of the report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from architectures.errors import OneLine
from proofs.statement import Statement

HERE = Path(__file__).parent
PACKAGES = ("demystifying_resnet", "rethinking_skips", "identity_matters", "beyond")
"""The packages that hold statements: one a document, and what goes beyond them."""


class UnknownStatementError(OneLine, ValueError):
    """No statement has the id that was asked for; the message is one line for the user."""


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement; the modules are imported on the first call."""
    return registry(one for name in modules() for one in _of_module(name))


def modules() -> tuple[str, ...]:
    """The modules that hold statements, in the order of the report."""
    packages = ((name, import_module(f"proofs.{name}")) for name in PACKAGES)
    return tuple(f"proofs.{name}.{module}" for name, package in packages for module in package.MODULES)


def _of_module(name: str) -> tuple[Statement, ...]:
    return import_module(name).STATEMENTS


@cache
def files() -> Mapping[str, str]:
    """The file, from the repository's root, that each id is written in: to import all of them takes a second."""
    written = re.compile(r'\bid="([^"]+)"')
    return {
        id_: f"proofs/{package}/{path.name}"
        for package in PACKAGES
        for path in sorted((HERE / package).glob("*.py"))
        for id_ in written.findall(path.read_text("utf-8"))
    }


def _written(name: str) -> tuple[Statement, ...]:
    """The statement with this id or label, from its file alone; all statements where there is none."""
    places = [file for id_, file in files().items() if f"{name}-".startswith(f"{id_}-")]
    modules = (import_module(file.removesuffix(".py").replace("/", ".")) for file in places)
    found = {one.id: one for module in modules for one in _held(module) if name in {one.id, one.label}}
    return tuple(found.values()) or statements()


def _held(module: ModuleType) -> Iterator[Statement]:
    for value in vars(module).values():
        yield from (one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Statement))


def registry(candidates: Iterable[Statement]) -> tuple[Statement, ...]:
    """`candidates` as a tuple.

    Raises:
        ValueError: two of them share an id.
    """
    found: dict[str, Statement] = {}
    for statement in candidates:
        if statement.id in found:
            raise ValueError(f"statements: the id {statement.id} is given twice; expected distinct ids")
        found[statement.id] = statement
    return tuple(found.values())


def find(ids: Sequence[str], among: Sequence[Statement] | None = None) -> tuple[Statement, ...]:
    """The statements with these ids or labels, in the order of the registry; all of them when no id is given.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.
    """
    candidates = among if among is not None else _written(ids[0]) if len(ids) == 1 else statements()
    known = {name: one.id for one in candidates for name in (one.id, one.label)}
    for id_ in ids:
        if id_ not in known:
            raise UnknownStatementError(f"unknown statement {id_!r}; {suggestion(id_, {*known.values()})}")
    chosen = {known[id_] for id_ in ids}
    return tuple(one for one in candidates if one.id in chosen or not ids)


def suggestion(id_: str, known: Iterable[str], otherwise: str = "`resproof list` shows the known ones") -> str:
    """The known ids nearest to an unknown one, or what is said where there is none."""
    lower = {one.lower(): one for one in sorted(known)}
    near = [lower[match] for match in get_close_matches(id_.lower(), lower, n=3, cutoff=0.6)]
    return f"did you mean {' or '.join(near)}?" if near else otherwise
