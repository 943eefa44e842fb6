"""The spectrum of the Hessian where training starts, for any unit, depth, loss and data.

The exact side cuts the Hessian into cores (resproof.symbolic.index.structure), the array side contracts each with the data and takes
its eigenvalues (resproof.numeric.spectra.cores), exact arithmetic counts zeros (resproof.proofs.block.ranks). By GEN-1

    H = I (x) D + L (x) A + L^T (x) A^T,

so a core without A costs the same for every number of units R: its eigenvalues have the multiplicity
R x spectators. One with A is dense on all units, up to DENSE parameters; beyond, its eigenvalues
are counted and the extreme ones enclosed (resproof.numeric.spectra.toeplitz). What is too wide for either is looked at through
products of the running network (resproof.proofs.block.ritz): Ritz values, and the ranges that are proved.

Zeros. `zero_exact` counts the eigenvalues that are exactly zero: by dimension (weights that occur in no term,
rectangular cores, sums over few samples), by a declared relation (1^T g = 0, 1^T LN = 0) or by the exact rank of the
rational matrix that the floats define. `zero_numerical` counts those of the others whose computed modulus is below the
derived rounding bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import PlainSerializer

from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.forms.cores import Core, Decomposition
from resproof.architectures.forms.terms import ActivationValue, IndexSum, InverseScale, Normalised, Secant
from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Apply, Expression, Normalize, nodes
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import short_text
from resproof.architectures.values import Normal, Values, is_arbitrary
from resproof.architectures.variations import at_sizes
from resproof.numeric.backend import largest_modulus
from resproof.numeric.data import bind, check_data
from resproof.numeric.limits import NotFiniteError
from resproof.numeric.network.parameters import initial_weights, parameter_count, shapes
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.numeric.spectra import toeplitz
from resproof.numeric.spectra.contract import Environment, contract, environment
from resproof.numeric.spectra.cores import CoreSpectrum, HeldMatrices, Matrices, core_spectrum, shape, size
from resproof.proofs.block.ranks import common_kernels, exact_ranks
from resproof.proofs.block.ritz import RitzEnds, Sought, exact_zeros, greatest_rank, ritz_ends, ritz_notes
from resproof.proofs.block.witness import exceeds, not_identity, passed_through
from resproof.symbolic.index.expansion import HIGHEST, expansion
from resproof.symbolic.index.leading import linearised
from resproof.symbolic.index.lift import NotIdentityError
from resproof.symbolic.index.structure import branch_degree, is_polynomial, loss_part

DENSE = 5000
"""The largest matrix whose eigenvalues are computed densely."""
WIDEST = 400
"""The widest core, its null directions left out, whose eigenvalues are counted at a depth where it is not dense."""
FORMED = 1000
"""The widest such core whose D and A are formed to see how wide they are, and for a bound of their norms."""
LONGEST = 100_000
"""The longest list of distinct eigenvalues that is given in full."""
FARTHEST = 12
"""The degree beyond which no branch is looked for."""
DIRECTIONS = 5
"""Random directions along which a part of degree three or more is evaluated."""
SIDES = 13
"""So many for each of them where an activation is at its kink: the part may vanish on one side of it."""

_NO_SIZES: Mapping[str, int] = MappingProxyType({})


def _written(value: float | None) -> float | Literal["inf"] | None:
    return "inf" if value == math.inf else value


ConditionNumber: TypeAlias = Annotated[float | None, PlainSerializer(_written, when_used="json")]
"""Greatest over least modulus; infinite where an eigenvalue is exactly zero, which JSON writes as "inf"."""


class NoHessianError(ArithmeticError):
    """The loss has no Hessian at the initial point, or the unit is not the identity there; one line that says why."""


@dataclass(frozen=True, slots=True)
class Eigenvalue:
    """An eigenvalue and how often it occurs."""

    value: float
    multiplicity: int


@dataclass(frozen=True, slots=True)
class Extremes:
    """The largest and the smallest eigenvalue, and the smallest modulus of one (None where nothing is known of it)."""

    largest: float
    smallest: float
    smallest_modulus: float | None


@dataclass(frozen=True, slots=True)
class Ranges:
    """What encloses each of the extremes, proved, where these are Ritz values; None: no bound is known on that side.

    `nearest` bounds the distance from the Ritz values `largest` and `smallest` to some eigenvalue, which need not be the
    extreme one.
    """

    largest: tuple[float, float | None]
    smallest: tuple[float | None, float]
    smallest_modulus: tuple[float, float]
    nearest: tuple[float, float]


CoreKind: TypeAlias = Literal["bipartite", "symmetric", "all units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One core: its weights, its shape, why its eigenvalues repeat, and what is known of its rank.

    `multiplicity` is R (1 for a core on all units) times the sizes of the spectators. `shape` is that of B for a
    bipartite core, of the core itself otherwise, and there is one such matrix for each value of the labels. `rank`
    is the exact rank of each, where it was computed; `error` bounds the rounding of each eigenvalue.
    """

    weights: tuple[str, ...]
    kind: CoreKind
    shape: tuple[int, int]
    multiplicity: int
    spectators: tuple[tuple[str, int], ...]
    labels: tuple[tuple[str, int], ...]
    rank: tuple[int, ...] | None
    error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spectrum:
    """What `spectrum` found; `eigenvalues` is None where the list is too long or was not computed, `notes` say why.

    With `ranges` the extremes are Ritz values, and `zero_exact` is a lower bound. The condition number is infinite where some
    eigenvalue is exactly zero; None where there is none, or where eigenvalues that are not known to be zero are below rounding.
    The pseudo-condition number is that of the eigenvalues above rounding.
    """

    units: int
    width: int
    parameters: int
    stationary_order: int | str
    eigenvalues: tuple[Eigenvalue, ...] | None = None
    extremes: Extremes | None = None
    ranges: Ranges | None = None
    condition_number: ConditionNumber = None
    pseudo_condition_number: float | None = None
    negative: int | None = None
    zero: int | None = None
    positive: int | None = None
    zero_exact: int | None = None
    zero_numerical: int | None = None
    strict_saddle: bool | None = None
    core: tuple[Component, ...]
    absent: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedForm:
    """The Hessian in one set of weights that so many units share: its cores, and those of one weight or two."""

    units: int
    cores: Decomposition
    by_pairs: tuple[Core, ...]


