"""Ritz values against dense eigenvalues, and on spectra where Lanczos does not find the extreme ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resproof.numeric.spectra.lanczos import RitzValue, extreme_vectors, ritz_value, vector_near_zero

SEEDS = st.integers(0, 2**32 - 1)


def with_spectrum(values: np.ndarray, seed: int) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    turned, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))
    return (turned * values) @ turned.T


def found(h: np.ndarray, seed: int = 0) -> tuple[RitzValue, RitzValue]:
    low, high = extreme_vectors(lambda v: h @ v, len(h), tolerance=1e-8, seed=seed)
    return ritz_value(low, h @ low), ritz_value(high, h @ high)


def assert_true(one: RitzValue, values: np.ndarray) -> None:
    """What a Ritz value says: an eigenvalue lies within its residual, and none of the ends is passed."""
    slack = 64 * len(values) * 2.0**-53 * float(np.max(np.abs(values)))
    assert np.min(np.abs(values - one.value)) <= one.residual + slack
    assert values.min() - one.off - slack <= one.value <= values.max() + one.off + slack


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 40), SEEDS)
@example(1, 0)
@example(8, 0)
@example(9, 0)
def test_ends_are_those_of_the_dense_matrix(size: int, seed: int) -> None:
    h = np.random.default_rng(seed).normal(size=(size, size))
    h = h + h.T
    values = np.linalg.eigvalsh(h)
    for one, end in zip(found(h), (values[0], values[-1]), strict=True):
        assert_true(one, values)
        assert abs(one.value - end) <= one.residual + 1e-6 * np.max(np.abs(values))


def test_few_steps_end_in_ritz_values_of_one_krylov_space() -> None:
    h = with_spectrum(np.linspace(-3.0, 5.0, 60), 2)
    ends = extreme_vectors(lambda v: h @ v, 60, tolerance=1e-8, steps=12)
    for vector, end in zip(ends, (-3.0, 5.0), strict=True):
        one = ritz_value(vector, h @ vector)
        assert_true(one, np.linalg.eigvalsh(h))
        assert abs(one.value - end) < 0.2
    low, high = extreme_vectors(lambda v: 2.0 * v, 60, tolerance=1e-8, steps=12)  # the space has dimension one
    assert ritz_value(low, 2.0 * low).value == pytest.approx(2.0)
    assert ritz_value(high, 2.0 * high).value == pytest.approx(2.0)


def clustered_pairs() -> np.ndarray:
    """+-sigma: twenty within 10^-9 of one, the rest below."""
    draw = np.random.default_rng(0)
    sigma = np.concatenate([1.0 + 1e-9 * draw.standard_normal(20), np.linspace(0.1, 0.999999, 180)])
    return np.sort(np.concatenate([sigma, -sigma]))


def test_in_a_cluster_of_pairs_the_ritz_value_is_not_the_extreme_one_but_what_is_said_is_true() -> None:
    values = clustered_pairs()
    h = with_spectrum(values, 1)
    low, high = found(h)
    assert high.value < values[-1] - 1e-9  # one that passed for the largest would be wrong
    assert low.value > values[0] + 1e-9
    for one in (low, high):
        assert_true(one, values)
        assert one.residual > 1e-9


def test_a_start_without_the_extreme_eigenvector_misses_it_and_nothing_said_is_false() -> None:
    """H leaves the hyperplane beside its extreme eigenvector alone, so that every product stays in it."""
    seed, size = 3, 30
    start = np.random.default_rng(seed).standard_normal(size)
    away = np.random.default_rng(seed + 1).standard_normal(size)
    away -= start * (start @ away) / (start @ start)
    away /= np.linalg.norm(away)
    beside = np.eye(size) - np.outer(away, away)
    h = beside @ with_spectrum(np.linspace(-1.0, 1.0, size), 5) @ beside
    values = np.linalg.eigvalsh(h + 2.0 * np.outer(away, away))
    # Exactly invariant: the component along `away` is projected out, as rounding would bring it back.
    high = extreme_vectors(lambda v: h @ (beside @ v), size, tolerance=1e-10, seed=seed)[1]
    high = beside @ high
    one = ritz_value(high, h @ high + 2.0 * away * (away @ high))
    assert values[-1] == pytest.approx(2.0)
    assert one.value < 1.01
    assert one.residual < 1e-6
    assert_true(one, values)


@pytest.mark.parametrize("paired", [False, True])
def test_the_least_modulus(paired: bool) -> None:
    sigma = np.linspace(0.5, 3.0, 20)
    values = np.concatenate([sigma, -sigma]) if paired else np.concatenate([sigma, -sigma - 0.3])
    h = with_spectrum(values, 2)
    v = vector_near_zero(lambda v: h @ v, len(h), tolerance=1e-4)
    one = ritz_value(v, h @ v)
    assert_true(one, values)
    assert abs(one.value) + one.residual >= 0.5
    assert abs(abs(one.value) - 0.5) <= 1e-2


def test_the_error_of_a_product_is_part_of_the_residual() -> None:
    h = np.diag([1.0, 2.0])
    v = np.array([0.0, 2.0])
    sharp, blurred = ritz_value(v, h @ v), ritz_value(v, h @ v, error=0.5)
    assert (sharp.value, blurred.value) == (2.0, 2.0)
    assert blurred.residual == pytest.approx(0.25)
    assert blurred.off == pytest.approx(0.25)
    assert sharp.residual < 1e-14
