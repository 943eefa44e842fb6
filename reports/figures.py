"""results.json to SVG: every figure is drawn from the results alone, and the same results give the same bytes.

Text is drawn as paths in the fonts that come with matplotlib, on white, without date or version. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; shortcut depths also differ in their markers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from io import StringIO
from typing import Any, NamedTuple

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from reports.markdown import number
from reports.schema import Blocks, Figures, Results, Spectrum

_STYLE = {
    "svg.fonttype": "path",
    "svg.hashsalt": "resproof",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#444444",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
_COLOURS = {1: "#d55e00", 2: "#0072b2", 3: "#009e73"}
_MARKERS = {1: "o", 2: "s"}
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_BINS = 50


class Caption(NamedTuple):
    """Of one figure: its file, a title, what one sees, in general and in these numbers, and what it was drawn from."""

    file: str
    title: str
    text: str
    measured: str
    source: str


def figures(results: Results) -> dict[str, str]:
    """The SVG text of each figure by its file name; those without data are left out."""
    with matplotlib.style.context(["default", _STYLE]):
        return {name: _svg(draw(results.figures)) for name, draw, drawable in _ALL if drawable(results.figures)}


def captions(results: Results) -> list[Caption]:
    """What the report says about each figure that is drawn."""
    found, data = results.figures, results.data
    on_data = f"Linear networks on {data.name} (d = {found.width}, m = {found.samples})"
    told = {
        "blocks.svg": lambda: (
            "Where the Hessian at zero is not zero",
            _block_sentence(found.blocks),
            "",
            f"Moduli of the entries of exact Hessians of linear networks on rational data, {_sizes(found.blocks[0])}; "
            "darker is larger, heavy lines bound the units, light lines their weights.",
        ),
        "condition.svg": lambda: (
            "Condition number against depth",
            "At shortcut depth 2 the condition number is the same for every number of units, at shortcut depth 1 not.",
            _condition_sentence(found),
            f"{on_data}: eigenvalues of the dense Hessian, the product H v with every unit vector.",
        ),
        "spectrum.svg": lambda: (
            "Eigenvalues and how often they occur",
            "At shortcut depth 2 the spectrum is a few values, symmetric about zero, each many times over; "
            "at shortcut depth 1 it is spread out.",
            _spectrum_sentence(found.spectra),
            f"{on_data}, R = {found.spectra[0].units}: eigenvalues of the dense Hessian; closer than rounding resolves "
            "counts as equal.",
        ),
        "error.svg": lambda: (
            "Error against bound",
            "The product H v of the running network agrees with Theorem 2 to within the derived rounding bound, "
            "at every depth tried.",
            _error_sentence(found),
            f"{on_data}: greatest error of an entry of H v for a random v of norm one, and the bound derived for it.",
        ),
    }
    return [Caption(name, *told[name]()) for name, _, drawable in _ALL if drawable(found)]


# The figures.


def _block_structure(found: Figures) -> Figure:
    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    for axes, blocks in zip(figure.subplots(1, len(found.blocks), squeeze=False)[0], found.blocks, strict=True):
        _draw_blocks(axes, blocks)
    return figure


def _draw_blocks(axes: Any, blocks: Blocks) -> None:
    entries = _entries(blocks)
    count, whole = len(entries), max(max(map(max, entries)), Fraction(1))
    unit, weight = count // blocks.units, count // blocks.units // blocks.n
    for i, row in enumerate(entries):
        for j, value in enumerate(row):
            if value:
                shade = 0.15 + 0.7 * float(value / whole)
                axes.add_patch(Rectangle((j, i), 1, 1, facecolor=_COLOURS[2], alpha=shade, linewidth=0))
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


def _labels(blocks: Blocks, unit: int, weight: int) -> list[tuple[str, float, float, float]]:
    """The name of every block of units, for n = 2 of the weights' blocks on the diagonal; 0 where it vanishes."""
    entries, found = _entries(blocks), []
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


def _entries(blocks: Blocks) -> list[list[Fraction]]:
    return [[abs(Fraction(entry)) for entry in row.split()] for row in blocks.rows]


