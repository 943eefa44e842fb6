"""Samples a few at a time, each lot through all units and back: what the routes of `tiles` and `fused` share.

The streams at the starts of segments of units are kept and a segment's values are computed again on the way back; the
cotangents of the weights add up over the lots, for the loss is a mean over samples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from resproof.numeric.backend import Array
from resproof.numeric.limits import OutOfMemoryError, in_bytes
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Portion, Slope, UnitByUnit, fewest_kept

Through: TypeAlias = Callable[[Array, Slope, Portion, dict[str, Array]], Array]
"""One lot forward and back: the weights' cotangents are added to those given, that of X is returned."""


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """How a sweep goes: `tile` samples at a time, `segment` units between kept streams, in so many bytes."""

    tile: int
    segment: int
    needed: int


@dataclass(frozen=True)
class Sweeps(ABC):
    """A run to order 0 or 1 and without a batch, of a unit that keeps samples apart."""

    run: UnitByUnit

    @property
    def program(self) -> Program:
        """The unit."""
        return self.run.program

    @property
    def batch(self) -> tuple[int, ...]:
        """No axes in front of a tangent."""
        return ()

    @property
    def units(self) -> int:
        """The number R of units."""
        return self.run.units

    @property
    def by_unit(self) -> UnitByUnit:
        """The same network one unit after the other."""
        return self.run

    def otherwise(self) -> Engine | None:
        """That of the network one unit after the other."""
        return self.run.otherwise()

    @property
    def depth(self) -> int:
        """Coefficients of a stream: 1 for the value alone, 2 with its tangent."""
        return self.run.algebra.order + 1

    @property
    def bytes_stream(self) -> int:
        """Bytes a sample of one stream."""
        return 8 * self.depth * self.program.shapes[self.program.root][0]

    @property
    def fewest(self) -> int:
        """Units of a segment where a sweep takes the least memory."""
        return fewest_kept(self.units, self.bytes_stream, self.bytes_unit)

    @property
    @abstractmethod
    def bytes_unit(self) -> int:
        """Bytes a sample and a unit of a segment."""

    @property
    @abstractmethod
    def least(self) -> int:
        """Samples that are taken together at least, where there are as many."""

    @abstractmethod
    def segments(self, tile: int, memory: int) -> Iterable[int]:
        """How many units a segment may have, in the order of preference; `fewest` is the last."""

    @abstractmethod
    def needed(self, tile: int, segment: int) -> int:
        """Bytes of a sweep."""

    @abstractmethod
    def through(self, plan: SweepPlan) -> Through:
        """What takes a lot of samples through all units and back."""

    def together(self, samples: int) -> int:
        """Samples that are taken together at most: here all."""
        return samples

    def columns(self, samples: int) -> int:
        """As many columns as so many samples take: here one each."""
        return samples

    def plan(self, samples: int, memory: int) -> SweepPlan:
        """The first segments that fit the memory, with as many samples as are taken together, else with fewer.

        Raises:
            OutOfMemoryError: even few samples need more.
        """
        tile = self.columns(-(-samples // -(-samples // self.together(samples))))
        while True:
            for segment in self.segments(tile, memory):
                needed = self.needed(tile, segment)
                if needed <= memory:
                    return SweepPlan(tile, segment, needed)
            if tile <= self.least:
                raise OutOfMemoryError(
                    f"{tile} samples through {self.units} units need {in_bytes(self.needed(tile, self.fewest))} "
                    f"at a time; memory allows {in_bytes(memory)}"
                )
            tile = max(self.columns(-(-tile // 2)), self.least)

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """The highest coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        assert coefficient == self.run.algebra.order  # the only one that is written
        ops, names, samples = self.program.ops, self.program.unit.names, int(x.shape[1])
        plan = self.plan(samples, memory)
        found = {name: ops.zeros((self.units, *self.program.shapes[weight])) for weight, name in names.items()}
        back, through = ops.empty(tuple(x.shape)), self.through(plan)
        for first in range(0, samples, plan.tile):
            portion = (slice(None), slice(first, min(first + plan.tile, samples)))
            back[portion] = through(x[portion], slope, portion, found)
        return found, back
