"""Evidence for GEN-1: H v of units that hold every kind of node, small and on random numbers, as the index route has it.

Most have random inner weights and an outer one at zero: then D and A are both nonzero, and every node lies on a path
from a weight that moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from resproof.architectures.activations import relu, sigmoid, silu, tanh
from resproof.architectures.algebra import (
    causal_mask,
    concat,
    conv2d,
    einsum,
    join,
    layer_norm,
    mean,
    rms_norm,
    shift,
    softmax,
    split,
)
from resproof.architectures.catalogue import (
    attention,
    biased,
    convolution,
    dirac_net,
    fixup,
    output_bias,
    skip_init,
    tied,
)
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import device
from resproof.numeric.data import bind
from resproof.numeric.network.adjoint import gradient, hvp
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.running_error import bounded_derivatives
from resproof.numeric.network.taylor import loss_series
from resproof.proofs.routes.hessians import CHANGES, Change, unchanged
from resproof.proofs.routes.running_network import (
    MOVED_LITTLE,
    Moved,
    Product,
    Running,
    hessian_product,
    near_index_route,
    starting,
)
from resproof.proofs.statement import Argument, Computed, Context, Measurement
from resproof.proofs.theory.coupled_blocks import NORMED, SCORED, scored
from resproof.symbolic.scope import Scope

_UNITS, _SAMPLES, _SIDES, _INNER = 3, 2, (3, 3, 2), {"k": 2, "g": 2}


def _random(*shape: str | int, name: str) -> Weight:
    return Weight(*shape, name=name, initial=normal(1))


def _images() -> Expression:
    h = Input("c", "y", "x")
    return h + conv2d(tanh(conv2d(h, _random("k", "c", 3, 3, name="U"))), Weight("c", "k", 3, 1, name="V"))


def _squeezed() -> Expression:
    h = Input("c", "y", "x")
    inner = tanh(einsum("k c, c -> k", _random("k", "c", name="U"), mean(mean(h, "x"), "y")))
    return h + einsum("c y x, c -> c y x", h, einsum("c k, k -> c", Weight("c", "k", name="V"), inner))


def _turned() -> Expression:
    """The three axes in another order, no two of them exchanged."""
    h = Input("c", "y", "x")
    inner = tanh(einsum("k c, y x c -> k y x", _random("k", "c", name="U"), einsum("c y x -> y x c", h)))
    return h + einsum("c k, k y x -> c y x", Weight("c", "k", name="V"), inner)


def _in_parts() -> Expression:
    """A weight of which only the product of two sizes is seen."""
    h, w = Input("d"), Weight("d*k", name="W")
    return h + mean(split(w, "d*k -> d k"), 1)


def _scaled() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(_random("k", "d", name="U") @ rms_norm(h, epsilon=1))


def _inside() -> Expression:
    """No factor of a product: what is kept of a softmax and a norm is kept for their own sake."""
    h = Input("d")
    u, w = (_random("k", "d", name=name) for name in "UW")
    return h + Weight("d", "k", name="V") @ tanh(softmax(u @ h, axis=0) + layer_norm(w @ h, epsilon=1))


def _groups() -> Expression:
    h = Input("d")
    normed = layer_norm(split(_random(4, "d", name="W1") @ h, "4 -> 2 2"), axis=1, epsilon=1)
    return h + Weight("d", 4, name="W2") @ join(normed, "2 2 -> 4")


def _gated() -> Expression:
    h = Input("d")
    inner = silu(_random("k", "d", name="W1") @ h) * (_random("k", "d", name="W2") @ h)
    return h + Weight("d", "k", name="W3") @ inner


def _halves() -> Expression:
    h, w = Input(3), _random(2, 1, name="W")
    return h + concat(0, Weight(2, 2, name="V") @ tanh(w @ h[2:3]), Weight(1, 1, name="a") * (w.T @ h[0:2]) ** 2)


def _moved_columns() -> Expression:
    h = Input("d")
    near = h @ shift(1) + _random("d", "d", name="U") @ h @ shift(-1)
    return h + Weight("d", "d", name="V") @ sigmoid(near) @ shift(1)


def _cancelling() -> Expression:
    """Large numbers whose sum is small: the forms do not show them, so that their moduli bound no rounding error."""
    h, large = Input("d"), Fraction(10**7, 7)
    inner = tanh(_random("k", "d", name="U") @ h)
    return h + Weight("d", "k", name="V") @ (large * inner - (large - 1) * inner)


_EVERY: Mapping[str, ResidualUnit] = {
    "LayerNorm": NORMED,
    "softmax": SCORED,
    "causal softmax": scored(causal=True),
    **{
        name: ResidualUnit(unit)
        for name, unit in {
            "attention": attention(heads=2),
            "1-shortcut": dirac_net(),
            "a product": _gated(),
            "a gate": skip_init(),
            "a bias": biased(sigmoid),
            "a bias on the output": output_bias(),
            "ReLU": fixup(relu),
            "one weight twice": tied(),
            "three taps": convolution(),
            "shifts": _moved_columns(),
            "images": _images(),
            "means": _squeezed(),
            "turned": _turned(),
            "in parts": _in_parts(),
            "groups": _groups(),
            "RMSNorm": _scaled(),
            "halves": _halves(),
            "inside an activation": _inside(),
        }.items()
    },
}


_CANCELLING = {"cancelling": ResidualUnit(_cancelling())}


_CLASSIFY = {"a bias on the output", "ReLU", "causal softmax"}
"""Those with cross-entropy, the others with the squared loss."""


def _running(unit: ResidualUnit, loss: Loss, context: Context) -> Running:
    generator, ops = np.random.default_rng(context.seed), device(context.device).ops
    axes = len(the_input(unit.expression).shape)
    shape = (_SAMPLES, *_SIDES[:axes]) if unit.mixes_columns else (_SIDES[0], _SAMPLES)
    x, y = (ops.asarray(generator.standard_normal(shape)) for _ in range(2))
    if loss is cross_entropy:
        y = ops.xp.exp(y) / ops.xp.sum(ops.xp.exp(y), axis=-2 if unit.mixes_columns else 0, keepdims=True)
    inner = {n: k for n, k in _INNER.items() if n in unit.dimensions}
    return starting(Network(unit, _UNITS, loss), x, y, bind("X", unit, x, inner), "random numbers", context)


def _products(context: Context) -> Computed:
    found = {
        name: hessian_product(partial(_running, unit, cross_entropy if name in _CLASSIFY else squared))(context).value
        for name, unit in {**_EVERY, **_CANCELLING}.items()
    }
    return Computed(found, Scope.of(f"R={_UNITS}, m={_SAMPLES}; random numbers"))


def _near(found: Mapping[str, Product], claim: Change | Moved) -> tuple[Measurement, ...]:
    return tuple(
        replace(one, quantity=f"{one.quantity}: {name}")
        for name, product in found.items()
        for one in (near_index_route(product, claim),)
    )


EVERY_UNIT = Argument(
    f"$H v$ of units with every kind of node, $R = {_UNITS}$",
    "floating point",
    _products,
    unchanged,
    {**CHANGES, MOVED_LITTLE: Moved(unchanged)},
    _near,
    explanation="Small and on random numbers: what is to be seen is that the index route and the running network read every "
    "node alike.",
)


class _Along(NamedTuple):
    """Coefficients of the loss along a direction, by Taylor arithmetic and from the gradient or H v; the error of these."""

    coefficient: float
    product: float
    error: float


def _taylor(context: Context) -> Computed:
    """Of degree one and two, away from the initial point."""
    found, ops = dict[str, _Along](), device(context.device).ops
    for name, unit in _EVERY.items():
        running = _running(unit, cross_entropy if name in _CLASSIFY else squared, context)
        weights, v = (random_weights(unit, _UNITS, running.dims, ops, context.seed + k, scale=0.125) for k in (1, 2))
        network, x, y = running.network, running.x, running.y
        coefficients, bounded = (
            loss_series(network, weights, v, x, y, 2),
            bounded_derivatives(network, weights, v, x, y),
        )
        slope, product = gradient(network, weights, x, y), hvp(network, weights, v, x, y)
        for k, one, both in ((1, slope, bounded.gradient), (2, product, bounded.product)):
            along = sum(float(ops.xp.sum(v[n] * one[n])) for n in v)
            error = sum(float(ops.xp.sum(ops.abs(v[n]) * both[n][1, ...])) for n in v)
            found[f"{name}, degree {k}"] = _Along(k * coefficients[k], along, error)
    return Computed(found, Scope.of(f"R={_UNITS}, m={_SAMPLES}; random numbers"))


def _as_products(found: Mapping[str, _Along], times: float) -> tuple[Measurement, ...]:
    return tuple(
        Measurement(
            f"|along $v$: one way - the other|: {name}",
            abs(one.coefficient * times - one.product),
            2 * one.error,
            f"R={_UNITS}, m={_SAMPLES}; random numbers",
            None,
            "the running error of one way, for either",
            scale=abs(one.product),
        )
        for name, one in found.items()
    )


EVERY_UNIT_ALONG = Argument(
    f"Taylor coefficients of units with every kind of node, $R = {_UNITS}$, away from the initial point",
    "floating point",
    _taylor,
    1.0,
    {"a millionth more": 1.0 + 1e-6, "twice as large": 2.0},
    _as_products,
    explanation="Taylor arithmetic of the running network against $\\langle v, \\nabla L\\rangle$ and $\\langle v, H v\\rangle$.",
)


# What all engines share: the softmax over what a mask lets through, and norms.


def _causal(x: np.ndarray) -> np.ndarray:
    """Each token's mean over itself and those before it, with weights exp <x_s, x_t>."""
    columns = []
    for t in range(x.shape[1]):
        weights = np.exp(x[:, : t + 1].T @ x[:, t])
        columns.append(x[:, : t + 1] @ weights / weights.sum())
    return np.stack(columns, axis=1)


