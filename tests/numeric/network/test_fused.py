"""The kernels of narrow units, run on the CPU, equal the network unit by unit; nvcc takes them where it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, polynomial, sigmoid, silu, softplus, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.limits import NotFiniteError
from resproof.numeric.network import adjoint
from resproof.numeric.network.adjoint import gradient, hvp, jvp, start, vjp
from resproof.numeric.network.fused import Kernel, can_be_written, in_kernels, kernels, on_gpu
from resproof.numeric.network.program import program
from resproof.numeric.network.run import Run
from tests.numeric.cases import Case, make
from tests.numeric.compare import assert_close
from tests.numeric.cuda_on_cpu import COMPILER, Emulator

compiled = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to run the kernels with")
NVCC = shutil.which("nvcc")


def uneven() -> Expression:
    """Every kind of node, values that are read several times, a weight and its transpose."""
    h, w, b = Input("d"), Weight("d", "d"), Weight("d")
    inner = tanh(w.T @ h) * tanh(h) + h
    return 2 * h + tanh(w @ h) * h + tanh(inner) + b * inner


def square() -> Expression:
    h, w = Input("d"), Weight("d", "d")
    return h + w @ (sigmoid(h) * sigmoid(h))


TAKEN: dict[str, Callable[[], Expression]] = {
    "tanh": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, inner_width="k"),
    "gelu": lambda: catalogue.n_shortcut(2, gelu, gelu, gelu),
    "cubic": lambda: catalogue.n_shortcut(1, polynomial(0, 1, 0, Fraction(1, 10))),
    "plain": lambda: catalogue.plain(tanh),
    "biased": lambda: catalogue.biased(softplus),
    "relu": catalogue.biased,
    "tied": catalogue.tied,
    "rezero": catalogue.rezero,
    "swiglu": catalogue.swiglu,
    "fixup": lambda: catalogue.fixup(silu),
    "uneven": uneven,
    "square": square,
}
NOT_TAKEN: dict[str, Callable[[], Expression]] = {
    "normalised": catalogue.pre_norm,
    "mixed columns": catalogue.attention,
    "a function of a weight": lambda: (h := Input("d")) + tanh(Weight("d", "d")) @ tanh(h),
}


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    return Emulator(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def on_cpu(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    """NumPy's arrays are sent through the kernels."""
    monkeypatch.setattr(adjoint, "over_depth", partial(in_kernels, launch=emulator))
    emulator.started.clear()
    return emulator


def every(case: Case, *, by_unit: bool = False, memory: int | None = None) -> Mapping[str, Any]:
    """All derivatives that go back through the network."""
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    how: dict[str, Any] = {"by_unit": by_unit, "memory": memory}
    weights, back = vjp(net, w, x, y, **how)
    parts = {"hvp": hvp(net, w, v, x, y, **how), "gradient": gradient(net, w, x, y, **how), "vjp": weights}
    return {"X": back, **{f"{name} {key}": a for name, found in parts.items() for key, a in found.items()}}


def assert_same(case: Case, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        assert_close(found[key], array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@compiled
@pytest.mark.parametrize("units", [1, 7])
@pytest.mark.parametrize("name", TAKEN)
def test_every_derivative_by_kernels(name: str, units: int, on_cpu: Emulator) -> None:
    for loss in LOSSES:
        case = make(TAKEN[name](), ops(np), units=units, loss=LOSSES[loss])
        found = every(case)
        assert {"forward", "backward"} <= set(on_cpu.started)
        on_cpu.started.clear()
        assert_same(case, found, every(case, by_unit=True))
        assert not on_cpu.started


@compiled
def test_the_way_forward_alone(on_cpu: Emulator) -> None:
    case = make(TAKEN["uneven"](), ops(np), units=7)
    run = start("test", case.network, case.weights, case.direction, case.x)
    for ours, expected in zip(
        jvp(case.network, case.weights, case.direction, case.x), run.output(case.x[None]), strict=True
    ):
        assert expected is not None
        assert_close(ours, expected[0], 4 * case.chain, 1.0 + float(np.linalg.norm(expected)))
    assert on_cpu.started == ["forward"]


@compiled
def test_segments(on_cpu: Emulator) -> None:
    case = make(TAKEN["tanh"](), ops(np), units=7)
    run = start("test", case.network, case.weights, case.direction, case.x)
    expected, lengths = every(case), set[int]()
    for memory in range(20_000, 0, -500):
        found = in_kernels(run, memory)
        if found is None or found.segment in lengths:
            continue
        lengths.add(found.segment)
        on_cpu.started.clear()
        assert_same(case, every(case, memory=memory), expected)
        assert on_cpu.started.count("backward") >= -(-7 // found.segment)
    assert len(lengths) >= 2


@compiled
def test_more_samples_than_threads_of_a_block(on_cpu: Emulator) -> None:
    case = make(TAKEN["tanh"](), ops(np), units=3)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 37))
    found = hvp(case.network, case.weights, case.direction, x, y)
    assert on_cpu.started
    parts = [hvp(case.network, case.weights, case.direction, x[:, [s]], y[:, [s]]) for s in range(37)]
    for name, array in found.items():
        expected = sum(part[name] for part in parts) / 37
        assert_close(array, np.asarray(expected), 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@compiled
def test_an_overflow_is_named(on_cpu: Emulator) -> None:
    case = make(TAKEN["cubic"](), ops(np), units=7)
    with pytest.raises(NotFiniteError, match=r"hvp: the output of unit \d of 7 is not finite"):
        _ = hvp(case.network, case.weights, case.direction, 1e80 * case.x, case.y)
    assert on_cpu.started


def run_of(expression: Expression, *, batch: int | None = None) -> Run:
    case = make(expression, ops(np), batch=batch)
    return start("test", case.network, case.weights, case.direction, case.x)


def test_what_goes_through_kernels() -> None:
    assert all(in_kernels(run_of(one()), 2**26) is not None for one in TAKEN.values())
    assert not any(in_kernels(run_of(one()), 2**26) for one in NOT_TAKEN.values())
    assert in_kernels(run_of(TAKEN["tanh"](), batch=2), 2**26) is None
    assert in_kernels(run_of(TAKEN["tanh"]()), 100) is None
    wide = ResidualUnit(catalogue.plain(tanh, 33))
    assert not can_be_written(program(wide, ops(np), {"m": 5}))


def test_cupy_is_called_with_blocks_threads_and_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    def raw_kernel(source: str, name: str) -> Callable[..., None]:
        return lambda blocks, threads, arguments: calls.append((source, name, blocks, threads, arguments))

    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(RawKernel=raw_kernel))
    on_gpu(Kernel("forward", "source of this test", 4, (), ()), 3, 64, [np.int32(1), 2.0])
    assert calls == [("source of this test", "forward", (3,), (64,), (np.int32(1), 2.0))]


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("name", TAKEN)
def test_nvcc_compiles_the_kernels(name: str, tmp_path: Path) -> None:
    assert NVCC is not None
    for order in (0, 1):
        for kernel in kernels(run_of(TAKEN[name]()).program, order):
            path = tmp_path / f"{kernel.name}{order}.cu"
            _ = path.write_text(kernel.source)
            _ = subprocess.run([NVCC, "--ptx", str(path), "-o", str(path.with_suffix(".ptx"))], check=True)
