"""The sizes of a step are those of what it compares, as its source has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from resproof.proofs.canaries import BORROWED, OWN, within_module
from resproof.proofs.provenance import require_own_sizes

PROOFS = Path(__file__).parents[2] / "proofs"


@pytest.mark.parametrize("source", OWN.values(), ids=OWN)
def test_sizes_of_what_a_value_is_made_of(source: str) -> None:
    require_own_sizes(within_module(source))


@pytest.mark.parametrize("source", BORROWED.values(), ids=BORROWED)
def test_sizes_of_something_else(source: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+: .* with the sizes .*; expected those of what it is made of"):
        require_own_sizes(within_module(source))


def test_no_statement_has_the_sizes_of_something_else() -> None:
    for path in PROOFS.rglob("*.py"):
        if path.name not in {"canaries.py", "known_verdicts.py"}:  # there statements about numbers have them
            require_own_sizes(path.read_text(encoding="utf-8"))
