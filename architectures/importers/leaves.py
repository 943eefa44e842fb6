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
    Constant,
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


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of one program: what each weight is a part of.

    A parameter that is `together` is not cut, and one that is so twice is not split either: what would be done to it is
    done to what is computed with it.
    """

    rules: Rules
    together: Mapping[str, int] = field(default_factory=dict)
    parts: dict[Weight, Part] = field(default_factory=dict)
    made: dict[tuple[Any, ...], tuple[Expression, Part]] = field(default_factory=dict, repr=False)
    sources: dict[str, Parameter] = field(default_factory=dict, repr=False)
    tables: dict[tuple[Any, bytes], Parameter] = field(default_factory=dict, repr=False)

    def whole(self, parameter: Parameter) -> Part:
        """All of a parameter."""
        self.sources[parameter.name] = parameter
        shape = parameter.shape
        return Part(parameter.name, shape, tuple((0, n) for n in shape), tuple(range(len(shape))))

    def table(self, value: Array) -> Part:
        """All of a fixed array, as one that is not trained."""
        key = (value.shape, value.tobytes())
        if key not in self.tables:
            self.tables[key] = Parameter(f"table{len(self.tables) + 1}", value, trained=False)
        return self.whole(self.tables[key])

    def leaf(self, part: Part) -> Expression:
        """A part of a parameter with its axes in this order; in another one after its first use it is turned."""
        key = (part.parameter, part.grouped, part.ranges)
        if key not in self.made:
            self.made[key] = (self._new(part), part)
        found, first = self.made[key]
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
        if step == 1 and self._gives(a, place, lambda part, axis: part.cut(axis, start, stop), inputs=True):
            alone = count == 1 and len(a.shape) > 2 and not isinstance(a, Input | Softmax | Normalize)
            return self._cut(a, place, start, stop, drop=alone), alone
        return self.rules.once(("cut", a, place, start, stop, step), lambda: taken(a, place, start, stop, step)), False

    def _cut(self, a: Expression, place: int, start: int, stop: int, *, drop: bool = False) -> Expression:
        rules, rest = self.rules, [k for k in range(len(a.shape)) if k != place]
        if a.shape[place] == 1:
            return rules.arranged(a, rest) if drop else a
        if (value := filled(a)) is not None:
            whole = rules.number(value, [stop - start if k == place else n for k, n in enumerate(a.shape)])
            return rules.arranged(whole, rest) if drop else whole
        match a:
            case Weight():
                part = self.parts[a]
                axis = part.axes[place]
                assert axis is not None  # an axis of length one is not cut
                cut = part.cut(axis, start, stop)
                if drop:
                    cut = replace(cut, axes=tuple(part.axes[k] for k in rest))
                return self._without_offset(part, cut)
            case Einsum():
                name = a.output[place]
                patterns, several = list[str](), list[Expression]()
                for one, names in zip(a.operands, a.inputs, strict=True):
                    inside = name in names
                    patterns.append(" ".join(n for n in names if not (drop and n == name)))
                    several.append(self._cut(one, names.index(name), start, stop, drop=drop) if inside else one)
                output = " ".join(n for n in a.output if not (drop and n == name))
                return self.rules.contraction(f"{', '.join(patterns)} -> {output}", *several, word=a.word)
            case Add() | Multiply():
                return self._both(a, lambda one: self._cut(one, place, start, stop, drop=drop))
            case Apply():
                return rules.apply(a.activation, self._cut(a.operand, place, start, stop, drop=drop))
            case Softmax() if not drop:
                return rules.softmax(self._cut(a.operand, place, start, stop), a.axis)
            case Normalize() if not drop:
                inner = self._cut(a.operand, place, start, stop)
                return rules.normalise(inner, [a.axis], centred=a.centred, epsilon=a.epsilon)
            case _:
                found = rules.once(("cut", a, place, start, stop, 1), lambda: taken(a, place, start, stop))
                return rules.arranged(found, rest) if drop else found

    def split(self, a: Expression, place: int, sizes: Sequence[int]) -> Expression:
        """An axis as several, the last running fastest."""
        if self._gives(a, place, lambda part, axis: part.split(axis, sizes)):
            return self._split(a, place, sizes)
        names = list(self.rules.letters(len(a.shape)))
        parts = [n for n in ("gklmno" if self.rules.image else "abdeflm") if n not in names][: len(sizes)]
        after = " ".join(_with(names, names[place], parts))
        pattern = f"{names[place]} {' '.join(parts)}, {' '.join(names)} -> {after}"
        return self.rules.contraction(pattern, self.rules.pattern("split", math.prod(sizes), *sizes), a)

    def _split(self, a: Expression, place: int, sizes: Sequence[int]) -> Expression:
        rules, more = self.rules, len(sizes) - 1
        before = list[int | None](range(place + 1))
        if a.shape[place] == 1:
            return rules.arranged(a, [*before, *[None] * more, *range(place + 1, len(a.shape))])
        if (value := filled(a)) is not None:
            return rules.number(value, [*a.shape[:place], *sizes, *a.shape[place + 1 :]])
        match a:
            case Weight():
                part = self.parts[a]
                axis = part.axes[place]
                assert axis is not None  # an axis of length one is not split
                found = part.split(axis, sizes)
                assert found is not None  # asked before
                return self._without_offset(part, found)
            case Einsum():
                name, taken_names = a.output[place], {n for names in (*a.inputs, a.output) for n in names}
                new = [n for n in "abdefhlmpqrsuvw" if n not in taken_names][: more + 1]
                several, patterns = list[Expression](), list[str]()
                for one, names in zip(a.operands, a.inputs, strict=True):
                    inside = self._split(one, names.index(name), sizes) if name in names else one
                    several.append(inside)
                    patterns.append(" ".join(_with(names, name, new)))
                return self.rules.contraction(
                    f"{', '.join(patterns)} -> {' '.join(_with(a.output, name, new))}", *several
                )
            case Add() | Multiply():
                return self._both(a, lambda one: self._split(one, place, sizes))
            case Apply():
                return rules.apply(a.activation, self._split(a.operand, place, sizes))
            case _:
                raise AssertionError(a)

    def _without_offset(self, whole: Part, part: Part) -> Expression:
        """A part of W, where the offset + W is what the parameter is."""
        found = self.leaf(replace(part, offset=0.0))
        return found if not whole.offset else self.rules.shifted(found, -exact(whole.offset))

    def _both(self, a: Add | Multiply, of: Callable[[Expression], Expression]) -> Expression:
        left, right = of(a.left), of(a.right)
        return self.rules.add(left, right) if isinstance(a, Add) else self.rules.multiply(left, right)

    def _gives(
        self, a: Expression, place: int, of: Callable[[Part, int], Part | None], *, inputs: bool = False
    ) -> bool:
        """Whether an axis comes from weights of which such a part can be taken."""
        if a.shape[place] == 1 or filled(a) is not None:
            return True
        match a:
            case Weight():
                part = self.parts.get(a)
                axis = (
                    part.axes[place] if part is not None and self.together.get(part.parameter, 0) < 2 - inputs else None
                )
                return axis is not None and part is not None and of(part, axis) is not None
            case Input():
                return inputs
            case Einsum():
                name = a.output[place]
                along = [
                    (one, names.index(name)) for one, names in zip(a.operands, a.inputs, strict=True) if name in names
                ]
                return all(self._gives(one, k, of, inputs=inputs) for one, k in along)
            case Add() | Multiply():
                return all(self._gives(one, place, of, inputs=inputs) for one in (a.left, a.right))
            case Apply():
                return self._gives(a.operand, place, of, inputs=inputs)
            case Softmax() | Normalize():
                masked = isinstance(a, Softmax) and a.mask is not None and place >= len(a.shape) - 2
                return inputs and place != a.axis and not masked and self._gives(a.operand, place, of, inputs=inputs)
            case Constant():
                return False


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


def overlapping(parts: Mapping[Weight, Part], sources: Mapping[str, Parameter]) -> set[str]:
    """The parameters of which two weights are parts that share entries."""
    numpy = import_module("numpy")
    uses: dict[str, Array] = {}
    for part in parts.values():
        used = uses.setdefault(part.parameter, numpy.zeros(sources[part.parameter].shape, int))
        part.whole(used)[part.place] += 1
    return {name for name, used in uses.items() if int(used.max(initial=0)) > 1}
