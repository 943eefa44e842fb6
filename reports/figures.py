"""results.json to SVG: every figure is drawn from the results alone, and the same results give the same bytes.

Text is drawn as paths in the fonts that come with matplotlib, on white, without date or version. Colours are those of
Okabe and Ito, told apart by colour-blind readers too; shortcut depths also differ in their markers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from io import StringIO
from typing import Any, NamedTuple, TypeAlias, TypeVar

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Rectangle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from reports.markdown import number
from reports.schema import (
    Blocks,
    Curve,
    DenseSpectrum,
    Figures,
    HiddenCurve,
    NormCurve,
    Results,
    SpectrumGrowth,
    SpherePath,
)

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
_KINDS = {"plain": ("#d55e00", "o"), "residual": ("#0072b2", "s"), "resnext": ("#009e73", "^")}
_DATA_SETS = (("#009e73", "^"), ("#cc79a7", "D"))
_DEEPER = ("#f7cfb2", "#ee9a5c", "#d55e00", "#933f00", "#421b00")
"""The colour of n = 1, darker for more units."""
_TILT = 0.5
"""How far above the plane of the great arc the eye stands, as a tangent."""
_PAPERS = {
    **dict.fromkeys(("blocks.svg", "condition.svg", "spectrum.svg", "error.svg"), "demystifying-resnet"),
    **dict.fromkeys(("norms.svg", "sphere.svg"), "demystifying-resnet"),
    **dict.fromkeys(("deep.svg", "growth.svg"), "beyond"),
    "hidden.svg": "rethinking-skip-connections",
}
"""The paper on whose page a figure stands."""
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_BINS = 50
_T = TypeVar("_T")


class Caption(NamedTuple):
    """Of one figure: paper and file, a title, what one sees, in general and in numbers, and what it was drawn from."""

    paper: str
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
    told = {**_of_hessians(results), **_of_layers_and_paths(results)}
    return [Caption(_PAPERS[name], name, *told[name]()) for name, _, drawable in _ALL if drawable(results.figures)]


_Told: TypeAlias = dict[str, Callable[[], tuple[str, str, str, str]]]
"""Title, text, measured and source of a caption by its figure's file, for when the figure is drawn."""


def _of_hessians(results: Results) -> _Told:
    found, data = results.figures, results.data
    on_data = f"Linear networks on {data.name} (d = {found.width}, m = {found.samples})"
    return {
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
            f"{on_data}: for a random v of norm one, the entry of H v whose error is nearest to its derived bound.",
        ),
        "deep.svg": lambda: (
            "Condition number up to great depth",
            "At shortcut depth 1 the condition number stays above the lower bound of GEN-3, which grows like R; "
            "at shortcut depth 2 it does not change.",
            _deep_sentence(found),
            f"Linear networks on the first {found.deep_condition_numbers[0].width} components of {data.name} "
            f"(m = {found.samples}): extreme eigenvalues from the blocks of the Hessian of two units, by counting.",
        ),
        "growth.svg": lambda: (
            "Eigenvalues as the network grows deeper",
            "At shortcut depth 1 some eigenvalues grow like R, while most stay below |D - A| in modulus, as GEN-3 "
            "says of at least p floor(R/2) of the p R.",
            _growth_sentence(_given(found.growth)),
            f"Linear networks on the first {_given(found.growth).width} components of {data.name} "
            f"(m = {found.samples}), n = 1: eigenvalues of the dense Hessian in ascending order.",
        ),
    }


