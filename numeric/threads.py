"""Threads: how many BLAS takes."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec


def one_thread() -> AbstractContextManager[object]:
    """BLAS on one core: on a busy machine its threads wait for each other, which small matrices do not repay."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    return import_module("threadpoolctl").threadpool_limits(1)
