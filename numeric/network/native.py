"""A network by tiles of samples through a compiled library, several tiles at a time.

As `sample_tiles`, with the operations of a unit played by the library (`kernels.c`) for all units of a segment, outside
the interpreter and its lock: a thread for each core takes a tile forward and back. The cotangents of the weights of a
segment are added up in the order of the tiles, so that the result is the same whichever thread is the faster.

A linear network needs no samples. With F its matrix, f(X) = F X, and g the loss's gradient there, the cotangents of the
weights are sums of q h^T over the samples, h = H X and q = B^T g with matrices H, B of the units before and behind: so
they are those on the d columns of the identity in place of X with the cotangent g X^T in place of g.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from threading import Condition
from typing import TypeAlias

import numpy as np

from resproof.architectures.nodes import Add, Expression, Multiply, Weight
from resproof.numeric.backend import Array
from resproof.numeric.limits import OutOfMemoryError
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.native_calls import NativeCalls, NativeTape, Shelf, StackPlace, places_of
from resproof.numeric.network.native_library import CompiledLibrary, library
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Portion, Slope, UnitByUnit
from resproof.numeric.network.sample_tiles import Tiles, streams_of
from resproof.numeric.network.scan import Scan
from resproof.numeric.network.series import Series, dense
from resproof.numeric.network.sweeps import SweepPlan
from resproof.numeric.network.tape import backward_tape, forward_tape, is_side, is_taped
from resproof.numeric.threads import cores, each

LEAST_WIDE, WIDE = 128, 256
"""Samples that are taken together, between these; for sums over samples that are long beside the rows, more."""

CACHE = 2**21
"""Bytes of a segment's values: a core's own cache."""

KEPT = 2**23
"""Bytes of the values of all units that are kept rather than computed again: what is near a core."""

ALONE = 2**22
"""Bytes of such values that one thread takes there and back in half a millisecond: another would hardly have begun."""


def native_library(program: Program) -> CompiledLibrary | None:
    """The library that plays this unit, where a compiler is at hand."""
    return library(node.activation for node in streams_of(program).activated)


@lru_cache(maxsize=16)
def is_played(program: Program) -> bool:
    """Whether the unit is taped, and what is added to a stream or multiplied with it is a column or a number."""
    beside = [
        o for node in program.order if isinstance(node, Add | Multiply) for o in (node.left, node.right) if is_side(o)
    ]
    return is_taped(program) and all(program.shapes[side][1] == 1 for side in beside)


@dataclass(frozen=True)
class Native(Tiles):
    """A run of a unit that the library knows, to order 0 or 1 and without a batch."""

    library: CompiledLibrary
    at_once: bool = False
    """Whether all columns go forward before the first goes back, for the loss asks for all of them."""

    @cached_property
    def parts(self) -> Mapping[Weight, tuple[np.ndarray, ...]]:
        """The weights' values and tangents, without gaps."""
        return {w: tuple(map(np.ascontiguousarray, arrays)) for w, arrays in self.run.parts.items()}

    @cached_property
    def places(self) -> Mapping[Weight, Sequence[int]]:
        """Where those lie."""
        return places_of(self.parts)

    # Memory.

    def together(self, samples: int) -> int:
        """Samples that are taken together: as many in every tile, and as many tiles as cores or a multiple."""
        if self.at_once:
            return samples
        return min(max(LEAST_WIDE, 4 * self.streams.widest), WIDE, samples)

    def columns(self, samples: int) -> int:
        """Columns that fill panels."""
        return -(-samples // self.library.panel) * self.library.panel

    def segments(self, tile: int, memory: int) -> range:
        """From as long as the cache takes to those of least need."""
        del memory  # the first that fits is taken
        cached = min(max(CACHE // (tile * self.bytes_unit), 1), self.units)
        if self._kept(tile) <= KEPT:
            cached = self.units
        step = 1 if cached < self.fewest else -1
        return range(cached, self.fewest + step, step)

    def _kept(self, tile: int) -> int:
        """Bytes of the values of all units."""
        return tile * self.bytes_unit * self.units

    def needed(self, tile: int, segment: int) -> int:
        """Bytes of a sweep: starts, a segment's values and cotangents, and what one unit is worked on with."""
        one, starts = 8 * self.depth * self.streams.rows, -(-self.units // segment)
        sides = 8 * sum(math.prod(self.program.shapes[weight]) for weight in self.program.unit.names)
        values = (starts + 2) * self.bytes_stream + segment * (self.bytes_unit + self.bytes_stream) + 2 * one
        return tile * values + segment * sides

    # The way there and back.

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """The highest coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        assert coefficient == self.run.algebra.order  # the only one that is written
        names, samples = self.program.unit.names, int(x.shape[1])
        plan, threads = self.shared(samples, memory)
        found = {name: np.zeros((self.units, *self.program.shapes[weight])) for weight, name in names.items()}
        lots = [_lot(self, plan) for _ in range(threads)]
        back, tiles = np.empty(x.shape), range(0, samples, plan.tile)
        for first in range(0, len(tiles), threads):
            cuts = [slice(start, min(start + plan.tile, samples)) for start in tiles[first : first + threads]]
            self._turn(list(zip(lots, cuts, range(threads), strict=False)), x, slope, found, back)
        if plan.needed <= 2 * KEPT:
            _spare(self.program, self.library, self.units, self.depth, plan).extend(lots)
        return found, back

    def _turn(self, now: Sequence[_Item], x: Array, slope: Slope, found: Mapping[str, np.ndarray], back: Array) -> None:
        """A tile for each thread there and back; threads meet between only where the loss asks for all columns."""
        turns = Turns()

        def forth(lot: _Lot, cut: slice, _: int) -> None:
            lot.forward(x[:, cut])

        def home(lot: _Lot, cut: slice, own: int) -> None:
            back[:, cut] = lot.back(found, turns, own)

        def whole(lot: _Lot, cut: slice, own: int) -> None:
            with turns.watched():
                forth(lot, cut, own)
                lot.close(slope(lot.leaving(), (slice(None), cut)))
                home(lot, cut, own)

        if self.at_once:
            _each(self, now, forth)
            _slopes(now, slope)
            _each(self, now, home)
        else:
            _each(self, now, whole)

    def shared(self, samples: int, memory: int) -> tuple[SweepPlan, int]:
        """The plan of each thread, and how many there are: as many as the memory allows.

        Raises:
            OutOfMemoryError: it does not allow one.
        """
        small = not self.at_once and samples <= self.together(samples) and self._kept(self.columns(samples)) <= ALONE
        threads = 1 if small else max(min(cores(self.program.ops), samples // self.library.panel), 1)
        while True:
            try:
                return self._plan_of(-(-samples // threads), memory // threads), threads
            except OutOfMemoryError:
                if threads == 1:
                    raise
                threads -= 1

    def _plan_of(self, samples: int, memory: int) -> SweepPlan:
        plan = self.plan(samples, memory)
        if self.at_once and plan.tile < samples:
            needed = self.needed(self.columns(samples), self.fewest)
            raise OutOfMemoryError(f"{samples} columns need {needed} bytes at a time; memory allows {memory}")
        return plan


@dataclass(slots=True)
class Turns:
    """The threads' turns at each segment, in the order of their numbers; none waits for one that has failed."""

    taken: Counter[int] = field(default_factory=Counter[int])
    condition: Condition = field(default_factory=Condition)
    failed: bool = False

    def take(self, number: int, own: int, work: Callable[[], None]) -> None:
        """The work, after those before this one have done theirs."""
        with self.condition:
            _ = self.condition.wait_for(lambda: self.taken[number] == own or self.failed)
            work()
            self.taken[number] += 1
            self.condition.notify_all()

    @contextmanager
    def watched(self) -> Generator[None, None, None]:
        """What fails within is told to those who wait."""
        try:
            yield
        except BaseException:
            with self.condition:
                self.failed = True
                self.condition.notify_all()
            raise


def _each(engine: Native, now: Sequence[_Item], work: Callable[[_Lot, slice, int], object]) -> None:
    each(engine.program.ops, lambda item: work(*item), [[item] for item in now])


def _slopes(now: Sequence[_Item], slope: Slope) -> None:
    """The cotangents of the outputs, of all columns at once."""
    whole = [np.concatenate(parts, axis=1) for parts in zip(*(lot.leaving() for lot, *_ in now), strict=True)]
    found = slope(tuple(whole), (slice(None), slice(None)))
    for lot, cut, _ in now:
        lot.close(tuple(None if a is None else a[:, cut] for a in found))


@lru_cache(maxsize=4)
def _spare(program: Program, library: CompiledLibrary, units: int, depth: int, plan: SweepPlan) -> list[_Lot]:
    """Lots that nobody uses: new memory and new records take longer than a small network."""
    del program, library, units, depth, plan  # they tell one list from another
    return []


def _lot(engine: Native, plan: SweepPlan) -> _Lot:
    """A lot for the weights of this run."""
    try:
        lot = _spare(engine.program, engine.library, engine.units, engine.depth, plan).pop()
    except IndexError:
        lot = _Lot.of(engine, plan)
    for tape in lot.tapes:
        tape.bind(engine.places)
    return lot


@dataclass(slots=True)
class _Lot:
    """The arrays that a thread takes its tiles through, and the records that do it.

    A tile with fewer samples than columns repeats its first sample, with the cotangent 0.

    starts: the stacks at the starts of segments; ends: those between a segment's units; sources: their cotangents;
    found: the cotangents of a segment's weights, zero between segments.
    """

    program: Program
    library: CompiledLibrary
    units: int
    segment: int
    starts: np.ndarray
    ends: np.ndarray
    sources: np.ndarray
    found: dict[Weight, np.ndarray]
    tapes: tuple[NativeTape, NativeTape, NativeTape]
    held: list[StackPlace]
    samples: int = 0

    @staticmethod
    def of(engine: Native, plan: SweepPlan) -> _Lot:
        """Those for tiles and segments of the plan."""
        program, segment, panel = engine.program, plan.segment, engine.library.panel
        shelf, rows = Shelf(engine.depth, plan.tile // panel, panel), engine.rows(program.root)
        found = {w: np.zeros((segment, *program.shapes[w])) for w in program.unit.names}
        starts = shelf.stacks(rows, -(-engine.units // segment))
        ends, sources = (shelf.stacks(rows, segment + 1) for _ in range(2))

        def calls() -> NativeCalls:
            return NativeCalls(engine.library, program, shelf, found)

        def kept(nodes: Sequence[Expression]) -> dict[Expression, StackPlace]:
            return {node: StackPlace(shelf.stacks(engine.rows(node), segment)) for node in nodes}

        passing, keeping, returning = calls(), calls(), calls()
        streams = {engine.streams.source: StackPlace(ends), program.root: StackPlace(ends, 1)}
        slopes, inner = kept(engine.streams.activated), kept(engine.streams.kept)
        _ = forward_tape(program, passing, streams, None)
        values = forward_tape(program, keeping, {**inner, **streams}, slopes)
        backward_tape(
            program,
            returning,
            values,
            slopes,
            {engine.streams.source: StackPlace(sources), program.root: StackPlace(sources, 1)},
        )
        held, tapes = (
            [*shelf.every, *slopes.values(), *inner.values()],
            (passing.tape(), keeping.tape(), returning.tape()),
        )
        return _Lot(program, engine.library, engine.units, segment, starts, ends, sources, found, tapes, held)

    @property
    def firsts(self) -> range:
        """The first units of the segments."""
        return range(0, self.units, self.segment)

    def length(self, number: int) -> int:
        """How many units a segment has."""
        return min(self.segment, self.units - self.firsts[number])

    def forward(self, x: Array) -> None:
        """The tile through all units; the last segment's values are kept."""
        self.samples, last = x.shape[1], len(self.firsts) - 1
        columns = np.empty((x.shape[0], self.starts.shape[2] * self.starts.shape[4]))
        columns[:, : self.samples], columns[:, self.samples :] = x, x[:, :1]
        self.starts[0], self.starts[0, -1] = 0.0, _in_panels(columns, self.starts)
        for number in range(last):
            self.ends[0] = self.starts[number]
            self._play(0, number)
            self.starts[number + 1] = self.ends[self.segment]
        self._keep(last)

    def leaving(self) -> Series:
        """The series of the output."""
        stacks = self.ends[self.length(len(self.firsts) - 1)]
        return tuple(self._columns(stack) for stack in stacks[::-1])

    def close(self, given: Series) -> None:
        """The cotangent of the output."""
        stacks = self.sources[self.length(len(self.firsts) - 1)]
        for stack, array in zip(stacks, given[::-1], strict=True):
            columns = np.zeros((stack.shape[1], stack.shape[0] * stack.shape[2]))
            if array is not None:
                columns[:, : self.samples] = array
            stack[...] = _in_panels(columns, self.starts)

    def back(self, totals: Mapping[str, np.ndarray], turns: Turns, own: int) -> np.ndarray:
        """The way back: the weights' cotangents are added to `totals` in this lot's turn, the tile's is returned."""
        last = len(self.firsts) - 1
        with turns.watched():
            for number in range(last, -1, -1):
                if number < last:
                    self._keep(number)
                    self.sources[self.segment] = self.sources[0]
                self._play(2, number)
                turns.take(number, own, partial(self._add, number, totals))
        return self._columns(self.sources[0, 0])

    def _add(self, number: int, totals: Mapping[str, np.ndarray]) -> None:
        first, count = self.firsts[number], self.length(number)
        for weight, name in self.program.unit.names.items():
            totals[name][first : first + count] += self.found[weight][:count]
            self.found[weight][...] = 0.0

    def _keep(self, number: int) -> None:
        self.ends[0] = self.starts[number]
        self._play(1, number)

    def _play(self, way: int, number: int) -> None:
        """A segment's units without or with what the way back needs (0, 1), or back (2)."""
        tape, count, first = self.tapes[way].records, self.length(number), self.firsts[number]
        place, step = (count - 1, -1) if way == 2 else (0, 1)
        depth, panels = self.starts.shape[1:3]
        self.library.play(tape.ctypes.data, len(tape), depth, panels, first + place, place, count, step)

    def _columns(self, stack: np.ndarray) -> np.ndarray:
        """One coefficient as (rows, samples)."""
        return stack.swapaxes(0, 1).reshape(stack.shape[1], -1)[:, : self.samples]


def _in_panels(columns: np.ndarray, like: np.ndarray) -> np.ndarray:
    """(rows, columns) as (panels, rows, columns of a panel)."""
    return columns.reshape(columns.shape[0], like.shape[2], like.shape[4]).swapaxes(0, 1)


_Item: TypeAlias = tuple[_Lot, slice, int]
"""A thread's arrays, its samples, its number."""


@dataclass(frozen=True, slots=True)
class NativeLinear:
    """A linear network on the columns of the identity; what has no way back goes by the scan over depth."""

    scan: Scan
    native: Native

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

    def otherwise(self) -> Engine | None:
        """That on the samples: F may overflow where F X does not."""
        return self.scan.otherwise()

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        return self.scan.output(x)

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """The highest coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        algebra, back = self.native.run.algebra, list[Series]()
        data: Series = (x, *[None] * algebra.order)

        def on_identity(whole: Series, portion: Portion) -> Series:
            g = slope(algebra.matmul(whole, data), portion)
            back.append(algebra.matmul(algebra.transpose(whole), g))
            return algebra.matmul(g, algebra.transpose(data))

        # What the loss is asked with is not a matter of the plan, but there all the same.
        left = max(memory - 8 * x.nbytes, memory // 4)
        found, _ = self.native.pull(self.scan.one, on_identity, coefficient, left)
        return found, dense(self.program.ops, back[0][coefficient], tuple(x.shape))
