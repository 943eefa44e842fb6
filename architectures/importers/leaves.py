"""The parameters and fixed arrays of a program, and how each becomes a weight or a constant of the language.

A weight starts at zero, at ones or at the identity; a parameter that one number c fills is c + W with W at zero: the
same function with the same derivatives. Other values are kept entry by entry. A part of a parameter that is used by
itself, such as the rows of one head, is a weight of its own; what is not trained is a weight that stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.matrices import Axis, Term, WrittenMatrices, exact
from resproof.architectures.nodes import Expression, Weight
from resproof.architectures.text import unused
from resproof.architectures.values import values_of, zero

Array: TypeAlias = Any
"""A float64 array with NumPy's methods."""

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""From where to where, along each axis of a parameter."""


@dataclass(frozen=True, eq=False, slots=True)
class Parameter:
    """An array that is trained: its name in the module and its initial value."""

    name: str
    value: Array
    trained: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(int(n) for n in self.value.shape)


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a parameter that a weight of the expression is, offset + W.

    `axes` are those of the parameter in the order of the weight's, None where the weight's has length one; one that is
    not among them has one index in `ranges`. With `grouped` they are those of the parameter in this shape.
    """

    parameter: str
    ranges: Ranges
    axes: tuple[int | None, ...]
    offset: float = 0.0
    grouped: tuple[int, ...] | None = None

    @property
    def place(self) -> tuple[slice, ...]:
        """Where it lies in the parameter."""
        return tuple(slice(*at) for at in self.ranges)

    @property
    def order(self) -> tuple[int, ...]:
        """The parameter's axes, those of the weight first."""
        first = [axis for axis in self.axes if axis is not None]
        return (*first, *(axis for axis in range(len(self.ranges)) if axis not in first))

    def whole(self, array: Array) -> Array:
        """An array of the parameter's in the shape that the part is taken from."""
        return array if self.grouped is None else array.reshape(self.grouped)

    def of(self, array: Array) -> Array:
        """The weight's value without the offset taken off, from that of the parameter."""
        taken = self.whole(array)[self.place]
        sizes = [1 if axis is None else taken.shape[axis] for axis in self.axes]
        return taken.transpose(self.order).reshape(sizes)

    def words(self, shape: Sequence[int]) -> str:
        """The parameter, with its indices as in Python where it is not the whole."""
        sizes = shape if self.grouped is None else self.grouped
        whole = all((start, stop) == (0, size) for (start, stop), size in zip(self.ranges, sizes, strict=True))
        return self.parameter + ("" if whole else f"[{', '.join(f'{start}:{stop}' for start, stop in self.ranges)}]")

    def back(self, matrix: Array) -> Array:
        """An array with the weight's entries in order as that part of an array of the parameter's."""
        sizes = [stop - start for start, stop in self.ranges]
        turned = matrix.reshape([sizes[axis] for axis in self.order])
        return turned.transpose(tuple(self.order.index(axis) for axis in range(len(sizes))))


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of one program: what each weight is a part of."""

    rank: int = 2
    matrices: WrittenMatrices = field(init=False, repr=False)
    parts: dict[Weight, Part] = field(default_factory=dict)
    made: dict[tuple[Any, ...], tuple[Term, tuple[int | None, ...]]] = field(default_factory=dict, repr=False)
    sources: dict[str, Parameter] = field(default_factory=dict, repr=False)
    tables: dict[tuple[Any, bytes], Parameter] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrices", WrittenMatrices(self.cut, self.rank))

    def term(
        self,
        parameter: Parameter,
        ranges: Ranges,
        axes: tuple[int | None, ...],
        grouped: tuple[int, ...] | None = None,
    ) -> Term:
        """A part of a parameter with its axes in this order; a matrix the other way round is the transpose.

        Raises:
            ArchitectureError: it is used with its axes in different orders, and is no matrix.
        """
        self.sources[parameter.name] = parameter
        key = (parameter.name, ranges, grouped)
        if key not in self.made:
            self.made[key] = (self._new(parameter, Part(parameter.name, ranges, axes, grouped=grouped)), axes)
        found, first = self.made[key]
        if first == axes:
            return found
        if first[::-1] != axes or len(axes) != 2:
            raise ArchitectureError(f"{parameter.name} is used with its axes in two different orders")
        return self.matrices.transpose(found)

    def _new(self, parameter: Parameter, part: Part) -> Term:
        value = part.of(parameter.value)
        shape = tuple(int(n) for n in value.shape)
        number = filling(value)
        if number is not None and not parameter.trained:
            return self.matrices.number(number, *shape)
        offset = number if number is not None and number not in {0, 1} else Fraction(0)
        initial = zero if offset else values_of(value, part.words(parameter.shape))
        weight = Weight(shape, initial=initial, trainable=parameter.trained)
        self.parts[weight] = replace(part, offset=float(offset))
        return weight if not offset else self.matrices.add(self.matrices.number(offset, *shape), weight)

    def fixed(self, value: Array) -> Term:
        """A fixed array: a number that fills it, a pattern, or a weight that is not trained."""
        shape = tuple(int(n) for n in value.shape)
        number = filling(value)
        if number is not None:
            return self.matrices.number(number, *shape)
        name = pattern_of(value)
        if name is not None:
            return self.matrices.pattern(name, shape[0])
        key = (value.shape, value.tobytes())
        if key not in self.tables:
            self.tables[key] = Parameter(f"table{len(self.tables) + 1}", value, trained=False)
        return self.term(self.tables[key], tuple((0, n) for n in shape), tuple(range(len(shape))))

    def cut(self, leaf: Expression, axis: Axis, start: int, stop: int) -> Term:
        """Rows or columns of a weight.

        Raises:
            ArchitectureError: it is no weight.
        """
        part = self.parts.get(leaf) if isinstance(leaf, Weight) else None
        if part is None:
            raise ArchitectureError("a part is taken of a matrix that is no product with a weight")
        along = part.axes[axis]
        assert along is not None  # a side of size 1 is not cut
        ranges = list(part.ranges)
        ranges[along] = (ranges[along][0] + start, ranges[along][0] + stop)
        whole = self.term(self.sources[part.parameter], tuple(ranges), part.axes, part.grouped)
        if part.offset:  # it was taken off the weight, and added where the weight stands
            whole = self.matrices.subtract(whole, self.matrices.number(exact(part.offset), *whole.shape))
        return whole


def filling(value: Array) -> Fraction | None:
    """The number that fills an array, as its own precision writes it; None where none does."""
    first = value.reshape(-1)[0]
    return exact(float(str(first))) if bool((value == first).all()) else None


def pattern_of(value: Array) -> str | None:
    """The named pattern that a matrix of zeros and ones is."""
    rows = int(value.shape[0])
    if tuple(value.shape) != (rows, rows) or not bool(((value == 0) | (value == 1)).all()):
        return None
    entries = [(s, t) for s in range(rows) for t in range(rows) if value[s, t]]
    steps = {t - s for s, t in entries}
    if len(steps) == 1 and len(entries) == rows - abs(step := min(steps)):
        return "identity" if step == 0 else f"shift {step}"
    causal = [(s, t) for s in range(rows) for t in range(s, rows)]
    return "causal" if entries == causal else None


def names_of(parts: Mapping[Weight, Part]) -> dict[Weight, str]:
    """A name for every weight: the parameter's, the word weight at its end left out; parts are numbered from 1."""
    found: dict[Weight, str] = {}
    siblings: dict[str, list[Part]] = {}
    for part in parts.values():
        siblings.setdefault(part.parameter, []).append(part)
    for weight, part in parts.items():
        several = sorted(siblings[part.parameter], key=lambda one: one.ranges)
        name = re.sub(r"\W+", "_", re.sub(r"([\W_](weight|kernel))?(\Wvalue)?$", "", part.parameter)).strip("_") or "w"
        name = name if len(several) == 1 else f"{name}_{several.index(part) + 1}"
        found[weight] = unused(name if name.isidentifier() else f"w_{name}", found.values())
    return found


def overlapping(parts: Mapping[Weight, Part]) -> str | None:
    """A parameter of which two weights are parts that share entries."""
    several = list(parts.values())
    for k, one in enumerate(several):
        for other in several[:k]:
            same = one.parameter == other.parameter
            if same and one.grouped != other.grouped:
                return one.parameter
            if same and all(max(a, c) < min(b, d) for (a, b), (c, d) in zip(one.ranges, other.ranges, strict=True)):
                return one.parameter
    return None
