"""What a residual unit's loss surface looks like where training starts: everything that `resproof check` says.

For a unit h + F(h; w) that is the identity at its initial point w_0 (computed), with D the Hessian block of one unit
and A that between a later and an earlier one,

    H_R = I (x) D + L (x) A + L^T (x) A^T                                                     for every depth R (GEN-1),

and the least degree of F in w decides the regime (GEN-2): one, the Hessian grows with depth; two, A = 0 and the
spectrum is that of one unit, R times; three or more, H_R = 0. The general statements are computed for this very unit
(`proofs.block.general`), the spectrum is that on the data, and the running network confirms both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.forms.terms import IndexSum, Perturbation
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Weight
from resproof.architectures.properties import shifts
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.symmetry import alike
from resproof.architectures.values import Initial, Normal, Values, Zero, normal
from resproof.architectures.variations import at_sizes, starting_at, with_sized_constants
from resproof.numeric.backend import device
from resproof.numeric.data import bind, size_of
from resproof.numeric.limits import OutOfMemoryError, free_memory, in_bytes
from resproof.numeric.network.parameters import given_sizes, parameter_count
from resproof.numeric.spectra.cores import HeldMatrices, shape
from resproof.numeric.threads import one_thread
from resproof.proofs.block.general import (
    General,
    HypothesisError,
    Inapplicable,
    Setting,
    applicable_statements,
    given_data,
    require_hypotheses,
)
from resproof.proofs.block.kinds import KindOfUnit, PairOfKinds, about_kinds, kinds_of, pairs_of
from resproof.proofs.block.scales import ScaleLaw, about_scale, law_of
from resproof.proofs.block.sentences import sentence
from resproof.proofs.block.shared import SharedLaw, about_shared, law_of_shared, spectrum_of_shared_weights
from resproof.proofs.block.spectrum import (
    ConditionNumber,
    NoHessianError,
    Spectrum,
    initial_environment,
    scaled,
    spectrum,
)
from resproof.proofs.block.witness import has_witness
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Data
from resproof.proofs.theory.regimes import Regime, regime_of, regime_of_blocks
from resproof.proofs.theory.unit_pairs import TWO_UNITS
from resproof.proofs.verdict import run
from resproof.symbolic.index.expansion import Expansion, expansion
from resproof.symbolic.index.lift import NotIdentityError

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
WIDEST = 2000
"""The widest core whose D and A are compared with zero on the data."""
UNSETTLED = frozenset({"FAILED", "OPEN", "REFUTED", "ERROR"})
_NO_WITNESS = "terms of D, A or the branch vanish on every instance tried, by no relation that is known here"


@dataclass(frozen=True, slots=True)
class WeightRole:
    """A weight: its shape and sizes, where it starts, from which degree on it enters the output, and its null part.

    `degree` is the least degree of a term of the branch, in general position, that has it; None beyond HIGHEST.
    `partners` are the weights it occurs with in D or A; `null` whether it occurs in neither. One that is not
    `trainable` stays where it starts: it has no part in the gradient or the Hessian, and of this only its place is said.
    """

    name: str
    shape: tuple[str, ...]
    sizes: tuple[int, ...]
    initial: str
    degree: int | None
    partners: tuple[str, ...]
    null: bool
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class Alternative:
    """What changes if one weight that starts at zero starts at random values instead, the same in every unit."""

    weight: str
    order: int | None
    regime: Regime | None
    reason: str


@dataclass(frozen=True, slots=True)
class DepthRow:
    """Extremes of the Hessian at one depth; `bound` is floor(R/2) |A| / |D - A|, below the condition number.

    `below_rounding` eigenvalues are not known to be zero, and left out of the smallest modulus.
    """

    units: int
    largest: float | None
    smallest_modulus: float | None
    condition_number: ConditionNumber
    pseudo_condition_number: float | None
    bound: float | None
    below_rounding: int


@dataclass(frozen=True, slots=True)
class Requirement:
    """A property that was asked for, whether it holds on these data, and what was found in its place if not."""

    asked: str
    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Growth:
    """The constants of the depth law on these data (GEN-3), and whether A and D stay below their rounding bounds.

    The norms are to be taken times 2^`exponent`.
    """

    norm_a: float
    norm_d: float
    norm_difference: float
    a_vanishes: bool
    d_vanishes: bool
    exponent: int

    @property
    def onset(self) -> int:
        """The least R from which on the largest eigenvalue, at least floor(R/2) |A|, exceeds |D|, that of one unit."""
        return 2 * (math.floor(self.norm_d / self.norm_a) + 1)


@dataclass(frozen=True, slots=True)
class Check:
    """All that was found; where a hypothesis fails, `reason` says which and the rest is empty.

    `regime` is that for every size and data in general position, `regime_at_sizes` that at the sizes at hand,
    `regime_on_data` that on the data at hand. `unconfirmed` says what the program could not confirm of its own findings.
    """

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
    regime_at_sizes: Regime | None = None
    regime_on_data: Regime | None = None
    unconfirmed: tuple[str, ...] = ()
    branch: IndexSum | None = None
    diagonal: IndexSum | None = None
    cross: IndexSum | None = None
    spectrum: Spectrum | None = None
    profile: tuple[DepthRow, ...] = ()
    growth: Growth | None = None
    alternatives: tuple[Alternative, ...] = ()
    statements: tuple[tuple[General, Result | None], ...] = ()
    kinds: tuple[KindOfUnit, ...] = ()
    pairs: tuple[PairOfKinds, ...] = ()
    scale: ScaleLaw | None = None
    shared: SharedLaw | None = None
    sentence: str = ""
    properties: Mapping[str, bool] = field(default_factory=dict)

    @property
    def grows(self) -> bool:
        """Whether A is not zero at these sizes."""
        return self.regime_at_sizes == "grows with depth"

    @property
    def moves(self) -> bool:
        """Whether the scale of the branches depends on depth."""
        return self.setting.scale is not None and self.setting.scale.power > 0

    @property
    def parameters(self) -> int:
        """Parameters of all units; where they share them, those of one."""
        return (1 if self.setting.shared else self.setting.units) * parameter_count(self.unit, self.sizes)


def check(unit: ResidualUnit, name: str, setting: Setting | None = None, context: Context | None = None) -> Check:
    """Everything about the unit at its initial point, on the setting's data and at its depth.

    Raises:
        DataError: data or sizes of another shape or kind, or a network that does not fit the memory.
    """
    setting, context = setting or Setting(), context or Context()
    data, given = given_data(unit, setting)
    unit = with_sized_constants(unit, given)
    sizes = bind("check", unit, np.asarray(data.X), {**given_sizes(unit), **(setting.sizes or {}), **given})
    # The same data for everything, so that the digits are cut to size once.
    setting = replace(setting, data=data, sizes=given)
    bare = Check(name, unit, setting, data, sizes)
    _refuse_large(bare, context)
    try:
        require_hypotheses(unit)
        with one_thread():
            found = _symbolic(bare)
            found = replace(found, statements=_run_statements(found, context))
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
    parameters = bare.setting.units * parameter_count(bare.unit, bare.sizes)
    needed = COPIES * 8 * parameters
    if needed > allowed:
        fit = allowed * bare.setting.units // needed
        raise OutOfMemoryError(
            f"check: {parameters} parameters need {in_bytes(needed)}; memory allows {in_bytes(allowed)}, "
            + (f"enough for {fit} units" if fit else "too little for one unit")
        )


# Exact: what holds for every size.


def _symbolic(bare: Check) -> Check:
    unit, exact = bare.unit, expansion(bare.unit, bare.setting.loss)
    regime = _witnessed_regime(exact)
    own = regime if regime is None else _regime_at(exact, bare.sizes, regime)
    law = _law(bare)
    shared = law_of_shared(bare.unit, bare.setting.loss, bare.setting.scale, law) if bare.setting.shared else None
    known = regime is not None and (shared is None or shared.joined is not None)
    return replace(
        bare,
        order=exact.order,
        stationary=exact.stationary,
        regime=regime,
        regime_at_sizes=own,
        unconfirmed=() if known else (_NO_WITNESS,),
        branch=exact.branch,
        diagonal=exact.diagonal,
        cross=exact.cross,
        weights=_roles(unit, bare.sizes),
        alternatives=tuple(_alternatives(unit)),
        kinds=kinds_of(bare.setting.pattern, bare.setting.loss),
        pairs=pairs_of(bare.setting.pattern, bare.setting.loss),
        scale=law,
        shared=shared,
    )


def _law(bare: Check) -> ScaleLaw | None:
    at = bare.setting
    whole = at.units * max(len(at.pattern), 1)
    return None if at.scale is None else law_of(bare.unit, at.loss, at.scale, whole)


def _witnessed_regime(exact: Expansion) -> Regime | None:
    """How the Hessian depends on depth for data in general position; None where terms vanish that no relation removes.

    That a form is empty is a proof that it vanishes. That it has terms is none that it does not: an instance is.
    """
    blocks = [bool(form.terms) for form in (exact.diagonal, exact.cross)]
    seen = [has_witness(form, exact.unit, exact.loss) for form in (exact.diagonal, exact.cross)]
    branch = exact.order is None or has_witness(exact.branch, exact.unit)
    return regime_of_blocks(*blocks) if blocks == seen and branch else None


def _regime_at(exact: Expansion, sizes: Mapping[str, int], general: Regime) -> Regime | None:
    """The same at given sizes, for any data: softmax(W h) - 1/2 is of order one, but of order two where W has two rows."""
    if not _sizes_matter(exact, sizes):
        return general
    unit = at_sizes(exact.unit, sizes)
    try:
        return _witnessed_regime(expansion(unit, exact.loss))
    except (NotIdentityError, NotDifferentiableError):
        return None


def _sizes_matter(exact: Expansion, sizes: Mapping[str, int]) -> bool:
    """Whether terms may cancel that do not in general: two differ in their coefficients only, or a size is one."""
    forms = [[t.factors for t in form.terms] for form in (exact.branch, exact.diagonal, exact.cross)]
    alike = any(len(set(form)) < len(form) for form in forms)
    return bool(shifts(exact.unit.expression)) or alike or any(sizes[name] == 1 for name in exact.unit.dimensions)


def _roles(unit: ResidualUnit, sizes: Mapping[str, int]) -> tuple[WeightRole, ...]:
    exact = expansion(unit)
    partners: dict[str, set[str]] = {name: set() for name in unit.names.values()}
    for term in (*exact.diagonal.terms, *exact.cross.terms):
        moved = [t.weight for t, _ in term.factors if isinstance(t, Perturbation)]
        for one, other in (moved, moved[::-1]):
            partners[one].add(other)
    trained = tuple(
        WeightRole(
            name,
            tuple(map(str, weight.shape)),
            tuple(size_of(n, sizes) for n in weight.shape),
            initial_in_words(weight.initial),
            exact.entering[name],
            tuple(other for other in partners if other in partners[name]),
            not partners[name],
        )
        for weight, name in unit.names.items()
    )
    return trained + tuple(
        WeightRole(
            name,
            tuple(map(str, w.shape)),
            tuple(size_of(n, sizes) for n in w.shape),
            initial_in_words(w.initial),
            None,
            (),
            False,
            trainable=False,
        )
        for w, name in unit.frozen.items()
    )


def initial_in_words(initial: Initial) -> str:
    """zero, ones, identity, N(0, 1/d), or where an array comes from."""
    if isinstance(initial, Values):
        return initial.words
    return f"N(0, {initial.variance})" if isinstance(initial, Normal) else type(initial).__name__.lower()


def _alternatives(unit: ResidualUnit) -> list[Alternative]:
    found: list[Alternative] = []
    first, known = alike(unit.expression), dict[Weight, Alternative]()
    for weight, name in unit.names.items():
        if isinstance(weight.initial, Zero):
            same = known.get(first[weight])
            # A reason names a place in the user's own expression.
            one = _alternative(unit, name) if same is None or same.reason else replace(same, weight=name)
            known[first[weight]] = one
            found.append(one)
    return found


def _alternative(unit: ResidualUnit, name: str) -> Alternative:
    moved = starting_at(unit, name, normal(1))
    try:
        require_hypotheses(moved)
    except HypothesisError as error:
        return Alternative(name, None, None, str(error))
    order = expansion(moved).order
    return Alternative(name, order, regime_of(order), "")


def _run_statements(bare: Check, context: Context) -> tuple[tuple[General, Result | None], ...]:
    if bare.regime is None:
        return ()  # what the statements would claim is not known
    name, pattern = bare.name.rpartition(":")[2], bare.setting.pattern
    found = applicable_statements(bare.unit, name, bare.setting)
    if bare.setting.shared:
        found = (*(one for one in found if one.id == TWO_UNITS.id), about_shared(bare.unit, name))
    found = (*found, about_kinds(pattern, name)) if pattern else found
    found = (*found, about_scale(bare.unit, name, several=bool(pattern))) if bare.scale else found
    return tuple((one, None if isinstance(one, Inapplicable) else run(one, context)) for one in found)


# On the data.


def _on_data(found: Check, context: Context) -> Check:
    depth = found.setting.units
    held = _held(found, context)
    at_depth = _spectrum(found, depth, context, held)
    growth = _growth(found, held)
    on_data = None if growth is None else regime_of_blocks(not growth.d_vanishes, not growth.a_vanishes)
    found = replace(found, spectrum=at_depth, growth=growth, regime_on_data=on_data or found.regime_at_sizes)
    if found.setting.shared:
        return replace(found, growth=None, profile=_profile_of_shared(found, context, at_depth))
    if growth is None or on_data != "grows with depth":
        return found
    rows = [_at_depth(found, units, context, held, growth) for units in PROFILE if units < depth]
    return replace(found, profile=(*rows, _row(depth, at_depth, growth)))


def _profile_of_shared(found: Check, context: Context, at_depth: Spectrum) -> tuple[DepthRow, ...]:
    """The extremes at other depths, where the Hessian depends on depth by more than a factor."""
    if found.shared is None or not found.shared.joined:
        return ()
    at = found.setting
    rows = (
        (units, _spectrum(replace(found, unit=at.at_depth(found.unit, units)), units, context, None))
        for units in PROFILE
        if units < at.units
    )
    return tuple(_row(units, one, None) for units, one in (*rows, (at.units, at_depth)))


def _at_depth(found: Check, units: int, context: Context, held: HeldMatrices, growth: Growth) -> DepthRow:
    """The extremes at another depth; a scale that depends on it changes D and A."""
    unit = found.setting.at_depth(found.unit, units)
    if unit is not found.unit:
        found = replace(found, unit=unit)
        held = _held(found, context)
        growth = _growth(found, held) or growth
    return _row(units, _spectrum(found, units, context, held), growth)


def _held(found: Check, context: Context) -> HeldMatrices:
    network = Network(found.unit, 2, found.setting.loss)
    return HeldMatrices(initial_environment(network, found.data.X, found.data.Y, found.sizes, context.seed)[0])


def _spectrum(found: Check, units: int, context: Context, held: HeldMatrices | None) -> Spectrum:
    inner, seed = dict(found.setting.sizes or {}), context.seed
    x, y, loss = found.data.X, found.data.Y, found.setting.loss
    if found.setting.shared:
        return spectrum_of_shared_weights(found.unit, units, x, y, loss, sizes=inner, seed=seed)
    return spectrum(found.unit, units, x, y, loss, sizes=inner, seed=seed, dense=DENSE, relative=RELATIVE, held=held)


def _row(units: int, one: Spectrum, growth: Growth | None) -> DepthRow:
    ends = one.extremes
    bound = None
    if growth is not None and growth.norm_difference > 0.0 and units > 1:
        bound = units // 2 * growth.norm_a / growth.norm_difference
    moduli = (one.pseudo_condition_number, max(abs(ends.largest), abs(ends.smallest)) if ends else None)
    smallest = moduli[1] / moduli[0] if moduli[0] and moduli[1] else None
    condition, pseudo = one.condition_number, one.pseudo_condition_number
    return DepthRow(units, ends and ends.largest, smallest, condition, pseudo, bound, one.zero_numerical or 0)


def _growth(found: Check, held: HeldMatrices) -> Growth | None:
    """|A|, |D| and |D - A| on the data, core by core: the cores are blocks of both. None where one is too wide."""
    norms, zero, exponent = [0.0, 0.0, 0.0], [True, True], None
    for core in expansion(found.unit, found.setting.loss).cores.cores:
        if max(shape(core, held.env.sizes)) > WIDEST:
            return None
        pair, bounds = held.of(core)
        d = pair.diagonal
        # [[0, B^T], [B, 0]] has the norm of B, and joins no units.
        a = np.zeros_like(d) if pair.cross is None else pair.cross
        errors = (np.zeros_like(a) if bounds.cross is None else bounds.cross, bounds.diagonal)
        zero = [known and bool(np.all(np.abs(m) <= e)) for known, m, e in zip(zero, (a, d), errors, strict=True)]
        exponent = pair.exponent if exponent is None else exponent
        for k, block in enumerate((a, d, d - a)):
            norm = float(np.max(np.linalg.norm(block, 2, axis=(1, 2)), initial=0.0))
            norms[k] = max(norms[k], scaled(norm, pair.exponent - exponent))
    return Growth(*norms, a_vanishes=zero[0], d_vanishes=zero[1], exponent=exponent or 0)


# The verdict.


def _concluded(found: Check) -> Check:
    broken = tuple(
        f"{result.id}: {result.reason}"
        for _, result in found.statements
        if result is not None and result.verdict in UNSETTLED
    )
    assert found.spectrum is not None
    notes = (*about_setting(found.setting), *found.spectrum.notes)
    found = replace(found, unconfirmed=(*found.unconfirmed, *broken), spectrum=replace(found.spectrum, notes=notes))
    assert found.spectrum is not None
    known = found.regime_at_sizes is not None and not found.unconfirmed
    invariant = found.shared.same if found.shared else not (found.grows or found.moves)
    properties = {
        "depth-invariant": known and (found.regime_at_sizes == "flat" or invariant),
        "strict-saddle": bool(found.spectrum.strict_saddle) and found.setting.border is None,
    }
    return replace(found, properties=properties, sentence=sentence(found))


def about_setting(setting: Setting) -> tuple[str, ...]:
    """What is to be said of the setting, and what trained weights of stem and head change."""
    border = setting.border
    if border is None:
        return setting.notes
    q = border.parameters
    return (
        *setting.notes,
        f"all of this is about the units' weights; with {', '.join(border.names)}, trained too ({q} parameters), the k-th "
        f"largest eigenvalue of the whole Hessian lies between the k-th and the (k - {q})-th of theirs (interlacing)",
    )


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


def requirement(found: Check, asked: str) -> Requirement:
    """What comes of a required property; order>=K asks that the first K derivatives of the loss vanish.

    Raises:
        ArchitectureError: an unknown requirement.
    """
    least = required_order(asked)
    if found.spectrum is None:
        return Requirement(asked, False, found.reason)
    if least is None:
        wanted = asked.replace(" ", "")
        holds = found.properties[wanted]
        return Requirement(asked, holds, "" if holds else _why_not(found, wanted))
    border = found.setting.border
    if border is not None and least:
        why = f"{', '.join(border.names)} are trained, with a gradient of norm {border.gradient:.3g}"
        return Requirement(asked, False, why)
    order = found.spectrum.stationary_order
    holds = int(str(order).removeprefix(">=")) >= least
    return Requirement(asked, holds, "" if holds else f"the stationary order is {order}")


def _why_not(found: Check, wanted: str) -> str:
    if wanted == "depth-invariant":
        if found.shared is not None and not found.unconfirmed:
            return f"the greatest modulus of an eigenvalue {found.shared.greatest}"
        own = (
            f"the Hessian follows the scale {found.setting.scale}"
            if found.moves
            else f"the Hessian {found.regime_at_sizes}"
        )
        return found.unconfirmed[0] if found.unconfirmed else own
    assert found.spectrum is not None
    if found.setting.border is not None:
        return f"{', '.join(found.setting.border.names)} are trained as well"
    if found.spectrum.stationary_order == 0:
        return "the initial point is not stationary"
    return "the Hessian has no negative eigenvalue" if found.regime_on_data != "flat" else "the Hessian is zero"
