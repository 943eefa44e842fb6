"""Linear networks by a scan over depth: about sqrt(R) steps instead of R.

If every unit is linear in h, then f(X) = F X with F = M_R ... M_1, where M_r, the unit's Jacobian, is the unit's own
reading on the identity matrix, for many units at once. Data enter only where the loss does. Depth is cut into C chunks
of S units:

    products   P_c = M_{cS} ... M_{(c-1)S+1}, all chunks at once, S steps
    starts     H_{c+1} = P_c H_c from H_1 = I, C steps, so F = H_{C+1}
    states     h_r = M_r h_{r-1}, all chunks at once, S steps
    adjoints   b_{r-1} = b_r M_r with b_R = X g^T, g the loss's gradient at F X: cotangents are rows, so that no product
               needs a transpose; S steps from the chunks' ends, which are C steps with P_c
    units      the cotangent of M_r is (h_{r-1} b_r)^T, whence the weights' by the unit's own adjoint

Each quantity is a series w + t v, so that the same lines give the gradient, H v and, at higher order, Taylor
coefficients. The q coefficients of a stream lie side by side, (C, d, q d), those of the cotangents one below the other,
(C, q d, d), and those of M_r apart. Then a step is few matrix products a unit: with the value and k = q - 1 tangents

    M_0 (d, d) times h (d, q d),   and   M_1 (d k, d) times h_0 (d, d).

The units of a step are neighbours in memory: arrays over all units are (S, C, ...) there. Groups of chunks are read one
after the other, and read again on the way back where their values do not all fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from architectures.expressions import Apply, Expression, Normalize, Weight, operands
from architectures.networks import ResidualUnit
from numeric.backend import Array, Ops
from numeric.data import SAMPLES
from numeric.evaluate import forward_with_slopes
from numeric.faults import OutOfMemoryError, in_bytes
from numeric.program import Program, program
from numeric.reverse import adjoint
from numeric.run import Slope
from numeric.series import FloatSeries, Series

DISPENSABLE = 10**6
"""Multiplications a unit that running the identity may cost beyond running the data: less than a step's overhead."""


def narrow(shape: tuple[int, ...]) -> bool:
    """Whether d columns, the identity's, are no more work than the m of the data."""
    d, m = shape
    return d * d * (d - m) <= DISPENSABLE


class Group(NamedTuple):
    """Successive units, in `chunks` chunks of `length`."""

    first: int
    chunks: int
    length: int


