"""Weights that may be exchanged: with their values in each other's place the output stays; others are told apart."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import attention, resnext, transformer
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.symmetry import alike
from resproof.architectures.values import normal, ones
from resproof.numeric.network.adjoint import outputs

SIZES = {"d": 3, "k": 2, "f": 4}


def named(expression: Expression) -> dict[str, str]:
    """The names of the weights, each with that of the one which stands for it."""
    unit = ResidualUnit(expression)
    return {unit.names[w]: unit.names[other] for w, other in alike(unit.expression).items()}


h = Input("d")
A, B, C, D = (Weight("d", "d", name=name) for name in "ABCD")
SHIFTED = Weight("d", "d", initial=normal(1), name="E")
STARTED = Weight("d", "d", initial=ones, name="F")

TABLE: dict[str, tuple[Expression, list[str]]] = {
    "two products": (h + A @ (B @ h) + C @ (D @ h), ["AC", "BD"]),
    "the order of a sum": (C @ (D @ h) + (h + A @ (B @ h)), ["AC", "BD"]),
    "a factor that both use": (h + A @ (B @ h) + C @ (B @ h), ["AC", "B"]),
    "one of them twice": (h + A @ (B @ h) + C @ (D @ h) + tanh(C @ h), ["A", "B", "C", "D"]),
    "another operand": (h + A @ (B @ h) + C @ (D @ tanh(h)), ["A", "B", "C", "D"]),
    "an activation": (h + A @ tanh(B @ h) + C @ (D @ h), ["A", "B", "C", "D"]),
    "another start": (h + A @ (STARTED @ h) + C @ (SHIFTED @ h), ["A", "C", "E", "F"]),
    "within a product": (h + A @ tanh(B @ h + C @ h), ["A", "BC"]),
    "sums within a sum": (h + tanh(A @ h + B @ h) + tanh(C @ h + D @ h), ["ABCD"]),
    "weights that are used twice": ((h + A @ h + B @ h) * tanh(h + A @ h + B @ h), ["A", "B"]),
}


@pytest.mark.parametrize("case", TABLE.values(), ids=TABLE)
def test_which_weights_may_be_exchanged(case: tuple[Expression, list[str]]) -> None:
    expression, expected = case
    classes: dict[str, str] = {}
    for name, first in sorted(named(expression).items()):
        classes[first] = classes.get(first, "") + name
    assert sorted(classes.values()) == expected


def test_heads_stand_for_each_other_and_layers_do_not() -> None:
    found = named(transformer(heads=3))
    assert {found[f"{role}{i}"] for role in "QKVO" for i in (1, 2, 3)} == {f"{role}1" for role in "QKVO"}
    assert (found["W1"], found["W2"]) == ("W1", "W2")


@pytest.mark.parametrize("expression", [attention(heads=3), transformer(tanh, heads=2), resnext(3)])
def test_two_summands_exchange_their_weights_and_the_output_stays(expression: Expression) -> None:
    """Every weight of one class but the same place among the others of its summand: all roles move at once."""
    unit = ResidualUnit(expression)
    generator = np.random.default_rng(0)
    shapes = {name: tuple(SIZES.get(str(n), n) for n in w.shape) for w, name in unit.names.items()}
    values: dict[str, Any] = {name: generator.standard_normal((1, *map(int, s))) for name, s in shapes.items()}
    x = generator.standard_normal((2, 3, 4) if unit.mixes_columns else (3, 4))
    classes: dict[str, list[str]] = {}
    for name, first in named(expression).items():
        classes.setdefault(first, []).append(name)
    several = [names for names in classes.values() if len(names) > 1]
    assert several
    before = outputs(Network(unit, 1), values, x)
    for i, j in combinations(range(len(several[0])), 2):
        moved = {**values}
        for names in several:
            moved[names[i]], moved[names[j]] = values[names[j]], values[names[i]]
        assert np.allclose(outputs(Network(unit, 1), moved, x), before, rtol=1e-13, atol=1e-13)
