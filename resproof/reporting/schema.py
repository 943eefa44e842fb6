"""results.json as typed records, and its JSON schema, which is shipped as results.schema.json; the same for spectra.

`python -m resproof.reporting.schema` writes the schema anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from resproof.proofs.contents import file_of
from resproof.proofs.demystifying_resnet.formal.counterparts import Checked, checked
from resproof.proofs.figures import Figures
from resproof.proofs.registry import ledgers, packages
from resproof.proofs.results import Result
from resproof.proofs.statement import Kind, Source, Statement
from resproof.reporting import REPORTS
from resproof.reporting.check_record import CHECK_SCHEMA, CheckRecord
from resproof.reporting.records import AsJson, DataRecord, Record
from resproof.reporting.spectrum_record import SpectrumRecord

SCHEMA = REPORTS / "results.schema.json"
SPECTRUM_SCHEMA = REPORTS / "spectrum.schema.json"
_THEOREM_2 = ("DR-T2.1", "DR-T2.2", "DR-T2.2c", "DR-T2.2s", "DR-T2.3")
_FINDINGS = ("DR-T1a", "DR-T2.3x", "RS-PR", "IM-3")
"""What the report opens with."""


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
        from resproof.reporting.render import statement_page

        return statement_page(self)


class LedgerEntry(Record):
    """A statement that is to be verified, attempted or not; a misprint in another one; an experiment."""

    id: str
    title: str
    erratum_of: str | None = None
    experiment: bool = False


class Section(Record):
    """The statements of one topic."""

    title: str
    entries: tuple[LedgerEntry, ...]


class Symbol(Record):
    """A symbol, in LaTeX, and what it means, with LaTeX between dollar signs."""

    symbol: str
    meaning: str


class Paper(Record):
    """A document, or what goes beyond them: notation, and statements in its own order; `slug` names its page.

    `judged` says whose words they are, where one might think of others.
    """

    slug: str
    title: str
    about: str
    judged: str = ""
    notation: tuple[Symbol, ...]
    sections: tuple[Section, ...]


class Ledger(Record):
    """All that is to be verified, which entries make up Theorem 2, and the findings that the report opens with."""

    theorem_2: tuple[str, ...]
    findings: tuple[str, ...] = ()
    file: str = ""
    papers: tuple[Paper, ...]

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Every entry of every paper."""
        return tuple(entry for paper in self.papers for section in paper.sections for entry in section.entries)


class MachineRecord(Record):
    """Where it ran; the report prints it between `measured` markers."""

    python: str
    platform: str
    device: str
    packages: dict[str, str]


class Proved(Record):
    """What `resproof prove --json` prints."""

    schema_version: Literal[2]
    statements: tuple[StatementRecord, ...]


class CatalogueEntry(Record):
    """A block of the catalogue, what it is called, and what was found; eigenvalues are not listed."""

    name: str
    title: str
    formula: str
    source: str
    not_computed: str
    found: CheckRecord


class Timings(Record):
    """timings.json: the seconds that a report took and each of its statements: what no two runs have in common."""

    seconds: float
    statements: dict[str, float]


class Results(Proved):
    """results.json: what the report is rendered from; it has no times, so that a second run changes nothing."""

    ledger: Ledger
    data: DataRecord
    seed: int
    figures: Figures
    catalogue: tuple[CatalogueEntry, ...] = ()
    environment: MachineRecord

    def to_json(self) -> str:
        """Indented JSON that ends in a newline, without the seconds of statements."""
        return f"{self.model_dump_json(indent=2, exclude={'statements': {'__all__': {'seconds'}}})}\n"


_PRINTED = ("title", "subject", "kind", "source", "setting", "latex", "uses", "notes")


def record(statement: Statement, result: Result) -> StatementRecord:
    """A result and what is printed of its statement."""
    return StatementRecord(
        **{one.name: getattr(result, one.name) for one in fields(Result)},
        **{name: getattr(statement, name) for name in _PRINTED},
        sentence=statement.said,
        file=file_of(statement),
        kernel=checked(statement.id),
    )


def records(statements: Sequence[Statement], results: Sequence[Result]) -> tuple[StatementRecord, ...]:
    """One record for each statement and its result."""
    return tuple(record(*pair) for pair in zip(statements, results, strict=True))


def ledger_of(title: str, statements: Sequence[Statement], file: str) -> Ledger:
    """A ledger of one paper of somebody's own, in that file: its statements as they come."""
    entries = tuple(LedgerEntry(id=one.id, title=one.title) for one in statements)
    section = Section(title="Statements", entries=entries)
    papers = (Paper(slug="paper", title=title, about="", notation=(), sections=(section,)),)
    return Ledger(theorem_2=(), papers=papers, file=file)


def ledger() -> Ledger:
    """All that is to be verified: the papers' own lists."""
    papers = [Paper.model_validate_json(ledgers()[name].read_text(encoding="utf-8")) for name in packages()]
    return Ledger(theorem_2=_THEOREM_2, findings=_FINDINGS, papers=tuple(papers))


SCHEMAS: Mapping[Path, type[AsJson]] = {SCHEMA: Results, SPECTRUM_SCHEMA: SpectrumRecord, CHECK_SCHEMA: CheckRecord}
"""Every schema that is shipped, and what it describes."""

if __name__ == "__main__":
    for path, kind in SCHEMAS.items():
        path.write_text(kind.described(), encoding="utf-8")
