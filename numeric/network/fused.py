"""A network of narrow units on a GPU: a stretch of units is two kernels and a few large products.

Unit by unit, a network of width 10 waits for the next kernel to start, not for arithmetic. Here one sample is worked on
by LANES neighbouring threads, the least power of two that no matrix of the unit exceeds; thread i holds row i of every
stream in registers, its value h_0 and, at order 1, its tangent h_1. A matrix product takes the other rows from the
neighbours by shuffles, and nothing needs a barrier. With q the cotangent of a node,

    forward    (W h)_0 = W_0 h_0,  (W h)_1 = W_0 h_1 + W_1 h_0;  f(u)_1 = f'(u_0) u_1
    backward   of W h: W_0^T q_0,  W_0^T q_1 + W_1^T q_0;  of f(u): f' q_0,  f' q_1 + f'' u_1 q_0

The way forward keeps the streams that enter the units of a segment, the way back computes a unit's inner values again
and writes what the cotangents of its weights are made of: q and h of a product, to be multiplied by the array library
for all units at once, and of a sum or an elementwise product the addends over samples. Where the segments do not all
fit the memory, the streams at their starts are kept and each is run again. Arrays are (units, coefficient, sample,
row).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from resproof.architectures.nodes import Add, Apply, Constant, Einsum, Expression, Input, Multiply, Weight, operands
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Array
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Cotangents, Part, Run, Slope
from resproof.numeric.network.series import Series

WIDEST = 32
"""Rows and columns at most: the threads of a warp."""

THREADS = 64
"""Threads of a block: small blocks spread evenly over the processors where samples are few."""

Stream: TypeAlias = list[str]
"""The names of a value and, at order 1, of its tangent in one thread; or of a cotangent's."""


class Site(NamedTuple):
    """Where a weight meets a stream: q and h of a product, or, without columns, addends over samples."""

    weight: Weight
    transposed: bool
    rows: int
    columns: int | None


class Kernel(NamedTuple):
    """Its name and source, the threads a sample, the matrices that it reads, (node, coefficient), and its sites."""

    name: str
    source: str
    lanes: int
    sides: Sequence[tuple[Weight | Constant, int]]
    sites: Sequence[Site]


Launch: TypeAlias = Callable[[Kernel, int, int, Sequence[Any]], None]
"""Starts a kernel: so many blocks of so many threads, on these arguments."""


def on_gpu(kernel: Kernel, blocks: int, threads: int, arguments: Sequence[Any]) -> None:
    """The kernel by way of CuPy, which compiles it once."""
    _compiled(kernel.name, kernel.source)((blocks,), (threads,), tuple(arguments))


@lru_cache(maxsize=64)
def _compiled(name: str, source: str) -> Any:
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.RawKernel(source, name)


def in_kernels(run: Run, memory: int, launch: Launch = on_gpu) -> Fused | None:
    """The run of narrow units, to order 0 or 1 and without a batch; None where it is none, or does not fit."""
    part, *others = run.parts
    if others or run.batch or run.algebra.order > 1 or not can_be_written(part.program):
        return None
    found = Fused(part, run, kernels(part.program, run.algebra.order), memory, launch)
    return found if found.segment else None


@lru_cache(maxsize=16)
def can_be_written(program: Program) -> bool:
    """Whether the unit keeps samples apart and is made of products, sums and activations of what is narrow."""
    if program.unit.mixes_columns or program.unit.frozen or _width(program) > WIDEST:
        return False
    sides = {node for node in program.order if _is_side(node)}
    return program.root not in sides and all(node in sides or _is_known(node, sides) for node in program.order)


def _is_side(node: Expression) -> bool:
    """Whether a node is a weight, its transpose or a constant: the same for all samples."""
    return isinstance(node, Weight | Constant) or isinstance(_untransposed(node)[0], Weight)


def _untransposed(node: Expression) -> tuple[Expression, bool]:
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
            return node.operand not in sides and _derivatives(node, "x", 2) is not None
        case Einsum(form="product", operands=(left, right)):
            return left in sides and right not in sides
        case Add() | Multiply():
            streams = [operand for operand in operands(node) if operand not in sides]
            return bool(streams) and all(operand.shape == node.shape for operand in streams)
        case _:
            return False


