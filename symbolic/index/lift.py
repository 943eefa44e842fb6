"""Taylor series in index notation: one exact computation for every width, inner width and number of samples.

The reading `unit_series` maps a unit and the series of its input to the series of its output, graded by degree in the
perturbations of the weights from their initial values. Values at nonzero points (sigma'(x), a random initial weight,
LayerNorm(x), softmax at nonzero scores) are opaque tensors with exact derivative rules. Units are numbered by
position: two units, an earlier one (1) and a later one (2), determine the Hessian at every depth (GEN-1), because a
unit at its initial point passes an arbitrary input through unchanged; that hypothesis is computed by
`passes_through`, never assumed.

Derivative rules, with u = u_0 + v and v without constant part:

    sigma(u)   = sum_k sigma^(k)(u_0)/k! v^k                                                           (elementwise)
    softmax(u) = p e^v / sum(p e^v),                        p = softmax(u_0)
    norm(u)    = (n + r v') (1 + q)^(-1/2),                 n = norm(u_0), r = 1/std(u_0), v' = v - mean(v),
                                                            q = 2 r mean(n v') + r^2 mean(v'^2)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce
from math import factorial
from typing import assert_never

from resproof.architectures.activations import relu
from resproof.architectures.dimensions import SAMPLES, Dimension, Shape
from resproof.architectures.errors import NotDifferentiableError, shortened
from resproof.architectures.estimate import refuse_enormous
from resproof.architectures.forms.hessian_blocks import UNITS, Block
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    SAMPLE,
    ActivationValue,
    DataTensor,
    Delta,
    HessianTerms,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    Secant,
    SoftmaxValue,
    axis_index,
    other_index,
)
from resproof.architectures.losses import Loss
from resproof.architectures.nodes import (
    Activation,
    Add,
    Apply,
    Coefficient,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    nodes,
    operands,
    read_every,
)
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.architectures.text import short_text
from resproof.architectures.values import Identity, Normal, Ones, Values, Zero, zero
from resproof.architectures.variations import taking
from resproof.symbolic.index.canonical import rational, rational_root
from resproof.symbolic.index.series import (
    JOINT,
    Series,
    Sum,
    add,
    add_series,
    binomial,
    collect,
    compose,
    constant,
    contract,
    contraction,
    differentiate,
    freeze,
    lowest_degree,
    map_series,
    multiply,
    multiply_series,
    rename,
    scale,
    series,
    size,
    symbol,
    tensor,
)
from resproof.symbolic.orders import needed_orders


class NotIdentityError(ArithmeticError):
    """The unit at its initial point does not pass its input through, so GEN-1 does not apply to it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which of the dimensions carry an index: columns do only where the unit mixes them."""

    width: Dimension
    columns: Dimension | None
    column_name: Dimension
    further: Shape = ()

    def indices(self, shape: Shape) -> dict[int, Dimension]:
        """The free indices of an array of this shape."""
        counts = {axis_index(k): self.count(dimension) for k, dimension in enumerate(shape)}
        return {i: dimension for i, dimension in counts.items() if dimension != 1}

    def count(self, dimension: Dimension) -> Dimension:
        """The dimension itself, or 1 for columns that are samples (the sample index stands for them)."""
        return 1 if self.columns is None and dimension == self.column_name else dimension

    @property
    def output(self) -> dict[int, Dimension]:
        """The free indices of the residual stream: row, column and further axes where there are, sample."""
        columns = () if self.columns is None else (self.columns, *self.further)
        return {**self.indices((self.width, *columns)), SAMPLE: SAMPLES}


def layout(unit: Stage) -> Layout:
    """The layout of a unit's residual stream."""
    h = the_input(unit.expression)
    width, columns, *further = h.shape
    return Layout(width, columns if unit.mixes_columns else None, columns, tuple(further))


def data(unit: Stage, name: str = "X") -> Sum:
    """The data X or Y as a sum of one term."""
    free = layout(unit).output
    return tensor(DataTensor(name, tuple(free.values())), tuple(free))


