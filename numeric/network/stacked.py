"""Value, gradient and Hessian-vector product of a network of unequal parts (`architectures.networks`).

Parts go one after the other, each by its own reading (`evaluate`, `reverse`), and all values are kept: forward over
reverse, as in `adjoint`, whose networks of equal units go faster and in bounded memory. Weights are named by place and
name, "1.W1", and are matrices, (rows, columns): every place has its own. The loss is the mean over samples of the sum
over the columns of the last part's output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from resproof.architectures.networks import STEM, Stack
from resproof.architectures.nodes import Expression, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.stages import Stage
from resproof.architectures.values import Normal
from resproof.numeric.backend import Array, Ops, ops_of
from resproof.numeric.data import NO_SIZES, SAMPLES, DataError, bind, check_array, check_input, outputs_targets, size_of
from resproof.numeric.limits import NotFiniteError, is_finite
from resproof.numeric.network import parameters
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.parameters import Weights, given_sizes, sizes_of
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.series import FloatSeries, Series, dense

_Record: TypeAlias = tuple[dict[Expression, Series], dict[Expression, Series]]


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
    names = [f"{place}.{name}" for place, stage in stack.stages.items() for name in stage.names.values()]
    ops = ops_of(weights[names[0]])
    columns = [ops.transpose(weights[name]) for name in names]
    return ops.concatenate([ops.xp.reshape(a, (*a.shape[:-2], -1)) for a in columns], -1)


def unflatten(stack: Stack, vector: Array, sizes: Mapping[str, int]) -> dict[str, Array]:
    """The inverse of `flatten`.

    Raises:
        DataError: the vector's length is not that of the network.
    """
    ops, known = ops_of(vector), shapes(stack, sizes)
    count = sum(rows * cols for rows, cols in known.values())
    if vector.shape[-1] != count:
        raise DataError(f"parameters: the vector has length {vector.shape[-1]}; expected {count}")
    found, start = {}, 0
    for name, (rows, cols) in known.items():
        part = vector[..., start : start + rows * cols]
        found[name] = ops.transpose(ops.xp.reshape(part, (*part.shape[:-1], cols, rows)))
        start += rows * cols
    return found


def outputs(stack: Stack, weights: Weights, x: Array) -> Array:
    """What the last part gives: (rows, m), or (m, rows, columns) where columns are tokens.

    Raises:
        DataError: data or weights of another shape or kind.
        NotFiniteError: it is not finite.
    """
    run = _Run.of("outputs", stack, weights, None, x)
    return run.output("outputs", check_input("outputs", stack.first, x))[0]


def stream(stack: Stack, weights: Weights, x: Array) -> Array:
    """What the units take: the stem of the data, or the data themselves.

    Raises:
        DataError: data or weights of another shape or kind.
        NotFiniteError: it is not finite.
    """
    run = _Run.of("stream", stack, weights, None, x)
    x = check_input("stream", stack.first, x)
    if STEM not in stack.stages:
        return x
    found = forward_with_slopes(run.programs[0], run.algebra, (x,), run.weights[0])[0][run.programs[0].root][0]
    if found is None or not is_finite(ops_of(x), found):
        raise NotFiniteError("stream: the output of the stem is not finite")
    return found


def value(stack: Stack, weights: Weights, x: Array, y: Array) -> float:
    """L(w). Y: the targets, of the outputs' shape, or labels as whole numbers under cross-entropy.

    Raises:
        DataError: data, targets or weights of another shape or kind.
        NotFiniteError: the loss is not finite.
    """
    run = _Run.of("value", stack, weights, None, x)
    x = check_input("value", stack.first, x)
    f = run.output("value", x)[0]
    target, ops = run.target("value", y), ops_of(x)
    with ops.quiet():
        found = float(ops.xp.sum(stack.loss_of_outputs.value(ops, run.columns(f), target))) / run.samples
    if not math.isfinite(found):
        raise NotFiniteError("value: the loss of the network's output is not finite")
    return found


def gradient(stack: Stack, weights: Weights, x: Array, y: Array) -> dict[str, Array]:
    """grad L(w) in every parameter.

    Raises:
        DataError: data, targets or weights of another shape or kind.
        NotFiniteError: it is not finite.
    """
    return _Run.of("gradient", stack, weights, None, x).pulled("gradient", x, y)


def hvp(stack: Stack, weights: Weights, tangents: Weights, x: Array, y: Array) -> dict[str, Array]:
    """H(w) v in every parameter; for a block of tangents (k, rows, columns), each one's product.

    Raises:
        DataError: data, targets, weights or tangents of another shape or kind.
        NotFiniteError: it is not finite.
    """
    return _Run.of("hvp", stack, weights, tangents, x).pulled("hvp", x, y)


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


@dataclass(frozen=True, slots=True)
class _Run:
    """The parts' programs and the series w + t v of their weights; `batch` are the axes in front of a tangent."""

    stack: Stack
    algebra: FloatSeries
    programs: tuple[Program, ...]
    weights: tuple[Mapping[Weight, Series], ...]
    batch: tuple[int, ...]

    @staticmethod
    def of(name: str, stack: Stack, weights: Weights, tangents: Weights | None, x: Array) -> _Run:
        """The checked run, of order 1 with tangents, else of order 0.

        Raises:
            DataError: data, weights or tangents of another shape or kind.
        """
        x = check_input(name, stack.first, x)
        ops, order = ops_of(x), 0 if tangents is None else 1
        known = _checked(name, stack, weights)
        sizes = bound_sizes(name, stack, known, x)
        moved, batch = ({}, ()) if tangents is None else _directions(name, stack, tangents, sizes)
        programs: dict[Stage, Program] = {}
        parts: list[dict[Weight, Series]] = []
        for place, stage in stack.stages.items():
            run = programs.setdefault(stage, program(stage, ops, sizes))
            own = {
                key: known[f"{place}.{key}"][None, ...]
                for key in stage.every_name.values()
                if f"{place}.{key}" in known
            }
            frozen = parameters.frozen_weights(stage, 1, sizes, own, ops)
            values = {w: own[key] for w, key in stage.names.items()} | frozen
            lifted = {w: _lifted(run, ops.xp.reshape(a, a.shape[1:])) for w, a in values.items()}
            changes = {w: _lifted(run, moved[f"{place}.{key}"]) for w, key in stage.names.items() if moved}
            parts.append({w: (a, *([changes.get(w)] * order)) for w, a in lifted.items()})
        return _Run(
            stack, FloatSeries(ops, order), tuple(programs[s] for s in stack.stages.values()), tuple(parts), batch
        )

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.programs[0].samples

    def output(self, name: str, x: Array) -> Series:
        """The series of the last part's output.

        Raises:
            NotFiniteError: it is not finite.
        """
        return self._forward(name, x)[1]

    def target(self, name: str, y: Array) -> Array:
        """The targets in the outputs' shape, as columns.

        Raises:
            DataError: they are none.
        """
        return targets(name, self.stack, self.axes, y, self.algebra.ops)

    def columns(self, f: Array) -> Array:
        """Outputs with all axes of a sample but the first as one."""
        if self.plain:
            return f
        front = f.shape[: len(f.shape) - len(self.axes)]
        return self.algebra.ops.reshape(f, (*front, *self.axes[:2], math.prod(self.axes[2:])))

    @property
    def axes(self) -> tuple[int, ...]:
        """The outputs' shape."""
        last = self.programs[-1]
        return tuple(last.shapes[last.root])

    @property
    def plain(self) -> bool:
        """Whether outputs are rows and columns as they are."""
        return self.programs[-1].rank == 2 or len(self.axes) == 3

    def pulled(self, name: str, x: Array, y: Array) -> dict[str, Array]:
        """The highest coefficient of the parameters' cotangents.

        Raises:
            DataError: targets of another shape or kind.
            NotFiniteError: a result is not finite.
        """
        ops, target = self.algebra.ops, self.target(name, y)
        records, f = self._forward(name, check_input(name, self.stack.first, x))
        with ops.quiet():
            cotangent = self._slope(f, target)
            found: dict[str, Array] = {}
            for place, run, record in reversed(list(zip(self.stack.stages, self.programs, records, strict=True))):
                collected = adjoint(run, self.algebra, *record, cotangent)
                cotangent = collected[the_input(run.root)]
                for weight, key in run.unit.names.items():
                    found[f"{place}.{key}"] = self._matrix(run, weight, collected[weight][-1])
        for key, array in found.items():
            if not is_finite(ops, array):
                raise NotFiniteError(f"{name}: the derivative by {key} is not finite")
        places = ((place, key) for place, stage in self.stack.stages.items() for key in stage.names.values())
        return {f"{place}.{key}": found[f"{place}.{key}"] for place, key in places}

    def _forward(self, name: str, x: Array) -> tuple[list[_Record], Series]:
        h: Series = (x, *[None] * self.algebra.order)
        records: list[_Record] = []
        with self.algebra.ops.quiet():
            for place, run, weights in zip(self.stack.stages, self.programs, self.weights, strict=True):
                values, slopes = forward_with_slopes(run, self.algebra, h, weights)
                h = values[run.root]
                if not all(a is None or is_finite(self.algebra.ops, a) for a in h):
                    raise NotFiniteError(f"{name}: the output of {place} is not finite")
                records.append((values, slopes))
        return records, h

    def _slope(self, f: Series, target: Array) -> Series:
        """l_f(f, y) / m and its tangent."""
        ops, loss, scale = self.algebra.ops, self.stack.loss_of_outputs, 1.0 / self.samples
        first, *moved = (None if a is None else self.columns(a) for a in f)
        change = [None if a is None else scale * loss.curvature(ops, first, target, a) for a in moved]
        slope = (scale * loss.gradient(ops, first, target), *change)
        return tuple(a if a is None or self.plain else ops.reshape(a, (*a.shape[:-3], *self.axes)) for a in slope)

    def _matrix(self, run: Program, weight: Weight, a: Array | None) -> Array:
        front = self.batch if self.algebra.order else ()
        flat = a if a is None or run.rank == 2 else a[..., 0, :, :]
        return dense(self.algebra.ops, flat, (*front, *run.matrix(weight)))


def _lifted(run: Program, a: Array) -> Array:
    """A matrix with a sample axis where there is one."""
    return a[..., None, :, :] if run.rank == 3 else a


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


def output_shape(stack: Stack, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of what the last part gives: (rows, m), or (m, rows, ...) where columns are tokens."""
    shape = stack.last.expression.shape
    if stack.last.mixes_columns:
        return (sizes[SAMPLES], *(size_of(n, sizes) for n in shape))
    across = the_input(stack.last.expression).columns
    return (size_of(shape[0], sizes), sizes[SAMPLES] if shape[1] == across else size_of(shape[1], sizes))


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
