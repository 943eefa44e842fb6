"""The blocks of the catalogue as their sources have them: how each reads, of which shapes its weights are, how they start.

What is proved of a block by its name is proved of the one that its source prints.
"""

from __future__ import annotations

from collections.abc import Mapping

from architectures.entries import CATALOGUE
from architectures.expressions import Normal, Weight, ones
from architectures.networks import ResidualUnit
from architectures.scope import Scope
from architectures.text import text
from proofs.statement import Argument, Computed, Context

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
