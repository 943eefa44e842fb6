"""The executor of a Dask cluster; `dask.distributed` is the extra `cluster`."""

from __future__ import annotations

import re
from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from resproof.architectures.errors import OneLine

PATIENCE = 10
"""Seconds that a scheduler has to answer."""


class ClusterError(OneLine, RuntimeError):
    """There is no cluster at the address, or nothing to reach it with; the message is one line for the user."""


@contextmanager
def cluster(address: str) -> Generator[Executor]:
    """The executor of the scheduler at `address`, such as tcp://10.0.0.1:8786, while this lasts.

    A worker that dies costs the runs it had, which the scheduler gives to another.

    Raises:
        ClusterError: the address has no port, dask.distributed is not installed, or no scheduler answers there.
    """
    if not re.search(r":\d+/?$", address):
        raise ClusterError(f"--scheduler {address}: has no port; expected an address such as tcp://10.0.0.1:8786")
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ClusterError("--scheduler: dask.distributed is not installed; expected resproof[cluster]") from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ClusterError(f"--scheduler: no scheduler answers at {address} ({reason})") from None
    with client, client.get_executor() as executor:
        yield executor
