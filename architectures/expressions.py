"""A residual unit as an expression: a small immutable graph over nine node kinds.

A value has axes, each with a dimension: a name ("d"), a positive number, or a product ("heads*k"). Two axes are
(rows, columns): a vector is (rows, 1), a scalar (1, 1). Addition and elementwise multiplication broadcast from 1 only.
What is linear in each of its operands and moves axes is one kind, `Einsum`; `@`, `.T` and the functions of `axes` are
other words for it.

The columns of an input of two axes are samples when the expression never mixes columns, tokens of one sample otherwise
(`properties.mixes_columns`). All axes of an input of more are those of one sample.

A reading of the language is one function with one `match` over the kinds, closed by `assert_never`. Nodes are
compared by identity: a `Weight` used twice is one shared weight, and a reading is memoised over shared nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, TypeVar, assert_never

from resproof.architectures.dimensions import Dimension, Shape, show_shape
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.names import a_kind
from resproof.architectures.patterns import is_pattern, pattern_entry, refused_shape
from resproof.architectures.values import Values, is_given, values_of

if TYPE_CHECKING:
    from resproof.architectures.activations import Activation

Scalar: TypeAlias = int | Fraction
Axis: TypeAlias = int | str
Expression: TypeAlias = "Input | Weight | Constant | Einsum | Add | Multiply | Apply | Softmax | Normalize"
Reading = TypeVar("Reading")

Axes: TypeAlias = tuple[str, ...]
"""The names that a pattern gives to the axes of one operand, or of the result."""

PRODUCT, TRANSPOSE = "i j, j k -> i k", "i j -> j i"
"""What `@` and `.T` stand for."""

MOST_POWER = 100

MOST_AXES = 7
"""Axes that a value may have."""

COLUMNS: Dimension = "t"
"""The dimension of the input's columns: samples, or the tokens of one sample."""


class _Operators:
    """The arithmetic of the papers: `+`, `-`, elementwise `*`, `/` and `**`, matrix `@` and `.T`."""

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

    def __truediv__(self: Any, other: Expression | Scalar) -> Multiply:
        if isinstance(other, NODE_KINDS):
            from resproof.architectures.activations import reciprocal

            return Multiply(self, reciprocal(other))
        check_number("/: the divisor", other)
        if other == 0:
            raise ArchitectureError(f"{describe(self)}: divided by 0; expected another number")
        return Multiply(Constant(1 / Fraction(other)), self)

    def __pow__(self: Any, power: int) -> Expression:
        if not isinstance(power, int) or isinstance(power, bool) or not 1 <= power <= MOST_POWER:
            raise ArchitectureError(
                f"{describe(self)}: the power is {show_value(power)}; expected an int from 1 to {MOST_POWER}"
            )
        return reduce(Multiply, [self] * power)

    def __matmul__(self: Any, other: Expression) -> Einsum:
        for operand in (self, other):
            if len(_operand("@", operand).shape) != 2:
                raise ArchitectureError(f"@: {describe(operand)}; expected two axes, or einsum with a name for each")
        return Einsum(PRODUCT, (self, other))

    def __getitem__(self: Any, places: slice | tuple[slice, ...]) -> Expression:
        """The places start:stop:step of each axis: h[0:4], x[:, 2:6].

        Raises:
            ArchitectureError: no slices, or places that an axis does not have.
        """
        from resproof.architectures.axes import cut

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

    __iter__ = None

    @property
    def T(self: Any) -> Einsum:
        if len(self.shape) != 2:
            raise ArchitectureError(f".T: {describe(self)}; expected two axes, or einsum with a name for each")
        return Einsum(TRANSPOSE, (self,))

    def __repr__(self: Any) -> str:
        return describe(self)

    def _repr_latex_(self: Any) -> str:
        from resproof.architectures.text import latex

        return f"${latex(self)}$"


@dataclass(frozen=True)
class _Recognised:
    """An array that is known whatever its size; `shape` is that of the array it was recognised in, if any."""

    shape: tuple[int, ...] | None = field(default=None, compare=False, repr=False)


class Zero(_Recognised):
    """Every entry 0: the weights of the papers' initial point."""


class Ones(_Recognised):
    """Every entry 1: the gain of a normalisation."""


class Identity(_Recognised):
    """The identity matrix."""


