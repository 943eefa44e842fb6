"""Whether a sum of index terms is nonzero somewhere: what the canonical form alone cannot know.

Sums that are equal by the relations that `symbolic.index.canonical` applies have equal forms, so that an empty one is proved
zero. One with terms is nonzero for symbols in general position, but the values of functions have relations of their own
(tanh is odd). A *witness* is an instance on which the sum exceeds its rounding bound: then it is not identically zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import IndexSum
from resproof.architectures.losses import Loss, Readout, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Apply, nodes
from resproof.architectures.properties import dimension_names, shifts, the_input
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Identity, Initial, Ones, Zero
from resproof.architectures.variations import taking, with_sized_constants
from resproof.numeric.backend import Array
from resproof.numeric.data import DataError, as_columns, read_shape, size_of, with_axes
from resproof.numeric.limits import NotFiniteError
from resproof.numeric.network.adjoint import outputs
from resproof.numeric.network.parameters import every_shape, initial_weights, shapes
from resproof.numeric.network.readout import through
from resproof.numeric.spectra import balanced
from resproof.numeric.spectra.contract import Environment, environment
from resproof.symbolic.index.lift import NotIdentityError
from resproof.symbolic.index.structure import offending_addend

TRIES = 3
"""Random instances."""
CLOSE = 1e-9
"""How far an output may lie from an input of size one for the two to be called equal."""
SIDES = 8
"""So many times as many where an activation has a kink: on one side of it everything may vanish."""
FARTHEST = 16
"""Places in all by which shifts move that an instance has room for."""


def exceeds(terms: IndexSum, env: Environment) -> bool:
    """Whether some entry of the sum exceeds its rounding bound."""
    found, bound = balanced.contract(terms, env), balanced.contraction_bound(terms, env)
    exponent = max(found.exponent, bound.exponent)
    return bool(np.any(np.abs(found.at(exponent)) > bound.at(exponent)))


def has_witness(terms: IndexSum, unit: ResidualUnit, loss: Loss = squared) -> bool:
    """Whether the sum is nonzero at some random data, weights and directions, of sizes in general position.

    A unit with generic activations has no values: there the symbols are in general position by definition.
    """
    if not terms.terms:
        return False
    activations = {node.activation for node in nodes(unit.expression) if isinstance(node, Apply)}
    if any(one.generic for one in activations):
        return True
    tries = TRIES * SIDES if any(one.kinks for one in activations) else TRIES
    with np.errstate(all="ignore"):
        return any(exceeds(terms, instance(unit, loss, seed)) for seed in range(tries))


def not_identity(unit: ResidualUnit, error: NotIdentityError) -> str:
    """Why GEN-1's hypothesis fails, or cannot be established, in one line."""
    if _seems_identity(unit):
        return (
            "the unit passes its input through on every instance tried, by no relation that is known here: that is open"
        )
    return f"the unit is not the identity at its initial point: {offending_addend(unit) or error}"


def _seems_identity(unit: ResidualUnit) -> bool:
    """Whether the unit passes random data through, up to rounding, at random initial weights."""
    if any(isinstance(node, Apply) and node.activation.generic for node in nodes(unit.expression)):
        return False
    for seed in range(TRIES):
        env = instance(unit, squared, seed)
        try:
            found = passed_through(unit, env, env.x, seed)
        except (ArchitectureError, DataError, NotFiniteError):
            return False
        if not np.allclose(found, env.x, rtol=0.0, atol=CLOSE):
            return False
    return True


def passed_through(unit: ResidualUnit, env: Environment, x: Array, seed: int) -> Array:
    """What one unit makes of x at its initial point; both with the axes of a sample but the first as one.

    Raises:
        NotFiniteError: it is not finite.
    """
    unit = with_sized_constants(unit, env.sizes)
    weights = initial_weights(unit, 1, env.sizes, env.ops, seed)
    return as_columns(unit, outputs(Network(unit, 1), weights, with_axes(unit, env.ops.asarray(x), env.sizes)))


def instance(unit: ResidualUnit, loss: Loss, seed: int) -> Environment:
    """Random data, initial weights and directions for two units; dimensions that are names have sizes of their own."""
    draw, h = np.random.default_rng(seed), the_input(unit.expression)
    parts = (unit.expression, *(() if loss.reads is None else (loss.reads.head.expression,)))
    numbers = count(3 + min(sum(steps for one in parts for _, steps in shifts(one)), FARTHEST))
    sizes: Mapping[str, int] = {name: next(numbers) for name in dimension_names(unit.expression)}

    samples = next(numbers)
    axes = tuple(size_of(n, sizes) for n in h.shape)
    shape = (samples, *axes) if unit.mixes_columns else (axes[0], samples)
    if loss.reads is not None:
        loss = _with_head_of(loss.reads, unit, sizes, numbers, draw)
    x = draw.standard_normal(shape)
    y = draw.standard_normal(shape if loss.reads is None else read_shape(x, loss.reads))
    if not (loss if loss.reads is None else loss.reads.inner).quadratic:
        y = np.abs(y) / np.abs(y).sum(axis=-len(axes), keepdims=True)
    directions = shapes(unit, sizes).items()
    return environment(
        Network(unit, 2, loss),
        x,
        y,
        sizes=sizes,
        perturbations={(name, r): draw.standard_normal(side) for r in (1, 2) for name, side in directions},
        initial={name: draw.standard_normal(side) for name, side in every_shape(unit, sizes).items()},
    )


def _with_head_of(
    read: Readout, unit: ResidualUnit, known: Mapping[str, int], numbers: Iterator[int], draw: np.random.Generator
) -> Loss:
    """The loss through the same head on a unit's own axes, with sizes of its own and random weights."""
    head = taking(read.head, unit)
    sizes = {**known, **{n: next(numbers) for n in dimension_names(head.expression) if n not in known}}
    sides = every_shape(head, sizes)
    weights = {name: _started(weight.initial, sides[name], draw) for weight, name in head.every_name.items()}
    return through(read.inner, head, weights, sizes, read.name)


def _started(initial: Initial, side: tuple[int, int], draw: np.random.Generator) -> Array:
    """Any matrix, where the exact side takes it for any; else the one that it takes it for."""
    match initial:
        case Zero():
            return np.zeros(side)
        case Ones():
            return np.ones(side)
        case Identity():
            return np.eye(*side)
        case _:
            return draw.standard_normal(side)
