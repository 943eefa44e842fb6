"""Linear activations leave the parts of low degree as they are, and are used only where that is certain."""

from __future__ import annotations

import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, sigmoid, softplus, tanh
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.symbolic.index.leading import linearised
from resproof.symbolic.index.lift import loss_series

UNITS: dict[str, Expression] = {
    "1": catalogue.n_shortcut(1, tanh, post=tanh),
    "2": catalogue.n_shortcut(2, tanh, gelu, tanh),
    "3": catalogue.n_shortcut(3, tanh, tanh, tanh),
    "4": catalogue.n_shortcut(4, mid=sigmoid),
    "softplus": catalogue.n_shortcut(2, mid=softplus),
    "biased": catalogue.biased(tanh),
    "tied": catalogue.tied(),
    "swiglu": catalogue.swiglu(),
    "fixup": catalogue.fixup(),
    "pre-norm": catalogue.pre_norm(),
    "transformer": catalogue.transformer(),
}


@pytest.mark.parametrize("loss", [squared, cross_entropy])
@pytest.mark.parametrize("name", UNITS)
def test_the_parts_are_the_same(name: str, loss: object) -> None:
    unit = ResidualUnit(UNITS[name])
    for degree in range(1, 5):
        chosen = squared if loss is squared else cross_entropy
        expected = loss_series(unit, chosen, 2, degree)[degree]
        assert loss_series(linearised(unit, degree), chosen, 2, degree)[degree] == expected


def test_it_is_linear_exactly_where_that_is_certain() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(3, tanh, tanh, tanh))
    assert linearised(unit, 3) is not unit
    assert "tanh(h)" in text(linearised(unit, 3).expression)
    assert linearised(unit, 4) is unit  # the error is claimed to be of degree 4 only, not 5
    assert linearised(ResidualUnit(catalogue.n_shortcut(3)), 3).expression is not None


def test_names_stay() -> None:
    unit = ResidualUnit(catalogue.attention())
    assert list(linearised(unit, 1).names.values()) == list(unit.names.values())
