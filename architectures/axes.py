"""What moves, cuts and joins the axes of a value, in terms of `einsum` and constants of 0 and 1.

Dimensions go by name: "heads*k" is the axis that "heads" and "k" make together, the last running fastest. To cut, to
put side by side and to step over places takes numbers, because a name has no places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from resproof.architectures.dimensions import Dimension, Shape, factors, product_of
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.expressions import (
    Axis,
    Constant,
    Einsum,
    Expression,
    describe,
    einsum,
    position,
    show_value,
)


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
    names, parts = _names(operand), tuple(f"part{k}" for k in range(len(after)))
    result = (*names[:place], *parts, *names[place + 1 :])
    return _einsum((names, (names[place], *parts)), result, (operand, Constant("split", (whole, *after))))


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
    names = _names(operand)
    parts = tuple(names[place] for place in places)
    rest = [name for name in names if name not in parts or name == names[min(places)]]
    result = tuple("whole" if name in parts else name for name in rest)
    return _einsum((("whole", *parts), names), result, (Constant("split", (after[0], *before)), operand))


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
    place, names = position(word, operand, axis), _names(operand)
    kept = ("kept",) if keep else ()
    weights = Constant(entry, (operand.shape[place], *[1 for _ in kept]))
    result = (*names[:place], *kept, *names[place + 1 :])
    return _einsum(((names[place], *kept), names), result, (weights, operand))


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
    count = len(range(start, stop, step))
    names = _names(operand)
    result = (*names[:place], "taken", *names[place + 1 :])
    selection = Constant(f"take {start} {step}", size, count)
    return _einsum(((names[place], "taken"), names), result, (selection, operand))


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
        names = _names(operand)
        result = (*names[:place], "whole", *names[place + 1 :])
        selection = Constant(f"take {start} 1", whole, size)
        parts.append(_einsum((("whole", names[place]), names), result, (selection, operand)))
        start += int(size)
    return reduce(lambda one, other: one + other, parts)


def conv2d(image: Expression, weight: Expression, *, stride: int = 1, padding: int | None = None) -> Einsum:
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
    found = einsum(f"{before} a b, y p a, x q b, c y x -> {after} p q", weight, rows, columns, image)
    assert isinstance(found, Einsum)
    return found


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
    place, names = position("placed", operand, axis), _names(operand)
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


def _einsum(inputs: tuple[Shape, ...], output: Sequence[str], operands: tuple[Expression, ...]) -> Expression:
    pattern = f"{', '.join(' '.join(map(str, names)) for names in inputs)} -> {' '.join(output)}"
    return Einsum(pattern.strip(), operands)


_OWN = re.compile(r"whole$|taken$|kept$|column$|(part|axis)\d")
"""Names of axes that are made here."""


def _names(operand: Expression) -> tuple[str, ...]:
    """A name for every axis: its dimension's, where that is a word of its own."""
    words = [str(n) if isinstance(n, str) and n.isidentifier() and not _OWN.match(n) else "" for n in operand.shape]
    return tuple(word if word and words.count(word) == 1 else f"axis{k}" for k, word in enumerate(words))


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
