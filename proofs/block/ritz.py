"""What is known of a Hessian too large for its cores: Lanczos, residuals, structure.

Products with the Hessian go through D and A, a pair of weights at a time (`numeric.spectra.weight_pairs`), or, where these are too
large to be formed, through the network (forward over reverse). By GEN-1 the network of fewer units has a principal
submatrix of the Hessian: by interlacing its Rayleigh quotients bound the extreme eigenvalues of the deeper one as well,
so that a network too deep for Lanczos is looked at through its first units. Where no two units are joined, one will do.
One set of weights for all units has the sum of all blocks, R D + R (R - 1)/2 (A + A^T), which is formed likewise; of the
network, it is the sum over units of the product with the same change of every unit.

The residual of the vector that is kept is that of the product with its rounding errors: those of the matrices' entries
and of the sums, or those of the running network, followed through all units (`numeric.network.running_error`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from resproof.architectures.forms.cores import Core
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, ops_of
from resproof.numeric.data import width_of
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count, unflatten
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.contract import Environment
from resproof.numeric.spectra.cores import rank_bound, shape, size
from resproof.numeric.spectra.lanczos import STEPS, RitzValue, Vector, extreme_vectors, ritz_value, vector_near_zero
from resproof.numeric.spectra.weight_pairs import PairOfWeights, entries_of, formed_pairs, product, product_error

LARGEST = 400_000
"""Parameters at most of the network that Lanczos runs on, unless one unit has more."""
SOLVED = 20_000
"""Parameters at most of one whose least modulus is sought."""
FEW = 12
"""Products for both ends of a network that is larger, and at least for any other."""
LARGEST_FORMED = 1_000_000
"""The same where D and A are formed."""
WORK = 400_000_000
"""Parameters times columns of all samples that the products for both ends go through together, unless FEW do more."""
WORK_FORMED = 25_000_000_000
"""Multiplications of the products for both ends where D and A are formed, unless FEW do more."""
TOLERANCE = 1e-8
LOOSE = 1e-4
"""To which relative accuracy the ends, and the end near zero, are sought; the residual says what came of it."""


@dataclass(frozen=True, slots=True)
class RitzEnds:
    """Ritz values near both ends and near zero (None where not sought), of a network of so many units.

    `formed`: products went through D and A, not through the running network.
    """

    smallest: RitzValue
    largest: RitzValue
    least: RitzValue | None
    units: int
    formed: bool


@dataclass(frozen=True, slots=True)
class Sought:
    """A network on data, D and A of its cores `by_pairs`, and what is sought.

    `joined`: different units are joined; otherwise one unit is looked at. `shared`: they have one set of weights, and
    `by_pairs` are those of the Hessian in it.
    """

    network: Network
    x: Array
    y: Array
    env: Environment
    seed: int
    by_pairs: Sequence[Core]
    joined: bool
    near_zero: bool
    shared: bool = False


def ritz_ends(asked: Sought) -> RitzEnds | None:
    """Ritz values of the Hessian at the initial point; None where products leave floats or do not fit the memory."""
    try:
        pairs = formed_pairs(asked.by_pairs, asked.env)
        one = _running(asked) if pairs is None else _Formed.of(asked, pairs)
        size, steps = one.size, one.steps
        low, high = extreme_vectors(one.image, size, tolerance=TOLERANCE, seed=asked.seed, steps=steps)
        # For the end near zero, STEPS are those of each of many solutions.
        whole = asked.shared or one.units == asked.network.units
        sought = asked.near_zero and whole and size <= SOLVED and steps == STEPS
        near = vector_near_zero(one.image, size, tolerance=LOOSE, seed=asked.seed) if sought else None
        ends = (one.proved(low), one.proved(high), None if near is None else one.proved(near))
        return RitzEnds(*ends, one.units, pairs is not None)
    except (NotFiniteError, OutOfMemoryError, MemoryError):
        return None


def _running(asked: Sought) -> _Running:
    """Products of the running network, or of its first units."""
    network, x = asked.network, asked.x
    count = parameter_count(network.unit, asked.env.sizes)
    units = 1
    if asked.shared:
        units = network.units
    elif asked.joined:
        units = min(network.units, max(LARGEST // count, 1))
    work = units * count * int(x.size // width_of(x))
    steps = min(max(WORK // work, FEW), STEPS) if units * count <= LARGEST else FEW
    return _Running(replace(asked, network=replace(network, units=units)), steps)


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
    by = "with D and A, formed a pair of weights at a time" if found.formed else "of the running network"
    near = (
        f"within {found.largest.residual:.1e} of {found.largest.value:.6g} and {found.smallest.residual:.1e} of "
        f"{found.smallest.value:.6g} lies an eigenvalue{' of that submatrix' if fewer else ''}"
    )
    outer = "no bound on the other side is known"
    if largest[1] is not None and smallest[0] is not None:
        outer = f"by the norms of D and A all lie between {smallest[0]:.6g} and {largest[1]:.6g}"
    return (
        f"the largest and the smallest eigenvalue are Ritz values, by Lanczos on products {by}{through}, for "
        f"{names} make too wide a core; proved: the largest is at least {largest[0]:.6g}, the smallest at most "
        f"{smallest[1]:.6g}, {near}, {outer}; that no eigenvalue is more extreme than these is not proved",
    )


@dataclass(frozen=True)
class _Running:
    """H v of a running network at its initial point, for vectors in NumPy; so many products for both ends."""

    asked: Sought
    steps: int

    @cached_property
    def weights(self) -> dict[str, Array]:
        """The initial point."""
        network, ops = self.asked.network, ops_of(self.asked.x)
        return initial_weights(network.unit, network.units, self.asked.env.sizes, ops, self.asked.seed, shared=True)

    @property
    def units(self) -> int:
        """How many there are."""
        return self.asked.network.units

    @property
    def size(self) -> int:
        """The length of a vector."""
        count = parameter_count(self.asked.network.unit, self.asked.env.sizes)
        return count if self.asked.shared else count * self.units

    def image(self, vector: Vector) -> Vector:
        """H v."""
        one = self.asked
        return self._flat(hvp(one.network, self.weights, self._tangents(vector), one.x, one.y))

    def proved(self, vector: Vector) -> RitzValue:
        """The Rayleigh quotient and its residual, rounding included."""
        one = self.asked
        found = bounded_product(one.network, self.weights, self._tangents(vector), one.x, one.y)
        error = self._flat(found.error)
        if one.shared:  # and the sum over units rounds
            error = error + gamma(self.units) * self._flat({n: abs(a) for n, a in found.product.items()})
        return ritz_value(vector, self._flat(found.product), float(np.linalg.norm(error)))

    def _tangents(self, vector: Vector) -> dict[str, Array]:
        """The change of every unit; of weights that all units share the same for each."""
        network, ops = self.asked.network, ops_of(self.asked.x)
        array, times = ops.asarray(np.ravel(vector)), 1
        units = network.units
        if self.asked.shared:
            units, times = 1, network.units
        found = unflatten(network.unit, array, units, self.asked.env.sizes)
        return {name: ops.xp.concat([a] * times, axis=0) if times > 1 else a for name, a in found.items()}

    def _flat(self, weights: Mapping[str, Any]) -> Vector:
        ops = ops_of(self.asked.x)
        if self.asked.shared:
            weights = {name: ops.xp.sum(a, axis=0, keepdims=True) for name, a in weights.items()}
        return np.asarray(ops.numpy(flatten(self.asked.network.unit, weights)), dtype=np.float64)


@dataclass(frozen=True)
class _Formed:
    """H v by D and A of so many units, or by the blocks of weights that they share, as one unit."""

    unit: ResidualUnit
    units: int
    copies: int
    pairs: tuple[PairOfWeights, ...]
    sizes: Mapping[str, int]
    steps: int

    @staticmethod
    def of(asked: Sought, pairs: tuple[PairOfWeights, ...]) -> _Formed:
        """As many units as vectors of all of them may be long, and as many products as the work allows."""
        unit, sizes = asked.network.unit, asked.env.sizes
        units, copies = asked.network.units, 1
        if asked.joined and not asked.shared:
            units = copies = min(units, max(LARGEST_FORMED // parameter_count(unit, sizes), 1))
        elif not asked.shared:
            units = 1
        work = copies * max(entries_of(pairs, sizes), 1)
        return _Formed(unit, units, copies, pairs, sizes, min(max(WORK_FORMED // work, FEW), STEPS))

    @property
    def size(self) -> int:
        """The length of a vector."""
        return self.copies * parameter_count(self.unit, self.sizes)

    def image(self, vector: Vector) -> Vector:
        """H v."""
        return self._flat(product(self.pairs, self._apart(vector), self.sizes))

    def proved(self, vector: Vector) -> RitzValue:
        """The Rayleigh quotient and its residual, rounding included."""
        v = self._apart(vector)
        image, error = (self._flat(f(self.pairs, v, self.sizes)) for f in (product, product_error))
        return ritz_value(vector, image, float(np.linalg.norm(error)))

    def _apart(self, vector: Vector) -> dict[str, Array]:
        return unflatten(self.unit, np.ravel(vector), self.copies, self.sizes)

    def _flat(self, weights: Mapping[str, Any]) -> Vector:
        return flatten(self.unit, weights)


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
