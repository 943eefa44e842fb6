"""A residual unit as an expression: a small immutable graph over nine node kinds.

A value has axes, each with a dimension: a name ("d"), a positive number, or a product ("heads*k"). Two axes are
(rows, columns): a vector is (rows, 1), a scalar (1, 1). Addition and elementwise multiplication broadcast from 1 only.
What is linear in each of its operands and moves axes is one kind, `Einsum`; `@`, `.T` and the functions of `algebra`
are other words for it.

The columns of an input of two axes are samples when the expression never mixes columns, tokens of one sample otherwise
(`properties.mixes_columns`). All axes of an input of more are those of one sample.

A reading of the language is one function with one `match` over the kinds, closed by `assert_never`. Nodes are
compared by identity: a `Weight` used twice is one shared weight, and a reading is memoised over shared nodes.

Nothing here rests on another reading: how a node is shown, in messages too, `text` tells the class `Node`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, assert_never

from resproof.architectures.dimensions import COLUMNS, Axes, Dimension, Shape, pattern_of, read_pattern, show_shape
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError, show_value
from resproof.architectures.names import a_kind
from resproof.architectures.patterns import is_pattern, pattern_entry, refused_shape
from resproof.architectures.values import (
    Identity,
    Initial,
    Normal,
    Ones,
    Scalar,
    Values,
    Zero,
    check_given,
    check_number,
    counts,
    identity_initial,
    is_exact,
    is_given,
    is_whole,
    recognised,
    values_of,
    written,
    zero,
)

Axis: TypeAlias = int | str
Expression: TypeAlias = "Input | Weight | Constant | Einsum | Add | Multiply | Apply | Softmax | Normalize"
Word: TypeAlias = Literal["cut", "conv2d"]
"""What a contraction was made by, which text writes in its place."""
Reading = TypeVar("Reading")

PRODUCT, TRANSPOSE = "i j, j k -> i k", "i j -> j i"
"""What `@` and `.T` stand for."""

MOST_POWER = 100

MOST_AXES = 7
"""Axes that a value may have."""

_NUMBERS = count()


class Node:
    """The arithmetic of the papers: `+`, `-`, elementwise `*`, `/` and `**`, matrix `@` and `.T`."""

    __slots__ = ()
    # NumPy scalars on the left would otherwise take the node for an object array.
    __array_ufunc__ = None
    __iter__ = None

    shown: ClassVar[Callable[[Any], str]]
    """The node as it is written, shortened for a message."""
    _repr_latex_: ClassVar[Callable[[Any], str]]

    def __repr__(self: Any) -> str:
        return describe(self)

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

    def __truediv__(self: Any, other: Expression | Scalar) -> Multiply:
        if isinstance(other, NODE_KINDS):
            return Multiply(self, reciprocal(other))
        check_number("/: the divisor", other)
        if other == 0:
            raise ArchitectureError(f"{describe(self)}: divided by 0; expected another number")
        return Multiply(Constant(1 / Fraction(other)), self)

    def __pow__(self: Any, power: int) -> Expression:
        if not is_whole(power, 1, MOST_POWER):
            raise ArchitectureError(
                f"{describe(self)}: the power is {show_value(power)}; expected an int from 1 to {MOST_POWER}"
            )
        return reduce(Multiply, [self] * power)

    def __matmul__(self: Any, other: Expression) -> Einsum:
        for operand in (self, other):
            if len(_operand("@", operand).shape) != 2:
                raise ArchitectureError(f"@: {describe(operand)}; expected two axes, or einsum with a name for each")
        return Einsum(PRODUCT, (self, other))

    @property
    def T(self: Any) -> Einsum:
        if len(self.shape) != 2:
            raise ArchitectureError(f".T: {describe(self)}; expected two axes, or einsum with a name for each")
        return Einsum(TRANSPOSE, (self,))

    def __getitem__(self: Any, places: slice | tuple[slice, ...]) -> Expression:
        """The places start:stop:step of each axis: h[0:4], x[:, 2:6].

        Raises:
            ArchitectureError: no slices, or places that an axis does not have.
        """
        given = places if isinstance(places, tuple) else (places,)
        if len(given) > len(self.shape) or not all(isinstance(one, slice) for one in given):
            raise ArchitectureError(
                f"{describe(self)}: places are {show_value(places)}; expected a slice for each axis"
            )
        found = self
        for axis, one in enumerate(given):
            if one != slice(None):
                stop = self.shape[axis] if one.stop is None else one.stop
                found = cut(found, axis, one.start or 0, stop, 1 if one.step is None else one.step)
        return found


Array: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Coefficient:
    """`rational` times the named constant `symbol` (times 1 where there is none)."""

    rational: Fraction
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Activation:
    """An elementwise function.

    taylor(k) is the k-th Taylor coefficient at zero (divided by k!); derivatives(ops, x, K) is the list of
    f(x), f'(x), ..., f^(K)(x). `kinks` are the points where f' jumps; a
    function with kinks is linear between them. `degree` is that of a polynomial, else None. `has_pole`: zero is a pole.
    """

    name: str
    taylor: Callable[[int], Coefficient] = field(repr=False)
    derivatives: Callable[[Any, Array, int], list[Array]] = field(repr=False)
    kinks: tuple[Fraction, ...] = ()
    degree: int | None = None
    generic: bool = False
    has_pole: bool = False

    def __call__(self, operand: Expression | Scalar) -> Apply:
        """The activation applied to every entry of an expression."""
        return Apply(self, as_expression(operand))

    def taylor_at_zero(self, order: int) -> list[Coefficient]:
        """Coefficients 0..order at zero.

        Raises:
            NotDifferentiableError: a coefficient beyond the value is asked for at a kink.
        """
        if order >= 1 and Fraction(0) in self.kinks:
            raise NotDifferentiableError(f"{self.name} has no derivative at 0")
        return [self.taylor(k) for k in range(order + 1)]


def _no_reciprocal_of_zero(k: int) -> Coefficient:
    del k
    raise NotDifferentiableError("reciprocal has a pole at 0")


def _reciprocal_derivatives(ops: Any, x: Array, order: int) -> list[Array]:
    # (1/x)^(k) = (-1)^k k! / x^(k + 1)
    del ops
    found = [1.0 / x]
    for k in range(1, order + 1):
        found.append(-k * found[-1] * found[0])
    return found


reciprocal = Activation("reciprocal", _no_reciprocal_of_zero, _reciprocal_derivatives, has_pole=True)
"""1 / x, which a quotient stands for; its argument is not zero at the initial point."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Input(Node):
    """The residual stream h: rows x columns, and whatever axes follow: Input("c", "y", "x") is an image."""

    shape: Shape

    def __init__(self, *sizes: Dimension, shape: Shape | None = None) -> None:
        _set_shape(self, _of_leaf("Input", sizes, shape, (COLUMNS,)))

    @property
    def rows(self) -> Dimension:
        """The dimension of the first axis."""
        return self.shape[0]

    @property
    def columns(self) -> Dimension:
        """The dimension of the second axis."""
        return self.shape[1]


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Weight(Node):
    """A matrix of parameters, rows x columns, or an array of more axes, Weight("heads", "k", "d"); known by identity.

    A tuple in the place of the rows is the whole shape. One that is not `trainable` stays where it starts. `initial`
    may be an array or nested lists of exact numbers; zeros, ones and the identity are recognised in them. Weights
    without a `name` are called W1, W2, ... in the order in which they were made, which `number` keeps.

    Raises:
        ArchitectureError: an argument is none of these, or does not fit the others.
    """

    shape: Shape
    initial: Initial
    name: str | None
    trainable: bool
    number: int = field(init=False)

    def __init__(
        self,
        *sizes: Dimension | Shape,
        shape: Shape | None = None,
        initial: Initial | Any = zero,  # an array is an argument, and no value of the field
        name: str | None = None,
        trainable: bool = True,
    ) -> None:
        start = values_of(initial) if is_given(initial) else initial
        if not isinstance(start, Zero | Ones | Identity | Normal | Values):
            raise ArchitectureError(
                f"Weight: initial is {show_value(start)}; "
                "expected zero, ones, identity_initial, normal(variance) or an array"
            )
        if not isinstance(trainable, bool):
            raise ArchitectureError(f"Weight: trainable is {show_value(trainable)}; expected True or False")
        if name is not None and not (isinstance(name, str) and name.isidentifier()):
            raise ArchitectureError(f'Weight: name is {show_value(name)}; expected a name such as "W1"')
        start = recognised(start) if isinstance(start, Values) else start
        _set(self, initial=start, name=name, trainable=trainable, number=next(_NUMBERS))
        _set_shape(self, _of_leaf("Weight", sizes, shape, (1,)))
        if (given := given_shape(self)) is not None:
            check_given(given, self.shape)
        if self.initial == identity_initial and not (len(self.shape) == 2 and self.shape[0] == self.shape[1]):
            raise ArchitectureError(f"Weight: an identity of shape {show_shape(self.shape)}; expected a square one")


