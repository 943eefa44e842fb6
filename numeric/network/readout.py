"""The loss of what a matrix reads of the stream, l(C f + o, y), as a loss of the stream itself.

By the chain rule its gradient is C^T g and its curvature C^T Q C with g and Q those of l at C f + o; the exact side
writes the same with C as an opaque matrix. So whatever holds for every differentiable loss of a network's output holds
for a network with a frozen linear head.
"""

from __future__ import annotations

from collections.abc import Sequence

from architectures.expressions import Dimension
from architectures.losses import Loss, Readout, Reductions
from numeric.backend import Array, ops_of


def through(loss: Loss, matrix: Array, offset: Array | None, name: str, rows: Dimension) -> Loss:
    """l(C f + o, y); C has shape (rows, d), o (rows, 1), and `name` is what C is called in index notation."""
    transposed = ops_of(matrix).transpose(matrix)

    def of(f: Array) -> Array:
        found = matrix @ f
        return found if offset is None else found + offset

    def value(ops: Reductions, f: Array, y: Array) -> Array:
        return loss.value(ops, of(f), y)

    def gradient(ops: Reductions, f: Array, y: Array) -> Array:
        return transposed @ loss.gradient(ops, of(f), y)

    def subtracted(ops: Reductions, f: Array, y: Array) -> Array:
        return ops.abs(transposed) @ loss.subtracted(ops, of(f), y)

    def curvature(ops: Reductions, f: Array, y: Array, v: Array) -> Array:
        return transposed @ loss.curvature(ops, of(f), y, matrix @ v)

    def higher(ops: Reductions, f: Array, y: Array, v: Sequence[Array]) -> Array:
        return transposed @ loss.higher(ops, of(f), y, [matrix @ one for one in v])

    reads = Readout(name, rows, int(matrix.shape[0]), loss, matrix, offset, of)
    return Loss(loss.name, value, gradient, subtracted, curvature, curvature, higher, reads=reads)


def at_width(loss: Loss, matrix: Array) -> Loss:
    """The same loss through another matrix, without an offset: an instance of it at other sizes."""
    assert loss.reads is not None
    return through(loss.reads.inner, matrix, None, loss.reads.name, loss.reads.rows)