def _normed(x: np.ndarray, *, centred: bool) -> np.ndarray:
    moved = x - x.sum(axis=0) / len(x) if centred else x
    return moved / np.sqrt((moved * moved).sum(axis=0) / len(x) + 1.0)


_BY_HAND: Mapping[str, tuple[Callable[[Expression], Expression], Callable[[np.ndarray], np.ndarray]]] = {
    "a causal softmax": (lambda h: h @ softmax(h.T @ h, axis=0, mask=causal_mask()), _causal),
    "LayerNorm": (lambda h: layer_norm(h, epsilon=1), partial(_normed, centred=True)),
    "RMSNorm": (lambda h: rms_norm(h, epsilon=1), partial(_normed, centred=False)),
}


def _by_hand(context: Context) -> Computed:
    """h + W g(h) of one unit: by how much it is off for every g, with the running error of the output."""
    found, ops = dict[str, _Along](), device(context.device).ops
    for name, (branch, formula) in _BY_HAND.items():
        h, draw = Input("d"), np.random.default_rng(context.seed)
        unit = ResidualUnit(h + Weight("d", "d", name="W") @ branch(h))
        x, w = draw.standard_normal((2, 3, 3) if unit.mixes_columns else (3, 3)), draw.standard_normal((3, 3))
        weights, v = {"W": ops.asarray(w[None])}, draw.standard_normal(x.shape)
        expected = x + w @ (np.stack(list(map(formula, x))) if unit.mixes_columns else formula(x))
        both = bounded_derivatives(Network(unit, 1), weights, weights, ops.asarray(x), ops.asarray(x)).output
        output, error = ops.numpy(both)
        found[name] = _Along(float((output * v).sum()), float((expected * v).sum()), float((error * abs(v)).sum()))
    return Computed(found, Scope.of(f"R=1, d=3, m={_SAMPLES}, 3, t=3; random numbers"))


BY_HAND = Argument(
    "A softmax with a mask and norms, by hand",
    "floating point",
    _by_hand,
    1.0,
    {"a millionth more": 1.0 + 1e-6, "twice as large": 2.0},
    _as_products,
    explanation="Along a random direction of the output. All engines on arrays share these two functions, so that none of them sees "
    "an error in one.",
)