def spectrum(
    unit: ResidualUnit,
    units: int,
    x: Any,
    y: Any,
    loss: Loss = squared,
    *,
    sizes: Mapping[str, int] = _NO_SIZES,
    seed: int = 0,
    dense: int | None = None,
    relative: float = toeplitz.RELATIVE,
    held: HeldMatrices | None = None,
    shared: SharedForm | None = None,
) -> Spectrum:
    """The eigenvalues of the Hessian of `units` equal units at the initial point, and what follows from them.

    Args:
        unit: the residual unit.
        units: R, any number where no core joins different units.
        x: the data, (d, m), or (m, d, t) for a unit that mixes columns.
        y: the targets, of the same shape.
        loss: the per-sample loss.
        sizes: the sizes of inner widths.
        seed: of random initial weights, which are drawn once and shared by all units.
        dense: the largest matrix over all units whose eigenvalues are listed (DENSE unless given); of a larger one
            the extremes are had.
        relative: to which relative width these are enclosed.
        held: the cores' matrices on these very data, where several depths are looked at.
        shared: the form in one set of weights that several units share, in the place of D; `units` is one then.

    Raises:
        NoHessianError: the loss is not twice differentiable, or the unit is not the identity at its initial point.
        DataError: data or sizes of another shape or kind.
        ArchitectureError: the unit has no weights, or units is no positive int.
    """
    network = Network(unit, units, loss)
    if not unit.names:
        kind = "trainable weights" if unit.frozen else "weights"
        raise ArchitectureError(f"spectrum: {short_text(unit.expression)} has no {kind}; expected at least one")
    x, y = check_data("spectrum", unit, x, y, loss)
    bound = bind("spectrum", unit, x, sizes)
    with np.errstate(all="ignore"):  # what overflows or divides by zero is found below, where it is named
        env, notes = initial_environment(network, x, y, bound, seed)
        held = held or HeldMatrices(env)
        cut = shared.cores if shared else decomposed(unit, loss, units)
        _refuse_undefined(unit, env, seed)
        _refuse_singular(unit, cut.cores, env)
        parts = [_part(core, held, units, DENSE if dense is None else dense, relative) for core in cut.cores]
        null = units * sum(size(dims, bound) for _, dims in cut.absent)
        found = _summary(network, env, parts, null, tuple(name for name, _ in cut.absent), notes)
        if all(part.known for part in parts):
            return found
        zeros = null + sum(part.exact for part in parts)
        joined = any(part.component.kind == "all units" for part in parts if not part.known)
        by_pairs = shared.by_pairs if shared else expansion(unit, loss).by_pairs
        whole = replace(network, units=shared.units) if shared else network
        asked = Sought(whole, x, y, env, seed, by_pairs, joined, near_zero=not zeros, shared=shared is not None)
        return _with_ritz_values(found, asked, parts, zeros)


