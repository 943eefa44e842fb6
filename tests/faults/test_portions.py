"""Portions of the samples whose process dies: computed once more, with the same result, or refused in one line."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from benchmarks.portions import WorkerDiedError, hvp_over, value_over
from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from tests.faults import calls
from tests.faults.processes import children
from tests.numeric.cases import make
from tests.numeric.compare import assert_weights_equal

CASE = make(catalogue.n_shortcut(2, tanh, tanh, tanh), ops(np), units=3, loss=squared)
PORTIONS = 5


class Dying(ProcessPoolExecutor):
    """Processes of which one is killed in place of what is the n-th to be submitted."""

    def __init__(self, n: int) -> None:
        super().__init__(2, mp_context=get_context("spawn"))
        self.left = n

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        return super().submit(calls.killed) if self.left == 0 else super().submit(fn, *args, **kwargs)


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    yield
    assert not children()


def product(executor: Executor) -> Any:
    return hvp_over(executor, CASE.network, CASE.weights, CASE.direction, CASE.x, CASE.y, portions=PORTIONS)


def test_the_result_is_the_same_whichever_process_dies() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as sound:
        expected = product(sound)
        loss = value_over(sound, CASE.network, CASE.weights, CASE.x, CASE.y, portions=2)
    for n in (1, 3, PORTIONS):
        with Dying(n) as dying:
            assert_weights_equal(product(dying), expected)
    with Dying(2) as dying:
        assert value_over(dying, CASE.network, CASE.weights, CASE.x, CASE.y, portions=2) == loss
        with pytest.raises(WorkerDiedError) as caught:
            _ = product(dying)
    assert str(caught.value) == "hvp_over: the executor is broken, a worker of it has died; expected a new one"


def deadly(_: Any, x: Any, order: int) -> list[Any]:
    """Ends every process but the one that started them."""
    if multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
        sys.exit()
    return [x] * (order + 1)


def coefficient(_: int) -> Any:
    return 0


def test_a_second_death_is_one_line() -> None:
    h, w = Input("d"), Weight("d", "d")
    network = Network(ResidualUnit(h + w @ Activation("deadly", coefficient, deadly)(h)), 2, squared)
    weights = {"W1": np.zeros((2, 3, 3))}
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor,
        pytest.raises(WorkerDiedError) as caught,
    ):
        _ = hvp_over(executor, network, weights, weights, CASE.x, CASE.y, portions=2)
    assert str(caught.value) == (
        "hvp_over: portion 1 of 2: the process that computed it died, and so did a second one; "
        "expected more memory or portions"
    )
