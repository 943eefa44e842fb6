"""Contractions of arrays against numpy.einsum, their adjoints against the pairing <g, c(a, b)>, in both arithmetics."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from resproof.architectures.dimensions import read_pattern
from resproof.numeric.backend import Ops, ops
from resproof.numeric.network.arithmetic import PRIME, Residues
from resproof.numeric.network.contraction import contract, contraction, permuted
from tests.numeric.compare import host

SIZE = {"a": 2, "b": 3, "c": 4, "d": 5}
PATTERNS = (
    "a b, b c -> a c",
    "b a, b c -> a c",
    "a b, c b -> c a",
    "a b, b c -> c a",
    "a b c, a c d -> a b d",
    "a b c, c b -> a",
    "a b, a b -> a b",
    "a b, b a ->",
    "a, b -> b a",
    "a b c, a d b -> d c a",
    "d a b c, b c -> d a",
    ", a b -> b a",
)


def _letters(pattern: str) -> tuple[list[str], str]:
    inputs, output = read_pattern(pattern)
    return ["".join(names) for names in inputs], "".join(output)


def _drawn(pattern: str, *front: int) -> list[np.ndarray]:
    draw = np.random.default_rng(len(pattern))
    return [draw.integers(-9, 10, (*front, *map(SIZE.__getitem__, one))).astype(float) for one in _letters(pattern)[0]]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_contractions_and_their_adjoints(pattern: str, array_ops: Ops) -> None:
    (left, right), output = _letters(pattern)
    a, b = _drawn(pattern)
    how, xs = contraction(pattern), (array_ops.asarray(a), array_ops.asarray(b))
    products = (operator.matmul, operator.mul)
    found = host(contract(how, array_ops, *products, *xs))
    np.testing.assert_array_equal(found, np.einsum(f"{left},{right}->{output}", a, b))
    g = np.arange(1.0, found.size + 1).reshape(found.shape)
    to_left = host(contract(how.to_left(), array_ops, *products, array_ops.asarray(g), xs[1]))
    to_right = host(contract(how.to_right(), array_ops, *products, xs[0], array_ops.asarray(g)))
    assert to_left.shape == a.shape
    assert to_right.shape == b.shape
    assert np.vdot(to_left, a) == np.vdot(to_right, b) == np.vdot(g, found)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_axes_in_front_broadcast_and_samples_are_summed(pattern: str) -> None:
    (left, right), output = _letters(pattern)
    (a, _), (_, b), numpy = _drawn(pattern, 1), _drawn(pattern, 6), ops(np)
    how, products = contraction(pattern), (np.matmul, np.multiply)
    found = contract(how, numpy, *products, a, b)
    np.testing.assert_array_equal(found, np.einsum(f"{left},z{right}->z{output}", a[0], b))
    together = contract(how.to_left("*"), numpy, *products, found, b)
    np.testing.assert_array_equal(together, contract(how.to_left(), numpy, *products, found, b).sum(axis=0))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_residues(pattern: str) -> None:
    (left, right), output = _letters(pattern)
    a, b = (PRIME // 3 * x for x in _drawn(pattern))
    residues = Residues(ops(np))
    found = contract(
        contraction(pattern), ops(np), residues.matmul, residues.multiply, residues.reduce(a), residues.reduce(b)
    )
    exact = np.asarray(np.einsum(f"{left},{right}->{output}", a.astype(object), b.astype(object)), dtype=object)
    np.testing.assert_array_equal(residues.canonical(found), np.asarray(np.mod(exact, PRIME), dtype=np.int64))


def test_axes_in_another_order() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(permuted(ops(np), a, ("x", "y"), ("y", "x")), a.swapaxes(1, 2))
    assert permuted(ops(np), a, ("x", "y"), ("x", "y")) is a
