"""`resproof check`: from what the command line gives to a record, and the record as tables and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from resproof.architectures.files import Given
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.forms.terms import IndexSum
from resproof.architectures.importers.leaves import Part
from resproof.architectures.importers.modules import Asked
from resproof.architectures.losses import Loss
from resproof.architectures.losses import loss as loss_of
from resproof.architectures.networks import Stack
from resproof.architectures.text import latex, text
from resproof.numeric.data import width_of
from resproof.proofs.block.check import Check, check, required_order, requirement
from resproof.proofs.block.general import General, Inapplicable, Setting
from resproof.proofs.block.modules import Imported, from_target
from resproof.proofs.block.scales import ScaleLaw
from resproof.proofs.block.spectrum import scaled
from resproof.proofs.block.stacks import seen_from_units
from resproof.proofs.formulas import plain
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Data
from resproof.reporting import tables
from resproof.reporting.check_record import CheckRecord, GeneralRecord, GrowthRecord, ImportedWeightRecord, ModuleRecord
from resproof.reporting.data import read_for, read_pair
from resproof.reporting.diagram import diagram
from resproof.reporting.expression_lines import expression_lines, form_lines, shortened_form
from resproof.reporting.records import DataRecord
from resproof.reporting.spectrum import condition_number, conditions, enclosed, record_of

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
    asked: Asked | None = None,
) -> CheckRecord:
    """Everything about an architecture in a file, or a module there.

    Raises:
        ArchitectureError: an architecture that cannot be had, or an unknown requirement.
        DataError: data that cannot be used, or a network that does not fit the memory.
        UnconfirmedReadingError: a module, and the expression read from it is not confirmed.
    """
    chosen = loss_of(loss)
    given, imported = from_target(file, settings, every=True, networks=True, asked=asked)
    if given.stack is not None:
        found = None if data is None else read_pair(data)
        return of_network(given.stack, given.name, found, given.sizes, require, Context(seed=seed, memory=memory))
    read = None if data is None else read_for(data, given.unit, chosen)
    return of_given(given, chosen, units, read, require, Context(seed=seed, memory=memory), imported)


def of_given(
    given: Given,
    loss: Loss,
    units: int,
    data: Data | None,
    require: Sequence[str],
    context: Context,
    imported: Imported | None = None,
) -> CheckRecord:
    """Everything about a unit, on the embedded digits where no data are given.

    Raises:
        ArchitectureError: an unknown requirement.
        DataError: data that do not fit the unit, or a network that does not fit the memory.
    """
    for asked in require:
        _ = required_order(asked)
    found = check(given.unit, given.name, Setting(loss, units, data, given.sizes), context)
    return record(found, require, imported)


def of_network(
    stack: Stack, name: str, data: Data | None, sizes: Mapping[str, int], require: Sequence[str], context: Context
) -> CheckRecord:
    """Everything about the units of a network with a stem or a head, at its depth and with its loss.

    Raises:
        ArchitectureError: a head with too long a series, too long a pattern, or an unknown requirement.
        DataError: no data where the digits do not fit, data that do not, or a network that does not fit the memory.
    """
    for asked in require:
        _ = required_order(asked)
    seen = seen_from_units(stack, data, sizes, context)
    return record(check(seen.unit, name, seen.setting, context), require)


def record(found: Check, require: Sequence[str] = (), imported: Imported | None = None) -> CheckRecord:
    """What was found as a record."""
    unit, one = found.unit, found.spectrum
    required = tuple(requirement(found, asked) for asked in require)
    return CheckRecord(
        schema_version=1,
        architecture=found.name,
        expression=text(unit.expression, unit.names),
        expression_lines=expression_lines(unit),
        form_lines=form_lines(found.branch, found.diagonal, found.cross),
        latex=latex(unit.expression, unit.names),
        diagram=diagram(unit),
        verdict=found.sentence,
        holds=one is not None and not found.unconfirmed and all(each.holds for each in required),
        unconfirmed=found.unconfirmed,
        reason=found.reason,
        loss=found.setting.loss.name,
        data=DataRecord.of(found.data),
        units=found.setting.units,
        width=width_of(found.data.X),
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
        weights=found.weights,
        alternatives=found.alternatives,
        growth=_growth(found),
        depths=found.profile,
        statements=tuple(_statement(*each) for each in found.statements),
        requirements=required,
        spectrum=one and record_of(one, Given(found.name, unit, found.sizes), found.data, found.setting.loss),
        module=None if imported is None else _module(imported),
        kinds=found.kinds,
        pairs=found.pairs,
        scale=found.scale,
        shared=found.shared,
    )


def _module(one: Imported) -> ModuleRecord:
    weights = (
        ImportedWeightRecord(weight=name, parameter=_part(part)) for name, part in one.reading.parts.items()
    )
    return ModuleRecord(
        library=one.library,
        input=one.reading.shape,
        sizes=dict(one.reading.sizes),
        weights=tuple(weights),
        unread=one.reading.unread,
        agreement=one.agreement,
    )


def _part(part: Part) -> str:
    """The parameter with its indices as in Python, its transpose, and what is subtracted."""
    axes = [axis for axis in part.axes if axis is not None]
    turned = ".T" if axes != sorted(axes) else ""
    return f"{part.words}{turned}{f' - {part.offset:g}' if part.offset else ''}"


def _growth(found: Check) -> GrowthRecord | None:
    growth = found.growth
    grows = found.regime_on_data == "grows with depth" and not found.moves
    if growth is None or not grows or not 0.0 < scaled(1.0, growth.exponent) < inf:
        return None
    norm_a, norm_d, difference = (
        scaled(norm, growth.exponent) for norm in (growth.norm_a, growth.norm_d, growth.norm_difference)
    )
    return GrowthRecord(norm_a=norm_a, norm_d=norm_d, norm_difference=difference, onset=growth.onset)


def _label(terms: IndexSum | None) -> str | None:
    return None if terms is None else terms.label


def _latex(terms: IndexSum | None) -> str | None:
    return None if terms is None else latex_sum(terms)


def _statement(one: General, result: Result | None) -> GeneralRecord:
    if isinstance(one, Inapplicable):
        return GeneralRecord(id=one.id, title="", verdict=None, scope="", reason=one.reason, measurements=())
    assert result is not None
    return GeneralRecord(
        id=one.id,
        title=one.title,
        verdict=result.verdict,
        scope=result.scope,
        sizes=result.sizes,
        reason=result.reason,
        measurements=result.measurements,
    )


# Tables.


def show(one: CheckRecord) -> None:
    """Print the record as tables, the verdict last."""
    console = tables.console()
    line = tables.printer(console)
    *parts, whole = one.expression_lines
    line(f"{one.architecture}: {whole}")
    for part in parts:
        line(f"  {part}")
    if one.module is not None:
        _show_module(one.module, console)
    if one.spectrum is None:
        line(f"\n{one.verdict}")
        return
    console.print(_weights(one))
    if one.kinds:
        line(f"\nA pattern of {one.places} units, a, b, ... its places; a kind of unit alone, and one behind another:")
        console.print(_kinds(one))
        console.print(_pairs(one))
    line("\nFor every depth R and every size, with w_r the weights of unit r and w_s those of an earlier one:")
    line("  Hessian     I (x) D + L (x) A + L^T (x) A^T")
    if one.shared is not None:
        line("  shared      R D + R (R - 1)/2 (A + A^T), the Hessian in the one set of weights that all units have")
    for part in one.form_lines:
        line(part)
    line(f"  regime      {_regime(one)}")
    if one.shared is not None:
        line(f"  depth       greatest modulus {one.shared.greatest}; condition number {one.shared.condition_number}")
    elif one.scale is not None:
        line(f"  scale       {_scale(one.scale)}")
    line(f"\nOn {one.data.shown}, {one.loss} loss, R = {one.repeated}:")
    console.print(_on_data(one))
    if one.depths:
        console.print(_depths(one))
    if one.alternatives:
        console.print(_alternatives(one))
    console.print(_checked(one))
    for found in one.statements:
        for m in found.measurements:
            line(f"Running network, {found.id}: {plain(m.quantity)} = {m.value:.3g}, bound {m.bound:.3g} ({m.sizes})")
    for note in one.spectrum.notes if one.spectrum else ():
        line(f"Note: {note}.")
    for required in one.requirements:
        line(f"Required {required.asked}: {'holds' if required.holds else f'does not hold: {required.reason}'}.")
    for reason in one.unconfirmed:
        line(f"Not confirmed: {reason}.")
    line(f"\n{one.verdict}")


def _show_module(one: ModuleRecord, console: Console) -> None:
    line = tables.printer(console)
    axes = " x ".join(map(str, one.input))
    sizes = ", ".join(f"{name} = {size}" for name, size in one.sizes.items())
    line(f"\nRead from a {one.library} module on an input of {axes}: {sizes}.")
    table = tables.headed("weight", "parameter of the module")
    for each in one.weights:
        tables.add(table, each.weight, each.parameter)
    console.print(table)
    if one.unread:
        line(f"Not used: {', '.join(one.unread)}.")
    for m in one.agreement:
        line(f"At random weights the {plain(m.quantity)}s of both differ by {m.value:.3g}, bound {m.bound:.3g}.")


def _regime(one: CheckRecord) -> str:
    degree = f"the branch is of order {one.branch_order}" if one.branch_order else "the branch is flat to order 6"
    return f"{one.regime or 'not established'}{_fixed(one)}: {degree} in the weights"


def _fixed(one: CheckRecord) -> str:
    """What is to be added to a regime where weights are shared, or under a scale that depends on depth."""
    own = " with weights of each unit's own" if one.shared is not None else ""
    return own + (" where s is fixed" if one.scale is not None and one.scale.power != "0" else "")


def _scale(law: ScaleLaw) -> str:
    """s, its powers in the parts of D and A, and what follows."""
    powers = ", ".join(f"{part} has s^{power}" if power > 1 else f"{part} has s" for part, power in law.powers.items())
    return (
        f"s = {law.scale}, here {law.value:.6g}; of D = B + C and A, B with the branch's own second derivative, "
        f"{powers or 'all are zero'}; the greatest modulus of an eigenvalue {law.largest}, the condition number "
        f"{law.condition_number}"
    )


def _weights(one: CheckRecord) -> Table:
    table = tables.headed("weight", "shape", "starts at", "enters at order", "Hessian couples it with")
    for w in one.weights:
        shape = f"{' x '.join(w.shape)} ({' x '.join(map(str, w.sizes))})"
        degree = "above 6" if w.degree is None else str(w.degree)
        partners = ", ".join(w.partners) or "nothing: null directions"
        if not w.trainable:
            degree, partners = "-", "frozen: no parameters"
        tables.add(table, w.name, shape, w.initial, degree, partners)
    return table


def _kinds(one: CheckRecord) -> Table:
    table = tables.headed("at", "unit", "branch of order", f"alone{_fixed(one)}")
    for kind in one.kinds:
        order = "above 6" if kind.order is None else str(kind.order)
        regime = kind.regime or "not the identity at its initial point"
        tables.add(table, ", ".join(kind.places), kind.expression, order if kind.regime else "-", regime)
    return table


def _pairs(one: CheckRecord) -> Table:
    table = tables.headed("unit at", "behind one at", "w_later^T A w_earlier")
    for pair in one.pairs:
        tables.add(table, pair.later, pair.earlier, shortened_form(pair.cross))
    return table


def _on_data(one: CheckRecord) -> Table:
    found = one.spectrum
    assert found is not None
    ends = found.extremes
    rows = {
        "stationary order": str(one.stationary_order),
        "strict saddle": "unknown" if one.strict_saddle is None else "yes" if one.strict_saddle else "no",
        "parameters": str(found.parameters),
        "negative, zero, positive": ", ".join(_shown(n) for n in (found.negative, found.zero, found.positive)),
        "largest, smallest eigenvalue": "-" if ends is None else f"{ends.largest:.6g}, {ends.smallest:.6g}",
        **enclosed(found.ranges),
        **conditions(found),
    }
    table = tables.pairs(rows)
    listed = found.eigenvalues or ()
    for value in listed[:8]:
        table.add_row("eigenvalue, multiplicity", f"{value.value:.6g}, {value.multiplicity}")
    if len(listed) > 8:
        table.add_row("", f"and {len(listed) - 8} more")
    return table


def _depths(one: CheckRecord) -> Table:
    table = tables.headed("R", "largest eigenvalue", "smallest nonzero modulus", "condition number", "at least (GEN-3)")
    for row in one.depths:
        condition = condition_number(row.condition_number, row.pseudo_condition_number)
        table.add_row(str(row.units), *map(_shown, (row.largest, row.smallest_modulus)), condition, _shown(row.bound))
    return table


def _alternatives(one: CheckRecord) -> Table:
    table = tables.headed("if it starts at random", "branch of order", f"then{_fixed(one)}")
    for other in one.alternatives:
        order = "-" if other.regime is None else str(other.order or "above 6")
        tables.add(table, other.weight, order, other.regime or other.reason)
    return table


def _checked(one: CheckRecord) -> Table:
    table = tables.headed("statement", "verdict", "for")
    for found in one.statements:
        tables.add(table, found.id, found.verdict or "does not apply", found.scope if found.verdict else found.reason)
    return table


def _shown(value: float | str | None) -> str:
    return tables.number(value, 6)
