"""The page of `resproof check --out`: NAME.md and, where there is a Hessian, NAME.svg beside it.

A page says, in a comment, of which block it is. Where NAME.md is of another block, or of somebody's own, it stays as it
is, and the page is called FILE_NAME.md, FILE_NAME_2.md and so on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from resproof.reporting.check import on_data, tables_of
from resproof.reporting.check_record import CheckRecord
from resproof.reporting.figures.svg import ShownFigure, svg_of
from resproof.reporting.files import check_writable, write
from resproof.reporting.render import render_template
from resproof.reporting.spectrum_record import SpectrumRecord

_LONGEST = 80
"""Characters of a file's name, but for its ending."""
_INK, _SOFT, _BOUND = "#0072b2", "#d55e00", "#666666"


def write_page(folder: Path, one: CheckRecord, target: str) -> Path:
    """Write the page of the block FILE.py:NAME into `folder`, which is made if it is missing; where it is.

    Raises:
        OutputError: it cannot be written to.
    """
    check_writable(folder)
    file, _, name = target.rpartition(":")
    mark = _mark(file, name)
    stem = next(stem for stem in _stems(file, name) if _is_free(folder, stem, mark))
    files = page(folder, one, stem)
    files[folder / f"{stem}.md"] += f"\n{mark}\n"
    write(files)
    return folder / f"{stem}.md"


def _mark(file: str, name: str) -> str:
    """The comment by which a page is known as one of this block."""
    return f"<!-- resproof check: {sha256(os.fsencode(f'{Path(file).resolve()}:{name}')).hexdigest()[:16]} -->"


def _stems(file: str, name: str) -> Iterator[str]:
    """Names for the page, the plainest first."""
    plain, full = (re.sub(r"\W+", "_", text)[:_LONGEST] for text in (name, f"{Path(file).stem}_{name}"))
    yield from (plain, full)
    yield from (f"{full}_{number}" for number in count(2))


def _is_free(folder: Path, stem: str, mark: str) -> bool:
    """Whether nothing is there, or an earlier page of the same block."""
    md = folder / f"{stem}.md"
    if not md.exists():
        return not (folder / f"{stem}.svg").exists()
    return md.is_file() and mark in md.read_text(encoding="utf-8", errors="replace")


def page(
    folder: Path, one: CheckRecord, stem: str, *, title: str = "", source: str = "", missing: str = ""
) -> dict[Path, str]:
    """The page and, where there is a Hessian, its figure, by their paths; `missing`: what the source has beyond it."""
    text = markdown_of(one, figure=f"{stem}.svg", title=title, source=source, missing=missing)
    if one.spectrum is None:
        return {folder / f"{stem}.md": text}
    return {folder / f"{stem}.md": text, folder / f"{stem}.svg": svg_of(lambda: figure(one))}


def markdown_of(one: CheckRecord, *, figure: str = "", title: str = "", source: str = "", missing: str = "") -> str:
    """The page, with a picture where there is one."""
    heading, told = title or one.architecture, {**tables_of(one), "on_data": on_data(one) if one.spectrum else None}
    return render_template(
        "check.md.j2", one=one, told=told, figure=figure, heading=heading, source=source, missing=missing
    )


def figure(one: CheckRecord) -> ShownFigure:
    """The eigenvalues beside the condition number against depth, of a block that has a Hessian."""
    assert one.spectrum is not None
    drawn = ShownFigure(figsize=(7.2, 2.8), layout="constrained")
    left, right = drawn.subplots(1, 2)
    _moduli(left, one.spectrum)
    _depth(right, one)
    return drawn


def spectrum_figure(found: SpectrumRecord) -> ShownFigure:
    """The eigenvalues alone."""
    drawn = ShownFigure(figsize=(4.2, 2.8), layout="constrained")
    _moduli(drawn.subplots(), found)
    return drawn


def _moduli(axes: Axes, found: SpectrumRecord) -> None:
    """The eigenvalues, ascending, against the share of all."""
    axes.set_title(f"Eigenvalues at R = {found.units}")
    axes.set_xlabel("share of all eigenvalues")
    axes.axhline(0.0, color=_BOUND, linewidth=0.7)
    axes.set_xlim(0.0, 1.0)
    if found.eigenvalues:
        values = np.array([each.value for each in found.eigenvalues])
        counts = np.array([each.multiplicity for each in found.eigenvalues])
        ends = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
        axes.stairs(values, ends, baseline=None, color=_INK, linewidth=1.8)
        return
    if found.extremes is not None and found.negative is not None and found.positive is not None:
        negative, positive = found.negative / found.parameters, found.positive / found.parameters
        axes.plot([0.0, 1.0], [found.extremes.smallest, found.extremes.largest], "o", color=_INK, clip_on=False)
        axes.axvspan(0.0, negative, color=_SOFT, alpha=0.15, label="negative")
        axes.axvspan(1.0 - positive, 1.0, color=_INK, alpha=0.15, label="positive")
        axes.legend(frameon=False, loc="upper left")


def _depth(axes: Axes, one: CheckRecord) -> None:
    """The condition number beside the null directions against depth; hollow where eigenvalues are below rounding."""
    assert one.spectrum is not None
    axes.set_title("Condition number" + (", null directions aside" if one.spectrum.zero else ""))
    axes.set_xlabel("residual units R")
    if one.pseudo_condition_number is None:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "the Hessian is zero\nat every depth", ha="center", va="center", transform=axes.transAxes)
        return
    axes.set_xscale("log")
    if not one.depths:
        axes.plot([1, max(one.units, 10)], [one.pseudo_condition_number] * 2, color=_INK, linewidth=1.8)
        axes.set_ylim(0.0, 2.0 * one.pseudo_condition_number)
        axes.text(0.5, 0.58, "the same for every R", ha="center", transform=axes.transAxes, color=_INK)
        return
    axes.set_yscale("log")
    rows = [row for row in one.depths if row.pseudo_condition_number]
    resolved = [row for row in rows if not row.below_rounding]
    axes.plot([r.units for r in resolved], [r.pseudo_condition_number or 0.0 for r in resolved], "o-", color=_INK)
    if rest := [row for row in rows if row.below_rounding]:
        values = [row.pseudo_condition_number or 0.0 for row in rest]
        axes.plot([r.units for r in rest], values, "o", color=_INK, mfc="none", label="what is below rounding aside")
    if bounds := {row.units: row.bound for row in one.depths if row.bound}:
        axes.plot([*bounds], [*bounds.values()], "--", color=_BOUND, label="proved to exceed")
    if rest or bounds:
        axes.legend(frameon=False, loc="upper left")
