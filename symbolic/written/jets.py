"""Truncated power series in the weights: what a network's entries are near its initial point.

A jet of order K is a polynomial in the perturbations w_1, ..., w_p of the weights, cut after degree K; its
coefficients (data, activation constants) lie in a `Ring`. Two representations share one set of operations.

*Sparse*, K <= 2:   c + sum_a l_a w_a + 1/2 sum_{a, b} h_ab w_a w_b   with dictionaries for l and for h_ab, a <= b. The
product is

    c c'  +  sum_a (c l'_a + l_a c') w_a  +  1/2 sum_{a, b} (c h'_ab + h_ab c' + l_a l'_b + l_b l'_a) w_a w_b.

*Graded*, any K:    u_0 + u_1 + ... + u_K   with u_k homogeneous of degree k, elements of one flat ring in which the
weights are generators too. Only pairs of orders i + j <= K are multiplied.

Each operation that accumulates changes its first argument alone and returns nothing: a sum of n jets then costs the
terms that are added, not n copies of the sum. `order` bounds the degrees of a product that are worked out.
"""

# ruff: noqa: D102 (the operations are documented once, in `Jets`)
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Protocol, TypeAlias

from resproof.symbolic.algebra.rings import Element, Ring

Jet: TypeAlias = Any
Part: TypeAlias = dict[tuple[int, ...], Element]
"""A homogeneous part: {ascending parameter numbers of a monomial: coefficient}, no zero coefficients."""


class Jets(Protocol):
    """The operations on jets of one representation."""

    @property
    def ring(self) -> Ring: ...
    @property
    def order(self) -> int: ...
    def number(self, value: Element, /) -> Jet:
        """The constant jet `value`."""
        ...

    def variable(self, value: Element, parameter: int, /) -> Jet:
        """`value` + w_parameter."""
        ...

    def copy(self, jet: Jet, /) -> Jet:
        """A jet that may be changed without changing `jet`."""
        ...

    def value(self, jet: Jet, /) -> Element:
        """The part of degree 0."""
        ...

    def least_degree(self, jet: Jet, /) -> int:
        """The least degree >= 1 in which the jet may be nonzero; order + 1 where there is none."""
        ...

    def increment(self, jet: Jet, /) -> Jet:
        """The jet without its part of degree 0; it may share the rest with `jet`."""
        ...

    def with_value(self, jet: Jet, value: Element, /) -> Jet:
        """The jet with another part of degree 0; it may share the rest with `jet`."""
        ...

    def euler(self, jet: Jet, /) -> Jet:
        """The part of degree k times k: the derivative along the ray w -> tau w. It may share parts with `jet`."""
        ...

    def integral(self, jet: Jet, /) -> Jet:
        """The part of degree k >= 1 over k, a fresh jet: what `euler` maps to `jet` less its part of degree 0."""
        ...

    def add(self, target: Jet, jet: Jet, /) -> None:
        """target += jet."""

    def add_product(self, target: Jet, left: Jet, right: Jet, order: int, /) -> None:
        """target += left * right, up to degree `order`."""

    def add_multiple(self, target: Jet, factor: Element, jet: Jet, order: int, /) -> None:
        """target += factor * jet, up to degree `order`; the jet has no part of degree 0."""

    def add_square(self, target: Jet, factor: Element, jet: Jet, order: int, /, least: int = 0) -> None:
        """target += factor * jet^2 up to degree `order`, in half the work; what is below `least` may be left out."""

    def part(self, jet: Jet, degree: int, /) -> Part:
        """The part of that degree."""
        ...

    def vanishes(self, jet: Jet, degree: int, /) -> bool:
        """Whether the part of that degree is zero."""
        ...


class SparseJet:
    """c + sum l_a w_a + 1/2 sum h_ab w_a w_b: value, gradient and the upper triangle of the Hessian."""

    __slots__ = ("constant", "hessian", "linear")

    def __init__(self, constant: Element, linear: dict[int, Element], hessian: dict[tuple[int, int], Element]) -> None:
        self.constant = constant
        self.linear = linear
        self.hessian = hessian


