"""Every file of examples/ is a paper whose statements go through."""

from pathlib import Path

import pytest

from proofs.own import statements_of
from proofs.verdict import run

FILES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_its_statements_are_proved_for_all_sizes(path: Path) -> None:
    found = [run(one) for one in statements_of(path)]
    assert len(found) >= 3
    assert {(one.verdict, one.all_sizes) for one in found} == {("PROVED", True)}, [one.reason for one in found]
