"""Rescaled products against exact integers, decompositions and big numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.proofs.rethinking_skips.random_layers import (
    KINDS,
    gaussian_layers,
    joint_layers,
    multipliers,
    small_layers,
    worst_layers,
)
from resproof.proofs.rethinking_skips.rescaled import (
    log_conditions,
    log_error,
    multiply,
    product,
    rescaled,
    row_factor,
    spread_error,
)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 3), st.integers(1, 9), st.integers(0, 10**6))
def test_products_of_integer_matrices_are_exact(d: int, count: int, seed: int) -> None:
    """Small integers: every intermediate value fits into 53 bits, so the rescaled product is exact."""
    factors = np.random.default_rng(seed).integers(-3, 4, size=(count, d, d)).astype(np.float64)
    expected = np.eye(d, dtype=object)
    for factor in factors:
        expected = expected.dot(factor.astype(int).astype(object))
    found = product(factors)
    scale = Fraction(2) ** int(found.exponent)
    assert [[Fraction(x) * scale for x in row] for row in found.matrix.tolist()] == [
        [Fraction(int(x)) for x in row] for row in expected
    ]


def test_no_overflow_and_no_underflow() -> None:
    factors = np.repeat(np.diag([1e200, 3.0])[None], 50, axis=0)
    found = product(factors)
    assert found.log_norm == pytest.approx(50 * math.log(1e200), rel=1e-14)
    assert product(factors * 1e-250).log_norm == pytest.approx(50 * math.log(1e-50), rel=1e-13)
    assert rescaled(np.zeros((2, 2))).log_norm == -math.inf


def test_order_of_the_factors() -> None:
    a, b = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    pair = multiply(rescaled(a), rescaled(b))
    np.testing.assert_array_equal(np.ldexp(pair.matrix, int(pair.exponent)), a @ b)
    whole = product(np.stack([a, b, b]))
    np.testing.assert_array_equal(np.ldexp(whole.matrix, int(whole.exponent)), a @ b @ b)


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_condition_numbers_against_one_decomposition(d: int, depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers, x = np.eye(d) + 0.3 * rng.normal(size=(depth, d, d)), rng.normal(size=(d, d + 3))
    h = x
    for layer in layers:
        h = layer @ h
    (found,) = log_conditions([layers], x, [depth])
    values = np.linalg.svd(h, compute_uv=False)
    if values[-1] > 1e-6 * values[0]:
        assert found.log_condition == pytest.approx(math.log(values[0] / values[-1]), abs=1e-6)


def test_chunks_and_depths_may_be_cut_anywhere() -> None:
    rng = np.random.default_rng(3)
    layers, x = np.eye(3) + 0.1 * rng.normal(size=(20, 3, 3)), rng.normal(size=(3, 5))
    whole = log_conditions([layers], x, [1, 7, 20])
    cut = log_conditions([layers[:3], layers[3:8], layers[8:]], x, [1, 7, 20])
    single = [log_conditions([layers], x, [depth])[0] for depth in (1, 7, 20)]
    for other in (cut, single):
        assert [one.depth for one in other] == [1, 7, 20]
        np.testing.assert_allclose([o.log_condition for o in other], [o.log_condition for o in whole], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("condition", [1.0, 2.0])
def test_the_error_bound_holds_where_the_condition_is_known(kind, condition: float) -> None:
    """Orthogonal V and X = I: kappa is exactly the ratio of the products; otherwise within kappa(V)^2."""
    depth = 300
    layers = joint_layers(kind, depth, 4, seed=5, condition=condition)
    (found,) = log_conditions(layers.chunks(), np.eye(4), [depth])
    error = log_error(found, 4, layers.condition, layers.layer_conditions(depth))
    exact = math.log(max(abs(Fraction(1)), 1))  # the sums below are of exact logarithms
    for one in layers.mu:
        exact += math.log(abs(Fraction(one[0]) / Fraction(one[-1])))
    assert exact == pytest.approx(layers.log_ratio(depth), abs=1e-10)
    assert abs(found.log_condition - exact) <= error + 2 * math.log(layers.condition) + 1e-10
    assert error < 1e-6


def test_multipliers_are_ordered_and_scaled() -> None:
    rng = np.random.default_rng(0)
    for kind in KINDS:
        moduli = np.abs(multipliers(kind, 500, 6, 1.0, rng))
        assert np.all(np.diff(moduli, axis=1) <= 0)
    plain = multipliers("plain", 20000, 4, 0.5, rng)
    assert np.mean(plain**2) == pytest.approx(0.5, rel=0.05)
    small = multipliers("resnext", 2000, 4, 0.01, rng)
    assert np.max(np.abs(small - 1)) < 0.02


def test_small_layers_stay_below_the_bound_and_the_worst_attain_it() -> None:
    depth, x = 64, np.eye(4)
    bound = depth * math.log((1 + 1 / depth) / (1 - 1 / depth))
    for chunk in small_layers(depth, 4, 1 / depth, seed=1):
        assert np.max(np.linalg.norm(chunk - np.eye(4), 2, axis=(-2, -1))) <= 1 / depth * (1 + 1e-12)
    (small,) = log_conditions(small_layers(depth, 4, 1 / depth, seed=1), x, [depth])
    (worst,) = log_conditions(worst_layers(depth, 4, 1 / depth), x, [depth])
    assert 0 <= small.log_condition < bound
    assert abs(worst.log_condition - bound) <= spread_error(worst, 4, bound) < 1e-9


def test_gaussian_layers_have_he_variance() -> None:
    (chunk,) = gaussian_layers(2000, 5, seed=2)
    assert np.var(chunk) == pytest.approx(2 / 5, rel=0.05)


@pytest.mark.parametrize("depths", [(), (0,), (3, 3), (4, 2)])
def test_depths_ascend(depths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected them ascending"):
        _ = log_conditions([np.eye(2)[None]], np.eye(2), depths)


def test_layers_that_run_out() -> None:
    with pytest.raises(ValueError, match="there are 1 layers; expected at least 2"):
        _ = log_conditions([np.eye(2)[None]], np.eye(2), [2])


@pytest.mark.parametrize("x", [np.ones((2, 3)), np.eye(3)[:, :2]])
def test_data_without_full_row_rank(x: np.ndarray) -> None:
    with pytest.raises(ValueError, match="expected full row rank"):
        _ = row_factor(x)


def test_no_factors() -> None:
    with pytest.raises(ValueError, match="no factor is given"):
        _ = product(np.zeros((0, 2, 2)))
