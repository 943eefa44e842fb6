"""The coefficient ring Q[names]: polynomials with exact rational coefficients in named symbols.

FLINT's rings serve; SymPy's are a second implementation, which tests hold against them. Everything else sees one
`Ring`: elements know +, -, * and truth (nonzero), and the ring itself makes numbers and symbols. Elements of different
rings are compared in *plain* form,

    {((name, power), ...): coefficient},    names ascending, no zero powers, no zero coefficients,

which two polynomials share exactly when they are equal, whatever ring each of them lives in.

Which symbols a computation needs is often known only when it runs (an activation's derivative at a point that has
just been worked out). `with_symbols` runs it again in a larger ring whenever it asks for a symbol that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import flint

if TYPE_CHECKING:
    import sympy  # which takes as long to import as all else here; a ring over FLINT does without it

Element: TypeAlias = Any
"""An element of a ring: +, -, * with its like, and false exactly when zero."""
Monomial: TypeAlias = tuple[tuple[str, int], ...]
Plain: TypeAlias = dict[Monomial, Fraction]
RingKind: TypeAlias = "Callable[[Sequence[str]], Ring]"
Result = TypeVar("Result")


class MissingSymbolsError(KeyError):
    """A computation needs symbols that its ring lacks; `names` lists them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        super().__init__(", ".join(self.names))


@dataclass(frozen=True, slots=True)
class Ring:
    """Q[names]. `zero` and `one` are elements; products with `one` itself may be left out by identity."""

    names: tuple[str, ...]
    zero: Element
    one: Element
    generators: Mapping[str, Element] = field(repr=False)
    from_fraction: Callable[[Fraction | int], Element] = field(repr=False)
    monomials: Callable[[Element], Iterable[tuple[Sequence[int], Any]]] = field(repr=False)
    named: Mapping[int, str] = field(default_factory=dict[int, str], repr=False)

    def number(self, value: Fraction | int) -> Element:
        """The constant polynomial `value`."""
        return self.one if value == 1 else self.from_fraction(value) if value else self.zero

    def symbols(self, names: Sequence[str]) -> list[Element]:
        """The generators of these names.

        Raises:
            MissingSymbolsError: the ring lacks some of them; the error lists those.
        """
        try:
            return [self.generators[name] for name in names]
        except KeyError:
            raise MissingSymbolsError(name for name in names if name not in self.generators) from None

    def symbol(self, name: str) -> Element:
        """The generator of this name.

        Raises:
            MissingSymbolsError: the ring lacks it.
        """
        if name not in self.generators:
            raise MissingSymbolsError([name])
        return self.generators[name]

    def show(self, element: Element) -> str:
        """`show` of its plain form, which a generator is known to have without it."""
        return self.named.get(id(element)) or show(self.plain(element))

    def plain(self, element: Element) -> Plain:
        """The element as {((name, power), ...): coefficient}."""
        names = self.names
        return {
            tuple(sorted((names[place], power) for place, power in powers)): coefficient
            for powers, coefficient in self.terms(element)
        }

    def terms(self, element: Element) -> Iterator[tuple[list[tuple[int, int]], Fraction]]:
        """Each monomial as [(place of a generator in `names`, its power), ...], with its coefficient."""
        places = range(len(self.names))
        for powers, coefficient in self.monomials(element):
            yield [(place, int(powers[place])) for place in compress(places, powers)], as_fraction(coefficient)

    def element(self, plain: Plain) -> Element:
        """The element whose plain form this is.

        Raises:
            MissingSymbolsError: the ring lacks some of the names.
        """
        self.symbols(sorted({name for monomial in plain for name, _ in monomial}))
        total = self.zero
        for monomial, coefficient in plain.items():
            term = self.number(coefficient)
            for name, power in monomial:
                term = term * self.generators[name] ** power
            total = total + term
        return total


def flint_ring(names: Sequence[str]) -> Ring:
    """Q[names] by FLINT's `fmpq_mpoly`."""
    return _flint_ring(tuple(names))


@lru_cache(maxsize=64)
def _flint_ring(names: tuple[str, ...]) -> Ring:
    context = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.lex)
    constant = context.constant

    def from_fraction(value: Fraction | int) -> Element:
        return constant(flint.fmpq(value.numerator, value.denominator))

    def monomials(element: Element) -> Iterable[tuple[Sequence[int], Any]]:
        return element.terms()

    generators = dict(zip(names, context.gens(), strict=True))
    named = {id(one): name for name, one in generators.items()}
    return Ring(names, constant(0), constant(1), generators, from_fraction, monomials, named)


def sympy_ring(names: Sequence[str]) -> Ring:
    """Q[names] by SymPy's `PolyRing`, which takes as long to import as all else here."""
    return _sympy_ring(tuple(names))


@lru_cache(maxsize=64)
def _sympy_ring(names: tuple[str, ...]) -> Ring:
    import sympy
    from sympy.polys.orderings import lex
    from sympy.polys.rings import PolyRing

    rationals = sympy.QQ
    polynomials = PolyRing([sympy.Symbol(name) for name in names], rationals, lex)

    def from_fraction(value: Fraction | int) -> Element:
        return polynomials.ground_new(rationals(value.numerator, value.denominator))

    def monomials(element: Element) -> Iterable[tuple[Sequence[int], Any]]:
        return element.terms() if element else ()

    generators = dict(zip(names, polynomials.gens, strict=True))
    return Ring(names, polynomials.zero, polynomials.one, generators, from_fraction, monomials)


def with_symbols(kind: RingKind, names: Iterable[str], run: Callable[[Ring], Result]) -> Result:
    """run(ring), the ring having `names` and whatever further symbols the run turns out to need."""
    known = tuple(dict.fromkeys(names))
    while True:
        try:
            return run(kind(known))
        except MissingSymbolsError as missing:
            known = (*known, *missing.names)


def with_numbers(kind: RingKind, values: Mapping[str, Fraction]) -> RingKind:
    """Rings of this kind in which some names stand for numbers."""

    def made(names: Sequence[str]) -> Ring:
        ring = kind([name for name in names if name not in values])
        return replace(ring, generators={**ring.generators, **{name: ring.number(v) for name, v in values.items()}})

    return made if values else kind


def show(plain: Plain) -> str:
    """A plain polynomial as text, the same for equal polynomials: 1/2*x_1_1^2 - y_1_1."""
    shown = ""
    for monomial, coefficient in sorted(plain.items()):
        factors = [name if power == 1 else f"{name}^{power}" for name, power in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        shown += f" {sign} {'*'.join(factors)}" if shown else f"{'-' * (coefficient < 0)}{'*'.join(factors)}"
    return shown or "0"


def as_sympy(plain: Plain) -> sympy.Expr:
    """A plain polynomial as a SymPy expression, for display."""
    import sympy

    return sympy.Add(
        *(
            sympy.Mul(
                sympy.Rational(coefficient.numerator, coefficient.denominator),
                *(sympy.Symbol(name) ** power for name, power in monomial),
            )
            for monomial, coefficient in plain.items()
        )
    )


def as_fraction(coefficient: Any) -> Fraction:
    """A rational number of FLINT or SymPy as one of Python."""
    return Fraction(int(coefficient.numerator), int(coefficient.denominator))


def value_at(plain: Plain, at: Mapping[str, Fraction]) -> Fraction:
    """A polynomial at given values of all its symbols."""
    total = Fraction(0)
    for monomial, coefficient in plain.items():
        over, under = coefficient.numerator, coefficient.denominator
        for name, power in monomial:
            over *= at[name].numerator ** power
            under *= at[name].denominator ** power
        total += Fraction(over, under)
    return total
