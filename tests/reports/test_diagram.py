"""Diagrams of units: boxes and arrows of small ones, and every weight of those of the catalogue."""

import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.entries import CATALOGUE
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import weight_names
from resproof.reporting.diagram import diagram
from resproof.reporting.site.flowchart import flowchart

h = Input("d")
W1, W2, b = Weight("k", "d", name="W1"), Weight("d", "k", name="W2"), Weight("k", name="b")
A, B = Weight("d", "d", name="A"), Weight("d", "d", name="B")


def drawn(expression: Expression) -> tuple[list[str], set[tuple[str, str]]]:
    """The lines of the boxes, and the arrows between them by the first lines."""
    chart = flowchart(diagram(ResidualUnit(expression)).removeprefix("```mermaid\n").removesuffix("\n```"))
    first = {key: " ".join(box.lines) for key, box in chart.boxes.items()}
    return sorted(first.values()), {(first[a], first[b]) for a, b in chart.arrows}


@pytest.mark.parametrize(
    ("expression", "arrows"),
    [
        (h + W2 @ tanh(W1 @ h + b), {("h", "+"), ("h", "W1 + b tanh W2"), ("W1 + b tanh W2", "+")}),
        (h + A @ h + B @ h, {("h", "+"), ("h", "A"), ("h", "B"), ("A", "+"), ("B", "+")}),
        (h + (A @ h) * tanh(B @ h), {("h", "+"), ("h", "A"), ("h", "B tanh"), ("A", "*"), ("B tanh", "*"), ("*", "+")}),
        (h + A @ layer_norm(h), {("h", "+"), ("h", "layer_norm A"), ("layer_norm A", "+")}),
        (
            h + (A @ h) @ softmax(h.T @ h, axis=0),
            {("h", "+"), ("h", "A"), ("h", "@ softmax"), ("A", "@"), ("@ softmax", "@"), ("@", "+")},
        ),
    ],
    ids=["chain", "two branches", "gate", "norm", "attention"],
)
def test_boxes_and_arrows(expression: Expression, arrows: set[tuple[str, str]]) -> None:
    boxes, found = drawn(expression)
    assert found == arrows
    assert boxes == sorted({one for arrow in arrows for one in arrow})


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_weight_of_a_known_block_is_in_its_diagram(name: str) -> None:
    expression = CATALOGUE[name].build()
    boxes, arrows = drawn(expression)
    words = {word.strip("()") for box in boxes for word in box.split()}
    assert words >= {*weight_names(expression).values()}
    assert {end for _, end in arrows} == {box for box in boxes if box != "h"}


def test_what_is_too_large_is_not_drawn() -> None:
    assert diagram(ResidualUnit(h + sum((Weight("d", "d") @ h for _ in range(40)), start=A @ h))) == ""