def _width(program: Program) -> int:
    """The greatest number of rows of a stream, or of rows or columns of a matrix."""
    return max(max(s[1:]) if _is_side(node) else s[1] for node, s in program.shapes.items())


# Activations, written down by running them on texts.


def _operation(form: str) -> Callable[[Text, Text | float], Text]:
    def of(self: Text, other: Text | float) -> Text:
        return Text(form.format(self.text, other.text if isinstance(other, Text) else repr(float(other))))

    return of


def _function(form: str) -> Callable[..., Text]:
    return lambda self, *x: Text(form.format(*(one.text for one in x)))


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """An expression in C."""

    text: str
    __add__, __radd__ = _operation("({0} + {1})"), _operation("({1} + {0})")
    __sub__, __rsub__ = _operation("({0} - {1})"), _operation("({1} - {0})")
    __mul__, __rmul__ = _operation("({0} * {1})"), _operation("({1} * {0})")
    __truediv__, __rtruediv__ = _operation("({0} / {1})"), _operation("({1} / {0})")

    def __neg__(self) -> Text:
        return Text(f"(-{self.text})")


class _Functions:
    """The elementary functions (resproof.architectures.activations.Elementary) as calls in C."""

    exp, tanh, erfc, log1p = map(_function, ("exp({})", "tanh({})", "erfc({})", "log1p({})"))
    abs = _function("fabs({})")
    # NaN where the first is, which C's fmax passes over.
    maximum = _function("({0} < {1} ? {1} : {0})")
    heaviside = _function("({} > 0.0 ? 1.0 : 0.0)")


def _derivatives(node: Apply, x: str, order: int) -> list[str] | None:
    """f(x), f'(x), ... as texts; None where f is made of functions that are not there."""
    try:
        found = node.activation.derivatives(_Functions(), Text(x), order)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None
    return [one.text for one in found] if all(isinstance(one, Text) for one in found) else None


# The kernels.

_FRAME = """\
#define LANES {lanes}
#define PARTS {parts}
#define TAKE(x, j) __shfl_sync(0xffffffffu, x, j, LANES)
#define ROW(rows) (lane < (rows) ? lane : (rows) - 1)
#define PLACE(unit, part, rows) ((((unit) * PARTS + (part)) * samples + sample) * (rows))
extern "C" __global__ void {name}({parameters})
{{
    const int lane = threadIdx.x % LANES;
    const long long place = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    const bool inside = place < samples;
    // Threads beyond the last sample work on it as well, for their neighbours, and write nothing.
    const long long sample = inside ? place : samples - 1;
{body}
}}
"""


@lru_cache(maxsize=16)
def kernels(program: Program, order: int) -> tuple[Kernel, Kernel]:
    """The way forward and the way back, for values (order 0) or values with tangents (order 1)."""
    return _Writer(program, order, back=False).kernel(), _Writer(program, order, back=True).kernel()


