"""The kernels of narrow units, run on the CPU, equal the network by tiles; nvcc takes them where it is installed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from resproof.architectures.losses import LOSSES
from resproof.numeric.backend import ops
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network import arrangement, fused
from resproof.numeric.network.adjoint import hvp, jvp, start
from resproof.numeric.network.fused import Fused, on_gpu
from resproof.numeric.network.kernel import Kernel, can_be_written
from resproof.numeric.network.program import Program
from resproof.numeric.network.sample_tiles import Tiles
from resproof.numeric.network.sweeps import SweepPlan
from tests.numeric.cases import Case, make
from tests.numeric.compare import assert_close
from tests.numeric.cuda_on_cpu import COMPILER, Emulator
from tests.numeric.network.test_sample_tiles import TAKEN, every

compiled = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to run the kernels with")
NVCC = shutil.which("nvcc")


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    return Emulator(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def on_cpu(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    """NumPy's arrays are sent through the kernels."""

    def is_narrow(program: Program) -> bool:
        return program.rank == 2 and can_be_written(program)

    monkeypatch.setattr(arrangement, "is_fused", is_narrow)
    monkeypatch.setattr(arrangement, "Fused", lambda run: Fused(run, emulator))
    emulator.started.clear()
    return emulator


def run_of(case: Case) -> Fused | Tiles | Any:
    return start("test", case.network, case.weights, case.direction, case.x, scan=False)


@compiled
@pytest.mark.parametrize("units", [1, 7])
@pytest.mark.parametrize("name", TAKEN)
def test_every_derivative_by_kernels(name: str, units: int, on_cpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    for loss in LOSSES:
        case = make(TAKEN[name](), ops(np), units=units, loss=LOSSES[loss])
        assert isinstance(run_of(case), Fused)
        found = every(case)
        assert {"forward", "backward"} <= set(on_cpu.started)
        with monkeypatch.context() as patched:
            patched.setattr(arrangement, "is_fused", lambda program: False)
            expected = every(case)
        assert found.keys() == expected.keys()
        for key, array in expected.items():
            assert_close(found[key], array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@compiled
def test_the_way_forward_alone(on_cpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(TAKEN["uneven"](), ops(np), units=7)
    monkeypatch.setattr(fused, "AT_ONCE", 1)
    found = jvp(case.network, case.weights, case.direction, case.x)
    assert on_cpu.started == ["forward"] * 7
    monkeypatch.setattr(arrangement, "is_fused", lambda program: False)
    for ours, expected in zip(found, jvp(case.network, case.weights, case.direction, case.x), strict=True):
        assert_close(ours, expected, 4 * case.chain, 1.0 + float(np.linalg.norm(expected)))


@compiled
@pytest.mark.parametrize(("tile", "segment"), [(5, 3), (3, 2), (2, 7), (1, 1)])
def test_segments_and_portions(tile: int, segment: int, on_cpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(TAKEN["tanh"](), ops(np), units=7)
    expected = every(case)
    monkeypatch.setattr(Fused, "plan", lambda self, samples, memory: SweepPlan(tile, segment, 0))
    on_cpu.started.clear()
    for key, array in every(case).items():
        assert_close(array, expected[key], 4 * case.chain, 1.0 + float(np.linalg.norm(expected[key])))
    sweeps, segments = -(-5 // tile), -(-7 // segment)
    assert on_cpu.started.count("backward") == 3 * sweeps * segments
    assert on_cpu.started.count("forward") == 3 * sweeps * (2 * segments - 1)


@compiled
def test_more_samples_than_threads_of_a_block(on_cpu: Emulator) -> None:
    case = make(TAKEN["tanh"](), ops(np), units=3)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 37))
    found = hvp(case.network, case.weights, case.direction, x, y)
    parts = [hvp(case.network, case.weights, case.direction, x[:, [s]], y[:, [s]]) for s in range(37)]
    for name, array in found.items():
        expected = sum(part[name] for part in parts) / 37
        assert_close(array, np.asarray(expected), 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@compiled
def test_an_overflow_is_named(on_cpu: Emulator) -> None:
    case = make(TAKEN["cubic"](), ops(np), units=7)
    with pytest.raises(NotFiniteError, match=r"hvp: the output of unit \d of 7 is not finite"):
        _ = hvp(case.network, case.weights, case.direction, 1e80 * case.x, case.y)


def test_the_plan_follows_the_memory() -> None:
    case = make(TAKEN["tanh"](), ops(np), units=1000)
    found = Fused(run_of(case).run)
    whole, parted, narrow = (found.plan(1000, 2**power) for power in (30, 25, 20))
    assert (whole.tile, whole.segment) == (1000, 1000)
    assert parted.tile == 1000
    assert 1 < parted.segment < 1000
    assert narrow.tile < 1000
    assert all(plan.needed <= 2**power for plan, power in ((whole, 30), (parted, 25), (narrow, 20)))
    with pytest.raises(OutOfMemoryError, match=r"32 samples through 1000 units need .* kB at a time; memory allows 9"):
        _ = found.plan(1000, 9)


def test_cupy_is_called_with_blocks_threads_and_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    def raw_kernel(source: str, name: str) -> Callable[..., None]:
        return lambda blocks, threads, arguments: calls.append((source, name, blocks, threads, arguments))

    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(RawKernel=raw_kernel))
    on_gpu(Kernel("forward", "source of this test", 4, {}, ()), 3, 64, [np.int32(1), 2.0])
    assert calls == [("source of this test", "forward", (3,), (64,), (np.int32(1), 2.0))]
