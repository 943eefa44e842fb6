"""A narrow unit as CUDA source: two kernels that walk through a stretch of units without coming back to the host.

One sample is worked on by LANES neighbouring threads, the least power of two that no matrix of the unit exceeds; thread
i holds row i of every stream in registers, its value h_0 and, at order 1, its tangent h_1. A matrix product takes the
other rows from the neighbours by shuffles, and nothing needs a barrier. With q the cotangent of a node,

    forward    (W h)_0 = W_0 h_0,  (W h)_1 = W_0 h_1 + W_1 h_0;  f(u)_1 = f'(u_0) u_1
    backward   of W h: W_0^T q_0,  W_0^T q_1 + W_1^T q_0;  of f(u): f' q_0,  f' q_1 + f'' u_1 q_0

and the way back computes a unit's inner values again from the stream that enters it. What the cotangent of a weight is
made of is written out for each unit: q and h of a product, to be multiplied by the array library for all units at once,
and of a sum or an elementwise product the addends over samples.

Arrays are (units, coefficient, sample, row), so that neighbouring threads touch neighbouring numbers; matrices come
in the order in which threads read them, W by columns on the way forward and by rows on the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from resproof.architectures.nodes import Activation, Add, Apply, Constant, Einsum, Expression, Input, Multiply, Weight
from resproof.numeric.network.program import Program
from resproof.numeric.network.tape import is_side, untransposed

WIDEST = 32
"""Rows and columns at most: the threads of a warp."""


class Side(NamedTuple):
    """A matrix that a kernel reads: a weight's value (part 0) or tangent (part 1), or a constant; or its transpose."""

    node: Weight | Constant
    part: int
    transposed: bool


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a weight meets a stream, and where a kernel writes what its cotangent is made of.

    A product has q (coefficients highest first) under `left` and h under `right`; else the addends are under `left`.
    """

    weight: Weight
    transposed: bool
    rows: int
    columns: int | None
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: its name and source, and how many threads work on a sample.

    `sides` are the matrices that it reads by parameter name, `sites` what it writes; both in the order of parameters.
    A `strided` one is told how its arrays lie in memory, any other takes them as they are by rows.
    """

    name: str
    source: str
    lanes: int
    sides: Mapping[str, Side] = field(default_factory=dict[str, Side])
    sites: tuple[Site, ...] = ()
    strided: bool = False


def width(program: Program) -> int:
    """The greatest number of rows or columns of a stream or a matrix."""
    streams = max(program.shapes[node][0] for node in program.order if not is_side(node))
    return max([streams, *(max(program.shapes[node]) for node in program.order if is_side(node))])


def can_be_written(program: Program) -> bool:
    """Whether the activations are made of functions that a kernel knows, and the matrices narrow enough."""
    if width(program) > WIDEST:
        return False
    lines = Lines()
    activations = (node.activation for node in program.order if isinstance(node, Apply))
    return all(written_derivatives(f, WrittenFunctions(lines)) for f in activations)


def kernels(program: Program, order: int) -> tuple[Kernel, Kernel]:
    """The way forward and the way back, for values (order 0) or values with tangents (order 1)."""
    return _Writer(program, order, back=False).kernel(), _Writer(program, order, back=True).kernel()


# Numbers that write down what is done to them.


