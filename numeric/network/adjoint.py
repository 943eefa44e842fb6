"""Value, gradient, jvp, vjp and Hessian-vector product of a network, through all its units.

    H v = d/dt grad L(w + t v) at t = 0,    forward over reverse:

the adjoint (`reverse`) is run on values that carry their tangents. The loss is the mean over samples of the sum over a
sample's columns. A `Network` has weights (R, rows, columns) by name, a `Stack` of unequal parts (rows, columns) by
place and name, "1.W1" (`stacked`). A network goes unit by unit (`run`); one whose units are linear goes back by
products over depth (`scan`) where those are worth their while, and on a GPU a narrow one by kernels of its own
(`fused`).

`memory` is the number of bytes of intermediate values that may be kept: beyond it, values are recomputed segment by
segment of units, and samples are taken in portions; what does not fit even so is refused. Weights, data and results are
not counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from resproof.architectures.losses import Loss
from resproof.architectures.networks import Network, Stack
from resproof.architectures.nodes import Weight
from resproof.architectures.stages import Stage
from resproof.numeric.backend import Array, ops_of
from resproof.numeric.data import DataError, as_batch, bind, check_data, check_input, of_batch, sizes_of_data
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError, free_memory, is_finite, large
from resproof.numeric.network import stacked
from resproof.numeric.network.fused import Fused, in_kernels
from resproof.numeric.network.parameters import Weights, check_weights, frozen_weights, given_sizes, sizes_of
from resproof.numeric.network.program import program
from resproof.numeric.network.run import Cotangents, Part, Portion, Run, Slope
from resproof.numeric.network.scan import Scan, over_depth
from resproof.numeric.network.series import FloatSeries, Series

MEMORY = 2**26
"""Bytes of intermediate values that are kept where the caller does not say otherwise, and less than that would do.