def given_shape(weight: Weight) -> tuple[int, ...] | None:
    """The shape of the array that the weight starts at, where it was given one."""
    return None if isinstance(weight.initial, Normal) else weight.initial.shape


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Constant(Node):
    """A fixed array: a rational that fills it, or a pattern of `patterns`.

    "causal" has entry (s, t) = 1 iff s <= t; "shift k" has entry (s, t) = 1 iff t = s + k, so that h @ shift
    moves the columns of h to the right by k.

    Raises:
        ArchitectureError: no exact number and no pattern that is known, or a pattern of another shape.
    """

    value: Scalar | str
    shape: Shape

    def __init__(self, value: Scalar | str, *sizes: Dimension | Shape, shape: Shape | None = None) -> None:
        _set(self, value=value)
        _set_shape(self, _of_leaf("Constant", sizes or (1,), shape, (1,)))
        if not isinstance(self.value, str):
            check_number("Constant: the value", self.value)
            return
        if not is_pattern(self.value):
            raise ArchitectureError(
                f'Constant: the pattern is {show_value(self.value)}; expected "identity", "causal" or "shift k"'
            )
        if expected := refused_shape(self.value, self.shape):
            raise ArchitectureError(f'Constant: "{self.value}" of shape {show_shape(self.shape)}; expected {expected}')

    def entry(self, place: Sequence[int], shape: Sequence[int]) -> Scalar:
        """The entry at a place, numbered from 0, of the constant with these sizes."""
        return pattern_entry(self.value, place, shape) if isinstance(self.value, str) else self.value


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Einsum(Node):
    """One operand with its axes in another order, or the sum of products of the entries of two.

    The pattern names the axes of each operand and of the result, "i a, a t -> i t": an axis of both operands that the
    result lacks is summed over, one that it has as well is shared. Names are the pattern's own. `einsum` makes any
    pattern of such nodes. `form` says whether it is a matrix product or a transpose, `word` what it was made by.

    Raises:
        ArchitectureError: a pattern of another kind, or one that does not fit the operands.
    """

    pattern: str
    operands: tuple[Expression, ...]
    word: Word | None = None
    inputs: tuple[Axes, ...] = field(init=False)
    output: Axes = field(init=False)
    form: Literal["product", "transpose", "other"] = field(init=False)
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        inputs, output = read_pattern(self.pattern)
        _set(self, inputs=inputs, output=output, form=_form(inputs, output))
        if len(inputs) > 2 or any(self._is_alone(axis) for axis in (*output, *(a for one in inputs for a in one))):
            raise ArchitectureError(f'Einsum: the pattern is "{self.pattern}"; expected one that einsum makes')
        sizes = axis_dimensions(self, inputs, self.operands)
        _set_shape(self, tuple(sizes[axis] for axis in output))

    def _is_alone(self, axis: str) -> bool:
        return sum(axis in names for names in (*self.inputs, self.output)) < 2


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Add(Node):
    """The sum left + right, broadcast from dimension 1."""

    left: Expression
    right: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _broadcast(self))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Multiply(Node):
    """The elementwise product left * right, broadcast from dimension 1."""

    left: Expression
    right: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _broadcast(self))

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The two factors."""
        return (self.left, self.right)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Apply(Node):
    """An activation applied to every entry."""

    activation: Activation
    operand: Expression
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand(self.activation.name, self.operand).shape)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Softmax(Node):
    """exp(u) / sum exp(u) along `axis`; with a mask on the last two axes, over the entries where that is positive.

    A mask that hides nothing is dropped.

    Raises:
        ArchitectureError: a mask of another shape, or one that hides a whole line.
    """

    operand: Expression
    axis: int
    mask: Constant | None = None
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand("softmax", self.operand).shape)
        _set(self, axis=position("softmax", self.operand, self.axis))
        seen = self.operand.shape[-2:]
        if self.mask is not None and (not isinstance(self.mask, Constant) or self.mask.shape != seen):
            raise ArchitectureError(
                f"softmax: the mask is {describe(self.mask)}; expected a Constant of shape {show_shape(seen)}"
            )
        if self.mask is not None and self.axis < len(self.shape) - 2:
            raise ArchitectureError(
                f"softmax: a mask along the axis {self.shape[self.axis]} of {describe(self.operand)}; "
                "expected one of the last two axes"
            )
        if self.mask is not None:
            object.__setattr__(self, "mask", _effective_mask(self.mask))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Normalize(Node):
    """(u - mean(u)) / sqrt(var(u) + epsilon) along `axis` (LayerNorm); uncentred: u / sqrt(mean(u^2) + epsilon)."""

    operand: Expression
    axis: int
    centred: bool = True
    epsilon: Scalar = 0
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        _set_shape(self, _operand("normalise", self.operand).shape)
        _set(self, axis=position("normalise", self.operand, self.axis))
        check_number("normalise: epsilon", self.epsilon, least=0)


NODE_KINDS = (Input, Weight, Constant, Einsum, Add, Multiply, Apply, Softmax, Normalize)


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
            f"constant: {show_value(value)} is {a_kind(value)}; expected an expression, an int or a Fraction"
        )
    return Constant(value)


def _exact(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return "Fraction(1, 2)"
    return written(Fraction(value).limit_denominator(1000))


def cut(operand: Expression, axis: Axis, start: int, stop: int, step: int = 1) -> Expression:
    """The places start, start + step, ... below stop of an axis, whose dimension is a number.

    Raises:
        ArchitectureError: the dimension is a name, or has no such places.
    """
    place = position("cut", operand, axis)
    size = operand.shape[place]
    if not isinstance(size, int):
        raise ArchitectureError(f"cut: the axis {size} of {describe(operand)} is a name; expected a number of places")
    if not (0 <= start < stop <= size and step >= 1):
        raise ArchitectureError(
            f"cut: {start}:{stop}:{step} of the axis {size} of {describe(operand)}; expected places from 0 to {size}"
        )
    names = axis_names(operand)
    result = (*names[:place], "taken", *names[place + 1 :])
    selection = Constant(f"take {start} {step}", size, len(range(start, stop, step)))
    pattern = pattern_of(((names[place], "taken"), names), result)
    return Einsum(pattern, (selection, operand), "cut" if step == 1 else None)


_OWN = re.compile(r"whole$|taken$|kept$|column$|(part|axis)\d")
"""Names of axes that are made by words."""


def axis_names(operand: Expression) -> Axes:
    """A name for every axis: its dimension's, where that is a word of its own."""
    words = [str(n) if isinstance(n, str) and n.isidentifier() and not _OWN.match(n) else "" for n in operand.shape]
    return tuple(word if word and words.count(word) == 1 else f"axis{k}" for k, word in enumerate(words))


