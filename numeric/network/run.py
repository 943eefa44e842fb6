"""A network unit by unit, forward and back: any unit, any loss.

The way back needs every unit's values. Where those do not fit in the memory that is granted, only the streams at the
starts of about sqrt(R) segments are kept and each segment is run again on the way back; where even one segment does
not fit, the samples are taken in portions, whose cotangents add up (the loss is a mean over samples).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from resproof.architectures.nodes import Apply, Constant, Expression, Normalize, Weight
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Array, Ops
from resproof.numeric.limits import OutOfMemoryError, in_bytes, is_finite
from resproof.numeric.network.evaluate import forward, forward_with_slopes
from resproof.numeric.network.program import Program
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.series import FloatSeries, Series, dense

Portion: TypeAlias = tuple[slice, ...]
"""An index that takes some of the samples out of X."""

Slope: TypeAlias = Callable[[Series, Portion], Series]
"""The loss's derivative by the output of these samples, as a series."""

_Record: TypeAlias = tuple[dict[Expression, Series], dict[Expression, Series]]

PORTION = 1024
"""Samples that are taken together at least where all units are kept: fewer would only cost time."""

LEAST = 1
"""Samples that are taken together at least."""

AT_WORK = 4
"""Units' worth of values that come and go while one unit is worked on."""


