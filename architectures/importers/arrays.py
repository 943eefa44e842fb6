"""Operations on arrays, as operations on matrices of the language.

Each axis of an array has a role: the row or the column of a matrix, a number of matrices that stand beside each other
(heads), or an axis of size one. Of a parameter or a fixed array the roles are open until it meets an array whose roles
are known: a bias lies along the rows, and of the matrix of a linear layer, whichever way round it is stored, the axis
that is summed is the columns. Where samples are a third axis, the program is read on one of them.

    x W^T  of (samples, width) and (width', width)   is   W h  of width' x samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import product
from typing import Any, TypeAlias

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.leaves import Leaves, Parameter, Ranges
from resproof.architectures.importers.matrices import HIDDEN, Axis, Term, exact
from resproof.architectures.nodes import Expression, Input
from resproof.architectures.values import Scalar


class Role(Enum):
    """What an axis of an array is."""

    ROW = 0
    COLUMN = 1
    LAYER = 2
    """The third axis of an image (c, y, x)."""
    STACK = 3
    """Matrices beside each other."""
    ONE = 4


@dataclass(frozen=True, slots=True)
class FixedArray:
    """An array that does not depend on the input: a NumPy array."""

    array: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(int(n) for n in self.array.shape)


@dataclass(frozen=True, slots=True)
class Open:
    """A parameter whose axes have no roles yet; `axes`: that of the parameter, None for an axis of size one."""

    parameter: Parameter
    ranges: Ranges
    axes: tuple[int | None, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(1 if axis is None else self.ranges[axis][1] - self.ranges[axis][0] for axis in self.axes)


@dataclass(frozen=True, slots=True)
class Value:
    """Matrices, one for each index of the axes that are stacks, in the order of an array's entries."""

    parts: tuple[Term, ...]
    roles: tuple[Role, ...]
    shape: tuple[int, ...]

    def axis_of(self, role: Role) -> int | None:
        """The axis of that role."""
        return self.roles.index(role) if role in self.roles else None

    @property
    def stacks(self) -> tuple[int, ...]:
        """The axes that number the matrices."""
        return tuple(axis for axis, role in enumerate(self.roles) if role is Role.STACK)

    def at(self, index: dict[int, int]) -> Term:
        """The matrix at an index of the stack axes."""
        place = 0
        for axis in self.stacks:
            place = place * self.shape[axis] + index[axis]
        return self.parts[place]


Operand: TypeAlias = Value | Open | FixedArray
_AXES = (Role.ROW, Role.COLUMN, Role.LAYER)
"""The roles of a term's axes, in their order."""
_MATRIX = set(_AXES)


def indices(shape: Sequence[int], axes: Sequence[int]) -> Iterator[dict[int, int]]:
    """Every index of some axes, the last one running first."""
    for values in product(*(range(shape[axis]) for axis in axes)):
        yield dict(zip(axes, values, strict=True))


