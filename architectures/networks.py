"""A network: one residual unit repeated `units` times, and a loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from architectures.errors import ArchitectureError
from architectures.expressions import NODE_KINDS, Dimension, Expression, Weight, describe, show_shape, show_value
from architectures.losses import Loss, squared
from architectures.properties import mixes_columns, the_input
from architectures.text import weight_names


@dataclass(frozen=True, slots=True)
class ResidualUnit:
    """h -> expression(h; w), with the names of its weights in parameter order.

    Raises:
        ArchitectureError: no input or several, or an output of another shape than the input.
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
        object.__setattr__(self, "names", weight_names(self.expression, self.given_names))

    @property
    def weights(self) -> tuple[Weight, ...]:
        """The weights in parameter order."""
        return tuple(self.names)

    @property
    def width(self) -> Dimension:
        """The dimension of the residual stream."""
        return the_input(self.expression).rows

    @property
    def mixes_columns(self) -> bool:
        """Whether the input's columns are the tokens of one sample rather than samples."""
        return mixes_columns(self.expression)


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
