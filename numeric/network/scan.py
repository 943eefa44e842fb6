"""Linear networks by products over depth: about sqrt(R) steps instead of R.

If every unit is linear in h, then f(X) = F X with F = M_R ... M_1, where M_r, the unit's Jacobian, is the unit's own
reading on the identity matrix, for many units at once. Data enter only where the loss does. Depth is cut into C chunks
of S units; what belongs to a chunk is done for a group of chunks at once, in S steps:

    prefixes   q_r = M_r q_{r-1} from I at the start of every chunk; P_c at its end
    starts     H_{c+1} = P_c H_c from H_1 = I, C steps, so F = H_{C+1}; the product of the first r units is q_r H_c
    rows       b_{r-1} = b_r M_r with b_R = X g^T, g the loss's gradient at F X: cotangents are rows, so that no product
               needs a transpose; C steps with P_c to the chunks' ends, and from there, H_c b_r in place of b_r, S steps
    units      the cotangent of M_r is (q_{r-1} H_c b_r)^T, whence the weights' by the unit's own adjoint

A series M_0 + M_1 t lies as [M_0; M_1], one above the other, and so do h and b: M h is one product with h_0 and one of
M_0 with h_1, b M likewise. What belongs to each unit by itself is done for a few chunks at a time, which stay in the
cache; the matrices of a group lie in one block of memory, which the C library keeps for the next call.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from resproof.architectures.nodes import Apply, Expression, Normalize, Weight, operands
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import SAMPLES
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.run import Cotangents, Part, Run, Slope
from resproof.numeric.network.series import FloatSeries, Series, dense

SHORTEST = 16
"""Units from which products over depth are worth their while."""

NARROW = 32
"""Columns up to which a unit is read on the identity however few columns the data have."""

GROUP = 2**25 - 2**16
"""Bytes of the matrices of a group: more than that glibc does not keep for the next call."""

CACHE = 2**23
"""Bytes of what is made of a few units at a time."""


def over_depth(run: Run, memory: int = 2**26, *, shortest: int | None = None) -> Scan | None:
    """The scan of a network of many units that are linear in h; None where it does not pay, or not fit the memory."""
    part, *others = run.parts
    unit, width = part.program.unit, part.program.shapes[part.program.root][-2]
    short = others or part.units < (shortest or SHORTEST) or run.batch or run.algebra.order > 1
    if short or not isinstance(unit, ResidualUnit) or not is_linear(unit) or width > max(NARROW, run.program.samples):
        return None
    read = _for_weights(program(unit, run.ops, {**part.program.sizes, SAMPLES: width}))
    found = Scan(part, run, read, math.isqrt(part.units), memory)
    return found if found.least <= memory else None


@lru_cache(maxsize=8)
def _for_weights(read: Program) -> Program:
    """The program for those who ask for no derivative by h: only what depends on a weight takes part in its adjoint."""
    found: set[Expression] = set()
    for node in read.order:
        if (isinstance(node, Weight) and node.trainable) or not found.isdisjoint(operands(node)):
            found.add(node)
    return replace(read, active=frozenset(found))


@lru_cache(maxsize=8)
def _needed(read: Program) -> Program:
    """The program up to the values that the adjoint uses."""
    wanted = {n for n in read.order if n in read.kept or (n in read.active and isinstance(n, Apply | Normalize))}
    for node in reversed(read.order):
        if node in wanted:
            wanted.update(operands(node))
    return replace(read, order=tuple(n for n in read.order if n in wanted))


@dataclass(frozen=True, slots=True)
class _OnIdentity(FloatSeries):
    """Series of which one constant is the identity, recognised as the object it is: products pass it over."""

    one: Array = None

    def matmul(self, a: Series, b: Series) -> Series:
        """The matrix product."""
        if self._is_one(b):
            return a
        return b if self._is_one(a) else self.product(operator.matmul, a, b)

    def transpose(self, a: Series) -> Series:
        """The transpose of every coefficient."""
        return tuple(x if x is None or x is self.one else self.ops.transpose(x) for x in a)

    def _is_one(self, a: Series) -> bool:
        return a[0] is self.one and all(c is None for c in a[1:])


class _Group(NamedTuple):
    """Successive chunks of `length` units, from unit `first` on."""

    first: int
    chunks: int
    length: int

    def units(self, chunks: slice) -> slice:
        """The units of some of its chunks."""
        return slice(self.first + chunks.start * self.length, self.first + chunks.stop * self.length)


class _Read(NamedTuple):
    """The series of every node of some units on the identity, and what their adjoint needs besides."""

    algebra: FloatSeries
    values: Mapping[Expression, Series]
    slopes: Mapping[Expression, Series]


class _Room(NamedTuple):
    """A group's M_r, (S, C, ...), q_{r-1} and q_S, (S + 1, C, ...), and b_r, (S, C, ...)."""

    factors: Array
    prefixes: Array
    rows: Array


