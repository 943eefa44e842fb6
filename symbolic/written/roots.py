"""Polynomials in symbols and inverse roots r = q^(-1/2): whether one is zero, all relations r^2 q = 1 applied.

Sorted by which roots have an odd power, a polynomial is a sum of products of different roots times rational functions
of the symbols. It is zero where each of these functions is: multiplied by powers of the q, a polynomial without roots.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

from resproof.symbolic.algebra.rings import Element, Monomial, Plain, Ring, flint_ring
from resproof.symbolic.written.names import radicand

Terms: TypeAlias = list[tuple[dict[str, int], Monomial, Fraction]]
"""Powers of 1/q for each root, a monomial in the other symbols, a coefficient."""

_PRIME = 2**61 - 1
_POINTS = 2


def is_zero(plain: Plain) -> bool:
    """Whether the polynomial vanishes; a sufficient condition where some q are square multiples of others."""
    roots = _roots(plain)
    return not any(_numerator(terms, roots) for terms in _groups(plain, roots))


def has_value(plain: Plain) -> bool:
    """Whether the polynomial has a value modulo a prime, at a random point, that is not zero: then it is not zero."""
    return any(_value(terms, seed) for terms in _groups(plain, _roots(plain)) for seed in range(_POINTS))


def _roots(plain: Plain) -> list[str]:
    return sorted({name for monomial in plain for name, _ in monomial if radicand(name) is not None})


def _groups(plain: Plain, roots: Sequence[str]) -> Collection[Terms]:
    """The terms by the roots whose power is odd."""
    groups: dict[tuple[str, ...], Terms] = {}
    for monomial, coefficient in plain.items():
        powers = {name: power for name, power in monomial if name in roots}
        odd = tuple(name for name in roots if powers.get(name, 0) % 2)
        rest = tuple(one for one in monomial if one[0] not in roots)
        groups.setdefault(odd, []).append(({n: p // 2 for n, p in powers.items()}, rest, coefficient))
    return groups.values()


def _value(terms: Terms, seed: int) -> int:
    """The sum at a random point modulo the prime; 0 where a denominator vanishes there."""
    found: dict[str, int] = {}
    draw = random.Random(seed)

    def at(name: str) -> int:
        return found.setdefault(name, draw.randrange(1, _PRIME))

    def value(plain: Plain) -> int:
        return (
            sum(_residue(c) * prod(pow(at(n), k, _PRIME) for n, k in monomial) for monomial, c in plain.items())
            % _PRIME
        )

    inverse: dict[str, int] = {}
    for name in {name for powers, _, _ in terms for name in powers}:
        q = value(radicand(name) or {})
        if not q:
            return 0
        inverse[name] = pow(q, -1, _PRIME)
    return (
        sum(
            value({rest: c}) * prod(pow(inverse[name], k, _PRIME) for name, k in powers.items())
            for powers, rest, c in terms
        )
        % _PRIME
    )


def _residue(value: Fraction) -> int:
    return value.numerator * pow(value.denominator, -1, _PRIME)


def _numerator(terms: Terms, roots: list[str]) -> Element:
    """The sum of coefficient * rest * prod q^(K - k), K the greatest power of each 1/q."""
    inside = {name: radicand(name) or {} for name in roots}
    names = {name for _, rest, _ in terms for name, _ in rest}
    names |= {name for plain in inside.values() for monomial in plain for name, _ in monomial}
    ring = flint_ring(sorted(names))
    q = {name: ring.element(plain) for name, plain in inside.items()}
    highest = {name: max(powers.get(name, 0) for powers, _, _ in terms) for name in roots}
    total = ring.zero
    for powers, rest, coefficient in terms:
        total = total + _term(ring, q, {n: highest[n] - powers.get(n, 0) for n in roots}, {rest: coefficient})
    return total


def _term(ring: Ring, q: Mapping[str, Element], powers: Mapping[str, int], rest: Plain) -> Element:
    found = ring.element(rest)
    for name, power in powers.items():
        if power:
            found = found * q[name] ** power
    return found
