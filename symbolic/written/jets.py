"""Truncated power series in the weights: what a network's entries are near its initial point.

A jet of order K is a polynomial in the perturbations w_1, ..., w_p of the weights, cut after degree K; its
coefficients (data, activation constants) lie in a `Ring`. Two representations share one set of operations.

*Sparse*, K <= 2:   c + sum_a l_a w_a + sum_{a <= b} q_ab w_a w_b   with dictionaries for l and q. The product is

    c c'  +  sum_a (c l'_a + l_a c') w_a  +  sum_{a <= b} (c q'_ab + q_ab c' + [l_a l'_b, symmetrised]) w_a w_b.

*Graded*, any K:    u_0 + u_1 + ... + u_K   with u_k homogeneous of degree k, elements of one flat ring in which the
weights are generators too. Only pairs of orders i + j <= K are multiplied.

Each operation that accumulates changes its first argument alone and returns nothing: a sum of n jets then costs the
terms that are added, not n copies of the sum. `order` bounds the degrees of a product that are worked out.
"""

# ruff: noqa: D102 (the operations are documented once, in `Jets`)
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Protocol, TypeAlias

from symbolic.algebra.rings import Element, Ring

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

    def add_square(self, target: Jet, factor: Element, jet: Jet, /) -> None:
        """target += factor * jet^2: half the work of the product."""

    def part(self, jet: Jet, degree: int, /) -> Part:
        """The part of that degree."""
        ...

    def vanishes(self, jet: Jet, degree: int, /) -> bool:
        """Whether the part of that degree is zero."""
        ...


class SparseJet:
    """c + sum l_a w_a + sum_{a <= b} q_ab w_a w_b."""

    __slots__ = ("constant", "linear", "quadratic")

    def __init__(
        self, constant: Element, linear: dict[int, Element], quadratic: dict[tuple[int, int], Element]
    ) -> None:
        self.constant = constant
        self.linear = linear
        self.quadratic = quadratic


