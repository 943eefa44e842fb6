"""Architectures from the literature, a few lines each."""

from __future__ import annotations

from architectures.activations import Activation, identity_activation, relu, silu, tanh
from architectures.errors import ArchitectureError
from architectures.expressions import (
    Dimension,
    Expression,
    Input,
    Weight,
    causal_mask,
    layer_norm,
    normal,
    ones,
    show_value,
    softmax,
)


def plain(activation: Activation = identity_activation, width: Dimension = "d") -> Expression:
    """A layer without a shortcut, sigma(W h)."""
    return _apply(activation, Weight(width, width) @ Input(width))


def n_shortcut(
    shortcut_depth: int = 2,
    pre: Activation = identity_activation,
    mid: Activation = identity_activation,
    post: Activation = identity_activation,
    inner_width: Dimension | None = None,
    width: Dimension = "d",
) -> Expression:
    """h + post(W_n mid(W_{n-1} ... mid(W_1 pre(h)))).

    Source: Demystifying ResNet, Definitions 1 and 2.

    Raises:
        ArchitectureError: shortcut_depth is no positive whole number.
    """
    if isinstance(shortcut_depth, bool) or not isinstance(shortcut_depth, int) or shortcut_depth < 1:
        raise ArchitectureError(f"n_shortcut: shortcut_depth is {shortcut_depth!r}; expected a positive int")
    inner = width if inner_width is None else inner_width
    widths = [width, *[inner] * (shortcut_depth - 1), width]
    h = Input(width)
    path = _apply(pre, h)
    for layer in range(shortcut_depth):
        path = Weight(widths[layer + 1], widths[layer]) @ (_apply(mid, path) if layer else path)
    return h + _apply(post, path)


def _apply(activation: Activation, operand: Expression) -> Expression:
    if not isinstance(activation, Activation):
        raise ArchitectureError(f"activation: {show_value(activation)} is none; expected one such as tanh")
    return operand if activation is identity_activation else activation(operand)


def biased(activation: Activation = relu) -> Expression:
    """h + W2 sigma(W1 h + b). Source: Demystifying ResNet, Equation 3."""
    h, w1, w2, b = Input("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", name="b")
    return h + w2 @ _apply(activation, w1 @ h + b)


def tied(activation: Activation = tanh) -> Expression:
    """h + W^T sigma(W h): one weight used twice."""
    h, w = Input("d"), Weight("k", "d")
    return h + w.T @ _apply(activation, w @ h)


def rezero(activation: Activation = tanh) -> Expression:
    """h + a W2 sigma(W1 h) with a scalar gate a that starts at zero and random W1, W2 (ReZero, SkipInit)."""
    h, a = Input("d"), Weight(1, 1, name="a")
    w1, w2 = Weight("k", "d", initial=normal("1/d")), Weight("d", "k", initial=normal("1/k"))
    return h + a * (w2 @ _apply(activation, w1 @ h))


def swiglu() -> Expression:
    """h + W3 (silu(W1 h) * (W2 h))."""
    h, w1, w2, w3 = Input("d"), Weight("k", "d"), Weight("k", "d"), Weight("d", "k")
    return h + w3 @ (silu(w1 @ h) * (w2 @ h))


def fixup(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 h) with W2 at zero and W1 random (Fixup)."""
    h, w1, w2 = Input("d"), Weight("k", "d", initial=normal("1/d")), Weight("d", "k")
    return h + w2 @ _apply(activation, w1 @ h)


def pre_norm(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 (gain * LayerNorm(h))) with the gain at ones."""
    h, gain = Input("d"), Weight("d", initial=ones, name="gain")
    w1, w2 = Weight("k", "d"), Weight("d", "k")
    return h + w2 @ _apply(activation, w1 @ (gain * layer_norm(h)))


def attention(*, causal: bool = False) -> Expression:
    """h + O V h softmax((K h)^T (Q h)): single-head self-attention, the tokens being the columns of h."""
    h = Input("d")
    q, k = Weight("k", "d", name="Q"), Weight("k", "d", name="K")
    v, o = Weight("d", "d", name="V"), Weight("d", "d", name="O")
    return h + o @ (v @ h) @ softmax((k @ h).T @ (q @ h), axis=0, mask=causal_mask() if causal else None)


def transformer(activation: Activation = silu) -> Expression:
    """A pre-norm transformer block: self-attention, then an MLP, each behind a LayerNorm."""
    h = Input("d")
    q, k = Weight("k", "d", name="Q"), Weight("k", "d", name="K")
    v, o = Weight("d", "d", name="V"), Weight("d", "d", name="O")
    w1, w2 = Weight("f", "d"), Weight("d", "f")
    n = layer_norm(h)
    attended = h + o @ (v @ n) @ softmax((k @ n).T @ (q @ n), axis=0)
    return attended + w2 @ _apply(activation, w1 @ layer_norm(attended))
