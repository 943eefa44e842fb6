"""The operations of a tape as calls of NumPy, which write where they are told to.

A stack is an array (2, rows, columns), tangent first, or (1, rows, columns). W applied to it is two products,

    (W h)_1 = [W_0 W_1] [h_1 above h_0],    (W h)_0 = W_0 h_0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.nodes import Activation, Expression
from resproof.numeric.backend import Ops
from resproof.numeric.network.tape import untransposed

Stack: TypeAlias = np.ndarray
Stacks: TypeAlias = Mapping[Expression, Stack]
Tape: TypeAlias = list[tuple[Callable[..., Any], tuple[Any, ...]]]
"""Calls in order; what a call returns is dropped, for it has written its result."""

LINE = 64
"""Bytes of a cache line."""


def whole_lines(samples: int) -> int:
    """As many columns as fill cache lines."""
    return -(-samples * 8 // LINE) * LINE // 8


def aligned(*shape: int) -> np.ndarray:
    """An array to be filled that begins where a cache line does: a vector of eight that crosses lines costs double."""
    count = math.prod(shape)
    room = np.empty(count + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count].reshape(shape)


def play(tape: Tape) -> None:
    """Make the calls."""
    for call, operands in tape:
        call(*operands)


@dataclass(frozen=True, slots=True)
class Sides:
    """Where one unit's sides lie: [W_1; W_0], [W_0 W_1] and [W_0^T W_1^T]; and where cotangents of weights go.

    For several units, with an axis for them in front.
    """

    stacks: Stacks
    beside: Stacks
    back: Stacks
    found: Mapping[Expression, np.ndarray]

    def of(self, units: int | slice) -> Sides:
        """Those of one or some of several units."""
        parts = (self.stacks, self.beside, self.back, self.found)
        return Sides(*({node: array[units] for node, array in part.items()} for part in parts))


@dataclass(slots=True)
class Pool:
    """Stacks of `depth` entries and so many columns; the last one given back is taken first, for it is in the cache."""

    depth: int
    columns: int
    free: dict[int, list[Stack]] = field(default_factory=dict[int, list[Stack]])

    def take(self, rows: int) -> Stack:
        """A stack that nobody uses."""
        free = self.free.setdefault(rows, [])
        return free.pop() if free else aligned(self.depth, rows, self.columns)

    def give(self, stack: Stack) -> None:
        """Nobody uses this stack any more."""
        self.free[stack.shape[1]].append(stack)


@dataclass(frozen=True, slots=True)
class ArrayCalls:
    """One unit's calls (`numeric.network.tape.Calls`)."""

    ops: Ops
    pool: Pool
    sides: Sides
    tape: Tape = field(default_factory=Tape)

    def take(self, rows: int) -> Stack:
        """A stack that nobody uses."""
        return self.pool.take(rows)

    def give(self, stack: Stack) -> None:
        """Nobody uses this stack any more."""
        self.pool.give(stack)

    def product(self, side: Expression, h: Stack, out: Stack, *, back: bool = False) -> None:
        """[W_0 W_1] or [W_0^T W_1^T] applied to a stack."""
        beside, (depth, rows, columns) = (self.sides.back if back else self.sides.beside)[side], h.shape
        self.tape.append((np.matmul, (beside[:, :rows], h[-1], out[-1])))
        if depth == 2:
            self.tape.append((np.matmul, (beside, h.reshape(2 * rows, columns), out[0])))

    def copy(self, source: Stack, out: Stack) -> None:
        """The same numbers."""
        self.tape.append((np.copyto, (out, source)))

    def add(self, a: Stack | Expression, b: Stack | Expression, out: Stack) -> None:
        """The sum."""
        self.tape.append((np.add, (self._value(a), self._value(b), out)))

    def times(self, a: Stack | Expression, b: Stack | Expression, out: Stack) -> None:
        """The elementwise product."""
        a, b = self._value(a), self._value(b)
        self.tape.append((np.multiply, (a, b[-1], out)))
        if len(a) == 2:
            spare = self.take(out.shape[1])
            self.tape.extend([(np.multiply, (a[-1], b[0], spare[0])), (np.add, (out[0], spare[0], out[0]))])
            self.give(spare)

    def apply(self, f: Activation, u: Stack, out: Stack, slope: Stack | None) -> None:
        """f(u), and with `slope` its derivative."""
        self.tape.append((_derivatives, (self.ops, f, u, out, slope)))

    def outer(self, side: Expression, g: Stack, h: Stack) -> None:
        """g_1 h_0^T + g_0 h_1^T."""
        both = np.empty((len(h), g.shape[1], h.shape[1]))
        self.tape.append((np.matmul, (g, h[::-1].swapaxes(1, 2), both)))
        for part in both:
            self._collect(side, part)

    def total(self, side: Expression, g: Stack) -> None:
        """The sum over samples."""
        self._collect(side, g[0])

    def _value(self, operand: Stack | Expression) -> Stack:
        return operand if isinstance(operand, np.ndarray) else self.sides.stacks[operand]

    def _collect(self, side: Expression, part: np.ndarray) -> None:
        side, transposed = untransposed(side)
        part, total = part.T if transposed else part, self.sides.found[side]
        whole = total.shape == part.shape
        self.tape.append((np.add, (total, part, total)) if whole else (_add_sums, (total, part)))


def _add_sums(total: np.ndarray, part: np.ndarray) -> None:
    """The sums over the axes along which a side was broadcast are added."""
    axes = tuple(k for k, size in enumerate(total.shape) if size == 1)
    total += part.sum(axis=axes, keepdims=True)


def _derivatives(ops: Ops, f: Activation, u: Stack, out: Stack, slope: Stack | None) -> None:
    """f(u), f' u_0 and, with `slope`, f' and f'' u_0, by its own derivatives."""
    tangent = len(u) == 2
    found = f.derivatives(ops, u[-1], tangent + (slope is not None))
    out[-1] = found[0]
    if slope is not None:
        slope[-1] = found[1]
        if tangent:
            np.multiply(found[2], u[0], out=slope[0])
    if tangent:
        np.multiply(found[1], u[0], out=out[0])
