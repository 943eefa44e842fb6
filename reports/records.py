"""What every record is, and those of data and spectra, which several others hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from proofs.block.spectrum import Spectrum

if TYPE_CHECKING:
    from proofs.statement import Data
    from reports.figures.svg import ShownFigure


class AsJson:
    """What is written as JSON."""

    __slots__ = ()

    def to_json(self) -> str:
        """Indented JSON that ends in a newline."""
        return f"{TypeAdapter(type(self)).dump_json(self, indent=2).decode()}\n"

    @classmethod
    def described(cls) -> str:
        """The JSON schema of `to_json`."""
        return f"{json.dumps(TypeAdapter(cls).json_schema(mode='serialization'), indent=2, sort_keys=True)}\n"


class Record(AsJson, BaseModel):
    """Plain data without extra keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Excerpt(BaseModel):
    """Plain data of which the report reads a part; other keys may be there."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def all_in(cls, folder: Path) -> tuple[dict[str, Self], tuple[str, ...]]:
        """What the .json files of a folder hold, by their names; and the files that hold no such thing."""
        found: dict[str, Self] = {}
        unreadable: list[str] = []
        for path in sorted(folder.glob("*.json")):
            try:
                found[path.name] = cls.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                unreadable.append(path.name)
        return found, tuple(unreadable)


class DataRecord(Record):
    """What the evidence ran on."""

    name: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, data: Data) -> DataRecord:
        """The name of the data and the shape of X."""
        return cls(name=data.name, shape=tuple(int(size) for size in data.X.shape))

    @property
    def shown(self) -> str:
        """The name and the shape."""
        return f"{self.name} ({' x '.join(map(str, self.shape))})"


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
        from reports.check_page import spectrum_figure
        from reports.figures.svg import styled

        return styled(partial(spectrum_figure, self))

    def __repr__(self) -> str:
        """What it is of, and the signs and extremes."""
        signs = f"{self.negative} negative, {self.zero} zero, {self.positive} positive" if self.zero is not None else ""
        ends = f"from {self.extremes.smallest:.6g} to {self.extremes.largest:.6g}" if self.extremes else ""
        return f"<{self.architecture}, R = {self.units}: {'; '.join(filter(None, (signs, ends))) or 'no eigenvalues'}>"

    __str__ = __repr__

    def _repr_markdown_(self) -> str:
        from reports.spectrum import rows_of

        rows = "\n".join(f"| {name} | {value} |" for name, value in rows_of(self).items())
        return f"| | |\n|---|---:|\n{rows}\n"
