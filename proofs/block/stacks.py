"""A network of units, of one kind or of several in a pattern, with a stem and a head, seen from its units: for `check`.

With x the data, X = stem(x) is what the units take, and the loss of what a linear head reads, l(C f + o, y), is a loss of
the stream f (`numeric.network.readout`). So D and A of equal units are those of `symbolic.index`, with C an opaque matrix,
g and Q the derivatives of l at C X + o.

Weights of stem and head that are trained, q of them, border that Hessian: H = [[H_units, B], [B^T, E]]. By Cauchy's
interlacing theorem the k-th largest eigenvalue of H lies between the k-th and the (k - q)-th of H_units. Nor is the
point stationary where the gradient in the head, g (C X + o) X^T summed, is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from architectures.errors import ArchitectureError
from architectures.expressions import Add, Einsum, Input, Normal, Weight
from architectures.losses import Loss
from architectures.networks import Network, ResidualUnit, Stage
from architectures.properties import mixes_columns, the_input
from architectures.stacks import HEAD, STEM, Stack
from architectures.text import short_text
from numeric.backend import Array, device
from numeric.data import DataError, check_input, read_shape, size_of, slots
from numeric.network import stacked
from numeric.network.linear import is_affine
from numeric.network.parameters import given_sizes
from numeric.network.readout import through
from numeric.rounding import gamma
from numeric.spectra.contract import DERIVED, Environment, environment, gradient_of_loss
from proofs.block.general import Border, Setting, given_data
from proofs.block.kinds import one_unit
from proofs.samples import data_for
from proofs.statement import Context, Data


class LinearHead(NamedTuple):
    """A head C h + o: the weights C and o."""

    matrix: Weight
    offset: Weight | None


@dataclass(frozen=True, slots=True)
class UnitsOfNetwork:
    """The unit of a network, and the setting that it finds itself in."""

    unit: ResidualUnit
    setting: Setting


def unit_of(stack: Stack) -> ResidualUnit:
    """What a network under an affine head repeats: its unit, or its pattern of units of several kinds as one.

    Raises:
        ArchitectureError: another head, or too long a pattern.
    """
    head = stack.stages.get(HEAD)
    if head is not None and not is_affine(head.expression):
        shown = short_text(head.expression, head.every_name)
        raise ArchitectureError(
            f"network: the head is {shown}; expected one that is affine in h: the loss through another is not known here"
        )
    return stack.pattern[0] if len(stack.pattern) == 1 else one_unit(stack.pattern)


def _linear(head: Stage) -> LinearHead | None:
    """The head as C h + o, where it is written so."""
    match head.expression:
        case Einsum(form="product", operands=(Weight() as c, Input())):
            return LinearHead(c, None)
        case Add(left=Einsum(form="product", operands=(Weight() as c, Input())), right=Weight() as o) if o.shape == (
            c.shape[0],
            1,
        ):
            return LinearHead(c, o)
        case _:
            return None


def seen_from_units(stack: Stack, data: Data | None, sizes: Mapping[str, int], context: Context) -> UnitsOfNetwork:
    """The network on data: Y targets of the head's shape, or labels; by default the digits, where they fit.

    Raises:
        ArchitectureError: a head that is not affine, or too long a pattern.
        DataError: data or sizes of another shape or kind, or none where the digits do not fit.
    """
    unit, ops = unit_of(stack), device("cpu").ops
    data = data or _digits(stack, unit, sizes)
    x = check_input("check", stack.first, np.asarray(data.X))
    known = stacked.bound_sizes("check", stack, {}, x, {**_defaults(stack, unit, x, sizes), **sizes})
    weights = stacked.initial_weights(stack, known, ops, context.seed, shared=True)
    stream = stacked.stream(stack, weights, x)
    y = stacked.targets("check", stack, stacked.output_shape(stack, known), data.Y, ops)
    loss = _through_head(stack, weights, known)
    y = np.reshape(y, stream.shape if loss.reads is None else read_shape(stream, loss.reads))
    inner = {name: size for name, size in known.items() if name in unit.dimensions}
    env = environment(Network(unit, 1, loss), stream, y, sizes=inner)
    notes, border = _said(stack, context.seed), _border(stack, weights, (x, np.asarray(data.Y)), known, env)
    pattern = stack.pattern if len(stack.pattern) > 1 else ()
    times = len(stack.residual_units) // len(stack.pattern)
    at = Setting(
        loss, times, Data(stream, y, data.name), inner, border, notes, pattern, stack.branch_scale, stack.shared
    )
    _ = given_data(unit, at)
    return UnitsOfNetwork(unit, at)


def _digits(stack: Stack, unit: ResidualUnit, sizes: Mapping[str, int]) -> Data:
    """The digits, as for a unit, where the network gives what it takes.

    Raises:
        DataError: it does not.
    """
    if STEM in stack.stages or stack.last.expression.shape != the_input(stack.first.expression).shape:
        raise DataError("check: no data; expected X and Y, or labels, for a network with a stem or a head")
    return data_for(unit, {**given_sizes(unit), **sizes})


def _defaults(stack: Stack, unit: ResidualUnit, x: Array, sizes: Mapping[str, int]) -> dict[str, int]:
    """The width for the unit's inner dimensions that neither data, arrays nor `sizes` give."""
    width = unit.width
    known = {**{k: n for s in stack.stages.values() for k, n in stacked.given_sizes(s).items()}, **sizes}
    size = known.get(width) if isinstance(width, str) else width
    if size is None and STEM not in stack.stages:
        size = int(x.shape[-2])
    inner = [name for weight in unit.every_name for name in weight.shape if isinstance(name, str) and name not in known]
    return {} if size is None else {name: size for name in inner if name != width}


