"""What `resproof check --json` prints, and where its JSON schema is shipped."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from resproof.proofs.block.check import Alternative, DepthRow, Requirement, WeightRole
from resproof.proofs.block.kinds import KindOfUnit, PairOfKinds
from resproof.proofs.block.scales import ScaleLaw
from resproof.proofs.block.shared import SharedLaw
from resproof.proofs.block.spectrum import ConditionNumber
from resproof.proofs.results import Verdict
from resproof.proofs.statement import Measurement
from resproof.proofs.theory.regimes import Regime
from resproof.reporting import REPORTS
from resproof.reporting.records import DataRecord, Record, later
from resproof.reporting.spectrum_record import SpectrumRecord
from resproof.symbolic.scope import Scope

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure

CHECK_SCHEMA = REPORTS / "check.schema.json"


class GrowthRecord(Record):
    """|A|, |D| and |D - A| on the data; from R = onset on the largest eigenvalue exceeds that of one unit."""

    norm_a: float
    norm_d: float
    norm_difference: float
    onset: int


class GeneralRecord(Record):
    """A general statement on this architecture; without a verdict it does not apply, and `reason` says why."""

    id: str
    title: str = ""
    verdict: Verdict | None = None
    scope: str = ""
    reason: str
    measurements: tuple[Measurement, ...] = ()
    sizes: tuple[Scope, ...] = ()


class ImportedWeightRecord(Record):
    """A weight, and the part of a module's parameter that it is."""

    weight: str
    parameter: str


class ModuleRecord(Record):
    """Where the expression was read from, and how closely the two agree at random weights."""

    library: str
    input: tuple[int, ...]
    sizes: dict[str, int]
    weights: tuple[ImportedWeightRecord, ...]
    unread: tuple[str, ...]
    agreement: tuple[Measurement, ...]


class CheckRecord(Record):
    """What `resproof check --json` prints; null means not computed, as where a hypothesis fails.

    `holds`: there is a Hessian, what was found is confirmed, and every property asked for is there.

    `expression_lines` and `form_lines` are `expression`, and `branch`, `diagonal` and `cross`, for a reader: where
    these are long, their parts have names.

    `regime` is for every size and data in general position, `regime_at_sizes` at the sizes given, for any data,
    `regime_on_data` on the data given. `unconfirmed` says what the program could not confirm of its own findings.
    `diagram` is the unit in Mermaid, empty where it would be too large to read.
    `module` says where the expression was read from, where that was a module. For a pattern of units of several kinds,
    `kinds` and `pairs` are these, alone and one behind another, and `units` counts the repetitions of the pattern. With
    a `scale` in front of the branches the regimes say which blocks are zero, and it how the Hessian depends on depth.
    `shared`: what the Hessian in the one set of weights that all units share does with depth; `parameters` are then one
    unit's.
    """

    schema_version: Literal[1]
    architecture: str
    expression: str
    expression_lines: tuple[str, ...]
    form_lines: tuple[str, ...]
    latex: str
    verdict: str
    holds: bool
    reason: str
    loss: str
    data: DataRecord
    units: int
    width: int
    sizes: dict[str, int]
    parameters: int
    branch_order: int | None
    regime: Regime | None
    regime_at_sizes: Regime | None
    regime_on_data: Regime | None
    unconfirmed: tuple[str, ...]
    stationary_order_in_general: int | None
    stationary_order: int | str | None
    branch: str | None
    diagonal: str | None
    cross: str | None
    branch_latex: str | None
    diagonal_latex: str | None
    cross_latex: str | None
    depth_invariant: bool | None
    strict_saddle: bool | None
    condition_number: ConditionNumber
    pseudo_condition_number: float | None
    weights: tuple[WeightRole, ...]
    alternatives: tuple[Alternative, ...]
    growth: GrowthRecord | None
    depths: tuple[DepthRow, ...]
    statements: tuple[GeneralRecord, ...]
    requirements: tuple[Requirement, ...]
    spectrum: SpectrumRecord | None
    diagram: str = ""
    module: ModuleRecord | None = None
    kinds: tuple[KindOfUnit, ...] = ()
    pairs: tuple[PairOfKinds, ...] = ()
    scale: ScaleLaw | None = None
    shared: SharedLaw | None = None

    @property
    def places(self) -> int:
        """How many units the pattern has."""
        return sum(len(kind.places) for kind in self.kinds)

    @property
    def repeated(self) -> str:
        """The depth in words."""
        if not self.kinds:
            return f"{self.units} units"
        return f"{self.units} repetition{'s' if self.units > 1 else ''} of {self.places} units"

    def plot(self) -> ShownFigure:
        """Eigenvalues at this depth, and the condition number against depth, as a matplotlib figure.

        Raises:
            ValueError: there is no Hessian to draw; the message says why.
        """
        if self.spectrum is None:
            raise ValueError(f"{self.architecture}: nothing to draw: {self.reason}")
        return later("figures.svg", "styled")(partial(later("check_page", "figure"), self))

    def __repr__(self) -> str:
        """What was found, and what does not hold."""
        broken = [f"{one.asked}: {one.reason}" for one in self.requirements if not one.holds] or [self.reason] * (
            not self.holds
        )
        return f"<{'. '.join(line.rstrip('.') for line in (self.verdict, *self.unconfirmed, *broken) if line)}>"

    __str__ = __repr__

    def _repr_markdown_(self) -> str:
        return later("check_page", "markdown_of")(self)
