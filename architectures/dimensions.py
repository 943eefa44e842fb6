"""Dimensions of axes: a name, a number, or a product of such, "heads*k", as the axis that two others make together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

Dimension: TypeAlias = str | int
Shape: TypeAlias = tuple[Dimension, ...]


def factors(dimension: Dimension) -> Shape:
    """The names and numbers that a dimension is the product of: itself, but for "heads*k"."""
    if not isinstance(dimension, str) or "*" not in dimension:
        return (dimension,)
    return tuple(part if part.isidentifier() else int(part) for part in dimension.split("*"))


def names(dimension: Dimension) -> tuple[str, ...]:
    """The names among its factors."""
    return tuple(factor for factor in factors(dimension) if isinstance(factor, str))


def product_of(parts: Sequence[Dimension]) -> Dimension:
    """The product of dimensions: a number where all of them are, else a name with all factors."""
    known = [factor for part in parts for factor in factors(part)]
    if all(isinstance(factor, int) for factor in known):
        return math.prod(int(factor) for factor in known)
    return "*".join(str(factor) for factor in known if factor != 1)


def show_shape(shape: Shape) -> str:
    """A shape as it is written: (k, d)."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
