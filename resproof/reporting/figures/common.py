"""What a figure of the report is, and what several of them say alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from resproof.proofs.formulas import literal
from resproof.reporting.figures.panels import Picture
from resproof.reporting.schema import Results

T = TypeVar("T")


class Caption(NamedTuple):
    """Of one figure: a title, what one sees, in general and in numbers, what it was drawn from; its paper and file."""

    title: str
    text: str
    measured: str
    source: str
    paper: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class ReportFigure(Generic[T]):
    """A figure: its file, the paper on whose page it stands, how its data are drawn and told.

    Data that `drawable` refuses leave it out.
    """

    file: str
    paper: str
    picture: Callable[[T], Picture]
    caption: Callable[[T, Results], Caption]
    drawable: Callable[[T], bool] = bool


def on_data(results: Results) -> str:
    """Where the numbers of most figures come from."""
    sizes = f"$d = {results.figures.width}$, $m = {results.figures.samples}$"
    return f"Linear networks on {literal(results.data.name)} ({sizes})"


def on_components(results: Results, width: int) -> str:
    """Which data those figures are of that take the first components only."""
    return f"the first {width} components of {literal(results.data.name)} ($m = {results.figures.samples}$)"
