"""Claims that are properties rather than values: what a printed conclusion says of every object it could mean."""

from __future__ import annotations

from typing import Any

from proofs.statement import Disagreement, equal, short


def matches(found: Any, claim: Any) -> None:
    """Pass when the claim, a value, equals what was found or, a predicate, holds of it.

    Raises:
        Disagreement: it does not.
    """
    if not callable(claim):
        equal(found, claim)
    elif not claim(found):
        raise Disagreement(f"computed {short(found)}, which has not the property claimed")
