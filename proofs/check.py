"""What a residual unit's loss surface looks like where training starts: everything that `resproof check` says.

For a unit h + F(h; w) that is the identity at its initial point w_0 (computed), with D the Hessian block of one unit
and A that between a later and an earlier one,

    H_R = I (x) D + L (x) A + L^T (x) A^T                                                     for every depth R (GEN-1),

and the least degree of F in w decides the regime (GEN-2): one, the Hessian grows with depth; two, A = 0 and the
spectrum is that of one unit, R times; three or more, H_R = 0. The general statements are computed for this very unit
(`proofs.general`), the spectrum is that on the data, and the running network confirms both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from architectures.errors import ArchitectureError
from architectures.expressions import Initial, Normal, Zero, normal
from architectures.losses import generic_loss
from architectures.networks import Network, ResidualUnit
from architectures.terms import IndexSum, Perturbation
from architectures.variations import starting_at
from numeric.backend import device
from numeric.core import matrices
from numeric.data import bind
from numeric.faults import OutOfMemoryError, free_memory, in_bytes
from numeric.parameters import parameter_count, shapes
from numeric.threads import one_thread
from proofs.analysis import NoHessianError, Spectrum, initial_environment, spectrum
from proofs.general import (
    HIGHEST,
    General,
    HypothesisError,
    Inapplicable,
    Setting,
    applicable_statements,
    given_data,
    order_in_words,
    require_hypotheses,
)
from proofs.parts import Context, Data
from proofs.regimes import Regime, regime_of
from proofs.verdicts import Result, run
from symbolic.leading import linearised
from symbolic.lift import branch_order, hessian_form, layout, network_series, stationary_order
from symbolic.series import freeze
from symbolic.structure import decompose

DENSE = 1000
"""A matrix over all units up to this side is diagonalised; of a larger one the extremes are enclosed."""
RELATIVE = 1e-5
"""How closely."""
PROFILE = (1, 4, 16, 64)
"""Depths at which the growth of a Hessian of order one is looked at, beside the one asked for."""

COPIES = 4
"""Arrays of the size of all parameters that a product with the running network's Hessian takes."""
MOST = 2**31
"""Bytes granted where the machine does not say what is free."""


@dataclass(frozen=True, slots=True)
class WeightRole:
    """A weight: its shape and sizes, where it starts, from which degree on it enters the output, and its null part.

    `degree` is the least degree of a term of the branch, in general position, that has it; None beyond HIGHEST.
    `partners` are the weights it occurs with in D or A; `null` whether it occurs in neither.
    """

    name: str
    shape: tuple[str, str]
    sizes: tuple[int, int]
    initial: str
    degree: int | None
    partners: tuple[str, ...]
    null: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """What changes if one weight that starts at zero starts at random values instead, the same in every unit."""

    weight: str
    order: int | None
    regime: Regime | None
    reason: str


@dataclass(frozen=True, slots=True)
class DepthRow:
    """Extremes of the Hessian at one depth; `bound` is floor(R/2) |A| / |D - A|, below the condition number."""

    units: int
    largest: float | None
    smallest_modulus: float | None
    condition_number: float | Literal["inf"] | None
    pseudo_condition_number: float | None
    bound: float | None


@dataclass(frozen=True, slots=True)
class Growth:
    """The constants of the depth law on these data, for a Hessian of order one (GEN-3)."""

    norm_a: float
    norm_d: float
    norm_difference: float


@dataclass(frozen=True, slots=True)
class Check:
    """All that was found; where a hypothesis fails, `reason` says which and the rest is empty."""

    name: str
    unit: ResidualUnit
    setting: Setting
    data: Data
    sizes: Mapping[str, int]
    reason: str = ""
    weights: tuple[WeightRole, ...] = ()
    order: int | None = None
    stationary: int | None = None
    regime: Regime | None = None
    branch: IndexSum | None = None
    diagonal: IndexSum | None = None
    cross: IndexSum | None = None
    spectrum: Spectrum | None = None
    profile: tuple[DepthRow, ...] = ()
    growth: Growth | None = None
    alternatives: tuple[Alternative, ...] = ()
    statements: tuple[tuple[General, Result | None], ...] = ()
    sentence: str = ""
    properties: Mapping[str, bool] = field(default_factory=dict)

    @property
    def parameters(self) -> int:
        """Parameters of all units."""
        return self.setting.units * parameter_count(self.unit, self.sizes)

    @property
    def failed(self) -> tuple[str, ...]:
        """The labels of the general statements that did not go through."""
        return tuple(
            one.label
            for one, result in self.statements
            if result is not None and result.verdict in {"FAILED", "OPEN", "REFUTED"}
        )


