"""The scale of a network's branches: what is read as one, and where it stands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.scales import Scale, at_depth, scale_in, scale_of
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("given", "found", "shown", "at_four"),
    [
        (1, Scale(Fraction(1)), "1", 1),
        (Fraction(1, 2), Scale(HALF), "1/2", HALF),
        ("1/2", Scale(HALF), "1/2", HALF),
        ("1/R", Scale(Fraction(1), Fraction(1)), "1/R", Fraction(1, 4)),
        ("1 / sqrt(R)", Scale(Fraction(1), HALF), "1/sqrt(R)", 0.5),
        ("2/R^(1/4)", Scale(Fraction(2), Fraction(1, 4)), "2/R^(1/4)", 2 / 4**0.25),
        ("1/2/R^2", Scale(HALF, Fraction(2)), "1/2/R^(2)", Fraction(1, 32)),
    ],
)
def test_what_is_read(given: object, found: Scale, shown: str, at_four: float) -> None:
    assert scale_of(given) == found
    assert scale_of(shown) == found
    assert (str(found), found.at(4)) == (shown, pytest.approx(at_four, rel=1e-15))


@pytest.mark.parametrize("given", [0, -1, 0.5, True, "R", "1/r", "0/R", "-1/R", "1/R^", "1/sqrt(d)", "", [1]])
def test_what_is_no_scale_is_refused_in_one_line(given: object) -> None:
    with pytest.raises(ArchitectureError, match=r"network: scale is .*; expected a positive int or Fraction") as caught:
        _ = scale_of(given)
    assert "\n" not in str(caught.value)


def _block(bare: bool) -> ResidualUnit:
    h, w = Input("d"), Weight("d", "d", name="W")
    inner = h + w @ tanh(h)
    return ResidualUnit(inner if bare else inner + tanh(w @ inner))


def test_one_scale_stands_before_every_branch() -> None:
    stack = Stack(units=[_block(True), _block(False)] * 3, scale="1/sqrt(R)")
    one, other = stack.pattern
    assert text(one.expression, one.every_name) == "h + s * (W @ tanh(h))"
    assert text(other.expression, other.every_name).startswith("h + s * (h + W @ tanh(h) + ")
    s = scale_in(one)
    assert s is scale_in(other)
    assert s is not None
    assert not s.trainable
    assert one.names.keys() == set(one.weights)
    assert list(one.names.values()) == ["W"]


def test_a_scale_stays_a_symbol_where_it_is_one_and_moves_with_depth() -> None:
    (unit,) = Stack(units=_block(True), scale="1/R").pattern
    assert text(unit.expression, unit.every_name) == "h + s * (W @ tanh(h))"
    scale = scale_of("1/R")
    assert at_depth(unit, scale, 1) is unit
    moved = at_depth(unit, scale, 8)
    s = scale_in(moved)
    assert s is not None
    assert s.initial.entries == (0.125,)  # type: ignore[union-attr]
    assert list(moved.names) == list(unit.names)


def test_its_name_is_free() -> None:
    h, w = Input("d"), Weight("d", "d", name="s")
    (unit,) = Stack(units=h + w @ h, scale="1/R").pattern
    assert list(unit.every_name.values()) == ["s", "s_2"]
