"""The general statements about one architecture: GEN-1, GEN-2, GEN-3 and GEN-5, computed for a unit of anybody's.

Each is an ordinary statement with the unit's name as its subject; GEN-1 and GEN-2 are in the words of the theorems, which
`proofs.theory` holds for `proofs.beyond` as well. Hypotheses are computed: a unit that is not the identity at its initial
point, or has no Hessian there, gets the reason in place of the statements. Claims come from the theory (which blocks
agree, what vanishes at which order of the branch, which bounds hold), never from a table of architectures; the two
symbolic routes and the running network have to meet them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product, takewhile
from math import prod
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.dimensions import Dimension, names
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.losses import Loss, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Apply, Normalize, Softmax, given_shape, nodes
from resproof.architectures.properties import borders, dimension_names, shifts, the_input
from resproof.architectures.scales import Scale, at_depth
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import short_text
from resproof.architectures.values import is_arbitrary
from resproof.architectures.variations import with_named_dimensions, with_sized_constants
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.data import DataError, bind
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.parameters import given_sizes, parameter_count
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.proofs.block.witness import not_identity
from resproof.proofs.routes.hessians import (
    CHANGES,
    AddedForm,
    Change,
    Size,
    agrees_with_index_route,
    differs,
    explicit_entries,
    explicit_hessian,
    unchanged,
)
from resproof.proofs.routes.running_network import (
    MOVED,
    Moved,
    Running,
    Shift,
    dense_hessian,
    hessian_product,
    near_index_route,
    starting,
)
from resproof.proofs.samples import data_for, inner_sizes
from resproof.proofs.statement import (
    Argument,
    Computed,
    Context,
    Data,
    Disagreement,
    Indistinct,
    Measurement,
    Statement,
)
from resproof.proofs.theory.regimes import (
    NEIGHBOURING_REGIMES,
    TRICHOTOMY,
    ByOrder,
    explicit_blocks,
    in_regime,
    index_blocks,
    loss_orders,
    nonzero_blocks,
    regime_of,
)
from resproof.proofs.theory.unit_pairs import CLASSES, NEIGHBOURING_CLASSES, ONE_CLASS, TWO_UNITS, classes_of_three
from resproof.symbolic.index.expansion import HIGHEST, expansion
from resproof.symbolic.index.lift import NotIdentityError, exchange_units, perturbations
from resproof.symbolic.index.series import collect
from resproof.symbolic.index.sizes import of_unit
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.forward import entry_name
from resproof.symbolic.written.plans import Instance, weight_offsets
from resproof.symbolic.written.plans import size as plan_size

WRITTEN_OUT = 400
"""The most parameters of a unit whose Hessian is written out entry by entry, its dimensions made small."""
SYMBOLIC = 60
"""The most parameters of a unit for which data and random weights are symbols there; beyond, they are numbers."""
SPREAD = 9999
"""The largest of these where an activation has a kink; small ones would meet it by chance."""
DENSE = 400
"""The most parameters of a network whose Hessian is assembled column by column."""
WORK, FEWEST = 2_000_000, 8
"""Units times samples of a product with the running network's Hessian: deeper networks get fewer samples, some at least."""
MOST = 10**6
"""The most parameters of a unit whose products are compared with the forms at its own size; else small ones are."""
MODERATE = 2.0**200
"""Data of this size or its inverse have products of second degree, and what comes of them, within floats."""
FARTHEST = 8
"""The most columns by which a shift may move in a network that is made small: it has to have more."""
MORE = ((0, 0), (1, 0), (1, 1))
"""How much larger than the smallest a network is written out, until what is false can be told from what is claimed."""
DEPTH = 100
"""Units of the running network unless the user asks for another depth."""


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """A statement that says nothing about this unit, and why."""

    id: str
    subject: str
    reason: str

    @property
    def label(self) -> str:
        """The id and the architecture, as a statement's."""
        return f"{self.id}-{self.subject}"


General: TypeAlias = Statement | Inapplicable
Offered: TypeAlias = tuple[Argument, ...] | str
"""Arguments and evidence for a general statement about a unit, or the reason why it says nothing about it."""


