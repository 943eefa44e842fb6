"""Which units mix columns: a table, and the definition itself by running the network on changed columns."""

from __future__ import annotations

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.algebra import causal_mask, layer_norm, rms_norm, shift, softmax
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.properties import dimension_names, mixes_columns, the_input
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.data import bind
from resproof.numeric.network.adjoint import outputs
from resproof.numeric.network.parameters import random_weights

h, w, b = Input("d"), Weight("d", "d"), Weight("d")
square = Input("d", "d")

APART: dict[str, Expression] = {
    "n-shortcut": catalogue.n_shortcut(3, mid=tanh),
    "bias": catalogue.biased(),
    "gate": catalogue.rezero(),
    "swiglu": catalogue.swiglu(),
    "layer norm of a column": catalogue.pre_norm(),
    "softmax of a column": h + w @ softmax(h, axis=0),
    "a number": h + 2 * (w @ h),
    "transposed weight": h + w.T @ h,
    "a matrix of ones over rows": h + Constant(1, "d", "d") @ (w @ h),
}
MIXED: dict[str, Expression] = {
    "attention": catalogue.attention(),
    "causal attention": catalogue.attention(causal=True),
    "transformer": catalogue.transformer(),
    "convolution": h + w @ h @ shift(1),
    "prefix sums": h + w @ h @ causal_mask(),
    "norm along the columns": h + w @ layer_norm(h, axis=1),
    "root mean square along the columns": h + w @ rms_norm(h, axis=1),
    "softmax along the columns": h + w @ softmax(h, axis=1),
    "a weight for every position": h + Weight("d", "t"),
    "a layer along the columns": h + (Weight("t", "k") @ (Weight("k", "t") @ h.T)).T,
    "a mean over the columns": h + w @ (h @ Constant(1, "t", 1)),
}


@pytest.mark.parametrize("root", APART.values(), ids=APART)
def test_columns_stay_apart(root: Expression) -> None:
    assert not mixes_columns(root)
    unit = ResidualUnit(root)
    x = np.random.default_rng(0).normal(size=(3, 5))
    sizes = bind("test", unit, x, {name: 2 for name in dimension_names(root) if name in {"k", "f"}})
    drawn = random_weights(unit, 1, sizes, ops(np), 1)
    whole = outputs(Network(unit, 1), drawn, x)
    np.testing.assert_allclose(whole[:, 2:3], outputs(Network(unit, 1), drawn, x[:, 2:3]), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("root", MIXED.values(), ids=MIXED)
def test_columns_are_mixed(root: Expression) -> None:
    assert mixes_columns(root)
    unit = ResidualUnit(root)
    assert unit.mixes_columns
    x = np.random.default_rng(0).normal(size=(1, 3, 5))
    sizes = bind("test", unit, x, {name: 2 for name in dimension_names(root) if name in {"k", "f"}})
    drawn = random_weights(unit, 1, sizes, ops(np), 1)
    # Exchanging two columns of the input is not exchanging two columns of the output, or a column sees another.
    order, changed = [1, 0, 2, 3, 4], x.copy()
    changed[:, 0, 0] += 1
    found = outputs(Network(unit, 1), drawn, x)
    moved = outputs(Network(unit, 1), drawn, x[..., order]) - found[..., order]
    seen = (outputs(Network(unit, 1), drawn, changed) - found)[..., 1:]
    assert max(abs(moved).max(), abs(seen).max()) > 1e-6


def test_one_column_is_no_mixture() -> None:
    single = Input("d", 1)
    assert not mixes_columns(single + w @ tanh(w @ single + b))


def test_the_input_is_the_one_that_was_written() -> None:
    assert the_input(h + w @ h) is h
    assert ResidualUnit(h + w @ h).weights == (w,)
