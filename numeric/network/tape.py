"""One unit as a list of array operations whose operands are all fixed: nothing but the calls is left to do per unit.

A value h carries its tangent. Both lie in one array, the stack [h_1; h_0] of shape (2, rows, columns), tangent first;
(1, rows, columns) for the value alone. So W applied to a stack is two products that write where they are told to,

    (W h)_1 = [W_0 W_1] [h_1 above h_0],    (W h)_0 = W_0 h_0,

and the way back, with cotangents [g_1; g_0], is the same with W^T. An activation f(u) leaves [f''(u_0) u_1; f'(u_0)],
by which the cotangent is multiplied; the first coefficient of the cotangent of W is g_1 h_0^T + g_0 h_1^T.

A *side* is what is the same for all samples: a weight, its transpose or a constant. The other nodes are *streams*.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from architectures.activations import CONSTANTS, Activation, gelu, tanh
from architectures.expressions import Add, Apply, Constant, Einsum, Expression, Input, Multiply, Weight
from numeric.backend import Ops
from numeric.network.program import Program

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


def is_taped(program: Program) -> bool:
    """Whether the unit is built of what is known here, on a library that writes where it is told to."""
    return program.ops.xp is np and is_known(program)


def is_known(program: Program) -> bool:
    """Whether the unit keeps samples apart, and only products, sums and activations are made of sides and streams.

    What is found is found for every weight, so that one with frozen weights goes another way.
    """
    if program.unit.frozen:
        return False
    sides = {node for node in program.order if is_side(node)}
    known = program.root not in sides and all(node in sides or _is_known(node, sides) for node in program.order)
    return known and program.rank == 2


def is_side(node: Expression) -> bool:
    """Whether a node is a weight, its transpose or a constant."""
    return isinstance(node, Weight | Constant) or isinstance(untransposed(node)[0], Weight)


def untransposed(node: Expression) -> tuple[Expression, bool]:
    """The operand of a transpose, any other node itself; and whether it is one."""
    match node:
        case Einsum(form="transpose", operands=(operand,)):
            return operand, True
        case _:
            return node, False


def _is_known(node: Expression, sides: set[Expression]) -> bool:
    match node:
        case Input():
            return True
        case Apply():
            return node.operand not in sides
        case Einsum(form="product", operands=(left, right)):
            return left in sides and right not in sides
        case Add() | Multiply():
            streams = [operand for operand in (node.left, node.right) if operand not in sides]
            return bool(streams) and all(operand.shape == node.shape for operand in streams)
        case _:
            return False


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


def forward_tape(
    program: Program, pool: Pool, sides: Sides, given: Stacks, slopes: Stacks | None
) -> tuple[Tape, dict[Expression, Stack]]:
    """The unit from its input to its output, and where each stream is written.

    `given` says where the input, the output and the streams that are to stay are; the others come from the pool.
    With `slopes` the activations leave their derivatives there.
    """
    tape: Tape = []
    streams = [node for node in program.order if not is_side(node)]
    readers = Counter(operand for node in streams for operand in _streams_of(node))
    values: dict[Expression, Stack] = dict(given)
    for node in streams:
        if isinstance(node, Input):
            continue
        last = [o for o in _streams_of(node) if readers[o] == 1 and o not in given]
        readers.subtract(_streams_of(node))
        if node not in given:
            # Sums and activations may write over what they read.
            over = last and isinstance(node, Add | Apply)
            values[node] = values[last.pop()] if over else pool.take(program.shapes[node][0])
        tape += _forward(node, values, sides, pool, program.ops, None if slopes is None else slopes.get(node))
        for operand in last:
            pool.give(values[operand])
    return tape, values


def _streams_of(node: Expression) -> list[Expression]:
    match node:
        case Apply():
            return [node.operand]
        case Einsum() | Multiply():
            return [operand for operand in node.operands if not is_side(operand)]
        case Add(left=left, right=right):
            return [operand for operand in (left, right) if not is_side(operand)]
        case _:
            return []


def _forward(node: Expression, values: Stacks, sides: Sides, pool: Pool, ops: Ops, slope: Stack | None) -> Tape:
    out = values[node]

    def value(operand: Expression) -> Stack:
        return sides.stacks[operand] if is_side(operand) else values[operand]

    match node:
        case Einsum(operands=(left, right)):
            return _product(sides.beside[left], values[right], out)
        case Add():
            return [(np.add, (value(node.left), value(node.right), out))]
        case Multiply():
            return _times(value(node.left), value(node.right), out, pool)
        case Apply():
            return _activation(ops, node.activation, values[node.operand], out, slope, pool)
        case _:
            return []


def backward_tape(
    program: Program, pool: Pool, sides: Sides, values: Stacks, slopes: Stacks, given: Mapping[Expression, Stack]
) -> Tape:
    """The cotangent of the unit's input from that of its output, which lie where `given` says.

    The first coefficients of the cotangents of weights are added to `sides.found`.
    """
    back = _Back(pool, given, {}, [], Counter(id(stack) for stack in given.values()))
    back.hold(program.root, given[program.root])
    for node in reversed([node for node in program.order if not is_side(node)]):
        if node not in back.waiting or isinstance(node, Input):
            continue
        g = back.waiting.pop(node)
        match node:
            case Einsum(operands=(left, right)):
                h = values[right]
                both = np.empty((len(h), g.shape[1], h.shape[1]))
                back.tape.append((np.matmul, (g, h[::-1].swapaxes(1, 2), both)))
                for part in both:
                    back.collect(sides, left, part)
                back.add(right, h.shape[1], lambda out, w=sides.back[left], g=g: _product(w, g, out))
            case Add(left=left, right=right):
                for operand in (left, right):
                    if is_side(operand):
                        back.collect(sides, operand, g[0])
                    elif operand in back.waiting:
                        back.add(operand, g.shape[1], lambda out, g=g: [(np.copyto, (out, g))])
                    else:
                        back.hold(operand, g)
            case Multiply(left=left, right=right):
                for operand, other in ((left, right), (right, left)):
                    b = sides.stacks[other] if is_side(other) else values[other]
                    if is_side(operand):
                        out = pool.take(g.shape[1])
                        back.tape.extend(_times(g, b, out, pool))
                        back.collect(sides, operand, out[0])
                        pool.give(out)
                    else:
                        back.add(operand, g.shape[1], lambda out, b=b, g=g: _times(g, b, out, pool))
            case Apply():
                back.add(node.operand, g.shape[1], lambda out, b=slopes[node], g=g: _times(g, b, out, pool))
            case _:
                pass
        back.drop(g)
    source = next(node for node in program.order if isinstance(node, Input))
    if back.waiting[source] is not given[source]:
        back.tape.append((np.copyto, (given[source], back.waiting[source])))
        back.drop(back.waiting[source])
    return back.tape


@dataclass(frozen=True, slots=True)
class _Back:
    """A way back in the making: the cotangents that wait, and how many nodes hold each stack."""

    pool: Pool
    given: Stacks
    waiting: dict[Expression, Stack]
    tape: Tape
    holders: Counter[int]

    def hold(self, operand: Expression, stack: Stack) -> None:
        """This stack is the cotangent of the operand."""
        self.waiting[operand] = stack
        self.holders[id(stack)] += 1

    def drop(self, stack: Stack) -> None:
        """One node less holds the stack; the given ones are held for good."""
        self.holders[id(stack)] -= 1
        if not self.holders[id(stack)]:
            self.pool.give(stack)

    def add(self, operand: Expression, rows: int, steps: Callable[[Stack], Tape]) -> None:
        """What the steps write is added to the cotangent of the operand."""
        old, target = self.waiting.get(operand), self.given.get(operand)
        if old is None:
            out = self.pool.take(rows) if target is None else target
            self.tape.extend(steps(out))
            self.hold(operand, out)
            return
        spare = self.pool.take(rows)
        self.tape.extend(steps(spare))
        out = spare if target is None else target
        self.tape.append((np.add, (old, spare, out)))
        self.hold(operand, out)
        self.drop(old)
        if out is not spare:
            self.pool.give(spare)

    def collect(self, sides: Sides, side: Expression, part: np.ndarray) -> None:
        """Part of the cotangent of a side, which counts if it is a weight's."""
        side, transposed = untransposed(side)
        part = part.T if transposed else part
        if side in sides.found:
            total = sides.found[side]
            whole = total.shape == part.shape
            self.tape.append((np.add, (total, part, total)) if whole else (_add_sums, (total, part)))


