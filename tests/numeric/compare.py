"""Comparisons that raise, with bounds that mean something."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from resproof.numeric.rounding import gamma


def host(a: Any) -> np.ndarray:
    """An array of any library as NumPy's; CuPy's are copied only where one says so."""
    return a.get() if type(a).__module__.partition(".")[0] == "cupy" else np.asarray(a)


def assert_within(found: Any, expected: Any, bound: float) -> None:
    """The Frobenius norm of the difference is at most the bound."""
    found, expected = host(found), host(expected)
    assert found.shape == expected.shape, f"shapes {found.shape} and {expected.shape}"
    error = float(np.linalg.norm(found - expected))
    assert error <= bound, f"off by {error:.3e}; expected at most {bound:.3e}"


def assert_close(found: Any, expected: Any, size: int, *norms: float) -> None:
    """Two computations with at most `size` roundings in a chain, of a number made from factors of these norms."""
    assert_within(found, expected, 2.0 * gamma(size) * math.prod(norms))


def assert_weights_equal(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """The same names and the same bits."""
    assert set(found) == set(expected)
    for name in found:
        np.testing.assert_array_equal(host(found[name]), host(expected[name]))
