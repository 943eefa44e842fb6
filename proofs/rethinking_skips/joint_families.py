"""Products of jointly diagonalisable matrices, exactly: weights W^{l,k} = V diag(lambda_i^{l,k}) V^{-1} for every l.

Layer l is plain, W^l, or has a shortcut, I + sum_k W^{l,k}: on v_i it multiplies by mu_i^l = lambda_i^l, or by
1 + p_i^l with p_i^l = sum_k lambda_i^{l,k}. The input is x = sum_i alpha_i v_i. Eigenvalues are rational functions of l
(`proofs.rethinking_skips.depth_products`), so that what is checked of them holds in every layer.

Source: Rethinking the role of skip connections, Assumption 1, Definition 1, Equations 9, 16, 22.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from resproof.proofs.rethinking_skips.depth_products import LAYERS, constant, value_at
from resproof.symbolic.algebra.matrices import Matrix, add, eye, inverse, matrix, multiply, rank, scale, transpose
from resproof.symbolic.certificates import Element, NotCertified

Vector: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A network of L layers for every L: common eigenvectors (the columns of V), eigenvalues by path, input, kind.

    `weights` are the matrices W^{l,k} for each path k themselves, with entries that are functions of l.
    """

    vectors: Matrix
    paths: tuple[tuple[Element, ...], ...]
    alpha: Vector
    shortcut: bool
    weights: tuple[Matrix, ...]

    @property
    def width(self) -> int:
        """d."""
        return len(self.vectors)

    @property
    def x(self) -> Vector:
        """sum_i alpha_i v_i."""
        return apply(self.vectors, self.alpha)

    @property
    def multipliers(self) -> tuple[Element, ...]:
        """mu_i^l: by what layer l multiplies v_i, as functions of l."""
        start = constant(int(self.shortcut))
        return tuple(sum(values, start) for values in zip(*self.paths, strict=True))

    @property
    def sums(self) -> tuple[Element, ...]:
        """p_i^l = sum_k lambda_i^{l,k}."""
        return tuple(sum(values, constant(0)) for values in zip(*self.paths, strict=True))

    def layers(self, depth: int) -> list[Matrix]:
        """The matrices of layers 1, ..., L."""
        total = add(*self.weights)
        own = [tuple(tuple(value_at(x, k) for x in row) for row in total) for k in range(depth)]
        return [add(one, eye(self.width)) for one in own] if self.shortcut else own

    def hidden(self, depth: int) -> Vector:
        """h^L, layer by layer."""
        h = self.x
        for one in self.layers(depth):
            h = apply(one, h)
        return h

    def product(self, depth: int) -> Matrix:
        """The product of L layers."""
        total = eye(self.width)
        for one in self.layers(depth):
            total = multiply(one, total)
        return total


def family(
    eigenvalues: Sequence[Sequence[Any]],
    *,
    shortcut: bool,
    vectors: Matrix | None = None,
    alpha: Vector | None = None,
) -> Family:
    """The family with these eigenvalues by path (numbers or functions of l); by default V = I, alpha = (1, ..., 1).

    Raises:
        ZeroDivisionError: the eigenvectors are dependent.
    """
    paths = tuple(tuple(v if hasattr(v, "numer") else constant(v) for v in path) for path in eigenvalues)
    width = len(paths[0])
    columns = vectors or eye(width)
    v, back = matrix_of(columns), matrix_of(inverse(columns))
    weights = tuple(multiply(multiply(v, diagonal(values)), back) for values in paths)
    return Family(columns, paths, alpha or (Fraction(1),) * width, shortcut, weights)


def apply(a: Matrix, x: Sequence[Any]) -> tuple[Any, ...]:
    """a x."""
    return tuple(sum(u * v for u, v in zip(row, x, strict=True)) for row in a)


def matrix_of(a: Matrix) -> Matrix:
    """A rational matrix over the functions of l."""
    return tuple(tuple(constant(x) for x in row) for row in a)


def diagonal(values: Sequence[Any]) -> Matrix:
    """diag(values)."""
    return tuple(tuple(v if i == j else v * 0 for j in range(len(values))) for i, v in enumerate(values))