def check(unit: ResidualUnit, name: str, setting: Setting | None = None, context: Context | None = None) -> Check:
    """Everything about the unit at its initial point, on the setting's data and at its depth.

    Raises:
        DataError: data or sizes of another shape or kind, or a network that does not fit the memory.
    """
    setting, context = setting or Setting(), context or Context()
    data, given = given_data(unit, setting)
    sizes = bind("check", unit, np.asarray(data.X), {**(setting.sizes or {}), **given})
    # The same data for everything, so that the digits are cut to size once.
    setting = replace(setting, data=data, sizes=given)
    bare = Check(name, unit, setting, data, sizes)
    _refuse_large(bare, context)
    try:
        require_hypotheses(unit)
        with one_thread():
            found = replace(_symbolic(bare), statements=_run_statements(bare, context))
            return _concluded(_on_data(found, context))
    except (HypothesisError, NoHessianError) as error:
        reason = str(error).removeprefix("spectrum: ")
        return replace(bare, reason=reason, sentence=f"{name}: {reason}.")


def _refuse_large(bare: Check, context: Context) -> None:
    """Nothing, where the running network's weights, a direction and a product fit.

    Raises:
        OutOfMemoryError: they do not; the message says what is needed, and how many units would fit.
    """
    free = free_memory(device("cpu").ops)
    allowed = context.memory if context.memory is not None else MOST if free is None else free // 2
    needed = COPIES * 8 * bare.parameters
    if needed > allowed:
        fit = allowed * bare.setting.units // needed
        raise OutOfMemoryError(
            f"check: {bare.parameters} parameters need {in_bytes(needed)}; memory allows {in_bytes(allowed)}, "
            + (f"enough for {fit} units" if fit else "too little for one unit")
        )


# Exact: what holds for every size.


def _symbolic(bare: Check) -> Check:
    unit, loss = bare.unit, bare.setting.loss
    order, form = branch_order(unit, HIGHEST), hessian_form(unit, loss)
    branch = network_series([unit], order)[order] if order is not None else {}
    return replace(
        bare,
        order=order,
        stationary=stationary_order(unit, loss, HIGHEST),
        regime=regime_of(order),
        branch=freeze(branch, layout(unit).output),
        diagonal=form.diagonal,
        cross=form.cross,
        weights=_roles(unit, bare.sizes),
        alternatives=tuple(_alternatives(unit)),
    )


def _roles(unit: ResidualUnit, sizes: Mapping[str, int]) -> tuple[WeightRole, ...]:
    entering = entering_degrees(unit)
    form = hessian_form(unit, generic_loss)
    partners: dict[str, set[str]] = {name: set() for name in unit.names.values()}
    for term in (*form.diagonal.terms, *form.cross.terms):
        moved = [t.weight for t, _ in term.factors if isinstance(t, Perturbation)]
        for one, other in (moved, moved[::-1]):
            partners[one].add(other)
    actual = shapes(unit, sizes)
    return tuple(
        WeightRole(
            name,
            (str(weight.rows), str(weight.cols)),
            actual[name],
            initial_in_words(weight.initial),
            entering[name],
            tuple(other for other in partners if other in partners[name]),
            not partners[name],
        )
        for weight, name in unit.names.items()
    )


def entering_degrees(unit: ResidualUnit, at_most: int = HIGHEST) -> dict[str, int | None]:
    """For each weight the least degree of a term of the unit's output, at the data, that has it."""
    found: dict[str, int | None] = dict.fromkeys(unit.names.values())
    for degree in range(1, at_most + 1):
        if None not in found.values():
            break
        part = network_series([linearised(unit, degree)], degree)[degree]
        for name in {t.weight for _, factors in part for t, _ in factors if isinstance(t, Perturbation)}:
            if found[name] is None:
                found[name] = degree
    return found


def initial_in_words(initial: Initial) -> str:
    """zero, ones, identity or N(0, 1/d)."""
    return f"N(0, {initial.variance})" if isinstance(initial, Normal) else type(initial).__name__.lower()


def _alternatives(unit: ResidualUnit) -> list[Alternative]:
    found: list[Alternative] = []
    for weight, name in unit.names.items():
        if not isinstance(weight.initial, Zero):
            continue
        moved = starting_at(unit, name, normal(1))
        try:
            require_hypotheses(moved)
        except HypothesisError as error:
            found.append(Alternative(name, None, None, str(error)))
        else:
            order = branch_order(moved, HIGHEST)
            found.append(Alternative(name, order, regime_of(order), ""))
    return found


def _run_statements(bare: Check, context: Context) -> tuple[tuple[General, Result | None], ...]:
    found = applicable_statements(bare.unit, bare.name.rpartition(":")[2], bare.setting)
    return tuple((one, None if isinstance(one, Inapplicable) else run(one, context)) for one in found)


# On the data.


def _on_data(found: Check, context: Context) -> Check:
    depth = found.setting.units
    at_depth = _spectrum(found, depth, context)
    if found.regime != "grows with depth":
        return replace(found, spectrum=at_depth)
    growth = _growth(found, context)
    depths = [units for units in PROFILE if units < depth]
    rows = [_row(units, _spectrum(found, units, context), growth) for units in depths]
    return replace(found, spectrum=at_depth, growth=growth, profile=(*rows, _row(depth, at_depth, growth)))