class HypothesisError(ArithmeticError):
    """The unit is not the identity at its initial point, or not differentiable there; one line that says where."""


@dataclass(frozen=True, slots=True)
class Border:
    """Weights outside the units that are trained: their names, number and gradient, and whether that is proved nonzero."""

    names: tuple[str, ...]
    parameters: int
    gradient: float
    moves: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What the numbers run on: depth, loss, data (by default the digits) and sizes of named dimensions.

    `border` are trained weights beside the units', `notes` what is to be said of where the data and the loss come from.
    `pattern`: the units of several kinds that the unit consists of, the first one first; `units` counts its repetitions.
    `scale`: that of the unit's branches, which depends on the number of all units. `shared`: all units have the same weights.
    """

    loss: Loss = squared
    units: int = DEPTH
    data: Data | None = None
    sizes: Mapping[str, int] | None = None
    border: Border | None = None
    notes: tuple[str, ...] = ()
    pattern: tuple[ResidualUnit, ...] = ()
    scale: Scale | None = None
    shared: bool = False

    def at_depth(self, unit: ResidualUnit, units: int) -> ResidualUnit:
        """The unit with the scale that its branches have at another depth."""
        return at_depth(unit, self.scale, units * max(len(self.pattern), 1))


def general_statements(unit: ResidualUnit, name: str, setting: Setting | None = None) -> tuple[General, ...]:
    """Every general statement about the unit, or the reason why it does not apply.

    Raises:
        ArchitectureError: the expression is enormous.
    """
    setting = setting or Setting()
    try:
        require_hypotheses(unit)
    except HypothesisError as error:
        return tuple(Inapplicable(said.id, name, str(error)) for said, _ in _GENERAL)
    return applicable_statements(unit, name, setting)


def applicable_statements(unit: ResidualUnit, name: str, setting: Setting) -> tuple[General, ...]:
    """The same of a unit that `require_hypotheses` has passed."""
    unit = with_sized_constants(unit, given_data(unit, setting)[1])
    return tuple(about(said, name, unit, offer(unit, setting, expansion(unit).order)) for said, offer in _GENERAL)


def about(said: Statement, name: str, unit: ResidualUnit, offered: Offered) -> General:
    """What a general statement says, of this unit, with what is offered for it."""
    if isinstance(offered, str):
        return Inapplicable(said.id, name, offered)
    arguments = tuple(one for one in offered if one.exact)
    evidence = tuple(one for one in offered if not one.exact)
    return replace(said, subject=name, for_all=every_size(unit), arguments=arguments, evidence=evidence)


def require_hypotheses(unit: ResidualUnit) -> None:
    """Nothing, where the unit has weights, is the identity at its initial point and has a Hessian there.

    Raises:
        HypothesisError: one of these fails; the message names the node in the user's own expression.
    """
    shown = short_text(unit.expression, unit.names)
    if not unit.names:
        kind = "trainable weights" if unit.frozen else "weights"
        raise HypothesisError(f"{shown} has no {kind}, so its loss has no surface")
    try:
        expansion(unit).require_hessian()
        _ = expansion(unit).order
    except NotDifferentiableError as error:
        raise HypothesisError(f"no Hessian at the initial point: {error}") from None
    except NotIdentityError as error:
        raise HypothesisError(not_identity(unit, error)) from None


def every_size(unit: ResidualUnit) -> dict[str, int]:
    """R, the dimensions that the unit names, and m, each from 1 on; numbers among its dimensions are no sizes of it."""
    return dict.fromkeys(("R", *(name for name in unit.dimensions if isinstance(name, str)), "m"), 1)


# GEN-1.


def _two_units(unit: ResidualUnit, setting: Setting, order: int | None) -> Offered:
    grouped = ONE_CLASS if regime_of(order) == "flat" else CLASSES
    three = Argument(
        "Three units in index notation: pairs with equal blocks",
        "index notation",
        lambda _: Computed(classes_of_three(unit), of_unit(unit)),
        grouped,
        {key: other for key, other in NEIGHBOURING_CLASSES.items() if other != grouped},
        explanation="All other units stay at their initial point, where they pass an arbitrary input through.",
    )
    run_on, at = _manageable(unit, setting)
    depth = Argument(
        f"$H v$ of the running network, $R = {setting.units}$",
        "floating point",
        hessian_product(partial(running, run_on, at, samples=_samples_at_depth(run_on, at))),
        unchanged,
        {r"$D$ with $\lvert w\rvert^2$ more": _with_squares(run_on), MOVED: Moved(unchanged, Shift(part=None))},
        near_index_route,
        explanation="The forms of the index route contracted with the data; forward over reverse through all units.",
        given=True,
    )
    # At a kink arrays take f'(0) = 0, one convention of several, so that the network does not say what holds there.
    evidence = () if expansion(unit).meets_kinks else (depth,)
    return three, *written_out(unit, setting.loss), *evidence


def _manageable(unit: ResidualUnit, setting: Setting) -> tuple[ResidualUnit, Setting]:
    """The unit and the setting or, where that is too large for its forms to be contracted, both at small sizes."""
    fits = setting.loss.reads is not None or _parameters(unit, setting) <= MOST
    if fits or not _has_small_sizes(unit):
        return unit, setting
    small = of_any_size(unit)
    return small, replace(setting, data=None, sizes=_small_named(small, 1))


def _samples_at_depth(unit: ResidualUnit, setting: Setting) -> int | None:
    """How many samples a product through all units gets; all where linear units need their covariances only."""
    linear = is_linear(unit) and setting.loss.quadratic
    return None if linear else max(WORK // setting.units, FEWEST)


def written_out(unit: ResidualUnit, loss: Loss = generic_loss) -> tuple[Argument, ...]:
    """The forms of the index route against the exact Hessian of a small network, where one is small enough."""
    unit, loss = of_any_size(unit), loss if loss.reads is None else generic_loss
    neighbours = _neighbours(unit, loss)
    at = telling_size(unit, loss, neighbours.values())
    if at is None:
        return ()
    data = numbers(unit, at)

    def compute(_: Context) -> Computed:
        return Computed([explicit_hessian(unit, loss, at, data)], Scope.of(str(at)))

    return (
        Argument(
            "The forms of the index route, written out, against the exact Hessian of a small network",
            "explicit",
            compute,
            unchanged,
            neighbours,
            agrees_with_index_route,
            explanation="Every entry over the rationals, derived without the index notation; the data are "
            + ("symbols." if data is None else "and the random weights are numbers, the values of functions symbols."),
            given=True,
        ),
    )


def is_coupled(unit: ResidualUnit) -> bool:
    """Whether softmax or a normalisation couples entries: their values at symbols fill whole pages."""
    return any(isinstance(node, Softmax | Normalize) for node in nodes(unit.expression))


def numbers(unit: ResidualUnit, at: Size) -> Instance | None:
    """Whole numbers as data and random initial weights of a size; None where symbols will do."""
    dims, draw = dict(at.dims), random.Random(7)
    if not is_coupled(unit) and weight_offsets(unit, dims)[1] <= SYMBOLIC:
        return None
    h = the_input(unit.expression)
    rows, *further = (plan_size(n, {**dims, str(h.columns): dims.get(str(h.columns), at.samples)}) for n in h.shape)

    # Of small numbers a sum of products is 0 now and then, where an activation may have its kink.
    most = SPREAD if _has_kinks(unit) else 9

    def number() -> int:
        return draw.choice((-1, 1)) * draw.randint(1, most)

    def matrix(columns: int) -> list[list[int]]:
        found = [[number() for _ in range(columns)] for _ in range(rows)]
        # A normalisation has no derivatives where all that it runs along is equal.
        return matrix(columns) if rows > 1 and any(len(set(one)) == 1 for one in zip(*found, strict=True)) else found

    initial = {
        entry_name(name, *place): Fraction(number())
        for weight, name in unit.every_name.items()
        if is_arbitrary(weight.initial)
        for place in product(*(range(plan_size(n, dims)) for n in weight.shape))
    }
    if unit.mixes_columns or isinstance(h.columns, int):
        x, y = ([matrix(prod(further)) for _ in range(at.samples)] for _ in "xy")
        return Instance(x, y, initial)
    return Instance(matrix(at.samples), matrix(at.samples), initial)


def _neighbours(unit: ResidualUnit, loss: Loss) -> dict[str, Change]:
    """What is false of the unit's forms, as far as the index notation can tell."""
    forms = expansion(unit, loss).forms
    found: dict[str, Change] = {r"$D$ with $\lvert w\rvert^2$ more": _with_squares(unit)}
    if forms[1, 1]:
        found["$D$ twice as large"] = CHANGES["$D$ twice as large"]
    if forms[1, 2]:
        found |= {key: CHANGES[key] for key in ("$A$ twice as large", "units do not interact")}
        if exchange_units(forms[1, 2]) != forms[1, 2]:
            found["$A$ transposed"] = CHANGES["$A$ transposed"]
    return found


