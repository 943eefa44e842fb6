"""What does the loss surface of a residual network look like where training starts? Exactly, proved, at every depth.

Write a block as in a paper, and ask:

>>> from resproof import Input, Weight, check, tanh
>>> h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
>>> found = check(h + W2 @ tanh(W1 @ h))
>>> found.regime, found.branch_order
('depth-invariant', 2)

A value may have more axes than rows and columns, each named by its dimension; `@` and `.T` are patterns of `einsum`:

>>> from resproof import conv2d, einsum
>>> einsum("g k d, d t -> g k t", Weight("heads", "k", "d"), h).shape
('heads', 'k', 't')
>>> image = Input("c", "y", "x")
>>> conv2d(image, Weight("f", "c", 3, 3)).shape
('f', 'y', 'x')

Data for an input of more than two axes are (samples, c, y, x).

The language is that of `architectures`; the verbs are `check`, `spectrum`, `prove` and `report`; a statement of one's
own is made of `Statement`, `Argument`, `Computed`, `Scope` and `Source`. Everything is imported when it is first asked
for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from resproof.shadowed import unshadowed

if TYPE_CHECKING:
    from architectures.activations import (
        Activation,
        activation,
        gelu,
        gelu_tanh,
        polynomial,
        reciprocal,
        relu,
        sigmoid,
        silu,
        tanh,
    )
    from architectures.axes import average_pool, concat, conv2d, join, mean, split, total
    from architectures.batch_norm import batch_norm
    from architectures.catalogue import n_shortcut
    from architectures.checkpoints import checkpoint
    from architectures.expressions import (
        Constant,
        Input,
        Weight,
        causal_mask,
        einsum,
        identity,
        layer_norm,
        normal,
        rms_norm,
        softmax,
    )
    from architectures.networks import ResidualUnit
    from architectures.scope import Scope
    from architectures.stacks import Stack as Network
    from proofs.statement import Argument, Computed, Source, Statement
    from resproof.interface import check, prove, report, spectrum, statements

__all__ = [
    "Activation",
    "Argument",
    "Computed",
    "Constant",
    "Input",
    "Network",
    "ResidualUnit",
    "Scope",
    "Source",
    "Statement",
    "Weight",
    "activation",
    "average_pool",
    "batch_norm",
    "causal_mask",
    "check",
    "checkpoint",
    "concat",
    "conv2d",
    "einsum",
    "gelu",
    "gelu_tanh",
    "identity",
    "join",
    "layer_norm",
    "mean",
    "n_shortcut",
    "normal",
    "polynomial",
    "prove",
    "reciprocal",
    "relu",
    "report",
    "rms_norm",
    "sigmoid",
    "silu",
    "softmax",
    "spectrum",
    "split",
    "statements",
    "tanh",
    "total",
]
_HOME = {
    **dict.fromkeys(
        (
            "Activation",
            "activation",
            "gelu",
            "gelu_tanh",
            "polynomial",
            "reciprocal",
            "relu",
            "sigmoid",
            "silu",
            "tanh",
        ),
        "architectures.activations",
    ),
    **dict.fromkeys(
        (
            *("Constant", "Input", "Weight", "causal_mask", "einsum", "identity", "layer_norm"),
            *("normal", "rms_norm", "softmax"),
        ),
        "architectures.expressions",
    ),
    "Network": "architectures.stacks",
    **dict.fromkeys(
        ("average_pool", "concat", "conv2d", "join", "mean", "split", "total"),
        "architectures.axes",
    ),
    "batch_norm": "architectures.batch_norm",
    "ResidualUnit": "architectures.networks",
    "Scope": "architectures.scope",
    **dict.fromkeys(("Argument", "Computed", "Source", "Statement"), "proofs.statement"),
    "checkpoint": "architectures.checkpoints",
    "n_shortcut": "architectures.catalogue",
    **dict.fromkeys(("check", "prove", "report", "spectrum", "statements"), "resproof.interface"),
}


_THERE = {"Network": "Stack"}
"""What is called otherwise at home, where a Network is one of equal units alone."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'resproof' has no attribute {name!r}")
    unshadowed()
    return getattr(import_module(_HOME[name]), _THERE.get(name, name))


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
