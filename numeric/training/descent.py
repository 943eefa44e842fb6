"""Gradient descent with momentum and weight decay, many runs in one program, on JAX.

    V <- mu V + dE/dW + lambda W,    W <- W - eta V,

E the mean loss of a batch. Every run has its own rate, weights and order of the samples, which its seed gives alone.
Once its loss is not finite, or above its limit, a run has diverged, and its weights are no numbers any more.
Sources: Polyak 1964; Oyedotun et al., section 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from resproof.numeric.data import DataError
from resproof.numeric.training import networks as nets
from resproof.numeric.training.covariances import Covariances, Floats

DIVERGED = 1e6
"""The loss of a linear network, in parts of the greater of its first one and that of the zero map."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the runs go down: batches of so many samples (the rest of an epoch is left out), epochs, mu and lambda.

    `shape` changes a gradient before the step, by the weights that it belongs to. After each epoch of `falls` the rates
    fall to a tenth.
    """

    epochs: int
    batch: int
    momentum: float = 0.9
    decay: float = 1e-4
    loss: nets.Loss = "cross-entropy"
    shape: Callable[[Any, Any], Any] | None = None
    falls: tuple[int, ...] = ()


def momentum_descent(
    net: nets.Net,
    weights: nets.Weights,
    x: Floats,
    y: Floats,
    rates: Sequence[float],
    seeds: Sequence[int],
    how: Schedule,
    record: Collection[int] | None = None,
    limits: Floats | None = None,
) -> Generator[tuple[int, nets.Weights]]:
    """The epochs of `record`, every one by default, and the weights there; epoch 0 is where training starts.

    Raises:
        DataError: other than one positive rate and one seed for each run, or batches that are greater than the data.
    """
    runs, samples = next(iter(weights.values())).shape[-3], x.shape[-1]
    right = len(rates) == len(seeds) == runs and all(isfinite(rate) and rate > 0 for rate in rates)
    if not right or not 0 < how.batch <= samples:
        raise DataError(
            f"momentum_descent: {len(rates)} rates, {len(seeds)} seeds, {runs} runs, batches of {how.batch} among "
            f"{samples} samples; expected a positive rate and a seed for each run, and batches of 1 to {samples}"
        )
    wanted = range(how.epochs + 1) if record is None else record
    generators = [np.random.default_rng([seed, 1]) for seed in seeds]
    rate, most = np.array(rates, dtype=np.float64), np.full(runs, inf) if limits is None else limits
    now, velocity = nets.turned(weights), nets.turned({name: np.zeros_like(one) for name, one in weights.items()})
    if 0 in wanted:
        yield 0, weights
    for epoch in range(1, how.epochs + 1):
        order = np.stack([_batches(each, samples, how.batch) for each in generators])
        now, velocity = nets.each_run(_epoch, (net, how), (now, velocity, rate, most, order), x, y)
        if epoch in wanted:
            yield epoch, nets.turned(now)
        rate = rate / 10 if epoch in how.falls else rate


def _batches(generator: np.random.Generator, samples: int, batch: int) -> Any:
    """The samples of each batch of an epoch; where one has them all, in the order that they have."""
    order = np.arange(samples) if batch == samples else generator.permutation(samples)
    return order[: samples // batch * batch].reshape(-1, batch)


def _epoch(net: nets.Net, how: Schedule, mine: Any, x: Any, y: Any) -> Any:
    """The weights and velocities of one run after an epoch."""
    import jax

    first, still, rate, most, order = mine

    def step(state: Any, batch: Any) -> Any:
        now, velocity = state
        value, found = nets.value_and_slope(net, how.loss, now, x[..., batch], y[..., batch])
        found = how.shape(now, found) if how.shape else found
        velocity = {name: how.momentum * velocity[name] + found[name] + how.decay * now[name] for name in now}
        eta = jax.numpy.where(value <= most, rate, jax.numpy.nan)
        return ({name: now[name] - eta * velocity[name] for name in now}, velocity), None

    return jax.lax.scan(step, (first, still), order)[0]


def descend(
    weights: Floats, depth: int, data: Covariances, rates: Sequence[float], epochs: int, record: Collection[int] = ()
) -> tuple[Floats, Floats]:
    """The loss above the least one, (epochs, runs), and the weights of linear networks along plain gradient descent.

    Epochs are those of `record` and the last one; shortcuts reach over `depth` layers, 0 for none.

    Raises:
        DataError: other than a positive rate for each run.
    """
    net, (x, y), runs = nets.Linear(depth), data.columns(), weights.shape[1]
    limits = DIVERGED * np.maximum(nets.gradients(net, "squared", {"layers": weights}, x, y)[0], data.loss_of_zero)
    how = Schedule(epochs, x.shape[1], momentum=0.0, decay=0.0, loss="squared")
    along = momentum_descent(net, {"layers": weights}, x, y, rates, range(runs), how, {*record, epochs}, limits)
    found = [(nets.gradients(net, "squared", now, x, y)[0], now["layers"]) for _, now in along]
    excess, layers = (np.stack(each) for each in zip(*found, strict=True))
    return np.where(excess <= limits, excess, np.nan), layers