@lru_cache(maxsize=256)
def of_any_size(unit: ResidualUnit) -> ResidualUnit:
    """The unit with names in place of the numbers among its dimensions, unless only those numbers make it what it is."""
    named = with_named_dimensions(unit)
    if _shapes(named) == _shapes(unit):
        return unit  # the very one, of which all is known
    try:
        same = expansion(named).order == expansion(unit).order
        expansion(named).require_hessian()
    except (NotIdentityError, NotDifferentiableError):
        return unit
    return named if same else unit


def _shapes(unit: ResidualUnit) -> list[tuple[Dimension, ...]]:
    return [node.shape for node in nodes(unit.expression)]


def telling_size(unit: ResidualUnit, loss: Loss, changes: Collection[Change]) -> Size | None:
    """The first of a few small sizes at which every change alters the Hessian, else the one where most do.

    None where a unit has too many parameters to be written out.
    """
    tried: list[tuple[int, Size]] = []
    for at in _written_sizes(unit):
        data = numbers(unit, at)
        told = sum(differs(unit, loss, at, change, data) for change in changes)
        if told == len(changes):
            return at
        tried.append((told, at))
    return max(tried, key=lambda one: one[0])[1] if tried else None


def _written_sizes(unit: ResidualUnit) -> list[Size]:
    """Small sizes, the smallest first, at which a unit has few enough parameters to be written out."""
    if not _has_small_sizes(unit):
        return []
    sizes = dict.fromkeys(small_size(unit, more) for more in MORE)
    return list(takewhile(lambda at: weight_offsets(unit, dict(at.dims))[1] <= WRITTEN_OUT, sizes))


