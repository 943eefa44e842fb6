"""The spectrum where all units have one set of weights: L(w, ..., w) as a function of w.

By the chain rule its Hessian is the sum of all blocks of that in separate weights, so by GEN-1

    H = R D + R (R - 1)/2 (A + A^T)

at the initial point: R D from order two on, R times that of one unit, with the condition number that it has at every
depth. At order one 2 H / (R (R - 1)) tends to A + A^T, so that where this is not zero the greatest modulus of an
eigenvalue grows like R^2, and where it is regular the condition number tends to its own. The sum is taken of the forms
in index notation, and cut into cores as that of one unit is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from architectures.losses import Loss, squared
from architectures.networks import Network, ResidualUnit
from numeric.data import NO_SIZES
from proofs.block.spectrum import Spectrum, decomposed, spectrum
from symbolic.index.expansion import expansion
from symbolic.index.lift import relabel_unit
from symbolic.index.series import Sum, add, scale
from symbolic.index.structure import cut


def shared_form(unit: ResidualUnit, units: int, loss: Loss) -> Sum:
    """1/2 v^T H v of `units` units with the same weights."""
    forms = expansion(unit, loss).forms
    pairs = Fraction(units * (units - 1), 2)
    return add(scale(units, forms[1, 1]), scale(pairs, relabel_unit(forms[1, 2], 2, 1)))


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
        ArchitectureError: the unit has no weights, units is no positive int, or a core is too wide to be formed.
    """
    _ = Network(unit, units, loss)
    _ = decomposed(unit, loss, units)  # refuses what has no Hessian
    cores = cut(unit, shared_form(unit, units, loss), {})
    found = spectrum(unit, 1, x, y, loss, sizes=sizes, seed=seed, cores=cores)
    order = found.stationary_order
    if expansion(unit, loss).order == 1 and order not in {0, 1}:
        order = ">=2"  # parts of degree three have pairs of units too
    note = f"all {units} units share their weights: the Hessian is R D + R (R - 1)/2 (A + A^T), R = {units}"
    return replace(found, units=units, stationary_order=order, notes=(note, *found.notes))