def _of_layers_and_paths(results: Results) -> _Told:
    found, data = results.figures, results.data
    return {
        "hidden.svg": lambda: (
            "Condition number of hidden representations",
            "In a product of independent random layers the condition number grows exponentially, in a plain network at "
            "a rate that the scale s of the weights does not change; in a residual one more slowly for smaller s; "
            "weights of order 1/L keep it below a bound that does not depend on depth (RS-R2).",
            _hidden_sentence(found.hidden),
            f"Linear layers W or I + W with independent N(0, 2 s^2/d) entries on the first {found.hidden[0].width} "
            f"components of {data.name} (m = {found.samples}), seed {results.seed}: markers measured from rescaled "
            "products, dashed lines L times the rate, or the bound.",
        ),
        "norms.svg": lambda: (
            "Small weights",
            "The largest norm of a weight matrix in the network of Theorem 1 falls like R^(-1/2) and stays below the "
            "bound.",
            _norm_sentence(found.norms),
            f"Networks built and run through all their units: "
            f"{'; '.join(f'{one.data} (d = {one.width}, m = {one.samples})' for one in found.norms)}.",
        ),
        "sphere.svg": lambda: (
            "A path past the other columns",
            "The path of Lemma 2 follows the great arc and makes a detour round each cap in its way.",
            _sphere_sentence(_given(found.sphere)),
            f"One column moving from x to y past random others, d = 3, m = {len(_given(found.sphere).circles) + 1}, "
            f"seed {results.seed}; caps are wider than rho/2 by the factor 1 + rho^2/128.",
        ),
    }


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
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="entry of $|Hv - \\mathrm{claim}|$")
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


def _deep_condition_numbers(found: Figures) -> Figure:
    figure = Figure(figsize=(6.0, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="condition number of the Hessian")
    for one in found.deep_condition_numbers:
        points = [(p.units, p.value) for p in one.points if p.value is not None]
        bounds = [(p.units, p.bound) for p in one.points if p.value is not None and p.bound is not None]
        if points:
            axes.plot(*_columns(points), color=_COLOURS[one.n], marker=_MARKERS[one.n], label=f"$n = {one.n}$")
        if bounds:
            axes.plot(*_columns(bounds), "--", color=_COLOURS[one.n], label=f"$n = {one.n}$, lower bound")
    axes.legend(frameon=False)
    return figure


def _spectra_by_depth(found: Figures) -> Figure:
    growth = _given(found.growth)
    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.subplots()
    greatest = max(abs(each.value) for one in growth.spectra for each in one.values)
    axes.set(xlabel="share of the eigenvalues", ylabel="eigenvalue", xlim=(0, 1))
    axes.set_yscale("symlog", linthresh=growth.edge or greatest, base=2)
    axes.axhspan(-growth.edge, growth.edge, color="#e8eef4", linewidth=0, zorder=0, label="$|\\lambda| \\leq |D - A|$")
    for position, one in enumerate(growth.spectra):
        values = [each.value for each in one.values for _ in range(each.multiplicity)]
        shares = [k / len(values) for k in range(len(values) + 1)]
        colour = _DEEPER[position * (len(_DEEPER) - 1) // max(len(growth.spectra) - 1, 1)]
        axes.stairs(values, shares, baseline=None, color=colour, linewidth=1.5, label=f"$R = {one.units}$")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "\u2212"))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


_SCALE_MARKERS = {0.1: "^", 0.03: "v"}
"""Scales of weights that share a colour."""


def _hidden_representations(found: Figures) -> Figure:
    figure = Figure(figsize=(7.2, 3.9), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="layers $L$", ylabel="$\\log_{10}\\ \\kappa(H^L)$")
    for one in found.hidden:
        colour, marker = _KINDS[one.kind]
        # Rings, so that what coincides with them stays visible.
        ring = one.kind == "plain"
        measured = [(p.depth, p.measured) for p in one.points if p.measured > 0]
        predicted = [(p.depth, p.predicted) for p in one.points if p.predicted > 0]
        axes.plot(*_columns(predicted), "--", color=colour, linewidth=1.0)
        axes.plot(
            *_columns(measured),
            linestyle="none",
            color=colour,
            marker="D" if one.scale is None else _SCALE_MARKERS.get(one.scale, marker),
            markersize=10.0 if ring else 4.5,
            markerfacecolor="none" if ring else colour if one.scale == 1.0 else "white",
            label=_hidden_label(one),
        )
    axes.plot([], [], "--", color="#444444", linewidth=1.0, label="predicted; bound")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _hidden_label(one: HiddenCurve) -> str:
    name = {"plain": "plain", "residual": "residual", "resnext": "ResNeXt, 4 paths"}[one.kind]
    if one.kind == "plain":
        return f"{name}, any $s$"
    return f"{name}, $|W| = 1/L$" if one.scale is None else f"{name}, $s = {one.scale:g}$"


