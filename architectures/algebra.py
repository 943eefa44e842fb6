"""Expressions in more words than `+` and `@`: contractions, what moves, cuts and joins axes, normalisations.

All of it is `einsum`, constants of 0 and 1, and the other kinds of nodes. Dimensions go by name: "heads*k" is the axis
that "heads" and "k" make together, the last running fastest. To cut, to put side by side and to step over places takes
numbers, because a name has no places.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

from resproof.architectures.dimensions import (
    COLUMNS,
    Axes,
    Dimension,
    Shape,
    factors,
    pattern_of,
    product_of,
    read_pattern,
)
from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.nodes import (
    Axis,
    Constant,
    Einsum,
    Expression,
    Normalize,
    Softmax,
    Weight,
    Word,
    axis_dimensions,
    axis_names,
    describe,
    position,
)
from resproof.architectures.values import Scalar, is_whole, values_of


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
    if not is_whole(steps, 1 - 10**9, 10**9 - 1):
        raise ArchitectureError(f"shift: steps is {show_value(steps)}; expected an int below 10^9 in modulus")
    return Constant(f"shift {steps}", size, size)


def einsum(pattern: str, *operands: Expression, word: Word | None = None) -> Expression:
    """The sum of products of entries that the pattern says: W @ h is that of "i a, a t -> i t".

    Axes have names separated by spaces, operands are separated by commas. An axis that the result lacks is summed over.
    Names are the pattern's own, and each stands for one dimension. Several operands are contracted from the right, two
    at a time. A name that occurs twice in one operand (a diagonal) or in the result is refused: multiply by
    `identity(n)` instead. `word` is what the last of these contractions is remembered by.

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
        right, names = Einsum(pattern_of((own, names), result), (left, right), None if k else word), result
    right, names = _summed(right, names, {*output}, sizes)
    return right if names == output else Einsum(pattern_of((names,), output), (right,))


def _summed(
    operand: Expression, names: Axes, kept: Collection[str], sizes: Mapping[str, Dimension]
) -> tuple[Expression, Axes]:
    """The operand summed over its axes that are not kept."""
    for axis in names:
        if axis not in kept:
            rest = tuple(other for other in names if other != axis)
            operand, names = Einsum(pattern_of((names, (axis,)), rest), (operand, Constant(1, (sizes[axis],)))), rest
    return operand, names


def softmax(operand: Expression, axis: Axis, mask: Constant | None = None) -> Softmax:
    """Softmax along `axis`, a position or a dimension's name (0: each column sums to one)."""
    return Softmax(operand, position("softmax", operand, axis), mask)


def layer_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """LayerNorm without gain and bias: each column centred and scaled to unit variance."""
    return Normalize(operand, position("normalise", operand, axis), centred=True, epsilon=epsilon)


def rms_norm(operand: Expression, axis: Axis = 0, epsilon: Scalar = 0) -> Normalize:
    """RMSNorm without gain: each column scaled to unit mean square."""
    return Normalize(operand, position("normalise", operand, axis), centred=False, epsilon=epsilon)


def split(operand: Expression, pattern: str) -> Expression:
    """One axis as several, by their dimensions: "heads*k -> heads k", or "8 -> 2 4" with numbers.

    Raises:
        ArchitectureError: no such pattern, no such axis, or dimensions whose product it is not.
    """
    before, after = _dimensions("split", pattern)
    if len(before) != 1 or len(after) < 2:
        raise ArchitectureError(
            f'split: the pattern is {show_value(pattern)}; expected one such as "heads*k -> heads k"'
        )
    place = _place("split", operand, before[0])
    whole = operand.shape[place]
    if _sorted(whole) != _sorted(product_of(after)):
        raise ArchitectureError(
            f"split: the axis {whole} of {describe(operand)} is not {'*'.join(map(str, after))}; "
            f'expected a dimension that is written as this product, "{product_of(after)}"'
        )
    names, parts = axis_names(operand), tuple(f"part{k}" for k in range(len(after)))
    result = (*names[:place], *parts, *names[place + 1 :])
    return Einsum(pattern_of((names, (names[place], *parts)), result), (operand, Constant("split", (whole, *after))))


def join(operand: Expression, pattern: str) -> Expression:
    """Several axes as one, where the first of them was, by their dimensions: "heads k -> heads*k".

    Raises:
        ArchitectureError: no such pattern, no such axes, or a dimension that is not their product.
    """
    before, after = _dimensions("join", pattern)
    if len(after) != 1 or len(before) < 2:
        raise ArchitectureError(
            f'join: the pattern is {show_value(pattern)}; expected one such as "heads k -> heads*k"'
        )
    places = _run_of(operand, before) or [_place("join", operand, dimension) for dimension in before]
    if _sorted(after[0]) != _sorted(product_of(before)):
        raise ArchitectureError(f"join: {after[0]} is not {product_of(before)}; expected {product_of(before)}")
    names = axis_names(operand)
    parts = tuple(names[place] for place in places)
    rest = [name for name in names if name not in parts or name == names[min(places)]]
    result = tuple("whole" if name in parts else name for name in rest)
    return Einsum(pattern_of((("whole", *parts), names), result), (Constant("split", (after[0], *before)), operand))