def small_size(unit: ResidualUnit, more: tuple[int, int]) -> Size:
    """Two units, one sample, every dimension 1 but for the width, the tokens and what a normalisation runs along: 2.

    More where a shift moves farther; where an activation has a kink, windows are wider than their padding.

    `more` is added to the width and what a normalisation runs along, and to the rest.
    """
    h = the_input(unit.expression)
    wide = {
        *names(h.shape[0])[-1:],
        *(n.operand.shape[n.axis] for n in nodes(unit.expression) if isinstance(n, Normalize)),
    }
    least = {n: 2 if n in wide or (unit.mixes_columns and n in h.shape[1:]) else 1 for n in unit.dimensions}
    needed = [*_moved(unit).items(), *(borders(unit.expression) if _has_kinks(unit) else ())]
    for name, steps in needed:
        if name in least:
            least[name] = max(least[name], steps + 1)
    return Size(2, 1, tuple((n, size + more[n not in wide]) for n, size in least.items()))


def _moved(unit: ResidualUnit) -> Mapping[str, int]:
    """How far the shifts of each dimension move, one after the other where there is room for that."""
    several: dict[str, list[int]] = {}
    for dimension, steps in shifts(unit.expression):
        if isinstance(dimension, str):
            several.setdefault(dimension, []).append(steps)
    return {name: sum(steps) if sum(steps) <= FARTHEST else max(steps) for name, steps in several.items()}


def _has_kinks(unit: ResidualUnit) -> bool:
    """Whether an activation has a kink, which it meets at a window of padding alone, and where numbers cancel by chance."""
    return any(isinstance(n, Apply) and n.activation.kinks for n in nodes(unit.expression))


def _has_small_sizes(unit: ResidualUnit) -> bool:
    """Whether no shift moves so far that it is zero at every small size."""
    return max(_moved(unit).values(), default=0) <= FARTHEST


