"""Pictures of the counterexamples to *Demystifying ResNet*: slices of losses, eigenvalues, outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.demystifying_resnet.germs import Curve, curve
from resproof.proofs.pictures import Plot, Stroke, between, graph, graphs, line
from resproof.proofs.routes.rays import Loss, one_sided
from resproof.symbolic.algebra.matrices import Matrix

if TYPE_CHECKING:
    from resproof.proofs.demystifying_resnet.germs import RoughNetwork

_LOSS, _T = "loss", "$t$"


def _at(terms: Curve, t: Fraction) -> float:
    """The value at t > 0 of a sum of c t^e."""
    return float(sum(c * t**e for e, c in terms.items()))


def growth_of_squares(square: Callable[[tuple[int, ...], int], Fraction], x: tuple[int, ...]) -> Plot:
    """The mean of |f|^2 against the number of units, from an input and from its negative."""
    opposite = tuple(-v for v in x)

    def named(at: tuple[int, ...]) -> str:
        return f"$x = {at[0]}$"

    return Plot(
        rf"$E \lvert f(x)\rvert^2$ over all weights $\pm1$: from {named(opposite)} it grows with every unit, from {named(x)} it stays.",
        "units $R$",
        r"$E \lvert f(x)\rvert^2$",
        tuple(graph(named(at), lambda units, at=at: square(at, units), range(7)) for at in (x, opposite)),
    )


def unbounded(one: RoughNetwork) -> Plot:
    """The loss of two units where all weights are t, beside the loss at zero."""
    places = between(Fraction(3, 16), 1)
    rises, stays = one.along(1, 1, 1, 1), one.along(0, 0, 0, 0)
    return Plot(
        "The loss of two units with all weights $t$: the nearer to zero, the greater; at zero it is 1/2.",
        _T,
        _LOSS,
        (
            graph("$L(t, t, t, t)$", lambda t: _at(rises, t), places),
            graph("$L(0)$", lambda t: _at(stays, t), places, printed=True),
        ),
        log=True,
    )


def rough_loss(one: RoughNetwork) -> Loss:
    """The loss of two units of one layer with both weights t, on both sides of zero."""
    return lambda t: Fraction(sum(c * abs(t) ** int(e) for e, c in one.along(*([(t > 0) - (t < 0)] * 2)).items()))


def no_parabola(loss: Loss) -> Plot:
    """A loss along a line, less its tangent at zero, beside the parabola that it follows on the right."""
    slope, curvature = one_sided(loss, (1,), 1), one_sided(loss, (1,))
    places = between(Fraction(-1, 4), Fraction(1, 4))
    return Plot(
        "All weights are $t$; the tangent at zero is taken off. With a Hessian both sides would follow one parabola.",
        _T,
        "loss, less its tangent",
        (
            graph("the loss", lambda t: loss(t) - loss(Fraction(0)) - slope * t, places),
            graph("one parabola", lambda t: curvature * t * t, places, printed=True),
        ),
    )


def kink(one: RoughNetwork) -> Plot:
    """The loss of two units of two layers at (s, v, s, s) against v, less its value and its left tangent at v = 0."""

    def beside(s: Fraction, v: Fraction) -> float:
        right, left = (
            one.loss(one.placed([curve({0: s}), curve({1: sign}), curve({0: s}), curve({0: s})])) for sign in (1, -1)
        )
        tangent = left.get(0, 0) - left.get(1, 0) * v
        return _at(right if v > 0 else left, abs(v)) - float(tangent)

    places = between(Fraction(-1, 4), Fraction(1, 4))
    return Plot(
        "The loss against the second weight, the others being $s$, less its tangent on the left: a kink at zero, for each "
        "$s$.",
        "second weight",
        "loss, less its left tangent",
        tuple(graph(f"$s = {s}$", lambda v, s=s: beside(s, v), places) for s in (Fraction(1, 8), Fraction(1, 4))),
    )


def saddle(loss: Loss, *, ending: Fraction | int = 1) -> Plot:
    """The loss of two weights along both diagonals."""
    return Plot(
        "Near zero the loss falls along one diagonal and rises along the other: a saddle.",
        _T,
        _LOSS,
        graphs({"$L(t, t)$": lambda t: loss(t, t), "$L(t, -t)$": lambda t: loss(t, -t)}, between(-ending, ending)),
    )


def flat_direction(loss: Loss) -> Plot:
    """The loss of (w_1, b, w_2) along three lines through zero."""
    return Plot(
        "Along $(t, -t, 0)$ the loss does not change: the Hessian has a kernel.",
        _T,
        _LOSS,
        graphs(
            {
                "$(w_1, b, w_2) = (t, -t, 0)$": lambda t: loss(t, -t, 0),
                "$(t, 0, t)$": lambda t: loss(t, 0, t),
                "$(t, 0, -t)$": lambda t: loss(t, 0, -t),
            },
            between(-1, 1),
        ),
    )


def least_outputs(x: Fraction, y: Fraction) -> Plot:
    """The least output of one, two and three units over all weights of modulus at most b: it is at a corner."""

    def least(units: int, b: Fraction) -> Fraction:
        return min(x * prod(1 + s * b * b for s in signs) for signs in product((-1, 1), repeat=units))

    places = between(0, Fraction(3, 2))
    return Plot(
        "While all weights are below one in modulus the least output stays above zero, at any number of units.",
        "greatest modulus of a weight",
        "least output",
        (
            *(graph(f"$R = {units}$", lambda b, units=units: least(units, b), places) for units in (1, 2, 3)),
            graph("the target", lambda _: y, places, printed=True),
        ),
    )


def eigenvalues(there: Matrix, at_zero: Matrix) -> Plot:
    """The eigenvalues of two Hessians in ascending order."""

    def ascending(label: str, hessian: Matrix, *, printed: bool = False) -> Stroke:
        values = np.linalg.eigvalsh(np.array(hessian, dtype=float)).round(12) + 0.0  # no -0
        return line(label, enumerate(values.tolist(), start=1), printed=printed)

    return Plot(
        "At the fitting weights one eigenvalue is positive and all others are zero; at zero half of them are negative.",
        "number of the eigenvalue",
        "eigenvalue",
        (ascending("$H(w)$", there), ascending("$H(0)$", at_zero, printed=True)),
    )


def constant_below_zero() -> Plot:
    """Outputs of plain networks of layers v relu(h), beside the 1-shortcut network at zero weights."""

    def plain(weights: Sequence[Fraction], h: Any) -> Any:
        for v in weights:
            h = v * max(h, Fraction(0))
        return h

    half, one = Fraction(1, 2), Fraction(1)
    drawn: dict[str, Callable[[Any], Any]] = {
        "plain, $V = 1$": lambda x: plain([one], x),
        "plain, $V = 1, 1/2$": lambda x: plain([one, half], x),
        "plain, $V = -1/2$": lambda x: plain([-half], x),
    }
    places = between(Fraction(-5, 4), Fraction(5, 4))
    return Plot(
        "Every plain network is constant below zero; the 1-shortcut network at zero weights is the identity.",
        "$x$",
        "output",
        (*graphs(drawn, places), graph("1-shortcut, $W = 0$", lambda x: x, places, printed=True)),
    )
