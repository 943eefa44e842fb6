"""Taylor coefficients of t -> L(w + t v), by Taylor arithmetic through all units of the network.

The loss of a series f = f_0 + f_1 t + ...:

    squared          1/2 <f - y, f - y> by the product of series
    cross-entropy    <1, y> logsumexp(f) - <y, f>, where logsumexp(f)' = <softmax(f), f'>
"""

from __future__ import annotations

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss
from resproof.architectures.networks import Network
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import DataError, as_batch, as_columns, check_data, check_input, of_batch, samples_first
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.arithmetic import Floats
from resproof.numeric.network.parameters import Weights
from resproof.numeric.network.readout import read_series
from resproof.numeric.network.series import Series, cauchy, softmax_series


def loss_series(network: Network, weights: Weights, direction: Weights, x: Array, y: Array, order: int) -> list[float]:
    """Coefficients 0..order of t -> L(weights + t direction); the k-th is the k-th derivative divided by k!.

    Raises:
        DataError: data, weights or direction of another shape or kind, or a negative order.
        ArchitectureError: a loss without a Taylor series here.
    """
    _check_order("loss_series", order)
    x, y = check_data("loss_series", network.unit, x, y, network.loss)
    run, unit = start("loss_series", network, weights, direction, x, order), network.unit
    output = tuple(None if a is None else as_columns(unit, a) for a in run.output(as_batch(unit, x)))
    columns = loss_of_series(network.loss, run.ops, output, as_columns(unit, as_batch(unit, y)))
    totals = [0.0 if c is None else float(run.ops.xp.sum(c)) for c in columns]
    return [total / samples_first(network.unit, x) for total in totals]


def output_series(network: Network, weights: Weights, direction: Weights, x: Array, order: int) -> list[Array]:
    """Coefficients 0..order of t -> f(X; weights + t direction), each of X's shape.

    Raises:
        DataError: data, weights or direction of another shape or kind, or a negative order.
    """
    _check_order("output_series", order)
    x = check_input("output_series", network.unit, x)
    run = start("output_series", network, weights, direction, x, order)
    found = run.output(as_batch(network.unit, x))
    return [run.ops.zeros(tuple(x.shape)) if a is None else of_batch(network.unit, a) for a in found]


def loss_of_series(loss: Loss, ops: Ops, f: Series, y: Array) -> Series:
    """The series of the per-column loss, of shape (..., 1, columns).

    Raises:
        ArchitectureError: a loss other than squared and cross-entropy.
    """
    if loss.reads is not None:
        return loss_of_series(loss.reads.inner, ops, read_series(loss.reads, f)[0], y)
    match loss.name:
        case "squared":
            residual: Series = (f[0] - y, *f[1:])
            products = cauchy_inner(ops, residual, residual)
            return tuple(None if c is None else 0.5 * c for c in products)
        case "cross-entropy":
            return _cross_entropy(loss, ops, f, y)
        case name:
            raise ArchitectureError(f"loss_series: the loss is {name}; expected squared or cross-entropy")


def cauchy_inner(ops: Ops, a: Series, b: Series) -> Series:
    """<a, b>, summed over the rows."""

    def inner(p: Array, q: Array) -> Array:
        return ops.sum_rows(p * q)

    return cauchy(Floats(ops), inner, a, b)


def _cross_entropy(loss: Loss, ops: Ops, f: Series, y: Array) -> Series:
    _, flow = softmax_series(ops, f, -2)
    total = ops.sum_rows(y)
    found: list[Array | None] = [loss.value(ops, f[0], y)]
    for k in range(1, len(f)):
        q, fk = flow[k - 1], f[k]
        term = None if q is None else total * q / k
        if fk is not None:
            linear = ops.sum_rows(y * fk)
            term = -linear if term is None else term - linear
        found.append(term)
    return tuple(found)


def _check_order(name: str, order: int) -> None:
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise DataError(f"{name}: the order is {order!r}; expected an int >= 0")
