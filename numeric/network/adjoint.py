"""Value, gradient, jvp, vjp and Hessian-vector product of a network, through all its units.

    H v = d/dt grad L(w + t v) at t = 0,    forward over reverse:

the adjoint (`reverse`) is run on values that carry their tangents. The loss is the mean over samples of the sum
over a sample's columns. How a network goes, unit by unit, by a scan over depth or otherwise, `arrangement` says.

`memory` is the number of bytes of intermediate values that may be kept: beyond it, values are recomputed segment by
segment of units, and samples are taken in portions; what does not fit even so is refused. Weights, data and results are
not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from resproof.architectures.networks import Network
from resproof.architectures.nodes import Weight
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Array, Ops, ops_of
from resproof.numeric.data import DataError, as_columns, bind, check_data, check_input, samples_first, sizes_of_data
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError, free_memory, is_finite, large
from resproof.numeric.network.arrangement import WeightedNetwork
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.parameters import (
    Weights,
    check_weights,
    frozen_weights,
    given_sizes,
    sizes_of,
)
from resproof.numeric.network.run import Slope, UnitByUnit
from resproof.numeric.network.series import FloatSeries, Series

MEMORY = 2**26
"""Bytes of intermediate values that are kept where the caller does not say otherwise, and less than that would do.

More is slower: pages of memory that is taken anew cost more than the values that are computed again.
"""


def value(network: Network, weights: Weights, x: Array, y: Array) -> float:
    """L(w). X, Y: (d, m), or (m, d, t) for a unit that mixes columns; weights: name -> (R, rows, columns).

    Raises:
        DataError: data or weights of another shape or kind.
        NotFiniteError: the loss is not finite.
    """
    x, y = check_data("value", network.unit, x, y, network.loss)
    ops = ops_of(x)
    output = _output(_Call("value", network, weights, None, x))[0]
    with ops.quiet():
        columns = (as_columns(network.unit, a) for a in (output, y))
        found = float(ops.xp.sum(network.loss.value(ops, *columns))) / samples_first(network.unit, x)
    if not math.isfinite(found):
        raise NotFiniteError("value: the loss of the network's output is not finite")
    return found


def outputs(network: Network, weights: Weights, x: Array) -> Array:
    """f(X; w), of the shape of X.

    Raises:
        DataError: data or weights of another shape or kind, or a result that is not finite.
    """
    x = check_input("outputs", network.unit, x)
    return _output(_Call("outputs", network, weights, None, x))[0]


def jvp(network: Network, weights: Weights, tangents: Weights, x: Array) -> tuple[Array, Array]:
    """f(X; w) and its derivative along `tangents`, or along each of a block of shape (k, R, rows, columns).

    Raises:
        DataError: data, weights or tangents of another shape or kind, or a result that is not finite.
    """
    x = check_input("jvp", network.unit, x)
    call = _Call("jvp", network, weights, tangents, x)
    output, change = _output(call)
    return output, ops_of(x).zeros((*call.engine().batch, *x.shape)) if change is None else change


def gradient(network: Network, weights: Weights, x: Array, y: Array, *, memory: int | None = None) -> dict[str, Array]:
    """grad L(w), of the shapes of the weights.

    Raises:
        DataError: data or weights of another shape or kind, a result that is not finite, or too little memory.
    """
    x, y = check_data("gradient", network.unit, x, y, network.loss)
    return _pulled(_Call("gradient", network, weights, None, x), loss_slope(network, x, y), memory)[0]


def vjp(
    network: Network, weights: Weights, x: Array, cotangent: Array, *, memory: int | None = None
) -> tuple[dict[str, Array], Array]:
    """The adjoint of the derivative of (w, X) -> f(X; w) on a cotangent of X's shape: its weights' part and X's part.

    Raises:
        DataError: data, weights or cotangent of another shape or kind, a result that is not finite, or too little
            memory.
    """
    x, cotangent = check_data("vjp", network.unit, x, cotangent)
    call = _Call("vjp", network, weights, None, x)
    return _pulled(call, lambda _, portion: (cotangent[(*portion, ...)],), memory)


def hvp(
    network: Network,
    weights: Weights,
    tangents: Weights,
    x: Array,
    y: Array,
    *,
    memory: int | None = None,
    by_unit: bool = False,
) -> dict[str, Array]:
    """H(w) v, of the shapes of the weights; for a block of tangents (k, R, rows, columns), each one's product.

    `by_unit` goes unit by unit on the samples even where the units are linear.

    Raises:
        DataError: data, weights or tangents of another shape or kind, a result that is not finite, or too little
            memory.
    """
    x, y = check_data("hvp", network.unit, x, y, network.loss)
    call = _Call("hvp", network, weights, tangents, x, scan=not by_unit)
    return _pulled(call, loss_slope(network, x, y), memory)[0]


@dataclass(frozen=True, slots=True)
class _Call:
    """What was asked for, by name."""

    name: str
    network: Network
    weights: Weights
    tangents: Weights | None
    x: Array
    scan: bool = True

    def engine(self) -> Engine:
        """The network to be read."""
        return start(self.name, self.network, self.weights, self.tangents, self.x, scan=self.scan)

    @property
    def coefficient(self) -> int:
        """The highest coefficient: that of the tangent where there is one."""
        return 0 if self.tangents is None else 1


def _output(call: _Call) -> Series:
    """The series of f(X), its faults named.

    Raises:
        NotFiniteError: it is not finite.
    """
    engine, ops = call.engine(), ops_of(call.x)
    with large(call.name, ops, MEMORY), ops.quiet():
        found = engine.output(call.x)
        while not all(a is None or is_finite(ops, a) for a in found):
            engine = _other(call, engine, {})
            found = engine.output(call.x)
        return found


def _pulled(call: _Call, slope: Slope, memory: int | None) -> tuple[dict[str, Array], Array]:
    """The way back, its faults named; half of what is free where nobody grants an amount and MEMORY is too little.

    Raises:
        NotFiniteError: a result is not finite.
        OutOfMemoryError: more memory is needed than is granted or there.
    """
    try:
        return _within(call, slope, MEMORY if memory is None else memory)
    except OutOfMemoryError:
        half = (free_memory(ops_of(call.x)) or 0) // 2
        if memory is not None or half <= MEMORY:
            raise
        return _within(call, slope, half)


def _within(call: _Call, slope: Slope, memory: int) -> tuple[dict[str, Array], Array]:
    """The same with so much memory."""
    engine, ops = call.engine(), ops_of(call.x)
    with large(call.name, ops, memory), ops.quiet():
        found, back = engine.pull(call.x, slope, call.coefficient, memory)
        while not all(is_finite(ops, array) for array in (*found.values(), back)):
            engine = _other(call, engine, found)
            found, back = engine.pull(call.x, slope, call.coefficient, memory)
        return found, back


def _other(call: _Call, engine: Engine, found: Mapping[str, Array]) -> Engine:
    """The way to take where this one's results are not finite.

    Raises:
        NotFiniteError: there is none; the message names the unit.
    """
    other = engine.otherwise()
    if other is None:
        raise NotFiniteError(f"{call.name}: {_where(engine.by_unit, call.x, found)}")
    return other


def _where(run: UnitByUnit, x: Array, found: Mapping[str, Array]) -> str:
    """Where numbers that are not finite began: the first unit on the way through, else the last on the way back."""
    unit = run.first_fault(x)
    if unit is not None:
        return f"the output of unit {unit} of {run.units} is not finite"
    ops = run.program.ops
    bad = [r for array in found.values() for r in range(run.units) if not is_finite(ops, array[..., r, :, :])]
    return f"the derivative by the weights of unit {max(bad, default=0) + 1} of {run.units} is not finite"


def loss_slope(network: Network, x: Array, y: Array) -> Slope:
    """l_f(f, y) / m and, at order 1, its tangent l_ff f_1 / m, on a portion of the samples."""
    unit, scale, ops, loss = network.unit, 1.0 / samples_first(network.unit, x), ops_of(x), network.loss

    def slope(output: Series, portion: tuple[slice, ...]) -> Series:
        target, f = as_columns(unit, y[(*portion, ...)]), [None if a is None else as_columns(unit, a) for a in output]
        found: list[Array | None] = [scale * loss.gradient(ops, f[0], target)]
        if len(f) > 1:
            found.append(None if f[1] is None else scale * loss.curvature(ops, f[0], target, f[1]))
        axes = tuple(x.shape[-len(the_input(unit.expression).shape) :])
        return tuple(None if a is None else _with_axes(ops, a, axes) for a in found)

    return slope


def _with_axes(ops: Ops, a: Array, axes: tuple[int, ...]) -> Array:
    """What lies in columns with all axes of a sample."""
    return a if len(axes) == 2 else ops.reshape(a, (*a.shape[:-2], *axes))


def start(
    name: str,
    network: Network,
    weights: Weights,
    tangents: Weights | None,
    x: Array,
    order: int | None = None,
    *,
    scan: bool = True,
) -> Engine:
    """The checked network, with weights w + t v as series of that order (by default 1, or 0 without tangents).

    `scan` allows the scan over depth where the units are linear.

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    return _weighted(name, network, weights, tangents, x, order).engine(scan=scan)


