"""Taylor coefficients f(c), f'(c), f''(c)/2, ... of an activation at a point c of the coefficient ring.

At c = 0 they are the activation's own exact data. A polynomial is expanded exactly anywhere:

    f^(k)(c)/k! = sum_{j >= k} binomial(j, k) a_j c^(j - k).

ReLU is 1[c > 0] c near a rational c != 0, and what has kinks is linear between them. At any other point the derivatives
are opaque symbols named after the argument, `pre'(x_1_1)`: the same argument gives the same symbol.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from resproof.architectures.activations import prime, relu
from resproof.architectures.nodes import Activation
from resproof.symbolic.algebra.rings import Element, Ring, show
from resproof.symbolic.written.names import plain_sign


def expansion(activation: Activation, point: Element, order: int, ring: Ring) -> list[Element]:
    """[f(point), f'(point), ..., f^(order)(point)/order!].

    Raises:
        NotDifferentiableError: the point is a kink and a derivative is asked for.
        MissingSymbolsError: the ring lacks symbols of derivatives.
    """
    if activation.degree is not None:
        return _polynomial(activation, activation.degree, point, order, ring)
    if not point:
        return _at_zero(activation, order, ring)
    if activation.kinks:
        return _piecewise_linear(activation, point, order, ring)
    return _opaque(activation, point, order, ring)


def symbols_at_zero(activation: Activation, order: int) -> list[str]:
    """The symbols that occur in the Taylor coefficients 0..order at zero; none at a kink."""
    if activation.degree is not None or activation.has_pole or (order >= 1 and Fraction(0) in activation.kinks):
        return []
    return [c.symbol for c in activation.taylor_at_zero(order) if c.symbol is not None]


def symbols_at(activation: Activation, argument: str, order: int) -> list[str]:
    """The symbols of the derivatives 0..order at an argument that is no number; none where they are known otherwise."""
    if activation.degree is not None or activation.kinks:
        return []
    return [f"{activation.name}{prime(k)}({argument})" for k in range(order + 1)]


def _at_zero(activation: Activation, order: int, ring: Ring) -> list[Element]:
    found: list[Element] = []
    for c in activation.taylor_at_zero(order):
        number = ring.number(c.rational)
        found.append(number if c.symbol is None else ring.symbol(c.symbol) * number)
    return found


def _polynomial(activation: Activation, degree: int, point: Element, order: int, ring: Ring) -> list[Element]:
    coefficients = [activation.taylor(j).rational for j in range(degree + 1)]
    powers = [ring.one]
    for _ in range(degree if point else 0):
        powers.append(powers[-1] * point)

    def coefficient(k: int) -> Element:
        terms = ((powers[j - k], comb(j, k) * coefficients[j]) for j in range(k, min(degree + 1, k + len(powers))))
        return sum((power * ring.number(number) for power, number in terms if number), ring.zero)

    return [coefficient(k) for k in range(order + 1)]


def _piecewise_linear(activation: Activation, point: Element, order: int, ring: Ring) -> list[Element]:
    plain = ring.plain(point)
    side = plain_sign(plain) if activation is relu else 0
    if side:
        value, slope = (point, ring.one) if side > 0 else (ring.zero, ring.zero)
    else:
        value, slope = ring.symbols([f"{activation.name}{prime(k)}({show(plain)})" for k in (0, 1)])
    return [value, slope, *[ring.zero] * (order - 1)][: order + 1]


def _opaque(activation: Activation, point: Element, order: int, ring: Ring) -> list[Element]:
    symbols = ring.symbols(symbols_at(activation, ring.show(point), order))
    return [symbol * ring.number(Fraction(1, factorial(k))) if k > 1 else symbol for k, symbol in enumerate(symbols)]
