"""Second derivations, slow and obvious: what the program rests on, once more by brute force.

One section a subject. Nothing here is imported by the program, and nothing here may call the function it checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from architectures.terms import Factor

# index terms


def evaluate_terms(
    terms: Any, arrays: Mapping[str, Any], sizes: Mapping[str, int], free: Mapping[int, int], symbols: Mapping[str, Any]
) -> Fraction:
    """A sum of index terms at given free indices: every summed index runs over its range, one by one."""
    total = Fraction(0)
    for (scalars, factors), coefficient in terms.items():
        value = Fraction(coefficient)
        for symbol, power in scalars:
            value *= Fraction(symbols[symbol]) ** power
        total += value * _sum_over_indices(factors, arrays, sizes, free)
    return total


def _sum_over_indices(
    factors: tuple[Factor, ...], arrays: Mapping[str, Any], sizes: Mapping[str, int], free: Mapping[int, int]
) -> Fraction:
    ranges = {i: sizes[str(t.dims[k])] for t, slots in factors for k, i in enumerate(slots) if i >= 0}
    total = Fraction(0)
    for values in product(*(range(n) for n in ranges.values())):
        at = {**free, **dict(zip(ranges, values, strict=True))}
        term = Fraction(1)
        for t, slots in factors:
            where = tuple(at[i] for i in slots)
            term *= int(where[0] == where[1]) if t.label == "delta" else arrays[t.label][where]
        total += term
    return total