def decomposed(unit: ResidualUnit, loss: Loss, units: int) -> Decomposition:
    """The cores of the Hessian.

    Raises:
        NoHessianError: the loss is not twice differentiable, or the unit is not the identity at its initial point.
    """
    try:
        found = expansion(unit, loss)
        return found.cores if units > 1 else found.cores_of_one
    except NotDifferentiableError as error:
        raise NoHessianError(f"spectrum: {error}") from None
    except NotIdentityError as error:
        raise NoHessianError(f"spectrum: {not_identity(unit, error)}") from None


def initial_environment(
    network: Network, x: Any, y: Any, sizes: Mapping[str, int], seed: int
) -> tuple[Environment, tuple[str, ...]]:
    """The data and the random initial weights, drawn once for all units, for contraction; and notes that say so."""
    env, unit = environment(network, x, y, sizes=sizes), network.unit
    random = [name for weight, name in unit.every_name.items() if isinstance(weight.initial, Normal)]
    drawn = initial_weights(unit, 1, sizes, env.ops, seed, shared=True)
    notes = _about_values(unit)
    if random:
        note = f"the random initial values of {', '.join(random)} are drawn with seed {seed}"
        if network.units > 1:
            note += ", once for all units: with a draw for each unit D and A differ between units"
        notes = (note, *notes)
    initial = {name: drawn[name][0] for weight, name in unit.every_name.items() if is_arbitrary(weight.initial)}
    return replace(env, initial={**env.initial, **initial}, given=_given(unit)) if initial else env, notes


def _given(unit: ResidualUnit) -> dict[str, Values]:
    """The weights that start at arrays."""
    return {name: w.initial for w, name in unit.every_name.items() if isinstance(w.initial, Values)}


def _about_values(unit: ResidualUnit) -> tuple[str, ...]:
    """That arrays are taken for arbitrary ones in what is exact, and which of them are rounded to floats in numbers."""
    given = _given(unit)
    rounded = [name for name, values in given.items() if not values.is_float]
    notes = [f"what is proved holds for every initial value of {', '.join(given)}"] if given else []
    return (
        *notes,
        *([f"the initial values of {', '.join(rounded)} are rounded to floats in numbers"] if rounded else ()),
    )


# One core.


@dataclass(frozen=True, slots=True)
class _Part:
    """A core's eigenvalues (None where not computed), and how many of them, repeated, are zero for which reason.

    The values are to be taken times 2^`exponent`. `ends` are the extremes of a core that joins too many units to be
    dense, one for each label; `within` is what the eigenvalues of one that is too wide even for them lie between.
    """

    component: Component
    values: np.ndarray | None
    exact: int
    numerical: int
    notes: tuple[str, ...] = ()
    ends: tuple[toeplitz.ExtremeEigenvalues, ...] = ()
    within: tuple[float, float] | None = None
    exponent: int = 0

    @property
    def known(self) -> bool:
        """Whether its eigenvalues, or their extremes and inertia, were computed."""
        return self.values is not None or bool(self.ends)


def _part(core: Core, held: HeldMatrices, units: int, dense: int, relative: float) -> _Part:
    env, notes, exactly = held.env, tuple[str, ...](), True
    rows = shape(core, env.sizes)
    side = min(rows) * (units if core.cross else 1)
    if min(rows) > (FORMED if core.cross and side > dense else DENSE) or (side > dense and rows[0] > DENSE):
        return _too_large(core, env, units)
    found, bounds = held.of(core)
    if found.cross is not None and bounds.cross is not None and bool(np.all(np.abs(found.cross) <= bounds.cross)):
        # A below its rounding bound moves no eigenvalue by more than R times that bound, which stays in the error.
        exactly = not np.any(bounds.cross)
        core, found = replace(core, cross=()), replace(found, cross=None)
        notes += (f"A vanishes on these data for {_names(core)}, so H = I (x) D there",)
    elif core.cross and side > dense:
        return _deep(core, env, units, (found, bounds), relative)
    spectrum = core_spectrum(core, found, bounds, units)
    upper = greatest_rank(core, env.sizes, units) if exactly else min(rows)
    ranks = exact_ranks(core, env, units, upper, _bits(found, bounds)) if exactly else None
    known = ranks or (upper,) * len(spectrum.moduli)
    values, exact, numerical = _with_zeros(core, spectrum, rows, known)
    component = _component(core, env, units, ranks, scaled(spectrum.bound, found.exponent))
    if numerical and ranks is not None:
        count = numerical * component.multiplicity
        notes += (f"{count} eigenvalues of {_names(core)} are below the rounding bound, yet not zero",)
    times = component.multiplicity
    return _Part(component, values, exact * times, numerical * times, notes, exponent=found.exponent)


