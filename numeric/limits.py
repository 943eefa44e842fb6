"""What can go wrong at size: numbers that overflow at depth, and memory that does not suffice. One line each.

A result is checked once, at the end: a sum that is finite has finite terms. Only where it is not does a second pass
look for the unit where it began, so that a sound run pays for one sum.
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator
from contextlib import contextmanager

from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import DataError


class NotFiniteError(DataError):
    """A number overflowed or is not one; the message names the unit where it began."""


class OutOfMemoryError(DataError):
    """What was asked for needs more memory than was granted or is there; the message says how much would do."""


def is_finite(ops: Ops, x: Array) -> bool:
    """Whether every entry is a finite number."""
    # A finite sum has finite terms, and is the cheaper question.
    return math.isfinite(float(ops.xp.sum(x))) or bool(ops.xp.all(ops.xp.isfinite(x)))


def in_bytes(count: int) -> str:
    """A number of bytes for a reader, three digits."""
    size, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}"


@contextmanager
def large(name: str, ops: Ops, memory: int) -> Generator[None, None, None]:
    """Work that allocates: a library's own refusal becomes one line with the budget that would fit.

    Raises:
        OutOfMemoryError: the library could not allocate. CuPy's error is a MemoryError, as NumPy's is.
    """
    try:
        yield
    except OutOfMemoryError as error:
        known = str(error).startswith(f"{name}: ")
        raise error if known else OutOfMemoryError(f"{name}: {error}") from None
    except MemoryError as error:
        free = free_memory(ops)
        advice = "expected less" if free is None else f"{in_bytes(free)} are free: expected memory={free // 2}"
        detail = str(error).partition("\n")[0]
        # From None: the cause holds the frames, and with them the arrays.
        raise OutOfMemoryError(
            f"{name}: out of memory with memory={memory}{f' ({detail})' if detail else ''}; {advice}"
        ) from None


def free_memory(ops: Ops) -> int | None:
    """Bytes that can be allocated where the arrays lie, or None where nothing tells."""
    if ops.library == "cupy":
        return int(ops.xp.cuda.runtime.memGetInfo()[0])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
