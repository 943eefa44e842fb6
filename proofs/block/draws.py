"""The spectrum where every unit starts from random values of its own, rather than all from the same.

A unit at its initial point passes its input through whatever the values are, so that H has the blocks D(w_r) on its
diagonal and A(w_r, w_s) below, w_r the values of unit r: no two need be equal, and nothing is left of the Kronecker
form. The matrix is put together from products with the running network's Hessian, for as many parameters as fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Normal
from resproof.numeric.data import NO_SIZES, bind, check_data
from resproof.numeric.network.parameters import initial_weights, parameter_count
from resproof.proofs.block.general import symmetric_hessian
from resproof.proofs.block.spectrum import DENSE, Spectrum, filled, initial_environment, spectrum
from resproof.proofs.block.witness import exceeds
from resproof.proofs.routes.running_network import Running
from resproof.symbolic.index.expansion import expansion


def spectrum_of_own_draws(
    unit: ResidualUnit,
    units: int,
    x: Any,
    y: Any,
    loss: Loss = squared,
    *,
    sizes: Mapping[str, int] = NO_SIZES,
    seed: int = 0,
) -> Spectrum:
    """The eigenvalues of the Hessian of `units` units, random initial values drawn for each of them.

    An eigenvalue counts as zero below the derived rounding bound of the assembled matrix.

    Raises:
        NoHessianError: as `spectrum`.
        DataError: data or sizes of another shape or kind.
        ArchitectureError: nothing is drawn, or more than DENSE parameters.
    """
    one = spectrum(unit, 1, x, y, loss, sizes=sizes, seed=seed)  # refuses what has no Hessian
    names = [name for weight, name in unit.every_name.items() if isinstance(weight.initial, Normal)]
    if not names:
        raise ArchitectureError("spectrum: nothing is drawn at random; expected draws for one unit as for all")
    network = Network(unit, units, loss)
    x, y = check_data("spectrum", unit, x, y, loss)
    known = bind("spectrum", unit, x, sizes)
    count = units * parameter_count(unit, known)
    if count > DENSE:
        raise ArchitectureError(
            f"spectrum: {count} parameters with a draw for each unit; expected at most {DENSE}, for units that differ "
            "need a dense matrix"
        )
    env, notes = initial_environment(Network(unit, 1, loss), x, y, known, seed)
    weights = initial_weights(unit, units, known, env.ops, seed)
    h, off = symmetric_hessian(Running(network, x, y, weights, {}, env.sizes, "", seed))
    values = np.linalg.eigvalsh(h)
    values[np.abs(values) <= off] = 0.0
    found, counts = np.unique(values, return_counts=True)
    counted = [(float(value) + 0.0, int(n)) for value, n in zip(found, counts, strict=True)]
    moves = any(
        exceeds(
            terms, replace(env, initial={**env.initial, **{name: array[r, ...] for name, array in weights.items()}})
        )
        for _, terms in expansion(unit, loss).gradient
        if terms.terms
        for r in range(units)
    )
    order = 0 if moves else 1 if np.any(values) else ">=2"
    said = f"the random initial values of {', '.join(names)} are drawn with seed {seed}, for each unit its own"
    bare = replace(
        one, units=units, parameters=count, stationary_order=order, core=(), notes=(said, *notes[1:]), zero_exact=0
    )
    return filled(bare, counted)