def _deep(core: Core, env: Environment, units: int, pair: tuple[Matrices, Matrices], relative: float) -> _Part:
    """The extremes of a core that joins all units, by counting eigenvalues (`numeric.spectra.toeplitz`)."""
    found, bounds = pair
    assert found.cross is not None
    assert bounds.cross is not None
    # |I (x) E + L (x) F + L^T (x) F^T| <= |E| + (R - 1) |F|, for |L + L^T| <= R - 1.
    off = np.linalg.norm(bounds.diagonal, axis=(1, 2)) + (units - 1) * np.linalg.norm(bounds.cross, axis=(1, 2))
    each = [(d, a, float(one)) for d, a, one in zip(found.diagonal, found.cross, off, strict=True)]
    try:
        ends = tuple(toeplitz.extremes(d, a, units, relative=relative, off=one, widest=WIDEST) for d, a, one in each)
    except toeplitz.TooWideError:
        lows, highs = zip(*(toeplitz.ceilings(d, a, units, off=one) for d, a, one in each), strict=True)
        return replace(_too_large(core, env, units), within=(min(lows), max(highs)), exponent=found.exponent)
    error = max(max(end.tolerance, *end.errors) for end in ends)
    component = _component(core, env, units, None, scaled(error, found.exponent))
    side = units * found.diagonal.shape[-1]
    note = f"the {side} eigenvalues of {_names(core)} are counted and their extremes enclosed, not listed"
    zeros = component.multiplicity * sum(end.zero for end in ends)
    null = common_kernels(core, env, _bits(found, bounds)) or ()
    exact = max(component.multiplicity * units * sum(null), exact_zeros(core, env.sizes, units))
    return _Part(component, None, exact, zeros - exact, (note,), ends, exponent=found.exponent)


def _too_large(core: Core, env: Environment, units: int) -> _Part:
    """A core that no matrix is made of: its zeros are those that sizes alone prove."""
    component = _component(core, env, units, None, None)
    return _Part(component, None, exact_zeros(core, env.sizes, units), 0)


def _component(
    core: Core, env: Environment, units: int, ranks: tuple[int, ...] | None, error: float | None
) -> Component:
    kind: CoreKind = "all units" if core.cross else "symmetric" if core.sides is None else "bipartite"
    spectators, labels = (tuple((str(n), size((n,), env.sizes)) for n in p) for p in (core.spectators, core.labels))
    multiplicity = size(core.spectators, env.sizes) * (1 if core.cross else units)
    return Component(
        weights=tuple(w.name for w in core.weights),
        kind=kind,
        shape=shape(core, env.sizes),
        multiplicity=multiplicity,
        spectators=spectators,
        labels=labels,
        rank=ranks,
        error=error,
    )


def _names(core: Core) -> str:
    return ", ".join(w.name for w in core.weights)


def _bits(*several: Matrices) -> int:
    """The number of bits of the integer part of the sum of the largest moduli."""
    arrays = [(a, found.exponent) for found in several for a in (found.diagonal, found.cross) if a is not None]
    largest = [(largest_modulus(a), exponent) for a, exponent in arrays]
    return max([0, *(math.frexp(value)[1] + exponent for value, exponent in largest if value)]) + len(largest)


