"""Expressions made once, and rewritten to the words that the language has for them.

A program on arrays spells softmax out as exp(u - max u) / sum exp(u - max u), a normalisation as a quotient by the root
of a mean of squares, gelu by erf. Every node is made once (`Rules` keeps them by kind and operands), so that equal
parts are one object and a formula is recognised by comparing objects. Functions that the language does not have stand
as activations until a rule has used them up: erf, the square root, the greatest entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from resproof.architectures.activations import gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.algebra import einsum
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import (
    PRODUCT,
    TRANSPOSE,
    Activation,
    Add,
    Apply,
    Coefficient,
    Constant,
    Einsum,
    Expression,
    Multiply,
    Normalize,
    Softmax,
    Word,
    nodes,
    read_pattern,
    reciprocal,
)
from resproof.architectures.values import Scalar

HIDDEN = -1e4
"""A score from here on down is hidden: e^-10000 is zero in floats of any size."""
MOST_POWER = 100


def _none(*_: object) -> Any:
    raise NotImplementedError


EXP = Activation(
    "exp",
    lambda k: Coefficient(Fraction(1, math.factorial(k))),
    lambda ops, x, order: [ops.exp(x)] * (order + 1),
)
ERF, SQRT, LOG, GREATEST = (Activation(name, _none, _none) for name in ("erf", "sqrt", "log", "max"))
_OPEN = {
    ERF: "erf outside a gelu",
    SQRT: "a square root outside a normalisation",
    LOG: "a logarithm outside a softplus",
    GREATEST: "a maximum outside a softmax",
}
"""What the language has no word for, unless what follows makes it part of one."""


def exact(value: float) -> Fraction:
    """The number that a float stands for: its shortest decimals, or a fraction of small denominator where it is one.

    Raises:
        ArchitectureError: the float is not finite.
    """
    if not math.isfinite(value):
        raise ArchitectureError(f"the number {value}; expected a finite one")
    small = Fraction(value).limit_denominator(4096)
    return small if float(small) == value else Fraction(repr(float(value)))


class NoWordError(ArchitectureError):
    """The language has no word for a node."""

    def __init__(self, node: Expression, what: str) -> None:
        super().__init__(f"the language has no word for {what}")
        self.node = node


@dataclass(frozen=True, slots=True)
class Rules:
    """The nodes of one program; `hidden` are what is added to scores to hide some, with where they are seen."""

    image: bool = False
    made: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    hidden: dict[Expression, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What has been made by this key before, else made now."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def _node(self, kind: Any, *arguments: Any) -> Any:
        return self.once((kind, *arguments), lambda: kind(*arguments))

    def number(self, value: Scalar, shape: Sequence[Any] = (1, 1)) -> Constant:
        """The array that a number fills."""
        value, shape = Fraction(value), tuple(shape)
        plain = value.numerator if value.denominator == 1 else value
        return self.once(("number", value, shape), lambda: Constant(plain, shape))

    def pattern(self, name: str, *shape: int) -> Constant:
        """A constant by its pattern's name."""
        return self._node(Constant, name, shape)

    def letters(self, count: int) -> str:
        """Names for that many axes: those of an image and its groups of channels, or of the tokens that heads have."""
        known = {3: "cyx", 4: "gkyx"} if self.image else {3: "gkt"}
        return known.get(count, "ijklmnpqrstuvw"[:count])

    # Sums and products of entries.

    def add(self, a: Expression, b: Expression) -> Expression:
        """a + b."""
        for one, other in ((a, b), (b, a)):
            if filled(one) == 0 and _covers(other, one):
                return other
        p, q = filled(a), filled(b)
        if p is not None and q is not None:
            return self.number(p + q, _broadcast(a, b))
        return self._node(Add, a, b)

    def negative(self, a: Expression) -> Expression:
        """-a."""
        return self.scaled(Fraction(-1), a)

    def subtract(self, a: Expression, b: Expression) -> Expression:
        """a - b."""
        return self.add(a, self.negative(b))

    def shifted(self, a: Expression, number: Scalar) -> Expression:
        """A number added to every entry."""
        return self.add(a, self.number(number, _ones(a)))

    def scaled(self, coefficient: Fraction, core: Expression) -> Expression:
        """A number times every entry."""
        before, core = split(core)
        coefficient *= before
        value = filled(core)
        if coefficient == 1:
            return core
        if value is not None or coefficient == 0:
            return self.number(coefficient * (value or 0), core.shape)
        return self._node(Multiply, self.number(coefficient, _ones(core)), core)

    def multiply(self, a: Expression, b: Expression) -> Expression:
        """The product of entries, numbers collected in front; words are recognised in pairs of factors."""
        (p, a), (q, b) = split(a), split(b)
        for one, other in ((a, b), (b, a)):
            value = filled(one)
            if value is not None and _covers(other, one):
                return self.scaled(p * q * value, other)
        if _is_open(a) or _is_open(b):
            factors = [*_factors(a), *_factors(b)]
            if (found := self._recognised(factors)) is not None:
                return self.scaled(p * q, found)
        return self.scaled(p * q, self._gated(a, b))

    def _gated(self, a: Expression, b: Expression) -> Expression:
        """Silu and the gelu by tanh are a gate of x, times x."""
        for gate, x in ((a, b), (b, a)):
            if isinstance(gate, Apply) and gate.activation is sigmoid and gate.operand is x:
                return self._node(Apply, silu, x)
            if isinstance(gate, Add) and self._is_tanh_gate(gate, x):
                return self.scaled(Fraction(2), self._node(Apply, gelu_tanh, x))
        return self._node(Multiply, a, b)

    def _is_tanh_gate(self, gate: Add, x: Expression) -> bool:
        """Whether it is 1 + tanh(c (x + a x^3))."""
        for tanh_of, one in ((gate.left, gate.right), (gate.right, gate.left)):
            if filled(one) != 1 or not isinstance(tanh_of, Apply) or tanh_of.activation is not tanh:
                continue
            c, inner = split(tanh_of.operand)
            cubic = self.scaled(exact(0.044715), self.power(x, 3))
            return c == exact(0.7978845608028654) and isinstance(inner, Add) and {inner.left, inner.right} == {x, cubic}
        return False

    def _recognised(self, factors: list[Expression]) -> Expression | None:
        """The product of the factors with a word in the place of two of them; None where there is none."""
        for k, one in enumerate(factors):
            for j, other in enumerate(factors):
                word = self._word(one, other) if j != k else None
                if word is None:
                    continue
                left = [f for i, f in enumerate(factors) if i not in (j, k)]
                left.append(word)
                total = left[0]
                for factor in left[1:]:
                    total = self.multiply(total, factor)
                return total
        return None

    def _word(self, one: Expression, x: Expression) -> Expression | None:
        """The word for a product of two."""
        match one:
            case Apply(activation=activation, operand=below) if activation is reciprocal:
                if _is(x, EXP) and (along := _reduced(x, below)) and self.total(x, along) is below and len(along) == 1:
                    return self.softmax(_operand(x), along[0])
                if _is(below, SQRT):
                    return self._normalised(_operand(below), x)
            case Apply(activation=activation) if activation is SQRT and one is x:
                return one.operand
            case Add(left=left, right=right) if {filled(left), filled(right)} & {1}:
                erf = right if filled(left) == 1 else left
                scale, inner = split(_operand(erf)) if _is(erf, ERF) else (Fraction(0), erf)
                if inner is x and abs(abs(scale) - math.sqrt(0.5)) < 1e-7:
                    # x (1 + erf(x / sqrt 2)) = 2 gelu(x), and x (1 - erf(x / sqrt 2)) = -2 gelu(-x).
                    sign = Fraction(1 if scale > 0 else -1)
                    return self.scaled(2 * sign, self.apply(gelu, self.scaled(sign, x)))
            case _:
                pass
        return None

    # Functions of an entry.

    def apply(self, activation: Activation, a: Expression) -> Expression:
        """An activation of every entry."""
        value = filled(a)
        if value is not None and activation.kinks:
            return self.number(max(value, Fraction(0)), a.shape)
        if value is not None and activation is SQRT and value >= 0:
            return self.number(exact(math.sqrt(value)), a.shape)
        if value == 0 and activation not in _OPEN and (at_zero := activation.taylor(0)).symbol is None:
            return self.number(at_zero.rational, a.shape)
        return self._node(Apply, activation, a)

    def reciprocal(self, a: Expression) -> Expression:
        """1 / a."""
        value = filled(a)
        if value:
            return self.number(1 / value, a.shape)
        coefficient, core = split(a)
        if coefficient != 1:
            return self.scaled(1 / coefficient, self.reciprocal(core))
        match a:
            case Add(left=left, right=right) if 1 in {filled(left), filled(right)}:
                inner = right if filled(left) == 1 else left
                if _is(inner, EXP):
                    return self.apply(sigmoid, self.negative(_operand(inner)))
            case Multiply(left=left, right=right) if _is_open(a):
                return self.multiply(self.reciprocal(left), self.reciprocal(right))
            case _:
                pass
        return self._node(Apply, reciprocal, a)

    def power(self, a: Expression, exponent: float) -> Expression:
        """A whole power, or one of a half.

        Raises:
            ArchitectureError: another exponent.
        """
        if exponent < 0:
            return self.reciprocal(self.power(a, -exponent))
        if exponent == 0.5:
            return self.apply(SQRT, a)
        if exponent != int(exponent) or exponent > MOST_POWER:
            raise ArchitectureError(f"the power {exponent:g}; expected a whole one")
        total = self.number(1, a.shape) if exponent == 0 else a
        for _ in range(int(exponent) - 1):
            total = self.multiply(total, a)
        return total

    def log(self, a: Expression) -> Expression:
        """The logarithm, which is that of a softplus."""
        if isinstance(a, Add) and 1 in {filled(a.left), filled(a.right)}:
            inner = a.right if filled(a.left) == 1 else a.left
            if _is(inner, EXP):
                return self.apply(softplus, _operand(inner))
        return self.apply(LOG, a)

    def greater(self, a: Expression, b: Expression) -> Expression:
        """The greater of two entries, b + relu(a - b)."""
        if filled(a) is not None and filled(b) is None:
            a, b = b, a
        return self.add(self.apply(relu, self.subtract(a, b)), b)

    def less(self, a: Expression, b: Expression) -> Expression:
        """The less of two entries, a - relu(a - b)."""
        if filled(a) is not None and filled(b) is None:
            a, b = b, a
        return self.subtract(a, self.apply(relu, self.subtract(a, b)))

    def chosen(self, difference: Expression, above: Expression, below: Expression) -> Expression:
        """`above` where the difference u - c is positive, else `below`, both functions of u that agree at c.

        With v = relu(u - c) and w = -relu(c - u) it is above(c + v) + below(c + w) - above(c).

        Raises:
            ArchitectureError: they are functions of something else.
        """
        u, c = difference, Fraction(0)
        if isinstance(u, Add) and (value := filled(u.right)) is not None:
            u, c = u.left, -value
        sign, u = split(u)
        c, number = c / sign, self.number(c / sign, _ones(u))
        if sign < 0:
            above, below = below, above
        over = self.add(number, self.apply(relu, self.subtract(u, number)))
        under = self.subtract(number, self.apply(relu, self.subtract(number, u)))
        at = [self.put(above, u, over), self.put(below, u, under), self.put(above, u, number)]
        if filled(at[2]) is None:
            raise ArchitectureError("a choice that depends on the input, between functions of something else")
        return self.add(self.add(at[0], at[1]), self.negative(at[2]))

    def put(self, root: Expression, u: Expression, value: Expression) -> Expression:
        """`root`, a function of the entries of u, with another value in the place of u."""
        if root is u:
            return value
        match root:
            case Add(left=left, right=right):
                return self.add(self.put(left, u, value), self.put(right, u, value))
            case Multiply(left=left, right=right):
                return self.multiply(self.put(left, u, value), self.put(right, u, value))
            case Apply(activation=activation, operand=operand):
                return self.apply(activation, self.put(operand, u, value))
            case _:
                return root

    # Along axes.

    def total(self, a: Expression, along: Sequence[int]) -> Expression:
        """The sum along axes, which get length one: of a matrix as a product with ones."""
        for place in sorted(along):
            size = int(a.shape[place])
            if size == 1:
                continue
            if len(a.shape) == 2:
                a = (
                    self.matmul(self.number(1, (1, size)), a)
                    if place == 0
                    else self.matmul(a, self.number(1, (size, 1)))
                )
            else:
                names = list(self.letters(len(a.shape)))
                after = [*names[:place], "o", *names[place + 1 :]]
                pattern = f"o {names[place]}, {' '.join(names)} -> {' '.join(after)}"
                a = self.contraction(pattern, self.number(1, (1, size)), a)
        return a

    def mean(self, a: Expression, along: Sequence[int]) -> Expression:
        """The mean along axes."""
        return self.scaled(Fraction(1, math.prod(int(a.shape[k]) for k in along)), self.total(a, along))

    def greatest(self, a: Expression, along: Sequence[int]) -> Expression:
        """The greatest entry along axes, which a softmax subtracts."""
        return self.apply(GREATEST, self.total(a, along))

    def softmax(self, scores: Expression, place: int) -> Expression:
        """Softmax along an axis: what is the same along it makes no difference, and a mask is one of its own.

        Raises:
            ArchitectureError: a mask that the language has no word for.
        """
        kept, masks = list[Expression](), list[Expression]()
        for one in _summands(scores):
            (masks if one in self.hidden else kept).append(one)
        kept = [one for one in kept if one.shape[place] != 1 or scores.shape[place] == 1] or kept
        if not masks and len(kept) == len(_summands(scores)):
            return self._node(Softmax, scores, place)
        total = kept[0]
        for one in kept[1:]:
            total = self.add(total, one)
        return self._node(Softmax, total, place, self._mask(masks, total) if masks else None)

    def _mask(self, masks: Sequence[Expression], scores: Expression) -> Constant:
        """The causal pattern, where that is what is seen in a mask along the last two axes, queries last.

        Raises:
            ArchitectureError: it is another one.
        """
        seen = [self.hidden[one].reshape(self.hidden[one].shape[-2:]) for one in masks if _is_matrix(one)]
        size = int(scores.shape[-1])
        causal = [[s <= t for t in range(size)] for s in range(size)]
        if len(seen) != 1 or len(masks) != 1 or seen[0].tolist() != causal:
            raise ArchitectureError("a mask that is not causal; expected each query to see the keys up to itself")
        return self.pattern("causal", size, size)

    def normalise(self, u: Expression, along: Sequence[int], *, centred: bool, epsilon: Scalar) -> Expression:
        """LayerNorm or RMSNorm without gain, along several axes together as one along their product."""
        if len(along) == 1:
            return self._node(Normalize, u, along[0], centred, epsilon)
        names = list(self.letters(len(u.shape)))
        parts = [names[k] for k in along]
        kept = [name for k, name in enumerate(names) if k not in along and u.shape[k] != 1]
        sizes = [int(u.shape[k]) for k in along]
        every = self.pattern("split", math.prod(sizes), *sizes)
        flat = self.contraction(f"n {' '.join(parts)}, {' '.join(names)} -> {' '.join([*kept, 'n'])}", every, u)
        found = self._node(Normalize, flat, len(kept), centred, epsilon)
        back = [name for name in names if name in kept or name in parts]
        whole = self.contraction(f"n {' '.join(parts)}, {' '.join([*kept, 'n'])} -> {' '.join(back)}", every, found)
        return self.arranged(whole, [back.index(name) if name in back else None for name in names])

    def _normalised(self, below: Expression, u: Expression) -> Expression | None:
        """u over the root of epsilon + its mean square, u centred or not; None where it is none."""
        epsilon: Scalar = 0
        if isinstance(below, Add):
            for one, other in ((below.left, below.right), (below.right, below.left)):
                if (value := filled(one)) is not None and value >= 0:
                    below, epsilon = other, value
                    break
        if isinstance(below, Apply) and below.activation is relu:
            below = below.operand
        if not (along := _reduced(u, below)):
            return None
        square, size = self.multiply(u, u), math.prod(int(u.shape[k]) for k in along)
        if isinstance(u, Add) and self.subtract(u.left, self.mean(u.left, along)) is u:
            x, mean = u.left, self.mean(u.left, along)
            if below in {
                self.mean(square, along),
                self.subtract(self.mean(self.multiply(x, x), along), self.multiply(mean, mean)),
            }:
                return self.normalise(x, along, centred=True, epsilon=epsilon)
        if below is self.mean(square, along):
            return self.normalise(u, along, centred=False, epsilon=epsilon)
        if below is self.total(square, along):
            found = self.normalise(u, along, centred=False, epsilon=Fraction(epsilon) / size)
            return self.scaled(exact(math.sqrt(1 / size)), found)
        return None

    # Products of arrays and what moves entries.

    def contraction(self, pattern: str, *several: Expression, word: Word | None = None) -> Expression:
        """The sum of products that a pattern says, numbers collected in front."""
        match read_pattern(pattern):
            case ((i, k), (j, m)), (p, q) if k == j and (i, m) == (p, q):
                return self.matmul(*several)
            case ((i, j),), (p, q) if (i, j) == (q, p):
                return self.transpose(*several)
            case _:
                pass
        coefficient, cores = Fraction(1), list[Expression]()
        for one in several:
            before, core = split(one)
            coefficient *= before
            cores.append(core)
        return self.scaled(coefficient, self.once((pattern, *cores), lambda: einsum(pattern, *cores, word=word)))

    def matmul(self, a: Expression, b: Expression) -> Expression:
        """a @ b, numbers collected in front."""
        (p, a), (q, b) = split(a), split(b)
        for one, other in ((a, b), (b, a)):
            if one.shape == (1, 1) and filled(one) is not None:
                return self.scaled(p * q * (filled(one) or 0), other)
        if filled(a) is not None and filled(b) is not None:
            value = (filled(a) or 0) * (filled(b) or 0) * int(a.shape[1])
            return self.number(p * q * value, (a.shape[0], b.shape[1]))
        return self.scaled(p * q, self._node(Einsum, PRODUCT, (a, b)))

    def transpose(self, a: Expression) -> Expression:
        """a.T of a matrix."""
        coefficient, core = split(a)
        if coefficient != 1:
            return self.scaled(coefficient, self.transpose(core))
        if isinstance(a, Einsum) and a.form == "transpose":
            return a.operands[0]
        if a.shape == (1, 1) or (isinstance(a, Constant) and a.value == "identity"):
            return a
        if (value := filled(a)) is not None:
            return self.number(value, a.shape[::-1])
        return self._node(Einsum, TRANSPOSE, (a,))

    def arranged(self, a: Expression, places: Sequence[int | None]) -> Expression:
        """The axes in another order: None is a new one of length one, and those that are left out have length one."""
        free = [k for k in range(len(a.shape)) if k not in places]
        places = [free.pop(0) if k is None and free else k for k in places]
        if places == list(range(len(a.shape))):
            return a
        coefficient, core = split(a)
        if coefficient != 1:
            return self.scaled(coefficient, self.arranged(core, places))
        shape = [1 if k is None else a.shape[k] for k in places]
        if (value := filled(a)) is not None:
            return self.number(value, shape)
        if len(a.shape) == 2 and sorted(k for k in places if k is not None) == [0, 1] and len(places) == 2:
            return self.transpose(a)
        names = self.letters(len(a.shape) + len(places))
        after = [names[len(a.shape) + j] if k is None else names[k] for j, k in enumerate(places)]
        before, new = " ".join(names[: len(a.shape)]), [n for n, k in zip(after, places, strict=True) if k is None]
        gone = [names[k] for k in range(len(a.shape)) if k not in places]
        if new or gone:
            one = self.number(1, [1] * (len(new) + len(gone)))
            return self.contraction(f"{' '.join([*new, *gone])}, {before} -> {' '.join(after)}", one, a)
        return self.contraction(f"{before} -> {' '.join(after)}", a)

    # What is left over.

    def finished(self, root: Expression) -> Expression:
        """The expression itself.

        Raises:
            NoWordError: something in it has no word.
        """
        for node in nodes(root):
            if isinstance(node, Apply) and node.activation in _OPEN:
                raise NoWordError(node, _OPEN[node.activation])
            if node in self.hidden:
                raise NoWordError(node, "a mask outside a softmax")
        return root


