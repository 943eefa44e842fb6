"""Compiled libraries, written in vectors (`vectors.h`); among them the operations of a tape, `kernels.c`.

The activations of a unit are written into `kernels.c`: their derivatives by each activation itself, as for a GPU
(`kernel`), from the vector functions there. A library is compiled once for each source, compiler and processor, where a
C compiler is at hand (`CC`, else cc, gcc or clang), and kept in the user's cache, under XDG_CACHE_HOME or ~/.cache.
Where there is none, where it fails, or where RESPROOF_NATIVE is 0, there is no library and NumPy does the work.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from resproof.architectures.nodes import Activation
from resproof.architectures.user_cache import user_cache
from resproof.numeric.network.kernel import Lines, WrittenFunctions, written_derivatives

FLAGS = ("-O2", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fPIC", "-shared", "-w")
SECONDS = 60
"""A compiler that takes longer is none."""
_VECTORS = Path(__file__).with_name("vectors.h")


@dataclass(frozen=True, slots=True, eq=False)
class CompiledLibrary:
    """The compiled operations; `activations` in the order in which they are numbered, `panel` columns of a panel."""

    play: Any
    activations: tuple[Activation, ...]
    panel: int


def library(activations: Iterable[Activation]) -> CompiledLibrary | None:
    """The library for these activations; None where it cannot be had."""
    return load(tuple(dict.fromkeys(activations))) if wanted() else None


def wanted() -> bool:
    """Whether the user leaves anything to compiled libraries."""
    return os.environ.get("RESPROOF_NATIVE") != "0"


@lru_cache(maxsize=32)
def load(activations: tuple[Activation, ...]) -> CompiledLibrary | None:
    """The same, remembered; the processor and the compiler do not change while a program runs."""
    text = source(activations)
    loaded = None if text is None else shared(text)
    if loaded is None:
        return None
    loaded.play.argtypes = [ctypes.c_void_p, *[ctypes.c_int64] * 7]
    loaded.play.restype = None
    return CompiledLibrary(loaded.play, activations, int(loaded.panel()))


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


def source(activations: tuple[Activation, ...]) -> str | None:
    """The library's source; None where an activation is made of functions that it does not have."""
    written = [_written(number, f) for number, f in enumerate(activations)]
    if any(text is None for text in written):
        return None
    calls = "\n".join(f"    case {n}: apply_{n}(depth, size, u, out, slope); break;" for n in range(len(written)))
    chosen = f"""
static void apply(num which, num depth, num size, const double *u, double *out, double *slope)
{{
    switch (which) {{
{calls}
    }}
}}
"""
    return with_vectors(Path(__file__).with_name("kernels.c")).replace(
        "/* ACTIVATIONS */", "\n".join([*filter(None, written), chosen])
    )


def _written(number: int, f: Activation) -> str | None:
    """One activation: f(u), and where `slope` is one its derivatives, each with its tangent."""
    lines = Lines("vec")
    found = written_derivatives(f, WrittenFunctions(lines, "v_", "pick({}, {}, {})", "all({})"))
    if found is None:
        return None
    body = "\n        ".join(lines.lines)
    value, first, second = (x.text for x in found)
    return f"""
static void apply_{number}(num depth, num size, const double *u, double *out, double *slope)
{{
    const num last = (depth - 1) * size;
    for (num i = 0; i < size; i += LANES) {{
        const vec x = *(const vec *)(u + last + i);
        {body}
        if (depth > 1) {{
            const vec change = *(const vec *)(u + i);
            *(vec *)(out + i) = {first} * change;
            if (slope) *(vec *)(slope + i) = {second} * change;
        }}
        *(vec *)(out + last + i) = {value};
        if (slope) *(vec *)(slope + last + i) = {first};
    }}
}}
"""


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