@dataclass(slots=True)
class Lines:
    """The statements so far, in numbers of one type of C, and how many names they use."""

    kind: str = "double"
    lines: list[str] = field(default_factory=list[str])
    names: int = 0

    def let(self, text: str) -> Number:
        """A new number that is this expression."""
        self.names += 1
        self.lines.append(f"const {self.kind} x{self.names} = {text};")
        return Number(self, f"x{self.names}")


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number of one thread, by name or as a literal."""

    lines: Lines
    text: str
    __array_ufunc__ = None

    def _with(self, other: Number | float, text: str) -> Number:
        if not isinstance(other, Number | int | float):
            return NotImplemented
        return self.lines.let(text.format(self.text, other.text if isinstance(other, Number) else _literal(other)))

    def __add__(self, other: Number | float) -> Number:
        return self._with(other, "{0} + {1}")

    def __radd__(self, other: float) -> Number:
        return self._with(other, "{1} + {0}")

    def __sub__(self, other: Number | float) -> Number:
        return self._with(other, "{0} - {1}")

    def __rsub__(self, other: float) -> Number:
        return self._with(other, "{1} - {0}")

    def __mul__(self, other: Number | float) -> Number:
        return self._with(other, "{0} * {1}")

    def __rmul__(self, other: float) -> Number:
        return self._with(other, "{1} * {0}")

    def __truediv__(self, other: Number | float) -> Number:
        return self._with(other, "{0} / {1}")

    def __rtruediv__(self, other: float) -> Number:
        return self._with(other, "{1} / {0}")

    def __neg__(self) -> Number:
        return self.lines.let(f"-{self.text}")


def _literal(value: float) -> str:
    return f"({float(value)!r})"


@dataclass(frozen=True, slots=True)
class WrittenFunctions:
    """The elementary functions (resproof.architectures.activations.Elementary) as calls in C, by default those of CUDA.

    `prefix` stands before the name of a function; `choice` has a condition and two numbers, `literal` one number.
    """

    lines: Lines
    prefix: str = ""
    choice: str = "{} ? {} : {}"
    literal: str = "{}"

    def exp(self, x: Number, /) -> Number:
        """e^x."""
        return self._call("exp", x)

    def tanh(self, x: Number, /) -> Number:
        """The hyperbolic tangent."""
        return self._call("tanh", x)

    def erfc(self, x: Number, /) -> Number:
        """The complementary error function."""
        return self._call("erfc", x)

    def log1p(self, x: Number, /) -> Number:
        """log(1 + x)."""
        return self._call("log1p", x)

    def abs(self, x: Number, /) -> Number:
        """The absolute value."""
        return self._call("fabs", x)

    def maximum(self, x: Number, y: Number, /) -> Number:
        """The larger of two numbers; NaN where x is, which C's fmax passes over."""
        return self.lines.let(self.choice.format(f"{x.text} < {y.text}", y.text, x.text))

    def heaviside(self, x: Number, /) -> Number:
        """1 where x > 0, else 0."""
        one, zero = map(self.literal.format, ("1.0", "0.0"))
        return self.lines.let(self.choice.format(f"{x.text} > 0.0", one, zero))

    def _call(self, name: str, x: Number) -> Number:
        return self.lines.let(f"{self.prefix}{name}({x.text})")


def written_derivatives(f: Activation, functions: WrittenFunctions) -> tuple[Number, ...] | None:
    """f(x), f'(x) and f''(x) as texts; None where f is made of functions that are not there."""
    try:
        found = tuple(f.derivatives(functions, Number(functions.lines, "x"), 2))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return None
    return found if len(found) == 3 and all(isinstance(x, Number) for x in found) else None


_Pair: TypeAlias = tuple[Number, ...]
"""A stream's value and, at order 1, its tangent in one thread; or a cotangent's."""


# The kernels.

_PRELUDE = """\
#define LANES {lanes}
#define PARTS {parts}
#define TAKE(x, j) __shfl_sync(0xffffffffu, x, j, LANES)
#define ROW(rows) (lane < (rows) ? lane : (rows) - 1)
#define PLACE(unit, part, rows) ((((unit) * PARTS + (part)) * samples + sample) * (rows))
"""

_HEAD = """
extern "C" __global__ void {name}({parameters})
{{
    const int lane = threadIdx.x % LANES;
    const long long place = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    const bool inside = place < samples;
    // Threads beyond the last sample work on it as well, for their neighbours, and write nothing.
    const long long sample = inside ? place : samples - 1;
"""


