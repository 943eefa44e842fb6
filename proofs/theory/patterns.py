"""Units of several kinds in a row, written as one unit: h -> U_P(... U_1(h)), with weights of its own at every place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.scales import scale_in
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Statement

PATTERN = Statement(
    id="GEN-10",
    title="Units of several kinds, or each with its own draw: two of them determine each block",
    source=None,
    sentence="Let unit $r$ be $h + F_k(h; w)$, $k = k_r$ its kind, $F_k(h; w_0) = 0$ for every $h$. For every depth and pattern of kinds "
    "block $(r, r)$ of the Hessian is $D_k$ of one unit of kind $k$, and block $(r, s)$, $r > s$, is $A_{kl}$ of a unit of kind $l$ "
    "and one of kind $k = k_r$ behind it.",
    latex=r"H_{rr} = D_{k_r}, \qquad H_{rs} = A_{k_r k_s} = \mathbb E\left[g^{\mathsf T} S_{k_r} T_{k_s} + T_{k_r}^{\mathsf T} Q\, "
    r"T_{k_s}\right] \quad (r > s)",
)
"""What GEN-10 says of any pattern (`proofs.beyond`) and of one (`proofs.block`); the first says more."""


def in_a_row(units: Sequence[ResidualUnit], letters: str = ascii_lowercase) -> ResidualUnit:
    """The units one after the other, the earliest first; the weight W1 of the first is named W1a, of the second W1b.

    Inputs have one shape. Parameters are numbered place by place. A scale in front of the branches is one for all.

    Raises:
        ArchitectureError: more units than letters.
    """
    if len(units) > len(letters):
        raise ArchitectureError(f"units in a row: {len(units)}; expected at most {len(letters)}, a letter for each")
    stream: Expression = the_input(units[0].expression)
    for letter, unit in zip(letters, units, strict=False):
        stream = _after(stream, unit, letter)
    return ResidualUnit(stream, tokens=any(unit.tokens for unit in units))


def _after(stream: Expression, unit: ResidualUnit, letter: str) -> Expression:
    """The unit's output where its input is the stream."""
    s = scale_in(unit)
    own = {w: w if w is s else replace(w, name=f"{name}{letter}") for w, name in unit.every_name.items()}

    def leaf(node: Leaf) -> Expression:
        return stream if isinstance(node, Input) else own[node] if isinstance(node, Weight) else node

    return rebuilt(unit.expression, leaf)
