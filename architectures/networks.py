"""Networks: one residual unit repeated, or unequal parts, a stem, units one after the other, and a head.

Of unequal parts each has weights of its own. The stem takes the data to the residual stream, from whatever width they
have; the head reads the stream, and the loss is that of what it reads. A unit that is listed twice stands there twice,
with weights for each place, so that a pattern is written as Python repeats a list: `units=[attention, mlp] * 6`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from resproof.architectures.dimensions import show_shape
from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.losses import Loss, squared
from resproof.architectures.losses import loss as loss_of
from resproof.architectures.names import a_kind
from resproof.architectures.nodes import NODE_KINDS, Expression, Weight, describe, nodes
from resproof.architectures.properties import the_input
from resproof.architectures.scales import Scale, free_name, scale_of, scaled
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.architectures.values import is_whole

STEM, HEAD = "stem", "head"
"""The names of the first and the last place; the units between are called 1, 2, ..."""

Part: TypeAlias = "Expression | Stage"


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
        if not is_whole(self.units, 1):
            raise ArchitectureError(f"network: units is {show_value(self.units)}; expected a positive int")
        if not isinstance(self.unit, ResidualUnit):
            raise ArchitectureError(f"network: unit is {describe(self.unit)}; expected a ResidualUnit")
        if not isinstance(self.loss, Loss):
            raise ArchitectureError(f"network: loss is {show_value(self.loss)}; expected squared or cross_entropy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """x -> head(unit_R(... unit_1(stem(x)))); `stages` are its parts by the names of their places.

    A weight is called by its place and its own name: stem.E, 1.W1, head.C. Columns are tokens throughout where one part
    mixes them, else samples. With a `scale`, a number or a text such as "1/sqrt(R)", R the number of units, each unit
    is h + s (unit(h) - h), s frozen. `shared`: a unit that is listed several times has one set of weights for all its
    places, as in a recurrent network.

    Raises:
        ArchitectureError: no unit, a part that is no expression, a unit that does not keep the shape of its input,
            parts that do not fit, or a weight that stands in two of them.
    """

    units: Sequence[Part] | Part
    stem: Part | None = None
    head: Part | None = None
    loss: Loss | str = squared
    scale: Fraction | str | None = None
    shared: bool = False
    given_names: Mapping[Weight, str] | None = field(default=None, compare=False, repr=False)
    stages: Mapping[str, Stage] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        units = list(self.units) if isinstance(self.units, list | tuple) else [self.units]
        if not units:
            raise ArchitectureError("network: no units; expected a unit or a list of them")
        object.__setattr__(self, "units", tuple(units))
        object.__setattr__(self, "loss", loss_of(self.loss) if isinstance(self.loss, str) else self.loss)
        if not isinstance(self.loss, Loss):
            raise ArchitectureError(f"network: loss is {show_value(self.loss)}; expected squared or cross_entropy")
        if not isinstance(self.shared, bool):
            raise ArchitectureError(f"network: shared is {show_value(self.shared)}; expected True or False")
        found = dict(self._staged())
        if self.branch_scale is not None:
            found = _scaled(found, self.branch_scale)
        if any(stage.mixes_columns for stage in found.values()):
            kinds = {id(stage): replace(stage, tokens=True) for stage in found.values()}
            found = {place: kinds[id(stage)] for place, stage in found.items()}
        _check_fit(found)
        _check_apart(found, self._given())
        object.__setattr__(self, "stages", found)

    def _staged(self) -> Iterator[tuple[str, Stage]]:
        """Every part as a stage, one object for a unit that is listed several times."""
        if self.stem is not None:
            yield STEM, _stage(STEM, self.stem, self.given_names)
        known: dict[int, ResidualUnit] = {}
        assert isinstance(self.units, tuple)
        for number, unit in enumerate(self.units, start=1):
            if id(unit) not in known:
                known[id(unit)] = _unit(str(number), unit, self.given_names)
            yield str(number), known[id(unit)]
        if self.head is not None:
            yield HEAD, _stage(HEAD, self.head, self.given_names)

    def _given(self) -> Iterator[Part]:
        """Every part as it was given, in the order of the places."""
        assert isinstance(self.units, tuple)
        for part in (self.stem, *self.units, self.head):
            if part is not None:
                yield part

    def named(self, names: Mapping[Weight, str]) -> Stack:
        """The same network, its weights named as in a user's file."""
        return replace(self, given_names=names)

    @property
    def branch_scale(self) -> Scale | None:
        """The scale in front of every branch."""
        return None if self.scale is None else scale_of(self.scale)

    @property
    def residual_units(self) -> tuple[ResidualUnit, ...]:
        """The units between stem and head."""
        return tuple(stage for stage in self.stages.values() if isinstance(stage, ResidualUnit))

    @property
    def pattern(self) -> tuple[ResidualUnit, ...]:
        """The shortest list of units that, repeated, is all of them: one where they are equal."""
        units = self.residual_units
        periods = (n for n in range(1, len(units) + 1) if len(units) % n == 0)
        return next(units[:n] for n in periods if units[:n] * (len(units) // n) == units)

    @property
    def first(self) -> Stage:
        """What takes the data."""
        return next(iter(self.stages.values()))

    @property
    def last(self) -> Stage:
        """What the loss takes."""
        return list(self.stages.values())[-1]

    @property
    def loss_of_outputs(self) -> Loss:
        """The loss of a sample's output."""
        assert isinstance(self.loss, Loss)
        return self.loss


def _scaled(found: Mapping[str, Stage], scale: Scale) -> dict[str, Stage]:
    """The same parts, one scale in front of the branch of every unit."""
    units = [stage for stage in found.values() if isinstance(stage, ResidualUnit)]
    s = scale.weight(len(units), free_name(units))
    kinds = {id(unit): scaled(unit, s) for unit in units}
    return {place: kinds.get(id(stage), stage) for place, stage in found.items()}


def _stage(place: str, part: object, names: Mapping[Weight, str] | None) -> Stage:
    """The part at a place as a stage.

    Raises:
        ArchitectureError: it is no expression.
    """
    if isinstance(part, Stage):
        return part
    if not isinstance(part, NODE_KINDS):
        raise ArchitectureError(f"network: {place} is {show_value(part)}, {a_kind(part)}; expected an expression")
    try:
        return Stage(part, names)
    except ArchitectureError as error:
        raise ArchitectureError(f"network: {place}: {error}") from None


def _unit(place: str, part: object, names: Mapping[Weight, str] | None) -> ResidualUnit:
    """The part at a place as a unit.

    Raises:
        ArchitectureError: it is none.
    """
    if isinstance(part, ResidualUnit):
        return part
    stage = _stage(f"unit {place}", part, names)
    try:
        return ResidualUnit(stage.expression, {**(names or {}), **stage.every_name})
    except ArchitectureError as error:
        raise ArchitectureError(f"network: unit {place}: {error}") from None


def _check_apart(stages: Mapping[str, Stage], given: Iterator[Part]) -> None:
    """Nothing, where no weight stands in two different parts.

    Raises:
        ArchitectureError: one does; it would be one weight for each place.
    """
    seen: dict[Weight, tuple[str, Part]] = {}
    for place, part in zip(stages, given, strict=True):
        for node in nodes(part.expression if isinstance(part, Stage) else part):
            if isinstance(node, Weight):
                first, other = seen.setdefault(node, (place, part))
                if other is not part:
                    named = node.name or "a weight"
                    raise ArchitectureError(
                        f"network: {named} of shape {show_shape(node.shape)} stands in {first} and in {place}; "
                        "expected weights of each part's own"
                    )


def _check_fit(stages: Mapping[str, Stage]) -> None:
    """Nothing, where every part takes what the one before it gives.

    Raises:
        ArchitectureError: one does not.
    """
    for (place, before), (following, after) in pairwise(stages.items()):
        given, taken = before.expression.shape, the_input(after.expression).shape
        if given != taken:
            raise ArchitectureError(
                f"network: {place} gives the shape {show_shape(given)}, and {following} takes {show_shape(taken)}; "
                "expected the same"
            )