@dataclass(frozen=True)
class _Writer:
    """One kernel in the making: statements of one unit, and the names of what is there."""

    program: Program
    order: int
    back: bool
    statements: list[str] = field(default_factory=list[str])
    sides: dict[tuple[Weight | Constant, int], str] = field(default_factory=dict[tuple[Weight | Constant, int], str])
    sites: list[Site] = field(default_factory=list[Site])
    values: dict[Expression, Stream] = field(default_factory=dict[Expression, Stream])
    slopes: dict[Expression, Stream] = field(default_factory=dict[Expression, Stream])
    waiting: dict[Expression, Stream] = field(default_factory=dict[Expression, Stream])

    def kernel(self) -> Kernel:
        """The finished kernel."""
        root, source = self.program.root, the_input(self.program.root)
        streams, parts = [n for n in self.program.order if not _is_side(n)], range(self.order + 1)
        rows = self.program.shapes[root][1]
        for node in streams:
            self.values[node] = [f"h{k}" for k in parts] if node is source else self._value(node)
        name, moving, leaving = "forward", "h", self.values[root]
        if self.back:
            name, moving, self.waiting[root] = "backward", "q", [f"q{k}" for k in parts]
            for node in reversed(streams):
                if node in self.waiting and node is not source:
                    self._pull(node, self.waiting.pop(node))
            leaving = self.waiting[source]
        at = [f"PLACE({{}}, {k}, {rows}) + ROW({rows})" for k in parts]
        keep = [f"if (keep && inside && lane < {rows}) kept[{at[k].format('unit')}] = h{k};" for k in parts]
        load = [f"const double h{k} = kept[{at[k].format('unit')}];" for k in parts]
        order = (
            "long long unit = units - 1; unit >= 0; --unit" if self.back else "long long unit = 0; unit < units; ++unit"
        )
        body = [
            *(f"double {moving}{k} = moving[{at[k].format(0)}];" for k in parts),
            f"for ({order}) {{",
            *(load if self.back else keep),
            *self.statements,
            *(f"{moving}{k} = {x};" for k, x in enumerate(leaving)),
            "}",
            *(f"if (inside && lane < {rows}) moving[{at[k].format(0)}] = {moving}{k};" for k in parts),
        ]
        written = [
            f"{s}{n}" for n, site in enumerate(self.sites) for s in ("qs", "hs")[: 1 + (site.columns is not None)]
        ]
        parameters = [
            *("double *moving", "double *kept", "int keep", "int units", "int samples"),
            *(f"const double *__restrict__ {side}" for side in self.sides.values()),
            *(f"double *__restrict__ {array}" for array in written),
        ]
        lanes = 1 << (_width(self.program) - 1).bit_length()
        text = _FRAME.format(
            lanes=lanes, parts=self.order + 1, name=name, parameters=", ".join(parameters), body="\n".join(body)
        )
        return Kernel(name, text, lanes, tuple(self.sides), tuple(self.sites))

    def _value(self, node: Expression) -> Stream:
        match node:
            case Einsum(operands=(left, right)):
                return self._product(left, self.values[right], back=False)
            case Add(left=left, right=right):
                return self._sum(self._read(left), self._read(right))
            case Multiply(left=left, right=right):
                return self._times(self._read(left), self._read(right))
            case Apply(operand=operand):
                u = self.values[operand]
                f = [self._let(text) for text in _derivatives(node, u[0], self.order + self.back) or ()]
                if self.back:
                    self.slopes[node] = [f[1], *(self._let(f"{f[2]} * {change}") for change in u[1:])]
                return [f[0], *(self._let(f"{f[1]} * {change}") for change in u[1:])]
            case _:
                raise AssertionError(f"a kernel does not know {type(node).__name__}")

    def _pull(self, node: Expression, q: Stream) -> None:
        """What a node's cotangent gives to its operands."""
        match node:
            case Einsum(operands=(left, right)):
                # (W's cotangent)_1 = q_1 h_0^T + q_0 h_1^T: q in falling order beside h in rising order.
                self._site(left, self.program.shapes[left][1:], q[::-1], self.values[right])
                self._give(node, right, self._product(left, q, back=True))
            case Add(left=left, right=right):
                self._give(node, left, q)
                self._give(node, right, q)
            case Multiply(left=left, right=right):
                self._give(node, left, self._times(q, self._read(right)))
                self._give(node, right, self._times(q, self._read(left)))
            case Apply(operand=operand):
                self._give(node, operand, self._times(q, self.slopes[node]))
            case _:
                pass

    def _give(self, node: Expression, operand: Expression, q: Stream) -> None:
        if _is_side(operand):
            self._site(operand, (self.program.shapes[node][1], None), q[-1:], [])
        else:
            self.waiting[operand] = self._sum(self.waiting[operand], q) if operand in self.waiting else q

    def _site(self, side: Expression, shape: Sequence[int | None], q: Stream, h: Stream) -> None:
        """Write out what the cotangent of a side is made of, if it is a weight."""
        weight, transposed = _untransposed(side)
        if not isinstance(weight, Weight):
            return
        number, (rows, columns) = len(self.sites), shape
        assert rows is not None
        self.sites.append(Site(weight, transposed, rows, columns))
        for array, names, count in (("qs", q, rows), ("hs", h, columns)):
            for k, name in enumerate(names):
                at = f"PLACE(unit, {k}, {count})" if columns is not None else f"(unit * samples + sample) * {rows}"
                self.statements.append(f"if (inside && lane < {count}) {array}{number}[{at} + lane] = {name};")

    def _product(self, side: Expression, h: Stream, *, back: bool) -> Stream:
        """W h, or W^T h."""
        rows, inner = self.program.shapes[side][1:][:: -1 if back else 1]
        entries = [self._entry(side, k, f"ROW({rows})", "j", flipped=back) for k in range(self.order + 1)]
        found = [self._let("0.0", "double") for _ in h]
        taken = [f"TAKE({name}, j)" for name in h]
        sums = [f"{found[0]} += {entries[0]} * {taken[0]};"]
        sums += [f"{found[1]} += {entries[0]} * {taken[1]} + {entries[1]} * {taken[0]};"] if self.order else []
        # Every lane takes part in a shuffle, for it may be asked for a row that others need.
        self.statements.extend(["#pragma unroll", f"for (int j = 0; j < {inner}; ++j) {{", *sums, "}"])
        return found

    def _entry(self, side: Expression, part: int, row: str, column: str, *, flipped: bool = False) -> str:
        """An entry of a side's coefficient."""
        matrix, transposed = _untransposed(side)
        assert isinstance(matrix, Weight | Constant)
        if isinstance(matrix, Constant) and part:
            return "0.0"
        name = self.sides.setdefault((matrix, part), f"w{len(self.sides)}")
        _, rows, columns = self.program.shapes[matrix]
        at = f"{column} * {columns} + {row}" if transposed != flipped else f"{row} * {columns} + {column}"
        return f"{name}[{'' if isinstance(matrix, Constant) else f'unit * {rows * columns} + '}{at}]"

    def _read(self, node: Expression) -> Stream:
        """A stream, or this thread's row of a column that is added to streams or multiplied by."""
        if not _is_side(node):
            return self.values[node]
        row = f"ROW({self.program.shapes[node][1]})"
        return [self._let(self._entry(node, k, row, "0")) for k in range(self.order + 1)]

    def _let(self, text: str, kind: str = "const double") -> str:
        """A new number."""
        self.statements.append(f"{kind} x{len(self.statements)} = {text};")
        return f"x{len(self.statements) - 1}"

    def _sum(self, a: Stream, b: Stream) -> Stream:
        return [self._let(f"{x} + {y}") for x, y in zip(a, b, strict=True)]

    def _times(self, a: Stream, b: Stream) -> Stream:
        value = self._let(f"{a[0]} * {b[0]}")
        return [value, self._let(f"{a[0]} * {b[1]} + {a[1]} * {b[0]}")] if self.order else [value]


