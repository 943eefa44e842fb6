"""The reading that evaluates: every node an array of jets, unit after unit.

An array is the list of its entries, the last axis running fastest; its shape is that of the node's step.

A weight's entry is initial value + perturbation; products, sums and elementwise activations act entry by entry on
jets (`jets`, `expansions`), softmax and normalisation line by line (`coupled`). Only the steps of the plan are taken,
each up to its needed degree (`orders`, `plans`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import compress, product
from math import prod
from typing import TypeAlias, assert_never

from resproof.architectures.dimensions import Axes, read_pattern
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    describe,
)
from resproof.architectures.patterns import in_pattern
from resproof.architectures.values import Identity, Normal, Ones, Values, Zero
from resproof.symbolic.algebra.rings import Element, MissingSymbolsError, Ring
from resproof.symbolic.written.activation_series import expansion
from resproof.symbolic.written.coupled import normalised_line, softmax_line
from resproof.symbolic.written.jets import Jet, Jets, compose
from resproof.symbolic.written.kinks import at_kink
from resproof.symbolic.written.plans import NodeStep, UnitPlan

Entries: TypeAlias = list[Jet]
Sizes: TypeAlias = tuple[int, ...]
Expansions: TypeAlias = dict[tuple[Apply, int, int], tuple[Element, list[Element]]]
"""Taylor coefficients by activation, point and order, the same in every unit; points are told by identity, and kept."""


def forward(plan: UnitPlan, units: int, jets: Jets, x: Entries, variables: Collection[int] | None) -> Entries:
    """The output of all units, U_R o ... o U_1 (x); x is used up.

    Weights outside `variables` keep their initial values, and so do frozen ones.

    Raises:
        NotDifferentiableError: an activation has a kink where a derivative is needed, or a normalisation has zero
            scale; the message names the node.
        MissingSymbolsError: the ring lacks symbols.
    """
    initial = {
        step.node: _initial_values(step.node, plan.unit.every_name[step.node], step.shape, jets.ring)
        for step in plan.steps
        if isinstance(step.node, Weight)
    }
    h, expansions = x, Expansions()
    for unit in range(units):
        values: list[Entries] = []
        for step in plan.steps:
            if isinstance(step.node, Weight):
                values.append(_weight_of(step, initial[step.node], unit, plan, jets, variables))
            else:
                values.append(_evaluate(step, plan, values, h, jets, expansions))
        h = values[plan.result] if plan.result is not None else _zeros(plan.shape, jets)
    return h


def _evaluate(
    step: NodeStep, plan: UnitPlan, values: Sequence[Entries], h: Entries, jets: Jets, expansions: Expansions
) -> Entries:
    match step.node:
        case Input():
            return h
        case Einsum(operands=(_,)):
            place = _there(step.operands[0])
            return [values[place][k] for k in _moved(step.node.pattern, plan.steps[place].shape)]
        case Einsum():
            right, left = map(_there, step.operands)
            pairs = _pairs(step.node.pattern, plan.steps[left].shape, plan.steps[right].shape)
            return [_sum_of_products(values[left], values[right], some, step.order, jets) for some in pairs]
        case Add():
            return _add(step, plan, values, jets)
        case Apply():
            place = step.operands[0]
            return _apply(step, _zeros(step.shape, jets) if place is None else values[place], jets, expansions)
        case Multiply():
            return _multiply(step, plan, values, jets)
        case Weight():
            raise AssertionError("weights differ between units and are made in forward")
        case Constant():
            return _constant(step.node, step.shape, jets)
        case Softmax() | Normalize():
            place = step.operands[0]
            return _couple(step.node, step, _zeros(step.shape, jets) if place is None else values[place], jets)
        case _:
            assert_never(step.node)


def _there(place: int | None) -> int:
    if place is None:
        raise AssertionError("a product or transpose with an operand that is zero is zero itself")
    return place


def _zeros(shape: Sizes, jets: Jets) -> Entries:
    return [jets.number(jets.ring.zero) for _ in range(prod(shape))]


@lru_cache(maxsize=256)
def _moved(pattern: str, shape: Sizes) -> list[int]:
    """Where the entries of an operand with its axes in another order are taken from."""
    ((names,), output) = read_pattern(pattern)
    sizes = dict(zip(names, shape, strict=True))
    return [_number(tuple(at[name] for name in names), shape) for at in _assignments(output, sizes)]


@lru_cache(maxsize=256)
def _pairs(pattern: str, left: Sizes, right: Sizes) -> list[list[tuple[int, int]]]:
    """For every entry of a contraction, the pairs of entries whose products it is the sum of."""
    ((own, other), output) = read_pattern(pattern)
    sizes = {**dict(zip(own, left, strict=True)), **dict(zip(other, right, strict=True))}
    summed = tuple(name for name in own if name not in output)
    return [
        [
            (
                _number(tuple(at[name] for name in own), left),
                _number(tuple(at[name] for name in other), right),
            )
            for inner in _assignments(summed, sizes)
            for at in ({**outer, **inner},)
        ]
        for outer in _assignments(output, sizes)
    ]


def _assignments(names: Axes, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for values in product(*(range(sizes[name]) for name in names)):
        yield dict(zip(names, values, strict=True))


def _number(place: Sizes, shape: Sizes) -> int:
    """Where the entry at a place stands."""
    found = 0
    for index, size in zip(place, shape, strict=True):
        found = found * size + index
    return found


def _sum_of_products(left: Entries, right: Entries, pairs: Sequence[tuple[int, int]], order: int, jets: Jets) -> Jet:
    total, add_product = jets.number(jets.ring.zero), jets.add_product
    for i, j in pairs:
        add_product(total, left[i], right[j], order)
    return total


def _add(step: NodeStep, plan: UnitPlan, values: Sequence[Entries], jets: Jets) -> Entries:
    total = _zeros(step.shape, jets) if step.takes is None else values[step.takes]
    for place in step.operands:
        if place is not None and place != step.takes:
            for target, k in zip(total, _broadcast(plan.steps[place].shape, step.shape), strict=True):
                jets.add(target, values[place][k])
    return total


def _multiply(step: NodeStep, plan: UnitPlan, values: Sequence[Entries], jets: Jets) -> Entries:
    left, right = map(_there, step.operands)
    places = (_broadcast(plan.steps[place].shape, step.shape) for place in (left, right))
    return [
        _sum_of_products(values[left], values[right], [pair], step.order, jets) for pair in zip(*places, strict=True)
    ]


@lru_cache(maxsize=256)
def _broadcast(given: Sizes, shape: Sizes) -> list[int]:
    """For every entry of the shape, the entry that stands for it in an operand that may have 1 for a size."""
    places = product(*map(range, shape))
    return [_number(tuple(i * (n > 1) for i, n in zip(at, given, strict=True)), given) for at in places]


def _apply(step: NodeStep, operand: Entries, jets: Jets, expansions: Expansions) -> Entries:
    if not isinstance(step.node, Apply):
        raise AssertionError("_apply is for activations")
    missing: list[str] = []
    result: Entries = []
    for jet in operand:
        try:
            result.append(_applied(step.node, jet, step.order, jets, expansions))
        except MissingSymbolsError as error:
            missing += error.names
    if missing:
        raise MissingSymbolsError(missing)
    return result


def _couple(node: Softmax | Normalize, step: NodeStep, operand: Entries, jets: Jets) -> Entries:
    """Softmax or normalisation along the node's axis, line by line.

    Raises:
        NotDifferentiableError: a normalisation of a line of zero scale.
        MissingSymbolsError: the ring lacks symbols of some lines.
    """
    missing: list[str] = []
    result = list(operand)
    for line in _lines(step.shape, node.axis):
        try:
            found = _coupled_line(node, [operand[k] for k, _ in line], [at for _, at in line], step.order, jets)
        except MissingSymbolsError as error:
            missing += error.names
            continue
        except NotDifferentiableError as error:
            raise NotDifferentiableError(f"{describe(node)} has no derivative: {error}") from None
        for (k, _), jet in zip(line, found, strict=True):
            result[k] = jet
    if missing:
        raise MissingSymbolsError(missing)
    return result


@lru_cache(maxsize=256)
def _lines(shape: Sizes, axis: int) -> list[list[tuple[int, Sizes]]]:
    """The entries of every line along an axis: number and place."""
    others = product(*(range(1 if k == axis else n) for k, n in enumerate(shape)))
    places = ([(*at[:axis], i, *at[axis + 1 :]) for i in range(shape[axis])] for at in others)
    return [[(_number(at, shape), at) for at in line] for line in places]


def _coupled_line(node: Softmax | Normalize, line: Entries, places: Sequence[Sizes], order: int, jets: Jets) -> Entries:
    if isinstance(node, Normalize):
        return normalised_line(line, order, jets, centred=node.centred, epsilon=Fraction(node.epsilon))
    # A mask has the last two axes.
    seen = [node.mask is None or in_pattern(str(node.mask.value), *at[-2:]) for at in places]
    values = iter(softmax_line(list(compress(line, seen)), order, jets))
    return [next(values) if inside else jets.number(jets.ring.zero) for inside in seen]


def _applied(node: Apply, jet: Jet, order: int, jets: Jets, expansions: Expansions) -> Jet:
    """The activation of one entry; at a kink by its secant slope, a symbol of which nothing but its size is known."""
    point, degrees = jets.value(jet), order // jets.least_degree(jet)
    if node.activation.kinks and degrees and not point and 0 in node.activation.kinks:
        return at_kink(node.activation, jet, order, jets)
    place = (node, id(point) if point else 0, degrees)
    found = expansions.get(place)
    if found is None:
        found = expansions[place] = point, _expand(node, point, degrees, jets.ring)
    return compose(jets, found[1], jet, order)


def _expand(node: Apply, point: Element, degrees: int, ring: Ring) -> list[Element]:
    try:
        return expansion(node.activation, point, degrees, ring)
    except NotDifferentiableError as error:
        raise NotDifferentiableError(
            f"{describe(node)}: {error}; expected an activation that is smooth there"
        ) from None


def _weight_of(
    step: NodeStep, initial: list[Element], unit: int, plan: UnitPlan, jets: Jets, variables: Collection[int] | None
) -> Entries:
    """A weight in one of the units."""
    weight = step.node
    assert isinstance(weight, Weight)
    if not weight.trainable:
        return _weight(initial, step.shape, 0, jets, ())
    first = unit * plan.parameters + plan.offsets[weight]
    return _weight(initial, step.shape, first, jets, variables)


def _weight(initial: list[Element], shape: Sizes, first: int, jets: Jets, variables: Collection[int] | None) -> Entries:
    numbers = [first + k for k in _parameter_numbers(shape)]
    if variables is None:
        return list(map(jets.variable, initial, numbers))
    return [
        jets.variable(value, number) if number in variables else jets.number(value)
        for value, number in zip(initial, numbers, strict=True)
    ]


@lru_cache(maxsize=256)
def _parameter_numbers(shape: Sizes) -> list[int]:
    """The number of every entry's parameter: column by column, all axes but the first being those of a column."""
    rows, columns = (shape[0] if shape else 1), prod(shape[1:])
    return [j * rows + i for i in range(rows) for j in range(columns)]


def _initial_values(weight: Weight, name: str, shape: Sizes, ring: Ring) -> list[Element]:
    count = prod(shape)
    match weight.initial:
        case Zero():
            return [ring.zero] * count
        case Ones():
            return [ring.one] * count
        case Identity():
            return [ring.one if i == j else ring.zero for i, j in product(*map(range, shape))]
        case Normal() | Values():
            return ring.symbols(entry_names(name, shape))
        case _:
            assert_never(weight.initial)


def entry_names(name: str, shape: Sizes) -> list[str]:
    """The symbols of a weight's entries, row by row."""
    return [entry_name(name, *place) for place in product(*map(range, shape))]


def entry_name(name: str, *place: int) -> str:
    """The symbol of a weight's entry, w[1,2]; no datum or derivative is called so, whatever the weight's name."""
    return f"{name}[{','.join(str(i + 1) for i in place)}]"


def _constant(node: Constant, shape: Sizes, jets: Jets) -> Entries:
    ring = jets.ring
    return [jets.number(ring.number(node.entry(place, shape))) for place in product(*map(range, shape))]
