"""CUDA kernels compiled as C++ and run on the CPU, thread by thread: their results without a GPU."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from resproof.numeric.network.fused import Kernel

COMPILER = shutil.which("g++")
HEADER = Path(__file__).with_name("cuda_on_cpu.hpp")


@dataclass(frozen=True)
class Emulator:
    """Starts kernels on NumPy arrays, each compiled once, in a folder of its own; counts what it started."""

    folder: Path
    functions: dict[str, Any] = field(default_factory=dict[str, Any])
    started: list[str] = field(default_factory=list[str])

    def __call__(self, kernel: Kernel, blocks: int, threads: int, arguments: Sequence[Any]) -> None:
        assert threads % kernel.lanes == 0
        assert all(a.flags.c_contiguous for a in arguments if isinstance(a, np.ndarray))
        if kernel.source not in self.functions:
            self.functions[kernel.source] = self._compiled(kernel)
        self.started.append(kernel.name)
        given = [ctypes.c_int(a) if np.ndim(a) == 0 else ctypes.c_void_p(a.ctypes.data) for a in arguments]
        self.functions[kernel.source](blocks, threads, *given)

    def _compiled(self, kernel: Kernel) -> Any:
        match = re.search(rf"__global__ void {kernel.name}\((.*)\)", kernel.source)
        assert match is not None
        parameters = match[1].split(", ")
        names = [re.split(r"[ *]", parameter)[-1] for parameter in parameters]
        kept = "\n".join(
            f"static {p.replace('__restrict__ ', '')[: -len(n)]} kept_{n};"
            for p, n in zip(parameters, names, strict=True)
        )
        start = "\n".join(f"    kept_{n} = {n};" for n in names)
        source = f"""#include "{HEADER}"
{kernel.source}
{kept}
static void call() {{ {kernel.name}({", ".join(f"kept_{n}" for n in names)}); }}
extern "C" void launch(int blocks, int size, {", ".join(parameters)})
{{
{start}
    run_blocks(call, blocks, size);
}}
"""
        path = self.folder / f"kernel{len(self.functions)}.cpp"
        path.write_text(source)
        threads, library = self.folder / "threads.o", path.with_suffix(".so")
        if not threads.exists():
            _compile("-c", HEADER.with_suffix(".cpp"), "-o", threads)
        _compile("-nostdinc++", "-shared", path, threads, "-o", library)
        return ctypes.CDLL(str(library)).launch


def _compile(*arguments: str | Path) -> None:
    assert COMPILER is not None
    subprocess.run([COMPILER, "-O0", "-fPIC", "-w", *map(str, arguments)], check=True)
