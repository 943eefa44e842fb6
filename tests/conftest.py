"""Fixtures that several folders of tests share."""

from __future__ import annotations

import fcntl
import gc
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeAlias

import array_api_strict
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from resproof.numeric.backend import Ops, device, ops

# JAX is a reference for numbers here: programs that run once are compiled quickly, not well.
QUICKLY = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
# What was compiled stays beside the cache of pytest, for the next session.
COMPILED = {
    "XLA_FLAGS": " ".join(QUICKLY),
    "JAX_COMPILATION_CACHE_DIR": str(Path(__file__).parents[1] / ".pytest_cache" / "jax"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
for variable, setting in COMPILED.items():
    _ = os.environ.setdefault(variable, setting)

# The same examples in every run, so that a failure is one of the change at hand; `make fuzz` draws new ones.
LONG = settings(deadline=None, suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large))
settings.register_profile("same", LONG, derandomize=True)
settings.register_profile("new", LONG)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Without the cyclic collector, which would go through what was imported before again and again.

    What is there afterwards stays to the end of the session, so that it need never be looked at. From then on the
    collector waits for a million new objects, which are some hundred megabytes, not for seven hundred.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(1_000_000, 10, 10)


Once: TypeAlias = Callable[[str, Callable[[Path], object]], Path]
"""What the fixture `once` is: of a name and what fills a new folder."""


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """The folder of that name, filled once: the workers of a session share it, and wait for the one that fills it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def filled(name: str, fill: Callable[[Path], object]) -> Path:
        folder = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = tmp_path_factory.mktemp(name)
                fill(unfinished)
                unfinished.rename(folder)
        return folder

    return filled


@pytest.fixture(scope="session")
def small_figures() -> Iterator[None]:
    """Figures at small depths: what they show does not depend on it, what they cost does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("resproof.proofs.demystifying_resnet.figure_data.DEPTHS", (1, 2, 3))
        patch.setattr("resproof.proofs.demystifying_resnet.figure_data.UNITS_OF_SPECTRA", 2)
        patch.setattr("resproof.proofs.demystifying_resnet.figure_data.ERROR_UNITS", (10, 100))
        patch.setattr("resproof.proofs.demystifying_resnet.figure_data.NORM_UNITS", (10, 100))
        patch.setattr("resproof.proofs.beyond.figure_data.DEPTHS", (1, 2, 5, 100))
        patch.setattr("resproof.proofs.beyond.figure_data.GROWTH_UNITS", (1, 2, 4))
        patch.setattr("resproof.proofs.rethinking_skips.figure_data.DEPTHS", (1, 3, 10, 100))
        yield


DEVICE = device("auto")
LIBRARIES = {"numpy": ops(np), "strict": ops(array_api_strict)} | (
    {"cupy": DEVICE.ops} if DEVICE.name == "cuda" else {}
)


@pytest.fixture(params=LIBRARIES)
def array_ops(request: pytest.FixtureRequest) -> Ops:
    """NumPy's operations, those of the strictest reading of the standard, and CuPy's where there is a device."""
    return LIBRARIES[request.param]


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports in a moment: figures and catalogue take the longest, and have tests of their own."""
    # The papers take a second to import, and the process that hands out the tests has no use for them.
    from resproof.proofs.figures import Figures

    monkeypatch.setattr("resproof.reporting.build.entries", lambda *_: ())
    nothing = Figures(width=1, samples=1)
    monkeypatch.setattr("resproof.reporting.build.figure_data", lambda context: nothing)
    monkeypatch.setattr("resproof.reporting.build._drawn", lambda results: {})
    monkeypatch.setattr("resproof.reporting.build.experiment_figures", lambda observed: {})
    monkeypatch.setattr("resproof.reporting.render.captions", lambda results: [])