@dataclass(frozen=True)
class Normal:
    """Independent Gaussian entries of mean 0; `variance` is a number, or "1/d" for a dimension d."""

    variance: str | Scalar = "1/d"

    @property
    def quotient(self) -> tuple[Scalar, int | str]:
        """The variance as one number over another, or over a dimension's name."""
        if not isinstance(self.variance, str):
            return self.variance, 1
        numerator, _, divisor = (part.strip() for part in self.variance.partition("/"))
        return int(numerator), int(divisor) if divisor.isdecimal() else divisor


Initial: TypeAlias = Zero | Ones | Identity | Normal | Values
zero, ones, identity_initial = Zero(), Ones(), Identity()
_NUMBERS = count()


def is_arbitrary(initial: Initial) -> bool:
    """Whether the exact side takes the initial value for any matrix whatever: one that is drawn, or an array."""
    return isinstance(initial, Normal | Values)


def normal(variance: str | Scalar = "1/d") -> Normal:
    """Initial weights drawn from N(0, variance): the argument is the variance, not the standard deviation.

    Raises:
        ArchitectureError: the variance is neither a positive exact number nor a text such as "1/d".
    """
    if isinstance(variance, float) and 0.0 < variance < 1e9 and (near := Fraction(variance).limit_denominator(10**6)):
        raise ArchitectureError(
            f"normal: takes an exact variance: normal({_written(near)}) for {variance!r}, "
            f"normal({_written(near**2)}) for standard deviation {variance!r}"
        )
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
    """The residual stream h: `rows` x columns, and whatever axes follow: Input("c", "y", "x") is an image."""

    rows: Dimension
    columns: Dimension = COLUMNS
    more: Shape = ()
    shape: Shape = field(init=False)

    def __init__(self, rows: Dimension, columns: Dimension = COLUMNS, *further: Dimension, more: Shape = ()) -> None:
        _set(self, rows=rows, columns=columns, more=further or more)
        _set_shape(self, _dimensions("Input", rows, columns, self.more))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Weight(_Operators):
    """A matrix of parameters, `rows` x `cols`, or an array of more axes, Weight("heads", "k", "d"); known by identity.

    A tuple in the place of `rows` is the whole shape. One that is not `trainable` stays where it starts. `initial` may
    be an array or nested lists of exact numbers; zeros, ones and the identity are recognised in them. Weights without a
    `name` are called W1, W2, ... in the order in which they were made, which `number` keeps.
    """

    rows: Dimension
    cols: Dimension = 1
    more: Shape = ()
    initial: Initial = field(default=zero, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    trainable: bool = field(default=True, kw_only=True)
    shape: Shape = field(init=False)
    number: int = field(init=False, compare=False, repr=False)

    def __init__(
        self,
        rows: Dimension | Shape,
        cols: Dimension = 1,
        *further: Dimension,
        more: Shape = (),
        initial: Initial | Any = zero,  # an array is an argument, and no value of the field
        name: str | None = None,
        trainable: bool = True,
    ) -> None:
        rows, cols, more = _spelled(rows, cols, further or more)
        _set(self, rows=rows, cols=cols, more=more, initial=initial, name=name, trainable=trainable)
        _set(self, number=next(_NUMBERS))
        self.__post_init__()

    def __post_init__(self) -> None:
        if is_given(self.initial):
            object.__setattr__(self, "initial", values_of(self.initial))
        if not isinstance(self.initial, Zero | Ones | Identity | Normal | Values):
            raise ArchitectureError(
                f"Weight: initial is {show_value(self.initial)}; "
                "expected zero, ones, identity_initial, normal(variance) or an array"
            )
        if not isinstance(self.trainable, bool):
            raise ArchitectureError(f"Weight: trainable is {show_value(self.trainable)}; expected True or False")
        if self.name is not None and not (isinstance(self.name, str) and self.name.isidentifier()):
            raise ArchitectureError(f'Weight: name is {show_value(self.name)}; expected a name such as "W1"')
        _set_shape(self, _dimensions("Weight", self.rows, self.cols, self.more))
        if isinstance(self.initial, Values):
            object.__setattr__(self, "initial", _recognised(self.initial))
        if (given := given_shape(self)) is not None:
            _check_given(given, self.shape)
        if self.initial == identity_initial and not _is_square(self.shape):
            raise ArchitectureError(f"Weight: an identity of shape {show_shape(self.shape)}; expected a square one")


def given_shape(weight: Weight) -> tuple[int, ...] | None:
    """The shape of the array that the weight starts at, where it was given one."""
    return None if isinstance(weight.initial, Normal) else weight.initial.shape


_RECOGNISED = {"zero": Zero, "ones": Ones, "identity": Identity}


def _recognised(values: Values) -> Initial:
    kind = values.kind
    return values if kind is None else _RECOGNISED[kind](values.shape)


def _check_given(given: tuple[int, ...], shape: Shape) -> None:
    """Nothing, where an array has the shape of its weight: the numbers in it, and one size for a name.

    Raises:
        ArchitectureError: it has not.
    """
    known: dict[str, int] = {}
    if len(given) != len(shape):
        raise ArchitectureError(
            f"Weight: initial has shape {show_shape(given)}; expected {show_shape(shape)}, the weight's"
        )
    for dimension, size in zip(shape, given, strict=True):
        if (dimension if isinstance(dimension, int) else known.setdefault(dimension, size)) != size:
            raise ArchitectureError(
                f"Weight: initial has shape {show_shape(given)}; expected {show_shape(shape)}, the weight's"
            )


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Constant(_Operators):
    """A fixed array: a rational that fills it, or a pattern of `patterns`.

    "causal" has entry (s, t) = 1 iff s <= t; "shift k" has entry (s, t) = 1 iff t = s + k, so that h @ shift
    moves the columns of h to the right by k.

    Raises:
        ArchitectureError: no exact number and no pattern that is known, or a pattern of another shape.
    """

    value: Scalar | str
    rows: Dimension = 1
    cols: Dimension = 1
    more: Shape = ()
    shape: Shape = field(init=False)

    def __init__(
        self,
        value: Scalar | str,
        rows: Dimension | Shape = 1,
        cols: Dimension = 1,
        *further: Dimension,
        more: Shape = (),
    ) -> None:
        rows, cols, more = _spelled(rows, cols, further or more)
        _set(self, value=value, rows=rows, cols=cols, more=more)
        self.__post_init__()

    def __post_init__(self) -> None:
        _set_shape(self, _dimensions("Constant", self.rows, self.cols, self.more))
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
class Einsum(_Operators):
    """One operand with its axes in another order, or the sum of products of the entries of two.

    The pattern names the axes of each operand and of the result, "i a, a t -> i t": an axis of both operands that the
    result lacks is summed over, one that it has as well is shared. Names are the pattern's own. `einsum` makes any
    pattern of such nodes. `form` says whether it is a matrix product or a transpose.

    Raises:
        ArchitectureError: a pattern of another kind, or one that does not fit the operands.
    """

    pattern: str
    operands: tuple[Expression, ...]
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

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The two factors."""
        return (self.left, self.right)


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
class Normalize(_Operators):
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


def einsum(pattern: str, *operands: Expression) -> Expression:
    """The sum of products of entries that the pattern says: W @ h is that of "i a, a t -> i t".

    Axes have names separated by spaces, operands are separated by commas. An axis that the result lacks is summed over.
    Names are the pattern's own, and each stands for one dimension. Several operands are contracted from the right, two
    at a time. A name that occurs twice in one operand (a diagonal) or in the result is refused: multiply by
    `identity(n)` instead.

    Raises:
        ArchitectureError: no such pattern, or one that does not fit the operands; the message names the axis.
    """
    inputs, output = read_pattern(pattern)
    if len(inputs) != len(operands):
        raise ArchitectureError(f'einsum("{pattern}"): {len(operands)} operands; expected {len(inputs)}')
    sizes = axis_dimensions(pattern, inputs, operands)
    if missing := [axis for axis in output if axis not in sizes]:
        raise ArchitectureError(f'einsum("{pattern}"): the axis {missing[0]} of the result is in no operand')
    right, names = operands[-1], inputs[-1]
    for k in reversed(range(len(operands) - 1)):
        later = {axis for one in (*inputs[:k], output) for axis in one}
        left, own = _summed(operands[k], inputs[k], {*names, *later}, sizes)
        right, names = _summed(right, names, {*own, *later}, sizes)
        kept = tuple(axis for axis in dict.fromkeys((*own, *names)) if axis in later)
        result = output if k == 0 else kept
        right, names = Einsum(_pattern_of((own, names), result), (left, right)), result
    right, names = _summed(right, names, {*output}, sizes)
    return right if names == output else Einsum(_pattern_of((names,), output), (right,))


def _summed(
    operand: Expression, names: Axes, kept: Collection[str], sizes: Mapping[str, Dimension]
) -> tuple[Expression, Axes]:
    """The operand summed over its axes that are not kept."""
    for axis in names:
        if axis not in kept:
            rest = tuple(other for other in names if other != axis)
            operand, names = Einsum(_pattern_of((names, (axis,)), rest), (operand, Constant(1, (sizes[axis],)))), rest
    return operand, names


def _pattern_of(inputs: Sequence[Axes], output: Axes) -> str:
    return f"{', '.join(' '.join(names) for names in inputs)} -> {' '.join(output)}".strip()


@lru_cache(maxsize=1024)
def read_pattern(pattern: str) -> tuple[tuple[Axes, ...], Axes]:
    """The axes of each operand, and of the result.

    Raises:
        ArchitectureError: it is no pattern.
    """
    before, arrow, after = pattern.partition("->") if isinstance(pattern, str) else ("", "", "")
    inputs, output = tuple(tuple(part.split()) for part in before.split(",")), tuple(after.split())
    if not arrow or not all(name.isidentifier() for one in (*inputs, output) for name in one):
        raise ArchitectureError(
            f'einsum: the pattern is {show_value(pattern)}; expected names of axes such as "i a, a t -> i t"'
        )
    for names in (*inputs, output):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            place = "the result" if names == output and names not in inputs else "one operand"
            raise ArchitectureError(
                f'einsum("{pattern}"): the axis {twice} occurs twice in {place}; expected different names, '
                "or a product with identity(n)"
            )
    return inputs, output


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


def softmax(operand: Expression, axis: Axis, mask: Constant | None = None) -> Softmax:
    """Softmax along `axis`, a position or a dimension's name (0: each column sums to one)."""
    return Softmax(operand, position("softmax", operand, axis), mask)


def layer_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """LayerNorm without gain and bias: each column centred and scaled to unit variance."""
    return Normalize(operand, position("normalise", operand, axis), centred=True, epsilon=epsilon)


def rms_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """RMSNorm without gain: each column scaled to unit mean square."""
    return Normalize(operand, position("normalise", operand, axis), centred=False, epsilon=epsilon)


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
    from resproof.architectures.text import (
        short_text,  # the messages show expressions, and the text reading needs the nodes
    )

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


def _set_shape(node: Expression, shape: Shape) -> None:
    if len(shape) > MOST_AXES:
        raise ArchitectureError(f"a value has {len(shape)} axes, {show_shape(shape)}; expected at most {MOST_AXES}")
    _set(node, shape=shape)


def _set(node: Expression, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(node, name, value)


def _spelled(rows: Dimension | Shape, cols: Dimension, more: Shape) -> tuple[Dimension | Shape, Dimension, Shape]:
    """A shape of two axes or more as rows, columns and the rest."""
    if isinstance(rows, tuple) and len(rows) > 1:
        return rows[0], rows[1], rows[2:]
    return rows, cols, more


def _dimensions(kind: str, rows: Dimension | Shape, columns: Dimension, more: Shape) -> Shape:
    """The shape of a leaf: `rows` is all of it where it is a tuple."""
    return tuple(_dimension(kind, n) for n in (rows if isinstance(rows, tuple) else (rows, columns, *more)))


def _is_square(shape: Shape) -> bool:
    return len(shape) == 2 and shape[0] == shape[1]


def _dimension(kind: str, value: Dimension) -> Dimension:
    counts = isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9
    if not (counts or (isinstance(value, str) and all(_is_factor(part) for part in value.split("*")))):
        raise ArchitectureError(
            f'{kind}: a dimension is {show_value(value)}; expected a name such as "d" or a positive int below 10^9'
        )
    return value


def _is_factor(part: str) -> bool:
    return part.isidentifier() or _counts(part)


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
    from resproof.architectures.text import short_text

    return (
        f"{short_text(node)}: the left has shape {show_shape(left.shape)}, "
        f"the right {show_shape(right.shape)}; expected {expected}"
    )


def _exact(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return "Fraction(1, 2)"
    return _written(Fraction(value).limit_denominator(1000))


def _written(value: Fraction) -> str:
    return f"Fraction({value.numerator}, {value.denominator})"
