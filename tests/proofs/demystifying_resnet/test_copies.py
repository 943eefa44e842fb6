"""The number of copies, by NumPy on Hessians built from the definition."""

from itertools import product

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet.copies import STATEMENTS
from resproof.pytest_plugin import RunOnce


def test_the_verdict(statement_result: RunOnce) -> None:
    found = statement_result(STATEMENTS[0], "exact")
    assert (found.verdict, found.all_sizes, found.reason) == ("PROVED", True, "")


def loss(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """(1/2m) |Y - f(X)|^2 for tanh at pre, sin at mid and units h + W_2 sin(W_1 tanh(h))."""
    h = x
    for first, second in weights:
        h = h + second @ np.sin(first @ np.tanh(h))
    return float(np.sum((y - h) ** 2)) / (2 * x.shape[1])


@pytest.mark.parametrize(("units", "samples"), [(1, 3), (2, 3), (3, 3), (2, 1)])
def test_each_value_has_as_many_copies_as_there_are_units(units: int, samples: int) -> None:
    d, e = 2, 1e-3
    x, y = np.random.default_rng(samples).normal(size=(2, d, samples))
    count = 2 * units * d * d
    hessian = np.zeros((count, count))
    for i, j in product(range(count), repeat=2):
        for s, t in product((1, -1), repeat=2):
            w = np.zeros(count)
            w[i] += s * e
            w[j] += t * e
            hessian[i, j] += s * t * loss(w.reshape(units, 2, d, d), x, y) / (4 * e * e)
    block = hessian[d * d : 2 * d * d, : d * d]
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(block.T @ block), 0))
    expected = np.sort(np.concatenate([roots, -roots] * units))
    assert np.abs(np.sort(np.linalg.eigvalsh(hessian)) - expected).max() < 1e-5
    assert np.abs(expected).max() > 0.1
