"""The Hessian of a plain linear network at any weights: cond(H) >= cond(N_l).

f = W_L ... W_1 X, loss (1/2m) |f - Y|^2, S = (1/m) X X^T, T = (1/m) Y X^T. For two adjacent layers V = W_{l+1} and W = W_l
let K = W_L ... W_{l+2}, B = W_{l-1} ... W_1, W_all = W_L ... W_1 and

    N_l = K^T (W_all S - T) B^T.

The product V W does not change to first order along (dV, dW) = (-V A, A W), so H maps it to (N (A W)^T, -(V A)^T N), with
zeros in all other layers. And along (dV, dW) = (c e^T, e h^T) the form is 2 c^T N h |e|^2 and a square.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, DataTensor, Opaque, Perturbation, Tensor
from resproof.proofs.beyond.depth_instances import GENERAL
from resproof.proofs.demystifying_resnet.given_weights import hessian_at, stacked
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.proofs.theory.linear_networks import half_mean_square
from resproof.symbolic.algebra.matrices import Matrix, Vector, add, eye, matrix, multiply, scale, transpose
from resproof.symbolic.index import sizes
from resproof.symbolic.index.series import (
    Series,
    Sum,
    differentiate,
    matrix_product,
    multiply_series,
    series,
    substitute,
    tensor,
)
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

_SQUARE = ("d", "d")
_MATRICES = {name: Opaque(name, _SQUARE) for name in "KVWBA"}
_VECTORS = {name: Opaque(name, ("d",)) for name in "ceh"}
_X, _G = DataTensor("X", ("d", "m")), Opaque("g", ("d", "m"))
_CHANGES = {name: Perturbation(name, 1, _SQUARE) for name in "KVWB"}
_KNOWN: Mapping[str, Tensor] = {**_MATRICES, **_VECTORS, "X": _X, "g": _G}
_FREE = {"i": ROW, "j": COLUMN}
_PRODUCTS = {"K": "L", "B": "L"}
"""K and B stand for products of any number of layers."""


def _matrix(factor: Tensor) -> Sum:
    return tensor(factor, (ROW, COLUMN))


def _chain(*factors: Series) -> Series:
    return reduce(lambda a, b: multiply_series(a, b, lambda x, y: matrix_product(x, y, "d")), factors)


def _output() -> Series:
    """K V W B X up to order two in the change of every factor."""
    layers = [series([_matrix(_MATRICES[name]), _matrix(_CHANGES[name])], 2) for name in "KVWB"]
    return _chain(*layers, series([tensor(_X, (ROW, SAMPLE))], 2))


def _second_order() -> Sum:
    """The part of order two of the loss, g = f - Y."""
    _, first, second = _output()
    return half_mean_square((tensor(_G, (ROW, SAMPLE)), first, second))[2]


def _moved(value: Sum, direction: Mapping[str, Sum]) -> Sum:
    """Every change replaced, by zero where the direction has none."""
    for name, variable in _CHANGES.items():
        value = substitute(value, variable, direction.get(name, {}))
    return value


def _balanced_image(_: Context) -> Computed:
    """H at (dV, dW) = (-V A, A W)."""
    form = _second_order()
    v, w, a = (_matrix(_MATRICES[name]) for name in "VWA")
    direction = {"V": scale_sum(-1, matrix_product(v, a, "d")), "W": matrix_product(a, w, "d")}
    found = {
        name: _moved(differentiate(form, variable, (ROW, COLUMN)), direction) for name, variable in _CHANGES.items()
    }
    shown = r"H\,(-V A,\, A W) = \bigl(N (A W)^{\mathsf T},\, -(V A)^{\mathsf T} N\bigr),\quad N = K^{\mathsf T} (W_L \cdots W_1 S - T)\, B^{\mathsf T}"
    return Computed(found, sizes.of_terms(form, products=_PRODUCTS), shown)


def _same_images(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    for name, value in found.items():
        same_sum(value, claim[name], _KNOWN, _FREE, name=f"d{name}")


_N = "m^-1 * K[a,{0}] * g[a,u] * X[b,u] * B[{1},b]"
_IMAGES = {
    "K": "0",
    "V": f"{_N.format('i', 'p')} * W[q,p] * A[j,q]",
    "W": f"-1 * {_N.format('p', 'j')} * V[p,q] * A[q,i]",
    "B": "0",
}

BALANCED = Argument(
    "The image of a change that keeps the product of two layers",
    "index notation",
    _balanced_image,
    _IMAGES,
    {
        "$A$ not transposed": {**_IMAGES, "V": f"{_N.format('i', 'p')} * W[q,p] * A[q,j]"},
        "$N$ transposed": {**_IMAGES, "V": f"{_N.format('p', 'i')} * W[q,p] * A[j,q]"},
        "the other sign": {**_IMAGES, "W": _IMAGES["W"].removeprefix("-1 * ")},
        "the layers after it are moved too": {**_IMAGES, "K": _IMAGES["V"]},
    },
    _same_images,
    explanation=r"With $A = a b^{\mathsf T}$, $p = V a$, $q = W^{\mathsf T} b$ the change has squared norm "
    r"$\lvert p\rvert^2 \lvert b\rvert^2 + \lvert a\rvert^2 \lvert q\rvert^2$ and its image "
    r"$\lvert N^{\mathsf T} p\rvert^2 \lvert b\rvert^2 + \lvert a\rvert^2 \lvert N q\rvert^2$. Let $V$ and $W$ be "
    "invertible. With $p$ a left and $q$ a right singular vector for the least singular value of $N$ the image is "
    r"$\sigma_{\min}(N)$ times as long, so $\sigma_{\min}(H) \le \sigma_{\min}(N)$.",
)


def _steep(_: Context) -> Computed:
    """The form of order two along (dV, dW) = (c e^T, e h^T), less the mean square of the output's first order."""
    c, e_column = tensor(_VECTORS["c"], (ROW,)), tensor(_VECTORS["e"], (COLUMN,))
    e, h = tensor(_VECTORS["e"], (ROW,)), tensor(_VECTORS["h"], (COLUMN,))
    direction = {"V": multiply_sums(c, e_column), "W": multiply_sums(e, h)}
    first = _moved(_output()[1], direction)
    square = half_mean_square(({}, first, {}))[2]
    form = _second_order()
    found = add_sums(_moved(form, direction), scale_sum(-1, square))
    shown = r"\tfrac12 v^{\mathsf T} H v = |e|^2\, c^{\mathsf T} N h + \tfrac12\, \mathbb E\,|f_1|^2"
    return Computed(found, sizes.of_terms(form, products=_PRODUCTS), shown)


