"""A unit with one weight that starts elsewhere."""

from collections.abc import Callable

import pytest

from resproof.architectures import catalogue
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.architectures.values import identity_initial, normal, ones
from resproof.architectures.variations import starting_at, with_named_dimensions

BLOCKS: dict[str, Callable[[], Expression]] = {
    "2-shortcut": lambda: catalogue.n_shortcut(2),
    "transformer": catalogue.transformer,
    "tied": catalogue.tied,
    "causal attention": lambda: catalogue.attention(causal=True),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_only_the_one_weight_changes(name: str) -> None:
    unit = ResidualUnit(BLOCKS[name]())
    for changed in unit.names.values():
        other = starting_at(unit, changed, normal(1))
        assert list(other.names.values()) == list(unit.names.values())
        assert text(other.expression, other.names) == text(unit.expression, unit.names)
        starts = {known: weight.initial for weight, known in other.names.items()}
        before = {known: weight.initial for weight, known in unit.names.items()}
        assert starts == {**before, changed: normal(1)}


def test_an_unknown_weight() -> None:
    with pytest.raises(KeyError):
        _ = starting_at(ResidualUnit(catalogue.n_shortcut(2)), "W9", ones)


def test_an_identity_needs_a_square_weight() -> None:
    assert starting_at(ResidualUnit(catalogue.n_shortcut(2)), "W1", identity_initial).names


def test_numbers_become_names() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, width=4, inner_width=7))
    named = with_named_dimensions(unit)
    assert [weight.shape for weight in named.weights] == [("dim7", "dim4"), ("dim4", "dim7")]
    assert list(named.names.values()) == list(unit.names.values())
    assert text(named.expression, named.names) == text(unit.expression, unit.names)
    tied = with_named_dimensions(ResidualUnit(catalogue.tied()))
    assert len(tied.weights) == 1
    masked = with_named_dimensions(ResidualUnit(catalogue.attention(causal=True)))
    assert masked.mixes_columns