More is slower: pages of memory that is taken anew cost more than the values that are computed again.
"""


def value(network: Network | Stack, weights: Weights, x: Array, y: Array) -> float:
    """L(w). X, Y: (d, m), or (m, d, t) for a unit that mixes columns; of a stack Y as the output, or labels.

    Raises:
        DataError: data or weights of another shape or kind.
        NotFiniteError: the loss is not finite.
    """
    call = Call.of("value", network, weights, None, x)
    y = call.targets(y)
    f, ops = call.output()[0], call.run.ops
    with ops.quiet():
        columns = (in_columns(call.last, a) for a in (f, y))
        found = float(ops.xp.sum(call.loss.value(ops, *columns))) / call.run.program.samples
    if not math.isfinite(found):
        raise NotFiniteError("value: the loss of the network's output is not finite")
    return found


def outputs(network: Network | Stack, weights: Weights, x: Array) -> Array:
    """f(X; w): of the shape of X, of a stack what its last part gives.

    Raises:
        DataError: data or weights of another shape or kind, or a result that is not finite.
    """
    call = Call.of("outputs", network, weights, None, x)
    return of_batch(call.last, call.output()[0])


def jvp(network: Network | Stack, weights: Weights, tangents: Weights, x: Array) -> tuple[Array, Array]:
    """f(X; w) and its derivative along `tangents`, or along each of a block of shape (k, R, rows, columns).

    Raises:
        DataError: data, weights or tangents of another shape or kind, or a result that is not finite.
    """
    call = Call.of("jvp", network, weights, tangents, x)
    output, change = call.output()
    assert output is not None  # an output is an array
    if change is None:
        change = call.run.ops.zeros((*call.run.batch, *output.shape))
    return of_batch(call.last, output), of_batch(call.last, change)


def gradient(
    network: Network | Stack,
    weights: Weights,
    x: Array,
    y: Array,
    *,
    memory: int | None = None,
    by_unit: bool = False,
) -> dict[str, Array]:
    """grad L(w), of the shapes of the parameters; `by_unit` as for `hvp`.

    Raises:
        DataError: data or weights of another shape or kind, a result that is not finite, or too little memory.
    """
    call = Call.of("gradient", network, weights, None, x, by_unit=by_unit)
    return call.named(call.pulled(loss_slope(call.loss, call.last, call.run, call.targets(y)), memory)[0])


def vjp(
    network: Network, weights: Weights, x: Array, cotangent: Array, *, memory: int | None = None, by_unit: bool = False
) -> tuple[dict[str, Array], Array]:
    """The adjoint of the derivative of (w, X) -> f(X; w) on a cotangent of X's shape: its weights' part and X's part.

    Raises:
        DataError: data, weights or cotangent of another shape or kind, a result that is not finite, or too little
            memory.
    """
    x, cotangent = check_data("vjp", network.unit, x, cotangent)
    call = Call.of("vjp", network, weights, None, x, by_unit=by_unit)
    given = as_batch(network.unit, cotangent)
    found, back = call.pulled(lambda _, portion: (given[portion],), memory)
    return call.named(found), of_batch(network.unit, back)


def hvp(
    network: Network | Stack,
    weights: Weights,
    tangents: Weights,
    x: Array,
    y: Array,
    *,
    memory: int | None = None,
    by_unit: bool = False,
) -> dict[str, Array]:
    """H(w) v, of the shapes of the parameters; for a block of tangents (k, R, rows, columns), each one's product.

    `by_unit` goes unit by unit on the samples even where the units are linear.

    Raises:
        DataError: data, weights or tangents of another shape or kind, a result that is not finite, or too little
            memory.
    """
    call = Call.of("hvp", network, weights, tangents, x, by_unit=by_unit)
    return call.named(call.pulled(loss_slope(call.loss, call.last, call.run, call.targets(y)), memory)[0])


def loss_slope(loss: Loss, last: Stage, run: Run, y: Array) -> Slope:
    """l_f(f, y) / m and, at order 1, its tangent l_ff f_1 / m, on a portion of the samples; y with samples first."""
    scale, ops = 1.0 / run.program.samples, run.ops

    def slope(output: Series, portion: Portion) -> Series:
        value = output[0]
        assert value is not None  # an output is an array
        columns = [None if a is None else in_columns(last, a) for a in (*output, y[portion])]
        *f, target = columns
        found: list[Array | None] = [scale * loss.gradient(ops, f[0], target)]
        if len(f) > 1:
            found.append(None if f[1] is None else scale * loss.curvature(ops, f[0], target, f[1]))
        axes = tuple(value.shape)
        return tuple(None if a is None else ops.reshape(a, (*a.shape[:-3], *axes)) for a in found)

    return slope


def in_columns(last: Stage, a: Array) -> Array:
    """What the last part gives, all axes of a sample but the first as one."""
    axes = len(last.expression.shape)
    return a if axes == 2 else ops_of(a).reshape(a, (*a.shape[: len(a.shape) - axes + 1], -1))


def start(
    name: str, network: Network | Stack, weights: Weights, tangents: Weights | None, x: Array, order: int | None = None
) -> Run:
    """The checked network, with weights w + t v as series of that order (by default 1, or 0 without tangents).

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    order = (0 if tangents is None else 1) if order is None else order
    made = stacked.parts if isinstance(network, Stack) else _parts
    parts, front = made(name, network, weights, tangents, x)  # pyright: ignore[reportArgumentType]
    return Run(parts, FloatSeries(ops_of(x), order), front)