def scaled(value: float, exponent: int) -> float:
    """value 2^exponent; infinite or zero where floats end."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.inf


def _with_zeros(
    core: Core, found: CoreSpectrum, rows: tuple[int, int], ranks: tuple[int, ...]
) -> tuple[np.ndarray, int, int]:
    """The eigenvalues with zeros put in, how many are exactly zero, and how many others are below the bound.

    Where the rank is known, those below the bound beyond the exact zeros are counted once more: they are not zero.
    """
    moduli = found.moduli.copy()
    exact = 0
    for row, rank in zip(moduli, ranks, strict=True):
        smallest = np.argsort(np.abs(row), kind="stable")[: len(row) - rank]
        row[smallest] = 0.0
        exact += len(smallest)
    tiny = (moduli != 0.0) & (np.abs(moduli) <= found.bound)
    # A computed value of exactly 0.0 that no exact reason covers is numerically zero too.
    numerical = int(np.sum(np.abs(moduli) <= found.bound)) - exact
    moduli[tiny] = 0.0
    if core.sides is None:
        return moduli.ravel(), exact, numerical
    surplus = np.zeros(len(moduli) * abs(rows[0] - rows[1]))
    return (
        np.concatenate([-moduli.ravel(), moduli.ravel(), surplus]),
        2 * exact + len(surplus),
        2 * numerical,
    )


# Points of the data where a function has no derivative.


def _refuse_undefined(unit: ResidualUnit, env: Environment, seed: int) -> None:
    """Refuse a unit with a normalisation of scale zero at these sizes, even where that reaches no form: shift of a row.

    Raises:
        NoHessianError: its output is not finite at random data.
    """
    bare = [n for n in nodes(unit.expression) if isinstance(n, Normalize) and not n.epsilon]
    if not bare:
        return
    x = np.random.default_rng(seed).standard_normal(tuple(env.x.shape))
    try:
        _ = passed_through(unit, env, x, seed)
    except NotFiniteError:
        shown = short_text(bare[0], unit.names)
        raise NoHessianError(
            f"spectrum: {shown} or another norm without epsilon has an argument of scale 0 at these sizes"
        ) from None


def _refuse_singular(unit: ResidualUnit, cores: tuple[Core, ...], env: Environment) -> None:
    """Refuse a normalisation of scale zero, and a derivative at a kink whose side the Hessian depends on.

    Raises:
        NoHessianError: one of them occurs at the data.
    """
    for terms in (block.entries for core in cores for block in (*core.diagonal, *core.cross)):
        tensors = sorted({t for term in terms.terms for t, _ in term.factors}, key=lambda t: t.key)
        for tensor in tensors:
            if isinstance(tensor, Normalised | InverseScale):
                _refuse_scale(unit, tensor, env)
            elif isinstance(tensor, ActivationValue) and tensor.order:
                _refuse_kink(unit, tensor, terms, env)


def _refuse_scale(unit: ResidualUnit, tensor: Normalised | InverseScale, env: Environment) -> None:
    u = contract(tensor.argument, env)
    centred = u - np.mean(u, axis=tensor.slot, keepdims=True) if tensor.centred else u
    apart, whole = (np.sum(np.abs(a), axis=tensor.slot) for a in (centred, u))
    # The mean of n equal numbers is off by n u of them at most.
    if not tensor.epsilon and np.any(apart <= 2 * u.shape[tensor.slot] * UNIT_ROUNDOFF * whole):
        shown = next(_shown(unit, env, lambda n: isinstance(n, Normalize) and n.centred == tensor.centred))
        raise NoHessianError(f"spectrum: {shown} has no derivative at some of the data: its argument has scale 0 there")


def _shown(unit: ResidualUnit, env: Environment, wanted: Callable[[Expression], bool]) -> Iterator[str]:
    """The nodes of a kind in the unit, then in the head, as the user wrote them."""
    head = env.loss.reads and env.loss.reads.head
    for stage in (unit, *((head,) if head else ())):
        yield from (short_text(node, stage.every_name) for node in nodes(stage.expression) if wanted(node))


def _refuse_kink(unit: ResidualUnit, tensor: ActivationValue, terms: IndexSum, env: Environment) -> None:
    name, at = tensor.activation, [float(kink) for kink in env.activations[tensor.activation].kinks]
    if not (at and np.any(np.isin(contract(tensor.argument, env), at))):
        return
    other = replace(env, activations={**env.activations, name: _from_above(env, tensor, at)})
    if np.array_equal(contract(terms, env), contract(terms, other)):
        return
    shown = next(_shown(unit, env, lambda n: isinstance(n, Apply) and n.activation.name == name))
    raise NoHessianError(
        f"spectrum: {name} has no derivative at {at[0]:g}, and the argument of {shown} is {at[0]:g} at some of the data"
    )


def _from_above(env: Environment, tensor: ActivationValue, at: list[float]) -> Activation:
    """The activation with its first derivative at the kinks taken from the other side."""
    activation = env.activations[tensor.activation]

    def derivatives(ops: Any, argument: Any, order: int) -> list[Any]:
        found = activation.derivatives(ops, argument, order)
        if order:
            found[1] = np.where(np.isin(argument, at), 1.0 - found[1], found[1])
        return found

    return replace(activation, derivatives=derivatives)


# The order on these data.


def _order(network: Network, env: Environment, flat: bool) -> int | str:
    """The number of leading derivatives of the loss that vanish at the initial point, on these data; or ">=K".

    Degree one is the gradient entry by entry, degree two the spectrum; higher degrees are evaluated along random
    directions of up to degree // (least degree of a branch) units, at most three, until twice that least degree. A part without index terms is zero
    exactly; a value above its rounding bound proves that a part is not zero; values below it along every direction
    say, but do not prove, that it is.
    """
    if _gradient(network, env):
        return 0
    if not flat:
        return 1
    unit = _with_single_rows(network.unit, env.sizes)
    network = replace(network, unit=unit)
    highest = _highest(unit)
    least = branch_degree(unit, highest)
    if least is None:
        return f">={highest}"
    last = max(2 * least, 3)
    for degree in range(3, last + 1):
        units = min(network.units, degree // least, 3)
        try:
            if units and _moves(network, env, units, degree):
                return degree - 1
        except NotDifferentiableError:
            return f">={degree - 1}"
    return f">={last}"


def _with_single_rows(unit: ResidualUnit, sizes: Mapping[str, int]) -> ResidualUnit:
    """The unit with 1 for the dimensions of that size: a softmax over one entry is 1, and much vanishes at once."""
    columns = the_input(unit.expression).shape[1:]
    return at_sizes(unit, {name: 1 for name in unit.dimensions if sizes.get(name) == 1 and name not in columns})


def _highest(unit: ResidualUnit) -> int:
    """The degree up to which a branch is looked for: HIGHEST, or on while every activation counts as a polynomial."""
    return max((k for k in range(HIGHEST, FARTHEST + 1) if is_polynomial(linearised(unit, k))), default=HIGHEST)


def _gradient(network: Network, env: Environment) -> bool:
    """Whether some entry of the gradient exceeds its rounding bound."""
    return any(exceeds(terms, env) for _, terms in expansion(network.unit, network.loss).gradient if terms.terms)


def _moves(network: Network, env: Environment, units: int, degree: int) -> bool:
    """Whether the part of that degree exceeds its rounding bound along some random direction."""
    terms = loss_part(network.unit, network.loss, units, degree)
    if not terms.terms:
        return False
    generator, sides = np.random.default_rng(degree), shapes(network.unit, env.sizes)
    kinked = any(isinstance(t, Secant) for term in terms.terms for t, _ in term.factors)
    for _ in range(DIRECTIONS):
        moved = {
            (name, number): generator.standard_normal((SIDES if kinked else 1, *side)) / np.sqrt(side[1])
            for number in range(1, units + 1)
            for name, side in sides.items()
        }
        placed = env.along(moved)
        if exceeds(terms, placed):
            return True
    return False


# All cores together.


_SMALL_GRADIENT = "the gradient is below its rounding bound on these data and counts as zero"


def _summary(
    network: Network,
    env: Environment,
    parts: list[_Part],
    null: int,
    absent: tuple[str, ...],
    notes: tuple[str, ...],
) -> Spectrum:
    unit, units = network.unit, network.units
    components = tuple(part.component for part in parts)
    notes = (*notes, *(note for part in parts for note in part.notes), *_unresolved(parts))
    parameters = units * parameter_count(unit, env.sizes)
    bare = Spectrum(
        units=units,
        width=int(env.x.shape[-2]),
        parameters=parameters,
        stationary_order=0,
        core=components,
        absent=absent,
        notes=notes,
    )

    def with_order(flat: bool) -> Spectrum:
        order = _order(network, env, flat)
        doubt = order != 0 and any(terms.terms for _, terms in expansion(unit, network.loss).gradient)
        return replace(bare, stationary_order=order, notes=(*notes, *((_SMALL_GRADIENT,) if doubt else ())))

    if not all(part.known for part in parts):
        return with_order(flat=False)
    nonzero = [part for part in parts if part.ends or (part.values is not None and np.any(part.values))]
    exponent = max((part.exponent for part in nonzero), default=0)
    zero_exact = null + sum(part.exact for part in parts)
    if any(part.ends for part in parts):
        known = replace(with_order(flat=False), zero_exact=zero_exact)
        return _in_units(_from_extremes(known, parts, null, exponent), exponent)
    counted = _counted(parts, null, exponent)
    assert sum(n for _, n in counted) == parameters
    flat = all(value == 0.0 for value, _ in counted)
    known = replace(with_order(flat), zero_exact=zero_exact)
    return _in_units(filled(known, counted), exponent)


def _unresolved(parts: list[_Part]) -> tuple[str, ...]:
    """How many eigenvalues are below rounding of which it is not known whether they are zero."""
    these = [part for part in parts if part.numerical and part.component.rank is None]
    count = sum(part.numerical for part in these)
    if not count:
        return ()
    error = max(part.component.error or 0.0 for part in these)
    return (f"{count} eigenvalues are not known to be zero, and below rounding, {error:.2g}",)


def _with_ritz_values(
    bare: Spectrum,
    asked: Sought,
    parts: list[_Part],
    zeros: int,
) -> Spectrum:
    """What follows where some core is too wide for its eigenvalues: Ritz values, and what is proved of the extremes."""
    unknown = [part for part in parts if not part.known]
    names = ", ".join(name for part in unknown for name in part.component.weights)
    found = ritz_ends(asked)
    bare = replace(bare, zero_exact=zeros)
    if found is None:
        note = f"the eigenvalues of {names} are not had: products with the Hessian leave floats or the memory"
        return replace(bare, notes=(*bare.notes, note))
    extremes, ranges = _ranges(found, parts, zeros)
    negative, moves = ranges.smallest[1] < 0.0, ranges.largest[0] > 0.0 or ranges.smallest[1] < 0.0
    return replace(
        bare,
        extremes=extremes,
        ranges=ranges,
        condition_number=math.inf if zeros and moves else None,
        strict_saddle=False if bare.stationary_order == 0 else True if negative else None,
        notes=(
            *bare.notes,
            *ritz_notes(found, names, ranges.largest, ranges.smallest, bare.units if asked.joined else None),
        ),
    )


def _ranges(found: RitzEnds, parts: list[_Part], zeros: int) -> tuple[Extremes, Ranges]:
    """The extremes over all cores, and what encloses them."""
    rest = [part for part in parts if not part.known]
    known = [_known_ends(part) for part in parts if part.known] + ([(0.0, 0.0, 0.0)] if zeros else [])
    outer = [tuple(scaled(end, part.exponent) for end in part.within) for part in rest if part.within is not None]
    closed = len(outer) == len(rest)
    outer += [(low - off, high + off) for low, high, off in known]
    low, high, least = found.smallest, found.largest, found.least
    near = [abs(one.value) + one.residual for one in (low, high, least) if one is not None]
    ranges = Ranges(
        largest=(
            max([high.value - high.off, *(above - off for _, above, off in known)]),
            max(above for _, above in outer) if closed else None,
        ),
        smallest=(
            min(below for below, _ in outer) if closed else None,
            min([low.value + low.off, *(below + off for below, _, off in known)]),
        ),
        smallest_modulus=(0.0, 0.0 if zeros else min(near)),
        nearest=(high.residual, low.residual),
    )
    return Extremes(
        max([high.value, *(above for _, above, _ in known)]),
        min([low.value, *(below for below, _, _ in known)]),
        0.0 if zeros else None if least is None else abs(least.value),
    ), ranges


def _known_ends(part: _Part) -> tuple[float, float, float]:
    """The smallest and the largest eigenvalue of a core, and how far they are off."""
    if part.ends:
        low, high = min(end.smallest for end in part.ends), max(end.largest for end in part.ends)
    else:
        assert part.values is not None
        low, high = float(np.min(part.values, initial=0.0)), float(np.max(part.values, initial=0.0))
    return scaled(low, part.exponent), scaled(high, part.exponent), part.component.error or 0.0


def _in_units(found: Spectrum, exponent: int) -> Spectrum:
    """The spectrum with its eigenvalues times 2^exponent; without them where floats do not reach so far."""
    ends = found.extremes
    if exponent == 0 or ends is None:
        return found
    moduli = [abs(value) for value in (ends.largest, ends.smallest, ends.smallest_modulus) if value]
    if any(not 2.0**-1000 < scaled(value, exponent) < 2.0**1000 for value in moduli):
        size = round((math.frexp(max(moduli))[1] + exponent) * math.log10(2))
        note = f"the eigenvalues, about 10^{size}, lie beyond floats: what follows from their ratios is given"
        return replace(found, eigenvalues=None, extremes=None, notes=(*found.notes, note))
    listed = found.eigenvalues
    return replace(
        found,
        extremes=Extremes(
            scaled(ends.largest, exponent),
            scaled(ends.smallest, exponent),
            scaled(ends.smallest_modulus or 0.0, exponent),
        ),
        eigenvalues=listed and tuple(Eigenvalue(scaled(one.value, exponent), one.multiplicity) for one in listed),
    )


def _from_extremes(bare: Spectrum, parts: list[_Part], null: int, exponent: int) -> Spectrum:
    """What follows where some cores are known by their extremes and inertia alone, in units of 2^exponent."""
    listed = _counted([part for part in parts if part.values is not None], null, exponent)
    ends = [
        (end.times(2.0 ** max(part.exponent - exponent, -1074)), part.component.multiplicity)
        for part in parts
        for end in part.ends
    ]
    moduli = [abs(value) for value, _ in listed if value] + [e.smallest_modulus for e, _ in ends if e.smallest_modulus]
    largest = max(*(e.largest for e, _ in ends), *(value for value, _ in listed), -np.inf)
    smallest = min(*(e.smallest for e, _ in ends), *(value for value, _ in listed), np.inf)
    negative = sum(n for value, n in listed if value < 0.0) + sum(k * e.negative for e, k in ends)
    positive = sum(n for value, n in listed if value > 0.0) + sum(k * e.positive for e, k in ends)
    zero = bare.parameters - negative - positive
    pseudo = max(abs(largest), abs(smallest)) / min(moduli) if moduli else None
    return replace(
        bare,
        extremes=Extremes(float(largest), float(smallest), 0.0 if zero else min(moduli)),
        condition_number=_condition_number(pseudo, zero, bare.zero_exact),
        pseudo_condition_number=pseudo,
        negative=negative,
        zero=zero,
        positive=positive,
        zero_numerical=zero - (bare.zero_exact or 0),
        strict_saddle=negative > 0 and bare.stationary_order != 0,
    )


def filled(bare: Spectrum, counted: list[tuple[float, int]]) -> Spectrum:
    """All that follows from the eigenvalues and their multiplicities."""
    zero, moduli = dict(counted).get(0.0, 0), [abs(value) for value, _ in counted if value]
    pseudo = max(moduli) / min(moduli) if moduli else None
    negative = sum(n for value, n in counted if value < 0.0)
    notes = bare.notes
    if len(counted) > LONGEST:
        notes += (f"{len(counted)} distinct eigenvalues are not listed; listed up to {LONGEST}",)
    return replace(
        bare,
        eigenvalues=tuple(Eigenvalue(value, n) for value, n in counted) if len(counted) <= LONGEST else None,
        extremes=Extremes(counted[-1][0], counted[0][0], 0.0 if zero else min(moduli)),
        condition_number=_condition_number(pseudo, zero, bare.zero_exact),
        pseudo_condition_number=pseudo,
        negative=negative,
        zero=zero,
        positive=sum(n for value, n in counted if value > 0.0),
        zero_numerical=zero - (bare.zero_exact or 0),
        strict_saddle=negative > 0 and bare.stationary_order != 0,
        notes=notes,
    )


def _condition_number(pseudo: float | None, zero: int, exact: int | None) -> float | None:
    if pseudo is None or not zero:
        return pseudo
    return math.inf if exact else None


def _counted(parts: list[_Part], null: int, exponent: int) -> list[tuple[float, int]]:
    """Every distinct value with its multiplicity, ascending, in units of 2^exponent; equal means to the last bit."""
    total: dict[float, int] = {0.0: null} if null else {}
    for part in parts:
        assert part.values is not None
        shifted = part.values * 2.0 ** min(max(part.exponent - exponent, -1074), 0)
        found, counts = np.unique(shifted + 0.0, return_counts=True)
        for value, n in zip(found.tolist(), counts.tolist(), strict=True):
            total[value + 0.0] = total.get(value + 0.0, 0) + n * part.component.multiplicity
    return sorted(total.items())
