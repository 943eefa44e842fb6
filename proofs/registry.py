"""The registry of statements, in the order of the report: a paper is a package beside this module that has a ledger.

Its `__init__` says where it stands (PLACE) and which of its modules hold statements (MODULES) and experiments
(EXPERIMENTS, where there are any); its `ledger.json` what is to be verified, whether or not it is there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from resproof.architectures.errors import OneLine
from resproof.proofs.formulas import plain, typed
from resproof.proofs.kept import kept
from resproof.proofs.sources import source_hash
from resproof.proofs.statement import Statement

HERE = Path(__file__).parent
_MADE_OF = ("architectures", "symbolic", "numeric", "proofs")
"""The packages that a statement may be made of."""


class UnknownStatementError(OneLine, ValueError):
    """No statement has the id that was asked for; the message is one line for the user."""


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement; the modules are imported on the first call."""
    return registry(one for name in modules() for one in _of_module(name))


@cache
def ledgers() -> Mapping[str, Path]:
    """What each paper's package is to verify: the file by the package's name, in no order."""
    return {path.parent.name: path for path in sorted(HERE.glob("*/ledger.json"))}


@cache
def packages() -> Mapping[str, ModuleType]:
    """The papers' packages by name, in the order of the report: by their places, those with one place by their names."""
    found = {name: import_module(f"resproof.proofs.{name}") for name in ledgers()}
    return dict(sorted(found.items(), key=lambda each: each[1].PLACE))


def modules(held: str = "MODULES") -> tuple[str, ...]:
    """The modules that hold statements, or whatever a package lists under another name, in the order of the report."""
    found = ((name, getattr(package, held, ())) for name, package in packages().items())
    return tuple(f"resproof.proofs.{name}.{module}" for name, listed in found for module in listed)


def _of_module(name: str) -> tuple[Statement, ...]:
    return import_module(name).STATEMENTS


@cache
def files() -> Mapping[str, str]:
    """The file, from the repository's root, that each id is written in: to import all of them takes a second."""
    written = re.compile('id="([^"]+)"')
    return {
        id_: f"proofs/{package}/{path.name}"
        for package in ledgers()
        for path in sorted((HERE / package).glob("*.py"))
        for id_ in written.findall(path.read_text("utf-8"))
    }


def _written(ids: Sequence[str]) -> tuple[Statement, ...]:
    """The one statement that is asked for, by the file that has its id; nothing where none has, or several are asked for."""
    file = files().get(ids[0]) if len(ids) == 1 else None
    one = _held(_module_of(file)).get(ids[0]) if file else None
    return (one,) if one else ()


def _module_of(file: str) -> str:
    return f"resproof.{file.removesuffix('.py').replace('/', '.')}"


def _held(module: str) -> Mapping[str, Statement]:
    """The statements in a module; of several with one id the last, which is what was made of the others."""
    values = vars(import_module(module)).values()
    several = (value if isinstance(value, tuple) else (value,) for value in values)
    return {one.id: one for each in several for one in each if isinstance(one, Statement)}


def registry(candidates: Iterable[Statement]) -> tuple[Statement, ...]:
    """`candidates` as a tuple.

    Raises:
        ValueError: two of them share an id, or one uses itself by way of others.
    """
    found: dict[str, Statement] = {}
    for statement in candidates:
        if statement.id in found:
            raise ValueError(f"statements: the id {statement.id} is given twice; expected distinct ids")
        found[statement.id] = statement
    try:
        TopologicalSorter({one.id: one.uses for one in found.values()}).prepare()
    except CycleError as error:
        raise ValueError(f"statements: {' uses '.join(reversed(error.args[1]))}; expected no circle") from None
    return tuple(found.values())


def find(ids: Sequence[str], among: Sequence[Statement] | None = None) -> tuple[Statement, ...]:
    """The statements with these ids or labels, in the order of the registry; all of them when no id is given.

    Of those registered, the modules alone that hold one that is asked for are imported.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.
    """
    candidates = _among_registered(ids) if among is None else among
    known = {name: one.id for one in candidates for name in (one.id, one.label)}
    for id_ in ids:
        if id_ not in known:
            raise UnknownStatementError(f"unknown statement {id_!r}; {suggestion(id_, {*known.values()})}")
    chosen = {known[id_] for id_ in ids}
    return tuple(_statement(one) for one in candidates if one.id in chosen or not ids)


def _among_registered(ids: Sequence[str]) -> Sequence[Statement | Listed]:
    return (_written(ids) or table()) if ids else statements()


def _statement(one: Statement | Listed) -> Statement:
    return one if isinstance(one, Statement) else _held(one.module)[one.id]


# What every statement says of itself.


class Listed(NamedTuple):
    """A statement in the table: the module to import it from, its title as it is shown, and what it says of itself.

    `words` are id, title, sentence and where it is printed, as one types them and as they are shown, in lower case.
    """

    id: str
    label: str
    module: str
    title: str
    words: str


def table() -> tuple[Listed, ...]:
    """Every statement in the order of the report, without the modules that hold them where their table is kept."""
    return tuple(Listed(*row) for row in tabled("statements", modules(), _rows))


def tabled(name: str, holders: Iterable[str], rows: Callable[[], Sequence[Any]]) -> Sequence[Any]:
    """The rows of a table of what these modules hold, as JSON has them, without the modules where the table is kept."""
    if any(holder in sys.modules for holder in holders):  # maybe older ones than the sources are now
        return rows()
    return kept(f"{name}-{sha256(str(HERE).encode()).hexdigest()[:16]}", _source, rows)


def _source() -> str:
    """All that the table is made of: the sources, Python, and what is installed."""
    installed = [entry.name for folder in sys.path for entry in Path(folder).glob("*.dist-info")]
    return " ".join([sys.version, *map(source_hash, _MADE_OF), *sorted(installed)])


def _rows() -> tuple[Listed, ...]:
    return tuple(row(one, _holder(one)) for one in statements())


def row(one: Statement, module: str) -> Listed:
    """What the table has of a statement."""
    printed = f"{one.source.document} {one.source.number}" if one.source else ""
    words = f"{one.id} {one.title} {one.said} {printed}"
    return Listed(one.id, one.label, module, plain(one.title), f"{typed(words)} {plain(words)}".casefold())


def _holder(one: Statement) -> str:
    """The module that a statement can be imported from: that of its file, or else the one that lists it."""
    file = files().get(one.id)
    places = (*([_module_of(file)] if file else []), *modules())
    return next(name for name in places if _held(name).get(one.id) is one)


def suggestion(id_: str, known: Iterable[str], otherwise: str = "`resproof list` shows the known ones") -> str:
    """The known ids nearest to an unknown one, or what is said where there is none."""
    lower = {one.lower(): one for one in sorted(known)}
    near = [lower[match] for match in get_close_matches(id_.lower(), lower, n=3, cutoff=0.6)]
    return f"did you mean {' or '.join(near)}?" if near else otherwise
