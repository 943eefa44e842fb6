"""Units whose branches carry a scale s = c R^-a: the powers of s in D and A, and what follows for every depth (GEN-9).

D = s B + s^2 C and A = s^2 A_1, the last two also of a pattern of several units as one, whose own pairs are in C: two first
derivatives of branches bring s^2, the second derivative of one brings s. The bounds of GEN-9 are those of these powers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from resproof.architectures.forms.terms import Factor, InitialWeight, Perturbation, Scalars
from resproof.architectures.losses import Loss, generic_loss
from resproof.architectures.nodes import Constant
from resproof.architectures.rebuild import rebuilt
from resproof.architectures.scales import Scale, scale_in
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.block.general import General, Inapplicable, about, written_out
from resproof.proofs.statement import Argument, Computed, Disagreement
from resproof.proofs.theory.regimes import loss_orders
from resproof.proofs.theory.scaled_branches import SCALED_BRANCHES
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.series import Monomial, Sum, add, collect
from resproof.symbolic.index.sizes import of_unit

Parts: TypeAlias = Mapping[str, Mapping[int, Sum]]
"""The terms of B, C and A by the power of s that they have, without it."""
_POWERS = {"B": 1, "C": 2, "A": 2}


@dataclass(frozen=True, slots=True)
class ScaleLaw:
    """What is proved of the Hessian with branches scaled by s = c R^-a, for every depth R.

    `powers` are those of s in the parts that are not zero: B and C, of which D = s B + s^2 C, and A.
    """

    scale: str
    value: float
    power: str
    powers: Mapping[str, int]
    largest: str
    condition_number: str


def law_of(unit: ResidualUnit, loss: Loss, scale: Scale, units: int) -> ScaleLaw:
    """The bounds of GEN-9 at this scale, `value` that of s at a depth of `units`."""
    diagonal, cross = (_by_power(form, _name(unit)) for form in _blocks(unit, loss))
    found = {"B": 1 in diagonal, "C": 2 in diagonal, "A": bool(cross)}
    powers = {name: power for name, power in _POWERS.items() if found[name]}
    largest, condition = _bounds(powers, scale.power)
    return ScaleLaw(str(scale), float(scale.at(units)), str(scale.power), powers, largest, condition)


def _bounds(powers: Mapping[str, int], a: Fraction) -> tuple[str, str]:
    """How the greatest modulus of an eigenvalue depends on depth, and the condition number."""
    import sympy  # for blocks with a scale alone, for it takes as long to import as most of them take to check

    from resproof.proofs.theory import growth

    if not powers:
        return "is zero", "does not exist"
    if "A" not in powers:
        several = len(set(powers.values())) > 1
        own = "that of D = s B + s^2 C" if several else f"{_times(max(powers.values()), a)} that at s = 1"
        return f"is {own}", "is that of D = s B + s^2 C" if several else "is the same at every depth"
    corner, at = (powers["A"], 1), sympy.Rational(a)
    below = [(power, 0) for power in powers.values()]
    greatest, condition = growth.of_sum([corner]), growth.of_quotient(corner, below)
    largest = "tends to zero"
    if at in greatest.stays:
        largest = "stays between positive constants"
    elif at in greatest.grows:
        largest = f"grows at least like {power_of_depth(1 - powers['A'] * a)}"
    if at in condition.grows:
        return largest, f"grows at least like {power_of_depth(1 - (powers['A'] - min(powers.values())) * a)}"
    if at in condition.stays:
        return largest, "is bounded where c (|C| + |A|) is less than the least singular value of B"
    return largest, "tends to that of B where B is not singular"


def power_of_depth(power: Fraction) -> str:
    """R to a power, in words."""
    return "R" if power == 1 else f"R^({power})" if power.denominator > 1 or power < 0 else f"R^{power}"


def _times(power: int, a: Fraction) -> str:
    return f"{power_of_depth(-power * a)} times" if power and a else "equal to"


def about_scale(unit: ResidualUnit, name: str, *, several: bool) -> General:
    """GEN-9 of this unit: which power of s each part of D and A has, and that s = 1 gives the unit without it.

    `several`: it is a pattern of units in a row.
    """
    powers = {part: power for part, power in _POWERS.items() if _parts(unit, several)[part]}
    if not powers:
        return Inapplicable(SCALED_BRANCHES.id, name, "D and A vanish, whatever the scale")
    argument = Argument(
        "The powers of the scale in D and A, and both at s = 1",
        "index notation",
        lambda _: Computed((_parts(unit, several), _blocks(_without(unit), generic_loss)), of_unit(unit)),
        powers,
        {f"{part} has s^{3 - power}": {**powers, part: 3 - power} for part, power in powers.items()},
        _same_powers,
        explanation="B is the part of D with a branch's own second derivative, C the rest.",
    )
    return about(SCALED_BRANCHES, name, unit, (argument, *written_out(unit)))


def _same_powers(found: tuple[Parts, Sequence[Sum]], claim: Mapping[str, int]) -> None:
    """Pass when every part has the claimed power of s alone, and their sums are the blocks without a scale.

    Raises:
        Disagreement: it is otherwise.
    """
    parts, (diagonal, cross) = found
    for part, by_power in parts.items():
        if set(by_power) - {claim.get(part)}:
            raise Disagreement(f"{part} has s to the powers {sorted(by_power)}")
    whole = [one for part in ("B", "C") for one in parts[part].values()]
    if add(*whole) != diagonal or add(*parts["A"].values()) != cross:
        raise Disagreement("at s = 1 the blocks are others than without a scale")


def _parts(unit: ResidualUnit, several: bool) -> Parts:
    """For any loss: terms of one branch's own second derivative, all others of D, and A."""
    diagonal, cross = _blocks(unit, generic_loss)
    own = {one: c for one, c in diagonal.items() if 2 not in loss_orders({one: c}) and len(_places(one, several)) == 1}
    rest = {one: c for one, c in diagonal.items() if one not in own}
    return {part: _by_power(form, _name(unit)) for part, form in (("B", own), ("C", rest), ("A", cross))}


def _name(unit: ResidualUnit) -> str:
    """What the scale is called."""
    s = scale_in(unit)
    assert s is not None
    return str(s.name)


def _places(monomial: Monomial, several: bool) -> set[str]:
    """The places of the units whose weights are changed, each by its letter in a pattern of several."""
    return {t.weight[-1] if several else "" for t, _ in monomial[1] if isinstance(t, Perturbation)}


def _by_power(form: Sum, s: str) -> dict[int, Sum]:
    """The terms without the scale of this name, by the power of it that they have."""
    found: dict[int, list[tuple[Fraction, Scalars, tuple[Factor, ...]]]] = {}
    for (scalars, factors), coefficient in form.items():
        others = tuple((t, slots) for t, slots in factors if not (isinstance(t, InitialWeight) and t.weight == s))
        found.setdefault(len(factors) - len(others), []).append((coefficient, scalars, others))
    return {power: collect(terms) for power, terms in found.items()}


def _blocks(unit: ResidualUnit, loss: Loss) -> tuple[Sum, Sum]:
    forms = expansion(unit, loss).forms
    return forms[1, 1], forms[1, 2]


def _without(unit: ResidualUnit) -> ResidualUnit:
    """The unit at s = 1."""
    s = scale_in(unit)
    kept = {w: name for w, name in unit.every_name.items() if w is not s}
    return ResidualUnit(
        rebuilt(unit.expression, lambda leaf: Constant(1) if leaf is s else leaf), kept, tokens=unit.tokens
    )
