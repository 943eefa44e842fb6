"""The reading that evaluates: every node a matrix of jets, unit after unit.

A weight's entry is initial value + perturbation; products, sums and elementwise activations act entry by entry on
jets (`jets`, `expansions`), softmax and normalisation line by line (`coupled`). Only the steps of the plan are taken,
each up to its needed degree (`orders`, `plans`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import compress
from typing import TypeAlias, assert_never

from architectures.errors import NotDifferentiableError
from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Identity,
    Input,
    MatMul,
    Multiply,
    Normal,
    Normalize,
    Ones,
    Softmax,
    Transpose,
    Weight,
    Zero,
    describe,
    in_pattern,
)
from symbolic.algebra.rings import Element, MissingSymbolsError, Ring
from symbolic.written.activation_series import expansion
from symbolic.written.coupled import normalised_line, softmax_line
from symbolic.written.jets import Jet, Jets, compose
from symbolic.written.kinks import at_kink
from symbolic.written.plans import NodeStep, UnitPlan

Matrix: TypeAlias = list[list[Jet]]


def forward(plan: UnitPlan, units: int, jets: Jets, x: Matrix, variables: Collection[int] | None) -> Matrix:
    """The output of all units, U_R o ... o U_1 (x); x is used up.

    Weights outside `variables` keep their initial values.

    Raises:
        NotDifferentiableError: an activation has a kink where a derivative is needed, or a normalisation has zero
            scale; the message names the node.
        MissingSymbolsError: the ring lacks symbols.
    """
    initial = {
        step.node: _initial_values(step.node, plan.unit.names[step.node], step.shape, jets.ring)
        for step in plan.steps
        if isinstance(step.node, Weight)
    }
    h = x
    for unit in range(units):
        values: list[Matrix] = []
        for step in plan.steps:
            if isinstance(step.node, Weight):
                first = unit * plan.parameters + plan.offsets[step.node]
                values.append(_weight(initial[step.node], first, jets, variables))
            else:
                values.append(_evaluate(step, values, h, jets))
        h = values[plan.result] if plan.result is not None else _zeros(plan.shape, jets)
    return h


def _evaluate(step: NodeStep, values: Sequence[Matrix], h: Matrix, jets: Jets) -> Matrix:
    match step.node:
        case Input():
            return h
        case Weight():
            raise AssertionError("weights differ between units and are made in forward")
        case Constant():
            return _constant(step.node, step.shape, jets)
        case MatMul():
            right, left = (values[place] for place in step.operands if place is not None)
            return _matmul(left, right, step.order, jets)
        case Add():
            return _add(step, values, jets)
        case Multiply():
            left, right = (values[place] for place in step.operands if place is not None)
            return _multiply(left, right, step, jets)
        case Apply():
            place = step.operands[0]
            return _apply(step, _zeros(step.shape, jets) if place is None else values[place], jets)
        case Transpose():
            return _transposed(values[_there(step.operands[0])])
        case Softmax() | Normalize():
            place = step.operands[0]
            return _couple(step.node, step, _zeros(step.shape, jets) if place is None else values[place], jets)
        case _:
            assert_never(step.node)


def _there(place: int | None) -> int:
    if place is None:
        raise AssertionError("a product or transpose with an operand that is zero is zero itself")
    return place


def _zeros(shape: tuple[int, int], jets: Jets) -> Matrix:
    return [[jets.number(jets.ring.zero) for _ in range(shape[1])] for _ in range(shape[0])]


def _matmul(left: Matrix, right: Matrix, order: int, jets: Jets) -> Matrix:
    columns = list(zip(*right, strict=True))
    zero, add_product = jets.ring.zero, jets.add_product
    result: Matrix = []
    for row in left:
        sums: list[Jet] = []
        for column in columns:
            total = jets.number(zero)
            for a, b in zip(row, column, strict=True):
                add_product(total, a, b, order)
            sums.append(total)
        result.append(sums)
    return result


def _add(step: NodeStep, values: Sequence[Matrix], jets: Jets) -> Matrix:
    present = [place for place in step.operands if place is not None]
    rows, cols = step.shape
    if step.takes is None:
        total, rest = _zeros(step.shape, jets), present
    else:
        total = values[step.takes]
        rest = [place for place in present if place != step.takes]
    for place in rest:
        entry = _broadcast(values[place])
        for i in range(rows):
            for j in range(cols):
                jets.add(total[i][j], entry(i, j))
    return total


def _multiply(left: Matrix, right: Matrix, step: NodeStep, jets: Jets) -> Matrix:
    a, b, total = _broadcast(left), _broadcast(right), _zeros(step.shape, jets)
    for i, row in enumerate(total):
        for j, target in enumerate(row):
            jets.add_product(target, a(i, j), b(i, j), step.order)
    return total


def _broadcast(matrix: Matrix) -> Callable[[int, int], Jet]:
    one_row, one_column = len(matrix) == 1, len(matrix[0]) == 1
    return lambda i, j: matrix[0 if one_row else i][0 if one_column else j]


def _apply(step: NodeStep, operand: Matrix, jets: Jets) -> Matrix:
    if not isinstance(step.node, Apply):
        raise AssertionError("_apply is for activations")
    missing: list[str] = []
    result: Matrix = []
    cache: dict[int, list[Element]] = {}
    for row in operand:
        composed: list[Jet] = []
        for jet in row:
            try:
                composed.append(_applied(step.node, jet, step.order, jets, cache))
            except MissingSymbolsError as error:
                missing += error.names
        result.append(composed)
    if missing:
        raise MissingSymbolsError(missing)
    return result


def _couple(node: Softmax | Normalize, step: NodeStep, operand: Matrix, jets: Jets) -> Matrix:
    """Softmax or normalisation along the node's axis, line by line.

    Raises:
        NotDifferentiableError: a normalisation of a line of zero scale.
        MissingSymbolsError: the ring lacks symbols of some lines.
    """
    lines = _transposed(operand) if node.axis == 0 else operand
    missing: list[str] = []
    result: Matrix = []
    for number, line in enumerate(lines):
        try:
            result.append(_coupled_line(node, line, number, step.order, jets))
        except MissingSymbolsError as error:
            missing += error.names
        except NotDifferentiableError as error:
            raise NotDifferentiableError(f"{describe(node)} has no derivative: {error}") from None
    if missing:
        raise MissingSymbolsError(missing)
    return _transposed(result) if node.axis == 0 else result


def _coupled_line(node: Softmax | Normalize, line: list[Jet], number: int, order: int, jets: Jets) -> list[Jet]:
    if isinstance(node, Normalize):
        return normalised_line(line, order, jets, centred=node.centred, epsilon=Fraction(node.epsilon))
    seen = [_unmasked(node, place, number) for place in range(len(line))]
    values = iter(softmax_line(list(compress(line, seen)), order, jets))
    return [next(values) if inside else jets.number(jets.ring.zero) for inside in seen]


def _unmasked(node: Softmax, place: int, number: int) -> bool:
    """Whether the mask lets through the entry at a place of a line."""
    i, j = (place, number) if node.axis == 0 else (number, place)
    return node.mask is None or in_pattern(str(node.mask.value), i, j)


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _applied(node: Apply, jet: Jet, order: int, jets: Jets, at_zero: dict[int, list[Element]]) -> Jet:
    """The activation of one entry; at a kink by its secant slope, a symbol of which nothing but its size is known."""
    if 0 in node.activation.kinks and not jets.value(jet) and jets.least_degree(jet) <= order:
        return at_kink(node.activation, jet, order, jets)
    return compose(jets, _expand(node, jet, order, jets, at_zero), jet, order)


def _expand(node: Apply, jet: Jet, order: int, jets: Jets, at_zero: dict[int, list[Element]]) -> list[Element]:
    point = jets.value(jet)
    degrees = order // jets.least_degree(jet)
    if not point and degrees in at_zero:
        return at_zero[degrees]
    try:
        found = expansion(node.activation, point, degrees, jets.ring)
    except NotDifferentiableError as error:
        raise NotDifferentiableError(
            f"{describe(node)}: {error}; expected an activation that is smooth there"
        ) from None
    if not point:
        at_zero[degrees] = found
    return found


def _weight(initial: list[list[Element]], first: int, jets: Jets, variables: Collection[int] | None) -> Matrix:
    rows = len(initial)
    if variables is None:
        variable = jets.variable
        return [[variable(value, first + j * rows + i) for j, value in enumerate(row)] for i, row in enumerate(initial)]
    return [
        [
            jets.variable(value, first + j * rows + i) if first + j * rows + i in variables else jets.number(value)
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(initial)
    ]


def _initial_values(weight: Weight, name: str, shape: tuple[int, int], ring: Ring) -> list[list[Element]]:
    rows, cols = shape
    match weight.initial:
        case Zero():
            return [[ring.zero] * cols for _ in range(rows)]
        case Ones():
            return [[ring.one] * cols for _ in range(rows)]
        case Identity():
            return [[ring.one if i == j else ring.zero for j in range(cols)] for i in range(rows)]
        case Normal():
            flat = ring.symbols(entry_names(name, shape))
            return [flat[i * cols : (i + 1) * cols] for i in range(rows)]
        case _:
            assert_never(weight.initial)


def entry_names(name: str, shape: tuple[int, int]) -> list[str]:
    """The symbols of a weight's entries, row by row."""
    return [entry_name(name, i, j) for i in range(shape[0]) for j in range(shape[1])]


def entry_name(name: str, i: int, j: int) -> str:
    """The symbol of a weight's entry, w[1,2]; no datum or derivative is called so, whatever the weight's name."""
    return f"{name}[{i + 1},{j + 1}]"


def _constant(node: Constant, shape: tuple[int, int], jets: Jets) -> Matrix:
    ring, value = jets.ring, node.value
    if not isinstance(value, str):
        return [[jets.number(ring.number(value)) for _ in range(shape[1])] for _ in range(shape[0])]
    return [
        [jets.number(ring.one if in_pattern(value, i, j) else ring.zero) for j in range(shape[1])]
        for i in range(shape[0])
    ]
