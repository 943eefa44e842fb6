"""Condition numbers in balls against exact fractions, decompositions and products that undo each other."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from resproof.proofs.rethinking_skips.ball_products import log_condition, log_conditions, log_spread, reflection
from resproof.proofs.rethinking_skips.random_layers import KINDS, JointLayers, multipliers
from resproof.proofs.rethinking_skips.rescaled import log_conditions as in_floats


def _orthogonal(u: list[int]) -> np.ndarray:
    return np.array(reflection(u).tolist(), dtype=np.float64) / sum(a * a for a in u)


@pytest.mark.parametrize("u", [[1], [3, 4], [1, 2, 2, 9]])
def test_reflections_are_orthogonal_up_to_a_factor(u: list[int]) -> None:
    found, square = reflection(u), sum(a * a for a in u)
    expected = [[square**2 * (i == j) for j in range(len(u))] for i in range(len(u))]
    assert [[int(a) for a in row] for row in (found * found.transpose()).tolist()] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_against_decompositions_of_the_product(kind) -> None:
    """A few layers and data that are not whitened, where float64 still tells the least singular value."""
    rng = np.random.default_rng(6)
    mu, x, u = multipliers(kind, 3, 4, 0.3, rng, order="lambda"), rng.normal(size=(4, 7)), [2, 1, 5, 3]
    v, h = _orthogonal(u), x
    for factors, one in zip(mu, log_conditions(u, mu, x, [1, 2, 3]), strict=True):
        h = v @ np.diag(factors) @ v.T @ h
        assert one.value == pytest.approx(math.log(np.linalg.cond(h)), abs=1e-9)
        assert one.error < 1e-14
    assert log_condition(x).value == pytest.approx(math.log(np.linalg.cond(x)), abs=1e-12)


def test_orthogonal_eigenvectors_and_no_data_give_the_products_alone() -> None:
    """With numbers whose products are exact fractions; kappa is 10^1000 and more."""
    mu = np.array([[4.0, -0.125, 0.5], [0.25, 1.5, 8.0], [2.0, -3.0, 0.0625]] * 200)
    (found,) = log_conditions([1, 3, 2], mu, np.eye(3), [len(mu)])
    products = [abs(math.prod((Fraction(a) for a in column), start=Fraction(1))) for column in mu.T]
    ratio = max(products) / min(products)
    expected = math.log(ratio.numerator) - math.log(ratio.denominator)
    for one in (found, log_spread(mu)):
        assert abs(one.value - expected) <= one.error + 1e-12
        assert one.error < 1e-12


def test_layers_that_undo_each_other_where_floats_lose_them() -> None:
    """100 layers with the eigenvalues (2, 1/2), then 100 with (1/2, 2): kappa is 1, whatever float64 makes of it."""
    mu, u = np.array([[2.0, 0.5]] * 100 + [[0.5, 2.0]] * 100), [1, 2]
    half, whole = log_conditions(u, mu, np.eye(2), [100, 200])
    assert half.value == pytest.approx(200 * math.log(2.0), abs=1e-12)
    assert abs(whole.value) <= whole.error < 1e-14
    (lost,) = in_floats(JointLayers(_orthogonal(u), mu).chunks(), np.eye(2), [200])
    assert lost.log_condition > 100


def test_the_order_of_the_theorems_is_that_of_the_eigenvalues() -> None:
    """And not that of the multipliers, once there is a shortcut."""
    for kind in KINDS:
        mu = multipliers(kind, 300, 6, 1.0, np.random.default_rng(1), order="lambda")
        eigenvalues = mu if kind == "plain" else mu - 1.0
        assert np.all(np.diff(np.abs(eigenvalues), axis=1) <= 0)
        assert bool(np.all(np.diff(np.abs(mu), axis=1) <= 0)) is (kind == "plain")
        other = multipliers(kind, 300, 6, 1.0, np.random.default_rng(1))
        np.testing.assert_array_equal(np.sort(mu, axis=1), np.sort(other, axis=1))


def test_data_without_full_row_rank() -> None:
    with pytest.raises(ValueError, match="expected full row rank"):
        _ = log_condition(np.ones((2, 3)))
    with pytest.raises(ValueError, match="expected full row rank"):
        _ = log_conditions([1, 2], np.ones((1, 2)), np.ones((2, 3)), [1])
