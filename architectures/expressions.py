"""A residual unit as an expression: a small immutable graph over ten node kinds.

Shapes are (rows, columns). A dimension is a name ("d") or a positive number. A vector is (rows, 1), a scalar
(1, 1); addition and elementwise multiplication broadcast from 1 only. The columns of the input are samples when
the expression never mixes columns, tokens of one sample otherwise (`properties.mixes_columns`).

A reading of the language is one function with one `match` over the kinds, closed by `assert_never`. Nodes are
compared by identity: a `Weight` used twice is one shared weight, and a reading is memoised over shared nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, TypeVar, assert_never

from architectures.errors import ArchitectureError

if TYPE_CHECKING:
    from architectures.activations import Activation

Dimension: TypeAlias = str | int
Shape: TypeAlias = tuple[Dimension, Dimension]
Scalar: TypeAlias = int | Fraction
Axis: TypeAlias = Literal[0, 1]
Expression: TypeAlias = "Input | Weight | Constant | MatMul | Add | Multiply | Apply | Softmax | Normalize | Transpose"
Reading = TypeVar("Reading")

COLUMNS: Dimension = "t"
"""The dimension of the input's columns: samples, or the tokens of one sample."""


class _Operators:
    """The arithmetic of the papers: `+`, `-`, elementwise `*`, matrix `@` and `.T`."""

    __slots__ = ()
    # NumPy scalars on the left would otherwise take the node for an object array.
    __array_ufunc__ = None

    def __add__(self: Any, other: Expression | Scalar) -> Add:
        return Add(self, as_expression(other))

    def __radd__(self: Any, other: Scalar) -> Add:
        return Add(as_expression(other), self)

    def __sub__(self: Any, other: Expression | Scalar) -> Add:
        return Add(self, -as_expression(other))

    def __rsub__(self: Any, other: Scalar) -> Add:
        return Add(as_expression(other), -self)

    def __neg__(self: Any) -> Multiply:
        return Multiply(Constant(-1), self)

    def __mul__(self: Any, other: Expression | Scalar) -> Multiply:
        return Multiply(self, as_expression(other))

    def __rmul__(self: Any, other: Scalar) -> Multiply:
        return Multiply(as_expression(other), self)

    def __matmul__(self: Any, other: Expression) -> MatMul:
        return MatMul(self, other)

    @property
    def T(self: Any) -> Transpose:
        return Transpose(self)

    def __repr__(self: Any) -> str:
        return describe(self)

    def _repr_latex_(self: Any) -> str:
        from architectures.text import latex

        return f"${latex(self)}$"


@dataclass(frozen=True)
class Zero:
    """Every entry 0: the weights of the papers' initial point."""


@dataclass(frozen=True)
class Ones:
    """Every entry 1: the gain of a normalisation."""


@dataclass(frozen=True)
class Identity:
    """The identity matrix."""


@dataclass(frozen=True)
class Normal:
    """Independent Gaussian entries of mean 0; `variance` is a number, or "1/d" for a dimension d."""

    variance: str | Scalar = "1/d"


Initial: TypeAlias = Zero | Ones | Identity | Normal
zero, ones, identity_initial = Zero(), Ones(), Identity()


def normal(variance: str | Scalar = "1/d") -> Normal:
    """Initial weights drawn from N(0, variance).

    Raises:
        ArchitectureError: the variance is neither a positive exact number nor a text such as "1/d".
    """
    if isinstance(variance, str):
        numerator, _, denominator = (part.strip() for part in variance.partition("/"))
        good = _counts(numerator) and (denominator.isidentifier() or _counts(denominator))
    else:
        good = is_exact(variance) and variance > 0 and in_range(variance)
    if not good:
        raise ArchitectureError(
            f'normal: variance is {show_value(variance)}; expected a positive int or Fraction, or a text such as "1/d"'
        )
    return Normal(variance)


def _counts(digits: str) -> bool:
    return digits.isdecimal() and len(digits) < 300 and int(digits) > 0


