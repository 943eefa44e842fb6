"""What comes out of a run: steps, results and their verdicts; plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from resproof.proofs.changes import Change
from resproof.proofs.pictures import Plot
from resproof.proofs.statement import Measurement
from resproof.symbolic.scope import Scope

Verdict: TypeAlias = Literal["PROVED", "OBSERVED", "REFUTED", "REPAIRED", "FAILED", "OPEN", "ERROR"]
VERDICTS: tuple[Verdict, ...] = ("PROVED", "OBSERVED", "REFUTED", "REPAIRED", "FAILED", "OPEN", "ERROR")

Outcome: TypeAlias = Literal["passed", "failed", "error", "unavailable"]
ReadingKind: TypeAlias = Literal["word for word", "erratum", "exception", "sense"]
READINGS: tuple[ReadingKind, ...] = ("word for word", "erratum", "exception", "sense")


@dataclass(frozen=True, slots=True)
class Step:
    """One step that ran: what it did, for which sizes, what it found and which neighbours it rejected.

    `base_of` is the size over which it is the base of an induction; `file` and `function` are where it is computed, the
    function empty where it has no name. `written`: what is shown stands in the source as it is, and was not printed from
    the computed object.
    """

    title: str
    route: str
    outcome: Outcome
    file: str = ""
    function: str = ""
    sizes: Scope = field(default_factory=Scope)
    base_of: str = ""
    shown: str = ""
    written: bool = False
    explanation: str = ""
    latex: str = ""
    rejected: tuple[str, ...] = ()
    message: str = ""
    measurements: tuple[Measurement, ...] = ()

    @property
    def scope(self) -> str:
        """Its sizes as text."""
        return str(self.sizes)


@dataclass(frozen=True, slots=True)
class ReadingResult:
    """How a clause is read where it is not word for word, the words that settle it, and the steps that show why."""

    kind: ReadingKind
    sentence: str
    quote: str = ""
    where: str = ""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """A hypothesis, whether the source prints it, the step that shows what fails without it, and the words that print it."""

    sentence: str
    printed: bool = True
    needed: Step | None = None
    quote: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """The verdict on one sentence, how it is read, the sizes that its steps cover together, and the steps.

    `unsettled`: it is said to be OPEN, and nothing was offered. `sizes` are what `scope` tells in words. `ours`: no
    document prints it.
    """

    sentence: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    reason: str
    steps: tuple[Step, ...]
    unavailable: bool = False
    unsettled: bool = False
    reading: ReadingResult | None = None
    hypotheses: tuple[HypothesisResult, ...] = ()
    counterexample: CounterexampleResult | None = None
    repair: RepairResult | None = None
    other_readings: tuple[ClauseResult, ...] = ()
    changes: tuple[Change, ...] = ()
    sizes: tuple[Scope, ...] = ()
    ours: bool = False

    @property
    def changed(self) -> tuple[Change, ...]:
        """What it and its repair change in the printed words."""
        return (*self.changes, *(self.repair.changes if self.repair else ()))

    @property
    def everything(self) -> tuple[Step, ...]:
        """The steps for it, against it, and of its other readings."""
        return (
            *self.steps,
            *(self.reading.steps if self.reading else ()),
            *(one.needed for one in self.hypotheses if one.needed),
            *(self.counterexample.steps if self.counterexample else ()),
            *(self.repair.everything if self.repair else ()),
            *(step for other in self.other_readings for step in other.everything),
        )


def steps_of(clauses: Iterable[ClauseResult]) -> tuple[Step, ...]:
    """The steps of all clauses, one after the other."""
    return tuple(step for one in clauses for step in one.steps)


def readings_of(clauses: Iterable[ClauseResult]) -> tuple[ReadingKind, ...]:
    """The ways in which clauses are read, each once, word for word first."""
    found = {one.reading.kind if one.reading else "word for word" for one in clauses}
    return tuple(kind for kind in READINGS if kind in found)


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
    picture: Plot | None = None


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The corrected statement, the verdict on it and the steps of its proof."""

    sentence: str
    setting: str
    latex: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    clauses: tuple[ClauseResult, ...]
    changes: tuple[Change, ...] = ()
    sizes: tuple[Scope, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its clauses."""
        return steps_of(self.clauses)

    @property
    def everything(self) -> tuple[Step, ...]:
        """The steps for its clauses and of their readings."""
        return tuple(step for one in self.clauses for step in one.everything)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one statement and everything that led to it; plain data.

    `reason` says why it is FAILED, OPEN, ERROR or incomplete; `unavailable` whether it is OPEN only because something optional
    is missing. `fully_proved` is None until resproof.proofs.runs has looked at what the statement uses, or cannot know.
    """

    id: str
    verdict: Verdict
    scope: str
    all_sizes: bool
    seconds: float = 0.0
    reason: str = ""
    hypotheses: tuple[HypothesisResult, ...] = ()
    clauses: tuple[ClauseResult, ...] = ()
    evidence: tuple[Step, ...] = ()
    assumptions: tuple[str, ...] = ()
    unavailable: bool = False
    fully_proved: bool | None = None
    sizes: tuple[Scope, ...] = ()

    @property
    def unsettled(self) -> bool:
        """Whether it is OPEN only because clauses are said to be."""
        left = [one for one in self.clauses if one.verdict == "OPEN"]
        return self.verdict == "OPEN" and bool(left) and all(one.unsettled for one in left)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its clauses."""
        return steps_of(self.clauses)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every number that was measured."""
        return tuple(one for step in self.evidence for one in step.measurements)
