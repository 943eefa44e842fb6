"""The small-model reduction: second derivatives for every size from finitely many tiny networks.

Why these tiny networks prove a statement about all widths, all depths and all numbers of samples:

1. The loss is the mean over samples of a per-sample loss, and so is any claimed formula: m = 1 with symbolic data.
2. A unit at its initial weights is the identity (checked on every network here), and a second derivative moves at
   most two units: units (1, 1) and (1, 2) suffice, for every depth.
3. Two scalar weights w_ij, w_pq move, all others keep their initial values. Call the coordinates i, j, p, q of each
   named dimension *touched*. If every product contracts a named dimension only over entries that vanish off the
   touched coordinates, and the output off them does not depend on the two weights, then the second derivative is a
   function of the data at the touched coordinates alone. Both conditions are computed from the expression, node by
   node, and refused by name where they fail. Which coordinates they are does not matter: units that pass commute
   with renaming the coordinates of a dimension. What matters is which indices coincide, so one network per
   coincidence pattern suffices: 15 for two d x d weights, 4 for the adjacent pair k x d and d x k.
4. Activations enter through symbols, and so do the gradient g and the curvature Q of a loss that is not squared.

A claim is a formula in the pattern's coordinates; it holds for all sizes when it holds on every pattern.

Source: Demystifying ResNet, Lemmas 3 and 4 (the reduction to one or two units and the weights that are named).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, assert_never

from architectures.errors import ArchitectureError
from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Dimension,
    Expression,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
    describe,
    nodes,
    read,
    zero,
)
from architectures.losses import Loss, generic_loss, squared
from architectures.networks import Network, ResidualUnit
from architectures.properties import the_input
from symbolic.algebra.rings import Plain, RingKind, flint_ring, show
from symbolic.written.explicit import hessian_at_initial_point, output_at_initial_point
from symbolic.written.plans import size, weight_offsets

Place: TypeAlias = tuple[int, int]
"""The row and column of a scalar weight, from 1."""


@dataclass(frozen=True, slots=True, order=True)
class WeightPair:
    """d^2 L / dw dw' with w the entry `places[0]` of `weights[0]` in unit `units[0]`, and w' likewise."""

    units: tuple[int, int]
    weights: tuple[str, str]
    places: tuple[Place, Place]

    def __str__(self) -> str:
        (r, s), (first, second), ((i, j), (p, q)) = self.units, self.weights, self.places
        return f"d2L/d{first}({r})_{i}_{j} d{second}({s})_{p}_{q}"


def patterns(unit: ResidualUnit) -> Iterator[WeightPair]:
    """Every pattern of two scalar weights, up to renaming the coordinates of each named dimension."""
    for units in ((1, 1), (1, 2)):
        for number, first in enumerate(unit.weights):
            for second in unit.weights[number if units == (1, 1) else 0 :]:
                slots = (first.rows, first.cols, second.rows, second.cols)
                for i, j, p, q in _coincidences(slots):
                    yield WeightPair(units, (unit.names[first], unit.names[second]), ((i, j), (p, q)))


def second_derivatives(
    unit: ResidualUnit, loss: Loss = squared, *, ring: RingKind = flint_ring
) -> dict[WeightPair, Plain]:
    """The second derivative of the loss for every pattern, at the initial point, one sample, in plain form.

    Raises:
        ArchitectureError: the reduction does not apply to this unit; the message names the node and the reason.
        NotDifferentiableError: an activation has a kink where a derivative is needed.
    """
    check_reducible(unit)
    loss = loss if loss.quadratic else generic_loss  # no relation over all coordinates holds among the touched ones
    by_name = {name: weight for weight, name in unit.names.items()}
    found: dict[WeightPair, Plain] = {}
    for pattern in patterns(unit):
        first, second = (by_name[name] for name in pattern.weights)
        sizes = _sizes(unit, (first, second), pattern)
        offsets, parameters = weight_offsets(unit, sizes)
        numbers = [
            (r - 1) * parameters + offsets[weight] + (j - 1) * size(weight.rows, sizes) + i - 1
            for r, weight, (i, j) in zip(pattern.units, (first, second), pattern.places, strict=True)
        ]
        network = Network(unit, max(pattern.units), loss)
        _check_identity(network, sizes)
        hessian = hessian_at_initial_point(network, sizes, variables=numbers, ring=ring)
        found[pattern] = hessian.ring.plain(hessian[numbers[0], numbers[1]])
    return found


def check_reducible(unit: ResidualUnit) -> None:
    """Raise unless point 3 above holds for the unit.

    Raises:
        ArchitectureError: naming the node where it fails.
    """
    if unit.mixes_columns:
        raise ArchitectureError(f"{describe(unit.expression)}: mixes columns; expected a unit that keeps them apart")
    rows, _ = read(unit.expression, _off_touched(the_input(unit.expression).columns))
    if rows == _MOVES:
        raise ArchitectureError(
            f"{describe(unit.expression)}: every output coordinate depends on one weight; "
            "expected outputs that only the touched coordinates reach"
        )


# Entries with an untouched coordinate in their row, or column: zero, independent of the weights, or neither.
_VANISHES, _FIXED, _MOVES = 0, 1, 2
Off: TypeAlias = tuple[int, int]


def _off_touched(columns: Dimension) -> Callable[[Expression, Callable[[Expression], Off]], Off]:
    """The reading (rows, columns): how a node's entries behave where that index is untouched."""

    def touched_only(dimension: Dimension) -> bool:
        # A dimension given as a number is enumerated in full; the one column is the one sample.
        return isinstance(dimension, int) or dimension == columns

    def case(node: Expression, recurse: Callable[[Expression], Off]) -> Off:
        rows, cols = rule(node, recurse)
        return (
            _VANISHES if touched_only(node.shape[0]) else rows,
            _VANISHES if touched_only(node.shape[1]) else cols,
        )

    def rule(node: Expression, recurse: Callable[[Expression], Off]) -> Off:
        match node:
            case Input():
                return _FIXED, _FIXED
            case Weight():
                return (_VANISHES, _VANISHES) if node.initial == zero else (_FIXED, _FIXED)
            case Constant():
                return (_VANISHES, _VANISHES) if node.value == 0 else (_FIXED, _FIXED)
            case MatMul():
                return product_rule(node, recurse(node.left), recurse(node.right))
            case Add() | Multiply():
                left, right = _spread(node.left, node, recurse), _spread(node.right, node, recurse)
                vanish = isinstance(node, Multiply)
                return _combine(left[0], right[0], vanish), _combine(left[1], right[1], vanish)
            case Apply():
                keeps = not node.activation.taylor(0).rational
                rows, cols = recurse(node.operand)
                return (rows or (0 if keeps else _FIXED)), (cols or (0 if keeps else _FIXED))
            case Transpose():
                rows, cols = recurse(node.operand)
                return cols, rows
            case Softmax() | Normalize():
                raise ArchitectureError(f"{describe(node)}: couples all coordinates; expected elementwise operations")
            case _:
                assert_never(node)

    def product_rule(node: MatMul, left: Off, right: Off) -> Off:
        if _is_identity(node.left) or _is_identity(node.right):
            return right if _is_identity(node.left) else left
        if not touched_only(node.left.shape[1]) and _VANISHES not in (left[1], right[0]):
            raise ArchitectureError(
                f"{describe(node)}: sums over all of {node.left.shape[1]}; "
                "expected one of the factors to be a weight that starts at zero"
            )
        return _times(left[0], node.right), _times(right[1], node.left)

    return case


