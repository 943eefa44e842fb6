"""Taylor-Peano expansions: index notation with remainders, for activations of which little is known.

What is known of a function f near the point u0 where it is evaluated is one of

    nothing at all              f(u0 + v) = ?
    bounded, order k            f(u0 + v) = c_0 + ... + c_{k-1} v^{k-1} + O v^k
    with a derivative, order k  f(u0 + v) = c_0 + ... + c_{k-1} v^{k-1} + (c_k + o) v^k

elementwise. Each line is an identity that defines O or o: a function of v that stays bounded, or tends to zero with v
and is zero at v = 0. So whatever follows by addition and multiplication alone is an identity too, and a term with j
factors that are weights is O(|w|^j), o(|w|^j) where an o is among its factors. Order 0 with an o is continuity, order 1
differentiability, order 1 with an O |f(u0 + v) - c_0| <= K |v|. Where v is identically zero f has the value c_0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Literal, TypeAlias

from resproof.architectures.dimensions import SAMPLES, Dimension
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Factor, LossDerivative, Opaque, Perturbation, Tensor
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.series import (
    Sum,
    add,
    constant,
    matrix_product,
    multiply,
    multiply_over,
    rename,
    scale,
    size,
    tensor,
)
from resproof.symbolic.scope import Scope

Rest: TypeAlias = Literal["?", "O", "o"]
WIDTH: Dimension = "d"
STREAM = (WIDTH, SAMPLES)
_JOINT = -5


def rest(kind: Rest, name: str, degree: int = 0, dims: tuple[Dimension, ...] = STREAM) -> Opaque:
    """A remainder: "?" anything, "O" bounded, "o" tending to zero with the weights; times O(|w|^degree)."""
    return Opaque(f"{kind}({name})", dims, degree)


def _kind(factor: Tensor) -> str:
    return factor.label[0] if isinstance(factor, Opaque) and factor.label[1:2] == "(" else ""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a function: its name, c_0, c_1, ... as far as they are named, the order k, and the rest."""

    name: str
    taylor: tuple[Sum, ...]
    order: int
    rest: Rest

    def at(self, increment: Sum, place: str) -> Sum:
        """f(u0 + v), elementwise; `place` tells the remainder from others of the same function."""
        if not increment:
            return self.taylor[0]
        if not vanishes(increment):
            return tensor(rest("?", f"{self.name} {place}"), (ROW, SAMPLE))
        unnamed = tensor(rest(self.rest, f"{self.name} {place}"), (ROW, SAMPLE))
        last = add(self.taylor[self.order], unnamed) if self.rest == "o" else unnamed
        coefficients = (*self.taylor[: self.order], last)
        powers = [reduce(multiply, [increment] * k, constant(1)) for k in range(self.order + 1)]
        return add(*map(multiply, coefficients, powers))


def degree(factors: Iterable[Factor]) -> int:
    """The number of weights among the factors, an opaque tensor counting as many as its degree."""
    return sum(1 if isinstance(t, Perturbation) else t.degree if isinstance(t, Opaque) else 0 for t, _ in factors)


def main(summand: Sum, order: int) -> Sum:
    """The terms that are not shown to be o(|w|^order)."""

    def remains(factors: tuple[Factor, ...]) -> bool:
        kinds = {_kind(t) for t, _ in factors}
        return "?" in kinds or degree(factors) < order or (degree(factors) == order and "o" not in kinds)

    return {(scalars, factors): c for (scalars, factors), c in summand.items() if remains(factors)}


def up_to(summand: Sum, order: int, name: str) -> Sum:
    """The same vector for each sample with all that is o(|w|^order) under one name."""
    return add(main(summand, order), tensor(rest("o", name, order), (ROW, SAMPLE)))


def vanishes(summand: Sum) -> bool:
    """Whether the sum tends to zero with the weights."""
    return not main(summand, 0)


def least_order(summand: Sum) -> int | None:
    """The greatest j for which every term is O(|w|^j); None where something is not known to be bounded."""
    if any(_kind(t) == "?" for _, factors in summand for t, _ in factors):
        return None
    return min((degree(factors) for _, factors in summand), default=0)


def layer(weight: Tensor, operand: Sum) -> Sum:
    """W u, the columns being samples."""
    return matrix_product(tensor(weight, (ROW, COLUMN)), operand, weight.dims[-1])


@dataclass(frozen=True, slots=True)
class KnownBranch:
    """The n-shortcut branch: what is known of pre at the data, and of mid and post at zero."""

    pre: Known
    mid: Known
    post: Known

    def __call__(self, weights: Sequence[Tensor], deviation: Sum, place: str = "") -> Sum:
        """F(X + deviation) = post(W_n mid(... mid(W_1 pre(X + deviation))))."""
        u = layer(weights[0], self.pre.at(deviation, place))
        for number, weight in enumerate(weights[1:], start=1):
            u = layer(weight, self.mid.at(u, f"{number} {place}"))
        return self.post.at(u, place)


def weights(depth: int, unit: int = 1) -> tuple[Perturbation, ...]:
    """W_1, ..., W_n of a unit."""
    return tuple(Perturbation(f"W{k}", unit, (WIDTH, WIDTH)) for k in range(1, depth + 1))


GRADIENT = tensor(LossDerivative(1, STREAM), (ROW, SAMPLE))


@dataclass(frozen=True, slots=True)
class KnownLoss:
    """A loss with a gradient g at the initial output (order 1), or with g and a Hessian Q there (order 2)."""

    order: Literal[1, 2]

    def at(self, deviation: Sum) -> Sum:
        """L(X + deviation) - L(X), the mean over samples: g v + o v, or g v + 1/2 (Q + o) v v."""
        if self.order == 1:
            return mean_product(add(GRADIENT, tensor(rest("o", "loss"), (ROW, SAMPLE))), deviation)
        return mean_product(add(GRADIENT, scale(Fraction(1, 2), _curvature_times(deviation))), deviation)

    def gradient_at(self, deviation: Sum) -> Sum:
        """The gradient at X + deviation, for a loss that is twice differentiable at X: g + (Q + o) v."""
        assert self.order == 2
        return add(GRADIENT, _curvature_times(deviation))


def _curvature_times(deviation: Sum) -> Sum:
    """(Q + o) v."""
    pair, slots = (WIDTH, *STREAM), (ROW, _JOINT, SAMPLE)
    curvature = add(tensor(LossDerivative(2, pair), slots), tensor(rest("o", "loss", dims=pair), slots))
    return multiply_over(curvature, rename(deviation, {ROW: _JOINT}), {_JOINT: WIDTH})


def mean_product(left: Sum, right: Sum) -> Sum:
    """The mean over samples of the product of two vectors for each of them."""
    return multiply(size(SAMPLES, -1), multiply_over(left, right, {ROW: WIDTH, SAMPLE: SAMPLES}))


def sizes(*sums: Sum) -> Scope:
    """The dimensions of the tensors; R where y, O(y) or o(y) occurs, what any number of units before may have added."""
    there = {factor.label for one in sums for _, factors in one for factor, _ in factors}
    return index_sizes.of_terms(*sums, products=dict.fromkeys(there & {"y", "O(y)", "o(y)"}, "R"))