def _through_head(stack: Stack, weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Loss:
    """The loss of the stream."""
    if HEAD not in stack.stages:
        return stack.loss_of_outputs
    head = stack.stages[HEAD]
    found, names = _linear(head), head.every_name
    if found is None:
        matrix, offset = stacked.affine_head(stack, weights, sizes, device("cpu").ops)
        rows, *columns = head.expression.shape
        if not mixes_columns(head.expression):
            return through(stack.loss_of_outputs, matrix, offset, HEAD, rows)
        counts = tuple(size_of(n, sizes) for n in columns)
        return through(stack.loss_of_outputs, matrix, offset, HEAD, rows, tuple(columns), counts)
    offset = None if found.offset is None else weights[f"{HEAD}.{names[found.offset]}"]
    name = f"{HEAD}.{names[found.matrix]}"
    return through(stack.loss_of_outputs, weights[name], offset, name, found.matrix.shape[0])


def _said(stack: Stack, seed: int) -> tuple[str, ...]:
    """What is seen through what, and which values are drawn."""
    notes = list[str]()
    if STEM in stack.stages:
        stem = stack.stages[STEM]
        notes.append(f"X is what the stem gives, {short_text(stem.expression, stem.every_name)} with h the data")
    if HEAD in stack.stages:
        head = stack.stages[HEAD]
        notes.append(f"the loss is that of {short_text(head.expression, head.every_name)}, h what the last unit gives")
        if _linear(head) is None:
            notes.append("head stands for the matrix by which the head takes h, put together in floating point")
    ends = [(place, stack.stages[place]) for place in (STEM, HEAD) if place in stack.stages]
    drawn = [f"{p}.{n}" for p, s in ends for w, n in s.every_name.items() if isinstance(w.initial, Normal)]
    if drawn:
        notes.append(f"the initial values of {', '.join(drawn)} are drawn with seed {seed}")
    if stack.branch_scale is not None:
        notes.append(f"branches are scaled by s = {stack.branch_scale}, R = {len(stack.residual_units)} units in all")
    several = len(stack.pattern)
    if several > 1:
        whole = len(stack.residual_units)
        last = ascii_lowercase[several - 1]
        notes.append(f"R counts repetitions of the {several} units at the places a to {last}, {whole} units in all")
        if any(isinstance(w.initial, Normal) for unit in stack.pattern for w in unit.every_name):
            notes.append("each place of the pattern has random initial values of its own")
    return tuple(notes)


def _border(
    stack: Stack, weights: Mapping[str, Any], data: tuple[Array, Array], sizes: Mapping[str, int], env: Environment
) -> Border | None:
    """The trained weights of stem and head, how many parameters they have, and the gradient in them."""
    names = [
        f"{place}.{n}" for place in (STEM, HEAD) if place in stack.stages for n in stack.stages[place].names.values()
    ]
    if not names:
        return None
    shapes = stacked.shapes(stack, sizes)
    found = stacked.gradient(stack, weights, *data)
    norm = float(np.sqrt(sum(np.sum(np.asarray(found[name]) ** 2) for name in names)))
    return Border(tuple(names), sum(a * b for a, b in map(shapes.__getitem__, names)), norm, _moves(stack, env))


def _moves(stack: Stack, env: Environment) -> bool:
    """Whether the gradient in the head's matrix, g f^T / m, exceeds its rounding bound somewhere, the stream as given."""
    head = stack.stages.get(HEAD)
    linear = None if head is None else _linear(head)
    if linear is None or not linear.matrix.trainable:
        return False
    (g, off), f = gradient_of_loss(env), slots(env.x)
    terms, width = int(np.prod(f.shape[1:])), int(f.shape[0])
    bound = gamma(terms + width + len(g) + DERIVED) * _outer(off, np.abs(f))
    return bool(np.any(np.abs(_outer(g, f)) > bound))


def _outer(g: Array, f: Array) -> Array:
    """The sum over columns and samples of g f^T."""
    return np.reshape(g, (len(g), -1)) @ np.reshape(f, (len(f), -1)).T
