"""Compiled libraries of the trainers, written in vectors (`vectors.h`).

A library is compiled once for each source, compiler and processor, where a C compiler is at hand (`CC`, else cc, gcc or
clang), and kept in the user's cache, under XDG_CACHE_HOME or ~/.cache. Where there is none, where it fails, or where
RESPROOF_NATIVE is 0, there is no library and NumPy does the work.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from resproof.architectures.user_cache import user_cache

FLAGS = ("-O2", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fPIC", "-shared", "-w")
SECONDS = 60
"""A compiler that takes longer is none."""
_VECTORS = Path(__file__).with_name("vectors.h")


def wanted() -> bool:
    """Whether the user leaves anything to compiled libraries."""
    return os.environ.get("RESPROOF_NATIVE") != "0"


def shared(text: str) -> ctypes.CDLL | None:
    """The library of a source; None where it cannot be had."""
    found = compiler()
    path = None if found is None else _compiled(text, found)
    try:
        return None if path is None else ctypes.CDLL(str(path))
    except OSError:
        return None


def with_vectors(path: Path) -> str:
    """The text of a file, after the vectors that it is written in."""
    return "".join(one.read_text(encoding="utf-8") for one in (_VECTORS, path))


@dataclass(frozen=True, slots=True)
class VectorLibrary:
    """Functions that are written in vectors, and the columns of a panel: two vectors."""

    functions: Any
    panel: int


def vector_library(path: Path) -> VectorLibrary | None:
    """The library of a file as it stands; None where it cannot be had."""
    return load_vectors(path) if wanted() else None


@lru_cache(maxsize=8)
def load_vectors(path: Path) -> VectorLibrary | None:
    """The same, remembered."""
    functions = shared(with_vectors(path))
    return None if functions is None else VectorLibrary(functions, int(functions.panel()))


def address(array: np.ndarray) -> ctypes.c_void_p:
    """Where an array begins."""
    return ctypes.c_void_p(array.ctypes.data)


def compiler() -> str | None:
    """The C compiler that is taken, if there is one."""
    named = os.environ.get("CC")
    return next(filter(None, map(shutil.which, [named] if named else ["cc", "gcc", "clang"])), None)


def _compiled(text: str, cc: str) -> Path | None:
    """Where the library of this source lies, compiled now unless it is there; None where that fails."""
    known = hashlib.sha256("\n".join((text, cc, *FLAGS, _processor())).encode()).hexdigest()
    try:
        home = user_cache()
        path = home / f"kernels-{known[:32]}.so"
        if path.is_file():
            return path
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as folder:
            given, made = Path(folder, "kernels.c"), Path(folder, "kernels.so")
            _ = given.write_text(text, encoding="utf-8")
            command = [cc, *FLAGS, "-o", str(made), str(given)]
            _ = subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
            # At once or not at all: another process may be at the same.
            return made.replace(path)
    except (OSError, subprocess.SubprocessError):
        return None


def _processor() -> str:
    """What the processor is: a cache may be shared by machines that differ."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    own = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return " ".join((platform.machine(), platform.processor(), np.__version__.partition(".")[0], own))


def aligned(*shape: int) -> np.ndarray:
    """An array to be filled that begins where a cache line does: a vector of eight that crosses lines costs double."""
    count = math.prod(shape)
    room = np.empty(count + 8)
    first = -room.ctypes.data % 64 // 8
    return room[first : first + count].reshape(shape)