@dataclass(frozen=True, slots=True)
class SparseJets:
    """Jets of order at most 2, as dictionaries."""

    ring: Ring
    order: int = 2

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise ValueError(f"SparseJets: order is {self.order}; expected 0, 1 or 2")

    def number(self, value: Element, /) -> SparseJet:
        return SparseJet(value, {}, {})

    def variable(self, value: Element, parameter: int, /) -> SparseJet:
        return SparseJet(value, {parameter: self.ring.one}, {})

    def copy(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(jet.constant, jet.linear.copy(), jet.quadratic.copy())

    def value(self, jet: SparseJet, /) -> Element:
        return jet.constant

    def least_degree(self, jet: SparseJet, /) -> int:
        return 1 if jet.linear else 2 if jet.quadratic else self.order + 1

    def increment(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(self.ring.zero, jet.linear, jet.quadratic)

    def with_value(self, jet: SparseJet, value: Element, /) -> SparseJet:
        return SparseJet(value, jet.linear, jet.quadratic)

    def euler(self, jet: SparseJet, /) -> SparseJet:
        return SparseJet(self.ring.zero, jet.linear, {pair: value + value for pair, value in jet.quadratic.items()})

    def integral(self, jet: SparseJet, /) -> SparseJet:
        half = self.ring.number(Fraction(1, 2))
        quadratic = {pair: value * half for pair, value in jet.quadratic.items()}
        return SparseJet(self.ring.zero, jet.linear.copy(), quadratic)

    def add(self, target: SparseJet, jet: SparseJet, /) -> None:
        if jet.constant:
            target.constant = target.constant + jet.constant
        self.add_multiple(target, self.ring.one, jet, self.order)

    def add_product(self, target: SparseJet, left: SparseJet, right: SparseJet, order: int, /) -> None:
        one, c, d = self.ring.one, left.constant, right.constant
        if c and d:
            target.constant = target.constant + (d if c is one else c if d is one else c * d)
        if order >= 1:
            if d and left.linear:
                _add_multiple(target.linear, left.linear, d, one)
            if c and right.linear:
                _add_multiple(target.linear, right.linear, c, one)
        if order >= 2:
            if d and left.quadratic:
                _add_multiple(target.quadratic, left.quadratic, d, one)
            if c and right.quadratic:
                _add_multiple(target.quadratic, right.quadratic, c, one)
            if left.linear and right.linear:
                _add_outer(target.quadratic, left.linear, right.linear, one)

    def add_multiple(self, target: SparseJet, factor: Element, jet: SparseJet, order: int, /) -> None:
        if order >= 1 and jet.linear:
            _add_multiple(target.linear, jet.linear, factor, self.ring.one)
        if order >= 2 and jet.quadratic:
            _add_multiple(target.quadratic, jet.quadratic, factor, self.ring.one)

    def add_square(self, target: SparseJet, factor: Element, jet: SparseJet, /) -> None:
        one, c, twice = self.ring.one, jet.constant, factor + factor
        twice = one if twice == one else twice
        if c:
            slope = c if twice is one else twice * c
            target.constant = target.constant + factor * c * c
            if self.order >= 1:
                _add_multiple(target.linear, jet.linear, slope, one)
            if self.order >= 2:
                _add_multiple(target.quadratic, jet.quadratic, slope, one)
        if self.order >= 2:
            _add_square(target.quadratic, jet.linear, factor, twice, one)

    def part(self, jet: SparseJet, degree: int, /) -> Part:
        match degree:
            case 0:
                return {(): jet.constant} if jet.constant else {}
            case 1:
                return {(a,): value for a, value in jet.linear.items() if value}
            case 2:
                return {pair: value for pair, value in jet.quadratic.items() if value}
            case _:
                raise ValueError(f"part: degree is {degree}; expected at most 2")

    def vanishes(self, jet: SparseJet, degree: int, /) -> bool:
        return not self.part(jet, degree)


_FEW = 5
"""Fewer terms are multiplied one by one sooner than equal ones are found."""


def _add_multiple(target: dict[Any, Element], source: Mapping[Any, Element], factor: Element, one: Element) -> None:
    if factor is one:
        terms = source
    elif len(source) < _FEW or 2 * len(set(map(id, source.values()))) > len(source):
        terms = {key: factor if v is one else v * factor for key, v in source.items()}
    else:  # units share many values, and each is multiplied once
        known = {id(one): factor}
        terms = {key: known.get(id(v)) or known.setdefault(id(v), v * factor) for key, v in source.items()}
    if not target:
        target.update(terms)
        return
    for key, term in terms.items():
        target[key] = target[key] + term if key in target else term


def _add_outer(
    target: dict[tuple[int, int], Element], left: Mapping[int, Element], right: Mapping[int, Element], one: Element
) -> None:
    for a, value in left.items():
        for b, factor in right.items():
            key = (a, b) if a <= b else (b, a)
            term = value if factor is one else factor if value is one else value * factor
            target[key] = target[key] + term if key in target else term


def _add_square(
    target: dict[tuple[int, int], Element], linear: Mapping[int, Element], factor: Element, twice: Element, one: Element
) -> None:
    """target += factor * (sum_a l_a w_a)^2, where each pair of equal l_a has one product: units have many in common."""
    groups = _by_value(linear)
    for place, (value, own) in enumerate(groups):
        scaled = value if twice is one else twice * value
        square, pair = (factor, twice) if value is one else (factor * value * value, scaled * value)
        _add_term(target, zip(own, own, strict=True), square)
        _add_term(target, combinations(own, 2), pair)
        for other, theirs in groups[place + 1 :]:
            _add_term(
                target, product(own, theirs), scaled if other is one else other if scaled is one else scaled * other
            )


def _by_value(linear: Mapping[int, Element]) -> list[tuple[Element, list[int]]]:
    """The numbers of equal entries together."""
    groups: list[tuple[Element, list[int]]] = []
    for a, value in linear.items():
        for other, numbers in groups:
            if value is other or value == other:
                numbers.append(a)
                break
        else:
            groups.append((value, [a]))
    return groups


def _add_term(target: dict[tuple[int, int], Element], pairs: Iterable[tuple[int, int]], term: Element) -> None:
    for a, b in pairs:
        key = (b, a) if b < a else (a, b)
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

    def add_square(self, target: list[Element], factor: Element, jet: list[Element], /) -> None:
        nonzero = [(k, part, factor * part) for k, part in enumerate(jet) if part]
        for place, (i, part, scaled) in enumerate(nonzero):
            if 2 * i <= self.order:
                target[2 * i] = target[2 * i] + scaled * part
            for j, other, _ in nonzero[place + 1 :]:
                if i + j <= self.order:
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
    least, increment = jets.least_degree(jet), jets.increment(jet)
    power = increment
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
