"""The Hessian of units that start alike as an operator: its blocks formed once, a pair of weights at a time.

By GEN-1, (H v)_r = D v_r + A sum_{s<r} v_s + A^T sum_{s>r} v_s: prefix sums over units, and products with matrices that
are the same at every depth. Those of two weights are block diagonal over the indices that both carry in all their terms
(`symbolic.index.structure.by_pairs`), so that they are small where the whole block of a unit is not. With entries of D
and A that are off by E_D and E_A at most, and n the longest sum, the product is off by at most

    (E_D + gamma_n |D|) |v_r| + (E_A + gamma_n |A|) sum_{s<r} |v_s| + (E_A + gamma_n |A|)^T sum_{s>r} |v_s|.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from resproof.architectures.forms.cores import Core
from resproof.architectures.forms.hessian_blocks import SIDES
from resproof.numeric.data import size_of
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.contract import Environment
from resproof.numeric.spectra.cores import Matrices, matrices, shape, size

MOST_FORMED = 20_000_000
"""Entries of all matrices together."""
LARGEST_EXPONENT = 500
"""Of a power of two that a matrix is to be taken times."""
SUMMED = 8
"""Roundings of an entry of the product besides those of the sums over units and over a matrix's columns."""


@dataclass(frozen=True, slots=True)
class PairOfWeights:
    """A core of one weight or of two, its matrices and the bounds of their rounding, in units of one."""

    core: Core
    found: Matrices
    bounds: Matrices


def formed_pairs(cores: Sequence[Core], env: Environment) -> tuple[PairOfWeights, ...] | None:
    """The matrices of all cores; None where they have too many entries, or entries beyond floats.

    Raises:
        DataError: an entry is not finite.
    """
    if sum(_entries(core, env.sizes) for core in cores) > MOST_FORMED:
        return None
    pairs: list[PairOfWeights] = []
    for core in cores:
        found, bounds = matrices(core, env)
        if abs(found.exponent) > LARGEST_EXPONENT:
            return None
        pairs.append(PairOfWeights(core, _in_units_of_one(found), _in_units_of_one(bounds)))
    return tuple(pairs)


def entries_of(pairs: Sequence[PairOfWeights], sizes: Mapping[str, int]) -> int:
    """Multiplications that a product takes for each unit."""
    return sum(size(pair.core.spectators, sizes) * _entries(pair.core, sizes) for pair in pairs)


def _entries(core: Core, sizes: Mapping[str, int]) -> int:
    rows, columns = shape(core, sizes)
    return size(core.labels, sizes) * rows * columns * (bool(core.diagonal) + 2 * bool(core.cross))


def _in_units_of_one(found: Matrices) -> Matrices:
    scale = 2.0**found.exponent
    return Matrices(found.diagonal * scale, None if found.cross is None else found.cross * scale)


def product(
    pairs: Sequence[PairOfWeights], v: Mapping[str, np.ndarray], sizes: Mapping[str, int]
) -> dict[str, np.ndarray]:
    """H v, v by weight, (R, rows, columns)."""
    total = {name: np.zeros(array.shape) for name, array in v.items()}
    for pair in pairs:
        _add(total, pair.core, pair.found, v, sizes)
    return total


def product_error(
    pairs: Sequence[PairOfWeights], v: Mapping[str, np.ndarray], sizes: Mapping[str, int]
) -> dict[str, np.ndarray]:
    """A bound of the rounding of `product`, entry by entry."""
    moduli, total = {n: np.abs(array) for n, array in v.items()}, {n: np.zeros(a.shape) for n, a in v.items()}
    units = len(next(iter(v.values())))
    for pair in pairs:
        chain = gamma(units + sum(shape(pair.core, sizes)) + len(pairs) + SUMMED)
        _add(total, pair.core, _widened(pair, chain), moduli, sizes)
    return {name: (1.0 + gamma(units + SUMMED)) * array for name, array in total.items()}


def _widened(pair: PairOfWeights, chain: float) -> Matrices:
    """E + gamma |M| of the matrices."""
    (d, a), (e, f) = ((one.diagonal, one.cross) for one in (pair.found, pair.bounds))
    cross = None if a is None or f is None else f + chain * np.abs(a)
    return Matrices(e + chain * np.abs(d), cross)


def _add(
    total: dict[str, np.ndarray], core: Core, found: Matrices, v: Mapping[str, np.ndarray], sizes: Mapping[str, int]
) -> None:
    """Add a core's part of the product."""
    if core.sides is not None:
        columns, rows = core.sides
        for to, of, matrix in ((rows, columns, found.diagonal), (columns, rows, found.diagonal.swapaxes(1, 2))):
            _give(total, core, to, _times(matrix, _taken(core, of, v, sizes)), sizes)
        return
    names = tuple(weight.name for weight in core.weights)
    x = _taken(core, names, v, sizes)
    image = _times(found.diagonal, x) if core.diagonal else np.zeros(x.shape)
    if found.cross is not None:
        below, above = _beside(x, SIDES["A"]), _beside(x, SIDES["A^T"])
        image += _times(found.cross, below) + _times(found.cross.swapaxes(1, 2), above)
    _give(total, core, names, image, sizes)


def _times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix of each label times the last axis: (labels, n, k) and (R, spectators, labels, k)."""
    units, spectators, labels, _ = x.shape
    # One product for a label: all units and spectators are its rows.
    rows = np.moveaxis(x, 2, 0).reshape(labels, units * spectators, -1)
    found = (rows @ matrix.swapaxes(1, 2)).reshape(labels, units, spectators, -1)
    return np.moveaxis(found, 0, 2)


def _beside(x: np.ndarray, side: int) -> np.ndarray:
    """The sum of x_s over the units with side = sign(r - s): those before r, or those behind it, from the end."""
    found = np.zeros_like(x)
    np.cumsum(x[::side][:-1], axis=0, out=found[::side][1:])
    return found


def _parts(core: Core, names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Of each weight its name, the order of its axes behind the unit's, and how many of its own entries it has."""
    for weight in core.weights:
        if weight.name in names:
            yield weight.name, weight.order, size(weight.dims, sizes)


def _taken(core: Core, names: Sequence[str], v: Mapping[str, np.ndarray], sizes: Mapping[str, int]) -> np.ndarray:
    """(R, spectators, labels, own entries of all weights)."""
    outer = (size(core.spectators, sizes), size(core.labels, sizes))
    parts = [
        _in_order(core, name, order, v[name], sizes).reshape(len(v[name]), *outer, own)
        for name, order, own in _parts(core, names, sizes)
    ]
    return np.concatenate(parts, axis=-1)


def _give(
    total: dict[str, np.ndarray], core: Core, names: Sequence[str], image: np.ndarray, sizes: Mapping[str, int]
) -> None:
    """The inverse of `_taken`, added."""
    start = 0
    for name, order, own in _parts(core, names, sizes):
        array, part = total[name], image[..., start : start + own]
        turned = _in_order(core, name, order, array, sizes)
        turned += part.reshape(turned.shape)
        start += own


def _in_order(core: Core, name: str, order: tuple[int, ...], array: np.ndarray, sizes: Mapping[str, int]) -> np.ndarray:
    """A view of a weight's array with an axis for each slot, those that its core shares first."""
    outer = (*core.spectators, *core.labels)
    weight = next(one for one in core.weights if one.name == name)
    lengths = dict(zip(order, (size_of(n, sizes) for n in (*outer, *weight.dims)), strict=True))
    axes = array.reshape(len(array), *(lengths[k] for k in range(len(lengths))))
    return axes.transpose(0, *(1 + k for k in order))
