"""A network by tiles of samples, each through all units and back: what is worked on stays in the cache.

The stacks (`tape`) are kept at the starts of segments of units; a segment's values, as many as stay in the
cache, are computed again on the way back. The cotangents of the weights add up over tiles, for the loss is a mean over
samples. This is `run` with fewer passes over the memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from resproof.architectures.nodes import Apply, Constant, Expression, Input, Weight
from resproof.numeric.backend import Array
from resproof.numeric.network.array_calls import ArrayCalls, Pool, Sides, Stack, Tape, aligned, play, whole_lines
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Portion, Slope
from resproof.numeric.network.series import Series
from resproof.numeric.network.sweeps import SweepPlan, Sweeps, Through
from resproof.numeric.network.tape import backward_tape, forward_tape, is_side, untransposed

STACK = 3 * 2**16
"""Bytes of the widest stream's stack, by which samples are taken together: several of them stay in a core's cache."""

WIDE = 256
"""Samples that are taken together however wide the stream is: products with fewer columns take longer a column."""

LEAST = 16
"""Samples that are taken together at least, where there are as many and memory asks for few."""

CACHE = 2**22
"""Bytes of a segment's values."""

LONGEST = 8
"""Units of a segment at most, where memory does not ask for more: their calls are listed before the first is made."""


class UnitStreams(NamedTuple):
    """The input, the inner streams that the way back reads, the activations; and numbers for the memory.

    rows: of all streams; rows_kept: of what is kept and of activations; widest: of one stream; sides: entries of all.
    """

    source: Expression
    kept: tuple[Expression, ...]
    activated: tuple[Apply, ...]
    rows: int
    rows_kept: int
    widest: int
    sides: int


@lru_cache(maxsize=16)
def streams_of(program: Program) -> UnitStreams:
    """Those of a unit that keeps samples apart."""
    streams = [node for node in program.order if not is_side(node)]
    source = next(node for node in streams if isinstance(node, Input))
    kept = tuple(node for node in streams if node in program.kept and node not in (program.root, source))
    activated = tuple(node for node in streams if isinstance(node, Apply))
    rows = [program.shapes[node][0] for node in streams]
    rows_kept = sum(program.shapes[node][0] for node in (*kept, *activated))
    sides = sum(math.prod(program.shapes[node]) for node in program.order if is_side(node))
    return UnitStreams(source, kept, activated, sum(rows), rows_kept, max(rows), sides)


