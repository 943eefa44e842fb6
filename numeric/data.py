"""Data X, Y and the sizes they give to dimension names.

Columns are samples (X of shape d x m) for a unit that never mixes columns. Otherwise the columns are the tokens of
one sample and X is m x d x t. Everything is finite float64; whole numbers are converted, object arrays refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from resproof.architectures.dimensions import Dimension, Shape, factors
from resproof.architectures.errors import OneLine
from resproof.architectures.forms import terms
from resproof.architectures.losses import Loss, Readout
from resproof.architectures.names import a_kind
from resproof.architectures.properties import dimension_names, the_input
from resproof.architectures.stages import Stage
from resproof.numeric.backend import Array, Ops, namespace, ops

SAMPLES: str = str(terms.SAMPLES)
"""The name of the number of samples, "m"."""

NO_SIZES: Mapping[str, int] = MappingProxyType({})


class DataError(OneLine, ValueError):
    """Data or sizes are not what the call needs; the message is one line for the user."""


def check_array(name: str, what: str, x: Any) -> Array:
    """`x` as a finite float64 array of its own library (lists become NumPy arrays).

    Raises:
        DataError: object, text or complex entries, or entries that are not finite.
    """
    if isinstance(x, list | tuple | int | float):
        x = _from_nested(name, what, x)
    try:
        xp = namespace(x)
    except TypeError:
        raise DataError(f"{name}: {what} is {a_kind(x)}; expected an array") from None
    if x.dtype != xp.float64:
        kind = str(x.dtype).rpartition(".")[2]
        if not kind.startswith(("float", "int", "uint", "bool")):
            raise DataError(f"{name}: {what} has entries of type {kind}; expected real numbers")
        x = xp.asarray(x, dtype=xp.float64)
    # A finite sum has finite terms, and is the cheaper question.
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(xp.sum(x))
    if not math.isfinite(total) and not bool(xp.all(xp.isfinite(x))):
        raise DataError(f"{name}: {what} has entries that are not finite; expected finite numbers")
    return x


def _from_nested(name: str, what: str, x: Any) -> np.ndarray:
    try:
        return np.asarray(x)
    except ValueError:
        raise DataError(f"{name}: {what} has rows of unequal lengths; expected an array") from None


def check_data(name: str, unit: Stage, x: Any, y: Any, loss: Loss | None = None) -> tuple[Array, Array]:
    """X and Y as finite float64 arrays of equal shape, d x m or, for a unit that mixes columns, m x d x t.

    Y has the shape of what the loss reads, where it reads the stream through a head.

    Raises:
        DataError: wrong type, shape or entries; the message starts with `name`.
    """
    x, y = check_array(name, "X", x), check_array(name, "Y", y)
    if namespace(x) is not namespace(y):
        raise DataError(f"{name}: X is {a_kind(x)}, Y {a_kind(y)}; expected arrays of one library")
    _check_rank(name, unit, x)
    if loss is not None and loss.reads is not None:
        expected = read_shape(x, loss.reads)
        if tuple(y.shape) != expected:
            raise DataError(f"{name}: Y has shape {tuple(y.shape)}; expected {expected}, that of what the loss reads")
    elif tuple(x.shape) != tuple(y.shape):
        raise DataError(f"{name}: X has shape {tuple(x.shape)}, Y has shape {tuple(y.shape)}; expected equal shapes")
    return x, y


def read_shape(x: Array, read: Readout) -> tuple[int, ...]:
    """The shape of targets for what a loss reads of a stream; its columns are one axis, further ones have length 1."""
    rows, *columns = read.head.expression.shape
    count = size_of(rows, read.sizes)
    if len(x.shape) == 2:
        return (count, x.shape[1])
    return (x.shape[0], count, math.prod(size_of(n, read.sizes) for n in columns), *[1] * (len(x.shape) - 3))


def check_targets(name: str, unit: Stage, loss: Loss, x: Any, y: Any) -> tuple[Array, Array]:
    """X and Y as in `check_data`, for a loss: cross-entropy takes labels, or a distribution in each column.

    Labels are whole numbers from 0 to d - 1, one for each column of X: m of them, or m x t. They become one-hot
    columns. A column's entries add up to 1 as well as single precision has it.

    Raises:
        DataError: what `check_data` refuses, labels for the squared loss, labels that are none, or no distribution.
    """
    x, y = check_input(name, unit, x), check_array(name, "Y", y)
    if len(y.shape) == len(x.shape) - 1:
        if loss.quadratic:
            raise DataError(
                f"{name}: Y has shape {tuple(y.shape)}, as labels have; the squared loss takes targets of X's shape, "
                f"{tuple(x.shape)}: make them one-hot, or ask for cross-entropy"
            )
        columns = as_columns(unit, x)
        each = (*columns.shape[:-2], columns.shape[-1])
        apart = len(x.shape) > 2 and tuple(y.shape) == (x.shape[0], *x.shape[2:])
        labels = namespace(x).reshape(y, each) if apart else y
        library = ops(namespace(x))
        return x, library.reshape(_one_hot(name, library, tuple(columns.shape), labels, "X"), tuple(x.shape))
    x, y = check_data(name, unit, x, y)
    if not loss.quadratic:
        _check_distribution(name, as_columns(unit, y))
    return x, y


def outputs_targets(name: str, loss: Loss, shape: tuple[int, ...], y: Any, library: Ops) -> Array:
    """Targets for outputs of this shape: of the same shape, or labels under cross-entropy, one for each column.

    Where every sample has one column, (m, rows, 1), its label may do without an axis for it.

    Raises:
        DataError: another shape, labels for the squared loss, labels that are none, or no distribution.
    """
    y = check_array(name, "Y", y)
    if namespace(y) is not library.xp:
        raise DataError(f"{name}: Y is {a_kind(y)}; expected an array of the library of X")
    columns = (*shape[:-2], shape[-1])
    if not loss.quadratic and tuple(y.shape) in {columns, columns[:-1] if columns[-1] == 1 else columns}:
        return _one_hot(name, library, shape, library.xp.reshape(y, columns), "the output")
    if tuple(y.shape) != shape:
        labels = "" if loss.quadratic else f", or labels of shape {columns}"
        raise DataError(f"{name}: Y has shape {tuple(y.shape)}; expected {shape}, that of the output{labels}")
    if not loss.quadratic:
        _check_distribution(name, y)
    return y


def _one_hot(name: str, library: Ops, shape: tuple[int, ...], labels: Array, of: str) -> Array:
    """A 1 in the row of each column's label, for outputs of this shape, called `of` in messages.

    Raises:
        DataError: another number of labels, or labels that are none.
    """
    xp, rows, columns = library.xp, int(shape[-2]), (*shape[:-2], shape[-1])
    if tuple(labels.shape) != columns:
        raise DataError(f"{name}: Y has {tuple(labels.shape)} labels; expected {columns}, one for each column of {of}")
    low, high = float(xp.min(labels)), float(xp.max(labels))
    if bool(xp.any(xp.floor(labels) != labels)):
        raise DataError(f"{name}: Y has labels that are no whole numbers; expected 0 to {rows - 1}, the rows of {of}")
    if low < 0 or high >= rows:
        raise DataError(
            f"{name}: Y has labels from {low:.0f} to {high:.0f}; expected 0 to {rows - 1}, for {of} has {rows} rows"
        )
    classes = xp.arange(rows, dtype=xp.float64)[:, None]
    return xp.asarray(classes == labels[..., None, :], dtype=xp.float64)


def _check_distribution(name: str, y: Array) -> None:
    xp, rows = namespace(y), int(y.shape[-2])
    expected = "cross-entropy takes columns of entries from 0 to 1 that add up to 1, or labels"
    if (least := float(xp.min(y))) < 0:
        raise DataError(f"{name}: Y has the entry {least:.3g}; {expected}")
    sums = xp.reshape(xp.sum(y, axis=-2), (-1,))
    worst = float(sums[int(xp.argmax(xp.abs(sums - 1.0)))])
    # Each of d entries is off by half a unit of single precision, and so is each of d - 1 additions.
    if abs(worst - 1.0) > rows * 2.0**-23:
        raise DataError(f"{name}: Y has a column that adds up to {worst:.6g}; {expected}")


def check_input(name: str, unit: Stage, x: Any) -> Array:
    """X alone, checked as in `check_data`.

    Raises:
        DataError: wrong type, shape or entries.
    """
    x = check_array(name, "X", x)
    _check_rank(name, unit, x)
    return x


def _check_rank(name: str, unit: Stage, x: Array) -> None:
    shape, (axes, _, mixes) = tuple(x.shape), _dimensions(unit)
    if len(axes) != 2 and len(shape) != len(axes) + 1:
        expected = ", ".join(map(str, (SAMPLES, *axes)))
        raise DataError(f"{name}: X has shape {shape}; expected ({expected}): the samples, then the axes of one")
    if mixes and len(shape) != len(axes) + 1:
        raise DataError(f"{name}: X has shape {shape}; expected (m, d, t): the unit mixes columns, which are tokens")
    if not mixes and len(shape) != 2:
        raise DataError(f"{name}: X has shape {shape}; expected (d, m): the columns are samples")
    if 0 in shape:
        raise DataError(f"{name}: X has shape {shape}; expected at least one sample and no empty dimension")


@lru_cache(maxsize=64)
def _dimensions(unit: Stage) -> tuple[Shape, tuple[str, ...], bool]:
    """The input's shape, the names of all dimensions, and whether columns are mixed."""
    return the_input(unit.expression).shape, dimension_names(unit.expression), unit.mixes_columns


