"""`resproof spectrum`: from what the command line gives to a record, and the record as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from architectures.errors import ArchitectureError
from architectures.files import Given, from_file, inner_dimensions
from architectures.losses import Loss
from architectures.losses import loss as loss_of
from architectures.text import text
from numeric.data import bind
from proofs.block.spectrum import Eigenvalue, Spectrum, spectrum
from proofs.statement import Data
from reports import tables
from reports.architecture_file import from_catalogue
from reports.data import read_for
from reports.records import DataRecord, SpectrumRecord

if TYPE_CHECKING:
    from rich.table import Table

_ROWS = 24
"""Lines of eigenvalues in a table; of more, the first and the last half."""


def compute(
    file: str | None,
    architecture: str | None,
    settings: Sequence[str],
    units: int,
    data: Path,
    loss: str,
    seed: int = 0,
) -> SpectrumRecord:
    """The spectrum of an architecture on the data of a file.

    Raises:
        ArchitectureError: no architecture, or both kinds, or one that cannot be had.
        DataError: data that cannot be used.
        NoHessianError: the loss has no Hessian at the initial point.
    """
    given, chosen = _given(file, architecture, settings), loss_of(loss)
    return record(given, units, read_for(data, given.unit, chosen), chosen, seed)


def record(given: Given, units: int, data: Data, loss: Loss, seed: int = 0) -> SpectrumRecord:
    """The spectrum of a unit on data, inner dimensions without a size taken equal to the width.

    Raises:
        NoHessianError: the loss has no Hessian at the initial point.
    """
    x, y, _ = data
    assumed = {n: int(x.shape[-2]) for n in inner_dimensions(given.unit) if n not in given.sizes}
    sizes = {**given.sizes, **assumed}
    found = spectrum(given.unit, units, x, y, loss, sizes=sizes, seed=seed)
    notes = tuple(f"{n} is taken equal to the width, {k}; --set {n}=NUMBER sets it" for n, k in assumed.items())
    bound = replace(given, sizes=bind("spectrum", given.unit, x, sizes))
    return record_of(replace(found, notes=(*notes, *found.notes)), bound, data, loss)


def record_of(found: Spectrum, given: Given, data: Data, loss: Loss) -> SpectrumRecord:
    """A spectrum and what it is of."""
    return SpectrumRecord(
        schema_version=1,
        architecture=given.name,
        expression=text(given.unit.expression, given.unit.names),
        loss=loss.name,
        data=DataRecord.of(data),
        sizes=dict(given.sizes),
        **{field.name: getattr(found, field.name) for field in fields(found)},
    )


def _given(file: str | None, architecture: str | None, settings: Sequence[str]) -> Given:
    if (file is None) == (architecture is None):
        what = "no architecture is" if file is None else "two architectures are"
        raise ArchitectureError(f"spectrum: {what} given; expected FILE.py:NAME or --architecture n-shortcut")
    return from_file(file, settings) if file is not None else from_catalogue(architecture or "", settings)


def show(record: SpectrumRecord) -> None:
    """Print the record as tables."""
    console = tables.console()
    line = tables.printer(console)
    line(f"{record.architecture}: {record.expression}")
    console.print(tables.pairs(rows_of(record)))
    if record.eigenvalues:
        console.print(_eigenvalues(record.eigenvalues))
    for note in record.notes:
        line(f"Note: {note}.")


def rows_of(record: SpectrumRecord) -> dict[str, str]:
    """What a table says of a spectrum, line by line."""
    extremes = record.extremes
    return {
        "data": f"{record.data.shown}, {record.loss} loss",
        "units R": str(record.units),
        "width d": str(record.width),
        "parameters": str(record.parameters),
        "stationary order": str(record.stationary_order),
        "largest eigenvalue": _number(extremes and extremes.largest),
        "smallest eigenvalue": _number(extremes and extremes.smallest),
        "smallest modulus": _number(extremes and extremes.smallest_modulus),
        "condition number": _number(record.condition_number),
        "pseudo-condition number": _number(record.pseudo_condition_number),
        "negative, zero, positive": f"{_number(record.negative)}, {_number(record.zero)}, {_number(record.positive)}",
        "zero exactly, numerically": f"{_number(record.zero_exact)}, {_number(record.zero_numerical)}",
        "strict saddle": "-" if record.strict_saddle is None else "yes" if record.strict_saddle else "no",
    }


def _eigenvalues(eigenvalues: Sequence[Eigenvalue]) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("eigenvalue", justify="right")
    table.add_column("multiplicity", justify="right")
    whole = len(eigenvalues) <= _ROWS
    for one in eigenvalues if whole else eigenvalues[: _ROWS // 2]:
        table.add_row(_number(one.value), str(one.multiplicity))
    if not whole:
        table.add_row(f"{len(eigenvalues) - _ROWS} more", "")
        for one in eigenvalues[-_ROWS // 2 :]:
            table.add_row(_number(one.value), str(one.multiplicity))
    return table


def _number(value: float | str | None) -> str:
    return tables.number(value, 10)
