"""By JAX's own differentiation and by our adjoint: two derivations of each value, gradient and product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, relu, softplus, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.network import adjoint, stacked
from tests.numeric.cases import make
from tests.numeric.compare import assert_close

by_jax = pytest.importorskip("resproof.numeric.jax")

UNITS: dict[str, Callable[[], Expression]] = {
    "linear": lambda: catalogue.n_shortcut(2, inner_width="k"),
    "tanh": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh),
    "gelu": lambda: catalogue.smoothed_biased(gelu),
    "biased": lambda: catalogue.biased(relu),
    "softplus": lambda: catalogue.biased(softplus),
    "transformer": catalogue.transformer,
    "convolution": catalogue.convolution,
}


def assert_same(found: Mapping[str, Any], expected: Mapping[str, Any], chain: int) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert_close(found[name], array, 4 * chain, 1.0 + float(np.linalg.norm(array)))


@pytest.mark.parametrize(("name", "loss"), [*((name, "squared") for name in UNITS), ("tanh", "cross-entropy")])
def test_value_gradient_and_products(name: str, loss: str) -> None:
    case = make(UNITS[name](), ops(np), units=5, loss=LOSSES[loss], batch=2)
    given, (x, y) = (case.network, case.weights), (case.x, case.y)
    expected = adjoint.value(*given, x, y)
    assert_close(by_jax.value(*given, x, y), expected, case.chain, 1.0 + abs(expected))
    assert_same(by_jax.gradient(*given, x, y), adjoint.gradient(*given, x, y), case.chain)
    one = {key: v[0] for key, v in case.direction.items()}
    for v in (one, case.direction):
        assert_same(by_jax.hvp(*given, v, x, y), adjoint.hvp(*given, v, x, y), case.chain)


@pytest.mark.parametrize("name", ["biased", "softplus"])
def test_at_zero_weights(name: str) -> None:
    case = make(UNITS[name](), ops(np), units=2)
    zero = {key: 0.0 * array for key, array in case.weights.items()}
    given = case.network, zero
    assert_same(by_jax.gradient(*given, case.x, case.y), adjoint.gradient(*given, case.x, case.y), case.chain)
    arguments = (*given, case.direction, case.x, case.y)
    assert_same(by_jax.hvp(*arguments), adjoint.hvp(*arguments), case.chain)


def test_a_network_of_unequal_parts() -> None:
    h = Input("d")
    units = [h + Weight("d", "d", name="V") @ tanh(Weight("d", "d", name="U") @ h), h * Weight("d", name="g")]
    stem = Weight("d", "p", name="E") @ Input("p")
    stack = Stack(units=units * 2, stem=stem, head=Weight(2, "d", name="C") @ Input("d"), loss="cross-entropy")
    sizes, x = {"d": 3, "p": 4}, np.random.default_rng(0).standard_normal((4, 6))
    w, v = (stacked.random_weights(stack, sizes, ops(np), seed) for seed in (1, 2))
    labels = np.array([0, 1, 1, 0, 1, 0])
    assert_same(by_jax.gradient(stack, w, x, labels), adjoint.gradient(stack, w, x, labels), 1000)
    assert_same(by_jax.hvp(stack, w, v, x, labels), adjoint.hvp(stack, w, v, x, labels), 1000)


def test_what_is_wrong_is_refused_on_the_host() -> None:
    case = make(UNITS["tanh"](), ops(np))
    with pytest.raises(DataError, match="hvp: X has shape"):
        _ = by_jax.hvp(case.network, case.weights, case.direction, case.x[0], case.y)
    with pytest.raises(DataError, match="gradient: weights are W1; expected W1, W2"):
        _ = by_jax.gradient(case.network, {"W1": case.weights["W1"]}, case.x, case.y)
