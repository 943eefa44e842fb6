"""`resproof check`: from what the command line gives to a record, and the record as tables and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from architectures.files import from_file
from architectures.losses import loss as loss_of
from architectures.notation import latex_sum
from architectures.terms import IndexSum
from architectures.text import latex, text
from proofs.analysis import Spectrum, scaled
from proofs.check import Check, check, required_order, requirement
from proofs.general import Inapplicable, Setting
from proofs.parts import Context, Data
from reports.check_record import (
    AlternativeRecord,
    CheckRecord,
    DepthRecord,
    GeneralRecord,
    GrowthRecord,
    RequirementRecord,
    WeightRecord,
)
from reports.data import read_for
from reports.records import DataRecord, SpectrumRecord

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def compute(
    file: str,
    settings: Sequence[str],
    units: int,
    data: Path | None,
    loss: str,
    require: Sequence[str],
    seed: int = 0,
    memory: int | None = None,
) -> CheckRecord:
    """Everything about an architecture in a file.

    Raises:
        ArchitectureError: an architecture that cannot be had, or an unknown requirement.
        DataError: data that cannot be used, or a network that does not fit the memory.
    """
    given, chosen = from_file(file, settings, every=True), loss_of(loss)
    read = None if data is None else read_for(data, given.unit, chosen)
    setting = Setting(chosen, units, read, given.sizes)
    for asked in require:
        _ = required_order(asked)
    return record(check(given.unit, given.name, setting, Context(seed=seed, memory=memory)), require)


def record(found: Check, require: Sequence[str] = ()) -> CheckRecord:
    """What was found as a record."""
    unit, one = found.unit, found.spectrum
    return CheckRecord(
        schema_version=1,
        architecture=found.name,
        expression=text(unit.expression, unit.names),
        latex=latex(unit.expression, unit.names),
        verdict=found.sentence,
        holds=one is not None,
        unconfirmed=found.unconfirmed,
        reason=found.reason,
        loss=found.setting.loss.name,
        data=_data(found.data),
        units=found.setting.units,
        width=int(found.data.X.shape[-2]),
        sizes=dict(found.sizes),
        parameters=found.parameters,
        branch_order=found.order,
        regime=found.regime,
        regime_at_sizes=found.regime_at_sizes,
        regime_on_data=found.regime_on_data,
        stationary_order_in_general=found.stationary,
        stationary_order=one and one.stationary_order,
        branch=_label(found.branch),
        diagonal=_label(found.diagonal),
        cross=_label(found.cross),
        branch_latex=_latex(found.branch),
        diagonal_latex=_latex(found.diagonal),
        cross_latex=_latex(found.cross),
        depth_invariant=found.properties.get("depth-invariant"),
        strict_saddle=found.properties.get("strict-saddle"),
        condition_number=one and one.condition_number,
        pseudo_condition_number=one and one.pseudo_condition_number,
        weights=tuple(WeightRecord(**asdict(role)) for role in found.weights),
        alternatives=tuple(AlternativeRecord(**asdict(other)) for other in found.alternatives),
        growth=_growth(found),
        depths=tuple(DepthRecord(**asdict(row)) for row in found.profile),
        statements=_statements(found),
        requirements=tuple(RequirementRecord(asked=a, holds=h, reason=r) for a, (h, r) in _required(found, require)),
        spectrum=_spectrum(found, one),
    )


def _growth(found: Check) -> GrowthRecord | None:
    growth = found.growth
    if growth is None or found.regime_on_data != "grows with depth" or not 0.0 < scaled(1.0, growth.exponent) < inf:
        return None
    norm_a, norm_d, difference = (
        scaled(norm, growth.exponent) for norm in (growth.norm_a, growth.norm_d, growth.norm_difference)
    )
    return GrowthRecord(norm_a=norm_a, norm_d=norm_d, norm_difference=difference, onset=growth.onset)


def _required(found: Check, require: Sequence[str]) -> list[tuple[str, tuple[bool, str]]]:
    return [(asked, requirement(found, asked)) for asked in require]


def _data(data: Data) -> DataRecord:
    return DataRecord(name=data.name, shape=tuple(int(n) for n in data.X.shape))


def _label(terms: IndexSum | None) -> str | None:
    return None if terms is None else terms.label


def _latex(terms: IndexSum | None) -> str | None:
    return None if terms is None else latex_sum(terms)


def _statements(found: Check) -> tuple[GeneralRecord, ...]:
    return tuple(
        GeneralRecord(
            id=one.id,
            title="" if isinstance(one, Inapplicable) else one.title,
            verdict=None if result is None else result.verdict,
            scope="" if result is None else result.scope,
            reason=one.reason if isinstance(one, Inapplicable) else result.reason if result else "",
            measurements=() if result is None else result.measurements,
        )
        for one, result in found.statements
    )


def _spectrum(found: Check, one: Spectrum | None) -> SpectrumRecord | None:
    if one is None:
        return None
    return SpectrumRecord(
        schema_version=1,
        architecture=found.name,
        expression=text(found.unit.expression, found.unit.names),
        loss=found.setting.loss.name,
        data=_data(found.data),
        sizes=dict(found.sizes),
        **asdict(one),
    )


# Tables.


def show(one: CheckRecord) -> None:
    """Print the record as tables, the verdict last."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False)
    line = _printer(console)
    line(f"{one.architecture}: {one.expression}")
    data = f"{one.data.name} ({' x '.join(map(str, one.data.shape))}), {one.loss} loss, R = {one.units} units"
    if not one.holds and one.spectrum is None:
        line(f"\n{one.verdict}")
        return
    console.print(_weights(one))
    line("\nFor every depth R and every size, with w_r the weights of unit r and w_s those of an earlier one:")
    line("  Hessian     I (x) D + L (x) A + L^T (x) A^T")
    line(f"  branch      {one.branch} + higher orders")
    line(f"  1/2 w_r^T D w_r = {one.diagonal}")
    line(f"  w_r^T A w_s     = {one.cross}")
    line(f"  regime      {_regime(one)}")
    line(f"\nOn {data}:")
    console.print(_on_data(one))
    if one.depths:
        console.print(_depths(one))
    if one.alternatives:
        console.print(_alternatives(one))
    console.print(_checked(one))
    for found in one.statements:
        for m in found.measurements:
            line(f"Running network, {found.id}: {m.quantity} = {m.value:.3g}, bound {m.bound:.3g} ({m.sizes})")
    for note in one.spectrum.notes if one.spectrum else ():
        line(f"Note: {note}.")
    for required in one.requirements:
        line(f"Required {required.asked}: {'holds' if required.holds else f'does not hold: {required.reason}'}.")
    for reason in one.unconfirmed:
        line(f"Not confirmed: {reason}.")
    line(f"\n{one.verdict}")


