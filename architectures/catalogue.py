"""Architectures from the literature, a few lines each; by name, what `--architecture` takes and reports go through.

An entry says what a block is and where it comes from. What it *does* (its order, its Hessian, whether it is the
identity at its initial point) is computed from the block and stands nowhere here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from resproof.architectures.activations import gelu, identity_activation, relu, sigmoid, silu, tanh
from resproof.architectures.algebra import causal_mask, layer_norm, shift, softmax
from resproof.architectures.dimensions import Dimension
from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.values import Scalar, is_whole, normal, ones, zero

MOST_PARTS = 200
"""Layers, branches, heads or taps of one block."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A block of the catalogue.

    `build` has a default for every parameter. `formula` writes the block as its source does; `not_computed` names what
    the source has beyond the block that is built, with LaTeX between dollar signs.
    """

    title: str
    build: Callable[..., Expression]
    formula: str
    source: str
    not_computed: str = ""


_ENTRIES: dict[str, Entry] = {}
CATALOGUE: Mapping[str, Entry] = MappingProxyType(_ENTRIES)
"""Name -> entry."""
_Build = TypeVar("_Build", bound=Callable[..., Expression])
_DR = "Li et al. 2016, Demystifying ResNet"


def _entry(name: str, title: str, formula: str, source: str, not_computed: str = "") -> Callable[[_Build], _Build]:
    def entered(build: _Build) -> _Build:
        _ENTRIES[name] = Entry(title, build, formula, source, not_computed)
        return build

    return entered


def _variant(of: str, name: str, title: str, build: Callable[..., Expression], **other: str) -> None:
    _ENTRIES[name] = replace(_ENTRIES[of], title=title, build=build, **other)


def _apply(activation: Activation, operand: Expression) -> Expression:
    if not isinstance(activation, Activation):
        raise ArchitectureError(f"activation: {show_value(activation)} is none; expected one such as tanh")
    return operand if activation is identity_activation else activation(operand)


def _check_count(function: str, argument: str, value: int) -> None:
    if not is_whole(value, 1, MOST_PARTS):
        raise ArchitectureError(f"{function}: {argument} is {value!r}; expected an int from 1 to {MOST_PARTS}")


def plain(activation: Activation = identity_activation, width: Dimension = "d") -> Expression:
    """A layer without a shortcut, sigma(W h)."""
    return _apply(activation, Weight(width, width) @ Input(width))


@_entry("n-shortcut", "n-shortcut unit", "h + post(W_n mid(... W_1 pre(h)))", f"{_DR}, Definitions 1 and 2")
def n_shortcut(
    shortcut_depth: int = 2,
    pre: Activation = identity_activation,
    mid: Activation = identity_activation,
    post: Activation = identity_activation,
    inner_width: Dimension | None = None,
    width: Dimension = "d",
) -> Expression:
    """h + post(W_n mid(W_{n-1} ... mid(W_1 pre(h)))).

    Raises:
        ArchitectureError: shortcut_depth is no whole number from 1 to MOST_PARTS.
    """
    _check_count("n_shortcut", "shortcut_depth", shortcut_depth)
    inner = width if inner_width is None else inner_width
    widths = [width, *[inner] * (shortcut_depth - 1), width]
    h = Input(width)
    path = _apply(pre, h)
    for layer in range(shortcut_depth):
        path = Weight(widths[layer + 1], widths[layer]) @ (_apply(mid, path) if layer else path)
    return h + _apply(post, path)


def biased(activation: Activation = relu) -> Expression:
    """h + W2 sigma(W1 h + b). Source: Demystifying ResNet, Equation 3."""
    h, w1, w2, b = Input("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", name="b")
    return h + w2 @ _apply(activation, w1 @ h + b)


@_entry(
    "biased",
    "Biased unit with a smoothed ReLU",
    "h + W_2 sigma(W_1 h + b)",
    f"{_DR}, Equation 3",
    "plain ReLU, which has no derivative at 0",
)
def smoothed_biased(activation: Activation = gelu) -> Expression:
    """h + W2 sigma(W1 h + b) with a smoothed ReLU through 0, such as gelu or silu."""
    return biased(activation)


@_entry(
    "wide",
    "Wide inner layer",
    "h + W_2 sigma(W_1 h)",
    "Zagoruyko and Komodakis 2016, Wide residual networks",
    "batch normalisation, convolutions",
)
def wide(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 h) of inner width k."""
    return n_shortcut(2, mid=activation, inner_width="k")