def _condition_numbers(found: Figures) -> Figure:
    figure = Figure(figsize=(6.0, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="condition number of the Hessian")
    for one in found.condition_numbers:
        points = [(p.units, p.value) for p in one.points if p.value is not None]
        if points:
            axes.plot(*_columns(points), color=_COLOURS[one.n], marker=_MARKERS[one.n], label=f"$n = {one.n}$")
    depths = [p.units for one in found.condition_numbers for p in one.points]
    _depth_ticks(axes, [2**k for k in range(max(depths).bit_length())])
    axes.legend(frameon=False)
    return figure


def _spectra(found: Figures) -> Figure:
    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    ordered = sorted(found.spectra, key=lambda one: -one.n)
    for axes, one in zip(figure.subplots(1, len(ordered), squeeze=False)[0], ordered, strict=True):
        values = [each.value for each in one.values]
        axes.set_title(f"$n = {one.n}$, $R = {one.units}$")
        axes.set_xlabel("eigenvalue")
        if len(values) <= _BINS:
            times = [each.multiplicity for each in one.values]
            axes.vlines(values, 0, times, color=_COLOURS[one.n], linewidth=1.3)
            axes.plot(values, times, linestyle="none", marker=_MARKERS[one.n], color=_COLOURS[one.n], markersize=3.5)
            axes.set_ylabel("multiplicity")
        else:
            each = [value for one_value in one.values for value in [one_value.value] * one_value.multiplicity]
            axes.hist(each, bins=_BINS, color=_COLOURS[one.n])
            axes.set_ylabel("eigenvalues in each bar")
        axes.axvline(0, color="#444444", linewidth=0.7)
        axes.set_ylim(bottom=0)
    return figure


def _errors(found: Figures) -> Figure:
    figure = Figure(figsize=(6.0, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="greatest entry of $|Hv - \\mathrm{claim}|$")
    for one in found.errors:
        colour, marker = _COLOURS[one.n], _MARKERS[one.n]
        bounds = [(p.units, p.bound) for p in one.points if p.bound > 0]
        errors = [(p.units, p.error) for p in one.points if p.error > 0]
        for points, style, what in ((bounds, "--", "bound"), (errors, "-", "measured")):
            if points:
                axes.plot(*_columns(points), style, color=colour, marker=marker, label=f"$n = {one.n}$, {what}")
    _depth_ticks(axes, sorted({p.units for one in found.errors for p in one.points}))
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _depth_ticks(axes: Any, depths: Sequence[int]) -> None:
    axes.set_xticks(depths, [f"{depth}" for depth in depths])
    axes.minorticks_off()


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


_ALL: tuple[tuple[str, Callable[[Figures], Figure], Callable[[Figures], bool]], ...] = (
    ("blocks.svg", _block_structure, lambda found: bool(found.blocks)),
    (
        "condition.svg",
        _condition_numbers,
        lambda found: any(p.value is not None for one in found.condition_numbers for p in one.points),
    ),
    ("spectrum.svg", _spectra, lambda found: bool(found.spectra)),
    ("error.svg", _errors, lambda found: any(p.bound > 0 for one in found.errors for p in one.points)),
)


def _svg(figure: Figure) -> str:
    written = StringIO()
    figure.savefig(written, format="svg", metadata=_NO_METADATA)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


# What one sees in them.


def _sizes(blocks: Blocks) -> str:
    return f"R = {blocks.units}, d = {blocks.width}, m = {blocks.samples}"


def _block_sentence(found: Sequence[Blocks]) -> str:
    """Which blocks occur for each shortcut depth, counted."""
    told = []
    for one in found:
        entries = _entries(one)
        unit = len(entries) // one.units
        outside = any(v for i, row in enumerate(entries) for j, v in enumerate(row) if i // unit != j // unit)
        anywhere = any(map(any, entries))
        seen = "all units interact" if outside else "no two units interact" if anywhere else "the Hessian vanishes"
        told.append(f"n = {one.n}: {seen}")
    return f"{'; '.join(told)}."


def _condition_sentence(found: Figures) -> str:
    told = []
    for one in found.condition_numbers:
        values = [(p.value, p.units) for p in one.points if p.value is not None]
        if values:
            (least, _), (greatest, at) = min(values), max(values)
            depths = f"R = {one.points[0].units}..{one.points[-1].units}"
            constant = number(least) == number(greatest)
            between = number(least) if constant else f"{number(least)} to {number(greatest)}, the greatest at R = {at}"
            told.append(f"n = {one.n}, {depths}: {between}")
    return f"{'; '.join(told)}."


def _spectrum_sentence(found: Sequence[Spectrum]) -> str:
    told = []
    for one in sorted(found, key=lambda each: -each.n):
        times = sorted({each.multiplicity for each in one.values})
        shown = f"{times[0]}" if len(times) == 1 else f"{times[0]} to {times[-1]}"
        told.append(f"n = {one.n}: {len(one.values)} distinct eigenvalues, multiplicity {shown}")
    return f"{'; '.join(told)}."


def _error_sentence(found: Figures) -> str:
    ratios = [p.error / p.bound for one in found.errors for p in one.points if p.bound > 0]
    return f"The error is at most {number(max(ratios))} times its bound."
