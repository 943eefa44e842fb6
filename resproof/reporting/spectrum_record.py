"""The record of a spectrum: what `resproof spectrum` has found, and how a notebook shows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from resproof.proofs.block.spectrum import Spectrum
from resproof.reporting.records import AsJson, DataRecord, Record, later

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SpectrumRecord(Spectrum, AsJson):
    """What `resproof spectrum --json` prints; null means not computed or not listed, and `notes` say why.

    With `ranges` the extremes are Ritz values: what is proved is that they lie in these.
    """

    __pydantic_config__ = Record.model_config

    schema_version: Literal[1] = 1
    architecture: str
    expression: str
    loss: str
    data: DataRecord
    sizes: dict[str, int]

    def plot(self) -> ShownFigure:
        """The eigenvalues, ascending, against the share of all, as a matplotlib figure."""
        return later("figures.svg", "styled")(partial(later("check_page", "spectrum_figure"), self))

    def __repr__(self) -> str:
        """What it is of, and the signs and extremes."""
        signs = f"{self.negative} negative, {self.zero} zero, {self.positive} positive" if self.zero is not None else ""
        ends = f"from {self.extremes.smallest:.6g} to {self.extremes.largest:.6g}" if self.extremes else ""
        return f"<{self.architecture}, R = {self.units}: {'; '.join(filter(None, (signs, ends))) or 'no eigenvalues'}>"

    __str__ = __repr__

    def _repr_markdown_(self) -> str:
        return f"{later('spectrum', 'facts')(self).markdown}\n"
