"""Networks of blocks of two layers, many runs in one program: outputs, and the gradient of a loss by one reverse pass.

With phi the units' activation, N batch normalisation (or nothing) and s = 1 with shortcuts, 0 without,

    H_0 = phi(W_stem X),   U_b = phi(N(W_inner,b H_{b-1})),   H_b = psi(N(W_outer,b U_b) + s H_{b-1}),   f = W_head H_B.

psi is phi or the identity; W_stem and W_head may be absent. A block that sums over several paths is a wider one,

    sum_k W_outer^k phi(W_inner^k H) = [W_outer^1 ... W_outer^p] phi([W_inner^1; ...; W_inner^p] H).

Delta, the error signal of a layer, is the derivative of the loss in W H; the gradient in W is Delta H^T. Batch
normalisation has no parameters of its own:

    N(a) = (a - mean(a)) r,    r = (var(a) + epsilon)^(-1/2),

means over samples, unit by unit; a slope g in N(a) is r (g - mean(g) - N(a) mean(g N(a))) in a.

Arrays have the shape (runs, rows, samples), weights (runs, rows, columns), those of blocks (blocks, runs, rows,
columns). Sources: He et al. 2016, Figure 2; Ioffe and Szegedy 2015, Algorithm 1;
Oyedotun et al., Equations 1 to 5.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from numeric.backend import Array, Namespace, namespace
from numeric.data import DataError

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


class _Layer(NamedTuple):
    """What the reverse pass needs of a product W H: H, N(W H) and r (None where nothing is normalised)."""

    before: Array
    normal: Array
    scale: Array | None


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass: H_0, ..., H_B, the inner U_1, ..., U_B, and f."""

    states: list[Array]
    inner: list[Array]
    output: Array
    layers: list[tuple[_Layer, _Layer]]
    inputs: Array


class Error(NamedTuple):
    """Delta of one layer and the H before it: `weight` is its name, `block` its place, None for stem and head."""

    weight: str
    block: int | None
    delta: Array
    before: Array


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


def forward(net: BlockForm, weights: Weights, x: Array, counted: int | None = None) -> Passed:
    """The network at X of shape (inputs, samples) or (runs, inputs, samples).

    The first `counted` samples give the means and variances, all of them by default.
    """
    xp, inputs = namespace(weights["inner"]), x
    state = _activated(xp, net, weights["stem"] @ x) if "stem" in weights else x
    states, inner, layers = [state], list[Array](), list[tuple[_Layer, _Layer]]()
    for block in range(weights["inner"].shape[0]):
        normal, scale = _normalised(xp, net, weights["inner"][block, ...] @ state, counted)
        first = _Layer(state, normal, scale)
        units = _activated(xp, net, normal)
        normal, scale = _normalised(xp, net, weights["outer"][block, ...] @ units, counted)
        layers.append((first, _Layer(units, normal, scale)))
        state = normal + state if net.shortcut else normal
        state = _activated(xp, net, state) if net.after else state
        inner.append(units)
        states.append(state)
    return Passed(states, inner, weights["head"] @ state if "head" in weights else state, layers, inputs)


def errors(net: BlockForm, weights: Weights, passed: Passed, slope: Array) -> Generator[Error]:
    """Delta of every layer, from the last to the first; `slope` is the derivative of the loss in f."""
    xp, g = namespace(slope), slope
    if "head" in weights:
        yield Error("head", None, g, passed.states[-1])
        g = xp.matrix_transpose(weights["head"]) @ g
    for block in range(len(passed.layers) - 1, -1, -1):
        first, second = passed.layers[block]
        if net.after:
            g = _masked(xp, net, g, passed.states[block + 1])
        delta = _back_normalised(xp, second, g)
        yield Error("outer", block, delta, second.before)
        inner = _masked(xp, net, xp.matrix_transpose(weights["outer"][block, ...]) @ delta, second.before)
        delta = _back_normalised(xp, first, inner)
        yield Error("inner", block, delta, first.before)
        through = xp.matrix_transpose(weights["inner"][block, ...]) @ delta
        g = through + g if net.shortcut else through
    if "stem" in weights:
        yield Error("stem", None, _masked(xp, net, g, passed.states[0]), passed.inputs)


def gradients(net: BlockForm, weights: Weights, passed: Passed, slope: Array) -> Weights:
    """The gradient of the loss in the weights, each in the shape of its own."""
    xp = namespace(slope)
    found = {name: xp.empty_like(weight) for name, weight in weights.items()}
    for weight, block, delta, before in errors(net, weights, passed, slope):
        mine = found[weight] if block is None else found[weight][block, ...]
        mine[...] = delta @ xp.matrix_transpose(before)
    return found


def _activated(xp: Namespace, net: BlockForm, a: Array) -> Array:
    return a if net.activation == "linear" else xp.maximum(a, xp.zeros((), dtype=a.dtype))


def _masked(xp: Namespace, net: BlockForm, g: Array, activated: Array) -> Array:
    """A slope in phi(a) as one in a; at a = 0 the derivative of the ReLU is 0."""
    return g if net.activation == "linear" else g * xp.astype(activated > 0, g.dtype)


def _normalised(xp: Namespace, net: BlockForm, a: Array, counted: int | None) -> tuple[Array, Array | None]:
    if not net.normalised:
        return a, None
    a -= _mean(xp, a if counted is None else a[..., :counted])  # a product just made, nobody else's
    seen = a if counted is None else a[..., :counted]
    scale = 1.0 / xp.sqrt(xp.vecdot(seen, seen)[..., None] / seen.shape[-1] + EPSILON)
    a *= scale
    return a, scale


def _back_normalised(xp: Namespace, layer: _Layer, g: Array) -> Array:
    if layer.scale is None:
        return g
    found = layer.normal * (xp.vecdot(g, layer.normal)[..., None] / g.shape[-1])
    found += _mean(xp, g)
    found -= g
    found *= -layer.scale
    return found


def _mean(xp: Namespace, a: Array) -> Array:
    """Over samples, as a product: faster than a reduction."""
    return a @ _weights_of_mean(xp, a.shape[-1])


@cache
def _weights_of_mean(xp: Namespace, samples: int) -> Array:
    return xp.full((samples, 1), 1.0 / samples, dtype=xp.float64)