def _with_squares(unit: ResidualUnit) -> AddedForm:
    """The sum of squares of the first weight's entries is added to D: false whatever D is."""
    moved = next(iter(perturbations(unit).values()))
    factor = (moved, tuple(range(len(moved.dims))))
    return AddedForm(collect([(Fraction(1), (), (factor, factor))]))


# The running network.


def running(unit: ResidualUnit, setting: Setting, context: Context, *, samples: int | None = None) -> Running:
    """The network at the setting's depth on the first `samples`, with a random direction of norm one.

    Raises:
        DataError: the data are so large or small that products leave what floats hold.
    """
    data, sizes = given_data(unit, setting)
    largest = max(largest_modulus(array) for array in (data.X, data.Y))
    if largest and not 1 / MODERATE < largest < MODERATE:
        raise DataError(
            f"the data are of size {largest:.1e}, and products of the running network leave what floats hold"
        )
    ops = device(context.device).ops
    first = (slice(samples),) if unit.mixes_columns else (slice(None), slice(samples))
    x, y = (ops.asarray(np.ascontiguousarray(array[first])) for array in (data.X, data.Y))
    network = Network(unit, setting.units, setting.loss)
    return starting(network, x, y, bind("check", unit, x, sizes), data.name, context)


def given_data(unit: ResidualUnit, setting: Setting) -> tuple[Data, dict[str, int]]:
    """The setting's data, or the digits made to fit, and a size for every inner dimension (the width by default).

    Arrays of initial values give the sizes of their dimensions.

    Raises:
        DataError: they contradict each other, or the sizes given.
    """
    fixed, given = given_sizes(unit), dict(setting.sizes or {})
    for key in fixed.keys() & given.keys():
        if fixed[key] != given[key]:
            name = next(n for w, n in unit.every_name.items() if key in w.shape and given_shape(w) is not None)
            raise DataError(
                f"sizes (--set {key}={given[key]}): the initial values of {name} have {fixed[key]} for {key}"
            )
    given = {**fixed, **given}
    data = setting.data or data_for(unit, given)
    return data, inner_sizes(unit, data.X, given)


# GEN-2.


_BY_ORDER = replace(
    TRICHOTOMY,
    sentence="Order one: $A$ is not identically zero as a function of the data and of the loss's first and second derivatives "
    f"there. {TRICHOTOMY.said}",
)


def _by_order(unit: ResidualUnit, setting: Setting, order: int | None) -> Offered:
    del setting
    lifted = Argument(
        "The order of the branch, and which of D and A vanish, for any loss",
        "index notation",
        lambda _: Computed(index_blocks(unit), of_unit(unit)),
        nonzero_blocks,
        _OTHER_REGIMES,
        in_regime,
        given=True,
    )
    return lifted, *_small_regime(unit, order)


_OTHER_REGIMES: Mapping[str, ByOrder] = {
    **NEIGHBOURING_REGIMES,
    "as if of one order more": lambda order: nonzero_blocks(None if order is None else order + 1),
    "D nonzero at every order": lambda order: (True, order == 1),
}
"""At every order one of these says something else."""


def _small_regime(unit: ResidualUnit, order: int | None) -> tuple[Argument, ...]:
    """The blocks at the first of a few small sizes at which the branch is of that order: a softmax is 1 over one entry."""
    unit = of_any_size(unit)
    sizes = _written_sizes(unit)
    if not sizes:
        return ()

    def blocks(at: Size) -> tuple[int, bool, bool]:
        return explicit_blocks(unit, dict(at.dims), numbers(unit, at))

    def compute(_: Context) -> Computed:
        at, *larger = sizes
        found = blocks(at)
        while larger and found[0] != min(order or 3, 3):
            at = larger.pop(0)
            found = blocks(at)
        return Computed(found, Scope.of(str(at)))

    return (
        Argument(
            "A network of two units, entry by entry",
            "explicit",
            compute,
            nonzero_blocks,
            _OTHER_REGIMES,
            in_regime,
            given=True,
        ),
    )


# GEN-3.


@dataclass(frozen=True, slots=True)
class _Growth:
    """The running network's Hessian and its blocks D and A, dense, and how far its entries are off at most."""

    units: int
    values: Any
    parameters: int
    diagonal: float
    below: float
    difference: float
    off: float
    sizes: str
    seed: int