@_entry(
    "bottleneck",
    "Bottleneck",
    "h + W_3 sigma(W_2 sigma(W_1 h))",
    "He et al. 2016, Deep residual learning, Figure 5 right",
    "batch normalisation, convolutions, the ReLU after the sum",
)
def bottleneck(activation: Activation = tanh) -> Expression:
    """h + W3 sigma(W2 sigma(W1 h)): to width k, across, and back."""
    return n_shortcut(3, mid=activation, inner_width="k")


@_entry(
    "resnext",
    "ResNeXt: parallel branches",
    "h + sum_b V_b sigma(U_b h)",
    "Xie et al. 2017, Aggregated residual transformations, Equation 3",
    "batch normalisation, convolutions",
)
def resnext(branches: int = 2, activation: Activation = tanh) -> Expression:
    """h + sum_b V_b sigma(U_b h), `branches` of them, each of inner width k.

    Raises:
        ArchitectureError: branches is no whole number from 1 to MOST_PARTS.
    """
    _check_count("resnext", "branches", branches)
    h = Input("d")
    total: Expression = h
    for b in range(1, branches + 1):
        total = total + Weight("d", "k", name=f"V{b}") @ _apply(activation, Weight("k", "d", name=f"U{b}") @ h)
    return total


@_entry(
    "convolution",
    "Convolutions along the columns",
    "h + sum_j W_2j sigma(sum_k W_1k h S_k) S_j",
    "He et al. 2016, Deep residual learning, Figure 5 left",
    "batch normalisation, two-dimensional images, strides, the ReLU after the sum",
)
def convolution(taps: int = 3, layers: int = 2, activation: Activation = tanh) -> Expression:
    """h + F(h), F of layers sum_k W_k u S_k with activations between, S_k moving the columns of u by k.

    One-dimensional convolutions with zero padding: the columns of h are positions, its rows channels.

    Raises:
        ArchitectureError: taps or layers is no whole number from 1 to MOST_PARTS.
    """
    _check_count("convolution", "taps", taps)
    _check_count("convolution", "layers", layers)
    h = Input("d")
    path: Expression = h
    for layer in range(1, layers + 1):
        u = _apply(activation, path) if layer > 1 else path
        moved = [Weight("d", "d", name=f"W{layer}_{k + 1}") @ u @ shift(k - taps // 2) for k in range(taps)]
        path = moved[0]
        for term in moved[1:]:
            path = path + term
    return h + path


@_entry("tied", "Tied weights", "h + W^T sigma(W h)", "one weight used twice")
def tied(activation: Activation = tanh) -> Expression:
    """h + W^T sigma(W h): one weight used twice."""
    h, w = Input("d"), Weight("k", "d")
    return h + w.T @ _apply(activation, w @ h)


@_entry("output-bias", "A bias on the branch's output", "h + W_2 sigma(W_1 h) + b", "common practice")
def output_bias(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 h) + b: a bias on the branch's output."""
    h, b = Input("d"), Weight("d", name="b")
    return h + (Weight("d", "k", name="W2") @ _apply(activation, Weight("k", "d", name="W1") @ h) + b)


@_entry(
    "highway",
    "Highway layer",
    "H(h) T(h) + h (1 - T(h))",
    "Srivastava, Greff and Schmidhuber 2015, Highway networks, Equation 3",
    "a negative initial gate bias, which no exact initial value stands for",
)
def highway(activation: Activation = tanh) -> Expression:
    """H(h) T(h) + h (1 - T(h)), H = sigma(W_H h + b_H), T = logistic(W_T h + b_T)."""
    h = Input("d")
    gate = sigmoid(Weight("d", "d", name="WT") @ h + Weight("d", name="bT"))
    return _apply(activation, Weight("d", "d", name="WH") @ h + Weight("d", name="bH")) * gate + h * (1 - gate)


@_entry(
    "nested",
    "A shortcut over shortcuts",
    "h + (u + W_4 sigma(W_3 u)), u = h + W_2 sigma(W_1 h)",
    "Zhang et al. 2017, Residual networks of residual networks",
    "the final projection",
)
def nested(activation: Activation = tanh) -> Expression:
    """h + U(h) with U(h) = u + W4 sigma(W3 u), u = h + W2 sigma(W1 h): a shortcut over two residual units."""
    h = Input("d")
    w1, w2, w3, w4 = Weight("k", "d"), Weight("d", "k"), Weight("k", "d"), Weight("d", "k")
    u = h + w2 @ _apply(activation, w1 @ h)
    return h + (u + w4 @ _apply(activation, w3 @ u))


@_entry(
    "dirac-net",
    "DiracNet from W = 0",
    "(W + diag(a)) h",
    "Zagoruyko and Komodakis 2017, DiracNets",
    "the normalisation of W",
)
def dirac_net(activation: Activation = identity_activation, *, random: bool = False) -> Expression:
    """sigma((W + diag(a)) h) with a at ones; W at zero, or random as in the source."""
    h, a = Input("d"), Weight("d", initial=ones, name="a")
    w = Weight("d", "d", initial=normal("1/d") if random else zero, name="W")
    return _apply(activation, a * h + w @ h)


_variant("dirac-net", "dirac-net-random", "DiracNet from a random W", partial(dirac_net, random=True))


@_entry(
    "fixup",
    "Fixup without its scales: the last layer starts at zero",
    "h + W_2 sigma(W_1 h)",
    "Zhang, Dauphin and Ma 2019, Fixup initialization",
    "scalar biases and multipliers, the factor R^(-1/(2n-2)) of the inner weights, a draw for each unit",
)
def fixup(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 h) with W2 at zero and W1 random (Fixup)."""
    h, w1, w2 = Input("d"), Weight("k", "d", initial=normal("1/d")), Weight("d", "k")
    return h + w2 @ _apply(activation, w1 @ h)


@_entry(
    "rezero",
    "ReZero: a scalar gate at zero",
    "h + a W_2 sigma(W_1 h)",
    "Bachlechner et al. 2021, ReZero is all you need",
    "a draw for each unit",
)
def rezero(activation: Activation = tanh) -> Expression:
    """h + a W2 sigma(W1 h) with a scalar gate a that starts at zero and random W1, W2 (ReZero, SkipInit)."""
    h, a = Input("d"), Weight(1, 1, name="a")
    w1, w2 = Weight("k", "d", initial=normal("1/d")), Weight("d", "k", initial=normal("1/k"))
    return h + a * (w2 @ _apply(activation, w1 @ h))


@_entry(
    "skip-init",
    "SkipInit: a scalar gate at zero behind a pre-activation branch",
    "h + a W_2 sigma(W_1 sigma(h))",
    "De and Smith 2020, Batch normalization biases residual blocks",
    "a draw for each unit",
)
def skip_init(activation: Activation = tanh) -> Expression:
    """h + a W2 sigma(W1 sigma(h)) with a scalar a at zero and random W1, W2."""
    h, a = Input("d"), Weight(1, 1, name="a")
    w1, w2 = Weight("k", "d", initial=normal("1/d")), Weight("d", "k", initial=normal("1/k"))
    return h + a * (w2 @ _apply(activation, w1 @ _apply(activation, h)))


@_entry(
    "layer-scale",
    "LayerScale",
    "h + diag(epsilon + s) W_2 sigma(W_1 h)",
    "Touvron et al. 2021, Going deeper with image transformers, Equation 4",
    "LayerNorm, a draw for each unit",
)
def layer_scale(epsilon: Scalar = Fraction(1, 10), activation: Activation = tanh) -> Expression:
    """h + diag(epsilon + s) W2 sigma(W1 h) with s at zero and random W1, W2: a scale for each row, first epsilon."""
    h, s = Input("d"), Weight("d", name="s")
    w1, w2 = Weight("k", "d", initial=normal("1/d")), Weight("d", "k", initial=normal("1/k"))
    scale = s if epsilon == 0 else epsilon + s
    return h + scale * (w2 @ _apply(activation, w1 @ h))


_variant(
    "layer-scale",
    "layer-scale-zero",
    "LayerScale in the limit of scale zero",
    partial(layer_scale, epsilon=Fraction(0)),
    formula="h + diag(s) W_2 sigma(W_1 h)",
)


@_entry(
    "pre-norm",
    "Pre-norm MLP block",
    "h + W_2 sigma(W_1 (gain * LN(h)))",
    "Xiong et al. 2020, On layer normalization in the transformer architecture",
    "biases, the epsilon under the root",
)
def pre_norm(activation: Activation = tanh) -> Expression:
    """h + W2 sigma(W1 (gain * LayerNorm(h))) with the gain at ones."""
    h, gain = Input("d"), Weight("d", initial=ones, name="gain")
    w1, w2 = Weight("k", "d"), Weight("d", "k")
    return h + w2 @ _apply(activation, w1 @ (gain * layer_norm(h)))


@_entry(
    "swiglu",
    "SwiGLU block",
    "h + W_3 (silu(W_1 h) * (W_2 h))",
    "Shazeer 2020, GLU variants improve transformer, Equation 6",
)
def swiglu() -> Expression:
    """h + W3 (silu(W1 h) * (W2 h))."""
    h, w1, w2, w3 = Input("d"), Weight("k", "d"), Weight("k", "d"), Weight("d", "k")
    return h + w3 @ (silu(w1 @ h) * (w2 @ h))


def attend(h: Expression, n: Expression, heads: int = 1, *, causal: bool = False) -> Expression:
    """h + sum_i O_i V_i n softmax((K_i n)^T (Q_i n)), n computed from h: what `attention` and `transformer` share.

    Raises:
        ArchitectureError: heads is no whole number from 1 to MOST_PARTS.
    """
    _check_count("attention", "heads", heads)
    mask = causal_mask() if causal else None
    for i in range(1, heads + 1):
        head, inner = ("", "d") if heads == 1 else (str(i), "k")
        q, k = Weight("k", "d", name=f"Q{head}"), Weight("k", "d", name=f"K{head}")
        v, o = Weight(inner, "d", name=f"V{head}"), Weight("d", inner, name=f"O{head}")
        h = h + o @ (v @ n) @ softmax((k @ n).T @ (q @ n), axis=0, mask=mask)
    return h


@_entry(
    "attention",
    "Self-attention, one head",
    "h + O V h softmax((K h)^T (Q h))",
    "Vaswani et al. 2017, Attention is all you need, Equation 1",
    r"the factor $1/\sqrt{k}$, which Q takes up; biases",
)
def attention(*, causal: bool = False, heads: int = 1) -> Expression:
    """h + sum_i O_i V_i h softmax((K_i h)^T (Q_i h)): self-attention, the tokens being the columns of h.

    One head has square V and O; of several each has Q_i, K_i, V_i: k x d and O_i: d x k. The factor 1 / sqrt(k) of the
    scores is left to Q.

    Raises:
        ArchitectureError: heads is no whole number from 1 to MOST_PARTS.
    """
    h = Input("d")
    return attend(h, h, heads, causal=causal)


_variant(
    "attention",
    "multi-head",
    "Causal self-attention, two heads",
    partial(attention, causal=True, heads=2),
    formula="h + sum_i O_i V_i h softmax((K_i h)^T (Q_i h))",
    source="Vaswani et al. 2017, Attention is all you need, Section 3.2.2",
)


@_entry(
    "transformer",
    "Pre-norm transformer block",
    "u + W_2 sigma(W_1 LN(u)), u = h + O V n softmax((K n)^T (Q n)), n = LN(h)",
    "Xiong et al. 2020, On layer normalization in the transformer architecture, Figure 1b",
    "gains and biases, dropout, the epsilon under the root",
)
def transformer(activation: Activation = silu, *, heads: int = 1, causal: bool = False) -> Expression:
    """A pre-norm transformer block: self-attention, then an MLP, each behind a LayerNorm, without biases.

    Raises:
        ArchitectureError: heads is no whole number from 1 to MOST_PARTS.
    """
    h = Input("d")
    attended = attend(h, layer_norm(h), heads, causal=causal)
    w1, w2 = Weight("f", "d", name="W1"), Weight("d", "f", name="W2")
    return attended + w2 @ _apply(activation, w1 @ layer_norm(attended))


_variant(
    "transformer",
    "transformer-heads",
    "Causal pre-norm transformer block, two heads",
    partial(transformer, heads=2, causal=True),
    formula="u + W_2 sigma(W_1 LN(u)), u = h + sum_i O_i V_i n softmax((K_i n)^T (Q_i n)), n = LN(h)",
)