def perturbations(unit: ResidualUnit, number: int = 1) -> dict[str, Perturbation]:
    """The perturbation tensor of every weight of the unit at a position, by the weight's name."""
    place = layout(unit)
    return {
        name: Perturbation(name, number, tuple(place.indices(weight.shape).values()))
        for weight, name in unit.names.items()
    }


def unit_series(
    unit: Stage,
    stream: Series,
    number: int = 1,
    *,
    perturbed: Collection[str] | None = None,
    opaque: Collection[str] = (),
    own_initial: bool = False,
    place: str = "",
) -> Series:
    """The series of a unit's output, given that of its input.

    Args:
        unit: the residual unit.
        stream: the series of the unit's input.
        number: the unit's position, which names its perturbations.
        perturbed: the names of the weights that move from their initial values; None: all that are trainable.
        opaque: the names of the weights whose initial values are arbitrary tensors, whatever the unit says.
        own_initial: whether random initial values differ between units.
        place: what stands before the names of its weights.

    Raises:
        NotDifferentiableError: a function is evaluated where it has no derivative; the node is named.
    """
    every = node_series(unit, stream, number, perturbed=perturbed, opaque=opaque, own_initial=own_initial, place=place)
    return series(every[unit.expression], len(stream) - 1)


def node_series(
    unit: Stage,
    stream: Series,
    number: int = 1,
    *,
    perturbed: Collection[str] | None = None,
    opaque: Collection[str] = (),
    own_initial: bool = False,
    values: bool = False,
    place: str = "",
) -> dict[Expression, Series]:
    """The series of every node of a unit, each up to the degree that reaches the output; the others are empty.

    The arguments are those of `unit_series`; with `values`, the value alone of every node, whatever it reaches.

    Raises:
        NotDifferentiableError: a function is evaluated where it has no derivative; the node is named.
    """
    where, total = layout(unit), len(stream) - 1
    names = {weight: place + name for weight, name in unit.every_name.items()}
    moving = set(unit.names.values()) if perturbed is None else perturbed

    def valuation(weight: Weight) -> int:
        name = names[weight]
        return 0 if weight.initial != zero or name in opaque else 1 if name in moving else total + 1

    def weight_series(node: Weight, order: int) -> Series:
        name, free = names[node], where.indices(node.shape)
        start = _opaque_weight(name, free) if name in opaque else _initial(node, name, free, own_initial, number)
        move = tensor(Perturbation(name, number, tuple(free.values())), tuple(free)) if name in moving else {}
        return series([start, move], order)

    if values:
        need = dict.fromkeys(nodes(unit.expression), 0)
    else:
        need = needed_orders(unit.expression, total, valuation, _vanishing_constants(unit))
    return read_every(unit.expression, _node_case(unit, stream, need, weight_series))


def _node_case(
    unit: Stage, stream: Series, need: Mapping[Expression, int], weight_series: Callable[[Weight, int], Series]
) -> Callable[[Expression, Callable[[Expression], Series]], Series]:
    """The reading of one node to the order that is needed of it."""
    place = layout(unit)

    def case(node: Expression, whole: Callable[[Expression], Series]) -> Series:
        if node not in need:
            return ()
        order = need[node]

        def recurse(operand: Expression) -> Series:
            return series(whole(operand), order)

        match node:
            case Input():
                return series(stream, order)
            case Weight():
                return weight_series(node, order)
            case Constant():
                return series([_constant(node, place)], order)
            case Einsum(operands=(operand,)):
                return map_series(partial(rename, mapping=renaming(node, 0)), recurse(operand))
            case Einsum():
                left, right = map(recurse, node.operands)
                return multiply_series(left, right, partial(_contraction, node, place))
            case Add():
                return add_series(recurse(node.left), recurse(node.right))
            case Multiply():
                return multiply_series(recurse(node.left), recurse(node.right))
            case Apply():
                return _activate(node, recurse(node.operand), unit)
            case Softmax():
                return _softmax(node, recurse(node.operand), place)
            case Normalize():
                return _normalise(node, recurse(node.operand), place, unit)
            case _:
                assert_never(node)

    return case


