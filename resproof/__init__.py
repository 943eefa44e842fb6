"""What does the loss surface of a residual network look like where training starts? Exactly, proved, at every depth.

Write a block as in a paper, and ask:

>>> from resproof import Input, Weight, check, tanh
>>> h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
>>> found = check(h + W2 @ tanh(W1 @ h))
>>> found.regime, found.branch_order
('depth-invariant', 2)

The language is that of `architectures`; the verbs are `check`, `spectrum`, `prove` and `report`. Everything is imported
when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from architectures.activations import Activation, activation, gelu, polynomial, relu, sigmoid, silu, tanh
    from architectures.catalogue import n_shortcut
    from architectures.expressions import (
        Constant,
        Input,
        Weight,
        causal_mask,
        identity,
        layer_norm,
        normal,
        rms_norm,
        softmax,
    )
    from architectures.networks import ResidualUnit
    from resproof.interface import check, prove, report, spectrum, statements

__all__ = [
    "Activation",
    "Constant",
    "Input",
    "ResidualUnit",
    "Weight",
    "activation",
    "causal_mask",
    "check",
    "gelu",
    "identity",
    "layer_norm",
    "n_shortcut",
    "normal",
    "polynomial",
    "prove",
    "relu",
    "report",
    "rms_norm",
    "sigmoid",
    "silu",
    "softmax",
    "spectrum",
    "statements",
    "tanh",
]
_HOME = {
    **dict.fromkeys(
        ("Activation", "activation", "gelu", "polynomial", "relu", "sigmoid", "silu", "tanh"),
        "architectures.activations",
    ),
    **dict.fromkeys(
        (
            *("Constant", "Input", "Weight", "causal_mask", "identity", "layer_norm"),
            *("normal", "rms_norm", "softmax"),
        ),
        "architectures.expressions",
    ),
    "ResidualUnit": "architectures.networks",
    "n_shortcut": "architectures.catalogue",
    **dict.fromkeys(("check", "prove", "report", "spectrum", "statements"), "resproof.interface"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'resproof' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
