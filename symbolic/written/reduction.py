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

from resproof.architectures.dimensions import Dimension
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    describe,
    nodes,
    read,
)
from resproof.architectures.patterns import is_band
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import zero
from resproof.symbolic.algebra.rings import Plain, RingKind, flint_ring, show
from resproof.symbolic.written.explicit import hessian_at_initial_point, output_at_initial_point
from resproof.symbolic.written.plans import parameter_number, size, weight_offsets

Place: TypeAlias = tuple[int, ...]
"""The row and column of a scalar weight, from 1; as many as its weight has axes."""


@dataclass(frozen=True, slots=True, order=True)
class WeightPair:
    """d^2 L / dw dw' with w the entry `places[0]` of `weights[0]` in unit `units[0]`, and w' likewise."""

    units: tuple[int, int]
    weights: tuple[str, str]
    places: tuple[Place, Place]

    def __str__(self) -> str:
        shown = (
            f"d{name}({unit})_{'_'.join(map(str, place))}"
            for name, unit, place in zip(self.weights, self.units, self.places, strict=True)
        )
        return f"d2L/{' '.join(shown)}"


def patterns(unit: ResidualUnit) -> Iterator[WeightPair]:
    """Every pattern of two scalar weights, up to renaming the coordinates of each named dimension."""
    for units in ((1, 1), (1, 2)):
        for number, first in enumerate(unit.weights):
            for second in unit.weights[number if units == (1, 1) else 0 :]:
                axes = len(first.shape)
                for at in _coincidences((*first.shape, *second.shape)):
                    yield WeightPair(units, (unit.names[first], unit.names[second]), (at[:axes], at[axes:]))


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
    starts_at_identity: list[Mapping[str, int]] = []
    for pattern in patterns(unit):
        first, second = (by_name[name] for name in pattern.weights)
        sizes = _sizes(unit, (first, second), pattern)
        offsets, parameters = weight_offsets(unit, sizes)
        numbers = [
            (r - 1) * parameters + offsets[weight] + _number(weight, place, sizes)
            for r, weight, place in zip(pattern.units, (first, second), pattern.places, strict=True)
        ]
        network = Network(unit, max(pattern.units), loss)
        if sizes not in starts_at_identity:
            _check_identity(network, sizes)
            starts_at_identity.append(sizes)
        hessian = hessian_at_initial_point(network, sizes, variables=numbers, ring=ring)
        found[pattern] = hessian.ring.plain(hessian[numbers[0], numbers[1]])
    return found


def _number(weight: Weight, place: Place, sizes: Mapping[str, int]) -> int:
    """Where an entry stands among its weight's parameters."""
    return parameter_number(tuple(i - 1 for i in place), tuple(size(n, sizes) for n in weight.shape))


def check_reducible(unit: ResidualUnit) -> None:
    """Raise unless point 3 above holds for the unit.

    Raises:
        ArchitectureError: naming the node where it fails.
    """
    if unit.mixes_columns:
        raise ArchitectureError(f"{describe(unit.expression)}: mixes columns; expected a unit that keeps them apart")
    for node in nodes(unit.expression):
        if isinstance(node, Constant) and isinstance(node.value, str) and not is_band(node.value):
            raise ArchitectureError(f"{describe(node)}: depends on all coordinates; expected elementwise operations")
    rows, *_ = read(unit.expression, _off_touched(the_input(unit.expression).columns))
    if rows == _MOVES:
        raise ArchitectureError(
            f"{describe(unit.expression)}: every output coordinate depends on one weight; "
            "expected outputs that only the touched coordinates reach"
        )


# Entries at which one axis is at an untouched coordinate: zero, independent of the weights, or neither.
_VANISHES, _FIXED, _MOVES = 0, 1, 2
Off: TypeAlias = tuple[int, ...]


def _off_touched(columns: Dimension) -> Callable[[Expression, Callable[[Expression], Off]], Off]:
    """The reading of every axis: how a node's entries behave where that index is untouched."""

    def touched_only(dimension: Dimension) -> bool:
        # A dimension given as a number is enumerated in full; the one column is the one sample.
        return isinstance(dimension, int) or dimension == columns

    def case(node: Expression, recurse: Callable[[Expression], Off]) -> Off:
        found = rule(node, recurse)
        return tuple(_VANISHES if touched_only(n) else status for n, status in zip(node.shape, found, strict=True))

    def rule(node: Expression, recurse: Callable[[Expression], Off]) -> Off:
        axes = len(node.shape)
        match node:
            case Input():
                return (_FIXED,) * axes
            case Weight():
                return (_VANISHES if node.initial == zero else _FIXED,) * axes
            case Constant():
                return (_VANISHES if node.value == 0 else _FIXED,) * axes
            case Einsum(operands=(operand,)):
                status = dict(zip(node.inputs[0], recurse(operand), strict=True))
                return tuple(status[name] for name in node.output)
            case Einsum():
                return product_rule(node, recurse)
            case Add() | Multiply():
                left, right = _spread(node.left, node, recurse), _spread(node.right, node, recurse)
                vanish = isinstance(node, Multiply)
                return tuple(_combine(a, b, vanish) for a, b in zip(left, right, strict=True))
            case Apply():
                keeps = not node.activation.taylor(0).rational
                return tuple(status or (0 if keeps else _FIXED) for status in recurse(node.operand))
            case Softmax() | Normalize():
                raise ArchitectureError(f"{describe(node)}: couples all coordinates; expected elementwise operations")
            case _:
                assert_never(node)

    def product_rule(node: Einsum, recurse: Callable[[Expression], Off]) -> Off:
        left, right = node.operands
        if node.form == "product" and (_is_identity(left) or _is_identity(right)):
            return recurse(right) if _is_identity(left) else recurse(left)
        own, other = (dict(zip(n, recurse(o), strict=True)) for n, o in zip(node.inputs, node.operands, strict=True))
        for name, dimension in zip(node.inputs[0], left.shape, strict=True):
            if name not in node.output and not touched_only(dimension) and _VANISHES not in (own[name], other[name]):
                raise ArchitectureError(
                    f"{describe(node)}: sums over all of {dimension}; "
                    "expected one of the factors to be a weight that starts at zero"
                )
        return tuple(_of_product(name, own, other, left, right) for name in node.output)

    return case


def _of_product(
    name: str, own: Mapping[str, int], other: Mapping[str, int], left: Expression, right: Expression
) -> int:
    """The status of an axis of a product, which one of the factors has, or both."""
    if name in own and name in other:
        return _combine(own[name], other[name], vanish=True)
    return _times(own[name], right) if name in own else _times(other[name], left)


def _times(status: int, other: Expression) -> int:
    """An untouched row of a product is that row of the left factor times the right factor; columns likewise."""
    return _MOVES if status == _FIXED and _has_weights(other) else status


def _combine(left: int, right: int, vanish: bool) -> int:
    return _VANISHES if vanish and _VANISHES in (left, right) else max(left, right)


def _spread(operand: Expression, node: Expression, recurse: Callable[[Expression], Off]) -> Off:
    """The status of an operand after broadcasting: its single row or column then stands at untouched places too."""
    own, weightless = recurse(operand), not _has_weights(operand)
    return tuple(
        status if mine == whole else _VANISHES if _is_zero(operand) else _FIXED if weightless else _MOVES
        for status, mine, whole in zip(own, operand.shape, node.shape, strict=True)
    )


def _has_weights(node: Expression) -> bool:
    return any(isinstance(found, Weight) and found.trainable for found in nodes(node))


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
