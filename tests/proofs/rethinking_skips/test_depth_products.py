"""Closed products and inductions over depth, against products multiplied out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.proofs.rethinking_skips.depth_products import (
    DEPTH,
    LAYER,
    NearOne,
    SeriesClaim,
    Telescoped,
    as_constant,
    constant,
    depth_series,
    dominating,
    every_depth,
    exponential,
    growing,
    limit,
    log_series,
    require_product,
    shrinking,
    stays_above,
    stays_below,
    stays_between,
    stays_dominant,
    stays_near_one,
    stretch,
    telescopes,
    value_at,
)
from resproof.symbolic.certificates import NotCertified
from resproof.symbolic.scope import Scope


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 4), st.integers(0, 4))
def test_products_telescope(s: int, t: int) -> None:
    """prod_l (l + s)/(l + t) is the product of (L + u)/u over t < u <= s, or its inverse."""
    factor, closed, expected = (LAYER + s) / (LAYER + t), constant(1), Fraction(1)
    for u in range(min(s, t) + 1, max(s, t) + 1):
        closed = closed * (DEPTH + u) / u if s > t else closed * u / (DEPTH + u)
    require_product(factor, closed)
    for depth in range(8):
        assert value_at(closed, depth) == expected
        expected *= value_at(factor, depth)


def test_limits() -> None:
    assert limit(1 / LAYER) == 0
    assert limit(LAYER) is None
    assert limit(constant(0)) == 0
    assert limit((LAYER + 1) / (2 * LAYER)) == Fraction(1, 2)


def test_a_wrong_product_is_refused() -> None:
    factor, half = 1 - 1 / (LAYER + 1) ** 2, Fraction(1, 2)
    telescopes(factor, Telescoped(lambda depth: (depth + 2) / (2 * depth + 2), half))
    for wrong in (
        Telescoped(lambda depth: (depth + 2) / (2 * depth + 2), None),
        Telescoped(lambda depth: (depth + 2) / (depth + 1), Fraction(1)),
        Telescoped(lambda depth: (depth + 3) / (2 * depth + 4), half),
        Telescoped(lambda _: constant(1), Fraction(1)),
    ):
        with pytest.raises(NotCertified):
            telescopes(factor, wrong)


def test_constants() -> None:
    assert as_constant(constant(Fraction(-7, 3))) == Fraction(-7, 3)
    assert as_constant(constant(0)) == 0
    assert as_constant(LAYER) is None


def test_bounds_on_products() -> None:
    stays_below(shrinking(), lambda s: 1 / (1 + s))
    stays_above(shrinking(), lambda s: 1 - s)
    stays_above(growing(), lambda s: 1 + s)
    stays_above(growing(), lambda s: 1 + s / 2)
    stays_near_one(exponential(), NearOne(lambda one, p: p - one))
    with pytest.raises(NotCertified):
        stays_below(shrinking(), lambda s: 1 - s)
    with pytest.raises(NotCertified):
        stays_above(shrinking(), lambda s: 1 / (1 + s))
    with pytest.raises(NotCertified):
        stays_below(growing(), lambda s: 1 + s)
    with pytest.raises(NotCertified):
        stays_near_one(exponential(), NearOne(lambda one, p: (p - one) / 3))


def test_a_dominant_product_keeps_its_gap() -> None:
    stays_dominant(dominating(), lambda s, t: s * t)
    for gap in (lambda s, t: s + t, lambda s, t: 2 * s * t, lambda s, t: 0 * s):
        with pytest.raises(NotCertified):
            stays_dominant(dominating(), gap)


@pytest.mark.parametrize("found", [shrinking(), growing(), exponential(), log_series(), dominating()])
def test_the_depth_is_free_where_a_variable_stands_for_it(found) -> None:
    assert found.sizes == Scope.leaving_free("L")


def test_functions_of_the_layer_are_known_at_every_depth() -> None:
    assert every_depth(1 / LAYER, constant(2)) == Scope.leaving_free("L")
    for elements in ((), (growing().gap,), (LAYER, Fraction(1, 2))):
        with pytest.raises(NotCertified):
            _ = every_depth(*elements)


def test_a_number_stands_for_no_depth() -> None:
    found = growing()
    for total in (constant(3, found.space), found.total + 1):
        with pytest.raises(NotCertified):
            _ = found._replace(total=total).sizes


@pytest.mark.parametrize("shift", [Fraction(1, 2), Fraction(-1, 3)])
def test_a_series_that_is_off(shift: Fraction) -> None:
    depth_series(log_series(), SeriesClaim(lambda j: 2 / (2 * j + 1), Fraction(2), Fraction(2, 3)))
    with pytest.raises(NotCertified):
        depth_series(log_series(), SeriesClaim(lambda j: 2 / (2 * j + 1), 2 + shift, Fraction(2, 3)))


def test_what_layers_stretch() -> None:
    stays_between(stretch(), (lambda most, w: most * (1 + w), lambda least, w: least * (1 - w)))
    assert stretch().sizes == Scope.leaving_free("L", "d")
    for wrong in (
        (lambda most, w: most, lambda least, w: least * (1 - w)),
        (lambda most, w: most * (1 + w), lambda least, w: least),
    ):
        with pytest.raises(NotCertified):
            stays_between(stretch(), wrong)
