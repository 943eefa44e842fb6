"""Arrays for the tests of `numeric`: NumPy's, and those of the strictest reading of the standard."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest

from numeric.backend import Ops, ops


@pytest.fixture(params=["numpy", "strict"])
def array_ops(request: pytest.FixtureRequest) -> Ops:
    """The operations of a library."""
    return ops(np if request.param == "numpy" else array_api_strict)
