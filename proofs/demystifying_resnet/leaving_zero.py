"""When training leaves zero, as the Hessian there predicts it: escape times (EX-3), for the experiments.

To second order the loss near zero is E_0 + theta^T H theta / 2, and a step of the rate eta multiplies what theta has along an eigenvector
by 1 - eta lambda. There the gradient is g_t = lambda theta_t, and a step takes

    (lambda/2) (theta_t^2 - theta_(t+1)^2) = (eta/2) g_t (g_t + g_(t+1))

of the loss. 2-shortcut networks of B blocks have the eigenvalues +- sigma_i, each B d times (Theorem 2); from independent weights of variance v
the loss that t steps take is in the mean

    (v B d / 2) sum_i sigma_i ((1 + eta sigma_i)^2t - (1 - eta sigma_i)^2t),

which the greatest sigma leads. Half of what lies above the least loss is gone after t = log(const/(v B d)) / (2 log(1 + eta sigma_1))
steps: sooner in deeper networks, of which more eigenvectors go down at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_MOST = 10_000
"""Steps: from weights in double precision every strict saddle that is seen here is left long before."""


def loss_taken(core: Sequence[float], rate: float, blocks: int, variance: float, steps: int) -> Floats:
    """What 0, 1, ..., `steps` steps take of the loss in the mean; `core` are the sigma_i."""
    sigma, t = np.asarray(core, dtype=float)[:, None], np.arange(steps + 1)
    with np.errstate(over="ignore"):
        grown = (1 + rate * sigma) ** (2.0 * t) - (1 - rate * sigma) ** (2.0 * t)
    return variance * blocks * len(sigma) / 2 * np.sum(sigma * grown, axis=0)


def loss_taken_by(gradient: ArrayLike, rate: float) -> Floats:
    """The same from the norms of the gradient near zero after 0, 1, ... steps, as if it kept its direction."""
    norms = np.asarray(gradient, dtype=float)
    return np.concatenate([[0.0], np.cumsum(rate / 2 * norms[:-1] * (norms[:-1] + norms[1:]))])


def crossing(epochs: ArrayLike, values: ArrayLike, level: float) -> float:
    """The epoch at which values first reach a level from below, interpolated linearly; not a number where they never do."""
    times, known = (np.asarray(each, dtype=float) for each in (epochs, values))
    reached = np.flatnonzero(known >= level)
    if not reached.size:
        return float("nan")
    after = int(reached[0])
    if not after:
        return float(times[0])
    part = (level - known[after - 1]) / (known[after] - known[after - 1])
    return float(times[after - 1] + part * (times[after] - times[after - 1]))


def half_gone(core: Sequence[float], rate: float, blocks: int, variance: float, above: float) -> float:
    """The epoch at which half of the loss that is above the least one is gone, as it goes near zero."""
    steps = 64
    while (taken := loss_taken(core, rate, blocks, variance, steps))[-1] < above / 2 and steps < _MOST:
        steps *= 2
    return crossing(np.arange(len(taken)), taken, above / 2)
