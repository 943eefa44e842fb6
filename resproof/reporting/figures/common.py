"""What a figure is, and what several of them share: colours, markers, ticks, how numbers are rounded.

Loaded with the records of results.json: matplotlib is imported by what draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from resproof.proofs.formulas import literal
from resproof.proofs.statement import Context

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

COLOURS = {1: "#d55e00", 2: "#0072b2", 3: "#009e73"}
"""Of shortcut depths n."""
NETWORKS = {"PlainNet": "#e69f00", "ResNet": COLOURS[2], "ResNeXt": COLOURS[3], "DiracNet": COLOURS[1]}
"""The colour that each kind of network has in every figure; those of *Identity Matters* are a plain and a ResNet."""
MARKERS = {1: "o", 2: "s"}
COMPONENTS = 3
"""How many components of the data the Hessians at great depths are of."""
WORK = 2e7
"""At most this many n R d^3, what the digits take at R = 10^4: a linear network sees d columns."""

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
    """A figure: its file, the paper on whose page it stands, how its data are measured, drawn and told.

    `size` is in inches. `measure` returns None, or what `drawable` refuses, where the figure is to be left out.
    """

    file: str
    paper: str
    size: tuple[float, float]
    measure: Callable[[Context], T | None]
    draw: Callable[[Figure, T], None]
    caption: Callable[[T, Results], Caption]
    drawable: Callable[[T], bool] = bool


def first_components(context: Context) -> tuple[Any, Any]:
    """The first components of the data."""
    return context.data.X[:COMPONENTS], context.data.Y[:COMPONENTS]


def rounded(value: float) -> float:
    """Six digits: more than a figure shows."""
    return float(f"{value:.6g}")


def panels(figure: Figure, count: int) -> list[Any]:
    """So many axes, two in a row, so that a phone shows their letters in a size that can be read."""
    grid = figure.subplots(-(-count // 2), 2, squeeze=False).ravel()
    for spare in grid[count:]:
        spare.remove()
    return [*grid[:count]]


def depth_ticks(axes: Any, depths: Sequence[int]) -> None:
    """Ticks at these depths and nowhere else."""
    axes.set_xticks(depths, [f"{depth}" for depth in depths])
    axes.minorticks_off()


def columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """All first coordinates, all second ones."""
    return [x for x, _ in points], [y for _, y in points]


def on_data(results: Results) -> str:
    """Where the numbers of most figures come from."""
    sizes = f"$d = {results.figures.width}$, $m = {results.figures.samples}$"
    return f"Linear networks on {literal(results.data.name)} ({sizes})"


def on_components(results: Results, width: int) -> str:
    """Which data those figures are of that take the first components only."""
    return f"the first {width} components of {literal(results.data.name)} ($m = {results.figures.samples}$)"
