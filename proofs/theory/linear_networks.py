"""Linear networks written out: every layer of every unit with a weight matrix of its own, at arbitrary weights.

The network is one expression in the weights W1_1, W1_2, ... (unit, layer), all of them symbols, so that the exact
engine gives its output and its gradient as polynomials in the weights. The papers' closed forms in

    W = prod_r (prod_l W^{r,l} + I),   W_before^r, W_after^r, W_before^{r,l}, W_after^{r,l}

are built beside it from matrices over the same ring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from resproof.architectures.activations import identity_activation
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Delta, Opaque
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, ones, zero
from resproof.proofs.statement import Disagreement
from resproof.symbolic.algebra.matrices import Matrix, add, matrix, multiply, transpose
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring
from resproof.symbolic.index.lift import data, unit_series
from resproof.symbolic.index.series import (
    Series,
    Sum,
    contract,
    map_series,
    matrix_product,
    multiply_series,
    series,
    tensor,
)
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.index.series import size as dimension_size
from resproof.symbolic.written.explicit import LossSeries, loss_series, output_at_initial_point
from resproof.symbolic.written.forward import entry_name

Shortcut: TypeAlias = Literal["identity", "weight", "none"]

identity = identity_activation


def written_out(
    layers: Sequence[int],
    *,
    pre: Activation = identity,
    mid: Activation = identity,
    post: Activation = identity,
    shortcut: Shortcut = "identity",
) -> ResidualUnit:
    """One expression for a network with these numbers of layers in its units.

    The shortcut of unit r is the identity, a weight S{r} that is zero initially, or absent.
    """
    h: Expression = Input("d")
    for r, depth in enumerate(layers, start=1):
        path: Expression = pre(h)
        for layer in range(1, depth + 1):
            weight = Weight("d", "d", initial=normal("1/d"), name=f"W{r}_{layer}")
            path = weight @ (mid(path) if layer > 1 else path)
        path = post(path)
        match shortcut:
            case "identity":
                h = h + path
            case "weight":
                h = path + Weight("d", "d", name=f"S{r}") @ h
            case "none":
                h = path
    return ResidualUnit(h)


def outputs(unit: ResidualUnit, d: int, samples: int = 1) -> list[list[Plain]]:
    """The output as polynomials in the weights and the data."""
    return output_at_initial_point(Network(unit, 1), {"d": d}, samples=samples)


def gradient(unit: ResidualUnit, d: int, samples: int = 1) -> LossSeries:
    """The squared loss up to degree one in a change of the weights: parts[1] is the gradient."""
    return loss_series(Network(unit, 1), {"d": d}, samples=samples, order=1)


def ring_of(polynomials: Iterable[Iterable[Plain]], *more: str) -> Ring:
    """The smallest ring with every symbol of the polynomials, and more."""
    names = {name for row in polynomials for plain in row for monomial in plain for name, _ in monomial}
    return flint_ring(sorted({*names, *more}))


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear network with matrices over a ring: `layers[r - 1]` layers in unit r, d x m data X and Y."""

    ring: Ring
    layers: tuple[int, ...]
    d: int
    samples: int
    shortcut: bool = True

    def weight(self, r: int, layer: int) -> Matrix:
        """W^{r,l}."""
        return self._symbols(f"W{r}_{layer}", self.d)

    @property
    def x(self) -> Matrix:
        """X."""
        return self._symbols("x", self.samples)

    @property
    def y(self) -> Matrix:
        """Y."""
        return self._symbols("y", self.samples)

    @property
    def one(self) -> Matrix:
        """The identity matrix."""
        one, zero = self.ring.one, self.ring.zero
        return tuple(tuple(one if i == j else zero for j in range(self.d)) for i in range(self.d))

    def product(self, factors: Iterable[Matrix]) -> Matrix:
        """The product, the first factor applied first: the papers' prod from 1 to b is W^b ... W^1."""
        total = self.one
        for factor in factors:
            total = multiply(factor, total)
        return total

    def path(self, r: int, first: int = 1, stop: int | None = None) -> Matrix:
        """The product of the layers first, ..., stop - 1 of unit r; by default of all of them."""
        last = self.layers[r - 1] + 1 if stop is None else stop
        return self.product(self.weight(r, layer) for layer in range(first, last))

    def units(self, first: int = 1, stop: int | None = None) -> Matrix:
        """The product of the units first, ..., stop - 1; by default W, the product of all of them."""
        last = len(self.layers) + 1 if stop is None else stop
        return self.product(self._unit(r) for r in range(first, last))

    def _unit(self, r: int) -> Matrix:
        return add(self.path(r), self.one) if self.shortcut else self.path(r)

    def correlation(self, left: Matrix, right: Matrix) -> Matrix:
        """Sigma = (1/m) left right^T."""
        mean = self.ring.number(Fraction(1, self.samples))
        return tuple(tuple(mean * value for value in row) for row in multiply(left, transpose(right)))

    def plain(self, a: Matrix) -> list[list[Plain]]:
        """The entries in plain form."""
        return [[self.ring.plain(value) for value in row] for row in a]

    def _symbols(self, name: str, cols: int) -> Matrix:
        return matrix([[self.ring.symbol(entry_symbol(name, i, j)) for j in range(cols)] for i in range(self.d)])