def every_way(network: Network, weights: Weights, tangents: Weights | None, x: Array) -> list[Engine]:
    """The network at w + t v, or at w, in each arrangement that it allows.

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    return _weighted("every_way", network, weights, tangents, x, None).engines()


def _weighted(
    name: str, network: Network, weights: Weights, tangents: Weights | None, x: Array, order: int | None
) -> WeightedNetwork:
    unit, ops = network.unit, ops_of(x)
    order = (0 if tangents is None else 1) if order is None else order
    checked = check_weights(name, unit, network.units, weights)
    directions = None if tangents is None else check_weights(name, unit, network.units, tangents, batch=True)
    given = given_sizes(unit)
    sizes = bind(name, unit, x, given | sizes_of(unit, checked, given | sizes_of_data(name, unit, x)))
    if directions is not None:
        for key, array in directions.items():
            if tuple(array.shape[-2:]) != tuple(checked[key].shape[-2:]):
                raise DataError(
                    f"{name}: the tangent of {key} has shape {tuple(array.shape)}; expected {tuple(checked[key].shape)}"
                )
    front = () if not directions else tuple(next(iter(directions.values())).shape[:-3])
    parts: dict[Weight, tuple[Array, ...]] = {
        weight: (checked[key],) if directions is None else (checked[key], directions[key])
        for weight, key in unit.names.items()
    }
    parts |= {weight: (a,) for weight, a in frozen_weights(unit, network.units, sizes, checked, ops).items()}
    return WeightedNetwork(unit, FloatSeries(ops, order), sizes, network.units, parts, front)
