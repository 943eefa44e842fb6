"""The catalogue's blocks, each checked as `resproof check` would, for one table and a page each in the report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.block.check import Check, check
from resproof.proofs.block.general import Setting
from resproof.proofs.workers import call_each, value_of
from resproof.reporting.check import record
from resproof.reporting.check_page import page
from resproof.reporting.progress import SILENT, Watch
from resproof.reporting.schema import CatalogueEntry

DEPTH = 100
"""Units of the networks."""


def entries(
    jobs: int = 1, watch: Watch = SILENT, timeout: float | None = None, names: tuple[str, ...] = tuple(CATALOGUE)
) -> tuple[CatalogueEntry, ...]:
    """Every block of the catalogue on the digits, from `jobs` processes.

    Raises:
        WorkerError: one of them took longer than `timeout` seconds, or its process died twice.
    """
    found: dict[str, CatalogueEntry] = {}
    if jobs <= 1 and not timeout:
        for name in names:
            watch.begun(shown(name))
            found[name] = entry(name)
            watch.done(shown(name))
        return tuple(found.values())
    calls = {name: partial(entry, name) for name in names}
    with closing(call_each(calls, jobs, timeout=timeout, begun=lambda name: watch.begun(shown(name)))) as outcomes:
        for name, outcome in outcomes:
            found[name] = value_of(outcome, shown(name))
            watch.done(shown(name))
    return tuple(found[name] for name in names)


def shown(name: str) -> str:
    """A block of the catalogue among statements."""
    return f"block {name}"


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
    shorter = replace(one.found.spectrum, eigenvalues=None)
    return one.model_copy(update={"found": one.found.model_copy(update={"spectrum": shorter})})


def checked(name: str) -> Check:
    """What `resproof check` finds of a block of the catalogue with its default parameters."""
    return check(ResidualUnit(CATALOGUE[name].build()), name, Setting(units=DEPTH))


def block_pages(found: tuple[CatalogueEntry, ...], folder: Path) -> Mapping[Path, str]:
    """The page and the figure of every block, by their paths."""
    files: dict[Path, str] = {}
    for one in found:
        files |= page(folder, one.found, one.name, title=one.title, source=one.source, missing=one.not_computed)
    return files
