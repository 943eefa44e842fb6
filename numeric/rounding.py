"""Derived rounding bounds, in the standard model of floating-point arithmetic.

fl(a op b) = (a op b)(1 + e), |e| <= u = 2^-53. A number that is computed by a chain of at most n roundings from exact
ones carries the factor 1 + theta_n with |theta_n| <= gamma_n = n u / (1 - n u). So an inner product of length n is off
by at most gamma_n |a|.|b| in whatever order it is summed, and a product A_1 ... A_k of matrices of inner lengths
n_1, ... by at most gamma_N ||A_1||_F ... ||A_k||_F with N = n_1 + n_2 + ...

Source: Higham 2002, Accuracy and Stability of Numerical Algorithms, Lemma 3.1 and Sections 3.1, 3.5.
"""

from __future__ import annotations

import math

UNIT_ROUNDOFF = 2.0**-53
LEAST = math.ulp(0.0)
"""The least positive number: what is exactly zero differs from it."""


def gamma(roundings: int) -> float:
    """n u / (1 - n u); infinite where n u >= 1."""
    chain = roundings * UNIT_ROUNDOFF
    return chain / (1.0 - chain) if chain < 1.0 else math.inf