def _run_of(operand: Expression, dimensions: Shape) -> list[int] | None:
    """The neighbouring axes with these dimensions, where there is one such run."""
    count = len(dimensions)
    wanted = [_sorted(n) for n in dimensions]
    found = [k for k in range(len(operand.shape)) if [_sorted(n) for n in operand.shape[k : k + count]] == wanted]
    return list(range(found[0], found[0] + count)) if len(found) == 1 else None


def total(operand: Expression, axis: Axis, *, keep: bool = False) -> Expression:
    """The sum along an axis, which is left out or, with `keep`, has length 1."""
    return _reduced("total", operand, axis, 1, keep=keep)


def mean(operand: Expression, axis: Axis, *, keep: bool = False) -> Expression:
    """The mean along an axis, which is left out or, with `keep`, has length 1."""
    return _reduced("mean", operand, axis, "mean", keep=keep)


def _reduced(word: str, operand: Expression, axis: Axis, entry: int | str, *, keep: bool) -> Expression:
    place, names = position(word, operand, axis), axis_names(operand)
    kept = ("kept",) if keep else ()
    weights = Constant(entry, (operand.shape[place], *[1 for _ in kept]))
    result = (*names[:place], *kept, *names[place + 1 :])
    return Einsum(pattern_of(((names[place], *kept), names), result), (weights, operand))


def concat(axis: int, *operands: Expression) -> Expression:
    """The operands side by side along an axis, which has a number for its dimension in each.

    Raises:
        ArchitectureError: none, or the dimension of the axis is a name, or another axis differs.
    """
    if not operands:
        raise ArchitectureError("concat: no operands; expected at least one")
    places = [position("concat", operand, axis) for operand in operands]
    sizes = [operand.shape[place] for operand, place in zip(operands, places, strict=True)]
    if named := [size for size in sizes if not isinstance(size, int)]:
        raise ArchitectureError(f"concat: the axis {named[0]} is a name; expected a number of places")
    whole, start, parts = sum(map(int, sizes)), 0, list[Expression]()
    for operand, place, size in zip(operands, places, sizes, strict=True):
        names = axis_names(operand)
        result = (*names[:place], "whole", *names[place + 1 :])
        selection = Constant(f"take {start} 1", whole, size)
        parts.append(Einsum(pattern_of((("whole", names[place]), names), result), (selection, operand)))
        start += int(size)
    return reduce(lambda one, other: one + other, parts)


def conv2d(image: Expression, weight: Expression, *, stride: int = 1, padding: int | None = None) -> Expression:
    """The convolution of an image (c, y, x) with a weight (o, c, a, b), as networks have it (no tap is turned round).

    A weight (c, a, b) is a kernel for each channel by itself.
    Beyond the edges there is 0, `padding` rows and columns of it; without a number as many as keep the image's size,
    for an odd number of taps. A stride or another padding takes numbers for y and x.

    Raises:
        ArchitectureError: other numbers of axes or channels, or sizes that do not go.
    """
    channels = weight.shape[:-2]
    if len(image.shape) != 3 or len(channels) not in (1, 2) or image.shape[0] != channels[-1]:
        raise ArchitectureError(
            f"conv2d: {describe(image)} with {describe(weight)}; "
            "expected (c, y, x) with (o, c, a, b) or (c, a, b), c the same"
        )
    rows, columns = (
        window(image, size, taps, stride, padding)
        for size, taps in zip(image.shape[1:], weight.shape[-2:], strict=True)
    )
    before, after = ("o c", "o") if len(channels) == 2 else ("c", "c")
    return einsum(f"{before} a b, y p a, x q b, c y x -> {after} p q", weight, rows, columns, image, word="conv2d")


def average_pool(image: Expression, size: int) -> Expression:
    """The means of the size x size squares that an image (c, y, x) is cut into; y and x are numbers.

    Raises:
        ArchitectureError: another number of axes, or sizes that do not go.
    """
    if len(image.shape) != 3:
        raise ArchitectureError(f"average_pool: {describe(image)}; expected three axes, (c, y, x)")
    rows, columns = (window(image, n, size, size, 0) for n in image.shape[1:])
    return einsum("a, b, y p a, x q b, c y x -> c p q", *[Constant("mean", (size,))] * 2, rows, columns, image)


