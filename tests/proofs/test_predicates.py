"""Properties are asked of their own examples before they reject what was found."""

from __future__ import annotations

import pytest

from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import Disagreement


@property_of([1, 2], not_of=[[2, 1], [1, 1]])
def _ascends(found: list[int]) -> bool:
    return found[0] < found[1]


def test_a_property_matches_what_has_it() -> None:
    matches([3, 5], _ascends)
    with pytest.raises(Disagreement, match="which has not the property claimed"):
        matches([5, 3], _ascends)


def test_a_property_has_an_example() -> None:
    with pytest.raises(ValueError, match="holds of nothing"):
        property_of(not_of=[1])


def test_the_examples_of_a_property_are_not_lost() -> None:
    with pytest.raises(ValueError, match="property of a property"):
        property_of([1, 2])(_ascends)
