"""The seam: namespaces, what the standard lacks, devices."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import array_api_strict
import numpy as np
import pytest

from resproof.architectures.activations import ACTIVATIONS
from resproof.architectures.catalogue import biased, transformer
from resproof.architectures.nodes import Expression
from resproof.numeric.backend import DeviceError, Ops, device, namespace, ops_of
from resproof.numeric.rounding import gamma
from tests.numeric.compare import assert_close, host

X = np.linspace(-3.0, 3.0, 12).reshape(3, 4)


def test_the_namespace_is_that_of_the_array() -> None:
    assert namespace(X) is np
    assert ops_of(array_api_strict.ones(2)).library == "array_api_strict"
    assert ops_of(X).library == "numpy"
    with pytest.raises(TypeError):
        namespace("x")


ELEMENTARY = {
    "exp": math.exp,
    "tanh": math.tanh,
    "erfc": math.erfc,
    "abs": abs,
    "heaviside": lambda x: float(x > 0),
}


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions(name: str, array_ops: Ops) -> None:
    found = getattr(array_ops, name)(array_ops.asarray(X))
    assert found.dtype == array_ops.float64
    expected = np.vectorize(ELEMENTARY[name])(X)
    assert_close(host(found), expected, 16, float(np.linalg.norm(expected)))


def test_reductions_shapes_and_factorisations(array_ops: Ops) -> None:
    x = array_ops.asarray(X)
    np.testing.assert_array_equal(host(array_ops.max_rows(x)), X.max(axis=0, keepdims=True))
    assert_close(host(array_ops.sum_rows(x)), X.sum(axis=0, keepdims=True), 3, float(np.linalg.norm(X)))
    np.testing.assert_array_equal(host(array_ops.transpose(x)), X.T)
    np.testing.assert_array_equal(host(array_ops.cumulative_sum(x, 0))[0], X[0])
    np.testing.assert_array_equal(array_ops.numpy(array_ops.concatenate([x, x], 0)), np.concatenate([X, X]))
    u, sigma, vt = (host(a) for a in array_ops.svd(x))
    assert_close(u[:, :3] * sigma @ vt[:3], X, 200, float(np.linalg.norm(X)))
    gram = array_ops.asarray(X @ X.T)
    values, vectors = (host(a) for a in array_ops.eigh(gram))
    assert_close(vectors * values @ vectors.T, X @ X.T, 200, float(np.linalg.norm(X @ X.T)))
    assert_close(host(array_ops.eigvalsh(gram)), values, 200, float(np.linalg.norm(X @ X.T)))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_agree_between_libraries(name: str, array_ops: Ops) -> None:
    found = ACTIVATIONS[name].derivatives(array_ops, array_ops.asarray(X), 3)
    expected = ACTIVATIONS[name].derivatives(ops_of(X), X, 3)
    assert len(found) == 4
    for a, b in zip(found, expected, strict=True):
        assert_close(host(a), b, 64, float(np.linalg.norm(b)) + 1.0)


def test_devices() -> None:
    assert device("cpu").name == "cpu"
    assert device("auto").description.startswith(device("auto").name)
    with pytest.raises(DeviceError, match="device: 'tpu' is unknown; expected one of auto, cpu, cuda"):
        device("tpu")


def test_an_explicit_cuda_without_a_gpu_is_one_clear_line() -> None:
    if device("auto").name == "cuda":
        pytest.skip("there is a CUDA device")
    with pytest.raises(DeviceError, match=r"device: cuda was asked for, but .*; expected cpu or auto here") as caught:
        device("cuda")
    assert "\n" not in str(caught.value)


@pytest.mark.gpu
@pytest.mark.parametrize("block", [transformer, biased])
def test_the_network_runs_on_the_device(block: Callable[[], Expression]) -> None:
    found = device("auto")
    if found.name != "cuda":
        pytest.skip("no device")
    from resproof.numeric.network.adjoint import hvp
    from tests.numeric.cases import make

    case = make(block(), found.ops)
    here = make(block(), ops_of(X))
    x, y = (found.ops.asarray(a) for a in (case.x, case.y))
    on_device = hvp(case.network, case.weights, case.direction, x, y)
    on_host = hvp(here.network, here.weights, here.direction, here.x, here.y)
    for name, array in on_host.items():
        assert_close(found.ops.numpy(on_device[name]), array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


HEAVY = ("sympy", "flint", "typer", "pydantic", "matplotlib", "scipy", "jax", "array_api_compat")


def test_numeric_imports_with_numpy_alone() -> None:
    script = (
        "import sys\n"
        f"for name in {HEAVY!r}: sys.modules[name] = None\n"
        "import numpy as np\n"
        "import resproof.numeric.network.adjoint, resproof.numeric.network.taylor\n"
        "import resproof.numeric.spectra.contract, resproof.numeric.modular.identity\n"
        "import resproof.numeric.backend as backend\n"
        "backend.ops(np).erfc(np.ones(2)); assert backend.namespace(np.ones(1)) is np\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, cwd=".")


def test_gamma_is_highams() -> None:
    assert gamma(1) == 2.0**-53 / (1.0 - 2.0**-53)
    assert gamma(2**54) == math.inf
    assert gamma(10) == pytest.approx(10 * 2.0**-53, rel=1e-12)
