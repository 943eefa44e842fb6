"""Networks of blocks of two layers, many runs in one program: outputs, and the gradient of a loss by one reverse pass.

With phi the units' activation, N batch normalisation (or nothing) and s = 1 with shortcuts, 0 without,

    H_0 = phi(W_stem X),   U_b = phi(N(W_inner,b H_{b-1})),   H_b = psi(N(W_outer,b U_b) + s H_{b-1}),   f = W_head H_B.

psi is phi or the identity; W_stem and W_head may be absent. A block that sums over several paths is a wider one,

    sum_k W_outer^k phi(W_inner^k H) = [W_outer^1 ... W_outer^p] phi([W_inner^1; ...; W_inner^p] H).

Delta, the error signal of a layer, is the derivative of the loss in W H; the gradient in W is Delta H^T. Batch
normalisation has no parameters of its own:

    N(a) = (a - mean(a)) r,    r = (var(a) + epsilon)^(-1/2),

means over samples, unit by unit. With c = a - mean(a), so that N(a) = r c, a slope g in N(a) is in a

    r (g - mean(g) - r^2 c mean(g c)).

Rows keep such factors r apart, since phi(r c) = r phi(c) for r > 0: a product takes them with its matrix, which is
smaller.

Arrays have the shape (runs, rows, samples), weights (runs, rows, columns), those of blocks (blocks, runs, rows,
columns). Sources: He et al. 2016, Figure 2; Ioffe and Szegedy 2015, Algorithm 1;
Oyedotun et al., Equations 1 to 5.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from resproof.numeric.backend import Array, Namespace, namespace
from resproof.numeric.data import DataError

Weights: TypeAlias = dict[str, Array]
"""`inner` and `outer`, and `stem` and `head` where there are such."""
EPSILON = 1e-5
"""That of batch normalisation."""


@dataclass(frozen=True, slots=True)
class BlockForm:
    """What the blocks are made of; `after` says whether phi follows the sum as well."""

    shortcut: bool
    activation: Literal["relu", "linear"] = "relu"
    normalised: bool = True
    after: bool = True


class Room:
    """NumPy arrays that a pass writes its results into, in the order in which it asks for them; the next one again.

    What an earlier pass has returned is overwritten. Memory that is asked for anew costs as much as the products.
    """

    def __init__(self) -> None:
        """None yet."""
        self._arrays: list[Array] = []
        self._next = 0

    def begin(self) -> None:
        """A pass begins."""
        self._next = 0

    def array(self, shape: tuple[int, ...]) -> Array:
        """The next array; its entries are those of an earlier pass."""
        if self._next == len(self._arrays):
            self._arrays.append(np.empty(shape))
        elif self._arrays[self._next].shape != shape:
            self._arrays[self._next] = np.empty(shape)
        self._next += 1
        return self._arrays[self._next - 1]


class _Rows(NamedTuple):
    """A matrix, less positive factors of its rows; None where they are 1."""

    values: Array
    factors: Array | None = None

    @property
    def whole(self) -> Array:
        """The matrix."""
        return self.values if self.factors is None else self.values * self.factors


class _Layer(NamedTuple):
    """What the reverse pass needs of a product a = W H: H, a - mean(a) and r (None where nothing is normalised)."""

    before: _Rows
    centred: Array
    scale: Array | None


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass: H_0, ..., H_B, f, and what belongs to the layers."""

    states: list[Array]
    output: Array
    layers: list[tuple[_Layer, _Layer]]
    inputs: Array

    @property
    def inner(self) -> list[Array]:
        """The inner U_1, ..., U_B."""
        return [second.before.whole for _, second in self.layers]


class Error(NamedTuple):
    """Delta of one layer and the H before it: `weight` is its name, `block` its place, None for stem and head."""

    weight: str
    block: int | None
    slope: _Rows
    before: _Rows

    @property
    def delta(self) -> Array:
        """Delta."""
        return self.slope.whole

    @property
    def gradient(self) -> Array:
        """Delta H^T."""
        transposed = namespace(self.slope.values).matrix_transpose
        found = self.slope.values @ transposed(self.before.values)
        if self.slope.factors is not None:
            found *= self.slope.factors
        if self.before.factors is not None:
            found *= transposed(self.before.factors)
        return found


def check_weights(name: str, weights: Weights, inputs: int) -> None:
    """Shapes that follow on each other.

    Raises:
        DataError: they do not.
    """
    blocks, runs, units, width = weights["inner"].shape
    expected = {"outer": (blocks, runs, width, units), "stem": (runs, width, inputs)}
    if "stem" not in weights and width != inputs:
        raise DataError(f"{name}: blocks of width {width} on {inputs} inputs; expected a stem, or the same")
    for weight, wanted in expected.items():
        if weight in weights and tuple(weights[weight].shape) != wanted:
            raise DataError(f"{name}: {weight} has shape {tuple(weights[weight].shape)}; expected {wanted}")
    if "head" in weights and tuple(weights["head"].shape)[::2] != (runs, width):
        raise DataError(f"{name}: head has shape {tuple(weights['head'].shape)}; expected ({runs}, outputs, {width})")