def is_exact(value: object) -> TypeGuard[Scalar]:
    """Whether `value` is an exact number: an int that is no bool, or a Fraction."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


LARGEST = 10**300
"""The modulus that an exact number may have; its inverse is the least. Beyond, arrays of floats cannot hold it."""


def in_range(value: Scalar) -> bool:
    """Whether a number is zero or its modulus between 1/LARGEST and LARGEST."""
    return value == 0 or Fraction(1, LARGEST) <= abs(value) <= LARGEST


def check_number(where: str, value: object, *, least: Scalar | None = None) -> None:
    """Nothing, where `value` is an exact number that floats can hold, at least `least`.

    Raises:
        ArchitectureError: it is not; the message starts with `where`.
    """
    if not is_exact(value):
        bound = "" if least is None else f" >= {least}"
        raise ArchitectureError(f"{where} is {show_value(value)}; expected an int or a Fraction{bound}")
    if least is not None and value < least:
        raise ArchitectureError(f"{where} is {show_value(value)}; expected an int or a Fraction >= {least}")
    if not in_range(value):
        raise ArchitectureError(f"{where} is {show_number(value)}; expected 0 or a modulus from 10^-300 to 10^300")


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Input(_Operators):
    """The residual stream h: `rows` x columns."""

    rows: Dimension
    columns: Dimension = COLUMNS
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, (_dimension("Input", self.rows), _dimension("Input", self.columns)))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Weight(_Operators):
    """A trained matrix, `rows` x `cols`, compared by identity."""

    rows: Dimension
    cols: Dimension = 1
    initial: Initial = field(default=zero, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.initial, Zero | Ones | Identity | Normal):
            raise ArchitectureError(
                f"Weight: initial is {show_value(self.initial)}; "
                "expected zero, ones, identity_initial or normal(variance)"
            )
        if self.name is not None and not (isinstance(self.name, str) and self.name.isidentifier()):
            raise ArchitectureError(f'Weight: name is {show_value(self.name)}; expected a name such as "W1"')
        _set_shape(self, (_dimension("Weight", self.rows), _dimension("Weight", self.cols)))
        if self.initial == identity_initial and self.rows != self.cols:
            raise ArchitectureError(f"Weight: an identity of shape {show_shape(self.shape)}; expected a square one")


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Constant(_Operators):
    """A fixed matrix: a rational that fills it, or a named pattern ("identity", "causal", "shift k").

    "causal" has entry (s, t) = 1 iff s <= t; "shift k" has entry (s, t) = 1 iff t = s + k, so that h @ shift
    moves the columns of h to the right by k. Patterns are square.

    Raises:
        ArchitectureError: no exact number and no pattern that is known, or a pattern that is not square.
    """

    value: Scalar | str
    rows: Dimension = 1
    cols: Dimension = 1
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, (_dimension("Constant", self.rows), _dimension("Constant", self.cols)))
        if not isinstance(self.value, str):
            check_number("Constant: the value", self.value)
            return
        if not _is_pattern(self.value):
            raise ArchitectureError(
                f'Constant: the pattern is {show_value(self.value)}; expected "identity", "causal" or "shift k"'
            )
        if self.rows != self.cols:
            raise ArchitectureError(
                f'Constant: "{self.value}" of shape {show_shape(self.shape)}; expected a square pattern'
            )


def _is_pattern(value: str) -> bool:
    word, _, steps = value.partition(" ")
    if word == "shift":
        return steps.removeprefix("-").isdecimal() and len(steps) < 10
    return value in {"identity", "causal"}


def in_pattern(pattern: str, s: int, t: int) -> bool:
    """Whether the entry (s, t) of a pattern is 1."""
    match pattern.split():
        case ["shift", steps]:
            return t == s + int(steps)
        case ["causal"]:
            return s <= t
        case _:
            return s == t


def identity(size: Dimension) -> Constant:
    """The identity matrix as a constant."""
    return Constant("identity", size, size)


def causal_mask(size: Dimension = COLUMNS) -> Constant:
    """The matrix with entry (s, t) = 1 iff s <= t: query t sees the keys s up to itself."""
    return Constant("causal", size, size)


def shift(steps: int, size: Dimension = COLUMNS) -> Constant:
    """The matrix with entry (s, t) = 1 iff t = s + steps: one tap of a fixed convolution.

    Raises:
        ArchitectureError: steps is no whole number.
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or abs(steps) >= 10**9:
        raise ArchitectureError(f"shift: steps is {show_value(steps)}; expected an int below 10^9 in modulus")
    return Constant(f"shift {steps}", size, size)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class MatMul(_Operators):
    """The matrix product left @ right."""

    left: Expression
    right: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        left, right = _operand("@", self.left).shape, _operand("@", self.right).shape
        if left[1] != right[0]:
            raise _misfit(self, "the columns on the left to equal the rows on the right")
        _set_shape(self, (left[0], right[1]))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Add(_Operators):
    """The sum left + right, broadcast from dimension 1."""

    left: Expression
    right: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _broadcast(self))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Multiply(_Operators):
    """The elementwise product left * right, broadcast from dimension 1."""

    left: Expression
    right: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _broadcast(self))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Apply(_Operators):
    """An activation applied to every entry."""

    activation: Activation
    operand: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand(self.activation.name, self.operand).shape)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Softmax(_Operators):
    """exp(u) / sum exp(u) along `axis`; with a mask, over the entries where the mask is positive.

    A mask that hides nothing is dropped.

    Raises:
        ArchitectureError: a mask of another shape, or one that hides a whole line.
    """

    operand: Expression
    axis: Axis
    mask: Constant | None = None
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand("softmax", self.operand).shape)
        _check_axis("softmax", self.axis)
        if self.mask is not None and (not isinstance(self.mask, Constant) or self.mask.shape != self.operand.shape):
            raise ArchitectureError(
                f"softmax: the mask is {describe(self.mask)}; "
                f"expected a Constant of shape {show_shape(self.operand.shape)}"
            )
        if self.mask is not None:
            object.__setattr__(self, "mask", _effective_mask(self.mask))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Normalize(_Operators):
    """(u - mean(u)) / sqrt(var(u) + epsilon) along `axis` (LayerNorm); uncentred: u / sqrt(mean(u^2) + epsilon)."""

    operand: Expression
    axis: Axis
    centred: bool = True
    epsilon: Scalar = 0
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand("normalise", self.operand).shape)
        _check_axis("normalise", self.axis)
        check_number("normalise: epsilon", self.epsilon, least=0)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Transpose(_Operators):
    """The transpose; of one sample where the input has several."""

    operand: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        rows, cols = _operand("transpose", self.operand).shape
        _set_shape(self, (cols, rows))


