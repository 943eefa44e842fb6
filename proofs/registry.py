"""The registry of statements, in the order of the report: a paper is a package beside this module that has a ledger.

Its `__init__` says where it stands (PLACE) and which of its modules hold statements (MODULES) and experiments
(EXPERIMENTS, where there are any); its `ledger.json` what is to be verified, whether or not it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

from resproof.architectures.errors import OneLine
from resproof.proofs.statement import Statement

HERE = Path(__file__).parent


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
    pattern = re.compile('id="([^"]+)"')
    return {
        id_: f"proofs/{package}/{path.name}"
        for package in ledgers()
        for path in sorted((HERE / package).glob("*.py"))
        for id_ in pattern.findall(path.read_text("utf-8"))
    }


def written(held: str = "MODULES") -> tuple[str, ...]:
    """The ids of all statements, or under "EXPERIMENTS" those of experiments, by the files that they are written in."""
    of_experiments = modules("EXPERIMENTS")
    asked = held == "EXPERIMENTS"
    return tuple(id_ for id_, file in files().items() if (_module_of(file) in of_experiments) == asked)


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
    """The statements with these ids or labels, in the order of the registry; all of them when none is given.

    For one that is registered, the module alone that holds it is imported; for an unknown one none.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.
    """
    candidates = _registered(ids) if among is None else among
    known = {known_as: one.id for one in candidates for known_as in (one.id, one.label)}
    for id_ in ids:
        if id_ not in known:
            others = written() if among is None else ()
            raise UnknownStatementError(f"unknown statement {id_!r}; {suggestion(id_, {*known.values(), *others})}")
    chosen = {known[id_] for id_ in ids}
    return tuple(one for one in candidates if one.id in chosen or not ids)


def _registered(ids: Sequence[str]) -> Sequence[Statement]:
    """Statements among which these are, where they are known."""
    if len(ids) != 1:
        return statements()
    there = {id_: file for id_, file in files().items() if ids[0] == id_ or ids[0].startswith(f"{id_}-")}
    held = (_held(_module_of(file)).get(id_) for id_, file in there.items())
    return [one for one in held if one]


def suggestion(id_: str, known: Iterable[str], otherwise: str = "`resproof list` shows the known ones") -> str:
    """The known ids nearest to an unknown one, or what is said where there is none."""
    lower = {one.lower(): one for one in sorted(known)}
    near = [lower[match] for match in get_close_matches(id_.lower(), lower, n=3, cutoff=0.6)]
    return f"did you mean {' or '.join(near)}?" if near else otherwise