def axis_dimensions(
    shown: str | Einsum, inputs: Sequence[Axes], operands: Sequence[Expression]
) -> dict[str, Dimension]:
    """The dimension of every axis of a pattern.

    Raises:
        ArchitectureError: it does not fit the operands; the message names the axis.
    """
    if isinstance(shown, Einsum) and shown.form == "product" and len(operands) == 2:
        left, right = operands
        if len(left.shape) == len(right.shape) == 2 and left.shape[1] != right.shape[0]:
            raise ArchitectureError(
                _misfit(shown, left, right, "the columns on the left to equal the rows on the right")
            )
    pattern = shown.pattern if isinstance(shown, Einsum) else shown
    found: dict[str, tuple[Dimension, Expression]] = {}
    if len(inputs) != len(operands):
        raise ArchitectureError(f'einsum("{pattern}"): {len(operands)} operands; expected {len(inputs)}')
    for names, operand in zip(inputs, operands, strict=True):
        if len(_operand("einsum", operand).shape) != len(names):
            raise ArchitectureError(
                f'einsum("{pattern}"): {describe(operand)} has {len(operand.shape)} axes; '
                f"the pattern names {len(names)}: {' '.join(names) or 'none'}"
            )
        for name, dimension in zip(names, operand.shape, strict=True):
            known, first = found.setdefault(name, (dimension, operand))
            if known != dimension:
                raise ArchitectureError(
                    f'einsum("{pattern}"): the axis {name} is {known} in {describe(first)} '
                    f"and {dimension} in {describe(operand)}; expected one dimension"
                )
    return {name: dimension for name, (dimension, _) in found.items()}


