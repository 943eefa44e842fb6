"""Index terms contracted without underflow or overflow: every factor is first brought to size one by a power of two.

A sum of terms is found as an array times 2^e. Powers of two change no rounding, so whether it exceeds its bound does
not depend on the scale of the data. Sums whose terms differ in size by more than floats hold lose the small ones,
as any sum does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from resproof.architectures.forms.terms import IndexSum, Tensor, Term
from resproof.numeric.backend import Array, largest_modulus
from resproof.numeric.network.arithmetic import Floats
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.contract import Environment, Magnitudes, chain_length, positive
from resproof.numeric.spectra.products import Labelled, sum_of_terms


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
    return _contract(index_sum, _Balanced(env), env.front)


def contraction_bound(index_sum: IndexSum, env: Environment) -> Scaled:
    """A bound of the rounding error of `contract`, entry by entry, as `contract.contraction_bound` has it.

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    found = _contract(positive(index_sum), _Balanced(Magnitudes(env)), env.front)
    return found._replace(array=gamma(chain_length(index_sum, env.sizes)) * found.array)


def _contract(index_sum: IndexSum, source: _Balanced, front: Mapping[int, int]) -> Scaled:
    parts: list[Scaled] = []
    for term in index_sum.terms:
        found = sum_of_terms(source, IndexSum(index_sum.free, (_reduced(term),)), front)
        parts.append(Scaled(found, source.exponent(term)))
    if not parts:
        return Scaled(sum_of_terms(source, index_sum, front), 0)
    largest = max(part.exponent for part in parts)
    first, *others = (part.at(largest) for part in parts)
    for other in others:
        first = first + other
    return Scaled(first, largest)


def _reduced(term: Term) -> Term:
    """The term with a coefficient between 1/2 and 2."""
    power = _exponent(term)
    return replace(term, coefficient=term.coefficient / 2**power if power >= 0 else term.coefficient * 2**-power)


def _exponent(term: Term) -> int:
    c = term.coefficient
    return abs(c.numerator).bit_length() - c.denominator.bit_length()


@dataclass(frozen=True, slots=True)
class _Balanced:
    """The arrays of another source, each divided by a power of two so that its largest modulus is about one."""

    source: Environment | Magnitudes
    known: dict[str, Scaled] = field(default_factory=dict[str, Scaled], init=False, repr=False, compare=False)

    @property
    def arithmetic(self) -> Floats:
        return self.source.arithmetic

    @property
    def sizes(self) -> Mapping[str, int]:
        return self.source.sizes

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        array, front = self.source.tensor(tensor)
        if tensor.key not in self.known:
            largest = largest_modulus(array)
            exponent = math.frexp(largest)[1] if math.isfinite(largest) else 0
            # Two factors, for 2^-e itself may overflow.
            half = exponent // 2
            self.known[tensor.key] = Scaled(array * 2.0**-half * 2.0 ** (half - exponent), exponent)
        return self.known[tensor.key].array, front

    def symbol(self, name: str) -> Labelled:
        return self.source.symbol(name)

    def exponent(self, term: Term) -> int:
        """The power of two that was taken out of a term that has been contracted."""
        return _exponent(term) + sum(self.known[t.key].exponent for t, _ in term.factors)
