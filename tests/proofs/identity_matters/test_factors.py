"""Small factors of a matrix: against powers by complex eigenvectors, edges first, on every array library."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from resproof.numeric.backend import Ops
from resproof.proofs.identity_matters.factors import (
    FactorError,
    apply,
    factors,
    greatest_norm,
    norm_bound,
    plane_rotations,
    polar_factors,
    product_bound,
    published_bounds,
    random_target,
)

Array = NDArray[np.float64]


def turn(angle: float) -> Array:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def diagonal(*blocks: Array) -> Array:
    total = np.zeros((sum(map(len, blocks)),) * 2)
    at = 0
    for block in blocks:
        total[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return total


def rotation_of(seed: int, *angles: float, ones: int = 0) -> Array:
    """A rotation by these angles in random planes."""
    size = 2 * len(angles) + ones
    z = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    return z @ diagonal(*map(turn, angles), np.eye(ones)) @ z.T


def principal_power(normal: Array, exponent: float) -> Array:
    """A real matrix without negative eigenvalues to a power, by its complex eigenvectors."""
    values, vectors = np.linalg.eig(normal)
    found = vectors @ np.diag(values.astype(complex) ** exponent) @ np.linalg.inv(vectors)
    assert np.abs(found.imag).max() < 1e-9
    return found.real


@pytest.mark.parametrize(("d", "layers"), [(1, 4), (2, 1), (2, 3), (3, 5), (5, 8)])
def test_the_layers_are_those_of_the_formula(d: int, layers: int) -> None:
    target = random_target(np.random.default_rng(d), d, 0.8)
    symmetric = principal_power(target.T @ target, 0.5)
    rotation: Array = np.asarray(target @ np.linalg.inv(symmetric), dtype=np.float64)
    found = factors(target, layers).weights(0, layers)
    for k in range(1, layers + 1):
        ahead, back = (principal_power(rotation, e / layers) for e in (k, 1 - k))
        expected = ahead @ principal_power(symmetric, 1 / layers) @ back - np.eye(d)
        np.testing.assert_allclose(found[k - 1], expected, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 40), st.floats(0, 3))
@example(0, 1, 1, 0.0)
def test_the_product_and_the_norms(seed: int, d: int, layers: int, greatest_log: float) -> None:
    target = random_target(np.random.default_rng(seed), d, greatest_log)
    found = factors(target, layers)
    off = np.linalg.norm(apply(found, np.eye(d)) - target)
    assert off <= product_bound(found)
    norms = np.linalg.norm(found.weights(0, layers), ord=2, axis=(1, 2))
    rounding = 1e-11 * math.exp(greatest_log)
    assert norms.max() <= norm_bound(found) + rounding
    assert abs(norms.max() - greatest_norm(found)) <= rounding
    assert norms.max() - norms.min() <= rounding
    assert found.gamma == pytest.approx(greatest_log, abs=1e-12)
    if layers >= 3 * found.gamma:
        assert norm_bound(found) <= min(published_bounds(found))


EDGES = {
    "-I": -np.eye(2),
    "-I, four dimensions": -np.eye(4),
    "two minus ones": np.diag([-1.0, 1.0, -1.0]),
    "I": np.eye(3),
    "a stretch": np.diag([2.0, 0.5]),
    "angles close to 0": rotation_of(1, 1e-9, 3e-9),
    "angles close to pi": rotation_of(2, math.pi - 1e-8, math.pi),
    "0 and pi": rotation_of(3, math.pi, math.pi - 1e-8, 1e-8, ones=1),
    "equal angles": rotation_of(4, 1.0, 1.0, 1.0 + 1e-12, ones=2),
    "right angles": rotation_of(5, math.pi / 2, math.pi / 2),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name: str) -> None:
    target, d = EDGES[name], len(EDGES[name])
    planes = plane_rotations(polar_factors(target).rotation)
    assert all(0.0 <= angle <= math.pi for angle in planes.angles)
    block = diagonal(*map(turn, planes.angles), np.eye(d - 2 * len(planes.angles)))
    rotation = polar_factors(target).rotation
    assert np.abs(planes.basis @ block @ planes.basis.T - rotation).max() <= 1e-13
    assert np.abs(planes.basis.T @ planes.basis - np.eye(d)).max() <= 1e-13
    found = factors(target, 7)
    assert np.abs(apply(found, np.eye(d)) - target).max() <= 1e-13
    assert greatest_norm(found) <= norm_bound(found) * (1 + 1e-12)


def test_small_weights_keep_their_relative_accuracy() -> None:
    """l (F_1 - I) tends to log U + log P, here with commuting factors."""
    target = 2.0 * turn(1.0)
    w = factors(target, 10**9).weights(0, 1)[0]
    expected = np.array([[math.log(2.0), -1.0], [1.0, math.log(2.0)]])
    assert np.abs(10**9 * w - expected).max() < 1e-8


def test_other_libraries(array_ops: Ops) -> None:
    target = random_target(np.random.default_rng(3), 5, 1.0)
    found = factors(array_ops.asarray(target), 6)
    output = array_ops.numpy(apply(found, array_ops.asarray(np.eye(5))))
    assert np.abs(output - target).max() <= 1e-13
    np.testing.assert_allclose(array_ops.numpy(found.weights(2, 4)), factors(target, 6).weights(2, 4), atol=1e-13)
    assert greatest_norm(found) == pytest.approx(greatest_norm(factors(target, 6)), rel=1e-12)


BAD = {
    "a negative determinant": (np.diag([1.0, -1.0]), 3, "det R is negative"),
    "d = 1": (np.array([[-1.0]]), 3, "det R is negative"),
    "a singular target": (np.array([[1.0, 2.0], [2.0, 4.0]]), 3, "R is singular"),
    "zero": (np.zeros((2, 2)), 3, "R is singular"),
    "no layer": (np.eye(2), 0, "0 layers"),
    "not square": (np.ones((2, 3)), 3, r"shape \(2, 3\)"),
    "no rows": (np.ones((0, 0)), 3, r"shape \(0, 0\)"),
    "not finite": (np.array([[math.nan]]), 3, "not finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_targets(name: str) -> None:
    target, layers, message = BAD[name]
    with pytest.raises(FactorError, match=message):
        _ = factors(target, layers)