def bind(name: str, unit: Stage, x: Array, sizes: Mapping[str, int] = NO_SIZES) -> dict[str, int]:
    """The size of every dimension name: the width, the columns and "m" from X, inner widths from `sizes`.

    Raises:
        DataError: a name without a size, a size that is no positive int or contradicts X, or a dimension written as
            a number that X does not have.
    """
    axes, names, mixes = _dimensions(unit)
    known = sizes_of_data(name, unit, x)
    for key, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise DataError(f"{name}: the size of {key} is {size!r}; expected a positive int")
    of_x = zip(axes if mixes else axes[:1], x.shape[1:] if mixes else x.shape, strict=False)
    waiting, told = [*sizes.items(), *of_x], True
    while told:  # a product says something once all of its factors but one are known
        left = [(key, size) for key, size in waiting if not _bind(name, known, key, int(size))]
        waiting, told = left, len(left) < len(waiting)
    columns = () if mixes else axes[1:]
    for key in names:
        if key not in known and key not in columns:
            raise DataError(f"{name}: the dimension {key} has no size; expected one for each of the inner widths")
    return known


def sizes_of_data(name: str, unit: Stage, x: Array) -> dict[str, int]:
    """The sizes that X alone gives: of the input's dimensions and of "m".

    Raises:
        DataError: a dimension written as a number that X does not have, or two sizes of one.
    """
    axes, _, mixes = _dimensions(unit)
    _refuse_other_order(name, axes, x, mixes=mixes)
    known: dict[str, int] = {SAMPLES: int(x.shape[0 if mixes else 1])}
    for dimension, size in zip(axes if mixes else axes[:1], x.shape[1:] if mixes else x.shape, strict=False):
        _ = _bind(name, known, dimension, int(size))
    return known


