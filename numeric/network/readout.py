"""The loss of what a matrix reads of the stream, l(C f + o, y), as a loss of the stream itself.

By the chain rule its gradient is C^T g and its curvature C^T Q C with g and Q those of l at C f + o; the exact side
writes the same with C as an opaque matrix. So whatever holds for every differentiable loss of a network's output holds
for a network with a frozen linear head. A head that mixes columns takes those of a sample as one, f row by row: C has
an entry for each row and column of what it gives and of what it takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from architectures.dimensions import Shape
from architectures.expressions import Dimension
from architectures.losses import Loss, Readout, Reductions
from numeric.backend import Array, ops_of


def through(
    loss: Loss,
    matrix: Array,
    offset: Array | None,
    name: str,
    rows: Dimension,
    columns: Shape | None = None,
    counts: tuple[int, ...] = (),
) -> Loss:
    """l(C f + o, y); C has shape (rows, d), o (rows, 1), and `name` is what C is called in index notation.

    With `columns` C has shape (rows x columns, d x t), o (rows, columns), all columns of them as one axis.
    """
    library = ops_of(matrix)
    transposed = library.transpose(matrix)
    whole, spread = columns is not None, math.prod(counts)

    def times(m: Array, f: Array, width: int) -> Array:
        """m f, for all columns of a sample as one where C mixes them; of so many columns then."""
        if not whole:
            return m @ f
        found = m @ library.xp.reshape(f, (*f.shape[:-2], -1, 1))
        return library.xp.reshape(found, (*f.shape[:-2], -1, width))

    def linear(f: Array) -> Array:
        return times(matrix, f, spread)

    def of(f: Array) -> Array:
        found = linear(f)
        return found if offset is None else found + offset

    def value(ops: Reductions, f: Array, y: Array) -> Array:
        return loss.value(ops, of(f), y)

    def gradient(ops: Reductions, f: Array, y: Array) -> Array:
        return times(transposed, loss.gradient(ops, of(f), y), f.shape[-1])

    def subtracted(ops: Reductions, f: Array, y: Array) -> Array:
        return times(ops.abs(transposed), loss.subtracted(ops, of(f), y), f.shape[-1])

    def curvature(ops: Reductions, f: Array, y: Array, v: Array) -> Array:
        return times(transposed, loss.curvature(ops, of(f), y, linear(v)), f.shape[-1])

    def higher(ops: Reductions, f: Array, y: Array, v: Sequence[Array]) -> Array:
        return times(transposed, loss.higher(ops, of(f), y, [linear(one) for one in v]), f.shape[-1])

    count = int(matrix.shape[0]) // (spread if whole else 1)
    reads = Readout(name, rows, count, loss, matrix, offset, of, linear, columns, counts)
    return Loss(loss.name, value, gradient, subtracted, curvature, curvature, higher, reads=reads)


def at_size(loss: Loss, matrix: Array, counts: tuple[int, ...] = ()) -> Loss:
    """The same loss through another matrix, without an offset: an instance of it at other sizes."""
    read = loss.reads
    assert read is not None
    return through(read.inner, matrix, None, read.name, read.rows, read.columns, counts)
