"""Allowances for rounding on small whole numbers, where they are whole numbers of roundings, against those counted by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.scope import Scope

Counts = Mapping[str, float]
"""Allowances in units of roundoff or of the bound of a chain, and lengths of chains, by what they are allowed for."""
_DIGITS = 6
"""Behind the point; the squares of roundoff that a bound has in it begin later."""


def counted(compute: Callable[[], Counts], by_hand: Counts, at: str) -> Argument:
    """What is allowed is what is counted by hand, at these sizes."""
    claimed = _rounded(by_hand)

    def found(_: Context) -> Computed:
        return Computed(_rounded(compute()), Scope.of(at))

    def apart(found: Counts, claim: Counts) -> Measurement:
        if found.keys() != claim.keys():
            raise Disagreement("not the same is allowed for as is counted by hand")
        return Measurement(
            "differences from what is counted by hand, summed",
            sum(abs(value - claim[name]) for name, value in found.items()),
            0.0,
            at,
            None,
            "exact arithmetic: floats hold these numbers",
            scale=min(claimed.values()),
        )

    return Argument(
        "What is allowed for rounding, counted by hand",
        "floating point",
        found,
        claimed,
        {"a rounding less": {name: value - 1 for name, value in claimed.items()}},
        apart,
        explanation="On small whole numbers it is a whole number of roundings, but for logarithms.",
    )


def _rounded(counts: Counts) -> Counts:
    return {name: round(value, _DIGITS) for name, value in counts.items()}