@dataclass(frozen=True, slots=True)
class Scan:
    """A unit's program on d columns and the series of its weights, ([k,] R, rows, columns)."""

    program: Program
    algebra: FloatSeries
    units: int
    parts: Mapping[Weight, tuple[Array, ...]]
    batch: tuple[int, ...]

    @staticmethod
    def of(
        unit: ResidualUnit,
        algebra: FloatSeries,
        sizes: Mapping[str, int],
        units: int,
        parts: Mapping[Weight, tuple[Array, ...]],
        batch: tuple[int, ...],
    ) -> Scan:
        """The scan of a unit that is linear in h."""
        width = sizes[unit.width] if isinstance(unit.width, str) else unit.width
        ops = algebra.ops
        one = ops.xp.eye(width, dtype=ops.float64)
        read = program(unit, ops, {**sizes, SAMPLES: width})
        # Nothing is asked for the derivative by h: only what depends on a weight takes part in the unit's adjoint.
        of_weights: set[Expression] = set()
        for node in read.order:
            if isinstance(node, Weight) or any(operand in of_weights for operand in operands(node)):
                of_weights.add(node)
        return Scan(replace(read, active=frozenset(of_weights)), replace(algebra, one=one), units, parts, batch)

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.program.ops

    @property
    def one(self) -> Array:
        """The identity matrix."""
        assert self.algebra.one is not None
        return self.algebra.one

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        products = [self._products(self._jacobians(group)) for group in self.groups(max(GRANTED, self.least))]
        _, whole = self._starts(_joined(self.ops, products))
        return self.algebra.matmul(self._series(whole), self._constant(x))

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """One coefficient of the cotangents of the weights, ([k,] R, rows, columns), and of X."""
        groups = self.groups(memory)
        products: list[Series] = []
        jacobians: Series = ()
        for group in groups:
            jacobians = self._jacobians(group)
            products.append(self._products(jacobians))
        chunks = _joined(self.ops, products)
        starts, last = self._starts(chunks)
        whole, data = self._series(last), self._constant(x)
        cotangent = slope(self.algebra.matmul(whole, data), (slice(None), slice(None)))
        rows = self.algebra.matmul(data, self.algebra.transpose(cotangent))
        ends = self._ends(chunks, self._rows(rows))
        front = self.batch if coefficient else ()
        shapes = {name: self.program.shapes[weight] for weight, name in self.program.unit.names.items()}
        found = {name: self.ops.empty((*front, self.units, *shape)) for name, shape in shapes.items()}
        first = int(ends.shape[0])
        for group in reversed(groups):
            here = slice(first - group.chunks, first)
            first -= group.chunks
            # The last group's are at hand.
            jacobians = jacobians if group is groups[-1] else self._jacobians(group)
            self._weights(group, jacobians, starts[here, ...], ends[here, ...], coefficient, found)
        back = self.algebra.matmul(self.algebra.transpose(whole), cotangent)[coefficient]
        return found, self._dense(back, (*(self.batch if coefficient else ()), *x.shape))

    def groups(self, memory: int) -> list[Group]:
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
        portion = max(min(CACHE, memory // 2), self.bytes_kept * length)
        together = max((memory - self._bytes_chunks - portion) // (self.bytes_kept * length), 1)
        found = [Group(c * length, min(together, chunks - c), length) for c in range(0, chunks, together)]
        return found + ([Group(chunks * length, 1, rest)] if rest else [])

    @property
    def least(self) -> int:
        """Bytes of the chunks' products and streams, of one chunk's units and of what comes and goes meanwhile."""
        return self._bytes_chunks + 2 * self.bytes_kept * math.isqrt(self.units)

    @property
    def _bytes_chunks(self) -> int:
        chunks = self.units // math.isqrt(self.units) + 1
        return 8 * CHUNK_ARRAYS * chunks * self.one.shape[0] ** 2 * self._coefficients

    @property
    def bytes_kept(self) -> int:
        """Bytes a unit while its group is worked on: M_r, h_r, b_r and the weights' cotangents."""
        weights = sum(math.prod(self.program.shapes[weight]) for weight in self.parts)
        return 8 * (3 * self.one.shape[0] ** 2 + 2 * weights) * self._coefficients

    @property
    def _coefficients(self) -> int:
        return 1 + (math.prod(self.batch) if self.batch else 1) * self.algebra.order

    def _constant(self, x: Array) -> Series:
        return (x, *[None] * self.algebra.order)

    def _portions(self, group: Group) -> Iterator[slice]:
        """The chunks of a group a few at a time: what is made of their units should stay in the cache."""
        size = max(CACHE // (self.bytes_kept * group.length), 1)
        return (slice(first, min(first + size, group.chunks)) for first in range(0, group.chunks, size))

    def _read(
        self, program: Program, group: Group, chunks: slice
    ) -> tuple[dict[Expression, Series], dict[Expression, Series]]:
        """The units of some chunks read on the identity, (units, ...)."""
        order, first, length = self.algebra.order, group.first, group.length
        units = slice(first + chunks.start * length, first + chunks.stop * length)
        weights: dict[Weight, Series] = {
            weight: (*(part[..., units, :, :] for part in parts), *[None] * (order + 1 - len(parts)))[: order + 1]
            for weight, parts in self.parts.items()
        }
        return forward_with_slopes(program, self.algebra, self._constant(self.one), weights)

    def _needed(self) -> Program:
        """The program up to the values that the adjoint uses."""
        run = self.program
        wanted = {n for n in run.order if n in run.kept or (n in run.active and isinstance(n, Apply | Normalize))}
        for node in reversed(run.order):
            if node in wanted:
                wanted.update(operands(node))
        return replace(run, order=tuple(n for n in run.order if n in wanted))

    def _jacobians(self, group: Group) -> Series:
        """The coefficients of M_r for a group's units, (S, C, d, d) and (S, C, d k, d)."""
        found: list[Array | None] = [None] * (self.algebra.order + 1)
        d = self.one.shape[0]
        for chunks in self._portions(group):
            root = self._read(self.program, group, chunks)[0][self.program.root]
            count = chunks.stop - chunks.start
            for j, c in enumerate(root):
                if c is None:
                    continue
                c = self._dense(c, (*(self.batch if j else ()), count * group.length, d, d))
                c = self.ops.permute(c, (1, 2, 0, 3)) if self.batch and j else c
                c = self.ops.reshape(c, (count, group.length, -1, d))
                whole = found[j]
                if whole is None:
                    whole = found[j] = self.ops.empty((group.length, group.chunks, *c.shape[2:]))
                whole[:, chunks, ...] = self.ops.permute(c, (1, 0, 2, 3))
        return tuple(found)

    def _series(self, h: Array) -> Series:
        """The coefficients of a stream, (d, q d), as a series of shape ([k,] d, d)."""
        d = h.shape[0]
        apart = self.ops.permute(self.ops.reshape(h, (d, -1, d)), (1, 0, 2))
        return (apart[0, ...], apart[1:, ...]) if self.batch else tuple(apart[j, ...] for j in range(apart.shape[0]))

    def _rows(self, b: Series) -> Array:
        """A series of shape ([k,] d, d) as coefficients one below the other, (q d, d)."""
        d, batch = self.one.shape[0], self.batch
        blocks = [self._dense(c, (*(batch if j else ()), d, d)) for j, c in enumerate(b)]
        return self.ops.concatenate([self.ops.reshape(c, (-1, d)) for c in blocks], 0)

    def _forward(self, m: Sequence[Array | None], h: Array, out: Array | None = None) -> Array:
        """M h, (..., d, d) times (..., d, q d)."""
        d, new = h.shape[-2], self.ops.matmul(m[0], h, out)
        for j in range(1, len(m)):
            if m[j] is not None:
                # In a block all tangents follow the value; else coefficient j shifts by j.
                some = h[..., :d] if self.batch else h[..., : h.shape[-1] - j * d]
                change = m[j] @ some
                new[..., j * d :] += self.ops.reshape(change, (*h.shape[:-1], -1)) if self.batch else change
        return new

    def _backward(self, m: Sequence[Array | None], b: Array, out: Array | None = None) -> Array:
        """B M, (..., q d, d) times (..., d, d), at order 0 or 1."""
        d, new = b.shape[-1], self.ops.matmul(b, m[0], out)
        if len(m) > 1 and m[1] is not None:
            first = b[..., :d, :]
            if self.batch:
                # M_1 is (d k, d): b_0 times each tangent, (k, d, d) in one.
                *front, rows, _ = m[1].shape
                apart = self.ops.reshape(m[1], (*front, d, rows // d, d))
                n = len(front)
                tangents = self.ops.permute(apart, (*range(n), n + 1, n, n + 2))
                new[..., d:, :] += self.ops.reshape(first[..., None, :, :] @ tangents, (*front, rows, d))
            else:
                new[..., d:, :] += first @ m[1]
        return new

    def _products(self, jacobians: Series) -> Series:
        """P_c of a group's chunks, (C, d, d) and (C, d k, d)."""
        first = jacobians[0]
        assert first is not None  # a Jacobian's value is an array
        length, chunks, d, _ = first.shape
        h = self.ops.zeros((chunks, d, self._coefficients * d))
        for j, c in enumerate(jacobians):
            if c is not None:
                wide = self.ops.reshape(c[0, ...], (chunks, d, -1))
                h[..., j * d : j * d + wide.shape[-1]] = wide
        for step in range(1, length):
            h = self._forward([None if c is None else c[step, ...] for c in jacobians], h)
        if self.batch:
            return h[..., :d], self.ops.reshape(h[..., d:], (chunks, -1, d))
        return tuple(self.ops.contiguous(h[..., j * d : (j + 1) * d]) for j in range(len(jacobians)))

    def _starts(self, chunks: Series) -> tuple[Array, Array]:
        """H_1, ..., H_C as (C, d, q d), and F = H_{C+1}."""
        d, order = self.one.shape[0], range(_length(chunks))
        one = self.ops.concatenate([self.one, self.ops.zeros((d, (self._coefficients - 1) * d))], -1)
        starts = self._through(one, order, chunks, self._forward)
        last = [None if a is None else a[order[-1], ...] for a in chunks]
        return starts, self._forward(last, starts[order[-1], ...])

    def _ends(self, chunks: Series, b: Array) -> Array:
        """The cotangents, as rows, at the chunks' ends, from that at the network's."""
        return self._through(b, range(_length(chunks) - 1, -1, -1), chunks, self._backward)

    def _through(self, h: Array, places: range, factors: Series, step: Callable[..., Array]) -> Array:
        """A stream before it is multiplied by the factor of each place, along a new first axis."""
        found = self.ops.empty((len(places), *h.shape))
        found[places[0], ...] = h
        for here, following in pairwise(places):
            at = [None if a is None else a[here, ...] for a in factors]
            new = step(at, found[here, ...], found[following, ...])
            if not self.ops.writes_out:
                found[following, ...] = new
        return found

    def _weights(
        self, group: Group, jacobians: Series, h: Array, b: Array, coefficient: int, found: Mapping[str, Array]
    ) -> None:
        """A group's part of the weights' cotangents, from the streams at its chunks' starts and ends."""
        states = self._through(h, range(group.length), jacobians, self._forward)
        rows = self._through(b, range(group.length - 1, -1, -1), jacobians, self._backward)
        count = group.length
        needed = self._needed()
        for chunks in self._portions(group):
            values, slopes = self._read(needed, group, chunks)
            h, b = (self.ops.permute(a[:, chunks, ...], (1, 0, 2, 3)) for a in (states, rows))
            cotangent = self.algebra.transpose(self._gram(h, b))
            collected = adjoint(self.program, self.algebra, values, slopes, cotangent)
            units = slice(group.first + chunks.start * count, group.first + chunks.stop * count)
            for weight, name in self.program.unit.names.items():
                total = found[name][..., units, :, :]
                total[...] = self._dense(collected[weight][coefficient], tuple(total.shape))

    def _gram(self, h: Array, b: Array) -> Series:
        """(h_0 b_0, h_0 b_1 + h_1 b_0) for all units, as a series of shape ([k,] units, d, d)."""
        chunks, length, _, d = b.shape
        h0, b0 = h[..., :d], b[..., :d, :]
        products = [h0 @ b0]
        if b.shape[-2] > d:
            h1, b1 = h[..., d:], b[..., d:, :]
            if self.batch:
                h1 = self.ops.permute(self.ops.reshape(h1, (chunks, length, d, -1, d)), (3, 0, 1, 2, 4))
                b1 = self.ops.permute(self.ops.reshape(b1, (chunks, length, -1, d, d)), (2, 0, 1, 3, 4))
            products.append(h0 @ b1 + h1 @ b0)
        return tuple(self.ops.reshape(p, (*p.shape[:-4], chunks * length, d, d)) for p in products)

    def _dense(self, a: Array | None, shape: tuple[int, ...]) -> Array:
        if a is None:
            return self.ops.zeros(shape)
        return a if tuple(a.shape) == shape else self.ops.xp.broadcast_to(a, shape)


GRANTED = 2**26
"""Bytes of a group's values when only the output is wanted."""

CHUNK_ARRAYS = 5
"""Arrays with a stream or product for every chunk: products twice while they are joined, starts, ends, one besides."""

CACHE = 2**22
"""Bytes of what is made of a few units at a time."""


def _length(factors: Series) -> int:
    first = factors[0]
    assert first is not None  # a product's value is an array
    return int(first.shape[0])


def _joined(ops: Ops, series: Sequence[Series]) -> Series:
    return tuple(
        None if arrays[0] is None else _concatenated(ops, list(arrays), 0) for arrays in zip(*series, strict=True)
    )


def _concatenated(ops: Ops, arrays: list[Array], axis: int) -> Array:
    return arrays[0] if len(arrays) == 1 else ops.concatenate(arrays, axis)