def _printer(console: Console):
    return lambda text_: console.print(text_, markup=False, soft_wrap=True)


def _regime(one: CheckRecord) -> str:
    degree = f"the branch is of order {one.branch_order}" if one.branch_order else "the branch is flat to order 6"
    return f"{one.regime or 'not established'}: {degree} in the weights"


def _table(*headers: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    """A row whose cells mean themselves: indices in brackets are no markup."""
    from rich.markup import escape

    table.add_row(*map(escape, cells))


def _weights(one: CheckRecord) -> Table:
    table = _table("weight", "shape", "starts at", "enters at order", "Hessian couples it with")
    for w in one.weights:
        shape = f"{' x '.join(w.shape)} ({w.sizes[0]} x {w.sizes[1]})"
        degree = "above 6" if w.degree is None else str(w.degree)
        _add(table, w.name, shape, w.initial, degree, ", ".join(w.partners) or "nothing: null directions")
    return table


def _on_data(one: CheckRecord) -> Table:
    from rich.table import Table

    table, found = Table(show_header=False, box=None), one.spectrum
    assert found is not None
    ends = found.extremes
    rows = {
        "stationary order": str(one.stationary_order),
        "strict saddle": "unknown" if one.strict_saddle is None else "yes" if one.strict_saddle else "no",
        "parameters": str(found.parameters),
        "negative, zero, positive": f"{found.negative}, {found.zero}, {found.positive}",
        "largest, smallest eigenvalue": "-" if ends is None else f"{ends.largest:.6g}, {ends.smallest:.6g}",
        "condition number": _shown(one.condition_number),
        "pseudo-condition number": _shown(one.pseudo_condition_number),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    listed = found.eigenvalues or ()
    for value in listed[:8]:
        table.add_row("eigenvalue, multiplicity", f"{value.value:.6g}, {value.multiplicity}")
    if len(listed) > 8:
        table.add_row("", f"and {len(listed) - 8} more")
    return table


def _depths(one: CheckRecord) -> Table:
    table = _table("R", "largest eigenvalue", "smallest modulus", "condition number", "at least (GEN-3)")
    for row in one.depths:
        numbers = (row.largest, row.smallest_modulus, row.condition_number, row.bound)
        table.add_row(str(row.units), *map(_shown, numbers))
    return table


def _alternatives(one: CheckRecord) -> Table:
    table = _table("if it starts at random", "branch of order", "then")
    for other in one.alternatives:
        order = "-" if other.regime is None else str(other.order or "above 6")
        _add(table, other.weight, order, other.regime or other.reason)
    return table


def _checked(one: CheckRecord) -> Table:
    table = _table("statement", "verdict", "for")
    for found in one.statements:
        _add(table, found.id, found.verdict or "does not apply", found.scope if found.verdict else found.reason)
    return table


def _shown(value: float | str | None) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.6g}"