@dataclass(frozen=True)
class _Writer:
    """One kernel in the making."""

    program: Program
    order: int
    back: bool
    code: Lines = field(default_factory=Lines)
    sides: dict[str, Side] = field(default_factory=dict[str, Side])
    sites: list[Site] = field(default_factory=list[Site])
    values: dict[Expression, _Pair] = field(default_factory=dict[Expression, _Pair])
    slopes: dict[Expression, _Pair] = field(default_factory=dict[Expression, _Pair])
    waiting: dict[Expression, _Pair] = field(default_factory=dict[Expression, _Pair])

    def kernel(self) -> Kernel:
        """The finished kernel."""
        streams = [node for node in self.program.order if not is_side(node)]
        for node in streams:
            self.values[node] = self._named("h") if isinstance(node, Input) else self._value(node)
        if not self.back:
            text = self._forward(self.values[self.program.root])
        else:
            self.waiting[self.program.root] = self._named("q")
            for node in reversed(streams):
                if node in self.waiting and not isinstance(node, Input):
                    self._pull(node, self.waiting.pop(node))
            text = self._backward(self.waiting[next(node for node in streams if isinstance(node, Input))])
        lanes = 1 << (width(self.program) - 1).bit_length()
        source = _PRELUDE.format(lanes=lanes, parts=self.order + 1) + text
        return Kernel("backward" if self.back else "forward", source, lanes, self.sides, tuple(self.sites))

    # The frame.

    def _forward(self, leaving: _Pair) -> str:
        return self._framed(
            "forward",
            ["double *stream", "double *kept", "int keep", *self._parameters()],
            [
                *self._load("double h", "stream", "0"),
                "for (long long unit = 0; unit < units; ++unit) {",
                f"if (keep && inside && lane < {self._rows}) {{",
                *self._store("h", "kept", "unit"),
                "}",
                *self.code.lines,
                *(f"h{k} = {x.text};" for k, x in enumerate(leaving)),
                "}",
                f"if (inside && lane < {self._rows}) {{",
                *self._store("h", "stream", "0"),
                "}",
            ],
        )

    def _backward(self, leaving: _Pair) -> str:
        return self._framed(
            "backward",
            ["const double *__restrict__ kept", "double *cotangent", *self._parameters()],
            [
                *self._load("double q", "cotangent", "0"),
                "for (long long unit = units - 1; unit >= 0; --unit) {",
                *self._load("const double h", "kept", "unit"),
                *self.code.lines,
                *(f"q{k} = {x.text};" for k, x in enumerate(leaving)),
                "}",
                f"if (inside && lane < {self._rows}) {{",
                *self._store("q", "cotangent", "0"),
                "}",
            ],
        )

    @property
    def _rows(self) -> int:
        return self.program.shapes[self.program.root][0]

    def _parameters(self) -> list[str]:
        written = [name for site in self.sites for name in (site.left, site.right) if name]
        return [
            "int units",
            "int samples",
            *(f"const double *__restrict__ {name}" for name in self.sides),
            *(f"double *__restrict__ {name}" for name in written),
        ]

    def _framed(self, name: str, parameters: list[str], body: list[str]) -> str:
        depth, lines = 1, list[str]()
        for line in body:
            depth -= line.startswith("}")
            lines.append("    " * depth + line)
            depth += line.endswith("{")
        return _HEAD.format(name=name, parameters=", ".join(parameters)) + "\n".join(lines) + "\n}\n"

    def _load(self, name: str, array: str, unit: str) -> list[str]:
        at = f"PLACE({unit}, {{0}}, {self._rows}) + ROW({self._rows})"
        return [f"{name}{k} = {array}[{at.format(k)}];" for k in range(self.order + 1)]

    def _store(self, name: str, array: str, unit: str) -> list[str]:
        return [f"{array}[PLACE({unit}, {k}, {self._rows}) + lane] = {name}{k};" for k in range(self.order + 1)]

    # One unit forward.

    def _value(self, node: Expression) -> _Pair:
        match node:
            case Einsum(operands=(left, right)):
                return self._product(left, self.values[right], transposed=False)
            case Add(left=left, right=right):
                return self._sum(self._read(left), self._read(right))
            case Multiply(left=left, right=right):
                return self._times(self._read(left), self._read(right))
            case Apply(operand=operand, activation=activation):
                u, functions = self.values[operand], WrittenFunctions(self.code)
                found = activation.derivatives(functions, u[0], self.order + self.back)
                if self.back:
                    self.slopes[node] = (found[1], *(found[2] * tangent for tangent in u[1:]))
                return (found[0], *(found[1] * tangent for tangent in u[1:]))
            case _:
                raise AssertionError(f"a kernel does not know {type(node).__name__}")

    def _product(self, side: Expression, h: _Pair, *, transposed: bool) -> _Pair:
        """W h, or W^T h."""
        rows, inner = self.program.shapes[side]
        if transposed:
            rows, inner = inner, rows
        # Neighbouring threads read neighbours: what is stored is the transpose of what is multiplied by.
        w = [self._element(side, part, f"j * {rows} + ROW({rows})", not transposed) for part in range(self.order + 1)]
        found = self._sums()
        self.code.lines += [
            "#pragma unroll",
            f"for (int j = 0; j < {inner}; ++j) {{",
            f"const double w = {w[0]}, h = TAKE({h[0].text}, j);",
            f"{found[0].text} += w * h;",
        ]
        if self.order:
            self.code.lines.append(f"{found[1].text} += w * TAKE({h[1].text}, j);")
            if w[1]:
                self.code.lines.append(f"{found[1].text} += {w[1]} * h;")
        self.code.lines.append("}")
        return found

    def _read(self, node: Expression) -> _Pair:
        """A stream, or this thread's row of a column that is added to streams or multiplied by."""
        if not is_side(node):
            return self.values[node]
        rows = self.program.shapes[node][0]
        texts = [self._element(node, part, f"ROW({rows})", transposed=False) for part in range(self.order + 1)]
        return tuple(self.code.let(text) if text else Number(self.code, "0.0") for text in texts)

    def _element(self, node: Expression, part: int, index: str, transposed: bool) -> str:
        """An entry of a side's coefficient, "" where there is none."""
        matrix, flipped = untransposed(node)
        assert isinstance(matrix, Weight | Constant)
        flipped ^= transposed
        if isinstance(matrix, Constant):
            if part:
                return ""
            name, offset = f"c{list(self.program.constants).index(matrix)}", ""
        else:
            name = f"{'wv'[part]}{list(self.program.unit.names).index(matrix)}"
            rows, columns = self.program.shapes[matrix]
            offset = f"unit * {rows * columns} + "
        name += "t" if flipped else ""
        self.sides[name] = Side(matrix, part, flipped)
        return f"{name}[{offset}{index}]"

    def _sums(self) -> _Pair:
        """Numbers that are added to, from zero."""
        self.code.names += 1
        names = [f"x{self.code.names}_{k}" for k in range(self.order + 1)]
        self.code.lines.append("double " + ", ".join(f"{name} = 0.0" for name in names) + ";")
        return tuple(Number(self.code, name) for name in names)

    def _named(self, letter: str) -> _Pair:
        return tuple(Number(self.code, f"{letter}{k}") for k in range(self.order + 1))

    def _sum(self, a: _Pair, b: _Pair) -> _Pair:
        return tuple(x + y for x, y in zip(a, b, strict=True))

    def _times(self, a: _Pair, b: _Pair) -> _Pair:
        value = a[0] * b[0]
        return (value, a[0] * b[1] + a[1] * b[0]) if self.order else (value,)

    # One unit back.

    def _pull(self, node: Expression, q: _Pair) -> None:
        """What a node's cotangent gives to its operands."""
        match node:
            case Einsum(operands=(left, right)):
                self._product_site(left, q, self.values[right])
                self._give(right, self._product(left, q, transposed=True), node)
            case Add(left=left, right=right):
                self._give(left, q, node)
                self._give(right, q, node)
            case Multiply(left=left, right=right):
                self._give(left, self._times(q, self._read(right)), node)
                self._give(right, self._times(q, self._read(left)), node)
            case Apply(operand=operand):
                self._give(operand, self._times(q, self.slopes[node]), node)
            case _:
                pass

    def _give(self, operand: Expression, q: _Pair, node: Expression) -> None:
        if is_side(operand):
            self._sum_site(operand, q, self.program.shapes[node][0])
        else:
            self.waiting[operand] = self._sum(self.waiting[operand], q) if operand in self.waiting else q

    def _product_site(self, side: Expression, q: _Pair, h: _Pair) -> None:
        rows, columns = self.program.shapes[side]
        site = self._site(side, rows, columns)
        if site is None:
            return
        # (W's cotangent)_1 = q_1 h_0^T + q_0 h_1^T: q in falling order beside h in rising order.
        for array, numbers, count in ((site.left, q[::-1], rows), (site.right, h, columns)):
            self.code.lines.append(f"if (inside && lane < {count}) {{")
            self.code.lines += [f"{array}[PLACE(unit, {k}, {count}) + lane] = {x.text};" for k, x in enumerate(numbers)]
            self.code.lines.append("}")

    def _sum_site(self, side: Expression, q: _Pair, rows: int) -> None:
        site = self._site(side, rows, None)
        if site is not None:
            place = f"(unit * samples + sample) * {rows} + lane"
            self.code.lines += [f"if (inside && lane < {rows}) {{", f"{site.left}[{place}] = {q[-1].text};", "}"]

    def _site(self, side: Expression, rows: int, columns: int | None) -> Site | None:
        """A new site, if the side is a weight."""
        weight, transposed = untransposed(side)
        if not isinstance(weight, Weight):
            return None
        number = len(self.sites)
        site = Site(weight, transposed, rows, columns, f"q{number}s", "" if columns is None else f"h{number}s")
        self.sites.append(site)
        return site