_DEPTH_LAW = Statement(
    id="GEN-3",
    title="The largest eigenvalue grows with depth, and part of the spectrum does not",
    source=None,
    sentence=r"$\sigma_{\max}(H_R)$ is at least $\lfloor R/2\rfloor \lvert A\rvert$, and at least $p \lfloor R/2\rfloor$ singular "
    r"values are at most $\lvert D - A\rvert$, $p$ the number of parameters of a unit.",
    latex=r"\sigma_{\max}(H_R) \ge \lfloor R/2 \rfloor\, \|A\|_2, \qquad "
    r"\#\{\sigma_i(H_R) \le \|D - A\|_2\} \ge p\, \lfloor R/2 \rfloor",
    kind="algebra",
)
"""The two bounds of which the condition number's, in `proofs.beyond.depth_law`, is the quotient."""


def _depth_law(unit: ResidualUnit, setting: Setting, order: int | None) -> Offered:
    if order != 1:
        return f"the branch is of {order_in_words(order)}, so A = 0 and nothing grows"
    if not expansion(unit, setting.loss).forms[1, 2]:
        return "A = 0 for this loss, so nothing grows"
    if setting.loss.reads is not None:
        return f"the loss reads the stream through the {setting.loss.reads.name}, whose sizes are those of the data"
    if not _has_small_sizes(unit):
        return f"a shift moves by more than {FARTHEST}, too far for a small network"
    at = replace(setting, data=None, units=6)
    settings = [replace(at, sizes=_small_named(unit, more)) for more in (0, 1)]
    counts = [_parameters(unit, one) for one in settings]
    if 6 * counts[0] > DENSE:
        return f"{counts[0]} parameters a unit, too many for a dense Hessian of six units"
    return (
        Argument(
            "All eigenvalues of the running network's Hessian, six units",
            "floating point",
            partial(_dense_growth, unit, [s for s, n in zip(settings, counts, strict=True) if 6 * n <= DENSE]),
            "bounds",
            {"the largest grows beyond |D| + 2 R |A|": "too large", "every singular value stays small": "too many"},
            _grows,
            given=True,
        ),
    )


def _small_named(unit: ResidualUnit, more: int) -> dict[str, int]:
    """Small sizes for the unit's dimensions, the inner ones larger by `more`; arrays have the sizes that they have."""
    h, moved = the_input(unit.expression), _moved(unit)
    least = {n: 3 if n == h.rows else 2 + more for n in dimension_names(unit.expression)}
    return {n: max(size, moved.get(n, 0) + 1) for n, size in least.items()} | given_sizes(unit)


def _parameters(unit: ResidualUnit, setting: Setting) -> int:
    """The number of parameters of a unit at a setting's sizes."""
    data, sizes = given_data(unit, setting)
    return parameter_count(unit, bind("check", unit, np.asarray(data.X), sizes))


def _dense_growth(unit: ResidualUnit, settings: Sequence[Setting], context: Context) -> Computed:
    """At the first setting whose A is above its rounding, or the last: softmax(u) - 1/2 vanishes for two rows alone."""
    *first, last = settings
    for setting in first:
        found = _growth_at(unit, setting, context)
        if found.value.below > found.value.off:
            return found
    return _growth_at(unit, last, context)


def _growth_at(unit: ResidualUnit, setting: Setting, context: Context) -> Computed:
    one = running(unit, setting, context, samples=20)
    h, off = symmetric_hessian(one)
    p = len(h) // setting.units
    d, a = h[:p, :p], h[p : 2 * p, :p]
    norm_d, norm_a, difference = (float(np.linalg.norm(block, 2)) for block in (d, a, d - a))
    found = _Growth(setting.units, np.linalg.eigvalsh(h), p, norm_d, norm_a, difference, off, one.sizes, one.seed)
    return Computed(found, Scope.of(one.sizes))


