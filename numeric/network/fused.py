"""A network of narrow units on a GPU: a stretch of units is two kernels (`kernel`) and a few large products.

Unit by unit, a network of width 10 waits for the next kernel to start, not for arithmetic. Here the way forward keeps
the streams between the units of a segment, the way back writes for each of them what the weights' cotangents are made
of, and one batched product over (coefficients and samples) makes all of a segment's. Where the segments do not all
fit the memory, the streams at their starts are kept and each is run again on the way back; where that does not fit,
samples are taken in portions, whose cotangents add up, for the loss is a mean over samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.nodes import Constant
from resproof.numeric.backend import Array
from resproof.numeric.network.kernel import Kernel, Side, Site, can_be_written, kernels
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Portion, Slope
from resproof.numeric.network.series import Series
from resproof.numeric.network.sweeps import SweepPlan, Sweeps, Through
from resproof.numeric.network.tape import is_known

LEAST = 32
"""Samples that are taken together at least, where there are as many."""

THREADS = 64
"""Threads of a block: small blocks spread evenly over the processors where samples are few."""

AT_ONCE = 2**28
"""Bytes of matrices that are copied in the order in which they are read where only the output is wanted."""

Launch: TypeAlias = Callable[[Kernel, int, int, Sequence[Any]], None]
"""Starts a kernel: so many blocks of so many threads, on these arguments."""


def is_fused(program: Program) -> bool:
    """Whether the unit's arrays lie on a GPU and its kernels can be written."""
    return program.ops.library == "cupy" and is_known(program) and can_be_written(program)


def on_gpu(kernel: Kernel, blocks: int, threads: int, arguments: Sequence[Any]) -> None:
    """The kernel by way of CuPy, which compiles it once."""
    _compiled(kernel.name, kernel.source)((blocks,), (threads,), tuple(arguments))


@lru_cache(maxsize=64)
def _compiled(name: str, source: str) -> Any:
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.RawKernel(source, name)


