"""Growth of volumes under products of Gaussian matrices, on a logarithmic scale.

W_l Q_{l-1} = Q_l R_l, entries of W_l independent N(0, s^2/d). Q_{l-1} is orthogonal and independent of W_l, so that
W_l Q_{l-1} is Gaussian too, the R_l are independent, and (R_l)_ii^2 d / s^2 is chi-squared with d - i + 1 degrees of
freedom. Hence

    E log (R_l)_ii = mu_i = (log(2 s^2 / d) + psi((d - i + 1)/2)) / 2,    Var log (R_l)_ii = psi'((d - i + 1)/2) / 4,

and the mu_i are the Lyapunov exponents of the product. Source: Newman 1986, The distribution of Lyapunov exponents,
Communications in Mathematical Physics 103.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mean_log_diagonals(layers: int, d: int, s2: float, seed: int) -> Floats:
    """(1/L) sum_l log (R_l)_ii, i = 1..d, of one product of L random matrices."""
    generator = np.random.default_rng(seed)
    q, total = np.eye(d), np.zeros(d)
    for _ in range(layers):
        q, r = np.linalg.qr(generator.normal(scale=math.sqrt(s2 / d), size=(d, d)) @ q)
        total += np.log(np.abs(np.diagonal(r)))
    return total / layers


def exponents(d: int, s2: float) -> Floats:
    """mu_1 > ... > mu_d."""
    return np.array([(math.log(2 * s2 / d) + digamma_half(d - i)) / 2 for i in range(d)])


def deviations(d: int) -> Floats:
    """The standard deviations of log (R_l)_ii."""
    return np.array([math.sqrt(trigamma_half(d - i)) / 2 for i in range(d)])


def digamma_half(n: int) -> float:
    """psi(n/2) for n = 1, 2, ...: psi(1) = -gamma, psi(1/2) = -gamma - 2 log 2, psi(x + 1) = psi(x) + 1/x."""
    start = -np.euler_gamma - (2 * math.log(2) if n % 2 else 0.0)
    return float(start) + sum(2 / k for k in range(2 - n % 2, n, 2))


def trigamma_half(n: int) -> float:
    """psi'(n/2) for n = 1, 2, ...: psi'(1) = pi^2/6, psi'(1/2) = pi^2/2, psi'(x + 1) = psi'(x) - 1/x^2."""
    start = math.pi**2 / (2 if n % 2 else 6)
    return start - sum(4 / k**2 for k in range(2 - n % 2, n, 2))
