"""Components of zero sets against the points of a grid, and descent along rays against values of the loss."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from resproof.symbolic.algebra.critical import change_along, components, least_descent, show
from resproof.symbolic.algebra.rings import Plain, flint_ring

NAMES = ("a", "b", "c")


def plain(text: str) -> Plain:
    ring = flint_ring(NAMES)
    a, b, c = ring.symbols(NAMES)
    return ring.plain(eval(text, {"a": a, "b": b, "c": c, "one": ring.one}))


SYSTEMS: dict[tuple[str, ...], list[str]] = {
    ("a * b", "b * c"): ["a, c", "b"],
    ("a * a * b",): ["a", "b"],
    ("a * b * (a * b - 2 * one)", "c"): ["a*b - 2, c", "a, c", "b, c"],
    ("a * (b - one)", "b * (b - one)"): ["a, b", "b - 1"],
    ("a", "a - one"): [],
    (): ["everything"],
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_components(system: tuple[str, ...]) -> None:
    equations = [plain(text) for text in system]
    found = components(equations, NAMES)
    assert sorted(map(show, found)) == SYSTEMS[system]
    # The union is the zero set: the same points of a grid.
    for point in product((-2, -1, 0, 1, 2), repeat=3):
        at: dict[str, int] = dict(zip(NAMES, point, strict=True))
        zero = all(eval(text, {**at, "one": 1}) == 0 for text in system)
        in_union = any(all(eval(str(equation), dict(at)) == 0 for equation in one) for one in found)
        assert zero == in_union


def cubic(w: Sequence[Fraction]) -> Fraction:
    return w[0] * w[1] * w[2] + w[0] * w[0]


@pytest.mark.parametrize("ray", [(1, 0, 0), (0, 1, 1), (1, 1, 1), (-1, 2, 1)])
@pytest.mark.parametrize("point", [(0, 0, 0), (0, 1, -1), (1, 2, 3)])
def test_changes_are_divided_differences(point: tuple[int, ...], ray: tuple[int, ...]) -> None:
    start = tuple(map(Fraction, point))
    found = change_along(cubic, start, ray)
    t = Fraction(1, 10**9)
    change = cubic(tuple(p + t * r for p, r in zip(start, ray, strict=True))) - cubic(start)
    if found is None:
        assert change == 0
    else:
        degree, coefficient = found
        assert abs(change / t**degree - coefficient) < Fraction(1, 10**6)


def test_the_least_descent() -> None:
    origin = (Fraction(0),) * 3
    rays = list(product((-1, 0, 1), repeat=3))
    assert least_descent(lambda w: w[0] * w[0], origin, rays) is None
    assert least_descent(lambda w: w[0] * w[1] * w[2], origin, rays) == 3
    assert least_descent(lambda w: w[0] * w[0] - w[1] * w[1], origin, rays) == 2
    assert least_descent(lambda w: w[0] * w[0] - w[1] * w[1], origin, [(1, 0, 0)]) is None
