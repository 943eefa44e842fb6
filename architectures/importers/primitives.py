"""Operations on arrays, as operations on expressions: the table that the readers of all libraries share.

An array is an expression and, for each axis, the axes of the expression that it is: none where its length is one,
several where axes were joined (the last runs fastest), and none but a length where the same stands at every index. To
permute, to join, to repeat and to add axes of length one therefore moves nothing. A parameter's axes have no order
until it meets an array that has one: a bias lies along the rows, and of the matrix of a linear layer the axis that is
summed is the columns. Where samples are an axis of their own, the program is read on one of them.

    x W^T  of (samples, width) and (width', width)   is   W h  of width' x samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from resproof.architectures.activations import gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.leaves import Leaves, Parameter, Part, filling
from resproof.architectures.importers.rules import ERF, EXP, HIDDEN, SQRT, Rules, exact
from resproof.architectures.nodes import Activation, Expression, Input
from resproof.architectures.values import Scalar

Factor: TypeAlias = tuple[int | None, int]
"""An axis of the expression, None where the same stands at every index, and its length."""
Axis: TypeAlias = tuple[Factor, ...]


def _length(axis: Axis) -> int:
    return math.prod(n for _, n in axis)


@dataclass(frozen=True, slots=True)
class Value:
    """An array that depends on the input or on parameters."""

    expression: Expression
    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(map(_length, self.axes))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of a parameter or of a fixed array whose axes have no order yet; they are those that `part` is taken in.

    One that `hides` is a mask: its zeros stand for -infinity where it is added, its ones for nothing.
    """

    part: Part
    axes: tuple[Axis, ...]
    hides: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(map(_length, self.axes))


@dataclass(frozen=True, slots=True)
class Fixed:
    """An array that does not depend on the input: a NumPy array."""

    array: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(int(n) for n in self.array.shape)


@dataclass(frozen=True, slots=True)
class Step:
    """Where an array is positive, as another is compared with a number."""

    difference: Value

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return self.difference.shape


Operand: TypeAlias = Value | Leaf | Fixed | Step
Operation: TypeAlias = Callable[[Expression, Expression], Expression]
_Pair: TypeAlias = tuple[Factor | None, Factor | None]


