"""Softmax and normalisation of a line of jets, from their differential equations along rays.

Let E be the degree operator, E f = k f for f homogeneous of degree k: the derivative along the ray w -> tau w. For a
line u of jets,

    p = softmax(u):                              E p_i = p_i (E u_i - sum_j p_j E u_j)
    s = q^(-1/2), q = q_0 + v, q_0 = s_0^(-2):   E s = -s_0^2 (v E s + s E q / 2)            (from 2 q E s + s E q = 0)

and the normalised line is s c with c = u, or u less its mean, and q = mean(c^2) + epsilon. E is invertible on
positive degrees, so f = f_0 + E^-1(right-hand side) is solved by iteration: where u has no part of degree 1, ...,
l - 1, each round makes l more degrees exact.

At degree 0: p_i = 1/n where the n arguments are equal, otherwise symbols, the last one 1 less the others; s_0 is a
symbol unless q_0 is a rational square (`names`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from resproof.architectures.errors import NotDifferentiableError
from resproof.symbolic.algebra.rings import Element, Ring
from resproof.symbolic.written.jets import Jet, Jets
from resproof.symbolic.written.names import inverse_root, softmax_name


def softmax_line(line: Sequence[Jet], order: int, jets: Jets) -> list[Jet]:
    """exp(u_i) / sum_j exp(u_j) up to degree `order`.

    Raises:
        MissingSymbolsError: the ring lacks symbols of the values at unequal arguments.
    """
    start = [jets.number(value) for value in _softmax_values([jets.value(u) for u in line], jets.ring)]
    slopes = [jets.euler(u) for u in line]
    p = [jets.copy(value) for value in start]
    for _ in range(order // min(jets.least_degree(u) for u in line)):
        mean = _zero(jets)
        for value, slope in zip(p, slopes, strict=True):
            jets.add_product(mean, value, slope, order)
        rates = [
            _product(jets, value, _minus(jets, slope, mean), order) for value, slope in zip(p, slopes, strict=True)
        ]
        p = [_grown(jets, first, rate) for first, rate in zip(start, rates, strict=True)]
    return p


def normalised_line(line: Sequence[Jet], order: int, jets: Jets, *, centred: bool, epsilon: Fraction) -> list[Jet]:
    """c_i / sqrt(mean(c^2) + epsilon) up to degree `order`, c = u less its mean where `centred`, else u.

    Raises:
        NotDifferentiableError: the root is of 0.
        MissingSymbolsError: the ring lacks the symbol of the inverse root.
    """
    share = jets.number(jets.ring.number(Fraction(1, len(line))))
    mean = _zero(jets)
    for u in line if centred else ():
        jets.add_product(mean, share, u, order)
    c = [_minus(jets, u, mean) for u in line]
    q = jets.number(jets.ring.number(epsilon))
    for u in c:
        jets.add_product(q, _product(jets, share, u, order), u, order)
    s = _inverse_root(q, order, jets)
    return [_product(jets, s, u, order) for u in c]


def _inverse_root(q: Jet, order: int, jets: Jets) -> Jet:
    ring, radicand = jets.ring, jets.value(q)
    if not radicand:
        raise NotDifferentiableError("its argument has zero scale at the initial point")
    value = ring.element(inverse_root(ring.plain(radicand)))
    start, factor = jets.number(value), jets.number(ring.zero - value * value)
    rest, half_slope = jets.increment(q), _product(jets, jets.number(ring.number(Fraction(1, 2))), jets.euler(q), order)
    s = jets.copy(start)
    for _ in range(order // jets.least_degree(q)):
        rate = _product(jets, rest, jets.euler(s), order)
        jets.add_product(rate, s, half_slope, order)
        s = _grown(jets, start, _product(jets, factor, rate, order))
    return s


def _softmax_values(arguments: Sequence[Element], ring: Ring) -> list[Element]:
    if all(u == arguments[0] for u in arguments):
        return [ring.number(Fraction(1, len(arguments)))] * len(arguments)
    plain = [ring.plain(u) for u in arguments]
    free = ring.symbols([softmax_name(place, plain) for place in range(len(plain) - 1)])
    return [*free, ring.one - sum(free, ring.zero)]


def _grown(jets: Jets, start: Jet, rate: Jet) -> Jet:
    """start + E^-1(rate)."""
    grown = jets.integral(rate)
    jets.add(grown, start)
    return grown


def _minus(jets: Jets, left: Jet, right: Jet) -> Jet:
    total = jets.copy(left)
    jets.add_product(total, jets.number(jets.ring.number(-1)), right, jets.order)
    return total


def _product(jets: Jets, left: Jet, right: Jet, order: int) -> Jet:
    total = _zero(jets)
    jets.add_product(total, left, right, order)
    return total


def _zero(jets: Jets) -> Jet:
    return jets.number(jets.ring.zero)
