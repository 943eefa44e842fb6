"""results.json as typed records, and its JSON schema, which is shipped as results.schema.json; the same for spectra.

`python -m reports.schema` writes the schema anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from proofs.contents import file_of
from proofs.demystifying_resnet.formal.counterparts import Checked, checked
from proofs.results import (
    ClauseResult,
    HypothesisResult,
    Result,
    Step,
    Verdict,
    steps_of,
)
from proofs.statement import Kind, Source, Statement
from reports.check_record import CHECK_SCHEMA, CheckRecord, check_schema
from reports.records import DataRecord, Record, SpectrumRecord

SCHEMA_VERSION = 1
SCHEMA = Path(__file__).with_name("results.schema.json")
SPECTRUM_SCHEMA = Path(__file__).with_name("spectrum.schema.json")
LEDGER = Path(__file__).with_name("ledger.json")


class StatementRecord(Record):
    """A statement as printed, its verdict and everything that led to it; `file` holds it."""

    id: str
    title: str
    subject: str
    kind: Kind
    file: str
    source: Source | None
    sentence: str
    latex: str
    hypotheses: tuple[HypothesisResult, ...]
    uses: tuple[str, ...]
    errata: tuple[str, ...]
    notes: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    fully_proved: bool | None
    reason: str
    seconds: float
    clauses: tuple[ClauseResult, ...]
    evidence: tuple[Step, ...]
    assumptions: tuple[str, ...]
    kernel: Checked | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its clauses."""
        return steps_of(self.clauses)

    def _repr_markdown_(self) -> str:
        from reports.render import statement_page

        return statement_page(self)


class LedgerEntry(Record):
    """A statement that is to be verified, attempted or not; or a misprint in another one, which treats it."""

    id: str
    title: str
    erratum_of: str | None = None


class Section(Record):
    """The statements of one topic."""

    title: str
    entries: tuple[LedgerEntry, ...]


class Symbol(Record):
    """A symbol, in LaTeX, and what it means."""

    symbol: str
    meaning: str


class Paper(Record):
    """A document, or what goes beyond them: notation, and statements in its own order; `slug` names its page."""

    slug: str
    title: str
    about: str
    notation: tuple[Symbol, ...]
    sections: tuple[Section, ...]