@dataclass(frozen=True)
class Fused(Sweeps):
    """A run of a narrow unit, to order 0 or 1 and without a batch."""

    launch: Launch = field(default=on_gpu, compare=False)

    @cached_property
    def kernels(self) -> tuple[Kernel, Kernel]:
        """The way forward and the way back."""
        return kernels(self.program, self.run.algebra.order)

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        stream = self._entering(x)
        length = min(max(AT_ONCE // self._bytes_sides, 1), self.units)
        for first in range(0, self.units, length):
            self._forward(first, min(first + length, self.units), stream, None)
        return self._leaving(stream)

    # Memory.

    @property
    def least(self) -> int:
        """Samples that are taken together at least, where there are as many."""
        return LEAST

    def segments(self, tile: int, memory: int) -> tuple[int, int]:
        """As long as half of the memory allows, else those of least need."""
        longest = memory // (2 * (tile * self.bytes_unit + self._bytes_sides))
        return min(max(longest, self.fewest), self.units), self.fewest

    def needed(self, tile: int, segment: int) -> int:
        """Bytes of a sweep: streams at the starts and a few besides, a segment's values and matrices."""
        starts = -(-self.units // segment) + 4
        return tile * (starts * self.bytes_stream + segment * self.bytes_unit) + segment * self._bytes_sides

    @property
    def bytes_unit(self) -> int:
        """Bytes a sample and a unit of a segment: the stream that enters, and what the sites write."""
        return self.bytes_stream + 8 * sum(math.prod(shape) for shape in self._site_shapes(1, 1))

    @property
    def _bytes_sides(self) -> int:
        """Bytes a unit of the matrices in the orders in which they are read, and of their cotangents."""
        shapes, back = self.program.shapes, self.kernels[1]
        matrices = [*(side.node for side in back.sides.values()), *(site.weight for site in back.sites)]
        return 8 * sum(math.prod(shapes[matrix]) for matrix in matrices)

    def _site_shapes(self, units: int, samples: int) -> list[tuple[int, ...]]:
        """The arrays that the way back writes, as its kernel lists them."""
        found: list[tuple[int, ...]] = []
        for site in self.kernels[1].sites:
            if site.columns is None:
                found.append((units, samples, site.rows))
            else:
                found += [(units, self.depth, samples, site.rows), (units, self.depth, samples, site.columns)]
        return found

    # One portion of the samples.

    def through(self, plan: SweepPlan) -> Through:
        """What takes a portion of the samples through all units and back."""
        return partial(self._sweep, plan.segment)

    def _sweep(self, segment: int, x: Array, slope: Slope, portion: Portion, found: Mapping[str, Array]) -> Array:
        """Forward through all units, then back: the weights' cotangents are added to `found`, X's is returned."""
        ops, stream, firsts = self.program.ops, self._entering(x), range(0, self.units, segment)
        kept = ops.empty((segment, *stream.shape))
        sites = [ops.empty(shape) for shape in self._site_shapes(segment, int(x.shape[1]))]
        starts = ops.empty((len(firsts), *stream.shape))
        for number, first in enumerate(firsts[:-1]):
            starts[number, ...] = stream
            self._forward(first, first + segment, stream, None)
        self._forward(firsts[-1], self.units, stream, kept)
        cotangent = self._stacked(slope(self._leaving(stream), portion), x)
        for number, first in reversed(list(enumerate(firsts))):
            stop = min(first + segment, self.units)
            if stop < self.units:
                self._forward(first, stop, starts[number, ...], kept)
            self._backward(first, stop, kept, cotangent, sites)
            self._collect(first, stop, sites, found)
        return ops.transpose(cotangent[self.run.algebra.order, ...])

    def _entering(self, x: Array) -> Array:
        return self._stacked((x, *[None] * self.run.algebra.order), x)

    def _stacked(self, series: Series, like: Array) -> Array:
        """A series of shape (rows, samples) as (coefficient, sample, row)."""
        ops = self.program.ops
        stack = ops.zeros((self.depth, *reversed(tuple(like.shape))))
        for k, part in enumerate(series):
            if part is not None:
                stack[k, ...] = ops.transpose(part)
        return stack

    def _leaving(self, stream: Array) -> Series:
        return tuple(self.program.ops.transpose(stream[k, ...]) for k in range(self.depth))

    def _forward(self, first: int, stop: int, stream: Array, kept: Array | None) -> None:
        """The stream through these units, and where asked for the streams that enter them."""
        keep = np.int32(kept is not None)
        self._start(self.kernels[0], first, stop, stream, [stream, stream if kept is None else kept, keep], [])

    def _backward(self, first: int, stop: int, kept: Array, cotangent: Array, sites: Sequence[Array]) -> None:
        """The cotangent back through these units, and what their weights' are made of."""
        self._start(self.kernels[1], first, stop, cotangent, [kept, cotangent], sites)

    def _start(
        self, kernel: Kernel, first: int, stop: int, stream: Array, front: Sequence[Any], sites: Sequence[Array]
    ) -> None:
        samples = int(stream.shape[1])
        sides = [self._matrix(side, first, stop) for side in kernel.sides.values()]
        blocks = -(-samples * kernel.lanes // THREADS)
        self.launch(kernel, blocks, THREADS, [*front, np.int32(stop - first), np.int32(samples), *sides, *sites])

    def _matrix(self, side: Side, first: int, stop: int) -> Array:
        """A side of these units in the order in which a kernel reads it."""
        ops = self.program.ops
        if isinstance(side.node, Constant):
            matrix = self.program.constants[side.node][0]
        else:
            matrix = self.run.parts[side.node][side.part][first:stop, ...]
        return ops.contiguous(ops.transpose(matrix) if side.transposed else matrix)

    def _collect(self, first: int, stop: int, sites: Sequence[Array], found: Mapping[str, Array]) -> None:
        """The weights' cotangents of these units, from what the way back wrote."""
        arrays, count = iter(sites), stop - first
        for site in self.kernels[1].sites:
            left = next(arrays)[:count, ...]
            part = (
                self._sum(site, left) if site.columns is None else self._product(site, left, next(arrays)[:count, ...])
            )
            total = found[self.program.unit.names[site.weight]][first:stop, ...]
            total += self.program.ops.transpose(part) if site.transposed else part

    def _product(self, site: Site, q: Array, h: Array) -> Array:
        """sum over coefficients k and samples of q_{K-k} h_k^T."""
        ops, count = self.program.ops, int(q.shape[0])
        return ops.transpose(ops.reshape(q, (count, -1, site.rows))) @ ops.reshape(h, (count, -1, int(h.shape[-1])))

    def _sum(self, site: Site, addends: Array) -> Array:
        """The sum over samples, and over rows where one number serves them all."""
        rows, columns = self.program.shapes[site.weight]
        xp = self.program.ops.xp
        column = xp.sum(addends, axis=1)[..., None]
        return xp.sum(column, axis=1, keepdims=True) if rows * columns == 1 else column
