from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import causal_mask, identity, layer_norm, rms_norm, shift, softmax
from resproof.architectures.catalogue import attention, n_shortcut, transformer
from resproof.architectures.dimensions import Shape
from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    describe,
    nodes,
    operands,
    read,
)
from resproof.architectures.properties import dimension_names
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text, weight_names

h, w, b, a = Input("d"), Weight("k", "d"), Weight("k", name="b"), Weight(1, 1, name="a")

SHAPES: dict[str, tuple[Expression, type, Shape]] = {
    "product": (w @ h, Einsum, ("k", "t")),
    "sum": (h + h, Add, ("d", "t")),
    "difference": (h - h, Add, ("d", "t")),
    "negative": (-h, Multiply, ("d", "t")),
    "elementwise": (h * h, Multiply, ("d", "t")),
    "number on the left": (2 * h, Multiply, ("d", "t")),
    "number on the right": (h * 2, Multiply, ("d", "t")),
    "1 + h": (1 + h, Add, ("d", "t")),
    "1 - h": (Fraction(1, 2) - h, Add, ("d", "t")),
    "h - 1": (h - 1, Add, ("d", "t")),
    "column to the columns": (w @ h + b, Add, ("k", "t")),
    "columns to the column": (b + w @ h, Add, ("k", "t")),
    "row times column": (b * b.T, Multiply, ("k", "k")),
    "scalar gate": (a * h, Multiply, ("d", "t")),
    "transpose": ((w @ h).T, Einsum, ("t", "k")),
    "activation": (tanh(w @ h), Apply, ("k", "t")),
    "softmax": (softmax(h.T @ h, axis=0), Softmax, ("t", "t")),
    "norm": (rms_norm(h), Normalize, ("d", "t")),
    "mask": (causal_mask(), Constant, ("t", "t")),
    "numbered dimensions": (Weight(3, 4) @ Input(4, 5), Einsum, (3, 5)),
}


@pytest.mark.parametrize(("node", "kind", "shape"), SHAPES.values(), ids=SHAPES)
def test_kind_and_shape(node: Expression, kind: type, shape: Shape) -> None:
    assert type(node) is kind
    assert node.shape == shape


def test_a_difference_is_a_sum_with_minus_one() -> None:
    difference = h - 2
    assert isinstance(difference.right, Multiply)
    minus, two = operands(difference.right)
    assert isinstance(minus, Constant)
    assert isinstance(two, Constant)
    assert (minus.value, two.value) == (-1, 2)


def test_nodes_are_compared_by_identity() -> None:
    one, other = Weight("d", "d"), Weight("d", "d")
    assert one == one
    assert one != other
    assert len({one, other}) == 2
    assert ResidualUnit(h + one @ one.T @ h).weights == (one,)
    assert len(ResidualUnit(h + other @ one @ h).weights) == 2


def test_nodes_are_immutable() -> None:
    with pytest.raises(AttributeError):
        h.shape = ("k", "t")  # pyright: ignore[reportAttributeAccessIssue]


def test_a_shared_node_is_read_once() -> None:
    inner, seen = tanh(w @ h), list[Expression]()

    def count(node: Expression, recurse: Callable[[Expression], int]) -> int:
        seen.append(node)
        return 1 + sum(recurse(operand) for operand in operands(node))

    doubled = inner + inner
    assert read(doubled, count) == 1 + 2 * 4
    assert seen.count(inner) == 1
    assert len(nodes(doubled)) == 5


def test_operands_come_before_what_is_made_from_them() -> None:
    found = nodes(transformer())
    place = {node: number for number, node in enumerate(found)}
    assert all(place[operand] < place[node] for node in found for operand in operands(node))


def test_deep_expressions_need_no_deep_recursion() -> None:
    h = Input("d")
    path = h
    for _ in range(3000):
        path = tanh(Weight("d", "d") @ path)
    deep = h + path
    assert len(ResidualUnit(deep).weights) == 3000
    assert text(deep).count("tanh") == 3000


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        (n_shortcut(3), "W1 W2 W3"),
        (attention(), "Q K V O"),
        (attention(causal=True), "Q K V O"),
        (transformer(), "Q K V O W1 W2"),
    ],
)
def test_parameter_order_takes_the_right_operand_of_a_product_first(expression: Expression, names: str) -> None:
    assert list(weight_names(expression).values()) == names.split()


def test_first_visit_decides() -> None:
    w1, w2 = Weight("d", "d"), Weight("d", "d")
    assert ResidualUnit(h + w2 @ tanh(w1 @ h)).weights == (w1, w2)
    assert ResidualUnit(w2 @ h + w1 @ h).weights == (w2, w1)
    assert ResidualUnit((w2 @ h) * (w1 @ h)).weights == (w2, w1)


def test_dimension_names_in_the_order_of_appearance() -> None:
    assert dimension_names(n_shortcut(2, inner_width="k")) == ("d", "t", "k")
    assert dimension_names(Weight(3, 4) @ Input(4, 5)) == ()


def test_constants() -> None:
    assert identity("d").shape == ("d", "d")
    assert shift(-1).value == "shift -1"
    assert layer_norm(h, epsilon=Fraction(1, 10**5)).epsilon == Fraction(1, 100000)


def test_describe_is_one_line() -> None:
    assert describe(w @ h) == "W1 @ h of shape (k, t)"
    assert describe(None) == "None"
    shown = describe(np.ones((40, 40)))
    assert "\n" not in shown
    assert len(shown) <= 60


def test_numpy_leaves_nodes_alone() -> None:
    with pytest.raises(TypeError):
        np.eye(2) @ h  # pyright: ignore[reportUnusedExpression, reportOperatorIssue]


def test_expressions_travel_to_other_processes() -> None:
    again = pickle.loads(pickle.dumps(w @ h + b))
    assert text(again) == text(w @ h + b)
    assert again.shape == ("k", "t")
