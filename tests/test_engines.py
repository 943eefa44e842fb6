"""Everything the program says of drawn units against the reference: `make fuzz` draws many more."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, seed, settings

from tests.engines import COMPARISONS, Trial, all_arrays, failures_of
from tests.numeric.cuda_on_cpu import COMPILER, Emulator
from tests.strategies import Case, at_random, cases

PARTS = 2
EXAMPLES = int(os.environ.get("FUZZ_CASES", "3600")) // (PARTS * len(COMPARISONS))
"""Units drawn for each comparison and part."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", COMPARISONS)
def test_every_engine_agrees_with_the_reference(name: str, part: int) -> None:
    @seed(part)
    @settings(max_examples=EXAMPLES)
    @given(case=cases())
    def agrees(case: Case) -> None:
        assert failures_of(case, name) == []

    agrees()


def test_half_of_the_units_are_the_identity_and_many_mix_columns() -> None:
    drawn = [at_random(Random(number), number) for number in range(300)]
    assert sum(case.identity for case in drawn) > 0.4 * len(drawn)
    assert 0.3 < sum(case.unit.mixes_columns for case in drawn) / len(drawn) < 0.7
    assert sum(case.units > 6 for case in drawn) > 0.02 * len(drawn)


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_kernels_of_a_gpu(tmp_path: Path) -> None:
    emulator = Emulator(tmp_path)

    @settings(max_examples=5)
    @given(case=cases())
    def agrees(case: Case) -> None:
        trial = Trial(case)
        all_arrays(trial, emulator)
        assert trial.failures == []

    agrees()