class Ledger(Record):
    """All that is to be verified, which entries make up Theorem 2, and the findings that the report opens with."""

    theorem_2: tuple[str, ...]
    findings: tuple[str, ...] = ()
    papers: tuple[Paper, ...]

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Every entry of every paper."""
        return tuple(entry for paper in self.papers for section in paper.sections for entry in section.entries)


class Blocks(Record):
    """The exact Hessian of a small linear network; each row as fractions with spaces between them."""

    n: int
    units: int
    width: int
    samples: int
    rows: tuple[str, ...]


class DepthPoint(Record):
    """A condition number at one depth; null where it is infinite."""

    units: int
    value: float | None


class ConditionNumbers(Record):
    """Condition numbers of the dense Hessian against depth."""

    n: int
    points: tuple[DepthPoint, ...]


class MeasuredEigenvalue(Record):
    """An eigenvalue and how often it occurs, up to rounding."""

    value: float
    multiplicity: int


class DenseSpectrum(Record):
    """All eigenvalues of a dense Hessian, ascending."""

    n: int
    units: int
    values: tuple[MeasuredEigenvalue, ...]


class ErrorPoint(Record):
    """The error of the entry of H v that comes nearest to its derived bound, and this bound."""

    units: int
    error: float
    bound: float


class ErrorCurve(Record):
    """Errors and bounds against depth."""

    n: int
    points: tuple[ErrorPoint, ...]


class NormPoint(Record):
    """The largest |W|_F of a network of so many units, and the bound of Theorem 1."""

    units: int
    norm: float
    bound: float


class NormCurve(Record):
    """Norms against depth for one data set, and the slope of their logarithms; null for a single depth."""

    data: str
    width: int
    samples: int
    rho: float
    slope: float | None
    points: tuple[NormPoint, ...]


Curve = tuple[str, str, str]
"""Points in space: all first coordinates with spaces between them, all second ones, all third ones."""


class SpherePath(Record):
    """A path on the sphere past obstacles with caps round them, its length, and its least distance to an obstacle."""

    rho: float
    length: float
    bound: float
    great_arc_length: float
    nearest: float
    path: Curve
    great_arc: Curve
    obstacles: Curve
    circles: tuple[Curve, ...]


class BoundedDepthPoint(Record):
    """A condition number at one depth, null where it is infinite, and a lower bound of it where there is one."""

    units: int
    value: float | None
    bound: float | None


class DeepConditionNumbers(Record):
    """Condition numbers from the blocks of the Hessian, up to great depths."""

    n: int
    width: int
    points: tuple[BoundedDepthPoint, ...]


class HiddenPoint(Record):
    """log10 of the condition number of the hidden representations after so many layers, measured and predicted."""

    depth: int
    measured: float
    predicted: float


class HiddenCurve(Record):
    """Hidden representations against depth for one kind of layer; its weights' scale, null where they are of order 1/L.

    Measured is at most `band` away from L times the rate that is predicted; with weights of order 1/L it is the bound
    that is predicted.
    """

    kind: Literal["plain", "residual", "resnext"]
    scale: float | None
    width: int
    band: float
    points: tuple[HiddenPoint, ...]


class SpectrumGrowth(Record):
    """The spectra of several depths, the norm |D - A|, and for each depth the share of moduli up to it."""

    width: int
    edge: float
    shares: tuple[float, ...]
    spectra: tuple[DenseSpectrum, ...]


class Figures(Record):
    """What the figures are drawn from: all but the blocks are measured, on the data where it does not say otherwise.

    The data have this width and number. Some figures take their first components only, and say how many.
    """

    width: int
    samples: int
    blocks: tuple[Blocks, ...]
    condition_numbers: tuple[ConditionNumbers, ...]
    spectra: tuple[DenseSpectrum, ...]
    errors: tuple[ErrorCurve, ...]
    norms: tuple[NormCurve, ...] = ()
    sphere: SpherePath | None = None
    deep_condition_numbers: tuple[DeepConditionNumbers, ...] = ()
    growth: SpectrumGrowth | None = None
    hidden: tuple[HiddenCurve, ...] = ()


class MachineRecord(Record):
    """Where it ran; the report prints it between `measured` markers."""

    python: str
    platform: str
    device: str
    packages: dict[str, str]
    seconds: float


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


class Results(Proved):
    """results.json: what the report is rendered from."""

    ledger: Ledger
    data: DataRecord
    seed: int
    figures: Figures
    catalogue: tuple[CatalogueEntry, ...] = ()
    environment: MachineRecord


def record(statement: Statement, result: Result) -> StatementRecord:
    """A statement and its result as one record."""
    return StatementRecord(
        id=statement.id,
        title=statement.title,
        subject=statement.subject,
        kind=statement.kind,
        file=file_of(statement),
        source=statement.source,
        sentence=statement.sentence,
        latex=statement.latex,
        hypotheses=result.hypotheses,
        uses=statement.uses,
        errata=statement.errata,
        notes=statement.notes,
        verdict=result.verdict,
        scope=result.scope,
        all_sizes=result.all_sizes,
        fully_proved=result.fully_proved,
        reason=result.reason,
        seconds=result.seconds,
        clauses=result.clauses,
        evidence=result.evidence,
        assumptions=result.assumptions,
        kernel=checked(statement.id),
    )


def ledger_of(title: str, statements: Sequence[Statement]) -> Ledger:
    """A ledger of one paper of somebody's own: its statements as they come."""
    entries = tuple(LedgerEntry(id=one.id, title=one.title) for one in statements)
    section = Section(title="Statements", entries=entries)
    return Ledger(theorem_2=(), papers=(Paper(slug="paper", title=title, about="", notation=(), sections=(section,)),))


def ledger() -> Ledger:
    """The shipped list of all that is to be verified."""
    return Ledger.model_validate_json(LEDGER.read_text(encoding="utf-8"))


def schema() -> str:
    """The JSON schema of results.json."""
    described = TypeAdapter(Results).json_schema(mode="serialization")
    return f"{json.dumps(described, indent=2, sort_keys=True)}\n"


def spectrum_schema() -> str:
    """The JSON schema of what `resproof spectrum --json` prints."""
    described = TypeAdapter(SpectrumRecord).json_schema(mode="serialization")
    return f"{json.dumps(described, indent=2, sort_keys=True)}\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
    SPECTRUM_SCHEMA.write_text(spectrum_schema(), encoding="utf-8")
    CHECK_SCHEMA.write_text(check_schema(), encoding="utf-8")
