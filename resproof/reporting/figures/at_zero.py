"""The loss and its Hessian at zero, where training starts: slices, exact blocks, spectra, condition numbers, errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from resproof.proofs.beyond.figure_data import DeepConditionNumbers
from resproof.proofs.block.dense_hessians import ConditionNumbers, DenseSpectrum
from resproof.proofs.demystifying_resnet.figure_data import FARTHEST, ErrorCurve, ExactBlocks, LossSlice
from resproof.reporting.figures.common import Caption, ReportFigure, on_components, on_data
from resproof.reporting.figures.panels import (
    COLOURS,
    MARKERS,
    RIGHT,
    Area,
    Line,
    Panel,
    Picture,
    Words,
    log_depths,
)
from resproof.reporting.markdown import number
from resproof.reporting.schema import Results

_PAPER = "demystifying-resnet"
_BINS = 50


def _slices(found: Sequence[LossSlice]) -> Picture:
    most = max(-min(one.falling) for one in found)
    heights = {"ylim": (-1.2 * most, 1.6 * most)}
    axes: dict[str, Any] = {"xlabel": "$t$", "xlim": (-FARTHEST, FARTHEST), "xticks": (-0.5, 0.0, 0.5), **heights}
    panels = [
        Panel([*_slice(one)], {"title": f"$n = {one.n}$", **axes, **({} if place else {"ylabel": "$L(t) - L(0)$"})})
        for place, one in enumerate(found)
    ]
    return Picture((8.4, 3.2), panels, row=3, below=3, shared=True)


def _slice(one: LossSlice) -> Iterator[Line]:
    near = np.linspace(-FARTHEST, FARTHEST, 200)
    for sign, values, dash in (("-", one.falling, "-"), ("", one.rising, "--")):
        yield Line(x=one.steps, y=values, label=f"last layers ${sign}tM/|M|$", color=COLOURS[one.n], dash=dash)
        leading = float(f"{sign}1") * one.coefficient * near**one.n
        yield Line(x=near, y=leading, label=r"$\pm R\,|M|\,t^n$", dash=":", width=1.0)


def _slices_caption(found: Sequence[LossSlice], results: Results) -> Caption:
    return Caption(
        "The loss near zero",
        "For $n = 1$ zero is no stationary point; for $n = 2$ it is a saddle: the loss falls along one line and rises "
        "along the other; for $n = 3$ second derivatives vanish too, and the loss is flat near zero. Dotted: the first "
        "term that does not vanish, by Theorem 2.1 that of order $n$.",
        rf"Its coefficient $`R \lvert M\rvert`$ is {number(found[0].coefficient)}.",
        f"{on_data(results)}, $R = {found[0].units}$: the loss of the running network where the last layer of every "
        r"unit is $-t M / \lvert M\rvert$ or $t M / \lvert M\rvert$ and the others are $t I$.",
    )


def _falls(found: Sequence[LossSlice]) -> bool:
    """Whether the loss is seen to fall anywhere: not on data so ill-scaled that it rises before the first point."""
    return any(min(one.falling) < 0 for one in found)


def _blocks(found: Sequence[ExactBlocks]) -> Picture:
    return Picture((8.4, 3.1), [_matrix(one) for one in found], row=3)


def _moduli(blocks: ExactBlocks) -> np.ndarray:
    return np.array([[float(abs(Fraction(entry))) for entry in row.split()] for row in blocks.rows])


def _matrix(blocks: ExactBlocks) -> Panel:
    """A square for each entry that is not zero, lines round units and weights, and the names of their blocks."""
    entries = _moduli(blocks)
    count, whole = len(entries), max(entries.max(), 1.0)
    unit, weight = count // blocks.units, count // blocks.units // blocks.n
    marks: list[Line | Area | Words] = [
        Area(x=[j, j + 1, j + 1, j], y=[i, i, i + 1, i + 1], color=COLOURS[2], alpha=0.15 + 0.7 * entries[i, j] / whole)
        for i, j in np.argwhere(entries)
    ]
    for step, color, width in ((weight, "#bbbbbb", 0.6), (unit, "#333333", 1.1)):
        for k in range(0, count + 1, step):
            style: dict[str, Any] = {"color": color, "width": width, "clip": False, "order": 3.0}
            marks += [Line(x=[0, count], y=[k, k], **style), Line(x=[k, k], y=[0, count], **style)]
    axes: dict[str, Any] = {
        "xlim": (0, count),
        "ylim": (count, 0),
        "aspect": "equal",
        "title": f"$n = {blocks.n}$,  {count} parameters",
    }
    return Panel([*marks, *_names(blocks, entries, unit, weight)], axes, bare=True)


def _names(blocks: ExactBlocks, entries: np.ndarray, unit: int, weight: int) -> Iterator[Words]:
    """The name of every block of units, for n = 2 of the weights' blocks on the diagonal; 0 where it vanishes."""
    for r, s in np.ndindex(blocks.units, blocks.units):
        inside = blocks.n == 2 and r == s
        step = weight if inside else unit
        for i in range(r * unit, (r + 1) * unit, step):
            for j in range(s * unit, (s + 1) * unit, step):
                zero = not entries[i : i + step, j : j + step].any()
                name = "0" if zero else "B" if i == j else "A" if i > j else r"A^\mathsf{T}"
                size, color = 10.0 if inside else 13.0, "#777777" if zero else "black"
                yield Words(j + step / 2, i + step / 2, f"${name}$", color, size)


