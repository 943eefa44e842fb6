"""Certificates as comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.statement import Disagreement
from symbolic.certificates import NotCertified


def certified(check: Callable[..., None]) -> Callable[[Any, Any], None]:
    """`check` as a comparison: what it cannot certify is a disagreement."""

    def compare(found: Any, claim: Any) -> None:
        try:
            check(found, claim)
        except NotCertified as error:
            raise Disagreement(str(error)) from None

    return compare