NODE_KINDS = (Input, Weight, Constant, MatMul, Add, Multiply, Apply, Softmax, Normalize, Transpose)


def as_expression(value: Expression | Scalar) -> Expression:
    """`value` itself, or the 1 x 1 constant of an exact number.

    Raises:
        ArchitectureError: for a float and whatever else is neither an expression nor an exact number.
    """
    if isinstance(value, NODE_KINDS):
        return value
    if isinstance(value, float):
        raise ArchitectureError(f"constant: {value!r} is a float; expected an int or a Fraction, e.g. {_exact(value)}")
    if not is_exact(value):
        raise ArchitectureError(
            f"constant: {show_value(value)} is a {type(value).__name__}; expected an expression, an int or a Fraction"
        )
    return Constant(value)


def softmax(operand: Expression, axis: Axis, mask: Constant | None = None) -> Softmax:
    """Softmax along `axis` (0: each column sums to one)."""
    return Softmax(operand, axis, mask)


def layer_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """LayerNorm without gain and bias: each column centred and scaled to unit variance."""
    return Normalize(operand, axis, centred=True, epsilon=epsilon)


def rms_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """RMSNorm without gain: each column scaled to unit mean square."""
    return Normalize(operand, axis, centred=False, epsilon=epsilon)


def batch_norm(*_: object, **__: object) -> Expression:
    """Refused: batch normalisation couples the samples, so the loss is no mean of per-sample losses.

    Raises:
        ArchitectureError: always.
    """
    raise ArchitectureError(
        "BatchNorm couples the samples; expected layer_norm or rms_norm, which act on each sample alone"
    )


BatchNorm = batch_norm


def operands(node: Expression) -> tuple[Expression, ...]:
    """The nodes that `node` is made from, in the order in which parameters are numbered."""
    match node:
        case Input() | Weight() | Constant():
            return ()
        case MatMul():
            return (node.right, node.left)
        case Add() | Multiply():
            return (node.left, node.right)
        case Apply() | Normalize() | Transpose():
            return (node.operand,)
        case Softmax():
            return (node.operand,) if node.mask is None else (node.operand, node.mask)
        case _:
            assert_never(node)


def read(root: Expression, case: Callable[[Expression, Callable[[Expression], Reading]], Reading]) -> Reading:
    """One reading of `root`: `case(node, recurse)` for each node, once for a node that is shared.

    Operands are read before what is made from them, so that `recurse` stays shallow however deep the expression is.
    """
    return read_every(root, case)[root]


