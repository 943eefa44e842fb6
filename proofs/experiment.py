"""What an experiment is: runs, and criteria fixed before they run; its verdict is computed from what the runs found.

A *sweep* is a list of runs, each of them parameters and one call, and gives plain data. Several experiments may look at one sweep.
A *criterion* is a sentence and a predicate on what the runs found, with *falsehoods*: what would have been found, were the
sentence false. It has to reject every one of them; a criterion that cannot fail judges nothing.

    OBSERVED        every criterion holds
    NOT OBSERVED    one of them does not, and what was seen instead is told
    FAILED          a criterion that holds accepts a falsehood
    INCOMPLETE      runs are missing

What is observed is evidence of one protocol, on one set of data, and no proof. Titles, descriptions, protocols, criteria and
what was seen are texts with formulas in them (`proofs.formulas`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from resproof.proofs.formulas import readable
from resproof.proofs.statement import Data, Source

Scale: TypeAlias = Literal["default", "paper"]
"""How large an experiment is: what two cores do in minutes, or what the papers ran."""
ExperimentVerdict: TypeAlias = Literal["OBSERVED", "NOT OBSERVED", "FAILED", "INCOMPLETE"]
Parameters: TypeAlias = Mapping[str, Any]
"""Of a run: plain data."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that has ended: its parameters, and what it found; both plain data."""

    parameters: Parameters
    found: Mapping[str, Any]

    def but(self, **found: Any) -> Ran:
        """The same run, had it found something else."""
        return Ran(self.parameters, {**self.found, **found})


Runs: TypeAlias = Mapping[str, Ran]
"""The runs of a sweep by their names."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Runs by their names; `call` is a function of a module, so that it can be sent to another process.

    `trained` says that networks are trained, `images` that it takes the images behind the data.
    """

    name: str
    runs: Callable[[Scale], Mapping[str, Parameters]]
    call: Callable[[Data, Parameters], Mapping[str, Any]]
    trained: bool = True
    images: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """Whether a criterion holds, and what was seen."""

    holds: bool
    what: str

    def __post_init__(self) -> None:
        readable(self.what)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A sentence about the runs, and whether it holds; `falsehoods` are runs in which it would not."""

    sentence: str
    look: Callable[[Runs], Seen]
    falsehoods: Mapping[str, Callable[[Runs], Runs]]

    def __post_init__(self) -> None:
        readable(self.sentence, *self.falsehoods)


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of a paper: what the paper describes, how it is done here, and by what it is judged."""

    id: str
    title: str
    source: Source
    described: str
    protocol: str
    sweep: Sweep
    criteria: tuple[Criterion, ...]
    remark: str = ""
    """Where theory and experiment meet, or part."""

    def __post_init__(self) -> None:
        readable(self.title, self.described, self.protocol, self.remark)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and for each criterion whether it held and what was seen."""

    verdict: ExperimentVerdict
    findings: tuple[tuple[str, Seen], ...] = ()
    accepted: tuple[str, ...] = ()


def judge(experiment: Experiment, runs: Runs, scale: Scale) -> Judged:
    """The verdict on runs of this scale; those beyond the protocol do not count."""
    wanted = experiment.sweep.runs(scale)
    if not wanted.keys() <= runs.keys():
        return Judged("INCOMPLETE")
    mine = {name: runs[name] for name in wanted}
    findings = tuple((one.sentence, one.look(mine)) for one in experiment.criteria)
    accepted = tuple(
        f"{one.sentence} {name}"
        for one, (_, seen) in zip(experiment.criteria, findings, strict=True)
        if seen.holds
        for name, falsify in one.falsehoods.items()
        if one.look(falsify(mine)).holds
    )
    if accepted:
        return Judged("FAILED", findings, accepted)
    return Judged("OBSERVED" if all(seen.holds for _, seen in findings) else "NOT OBSERVED", findings)


def changed(runs: Runs, change: Callable[[Ran], Ran]) -> Runs:
    """The runs, had each found something else."""
    return {name: change(one) for name, one in runs.items()}


def exchanged(*kinds: str, beside: str = "layers") -> Callable[[Runs], Runs]:
    """What the first of these kinds found is found by the last, and so on, at the same value of the parameter `beside`."""
    other = dict(zip(kinds, reversed(kinds), strict=True))

    def falsify(runs: Runs) -> Runs:
        there = {(one.parameters["kind"], one.parameters[beside]): one.found for one in runs.values()}

        def change(one: Ran) -> Ran:
            kind = one.parameters["kind"]
            return Ran(one.parameters, there[other.get(kind, kind), one.parameters[beside]])

        return changed(runs, change)

    return falsify


def digits10(values: Any) -> Any:
    """Numbers, and lists of them, to ten significant digits; what is not finite is None."""
    if isinstance(values, Mapping):
        return {key: digits10(value) for key, value in values.items()}
    if isinstance(values, str):
        return values
    if isinstance(values, Sequence):
        return [digits10(value) for value in values]
    if hasattr(values, "tolist"):
        return digits10(values.tolist())
    if isinstance(values, float):
        return float(f"{values:.10g}") if abs(values) < float("inf") else None
    return values