# The run.


@dataclass(frozen=True, slots=True)
class Fused:
    """A part of narrow units in two kernels, within so many bytes."""

    part: Part
    run: Run
    kernels: tuple[Kernel, Kernel]
    memory: int
    launch: Launch

    @property
    def segment(self) -> int:
        """Units whose streams and sites are kept at once: as many as fit beside the streams at the segments' starts."""
        run, coefficients = self.part.program, self.run.algebra.order + 1
        stream = 8 * coefficients * run.samples * run.shapes[run.root][1]
        sites = sum(8 * coefficients * run.samples * (s.rows + (s.columns or 0)) for s in self.kernels[1].sites)
        matrices = sum(16 * coefficients * s.rows * (s.columns or 1) for s in self.kernels[1].sites)
        fits = (
            n
            for n in self._lengths()
            if (self.part.units // n + 5) * stream + n * (stream + sites + matrices) <= self.memory
        )
        return next(fits, 0)

    def _lengths(self) -> list[int]:
        halvings = range(self.part.units.bit_length())
        return [-(-self.part.units >> k) for k in halvings]

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        stream = self._entering(self.run.entering(x), x)
        self._start(self.kernels[0], slice(0, self.part.units), stream, None, [])
        return self._leaving(stream)

    def pull(self, x: Array, slope: Slope, coefficient: int) -> tuple[Cotangents, Array]:
        """The highest coefficient of the cotangents of the weights, (R, rows, columns), and of X."""
        assert coefficient == self.run.algebra.order  # the only one that is written
        ops, run, units, segment = self.run.ops, self.part.program, self.part.units, self.segment
        stream, firsts = self._entering(self.run.entering(x), x), range(0, units, segment)
        kept, starts = ops.empty((segment, *stream.shape)), ops.empty((len(firsts), *stream.shape))
        sites = [ops.empty((segment, *shape)) for shape in self._site_shapes(run.samples)]
        found = {name: ops.zeros((units, *run.matrix(weight))) for weight, name in run.unit.names.items()}
        for number, first in enumerate(firsts):
            starts[number, ...] = stream
            some = slice(first, min(first + segment, units))
            self._start(self.kernels[0], some, stream, kept if some.stop == units else None, [])
        cotangent = self._entering(slope(self._leaving(stream), (...,)), x)
        for number, first in reversed(list(enumerate(firsts))):
            some = slice(first, min(first + segment, units))
            if some.stop < units:
                self._start(self.kernels[0], some, starts[number, ...], kept, [])
            self._start(self.kernels[1], some, cotangent, kept, sites)
            self._collect(some, iter(sites), found)
        return [found], self._leaving(cotangent)[-1]

    def _site_shapes(self, samples: int) -> list[tuple[int, ...]]:
        """The arrays that the way back writes for a unit, as its kernel lists them."""
        found: list[tuple[int, ...]] = []
        for site in self.kernels[1].sites:
            counts = [None] if site.columns is None else [site.rows, site.columns]
            found += [(samples, site.rows) if n is None else (self.run.algebra.order + 1, samples, n) for n in counts]
        return found

    def _entering(self, series: Series, like: Array) -> Array:
        """A series of shape (1, rows, samples) as (coefficient, sample, row)."""
        ops = self.run.ops
        stack = ops.zeros((self.run.algebra.order + 1, int(like.shape[2]), int(like.shape[1])))
        for k, part in enumerate(series):
            if part is not None:
                stack[k, ...] = ops.transpose(part[0, ...])
        return stack

    def _leaving(self, stream: Array) -> Series:
        return tuple(self.run.ops.transpose(stream[k, ...])[None, ...] for k in range(self.run.algebra.order + 1))

    def _start(self, kernel: Kernel, units: slice, stream: Array, kept: Array | None, sites: Sequence[Array]) -> None:
        """These units' stream, or on the way back its cotangent, through them, in place."""
        ops, samples = self.run.ops, self.part.program.samples
        sides = [
            self.part.program.constants[node][0]
            if isinstance(node, Constant)
            else self.part.weights[node][k][units, ...]
            for node, k in kernel.sides
        ]
        front = [stream, stream if kept is None else kept, np.int32(kept is not None)]
        sizes = [np.int32(units.stop - units.start), np.int32(samples)]
        blocks = -(-samples * kernel.lanes // THREADS)
        self.launch(kernel, blocks, THREADS, [*front, *sizes, *map(ops.contiguous, sides), *sites])

    def _collect(self, units: slice, arrays: Any, found: Mapping[str, Array]) -> None:
        """The weights' cotangents of these units, from what the way back wrote."""
        ops, count = self.run.ops, units.stop - units.start
        for site in self.kernels[1].sites:
            q = ops.reshape(next(arrays)[:count, ...], (count, -1, site.rows))
            if site.columns is None:
                part = ops.xp.sum(q, axis=1)[..., None]
                if self.part.program.matrix(site.weight) == (1, 1):
                    part = ops.xp.sum(part, axis=1, keepdims=True)  # one number serves all rows
            else:  # over coefficients k and samples q_{K-k} h_k^T
                part = ops.transpose(q) @ ops.reshape(next(arrays)[:count, ...], (count, -1, site.columns))
            name = self.part.program.unit.names[site.weight]
            found[name][units, ...] += ops.transpose(part) if site.transposed else part