def _times(status: int, other: Expression) -> int:
    """An untouched row of a product is that row of the left factor times the right factor; columns likewise."""
    return _MOVES if status == _FIXED and _has_weights(other) else status


def _combine(left: int, right: int, vanish: bool) -> int:
    return _VANISHES if vanish and _VANISHES in (left, right) else max(left, right)


def _spread(operand: Expression, node: Expression, recurse: Callable[[Expression], Off]) -> Off:
    """The status of an operand after broadcasting: its single row or column then stands at untouched places too."""
    own, weightless = recurse(operand), not _has_weights(operand)
    rows, cols = (
        status if mine == whole else _VANISHES if _is_zero(operand) else _FIXED if weightless else _MOVES
        for status, mine, whole in zip(own, operand.shape, node.shape, strict=True)
    )
    return rows, cols


def _has_weights(node: Expression) -> bool:
    return any(isinstance(found, Weight) for found in nodes(node))


def _is_zero(node: Expression) -> bool:
    return isinstance(node, Constant) and node.value == 0


def _is_identity(node: Expression) -> bool:
    return isinstance(node, Constant) and node.value == "identity"


def _coincidences(slots: tuple[Dimension, ...]) -> Iterator[tuple[int, ...]]:
    """Index values for the slots: all values of a numbered dimension, the first free name or an old one otherwise."""
    ranges = [range(1, slot + 1) if isinstance(slot, int) else range(1, len(slots) + 1) for slot in slots]
    for values in product(*ranges):
        highest: dict[str, int] = {}
        for slot, value in zip(slots, values, strict=True):
            if isinstance(slot, str):
                if value > highest.get(slot, 0) + 1:
                    break
                highest[slot] = max(highest.get(slot, 0), value)
        else:
            yield values


def _sizes(unit: ResidualUnit, weights: tuple[Weight, Weight], pattern: WeightPair) -> dict[str, int]:
    """The touched coordinates of every named dimension, at least one."""
    sizes: dict[str, int] = {name: 1 for node in nodes(unit.expression) for name in node.shape if isinstance(name, str)}
    for weight, place in zip(weights, pattern.places, strict=True):
        for dimension, index in zip(weight.shape, place, strict=True):
            if isinstance(dimension, str):
                sizes[dimension] = max(sizes[dimension], index)
    return sizes


def _check_identity(network: Network, sizes: Mapping[str, int]) -> None:
    output = output_at_initial_point(Network(network.unit, 1, network.loss), sizes)
    for i, row in enumerate(output, start=1):
        if row != [{((f"x_{i}_1", 1),): 1}]:
            raise ArchitectureError(
                f"{describe(network.unit.expression)}: at the initial weights coordinate {i} of the output is "
                f"{show(row[0])}; expected the identity"
            )
