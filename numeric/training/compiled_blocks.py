"""Gradients and steps of networks of blocks through a compiled library (`compiled_blocks.c`), one run after the other.

The sums are those of `blocks`, added up in another order than BLAS takes: the two differ by rounding, as BLAS does from
one processor to the next, and along training as any rounding grows. A run has the same bits whatever is beside it.
Where there is no compiler, where arrays are not NumPy's, or where the work is not worth a compiler's start, NumPy does
it; convolutions are NumPy's always.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from resproof.numeric.backend import Array
from resproof.numeric.network.native_library import VectorLibrary, address, aligned, vector_library
from resproof.numeric.training.blocks import BlockForm, Weights

SOURCE = Path(__file__).with_suffix(".c")
WORTH = 10**7
"""Multiplications of all forward passes from which on a compiled library is worth its start."""
_NAMES = ("stem", "inner", "outer", "head")
_SIZES = ("samples", "inputs", "width", "units", "outputs", "blocks", "runs")
_SWITCHES = ("stem", "head", "shortcut", "relu", "normalised", "after")


class _Net(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in (*_SIZES, *_SWITCHES)]


class _Places(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in _NAMES]


def compiled_blocks(net: BlockForm, weights: Weights, samples: int, passes: int) -> CompiledBlocks | None:
    """The passes of these runs by the library; None where it cannot be had, or is not worth its start."""
    plain = all(
        isinstance(one, np.ndarray) and one.flags.carray and one.dtype == np.float64 for one in weights.values()
    )
    work = samples * passes * sum(math.prod(one.shape) for one in weights.values())
    found = vector_library(SOURCE) if plain and work >= WORTH else None
    return None if found is None else CompiledBlocks(found, net, weights, samples)


class CompiledBlocks:
    """Runs of one network on batches of one size."""

    def __init__(self, library: VectorLibrary, net: BlockForm, weights: Weights, samples: int) -> None:
        """Room for a pass of one run, and for the gradients of all."""
        self._functions, (blocks, self._runs, units, width) = library.functions, weights["inner"].shape
        self._inputs = weights["stem"].shape[-1] if "stem" in weights else width
        self._outputs = weights["head"].shape[-2] if "head" in weights else width
        sizes = (samples, self._inputs, width, units, self._outputs, blocks, self._runs)
        switches = (
            "stem" in weights,
            "head" in weights,
            net.shortcut,
            net.activation == "relu",
            net.normalised,
            net.after,
        )
        self._net = _Net(*sizes, *switches)
        self._functions.memory_of.restype = ctypes.c_int64
        self._memory = aligned(self._functions.memory_of(ctypes.byref(self._net)))
        rows = [-(-count // library.panel) * library.panel for count in (self._inputs, self._outputs)]
        self._x = self._memory[: samples * rows[0]].reshape(samples, rows[0])
        self._x[...] = 0.0
        self._f, self._g = aligned(samples, rows[1]), aligned(samples, rows[1])
        self._g[...] = 0.0
        self._found = {name: np.empty_like(weight) for name, weight in weights.items()}

    def gradients(self, weights: Weights, x: Array, y: Array, slope: Callable[[Array, Array], Array]) -> Weights:
        """The gradients at X and Y, (rows, samples) or (runs, rows, samples).

        `slope` gives the derivative of the loss in a run's output, from that and its Y. What an earlier call has
        returned is overwritten.
        """
        for run in range(self._runs):
            given, targets = (one if one.ndim == 2 else one[run] for one in (x, y))
            self._x[:, : self._inputs] = given.T
            at = ctypes.byref(self._net), _places(weights, run), address(self._memory)
            self._functions.forward(*at, address(self._f))
            self._g[:, : self._outputs] = slope(self._f[:, : self._outputs].T, targets).T
            self._functions.backward(*at, address(self._g), _places(self._found, run))
        return self._found

    def step(
        self, weights: Weights, velocity: Weights, found: Weights, step: Array, momentum: float, decay: float
    ) -> None:
        """V <- mu V + dE/dW + lambda W, W <- W - eta V in place, with a rate for each run."""
        eta = np.ascontiguousarray(step)
        for name, weight in weights.items():
            *many, runs, rows, columns = weight.shape
            sizes = [ctypes.c_int64(count) for count in (math.prod(many), runs, rows * columns)]
            numbers = address(eta), ctypes.c_double(momentum), ctypes.c_double(decay)
            self._functions.momentum(*sizes, *numbers, *(address(one[name]) for one in (found, velocity, weights)))


def _places(arrays: Mapping[str, np.ndarray], run: int) -> Any:
    """Where the weights of a run begin."""
    return ctypes.byref(
        _Places(*(arrays[name][..., run, :, :].ctypes.data if name in arrays else None for name in _NAMES))
    )
