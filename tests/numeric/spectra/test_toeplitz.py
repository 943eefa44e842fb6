"""Extreme eigenvalues of block Toeplitz Hessians at any depth, against dense ones and closed forms."""

from __future__ import annotations

import math

import array_api_strict
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resproof.numeric.spectra.toeplitz import ExtremeEigenvalues, TooWideError, _middle, ceilings, count_below, extremes

SEEDS = st.integers(0, 2**32 - 1)
KINDS = ("general", "symmetric", "null directions", "A = 0", "D = A", "low rank", "zero block")


def blocks(kind: str, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """D = D^T and A."""
    d, a = np.random.default_rng(seed).normal(size=(2, p, p))
    d = d + d.T
    match kind:
        case "symmetric":
            return d, a + a.T
        case "null directions":
            d[0] = d[:, 0] = a[0] = a[:, 0] = 0.0
            return d, a
        case "A = 0":
            return d, 0.0 * a
        case "D = A":
            return d, d
        case "low rank":
            return d, np.outer(a[0], a[-1])
        case "zero block":  # a pole of the counts where the search begins
            d[: p // 2, : p // 2] = a[: p // 2] = 0.0
            return d, a
        case _:
            return d, a


def dense(d: np.ndarray, a: np.ndarray, units: int) -> np.ndarray:
    below = np.tril(np.ones((units, units)), -1)
    return np.kron(np.eye(units), d) + np.kron(below, a) + np.kron(below.T, a.T)


def rounding_of(values: np.ndarray) -> float:
    """What the dense solver itself may be wrong by."""
    return 64 * len(values) * 2.0**-53 * float(np.max(np.abs(values), initial=0.0))


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(KINDS), st.integers(1, 6), st.integers(1, 12), SEEDS)
@example("general", 1, 1, 0)
@example("general", 3, 2, 1)
@example("null directions", 1, 5, 0)
@example("D = A", 4, 8, 0)
@example("D = A", 3, 4, 0)
@example("low rank", 5, 7, 0)
@example("symmetric", 1, 1, 11)
@example("general", 1, 12, 1_281_606_931)
@example("zero block", 10, 21, 21)
def test_extremes_counts_and_ceilings_are_those_of_the_dense_matrix(kind: str, p: int, units: int, seed: int) -> None:
    d, a = blocks(kind, p, seed)
    values, found = np.linalg.eigvalsh(dense(d, a, units)), extremes(d, a, units)
    rounding, scale = rounding_of(values), float(np.max(np.abs(values), initial=0.0))
    zero = np.abs(values) <= max(found.tolerance, rounding)
    counts = (int(np.sum(values[~zero] < 0)), int(np.sum(zero)), int(np.sum(values[~zero] > 0)))
    assert (found.negative, found.zero, found.positive) == counts
    modulus = float(np.min(np.abs(values[~zero]), initial=math.inf))
    expected = (values[-1], values[0], 0.0 if math.isinf(modulus) else modulus)
    mine = (found.largest, found.smallest, found.smallest_modulus)
    for value, other, error in zip(mine, expected, found.errors, strict=True):
        assert abs(value - other) <= error + rounding
    assert max(found.errors) <= 1e-6 * scale
    low, high = ceilings(d, a, units)
    assert low - rounding <= values[0] <= values[-1] <= high + rounding
    assert ceilings(d, a, units, off=1.0) == pytest.approx((low - 1.0, high + 1.0))
    for shift in np.random.default_rng(seed).uniform(-scale, scale, size=4):
        count, error = count_below(d, a, units, float(shift))
        slack = error + 1e-12 * scale
        assert np.sum(values < shift - slack) <= count <= np.sum(values < shift + slack)


@pytest.mark.parametrize("units", [10**3, 10**6 - 1, 10**6])
def test_width_one_at_great_depth(units: int) -> None:
    """D - A, R - 1 times, and D + (R - 1) A."""
    found = extremes(np.array([[1.0]]), np.array([[0.25]]), units)
    expected = (1.0 + 0.25 * (units - 1), 0.75, 0.75)
    for value, other in zip((found.largest, found.smallest, found.smallest_modulus), expected, strict=True):
        assert abs(value - other) <= 1e-9 * other
    assert (found.negative, found.zero, found.positive) == (0, 0, units)
    assert found.condition_number == pytest.approx(expected[0] / 0.75, rel=1e-9)


@pytest.mark.parametrize("units", [10**3, 10**5, 10**6])
def test_a_rotation_at_great_depth(units: int) -> None:
    """D = 0, A = [[0, -1], [1, 0]]: H = Sigma (x) A, Sigma skew-circulant, has eigenvalues cot((2j + 1) pi / 2R)."""
    a = np.array([[0.0, -1.0], [1.0, 0.0]])
    found = extremes(np.zeros((2, 2)), a, units)
    greatest = 1.0 / math.tan(math.pi / (2 * units))
    assert abs(found.largest - greatest) <= found.errors[0] + 1e-15 * greatest
    assert abs(found.smallest + greatest) <= found.errors[1] + 1e-15 * greatest
    least = math.tan(math.pi / (2 * units))  # R even: the middle one
    assert (found.negative, found.zero, found.positive) == (units, 0, units)
    assert abs(found.smallest_modulus - least) <= found.errors[2]
    assert found.errors[2] <= 1e-2 * least


def test_two_hundred_thousand_parameters_at_once() -> None:
    """p = 20, R = 10^4: counts on both sides of every value."""
    d, a = blocks("general", 20, 3)
    units = 10**4
    found = extremes(d, a, units)
    assert found.negative + found.zero + found.positive == 20 * units
    for value, error in ((found.largest, found.errors[0]), (found.smallest, found.errors[1])):
        below, _ = count_below(d, a, units, value - 2 * error)
        above, _ = count_below(d, a, units, value + 2 * error)
        assert above == below + 1
    assert found.errors[0] <= 1e-8 * found.largest


def test_a_ceiling_is_reached() -> None:
    """D = A = 1: H_R = 1 1^T."""
    one = np.ones((1, 1))
    assert ceilings(one, one, 7)[1] == pytest.approx(7.0, rel=1e-12)


def test_width_is_that_beside_the_common_kernel() -> None:
    d, a = blocks("null directions", 5, 0)
    assert extremes(d, a, 3, widest=4) == extremes(d, a, 3)
    with pytest.raises(TooWideError, match="4 dimensions besides their kernel; 3 at most"):
        _ = extremes(d, a, 3, widest=3)


def test_condition_numbers() -> None:
    regular = ExtremeEigenvalues(4.0, -8.0, 2.0, 1, 0, 3, 1e-15, (0.0, 0.0, 0.0))
    assert (regular.condition_number, regular.greatest_modulus) == (4.0, 8.0)
    singular = ExtremeEigenvalues(4.0, 0.0, 2.0, 0, 1, 3, 1e-15, (0.0, 0.0, 0.0))
    assert (singular.condition_number, singular.pseudo_condition_number) == (math.inf, 2.0)
    nothing = extremes(np.zeros((2, 2)), np.zeros((2, 2)), 3)
    assert (nothing.zero, nothing.condition_number, nothing.pseudo_condition_number) == (6, None, None)


def test_common_null_directions_are_zeros_at_every_depth() -> None:
    d, a = np.diag([1.0, 0.0, 2.0]), np.zeros((3, 3))
    a[0, 2] = 1.0
    found = extremes(d, a, 1000)
    assert found.zero >= 1000
    assert found.condition_number == math.inf
    assert found.pseudo_condition_number is not None
    assert math.isfinite(found.pseudo_condition_number)


def test_what_rounding_may_have_made_counts_as_zero() -> None:
    """D - A = (2^-40) I is as good as zero where D and A are off by more: R - 1 eigenvalues, each twice."""
    a = np.array([[1.0, -1.0], [-1.0, 1.0]])
    d, units = a + 2.0**-40 * np.eye(2), 5
    known, blurred = extremes(d, a, units), extremes(d, a, units, off=2.0**-38)
    assert (known.negative, known.zero, known.positive) == (0, 0, 2 * units)
    assert (blurred.negative, blurred.zero, blurred.positive) == (0, 2 * units - 1, 1)
    assert min(blurred.errors) >= 2.0**-38
    assert blurred.tolerance >= 2.0**-38


def test_between_ends_of_which_one_is_zero_is_their_mean() -> None:
    assert _middle(-0.001, 0.0) == -0.0005


def test_other_libraries_arrays() -> None:
    d, a = blocks("general", 3, 0)
    strict = [array_api_strict.asarray(one) for one in (d, a)]
    assert extremes(strict[0], strict[1], 5) == extremes(d, a, 5)


@pytest.mark.parametrize(
    ("d", "a", "units", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3)), 1, r"shape \(2, 3\)"),
        (np.zeros((2, 2)), np.zeros((3, 3)), 1, r"A has shape \(3, 3\)"),
        (np.array([[np.nan]]), np.zeros((1, 1)), 1, "not finite"),
        (np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)), 1, "differs from its transpose by 1"),
        (np.zeros((1, 1)), np.zeros((1, 1)), 0, "0 units"),
    ],
)
def test_bad_input(d: np.ndarray, a: np.ndarray, units: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _ = extremes(d, a, units)
