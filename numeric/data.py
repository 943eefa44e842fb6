"""Data X, Y and the sizes they give to dimension names.

Columns are samples (X of shape d x m) for a unit that never mixes columns. Otherwise the columns are the tokens of
one sample and X is m x d x t. Everything is finite float64; whole numbers are converted, object arrays refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from architectures import terms
from architectures.errors import OneLine
from architectures.expressions import Dimension
from architectures.losses import Loss
from architectures.networks import ResidualUnit
from architectures.properties import dimension_names, the_input
from numeric.backend import Array, namespace, ops

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
        raise DataError(f"{name}: {what} is a {type(x).__name__}; expected an array") from None
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


def check_data(name: str, unit: ResidualUnit, x: Any, y: Any) -> tuple[Array, Array]:
    """X and Y as finite float64 arrays of equal shape, d x m or, for a unit that mixes columns, m x d x t.

    Raises:
        DataError: wrong type, shape or entries; the message starts with `name`.
    """
    x, y = check_array(name, "X", x), check_array(name, "Y", y)
    if namespace(x) is not namespace(y):
        raise DataError(f"{name}: X is a {type(x).__name__}, Y a {type(y).__name__}; expected arrays of one library")
    _check_rank(name, unit, x)
    if tuple(x.shape) != tuple(y.shape):
        raise DataError(f"{name}: X has shape {tuple(x.shape)}, Y has shape {tuple(y.shape)}; expected equal shapes")
    return x, y


def check_targets(name: str, unit: ResidualUnit, loss: Loss, x: Any, y: Any) -> tuple[Array, Array]:
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
        return x, _one_hot(name, x, y)
    x, y = check_data(name, unit, x, y)
    if not loss.quadratic:
        _check_distribution(name, y)
    return x, y


def _one_hot(name: str, x: Array, labels: Array) -> Array:
    xp, rows, columns = namespace(x), int(x.shape[-2]), (*x.shape[:-2], x.shape[-1])
    if tuple(labels.shape) != columns:
        raise DataError(f"{name}: Y has {tuple(labels.shape)} labels; expected {columns}, one for each column of X")
    low, high = float(xp.min(labels)), float(xp.max(labels))
    if bool(xp.any(xp.floor(labels) != labels)):
        raise DataError(f"{name}: Y has labels that are no whole numbers; expected 0 to {rows - 1}, the rows of X")
    if low < 0 or high >= rows:
        raise DataError(
            f"{name}: Y has labels from {low:.0f} to {high:.0f}; expected 0 to {rows - 1}, for X has {rows} rows"
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


def check_input(name: str, unit: ResidualUnit, x: Any) -> Array:
    """X alone, checked as in `check_data`.

    Raises:
        DataError: wrong type, shape or entries.
    """
    x = check_array(name, "X", x)
    _check_rank(name, unit, x)
    return x


def _check_rank(name: str, unit: ResidualUnit, x: Array) -> None:
    shape, mixes = tuple(x.shape), _dimensions(unit)[3]
    if mixes and len(shape) != 3:
        raise DataError(f"{name}: X has shape {shape}; expected (m, d, t): the unit mixes columns, which are tokens")
    if not mixes and len(shape) != 2:
        raise DataError(f"{name}: X has shape {shape}; expected (d, m): the columns are samples")
    if 0 in shape:
        raise DataError(f"{name}: X has shape {shape}; expected at least one sample and no empty dimension")


@lru_cache(maxsize=64)
def _dimensions(unit: ResidualUnit) -> tuple[Dimension, Dimension, tuple[str, ...], bool]:
    """Rows and columns of the input, the names of all dimensions, and whether columns are mixed."""
    h = the_input(unit.expression)
    return h.rows, h.columns, dimension_names(unit.expression), unit.mixes_columns


def bind(name: str, unit: ResidualUnit, x: Array, sizes: Mapping[str, int] = NO_SIZES) -> dict[str, int]:
    """The size of every dimension name: the width, the columns and "m" from X, inner widths from `sizes`.

    Raises:
        DataError: a name without a size, a size that is no positive int or contradicts X, or a dimension written as
            a number that X does not have.
    """
    rows, width, names, mixes = _dimensions(unit)
    samples = x.shape[0] if mixes else x.shape[1]
    known: dict[str, int] = {SAMPLES: samples}
    _bind(name, known, rows, x.shape[-2])
    if mixes:
        _bind(name, known, width, x.shape[-1])
    for key, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise DataError(f"{name}: the size of {key} is {size!r}; expected a positive int")
        _bind(name, known, key, int(size))
    columns = () if mixes else (width,)
    for key in names:
        if key not in known and key not in columns:
            raise DataError(f"{name}: the dimension {key} has no size; expected one for each of the inner widths")
    return known


def _bind(name: str, known: dict[str, int], dimension: Dimension, size: int) -> None:
    found = known.setdefault(dimension, size) if isinstance(dimension, str) else dimension
    if found != size:
        raise DataError(f"{name}: the dimension {dimension} is {size} here and {found} elsewhere; expected one size")


def size_of(dimension: Dimension, sizes: Mapping[str, int]) -> int:
    """The size of a dimension, which is a number or has one."""
    return sizes[dimension] if isinstance(dimension, str) else dimension


def samples_first(unit: ResidualUnit, x: Array) -> int:
    """The number of samples in X."""
    return int(x.shape[0] if _dimensions(unit)[3] else x.shape[1])


def slots(x: Array) -> Array:
    """X with the sample as its last axis: (d, m) as it is, (m, d, t) as (d, t, m)."""
    return x if len(x.shape) == 2 else ops(namespace(x)).permute(x, (1, 2, 0))
