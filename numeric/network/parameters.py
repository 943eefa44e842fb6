"""The weights of a whole network: one array of shape (R, rows, columns) for every weight's name.

A weight of more than two axes lies there as a matrix: its first axis, and all others as one, the last running fastest.
The parameters are the trainable weights: gradients, directions and vectors have no more. The values of frozen ones
stand beside them; they may be left out where every unit starts from the same, that is, where they are not drawn.

Parameter order is that of the papers, lexicographic in (r, l, j, i): units one after the other, within a unit the
weights in order, each stacked column by column (vec).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, assert_never

import numpy as np

from resproof.architectures.dimensions import Dimension, Shape, factors
from resproof.architectures.nodes import Weight, given_shape
from resproof.architectures.stages import Stage
from resproof.architectures.values import Identity, Normal, Ones, Values, Zero
from resproof.numeric.backend import Array, Ops, ops_of
from resproof.numeric.data import NO_SIZES, DataError, check_array, size_of

Weights: TypeAlias = Mapping[str, Array]


def shapes(unit: Stage, sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """(rows, columns) of every trainable weight, in parameter order."""
    return _shapes(unit.names, sizes)


def as_matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of an array of this shape as a matrix: its first axis, and all others."""
    return (shape[0] if shape else 1), math.prod(shape[1:])


