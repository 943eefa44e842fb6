"""The one seam for the array library: NumPy, CuPy or any other namespace of the array API standard.

An array's namespace is found from the array, so the code above this file never names a library. `Ops` adds what
the standard lacks (erfc, heaviside), the reductions along rows (axis -2) that a loss needs, and linear algebra that
raises on failure on every library.

Only NumPy is needed to import this file; array-api-compat, SciPy and CuPy are used where they are present.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from resproof.architectures.errors import OneLine

Array: TypeAlias = Any
Namespace: TypeAlias = Any

DEVICES = ("auto", "cpu", "cuda")


class DeviceError(OneLine, RuntimeError):
    """The device asked for is not there; the message is one line for the user."""


def namespace(x: Array) -> Namespace:
    """The array namespace of `x`: NumPy itself for NumPy arrays, array-api-compat's for others where installed.

    Raises:
        TypeError: `x` is no array of a library that follows the standard.
    """
    if isinstance(x, np.ndarray | np.generic):
        return np
    try:
        from array_api_compat import array_namespace
    except ImportError:
        return _own_namespace(x)
    return array_namespace(x)


def _own_namespace(x: Array) -> Namespace:
    if type(x).__module__.partition(".")[0] == "cupy":
        import cupy  # pyright: ignore[reportMissingImports]

        return cupy
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    raise TypeError(f"namespace: {type(x).__name__} is no array; expected an array of NumPy, CuPy or the array API")


def _keep_freed_memory() -> None:
    """Let the C library keep the blocks of megabytes that NumPy frees, instead of asking for their pages anew.

    glibc gives memory back beyond a threshold that adapts to the greatest block it has seen freed, 32 MiB at most;
    this one is never touched. On other systems it has no effect.
    """
    _ = np.empty(2**25 - 2**14, dtype=np.uint8)


_keep_freed_memory()


@dataclass(frozen=True, slots=True)
class Ops:
    """What the readings need of an array library, on float64 arrays of shape (..., rows, columns)."""

    xp: Namespace

    @property
    def float64(self) -> Any:
        """The data type of everything here."""
        return self.xp.float64

    @property
    def library(self) -> str:
        """The library's name: numpy, cupy, array_api_strict."""
        parts = self.xp.__name__.split(".")
        return parts[1] if parts[0] == "array_api_compat" else parts[0]

    # Elementary functions (resproof.architectures.activations.Elementary).

    def exp(self, x: Array, /) -> Array:
        """e^x."""
        return self.xp.exp(x)

    def log(self, x: Array, /) -> Array:
        """The natural logarithm."""
        return self.xp.log(x)

    def log1p(self, x: Array, /) -> Array:
        """log(1 + x)."""
        return self.xp.log1p(x)

    def expm1(self, x: Array, /) -> Array:
        """e^x - 1."""
        return self.xp.expm1(x)

    def tanh(self, x: Array, /) -> Array:
        """The hyperbolic tangent."""
        return self.xp.tanh(x)

    def erfc(self, x: Array, /) -> Array:
        """1 - erf, from SciPy (on other libraries by way of NumPy) or CuPy."""
        if self.library == "cupy":
            from cupyx.scipy.special import erfc  # pyright: ignore[reportMissingImports]

            return erfc(x)
        if self.library == "jax":
            from jax.scipy.special import erfc  # pyright: ignore[reportMissingImports]

            return erfc(x)
        return self.asarray(_numpy_erfc(np.asarray(x)))

    def abs(self, x: Array, /) -> Array:
        """The absolute value."""
        return self.xp.abs(x)

    def sqrt(self, x: Array, /) -> Array:
        """The square root."""
        return self.xp.sqrt(x)

    def maximum(self, x: Array, y: Array, /) -> Array:
        """The larger of two entries."""
        return self.xp.maximum(x, y)

    def heaviside(self, x: Array, /) -> Array:
        """1 where x > 0, else 0."""
        return self.xp.asarray(x > 0, dtype=self.xp.float64)

    # Reductions (resproof.architectures.losses.Reductions).

    def sum_rows(self, x: Array, /) -> Array:
        """The sum over the rows, kept as one row."""
        return self.xp.sum(x, axis=-2, keepdims=True)

    def max_rows(self, x: Array, /) -> Array:
        """The largest entry of every column, kept as one row."""
        return self.xp.max(x, axis=-2, keepdims=True)

    # Shapes.

    def transpose(self, x: Array) -> Array:
        """The last two axes exchanged."""
        xp = self.xp
        if xp is np:
            return x.swapaxes(-1, -2)
        return xp.matrix_transpose(x) if hasattr(xp, "matrix_transpose") else xp.swapaxes(x, -1, -2)

    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        """The same entries in another shape."""
        return x.reshape(shape) if self.xp is np else self.xp.reshape(x, shape)

    def permute(self, x: Array, axes: tuple[int, ...]) -> Array:
        """The axes in the given order."""
        xp = self.xp
        if xp is np:
            return x.transpose(axes)
        return xp.permute_dims(x, axes) if hasattr(xp, "permute_dims") else xp.transpose(x, axes)

    def concatenate(self, arrays: list[Array], axis: int) -> Array:
        """The arrays one after the other along an axis."""
        xp = self.xp
        return xp.concat(arrays, axis=axis) if hasattr(xp, "concat") else xp.concatenate(arrays, axis=axis)

    def cumulative_sum(self, x: Array, axis: int) -> Array:
        """The inclusive running sum along an axis."""
        xp = self.xp
        return xp.cumsum(x, axis=axis) if hasattr(xp, "cumsum") else xp.cumulative_sum(x, axis=axis)

    # Products.

    @property
    def writes_out(self) -> bool:
        """Whether the library itself writes a result where it is told to."""
        return self.xp is np or self.library == "cupy"

    def matmul(self, a: Array, b: Array, out: Array | None = None) -> Array:
        """a b, in `out` where there is one, copied there where the library cannot write it (`writes_out`)."""
        if out is None:
            return a @ b
        if self.writes_out:
            return self.xp.matmul(a, b, out=out)
        out[...] = a @ b
        return out

    # Making and reading arrays.

    def asarray(self, x: Any) -> Array:
        """`x` as a float64 array of this library."""
        return self.xp.asarray(x, dtype=self.xp.float64)

    def full(self, shape: tuple[int, ...], value: float) -> Array:
        """An array filled with one value."""
        return self.xp.full(shape, value, dtype=self.xp.float64)

    def zeros(self, shape: tuple[int, ...]) -> Array:
        """An array of zeros."""
        return self.xp.zeros(shape, dtype=self.xp.float64)

    def contiguous(self, x: Array) -> Array:
        """The same entries, neighbours in memory along the last axis first."""
        return self.xp.ascontiguousarray(x) if self.writes_out else self.xp.asarray(x, copy=True)

    def empty(self, shape: tuple[int, ...]) -> Array:
        """An array that is yet to be filled."""
        return self.xp.empty(shape, dtype=self.xp.float64)

    def numpy(self, x: Array) -> np.ndarray:
        """`x` as a NumPy array on the host."""
        return x.get() if self.library == "cupy" else np.asarray(x)

    def quiet(self) -> AbstractContextManager[Any]:
        """The context in which NumPy does not warn of an overflow: what comes out is checked instead."""
        return np.errstate(over="ignore", invalid="ignore", divide="ignore")

    # Linear algebra, which raises where it fails to converge.

    def strict_linalg(self) -> AbstractContextManager[Any]:
        """The context in which CuPy raises on failure instead of returning NaN."""
        if self.library != "cupy":
            return nullcontext()
        from cupyx import errstate  # pyright: ignore[reportMissingImports]

        return errstate(linalg="raise")

    def eigvalsh(self, x: Array) -> Array:
        """The eigenvalues of a symmetric matrix, ascending."""
        with self.strict_linalg():
            return self.xp.linalg.eigvalsh(x)

    def eigh(self, x: Array) -> tuple[Array, Array]:
        """The eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
        with self.strict_linalg():
            values, vectors = self.xp.linalg.eigh(x)
        return values, vectors

    def svd(self, x: Array) -> tuple[Array, Array, Array]:
        """U, sigma (descending), V^T of the full singular value decomposition."""
        with self.strict_linalg():
            u, sigma, vt = self.xp.linalg.svd(x, full_matrices=True)
        return u, sigma, vt


def _numpy_erfc(x: np.ndarray) -> np.ndarray:
    try:
        from scipy.special import erfc
    except ImportError:
        return np.vectorize(math.erfc, otypes=[np.float64])(x)
    return erfc(x)


def ops(xp: Any) -> Ops:
    """The `Ops` of a namespace."""
    return Ops(xp)


def ops_of(x: Array) -> Ops:
    """The `Ops` of the library that `x` belongs to."""
    return ops(namespace(x))


def largest_modulus(a: Array) -> float:
    """max |a|; zero where there is nothing."""
    ops_ = ops_of(a)
    return float(ops_.xp.max(ops_.abs(a))) if math.prod(a.shape) else 0.0


@dataclass(frozen=True, slots=True)
class Device:
    """Where the arrays lie: `name` is cpu or cuda, `description` one line for a header."""

    name: Literal["cpu", "cuda"]
    description: str
    ops: Ops


def device(name: str = "auto") -> Device:
    """The device of that name; `auto` takes a GPU where there is one and says in `description` what it took.

    Raises:
        DeviceError: an unknown name, or `cuda` where CuPy or a GPU is missing.
    """
    if name not in DEVICES:
        raise DeviceError(f"device: {name!r} is unknown; expected one of {', '.join(DEVICES)}")
    if name == "cpu":
        return Device("cpu", f"cpu: NumPy {np.__version__}", ops(np))
    missing = _no_gpu()
    if missing is None:
        return _cuda()
    if name == "cuda":
        raise DeviceError(f"device: cuda was asked for, but {missing}; expected cpu or auto here")
    return Device("cpu", f"cpu: NumPy {np.__version__} (auto: {missing})", ops(np))


def _no_gpu() -> str | None:
    """Why there is no GPU to compute on, or None."""
    try:
        import cupy  # pyright: ignore[reportMissingImports]
    except ImportError:
        return "CuPy is not installed"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"there is no CUDA device ({str(error).partition(':')[0]})"
    return None if count else "there is no CUDA device"


def _cuda() -> Device:
    import cupy  # pyright: ignore[reportMissingImports]

    name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    return Device("cuda", f"cuda: {name}, CuPy {cupy.__version__}", ops(namespace(cupy.zeros(1))))