@dataclass(frozen=True)
class Tiles(Sweeps):
    """A run of a unit that can be taped, to order 0 or 1 and without a batch."""

    @property
    def streams(self) -> UnitStreams:
        """What of the unit is worked on sample by sample."""
        return streams_of(self.program)

    def rows(self, node: Expression) -> int:
        """The rows of a node's value."""
        return self.program.shapes[node][0]

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        return self.run.output(x)

    def through(self, plan: SweepPlan) -> Through:
        """What takes a tile through all units and back."""
        return _sweep(self, plan.tile, plan.segment).through

    # Memory.

    @property
    def least(self) -> int:
        """Samples that are taken together at least, where there are as many and memory asks for few."""
        return LEAST

    def together(self, samples: int) -> int:
        """Samples that are taken together at most, by what the widest stream's stack weighs."""
        return min(max(STACK // (8 * self.depth * self.streams.widest), WIDE), samples)

    def columns(self, samples: int) -> int:
        """Columns that fill cache lines."""
        return whole_lines(samples)

    def segments(self, tile: int, memory: int) -> range:
        """From as long as the cache takes to those of least need."""
        del memory  # the first that fits is taken
        cached = min(max(CACHE // (tile * self.bytes_unit), 1), LONGEST, self.units)
        step = 1 if cached < self.fewest else -1
        return range(cached, self.fewest + step, step)

    def needed(self, tile: int, segment: int) -> int:
        """Bytes of a sweep: starts, a segment, what one unit is worked on with, and the segment's weights."""
        one, starts = 8 * self.depth * self.streams.rows, -(-self.units // segment)
        sides = 32 * self.depth * self.streams.sides
        return tile * (starts * self.bytes_stream + segment * self.bytes_unit + 2 * one) + segment * sides

    @property
    def bytes_unit(self) -> int:
        """Bytes a sample and a unit of a segment: its output, what the way back reads, and f' of activations."""
        return self.bytes_stream + 8 * self.depth * self.streams.rows_kept


@dataclass(frozen=True, slots=True)
class _Sweep:
    """The arrays that a tile is worked on with, and each unit's calls that do it.

    A tile with fewer samples than columns repeats its first sample, with the cotangent 0.

    sides: those of a segment's units. turns: input and output in turn where nothing is kept. ends: the stacks between
    units where all is. sources: the cotangents between units, in turn.
    """

    tiles: Tiles
    sides: Sides
    starts: Stack
    turns: Stack
    ends: Stack
    sources: Stack
    passing: list[Tape]
    keeping: list[Tape]
    returning: list[Tape]

    def through(self, x: Array, slope: Slope, portion: Portion, found: dict[str, Array]) -> Array:
        """This tile forward and back: the weights' cotangents are added to `found`, that of X is returned."""
        units, segment, samples = self.tiles.units, len(self.keeping), x.shape[1]
        firsts = range(0, units, segment)
        self.starts[0], self.starts[0, -1] = 0.0, x[:, :1]
        self.starts[0, -1, :, :samples] = x
        for number, first in enumerate(firsts[:-1]):
            self._load(first, first + segment)
            self.turns[0] = self.starts[number]
            for tape in self.passing:
                play(tape)
            self.starts[number + 1] = self.turns[segment % 2]
        for number in range(len(firsts) - 1, -1, -1):
            first, stop = firsts[number], min(firsts[number] + segment, units)
            self._load(first, stop)
            self.ends[0] = self.starts[number]
            for tape in self.keeping[: stop - first]:
                play(tape)
            if stop == units:
                self._close(slope, portion, samples, stop - first)
            elif segment % 2:
                self.sources[segment % 2] = self.sources[0]
            for tape in reversed(self.returning[: stop - first]):
                play(tape)
            for weight, name in self.tiles.program.unit.names.items():
                found[name][first:stop] += self.sides.found[weight][: stop - first]
        return self.sources[0, 0, :, :samples]

    def _close(self, slope: Slope, portion: Portion, samples: int, last: int) -> None:
        """The cotangent of the network's output, from the loss."""
        f, cotangent = self.ends[last][..., :samples], self.sources[last % 2]
        given = slope(tuple(f[::-1]), portion)
        cotangent[...] = 0.0
        for part, array in zip(cotangent[..., :samples], given[::-1], strict=True):
            part[...] = 0.0 if array is None else array

    def _load(self, first: int, stop: int) -> None:
        """These units' weights, to where the calls read them."""
        sides = self.sides.of(slice(stop - first))
        for node in sides.stacks:
            if isinstance(node, Constant):
                continue
            weight, transposed = untransposed(node)
            assert isinstance(weight, Weight)
            for k, part in enumerate(self.tiles.run.parts[weight]):
                w = part[first:stop]
                _place(sides, node, k, w.mT if transposed else w)
        for total in sides.found.values():
            total[...] = 0.0


def _place(sides: Sides, node: Expression, k: int, w: Array) -> None:
    """Coefficient k of a side, for every unit."""
    rows, columns = w.shape[-2:]
    sides.stacks[node][:, -1 - k] = w
    sides.beside[node][..., k * columns : (k + 1) * columns] = w
    sides.back[node][..., k * rows : (k + 1) * rows] = w.mT


def _sides(tiles: Tiles, units: int) -> Sides:
    """Arrays for so many units' sides, the constants filled in."""
    shapes = {node: tiles.program.shapes[node] for node in tiles.program.order if is_side(node)}
    depth = tiles.depth
    sides = Sides(
        {node: np.zeros((units, depth, *shape)) for node, shape in shapes.items()},
        {node: np.zeros((units, rows, depth * columns)) for node, (rows, columns) in shapes.items()},
        {node: np.zeros((units, columns, depth * rows)) for node, (rows, columns) in shapes.items()},
        {weight: np.zeros((units, *shapes[weight])) for weight in tiles.program.unit.names},
    )
    for node, (value,) in tiles.program.constants.items():
        _place(sides, node, 0, np.broadcast_to(value, shapes[node]))
    return sides


def _sweep(tiles: Tiles, columns: int, segment: int) -> _Sweep:
    """The arrays and the calls for tiles of this width."""
    program, root, source = tiles.program, tiles.program.root, tiles.streams.source
    pool = Pool(tiles.depth, columns)

    def stack(node: Expression, *front: int) -> Stack:
        return aligned(*front, tiles.depth, tiles.rows(node), columns)

    several = segment < tiles.units
    sweep = _Sweep(
        tiles,
        _sides(tiles, segment),
        stack(root, -(-tiles.units // segment)),
        stack(root, 2),
        stack(root, segment + 1),
        stack(root, 2),
        [],
        [],
        [],
    )
    for k in range(segment):

        def calls(tapes: list[Tape], k: int = k) -> ArrayCalls:
            tapes.append([])
            return ArrayCalls(program.ops, pool, sweep.sides.of(k), tapes[-1])

        if several:
            ends = {source: sweep.turns[k % 2], root: sweep.turns[(k + 1) % 2]}
            _ = forward_tape(program, calls(sweep.passing), ends, None)
        kept = {node: stack(node) for node in tiles.streams.kept}
        slopes: dict[Expression, Stack] = {node: stack(node) for node in tiles.streams.activated}
        ends = {source: sweep.ends[k], root: sweep.ends[k + 1]}
        values = forward_tape(program, calls(sweep.keeping), {**kept, **ends}, slopes)
        ends = {source: sweep.sources[k % 2], root: sweep.sources[(k + 1) % 2]}
        backward_tape(program, calls(sweep.returning), values, slopes, ends)
    return sweep
