"""Axes and their dimensions: a name, a number, or a product of such, "heads*k", as the axis that two make together.

A pattern names the axes of operands and of a result, "i a, a t -> i t".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from resproof.architectures.errors import ArchitectureError, show_value

Dimension: TypeAlias = str | int
Shape: TypeAlias = tuple[Dimension, ...]
Axes: TypeAlias = tuple[str, ...]
"""The names that a pattern gives to the axes of one operand, or of the result."""

COLUMNS: Dimension = "t"
"""The dimension of the input's columns: samples, or the tokens of one sample."""
SAMPLES: Dimension = "m"
"""The dimension of the sample index."""


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


def pattern_of(inputs: Sequence[Axes], output: Sequence[str]) -> str:
    """The pattern with these axes."""
    return f"{', '.join(' '.join(names) for names in inputs)} -> {' '.join(output)}".strip()
