"""Gradients of f = E |y - g(x)|^2 for linear residual networks with one weight matrix a unit, exactly.

f is twice the squared loss L = 1/(2m) |Y - g(X)|^2 of the samples, Sigma = (1/m) X X^T; R with R Sigma = (1/m) Y X^T is
a map of least f = C (DR-M6). In index strings A and B are the products of all layers after and before the one in view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from resproof.architectures.catalogue import n_shortcut, plain
from resproof.architectures.forms.terms import COLUMN, ROW, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.proofs.theory.linear_networks import Linear, entries, gradient, loss_between, minus, written_out
from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    cayley,
    eye,
    inertia,
    matrix,
    multiply,
    scale,
    sum_of_squares,
    transpose,
)
from resproof.symbolic.algebra.rings import Plain, value_at
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.lift import perturbations
from resproof.symbolic.index.series import Sum, differentiate
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope

LAYER = ResidualUnit(n_shortcut(1))
"""h + W1 h."""


AROUND = {"A": "l", "B": "l"}
"""The products of all layers after and before the one in view."""


def layer_gradient() -> Sum:
    """The gradient of f in W1 where the layers before and after are arbitrary."""
    linear = loss_between(LAYER, "W1")[1]
    return scale_sum(2, differentiate(linear, perturbations(LAYER)["W1"], (ROW, COLUMN)))


def _gradient(_: Context) -> Computed:
    shown = r"\nabla_{W_i} f = 2\, A^{\mathsf T} (g\,\Sigma - \Sigma_{yx})\, B^{\mathsf T} = 2\, A^{\mathsf T} E\, \Sigma\, B^{\mathsf T}"
    found = layer_gradient()
    return Computed(found, sizes.of_terms(found, products=AROUND), shown)


def _gradient_string(left: str = "A[p,i]", right: str = "B[j,s]", factor: int = 2) -> str:
    """factor * left (g Sigma - Sigma_yx) right with g = A (W1 + I) B."""
    front, end = f"{factor} * {left} * m^-1", f"X[s,u] * {right}"
    return (
        f"{front} * A[p,q] * W1[q,r] * B[r,t] * X[t,u] * {end} + {front} * A[p,q] * B[q,t] * X[t,u] * {end}"
        f" - {front} * Y[p,u] * {end}"
    )


def _same_gradient(found: Sum, claim: str) -> None:
    square = {name: Opaque(name, ("d", "d")) for name in "AB"}
    same_sum(found, claim, {**vocabulary(LAYER, squared), **square}, {"i": ROW, "j": COLUMN})


GRADIENT = Argument(
    "The gradient in one layer, the others arbitrary",
    "index notation",
    _gradient,
    _gradient_string(),
    {
        "without the factor 2": _gradient_string(factor=1),
        "$A$ not transposed": _gradient_string(left="A[i,p]"),
        "$A$ and $B$ exchanged": _gradient_string(left="B[p,i]", right="A[j,s]"),
    },
    _same_gradient,
    explanation=r"$E = g - R$, where $R \Sigma = \Sigma_{yx}$.",
)


def _excess(_: Context) -> Computed:
    """f at W1 + V less f at W1, for one layer W1 without a shortcut, by degree in V."""
    unit = ResidualUnit(plain())
    parts = tuple(scale_sum(2, part) for part in loss_between(unit, "W1", 2, around=False)[1:])
    shown = r"f(R + E) - f(R) = 2 \langle E,\, R\,\Sigma - \Sigma_{yx} \rangle + \operatorname{tr}(E\,\Sigma\,E^{\mathsf T})"
    return Computed((unit, parts), sizes.of_terms(*parts), shown)


_EXCESS = (
    "2 * m^-1 * dW1(1)[i,j] * W1[i,k] * X[k,u] * X[j,u] - 2 * m^-1 * dW1(1)[i,j] * Y[i,u] * X[j,u]",
    "m^-1 * dW1(1)[i,j] * X[j,u] * dW1(1)[i,k] * X[k,u]",
)


def _same_excess(found: tuple[ResidualUnit, Sequence[Sum]], claim: Sequence[str]) -> None:
    unit, parts = found
    for part, text in zip(parts, claim, strict=True):
        same_sum(part, text, vocabulary(unit, squared))


EXCESS = Argument(
    r"The excess over $C$ is $\mathrm{tr}(E \Sigma E^{\mathsf T})$",
    "index notation",
    _excess,
    _EXCESS,
    {
        "half of it": (_EXCESS[0], f"1/2 * {_EXCESS[1]}"),
        r"$\Sigma$ on the other side": (_EXCESS[0], "m^-1 * dW1(1)[j,i] * X[j,u] * dW1(1)[k,i] * X[k,u]"),
    },
    _same_excess,
    explanation="At $W_1 = R$ the linear part vanishes.",
)


# Written out.


@dataclass(frozen=True, slots=True)
class Gradients:
    """The gradient of f in every layer of a small network, as polynomials in weights and data."""

    net: Linear
    steps: tuple[list[list[Plain]], ...]

    @property
    def layers(self) -> int:
        """l."""
        return len(self.steps)

    def at(self, values: Mapping[str, Fraction]) -> tuple[Matrix, ...]:
        """The gradients at given values of all symbols."""
        return tuple(tuple(tuple(value_at(e, values) for e in row) for row in step) for step in self.steps)

    def __str__(self) -> str:
        return f"l={self.layers}, d={self.net.d}, m={self.net.samples}"


@cache
def gradients(layers: int, d: int, samples: int) -> Gradients:
    """By the exact engine, on the network as one expression."""
    found = gradient(written_out((1,) * layers), d, samples)
    steps = list[list[list[Plain]]]()
    for first in range(0, layers * d * d, d * d):
        entries_ = [[found.parts[1].get((first + j * d + i,)) for j in range(d)] for i in range(d)]
        steps.append([[{} if e is None else found.ring.plain(2 * e) for e in row] for row in entries_])
    return Gradients(Linear(found.ring, (1,) * layers, d, samples), tuple(steps))


_GRIDS = ((1, 2, 2), (2, 2, 1), (3, 2, 1), (4, 1, 2))

Formula: TypeAlias = Callable[[Matrix, Matrix, Matrix], Matrix]
"""The gradient from A, g Sigma - Sigma_yx and B."""


def _small_gradients(_: Context) -> Computed:
    found = [gradients(*at) for at in _GRIDS]
    return Computed(found, Scope.of(*map(str, found)))


def _closed_form(after: Matrix, middle: Matrix, before: Matrix) -> Matrix:
    return scale(2, multiply(multiply(transpose(after), middle), transpose(before)))


def _same_gradients(found: Sequence[Gradients], claim: Formula) -> None:
    for one in found:
        net = one.net
        middle = net.correlation(minus(multiply(net.units(), net.x), net.y), net.x)
        for i, step in enumerate(one.steps, start=1):
            if net.plain(claim(net.units(i + 1), middle, net.units(1, i))) != step:
                raise Disagreement(f"{one}: the gradient in layer {i} is another")


SMALL_GRADIENTS = Argument(
    "Gradients of small networks, entry by entry",
    "explicit",
    _small_gradients,
    _closed_form,
    {
        "without the factor 2": lambda a, e, b: multiply(multiply(transpose(a), e), transpose(b)),
        "not transposed": lambda a, e, b: scale(2, multiply(multiply(a, e), b)),
        "$A$ and $B$ exchanged": lambda a, e, b: _closed_form(b, e, a),
    },
    _same_gradients,
)


# Rational points.


@dataclass(frozen=True, slots=True)
class Point:
    """Rational weights with |||W||| <= tau and data Y = R X + noise; `least` is the least nonzero eigenvalue of Sigma.

    Raises:
        ValueError: the norms exceed tau, or the noise is correlated with X.
    """

    weights: tuple[Matrix, ...]
    tau: Fraction
    x: Matrix
    target: Matrix
    noise: Matrix
    least: Fraction

    def __post_init__(self) -> None:
        d = len(self.x)
        for w in self.weights:
            slack = add(scale(self.tau**2, eye(d)), scale(Fraction(-1), multiply(transpose(w), w)))
            if inertia(slack).negative:
                raise ValueError(f"point: a norm exceeds tau = {self.tau}")
        if sum_of_squares(multiply(self.noise, transpose(self.x))):
            raise ValueError("point: the noise is correlated with X; expected N X^T = 0")
        spread = scale(Fraction(1, len(self.x[0])), multiply(self.x, transpose(self.x)))
        if inertia(minus(multiply(spread, spread), scale(self.least, spread))).negative:
            raise ValueError(f"point: Sigma has an eigenvalue between 0 and {self.least}; expected none")

    @property
    def layers(self) -> int:
        """l."""
        return len(self.weights)

    @property
    def excess(self) -> Fraction:
        """f - C = (1/m) |(g - R) X|^2."""
        d, samples = len(self.x), len(self.x[0])
        whole = eye(d)
        for w in self.weights:
            whole = multiply(add(eye(d), w), whole)
        return sum_of_squares(multiply(minus(whole, self.target), self.x)) / samples

    @property
    def gradients(self) -> tuple[Matrix, ...]:
        """The gradients of f in W_1, ..., W_l, from the engine's polynomials."""
        d, samples = len(self.x), len(self.x[0])
        y = add(multiply(self.target, self.x), self.noise)
        values = {**entries("x", self.x), **entries("y", y)}
        for i, w in enumerate(self.weights, start=1):
            values |= entries(f"W{i}_1", w)
        return gradients(self.layers, d, samples).at(values)

    def __str__(self) -> str:
        return f"l={self.layers}, d={len(self.x)}, tau={self.tau}, least nonzero eigenvalue {self.least}"