def _parts(
    name: str, network: Network, weights: Weights, tangents: Weights | None, x: Array
) -> tuple[Sequence[Part], tuple[int, ...]]:
    """The one part of a network of equal units, and the axes in front of a tangent.

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    unit, ops = network.unit, ops_of(x)
    checked = check_weights(name, unit, network.units, weights)
    directions = None if tangents is None else check_weights(name, unit, network.units, tangents, batch=True)
    given = given_sizes(unit)
    sizes = bind(name, unit, x, given | sizes_of(unit, checked, given | sizes_of_data(name, unit, x)))
    for key, array in (directions or {}).items():
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
    return [Part.of(program(unit, ops, sizes), parts, network.units)], front


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked for, by name; X has an axis for samples in front."""

    name: str
    network: Network | Stack
    run: Run
    x: Array
    by_unit: bool

    @staticmethod
    def of(
        name: str,
        network: Network | Stack,
        weights: Weights,
        tangents: Weights | None,
        x: Any,
        *,
        by_unit: bool = False,
    ) -> Call:
        """The checked call.

        Raises:
            DataError: data, weights or tangents of another shape or kind.
        """
        first = network.first if isinstance(network, Stack) else network.unit
        x = check_input(name, first, x)
        return Call(name, network, start(name, network, weights, tangents, x), as_batch(first, x), by_unit)

    @property
    def last(self) -> Stage:
        """What the loss takes."""
        return self.network.last if isinstance(self.network, Stack) else self.network.unit

    @property
    def loss(self) -> Loss:
        """The loss of a sample's output."""
        return self.network.loss_of_outputs if isinstance(self.network, Stack) else self.network.loss

    def targets(self, y: Any) -> Array:
        """Y with an axis for samples in front.

        Raises:
            DataError: it does not fit the output.
        """
        if isinstance(self.network, Stack):
            return stacked.targets_of(self.name, self.network, self.run, y)
        unit = self.network.unit
        return as_batch(unit, check_data(self.name, unit, of_batch(unit, self.x), y, self.network.loss)[1])

    def output(self) -> Series:
        """The series of f(X), its faults named.

        Raises:
            NotFiniteError: it is not finite.
        """
        run, ops = self.run, self.run.ops
        with large(self.name, ops, MEMORY), ops.quiet():
            faster = self._faster(MEMORY)
            if faster is not None and _all_finite(run, found := faster.output(self.x)):
                return found
            found = run.output(self.x)
            if not _all_finite(run, found):
                raise NotFiniteError(f"{self.name}: {self._where([])}")
            return found

    def _faster(self, memory: int) -> Scan | Fused | None:
        """A way that is not unit by unit; a product of Jacobians may overflow where the stream itself does not."""
        if self.by_unit:
            return None
        scan = over_depth(self.run, memory)
        return in_kernels(self.run, memory) if scan is None and self.run.ops.library == "cupy" else scan

    def pulled(self, slope: Slope, memory: int | None) -> tuple[Cotangents, Array]:
        """The way back, its faults named; half of what is free where nobody grants an amount and MEMORY is too little.

        Raises:
            NotFiniteError: a result is not finite.
            OutOfMemoryError: more memory is needed than is granted or there.
        """
        try:
            return self._within(slope, MEMORY if memory is None else memory)
        except OutOfMemoryError:
            half = (free_memory(self.run.ops) or 0) // 2
            if memory is not None or half <= MEMORY:
                raise
            return self._within(slope, half)

    def _within(self, slope: Slope, memory: int) -> tuple[Cotangents, Array]:
        """The same with so much memory.

        Raises:
            NotFiniteError: a result is not finite.
        """
        run, ops = self.run, self.run.ops
        with large(self.name, ops, memory), ops.quiet():
            faster = self._faster(memory)
            if faster is not None:
                found, back = faster.pull(self.x, slope, run.algebra.order)
                if _all_finite(run, [back, *_every(found)]):
                    return found, back
            found, back = run.pull(self.x, slope, run.algebra.order, memory)
            if not _all_finite(run, [back, *_every(found)]):
                raise NotFiniteError(f"{self.name}: {self._where(found)}")
            return found, back

    def _where(self, found: Cotangents) -> str:
        """Where numbers that are not finite began: the first unit on the way through, else the last on the way back."""
        run = self.run
        place = run.first_fault(self.x)
        if isinstance(self.network, Stack):
            return stacked.fault(self.network, place, self.named(found) if found else {})
        if place is not None:
            return f"the output of unit {place + 1} of {run.units} is not finite"
        bad = [r for a in _every(found) for r in range(run.units) if not is_finite(run.ops, a[..., r, :, :])]
        return f"the derivative by the weights of unit {max(bad, default=0) + 1} of {run.units} is not finite"

    def named(self, found: Cotangents) -> dict[str, Array]:
        """The cotangents of all parameters by name."""
        if not isinstance(self.network, Stack):
            return found[0]
        places = zip(self.network.stages, found, strict=True)
        return {f"{place}.{key}": a[..., 0, :, :] for place, each in places for key, a in each.items()}


def _every(found: Cotangents) -> list[Array]:
    return [a for one in found for a in one.values()]


def _all_finite(run: Run, arrays: Sequence[Array | None]) -> bool:
    return all(a is None or is_finite(run.ops, a) for a in arrays)
