"""Linear networks at arbitrary weights: the gradient in one layer, and exact critical points of the smallest ones.

f = A V B x, V one layer of a linear network, A (k x d) and B (d x d) the products of the layers after and before it,
data X (d x m), targets Y (k x m), L = 1/(2m) |Y - f(X)|^2, G(W) = W S - T. The gradient in V is A^T G(A V B) B^T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, DataTensor, Opaque
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import Argument, Computed, Context
from resproof.proofs.theory.linear_networks import any_matrix, entries, entry_symbol, gradient, partly_at, written_out
from resproof.symbolic.algebra.critical import Component, components, least_descent
from resproof.symbolic.algebra.matrices import Matrix, add, multiply, transpose
from resproof.symbolic.algebra.noncommutative import Relations, Words, modulo, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes as word_sizes
from resproof.symbolic.algebra.rings import Plain, value_at
from resproof.symbolic.index import sizes
from resproof.symbolic.index.series import Sum, constant, contract, differentiate, matrix_product, size, tensor
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum

_X, _Y, _MOVED = DataTensor("X", ("d", "m")), DataTensor("Y", ("k", "m")), Opaque("dV", ("d", "d"))
_CHANGE = Opaque("dW", ("k", "d"))
_KNOWN = {
    "X": _X,
    "Y": _Y,
    "A": Opaque("A", ("k", "d")),
    "B": Opaque("B", ("d", "d")),
    "V": Opaque("V", ("d", "d")),
    "W": Opaque("W", ("k", "d")),
    "dW": _CHANGE,
}
_FREE = {"i": ROW, "j": COLUMN}


def _mean_product(left: Sum, right: Sum) -> Sum:
    """(1/m) <left, right> of two k x m matrices."""
    return multiply_sums(size("m", -1), contract(multiply_sums(left, right), {ROW: "k", SAMPLE: "m"}))


def _data(which: DataTensor) -> Sum:
    return tensor(which, (ROW, SAMPLE))


def _layer_gradient(_: Context) -> Computed:
    """dL/dV: the part of the loss that is linear in a change dV, differentiated in it."""
    after, before = any_matrix("A", "k", "d"), matrix_product(any_matrix("B", "d", "d"), _data(_X), "d")

    def through(layer: Sum) -> Sum:
        return matrix_product(after, matrix_product(layer, before, "d"), "d")

    residual = add_sums(through(any_matrix("V", "d", "d")), scale_sum(-1, _data(_Y)))
    linear = _mean_product(residual, through(tensor(_MOVED, (ROW, COLUMN))))
    found = differentiate(linear, _MOVED, (ROW, COLUMN))
    shown = r"\partial L / \partial V = A^{\mathsf T} (A V B\, S - T)\, B^{\mathsf T}"
    return Computed(found, sizes.of_terms(found, products={"A": "l", "B": "l"}), shown)


def _gradient_string(*, left: str = "A[p,i]", right: str = "B[j,f]", sign: str = "-") -> str:
    mapped = "A[p,a] * V[a,b] * B[b,c] * X[c,u]"
    return f"m^-1 * {left} * {mapped} * X[f,u] * {right} {sign} m^-1 * {left} * Y[p,u] * X[f,u] * {right}"


def _same_gradient(found: Sum, claim: str) -> None:
    same_sum(found, claim, _KNOWN, _FREE)


GRADIENT = Argument(
    "The derivative in one layer, everything around it arbitrary",
    "index notation",
    _layer_gradient,
    _gradient_string(),
    {
        "twice as large": _gradient_string(left="2 * A[p,i]"),
        "$B$ not transposed": _gradient_string(right="B[f,j]"),
        "the opposite sign of $T$": _gradient_string(sign="+"),
        "$B$ left out": _gradient_string(right="1").replace("X[f,u]", "X[j,u]"),
    },
    _same_gradient,
    explanation="$A$ is the product of all later layers, $B$ that of all earlier ones: for every $l$, $d$, $k$, $m$. A layer of a "
    "residual network with shortcut 1 is $V = W + I$.",
)


def _around(_: Context) -> Computed:
    """L(W + dW) - L(W) for the loss of one matrix W (k x d), by degree in dW."""
    x = _data(_X)
    residual = add_sums(matrix_product(any_matrix("W", "k", "d"), x, "d"), scale_sum(-1, _data(_Y)))
    moved = matrix_product(tensor(_CHANGE, (ROW, COLUMN)), x, "d")
    half = constant(Fraction(1, 2))
    parts = (_mean_product(residual, moved), multiply_sums(half, _mean_product(moved, moved)))
    shown = r"L(W + V) - L(W) = \langle V,\, W S - T \rangle + \tfrac{1}{2m} \|V X\|_F^2"
    return Computed(parts, sizes.of_terms(*parts), shown)


_AROUND = (
    "m^-1 * dW[i,j] * W[i,k] * X[k,u] * X[j,u] - m^-1 * dW[i,j] * Y[i,u] * X[j,u]",
    "1/2 * m^-1 * dW[i,j] * X[j,u] * dW[i,k] * X[k,u]",
)


def _same_parts(found: tuple[Sum, Sum], claim: tuple[str, str]) -> None:
    for degree, (part, text) in enumerate(zip(found, claim, strict=True), start=1):
        same_sum(part, text, _KNOWN, name=f"degree {degree}")


CONVEX = Argument(
    "The loss around a matrix $W$: where $W S = T$ it is least",
    "index notation",
    _around,
    _AROUND,
    {
        "the square enters with a minus": (_AROUND[0], f"-1 * {_AROUND[1]}"),
        "no linear part": ("0", _AROUND[1]),
        "$T$ with the opposite sign": (_AROUND[0].replace(" - ", " + "), _AROUND[1]),
    },
    _same_parts,
    explanation=r"If $G(W) = W S - T = 0$ what is left is $1/(2m) \lvert V X\rvert^2 \ge 0$, a sum of squares: $W$ is a global "
    "minimum.",
)


# Words: products of matrices that do not commute.


def without(polynomial: Words, zero: str) -> Words:
    """The polynomial without the words that contain a product of matrices which is zero."""
    gone = tuple(zero.split())
    n = len(gone)
    return {
        word: c for word, c in polynomial.items() if not any(word[k : k + n] == gone for k in range(len(word) - n + 1))
    }


def _cancelled(_: Context) -> Computed:
    """Ai^T A^T G B^T Bi^T with left inverses of A^T and right inverses of B^T, and without them."""
    conjugated = word_product(words("Ai"), words("At"), words("G"), words("Bt"), words("Bi"))
    known: dict[str, Relations] = {
        "both": {"Ai At": "", "Bt Bi": ""},
        "A alone": {"Ai At": ""},
        "neither": {},
    }
    found = {name: show_words(modulo(conjugated, relations)) for name, relations in known.items()}
    shapes = {"Ai": ("k", "d"), "At": ("d", "k"), "G": ("k", "d"), "Bt": ("d", "d"), "Bi": ("d", "d")}
    return Computed(found, word_sizes(shapes, conjugated), r"A^{\mathsf T} G B^{\mathsf T} = 0 \implies G = 0")


_CANCELLED = {"both": "+1 G", "A alone": "+1 G Bt Bi", "neither": "+1 Ai At G Bt Bi"}

CANCEL = Argument(
    "Invertible factors around $G$ cancel",
    "identity",
    _cancelled,
    _CANCELLED,
    {
        "$A$ alone suffices": {**_CANCELLED, "A alone": "+1 G"},
        "without inverses": {**_CANCELLED, "neither": "+1 G"},
    },
    explanation=r"So $A^{\mathsf T} G B^{\mathsf T} = 0$ gives $G = 0$ where $A$ has a right inverse and $B$ is invertible.",
)


# Small networks, exactly.

Rows: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Small:
    """A linear network with d x d layers and integer data; `units` lists the numbers of layers of its units.

    With `shortcut` every unit adds its input. Weights are numbered layer by layer, each column by column. `least` is a
    lower bound of the loss.
    """

    units: tuple[int, ...]
    x: Rows
    y: Rows
    shortcut: bool = False
    least: Fraction = Fraction(0)

    @property
    def d(self) -> int:
        """The width."""
        return len(self.x)

    @property
    def unit(self) -> ResidualUnit:
        """The network as one expression."""
        return written_out(self.units, shortcut="identity" if self.shortcut else "none")

    @property
    def names(self) -> list[str]:
        """The names of the weights' entries, in order."""
        places = [(r, n) for r, layers in enumerate(self.units, 1) for n in range(1, layers + 1)]
        return [entry_symbol(f"W{r}_{n}", i, j) for r, n in places for j in range(self.d) for i in range(self.d)]

    def gradient(self) -> list[Plain]:
        """The partial derivatives of the loss as polynomials in the weights, by the exact engine."""
        return _slopes(self)

    def loss(self, weights: Sequence[Any]) -> Any:
        """L at these weights (fractions, or polynomials), by matrix products."""
        d, place = self.d, iter(weights)
        h: Matrix = self.x
        for layers in self.units:
            path = h
            for _ in range(layers):
                columns = [[next(place) for _ in range(d)] for _ in range(d)]
                path = multiply(transpose(tuple(map(tuple, columns))), path)
            h = add(h, path) if self.shortcut else path
        total = sum((a - b) * (a - b) for r, s in zip(h, self.y, strict=True) for a, b in zip(r, s, strict=True))
        return total / (2 * len(self.x[0]))

    def critical_components(self) -> tuple[Component, ...]:
        """The components of the set of critical points."""
        return _components(self)

    def critical_points(self, values: Sequence[int]) -> list[tuple[Fraction, ...]]:
        """The critical points all of whose weights are among `values`."""
        slopes, names = self.gradient(), self.names
        grid = product([Fraction(v) for v in values], repeat=len(names))
        return [point for point in grid if not any(value_at(s, dict(zip(names, point, strict=True))) for s in slopes)]

    def __str__(self) -> str:
        layers = f"R={len(self.units)}, n={self.units[0]}" if self.shortcut else f"l={self.units[0]}"
        return f"{layers}, d={self.d}, X={_shown(self.x)}, Y={_shown(self.y)}"


