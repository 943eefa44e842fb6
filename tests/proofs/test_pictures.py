"""Pictures of counterexamples: their points by closed forms, and what a broken one does."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from resproof.proofs.pictures import Plot
from resproof.proofs.registry import statements
from resproof.proofs.statement import Clause, Counterexample
from resproof.proofs.verdict import run


def offered(clauses: tuple[Clause, ...]) -> list[Counterexample]:
    """The counterexamples of clauses, of their repairs and of their other readings."""
    found = [one.counterexample for one in clauses if one.counterexample]
    beneath = [(*(one.repair.claims if one.repair else ()), *one.other_readings) for one in clauses]
    return [*found, *(each for inner in beneath if inner for each in offered(inner))]


OFFERED = {one.sentence: one for statement in statements() for one in offered(statement.claims)}
CLOSED: dict[str, dict[str, Callable[[float], float]]] = {
    r"$\mathrm{pre}(t) = (t - 1)^{-2}$": {
        "$L(t, t, t, t)$": lambda t: (1 + t**2 + t**-2) ** 2 / 2,
        "$L(0)$": lambda _: 0.5,
    },
    r"$\mathrm{pre} = \max(1, t)$": {"the loss": lambda t: 3 * t**2 + 2 * t**3 + t**4 / 2 if t > 0 else 2 * t**2},
    "The second-order part of the loss is": {"the loss": lambda t: (1 + t * max(t, 0)) ** 2 / 2 - 0.5},
    "The smallest 2-shortcut network there is: zero": {"$L(t, -t)$": lambda t: (1 - t * t) ** 2 / 2},
    "The only critical point": {"$L(t, t)$": lambda t: (t * t - 1) ** 2 / 2},
    "The smallest 2-shortcut network there is. Zero": {"$L(t, -t)$": lambda t: (t * t + 1) ** 2 / 2},
    "$M = 1$, so that": {"$(t, 0, t)$": lambda t: (1 + t * (t / 2 + t * t / 4)) ** 2 / 2},
    "Weights of modulus below one": {"$R = 1$": lambda b: 1 - b * b},
    "With pre = ReLU": {"plain, $V = 1, 1/2$": lambda x: max(x, 0) / 2, "1-shortcut, $W = 0$": lambda x: x},
    "The eigenvalues approach each other: the": {"computed": lambda depth: (depth + 2) / (2 * (depth + 1))},
    "The eigenvalues approach each other, and": {"computed": lambda depth: 2 * (depth + 1) / (depth + 2)},
    "A negative": {"$v_1$ in $h^L$": lambda depth: 0.5**depth, "$v_2$ in $h^L$": lambda depth: 1.4**depth},
    "Two equal paths with the eigenvalues -1/4": {"$v_2$ in $h^L$": lambda depth: 1.4**depth},
    "$X$ undoes": {r"$\kappa(V)$": lambda t: t, r"$\kappa(XV)$": lambda _: 1.0},
    r"$\kappa(H^{L-1}) = 2": {r"$\kappa(H^l)$": lambda layer: 2.0**layer},
    "$H^l$ has rank one": {r"$\kappa(\Delta^l)$": lambda layer: 1.001 ** (110 - layer)},
    "Numbers do": {r"$\lvert\Delta W\rvert / \lvert W\rvert$": lambda e: e / (1 - e)},
    "Layers of width one": {"computed": lambda rate: 0.5 / (0.5 + rate * 0.875)},
    "Weights of 1/10": {"computed": lambda layer: 1.1**layer - 1},
    "Where no coordinate of $x$": {"$x = -1$": lambda _: 1.0, "$x = 1$": lambda units: 1.5**units},
    r"$H^L = \mathrm{diag}(2^L, 1)$": {"computed": lambda _: 1.0},
    "Already where": {
        "$E$": lambda h: 4.5 * h * h,
        r"slope $-\Delta^1$, computed": lambda h: 18 * h - 18,
        r"slope $-\Delta^1$, as printed": lambda h: 36 * h - 54,
    },
    "In every layer": {r"$\kappa(H^l)$": lambda layer: 2.0**layer},
    "The weights after the step": {r"$\kappa(W^l)$ after the step": lambda _: 1.001 + 0.1 * 1.001**109},
    "The same layers and $X = I$": {r"$\kappa(H^l)$": lambda layer: 2.0 if layer % 2 else 1.0},
    "$X = (1, 0)$, $Y = (1, t)$": {
        r"$\lvert\Delta W\rvert / \lvert W\rvert$": lambda e: (2 * e - e * e) / (1 + e * e),
        r"$\kappa(X) \lvert\Delta X\rvert / \lvert X\rvert$": lambda e: e,
    },
    "For $d = k = 1$": {
        "weights 1, 2, 1": lambda x: 2 * max(x, 0.0),
        "weights -1, 3, 1": lambda x: 3 * max(-x, 0.0),
        "weights 2, -1, 1": lambda _: 0.0,
    },
    "$R = -1$, $d = 1$": {"$l = 1$": lambda b: max(2 - b, 0.0) ** 2},
}
"""By the beginning of a counterexample's sentence, and the label of a line."""


