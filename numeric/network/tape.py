"""One unit as a list of operations whose operands are all fixed: nothing but the operations is left to do per unit.

A value h carries its tangent. Both lie in one array, the *stack* [h_1; h_0], tangent first, or the value alone. So

    (W h)_1 = W_0 h_1 + W_1 h_0,    (W h)_0 = W_0 h_0,

and the way back, with cotangents [g_1; g_0], is the same with W^T. An activation f(u) leaves [f''(u_0) u_1; f'(u_0)],
by which the cotangent is multiplied; the first coefficient of the cotangent of W is g_1 h_0^T + g_0 h_1^T.

A *side* is what is the same for all samples: a weight, its transpose or a constant. The other nodes are *streams*.
How a stack lies in memory and what an operation is, is left to the one who writes them down (`Calls`): `array_calls`
for NumPy, `native_calls` for a compiled library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np

from resproof.architectures.nodes import Activation, Add, Apply, Constant, Einsum, Expression, Input, Multiply, Weight
from resproof.numeric.network.program import Program

Stack: TypeAlias = Any
"""Where a value and its tangent lie, as the one knows who gave it."""

Stacks: TypeAlias = Mapping[Expression, Stack]


class Calls(Protocol):
    """Writes the operations on one unit down in their order; an operand is a stack or, where it says so, a side."""

    def take(self, rows: int) -> Stack:
        """A stack that nobody uses."""
        ...

    def give(self, stack: Stack) -> None:
        """Nobody uses this stack any more."""
        ...

    def product(self, side: Expression, h: Stack, out: Stack, *, back: bool = False) -> None:
        """W h, or on the way back W^T h."""
        ...

    def copy(self, source: Stack, out: Stack) -> None:
        """The same numbers."""
        ...

    def add(self, a: Stack | Expression, b: Stack | Expression, out: Stack) -> None:
        """The sum of two stacks, or of a stack and a side; `out` may be one of them."""
        ...

    def times(self, a: Stack | Expression, b: Stack | Expression, out: Stack) -> None:
        """The elementwise product likewise; `out` is neither."""
        ...

    def apply(self, f: Activation, u: Stack, out: Stack, slope: Stack | None) -> None:
        """f(u), and where asked for its derivative under `slope`; `out` may be u."""
        ...

    def outer(self, side: Expression, g: Stack, h: Stack) -> None:
        """What g, the cotangent of W h, adds to that of W."""
        ...

    def total(self, side: Expression, g: Stack) -> None:
        """The sum over samples of g is added to the cotangent of a side that was added to a stream."""
        ...


def is_taped(program: Program) -> bool:
    """Whether the unit is built of what is known here, on a library that writes where it is told to."""
    return program.ops.xp is np and is_known(program)


@lru_cache(maxsize=16)
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


def forward_tape(program: Program, calls: Calls, given: Stacks, slopes: Stacks | None) -> dict[Expression, Stack]:
    """Write the unit down from its input to its output: where each stream is written.

    `given` says where the input, the output and the streams that are to stay are; the others are taken.
    With `slopes` the activations leave their derivatives there.
    """
    streams = [node for node in program.order if not is_side(node)]
    readers = Counter(operand for node in streams for operand in _streams_of(node))
    values: dict[Expression, Stack] = dict(given)

    def operand(node: Expression) -> Stack | Expression:
        return node if is_side(node) else values[node]

    for node in streams:
        if isinstance(node, Input):
            continue
        last = [o for o in _streams_of(node) if readers[o] == 1 and o not in given]
        readers.subtract(_streams_of(node))
        if node not in given:
            # Sums and activations may write over what they read.
            over = last and isinstance(node, Add | Apply)
            values[node] = values[last.pop()] if over else calls.take(program.shapes[node][0])
        out = values[node]
        match node:
            case Einsum(operands=(left, right)):
                calls.product(left, values[right], out)
            case Add():
                calls.add(operand(node.left), operand(node.right), out)
            case Multiply():
                calls.times(operand(node.left), operand(node.right), out)
            case Apply():
                calls.apply(node.activation, values[node.operand], out, None if slopes is None else slopes.get(node))
            case _:
                pass
        for read in last:
            calls.give(values[read])
    return values


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


def backward_tape(program: Program, calls: Calls, values: Stacks, slopes: Stacks, given: Stacks) -> None:
    """Write down the cotangent of the unit's input from that of its output, which lie where `given` says.

    The first coefficients of the cotangents of weights are added to what is found.
    """
    back = _Back(calls, given, {}, Counter(id(stack) for stack in given.values()))
    back.hold(program.root, given[program.root])
    for node in reversed([node for node in program.order if not is_side(node)]):
        if node not in back.waiting or isinstance(node, Input):
            continue
        g, rows = back.waiting.pop(node), program.shapes[node][0]
        match node:
            case Einsum(operands=(left, right)):
                if _is_weight(left):
                    calls.outer(left, g, values[right])
                inner = program.shapes[right][0]
                back.add(right, inner, lambda out, w=left, g=g: calls.product(w, g, out, back=True))
            case Add(left=left, right=right):
                for operand in (left, right):
                    if is_side(operand):
                        back.collect(operand, g)
                    elif operand in back.waiting:
                        back.add(operand, rows, lambda out, g=g: calls.copy(g, out))
                    else:
                        back.hold(operand, g)
            case Multiply(left=left, right=right):
                for operand, other in ((left, right), (right, left)):
                    b = other if is_side(other) else values[other]
                    if not is_side(operand):
                        back.add(operand, rows, lambda out, b=b, g=g: calls.times(g, b, out))
                    elif _is_weight(operand):
                        out = calls.take(rows)
                        calls.times(g, b, out)
                        back.collect(operand, out)
                        calls.give(out)
            case Apply():
                back.add(node.operand, rows, lambda out, b=slopes[node], g=g: calls.times(g, b, out))
            case _:
                pass
        back.drop(g)
    source = next(node for node in program.order if isinstance(node, Input))
    if back.waiting[source] is not given[source]:
        calls.copy(back.waiting[source], given[source])
        back.drop(back.waiting[source])


def _is_weight(side: Expression) -> bool:
    return isinstance(untransposed(side)[0], Weight)


@dataclass(frozen=True, slots=True)
class _Back:
    """A way back in the making: the cotangents that wait, and how many nodes hold each stack."""

    calls: Calls
    given: Stacks
    waiting: dict[Expression, Stack]
    holders: Counter[int]

    def hold(self, operand: Expression, stack: Stack) -> None:
        """This stack is the cotangent of the operand."""
        self.waiting[operand] = stack
        self.holders[id(stack)] += 1

    def drop(self, stack: Stack) -> None:
        """One node less holds the stack; the given ones are held for good."""
        self.holders[id(stack)] -= 1
        if not self.holders[id(stack)]:
            self.calls.give(stack)

    def add(self, operand: Expression, rows: int, write: Callable[[Stack], None]) -> None:
        """What is written is added to the cotangent of the operand."""
        old, target = self.waiting.get(operand), self.given.get(operand)
        if old is None:
            out = self.calls.take(rows) if target is None else target
            write(out)
            self.hold(operand, out)
            return
        spare = self.calls.take(rows)
        write(spare)
        out = spare if target is None else target
        self.calls.add(old, spare, out)
        self.hold(operand, out)
        self.drop(old)
        if out is not spare:
            self.calls.give(spare)

    def collect(self, side: Expression, g: Stack) -> None:
        """A cotangent of a side, which counts if it is a weight's."""
        if _is_weight(side):
            self.calls.total(side, g)