@lru_cache(maxsize=1024)
def initial_values(unit: Stage) -> Mapping[Expression, Sum]:
    """The value of every node at the initial point and the data.

    Raises:
        NotDifferentiableError: a node has none, 0/0 in a normalisation; even where it is multiplied by zero.
    """
    every = node_series(unit, stream_series(unit, 0), perturbed=(), values=True)
    return {node: parts[0] for node, parts in every.items()}


@lru_cache(maxsize=1024)
def _vanishing_constants(unit: Stage) -> frozenset[Expression]:
    """The nodes made of constants alone that are zero, by whatever relation: ones @ layer_norm(...), say."""
    moving = set[Expression]()
    for node in nodes(unit.expression):
        if isinstance(node, Input | Weight) or not moving.isdisjoint(operands(node)):
            moving.add(node)
    if len(moving) == len(nodes(unit.expression)):
        return frozenset()
    return frozenset(node for node, value in initial_values(unit).items() if node not in moving and not value)


def meets_kinks(unit: ResidualUnit, order: int = 2) -> bool:
    """Whether an activation that moves in a part up to that degree is at its kink at the start, as relu(W h), W = 0."""
    every = node_series(unit, stream_series(unit, order))
    return any(
        isinstance(node, Apply) and 0 in node.activation.kinks and len(parts) > 1 and not every[node.operand][0]
        for node, parts in every.items()
    )


def stream_series(unit: Stage, order: int) -> Series:
    """The network's input: X, and nothing of higher degree."""
    return series([data(unit)], order)


def passes_through(unit: ResidualUnit, order: int = 2) -> bool:
    """Whether the unit at its initial point is the identity on an arbitrary input near the data.

    The input is X + u with u an arbitrary perturbation; the output is compared with it exactly, degree by degree up
    to `order` in u. This is GEN-1's hypothesis.
    """
    free = layout(unit).output
    stream = series([data(unit), tensor(Opaque("u", tuple(free.values()), degree=1), tuple(free))], order)
    return unit_series(unit, stream, perturbed=()) == stream


@lru_cache(maxsize=1024)
def require_identity(unit: ResidualUnit) -> None:
    """Nothing, where the unit at its initial point passes its input through, and its series can be had.

    Raises:
        NotIdentityError: it does not; the message shows what it maps h to at lowest order.
        ArchitectureError: the series would be enormous.
        NotDifferentiableError: a node has no value there, 0/0 in a normalisation; even where it is multiplied by zero.
    """
    refuse_enormous(unit.expression, values=True)
    at_start = initial_values(unit)[unit.expression]
    identity = at_start == data(unit)
    if identity:
        refuse_enormous(unit.expression)
    if not (identity and passes_through(unit)):
        shown = shortened(freeze(at_start, layout(unit).output).label, 60)
        raise NotIdentityError(
            f"{short_text(unit.expression, unit.names)}: at the initial point h = X goes to {shown}; expected X itself"
        )


def network_series(units: Sequence[ResidualUnit], order: int, *, own_initial: bool = False) -> Series:
    """The output of units in a row, the earliest first, every weight perturbed; all have the layout of the first."""
    stream = stream_series(units[0], order)
    for number, unit in enumerate(units, start=1):
        stream = unit_series(unit, stream, number, own_initial=own_initial)
    return stream


