"""A network unit by unit, forward and back: any unit, any loss.

A network is a sequence of parts, each so many equal units with weights of their own: R units are one part, a stem,
units and a head are several. The way back needs every unit's values. Where those do not fit in the memory that is
granted, only the streams at the starts of about sqrt(R) segments are kept and each segment is run again on the way
back; where even one segment does not fit, the samples are taken in portions, whose cotangents add up (the loss is a
mean over samples).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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

Portion: TypeAlias = tuple[object, ...]
"""An index that takes some of the samples out of X, which has an axis for them in front."""

Slope: TypeAlias = Callable[[Series, Portion], Series]
"""The loss's derivative by the output of these samples, as a series."""

Cotangents: TypeAlias = list[dict[str, Array]]
"""Of every part the cotangents of its weights by name, ([k,] units, rows, columns)."""

_Record: TypeAlias = tuple[dict[Expression, Series], dict[Expression, Series]]

PORTION = 1024
"""Samples that are taken together at least where all units are kept: fewer would only cost time."""

AT_WORK = 4
"""Units' worth of values that come and go while one unit is worked on."""


@dataclass(frozen=True, slots=True)
class Part:
    """So many equal units: their program, and the series of their weights, (units, [k,] 1, rows, columns)."""

    program: Program
    weights: Mapping[Weight, tuple[Array, ...]]
    units: int

    @staticmethod
    def of(program: Program, weights: Mapping[Weight, tuple[Array, ...]], units: int) -> Part:
        """The part with weights of shape ([k,] units, rows, columns)."""
        first = {w: tuple(_units_first(program.ops, a) for a in each) for w, each in weights.items()}
        return Part(program, first, units)

    def series(self, unit: int, order: int) -> dict[Weight, Series]:
        """The series w + t v of one unit's weights."""
        return {
            weight: (*(part[unit, ...] for part in parts), *[None] * (order + 1 - len(parts)))[: order + 1]
            for weight, parts in self.weights.items()
        }


def _units_first(ops: Ops, a: Array) -> Array:
    """([k,] R, rows, columns) as (R, [k,] 1, rows, columns), so that one index takes a unit out."""
    return (ops.permute(a, (1, 0, 2, 3)) if len(a.shape) == 4 else a)[..., None, :, :]


