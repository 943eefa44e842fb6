"""`resproof spectrum`: from what the command line gives to a record, and the record as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import Given, from_catalogue
from resproof.architectures.importers.modules import Asked
from resproof.architectures.losses import Loss
from resproof.architectures.losses import loss as loss_of
from resproof.architectures.networks import Stack
from resproof.architectures.text import text
from resproof.numeric.data import bind, check_targets
from resproof.numeric.network.parameters import given_sizes
from resproof.proofs.block.check import about_setting
from resproof.proofs.block.draws import spectrum_of_own_draws
from resproof.proofs.block.general import Setting, given_data
from resproof.proofs.block.modules import from_target, refuse_for_expression
from resproof.proofs.block.shared import spectrum_of_shared_weights
from resproof.proofs.block.spectrum import Eigenvalue, Ranges, Spectrum, spectrum
from resproof.proofs.block.stacks import seen_from_units
from resproof.proofs.statement import Context, Data
from resproof.reporting import tables
from resproof.reporting.data import read_for, read_pair
from resproof.reporting.records import DataRecord
from resproof.reporting.spectrum_record import SpectrumRecord
from resproof.reporting.tables import Cell, Number, Table

Arrays: TypeAlias = "tuple[Any, Any] | str | Path | None"
"""X and Y, the path of an .npz file that has them, or None for the embedded digits."""
DIGITS = 10
_SPECTRA: Mapping[str, Callable[..., Spectrum]] = {
    "one": spectrum,
    "each": spectrum_of_own_draws,
    "shared": spectrum_of_shared_weights,
}
_ROWS = 24
"""Lines of eigenvalues in a table; of more, the first and the last half."""


def compute(
    file: str | None,
    architecture: str | None,
    settings: Sequence[str],
    units: int | None,
    data: Arrays,
    loss: str,
    seed: int = 0,
    asked: Asked | None = None,
    draws: str = "one",
) -> SpectrumRecord:
    """The spectrum of an architecture on the data of a file, or the embedded digits; a network has its depth and loss.

    Raises:
        ArchitectureError: no architecture, or both kinds, or one that cannot be had, or no depth.
        DataError: data that cannot be used.
        NoHessianError: the loss has no Hessian at the initial point.
    """
    given, chosen = _given(file, architecture, settings, asked), loss_of(loss)
    if units is None and given.stack is None:
        raise ArchitectureError("spectrum: no --units; expected the number of residual units")
    return of_target(given, units, data, chosen, seed, draws)


def of_target(given: Given, units: int | None, data: Arrays, loss: Loss, seed: int, draws: str) -> SpectrumRecord:
    """The spectrum of a unit at that depth, or of a network, which has its depth and loss.

    Raises:
        ArchitectureError: as `record` and `of_network`.
        DataError: data that cannot be used.
        NoHessianError: the loss has no Hessian at the initial point.
    """
    read = data_of(data, given, loss)
    if given.stack is not None:
        return of_network(given.stack, given.name, units, read, given.sizes, seed, draws)
    assert units is not None  # asked for before
    return record(given, units, read, loss, seed, draws)


def data_of(data: Arrays, given: Given, loss: Loss) -> Data | None:
    """X and Y that are given, or those of an archive, for a unit and a loss; for a network with Y of any shape.

    Raises:
        DataError: data that cannot be used.
    """
    match data, given.stack:
        case None, _:
            return None
        case ((str() | Path()), None):
            return read_for(Path(data), given.unit, loss)
        case ((str() | Path()), _):
            return read_pair(Path(data))
        case (x, y), None:
            x, y = check_targets("data", given.unit, loss, np.asarray(x, float), np.asarray(y, float))
            return Data(x, y, "given data")
        case (x, y), _:
            return Data(np.asarray(x, float), np.asarray(y), "given data")


def of_network(
    stack: Stack, name: str, units: int | None, data: Data | None, sizes: Mapping[str, int], seed: int, draws: str
) -> SpectrumRecord:
    """The spectrum in the units' weights, at the network's depth or with its unit or pattern `units` times.

    Raises:
        ArchitectureError: as `record`, or a head with too long a series.
        DataError: data that do not fit.
        NoHessianError: the loss has no Hessian at the initial point.
    """
    seen = seen_from_units(stack, data, sizes, Context(seed=seed))
    at = seen.setting
    assert at.data is not None
    given = Given(name, at.at_depth(seen.unit, units or at.units), dict(at.sizes or {}))
    if at.shared and draws == "each":
        raise ArchitectureError("--draws each: the units of this network share their weights; expected one or shared")
    found = record(given, units or at.units, at.data, at.loss, seed, "shared" if at.shared else draws)
    return replace(found, notes=(*about_setting(at), *found.notes))


def record(
    given: Given, units: int, data: Data | None, loss: Loss, seed: int = 0, draws: str = "one"
) -> SpectrumRecord:
    """The spectrum of a unit on data, or the embedded digits; inner dimensions without a size are equal to the width.

    `draws`: "one" of the random initial values for all units, one for "each", or "shared" weights, one set for all.

    Raises:
        ArchitectureError: draws is neither, or there is nothing to draw for each.
        NoHessianError: the loss has no Hessian at the initial point.
    """
    if draws not in _SPECTRA:
        raise ArchitectureError(
            f"--draws {draws}: expected one (for all units), each (unit its own) or shared (weights)"
        )
    data, sizes = given_data(given.unit, Setting(loss, units, data, given.sizes))
    x, y, *_ = data
    said = {**given_sizes(given.unit), **given.sizes}
    assumed = {n: size for n, size in sizes.items() if n not in said}
    found = _SPECTRA[draws](given.unit, units, x, y, loss, sizes=sizes, seed=seed)
    notes = tuple(f"{n} is taken equal to the width, {k}; --set {n}=NUMBER sets it" for n, k in assumed.items())
    bound = replace(given, sizes=bind("spectrum", given.unit, x, sizes))
    return record_of(replace(found, notes=(*notes, *found.notes)), bound, data, loss)


def record_of(found: Spectrum, given: Given, data: Data, loss: Loss) -> SpectrumRecord:
    """A spectrum and what it is of."""
    return SpectrumRecord(
        architecture=given.name,
        expression=text(given.unit.expression, given.unit.names),
        loss=loss.name,
        data=DataRecord.of(data),
        sizes=dict(given.sizes),
        **{field.name: getattr(found, field.name) for field in fields(found)},
    )


def _given(file: str | None, architecture: str | None, settings: Sequence[str], asked: Asked | None) -> Given:
    if (file is None) == (architecture is None):
        what = "no architecture is" if file is None else "two architectures are"
        raise ArchitectureError(f"spectrum: {what} given; expected FILE.py:NAME or --architecture n-shortcut")
    if file is None:
        refuse_for_expression(architecture or "", asked)
        return from_catalogue(architecture or "", settings)
    return from_target(file, settings, networks=True, asked=asked)[0]


def show(record: SpectrumRecord) -> None:
    """Print the record as tables."""
    tell = tables.teller()
    tell(f"{record.architecture}: {record.expression}")
    tell(facts(record))
    tell(_eigenvalues(record.eigenvalues or ()))
    for note in record.notes:
        tell(f"Note: {note}.")


def facts(record: SpectrumRecord) -> Table:
    """What there is to say of a spectrum, line by line."""
    ends = record.extremes
    rows: list[tuple[str, Cell]] = [
        ("data", f"{record.data.shown}, {record.loss} loss"),
        ("units R", record.units),
        ("width d", record.width),
        ("parameters", record.parameters),
        ("stationary order", str(record.stationary_order)),
        ("largest eigenvalue", ends and Number(ends.largest, DIGITS)),
        ("smallest eigenvalue", ends and Number(ends.smallest, DIGITS)),
        ("smallest modulus", ends and Number(ends.smallest_modulus, DIGITS)),
        *enclosed(record.ranges),
        *conditions(record),
        ("negative, zero, positive", (record.negative, record.zero, record.positive)),
        ("strict saddle", "-" if record.strict_saddle is None else "yes" if record.strict_saddle else "no"),
    ]
    return Table((), rows)


def conditions(record: SpectrumRecord) -> list[tuple[str, Cell]]:
    """The condition number, that of the eigenvalues above rounding, and which are counted as zero for which reason."""
    aside = "null directions" + (", and what is below rounding," if record.zero_numerical else "")
    return [
        ("condition number", condition_number(record.condition_number, record.pseudo_condition_number)),
        (f"{aside} aside", Number(record.pseudo_condition_number, DIGITS)),
        ("exactly zero, below rounding", (record.zero_exact, record.zero_numerical)),
    ]


def condition_number(value: float | None, above_rounding: float | None) -> Cell:
    """It, or that it is not resolved, where eigenvalues that may be none are below rounding."""
    return "not resolved" if value is None and above_rounding is not None else Number(value, DIGITS)


def enclosed(ranges: Ranges | None) -> list[tuple[str, Cell]]:
    """What is proved of extremes that are Ritz values."""
    if ranges is None:
        return []
    (least, most), (low, high), (_, nearest) = ranges.largest, ranges.smallest, ranges.smallest_modulus
    return [
        ("they are", "Ritz values; proved is what follows"),
        ("largest eigenvalue between", f"{Number(least)} and {Number(most)}"),
        ("smallest eigenvalue between", f"{Number(low)} and {Number(high)}"),
        ("smallest modulus at most", Number(nearest)),
    ]


def _eigenvalues(all_: Sequence[Eigenvalue]) -> Table:
    """All of them, or the first and the last ones."""
    rows: list[tuple[Cell, ...]] = [(Number(one.value, DIGITS), one.multiplicity) for one in all_]
    if len(rows) > _ROWS:
        rows[_ROWS // 2 : -_ROWS // 2] = [(f"{len(rows) - _ROWS} more", "")]
    return Table(("eigenvalue", "multiplicity"), rows)
