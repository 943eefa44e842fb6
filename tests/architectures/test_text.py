"""Text is Python: evaluated with the names it uses, it gives an expression with the same text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resproof.architectures import activations, algebra
from resproof.architectures.activations import tanh
from resproof.architectures.algebra import causal_mask, identity, layer_norm, rms_norm, shift, softmax
from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.nodes import Add, Axis, Constant, Expression, Input, Multiply, Weight
from resproof.architectures.text import latex, latex_name, text, weight_names

VOCABULARY = {**vars(algebra), **vars(activations), "Constant": Constant, "Fraction": Fraction}


def evaluated(root: Expression) -> Expression:
    """The text of an expression as Python reads it, with weights of the same shapes and names."""
    named = {name: Weight(w.shape, name=name) for w, name in weight_names(root).items()}
    return eval(text(root), {**VOCABULARY, **named, "h": Input("d", "d")})


@pytest.mark.parametrize("name", CATALOGUE)
def test_round_trip_of_the_catalogue(name: str) -> None:
    root = CATALOGUE[name].build()
    named = {name: Weight(w.shape, name=name) for w, name in weight_names(root).items()}
    again = eval(text(root), {**VOCABULARY, **named, "h": Input("d")})
    assert text(again) == text(root)
    assert again.shape == root.shape


H, W, B, A = Input("d", "d"), Weight("d", "d"), Weight("d", "d", name="b"), Weight(1, 1, name="a")
NUMBERS = st.sampled_from([0, 1, -1, 3, -2, Fraction(1, 2), Fraction(-3, 4), Fraction(4, 2)])
LEAVES = st.sampled_from([H, W, B, A])
SQUARES = st.sampled_from([H, W, B, identity("d"), shift(2, "d"), causal_mask("d"), Constant(-1, "d", "d")])


def _grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    axes: st.SearchStrategy[Axis] = st.sampled_from([0, 1])
    return st.one_of(
        st.builds(lambda left, right: left + right, inner, inner),
        st.builds(lambda left, right: left - right, inner, inner),
        st.builds(lambda left, right: left * right, inner, inner),
        st.builds(lambda left, number: left + number, inner, NUMBERS),
        st.builds(lambda left, number: left - number, inner, NUMBERS),
        st.builds(lambda number, right: number - right, NUMBERS, inner),
        st.builds(lambda number, right: number * right, NUMBERS, inner),
        st.builds(lambda left, number: left * number, inner, NUMBERS),
        st.builds(lambda operand: -operand, inner),
        st.builds(lambda operand: operand.T, inner),
        st.builds(lambda left, right: _square(left) @ _square(right), inner, inner),
        st.builds(tanh, inner),
        st.builds(lambda u, axis: softmax(_square(u), axis, causal_mask("d")), inner, axes),
        st.builds(softmax, inner, axes),
        st.builds(layer_norm, inner, axes, st.sampled_from([0, 1, Fraction(1, 8)])),
        st.builds(rms_norm, inner, axes),
    )


def _square(operand: Expression) -> Expression:
    return operand if operand.shape == ("d", "d") else operand * W


EXPRESSIONS = st.recursive(LEAVES | SQUARES, _grow, max_leaves=12)


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS)
@example(H - (W - H))
@example(-(-H))  # noqa: B002
@example(-H @ W)
@example((-H).T)
@example(-(H @ W).T)
@example(Add(H, Constant(-2)))
@example(Multiply(Constant(-1, "d", "d"), H))
@example(Constant(2, "d", "d") @ H)
@example(Weight("d", 1) @ Constant(2))
@example(Constant(Fraction(1, 2), 1, "d").T + H)
@example(H * (H * W))
@example(H @ (H @ W))
@example((H + W) @ (H * W).T)
@example(softmax(Constant(3, "d", "d"), 1) + H)
@example(tanh(Constant(2)) + H)
def test_round_trip(root: Expression) -> None:
    again = evaluated(root)
    assert text(again) == text(root)
    assert again.shape == root.shape


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (H + W @ tanh(B @ H), "h + W1 @ tanh(b @ h)"),
        (H - 2 * H, "h - 2 * h"),
        ((H + W) @ H, "(h + W1) @ h"),
        (H * (H @ W), "h * (h @ W1)"),
        (H @ W @ H, "h @ W1 @ h"),
        (H @ (W @ H), "h @ (W1 @ h)"),
        (H * Fraction(1, 2), "h * Fraction(1, 2)"),
        (softmax(H.T @ H, 0, causal_mask("d")), 'softmax(h.T @ h, axis=0, mask=causal_mask("d"))'),
        (rms_norm(H, 1, Fraction(1, 8)), "rms_norm(h, axis=1, epsilon=Fraction(1, 8))"),
        (Input("d") @ shift(1), "h @ shift(1)"),
    ],
)
def test_text(expression: Expression, shown: str) -> None:
    assert text(expression) == shown


def test_names_are_own_then_given_then_numbered() -> None:
    one, two, three = Weight("d", "d"), Weight("d", "d", name="W1"), Weight("d", "d")
    root = Input("d") + three @ two @ one @ Input("d")
    assert list(weight_names(root).values()) == ["W2", "W1", "W3"]
    assert list(weight_names(root, {one: "U"}).values()) == ["U", "W1", "W2"]


def test_a_name_given_twice_stays_apart() -> None:
    first, second = Weight("d", "d", name="W"), Weight("d", "d", name="W")
    assert text(second @ first @ H) == "W_2 @ W @ h"


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (H + W @ H, r"h + W_{1}\, h"),
        ((H - W) @ H, r"\left(h - W_{1}\right)\, h"),
        (H.T, r"h^{\mathsf T}"),
        ((H @ W).T, r"\left(h\, W_{1}\right)^{\mathsf T}"),
        (H * (H @ W), r"h \odot \left(h\, W_{1}\right)"),
        (-(H + W), r"-\left(h + W_{1}\right)"),
        (H * Fraction(-1, 2), r"h \odot \left(-\tfrac{1}{2}\right)"),
        (H + Constant(-2), r"h + \left(-2\right)"),
        (identity("d") @ H, r"I\, h"),
        (H @ causal_mask("d"), r"h\, C_{\le}"),
        (H @ shift(2, "d"), r"h\, S_{2}"),
        (layer_norm(H) + rms_norm(H), r"\operatorname{LN}\left(h\right) + \operatorname{RMS}\left(h\right)"),
        (tanh(H), r"\operatorname{tanh}\left(h\right)"),
        (softmax(H, 0), r"\operatorname{softmax}\left(h\right)"),
    ],
)
def test_latex(expression: Expression, shown: str) -> None:
    assert latex(expression) == shown


@settings(max_examples=100, deadline=None)
@given(EXPRESSIONS)
def test_latex_is_balanced(root: Expression) -> None:
    shown = latex(root)
    assert shown.count("{") == shown.count("}")
    assert shown.count(r"\left(") == shown.count(r"\right)")
    assert "--" not in shown
    assert "+ -" not in shown


@pytest.mark.parametrize(("name", "shown"), [("W", "W"), ("W12", "W_{12}"), ("gain", r"\mathrm{gain}")])
def test_latex_name(name: str, shown: str) -> None:
    assert latex_name(name) == shown
