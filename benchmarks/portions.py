"""Value, gradient and Hessian-vector product with portions of the samples in other processes or on other machines.

The loss is a mean over samples. With the m samples in portions of m_1, ..., m_P,

    L = sum_p (m_p / m) L_p,    so grad L = sum_p (m_p / m) grad L_p    and    H v = sum_p (m_p / m) H_p v,

and every L_p is a network's loss like any other: each portion is one call of `adjoint`. The parts are added in
the order of the samples, so that the result depends on the number of portions alone.

The executor is the caller's, and outlives the call: `ProcessPoolExecutor(2, mp_context=get_context("spawn"))` on one
machine, a Dask client's `get_executor()` on several. The weights travel with every portion: take as many portions as
there are workers. A worker needs nothing but this package, and takes `memory` for itself; with a worker for each core,
BLAS should have one thread in each (OPENBLAS_NUM_THREADS=1).

A worker that dies breaks its whole executor: what it and the others had not finished is computed once more, one portion
after another in a fresh process, and the result is the same. The executor stays broken, and is refused the next time.

Units that are linear in h gain nothing: their scan over depth (`scan`) reads the samples in the loss alone.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import lru_cache, partial
from io import BytesIO
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np

from resproof.architectures.activations import ACTIVATIONS, activation, polynomial
from resproof.architectures.errors import OneLine, shortened
from resproof.architectures.losses import LOSSES, Loss, loss
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation
from resproof.numeric.backend import Array, ops_of
from resproof.numeric.data import DataError, check_data, samples_first
from resproof.numeric.network.adjoint import gradient, hvp, start, value
from resproof.numeric.network.parameters import Weights, check_weights


class WorkerDiedError(OneLine, RuntimeError):
    """A portion has no result: its process died, and the one after it; the message is one line."""


def value_over(executor: Executor, network: Network, weights: Weights, x: Array, y: Array, *, portions: int) -> float:
    """L(w), as `adjoint.value` has it, from so many portions of the samples.

    Raises:
        DataError: data or weights of another shape or kind or not NumPy's, a number of portions that is not one, or a
            network that cannot be sent.
        NotFiniteError: a portion's loss is not finite.
        WorkerDiedError: a portion's process died twice, or the executor is broken.
    """
    parts = _parts("value_over", value, executor, network, (weights,), x, y, portions)
    return sum(share * part for share, part in parts)


def gradient_over(
    executor: Executor,
    network: Network,
    weights: Weights,
    x: Array,
    y: Array,
    *,
    portions: int,
    memory: int | None = None,
) -> dict[str, Array]:
    """grad L(w), as `adjoint.gradient` has it, from so many portions of the samples.

    Raises:
        DataError: data or weights of another shape or kind or not NumPy's, a number of portions that is not one, a
            network that cannot be sent, a result that is not finite, or too little memory for a portion.
        WorkerDiedError: a portion's process died twice, or the executor is broken.
    """
    return _sum(_parts("gradient_over", gradient, executor, network, (weights,), x, y, portions, memory=memory))


def hvp_over(
    executor: Executor,
    network: Network,
    weights: Weights,
    tangents: Weights,
    x: Array,
    y: Array,
    *,
    portions: int,
    memory: int | None = None,
) -> dict[str, Array]:
    """H(w) v, or H(w) on a block of tangents, as `adjoint.hvp` has it, from so many portions of the samples.

    Raises:
        DataError: data, weights or tangents of another shape or kind or not NumPy's, a number of portions that is not
            one, a network that cannot be sent, a result that is not finite, or too little memory for a portion.
        WorkerDiedError: a portion's process died twice, or the executor is broken.
    """
    return _sum(_parts("hvp_over", hvp, executor, network, (weights, tangents), x, y, portions, memory=memory))


def _sum(parts: Iterator[tuple[float, Mapping[str, Array]]]) -> dict[str, Array]:
    share, first = next(parts)
    total = {key: share * array for key, array in first.items()}
    for share, part in parts:
        for key, array in part.items():
            total[key] += share * array
    return total


def _parts(
    name: str,
    call: Callable[..., Any],
    executor: Executor,
    network: Network,
    points: tuple[Weights, ...],
    x: Array,
    y: Array,
    portions: int,
    **options: int | None,
) -> Iterator[tuple[float, Any]]:
    """m_p / m and what the call finds, for each portion in turn.

    Everything is checked before anything is sent: what is wrong with the arguments is told once, and here.
    """
    x, y = check_data(name, network.unit, x, y, network.loss)
    points = tuple(
        check_weights(name, network.unit, network.units, point, batch=number > 0) for number, point in enumerate(points)
    )
    _check_numpy(name, [("X", x), *(named for point in points for named in point.items())])
    _ = start(name, network, points[0], points[1] if len(points) > 1 else None, x)
    samples = samples_first(network.unit, x)
    _check_portions(name, portions, samples)
    bounds = [samples * number // portions for number in range(portions + 1)]
    cuts = [slice(*pair) if network.unit.mixes_columns else (slice(None), slice(*pair)) for pair in pairwise(bounds)]
    work = partial(_on_portion, call, _sent(name, network), points, options)
    found = _each(name, executor, [partial(work, x[cut], y[cut]) for cut in cuts])
    return zip([(stop - first) / samples for first, stop in pairwise(bounds)], found, strict=True)


def _each(name: str, executor: Executor, calls: Sequence[Callable[[], Any]]) -> Iterator[Any]:
    """What the calls return, in their order; those that a broken executor has lost are made again.

    Raises:
        WorkerDiedError: the executor was broken before, or a call's second process has died too.
    """
    waiting = [_submitted(executor, call) for call in calls]
    if waiting[0] is None:
        raise WorkerDiedError(f"{name}: the executor is broken, a worker of it has died; expected a new one")
    try:
        for number, (call, future) in enumerate(zip(calls, waiting, strict=True), 1):
            try:
                yield _again(f"{name}: portion {number} of {len(calls)}", call) if future is None else future.result()
            except BrokenExecutor:
                yield _again(f"{name}: portion {number} of {len(calls)}", call)
    finally:
        for future in waiting:
            if future is not None:
                future.cancel()


def _submitted(executor: Executor, call: Callable[[], Any]) -> Future[Any] | None:
    """The call's future; None where the executor is broken."""
    try:
        return executor.submit(call)
    except BrokenExecutor:
        return None


