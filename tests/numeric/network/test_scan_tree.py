"""The kernels of the scan over depth, run on the CPU, equal the scan; nvcc takes them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.losses import LOSSES
from resproof.numeric.backend import ops
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network import arrangement
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, start, value, vjp
from resproof.numeric.network.scan import Scan
from resproof.numeric.network.scan_kernel import LENGTH, fits, product_kernel, tree_kernels
from resproof.numeric.network.scan_tree import ScanTree, SeriesProducts, is_tree, scan_tree
from resproof.numeric.network.series import FloatSeries
from resproof.numeric.network.taylor import loss_series
from tests.numeric.cases import Case, first_of, make
from tests.numeric.compare import assert_close
from tests.numeric.cuda_on_cpu import COMPILER, Emulator
from tests.numeric.network.test_scan import LINEAR

compiled = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to run the kernels with")
NVCC = shutil.which("nvcc")


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    return Emulator(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(autouse=True)
def _by_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESPROOF_NATIVE", "0")
    monkeypatch.setattr(arrangement, "fastest", first_of("scan", "tiles"))


@pytest.fixture
def on_cpu(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    """NumPy's arrays are sent through the kernels."""
    monkeypatch.setattr(arrangement, "is_tree", lambda scan: not scan.batch)
    monkeypatch.setattr(arrangement, "scan_tree", lambda scan: scan_tree(scan, emulator))
    emulator.started.clear()
    return emulator


def tree_of(case: Case) -> ScanTree:
    found = start("test", case.network, case.weights, case.direction, case.x)
    assert isinstance(found, ScanTree)
    return found


def every(case: Case) -> dict[str, Any]:
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    found: dict[str, Any] = {"value": value(net, w, x, y), "f": outputs(net, w, x), "f'": jvp(net, w, v, x)[1]}
    found |= {f"gradient by {name}": a for name, a in gradient(net, w, x, y).items()}
    found |= {f"H v by {name}": a for name, a in hvp(net, w, v, x, y).items()}
    found["X"] = vjp(net, w, x, y)[1]
    found["series"] = np.asarray(loss_series(net, w, v, x, y, 4))
    return found


def assert_same(case: Case, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        assert_close(np.asarray(found[key]), np.asarray(array), 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


def by_steps(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> Any:
    """The call by the scan that goes step by step."""
    with monkeypatch.context() as patched:
        patched.setattr(arrangement, "is_tree", lambda scan: False)
        return call()


@compiled
@pytest.mark.parametrize("units", [1, LENGTH + 1])
@pytest.mark.parametrize("name", LINEAR)
def test_every_derivative_by_kernels(name: str, units: int, on_cpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    for loss in LOSSES:
        case = make(LINEAR[name](), ops(np), units=units, loss=LOSSES[loss])
        found = every(case)
        assert {"products", "cotangents"} <= set(on_cpu.started)
        assert_same(case, found, by_steps(monkeypatch, lambda case=case: every(case)))


@compiled
@pytest.mark.parametrize(
    ("units", "levels"), [(1, 1), (LENGTH, 1), (LENGTH + 1, 2), (LENGTH**2, 2), (LENGTH**2 + 1, 3)]
)
def test_a_kernel_for_each_level(units: int, levels: int, on_cpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=units)
    small = {name: 0.1 * array for name, array in case.weights.items()}

    def product() -> dict[str, Any]:
        return hvp(case.network, small, case.direction, case.x, case.y)

    found = product()
    tree = [name for name in on_cpu.started if name != "product"]
    assert tree == ["products"] * levels + ["cotangents"] * levels
    # W2 W1, F X, its cotangent, W1's and W2's, and X's.
    assert on_cpu.started.count("product") == 6
    assert_same(case, found, by_steps(monkeypatch, product))


@compiled
def test_groups_change_nothing(on_cpu: Emulator) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=3 * LENGTH + 5)
    arguments = (case.network, case.weights, case.direction, case.x, case.y)
    found = tree_of(case)
    whole, least = hvp(*arguments), found.least
    assert found.groups(2**26) == [slice(0, 3 * LENGTH + 5)]
    assert [units.stop for units in found.groups(least)] == [LENGTH, 2 * LENGTH, 3 * LENGTH, 3 * LENGTH + 5]
    on_cpu.started.clear()
    assert_same(case, hvp(*arguments, memory=least), whole)
    # Four groups and one product of theirs; the first three are read again on the way back.
    assert (on_cpu.started.count("products"), on_cpu.started.count("cotangents")) == (8, 5)
    with pytest.raises(
        OutOfMemoryError, match=r"hvp: the scan over 101 units needs .* at a time; memory allows 1 byte"
    ):
        _ = hvp(*arguments, memory=1)


@compiled
def test_an_overflow_is_named(on_cpu: Emulator) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=7)
    huge = {name: 1e60 * array for name, array in case.weights.items()}
    with pytest.raises(NotFiniteError, match=r"hvp: the output of unit \d of 7 is not finite"):
        _ = hvp(case.network, huge, case.direction, case.x, case.y)
    assert on_cpu.started


@compiled
@pytest.mark.parametrize("lowest", [0, 1])
def test_products_of_series(lowest: int, emulator: Emulator) -> None:
    draw, here = np.random.default_rng(0).standard_normal, ops(np)
    times, library = SeriesProducts(here, emulator), FloatSeries(here, 1, highest=bool(lowest))
    many, turned, one = draw((2, 7, 3, 4)), draw((2, 7, 5, 4)).swapaxes(-1, -2), draw((2, 4, 5))
    spread = np.broadcast_to(draw((4, 5)), (7, 4, 5))
    factors = [tuple(turned), tuple(one), (one[0], None), (None, one[1]), (spread, None), tuple(turned[:, :1])]
    for factor in factors:
        found, expected = times(tuple(many), factor, lowest), library.matmul(tuple(many), factor)
        assert found is not None
        for a, b in zip(found, expected, strict=True):
            assert (a is None) == (b is None)
            if a is not None and b is not None:
                assert a.shape == b.shape
                assert_close(a, b, 16, float(np.linalg.norm(b)))
    # Further axes, different layouts of the coefficients, and nothing to multiply are the library's.
    refused = [tuple(draw((2, 2, 7, 4, 5))), (turned[0], np.ascontiguousarray(turned[1])), (None, None)]
    assert [times(tuple(many), factor, lowest) for factor in refused] == [None] * 3


def test_which_scans_are_trees() -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=7)
    scan = start("test", case.network, case.weights, case.direction, case.x)
    assert isinstance(scan, Scan)
    assert not is_tree(scan)  # its arrays are NumPy's
    gpu = replace(scan.program, ops=ops(type("Namespace", (), {"__name__": "cupy"})()))
    assert is_tree(replace(scan, program=gpu))
    assert not is_tree(replace(scan, program=gpu, batch=(2,)))
    assert fits(32, 1)
    assert not fits(33, 0)
    assert not fits(32, 2)


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize(("width", "order"), [(32, 1), (16, 4)])
def test_nvcc_takes_the_kernels(width: int, order: int, tmp_path: Path) -> None:
    pairs = tuple((j, k) for j in range(order + 1) for k in range(order + 1 - j))
    for kernel in (*tree_kernels(width, order), product_kernel(pairs)):
        source = tmp_path / f"{kernel.name}.cu"
        source.write_text(kernel.source)
        command = f"{NVCC} -w -cubin -arch=sm_90 -Xptxas=-v -o {tmp_path / 'kernel.cubin'} {source}"
        done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert " 0 bytes spill stores" in done.stderr
