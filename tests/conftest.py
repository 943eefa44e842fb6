"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os

import array_api_strict
import numpy as np
import pytest
from hypothesis import settings

from numeric.backend import Ops, ops
from reports.figures.every import Figures

# JAX is a reference for numbers here: programs that run once are compiled quickly, not well.
QUICKLY = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
_ = os.environ.setdefault("XLA_FLAGS", " ".join(QUICKLY))

# The same examples in every run, so that a failure is one of the change at hand; `make fuzz` draws new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("new")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(params=["numpy", "strict"])
def array_ops(request: pytest.FixtureRequest) -> Ops:
    """NumPy's operations, and those of the strictest reading of the standard."""
    return ops(np if request.param == "numpy" else array_api_strict)


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports in a moment: figures and catalogue take the longest, and have tests of their own."""
    monkeypatch.setattr("reports.build.entries", lambda *_: ())
    nothing = Figures(width=1, samples=1, blocks=(), condition_numbers=(), spectra=(), errors=())
    monkeypatch.setattr("reports.build.figure_data", lambda context: nothing)
    monkeypatch.setattr("reports.build.figures", lambda results: {})
    monkeypatch.setattr("reports.build.experiment_figures", lambda observed: {})
    monkeypatch.setattr("reports.render.captions", lambda results: [])
