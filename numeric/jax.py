"""Value, gradient and Hessian-vector product by JAX: the same forward readings on its namespace, differentiated by it.

    H v = d/dt grad L(w + t v) = jvp(grad L)(w; v),    L through lax.scan over the units

It is the second derivation of what `network.adjoint` finds by its own adjoint, and what there is for wide blocks and on
a GPU. About sqrt(R) units make a segment, which is run again on the way back (`jax.checkpoint`), so that memory grows
like sqrt(R). A program is compiled once for a network's parts and their sizes. JAX is an extra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from resproof.architectures.activations import relu, softplus
from resproof.architectures.losses import Loss
from resproof.architectures.networks import Network, Stack
from resproof.architectures.nodes import Activation
from resproof.architectures.stages import Stage
from resproof.numeric.backend import Array, ops
from resproof.numeric.network.adjoint import Call, in_columns
from resproof.numeric.network.evaluate import forward
from resproof.numeric.network.parameters import Weights
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.series import FloatSeries, Series

Parts: TypeAlias = list[list[Array]]
"""Of every part the arrays of its weights, (units, 1, rows, columns)."""


def value(network: Network | Stack, weights: Weights, x: Array, y: Array) -> float:
    """L(w), as `network.adjoint` has it, and so below.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    call, _ = _called("value", network, weights, None, x)
    with jax.enable_x64(True):
        total, given = _loss(call, y)
        return float(jax.jit(total)(*given))


def gradient(network: Network | Stack, weights: Weights, x: Array, y: Array) -> dict[str, Array]:
    """grad L(w), of the shapes of the parameters.

    Raises:
        DataError: data or weights of another shape or kind.
    """
    call, _ = _called("gradient", network, weights, None, x)
    with jax.enable_x64(True):
        total, given = _loss(call, y)
        return _named(call, _derivative(total)(*given))


def hvp(network: Network | Stack, weights: Weights, tangents: Weights, x: Array, y: Array) -> dict[str, Array]:
    """H(w) v, of the shapes of the parameters; for a block of tangents (k, R, rows, columns), each one's product.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    call, moved = _called("hvp", network, weights, tangents, x)
    with jax.enable_x64(True):
        total, given = _loss(call, y)
        return _named(call, _product(total, bool(call.run.batch))(moved, *given))


def _called(
    name: str, network: Network | Stack, weights: Weights, tangents: Weights | None, x: Array
) -> tuple[Call, Parts]:
    """The call, checked on the host, and the tangents of its parameters with axes in front of them all.

    Raises:
        DataError: data, weights or tangents of another shape or kind.
    """
    on_host = [None if a is None else {key: np.asarray(one) for key, one in a.items()} for a in (weights, tangents)]
    given = on_host[0]
    assert given is not None
    call = Call.of(name, network, given, on_host[1], np.asarray(x))
    trainable = ((part, list(part.program.unit.names)) for part in call.run.parts)
    moved = [[part.weights[weight][-1] for weight in each] for part, each in trainable]
    # (units, k, 1, rows, columns) with the block's axis in front.
    return call, [[np.moveaxis(a, 1, 0) if call.run.batch else a for a in each] for each in moved]


def _loss(call: Call, y: Array) -> tuple[Callable[..., Array], tuple[Any, ...]]:
    """The loss as a function of the parameters, of frozen weights and of data, and where it is asked for."""
    run, target = call.run, call.targets(np.asarray(y))
    read = tuple(program(part.program.unit, ops(jnp), part.program.sizes) for part in run.parts)
    kinds = ([list(p.unit.names) for p in read], [list(p.unit.frozen) for p in read])
    at, frozen = ([[part.weights[w][0] for w in each] for part, each in zip(run.parts, k, strict=True)] for k in kinds)
    return _total(read, tuple(part.units for part in run.parts), call.loss, call.last), (at, frozen, call.x, target)


@lru_cache(maxsize=8)
def _total(read: tuple[Program, ...], units: tuple[int, ...], loss: Loss, last: Stage) -> Callable[..., Array]:
    """L as a function of (parameters, frozen weights, X, Y)."""
    algebra = _Values(ops(jnp), 0)

    def total(at: Parts, frozen: Parts, x: Array, y: Array) -> Array:
        h = x
        for one, count, mine, fixed in zip(read, units, at, frozen, strict=True):
            h = _through(one, algebra, count, h, (mine, fixed))
        value = loss.value(algebra.ops, in_columns(last, h), in_columns(last, y))
        return jnp.sum(value) / read[0].samples

    return total


def _through(
    one: Program, algebra: FloatSeries, units: int, h: Array, weights: tuple[list[Array], list[Array]]
) -> Array:
    """The stream behind so many equal units: segments of about sqrt(units), and the units that fill none."""
    order = [*one.unit.names, *one.unit.frozen]

    def unit(h: Array, each: Sequence[Sequence[Array]]) -> tuple[Array, None]:
        series: dict[Any, Series] = {w: (a,) for w, a in zip(order, (*each[0], *each[1]), strict=True)}
        return forward(one, algebra, (h,), series)[one.root][0], None

    def segment(h: Array, each: Any) -> tuple[Array, None]:
        return jax.lax.scan(unit, h, each)

    if units == 1:
        return unit(h, jax.tree.map(lambda a: a[0], weights))[0]
    length = math.isqrt(units)
    whole = units // length * length
    by_segment = jax.tree.map(lambda a: a[:whole].reshape(-1, length, *a.shape[1:]), weights)
    h, _ = jax.lax.scan(jax.checkpoint(segment), h, by_segment)
    return segment(h, jax.tree.map(lambda a: a[whole:], weights))[0]


@lru_cache(maxsize=8)
def _derivative(total: Callable[..., Array]) -> Callable[..., Parts]:
    return jax.jit(jax.grad(total))


@lru_cache(maxsize=8)
def _product(total: Callable[..., Array], block: bool) -> Callable[..., Parts]:
    def one(v: Parts, at: Parts, *rest: Any) -> Parts:
        return jax.jvp(lambda w: jax.grad(total)(w, *rest), (at,), (v,))[1]

    return jax.jit(jax.vmap(one, (0, None, None, None, None)) if block else one)


def _named(call: Call, found: Parts) -> dict[str, Array]:
    """The parameters' derivatives by name, without the axis for samples."""
    parts = zip(call.run.parts, found, strict=True)
    return call.named(
        [{n: a[..., 0, :, :] for n, a in zip(p.program.unit.names.values(), each, strict=True)} for p, each in parts]
    )


@dataclass(frozen=True, slots=True)
class _Values(FloatSeries):
    """Values alone; an activation that is not differentiable by the formula that we have is JAX's own."""

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        """f(u)."""
        del shape
        known = {relu.derivatives: _relu, softplus.derivatives: _softplus}.get(activation.derivatives)
        value = u[0]
        assert value is not None  # an operand is an array
        return (activation.derivatives(self.ops, value, 0)[0] if known is None else known(value),)


def _softplus(x: Array) -> Array:
    """log(1 + e^x), each side by a formula that is smooth there."""
    return _relu(x) + jnp.log1p(jnp.exp(jnp.where(x > 0, -x, x)))


def _relu(x: Array) -> Array:
    """max(x, 0), its slope at 0 taken as 0; that of a maximum is taken as 1/2 there."""
    return jnp.where(x > 0, x, 0.0)
