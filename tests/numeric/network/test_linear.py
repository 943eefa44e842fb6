"""Linearity in h is computed from the expression."""

from __future__ import annotations

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.linear import is_linear


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