def _form(inputs: Sequence[Axes], output: Axes) -> str:
    match inputs:
        case ((a, b), (c, d)) if b == c and a != d and output == (a, d):
            return "product"
        case ((a, b),) if output == (b, a):
            return "transpose"
        case _:
            return "other"


def operands(node: Expression) -> tuple[Expression, ...]:
    """The nodes that `node` is made from, in the order in which parameters are numbered."""
    match node:
        case Input() | Weight() | Constant():
            return ()
        case Einsum():
            return node.operands[::-1]
        case Add() | Multiply():
            return (node.left, node.right)
        case Apply() | Normalize():
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


@lru_cache(maxsize=256)
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
    return f"{value.shown()} of shape {show_shape(value.shape)}" if isinstance(value, NODE_KINDS) else show_value(value)


def _set_shape(node: Expression, shape: Shape) -> None:
    if len(shape) > MOST_AXES:
        raise ArchitectureError(f"a value has {len(shape)} axes, {show_shape(shape)}; expected at most {MOST_AXES}")
    _set(node, shape=shape)


def _set(node: Expression, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(node, name, value)


def _of_leaf(kind: str, sizes: Sequence[Dimension | Shape], shape: Shape | None, columns: Shape) -> Shape:
    """The shape of a leaf: the sizes of its axes, the columns where they are left out, or a tuple that is all of it.

    Raises:
        ArchitectureError: there are none, or one is no dimension.
    """
    if shape is None and not sizes:
        raise ArchitectureError(f'{kind}: no dimension; expected a name such as "d" or a positive int below 10^9')
    first = shape if shape is not None else sizes[0]
    return tuple(
        _dimension(kind, n) for n in (first if isinstance(first, tuple) else (*sizes, *columns[len(sizes) - 1 :]))
    )


def _dimension(kind: str, value: Any) -> Dimension:
    if is_whole(value, 1, 10**9 - 1):
        return value
    if isinstance(value, str) and all(part.isidentifier() or counts(part) for part in value.split("*")):
        return value
    raise ArchitectureError(
        f'{kind}: a dimension is {show_value(value)}; expected a name such as "d" or a positive int below 10^9'
    )


def _operand(operation: str, value: Expression) -> Expression:
    if not isinstance(value, NODE_KINDS):
        raise ArchitectureError(f"{operation}: an operand is {show_value(value)}; expected an expression")
    return value


def position(operation: str, operand: Expression, axis: Axis) -> int:
    """The position of an axis that is given by its position or by its dimension's name.

    Raises:
        ArchitectureError: there is none, or there are several.
    """
    places = range(len(operand.shape))
    if isinstance(axis, str) and operand.shape.count(axis) == 1:
        return operand.shape.index(axis)
    if isinstance(axis, int) and not isinstance(axis, bool) and axis in places:
        return axis
    expected = "0 (down a column) or 1 (along a row)" if len(places) == 2 else f"0 to {len(places) - 1}"
    if isinstance(axis, str):
        expected += f", or a dimension that {describe(operand)} has once"
    raise ArchitectureError(f"{operation}: axis is {show_value(axis)}; expected {expected}")


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


def is_number(node: Expression) -> bool:
    """Whether a node is a constant of one entry."""
    return isinstance(node, Constant) and not isinstance(node.value, str) and set(node.shape) <= {1}


def _broadcast(node: Add | Multiply) -> Shape:
    symbol = "+" if isinstance(node, Add) else "*"
    left, right = _operand(symbol, node.left).shape, _operand(symbol, node.right).shape
    if len(left) != len(right):
        left, right = _with_equal_axes(node)
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
        raise ArchitectureError(_misfit(node, node.left, node.right, "equal dimensions, or 1"))
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


def _with_equal_axes(node: Add | Multiply) -> tuple[Shape, Shape]:
    """The shapes after a number has got as many axes as the other operand.

    Raises:
        ArchitectureError: neither operand is a number.
    """
    for side, operand, other in (("left", node.left, node.right), ("right", node.right, node.left)):
        if isinstance(operand, Constant) and is_number(operand):
            _set(node, **{side: Constant(operand.value, (1,) * len(other.shape))})
            return node.left.shape, node.right.shape
    raise ArchitectureError(_misfit(node, node.left, node.right, "as many axes on both sides, each equal or 1"))


def _misfit(node: Expression, left: Expression, right: Expression, expected: str) -> str:
    return (
        f"{node.shown()}: the left has shape {show_shape(left.shape)}, "
        f"the right {show_shape(right.shape)}; expected {expected}"
    )
