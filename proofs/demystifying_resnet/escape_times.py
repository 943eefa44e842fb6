"""Evidence for EX-3: how many steps of gradient descent a running linear network needs to leave a neighbourhood of zero.

Start: W^{1,l} = u q_l q_{l-1}^T with u = eps, q_0 = v, q_n = w, for the greatest singular value a of -M and its vectors,
-M v = a w; all other units at zero. On whitened data, S v = b v, this stays so with u' = u^{n-1} (a - b u^n), one step being
u + eta u^{n-1} (a - b u^n) < u (1 + z), z = eta a delta^{n-2}. As s^(1-n) decreases, a step adds to the clock
J(u) = int s^(1-n) ds at most eta a and at least eta (a - b delta^n) (1 + z)^(1-n). So the number K of steps from eps to
delta obeys

    J / (eta a) <= K <= 1 + J (1 + z)^(n-1) / (eta (a - b delta^n)),      J = int_eps^delta s^(1-n) ds.

Rounding moves u, relative to itself, by at most (delta/eps)^(n-1) K gamma_N, far less than one step does: one more
step on either side covers it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device
from resproof.numeric.network.adjoint import gradient
from resproof.proofs.statement import Computed, Context, Measurement
from resproof.symbolic.scope import Scope

_UNITS, _SAMPLES = 3, 200
_RATE = 0.1
"""eta a."""
_TO = 0.4
"""delta."""


@dataclass(frozen=True, slots=True)
class EscapeRun:
    """The number of steps taken for one n."""

    n: int
    start: float
    """eps."""
    steps: int
    a: float
    b: float
    sizes: str
    seed: int


def escapes_on_digits(*starts: tuple[int, float]) -> Callable[[Context], Computed]:
    """Gradient descent from eps to delta along the ray of the greatest singular value, for each (n, eps)."""

    def compute(context: Context) -> Computed:
        found = [_run(context, n, start) for n, start in starts]
        return Computed(found, Scope.of(*(one.sizes for one in found)))

    return compute


def _run(context: Context, n: int, start: float) -> EscapeRun:
    ops, data = device(context.device).ops, context.data
    x, y = _whitened(np.asarray(data.X)[:, :_SAMPLES], np.asarray(data.Y)[:, :_SAMPLES])
    d, m = x.shape
    left, singular, right = np.linalg.svd((y - x) @ x.T / m)
    a, b = float(singular[0]), float(np.sum((right[0] @ x) ** 2)) / m
    inner = np.eye(d)[0]
    ends = [right[0], *[inner] * (n - 1), left[:, 0]]
    unit = ResidualUnit(n_shortcut(n))
    rays = {name: np.outer(ends[k + 1], ends[k]) for k, name in enumerate(unit.names.values())}
    weights = {name: ops.zeros((_UNITS, d, d)) for name in rays}
    for name, ray in rays.items():
        weights[name][0] = ops.asarray(start * ray)
    network, at = Network(unit, _UNITS), (ops.asarray(x), ops.asarray(y))
    steps = _count(network, weights, at, _RATE / a)
    sizes = f"n={n}, eps={start}, delta={_TO}, R={_UNITS}, d={d}, m={m}; {data.name}"
    return EscapeRun(n, start, steps, a, b, sizes, context.seed)


def _whitened(x: Any, y: Any) -> tuple[Any, Any]:
    """The data with (1/m) X X^T = I."""
    return np.linalg.solve(np.linalg.cholesky(x @ x.T / x.shape[1]), x), y


def _count(network: Network, weights: dict[str, Any], data: tuple[Any, Any], rate: float) -> int:
    """Steps of gradient descent until the first layer of the first unit has norm delta."""
    name = next(iter(weights))
    steps, most = 0, 5000
    while float(np.linalg.norm(np.asarray(weights[name][0]))) < _TO and steps < most:
        slope = gradient(network, weights, *data)
        weights = {key: value - rate * slope[key] for key, value in weights.items()}
        steps += 1
    return steps


def clock(n: int, start: float) -> float:
    """The integral of s^(1-n) from eps to delta."""
    return log(_TO / start) if n == 2 else (start ** (2 - n) - _TO ** (2 - n)) / (n - 2)


def steps_within(found: list[EscapeRun], law: Callable[[int], int]) -> tuple[Measurement, ...]:
    """The distance of each number of steps from the middle of its interval, for the order of the flow u' = u^(n-1) claimed."""
    return tuple(_within(one, law(one.n)) for one in found)


def _within(one: EscapeRun, n: int) -> Measurement:
    growth = 1 + _RATE * _TO ** (n - 2)
    rate = _RATE * (1 - one.b / one.a * _TO**one.n)
    time = clock(n, one.start)
    low, high = time / _RATE - 1, 2 + time * growth ** (n - 1) / rate
    return Measurement(
        rf"|steps - middle|, $n = {one.n}$, $\varepsilon = {one.start}$",
        abs(one.steps - (low + high) / 2),
        (high - low) / 2,
        one.sizes,
        one.seed,
        rf"between {low:.1f} and {high:.1f} steps: $J/(\eta a) - 1$ and $J (1 + z)^{{n - 1}}/(\eta (a - b \delta^n)) + 2$",
        scale=(low + high) / 2,
    )
