"""The weights, sizes and targets of a network of unequal parts (`architectures.networks`).

Weights are named by place and name, "1.W1", and are matrices, (rows, columns): every place has its own. Value, gradient
and products are those of `adjoint`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from resproof.architectures.networks import STEM, Stack
from resproof.architectures.properties import the_input
from resproof.architectures.values import Normal
from resproof.numeric.backend import Array, Ops, ops_of
from resproof.numeric.data import (
    NO_SIZES,
    SAMPLES,
    DataError,
    as_batch,
    bind,
    check_array,
    check_input,
    of_batch,
    outputs_targets,
    size_of,
)
from resproof.numeric.limits import NotFiniteError, is_finite
from resproof.numeric.network import parameters
from resproof.numeric.network.parameters import Weights, given_sizes, sizes_of
from resproof.numeric.network.program import program
from resproof.numeric.network.run import Part, Run
from resproof.numeric.network.series import FloatSeries


def shapes(stack: Stack, sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """(rows, columns) of every parameter matrix, by place and name."""
    return {
        f"{place}.{name}": shape
        for place, stage in stack.stages.items()
        for name, shape in parameters.shapes(stage, sizes).items()
    }


def initial_weights(
    stack: Stack, sizes: Mapping[str, int], ops: Ops, seed: int = 0, *, shared: bool = False
) -> dict[str, Array]:
    """The initial point, frozen weights included: drawn for each place, or once for all places of one unit (`shared`).

    Raises:
        DataError: a variance whose dimension has no size, or an array of another shape.
    """
    found: dict[str, Array] = {}
    kinds = list(dict.fromkeys(stack.stages.values()))
    for number, (place, stage) in enumerate(stack.stages.items()):
        draw = (seed, kinds.index(stage) if shared else number)
        for name, array in parameters.initial_weights(stage, 1, sizes, ops, draw).items():
            found[f"{place}.{name}"] = array[0, ...]
    return found


def random_weights(
    stack: Stack, sizes: Mapping[str, int], ops: Ops, seed: int = 0, *, scale: float = 1.0
) -> dict[str, Array]:
    """Independent N(0, scale^2) entries for every parameter."""
    generator = np.random.default_rng(seed)
    drawn = {name: generator.standard_normal(shape) for name, shape in shapes(stack, sizes).items()}
    return {name: ops.asarray(scale * array) for name, array in drawn.items()}


def flatten(stack: Stack, weights: Weights) -> Array:
    """The parameters as one vector, place after place, each matrix column by column; batch axes stay in front."""
    return parameters.as_vector(
        [weights[f"{p}.{n}"] for p, stage in stack.stages.items() for n in stage.names.values()]
    )


def unflatten(stack: Stack, vector: Array, sizes: Mapping[str, int]) -> dict[str, Array]:
    """The inverse of `flatten`.

    Raises:
        DataError: the vector's length is not that of the network.
    """
    known = shapes(stack, sizes)
    count = sum(rows * cols for rows, cols in known.values())
    if vector.shape[-1] != count:
        raise DataError(f"parameters: the vector has length {vector.shape[-1]}; expected {count}")
    return parameters.of_vector(vector, known)


def stream(stack: Stack, weights: Weights, x: Array) -> Array:
    """What the units take: the stem of the data, or the data themselves.

    Raises:
        DataError: data or weights of another shape or kind.
        NotFiniteError: it is not finite.
    """
    x = check_input("stream", stack.first, x)
    every, _ = parts("stream", stack, weights, None, x)
    if STEM not in stack.stages:
        return x
    run = Run(every[:1], FloatSeries(ops_of(x), 0), ())
    with run.ops.quiet():
        found = run.output(as_batch(stack.first, x))[0]
    if found is None or not is_finite(run.ops, found):
        raise NotFiniteError("stream: the output of the stem is not finite")
    return of_batch(stack.first, found)


def bound_sizes(
    name: str, stack: Stack, weights: Weights, x: Array, sizes: Mapping[str, int] = NO_SIZES
) -> dict[str, int]:
    """The size of every dimension name of every part, from the data, the weights, arrays and what is given.

    Raises:
        DataError: a name without a size, or with two.
    """
    found = dict(sizes)
    for place, stage in stack.stages.items():
        own = {key: weights[f"{place}.{key}"] for key in stage.every_name.values() if f"{place}.{key}" in weights}
        for known in (given_sizes(stage), sizes_of(stage, own)):
            for dimension, size in known.items():
                if found.setdefault(dimension, size) != size:
                    raise DataError(
                        f"{name}: {place} has {size} for the dimension {dimension}; expected {found[dimension]}"
                    )
    found = bind(name, stack.first, check_input(name, stack.first, x), found)
    for place, stage in stack.stages.items():
        missing = [key for key in stage.dimensions if key not in found]
        if missing:
            raise DataError(f"{name}: the dimension {missing[0]} of {place} has no size; expected one")
    return found


def parts(
    name: str, stack: Stack, weights: Weights, tangents: Weights | None, x: Array
) -> tuple[Sequence[Part], tuple[int, ...]]:
    """The parts as they are run, and the axes in front of a tangent.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    ops, known = ops_of(x), _checked(name, stack, weights)
    sizes = bound_sizes(name, stack, known, x)
    moved, front = ({}, ()) if tangents is None else _directions(name, stack, tangents, sizes)
    found: list[Part] = []
    for place, stage in stack.stages.items():
        own = {k: known[f"{place}.{k}"][None, ...] for k in stage.every_name.values() if f"{place}.{k}" in known}
        values = {
            weight: (own[key], moved[f"{place}.{key}"][..., None, :, :]) if moved else (own[key],)
            for weight, key in stage.names.items()
        }
        frozen = parameters.frozen_weights(stage, 1, sizes, own, ops)
        found.append(Part.of(program(stage, ops, sizes), values | {w: (a,) for w, a in frozen.items()}, 1))
    return found, front


