"""Threads: how many BLAS takes, and work on several of our own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TypeVar

import numpy as np

from resproof.numeric.backend import Ops

_Item = TypeVar("_Item")

TOLD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables by which a user says how many threads there may be."""


def one_thread() -> AbstractContextManager[object]:
    """BLAS on one core: on a busy machine its threads wait for each other, which small matrices do not repay."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    return import_module("threadpoolctl").threadpool_limits(1)


def cores(ops: Ops) -> int:
    """The cores that this process may use for arrays of a library: NumPy works outside the interpreter's lock.

    As many as there are, or as many threads as BLAS is told to take (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS).
    """
    if ops.xp is not np:
        return 1
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    told = next((os.environ[name] for name in TOLD if os.environ.get(name, "").isdecimal()), "")
    return min(there, max(int(told), 1)) if told else there


@lru_cache(maxsize=1)
def _others(count: int) -> ThreadPoolExecutor:
    """Threads that are kept: several that are new begin on one core, and stay there for longer than the work lasts."""
    return ThreadPoolExecutor(count)


if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads.
    os.register_at_fork(after_in_child=_others.cache_clear)


def each(ops: Ops, work: Callable[[_Item], object], shares: Sequence[Sequence[_Item]]) -> None:
    """`work` on every item, a thread for each share, the caller's among them, and without warnings of an overflow.

    The caller takes the shares that no thread has begun with when its own is done: a thread may be slow to wake.
    """

    def on(share: Sequence[_Item]) -> None:
        with ops.quiet():  # NumPy's setting is each thread's own
            for item in share:
                _ = work(item)

    if len(shares) == 1:
        on(shares[0])
        return
    waiting = [_others(cores(ops)).submit(on, share) for share in shares[1:]]
    try:
        on(shares[0])
        for other, share in zip(waiting, shares[1:], strict=True):
            if other.cancel():  # no thread has begun with it
                on(share)
    finally:
        # One that is cancelled is done when a thread has seen it, which nobody needs.
        begun = [other for other in waiting if not other.cancelled()]
        _ = wait(begun)
    for other in begun:
        other.result()
