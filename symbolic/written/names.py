"""What the explicit route and the written-out index terms call the values of softmax and normalisation.

    softmax2(a, b, c)    the second entry of softmax(a, b, c); the last one is 1 minus the others
    (q)^(-1/2)           the inverse root of q, of which a normalised value is a multiple

The arguments are polynomials in plain form, so equal points give equal names. That r^2 q = 1 is for `roots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from resproof.symbolic.algebra.rings import Monomial, Plain, show
from resproof.symbolic.index.canonical import rational_root


def softmax_name(place: int, arguments: Sequence[Plain]) -> str:
    """The symbol of softmax(arguments) at a place, counted from 0."""
    return f"softmax{place + 1}({', '.join(show(argument) for argument in arguments)})"


def inverse_root(q: Plain) -> Plain:
    """q^(-1/2): a rational where q is the square of one, else a symbol; q is not zero.

    Where an inverse root r = p^(-1/2) has even powers alone in q, as in the norm of a norm, it goes out of it: with
    N = p^k q free of r, q^(-1/2) = p^(k/2) N^(-1/2), and p^(1/2) = p r.
    """
    for name in sorted({name for monomial in q for name, _ in monomial if radicand(name) is not None}):
        powers = {dict(monomial).get(name, 0) for monomial in q}
        if all(power % 2 == 0 for power in powers):
            return _without_root(q, name, max(powers) // 2)
    if set(q) == {()} and (root := rational_root(q[()])) is not None:
        return {(): 1 / root}
    name = f"({show(q)})^(-1/2)"
    _RADICANDS[name] = q
    return {((name, 1),): Fraction(1)}


def _without_root(q: Plain, name: str, k: int) -> Plain:
    inner = _RADICANDS[name]
    cleared: Plain = {}
    for monomial, coefficient in q.items():
        rest = tuple(one for one in monomial if one[0] != name)
        power = k - dict(monomial).get(name, 0) // 2
        for other, value in plain_product({rest: coefficient}, *[inner] * power).items():
            cleared[other] = cleared.get(other, Fraction(0)) + value
    root: Plain = {((name, 1),): Fraction(1)} if k % 2 else {(): Fraction(1)}
    cleared = {monomial: value for monomial, value in cleared.items() if value}
    return plain_product(inverse_root(cleared), root, *[inner] * ((k + 1) // 2))


def plain_product(first: Plain, *others: Plain) -> Plain:
    """The product of polynomials."""
    for other in others:
        total: Plain = {}
        for left, a in first.items():
            for right, b in other.items():
                powers = dict(left)
                for name, power in right:
                    powers[name] = powers.get(name, 0) + power
                monomial = tuple(sorted(powers.items()))
                total[monomial] = total.get(monomial, Fraction(0)) + a * b
        first = {monomial: value for monomial, value in total.items() if value}
    return first


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


def plain_sign(plain: Plain) -> int:
    """1 or -1 where every monomial is one of inverse roots, which are positive, and all coefficients have that sign."""
    signs = {coefficient > 0 for coefficient in plain.values()}
    if len(signs) != 1 or any(radicand(name) is None for monomial in plain for name, _ in monomial):
        return 0
    return 1 if signs.pop() else -1