def _checked(name: str, stack: Stack, weights: Weights) -> dict[str, Array]:
    """Float64 matrices by place and name.

    Raises:
        DataError: a missing or unknown name, or no matrix.
    """
    needed, allowed = list[str](), list[str]()
    for place, stage in stack.stages.items():
        needed += [f"{place}.{key}" for key in stage.names.values()]
        needed += [f"{place}.{key}" for weight, key in stage.frozen.items() if isinstance(weight.initial, Normal)]
        allowed += [f"{place}.{key}" for key in stage.every_name.values()]
    _check_names(name, weights, needed, allowed)
    found = {key: check_array(name, key, weights[key]) for key in allowed if key in weights}
    for key, array in found.items():
        if len(array.shape) != 2:
            raise DataError(f"{name}: {key} has shape {tuple(array.shape)}; expected (rows, columns)")
    return found


def _directions(
    name: str, stack: Stack, tangents: Weights, sizes: Mapping[str, int]
) -> tuple[dict[str, Array], tuple[int, ...]]:
    """The parameters' tangents, possibly with one axis in front, and that axis's length.

    Raises:
        DataError: a missing or unknown name, or another shape.
    """
    known = shapes(stack, sizes)
    _check_names(name, tangents, list(known), list(known))
    found = {key: check_array(name, key, tangents[key]) for key in known}
    fronts = {tuple(a.shape[:-2]) for a in found.values()}
    for key, array in found.items():
        if tuple(array.shape[-2:]) != known[key] or len(fronts) > 1 or len(array.shape) > 3:
            raise DataError(f"{name}: the tangent of {key} has shape {tuple(array.shape)}; expected {known[key]}")
    return found, next(iter(fronts), ())


def _check_names(name: str, given: Weights, needed: Sequence[str], allowed: Sequence[str]) -> None:
    """Nothing, where all that is needed is given and nothing else than what is allowed.

    Raises:
        DataError: a name is missing or unknown.
    """
    missing, unknown = [key for key in needed if key not in given], [key for key in given if key not in allowed]
    if missing or unknown:
        what = f"no {missing[0]}" if missing else f"{unknown[0]}, which is none of them"
        raise DataError(f"{name}: among the weights there is {what}; expected {', '.join(allowed)}")


def fault(stack: Stack, place: int | None, found: Weights) -> str:
    """Where numbers that are not finite began: the first place on the way through, else a parameter's derivative."""
    if place is not None:
        return f"the output of {list(stack.stages)[place]} is not finite"
    bad = [key for key, array in found.items() if not is_finite(ops_of(array), array)]
    return f"the derivative by {bad[-1] if bad else 'the data'} is not finite"


def output_shape(stack: Stack, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of what the last part gives: (rows, m), or (m, rows, ...) where columns are tokens."""
    shape = stack.last.expression.shape
    if stack.last.mixes_columns:
        return (sizes[SAMPLES], *(size_of(n, sizes) for n in shape))
    across = the_input(stack.last.expression).columns
    return (size_of(shape[0], sizes), sizes[SAMPLES] if shape[1] == across else size_of(shape[1], sizes))


def targets_of(name: str, stack: Stack, run: Run, y: Any) -> Array:
    """Targets of the outputs of a run, of their shape with an axis for samples in front.

    Raises:
        DataError: as `outputs_targets`.
    """
    shape = tuple(run.last.shapes[run.last.root])
    found = targets(name, stack, shape if stack.last.mixes_columns else shape[1:], y, run.ops)
    return run.ops.reshape(found, shape)


def targets(name: str, stack: Stack, shape: tuple[int, ...], y: Any, ops: Ops) -> Array:
    """Targets for outputs of this shape, or labels, with all axes of a sample but the first as one.

    Raises:
        DataError: as `outputs_targets`.
    """
    y = check_array(name, "Y", y)
    if not stack.last.mixes_columns or len(shape) == 3:
        return outputs_targets(name, stack.loss_of_outputs, shape, y, ops)
    front, columns = shape[:2], math.prod(shape[2:])
    known = {shape: (*front, columns), (shape[0], *shape[2:]): (shape[0], columns)}
    y = ops.reshape(y, known.get(tuple(y.shape), tuple(y.shape)))
    return outputs_targets(name, stack.loss_of_outputs, (*front, columns), y, ops)
