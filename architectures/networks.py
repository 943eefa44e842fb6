"""A network: one residual unit repeated `units` times, and a loss."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from resproof.architectures.activations import CONSTANTS, Activation
from resproof.architectures.dimensions import show_shape
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.expressions import (
    NODE_KINDS,
    Apply,
    Dimension,
    Expression,
    Weight,
    describe,
    nodes,
    show_value,
)
from resproof.architectures.losses import Loss, squared
from resproof.architectures.properties import dimension_names, mixes_columns, the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.terms import SAMPLES
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
    renamed: dict[Activation, Activation] = {}
    for activation in found:
        name = unused(re.sub(r"['^\x00-\x1f]", "_", activation.name), (*names, *_RESERVED))
        names[name] = activation
        if name != activation.name:
            renamed[activation] = activation.named(name)
    return rebuilt(root, activation=lambda a: renamed.get(a, a)) if renamed else root


def _with_named_frozen(root: Expression, names: Mapping[Weight, str]) -> Expression:
    """`root`, each frozen weight with its own name, so that a reading of the trainable ones' names shows it alike."""
    named = {w: replace(w, name=name) for w, name in names.items() if not w.trainable and w.name != name}

    def leaf(node: Leaf) -> Leaf:
        return named.get(node, node) if isinstance(node, Weight) else node

    return rebuilt(root, leaf) if named else root


@dataclass(frozen=True, slots=True)
class Network:
    """`units` equal residual units in a row, and the loss of the last one's output.

    Raises:
        ArchitectureError: units is no positive whole number, or one of the others is of the wrong kind.
    """

    unit: ResidualUnit
    units: int
    loss: Loss = squared

    def __post_init__(self) -> None:
        if isinstance(self.units, bool) or not isinstance(self.units, int) or self.units < 1:
            raise ArchitectureError(f"network: units is {show_value(self.units)}; expected a positive int")
        if not isinstance(self.unit, ResidualUnit):
            raise ArchitectureError(f"network: unit is {describe(self.unit)}; expected a ResidualUnit")
        if not isinstance(self.loss, Loss):
            raise ArchitectureError(f"network: loss is {show_value(self.loss)}; expected squared or cross_entropy")