@dataclass(frozen=True, slots=True)
class Arrays:
    """The operations of one program."""

    leaves: Leaves

    # Leaves.

    @property
    def _axes(self) -> tuple[Role, ...]:
        return _AXES[: self.leaves.rank]

    def input(self, shape: Sequence[int]) -> Value:
        """The input: (samples or tokens, width), (1, tokens, width), or an image (1, channels, y, x)."""
        if self.leaves.rank > 2:
            return self._value((Input(*map(int, shape[1:])),), (Role.ONE, *self._axes), shape)
        roles = (Role.ONE, Role.COLUMN, Role.ROW)[-len(shape) :]
        return self._value((Input(int(shape[-1]), int(shape[-2])),), roles, shape)

    def _value(self, parts: Sequence[Term], roles: Sequence[Role], shape: Sequence[int]) -> Value:
        sizes = tuple(int(n) for n in shape)
        kept = tuple(r if n != 1 else Role.ONE for r, n in zip(roles, sizes, strict=True))
        return Value(tuple(parts), kept, sizes)

    def open(self, parameter: Parameter) -> Open:
        """A parameter before its first use."""
        shape = parameter.shape
        return Open(parameter, tuple((0, n) for n in shape), tuple(range(len(shape))))

    def settled(self, one: Operand, roles: Sequence[Role] | None = None) -> Value:
        """An operand with roles: those that are asked for, or a vector as a column and the last axis as the columns.

        Raises:
            ArchitectureError: a fixed array that the language has no word for.
        """
        if isinstance(one, Value):
            return one
        if roles is None:
            roles = self._usual(one.shape)
        value = self._value((), roles, one.shape)
        parts = [self._matrix(one, value.roles, at) for at in indices(value.shape, value.stacks)]
        return replace(value, parts=tuple(parts))

    def _usual(self, shape: Sequence[int]) -> tuple[Role, ...]:
        long = [axis for axis, n in enumerate(shape) if n > 1]
        roles = [Role.ONE] * len(shape)
        for axis, role in zip(long[::-1], (Role.COLUMN, Role.ROW) if len(long) > 1 else (Role.ROW,), strict=False):
            roles[axis] = role
        for axis in long[:-2]:
            roles[axis] = Role.STACK
        return tuple(roles)

    def _matrix(self, one: Open | FixedArray, roles: tuple[Role, ...], at: dict[int, int]) -> Term:
        axes = [roles.index(role) if role in roles else None for role in self._axes]
        if isinstance(one, FixedArray):
            return self._fixed(one.array, axes, at)
        ranges = list(one.ranges)
        for axis, index in at.items():
            source = one.axes[axis]
            assert source is not None  # a stack axis of size one has no role
            start = ranges[source][0] + index
            ranges[source] = (start, start + 1)
        return self.leaves.term(one.parameter, tuple(ranges), tuple(None if k is None else one.axes[k] for k in axes))

    def _fixed(self, array: Any, axes: Sequence[int | None], at: dict[int, int]) -> Term:
        index = tuple(slice(at[k], at[k] + 1) if k in at else slice(None) for k in range(len(array.shape)))
        taken = array[index]
        order = [axis for axis in axes if axis is not None]
        rest = [axis for axis in range(len(array.shape)) if axis not in order]
        sizes = [1 if axis is None else taken.shape[axis] for axis in axes]
        return self.leaves.fixed(taken.transpose((*order, *rest)).reshape(sizes))

    # One entry at a time.

    def each(self, one: Operand, operation: Callable[[Term], Term]) -> Value:
        """An operation on every entry."""
        value = self.settled(one)
        return replace(value, parts=tuple(operation(part) for part in value.parts))

    def function(self, name: str, one: Operand) -> Value:
        """A function of every entry by its name."""
        return self.each(one, lambda term: self.leaves.matrices.function(name, term))

    def power(self, one: Operand, exponent: int) -> Value:
        """A whole power of every entry."""
        return self.each(one, lambda term: self.leaves.matrices.power(term, exponent))

    def number(self, value: Scalar) -> Value:
        """A number."""
        return Value((self.leaves.matrices.number(value),), (), ())

    def binary(self, operation: Callable[[Term, Term], Term], a: Operand, b: Operand) -> Value:
        """An operation on the entries of two arrays, spread over axes of size one, or lacking in front.

        Raises:
            ArchitectureError: the axes do not fit.
        """
        a, b = self._same_rank(a, b)
        if isinstance(a, Value) or not isinstance(b, Value):
            a = self.settled(a)
            b = self.settled(b, self._roles_beside(a, b))
        else:
            a = self.settled(a, self._roles_beside(b, a))
        b = self._turned_to(a, b)
        roles, shape = list[Role](), list[int]()
        for one, other, n, k in zip(a.roles, b.roles, a.shape, b.shape, strict=True):
            if one is not other and Role.ONE not in (one, other):
                raise ArchitectureError(f"arrays of shapes {a.shape} and {b.shape} meet across their axes")
            roles.append(other if one is Role.ONE else one)
            shape.append(max(n, k))
        result = self._value((), roles, shape)
        parts = [operation(_spread(a, at), _spread(b, at)) for at in indices(shape, result.stacks)]
        return replace(result, parts=tuple(parts))

    def _same_rank(self, a: Operand, b: Operand) -> tuple[Operand, Operand]:
        rank = max(len(a.shape), len(b.shape))
        return tuple(self.expand(one, (1,) * (rank - len(one.shape)) + one.shape) for one in (a, b))  # pyright: ignore[reportReturnType]

    def expand(self, one: Operand, shape: Sequence[int]) -> Operand:
        """The same entries with more or fewer axes of size one."""
        return one if tuple(shape) == one.shape else self.reshape(one, shape)

    def repeat(self, one: Operand, shape: Sequence[int]) -> Operand:
        """A value beside itself along axes of size one, keys that several heads share; others wait for a longer one."""
        if not isinstance(one, Value):
            return one
        grown = [k for k, n in enumerate(shape) if one.shape[k] == 1 < n]
        roles = tuple(Role.STACK if k in grown else role for k, role in enumerate(one.roles))
        result = Value((), roles, tuple(n if k in grown else one.shape[k] for k, n in enumerate(shape)))
        return replace(result, parts=tuple(_spread(one, at) for at in indices(result.shape, result.stacks)))

    def _roles_beside(self, value: Value, one: Operand) -> tuple[Role, ...]:
        """The roles of an array's axes where it meets a value: the value's own, else one that is free."""
        free = [role for role in self._axes if role not in value.roles]
        roles = list[Role]()
        for role, n in zip(value.roles, one.shape, strict=True):
            if n == 1:
                roles.append(Role.ONE)
            elif role is not Role.ONE:
                roles.append(role)
            elif free:
                roles.append(free.pop(0))
            else:
                roles.append(Role.STACK)
        return tuple(roles)

    def _turned_to(self, a: Value, b: Value) -> Value:
        """b with rows and columns exchanged where that is how its axes meet those of a."""
        swapped = {Role.ROW: Role.COLUMN, Role.COLUMN: Role.ROW}
        crossed = [swapped.get(one) is other for one, other in zip(a.roles, b.roles, strict=True)]
        return self.turned(b) if any(crossed) and self.leaves.rank == 2 else b

    def turned(self, b: Value) -> Value:
        """The same array, its matrices transposed."""
        swapped = {Role.ROW: Role.COLUMN, Role.COLUMN: Role.ROW}
        roles = tuple(swapped.get(role, role) for role in b.roles)
        return Value(tuple(map(self.leaves.matrices.transpose, b.parts)), roles, b.shape)

    def add(self, a: Operand, b: Operand) -> Value:
        """The sum; a fixed array of zeros and very negative numbers is a mask."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, FixedArray) and isinstance(other, Value) and bool((one.array <= HIDDEN).any()):
                return self.mask(other, FixedArray(one.array > HIDDEN), one)
        return self.binary(self.leaves.matrices.add, a, b)

    def subtract(self, a: Operand, b: Operand) -> Value:
        """The difference."""
        return self.binary(self.leaves.matrices.subtract, a, b)

    def multiply(self, a: Operand, b: Operand) -> Value:
        """The product of entries."""
        return self.binary(self.leaves.matrices.multiply, a, b)

    def divide(self, a: Operand, b: Operand) -> Value:
        """The quotient of entries."""
        return self.multiply(a, self.each(b, self.leaves.matrices.reciprocal))

    def mask(self, scores: Value, shown: FixedArray, added: FixedArray | None = None) -> Value:
        """Scores that are -infinity where `shown` is false; there and elsewhere nothing else is added.

        Raises:
            ArchitectureError: a mask that the language has no word for.
        """
        if added is not None and not bool((added.array[shown.array] == 0).all()):
            raise ArchitectureError("a mask with numbers other than zero where it hides nothing")
        if bool(shown.array.all()):
            return scores
        if self.leaves.rank > 2:
            raise ArchitectureError("a mask on an image")
        rank = len(scores.shape)
        array = shown.array.reshape((1,) * (rank - len(shown.shape)) + shown.shape) * 1.0
        for value in (scores, self.turned(scores)):
            rows, columns = value.axis_of(Role.ROW), value.axis_of(Role.COLUMN)
            others = [axis for axis in range(rank) if axis not in (rows, columns)]
            if rows is None or columns is None:
                break
            array = _alike_along(FixedArray(array), others).array
            matrix = array.transpose((rows, columns, *(k for k in range(rank) if k not in (rows, columns))))
            matrix = matrix.reshape(matrix.shape[:2])
            if _is_causal(matrix):
                pattern = self.leaves.matrices.pattern("causal", int(matrix.shape[0]))
                return self.each(value, partial(self.leaves.matrices.masked, mask=pattern))
        raise ArchitectureError("a mask that is not causal; expected each query to see the keys up to itself")

    # Along axes.

    def reduce(self, one: Operand, axes: Sequence[int], kind: str, *, keep: bool = False) -> Value:
        """The sum, mean or maximum along axes.

        Raises:
            ArchitectureError: along samples, or a maximum along a stack.
        """
        value = self.settled(one)
        for axis in axes:
            value = self._along(value, axis, kind)
        kept = [n for axis, n in enumerate(value.shape) if keep or axis not in axes]
        roles = [r for axis, r in enumerate(value.roles) if keep or axis not in axes]
        return self._value(value.parts, roles, kept)

    def _along(self, value: Value, axis: int, kind: str) -> Value:
        matrices, role = self.leaves.matrices, value.roles[axis]
        shape = tuple(1 if k == axis else n for k, n in enumerate(value.shape))
        roles = tuple(Role.ONE if k == axis else r for k, r in enumerate(value.roles))
        if role is Role.ONE:
            return value
        if role is Role.STACK and kind != "max":
            result = Value((), roles, shape)
            parts = [self._total(value, at, (axis,)) for at in indices(shape, result.stacks)]
            total = replace(result, parts=tuple(parts))
            share = matrices.number(exact(1.0) / value.shape[axis])
            return total if kind == "sum" else self.each(total, lambda term: matrices.multiply(share, term))
        if role not in _MATRIX:
            raise ArchitectureError(f"the {kind} along an axis that is not the width and not the tokens")
        along: Axis = role.value
        operation = {"sum": matrices.sum, "mean": matrices.mean, "max": matrices.maximum}[kind]
        return Value(tuple(operation(part, along) for part in value.parts), roles, shape)

    def _total(self, value: Value, at: dict[int, int], axes: Sequence[int]) -> Term:
        found: Term | None = None
        for more in indices(value.shape, axes):
            term = value.at({**at, **more})
            found = term if found is None else self.leaves.matrices.add(found, term)
        assert found is not None
        return found

    def softmax(self, one: Operand, axis: int) -> Value:
        """Softmax along an axis."""
        value = self.settled(one)
        along = self._matrix_axis(value, axis, "softmax")
        return self.each(value, lambda term: self.leaves.matrices.softmax(term, along))

    def normalize(self, one: Operand, axis: int, *, centred: bool, epsilon: Scalar) -> Value:
        """LayerNorm or RMSNorm without gain, along an axis."""
        value = self.settled(one)
        along = self._matrix_axis(value, axis, "a normalisation")
        return self.each(value, lambda term: self.leaves.matrices.normalize(term, along, centred, epsilon))

    def _matrix_axis(self, value: Value, axis: int, what: str) -> Axis:
        role = value.roles[axis]
        if role not in _MATRIX:
            raise ArchitectureError(f"{what} along an axis that is not the width and not the tokens")
        return role.value

    # Products of matrices.

    def contract(
        self,
        a: Operand,
        b: Operand,
        over: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]],
    ) -> Value:
        """sum_k a_k b_k over pairs of axes, batch pairs kept apart: its axes are (batch, those of a, those of b).

        Raises:
            ArchitectureError: it is no product of matrices.
        """
        pairs, kept = tuple(zip(*over, strict=True)), tuple(zip(*batch, strict=True))
        if self.leaves.rank > 2:
            return self._along_image(a, b, pairs, kept)
        if not isinstance(a, Value) and isinstance(b, Value):
            a = self.settled(a, self._roles_in_product(b, a, [(j, i) for i, j in pairs], [(j, i) for i, j in kept]))
        a = self.settled(a)
        b = self.settled(b, self._roles_in_product(a, b, pairs, kept))
        free_a = [k for k in range(len(a.shape)) if k not in (*over[0], *batch[0])]
        free_b = [k for k in range(len(b.shape)) if k not in (*over[1], *batch[1])]
        summed = [(i, j) for i, j in pairs if a.shape[i] > 1]
        matrix = [(i, j) for i, j in summed if a.roles[i] in _MATRIX or b.roles[j] in _MATRIX]
        if len(matrix) != 1 or any(a.roles[i] not in _MATRIX or b.roles[j] not in _MATRIX for i, j in matrix):
            raise ArchitectureError(f"a product of arrays of shapes {a.shape} and {b.shape} that is none of matrices")
        orders = [(a.roles[k], True) for k in free_a], [(b.roles[k], False) for k in free_b]
        left, flip = self._order(a.roles[matrix[0][0]], b.roles[matrix[0][1]])
        roles = [_batch_role(a.roles[i], b.roles[j]) for i, j in kept]
        roles += [_after(role, a_is_left=left, is_a=is_a) for role, is_a in (*orders[0], *orders[1])]
        shape = [max(a.shape[i], b.shape[j]) for i, j in kept]
        shape += [a.shape[k] for k in free_a] + [b.shape[k] for k in free_b]
        places = [*kept, *((k, None) for k in free_a), *((None, k) for k in free_b)]
        stacked = [(i, j) for i, j in summed if (i, j) not in matrix]
        result = self._value((), roles, shape)
        if any(result.roles.count(role) > 1 for role in _MATRIX):
            raise ArchitectureError("a product whose result is no matrix")
        parts = [self._summed(a, b, at, places, stacked, (left, flip)) for at in indices(result.shape, result.stacks)]
        return replace(result, parts=tuple(parts))

    def _order(self, a: Role, b: Role) -> tuple[bool, tuple[bool, bool]]:
        """Whether a stands on the left, and which of the two is transposed: as few as possible, b on the left else."""
        a_left = (a is Role.ROW, b is Role.COLUMN)
        b_left = (a is Role.COLUMN, b is Role.ROW)
        return (True, a_left) if sum(a_left) < sum(b_left) else (False, b_left)

    def _summed(
        self,
        a: Value,
        b: Value,
        at: dict[int, int],
        places: Sequence[tuple[int | None, int | None]],
        stacked: Sequence[tuple[int, int]],
        order: tuple[bool, tuple[bool, bool]],
    ) -> Term:
        matrices, (a_left, (turn_a, turn_b)) = self.leaves.matrices, order
        of_a = {i: at.get(k, 0) for k, (i, _) in enumerate(places) if i is not None}
        of_b = {j: at.get(k, 0) for k, (_, j) in enumerate(places) if j is not None}
        total: Term | None = None
        for inner in product(*(range(a.shape[i]) for i, _ in stacked)):
            here_a = {**of_a, **{i: n for (i, _), n in zip(stacked, inner, strict=True)}}
            here_b = {**of_b, **{j: n for (_, j), n in zip(stacked, inner, strict=True)}}
            one, other = _spread(a, here_a), _spread(b, here_b)
            one = matrices.transpose(one) if turn_a else one
            other = matrices.transpose(other) if turn_b else other
            term = matrices.matmul(one, other) if a_left else matrices.matmul(other, one)
            total = term if total is None else matrices.add(total, term)
        assert total is not None
        return total

    def _roles_in_product(
        self, a: Value, b: Operand, pairs: Sequence[tuple[int, int]], kept: Sequence[tuple[int, int]]
    ) -> tuple[Role, ...]:
        """The roles of a parameter's axes in a product: its columns are summed where the value's rows are."""
        if isinstance(b, Value):
            return b.roles
        roles: dict[int, Role] = {j: a.roles[i] for i, j in kept}
        free_role = Role.ROW
        for i, j in pairs:
            roles[j] = Role.COLUMN if a.roles[i] is Role.ROW else Role.ROW if a.roles[i] is Role.COLUMN else a.roles[i]
            if a.roles[i] is Role.COLUMN:
                free_role = Role.COLUMN
        free = [k for k in range(len(b.shape)) if k not in roles and b.shape[k] > 1]
        for k in free:
            roles[k] = free_role if k == free[-1] else Role.STACK
        return tuple(roles.get(k, Role.ONE) for k in range(len(b.shape)))

    def _along_image(
        self, a: Operand, b: Operand, pairs: Sequence[tuple[int, int]], kept: Sequence[tuple[int, int]]
    ) -> Value:
        """A matrix times the vectors that lie along one axis of an image.

        Raises:
            ArchitectureError: another product.
        """
        value, one = (a, b) if isinstance(a, Value) else (b, a)
        if not isinstance(value, Value) or isinstance(one, Value) or len(pairs) != 1 or kept or len(one.shape) != 2:
            raise ArchitectureError(f"a product of arrays of shapes {a.shape} and {b.shape} in an image")
        summed, inner = pairs[0] if value is a else pairs[0][::-1]
        role, size = value.roles[summed], one.shape[1 - inner]
        if role is Role.ONE:
            raise ArchitectureError(f"a product along an axis of length {value.shape[summed]}")
        if isinstance(one, Open):
            matrix = self.leaves.term(one.parameter, one.ranges, (one.axes[1 - inner], one.axes[inner]))
        else:
            matrix = self.leaves.fixed(one.array if inner else one.array.transpose((1, 0)))
        found = [self.leaves.matrices.along(matrix, part, role.value) for part in value.parts]
        rest = [k for k in range(len(value.shape)) if k != summed]
        axes = [*((value.roles[k], value.shape[k]) for k in rest)]
        axes.insert(len(rest) if value is a else 0, (role, size))
        return self._value(found, [r for r, _ in axes], [n for _, n in axes])

    # Axes.

    def transpose(self, one: Operand, order: Sequence[int]) -> Operand:
        """The axes in another order."""
        order = [axis % len(one.shape) for axis in order]
        if isinstance(one, FixedArray):
            return FixedArray(one.array.transpose(tuple(order)))
        if isinstance(one, Open):
            return replace(one, axes=tuple(one.axes[axis] for axis in order))
        result = Value((), tuple(one.roles[k] for k in order), tuple(one.shape[k] for k in order))
        parts = [
            one.at({order[axis]: index for axis, index in at.items()}) for at in indices(result.shape, result.stacks)
        ]
        return replace(result, parts=tuple(parts))

    def broadcast(self, one: Operand, shape: Sequence[int], places: Sequence[int]) -> Operand:
        """Axis k becomes axis places[k] of an array of that shape; a new one is of size one until it meets a longer."""
        sizes = [1] * len(shape)
        for axis, place in enumerate(places):
            sizes[place] = one.shape[axis]
        return self.expand(one, sizes)

    def reshape(self, one: Operand, shape: Sequence[int]) -> Operand:
        """The same entries in another shape.

        Raises:
            ArchitectureError: axes are joined or split that the language keeps apart.
        """
        shape = tuple(int(n) for n in shape)
        if isinstance(one, FixedArray):
            return FixedArray(one.array.reshape(shape))
        factors = _factors(one.shape, shape)
        if factors is None:
            raise ArchitectureError(f"a reshape from {one.shape} to {shape}")
        splits, joins = factors
        if isinstance(one, Open):
            if all(len(sizes) == 1 for sizes in splits) and all(count == 1 for count in joins):
                long = iter([axis for axis, n in zip(one.axes, one.shape, strict=True) if n > 1])
                return replace(one, axes=tuple(None if n == 1 else next(long) for n in shape))
            one = self.settled(one)
        value = self._with_ones(one, tuple(n for n in one.shape if n > 1))
        for axis in reversed(range(len(splits))):
            if len(splits[axis]) > 1:
                value = self._divided(value, axis, splits[axis])
        last = len(value.shape)
        for count in reversed(joins):
            if count > 1:
                value = self._merged(value, range(last - count, last))
            last -= count
        return self._with_ones(value, shape)

    def _with_ones(self, value: Value, shape: tuple[int, ...]) -> Value:
        """The value with axes of size one where the shape has them."""
        roles = iter([role for role, n in zip(value.roles, value.shape, strict=True) if n > 1])
        return Value(value.parts, tuple(Role.ONE if n == 1 else next(roles) for n in shape), shape)

    def _merged(self, value: Value, axes: Sequence[int]) -> Value:
        """Neighbouring axes as one: heads and their width.

        Raises:
            ArchitectureError: others.
        """
        first, *_ = axes
        roles = [value.roles[axis] for axis in axes]
        size = math.prod(value.shape[axis] for axis in axes)
        shape = (*value.shape[:first], size, *value.shape[axes[-1] + 1 :])
        along = roles[-1]
        if along not in _MATRIX or any(role is not Role.STACK for role in roles[:-1]):
            raise ArchitectureError(f"axes of an array of shape {value.shape} are joined into one of size {size}")
        axis: Axis = along.value
        result = Value((), (*value.roles[:first], along, *value.roles[axes[-1] + 1 :]), shape)
        parts = list[Term]()
        for at in indices(shape, result.stacks):
            own = {k if k < first else k + len(axes) - 1: n for k, n in at.items()}
            several = [value.at({**own, **more}) for more in indices(value.shape, axes[:-1])]
            parts.append(self.leaves.matrices.joined(several, axis))
        return replace(result, parts=tuple(parts))

    def _divided(self, value: Value, axis: int, sizes: Sequence[int]) -> Value:
        """An axis as several: heads and their width."""
        role = value.roles[axis]
        shape = (*value.shape[:axis], *sizes, *value.shape[axis + 1 :])
        if role is Role.STACK:
            return Value(value.parts, (*value.roles[:axis], *[role] * len(sizes), *value.roles[axis + 1 :]), shape)
        along: Axis = role.value
        heads = [Role.STACK] * (len(sizes) - 1)
        result = Value((), (*value.roles[:axis], *heads, role, *value.roles[axis + 1 :]), shape)
        new, width = range(axis, axis + len(sizes) - 1), sizes[-1]
        parts = list[Term]()
        for at in indices(shape, result.stacks):
            place = 0
            for k in new:
                place = place * shape[k] + at[k]
            own = {k if k < axis else k - len(new): n for k, n in at.items() if k not in new}
            term = value.at(own)
            parts.append(self.leaves.matrices.cut(term, along, place * width, (place + 1) * width))
        return replace(result, parts=tuple(parts))

    def slice(self, one: Operand, axis: int, start: int, stop: int) -> Operand:
        """The indices from `start` to `stop` of an axis."""
        if (start, stop) == (0, one.shape[axis]):
            return one
        if isinstance(one, FixedArray):
            return FixedArray(one.array[(slice(None),) * axis + (slice(start, stop),)])
        if isinstance(one, Open):
            source = one.axes[axis]
            assert source is not None  # an axis of size one is not cut
            ranges = list(one.ranges)
            ranges[source] = (ranges[source][0] + start, ranges[source][0] + stop)
            return replace(one, ranges=tuple(ranges))
        role = one.roles[axis]
        shape = tuple(stop - start if k == axis else n for k, n in enumerate(one.shape))
        if role is Role.STACK:
            result = Value((), one.roles, shape)
            parts = [one.at({**at, axis: at[axis] + start}) for at in indices(shape, result.stacks)]
            return replace(result, parts=tuple(parts))
        along: Axis = role.value
        cut = [self.leaves.matrices.cut(part, along, start, stop) for part in one.parts]
        return self._value(cut, one.roles, shape)

    def concatenate(self, several: Sequence[Operand], axis: int) -> Value:
        """Arrays one after the other along an axis.

        Raises:
            ArchitectureError: along samples, or arrays that do not fit.
        """
        pattern = next((one for one in several if isinstance(one, Value)), None)
        settled = [self.settled(one, None if pattern is None else self._roles_beside(pattern, one)) for one in several]
        first = settled[0]
        role = next((one.roles[axis] for one in settled if one.roles[axis] is not Role.ONE), Role.ONE)
        if role not in _MATRIX or any(len(one.parts) != len(first.parts) for one in settled):
            raise ArchitectureError(f"a concatenation of arrays of shapes {', '.join(str(s.shape) for s in settled)}")
        along: Axis = role.value
        parts = [self.leaves.matrices.joined(each, along) for each in zip(*(s.parts for s in settled), strict=True)]
        size = sum(one.shape[axis] for one in settled)
        shape = tuple(size if k == axis else n for k, n in enumerate(first.shape))
        roles = tuple(role if k == axis else r for k, r in enumerate(first.roles))
        return self._value(parts, roles, shape)

    def output(self, one: Operand, like: Value) -> Expression:
        """The expression of what a program returns.

        Raises:
            ArchitectureError: it has another shape than the input, or no word in the language.
        """
        if one.shape != like.shape:
            raise ArchitectureError(f"the output has shape {one.shape}, the input {like.shape}; expected the same")
        value = self.settled(one, like.roles)
        turned = self._turned_to(like, value)
        if turned.roles != like.roles:
            raise ArchitectureError("the axes of the output are not those of the input")
        return self.leaves.matrices.whole(turned.parts[0])


def _alike_along(one: FixedArray, axes: Sequence[int]) -> FixedArray:
    """A fixed array that is the same at every index of some axes, with a single one.

    Raises:
        ArchitectureError: it is not.
    """
    array = one.array
    for axis in axes:
        first = array[(slice(None),) * axis + (slice(0, 1),)]
        if not bool((array == first).all()):
            raise ArchitectureError("a fixed array that differs between samples or heads")
        array = first
    return FixedArray(array)


def _spread(value: Value, at: dict[int, int]) -> Term:
    """The matrix at an index; a stack of size one is the same at every index."""
    return value.at({axis: at.get(axis, 0) if value.shape[axis] > 1 else 0 for axis in value.stacks})


def _batch_role(a: Role, b: Role) -> Role:
    if a is b or b is Role.ONE:
        role = a
    elif a is Role.ONE:
        role = b
    else:
        role = Role.ROW
    if role in _MATRIX:
        raise ArchitectureError("a product for each entry of the width or the tokens")
    return role


def _after(role: Role, *, a_is_left: bool, is_a: bool) -> Role:
    """The role of a free axis in the product: what stands on the left gives the rows."""
    if role not in _MATRIX:
        return role
    return Role.ROW if a_is_left is is_a else Role.COLUMN


def _is_causal(matrix: Any) -> bool:
    from resproof.architectures.importers.leaves import pattern_of

    return pattern_of(matrix) == "causal"


def _factors(old: Sequence[int], new: Sequence[int]) -> tuple[list[list[int]], list[int]] | None:
    """How the axes above one of the old shape fall apart, and how many of those factors make each of the new one's.

    None where the two have no common factors.
    """
    before, after = ([n for n in shape if n > 1] for shape in (old, new))
    splits, joins = [list[int]() for _ in before], [0 for _ in after]
    left, right = list(before), list(after)
    i = j = 0
    while i < len(before) and j < len(after):
        factor = min(left[i], right[j])
        if left[i] % factor or right[j] % factor:
            return None
        splits[i].append(factor)
        joins[j] += 1
        left[i], right[j] = left[i] // factor, right[j] // factor
        i, j = i + (left[i] == 1), j + (right[j] == 1)
    return (splits, joins) if i == len(before) and j == len(after) else None
