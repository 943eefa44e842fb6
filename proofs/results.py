"""What comes out of a run: steps, results and their verdicts; plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from architectures.scope import Scope
from proofs.statement import Measurement

Verdict: TypeAlias = Literal["PROVED", "OBSERVED", "REFUTED", "REPAIRED", "FAILED", "OPEN", "ERROR"]
VERDICTS: tuple[Verdict, ...] = ("PROVED", "OBSERVED", "REFUTED", "REPAIRED", "FAILED", "OPEN", "ERROR")

Outcome: TypeAlias = Literal["passed", "failed", "error", "unavailable"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step that ran: what it did, for which sizes, what it found and which neighbours it rejected.

    `base_of` is the size over which it is the base of an induction.
    """

    title: str
    route: str
    outcome: Outcome
    sizes: Scope = field(default_factory=Scope)
    base_of: str = ""
    shown: str = ""
    explanation: str = ""
    latex: str = ""
    rejected: tuple[str, ...] = ()
    message: str = ""
    measurements: tuple[Measurement, ...] = ()
    seconds: float = 0.0

    @property
    def scope(self) -> str:
        """Its sizes as text."""
        return str(self.sizes)


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """The verdict on one sentence, the sizes that its steps cover together, and the steps."""

    sentence: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    reason: str
    steps: tuple[Step, ...]
    unavailable: bool = False


def steps_of(clauses: Iterable[ClauseResult]) -> tuple[Step, ...]:
    """The steps of all clauses, one after the other."""
    return tuple(step for one in clauses for step in one.steps)


@dataclass(frozen=True, slots=True)
class CounterexampleResult:
    """The instance as text, its hypotheses with what each evaluated to, and the steps of both routes."""

    sentence: str
    latex: str
    instance: str
    hypotheses: tuple[tuple[str, bool], ...]
    steps: tuple[Step, ...]
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The corrected statement, the verdict on it and the steps of its proof."""

    sentence: str
    latex: str
    adds: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    clauses: tuple[ClauseResult, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its clauses."""
        return steps_of(self.clauses)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one statement and everything that led to it; plain data.

    `reason` says why it is FAILED, OPEN, ERROR or incomplete; `unavailable` whether it is OPEN only because something optional
    is missing. `fully_proved` is None until proofs.runs has looked at what the statement uses, or cannot know.
    """

    id: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    seconds: float
    reason: str = ""
    clauses: tuple[ClauseResult, ...] = ()
    evidence: tuple[Step, ...] = ()
    counterexample: CounterexampleResult | None = None
    repair: RepairResult | None = None
    assumptions: tuple[str, ...] = ()
    unavailable: bool = False
    fully_proved: bool | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its clauses."""
        return steps_of(self.clauses)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every number that was measured."""
        return tuple(one for step in self.evidence for one in step.measurements)
