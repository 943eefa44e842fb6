"""How the scan over depth keeps its series in memory, so that a step is few products and hardly any sum.

M is a unit's Jacobian or the product of a chunk's, h what such factors are multiplied to from the left, b what they are
multiplied to from the right, a cotangent as rows; all are series of d x d matrices, and any axes may stand in front.
`Factors` is M as the tuple of its arrays.

Stacked, coefficients 0..K. The product of series is the product of block Toeplitz matrices, so that with

    M = [M_0          ]       h = [h_0]       b = [b_K ... b_1 b_0]
        [M_1 M_0      ]           [h_1]
        [ :       .   ]           [ : ]
        [M_K ... M_0  ]           [h_K]

M h and b M are one product each. Of orders beyond 1, which go forward only, the last row of M is kept alone: its last
j + 1 blocks times the first j + 1 of h are coefficient j.

Abreast, a value and a block of k tangents: M_0 (d, d), M_1 (d, k, d), h = [h_0 h_1^1 ... h_1^k] and
b = [b_0; b_1^1; ...; b_1^k]. M_0 meets all coefficients of h at once, and all M_1 together meet the value h_0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from resproof.numeric.backend import Array, Ops
from resproof.numeric.network.series import Series, dense

Factors: TypeAlias = tuple[Array, ...]
"""The arrays that hold M, all with the same axes in front."""


@dataclass(frozen=True, slots=True)
class Stacked:
    """Coefficients 0, ..., `order` in block Toeplitz matrices."""

    ops: Ops
    width: int
    order: int

    @property
    def entries(self) -> int:
        """Numbers in M, h and b."""
        return (self._rows + 2) * (self.order + 1) * self.width**2

    @property
    def _rows(self) -> int:
        """How many rows of blocks there are of M."""
        return self.order + 1 if self.order < 2 else 1

    def _blocks(self, first: int, count: int = 1) -> slice:
        return slice(first * self.width, (first + count) * self.width)

    def room(self, *front: int) -> Factors:
        """Arrays for M, yet to be filled."""
        return (self.ops.empty((*front, self._rows * self.width, (self.order + 1) * self.width)),)

    def fill(self, factors: Factors, place: tuple[slice, ...], m: Series) -> None:
        """Write the series of M in some place of the axes in front."""
        above = self.order + 1 - self._rows
        for i, j in product(range(self._rows), range(self.order + 1)):
            c = m[above + i - j] if above + i >= j else None
            factors[0][(*place, ..., self._blocks(i), self._blocks(j))] = 0.0 if c is None else c

    def stream(self, h: Series) -> Array:
        """h from its series."""
        return self.ops.concatenate([dense(self.ops, c, _shape(h)) for c in h], -2)

    def rows(self, b: Series) -> Array:
        """b from its series."""
        return self.ops.concatenate([dense(self.ops, c, _shape(b)) for c in reversed(b)], -1)

    def forward(self, m: Factors, h: Array, out: Array | None = None) -> Array:
        """M h."""
        if self._rows > self.order:
            return self.ops.matmul(m[0], h, out)
        d, new = self.width, self.ops.empty(tuple(h.shape)) if out is None else out
        for end in range(d, h.shape[-2] + d, d):
            _ = self.ops.matmul(m[0][..., -end:], h[..., :end, :], new[..., end - d : end, :])
        return new

    def backward(self, m: Factors, b: Array, out: Array | None = None) -> Array:
        """B M, at orders 0 and 1."""
        return self.ops.matmul(b, m[0], out)

    def series_of_stream(self, h: Array) -> Series:
        """The series of h."""
        return tuple(h[..., self._blocks(j), :] for j in range(self.order + 1))

    def series_of_rows(self, b: Array) -> Series:
        """The series of b."""
        return tuple(b[..., self._blocks(self.order - j)] for j in range(self.order + 1))


@dataclass(frozen=True, slots=True)
class Abreast:
    """A value and `tangents` tangents, a leading axis of the first coefficient of a series."""

    ops: Ops
    width: int
    tangents: int

    @property
    def entries(self) -> int:
        """Numbers in M, h and b."""
        return 3 * (1 + self.tangents) * self.width**2

    def room(self, *front: int) -> Factors:
        """Arrays for M, yet to be filled."""
        d = self.width
        return self.ops.empty((*front, d, d)), self.ops.empty((*front, d, self.tangents, d))

    def fill(self, factors: Factors, place: tuple[slice, ...], m: Series) -> None:
        """Write the series of M in some place of the axes in front."""
        value, tangents = m
        factors[0][(*place, ...)] = value
        # (k, ..., d, d) to (..., d, k, d).
        factors[1][(*place, ...)] = 0.0 if tangents is None else _moved(self.ops, tangents, 0, -2)

    def stream(self, h: Series) -> Array:
        """h from its series."""
        (value, tangents), (*front, d, _) = h, _shape(h)
        beside = _moved(self.ops, dense(self.ops, tangents, (self.tangents, *front, d, d)), 0, -2)
        return self.ops.concatenate([value, self.ops.reshape(beside, (*front, d, -1))], -1)

    def rows(self, b: Series) -> Array:
        """b from its series."""
        (value, tangents), (*front, d, _) = b, _shape(b)
        below = _moved(self.ops, dense(self.ops, tangents, (self.tangents, *front, d, d)), 0, -3)
        return self.ops.concatenate([value, self.ops.reshape(below, (*front, -1, d))], -2)

    def forward(self, m: Factors, h: Array, out: Array | None = None) -> Array:
        """M h."""
        d, (value, tangents), front = self.width, m, tuple(h.shape[:-2])
        new = self.ops.matmul(value, h, out)
        change = self.ops.reshape(tangents, (*front, -1, d)) @ h[..., :d]
        beside = new[..., d:]
        beside += self.ops.reshape(change, (*front, d, -1))
        return new

    def backward(self, m: Factors, b: Array, out: Array | None = None) -> Array:
        """B M."""
        d, (value, tangents), front = self.width, m, tuple(b.shape[:-2])
        new = self.ops.matmul(b, value, out)
        change = b[..., None, :d, :] @ _moved(self.ops, tangents, -2, -3)
        below = new[..., d:, :]
        below += self.ops.reshape(change, (*front, -1, d))
        return new

    def series_of_stream(self, h: Array) -> Series:
        """The series of h."""
        d, front = self.width, tuple(h.shape[:-2])
        beside = self.ops.reshape(h[..., d:], (*front, d, self.tangents, d))
        return h[..., :d], _moved(self.ops, beside, -2, 0)

    def series_of_rows(self, b: Array) -> Series:
        """The series of b."""
        d, front = self.width, tuple(b.shape[:-2])
        below = self.ops.reshape(b[..., d:, :], (*front, self.tangents, d, d))
        return b[..., :d, :], _moved(self.ops, below, -3, 0)


Streams: TypeAlias = Stacked | Abreast
"""A layout."""


def _shape(a: Series) -> tuple[int, ...]:
    value = a[0]
    assert value is not None  # the value is an array
    return tuple(value.shape)


def _moved(ops: Ops, a: Array, source: int, target: int) -> Array:
    """An axis moved, as in numpy.moveaxis."""
    rank = len(a.shape)
    axes = [axis for axis in range(rank) if axis != source % rank]
    axes.insert(target % rank, source % rank)
    return ops.permute(a, tuple(axes))
