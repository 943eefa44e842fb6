"""Activations at their kink on the explicit route: f(u) = f(0) + s u, with the secant slope s as a symbol.

s lies between the slopes of f on both sides, whatever the weights, so that what it multiplies keeps its degree. Where
such a symbol is left in a part of degree one or two, the loss has no second-order expansion; equal arguments up to a
positive factor have one symbol, and relu(-u) = relu(u) - u, so that what cancels does.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from resproof.architectures.activations import relu
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.nodes import Activation
from resproof.symbolic.algebra.rings import Plain, show
from resproof.symbolic.written.jets import Jet, Jets

_MARK = "/("


def at_kink(activation: Activation, u: Jet, order: int, jets: Jets) -> Jet:
    """f(u) for a u that vanishes at the initial point and an f with a kink at 0.

    Raises:
        MissingSymbolsError: the ring lacks the symbol of the secant slope.
    """
    ring = jets.ring
    parts = [_plain(jets, u, degree) for degree in range(1, order + 1)]
    total = jets.number(ring.number(activation.taylor(0).rational))
    if not any(parts):
        return total
    leading = next(min(part[monomial].items()) for part in parts if part for monomial in [min(part)])[1]
    flipped = activation is relu and leading < 0
    factor = (-1 if flipped else 1) / abs(leading)
    shown = "; ".join(_show(part, factor) for part in parts)
    slope = ring.symbol(f"{activation.name}{_MARK}{shown})")
    if flipped:
        jets.add(total, jets.increment(u))
    jets.add_product(total, jets.number(-slope if flipped else slope), jets.increment(u), order)
    return total


def has_kinks(names: Iterable[str]) -> bool:
    """Whether one of these symbols is a secant slope."""
    return any(_MARK in name for name in names)


def refuse_kinks(names: Iterable[str]) -> None:
    """Nothing, where none of these symbols, of a part of degree one or two, is a secant slope.

    Raises:
        NotDifferentiableError: one is: the loss has no such derivative.
    """
    for name in names:
        if _MARK in name:
            raise NotDifferentiableError(
                f"{name.partition(_MARK)[0]} has no derivative at 0, and meets it at the start"
            )


def _plain(jets: Jets, u: Jet, degree: int) -> dict[tuple[int, ...], Plain]:
    part = jets.part(u, degree)
    return {monomial: jets.ring.plain(value) for monomial, value in part.items()}


def _show(part: dict[tuple[int, ...], Plain], factor: Fraction) -> str:
    scaled = {monomial: {m: factor * c for m, c in plain.items()} for monomial, plain in part.items()}
    return " + ".join(f"({show(scaled[monomial])}) {monomial}" for monomial in sorted(scaled)) or "0"
