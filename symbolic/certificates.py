"""Inequalities between rational functions with a certificate, and inner products of named vectors.

A rational function whose numerator and denominator have no negative coefficient is at least zero wherever its variables
are. Vectors occur only through their inner products, so that what is derived from them holds in every dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from sympy import QQ, Symbol, sympify
from sympy.polys.fields import FracElement, field

from resproof.symbolic.scope import Scope, require_occurring

Element: TypeAlias = Any
"""A rational function with rational coefficients."""


class NotCertified(Exception):
    """An identity or an inequality does not hold, or not by this certificate; the message says which."""


@dataclass(frozen=True, slots=True)
class Orthant:
    """Rational functions of variables >= 0, those in `positive` being > 0."""

    names: tuple[str, ...]
    positive: frozenset[str]
    values: Mapping[str, Element]

    def __getitem__(self, name: str) -> Element:
        return self.values[name]

    @property
    def sizes(self) -> Scope:
        """Its variables, all of which are free."""
        return Scope.leaving_free(*self.names)

    def at_least_zero(self, sentence: str, value: Element) -> None:
        """Pass when no coefficient is negative.

        Raises:
            NotCertified: one is.
        """
        value = self._element(value)
        signs = [{c > 0 for _, c in part.terms()} for part in (value.numer, value.denom)]
        if value and not (len(signs[0]) == 1 and signs[0] == signs[1]):
            raise NotCertified(f"{sentence}: {value} is not of one sign")

    def above_zero(self, sentence: str, value: Element) -> None:
        """Pass when, besides, some monomial of the numerator is made of positive variables only.

        Raises:
            NotCertified: it is not.
        """
        self.at_least_zero(sentence, value)
        strict = [name in self.positive for name in self.names]
        monomials = [powers for powers, _ in self._element(value).numer.terms()]
        if not any(all(ok or not power for ok, power in zip(strict, powers, strict=True)) for powers in monomials):
            raise NotCertified(f"{sentence}: {value} can vanish")

    def identical(self, sentence: str, left: Element, right: Element) -> None:
        """Pass when both are equal.

        Raises:
            NotCertified: they are not.
        """
        if difference := self._element(left) - self._element(right):
            raise NotCertified(f"{sentence}: fails by {difference}")

    def _element(self, value: Element) -> Element:
        """The rational function, a number as a constant one.

        Raises:
            TypeError: it is a float.
        """
        if isinstance(value, float):
            raise TypeError(f"a certificate for the float {value}; expected a rational number")
        return self.values[self.names[0]].field(value)


def orthant(positive: str = "", nonnegative: str = "") -> Orthant:
    """The orthant with these variables, names separated by spaces."""
    names = (*positive.split(), *nonnegative.split())
    _, *generators = field(names, QQ)
    return Orthant(names, frozenset(positive.split()), dict(zip(names, generators, strict=True)))


def substitute(value: Element, choice: Mapping[str, Element]) -> Element:
    """`value` with its symbols replaced by rational functions of one orthant."""
    names = [str(symbol) for symbol in value.field.symbols]
    # SymPy's zero + 1 is the int 1, whose quotients are floats.
    one = next((each.field.one for each in choice.values() if isinstance(each, FracElement)), Fraction(1))

    def polynomial(part: Any) -> Element:
        total: Element = one * 0
        for powers, coefficient in part.terms():
            term: Element = one * int(coefficient.numerator)
            for name, power in zip(names, powers, strict=True):
                if power:
                    term = choice[name] ** power * term
            total = total + term / int(coefficient.denominator)
        return total

    return polynomial(value.numer) / polynomial(value.denom)


def between(low: Element, high: Element, share: Element) -> Element:
    """(low + high s)/(1 + s), s >= 0: all from `low` on and before `high`, v at s = (v - low)/(high - v).

    Raises:
        NotCertified: it is not v at that s.
    """
    value = (low + high * share) / (1 + share)
    if low == high or value - low != share * (high - value):
        raise NotCertified(f"between {low} and {high}: {value} is not all of it")
    return value


# Inner products.

Combination: TypeAlias = Mapping[str, Element]
"""A linear combination of named vectors."""
Gram: TypeAlias = Mapping[frozenset[str], Element]


def unit_vectors(**squared_distances: Element) -> Gram:
    """Unit vectors at these squared distances, those of a and b under `ab`: <a, a> = 1, <a, b> = 1 - |a - b|^2 / 2.

    Raises:
        ValueError: a name is not made of two letters.
    """
    if not squared_distances or any(len({*name}) != 2 or len(name) != 2 for name in squared_distances):
        raise ValueError(
            f"unit vectors: {', '.join(squared_distances) or 'no pair'}; expected two letters for each pair"
        )
    pairs = {frozenset(name): 1 - square / 2 for name, square in squared_distances.items()}
    one = next(iter(pairs.values())) * 0 + 1
    return pairs | {frozenset(letter): one for letter in "".join(squared_distances)}


def inner(u: Combination, v: Combination, gram: Gram) -> Element:
    """<u, v> from the inner products of the named vectors."""
    return sum(x * y * gram[frozenset((a, b))] for a, x in u.items() for b, y in v.items())


def squared_norm(u: Combination, gram: Gram) -> Element:
    """|u|^2."""
    return inner(u, u, gram)


def occurring(value: Element) -> set[str]:
    """The variables in which a rational function is not constant."""
    return {str(symbol) for symbol, x in zip(value.field.symbols, value.field.gens, strict=True) if value.diff(x)}


def any_dimension(gram: Gram, *dimensions: str) -> Scope:
    """What is derived from inner products alone holds in every dimension, as long as there are vectors with these.

    Raises:
        ValueError: there is no inner product.
    """
    if not gram:
        raise ValueError("sizes: no inner product is given")
    return Scope.leaving_free(*dimensions)


def standing_for(variables: Iterable[str], sizes: Mapping[str, str]) -> Scope:
    """{variable: size}: what variables that occur stand for, as a power or a product of so many factors.

    Raises:
        ValueError: a variable does not occur.
    """
    require_occurring(sizes, sorted({*variables}))
    return Scope.leaving_free(*sizes.values())


def of_symbols(stands_for: Mapping[str, Symbol], *expressions: Any) -> Scope:
    """The sizes that symbols of these expressions stand for, as q for n where n = q + 2 and q > 0.

    Expressions are passed as they enter an identity, since their difference need not contain the symbol any more.

    Raises:
        ValueError: a symbol occurs in none of them.
    """
    there = {one for expression in expressions for one in sympify(expression).free_symbols}
    require_occurring(stands_for.values(), sorted(there, key=str))
    return Scope.leaving_free(*stands_for)
