from __future__ import annotations

import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import generic, identity_activation, tanh
from resproof.architectures.dimensions import SAMPLES
from resproof.architectures.forms.notation import latex_function, latex_sum
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    SAMPLE,
    DataTensor,
    IndexSum,
    LossDerivative,
    Term,
    show_term,
)
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text


def test_a_unit_knows_its_weights_and_width() -> None:
    w1, w2 = Weight("k", "d"), Weight("d", "k")
    h = Input("d")
    unit = ResidualUnit(h + w2 @ tanh(w1 @ h), {w2: "B"})
    assert unit.weights == (w1, w2)
    assert list(unit.names.values()) == ["W1", "B"]
    assert unit.width == "d"
    assert not unit.mixes_columns


def test_units_are_compared_by_their_expression() -> None:
    h, w = Input("d"), Weight("d", "d")
    one = h + w @ h
    assert ResidualUnit(one) == ResidualUnit(one, {w: "V"})
    assert ResidualUnit(one) != ResidualUnit(h + w @ h)


def test_a_network_takes_the_squared_loss_unless_told() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2))
    assert Network(unit, 3).loss is squared
    assert Network(unit, 3, cross_entropy).loss is cross_entropy


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((1,), "h + W1 @ h"),
        ((2,), "h + W2 @ (W1 @ h)"),
        ((3, identity_activation, tanh), "h + W3 @ tanh(W2 @ tanh(W1 @ h))"),
        ((2, generic("pre"), generic("mid"), generic("post")), "h + post(W2 @ mid(W1 @ pre(h)))"),
    ],
)
def test_n_shortcut(arguments: tuple[int], shown: str) -> None:
    assert text(catalogue.n_shortcut(*arguments)) == shown


def test_inner_widths() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(3, inner_width="k"))
    assert [one.shape for one in unit.weights] == [("k", "d"), ("k", "k"), ("d", "k")]
    assert [one.shape for one in ResidualUnit(catalogue.n_shortcut(2, width=4)).weights] == [(4, 4), (4, 4)]


def test_index_terms_for_people() -> None:
    from fractions import Fraction

    g, x = LossDerivative(1, ("d", SAMPLES)), DataTensor("X", ("d", SAMPLES))
    term = Term(Fraction(-1, 2), (("m", -1), ("mid'(0)", 1)), ((g, (ROW, 0)), (x, (COLUMN, 0))))
    assert show_term(term) == "-1/2 * m^-1 * mid'(0) * g[i,a] * X[j,a]"
    shown = latex_sum(IndexSum(((ROW, "d"), (COLUMN, "d")), (term, term)))
    assert shown.startswith(r"-\frac{\sigma_{\mathrm{mid}}'(0)}{2 m}")
    assert shown.count("{") == shown.count("}")
    assert latex_sum(IndexSum((), ())) == "0"
    assert latex_function("tanh", 3) == r"\mathrm{tanh}^{(3)}"
    assert SAMPLE < COLUMN < ROW
