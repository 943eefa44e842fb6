"""Expansions with remainders: the terms, summed with the values of the remainders, are the loss of a network."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from resproof.architectures.forms.terms import ROW, SAMPLE, Opaque
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.remainders import (
    STREAM,
    Known,
    KnownBranch,
    KnownLoss,
    layer,
    least_order,
    main,
    rest,
    up_to,
    vanishes,
    weights,
)
from resproof.symbolic.index.series import Sum, add, constant, multiply, scale, symbol, tensor
from tests.oracles import evaluate_terms

PRE = tensor(Opaque("p", STREAM), (ROW, SAMPLE))
SMALL, BOUNDED, ANYTHING = (tensor(rest(kind, "f"), (ROW, SAMPLE)) for kind in ("o", "O", "?"))
WEIGHT = layer(weights(1)[0], PRE)
Function = Callable[[Fraction], Fraction]


def mid(t: Fraction) -> Fraction:
    return 3 * t + t * abs(t)


def post(t: Fraction) -> Fraction:
    return 2 * t - 5 * t * abs(t)


def near(x: Fraction) -> Function:
    return lambda v: x + abs(v) + 2


X, Y, W1, W2 = (1, 4), (3, -1), ((1, -2), (Fraction(1, 2), 1)), ((2, 1), (-1, Fraction(1, 3)))
MOVED = (Fraction(1, 3), Fraction(-1, 5))


def rows(matrix: tuple[tuple[Fraction | int, ...], ...], u: list[Fraction]) -> list[Fraction]:
    return [sum((Fraction(a) * b for a, b in zip(row, u, strict=True)), Fraction(0)) for row in matrix]


def test_the_terms_are_the_loss_of_the_network() -> None:
    """One unit, n = 2, d = 2, whose input has moved: every remainder by its definition, the squared loss by hand."""
    values = [near(Fraction(x))(v) for x, v in zip(X, MOVED, strict=True)]
    first = rows(W1, values)
    second = rows(W2, [mid(u) for u in first])
    output = [v + post(w) for v, w in zip(MOVED, second, strict=True)]
    arrays: dict[str, dict[tuple[int, ...], Fraction]] = {}

    def column(name: str, entries: list[Fraction]) -> None:
        arrays[name] = {(i, 0): v for i, v in enumerate(entries)}

    column("p", [near(Fraction(x))(Fraction(0)) for x in X])
    column("y", list(MOVED))
    column("o(pre )", [a - b for a, b in zip(values, (near(Fraction(x))(Fraction(0)) for x in X), strict=True)])
    column("o(mid 1 )", [mid(u) / u - 3 for u in first])
    column("o(post )", [post(w) / w - 2 for w in second])
    column("g", [Fraction(x - y) for x, y in zip(X, Y, strict=True)])
    column("o(loss)", [v / 2 for v in output])
    for name, matrix in (("dW1(1)", W1), ("dW2(1)", W2)):
        arrays[name] = {(i, j): Fraction(matrix[i][j]) for i, j in product((0, 1), repeat=2)}
    slopes = [Known(name, ({}, symbol(f"{name}'(0)")), 1, "o") for name in ("mid", "post")]
    y = tensor(Opaque("y", STREAM, degree=2), (ROW, SAMPLE))
    branch = KnownBranch(Known("pre", (PRE,), 0, "o"), *slopes)
    terms = KnownLoss(1).at(add(y, branch(weights(2), y)))
    found = evaluate_terms(
        terms, arrays, {"d": 2, "m": 1}, {}, {"mid'(0)": Fraction(3), "post'(0)": Fraction(2), "m": Fraction(1)}
    )
    residual = [Fraction(x - y) for x, y in zip(X, Y, strict=True)]
    assert found == sum((r + v) ** 2 - r**2 for r, v in zip(residual, output, strict=True)) / 2
    dropped = add(terms, scale(-1, main(terms, 2)))
    assert all(any(t.label.startswith("o(") for t, _ in factors) for _, factors in dropped)


@pytest.mark.parametrize(
    ("summand", "order", "left"),
    [
        (WEIGHT, 0, False),
        (WEIGHT, 1, True),
        (WEIGHT, 2, True),
        (multiply(SMALL, WEIGHT), 1, False),
        (multiply(SMALL, WEIGHT), 2, True),
        (multiply(BOUNDED, WEIGHT), 1, True),
        (multiply(BOUNDED, WEIGHT), 0, False),
        (multiply(ANYTHING, WEIGHT), 0, True),
        (multiply(multiply(ANYTHING, SMALL), WEIGHT), 0, True),
        (SMALL, 0, False),
        (BOUNDED, 0, True),
    ],
)
def test_what_is_left_up_to_an_order(summand: Sum, order: int, left: bool) -> None:
    assert bool(main(summand, order)) is left
    assert bool(main(up_to(summand, order, "all"), order)) is left


def test_the_order_of_a_sum_is_its_least() -> None:
    assert least_order(add(WEIGHT, multiply(WEIGHT, WEIGHT))) == 1
    assert least_order(multiply(WEIGHT, WEIGHT)) == 2
    assert least_order(add(WEIGHT, ANYTHING)) is None


@pytest.mark.parametrize("increment", [PRE, BOUNDED, ANYTHING, add(WEIGHT, constant(1))])
def test_away_from_its_point_nothing_is_known_of_a_function(increment: Sum) -> None:
    assert not vanishes(increment)
    found = Known("f", ({}, symbol("f'(0)")), 1, "o").at(increment, "")
    assert [t.label for _, factors in found for t, _ in factors] == ["?(f )"]


def test_where_nothing_moves_a_function_has_its_value() -> None:
    assert Known("f", (PRE,), 0, "?").at({}, "") == PRE


def test_remainders_at_different_places_are_different() -> None:
    f = Known("f", ({},), 0, "O")
    assert f.at(WEIGHT, "1") != f.at(WEIGHT, "2")


def test_a_second_order_expansion() -> None:
    found = Known("f", ({}, symbol("a"), symbol("b")), 2, "o").at(WEIGHT, "")
    known = {"W": weights(1)[0], "p": Opaque("p", STREAM), "o": rest("o", "f ")}
    claim = "a * W[i,j] * p[j,u] + b * W[i,j] * p[j,u] * W[i,k] * p[k,u] + o[i,u] * W[i,j] * p[j,u] * W[i,k] * p[k,u]"
    assert found == parse(claim, known, {"i": ROW, "u": SAMPLE})
