"""Condition numbers at orthogonal and Xavier weights, on Hessians built entry by entry with NumPy."""

import itertools
from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.demystifying_resnet.initial_conditions import STATEMENTS
from resproof.proofs.demystifying_resnet.lyapunov import exponents
from resproof.proofs.results import Result
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.algebra.matrices import matrix
from resproof.symbolic.written.explicit import Instance


@pytest.fixture(scope="module")
def found(statement_result: RunOnce) -> Mapping[str, Result]:
    return {one.id: statement_result(one, "exact") for one in STATEMENTS}


def test_the_verdicts(found: Mapping[str, Result]) -> None:
    assert found["DR-init"].verdict == "OPEN"
    *proved, last = found["DR-init"].clauses
    assert [(one.verdict, one.reason, one.all_sizes) for one in proved] == [("PROVED", "", True)] * 4
    assert last.unsettled
    assert found["DR-init2"].verdict == "OPEN"


def product(weights: Sequence[np.ndarray]) -> np.ndarray:
    return reduce(lambda total, one: one @ total, weights, np.eye(weights[0].shape[0] if weights else 2))


def hessian(weights: Sequence[np.ndarray], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The output is linear in every layer: a derivative puts a matrix unit in the layer's place."""
    d, m = x.shape
    units = [np.outer(np.eye(d)[i], np.eye(d)[j]) for j in range(d) for i in range(d)]
    places = [(layer, unit) for layer in range(len(weights)) for unit in units]

    def output(*changed: tuple[int, np.ndarray]) -> np.ndarray:
        layers = list(weights)
        for layer, unit in changed:
            layers[layer] = unit
        return product(layers) @ x

    residual, first = output() - y, [output(place) for place in places]
    found = np.zeros((len(places), len(places)))
    for i, one in enumerate(places):
        for j, other in enumerate(places):
            found[i, j] = np.sum(first[i] * first[j]) / m
            if one[0] != other[0]:
                found[i, j] += np.sum(residual * output(one, other)) / m
    return found


def between(weights: Sequence[np.ndarray], layer: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """N_l, layers counted from 1."""
    d, m = x.shape
    e = (product(weights) @ x - y) @ x.T / m
    above = product(weights[layer + 1 :]) if weights[layer + 1 :] else np.eye(d)
    below = product(weights[: layer - 1]) if weights[: layer - 1] else np.eye(d)
    return above.T @ e @ below.T


def drawn(
    count: int, d: int, m: int, seed: int, *, orthogonal: bool = False
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(d, d)) / np.sqrt(d) for _ in range(count)]
    if orthogonal:
        weights = [np.linalg.qr(one)[0] for one in weights]
    return weights, rng.normal(size=(d, m)), rng.normal(size=(d, m))


def test_exact_hessians_are_these() -> None:
    rng = np.random.default_rng(0)
    weights = [rng.integers(-3, 4, size=(2, 2)) for _ in range(3)]
    x, y = rng.integers(-3, 4, size=(2, 2, 2))
    exact = hessian_at([[matrix(w.tolist())] for w in weights], Instance(x.tolist(), y.tolist()))
    assert np.array_equal(np.array(exact, dtype=float), hessian([w.astype(float) for w in weights], x, y))


@pytest.mark.parametrize("seed", range(4))
def test_the_condition_number_is_at_least_that_between_two_layers(seed: int) -> None:
    weights, x, y = drawn(4, 3, 5, seed)
    values = np.linalg.svd(hessian(weights, x, y), compute_uv=False)
    for layer in (1, 2, 3):
        n = np.linalg.svd(between(weights, layer, x, y), compute_uv=False)
        assert values[-1] <= n[-1] * (1 + 1e-9)
        assert values[0] >= n[0] * (1 - 1e-9)


@pytest.mark.parametrize(("count", "seed"), [(2, 0), (3, 1), (5, 2), (8, 3)])
def test_orthogonal_weights(count: int, seed: int) -> None:
    d = 2
    weights, x, y = drawn(count, d, 4, seed, orthogonal=True)
    values = np.linalg.svd(hessian(weights, x, y), compute_uv=False)
    s, t = x @ x.T / 4, y @ x.T / 4
    turned = s - product(weights).T @ t
    top, (largest, *_, least) = np.linalg.norm(s, 2), np.linalg.svd(turned, compute_uv=False)
    assert values[0] >= count * top * (1 - 1e-9)
    assert values[-1] <= least * (1 + 1e-9)
    assert least**2 <= 2 * top**2 + 2 * np.linalg.norm(t, 2) ** 2
    assert np.sum(values <= largest * (1 + 1e-9)) >= d * d * (count // 2)


def test_width_one() -> None:
    weights, x, y = drawn(6, 1, 3, 5)
    values = np.linalg.svd(hessian(weights, x, y), compute_uv=False)
    pairs = [abs(float((a @ b)[0, 0])) for a, b in itertools.pairwise(weights)]
    assert values[0] / values[-1] >= max(pairs) / min(pairs) * (1 - 1e-9)


def test_gaussian_weights_grow_at_the_rate_of_the_gaps() -> None:
    # One long product: the bound (sigma_1^d / |det N|)^(1/(d-1)) against its rate, on a logarithmic scale.
    d, count = 3, 20000
    rng = np.random.default_rng(3)
    q, diagonals, vector, length = np.eye(d), np.zeros(d), np.eye(d)[0], 0.0
    for _ in range(count):
        w = rng.normal(size=(d, d)) / np.sqrt(d)
        q, r = np.linalg.qr(w @ q)
        diagonals += np.log(np.abs(np.diagonal(r)))
        vector = w @ vector
        length += np.log(np.linalg.norm(vector))
        vector /= np.linalg.norm(vector)
    mu = exponents(d, 1.0)
    rate = (d * length - diagonals.sum()) / (d - 1) / count
    assert mu[0] < 0
    assert abs(rate - np.mean(mu[0] - mu[1:])) < 0.03
    assert rate > 0.2


@pytest.mark.parametrize("seed", range(3))
def test_deep_gaussian_networks_exceed_the_bound(seed: int) -> None:
    d, count = 2, 16
    weights, x, y = drawn(count, d, 4, seed)
    values = np.linalg.svd(hessian(weights, x, y), compute_uv=False)
    n = np.linalg.svd(between(weights, count - 1, x, y), compute_uv=False)
    assert values[0] / values[-1] >= n[0] ** d / np.prod(n) * (1 - 1e-6)