def placed(column: Expression, operand: Expression, axis: Axis) -> Expression:
    """A column along one axis of the operand, and 1 along all others, for `+` and `*` to broadcast."""
    place, names = position("placed", operand, axis), axis_names(operand)
    if place == 0 and len(names) == 2:
        return column
    shape = tuple(n if k == place else 1 for k, n in enumerate(operand.shape))
    whole = " ".join(names)
    return einsum(f"{names[place]} column, {whole} -> {whole}", column, Constant(1, shape))


def window(image: Expression, size: Dimension, taps: Dimension, stride: int, padding: int | None) -> Constant:
    """Which place of the image each tap reads for each place of the result, along an axis of that size.

    Raises:
        ArchitectureError: sizes that do not go.
    """
    if padding is None and not (isinstance(taps, int) and taps % 2):
        raise ArchitectureError(f"conv2d: {taps} taps on {describe(image)}; expected an odd number, or a padding")
    border = padding if padding is not None else (int(taps) - 1) // 2
    for word, number, least in (("stride", stride, 1), ("padding", border, 0)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise ArchitectureError(f"conv2d: {word} is {show_value(number)}; expected an int >= {least}")
    if stride == 1 and isinstance(taps, int) and 2 * border == taps - 1:
        return Constant(f"window 1 {border}", size, size, taps)
    if not (isinstance(size, int) and isinstance(taps, int) and size + 2 * border >= taps):
        raise ArchitectureError(
            f"conv2d: stride {stride} and padding {border} on the axis {size} of {describe(image)}, {taps} taps; "
            "expected numbers, or what keeps the size"
        )
    return Constant(f"window {stride} {border}", size, (size + 2 * border - taps) // stride + 1, taps)


def _sorted(dimension: Dimension) -> list[str]:
    return sorted(map(str, factors(dimension)))


def _dimensions(word: str, pattern: str) -> tuple[Shape, Shape]:
    before, arrow, after = pattern.partition("->") if isinstance(pattern, str) else ("", "", "")
    found = tuple(tuple(int(n) if n.isdecimal() else n for n in part.split()) for part in (before, after))
    if not arrow or not all(found):
        raise ArchitectureError(f'{word}: the pattern is {show_value(pattern)}; expected one such as "8 -> 2 4"')
    return found[0], found[1]


def _place(word: str, operand: Expression, dimension: Dimension) -> int:
    places = [k for k, n in enumerate(operand.shape) if _sorted(n) == _sorted(dimension)]
    if len(places) != 1:
        raise ArchitectureError(
            f"{word}: {dimension} is no axis, or several, of {describe(operand)}; expected just one"
        )
    return places[0]


def batch_norm(
    operand: Expression, axis: Axis = 0, *, mean: Any = None, variance: Any = None, epsilon: Scalar = 0
) -> Expression:
    """(operand - mean) / sqrt(variance + epsilon), with a mean and a variance for each place along `axis`.

    It is scale * operand + shift, with frozen weights of these names: the floats 1 / sqrt(variance + epsilon) and
    -mean / sqrt(variance + epsilon). Gain and offset are weights of one's own, as for `layer_norm`.

    Raises:
        ArchitectureError: no statistics, no numbers, too few of them, or a variance + epsilon that is not positive.

    >>> from resproof.architectures.nodes import Input
    >>> batch_norm(Input("d"), mean=[1, 2], variance=[4, 9]).shape
    ('d', 't')
    """
    if mean is None or variance is None:
        raise ArchitectureError(
            "BatchNorm couples the samples; expected layer_norm or rms_norm, which act on each sample alone, or fixed "
            "statistics, mean= and variance="
        )
    size = operand.shape[position("batch_norm", operand, axis)]
    means, variances = _numbers("mean", mean), _numbers("variance", variance)
    if len(means) != len(variances) or (isinstance(size, int) and len(means) != size):
        raise ArchitectureError(
            f"batch_norm: {len(means)} means and {len(variances)} variances; expected one of both for each of {size}"
        )
    least = min(variances) + epsilon
    if least <= 0:
        raise ArchitectureError(f"batch_norm: variance + epsilon is {show_value(least)}; expected more than 0")
    scale = [1 / math.sqrt(one + epsilon) for one in variances]
    shift = [-one * factor for one, factor in zip(means, scale, strict=True)]
    factors, offsets = (
        placed(Weight(size, 1, initial=numbers, name=name, trainable=False), operand, axis)
        for name, numbers in (("scale", scale), ("shift", shift))
    )
    return factors * operand + offsets


def _numbers(name: str, given: Any) -> tuple[float, ...]:
    """Numbers in a row, as floats.

    Raises:
        ArchitectureError: they are none.
    """
    try:
        found = values_of(given)
    except ArchitectureError:
        found = None
    if found is None or found.shape[1] != 1:
        raise ArchitectureError(f"batch_norm: {name} is {show_value(given)}; expected a list of finite numbers")
    return found.floats
