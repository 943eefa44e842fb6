"""The compressed path is chosen by a computed property and equals the general one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from architectures import catalogue
from architectures.activations import tanh
from architectures.expressions import Expression, Input, Weight
from architectures.losses import cross_entropy, squared
from architectures.networks import Network, ResidualUnit
from numeric.adjoint import gradient, hvp, value
from numeric.backend import Ops, ops
from numeric.linear import compressed, is_linear
from numeric.parameters import flatten
from tests.numeric.cases import in_library, make
from tests.numeric.compare import assert_close


def gated() -> Expression:
    h, a, w = Input("d"), Weight("d"), Weight("d", "d")
    return h + a * (tanh(w) @ h)


LINEAR = {"1": lambda: catalogue.n_shortcut(1), "3": lambda: catalogue.n_shortcut(3), "gated": gated}
OTHER = {
    "tanh": lambda: catalogue.n_shortcut(2, mid=tanh),
    "biased": lambda: catalogue.biased(tanh),
    "swiglu": catalogue.swiglu,
    "attention": catalogue.attention,
    "pre-norm": catalogue.pre_norm,
}


def test_linearity_is_computed() -> None:
    assert [is_linear(ResidualUnit(block())) for block in LINEAR.values()] == [True] * len(LINEAR)
    assert [is_linear(ResidualUnit(block())) for block in OTHER.values()] == [False] * len(OTHER)


@pytest.mark.parametrize("name", LINEAR)
def test_compressed_data_have_the_same_derivatives(name: str, array_ops: Ops) -> None:
    # A loss that says it is not quadratic takes the general path.
    case = make(LINEAR[name](), array_ops, units=3)
    general = Network(case.network.unit, 3, replace(squared, quadratic=False))
    x, y = in_library(array_ops, case.x, case.y)
    assert compressed(case.network, x, y)[0].shape == (3, 3)
    assert compressed(general, x, y)[0].shape == (3, 5)
    for found, expected in (
        (gradient(case.network, case.weights, x, y), gradient(general, case.weights, x, y)),
        (hvp(case.network, case.weights, case.direction, x, y), hvp(general, case.weights, case.direction, x, y)),
    ):
        a, b = (np.asarray(flatten(case.network.unit, part)) for part in (found, expected))
        assert_close(a, b, 4 * case.chain, 1.0 + float(np.linalg.norm(b)))


def test_few_samples_and_other_losses_are_left_alone() -> None:
    case = make(catalogue.n_shortcut(1), ops(np))
    assert compressed(case.network, case.x[:, :3], case.y[:, :3])[0].shape == (3, 3)
    assert compressed(replace(case.network, loss=cross_entropy), case.x, case.y)[0].shape == (3, 5)
    assert value(case.network, case.weights, case.x, case.y) > 0.0
