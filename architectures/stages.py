"""The parts of a network: a stage, and a residual unit, a stage that keeps the shape of its input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from resproof.architectures.activations import CONSTANTS, renamed
from resproof.architectures.dimensions import SAMPLES, Dimension, show_shape
from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.nodes import NODE_KINDS, Activation, Apply, Expression, Weight, describe, nodes
from resproof.architectures.properties import dimension_names, mixes_columns, the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.text import unused, weight_names


@dataclass(frozen=True, slots=True)
class Stage:
    """h -> expression(h; w), with the names of its trainable weights in parameter order, and of its frozen ones.

    A frozen weight bears its name itself. `tokens`: the columns are those of one sample, even where they stay apart.

    Within a stage an activation is known by its name: of different ones that share a name, all but the first get a
    suffix.

    Raises:
        ArchitectureError: no expression, no input or several, or a dimension that is named as the number of samples is.
    """

    expression: Expression
    given_names: Mapping[Weight, str] | None = field(default=None, compare=False)
    tokens: bool = field(default=False, kw_only=True, repr=False)
    names: Mapping[Weight, str] = field(init=False, compare=False)
    frozen: Mapping[Weight, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.expression, NODE_KINDS):
            raise ArchitectureError(
                f"unit: {show_value(self.expression)} is a {type(self.expression).__name__}; expected an expression"
            )
        _ = the_input(self.expression)
        distinct = _with_distinct_activations(self.expression)
        names = weight_names(distinct, self.given_names)
        object.__setattr__(self, "expression", _with_named_frozen(distinct, names))
        names = weight_names(self.expression, names)
        object.__setattr__(self, "names", {w: name for w, name in names.items() if w.trainable})
        object.__setattr__(self, "frozen", {w: name for w, name in names.items() if not w.trainable})
        if SAMPLES in self.dimensions:
            raise ArchitectureError(
                f"{describe(self.expression)}: {SAMPLES} is the number of samples; expected another name"
            )

    @property
    def weights(self) -> tuple[Weight, ...]:
        """The trainable weights in parameter order."""
        return tuple(self.names)

    @property
    def every_name(self) -> Mapping[Weight, str]:
        """The names of all weights, the trainable ones first."""
        return {**self.names, **self.frozen}

    @property
    def width(self) -> Dimension:
        """The dimension of the residual stream."""
        return the_input(self.expression).rows

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The named dimensions in the order of their first appearance, that of the samples not counted."""
        samples = None if self.mixes_columns else the_input(self.expression).columns
        return tuple(name for name in dimension_names(self.expression) if name != samples)

    @property
    def mixes_columns(self) -> bool:
        """Whether the input's columns are the tokens of one sample rather than samples."""
        return self.tokens or mixes_columns(self.expression)


@dataclass(frozen=True, slots=True)
class ResidualUnit(Stage):
    """A stage whose output has the shape of its input, as h + branch(h; w) has.

    Raises:
        ArchitectureError: it has another shape.
    """

    def __post_init__(self) -> None:
        Stage.__post_init__(self)
        h = the_input(self.expression)
        if self.expression.shape != h.shape:
            raise ArchitectureError(
                f"{describe(self.expression)}: the input has shape {show_shape(h.shape)}; expected the same shape"
            )


_RESERVED = {constant.partition("(")[0] for constant in CONSTANTS}
"""Names that occur in named constants: log(2), phi(0)."""


def _with_distinct_activations(root: Expression) -> Expression:
    """`root`, its activations renamed where different ones share a name."""
    found = dict.fromkeys(node.activation for node in nodes(root) if isinstance(node, Apply))
    names: dict[str, Activation] = {}
    changed: dict[Activation, Activation] = {}
    for activation in found:
        name = unused(re.sub(r"['^\x00-\x1f]", "_", activation.name), (*names, *_RESERVED))
        names[name] = activation
        if name != activation.name:
            changed[activation] = renamed(activation, name)
    return rebuilt(root, activation=lambda a: changed.get(a, a)) if changed else root


def _with_named_frozen(root: Expression, names: Mapping[Weight, str]) -> Expression:
    """`root`, each frozen weight with its own name, so that a reading of the trainable ones' names shows it alike."""
    named = {w: replace(w, name=name) for w, name in names.items() if not w.trainable and w.name != name}

    def leaf(node: Leaf) -> Leaf:
        return named.get(node, node) if isinstance(node, Weight) else node

    return rebuilt(root, leaf) if named else root
