"""The scan over depth on a GPU, where units are linear and narrow: a tree of products, one kernel for each level.

The Jacobians M_r of all units are read at once, stretches of `LENGTH` are multiplied up, each by a block of threads,
and so are their products, until one is left: F. Back the same way: from the cotangent g X^T of F, with g the loss's
gradient at F X, to those of its factors, and down to the M_r, whence the weights' by the unit's own adjoint. For 10^6
units that is four kernels and four times `LENGTH` steps each way.

Matrix products of series are one kernel each as well (`SeriesProducts`), for as many units as there are.

Units are taken in groups that fit the memory; with more than one, all but the last are read again on the way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from resproof.numeric.backend import Array, Ops
from resproof.numeric.limits import OutOfMemoryError, in_bytes
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.fused import AT_ONCE, Launch, on_gpu
from resproof.numeric.network.kernel import Kernel
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Slope, UnitByUnit
from resproof.numeric.network.scan import Scan, UnitsRead
from resproof.numeric.network.scan_kernel import LENGTH, fits, product_kernel, tree_kernels
from resproof.numeric.network.series import Series, dense

THREADS = 256
"""Threads of a block, where each works by itself."""


def is_tree(scan: Scan) -> bool:
    """Whether the arrays lie on a GPU, and a block of threads holds the products of two series of matrices."""
    return scan.ops.library == "cupy" and not scan.batch and fits(scan.width, scan.algebra.order)


def scan_tree(scan: Scan, launch: Launch = on_gpu) -> ScanTree:
    """The scan as a tree of products."""
    return ScanTree(replace(scan, algebra=replace(scan.algebra, products=SeriesProducts(scan.ops, launch))), launch)


@dataclass(frozen=True, slots=True)
class SeriesProducts:
    """c_k = sum_j a_j b_{k-j} for all units at once, k from a lowest one on; None where an array has further axes."""

    ops: Ops
    launch: Launch = field(compare=False)

    def __call__(self, a: Series, b: Series, lowest: int) -> Series | None:
        """The product of two series of matrices, (rows, columns) or (units, rows, columns)."""
        pairs = tuple(
            (j, k)
            for j, x in enumerate(a)
            for k, y in enumerate(b)
            if x is not None and y is not None and lowest <= j + k < len(a)
        )
        left, right = [a[j] for j in sorted({j for j, _ in pairs})], [b[k] for k in sorted({k for _, k in pairs})]
        one, two = _layout(left), _layout(right)
        if one is None or two is None:
            return None
        rows, columns = one.rows, two.columns
        count, front = max(one.units, two.units, 1), (max(one.units, two.units),) if one.units or two.units else ()
        found = {n: self.ops.empty((*front, rows, columns)) for n in sorted({j + k for j, k in pairs})}
        sizes = (count, rows, one.columns, columns, *one.strides, *two.strides)
        arguments = [*map(np.int32, sizes), *left, *right, *found.values()]
        self.launch(product_kernel(pairs), -(-count * rows * columns // THREADS), THREADS, arguments)
        return tuple(found.get(n) for n in range(len(a)))


class _Layout(NamedTuple):
    """Matrices, for each of some units or (0) one for all, and how far apart units, rows and columns are."""

    units: int
    rows: int
    columns: int
    strides: tuple[int, ...]


def _layout(arrays: Sequence[Array]) -> _Layout | None:
    """That of all these arrays; None where they differ in it, have further axes, or are none."""
    shapes = {(tuple(map(int, a.shape)), tuple(int(s) // 8 for s in a.strides)) for a in arrays}
    if len(shapes) != 1:
        return None
    ((shape, strides),) = shapes
    if not 2 <= len(shape) <= 3:
        return None
    apart = [0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)]
    return _Layout(shape[0] if len(shape) == 3 else 0, shape[-2], shape[-1], tuple([0, *apart][-3:]))


class _Level(NamedTuple):
    """Factors, (n, d, d) for each coefficient, and what stands before each in its product, (K + 1, n, d, d)."""

    factors: Sequence[Array]
    before: Array


class _Group(NamedTuple):
    """Some units as they were read, and their products, (K + 1, n, d, d)."""

    read: UnitsRead
    level: _Level
    products: Array


@dataclass(frozen=True, slots=True)
class ScanTree:
    """A scan of units of small width, without a batch."""

    scan: Scan
    launch: Launch = field(default=on_gpu, compare=False)

    @property
    def program(self) -> Program:
        """The unit on the identity."""
        return self.scan.program

    @property
    def units(self) -> int:
        """The number R of units."""
        return self.scan.units

    @property
    def batch(self) -> tuple[int, ...]:
        """No axes in front of a tangent."""
        return ()

    @property
    def by_unit(self) -> UnitByUnit:
        """The same network one unit after the other."""
        return self.scan.by_unit

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.scan.ops

    def otherwise(self) -> Engine | None:
        """That on the samples: a product of Jacobians may overflow where the stream itself does not."""
        return self.scan.otherwise()

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        groups = self.groups(max(AT_ONCE, self.least))
        whole = self._up(self._joined(self._read(units).products for units in groups))[1]
        return self.scan.algebra.matmul(whole, self.scan.constant(x))

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """One coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        scan, algebra, data = self.scan, self.scan.algebra, self.scan.constant(x)
        groups = self.groups(memory)
        at_hand: dict[int, _Group] = {}

        def product(units: slice) -> Array:
            at_hand.clear()
            at_hand[units.start] = found = self._read(units)
            return found.products

        levels, whole = self._up(self._joined(map(product, groups)))
        cotangent = slope(algebra.matmul(whole, data), (slice(None), slice(None)))
        of_product = self._packed(algebra.matmul(cotangent, algebra.transpose(data)))
        for level in reversed(levels):
            of_product = self._down(level, of_product)
        found = scan.room_for_weights(())
        for units in reversed(groups):
            group = at_hand.pop(units.start, None) or self._read(units)
            first = units.start // LENGTH
            some = of_product[:, first : first + int(group.products.shape[1]), ...]
            of_units = self._down(group.level, self.ops.contiguous(some))
            scan.collect(group.read, tuple(of_units), coefficient, units, found)
        back = algebra.matmul(algebra.transpose(whole), cotangent)[coefficient]
        return found, dense(self.ops, back, tuple(x.shape))

    # Memory.

    def groups(self, memory: int) -> list[slice]:
        """The units in groups whose values fit, of whole stretches.

        Raises:
            OutOfMemoryError: one stretch does not fit.
        """
        if memory < self.least:
            raise OutOfMemoryError(
                f"the scan over {self.units} units needs {in_bytes(self.least)} at a time; "
                f"memory allows {in_bytes(memory)}"
            )
        together = (memory - self._bytes_products) // (LENGTH * self._bytes_unit) * LENGTH
        return [slice(first, min(first + together, self.units)) for first in range(0, self.units, together)]

    @property
    def least(self) -> int:
        """Bytes of one stretch and of all products."""
        return LENGTH * self._bytes_unit + self._bytes_products

    @property
    def _bytes_unit(self) -> int:
        return self.scan.bytes_passing + self.scan.bytes_kept

    @property
    def _bytes_products(self) -> int:
        # A factor, what stands before it and its cotangent, on all levels above the units.
        return 2 * self.scan.bytes_kept * (1 + self.units // (LENGTH - 1))

    # The tree.

    def _read(self, units: slice) -> _Group:
        read = self.scan.read(self.program, units)
        shape = (units.stop - units.start, self.scan.width, self.scan.width)
        root = read.values[self.program.root]
        return _Group(read, *self._multiplied([self.ops.contiguous(dense(self.ops, c, shape)) for c in root]))

    def _up(self, products: Array) -> tuple[list[_Level], Series]:
        """The levels above these products, and the series of the one that is left."""
        levels: list[_Level] = []
        while products.shape[1] > 1:
            level, products = self._multiplied(tuple(products))
            levels.append(level)
        return levels, tuple(products[:, 0, ...])

    def _multiplied(self, factors: Sequence[Array]) -> tuple[_Level, Array]:
        count, (kernel, _) = int(factors[0].shape[0]), self._kernels
        before, products = self._room(count), self._room(-(-count // LENGTH))
        self.launch(kernel, -(-count // LENGTH), kernel.lanes, [np.int32(count), before, products, *factors])
        return _Level(factors, before), products

    def _down(self, level: _Level, cotangent: Array) -> Array:
        """The factors' cotangents from those of their products."""
        count, (_, kernel) = int(level.before.shape[1]), self._kernels
        found = self._room(count)
        arguments = [np.int32(count), level.before, cotangent, found, *level.factors]
        self.launch(kernel, -(-count // LENGTH), kernel.lanes, arguments)
        return found

    @property
    def _kernels(self) -> tuple[Kernel, Kernel]:
        return tree_kernels(self.scan.width, self.scan.algebra.order)

    def _room(self, count: int) -> Array:
        return self.ops.empty((1 + self.scan.algebra.order, count, self.scan.width, self.scan.width))

    def _packed(self, series: Series) -> Array:
        """A series of one matrix as (K + 1, 1, d, d)."""
        shape = (self.scan.width, self.scan.width)
        return self.ops.xp.stack([dense(self.ops, c, shape) for c in series])[:, None, ...]

    def _joined(self, products: Iterable[Array]) -> Array:
        found = list(products)
        return found[0] if len(found) == 1 else self.ops.concatenate(found, 1)
