import numpy as np
import pytest

from resproof.proofs.digits import digits, table, whiten


def test_they_are_those_of_scikit_learn() -> None:
    found = pytest.importorskip("sklearn.datasets").load_digits()
    for packed, known in zip(table(), (found.data, found.target), strict=True):
        np.testing.assert_array_equal(packed, known)


def test_shapes_targets_and_whiteness() -> None:
    data = digits()
    assert data.X.shape == data.Y.shape == (10, 1797)
    np.testing.assert_allclose(data.X @ data.X.T / 1797, np.eye(10), atol=1e-13)
    np.testing.assert_allclose(data.X.mean(axis=1), 0, atol=1e-13)
    np.testing.assert_array_equal(data.Y.sum(axis=0), 1)
    assert set(np.unique(data.Y)) == {0.0, 1.0}


def test_read_once_and_read_only() -> None:
    assert digits() is digits()
    with pytest.raises(ValueError, match="read-only"):
        digits().X[0, 0] = 1


def test_whitening_against_the_svd_of_the_data() -> None:
    x = np.random.default_rng(0).normal(size=(6, 40)) * np.arange(1, 7)[:, None]
    left, _, right = np.linalg.svd(x - x.mean(axis=1, keepdims=True), full_matrices=False)
    signs = np.sign(left[np.argmax(np.abs(left), axis=0), np.arange(6)])
    np.testing.assert_allclose(whiten(x, 3), (np.sqrt(40) * signs[:, None] * right)[:3], atol=1e-12)


def test_too_few_directions() -> None:
    with pytest.raises(ValueError, match=r"whiten: x has shape \(3, 5\); expected 2 components"):
        whiten(np.outer([1.0, 2.0, 3.0], np.arange(5.0)), 2)