@cache
def _slopes(net: Small) -> list[Plain]:
    found = gradient(net.unit, net.d, len(net.x[0]))
    at = {**entries("x", net.x), **entries("y", net.y)}
    slopes = (found.ring.plain(found.parts[1].get((p,), found.ring.zero)) for p in range(found.parameters))
    return [partly_at(slope, lambda name, power: at[name] ** power if name in at else None) for slope in slopes]


@cache
def _components(net: Small) -> tuple[Component, ...]:
    return components(_slopes(net), net.names)


def _shown(rows: Rows) -> str:
    return str(rows[0][0]) if len(rows) == len(rows[0]) == 1 else str([list(row) for row in rows])


def sign_rays(count: int) -> list[tuple[int, ...]]:
    """All vectors of this length with entries -1 and 1."""
    return list(product((-1, 1), repeat=count))


def chain_rays(d: int, layers: int) -> list[tuple[int, ...]]:
    """Changes of each layer by +- a matrix with one entry, the column of each being the row of the one before."""
    found = list[tuple[int, ...]]()
    for places in product(range(d), repeat=layers + 1):
        for signs in sign_rays(layers):
            ray = [0] * (layers * d * d)
            for layer, sign in enumerate(signs):
                ray[layer * d * d + places[layer] * d + places[layer + 1]] = sign
            found.append(tuple(ray))
    return found


Outcome: TypeAlias = int | str | None
"""The least degree of descent at a critical point, "least" where the loss is least, None where nothing was found."""


def outcome(net: Small, point: Sequence[Fraction], rays: Sequence[Sequence[int]]) -> Outcome:
    """What happens at a critical point."""
    return "least" if net.loss(point) == net.least else least_descent(net.loss, point, rays)
