"""Values of any number of axes: what einsum and its other words make, how they are written, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import pytest

from resproof.architectures import algebra
from resproof.architectures import nodes as language
from resproof.architectures.activations import tanh
from resproof.architectures.algebra import (
    average_pool,
    causal_mask,
    concat,
    conv2d,
    einsum,
    join,
    mean,
    rms_norm,
    softmax,
    split,
    total,
)
from resproof.architectures.dimensions import Shape, factors, product_of
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Constant, Einsum, Expression, Input, Multiply, Weight, cut, nodes, operands
from resproof.architectures.patterns import pattern_entry
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import latex, text, weight_names

h, image, w = Input("d"), Input("c", "y", "x"), Weight("k", "d")
heads, wide, eight = Weight("heads", "k", "d"), Input("heads*k"), Input(8)
three = einsum("g k d, d t -> g k t", heads, h)

SHAPES: dict[str, tuple[Expression, Shape]] = {
    "an array of weights": (heads, ("heads", "k", "d")),
    "an image": (image, ("c", "y", "x")),
    "one axis": (Constant(1, ("t",)), ("t",)),
    "a contraction": (three, ("heads", "k", "t")),
    "a shared axis": (einsum("g k s, g k t -> g s t", three, three), ("heads", "t", "t")),
    "three operands": (einsum("d g k, g k s, s t -> d t", Weight("d", "heads", "k"), three, causal_mask()), ("d", "t")),
    "sums": (einsum("i j -> i", h), ("d",)),
    "a number": (einsum("i j ->", h), ()),
    "an outer product": (einsum("i, j -> i j", einsum("i j -> i", h), einsum("i j -> j", h)), ("d", "t")),
    "a number times an image": (2 * image, ("c", "y", "x")),
    "an image and a number": (image + 1, ("c", "y", "x")),
    "a quotient": (h / 8, ("d", "t")),
    "a power": (h**3, ("d", "t")),
    "split": (split(wide, "heads*k -> heads k"), ("heads", "k", "t")),
    "split into numbers": (split(eight, "8 -> 2 4"), (2, 4, "t")),
    "joined": (join(three, "heads k -> heads*k"), ("heads*k", "t")),
    "joined numbers": (join(split(eight, "8 -> 2 2 2"), "2 2 2 -> 8"), (8, "t")),
    "a part": (eight[2:6], (4, "t")),
    "every other row": (eight[::2], (4, "t")),
    "side by side": (concat(0, eight[:2], eight[2:8]), (8, "t")),
    "a mean": (mean(image, "x"), ("c", "y")),
    "a mean that stays": (mean(image, 2, keep=True), ("c", "y", 1)),
    "a total": (total(h, 0), ("t",)),
    "convolved": (conv2d(image, Weight("o", "c", 3, 5)), ("o", "y", "x")),
    "convolved in steps": (conv2d(Input(3, 8, 9), Weight("o", 3, 3, 3), stride=2), ("o", 4, 5)),
    "convolved channel by channel": (conv2d(image, Weight("c", 3, 3)), ("c", "y", "x")),
    "no border": (conv2d(Input(3, 8, 9), Weight("o", 3, 2, 2), padding=0), ("o", 7, 8)),
    "pooled": (average_pool(Input("c", 8, 6), 2), ("c", 4, 3)),
    "softmax by name": (softmax(three, "k"), ("heads", "k", "t")),
    "norm by position": (rms_norm(image, 0), ("c", "y", "x")),
}


@pytest.mark.parametrize(("node", "shape"), SHAPES.values(), ids=SHAPES)
def test_shapes(node: Expression, shape: Shape) -> None:
    assert node.shape == shape


@pytest.mark.parametrize("node", [node for node, _ in SHAPES.values()], ids=SHAPES)
def test_what_is_written_reads_as_the_same(node: Expression) -> None:
    known = {**vars(language), **vars(algebra), "Fraction": Fraction}
    names = weight_names(node)
    given = {name: weight for weight, name in names.items()}
    source = next((n for n in nodes(node) if isinstance(n, Input)), h)
    again = eval(text(node, names), {**known, **given, "h": source})
    assert text(again, names) == text(node, names)
    assert again.shape == node.shape
    assert latex(node)


def test_products_and_transposes_are_written_as_ever() -> None:
    assert text((w @ h).T) == "(W1 @ h).T"
    assert text(einsum("out in, in t -> out t", w, h)) == "W1 @ h"
    assert text(einsum("a b -> b a", h)) == "h.T"
    assert einsum("a b -> a b", h) is h


def test_the_right_operand_is_numbered_first() -> None:
    first, second = Weight("k", "d", name="A"), Weight("d", "k", name="B")
    unit = ResidualUnit(h + einsum("d k, k e, e t -> d t", second, first, h))
    assert list(unit.names.values()) == ["A", "B"]


def test_a_power_is_a_product_and_a_quotient_exact() -> None:
    assert isinstance(h**2, Multiply)
    assert operands(h**2) == (h, h)
    constant, _ = operands(h / Fraction(2, 3))
    assert isinstance(constant, Constant)
    assert constant.value == Fraction(3, 2)


def test_several_operands_are_contracted_two_at_a_time() -> None:
    node = einsum("o c a b, y p a, x q b, c y x -> o p q", *_image_operands())
    assert all(len(n.operands) <= 2 for n in nodes(node) if isinstance(n, Einsum))


def _image_operands() -> tuple[Expression, ...]:
    return (
        Weight("o", "c", 3, 3),
        Constant("window 1 1", "y", "y", 3),
        Constant("window 1 1", "x", "x", 3),
        image,
    )


def test_dimensions_of_several_factors() -> None:
    assert factors("heads*2*k") == ("heads", 2, "k")
    assert product_of(["heads", 2, "k"]) == "heads*2*k"
    assert product_of([2, 4]) == 8


PATTERNS = {
    "mean": ((5,), lambda s: Fraction(1, 5)),
    "split": ((6, 2, 3), lambda s, i, j: s == 3 * i + j),
    "take 1 2": ((7, 3), lambda s, t: s == 1 + 2 * t),
    "window 2 1": ((5, 3, 3), lambda s, t, a: s == 2 * t + a - 1),
    "shift 2": ((4, 4), lambda s, t: t == s + 2),
    "causal": ((3, 3), lambda s, t: s <= t),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_entries_of_patterns(pattern: str) -> None:
    import itertools

    shape, rule = PATTERNS[pattern]
    for place in itertools.product(*map(range, shape)):
        assert pattern_entry(pattern, place, shape) == rule(*place)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "another dimension": (
        lambda: einsum("i a, a t -> i t", w, Input("c")),
        'einsum("i a, a t -> i t"): the axis a is d in W1 of shape (k, d) and c in h of shape (c, t); '
        "expected one dimension",
    ),
    "a diagonal": (lambda: einsum("i i -> i", Weight("k", "k")), "the axis i occurs twice in one operand"),
    "a result twice": (lambda: einsum("i j -> i i", h), "the axis i occurs twice in the result"),
    "a new axis": (lambda: einsum("i j -> i z", h), "the axis z of the result is in no operand"),
    "too many axes": (lambda: einsum("i j k -> i", h), "h of shape (d, t) has 2 axes; the pattern names 3: i j k"),
    "too few operands": (lambda: einsum("i j, j k -> i k", h), "1 operands; expected 2"),
    "no pattern": (lambda: einsum("i j", h), "the pattern is 'i j'; expected names of axes"),
    "a product of three axes": (lambda: heads @ h, "@: W1 of shape (heads, k, d); expected two axes, or einsum"),
    "a transpose of three axes": (lambda: image.T, ".T: h of shape (c, y, x); expected two axes, or einsum"),
    "a sum of other axes": (lambda: h + image, "expected as many axes on both sides, each equal or 1"),
    "no product": (lambda: split(h, "d -> heads k"), "the axis d of h of shape (d, t) is not heads*k"),
    "another product": (lambda: split(eight, "8 -> 3 4"), "the axis 8 of h of shape (8, t) is not 3*4"),
    "no such axis": (lambda: split(h, "e -> heads k"), "split: e is no axis, or several, of h of shape (d, t)"),
    "places of a name": (lambda: h[0:2], "cut: the axis d of h of shape (d, t) is a name; expected a number of places"),
    "places beyond": (
        lambda: cut(eight, 0, 0, 9),
        "0:9:1 of the axis 8 of h of shape (8, t); expected places from 0 to 8",
    ),
    "one place": (lambda: eight[cast(Any, 3)], "places are 3; expected a slice for each axis"),
    "side by side by name": (lambda: concat(0, h, h), "concat: the axis d is a name; expected a number of places"),
    "an even number of taps": (lambda: conv2d(image, Weight("o", "c", 2, 2)), "2 taps on h of shape (c, y, x)"),
    "other channels": (
        lambda: conv2d(image, Weight("o", "e", 3, 3)),
        "expected (c, y, x) with (o, c, a, b) or (c, a, b), c the same",
    ),
    "steps over a name": (
        lambda: conv2d(image, Weight("o", "c", 3, 3), stride=2),
        "expected numbers, or what keeps the size",
    ),
    "a mask along heads": (
        lambda: softmax(einsum("g k s, g k t -> g s t", three, three), 0, mask=causal_mask()),
        "softmax: a mask along the axis heads",
    ),
    "no axis of that name": (
        lambda: softmax(h, "q"),
        "axis is 'q'; expected 0 (down a column) or 1 (along a row), or a",
    ),
    "a float": (lambda: h / cast(Any, 0.5), "/: the divisor is 0.5; expected an int or a Fraction"),
    "by zero": (lambda: h / 0, "divided by 0"),
    "no power": (lambda: h**-1, "the power is -1; expected an int from 1 to 100"),
    "too many": (lambda: Weight(*"abcdefgh"), "a value has 8 axes"),
    "no dimension": (lambda: Weight("d*", "k"), "a dimension is 'd*'; expected a name such as \"d\""),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals_name_the_axes(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_are_recognised_in_what_they_stand_for() -> None:
    w, each, numbers = Weight("o", "c", 3, 3), Weight("c", 3, 5), Input(3, 8, 9)
    assert text(conv2d(image, w)) == "conv2d(h, W1)"
    assert text(conv2d(tanh(image), each)) == "conv2d(tanh(h), W1)"
    assert text(conv2d(numbers, Weight(2, 3, 3, 3), stride=2, padding=1)) == "conv2d(h, W1, stride=2, padding=1)"
    assert text(eight[2:6]) == "h[2:6]"
    assert text(cut(numbers, 1, 0, 4)) == "h[:, 0:4]"
    assert text(eight[0:8:2]).startswith("einsum")
    other = einsum("o c a b, y p b, x q a, c y x -> o p q", *_image_operands())
    assert text(other).startswith("einsum")