def _norms(found: Figures) -> Figure:
    figure = Figure(figsize=(6.6, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel="units $R$", ylabel="largest $\\|W\\|_F$")
    for one, (colour, marker) in zip(found.norms, _DATA_SETS, strict=False):
        sizes = f"$d = {one.width}$, $m = {one.samples}$"
        bounds, norms = [(p.units, p.bound) for p in one.points], [(p.units, p.norm) for p in one.points]
        axes.plot(*_columns(bounds), "--", color=colour, label=f"{sizes}, bound")
        axes.plot(*_columns(norms), color=colour, marker=marker, label=f"{sizes}, measured")
    for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        axis(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "125" else "")
    _slope_triangle(axes, [(p.units, p.norm) for one in found.norms for p in one.points])
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _slope_triangle(axes: Any, points: Sequence[tuple[float, float]]) -> None:
    """A right triangle whose long side falls like the root, below the points on the left."""
    left = min(points)[0] * 1.15
    top = 0.5 * min(norm for units, norm in points if units == min(points)[0])
    right, bottom = left * 4, top / 2
    axes.add_patch(
        Polygon([(left, top), (right, bottom), (left, bottom)], closed=True, fill=False, edgecolor="#444444")
    )
    axes.text(left, bottom * 0.94, "slope \u22121/2", ha="left", va="top", color="#444444")


def _sphere(found: Figures) -> Figure:
    """Seen along a line, from slightly above the great arc's middle; what is behind is left out."""
    sphere = _given(found.sphere)
    figure = Figure(figsize=(6.8, 3.9), layout="constrained")
    axes = figure.subplots()
    arc, path, obstacles = (_points(one) for one in (sphere.great_arc, sphere.path, sphere.obstacles))
    frame = _frame(arc)
    axes.add_patch(Circle((0, 0), 1, facecolor="#f5f5f5", edgecolor="#888888", linewidth=0.8))
    first = True
    for centre, circle in zip(obstacles, map(_points, sphere.circles), strict=True):
        x, y, depth = frame @ circle.T
        if depth.max() <= 0:
            continue
        # What is behind the rim is moved to it.
        outside = np.where(depth < 0, np.hypot(x, y), 1.0)
        axes.add_patch(
            Polygon(
                np.column_stack([x / outside, y / outside]),
                facecolor="#c5dcee",
                edgecolor=_COLOURS[2],
                linewidth=0.9,
                label="other columns, caps" if first else None,
            )
        )
        first = False
        place = frame @ centre
        if place[2] > 0:
            axes.plot(place[0], place[1], ".", color=_COLOURS[2], markersize=4)
    axes.plot(*_seen(frame, arc), "--", color="#444444", linewidth=1.1, label="great arc")
    axes.plot(*_seen(frame, path), color=_COLOURS[1], linewidth=2.0, label="path")
    for point, name, side in ((path[0], "x", -1), (path[-1], "y", 1)):
        x, y, _ = frame @ point
        axes.plot(x, y, "o", color="black", markersize=5, zorder=4)
        text = axes.text(x + 0.02 * side, y + 0.05, f"${name}$", ha="center", va="bottom", fontsize=12.0)
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])
    axes.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal")
    axes.set_axis_off()
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _frame(arc: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows to the right, upwards and towards the eye, with the arc's ends to the left and right."""
    across = arc[-1] - arc[0]
    across /= np.linalg.norm(across)
    middle = arc[len(arc) // 2] - (arc[len(arc) // 2] @ across) * across
    middle /= np.linalg.norm(middle)
    eye = middle + _TILT * np.cross(middle, across)
    eye /= np.linalg.norm(eye)
    return np.array([across, np.cross(eye, across), eye])


def _points(curve: Curve) -> NDArray[np.float64]:
    """One point a row."""
    return np.array([[float(value) for value in row.split()] for row in curve]).T


def _seen(frame: NDArray[np.float64], points: NDArray[np.float64]) -> tuple[Any, Any]:
    """Across and up, with a gap where the curve is behind."""
    x, y, depth = frame @ points.T
    return np.where(depth >= 0, x, np.nan), np.where(depth >= 0, y, np.nan)


def _given(value: _T | None) -> _T:
    """The data of a figure that is drawn only with them."""
    assert value is not None
    return value


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
    (
        "deep.svg",
        _deep_condition_numbers,
        lambda found: any(p.value is not None for one in found.deep_condition_numbers for p in one.points),
    ),
    ("growth.svg", _spectra_by_depth, lambda found: found.growth is not None),
    ("hidden.svg", _hidden_representations, lambda found: bool(found.hidden)),
    ("norms.svg", _norms, lambda found: bool(found.norms)),
    ("sphere.svg", _sphere, lambda found: found.sphere is not None),
)


def svg_of(draw: Callable[[], Figure]) -> str:
    """The SVG text of one figure, in the style of all others."""
    with matplotlib.style.context(["default", _STYLE]):
        return _svg(draw())


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


def _spectrum_sentence(found: Sequence[DenseSpectrum]) -> str:
    told = []
    for one in sorted(found, key=lambda each: -each.n):
        times = sorted({each.multiplicity for each in one.values})
        shown = f"{times[0]}" if len(times) == 1 else f"{times[0]} to {times[-1]}"
        told.append(f"n = {one.n}: {len(one.values)} distinct eigenvalues, multiplicity {shown}")
    return f"{'; '.join(told)}."


def _error_sentence(found: Figures) -> str:
    ratios = [p.error / p.bound for one in found.errors for p in one.points if p.bound > 0]
    return f"The error is at most {number(max(ratios))} times its bound."


def _deep_sentence(found: Figures) -> str:
    told, margins = [], []
    for one in found.deep_condition_numbers:
        values = [(p.units, p.value) for p in one.points if p.value is not None]
        margins += [p.value / p.bound for p in one.points if p.value is not None and p.bound is not None]
        if values:
            (first, before), (last, after) = values[0], values[-1]
            told.append(f"n = {one.n}: {number(before)} at R = {number(first)}, {number(after)} at R = {number(last)}")
    least = f"; at least {number(min(margins))} times the bound" if margins else ""
    return f"{'; '.join(told)}{least}."


def _growth_sentence(found: SpectrumGrowth) -> str:
    last = found.spectra[-1]
    share, greatest = found.shares[-1], max(abs(each.value) for each in last.values)
    return (
        f"At R = {last.units} the greatest modulus is {number(greatest)}, and {number(100 * share)} % of the moduli "
        f"are at most |D - A| = {number(found.edge)}."
    )


def _hidden_sentence(found: Sequence[HiddenCurve]) -> str:
    told = []
    for one in found:
        last = one.points[-1]
        if one.scale is None:
            told.append(f"{one.kind}, |W| = 1/L: {number(10**last.measured)} at L = {number(last.depth)}")
        else:
            rate = number(last.measured / last.depth)
            told.append(f"{one.kind}, s = {one.scale:g}: {rate} decades a layer up to L = {number(last.depth)}")
    last = [one.points[-1] for one in found]
    share = max(abs(p.measured - p.predicted) / p.predicted for p in last)
    off = f"There the logarithms differ from the predicted ones by at most {number(100 * share)} per cent."
    return f"{'; '.join(told)}. {off}"


def _norm_sentence(found: Sequence[NormCurve]) -> str:
    told = []
    for one in found:
        ratio = max(p.norm / p.bound for p in one.points)
        slope = "" if one.slope is None else f"slope {one.slope:.3f}, "
        told.append(
            f"d = {one.width}, m = {one.samples}, rho = {number(one.rho)}: {slope}at most {number(ratio)} of the bound"
        )
    return f"{'; '.join(told)}."


def _sphere_sentence(found: SpherePath) -> str:
    return (
        f"The path is {number(found.length)} long, the great arc {number(found.great_arc_length)}, the bound of "
        f"Lemma 2 is {number(found.bound)}; the distance to the other columns is at least {number(found.nearest)}, and "
        f"rho/2 = {number(found.rho / 2)}."
    )
