"""What does the loss surface of a residual network look like where training starts? Exactly, proved, at every depth.

Write a block as in a paper, and ask:

>>> from resproof import Input, Weight, check, tanh
>>> h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
>>> found = check(h + W2 @ tanh(W1 @ h))
>>> found.regime, found.branch_order
('depth-invariant', 2)

More to build with is in `resproof.layers` (normalisation, softmax, convolution, patterns of axes) and in
`resproof.activations`. The verbs are `check`, `spectrum`, `prove`, `report` and `reproduce`; a statement of your own is
made of `Statement`, `Argument`, `Computed`, `Scope` and `Source`. Everything is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resproof.architectures.activations import gelu, tanh
    from resproof.architectures.algebra import einsum
    from resproof.architectures.catalogue import n_shortcut
    from resproof.architectures.networks import Stack as Network
    from resproof.architectures.nodes import Constant, Input, Weight
    from resproof.architectures.stages import ResidualUnit
    from resproof.architectures.values import normal, ones
    from resproof.interface import check, prove, report, reproduce, spectrum, statements
    from resproof.proofs.statement import Argument, Computed, Source, Statement
    from resproof.symbolic.scope import Scope

__all__ = [
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
    "check",
    "einsum",
    "gelu",
    "n_shortcut",
    "normal",
    "ones",
    "prove",
    "report",
    "reproduce",
    "spectrum",
    "statements",
    "tanh",
]
_HOME = {
    **dict.fromkeys(("gelu", "tanh"), "resproof.architectures.activations"),
    "n_shortcut": "resproof.architectures.catalogue",
    **dict.fromkeys(("Constant", "Input", "Weight"), "resproof.architectures.nodes"),
    "einsum": "resproof.architectures.algebra",
    **dict.fromkeys(("normal", "ones"), "resproof.architectures.values"),
    "ResidualUnit": "resproof.architectures.stages",
    "Scope": "resproof.symbolic.scope",
    "Network": "resproof.architectures.networks",
    **dict.fromkeys(("Argument", "Computed", "Source", "Statement"), "resproof.proofs.statement"),
    **dict.fromkeys(("check", "prove", "report", "reproduce", "spectrum", "statements"), "resproof.interface"),
}


_MODULES = ("activations", "layers")
_THERE = {"Network": "Stack"}
"""What is called otherwise at home, where a Network is one of equal units alone."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"resproof.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'resproof' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), _THERE.get(name, name))


def __dir__() -> list[str]:
    return sorted([*_HOME, *_MODULES, *(name for name in globals() if name.startswith("__"))])