def picture_of(beginning: str) -> Plot:
    (one,) = (one for sentence, one in OFFERED.items() if sentence.startswith(beginning))
    assert one.picture
    return one.picture(one.instance)


@pytest.mark.parametrize("beginning", CLOSED)
def test_points_by_closed_forms(beginning: str) -> None:
    lines = {one.label: one for one in picture_of(beginning).lines}
    for label, value in CLOSED[beginning].items():
        x, y = lines[label].points
        # Six digits of x and y: slopes here are below ten.
        assert y == pytest.approx([value(each) for each in x], rel=1e-4, abs=1e-4)


def test_every_counterexample_is_drawn() -> None:
    assert [sentence for sentence, one in OFFERED.items() if not one.picture] == []


def test_images_of_the_circle_are_ellipses() -> None:
    lines = picture_of("The first eigenvector is dominant").lines
    inverses = (((0.5, 0.5), (0.0, 1.0)), ((1.0, -0.5), (0.0, 0.5)), ((0.5, 0.0), (0.0, 0.5)))
    for one, ((a, b), (c, d)) in zip(lines, inverses, strict=True):
        back = [(a * x + b * y) ** 2 + (c * x + d * y) ** 2 for x, y in zip(*one.points, strict=True)]
        assert back == pytest.approx([1.0] * len(back), rel=1e-4)
    circle, flat, beneath = picture_of("A singular factor on the right").lines
    assert set(flat.points[1]) == {0.0}
    assert flat.points[0] == circle.points[0] == beneath.points[0]


def test_columns_of_rank_one_are_on_one_line() -> None:
    last, other, *below = picture_of("With softmax cross-entropy on two classes").lines
    thirds = pytest.approx([0, 1 / 3], rel=1e-4)
    assert (last.points[0], other.points[1]) == (thirds, thirds)
    for (x, y), (u, v) in ((last.points, other.points), (below[0].points, below[1].points)):
        assert x[1] * v[1] == pytest.approx(y[1] * u[1])
    row, column = picture_of("The product of two matrices of full rank").lines
    assert (row.points, column.points) == (([0, 1], [0, 0]), ([0, 0], [0, 1]))


def test_draws_are_bounded_by_their_multipliers() -> None:
    (fading,) = (one for sentence, one in OFFERED.items() if sentence.startswith("Eigenvalues of random sign"))
    assert fading.picture
    *draws, printed = fading.picture(fading.instance).lines
    assert len(draws) == 5
    assert set(printed.points[1]) == {1.0}
    for one in draws:
        _, y = one.points
        steps = {round(after / before, 3) for before, after in pairwise(y)}
        assert steps == {0.5, 1.5}


def test_a_picture_that_breaks_is_an_error() -> None:
    (statement,) = (one for one in statements() if one.id == "EX-8")
    assert statement.counterexample
    broken = replace(statement.counterexample, picture=lambda _: 1 // 0)
    assert run(replace(statement, counterexample=broken), parts=("exact",)).verdict == "ERROR"
