"""The parameters and fixed arrays of a program, and how each becomes a weight or a constant of the language.

A weight starts at zero, at ones or at the identity; a parameter that one number c fills is c + W with W at zero: the
same function with the same derivatives. Other values are kept entry by entry. A part of a parameter that is used by
itself, such as the rows of one head, is a weight of its own; what is not trained is a weight that stays where it is.
To cut or to split an axis of a product is to cut or to split the weights that the axis comes from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

from resproof.architectures.importers.rules import Rules, exact, filled
from resproof.architectures.nodes import (
    Add,
    Apply,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
)
from resproof.architectures.nodes import cut as taken
from resproof.architectures.text import unused
from resproof.architectures.values import values_of, zero

Array: TypeAlias = Any
"""A float64 array with NumPy's methods."""

LETTERS = "abdefhlmpqrsuvw"
"""Names for new axes of a contraction."""

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""From where to where, along each axis of a parameter."""


Key: TypeAlias = tuple[str, tuple[int, ...], Ranges]
"""The entries of a parameter: its name, the shape that it is taken in, and the ranges there."""


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

    `grouped` is a shape that the parameter's array is taken in, `ranges` are places along the axes of that shape, and
    `axes` are those axes in the order of the weight's, None where the weight's has length one; one that is not among
    them has one index in `ranges`.
    """

    parameter: str
    grouped: tuple[int, ...]
    ranges: Ranges
    axes: tuple[int | None, ...]
    offset: float = 0.0

    @property
    def key(self) -> Key:
        """Its entries, in whatever order."""
        return self.parameter, self.grouped, self.ranges

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
        return array.reshape(self.grouped)

    def of(self, array: Array) -> Array:
        """The weight's value without the offset taken off, from that of the parameter."""
        taken = self.whole(array)[self.place]
        sizes = [1 if axis is None else taken.shape[axis] for axis in self.axes]
        return taken.transpose(self.order).reshape(sizes)

    @property
    def words(self) -> str:
        """The parameter, with its indices as in Python where it is not the whole."""
        whole = all((start, stop) == (0, size) for (start, stop), size in zip(self.ranges, self.grouped, strict=True))
        return self.parameter + ("" if whole else f"[{', '.join(f'{start}:{stop}' for start, stop in self.ranges)}]")

    def back(self, matrix: Array) -> Array:
        """An array with the weight's entries in order as that part of an array of the parameter's."""
        sizes = [stop - start for start, stop in self.ranges]
        turned = matrix.reshape([sizes[axis] for axis in self.order])
        return turned.transpose(tuple(self.order.index(axis) for axis in range(len(sizes))))

    def split(self, axis: int, sizes: Sequence[int]) -> Part | None:
        """The same with one of its parameter's axes as several, also in `axes`; None where they do not fit."""
        (start, stop), inner = self.ranges[axis], math.prod(sizes[1:])
        if (stop - start) != math.prod(sizes) or start % inner or self.grouped[axis] % inner:
            return None
        more = len(sizes) - 1
        grouped = (*self.grouped[:axis], self.grouped[axis] // inner, *sizes[1:], *self.grouped[axis + 1 :])
        first = (start // inner, stop // inner)
        ranges = (*self.ranges[:axis], first, *((0, n) for n in sizes[1:]), *self.ranges[axis + 1 :])
        axes = list[int | None]()
        for one in self.axes:
            later = one if one is None or one <= axis else one + more
            axes += range(axis, axis + more + 1) if one == axis else [later]
        return Part(self.parameter, grouped, ranges, tuple(axes), self.offset)

    def cut(self, axis: int, start: int, stop: int) -> Part:
        """The same with some of the places along one of its parameter's axes."""
        first = self.ranges[axis][0]
        ranges = (*self.ranges[:axis], (first + start, first + stop), *self.ranges[axis + 1 :])
        return replace(self, ranges=ranges)


Parted: TypeAlias = Callable[[Part, int], "Part | None"]
"""What is taken of a part along one of its parameter's axes; None where that does not go."""


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of one program: what each weight is a part of.

    The parts `together` are neither cut nor split: what would be done to them is done to what is computed with them.
    """

    rules: Rules
    together: frozenset[Key] = frozenset()
    parts: dict[Weight, Part] = field(default_factory=dict)
    made: dict[Key, tuple[Expression, Part]] = field(default_factory=dict, repr=False)
    sources: dict[str, Parameter] = field(default_factory=dict, repr=False)
    tables: dict[tuple[Any, bytes], Parameter] = field(default_factory=dict, repr=False)

    def whole(self, parameter: Parameter) -> Part:
        """All of a parameter."""
        self.sources[parameter.name] = parameter
        shape = parameter.shape
        return Part(parameter.name, shape, tuple((0, n) for n in shape), tuple(range(len(shape))))

    def fixed(self, value: Array) -> Parameter:
        """A fixed array as a parameter that is not trained."""
        key = (value.shape, value.tobytes())
        if key not in self.tables:
            self.tables[key] = Parameter(f"table{len(self.tables) + 1}", value, trained=False)
        return self.tables[key]

    def leaf(self, part: Part) -> Expression:
        """A part of a parameter with its axes in this order; in another one after its first use it is turned."""
        if part.key not in self.made:
            self.made[part.key] = (self._new(part), part)
        found, first = self.made[part.key]
        known = [None if axis is None or axis not in first.axes else first.axes.index(axis) for axis in part.axes]
        return self.rules.arranged(found, known)

    def _new(self, part: Part) -> Expression:
        parameter = self.sources[part.parameter]
        value = part.of(parameter.value)
        shape = tuple(int(n) for n in value.shape)
        number = filling(value)
        if number is not None and not parameter.trained:
            return self.rules.number(number, shape)
        if not parameter.trained and (name := pattern_of(value)) is not None:
            return self.rules.pattern(name, *shape)
        offset = number if number is not None and number not in {0, 1} else Fraction(0)
        initial = zero if offset else values_of(value, part.words)
        weight = Weight(shape, initial=initial, trainable=parameter.trained)
        self.parts[weight] = replace(part, offset=float(offset))
        return weight if not offset else self.rules.add(self.rules.number(offset, shape), weight)

    def hide(self, part: Part) -> Expression:
        """A part of a fixed array of true and false as 0 and -infinity, where it is added to scores."""
        shown = part.of(self.sources[part.parameter].value)
        weight = self.rules.once(("hidden", part), lambda: Weight(tuple(map(int, shown.shape)), trainable=False))
        self.rules.hidden[weight] = shown > 0
        return weight

    # Parts of what is computed.

    def cut(self, a: Expression, place: int, start: int, stop: int, step: int = 1) -> tuple[Expression, bool]:
        """The places start, start + step, ... below stop of an axis, and whether a single one has left the axis out."""
        count = len(range(start, stop, step))
        alone = count == 1 and len(a.shape) > 2 and not isinstance(a, Input | Softmax | Normalize)

        def of(part: Part, axis: int) -> Part | None:
            if part.key in self.together:
                return None
            cut = part.cut(axis, start, stop)
            return replace(cut, axes=tuple(k for k in cut.axes if k != axis)) if alone else cut

        def whole(one: Expression, place: int) -> Expression:
            return self.rules.once(("cut", one, place, start, stop, step), lambda: taken(one, place, start, stop, step))

        found = None if step > 1 else self._parted(a, place, () if alone else (count,), of, whole)
        return (whole(a, place), False) if found is None else (found, alone)

    def split(self, a: Expression, place: int, sizes: Sequence[int]) -> Expression:
        """An axis as several, the last running fastest."""

        def of(part: Part, axis: int) -> Part | None:
            return None if part.key in self.together else part.split(axis, sizes)

        if (found := self._parted(a, place, sizes, of, lambda *_: None)) is not None:
            return found
        names = list(self.rules.letters(len(a.shape)))
        parts = [n for n in ("gklmno" if self.rules.image else LETTERS) if n not in names][: len(sizes)]
        after = " ".join(_with(names, names[place], parts))
        pattern = f"{names[place]} {' '.join(parts)}, {' '.join(names)} -> {after}"
        return self.rules.contraction(pattern, self.rules.pattern("split", math.prod(sizes), *sizes), a)

    def _parted(self, a: Expression, place: int, sizes: Sequence[int], of: Parted, on_input: Any) -> Expression | None:
        """An axis as axes of these sizes, by taking the weights that it comes from so; None where that does not go."""
        rules = self.rules

        def inside(one: Expression, place: int) -> Expression | None:
            return self._parted(one, place, sizes, of, on_input)

        if a.shape[place] == 1:
            kept = [place, *[None] * (len(sizes) - 1)] if sizes else []
            return rules.arranged(a, [*range(place), *kept, *range(place + 1, len(a.shape))])
        if (value := filled(a)) is not None:
            return rules.number(value, [*a.shape[:place], *sizes, *a.shape[place + 1 :]])
        match a:
            case Weight():
                whole = self.parts.get(a)
                axis = None if whole is None else whole.axes[place]
                part = None if whole is None or axis is None else of(whole, axis)
                return None if whole is None or part is None else self._without_offset(whole, part)
            case Einsum():
                name, known = a.output[place], {n for names in (*a.inputs, a.output) for n in names}
                new = [name] if len(sizes) == 1 else [n for n in LETTERS if n not in known][: len(sizes)]
                patterns = [" ".join(_with(names, name, new)) for names in (*a.inputs, a.output)]
                pairs = zip(a.operands, a.inputs, strict=True)
                several = [inside(one, names.index(name)) if name in names else one for one, names in pairs]
                found = [one for one in several if one is not None]
                pattern = f"{', '.join(patterns[:-1])} -> {patterns[-1]}"
                word = a.word if len(sizes) == 1 else None
                return rules.contraction(pattern, *found, word=word) if len(found) == len(several) else None
            case Add() | Multiply():
                left, right = inside(a.left, place), inside(a.right, place)
                if left is None or right is None:
                    return None
                return rules.add(left, right) if isinstance(a, Add) else rules.multiply(left, right)
            case Apply():
                return None if (one := inside(a.operand, place)) is None else rules.apply(a.activation, one)
            case Softmax() | Normalize() if len(sizes) == 1 and place != a.axis:
                if (isinstance(a, Softmax) and a.mask is not None) or (one := inside(a.operand, place)) is None:
                    return None
                if isinstance(a, Softmax):
                    return rules.softmax(one, a.axis)
                return rules.normalise(one, [a.axis], centred=a.centred, epsilon=a.epsilon)
            case Input():
                return on_input(a, place)
            case _:
                return None

    def _without_offset(self, whole: Part, part: Part) -> Expression:
        """A part of W, where the offset + W is what the parameter is."""
        found = self.leaf(replace(part, offset=0.0))
        return found if not whole.offset else self.rules.shifted(found, -exact(whole.offset))


def _with(names: Sequence[str], name: str, new: Sequence[str]) -> list[str]:
    return [one for each in names for one in (new if each == name else [each])]


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


def overlapping(parts: Mapping[Weight, Part], sources: Mapping[str, Parameter]) -> set[Key]:
    """The parts of parameters that share entries with another one."""
    numpy = import_module("numpy")
    uses = {part.parameter: numpy.zeros(sources[part.parameter].shape, int) for part in parts.values()}
    for part in parts.values():
        part.whole(uses[part.parameter])[part.place] += 1
    return {part.key for part in parts.values() if int(part.whole(uses[part.parameter])[part.place].max()) > 1}