def loss_series(unit: ResidualUnit, loss: Loss, units: int, order: int, *, own_initial: bool = False) -> Series:
    """The mean loss of `units` equal units, up to its constant: parts[k] is its homogeneous part of degree k.

    With f = X + v: (1/m) sum over samples and columns of sum_k (1/k!) l^(k)[v, ..., v].

    Raises:
        NotIdentityError: the unit at its initial point is not the identity, so the loss is not expanded at X.
    """
    require_identity(unit)
    if loss.reads is not None and not _moves_with_stream(loss.reads.head):
        return series([], order)
    output = network_series([unit] * units, order, own_initial=own_initial)
    increment = series([{}, *output[1:]], order)
    start = lowest_degree(increment)
    total = series([], order)
    if start is None:
        return total
    free = layout(unit).output
    if loss.reads is not None:
        head = taking(loss.reads.head, unit)
        output = unit_series(head, output, place=loss.reads.called(""))
        increment, loss = series([{}, *output[1:]], order), loss.reads.inner
        free = {**layout(head).indices(head.expression.shape), SAMPLE: SAMPLES}
    for k in range(1, order // start + 1):
        derivative = _derivative_in(free, loss, k)
        if derivative:
            total = add_series(total, _loss_term(free, derivative, increment, k))
    return total


@lru_cache(maxsize=64)
def _moves_with_stream(head: Stage) -> bool:
    """Whether a head is no constant, as it is where its last weight is zero: its derivative at any X is 0 then."""
    free = layout(head).output
    moved = tensor(Opaque("u", tuple(free.values()), degree=1), tuple(free))
    return bool(unit_series(head, (data(head), moved))[1])


def _derivative_in(free: Mapping[int, Dimension], loss: Loss, k: int) -> Sum:
    """The k-th derivative of the per-sample loss in what has these axes: in -11, -12, ... and all but the row."""
    width, rest = free.get(ROW, 1), {i: dimension for i, dimension in free.items() if i != ROW}
    slots = [_loss_slot(j) for j in range(k)] if width != 1 else []
    if loss.quadratic and k == 2:
        return tensor(Delta((width, width)), slots) if slots else constant(1)
    if (loss.quadratic and k > 2) or (loss.centred and width == 1):
        return {}
    dims = (*(width for _ in slots), *rest.values())
    return tensor(LossDerivative(k, dims, loss.centred, scalar=not slots), (*slots, *rest))


def _loss_slot(j: int) -> int:
    return -11 - j


def _loss_term(free: Mapping[int, Dimension], derivative: Sum, increment: Series, k: int) -> Series:
    width, summed = free.get(ROW, 1), {i: n for i, n in free.items() if i != ROW}
    product = series([derivative], len(increment) - 1)
    for j in range(k):
        slot = _loss_slot(j)
        over = partial(contraction, mappings=({}, {ROW: slot}), free={slot: width})
        product = multiply_series(product, increment, over)
    mean = scale(Fraction(1, factorial(k)), size(SAMPLES, -1))
    return tuple(multiply(mean, contract(part, summed)) for part in product)


def stationary_order(unit: ResidualUnit, loss: Loss, at_most: int = 8) -> int | None:
    """The number of leading derivatives of the loss that vanish at the initial point, for data in general position.

    None where all up to `at_most` vanish. One unit decides: the part of least degree is a sum over units, and with
    several units the products of their branches are of higher degree.
    """
    for order in range(1, at_most + 1):
        if loss_series(unit, loss, 1, order)[order]:
            return order - 1
    return None


def branch_order(unit: ResidualUnit, at_most: int = 8) -> int | None:
    """The least degree in the weights of h -> F(h; w) = unit(h) - h at the data; None beyond `at_most`."""
    for order in range(1, at_most + 1):
        if network_series([unit], order)[order]:
            return order
    return None


@dataclass(frozen=True, slots=True)
class HessianForm:
    """The degree-two part of the loss of two units, split by the units its perturbations belong to.

    `diagonal` is 1/2 v_1^T D v_1, `cross` is v_2^T A v_1 (unit 2 is the later one).
    """

    diagonal: IndexSum
    cross: IndexSum


@lru_cache(maxsize=256)
def hessian_form(unit: ResidualUnit, loss: Loss) -> HessianForm:
    """D and A as quadratic forms.

    Raises:
        NotIdentityError: GEN-1's hypothesis fails.
    """
    parts = pair_forms(unit, loss)
    return HessianForm(freeze(parts[1, 1], {}), freeze(parts[1, 2], {}))


def pair_forms(
    unit: ResidualUnit, loss: Loss, units: int = 2, *, own_initial: bool = False
) -> dict[tuple[int, int], Sum]:
    """The degree-two part of the loss for each pair of units (r, s), r <= s, renamed to units 1 and 2.

    GEN-1 says that all (r, r) agree and all (r, s) with r < s agree.

    Raises:
        NotIdentityError: the unit at its initial point is not the identity.
        NotDifferentiableError: the loss has no second-order expansion there.
    """
    parts = loss_series(unit, loss, units, 2, own_initial=own_initial)
    refuse_kinks(*parts)
    return by_pairs_of_units(parts[2], units)


def by_pairs_of_units(part: Sum, units: int) -> dict[tuple[int, int], Sum]:
    """A part of degree two for each pair of units (r, s), r <= s, renamed to units 1 and 2."""
    forms: dict[tuple[int, int], Sum] = {(r, s): {} for r in range(1, units + 1) for s in range(r, units + 1)}
    for monomial, coefficient in part.items():
        first, second = sorted(t.unit for t, _ in monomial[1] if isinstance(t, Perturbation))
        forms[first, second][monomial] = coefficient
    return {(r, s): relabel_unit(relabel_unit(form, r, 1), s, 2 if r != s else 1) for (r, s), form in forms.items()}


def terms_of_forms(unit: ResidualUnit, diagonal: Sum, cross: Sum) -> HessianTerms:
    """The linear maps D, A and A^T of the forms 1/2 v_1^T D v_1 and v_2^T A v_1."""
    place = layout(unit)
    free = {name: place.indices(weight.shape) for weight, name in unit.names.items()}

    def rows(form: Sum, block: Block) -> tuple[tuple[str, IndexSum], ...]:
        left, right = UNITS[block]
        derivatives = {n: differentiate(form, t, tuple(free[n])) for n, t in perturbations(unit, left).items()}
        return tuple((n, freeze(relabel_unit(part, right, 1), free[n])) for n, part in derivatives.items())

    return HessianTerms(rows(diagonal, "D"), rows(cross, "A"), rows(cross, "A^T"))


def relabel_unit(summand: Sum, old: int, new: int) -> Sum:
    """The sum with the perturbations of unit `old` carrying the number `new`."""
    if old == new:
        return summand
    return collect(
        (
            coefficient,
            scalars,
            tuple(
                (Perturbation(t.weight, new, t.dims) if isinstance(t, Perturbation) and t.unit == old else t, slots)
                for t, slots in factors
            ),
        )
        for (scalars, factors), coefficient in summand.items()
    )


def exchange_units(form: Sum) -> Sum:
    """The form with the perturbations of units 1 and 2 exchanged."""
    return relabel_unit(relabel_unit(relabel_unit(form, 1, 0), 2, 1), 0, 2)


def hessian_block(unit: ResidualUnit, loss: Loss, later: tuple[str, int], earlier: tuple[str, int]) -> IndexSum:
    """The second derivative in two weights, (name, unit number) each: free indices (-1, -2) and (-4, -5).

    Raises:
        NotIdentityError: GEN-1's hypothesis fails.
    """
    form = loss_series(unit, loss, 2, 2)[2]
    refuse_kinks(form)
    place = layout(unit)
    shapes = {name: place.indices(weight.shape) for weight, name in unit.names.items()}
    rows = shapes[later[0]]
    cols = {other_index(i): n for i, n in shapes[earlier[0]].items()}
    once = differentiate(form, perturbations(unit, later[1])[later[0]], tuple(rows))
    twice = differentiate(once, perturbations(unit, earlier[1])[earlier[0]], tuple(cols))
    return freeze(twice, {**rows, **cols})


# The nodes.


def renaming(node: Einsum, place: int) -> dict[int, int]:
    """From the free indices of an operand to those of the result; what is summed over gets one that no tensor uses."""
    summed = [name for name in node.inputs[0] if name not in node.output]
    places = {name: axis_index(k) for k, name in enumerate(node.output)}
    places.update({name: JOINT - k for k, name in enumerate(summed)})
    return {axis_index(k): places[name] for k, name in enumerate(node.inputs[place])}


def _contraction(node: Einsum, place: Layout, left: Sum, right: Sum) -> Sum:
    """The product of two operands, summed over the axes that the result lacks."""
    summed = {
        renaming(node, 0)[axis_index(k)]: place.count(dimension)
        for k, (name, dimension) in enumerate(zip(node.inputs[0], node.operands[0].shape, strict=True))
        if name not in node.output
    }
    return contraction(left, right, (renaming(node, 0), renaming(node, 1)), summed)


def _delta(free: dict[int, Dimension]) -> Sum:
    return tensor(Delta((free[ROW], free[COLUMN])), (ROW, COLUMN)) if free else constant(1)


def _opaque_weight(name: str, free: dict[int, Dimension]) -> Sum:
    return tensor(InitialWeight(name, None, tuple(free.values())), tuple(free))


def _initial(node: Weight, name: str, free: dict[int, Dimension], own: bool, number: int) -> Sum:
    match node.initial:
        case Zero():
            return {}
        case Ones():
            return constant(1)
        case Identity():
            return _delta(free)
        case Values():
            return _opaque_weight(name, free)
        case Normal():
            return tensor(InitialWeight(name, number if own else None, tuple(free.values())), tuple(free))
        case _:
            assert_never(node.initial)


def _constant(node: Constant, place: Layout) -> Sum:
    free = place.indices(node.shape)
    match node.value:
        case "identity" | "shift 0":
            return _delta(free)
        case "mean":
            return reduce(multiply, (size(n, -1) for n in free.values()), constant(1))
        case str() as pattern if not free:
            return constant(node.entry((0,) * len(node.shape), (1,) * len(node.shape)))
        case str() as pattern:
            whole = () if len(free) == len(node.shape) else node.shape
            fixed = Pattern(pattern, tuple(free.values()), whole)
            return {} if _shifts_out(pattern, node.shape[0]) else tensor(fixed, tuple(free))
        case value:
            return constant(value)


def _shifts_out(pattern: str, size: Dimension) -> bool:
    """Whether a shift moves every column out of a matrix of a size that is known."""
    word, _, steps = pattern.partition(" ")
    return word == "shift" and isinstance(size, int) and abs(int(steps)) >= size


def coefficient_sum(coefficient: Coefficient) -> Sum:
    """A Taylor coefficient as a sum."""
    value = constant(coefficient.rational)
    return multiply(value, symbol(coefficient.symbol)) if coefficient.symbol else value


def _activate(node: Apply, operand: Series, unit: Stage) -> Series:
    activation, start, order = node.activation, operand[0], len(operand) - 1
    if activation.degree is not None:
        return _horner(activation, operand)
    increment = series([{}, *operand[1:]], order)
    if start:
        return compose(partial(_value_at, activation, start), increment)
    if 0 in activation.kinks:
        return _at_kink(activation, increment, short_text(node, unit.names))
    return compose(lambda k: coefficient_sum(activation.taylor(k)), increment)


def _at_kink(activation: Activation, u: Series, shown: str) -> Series:
    """f(0) + s u with the opaque secant slope s of f; relu(-u) is relu(u) - u, so that u has one sign."""
    value = series([coefficient_sum(activation.taylor(0))], len(u) - 1)
    start = lowest_degree(u)
    if start is None:
        return value
    free = _free_indices_of(u)
    leading = freeze(u[start], free).terms[0].coefficient
    flipped = activation is relu and leading < 0
    positive = map_series(partial(scale, -1), u) if flipped else u
    # The secant slope of a function that is linear on both sides does not change with the size of u.
    parts = tuple(freeze(scale(1 / abs(leading), part), free) for part in positive[1:])
    secant = tensor(Secant(activation.name, parts, tuple(free.values()), shown), tuple(free))
    rest = u if flipped else series([], len(u) - 1)
    return add_series(value, map_series(partial(multiply, secant), positive), rest)


def refuse_kinks(*forms: Sum) -> None:
    """Nothing, where no form of degree one or two has the secant slope of an activation at its kink.

    Raises:
        NotDifferentiableError: one has: the loss has no such derivative; the message names the node.
    """
    for form in forms:
        for t in (t for _, factors in form for t, _ in factors):
            if isinstance(t, Secant):
                raise NotDifferentiableError(
                    f"{t.activation} has no derivative at 0, and the argument of {t.shown} is 0 at the initial point"
                )


def _horner(activation: Activation, operand: Series) -> Series:
    assert activation.degree is not None
    order = len(operand) - 1
    total = series([coefficient_sum(activation.taylor(activation.degree))], order)
    for k in reversed(range(activation.degree)):
        constant_part = series([coefficient_sum(activation.taylor(k))], order)
        total = add_series(multiply_series(total, operand), constant_part)
    return total


def _value_at(activation: Activation, start: Sum, k: int) -> Sum:
    """The k-th Taylor coefficient at a nonzero point: an opaque tensor over k!."""
    if activation.kinks and k > 1:
        return {}  # linear between its kinks
    sign = _sign(start) if activation is relu else 0
    if sign and k == 0:
        return start if sign > 0 else {}
    if sign and not any(isinstance(t, Delta | Pattern) for _, factors in start for t, _ in factors):
        return constant(1) if sign > 0 else {}
    free = _free_indices(start)
    value = ActivationValue(activation.name, k, freeze(start, free), tuple(free.values()))
    return scale(Fraction(1, factorial(k)), tensor(value, tuple(free)))


def _sign(value: Sum) -> int:
    """1 where every entry is positive or zero, -1 where every one is negative or zero, 0 where that is not plain."""
    for scalars, factors in value:
        if any(not isinstance(t, Delta | Pattern | InverseScale | InverseRoot) for t, _ in factors):
            return 0
        if any(not name.isidentifier() for name, _ in scalars):
            return 0  # a derivative at zero, not a size
    signs = {coefficient > 0 for coefficient in value.values()}
    return 0 if len(signs) != 1 else 1 if signs.pop() else -1


def _free_indices(summand: Sum) -> dict[int, Dimension]:
    """The free indices that occur, in the order row, column, sample."""
    return _free_indices_of((summand,))


def _free_indices_of(parts: Series) -> dict[int, Dimension]:
    """The free indices that occur in any part."""
    factors = (factor for part in parts for _, several in part for factor in several)
    found = {i: t.dims[slot] for t, slots in factors for slot, i in enumerate(slots) if i < 0}
    return {i: found[i] for i in sorted(found, reverse=True)}


def _along(node: Softmax | Normalize) -> int:
    return axis_index(node.axis)


def _softmax(node: Softmax, operand: Series, place: Layout) -> Series:
    axis, order, start = _along(node), len(operand) - 1, operand[0]
    dimension = place.count(node.operand.shape[node.axis])
    if dimension == 1:
        return series([constant(1)], order)
    exponential = compose(lambda k: constant(Fraction(1, factorial(k))), series([{}, *operand[1:]], order))
    weighted = map_series(partial(multiply, _softmax_value(node, start, axis, dimension, place)), exponential)
    total = map_series(partial(contract, free={axis: dimension}), weighted)
    assert total[0] == constant(1)
    inverse = compose(lambda k: constant((-1) ** k), series([{}, *total[1:]], order))
    return multiply_series(weighted, inverse)


def _softmax_value(node: Softmax, start: Sum, axis: int, dimension: Dimension, place: Layout) -> Sum:
    free = _free_indices(start)
    if node.mask is None and axis not in free:
        return size(dimension, -1)
    masked = _masked(node, place)
    free = {**masked, **free}
    free = {i: free[i] for i in sorted(free, reverse=True)}
    mask = None if node.mask is None else str(node.mask.value)
    if mask in {"identity", "shift 0"}:
        (i, n), (j, _) = masked.items()
        return tensor(Delta((n, n)), (i, j))
    along = tuple(map(tuple(free).index, masked))
    value = SoftmaxValue(freeze(start, free), tuple(free).index(axis), mask, tuple(free.values()), along or (0, 1))
    return tensor(value, tuple(free))


def _masked(node: Softmax, place: Layout) -> dict[int, Dimension]:
    """The free indices of a mask: those of the operand's last two axes."""
    if node.mask is None:
        return {}
    axes = list(enumerate(node.shape))[-2:]
    return {axis_index(k): place.count(dimension) for k, dimension in axes}


def _normalise(node: Normalize, operand: Series, place: Layout, unit: Stage) -> Series:
    axis, order, start = _along(node), len(operand) - 1, operand[0]
    dimension = place.count(node.operand.shape[node.axis])

    def mean(part: Sum) -> Sum:
        return multiply(size(dimension, -1), contract(part, {axis: dimension}))

    fixed = _fixed_radicand(node, start, mean)
    if node.epsilon == 0 and (fixed == {} or (node.centred and axis not in _free_indices(start))):
        shown = short_text(node, unit.names)
        raise NotDifferentiableError(
            f"{shown} has no derivative at the initial point: its argument has zero scale there"
        )
    if fixed is None:
        # A mean that vanishes makes no difference, and the value's own mean vanishes with it.
        centred = node.centred or (axis in _free_indices(start) and not mean(start))
        value, inverse_scale = _norm_values(start, axis, dimension, centred=centred, epsilon=Fraction(node.epsilon))
    else:
        inverse_scale = _inverse_root(fixed)
        value = multiply(inverse_scale, add(start, scale(-1, mean(start))) if node.centred else start)
    if not node.centred and axis not in _free_indices(start):
        value = multiply(inverse_scale, start)  # the same for every value of the index, so that it has no slot for it
    move = series([{}, *operand[1:]], order)
    if node.centred:
        move = map_series(lambda part: add(part, scale(-1, mean(part))), move)
    scaled = map_series(partial(multiply, inverse_scale), move)
    # q = 2 r mean(n v') + r^2 mean(v'^2), with r v' already formed.
    linear = map_series(lambda part: scale(2, mean(multiply(value, part))), scaled)
    square = map_series(mean, multiply_series(scaled, scaled))
    spread = compose(binomial(Fraction(-1, 2)), add_series(linear, square))
    return multiply_series(add_series(series([value], order), scaled), spread)


def _fixed_radicand(node: Normalize, start: Sum, mean: Callable[[Sum], Sum]) -> Sum | None:
    """var u_0 + epsilon where that is one number, whatever the data, as for a u_0 made of constants; else None."""
    centred = add(start, scale(-1, mean(start))) if node.centred else start
    if any(not isinstance(t, Delta | Pattern) for _, factors in centred for t, _ in factors):
        return None
    radicand = add(mean(multiply(centred, centred)), constant(node.epsilon))
    return None if any(factors for _, factors in radicand) else radicand


def _inverse_root(radicand: Sum) -> Sum:
    """q^(-1/2), a number where q is the square of one."""
    fixed = freeze(radicand, {})
    number = rational(fixed)
    root = None if number is None else rational_root(number)
    return tensor(InverseRoot(fixed), ()) if root is None else constant(1 / root)


def _norm_values(start: Sum, axis: int, dimension: Dimension, *, centred: bool, epsilon: Fraction) -> tuple[Sum, Sum]:
    """norm(u_0) and 1/std(u_0) as opaque tensors."""
    free = _free_indices(start)
    kept = {i: n for i, n in free.items() if i != axis}
    inside = dict(sorted({**free, axis: dimension}.items(), reverse=True))
    argument, slot = freeze(start, inside), tuple(inside).index(axis)
    inverse_scale = tensor(InverseScale(argument, slot, centred, epsilon, tuple(kept.values())), tuple(kept))
    if not start or (centred and axis not in free):
        return {}, inverse_scale
    value = Normalised(argument, slot, centred, epsilon, tuple(inside.values()))
    return tensor(value, tuple(inside)), inverse_scale
