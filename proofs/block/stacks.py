"""A network of units, of one kind or of several in a pattern, with a stem and a head, seen from its units: for `check`.

With x the data, X = stem(x) is what the units take, and the loss of what a head makes of the stream f, l(P(f), y), is a
loss of f (`numeric.network.readout`). So D and A of equal units are those of `symbolic.index`, which reads the head as it
reads a unit: with J and K the derivatives of P at X, g and Q those of l at P(X), they have J^T g where a network without a
head has g, and J^T Q J + sum_k g_k K_k where it has Q.

Weights of stem and head that are trained, q of them, border that Hessian: H = [[H_units, B], [B^T, E]]. By Cauchy's
interlacing theorem the k-th largest eigenvalue of H lies between the k-th and the (k - q)-th of H_units. Nor is the
point stationary where the gradient in the head is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.estimate import refuse_enormous
from resproof.architectures.losses import Loss
from resproof.architectures.networks import HEAD, STEM, Network, Stack
from resproof.architectures.nodes import Apply, nodes
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.architectures.text import short_text
from resproof.architectures.values import Normal
from resproof.architectures.variations import held_fixed
from resproof.numeric.backend import Array, device
from resproof.numeric.data import DataError, check_input, read_shape
from resproof.numeric.limits import NotFiniteError
from resproof.numeric.network import adjoint, stacked
from resproof.numeric.network.parameters import given_sizes
from resproof.numeric.network.readout import through
from resproof.numeric.network.running_error import bounded_head_gradient
from resproof.numeric.spectra.contract import Environment, environment
from resproof.proofs.block.general import Border, Setting, given_data
from resproof.proofs.block.kinds import one_unit
from resproof.proofs.samples import data_for
from resproof.proofs.statement import Context, Data


@dataclass(frozen=True, slots=True)
class UnitsOfNetwork:
    """The unit of a network, and the setting that it finds itself in."""

    unit: ResidualUnit
    setting: Setting


def unit_of(stack: Stack) -> ResidualUnit:
    """What a network repeats: its unit, or its pattern of units of several kinds as one.

    Raises:
        ArchitectureError: too long a pattern, or a head with too long a series or an activation of a unit's name.
    """
    unit = stack.pattern[0] if len(stack.pattern) == 1 else one_unit(stack.pattern)
    if HEAD in stack.stages:
        try:
            _check_head(stack.stages[HEAD], unit)
        except ArchitectureError as error:
            raise ArchitectureError(f"network: {HEAD}: {error}") from None
    return unit


def _check_head(head: Stage, unit: ResidualUnit) -> None:
    """Nothing, where the head can be read in index notation behind the unit.

    Raises:
        ArchitectureError: its series is too long, or it has another activation of the name of one of the unit's.
    """
    refuse_enormous(head.expression, behind=unit.expression)
    known = {node.activation.name: node.activation for node in nodes(unit.expression) if isinstance(node, Apply)}
    for node in nodes(head.expression):
        if isinstance(node, Apply) and known.setdefault(node.activation.name, node.activation) != node.activation:
            raise ArchitectureError(
                f"an activation is called {node.activation.name}, and so is another one in a unit; expected two names"
            )


def seen_from_units(stack: Stack, data: Data | None, sizes: Mapping[str, int], context: Context) -> UnitsOfNetwork:
    """The network on data: Y targets of the head's shape, or labels; by default the digits, where they fit.

    Raises:
        ArchitectureError: as `unit_of`.
        DataError: data or sizes of another shape or kind, or none where the digits do not fit.
    """
    unit, ops = unit_of(stack), device("cpu").ops
    data = data or _digits(stack, unit, sizes)
    x = check_input("check", stack.first, np.asarray(data.X))
    known = stacked.bound_sizes("check", stack, {}, x, {**_defaults(stack, unit, x, sizes), **sizes})
    weights = stacked.initial_weights(stack, known, ops, context.seed, shared=True)
    stream = stacked.stream(stack, weights, x)
    _refuse_infinite(stack, weights, x)
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


def _refuse_infinite(stack: Stack, weights: Mapping[str, Any], x: Array) -> None:
    """Nothing, where the network has a value on the data.

    Raises:
        DataError: it has none, as behind a norm of scale 0.
    """
    try:
        _ = adjoint.outputs(stack, weights, x)
    except NotFiniteError as error:
        said = str(error).removeprefix("outputs: ")
        raise DataError(f"check: {said} on these data; expected finite numbers: a norm of scale 0 has none") from None


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
    return _through(stack, held_fixed(stack.stages[HEAD]), weights, sizes)


def _through(stack: Stack, head: Stage, weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Loss:
    """The loss through a head of the weights of the network's."""
    own = {name: weights[f"{HEAD}.{name}"] for name in head.every_name.values()}
    return through(stack.loss_of_outputs, head, own, sizes, HEAD)


def _said(stack: Stack, seed: int) -> tuple[str, ...]:
    """What is seen through what, and which values are drawn."""
    notes = list[str]()
    if STEM in stack.stages:
        stem = stack.stages[STEM]
        notes.append(f"X is what the stem gives, {short_text(stem.expression, stem.every_name)} with h the data")
    if HEAD in stack.stages:
        head = stack.stages[HEAD]
        notes.append(f"the loss is that of {short_text(head.expression, head.every_name)}, h what the last unit gives")
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
    found = adjoint.gradient(stack, weights, *data)
    norm = float(np.sqrt(sum(np.sum(np.asarray(found[name]) ** 2) for name in names)))
    moves = _moves(stack, weights, sizes, env)
    return Border(tuple(names), sum(a * b for a, b in map(shapes.__getitem__, names)), norm, moves)


def _moves(stack: Stack, weights: Mapping[str, Any], sizes: Mapping[str, int], env: Environment) -> bool:
    """Whether the gradient in the head's weights exceeds its rounding bound somewhere, the stream as given."""
    if HEAD not in stack.stages:
        return False
    read = _through(stack, stack.stages[HEAD], weights, sizes).reads
    assert read is not None
    found = bounded_head_gradient(read, env.x, env.y).values()
    return any(bool(np.any(np.abs(slope) > error)) for slope, error in found)
