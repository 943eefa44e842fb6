"""A network: one residual unit repeated `units` times, and a loss."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from architectures.activations import CONSTANTS, Activation
from architectures.errors import ArchitectureError
from architectures.expressions import (
    NODE_KINDS,
    Apply,
    Dimension,
    Expression,
    Weight,
    describe,
    nodes,
    show_shape,
    show_value,
)
from architectures.losses import Loss, squared
from architectures.properties import dimension_names, mixes_columns, the_input
from architectures.rebuild import rebuilt
from architectures.terms import SAMPLES
from architectures.text import unused, weight_names


@dataclass(frozen=True, slots=True)
class ResidualUnit:
    """h -> expression(h; w), with the names of its weights in parameter order.

    Within a unit an activation is known by its name: of different ones that share a name, all but the first get a
    suffix.

    Raises:
        ArchitectureError: no input or several, an output of another shape than the input, or a dimension that is named
            as the number of samples is.
    """

    expression: Expression
    given_names: Mapping[Weight, str] | None = field(default=None, compare=False)
    names: Mapping[Weight, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.expression, NODE_KINDS):
            raise ArchitectureError(
                f"unit: {show_value(self.expression)} is a {type(self.expression).__name__}; expected an expression"
            )
        h = the_input(self.expression)
        if self.expression.shape != h.shape:
            raise ArchitectureError(
                f"{describe(self.expression)}: the input has shape {show_shape(h.shape)}; expected the same shape"
            )
        object.__setattr__(self, "expression", _with_distinct_activations(self.expression))
        object.__setattr__(self, "names", weight_names(self.expression, self.given_names))
        if SAMPLES in self.dimensions:
            raise ArchitectureError(
                f"{describe(self.expression)}: {SAMPLES} is the number of samples; expected another name"
            )

    @property
    def weights(self) -> tuple[Weight, ...]:
        """The weights in parameter order."""
        return tuple(self.names)

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
        return mixes_columns(self.expression)


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
