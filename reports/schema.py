"""results.json as typed records, and its JSON schema, which is shipped as results.schema.json.

`python -m reports.schema` writes the schema anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from proofs.parts import Kind, Source, Statement
from proofs.results import CounterexampleResult, RepairResult, Result, Step, Verdict

SCHEMA_VERSION = 1
SCHEMA = Path(__file__).with_name("results.schema.json")
LEDGER = Path(__file__).with_name("ledger.json")


class Record(BaseModel):
    """Plain data without extra keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class StatementRecord(Record):
    """A statement as printed, its verdict and everything that led to it."""

    id: str
    title: str
    subject: str
    kind: Kind
    source: Source | None
    sentence: str
    latex: str
    hypotheses: tuple[str, ...]
    uses: tuple[str, ...]
    errata: tuple[str, ...]
    notes: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    fully_proved: bool | None
    reason: str
    seconds: float
    steps: tuple[Step, ...]
    evidence: tuple[Step, ...]
    counterexample: CounterexampleResult | None
    repair: RepairResult | None
    assumptions: tuple[str, ...]


class Entry(Record):
    """A statement that is to be verified, attempted or not."""

    id: str
    title: str


class Section(Record):
    """The statements of one document or topic."""

    title: str
    entries: tuple[Entry, ...]


class Ledger(Record):
    """All that is to be verified, and which entries make up Theorem 2."""

    theorem_2: tuple[str, ...]
    sections: tuple[Section, ...]


class DataRecord(Record):
    """What the evidence ran on."""

    name: str
    shape: tuple[int, ...]


class Environment(Record):
    """Where it ran; the report prints it between `measured` markers."""

    python: str
    platform: str
    device: str
    packages: dict[str, str]
    seconds: float


class Proved(Record):
    """What `resproof prove --json` prints."""

    schema_version: Literal[1]
    statements: tuple[StatementRecord, ...]


class Results(Proved):
    """results.json: what the report is rendered from."""

    ledger: Ledger
    data: DataRecord
    seed: int
    environment: Environment


def record(statement: Statement, result: Result) -> StatementRecord:
    """A statement and its result as one record."""
    return StatementRecord(
        id=statement.id,
        title=statement.title,
        subject=statement.subject,
        kind=statement.kind,
        source=statement.source,
        sentence=statement.sentence,
        latex=statement.latex,
        hypotheses=tuple(hypothesis.sentence for hypothesis in statement.hypotheses),
        uses=statement.uses,
        errata=statement.errata,
        notes=statement.notes,
        verdict=result.verdict,
        scope=result.scope,
        all_sizes=result.all_sizes,
        fully_proved=result.fully_proved,
        reason=result.reason,
        seconds=result.seconds,
        steps=result.steps,
        evidence=result.evidence,
        counterexample=result.counterexample,
        repair=result.repair,
        assumptions=result.assumptions,
    )


def ledger() -> Ledger:
    """The shipped list of all that is to be verified."""
    return Ledger.model_validate_json(LEDGER.read_text(encoding="utf-8"))


def to_json(results: Proved) -> str:
    """`results` as indented JSON that ends in a newline."""
    return f"{results.model_dump_json(indent=2)}\n"


def from_json(text: str) -> Results:
    """The inverse of `to_json` for a whole results.json."""
    return Results.model_validate_json(text)


def schema() -> str:
    """The JSON schema of results.json."""
    described = TypeAdapter(Results).json_schema(mode="serialization")
    return f"{json.dumps(described, indent=2, sort_keys=True)}\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