def partly_at(plain: Plain, value: Callable[[str, int], Fraction | None]) -> Plain:
    """A polynomial in the symbols that are left: value(name, power) is what a power of a symbol becomes, None if it stays."""
    total: Plain = {}
    for monomial, coefficient in plain.items():
        kept = list[tuple[str, int]]()
        for name, power in monomial:
            if (known := value(name, power)) is None:
                kept.append((name, power))
            else:
                coefficient *= known
        total[tuple(kept)] = total.get(tuple(kept), Fraction(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def entries(name: str, a: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The entries of a matrix under the names of its symbols."""
    return {entry_symbol(name, i, j): value for i, row in enumerate(a) for j, value in enumerate(row)}


def entry_symbol(name: str, i: int, j: int) -> str:
    """The symbol of an entry, counted from 0: x_1_1 for the data x and y, W[1,1] for a weight W."""
    return f"{name}_{i + 1}_{j + 1}" if name in {"x", "y"} else entry_name(name, i, j)


# What several statements share.

FREE = {"i": ROW, "j": COLUMN, "u": SAMPLE}
"""How index strings name the free indices."""


def any_value(unit: ResidualUnit, stream: Sum) -> Sum:
    """The output of a unit at arbitrary weights, given its input."""
    return unit_series(unit, series([stream], 0), perturbed=(), opaque=list(unit.names.values()))[-1]


def identity_matrix(dimension: Dimension) -> Sum:
    """delta_ij in index notation."""
    return tensor(Delta((dimension, dimension)), (ROW, COLUMN))


def any_matrix(name: str, rows: Dimension, cols: Dimension) -> Sum:
    """A matrix in index notation of which nothing but its shape is known."""
    return tensor(Opaque(name, (rows, cols)), (ROW, COLUMN))


@dataclass(frozen=True, slots=True)
class Output:
    """The exact output of a small network at arbitrary weights."""

    layers: tuple[int, ...]
    d: int
    samples: int
    polynomials: list[list[Plain]]

    def linear(self, *, shortcut: bool = True) -> Linear:
        """Matrices over a ring with all its symbols."""
        names = [entry_symbol(side, i, u) for side in "xy" for i in range(self.d) for u in range(self.samples)]
        weights = [f"W{r}_{n}" for r, size in enumerate(self.layers, 1) for n in range(1, size + 1)]
        more = [entry_symbol(w, i, j) for w in weights for i in range(self.d) for j in range(self.d)]
        return Linear(ring_of(self.polynomials, *names, *more), self.layers, self.d, self.samples, shortcut)

    def __str__(self) -> str:
        return f"layers {self.layers}, d={self.d}, m={self.samples}"


Formula: TypeAlias = Callable[[Linear], Matrix]


def same_outputs(found: Sequence[Output], claim: Formula) -> None:
    """Pass when the formula gives every output, as polynomials in weights and data.

    Raises:
        Disagreement: an output is another.
    """
    for one in found:
        linear = one.linear()
        if linear.plain(claim(linear)) != one.polynomials:
            raise Disagreement(f"{one}: the output is another polynomial")


def without_shortcuts(net: Linear, *, reverse: bool = False, drop: int = 0) -> Matrix:
    """All weights of all units in a row, applied to X."""
    flat = [net.weight(r, n) for r, layers in enumerate(net.layers, 1) for n in range(1, layers + 1)]
    flat = flat[: len(flat) - drop]
    return multiply(net.product(flat[::-1] if reverse else flat), net.x)


INITIALS = {"identity": identity_initial, "zero": zero, "ones": ones}


def plain_from(initial: str) -> ResidualUnit:
    """One layer W1 h without a shortcut; `initial` names one of INITIALS."""
    return ResidualUnit(Weight("d", "d", initial=INITIALS[initial], name="W1") @ Input("d"))


def minus(a: Matrix, b: Matrix) -> Matrix:
    """a - b."""
    return tuple(tuple(x - y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))


def half_mean_square(residual: Series, rows: str = "d") -> Series:
    """(1/2m) |residual|^2, degree by degree; the residual has free row and sample."""
    square = map_series(lambda part: contract(part, {ROW: rows, SAMPLE: "m"}), multiply_series(residual, residual))
    return map_series(lambda part: multiply_sums(scale_sum(Fraction(1, 2), dimension_size("m", -1)), part), square)


def loss_between(unit: ResidualUnit, moved: str, order: int = 1, *, around: bool = True) -> Series:
    """The loss of a unit between maps B and A when one weight moves, all others being arbitrary matrices."""
    before, after = any_matrix("B", "d", "d"), any_matrix("A", "d", "d")
    x, y = data(unit), data(unit, "Y")
    stream = matrix_product(before, x, "d") if around else x
    names = list(unit.names.values())
    found = unit_series(unit, series([stream], order), perturbed=(moved,), opaque=names)
    output = map_series(lambda part: matrix_product(after, part, "d"), found) if around else found
    return half_mean_square((add_sums(output[0], scale_sum(-1, y)), *output[1:]))
