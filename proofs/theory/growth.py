"""How a sum of terms c s^i R^j, c > 0, grows with R where s = R^-a: the exponents j - i a, and for which a >= 0 it stays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import sympy

Monomial: TypeAlias = tuple[int, int]
"""The powers of s and of R."""

POWER = sympy.Symbol("a", real=True)
"""The a of s = R^-a."""
_EVERY = sympy.Interval(0, sympy.oo)


class DepthGrowth(NamedTuple):
    """The a >= 0 for which something grows without bound, stays between positive constants, and tends to zero."""

    grows: Any
    stays: Any
    vanishes: Any


def _where(relation: Any) -> Any:
    """The a >= 0 for which it holds; it is a truth value where a does not occur."""
    if relation in (sympy.true, sympy.false):
        return _EVERY if relation == sympy.true else sympy.EmptySet
    return sympy.solveset(relation, POWER, _EVERY)


def _exponents(terms: Iterable[Monomial]) -> list[Any]:
    return [sympy.sympify(j) - i * POWER for i, j in terms]


def of_sum(terms: Iterable[Monomial]) -> DepthGrowth:
    """Of a sum: the greatest exponent decides."""
    every = _exponents(terms)
    grows = sympy.Union(*(_where(one > 0) for one in every))
    vanishes = sympy.Intersection(*(_where(one < 0) for one in every))
    return DepthGrowth(grows, sympy.Complement(_EVERY, sympy.Union(grows, vanishes)), vanishes)


def leads(term: Monomial, others: Iterable[Monomial]) -> Any:
    """The a >= 0 for which a term outgrows each of the others, so that they cannot cancel it."""
    (first,) = _exponents((term,))
    return sympy.Intersection(_EVERY, *(_where(first - other > 0) for other in _exponents(others)))


def of_quotient(top: Monomial, below: Iterable[Monomial]) -> DepthGrowth:
    """Of a term over a sum of terms: the least difference of exponents decides."""
    return of_inverse((i - top[0], j - top[1]) for i, j in below)


def of_inverse(terms: Iterable[Monomial]) -> DepthGrowth:
    """Of one over a sum."""
    grows, stays, vanishes = of_sum(terms)
    return DepthGrowth(vanishes, stays, grows)
