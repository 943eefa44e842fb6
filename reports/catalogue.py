"""The catalogue's blocks, each checked as `resproof check` would, for one table and a page each in the report."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from architectures.entries import CATALOGUE
from architectures.networks import ResidualUnit
from proofs.check import Check, check
from proofs.general import Setting
from reports.check import record
from reports.check_page import page
from reports.schema import CatalogueEntry

DEPTH = 100
"""Units of the networks."""


def entries(jobs: int = 1, names: tuple[str, ...] = tuple(CATALOGUE)) -> tuple[CatalogueEntry, ...]:
    """Every block of the catalogue on the digits, from `jobs` processes."""
    if min(jobs, len(names)) <= 1:
        return tuple(map(entry, names))
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return tuple(pool.map(entry, names))


def entry(name: str) -> CatalogueEntry:
    """One block of the catalogue."""
    one = CATALOGUE[name]
    return CatalogueEntry(
        name=name,
        title=one.title,
        formula=one.formula,
        source=one.source,
        not_computed=one.not_computed,
        found=record(checked(name)),
    )


def without_eigenvalues(one: CatalogueEntry) -> CatalogueEntry:
    """The entry as results.json has it: its spectrum without the list of eigenvalues, which its figure shows."""
    if one.found.spectrum is None:
        return one
    shorter = one.found.spectrum.model_copy(update={"eigenvalues": None})
    return one.model_copy(update={"found": one.found.model_copy(update={"spectrum": shorter})})


def checked(name: str) -> Check:
    """What `resproof check` finds of a block of the catalogue with its default parameters."""
    return check(ResidualUnit(CATALOGUE[name].build()), name, Setting(units=DEPTH))


def pages(found: tuple[CatalogueEntry, ...], folder: Path) -> Mapping[Path, str]:
    """The page and the figure of every block, by their paths."""
    files: dict[Path, str] = {}
    for one in found:
        files |= page(folder, one.found, one.name, title=one.title, source=one.source, missing=one.not_computed)
    return files
