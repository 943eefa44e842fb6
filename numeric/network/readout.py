"""The loss of what a head reads of the stream, l(P(f), y), as a loss of the stream itself.

With J and K the first and second derivative of P at f, and g, Q those of l at P(f), its gradient is J^T g and its
curvature J^T Q J + sum_k g_k K_k. Neither J nor K is formed: the head is read on a series f + t v, and the adjoint of
that reading takes g + t Q P_1 back. The exact side reads the same head in index notation, so that what holds for every
differentiable loss of a network's output holds for a network with a frozen head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss, Readout, Reductions
from resproof.architectures.nodes import Expression, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.stages import Stage
from resproof.numeric.backend import Array, ops_of
from resproof.numeric.data import SAMPLES, as_batch, of_batch
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.series import FloatSeries, Series, dense


def through(loss: Loss, head: Stage, weights: Mapping[str, Array], sizes: Mapping[str, int], name: str) -> Loss:
    """l(P(f), y) for the head P, its `weights` by its own names; index terms call them `name`.W.

    Values lie as a unit's do (`program`), all axes of a sample but the first as one.
    """
    read = Readout(name, head, loss, weights, sizes)

    def value(ops: Reductions, f: Array, y: Array) -> Array:
        return loss.value(ops, read_series(read, (f,))[0][0], y)

    def gradient(ops: Reductions, f: Array, y: Array) -> Array:
        output, back = read_series(read, (f,))
        return dense(ops_of(f), back((loss.gradient(ops, output[0], y),))[0], tuple(f.shape))

    def curvature(ops: Reductions, f: Array, y: Array, v: Array) -> Array:
        (p, moved), back = read_series(read, (f, v))
        turned = None if moved is None else loss.curvature(ops, p, y, moved)
        return dense(ops_of(f), back((loss.gradient(ops, p, y), turned))[1], tuple(v.shape))

    return Loss(loss.name, value, gradient, _of_inner, curvature, _of_inner, _of_inner, reads=read)


def _of_inner(*_: object) -> Array:
    raise ArchitectureError("the loss through a head has no such values; expected them of what the head gives")


def read_of(read: Readout, f: Array) -> Array:
    """P(f) of a stream as data have it: (d, m), or (m, d, t) for a head that mixes columns."""
    found = read_series(read, (as_batch(read.head, f),))[0][0]
    assert found is not None  # a value is an array
    return of_batch(read.head, found)


def read_series(read: Readout, f: Series) -> tuple[Series, Callable[[Series], Series]]:
    """The series of P(f), and what takes a series of cotangents of it back to f."""
    assert f[0] is not None  # a stream's value is an array
    run = head_program(read, f[0])
    algebra, still = FloatSeries(run.ops, len(f) - 1), [None] * (len(f) - 1)
    weights: dict[Weight, Series] = {w: (a, *still) for w, a in head_weights(run, read.weights).items()}
    values, slopes = forward_with_slopes(run, algebra, in_axes(run, f, the_input(run.root)), weights)

    def back(cotangent: Series) -> Series:
        collected = adjoint(run, algebra, values, slopes, in_axes(run, cotangent, run.root))
        return in_columns(run, collected[the_input(run.root)], the_input(run.root))

    return in_columns(run, values[run.root], run.root), back


def head_program(read: Readout, stream: Array) -> Program:
    """The head, ready for as many samples as a stream in columns has, whatever axes stand in front."""
    samples = int(stream.shape[-3 if read.head.mixes_columns else -1])
    return program(read.head, ops_of(stream), {**read.sizes, SAMPLES: samples})


def head_weights(run: Program, weights: Mapping[str, Array]) -> dict[Weight, Array]:
    """The values of its weights, with a sample axis."""
    return {w: weights[name][None, ...] for w, name in run.unit.every_name.items()}


def in_axes(run: Program, f: Series, node: Expression) -> Series:
    """What lies in columns as a node's value, or its cotangent, with all axes of a sample."""
    return tuple(None if a is None else run.ops.reshape(a, (*a.shape[:-3], *run.shapes[node])) for a in f)


def in_columns(run: Program, f: Series, node: Expression) -> Series:
    """A node's value, or its cotangent, with all axes of a sample but the first as one."""
    axes = len(run.shapes[node])
    return tuple(None if a is None else run.ops.reshape(a, (*a.shape[: len(a.shape) - axes + 2], -1)) for a in f)