def _add_sums(total: np.ndarray, part: np.ndarray) -> None:
    """The sums over the axes along which a side was broadcast are added."""
    axes = tuple(k for k, size in enumerate(total.shape) if size == 1)
    total += part.sum(axis=axes, keepdims=True)


def _product(beside: np.ndarray, h: Stack, out: Stack) -> Tape:
    """[W_0 W_1] applied to a stack."""
    depth, rows, columns = h.shape
    tape: Tape = [(np.matmul, (beside[:, :rows], h[-1], out[-1]))]
    if depth == 2:
        tape.append((np.matmul, (beside, h.reshape(2 * rows, columns), out[0])))
    return tape


def _times(a: Stack, b: Stack, out: Stack, pool: Pool) -> Tape:
    """The elementwise product of two stacks; `out` is neither of them."""
    tape: Tape = [(np.multiply, (a, b[-1], out))]
    if len(a) == 2:
        spare = pool.take(out.shape[1])
        tape += [(np.multiply, (a[-1], b[0], spare[0])), (np.add, (out[0], spare[0], out[0]))]
        pool.give(spare)
    return tape


def _activation(ops: Ops, f: Activation, u: Stack, out: Stack, slope: Stack | None, pool: Pool) -> Tape:
    """f(u), and with `slope` its derivative; `out` may be u."""
    if f in _IN_PLACE:
        return _IN_PLACE[f](ops, u, out, slope, pool)
    return [(_derivatives, (ops, f, u, out, slope))]


