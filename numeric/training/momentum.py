"""Stochastic gradient descent with momentum and weight decay on deep networks, many runs in one program.

    V <- mu V + dE/dW + lambda W,    W <- W - eta V,

E the mean loss of a batch. Every run has its own rate, weights and order of the samples, which its seed gives alone:
what becomes of it does not depend on the runs beside it. One that diverges goes on with values that are not finite.
Blocks go through a compiled library where there is one (`compiled_blocks`).
Sources: Polyak 1964; Oyedotun et al., section 6.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.backend import Array, namespace, ops_of
from resproof.numeric.data import DataError
from resproof.numeric.training.blocks import BlockForm, Room, Weights, check_weights, forward, gradients
from resproof.numeric.training.compiled_blocks import CompiledBlocks, compiled_blocks
from resproof.numeric.training.convolutions import ConvolutionForm, check_convolutions, convolution_gradients, convolve

Loss = Literal["cross-entropy", "squared"]
Form: TypeAlias = BlockForm | ConvolutionForm
MEMORY = 2**30
"""Bytes of what a pass keeps: more runs than that takes go one portion after the other."""


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
    loss: Loss = "cross-entropy"
    shape: Callable[[Weights, Weights], None] | None = None
    falls: tuple[int, ...] = ()


def slope(loss: Loss, output: Array, y: Array) -> Array:
    """The derivative of the mean loss in f: softmax(f) - Y, or f - Y, over the number of samples."""
    xp = namespace(output)
    found = xp.exp(_log_softmax(output)) if loss == "cross-entropy" else output
    return (found - y) / output.shape[-1]


def losses(loss: Loss, output: Array, y: Array) -> Array:
    """The mean over samples of -sum_i y_i log softmax(f)_i, or of |f - y|^2/2, of each run."""
    xp = namespace(output)
    each = -y * _log_softmax(output) if loss == "cross-entropy" else 0.5 * (output - y) ** 2
    return xp.sum(each, axis=(-2, -1)) / output.shape[-1]


def accuracy(output: Array, y: Array) -> Array:
    """The share of samples whose greatest output is at the greatest target, of each run; 0 where one is not finite."""
    xp = namespace(output)
    right = xp.argmax(output, axis=-2) == xp.argmax(y, axis=-2)
    return xp.mean(xp.astype(right & xp.all(xp.isfinite(output), axis=-2), xp.float64), axis=-1)


def _log_softmax(output: Array) -> Array:
    xp = namespace(output)
    centred = output - xp.max(output, axis=-2, keepdims=True)
    return centred - xp.log(xp.sum(xp.exp(centred), axis=-2, keepdims=True))


def momentum_descent(
    net: Form,
    weights: Weights,
    x: Array,
    y: Array,
    rates: Sequence[float],
    seeds: Sequence[int],
    how: Schedule,
) -> Generator[tuple[int, Weights]]:
    """The epoch and the weights, from epoch 0, where training starts, to the last; the arrays given are changed.

    Raises:
        DataError: shapes that do not follow on each other, other than one rate and one seed for each run, or batches
            that are greater than the data.
    """
    if isinstance(net, ConvolutionForm):
        check_convolutions("momentum_descent", net, weights, x.shape[0])
    else:
        check_weights("momentum_descent", weights, x.shape[0])
    runs, samples = next(iter(weights.values())).shape[-3], x.shape[1]
    if not len(rates) == len(seeds) == runs or not 0 < how.batch <= samples:
        raise DataError(
            f"momentum_descent: {len(rates)} rates, {len(seeds)} seeds, {runs} runs, batches of {how.batch} among "
            f"{samples} samples; expected one rate and one seed for each run, and batches of 1 to {samples}"
        )
    xp = namespace(x)
    room = Room() if xp is np else None
    compiled = _compiled(net, weights, x, how)
    velocity = {name: xp.zeros_like(weight) for name, weight in weights.items()}
    step = xp.asarray(list(rates), dtype=xp.float64)[:, None, None]
    generators = [np.random.default_rng([seed, 1]) for seed in seeds]
    with ops_of(x).quiet():
        yield 0, weights
        for epoch in range(1, how.epochs + 1):
            for batch in _batches(generators, samples, how.batch):
                mine, targets = (_taken(a, batch, how.batch == samples) for a in (x, y))
                if compiled is None:
                    found = _in_portions(net, weights, mine, targets, how.loss, room)
                else:
                    found = compiled.gradients(weights, mine, targets, partial(slope, how.loss))
                if how.shape is not None:
                    how.shape(weights, found)
                go = _step if compiled is None else compiled.step
                go(weights, velocity, found, step, how.momentum, how.decay)
            yield epoch, weights
            step = step / 10 if epoch in how.falls else step


def _step(weights: Weights, velocity: Weights, found: Weights, step: Array, momentum: float, decay: float) -> None:
    """One step of every run, in place."""
    for name, weight in weights.items():
        velocity[name] *= momentum
        velocity[name] += found[name]
        if decay:
            velocity[name] += decay * weight
        weight -= step * velocity[name]


def _compiled(net: Form, weights: Weights, x: Array, how: Schedule) -> CompiledBlocks | None:
    """The passes by a compiled library, where that is to be had and worth it."""
    if not isinstance(net, BlockForm):
        return None
    return compiled_blocks(net, weights, how.batch, how.epochs * (x.shape[1] // how.batch))


def _in_portions(net: Form, weights: Weights, x: Array, y: Array, loss: Loss, room: Room | None) -> Weights:
    """The gradients, of so many runs at once as MEMORY allows."""
    runs = next(iter(weights.values())).shape[-3]
    at_once = max(1, min(runs, int(MEMORY / _bytes(net, weights, x.shape[-1]))))
    if at_once == runs:
        return _gradients(net, weights, x, y, loss, room)
    found = {name: namespace(x).empty_like(weight) for name, weight in weights.items()}
    for first in range(0, runs, at_once):
        those = slice(first, first + at_once)
        mine = {name: weight[..., those, :, :] for name, weight in weights.items()}
        given, targets = (a[those, :, :] if a.ndim == 3 else a for a in (x, y))
        for name, gradient in _gradients(net, mine, given, targets, loss, room).items():
            found[name][..., those, :, :] = gradient
    return found


def _bytes(net: Form, weights: Weights, samples: int) -> int:
    """About as many are kept of one run in one pass: three values for each unit and sample."""
    units = sum(math.prod(weight.shape[:-3]) * weight.shape[-2] for weight in weights.values())
    return 24 * units * samples * (net.side**2 if isinstance(net, ConvolutionForm) else 1)


def _gradients(net: Form, weights: Weights, x: Array, y: Array, loss: Loss, room: Room | None) -> Weights:
    match net:
        case BlockForm():
            passed = forward(net, weights, x, room=room)
            return gradients(net, weights, passed, slope(loss, passed.output, y), room)
        case ConvolutionForm():
            convolved = convolve(net, weights, x)
            return convolution_gradients(net, weights, convolved, slope(loss, convolved.output, y))
        case _:
            assert_never(net)


def _batches(generators: Sequence[np.random.Generator], samples: int, batch: int) -> Generator[NDArray[np.int64]]:
    """The samples of each run in each batch of an epoch, of shape (runs, batch)."""
    order = np.stack([each.permutation(samples) for each in generators])
    for first in range(0, samples - batch + 1, batch):
        yield order[:, first : first + batch]


def _taken(a: Array, batch: NDArray[np.int64], everything: bool) -> Array:
    """The samples of each run, of shape (runs, rows, batch); where they are all, in the order that they have."""
    if everything:
        return a
    xp = namespace(a)
    flat = xp.take(a, xp.asarray(batch.reshape(-1)), axis=1)
    return xp.permute_dims(xp.reshape(flat, (a.shape[0], *batch.shape)), (1, 0, 2))
