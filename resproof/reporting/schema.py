"""results.json as typed records, and its JSON schema, which is shipped as results.schema.json; the same for spectra.

`python -m resproof.reporting.schema` writes the schema anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from resproof.proofs.figures import Figures
from resproof.proofs.registry import ledgers, packages
from resproof.proofs.statement import Statement
from resproof.reporting import REPORTS
from resproof.reporting.check_record import CHECK_SCHEMA, CheckRecord
from resproof.reporting.records import AsJson, DataRecord, Record
from resproof.reporting.spectrum_record import SpectrumRecord
from resproof.reporting.statement_record import Proved

SCHEMA = REPORTS / "results.schema.json"
SPECTRUM_SCHEMA = REPORTS / "spectrum.schema.json"


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


class Question(Record):
    """What the report answers first: what is asked, what that is about, and the statements that answer it."""

    title: str
    about: str
    parts: tuple[str, ...]


class Paper(Record):
    """A document, or what goes beyond them: notation, and statements in its own order; `slug` names its page.

    `judged` says whose words they are, where one might think of others; `findings` are not to be missed.
    """

    slug: str
    title: str
    about: str
    judged: str = ""
    question: Question | None = None
    findings: tuple[str, ...] = ()
    notation: tuple[Symbol, ...]
    sections: tuple[Section, ...]


class Ledger(Record):
    """All that is to be verified, by paper; `file` holds the statements where they are somebody's own."""

    file: str = ""
    papers: tuple[Paper, ...]

    @property
    def question(self) -> Question | None:
        """What the report opens with, where some paper asks it."""
        return next((paper.question for paper in self.papers if paper.question), None)

    @property
    def asked(self) -> tuple[str, ...]:
        """The statements that answer it."""
        return self.question.parts if self.question else ()

    @property
    def findings(self) -> tuple[str, ...]:
        """Those of every paper."""
        return tuple(id_ for paper in self.papers for id_ in paper.findings)

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


def ledger_of(title: str, statements: Sequence[Statement], file: str) -> Ledger:
    """A ledger of one paper of somebody's own, in that file: its statements as they come."""
    entries = tuple(LedgerEntry(id=one.id, title=one.title) for one in statements)
    section = Section(title="Statements", entries=entries)
    papers = (Paper(slug="paper", title=title, about="", notation=(), sections=(section,)),)
    return Ledger(papers=papers, file=file)


def ledger() -> Ledger:
    """All that is to be verified: the papers' own lists."""
    return Ledger(papers=tuple(Paper.model_validate_json(ledgers()[name].read_text("utf-8")) for name in packages()))


SCHEMAS: Mapping[Path, type[AsJson]] = {SCHEMA: Results, SPECTRUM_SCHEMA: SpectrumRecord, CHECK_SCHEMA: CheckRecord}
"""Every schema that is shipped, and what it describes."""

if __name__ == "__main__":
    for path, kind in SCHEMAS.items():
        path.write_text(kind.described(), encoding="utf-8")
