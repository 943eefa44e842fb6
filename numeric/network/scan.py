"""Linear networks by a scan over depth: about sqrt(R) steps instead of R.

If every unit is linear in h, then f(X) = F X with F = M_R ... M_1, where M_r, the unit's Jacobian, is the unit's own
reading on the identity matrix, for many units at once. Data enter only where the loss does. Depth is cut into C chunks
of S units:

    prefixes   q_r = M_r q_{r-1} from I at the start of every chunk, all chunks at once, S steps; P_c at the end
    starts     H_{c+1} = P_c H_c from H_1 = I, C steps, so F = H_{C+1}; the product of the first r units is q_r H_c
    rows       b_{r-1} = b_r M_r with b_R = X g^T, g the loss's gradient at F X: cotangents are rows, so that no product
               needs a transpose; C steps with P_c to the chunks' ends, and from there, H_c b_r in place of b_r, S steps
    units      the cotangent of M_r is (q_{r-1} H_c b_r)^T, whence the weights' by the unit's own adjoint

Each quantity is a series w + t v, so that the same lines give the gradient, H v and, at higher order, Taylor
coefficients. `scan_layout` lays the coefficients out so that a step is few matrix products a unit; of the weights'
cotangents only the coefficient that is asked for is computed.

The units of a step are neighbours in memory: arrays over all units are (S, C, ...) there. What belongs to each unit by
itself, its Jacobian before the steps and its weights' cotangents after them, is computed for a few chunks at a time,
such a portion staying in the cache, and on NumPy several portions at a time, a thread for each core: every portion
writes its own part of what is found, so that the number of threads changes no result. Groups of chunks are read one
after the other, and read again on the way back where their values do not all fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from resproof.architectures.nodes import Apply, Expression, Normalize, Weight, operands
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import SAMPLES
from resproof.numeric.limits import OutOfMemoryError, in_bytes
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.run import Slope, UnitByUnit
from resproof.numeric.network.scan_layout import Abreast, Factors, Stacked, Streams
from resproof.numeric.network.series import FloatSeries, Series, dense
from resproof.numeric.threads import cores, each


class ChunkGroup(NamedTuple):
    """Successive units, in `chunks` chunks of `length`."""

    first: int
    chunks: int
    length: int


class UnitsRead(NamedTuple):
    """The series of every node of some units on the identity, (units, ...), and what their adjoint needs besides."""

    values: Mapping[Expression, Series]
    slopes: Mapping[Expression, Series]


class _Record(NamedTuple):
    """What is read of a group's units, (S, C, ...): M_r, and q_{r-1} as a stream."""

    jacobians: Factors
    prefixes: Array