@dataclass(frozen=True, slots=True)
class Run:
    """The parts of a network at w + t v; `batch` are the axes in front of a tangent."""

    parts: Sequence[Part]
    algebra: FloatSeries
    batch: tuple[int, ...]

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.algebra.ops

    @property
    def program(self) -> Program:
        """That of the first part."""
        return self.parts[0].program

    @property
    def last(self) -> Program:
        """That of the last part."""
        return self.parts[-1].program

    @property
    def units(self) -> int:
        """The number R of all units."""
        return sum(part.units for part in self.parts)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Every unit in order, as the number of its part and its own in there."""
        return [(k, unit) for k, part in enumerate(self.parts) for unit in range(part.units)]

    def entering(self, x: Array) -> Series:
        """The data as a series."""
        return (x, *[None] * self.algebra.order)

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        return self._stream(self.entering(x), self.places)

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[Cotangents, Array]:
        """One coefficient of the cotangents of the weights, and of X."""
        front = self.batch if coefficient else ()
        totals = [self._zeros(part, front) for part in self.parts]
        back: list[Array] = []
        for portion in self._portions(memory):
            part = x[portion]
            cotangent = self._sweep(self.entering(part), slope, portion, coefficient, memory, totals)
            back.append(dense(self.ops, cotangent[coefficient], (*front, *part.shape)))
        axis = -len(x.shape) if self._mixes else -1
        return totals, back[0] if len(back) == 1 else self.ops.concatenate(back, axis)

    def _zeros(self, part: Part, front: tuple[int, ...]) -> dict[str, Array]:
        names = part.program.unit.names.items()
        return {name: self.ops.zeros((*front, part.units, *part.program.matrix(weight))) for weight, name in names}

    def first_fault(self, x: Array) -> int | None:
        """The place of the first unit whose output or its tangent is not finite."""
        h = self.entering(x)
        for number, place in enumerate(self.places):
            h = self._stream(h, [place])
            if not all(a is None or is_finite(self.ops, a) for a in h):
                return number
        return None

    def _stream(self, h: Series, places: Sequence[tuple[int, int]]) -> Series:
        """The stream behind these units."""
        for k, unit in places:
            part = self.parts[k]
            h = forward(part.program, self.algebra, h, part.series(unit, self.algebra.order))[part.program.root]
        return h

    def _sweep(
        self, h: Series, slope: Slope, portion: Portion, coefficient: int, memory: int, totals: Cotangents
    ) -> Series:
        """Forward through all units, then back: the cotangent of the input; the weights' are added to the totals."""
        x, places = h[0], self.places
        assert x is not None  # a stream's value is an array
        segment = self.segment(int(x.shape[0 if self._mixes else -1]), memory)
        firsts = range(0, len(places), segment)
        starts: list[Series] = []
        for first in firsts[:-1]:
            starts.append(h)
            h = self._stream(h, places[first : first + segment])
        h, kept = self._recorded(h, places[firsts[-1] :])
        cotangent = slope(h, portion)
        for first in reversed(firsts):
            some = places[first : first + segment]
            if first < firsts[-1]:
                _, kept = self._recorded(starts.pop(), some)
            for k, unit in reversed(some):
                run = self.parts[k].program
                highest = coefficient == self.algebra.order
                collected = adjoint(run, self.algebra, *kept.pop(), cotangent, highest=highest)
                cotangent = collected[the_input(run.root)]
                for weight, name in run.unit.names.items():
                    c = collected[weight][coefficient]
                    if c is not None:
                        totals[k][name][..., unit, :, :] += c[..., 0, :, :]
        return cotangent

    def _recorded(self, h: Series, places: Sequence[tuple[int, int]]) -> tuple[Series, list[_Record]]:
        """One segment forward, with what the adjoint needs."""
        kept: list[_Record] = []
        for k, unit in places:
            run = self.parts[k].program
            values, slopes = forward_with_slopes(run, self.algebra, h, self.parts[k].series(unit, self.algebra.order))
            h = values[run.root]
            kept.append(({node: values[node] for node in run.kept}, slopes))
        return h, kept

    # Memory.

    @property
    def _mixes(self) -> bool:
        return self.program.unit.mixes_columns

    def segment(self, samples: int, memory: int) -> int:
        """How many units' values are kept at once: all where they fit, else as many as take the least."""
        return self.units if samples * self.bytes_kept * self.units <= memory else self._fewest

    @property
    def _fewest(self) -> int:
        """Units S of a segment where the least is kept: R / S streams and S units' values, S^2 = R stream / values."""
        return max(math.isqrt(self.units * self._bytes_stream // self.bytes_kept), 1)

    @property
    def _coefficients(self) -> int:
        return 1 + math.prod(self.batch) * self.algebra.order

    @property
    def _bytes_stream(self) -> int:
        """Bytes a sample of one stream, the widest."""
        entries = max(math.prod(part.program.shapes[part.program.root]) for part in self.parts)
        return 8 * entries * self._coefficients // self.program.samples + 1

    @property
    def bytes_least(self) -> int:
        """Bytes a sample where streams are kept at the starts of segments."""
        starts = -(-self.units // self._fewest)
        return starts * self._bytes_stream + (self._fewest + AT_WORK) * self.bytes_kept

    @property
    def bytes_kept(self) -> int:
        """Bytes a sample and a unit, that of most, whose values the adjoint needs."""
        return (
            8
            * max(map(_entries_kept, {part.program for part in self.parts}))
            * self._coefficients
            // (self.program.samples)
            + 1
        )

    def _portions(self, memory: int) -> Iterator[Portion]:
        """The samples in equal portions: all units fit where portions stay wide, else a segment does.

        Raises:
            OutOfMemoryError: not even one sample fits.
        """
        samples = self.program.samples
        together = memory // (self.bytes_kept * self.units)
        if together < PORTION:
            together = memory // self.bytes_least
        if not together:
            raise OutOfMemoryError(
                f"1 samples through {self.units} units need {in_bytes(self.bytes_least)} at a time; "
                f"memory allows {in_bytes(memory)}"
            )
        size = -(-samples // -(-samples // together))
        for first in range(0, samples, size):
            some = slice(first, min(first + size, samples))
            yield (some, ...) if self._mixes else (..., some)


def _entries_kept(run: Program) -> int:
    """Numbers of one unit that its adjoint needs."""
    kept = [n for n in run.kept if n in run.active and not isinstance(n, Weight | Constant)]
    slopes = [n for n in run.order if isinstance(n, Apply | Normalize)]
    return sum(math.prod(run.shapes[n]) for n in (*kept, *slopes))
