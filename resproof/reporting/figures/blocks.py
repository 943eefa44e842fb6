"""Where the Hessian at zero is not zero: exact Hessians of small linear networks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Context
from resproof.reporting.figures.common import COLOURS, Caption, ReportFigure
from resproof.reporting.records import Record
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = 3
_X = ((Fraction(1), Fraction(2)), (Fraction(-1), Fraction(3, 2)))
_Y = ((Fraction(1, 2), Fraction(-1)), (Fraction(1), Fraction(3)))


class ExactBlocks(Record):
    """The exact Hessian of a small linear network; each row as fractions with spaces between them."""

    n: int
    units: int
    width: int
    samples: int
    rows: tuple[str, ...]


def _measured(_: Context) -> tuple[ExactBlocks, ...]:
    return tuple(map(_blocks, (1, 2, 3)))


def _blocks(n: int) -> ExactBlocks:
    """The exact Hessian of three linear units on two rational samples."""
    network = Network(ResidualUnit(n_shortcut(n)), UNITS)
    hessian = hessian_at_initial_point(network, {"d": len(_X)}, data=Instance(_X, _Y))
    entries = {place: next(iter(hessian.ring.plain(value).values())) for place, value in hessian.entries().items()}
    count = range(hessian.parameters)
    rows = tuple(" ".join(str(entries.get((i, j), 0)) for j in count) for i in count)
    return ExactBlocks(n=n, units=UNITS, width=len(_X), samples=len(_X[0]), rows=rows)


def _moduli(blocks: ExactBlocks) -> list[list[Fraction]]:
    return [[abs(Fraction(entry)) for entry in row.split()] for row in blocks.rows]


def _draw(figure: Figure, found: Sequence[ExactBlocks]) -> None:
    for axes, blocks in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
        _draw_blocks(axes, blocks)


def _draw_blocks(axes: Any, blocks: ExactBlocks) -> None:
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    entries = _moduli(blocks)
    count, whole = len(entries), max(max(map(max, entries)), Fraction(1))
    unit, weight = count // blocks.units, count // blocks.units // blocks.n
    for i, row in enumerate(entries):
        for j, value in enumerate(row):
            if value:
                shade = 0.15 + 0.7 * float(value / whole)
                axes.add_patch(Rectangle((j, i), 1, 1, facecolor=COLOURS[2], alpha=shade, linewidth=0))
    for k in range(0, count + 1, weight):
        heavy = k % unit == 0
        for line in (axes.axhline, axes.axvline):
            line(k, color="#333333" if heavy else "#bbbbbb", linewidth=1.1 if heavy else 0.6, zorder=3, clip_on=False)
    for name, row, column, size in _labels(blocks, unit, weight):
        zero = name == "0"
        text = axes.text(
            column, row, f"${name}$", ha="center", va="center", fontsize=size, color="#777777" if zero else "black"
        )
        text.set_zorder(4)
        if not zero:
            text.set_path_effects([withStroke(linewidth=3, foreground="white")])
    axes.set(xlim=(0, count), ylim=(count, 0), aspect="equal", xticks=[], yticks=[])
    axes.set_title(f"$n = {blocks.n}$,  {count} parameters")
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


def _labels(blocks: ExactBlocks, unit: int, weight: int) -> list[tuple[str, float, float, float]]:
    """The name of every block of units, for n = 2 of the weights' blocks on the diagonal; 0 where it vanishes."""
    entries, found = _moduli(blocks), []
    for r in range(blocks.units):
        for s in range(blocks.units):
            inside = blocks.n == 2 and r == s
            step = weight if inside else unit
            for i in range(r * unit, (r + 1) * unit, step):
                for j in range(s * unit, (s + 1) * unit, step):
                    zero = not any(any(row[j : j + step]) for row in entries[i : i + step])
                    name = "0" if zero else "B" if i == j else "A" if i > j else r"A^\mathsf{T}"
                    found.append((name, i + step / 2, j + step / 2, 10.0 if inside else 13.0))
    return found


def _caption(found: Sequence[ExactBlocks], _: Results) -> Caption:
    sizes = f"$R = {found[0].units}$, $d = {found[0].width}$, $m = {found[0].samples}$"
    return Caption(
        "Where the Hessian at zero is not zero",
        f"{'; '.join(map(_seen, found))}.",
        "",
        f"Moduli of the entries of exact Hessians of linear networks on rational data, {sizes}; "
        "darker is larger, heavy lines bound the units, light lines their weights.",
    )


def _seen(one: ExactBlocks) -> str:
    """Which blocks occur, counted."""
    entries = _moduli(one)
    unit = len(entries) // one.units
    outside = any(v for i, row in enumerate(entries) for j, v in enumerate(row) if i // unit != j // unit)
    anywhere = any(map(any, entries))
    seen = "all units interact" if outside else "no two units interact" if anywhere else "the Hessian vanishes"
    return f"$n = {one.n}$: {seen}"


FIGURE = ReportFigure("blocks.svg", "demystifying-resnet", (8.4, 3.1), _measured, _draw, _caption)
