"""The operations of a tape as records that a compiled library plays (`kernels.c`), for every unit of a segment.

A stack is an array (2, panels, rows, columns of a panel), tangent first, or (1, ...); a *place* is one such array for
each unit of a segment, at equal steps, or the same for all. Weights are read, and their cotangents added to, where they
lie: nothing is copied and nothing transposed, for a product takes any strides of W.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from resproof.architectures.nodes import Activation, Constant, Expression, Weight
from resproof.numeric.network.array_calls import aligned
from resproof.numeric.network.native_library import CompiledLibrary
from resproof.numeric.network.program import Program
from resproof.numeric.network.tape import untransposed

PRODUCT, COPY, ADD, TIMES, ADD_SIDE, TIMES_SIDE, OUTER, TOTAL, APPLY = range(9)
"""What a record does, as in `kernels.c`."""

SIDES = 6
"""Where a record's operands begin, the sides before the others."""

Operand: TypeAlias = tuple[int, int]
"""An address, 0 for none, and the step in bytes from unit to unit."""

NONE: Operand = (0, 0)


class StackPlace(NamedTuple):
    """A stack for each unit, (units, depth, panels, rows, columns), or one for all, which has no first axis."""

    array: np.ndarray
    first: int = 0

    @property
    def rows(self) -> int:
        """The rows of a stack."""
        return int(self.array.shape[-2])

    @property
    def operand(self) -> Operand:
        """Where it lies: that of the first unit is number `first`."""
        step = self.array.strides[0] if self.array.ndim == 5 else 0
        return self.array.ctypes.data + self.first * step, step


@dataclass(frozen=True, slots=True)
class Shelf:
    """Stacks of one shape but for their rows; the last one given back is taken first, for it is in the cache."""

    depth: int
    panels: int
    panel: int
    free: dict[int, list[StackPlace]] = field(default_factory=dict[int, list[StackPlace]])
    every: list[StackPlace] = field(default_factory=list[StackPlace])

    def stacks(self, rows: int, *front: int) -> np.ndarray:
        """Room for stacks."""
        return aligned(*front, self.depth, self.panels, rows, self.panel)

    def take(self, rows: int) -> StackPlace:
        """A stack that nobody uses."""
        free = self.free.setdefault(rows, [])
        if free:
            return free.pop()
        self.every.append(StackPlace(self.stacks(rows)))
        return self.every[-1]

    def give(self, stack: StackPlace) -> None:
        """Nobody uses this stack any more."""
        self.free[stack.rows].append(stack)


@dataclass(frozen=True, slots=True)
class NativeTape:
    """Records to be played; `sides` are the numbers of those that read a weight."""

    records: np.ndarray
    sides: tuple[tuple[int, Weight], ...]

    def bind(self, places: Mapping[Weight, Sequence[int]]) -> None:
        """Where each weight lies from now on, as `places_of` has it."""
        for number, weight in self.sides:
            self.records[number, SIDES : SIDES + len(places[weight])] = places[weight]