@dataclass(slots=True)
class SparseJets:
    """Jets of order at most 2, as dictionaries.

    Entries and units have many products in common: those of short lists are known by the identities of their factors,
    which are kept, so that no other element takes one over.
    """

    ring: Ring
    order: int = 2
    multiples: dict[int, dict[int, Element]] = field(default_factory=dict, repr=False)
    squares: dict[tuple[int, ...], list[Element]] = field(default_factory=dict, repr=False)
    kept: list[Element] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise ValueError(f"SparseJets: order is {self.order}; expected 0, 1 or 2")

    def number(self, value: Element, /) -> SparseJet:
        return SparseJet(value, {}, {})

    def variable(self, value: Element, parameter: int, /) -> SparseJet:
        return SparseJet(value, {parameter: self.ring.one}, {})

    def copy(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(jet.constant, jet.linear.copy(), jet.hessian.copy())

    def value(self, jet: SparseJet, /) -> Element:
        return jet.constant

    def least_degree(self, jet: SparseJet, /) -> int:
        return 1 if jet.linear else 2 if jet.hessian else self.order + 1

    def increment(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(self.ring.zero, jet.linear, jet.hessian)

    def with_value(self, jet: SparseJet, value: Element, /) -> SparseJet:
        return SparseJet(value, jet.linear, jet.hessian)

    def euler(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(self.ring.zero, jet.linear, {pair: value + value for pair, value in jet.hessian.items()})

    def integral(self, jet: SparseJet, /) -> SparseJet:
        half = self.ring.number(Fraction(1, 2))
        hessian = {pair: value * half for pair, value in jet.hessian.items()}
        return SparseJet(self.ring.zero, jet.linear.copy(), hessian)

    def add(self, target: SparseJet, jet: SparseJet, /) -> None:
        if jet.constant:
            target.constant = target.constant + jet.constant
        if jet.linear:
            _add_terms(target.linear, jet.linear)
        if jet.hessian:
            _add_terms(target.hessian, jet.hessian)

    def add_product(self, target: SparseJet, left: SparseJet, right: SparseJet, order: int, /) -> None:
        one, c, d = self.ring.one, left.constant, right.constant
        if c and d:
            target.constant = target.constant + (d if c is one else c if d is one else c * d)
        if order >= 1:
            if d and left.linear:
                _add_terms(target.linear, self._multiple(d, left.linear))
            if c and right.linear:
                _add_terms(target.linear, self._multiple(c, right.linear))
        if order >= 2:
            if d and left.hessian:
                _add_terms(target.hessian, self._multiple(d, left.hessian))
            if c and right.hessian:
                _add_terms(target.hessian, self._multiple(c, right.hessian))
            if right.linear:
                for a, value in left.linear.items():
                    _add_row(target.hessian, a, right.linear if value is one else self._multiple(value, right.linear))

    def add_multiple(self, target: SparseJet, factor: Element, jet: SparseJet, order: int, /) -> None:
        if order >= 1 and jet.linear:
            _add_terms(target.linear, self._multiple(factor, jet.linear))
        if order >= 2 and jet.hessian:
            _add_terms(target.hessian, self._multiple(factor, jet.hessian))

    def add_square(self, target: SparseJet, factor: Element, jet: SparseJet, order: int, /, least: int = 0) -> None:
        c = jet.constant
        if order >= 2 and jet.linear:
            numbers = sorted(jet.linear)
            products = self._squares(factor, [jet.linear[a] for a in numbers])
            _add_terms(target.hessian, dict(zip(combinations_with_replacement(numbers, 2), products, strict=True)))
        if c:
            twice = _twice(factor, self.ring.one)
            slope = c if twice is self.ring.one else twice * c
            if least == 0:
                target.constant = target.constant + factor * c * c
            if least <= 1 <= order:
                _add_terms(target.linear, self._multiple(slope, jet.linear))
            if order >= 2:
                _add_terms(target.hessian, self._multiple(slope, jet.hessian))

    def _multiple(self, factor: Element, terms: dict[Any, Element]) -> dict[Any, Element]:
        one = self.ring.one
        if factor is one:
            return terms
        if len(terms) == 1:
            ((key, value),) = terms.items()
            return {key: factor if value is one else factor * value}
        if len(terms) >= MANY:
            known = {id(one): factor}
            return {key: known.get(id(v)) or known.setdefault(id(v), factor * v) for key, v in terms.items()}
        known = self.multiples.get(id(factor)) or self.multiples.setdefault(id(factor), {id(one): factor})
        return {key: known.get(id(v)) or self._product(known, factor, v) for key, v in terms.items()}

    def _product(self, known: dict[int, Element], factor: Element, value: Element) -> Element:
        self.kept.append(value)
        return known.setdefault(id(value), factor * value)

    def _squares(self, factor: Element, values: list[Element]) -> list[Element]:
        """2 factor v_a v_b, a <= b, row by row; those of equal pairs once."""
        key = (id(factor), *map(id, values))
        found = self.squares.get(key)
        if found is None:
            twice = _twice(factor, self.ring.one)
            scaled = values if twice is self.ring.one else [twice * value for value in values]
            pairs = list(combinations_with_replacement(map(values.index, values), 2))
            products = {pair: scaled[pair[0]] * values[pair[1]] for pair in set(pairs)}
            found = [products[pair] for pair in pairs]
            if len(values) < MANY:
                self.squares[key] = found
                self.kept += (factor, *values)
        return found

    def part(self, jet: SparseJet, degree: int, /) -> Part:
        match degree:
            case 0:
                return {(): jet.constant} if jet.constant else {}
            case 1:
                return {(a,): value for a, value in jet.linear.items() if value}
            case 2:
                half = self.ring.number(Fraction(1, 2))
                return {(a, b): half * value if a == b else value for (a, b), value in jet.hessian.items() if value}
            case _:
                raise ValueError(f"part: degree is {degree}; expected at most 2")

    def vanishes(self, jet: SparseJet, degree: int, /) -> bool:
        return not self.part(jet, degree)


MANY = 64
"""Lists of so many coefficients are seldom met again, and much to keep."""


def _twice(value: Element, one: Element) -> Element:
    twice = value + value
    return one if twice == one else twice


def _add_terms(target: dict[Any, Element], terms: Mapping[Any, Element]) -> None:
    if not target:
        target.update(terms)
        return
    for key, term in terms.items():
        target[key] = target[key] + term if key in target else term


def _add_row(target: dict[tuple[int, int], Element], a: int, row: Mapping[int, Element]) -> None:
    """target += w_a * sum_b row_b w_b: the second derivative of w_a w_a is 2."""
    for b, term in row.items():
        key = (a, b) if a <= b else (b, a)
        term = term + term if a == b else term
        target[key] = target[key] + term if key in target else term


@dataclass(frozen=True, slots=True)
class GradedJets:
    """Jets of any order as lists of homogeneous parts; `weights` names the ring's generator of each parameter."""

    ring: Ring
    order: int
    weights: Mapping[int, str] = field(repr=False)

    def number(self, value: Element, /) -> list[Element]:
        return [value] + [self.ring.zero] * self.order

    def variable(self, value: Element, parameter: int, /) -> list[Element]:
        jet = self.number(value)
        if self.order:
            jet[1] = self.ring.symbol(self.weights[parameter])
        return jet

    def copy(self, jet: list[Element], /) -> list[Element]:
        return jet.copy()

    def value(self, jet: list[Element], /) -> Element:
        return jet[0]

    def least_degree(self, jet: list[Element], /) -> int:
        return next((k for k, part in enumerate(jet) if k and part), self.order + 1)

    def increment(self, jet: list[Element], /) -> list[Element]:
        return [self.ring.zero, *jet[1:]]

    def with_value(self, jet: list[Element], value: Element, /) -> list[Element]:
        return [value, *jet[1:]]

    def euler(self, jet: list[Element], /) -> list[Element]:
        return [part * self.ring.number(k) if k and part else self.ring.zero for k, part in enumerate(jet)]

    def integral(self, jet: list[Element], /) -> list[Element]:
        number = self.ring.number
        return [part * number(Fraction(1, k)) if k and part else self.ring.zero for k, part in enumerate(jet)]

    def add(self, target: list[Element], jet: list[Element], /) -> None:
        for k, part in enumerate(jet):
            if part:
                target[k] = target[k] + part

    def add_product(self, target: list[Element], left: list[Element], right: list[Element], order: int, /) -> None:
        nonzero = [(j, part) for j, part in enumerate(right[: order + 1]) if part]
        for i, part in enumerate(left[: order + 1]):
            if part:
                for j, other in nonzero:
                    if i + j <= order:
                        target[i + j] = target[i + j] + part * other

    def add_multiple(self, target: list[Element], factor: Element, jet: list[Element], order: int, /) -> None:
        for k, part in enumerate(jet[1 : order + 1], start=1):
            if part:
                target[k] = target[k] + factor * part

    def add_square(
        self, target: list[Element], factor: Element, jet: list[Element], order: int, /, least: int = 0
    ) -> None:
        nonzero = [(k, part, factor * part) for k, part in enumerate(jet) if part]
        for place, (i, part, scaled) in enumerate(nonzero):
            if least <= 2 * i <= order:
                target[2 * i] = target[2 * i] + scaled * part
            for j, other, _ in nonzero[place + 1 :]:
                if least <= i + j <= order:
                    term = scaled * other
                    target[i + j] = target[i + j] + term + term

    def part(self, jet: list[Element], degree: int, /) -> Part:
        ring = self.ring
        numbers = {name: parameter for parameter, name in self.weights.items()}
        parameters = [numbers.get(name) for name in ring.names]
        generators = ring.symbols(ring.names)
        found: Part = {}
        for powers, coefficient in ring.terms(jet[degree]):
            weights: list[int] = []
            value = ring.number(coefficient)
            for place, power in powers:
                parameter = parameters[place]
                if parameter is None:
                    value = value * generators[place] ** power
                else:
                    weights += [parameter] * power
            monomial = tuple(sorted(weights))
            found[monomial] = found[monomial] + value if monomial in found else value
        return found

    def vanishes(self, jet: list[Element], degree: int, /) -> bool:
        return not jet[degree]


def compose(jets: Jets, coefficients: Sequence[Element], jet: Jet, order: int) -> Jet:
    """sum_k c_k (jet - jet_0)^k up to degree `order`: an analytic function applied to a jet, c_k = f^(k)(jet_0)/k!."""
    total = jets.number(coefficients[0])
    least = jets.least_degree(jet)
    if least > order:
        return total
    power = increment = jets.increment(jet)
    if 3 * least > order:
        jets.add_multiple(total, coefficients[1], increment, order)
        if 2 * least <= order and coefficients[2]:
            jets.add_square(total, coefficients[2], increment, order)
        return total
    for k, coefficient in enumerate(coefficients[1:], start=1):
        if k * least > order:
            break
        if coefficient:
            jets.add_multiple(total, coefficient, power, order)
        if (k + 1) * least <= order and any(coefficients[k + 1 :]):
            following = jets.number(jets.ring.zero)
            jets.add_product(following, power, increment, order)
            power = following
    return total