def read_every(
    root: Expression, case: Callable[[Expression, Callable[[Expression], Reading]], Reading]
) -> dict[Expression, Reading]:
    """The same reading of every node."""
    done: dict[Expression, Reading] = {}

    def recurse(node: Expression) -> Reading:
        if node not in done:
            done[node] = case(node, recurse)
        return done[node]

    for node in nodes(root):
        _ = recurse(node)
    return done


def nodes(root: Expression) -> tuple[Expression, ...]:
    """Every node once, operands before the nodes made from them, in parameter order."""
    found: dict[Expression, None] = {}
    pending: list[tuple[Expression, bool]] = [(root, False)]
    while pending:
        node, ready = pending.pop()
        if ready:
            found.setdefault(node)
        elif node not in found:
            pending.append((node, True))
            pending.extend((operand, False) for operand in reversed(operands(node)))
    return tuple(found)


def describe(value: object) -> str:
    """A node with its shape, anything else by its repr: for error messages."""
    from architectures.text import short_text  # the messages show expressions, and the text reading needs the nodes

    return (
        f"{short_text(value)} of shape {show_shape(value.shape)}"
        if isinstance(value, NODE_KINDS)
        else show_value(value)
    )


def show_value(value: object, limit: int = 60) -> str:
    """What the user gave, on one line of at most `limit` characters."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."


def show_number(value: Scalar) -> str:
    """A number, or its size where it has many digits."""
    shown = str(value) if max(abs(value.numerator), value.denominator) < 10**20 else ""
    exponent = _digits(value.numerator) - _digits(value.denominator)
    return shown or f"about {'-' * (value < 0)}10^{exponent}"


def _digits(whole: int) -> int:
    # 3/10 is just below log10(2).
    return abs(whole).bit_length() * 30103 // 100000


def show_shape(shape: Shape) -> str:
    """A shape as it is written: (k, d)."""
    return f"({shape[0]}, {shape[1]})"


def _set_shape(node: Expression, shape: Shape) -> None:
    object.__setattr__(node, "shape", shape)


def _dimension(kind: str, value: Dimension) -> Dimension:
    counts = isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9
    if not (counts or (isinstance(value, str) and value.isidentifier())):
        raise ArchitectureError(
            f'{kind}: a dimension is {show_value(value)}; expected a name such as "d" or a positive int below 10^9'
        )
    return value


def _operand(operation: str, value: Expression) -> Expression:
    if not isinstance(value, NODE_KINDS):
        raise ArchitectureError(f"{operation}: an operand is {show_value(value)}; expected an expression")
    return value


def _check_axis(operation: str, axis: Axis) -> None:
    if isinstance(axis, bool) or axis not in (0, 1):
        raise ArchitectureError(
            f"{operation}: axis is {show_value(axis)}; expected 0 (down a column) or 1 (along a row)"
        )


def _effective_mask(mask: Constant) -> Constant | None:
    """The mask itself, or None where all its entries are positive.

    Raises:
        ArchitectureError: it hides a whole line.
    """
    match mask.value:
        case "identity" | "causal" | "shift 0":
            return mask if mask.shape != (1, 1) else None
        case int() | Fraction() as value if value > 0:
            return None
        case _:
            raise ArchitectureError(
                f"softmax: the mask {describe(mask)} hides a whole line; expected none hidden whole"
            )


def _broadcast(node: Add | Multiply) -> Shape:
    symbol = "+" if isinstance(node, Add) else "*"
    left, right = _operand(symbol, node.left).shape, _operand(symbol, node.right).shape
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
        raise _misfit(node, "equal dimensions, or 1")
    rows, cols = (b if a == 1 else a for a, b in zip(left, right, strict=True))
    return (rows, cols)


def _misfit(node: MatMul | Add | Multiply, expected: str) -> ArchitectureError:
    from architectures.text import short_text

    return ArchitectureError(
        f"{short_text(node)}: the left has shape {show_shape(node.left.shape)}, "
        f"the right {show_shape(node.right.shape)}; expected {expected}"
    )


def _exact(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return "Fraction(1, 2)"
    nearest = Fraction(value).limit_denominator(1000)
    return f"Fraction({nearest.numerator}, {nearest.denominator})"