@dataclass(frozen=True, slots=True)
class NativeCalls:
    """One unit's records (`numeric.network.tape.Calls`), written once: where weights lie, `NativeTape.bind` tells.

    found: where the cotangents of the weights of a segment are added, (units, rows, columns); sides: the records that
    read a weight.
    """

    library: CompiledLibrary
    program: Program
    shelf: Shelf
    found: Mapping[Weight, np.ndarray]
    records: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    sides: list[tuple[int, Weight]] = field(default_factory=list[tuple[int, Weight]])

    def take(self, rows: int) -> StackPlace:
        """A stack that nobody uses."""
        return self.shelf.take(rows)

    def give(self, stack: StackPlace) -> None:
        """Nobody uses this stack any more."""
        self.shelf.give(stack)

    def product(self, side: Expression, h: StackPlace, out: StackPlace, *, back: bool = False) -> None:
        """W h, or W^T h."""
        by_row, by_column = self._strides(side)
        sizes = (out.rows, h.rows, by_column, by_row) if back else (out.rows, h.rows, by_row, by_column)
        self._record(PRODUCT, sizes, self._side(side), h, None, out)

    def copy(self, source: StackPlace, out: StackPlace) -> None:
        """The same numbers."""
        self._record(COPY, (out.rows,), (NONE, NONE), source, None, out)

    def add(self, a: StackPlace | Expression, b: StackPlace | Expression, out: StackPlace) -> None:
        """The sum."""
        self._both(ADD, a, b, out)

    def times(self, a: StackPlace | Expression, b: StackPlace | Expression, out: StackPlace) -> None:
        """The elementwise product."""
        self._both(TIMES, a, b, out)

    def apply(self, f: Activation, u: StackPlace, out: StackPlace, slope: StackPlace | None) -> None:
        """f(u), and with `slope` its derivative."""
        self._record(APPLY + self.library.activations.index(f), (out.rows,), (NONE, NONE), u, out, slope)

    def outer(self, side: Expression, g: StackPlace, h: StackPlace) -> None:
        """g_1 h_0^T + g_0 h_1^T."""
        self._record(OUTER, (g.rows, h.rows, *self._strides(side)), (NONE, NONE), g, h, self._found(side))

    def total(self, side: Expression, g: StackPlace) -> None:
        """The sum over samples."""
        self._record(TOTAL, (g.rows, self._row(side)), (NONE, NONE), g, None, self._found(side))

    def tape(self) -> NativeTape:
        """The records so far."""
        return NativeTape(np.array(self.records, dtype=np.int64).reshape(-1, 16), tuple(self.sides))

    def _both(self, what: int, a: StackPlace | Expression, b: StackPlace | Expression, out: StackPlace) -> None:
        if isinstance(a, StackPlace) and isinstance(b, StackPlace):
            self._record(what, (out.rows,), (NONE, NONE), a, b, out)
            return
        side, stream = (b, a) if isinstance(a, StackPlace) else (a, b)
        assert isinstance(stream, StackPlace)  # a sum of sides is none of the operations
        assert not isinstance(side, StackPlace)
        sided = ADD_SIDE if what == ADD else TIMES_SIDE
        self._record(sided, (out.rows, self._row(side)), self._side(side), stream, None, out)

    def _record(
        self,
        what: int,
        sizes: tuple[int, ...],
        sides: tuple[Operand, Operand],
        *places: StackPlace | Operand | None,
    ) -> None:
        operands = [*sides, *(place.operand if isinstance(place, StackPlace) else place or NONE for place in places)]
        padded = (*sizes, *[0] * (5 - len(sizes)))
        self.records.append((what, *padded, *(number for operand in operands for number in operand)))

    def _side(self, side: Expression) -> tuple[Operand, Operand]:
        """Value and tangent of a side, those of a weight yet to be told."""
        matrix, _ = untransposed(side)
        if isinstance(matrix, Constant):
            return (self.program.constants[matrix][0].ctypes.data, 0), NONE
        assert isinstance(matrix, Weight)
        self.sides.append((len(self.records), matrix))
        return NONE, NONE

    def _found(self, side: Expression) -> Operand:
        matrix, _ = untransposed(side)
        assert isinstance(matrix, Weight)
        return _by_unit(self.found[matrix])

    def _strides(self, side: Expression) -> tuple[int, int]:
        """Numbers from row to row and from column to column."""
        matrix, transposed = untransposed(side)
        columns = self.program.shapes[matrix][1]
        return (1, columns) if transposed else (columns, 1)

    def _row(self, side: Expression) -> int:
        """Numbers from row to row, 0 where one serves all rows."""
        return self._strides(side)[0] if self.program.shapes[side][0] > 1 else 0


def places_of(parts: Mapping[Weight, Sequence[np.ndarray]]) -> dict[Weight, Sequence[int]]:
    """The operands that are each weight's value and tangent, (R, rows, columns), one after the other."""
    return {weight: [n for part in several for n in _by_unit(part)] for weight, several in parts.items()}


def _by_unit(array: np.ndarray) -> Operand:
    return array.ctypes.data, array.strides[0]
