"""Certificates as comparisons, and infima by certificate."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from resproof.proofs.statement import Disagreement
from resproof.symbolic.certificates import Element, NotCertified, Orthant, substitute


def certified(check: Callable[..., None]) -> Callable[[Any, Any], None]:
    """`check` as a comparison: what it cannot certify is a disagreement."""

    def compare(found: Any, claim: Any) -> None:
        try:
            check(found, claim)
        except NotCertified as error:
            raise Disagreement(str(error)) from None

    return compare


class Infimum(NamedTuple):
    """The value that something tends to as p > 0 tends to zero, from above (`side` = 1) or from below (-1)."""

    value: Fraction
    side: int = 1


def infimum(o: Orthant, excess: Element, claim: Infimum) -> None:
    """Pass when the excess, a function of p, is above the claimed value for p > 0 and tends to it with p.

    Raises:
        NotCertified: it is not.
    """
    o.above_zero("the excess less the claim", claim.side * (excess - claim.value))
    o.identical("as p tends to 0", substitute(excess, {**o.values, "p": 0 * o["p"]}), claim.value)