def _blocks_caption(found: Sequence[ExactBlocks], _: Results) -> Caption:
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
    rows, columns = np.nonzero(_moduli(one))
    unit = len(one.rows) // one.units
    outside = bool((rows // unit != columns // unit).any())
    seen = "all units interact" if outside else "no two units interact" if len(rows) else "the Hessian vanishes"
    return f"$n = {one.n}$: {seen}"


def _ordered(found: Sequence[DenseSpectrum]) -> list[DenseSpectrum]:
    return sorted(found, key=lambda one: -one.n)


def _spectra(found: Sequence[DenseSpectrum]) -> Picture:
    return Picture((8.4, 3.1), [_spectrum(one) for one in _ordered(found)])


def _spectrum(one: DenseSpectrum) -> Panel:
    """A needle for each value, or bars where there are many."""
    axes: dict[str, Any] = {"title": f"$n = {one.n}$, $R = {one.units}$", "xlabel": "eigenvalue", "ylim": (0, None)}
    zero, color = Line(x=0, width=0.7), COLOURS[one.n]
    if len(one.values) > _BINS:
        counts, edges = np.histogram(one.listed, _BINS)
        bars = Area(x=np.repeat(edges, 2), y=[0, *np.repeat(counts, 2), 0], color=color)
        return Panel([bars, zero], axes | {"ylabel": "eigenvalues in each bar"})
    values, times = [each.value for each in one.values], [each.multiplicity for each in one.values]
    needles = Line(x=np.repeat(values, 3), y=[y for top in times for y in (0, top, np.nan)], color=color, width=1.3)
    heads = Line(x=values, y=times, color=color, dash="", marker=MARKERS[one.n], size=3.5)
    return Panel([needles, heads, zero], axes | {"ylabel": "multiplicity"})


def _spectra_caption(found: Sequence[DenseSpectrum], results: Results) -> Caption:
    return Caption(
        "Eigenvalues and how often they occur",
        "At shortcut depth 2 the spectrum is a few values, symmetric about zero, each many times over; "
        "at shortcut depth 1 it is spread out.",
        f"{'; '.join(map(_counted, _ordered(found)))}.",
        f"{on_data(results)}, $R = {found[0].units}$: eigenvalues of the dense Hessian; closer than rounding resolves "
        "counts as equal.",
    )


def _counted(one: DenseSpectrum) -> str:
    times = sorted({each.multiplicity for each in one.values})
    shown = f"{times[0]}" if len(times) == 1 else f"{times[0]} to {times[-1]}"
    return f"n = {one.n}: {len(one.values)} distinct eigenvalues, multiplicity {shown}"


def _finite(one: ConditionNumbers | DeepConditionNumbers) -> list[tuple[int, float]]:
    """The depths at which it is finite, and it."""
    return [(p.units, p.value) for p in one.points if p.value is not None]


def _any_finite(found: Sequence[ConditionNumbers | DeepConditionNumbers]) -> bool:
    return any(map(_finite, found))


def _against_depth(found: Sequence[ConditionNumbers | DeepConditionNumbers], bound: str) -> Panel:
    """Condition numbers against depth, and below them in dashes their bounds."""
    lines = list[Line]()
    for one in found:
        name, color = f"$n = {one.n}$", COLOURS[one.n]
        if points := _finite(one):
            x, y = zip(*points, strict=True)
            lines.append(Line(x=x, y=y, label=name, color=color, marker=MARKERS[one.n]))
        bounds = [(p.units, p.bound) for p in one.points if p.value is not None and p.bound is not None]
        if bounds:
            x, y = zip(*bounds, strict=True)
            lines.append(Line(x=x, y=y, label=f"{name}, {bound}", color=color, dash="--"))
    axes: dict[str, Any] = {
        "xscale": "log",
        "yscale": "log",
        "xlabel": "units $R$",
        "ylabel": "condition number of the Hessian",
    }
    return Panel(lines, axes, "best")


def _condition(found: Sequence[ConditionNumbers]) -> Picture:
    panel = _against_depth(found, "lower bound (GEN-3)")
    deepest = max(p.units for one in found for p in one.points)
    ticks = log_depths((2**k for k in range(deepest.bit_length())), "units $R$")
    return Picture((6.0, 3.4), [Panel(panel.marks, {**panel.axes, **ticks}, panel.legend)])


def _condition_caption(found: Sequence[ConditionNumbers], results: Results) -> Caption:
    return Caption(
        "Condition number against depth",
        "At shortcut depth 2 the condition number is the same for every number of units. At shortcut depth 1 it is "
        "above a bound that grows with $R$, and far above it at depths where some eigenvalue happens to be near zero.",
        f"{'; '.join(filter(None, map(_range, found)))}.",
        f"{on_data(results)}: eigenvalues of the dense Hessian, the product $H v$ with every unit vector.",
    )


def _range(one: ConditionNumbers) -> str:
    """The least and the greatest, if any is finite."""
    there = [(value, units) for units, value in _finite(one)]
    if not there:
        return ""
    (least, _), (greatest, at) = min(there), max(there)
    between = number(least)
    if number(least) != number(greatest):
        between += f" to {number(greatest)}, the greatest at R = {at}"
    return f"n = {one.n}, R = {one.points[0].units}..{one.points[-1].units}: {between}"


def _deep(found: Sequence[DeepConditionNumbers]) -> Picture:
    return Picture((6.0, 3.4), [_against_depth(found, "lower bound")])


def _deep_caption(found: Sequence[DeepConditionNumbers], results: Results) -> Caption:
    told = []
    for one in found:
        if there := _finite(one):
            (first, before), (last, after) = there[0], there[-1]
            told.append(f"n = {one.n}: {number(before)} at R = {number(first)}, {number(after)} at R = {number(last)}")
    margins = [p.value / p.bound for one in found for p in one.points if p.value is not None and p.bound is not None]
    least = f"; at least {number(min(margins))} times the bound" if margins else ""
    return Caption(
        "Condition number up to great depth",
        "At shortcut depth 1 the condition number stays above the lower bound of GEN-3, which grows like $R$; "
        "at shortcut depth 2 it does not change.",
        f"{'; '.join(told)}{least}.",
        f"Linear networks on {on_components(results, found[0].width)}: extreme eigenvalues from the blocks of the "
        "Hessian of two units, by counting.",
    )


def _errors(found: Sequence[ErrorCurve]) -> Picture:
    lines = [
        Line(
            x=[p.units for p in one.points],
            y=[getattr(p, what) or np.nan for p in one.points],
            label=f"$n = {one.n}$, {label}",
            color=COLOURS[one.n],
            marker=MARKERS[one.n],
            dash=dash,
        )
        for one in found
        for what, label, dash in (("bound", "bound", "--"), ("error", "measured", "-"))
    ]
    axes = log_depths((p.units for one in found for p in one.points), "units $R$")
    axes |= {"yscale": "log", "ylabel": "entry of $|Hv - \\mathrm{claim}|$"}
    return Picture((6.0, 3.4), [Panel(lines, axes, RIGHT)])


def _errors_caption(found: Sequence[ErrorCurve], results: Results) -> Caption:
    return Caption(
        "Error against bound",
        "The product $H v$ of the running network agrees with Theorem 2 to within the derived rounding bound, "
        "at every depth tried.",
        f"The error is at most {number(max(_ratios(found)))} times its bound.",
        f"{on_data(results)}: for a random $v$ of norm one, the entry of $H v$ whose error is nearest to its derived "
        "bound.",
    )


def _ratios(found: Sequence[ErrorCurve]) -> list[float]:
    """Every error over its bound, where that is not zero; without any there is nothing to draw."""
    return [p.error / p.bound for one in found for p in one.points if p.bound > 0]


SLICES = ReportFigure("slices.svg", _PAPER, _slices, _slices_caption, _falls)
BLOCKS = ReportFigure("blocks.svg", _PAPER, _blocks, _blocks_caption)
SPECTRA = ReportFigure("spectrum.svg", _PAPER, _spectra, _spectra_caption)
CONDITION_NUMBERS = ReportFigure("condition.svg", _PAPER, _condition, _condition_caption, _any_finite)
DEEP_CONDITION_NUMBERS = ReportFigure("deep.svg", "beyond", _deep, _deep_caption, _any_finite)
ERRORS = ReportFigure("error.svg", _PAPER, _errors, _errors_caption, lambda found: bool(_ratios(found)))