def forward(
    net: BlockForm,
    weights: Weights,
    x: Array,
    counted: int | None = None,
    room: Room | None = None,
    *,
    keep: bool = True,
) -> Passed:
    """The network at X of shape (inputs, samples) or (runs, inputs, samples).

    The first `counted` samples give the means and variances, all of them by default. Where nothing is kept, only
    the output and H_0 are told.
    """
    xp, inputs = namespace(weights["inner"]), x
    if room is not None:
        room.begin()
    state = _activated(xp, net, _product(xp, weights["stem"], _Rows(x), room), room) if "stem" in weights else x
    states, layers = [state], list[tuple[_Layer, _Layer]]()
    for block in range(weights["inner"].shape[0]):
        before = _Rows(state)
        first = _Layer(before, *_normalised(xp, net, _product(xp, weights["inner"][block, ...], before, room), counted))
        units = _Rows(_activated(xp, net, first.centred, room), first.scale)
        product = _product(xp, weights["outer"][block, ...], units, room)
        second = _Layer(units, *_normalised(xp, net, product, counted))
        state = _joined(xp, net, second, state, room)
        if keep:
            layers.append((first, second))
            states.append(state)
    return Passed(states, weights["head"] @ state if "head" in weights else state, layers, inputs)


def errors(net: BlockForm, weights: Weights, passed: Passed, slope: Array) -> Generator[Error]:
    """Delta of every layer, from the last to the first; `slope` is the derivative of the loss in f."""
    xp, g = namespace(slope), slope
    if "head" in weights:
        yield Error("head", None, _Rows(g), _Rows(passed.states[-1]))
        g = xp.matrix_transpose(weights["head"]) @ g
    for block in range(len(passed.layers) - 1, -1, -1):
        first, second = passed.layers[block]
        if net.after:
            g = _masked(xp, net, g, passed.states[block + 1])
        delta = _back_normalised(xp, second, g)
        yield Error("outer", block, delta, second.before)
        inner = _masked(xp, net, _pulled(xp, weights["outer"][block, ...], delta), second.before.values)
        delta = _back_normalised(xp, first, inner)
        yield Error("inner", block, delta, first.before)
        through = _pulled(xp, weights["inner"][block, ...], delta)
        if net.shortcut:
            through += g
        g = through
    if "stem" in weights:
        yield Error("stem", None, _Rows(_masked(xp, net, g, passed.states[0])), _Rows(passed.inputs))


def gradients(net: BlockForm, weights: Weights, passed: Passed, slope: Array, room: Room | None = None) -> Weights:
    """The gradient of the loss in the weights, each in the shape of its own; `room` is that of the pass."""
    xp = namespace(slope)
    found = {
        name: xp.empty_like(weight) if room is None else room.array(weight.shape) for name, weight in weights.items()
    }
    for error in errors(net, weights, passed, slope):
        mine = found[error.weight] if error.block is None else found[error.weight][error.block, ...]
        mine[...] = error.gradient
    return found


def _product(xp: Namespace, weight: Array, rows: _Rows, room: Room | None) -> Array:
    if rows.factors is not None:
        weight = weight * xp.matrix_transpose(rows.factors)
    if room is None:
        return weight @ rows.values
    return np.matmul(weight, rows.values, out=room.array((*weight.shape[:-1], rows.values.shape[-1])))


def _pulled(xp: Namespace, weight: Array, delta: _Rows) -> Array:
    """W^T Delta."""
    if delta.factors is not None:
        weight = weight * delta.factors
    return xp.matrix_transpose(weight) @ delta.values


def _activated(xp: Namespace, net: BlockForm, a: Array, room: Room | None) -> Array:
    if net.activation == "linear":
        return a
    if room is None:
        return xp.maximum(a, _zeros(xp, a.shape))
    return np.maximum(a, _zeros(xp, a.shape), out=room.array(a.shape))


def _joined(xp: Namespace, net: BlockForm, layer: _Layer, state: Array, room: Room | None) -> Array:
    """psi(N(a) + s H)."""
    if layer.scale is None:
        total = layer.centred  # not looked at by the reverse pass
    elif room is None:
        total = layer.centred * layer.scale
    else:
        total = np.multiply(layer.centred, layer.scale, out=room.array(layer.centred.shape))
    if net.shortcut:
        total += state
    if net.activation == "linear" or not net.after:
        return total
    zeros = _zeros(xp, total.shape)
    return xp.maximum(total, zeros) if room is None else np.maximum(total, zeros, out=total)


def _masked(xp: Namespace, net: BlockForm, g: Array, activated: Array) -> Array:
    """A slope in phi(a) as one in a; at a = 0 the derivative of the ReLU is 0."""
    return g if net.activation == "linear" else g * xp.astype(activated > 0, g.dtype)


def _normalised(xp: Namespace, net: BlockForm, a: Array, counted: int | None) -> tuple[Array, Array | None]:
    """a - mean(a), in place of a, and r."""
    if not net.normalised:
        return a, None
    a -= _mean(xp, a if counted is None else a[..., :counted])  # a product just made, nobody else's
    seen = a if counted is None else a[..., :counted]
    return a, 1.0 / xp.sqrt(xp.vecdot(seen, seen)[..., None] / seen.shape[-1] + EPSILON)


def _back_normalised(xp: Namespace, layer: _Layer, g: Array) -> _Rows:
    if layer.scale is None:
        return _Rows(g)
    found = layer.centred * (layer.scale * layer.scale * xp.vecdot(g, layer.centred)[..., None] / -g.shape[-1])
    found -= _mean(xp, g)
    found += g
    return _Rows(found, layer.scale)


def _mean(xp: Namespace, a: Array) -> Array:
    """Over samples, as a product: faster than a reduction."""
    return a @ _weights_of_mean(xp, a.shape[-1])


@lru_cache(maxsize=8)
def _zeros(xp: Namespace, shape: tuple[int, ...]) -> Array:
    """To compare with: NumPy takes a third of the time that it takes with a number."""
    return xp.zeros(shape, dtype=xp.float64)


@cache
def _weights_of_mean(xp: Namespace, samples: int) -> Array:
    return xp.full((samples, 1), 1.0 / samples, dtype=xp.float64)
