"""Products of very many matrices without overflow: M 2^e with entries of M whose moduli add up to [1/2, 1) and a whole number e.

Scaling by a power of two is exact. The condition number of H = P X, P = W^L ... W^1 and X of full row rank with
X X^T = C C^T, is that of P C, so

    log kappa(H) = log |P C| + log |C^{-1} P^{-1}|,

where P and P^{-1} = (W^1)^{-1} ... (W^L)^{-1} are two products: neither has to resolve the least singular value beside
the greatest, as one decomposition of H would.

How far the two products are off: let every W^l be V D_l V^{-1}. In the basis V the error of a product of two matrices,
inner length d, is at most kappa(V)^3 d gamma_d |A| |B|, that of a computed inverse G of W at most kappa(V) |W G - I|
relative to |W^{-1}|; Source: Higham 2002, Accuracy and Stability of Numerical Algorithms, sections 3.5 and 14.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.rounding import gamma

Layers: TypeAlias = NDArray[np.float64]
"""Successive layers, of shape (L, d, d)."""


@dataclass(frozen=True, slots=True)
class Rescaled:
    """matrix * 2^exponent, for one matrix or for a stack of them."""

    matrix: NDArray[np.float64]
    exponent: NDArray[np.int64]

    @property
    def log_norm(self) -> float:
        """The natural logarithm of the spectral norm; -inf for zero."""
        norm = float(np.linalg.norm(self.matrix, 2))
        return (math.log(norm) if norm else -math.inf) + int(self.exponent) * math.log(2.0)


def rescaled(a: NDArray[np.float64]) -> Rescaled:
    """The matrix, or each of a stack, with the sum of its moduli brought to [1/2, 1)."""
    _, exponent = np.frexp(np.sum(np.abs(a), axis=(-2, -1)))
    exponent = exponent.astype(np.int64)
    return Rescaled(np.ldexp(a, -exponent[..., None, None]), exponent)


def multiply(left: Rescaled, right: Rescaled) -> Rescaled:
    """left right."""
    found = rescaled(left.matrix @ right.matrix)
    return Rescaled(found.matrix, found.exponent + left.exponent + right.exponent)


def product(factors: NDArray[np.float64]) -> Rescaled:
    """factors[0] factors[1] ..., neighbours first, so that a stack of k matrices takes log2(k) steps.

    Raises:
        ValueError: there is no factor.
    """
    if not len(factors):
        raise ValueError("product: no factor is given; expected at least one")
    found = rescaled(factors)
    while len(found.exponent) > 1:
        even = len(found.exponent) // 2 * 2
        pairs = multiply(
            Rescaled(found.matrix[:even:2], found.exponent[:even:2]),
            Rescaled(found.matrix[1:even:2], found.exponent[1:even:2]),
        )
        found = Rescaled(
            np.concatenate([pairs.matrix, found.matrix[even:]]), np.concatenate([pairs.exponent, found.exponent[even:]])
        )
    return Rescaled(found.matrix[0], found.exponent[0])


@dataclass(frozen=True, slots=True)
class Conditioned:
    """log kappa(H^L) at one depth L, and what the error bound needs: the sum of |W G - I| over the layers so far."""

    depth: int
    log_condition: float
    residual: float


def log_conditions(chunks: Iterable[Layers], x: NDArray[np.float64], depths: Sequence[int]) -> list[Conditioned]:
    """log kappa(W^L ... W^1 X) at each of the depths; the layers come in chunks of any lengths.

    Raises:
        ValueError: the depths do not ascend from 1, X has not full row rank, or the layers run out.
    """
    if not depths or [0, *depths] != sorted({0, *depths}):
        raise ValueError(f"log_conditions: the depths are {tuple(depths)}; expected them ascending, from 1")
    factor = row_factor(x)
    forward, back = rescaled(factor), rescaled(_inverse(factor))
    found, depth, residual = list[Conditioned](), 0, 0.0
    for layers in _cut(chunks, depths):
        inverses = _inverse(layers)
        residual += float(np.sum(np.linalg.norm(layers @ inverses - np.eye(layers.shape[-1]), axis=(-2, -1))))
        forward, back = multiply(product(layers[::-1]), forward), multiply(back, product(inverses))
        depth += len(layers)
        if depth in depths:
            found.append(Conditioned(depth, forward.log_norm + back.log_norm, residual))
    if len(found) < len(depths):
        raise ValueError(f"log_conditions: there are {depth} layers; expected at least {depths[-1]}")
    return found


def row_factor(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """C with X X^T = C C^T, so that A X and A C have the same singular values for every A.

    Raises:
        ValueError: X has not full row rank, up to rounding.
    """
    left, singular, _ = np.linalg.svd(x, full_matrices=False)
    if len(singular) < len(x) or singular[-1] <= x.shape[1] * 2.0**-52 * singular[0]:
        raise ValueError(f"log_conditions: X has shape {x.shape}; expected full row rank")
    return left * singular


def _inverse(a: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.inv(a), dtype=np.float64)


def _cut(chunks: Iterable[Layers], depths: Sequence[int]) -> Iterator[Layers]:
    """The layers up to the last depth, in pieces that end at each of the depths."""
    seen, left = 0, list(depths)
    for chunk in chunks:
        first = 0
        while left and first < len(chunk):
            stop = min(len(chunk), first + left[0] - seen)
            yield chunk[first:stop]
            seen, first = seen + stop - first, stop
            if seen == left[0]:
                del left[0]
        if not left:
            return


def log_error(found: Conditioned, width: int, basis_condition: float, layer_conditions: float) -> float:
    """How far `log_condition` may be off by rounding, for W^l = V D_l V^{-1} with one order of |D_l| in all layers.

    In the basis V one product is diagonal with the norm prod_l |D_l|, so that relative errors add up: two roundings of
    a matrix product for each layer (forming it, multiplying by it) in each direction, the errors |W G - I| of the
    inverses and, because they invert W as formed, once more its rounding times kappa(D_l), of which `layer_conditions`
    is the sum. Norms of rounding errors are at most d times moduli.
    """
    k, rounding = basis_condition, width * gamma(3 * width + 2)
    once = k**3 * rounding
    forward = math.expm1(2 * (found.depth + 1) * once)
    inverted = k * (found.residual + layer_conditions * 2 * rounding) + k**2 * rounding * layer_conditions
    return _log_off(forward, math.expm1(2 * ((found.depth + 1) * once + inverted)))


def spread_error(found: Conditioned, width: int, log_spread: float) -> float:
    """How far `log_condition` may be off by rounding, for any layers with prod |W^l| |(W^l)^{-1}| <= e^log_spread.

    The error of each product is at most d gamma_d |A| |B|, so that of all of them at most e^log_spread times as large
    relative to the norm of the result as relative to the product of the norms.
    """
    rounding = width * gamma(3 * width + 2)
    forward = math.exp(log_spread) * math.expm1(2 * (found.depth + 1) * rounding)
    return _log_off(forward, math.exp(log_spread) * math.expm1(2 * ((found.depth + 1) * 4 * rounding + found.residual)))


def _log_off(*parts: float) -> float:
    """How far the logarithm of a product may be off where its factors are by such parts of themselves."""
    return -sum(map(math.log1p, (-part for part in parts))) if sum(parts) < 1.0 else math.inf