def scalar_point(r: int, *weights: str, x: Sequence[int] = (1,), noise: Sequence[int] = (0,)) -> Point:
    """d = 1, tau the greatest modulus of the weights."""
    values = [Fraction(w) for w in weights]
    least = Fraction(sum(v * v for v in x), len(x))
    layers = tuple(((w,),) for w in values)
    return Point(layers, max(map(abs, values)), matrix([x]), matrix([[r]]), matrix([noise]), least)


TURN = cayley(matrix([[0, Fraction(1, 3)], [Fraction(-1, 3), 0]]))
_SQUARE = matrix([[1, 1], [1, -1]])


def wide_point(tau: str, *weights: Sequence[Sequence[str]], spread: tuple[int, int]) -> Point:
    """d = 2, Sigma = O diag(spread^2) O^T with a rational rotation O, target R = [[0, -2], [1, 1]]."""
    x = multiply(multiply(TURN, matrix([[spread[0], 0], [0, spread[1]]])), _SQUARE)
    layers = tuple(tuple(tuple(Fraction(e) for e in row) for row in w) for w in weights)
    least = Fraction(min(s * s for s in spread if s))
    return Point(layers, Fraction(tau), x, matrix([[0, -2], [1, 1]]), matrix([[0, 0], [0, 0]]), least)


HALVES, WIDE_DATA = scalar_point(2, "-1/2", "-1/2"), scalar_point(3, "0", x=(2,))
POINTS = (
    HALVES,
    WIDE_DATA,
    scalar_point(-1, "-1/3", "-1/3", "-1/3"),
    scalar_point(5, "1/4", "-1/2", x=(1, 1), noise=(1, -1)),
    wide_point("1/2", [["1/4", "-1/3"], ["1/5", "0"]], [["-1/2", "0"], ["0", "1/3"]], spread=(2, 1)),
    wide_point("1/2", [["1/4", "-1/3"], ["1/5", "0"]], [["-1/2", "0"], ["0", "1/3"]], spread=(2, 0)),
    wide_point(
        "2/3",
        [["-2/3", "0"], ["0", "-2/3"]],
        [["1/3", "1/3"], ["0", "1/3"]],
        [["0", "1/2"], ["-1/2", "0"]],
        spread=(1, 1),
    ),
)
