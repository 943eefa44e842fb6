"""What `check` says of a block, in one sentence made of what was computed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from resproof.proofs.block.general import order_in_words
from resproof.proofs.theory.regimes import Regime, regime_of

if TYPE_CHECKING:
    from resproof.proofs.block.check import Check
    from resproof.proofs.block.shared import SharedLaw

_START: dict[Regime, str] = {
    "grows with depth": "the Hessian where training starts grows with depth",
    "depth-invariant": "the Hessian where training starts has the same spectrum at every depth",
    "flat": "the Hessian where training starts is zero at every depth",
}
_HERE: dict[Regime, str] = {
    "grows with depth": "it grows with depth",
    "depth-invariant": "it has the same spectrum at every depth, for A = 0",
    "flat": "it is zero at every depth",
}


def sentence(found: Check) -> str:
    """The verdict: what holds in general, what at these sizes and on these data, what could not be confirmed."""
    parts = [f"in general {_general(found)}" if _differs(found) else _general(found), *_here(found), _point(found)]
    if found.unconfirmed:
        parts.append(f"not confirmed: {found.unconfirmed[0]}")
    return f"{found.name}: {'; '.join(parts)}."


def _general(found: Check) -> str:
    if found.regime is None or (found.shared is not None and found.shared.joined is None):
        return "how the Hessian where training starts depends on depth could not be established"
    expected = regime_of(found.order)
    if found.shared is not None:
        return _of_shared(found, found.shared)
    if found.moves and found.scale is not None and found.regime != "flat":
        law, order = found.scale, order_in_words(found.order)
        return (
            f"with branches scaled by {law.scale} the greatest modulus of an eigenvalue of the Hessian where training starts "
            f"{law.largest}, and the condition number {law.condition_number}, because its branch is of {order} in the weights"
        )
    if found.regime == expected:
        return f"{_START[found.regime]}, because its branch is of {order_in_words(found.order)} in the weights"
    which = "D and A vanish" if found.regime == "flat" else "A vanishes"
    return f"{_START[found.regime]}: its branch is of {order_in_words(found.order)} in the weights, but {which} for this loss"


def _of_shared(found: Check, law: SharedLaw) -> str:
    order = order_in_words(found.order)
    return (
        "in the weights that all units share the greatest modulus of an eigenvalue of the Hessian where training starts "
        f"{law.greatest}, and the condition number {law.condition_number}, because its branch is of {order} in the weights"
    )


def _differs(found: Check) -> bool:
    """Whether another regime holds at these sizes or on these data than in general."""
    here = {found.regime_at_sizes, found.regime_on_data} - {None}
    return found.shared is None and found.regime is not None and not here <= {found.regime}


def _here(found: Check) -> list[str]:
    """What is different at these sizes or on these data, and from which depth on growth shows."""
    parts: list[str] = []
    if found.shared is not None:
        return parts
    if found.regime_at_sizes is not None and found.regime_at_sizes != found.regime:
        sizes = ", ".join(f"{name} = {n}" for name, n in found.sizes.items() if name in found.unit.dimensions)
        parts.append(f"at {sizes} {_of(found, found.regime_at_sizes)}")
    if found.regime_on_data is not None and found.regime_on_data != found.regime_at_sizes:
        parts.append(f"on these data {_of(found, found.regime_on_data)}")
    grows = found.regime_on_data == "grows with depth" and not found.moves
    if grows and found.growth is not None and found.growth.onset > 4:
        parts.append(f"the growth shows from R = {found.growth.onset} on at the latest")
    return parts


def _of(found: Check, regime: Regime) -> str:
    """What is different; under a scale that depends on depth only which of D and A are zero."""
    return (
        {"grows with depth": "A is not zero", "depth-invariant": "A = 0", "flat": "D = A = 0"}[regime]
        if found.moves
        else _HERE[regime]
    )


def _point(found: Check) -> str:
    one = found.spectrum
    assert one is not None
    kind = "a strict saddle" if one.strict_saddle else "stationary" if one.stationary_order != 0 else "not stationary"
    shown = f"{kind} (stationary order {one.stationary_order}){_condition(found)}"
    border = found.setting.border
    if border is None:
        return f"the initial point is {shown}"
    ends = ", ".join(border.names)
    still = "it is not stationary" if border.moves else "its gradient has norm"
    norm = f" (gradient of norm {border.gradient:.3g})" if border.moves else f" {border.gradient:.3g}"
    return f"in the units' weights the initial point is {shown}; in {ends}, trained as well, {still}{norm}"


def _condition(found: Check) -> str:
    one = found.spectrum
    assert one is not None
    if one.pseudo_condition_number is None:
        return ""
    where = "at every depth" if found.regime_on_data == "depth-invariant" else f"at R = {one.units}"
    beside = f"{one.pseudo_condition_number:.4g} beside"
    if one.zero_numerical:
        rest = f"{one.zero_numerical} eigenvalues below rounding"
        null = " its null directions and" if one.zero_exact else ""
        first = "an infinite condition number" if one.zero_exact else "a condition number that is not resolved"
        return f", with {first} and {beside}{null} {rest}, {where}"
    if one.condition_number == math.inf:
        return f", with an infinite condition number and {beside} its null directions, {where}"
    return f", with condition number {one.pseudo_condition_number:.4g} {where}"
