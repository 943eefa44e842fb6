"""What the explicit route and the written-out index terms call the values of softmax and normalisation.

    softmax2(a, b, c)    the second entry of softmax(a, b, c); the last one is 1 minus the others
    (q)^(-1/2)           the inverse root of q, of which a normalised value is a multiple

The arguments are polynomials in plain form, so equal points give equal names. That r^2 q = 1 is for `symbolic.roots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symbolic.canonical import rational_root
from symbolic.rings import Monomial, Plain, show


def softmax_name(place: int, arguments: Sequence[Plain]) -> str:
    """The symbol of softmax(arguments) at a place, counted from 0."""
    return f"softmax{place + 1}({', '.join(show(argument) for argument in arguments)})"


def inverse_root(q: Plain) -> Plain:
    """q^(-1/2): a rational where q is the square of one, else a symbol; q is not zero."""
    if set(q) == {()} and (root := rational_root(q[()])) is not None:
        return {(): 1 / root}
    name = f"({show(q)})^(-1/2)"
    _RADICANDS[name] = q
    return {((name, 1),): Fraction(1)}


_RADICANDS: dict[str, Plain] = {}
"""The radicand of every symbol that an inverse root was given."""


def radicand(name: str) -> Plain | None:
    """q for the symbol of q^(-1/2), None for any other symbol."""
    return _RADICANDS.get(name)


def loss_derivative(rows: tuple[int, ...], tag: str, *, width: int, centred: bool) -> Plain:
    """A derivative of the per-column loss in these outputs, counted from 0: its symbol, such as l, g_1 or Q_1_2.

    Those of a centred loss sum to zero over each slot: in place of the last row stands minus the sum of the others.
    """
    last = width - 1
    if not centred or last not in rows:
        return {((_derivative_symbol(tuple(sorted(rows)), tag), 1),): Fraction(1)}
    place, total = rows.index(last), dict[Monomial, Fraction]()
    for row in range(last):
        part = loss_derivative((*rows[:place], row, *rows[place + 1 :]), tag, width=width, centred=centred)
        for monomial, value in part.items():
            total[monomial] = total.get(monomial, Fraction(0)) - value
    return {monomial: value for monomial, value in total.items() if value}


def _derivative_symbol(rows: tuple[int, ...], tag: str) -> str:
    name = {0: "l", 1: "g", 2: "Q"}.get(len(rows), f"L^({len(rows)})")
    return "_".join([name, *(str(i + 1) for i in rows), tag])
