"""Generated units against the reference, the same ones every time; `make fuzz` runs many more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import resproof.architectures.activations
import resproof.architectures.algebra
import resproof.architectures.losses
import resproof.architectures.nodes
import resproof.architectures.values
from resproof.architectures.nodes import Softmax, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from tests.generated.__main__ import KERNELS, outcome_of
from tests.generated.blocks import Case, draw, source
from tests.generated.compare import reference
from tests.generated.shrink import shrunk

CASES, TOGETHER, FULL = 300, 10, 3


@pytest.mark.parametrize("first", range(0, CASES, TOGETHER))
def test_generated_units(first: int) -> None:
    """Every comparison; one case in three gets the whole check, some go through the compiled kernels."""
    for seed in range(first, first + TOGETHER):
        found = outcome_of(draw(seed), full=seed % FULL == 0, kernels=seed % (3 * KERNELS) == 0)
        failures = [f"{failure.check}: {failure.detail}" for failure in found.failures]
        failures += [reason for reason in found.skipped if reason.startswith("longer than")]
        if failures:
            again = f"python -m tests.generated --cases 1 --seed {seed}"
            pytest.fail("\n".join([*failures, f"# {again} makes it smaller", source(draw(seed))]), pytrace=False)


def test_half_of_the_units_are_the_identity_and_many_mix_columns() -> None:
    cases = [draw(seed) for seed in range(CASES)]
    assert sum(case.identity for case in cases) > 0.4 * CASES
    assert 0.3 * CASES < sum(case.unit.mixes_columns for case in cases) < 0.7 * CASES
    assert sum(case.units > 6 for case in cases) > 0.02 * CASES


def executed(lines: str) -> Case:
    """The case that a reproduction makes."""
    known: dict[str, Any] = {"Case": Case, "ResidualUnit": ResidualUnit, "replace": replace}
    for module in (
        resproof.architectures.activations,
        resproof.architectures.nodes,
        resproof.architectures.algebra,
        resproof.architectures.values,
        resproof.architectures.losses,
    ):
        known |= vars(module)
    exec(lines, known)
    return known["case"]


@pytest.mark.parametrize("seed", range(0, CASES, 7))
def test_a_reproduction_is_the_case(seed: int) -> None:
    case, again = draw(seed), executed(source(draw(seed)))
    assert text(again.unit.expression, again.unit.names) == text(case.unit.expression, case.unit.names)
    assert (again.sizes, again.units, again.samples) == (case.sizes, case.units, case.samples)
    found, expected = (reference(one, one.arrays(1)).outputs() for one in (again, case))
    np.testing.assert_array_equal(found, expected)


def test_what_fails_is_made_smaller() -> None:
    def fails(case: Case) -> bool:
        return any(isinstance(node, Softmax) for node in nodes(case.unit.expression))

    case = next(case for case in map(draw, range(CASES)) if fails(case) and len(case.unit.names) > 3)
    small = shrunk(case, fails)
    assert fails(small)
    assert len(nodes(small.unit.expression)) < len(nodes(case.unit.expression)) / 2
    assert small.units == 1