def _tanh(ops: Ops, u: Stack, out: Stack, slope: Stack | None, pool: Pool) -> Tape:
    """f' = 1 - f^2 and f'' u_1 = -2 f f_1."""
    del ops  # NumPy's
    tape: Tape = [(np.tanh, (u[-1], out[-1]))]
    tangent = len(u) == 2
    if not tangent and slope is None:
        return tape
    spare = pool.take(out.shape[1])
    first = spare[-1] if slope is None else slope[-1]
    tape += [(np.square, (out[-1], first)), (np.subtract, (1.0, first, first))]
    if tangent:
        tape.append((np.multiply, (first, u[0], out[0])))
    if tangent and slope is not None:
        tape += [(np.multiply, (out[-1], out[0], slope[0])), (np.multiply, (slope[0], -2.0, slope[0]))]
    pool.give(spare)
    return tape


def _gelu(ops: Ops, u: Stack, out: Stack, slope: Stack | None, pool: Pool) -> Tape:
    """The calls of `_gelu_into`, with two arrays to work in."""
    spare = pool.take(out.shape[1]), pool.take(out.shape[1])
    for stack in spare:
        pool.give(stack)
    return [(_gelu_into, (ops, u, out, slope, spare[0][0], spare[1][0]))]


def _gelu_into(ops: Ops, u: Stack, out: Stack, slope: Stack | None, a: np.ndarray, b: np.ndarray) -> None:
    """f = x Phi, f' = Phi + x phi and f'' = (2 - x^2) phi, with two arrays to work in."""
    x, tangent = u[-1], len(u) == 2
    square = np.square(x, out=a)
    phi = np.multiply(square, -0.5, out=b)
    np.exp(phi, out=phi)
    phi *= CONSTANTS["phi(0)"]
    if tangent and slope is not None:
        second = np.subtract(2.0, square, out=a)
        second *= phi
        np.multiply(second, u[0], out=slope[0])
    erf = ops.erf(np.multiply(x, math.sqrt(0.5), out=a))
    erf += 1.0
    cdf = np.multiply(erf, 0.5, out=a)
    phi *= x
    first = np.add(cdf, phi, out=phi if slope is None else slope[-1])
    if tangent:
        np.multiply(first, u[0], out=out[0])
    np.multiply(x, cdf, out=out[-1])


_IN_PLACE: Mapping[Activation, Callable[[Ops, Stack, Stack, Stack | None, Pool], Tape]] = {tanh: _tanh, gelu: _gelu}
"""What is worth being written without new arrays; any other activation goes by its own derivatives."""


def _derivatives(ops: Ops, f: Activation, u: Stack, out: Stack, slope: Stack | None) -> None:
    """Any activation, by its own derivatives."""
    tangent = len(u) == 2
    found = f.derivatives(ops, u[-1], tangent + (slope is not None))
    out[-1] = found[0]
    if slope is not None:
        slope[-1] = found[1]
        if tangent:
            np.multiply(found[2], u[0], out=slope[0])
    if tangent:
        np.multiply(found[1], u[0], out=out[0])