def every_shape(unit: Stage, sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """(rows, columns) of every weight, the frozen ones last."""
    return _shapes(unit.every_name, sizes)


def _shapes(names: Mapping[Weight, str], sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    return {name: _matrix_shape(weight, sizes) for weight, name in names.items()}


def _matrix_shape(weight: Weight, sizes: Mapping[str, int]) -> tuple[int, int]:
    return as_matrix(tuple(size_of(n, sizes) for n in weight.shape))


def given_sizes(unit: Stage) -> dict[str, int]:
    """The sizes of named dimensions that arrays of initial values give.

    Raises:
        DataError: two arrays contradict each other.
    """
    known: dict[str, int] = {}
    for weight, name in unit.every_name.items():
        for dimension, size in zip(weight.shape, given_shape(weight) or (), strict=False):
            if isinstance(dimension, str) and known.setdefault(dimension, size) != size:
                raise DataError(
                    f"initial: the array of {name} has {size} for {dimension}; another one has {known[dimension]}"
                )
    return known


def parameter_count(unit: Stage, sizes: Mapping[str, int]) -> int:
    """The number of parameters of one unit."""
    return sum(rows * cols for rows, cols in shapes(unit, sizes).values())


def initial_weights(
    unit: Stage,
    units: int,
    sizes: Mapping[str, int],
    ops: Ops,
    seed: int | tuple[int, ...] = 0,
    *,
    shared: bool = False,
) -> dict[str, Array]:
    """The initial point: every weight as its `initial` says, random ones drawn per unit (once for all if `shared`).

    Raises:
        DataError: a variance such as "1/d" whose dimension has no size, or an array of another shape.
    """
    generator = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for weight, name in unit.every_name.items():
        shape = (1 if shared else units, *_matrix_shape(weight, sizes))
        drawn = _initial(weight, name, shape, sizes, generator)
        found[name] = ops.asarray(np.repeat(drawn, units, axis=0) if shared else drawn)
    return found


def _initial(
    weight: Weight, name: str, shape: tuple[int, int, int], sizes: Mapping[str, int], generator: np.random.Generator
) -> np.ndarray:
    given, expected = given_shape(weight), tuple(size_of(n, sizes) for n in weight.shape)
    if given not in (None, expected):
        raise DataError(f"initial: the array of {name} has shape {given}; the data and sizes give {expected}")
    match weight.initial:
        case Zero():
            return np.zeros(shape)
        case Ones():
            return np.ones(shape)
        case Identity():
            return np.broadcast_to(np.eye(shape[1], shape[2]), shape).copy()
        case Normal() as normal:
            return generator.standard_normal(shape) * np.sqrt(_variance(name, normal, sizes))
        case Values(floats=floats):
            return np.broadcast_to(np.asarray(floats).reshape(shape[1:]), shape).copy()
        case _:
            assert_never(weight.initial)


def _variance(name: str, normal: Normal, sizes: Mapping[str, int]) -> float:
    numerator, divisor = normal.quotient
    if isinstance(divisor, str):
        if divisor not in sizes:
            raise DataError(
                f"initial: the variance of {name} is {normal.variance}; expected a dimension among {', '.join(sizes)}"
            )
        divisor = sizes[divisor]
    return float(numerator / divisor)


def random_weights(
    unit: Stage,
    units: int,
    sizes: Mapping[str, int],
    ops: Ops,
    seed: int = 0,
    *,
    scale: float = 1.0,
    batch: int | None = None,
) -> dict[str, Array]:
    """Independent N(0, scale^2) entries for every parameter: a perturbation, or a block of `batch` of them in front."""
    generator = np.random.default_rng(seed)
    front = (units,) if batch is None else (batch, units)
    return {
        name: ops.asarray(scale * generator.standard_normal((*front, *shape)))
        for name, shape in shapes(unit, sizes).items()
    }


def flatten(unit: Stage, weights: Weights) -> Array:
    """The parameters as one vector in the papers' order; batch axes stay in front: (..., R p)."""
    joined = as_vector([weights[name] for name in unit.names.values()])
    return ops_of(joined).reshape(joined, (*joined.shape[:-2], -1))


def as_vector(matrices: Sequence[Array]) -> Array:
    """Matrices one after the other as one vector, each column by column; axes in front stay."""
    ops = ops_of(matrices[0])
    return ops.concatenate([ops.reshape(ops.transpose(a), (*a.shape[:-2], -1)) for a in matrices], -1)


def of_vector(vector: Array, known: Mapping[str, tuple[int, int]]) -> dict[str, Array]:
    """The inverse of `as_vector`, for matrices of these shapes."""
    ops, found, start = ops_of(vector), dict[str, Array](), 0
    for name, (rows, cols) in known.items():
        part = vector[..., start : start + rows * cols]
        found[name] = ops.transpose(ops.reshape(part, (*part.shape[:-1], cols, rows)))
        start += rows * cols
    return found


def unflatten(unit: Stage, vector: Array, units: int, sizes: Mapping[str, int]) -> dict[str, Array]:
    """The inverse of `flatten`.

    Raises:
        DataError: the vector's length is not that of the network.
    """
    ops, count = ops_of(vector), parameter_count(unit, sizes)
    if vector.shape[-1] != units * count:
        raise DataError(f"parameters: the vector has length {vector.shape[-1]}; expected {units} x {count}")
    return of_vector(ops.reshape(vector, (*vector.shape[:-1], units, count)), shapes(unit, sizes))


def check_weights(name: str, unit: Stage, units: int, weights: Weights, *, batch: bool = False) -> dict[str, Array]:
    """Float64 weights of shape (R, rows, columns), with the frozen ones that are given among them.

    With `batch` a direction: the parameters alone, possibly a block of shape (k, R, rows, columns).

    Raises:
        DataError: a missing or unknown name, or another shape.
    """
    names, frozen = tuple(unit.names.values()), () if batch else tuple(unit.frozen.values())
    if not set(names) <= set(weights) <= {*names, *frozen}:
        raise DataError(f"{name}: weights are {', '.join(map(str, weights))}; expected {', '.join((*names, *frozen))}")
    for weight, key in () if batch else unit.frozen.items():
        if key not in weights and isinstance(weight.initial, Normal):
            raise DataError(
                f"{name}: no values of {key}, which is frozen at random ones; expected them among the weights"
            )
    found = {key: check_array(name, key, weights[key]) for key in (*names, *frozen) if key in weights}
    ranks = {len(array.shape) for array in found.values()}
    fronts = {tuple(array.shape[:-2]) for array in found.values()}
    allowed = {3, 4} if batch else {3}
    if len(ranks) != 1 or not ranks <= allowed or len(fronts) != 1 or next(iter(fronts))[-1] != units:
        shown = ", ".join(f"{key} {tuple(array.shape)}" for key, array in found.items())
        raise DataError(f"{name}: weights have shapes {shown}; expected ({units}, rows, columns)")
    return found


def frozen_weights(unit: Stage, units: int, sizes: Mapping[str, int], given: Weights, ops: Ops) -> dict[Weight, Array]:
    """The values of all frozen weights, (R, rows, columns): the given ones, else where they start.

    Raises:
        DataError: an array of another shape.
    """
    found: dict[Weight, Array] = {}
    for weight, key in unit.frozen.items():
        shape = (units, *_matrix_shape(weight, sizes))
        start = given.get(key)
        drawn = _initial(weight, key, shape, sizes, np.random.default_rng(0)) if start is None else start
        found[weight] = ops.asarray(drawn)
    return found


def sizes_of(unit: Stage, weights: Weights, given: Mapping[str, int] = NO_SIZES) -> dict[str, int]:
    """The sizes that the shapes of the weights at hand give; where a product has several, with those given.

    Raises:
        DataError: two shapes that contradict each other or a dimension written as a number.
    """
    known: dict[str, int] = {}
    products: list[tuple[str, Shape, int]] = []
    for weight, name in unit.every_name.items():
        if name not in weights:
            continue
        rows, columns = map(int, weights[name].shape[-2:])
        for several, size in ((weight.shape[:1], rows), (weight.shape[1:], columns)):
            parts = tuple(factor for dimension in several for factor in factors(dimension))
            if len(parts) == 1:
                _learn(known, name, parts[0], size)
            elif parts:
                products.append((name, parts, size))
    while ready := [one for one in products if len(_unknown(one[1], {**given, **known})) <= 1]:
        for one in ready:
            products.remove(one)
            known |= _solved(*one, {**given, **known})
    return known


def _learn(known: dict[str, int], name: str, dimension: Dimension, size: int) -> None:
    found = dimension if isinstance(dimension, int) else known.setdefault(dimension, size)
    if found != size:
        raise DataError(f"weights: {name} has {size} for the dimension {dimension}; expected {found}")


def _unknown(parts: Shape, known: Mapping[str, int]) -> set[str]:
    return {n for n in parts if isinstance(n, str) and n not in known}


def _solved(name: str, parts: Shape, size: int, known: Mapping[str, int]) -> dict[str, int]:
    """The one size that is not known among those whose product this is.

    Raises:
        DataError: there is none.
    """
    unknown = _unknown(parts, known)
    times = sum(n in unknown for n in parts)
    rest = math.prod(size_of(n, known) for n in parts if n not in unknown)
    found = round((size / rest) ** (1 / times)) if unknown else 1
    if rest * found**times != size:
        shown = " x ".join(map(str, parts))
        raise DataError(f"weights: {name} has {size} for the dimensions {shown}; expected a product of their sizes")
    return dict.fromkeys(unknown, found)
