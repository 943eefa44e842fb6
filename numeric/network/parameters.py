"""The weights of a whole network: one array of shape (R, rows, columns) for every weight's name.

Parameter order is that of the papers, lexicographic in (r, l, j, i): units one after the other, within a unit the
weights in order, each stacked column by column (vec).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, assert_never

import numpy as np

from architectures.expressions import Identity, Normal, Ones, Weight, Zero
from architectures.networks import ResidualUnit
from numeric.backend import Array, Ops, ops_of
from numeric.data import DataError, check_array, size_of

Weights: TypeAlias = Mapping[str, Array]


def shapes(unit: ResidualUnit, sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """(rows, columns) of every weight, in parameter order."""
    return {name: (size_of(w.rows, sizes), size_of(w.cols, sizes)) for w, name in unit.names.items()}


def parameter_count(unit: ResidualUnit, sizes: Mapping[str, int]) -> int:
    """The number of parameters of one unit."""
    return sum(rows * cols for rows, cols in shapes(unit, sizes).values())


def initial_weights(
    unit: ResidualUnit, units: int, sizes: Mapping[str, int], ops: Ops, seed: int = 0, *, shared: bool = False
) -> dict[str, Array]:
    """The initial point: every weight as its `initial` says, random ones drawn per unit (once for all if `shared`).

    Raises:
        DataError: a variance such as "1/d" whose dimension has no size.
    """
    generator = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for weight, name in unit.names.items():
        shape = (1 if shared else units, size_of(weight.rows, sizes), size_of(weight.cols, sizes))
        drawn = _initial(weight, shape, sizes, generator)
        found[name] = ops.asarray(np.repeat(drawn, units, axis=0) if shared else drawn)
    return found


def _initial(
    weight: Weight, shape: tuple[int, int, int], sizes: Mapping[str, int], generator: np.random.Generator
) -> np.ndarray:
    match weight.initial:
        case Zero():
            return np.zeros(shape)
        case Ones():
            return np.ones(shape)
        case Identity():
            return np.broadcast_to(np.eye(shape[1], shape[2]), shape).copy()
        case Normal(variance=variance):
            return generator.standard_normal(shape) * np.sqrt(_variance(variance, sizes))
        case _:
            assert_never(weight.initial)


def _variance(variance: object, sizes: Mapping[str, int]) -> float:
    if not isinstance(variance, str):
        return float(variance)  # pyright: ignore[reportArgumentType]
    numerator, _, denominator = (part.strip() for part in variance.partition("/"))
    if not denominator.isdigit() and denominator not in sizes:
        raise DataError(f"initial: the variance is {variance}; expected a dimension among {', '.join(sizes)}")
    return int(numerator) / (int(denominator) if denominator.isdigit() else sizes[denominator])


def random_weights(
    unit: ResidualUnit,
    units: int,
    sizes: Mapping[str, int],
    ops: Ops,
    seed: int = 0,
    *,
    scale: float = 1.0,
    batch: int | None = None,
) -> dict[str, Array]:
    """Independent N(0, scale^2) entries for every weight: a perturbation, or a block of `batch` of them in front."""
    generator = np.random.default_rng(seed)
    front = (units,) if batch is None else (batch, units)
    return {
        name: ops.asarray(scale * generator.standard_normal((*front, *shape)))
        for name, shape in shapes(unit, sizes).items()
    }


def flatten(unit: ResidualUnit, weights: Weights) -> Array:
    """The parameters as one vector in the papers' order; batch axes stay in front: (..., R p)."""
    first = next(iter(weights.values()))
    ops = ops_of(first)
    columns = []
    for name in unit.names.values():
        array = weights[name]
        columns.append(ops.xp.reshape(ops.transpose(array), (*array.shape[:-2], -1)))
    joined = ops.concatenate(columns, -1)
    return ops.xp.reshape(joined, (*joined.shape[:-2], -1))


def unflatten(unit: ResidualUnit, vector: Array, units: int, sizes: Mapping[str, int]) -> dict[str, Array]:
    """The inverse of `flatten`.

    Raises:
        DataError: the vector's length is not that of the network.
    """
    ops, count = ops_of(vector), parameter_count(unit, sizes)
    if vector.shape[-1] != units * count:
        raise DataError(f"parameters: the vector has length {vector.shape[-1]}; expected {units} x {count}")
    per_unit = ops.xp.reshape(vector, (*vector.shape[:-1], units, count))
    found, start = {}, 0
    for name, (rows, cols) in shapes(unit, sizes).items():
        part = per_unit[..., start : start + rows * cols]
        found[name] = ops.transpose(ops.xp.reshape(part, (*part.shape[:-1], cols, rows)))
        start += rows * cols
    return found


def check_weights(
    name: str, unit: ResidualUnit, units: int, weights: Weights, *, batch: bool = False
) -> dict[str, Array]:
    """Float64 weights of shape (R, rows, columns); with `batch`, possibly a block of shape (k, R, rows, columns).

    Raises:
        DataError: a missing or unknown name, or another shape.
    """
    names = tuple(unit.names.values())
    if set(weights) != set(names):
        raise DataError(f"{name}: weights are {', '.join(map(str, weights))}; expected {', '.join(names)}")
    found = {key: check_array(name, key, weights[key]) for key in names}
    ranks = {len(array.shape) for array in found.values()}
    fronts = {tuple(array.shape[:-2]) for array in found.values()}
    allowed = {3, 4} if batch else {3}
    if len(ranks) != 1 or not ranks <= allowed or len(fronts) != 1 or next(iter(fronts))[-1] != units:
        shown = ", ".join(f"{key} {tuple(array.shape)}" for key, array in found.items())
        raise DataError(f"{name}: weights have shapes {shown}; expected ({units}, rows, columns)")
    return found


def sizes_of(unit: ResidualUnit, weights: Weights) -> dict[str, int]:
    """The sizes that the weights' shapes give to dimension names.

    Raises:
        DataError: two shapes that contradict each other or a dimension written as a number.
    """
    known: dict[str, int] = {}
    for weight, name in unit.names.items():
        for dimension, size in zip(weight.shape, weights[name].shape[-2:], strict=True):
            found = dimension if isinstance(dimension, int) else known.setdefault(dimension, int(size))
            if found != size:
                raise DataError(f"weights: {name} has {size} for the dimension {dimension}; expected {found}")
    return known