@dataclass(frozen=True, slots=True)
class Scan:
    """A unit's program on d columns and the series of its weights, ([k,] R, rows, columns)."""

    program: Program
    algebra: FloatSeries
    units: int
    parts: Mapping[Weight, tuple[Array, ...]]
    batch: tuple[int, ...]
    streams: Streams
    otherwise: Callable[[], Engine] = field(compare=False)
    """A product of Jacobians may overflow where the stream itself does not."""

    @staticmethod
    def of(
        read: Program,
        algebra: FloatSeries,
        units: int,
        parts: Mapping[Weight, tuple[Array, ...]],
        batch: tuple[int, ...],
        otherwise: Callable[[], Engine],
    ) -> Scan:
        """The scan of a unit that is linear in h, read on the identity."""
        width, ops = read.samples, algebra.ops
        algebra = replace(algebra, one=ops.xp.eye(width, dtype=ops.float64))
        streams = Abreast(ops, width, math.prod(batch)) if batch else Stacked(ops, width, algebra.order)
        return Scan(read, algebra, units, parts, batch, streams, otherwise)

    @property
    def by_unit(self) -> UnitByUnit:
        """The same network one unit after the other."""
        return self.otherwise().by_unit

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.program.ops

    @property
    def width(self) -> int:
        """The number d of rows and columns."""
        return self.program.samples

    @property
    def one(self) -> Array:
        """The identity matrix."""
        assert self.algebra.one is not None
        return self.algebra.one

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        groups = self.groups(max(GRANTED, self.least))
        chunks = self._chunks(groups, lambda group: self._after(self._ones(group), self._jacobians(group)))
        whole = self._after(self._identity(), chunks)
        return self.algebra.matmul(self.streams.series_of_stream(whole), self.constant(x))

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """One coefficient of the cotangents of the weights, ([k,] R, rows, columns), and of X."""
        groups, streams = self.groups(memory), self.streams
        at_hand: dict[ChunkGroup, _Record] = {}

        def product(group: ChunkGroup) -> Array:
            # The last group's record is kept, and with it that of the units that fill no chunk.
            if group.length == groups[0].length:
                at_hand.clear()
            jacobians, prefixes = at_hand[group] = self._record(group)
            return streams.forward(_at(jacobians, -1), prefixes[-1, ...])

        chunks = self._chunks(groups, product)
        starts, last = self._starts(chunks)
        whole, data = streams.series_of_stream(last), self.constant(x)
        cotangent = slope(self.algebra.matmul(whole, data), (slice(None), slice(None)))
        ends = self._ends(chunks, starts, streams.rows(self.algebra.matmul(data, self.algebra.transpose(cotangent))))
        front = self.batch if coefficient else ()
        found = self.room_for_weights(front)
        first = int(ends.shape[0])
        for group in reversed(groups):
            here = slice(first - group.chunks, first)
            first -= group.chunks
            self._weights(group, at_hand.pop(group, None) or self._record(group), ends[here, ...], coefficient, found)
        back = self.algebra.matmul(self.algebra.transpose(whole), cotangent)[coefficient]
        return found, dense(self.ops, back, (*front, *x.shape))

    def groups(self, memory: int) -> list[ChunkGroup]:
        """The units in groups of chunks whose values fit; the units that fill no chunk are a group of their own.

        Raises:
            OutOfMemoryError: one chunk does not fit.
        """
        if memory < self.least:
            raise OutOfMemoryError(
                f"the scan over {self.units} units needs {in_bytes(self.least)} at a time; "
                f"memory allows {in_bytes(memory)}"
            )
        length = math.isqrt(self.units)
        chunks, rest = divmod(self.units, length)
        # In bytes for each unit of a chunk; of chunks that are all in hand at a time, or of those that are.
        free, at_work = (memory - self._bytes_chunks) // length, cores(self.ops) * self._together(length)
        all_in_hand = free // (self.bytes_kept + self.bytes_passing)
        together = max(all_in_hand, (free - at_work * self.bytes_passing) // self.bytes_kept, 1)
        found = [ChunkGroup(c * length, min(together, chunks - c), length) for c in range(0, chunks, together)]
        return found + ([ChunkGroup(chunks * length, 1, rest)] if rest else [])

    @property
    def least(self) -> int:
        """Bytes of the chunks' products and streams, of one chunk's units and of what comes and goes meanwhile."""
        return self._bytes_chunks + (self.bytes_kept + self.bytes_passing) * math.isqrt(self.units)

    @property
    def _bytes_chunks(self) -> int:
        length = math.isqrt(self.units)
        # A product and two streams of each, and products that are being made; M_r of those that fill no chunk.
        return self.bytes_kept * (2 * (self.units // length + 1) + self.units % length)

    @property
    def bytes_kept(self) -> int:
        """Bytes a unit while its group is worked on: M_r, q_r and b_r."""
        return 8 * self.streams.entries

    @property
    def bytes_passing(self) -> int:
        """Bytes a unit while its portion is worked on: values and their cotangents, each while it is added up."""
        run = self.program
        entries = sum(math.prod(run.shapes[n]) for n in run.active if not isinstance(n, Weight))
        return 8 * (2 * entries + self.one.shape[0] ** 2) * self._coefficients

    @property
    def _coefficients(self) -> int:
        return 1 + (math.prod(self.batch) if self.batch else 1) * self.algebra.order

    def constant(self, x: Array) -> Series:
        """The series of what does not depend on t."""
        return (x, *[None] * self.algebra.order)

    def room_for_weights(self, front: tuple[int, ...]) -> dict[str, Array]:
        """Arrays for the weights' cotangents, yet to be filled."""
        shapes = {name: self.program.matrix(weight) for weight, name in self.program.unit.names.items()}
        return {name: self.ops.empty((*front, self.units, *shape)) for name, shape in shapes.items()}

    def _together(self, length: int) -> int:
        """How many chunks make a portion at most."""
        return max(CACHE // (self.bytes_passing * length), 1)

    def _shares(self, group: ChunkGroup) -> list[list[slice]]:
        """The chunks of a group in equal portions, a few at a time, for each of the threads that they are worth."""
        together = self._together(group.length)
        threads = max(min(cores(self.ops), group.chunks // together), 1)
        count = -(-group.chunks // together)
        size = -(-group.chunks // (count + -count % threads))
        portions = [slice(first, min(first + size, group.chunks)) for first in range(0, group.chunks, size)]
        return [portions[first::threads] for first in range(threads)]

    def read(self, program: Program, units: slice) -> UnitsRead:
        """Some units read on the identity."""
        order = self.algebra.order
        weights: dict[Weight, Series] = {
            weight: (*(part[..., units, :, :] for part in parts), *[None] * (order + 1 - len(parts)))[: order + 1]
            for weight, parts in self.parts.items()
        }
        return UnitsRead(*forward_with_slopes(program, self.algebra, self.constant(self.one), weights))

    def collect(
        self, read: UnitsRead, cotangent: Series, coefficient: int, units: slice, found: Mapping[str, Array]
    ) -> None:
        """Some units' part of the weights' cotangents, from those of their Jacobians."""
        highest = coefficient == self.algebra.order
        collected = adjoint(self.program, self.algebra, read.values, read.slopes, cotangent, highest=highest)
        for weight, name in self.program.unit.names.items():
            total = found[name][..., units, :, :]
            total[...] = dense(self.ops, collected[weight][coefficient], tuple(total.shape))

    def _needed(self) -> Program:
        """The program up to the values that the adjoint uses."""
        run = self.program
        wanted = {n for n in run.order if n in run.kept or (n in run.active and isinstance(n, Apply | Normalize))}
        for node in reversed(run.order):
            if node in wanted:
                wanted.update(operands(node))
        return replace(run, order=tuple(n for n in run.order if n in wanted))

    def _jacobians(self, group: ChunkGroup) -> Factors:
        """M_r for a group's units, with axes (S, C) in front."""
        streams, d = self.streams, self.one.shape[0]
        found = streams.room(group.length, group.chunks)

        def write(chunks: slice) -> None:
            read, count = self.read(self.program, self._units(group, chunks)), chunks.stop - chunks.start
            series: list[Array | None] = []
            for j, c in enumerate(read.values[self.program.root]):
                front = self.batch if j else ()
                units = None if c is None else dense(self.ops, c, (*front, count * group.length, d, d))
                series.append(None if units is None else _by_step(self.ops, units, group.length))
            streams.fill(found, (slice(None), chunks), tuple(series))

        each(self.ops, write, self._shares(group))
        return found

    def _record(self, group: ChunkGroup) -> _Record:
        """What the way back needs of a group's units."""
        jacobians = self._jacobians(group)
        prefixes = self._through(self._ones(group), range(group.length), jacobians, self.streams.forward)
        return _Record(jacobians, prefixes)

    def _chunks(self, groups: Sequence[ChunkGroup], product: Callable[[ChunkGroup], Array]) -> Factors:
        """P_c of all chunks, (C, ...), from the function that makes a group's, as a stream."""
        found, first = self.streams.room(sum(group.chunks for group in groups)), 0
        for group in groups:
            series = self.streams.series_of_stream(product(group))
            self.streams.fill(found, (slice(first, first + group.chunks),), series)
            first += group.chunks
        return found

    def _identity(self) -> Array:
        return self.streams.stream(self.constant(self.one))

    def _ones(self, group: ChunkGroup) -> Array:
        one = self._identity()
        return self.ops.xp.broadcast_to(one, (group.chunks, *one.shape))

    def _after(self, h: Array, factors: Factors) -> Array:
        """A stream after all factors."""
        for place in range(int(factors[0].shape[0])):
            h = self.streams.forward(_at(factors, place), h)
        return h

    def _starts(self, chunks: Factors) -> tuple[Array, Array]:
        """H_1, ..., H_C, (C, ...), and F = H_{C+1}."""
        starts = self._through(self._identity(), range(int(chunks[0].shape[0])), chunks, self.streams.forward)
        return starts, self.streams.forward(_at(chunks, -1), starts[-1, ...])

    def _ends(self, chunks: Factors, starts: Array, b: Array) -> Array:
        """H_c b at the chunks' ends, (C, ...), from the rows at the network's."""
        b = self._through(b, range(int(chunks[0].shape[0]) - 1, -1, -1), chunks, self.streams.backward)
        before, after = self.streams.series_of_stream(starts), self.streams.series_of_rows(b)
        return self.streams.rows(self.algebra.matmul(before, after))

    def _through(self, h: Array, places: range, factors: Factors, step: Callable[..., Array]) -> Array:
        """A stream before it is multiplied by the factor of each place, along a new first axis."""
        found = self.ops.empty((len(places), *h.shape))
        found[places[0], ...] = h
        for here, following in pairwise(places):
            _ = step(_at(factors, here), found[here, ...], found[following, ...])
        return found

    def _weights(
        self, group: ChunkGroup, record: _Record, b: Array, coefficient: int, found: Mapping[str, Array]
    ) -> None:
        """A group's part of the weights' cotangents, from H_c b at its chunks' ends."""
        rows = self._through(b, range(group.length - 1, -1, -1), record.jacobians, self.streams.backward)
        needed = self._needed()

        def write(chunks: slice) -> None:
            units = self._units(group, chunks)
            q, hb = (self.ops.permute(a[:, chunks, ...], (1, 0, 2, 3)) for a in (record.prefixes, rows))
            cotangent = self.algebra.transpose(self._gram(q, hb))
            self.collect(self.read(needed, units), cotangent, coefficient, units, found)

        each(self.ops, write, self._shares(group))

    def _units(self, group: ChunkGroup, chunks: slice) -> slice:
        """The units of some chunks of a group."""
        return slice(group.first + chunks.start * group.length, group.first + chunks.stop * group.length)

    def _gram(self, q: Array, b: Array) -> Series:
        """q b for all units, as a series of shape ([k,] units, d, d)."""
        streams, d = self.streams, self.one.shape[0]
        products = self.algebra.matmul(streams.series_of_stream(q), streams.series_of_rows(b))
        return tuple(None if p is None else self.ops.reshape(p, (*p.shape[:-4], -1, d, d)) for p in products)


def on_identity(unit: ResidualUnit, ops: Ops, sizes: Mapping[str, int]) -> Program:
    """A unit that is linear in h, read on the d columns of the identity."""
    width = sizes[unit.width] if isinstance(unit.width, str) else unit.width
    return _by_weights(program(unit, ops, {**sizes, SAMPLES: width}))


@lru_cache(maxsize=16)
def _by_weights(read: Program) -> Program:
    """The program for those who ask for no derivative by h: only what depends on a weight takes part in its adjoint."""
    found: set[Expression] = set()
    for node in read.order:
        if (isinstance(node, Weight) and node.trainable) or any(operand in found for operand in operands(node)):
            found.add(node)
    return replace(read, active=frozenset(found))


GRANTED = 2**26
"""Bytes of a group's values when only the output is wanted."""

CACHE = 2**23
"""Bytes of what is made of a few units at a time."""


def _at(factors: Factors, place: int) -> Factors:
    return tuple(a[place, ...] for a in factors)


def _by_step(ops: Ops, a: Array, length: int) -> Array:
    """([k,] C S, d, d), a chunk's units one after the other, as ([k,] S, C, d, d)."""
    *front, _, rows, columns = a.shape
    n = len(front)
    apart = ops.reshape(a, (*front, -1, length, rows, columns))
    return ops.permute(apart, (*range(n), n + 1, n, n + 2, n + 3))
