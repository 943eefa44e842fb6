"""Condition numbers of products of layers V diag(mu^l) V^T in ball arithmetic, whatever the order of the |mu_i|.

Where the order of the |mu_i| changes from layer to layer float64 loses the least singular values of H, in a product and in the
product of the inverses alike: rounding in a direction that grows later is amplified by what another has grown before. Here
every number is a ball that contains the exact one, with enough digits for H itself. V is a reflection I - 2 u u^T/|u|^2 with
whole numbers u, so that |u|^2 V and the layers, up to a factor, have few digits. With G = H H^T and q = 2^50

    log kappa(H) = (log |G| + log |G^{-1}|)/2,        |G| <= (tr G^q)^(1/q) <= d^(1/q) |G|.

Source: Johansson 2017, Arb: efficient arbitrary-precision midpoint-radius interval arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import flint
import numpy as np
from numpy.typing import NDArray

_SQUARINGS = 50
_GUARD = 256
"""Bits beside those that the growth of the balls takes."""


class Enclosed(NamedTuple):
    """A logarithm and how far it may be off."""

    value: float
    error: float


def reflection(u: Sequence[int]) -> flint.fmpz_mat:
    """|u|^2 I - 2 u u^T: |u|^2 times an orthogonal matrix."""
    square = sum(a * a for a in u)
    return flint.fmpz_mat([[square * (i == j) - 2 * a * b for j, b in enumerate(u)] for i, a in enumerate(u)])


def log_condition(x: NDArray[np.float64]) -> Enclosed:
    """log kappa(X).

    Raises:
        ValueError: X is too near to a matrix without full row rank.
    """
    with flint.ctx.workprec(_GUARD):
        data = flint.arb_mat(x.tolist())
        return _log_condition(data * data.transpose())


def log_conditions(
    u: Sequence[int], mu: NDArray[np.float64], x: NDArray[np.float64], depths: Sequence[int]
) -> list[Enclosed]:
    """log kappa(H^L) at each of the depths, which ascend, for layers with the eigenvalues mu^l and the eigenvectors of u.

    Raises:
        ValueError: X is too near to a matrix without full row rank.
    """
    with flint.ctx.workprec(_bits(mu)):
        vectors, data = flint.arb_mat(reflection(u)), flint.arb_mat(x.tolist())
        gram, found = data * data.transpose(), list[Enclosed]()
        product, depth = _diagonal([1.0] * len(u)), 0
        for end in depths:
            for factors in mu[depth:end].tolist():
                product = vectors * _diagonal(factors) * vectors * product
            depth = end
            found.append(_log_condition(product * gram * product.transpose()))
    return found


def log_spread(mu: NDArray[np.float64]) -> Enclosed:
    """log (max_i prod_l |mu_i^l| / min_i prod_l |mu_i^l|)."""
    with flint.ctx.workprec(_GUARD):
        products = [abs(math.prod(map(flint.arb, column), start=flint.arb(1))) for column in mu.T.tolist()]
        return _enclosed((reduce(flint.arb.max, products) / reduce(flint.arb.min, products)).log())


def _enclosed(ball: flint.arb) -> Enclosed:
    value = float(ball.mid())
    return Enclosed(value, float(ball.rad()) + math.ulp(value))


def _diagonal(entries: list[float]) -> flint.arb_mat:
    size = len(entries)
    return flint.arb_mat([[entries[i] if i == j else 0 for j in range(size)] for i in range(size)])


def _bits(mu: NDArray[np.float64]) -> int:
    """What the balls of the product grow by beside its norm, and twice log2 of the condition number."""
    logs = np.log2(np.abs(mu))
    products = np.sum(logs, axis=0)
    growth = float(np.sum(np.max(logs, axis=1))) + len(mu) * math.log2(mu.shape[1]) - float(np.max(products))
    return _GUARD + math.ceil(growth + 2 * float(np.max(products) - np.min(products)))


def _log_condition(gram: flint.arb_mat) -> Enclosed:
    """log kappa(A) from A A^T, in balls.

    Raises:
        ValueError: they do not tell the matrix from a singular one.
    """
    try:
        inverse = gram.inv()
    except ZeroDivisionError:
        raise ValueError("log_condition: the balls contain a singular matrix; expected full row rank") from None
    with flint.ctx.workprec(_GUARD):
        return _enclosed((_log_norm(gram) + _log_norm(inverse)) / 2)


def _log_norm(gram: flint.arb_mat) -> flint.arb:
    """A ball that contains log |G|, for positive semidefinite G."""
    taken = gram.trace().log()
    power = gram / gram.trace()
    for count in range(1, _SQUARINGS + 1):
        power = power * power
        # tr G^(2^k) = tr(power) e^(2^k taken)
        trace = power.trace()
        power, taken = power / trace, taken + trace.log() / 2**count
    slack = flint.arb(gram.nrows()).log() / 2**_SQUARINGS
    return taken - slack.union(0 * slack)
