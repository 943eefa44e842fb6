"""Where all units have one set of weights: L(w, ..., w) as a function of w.

By the chain rule its Hessian is the sum of all blocks of that in separate weights, so by GEN-1

    H = R D + R (R - 1)/2 (A + A^T)

at the initial point: R D from order two on, R times that of one unit, with the condition number that it has at every
depth. At order one 2 H / (R (R - 1)) tends to A + A^T, so that where this is not zero the greatest modulus of an
eigenvalue grows like R^2, and where it is regular the condition number tends to its own. The sum is taken of the forms
in index notation, and cut into cores as that of one unit is (GEN-12).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.scales import Scale
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import NO_SIZES
from resproof.proofs.block.general import every_size, written_out
from resproof.proofs.block.scales import ScaleLaw, power_of_depth
from resproof.proofs.block.spectrum import SharedForm, Spectrum, decomposed, spectrum
from resproof.proofs.block.witness import has_witness
from resproof.proofs.statement import Argument, Computed, Disagreement, Induction, Statement
from resproof.proofs.theory.shared_weights import SHARED, STEP, pairs_of_units, repeated, sum_of_blocks
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import perturbations
from resproof.symbolic.index.series import Sum, add, collect, freeze
from resproof.symbolic.index.sizes import of_unit
from resproof.symbolic.index.structure import by_pairs, cut
from resproof.symbolic.scope import Scope

_DEPTHS = (1, 2)


@dataclass(frozen=True, slots=True)
class SharedLaw:
    """What the Hessian in shared weights does with depth (GEN-12); `joined`: whether A + A^T is not zero.

    `same`: it is the same at every depth. None of `joined` where terms vanish by no relation that is known.
    """

    joined: bool | None
    greatest: str
    condition_number: str
    same: bool


def law_of_shared(unit: ResidualUnit, loss: Loss, scale: Scale | None, law: ScaleLaw | None) -> SharedLaw:
    """How it depends on depth, at a scale of the branches whose powers `law` has."""
    both = sum_of_blocks(unit, 0, 1, loss)
    joined = has_witness(freeze(both, {}), unit, loss)
    if both and not joined:
        return SharedLaw(None, "", "", same=False)
    if law is not None:
        own = {part: power for part, power in law.powers.items() if part != "A"}
    else:
        own = {"D": 0} if expansion(unit, loss).forms[1, 1] else {}
    return _law(own, joined, scale.power if scale is not None else Fraction(0))


def _law(own: Mapping[str, int], joined: bool, a: Fraction) -> SharedLaw:
    """Of R s^i for the parts of D, by their i, and R^2 s^2 for A + A^T, s = R^-a."""
    exponents = {part: 1 - power * a for part, power in own.items()}
    if joined:
        exponents["A"] = 2 - 2 * a
    if not exponents:
        return SharedLaw(joined, "is zero", "does not exist", same=True)
    top = max(exponents.values())
    if len(exponents) == 1 and not joined:
        greatest = f"is {power_of_depth(top)} times that of one unit" if top else "is the same at every depth"
        return SharedLaw(joined, greatest, "is the same at every depth", same=not top)
    leading = [part for part, exponent in exponents.items() if exponent == top]
    names = {"A": "(A + A^T)/2" if top == 0 or len(leading) > 1 else "A + A^T"}
    limit = " + ".join(names.get(part, part) for part in leading)
    greatest = (
        "tends to zero" if top < 0 else f"grows like {power_of_depth(top)}" if top else f"tends to that of {limit}"
    )
    return SharedLaw(joined, greatest, f"tends to that of {limit} where this is regular", same=False)


# What is offered for a unit.


def about_shared(unit: ResidualUnit, name: str) -> Statement:
    """GEN-12 of this unit: one and two units with the same weights, as one, against D and A of separate weights."""
    argument = Argument(
        "One and two units with the same weights, written as one",
        "index notation",
        lambda _: Computed(_recurrent(unit), of_unit(unit) & Scope.over(R=_DEPTHS)),
        _claimed(unit),
        _falsehoods(unit),
        _same_forms,
    )
    offered = (Induction("R", argument, STEP), *written_out(repeated(unit, 2)))
    return replace(SHARED, subject=name, for_all=every_size(unit), arguments=offered)


def _recurrent(unit: ResidualUnit) -> dict[int, Sum]:
    return {units: expansion(repeated(unit, units)).forms[1, 1] for units in _DEPTHS}


def _claimed(unit: ResidualUnit) -> dict[int, Sum]:
    return {units: sum_of_blocks(unit, units, pairs_of_units(units)) for units in _DEPTHS}


def _falsehoods(unit: ResidualUnit) -> dict[str, dict[int, Sum]]:
    """What is false of this unit: what would be true of it is left out."""
    claim = _claimed(unit)
    moved = next(iter(perturbations(unit).values()))
    square = (moved, tuple(range(len(moved.dims))))
    squares = collect([(Fraction(1), (), (square, square))])
    found = {
        r"$\lvert w\rvert^2$ more": {units: add(form, squares) for units, form in claim.items()},
        "$R D$ alone": {units: sum_of_blocks(unit, units, 0) for units in _DEPTHS},
        "$D$ at every depth": {units: sum_of_blocks(unit, 1, pairs_of_units(units)) for units in _DEPTHS},
        "each pair twice": {units: sum_of_blocks(unit, units, 2 * pairs_of_units(units)) for units in _DEPTHS},
    }
    return {name: other for name, other in found.items() if other != claim}


def _same_forms(found: Mapping[int, Sum], claim: Mapping[int, Sum]) -> None:
    """Pass when the form of every depth is the one claimed.

    Raises:
        Disagreement: one is another.
    """
    for units, form in found.items():
        if form != claim[units]:
            raise Disagreement(f"R = {units}: another sum of D and of A and its transpose")


# The spectrum.


def spectrum_of_shared_weights(
    unit: ResidualUnit,
    units: int,
    x: Any,
    y: Any,
    loss: Loss = squared,
    *,
    sizes: Mapping[str, int] = NO_SIZES,
    seed: int = 0,
) -> Spectrum:
    """The eigenvalues of the Hessian of `units` units in the one set of weights that they share.

    Raises:
        NoHessianError: as `spectrum`.
        DataError: data or sizes of another shape or kind.
        ArchitectureError: the unit has no weights, or units is no positive int.
    """
    _ = Network(unit, units, loss)
    _ = decomposed(unit, loss, units)  # refuses what has no Hessian
    form = sum_of_blocks(unit, units, pairs_of_units(units), loss)
    shared = SharedForm(units, cut(unit, form, {}), by_pairs(unit, form, {}))
    found = spectrum(unit, 1, x, y, loss, sizes=sizes, seed=seed, shared=shared)
    order = found.stationary_order
    if expansion(unit, loss).order == 1 and order not in {0, 1}:
        order = ">=2"  # parts of degree three have pairs of units too
    note = f"all {units} units share their weights: the Hessian is R D + R (R - 1)/2 (A + A^T), R = {units}"
    return replace(found, units=units, stationary_order=order, notes=(note, *found.notes))