# What the document assumes, checked in every layer.


def jointly_diagonalisable(one: Family) -> bool:
    """Whether the v_i are a basis and eigenvectors of every weight matrix in every layer."""
    if rank(one.vectors) != one.width:
        return False
    columns = transpose(matrix_of(one.vectors))
    return all(
        apply(w, v) == tuple(values[i] * entry for entry in v)
        for w, values in zip(one.weights, one.paths, strict=True)
        for i, v in enumerate(columns)
    )


def orthogonal_eigenvectors(one: Family) -> bool:
    """Whether different v_i are orthogonal."""
    gram = multiply(transpose(one.vectors), one.vectors)
    return all(not gram[i][j] for i in range(one.width) for j in range(one.width) if i != j)


def greater_modulus(first: Element, other: Element) -> bool:
    """Whether |first| > |other| in every layer; the reverse then has to be rejected."""
    return _is_greater(first, other) and not _is_greater(other, first)


def _is_greater(first: Element, other: Element) -> bool:
    try:
        LAYERS.above_zero("|first| > |other|", first**2 - other**2)
    except NotCertified:
        return False
    return True


def first_dominates(values: Sequence[Element]) -> bool:
    """Whether |values_1| > |values_i| for every i >= 2, in every layer."""
    return all(greater_modulus(values[0], other) for other in values[1:])


def nonsingular_weights(one: Family) -> bool:
    """Whether no weight matrix has the eigenvalue 0, in any layer."""
    return all(greater_modulus(value, constant(0)) for path in one.paths for value in path)


# The printed forms of h^L, and how far h^L is from them.

Form: TypeAlias = Callable[[Family, int], Vector]


def _products(values: Sequence[Element], depth: int) -> list[Fraction]:
    """prod_{l=1}^{L} of each."""
    found = []
    for value in values:
        total = Fraction(1)
        for k in range(depth):
            total *= value_at(value, k)
        found.append(total)
    return found


def in_the_eigenbasis(one: Family, depth: int) -> Vector:
    """sum_i alpha_i v_i prod_l mu_i^l. Source: Equations 12, 18, 46."""
    products = _products(one.multipliers, depth)
    return apply(one.vectors, [a * p for a, p in zip(one.alpha, products, strict=True)])


def dominant_term(one: Family, depth: int) -> Vector:
    """alpha_1 v_1 prod_l mu_1^l. Source: Equation 9."""
    first, *rest = one.alpha
    return apply(one.vectors, [first * _products(one.multipliers[:1], depth)[0], *(a * 0 for a in rest)])


def undamped_form(one: Family, depth: int) -> Vector:
    """sum_i alpha_i v_i + alpha_1 v_1 (prod_l mu_1^l - 1). Source: Equations 16, 22."""
    first, *rest = one.alpha
    return apply(one.vectors, [first * _products(one.multipliers[:1], depth)[0], *rest])


def squared_relative_error(one: Family, form: Form, depth: int) -> Fraction:
    """|h^L - form|^2 / |form|^2, both exactly."""
    h, printed = one.hidden(depth), form(one, depth)
    return sum(((a - b) ** 2 for a, b in zip(h, printed, strict=True)), Fraction(0)) / sum(p * p for p in printed)


def shown_eigenvalues(one: Family) -> str:
    """The eigenvalues path by path, as text."""

    def text(value: Element) -> str:
        k, layer = sympy.symbols("k l")
        return str(sympy.factor(value.as_expr().subs(k, layer - 1))).replace("**", "^")

    return "; ".join(
        f"path {k}: " * (len(one.paths) > 1) + ", ".join(f"lambda_{i} = {text(v)}" for i, v in enumerate(path, 1))
        for k, path in enumerate(one.paths, 1)
    )


def turned(numerator: int = 3, other: int = 4, length: int = 5) -> Matrix:
    """A rational rotation, by default with the columns (3, 4)/5 and (-4, 3)/5."""
    return scale(Fraction(1, length), matrix([[numerator, -other], [other, numerator]]))
