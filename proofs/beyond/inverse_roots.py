"""Polynomials in symbols and inverse roots r = q^(-1/2): which vanish, by the relations r^2 q = 1 and as numbers.

Norms bring such roots into entries of a Hessian, norms of norms roots of what has roots in it; two routes to an entry
agree where the difference of two polynomials of this kind vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple, TypeAlias

from flint import arb

from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.algebra.rings import Element, Plain, Ring, flint_ring
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.names import inverse_root, plain_product, radicand
from resproof.symbolic.written.roots import has_value, is_zero

_Point: TypeAlias = Mapping[str, Fraction]

_COUNT = 30
_POINTS: Sequence[_Point] = ({"x": Fraction(3, 7), "y": Fraction(5, 2)}, {"x": Fraction(9, 4), "y": Fraction(1, 3)})
_ONE: Plain = {(): Fraction(1)}
_X, _Y = ({((name, 1),): Fraction(1)} for name in "xy")
_Q: Plain = {**_ONE, (("x", 2),): Fraction(1)}
_P: Plain = {(("x", 1),): Fraction(2), (("x", 1), ("y", 1)): Fraction(1, 3)}


def _radicands() -> Iterator[Plain]:
    """Polynomials, numbers, and what has even powers of the root of q in it, as the norm of a norm has."""
    yield from (_Q, _P, {(): Fraction(9, 4)}, {(): Fraction(2)})
    r = inverse_root(_Q)
    square = plain_product(r, r)
    yield plain_product(square, _P)
    yield plain_product(square, square, _P)
    yield {**plain_product(square, _Y, _Y), **_ONE}
    yield {**plain_product(square, square, _Y), **plain_product(square, _X)}


_OF_A_ROOT: Sequence[Callable[[Any, Any], Any]] = (
    lambda r, q: r**2 * q - 1,
    lambda r, q: r * q - 1,
    lambda r, q: r**3 * q - r,
    lambda r, q: r**2 * q - 2,
)


def _polynomials() -> Iterator[tuple[Plain, Callable[[_Point], arb]]]:
    """Of each root and its radicand, then sums of multiples of r^2 q - 1 and s^2 p - 1, with something more or without.

    Each with the number that it is.
    """
    pairs = [(inverse_root(q), q) for q in _radicands()]
    ring = flint_ring(sorted({name for both in pairs for plain in both for one in plain for name, _ in one}))
    for root, q in pairs:
        for made in _OF_A_ROOT:
            plain = ring.plain(made(ring.element(root), ring.element(q)))
            yield plain, lambda at, q=q, made=made: made(_value(q, at).rsqrt(), _value(q, at))
    roots = [(ring.element(root), ring.element(q)) for root, q in pairs[:2]]
    for seed in range(_COUNT):
        draw = Random(seed)
        relations = [root**2 * q - 1 for root, q in roots]
        total = sum((_monomial(ring, roots, draw) * draw.choice(relations) for _ in range(2)), start=ring.zero)
        plain = ring.plain(total + draw.choice((0, 0, 1)) * _monomial(ring, roots, draw))
        yield plain, lambda at, plain=plain: _value(plain, at)


def _monomial(ring: Ring, roots: Sequence[tuple[Element, ...]], draw: Random) -> Element:
    """A product of powers of the symbols and of two roots."""
    factors = (*ring.symbols("xy"), *(root for root, _ in roots))
    found = ring.number(draw.choice((1, -2, Fraction(1, 3))))
    for factor in factors:
        found = found * factor ** draw.randrange(4)
    return found


def _value(plain: Plain, at: _Point) -> arb:
    """A ball that holds the polynomial's value, the roots being those of the values of their radicands."""
    total = arb(0)
    for monomial, coefficient in plain.items():
        term = arb(coefficient.numerator) / coefficient.denominator
        for name, power in monomial:
            q = radicand(name)
            one = arb(at[name].numerator) / at[name].denominator if q is None else _value(q, at).rsqrt()
            term = term * one**power
        total = total + term
    return total


class _Vanishes(NamedTuple):
    """Whether a polynomial vanishes by the relations, modulo a prime, and as a number."""

    by_relations: bool
    by_residues: bool
    as_number: bool


def _seen(_: Context) -> Computed:
    found = [
        _Vanishes(is_zero(one), not has_value(one), all(value(at).contains(0) for at in _POINTS))
        for one, value in _polynomials()
    ]
    return Computed(found, Scope.of("polynomials in two symbols and the inverse roots of eight radicands"))


def _as_numbers(found: Sequence[_Vanishes], claim: Callable[[bool], bool]) -> None:
    """Pass when those vanish, both ways, that are claimed to.

    Raises:
        Disagreement: one does and should not, or the other way round.
    """
    for one in found:
        if {one.by_relations, one.by_residues} != {claim(one.as_number)}:
            raise Disagreement("a polynomial in inverse roots is taken for zero, or for another than zero")


INVERSE_ROOTS = Argument(
    "Polynomials in inverse roots: which vanish, by the relations between them and as numbers",
    "instance",
    _seen,
    bool,
    {"all do": lambda _: True, "none does": lambda _: False},
    _as_numbers,
)
