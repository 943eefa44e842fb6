"""The blocks of the catalogue as their sources have them: how each reads, of which shapes its weights are, how they start.

What is proved of a block by its name is proved of the one that its source prints. Beside them stand words that no block of
the catalogue has.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import (
    causal_mask,
    conv2d,
    einsum,
    identity,
    join,
    layer_norm,
    rms_norm,
    shift,
    softmax,
    split,
    window,
)
from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.nodes import Constant, Expression, Input, Weight, cut
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.architectures.values import Normal, ones
from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.scope import Scope

_TAPS = "W{0}_1 @ {1} @ shift(-1) + W{0}_2 @ {1} @ shift(0) + W{0}_3 @ {1} @ shift(1)"
_HEAD = "O{0} @ (V{0} @ {1}) @ softmax((K{0} @ {1}).T @ (Q{0} @ {1}), axis=0{2})"
_MASK, _NORM = ", mask=causal_mask()", "layer_norm(h)"
_ONE, _TWO = (
    "h + " + " + ".join(_HEAD.format(i, _NORM, mask) for i in numbers)
    for numbers, mask in (([""], ""), ([1, 2], _MASK))
)
_OF_ONE = "Q: k d, K: k d, V: d d, O: d d"
_OF_TWO = ", ".join(f"Q{i}: k d, K{i}: k d, V{i}: k d, O{i}: d k" for i in (1, 2))
_WIDE, _OF_BRANCH = "W1: k d, W2: d k", "W1: k d 1/d, W2: d k 1/k"
_GATE = "WH: d d, bH: d 1, WT: d d, bT: d 1"
BLOCKS: Mapping[str, tuple[str, str]] = {
    "n-shortcut": ("h + W2 @ (W1 @ h)", "W1: d d, W2: d d"),
    "biased": ("h + W2 @ gelu(W1 @ h + b)", "W1: d d, b: d 1, W2: d d"),
    "wide": ("h + W2 @ tanh(W1 @ h)", _WIDE),
    "bottleneck": ("h + W3 @ tanh(W2 @ tanh(W1 @ h))", "W1: k d, W2: k k, W3: d k"),
    "resnext": ("h + V1 @ tanh(U1 @ h) + V2 @ tanh(U2 @ h)", "U1: k d, V1: d k, U2: k d, V2: d k"),
    "convolution": (
        "h + ({})".format(_TAPS.format(2, "tanh({})".format(_TAPS.format(1, "h")))),
        ", ".join(f"W{i}_{k}: d d" for i in (1, 2) for k in (1, 2, 3)),
    ),
    "tied": ("h + W1.T @ tanh(W1 @ h)", "W1: k d"),
    "output-bias": ("h + (W2 @ tanh(W1 @ h) + b)", f"{_WIDE}, b: d 1"),
    "highway": ("tanh(WH @ h + bH) * sigmoid(WT @ h + bT) + h * (1 - sigmoid(WT @ h + bT))", _GATE),
    "nested": (
        "h + (h + W2 @ tanh(W1 @ h) + W4 @ tanh(W3 @ (h + W2 @ tanh(W1 @ h))))",
        f"{_WIDE}, W3: k d, W4: d k",
    ),
    "dirac-net": ("a * h + W @ h", "a: d 1 ones, W: d d"),
    "dirac-net-random": ("a * h + W @ h", "a: d 1 ones, W: d d 1/d"),
    "fixup": ("h + W2 @ tanh(W1 @ h)", "W1: k d 1/d, W2: d k"),
    "rezero": ("h + a * (W2 @ tanh(W1 @ h))", f"a: 1 1, {_OF_BRANCH}"),
    "skip-init": ("h + a * (W2 @ tanh(W1 @ tanh(h)))", f"a: 1 1, {_OF_BRANCH}"),
    "layer-scale": ("h + (Fraction(1, 10) + s) * (W2 @ tanh(W1 @ h))", f"s: d 1, {_OF_BRANCH}"),
    "layer-scale-zero": ("h + s * (W2 @ tanh(W1 @ h))", f"s: d 1, {_OF_BRANCH}"),
    "pre-norm": (f"h + W2 @ tanh(W1 @ (gain * {_NORM}))", f"gain: d 1 ones, {_WIDE}"),
    "swiglu": ("h + W3 @ (silu(W1 @ h) * (W2 @ h))", "W1: k d, W2: k d, W3: d k"),
    "attention": ("h + " + _HEAD.format("", "h", ""), _OF_ONE),
    "multi-head": ("h + " + " + ".join(_HEAD.format(i, "h", _MASK) for i in (1, 2)), _OF_TWO),
    "transformer": (f"{_ONE} + W2 @ silu(W1 @ layer_norm({_ONE}))", f"{_OF_ONE}, W1: f d, W2: d f"),
    "transformer-heads": (f"{_TWO} + W2 @ silu(W1 @ layer_norm({_TWO}))", f"{_OF_TWO}, W1: f d, W2: d f"),
}
"""Each weight with its rows and columns, and where it does not start at zero how it does, or with which variance."""


_IMAGE, _FILTER, _EACH = Input("c", "y", "x"), Weight("k", "c", 3, 3, name="U"), Weight("c", 5, 3, name="V")
_SQUARES, _FOUR, _V = Input("c", 6, 6), Input(4), Weight("d", name="v")
_h, _U, _W = Input("d"), Weight("d", "d", name="U"), Weight("d", "d", name="W")
WORDS: Mapping[str, tuple[Expression, str]] = {
    "a convolution": (tanh(conv2d(_IMAGE, _FILTER)), "tanh(conv2d(h, U))"),
    "one in each channel": (conv2d(_IMAGE, _EACH), "conv2d(h, V)"),
    "a stride": (conv2d(_SQUARES, _FILTER, stride=2), "conv2d(h, U, stride=2, padding=1)"),
    "more taps than places": (conv2d(Input("c", 2, 2), _FILTER, stride=2), "conv2d(h, U, stride=2, padding=1)"),
    "a padding": (conv2d(_SQUARES, _FILTER, padding=0), "conv2d(h, U, stride=1, padding=0)"),
    "two windows": (
        einsum(
            "o c a b, y p a, x q b, c y x -> o p q", _FILTER, *(window(_SQUARES, 6, 3, 1, k) for k in (1, 0)), _SQUARES
        ),
        'einsum("o c a b, p a q b c -> o p q", U, einsum("y p a, q b c y -> p a q b c", Constant("window 1 1", 6, 6, 3), '
        'einsum("x q b, c y x -> q b c y", Constant("window 1 0", 6, 4, 3), h)))',
    ),
    "another on one side": (
        einsum("y p a, c y x -> c p a x", window(_IMAGE, 6, 3, 1, 0), _SQUARES),
        'einsum("y p a, c y x -> c p a x", Constant("window 1 0", 6, 4, 3), h)',
    ),
    "a slice": (_FOUR[1:3] * 2, "h[1:3] * 2"),
    "a slice of the third axis": (_SQUARES[:, :, 2:4], "h[:, :, 2:4]"),
    "every second place": (
        cut(_FOUR, 0, 0, 4, 2),
        'einsum("axis0 taken, axis0 t -> taken t", Constant("take 0 2", 4, 2), h)',
    ),
    "a number times a name": (
        split(Weight("2*d", name="s"), "2*d -> 2 d"),
        'einsum("axis0 axis1, axis0 part0 part1 -> part0 part1 axis1", s, Constant("split", "2*d", 2, "d"))',
    ),
    "axes that are no neighbours": (
        join(Input("a", "d", "b"), "a b -> a*b"),
        'einsum("whole a b, a d b -> whole d", Constant("split", "a*b", "a", "b"), h)',
    ),
    "differences": (_h - (_U @ _h - _W @ _h) - 1, "h - (U @ h - W @ h) - 1"),
    "opposites": (-_h + (-(_U + _W)) @ _h, "-h + -(U + W) @ h"),
    "products": ((_U + _W) @ (_U @ _h) * (_V * (_h * _h)), "(U + W) @ (U @ h) * (v * (h * h))"),
    "numbers": (Fraction(-1, 2) * _h + 3, "Fraction(-1, 2) * h + 3"),
    "numbers as matrices": (Constant(1, "d", "d") @ _h, 'Constant(1, "d", "d") @ h'),
    "transposes": ((_U + _W).T @ _U.T @ _h, "(U + W).T @ U.T @ h"),
    "masks": (softmax(_U @ _h, axis=1), "softmax(U @ h, axis=1)"),
    "bands": (
        _h @ shift(-2) @ causal_mask() + shift(1, "d") @ (identity("d") @ _h),
        'h @ shift(-2) @ causal_mask() + shift(1, "d") @ (identity("d") @ h)',
    ),
    "norms": (
        rms_norm(layer_norm(_h, epsilon=Fraction(1, 3)), axis=1),
        "rms_norm(layer_norm(h, epsilon=Fraction(1, 3)), axis=1)",
    ),
}
"""Expressions as they are written in Python, and how they read."""


def _words(_: Context) -> Computed:
    return Computed({name: text(one) for name, (one, _) in WORDS.items()}, Scope.of("expressions of up to four words"))


def _read(_: Context) -> Computed:
    found = {}
    for name, entry in CATALOGUE.items():
        unit = ResidualUnit(entry.build())
        weights = (f"{own}: {' '.join(map(str, w.shape))}{_start(w)}" for w, own in unit.names.items())
        found[name] = text(unit.expression, unit.names), ", ".join(weights)
    return Computed(found, Scope.of("the catalogue, as it is written"))


def _start(weight: Weight) -> str:
    match weight.initial:
        case Normal(variance=variance):
            return f" {variance}"
        case other:
            return " ones" if other == ones else ""


def _changed(name: str, old: str, new: str) -> Mapping[str, tuple[str, str]]:
    block, weights = BLOCKS[name]
    return {**BLOCKS, name: (block.replace(old, new), weights.replace(old, new))}


PRINTED_BLOCKS = Argument(
    "The blocks of the catalogue read as in their sources",
    "explicit",
    _read,
    BLOCKS,
    {
        "a shortcut is subtracted": _changed("nested", "h + W2", "h - W2"),
        "another weight is random": _changed("fixup", "1/d, W2: d k", ", W2: d k 1/k"),
        "all heads are one": _changed("multi-head", "O2", "O1"),
    },
)
_SHOWN = {name: shown for name, (_, shown) in WORDS.items()}
READ_WORDS = Argument(
    "Slices, convolutions, signs and parentheses read as they are written",
    "explicit",
    _words,
    _SHOWN,
    {
        "a convolution is shown by its sums": {**_SHOWN, "a convolution": "tanh(einsum(...))"},
        "a difference of a difference is a sum": {**_SHOWN, "differences": "h - U @ h - W @ h - 1"},
        "every slice is of the first axis": {**_SHOWN, "a slice of the third axis": "h[2:4]"},
    },
)
