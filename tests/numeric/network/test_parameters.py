"""Initial values, the papers' parameter order, and sizes read off the weights."""

from __future__ import annotations

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, ones
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.network.parameters import (
    flatten,
    initial_weights,
    parameter_count,
    random_weights,
    shapes,
    sizes_of,
    unflatten,
)
from tests.numeric.compare import assert_weights_equal, host

TWO = ResidualUnit(catalogue.n_shortcut(2, inner_width="k"))
SIZES = {"d": 3, "k": 2, "m": 1}


def test_the_order_is_lexicographic_in_unit_layer_column_row(array_ops: Ops) -> None:
    weights = random_weights(TWO, 4, SIZES, array_ops, 1)
    vector = host(flatten(TWO, weights))
    entries = [
        float(weights[name][r, i, j])
        for r in range(4)
        for name, (rows, cols) in shapes(TWO, SIZES).items()
        for j in range(cols)
        for i in range(rows)
    ]
    np.testing.assert_array_equal(vector, entries)
    assert len(entries) == 4 * parameter_count(TWO, SIZES)


@pytest.mark.parametrize("batch", [None, 3])
def test_unflatten_is_the_inverse(batch: int | None, array_ops: Ops) -> None:
    weights = random_weights(TWO, 4, SIZES, array_ops, 1, batch=batch)
    assert_weights_equal(unflatten(TWO, flatten(TWO, weights), 4, SIZES), weights)


def test_a_vector_of_another_length_is_refused() -> None:
    with pytest.raises(DataError, match="parameters: the vector has length 5; expected 4 x 12"):
        unflatten(TWO, np.zeros(5), 4, SIZES)


def test_initial_values(array_ops: Ops) -> None:
    h, a = Input("d"), Weight("d", "d", initial=identity_initial, name="a")
    b, c = Weight("d", initial=ones, name="b"), Weight("k", "d", initial=normal("2/d"), name="c")
    e = Weight("d", "k", name="e")
    unit = ResidualUnit(h + e @ (c @ (b * (a @ h))))
    found = {n: host(w) for n, w in initial_weights(unit, 2, {"d": 3, "k": 4, "m": 1}, array_ops, seed=7).items()}
    np.testing.assert_array_equal(found["a"], np.broadcast_to(np.eye(3), (2, 3, 3)))
    np.testing.assert_array_equal(found["b"], np.ones((2, 3, 1)))
    np.testing.assert_array_equal(found["e"], np.zeros((2, 3, 4)))
    assert not np.array_equal(found["c"][0], found["c"][1])
    again = initial_weights(unit, 2, {"d": 3, "k": 4, "m": 1}, array_ops, seed=7)
    np.testing.assert_array_equal(host(again["c"]), found["c"])
    shared = initial_weights(unit, 2, {"d": 3, "k": 4, "m": 1}, array_ops, seed=7, shared=True)
    np.testing.assert_array_equal(host(shared["c"][0, ...]), host(shared["c"][1, ...]))


@pytest.mark.parametrize(("variance", "expected"), [("1/d", 1 / 400), ("2/d", 2 / 400), (3, 3.0), ("1/4", 1 / 4)])
def test_variances(variance: str | int, expected: float) -> None:
    h, w = Input("d"), Weight("d", "d", initial=normal(variance))
    found = initial_weights(ResidualUnit(h + w @ h), 1, {"d": 400, "m": 1}, ops(np))["W1"]
    # The sample variance of n Gaussians has relative standard deviation sqrt(2/n): six of them.
    assert abs(float(np.var(found)) / expected - 1.0) < 6.0 * np.sqrt(2.0 / found.size)


def test_a_variance_without_a_size_is_refused() -> None:
    h, w = Input("d"), Weight("d", "d", initial=normal("1/q"))
    with pytest.raises(DataError, match=r"initial: the variance of .* is 1/q; expected a dimension among d, m"):
        initial_weights(ResidualUnit(h + w @ h), 1, {"d": 4, "m": 1}, ops(np))


def test_sizes_come_from_the_weights() -> None:
    assert sizes_of(TWO, random_weights(TWO, 1, SIZES, ops(np))) == {"k": 2, "d": 3}
    with pytest.raises(DataError, match="weights: W2 has 4 for the dimension d; expected 3"):
        sizes_of(TWO, {"W1": np.zeros((1, 2, 3)), "W2": np.zeros((1, 4, 2))})
