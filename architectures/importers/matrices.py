"""Matrices written as expressions, and recognised in them what the language has a word for.

A program on arrays spells softmax out as exp(u - max u) / sum exp(u - max u), a normalisation as a quotient by the root
of a mean of squares, gelu by erf. Until such a formula is complete its parts are `Pending`: matrices without a word.
Every matrix is made once (`WrittenMatrices` keeps them by kind and operands), so that equal parts are one object and a
formula is recognised by comparing objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias, cast

from resproof.architectures.activations import gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.algebra import concat, einsum
from resproof.architectures.dimensions import Dimension, Shape, show_shape
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import (
    PRODUCT,
    TRANSPOSE,
    Activation,
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Word,
    reciprocal,
)
from resproof.architectures.nodes import cut as taken
from resproof.architectures.values import Scalar

Kind: TypeAlias = Literal[
    "exp",
    "1 + exp",
    "erf",
    "1 + erf",
    "square root",
    "reciprocal",
    "product",
    "maximum",
    "shifted",
    "masked",
    "joined",
    "total",
]
Term: TypeAlias = "Expression | Pending"
Axis: TypeAlias = int
"""The rows (0), the columns (1), or a further axis."""

HIDDEN = -1e4
"""A score from here on down is hidden: e^-10000 is zero in floats of any size."""


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """A matrix that the language has no word for, unless what follows makes it part of one.

    "shifted" is an operand from which something constant along `axis` is subtracted, "masked" one whose entries outside
    `mask` are -infinity, "joined" the operands one below the other (axis 0) or side by side (axis 1).
    """

    kind: Kind
    operands: tuple[Term, ...]
    shape: Shape
    axis: Axis = 0
    mask: Constant | None = None


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
    """The language has no word for a matrix."""

    def __init__(self, pending: Pending) -> None:
        super().__init__(f"the language has no word for {_WORDS[pending.kind]}")
        self.pending = pending


def written(term: Term) -> Expression:
    """The expression itself.

    Raises:
        NoWordError: it is pending.
    """
    if not isinstance(term, Pending):
        return term
    inner = [one for one in term.operands if isinstance(one, Pending)]
    if inner and term.kind in {"product", "reciprocal"}:
        return written(inner[0])
    raise NoWordError(term)


_WORDS: dict[Kind, str] = {
    "exp": "exp outside a softmax or a sigmoid",
    "1 + exp": "exp outside a softmax or a sigmoid",
    "erf": "erf outside a gelu",
    "1 + erf": "erf outside a gelu",
    "square root": "a square root outside a normalisation",
    "reciprocal": "this quotient",
    "product": "this product",
    "maximum": "a maximum outside a softmax",
    "shifted": "a maximum outside a softmax",
    "masked": "a mask outside a softmax",
    "joined": "a concatenation that no product takes apart",
    "total": "the sum of exp outside a softmax",
}


@dataclass(frozen=True, slots=True)
class WrittenMatrices:
    """The matrices of one program; `cut_leaf` takes rows or columns out of one of its weights.

    All have `rank` axes, weights that act along one or several of them aside.
    """

    cut_leaf: Callable[[Expression, Axis, int, int], Term] = field(repr=False)
    rank: int = 2
    made: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def _once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def number(self, value: Scalar, *shape: Dimension) -> Constant:
        """The matrix that a number fills, of one entry where no shape is given."""
        value, shape = Fraction(value), shape or (1,) * self.rank
        plain = value.numerator if value.denominator == 1 else value
        return self._once(("number", value, shape), lambda: Constant(plain, shape))

    def pattern(self, name: str, size: Dimension) -> Constant:
        """A named pattern."""
        return self._once(("pattern", name, size), lambda: Constant(name, size, size))

    def pending(self, kind: Kind, *parts: Term, shape: Shape, axis: Axis = 0, mask: Constant | None = None) -> Pending:
        """A matrix without a word."""
        return self._once((kind, parts, shape, axis, mask), lambda: Pending(kind, parts, shape, axis, mask))

    def _node(self, kind: Any, *arguments: Any) -> Any:
        return self._once((kind, *arguments), lambda: kind(*arguments))

    # Sums and products.

    def add(self, a: Term, b: Term) -> Term:
        """a + b."""
        if "joined" in (_kind(a), _kind(b)):
            return self.joined_parts(lambda x, y: self.add(x, y), a, b)
        for one, other in ((a, b), (b, a)):
            value = filled(one)
            if value == 0 and _covers(other, one):
                return other
            if value == 1 and isinstance(other, Pending) and other.kind in {"exp", "erf"}:
                kind: Kind = "1 + exp" if other.kind == "exp" else "1 + erf"
                return self.pending(kind, *other.operands, shape=other.shape)
        shifted = self._shifted(a, b)
        if shifted is not None:
            return shifted
        both = filled(a), filled(b)
        if both[0] is not None and both[1] is not None:
            return self.number(both[0] + both[1], *_broadcast(a, b))
        return self._node(Add, written(a), written(b))

    def _shifted(self, u: Term, moved: Term) -> Term | None:
        """u - max u, the maximum along an axis: the softmax of u is that of what is left."""
        factors = _factors(moved)
        core = factors[-1]
        if factors[:-1] != (self.number(-1),) or not isinstance(core, Pending) or core.kind != "maximum":
            return None
        return self.pending("shifted", u, shape=u.shape, axis=core.axis)

    def negative(self, a: Term) -> Term:
        """-a."""
        return self.multiply(self.number(-1), a)

    def subtract(self, a: Term, b: Term) -> Term:
        """a - b."""
        return self.add(a, self.negative(b))

    def multiply(self, a: Term, b: Term) -> Term:
        """The elementwise product, numbers collected in front."""
        if "joined" in (_kind(a), _kind(b)):
            return self.joined_parts(lambda x, y: self.multiply(x, y), a, b)
        for one, other in ((a, b), (b, a)):
            if (value := filled(one)) is not None and _is_single(one):
                return self.scaled(value, other)
        (p, a), (q, b) = split(a), split(b)
        if isinstance(a, Pending) or isinstance(b, Pending):
            return self._product(p * q, [*_factors(a), *_factors(b)])
        if (one := filled(a)) is not None and (other := filled(b)) is not None:
            return self.number(p * q * one * other, *_broadcast(a, b))
        return self.scaled(p * q, self._times(a, b))

    def _times(self, a: Expression, b: Expression) -> Expression:
        for one, other in ((a, b), (b, a)):
            if filled(one) == 1 and _covers(other, one):
                return other
            if isinstance(one, Apply) and one.activation is sigmoid and one.operand is other:
                return self._node(Apply, silu, other)
            if isinstance(one, Add) and self._is_tanh_gate(one, other):
                return self._node(Multiply, self.number(2), self._node(Apply, gelu_tanh, other))
        return self._node(Multiply, a, b)

    def _is_tanh_gate(self, gate: Add, x: Expression) -> bool:
        """Whether it is 1 + tanh(c (x + a x^3)), which makes x a gelu."""
        for tanh_of, one in ((gate.left, gate.right), (gate.right, gate.left)):
            if filled(one) != 1 or not isinstance(tanh_of, Apply) or tanh_of.activation is not tanh:
                continue
            c, inner = split(tanh_of.operand)
            cubic = self.scaled(exact(0.044715), self.power(x, 3))
            return c == exact(0.7978845608028654) and isinstance(inner, Add) and {inner.left, inner.right} == {x, cubic}
        return False

    def scaled(self, coefficient: Fraction, core: Term) -> Term:
        """A number times a matrix."""
        before, core = split(core)
        coefficient *= before
        if coefficient == 1:
            return core
        value = filled(core)
        if value is not None:
            return self.number(coefficient * value, *core.shape)
        if isinstance(core, Pending):
            return self._product(coefficient, [*_factors(core)])
        if coefficient == 0:
            return self.number(0, *core.shape)
        return self._node(Multiply, self.number(coefficient), core)

    def _product(self, coefficient: Fraction, factors: list[Term]) -> Term:
        """The product of factors, some of them pending: words are recognised in pairs of them."""
        numbers = [one for one in factors if filled(one) is not None and _is_single(one)]
        for one in numbers:
            coefficient *= cast("Fraction", filled(one))
        factors = [one for one in factors if one not in numbers]
        while (found := self._recognised(factors)) is not None:
            scale, factors = found
            coefficient *= scale
        pending = [one for one in factors if isinstance(one, Pending)]
        if not pending:
            total: Term = factors[0] if factors else self.number(1)
            for factor in factors[1:]:
                total = self.multiply(total, factor)
            return self.multiply(self.number(coefficient), total)
        if len(factors) == 1 and coefficient == 1:
            return factors[0]
        shape = factors[0].shape
        for factor in factors[1:]:
            shape = _wider(shape, factor.shape)
        scale = () if coefficient == 1 else (self.number(coefficient),)
        return self.pending("product", *scale, *pending, *(f for f in factors if f not in pending), shape=shape)

    def _recognised(self, factors: list[Term]) -> tuple[Fraction, list[Term]] | None:
        """A pair of factors replaced by the word for their product, and the number that comes with it."""
        for one in factors:
            if not isinstance(one, Pending):
                continue
            for other in factors:
                found = self._word(one, other) if other is not one else None
                if found is not None:
                    return found[0], [*(f for f in factors if f not in (one, other)), found[1]]
            inner = self._inside(one, factors)
            if inner is not None:
                return inner
        return None

    def _inside(self, one: Pending, factors: list[Term]) -> tuple[Fraction, list[Term]] | None:
        """A word with a factor of a product that was written before: (x - mean x) * gain, divided by the root."""
        for outer in factors:
            if not isinstance(outer, Multiply):
                continue
            for part, rest in ((outer.left, outer.right), (outer.right, outer.left)):
                found = self._word(one, part)
                if found is not None:
                    return found[0], [*(f for f in factors if f not in (one, outer)), found[1], rest]
        return None

    def _word(self, one: Pending, other: Term) -> tuple[Fraction, Term] | None:
        """The word for a product of two factors, and a number in front of it."""
        if one.kind == "reciprocal":
            below = one.operands[0]
            if _kind(other) == "exp" and (axis := self._summed_along(below, other)) is not None:
                return Fraction(1), self._softmax_of(cast("Pending", other).operands[0], axis)
            if _kind(below) == "square root":
                return self._normalised(cast("Pending", below).operands[0], other)
        if one.kind == "1 + erf" and not isinstance(other, Pending):
            scale, inner = split(one.operands[0])
            if inner is other and abs(abs(scale) - math.sqrt(0.5)) < 1e-7:
                # x (1 + erf(x / sqrt 2)) = 2 gelu(x), and x (1 - erf(x / sqrt 2)) = -2 gelu(-x).
                sign = Fraction(1 if scale > 0 else -1)
                return 2 * sign, self.apply(gelu, self.multiply(self.number(sign), other))
        return None

    # Softmax and normalisations.

    def _summed_along(self, total: Term, summand: Term) -> Axis | None:
        for axis in range(self.rank):
            if self.sum(summand, axis) is total:
                return axis
        return None

    def _softmax_of(self, scores: Term, axis: Axis) -> Term:
        if isinstance(scores, Pending) and scores.kind == "shifted" and scores.axis == axis:
            scores = scores.operands[0]
        return self.softmax(scores, axis)

    def softmax(self, scores: Term, axis: Axis) -> Term:
        """Softmax along an axis, with the mask that the scores have."""
        if isinstance(scores, Pending) and scores.kind == "masked":
            return self._node(Softmax, written(scores.operands[0]), axis, scores.mask)
        return self._node(Softmax, written(scores), axis)

    def normalize(self, u: Term, axis: Axis, centred: bool, epsilon: Scalar) -> Term:
        """LayerNorm or RMSNorm without gain."""
        return self._node(Normalize, written(u), axis, centred, epsilon)

    def _normalised(self, below: Term, u: Term) -> tuple[Fraction, Term] | None:
        """u over the root of epsilon + its mean square, u centred or not."""
        if isinstance(u, Pending):
            return None
        variance, epsilon = self._without_epsilon(below)
        for axis in range(self.rank):
            x = self._centred_from(u, axis)
            means = [self.mean(self.multiply(u, u), axis)]
            if x is not None:
                mean = self.mean(x, axis)
                means.append(self.subtract(self.mean(self.multiply(x, x), axis), self.multiply(mean, mean)))
            if any(variance is one for one in means):
                centred = x is not None
                return Fraction(1), self.normalize(x if x is not None else u, axis, centred, epsilon)
        return None

    def _without_epsilon(self, below: Term) -> tuple[Term, Scalar]:
        """V and epsilon of V + epsilon; V as it is where it was cut off at zero."""
        epsilon: Scalar = 0
        if isinstance(below, Add):
            for one, other in ((below.left, below.right), (below.right, below.left)):
                value = filled(one)
                if value is not None and value >= 0 and _is_single(one):
                    below, epsilon = other, value
                    break
        if isinstance(below, Apply) and below.activation is relu:
            below = below.operand
        return below, epsilon

    def _centred_from(self, u: Expression, axis: Axis) -> Expression | None:
        """X where u is x - mean x."""
        if isinstance(u, Add) and self.subtract(u.left, self.mean(u.left, axis)) is u:
            return u.left
        return None

    def sum(self, a: Term, axis: Axis) -> Term:
        """The sum down the columns (axis 0) or along the rows (axis 1), as a product with ones."""
        size = a.shape[axis]
        if size == 1:
            return a
        if isinstance(a, Pending):
            if a.kind == "joined":
                return self._sum_of_joined(a, axis)
            return self.pending("total", a, shape=_reduced(a, axis), axis=axis)
        if self.rank > 2:
            return self.along(self.number(1, 1, size), a, axis)
        ones = self.number(1, 1, size) if axis == 0 else self.number(1, size, 1)
        return self.matmul(ones, a) if axis == 0 else self.matmul(a, ones)

    def along(self, matrix: Term, a: Term, axis: Axis) -> Term:
        """A matrix times each of the vectors that lie along an axis: sum_c W_oc u_cyx."""
        names = ("c", "y", "x")[: self.rank]
        after = [*names[:axis], "o", *names[axis + 1 :]]
        return self.contraction(f"o {names[axis]}, {' '.join(names)} -> {' '.join(after)}", matrix, a)

    def contraction(self, pattern: str, *several: Term, word: Word | None = None) -> Term:
        """The sum of products that a pattern says, numbers collected in front."""
        coefficient, cores = Fraction(1), list[Expression]()
        for one in several:
            before, core = split(one)
            coefficient *= before
            cores.append(written(core))
        return self.scaled(coefficient, self._once((pattern, *cores), lambda: einsum(pattern, *cores, word=word)))

    def _sum_of_joined(self, a: Pending, axis: Axis) -> Term:
        parts = [self.sum(part, axis) for part in a.operands]
        if axis != a.axis:
            return self.joined(parts, a.axis)
        total = parts[0]
        for part in parts[1:]:
            total = self.add(total, part)
        return total

    def mean(self, a: Term, axis: Axis) -> Term:
        """The mean along an axis."""
        return self.multiply(self.number(Fraction(1, int(a.shape[axis]))), self.sum(a, axis))

    def maximum(self, a: Term, axis: Axis) -> Term:
        """The greatest entry along an axis, which a softmax subtracts."""
        return self.pending("maximum", a, shape=_reduced(a, axis), axis=axis)

    def masked(self, scores: Term, mask: Constant) -> Term:
        """Scores that are -infinity where the mask is zero."""
        return self.pending("masked", scores, shape=scores.shape, mask=mask)

    # Functions of an entry.

    def apply(self, activation: Activation, a: Term) -> Term:
        """An activation of every entry."""
        if isinstance(a, Pending) and a.kind == "joined":
            return self.joined([self.apply(activation, part) for part in a.operands], a.axis)
        value = filled(a)
        if value is not None and activation.kinks:
            return self.number(max(value, Fraction(0)), *a.shape)
        return self._node(Apply, activation, written(a))

    def exp(self, a: Term) -> Term:
        """The exponential, part of a softmax or a sigmoid."""
        return self.pending("exp", a, shape=a.shape)

    def erf(self, a: Term) -> Term:
        """The error function, part of a gelu."""
        return self.pending("erf", a, shape=a.shape)

    def one_minus_erf(self, a: Term) -> Term:
        """Erfc(a) = 1 + erf(-a)."""
        return self.pending("1 + erf", self.negative(a), shape=a.shape)

    def root(self, a: Term) -> Term:
        """The square root, part of a normalisation."""
        value = filled(a)
        if value is not None and value >= 0:
            return self.number(exact(math.sqrt(value)), *a.shape)
        return self.pending("square root", a, shape=a.shape)

    def reciprocal(self, a: Term) -> Term:
        """1 / a."""
        value = filled(a)
        if value:
            return self.number(1 / value, *a.shape)
        if isinstance(a, Pending) and a.kind == "1 + exp":
            return self.apply(sigmoid, self.negative(a.operands[0]))
        coefficient, core = split(a)
        if coefficient not in {0, 1}:
            return self.multiply(self.number(1 / coefficient), self.reciprocal(core))
        return self.pending("reciprocal", a, shape=a.shape) if isinstance(a, Pending) else self.apply(reciprocal, a)

    def power(self, a: Term, exponent: int) -> Term:
        """A whole power."""
        if exponent < 0:
            return self.reciprocal(self.power(a, -exponent))
        total: Term = self.number(1, *a.shape) if exponent == 0 else a
        for _ in range(exponent - 1):
            total = self.multiply(total, a)
        return total

    def function(self, name: str, a: Term) -> Term:
        """A function by its name in array programs.

        Raises:
            ArchitectureError: the language does not have it.
        """
        if name not in _FUNCTIONS:
            raise ArchitectureError(f"the language has no function {name}")
        return _FUNCTIONS[name](self, a)

    # Products of matrices and what moves entries.

    def matmul(self, a: Term, b: Term) -> Term:
        """a @ b, numbers collected in front; a joined operand is taken apart."""
        (p, a), (q, b) = split(a), split(b)
        if isinstance(b, Pending) and b.kind == "joined":
            return self.multiply(self.number(p * q), self._through_joined(a, b, inner=b.axis == 0, left=False))
        if isinstance(a, Pending) and a.kind == "joined":
            return self.multiply(self.number(p * q), self._through_joined(b, a, inner=a.axis == 1, left=True))
        if a is self.number(1, *a.shape) and _is_single(a):
            return self.scaled(p * q, b)
        if b is self.number(1, *b.shape) and _is_single(b):
            return self.scaled(p * q, a)
        return self.scaled(p * q, self._node(Einsum, PRODUCT, (written(a), written(b))))

    def _through_joined(self, other: Term, parts: Pending, *, inner: bool, left: bool) -> Term:
        """The product with joined parts: a sum of products where they are joined along what is summed."""

        def product(part: Term, cut: Term) -> Term:
            return self.matmul(part, cut) if left else self.matmul(cut, part)

        if not inner:
            return self.joined([product(part, other) for part in parts.operands], parts.axis)
        axis: Axis = 0 if left else 1
        total: Term | None = None
        for part, (start, stop) in zip(parts.operands, _ranges(parts), strict=True):
            term = product(part, self.cut(other, axis, start, stop))
            total = term if total is None else self.add(total, term)
        assert total is not None
        return total

    def transpose(self, a: Term) -> Term:
        """a.T.

        Raises:
            ArchitectureError: it is no matrix.
        """
        if self.rank > 2:
            raise ArchitectureError("axes of an image that are exchanged")
        coefficient, core = split(a)
        if coefficient != 1:
            return self.scaled(coefficient, self.transpose(core))
        if isinstance(a, Einsum) and a.form == "transpose":
            return a.operands[0]
        if _is_single(a):
            return a
        value = filled(a)
        if value is not None:
            return self.number(value, a.shape[1], a.shape[0])
        if isinstance(a, Pending):
            return self._transposed_pending(a)
        if isinstance(a, Constant) and a.value == "identity":
            return a
        return self._node(Einsum, TRANSPOSE, (a,))

    def _transposed_pending(self, a: Pending) -> Term:
        shape: Shape = (a.shape[1], a.shape[0])
        if a.mask is not None:
            raise ArchitectureError("a mask that is transposed")
        axis: Axis = 1 if a.axis == 0 else 0
        return self.pending(a.kind, *(self.transpose(part) for part in a.operands), shape=shape, axis=axis)

    def joined(self, parts: Sequence[Term], axis: Axis) -> Term:
        """Matrices one below the other (axis 0) or side by side."""
        if len(parts) == 1:
            return parts[0]
        flat = [one for part in parts for one in (_parts(part) if _is_joined(part, axis) else (part,))]
        total = sum(int(part.shape[axis]) for part in flat)
        shape = tuple(total if k == axis else n for k, n in enumerate(flat[0].shape))
        return self.pending("joined", *flat, shape=shape, axis=axis)

    def joined_parts(self, operation: Callable[[Term, Term], Term], a: Term, b: Term) -> Term:
        """An elementwise operation on joined parts, part by part."""
        pattern = next(one for one in (a, b) if _kind(one) == "joined")
        assert isinstance(pattern, Pending)
        axis = pattern.axis

        def part(one: Term, start: int, stop: int) -> Term:
            return one if one.shape[axis] == 1 else self.cut(one, axis, start, stop)

        return self.joined([operation(part(a, *at), part(b, *at)) for at in _ranges(pattern)], axis)

    def whole(self, a: Term) -> Expression:
        """The expression itself, joined parts side by side.

        Raises:
            NoWordError: it is pending in another way.
        """
        if isinstance(a, Pending) and a.kind == "joined":
            return concat(a.axis, *map(written, a.operands))
        return written(a)

    def cut(self, a: Term, axis: Axis, start: int, stop: int) -> Term:
        """The rows (axis 0) or columns from `start` to `stop`.

        Raises:
            ArchitectureError: a softmax, a normalisation or a pattern would have to be cut.
        """
        if (start, stop) == (0, a.shape[axis]):
            return a
        if isinstance(a, Pending):
            return self._cut_joined(a, axis, start, stop)
        size = stop - start

        def along(one: Expression) -> Term:
            return one if one.shape[axis] == 1 else self.cut(one, axis, start, stop)

        value = filled(a)
        if value is not None:
            return self.number(value, *(size if k == axis else n for k, n in enumerate(a.shape)))
        match a:
            case Einsum(form="product", operands=(left, right)):
                return self.matmul(along(left), right) if axis == 0 else self.matmul(left, along(right))
            case Add():
                return self.add(along(a.left), along(a.right))
            case Multiply():
                return self.multiply(along(a.left), along(a.right))
            case Apply():
                return self.apply(a.activation, along(a.operand))
            case Einsum(form="transpose", operands=(operand,)):
                return self.transpose(self.cut(operand, 0 if axis == 1 else 1, start, stop))
            case Softmax() | Normalize() if axis != a.axis and (isinstance(a, Normalize) or a.mask is None):
                inner = written(along(a.operand))
                return (
                    self._node(Softmax, inner, a.axis)
                    if isinstance(a, Softmax)
                    else self._node(Normalize, inner, a.axis, a.centred, a.epsilon)
                )
            case Input() | Einsum():
                return self._once(("cut", a, axis, start, stop), lambda: taken(a, axis, start, stop))
            case _:
                return self.cut_leaf(a, axis, start, stop)

    def _cut_joined(self, a: Pending, axis: Axis, start: int, stop: int) -> Term:
        if a.kind != "joined":
            raise ArchitectureError(f"a part is taken of {_WORDS[a.kind]}")
        if axis != a.axis:
            return self.joined([self.cut(part, axis, start, stop) for part in a.operands], a.axis)
        kept: list[Term] = []
        for part, (first, last) in zip(a.operands, _ranges(a), strict=True):
            if max(first, start) < min(last, stop):
                kept.append(self.cut(part, axis, max(first, start) - first, min(last, stop) - first))
        return self.joined(kept, axis)


def split(term: Term) -> tuple[Fraction, Term]:
    """The number in front, and what it multiplies."""
    if isinstance(term, Multiply) and isinstance(term.left, Constant) and _is_single(term.left):
        value = filled(term.left)
        assert value is not None
        return value, term.right
    return Fraction(1), term


def filled(term: Term) -> Fraction | None:
    """The number that fills a matrix, where one does."""
    return Fraction(term.value) if isinstance(term, Constant) and not isinstance(term.value, str) else None


def _is_single(term: Term) -> bool:
    return set(term.shape) <= {1}


def _kind(term: Term) -> str:
    return term.kind if isinstance(term, Pending) else ""


def _factors(term: Term) -> tuple[Term, ...]:
    return term.operands if isinstance(term, Pending) and term.kind == "product" else (term,)


def _parts(term: Term) -> tuple[Term, ...]:
    assert isinstance(term, Pending)
    return term.operands


def _is_joined(term: Term, axis: Axis) -> bool:
    return isinstance(term, Pending) and term.kind == "joined" and term.axis == axis


def _ranges(joined: Pending) -> list[tuple[int, int]]:
    found, start = list[tuple[int, int]](), 0
    for part in joined.operands:
        stop = start + int(part.shape[joined.axis])
        found.append((start, stop))
        start = stop
    return found


def _wider(a: Shape, b: Shape) -> Shape:
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


def _reduced(a: Term, axis: Axis) -> Shape:
    return tuple(1 if k == axis else n for k, n in enumerate(a.shape))


def _broadcast(a: Term, b: Term) -> Shape:
    if any(x != y and 1 not in (x, y) for x, y in zip(a.shape, b.shape, strict=True)):
        raise ArchitectureError(f"shapes {show_shape(a.shape)} and {show_shape(b.shape)}; expected equal ones, or 1")
    return _wider(a.shape, b.shape)


def _covers(large: Term, small: Term) -> bool:
    """Whether the smaller one is spread over the larger one and makes it no larger."""
    return all(x in (1, y) for x, y in zip(small.shape, large.shape, strict=True))


_FUNCTIONS: dict[str, Callable[[WrittenMatrices, Term], Term]] = {
    "tanh": lambda m, a: m.apply(tanh, a),
    "sigmoid": lambda m, a: m.apply(sigmoid, a),
    "relu": lambda m, a: m.apply(relu, a),
    "gelu": lambda m, a: m.apply(gelu, a),
    "gelu_tanh": lambda m, a: m.apply(gelu_tanh, a),
    "silu": lambda m, a: m.apply(silu, a),
    "softplus": lambda m, a: m.apply(softplus, a),
    "exp": WrittenMatrices.exp,
    "erf": WrittenMatrices.erf,
    "erfc": WrittenMatrices.one_minus_erf,
    "sqrt": WrittenMatrices.root,
    "rsqrt": lambda m, a: m.reciprocal(m.root(a)),
    "neg": WrittenMatrices.negative,
    "square": lambda m, a: m.power(a, 2),
    "identity": lambda _, a: a,
}