@dataclass(frozen=True, slots=True)
class Scan:
    """A part of linear units, its program on the d columns of the identity, the length of a chunk, and bytes to use."""

    part: Part
    run: Run
    read: Program
    length: int
    memory: int

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.run.ops

    @property
    def order(self) -> int:
        """1 with a tangent, else 0."""
        return self.run.algebra.order

    @property
    def width(self) -> int:
        """The number d of rows and columns."""
        return self.read.samples

    @property
    def least(self) -> int:
        """Bytes of the chunks' products and streams, and of one chunk's units."""
        return self._bytes_chunks + (self._bytes_room + self._bytes_unit) * self.length

    @property
    def _bytes_chunks(self) -> int:
        return 3 * (self.part.units // self.length + 1) * self._bytes_room

    @property
    def _bytes_room(self) -> int:
        """Bytes a unit of M, q and b."""
        return 24 * (self.order + 1) * self.width**2

    @property
    def _bytes_unit(self) -> int:
        """Bytes of a unit's values and their cotangents."""
        return 16 * (self.order + 1) * sum(math.prod(shape) for shape in self.read.shapes.values())

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        h, memory = self._one, self._memory()
        for group in self._groups():
            ends = self._filled(memory, group).prefixes[-1, ...]
            for chunk in range(group.chunks):
                h = self._times(self._series(ends[chunk, ...]), h)
        return self._times(h, self.run.entering(x))

    def pull(self, x: Array, slope: Slope, coefficient: int) -> tuple[Cotangents, Array]:
        """One coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        groups, memory = self._groups(), self._memory()
        ends = [self.ops.xp.asarray(self._filled(memory, group).prefixes[-1, ...], copy=True) for group in groups]
        chunks, count = self.ops.concatenate(ends, 0), sum(group.chunks for group in groups)
        starts = self._through(self.ops.empty((count + 1, *chunks.shape[1:])), self._stack(self._one), chunks)
        whole = self._series(starts[-1, ...])
        g = slope(self._times(whole, self.run.entering(x)), (...,))
        columns = tuple(None if c is None else c[0, ...] for c in g)
        b = self._stack(self._times(self.run.entering(x[0, ...]), self._transposed(columns)))
        rows = self._back(self.ops.empty(tuple(chunks.shape)), b, chunks)
        heads = self._stack(self._times(self._series(starts[:-1, ...]), self._series(rows)))
        found = {n: self.ops.empty((self.part.units, *self.read.matrix(w))) for w, n in self.read.unit.names.items()}
        stop = count
        for group in reversed(groups):
            room = self._room(memory, group) if group is groups[-1] else self._filled(memory, group)
            self._weights(group, room, heads[stop - group.chunks : stop, ...], coefficient, found)
            stop -= group.chunks
        back = self._times(self._transposed(whole), g)[coefficient]
        return [found], dense(self.ops, back, tuple(x.shape))

    # Groups of chunks, and their matrices.

    def _groups(self) -> list[_Group]:
        """The units in groups of chunks; those that fill no chunk are a group of their own."""
        chunks, rest = divmod(self.part.units, self.length)
        together = max(min(self.memory - self.least, GROUP) // (self._bytes_room * self.length), 1)
        found = [_Group(c * self.length, min(together, chunks - c), self.length) for c in range(0, chunks, together)]
        return found + ([_Group(chunks * self.length, 1, rest)] if rest else [])

    def _portions(self, group: _Group) -> list[slice]:
        """A few chunks of a group at a time."""
        together = max(min(CACHE, (self.memory - self.least) // 4) // (self._bytes_unit * group.length), 1)
        return [slice(c, min(c + together, group.chunks)) for c in range(0, group.chunks, together)]

    def _sizes(self, group: _Group) -> list[tuple[int, ...]]:
        of_one = ((self.order + 1) * self.width, self.width)
        return [(group.length + more, group.chunks, *of_one) for more in (0, 1, 0)]

    def _memory(self) -> Array:
        """Room for any group."""
        return self.ops.zeros((max(sum(map(math.prod, self._sizes(group))) for group in self._groups()),))

    def _room(self, memory: Array, group: _Group) -> _Room:
        """A group's part of the memory."""
        places = list(accumulate(map(math.prod, self._sizes(group)), initial=0))
        parts = (memory[first:stop] for first, stop in pairwise(places))
        return _Room(*(self.ops.reshape(a, size) for a, size in zip(parts, self._sizes(group), strict=True)))

    def _filled(self, memory: Array, group: _Group) -> _Room:
        """A group's M_r and q_r."""
        room, d = self._room(memory, group), self.width
        for chunks in self._portions(group):
            read, count = self._read(self.read, group.units(chunks)), chunks.stop - chunks.start
            series = [dense(self.ops, c, (count * group.length, 1, d, d)) for c in read.values[self.read.root]]
            by_step = [self.ops.permute(self.ops.reshape(c, (count, -1, d, d)), (1, 0, 2, 3)) for c in series]
            for k, block in enumerate(by_step):
                room.factors[:, chunks, k * d : (k + 1) * d, :] = block
        _ = self._through(room.prefixes, self._stack(self._one), room.factors)
        return room

    def _read(self, read: Program, units: slice) -> _Read:
        """Some units read on the identity."""
        one, order = self._one[0], self.order
        assert one is not None  # the identity is an array
        parts = {w: [a[units, ...] for a in each] for w, each in self.part.weights.items()}
        series = {w: (*each, *[None] * (order + 1 - len(each)))[: order + 1] for w, each in parts.items()}
        one = one[None, ...]
        algebra = _OnIdentity(self.ops, order, one=one)
        return _Read(algebra, *forward_with_slopes(read, algebra, self.run.entering(one), series))

    def _weights(self, group: _Group, room: _Room, heads: Array, coefficient: int, found: Mapping[str, Array]) -> None:
        """A group's part of the weights' cotangents, from H_c b at its chunks' ends."""
        d, rows = self.width, self._back(room.rows, heads, room.factors)
        for chunks in self._portions(group):
            units, read = group.units(chunks), self._read(_needed(self.read), group.units(chunks))
            q, b = (self.ops.permute(a[:, chunks, ...], (1, 0, 2, 3)) for a in (room.prefixes[:-1, ...], rows))
            by_unit = self._times(self._series(q), self._series(b))
            cotangent = self._transposed(
                tuple(None if c is None else self.ops.reshape(c, (-1, 1, d, d)) for c in by_unit)
            )
            highest = coefficient == self.order
            of_weights = adjoint(self.read, read.algebra, read.values, read.slopes, cotangent, highest=highest)
            for weight, name in self.read.unit.names.items():
                c, shape = of_weights[weight][coefficient], (units.stop - units.start, *self.read.matrix(weight))
                found[name][units, ...] = dense(self.ops, None if c is None else c[..., 0, :, :], shape)

    # Products of series.

    def _through(self, found: Array, h: Array, factors: Array) -> Array:
        """h, M_1 h, M_2 M_1 h, ... along the first axis."""
        found[0, ...], d = h, self.width
        for step in range(int(found.shape[0]) - 1):
            m, old, new = factors[step, ...], found[step, ...], found[step + 1, ...]
            _ = self.ops.matmul(m, old[..., :d, :], new)
            if self.order:
                new[..., d:, :] += m[..., :d, :] @ old[..., d:, :]
        return found

    def _back(self, found: Array, b: Array, factors: Array) -> Array:
        """..., b M_n M_{n-1}, b M_n, b along the first axis, for the last of n factors."""
        last, d = int(found.shape[0]) - 1, self.width
        found[last, ...] = b
        for step in range(last, 0, -1):
            m, old, new = factors[step, ...], found[step, ...], found[step - 1, ...]
            _ = self.ops.matmul(old, m[..., :d, :], new)
            if self.order:
                new[..., d:, :] += old[..., :d, :] @ m[..., d:, :]
        return found

    def _times(self, a: Series, b: Series) -> Series:
        return self.run.algebra.matmul(a, b)

    def _transposed(self, a: Series) -> Series:
        return self.run.algebra.transpose(a)

    @property
    def _one(self) -> Series:
        return self.run.entering(self.ops.xp.eye(self.width, dtype=self.ops.float64))

    def _stack(self, h: Series) -> Array:
        """[h_0; h_1]."""
        return self.ops.concatenate([dense(self.ops, c, _shape(h)) for c in h], -2)

    def _series(self, h: Array) -> Series:
        return (h[..., : self.width, :], h[..., self.width :, :])[: self.order + 1]


def _shape(a: Series) -> tuple[int, ...]:
    value = a[0]
    assert value is not None  # the value is an array
    return tuple(value.shape)