def _refinement(a: Axis, b: Axis) -> list[int]:
    """The lengths of the axes that both fall apart into.

    Raises:
        ArchitectureError: they have none in common.
    """
    steps = {1}
    for axis in (a, b):
        inner = 1
        for _, n in reversed(axis):
            inner *= n
            steps.add(inner)
    found = sorted(steps)
    sizes = [large // small for small, large in pairwise(found)]
    if math.prod(sizes) != found[-1] or any(m % n for n, m in pairwise(found)):
        raise ArchitectureError(f"axes of {[n for _, n in a]} and {[n for _, n in b]} are one; expected common factors")
    return sizes[::-1]


@dataclass(frozen=True, slots=True)
class Arrays:
    """The operations of one program; `turned` are images whose axes a convolution takes in another order."""

    leaves: Leaves
    turned: list[Value] = field(default_factory=list)

    @property
    def rules(self) -> Rules:
        """Where its nodes are made."""
        return self.leaves.rules

    # Arrays to begin with.

    def input(self, shape: Sequence[int]) -> Value:
        """The input: (samples or tokens, width), (1, tokens, width), or an image (1, channels, y, x)."""
        sizes = tuple(int(n) for n in (shape[1:] if len(shape) > 2 else shape))
        order = tuple(range(len(sizes))) if len(sizes) > 2 else (1, 0)
        expression = Input(*(sizes[order.index(k)] for k in range(len(sizes))))
        axes = tuple(((k, n),) if n > 1 else () for k, n in zip(order, sizes, strict=True))
        return Value(expression, ((),) * (len(shape) - len(sizes)) + axes)

    def parameter(self, parameter: Parameter) -> Leaf:
        """A parameter before its first use."""
        axes = tuple(((k, n),) if n > 1 else () for k, n in enumerate(parameter.shape))
        return Leaf(self.leaves.whole(parameter), axes)

    def number(self, value: Scalar) -> Value:
        """A number."""
        return Value(self.rules.number(value), ())

    def known(self, one: Any) -> Value | Leaf:
        """An operand with axes: a number that fills a fixed array, or the table that it is.

        Raises:
            ArchitectureError: where an array is positive, outside a choice.
        """
        if isinstance(one, Value | Leaf):
            return one
        if isinstance(one, Step):
            raise ArchitectureError("a comparison that is no choice between two arrays")
        if not isinstance(one, Fixed):
            return self.number(exact(one) if isinstance(one, float) else Fraction(one))
        number = filling(one.array) if one.array.size else None
        if number is not None:
            axes = tuple(((None, n),) if n > 1 else () for n in one.shape)
            return Value(self.rules.number(number), axes)
        return self._table(one.array)

    def _table(self, array: Any) -> Leaf:
        """A fixed array without the axes along which it is the same."""
        axes = list[Axis]()
        for k, n in enumerate(array.shape):
            first = array[(slice(None),) * k + (slice(0, 1),)]
            same = n > 1 and bool((array == first).all())
            array = first if same else array
            axes.append(((None, int(n)),) if same else ((k, int(n)),) if n > 1 else ())
        return Leaf(self.leaves.whole(self.leaves.fixed(array)), tuple(axes))

    def value(self, one: Any) -> Value:
        """An operand whose axes have an order: a vector is a column, others keep theirs."""
        one = self.known(one)
        if isinstance(one, Value):
            return one
        order = [k for axis in one.axes for k, _ in axis if k is not None]
        return self._settled(one, [*order, *[None] * ((3 if self.rules.image else 2) - len(order))])

    def _settled(self, one: Leaf, order: Sequence[int | None]) -> Value:
        axes = tuple(tuple((None if k is None else order.index(k), n) for k, n in axis) for axis in one.axes)
        return Value(self._laid(one, order), axes)

    def _laid(self, one: Value | Leaf, order: Sequence[int | None]) -> Expression:
        """The expression with these of its axes in this order, None for one of length one."""
        if isinstance(one, Leaf):
            part = replace(one.part, axes=tuple(order))
            return self.leaves.hide(part) if one.hides else self.leaves.leaf(part)
        return self.rules.arranged(one.expression, order)

    def _refined(self, one: Any, place: int, sizes: Sequence[int]) -> Any:
        """The operand with one of its axes as axes of these lengths.

        Raises:
            ArchitectureError: a part of a parameter that does not fall apart so.
        """
        left, done = list(sizes), 0
        for _, n in one.axes[place]:
            own = list[int]()
            while math.prod(own) < n:
                own.append(left.pop(0))
            factor, _ = one.axes[place][done]
            if factor is None:
                axis = one.axes[place]
                one = _with_axis(one, place, (*axis[:done], *((None, m) for m in own), *axis[done + 1 :]))
            elif len(own) > 1:
                one = self._split(one, factor, own)
            done += len(own)
        return one

    def _split(self, one: Any, place: int, sizes: Sequence[int]) -> Any:
        """The operand with an axis of its expression as several.

        Raises:
            ArchitectureError: it is a part of a parameter that does not fall apart so.
        """
        if isinstance(one, Leaf) and one.part.key in self.leaves.together:
            kept = [k for axis in one.axes for k, _ in axis if k is not None]
            one, place = self.value(one), kept.index(place)
        if isinstance(one, Value):
            one = replace(one, expression=self.leaves.split(one.expression, place, sizes))
        elif (part := one.part.split(place, sizes)) is not None:
            one = replace(one, part=part)
        else:
            raise ArchitectureError(f"{one.part.words} in groups of {math.prod(sizes[1:])}; expected whole ones")

        def moved(factor: Factor) -> Axis:
            k, n = factor
            if k == place:
                return tuple((place + j, size) for j, size in enumerate(sizes))
            return ((k + len(sizes) - 1 if k is not None and k > place else k, n),)

        return replace(one, axes=tuple(tuple(f for each in axis for f in moved(each)) for axis in one.axes))

    def _paired(self, a: Any, b: Any, pairs: Sequence[tuple[int, int]]) -> tuple[Any, Any, list[list[_Pair]]]:
        """Two operands and, for each pair of their axes, the pairs of axes that both fall apart into.

        Raises:
            ArchitectureError: the axes have different lengths.
        """
        for i, j in pairs:
            if a.axes[i] and b.axes[j]:
                if a.shape[i] != b.shape[j]:
                    raise ArchitectureError(f"arrays of shapes {a.shape} and {b.shape}; expected equal lengths, or 1")
                sizes = _refinement(a.axes[i], b.axes[j])
                a, b = self._refined(a, i, sizes), self._refined(b, j, sizes)
        found = list[list[_Pair]]()
        for i, j in pairs:
            one, other = a.axes[i], b.axes[j]
            if one and other:
                found.append(list(zip(one, other, strict=True)))
            else:
                found.append([(f, None) for f in one] or [(None, f) for f in other])
        return a, b, found

    # One entry at a time.

    def each(self, operation: Callable[[Expression], Expression], one: Any) -> Value:
        """An operation on every entry."""
        value = self.value(one)
        return replace(value, expression=operation(value.expression))

    def function(self, name: str, one: Any) -> Value:
        """A function of every entry by its name in array programs."""
        return self.each(lambda a: FUNCTIONS[name](self.rules, a), one)

    def power(self, one: Any, exponent: float) -> Value:
        """A whole power of every entry, or one of a half."""
        return self.each(lambda a: self.rules.power(a, exponent), one)

    def binary(self, operation: Operation, a: Any, b: Any) -> Value:
        """An operation on the entries of two arrays, spread over axes of length one, or lacking in front."""
        a, b = self.known(a), self.known(b)
        rank = max(len(a.axes), len(b.axes))
        a, b = (replace(one, axes=((),) * (rank - len(one.axes)) + one.axes) for one in (a, b))
        a, b, pairs = self._paired(a, b, [(k, k) for k in range(rank)])
        if (isinstance(a, Leaf) and isinstance(b, Leaf)) or (
            isinstance(a, Leaf) and isinstance(b, Value) and not _used(b)
        ):
            a = self.value(a)
        elif isinstance(b, Leaf) and isinstance(a, Value) and not _used(a):
            b = self.value(b)
        a, b, pairs = self._paired(a, b, [(k, k) for k in range(rank)])
        swapped = isinstance(a, Leaf) or (isinstance(b, Value) and _used(b) > _used(a))
        base, other = (b, a) if swapped else (a, b)
        turned = [[(y, x) if swapped else (x, y) for x, y in axis] for axis in pairs]
        assert isinstance(base, Value)
        ours, theirs, axes = self._together(base, other, turned)
        return Value(operation(theirs, ours) if swapped else operation(ours, theirs), axes)

    def _together(
        self, base: Value, other: Value | Leaf, pairs: Sequence[Sequence[_Pair]]
    ) -> tuple[Expression, Expression, tuple[Axis, ...]]:
        """Two expressions with their axes in the order of the first, and the axes of what is made of both."""
        expression, used = base.expression, {k for axis in base.axes for k, _ in axis if k is not None}
        rank = len(expression.shape)
        order: list[int | None] = [None] * rank
        extra, at = list[int](), dict[int, int]()
        for x, y in (pair for axis in pairs for pair in axis):
            if y is None or y[0] is None:
                continue
            if x is not None and x[0] is not None:
                order[x[0]], at[y[0]] = y[0], x[0]
            else:
                extra.append(y[0])
        same = isinstance(other, Value) and len(other.expression.shape) == rank
        for k in extra:
            free = [p for p in range(rank) if order[p] is None and p not in used]
            place = k if same and k in free else free[0] if free else len(order)
            if place == len(order):
                order.append(None)
            order[place], at[k] = k, place
        if len(order) > rank:
            expression = self.rules.arranged(expression, [*range(rank), *[None] * (len(order) - rank)])
        if (
            isinstance(other, Value)
            and same
            and len(order) == rank
            and all(k in (None, p) for p, k in enumerate(order))
        ):
            theirs = other.expression
        else:
            theirs = self._laid(other, order)

        def factor(x: Factor | None, y: Factor | None) -> Factor:
            if x is not None and x[0] is not None:
                return x
            if y is not None and y[0] is not None:
                return at[y[0]], y[1]
            return None, x[1] if x is not None else y[1] if y is not None else 1

        return expression, theirs, tuple(tuple(factor(x, y) for x, y in axis) for axis in pairs)

    def add(self, a: Any, b: Any) -> Value:
        """The sum; a fixed array of zeros and very negative numbers is a mask.

        Raises:
            ArchitectureError: a mask with other numbers beside.
        """
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Fixed) and not isinstance(other, Fixed) and bool((one.array <= HIDDEN).any()):
                shown = one.array > HIDDEN
                if not bool((one.array[shown] == 0).all()):
                    raise ArchitectureError("a mask with numbers other than zero where it hides nothing")
                return self.mask(other, shown)
        return self.binary(self.rules.add, a, b)

    def subtract(self, a: Any, b: Any) -> Value:
        """The difference."""
        return self.binary(self.rules.subtract, a, b)

    def multiply(self, a: Any, b: Any) -> Value:
        """The product of entries."""
        return self.binary(self.rules.multiply, a, b)

    def divide(self, a: Any, b: Any) -> Value:
        """The quotient of entries."""
        if isinstance(b, Fixed):
            return self.multiply(
                a, Fixed(1.0 / b.array) if filling(b.array) is None else self.each(self.rules.reciprocal, b)
            )
        return self.multiply(a, self.each(self.rules.reciprocal, b))

    def greater(self, a: Any, b: Any) -> Value:
        """The greater of two entries."""
        return self._bounded(self.rules.greater, a, b, -math.inf)

    def less(self, a: Any, b: Any) -> Value:
        """The less of two entries."""
        return self._bounded(self.rules.less, a, b, math.inf)

    def _bounded(self, operation: Operation, a: Any, b: Any, nothing: float) -> Value:
        for one, other in ((a, b), (b, a)):
            if (number := _single(one)) is not None and number == nothing:
                return self.value(other)
        return self.binary(operation, a, b)

    def clamp(self, a: Any, low: Any = None, high: Any = None) -> Value:
        """Entries between two numbers."""
        found = a if low is None else self.greater(a, low)
        return self.value(found if high is None else self.less(found, high))

    def compared(self, a: Any, b: Any) -> Step:
        """Where a is greater than b."""
        return Step(self.subtract(a, b))

    def select(self, which: Operand, a: Any, b: Any) -> Value:
        """a where it holds, else b: a mask where b is hidden.

        Raises:
            ArchitectureError: a choice that the language has no words for.
        """
        if isinstance(which, Step):
            u = which.difference
            first, second = (self.binary(lambda _, y: y, u, one).expression for one in (a, b))
            return replace(u, expression=self.rules.chosen(u.expression, first, second))
        if not isinstance(which, Fixed):
            raise ArchitectureError("a choice that depends on the input")
        shown = which.array.astype(bool)
        for one, other, kept in ((a, b, shown), (b, a, ~shown)):
            if bool(kept.all()):
                return self.value(one)
            if (number := _single(other)) is not None and number <= HIDDEN:
                return self.mask(one, kept)
        return self.add(self.multiply(a, Fixed(shown * 1.0)), self.multiply(b, Fixed(~shown * 1.0)))

    def mask(self, scores: Any, shown: Any) -> Value:
        """Scores that are -infinity where `shown` is false."""
        if bool(shown.all()):
            return self.value(scores)
        leaf = self._table(shown * 1.0)
        return self.binary(self.rules.add, self.value(scores), replace(leaf, hides=True))

    # Along axes.

    def reduce(self, one: Any, axes: Sequence[int], kind: str, *, keep: bool = False) -> Value:
        """The sum, mean or maximum ("sum", "mean", "max") along axes."""
        value = self.value(one)
        along = [k for axis in axes for k, _ in value.axes[axis] if k is not None]
        repeats = math.prod(n for axis in axes for k, n in value.axes[axis] if k is None)
        operation = {"sum": self.rules.total, "mean": self.rules.mean, "max": self.rules.greatest}[kind]
        found = operation(value.expression, along) if along else value.expression
        if kind == "sum" and repeats > 1:
            found = self.rules.scaled(Fraction(repeats), found)
        left = [() if k in axes else axis for k, axis in enumerate(value.axes) if keep or k not in axes]
        return Value(found, tuple(left))

    def softmax(self, one: Any, axis: int) -> Value:
        """Softmax along an axis."""
        value, place = self._placed(one, axis)
        return replace(value, expression=self.rules.softmax(value.expression, place))

    def normalise(self, one: Any, axes: Sequence[int], *, centred: bool, epsilon: float) -> Value:
        """LayerNorm or RMSNorm without gain, along axes together."""
        value = self.value(one)
        along = [k for axis in axes for k, _ in value.axes[axis] if k is not None]
        found = self.rules.normalise(value.expression, along, centred=centred, epsilon=exact(epsilon))
        return replace(value, expression=found)

    # Products.

    def contract(
        self, a: Any, b: Any, over: tuple[Sequence[int], Sequence[int]], batch: tuple[Sequence[int], Sequence[int]]
    ) -> Value:
        """sum_k a_k b_k over pairs of axes, batch pairs kept apart: its axes are (batch, those of a, those of b)."""
        a, b = self.known(a), self.known(b)
        if isinstance(a, Leaf) and isinstance(b, Leaf):
            a = self.value(a)
        listed = [*zip(*over, strict=True), *zip(*batch, strict=True)]
        a, b, pairs = self._paired(a, b, listed)
        summed, kept = [p for axis in pairs[: len(over[0])] for p in axis], pairs[len(over[0]) :]
        free = [
            [axis for k, axis in enumerate(one.axes) if k not in (*over[side], *batch[side])]
            for side, one in enumerate((a, b))
        ]
        shared = [(x, y) for axis in kept for x, y in axis]
        if isinstance(b, Leaf):
            found, places = self._through_leaf(a, b, summed, shared)
        elif isinstance(a, Leaf):
            found, places = self._through_leaf(b, a, [(y, x) for x, y in summed], [(y, x) for x, y in shared])
            places = places[::-1]
        else:
            found, places = self._through_value(a, b, summed, shared)
        repeats = math.prod(_size(x, y) for x, y in summed if _place(x) is None and _place(y) is None)
        found = self.rules.scaled(Fraction(repeats), found) if repeats > 1 else found

        def factor(x: Factor | None, y: Factor | None) -> Factor:
            for one, at in ((x, places[0]), (y, places[1])):
                if one is not None and one[0] is not None:
                    return at[one[0]], one[1]
            return None, _size(x, y)

        axes = [tuple(factor(x, y) for x, y in axis) for axis in kept]
        axes += [tuple(factor(f, None) for f in axis) for axis in free[0]]
        axes += [tuple(factor(None, f) for f in axis) for axis in free[1]]
        return Value(found, tuple(axes))

    def _through_leaf(
        self, value: Value, leaf: Leaf, summed: Sequence[_Pair], shared: Sequence[_Pair]
    ) -> tuple[Expression, list[dict[int, int]]]:
        """A weight times an array: its own axes stand where those stood that are summed.

        The second result are the places of the axes of the array, and of those of the weight.
        """
        rank = len(value.expression.shape)
        pairs = [(k, j) for x, y in summed if (k := _place(x)) is not None and (j := _place(y)) is not None]
        both = [(k, j) for x, y in shared if (k := _place(x)) is not None and (j := _place(y)) is not None]
        gone = {k for x, _ in summed if (k := _place(x)) is not None}
        taken = {j for _, y in summed if (j := _place(y)) is not None} | {j for _, j in both}
        own = [j for axis in leaf.axes for j, _ in axis if j is not None and j not in taken]
        if rank == 2 and len(pairs) == len(gone) == len(taken) == 1 and len(own) < 2:
            (k, j), new = pairs[0], own[0] if own else None
            weight = self._laid(leaf, (new, j) if k == 0 else (j, new))
            found = (
                self.rules.matmul(weight, value.expression) if k == 0 else self.rules.matmul(value.expression, weight)
            )
            return found, [{1 - k: 1 - k}, dict.fromkeys(own, k)]
        names = list(self.rules.letters(rank))
        fresh = iter(n for n in "opqrsuvwabdefhijlmn" if n not in names)
        new = {j: next(fresh) for j in own}
        alone = [j for j in taken if j not in {j for _, j in (*pairs, *both)}]
        of_leaf = {**new, **{j: names[k] for k, j in (*pairs, *both)}, **{j: next(fresh) for j in alone}}
        first = min(gone, default=0)
        hole = [] if own or not gone else [next(fresh)]
        after = list[str]()
        for k in range(rank + (not rank)):
            if k == first:
                after += [*new.values(), *hole]
            if k < rank and k not in gone:
                after.append(names[k])
        order = [*[j for _, j in both], *own, *[None for _ in hole], *[j for _, j in pairs], *alone]
        shown = [of_leaf[j] if j is not None else hole[0] for j in order]
        pattern = f"{' '.join(shown)}, {' '.join(names)} -> {' '.join(after)}"
        found = self.rules.contraction(pattern, self._laid(leaf, order), value.expression)
        kept = {k: after.index(n) for k, n in enumerate(names) if n in after}
        return found, [kept, {j: after.index(n) for j, n in of_leaf.items() if n in after}]

    def _through_value(
        self, a: Value, b: Value, summed: Sequence[_Pair], shared: Sequence[_Pair]
    ) -> tuple[Expression, list[dict[int, int]]]:
        """The product of two arrays, the axes of b first: of matrices one with few transposes."""
        pairs = [(k, j) for x, y in summed if (k := _place(x)) is not None and (j := _place(y)) is not None]
        both = [(k, j) for x, y in shared if (k := _place(x)) is not None and (j := _place(y)) is not None]
        u, v, rules = a.expression, b.expression, self.rules
        if len(u.shape) == len(v.shape) == 2 and len(pairs) == len(summed) == 1 and not both:
            ((k, j),) = pairs
            if (k == 0) + (j == 1) < (k == 1) + (j == 0):
                left, right = rules.transpose(u) if k == 0 else u, rules.transpose(v) if j == 1 else v
                return rules.matmul(left, right), [{1 - k: 0}, {1 - j: 1}]
            left, right = rules.transpose(v) if j == 0 else v, rules.transpose(u) if k == 1 else u
            return rules.matmul(left, right), [{1 - k: 1}, {1 - j: 0}]
        of_a, of_b = dict[int, str](), dict[int, str]()
        for several, names in ((both, "ghb"), (pairs, "kln")):
            for (k, j), name in zip(several, names, strict=False):
                of_a[k] = of_b[j] = name
        summed_a, summed_b = ({_place(p[side]) for p in summed} for side in range(2))
        for of, one, names in ((of_b, v, "svwz"), (of_a, u, "tijm")):
            fresh = iter(names)
            of.update({k: next(fresh) for k in range(len(one.shape)) if k not in of})
        out = list[str]()
        for x, y in shared:
            for of, place in ((of_a, _place(x)), (of_b, _place(y))):
                if place is not None and of[place] not in out:
                    out.append(of[place])
        for of, one, gone in ((of_b, v, summed_b), (of_a, u, summed_a)):
            out += [of[k] for k, n in enumerate(one.shape) if of[k] not in out and k not in gone and n != 1]
        shown = [" ".join(of[k] for k in range(len(one.shape))) for of, one in ((of_b, v), (of_a, u))]
        found = rules.contraction(f"{', '.join(shown)} -> {' '.join(out)}", v, u)
        return found, [{k: out.index(n) for k, n in of.items() if n in out} for of in (of_a, of_b)]

    def convolve(
        self,
        image: Any,
        kernel: Any,
        stride: Sequence[int],
        padding: Sequence[tuple[int, int]],
        dilation: Sequence[int],
        groups: int,
    ) -> Value:
        """The convolution of (1, channels, y, x) with a kernel (out, in of a group, taps along y, taps along x).

        With groups (g, i) of channels each has a kernel of its own:

            v_(g, o, p, q) = sum_(i, a, b) W_(g, o, i, a, b) u_(g, i, stride p + a - padding, stride q + b - padding).

        Raises:
            ArchitectureError: a convolution that the language has no words for.
        """
        image = self.value(image)
        kernel = self.parameter(self.leaves.fixed(kernel.array)) if isinstance(kernel, Fixed) else self.known(kernel)
        dims, out = len(kernel.axes) - 2, kernel.shape[0]
        if len(image.axes) != dims + 2 or image.axes[0] or dims not in (1, 2):
            raise ArchitectureError(f"a convolution along {dims} axes of an array of shape {image.shape}")
        if set(dilation) != {1}:
            raise ArchitectureError(f"a convolution with dilation {tuple(dilation)}; expected none")
        if any(before != after for before, after in padding):
            raise ArchitectureError(f"a convolution with padding {tuple(padding)}; expected as much on either side")
        image = self._plain(image, range(2, dims + 2))
        each = groups == out == image.shape[1]
        grouped = groups > 1 and not each
        if grouped:  # a length of one is no axis
            image = self._refined(image, 1, [n for n in (groups, image.shape[1] // groups) if n > 1])
            kernel = self._refined(kernel, 0, [n for n in (groups, out // groups) if n > 1])
        else:
            image = self._plain(image, [1])
        taps, spatial = kernel.shape[2:], "yx" if dims == 2 else "t"
        names = ("g o i", "g i", "g o") if grouped else ("c", "c", "c") if each else ("o c", "c", "o")
        channels = [_place(f) for f in image.axes[1]]
        channels += [None] * (len(names[1].split()) - len(channels))
        order = [*channels, *(_place(axis[0] if axis else None) for axis in image.axes[2:])]
        if (known := [k for k in order if k is not None]) != sorted(known):
            self.turned.append(image)
        of_kernel = [_place(f) for f in kernel.axes[0]]
        of_kernel += [None] * (len(names[2].split()) - len(of_kernel))
        of_kernel += [] if each else [_place(kernel.axes[1][0] if kernel.axes[1] else None)]
        patterns, shifts, after = [names[0]], list[Expression](), f"{names[2]} {' '.join(spatial)}"
        counts = image.shape[2:]
        if {*taps, *stride} != {1} or any(before for before, _ in padding):
            of_kernel += [_place(axis[0] if axis else None) for axis in kernel.axes[2:]]
            after = f"{names[2]} {'p q' if dims == 2 else 'p'}"
            patterns = [f"{names[0]} {' '.join('ab'[:dims])}"]
            patterns += [f"{n} {m} {k}" for n, m, k in zip(spatial, "pq", "ab", strict=False)]
            sizes = zip(image.shape[2:], taps, stride, padding, strict=True)
            counts = tuple((size + 2 * border - n) // step + 1 for size, n, step, (border, _) in sizes)
            for k, n in enumerate(taps):
                pattern = f"window {stride[k]} {padding[k][0]}"
                shifts.append(self.rules.pattern(pattern, image.shape[2 + k], counts[k], n))
        pattern = f"{', '.join(patterns)}, {names[1]} {' '.join(spatial)} -> {after}"
        weight = self._laid(kernel, of_kernel)
        borders = {
            None if step == 1 and 2 * before + 1 == n else (step, before)
            for n, step, (before, _) in zip(taps, stride, padding, strict=True)
        }
        word = "conv2d" if len(shifts) == 2 and len(borders) == 1 and not grouped else None
        found = self.rules.contraction(pattern, weight, *shifts, self._laid(image, order), word=word)
        first = ((0, groups), (1, out // groups)) if grouped else ((0, out),) if out > 1 else ()
        start = 2 if grouped else 1
        rest = tuple(((start + k, n),) if n > 1 else () for k, n in enumerate(counts))
        return Value(found, ((), tuple(f for f in first if f[1] > 1), *rest))

    # Axes.

    def transpose(self, one: Any, order: Sequence[int]) -> Any:
        """The axes in another order."""
        order = [axis % len(one.shape) for axis in order]
        if isinstance(one, Fixed):
            return Fixed(one.array.transpose(tuple(order)))
        return replace(one, axes=tuple(one.axes[k] for k in order))

    def broadcast(self, one: Any, shape: Sequence[int], places: Sequence[int]) -> Any:
        """Axis k becomes axis places[k] of an array of that shape, and is repeated where that is longer."""
        one = self.known(one) if isinstance(one, Fixed) else one
        axes = [((None, int(n)),) if n > 1 else () for n in shape]
        for axis, place in zip(one.axes, places, strict=True):
            axes[place] = axis or axes[place]
        return replace(one, axes=tuple(axes))

    def repeat(self, one: Any, times: Sequence[int]) -> Any:
        """The array so many times one after the other along each axis, the last ones its own."""
        axes = ((),) * (len(times) - len(one.shape)) + one.axes
        again = [((None, n),) if n > 1 else () for n in times]
        return replace(one, axes=tuple(a + b for a, b in zip(again, axes, strict=True)))

    def reshape(self, one: Any, shape: Sequence[int]) -> Any:
        """The same entries in another shape.

        Raises:
            ArchitectureError: shapes without common factors.
        """
        shape = [int(n) for n in shape]
        if isinstance(one, Fixed):
            return Fixed(one.array.reshape(shape))
        flat = replace(one, axes=(tuple(f for axis in one.axes for f in axis),))
        wanted = tuple((None, n) for n in shape if n > 1)
        try:
            flat = self._refined(flat, 0, _refinement(flat.axes[0], wanted))
        except ArchitectureError:
            raise ArchitectureError(f"a reshape from {one.shape} to {tuple(shape)}") from None
        factors, axes = list(flat.axes[0]), list[Axis]()
        for n in shape:
            axis = list[Factor]()
            while _length(tuple(axis)) < n:
                axis.append(factors.pop(0))
            axes.append(tuple(axis))
        return replace(flat, axes=tuple(axes))

    def slice(self, one: Any, axis: int, start: int, stop: int, step: int = 1) -> Any:
        """The places start, start + step, ... below stop of an axis."""
        count = len(range(start, stop, step))
        if count == one.shape[axis]:
            return one
        if isinstance(one, Fixed):
            return Fixed(one.array[(slice(None),) * axis + (slice(start, stop, step),)])
        factors = one.axes[axis]
        inner = _length(factors[1:])
        if len(factors) > 1 and step == 1 and not start % inner and not stop % inner:
            axes = (*one.axes[:axis], factors[:1], factors[1:], *one.axes[axis + 1 :])
            cut = self.slice(replace(one, axes=axes), axis, start // inner, stop // inner)
            joined = cut.axes[axis] + cut.axes[axis + 1]
            return replace(cut, axes=(*cut.axes[:axis], joined, *cut.axes[axis + 2 :]))
        if len(factors) == 1 and factors[0][0] is None:
            return _with_axis(one, axis, ((None, count),) if count > 1 else ())
        if isinstance(one, Leaf) and len(factors) == 1 and step == 1 and one.part.key not in self.leaves.together:
            place = factors[0][0]
            assert place is not None
            found: Any = replace(one, part=one.part.cut(place, start, stop))
        else:
            value, place = self._placed(one, axis)
            expression, gone = self.leaves.cut(value.expression, place, start, stop, step)
            found = Value(expression, _without(value.axes, place) if gone else value.axes)
        return _with_axis(found, axis, ((place, count),) if count > 1 else ())

    def split(self, one: Any, axis: int, sizes: Sequence[int]) -> list[Any]:
        """Slices of these lengths, one after the other."""
        ends = list(accumulate(sizes, initial=0))
        return [self.slice(one, axis, start, stop) for start, stop in pairwise(ends)]

    def _placed(self, one: Any, axis: int) -> tuple[Value, int]:
        """The array with one axis of the expression for one of its own, and its place."""
        value, rules = self.value(one), self.rules
        size = value.shape[axis]
        free = [k for k, n in enumerate(value.expression.shape) if n == 1]
        if not value.axes[axis]:
            if free:
                return value, free[0]
            rank = len(value.expression.shape)
            return replace(value, expression=rules.arranged(value.expression, [*range(rank), None])), rank
        for k, (place, n) in enumerate(value.axes[axis]):
            if place is None:  # what is the same at every index, as often
                rank = len(value.expression.shape)
                longer = rules.arranged(value.expression, [*range(rank), None])
                ones = rules.number(1, [*[1] * rank, n])
                factors = (*value.axes[axis][:k], (rank, n), *value.axes[axis][k + 1 :])
                axes = (*value.axes[:axis], factors, *value.axes[axis + 1 :])
                return self._placed(Value(rules.multiply(longer, ones), axes), axis)
        factors = [(place, n) for place, n in value.axes[axis] if place is not None]
        if len(factors) == 1:
            return value, factors[0][0]
        names = list(rules.letters(len(value.expression.shape)))
        parts = [names[place] for place, _ in factors]
        first = min(place for place, _ in factors)
        rest = [n for k, n in enumerate(names) if n not in parts or k == first]
        whole = "c" if rules.image and "c" not in names else "w"
        after = [whole if n in parts else n for n in rest]
        every = rules.pattern("split", size, *(n for _, n in factors))
        found = rules.contraction(
            f"{whole} {' '.join(parts)}, {' '.join(names)} -> {' '.join(after)}", every, value.expression
        )
        kept = {k: after.index(n) for k, n in enumerate(names) if n in after}
        axes = [
            tuple((None if k is None else kept[k], n) for k, n in one) if j != axis else ()
            for j, one in enumerate(value.axes)
        ]
        axes[axis] = ((after.index(whole), size),)
        return Value(found, tuple(axes)), after.index(whole)

    def _plain(self, value: Value, axes: Sequence[int]) -> Value:
        """The array with one axis of the expression for each of these of its own that is longer than one."""
        for axis in axes:
            if value.axes[axis] and (len(value.axes[axis]) > 1 or value.axes[axis][0][0] is None):
                value, _ = self._placed(value, axis)
        return value

    def pad(self, one: Any, axis: int, before: int, after: int) -> Value:
        """Zeros before and after what there is along an axis."""
        size = one.shape[axis]
        value, place = self._placed(one, axis)
        names = list(self.rules.letters(len(value.expression.shape)))
        out = [*names[:place], "w", *names[place + 1 :]]
        into = self.rules.pattern(f"take {before} 1", before + size + after, size)
        found = self.rules.contraction(
            f"w {names[place]}, {' '.join(names)} -> {' '.join(out)}", into, value.expression
        )
        return Value(found, (*value.axes[:axis], ((place, before + size + after),), *value.axes[axis + 1 :]))

    def concatenate(self, several: Sequence[Any], axis: int) -> Value:
        """Arrays one after the other along an axis.

        Raises:
            ArchitectureError: all of them are zero.
        """
        whole, start, total = sum(one.shape[axis] for one in several), 0, None
        for one in several:
            size = one.shape[axis]
            if not (isinstance(one, Fixed) and not one.array.any()):
                part = self.pad(one, axis, start, whole - start - size) if size < whole else self.value(one)
                total = part if total is None else self.add(total, part)
            start += size
        if total is None:
            raise ArchitectureError("a concatenation of zeros")
        return total

    def output(self, one: Any, like: Value) -> Expression:
        """The expression of what a program returns.

        Raises:
            ArchitectureError: it has another shape than the input, or no word in the language.
        """
        if one.shape != like.shape:
            raise ArchitectureError(f"the output has shape {one.shape}, the input {like.shape}; expected the same")
        value = self._plain(self.value(one), range(len(one.shape)))
        order: list[int | None] = [None] * len(like.expression.shape)
        for mine, theirs in zip(value.axes, like.axes, strict=True):
            if theirs and theirs[0][0] is not None:
                order[theirs[0][0]] = mine[0][0]
        used = {k for k in order if k is not None}
        if len(value.expression.shape) == len(order) and all(k in (None, p) for p, k in enumerate(order)):
            return self.rules.finished(value.expression)
        assert all(k in used or n == 1 for k, n in enumerate(value.expression.shape))
        return self.rules.finished(self.rules.arranged(value.expression, order))


def _with_axis(one: Any, place: int, axis: Axis) -> Any:
    return replace(one, axes=(*one.axes[:place], axis, *one.axes[place + 1 :]))


def _without(axes: Sequence[Axis], place: int) -> tuple[Axis, ...]:
    """Axes after one axis of the expression has gone."""
    return tuple(
        tuple((k - 1 if k is not None and k > place else k, n) for k, n in axis if k != place) for axis in axes
    )


def _place(factor: Factor | None) -> int | None:
    return None if factor is None else factor[0]


def _size(x: Factor | None, y: Factor | None) -> int:
    return x[1] if x is not None else y[1] if y is not None else 1


def _used(value: Value) -> int:
    return sum(k is not None for axis in value.axes for k, _ in axis)


def _single(one: Any) -> float | None:
    if isinstance(one, Fixed):
        first = one.array.reshape(-1)[0]
        return float(first) if bool((one.array == first).all()) else None
    return float(one) if isinstance(one, int | float | Fraction) else None


def _applied(activation: Activation) -> Callable[[Rules, Expression], Expression]:
    return lambda rules, a: rules.apply(activation, a)


FUNCTIONS: dict[str, Callable[[Rules, Expression], Expression]] = {
    "tanh": _applied(tanh),
    "sigmoid": _applied(sigmoid),
    "logistic": _applied(sigmoid),
    "relu": _applied(relu),
    "gelu": _applied(gelu),
    "gelu_tanh": _applied(gelu_tanh),
    "silu": _applied(silu),
    "softplus": _applied(softplus),
    "exp": _applied(EXP),
    "expm1": lambda rules, a: rules.shifted(rules.apply(EXP, a), -1),
    "log": Rules.log,
    "log1p": lambda rules, a: rules.log(rules.shifted(a, 1)),
    "erf": _applied(ERF),
    "erfc": lambda rules, a: rules.shifted(rules.apply(ERF, rules.negative(a)), 1),
    "sqrt": _applied(SQRT),
    "rsqrt": lambda rules, a: rules.reciprocal(rules.apply(SQRT, a)),
    "reciprocal": Rules.reciprocal,
    "neg": Rules.negative,
    "square": lambda rules, a: rules.power(a, 2),
    "abs": lambda rules, a: rules.add(rules.apply(relu, a), rules.apply(relu, rules.negative(a))),
    "log_sigmoid": lambda rules, a: rules.negative(rules.apply(softplus, rules.negative(a))),
}
"""Functions of an entry by their names in array programs, compositions of the language's own where it has no word."""