def _refuse_other_order(name: str, axes: Sequence[Dimension], x: Array, *, mixes: bool) -> None:
    """Pass unless the features come last, as in scikit-learn and torch, and the input's width, a number, tells so.

    Raises:
        DataError: they do.
    """
    shape, width = tuple(map(int, x.shape)), axes[0]
    if isinstance(width, int) and width == shape[-1] and width != shape[1 if mixes else 0]:
        given, expected = "samples x features", "features x samples"
        turned = "X.T and Y.T"
        if mixes:
            given, expected = "batch x tokens x width", "batch x width x tokens"
            turned = "X.swapaxes(1, 2) and Y.swapaxes(1, 2)"
        raise DataError(f"{name}: X of shape {shape} is {given} for width {width}; expected {expected}: {turned}")


def _bind(name: str, known: dict[str, int], dimension: Dimension, size: int) -> bool:
    """Whether the dimension is known now: not a product with several factors that are still to be told.

    Raises:
        DataError: it has another size.
    """
    unknown = [n for n in factors(dimension) if isinstance(n, str) and n not in known]
    if len(unknown) > 1:
        return False
    rest = math.prod(n if isinstance(n, int) else known.get(n, 1) for n in factors(dimension))
    found = rest * known.setdefault(unknown[0], max(size // rest, 1)) if unknown else rest
    if found != size:
        raise DataError(f"{name}: the dimension {dimension} is {size} here and {found} elsewhere; expected one size")
    return True


def size_of(dimension: Dimension, sizes: Mapping[str, int]) -> int:
    """The size of a dimension, which is a number or has one, or is a product of such."""
    if not isinstance(dimension, str):
        return dimension
    known = dimension in sizes
    return sizes[dimension] if known else math.prod(n if isinstance(n, int) else sizes[n] for n in factors(dimension))


def samples_first(unit: Stage, x: Array) -> int:
    """The number of samples in X."""
    return int(x.shape[0] if _dimensions(unit)[2] else x.shape[1])


def as_batch(unit: Stage, x: Array) -> Array:
    """X with an axis for samples in front, as a unit is read (`network.program`): (d, m) as (1, d, m)."""
    return x if _dimensions(unit)[2] else x[None, ...]


def of_batch(unit: Stage, x: Array) -> Array:
    """The inverse of `as_batch`, whatever axes stand in front."""
    return x if _dimensions(unit)[2] else x[..., 0, :, :]


def width_of(x: Array) -> int:
    """The size of a sample's first axis: X is (d, m), or has the samples in front."""
    return int(x.shape[0 if len(x.shape) == 2 else 1])


def as_columns(unit: Stage, x: Array) -> Array:
    """X, or what has its shape behind axes of its own, with all axes of a sample but the first as one."""
    axes = len(_dimensions(unit)[0])
    return x if axes == 2 else ops(namespace(x)).reshape(x, (*x.shape[: len(x.shape) - axes + 1], -1))


def with_axes(unit: Stage, x: Array, sizes: Mapping[str, int]) -> Array:
    """X with every axis of a sample: the inverse of `as_columns`."""
    axes = _dimensions(unit)[0]
    if len(axes) == 2:
        return x
    return ops(namespace(x)).reshape(x, (*x.shape[:-2], *(size_of(n, sizes) for n in axes)))


def slots(x: Array) -> Array:
    """X with the sample as its last axis: (d, m) as it is, (m, d, t) as (d, t, m)."""
    return x if len(x.shape) == 2 else ops(namespace(x)).permute(x, (1, 2, 0))