@dataclass(frozen=True, slots=True)
class UnitByUnit:
    """A network's program and the series of its weights, units first; `batch` are the axes in front of a tangent."""

    program: Program
    algebra: FloatSeries
    units: int
    parts: Mapping[Weight, tuple[Array, ...]]
    batch: tuple[int, ...]

    @staticmethod
    def of(
        program: Program,
        algebra: FloatSeries,
        units: int,
        parts: Mapping[Weight, tuple[Array, ...]],
        batch: tuple[int, ...],
    ) -> UnitByUnit:
        """The run with weights of shape ([k,] R, rows, columns)."""
        mixes = program.rank == 3
        first = {w: tuple(_units_first(program.ops, a, mixes) for a in arrays) for w, arrays in parts.items()}
        return UnitByUnit(program, algebra, units, first, batch)

    @property
    def by_unit(self) -> UnitByUnit:
        """This one."""
        return self

    def otherwise(self) -> None:
        """No other way: what is not finite here is not finite in the network."""

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        return self._stream((x, *[None] * self.algebra.order), 0, self.units)

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """One coefficient of the cotangents of the weights, ([k,] R, rows, columns), and of X."""
        totals: dict[str, Array] = {}
        back: list[Array] = []
        for portion in self._portions(x, memory):
            part = x[(*portion, ...)]
            cotangent, found = self._sweep((part, *[None] * self.algebra.order), slope, portion, coefficient, memory)
            for name, array in found.items():
                totals[name] = totals[name] + array if name in totals else array
            back.append(self._dense(cotangent[coefficient], coefficient, tuple(part.shape)))
        return totals, back[0] if len(back) == 1 else self.program.ops.concatenate(
            back, -1 if self.program.rank == 2 else -len(x.shape)
        )

    def first_fault(self, x: Array) -> int | None:
        """The number, from 1, of the first unit whose output or its tangent is not finite."""
        h: Series = (x, *[None] * self.algebra.order)
        for unit in range(self.units):
            h = self._stream(h, unit, unit + 1)
            if not all(a is None or is_finite(self.program.ops, a) for a in h):
                return unit + 1
        return None

    def weights(self, unit: int) -> dict[Weight, Series]:
        """The series w + t v of one unit's weights."""
        order = self.algebra.order
        return {
            weight: (*(part[unit, ...] for part in parts), *[None] * (order + 1 - len(parts)))[: order + 1]
            for weight, parts in self.parts.items()
        }

    def _stream(self, h: Series, first: int, stop: int) -> Series:
        """The output of unit `stop` - 1 from the input of unit `first`."""
        for unit in range(first, stop):
            h = forward(self.program, self.algebra, h, self.weights(unit))[self.program.root]
        return h

    def _sweep(
        self, h: Series, slope: Slope, portion: Portion, coefficient: int, memory: int
    ) -> tuple[Series, dict[str, Array]]:
        """Forward through all units, then back: the cotangents of the input and of every unit's weights."""
        x = h[0]
        assert x is not None  # a stream's value is an array
        samples = int(x.shape[0 if self.program.rank == 3 else 1])
        segment = self.segment(samples, memory)
        starts: list[Series] = []
        firsts = range(0, self.units, segment)
        for first in firsts[:-1]:
            starts.append(h)
            h = self._stream(h, first, first + segment)
        h, kept = self._recorded(h, firsts[-1], self.units)
        cotangent = slope(h, portion)
        found: dict[str, list[Array | None]] = {name: [] for name in self.program.unit.names.values()}
        while True:
            cotangent = self._back(kept, cotangent, found, coefficient)
            if not starts:
                return cotangent, {name: self._stacked(arrays, name, coefficient) for name, arrays in found.items()}
            first = firsts[len(starts) - 1]
            _, kept = self._recorded(starts.pop(), first, first + segment)

    def segment(self, samples: int, memory: int) -> int:
        """How many units' values are kept at once: all where they fit, else as many as take the least."""
        return self.units if samples * self.bytes_kept * self.units <= memory else self._fewest

    @property
    def _fewest(self) -> int:
        return fewest_kept(self.units, self._bytes_stream, self.bytes_kept)

    @property
    def _bytes_stream(self) -> int:
        """Bytes a sample of one stream."""
        run = self.program
        entries = math.prod(run.shapes[run.root])
        return 8 * entries * (1 + math.prod(self.batch) * self.algebra.order) // run.samples + 1

    @property
    def bytes_least(self) -> int:
        """Bytes a sample where streams are kept at the starts of segments."""
        starts = -(-self.units // self._fewest)
        return starts * self._bytes_stream + (self._fewest + AT_WORK) * self.bytes_kept

    @property
    def bytes_kept(self) -> int:
        """Bytes a sample and a unit whose values the adjoint needs."""
        run = self.program
        kept = [n for n in run.kept if n in run.active and not isinstance(n, Weight | Constant)]
        slopes = [n for n in run.order if isinstance(n, Apply | Normalize)]
        entries = sum(math.prod(run.shapes[n]) for n in (*kept, *slopes))
        return 8 * entries * (1 + math.prod(self.batch) * self.algebra.order) // run.samples + 1

    def _portions(self, x: Array, memory: int) -> Iterator[Portion]:
        """The samples in equal portions: all units fit where portions stay wide, else a segment does.

        Raises:
            OutOfMemoryError: not even a few samples fit.
        """
        samples = int(x.shape[0 if self.program.rank == 3 else 1])
        together = memory // (self.bytes_kept * self.units)
        if together < PORTION:
            together = memory // self.bytes_least
        least = min(samples, LEAST)
        if together < least:
            raise OutOfMemoryError(
                f"{least} samples through {self.units} units need {in_bytes(least * self.bytes_least)} at a time; "
                f"memory allows {in_bytes(memory)}"
            )
        count = -(-samples // together)
        size = -(-samples // count)
        for first in range(0, samples, size):
            some = slice(first, min(first + size, samples))
            yield (some,) if self.program.rank == 3 else (slice(None), some)

    def _recorded(self, h: Series, first: int, stop: int) -> tuple[Series, list[_Record]]:
        """One segment forward, with what the adjoint needs."""
        run, kept = self.program, []
        for unit in range(first, stop):
            values, slopes = forward_with_slopes(run, self.algebra, h, self.weights(unit))
            h = values[run.root]
            kept.append(({node: values[node] for node in run.kept}, slopes))
        return h, kept

    def _back(
        self, kept: list[_Record], cotangent: Series, found: dict[str, list[Array | None]], coefficient: int
    ) -> Series:
        """One segment back; the weights' cotangents are appended to `found`, last unit first."""
        source = the_input(self.program.root)
        while kept:
            highest = coefficient == self.algebra.order
            collected = adjoint(self.program, self.algebra, *kept.pop(), cotangent, highest=highest)
            cotangent = collected[source]
            for weight, name in self.program.unit.names.items():
                found[name].append(collected[weight][coefficient])
        return cotangent

    def _dense(self, a: Array | None, coefficient: int, shape: tuple[int, ...]) -> Array:
        return self.program.ops.zeros((*(self.batch if coefficient else ()), *shape)) if a is None else a

    def _stacked(self, last_first: list[Array | None], name: str, coefficient: int) -> Array:
        """All units' cotangents of a weight as one array."""
        ops = self.program.ops
        weight = next(w for w, n in self.program.unit.names.items() if n == name)
        shape = (*(self.batch if coefficient else ()), *self.program.matrix(weight))
        parts = [dense(ops, self._flat(a), shape) for a in reversed(last_first)]
        return ops.xp.stack(parts, axis=-3)

    def _flat(self, a: Array | None) -> Array | None:
        # Drops the sample axis of length 1.
        return a if a is None or self.program.rank == 2 else a[..., 0, :, :]


def fewest_kept(units: int, stream: int, values: int) -> int:
    """Units S of a segment where the least is kept: R / S streams and S units' values, at S^2 = R stream / values."""
    return max(math.isqrt(units * stream // values), 1)


def _units_first(ops: Ops, a: Array, mixes: bool) -> Array:
    """([k,] R, rows, columns) as (R, [k,] [1,] rows, columns), so that one index takes a unit out."""
    moved = ops.permute(a, (1, 0, 2, 3)) if len(a.shape) == 4 else a
    return moved[..., None, :, :] if mixes else moved
