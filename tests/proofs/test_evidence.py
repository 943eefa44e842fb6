"""Each row of floating-point evidence says how small an error it would have caught."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from resproof.proofs.registry import find
from resproof.proofs.results import Result
from resproof.proofs.statement import Measurement
from resproof.pytest_plugin import RunOnce

SHALLOW = (
    *("DR-M3", "DR-M4", "DR-M6", "DR-L2", "DR-T2.2", "DR-T2.3", "DR-T2.3ab", "DR-T2.3x", "EX-3", "EX-4"),
    *("RS-E12", "RS-T1", "RS-R1", "RS-T2", "RS-R2", "RS-R3", "RS-DN2", "EX-7"),
    *("IM-1", "IM-2b", "IM-4", "GEN-3", "GEN-4"),
)
DEEP = ("RS-R5", "EX-11")
"""Statements whose evidence takes a second at most; of the latter all evidence is deep."""


@pytest.fixture(scope="module")
def observed(statement_result: RunOnce) -> Callable[[str], Result]:
    @cache
    def of(id_: str) -> Result:
        (one,) = find([id_])
        return statement_result(one, "deep" if id_ in DEEP else "evidence")

    return of


@pytest.mark.parametrize("id_", SHALLOW + DEEP)
def test_every_row_says_what_it_catches(id_: str, observed: Callable[[str], Result]) -> None:
    """Where the bound is zero, equality is asked for, and everything is caught."""
    found = observed(id_)
    assert [step.outcome for step in found.evidence] == ["passed"] * len(found.evidence)
    rows = [one for one in found.measurements if one.bound > 0]
    assert rows
    for one in rows:
        assert one.caught is not None, one.quantity
        assert one.caught >= 0, one.quantity


@pytest.mark.parametrize("id_", ["DR-T2.2", "DR-T2.3", "DR-T2.3ab"])
def test_a_product_through_a_thousand_units_catches_little(id_: str, observed: Callable[[str], Result]) -> None:
    rows = [one for one in observed(id_).measurements if one.quantity.startswith(r"$\lvert H v - \text{claim}\rvert$")]
    assert rows
    for one in rows:
        assert "R=1000," in one.sizes
        assert one.caught is not None
        assert one.caught < 1e-8


@pytest.mark.parametrize(
    ("id_", "least"), [("DR-M3", 1e-8), ("DR-M4", 1e-8), ("RS-R5", 1e-7), ("RS-DN2", 1e-10), ("IM-1", 1e-9)]
)
def test_comparisons_at_depth_catch_little(id_: str, least: float, observed: Callable[[str], Result]) -> None:
    """Of products and gradients through all layers; without what every term contains the bounds are far wider."""
    rows = [one for one in observed(id_).measurements if not one.at_most]
    assert rows
    assert all(one.caught is not None and one.caught < least for one in rows)


@pytest.mark.parametrize(("id_", "rows"), [("RS-R1", 4), ("RS-R2", 8), ("RS-R3", 4)])
def test_condition_numbers_in_the_order_of_the_theorems_catch_little(
    id_: str, rows: int, observed: Callable[[str], Result]
) -> None:
    """Orthogonal eigenvectors and whitened data leave no factor; L = 10, 100, 1000 and X = I at each scale."""
    found = [one for one in observed(id_).measurements if "V orthogonal" in one.sizes]
    assert len(found) == rows
    assert all(one.caught is not None and one.caught < 1e-12 for one in found)


@pytest.mark.parametrize(
    ("value", "bound", "scale", "at_most", "caught"),
    [
        (1e-15, 1e-12, 0.5, False, 2e-12),
        (1e-15, 1e-12, None, False, None),
        (0.0, 0.0, 4.0, False, 0.0),
        (0.5, 0.75, None, True, 0.5),
        (0.75, 0.75, None, True, 0.0),
        (0.0, 0.75, None, True, None),
    ],
)
def test_the_least_error_that_is_caught(
    value: float, bound: float, scale: float | None, at_most: bool, caught: float | None
) -> None:
    """Of a distance the bound over the size of what is compared, of a quantity what is left up to its bound."""
    one = Measurement("a quantity", value, bound, "d=2", None, "derived", scale=scale, at_most=at_most)
    assert one.caught == caught


def test_both_kinds_reject_an_error_of_that_size() -> None:
    """A relative error a little larger than the one stated is above the bound, a little smaller one is not."""
    for quantity in (0.5, 0.7):
        inequality = Measurement("a quantity", quantity, 0.75, "d=2", None, "derived", at_most=True)
        assert inequality.caught is not None
        assert quantity * (1 + 1.01 * inequality.caught) > 0.75 > quantity * (1 + 0.99 * inequality.caught)
    distance = Measurement("a distance", 0.0, 1e-3, "d=2", None, "derived", scale=20.0)
    assert distance.caught is not None
    assert 20.0 * 1.01 * distance.caught > 1e-3 > 20.0 * 0.99 * distance.caught
