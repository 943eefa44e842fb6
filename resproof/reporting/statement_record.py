"""What results.json and `resproof prove --json` have of a statement; the shipped ones are read one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Literal

from pydantic import TypeAdapter

from resproof.proofs.contents import file_of
from resproof.proofs.kernel import Checked
from resproof.proofs.registry import UnknownStatementError, modules, suggestion
from resproof.proofs.results import Result
from resproof.proofs.statement import Kind, Source, Statement
from resproof.reporting import REPORTS
from resproof.reporting.records import Record, later


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRecord(Result):
    r"""A statement as printed, its verdict and everything that led to it; `file` holds it.

    Titles, sentences, what is read in changes and why, `notes`, explanations and what was rejected, here and in what is
    nested, hold formulas: LaTeX between dollar signs, where \$ is a dollar sign itself. Reasons, messages and
    quotations are plain text.
    """

    __pydantic_config__ = Record.model_config

    title: str
    subject: str
    kind: Kind
    file: str
    source: Source | None
    sentence: str
    setting: str
    latex: str
    uses: tuple[str, ...]
    notes: str
    kernel: Checked | None = None

    def _repr_markdown_(self) -> str:
        return later("render", "statement_page")(self)


class Proved(Record):
    """What `resproof prove --json` prints."""

    schema_version: Literal[2]
    statements: tuple[StatementRecord, ...]


_PRINTED = ("title", "subject", "kind", "source", "setting", "latex", "uses", "notes")


def record(statement: Statement, result: Result) -> StatementRecord:
    """A result and what is printed of its statement."""
    return StatementRecord(
        **{one.name: getattr(result, one.name) for one in fields(Result)},
        **{name: getattr(statement, name) for name in _PRINTED},
        sentence=statement.said,
        file=file_of(statement),
        kernel=_checked(statement.id),
    )


def _checked(id_: str) -> Checked | None:
    """What a proof kernel says of a statement; None where none does."""
    found = (import_module(name).checked(id_) for name in modules("KERNEL"))
    return next((one for one in found if one is not None), None)


def records(statements: Sequence[Statement], results: Sequence[Result]) -> tuple[StatementRecord, ...]:
    """One record for each statement and its result."""
    return tuple(record(*pair) for pair in zip(statements, results, strict=True))


def shipped(name: str) -> StatementRecord:
    """What the shipped report has of the statement with this id or label.

    Raises:
        UnknownStatementError: it has none; the message suggests the nearest ones.
    """
    every = json.loads((REPORTS / "results.json").read_bytes())["statements"]
    for one in every:
        if name in {one["id"], f"{one['id']}-{one['subject']}"}:
            return TypeAdapter(StatementRecord).validate_python(one)
    raise UnknownStatementError(f"unknown statement {name!r}; {suggestion(name, [one['id'] for one in every])}")