def split(a: Expression) -> tuple[Fraction, Expression]:
    """The number in front, and what it multiplies."""
    if isinstance(a, Multiply) and (value := filled(a.left)) is not None and set(a.left.shape) <= {1}:
        return value, a.right
    return Fraction(1), a


def filled(a: Expression) -> Fraction | None:
    """The number that fills an array, where one does."""
    return Fraction(a.value) if isinstance(a, Constant) and not isinstance(a.value, str) else None


def _is(a: Expression, activation: Activation) -> bool:
    return isinstance(a, Apply) and a.activation is activation


def _operand(a: Expression) -> Expression:
    assert isinstance(a, Apply)
    return a.operand


def _is_open(a: Expression) -> bool:
    """Whether a rule may recognise a factor."""
    match a:
        case Apply(activation=activation, operand=operand):
            return activation in _OPEN or activation is EXP or (activation is reciprocal and _is_open_below(operand))
        case Multiply(left=left, right=right):
            return _is_open(left) or _is_open(right)
        case Add(left=left, right=right):
            return _is(left, ERF) or _is(right, ERF)
        case _:
            return False


def _is_open_below(a: Expression) -> bool:
    """Whether a quotient by it may be a softmax or a normalisation."""
    return _is(a, SQRT) or (
        isinstance(a, Einsum) and any(_is(one, EXP) or isinstance(one, Einsum) for one in a.operands)
    )


def _factors(a: Expression) -> list[Expression]:
    return [*_factors(a.left), *_factors(a.right)] if isinstance(a, Multiply) else [a]


def _summands(a: Expression) -> list[Expression]:
    return [*_summands(a.left), *_summands(a.right)] if isinstance(a, Add) else [a]


def _is_matrix(a: Expression) -> bool:
    return all(n == 1 for n in a.shape[:-2])


def _reduced(large: Expression, small: Expression) -> list[int]:
    """The axes along which the smaller one has length one."""
    if len(large.shape) != len(small.shape):
        return []
    return [k for k, (n, m) in enumerate(zip(large.shape, small.shape, strict=True)) if m == 1 != n]


def _ones(a: Expression) -> list[int]:
    return [1] * len(a.shape)


def _broadcast(a: Expression, b: Expression) -> list[Any]:
    return [m if n == 1 else n for n, m in zip(a.shape, b.shape, strict=True)]


def _covers(large: Expression, small: Expression) -> bool:
    """Whether the smaller one is spread over the larger one and makes it no larger."""
    return all(n in (1, m) for n, m in zip(small.shape, large.shape, strict=True))
