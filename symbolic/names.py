"""What the explicit route and the written-out index terms call the values of softmax and normalisation.

    softmax2(a, b, c)    the second entry of softmax(a, b, c); the last one is 1 minus the others
    (q)^(-1/2)           the inverse root of q, of which a normalised value is a multiple

The arguments are polynomials in plain form, so equal points give equal names. No relation between an inverse root r
and its argument, r^2 q = 1, is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from symbolic.rings import Plain, show


def softmax_name(place: int, arguments: Sequence[Plain]) -> str:
    """The symbol of softmax(arguments) at a place, counted from 0."""
    return f"softmax{place + 1}({', '.join(show(argument) for argument in arguments)})"


def inverse_root(radicand: Plain) -> Plain:
    """q^(-1/2): a rational where q is the square of one, else a symbol; q is not zero."""
    if set(radicand) == {()} and (root := _rational_root(radicand[()])) is not None:
        return {(): 1 / root}
    return {((f"({show(radicand)})^(-1/2)", 1),): Fraction(1)}


def _rational_root(q: Fraction) -> Fraction | None:
    if q < 0:
        return None
    root = Fraction(isqrt(q.numerator), isqrt(q.denominator))
    return root if root * root == q else None