def _again(what: str, call: Callable[[], Any]) -> Any:
    """What the call returns in a fresh process.

    Raises:
        WorkerDiedError: that one dies too.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        try:
            return alone.submit(call).result()
        except BrokenExecutor:
            raise WorkerDiedError(
                f"{what}: the process that computed it died, and so did a second one; expected more memory or portions"
            ) from None


def _on_portion(
    call: Callable[..., Any],
    network: bytes,
    points: tuple[Weights, ...],
    options: Mapping[str, int | None],
    x: Array,
    y: Array,
) -> Any:
    """What the call finds on a portion: this is what a worker does."""
    return call(_received(network), *points, x, y, **options)


def _check_numpy(name: str, arrays: Iterable[tuple[str, Array]]) -> None:
    for what, array in arrays:
        if not isinstance(array, np.ndarray):
            library = ops_of(array).library
            raise DataError(
                f"{name}: {what} is an array of {library}; expected NumPy's, for it goes to other processes"
            )


def _check_portions(name: str, portions: Any, samples: int) -> None:
    whole = isinstance(portions, int | np.integer) and not isinstance(portions, bool)
    if not whole or not 1 <= portions <= samples:
        raise DataError(f"{name}: portions is {portions!r}; expected a whole number from 1 to {samples}, the samples")


def _sent(name: str, network: Network) -> bytes:
    target = BytesIO()
    try:
        _Pickler(target).dump(network)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise DataError(
            f"{name}: the network cannot be sent to another process ({shortened(str(error), 26)}); expected "
            "activations and a loss known by name, polynomials, or functions that a module has"
        ) from None
    return target.getvalue()


@lru_cache(maxsize=8)
def _received(network: bytes) -> Network:
    # Nodes are compared by identity: what is known of a unit is found again only for the same one.
    return pickle.loads(network)


class _Pickler(pickle.Pickler):
    """Activations and losses are made of closures, which do not travel: they go by name, polynomials by coefficients.

    What arrives by name is the very object that the other process has under it, so that `tape` knows it.
    """

    def reducer_override(self, obj: Any, /) -> Any:
        match obj:
            case Activation(name=name) if ACTIVATIONS.get(name) is obj:
                return activation, (name,)
            case Activation(name=name, degree=int(degree)):
                return partial(polynomial, name=name), tuple(obj.taylor(k).rational for k in range(degree + 1))
            case Loss(name=name) if LOSSES.get(name) is obj:
                return loss, (name,)
            case _:
                return NotImplemented