def symmetric_hessian(one: Running) -> tuple[Any, float]:
    """The running network's Hessian column by column, and a bound of its rounding in the spectral norm."""
    h = dense_hessian(one)
    chain = one.network.units * one.chain
    off = chain * UNIT_ROUNDOFF * float(np.sum(np.abs(h))) + len(h) * UNIT_ROUNDOFF * float(np.linalg.norm(h))
    return (h + h.T) / 2, off


def _grows(found: _Growth, claim: str) -> tuple[Measurement, ...]:
    if claim != "bounds" and found.below <= found.off:
        raise Indistinct("A is below its rounding on these data")
    moduli, half = np.abs(found.values), found.units // 2
    largest = float(moduli.max())
    small = int(np.sum(moduli <= found.difference + 4 * found.off))
    least, wanted = half * found.below, found.parameters * half
    if claim == "too large":
        least = found.diagonal + 2 * found.units * found.below + 8 * found.off
    if claim == "too many":
        # Of all moduli the largest is at least floor(R/2) |A|, so they are not all below it.
        small = int(np.sum(moduli < min(largest, least)))
        wanted = found.units * found.parameters
    text_ = "rounding of the assembled Hessian: chain length times the sum of its moduli"
    return (
        Measurement(
            r"$\lfloor R/2\rfloor \lvert A\rvert$, at most $\sigma_{\max}$",
            least,
            largest + 4 * found.off,
            found.sizes,
            found.seed,
            rf"$\sigma_{{\max}}$, and {text_}",
            at_most=True,
        ),
        Measurement(
            r"$p \lfloor R/2\rfloor$, at most how many singular values are small",
            float(wanted),
            float(small),
            found.sizes,
            found.seed,
            rf"how many are at most $\lvert D - A\rvert$, and {text_}",
            at_most=True,
        ),
    )


# GEN-5.


_GRADIENT_ONLY = Statement(
    id="GEN-5",
    title="Only the loss's gradient enters",
    source=None,
    sentence="For every loss that is differentiable at the data, the second-order part at the initial point, the Hessian where "
    "there is one, contains the loss's gradient there, and not its curvature.",
    latex=r"\nabla^2_f \ell \text{ does not occur in } D \text{ and } A",
)


def _gradient_only(unit: ResidualUnit, setting: Setting, order: int | None) -> Offered:
    del setting
    if order == 1:
        return "the branch is of order one, so the loss's own curvature enters"

    def lifted(_: Context) -> Computed:
        forms = expansion(unit).forms
        return Computed(loss_orders(forms[1, 1]) | loss_orders(forms[1, 2]), of_unit(unit))

    small = of_any_size(unit)
    sizes = _written_sizes(small)

    def explicit(_: Context) -> Computed:
        at = sizes[0]
        entries = explicit_entries(small, generic_loss, at)
        named = {symbol for value in entries.values() for monomial in value for symbol, _ in monomial}
        return Computed(
            {k for k, letter in ((1, "g_"), (2, "Q_")) if any(s.startswith(letter) for s in named)}, Scope.of(str(at))
        )

    neighbours = {"its curvature enters": lambda orders: 2 in orders}
    routes: list[tuple[str, Any, Callable[[Context], Computed]]] = [
        ("Which derivatives of a generic loss occur in D and A", "index notation", lifted)
    ]
    routes += [("Which derivatives of a generic loss occur entry by entry", "explicit", explicit)] if sizes else []
    return tuple(
        Argument(title, route, compute, lambda orders: 2 not in orders, neighbours, _has)
        for title, route, compute in routes
    )


def _has(found: set[int], claim: Callable[[set[int]], bool]) -> None:
    if not claim(found):
        raise Disagreement(f"derivatives of the loss of orders {sorted(found)}")


_GENERAL: tuple[tuple[Statement, Callable[[ResidualUnit, Setting, int | None], Offered]], ...] = (
    (TWO_UNITS, _two_units),
    (_BY_ORDER, _by_order),
    (_DEPTH_LAW, _depth_law),
    (_GRADIENT_ONLY, _gradient_only),
)
"""What is said of every unit, and what is offered for it of a given one."""


def order_in_words(order: int | None) -> str:
    """order two; where none was found, an order beyond the highest sought."""
    names = ("zero", "one", "two", "three", "four", "five", "six")
    return f"order {names[order]}" if order is not None else f"an order above {HIGHEST}"
