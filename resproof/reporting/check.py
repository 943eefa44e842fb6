"""`resproof check`: from what the command line gives to a record, and the record as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from resproof.architectures.files import Given
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.importers.leaves import Part
from resproof.architectures.importers.modules import Asked
from resproof.architectures.losses import Loss
from resproof.architectures.losses import loss as loss_of
from resproof.architectures.networks import Stack
from resproof.architectures.text import latex, text
from resproof.numeric.data import width_of
from resproof.proofs.block.check import Check, DepthRow, WeightRole, check, required_order, requirement
from resproof.proofs.block.general import General, Inapplicable, Setting
from resproof.proofs.block.modules import Imported, from_target
from resproof.proofs.block.scales import ScaleLaw
from resproof.proofs.block.spectrum import scaled
from resproof.proofs.block.stacks import seen_from_units
from resproof.proofs.formulas import plain
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Data, Measurement
from resproof.reporting import tables
from resproof.reporting.check_record import CheckRecord, GeneralRecord, GrowthRecord, ImportedWeightRecord, ModuleRecord
from resproof.reporting.diagram import diagram
from resproof.reporting.expression_lines import expression_lines, form_lines, shortened_form
from resproof.reporting.records import DataRecord
from resproof.reporting.spectrum import Arrays, condition_number, conditions, data_of, enclosed, record_of
from resproof.reporting.tables import Cell, Formulas, Number, Table


def compute(
    file: str,
    settings: Sequence[str],
    units: int,
    data: Arrays,
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
    return of_target(given, imported, units, data, chosen, require, Context(seed=seed, memory=memory))


def of_target(
    given: Given,
    imported: Imported | None,
    units: int,
    data: Arrays,
    loss: Loss,
    require: Sequence[str],
    context: Context,
) -> CheckRecord:
    """Everything about a unit, or about a network at its own depth and with its own loss.

    Raises:
        ArchitectureError: an unknown requirement, or a network that cannot be looked at.
        DataError: data that cannot be used, or a network that does not fit the memory.
    """
    read = data_of(data, given, loss)
    if given.stack is not None:
        return of_network(given.stack, given.name, read, given.sizes, require, context)
    for asked in require:
        _ = required_order(asked)
    found = check(given.unit, given.name, Setting(loss, units, read, given.sizes), context)
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


_CALLED = {
    "architecture": "name",
    "verdict": "sentence",
    "branch_order": "order",
    "stationary_order_in_general": "stationary",
    "depths": "profile",
}
"""What the record calls otherwise than the check that it is made of."""
_SAME = {name: _CALLED.get(name, name) for name in CheckRecord.model_fields if hasattr(Check, _CALLED.get(name, name))}


def record(found: Check, require: Sequence[str] = (), imported: Imported | None = None) -> CheckRecord:
    """What was found as a record."""
    unit, one, at = found.unit, found.spectrum, found.setting
    required = tuple(requirement(found, asked) for asked in require)
    forms = {"branch": found.branch, "diagonal": found.diagonal, "cross": found.cross}
    at_depth = ("stationary_order", "condition_number", "pseudo_condition_number")
    derived: dict[str, Any] = {
        "expression": text(unit.expression, unit.names),
        "expression_lines": expression_lines(unit),
        "form_lines": form_lines(**forms),
        "latex": latex(unit.expression, unit.names),
        "diagram": diagram(unit),
        "holds": one is not None and not found.unconfirmed and all(each.holds for each in required),
        "loss": at.loss.name,
        "data": DataRecord.of(found.data),
        "units": at.units,
        "width": width_of(found.data.X),
        "sizes": dict(found.sizes),
        **{name: form and form.label for name, form in forms.items()},
        **{f"{name}_latex": form and latex_sum(form) for name, form in forms.items()},
        **{name.replace("-", "_"): found.properties.get(name) for name in ("depth-invariant", "strict-saddle")},
        **{name: one and getattr(one, name) for name in at_depth},
        "growth": _growth(found),
        "statements": tuple(_statement(*each) for each in found.statements),
        "requirements": required,
        "spectrum": one and record_of(one, Given(found.name, unit, found.sizes), found.data, at.loss),
        "module": imported and _module(imported),
    }
    same = {name: getattr(found, there) for name, there in _SAME.items()}
    return CheckRecord(schema_version=1, **{**same, **derived})


def _module(one: Imported) -> ModuleRecord:
    weights = (ImportedWeightRecord(weight=name, parameter=_part(part)) for name, part in one.reading.parts.items())
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


def _statement(one: General, result: Result | None) -> GeneralRecord:
    if isinstance(one, Inapplicable):
        return GeneralRecord(id=one.id, reason=one.reason)
    assert result is not None
    told = {name: getattr(result, name) for name in ("verdict", "scope", "sizes", "reason", "measurements")}
    return GeneralRecord(id=one.id, title=one.title, **told)


# Tables, and lines on a terminal.


def show(one: CheckRecord) -> None:
    """Print the record as tables, the verdict last."""
    tell = tables.teller()
    for part in _told(one):
        tell(part)
    tell(f"\n{one.verdict}")


def _told(one: CheckRecord) -> Iterator[str | Table]:
    *parts, whole = one.expression_lines
    yield f"{one.architecture}: {whole}"
    yield from (f"  {part}" for part in parts)
    if one.module is not None:
        yield from _module_told(one.module)
    if one.spectrum is None:
        return
    told = tables_of(one)
    yield told["weights"]
    if one.kinds:
        yield f"\nA pattern of {one.places} units, a, b, ... its places; a kind of unit alone, and one behind another:"
        yield from (told["kinds"], told["pairs"])
    yield "\nFor every depth R and every size, with w_r the weights of unit r and w_s those of an earlier one:"
    yield "  Hessian     I (x) D + L (x) A + L^T (x) A^T"
    if one.shared is not None:
        yield "  shared      R D + R (R - 1)/2 (A + A^T), the Hessian in the one set of weights that all units have"
    yield from one.form_lines
    degree = f"the branch is of order {one.branch_order}" if one.branch_order else "the branch is flat to order 6"
    yield f"  regime      {one.regime or 'not established'}{_fixed(one)}: {degree} in the weights"
    if one.shared is not None:
        yield f"  depth       greatest modulus {one.shared.greatest}; condition number {one.shared.condition_number}"
    elif one.scale is not None:
        yield f"  scale       {_scale(one.scale)}"
    yield f"\nOn {one.data.shown}, {one.loss} loss, R = {one.repeated}:"
    yield on_data(one, listed=8)
    yield from (told[name] for name in ("depths", "alternatives", "statements"))
    for id_, m in _seen(one):
        yield f"Running network, {id_}: {plain(m.quantity)} = {m.value:.3g}, bound {m.bound:.3g} ({m.sizes})"
    yield from (f"Note: {note}." for note in one.spectrum.notes)
    for required in one.requirements:
        yield f"Required {required.asked}: {'holds' if required.holds else f'does not hold: {required.reason}'}."
    yield from (f"Not confirmed: {reason}." for reason in one.unconfirmed)


def _module_told(one: ModuleRecord) -> Iterator[str | Table]:
    axes = " x ".join(map(str, one.input))
    sizes = ", ".join(f"{name} = {size}" for name, size in one.sizes.items())
    yield f"\nRead from a {one.library} module on an input of {axes}: {sizes}."
    yield Table(("weight", "parameter of the module"), [(each.weight, each.parameter) for each in one.weights])
    if one.unread:
        yield f"Not used: {', '.join(one.unread)}."
    for m in one.agreement:
        yield f"At random weights the {plain(m.quantity)}s of both differ by {m.value:.3g}, bound {m.bound:.3g}."


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


def tables_of(one: CheckRecord) -> dict[str, Table]:
    """What a terminal and a page have in common: the weights, the kinds of units and their pairs, and so on."""
    otherwise = "not the identity at its initial point"
    kinds = [(kind.places, kind.expression, *_order(kind.order, kind.regime, otherwise)) for kind in one.kinds]
    elsewhere = [(other.weight, *_order(other.order, other.regime, other.reason)) for other in one.alternatives]
    verdicts = [
        (found.id, *((found.verdict, found.scope) if found.verdict else ("does not apply", found.reason)))
        for found in one.statements
    ]
    measured = [(Formulas(f"{id_}: {m.quantity}"), Number(m.value), Number(m.bound), m.sizes) for id_, m in _seen(one)]
    pairs = [(pair.later, pair.earlier, shortened_form(pair.cross)) for pair in one.pairs]
    extremes = ("R", "largest eigenvalue", "smallest nonzero modulus", "condition number", "at least (GEN-3)")
    return {
        "weights": Table(
            ("weight", "shape", "starts at", "enters at order", "Hessian couples it with"),
            list(map(_weight, one.weights)),
        ),
        "kinds": Table(("at", "unit", "branch of order", f"alone{_fixed(one)}"), kinds),
        "pairs": Table(("unit at", "behind one at", "w_later^T A w_earlier"), pairs),
        "depths": Table(extremes, list(map(_depth, one.depths))),
        "alternatives": Table(("if it starts at random", "branch of order", f"then{_fixed(one)}"), elsewhere),
        "statements": Table(("statement", "verdict", "for"), verdicts),
        "measured": Table(("quantity", "measured", "bound", "on"), measured),
    }


def _order(order: int | None, regime: str | None, otherwise: str) -> tuple[str, str]:
    """The order of a branch and its regime, or why it has none."""
    return (str(order or "above 6"), regime) if regime else ("-", otherwise)


def _seen(one: CheckRecord) -> Iterator[tuple[str, Measurement]]:
    return ((found.id, m) for found in one.statements for m in found.measurements)


def _weight(w: WeightRole) -> tuple[Cell, ...]:
    shape = f"{' x '.join(w.shape)} ({' x '.join(map(str, w.sizes))})"
    if not w.trainable:
        return w.name, shape, w.initial, "-", "frozen: no parameters"
    degree = "above 6" if w.degree is None else str(w.degree)
    return w.name, shape, w.initial, degree, ", ".join(w.partners) or "nothing: null directions"


def _depth(row: DepthRow) -> tuple[Cell, ...]:
    condition = condition_number(row.condition_number, row.pseudo_condition_number)
    return row.units, Number(row.largest), Number(row.smallest_modulus), condition, Number(row.bound)


def on_data(one: CheckRecord, listed: int = 0) -> Table:
    """The spectrum at this depth in short, with so many of the eigenvalues that are listed."""
    found = one.spectrum
    assert found is not None
    ends, values = found.extremes, found.eigenvalues if listed else None
    rows: list[tuple[str, Cell]] = [
        ("stationary order", str(one.stationary_order)),
        ("strict saddle", "unknown" if one.strict_saddle is None else "yes" if one.strict_saddle else "no"),
        ("parameters", found.parameters),
        ("negative, zero, positive", (found.negative, found.zero, found.positive)),
        ("largest, smallest eigenvalue", ends and (Number(ends.largest), Number(ends.smallest))),
        *enclosed(found.ranges),
        *conditions(found),
        *(("eigenvalue, multiplicity", (Number(each.value), each.multiplicity)) for each in (values or ())[:listed]),
    ]
    more = len(values or ()) - listed
    return Table((), [*rows, ("", f"and {more} more")] if more > 0 else rows)
