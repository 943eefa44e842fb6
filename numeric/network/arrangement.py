"""How a network is arranged: of the ways that its unit allows, the one that `cost` predicts to be the fastest.

Every network can go unit by unit (`run`). One whose units are linear in h may take the scan over depth (`scan`), one
that keeps samples apart may go by tiles of samples (`sample_tiles`), and both, where a C compiler is at hand, through a
compiled library (`native`); on a GPU a narrow one goes through kernels of its own (`fused`, `scan_tree`). Which of them
are allowed is computed from the unit's expression. The choice changes a result by rounding alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from resproof.architectures.nodes import Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array
from resproof.numeric.network.cost import (
    Arrangement,
    UnitWork,
    Work,
    by_library,
    by_scan,
    by_tiles,
    by_units,
    fastest,
    rates,
    unit_work,
)
from resproof.numeric.network.engine import Engine
from resproof.numeric.network.fused import Fused, is_fused
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.native import Native, NativeLinear, is_played, native_library
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.run import UnitByUnit
from resproof.numeric.network.sample_tiles import Tiles
from resproof.numeric.network.scan import Scan, on_identity
from resproof.numeric.network.scan_tree import is_tree, scan_tree
from resproof.numeric.network.series import FloatSeries
from resproof.numeric.network.tape import is_taped


@dataclass(frozen=True, slots=True)
class WeightedNetwork:
    """A network at w + t v; `batch` are the axes in front of a tangent."""

    unit: ResidualUnit
    algebra: FloatSeries
    sizes: Mapping[str, int]
    units: int
    parts: Mapping[Weight, tuple[Array, ...]]
    batch: tuple[int, ...]

    def engine(self, *, scan: bool) -> Engine:
        """The fastest arrangement; with `scan` also those of linear units, which read no samples."""
        works = self._works(scan=scan)
        while len(works) > 1:
            chosen = fastest(works, rates(self.algebra.ops))
            found = self._made(chosen)
            if found is not None:
                return found
            del works[chosen]
        found = self._made(next(iter(works)))
        assert found is not None  # a library is never the only one
        return found

    def engines(self) -> list[Engine]:
        """All of them."""
        made = map(self._made, self._works(scan=True))
        return [one for one in made if one is not None]

    def _works(self, *, scan: bool) -> dict[Arrangement, Work]:
        return self._on_samples() | (self._on_identity() if scan and is_linear(self.unit) else {})

    @property
    def _program(self) -> Program:
        return program(self.unit, self.algebra.ops, self.sizes)

    @property
    def _identity(self) -> Program:
        return on_identity(self.unit, self.algebra.ops, self.sizes)

    @property
    def _is_pair(self) -> bool:
        """Whether there is a value and at most one tangent."""
        return self.algebra.order <= 1 and not self.batch

    def _counted(self, count: Callable[[UnitWork, int, int], Work], read: Program) -> Work:
        return count(unit_work(read), self.units, 1 + self.algebra.order * math.prod(self.batch))

    def _on_samples(self) -> dict[Arrangement, Work]:
        read = self._program
        found: dict[Arrangement, Work] = {"unit by unit": self._counted(by_units, read)}
        if self._is_pair and is_fused(read):
            return {"kernels": found["unit by unit"]}
        if self._is_pair and is_taped(read):
            found["tiles"] = self._counted(by_tiles, read)
            if is_played(read):
                found["library"] = self._counted(by_library, read)
        return found

    def _on_identity(self) -> dict[Arrangement, Work]:
        read = self._identity
        found: dict[Arrangement, Work] = {"scan": self._counted(by_scan, read)}
        if self._is_pair and is_played(read):
            found["library on the identity"] = self._counted(by_library, read)
        return found

    def _made(self, arrangement: Arrangement) -> Engine | None:
        """The network so arranged; None where there is no library."""
        match arrangement:
            case "unit by unit":
                return self._run(self._program)
            case "tiles":
                return Tiles(self._run(self._program))
            case "kernels":
                return Fused(self._run(self._program))
            case "library":
                compiled = native_library(self._program)
                return None if compiled is None else Native(self._run(self._program), compiled)
            case "scan":
                return scan_tree(scan) if is_tree(scan := self._scan()) else scan
            case "library on the identity":
                compiled = native_library(self._identity)
                if compiled is None:
                    return None
                return NativeLinear(self._scan(), Native(self._run(self._identity), compiled, at_once=True))
            case _:
                assert_never(arrangement)

    def _scan(self) -> Scan:
        otherwise = partial(self.engine, scan=False)
        return Scan.of(self._identity, self.algebra, self.units, self.parts, self.batch, otherwise)

    def _run(self, read: Program) -> UnitByUnit:
        return UnitByUnit.of(read, self.algebra, self.units, self.parts, self.batch)