def _spectrum(found: Check, units: int, context: Context) -> Spectrum:
    inner = dict(found.setting.sizes or {})
    x, y, loss = found.data.X, found.data.Y, found.setting.loss
    return spectrum(found.unit, units, x, y, loss, sizes=inner, seed=context.seed, dense=DENSE, relative=RELATIVE)


def _row(units: int, one: Spectrum, growth: Growth) -> DepthRow:
    ends = one.extremes
    bound = None
    if growth.norm_difference > 0.0 and units > 1:
        bound = units // 2 * growth.norm_a / growth.norm_difference
    moduli = (one.pseudo_condition_number, max(abs(ends.largest), abs(ends.smallest)) if ends else None)
    smallest = moduli[1] / moduli[0] if moduli[0] and moduli[1] else None
    return DepthRow(units, ends and ends.largest, smallest, one.condition_number, one.pseudo_condition_number, bound)


def _growth(found: Check, context: Context) -> Growth:
    """|A|, |D| and |D - A| on the data, core by core: the cores are blocks of both."""
    network = Network(found.unit, 2, found.setting.loss)
    env, _ = initial_environment(network, found.data.X, found.data.Y, found.sizes, context.seed)
    norms = [0.0, 0.0, 0.0]
    for core in decompose(found.unit, found.setting.loss).cores:
        pair, _ = matrices(core, env)
        d = pair.diagonal
        # [[0, B^T], [B, 0]] has the norm of B, and joins no units.
        a = np.zeros_like(d) if pair.cross is None else pair.cross
        for k, block in enumerate((a, d, d - a)):
            norm = float(np.max(np.linalg.norm(block, 2, axis=(1, 2)), initial=0.0))
            norms[k] = max(norms[k], norm * 2.0**pair.exponent)
    return Growth(*norms)


# The verdict.


def _concluded(found: Check) -> Check:
    assert found.spectrum is not None
    invariant = found.regime != "grows with depth" and not found.failed
    properties = {"depth-invariant": invariant, "strict-saddle": bool(found.spectrum.strict_saddle)}
    return replace(found, properties=properties, sentence=_sentence(found))


def required_order(asked: str) -> int | None:
    """K of order>=K; None for the other requirements, depth-invariant and strict-saddle.

    Raises:
        ArchitectureError: none of these.
    """
    wanted = asked.replace(" ", "")
    if wanted in {"depth-invariant", "strict-saddle"}:
        return None
    least = wanted.removeprefix("order>=")
    if least == wanted or not least.isdecimal() or len(least) > 2:
        raise ArchitectureError(f"--require {asked}: is unknown; expected 'order>=K', depth-invariant or strict-saddle")
    return int(least)


def requirement(found: Check, asked: str) -> tuple[bool, str]:
    """Whether a required property holds on these data, and what was found in its place where it does not.

    order>=K asks that the first K derivatives of the loss vanish.

    Raises:
        ArchitectureError: an unknown requirement.
    """
    least = required_order(asked)
    if found.spectrum is None:
        return False, found.reason
    if least is None:
        wanted = asked.replace(" ", "")
        holds = found.properties[wanted]
        return holds, "" if holds else _why_not(found, wanted)
    order = found.spectrum.stationary_order
    holds = int(str(order).removeprefix(">=")) >= least and not found.failed
    return holds, "" if holds else f"the stationary order is {order}"


def _why_not(found: Check, wanted: str) -> str:
    if wanted == "depth-invariant":
        return ", ".join(found.failed) + " did not go through" if found.failed else f"the Hessian {found.regime}"
    assert found.spectrum is not None
    if found.spectrum.stationary_order == 0:
        return "the initial point is not stationary"
    return "the Hessian has no negative eigenvalue" if found.regime != "flat" else "the Hessian is zero"


def _sentence(found: Check) -> str:
    """The verdict in one sentence, made of what was computed."""
    assert found.spectrum is not None
    if found.failed:
        why = next(result.reason for _, result in found.statements if result is not None and result.reason)
        return f"{found.name}: {', '.join(found.failed)} did not go through, so nothing is claimed of it: {why}"
    one = found.spectrum
    start = {
        "grows with depth": "the Hessian where training starts grows with depth",
        "depth-invariant": "the Hessian where training starts has the same spectrum at every depth",
        "flat": "the Hessian where training starts is zero at every depth",
    }
    reason = f"its branch is of {order_in_words(found.order)} in the weights"
    point = "a strict saddle" if one.strict_saddle else "stationary" if one.stationary_order != 0 else "not stationary"
    middle = f"the initial point is {point} (stationary order {one.stationary_order})"
    return f"{found.name}: {start[found.regime or 'flat']}, because {reason}; {middle}{_condition(found)}."


def _condition(found: Check) -> str:
    one = found.spectrum
    assert one is not None
    if one.pseudo_condition_number is None:
        return ""
    where = "at every depth" if found.regime == "depth-invariant" else f"at R = {one.units}"
    if one.condition_number == "inf":
        return f", with an infinite condition number and {one.pseudo_condition_number:.4g} beside its null directions, {where}"
    return f", with condition number {one.pseudo_condition_number:.4g} {where}"
