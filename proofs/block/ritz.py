"""What is known of a Hessian too large for its cores: Lanczos on the running network, residuals, structure.

Products with the Hessian go through the network (forward over reverse). By GEN-1 the network of fewer units has a principal
submatrix of the Hessian: by interlacing its Rayleigh quotients bound the extreme eigenvalues of the deeper one as well,
so that a network too deep for Lanczos is looked at through its first units. Where no two units are joined, one will do.

The residual of the vector that is kept is that of the running network with its own rounding errors, followed through all
units (`numeric.network.running_error`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from architectures.cores import Core
from architectures.networks import Network
from numeric.backend import Array, ops_of
from numeric.data import width_of
from numeric.limits import NotFiniteError, OutOfMemoryError
from numeric.network.adjoint import hvp
from numeric.network.parameters import flatten, initial_weights, parameter_count, unflatten
from numeric.network.running_error import bounded_product
from numeric.spectra.cores import rank_bound, shape, size
from numeric.spectra.lanczos import STEPS, RitzValue, Vector, extreme_vectors, ritz_value, vector_near_zero

LARGEST = 400_000
"""Parameters at most of the network that Lanczos runs on, unless one unit has more."""
SOLVED = 20_000
"""Parameters at most of one whose least modulus is sought."""
FEW = 12
"""Products for both ends of a network that is larger, and at least for any other."""
WORK = 400_000_000
"""Parameters times columns of all samples that the products for both ends go through together, unless FEW do more."""
TOLERANCE = 1e-8
LOOSE = 1e-4
"""To which relative accuracy the ends, and the end near zero, are sought; the residual says what came of it."""


@dataclass(frozen=True, slots=True)
class RitzEnds:
    """Ritz values near both ends and near zero (None where not sought), of a network of so many units."""

    smallest: RitzValue
    largest: RitzValue
    least: RitzValue | None
    units: int


def ritz_ends(
    network: Network, x: Array, y: Array, sizes: Mapping[str, int], seed: int, *, joined: bool, near_zero: bool
) -> RitzEnds | None:
    """Ritz values of the Hessian at the initial point; None where products leave floats or do not fit the memory.

    Args:
        network: The network.
        x: The data.
        y: The targets.
        sizes: A size for every dimension.
        seed: Of random initial weights, the same in every unit, and of the start.
        joined: Whether different units are joined; otherwise one unit is looked at.
        near_zero: Whether the eigenvalue of least modulus is sought too.
    """
    count = parameter_count(network.unit, sizes)
    units = min(network.units, max(LARGEST // count, 1)) if joined else 1
    one = _Products(Network(network.unit, units, network.loss), x, y, sizes, seed)
    try:
        work = units * count * int(x.size // width_of(x))
        steps = min(max(WORK // work, FEW), STEPS) if units * count <= LARGEST else FEW
        low, high = extreme_vectors(one.image, units * count, tolerance=TOLERANCE, seed=seed, steps=steps)
        # For the end near zero, STEPS are those of each of many solutions.
        sought = near_zero and units == network.units and units * count <= SOLVED and steps == STEPS
        near = vector_near_zero(one.image, units * count, tolerance=LOOSE, seed=seed) if sought else None
        return RitzEnds(one.proved(low), one.proved(high), None if near is None else one.proved(near), units)
    except (NotFiniteError, OutOfMemoryError, MemoryError):
        return None


def ritz_notes(
    found: RitzEnds,
    names: str,
    largest: tuple[float, float | None],
    smallest: tuple[float | None, float],
    units: int | None,
) -> tuple[str, ...]:
    """What kind of numbers they are, and what is proved of them; `units` is the depth where units are joined."""
    fewer = units is not None and found.units < units
    through = f" of the first {found.units} units, whose Hessian is a principal submatrix" if fewer else ""
    near = (
        f"within {found.largest.residual:.1e} of {found.largest.value:.6g} and {found.smallest.residual:.1e} of "
        f"{found.smallest.value:.6g} lies an eigenvalue{' of that submatrix' if fewer else ''}"
    )
    outer = "no bound on the other side is known"
    if largest[1] is not None and smallest[0] is not None:
        outer = f"by the norms of D and A all lie between {smallest[0]:.6g} and {largest[1]:.6g}"
    return (
        f"the largest and the smallest eigenvalue are Ritz values, by Lanczos on products of the running network{through}, for "
        f"{names} make too wide a core; proved: the largest is at least {largest[0]:.6g}, the smallest at most "
        f"{smallest[1]:.6g}, {near}, {outer}; that no eigenvalue is more extreme than these is not proved",
    )


class _Products:
    """H v of a running network at its initial point, for vectors in NumPy."""

    def __init__(self, network: Network, x: Array, y: Array, sizes: Mapping[str, int], seed: int) -> None:
        self.network, self.x, self.y, self.sizes, self.ops = network, x, y, sizes, ops_of(x)
        self.weights = initial_weights(network.unit, network.units, sizes, self.ops, seed, shared=True)

    def image(self, vector: Vector) -> Vector:
        """H v."""
        return self._flat(hvp(self.network, self.weights, self._tangents(vector), self.x, self.y))

    def proved(self, vector: Vector) -> RitzValue:
        """The Rayleigh quotient and its residual, rounding included."""
        found = bounded_product(self.network, self.weights, self._tangents(vector), self.x, self.y)
        return ritz_value(vector, self._flat(found.product), float(np.linalg.norm(self._flat(found.error))))

    def _tangents(self, vector: Vector) -> dict[str, Array]:
        array = self.ops.asarray(np.ravel(vector))
        return unflatten(self.network.unit, array, self.network.units, self.sizes)

    def _flat(self, weights: Mapping[str, Any]) -> Vector:
        return np.asarray(self.ops.numpy(flatten(self.network.unit, weights)), dtype=np.float64)


def greatest_rank(core: Core, sizes: Mapping[str, int], units: int) -> int:
    """An upper bound of the rank of each of the core's matrices, from sizes alone."""
    rank = rank_bound(core, sizes, units)
    return min(rank, units * (shape(core, sizes)[0] - _surplus(core, sizes))) if core.cross else rank


def exact_zeros(core: Core, sizes: Mapping[str, int], units: int) -> int:
    """A lower bound of the zero eigenvalues of a core, all labels, spectators and units counted, from sizes alone."""
    rows, columns = shape(core, sizes)
    times = size(core.labels, sizes) * size(core.spectators, sizes)
    rank = greatest_rank(core, sizes, units)
    if core.cross:
        return times * (units * rows - rank)
    return times * units * (rows - rank if core.sides is None else rows + columns - 2 * rank)


def _surplus(core: Core, sizes: Mapping[str, int]) -> int:
    """For each unit, the dimensions that a set of weights has beyond those of the weights it occurs with.

    Where D and A vanish on a set N of weights, and A on whatever is beside it, H maps the R |N| dimensions of N into the
    R |S| of its partners S: at least R (|N| - |S|) of them to zero.
    """
    width = {w.name: size(w.dims, sizes) for w in core.weights}
    joined = {name for block in core.cross for name in (block.row, block.column)}
    pairs = {(block.row, block.column) for block in core.diagonal}
    pairs |= {(column, row) for row, column in pairs}
    chosen: list[str] = []
    for name in sorted(width, key=lambda name: -width[name]):
        if name not in joined and not any((name, other) in pairs for other in (*chosen, name)):
            chosen.append(name)
    partners = {other for name, other in pairs if name in chosen}
    return max(sum(width[n] for n in chosen) - sum(width[n] for n in partners), 0)
