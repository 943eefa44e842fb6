"""Value, gradient, jvp, vjp and Hessian-vector product of a network, through all its units.

    H v = d/dt grad L(w + t v) at t = 0,    forward over reverse:

the adjoint (`numeric.reverse`) is run on values that carry their tangents. The loss is the mean over samples of the sum
over a sample's columns. A network whose units are linear in h takes the scan over depth (`numeric.scan`), every other
one goes unit by unit (`numeric.run`); which of the two is computed from the unit's expression.

`memory` is the number of bytes of intermediate values that may be kept: beyond it, values are recomputed segment by
segment of units, and samples are taken in portions.
"""

from __future__ import annotations

from architectures.expressions import Weight
from architectures.networks import Network
from numeric.backend import Array, ops_of
from numeric.data import DataError, bind, check_data, check_input, samples_first
from numeric.linear import is_linear
from numeric.parameters import Weights, check_weights, sizes_of
from numeric.program import program
from numeric.run import Run, Slope
from numeric.scan import Scan, narrow
from numeric.series import FloatSeries, Series

MEMORY = 2**26
"""Bytes of intermediate values that are kept where the caller does not say otherwise.

More is slower: pages of memory that is taken anew cost more than the values that are computed again.
"""


def value(network: Network, weights: Weights, x: Array, y: Array) -> float:
    """L(w). X, Y: (d, m), or (m, d, t) for a unit that mixes columns; weights: name -> (R, rows, columns).

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x, y = check_data("value", network.unit, x, y)
    run = start("value", network, weights, None, x)
    output = run.output(x)[0]
    return float(run.program.ops.xp.sum(network.loss.value(run.program.ops, output, y))) / samples_first(
        network.unit, x
    )


def outputs(network: Network, weights: Weights, x: Array) -> Array:
    """f(X; w), of the shape of X.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x = check_input("outputs", network.unit, x)
    return start("outputs", network, weights, None, x).output(x)[0]


def jvp(network: Network, weights: Weights, tangents: Weights, x: Array) -> tuple[Array, Array]:
    """f(X; w) and its derivative along `tangents`, or along each of a block of shape (k, R, rows, columns).

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    x = check_input("jvp", network.unit, x)
    run = start("jvp", network, weights, tangents, x)
    output, change = run.output(x)
    return output, run.program.ops.zeros((*run.batch, *x.shape)) if change is None else change


def gradient(network: Network, weights: Weights, x: Array, y: Array, *, memory: int = MEMORY) -> dict[str, Array]:
    """grad L(w), of the shapes of the weights.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    x, y = check_data("gradient", network.unit, x, y)
    run = start("gradient", network, weights, None, x)
    return run.pull(x, _loss_slope(network, x, y), 0, memory)[0]


def vjp(
    network: Network, weights: Weights, x: Array, cotangent: Array, *, memory: int = MEMORY
) -> tuple[dict[str, Array], Array]:
    """The adjoint of the derivative of (w, X) -> f(X; w) on a cotangent of X's shape: its weights' part and X's part.

    Raises:
        DataError: data, weights or cotangent of another shape or kind.
    """
    x, cotangent = check_data("vjp", network.unit, x, cotangent)
    run = start("vjp", network, weights, None, x)
    found, back = run.pull(x, lambda _, portion: (cotangent[(*portion, ...)],), 0, memory)
    return found, back


def hvp(
    network: Network,
    weights: Weights,
    tangents: Weights,
    x: Array,
    y: Array,
    *,
    memory: int = MEMORY,
    by_unit: bool = False,
) -> dict[str, Array]:
    """H(w) v, of the shapes of the weights; for a block of tangents (k, R, rows, columns), each one's product.

    `by_unit` goes unit by unit on the samples even where the units are linear.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    x, y = check_data("hvp", network.unit, x, y)
    run = start("hvp", network, weights, tangents, x, scan=not by_unit)
    return run.pull(x, _loss_slope(network, x, y), 1, memory)[0]


def _loss_slope(network: Network, x: Array, y: Array) -> Slope:
    """l_f(f, y) / m and, at order 1, its tangent l_ff f_1 / m, on a portion of the samples."""
    scale, ops, loss = 1.0 / samples_first(network.unit, x), ops_of(x), network.loss

    def slope(f: Series, portion: tuple[slice, ...]) -> Series:
        target = y[(*portion, ...)]
        found: list[Array | None] = [scale * loss.gradient(ops, f[0], target)]
        if len(f) > 1:
            found.append(None if f[1] is None else scale * loss.curvature(ops, f[0], target, f[1]))
        return tuple(found)

    return slope


def start(
    name: str,
    network: Network,
    weights: Weights,
    tangents: Weights | None,
    x: Array,
    order: int | None = None,
    *,
    scan: bool = True,
) -> Run | Scan:
    """The checked network, with weights w + t v as series of that order (by default 1, or 0 without tangents).

    `scan` allows the scan over depth where the units are linear.

    Raises:
        DataError: weights or tangents of another shape or kind.
    """
    unit, ops = network.unit, ops_of(x)
    order = (0 if tangents is None else 1) if order is None else order
    checked = check_weights(name, unit, network.units, weights)
    directions = None if tangents is None else check_weights(name, unit, network.units, tangents, batch=True)
    sizes = bind(name, unit, x, sizes_of(unit, checked))
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
    algebra = FloatSeries(ops, order)
    if scan and is_linear(unit) and narrow(tuple(x.shape)):
        return Scan.of(unit, algebra, sizes, network.units, parts, front)
    return Run.of(program(unit, ops, sizes), algebra, network.units, parts, front)
