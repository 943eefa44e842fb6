"""Index terms contracted without underflow or overflow: every factor is first brought to size one by a power of two.

A sum of terms is found as an array times 2^e. Powers of two change no rounding, so whether it exceeds its bound does
not depend on the scale of the data. Sums whose terms differ in size by more than floats hold lose the small ones,
as any sum does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from resproof.architectures.forms.terms import IndexSum, Tensor, Term
from resproof.numeric.backend import Array, largest_modulus
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.bounds import chain_length, magnitudes, positive
from resproof.numeric.spectra.contract import Environment, numbers
from resproof.numeric.spectra.products import KINDS, Labelled, NumberSource, sum_of_terms


class Scaled(NamedTuple):
    """`array` times 2^`exponent`."""

    array: Array
    exponent: int

    def at(self, exponent: int) -> Array:
        """The array that times 2^`exponent` is the same; a larger exponent may let entries vanish."""
        shift = max(self.exponent - exponent, -1074)
        return self.array if shift == 0 else self.array * 2.0**shift


def contract(index_sum: IndexSum, env: Environment) -> Scaled:
    """The array of a sum of terms, as `contract.contract` has it.

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    return _contract(index_sum, numbers(env), env.front)


def contraction_bound(index_sum: IndexSum, env: Environment) -> Scaled:
    """A bound of the rounding error of `contract`, entry by entry, as `bounds.contraction_bound` has it.

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    found = _contract(positive(index_sum), magnitudes(env), env.front)
    return found._replace(array=gamma(chain_length(index_sum, env.sizes)) * found.array)


def _contract(index_sum: IndexSum, source: NumberSource, front: Mapping[int, int]) -> Scaled:
    exponents: dict[str, int] = {}

    def reduced(tensor: Tensor) -> Labelled:
        array, labels = source.tensor(tensor)
        largest = largest_modulus(array)
        exponent = exponents[tensor.key] = math.frexp(largest)[1] if math.isfinite(largest) else 0
        # Two factors, for 2^-e itself may overflow.
        half = exponent // 2
        return Labelled(array * 2.0**-half * 2.0 ** (half - exponent), labels)

    of_size_one = replace(source, kinds=dict.fromkeys(KINDS, reduced), known={}, moving={})
    if not index_sum.terms:
        return Scaled(sum_of_terms(source, index_sum, front), 0)
    parts: list[Scaled] = []
    for term in index_sum.terms:
        power = _exponent(term)
        small = replace(term, coefficient=term.coefficient / Fraction(2) ** power)
        found = sum_of_terms(of_size_one, IndexSum(index_sum.free, (small,)), front)
        parts.append(Scaled(found, power + sum(exponents[t.key] for t, _ in term.factors)))
    largest = max(part.exponent for part in parts)
    first, *others = (part.at(largest) for part in parts)
    return Scaled(sum(others, first), largest)


def _exponent(term: Term) -> int:
    """That of a power of two for which the coefficient is between 1/2 and 2 times it."""
    c = term.coefficient
    return abs(c.numerator).bit_length() - c.denominator.bit_length()
