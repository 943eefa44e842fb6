"""Many linear networks of one number of layers in one program: their maps, the gradients of the loss, layer by layer.

A run is a network with layers W_1, ..., W_L of shape d x d. With shortcuts over n layers, h_0 = I and

    h_l = W_l h_{l-1},    plus h_{l-n} where n divides l,    F = h_L.

Let g_l be the derivative of the loss in h_l, transposed. Then g_L = (F S - T)^T, that in W_l is (h_{l-1} g_l)^T, and

    g_{l-1} = g_l W_l,    plus g_{l-1+n} where n divides l - 1.

Kept transposed, no g has to be turned for a product, and a layer costs three products of matrices. Weights have the
shape (L, runs, d, d). Runs with the same shortcuts stand together: `groups` says how many, and over how many
layers their shortcuts reach, 0 for none. Source: Li et al. 2016, Definition 1 and Equation 2.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from resproof.numeric.backend import Array, namespace
from resproof.numeric.data import DataError, check_array
from resproof.numeric.training.covariances import Covariances


class Group(NamedTuple):
    """So many runs with shortcuts over so many layers, 0 for none."""

    shortcut_depth: int
    runs: int


def check_networks(name: str, weights: Array, groups: Sequence[Group]) -> Array:
    """The weights as finite float64 of shape (L, runs, d, d), the runs being those of the groups.

    Raises:
        DataError: another shape, entries that are not finite, or shortcuts that do not divide the layers.
    """
    weights = check_array(name, "the weights", weights)
    shape = tuple(weights.shape)
    if len(shape) != 4 or shape[2] != shape[3] or 0 in shape:
        raise DataError(f"{name}: the weights have shape {shape}; expected (layers, runs, d, d)")
    if sum(group.runs for group in groups) != shape[1]:
        raise DataError(f"{name}: the groups have {sum(one.runs for one in groups)} runs, the weights {shape[1]}")
    for group in groups:
        if group.shortcut_depth < 0 or group.runs < 0 or (group.shortcut_depth and shape[0] % group.shortcut_depth):
            raise DataError(
                f"{name}: shortcuts over {group.shortcut_depth} layers in a network of {shape[0]}; expected a divisor, "
                "or 0 for none"
            )
    return weights


def _ends(groups: Sequence[Group], layer: int) -> Generator[tuple[slice, int]]:
    """The runs in which a shortcut joins layer `layer`, and over how many layers it comes."""
    first = 0
    for depth, runs in groups:
        if depth and runs and layer % depth == 0:
            yield slice(first, first + runs), depth
        first += runs


def states(weights: Array, groups: Sequence[Group]) -> list[Array]:
    """h_0, ..., h_L, each of shape (runs, d, d); h_L are the maps of the networks."""
    xp, (layers, runs, d, _) = namespace(weights), weights.shape
    identity = xp.broadcast_to(xp.eye(d, dtype=xp.float64), (runs, d, d))
    found = [identity]
    for layer in range(1, layers + 1):
        # The first layer acts on the identity. A copy, for shortcuts are added in place.
        state = xp.asarray(weights[0, ...], copy=True) if layer == 1 else weights[layer - 1, ...] @ found[-1]
        for mine, depth in _ends(groups, layer):
            state[mine, :, :] += found[layer - depth][mine, :, :]
        found.append(state)
    return found


def backward(
    weights: Array, groups: Sequence[Group], before: Sequence[Array], slope: Array
) -> Generator[tuple[int, Array]]:
    """l and the derivative of the loss in W_l, transposed, from l = L to 1; W_l may be overwritten once it is told.

    `before` are the states, `slope` the derivative in the maps, of shape (runs, d, d).
    """
    xp = namespace(weights)
    layers = int(weights.shape[0])
    behind = {layers: xp.matrix_transpose(slope)}
    reach = max((group.shortcut_depth for group in groups), default=0)
    for layer in range(layers, 0, -1):
        here = behind[layer]
        gradient = before[layer - 1] @ here if layer > 1 else here
        if layer > 1:
            below = here @ weights[layer - 1, ...]
            for mine, depth in _ends(groups, layer - 1):
                if layer - 1 + depth <= layers:
                    below[mine, :, :] += behind[layer - 1 + depth][mine, :, :]
            behind[layer - 1] = below
        _ = behind.pop(layer + reach, None)
        yield layer, gradient


def maps(weights: Array, groups: Sequence[Group]) -> Array:
    """F of each network, of shape (runs, d, d).

    Raises:
        DataError: as `check_networks` has it.
    """
    return states(check_networks("maps", weights, groups), groups)[-1]


def gradients(weights: Array, groups: Sequence[Group], data: Covariances) -> Array:
    """The gradient of each network's loss, in the shape of the weights.

    Raises:
        DataError: as `check_networks` has it.
    """
    weights = check_networks("gradients", weights, groups)
    xp, before = namespace(weights), states(weights, groups)
    found = xp.empty_like(weights)
    for layer, gradient in backward(weights, groups, before, data.slope(before[-1])):
        found[layer - 1, ...] = xp.matrix_transpose(gradient)
    return found