_TOP = "c[p] * h[q] * e[k] * e[k]"

STEEP = Argument(
    "The form along a pair of dyads, less a mean of squares",
    "index notation",
    _steep,
    f"{_N.format('p', 'q')} * {_TOP}",
    {
        "$N$ transposed": f"{_N.format('q', 'p')} * {_TOP}",
        "twice as large": f"2 * {_N.format('p', 'q')} * {_TOP}",
        "the other sign": f"-1 * {_N.format('p', 'q')} * {_TOP}",
    },
    lambda found, claim: same_sum(found, claim, _KNOWN),
    explanation=r"$f_1$ is the first-order part of the output. With $\lvert e\rvert = 1$, $c$ and $h$ singular vectors for the "
    r"greatest singular value of $N$, $\lvert v\rvert^2 = 2$ and $v^{\mathsf T} H v \ge 2 \sigma_{\max}(N)$: so "
    r"$\sigma_{\max}(H) \ge \sigma_{\max}(N)$, for every $l$.",
)

# Exact Hessians.

Weights: TypeAlias = Sequence[Matrix]
_LAYERS: Mapping[int, Weights] = {
    2: (matrix([[1, 2], [-1, 1]]), matrix([[2, 1], [0, 3]])),
    3: (matrix([[1, 2], [-1, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]])),
    4: (matrix([[1, 2], [-1, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]]), matrix([[0, 1], [-2, 1]])),
}


def after(weights: Weights) -> Matrix:
    """The product, the first factor applied first."""
    return reduce(lambda total, one: multiply(one, total), weights, eye(2))


def between(weights: Weights, layer: int, data: Instance) -> Matrix:
    """N_l, l = 1, ..., L - 1."""
    x, y = matrix(data.x), matrix(data.y)
    mean = Fraction(1, len(x[0]))
    residual = add(multiply(after(weights), x), scale(-1, y))
    e = scale(mean, multiply(residual, transpose(x)))
    return multiply(multiply(transpose(after(weights[layer + 1 :])), e), transpose(after(weights[: layer - 1])))


@dataclass(frozen=True, slots=True)
class _Images:
    """H at (dV, dW) = (-V A, A W) for the layers l + 1 and l, and what the formulas need."""

    weights: Weights
    layer: int
    image: Vector


_A = matrix([[1, 3], [-2, 1]])


def _small_images(_: Context) -> Computed:
    found = list[_Images]()
    for count, weights in _LAYERS.items():
        hessian = hessian_at([[w] for w in weights], GENERAL)
        for layer in range(1, count):
            zero = scale(0, _A)
            v = stacked(
                *[zero] * (layer - 1),
                multiply(_A, weights[layer - 1]),
                scale(-1, multiply(weights[layer], _A)),
                *[zero] * (count - layer - 1),
            )
            image = tuple(sum(h * x for h, x in zip(row, v, strict=True)) for row in hessian)
            found.append(_Images(weights, layer, image))
    return Computed(found, Scope.of(*(f"L={len(one.weights)}, l={one.layer}, d=2, m=2" for one in found)))


def _image_claim(*, swap: bool = False, sign: int = -1) -> Any:
    def image(one: _Images) -> Vector:
        n = between(one.weights, one.layer, GENERAL)
        n = transpose(n) if swap else n
        w, v = one.weights[one.layer - 1], one.weights[one.layer]
        zero = scale(0, _A)
        parts = [zero] * len(one.weights)
        parts[one.layer - 1] = scale(sign, multiply(transpose(multiply(v, _A)), n))
        parts[one.layer] = multiply(n, transpose(multiply(_A, w)))
        return stacked(*parts)

    return image


def _same_vectors(found: Sequence[_Images], claim: Any) -> None:
    for one in found:
        if one.image != claim(one):
            raise Disagreement(f"L={len(one.weights)}, l={one.layer}: the image is {', '.join(map(str, one.image))}")


SMALL_IMAGES = Argument(
    "The same image by exact Hessians of two to four layers",
    "explicit",
    _small_images,
    _image_claim(),
    {"$N$ transposed": _image_claim(swap=True), "the same sign in both layers": _image_claim(sign=1)},
    _same_vectors,
)
